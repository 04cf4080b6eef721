"""Who may change something: reads are free, a write is approved once for one exact request."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from typing import TypeAlias

from restwright.errors import RefusedRequest
from restwright.net.message import Request
from restwright.tools.tool import Tool

Approve: TypeAlias = Callable[[Tool, Request], bool]
"""Asked before a write; show it `security.masked(request)`."""


def always(tool: Tool, request: Request) -> bool:
    """Approve every write."""
    del tool, request
    return True


def never_approve(tool: Tool, request: Request) -> bool:
    """Refuse every write."""
    del tool, request
    return False


def is_write(tool: Tool) -> bool:
    """Whether calling the tool may change something."""
    return not tool.is_read


def digest(request: Request) -> str:
    """Return the SHA-256 of what is sent, secrets left out, in hexadecimal."""
    headers = [pair for pair in request.headers if pair[0].lower() not in request.secret_headers]
    names = sorted(request.secret_headers)
    head = json.dumps([request.method, request.url, headers, names]).encode()
    return sha256(head + b"\0" + request.body).hexdigest()


class Approval:
    """Allows one request, once."""

    def __init__(self, request: Request) -> None:
        self._digest: str | None = digest(request)

    def spend(self, request: Request) -> None:
        """
        Use the approval up.

        Raises:
            RefusedRequest: It was given for another request, or is used up.
        """
        given, self._digest = self._digest, None
        if given != digest(request):
            where = request.url.partition("?")[0]
            raise RefusedRequest(where, "it is not the request that was approved")
