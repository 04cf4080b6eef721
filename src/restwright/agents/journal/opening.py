"""Opens the journal that a URL names: a file of this user, or a database that machines share."""

from __future__ import annotations

from pathlib import Path

from restwright.agents.journal.store import Journal
from restwright.errors import UsageError
from restwright.net.secret import Secret
from restwright.net.secret_references import is_secret_reference, resolve_secret

_POSTGRES = ("postgresql://", "postgres://")
_FORMS = "sqlite:PATH, postgresql://HOST/DATABASE, or env:NAME where one of these stands"


def journal(place: str | Secret | Path = "", *, key: Secret | str | None = None) -> Journal:
    """
    Open a journal: `journal()`, `journal("sqlite:runs.sqlite3")`, `journal("env:JOURNAL_URL")`.

    Args:
        place: `sqlite:PATH`, a `Path`, `postgresql://USER:PASSWORD@HOST/DATABASE` (extra
            `postgres`), or a reference to one of these; empty for the file in the state folder of
            this user. `?tenant=NAME` in a URL of PostgreSQL is whose runs are seen.
        key: What contents are sealed with from now on: 32 bytes as base64, or a reference to them
            (`env:NAME`, `file:PATH`, `keyring:NAME`); None to keep them as they are.

    Returns:
        The journal, to be closed, or used in a `with` block.

    Raises:
        OSError: It cannot be reached, or be written.
        MissingExtra: PostgreSQL without the package that speaks to it.
        MissingCredential: There is nothing at a reference.
        UsageError: It is no place of a journal, or the key is none. Never repeats what was given.
    """
    if isinstance(place, Path):
        return _open_file(place, key)
    if isinstance(place, Secret) or is_secret_reference(place):
        place = resolve_secret(place).reveal()
    if not place:
        return _open_file(None, key)
    kind, _, rest = place.partition(":")
    if kind == "sqlite" and rest:
        return _open_file(Path(rest).expanduser(), key)
    if place.startswith(_POSTGRES):
        from restwright.agents.journal.postgres.journal import PostgresJournal

        return PostgresJournal(place, key=key)
    raise UsageError("it is no place of a journal", "--journal", f"give {_FORMS}")


def _open_file(path: Path | None, key: Secret | str | None) -> Journal:
    from restwright.agents.journal.sqlite import SQLiteJournal

    return SQLiteJournal(path, key=key)
