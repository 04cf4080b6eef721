"""
Measures search in 100,000 operations; writes results/scale.json.

    python benchmarks/scale.py [FOLDER] [OPERATIONS]

The operations are those of the documents in FOLDER, again and again under other names: in each copy
of a document every word of its paths, operation ids, tags, summaries and descriptions that the
paths of the documents use becomes another one of these. Schemas and parameters stay as they are.

- build: from documents in memory to the index on disk, and its resident memory
- open: of the built index, in a process that has the catalog
- query: half of them real questions of RestBench, half made of words of an operation
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import random
import re
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from restwright.errors import RestwrightError
from restwright.openapi.api import load
from restwright.openapi.document import Document
from restwright.openapi.model import API
from restwright.openapi.read.reader import read_api
from restwright.openapi.syntax.decode import LazyValue, ParsedFile
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.search.catalog_index import CatalogNames, read_indexed_fields
from restwright.tools.search.index_store import load_index

SHARED = Path(__file__).parents[2] / "shared" / "data"
RESULTS = Path(__file__).parent / "results" / "scale.json"
OPERATIONS = 100_000
QUERIES = 400
SEED = 5
_WORD = re.compile(r"[A-Za-z][a-z]{3,}")
_TEXTS = ("operationId", "summary", "description")


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED / "specs"
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else OPERATIONS
    if not folder.is_dir():
        print(f"skipped: there are no documents in {folder}")
        return
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        os.environ.pop("RESTWRIGHT_CACHE", None)
        figures = measured(folder, wanted)
    text = json.dumps(figures, indent=2)
    print(text)
    if len(sys.argv) < 3:
        RESULTS.write_text(text + "\n")


def measured(folder: Path, wanted: int) -> dict[str, Any]:
    whole = catalog(*renamed(folder, wanted))
    parts = {api.sha256: _Describe(api) for api in whole.apis.values()}
    before = resident()
    started, worked = time.perf_counter(), time.process_time()
    index = load_index(parts)
    build_s, build_cpu_s = time.perf_counter() - started, time.process_time() - worked
    opens: list[float] = []
    for _ in range(5):
        started = time.perf_counter()
        index = load_index(parts)
        opens.append(time.perf_counter() - started)
    started = time.perf_counter()
    CatalogNames(whole)
    names_s = time.perf_counter() - started
    times = sorted(timed(index.search, query) for query in queries(whole))
    return {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}",
        "operations": len(whole),
        "documents": len(whole.apis),
        "segments": index.index.searcher().num_segments,
        "index_mb": round(sum(each.stat().st_size for each in found_files()) / 1e6),
        "build_s": round(build_s, 1),
        "build_cpu_s": round(build_cpu_s, 1),
        "load_average": round(os.getloadavg()[0], 1),
        "build_grows_mb": round(peak() - before),
        "peak_mb": round(peak()),
        "open_ms": round(min(opens) * 1000, 1),
        "first_open_ms": round(opens[0] * 1000, 1),
        "names_of_the_catalog_ms": round(names_s * 1000, 1),
        "query_p50_ms": round(times[len(times) // 2] * 1000, 2),
        "query_p99_ms": round(times[int(len(times) * 0.99)] * 1000, 2),
        "query_max_ms": round(times[-1] * 1000, 2),
    }


class _Describe:
    def __init__(self, api: API) -> None:
        self.api = api

    def __call__(self) -> Any:
        return read_indexed_fields(self.api)


def timed(search: Any, query: str) -> float:
    started = time.perf_counter()
    search(query, 20)
    return time.perf_counter() - started


def renamed(folder: Path, wanted: int) -> list[API]:
    """Copies of documents until there are enough operations."""
    originals = list(readable(folder))
    vocabulary = sorted({
        word.lower()
        for api in originals
        for each in api.operations
        for word in _WORD.findall(each.path)
    })  # fmt: skip
    made: list[API] = []
    count = 0
    for copy in range(10_000):
        others = vocabulary[copy * 37 % len(vocabulary) :] + vocabulary
        names = dict(zip(vocabulary, others, strict=False))
        for number, api in enumerate(originals):
            one = renamed_api(api, names, f"{number}x{copy}")
            made.append(one)
            count += len(one.operations)
            if count >= wanted:
                return made
    return made


def readable(folder: Path) -> Iterator[API]:
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.name != "index.json" and path.suffix in (".json", ".yaml"):
            try:
                yield load(path)
            except RestwrightError as error:
                print(f"left out: {path.name}: {error}", file=sys.stderr)


def renamed_api(api: API, names: dict[str, str], alias: str) -> API:
    """One copy; what is not renamed is shared with the original."""
    document = dict(api.document)
    document["info"] = {**document["info"], "title": say(api.title, names)}
    document["paths"] = {
        say(path, names) + f"/{n}": renamed_item(item, names)
        for n, (path, item) in enumerate(document.get("paths", {}).items())
        if isinstance(item, dict)
    }
    digest = hashlib.sha256(f"{api.sha256} {alias}".encode()).hexdigest()
    parsed = ParsedFile(value=document, problems=LazyValue(tuple))
    made = Document(
        source=f"{alias}.json", digest=LazyValue(lambda: digest), parsed=LazyValue(lambda: parsed)
    )
    return read_api(made, alias=f"api{alias}")


def renamed_item(item: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {
        key: renamed_operation(each, names) if isinstance(each, dict) else each
        for key, each in item.items()
    }


def renamed_operation(operation: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    texts = {
        key: say(operation[key], names) for key in _TEXTS if isinstance(operation.get(key), str)
    }
    tags = [say(str(each), names) for each in operation.get("tags") or ()]
    return {**operation, **texts, **({"tags": tags} if tags else {})}


def say(text: str, names: dict[str, str]) -> str:
    def other(found: re.Match[str]) -> str:
        word = names.get(found[0].lower())
        return found[0] if word is None else word.capitalize() if found[0][0].isupper() else word

    return re.sub(
        r"\{[^{}]*\}|" + _WORD.pattern, lambda m: m[0] if m[0][0] == "{" else other(m), text
    )


def queries(whole: Catalog) -> list[str]:
    chosen = random.Random(SEED)
    entries = list(whole.entries.values())
    made = [
        each.operation.summary or each.operation.path
        for each in chosen.choices(entries, k=QUERIES // 2)
    ]
    for path in sorted((SHARED / "restbench" / "datasets").glob("*.json")):
        made += [each["query"] for each in json.loads(path.read_bytes())]
    return made


def resident() -> float:
    """Megabytes that the process has now."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        return peak()
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def found_files() -> Iterator[Path]:
    from restwright.net.storage import cache_folder

    folders = sorted((cache_folder() / "search").iterdir(), key=lambda each: each.stat().st_mtime)
    return (each for each in folders[-1].iterdir() if each.is_file())


if __name__ == "__main__":
    main()
