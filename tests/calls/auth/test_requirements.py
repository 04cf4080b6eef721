"""Each scheme of a document goes where it says, of the first alternative that can be met."""

from __future__ import annotations

from base64 import b64encode

import pytest

from restwright.calls.auth.connection import Connection, authorize_request, mask_request
from restwright.calls.auth.credentials import Auth, Basic, Certificate
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.cli.render.remedies import remedy
from restwright.errors import MissingCredential, RefusedRequest
from restwright.jsontypes import Json
from restwright.net.messages import ClientCertificate, Request
from restwright.net.policy.origins import Origin
from restwright.net.secret import Secret
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog
from restwright.tools.tool import Tool

CANARY = "canary-4f2a9c71"
KEY = Secret(CANARY)
NAMED = Origin("https", "api.test", 443)
REQUEST = Request(
    method="GET",
    url="https://api.test/x?q=1&key=model",
    headers=(("Accept", "*/*"), ("Cookie", "a=1; sid=model")),
)
SCHEMES = {
    "head": {"type": "apiKey", "in": "header", "name": "X-Key"},
    "query": {"type": "apiKey", "in": "query", "name": "key"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
    "bearer": {"type": "http", "scheme": "Bearer"},
    "basic": {"type": "http", "scheme": "basic"},
    "digest": {"type": "http", "scheme": "digest"},
    "signed": {"type": "http", "scheme": "hoba"},
    "login": {"type": "oauth2", "flows": {}},
    "oidc": {"type": "openIdConnect", "openIdConnectUrl": "https://id.test/.well-known/x"},
    "tls": {"type": "mutualTLS"},
    "odd": {"type": "magic"},
    "host": {"type": "apiKey", "in": "header", "name": "Host"},
}


def tool_of(*security: Json, root: Json = None) -> Tool:
    operation = {"operationId": "x", "responses": {}, "security": list(security)}
    if root is not None:
        del operation["security"]
    written = document({"/x": {"get": operation}}, components={"securitySchemes": SCHEMES})
    more = {"security": root} if root else {}
    return catalog(load({**written, **more}, alias="shop"))["shop__x"]


def authorized(auth: Auth | dict[str, Auth] | None, *security: Json, **headers: str) -> Request:
    connection = Connection(auth=auth, headers=headers)
    return authorize_request(REQUEST, connection, named=NAMED, tool=tool_of(*security))


def test_a_key_goes_into_its_header() -> None:
    assert authorized(KEY, {"head": []}).headers[-1] == ("X-Key", CANARY)


def test_a_key_goes_into_the_query_in_place_of_another() -> None:
    key = Secret("a b&c=ü")
    assert authorized(key, {"query": []}).url == "https://api.test/x?q=1&key=a%20b%26c%3D%C3%BC"


def test_a_key_goes_into_the_cookie_beside_others() -> None:
    request = authorized(KEY, {"cookie": []})
    assert request.headers == (("Accept", "*/*"), ("Cookie", f"a=1; sid={CANARY}"))
    assert mask_request(request)["headers"]["Cookie"] == "a=1; sid=***"


@pytest.mark.parametrize("scheme", ["bearer", "login", "oidc"])
def test_a_token_is_a_bearer_token(scheme: str) -> None:
    request = authorized({scheme: KEY}, {scheme: []})
    assert request.headers[-1] == ("Authorization", f"Bearer {CANARY}")


def test_digest_hides_the_password_and_waits_to_be_asked() -> None:
    request = authorized(Basic("alice", KEY), {"digest": []})
    assert request.headers == REQUEST.headers
    assert KEY in request.secrets


@pytest.mark.parametrize("auth", [Basic("alice", KEY), Secret(f"alice:{CANARY}")])
def test_a_user_and_a_password_are_basic_credentials(auth: Auth) -> None:
    blob = b64encode(f"alice:{CANARY}".encode()).decode()
    assert authorized(auth, {"basic": []}).headers[-1] == ("Authorization", f"Basic {blob}")


def test_a_password_without_a_user_is_told() -> None:
    with pytest.raises(MissingCredential, match="USER:PASSWORD") as caught:
        authorized(KEY, {"basic": []})
    assert CANARY not in str(caught.value)


def test_a_certificate_is_handed_to_the_transport() -> None:
    request = authorized(Certificate("c.pem", "k.pem", KEY), {"tls": []})
    assert request.client_certificate == ClientCertificate(
        path="c.pem", key_path="k.pem", password=KEY
    )
    assert request.headers == REQUEST.headers


@pytest.mark.parametrize("scheme", ["head", "query", "cookie", "bearer", "login"])
def test_no_scheme_shows_its_secret(scheme: str) -> None:
    request = authorized(KEY, {scheme: []})
    assert CANARY not in f"{request!r} {mask_request(request)}"


def test_all_of_an_alternative_are_added() -> None:
    request = authorized({"head": Secret("k1"), "query": KEY}, {"head": [], "query": []})
    assert request.headers[-1] == ("X-Key", "k1")
    assert request.url.endswith(f"&key={CANARY}")


@pytest.mark.parametrize(
    ("auth", "added"),
    [
        ({"bearer": KEY}, "Authorization"),
        ({"head": KEY}, "X-Key"),
        ({"head": KEY, "bearer": KEY}, "Authorization"),
        (KEY, "Authorization"),
    ],
)
def test_the_first_alternative_that_can_be_satisfied_is_taken(auth: Auth, added: str) -> None:
    request = authorized(auth, {"bearer": [], "query": []}, {"bearer": []}, {"head": []})
    assert request.headers[2:] == ((added, request.header(added)),)
    assert request.url == REQUEST.url


def test_an_alternative_without_credentials_is_the_last_one() -> None:
    assert authorized(None, {}, {"head": []}) is REQUEST
    assert authorized(KEY, {}, {"head": []}).header("X-Key") == CANARY


def test_an_operation_that_requires_nothing_gets_nothing() -> None:
    assert authorized(KEY) is REQUEST


def test_a_document_that_says_nothing_gets_what_there_is() -> None:
    tool = tool_of(root=[])
    request = authorize_request(REQUEST, Connection(auth={"query": KEY}), named=NAMED, tool=tool)
    assert request.url.endswith(f"&key={CANARY}")


def test_the_requirement_of_the_document_holds_for_an_operation_without_one() -> None:
    tool = tool_of(root=[{"head": []}])
    request = authorize_request(REQUEST, Connection(auth=KEY), named=NAMED, tool=tool)
    assert request.header("X-Key") == CANARY


def test_a_static_header_satisfies_the_scheme_that_would_write_it() -> None:
    request = authorized(None, {"head": []}, {"bearer": []}, authorization="Custom x")
    assert request.header("authorization") == "Custom x"


def test_none_sends_nothing() -> None:
    assert authorized("none", {"head": []}) is REQUEST


def test_a_missing_credential_names_each_alternative_and_where_to_set_it() -> None:
    with pytest.raises(MissingCredential) as caught:
        authorized(None, {"head": [], "basic": []}, {"login": ["read"]}, {"tls": []})
    text = str(caught.value)
    assert text.startswith("the credential head and basic or login or tls is not set")
    for part in (
        "auth={'head': ...} (apiKey, header x-key)",
        "auth={'basic': ...} (http basic, header authorization)",
        "auth={'login': ...}",
        "auth={'tls': ...}",
        'auth="none" calls without',
    ):
        assert part in text
    assert "--" not in text
    for part in (
        "--auth shop=head=env:NAME (apiKey, header x-key)",
        "--auth shop=basic=USER:env:PASSWORD (http basic, header authorization)",
        "--auth shop=login=oauth:CLIENT_ID or env:TOKEN",
        "--auth shop=tls=cert:PATH",
        "--auth shop=none calls without",
    ):
        assert part in remedy(caught.value)


@pytest.mark.parametrize(
    ("auth", "security"),
    [
        (KEY, {"head": [], "query": []}),
        (KEY, {"tls": []}),
        ({"digest": KEY}, {"digest": []}),
        ({"bearer": Basic("a", KEY)}, {"bearer": []}),
        ({"bearer": KEY, "basic": Basic("a", KEY)}, {"bearer": [], "basic": []}),
        ({"head": OAuthClient(client_id="c")}, {"head": []}),
    ],
)
def test_what_does_not_fit_satisfies_nothing(auth: Auth, security: Json) -> None:
    with pytest.raises(MissingCredential):
        authorized(auth, security)


def test_a_type_of_scheme_that_nobody_knows_is_satisfied_by_nothing() -> None:
    with pytest.raises(MissingCredential, match="odd"):
        authorized(KEY, {"odd": []})


def test_a_scheme_that_is_not_defined_is_not_waited_for() -> None:
    assert authorized(None, {"unknown": []}) is REQUEST


@pytest.mark.parametrize("value", ["a;b", "a b", "ü", "a,b", "a\r\nb"])
def test_a_key_that_no_cookie_can_hold_is_refused(value: str) -> None:
    with pytest.raises(RefusedRequest) as caught:
        authorized(Secret(value), {"cookie": []})
    assert value not in str(caught.value)


def test_a_document_cannot_have_a_key_put_into_a_header_of_the_connection() -> None:
    with pytest.raises(RefusedRequest, match="may not be set"):
        authorized(KEY, {"host": []})


@pytest.mark.parametrize("scheme", ["head", "query", "cookie", "bearer", "basic", "digest", "tls"])
def test_no_credential_goes_to_an_origin_that_the_user_did_not_name(scheme: str) -> None:
    auth = {"basic": Basic("a", KEY), "digest": Basic("a", KEY), "tls": Certificate("c.pem")}.get(
        scheme, KEY
    )
    with pytest.raises(RefusedRequest):
        authorize_request(
            REQUEST,
            Connection(auth=auth),
            named=Origin("https", "other.test", 443),
            tool=tool_of({scheme: []}),
        )


def test_two_users_are_served_by_one_process() -> None:
    tool = tool_of({"bearer": []})
    ada, bob = Connection(auth=Secret("token-of-ada")), Connection(auth=Secret("token-of-bob"))
    sent = [authorize_request(REQUEST, each, named=NAMED, tool=tool) for each in (ada, bob, ada)]
    assert [each.header("authorization") for each in sent] == [
        "Bearer token-of-ada",
        "Bearer token-of-bob",
        "Bearer token-of-ada",
    ]


def test_the_repr_of_a_connection_shows_no_secret() -> None:
    auth: dict[str, Auth] = {
        "a": "env:A",
        "b": KEY,
        "c": Basic("ada", Secret(CANARY)),
        "d": OAuthClient(client_id="me", client_secret=Secret(CANARY)),
        "e": Certificate("c.pem", password=Secret(CANARY)),
    }
    shown = repr(Connection(auth=auth))
    assert CANARY not in shown
    assert "env:A" in shown


def test_a_scheme_that_is_not_spoken_is_met_by_a_header() -> None:
    with pytest.raises(MissingCredential) as caught:
        authorized({"signed": KEY}, {"signed": []})
    assert (
        "set --header shop='authorization: env:NAME', as signed is http hoba,"
        " which is not spoken here;"
    ) in remedy(caught.value)
    assert "headers={'authorization': ...}, as signed is http hoba" in str(caught.value)
    sent = authorized(None, {"signed": []}, Authorization=CANARY)
    assert sent.header("authorization") == CANARY


def test_a_credential_for_a_scheme_that_there_is_not_is_named_once_one_is_missing() -> None:
    with pytest.raises(MissingCredential, match="the document has no scheme haed: set in"):
        authorized({"haed": KEY}, {"head": []})
    assert authorized({"haed": KEY, "head": KEY}, {"head": []}).header("x-key") == CANARY


def test_cookies_of_a_connection_stand_beside_those_of_the_arguments() -> None:
    sent = authorized(KEY, {"cookie": []}, Cookie=f"b={CANARY}1; a=2 ;")
    assert sent.header("cookie") == f"b={CANARY}1; a=2; sid={CANARY}"
    assert CANARY not in str(mask_request(sent))


@pytest.mark.parametrize("value", ["abc", "a=b\r\nX: 1", "a=", "a b=c", "a=b c", "a=1, b=2"])
def test_what_is_no_cookie_is_refused_and_not_repeated(value: str) -> None:
    with pytest.raises(RefusedRequest) as caught:
        authorized(None, Cookie=f"{value}{CANARY}" if value == "abc" else value)
    assert CANARY not in str(caught.value)
