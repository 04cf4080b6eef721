"""The URL of a Server Object with its variables."""

from __future__ import annotations

import re
from collections.abc import Mapping

from restwright.errors import RefusedRequest
from restwright.openapi.model import Server

# What would end the host or the path that a variable stands in, or begin another.
_UNSAFE = re.compile(r"[\s@?#\\\x00-\x1f\x7f]")


def base_url(server: Server, variables: Mapping[str, str]) -> str:
    """
    Return the URL of a server; variables without a value have their defaults.

    Args:
        variables: `{name: value}` that the user chose.

    Raises:
        RefusedRequest: The server has no such variable, or the variable no such value.

    Source: OAS 3.1, "Server Variable Object".
    """
    url = server.url
    for name in variables:
        if name not in server.variables:
            known = ", ".join(server.variables) or "none"
            raise RefusedRequest(url, f"the server has no variable {name[:40]!r} (it has {known})")
    for name, variable in server.variables.items():
        value = variables.get(name, variable.default)
        if name in variables and variable.enum and value not in variable.enum:
            listed = ", ".join(variable.enum[:20])
            raise RefusedRequest(url, f"the server variable {name} is one of {listed}")
        if _UNSAFE.search(value):
            raise RefusedRequest(url, f"the server variable {name} would change the host")
        url = url.replace("{" + name + "}", value)
    return url
