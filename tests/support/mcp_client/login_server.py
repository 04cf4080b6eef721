"""A server of MCP over HTTP that wants a token, and the authorization server beside it."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

TOKEN = "t0ken-of-the-server"
NOTE = {"name": "read_note", "description": "Read.", "inputSchema": {"type": "object"}}


@dataclass
class LoginServer:
    """
    Args:
        issuer: What it says in the redirect that it is; empty for what it is.
        methods: How challenges of codes are made that it checks.
    """

    url: str = ""
    issuer: str = ""
    methods: list[str] = field(default_factory=lambda: ["S256"])
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]

    def answer(self, path: str, given: dict[str, str], token: str) -> tuple[int, dict, Any]:
        origin = self.url.removesuffix("/mcp")
        if path == "/mcp" and token != f"Bearer {TOKEN}":
            where = f"{origin}/.well-known/oauth-protected-resource/mcp"
            return 401, {"WWW-Authenticate": f'Bearer resource_metadata="{where}"'}, {}
        if path == "/.well-known/oauth-protected-resource/mcp":
            return 200, {}, {"resource": self.url, "authorization_servers": [origin]}
        if path == "/.well-known/oauth-authorization-server":
            return 200, {}, self._metadata(origin)
        if path == "/register":
            return 201, {}, {"client_id": "c1", **json.loads(given["body"])}
        if path == "/authorize":
            back = {"code": "code1", "state": given["state"], "iss": self.issuer or origin}
            return 302, {"Location": f"{given['redirect_uri']}?{urlencode(back)}"}, {}
        if path == "/token":
            return 200, {}, {"access_token": TOKEN, "token_type": "Bearer", "expires_in": 3600}
        return 404, {}, {}

    def _metadata(self, origin: str) -> dict[str, Any]:
        return {
            "issuer": origin,
            "authorization_endpoint": f"{origin}/authorize",
            "token_endpoint": f"{origin}/token",
            "registration_endpoint": f"{origin}/register",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": self.methods,
            "authorization_response_iss_parameter_supported": True,
        }


class BrowserLogin:
    """A person who logs in at once."""

    def __init__(self) -> None:
        self.visited: list[str] = []
        self._arrived = ""

    def listen(self) -> str:
        return "http://127.0.0.1:9/callback"

    def visit(self, url: str, *, code: str = "") -> None:
        self.visited.append(url)
        opener = urllib.request.build_opener(_NoRedirect)
        try:
            opener.open(url)
        except urllib.error.HTTPError as error:
            self._arrived = error.headers["Location"]

    def arrival(self) -> str:
        return self._arrived

    def wait(self, seconds: float) -> None:
        pass

    def close(self) -> None:
        pass


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


@contextmanager
def login_server(**more: Any) -> Iterator[LoginServer]:
    made = LoginServer(**more)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            self._reply(parts.path, dict(parse_qsl(parts.query)))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            given = {"body": body} if self.path in {"/mcp", "/register"} else dict(parse_qsl(body))
            self._reply(self.path, given)

        def _reply(self, path: str, given: dict[str, str]) -> None:
            token = self.headers.get("Authorization", "")
            made.asked.append((path, given))
            status, headers, value = made.answer(path, given, token)
            if path == "/mcp" and status != 401:
                status, headers, value = _speak(json.loads(given.get("body", "{}")))
            content = json.dumps(value).encode() if value is not None else b""
            self.send_response(status)
            for name, text in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, text)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_port}/mcp"
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()


def _speak(message: dict[str, Any]) -> tuple[int, dict, Any]:
    if "id" not in message:
        return 202, {}, None
    results = {
        "initialize": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "Notes", "version": "1"},
        },
        "tools/list": {"tools": [NOTE]},
        "tools/call": {"content": [{"type": "text", "text": "read"}]},
    }
    about = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] not in results:
        return 404, {}, {**about, "error": {"code": -32601, "message": "no"}}
    return 200, {}, {**about, "result": results[message["method"]]}
