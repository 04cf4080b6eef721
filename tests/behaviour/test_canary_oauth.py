"""What OAuth knows is secret, too: it is in nothing that a person or a model reads."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.authorization_server import (
    CLIENT,
    DEVICE_GRANT,
    SECRET,
    AuthorizationServer,
    authorization_server,
)
from tests.support.canary import HANDLES, assert_unseen, echoing, logged, server, shown
from tests.support.oauth import Browser, Clock
from tests.support.planned import plan_of, query

from restwright.agents.steps import Complete, Completion
from restwright.calls.approval.approval import approve_all
from restwright.calls.auth.connection import Connection
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.calls.auth.oauth.token_cache import TokenCache
from restwright.calls.call import call
from restwright.cli import main
from restwright.cli.surroundings import Surroundings
from restwright.errors import NoToken, RestwrightError
from restwright.jsontypes import Json, JsonObject
from restwright.net.http.transport import Transport
from restwright.net.messages import Request, Response, Send
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.tool import Tool

__all__ = ["logged", "server"]

HIDDEN = ("client_secret", "refresh_token", "device_code", "code", "code_verifier")
FLOWS = {
    "client": ("clientCredentials", "client_credentials"),
    "code": ("authorizationCode", "authorization_code"),
    "device": ("deviceAuthorization", "device"),
}


@pytest.fixture
def authorization() -> Iterator[AuthorizationServer]:
    with authorization_server() as running:
        yield running


def secrets_of(authorization: AuthorizationServer) -> set[str]:
    """Everything secret that went to or from the authorization server."""
    sent = {form[name] for form in authorization.forms for name in HIDDEN if name in form}
    numbers = range(1, authorization.issued + 1)
    given = {f"{kind}-canary-{n}" for kind in ("access", "refresh") for n in numbers}
    return {SECRET, "device-code-canary", *sent, *given}


def assert_all_unseen(authorization: AuthorizationServer, seen: str) -> None:
    assert authorization.issued or authorization.refused
    for each in secrets_of(authorization):
        assert_unseen(each, seen)


def written_for(authorization: AuthorizationServer, flow: str) -> JsonObject:
    flows = {
        FLOWS[flow][0]: {
            "tokenUrl": f"{authorization.url}/token",
            "authorizationUrl": f"{authorization.url}/authorize",
            "deviceAuthorizationUrl": f"{authorization.url}/device",
            "scopes": {},
        }
    }
    return document(
        {"/thing": {"get": {"operationId": "get_thing", "responses": {}}}},
        security=[{"login": []}],
        components={"securitySchemes": {"login": {"type": "oauth2", "flows": flows}}},
    )


def tool_for(authorization: AuthorizationServer, flow: str) -> Tool:
    return catalog(load(written_for(authorization, flow), alias="shop"))["shop__get_thing"]


def client_for(authorization: AuthorizationServer, flow: str, **more: Json) -> OAuthClient:
    return OAuthClient(
        client_id=CLIENT,
        client_secret="env:SECRET",
        flow=FLOWS[flow][1],  # type: ignore[arg-type]
        token_url=f"{authorization.url}/token",
        device_url=f"{authorization.url}/device",
        login=Browser(authorization),
        **more,
    )


@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("handle", HANDLES, ids=lambda each: each.__name__)
def test_no_secret_of_a_flow_is_in_an_outcome_of_the_network(
    flow, handle, authorization, server, logged, monkeypatch
):
    monkeypatch.setenv("SECRET", SECRET)
    clock, seen = Clock(), ""
    client = client_for(authorization, flow, tokens=TokenCache(now=clock))
    connection = Connection(server=server(handle), auth=client)
    with Transport(timeout_s=0.5, max_bytes=5000) as send:
        # Once with the flow, once with a refresh where there is one.
        for _ in range(2):
            clock.seconds += 4000
            try:
                result = call(
                    tool_for(authorization, flow), {}, connection=connection, send=send,
                    approve=approve_all,
                )  # fmt: skip
                seen += shown(result)
            except RestwrightError as error:
                seen += "".join(traceback.format_exception(error))
    seen += f"{logged.getvalue()}{connection!r}{client!r}{client.tokens!r}"
    assert_all_unseen(authorization, seen)


@pytest.mark.parametrize("flow", FLOWS)
def test_no_secret_is_in_what_an_authorization_server_repeats(
    flow, authorization, server, logged, monkeypatch
):
    monkeypatch.setenv("SECRET", SECRET)
    for grant in ("client_credentials", "authorization_code", DEVICE_GRANT):
        authorization.refused[grant] = "invalid_request"
    connection = Connection(server=server(echoing), auth=client_for(authorization, flow))
    tool = tool_for(authorization, flow)
    with Transport(timeout_s=5) as send:
        result = call(tool, {}, connection=connection, send=send, approve=approve_all)
    assert "invalid_request" in result.text
    assert (result.kind, result.repairable_by) == ("refused", "user")
    assert isinstance(result.error, NoToken)
    seen = "".join(traceback.format_exception(result.error))
    assert_all_unseen(authorization, f"{seen}{logged.getvalue()}{result.text}{result!r}")


@pytest.fixture
def surroundings(authorization: AuthorizationServer) -> Surroundings:
    return Surroundings(make_login=lambda: Browser(authorization))


@pytest.fixture
def prepared(
    authorization: AuthorizationServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[[str], list[str]]:
    """The document of a flow, and the options that call it."""
    monkeypatch.setenv("SECRET", SECRET)

    def prepare(flow: str) -> list[str]:
        (tmp_path / "api.json").write_text(json.dumps(written_for(authorization, flow)))
        where = f"token_url={authorization.url}/token,device_url={authorization.url}/device"
        return ["--auth", f"oauth:{CLIENT},secret=env:SECRET,flow={flow},{where}"]

    return prepare


@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("options", [[], ["--json"], ["-v"], ["--dry-run"], ["--curl"]])
def test_no_secret_of_a_flow_is_in_what_the_command_line_prints(
    flow, options, authorization, server, prepared, surroundings, capsys, tmp_path
):
    auth, log = prepared(flow), tmp_path / "log.txt"
    for handle in (echoing, echoing, *HANDLES[2:]):
        arguments = ["call", str(tmp_path / "api.json"), "get_thing", "{}", *auth, *options]
        arguments += ["--server", server(handle), "--timeout", "1", "--log-file", str(log)]
        main(arguments, surroundings=surroundings)
        printed = capsys.readouterr()
        for each in secrets_of(authorization):
            assert_unseen(each, f"{printed.out}\n{printed.err}\n{log.read_text()}")
    assert authorization.issued == (0 if options in (["--dry-run"], ["--curl"]) else 1)


@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("options", [[], ["-v"], ["--json"]])
def test_no_secret_of_a_flow_is_in_a_report_of_a_crash(
    flow, options, authorization, prepared, surroundings, capsys, tmp_path
):
    @contextmanager
    def crashing(**limits: Any) -> Iterator[Send]:
        def crash(request: Request) -> Response:
            if request.url.startswith(authorization.url):
                return send(request)
            local = request.headers
            raise RuntimeError(f"this should not happen: {request!r} {len(local)}")

        with Transport(**limits) as send:
            yield crash

    surroundings = replace(surroundings, open_transport=crashing)
    arguments = ["call", str(tmp_path / "api.json"), "get_thing", "{}", *prepared(flow), *options]
    arguments += ["--server", "https://api.example.test"]
    assert main(arguments, surroundings=surroundings) == 1
    printed = capsys.readouterr()
    assert_all_unseen(authorization, f"{printed.out}\n{printed.err}")


class Obliging:
    """A model that takes everything from every response; `read` is all that it was sent."""

    name = "obliging"

    def __init__(self, *, is_small: bool) -> None:
        self.is_small = is_small
        self.read: list[str] = []
        self.roles: set[str] = set()

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        del deadline_s
        self.roles.add(request.role)
        self.read += [each.text for each in request.messages]
        self.read.append(json.dumps(request.schema))
        known = (request.schema or {}).get("properties", {})
        reply: Json = {"answer": "done"}
        if "steps" in known:
            reply = plan_of("find the thing")
        elif "operation" in known:
            chosen = known["operation"]["enum"][0]
            reply = {"about": "it", "operation": chosen, "second": chosen}
        elif request.role == "reader":
            _, reply = query(request.schema["anyOf"][0]["properties"]["things"]["const"])
        elif request.schema is None:
            reply = "def parse(data):\n    return data"
        text = reply if isinstance(reply, str) else json.dumps(reply)
        return Completion(text=text, input_tokens=1, output_tokens=1, elapsed_s=0.0)


ASKED = [
    *(("code", [], handle) for handle in HANDLES),
    *((flow, [option], echoing) for flow in FLOWS for option in ("-v", "--json")),
]


@pytest.mark.parametrize("is_small", [True, False], ids=["query", "code"])
@pytest.mark.parametrize(("flow", "options", "handle"), ASKED)
def test_no_secret_of_a_flow_reaches_a_model_or_a_trace(
    flow, options, handle, is_small, authorization, server, prepared, surroundings, capsys, tmp_path
):
    model, trace = Obliging(is_small=is_small), tmp_path / "trace.json"

    arguments = [
        "ask",
        "What?",
        "--agent",
        "rest",
        "-a",
        str(tmp_path / "api.json"),
        *prepared(flow),
        *options,
    ]
    arguments += ["--server", server(handle), "--trace", str(trace), "--timeout", "1"]
    main(arguments, surroundings=replace(surroundings, find_model=lambda *_: model))
    printed = capsys.readouterr()
    if handle is echoing:
        assert ("reader" if is_small else "parser") in model.roles
    assert model.read
    assert trace.is_file()
    seen = [printed.out, printed.err, trace.read_text(), *model.read]
    assert_all_unseen(authorization, "\n".join(seen))
