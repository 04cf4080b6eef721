"""What a server over HTTP lets in, and who sees what (security statements 1 to 7, 9, 10, 14)."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor

import anyio
import httpx2
import jwt
import mcp_types as types
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from mcp.client.streamable_http import streamable_http_client
from tests.support.mcp.over_http import HEADERS, over_http
from tests.support.mcp.serving import ERAS, Person, serving_api, texts

from mcp import Client
from restwright.errors import UsageError
from restwright.mcp.http import HTTPAccess, HTTPAddress, parse_address
from restwright.mcp.login.access import IssuedTokens, SharedToken
from restwright.net.messages import Request, Response
from restwright.net.secret import Secret

ISSUER = "https://issuer.example"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
METADATA = f"{ISSUER}/.well-known/openid-configuration"


def key_set() -> bytes:
    key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
    return json.dumps({"keys": [{**key, "kid": "one", "use": "sig"}]}).encode()


async def publish(request: Request) -> Response:
    """Answer as an authorization server does that publishes its keys."""
    told = {
        METADATA: json.dumps({"issuer": ISSUER, "jwks_uri": f"{ISSUER}/keys"}).encode(),
        f"{ISSUER}/keys": key_set(),
    }
    body = told.get(request.url)
    return Response(status=200 if body else 404, body=body or b"")


def token(url: str, subject: str = "ada", *, key=KEY, **more) -> str:
    claims = {
        "iss": ISSUER,
        "aud": url,
        "sub": subject,
        "exp": int(time.time()) + 60,
        "scope": "use",
        "client_id": "app",
    }
    claims = {name: each for name, each in {**claims, **more}.items() if each is not None}
    return jwt.encode(claims, key, algorithm="RS256", headers={"kid": "one"})


def bearer(text: str) -> dict[str, str]:
    return {"authorization": f"Bearer {text}"}


ADDRESS = HTTPAddress(host="127.0.0.1", port=0, url="https://mcp.example")
RESOURCE = "https://mcp.example/mcp"


def issued(scopes=("use",)) -> HTTPAccess:
    errors: list[str] = []
    tokens = IssuedTokens(
        issuer=ISSUER, resource=RESOURCE, send=publish, report_error=errors.append
    )
    return HTTPAccess(verifier=tokens, issuer=ISSUER, scopes=scopes)


@pytest.fixture
def plain(api, tmp_path):
    with over_http(serving_api(api, tmp_path)) as running:
        yield running


@pytest.fixture
def guarded(api, tmp_path):
    with over_http(serving_api(api, tmp_path), issued(("use", "more")), ADDRESS) as running:
        yield running


# 1
@pytest.mark.parametrize("path", ["/mcp", "/.well-known/oauth-protected-resource/mcp"])
def test_01_other_origins_and_hosts_are_refused_on_every_route(guarded, path):
    url = f"http://127.0.0.1:{guarded.address.port}{path}"
    for headers, status in (
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"host": "evil.example"}, 421),
        ({"host": f"127.0.0.1.evil.example:{guarded.address.port}"}, 421),
    ):
        with httpx2.Client(trust_env=False, verify=False) as client:
            for method in ("GET", "POST", "DELETE"):
                response = client.request(method, url, headers={**HEADERS, **headers})
                assert response.status_code == status, (method, headers)


def test_01_a_session_does_not_change_that(plain):
    begin = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "a", "version": "1"},
        },
    }
    begun = plain.post(begin)
    session = {"mcp-session-id": begun.headers["mcp-session-id"]}
    listed = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    assert plain.post(listed, session | {"origin": "http://evil.example"}).status_code == 403
    assert plain.post(listed, session | {"host": "evil.example"}).status_code == 421


# 2
@pytest.mark.parametrize("host", ["0.0.0.0:80", ":::80", "192.0.2.1:80"])
def test_02_other_addresses_than_loopback_need_a_token(host):
    with pytest.raises(UsageError, match="with your credentials"):
        parse_address(host, has_access=False)
    with pytest.raises(UsageError, match="what its clients call it"):
        parse_address(host, has_access=True)
    assert not parse_address(host, url="https://mcp.example", has_access=True).is_loopback


def test_02_loopback_is_the_default():
    for text in ("8000", ":8000", "127.0.0.1:8000"):
        address = parse_address(text, has_access=False)
        assert (address.host, address.public_url) == ("127.0.0.1", "http://127.0.0.1:8000/mcp")
    assert parse_address("[::1]:1", has_access=False).public_url == "http://[::1]:1/mcp"
    with pytest.raises(UsageError):
        parse_address("localhost", has_access=False)


# 3
def test_03_forms_of_web_pages_and_large_bodies_are_refused(plain):
    for media in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert plain.post(b"{}", {"content-type": media}).status_code == 400
    assert plain.post(b"x" * 5_000_000).status_code == 413


# 4
def test_04_a_token_is_needed_and_the_answer_says_where_it_is_had(guarded):
    for headers in (
        {},
        bearer("x"),
        bearer(token(RESOURCE, exp=1)),
        bearer(token("https://other.example/mcp")),
        bearer(token(RESOURCE, iss="https://other.example")),
        bearer(token(RESOURCE, key=OTHER_KEY)),
        bearer(token(RESOURCE, sub=None)),
        bearer(token(RESOURCE, exp=None)),
        bearer(jwt.encode({"aud": RESOURCE, "iss": ISSUER, "sub": "a"}, "", algorithm="none")),
    ):
        response = guarded.ask("tools/list", {}, headers)
        assert response.status_code == 401
        challenge = response.headers["www-authenticate"]
        assert (
            'resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"'
            in challenge
        )
        assert 'scope="use more"' in challenge


def test_04_too_few_scopes_are_told_all_at_once(guarded):
    response = guarded.ask("tools/list", {}, bearer(token(RESOURCE)))
    assert response.status_code == 403
    assert 'error="insufficient_scope"' in response.headers["www-authenticate"]
    assert 'scope="use more"' in response.headers["www-authenticate"]
    allowed = guarded.ask("tools/list", {}, bearer(token(RESOURCE, scope="more use")))
    assert allowed.status_code == 200


def test_04_a_token_in_the_url_is_ignored(guarded):
    url = f"{guarded.url}?access_token={token(RESOURCE, scope='use more')}"
    assert guarded.post({}, url=url).status_code == 401


def test_04_the_metadata_name_the_issuer(guarded):
    url = f"http://127.0.0.1:{guarded.address.port}/.well-known/oauth-protected-resource/mcp"
    with httpx2.Client(trust_env=False, verify=False) as client:
        told = client.get(url).json()
    assert told["resource"] == RESOURCE
    assert [each.rstrip("/") for each in told["authorization_servers"]] == [ISSUER]
    assert told["scopes_supported"] == ["use", "more"]


def test_04_a_shared_token_is_compared_whole(api, tmp_path):
    access = HTTPAccess(verifier=SharedToken(Secret("correct-horse")))
    with over_http(serving_api(api, tmp_path), access) as running:
        assert running.ask("tools/list").status_code == 401
        assert running.ask("tools/list", {}, bearer("correct")).status_code == 401
        response = running.ask("tools/list", {}, bearer("correct-horse"))
        assert response.status_code == 200
        assert "resource_metadata" not in running.ask("tools/list").headers["www-authenticate"]


# 5
def test_05_the_token_of_a_client_goes_nowhere(api, tmp_path, caplog):
    canary = token(RESOURCE)
    api.fixed["/fails"] = (500, "text/plain", b"out of order")
    with over_http(serving_api(api, tmp_path), issued(), ADDRESS) as running:
        told = [
            running.call(f"tricky__{name}", {}, bearer(canary))
            for name in ("listNodes", "fails", "secret", "getNode")
        ]
    assert canary not in json.dumps(told)
    assert canary not in json.dumps(api.seen)
    assert canary not in caplog.text
    assert all("authorization" not in {name.lower() for name in seen[2]} for seen in api.seen)


# 6
def test_06_a_session_and_what_is_kept_belong_to_one_user(api, tmp_path):
    ada, bob = bearer(token(RESOURCE, "ada")), bearer(token(RESOURCE, "bob"))
    with over_http(serving_api(api, tmp_path), issued(), ADDRESS) as running:
        begin = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "a", "version": "1"},
            },
        }
        session = {"mcp-session-id": running.post(begin, ada).headers["mcp-session-id"]}
        listed = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
        assert running.post(listed, bob | session).status_code == 404
        assert running.post(listed, ada | session).status_code == 200

        long = running.call("tricky__listMany", {}, ada)
        (uri,) = [block["uri"] for block in long["content"] if block["type"] == "resource_link"]
        named = {"mcp-name": uri}
        theirs = running.ask("resources/read", {"uri": uri}, bob | named).json()
        own = running.ask("resources/read", {"uri": uri}, ada | named).json()
    assert theirs["error"]["code"] == -32602
    assert len(json.loads(own["result"]["contents"][0]["text"])) == 1_000


# 7
ANSWER = {"consent": {"action": "accept", "content": {"send": True}}}


def test_07_the_state_of_a_question_is_for_one_call_of_one_user(api, tmp_path):
    ada, bob = bearer(token(RESOURCE, "ada")), bearer(token(RESOURCE, "bob"))
    name, given = "tricky__deleteNode", {"id": "7"}
    with over_http(serving_api(api, tmp_path), issued(), ADDRESS) as running:
        asked = running.call(name, given, ada)
        assert asked["resultType"] == "input_required"
        state = asked["requestState"]
        changed = f"{state[:20]}{'A' if state[20] != 'A' else 'B'}{state[21:]}"
        for arguments, headers, said in (
            (given, bob, state),
            ({"id": "8"}, ada, state),
            (given, ada, changed),
            (given, ada, "x"),
        ):
            answer = {"inputResponses": ANSWER, "requestState": said}
            assert running.call(name, arguments, headers, **answer)["code"] == -32602
        assert api.seen == []
        answer = {"inputResponses": ANSWER, "requestState": state}
        assert not running.call(name, given, ada, **answer).get("isError")
        assert running.call(name, given, ada, **answer)["isError"]
    assert api.count("DELETE") == 1


def test_07_the_state_of_another_server_is_worth_nothing(api, tmp_path):
    name, given = "tricky__deleteNode", {"id": "7"}
    with over_http(serving_api(api, tmp_path)) as one, over_http(serving_api(api, tmp_path)) as two:
        state = one.call(name, given)["requestState"]
        told = two.call(name, given, inputResponses=ANSWER, requestState=state)
    assert told["code"] == -32602
    assert api.seen == []


# 10
def test_10_clients_of_one_server_never_see_results_of_each_other(plain):
    def ask(number: int) -> bool:
        told = plain.call("tricky__getNode", {"id": str(number)})
        return f"/nodes/{number}" in told["content"][0]["text"]

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(ask, range(200)))


def test_both_revisions_call_and_are_asked_over_http(api, tmp_path):
    with over_http(serving_api(api, tmp_path)) as running:
        for era in ERAS:
            person = Person()

            async def run(era=era, person=person) -> types.CallToolResult:
                async with (
                    httpx2.AsyncClient(trust_env=False, verify=False) as http,
                    Client(
                        streamable_http_client(running.url, http_client=http),
                        mode=era,
                        elicitation_callback=person,
                        read_timeout_seconds=60,
                    ) as client,
                ):
                    await client.list_tools()
                    return await client.call_tool("tricky__deleteNode", {"id": "7"})

            assert texts(anyio.run(run)) == ["HTTP 204 No Content, without a body"]
            assert len(person.asked) == 1
    assert api.count("DELETE") == 2
