"""What only the user knows: asked on the terminal, or written down in a file before."""

from __future__ import annotations

import json
import re
import sys
from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING

from typer import BadParameter

from restwright.cli.output import is_terminal, line_for, one_line, printable
from restwright.typing import Json, JsonObject, is_object

if TYPE_CHECKING:
    from restwright.agents.driving.human import Human
    from restwright.agents.steps import Answered, Question, Unanswered

_TRIES = 3
_SECRET = re.compile(r"(?i)passw|secret|token|api_?key|\bpin\b|credential")


def human_of(file: Path | None) -> Human:
    """
    Who answers: the file, then the person at the terminal, if there is one.

    Raises:
        BadParameter: The file cannot be read, or holds no JSON object.
    """
    from restwright.agents.driving.human import nobody, prepared

    otherwise = asked if is_terminal() else nobody
    return otherwise if file is None else prepared(_answers(file), otherwise)


def _answers(file: Path) -> JsonObject:
    try:
        answers: Json = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise BadParameter(f"--human {file}: {error.strerror}") from None
    except ValueError as error:
        raise BadParameter(f"--human {file}: it is no JSON ({error})") from None
    if not is_object(answers):
        raise BadParameter(f"--human {file}: a JSON object of answers by name is expected")
    return answers


def asked(question: Question) -> Answered | Unanswered:
    """Ask on standard error, a few times where an answer does not fit; an empty line is none."""
    from restwright.agents.driving.human import fits
    from restwright.agents.steps import Answered, Unanswered

    _print(question.text)
    read = _members if _is_form(question.schema) else _one
    for _ in range(_TRIES):
        value = read(question.schema or {})
        if value is None:
            break
        if fits(question, value):
            return Answered(value)
        _print("That does not fit.")
    return Unanswered(f"the user gave no answer to: {one_line(question.text)}")


def _is_form(schema: JsonObject | None) -> bool:
    return schema is not None and bool(schema.get("properties"))


def _members(schema: JsonObject) -> JsonObject | None:
    """One answer a property; None where none is given."""
    required = schema.get("required", ())
    found = {
        name: _one(each if is_object(each) else {}, name, is_needed=name in required)
        for name, each in schema["properties"].items()
    }
    given = {name: value for name, value in found.items() if value is not None}
    return given or None


def _one(schema: JsonObject, name: str = "", *, is_needed: bool = True) -> Json:
    is_secret = schema.get("format") == "password" or bool(_SECRET.search(name))
    choices = schema.get("enum")
    words = [name or "answer", str(schema.get("description", "")).partition("\n")[0]]
    label = ", ".join(filter(None, words))
    more = f" ({' | '.join(map(str, choices))})" if choices else "" if is_needed else " (optional)"
    line = _line(f"{label}{more}: ", is_secret=is_secret)
    return _value(line, schema) if line else None


def _line(prompt: str, *, is_secret: bool) -> str:
    if is_secret:
        try:
            return getpass(printable(prompt), stream=sys.stderr).strip()
        except EOFError:
            # Nothing is said, as where the others are asked.
            return ""
    return line_for(prompt)


def _value(line: str, schema: JsonObject) -> Json:
    """What was typed: text, where the schema takes text, else JSON."""
    named = {str(each): each for each in schema.get("enum", ())}
    if line in named:
        return named[line]
    if schema.get("type", "string") == "string":
        return line
    try:
        return json.loads(line)
    except ValueError:
        return line


def _print(text: str) -> None:
    print(printable(text), file=sys.stderr, flush=True)
