"""The doors put together: who is let in with each kind of access, and agents that hand over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.support.doors.serving import SAID, WORDS, agent_of, door, loop_of
from tests.support.web import load_shop, make_site

import restwright as rw
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.steps import Conclusion, Steps
from restwright.doors.agents import ManifestAgent, Turn
from restwright.doors.browsers import BrowserAccess
from restwright.doors.doors import (
    DoorAccess,
    DoorsBeside,
    create_app,
    create_doors,
    guard_doors,
    keep_open,
)
from restwright.events import AnswerEvent
from restwright.manifests.own.asking import AskedAgent
from restwright.manifests.own.manifest import Handoff, Manifest
from restwright.manifests.session.session import HandoffRequest
from restwright.net.secret import Secret
from restwright.web.app import create_app as create_pages
from restwright.web.app import guard_app

PORT = 8123
ASKED = {"model": "tv", "messages": [{"role": "user", "content": "?"}]}


async def verify(token: str) -> str | None:
    return "ada" if token == "of-ada" else None


OPEN = DoorAccess()
SHARED = DoorAccess(url="https://doors.example", token=Secret("shared-token"))
ISSUED = DoorAccess(
    url="https://doors.example", verify=verify, issuer="https://issuer.example", scopes=("use",)
)


def client_of(access: DoorAccess, host: str = f"127.0.0.1:{PORT}") -> TestClient:
    agent = door(agent_of(WORDS))
    app = create_app(create_doors(lambda: {agent.name: agent}))
    return TestClient(guard_doors(app, PORT, access), base_url=f"http://{host}")


@pytest.mark.parametrize(
    ("access", "host", "headers", "status"),
    [
        (OPEN, f"127.0.0.1:{PORT}", {}, 200),
        (OPEN, f"localhost:{PORT}", {}, 200),
        (OPEN, "doors.example", {}, 403),
        (OPEN, f"rebound.example:{PORT}", {}, 403),
        (OPEN, f"127.0.0.1:{PORT}", {"origin": "https://evil.example"}, 403),
        (OPEN, f"127.0.0.1:{PORT}", {"origin": f"http://127.0.0.1:{PORT + 1}"}, 403),
        (SHARED, "doors.example", {"authorization": "Bearer shared-token"}, 200),
        (SHARED, "doors.example", {"authorization": "Bearer shared-token2"}, 401),
        (SHARED, "doors.example", {}, 401),
        (SHARED, "evil.example", {"authorization": "Bearer shared-token"}, 403),
        (ISSUED, "doors.example", {"authorization": "Bearer of-ada"}, 200),
        (ISSUED, "doors.example", {"authorization": "Bearer of-eve"}, 401),
        (ISSUED, "doors.example", {}, 401),
        (
            ISSUED,
            "doors.example",
            {"authorization": "Bearer of-ada", "origin": "https://evil.example"},
            403,
        ),
    ],
)
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/models", "/ag-ui"])
def test_who_is_let_in(
    access: DoorAccess, host: str, headers: dict[str, str], status: int, path: str
) -> None:
    client = client_of(access, host)
    run = {"threadId": "t", "runId": "r", "messages": ASKED["messages"]}
    body = run if path == "/ag-ui" else ASKED
    method = "GET" if path == "/v1/models" else "POST"
    given = client.request(method, path, headers=headers, content=json.dumps(body))
    assert given.status_code == status
    if status != 200:
        assert given.json()["error"]["message"]


def test_who_has_no_token_is_told_where_to_get_one() -> None:
    client = client_of(ISSUED, "doors.example")
    where = "https://doors.example/.well-known/oauth-protected-resource"
    told = client.get("/v1/models").headers["www-authenticate"]
    assert told == f'Bearer resource_metadata="{where}", scope="use"'
    metadata = client.get("/.well-known/oauth-protected-resource").json()
    assert metadata["resource"] == "https://doors.example"
    assert metadata["authorization_servers"] == ["https://issuer.example"]


def test_a_body_may_not_be_endless() -> None:
    client = client_of(OPEN)
    for path in ("/v1/chat/completions", "/ag-ui"):
        assert client.post(path, content=b" " * 5_000_000).status_code == 413
        assert client.post(path, content=b"[" * 100_000).status_code == 400
        assert client.post(path, content=b"\xff").status_code == 400


def test_no_browser_takes_an_answer_for_a_page() -> None:
    with client_of(OPEN) as client:
        given = client.post("/v1/chat/completions", json=ASKED)
    assert given.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in given.headers["content-security-policy"]


# Manifests


def _handing_over(switch: Any) -> Any:
    def loop(agent: rw.Agent, question: str) -> Steps[Conclusion]:
        del agent
        yield from ()
        switch(HandoffRequest(agent="second", message=f"Go on with: {question}"))
        return Conclusion(text="")

    return loop


def _agents(folder: Path) -> ManifestAgent:
    second = Manifest(name="second", source=str(folder / "second"), folder=folder)
    file = folder / "second"
    handoff = Handoff(name="second", file=file, known={file: second})
    first = Manifest(name="first", source=str(folder / "first"), folder=folder, agents=(handoff,))

    def make(asked: AskedAgent, user: str, on_switch: Any) -> rw.Agent:
        assert user == "ada"
        is_first = asked.manifest.name == "first"
        return agent_of(kind=_handing_over(on_switch) if is_first else loop_of(WORDS))

    return ManifestAgent(name="first", manifest=first, make=make)


@pytest.mark.parametrize("is_kept", [False, True])
def test_an_agent_of_a_manifest_hands_over(tmp_path: Path, *, is_kept: bool) -> None:
    import asyncio

    async def run(turn: Turn) -> list[rw.Event]:
        return [event async for event in _agents(tmp_path).stream(turn)]

    with SQLiteJournal(tmp_path / "sessions.sqlite3") as journal:
        turn = Turn(user="ada", question="?", journal=journal if is_kept else None, thread="door-1")
        *_, ended = asyncio.run(run(turn))
        sessions = [summary.header.question for summary in journal.sessions()]
    assert isinstance(ended, AnswerEvent)
    assert ended.answer.text == SAID
    assert sorted(sessions) == (["?", "Go on with: ?"] if is_kept else [])


# Beside pages

KEY = {"authorization": "Bearer key-of-the-doors"}
OWN = f"http://127.0.0.1:{PORT}"


def _beside() -> tuple[TestClient, BrowserAccess]:
    """A browser that was let in to the pages of a server with doors."""
    agent = door(agent_of(WORDS))
    doors = create_doors(lambda: {agent.name: agent})
    browsers = BrowserAccess(cookie="c")
    pages = create_pages(make_site(load_shop()), running=lambda: keep_open(doors))
    access = DoorAccess(token=Secret("key-of-the-doors"))
    app = DoorsBeside(
        guard_app(pages, PORT, browsers),
        guard_doors(create_app(doors), PORT, access),
        doors.segments,
    )
    client = TestClient(app, base_url=OWN)
    client.get("/", params={"token": browsers.token})
    return client, browsers


@pytest.mark.parametrize("path", ["/v1/models", "/v1/chat/completions", "/ag-ui", "/ag-ui/tv"])
def test_the_cookie_of_a_page_opens_no_door(path: str) -> None:
    client, _ = _beside()
    assert client.get("/").status_code == 200
    method = "GET" if path == "/v1/models" else "POST"
    for headers in ({}, {"origin": OWN}):
        given = client.request(method, path, headers=headers, json=ASKED)
        assert given.status_code == 401
        assert given.json()["error"]["code"] == "invalid_api_key"
    assert client.get("/v1/models", params={"token": "x"}).status_code == 401
    assert client.get("/v1/models", headers=KEY).status_code == 200


def test_the_key_of_the_doors_opens_no_page_and_the_token_of_a_page_no_door() -> None:
    client, browsers = _beside()
    client.cookies.clear()
    for path in ("/", "/index.json", "/chat", "/usage", "/v2/models", "//v1/models", "/%2fv1"):
        assert client.get(path, headers=KEY).status_code == 401, path
    assert client.post("/chat", headers={**KEY, "origin": OWN}).status_code == 401
    token = browsers.token
    assert client.get("/v1/models", params={"token": token}).status_code == 401
    assert browsers.token == token
    bearer = {"authorization": f"Bearer {token}"}
    assert client.get("/v1/models", headers=bearer).status_code == 401


def test_a_page_of_another_origin_and_another_name_reach_neither() -> None:
    client, _ = _beside()
    for path in ("/", "/v1/models"):
        evil = {**KEY, "origin": "https://evil.test"}
        assert client.get(path, headers=evil).status_code == 403
        assert client.get(path, headers={**KEY, "host": f"evil.test:{PORT}"}).status_code == 403


def test_doors_beside_pages_answer_and_end_with_them() -> None:
    client, _ = _beside()
    with client:
        given = client.post("/v1/chat/completions", headers=KEY, json=ASKED)
        assert given.json()["choices"][0]["message"]["content"] == SAID
        assert client.get("/v1/unknown", headers=KEY).status_code == 404
        assert client.get("/v1/unknown").status_code == 401
