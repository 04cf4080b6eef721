"""Asking before a write is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from restwright.cli.output import confirmed, is_terminal, to_json
from restwright.typing import Json

if TYPE_CHECKING:
    from restwright.net.message import Request
    from restwright.tools.tool import Tool

SHOWN_BODY = 2000


class Consent:
    """
    The user's word on each write: an `Approve` that remembers whether it ever said no.

    Args:
        yes: Allow every write without asking.
    """

    def __init__(self, *, yes: bool = False) -> None:
        self._yes = yes
        self.declined = False

    def __call__(self, tool: Tool, request: Request) -> bool:
        """Whether `request` may be sent; no where nobody can be asked."""
        allowed = self._yes or self._asked(tool, request)
        self.declined = self.declined or not allowed
        return allowed

    def _asked(self, tool: Tool, request: Request) -> bool:
        if not is_terminal():
            return False
        from restwright.calls.security import masked

        request_json = masked(request)
        body = _shortened(request_json["body"])
        shown = f"{tool.name} would send\n  {request_json['method']} {request_json['url']}\n"
        return confirmed(f"{shown}{body}Send it?")


def _shortened(body: Json) -> str:
    if body is None:
        return ""
    text = body if isinstance(body, str) else to_json(body)
    if len(text) > SHOWN_BODY:
        text = f"{text[:SHOWN_BODY]}... ({len(text):,} characters)"
    return f"{text}\n"
