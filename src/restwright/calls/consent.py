"""Who may change something: reads are free, a write is approved once for one exact request."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from hashlib import sha256
from typing import TypeAlias

from restwright.calls.policy import CONFIRM, Policy
from restwright.calls.security import masked, shown_header
from restwright.errors import RefusedRequest
from restwright.net.message import Request
from restwright.net.secret import MASK, url_without, without
from restwright.tools.tool import Tool
from restwright.typing import Json, is_array, is_object

Approve: TypeAlias = Callable[[Tool, Request], bool]
"""Asked before a write; show it `question()`, or `security.masked(request)`."""

LIFETIME_S = 600.0
"""Seconds from asking until an approval is worth nothing."""
SHOWN_BODY = 2000
"""Characters of a body that are shown."""
_SECRET_NAME = re.compile(
    r"passw(or)?d|passphrase|secret|credential|private_?key|api_?key", re.IGNORECASE
)


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
    return CONFIRM.class_of(tool) != "read"


def question(tool: Tool, request: Request, *, policy: Policy = CONFIRM) -> str:
    """
    Say what would be sent: the tool, the method, the URL and the body, without secrets.

    A request that destroys something says so; a long body is cut, and says how long it is.
    """
    shown = masked(request)
    loss = "DESTRUCTIVE: " if policy.class_of(tool) == "destructive" else ""
    head = f"{loss}{tool.name} would send\n  {shown['method']} {shown['url']}\n"
    return f"{head}{_shortened(_without_passwords(shown['body']))}"


def _without_passwords(value: Json) -> Json:
    """What is sent as a password is not for the eyes of who looks over a shoulder."""
    if is_array(value):
        return [_without_passwords(each) for each in value]
    if not is_object(value):
        return value
    return {name: _member(name, each) for name, each in value.items()}


def _member(name: str, value: Json) -> Json:
    is_password = isinstance(value, str) and _SECRET_NAME.search(name)
    return MASK if is_password else _without_passwords(value)


def _shortened(body: Json) -> str:
    if body is None:
        return ""
    text = body if isinstance(body, str) else json.dumps(body, indent=2, ensure_ascii=False)
    if len(text) > SHOWN_BODY:
        text = f"{text[:SHOWN_BODY]}... ({len(text):,} characters)"
    return f"{text}\n"


def digest(request: Request) -> str:
    """Return the SHA-256 of what is sent, secrets left out, in hexadecimal."""
    headers = [
        (name, shown_header(request, name, value))
        for name, value in request.headers
        if name.lower() not in request.secret_headers or name.lower() == "cookie"
    ]
    names = sorted(request.secret_headers)
    url = url_without(request.url, request.secrets)
    head = json.dumps([request.method, url, headers, names]).encode()
    body = request.body
    if request.secrets:
        body = without(body.decode("utf-8", "surrogateescape"), request.secrets).encode(
            "utf-8", "surrogateescape"
        )
    return sha256(head + b"\0" + body).hexdigest()


class Approval:
    """
    Allows one request, once, and not for long.

    Args:
        now: Seconds, monotonic.
    """

    def __init__(self, request: Request, *, now: Callable[[], float] = time.monotonic) -> None:
        # A request cannot be altered, so its hash is made only where another one is to be sent.
        self._request: Request | None = request
        self._now, self._until = now, now() + LIFETIME_S

    def spend(self, request: Request) -> None:
        """
        Use the approval up.

        Raises:
            RefusedRequest: It was given for another request, is too old, or is used up.
        """
        given, self._request = self._request, None
        where = request.url.partition("?")[0]
        if given is None or (given is not request and digest(given) != digest(request)):
            raise RefusedRequest(where, "it is not the request that was approved")
        if self._now() > self._until:
            raise RefusedRequest(where, "the approval is too old")
