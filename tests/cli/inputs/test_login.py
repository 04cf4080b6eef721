"""What stands behind --auth: references, schemes and logins, and never a secret."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.support.authorization_server import CLIENT, SECRET, authorization_server
from tests.support.digest_server import digest_server

from restwright.calls.auth.credentials import Basic, Certificate
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.cli.inputs.login import TerminalLogin, login
from restwright.cli.surroundings import Surroundings, surrounded
from restwright.errors import UsageError
from restwright.workspace.connections import build_connections
from restwright.workspace.credentials import parse_auth

TOKEN = "t0ps3cret"

CANARY = "canary-4f2a9c71"

SECURED = {
    "openapi": "3.1.0",
    "info": {"title": "Secured", "version": "1"},
    "components": {
        "securitySchemes": {
            "key": {"type": "apiKey", "in": "query", "name": "key"},
            "basic": {"type": "http", "scheme": "basic"},
        }
    },
    "security": [{"key": []}, {"basic": []}],
    "paths": {
        "/things": {
            "get": {
                "operationId": "list",
                "parameters": [{"name": "key", "in": "query", "schema": {"type": "string"}}],
                "responses": {"200": {"description": "They."}},
            }
        }
    },
}


@pytest.fixture
def secured(tmp_path):
    path = tmp_path / "secured.json"
    path.write_text(json.dumps(SECURED), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], None),
        (["env:A"], "env:A"),
        (["none"], "none"),
        (["file:/run/a=b"], "file:/run/a=b"),
        (["cmd:pass show shop"], "cmd:pass show shop"),
        (["ada:env:PASSWORD"], Basic("ada", "env:PASSWORD")),
        (["key=env:A"], {"key": "env:A"}),
        (["API Key=keyring:a"], {"API Key": "keyring:a"}),
        (["env:A", "basic=ada:env:P"], {"": "env:A", "basic": Basic("ada", "env:P")}),
        (["cert:c.pem"], Certificate("c.pem")),
        (
            ["tls=cert:a,b.pem,key=k.pem,password=env:P"],
            {"tls": Certificate("a,b.pem", "k.pem", "env:P")},
        ),
        (
            ["oauth:me,secret=env:S,flow=client,scope=a+b,audience=x,send=post"],
            OAuthClient(
                client_id="me",
                client_secret="env:S",
                flow="client_credentials",
                scopes=("a", "b"),
                authentication="post",
                more={"audience": "x"},
                user="terminal",
            ),
        ),
        (
            ["login=oauth:me,issuer=https://id.test/a?b=c,refresh=file:r,user=ada"],
            {
                "login": OAuthClient(
                    client_id="me",
                    issuer="https://id.test/a?b=c",
                    refresh_token="file:r",
                    user="ada",
                )
            },
        ),
    ],
)
def test_a_credential_is_written_as_a_reference(texts, expected):
    assert parse_auth(texts) == expected


@pytest.mark.parametrize(
    "text",
    [
        CANARY,
        f"key={CANARY}",
        f"ada:{CANARY}",
        f"oauth:me,secret={CANARY}",
        f"oauth:me,refresh={CANARY}",
        f"cert:c.pem,password={CANARY}",
        f"oauth:me,flow={CANARY}",
        f"oauth:me,send={CANARY}",
        "oauth:me,colour=red",
        "oauth:",
        "",
    ],
)
def test_what_is_no_reference_is_refused_and_not_repeated(text):
    with pytest.raises(UsageError) as caught:
        parse_auth([text])
    assert CANARY not in caught.value.message


@pytest.mark.parametrize("texts", [["env:A", "env:B"], ["k=env:A", "k=env:B"]])
def test_two_credentials_for_one_scheme_are_refused(texts):
    with pytest.raises(UsageError, match="given twice"):
        parse_auth(texts)


def test_a_name_before_a_reference_is_the_documents_or_a_schemes():
    def found(namespaces, *auth):
        of_each = build_connections(namespaces, server=None, auth=auth, header=None)
        return {name: each.auth for name, each in of_each.items()}

    assert found(["shop"], "shop=env:A") == {"shop": "env:A"}
    assert found(["shop"], "key=env:A") == {"shop": {"key": "env:A"}}
    assert found(["shop"], "shop=key=env:A") == {"shop": {"key": "env:A"}}
    assert found(["a", "b"], "a=key=env:A", "b=env:B") == {"a": {"key": "env:A"}, "b": "env:B"}


def test_a_header_may_refer_to_a_variable(monkeypatch):
    monkeypatch.setenv("TOKEN", CANARY)
    found = build_connections(["a"], server=None, auth=None, header=["X: Token env:TOKEN"])
    assert found["a"].headers == {"X": f"Token {CANARY}"}


def test_a_key_goes_where_the_document_says_and_is_shown_nowhere(
    restwright, secured, server, monkeypatch
):
    monkeypatch.setenv("KEY", CANARY)
    options = ("--server", server.url, "--auth", "key=env:KEY")
    shown = restwright("call", secured, "list", "{}", *options, "--dry-run")
    assert shown.out.splitlines()[0] == f"GET {server.url}/things?key=***"
    sent = restwright("call", secured, "list", "{}", *options, "-v")
    assert CANARY not in sent.out + sent.err
    assert [each[1] for each in server.requests] == [f"/things?key={CANARY}"]


def test_a_password_is_read_from_a_file(restwright, secured, server, tmp_path):
    (tmp_path / "password").write_text(f"{CANARY}\n")
    auth = f"basic=ada:file:{tmp_path / 'password'}"
    restwright("call", secured, "list", "{}", "--server", server.url, "--auth", auth)
    assert server.requests[0][2]["Authorization"] == "Basic YWRhOmNhbmFyeS00ZjJhOWM3MQ=="


def test_a_command_is_run_where_that_is_allowed(restwright, secured, server):
    auth = f"key=cmd:{sys.executable} -c 'print(\"{CANARY}\")'"
    call = ("call", secured, "list", "{}", "--server", server.url, "--auth", auth)
    refused = restwright(*call)
    assert (refused.code, server.requests) == (1, [])
    assert "--allow-commands" in refused.err
    restwright(*call, "--allow-commands")
    assert server.requests[0][1] == f"/things?key={CANARY}"


def test_a_missing_credential_says_where_to_set_it(restwright, secured, server):
    ended = restwright("call", secured, "list", "{}", "--server", server.url, "--json")
    error = ended.json["error"]
    assert (ended.code, error["code"]) == (1, "missing_credential")
    assert error["message"] == "the credential key or basic is not set"
    assert "--auth secured=key=env:NAME (apiKey, query key)" in error["hint"]
    assert "--auth secured=basic=USER:env:PASSWORD (http basic" in error["hint"]


def test_none_calls_without_a_credential(restwright, secured, server):
    restwright("call", secured, "list", "{}", "--server", server.url, "--auth", "none")
    assert server.requests[0][1] == "/things"


def test_nobody_logs_in_without_a_terminal():
    with surrounded(Surroundings(is_terminal=lambda: False)):
        assert login() is None
    with surrounded(Surroundings(is_terminal=lambda: True)):
        assert isinstance(login(), TerminalLogin)


def test_the_terminal_shows_where_to_log_in(capsys):
    opened: list[str] = []
    TerminalLogin(open_page=opened.append).visit("https://id.test/activate", code="WDJB\x1b[2J")
    assert opened == ["https://id.test/activate"]
    assert capsys.readouterr().err == (
        "Log in at https://id.test/activate\nand enter the code WDJB\\x1b[2J\n"
    )


def test_a_client_gets_its_token_and_calls_with_it(restwright, tmp_path, server, monkeypatch):
    monkeypatch.setenv("CLIENT_SECRET", SECRET)
    with authorization_server() as login_server:
        flows = {"clientCredentials": {"tokenUrl": f"{login_server.url}/token", "scopes": {}}}
        login = {"type": "oauth2", "flows": flows}
        written = {
            **SECURED,
            "components": {"securitySchemes": {"login": login}},
            "security": [{"login": ["read"]}],
        }
        path = tmp_path / "secured.json"
        path.write_text(json.dumps(written), encoding="utf-8")
        call = ("call", str(path), "list", "{}", "--server", server.url, "-v", "--auth")
        auth = f"oauth:{CLIENT},secret=env:CLIENT_SECRET"
        refused = restwright(*call, auth)
        sent = [restwright(*call, f"{auth},token_url={login_server.url}/token") for _ in range(2)]
        shown = restwright(*call, f"{auth},token_url={login_server.url}/token", "--dry-run")
    assert (refused.code, [each.code for each in sent]) == (1, [0, 0])
    assert "only the document asks for tokens there" in refused.err
    tokens = [each[2]["Authorization"] for each in server.requests]
    assert tokens == ["Bearer access-canary-1"] * 2
    assert (login_server.issued, login_server.forms[0]["scope"]) == (1, "read")
    assert "Authorization: ***" in shown.out
    said = "".join(each.out + each.err for each in (refused, *sent, shown))
    assert "canary" not in said


def test_a_client_with_a_wrong_secret_is_told(restwright, secured, server, monkeypatch):
    monkeypatch.setenv("CLIENT_SECRET", CANARY)
    with authorization_server() as login_server:
        written = json.loads(Path(secured).read_text())
        written["components"]["securitySchemes"] = {"login": {"type": "oauth2", "flows": {}}}
        written["security"] = [{"login": []}]
        Path(secured).write_text(json.dumps(written))
        auth = f"oauth:me,secret=env:CLIENT_SECRET,token_url={login_server.url}/token"
        ended = restwright(
            "call", secured, "list", "{}", "--server", server.url, "--auth", f"{auth},flow=client",
            "--json",
        )  # fmt: skip
    error = ended.json["error"]
    assert (ended.code, error["code"]) == (1, "no_token")
    assert error["message"] == "no access token for login: invalid_client"
    assert server.requests == []


@pytest.mark.parametrize(
    ("header", "shown"),
    [
        ("X-Key: env:SHOP_KEY", """'X-Key: '"$SHOP_KEY\""""),
        ("X-Key: Bearer env:SHOP_KEY", """'X-Key: Bearer '"$SHOP_KEY\""""),
        ("things=X-Key: env:SHOP_KEY", """'X-Key: '"$SHOP_KEY\""""),
    ],
)
def test_a_header_from_a_variable_stands_in_curl_as_that(
    restwright, things, server, monkeypatch, header, shown
):
    monkeypatch.setenv("SHOP_KEY", TOKEN)
    ended = restwright(
        *("call", things, "list_things", "{}", "--server", server.url, "--curl"),
        *("--header", header),
    )
    assert f"-H {shown}" in ended.out
    assert TOKEN not in ended.out


def test_a_header_from_a_command_is_by_the_flag_alone(restwright, things, server):
    arguments = ("call", things, "list_things", "{}", "--server", server.url)
    header = ("--header", f"X-Key: cmd:echo {TOKEN}")
    refused = restwright(*arguments, *header)
    assert refused.code == 1
    assert "--allow-commands" in refused.err
    assert restwright(*arguments, *header, "--allow-commands").code == 0
    assert [each[2]["X-Key"] for each in server.requests] == [TOKEN]


def test_a_cookie_from_a_variable(restwright, things, server, monkeypatch):
    monkeypatch.setenv("SHOP_KEY", TOKEN)
    cookie = ("--header", "Cookie: lang=en; sid=env:SHOP_KEY")
    ended = restwright("call", things, "list_things", "{}", "--server", server.url, *cookie)
    assert ended.code == 0
    assert server.requests[0][2]["Cookie"] == f"lang=en; sid={TOKEN}"


def test_digest_takes_a_user_and_a_reference(restwright, secured, monkeypatch):
    monkeypatch.setenv("ADAS_PASSWORD", CANARY)
    written = json.loads(Path(secured).read_text())
    written["components"]["securitySchemes"] = {"login": {"type": "http", "scheme": "digest"}}
    written["security"] = [{"login": []}]
    Path(secured).write_text(json.dumps(written))
    call = ("call", secured, "list", "{}", "--auth", "login=ada:env:ADAS_PASSWORD", "--server")
    with digest_server(password=CANARY) as server:
        ended = restwright(*call, server.url)
        shown = restwright(*call, server.url, "--curl")
    assert (ended.code, len(server.requests)) == (0, 2)
    assert CANARY not in "".join((ended.out, ended.err, shown.out, shown.err))
