"""
Our client under the official conformance suite, which appends the URL and names the scenario.

    conformance client --command "python -m tests.support.mcp_client.conformance_client" ...
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any
from urllib.parse import urlsplit

import httpx2
from tests.support.mcp_client.login_server import BrowserLogin

from restwright.calls.call import call
from restwright.calls.questions import CallQuestion, answer_questions
from restwright.errors import RestwrightError
from restwright.mcp_client.server import MCPServer
from restwright.mcp_client.settings import ServerLimits, ServerSettings, ServerURL
from restwright.policy import ALLOW

SCENARIO = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
CONTEXT = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
VERSION = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "2026-07-28")
CLIENTS = {
    "auth/basic-cimd": "https://conformance-test.local/client-metadata.json",
    "auth/pre-registration": CONTEXT.get("client_id", ""),
}
STUBS = {"integer": 1, "number": 1, "boolean": True, "object": {}, "array": []}


def stub(schema: dict[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties", {})
    return {
        name: STUBS.get(properties.get(name, {}).get("type"), "x")
        for name in schema.get("required", [])
    }


def answer(question: CallQuestion) -> Any:
    properties = (question.schema or {}).get("properties", {})
    return {name: each["default"] for name, each in properties.items() if "default" in each}


def find_login_origins(url: str) -> tuple[str, ...]:
    """Where this server sends one to log in, which the suite does not say before."""
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
    path = urlsplit(url).path
    with httpx2.Client(trust_env=False) as client:
        challenge = client.post(url, json={}).headers.get("www-authenticate", "")
        _, _, rest = challenge.partition('resource_metadata="')
        places = [rest.partition('"')[0]] if rest else []
        known = "/.well-known/oauth-protected-resource"
        for place in (*places, f"{origin}{known}{path}", f"{origin}{known}"):
            try:
                return tuple(client.get(place).json()["authorization_servers"])
            except (ValueError, KeyError, httpx2.HTTPError):
                continue
    return ()


def main(url: str) -> None:
    """Use the server; where it then sends one elsewhere to log in, name that and use it again."""
    if not SCENARIO.startswith("auth/"):
        use_server(url, ())
        return
    origins = find_login_origins(url)
    try:
        use_server(url, origins)
    except RestwrightError:
        # It refuses to go where nobody sent it; its user may.
        new = set(find_login_origins(url)) - set(origins)
        if not new:
            raise
        use_server(url, (*origins, *new))


def use_server(url: str, origins: tuple[str, ...]) -> None:
    is_auth = SCENARIO.startswith("auth/")
    is_modern = VERSION >= "2026" and SCENARIO != "json-schema-ref-no-deref"
    settings = ServerSettings(
        name="suite",
        place=ServerURL(
            url=url,
            origins=origins,
            client_id=CLIENTS.get(SCENARIO, ""),
            client_secret=CONTEXT.get("client_secret", ""),
        ),
        era="auto" if is_modern else "legacy",
        limits=ServerLimits(start_s=60.0),
        make_login=BrowserLogin if is_auth else None,
    )
    with MCPServer(settings) as server, answer_questions(answer):
        made = server.catalog
        if SCENARIO == "http-custom-headers":
            for each in CONTEXT.get("toolCalls", []):
                # A null does not fit a schema of text: what is not given is left out.
                own = {
                    name: v for name, v in (each.get("arguments") or {}).items() if v is not None
                }
                print(call(tool_of(made, each["name"]), own, policy=ALLOW))
        elif SCENARIO == "json-schema-2020-12-preservation":
            focal = next(tool for tool in server.tools if tool.name == "json_schema_2020_12_tool")
            echoed = {"schema": focal.parameters}
            print(call(tool_of(made, "json_schema_echo"), echoed, policy=ALLOW))
        elif SCENARIO not in {"initialize", "json-schema-ref-no-deref"}:
            for tool in server.tools:
                given = stub(tool.parameters)
                print(call(tool_of(made, tool.name), given, policy=ALLOW))


def tool_of(made: Any, name: str) -> Any:
    return next(tool for tool in made.tools if tool.operation.operation_id == name)


if __name__ == "__main__":
    main(sys.argv[-1])
