"""The part of a call that the person at the terminal fills in."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass, field

import pytest
from typer import BadParameter

from restwright.agents.steps import NoAnswer, Question, UserAnswer
from restwright.cli.inputs.human import asked, human_of

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
DEFINITIONS = {
    "$defs": {
        "Count": {"type": "integer"},
        "Name": {"type": "string", "description": "Of whom."},
        "Size": {"enum": [1, 2], "description": "How large."},
    }
}
QUESTION = Question("shop__pay needs from you", "shop__pay", PAYMENT)


@dataclass(slots=True)
class Typed:
    """Secrets that are typed when they are asked for."""

    left: list[str]
    prompts: list[str] = field(default_factory=list[str])

    def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        return self.left.pop(0)


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch):
    """Type lines, and secrets that are not echoed."""

    def type_in(lines: str, *secrets: str) -> Typed:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        return Typed(list(secrets))

    return type_in


def test_each_input_is_asked_for_and_secrets_are_not_echoed(typed, capsys) -> None:
    secrets = typed('12\n["a"]\n\n007\n', "9876")
    assert asked(QUESTION, read_secret=secrets) == UserAnswer(
        {"pin": "9876", "amount": 12, "places": ["a"], "number": "007"}
    )
    assert secrets.prompts == ["pin, Of your card.: "]
    said = capsys.readouterr()
    assert said.out == ""
    assert "note (optional): " in said.err
    assert "9876" not in said.err


def test_what_does_not_fit_is_asked_for_again(typed, capsys) -> None:
    secrets = typed("x\n\n\n\n12\n\n\n\n", "1", "9876")
    assert asked(QUESTION, read_secret=secrets) == UserAnswer({"pin": "9876", "amount": 12})
    said = capsys.readouterr().err
    assert said.count("That does not fit.") == 1
    assert "\namount: expected an integer\n" in said
    assert "9876" not in said


def test_nothing_typed_is_no_answer(typed) -> None:
    answer = asked(QUESTION, read_secret=typed("\n\n\n\n", ""))
    assert answer == NoAnswer("the user gave no answer to: shop__pay needs from you")


@pytest.mark.parametrize(
    ("schema", "line", "value"),
    [
        (None, "as it is", "as it is"),
        ({"type": "integer"}, "7", 7),
        ({"type": ["string", "null"]}, "x", "x"),
        ({"enum": [1, "two"]}, "1", 1),
        ({"type": "boolean"}, "true", True),
        ({"type": ["string", "null"]}, "7", "7"),
        ({"type": ["integer", "null"]}, "7", 7),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "7", 7),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "007", "007"),
        ({"$ref": "#/$defs/Count", **DEFINITIONS}, "7", 7),
        ({"$ref": "#/$defs/Name", **DEFINITIONS}, "7", "7"),
        ({"$ref": "#/$defs/Size", **DEFINITIONS}, "2", 2),
        ({"type": "array"}, '["a"]', ["a"]),
        ({}, "7", "7"),
    ],
)
def test_an_answer_has_the_type_that_is_asked_for(typed, schema, line, value) -> None:
    typed(f"{line}\n")
    assert asked(Question("?", schema=schema)) == UserAnswer(value)


@pytest.mark.parametrize("is_nullable", [False, True])
def test_what_a_schema_refers_to_is_shown(typed, capsys, is_nullable) -> None:
    size: dict[str, object] = {"$ref": "#/$defs/Size"}
    size = {"anyOf": [size, {"type": "null"}]} if is_nullable else size
    schema = {"$ref": "#/$defs/Form"}
    form = {"type": "object", "properties": {"size": size, "name": {"$ref": "#/$defs/Name"}}}
    definitions = {**DEFINITIONS["$defs"], "Form": form}
    typed("2\nAda\n")
    question = Question("?", schema={**schema, "$defs": definitions})
    assert asked(question) == UserAnswer({"size": 2, "name": "Ada"})
    said = capsys.readouterr().err
    assert "size, How large. (1 | 2): " in said
    assert "name, Of whom. (optional): " in said


def test_a_reference_to_nowhere_is_asked_about_as_it_is(typed) -> None:
    typed("x\n")
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/None"}}}
    assert asked(Question("?", schema=schema)) == UserAnswer({"a": "x"})


def test_answers_that_are_nested_too_deep_are_refused(tmp_path) -> None:
    file = tmp_path / "answers.json"
    file.write_text("[" * 200_000, "utf-8")
    with pytest.raises(BadParameter, match="nested too deep"):
        human_of(file)


def test_what_a_document_says_cannot_drive_the_terminal(typed, capsys) -> None:
    typed("x\n")
    asked(Question("a\x1b[2Jb", schema={"type": "string", "description": "c\x1b[2J"}))
    assert "\x1b" not in capsys.readouterr().err


def test_the_end_of_the_input_at_a_secret_is_no_answer(typed) -> None:
    def ended(prompt: str) -> str:
        raise EOFError

    typed("\n\n\n\n")
    assert isinstance(asked(QUESTION, read_secret=ended), NoAnswer)
