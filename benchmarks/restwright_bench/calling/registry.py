"""Tasks for the registry: the argument is itself a schema, which samples are held against."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from restwright.calls.mismatch import Mismatch
from restwright.jsontypes import Json, JsonObject
from restwright_bench.calling.criteria import differences, draws_line
from restwright_bench.calling.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One member of a record, with a value that it takes and one that it does not."""

    name: str
    type: str
    words: str
    schema: JsonObject
    right: Json
    wrong: Json
    needed: bool = True


MEMBERS = (
    Member(
        name="label",
        type="string",
        words="from 1 to 40 characters",
        schema={"type": "string", "minLength": 1, "maxLength": 40},
        right="Spare wheel",
        wrong="",
    ),
    Member(
        name="weight",
        type="number",
        words="kilograms, more than 0, at most 30",
        schema={"type": "number", "exclusiveMinimum": 0, "maximum": 30},
        right=2.5,
        wrong=30.5,
    ),
    Member(
        name="pieces",
        type="integer",
        words="at least 1",
        schema={"type": "integer", "minimum": 1},
        right=4,
        wrong=0,
    ),
    Member(
        name="state",
        type='"packed" | "sent" | "lost"',
        words="where it is",
        schema={"enum": ["packed", "sent", "lost"]},
        right="sent",
        wrong="eaten",
    ),
    Member(
        name="fragile",
        type="boolean",
        words="whether it breaks easily",
        schema={"type": "boolean"},
        right=True,
        wrong="yes",
        needed=False,
    ),
    Member(
        name="sender",
        type="string",
        words="a mail address",
        schema={"type": "string", "format": "email"},
        right="ada@example.org",
        wrong="ada",
    ),
    Member(
        name="tags",
        type="string[]",
        words="at least one, none twice",
        schema={"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "string"}},
        right=["a", "b"],
        wrong=["a", "a"],
    ),
    Member(
        name="size",
        type="{ width: number; height: number }",
        words="both needed, nothing else",
        schema={
            "type": "object",
            "properties": {"width": {"type": "number"}, "height": {"type": "number"}},
            "required": ["width", "height"],
            "additionalProperties": False,
        },
        right={"width": 1, "height": 2},
        wrong={"width": 1},
    ),
    Member(
        name="price",
        type="number | null",
        words="null where it is a gift",
        schema={"oneOf": [{"type": "number"}, {"type": "null"}]},
        right=None,
        wrong="free",
    ),
    Member(
        name="posted_on",
        type="string",
        words="a date",
        schema={"type": "string", "format": "date"},
        right="2026-01-15",
        wrong="yesterday",
        needed=False,
    ),
)
FUNCTIONS = (
    ("file_parcel", "Files a parcel at the counter.", "integer", 17, "17"),
    ("estimate_fee", "Estimates the fee of a parcel in euros.", "number", 4.2, "4.2"),
    ("is_taken", "Tells whether the counter takes such a parcel.", "boolean", True, 1),
)


def record(draw: Random) -> Task:
    """The schema of a record of six members."""
    members = draw.sample(MEMBERS, 6)
    name = draw.choice(("Parcel", "Crate", "Bundle"))
    text = f"Register this kind of record. It has no other members.\n{_interface(name, members)}"

    def means(given: JsonObject) -> Iterator[Mismatch]:
        yield from draws_line(given["schema"], *_samples(members), "/schema")

    return Task(text=text, reference={"schema": _schema(members)}, means=means)


def function(draw: Random) -> Task:
    """The schema of a function of five parameters, and of its result."""
    members = draw.sample(MEMBERS, 5)
    name, what, kind, right, wrong = draw.choice(FUNCTIONS)
    text = (
        f"Register the function {name} with the schema of its parameters and that of its result. "
        f"It takes one object, and no other members than these; its result is one {kind}.\n"
        f"{_interface('Parameters', members)}\n"
        f"/** {what} */\nfunction {name}(given: Parameters): {kind}"
    )
    reference = {
        "name": name,
        "description": what,
        "strict": True,
        "parameters": _schema(members),
        "result": {"type": kind},
    }

    def means(arguments: JsonObject) -> Iterator[Mismatch]:
        given = arguments["function"]
        yield from differences(name, given["name"], "/function/name")
        yield from draws_line(given["parameters"], *_samples(members), "/function/parameters")
        result = given.get("result", True)
        yield from draws_line(result, [right], [wrong], "/function/result")

    return Task(text=text, reference={"function": reference}, means=means)


def _interface(name: str, members: Sequence[Member]) -> str:
    lines = [
        f"  {each.name}{'' if each.needed else '?'}: {each.type}; // {each.words}"
        for each in members
    ]
    return "\n".join([f"interface {name} {{", *lines, "}"])


def _schema(members: Sequence[Member]) -> JsonObject:
    return {
        "type": "object",
        "properties": {each.name: each.schema for each in members},
        "required": [each.name for each in members if each.needed],
        "additionalProperties": False,
    }


def _samples(members: Sequence[Member]) -> tuple[list[Json], list[Json]]:
    """Records that the schema has to accept, and such as it has to reject."""
    whole = {each.name: each.right for each in members}
    least = {each.name: each.right for each in members if each.needed}
    needed = next(iter(least))
    lacking = {name: value for name, value in whole.items() if name != needed}
    bad = [{**whole, each.name: each.wrong} for each in members]
    return [whole, least], [*bad, lacking, {**whole, "stranger": 1}]
