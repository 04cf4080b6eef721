"""HTTP digest (RFC 7616) against a server that checks it, and by the examples of the RFC."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
import pytest
from tests.support.digest_server import DigestServer, digest_server, parse_members

from restwright.agents.runtime.performer import Performer
from restwright.agents.steps import Call
from restwright.calls.approval.approval import approve_all
from restwright.calls.auth.connection import Connection, mask_request
from restwright.calls.auth.credential_text import credential_from_text
from restwright.calls.auth.credentials import Basic
from restwright.calls.auth.digest import DigestChallenge, answer_challenge, parse_challenges
from restwright.calls.call import call, call_async, prepare
from restwright.calls.response.result import Result
from restwright.net.http.async_transport import AsyncTransport
from restwright.net.http.transport import Transport
from restwright.net.messages import Request, Response
from restwright.net.secret import Secret
from restwright.openapi.api import load
from restwright.testing import ScriptedModel, document, reply
from restwright.tools.catalog.catalog import catalog

CANARY = "canary-4f2a9c71"
BODY = {"content": {"application/json": {"schema": {"type": "object"}}}}
QUERY = {"name": "q", "in": "query", "schema": {"type": "string"}}
DOCUMENT = document(
    {
        "/things": {
            "get": {"operationId": "read", "parameters": [QUERY], "responses": {}},
            "post": {"operationId": "add", "requestBody": BODY, "responses": {}},
        }
    },
    components={"securitySchemes": {"digest": {"type": "http", "scheme": "Digest"}}},
    security=[{"digest": []}],
)
TOOLS = catalog(load(DOCUMENT, alias="shop"))


def connection_to(server: DigestServer, user: str = "ada", password: str = CANARY) -> Connection:
    return Connection(server=server.url, auth=Basic(user, Secret(password)))


def run(connection: Connection, name: str = "shop__read", arguments: Any = None) -> Result:
    with Transport() as send:
        return call(
            TOOLS[name], arguments or {}, connection=connection, send=send, approve=approve_all
        )


def run_async(connection: Connection, name: str = "shop__read", arguments: Any = None) -> Result:
    async def main() -> Result:
        async with AsyncTransport() as send:
            return await call_async(
                TOOLS[name], arguments or {}, connection=connection, send=send, approve=approve_all
            )

    return anyio.run(main)


RUNS = pytest.mark.parametrize("run", [run, run_async], ids=["sync", "async"])


def members(server: DigestServer) -> list[dict[str, str]]:
    return [parse_members(authorization) for _, _, authorization, _ in server.requests]


@pytest.mark.parametrize(
    ("algorithm", "response"),
    [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ],
)
def test_the_answer_is_that_of_the_first_example_of_the_rfc(algorithm: str, response: str) -> None:
    challenge = DigestChallenge(
        realm="http-auth@example.org",
        nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
        algorithm=algorithm,
        qop=("auth", "auth-int"),
        opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
        count=1,
    )
    answer = answer_challenge(
        challenge,
        user="Mufasa",
        password=Secret("Circle of Life"),
        method="GET",
        uri="/dir/index.html",
        cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
    )
    assert answer.members["response"] == response
    assert answer.members["opaque"] == challenge.opaque
    assert f"algorithm={algorithm}, qop=auth, nc=00000001, " in answer.header()


@pytest.mark.skipif(
    not DigestChallenge(realm="", nonce="", algorithm="SHA-512-256").hash_name, reason="no hash"
)
def test_the_answer_is_that_of_the_second_example_of_the_rfc() -> None:
    """With the values of erratum 4897."""
    challenge = DigestChallenge(
        realm="api@example.org",
        nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK",
        algorithm="SHA-512-256",
        qop=("auth",),
        opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS",
        is_user_hashed=True,
        count=1,
    )
    answer = answer_challenge(
        challenge,
        user="J\u00e4s\u00f8n Doe",
        password=Secret("Secret, or not?"),
        method="GET",
        uri="/doe.json",
        cnonce="NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v",
    )
    assert (answer.members["username"], answer.members["response"]) == (
        "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b",
        "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5",
    )
    assert answer.members["userhash"] == "true"


@RUNS
@pytest.mark.parametrize(
    "algorithm", ["", "MD5", "MD5-sess", "SHA-256", "SHA-256-sess", "SHA-512-256"]
)
def test_the_server_lets_in_by_each_algorithm(run: Any, algorithm: str) -> None:
    with digest_server(algorithm=algorithm) as server:
        assert run(connection_to(server), arguments={"q": "a b/ü?"}).status == 200
    assert [bool(given) for given in members(server)] == [False, True]
    assert CANARY not in str(server.requests)


def test_a_server_without_qop_is_answered() -> None:
    with digest_server(challenge="") as server:
        assert run(connection_to(server)).status == 200
    assert not {"qop", "nc", "cnonce"} & {*members(server)[1]}


@RUNS
def test_a_nonce_is_used_again_and_counted(run: Any) -> None:
    with digest_server(challenge=', qop="auth-int, auth", opaque="a\\"b"') as server:
        connection = connection_to(server)
        assert [run(connection).status for _ in range(3)] == [200] * 3
    given = members(server)[1:]
    assert [each["nc"] for each in given] == ["00000001", "00000002", "00000003"]
    assert len({each["nonce"] for each in given}) == 1
    assert len({each["cnonce"] for each in given}) == 3


def test_no_two_threads_use_one_count() -> None:
    with digest_server() as server:
        connection = connection_to(server)
        run(connection)
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: run(connection), range(8)))
    used = [(each["nonce"], each["nc"]) for each in members(server) if each]
    assert len({*used}) == len(used)


@RUNS
def test_a_stale_nonce_is_renewed_once(run: Any) -> None:
    with digest_server(uses=1) as server:
        connection = connection_to(server)
        assert [run(connection).status for _ in range(2)] == [200, 200]
        assert len(server.requests) == 4
        server.uses = 0
        assert run(connection).status == 401
    assert len(server.requests) == 6


@RUNS
def test_a_refused_password_is_sent_once(run: Any) -> None:
    with digest_server() as server:
        connection = connection_to(server, password="wrong-canary")
        assert run(connection).status == 401
    assert len(server.requests) == 2


def test_a_nonce_that_is_refused_and_not_stale_is_forgotten() -> None:
    with digest_server(uses=1, is_stale_said=False) as server:
        connection = connection_to(server)
        assert [run(connection).status for _ in range(3)] == [200, 401, 200]
    assert [bool(given) for given in members(server)] == [False, True, True, False, True]


@RUNS
def test_a_write_that_was_answered_401_is_sent_again_with_its_body(run: Any) -> None:
    with digest_server() as server:
        result = run(connection_to(server), "shop__add", {"body": {"a": 1}})
    assert (result.status, result.effect) == (200, "done")
    assert [(method, json.loads(body)) for method, _, _, body in server.requests] == [
        ("POST", {"a": 1})
    ] * 2


def test_each_write_that_goes_out_is_noticed_before_it_does() -> None:
    with digest_server() as server, Transport() as send:
        noticed: list[int] = []

        def notice(*_write: object) -> None:
            noticed.append(len(server.requests))

        performer = Performer(
            catalog=TOOLS,
            model=ScriptedModel([]),
            send=send,
            approve=approve_all,
            connections={"shop": connection_to(server)},
            before_write=notice,
        )
        for number in range(2):
            outcome = performer(Call(tool="shop__add", arguments={"body": {"n": number}}))
            assert isinstance(outcome, Result)
            assert outcome.ok, outcome.text
    # A bare request, its answer to the challenge, and one that knows the nonce.
    assert noticed == list(range(len(server.requests))) == [0, 1, 2]


@pytest.mark.parametrize("status", [403, 407, 500, 503])
def test_a_write_that_was_answered_otherwise_is_not_sent_again(status: int) -> None:
    sent: list[Request] = []

    def send(request: Request) -> Response:
        sent.append(request)
        challenge = ("www-authenticate", 'Digest realm="a", nonce="b", qop="auth"')
        return Response(status=status, headers=(challenge,))

    connection = Connection(server="https://api.test", auth=Basic("ada", Secret(CANARY)))
    call(
        TOOLS["shop__add"],
        {"body": {}},
        connection=connection,
        send=send,
        approve=approve_all,
    )
    assert len(sent) == 1


@pytest.mark.parametrize(
    "options", [{}, {"is_user_hashed": True, "challenge": ', qop="auth", userhash=true'}]
)
@pytest.mark.parametrize("user", ["J\u00e4s\u00f8n Doe", "Ja\u0308s", 'a"b\\c'])
def test_a_user_of_any_letters_is_let_in(user: str, options: Any) -> None:
    more = {"challenge": ', qop="auth", charset=UTF-8', **options}
    with digest_server(user=user, password="ünsafe-canary", **more) as server:
        assert run(connection_to(server, user, "ünsafe-canary")).status == 200


@pytest.mark.parametrize(
    "options",
    [
        {"challenge": ', qop="auth-int"'},
        {"algorithm": "SHA-1"},
        {"algorithm": "MD5-sess", "challenge": ""},
    ],
)
def test_a_way_that_is_not_spoken_is_named_and_not_answered(options: Any) -> None:
    with digest_server(**options) as server:
        result = run(connection_to(server))
    assert (result.status, len(server.requests)) == (401, 1)
    assert "auth-int, or another algorithm" in result.text


def test_the_first_challenge_that_is_spoken_is_answered() -> None:
    before = ('Digest realm="x", nonce="y", algorithm=SHA-9, Basic realm="z, Digest"', "Negotiate")
    with digest_server(before=before) as server:
        assert run(connection_to(server)).status == 200


@pytest.mark.parametrize("challenge", ['Basic realm="a"', "Negotiate", "", 'Digest nonce="a"'])
def test_nothing_is_answered_to_another_scheme(challenge: str) -> None:
    sent: list[Request] = []

    def send(request: Request) -> Response:
        sent.append(request)
        return Response(status=401, headers=(("www-authenticate", challenge),))

    connection = Connection(server="https://api.test", auth=Basic("ada", Secret(CANARY)))
    call(TOOLS["shop__read"], {}, connection=connection, send=send, approve=approve_all)
    assert len(sent) == 1


def test_a_challenge_that_no_header_can_hold_is_refused_and_not_kept() -> None:
    connection = Connection(server="https://api.test", auth=Basic("ada", Secret(CANARY)))
    challenge = ("www-authenticate", 'Digest realm="a", nonce="b\x01"')

    def send(request: Request) -> Response:
        return Response(status=401, headers=(challenge,))

    results = [
        call(TOOLS["shop__read"], {}, connection=connection, send=send, approve=approve_all)
        for _ in range(2)
    ]
    assert [each.status for each in results] == [401, 401]


def test_an_origin_that_the_user_did_not_name_gets_no_answer() -> None:
    sent: list[Request] = []

    def send(request: Request) -> Response:
        sent.append(request)
        return reply(200, {})

    unnamed = Connection(auth=Basic("ada", Secret(CANARY)))
    result = call(TOOLS["shop__read"], {}, connection=unnamed, send=send, approve=approve_all)
    assert (result.kind, sent) == ("refused", [])


@pytest.mark.parametrize("echo", ["header", CANARY, f"ada:{CANARY}"])
def test_nothing_that_comes_back_shows_the_password_or_the_answer(echo: str) -> None:
    with digest_server(echo=echo) as server:
        connection = connection_to(server)
        results = [run(connection) for _ in range(2)]
        dry = prepare(TOOLS["shop__read"], {}, connection)
    shown = "".join(
        f"{each!r} {each.text} {each.value} {each.request and mask_request(each.request)}"
        for each in results
    )
    assert CANARY not in f"{shown}{dry!r}{mask_request(dry)}{connection!r}"
    for given in filter(None, members(server)):
        assert given["response"] not in shown


def test_a_connection_is_pickled_without_what_servers_said() -> None:
    connection = Connection(server="https://api.test", auth=Basic("ada", "env:PASSWORD"))
    assert pickle.loads(pickle.dumps(connection)) == connection  # noqa: S301


def test_a_text_for_a_command_line_or_a_manifest_is_the_same_credential() -> None:
    assert credential_from_text("ada:env:PASSWORD") == Basic("ada", "env:PASSWORD")
    with pytest.raises(ValueError, match="a credential takes env:NAME") as caught:
        credential_from_text(CANARY)
    assert CANARY not in str(caught.value)


def test_two_users_share_no_nonce() -> None:
    with digest_server() as server:
        assert run(connection_to(server)).status == 200
        assert run(connection_to(server)).status == 200
    assert [bool(given) for given in members(server)] == [False, True] * 2


@pytest.mark.parametrize(
    "value",
    [
        'Digest realm="' + '\\"' * 2000,
        "Digest " + ',"' * 2000,
        'Digest realm="a", nonce="b"' + " " * 5000,
        "Digest realm",
        ",,,",
    ],
)
def test_a_challenge_that_is_none_is_passed_over(value: str) -> None:
    assert [*parse_challenges(value)] == []
