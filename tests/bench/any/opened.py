"""Two invented documents, and how the tests talk to their worlds."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import orjson

from restwright.jsontypes import Json
from restwright.net.messages import Request, Response
from restwright.openapi.api import load
from restwright.tools.catalog.catalog import catalog
from restwright_bench.any.tasks.generate import Document, is_never_read, open_document
from restwright_bench.any.world.bodies import ORIGIN
from restwright_bench.any.world.world import World

FOLDER = Path(__file__).parent / "documents"
LIBRARY, PORT = FOLDER / "library.yaml", FOLDER / "port.yaml"


@cache
def opened(file: Path) -> Document:
    """A document of the tests; worlds that are made of it share what is drawn."""
    return open_document(file.name, catalog(load(str(file))), is_never_read=is_never_read(file))


def send(world: World, method: str, path: str, body: Json = None) -> Response:
    """Send one request with a JSON body."""
    content = b"" if body is None else orjson.dumps(body)
    headers = (("content-type", "application/json"),) if content else ()
    return world(Request(method=method, url=f"{ORIGIN}{path}", headers=headers, body=content))


def told(world: World, path: str) -> Json:
    """The body of a GET."""
    response = send(world, "GET", path)
    assert response.status == 200, response.body
    return orjson.loads(response.body)
