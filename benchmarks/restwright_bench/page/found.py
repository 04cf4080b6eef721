"""The results that there are, read once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from restwright.jsontypes import Json, JsonObject
from restwright_bench.calling.kept import records

AGENTS = ("agent", "run-agent")
"""What the names of files of agents begin with."""


@dataclass(frozen=True, slots=True)
class Found:
    """A folder of results; what is not there is None, or nothing."""

    folder: Path

    def one(self, name: str) -> Json:
        """The value of a file `NAME.json`."""
        path = self.folder / f"{name}.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None

    def lines(self, prefix: str) -> Iterator[tuple[str, list[JsonObject]]]:
        """Yield `(name, records)` of files `PREFIX-NAME.jsonl`, by name; empty ones left out."""
        for name in self.names(prefix):
            if told := list(records(self.folder / f"{prefix}-{name}.jsonl")):
                yield name, told

    def agents(self) -> Iterator[tuple[str, list[JsonObject]]]:
        """The same of all files of agents, but for runs beside further APIs."""
        for name, told in self.all_agents():
            if alone := [line for line in told if not line.get("beside", 0)]:
                yield name, alone

    def all_agents(self) -> Iterator[tuple[str, list[JsonObject]]]:
        """The same with those."""
        for prefix in AGENTS:
            yield from self.lines(prefix)

    def names(self, prefix: str) -> list[str]:
        """What stands behind the prefix in the names of files of lines."""
        paths = sorted(self.folder.glob(f"{prefix}-*.jsonl"))
        return [each.stem.removeprefix(f"{prefix}-") for each in paths]

    def dates(self) -> list[str]:
        """The days that results tell of, the first one first."""
        told = [self.one(each.stem) for each in sorted(self.folder.glob("*.json"))]
        days = {each["date"] for each in told if isinstance(each, dict) and "date" in each}
        return sorted(days | {day for prefix in AGENTS for day in self._days(prefix)})

    def _days(self, prefix: str) -> Iterator[str]:
        for _, told in self.lines(prefix):
            yield from (each["date"] for each in told if "date" in each)
