"""Where results are, and what each says of how it came about."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import restwright
from restwright.jsontypes import Json, JsonObject
from restwright_bench.calling.kept import append
from restwright_bench.calling.kept import records as lines

__all__ = [
    "DATA",
    "RESULTS",
    "append",
    "lines",
    "machine",
    "origin",
    "shortened",
    "slug",
    "write",
]

_HERE = Path(__file__).parents[1]
# What is installed from a wheel has no folder of its own for results.
_CHECKOUT = _HERE.parent if _HERE.name == "benchmarks" else Path.cwd()
RESULTS = _CHECKOUT / "benchmarks/results"
DATA = _CHECKOUT.parent / "shared/data/restbench"


def origin(**more: Json) -> JsonObject:
    """The date, the machine and the versions, with what else is to be said."""
    return {
        "date": datetime.now(tz=UTC).date().isoformat(),
        "machine": machine(),
        "python": platform.python_version(),
        "restwright": restwright.__version__,
        **more,
    }


def machine() -> str:
    """Such as `x86_64, 2 cores, Linux`; a computer's name is nobody's business."""
    return f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}"


def write(path: Path, value: Json) -> None:
    """Write a result so that a change of one figure is a change of one line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def slug(name: str) -> str:
    """A model's name as a part of a file's."""
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")


def shortened(steps: Sequence[Json], *, most: int = 4_000) -> str:
    """A trace as text of at most `most` characters: each step shortened alike, none left out."""
    if not steps:
        return ""
    share = max(most // len(steps) - 1, 8)
    texts = [json.dumps(each, ensure_ascii=False) for each in steps]
    if sum(map(len, texts)) + len(texts) > most:
        texts = [_cut(each, share) for each in texts]
    return "\n".join(texts)[:most]


def _cut(text: str, share: int) -> str:
    return text if len(text) <= share else f"{text[: share - 3]}..."
