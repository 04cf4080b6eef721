"""A call that fits, and who says whether it may be made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from restwright.calls.approval.approval import hash_request
from restwright.calls.approval.policy import Policy
from restwright.calls.arguments.repair import Repair
from restwright.calls.auth.connection import Connection
from restwright.jsontypes import JsonObject
from restwright.net.messages import Request
from restwright.tools.tool import Tool
from restwright.tools.toolset import ToolCall
from restwright.tools.wires import Wire


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReadyCall:
    """A call that fits, with all that is needed to make it."""

    wire: Wire
    call: ToolCall
    tool: Tool
    arguments: JsonObject = field(repr=False)
    connection: Connection = field(repr=False)
    policy: Policy = field(repr=False)
    repairs: tuple[Repair, ...] = ()

    @property
    def is_write(self) -> bool:
        """Whether it may change something."""
        return self.policy.class_of(self.tool) != "read"


@dataclass(slots=True)
class Deferral:
    """An `Approve` that says no, and keeps what was asked about."""

    request: Request | None = None
    is_single_word: ClassVar[bool] = True

    def __call__(self, tool: Tool, request: Request) -> bool:
        """Say no, for now."""
        self.request = request
        return False


@dataclass(slots=True)
class GivenWord:
    """An `Approve` that stands for a word that was given before, on the request of this hash."""

    hash: str
    is_spent: bool = False
    is_for_another: bool = False
    is_single_word: ClassVar[bool] = True

    def __call__(self, tool: Tool, request: Request) -> bool:
        """Whether this is the request, asked about for the first time."""
        self.is_for_another = self.is_spent or hash_request(request) != self.hash
        self.is_spent = True
        return not self.is_for_another
