"""`--overlay` on the commands that take documents."""

from __future__ import annotations

from pathlib import Path

import pytest

MEND = """\
overlay: 1.1.0
info: {title: Mended, version: "1"}
actions:
- target: $.paths['/things'].post
  remove: true
- target: $.paths['/things'].get
  update: {summary: Everything there is.}
"""


@pytest.fixture
def mend(tmp_path: Path) -> str:
    path = tmp_path / "mend.yaml"
    path.write_text(MEND, encoding="utf-8")
    return str(path)


def test_an_overlay_hides_and_describes(restwright, things, mend):
    ended = restwright("tools", things, "--overlay", mend)
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "things__get_thing\tGET\t/things/{thing_id}\tOne thing.",
        "things__list_things\tGET\t/things\tEverything there is.",
    ]


@pytest.mark.parametrize("command", ["upgrade", "show", "check", "search", "index"])
def test_every_command_that_reads_a_document_takes_it(restwright, things, mend, command):
    more = {
        "upgrade": (things,),
        "show": (things, "list_things"),
        "check": (things, "list_things", "{}"),
        "search": ("everything", things),
        "index": (things,),
    }[command]
    plain, changed = (
        restwright(command, *more, *option, "--json") for option in ((), ("--overlay", mend))
    )
    assert changed.code == 0
    assert (plain.out != changed.out) == (command != "check")


def test_overlays_are_applied_in_their_order(restwright, things, mend, tmp_path):
    second = tmp_path / "second.yaml"
    second.write_text(MEND.replace("Everything there is", "Last"), encoding="utf-8")
    ended = restwright("tools", things, "--overlay", mend, "--overlay", str(second))
    assert "Last." in ended.out
    # The first has taken out what the second would take out.
    assert f"warning: {second}#/actions/0: the target" in ended.err


def test_an_alias_says_which_document_is_meant(restwright, things, mend):
    two = (f"a={things}", f"b={things}")
    ended = restwright("tools", *two, "--overlay", f"b={mend}")
    assert "a__add_thing" in ended.out
    assert "b__add_thing" not in ended.out
    refused = restwright("tools", *two, "--overlay", mend)
    assert refused.code == 2
    assert "--overlay needs the ALIAS= of its document" in refused.err


def test_an_overlay_that_is_none_is_one_line(restwright, things):
    ended = restwright("tools", things, "--overlay", things)
    assert ended.code == 1
    assert ended.err.startswith(f"error: {things} is no overlay that can be applied: it has no")
    missing = restwright("tools", things, "--overlay", "nowhere.yaml")
    assert missing.err == "error: cannot read nowhere.yaml: there is no such file\n"


def test_what_an_overlay_could_not_do_is_said_and_listed(restwright, things, tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(MEND.replace("remove: true", "update: [1]"), encoding="utf-8")
    ended = restwright("tools", things, "--overlay", str(path))
    assert f"error: {path}#/actions/0: /paths/~1things/post is an object, with" in ended.err
    assert restwright("tools", things, "--overlay", str(path), "-q").err == ""
    listed = restwright("tools", things, "--overlay", str(path), "--problems")
    assert listed.code == 1
    assert f"{path}#/actions/0" in listed.out
