"""`call --curl`: a request as a command, its secrets as the variables they came from."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from restwright.calls.security import Connection
    from restwright.cli.output import Output
    from restwright.net.message import Request


def print_curl(request: Request, connection: Connection, out: Output) -> None:
    """Print the command that sends a request."""
    from restwright.calls.curl import curl

    known = {name: os.environ.get(name, "").strip() for name in _variables(connection)}
    text = curl(request, variables=known)
    if out.json:
        out.value({"curl": text})
    else:
        out.text(text)


def _variables(connection: Connection) -> Iterator[str]:
    """The names of the environment variables that a connection refers to."""
    auth = connection.auth
    auths = auth.values() if isinstance(auth, Mapping) else [auth]
    for each in (*auths, *connection.headers.values()):
        if isinstance(each, str) and each.startswith("env:"):
            yield each.removeprefix("env:")
