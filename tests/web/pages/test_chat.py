"""The addresses of a chat: pages and JSON, numbered streams, words given once, and what is kept."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient
from tests.support.web import open_pages
from tests.support.web_chat import (
    ASK,
    BUY,
    LOOK,
    ChatPlace,
    TalkingModel,
    begin,
    ended,
    open_chat,
    turn_of,
    wait_until,
)

from restwright.demo.server import Shop

ATTACK = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def run_of(place: ChatPlace, client: TestClient, address: str) -> Any:
    return place.chats.runs.find(turn_of(client, address)["run"])


def asked_of(place: ChatPlace, client: TestClient, address: str) -> Any:
    run = run_of(place, client, address)
    return run, wait_until(lambda: run.pending)


def give_word(client: TestClient, run: Any, asked: Any, **other: str) -> int:
    data = {"asked": asked.id, "hash": asked.hash, "word": "yes", **other}
    return client.post(f"/chat/runs/{run.id}/approval", data=data).status_code


def test_a_chat_has_its_answer_and_json_beside_it(client: TestClient) -> None:
    address = begin(client, LOOK)
    turn = ended(client, address)
    assert turn["stopped"] == "answered"
    assert [call["tool"] for call in turn["calls"]] == ["shop__list_products"]
    page = client.get(address).text
    assert "<td>Loden Day 12</td>" in page
    assert "def parse(data)" in page
    whole = client.get(f"{address}.json").json()
    assert (whole["model"], whole["is_running"]) == ("scripted", False)


def test_a_stream_is_numbered_ends_and_goes_on_from_a_number(client: TestClient) -> None:
    address = begin(client, LOOK)
    run = ended(client, address)["run"]
    stream = client.get(f"/chat/runs/{run}/events")
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert stream.text.endswith("event: done\ndata: -\n\n")
    number = int(re.findall(r"^id: (\d+)$", stream.text, re.MULTILINE)[-1])
    rest = client.get(f"/chat/runs/{run}/events", headers={"last-event-id": str(number)})
    assert rest.text == "event: done\ndata: -\n\n"
    kinds = [one["kind"] for one in client.get(f"/chat/runs/{run}.json").json()["records"]]
    assert kinds[-2:] == ["answer", "end"]
    assert "words" not in kinds


def test_a_write_is_sent_for_the_request_that_was_shown_and_once(
    place: ChatPlace, client: TestClient
) -> None:
    address = begin(client, BUY)
    run, asked = asked_of(place, client, address)
    page = client.get(address).text
    assert "from the response of shop__list_products" in page
    assert place.shop.token not in page
    assert give_word(client, run, asked, hash="0" * 64) == 422
    assert give_word(client, run, asked, word="perhaps") == 422
    assert give_word(client, run, asked) == 200
    assert give_word(client, run, asked) == 422
    turn = ended(client, address)
    assert [call["status"] for call in turn["calls"]] == [200, 201]
    assert place.shop.token not in client.get(f"/chat/runs/{run.id}.json").text


def test_what_is_not_allowed_is_not_sent(place: ChatPlace, client: TestClient) -> None:
    address = begin(client, BUY)
    run, asked = asked_of(place, client, address)
    give_word(client, run, asked, word="no")
    turn = ended(client, address)
    assert (turn["stopped"], len(turn["calls"])) == ("refused", 1)


def test_a_question_is_answered(place: ChatPlace, client: TestClient) -> None:
    address = begin(client, ASK)
    run, asked = asked_of(place, client, address)
    answer = {"asked": asked.id, "value": "green", "word": "yes"}
    assert client.post(f"/chat/runs/{run.id}/question", data=answer).status_code == 422
    client.post(f"/chat/runs/{run.id}/question", data={**answer, "value": "red"})
    assert ended(client, address)["answer"] == "So red."


def test_a_stopped_run_is_taken_up_where_it_was_also_by_another_process(
    shop: Shop, tmp_path: Path
) -> None:
    with open_chat(shop, tmp_path) as place, open_pages(place.site) as client:
        address = begin(client, BUY)
        run, _ = asked_of(place, client, address)
        client.post(f"/chat/runs/{run.id}/stop")
        session = ended(client, address)["session"]
        assert session
    with open_chat(shop, tmp_path) as place, open_pages(place.site) as client:
        page = client.get(address).text
        assert "Interrupted" in page
        assert "Take it up again" in page
        assert "GET /products" in page
        client.post(f"{address}/resume", data={"session": session})
        run, asked = asked_of(place, client, address)
        give_word(client, run, asked)
        turn = ended(client, address)
        assert (turn["stopped"], turn["session"]) == ("answered", session)


def test_a_chat_goes_on_from_an_earlier_turn(client: TestClient) -> None:
    address = begin(client, LOOK)
    ended(client, address)
    for _ in range(2):
        client.post(address, data={"text": LOOK})
        ended(client, address)
    assert client.post(f"{address}/back", data={"turn": "7"}).status_code == 422
    client.post(f"{address}/back", data={"turn": "1"})
    assert len(client.get(f"{address}.json").json()["turns"]) == 1


def test_a_second_message_waits_for_the_first(place: ChatPlace, client: TestClient) -> None:
    address = begin(client, BUY)
    asked_of(place, client, address)
    assert client.post(address, data={"text": LOOK}).status_code == 422
    part = client.post(address, data={"text": LOOK}, headers={"hx-request": "true"})
    assert "a message is worked on" in part.text


def test_sessions_are_listed_searched_exported_and_deleted(client: TestClient) -> None:
    address = begin(client, LOOK)
    ended(client, address)
    name = address.rpartition("/")[2]
    found = client.get("/sessions.json", params={"q": "BAGS which"}).json()["sessions"]
    assert [(one["id"], one["stopped"]) for one in found] == [(name, "answered")]
    assert client.get("/sessions.json", params={"q": "cameras"}).json()["sessions"] == []
    assert LOOK in client.get("/sessions").text
    lines = client.get(f"/sessions/{name}.jsonl").text.splitlines()
    assert json.loads(lines[0])["question"] == LOOK
    assert "Delete this chat?" in client.get(f"/sessions/{name}/delete").text
    client.post(f"/sessions/{name}/delete")
    assert client.get("/sessions.json").json()["sessions"] == []
    assert client.get(address).status_code == 404


def test_nothing_that_is_said_becomes_html(shop: Shop, tmp_path: Path) -> None:
    with (
        open_chat(shop, tmp_path, TalkingModel(ATTACK)) as place,
        open_pages(place.site) as client,
    ):
        address = begin(client, f"{LOOK}{ATTACK}")
        run, asked = asked_of(place, client, address)
        give_word(client, run, asked)
        run_name = ended(client, address)["run"]
        for text in (
            client.get(address).text,
            client.get(f"/chat/runs/{run_name}/events").text,
            client.get("/sessions").text,
        ):
            assert "<script>alert" not in text
            assert "<img src=x" not in text
            assert "&lt;script&gt;alert" in text


def test_what_is_not_there_is_said(client: TestClient) -> None:
    for address in (
        "/chat/nothing",
        "/chat/nothing.json",
        "/chat/runs/x/events",
        "/sessions/x.jsonl",
    ):
        assert client.get(address).status_code == 404
    assert client.post("/chat", data={"text": "  "}).status_code == 422
    assert client.post("/chat", data={"text": "x", "kind": "none"}).status_code == 422
    assert client.post("/chat", data={"text": "x", "speaker": "none"}).status_code == 422


def test_without_a_journal_chats_are_in_memory_alone(shop: Shop, tmp_path: Path) -> None:
    with (
        open_chat(shop, tmp_path, has_journal=False) as place,
        open_pages(place.site) as client,
    ):
        assert "Nothing is kept" in client.get("/chat").text
        address = begin(client, LOOK)
        ended(client, address)
        assert [one["is_kept"] for one in client.get("/sessions.json").json()["sessions"]] == [
            False
        ]
