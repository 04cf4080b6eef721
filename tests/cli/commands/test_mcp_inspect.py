"""`mcp inspect`, as it is typed."""

from __future__ import annotations

import json
import sys

import pytest
from tests.support.mcp.over_http import over_http
from tests.support.mcp.serving import serving_api
from tests.support.mcp.tricky import upstream


def test_a_server_over_http_is_inspected(tmp_path, restwright):
    with upstream() as api, over_http(serving_api(api, tmp_path)) as running:
        ended = restwright("mcp", "inspect", running.url, "--json")
    told = json.loads(ended.out)
    hints = {one["name"]: one["hint"] for one in told["servers"][0]["tools"]}
    assert (ended.code, hints["tricky__getNode"]) == (0, "read")
    assert hints["tricky__deleteNode"] == "destructive"


@pytest.mark.process
def test_a_server_that_is_a_command_is_inspected(things, restwright):
    command = (sys.executable, "-m", "restwright", "mcp", "serve", things, "--no-journal")
    ended = restwright("mcp", "inspect", "--", *command)
    assert ended.code == 0, ended.err
    assert "get_thing" in ended.out
    assert "0 errors" in ended.err


@pytest.mark.parametrize("target", ["http://127.0.0.1:9/mcp", "/no/such/program"])
def test_who_cannot_be_reached_is_said(restwright, target):
    ended = restwright("mcp", "inspect", target)
    assert ended.code == 2
    assert f"{target} offers nothing that can be read" in ended.err
