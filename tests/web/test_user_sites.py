"""Two users of one server: neither sees, answers, stops, exports or deletes what the other has."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.support.web import PORT
from tests.support.web_chat import (
    ASK,
    BUY,
    LOOK,
    TalkingModel,
    begin,
    ended,
    open_user_sites,
    turn_of,
    wait_until,
)

from restwright.demo.server import Shop, running
from restwright.doors.browsers import BrowserAccess, BrowserSession
from restwright.errors import LimitReached
from restwright.web.app import create_app, guard_app
from restwright.web.user_sites import UserSites

URL = f"http://127.0.0.1:{PORT}"
ADA, BOB = '["https://issuer","ada"]', '["https://issuer","bob"]'


@pytest.fixture(scope="module")
def shop() -> Generator[Shop]:
    with running() as served:
        yield served


@dataclass
class Place:
    sites: UserSites
    ada: TestClient
    bob: TestClient


@pytest.fixture
def place(shop: Shop, tmp_path: Path) -> Generator[Place]:
    with open_user_sites(shop, tmp_path) as sites:
        browsers = BrowserAccess(cookie="c", is_by_login=True)
        app = guard_app(create_app(sites), PORT, browsers)
        with TestClient(app, base_url=URL, headers={"origin": URL}) as ada:
            bob = TestClient(app, base_url=URL, headers={"origin": URL})
            # Both in the loop of the server, in which their runs are.
            bob.portal = ada.portal
            for client, user in ((ada, ADA), (bob, BOB)):
                client.cookies.set("c", browsers.admit(BrowserSession(user=user, name=user)))
            yield Place(sites, ada, bob)


def asked(place: Place, user: str, client: TestClient, address: str) -> Any:
    chats = place.sites.find(user).chats
    assert chats is not None
    run = chats.runs.find(turn_of(client, address)["run"])
    wait_until(lambda: run.pending)
    return run


def test_a_chat_of_another_is_not_there(place: Place) -> None:
    address = begin(place.ada, LOOK)
    run = ended(place.ada, address)["run"]
    for path in (
        address,
        f"{address}.json",
        f"/chat/runs/{run}.json",
        f"/chat/runs/{run}/events",
        f"/chat/runs/{run}/images/1",
    ):
        assert place.bob.get(path).status_code == 404, path
    for path, data in (
        (address, {"text": LOOK}),
        (f"{address}/back", {"turn": "0"}),
        (f"{address}/resume", {"session": turn_of(place.ada, address)["session"]}),
        (f"/chat/runs/{run}/stop", {}),
    ):
        assert place.bob.post(path, data=data).status_code == 404, path
    assert len(place.ada.get(f"{address}.json").json()["turns"]) == 1


def test_a_session_of_another_is_not_listed_exported_or_deleted(place: Place) -> None:
    address = begin(place.ada, LOOK)
    session = ended(place.ada, address)["session"]
    name = address.removeprefix("/chat/")
    listed = place.ada.get("/sessions.json").json()["sessions"]
    assert [line["id"] for line in listed] == [name]
    assert place.bob.get("/sessions.json").json()["sessions"] == []
    assert LOOK not in place.bob.get("/sessions", params={"q": "bags"}).text
    for guess in (name, session):
        assert place.bob.get(f"/chat/{guess}").status_code == 404
        assert place.bob.get(f"/sessions/{guess}.jsonl").status_code == 404
        assert place.bob.get(f"/sessions/{guess}/delete").status_code == 404
        assert place.bob.post(f"/sessions/{guess}/delete").status_code == 404
    assert place.ada.get(f"/sessions/{name}.jsonl").text


def test_nobody_answers_for_another(place: Place, shop: Shop) -> None:
    address = begin(place.ada, BUY)
    run = asked(place, ADA, place.ada, address)
    word = {"asked": run.pending.id, "hash": run.pending.hash, "word": "yes"}
    assert place.bob.post(f"/chat/runs/{run.id}/approval", data=word).status_code == 404
    assert run.pending is not None
    assert place.ada.post(f"/chat/runs/{run.id}/approval", data=word).status_code == 200
    assert ended(place.ada, address)["stopped"] == "answered"
    address = begin(place.ada, ASK)
    run = asked(place, ADA, place.ada, address)
    said = {"asked": run.pending.id, "word": "yes", "value": "red"}
    assert place.bob.post(f"/chat/runs/{run.id}/question", data=said).status_code == 404
    assert run.pending is not None
    place.ada.post(f"/chat/runs/{run.id}/stop")


def test_calls_and_what_waits_for_a_word_are_of_one_user(place: Place) -> None:
    place.ada.post("/tools/shop__list_categories/send", data={})
    form = {"/product_id": "cam-1", "/quantity": "1"}
    page = place.ada.post("/tools/shop__add_cart_item/send", data=form).text
    site = place.sites.find(ADA)
    (key,), (held,) = site.kept._calls, site.kept._held
    assert f"/held/{held}" in page
    assert place.ada.get(f"/calls/{key}").status_code == 200
    assert place.bob.get(f"/calls/{key}").status_code == 404
    word = {"hash": site.kept._held[held].hash, "word": "yes"}
    place.bob.post(f"/held/{held}", data=word)
    assert held in site.kept._held
    assert len(site.kept._calls) == 1


def test_usage_is_counted_for_each_user_and_not_shown_of_the_machine(place: Place) -> None:
    place.ada.post("/tools/shop__list_categories/send", data={})
    assert place.ada.get("/usage.json").json()["since_start"]
    told = place.bob.get("/usage.json").json()
    assert (told["since_start"], told["counted"]) == ([], [])


def test_users_choose_no_model(place: Place) -> None:
    given = place.ada.post("/chat", data={"text": LOOK, "model": "openai:gpt-5"})
    assert given.status_code == 422
    assert 'name="model" value="' in place.ada.get("/chat").text
    assert ">Model</label>" not in place.ada.get("/chat").text


def test_what_is_kept_is_there_after_a_new_login_and_the_site_was_closed(
    shop: Shop, tmp_path: Path
) -> None:
    with open_user_sites(shop, tmp_path) as sites:
        sites.max_sites = 1
        first = sites.find(ADA)
        assert sites.find(ADA) is first
        assert sites.find(BOB) is not first
        assert sites.find(ADA) is not first
        files = sorted(path.suffix for path in tmp_path.rglob("*.sqlite3"))
        assert len(files) == 2


def test_one_user_leaves_others_their_runs(place: Place) -> None:
    addresses = [begin(place.ada, ASK) for _ in range(20)]
    refused = place.ada.post("/chat", data={"text": ASK})
    assert refused.status_code == 422
    assert "runs at the same time" in refused.text
    assert ended(place.bob, begin(place.bob, LOOK))["stopped"] == "answered"
    for address in addresses:
        place.ada.post(f"/chat/runs/{turn_of(place.ada, address)['run']}/stop")


def test_what_is_kept_of_each_user_in_memory_is_bounded(place: Place) -> None:
    """That of as many users as may come fits into the memory of one server."""
    chats = place.sites.find(ADA).chats
    assert chats is not None
    most = (chats.runs.max_chars + place.sites.find(ADA).kept.max_bytes) * place.sites.max_sites
    assert most < 3 * 1024**3
    begun = [chats.begin() for _ in range(chats.max_chats + 1)]
    assert chats.max_chats == 50
    # The first one made room; nothing was said in it, so that the journal has nothing either.
    assert place.ada.get(f"/chat/{begun[0].id}").status_code == 404
    assert all(chats.find(chat.id) is chat for chat in begun[1:])
    chats.runs.max_chars = 1
    address = begin(place.ada, LOOK)
    run = ended(place.ada, address)["run"]
    wait_until(lambda: place.ada.get(f"/chat/runs/{run}.json").status_code == 404)
    assert "Loden Day 12" in place.ada.get(address).text


def test_all_users_together_have_no_more_runs_than_the_server(shop: Shop, tmp_path: Path) -> None:
    with open_user_sites(shop, tmp_path, TalkingModel()) as sites:
        sites.max_running = 0
        chats = sites.find(ADA).chats
        assert chats is not None
        with pytest.raises(LimitReached):
            chats.say(chats.begin(), LOOK)


def test_a_question_of_another_is_not_there(place: Place) -> None:
    chats = place.sites.find(ADA).chats
    assert chats is not None
    agent = replace(chats.catalog_agent(chats.begin()), waits=True)
    agent.ask(BUY, journal=chats.journal)
    (asked,) = place.ada.get("/questions.json").json()["questions"]
    assert place.bob.get("/questions.json").json()["questions"] == []
    word = {"hash": asked["request_hash"], "word": "yes"}
    assert place.bob.post(f"/questions/{asked['id']}", data=word).status_code == 404
    assert place.bob.post(f"/questions/{asked['id']}/resume").status_code == 404
    assert place.ada.post(f"/questions/{asked['id']}", data=word).status_code == 200
    assert chats.journal is not None
    kept = chats.journal.question(asked["id"])
    assert kept is not None
    # Of who gave it.
    assert ADA in kept.by
