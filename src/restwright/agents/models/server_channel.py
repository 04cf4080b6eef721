"""
JSON messages between a model server and its clients, over a Unix socket or the loopback interface.

Both sides prove that they know the key without sending it (the challenges of
`multiprocessing.connection`); nothing is unpickled.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge
from threading import Timer
from typing import Literal, TypeAlias

from restwright.agents.steps import Complete, Completion, Message
from restwright.errors import LimitReached, ModelUnavailable, RestwrightError
from restwright.jsontypes import Json, JsonObject, is_object

Address: TypeAlias = str | tuple[str, int]
"""A path of a Unix socket, or host and port."""

ANSWER_S = 5.0
"""As long may the other side take to accept and to prove that it knows the key."""
LONGEST_WAIT_S = 1e6
MAX_MESSAGE_BYTES = 64 * 1024 * 1024


class Disconnected(Exception):
    """The other side is gone, or is not who it should be. Never leaves this package."""


class Channel:
    """One connection; messages both ways."""

    def __init__(self, stream: socket.socket) -> None:
        self._socket = stream
        # It closes its own number of the same connection.
        self._connection = Connection(stream.dup().detach())

    def prove(self, key: bytes, side: Literal["server", "client"]) -> None:
        """
        Let both sides prove that they know the key.

        Raises:
            Disconnected: The other side does not, or takes too long.
        """
        first, then = (deliver_challenge, answer_challenge)
        if side == "client":
            first, then = then, first
        watch = Timer(ANSWER_S, self.shut_down)
        watch.daemon = True
        watch.start()
        try:
            first(self._connection, key)
            then(self._connection, key)
        except (AuthenticationError, OSError, EOFError, ValueError, AssertionError) as error:
            raise Disconnected from error
        finally:
            watch.cancel()

    def send(self, message: JsonObject) -> None:
        """
        Send a message.

        Raises:
            Disconnected: The other side is gone.
        """
        try:
            self._connection.send_bytes(json.dumps(message).encode())
        except (OSError, ValueError) as error:
            raise Disconnected from error

    def receive(self, timeout_s: float) -> JsonObject:
        """
        Wait for a message.

        Raises:
            Disconnected: The other side is gone, or sent something else.
            TimeoutError: It did not come in time.
        """
        try:
            came = self._connection.poll(min(timeout_s, LONGEST_WAIT_S))
            message: Json = (
                json.loads(self._connection.recv_bytes(MAX_MESSAGE_BYTES)) if came else None
            )
        except (OSError, EOFError, ValueError) as error:
            raise Disconnected from error
        if not came:
            raise TimeoutError
        if not is_object(message):
            raise Disconnected
        return message

    def shut_down(self) -> None:
        """End it from another thread: who waits for a message goes on at once."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close it."""
        self.shut_down()
        self._connection.close()
        self._socket.close()


@contextmanager
def open_channel(address: Address, key: bytes) -> Generator[Channel]:
    """
    Connect to a server.

    Raises:
        Disconnected: Nobody answers there who knows the key.
    """
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    stream = socket.socket(family)
    try:
        stream.settimeout(ANSWER_S)
        stream.connect(address)
        stream.settimeout(None)
    except OSError as error:
        stream.close()
        raise Disconnected from error
    channel = Channel(stream)
    try:
        channel.prove(key, "client")
        yield channel
    finally:
        channel.close()


def json_from_request(request: Complete, deadline: float) -> JsonObject:
    """Return a request as JSON; `deadline` is an instant of `time.monotonic()`."""
    return {
        "do": "complete",
        "deadline_s": deadline - time.monotonic(),
        "role": request.role,
        "messages": [
            {"speaker": message.speaker, "text": message.text, "is_static": message.is_static}
            for message in request.messages
        ],
        "schema": request.schema,
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
    }


def request_from_json(given: JsonObject) -> Complete:
    """Read what `json_from_request()` made."""
    return Complete(
        role=given["role"],
        messages=tuple(Message(**message) for message in given["messages"]),
        schema=given["schema"],
        max_tokens=given["max_tokens"],
        temperature=given["temperature"],
    )


def json_from_completion(completion: Completion) -> JsonObject:
    """Return a reply as JSON."""
    return {
        "text": completion.text,
        "input_tokens": completion.input_tokens,
        "output_tokens": completion.output_tokens,
        "elapsed_s": completion.elapsed_s,
        "finish": completion.finish,
        "cache_read_tokens": completion.cache_read_tokens,
    }


def json_from_error(error: Exception) -> JsonObject:
    """Return what a request ended with as JSON."""
    if isinstance(error, LimitReached):
        return {"limit": error.limit, "used": error.used}
    if isinstance(error, ModelUnavailable):
        return {"why": error.why, "next_move": error.next_move}
    # Its own words may hold anything.
    return {"why": "its server failed", "next_move": "run `restwright model serve --stop`"}


def error_from_json(name: str, given: JsonObject) -> RestwrightError:
    """Read what `json_from_error()` made, as said of the model `name`."""
    if "limit" in given:
        return LimitReached(given["limit"], given["used"])
    return ModelUnavailable(name, given["why"], given["next_move"])
