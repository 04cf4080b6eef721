"""Row 2: arguments are checked with the whole schema before anything is sent."""

from __future__ import annotations

import anyio
import pytest
from tests.support.mcp.serving import Person, call, connected, serving_api, texts

from mcp import MCPError

WRONG = (
    ("tricky__getNode", {}, "/id: expected"),
    ("tricky__putNode", {"id": "7", "body_id": "seven"}, "/body_id"),
    ("tricky__putNode", {"id": "7"}, "/body_id"),
    ("tricky__putNode", {"id": "7", "body_id": 7, "next": {"id": 1, "next": {"id": "x"}}}, "/next"),
    ("tricky__filtered", {"ids": ["x"]}, "/ids/0"),
    ("tricky__getNode", {"id": "7", "z": 1}, "/z"),
)


@pytest.mark.parametrize(("name", "arguments", "pointer"), WRONG)
def test_a_mismatch_is_a_result_that_a_model_can_act_on(
    api, tmp_path, era, name, arguments, pointer
):
    result = call(serving_api(api, tmp_path), era, name, arguments, Person())
    assert result.is_error
    assert pointer in texts(result)[0]
    assert "Fix these and call it again" in texts(result)[0]
    assert api.seen == []


def test_styles_of_parameters_are_those_of_the_document(api, tmp_path, era):
    given = {"f": {"a": "x"}, "ids": [1, 2]}
    result = call(serving_api(api, tmp_path), era, "tricky__filtered", given)
    assert not result.is_error
    assert api.seen[0][1] == "/filter?f%5Ba%5D=x&ids=1,2"


def test_an_unknown_tool_is_an_error_of_the_protocol_with_close_names(api, tmp_path, era):
    served = serving_api(api, tmp_path)

    async def run() -> MCPError:
        async with connected(served, era) as client:
            with pytest.raises(MCPError) as caught:
                await client.call_tool("tricky__getNods", {})
            return caught.value

    error = anyio.run(run)
    assert error.error.code == -32602
    assert "tricky__getNode" in error.error.message
