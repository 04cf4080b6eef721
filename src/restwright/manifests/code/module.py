"""Functions of a Python file, called in a process of their own."""

from __future__ import annotations

import json
import keyword
import os
import selectors
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from restwright.errors import UnusableCode
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.manifests.code.limits import (
    ModuleSettings,
    ProcessStopReason,
    require_posix,
    resolve_inside,
)
from restwright.manifests.code.process import ConfinedProcess, link_files, make_private_folder
from restwright.manifests.code.removal import remove_folder
from restwright.manifests.code.results import (
    CallResult,
    add_advice,
    cut_middle,
    sanitize_line,
    strip_controls,
)


class Closeable(ABC):
    """A context manager that is closed when it is left."""

    __slots__ = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """End what runs."""


WORKER = Path(__file__).with_name("worker.py")
OBJECT_WORKER = Path(__file__).with_name("object_worker.py")
_PACKAGE = Path(__file__).parents[2]
FLOOD = 50
READ_BYTES = 65_536

_WHY = {
    "seconds": "it took longer than {seconds:g} seconds and was ended",
    "computing": "it computed for more than {cpu} seconds and was ended",
    "memory": "it took more than {memory:,} MiB of memory and was ended",
    "processes": "it started more than {processes} processes and was ended",
    "files": "it wrote more than {folder:,} MiB of files and was ended",
    "output": "it printed too much and was ended",
    "died": "its process ended before it returned",
}


class Module(Closeable):
    """
    The functions `names` of the Python file `path`.

    Nothing is run before the first call. The process goes on from call to call, with what the
    module keeps in memory, until a limit ends it; the next call starts a new one. Not for several
    threads at a time.

    Args:
        path: A Python file in the folders of the manifest, `settings.roots`.
        names: The functions that may be called; no others are, whatever the module has.
        owner: The object of the module whose methods they are; empty for functions of the module.

    Raises:
        UnusableCode: The file cannot be used, a name cannot be a function's, or the system has no
            limits.
    """

    def __init__(
        self,
        path: Path | str,
        names: Collection[str],
        settings: ModuleSettings = ModuleSettings(),  # noqa: B008 - frozen
        *,
        owner: str = "",
    ) -> None:
        require_posix(str(path))
        self._owner = owner
        self._described: JsonObject = {}
        self.path = resolve_inside(Path(path), settings.roots)
        self.names = tuple(dict.fromkeys(names))
        for name in self.names:
            if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
                why = f"{name!r} cannot be called"
                raise UnusableCode(str(path), why, "name public functions of the module")
        self._settings = settings
        self._folder: Path | None = None
        self._process: ConfinedProcess | None = None
        self._calls = 0
        self._has_run = False

    @property
    def protections(self) -> tuple[str, ...]:
        """What holds the running process, such as `limits`, `files`, `no network`."""
        return self._process.protections() if self._process is not None else ()

    def close(self) -> None:
        """End the process and remove its folder."""
        self._end()

    def describe(self) -> CallResult:
        """
        What the object of the module offers, as `{"functions": [...], "components": {...}}`.

        Raises:
            UnusableCode: No process can be started.
        """
        failed = self._start() if self._process is None else None
        return failed or CallResult(value=self._described)

    def call(self, name: str, arguments: JsonObject) -> CallResult:
        """
        Call the function `name` with `arguments` by name.

        Never raises for what the module does: every failure is a text in the result. An interrupt
        (Ctrl-C) ends the process; the next call starts a new one.

        Raises:
            UnusableCode: No process can be started.
        """
        limits = self._settings.limits
        if name not in self.names and not self._owner:
            known = ", ".join(self.names) or "none"
            return CallResult(error=f"there is no function {name[:80]!r}; there are: {known}")
        try:
            sent = json.dumps({"id": self._calls + 1, "name": name, "arguments": arguments})
        except (TypeError, ValueError, RecursionError) as error:
            return CallResult(error=sanitize_line(f"the arguments are not JSON: {error}"))
        if len(sent) > limits.arguments_bytes:
            return CallResult(error=f"the arguments are over {limits.arguments_bytes:,} bytes")
        try:
            return self._call(sent.encode() + b"\n")
        except BaseException:
            # Ctrl-C: what it does goes on no longer, and what it sends meets no later call.
            self._end()
            raise

    def _call(self, sent: bytes) -> CallResult:
        is_fresh = self._has_run and (self._process is None or not self._process.is_running)
        if self._process is None or not self._process.is_running:
            self._end()
            failed = self._start()
            if failed is not None:
                return failed
        self._calls += 1
        self._has_run = True
        exchange = self._exchange(sent, self._settings.limits.seconds)
        if exchange.stopped:
            return self._stopped_result(exchange, is_fresh=is_fresh)
        found = _parse_reply(exchange.reply)
        printed = exchange.printed_text(self._settings.limits.output_chars)
        if found is None or found.get("id") != self._calls:
            # What it sends now may be the answer to an earlier call.
            self._end()
            error = "it sent what is no result in JSON; its process was ended"
            return CallResult(error=error, printed=printed, stopped="died", is_fresh=is_fresh)
        return _make_call_result(found, printed, is_fresh=is_fresh, settings=self._settings)

    def _start(self) -> CallResult | None:
        """Start the process and load the module; a result where that fails."""
        settings = self._settings
        limits = settings.limits
        self._folder = make_private_folder()
        worker = OBJECT_WORKER if self._owner else WORKER
        command = [sys.executable, "-I", "-B", str(worker), str(self.path)]
        reads = link_files(self._folder, settings.reads)
        own = (_PACKAGE, _PACKAGE.parent) if self._owner else (WORKER,)
        self._process = ConfinedProcess(
            [*command, str(limits.result_bytes), *filter(None, [self._owner])],
            limits=limits,
            network=settings.network,
            folder=self._folder,
            reads=(*own, self.path, *_readable_folder(self.path), *reads),
            writes=link_files(self._folder, settings.writes),
            hosts=settings.hosts,
        )
        exchange = self._exchange(b"", limits.start_seconds)
        if exchange.stopped:
            return self._stopped_result(exchange, is_fresh=False)
        found = _parse_reply(exchange.reply) or {}
        if found.get("ready") is True:
            self._described = found
            return None
        self._end()
        why = add_advice(sanitize_line(str(found.get("error", ""))), network=settings.network)
        return CallResult(
            error=f"the module cannot be loaded: {why}",
            printed=exchange.printed_text(limits.output_chars),
        )

    def _stopped_result(self, exchange: _CallExchange, *, is_fresh: bool) -> CallResult:
        if exchange.stopped == "died" and self._process is not None:
            self._process.settle()
        ended = self._end()
        stopped: ProcessStopReason = (
            exchange.stopped if exchange.stopped != "died" else ended or "died"
        )
        limits = self._settings.limits
        error = _WHY[stopped].format(
            seconds=limits.seconds,
            cpu=limits.cpu_seconds,
            memory=limits.memory_bytes // 2**20,
            processes=limits.processes,
            folder=limits.folder_bytes // 2**20,
        )
        printed = exchange.printed_text(limits.output_chars)
        return CallResult(error=error, printed=printed, stopped=stopped, is_fresh=is_fresh)

    def _exchange(self, sent: bytes, seconds: float) -> _CallExchange:
        """Send a line, and take in what is printed until a line comes back or there is an end."""
        assert self._process is not None  # noqa: S101
        limits = self._settings.limits
        exchange = _CallExchange(
            sent=sent,
            max_reply=limits.result_bytes + 1000,
            max_printed=FLOOD * limits.output_chars,
        )
        exchange.run(self._process, until=time.monotonic() + seconds)
        return exchange

    def _end(self) -> ProcessStopReason:
        ended: ProcessStopReason = ""
        if self._process is not None:
            ended = self._process.end()
            self._process = None
        if self._folder is not None:
            remove_folder(self._folder)
            self._folder = None
        return ended


@dataclass(slots=True, kw_only=True)
class _CallExchange:
    sent: bytes
    max_reply: int
    max_printed: int
    reply: bytes = b""
    stopped: ProcessStopReason = ""
    _printed: list[bytes] = field(default_factory=list[bytes])
    _size: int = 0

    def run(self, process: ConfinedProcess, *, until: float) -> None:
        for number in (process.requests, process.replies, process.printed):
            os.set_blocking(number, False)
        with selectors.DefaultSelector() as waiting:
            waiting.register(process.replies, selectors.EVENT_READ)
            waiting.register(process.printed, selectors.EVENT_READ)
            if self.sent:
                waiting.register(process.requests, selectors.EVENT_WRITE)
            while not self.stopped and not self.reply.endswith(b"\n"):
                left = until - time.monotonic()
                if left <= 0:
                    self.stopped = "seconds"
                    break
                for key, _ in waiting.select(left):
                    self._read(waiting, process, key.fd)
        self._read_printed(process.printed)

    def _read(
        self, waiting: selectors.BaseSelector, process: ConfinedProcess, descriptor: int
    ) -> None:
        if descriptor == process.requests:
            self._send(waiting, descriptor)
        elif descriptor == process.printed:
            if not self._read_printed(descriptor):
                waiting.unregister(descriptor)
        else:
            part = _read_available(descriptor)
            self.reply += part or b""
            if part == b"":
                self.stopped = "died"
            elif len(self.reply) > self.max_reply or b"\n" in self.reply[:-1]:
                # Not a line of JSON: nothing that could be read on from.
                self.reply = b"\n"

    def _send(self, waiting: selectors.BaseSelector, descriptor: int) -> None:
        with suppress(BlockingIOError):
            try:
                self.sent = self.sent[os.write(descriptor, self.sent) :]
            except BrokenPipeError:
                self.sent = b""
        if not self.sent:
            waiting.unregister(descriptor)

    def _read_printed(self, descriptor: int) -> bool:
        """Take in what there is of it now; False where there never will be more."""
        while part := _read_available(descriptor):
            self._size += len(part)
            self._printed.append(part)
            if self._size > self.max_printed:
                self.stopped = self.stopped or "output"
                return False
        return part is None

    def printed_text(self, limit: int) -> str:
        """What was printed, fit for a model."""
        return cut_middle(
            strip_controls(b"".join(self._printed).decode(errors="replace")).strip("\n"),
            limit=limit,
        )


def _readable_folder(path: Path) -> tuple[Path, ...]:
    """The folder of a module, unless it has everything of the user in it."""
    with suppress(RuntimeError, OSError):
        if not Path.home().resolve().is_relative_to(path.parent):
            return (path.parent,)
    return ()


def _read_available(descriptor: int) -> bytes | None:
    """What there is: nothing at the end, None where one would have to wait."""
    try:
        return os.read(descriptor, READ_BYTES)
    except BlockingIOError:
        return None


def _parse_reply(line: bytes) -> JsonObject | None:
    try:
        found: Json = json.loads(line, parse_constant=_refuse_constant)
        # Halves of characters, and numbers too large for one, would only fail later and elsewhere.
        text = json.dumps(found, ensure_ascii=False, allow_nan=False)
        found = json.loads(text.encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return found if is_object(found) else None


def _refuse_constant(constant: str) -> Json:
    raise ValueError(constant)


def _make_call_result(
    found: JsonObject, printed: str, *, is_fresh: bool, settings: ModuleSettings
) -> CallResult:
    error = str(found.get("error", ""))
    if found.get("is_too_long"):
        error = f"the result has over {settings.limits.result_bytes:,} bytes; return less"
    if error or "value" not in found:
        error = add_advice(sanitize_line(error or "it sent no result"), network=settings.network)
        return CallResult(error=error, printed=printed, is_fresh=is_fresh)
    is_tuple = found.get("is_tuple") is True and isinstance(found["value"], list)
    return CallResult(value=found["value"], is_tuple=is_tuple, printed=printed, is_fresh=is_fresh)
