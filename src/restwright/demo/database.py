"""SQLite in memory: the tables, and the few ways in which they are read and written."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from importlib.resources import files
from threading import RLock
from typing import Self

from restwright.jsontypes import Json, JsonObject

_ALPHABET = "23456789bcdfghjkmnpqrstvwxz"


def identifier(kind: str, *seed: object) -> str:
    """An id such as `prod-b8k3x`: the same for the same seed, and not to be guessed from it."""
    number = int.from_bytes(hashlib.sha256(repr((kind, *seed)).encode()).digest()[:8])
    characters = (_ALPHABET[number // 27**place % 27] for place in range(5))
    return f"{kind}-{''.join(characters)}"


class Database:
    """
    The tables of `schema.sql`, in memory. May be used from several threads; `close` it.

    SQL is written by the shop alone, values are always bound.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._connection = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False
        )
        self._connection.row_factory = sqlite3.Row
        self._connection.executescript(
            files("restwright.demo").joinpath("schema.sql").read_text(encoding="utf-8")
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Free the connection; the data are gone with it."""
        with self._lock:
            self._connection.close()

    def rows(self, sql: str, *values: Json) -> list[JsonObject]:
        """All rows of a query, `{column: value}` each."""
        with self._lock:
            return [dict(row) for row in self._connection.execute(sql, values)]

    def row(self, sql: str, *values: Json) -> JsonObject | None:
        """The first row of a query, if there is one."""
        return next(iter(self.rows(sql, *values)), None)

    def write(self, sql: str, *values: Json) -> None:
        """Run one statement that changes something."""
        self.rows(sql, *values)

    def insert(self, table: str, **values: Json) -> None:
        """Add one row."""
        marks = ", ".join("?" for _ in values)
        # Table and column names come from the code of the shop.
        sql = f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})"  # noqa: S608
        self.write(sql, *values.values())

    def new_id(self, kind: str) -> str:
        """An id that nothing has yet; equal histories give equal ids."""
        counted = self.rows("UPDATE counter SET last = last + 1 RETURNING last")
        return identifier(kind, "new", counted[0]["last"])

    @contextmanager
    def transaction(self) -> Generator[None]:
        """All that happens inside, or nothing; one at a time."""
        with self._lock:
            self._connection.execute("BEGIN")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
