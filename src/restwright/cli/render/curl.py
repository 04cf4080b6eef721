"""`call --curl`: a request as a command, its secrets as the variables they came from."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from restwright.calls.auth.connection import Connection
    from restwright.cli.render.output import Output
    from restwright.net.messages import Request

_NAME = re.compile(r"[ :=]env:([A-Za-z_][A-Za-z0-9_]*)\Z")


def print_curl(
    request: Request, connection: Connection, out: Output, *, headers: Sequence[str] = ()
) -> None:
    """
    Print the command that sends a request.

    Args:
        headers: As they were typed; those of a connection have no references any more.
    """
    from restwright.calls.curl import curl_from_request, list_variable_names

    names = (
        *list_variable_names(connection),
        *(name for header in headers for name in _NAME.findall(header)),
    )
    known = {name: os.environ.get(name, "").strip() for name in names}
    text = curl_from_request(request, variables=known)
    if out.json:
        out.value({"curl": text})
    else:
        out.text(text)
