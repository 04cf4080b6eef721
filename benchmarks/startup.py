"""
Measures the start of commands beside an empty Python; writes results/startup.json.

Processor time is what counts, and its least: others may use the machine. As after an installation,
modules are compiled, whatever the environment says of that, and a document was opened before.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

RUNS = 10
IMPORT_RUNS = 4
SLOWEST = 15
RESOURCES = 12
OPERATIONS_OF_ONE = 3
RESULTS = Path(__file__).parent / "results" / "startup.json"
# Nothing is sent there before the prompt.
MODEL = ("--model", "openai:none", "--model-url", "http://127.0.0.1:9/v1")
MANIFEST = """\
title: Stock
prompt: You answer questions about a stock.
apis:
  - {document: document.json, alias: stock}
"""


def make_document() -> dict[str, Any]:
    """An API of 36 operations: what there is of each thing, one of them, and a new one."""
    thing = {
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "maxLength": 80},
            "count": {"type": "integer", "minimum": 0},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
    }
    paths: dict[str, Any] = {}
    for index in range(RESOURCES):
        content = {"application/json": {"schema": {"$ref": f"#/components/schemas/Thing{index}"}}}
        answer = {"200": {"description": "It.", "content": content}}
        query = {"name": "page", "in": "query", "schema": {"type": "integer"}}
        one = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        paths[f"/things{index}"] = {
            "get": {
                "operationId": f"listThings{index}",
                "summary": f"List things of kind {index}",
                "parameters": [query],
                "responses": answer,
            },
            "post": {
                "operationId": f"addThing{index}",
                "summary": f"Add a thing of kind {index}",
                "requestBody": {"content": content},
                "responses": answer,
            },
        }
        paths[f"/things{index}/{{id}}"] = {
            "get": {
                "operationId": f"getThing{index}",
                "summary": f"Get a thing of kind {index}",
                "parameters": [one],
                "responses": answer,
            }
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Stock", "version": "1"},
        "servers": [{"url": "https://stock.example"}],
        "paths": paths,
        "components": {"schemas": {f"Thing{index}": thing for index in range(RESOURCES)}},
    }


def commands_in(folder: Path) -> dict[str, tuple[str, ...]]:
    """What is measured: `{name: arguments of Python}`; documents are written into `folder`."""
    document, manifest = folder / "document.json", folder / "manifest.yaml"
    document.write_text(json.dumps(make_document()), encoding="utf-8")
    manifest.write_text(MANIFEST, encoding="utf-8")
    restwright = ("-m", "restwright")
    return {
        "python -c pass": ("-c", "pass"),
        "import typer": ("-c", "import typer"),
        "import restwright": ("-c", "import restwright"),
        "restwright --version": (*restwright, "--version"),
        "restwright --help": (*restwright, "--help"),
        f"restwright tools, {RESOURCES * OPERATIONS_OF_ONE} operations": (
            *restwright,
            *("tools", "-q", str(document)),
        ),
        "restwright chat, to its prompt": (*restwright, "chat", str(manifest), *MODEL),
    }


def environment_in(folder: Path) -> dict[str, str]:
    """The variables of a command: it keeps what it compiles and what it remembers in `folder`."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    places = ("PYTHONPYCACHEPREFIX", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")
    return kept | {name: str(folder / name) for name in places}


def run(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[float, float]:
    """Milliseconds of one fresh interpreter: `(of the processor, on the clock)`."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    ended, after = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    processor_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return processor_s * 1000, (ended - started) * 1000


def import_times(arguments: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any]:
    """How many modules a command imports, and the milliseconds that the slowest take themselves."""
    least: dict[str, float] = {}
    for _ in range(IMPORT_RUNS):
        for name, taken in _import_run(arguments, environment).items():
            least[name] = min(taken, least.get(name, taken))
    slowest = sorted(least, key=least.__getitem__, reverse=True)[:SLOWEST]
    return {"modules": len(least), "slowest": {name: round(least[name], 1) for name in slowest}}


def _import_run(arguments: Sequence[str], environment: Mapping[str, str]) -> dict[str, float]:
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    taken: dict[str, float] = {}
    for line in ran.stderr.splitlines():
        own, _, rest = line.removeprefix("import time:").partition("|")
        if own.strip().isdigit():
            taken[rest.rpartition("|")[2].strip()] = int(own) / 1000
    return taken


def measure(folder: Path) -> dict[str, Any]:
    """Take turns, so that a busy moment does not fall on one command alone."""
    commands, environment = commands_in(folder), environment_in(folder)
    for arguments in commands.values():
        run(arguments, environment)
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(RUNS):
        for name, arguments in commands.items():
            taken[name].append(run(arguments, environment))
    base = min(processor for processor, _ in taken["python -c pass"])
    rows: dict[str, Any] = {}
    for name, runs in taken.items():
        processor, clock = zip(*runs, strict=True)
        rows[name] = {
            "cpu_ms": round(min(processor), 1),
            "ratio": round(min(processor) / base, 1),
            "min_ms": round(min(clock), 1),
            "median_ms": round(statistics.median(clock), 1),
        }
    own = [name for name in commands if name.startswith("restwright")]
    return {
        "times": rows,
        "imports": {name: import_times(commands[name], environment) for name in own},
    }


def main() -> None:
    """Measure, print, and write what was found."""
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder))
    for name, row in found["times"].items():
        print(f"{name:<34}{row['cpu_ms']:>8.1f} ms of CPU, x{row['ratio']:<6}", end="")
        print(f"{row['min_ms']:>8.1f} ms at least, {row['median_ms']:.1f} in the middle")
    for name, imports in found["imports"].items():
        slowest = ", ".join(f"{module} {ms}" for module, ms in imports["slowest"].items())
        print(f"\n{name}: {imports['modules']} modules; {slowest}")
    told = {"python": platform.python_version(), "runs": RUNS, **found}
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
