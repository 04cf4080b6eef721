"""Reads the published queries, and mends those paths that no document has."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from restwright_bench.queries.query import GoldCall, Query

APIS = ("tmdb", "spotify")
# Found by comparing every published call with the documents; white space is trimmed in all.
CORRECTED: Mapping[str, str] = {
    "/person/{movie_id}/movie_credits": "/person/{person_id}/movie_credits",
    "/track/{id}": "/tracks/{id}",
}


def load_queries(folder: Path, api: str) -> tuple[Query, ...]:
    """
    The queries of one API.

    Args:
        folder: With `datasets/` as RestBench has it.
    """
    records = json.loads((folder / "datasets" / f"{api}.json").read_text(encoding="utf-8"))
    return tuple(
        Query(api=api, index=index, text=each["query"], gold=tuple(map(_call, each["solution"])))
        for index, each in enumerate(records)
    )


def _call(text: str) -> GoldCall:
    method, _, template = text.strip().partition(" ")
    template = template.strip()
    return GoldCall(method.upper(), CORRECTED.get(template, template))


def blind(call: GoldCall) -> tuple[str, str]:
    """A call with its placeholders unnamed, as paths are compared."""
    return call.method, re.sub(r"\{[^{}]*\}", "{}", call.template)
