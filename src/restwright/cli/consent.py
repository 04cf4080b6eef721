"""Asking before a write is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from restwright.cli.output import confirmed, is_terminal

if TYPE_CHECKING:
    from restwright.net.message import Request
    from restwright.tools.tool import Tool

SHOWN_BODY = 2000


class Consent:
    """
    The user's word on each write: an `Approve` that remembers whether it ever said no.

    Args:
        yes: Allow every write without asking.
        never: Allow none, without asking.
    """

    def __init__(self, *, yes: bool = False, never: bool = False) -> None:
        self._yes, self._never = yes, never
        self.declined = False

    def __call__(self, tool: Tool, request: Request) -> bool:
        """Whether `request` may be sent; no where nobody can be asked."""
        allowed = not self._never and (self._yes or self._asked(tool, request))
        self.declined = self.declined or not allowed
        return allowed

    def _asked(self, tool: Tool, request: Request) -> bool:
        if not is_terminal():
            return False
        body = request.body.decode("utf-8", "replace")
        if len(body) > SHOWN_BODY:
            body = f"{body[:SHOWN_BODY]}... ({len(request.body)} bytes)"
        shown = f"{tool.name} would send\n  {request.method} {request.url}\n"
        return confirmed(f"{shown}  {body}\nSend it?" if body else f"{shown}Send it?")
