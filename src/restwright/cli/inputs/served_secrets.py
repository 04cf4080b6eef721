"""What of a command of `mcp serve` may be written down: references, never secrets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from typer import BadParameter

from restwright.cli.inputs.options import ConnectionOptions, Named
from restwright.cli.inputs.run_options import JournalPlace
from restwright.workspace.documents import split_alias, split_header

_VARIABLE = re.compile(r"(?:\A|[=:, ])env:([A-Za-z_][A-Za-z0-9_]*)")
_REFERENCE = re.compile(r"(?:.*[ =])?(?:env|file|keyring|cmd):.+", re.DOTALL)
# `ALIAS=` and `SCHEME=`, neither of which holds a colon, before a credential.
_NAMES = re.compile(r"(?:[^=:,]+=){0,2}")
_FILE = re.compile(r"((?:\A|[=:, ])(?:file|cert):)([^,]+)")
_KEY_FILE = re.compile(r"(,key=)([^,]+)")


def find_variables(words: Sequence[str]) -> tuple[str, ...]:
    """The names of variables that options refer to, each once."""
    return tuple(dict.fromkeys(name for text in words for name in _VARIABLE.findall(text)))


def make_files_absolute(text: str) -> str:
    """A credential or a header whose files do not depend on where a program is started."""
    text = _FILE.sub(_with_absolute_path, text)
    return _KEY_FILE.sub(_with_absolute_path, text) if "cert:" in text else text


def _with_absolute_path(found: re.Match[str]) -> str:
    return f"{found[1]}{Path(found[2]).expanduser().resolve()}"


def check_secrets(sources: Sequence[str], connection: ConnectionOptions, named: Named) -> None:
    """
    See to it that what is written has no secret in it.

    Raises:
        BadParameter: It would have.
    """
    for source in (*sources, *(connection.server or ())):
        if "@" in urlsplit(split_alias(source)[1]).netloc:
            raise BadParameter("a URL with a password is not written into files of hosts")
    for option, texts in (
        ("--header", connection.header),
        ("--document-header", named.document_header),
    ):
        for text in texts or ():
            _check_header(option, text)
    for text in connection.auth or ():
        _check_credential(text)
    for text in named.mcp or ():
        _check_server(text)


def check_journal(place: JournalPlace) -> None:
    """
    See to it that what is written of a journal has no secret in it.

    Raises:
        BadParameter: It would have.
    """
    from restwright.net.secret_references import is_secret_reference

    if urlsplit(place.journal).password is not None:
        raise BadParameter("--journal: a URL with a password is written as env:NAME")
    if place.journal_key is not None and not is_secret_reference(place.journal_key):
        raise BadParameter("--journal-key is written as env:NAME, file:PATH or keyring:NAME")


def _check_header(option: str, text: str) -> None:
    name, value = split_header(split_alias(text)[1], option=option)
    if not _REFERENCE.fullmatch(value):
        what = f"{option} {name}: its value may be a secret"
        raise BadParameter(f"{what}; write it as env:NAME, file:PATH or keyring:NAME")


def _check_credential(text: str) -> None:
    from restwright.calls.auth.credential_text import credential_from_text

    names = _NAMES.match(text)
    try:
        credential_from_text(text[names.end() if names else 0 :], what="--auth")
    except ValueError as error:
        raise BadParameter(str(error)) from None


def _check_server(text: str) -> None:
    from restwright.mcp_client.settings import ServerProcess, parse_server
    from restwright.net.secret_names import is_secret_name
    from restwright.net.secret_references import is_secret_reference

    server = parse_server(text)
    if not isinstance(server.place, ServerProcess):
        return
    for name, value in server.place.environment.items():
        if is_secret_name(name) and not is_secret_reference(value):
            what = f"--mcp {server.name}: {name} may be a secret"
            raise BadParameter(f"{what}; write it as env:NAME")
