from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from restwright.calls.arguments.check import check
from restwright.calls.arguments.human_part import (
    assemble_arguments,
    check_human_arguments,
    check_model_arguments,
    merge_arguments,
    repair_human_arguments,
    repair_model_arguments,
)
from restwright.calls.auth.connection import Connection
from restwright.calls.call import call
from restwright.calls.mismatch import Mismatch
from restwright.jsontypes import Json, JsonObject
from restwright.openapi.api import load
from restwright.testing import document, never
from restwright.tools.catalog.catalog import catalog
from restwright.tools.human_inputs import by_extension
from restwright.tools.options import DEFAULT_TOOL_OPTIONS, ToolOptions
from restwright.tools.tool import Tool

KEY = {"type": "string", "minLength": 20, "x-human": True}
ACCOUNT = {
    "type": "object",
    "properties": {"user": {"type": "string"}, "key": KEY},
    "required": ["user", "key"],
}
ORDER = {
    "type": "object",
    "properties": {
        "count": {"type": "integer"},
        "account": {"$ref": "#/components/schemas/Account"},
        "cards": {"type": "array", "items": {"$ref": "#/components/schemas/Account"}},
        "pin": KEY,
    },
    "required": ["count", "account"],
}
SECRET = "a secret of the host"
SEPARATED = ToolOptions(separation=by_extension("x-human"))


def tool(schema: Any = ORDER, options: ToolOptions = SEPARATED) -> Tool:
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    components = {"schemas": {"Account": ACCOUNT}}
    source = document({"/orders": {"post": {"requestBody": body}}}, components=components)
    return catalog(load(source), options=options).tools[0]


@pytest.mark.parametrize(
    ("model", "human", "both"),
    [
        ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
        ({"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}),
        ({"a": [{"b": 1}, {"b": 2}]}, {"a": [{"c": 3}]}, {"a": [{"b": 1, "c": 3}, {"b": 2}]}),
        ({"a": [1]}, {"a": [None, 2]}, {"a": [1, 2]}),
        ({"a": 1}, {"a": 2}, {"a": 2}),
        ({"a": 1}, {"a": None}, {"a": 1}),
        ({}, {"a": None}, {"a": None}),
        ({"a": {"b": 1}}, {"a": [1]}, {"a": [1]}),
        ({"a": {"b": 1}}, {"a": False}, {"a": False}),
        ({}, {}, {}),
    ],
)
def test_objects_merge_by_key_and_arrays_by_index(model: Any, human: Any, both: Any) -> None:
    assert merge_arguments(model, human) == both


def test_merging_leaves_both_parts_as_they_were() -> None:
    model, human = {"a": {"b": [1]}}, {"a": {"b": [2], "c": 3}}
    merge_arguments(model, human)
    assert (model, human) == ({"a": {"b": [1]}}, {"a": {"b": [2], "c": 3}})


def test_both_parts_fit_and_so_does_what_they_make_together() -> None:
    model = {"count": 1, "account": {"user": "ann"}, "cards": [{"user": "bob"}]}
    human = {"account": {"key": SECRET}, "cards": [{"key": SECRET}]}
    assert check_model_arguments(tool(), model) == check_human_arguments(tool(), human) == ()
    both = assemble_arguments(tool(), model=model, human=human)
    assert both["cards"] == [{"user": "bob", "key": SECRET}]
    assert check(tool(), both) == ()


def test_what_the_model_says_for_the_human_is_a_mismatch_that_does_not_repeat_it() -> None:
    guess = {"count": "1", "account": {"user": "ann", "key": SECRET}, "pin": SECRET}
    found = check_model_arguments(tool(), guess)
    told = "nothing here: a human fills this in"
    assert found == (
        Mismatch("/account/key", told, "a value", "leave it out"),
        Mismatch("/pin", told, "a value", "leave it out"),
        Mismatch("/count", "an integer", '"1"'),
    )


def test_what_the_model_says_for_the_human_is_never_used() -> None:
    guess: dict[str, Any] = {
        "count": 1,
        "account": {"user": "ann", "key": SECRET},
        "pin": SECRET,
    }
    guess["cards"] = [{"user": "bob", "key": SECRET}]
    both = assemble_arguments(tool(), model=guess, human={"account": {"key": "another key"}})
    assert both == {
        "count": 1,
        "account": {"user": "ann", "key": "another key"},
        "cards": [{"user": "bob"}],
    }


def test_a_mismatch_of_the_human_never_says_a_value() -> None:
    given = {"account": {"key": "hush"}, "pin": 12345, "pinn": "hush", "count": 98765}
    found = check_human_arguments(tool(), given)
    assert {each.pointer for each in found} == {"/account/key", "/pin", "/pinn", "/count"}
    assert {each.got for each in found} == {"a value"}
    assert check_human_arguments(tool(), {})[0].got == "nothing"


@pytest.mark.parametrize("wrong", [{"pin": 31337}, {"account": {"key": 31337}}, {"pinn": 31337}])
def test_the_whole_check_says_no_value_of_the_human(wrong: dict[str, Any]) -> None:
    whole = {"count": 1, "account": {"user": "ann", "key": SECRET}, **wrong}
    found = check(tool(), whole)
    assert found
    assert not any("31337" in str(each) for each in found)


def test_the_whole_check_says_the_values_of_the_model() -> None:
    whole = {"count": "many", "account": {"user": 5, "key": SECRET, "note": 7}}
    assert {(each.pointer, each.got) for each in check(tool(), whole)} == {
        ("/count", '"many"'),
        ("/account/user", "5"),
    }


def test_what_holds_both_parts_is_not_said_either() -> None:
    counted = {**ACCOUNT, "minProperties": 3}
    whole = {"account": {"user": "ann", "key": SECRET}}
    (found,) = check(tool({"type": "object", "properties": {"account": counted}}), whole)
    assert (found.pointer, found.got) == ("/account", "a value")


def test_what_cannot_be_sent_is_said_without_the_value() -> None:
    token = {"name": "X-Key", "in": "header", "schema": {"type": "string"}, "x-human": True}
    api = load(document({"/a": {"get": {"parameters": [token]}}}))
    one = catalog(api, options=SEPARATED).tools[0]
    result = call(
        one,
        {"X_Key": "hush\nhush"},
        connection=Connection(),
        send=never,
        approve=never,
    )
    assert result.kind == "mismatch"
    assert "hush" not in result.text
    assert "/X_Key: expected text without line breaks" in result.text


def test_where_nothing_is_separated_all_is_the_models() -> None:
    plain = tool(options=DEFAULT_TOOL_OPTIONS)
    whole = {"count": 1, "account": {"user": "ann", "key": SECRET}}
    assert check_model_arguments(plain, whole) == ()
    assert check_model_arguments(plain, {**whole, "count": "1"}) == check(
        plain, {**whole, "count": "1"}
    )
    assert assemble_arguments(plain, model=whole, human={}) == whole
    (found,) = check_human_arguments(plain, {"count": 5})
    assert found.expected == "nothing here: the model fills this in"


def test_where_nothing_is_left_to_a_human_no_part_of_theirs_fits() -> None:
    unmarked = tool({"type": "object", "properties": {"name": {"type": "string"}}})
    assert check_human_arguments(unmarked, {}) == ()
    assert [each.pointer for each in check_human_arguments(unmarked, {"name": "a"})] == ["/name"]
    assert check_model_arguments(unmarked, {"name": 5})[0].got == "5"


def test_a_part_that_is_no_json_is_a_mismatch() -> None:
    assert check_human_arguments(tool(), {"pin": float("nan")})[0].got == "a value"
    deep: Any = []
    for _ in range(300):
        deep = [deep]
    assert check_model_arguments(tool(), {"count": deep, "pin": deep}) != ()


NUMBERS = {
    "type": "object",
    "properties": {
        "count": {"type": "integer"},
        "state": {"enum": ["new", "paid"]},
        "account": {
            "type": "object",
            "properties": {
                "age": {"type": "integer"},
                "pin": {"type": "integer", "x-human": True},
            },
        },
        "codes": {"type": "array", "items": {"type": "string"}, "x-human": True},
    },
}


def test_each_part_is_repaired_by_itself() -> None:
    one = tool(NUMBERS)
    model = repair_model_arguments(one, {"count": "3", "state": "PAID", "account": '{"age": "40"}'})
    assert model.arguments == {"count": 3, "state": "paid", "account": {"age": 40}}
    assert check_model_arguments(one, model.arguments) == ()
    human = repair_human_arguments(one, {"account": {"pin": "1234"}, "codes": "a"})
    assert human.arguments == {"account": {"pin": 1234}, "codes": ["a"]}
    assert check_human_arguments(one, human.arguments) == ()


def test_a_repair_of_the_human_never_says_a_value() -> None:
    found = repair_human_arguments(tool(NUMBERS), {"account": {"pin": "1234"}, "codes": "a"})
    assert [(each.pointer, each.was, each.now) for each in found.repairs] == [
        ("/account/pin", "a value", "a value"),
        ("/codes", "a value", "a value"),
    ]


def test_a_repair_leaves_what_belongs_to_the_other_to_the_check() -> None:
    one = tool(NUMBERS)
    found = repair_model_arguments(one, {"count": "3", "account": '{"age": "40", "pin": "1234"}'})
    assert found.arguments == {"count": 3, "account": {"age": 40, "pin": "1234"}}
    assert [each.pointer for each in check_model_arguments(one, found.arguments)] == [
        "/account/pin"
    ]
    assert "1234" not in str(found.repairs)


def test_a_part_that_fits_is_not_altered() -> None:
    one, model, human = tool(NUMBERS), {"count": 3}, {"codes": ["a"]}
    assert repair_model_arguments(one, model).arguments is model
    assert repair_human_arguments(one, human).arguments is human


def test_where_nothing_is_separated_the_model_is_repaired_as_ever() -> None:
    plain = tool(NUMBERS, DEFAULT_TOOL_OPTIONS)
    assert repair_model_arguments(plain, {"count": "3"}).arguments == {"count": 3}
    assert repair_human_arguments(plain, {"count": "3"}).arguments == {"count": "3"}


def test_the_python_of_its_documentation_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = (Path(__file__).parents[3] / "docs" / "separation.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    number = {"type": "string", "x-human": True}
    card = {"properties": {"name": {"type": "string"}, "number": number}, "required": ["number"]}
    order = {"properties": {"product": {"type": "string"}, "card": {**card, "type": "object"}}}
    content = {"application/json": {"schema": {**order, "type": "object"}}}
    create = {"operationId": "create_order", "requestBody": {"required": True, "content": content}}
    source = document({"/orders": {"post": create}}, info={"title": "Shop", "version": "1"})
    (tmp_path / "shop.yaml").write_text(json.dumps(source), "utf-8")
    monkeypatch.chdir(tmp_path)
    for code in blocks:
        exec(compile(code, "separation.md", "exec"), {})  # noqa: S102
    assert capsys.readouterr().out.splitlines() == [
        "product card",
        "{'product': 'tea', 'card': {'name': 'Ann', 'number': '4111'}}",
        "{'card': {'name': 'Ann', 'number': '4111'}}",
    ]


@pytest.mark.parametrize("layout", ["flat", "grouped"])
@pytest.mark.parametrize("owner", ["model", "human"])
def test_a_query_parameter_that_may_be_empty_may_be_so_in_a_part(layout: Any, owner: str) -> None:
    paging: JsonObject = {"type": "integer", "x-human": owner == "human"}
    query = {"name": "page", "in": "query", "allowEmptyValue": True, "schema": paging}
    key = {"name": "key", "in": "query", "schema": KEY}
    source = document({"/a": {"get": {"parameters": [query, key]}}})
    options = replace(SEPARATED, layout=layout)
    one = catalog(load(source), options=options).tools[0]
    check_part = check_model_arguments if owner == "model" else check_human_arguments

    def given(value: Json) -> JsonObject:
        return {"page": value} if layout == "flat" else {"query": {"page": value}}

    assert check_part(one, given("")) == ()
    assert len(check_part(one, given("x"))) == 1
