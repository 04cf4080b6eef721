"""Sockets whose every operation ends at a deadline, alone and inside of one another."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

import httpcore2

from restwright.net.http.body_limits import ReceiveBuffer
from restwright.net.http.cancellation import allow_socket_shutdown

# One write at a time is at most this long, so that the deadline is looked at in between.
_WRITE_BYTES = 64 * 1024
_RECORD_BYTES = 16 * 1024
StepResult = TypeVar("StepResult")


class DeadlineStream(httpcore2.NetworkStream):
    """
    A socket; every `timeout` is an instant of `time.monotonic()`.

    `intake` cuts what is received where a response may end.
    """

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream
        self.intake = ReceiveBuffer()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what there is, up to `max_bytes`; empty at the end."""
        if not self.intake.has_more:
            with allow_socket_shutdown(self._stream):
                received = self._stream.read(
                    max_bytes, seconds_left(timeout, httpcore2.ReadTimeout)
                )
            self.intake.put(received)
        return self.intake.take(max_bytes)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write the whole buffer."""
        self.intake.restart()
        # The stream below starts its timeout anew after each partial write, so a server that reads
        # a byte at a time would never be given up.
        sock = cast("socket.socket", self._stream.get_extra_info("socket"))
        view = memoryview(buffer)
        try:
            with allow_socket_shutdown(self._stream):
                while view:
                    sock.settimeout(seconds_left(timeout, httpcore2.WriteTimeout))
                    view = view[sock.send(view[:_WRITE_BYTES]) :]
        except TimeoutError as error:
            raise httpcore2.WriteTimeout(error) from error
        except OSError as error:
            raise httpcore2.WriteError(error) from error

    def has_more(self) -> bool:
        """Whether something came in behind the end of a response."""
        return self.intake.has_more

    def close(self) -> None:
        """Close the socket."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        """Return the stream inside TLS; the certificate must be for `server_hostname`."""
        if isinstance(self._stream.get_extra_info("socket"), ssl.SSLSocket):
            return TLSInTLSStream(self, ssl_context, server_hostname, timeout)
        left = seconds_left(timeout, httpcore2.ConnectTimeout)
        return DeadlineStream(self._stream.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        """Return what the socket knows about `info`, such as `is_readable`."""
        return self._stream.get_extra_info(info)


class TLSInTLSStream(httpcore2.NetworkStream):
    """
    TLS with an origin inside of TLS with a proxy; `ssl` wraps no socket twice.

    Args:
        outer: The stream to the proxy.
    """

    def __init__(
        self,
        outer: DeadlineStream,
        context: ssl.SSLContext,
        server_hostname: str | None,
        timeout: float | None,
    ) -> None:
        self._outer, self.intake = outer, ReceiveBuffer()
        # What comes from the proxy now is all for this layer.
        self._received, self._to_send = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._received, self._to_send, server_hostname=server_hostname)
        try:
            self._transfer(self._tls.do_handshake, timeout)
        except BaseException as error:
            self.close()
            if isinstance(error, ssl.SSLError):
                raise httpcore2.ConnectError(error) from error
            raise

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what there is, up to `max_bytes`; empty at the end."""
        if not self.intake.has_more:
            try:
                self.intake.put(self._transfer(lambda: self._tls.read(max_bytes), timeout))
            except ssl.SSLZeroReturnError:
                return b""
            except ssl.SSLError as error:
                raise httpcore2.ReadError(error) from error
        return self.intake.take(max_bytes)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write the whole buffer."""
        self.intake.restart()
        view = memoryview(buffer)
        while view:
            part = view[:_RECORD_BYTES]
            try:
                view = view[self._transfer(lambda part=part: self._tls.write(part), timeout) :]
            except ssl.SSLError as error:
                raise httpcore2.WriteError(error) from error

    def has_more(self) -> bool:
        """Whether something came in behind the end of a response."""
        if not self.intake.has_more:
            # Another record may have come in with the last one.
            with suppress(ssl.SSLError):
                self.intake.put(self._tls.read(_RECORD_BYTES))
        return self.intake.has_more

    def close(self) -> None:
        """Close the socket."""
        self._outer.close()

    def get_extra_info(self, info: str) -> Any:
        """Return what the socket knows about `info`, such as `is_readable`."""
        return self._tls if info == "ssl_object" else self._outer.get_extra_info(info)

    def _transfer(self, step: Callable[[], StepResult], timeout: float | None) -> StepResult:
        """Do `step`, sending and receiving for it what TLS wants."""
        while True:
            try:
                done = step()
            except ssl.SSLWantReadError:
                self._send(timeout)
                received = self._outer.read(_WRITE_BYTES, timeout)
                self._received.write(received) if received else self._received.write_eof()
            else:
                self._send(timeout)
                return done

    def _send(self, timeout: float | None) -> None:
        if self._to_send.pending:
            self._outer.write(self._to_send.read(), timeout)


def seconds_left(deadline: float | None, late: type[Exception]) -> float | None:
    """Return the seconds until `deadline`; raises `late` when there are none."""
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise late("the deadline passed")
    return left
