"""The part of a call that the person at the terminal fills in."""

from __future__ import annotations

import io
import sys

import pytest

from restwright.agents.steps import Answered, Question, Unanswered
from restwright.cli import human
from restwright.cli.human import asked

PAYMENT = {
    "type": "object",
    "properties": {
        "pin": {"type": "string", "minLength": 4, "description": "Of your card."},
        "amount": {"type": "integer"},
        "places": {"type": "array", "items": {"type": "string"}},
        "note": {"type": "string"},
        "number": {"type": "string"},
    },
    "required": ["pin", "amount"],
    "additionalProperties": False,
}
QUESTION = Question("shop__pay needs from you", "shop__pay", PAYMENT)


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch):
    """Type lines, and secrets that are not echoed."""

    def type_in(lines: str, *secrets: str) -> list[str]:
        left, prompts = list(secrets), list[str]()

        def hidden(prompt: str, stream: object) -> str:
            del stream
            prompts.append(prompt)
            return left.pop(0)

        monkeypatch.setattr(human, "getpass", hidden)
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        return prompts

    return type_in


def test_each_input_is_asked_for_and_secrets_are_not_echoed(typed, capsys) -> None:
    prompts = typed('12\n["a"]\n\n007\n', "9876")
    assert asked(QUESTION) == Answered(
        {"pin": "9876", "amount": 12, "places": ["a"], "number": "007"}
    )
    assert prompts == ["pin, Of your card.: "]
    said = capsys.readouterr()
    assert said.out == ""
    assert "note (optional): " in said.err
    assert "9876" not in said.err


def test_what_does_not_fit_is_asked_for_again(typed, capsys) -> None:
    typed("x\n\n\n\n12\n\n\n\n", "1", "9876")
    assert asked(QUESTION) == Answered({"pin": "9876", "amount": 12})
    assert capsys.readouterr().err.count("That does not fit.") == 1


def test_nothing_typed_is_no_answer(typed) -> None:
    typed("\n\n\n\n", "")
    assert asked(QUESTION) == Unanswered("the user gave no answer to: shop__pay needs from you")


@pytest.mark.parametrize(
    ("schema", "line", "value"),
    [
        (None, "as it is", "as it is"),
        ({"type": "integer"}, "7", 7),
        ({"type": ["string", "null"]}, "x", "x"),
        ({"enum": [1, "two"]}, "1", 1),
        ({"type": "boolean"}, "true", True),
    ],
)
def test_an_answer_has_the_type_that_is_asked_for(typed, schema, line, value) -> None:
    typed(f"{line}\n")
    assert asked(Question("?", schema=schema)) == Answered(value)


def test_what_a_document_says_cannot_drive_the_terminal(typed, capsys) -> None:
    typed("x\n")
    asked(Question("a\x1b[2Jb", schema={"type": "string", "description": "c\x1b[2J"}))
    assert "\x1b" not in capsys.readouterr().err


def test_the_end_of_the_input_at_a_secret_is_no_answer(typed, monkeypatch) -> None:
    def ended(prompt: str, stream: object) -> str:
        raise EOFError

    typed("\n\n\n\n")
    monkeypatch.setattr(human, "getpass", ended)
    assert isinstance(asked(QUESTION), Unanswered)
