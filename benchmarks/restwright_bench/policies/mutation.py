"""A driver that makes the right calls with wrong arguments first, and mends what it is told of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from restwright.calls.call import prepare
from restwright.calls.response.result import Result
from restwright.errors import CallError
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Send
from restwright.tools.tool import Tool
from restwright_bench.policies.corruptions import CORRUPTIONS, Corrupted, Corruption
from restwright_bench.policies.run import Said, Task
from restwright_bench.policies.scripted import followed
from restwright_bench.policies.tools import Tools, arguments_of
from restwright_bench.queries.query import Scripted
from restwright_bench.queries.scores import Usage
from restwright_bench.world.api import Running
from restwright_bench.world.inside import Inside

Outcome = Literal[
    "repaired",  # what was sent is what the right arguments send
    "reported",  # nothing was sent; feedback names the argument
    "reported without its name",
    "rejected by the API",  # sent, and answered by 400 or above
    "sent wrong",  # sent, other than with the right arguments, and answered
]
CONTROL = "none"
"""In place of a corruption: the right arguments, of which none may be refused."""
LEAST_ERROR = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What became of corrupted calls, and of right ones that were refused."""

    outcomes: Counter[str] = field(default_factory=Counter[str])
    refused: list[str] = field(default_factory=list[str])
    sent_wrong: list[str] = field(default_factory=list[str])

    @property
    def calls(self) -> int:
        """Corrupted calls."""
        return sum(self.outcomes.values())


class Stuck(LookupError):
    """A call cannot be mended, since nothing names what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationPolicy:
    """
    Follows the script of the oracle with one thing wrong in each call, by restwright's own `call`.

    Args:
        kind: Of `CORRUPTIONS`, or `CONTROL`.
        tools: Of the API that the tasks are of.
        sender: What carries requests to the API; into it without HTTP where not given.
    """

    kind: str
    tools: Tools
    sender: Callable[[Running], Send] = lambda running: Inside(running.answer_whole)
    tally: Tally = field(default_factory=Tally)

    @property
    def name(self) -> str:
        """Such as `mutation, number as text`."""
        return f"mutation, {self.kind}"

    def answer(self, task: Task) -> Said:
        """Make each call wrongly, mend it by what comes back, and answer as the script does."""
        before = self.tally.outcomes.copy()
        driver = _Driver(
            tools=self.tools,
            corrupt=CORRUPTIONS.get(self.kind, _untouched),
            send=self.sender(task.running),
            tally=self.tally,
        )
        said = followed(task, driver.perform)
        new = self.tally.outcomes - before
        told = sum(each for name, each in new.items() if name.startswith("reported"))
        usage = Usage(repaired=new["repaired"], mismatches=told)
        return Said(answer=said.answer, usage=usage, stopped=said.stopped)


def _untouched(_tool: Tool, _right: JsonObject) -> Corrupted | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Driver:
    tools: Tools
    corrupt: Corruption
    send: Send
    tally: Tally

    def perform(self, scripted: Scripted) -> Json:
        """One call of a script: wrong, and then right where that is told."""
        tool = self.tools.of_route[scripted.method, scripted.template]
        right = arguments_of(tool, scripted)
        wrong = self.corrupt(tool, right)
        if wrong is None:
            return self._right(tool, right)
        result = self.tools.call(tool, wrong.arguments, self.send)
        outcome = self._outcome(tool, right, wrong, result)
        self.tally.outcomes[outcome] += 1
        if outcome == "sent wrong":
            self.tally.sent_wrong.append(f"{tool.name} {wrong.arguments}")
        if outcome in {"repaired", "sent wrong"}:
            return result.value
        if not names(result.text, wrong.name):
            raise Stuck(tool.name)
        return self._right(tool, right)

    def _right(self, tool: Tool, right: JsonObject) -> Json:
        result = self.tools.call(tool, right, self.send)
        if result.kind == "mismatch":
            self.tally.refused.append(f"{tool.name} {right}: {result.text}")
        return result.value

    def _outcome(self, tool: Tool, right: JsonObject, wrong: Corrupted, result: Result) -> Outcome:
        if result.kind == "mismatch":
            return "reported" if names(result.text, wrong.name) else "reported without its name"
        if result.request is not None and self._is_same(tool, right, result.request):
            return "repaired"
        is_rejected = result.status is not None and result.status >= LEAST_ERROR
        return "rejected by the API" if is_rejected else "sent wrong"

    def _is_same(self, tool: Tool, right: JsonObject, sent: Request) -> bool:
        try:
            wanted = prepare(tool, right, self.tools.connection)
        except CallError:
            return False
        return (wanted.method, wanted.url, wanted.body) == (sent.method, sent.url, sent.body)


def names(text: str, argument: str) -> bool:
    """Whether feedback names an argument, as a whole word."""
    return re.search(rf"(?<!\w){re.escape(argument)}(?!\w)", text) is not None
