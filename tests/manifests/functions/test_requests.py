"""The requests of actions."""

from __future__ import annotations

import json
import logging

import pytest

from restwright.errors import InvalidArguments, MissingCredential, RefusedRequest
from restwright.jsontypes import JsonObject
from restwright.manifests.functions.actions import ActionLocation, ManifestAction, parse_action
from restwright.manifests.functions.graphql import (
    add_query_keyword,
    find_graphql_faults,
    find_operation_types,
)
from restwright.manifests.functions.requests import (
    RequestSettings,
    build_action_request,
    is_mutation,
)
from restwright.manifests.text.warnings import Note
from restwright.net.policy.origins import Origin
from restwright.net.secret import Secret

API = Origin("https", "api.example.test", 443)
SDL = "type Query { company: Company } type Company { ceo: String }"


def unset(name: str) -> Secret:
    raise MissingCredential(f"env:SLASH_GPT_ENV_{name}", f"set SLASH_GPT_ENV_{name}")


def reach(secret: str | None = None, **more: object) -> RequestSettings:
    read = unset if secret is None else lambda _: Secret(secret)
    return RequestSettings(secret=read, **more)  # type: ignore[arg-type]


def rest(url: str, **more: object) -> ManifestAction:
    return ManifestAction(kind="rest", name="f", url=f"https://api.example.test{url}", **more)  # type: ignore[arg-type]


def graphql(**more: object) -> ManifestAction:
    return ManifestAction(kind="graphQL", name="g", url="https://api.example.test/graphql", **more)  # type: ignore[arg-type]


def read(raw: JsonObject) -> tuple[ManifestAction | None, list[Note]]:
    notes: list[Note] = []
    place = ActionLocation("m.json", lambda path, _: f"text of {path}")
    return parse_action("f", raw, place, notes), notes


def test_values_in_the_query_are_percent_encoded() -> None:
    action = rest("/c?from={from}&to={to}&amount={amount}")
    request = build_action_request(action, {"from": "A&B=C#", "to": "é", "amount": 1.5}, reach())
    assert (request.method, request.body) == ("GET", b"")
    assert request.url == "https://api.example.test/c?from=A%26B%3DC%23&to=%C3%A9&amount=1.5"


def test_a_parameter_that_is_missing_is_left_out_of_the_query() -> None:
    assert build_action_request(rest("/n?search={search}&k=1"), {}, reach()).url.endswith("/n?k=1")
    assert build_action_request(rest("/n?search={search}"), {}, reach()).url.endswith("/n")


@pytest.mark.parametrize("value", ["", "..", ".", None])
def test_a_part_of_the_path_cannot_be_empty_or_dots(value: str | None) -> None:
    with pytest.raises(InvalidArguments):
        build_action_request(rest("/a/{x}/b"), {"x": value}, reach())


def test_a_slash_in_the_path_does_not_lead_elsewhere() -> None:
    request = build_action_request(rest("/a/{x}"), {"x": "../admin"}, reach())
    assert request.url == "https://api.example.test/a/..%2Fadmin"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "HEAD", "GET"])
def test_every_method_is_really_sent(method: str) -> None:
    action = rest("/a/{id}", method=method)
    request = build_action_request(action, {"id": 7, "name": "x"}, reach())
    assert (request.method, request.url) == (method, "https://api.example.test/a/7")
    body = {"id": 7, "name": "x"} if method in {"POST", "PUT", "PATCH"} else None
    assert (json.loads(request.body) if request.body else None) == body


def test_a_header_takes_arguments_and_no_line_of_its_own() -> None:
    action = rest("/a", headers={"X-Who": "u-{who}", "X-Gone": "{gone}"})
    assert build_action_request(action, {"who": "me"}, reach()).headers == (("X-Who", "u-me"),)
    with pytest.raises(InvalidArguments):
        build_action_request(action, {"who": "a\r\nX-Evil: 1"}, reach())


def test_a_secret_is_in_the_request_and_shown_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    action = rest("/w?q={q}&appid={appkey}", appkey="KEY", headers={"X-Key": "{appkey}"})
    with caplog.at_level(logging.DEBUG):
        request = build_action_request(action, {"q": "Oslo"}, reach("s3cr3t-value"))
    assert request.url.endswith("appid=s3cr3t-value")
    assert request.secret_headers == {"x-key"}
    assert "s3cr3t-value" not in repr(request)
    assert "s3cr3t-value" not in caplog.text


def test_a_secret_of_the_model_is_no_secret() -> None:
    action = rest("/w?q={q}&appid={appkey}", appkey="KEY")
    request = build_action_request(
        action, {"q": "{appkey}", "appkey": "mine"}, reach("s3cr3t-value")
    )
    assert request.url == "https://api.example.test/w?q=%7Bappkey%7D&appid=s3cr3t-value"


def test_a_secret_that_is_bound_to_a_host_goes_nowhere_else() -> None:
    action = rest("/w?appid={appkey}", appkey="KEY")
    bound = build_action_request(action, {}, reach("api.example.test,s3cr3t-value"))
    assert bound.url.endswith("appid=s3cr3t-value")
    with pytest.raises(RefusedRequest) as refused:
        build_action_request(action, {}, reach("other.example,s3cr3t-value"))
    assert "s3cr3t" not in str(refused.value)


@pytest.mark.parametrize(
    ("bound", "is_sent"),
    [
        ("https://other.example.test,s3cr3t", False),
        ("https://other.example.test/,s3cr3t", False),
        ("other.example.test.,s3cr3t", False),
        ("https://intranet,s3cr3t", False),
        ("https://api.example.test/,s3cr3t", True),
        ("api.example.test:443,s3cr3t", True),
        ("API.example.test, s3cr3t", True),
    ],
)
def test_a_host_is_bound_however_it_is_written(bound: str, is_sent: bool) -> None:
    action = rest("/w?k={appkey}", appkey="KEY")
    if is_sent:
        assert build_action_request(action, {}, reach(bound)).url.endswith("?k=s3cr3t")
        return
    with pytest.raises(RefusedRequest, match="bound") as caught:
        build_action_request(action, {}, reach(bound))
    assert "s3cr3t" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Host", "other.example.test"),
        ("content-length", "3"),
        ("Transfer-Encoding", "chunked"),
        ("Proxy-Authorization", "Basic eDp5"),
        ("X-A", "a\r\nX-B: c"),
        ("X-A", "caf\u00e9"),
    ],
)
def test_a_header_that_is_not_for_a_manifest_is_left_out(name: str, value: str) -> None:
    url = "https://api.example.test/x"
    action, notes = read({"type": "rest", "url": url, "headers": {name: value, "X-Ok": "1"}})
    assert action is not None
    assert dict(action.headers) == {"X-Ok": "1"}
    assert [each.where for each in notes] == ["actions.f.headers"]


@pytest.mark.parametrize("method", ["TRACE", "connect"])
def test_a_method_that_goes_between_or_echoes_is_not_sent(method: str) -> None:
    action, notes = read({"type": "rest", "url": "https://api.example.test/x", "method": method})
    assert action is None
    assert notes


def test_a_secret_for_several_hosts_has_to_be_bound() -> None:
    action = rest("/w?appid={appkey}", appkey="KEY")
    with pytest.raises(RefusedRequest, match="bind it"):
        build_action_request(action, {}, reach("s3cr3t-value", shared=frozenset({"KEY"})))


def test_a_secret_is_not_sent_over_http() -> None:
    action = ManifestAction(
        kind="rest", name="f", url="http://api.example.test/{appkey}", appkey="KEY"
    )
    with pytest.raises(RefusedRequest, match="https"):
        build_action_request(action, {}, reach("s3cr3t-value"))


def test_a_secret_that_is_not_there_says_where_it_is_looked_for() -> None:
    with pytest.raises(RefusedRequest, match="SLASH_GPT_ENV_KEY"):
        build_action_request(rest("/w", appkey="KEY"), {}, reach())


def test_a_stand_in_is_asked_in_the_place_of_the_host() -> None:
    there = reach(stand_ins={API: "http://127.0.0.1:8000/v2/"})
    request = build_action_request(rest("/a?x={x}"), {"x": 1}, there)
    assert (request.url, request.is_named) == ("http://127.0.0.1:8000/v2/a?x=1", True)
    assert not build_action_request(rest("/a"), {}, reach()).is_named


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://{host}/a", "placeholder"),
        ("https://api.example.test@{host}/", "placeholder"),
        ("file:///etc/passwd", "http"),
        ("https://u:p@api.example.test/", "password"),
        ("/relative", "only http"),
    ],
)
def test_an_action_whose_host_is_not_fixed_is_left_out(url: str, why: str) -> None:
    action, notes = read({"type": "rest", "url": url})
    assert action is None
    assert why in str(notes[0])


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ({"url": "https://a.test/"}, "rest"),
        ({"url": "https://a.test/", "graphQL": True}, "graphQL"),
        ({"template": "x.ics", "mime_type": "text/calendar", "message": "m"}, "data_url"),
        ({"message": "m"}, "message_template"),
        ({"chained_msg": "m"}, "message_template"),
        ({"metafile": "{agent}"}, "emit"),
        ({"manifest": "a", "chained_msg": "{q}"}, "emit"),
        ({"type": "GRAPHQL", "url": "https://a.test/"}, "graphQL"),
        ({"type": "Debug"}, "debug"),
    ],
)
def test_the_dialect_without_types_is_read(raw: JsonObject, kind: str) -> None:
    action, _ = read(raw)
    assert action is not None
    assert action.kind == kind


@pytest.mark.parametrize("raw", [{"type": "magic"}, {"type": "rest"}, "x", {"type": "emit"}])
def test_an_action_that_cannot_be_carried_out_says_so(raw: JsonObject) -> None:
    action, notes = read(raw)
    assert action is None
    assert notes[0].kind == "action"


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("{ company { ceo } }", "query { company { ceo } }"),
        ("query { a }", "query { a }"),
        ("# why\nquery Q { a }", "# why\nquery Q { a }"),
        ("Q($n: Int) { a(n: $n) }", "query Q($n: Int) { a(n: $n) }"),
        ("mutation { m }", "mutation { m }"),
    ],
)
def test_graphql_is_sent_with_its_keyword(text: str, sent: str) -> None:
    assert add_query_keyword(text) == sent
    request = build_action_request(graphql(), {"query": text, "variables": {"n": 1}}, reach())
    assert json.loads(request.body) == {"query": sent, "variables": {"n": 1}}
    assert request.method == "POST"


@pytest.mark.parametrize(
    ("text", "is_write"),
    [
        ("{ a }", False),
        ('query { a(x: "mutation { b }") }', False),
        ("# mutation\n{ mutation }", False),
        ("mutation { b }", True),
        ("query A { a } mutation B { b }", True),
        ("fragment F on X { a } mutation { ...F }", True),
        ('query { a(x: """ } """) } mutation { b }', True),
    ],
)
def test_what_changes_something_is_known_by_its_keyword(text: str, is_write: bool) -> None:
    assert is_mutation({"query": text}) is is_write


@pytest.mark.parametrize("text", ["{a} } mutation {b}", "} ) mutation M {b}", ")}mutation{b}"])
def test_a_brace_too_many_hides_no_mutation(text: str) -> None:
    assert is_mutation({"query": text})


def test_a_subscription_is_not_sent() -> None:
    assert find_operation_types("subscription { a }") == {"subscription"}
    with pytest.raises(InvalidArguments):
        build_action_request(graphql(), {"query": "subscription { a }"}, reach())


def test_graphql_is_checked_with_its_schema() -> None:
    assert find_graphql_faults("query { company { ceo } }", SDL) == ()
    (fault,) = find_graphql_faults("query { company { cto } }", SDL)
    assert "Cannot query field 'cto' on type 'Company'. Did you mean 'ceo'?" in fault
    with pytest.raises(InvalidArguments) as wrong:
        build_action_request(graphql(schema=SDL), {"query": "{ company { cto } }"}, reach())
    assert "ceo" in wrong.value.hint


def test_graphql_that_does_not_parse_is_not_sent() -> None:
    with pytest.raises(InvalidArguments, match="Syntax Error"):
        build_action_request(graphql(), {"query": "{ company { ceo }"}, reach())
