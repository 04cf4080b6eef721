"""Values that several alternatives of a `oneOf` fit are taken, and a repair tells of it."""

from __future__ import annotations

from typing import Any

import pytest

import restwright as rw
from restwright.calls.arguments.human_part import check_model_arguments, repair_model_arguments
from restwright.calls.arguments.repair import repair_arguments
from restwright.net.messages import Response
from restwright.testing import RecordingTransport, document, never, reply
from restwright.tools.dialects import DIALECTS, remove_filler_nulls, rewrite_schema
from restwright.tools.human_inputs import by_extension

# Both alternatives are open, so that `{"email": "a"}` fits both: the document's own fault.
PERSON = {"type": "object", "properties": {"email": {"type": "string"}}}
FIRM = {"type": "object", "properties": {"vat": {"type": "integer"}}}
PARTY = {"oneOf": [PERSON, FIRM]}
NESTED = {
    "oneOf": [
        {"type": "object", "properties": {"of": PARTY}, "required": ["of"]},
        {"type": "object", "required": ["at"]},
    ]
}
NOTE = "several alternatives fit, and the document wants one"
HERE = rw.Connection()


def tool_of(schema: Any, *, options: Any = None, **components: Any) -> rw.Tool:
    body = {"type": "object", "properties": {"party": schema}, "required": ["party"]}
    operation = {
        "operationId": "add",
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": {
            "200": {"description": "It.", "content": {"application/json": {"schema": body}}}
        },
    }
    whole = document({"/parties": {"post": operation}}, components={"schemas": components})
    [tool] = rw.catalog(rw.load(whole, alias="a"), options=options or rw.ToolOptions()).tools
    return tool


def called(tool: rw.Tool, arguments: Any, response: Response | None = None) -> rw.Result:
    send = RecordingTransport(lambda _: response or reply(200))
    return rw.call(tool, arguments, connection=HERE, send=send, approve=lambda *_: True)


@pytest.mark.parametrize(
    ("schema", "party", "place"),
    [
        (PARTY, {"email": "a"}, "/party"),
        (NESTED, {"of": {"email": "a"}}, "/party/of"),
        ({"anyOf": [{"const": 5}, PARTY]}, {"email": "a"}, ""),
        ({"type": "array", "items": PARTY}, [{"email": "a", "vat": 1}], "/party/0"),
        ({"allOf": [PARTY, {"required": ["email"]}]}, {"email": "a"}, "/party"),
        ({"$ref": "#/components/schemas/Party"}, {}, "/party"),
    ],
    ids=["flat", "nested", "in a union", "items", "in parts", "reference"],
)
def test_a_check_a_call_and_a_repair_agree_that_it_is_taken(
    schema: Any, party: Any, place: str
) -> None:
    tool = tool_of(schema, Party=PARTY)
    assert rw.check(tool, {"party": party}) == ()
    assert rw.prepare(tool, {"party": party}, HERE).body

    result = called(tool, {"party": party})
    assert result.ok
    assert NOTE in {each.why for each in result.repairs}
    assert result.repairs[0].was == result.repairs[0].now
    if place:
        assert place in {each.pointer for each in result.repairs}


def test_a_value_that_one_alternative_fits_needs_no_note() -> None:
    assert called(tool_of(PARTY), {"party": {"email": "a", "vat": "x"}}).repairs == ()


def test_a_value_that_no_alternative_fits_is_a_mismatch() -> None:
    tool = tool_of(PARTY)
    [mismatch] = rw.check(tool, {"party": {"email": 7, "vat": "x"}})
    assert mismatch.pointer == "/party/email"
    assert rw.call(tool, {"party": 5}, connection=HERE, send=never, approve=never).kind == (
        "mismatch"
    )


def test_what_is_repaired_first_is_told_with_it() -> None:
    party = {"properties": {"of": PARTY, "count": {"type": "integer"}}}
    found = repair_arguments(tool_of(party), {"party": {"of": {"email": "a"}, "count": "5"}})
    assert found.arguments == {"party": {"of": {"email": "a"}, "count": 5}}
    assert [each.pointer for each in found.repairs] == ["/party/count", "/party/of"]
    assert str(found.repairs[1]) == f'/party/of: {{"email":"a"}} was kept ({NOTE})'


def test_a_response_that_fits_several_alternatives_is_as_documented() -> None:
    tool = tool_of(PARTY)
    good = called(tool, {"party": {"vat": 1, "email": 7}}, reply(200, {"party": {"email": "a"}}))
    assert good.warnings == ()
    bad = called(tool, {"party": {"vat": 1, "email": 7}}, reply(200, {"party": 5}))
    assert bad.warnings


def test_alternatives_that_only_require_exclude_each_other() -> None:
    either = {"oneOf": [{"required": ["email"]}, {"required": ["phone"]}]}
    tool = tool_of({"type": "object", **either})
    assert rw.check(tool, {"party": {"email": "a"}}) == ()
    assert rw.check(tool, {"party": {"email": "a", "phone": "1"}}) != ()


def test_a_discriminator_decides_without_a_note() -> None:
    kinds = {
        "oneOf": [{"$ref": "#/components/schemas/Person"}, {"$ref": "#/components/schemas/Firm"}],
        "discriminator": {"propertyName": "kind"},
    }
    person = {**PERSON, "properties": {**PERSON["properties"], "kind": {"const": "Person"}}}
    firm = {**FIRM, "properties": {**FIRM["properties"], "kind": {"const": "Firm"}}}
    tool = tool_of(kinds, Person=person, Firm=firm)
    assert called(tool, {"party": {"kind": "Firm", "vat": 1}}).repairs == ()
    [mismatch] = rw.check(tool, {"party": {"kind": "Firm", "vat": "x"}})
    assert mismatch.pointer == "/party/vat"


def test_what_a_human_fills_in_is_in_no_note() -> None:
    secret = {"oneOf": [PERSON, FIRM], "x-human": True}
    options = rw.ToolOptions(separation=by_extension("x-human"))
    tool = tool_of(secret, options=options)
    result = called(tool, {"party": {"email": "canary-4f2a"}})
    assert result.ok
    assert "canary-4f2a" not in repr(result.repairs)
    assert check_model_arguments(tool, {}) == ()
    assert repair_model_arguments(tool, {}).repairs == ()


@pytest.mark.parametrize("name", ["openai", "openai-strict", "anthropic", "gemini"])
def test_what_a_dialect_lets_a_model_say_is_taken(name: str) -> None:
    tool = tool_of(PARTY)
    said = rewrite_schema(tool.shows, DIALECTS[name])
    assert said.schema
    given = remove_filler_nulls({"party": {"email": "a"}}, tool.shows)
    assert rw.check(tool, given) == ()
