"""
A GGUF model in this process (llama.cpp through `xllamacpp`), behind the `Model` Protocol.

The engine is a server of its own: it is given a Unix socket in a folder that only this user can
enter and a random key, though nothing here connects to it.
"""

from __future__ import annotations

import ctypes
import os
import queue
import secrets
import shutil
import signal
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from restwright.agents.steps import Complete, Completion
from restwright.errors import LimitReached, MissingExtra, ModelUnavailable
from restwright.jsontypes import JsonObject
from restwright.net.http.cancellation import allow_cancellation
from restwright.tools.dialects.rules_llama import loosen_schema

if TYPE_CHECKING:
    from types import ModuleType

Chunk: TypeAlias = JsonObject

SEED = 1
BATCH = 128
CACHE_MIB = 512
LONGEST_SOCKET_PATH = 100
SPIN_VARIABLE = "GOMP_SPINCOUNT"
GUIDANCE: JsonObject = {
    "whitespace_flexible": False,
    "item_separator": ", ",
    "key_separator": ": ",
    "lenient": True,
}
NO_MOVE = "run `restwright doctor`, or choose another model"


class LocalModel:
    """
    Answers with the model file at `path`, one request at a time; loaded at the first one.

    The engine computes one reply after another, and several at once would each take as much
    longer. Threads that ask meanwhile wait for their turn, no longer than their deadlines; who is
    interrupted ends the generation.

    Greedy (temperature 0) with a fixed seed. What a prompt shares with an earlier one from its
    start on is not processed again.

    Args:
        path: A GGUF file.
        name: What it was chosen by.
        context: Tokens of prompt and reply together.
    """

    def __init__(self, path: Path, *, name: str = "local", context: int = 8192) -> None:
        self._path, self._name, self._context = path, name, context
        self._server: Any = None
        self._running: _Generation | None = None
        self._forget_folder: Callable[[], object] = lambda: None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """What it was chosen by."""
        return self._name

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """
        Answer `request`. Ends the generation at the deadline, and on any exception such as Ctrl-C.

        Raises:
            ModelUnavailable: It cannot be loaded, or cannot take the request.
            LimitReached: The deadline passed, or the prompt is longer than the context.
        """
        return self.stream(request, deadline_s=deadline_s, tell=_ignore_piece)

    def stream(
        self, request: Complete, *, deadline_s: float, tell: Callable[[str], None]
    ) -> Completion:
        """Answer as `complete` does, and tell each piece of the text as it comes."""
        started = time.monotonic()
        chunks: list[Chunk] = []
        with self._exclusive(deadline_s):
            server = self._ensure_loaded()
            self._end_running()
            self._running = running = _Generation(server, _request_body(request))
            with allow_cancellation(running.stop):
                for chunk in running.chunks(started + deadline_s, started):
                    chunks.append(chunk)
                    if text := _chunk_text(chunk):
                        tell(text)
        return self._completion(chunks, time.monotonic() - started)

    def close(self) -> None:
        """End what is running and free the memory. The next request loads the model again."""
        with self._lock:
            self._end_running()
            self._running = self._server = None
            self._forget_folder()

    @contextmanager
    def _exclusive(self, deadline_s: float) -> Generator[None]:
        """Have the engine for the block; another request may have it before."""
        if not self._lock.acquire(timeout=min(max(deadline_s, 0.0), threading.TIMEOUT_MAX)):
            raise LimitReached("seconds", deadline_s)
        try:
            yield
        finally:
            self._lock.release()

    def _end_running(self) -> None:
        if self._running is not None:
            self._running.stop()
            self._running.join()

    def _ensure_loaded(self) -> Any:
        if self._server is None:
            folder = Path(tempfile.mkdtemp(prefix="restwright-"))
            self._forget_folder = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            self._server = _load_server(self._path, self._name, self._context, folder)
        return self._server

    def _completion(self, chunks: list[Chunk], elapsed_s: float) -> Completion:
        for chunk in chunks:
            _raise_error(self._name, chunk)
        usage: JsonObject = {}
        for chunk in chunks:
            usage = chunk.get("usage") or usage
        choices = [choice for chunk in chunks for choice in chunk.get("choices", ())]
        return Completion(
            text="".join(map(_chunk_text, chunks)),
            input_tokens=usage.get("prompt_tokens", 0),
            output_tokens=usage.get("completion_tokens", 0),
            elapsed_s=elapsed_s,
            finish="length" if any(c.get("finish_reason") == "length" for c in choices) else "stop",
        )


class _Generation:
    """
    One reply, streamed by a thread of its own, so that the caller's thread stays free to see
    Ctrl-C and the deadline even while the engine is busy.
    """

    def __init__(self, server: Any, body: JsonObject) -> None:
        self._chunks: queue.SimpleQueue[Chunk | None] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._stream, args=(server, body), name="restwright")

    def _stream(self, server: Any, body: JsonObject) -> None:
        try:
            server.handle_chat_completions(body, self._append_chunk)
        except ValueError as error:
            self._chunks.put({"error": {"message": str(error)}})
        finally:
            self._chunks.put(None)

    def _append_chunk(self, chunk: Chunk) -> bool:
        """Keep a chunk; True ends the generation."""
        self._chunks.put(chunk)
        return self._stopped.is_set()

    def chunks(self, deadline: float, started: float) -> Generator[Chunk]:
        """Yield the chunks until the end. Whatever interrupts this ends the generation."""
        try:
            self._thread.start()
            while (chunk := self._next_chunk(deadline, started)) is not None:
                yield chunk
        finally:
            self.stop()

    def _next_chunk(self, deadline: float, started: float) -> Chunk | None:
        try:
            return self._chunks.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise LimitReached("seconds", time.monotonic() - started) from None

    def stop(self) -> None:
        """End the generation at its next token, or at the next piece of the prompt."""
        self._stopped.set()

    def join(self) -> None:
        """Wait for its thread."""
        if self._thread.ident is not None:
            self._thread.join()


def _ignore_piece(piece: str) -> None:
    """Tell nobody."""


def _chunk_text(chunk: Chunk) -> str:
    return "".join(choice["delta"].get("content") or "" for choice in chunk.get("choices", ()))


def _request_body(request: Complete) -> JsonObject:
    body: JsonObject = {
        "messages": [
            {"role": message.speaker, "content": message.text} for message in request.messages
        ],
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "seed": SEED,
        "cache_prompt": True,
        "stream": True,
        "stream_options": {"include_usage": True},
        # A chunk after each batch of the prompt, so that a stop is seen there too.
        "return_progress": True,
    }
    return body if request.schema is None else body | {"grammar": _compile_grammar(request.schema)}


def _compile_grammar(schema: JsonObject) -> str:
    # Keys in the schema's order, optional ones in their place, spaced as `json.dumps` does: what
    # the examples of a prompt look like. The engine's own `json_schema` moves optional keys last.
    return _import_engine().json_schema_to_grammar(loosen_schema(schema) | {"x-guidance": GUIDANCE})


def _raise_error(name: str, chunk: Chunk) -> None:
    error: JsonObject | None = chunk.get("error") or (chunk if "code" in chunk else None)
    if error is None:
        return
    if error.get("type") == "exceed_context_size_error":
        raise LimitReached("tokens of one prompt", error.get("n_prompt_tokens", 0))
    raise ModelUnavailable(name, str(error.get("message", error)), NO_MOVE)


def _load_server(path: Path, name: str, context: int, folder: Path) -> Any:
    if not path.is_file():
        raise ModelUnavailable(name, f"{path} is missing", "run `restwright model pull`")
    engine = _import_engine()
    try:
        with _preserve_signal_handlers():
            return engine.Server(_server_parameters(engine, path, context, folder))
    except RuntimeError as error:
        raise ModelUnavailable(name, f"{path} cannot be loaded", NO_MOVE) from error


def _import_engine() -> ModuleType:
    try:
        with _limit_spinning():
            import xllamacpp  # pyright: ignore[reportMissingTypeStubs]
    except ImportError as error:
        raise MissingExtra("local", "the local model") from error
    return xllamacpp


@contextmanager
def _limit_spinning() -> Generator[None]:
    """
    Let the engine's threads sleep soon when they wait for each other. Its OpenMP reads this once.

    By default they spin for milliseconds, which takes the core from the very thread that they wait
    for when another process runs (measured with 2 busy ones: 8 tokens a second, 15 with this; 25
    both ways on idle cores).
    """
    if SPIN_VARIABLE in os.environ or "OMP_WAIT_POLICY" in os.environ:
        yield
        return
    os.environ[SPIN_VARIABLE] = "5000"
    try:
        yield
    finally:
        del os.environ[SPIN_VARIABLE]


def _server_parameters(engine: Any, path: Path, context: int, folder: Path) -> Any:
    parameters = engine.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx, parameters.n_parallel = context, 1
    parameters.n_batch = parameters.n_ubatch = BATCH
    parameters.cache_ram_mib = CACHE_MIB
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = count_physical_cores()
    parameters.verbosity, parameters.ui, parameters.warmup = 0, False, False
    parameters.endpoint_slots = parameters.endpoint_props = False
    parameters.api_keys = [secrets.token_hex(32)]
    parameters.port = 0
    socket = folder / "s.sock"
    if os.name == "posix" and len(str(socket)) < LONGEST_SOCKET_PATH:
        parameters.hostnames = [str(socket)]
    return parameters


@contextmanager
def _preserve_signal_handlers() -> Generator[None]:
    """Undo what the engine does to SIGINT and SIGTERM when it starts; works in any thread."""
    get_handler: Callable[..., Any] = ctypes.pythonapi.PyOS_getsig
    set_handler: Callable[..., Any] = ctypes.pythonapi.PyOS_setsig
    get_handler.restype = set_handler.restype = ctypes.c_void_p  # type: ignore[attr-defined]
    set_handler.argtypes = [ctypes.c_int, ctypes.c_void_p]  # type: ignore[attr-defined]
    kept = {number: get_handler(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            set_handler(number, handler)


def count_physical_cores() -> int:
    """Cores without hyper-threads where the system says so, else half the logical ones."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    siblings = {
        file.read_text().strip()
        for file in Path("/sys/devices/system/cpu").glob("cpu[0-9]*/topology/thread_siblings_list")
    }
    counted = len(siblings) or (os.cpu_count() or 2) // 2
    return max(1, min(counted, allowed or 1))
