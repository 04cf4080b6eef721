"""
Measures how long documents take to become tools; writes results/compile.json.

    python benchmarks/compile.py [FOLDER] [PART OF A FILE NAME]...

Each document is measured in an interpreter of its own. Times are the best of several runs, ratios
are to the bare parse of the same bytes in the same process:

- parse: `json.loads` of the text; for YAML the parser of the library
- names: from the path to the names of all tools, without a cache
- cached: the same from the cached index; `hash` is the reading and hashing alone
- tools: all tools built and written (name, description and schema), of a document that is parsed
- characters: of name, description and schema, as shown by default and with `lean`
- peak: resident memory of a process that does all of it once
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

RUNS = 5
DEFAULT = Path(__file__).parents[2] / "shared" / "data" / "specs"
RESULTS = Path(__file__).parent / "results" / "compile.json"


def best(run: Callable[[], Any]) -> float:
    """Milliseconds of the fastest of several runs."""
    times: list[float] = []
    for _ in range(RUNS):
        # What the run before left behind is not its fault.
        gc.collect()
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return min(times) * 1000


def measured(path: Path) -> dict[str, Any]:
    """Every figure of one document."""
    from restwright.openapi.api import load
    from restwright.openapi.load.loader import parse_document
    from restwright.tools.catalog.catalog import catalog
    from restwright.tools.options import ToolOptions
    from restwright.tools.text.json_bytes import to_json_bytes

    content = path.read_bytes()
    is_json = path.suffix == ".json"

    def parse() -> object:
        if is_json:
            return json.loads(content.decode())
        return parse_document(content, source=path.name).content

    def sizes(options: ToolOptions) -> list[int]:
        tools = catalog(load(path), options=options).tools
        return [len(t.name) + len(t.description) + len(to_json_bytes(t.shows)) for t in tools]

    def tools_ms() -> float:
        times: list[float] = []
        for _ in range(RUNS):
            api = load(path)
            _ = api.document
            gc.collect()
            started = time.perf_counter()
            for tool in catalog(api).tools:
                to_json_bytes([tool.name, tool.description, tool.shows])
            times.append(time.perf_counter() - started)
        return min(times) * 1000

    whole, lean = sizes(ToolOptions()), sizes(ToolOptions(lean=True))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    row: dict[str, Any] = {
        "bytes": len(content),
        "operations": len(whole),
        "parse_ms": best(parse),
        "names_ms": best(lambda: catalog(load(path)).names),
        "tools_ms": tools_ms(),
        "hash_ms": best(lambda: hashlib.sha256(path.read_bytes()).hexdigest()),
        "characters": sum(whole),
        "lean_characters": sum(lean),
        "largest": max(whole, default=0),
        "peak_mb": peak,
    }
    os.environ.pop("RESTWRIGHT_CACHE")
    _ = catalog(load(path)).names
    row["cached_ms"] = best(lambda: catalog(load(path)).names)
    return row


def child(path: Path) -> dict[str, Any]:
    """The row of one document, from a fresh interpreter with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "RESTWRIGHT_CACHE": "off",
            "XDG_CACHE_HOME": folder,
            "HOME": folder,
        }
        done = subprocess.run(
            [sys.executable, __file__, "--one", str(path)],
            env=environment,
            stdout=subprocess.PIPE,
            check=True,
        )
    row = json.loads(done.stdout)
    row["names_ratio"] = row["names_ms"] / row["parse_ms"]
    row["tools_ratio"] = row["tools_ms"] / row["parse_ms"]
    row["tools_ms_per_operation"] = row["tools_ms"] / max(row["operations"], 1)
    return {name: round(value, 3) for name, value in row.items()}


def main(arguments: list[str]) -> None:
    """Print a line a document, and write all figures."""
    if arguments[:1] == ["--one"]:
        print(json.dumps(measured(Path(arguments[1]))))
        return
    folder = Path(arguments[0]) if arguments else DEFAULT
    if not folder.is_dir():
        print(f"nothing measured: there is no folder {folder}; name one with OpenAPI documents")
        return
    paths = sorted(each for each in folder.iterdir() if each.suffix in {".json", ".yaml", ".yml"})
    parts = arguments[1:]
    chosen = [
        each
        for each in paths
        if each.name != "index.json" and (not parts or any(part in each.name for part in parts))
    ]
    print(
        f"{'document':<30}{'ops':>6}{'parse':>8}{'names':>7}{'cached':>8}{'hash':>6}"
        f"{'tools':>8}{'ratio':>7}{'ms/op':>7}{'chars':>11}{'lean':>11}{'largest':>8}{'peak':>6}"
    )
    rows: dict[str, dict[str, Any]] = {}
    for path in chosen:
        row = rows[path.name] = child(path)
        print(
            f"{path.stem[:29]:<30}{row['operations']:>6}{row['parse_ms']:>8.1f}"
            f"{row['names_ratio']:>6.2f}x{row['cached_ms']:>8.1f}{row['hash_ms']:>6.1f}"
            f"{row['tools_ms']:>8.1f}{row['tools_ratio']:>6.2f}x"
            f"{row['tools_ms_per_operation']:>7.3f}{row['characters']:>11,}"
            f"{row['lean_characters']:>11,}{row['largest']:>8,}{row['peak_mb']:>6.0f}",
            flush=True,
        )
    if not parts:
        RESULTS.parent.mkdir(exist_ok=True)
        found = {"python": platform.python_version(), "runs": RUNS, "documents": rows}
        RESULTS.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
