"""`restwright.lock` on the command line, and `index` with all that it says."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, things):
    monkeypatch.chdir(tmp_path)
    return tmp_path


DOC = "things.yaml"


def change(what: str, into: str) -> None:
    path = Path(DOC)
    path.write_text(path.read_text(encoding="utf-8").replace(what, into), encoding="utf-8")


def test_nothing_is_written_unless_it_is_asked_for(restwright, folder):
    assert restwright("index", DOC).code == 0
    assert not (folder / "restwright.lock").exists()


def test_update_writes_a_lock_and_again_changes_nothing(restwright, folder):
    ended = restwright("index", DOC, "--update")
    text = (folder / "restwright.lock").read_text(encoding="utf-8")
    assert ended.code == 0
    assert "restwright.lock is written, 1 difference accepted" in ended.err
    assert text.count('\n"') == 3
    restwright("index", DOC, "--update")
    assert (folder / "restwright.lock").read_text(encoding="utf-8") == text
    assert "all as locked in restwright.lock" in restwright("index", DOC).err


def test_every_command_keeps_the_locked_names(restwright):
    restwright("index", DOC, "--update")
    change("operationId: get_thing", "operationId: fetch_thing")
    change("title: Things", "title: Gadgets")
    assert "things__get_thing\t" in restwright("tools", DOC).out
    assert restwright("show", DOC, "get_thing").code == 0
    assert restwright("check", DOC, "get_thing", '{"thing_id": 1}').code == 0


def test_a_changed_operation_is_told_by_every_command_and_refused_under_locked(restwright):
    restwright("index", DOC, "--update")
    change("summary: One thing.", "summary: Another thing.")
    assert "1 operation not as locked in restwright.lock" in restwright("tools", DOC).err
    said = restwright("index", DOC)
    assert (said.code, said.err.splitlines()[-2:]) == (
        0,
        [
            "things__get_thing: /description changed",
            "1 difference to restwright.lock; accept by --update",
        ],
    )
    refused = restwright("call", DOC, "get_thing", '{"thing_id": 7}', "--locked", "--json")
    assert refused.code == 1
    assert refused.json["error"]["code"] == "drifted"
    assert "things__get_thing: /description changed" in refused.json["error"]["message"]
    restwright("index", DOC, "--update")
    assert restwright("check", DOC, "get_thing", '{"thing_id": 7}', "--locked").code == 0


def test_the_index_as_json_has_every_difference(restwright):
    restwright("index", DOC, "--update")
    change("summary: One thing.", "summary: Another thing.")
    whole = restwright("index", DOC, "--json").json
    assert set(whole) == {"namespaces", "total", "hash", "lock"}
    assert whole["lock"] == {
        "path": "restwright.lock",
        "drifts": [
            {
                "kind": "changed",
                "name": "things__get_thing",
                "operation": "get /things/{thing_id}",
                "changed": ["/description"],
                "added": [],
                "removed": [],
            }
        ],
    }
    assert restwright("index", DOC, "--update", "--json").json["lock"]["accepted"]


def test_a_lock_may_be_elsewhere_and_one_that_is_missing_is_a_usage_error(restwright):
    restwright("index", DOC, "--update", "--lock", "our.lock")
    assert restwright("tools", DOC, "--lock", "our.lock", "--locked").code == 0
    for options in (("--locked",), ("--lock", "no.lock")):
        ended = restwright("tools", DOC, *options)
        assert (ended.code, ended.out) == (2, "")
        assert "restwright index DOC... --update" in ended.err
    assert restwright("index", DOC, "--update", "--locked").code == 2


def test_a_broken_lock_is_one_line_with_its_place(restwright, folder):
    (folder / "restwright.lock").write_text("version = 1\nnonsense\n", encoding="utf-8")
    ended = restwright("tools", DOC)
    assert (ended.code, len(ended.err.splitlines())) == (1, 1)
    assert "restwright.lock, line 2" in ended.err


def test_an_api_that_is_not_locked_is_refused_only_under_locked(restwright):
    restwright("index", DOC, "--update")
    Path("other.yaml").write_text(
        "openapi: 3.1.0\ninfo: {title: Other}\npaths: {/a: {get: {}}}\n", encoding="utf-8"
    )
    ended = restwright("tools", "other.yaml")
    assert (ended.code, "locked" in ended.err) == (0, False)
    assert restwright("tools", "other.yaml", "--locked").code == 1


def test_the_index_measures_when_asked_to(restwright):
    entry = restwright("index", DOC, "--measure", "--json").json["namespaces"]["things"]
    assert entry["tokens"] == entry["characters"] // 4
    assert entry["problems"] == 1
    assert restwright("index", DOC, "--measure").out.split("\t")[4] == str(entry["characters"])


def test_calls_are_counted_when_asked_to_and_hold_no_arguments(restwright, server, home):
    call = ("call", DOC, "get_thing", '{"thing_id": 7}', "--server", server.url)
    restwright(*call)
    assert "nothing was counted yet" in restwright("index", DOC, "--usage").err
    restwright(*call, "--count")
    restwright("call", DOC, "get_thing", '{"thing_id": "7"}', "--server", server.url, "--count")
    restwright("call", DOC, "get_thing", '{"thing_id": 500}', "--server", server.url, "--count")
    restwright("call", DOC, "get_thing", "{}", "--server", server.url, "--count")
    usage = restwright("index", DOC, "--usage", "--json").json["usage"]
    assert usage == {
        "tools": [
            {
                "tool": "things__get_thing",
                "offered": 0,
                "called": 4,
                "failed": 2,
                "mismatched": 1,
                "repaired": 1,
            }
        ],
        "advice": [],
    }
    assert "things__get_thing\t0\t4\t2\t1\t1" in restwright("index", DOC, "--usage").out
    (kept,) = (each for each in home.rglob("usage.sqlite3"))
    assert b"thing_id" not in kept.read_bytes()
