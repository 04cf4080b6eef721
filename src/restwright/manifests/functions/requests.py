"""From an action and checked arguments to the one request that is shown, approved and sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from restwright.calls.mismatch import Mismatch, pointer_from_path
from restwright.calls.truncate import compact_json
from restwright.errors import InvalidArguments, MissingCredential, RefusedRequest
from restwright.jsontypes import Json, JsonObject
from restwright.manifests.functions.actions import APPKEY, ManifestAction
from restwright.manifests.functions.graphql import (
    add_query_keyword,
    find_graphql_faults,
    find_operation_types,
)
from restwright.manifests.text.placeholders import (
    encode_header_value,
    encode_url_text,
    encode_url_value,
    split_template,
)
from restwright.net.messages import Request
from restwright.net.policy.hosts import AllowedHost, is_local_origin
from restwright.net.policy.origins import Origin, parse_origin
from restwright.net.secret import Secret

SECRET_VARIABLE_PREFIX = "SLASH_GPT_ENV_"  # noqa: S105 - the name of a prefix
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
class RequestSettings:
    """
    What the user, not a manifest, says about where requests go and what they carry.

    Args:
        named: Origins that may be this machine or in a private network; None where what carries the
            requests knows them alone.
        stand_ins: `{origin of a manifest: base URL to ask in its place}`.
        secret: Reads the secret of a name; raises `MissingCredential`.
        shared: Names of secrets that manifests send to several hosts; such a one must be bound.
    """

    secret: Callable[[str], Secret]
    named: frozenset[Origin] | None = None
    stand_ins: Mapping[Origin, str] = field(default_factory=dict[Origin, str])
    shared: frozenset[str] = frozenset()


def build_action_request(
    action: ManifestAction, arguments: JsonObject, settings: RequestSettings
) -> Request:
    """
    Make the request of a call. Does no I/O but to read the secret that it is sent with.

    Raises:
        InvalidArguments: An argument cannot stand where it is put.
        RefusedRequest: The secret is not there, or not for this host.
    """
    secret = _resolve_secret(action, settings)
    make = _build_graphql_request if action.kind == "graphQL" else _build_rest_request
    request = make(action, arguments, secret)
    return _route_request(request, action.origin, settings)


def is_mutation(arguments: JsonObject) -> bool:
    """Whether the GraphQL text among the arguments may change something."""
    return "mutation" in find_operation_types(add_query_keyword(_query_text(arguments)))


def _build_rest_request(
    action: ManifestAction, arguments: JsonObject, secret: Secret | None
) -> Request:
    values = _add_secret(arguments, secret)
    has_body = action.method in _HAVE_BODY
    headers = _build_headers(action, values)
    if has_body and not any(name.lower() == "content-type" for name, _ in headers):
        headers = (*headers, ("content-type", "application/json"))
    return Request(
        method=action.method,
        url=_build_url(action, values),
        headers=headers,
        body=compact_json(arguments).encode("utf-8", "replace") if has_body else b"",
        secret_headers=_secret_headers(action, secret),
        secrets=(secret,) if secret else (),
    )


def _build_graphql_request(
    action: ManifestAction, arguments: JsonObject, secret: Secret | None
) -> Request:
    text = add_query_keyword(_query_text(arguments))
    _check_query(action, text)
    body: JsonObject = {"query": text}
    if isinstance(arguments.get("variables"), dict):
        body["variables"] = arguments["variables"]
    values = _add_secret(arguments, secret)
    headers = [pair for pair in _build_headers(action, values) if pair[0].lower() != "content-type"]
    return Request(
        method="POST",
        url=_build_url(action, values),
        headers=(*headers, ("content-type", "application/json")),
        body=compact_json(body).encode("utf-8", "replace"),
        secret_headers=_secret_headers(action, secret),
        secrets=(secret,) if secret else (),
    )


def _query_text(arguments: JsonObject) -> str:
    return str(arguments.get("query", ""))


def _check_query(action: ManifestAction, text: str) -> None:
    if "subscription" in find_operation_types(text):
        raise _invalid_argument(action, "query", "a query or a mutation", "a subscription")
    if found := find_graphql_faults(text, action.schema):
        expected = "a text that the schema allows" if action.schema else "a text in GraphQL"
        raise InvalidArguments(
            action.name, [Mismatch("/query", expected, item, "correct it") for item in found]
        )


def _add_secret(arguments: JsonObject, secret: Secret | None) -> JsonObject:
    return arguments if secret is None else {**arguments, APPKEY: secret.reveal()}


def _secret_headers(action: ManifestAction, secret: Secret | None) -> frozenset[str]:
    mark = f"{{{APPKEY}}}"
    own = (name.lower() for name, text in action.headers.items() if mark in text)
    return frozenset(own) if secret else frozenset()


def _build_url(action: ManifestAction, values: JsonObject) -> str:
    """The URL; a parameter of the query whose values are all missing is left out."""
    whole = action.url.partition("#")[0]
    head, mark, query = whole.partition("?")
    path = _fill_template(action, head, values, is_path=True)
    pairs = [_fill_pair(action, part, values) for part in query.split("&")] if mark else []
    kept = "&".join(pair for pair in pairs if pair is not None)
    url = f"{path}?{kept}" if kept else path
    if _DOTS & {part.lower() for part in url.partition("?")[0].split("/")}:
        raise _invalid_argument(action, "", "a path without dots for folders", "one with them")
    return url


def _fill_pair(action: ManifestAction, template: str, values: JsonObject) -> str | None:
    names = [name for _, name in split_template(template) if name is not None]
    if names and all(values.get(name) is None for name in names):
        return None
    return _fill_template(action, template, values, is_path=False)


def _fill_template(
    action: ManifestAction, template: str, values: JsonObject, *, is_path: bool
) -> str:
    text = ""
    for before, name in split_template(template):
        text += _quote_literal(before)
        if name is None:
            continue
        value = encode_url_value(values[name]) if values.get(name) is not None else ""
        if is_path and not value:
            raise _invalid_argument(action, name, "a value, which is a part of the path", "nothing")
        text += value
    return text


def _quote_literal(text: str) -> str:
    for brace, quoted in _QUOTED.items():
        text = text.replace(brace, quoted)
    return encode_url_text(text)


def _build_headers(action: ManifestAction, values: JsonObject) -> tuple[tuple[str, str], ...]:
    """The headers; one whose values are all missing is left out."""
    headers: list[tuple[str, str]] = []
    for header, template in action.headers.items():
        parts = list(split_template(template))
        names = [name for _, name in parts if name is not None]
        if names and all(values.get(name) is None for name in names):
            continue
        text = ""
        for before, name in parts:
            value = (
                ""
                if name is None or values.get(name) is None
                else encode_header_value(values[name])
            )
            if _CONTROL.search(value) or not value.isascii():
                raise _invalid_argument(
                    action, str(name), "printable ASCII, as a header carries it", value
                )
            text += before + value
        headers.append((header, text.strip()))
    return tuple(headers)


def _invalid_argument(
    action: ManifestAction, name: str, expected: str, got: Json
) -> InvalidArguments:
    pointer = pointer_from_path((name,)) if name and name != APPKEY else ""
    shown = "a secret" if name == APPKEY else repr(got)[:80]
    return InvalidArguments(action.name, [Mismatch(pointer, expected, shown)])


def _resolve_secret(action: ManifestAction, settings: RequestSettings) -> Secret | None:
    """
    The secret of an action, if it may go where its request goes.

    A secret that is written `host,secret` is for that host alone.

    Raises:
        RefusedRequest: It is not there, or for another host.
    """
    if not action.appkey:
        return None
    origin = action.origin
    variable = f"{SECRET_VARIABLE_PREFIX}{action.appkey}"
    try:
        found = settings.secret(action.appkey).reveal()
    except MissingCredential as error:
        raise RefusedRequest(str(origin), f"{error.message}; {error.hint}") from None
    host, comma, rest = found.partition(",")
    written = host.strip().lower()
    bound = _SCHEME.sub("", written).rstrip("/").rstrip(".")
    if comma and (_HOST.fullmatch(bound) or _SCHEME.match(written)):
        if bound not in _host_names(origin):
            why = f"{variable} is bound to another host, and is not sent to {origin.authority}"
            raise RefusedRequest(str(origin), why)
        return Secret(rest.strip())
    if action.appkey in settings.shared:
        why = (
            f"manifests send {variable} to several hosts; "
            f"bind it: set it to {origin.authority},SECRET if it is for this one"
        )
        raise RefusedRequest(str(origin), why)
    if (
        origin.scheme != "https"
        and origin not in (settings.named or ())
        and origin not in settings.stand_ins
    ):
        raise RefusedRequest(str(origin), f"{variable} is only sent over https")
    return Secret(found)


def _host_names(origin: Origin) -> tuple[str, str]:
    """How a host may be written, with its port and, where that is the usual one, without."""
    host, _, port = origin.authority.rpartition(":")
    has_port = bool(host) and port.isdigit()
    return origin.authority, origin.authority if has_port else f"{origin.authority}:{origin.port}"


def _route_request(request: Request, origin: Origin, settings: RequestSettings) -> Request:
    base = settings.stand_ins.get(origin)
    if base is None:
        if parse_origin(request.url) != origin:
            raise RefusedRequest(str(origin), "its arguments lead to another host")
        named = settings.named
        if named is not None and origin not in named and is_local_origin(origin):
            host = AllowedHost(origin.host, origin.port)
            where = "it is this machine or in a private network"
            raise RefusedRequest(str(origin), f"{where}; --allow-host {host} allows it")
        return replace(request, is_named=origin in (named or ()))
    rest = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*", "", request.url)
    return replace(request, url=f"{base.rstrip('/')}{rest}", is_named=True)
