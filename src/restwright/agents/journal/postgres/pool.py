"""
Connections to PostgreSQL: a few for any number of runs, and through a restart of the database.

A password goes to the driver apart from the URL, so that no message of it can hold one.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from restwright.agents.journal.postgres.batches import Batches, Write
from restwright.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg_pool import ConnectionPool

T = TypeVar("T")

MAX_CONNECTIONS = 10
"""Of one process to one journal."""
_CONNECT_S = 10
# A machine that is gone without a word is noticed after 25 seconds, and not after hours; so is one
# that takes nothing of what is sent to it, and not after a quarter of an hour.
KEEPALIVE_S, KEEPALIVE_PAUSE_S, KEEPALIVE_TIMES = 10, 5, 3
KEEPALIVES_S = KEEPALIVE_S + KEEPALIVE_PAUSE_S * KEEPALIVE_TIMES
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 1.0
_SECRETS = ("password", "sslpassword")
_HOW = "give postgresql://HOST/DATABASE; in a password write @ as %40 and / as %2F"


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """
    Where a database is, and who goes there.

    Args:
        url: Without a password; may be shown.
        tenant: Whose runs are seen.
    """

    url: str
    tenant: str = ""
    secrets: dict[str, str] = field(default_factory=dict[str, str], repr=False)


def parse_address(url: str) -> DatabaseAddress:
    """
    Take a URL apart.

    Raises:
        UsageError: It is none of PostgreSQL. Never repeats it, for the sake of its password.
    """
    refused = UsageError("it is no URL that PostgreSQL takes", "the journal", _HOW)
    try:
        parts = urlsplit(url)
        given = dict(
            parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        )
    except ValueError:
        raise refused from None
    user, at, place = parts.netloc.rpartition("@")
    name, colon, password = user.partition(":")
    if "@" in parts.path or "@" in name or "@" in password or parts.fragment or not parts.scheme:
        raise refused
    secrets = {key: given.pop(key) for key in _SECRETS if key in given}
    if colon:
        secrets["password"] = unquote(password)
    tenant = given.pop("tenant", "")
    query = f"?{urlencode(given)}" if given else ""
    shown = f"postgresql://{name}{at}{place}{parts.path}{query}"
    return DatabaseAddress(shown, tenant, secrets)


class Database:
    """
    A pool of connections to one database, for one tenant. To be closed.

    Args:
        patience_s: How long a database that is not there, or is restarted, is waited for.

    Raises:
        OSError: It cannot be reached.
        MissingExtra: The package that speaks to it is not installed.
        UsageError: Its address is none.
    """

    def __init__(
        self,
        address: DatabaseAddress,
        *,
        prepare: Callable[[Connection[Any]], None],
        patience_s: float = 30.0,
    ) -> None:
        try:
            import psycopg
            from psycopg_pool import ConnectionPool
        except ImportError as error:
            raise MissingExtra("postgres", "a journal on PostgreSQL") from error
        self.address, self._patience_s = address, patience_s
        self._psycopg: Any = psycopg
        self.settings: dict[str, Any] = {
            "connect_timeout": _CONNECT_S,
            "application_name": "restwright",
            "keepalives_idle": KEEPALIVE_S,
            "keepalives_interval": KEEPALIVE_PAUSE_S,
            "keepalives_count": KEEPALIVE_TIMES,
            "tcp_user_timeout": 1000 * KEEPALIVES_S,
            **self._check_url(),
            **address.secrets,
        }
        try:
            with psycopg.connect("", autocommit=True, **self.settings) as connection:
                self._set_tenant(connection)
                prepare(connection)
        except psycopg.Error as error:
            raise self._failure(error) from None
        self._pool: ConnectionPool[Connection[Any]] = ConnectionPool(
            "",
            kwargs={**self.settings, "autocommit": True},
            min_size=1,
            max_size=MAX_CONNECTIONS,
            open=True,
            configure=self._set_tenant,
            name="restwright",
        )
        self._batches = Batches(self._write_batch)

    def _check_url(self) -> dict[str, Any]:
        from psycopg.conninfo import conninfo_to_dict

        with suppress(self._psycopg.Error):
            return dict(conninfo_to_dict(self.address.url))
        raise UsageError("it is no URL that PostgreSQL takes", "the journal", _HOW)

    def _set_tenant(self, connection: Connection[Any]) -> None:
        setting = "select set_config('restwright.tenant', %s, false)"
        connection.execute(setting, (self.address.tenant,))

    def close(self) -> None:
        """Let go of all connections."""
        self._pool.close()

    def rows(
        self, query: str, values: dict[str, Any], *, patience_s: float | None = None
    ) -> list[tuple[Any, ...]]:
        """
        Return what a query finds.

        Args:
            patience_s: In the place of that of the pool.
        """
        return self.run(
            lambda connection: connection.execute(query.encode(), values).fetchall(),
            patience_s=patience_s,
        )

    def change(self, query: str, values: dict[str, Any]) -> int:
        """
        Write, and return how many rows that touched; it is safe when this returns.

        Args:
            query: Does no harm done twice: where the connection is lost it is done again.
        """
        return self.run(lambda connection: connection.execute(query.encode(), values).rowcount)

    def write(self, query: str, values: dict[str, Any]) -> int:
        """Do what `change` does, in one commit with what other threads write at the same time."""
        return self._batches.write(query, values)

    def _write_batch(self, batch: Sequence[Write]) -> None:
        try:
            self.run(partial(_perform_batch, batch))
        except Exception as error:  # noqa: BLE001 - raised again by whoever waits for the write
            # One that is refused takes the others with it, so that each is to be tried by itself.
            if len(batch) == 1 or self._is_lost(error.__context__):
                for write in batch:
                    write.error = error
            else:
                for write in batch:
                    self._write_batch([write])

    def run(self, work: Callable[[Connection[Any]], T], *, patience_s: float | None = None) -> T:
        """
        Do something with a connection, and again where that is lost.

        Args:
            patience_s: In place of that of the whole, where it is less.

        Raises:
            OSError: It failed, or no connection came in time.
        """
        patience_s = self._patience_s if patience_s is None else min(patience_s, self._patience_s)
        until, pause_s = time.monotonic() + patience_s, _FIRST_PAUSE_S
        while True:
            try:
                with self._pool.connection(
                    timeout=max(until - time.monotonic(), 0.1)
                ) as connection:
                    return work(connection)
            except self._psycopg.Error as error:
                if not self._is_lost(error) or time.monotonic() + pause_s > until:
                    raise self._failure(error) from None
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
            with suppress(self._psycopg.Error):
                self._pool.check()

    def _is_lost(self, error: BaseException | None) -> bool:
        """Whether the connection is to blame, and another one may do."""
        code = getattr(error, "sqlstate", None)
        # 57P: the server is stopped, has crashed, or is not ready yet; 08: of connections.
        is_of_server = code is None or code[:2] == "08" or code[:3] == "57P"
        return isinstance(error, self._psycopg.OperationalError) and is_of_server

    def _failure(self, error: Exception) -> OSError:
        lines = re.sub(r"\s+", " ", str(error)).strip()
        for secret in self.address.secrets.values():
            lines = lines.replace(secret, "***") if secret else lines
        return OSError(None, lines or type(error).__name__, self.address.url)


def _perform_batch(batch: Sequence[Write], connection: Connection[Any]) -> None:
    if len(batch) == 1:
        batch[0].count = connection.execute(batch[0].query.encode(), batch[0].values).rowcount
        return
    with connection.pipeline(), connection.transaction():
        done = [connection.execute(write.query.encode(), write.values) for write in batch]
    for write, cursor in zip(batch, done, strict=True):
        write.count = cursor.rowcount
