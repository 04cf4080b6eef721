"""Asking before a write is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from restwright.cli.output import confirmed, is_terminal

if TYPE_CHECKING:
    from restwright.net.message import Request
    from restwright.tools.tool import Tool


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
        from restwright.calls.consent import question

        return confirmed(f"{question(tool, request)}Send it?")
