"""Runtime expressions and conditions: parsed by their grammar, looked up, never run as code."""

from __future__ import annotations

import pytest

from restwright.workflows.criteria import UnusableCondition, make_criterion
from restwright.workflows.expressions import (
    ABSENT,
    Exchange,
    NoValue,
    Scope,
    UnusableRuntimeExpression,
    evaluate_expression,
    evaluate_output,
    evaluate_value,
    find_expressions,
    parse_expression,
)

BODY = {"items": [{"id": 1, "a/b": "x"}, {"id": 2}], "ok": True, "note": None, "n": "12"}
SCOPE = Scope(
    inputs={"name": "Mug", "a.b": "dotted", "bank": {"iban": "DE"}, "tags": ["p", "q"]},
    steps={"find": {"id": 7}},
    workflows={"other": {"inputs": {"x": 1}, "outputs": {"y": [3]}}},
    outputs={"z": "zed"},
    exchange=Exchange(
        url="https://x.test/things?q=1",
        method="POST",
        parameters={"query": {"q": 1}, "header": {"x-shop": "north"}, "path": {"id": 9}},
        request_body={"colour": "teal"},
        status=201,
        headers={"location": "/things/9"},
        body=BODY,
    ),
    sources={"shop": {"name": "shop", "url": "./shop.yaml"}},
    self_uri="https://w.test/a",
)

LEADS = {
    "$url": "https://x.test/things?q=1",
    "$method": "POST",
    "$statusCode": 201,
    "$self": "https://w.test/a",
    "$request.query.q": 1,
    "$request.path.id": 9,
    "$request.header.X-Shop": "north",
    "$request.body#/colour": "teal",
    "$response.header.Location": "/things/9",
    "$response.body": BODY,
    "$response.body#/items/0/a~1b": "x",
    "$response.body#/items/1/id": 2,
    "$response.body.items[1].id": 2,
    "$response.body#/nothing": ABSENT,
    "$response.body#/note": None,
    "$inputs.name": "Mug",
    "$inputs.a.b": "dotted",
    "$inputs.bank.iban": "DE",
    "$inputs.bank#/iban": "DE",
    "$inputs.tags#/1": "q",
    "$inputs.other": ABSENT,
    "$steps.find.outputs.id": 7,
    "$steps.find.outputs": {"id": 7},
    "$steps.later.outputs.id": ABSENT,
    "$workflows.other.inputs.x": 1,
    "$workflows.other.outputs.y#/0": 3,
    "$outputs.z": "zed",
    "$sourceDescriptions.shop.url": "./shop.yaml",
}


@pytest.mark.parametrize("text", LEADS)
def test_where_an_expression_leads(text):
    assert evaluate_expression(parse_expression(text), SCOPE) == LEADS[text]


@pytest.mark.parametrize(
    "text",
    [
        *("", "url", "$", "$nothing.x", "$inputs.", "$steps.a.b", "$steps.outputs.c", "$urls"),
        *("$response.bodyx", "$message.payload", "$response.query.x", "$inputs.a b", "$inputs.a}"),
    ],
)
def test_what_is_no_expression(text):
    with pytest.raises(UnusableRuntimeExpression):
        parse_expression(text)


def test_expressions_within_values():
    value = {
        "alone": "{$inputs.tags}",
        "text": "for {$inputs.name}, {$inputs.tags}",
        "list": ["$steps.find.outputs.id", "$inputs.other", "$5.00"],
        "left out": "$inputs.other",
        "chosen": {"context": "$response.body", "selector": "$.items[*].id", "type": "jsonpath"},
        "pointed": {"context": "$response.body", "selector": "/items/0/id", "type": "jsonpointer"},
    }
    assert evaluate_value(value, SCOPE) == {
        "alone": ["p", "q"],
        "text": 'for Mug, ["p","q"]',
        "list": [7, "$5.00"],
        "chosen": [1, 2],
        "pointed": 1,
    }


def test_what_a_step_that_ran_did_not_give_is_missed():
    with pytest.raises(NoValue, match=r"\$steps.find.outputs.gone has no value"):
        evaluate_value({"id": "$steps.find.outputs.gone"}, SCOPE)
    assert evaluate_output("$response.body#/gone", SCOPE) is ABSENT


def test_an_expression_that_is_none_is_found_before_a_run():
    with pytest.raises(UnusableRuntimeExpression):
        tuple(find_expressions({"a": ["ok {$steps.a.id}"]}))


CONDITIONS = {
    "$statusCode == 201": True,
    "$statusCode == '201'": True,
    "$statusCode >= 200 && $statusCode < 300": True,
    "$statusCode == 200 || $response.body#/ok": True,
    "!($statusCode == 201)": False,
    "!$response.body#/gone": True,
    "$response.body#/ok == true": True,
    "$response.body#/ok == 1": False,
    "$response.body#/note == null": True,
    "$response.body#/note != null": False,
    "$response.body.items[0].id != null": True,
    "$response.body#/n > 9": True,
    "$inputs.name == 'mUG'": True,
    '$inputs.name == "mug"': True,
    "$inputs.name == 'it''s'": False,
    "$inputs.name < 5": False,
    "$response.body.items[1].id == $inputs.tags": False,
    "($statusCode==201)&&($method=='POST')": True,
    "null == false": False,
}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_simple_conditions(condition):
    assert make_criterion(condition, "simple", None).is_met(SCOPE) is CONDITIONS[condition]


@pytest.mark.parametrize(
    "condition",
    [
        *("", "==", "1 ==", "$statusCode = 200", "(1 == 1", "1 == 1)", "1 == 1 == 1", "a == b"),
        *("__import__('os')", "$statusCode == 200; 1", "(" * 60 + "true" + ")" * 60),
    ],
)
def test_what_is_no_condition(condition):
    with pytest.raises(UnusableCondition):
        make_criterion(condition, "simple", None)


@pytest.mark.parametrize(
    ("condition", "type_", "context", "is_met"),
    [
        ("^2\\d{2}$", "regex", "$statusCode", True),
        ("^{$inputs.name}$", "regex", "$inputs.name", True),
        ("^4", "regex", "$statusCode", False),
        ("(", "regex", "$response.body#/gone", False),
        ("$.items[?@.id == 2]", "jsonpath", "$response.body", True),
        ("$.items[?@.id == {$steps.find.outputs.id}]", "jsonpath", "$response.body", False),
        ("$.items[?count(@.*) > 1]", "jsonpath", "$response.body", True),
        ("$.items", "jsonpath", "$statusCode", False),
        ("$[", "jsonpath", "$response.body", False),
    ],
)
def test_patterns_and_queries(condition, type_, context, is_met):
    if condition == "(":
        with pytest.raises(UnusableCondition):
            make_criterion(condition, type_, context)
        return
    assert make_criterion(condition, type_, context).is_met(SCOPE) is is_met


def test_xpath_is_not_evaluated():
    with pytest.raises(UnusableCondition, match="'xpath'"):
        make_criterion("//a", "xpath", "$response.body")
