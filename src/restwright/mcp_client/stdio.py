"""
A server of MCP as a process of this machine: its start, its lines, its end.

Each message is one line of JSON. A line that is none, or too long, costs the connection nothing but
itself, or everything: who writes without end is not read on.

Source: MCP 2025-11-25 and 2026-07-28, "stdio".
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections import deque
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import anyio.abc
import anyio.lowlevel
import mcp_types as types
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage

from restwright.mcp_client.settings import ServerProcess

_KEEPER = str(Path(__file__).with_name("keeper.py"))
_GRACE_S = 2.0
_WATCH_S = 0.2
_POLL_S = 0.02
_MAX_STDERR_BYTES = 4_000
_CLOSED = (
    anyio.ClosedResourceError,
    anyio.BrokenResourceError,
    anyio.EndOfStream,
    ConnectionError,
    OSError,
)


class LineTooLong(Exception):
    """A server writes a line beyond the cap."""


class ServerErrorOutput:
    """The end of what a server writes to its standard error."""

    def __init__(self) -> None:
        self._pieces: deque[bytes] = deque(maxlen=16)

    def put(self, piece: bytes) -> None:
        """Keep what came."""
        self._pieces.append(piece[-_MAX_STDERR_BYTES:])

    @property
    def text(self) -> str:
        """The last characters of it."""
        return b"".join(self._pieces)[-_MAX_STDERR_BYTES:].decode("utf-8", "replace").strip()


@asynccontextmanager
async def open_process(
    place: ServerProcess, environment: dict[str, str], line_bytes: int, told: ServerErrorOutput
) -> AsyncGenerator[Any]:
    """
    Start a server, and stop it and all that it started.

    Args:
        environment: What it gets beside the few variables that every program needs.
        line_bytes: Of its longest message.
        told: Takes what it writes to standard error.

    Raises:
        OSError: It cannot be started.
    """
    with _open_lifeline() as lifeline:
        process = await _start(place, get_default_environment() | environment, lifeline)
        async with _exchange_lines(process, line_bytes, told) as streams:
            yield streams


@contextmanager
def _open_lifeline() -> Generator[int]:
    """A pipe that ends when this program does, however it does; yields the end for a keeper."""
    given, held = os.pipe()
    try:
        yield given
    finally:
        os.close(given)
        os.close(held)


async def _start(
    place: ServerProcess, environment: dict[str, str], lifeline: int
) -> anyio.abc.Process:
    """
    Start a server under a keeper, which ends it with this program.

    Raises:
        OSError: It is not there, or cannot be started.
    """
    is_posix = sys.platform != "win32"
    if is_posix:
        _check_program(place, environment)
    keeper = (sys.executable, "-I", "-S", _KEEPER, str(lifeline)) if is_posix else ()
    # A group of its own: an interrupt of the terminal is for this process, which ends it in order.
    return await anyio.open_process(
        (*keeper, *place.command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=place.folder,
        start_new_session=is_posix,
        pass_fds=(lifeline,) if is_posix else (),
    )


def _check_program(place: ServerProcess, environment: dict[str, str]) -> None:
    program = place.command[0]
    where = Path(place.folder or ".") / program if "/" in program else program
    if shutil.which(where, path=environment.get("PATH")) is None:
        number = errno.EACCES if "/" in program and Path(where).exists() else errno.ENOENT
        raise OSError(number, os.strerror(number), program)


@asynccontextmanager
async def _exchange_lines(
    process: anyio.abc.Process, line_bytes: int, told: ServerErrorOutput
) -> AsyncGenerator[Any]:
    arrive, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, leave = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_read_messages, process, arrive, line_bytes)
        tasks.start_soon(_write_messages, process, leave, arrive)
        tasks.start_soon(_read_errors, process, told)
        tasks.start_soon(_end_what_is_left, process)
        try:
            yield incoming, outgoing
        finally:
            with anyio.CancelScope(shield=True):
                incoming.close()
                outgoing.close()
                await _stop(process)
            tasks.cancel_scope.cancel()


async def _read_messages(process: anyio.abc.Process, arrive: Any, line_bytes: int) -> None:
    assert process.stdout is not None  # noqa: S101  (it was started with pipes)
    pieces: list[bytes] = []
    length = 0
    async with arrive:
        with suppress(*_CLOSED):
            async for piece in process.stdout:
                *lines, last = piece.split(b"\n")
                for line in lines:
                    whole = b"".join([*pieces, line])
                    pieces, length = [], 0
                    if whole.strip():
                        await arrive.send(_parse_line(whole))
                pieces.append(last)
                length += len(last)
                if length > line_bytes:
                    await arrive.send(LineTooLong())
                    return


def _parse_line(line: bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


async def _write_messages(process: anyio.abc.Process, leave: Any, arrive: Any) -> None:
    assert process.stdin is not None  # noqa: S101  (it was started with pipes)
    try:
        async with leave:
            async for sent in leave:
                line = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
                await process.stdin.send(line.encode() + b"\n")
    except _CLOSED:
        # Nothing can be asked any more, so nothing is waited for.
        await arrive.aclose()


async def _read_errors(process: anyio.abc.Process, told: ServerErrorOutput) -> None:
    assert process.stderr is not None  # noqa: S101  (it was started with pipes)
    with suppress(*_CLOSED):
        async for piece in process.stderr:
            told.put(piece)


async def _end_what_is_left(process: anyio.abc.Process) -> None:
    """Kill what a server that has ended had started: it may hold the pipes that are read."""
    while process.returncode is None:  # noqa: ASYNC110 - no event tells of it
        await anyio.sleep(_WATCH_S)
    # What it wrote last is read by then.
    await anyio.sleep(_WATCH_S)
    _signal_group(process, getattr(signal, "SIGKILL", signal.SIGTERM))


async def _stop(process: anyio.abc.Process) -> None:
    """Close its input and wait; then end it and what it started, at last by force."""
    if process.stdin is not None:
        with suppress(*_CLOSED):
            await process.stdin.aclose()
    await _has_ended(process)
    for kind in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        # What it started may still be there when it is gone.
        if not _signal_group(process, kind):
            break
        if await _has_ended(process) and not _signal_group(process, 0):
            break
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            with suppress(*_CLOSED):
                await pipe.aclose()
    _close_transport(process)
    # One pass of the loop, in which what was closed is let go.
    await anyio.lowlevel.checkpoint()


def _close_transport(process: anyio.abc.Process) -> None:
    """What asyncio keeps of a process, which nothing public closes while a pipe is open."""
    transport = getattr(getattr(process, "_process", None), "_transport", None)
    if transport is not None:
        with suppress(PermissionError, ProcessLookupError):
            transport.close()


def _signal_group(process: anyio.abc.Process, kind: int) -> bool:
    """Whether there was anybody to be told."""
    try:
        if sys.platform == "win32":
            process.terminate()
        else:
            os.killpg(process.pid, kind)
    except (OSError, ProcessLookupError):
        return False
    return True


async def _has_ended(process: anyio.abc.Process) -> bool:
    # `wait()` waits for the end of the pipes too, which others may have open.
    with anyio.move_on_after(_GRACE_S):
        while process.returncode is None:  # noqa: ASYNC110 - no event tells of it
            await anyio.sleep(_POLL_S)
    return process.returncode is not None
