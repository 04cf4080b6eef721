"""`--trust-apis` of every command that takes it: a write to one API after another one was read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from restwright.testing import Reply, ScriptedModel

MANIFEST = """\
title: Both
agent: calling
apis:
  - {{document: things.yaml, alias: things, server: {server}}}
  - {{document: things.yaml, alias: others, server: {server}}}
samples: [Copy it.]
"""
READ = {"tool": "things__list_things", "arguments": {}}
WRITE = {"tool": "others__add_thing", "arguments": {"thing_id": 1}}
SELECTED = {"tools": [{"reason": "r", "name": each["tool"]} for each in (READ, WRITE)]}
ASKED = (["--yes"], ["GET"])
TRUSTED = (["--yes", "--trust-apis"], ["GET", "POST"])


def script(*, is_sent: bool) -> list[Reply]:
    return [
        ("selector", {**SELECTED, "answer": ""}),
        ("caller", {"calls": [READ]}),
        ("caller", {"calls": [WRITE]}),
        *([("caller", {"calls": []})] if is_sent else []),
        ("describer", {"answer": "That is how it ended."}),
    ]


@pytest.fixture
def asked(restwright, things: str, server, tmp_path: Path) -> Callable[..., Any]:
    """Run a command whose model has a script; a `MANIFEST` in it is the one above."""

    def run(*argv: str, model: ScriptedModel | None = None, stdin: str = "") -> Any:
        restwright.find_model(lambda *_: model or ScriptedModel([]))
        path = tmp_path / "both.yaml"
        path.write_text(MANIFEST.format(server=server.url), "utf-8")
        whole = [str(path) if each == "MANIFEST" else each for each in argv]
        if "MANIFEST" not in argv:
            for name in ("things", "others"):
                whole += ["-a", f"{name}={things}", "--server", f"{name}={server.url}"]
            whole += ["--agent", "calling"]
        return restwright(*whole, stdin=stdin)

    return run


@pytest.mark.parametrize(("options", "sent"), [ASKED, TRUSTED], ids=["asked about", "trusted"])
@pytest.mark.parametrize(
    "command", [("chat",), ("chat", "MANIFEST"), ("run", "MANIFEST"), ("test", "MANIFEST")]
)
def test_a_write_to_an_api_that_was_not_read_is_sent_where_what_apis_say_is_trusted(
    asked, server, command: tuple[str, ...], options: list[str], sent: list[str]
) -> None:
    model = ScriptedModel(script(is_sent="POST" in sent))
    text = ("Copy it.",) if command[0] == "run" else ()
    asked(*command, *text, *options, model=model, stdin="Copy it.\n")
    assert [each[0] for each in server.requests] == sent


@pytest.mark.parametrize(
    "command",
    [("chat",), ("chat", "MANIFEST"), ("run", "MANIFEST", "x"), ("test", "MANIFEST")],
)
def test_trust_without_yes_is_refused(asked, command: tuple[str, ...]) -> None:
    ended = asked(*command, "--trust-apis")
    assert (ended.code, ended.out) == (2, "")
    assert "give --yes too" in ended.err


def test_trust_stays_when_something_else_is_approved(asked, server) -> None:
    model = ScriptedModel(script(is_sent=True))
    ended = asked("chat", "--yes", "--trust-apis", model=model, stdin="/approve writes\nCopy it.\n")
    assert "is no reason to ask before a write to another one" in ended.out
    assert [each[0] for each in server.requests] == ["GET", "POST"]
