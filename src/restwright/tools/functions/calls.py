"""Carries a call of a function out: arguments of their types in, JSON of what it returns out."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import AsyncGenerator, Awaitable, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from inspect import isawaitable
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from restwright.jsontypes import JsonObject
from restwright.net.background_loop import BackgroundLoop
from restwright.net.callbacks import await_callback_result, can_await, wait_for_future
from restwright.net.http.cancellation import wait_limit
from restwright.net.secret import Secret
from restwright.openapi.references import join_pointer
from restwright.tools.functions.context import CALL_CONTEXT
from restwright.tools.functions.signature import FunctionSignature, InjectedParameter
from restwright.tools.tool import LocalResult

_OWN_WORDS = frozenset({"value_error", "assertion_error"})
"""Kinds of mistakes that are told in the words of an exception of the program's own."""


def make_background_loop() -> BackgroundLoop[None]:
    """Where functions are awaited that are called without an event loop."""
    return BackgroundLoop(_open_nothing, "restwright-functions")


@asynccontextmanager
async def _open_nothing() -> AsyncGenerator[None]:
    yield


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionRunner:
    """
    Calls one function.

    Args:
        inject: `{parameter: value}` of what the program fills in; of a `ContextVar` what it holds
            where the call is made.
        loop: Where it is awaited, if it is asynchronous and called without an event loop.
    """

    signature: FunctionSignature
    inject: Mapping[str, object] = field(repr=False)
    loop: BackgroundLoop[None] = field(repr=False)

    def __call__(self, arguments: JsonObject) -> LocalResult:
        """Call it with arguments that are checked; raises what it raises."""
        signature = self.signature
        try:
            values = signature.arguments.validate_json(json.dumps(arguments))
        except ValidationError as error:
            return LocalResult(error=_explain_mistakes(signature.name, error))
        given = signature.function(**values, **self._list_injected())
        if isawaitable(given):
            given = self._await(given)
        value = json.loads(signature.output.dump_json(given, warnings=False))
        # Nobody vouches for what it hands on, such as the text of a mail.
        return LocalResult(value=value, is_foreign=value is not None)

    def list_secrets(self) -> tuple[Secret, ...]:
        """What it is given that nobody may be shown."""
        own = (_look_up(value) for name, value in self.inject.items() if self._takes(name))
        return tuple(value for value in own if isinstance(value, Secret))

    def _list_injected(self) -> dict[str, object]:
        own = {
            name: CALL_CONTEXT
            for name, parameter in self.signature.injected.items()
            if parameter.is_context
        }
        given = {**own, **{name: value for name, value in self.inject.items() if self._takes(name)}}
        return {
            name: _fill_in(self.signature.injected[name], value) for name, value in given.items()
        }

    def _takes(self, name: str) -> bool:
        return name in self.signature.injected

    def _await(self, given: Awaitable[Any]) -> Any:
        """
        Wait for what the function gives, until the run has no time left.

        It is awaited in the event loop that the call came from, where its connections are; else in
        one beside this thread.
        """
        limited = _limit_time(given)
        if can_await():
            return await_callback_result(limited, self.signature.name)
        return wait_for_future(self.loop.submit(lambda _: limited))


async def _limit_time(given: Awaitable[Any]) -> Any:
    left = wait_limit() - time.monotonic()
    async with asyncio.timeout(None if math.isinf(left) else left):
        return await given


def _look_up(value: object) -> object:
    return cast("ContextVar[object]", value).get() if isinstance(value, ContextVar) else value


def _fill_in(parameter: InjectedParameter, value: object) -> object:
    found = _look_up(value)
    return found.reveal() if isinstance(found, Secret) and not parameter.takes_secret else found


def _explain_mistakes(name: str, error: ValidationError) -> str:
    """What is wrong with arguments that fit the schema, without the words of a validator."""
    found = error.errors(include_url=False, include_input=False, include_context=True)
    lines = [f"{join_pointer(*map(str, each['loc']))}: {_explain(each)}" for each in found]
    return f"{name} was not called: {'; '.join(lines)}"


def _explain(mistake: ErrorDetails) -> str:
    if mistake["type"] in _OWN_WORDS:
        return type(mistake.get("ctx", {}).get("error")).__name__
    return mistake["msg"]
