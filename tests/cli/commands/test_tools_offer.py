"""`tools --offer` and `search --expand`."""

from __future__ import annotations

import json

import pytest

from restwright.errors import ModelUnavailable
from restwright.testing import ScriptedModel


@pytest.fixture
def shop(tmp_path):
    """A document of 40 operations, of which one is about hats."""
    paths = {f"/things/{n}": {"get": {"operationId": f"thing{n}"}} for n in range(39)}
    paths["/hats"] = {"get": {"operationId": "list_hats", "summary": "List hats"}}
    whole = {"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": paths}
    file = tmp_path / "shop.json"
    file.write_text(json.dumps(whole))
    return f"shop={file}"


def test_an_offer_is_printed_one_tool_a_line_with_its_reason(restwright, shop):
    ended = restwright("tools", shop, "--offer", "which hats are there")
    lines = [each.split("\t") for each in ended.out.splitlines()]
    assert [each[0] for each in lines[:3]] == ["search_tools", "show_tool", "call_tool"]
    assert "shop__list_hats" in [each[0] for each in lines]
    assert "(search): 40 tools, more than 30; " in ended.err


def test_an_offer_under_a_dialect_is_what_the_provider_takes(restwright, shop):
    ended = restwright("tools", shop, "--offer", "hats", "--dialect", "openai")
    names = [each["function"]["name"] for each in ended.json]
    assert names[-1] == "shop__list_hats"
    native = restwright(
        "tools", shop, "--offer", "", "--above", "native", "--dialect", "openai-responses"
    ).json
    assert [each["type"] for each in native] == ["namespace", "tool_search"]


def test_an_offer_as_json_says_how_it_came_to_be(restwright, shop):
    shown = restwright("tools", shop, "--offer", "", "--json").json
    assert set(shown) == {"offer", "tools"}
    assert shown["offer"]["policy"] == "meta"
    assert shown["offer"]["total"] == 40
    assert shown["offer"]["meta"] == ["search_tools", "show_tool", "call_tool"]
    assert len(shown["offer"]["hash"]) == 64


def test_an_option_that_would_be_ignored_is_refused(restwright, shop):
    assert restwright("tools", shop, "--above", "meta").code == 2
    assert restwright("tools", shop, "--offer", "x", "--problems").code == 2


def test_a_search_is_expanded_by_the_model(restwright, shop):
    model = ScriptedModel([("expander", {"phrases": ["list hats"]})])

    restwright.find_model(lambda *_: model)
    ended = restwright("search", "something for my head", shop, "--expand", "--json")
    assert ended.json["tools"][0]["name"] == "shop__list_hats"
    assert "searched for these as well: list hats" in ended.err


def test_a_model_that_is_not_there_is_an_error_not_a_plain_search(restwright, shop):
    def missing(*_):
        raise ModelUnavailable("local", "its file is missing", "pull it")

    restwright.find_model(missing)
    assert restwright("search", "hats", shop, "--expand").code == 1
