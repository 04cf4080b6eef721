"""Functions that are prompts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import mcp_types as types
from mcp.shared.exceptions import MCPError

from restwright.mcp.protocol.client_runs import ClientRun, ClientRuns
from restwright.mcp.protocol.exchange import Exchange
from restwright.mcp.protocol.results import make_contents
from restwright.mcp.providers.functions.runs import call_function, describe
from restwright.mcp.providers.providers import PromptOutcome
from restwright.mcp.sources.served import ServedTools
from restwright.tools.functions.calls import FunctionRunner


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionPrompts:
    """A `PromptProvider` over the functions that are served right now."""

    served: Callable[[], ServedTools]
    runs: ClientRuns

    def prompts(self) -> Sequence[types.Prompt]:
        """One for each function."""
        return [
            types.Prompt(arguments=_describe_arguments(runner), **describe(runner))
            for runner in self.served().prompts
        ]

    async def get(
        self, exchange: Exchange, name: str, arguments: Mapping[str, str]
    ) -> PromptOutcome | None:
        """What the function returns, as messages of the user."""
        found = {runner.signature.name: runner for runner in self.served().prompts}
        if name not in found:
            return None
        act = partial(_get, found[name], arguments)
        return await self.runs.carry_out(exchange, act, f"{name} goes on")


async def _get(
    runner: FunctionRunner, arguments: Mapping[str, str], run: ClientRun
) -> types.GetPromptResult:
    missing = [
        each.name
        for each in _describe_arguments(runner)
        if each.required and each.name not in arguments
    ]
    if missing:
        raise MCPError(types.INVALID_PARAMS, f"missing: {', '.join(missing)}")
    value = await call_function(runner, arguments, run)
    messages = [types.PromptMessage(role="user", content=each) for each in make_contents(value)]
    return types.GetPromptResult(description=runner.signature.docs.text or None, messages=messages)


def _describe_arguments(runner: FunctionRunner) -> list[types.PromptArgument]:
    signature = runner.signature
    return [
        types.PromptArgument(
            name=name,
            description=signature.docs.parameters.get(name),
            required=name not in signature.defaults,
        )
        for name in signature.parameters
    ]
