"""A server of ours on loopback, spoken to in plain HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from tests.support.mcp.serving import Served

from restwright.mcp.http import HTTPAccess, HTTPAddress, make_app, open_listener
from restwright.mcp.landing import LoginRoute
from restwright.net.http_server import make_server

HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
MODERN = "2026-07-28"
FORMS = {"elicitation": {"form": {}}}


@dataclass(frozen=True)
class Running:
    """Where a server runs."""

    address: HTTPAddress

    @property
    def url(self) -> str:
        """As this machine reaches it, whatever it is called elsewhere."""
        return f"http://127.0.0.1:{self.address.port}/mcp"

    def post(
        self, body: Any, headers: Mapping[str, str] | None = None, url: str = ""
    ) -> httpx2.Response:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        with httpx2.Client(trust_env=False, verify=False) as client:
            return client.post(
                url or self.url, content=content, headers={**HEADERS, **(headers or {})}
            )

    def ask(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        able: Mapping[str, Any] | None = None,
    ) -> httpx2.Response:
        """Send one request of the revision without sessions."""
        params = dict(params or {})
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": able or {},
        }
        named = {"mcp-protocol-version": MODERN, "mcp-method": method}
        if "name" in params:
            named["mcp-name"] = params["name"]
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self.post(body, {**named, **(headers or {})})

    def call(
        self, name: str, arguments: Mapping[str, Any], headers: Any = None, **more: Any
    ) -> Any:
        params = {"name": name, "arguments": arguments, **more}
        response = self.ask("tools/call", params, headers, FORMS).json()
        return response.get("result") or response["error"]


@contextmanager
def over_http(
    served: Served,
    access: HTTPAccess | None = None,
    address: HTTPAddress | None = None,
    login: LoginRoute | None = None,
) -> Iterator[Running]:
    """Serve in a thread."""
    listener, where = open_listener(address or HTTPAddress(host="127.0.0.1", port=0))
    app = make_app(served.built.server, where, access or HTTPAccess(), login)
    server = make_server(app)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        yield Running(where)
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()
