"""Every operation of every shared document has a legal name of its own, in both namings."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from restwright.errors import NotOpenAPI
from restwright.openapi.api import load
from restwright.openapi.model import API
from restwright.testing import never
from restwright.tools.catalog.catalog import catalog
from restwright.tools.naming.accessor import name_by_accessor
from restwright.tools.naming.names import OperationNames, name_operations

DATA = Path(__file__).parents[2].parent / "shared" / "data"
SPECS = sorted(path for path in DATA.glob("specs/*__*") if path.suffix in {".json", ".yaml"})
ADVERSARIAL = DATA / "conformance" / "adversarial"
LEGAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not SPECS, reason=f"the shared data set {DATA} is not there"),
]


def read(path: Path) -> API:
    try:
        return load(path, retrieve=never)
    except NotOpenAPI as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.name)
def test_names_are_legal_and_unique(path: Path) -> None:
    api = read(path)
    for named in (name_operations, name_by_accessor):
        for max_length in (42, 64):
            assert_legal_and_unique(api, named(api.operations, max_length=max_length), max_length)


def assert_legal_and_unique(api: API, found: OperationNames, max_length: int) -> None:
    assert list(found.names) == [each.pointer for each in api.operations]
    assert all(LEGAL.fullmatch(each) and len(each) <= max_length for each in found.names.values())
    assert len(set(found.names.values())) == len(api.operations)


@pytest.mark.parametrize("file", ["names_collide.yaml", "names_long.yaml"])
@pytest.mark.parametrize("named", [name_operations, name_by_accessor])
def test_names_made_to_collide_do_not(file: str, named: Callable[..., OperationNames]) -> None:
    api = read(ADVERSARIAL / file)
    found = named(api.operations)

    assert_legal_and_unique(api, found, 64)
    assert found == named(api.operations)
    assert catalog(api).names == catalog(read(ADVERSARIAL / file)).names


def test_identifiers_that_look_alike_are_all_qualified() -> None:
    found = name_operations(read(ADVERSARIAL / "names_collide.yaml").operations)

    assert list(found.names.values()) == [
        "list_items_get_a",
        "list_items_get_b",
        "list-items",
        "list_items_get_d",
        "lst_items",
    ]
    assert len(found.problems) == 3


def test_a_tool_stays_in_its_namespace() -> None:
    api = read(ADVERSARIAL / "shadow_tool.yaml")

    assert catalog(api).names == ("t__send_email",)
