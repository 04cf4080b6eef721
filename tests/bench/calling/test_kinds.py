"""The twelve kinds of calls of the board: their schemas, their tasks, and what they accept."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import pytest

from restwright.calls.arguments.check import check, check_value
from restwright.jsontypes import Json, JsonObject
from restwright.openapi.api import load
from restwright.openapi.read.lint import lint_api
from restwright_bench.calling.kinds import DOCUMENTS, KINDS, MAX_SHOWN, Kind, kind_named
from restwright_bench.calling.prompt import bounded, request_for

NAMES = (
    "ObjectConstraint",
    "ObjectFunctionSchema",
    "ObjectHierarchical",
    "ObjectJsonSchema",
    "ObjectSimple",
    "ObjectUnionExplicit",
    "ObjectUnionImplicit",
    "ShoppingCartCommodity",
    "ShoppingOrderCreate",
    "ShoppingOrderPublish",
    "ShoppingSaleDetail",
    "ShoppingSalePage",
)
GONE = object()
STRANGER = "00000000-0000-4000-8000-000000000000"
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)

# Pointer and value: what the schema must reject.
MALFORMED: dict[str, list[tuple[str, Json]]] = {
    "ObjectConstraint": [
        ("/name", "Ada 2"),
        ("/portrait", "a picture"),
        ("/age", 100),
        ("/email", "ada"),
        ("/phone", "12"),
        ("/skills", ["baking", "baking", "sewing"]),
        ("/skills", ["baking", "sewing"]),
        ("/signed_up_at", "yesterday"),
        ("/id", "1"),
    ],
    "ObjectFunctionSchema": [
        ("/function/strict", False),
        ("/function/name", "File Parcel"),
        ("/function/parameters/type", "array"),
        ("/function/parameters/additionalProperties", True),
        ("/function/parameters/properties", {}),
        ("/function/parameters/properties/more", {"type": "money"}),
        ("/function/parameters/properties/more", {"type": "array"}),
        ("/function/result", "integer"),
    ],
    "ObjectHierarchical": [
        ("/reader/citizen/born", "17 April 1978"),
        ("/reader/emails", []),
        ("/reader/employer", GONE),
        ("/address", "300.1.1.1"),
        ("/started_at", "2025-08-27"),
        ("/channel/code", "Reading room"),
        ("/channel", "reading-room"),
    ],
    "ObjectJsonSchema": [
        ("/schema", '{"type": "object"}'),
        ("/schema/type", "record"),
        ("/schema/required", GONE),
        ("/schema/properties/more", {"type": "string", "minimum": 1}),
        ("/schema/properties/more", {"enum": []}),
        ("/schema/properties/more", {"type": "array", "items": {"type": "thing"}}),
    ],
    "ObjectSimple": [("/card", "7"), ("/age", 12), ("/age", 30.5), ("/name", ""), ("/more", 1)],
    "ObjectUnionExplicit": [
        ("/figures/0/kind", "star"),
        ("/figures/0/kind", GONE),
        ("/figures", []),
        ("/figures/0", {"kind": "disc", "center": {"x": 0, "y": 0}, "radius": 0}),
        ("/figures/0", {"kind": "dot", "at": [1, 2]}),
        ("/figures/0", {"kind": "area", "border": [{"x": 0, "y": 0}], "holes": []}),
        ("/file", "Garden.png"),
    ],
    "ObjectUnionImplicit": [
        ("/figures/0", {"x": 1}),
        ("/figures/0", {"x": 1, "y": 1, "radius": -2}),
        ("/figures/0", {"kind": "dot", "x": 1, "y": 1}),
        ("/figures/0", {"a": {"x": 1, "y": 1}, "b": {"x": 2, "y": 1}}),
        ("/figures", {"x": 1, "y": 1}),
    ],
    "ShoppingCartCommodity": [
        ("/stocks", []),
        ("/stocks/0/quantity", 0),
        ("/stocks/0/choices/0/candidate_id", GONE),
        ("/stocks/0/choices/0/value", ["red"]),
        ("/volume", GONE),
        ("/sale_id", "the bicycle"),
    ],
    "ShoppingOrderCreate": [("/goods", []), ("/goods/0/volume", 0), ("/name", GONE)],
    "ShoppingOrderPublish": [
        ("/payments/0/type", "card"),
        ("/payments/0/amount", 0),
        ("/payments/0/receipt", "815492"),
        ("/payments", []),
        ("/address/country", "Denmark"),
        ("/address/mobile", "+45 12"),
        ("/address/note", GONE),
        ("/order_id", "1"),
    ],
    "ShoppingSaleDetail": [("/sale_id", "the bicycle"), ("/sale_id", GONE)],
    "ShoppingSalePage": [
        ("/limit", 0),
        ("/sort", ["price"]),
        ("/sort", ["+price", "+price"]),
        ("/search/sections", ["planes"]),
        ("/search/colour", "red"),
        ("/search", GONE),
    ],
}
# What the schema accepts and the ids do not.
UNFIT: dict[str, list[tuple[str, Json]]] = {
    "ShoppingCartCommodity": [
        ("/sale_id", STRANGER),
        ("/stocks/0/unit_id", STRANGER),
        ("/stocks/0/stock_id", STRANGER),
    ],
    "ShoppingOrderCreate": [("/goods/0/commodity_id", STRANGER)],
    "ShoppingOrderPublish": [("/order_id", STRANGER)],
    "ShoppingSaleDetail": [("/sale_id", STRANGER)],
}
# What would be sent, and is not what was asked for.
ASTRAY: dict[str, list[tuple[str, Json]]] = {
    "ObjectConstraint": [
        ("/is_active", True),
        ("/age", 3),
        ("/name", "Somebody Else"),
        ("/skills", ["one", "two", "One"]),
    ],
    "ObjectFunctionSchema": [
        ("/function/name", "another_one"),
        ("/function/parameters/required", []),
        ("/function/result", {"type": "string"}),
        ("/function/result", GONE),
    ],
    "ObjectHierarchical": [
        ("/address", "127.0.0.1"),
        ("/channel/name", "Reading"),
        ("/started_at", "2025-01-01T00:00:00Z"),
        ("/reader", None),
        ("/reader/citizen/born", "1900-01-01"),
    ],
    "ObjectJsonSchema": [
        ("/schema/required", []),
        ("/schema/additionalProperties", True),
        ("/schema/properties", {}),
    ],
    "ObjectSimple": [("/name", "Somebody Else"), ("/age", 17), ("/card", STRANGER)],
    "ObjectUnionExplicit": [
        ("/file", "other.svg"),
        ("/figures/0", {"kind": "dot", "at": {"x": 1000, "y": 1000}}),
        ("/figures/9", {"kind": "dot", "at": {"x": 1, "y": 1}}),
    ],
    "ObjectUnionImplicit": [("/file", "other.svg"), ("/figures/0", {"x": 1000, "y": 1000})],
    "ShoppingCartCommodity": [
        ("/volume", 9),
        ("/stocks/0/quantity", 2),
        ("/stocks/0/choices", []),
        ("/stocks/0/choices/2/value", "nothing"),
        ("/stocks/0/choices/0/candidate_id", None),
    ],
    "ShoppingOrderCreate": [("/goods/0/volume", 9), ("/name", "My order")],
    "ShoppingOrderPublish": [
        ("/payments/0", {"type": "points", "points": 3}),
        ("/payments/0/amount", 1),
        ("/address/country", "XX"),
        ("/address/street", "Elsewhere 1"),
    ],
    "ShoppingSalePage": [
        ("/page", 2),
        ("/limit", None),
        ("/sort", []),
        ("/search", None),
        ("/search/title", "bicycles"),
        ("/search/price", {}),
        ("/search/in_stock", False),
    ],
}


def changed(arguments: JsonObject, pointer: str, value: Json) -> JsonObject:
    """The arguments with one place put, added or taken out."""
    whole = copy.deepcopy(arguments)
    node: Json = whole
    *steps, last = pointer.split("/")[1:]
    for step in steps:
        node = node[int(step)] if isinstance(node, list) else node[step]
    if value is GONE:
        del node[last]
    elif isinstance(node, list):
        node[int(last) : int(last) + 1] = [value]
    else:
        node[last] = value
    return whole


def cases(table: dict[str, list[tuple[str, Json]]]) -> list[object]:
    return [
        pytest.param(kind_named(name), pointer, value, id=f"{name}{pointer}-{place}")
        for name, wrong in table.items()
        for place, (pointer, value) in enumerate(wrong)
    ]


def test_all_twelve_kinds_are_there_by_name() -> None:
    assert tuple(each.name for each in KINDS) == NAMES
    assert set(MALFORMED) == set(NAMES)


@each_kind
def test_what_a_model_is_shown_is_short_enough(kind: Kind) -> None:
    assert kind.shown <= MAX_SHOWN
    assert kind.is_held
    assert not kind.tool.left_out


@pytest.mark.parametrize("document", sorted(DOCUMENTS.glob("*.json")), ids=lambda file: file.stem)
def test_the_documents_have_no_faults(document: object) -> None:
    api = load(document)  # pyright: ignore[reportArgumentType]
    list(api.operations)
    assert [str(each) for each in api.problems] == []
    assert [str(each) for each in lint_api(api) if each.severity == "error"] == []


@each_kind
def test_the_reference_of_every_trial_is_right(kind: Kind) -> None:
    for trial in range(1, 31):
        task = kind.task(trial)
        assert check(kind.tool, task.reference) == ()
        assert list(task.fits(task.reference)) == []
        assert list(task.means(task.reference)) == []


@each_kind
def test_trials_differ_and_stay_the_same_when_drawn_again(kind: Kind) -> None:
    texts = [kind.task(trial).text for trial in range(1, 11)]
    references = [kind.task(trial).reference for trial in range(1, 11)]
    assert texts == [kind.task(trial).text for trial in range(1, 11)]
    assert all(references.count(each) == 1 for each in references)
    assert len({kind.digest(trial) for trial in range(1, 11)}) == 10


@pytest.mark.parametrize(("kind", "pointer", "value"), cases(MALFORMED))
def test_the_schema_rejects_what_is_malformed(kind: Kind, pointer: str, value: Json) -> None:
    wrong = changed(kind.task(1).reference, pointer, value)
    assert check(kind.tool, wrong)


@pytest.mark.parametrize(("kind", "pointer", "value"), cases(UNFIT))
def test_ids_of_nothing_known_do_not_fit(kind: Kind, pointer: str, value: Json) -> None:
    task = kind.task(1)
    wrong = changed(task.reference, pointer, value)
    assert check(kind.tool, wrong) == ()
    [mismatch] = task.fits(wrong)
    assert mismatch.pointer == pointer
    ids = {each for each in str(task.reference).split("'") if len(each) == len(STRANGER)}
    assert not any(each in str(mismatch) for each in ids)


@pytest.mark.parametrize(("kind", "pointer", "value"), cases(ASTRAY))
def test_what_was_not_asked_for_is_told_from_what_was(
    kind: Kind, pointer: str, value: Json
) -> None:
    task = kind.task(1)
    wrong = changed(task.reference, pointer, value)
    assert check(kind.tool, wrong) == ()
    assert list(task.fits(wrong)) == []
    assert list(task.means(wrong))


def test_times_are_compared_as_instants_and_texts_without_case() -> None:
    kind = kind_named("ObjectHierarchical")
    task = kind.task(1)
    moved = changed(task.reference, "/started_at", "2025-08-27T08:05:00+05:00")
    assert list(task.means(moved)) == []
    assert list(task.means(changed(moved, "/channel/name", "reading  ROOM"))) == []


def test_figures_may_stand_in_any_order() -> None:
    for name in ("ObjectUnionExplicit", "ObjectUnionImplicit"):
        task = kind_named(name).task(1)
        turned = {**task.reference, "figures": task.reference["figures"][::-1]}
        assert list(task.means(turned)) == []


@each_kind
def test_the_schema_of_the_reply_accepts_the_reference(kind: Kind) -> None:
    limited = bounded(kind.tool.checks)
    for trial in range(1, 11):
        assert check_value(limited, kind.task(trial).reference) == ()


def test_texts_and_lists_without_an_end_get_one() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": ["string", "null"]},
            "b": {"type": "array", "items": {"type": "string", "maxLength": 3}},
            "c": {"type": "string", "enum": ["x"]},
            "type": {"anyOf": [{"type": "string"}]},
        },
    }
    assert bounded(schema)["properties"] == {
        "a": {"type": ["string", "null"], "maxLength": 200},
        "b": {"type": "array", "items": {"type": "string", "maxLength": 3}, "maxItems": 12},
        "c": {"type": "string", "enum": ["x"]},
        "type": {"anyOf": [{"type": "string", "maxLength": 200}]},
    }


@each_kind
def test_trials_of_a_kind_share_the_beginning_of_their_prompt(kind: Kind) -> None:
    one, two = (
        request_for(kind.tool, kind.task(trial), kind.max_tokens, constrained=True)
        for trial in (1, 2)
    )
    assert one.messages[0] == two.messages[0]
    assert one.messages[0].speaker == "system"
    assert kind.tool.description in one.messages[0].text
    assert one.messages[1] != two.messages[1]


def schemas(node: Json) -> Iterator[JsonObject]:
    """Every object within a schema that says a type."""
    if isinstance(node, dict):
        if isinstance(node.get("type"), (str, list)):
            yield node
        for each in node.values():
            yield from schemas(each)
    elif isinstance(node, list):
        for each in node:
            yield from schemas(each)


@each_kind
def test_every_text_and_list_of_a_reply_has_an_end(kind: Kind) -> None:
    for each in schemas(bounded(kind.tool.checks)):
        if "string" in each["type"]:
            assert (
                "maxLength" in each
                or "enum" in each
                or not set("+*") & set(each["pattern"].replace(r"\+", ""))
            )
        if "array" in each["type"]:
            assert "maxItems" in each
