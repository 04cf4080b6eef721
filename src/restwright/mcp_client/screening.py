"""
Between a transport and the client of the SDK: each message is looked at before it is believed.

The SDK refuses a whole list for one bad tool, a whole result for one unknown content, and an answer
without `resultType`, which means that it is complete. Here each costs itself.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types.methods import validate_server_result
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import Problem
from restwright.openapi.references import join_pointer
from restwright.tools.text.prose import strip_unprintable

_LEGACY = "2025-11-25"
_CONTENT_TYPES = frozenset({"text", "image", "audio", "resource_link", "resource"})

# A server may send as many of these as it likes, and nobody reads them.
_UNWANTED = frozenset({"notifications/progress", "notifications/message"})


@dataclass(slots=True)
class Screening:
    """
    What passed through a connection that the client is not told.

    Args:
        is_modern: Whether results need a `resultType`.
        tools: Those listed last, as they came.
        problems: Tools that were taken out.
        has_changed: Whether the server said that its list is another one now.
    """

    is_modern: bool = False
    tools: list[Json] = field(default_factory=list[Json])
    problems: list[Problem] = field(default_factory=list[Problem])
    has_changed: bool = False

    def begin_list(self) -> None:
        """Forget the list from before."""
        self.tools, self.problems, self.has_changed = [], [], False

    def admit(self, message: Any) -> bool:
        """Change a message that came in so that the client takes it; False to keep it from it."""
        content = getattr(message, "message", None)
        method = getattr(content, "method", "")
        if method == "notifications/tools/list_changed":
            self.has_changed = True
        if method in _UNWANTED:
            return False
        result = getattr(content, "result", None)
        if isinstance(message, SessionMessage) and is_object(result):
            self._screen_result(result)
        return True

    def _screen_result(self, result: JsonObject) -> None:
        if self.is_modern:
            result.setdefault("resultType", "complete")
        if is_array(result.get("tools")):
            self._screen_tools(result)
        if is_array(result.get("content")):
            result["content"] = [_screen_block(block) for block in result["content"]]

    def _screen_tools(self, result: JsonObject) -> None:
        kept: list[Json] = []
        for raw in result["tools"]:
            where = _find_fault(raw, result)
            if where is None:
                self.tools.append(raw)
                # The SDK would raise for a result that is not as it says, and lose the data.
                kept.append({key: each for key, each in raw.items() if key != "outputSchema"})
                continue
            name = raw.get("name") if is_object(raw) else None
            shown = strip_unprintable(str(name))[:128] if name else "?"
            what = f"the protocol has no such tool: see {where or 'its whole'}"
            self.problems.append(
                Problem(join_pointer("tools", shown), what, "error", "no tool is made of it")
            )
        result["tools"] = kept


def _find_fault(raw: Json, result: JsonObject) -> str | None:
    """Where a tool is none; None where it is one."""
    version = MODERN_PROTOCOL_VERSIONS[-1] if "resultType" in result else _LEGACY
    try:
        validate_server_result("tools/list", version, {**result, "tools": [raw]})
    except ValidationError as error:
        return join_pointer(*error.errors()[0]["loc"][2:])
    return None


def _screen_block(block: Json) -> Json:
    kind = block.get("type") if is_object(block) else None
    if kind in _CONTENT_TYPES:
        return block
    return {"type": "text", "text": f"[a content of the unknown type {str(kind)[:40]} is left out]"}


@asynccontextmanager
async def screen(
    transport: AbstractAsyncContextManager[Any], screening: Screening
) -> AsyncGenerator[Any]:
    """A transport whose messages pass `screening` first."""
    async with transport as (incoming, outgoing):
        arrive, screened = anyio.create_memory_object_stream[Any](0)

        async def pump() -> None:
            async with arrive:
                async for message in incoming:
                    if screening.admit(message):
                        await arrive.send(message)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pump)
            try:
                yield screened, outgoing
            finally:
                tasks.cancel_scope.cancel()
