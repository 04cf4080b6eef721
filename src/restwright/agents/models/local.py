"""
A GGUF model in this process (llama.cpp through `xllamacpp`), behind the `Model` Protocol.

The engine is a server of its own: it is given a Unix socket in a folder that only this user can
enter and a random key. It is asked through that only to save and to restore what it processed.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
import signal
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from restwright.agents.models.engine_slot import EngineSlot
from restwright.agents.models.generation import Chunk, Clock, Generate, Generation
from restwright.agents.models.prefix_store import PrefixStore, prefix_folder, static_prefix
from restwright.agents.models.prefixes import Prefixes, PrefixLost
from restwright.agents.models.turns import Turns
from restwright.agents.steps import Complete, Completion, Message
from restwright.errors import LimitReached, MissingExtra, ModelUnavailable
from restwright.jsontypes import JsonObject
from restwright.net.http.cancellation import allow_cancellation
from restwright.tools.dialects.rules_llama import loosen_schema

if TYPE_CHECKING:
    from types import ModuleType

SEED = 1
BATCH = 128
CACHE_MIB = 512
CACHE_TYPES = "f16"
PARKING: JsonObject = {"prompt": "\n", "n_predict": 0, "cache_prompt": True, "stream": True}
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
    longer. Threads that ask meanwhile get their turn in the order in which they came, and wait no
    longer than their deadlines; who is interrupted ends the generation.

    Greedy (temperature 0) with a fixed seed. What a prompt shares with an earlier one from its
    start on is not processed again; what it begins with in every run (`Message.is_static`) is
    kept on disk besides.

    Args:
        path: A GGUF file.
        name: What it was chosen by.
        context: Tokens of prompt and reply together.
        sha256: Of the file. Without it nothing is kept on disk.
    """

    def __init__(
        self, path: Path, *, name: str = "local", context: int = 8192, sha256: str = ""
    ) -> None:
        self._path, self._name, self._context, self._sha256 = path, name, context, sha256
        self._server: Any = None
        self._prefixes: Prefixes | None = None
        self._running: Generation | None = None
        self._is_slot_used = False
        self._clock = Clock(0.0, 0.0)
        self._forget_folder: Callable[[], object] = lambda: None
        self._turns = Turns()

    @property
    def name(self) -> str:
        """What it was chosen by."""
        return self._name

    @property
    def sha256(self) -> str:
        """Of its file; empty where it was not told."""
        return self._sha256

    @property
    def is_loaded(self) -> bool:
        """Whether it is in memory."""
        return self._server is not None

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """
        Answer `request`. Ends the generation at the deadline, and on any exception such as Ctrl-C.

        Raises:
            ModelUnavailable: It cannot be loaded, or cannot take the request.
            LimitReached: The deadline passed, or the prompt is longer than the context.
        """
        return self.stream(request, deadline_s=deadline_s, tell=ignore_piece)

    def stream(
        self, request: Complete, *, deadline_s: float, tell: Callable[[str], None]
    ) -> Completion:
        """Answer as `complete` does, and tell each piece of the text as it comes."""
        with self._exclusive(deadline_s) as clock:
            chunks = self._reply(request, clock, tell)
            return self._completion(chunks, clock.elapsed_s)

    def keep_prefix(self, messages: Sequence[Message], *, deadline_s: float) -> bool:
        """
        Have on disk what becomes of `messages`, with which prompts begin.

        Returns:
            Whether it is there now; it is not where `messages` are too short to be worth it.

        Raises:
            ModelUnavailable: It cannot be loaded.
            LimitReached: The deadline passed.
        """
        if self._sha256 and self._store.has(messages):
            return True
        with self._exclusive(deadline_s) as clock:
            self._ensure_loaded()
            if self._prefixes is None:
                return False
            self._prefixes.ensure(messages, timeout_s=clock.left_s)
        return self._store.has(messages)

    def load(self, *, deadline_s: float) -> None:
        """
        Load it now.

        Raises:
            ModelUnavailable: It cannot be loaded.
            LimitReached: The deadline passed before it could begin.
        """
        with self._exclusive(deadline_s):
            self._ensure_loaded()

    def close(self) -> None:
        """End what is running and free the memory. The next request loads the model again."""
        with self._turns.take(threading.TIMEOUT_MAX, is_cancelable=False):
            self._end_running()
            self._running = self._server = self._prefixes = None
            self._is_slot_used = False
            self._forget_folder()

    @contextmanager
    def _exclusive(self, deadline_s: float) -> Generator[Clock]:
        """Have the engine for the block; another request may have it before."""
        started = time.monotonic()
        clock = Clock(started, started + deadline_s)
        with ExitStack() as turn:
            try:
                turn.enter_context(self._turns.take(deadline_s))
            except TimeoutError:
                raise LimitReached("seconds", deadline_s) from None
            self._clock = clock
            yield clock

    def _reply(self, request: Complete, clock: Clock, tell: Callable[[str], None]) -> list[Chunk]:
        refuse_files(request, self._name)
        server = self._ensure_loaded()
        self._end_running()
        prefix = static_prefix(request)
        expected = 0
        if prefix and self._prefixes is not None:
            expected = self._prefixes.ensure(prefix, timeout_s=clock.left_s)
        body = _request_body(request)
        try:
            return self._run(server.handle_chat_completions, body, tell=tell, expected=expected)
        except PrefixLost:
            self._end_running()
        if self._prefixes is not None:
            self._prefixes.bring_back(prefix, timeout_s=clock.left_s)
        return self._run(server.handle_chat_completions, body, tell=tell)

    def _run(
        self,
        generate: Generate,
        body: JsonObject,
        *,
        tell: Callable[[str], None],
        expected: int = 0,
    ) -> list[Chunk]:
        """
        Have the engine generate; what was interrupted before has ended.

        Raises:
            PrefixLost: Of `expected` tokens that it should have, it processes many again.
        """
        self._is_slot_used = True
        self._running = running = Generation(generate, body)
        chunks: list[Chunk] = []
        with allow_cancellation(running.stop):
            for chunk in running.chunks(self._clock):
                if not chunks and _tokens_kept(chunk, expected) < expected - 2 * BATCH:
                    raise PrefixLost
                chunks.append(chunk)
                if text := _chunk_text(chunk):
                    tell(text)
        return chunks

    def _process(self, messages: Sequence[Message]) -> list[Chunk]:
        request = Complete(role="", messages=tuple(messages), max_tokens=0)
        server = self._server
        return self._run(server.handle_chat_completions, _request_body(request), tell=ignore_piece)

    def _park(self) -> None:
        """
        Process one token of nothing: for the new prompt the engine puts aside the one before.

        To restore a state would throw that one away.
        """
        self._end_running()
        if self._is_slot_used:
            self._run(self._server.handle_completions, PARKING, tell=ignore_piece)

    def _end_running(self) -> None:
        if self._running is not None:
            self._running.stop()
            self._running.join()

    def _ensure_loaded(self) -> Any:
        if self._server is None:
            folder = Path(tempfile.mkdtemp(prefix="restwright-"))
            self._forget_folder = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            states = prefix_folder() if self._sha256 else None
            loaded = _load_server(self._path, self._name, self._context, folder, states)
            self._server = loaded.server
            if states is not None:
                self._prefixes = Prefixes(
                    self._store, loaded.slot, process=self._process, park=self._park
                )
        return self._server

    @property
    def _store(self) -> PrefixStore:
        return PrefixStore([self._sha256, str(_import_engine().__version__), CACHE_TYPES])

    def _completion(self, chunks: list[Chunk], elapsed_s: float) -> Completion:
        for chunk in chunks:
            _raise_error(self._name, chunk)
        usage: JsonObject = {}
        for chunk in chunks:
            usage = chunk.get("usage") or usage
        details: JsonObject = usage.get("prompt_tokens_details") or {}
        choices = [choice for chunk in chunks for choice in chunk.get("choices", ())]
        return Completion(
            text="".join(map(_chunk_text, chunks)),
            input_tokens=usage.get("prompt_tokens", 0),
            output_tokens=usage.get("completion_tokens", 0),
            elapsed_s=elapsed_s,
            finish="length" if any(c.get("finish_reason") == "length" for c in choices) else "stop",
            cache_read_tokens=details.get("cached_tokens", 0),
        )


@dataclass(frozen=True, slots=True)
class _LoadedEngine:
    """An engine that has the model, and its slot."""

    server: Any
    slot: EngineSlot


def ignore_piece(piece: str) -> None:
    """Tell nobody."""


def _tokens_kept(chunk: Chunk, expected: int) -> int:
    """How many tokens of a prompt are not processed again, as the first chunk tells."""
    progress: JsonObject = chunk.get("prompt_progress") or {}
    return progress.get("cache", expected)


def _chunk_text(chunk: Chunk) -> str:
    return "".join(map(_choice_text, chunk.get("choices", ())))


def _choice_text(choice: JsonObject) -> str:
    delta: JsonObject = choice.get("delta") or {}
    return delta.get("content") or ""


def refuse_files(request: Complete, name: str) -> None:
    """
    Say that a local model reads words alone.

    Raises:
        ModelUnavailable: A message has a file.
    """
    for file in (file for message in request.messages for file in message.files):
        next_move = "leave the file out, or choose another model"
        raise ModelUnavailable(name, f"it takes no {file.media_type}", next_move)


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


def _load_server(
    path: Path, name: str, context: int, folder: Path, states: Path | None
) -> _LoadedEngine:
    if not path.is_file():
        raise ModelUnavailable(name, f"{path} is missing", "run `restwright model pull`")
    engine = _import_engine()
    try:
        parameters = _server_parameters(engine, path, context, folder)
        if states is not None:
            parameters.slot_save_path = f"{states}{os.sep}"
        with _preserve_signal_handlers():
            server = engine.Server(parameters)
    except RuntimeError as error:
        raise ModelUnavailable(name, f"{path} cannot be loaded", NO_MOVE) from error
    return _LoadedEngine(server, EngineSlot(server.listening_address, parameters.api_keys[0]))


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
