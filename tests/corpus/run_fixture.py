"""
One hostile document in a process of its own: `run_fixture.py STAGE FILE` prints one JSON object.

The process may use 200 MB and about a second more than when everything had been imported. What it
opens and where it connects is noted by an audit hook, which nothing that runs in it can take away.
A stage is a function from the path of a document to what the test looks at.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from restwright.calls.arguments.check import check
from restwright.errors import RestwrightError
from restwright.openapi.api import load
from restwright.testing import never
from restwright.tools.catalog.catalog import catalog
from restwright.tools.text.json_bytes import to_json_bytes

MEGABYTES, SECONDS = 200, 1
WATCHED = {"open", "socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system"}
# Loaded first, so that what is imported late is there before the limits and the hook.
HARMLESS = b"""
openapi: 3.0.3
info: {title: T, version: "1"}
paths:
  /x: {get: {parameters: [{$ref: a.yaml}], responses: {"200": {description: x}}}}
"""


def load_stage(source: Path | bytes) -> dict[str, Any]:
    api = load(source, retrieve=never)
    return {
        "operations": len(list(api.operations)),
        "content": api.document,
        "problems": [str(problem) for problem in api.problems],
    }


def tool_stage(source: Path | bytes) -> dict[str, Any]:
    api = load(source, retrieve=never)
    tools = catalog(api).tools
    return {
        "names": [tool.name for tool in tools],
        "descriptions": [tool.description for tool in tools],
        "shown": [len(to_json_bytes(tool.shows)) for tool in tools],
        "checked": [len(to_json_bytes(tool.checks)) for tool in tools],
        "accepts": [not check(tool, {"q": "a"}) for tool in tools],
        "shows": tools[0].shows if len(to_json_bytes(tools[0].shows)) < 2000 else None,
        "problems": [str(problem) for problem in api.problems],
    }


def validate_stage(source: Path | bytes) -> dict[str, Any]:
    tool = catalog(load(source, retrieve=never)).tools[0]
    value = json.loads(os.environ.get("FIXTURE_INPUT", '{"q": "a"}'))
    return {"mismatches": [str(each) for each in check(tool, value)]}


STAGES: dict[str, Callable[[Path | bytes], dict[str, Any]]] = {
    "load": load_stage,
    "tool": tool_stage,
    "validate": validate_stage,
}


def outcome_of(stage: str, path: Path) -> dict[str, Any]:
    seen: list[str] = []
    run = STAGES[stage]
    run(HARMLESS)
    limit()
    sys.addaudithook(lambda event, given: note(seen, event, given))
    try:
        outcome: dict[str, Any] = {"loaded": run(path)}
    except RestwrightError as error:
        outcome = {"refused": str(error)}
    return {**outcome, "seen": list(seen)}


def note(seen: list[str], event: str, given: tuple[Any, ...]) -> None:
    if event in WATCHED and not (event == "open" and isinstance(given[0], int)):
        seen.append(f"{event} {given[0] if event == 'open' else given}")


def limit() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    size = pages * resource.getpagesize() + MEGABYTES * 1024 * 1024
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(used.ru_utime + used.ru_stime) + 1 + SECONDS
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    os.environ["RESTWRIGHT_CACHE"] = "off"
    json.dump(outcome_of(sys.argv[1], Path(sys.argv[2])), sys.stdout)
