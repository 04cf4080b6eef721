"""What only the user knows: asked on the terminal, or written down in a file before."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from getpass import getpass, getuser
from pathlib import Path
from typing import TYPE_CHECKING

from typer import BadParameter

from restwright.cli.render.output import is_terminal, line_for, one_line, printable
from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.net.secret_names import is_hidden_input_name

if TYPE_CHECKING:
    from restwright.agents.runtime.human_input import Human
    from restwright.agents.steps import NoAnswer, Question, UserAnswer

_TRIES = 3
_MOST_TOLD = 5


def human_of(file: Path | None, *, is_alone: bool = False) -> Human:
    """
    Who answers: the file, then the person at the terminal, if there is one.

    Args:
        is_alone: Whether nobody at a terminal is asked.

    Raises:
        BadParameter: The file cannot be read, or holds no JSON object.
    """
    from restwright.agents.runtime.human_input import human_from_answers, no_human

    otherwise = asked if is_terminal() and not is_alone else no_human
    return otherwise if file is None else human_from_answers(_answers(file), otherwise)


def human_of_test(file: Path | None) -> Human:
    """
    Who answers in a test: the file, and without one nobody, since what a test takes is said before.

    Raises:
        BadParameter: As `human_of()`.
    """
    from restwright.agents.runtime.human_input import no_human

    return no_human if file is None else human_of(file)


def _answers(file: Path) -> JsonObject:
    try:
        answers: Json = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise BadParameter(f"--human {file}: {error.strerror}") from None
    except ValueError as error:
        raise BadParameter(f"--human {file}: it is no JSON ({error})") from None
    except RecursionError:
        raise BadParameter(f"--human {file}: it is nested too deep") from None
    if not is_object(answers):
        raise BadParameter(f"--human {file}: a JSON object of answers by name is expected")
    return answers


def read_hidden(prompt: str) -> str:
    """Ask on standard error for what is not echoed."""
    return getpass(prompt, stream=sys.stderr)


def asked(
    question: Question, *, read_secret: Callable[[str], str] = read_hidden
) -> UserAnswer | NoAnswer:
    """Ask on standard error, a few times where an answer does not fit; an empty line is none."""
    from restwright.agents.runtime.human_input import is_fitting_answer
    from restwright.agents.steps import NoAnswer, UserAnswer

    _print(question.text)
    asking = _Asking(question.schema or {}, read_secret)
    for _ in range(_TRIES):
        value = asking.answer()
        if value is None:
            break
        if is_fitting_answer(question, value):
            return UserAnswer(value)
        _print(_what_would(question, value))
    return NoAnswer(f"the user gave no answer to: {one_line(question.text)}")


def _what_would(question: Question, value: Json) -> str:
    """What fits in the place of `value`, which is not repeated: it may be a secret."""
    from restwright.calls.arguments.check import check_value

    lines = ["That does not fit."]
    for mismatch in check_value(question.schema or {}, value)[:_MOST_TOLD]:
        place = f"{mismatch.pointer[1:]}: " if mismatch.pointer else ""
        lines.append(one_line(f"{place}expected {mismatch.expected}"))
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Asking:
    """Asks for what a schema describes; `$defs` beside it holds what it refers to."""

    schema: JsonObject
    read_secret: Callable[[str], str]

    def answer(self) -> Json:
        """The members of an object one by one, else one value; None where none is given."""
        shown = self._effective_schema(self.schema)
        return self._ask_members(shown) if shown.get("properties") else self._ask_value(self.schema)

    def _ask_members(self, schema: JsonObject) -> JsonObject | None:
        required = schema.get("required", ())
        found = {
            name: self._ask_value(each if is_object(each) else {}, name, is_needed=name in required)
            for name, each in schema["properties"].items()
        }
        given = {name: value for name, value in found.items() if value is not None}
        return given or None

    def _ask_value(self, schema: JsonObject, name: str = "", *, is_needed: bool = True) -> Json:
        shown = self._effective_schema(schema)
        is_secret = shown.get("format") == "password" or is_hidden_input_name(name)
        choices = shown.get("enum")
        words = [name or "answer", str(shown.get("description", "")).partition("\n")[0]]
        label = ", ".join(filter(None, words))
        one_of = f" ({' | '.join(map(str, choices))})" if choices else ""
        more = one_of or ("" if is_needed else " (optional)")
        prompt = f"{label}{more}: "
        line = self._secret(prompt) if is_secret else line_for(prompt)
        return self._parse_value(line, schema) if line else None

    def _secret(self, prompt: str) -> str:
        try:
            return self.read_secret(printable(prompt)).strip()
        except EOFError:
            # Nothing is said, as where the others are asked.
            return ""

    def _parse_value(self, line: str, schema: JsonObject) -> Json:
        """What was typed: the first of a choice, text and JSON that the schema takes."""
        shown = self._effective_schema(schema)
        named = {str(item): item for item in shown.get("enum", ())}
        if line in named:
            return named[line]
        readings = [line, *_from_json(line)]
        is_text = shown.get("type", "string") == "string"
        otherwise = readings[0 if is_text else -1]
        return next((reading for reading in readings if self._is_valid(schema, reading)), otherwise)

    def _is_valid(self, schema: JsonObject, value: Json) -> bool:
        from restwright.calls.arguments.check import check_value

        definitions = {"$defs": self.schema["$defs"]} if "$defs" in self.schema else {}
        return not check_value({**schema, **definitions}, value)

    def _effective_schema(self, schema: JsonObject) -> JsonObject:
        """What a schema says, with what it refers to, be it that or null."""
        own = self._dereference(schema)
        others = [branch for branch in own.get("anyOf", ()) if branch != {"type": "null"}]
        return {**self._dereference(others[0]), **own} if len(others) == 1 else own

    def _dereference(self, schema: Json) -> JsonObject:
        from restwright.openapi.references import dereference_node

        try:
            end = dereference_node(self.schema, schema)
        except UnresolvedReference:
            end = None
        return {**(end if is_object(end) else {}), **(schema if is_object(schema) else {})}


def _from_json(line: str) -> tuple[Json, ...]:
    try:
        return (json.loads(line),)
    except (ValueError, RecursionError):
        return ()


def _print(text: str) -> None:
    print(printable(text), file=sys.stderr, flush=True)


def find_person() -> str:
    """The name of the user of this machine."""
    try:
        return getuser()
    except (KeyError, OSError):
        # An account without a name, as in a container.
        return f"uid {os.getuid()}"
