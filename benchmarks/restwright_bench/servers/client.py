"""A plain JSON client of a server on loopback, by which it is filled and its state is read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlencode

from restwright.jsontypes import Json

HOST = "127.0.0.1"
_FAILED = 400
_WITHIN_S = 30


class RefusedByServer(RuntimeError):
    """The server answered by an error while it was filled or read."""


class Client:
    """One server; each request on a connection of its own, as servers are stopped in between."""

    def __init__(self, port: int, headers: Mapping[str, str] | None = None) -> None:
        self.port, self.headers = port, dict(headers or {})

    @property
    def origin(self) -> str:
        """Without a slash at its end."""
        return f"http://{HOST}:{self.port}"

    def text(self, method: str, path: str, body: Json = None, **query: str | int) -> str:
        """
        Send a request and return the text of its response.

        Raises:
            RefusedByServer: The status is 400 or more.
            OSError: Nothing answers.
        """
        connection = HTTPConnection(HOST, self.port, timeout=_WITHIN_S)
        sent = None if body is None else json.dumps(body)
        headers = self.headers | ({} if sent is None else {"Content-Type": "application/json"})
        try:
            connection.request(
                method, f"{path}?{urlencode(query)}" if query else path, sent, headers
            )
            response = connection.getresponse()
            text = response.read().decode()
        finally:
            connection.close()
        if response.status >= _FAILED:
            raise RefusedByServer(f"{method} {path}: {response.status} {text[:300]}")
        return text

    def send(self, method: str, path: str, body: Json = None, **query: str | int) -> Any:
        """Do the same and return the JSON of the response; None where it has none."""
        text = self.text(method, path, body, **query)
        return json.loads(text) if text.strip() else None

    def get(self, path: str, **query: str | int) -> Any:
        """The JSON of a GET."""
        return self.send("GET", path, **query)
