"""
One tool that runs Python of a model, in a sandbox in which the tools are functions.

What is called is checked, asked about and sent like any call. In revisions without sessions the run
is put away while its user is asked: the sandbox as it stands is kept with the question, and goes on
with the answer. Nothing is called twice.
"""

from __future__ import annotations

import atexit
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any, cast

import anyio
import mcp_types as types
from anyio import CapacityLimiter
from anyio.from_thread import run as run_in_loop
from anyio.to_thread import run_sync

from restwright.agents.sandbox import MAX_CODE_CHARS, describe_runtime_error
from restwright.calls.response.result import Result
from restwright.calls.truncate import compact_json, shorten_json
from restwright.errors import MissingExtra
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.mcp.calling.caller import ToolCaller
from restwright.mcp.protocol.annotations import annotate_class
from restwright.mcp.protocol.consent import ApprovalLedger, Consent, open_consent
from restwright.mcp.protocol.exchange import Exchange
from restwright.mcp.protocol.results import MAX_CHARS, error_result, text_block
from restwright.mcp.providers.providers import ToolOutcome
from restwright.mcp.sources.served import ServedTools

if TYPE_CHECKING:
    from pydantic_monty import (
        CollectString,
        FunctionSnapshot,
        Monty,
        MontySession,
        ResourceLimits,
        SyncSnapshot,
    )

RUN = "run_code"
CALL = "call_tool"
MAX_CALLS = 100
"""Of tools in one run."""
MAX_RUN_S = 300.0
"""Of one run, with its calls."""
MAX_TURN_S = 2.0
"""Between two calls."""
_MAX_WORKERS = 8
_MAX_PRINTED_BYTES = 64_000
_MAX_MEMORY = 256 * 2**20
_DESCRIPTION = """\
Run Python in a sandbox without files and network, in which every tool is a function, such as
`items = {example}`. Find tools with search_tools, and read what they take with
show_tool. Arguments are given by name; a function returns the response as plain values, and raises
RuntimeError with what was wrong. A tool whose name is no name of Python is called by
`call_tool("NAME", {{...}})`. The value of the last line comes back, and what is printed: keep it
small, so do the filtering and the counting here."""


class _Suspended(Exception):
    """The run waits for the word of its user."""


@dataclass(slots=True, kw_only=True)
class CodeTools:
    """
    A `ToolProvider` with one tool, over what there is to call.

    Args:
        threads: Of its own, since a run may wait long for its user.
    """

    served: Callable[[], ServedTools]
    caller: ToolCaller
    ledger: ApprovalLedger
    threads: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(_MAX_WORKERS))

    def names(self) -> Sequence[str]:
        """The one tool."""
        return (RUN,)

    def describe(self, name: str) -> types.Tool:
        """The one tool."""
        served = self.served()
        first = served.offered.names[0]
        hints = annotate_class("read" if served.is_read_only else "destructive", "POST")
        return types.Tool.model_validate(
            {
                "name": name,
                "title": "Run code that calls tools",
                "description": _DESCRIPTION.format(example=f"{first}(...)"),
                "inputSchema": self.input_schema(name),
                "annotations": hints,
            },
            by_name=False,
        )

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """The schema of its arguments."""
        if name != RUN:
            return None
        return {
            "type": "object",
            "properties": {"code": {"type": "string", "maxLength": MAX_CODE_CHARS}},
            "required": ["code"],
            "additionalProperties": False,
        }

    def close_names(self, name: str) -> Sequence[str]:
        """None: there is but one."""
        del name
        return ()

    async def call(
        self, exchange: Exchange, name: str, arguments: Mapping[str, Any]
    ) -> ToolOutcome | None:
        """Run code, or go on with a run whose user was asked."""
        if name != RUN:
            return None
        code = arguments.get("code")
        if not isinstance(code, str) or len(code) > MAX_CODE_CHARS or {*arguments} != {"code"}:
            return error_result(f"/code: expected at most {MAX_CODE_CHARS:,} characters of Python")
        consent = open_consent(exchange, self.ledger)
        if consent.refusal:
            return error_result(consent.refusal)
        run = CodeRun(self.served, self.caller, consent, code)
        with anyio.move_on_after(MAX_RUN_S):
            return await run_sync(run.run, abandon_on_cancel=True, limiter=self.threads)
        return error_result(f"The code ran longer than {MAX_RUN_S:,.0f} s with its calls")


@dataclass(slots=True)
class CodeRun:
    """
    One run, in a thread beside the event loop, in which its calls are made.

    Args:
        consent: Whether the run goes on after its user was asked, and what they are asked now.
    """

    served: Callable[[], ServedTools]
    caller: ToolCaller
    consent: Consent
    code: str
    calls: int = 0
    printed: list[str] = field(default_factory=list[str])

    def run(self) -> ToolOutcome:
        """Run to the end, or to the next question."""
        from pydantic_monty import CollectString, MontyError

        pages = CollectString(max_bytes=_MAX_PRINTED_BYTES)
        limits: ResourceLimits = {
            "max_turn_duration_secs": MAX_TURN_S,
            "max_memory": _MAX_MEMORY,
            "max_recursion_depth": 200,
            "max_suspensions": 4 * MAX_CALLS,
            "max_total_sleep_secs": 0.0,
        }
        try:
            with _worker_pool().checkout(limits=limits) as session:
                value = self._drive(session, pages)
        except _Suspended:
            assert self.consent.question is not None  # noqa: S101  (why it is suspended)
            return self.consent.question
        except TimeoutError:
            return error_result("The sandbox is busy: try again later")
        except MontyError as error:
            text = f"{describe_runtime_error(error, self.code)}{self._say_calls()}"
            return error_result(text, *self._print(pages))
        shown = [text_block(_to_text(value))] if value is not None or not pages.output else []
        return types.CallToolResult(content=[*self._print(pages), *shown])

    def _print(self, pages: CollectString) -> list[types.ContentBlock]:
        text = "".join([*self.printed, pages.output])
        return [text_block(f"Printed:\n{text}")] if text else []

    def _say_calls(self) -> str:
        """So that nobody runs again what has changed something."""
        made = f"{self.calls} call{'' if self.calls == 1 else 's'}"
        return f" ({made} had been made before)" if self.calls else ""

    def _drive(self, session: MontySession, pages: CollectString) -> Any:
        from pydantic_monty import FunctionSnapshot, FutureSnapshot, MontyComplete

        snapshot = self._begin(session, pages)
        while not isinstance(snapshot, MontyComplete):
            if isinstance(snapshot, FunctionSnapshot):
                snapshot = self._answer(snapshot, pages)
            elif isinstance(snapshot, FutureSnapshot):
                snapshot = snapshot.resume_auto()
            else:
                snapshot = snapshot.resume()
        return snapshot.output

    def _begin(self, session: MontySession, pages: CollectString) -> SyncSnapshot:
        if self.consent.answered is None:
            return session.feed_start(self.code, print_callback=pages)
        head, _, state = self.consent.answered.state.partition(b"\n")
        known = json.loads(head)
        self.calls, self.printed = known["calls"], [known["printed"]]
        return session.load_snapshot(state, print_callback=pages)

    def _answer(self, snapshot: FunctionSnapshot, pages: CollectString) -> SyncSnapshot:
        if snapshot.is_os_function:
            return snapshot.resume_not_handled()
        name, arguments = _read_call(snapshot)
        tool = self.served().catalog.find(name)
        if tool is None:
            close = ", ".join(self.served().offered.dispatch(name).close)
            why = f"there is no tool {name[:128]}{f'; close: {close}' if close else ''}"
            return snapshot.resume({"exception": NameError(why)})
        if arguments is None:
            why = f"{name} takes its arguments by name"
            return snapshot.resume({"exception": TypeError(why)})
        if self.calls >= MAX_CALLS:
            why = f"a run may call tools {MAX_CALLS} times at most"
            return snapshot.resume({"exception": RuntimeError(why)})
        self.consent.suspend = partial(self._suspend, snapshot, pages)
        self.consent.refusal = ""
        result = run_in_loop(self.caller.call, tool, arguments, self.consent)
        if self.consent.question is not None:
            raise _Suspended
        self.calls += 1
        return _resume(snapshot, result)

    def _suspend(self, snapshot: FunctionSnapshot, pages: CollectString) -> bytes:
        """The run as it stands before a call, for when it goes on."""
        printed = "".join([*self.printed, pages.output])
        head = json.dumps({"calls": self.calls, "printed": printed[:_MAX_PRINTED_BYTES]})
        return head.encode() + b"\n" + snapshot.dump()


def _read_call(snapshot: FunctionSnapshot) -> tuple[str, JsonObject | None]:
    """The tool and the arguments that code means; None for arguments without names."""
    name, given = str(snapshot.function_name), [*snapshot.args]
    if name == CALL and given and isinstance(given[0], str):
        name, given = given[0], given[1:]
    if not given:
        return name, _to_json(snapshot.kwargs)
    is_whole = len(given) == 1 and is_object(given[0]) and not snapshot.kwargs
    return name, _to_json(given[0]) if is_whole else None


def _to_json(value: Any) -> Any:
    """Values of the sandbox as JSON; what is none becomes text, which the tool may refuse."""
    return json.loads(json.dumps(value, default=str))


def _resume(snapshot: FunctionSnapshot, result: Result) -> SyncSnapshot:
    if not result.ok:
        return snapshot.resume({"exception": RuntimeError(result.text)})
    return snapshot.resume({"return_value": result.value})


def _to_text(value: Any) -> str:
    if isinstance(value, str):
        return value if len(value) <= MAX_CHARS else f"{value[:MAX_CHARS]}..."
    is_set = isinstance(value, (set, frozenset))
    plain: Json = _to_json([*cast("set[Any]", value)] if is_set else value)
    text = compact_json(plain)
    return text if len(text) <= MAX_CHARS else shorten_json(plain, MAX_CHARS)


@cache
def _worker_pool() -> Monty:
    """The workers of this process: started at the first use, ended at exit."""
    try:
        from pydantic_monty import Monty

        pool = Monty(
            max_processes=_MAX_WORKERS, checkout_timeout=30.0, request_timeout=10.0
        ).__enter__()
    except (ImportError, RuntimeError, OSError) as error:
        raise MissingExtra("mcp", "running code") from error
    atexit.register(pool.__exit__, None, None, None)
    return pool
