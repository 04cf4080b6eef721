"""The doors put together: who is let in with each kind of access, and agents that hand over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.support.doors.serving import SAID, WORDS, agent_of, door, loop_of

import restwright as rw
from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.steps import Conclusion, Steps
from restwright.doors.agents import ManifestAgent, Turn
from restwright.doors.doors import DoorAccess, create_app, create_doors, guard_doors
from restwright.events import AnswerEvent
from restwright.manifests.own.asking import AskedAgent
from restwright.manifests.own.manifest import Handoff, Manifest
from restwright.manifests.session.session import HandoffRequest
from restwright.net.secret import Secret

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
