"""Arguments that models really wrote: what is accepted, repaired, and reported."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from restwright.calls.arguments.check import check_value
from restwright.calls.arguments.repair import repair_value
from restwright.calls.mismatch import pointer_from_path
from restwright.jsontypes import Json, JsonObject

LEADERBOARD = Path(__file__).parents[2].parent / "shared" / "data" / "leaderboard"
SCENARIOS = sorted(each.stem for each in (LEADERBOARD / "records").glob("*.jsonl"))
# Valid records that the schema rejects, by scenario: they hold properties that it forbids, or lack
# such as must be absent but are not in it. The data's README lists them.
REJECTED = {
    "ObjectHierarchical": 1,
    "ShoppingOrderCreate": 4,
    "ObjectFunctionSchema": 5,
    "ObjectJsonSchema": 12,
}
STEP = re.compile(r'\.([A-Za-z_$][\w$]*)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]')

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not SCENARIOS, reason=f"the shared data set {LEADERBOARD} is not there"),
]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One recorded call, checked and repaired by us."""

    record: JsonObject
    schema: Json
    arguments: Json
    value: Json
    repairs: tuple[Any, ...]
    before: tuple[Any, ...]
    after: tuple[Any, ...]


def any_of(node: Json) -> Json:
    if isinstance(node, dict):
        return {"anyOf" if key == "oneOf" else key: any_of(each) for key, each in node.items()}
    return [any_of(each) for each in node] if isinstance(node, list) else node


@cache
def attempts(scenario: str) -> tuple[Attempt, ...]:
    written = (LEADERBOARD / "schemas" / f"{scenario}.claude_llama.json").read_text()
    schema = any_of(json.loads(written)["parameters"])
    lines = (LEADERBOARD / "records" / f"{scenario}.jsonl").read_text().splitlines()
    return tuple(
        attempt(record, schema)
        for record in map(json.loads, lines)
        if record["outcome"] != "unparsable" and not record.get("semantic")
    )


def attempt(record: JsonObject, schema: Json) -> Attempt:
    arguments = json.loads(record["arguments"])
    before = check_value(schema, arguments)
    value, repairs = repair_value(schema, arguments)
    after = check_value(schema, value) if repairs else before
    return Attempt(record, schema, arguments, value, repairs, before, after)


def outcomes(outcome: str) -> Iterator[tuple[str, Attempt]]:
    for scenario in SCENARIOS:
        for each in attempts(scenario):
            if each.record["outcome"] == outcome:
                yield scenario, each


def pointer(path: str) -> str:
    """`$input.a[0]["b c"]` as a JSON Pointer."""
    steps = STEP.findall(path.removeprefix("$input"))
    return pointer_from_path(
        name or index or json.loads(f'"{quoted}"') for name, index, quoted in steps
    )


def test_valid_arguments_are_accepted_and_none_is_altered() -> None:
    accepted = [each for _, each in outcomes("valid") if not each.before]
    rejected = Counter(scenario for scenario, each in outcomes("valid") if each.before)
    assert rejected == REJECTED
    assert len(accepted) == 1300 - sum(REJECTED.values())
    assert all(each.value is each.arguments and not each.repairs for each in accepted)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def texts(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str, str]]:
    """The places of texts that look like JSON."""
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        yield pointer_from_path(path), value
    elif isinstance(value, (dict, list)):
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for key, each in members:
            yield from texts(each, (*path, key))


def is_wrong_kind(text: str, place: str, each: Attempt) -> bool:
    """Whether the text is JSON of another type than is expected there."""
    opening = {"{": "an array", "[": "an object"}[text.lstrip()[0]]
    return any(found.pointer == place and found.expected == opening for found in each.after)


def test_stringified_json_is_unwrapped() -> None:
    wrapped = [(each, dict(texts(each.arguments))) for _, each in outcomes("invalid")]
    failing = [(each, found) for each, found in wrapped if each.before and found]
    left = [
        (each, place, text)
        for each, found in failing
        for place, text in found.items()
        if any(mismatch.pointer == place for mismatch in each.after)
    ]
    of_other_type = [text for each, place, text in left if is_wrong_kind(text, place, each)]
    no_json = [text for *_, text in left if "Date.now()" in text]
    say(f"{len(failing)} invalid calls with stringified JSON, {len(left)} texts left:")
    say(f"{len(of_other_type)} of another type than is expected, {len(no_json)} no JSON")
    assert (len(failing), len(of_other_type), len(no_json), len(left)) == (566, 4, 1, 5)


def test_invalid_arguments_are_repaired_without_a_model_or_reported() -> None:
    shares = Counter[str]()
    for _, each in outcomes("invalid"):
        if not each.before:
            shares["accepted by the schema"] += 1
        elif not each.after:
            shares["repaired"] += 1
        else:
            shares["partly repaired" if each.repairs else "not repaired"] += 1
    total = sum(shares.values())
    for name, count in shares.most_common():
        say(f"{name}: {count} of {total} ({count / total:.1%})")
    assert shares["accepted by the schema"] == 36  # As the data's README says.
    assert shares["repaired"] >= 223


def test_recorded_places_are_reported() -> None:
    exact = total = 0
    for _, each in outcomes("invalid"):
        if not each.after:
            continue
        found = [mismatch.pointer for mismatch in each.before]
        places = [pointer(error["path"]) for error in each.record["errors"]]
        total += len(places)
        exact += sum(place in found for place in places)
    say(f"{exact} of {total} recorded places ({exact / total:.1%})")
    assert exact >= 0.98 * total
