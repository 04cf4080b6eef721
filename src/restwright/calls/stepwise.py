"""
Calls of tools that are made of calls of other tools, as workflows are.

Each of these is checked, approved and sent on its own; what comes of them together is one `Result`.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable
from dataclasses import dataclass, replace

from restwright.calls.approval.policy import Policy
from restwright.calls.arguments.repair import Repair, RepairedArguments
from restwright.calls.auth.connection import Connection
from restwright.calls.response.result import CallEffect, Result
from restwright.calls.truncate import compact_json
from restwright.jsontypes import Json, JsonObject
from restwright.net.http.cancellation import wait_limit
from restwright.net.messages import Request, Response
from restwright.stepping import map_steps
from restwright.tools.tool import LocalResult, StepOutcome, StepsMaker, Tool, ToolStep

MAX_PAUSE_S = 120.0
"""The longest wait before one step."""

_PART_NOTES = {
    "none": "",
    "unknown": "; whether what it sent took effect is unknown: look before repeating it",
    "done": "; some of it took effect, so do not repeat it as a whole",
}


@dataclass(slots=True, kw_only=True)
class StepwiseCall:
    """
    A call that is checked, and is made of others.

    Args:
        request: What it is shown as; it is never sent.
        policy: Of its steps.
        make_steps: Yields the calls.
    """

    tool: Tool
    arguments: JsonObject
    request: Request
    repairs: tuple[Repair, ...]
    policy: Policy
    make_steps: StepsMaker

    def is_write(self, step: ToolStep) -> bool:
        """Whether one of its calls changes something."""
        return self.policy.class_of(step.tool) != "read"

    def run(self) -> Generator[ToolStep, Result, Result]:
        """Yield its calls, and return what came of all of them."""
        results: list[Result] = []
        ended = yield from _listen(self.make_steps(self.arguments), results)
        return self._finish(ended.value, ended.error, results)

    def _finish(self, value: Json, error: str, results: list[Result]) -> Result:
        effect = combine_effects(result.effect for result in results)
        last = results[-1] if results else None
        answer = next((one.response for one in reversed(results) if one.response), None)
        if not error:
            whole = Result(kind="ok", value=value, effect=effect)
            response = None if answer is None else _say_outputs(answer, value)
            return replace(whole, request=self.request, response=response, repairs=self.repairs)
        text = f"{self.tool.name} failed: {error}{_PART_NOTES[effect]}"
        if last is not None and not last.ok:
            return replace(last, text=text, value=value or last.value, effect=effect)
        if answer is not None:
            return Result(
                kind="http_error", value=value, text=text, request=self.request, response=answer,
                effect=effect,
            )  # fmt: skip
        return Result(kind="mismatch", text=text, request=self.request, repairable_by="model")


def begin_steps(
    tool: Tool, given: RepairedArguments, request: Request, policy: Policy
) -> StepwiseCall | Result:
    """
    Begin a call that is made of others, or refuse it where one of them may not be made.

    Nothing is begun that the policy would not let come to its end.
    """
    policy = narrow_policy(policy, tool)
    handler = tool.handler
    if handler is None or handler.make_steps is None:
        raise AssertionError(tool)
    for part in handler.parts:
        if policy.decision(part) == "refuse":
            text = f"{tool.name} was not run: the policy does not allow {part.name}, which it calls"
            return Result(kind="refused", text=text, request=request)
    return StepwiseCall(
        tool=tool,
        arguments=given.arguments,
        request=request,
        repairs=given.repairs,
        policy=policy,
        make_steps=handler.make_steps,
    )


def refuse_single_word(begun: StepwiseCall, approve: object) -> Result | None:
    """
    Refuse what needs several words of a user, where only one can be given; None elsewhere.

    An `approve` whose `is_single_word` is true is asked once for a whole call: what was done before
    the second question would be done again after it.
    """
    handler = begun.tool.handler
    parts = handler.parts if handler else ()
    is_single = getattr(approve, "is_single_word", False) is True
    if not is_single or all(begun.policy.decision(part) != "ask" for part in parts):
        return None
    text = (
        f"{begun.tool.name} was not run: its writes are approved one by one, which is not possible"
        " here; the user may allow them by the policy"
    )
    return Result(kind="refused", text=text, request=begun.request, repairable_by="user")


def pause(wait_s: float) -> None:
    """Wait before a step, no longer than the run may last."""
    if wait_s > 0:
        time.sleep(min(wait_s, MAX_PAUSE_S, max(0.0, wait_limit() - time.monotonic())))


async def pause_async(wait_s: float) -> None:
    """Do the same from an event loop."""
    if wait_s > 0:
        import anyio

        await anyio.sleep(min(wait_s, MAX_PAUSE_S))


def _listen(
    steps: Generator[ToolStep, StepOutcome, LocalResult], results: list[Result]
) -> Generator[ToolStep, Result, LocalResult]:
    """Run `steps`, and keep what came of each."""

    def keep(step: ToolStep) -> Generator[ToolStep, Result, Result]:
        result = yield step
        results.append(result)
        return result

    return map_steps(steps, keep)


def narrow_policy(policy: Policy, tool: Tool) -> Policy:
    """The policy of a tool's parts: where the tool is asked about, so is each write of it."""
    parts = tool.handler.parts if tool.handler else ()
    if policy.decision(tool) != "ask":
        return policy
    asked = {
        part.name: "ask"
        for part in parts
        if policy.class_of(part) != "read" and policy.decision(part) == "allow"
    }
    return replace(policy, tools={**policy.tools, **asked}) if asked else policy


def choose_connection(connection: Connection, tool: Tool, part: Tool) -> Connection:
    """
    How the API of a part is reached: as the whole where all parts are of one API, else by its name.

    What is for one API is never sent to another one.
    """
    parts = tool.handler.parts if tool.handler else ()
    if len({each.namespace for each in parts}) <= 1:
        return connection
    return connection.sources.get(part.namespace, Connection())


def combine_effects(effects: Iterable[CallEffect]) -> CallEffect:
    """What several calls have changed together."""
    found = {*effects}
    return "done" if "done" in found else "unknown" if "unknown" in found else "none"


def _say_outputs(response: Response, value: Json) -> Response:
    """The last response with the outputs of the whole as its body: a server has its say in them."""
    headers = (("content-type", "application/json"),)
    return replace(response, headers=headers, body=compact_json(value).encode("utf-8", "replace"))
