"""One tool of a toolbox, and how a framework's own word decides about a write of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from restwright.jsontypes import JsonObject
from restwright.toolboxes.pending import Pending
from restwright.toolboxes.reply import Reply
from restwright.toolboxes.toolbox import Toolbox
from restwright.tools.toolset import ToolCall

PROVIDER = "json-schema"
"""The form in which adapters exchange calls with a toolbox."""
Decide = Callable[[Pending], bool | None]
"""Says of a write whether it is sent (True), refused (False), or goes on waiting (None)."""


def let_wait(pending: Pending) -> None:
    """The word of a framework that asks nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundTool:
    """A tool and where it is called; `schema` is one of its arguments, without references."""

    toolbox: Toolbox = field(repr=False)
    name: str
    description: str
    schema: JsonObject = field(repr=False)

    def call(self, arguments: JsonObject, decide: Decide = let_wait) -> Reply:
        """Make a call. What `decide` raises to pause a run refuses the write: it comes again."""
        reply = self.toolbox.reply(PROVIDER, ToolCall(self.name, arguments))
        if (pending := reply.pending) is None or (word := self._ask(pending, decide)) is None:
            return reply
        return self.toolbox.approve(pending) if word else self.toolbox.refuse(pending)

    async def call_async(self, arguments: JsonObject, decide: Decide = let_wait) -> Reply:
        """Do the same as `call()` from an event loop."""
        reply = await self.toolbox.reply_async(PROVIDER, ToolCall(self.name, arguments))
        if (pending := reply.pending) is None or (word := self._ask(pending, decide)) is None:
            return reply
        return await self.toolbox.approve_async(pending) if word else self.toolbox.refuse(pending)

    def _ask(self, pending: Pending, decide: Decide) -> bool | None:
        try:
            return decide(pending)
        except BaseException:
            self.toolbox.refuse(pending)
            raise
