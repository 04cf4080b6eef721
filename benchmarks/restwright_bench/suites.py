"""The APIs of the world by name, each with its queries and what is known of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path

from restwright_bench.errors import MissingData, MissingPart, UnusableChoice
from restwright_bench.policies.run import Credentials
from restwright_bench.queries.gold import APIS, load_queries
from restwright_bench.queries.query import Oracle, Query
from restwright_bench.queries.sets import ALL, Selection
from restwright_bench.world.api import Api


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """
    One API with its queries.

    Args:
        let_in: Fills in what lets a request in.
        queries: With their oracles, by index.
    """

    name: str
    api: Api = field(repr=False)
    let_in: Credentials = field(repr=False)
    queries: tuple[tuple[Query, Oracle], ...] = field(default=(), repr=False)


def suites(folder: Path, names: Sequence[str] = APIS, *, of: Selection = ALL) -> tuple[Suite, ...]:
    """
    The suites of some APIs.

    Args:
        folder: With `specs/` and `datasets/` as RestBench has them.
        of: Only these of the queries.

    Raises:
        MissingData: Something of that is not in the folder.
    """
    return tuple(suite_of(each, folder, of=of) for each in names)


def suite_of(name: str, folder: Path, *, of: Selection = ALL) -> Suite:
    """One suite; raises as `suites()` does."""
    api, let_in = api_of(name, folder)
    if not (folder / f"datasets/{name}.json").is_file():
        raise MissingData(folder, f"datasets/{name}.json")
    oracles = {each.index: each for each in import_module(_queries(name)).oracles()}
    pairs = [
        (each, oracles[each.index])
        for each in load_queries(folder, name)[of.first :: of.every]
        if each.index in oracles
    ]
    return Suite(name=name, api=api, let_in=let_in, queries=tuple(pairs))


def api_of(name: str, folder: Path) -> tuple[Api, Credentials]:
    """
    An API alone, with what lets requests in.

    Raises:
        MissingData: Its document is not in the folder.
        UnusableChoice: There is no API of that name.
    """
    if name not in APIS:
        raise UnusableChoice("--api", f"there is {' and '.join(APIS)}, no {name}")
    document = folder / f"specs/{name}_oas.json"
    if not document.is_file():
        raise MissingData(folder, f"specs/{name}_oas.json")
    try:
        module = import_module(f"restwright_bench.{name}.api")
    except ModuleNotFoundError as error:
        raise MissingPart(str(error.name), f"the world of {name}") from error
    api: Api = getattr(module, f"{name}_api")(folder)
    written = json.loads(document.read_text(encoding="utf-8"))
    return replace(api, written=written), module.let_in


def _queries(name: str) -> str:
    return f"restwright_bench.queries.{name}"
