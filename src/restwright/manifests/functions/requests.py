"""From an action and checked arguments to the one request that is shown, approved and sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from restwright.calls.mismatch import Mismatch, pointer_to
from restwright.calls.truncate import compact
from restwright.errors import InvalidArguments, MissingCredential, RefusedRequest
from restwright.jsontypes import Json, JsonObject
from restwright.manifests.functions.actions import APPKEY, Action
from restwright.manifests.functions.graphql import faults, operations, with_keyword
from restwright.manifests.text.placeholders import in_header, in_url, pieces, url_text
from restwright.net.messages import Request
from restwright.net.policy.origins import Origin, origin_of
from restwright.net.secret import Secret

VARIABLE = "SLASH_GPT_ENV_"
"""What the name of an `appkey` is put behind, as a variable of the environment."""

# With a dot or a port, so that a comma may stand in a secret that is bound to nothing.
_HOST = re.compile(
    r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(:\d+)?|[A-Za-z0-9-]+:\d+|localhost|\[[0-9A-Fa-f:.]+\](:\d+)?"
)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_DOTS = frozenset({".", "..", "%2e", "%2e%2e", ".%2e", "%2e."})
_HAVE_BODY = frozenset({"POST", "PUT", "PATCH"})
_QUOTED: Mapping[str, str] = {"{": "%7B", "}": "%7D"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """
    What the user, not a manifest, says about where requests go and what they carry.

    Args:
        named: Origins that may be this machine or in a private network.
        stand_ins: `{origin of a manifest: base URL to ask in its place}`.
        secret: Reads the secret of a name; raises `MissingCredential`.
        shared: Names of secrets that manifests send to several hosts; such a one must be bound.
    """

    secret: Callable[[str], Secret]
    named: frozenset[Origin] = frozenset()
    stand_ins: Mapping[Origin, str] = field(default_factory=dict[Origin, str])
    shared: frozenset[str] = frozenset()


def request_of(action: Action, arguments: JsonObject, reach: Reach) -> Request:
    """
    Make the request of a call. Does no I/O but to read the secret that it is sent with.

    Raises:
        InvalidArguments: An argument cannot stand where it is put.
        RefusedRequest: The secret is not there, or not for this host.
    """
    secret = _secret(action, reach)
    make = _graphql_request if action.kind == "graphQL" else _rest_request
    request = make(action, arguments, secret)
    return _sent_to(request, action.origin, reach)


def is_mutation(arguments: JsonObject) -> bool:
    """Whether the GraphQL text among the arguments may change something."""
    return "mutation" in operations(with_keyword(_query(arguments)))


def _rest_request(action: Action, arguments: JsonObject, secret: Secret | None) -> Request:
    values = _with_secret(arguments, secret)
    has_body = action.method in _HAVE_BODY
    headers = _headers(action, values)
    if has_body and not any(name.lower() == "content-type" for name, _ in headers):
        headers = (*headers, ("content-type", "application/json"))
    return Request(
        method=action.method,
        url=_url(action, values),
        headers=headers,
        body=compact(arguments).encode("utf-8", "replace") if has_body else b"",
        secret_headers=_secret_headers(action, secret),
        secrets=(secret,) if secret else (),
    )


def _graphql_request(action: Action, arguments: JsonObject, secret: Secret | None) -> Request:
    text = with_keyword(_query(arguments))
    _check(action, text)
    body: JsonObject = {"query": text}
    if isinstance(arguments.get("variables"), dict):
        body["variables"] = arguments["variables"]
    values = _with_secret(arguments, secret)
    headers = [pair for pair in _headers(action, values) if pair[0].lower() != "content-type"]
    return Request(
        method="POST",
        url=_url(action, values),
        headers=(*headers, ("content-type", "application/json")),
        body=compact(body).encode("utf-8", "replace"),
        secret_headers=_secret_headers(action, secret),
        secrets=(secret,) if secret else (),
    )


def _query(arguments: JsonObject) -> str:
    return str(arguments.get("query", ""))


def _check(action: Action, text: str) -> None:
    if "subscription" in operations(text):
        raise _wrong(action, "query", "a query or a mutation", "a subscription")
    if found := faults(text, action.schema):
        expected = "a text that the schema allows" if action.schema else "a text in GraphQL"
        raise InvalidArguments(
            action.name, [Mismatch("/query", expected, each, "correct it") for each in found]
        )


def _with_secret(arguments: JsonObject, secret: Secret | None) -> JsonObject:
    return arguments if secret is None else {**arguments, APPKEY: secret.reveal()}


def _secret_headers(action: Action, secret: Secret | None) -> frozenset[str]:
    mark = f"{{{APPKEY}}}"
    own = (name.lower() for name, text in action.headers.items() if mark in text)
    return frozenset(own) if secret else frozenset()


def _url(action: Action, values: JsonObject) -> str:
    """The URL; a parameter of the query whose values are all missing is left out."""
    whole = action.url.partition("#")[0]
    head, mark, query = whole.partition("?")
    path = _filled(action, head, values, is_path=True)
    pairs = [_pair(action, each, values) for each in query.split("&")] if mark else []
    kept = "&".join(each for each in pairs if each is not None)
    url = f"{path}?{kept}" if kept else path
    if _DOTS & {each.lower() for each in url.partition("?")[0].split("/")}:
        raise _wrong(action, "", "a path without dots for folders", "one with them")
    return url


def _pair(action: Action, template: str, values: JsonObject) -> str | None:
    names = [name for _, name in pieces(template) if name is not None]
    if names and all(values.get(name) is None for name in names):
        return None
    return _filled(action, template, values, is_path=False)


def _filled(action: Action, template: str, values: JsonObject, *, is_path: bool) -> str:
    text = ""
    for before, name in pieces(template):
        text += _written(before)
        if name is None:
            continue
        value = in_url(values[name]) if values.get(name) is not None else ""
        if is_path and not value:
            raise _wrong(action, name, "a value, which is a part of the path", "nothing")
        text += value
    return text


def _written(text: str) -> str:
    for brace, quoted in _QUOTED.items():
        text = text.replace(brace, quoted)
    return url_text(text)


def _headers(action: Action, values: JsonObject) -> tuple[tuple[str, str], ...]:
    """The headers; one whose values are all missing is left out."""
    headers: list[tuple[str, str]] = []
    for header, template in action.headers.items():
        parts = list(pieces(template))
        names = [name for _, name in parts if name is not None]
        if names and all(values.get(name) is None for name in names):
            continue
        text = ""
        for before, name in parts:
            value = "" if name is None or values.get(name) is None else in_header(values[name])
            if _CONTROL.search(value) or not value.isascii():
                raise _wrong(action, str(name), "printable ASCII, as a header carries it", value)
            text += before + value
        headers.append((header, text.strip()))
    return tuple(headers)


def _wrong(action: Action, name: str, expected: str, got: Json) -> InvalidArguments:
    pointer = pointer_to((name,)) if name and name != APPKEY else ""
    shown = "a secret" if name == APPKEY else repr(got)[:80]
    return InvalidArguments(action.name, [Mismatch(pointer, expected, shown)])


def _secret(action: Action, reach: Reach) -> Secret | None:
    """
    The secret of an action, if it may go where its request goes.

    A secret that is written `host,secret` is for that host alone.

    Raises:
        RefusedRequest: It is not there, or for another host.
    """
    if not action.appkey:
        return None
    origin = action.origin
    variable = f"{VARIABLE}{action.appkey}"
    try:
        found = reach.secret(action.appkey).reveal()
    except MissingCredential as error:
        raise RefusedRequest(str(origin), f"{error.message}; {error.hint}") from None
    host, comma, rest = found.partition(",")
    written = host.strip().lower()
    bound = _SCHEME.sub("", written).rstrip("/").rstrip(".")
    if comma and (_HOST.fullmatch(bound) or _SCHEME.match(written)):
        if bound not in _names_of(origin):
            why = f"{variable} is bound to another host, and is not sent to {origin.authority}"
            raise RefusedRequest(str(origin), why)
        return Secret(rest.strip())
    if action.appkey in reach.shared:
        why = (
            f"manifests send {variable} to several hosts; "
            f"bind it: set it to {origin.authority},SECRET if it is for this one"
        )
        raise RefusedRequest(str(origin), why)
    if origin.scheme != "https" and origin not in reach.named and origin not in reach.stand_ins:
        raise RefusedRequest(str(origin), f"{variable} is only sent over https")
    return Secret(found)


def _names_of(origin: Origin) -> tuple[str, str]:
    """How a host may be written, with its port and, where that is the usual one, without."""
    host, _, port = origin.authority.rpartition(":")
    has_port = bool(host) and port.isdigit()
    return origin.authority, origin.authority if has_port else f"{origin.authority}:{origin.port}"


def _sent_to(request: Request, origin: Origin, reach: Reach) -> Request:
    base = reach.stand_ins.get(origin)
    if base is None:
        if origin_of(request.url) != origin:
            raise RefusedRequest(str(origin), "its arguments lead to another host")
        return replace(request, is_named=origin in reach.named)
    rest = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*", "", request.url)
    return replace(request, url=f"{base.rstrip('/')}{rest}", is_named=True)
