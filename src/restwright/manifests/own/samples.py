"""What a sample of a manifest led to, against what it must lead to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from restwright.agents.steps import Answer, CallRecord
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.manifests.own.manifest import Expected, ExpectedCall, SampleOf
from restwright.manifests.text.schema_check import validator

_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """
    One sample that was run.

    Args:
        failures: What is not as it must be, a line each; empty where all is well.
    """

    sample: SampleOf
    answer: Answer
    failures: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether all is as it must be."""
        return not self.failures

    def record(self) -> JsonObject:
        """Return it as a JSON object."""
        return {
            "name": self.sample.name,
            "text": self.sample.text,
            "ok": self.ok,
            "failures": list(self.failures),
            "calls": [
                {"tool": each.tool, "arguments": each.arguments, "status": each.status}
                for each in self.answer.calls
            ],
            "answer": self.answer.text,
            "stopped": self.answer.stopped,
        }


def tested(sample: SampleOf, answer: Answer) -> Tested:
    """Compare an answer with what the sample says of it."""
    expected = sample.expected
    failures = [
        *_of_end(expected, answer),
        *_of_calls(expected, answer.calls),
        *_of_text(expected, answer.text),
    ]
    return Tested(sample=sample, answer=answer, failures=tuple(failures))


def _of_end(expected: Expected, answer: Answer) -> list[str]:
    if answer.stopped == expected.stopped:
        return []
    why = f" ({answer.reason})" if answer.reason else ""
    return [f"the run ended with {answer.stopped}{why}, not with {expected.stopped}"]


def _of_calls(expected: Expected, calls: Sequence[CallRecord]) -> list[str]:
    found: list[str] = []
    left = list(calls)
    for number, each in enumerate(expected.calls, 1):
        at = next((index for index, call in enumerate(left) if _is(each, call)), None)
        if at is None:
            found.append(f"call {number} was not made: {_shown(each)}; {_made(each, calls)}")
        else:
            # What comes next must have been called later.
            del left[: at + 1]
    forbidden = [
        f"{pattern} was called, which must not be"
        for pattern in expected.no_calls
        if any(_is_named(call.tool, pattern) for call in calls)
    ]
    return found + forbidden


def _is(expected: ExpectedCall, call: CallRecord) -> bool:
    if not _is_named(call.tool, expected.tool) or not holds(call.arguments, expected.arguments):
        return False
    if expected.schema is None:
        return True
    return validator(expected.schema).is_valid(call.arguments)


def _is_named(tool: str, pattern: str) -> bool:
    return fnmatchcase(tool, pattern) or fnmatchcase(tool.partition("__")[2], pattern)


def holds(value: Json, part: Json) -> bool:
    """Whether `value` is `part`, or an object that has its members, and so on within."""
    if is_object(part):
        return is_object(value) and all(
            name in value and holds(value[name], each) for name, each in part.items()
        )
    if is_array(part):
        is_alike = is_array(value) and len(value) == len(part)
        return is_alike and all(map(holds, value, part))
    return value == part and isinstance(value, bool) == isinstance(part, bool)


def _shown(expected: ExpectedCall) -> str:
    given = json.dumps(expected.arguments, ensure_ascii=False) if expected.arguments else ""
    fitting = " with arguments of its schema" if expected.schema is not None else ""
    return f"{expected.tool} {given}".strip() + fitting


def _made(expected: ExpectedCall, calls: Sequence[CallRecord]) -> str:
    """What was called in its place."""
    alike = [each for each in calls if _is_named(each.tool, expected.tool)]
    if not alike:
        names = ", ".join(dict.fromkeys(each.tool for each in calls))
        return f"called: {names or 'nothing'}"
    given = json.dumps(alike[-1].arguments, ensure_ascii=False)
    return f"it was called with {given[:_SHOWN]}"


def _of_text(expected: Expected, text: str) -> list[str]:
    folded = text.casefold()
    shown = " ".join(text.split())[:_SHOWN]
    found = [
        f"the answer does not hold {each!r}: {shown}"
        for each in expected.contains
        if each.casefold() not in folded
    ]
    found += [
        f"the answer holds {each!r}: {shown}"
        for each in expected.excludes
        if each.casefold() in folded
    ]
    if expected.matches and not _fits(text, expected.matches):
        found.append(f"the answer does not fit {expected.matches!r}: {shown}")
    return found


def _fits(text: str, pattern: str) -> bool:
    return validator({"pattern": pattern}).is_valid(text)
