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


ODD = """\
openapi: 3.1.0
info: {title: Odd, version: "1"}
servers: [{url: https://odd.test}]
paths:
  /a/{id}:
    get: {responses: {"200": {description: Fine.}}}
"""
PROPOSED = """\
overlay: 1.1.0
info:
  title: What Odd leaves open
  version: 1.0.0
extends: odd.yaml
actions:
  - target: $.paths['/a/{id}'].get
    update:
      operationId: a_by_id
      summary: 'TODO: say what GET /a/{id} does'
      parameters:
        - name: id
          in: path
          required: true
          description: 'TODO: say what it is'
          schema:
            type: string
"""


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    path = tmp_path / "odd.yaml"
    path.write_text(ODD, encoding="utf-8")
    return path


def test_fix_proposes_an_overlay_that_mends(restwright, odd, tmp_path):
    fix = tmp_path / "fix.yaml"
    ended = restwright("tools", str(odd), "--problems", "--fix", str(fix))
    assert ended.code == 0
    assert f"wrote {fix}: 1 operationId, 1 summary, 1 path parameter; apply it" in ended.err
    assert fix.read_text(encoding="utf-8") == PROPOSED
    after = restwright("tools", str(odd), "--problems", "--overlay", str(fix))
    assert (after.out, after.err) == ("", "no problems\n")


def test_fix_never_writes_over_a_file(restwright, odd, tmp_path):
    fix = tmp_path / "fix.yaml"
    fix.write_text("mine", encoding="utf-8")
    ended = restwright("tools", str(odd), "--problems", "--fix", str(fix))
    assert ended.code == 2
    assert fix.read_text(encoding="utf-8") == "mine"


def test_fix_is_for_one_document_and_for_problems(restwright, odd, tmp_path):
    fix = str(tmp_path / "fix.yaml")
    assert restwright("tools", str(odd), "--fix", fix).code == 2
    assert restwright("tools", str(odd), f"b={odd}", "--problems", "--fix", fix).code == 2


def test_fix_says_so_where_there_is_nothing_to_mend(restwright, things, tmp_path):
    fix = tmp_path / "fix.yaml"
    ended = restwright("tools", things, "--problems", "--fix", str(fix))
    assert "nothing that code can mend" in ended.err
    assert not fix.exists()
