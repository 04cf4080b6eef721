"""Asking before a write is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from typer import BadParameter

from restwright.cli.render.output import confirmed, is_terminal, line_for

if TYPE_CHECKING:
    from restwright.calls.approval.policy import Policy
    from restwright.cli.inputs.run_options import ApprovalOptions
    from restwright.net.messages import Request
    from restwright.tools.safety import OperationClass
    from restwright.tools.tool import Tool


Approval: TypeAlias = Literal["reads", "ask", "writes", "all"]

APPROVALS: Mapping[Approval, str] = {
    "reads": "only what changes nothing is called; a write is refused",
    "ask": "reads at once; each write after you said yes to that very request",
    "writes": "reads and writes at once; what destroys something after you said yes to it",
    "all": "everything at once, as with --yes",
}
"""What a user may approve for the rest of a chat, and what it means."""

CROSSING = (
    "Once a response of one API was read, a write to another one is asked about all the same."
)
TRUSTED = "That a response of one API was read is no reason to ask before a write to another one."


def policy_for(approval: Approval, *, trusts: bool = False) -> Policy:
    """
    The policy that an approval means.

    Args:
        trusts: Whether what these APIs say is trusted, as with `--trust-apis`.
    """
    from restwright.calls.approval.policy import ALLOW, CONFIRM, READ_ONLY, Policy

    policies: Mapping[Approval, Policy] = {
        "reads": READ_ONLY,
        "ask": CONFIRM,
        "writes": Policy(classes={"write": "allow"}),
        "all": ALLOW,
    }
    policy = policies[approval]
    return replace(policy, after_foreign_read="allow") if trusts else policy


def policy_of(approval: ApprovalOptions, classes: Sequence[str] | None = None) -> Policy:
    """
    The policy that --yes, --read-only, --trust-apis and --class mean; without them a write is
    asked about.

    Raises:
        BadParameter: One of --class is no `NAME=CLASS`.
    """
    policy = _policy_of(approval)
    return replace(policy, tools=classes_of(classes)) if classes else policy


def classes_of(texts: Sequence[str] | None) -> Mapping[str, OperationClass]:
    """
    `{pattern of names: class}` of --class.

    Raises:
        BadParameter: One is no `NAME=CLASS`.
    """
    from restwright.tools.safety import CLASS_RANK

    split = [text.rpartition("=") for text in texts or ()]
    for name, _, word in split:
        if not name or word not in CLASS_RANK:
            raise BadParameter("--class takes NAME=read, NAME=write or NAME=destructive")
    return {name: cast("OperationClass", word) for name, _, word in split}


def _policy_of(approval: ApprovalOptions) -> Policy:
    from restwright.calls.approval.policy import ALLOW, CONFIRM, READ_ONLY, Policy

    if approval.read_only:
        return READ_ONLY
    if approval.trust_apis:
        return Policy(default="allow", after_foreign_read="allow")
    return ALLOW if approval.yes else CONFIRM


class Consent:
    """
    The user's word on each write: an `Approve` that remembers whether it ever said no, and whether
    that was because nobody could be asked.

    Args:
        yes: Allow every write without asking.
    """

    def __init__(self, *, yes: bool = False) -> None:
        self._yes = yes
        self._batch: tuple[str, ...] = ()
        self.declined = False
        self.is_nobody_there = False

    def __call__(self, tool: Tool, request: Request) -> bool:
        """Whether `request` may be sent; no where nobody can be asked."""
        allowed = self._yes or self._ask(tool, request)
        self.declined = self.declined or not allowed
        return allowed

    def approval_hint(self, *, yes: bool) -> str:
        """
        What would send the writes that nobody could be asked about; empty where there were none.

        Args:
            yes: Whether --yes was given, so that only a write to another API was asked about.
        """
        if not self.is_nobody_there:
            return ""
        options = "--yes --trust-apis" if yes else "--yes"
        return f"nobody could be asked; send it with {options}, or ask on a terminal"

    def _ask(self, tool: Tool, request: Request) -> bool:
        if not is_terminal():
            self.is_nobody_there = True
            return False
        from restwright.calls.approval.approval import format_approval_question

        question = format_approval_question(tool, request)
        return self._ask_of_batch(question, request) if request.batch else confirmed(question)

    def _ask_of_batch(self, question: str, request: Request) -> bool:
        """Show the changes once, and take a word for all of them or for this one."""
        if request.batch == self._batch:
            return True
        said = line_for(f"{question} [y/N, a for all {len(request.batch)}] ").lower()
        if said in {"a", "all"}:
            self._batch = request.batch
        return said in {"y", "yes", "a", "all"}
