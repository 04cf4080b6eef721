"""Open questions of the journal: of a run elsewhere, answered on the page, and gone on with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.support.web import open_pages
from tests.support.web_chat import ASK, BUY, ChatPlace, ended, open_chat

from restwright.agents.journal.store import Journal
from restwright.demo.server import Shop


def journal_of(place: ChatPlace) -> Journal:
    assert place.chats.journal is not None
    return place.chats.journal


def wait_elsewhere(place: ChatPlace, text: str) -> str:
    """A run of another process, as of a worker, that waits for a person; gives its session."""
    agent = place.chats.catalog_agent(place.chats.begin())
    answer = replace(agent, waits=True).ask(text, journal=journal_of(place))
    assert answer.stopped == "question"
    return answer.session


def test_exactly_what_would_be_sent_is_shown_and_the_run_goes_on_with_that(
    place: ChatPlace, client: TestClient
) -> None:
    session = wait_elsewhere(place, BUY)
    (asked,) = client.get("/questions.json").json()["questions"]
    page = client.get("/questions").text
    assert f"{place.shop.url}/cart/items" in page
    assert "quantity" in page
    assert place.shop.token not in page
    form = {"hash": asked["request_hash"], "word": "yes"}
    answered = client.post(f"/questions/{asked['id']}", data=form)
    assert "A worker that has this run goes on with it at once" in answered.text
    kept = journal_of(place).question(asked["id"])
    assert kept is not None
    assert (kept.answer, kept.by) == (True, place.site.person)
    chat = client.post(f"/questions/{asked['id']}/resume").url.path
    turn = ended(client, chat)
    assert turn["session"] == session
    assert [call["status"] for call in turn["calls"]] == [200, 201]
    assert client.get("/questions.json").json()["questions"] == []


@pytest.mark.parametrize(
    "change", [{"hash": "0" * 64}, {"hash": ""}, {"word": "perhaps"}, {"word": ""}]
)
def test_a_word_on_something_else_leaves_it_open(
    place: ChatPlace, client: TestClient, change: dict[str, str]
) -> None:
    wait_elsewhere(place, BUY)
    (asked,) = client.get("/questions.json").json()["questions"]
    form = {"hash": asked["request_hash"], "word": "yes", **change}
    assert client.post(f"/questions/{asked['id']}", data=form).status_code == 422
    assert client.get("/questions.json").json()["questions"] == [asked]
    evil = {"origin": "https://evil.test"}
    good = {"hash": asked["request_hash"], "word": "yes"}
    assert client.post(f"/questions/{asked['id']}", data=good, headers=evil).status_code == 403
    assert client.get("/questions.json").json()["questions"] == [asked]


def test_an_answer_counts_once(place: ChatPlace, client: TestClient) -> None:
    wait_elsewhere(place, BUY)
    (asked,) = client.get("/questions.json").json()["questions"]
    form = {"hash": asked["request_hash"], "word": "no"}
    assert client.post(f"/questions/{asked['id']}", data=form).status_code == 200
    again = client.post(f"/questions/{asked['id']}", data={**form, "word": "yes"})
    assert again.status_code == 422
    assert "was answered by" in again.text
    assert client.post("/questions/q-guessed", data=form).status_code == 404
    turn = ended(client, client.post(f"/questions/{asked['id']}/resume").url.path)
    assert turn["stopped"] == "refused"


def test_a_question_is_answered_by_what_fits_it(place: ChatPlace, client: TestClient) -> None:
    wait_elsewhere(place, ASK)
    (asked,) = client.get("/questions.json").json()["questions"]
    assert "<option>blue</option>" in client.get("/questions").text
    wrong = client.post(f"/questions/{asked['id']}", data={"hash": "", "value": "green"})
    assert wrong.status_code == 422
    assert client.post(f"/questions/{asked['id']}", data={"hash": "", "value": "blue"})
    turn = ended(client, client.post(f"/questions/{asked['id']}/resume").url.path)
    assert turn["answer"] == "So blue."


def test_a_page_to_read_allows_no_write_of_a_run_elsewhere(place: ChatPlace) -> None:
    wait_elsewhere(place, BUY)
    with open_pages(replace(place.site, can_write=False)) as client:
        (asked,) = client.get("/questions.json").json()["questions"]
        assert "Send this request" not in client.get("/questions").text
        form = {"hash": asked["request_hash"], "word": "yes"}
        refused = client.post(f"/questions/{asked['id']}", data=form)
        assert refused.status_code == 422
        assert "to read alone" in refused.text
        assert client.post(f"/questions/{asked['id']}", data={**form, "word": "no"}).is_success


def test_text_of_a_run_is_text(place: ChatPlace, client: TestClient) -> None:
    wait_elsewhere(place, f"{BUY}<script>alert(1)</script>")
    assert "<script>alert" not in client.get("/questions").text


def test_without_a_journal_no_run_waits(shop: Shop, tmp_path: Path) -> None:
    with open_chat(shop, tmp_path, has_journal=False) as place, open_pages(place.site) as client:
        assert client.get("/questions").status_code == 404
