"""The tables of a journal on PostgreSQL, and how those of earlier versions become them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from restwright.agents.journal.postgres.limit_schema import SHARED_LIMITS
from restwright.errors import UsageError

if TYPE_CHECKING:
    from psycopg import Connection

_TABLES = ("sessions", "events", "turns", "handovers", "questions", "leases")

# Contents are `json` and not `jsonb`, which refuses \u0000 and halves of surrogates and rewrites
# numbers: what an API said must be the same when a run goes on. What `json` refuses too, and what
# is sealed, is in the binary column.
_FIRST = """
create table restwright.sessions (
    tenant text not null, id text not null, started timestamptz not null default now(),
    question text not null, agent text not null, model text not null, apis json not null,
    now text not null default '', stopped text not null default '',
    answer text not null default '', primary key (tenant, id)
);
create index sessions_started on restwright.sessions (tenant, started desc, id);
create table restwright.events (
    tenant text not null, session text not null, number integer not null,
    at timestamptz not null default clock_timestamp(), elapsed_s double precision not null,
    place text not null, event text not null, data json, octets bytea, hash text not null,
    primary key (tenant, session, number),
    foreign key (tenant, session) references restwright.sessions on delete cascade
);
create table restwright.turns (
    tenant text not null, conversation text not null, number integer not null,
    session text not null, is_undone boolean not null default false,
    primary key (tenant, conversation, number), unique (tenant, session),
    foreign key (tenant, session) references restwright.sessions on delete cascade
);
create table restwright.handovers (
    tenant text not null, session text not null, before text not null,
    primary key (tenant, session), unique (tenant, before),
    foreign key (tenant, session) references restwright.sessions on delete cascade,
    foreign key (tenant, before) references restwright.sessions on delete cascade
);
create table restwright.questions (
    tenant text not null, id text not null, session text not null, place text not null,
    kind text not null, request_hash text not null, contents text not null,
    asked timestamptz not null default now(), answered timestamptz,
    answered_by text not null default '', answer text not null default '', closed timestamptz,
    primary key (tenant, id),
    foreign key (tenant, session) references restwright.sessions on delete cascade
);
create index questions_of_session on restwright.questions (tenant, session);
create index questions_open on restwright.questions (tenant, asked)
    where answered is null and closed is null;
create table restwright.leases (
    tenant text not null, session text not null, token text not null,
    until timestamptz not null, last integer not null, primary key (tenant, session),
    foreign key (tenant, session) references restwright.sessions on delete cascade
) with (fillfactor = 50);
""" + "".join(
    f"""
alter table restwright.{table} enable row level security;
alter table restwright.{table} force row level security;
create policy tenant on restwright.{table}
    using (tenant = current_setting('restwright.tenant', true))
    with check (tenant = current_setting('restwright.tenant', true));
"""
    for table in _TABLES
)

_ANSWERED = """
create index questions_answered on restwright.questions (tenant, asked)
    where answered is not null and closed is null;
"""

_TRACEPARENT = """
alter table restwright.sessions add column traceparent text not null default '';
"""

MIGRATIONS: tuple[str, ...] = (_FIRST, _ANSWERED, SHARED_LIMITS, _TRACEPARENT)
"""Each takes the tables from the version before it to its own number, counted from 1."""

_LOCK = "select pg_advisory_xact_lock(hashtextextended('restwright:schema', 0))"
_VERSION = "select coalesce(max(number), 0) from restwright.migrations"


def migrate(connection: Connection[Any], migrations: tuple[str, ...] = MIGRATIONS) -> None:
    """
    Have the tables of this version, whoever else does the same at the same time.

    Where they are there already nothing is written, so that a role without the right to make tables
    can be given.

    Raises:
        UsageError: They are of a later version than this one.
    """
    wanted = len(migrations)
    if (found := _find_version(connection)) < wanted:
        with connection.transaction():
            connection.execute(_LOCK)
            connection.execute("create schema if not exists restwright")
            connection.execute(
                "create table if not exists restwright.migrations"
                " (number integer primary key, at timestamptz not null default now())"
            )
            found = _find_version(connection)
            for number in range(found + 1, wanted + 1):
                connection.execute(migrations[number - 1].encode())
                connection.execute("insert into restwright.migrations values (%s)", (number,))
    if found > wanted:
        why = f"its tables are of version {found}, and this program knows {wanted}"
        raise UsageError(why, "the journal", "update restwright")


def _find_version(connection: Connection[Any]) -> int:
    row = connection.execute("select to_regclass('restwright.migrations') is not null").fetchone()
    if row is None or not row[0]:
        return 0
    found = connection.execute(_VERSION).fetchone()
    return int(found[0]) if found else 0
