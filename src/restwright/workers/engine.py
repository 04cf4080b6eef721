"""
DBOS, which hands out runs: where its tables are, and how it is configured.

It is given names of sessions and of agents alone; what was asked and done is in the journal. What
it keeps is JSON: with its own default, pickle, whoever may write to its tables could run code here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from restwright.agents.journal.postgres.journal import PostgresJournal
from restwright.agents.journal.store import Journal
from restwright.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from dbos import DBOSClient, DBOSConfig
    from sqlalchemy import Engine

SCHEMA = "restwright_queue"
"""Of the tables of DBOS, apart from those of another program that uses it in this database."""
APPLICATION = "restwright"
VERSION = "restwright-journal-1"
"""Of what a worker is handed; not of the program, or an update would orphan what is queued."""
WORKFLOW = "resume_session"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueAddress:
    """
    A queue of the tenant of a journal.

    Raises:
        UsageError: It has no name that there can be, or the journal is no database.
    """

    journal: PostgresJournal
    queue: str

    def __post_init__(self) -> None:
        check_name(self.queue, "--queue")

    @property
    def tenant(self) -> str:
        """Whose runs these are."""
        return self.journal.database.address.tenant

    @property
    def name(self) -> str:
        """Of the queue, as the engine knows it."""
        return f"{self.tenant}/{self.queue}"

    def executor(self, worker: str) -> str:
        """Name a worker, as the engine knows it."""
        return f"{self.name}/{worker}"

    def ticket(self, session: str) -> str:
        """Name the first ticket of a session; later ones have something after a `#`."""
        return f"{self.tenant}/{session}"


def check_name(name: str, setting: str) -> None:
    """
    Refuse what cannot be the name of a queue, a worker or a session.

    Raises:
        UsageError: It cannot.
    """
    if not _NAME.fullmatch(name):
        how = "give letters, digits and . _ : -, at most 128"
        raise UsageError(f"{name!r} is no name", setting, how)


def require_database(journal: Journal) -> PostgresJournal:
    """
    Return a journal that machines share.

    Raises:
        UsageError: It is a file.
    """
    if isinstance(journal, PostgresJournal):
        return journal
    how = "give --journal postgresql://HOST/DATABASE"
    raise UsageError("a queue needs a journal on PostgreSQL", "--journal", how)


def make_engine(journal: PostgresJournal, connections: int) -> Engine:
    """
    Make a pool of the engine's own, without a password in any URL.

    Raises:
        MissingExtra: DBOS is not installed.
    """
    if find_spec("dbos") is None:
        raise MissingExtra("dbos", "a queue of runs")
    import psycopg
    from sqlalchemy import create_engine

    settings = journal.database.settings
    return create_engine(
        "postgresql+psycopg://",
        creator=lambda: psycopg.connect("", **settings),
        pool_size=connections,
        max_overflow=0,
        pool_pre_ping=True,
    )


def open_client(engine: Engine) -> DBOSClient:
    """Open what enqueues and lists; the tables are made where they are not there."""
    from dbos import DBOSClient, DBOSPortableJSONSerializer

    client = DBOSClient(
        system_database_engine=engine,
        dbos_system_schema=SCHEMA,
        serializer=DBOSPortableJSONSerializer(),
        application_name=APPLICATION,
    )
    # No public name makes the tables without also taking up what is queued.
    client._sys_db.run_migrations()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    return client


def make_config(engine: Engine, executor: str) -> DBOSConfig:
    """How a worker launches DBOS."""
    from dbos import DBOSConfig, DBOSPortableJSONSerializer

    return DBOSConfig(
        name=APPLICATION,
        system_database_engine=engine,
        dbos_system_schema=SCHEMA,
        serializer=DBOSPortableJSONSerializer(),
        application_version=VERSION,
        executor_id=executor,
        log_level="CRITICAL",
    )
