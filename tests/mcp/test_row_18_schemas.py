"""Row 18: recursive schemas keep their definitions, and are checked three levels down."""

from __future__ import annotations

from tests.support.mcp.serving import Person, call, serving_api, talk, texts


def deep(levels: int, last: object) -> dict:
    return {"id": levels, "next": deep(levels - 1, last)} if levels else {"id": last}


def test_a_recursive_schema_keeps_its_definitions(api, tmp_path, era):
    served = serving_api(api, tmp_path)
    tools = {tool.name: tool for tool in talk(served, era, lambda each: each.list_tools()).tools}
    schema = tools["tricky__putNode"].input_schema
    assert schema["type"] == "object"
    assert schema["$defs"]["Node"]["properties"]["next"] == {"$ref": "#/$defs/Node"}


def test_three_levels_down_are_checked(api, tmp_path, era):
    served, person = serving_api(api, tmp_path), Person()
    given = {"id": "7", "body_id": 1, "next": deep(3, "x")}
    wrong = call(served, era, "tricky__putNode", given, person)
    assert "/next/next/next/next/id: expected an integer" in texts(wrong)[0]
    given = {"id": "7", "body_id": 1, "next": deep(3, 9)}
    assert not call(served, era, "tricky__putNode", given, person).is_error
