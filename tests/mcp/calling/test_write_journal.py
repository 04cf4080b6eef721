"""A write that went out is never unreported: it is kept before it is sent, and told of after."""

from __future__ import annotations

import json
import os
import socket
import threading
from typing import Any

import anyio
import pytest
from tests.support.mcp.over_stdio import over_stdio, wait_until
from tests.support.mcp.serving import Person, call, connected, serving_api, texts, until

from restwright.agents.journal.sqlite import SQLiteJournal
from restwright.agents.journal.store import Journal
from restwright.calls.approval.policy import ALLOW, Policy
from restwright.calls.auth.connection import Connection
from restwright.calls.response.result import EFFECT_NOTES

pytestmark = pytest.mark.process

SLOW = "tricky__slow"
SLOW_WRITES = Policy(default="allow", tools={SLOW: "write"})


@pytest.fixture
def journal(tmp_path):
    with SQLiteJournal(tmp_path / "sessions.sqlite3") as opened:
        yield opened


def kept(journal: Journal) -> list[tuple[str, Any]]:
    (session,) = journal.sessions()
    return [(entry.event, entry.data) for entry in journal.events(session.id)]


def test_a_write_is_kept_with_what_came_of_it(api, tmp_path, era, journal):
    served = serving_api(api, tmp_path, journal=journal)

    async def run():
        async with connected(served, era, Person()) as client:
            await client.call_tool("tricky__listNodes", {})
            return await client.call_tool("tricky__deleteNode", {"id": "7"})

    assert not anyio.run(run).is_error
    served.built.close()
    (_, step), (_, sent), (_, outcome) = kept(journal)
    assert (step["tool"], sent["arguments"]) == ("tricky__deleteNode", {"id": "7"})
    assert outcome["effect"] == "done"
    (session,) = journal.sessions()
    assert (session.header.agent, session.stopped) == ("mcp serve", "ended")


def test_of_what_is_not_sent_nothing_is_kept(api, tmp_path, era, journal):
    served = serving_api(api, tmp_path, journal=journal)

    async def run():
        async with connected(served, era) as client:
            await client.call_tool("tricky__deleteNode", {"id": "7"})
            await client.call_tool("tricky__deleteNode", {})

    anyio.run(run)
    assert journal.sessions() == ()


def test_a_write_that_is_given_up_is_told_of_with_the_next_call(api, tmp_path, era, journal):
    served = serving_api(api, tmp_path, journal=journal, policy=SLOW_WRITES)

    async def run():
        async with connected(served, era) as client:
            with anyio.move_on_after(0.5):
                await client.call_tool(SLOW, {})
            await until(lambda: api.gone)
            return [await client.call_tool("tricky__listNodes", {}) for _ in range(2)]

    first, second = anyio.run(run)
    served.built.close()
    assert f"an earlier call of {SLOW}: it was sent" in texts(first)[-1]
    assert len(texts(second)) == 1


def test_a_killed_server_leaves_no_write_unreported(api, tmp_path):
    document = api.write(tmp_path)
    begin = (
        str(document),
        "--server",
        api.url,
        "--yes",
        "--class",
        "slow=write",
        "--expose",
        "all",
    )
    state = {"XDG_STATE_HOME": str(tmp_path / "state"), "HOME": os.environ["HOME"]}
    call = {"name": SLOW, "arguments": {}}
    with over_stdio(*begin, **state) as spoken:
        spoken.begin()
        spoken.send({"id": 9, "method": "tools/call", "params": call})
        wait_until(lambda: api.seen)
        spoken.process.kill()
        spoken.wait()
    with over_stdio(*begin, **state) as spoken:
        spoken.begin()
        params = {"name": "tricky__listNodes", "arguments": {}}
        told = [spoken.ask("tools/call", params)["result"]["content"] for _ in range(2)]
        assert spoken.process.stdin is not None
        spoken.process.stdin.close()
        assert spoken.wait() == 0
        assert spoken.process.stderr is not None
        assert f"{SLOW} of an earlier server" in spoken.process.stderr.read().decode()
    assert f"an earlier call of {SLOW}" in told[0][-1]["text"]
    assert json.dumps(told[1]).count("earlier") == 0
    with SQLiteJournal(next((tmp_path / "state").rglob("sessions.sqlite3"))) as journal:
        (session,) = journal.sessions()
    assert session.stopped == "ended"


def test_an_api_that_is_gone_leaves_no_write_unreported(api, tmp_path, era, journal):
    """It takes a request in, and is killed before it answers."""
    with socket.create_server(("127.0.0.1", 0)) as dying:

        def die() -> None:
            while True:
                try:
                    connection, _ = dying.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65_536)

        thread = threading.Thread(target=die, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{dying.getsockname()[1]}"
        served = serving_api(
            api, tmp_path, connection=Connection(server=url), policy=ALLOW, journal=journal
        )
        result = call(served, era, "tricky__putNode", {"id": "7", "body_id": 1})
        served.built.close()
        dying.shutdown(socket.SHUT_RDWR)
    assert result.is_error
    assert EFFECT_NOTES["unknown"] in texts(result)[0]
    assert kept(journal)[-1][1]["effect"] == "unknown"
