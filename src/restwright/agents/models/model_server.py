"""
A local model that stays in memory, for all processes of its user.

It listens on a Unix socket that only this user can open, or on the loopback interface; who connects
must know the key. Requests are answered one after another in the order in which they come. A client
that goes away ends its request.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from restwright import __version__
from restwright.agents.models.local import LONGEST_SOCKET_PATH, LocalModel
from restwright.agents.models.server_channel import (
    ANSWER_S,
    Address,
    Channel,
    Disconnected,
    json_from_completion,
    json_from_error,
    request_from_json,
)
from restwright.agents.models.server_record import ServerRecord, remove_record, write_record
from restwright.errors import UsageError
from restwright.jsontypes import JsonObject
from restwright.net.http.cancellation import CancelToken, OperationCanceled

LOOPBACK = "127.0.0.1"
LOOK_S = 0.2
MOST_CONNECTIONS = 64


class ModelServer:
    """
    Answers requests until it was idle for long, or is stopped.

    Args:
        model: Asked by nobody else; closed by whoever made it.
        listener: A socket that listens, closed at the end.
        key: What clients must know.
        idle_s: Seconds without a request after which it ends.
    """

    def __init__(
        self, model: LocalModel, listener: socket.socket, *, key: bytes, idle_s: float
    ) -> None:
        self._model, self._listener, self._key, self._idle_s = model, listener, key, idle_s
        self._stopped = threading.Event()
        self._places = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._lock = threading.Lock()
        self._requests: set[CancelToken] = set()
        self._last_used = time.monotonic()

    def serve(self) -> None:
        """Answer until the end."""
        self._listener.settimeout(LOOK_S)
        try:
            with self._listener:
                while not self._stopped.is_set() and not self._is_idle():
                    with suppress(TimeoutError):
                        self._accept()
        finally:
            self._cancel_requests()

    def stop(self) -> None:
        """End it soon; what is generated ends with it."""
        self._stopped.set()

    def _cancel_requests(self) -> None:
        self._stopped.set()
        with self._lock:
            requests = list(self._requests)
        for request in requests:
            request.cancel()

    def _accept(self) -> None:
        stream, _ = self._listener.accept()
        if not self._places.acquire(blocking=False):
            stream.close()
            return
        threading.Thread(target=self._attend, args=(stream,), daemon=True).start()

    def _is_idle(self) -> bool:
        with self._lock:
            return not self._requests and time.monotonic() - self._last_used >= self._idle_s

    def _attend(self, stream: socket.socket) -> None:
        """Do the one thing that a client asks for."""
        channel = Channel(stream)
        try:
            channel.prove(self._key, "server")
            asked = channel.receive(ANSWER_S)
            match asked.get("do"):
                case "complete":
                    self._complete(channel, asked)
                case "status":
                    channel.send(self._status())
                case "stop":
                    channel.send({"stopped": True})
                    self.stop()
                case _:
                    pass
        except (Disconnected, TimeoutError, OperationCanceled):
            pass
        finally:
            channel.close()
            self._places.release()

    def _status(self) -> JsonObject:
        with self._lock:
            return {"pid": os.getpid(), "version": __version__, "requests": len(self._requests)}

    def _complete(self, channel: Channel, asked: JsonObject) -> None:
        canceled = CancelToken()
        with self._listed(canceled), _watched(channel, canceled), canceled.cancelable():
            try:
                request, deadline_s = request_from_json(asked), float(asked["deadline_s"])

                def tell(piece: str) -> None:
                    channel.send({"piece": piece})

                completion = self._model.stream(request, deadline_s=deadline_s, tell=tell)
            except (Disconnected, OperationCanceled):
                raise
            except Exception as error:  # noqa: BLE001 - the client is told, and the server goes on
                channel.send({"error": json_from_error(error)})
            else:
                channel.send({"completion": json_from_completion(completion)})

    @contextmanager
    def _listed(self, request: CancelToken) -> Generator[None]:
        with self._lock:
            self._requests.add(request)
        try:
            if self._stopped.is_set():
                raise OperationCanceled
            yield
        finally:
            with self._lock:
                self._requests.discard(request)
                self._last_used = time.monotonic()


@contextmanager
def _watched(channel: Channel, canceled: CancelToken) -> Generator[None]:
    """Cancel what goes on in the block when the client goes away."""
    over = threading.Event()

    def watch() -> None:
        while not over.is_set():
            try:
                channel.receive(LOOK_S)
            except TimeoutError:
                continue
            except Disconnected:
                canceled.cancel()
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def serve_model(
    model: LocalModel,
    *,
    idle_s: float,
    socket_path: Path | None = None,
    port: int | None = None,
    ready: Callable[[ServerRecord], object],
) -> None:
    """
    Load a model and serve it until it is idle for long, is stopped or is interrupted.

    Args:
        socket_path: A Unix socket to listen on; None for one in a private folder.
        port: Of the loopback interface, in place of a Unix socket; 0 for any.
        ready: Told where it listens as soon as clients find it.

    Raises:
        ModelUnavailable: It cannot be loaded.
        UsageError: It cannot listen there.
        OSError: Others cannot be told where it is.
    """
    key = secrets.token_bytes(32)
    with _listening(socket_path, port) as (listener, address):
        server = ModelServer(model, listener, key=key, idle_s=idle_s)
        record = ServerRecord(
            version=__version__,
            sha256=model.sha256,
            pid=os.getpid(),
            address=address,
            key=key.hex(),
        )
        model.load(deadline_s=threading.TIMEOUT_MAX)
        write_record(model.name, record)
        try:
            ready(record)
            server.serve()
        finally:
            remove_record(model.name, record)


@contextmanager
def _listening(path: Path | None, port: int | None) -> Generator[tuple[socket.socket, Address]]:
    if port is not None:
        with socket.socket(socket.AF_INET) as listener:
            _bind(listener, (LOOPBACK, port), "--port")
            yield listener, (LOOPBACK, listener.getsockname()[1])
        return
    if not hasattr(socket, "AF_UNIX") or os.name != "posix":
        why = "Python has no Unix sockets on this system"
        raise UsageError(why, "model serve", "give --port, such as --port 0")
    with _socket_path(path) as chosen, socket.socket(socket.AF_UNIX) as listener:
        _bind(listener, str(chosen), "--socket")
        try:
            chosen.chmod(0o600)
            yield listener, str(chosen)
        finally:
            chosen.unlink(missing_ok=True)


@contextmanager
def _socket_path(path: Path | None) -> Generator[Path]:
    if path is not None:
        path = path.parent.resolve() / path.name
        _remove_dead_socket(path)
        yield path
        return
    # Only this user can enter it.
    folder = Path(tempfile.mkdtemp(prefix="restwright-serve-"))
    try:
        yield folder / "s.sock"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_dead_socket(path: Path) -> None:
    """Remove the socket that a killed server left."""
    try:
        is_socket = stat.S_ISSOCK(path.lstat().st_mode)
    except OSError:
        return
    if is_socket:
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(str(path))
            except ConnectionRefusedError:
                path.unlink(missing_ok=True)
            except OSError:
                return


def _bind(listener: socket.socket, address: Address, option: str) -> None:
    shown = address if isinstance(address, str) else str(address[1])
    if isinstance(address, str) and len(address.encode()) >= LONGEST_SOCKET_PATH:
        raise UsageError(f"{shown} is too long for a socket", option, "give a shorter path")
    try:
        listener.bind(address)
        listener.listen()
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or "it is no port"
        raise UsageError(
            f"cannot listen on {shown}: {why}", option, "choose another one"
        ) from error
