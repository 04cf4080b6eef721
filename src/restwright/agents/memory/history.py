"""
The messages of a conversation that somebody else keeps, in the forms of providers, as a background.

Whose form a message has is told by its members, so that a history may hold several. What is no
text, such as an image, is named in its place; a model's own thoughts are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from restwright.agents.memory.context import KEPT, Background, Exchange
from restwright.agents.memory.transcript import Done
from restwright.calls.tool_call import read_call_arguments
from restwright.errors import WrongType
from restwright.jsontypes import Json
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.toolset import ToolCall
from restwright.tools.wires import items_of, member, wire_named

_WIRES = ("openai", "anthropic", "gemini", "json-schema")
_THOUGHTS = frozenset({"reasoning", "thinking", "redacted_thinking"})
_CALLS = frozenset({"tool_use", "function_call"})
_MARKED = re.compile(r"<data(?: from=\"[^\"]*\")?>\n(.*)\n</data>", re.DOTALL)


def read_history(history: Sequence[object], catalog: Catalog) -> Background:
    """
    Read messages of OpenAI (both APIs), Anthropic, Gemini or Ollama, or of `Answer.messages()`.

    What was said or found there may be used as what earlier turns of a conversation said or found.
    Where anybody but the user spoke, any API of the catalog may have had its say in it.

    Args:
        history: Oldest first; dicts as they are sent, or objects of the clients.

    Raises:
        WrongType: One of them is no message.
    """
    reading = _Reading()
    for number, item in enumerate(history):
        reading.read(item, number)
    read_from = {*catalog.apis, *reading.sources} if reading.has_others else set[str]()
    return Background(
        exchanges=tuple(Exchange(question, answer) for question, answer in reading.exchanges),
        done=tuple(reading.done[-KEPT:]),
        read_from=frozenset(read_from),
        instructions="\n".join(reading.instructions),
    )


@dataclass(slots=True)
class _Reading:
    """What was read so far; `calls` are by their ids and by their names."""

    exchanges: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    instructions: list[str] = field(default_factory=list[str])
    done: list[Done] = field(default_factory=list[Done])
    calls: dict[str, ToolCall] = field(default_factory=dict[str, ToolCall])
    sources: set[str] = field(default_factory=set[str])
    has_others: bool = False

    def read(self, item: object, number: int) -> None:
        """Read one message, or an item that stands for one."""
        role, kind = member(item, "role"), member(item, "type")
        is_plain_result = role is None and member(item, "name") and member(item, "content")
        if not (is_plain_result or isinstance(role, str) or isinstance(kind, str)):
            wanted = "a message as a provider writes it, with `role` or `type`"
            raise WrongType(f"`history[{number}]`", wanted, type(item).__name__)
        for call in _calls_in(item):
            self.calls |= {call.tool: call, call.id or call.tool: call}
        if is_plain_result or role in {"tool", "function"} or kind == "function_call_output":
            self._keep_result(item, member(item, "content", "output"))
        elif role is not None:
            self._say(str(role), "\n".join(self._texts(member(item, "content", "parts"))))
        elif kind not in _THOUGHTS | _CALLS:
            self._say("assistant", f"({kind})")

    def _texts(self, content: Json) -> Iterator[str]:
        """The texts of a message, which may hold what came of calls too."""
        for part in [content] if isinstance(content, str) else items_of(content):
            kind = member(part, "type")
            if kind == "tool_result":
                self._keep_result(part, member(part, "content"))
            elif (response := member(part, "functionResponse", "function_response")) is not None:
                self._keep_result(response, member(response, "response"))
            elif not (kind in _THOUGHTS | _CALLS or member(part, "thought") or _is_call(part)):
                yield _text_of(part)

    def _say(self, role: str, text: str) -> None:
        if not text:
            return
        if role in {"system", "developer"}:
            self.instructions.append(text)
        elif role == "user":
            self.exchanges.append((text, ""))
        else:
            self.has_others = True
            question, before = self.exchanges.pop() if self.exchanges else ("", "")
            self.exchanges.append((question, f"{before}\n{text}".strip()))

    def _keep_result(self, holder: object, content: Json) -> None:
        names = ("tool_call_id", "call_id", "tool_use_id", "id", "tool_name", "name")
        named = [str(name) for each in names if (name := member(holder, each)) is not None]
        call = next((self.calls[name] for name in named if name in self.calls), None)
        tool = call.tool if call else [*named, "a tool"][-1]
        self.has_others = True
        self.sources.add(tool)
        if not member(holder, "is_error"):
            arguments = (read_call_arguments(call.arguments) if call else None) or {}
            # Whether a write took effect is what its result says: it may have waited, or failed.
            self.done.append(Done(tool=tool, arguments=arguments, value=_value_of(content)))


def _calls_in(item: object) -> Iterator[ToolCall]:
    for name in _WIRES:
        yield from wire_named(name).calls_in(item)
    yield from wire_named("openai-responses").calls_in([item])


def _is_call(part: object) -> bool:
    return member(part, "functionCall", "function_call") is not None


def _text_of(part: object) -> str:
    """The text of a part of a message; what is none is named."""
    text = part if isinstance(part, str) else member(part, "text")
    return text if isinstance(text, str) else f"({member(part, 'type') or 'no text'})"


def _value_of(content: Json) -> Json:
    """What came of a call, as JSON where it is; out of the marks that we put around it."""
    if parts := items_of(content):
        content = "\n".join(map(_text_of, parts))
    elif not isinstance(content, str):
        content = member(content, "output", "result") or content
    if not isinstance(content, str):
        return content
    found = _MARKED.search(content)
    try:
        return json.loads(found[1] if found else content)
    except ValueError:
        return content
