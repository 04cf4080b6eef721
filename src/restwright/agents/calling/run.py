"""What the parts of the calling agent know of a run: its question, its tools, what was answered."""

from __future__ import annotations

from dataclasses import dataclass, field

from restwright.agents.execution.call_keys import change_key_of, key_of
from restwright.calls.approval.policy import CONFIRM, Policy
from restwright.calls.response.result import Result
from restwright.jsontypes import JsonObject
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.tool import Tool


@dataclass(slots=True)
class Run:
    """
    What one run carries along.

    Args:
        policy: Says which tools are reads, and which are never to be called.
        now: What the prompts are told of the date, the time zone and the locale.
    """

    question: str
    catalog: Catalog
    policy: Policy = CONFIRM
    now: str = ""
    _answered: set[bytes] = field(default_factory=set[bytes])
    _written: set[bytes] = field(default_factory=set[bytes])

    def is_read(self, tool: Tool) -> bool:
        """Whether calling `tool` changes nothing, by what the user or the document says."""
        return self.policy.class_of(tool) == "read"

    def is_answered(self, tool: Tool, arguments: JsonObject) -> bool:
        """Whether the same read was made before, while nothing was written since."""
        return self.is_read(tool) and key_of(tool, arguments) in self._answered

    def is_written(self, tool: Tool, arguments: JsonObject) -> bool:
        """Whether the same write succeeded before in this run."""
        return not self.is_read(tool) and change_key_of(tool, arguments) in self._written

    def keep(self, tool: Tool, arguments: JsonObject, result: Result) -> None:
        """Remember that a call was answered; a write makes all reads doubtful."""
        if not self.is_read(tool):
            self._answered.clear()
            if result.ok:
                self._written.add(change_key_of(tool, arguments))
        elif result.ok:
            self._answered.add(key_of(tool, arguments))
