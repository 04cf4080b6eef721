"""Rows 7, 8 and 19 over a large document: names, what is listed, and in how much memory."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from mcp_types.methods import validate_server_result
from tests.mcp.test_row_08_exposure import assert_each_is_within_three_calls
from tests.support.mcp.over_stdio import over_stdio
from tests.support.mcp.serving import serving, talk

from restwright.calls.approval.policy import CONFIRM
from restwright.errors import UsageError
from restwright.mcp.assembly import ServeOptions

SPECS = Path(__file__).parents[3] / "shared" / "data" / "specs"
INDEX = json.loads((SPECS / "index.json").read_text()) if SPECS.is_dir() else []
GITHUB = SPECS / "github__v3.json"
MODERN = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not GITHUB.exists(), reason="the document is not here"),
]


def test_every_operation_of_github_is_reached_within_three_calls():
    assert_each_is_within_three_calls(serving(f"github={GITHUB}", options=ServeOptions()), "github")


@pytest.mark.parametrize("file", [each["file"] for each in INDEX])
def test_every_tool_of_a_document_is_one_that_clients_take(file):
    """Also its hints: none that changes something says that it only reads."""
    try:
        served = serving(SPECS / file, options=ServeOptions(exposure="all", output="exact"))
    except UsageError:
        pytest.skip("it has webhooks alone")
    provider = served.built.providers.tools[0]
    names = [*provider.names()]
    assert len({*names}) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]{1,45}", name) for name in names)
    catalog = provider.served().catalog
    for name in names:
        tool = provider.describe(name)
        assert tool.annotations.read_only_hint is (CONFIRM.class_of(catalog[name]) == "read")
        if not catalog[name].operation.method.is_read:
            assert tool.annotations.read_only_hint is False
        listed = {"tools": [tool.model_dump(mode="json", by_alias=True, exclude_none=True)]}
        for revision in ("2025-11-25", "2026-07-28"):
            whole = listed if revision < "2026" else listed | MODERN
            validate_server_result("tools/list", revision, whole)
        tool.model_dump_json()


def test_every_tool_of_github_is_listed_as_clients_take_it():
    served = serving(f"github={GITHUB}", options=ServeOptions(exposure="all"))
    provider = served.built.providers.tools[0]

    async def say(client):
        tools, cursor = [], None
        while True:
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
            if (cursor := page.next_cursor) is None:
                return tools

    for era in ("legacy", "2026-07-28"):
        tools = talk(served, era, say)
        assert [tool.name for tool in tools] == [*provider.names()]
        assert all(re.fullmatch(r"[A-Za-z0-9_.-]{1,45}", tool.name) for tool in tools)
        assert all(tool.annotations.read_only_hint is not None for tool in tools)


def test_the_first_list_of_github_is_short():
    with over_stdio(f"github={GITHUB}") as spoken:
        spoken.begin()
        told = spoken.ask("tools/list")
    assert len(json.dumps(told)) / 4 <= 4_000


LINUX = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="it is read from /proc")


@LINUX
def test_serving_github_takes_little_memory():
    """The first start reads the whole document, and writes the index that the second one reads."""
    peaks = []
    for _ in range(2):
        with over_stdio(f"github={GITHUB}") as spoken:
            spoken.begin()
            spoken.ask("tools/list")
            peaks.append(spoken.peak_kib())
    assert peaks[0] < 400_000
    assert peaks[1] < 110_000
