"""An operation whose response cannot be made is told of, never answered wrongly."""

from __future__ import annotations

from tests.bench.any.opened import LIBRARY, opened, send

from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright_bench.any.audit import audit
from restwright_bench.any.tasks.generate import make_cases, open_document

LAMP = {
    "type": "object",
    "required": ["id", "name"],
    "properties": {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "socket": {"type": "integer", "not": {"type": "integer"}},
    },
}


def lamps(schema: object) -> object:
    content = {"application/json": {"schema": schema}}
    return {
        "get": {"operationId": "x", "responses": {"200": {"description": "", "content": content}}}
    }


def test_it_is_answered_501_and_counted():
    paths = {"/lamps": lamps({"type": "array", "items": LAMP}), "/lamps/{id}": lamps(LAMP)}
    lit = open_document("lamps.json", catalog(load(document(paths))))
    world = lit.world(0)
    assert send(world, "GET", "/lamps").status == 501
    assert len(world.unserved) == 1
    assert len(audit(lit).unserved) == 2
    assert list(make_cases(lit, 0, ("count",))) == []


def test_all_of_the_library_is_served():
    found = audit(opened(LIBRARY))
    assert (found.unserved, found.untried, found.others) == ({}, (), 1)
    assert len(found.served) == 11
