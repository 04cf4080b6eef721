"""Calls a function that is no tool for a client."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import mcp_types as types
from anyio.to_thread import run_sync
from mcp.shared.exceptions import MCPError

from restwright.errors import Said
from restwright.jsontypes import Json
from restwright.mcp.protocol.client_runs import ClientRun
from restwright.mcp.providers.functions.context import use_context
from restwright.net.callbacks import enable_async_callbacks
from restwright.net.http.cancellation import CancelToken
from restwright.tools.functions.calls import FunctionRunner


async def call_function(runner: FunctionRunner, given: Mapping[str, str], run: ClientRun) -> Json:
    """
    What a function returns, as JSON.

    Raises:
        MCPError: It was not called, or failed; in its own words where it has `Said` them.
    """
    token = CancelToken()
    try:
        with use_context(run, _announce_nothing), enable_async_callbacks(), token.cancelable():
            told = await run_sync(partial(runner, {**given}), abandon_on_cancel=True)
    except MCPError:
        raise
    except Said as error:
        raise MCPError(types.INVALID_PARAMS, error.message) from None
    except Exception as error:  # noqa: BLE001 - its words may hold anything
        why = f"{runner.signature.name} failed: {type(error).__name__}"
        raise MCPError(types.INTERNAL_ERROR, why) from None
    finally:
        token.cancel()
    if told.error:
        raise MCPError(types.INVALID_PARAMS, told.error)
    return told.value


async def _announce_nothing() -> None:
    """What is only read changes nothing."""


def describe(runner: FunctionRunner) -> dict[str, Any]:
    """Name and description, as prompts and resources have them."""
    return {"name": runner.signature.name, "description": runner.signature.docs.text or None}
