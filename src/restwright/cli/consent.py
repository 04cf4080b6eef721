"""Asking before a write is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer import BadParameter

from restwright.cli.output import confirmed, is_terminal

if TYPE_CHECKING:
    from restwright.calls.policy import Policy
    from restwright.net.message import Request
    from restwright.tools.tool import Tool


def policy_of(*, yes: bool, read_only: bool) -> Policy:
    """
    The policy that --yes and --read-only mean; without them a write is asked about.

    Raises:
        BadParameter: Both are given.
    """
    from restwright.calls.policy import ALLOW, CONFIRM, READ_ONLY

    if yes and read_only:
        raise BadParameter("--yes and --read-only exclude each other")
    if read_only:
        return READ_ONLY
    return ALLOW if yes else CONFIRM


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
