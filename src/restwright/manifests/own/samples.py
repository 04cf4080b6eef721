"""What a sample of a manifest led to, against what it must lead to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from restwright.agents.steps import Answer, CallRecord
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.manifests.own.manifest import Expectation, ExpectedCall, SampleTest
from restwright.manifests.text.schema_check import make_validator

_MAX_SHOWN_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleResult:
    """
    One sample that was run.

    Args:
        failures: What is not as it must be, a line each; empty where all is well.
    """

    sample: SampleTest
    answer: Answer
    failures: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether all is as it must be."""
        return not self.failures

    def to_json(self) -> JsonObject:
        """Return it as a JSON object."""
        return {
            "name": self.sample.name,
            "text": self.sample.text,
            "ok": self.ok,
            "failures": list(self.failures),
            "calls": [
                {"tool": call.tool, "arguments": call.arguments, "status": call.status}
                for call in self.answer.calls
            ],
            "answer": self.answer.text,
            "stopped": self.answer.stopped,
        }


def check_sample(sample: SampleTest, answer: Answer) -> SampleResult:
    """Compare an answer with what the sample says of it."""
    expected = sample.expected
    failures = [
        *_check_end(expected, answer),
        *_check_calls(expected, answer.calls),
        *_check_text(expected, answer.text),
    ]
    return SampleResult(sample=sample, answer=answer, failures=tuple(failures))


def _check_end(expected: Expectation, answer: Answer) -> list[str]:
    if answer.stopped == expected.stopped:
        return []
    why = f" ({answer.reason})" if answer.reason else ""
    return [f"the run ended with {answer.stopped}{why}, not with {expected.stopped}"]


def _check_calls(expected: Expectation, calls: Sequence[CallRecord]) -> list[str]:
    found: list[str] = []
    left = list(calls)
    for number, each in enumerate(expected.calls, 1):
        at = next((index for index, call in enumerate(left) if _is_expected_call(each, call)), None)
        if at is None:
            actual = _describe_actual_calls(each, calls)
            found.append(f"call {number} was not made: {_format_expected(each)}; {actual}")
        else:
            # What comes next must have been called later.
            del left[: at + 1]
    forbidden = [
        f"{pattern} was called, which must not be"
        for pattern in expected.no_calls
        if any(_is_tool_match(call.tool, pattern) for call in calls)
    ]
    return found + forbidden


def _is_expected_call(expected: ExpectedCall, call: CallRecord) -> bool:
    if not _is_tool_match(call.tool, expected.tool) or not has_part(
        call.arguments, expected.arguments
    ):
        return False
    if expected.schema is None:
        return True
    return make_validator(expected.schema).is_valid(call.arguments)


def _is_tool_match(tool: str, pattern: str) -> bool:
    return fnmatchcase(tool, pattern) or fnmatchcase(tool.partition("__")[2], pattern)


def has_part(value: Json, part: Json) -> bool:
    """Whether `value` is `part`, or an object that has its members, and so on within."""
    if is_object(part):
        return is_object(value) and all(
            name in value and has_part(value[name], each) for name, each in part.items()
        )
    if is_array(part):
        is_alike = is_array(value) and len(value) == len(part)
        return is_alike and all(map(has_part, value, part))
    return value == part and isinstance(value, bool) == isinstance(part, bool)


def _format_expected(expected: ExpectedCall) -> str:
    given = json.dumps(expected.arguments, ensure_ascii=False) if expected.arguments else ""
    fitting = " with arguments of its schema" if expected.schema is not None else ""
    return f"{expected.tool} {given}".strip() + fitting


def _describe_actual_calls(expected: ExpectedCall, calls: Sequence[CallRecord]) -> str:
    """What was called in its place."""
    alike = [call for call in calls if _is_tool_match(call.tool, expected.tool)]
    if not alike:
        names = ", ".join(dict.fromkeys(call.tool for call in calls))
        return f"called: {names or 'nothing'}"
    given = json.dumps(alike[-1].arguments, ensure_ascii=False)
    return f"it was called with {given[:_MAX_SHOWN_CHARS]}"


def _check_text(expected: Expectation, text: str) -> list[str]:
    folded = text.casefold()
    shown = " ".join(text.split())[:_MAX_SHOWN_CHARS]
    found = [
        f"the answer does not hold {contain!r}: {shown}"
        for contain in expected.contains
        if contain.casefold() not in folded
    ]
    found += [
        f"the answer holds {exclude!r}: {shown}"
        for exclude in expected.excludes
        if exclude.casefold() in folded
    ]
    if expected.matches and not _is_pattern_match(text, expected.matches):
        found.append(f"the answer does not fit {expected.matches!r}: {shown}")
    return found


def _is_pattern_match(text: str, pattern: str) -> bool:
    return make_validator({"pattern": pattern}).is_valid(text)
