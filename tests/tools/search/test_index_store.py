from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from restwright.net.storage import cache_folder, clear_state
from restwright.openapi.api import load
from restwright.openapi.model import API
from restwright.testing import document
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.search.bm25 import SearchIndex
from restwright.tools.search.catalog_index import (
    forget_indexes,
    open_catalog_index,
    read_indexed_fields,
)
from restwright.tools.search.fields import IndexedFields
from restwright.tools.search.index_store import MAX_SEGMENTS, load_index
from restwright.tools.search.query import parse_query

ASKED = "delete an order"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("RESTWRIGHT_CACHE", raising=False)


def api(alias: str, *things: str) -> API:
    paths: dict[str, Any] = {
        f"/{thing}s": {
            "get": {"operationId": f"list_{thing}s", "summary": f"List the {thing}s"},
            "delete": {"operationId": f"delete_{thing}", "summary": f"Delete one {thing}"},
        }
        for thing in things
    }
    return load(document(paths), alias=alias)


SHOP, ZOO = api("shop", "order", "product"), api("zoo", "animal", "order")


def fresh(*apis: API) -> Catalog:
    """A catalog whose index is not in memory."""
    forget_indexes()
    return catalog(*apis)


def found(*apis: API, k: int = 10) -> list[tuple[str, float]]:
    return [(each.name, each.score) for each in open_catalog_index(fresh(*apis)).search(ASKED, k)]


def folders() -> list[Path]:
    return sorted((cache_folder() / "search").iterdir())


@dataclass(slots=True)
class Reading:
    """Loads indexes; `aliases` are those of the documents that were indexed for it."""

    aliases: list[str] = field(default_factory=list[str])

    def found(self, *apis: API) -> list[tuple[str, float]]:
        index = load_index({one.sha256: partial(self._fields, one) for one in apis})
        hits = index.search_terms(parse_query(ASKED), 10)
        return [(each.name, each.score) for each in hits]

    def _fields(self, one: API) -> Iterator[IndexedFields]:
        self.aliases.append(one.alias or "")
        return read_indexed_fields(one)


@pytest.fixture
def reading() -> Reading:
    return Reading()


def test_an_index_is_opened_and_not_made_again(reading: Reading) -> None:
    first = reading.found(SHOP)
    assert reading.found(SHOP) == first
    assert first
    assert reading.aliases == ["shop"]


def test_adding_an_api_reads_only_that_one(reading: Reading) -> None:
    reading.found(SHOP)
    reading.found(SHOP, ZOO)
    assert reading.aliases == ["shop", "zoo"]


def test_removing_and_reordering_apis_reads_none(reading: Reading) -> None:
    both = reading.found(SHOP, ZOO)
    reading.aliases.clear()
    assert reading.found(ZOO, SHOP) == both
    assert reading.found(ZOO)
    assert reading.aliases == []


def test_operations_rank_as_if_they_had_been_indexed_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    on_disk = found(SHOP, ZOO)
    monkeypatch.setenv("RESTWRIGHT_CACHE", "off")
    assert found(SHOP, ZOO) == on_disk


def test_many_documents_have_few_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [api(f"api{n}", f"thing{n}", "order") for n in range(MAX_SEGMENTS + 2)]

    on_disk = found(*many, k=50)

    index = open_catalog_index(catalog(*many)).index
    assert index.index.searcher().num_segments < len(many)
    monkeypatch.setenv("RESTWRIGHT_CACHE", "off")
    assert found(*many, k=50) == on_disk


def test_nothing_is_written_when_caches_are_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESTWRIGHT_CACHE", "off")
    assert found(SHOP)
    assert not cache_folder().exists()


def test_folders_and_files_are_private() -> None:
    found(SHOP, ZOO)
    for folder in folders():
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert {stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir() if each.suffix} == {
            0o600
        }


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _scramble(path: Path) -> None:
    path.write_bytes(bytes(255 - each for each in path.read_bytes()))


@pytest.mark.parametrize("damage", [_truncate, _scramble, Path.unlink])
@pytest.mark.parametrize("glob", ["made.json", "meta.json", "*.term", "*.store", "*"])
def test_a_damaged_index_is_made_again(damage: Callable[[Path], object], glob: str) -> None:
    whole = found(SHOP, ZOO)
    for folder in folders():
        for path in list(folder.glob(glob)):
            # The same file stands in several folders.
            copy = path.with_name("copy")
            shutil.copyfile(path, copy)
            copy.replace(path)
            damage(path)
    assert found(SHOP, ZOO) == whole
    assert found(SHOP) == [each for each in found(SHOP) if each[0].startswith("shop__")]


def test_an_index_of_another_version_is_made_again(reading: Reading) -> None:
    first = reading.found(SHOP)
    (path,) = (folder / "made.json" for folder in folders())
    made = json.loads(path.read_bytes())
    path.write_text(json.dumps({**made, "made_by": "restwright 0"}), "utf-8")
    assert reading.found(SHOP) == first
    assert len(reading.aliases) == 2


def test_a_folder_that_others_may_change_is_not_believed(reading: Reading) -> None:
    reading.found(SHOP)
    for folder in folders():
        folder.chmod(0o777)
    assert reading.found(SHOP)
    assert len(reading.aliases) == 2


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "restwright").write_text("a file where the folder should be")
    assert found(SHOP)


class Breaking(SearchIndex):
    """An index whose files are damaged."""

    def search_terms(self, *_: Any, **__: Any) -> Any:
        raise ValueError("An IO error occurred")


def test_an_index_that_breaks_while_it_is_searched_is_made_again() -> None:
    whole = found(SHOP)
    ready = open_catalog_index(fresh(SHOP))
    given = {
        each.name: getattr(ready.index, each.name) for each in fields(SearchIndex) if each.init
    }
    ready = replace(ready, index=Breaking(**given))
    assert [(each.name, each.score) for each in ready.search(ASKED, 10)] == whole


def test_clearing_the_cache_removes_indexes() -> None:
    found(SHOP, ZOO)
    files, size = clear_state()
    assert files
    assert size
    assert folders() == []


PROGRAM = """
import sys
from restwright.openapi.api import load
from restwright.tools.catalog.catalog import catalog
from restwright.tools.search.catalog_index import open_catalog_index
apis = [load(source, alias=f"api{n}") for n, source in enumerate(sys.argv[1:])]
print([each.name for each in open_catalog_index(catalog(*apis)).search("delete an order", 3)])
"""


@pytest.mark.process
def test_several_processes_at_once_find_the_same(tmp_path: Path) -> None:
    sources: list[str] = []
    for one in (SHOP, ZOO):
        sources.append(str(tmp_path / f"{one.alias}.json"))
        Path(sources[-1]).write_bytes(json.dumps(one.document).encode())
    running = [
        subprocess.Popen(  # noqa: S603 (our own interpreter)
            [sys.executable, "-c", PROGRAM, *sources], stdout=subprocess.PIPE, env=os.environ
        )
        for _ in range(3)
    ]
    said = [each.communicate(timeout=60)[0] for each in running]
    assert [each.returncode for each in running] == [0, 0, 0]
    assert len(set(said)) == 1
    assert not [each for each in folders() if each.name.startswith(".new-")]
