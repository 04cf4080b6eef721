"""Pages of lists, as the document has them: by offset, and by cursor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar
from urllib.parse import urlencode

from restwright.jsontypes import Json, JsonObject
from restwright_bench.world.exchange import Asked, Refused

PREFIX = "/spotify/v1"
LAST_OFFSET = 100_000

Row = TypeVar("Row")


def paged(
    rows: Sequence[Row], asked: Asked, path: str, show: Callable[[Row], JsonObject]
) -> JsonObject:
    """
    The page that a request asks for.

    Args:
        path: Leads to the next page, with the other parameters of the request.
        show: Makes the object of a row; only those of the page are made.
    """
    limit, offset = int(asked.query["limit"]), int(asked.query["offset"])
    if not 0 <= offset <= LAST_OFFSET:
        raise Refused(400, f"offset must be from 0 to {LAST_OFFSET}")
    others = {name: value for name, value in asked.query.items() if name not in {"limit", "offset"}}
    shown = [show(each) for each in rows[offset : offset + limit]]
    return page_of(shown, path, total=len(rows), limit=limit, offset=offset, others=others)


def page_of(
    shown: Sequence[JsonObject],
    path: str,
    *,
    total: int,
    limit: int,
    offset: int = 0,
    others: Mapping[str, Json] | None = None,
) -> JsonObject:
    """A page whose `href`, `next` and `previous` are relative to the server."""

    def link(at: int) -> str:
        values = {**(others or {}), "offset": at, "limit": limit}
        return f"{PREFIX}{path}?{urlencode({name: _text(each) for name, each in values.items()})}"

    has_next = limit > 0 and offset + limit < total
    has_previous = limit > 0 and offset > 0
    return {
        "href": link(offset),
        "items": list(shown),
        "limit": limit,
        "next": link(offset + limit) if has_next else None,
        "offset": offset,
        "previous": link(max(0, offset - limit)) if has_previous else None,
        "total": total,
    }


def cursor_page(
    shown: Sequence[JsonObject],
    path: str,
    *,
    limit: int,
    cursors: Mapping[str, str],
    has_next: bool,
    others: Mapping[str, Json] | None = None,
) -> JsonObject:
    """
    A page that is gone on from by a cursor; without `next` where it is the last one.

    Args:
        cursors: `after` and `before`; `next` goes on by the first of them.
    """
    values = {**(others or {}), "limit": limit}
    page: JsonObject = {
        "href": f"{PREFIX}{path}?{urlencode(values)}",
        "items": list(shown),
        "limit": limit,
        "cursors": dict(cursors),
    }
    if has_next:
        name, value = next(iter(cursors.items()))
        page["next"] = f"{PREFIX}{path}?{urlencode({**values, name: value})}"
    return page


def _text(value: Json) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
