"""Records in tables, and the few things that operations do to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import ClassVar

from restwright.jsontypes import Json, JsonObject
from restwright.tools.text.words import fold_to_ascii
from restwright_bench.world.exchange import Answer, Asked, Handler, Refused

TODAY = "2026-01-15"
MOST = 20
EXCERPT = 60
_WORD = re.compile(r"\w{3,}")


class Store:
    """
    The data of one API. A subclass says what it is called and what is in it.

    Records are made by `add()`, whose ids a seed draws.
    """

    name: ClassVar[str]
    parents: ClassVar[Mapping[str, str]] = {}
    """`{field: table}`: what a value of that field must be the id of."""

    def __init__(self, seed: int) -> None:
        self.draw = Random(f"{self.name}-{seed}")
        self.tables: dict[str, dict[str, JsonObject]] = {}
        self._free = self.draw.sample(range(1000, 10_000), 400)
        self.fill()

    def fill(self) -> None:
        """Add what is there at the beginning."""
        raise NotImplementedError

    def add(self, table: str, **fields: Json) -> JsonObject:
        """A new record with an id of its own."""
        record = {"id": f"{table[:2]}{self._free.pop()}", **fields}
        self.settle(record)
        self.tables.setdefault(table, {})[record["id"]] = record
        return record

    def settle(self, record: JsonObject) -> None:
        """Fill in what follows from other fields of a record."""

    def all(self, table: str) -> list[JsonObject]:
        """The records of a table."""
        return [*self.tables.get(table, {}).values()]

    def one(self, table: str, id: Json) -> JsonObject:  # noqa: A002  (what it is)
        """
        A record.

        Raises:
            Refused: There is none of that id.
        """
        record = self.tables.get(table, {}).get(str(id))
        if record is None:
            raise Refused(404, f"there is no {id!r} among {table}")
        return record

    def where(self, table: str, **wanted: Json) -> JsonObject:
        """The first record with these values."""
        return next(
            each
            for each in self.all(table)
            if all(each.get(name) == value for name, value in wanted.items())
        )

    def snapshot(self) -> JsonObject:
        """Everything, as it is now."""
        return deepcopy(self.tables)

    def check(self, values: Mapping[str, Json]) -> None:
        """Refuse what refers to nothing."""
        for name, value in values.items():
            if name in self.parents and value is not None:
                self.one(self.parents[name], value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Does:
    """
    What an operation does.

    Args:
        gives: `Photo`, `[Photo]`, `ok`, or empty for no body.
    """

    handler: Handler | None = field(default=None, repr=False)
    gives: str = "ok"
    status: int = 200


NOTHING = Does()
"""Of an operation that is there to be mistaken for another; answered from the document."""


def listed(
    table: str, entity: str, *filters: str, order: str = "", only: JsonObject | None = None
) -> Does:
    """
    List records.

    Args:
        filters: Names of path or query values that the field of that name must have.
        order: A field, most first.
        only: Values that all must have.
    """

    def handler(state: Store, asked: Asked) -> Answer:
        given = {**asked.query, **asked.path}
        wanted = {each: given[each] for each in filters if each in given}
        state.check(wanted)
        kept = _with(state.all(table), {**(only or {}), **wanted})
        if order:
            kept = sorted(kept, key=lambda each: each[order], reverse=True)
        return _page(kept, asked)

    return Does(handler=handler, gives=f"[{entity}]")


def found(table: str, entity: str, fields: Iterable[str], *filters: str) -> Does:
    """Search records by words, those with most of the words of `q` first."""
    looked_at = tuple(fields)

    def handler(state: Store, asked: Asked) -> Answer:
        given = {each: asked.query[each] for each in filters if each in asked.query}
        words = words_of(asked.query["q"])
        scores = {
            each["id"]: len(words & words_of(" ".join(str(each[name]) for name in looked_at)))
            for each in _with(state.all(table), given)
        }
        ranked = sorted((each for each in scores if scores[each]), key=lambda each: -scores[each])
        return _page([state.one(table, each) for each in ranked], asked)

    return Does(handler=handler, gives=f"[{entity}]")


def one(table: str, entity: str) -> Does:
    """Give the record of the path's `id`."""
    return Does(
        handler=lambda state, asked: _body(state.one(table, asked.path["id"])), gives=entity
    )


def made(table: str, entity: str, **defaults: Json) -> Does:
    """Add a record of the body's values and the path's."""

    def handler(state: Store, asked: Asked) -> Answer:
        given = {**(asked.body or {}), **asked.path}
        state.check(given)
        return Answer(status=201, body=dict(state.add(table, **{**deepcopy(defaults), **given})))

    return Does(handler=handler, gives=entity, status=201)


def changed(table: str, entity: str, **fixed: Json) -> Does:
    """Change the record of the path's `id` to the body's values, or to fixed ones."""

    def handler(state: Store, asked: Asked) -> Answer:
        record = state.one(table, asked.path["id"])
        given = {**(asked.body or {}), **fixed}
        state.check(given)
        record.update(given)
        state.settle(record)
        return _body(record)

    return Does(handler=handler, gives=entity)


def grown(table: str, entity: str, change: Callable[[JsonObject, Asked], None]) -> Does:
    """Change the record of the path's `id` as `change` does."""

    def handler(state: Store, asked: Asked) -> Answer:
        record = state.one(table, asked.path["id"])
        change(record, asked)
        return _body(record)

    return Does(handler=handler, gives=entity)


def removed(table: str) -> Does:
    """Remove the record of the path's `id`."""

    def handler(state: Store, asked: Asked) -> Answer:
        del state.tables[table][state.one(table, asked.path["id"])["id"]]
        return Answer(status=204)

    return Does(handler=handler, gives="", status=204)


def words_of(text: str) -> frozenset[str]:
    """Words of three letters and more, as they are compared: `Forêts` is `foret`."""
    return frozenset(each.rstrip("sx") for each in _WORD.findall(fold_to_ascii(text).lower()))


def _with(records: Iterable[JsonObject], wanted: Mapping[str, Json]) -> list[JsonObject]:
    return [
        each
        for each in records
        if all(_fits(each.get(name), value) for name, value in wanted.items())
    ]


def _fits(value: Json, wanted: Json) -> bool:
    return wanted in value if isinstance(value, list) else value == wanted


def _page(records: list[JsonObject], asked: Asked) -> Answer:
    shown = records[: asked.query.get("limit", MOST)]
    items = [_brief(each) for each in shown]
    return Answer(body={"total": len(records), "items": items})


def _brief(record: JsonObject) -> JsonObject:
    """In lists a text is cut: the whole is in the record itself."""
    words = str(record.get("content", ""))
    if len(words) <= EXCERPT:
        return dict(record)
    kept = {name: each for name, each in record.items() if name != "content"}
    return {**kept, "excerpt": f"{words[:EXCERPT]}..."}


def _body(record: JsonObject) -> Answer:
    return Answer(body=deepcopy(record))
