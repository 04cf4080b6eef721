"""Journals of both kinds, each of a test of its own."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from tests.support.postgres import PostgresServer, postgres

from restwright.agents.journal.opening import journal as open_journal
from restwright.agents.journal.store import Journal

__all__ = ["postgres"]

POSTGRES = pytest.param("postgres", marks=pytest.mark.postgres)


@pytest.fixture(params=["sqlite", POSTGRES])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def place(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """Where a journal of a name is that nobody else has: a file, or a tenant of one database."""
    if kind == "sqlite":
        return lambda name: f"sqlite:{tmp_path / name}.sqlite3"
    server: PostgresServer = request.getfixturevalue("postgres")
    own = secrets.token_hex(4)
    return lambda name: server.url(tenant=f"{own}-{name}")


@pytest.fixture
def store(place: Callable[[str], str]) -> Generator[Journal]:
    with open_journal(place("runs")) as opened:
        yield opened
