"""Asking before a write is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer import BadParameter

from restwright.cli.output import confirmed, is_terminal

if TYPE_CHECKING:
    from restwright.calls.policy import Policy
    from restwright.net.message import Request
    from restwright.tools.tool import Tool


def policy_of(*, yes: bool, read_only: bool, trust_apis: bool = False) -> Policy:
    """
    The policy that --yes, --read-only and --trust-apis mean; without them a write is asked about.

    Raises:
        BadParameter: Two of them exclude each other, or one needs another.
    """
    from restwright.calls.policy import ALLOW, CONFIRM, READ_ONLY, Policy

    if yes and read_only:
        raise BadParameter("--yes and --read-only exclude each other")
    if trust_apis and not yes:
        raise BadParameter("--trust-apis says how far --yes goes; give --yes too")
    if read_only:
        return READ_ONLY
    if trust_apis:
        return Policy(default="allow", crossing="allow")
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

        return confirmed(question(tool, request))
