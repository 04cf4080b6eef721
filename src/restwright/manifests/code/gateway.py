"""
The way out for code that may ask some hosts and has no network: an HTTP proxy that it is given.

The code's connections come from the loopback interface of its own network, one descriptor each, so
that nothing of the real network is ever in its hands. A host is looked up here, and its addresses
are checked as those of every request are.

Source: RFC 9110, 9.3.6 "CONNECT"; RFC 9112, 3.2.2 "absolute-form".
"""

from __future__ import annotations

import re
import select
import socket
import threading
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import urlsplit

from restwright.net.policy.dns import BlockedDestination, check_addresses, check_host, resolve_host
from restwright.net.policy.hosts import AllowedHost

IDLE_SECONDS = 60.0
CONNECT_SECONDS = 10.0
MAX_CONNECTIONS = 32
MAX_HEAD_BYTES = 64_000

_READ_BYTES = 65_536
_CONNECT = re.compile(rb"CONNECT (\[[0-9A-Fa-f:.]+\]|[^\s:]+):(\d{1,5}) HTTP/1\.[01]")
_ABSOLUTE = re.compile(rb"([A-Z]+) (http://[^\s]+) HTTP/1\.[01]")
_PER_HOP = (b"connection:", b"proxy-connection:", b"keep-alive:", b"proxy-authorization:")


class _Refused(Exception):
    """A connection leads where it may not."""


class Gateway:
    """
    Carries what one process asks of `hosts`, until it is closed.

    Attributes:
        theirs: The descriptor by which the process hands its connections over; to be closed by
            who has passed it on.
    """

    def __init__(self, hosts: Sequence[AllowedHost]) -> None:
        self._hosts = tuple(hosts)
        self._own, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.theirs = theirs.detach()
        self._room = threading.Semaphore(MAX_CONNECTIONS)
        threading.Thread(target=self._take_connections, daemon=True).start()

    def close(self) -> None:
        """Take no further connections; those that are open end with their process."""
        with suppress(OSError):
            self._own.shutdown(socket.SHUT_RDWR)

    def _take_connections(self) -> None:
        with self._own as own:
            while True:
                try:
                    told, descriptors, _, _ = socket.recv_fds(own, 1, 1)
                except OSError:
                    return
                if not told:
                    return
                for descriptor in descriptors:
                    connection = socket.socket(fileno=descriptor)
                    if self._room.acquire(blocking=False):
                        serve = threading.Thread(target=self._serve, args=[connection], daemon=True)
                        serve.start()
                    else:
                        connection.close()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, suppress(OSError):
                connection.settimeout(IDLE_SECONDS)
                head, rest = _read_head(connection)
                try:
                    target, first = self._open_target(head)
                except _Refused as error:
                    connection.sendall(_answer(403, str(error)))
                    return
                except OSError as error:
                    connection.sendall(_answer(502, error.strerror or "no connection was made"))
                    return
                with target:
                    if first:
                        target.sendall(first + rest)
                    else:
                        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                        target.sendall(rest)
                    _carry(connection, target)
        finally:
            self._room.release()

    def _open_target(self, head: bytes) -> tuple[socket.socket, bytes]:
        """The connection that a request wants, and what is sent on it first."""
        line, _, headers = head.partition(b"\r\n")
        if found := _CONNECT.fullmatch(line):
            return self._connect(
                found[1].decode("ascii", "replace").strip("[]"), int(found[2])
            ), b""
        if not (found := _ABSOLUTE.fullmatch(line)):
            raise _Refused("only HTTP and HTTPS are spoken")
        try:
            url = urlsplit(found[2].decode("ascii"))
            host, port = url.hostname or "", url.port or 80
        except ValueError:
            raise _Refused("the URL is malformed") from None
        path = url.path or "/"
        kept = [part for part in headers.split(b"\r\n") if not part.lower().startswith(_PER_HOP)]
        asked = f"{path}?{url.query}" if url.query else path
        first = b"%s %s HTTP/1.1\r\n" % (found[1], asked.encode())
        # One request a connection: the next may be for another host.
        lines = [*(part for part in kept if part), b"Connection: close"]
        return self._connect(host, port), first + b"\r\n".join(lines) + b"\r\n\r\n"

    def _connect(self, host: str, port: int) -> socket.socket:
        if not any(allowed.allows(host, port) for allowed in self._hosts):
            raise _Refused(f"{host}:{port} is no host that this code may ask; see --allow-net")
        try:
            addresses = check_host(host, is_named=True) or check_addresses(
                host, resolve_host(host, port), is_named=True
            )
        except BlockedDestination as error:
            raise _Refused(f"{host} may not be asked: {error.why}") from None
        except UnicodeError:
            raise _Refused("that is no host") from None
        return socket.create_connection((addresses[0], port), timeout=CONNECT_SECONDS)


def _read_head(connection: socket.socket) -> tuple[bytes, bytes]:
    """The first line and headers of a request, and what came behind them."""
    read = b""
    while b"\r\n\r\n" not in read:
        part = connection.recv(_READ_BYTES)
        if not part or len(read) > MAX_HEAD_BYTES:
            raise ConnectionError
        read += part
    head, _, rest = read.partition(b"\r\n\r\n")
    return head, rest


def _answer(status: int, why: str) -> bytes:
    text = why.encode("utf-8", "replace")
    head = f"HTTP/1.1 {status} {'Forbidden' if status == 403 else 'Bad Gateway'}\r\n"
    about = f"Content-Type: text/plain\r\nContent-Length: {len(text)}\r\nConnection: close\r\n\r\n"
    return head.encode() + about.encode() + text


def _carry(one: socket.socket, other: socket.socket) -> None:
    """Carry everything between two connections, until one ends or nothing comes any more."""
    while ready := select.select([one, other], [], [], IDLE_SECONDS)[0]:
        for source in ready:
            part = source.recv(_READ_BYTES)
            if not part:
                return
            (other if source is one else one).sendall(part)
