"""
Row 1: both kinds of revisions, over stdio and HTTP, from the same catalog.

`make conformance` runs the official suite; here its fixtures are served by the same code.
"""

from __future__ import annotations

import anyio
import pytest
from tests.support.mcp.over_stdio import COMMAND
from tests.support.mcp.run_conformance import FIXTURES
from tests.support.mcp.serving import Person, call, serving, serving_api, talk, texts

from mcp import Client, StdioServerParameters


@pytest.mark.process
def test_over_stdio(api, tmp_path, era):
    arguments = [*COMMAND[1:], str(api.write(tmp_path)), "--server", api.url]
    person = Person()

    async def run():
        parameters = StdioServerParameters(command=COMMAND[0], args=arguments)
        async with Client(
            parameters, mode=era, elicitation_callback=person, read_timeout_seconds=60
        ) as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            return listed, await client.call_tool("tricky__deleteNode", {"id": "7"})

    listed, gone = anyio.run(run)
    here = serving_api(api, tmp_path).built.providers.tools[0].names()
    assert listed == [*here]
    assert texts(gone) == ["HTTP 204 No Content, without a body"]
    assert len(person.asked) == api.count("DELETE") == 1


def test_lists_do_not_depend_on_the_revision(api, tmp_path):
    served = serving_api(api, tmp_path)
    legacy, modern = (
        talk(served, era, lambda client: client.list_tools()).tools
        for era in ("legacy", "2026-07-28")
    )
    assert legacy == modern


@pytest.mark.parametrize(
    "name", ["test_simple_text", "test_image_content", "test_multiple_content_types"]
)
def test_the_fixtures_of_the_suite_are_functions_like_any(era, name):
    served = serving(f"{FIXTURES}:Fixtures", drop_namespaces=True)
    assert not call(served, era, name).is_error
