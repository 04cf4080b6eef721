"""The API of films: its document, who is let in, and how it says no."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from restwright.jsontypes import Json
from restwright_bench.tmdb.handlers import HANDLERS
from restwright_bench.tmdb.make import make
from restwright_bench.world.api import Api
from restwright_bench.world.checking import Fault
from restwright_bench.world.document import Route, read_document
from restwright_bench.world.exchange import Received, Refused

NAME, PREFIX = "tmdb", "/tmdb/3"
DOCUMENT = Path("specs", "tmdb_oas.json")
# A key of this world, no secret; it is asked for as the document has it, or as a bearer token.
KEY = "key-of-an-invented-world"
KEY_PARAMETER, KEY_HEADER = "api_key", "authorization"
# The codes that go with a status in the answers of this API.
CODES: Mapping[int, int] = {400: 5, 401: 7, 404: 34, 405: 4, 429: 25, 500: 11, 503: 9}
OTHER = 11


def tmdb_api(folder: Path) -> Api:
    """
    The API.

    Args:
        folder: Of RestBench, with `specs/` in it.
    """
    return Api(
        name=NAME,
        prefix=PREFIX,
        document=read_document(folder / DOCUMENT),
        handlers=HANDLERS,
        make=make,
        guard=guard,
        failure=failure,
    )


def guard(received: Received, _route: Route) -> Refused | None:
    """Let in whoever has the key."""
    scheme, _, token = received.headers.get(KEY_HEADER, "").partition(" ")
    given = {value for name, value in received.query if name == KEY_PARAMETER}
    if scheme.lower() == "bearer":
        given.add(token.strip())
    return None if KEY in given else Refused(401, "Invalid API key: a valid one must be given.")


def let_in(received: Received) -> Received:
    """The same request with the key."""
    return replace(received, headers={**received.headers, KEY_HEADER: f"Bearer {KEY}"})


def failure(status: int, reason: str, faults: tuple[Fault, ...]) -> Json:
    """The body of a failure; `errors` is for machines: where each fault is, and what it is."""
    return {
        "success": False,
        "status_code": CODES.get(status, OTHER),
        "status_message": reason,
        "errors": [dict(each) for each in faults],
    }
