"""The world of films, asked from within."""

from functools import cache
from pathlib import Path

import pytest

from restwright.jsontypes import JsonObject
from restwright_bench.tmdb.api import let_in, tmdb_api
from restwright_bench.world.api import Api, Running
from restwright_bench.world.exchange import Answer, Received

FOLDER = Path(__file__).parents[3].parent / "shared" / "data" / "restbench"

needs_restbench = [
    pytest.mark.corpus,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="the data of RestBench is not here"),
]


@cache
def api() -> Api:
    return tmdb_api(FOLDER)


@cache
def first_world() -> Running:
    return running()


def running(seed: int = 0) -> Running:
    return Running(api(), seed=seed)


def asked(path: str, **query: str) -> Received:
    return Received(method="GET", path=path, query=tuple(query.items()))


def answer(path: str, **query: str) -> Answer:
    return first_world().answer(let_in(asked(path, **query)))


def whole_list(path: str, **query: str) -> list[JsonObject]:
    pages = answer(path, **query).body["total_pages"]
    return [
        each
        for page in range(1, pages + 1)
        for each in answer(path, page=str(page), **query).body["results"]
    ]
