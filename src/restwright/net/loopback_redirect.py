"""Waits on this machine for the one redirect that ends a login in a browser."""

from __future__ import annotations

import queue
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PATH = "/callback"
TIMEOUT_S = 300.0
_NOBODY = ""
_DONE = b"<!doctype html><title>restwright</title><p>You may close this window.</p>"


class RedirectListener:
    """
    A server on the loopback interface that notes the first redirect, and answers nothing else.

    Args:
        port: 0 for any that is free (RFC 8252, "Loopback Interface Redirection").
        timeout_s: Seconds to wait for the redirect.
    """

    def __init__(self, *, port: int = 0, timeout_s: float = TIMEOUT_S) -> None:
        self._port, self._timeout_s = port, timeout_s
        self._arrivals: queue.Queue[str] = queue.Queue(maxsize=1)
        self._closed = threading.Event()
        self._server: ThreadingHTTPServer | None = None

    def listen(self) -> str:
        """Start waiting, and return the URL to redirect to."""
        self.close()
        self._arrivals = queue.Queue(maxsize=1)
        server = ThreadingHTTPServer(("127.0.0.1", self._port), _make_handler(self._arrivals))
        server.daemon_threads = True
        self._server = server
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}{PATH}"

    def arrival(self) -> str:
        """
        Return the URL that was asked for, query included.

        Raises:
            TimeoutError: Nobody came, or another thread stopped waiting.
        """
        try:
            found = self._arrivals.get(timeout=self._timeout_s)
        except queue.Empty:
            found = _NOBODY
        if found == _NOBODY:
            raise TimeoutError("no redirect came")
        return found

    def wait(self, seconds: float) -> None:
        """Let time pass, until another thread stops waiting."""
        self._closed.wait(seconds)

    def close(self) -> None:
        """Stop waiting, in every thread: one that waited on would keep the process from ending."""
        with suppress(queue.Full):
            self._arrivals.put_nowait(_NOBODY)
        closed, self._closed = self._closed, threading.Event()
        closed.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None


def _make_handler(arrivals: queue.Queue[str]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        # A browser opens connections ahead and leaves them silent.
        timeout = 10

        def do_GET(self) -> None:
            host, port = self.connection.getsockname()[:2]
            is_ours = self.headers.get("Host") == f"{host}:{port}"
            if not is_ours or self.path.partition("?")[0] != PATH:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(_DONE)))
            self.send_header("Referrer-Policy", "no-referrer")
            self.end_headers()
            self.wfile.write(_DONE)
            with suppress(queue.Full):
                arrivals.put_nowait(f"http://{host}:{port}{self.path}")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing: the code is in the URL."""

    return Handler
