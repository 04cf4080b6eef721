"""`ask --share-limits`: what is asked of an API is known to all who share a database."""

from __future__ import annotations

import json

import psycopg
import pytest
from tests.support.authorization_server import CLIENT, SECRET, authorization_server
from tests.support.postgres import PASSWORD, find_programs, running_postgres

from restwright.testing import ScriptedModel

READ = {"tool": "things__list_things", "arguments": {}}
SCRIPT = [
    ("selector", {"tools": [{"reason": "r", "name": READ["tool"]}], "answer": ""}),
    ("caller", {"calls": [READ]}),
    ("caller", {"calls": []}),
    ("describer", {"answer": "One."}),
]


def test_a_journal_of_one_machine_shares_nothing(restwright, things, server, tmp_path) -> None:
    restwright.find_model(lambda *_: ScriptedModel(SCRIPT))
    place = f"sqlite:{tmp_path}/runs.sqlite3"
    api = ("-a", f"things={things}", "--server", server.url, "--journal", place)
    ended = restwright("ask", "What is there?", *api, "--share-limits")
    assert ended.code == 2
    assert "this journal is of one machine" in ended.err
    assert "--journal postgresql://HOST/DATABASE" in ended.err


def test_no_journal_shares_nothing(restwright, things, server) -> None:
    api = ("-a", f"things={things}", "--server", server.url, "--no-journal")
    ended = restwright("ask", "What is there?", *api, "--share-limits")
    assert ended.code == 2
    assert "--share-limits and --no-journal exclude each other" in ended.err


@pytest.mark.postgres
@pytest.mark.skipif(find_programs() is None, reason="there is no PostgreSQL on this machine")
def test_requests_and_tokens_are_shared_by_the_database(
    restwright, things, server, monkeypatch
) -> None:
    with running_postgres() as postgres, authorization_server() as logins:
        monkeypatch.setenv("JOURNAL", postgres.url())
        monkeypatch.setenv("JOURNAL_KEY", "00" * 32)
        monkeypatch.setenv("SECRET", SECRET)
        auth = f"oauth:{CLIENT},secret=env:SECRET,flow=client,token_url={logins.url}/token"
        api = ("-a", f"things={things}", "--server", server.url, "--auth", auth)
        place = ("--journal", "env:JOURNAL", "--share-limits", "--agent", "calling")
        key = ("--journal-key", "env:JOURNAL_KEY")

        def ask(*more: str):
            restwright.find_model(lambda *_: ScriptedModel(SCRIPT))
            ended = restwright("ask", "What is there?", *api, *place, *more)
            assert ended.code == 0, ended.err
            assert PASSWORD not in ended.out + ended.err
            return ended

        def rows(query: str) -> list[tuple[object, ...]]:
            with psycopg.connect(postgres.url()) as base:
                return base.execute(query.encode()).fetchall()

        assert "tokens of OAuth stay on this machine" in ask().err
        assert rows("select count(*) from restwright.tokens") == [(0,)]
        asked = "select last_number from restwright.origins where origin = "
        assert rows(f"{asked}'{server.url}'") == [(1,)]
        assert "tokens of OAuth" not in ask(*key).err
        # The token is in no file of the second one.
        restwright("cache", "clear")
        ask(*key)
        assert rows(f"{asked}'{server.url}'") == [(3,)]
        assert rows(f"{asked}'{logins.url}'") == [(2,)]
        assert logins.issued == 2
        kept = json.dumps(rows("select t::text from restwright.tokens t"))
        assert "sealed:" in kept
        assert "canary" not in kept
