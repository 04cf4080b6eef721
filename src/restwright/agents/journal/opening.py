"""Opens the journal that a URL names: a file of this user, or a database that machines share."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from restwright.agents.journal.store import Journal
from restwright.errors import UsageError
from restwright.net.secret import Secret
from restwright.net.secret_references import is_secret_reference, resolve_secret

_POSTGRES = ("postgresql://", "postgres://")
_FORMS = "sqlite:PATH, postgresql://HOST/DATABASE, or env:NAME where one of these stands"


def journal(
    place: str | Secret | Path = "", *, key: Secret | str | None = None, user: str = ""
) -> Journal:
    """
    Open a journal: `journal()`, `journal("sqlite:runs.sqlite3")`, `journal("env:JOURNAL_URL")`.

    Args:
        place: `sqlite:PATH`, a `Path`, `postgresql://USER:PASSWORD@HOST/DATABASE` (extra
            `postgres`), or a reference to one of these; empty for the file in the state folder of
            this user. `?tenant=NAME` in a URL of PostgreSQL is whose runs are seen.
        key: What contents are sealed with from now on: 32 bytes as base64, or a reference to them
            (`env:NAME`, `file:PATH`, `keyring:NAME`); None to keep them as they are.
        user: Whose runs are kept, apart from those of all others: in a file of its own, or under a
            tenant of its own; empty where there is one user.

    Returns:
        The journal, to be closed, or used in a `with` block.

    Raises:
        OSError: It cannot be reached, or be written.
        MissingExtra: PostgreSQL without the package that speaks to it.
        MissingCredential: There is nothing at a reference.
        UsageError: It is no place of a journal, or the key is none. Never repeats what was given.
    """
    if isinstance(place, Path):
        return _open_file(place, key, user)
    if isinstance(place, Secret) or is_secret_reference(place):
        place = resolve_secret(place).reveal()
    if not place:
        return _open_file(None, key, user)
    kind, _, rest = place.partition(":")
    if kind == "sqlite" and rest:
        return _open_file(Path(rest).expanduser(), key, user)
    if place.startswith(_POSTGRES):
        from restwright.agents.journal.postgres.journal import PostgresJournal

        return PostgresJournal(_of_tenant(place, user) if user else place, key=key)
    raise UsageError("it is no place of a journal", "--journal", f"give {_FORMS}")


def _open_file(path: Path | None, key: Secret | str | None, user: str) -> Journal:
    from restwright.agents.journal.sqlite import SQLiteJournal, journal_file

    if user:
        shared = path or journal_file()
        path = shared.with_name(f"{shared.stem}-users") / f"{_name_user(user)}{shared.suffix}"
    return SQLiteJournal(path, key=key)


def _of_tenant(url: str, user: str) -> str:
    """The URL under a tenant of the user, within that of the URL."""
    parts = urlsplit(url)
    given = parse_qsl(parts.query, keep_blank_values=True)
    outer = dict(given).get("tenant", "")
    kept = [(name, value) for name, value in given if name != "tenant"]
    query = urlencode([*kept, ("tenant", f"{outer}/{_name_user(user)}")])
    return urlunsplit(parts._replace(query=query))


def _name_user(user: str) -> str:
    # What a token says of a user is no name of a file.
    return sha256(user.encode()).hexdigest()[:32]
