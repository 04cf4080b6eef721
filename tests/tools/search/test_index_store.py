from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from restwright.net.storage import cache_folder, clear_state
from restwright.openapi.api import load
from restwright.openapi.model import API
from restwright.testing import document
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.search import bm25 as engine
from restwright.tools.search import catalog_index as catalogs
from restwright.tools.search import index_store as kept
from restwright.tools.search.catalog_index import open_catalog_index

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
    catalogs.forget_indexes()
    return catalog(*apis)


def found(*apis: API, k: int = 10) -> list[tuple[str, float]]:
    return [(each.name, each.score) for each in open_catalog_index(fresh(*apis)).search(ASKED, k)]


def folders() -> list[Path]:
    return sorted((cache_folder() / "search").iterdir())


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Aliases of the documents that are indexed from now on."""
    aliases: list[str] = []
    described = catalogs.read_indexed_fields

    def counting(one: API) -> Any:
        aliases.append(one.alias or "")
        return described(one)

    monkeypatch.setattr(catalogs, "read_indexed_fields", counting)
    return aliases


def test_an_index_is_opened_and_not_made_again(counted: list[str]) -> None:
    first = found(SHOP)
    assert found(SHOP) == first
    assert counted == ["shop"]


def test_adding_an_api_reads_only_that_one(counted: list[str]) -> None:
    found(SHOP)
    found(SHOP, ZOO)
    assert counted == ["shop", "zoo"]


def test_removing_and_reordering_apis_reads_none(counted: list[str]) -> None:
    both = found(SHOP, ZOO)
    counted.clear()
    assert found(ZOO, SHOP) == both
    assert found(ZOO)
    assert counted == []


def test_operations_rank_as_if_they_had_been_indexed_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    on_disk = found(SHOP, ZOO)
    monkeypatch.setenv("RESTWRIGHT_CACHE", "off")
    assert found(SHOP, ZOO) == on_disk


def test_many_documents_have_few_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MAX_SEGMENTS", 2)
    many = [api(f"api{n}", f"thing{n}", "order") for n in range(12)]

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


def test_an_index_of_another_version_is_made_again(
    counted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = found(SHOP)
    monkeypatch.setattr(kept, "INDEX_FORMAT", kept.INDEX_FORMAT + 1)
    assert found(SHOP) == first
    assert len(counted) == 2


def test_a_folder_that_others_may_change_is_not_believed(counted: list[str]) -> None:
    found(SHOP)
    for folder in folders():
        folder.chmod(0o777)
    assert found(SHOP)
    assert len(counted) == 2


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "restwright").write_text("a file where the folder should be")
    assert found(SHOP)


def test_an_index_that_breaks_while_it_is_searched_is_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = found(SHOP)
    ready = open_catalog_index(fresh(SHOP))
    search_terms = engine.SearchIndex.search_terms
    broken = [ready.index]

    def breaking(self: engine.SearchIndex, *args: Any, **more: Any) -> Any:
        if self in broken:
            raise ValueError("An IO error occurred")
        return search_terms(self, *args, **more)

    monkeypatch.setattr(engine.SearchIndex, "search_terms", breaking)
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
