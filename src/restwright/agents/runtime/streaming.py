"""
The words of an answer as the model writes them.

A model that can tell its reply piece by piece has a method `stream`. It is asked that way for the
replies that are words for the user; those are the replies of the roles in `SPOKEN_ROLES`. Of a
reply in JSON the property with the words is decoded as it comes.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Protocol, TypeAlias, runtime_checkable

from restwright.agents.steps import AnyModel, Complete, Completion
from restwright.net.callbacks import (
    await_callback_result,
    await_if_needed,
    is_async_callback,
    relay_pieces,
    schedule_callback_result,
)

SPOKEN_ROLES: Mapping[str, str] = MappingProxyType(
    {"answer": "answer", "describer": "answer", "agent": "answer"}
)
"""`{role whose reply is for the user: the property of the reply that has the words}`."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """
    A piece of the answer.

    Args:
        reply: Which wording it belongs to, from 1 on. A higher one takes the place of what was
            told before: the model was asked to word it anew.
    """

    text: str
    reply: int


DeltaListener: TypeAlias = Callable[[TextDelta], Awaitable[None] | None]
"""Told of each piece. One that is asynchronous is for the asynchronous entries."""


@runtime_checkable
class StreamingModel(Protocol):
    """A `Model` or an `AsyncModel` that tells its reply while it writes."""

    def stream(
        self, request: Complete, *, deadline_s: float, tell: Callable[[str], None]
    ) -> Completion | Awaitable[Completion]:
        """Answer as `complete` does, and call `tell` with each piece of the text as it comes."""
        ...


def is_spoken(request: Complete) -> bool:
    """Whether the reply is words for the user."""
    return request.role in SPOKEN_ROLES


def complete_request(
    model: AnyModel, request: Complete, *, deadline_s: float, tell: Callable[[str], None]
) -> Completion:
    """Ask a model, and tell the words of its reply as they come, where it can."""
    if not isinstance(model, StreamingModel):
        return await_callback_result(model.complete(request, deadline_s=deadline_s), "model")
    words = (
        StringPropertyDecoder(SPOKEN_ROLES[request.role]) if request.schema is not None else None
    )
    started = time.monotonic()
    first_s: list[float] = []

    def told(piece: str) -> None:
        if not first_s:
            first_s.append(time.monotonic() - started)
        text = piece if words is None else words.feed(piece)
        if text:
            tell(text)

    reply = _stream_reply(model, request, deadline_s, told)
    return replace(reply, first_s=first_s[0]) if first_s else reply


def _stream_reply(
    model: StreamingModel, request: Complete, deadline_s: float, tell: Callable[[str], None]
) -> Completion:
    if not is_async_callback(model.stream):
        return await_callback_result(
            model.stream(request, deadline_s=deadline_s, tell=tell), "model"
        )

    def begin(put: Callable[[str], None]) -> Future[Completion]:
        given = model.stream(request, deadline_s=deadline_s, tell=put)
        return schedule_callback_result(await_if_needed(given), "model")

    return relay_pieces(begin, tell)


_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HIGH, _LOW, _END = 0xD800, 0xDC00, 0xE000


@dataclass(slots=True)
class StringPropertyDecoder:
    """
    Decodes one property of a JSON object, a string, out of text that comes in pieces.

    Text that is no such object gives nothing; the whole reply is checked by others.

    Args:
        name: Of the property, at the top of the object.
    """

    name: str
    _depth: int = 0
    _is_key: bool = False
    _key: str = ""
    _in_string: bool = False
    _escape: str = ""
    _high_surrogate: int = 0
    _is_done: bool = False
    _output: list[str] = field(default_factory=list[str])

    def feed(self, piece: str) -> str:
        """Take the next piece of the text, and return what it adds to the value."""
        self._output.clear()
        for character in piece:
            if self._is_done:
                break
            if self._in_string:
                self._feed_inside(character)
            else:
                self._feed_outside(character)
        return "".join(self._output)

    def _feed_outside(self, each: str) -> None:
        if each == '"':
            self._in_string = True
            if self._is_key:
                self._key = ""
        elif each in "{[":
            self._depth += 1
            self._is_key = each == "{" and self._depth == 1
        elif each in "}]":
            self._depth -= 1
        elif self._depth == 1 and each in ":,":
            self._is_key = each == ","

    def _feed_inside(self, each: str) -> None:
        if self._escape:
            self._feed_escape(each)
        elif each == "\\":
            self._escape = each
        elif each == '"':
            self._in_string = False
            self._is_done = self._is_target() and not self._is_key
        else:
            self._add(each)

    def _feed_escape(self, each: str) -> None:
        self._escape += each
        if self._escape[1] != "u":
            self._escape = ""
            self._add(_ESCAPES.get(each, each))
        elif len(self._escape) == len("\\uXXXX"):
            code, self._escape = self._escape[2:], ""
            self._add_code_unit(int(code, 16) if _is_hex(code) else 0xFFFD)

    def _add_code_unit(self, unit: int) -> None:
        """A UTF-16 code unit; the first half of a pair waits for the second."""
        if _HIGH <= unit < _LOW:
            self._high_surrogate = unit
        elif _LOW <= unit < _END:
            high, self._high_surrogate = self._high_surrogate, 0
            self._add(chr(0x10000 + (high - _HIGH << 10) + unit - _LOW) if high else "\ufffd")
        else:
            self._add(chr(unit))

    def _add(self, text: str) -> None:
        if self._is_key:
            self._key += text
        elif self._is_target():
            self._output.append(text)

    def _is_target(self) -> bool:
        return self._depth == 1 and self._key == self.name


def _is_hex(code: str) -> bool:
    return all(character in "0123456789abcdefABCDEF" for character in code)
