"""
What a model, a provider or a user would suffer from in a document that can be read.

Only what is seldom a false alarm: a linter that cries wolf is switched off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from restwright.jsontypes import Json, is_array, is_object
from restwright.net.policy.origins import redact_url
from restwright.openapi.effects import find_change_verb, find_method_override
from restwright.openapi.model import (
    API,
    Method,
    Operation,
    Problem,
    SecurityScheme,
    Server,
)
from restwright.openapi.path_faults import find_path_fault
from restwright.openapi.read.cursor import add_refs_hint
from restwright.openapi.read.lint_schemas import lint_document_schemas
from restwright.openapi.read.schema_resources import find_dangling_references
from restwright.openapi.references import join_pointer, split_pointer

MAX_OF_A_KIND = 20
"""Warnings and information of one kind that are listed; the rest are counted."""

_QUOTED = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"|\{[^{}]*\}|\d+")
_TEMPLATED = re.compile(r"\{[^{}/]*\}")
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|\{")
_AUTHORITY = re.compile(r"[/?#]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_LOCAL = re.compile(r"http://(localhost|127\.|\[::1\]|0\.0\.0\.0|10\.|192\.168\.|[^/.:]+[:/]|$)")
_NO_BODY = (Method.GET, Method.HEAD)
_NAMING = re.compile(r"[A-Za-z0-9]")
_SCHEME_TYPES = frozenset({"apiKey", "http", "oauth2", "openIdConnect", "mutualTLS"})
_KEY_LOCATIONS = frozenset({"query", "header", "cookie"})


def lint_api(api: API) -> Iterator[Problem]:
    """Yield what is doubtful about the whole, then each operation, then the schemas."""
    yield from _check_servers(api)
    for name, scheme in api.security_schemes.items():
        yield from _check_security_scheme(scheme, _scheme_pointer(api, name))
    yield from _check_duplicates(api)
    for operation in api.operations:
        for check in _CHECKS:
            yield from check(operation, api)
    yield from _check_webhooks(api)
    yield from _check_references(api)
    yield from lint_document_schemas(api.document, api.specification)


def limit_problems(problems: Iterable[Problem]) -> Iterator[Problem]:
    """`problems`, each once, with a count in place of all but the first of a kind; every error."""
    counts: dict[str, int] = {}
    first_left_out: dict[str, Problem] = {}
    for name in dict.fromkeys(problems):
        kind = f"{name.severity} {_QUOTED.sub('_', name.what)}"
        counts[kind] = counts.get(kind, 0) + 1
        if name.severity == "error" or counts[kind] <= MAX_OF_A_KIND:
            yield name
        else:
            first_left_out.setdefault(kind, name)
    for kind, each in first_left_out.items():
        what = f"{each.what}, and {counts[kind] - MAX_OF_A_KIND - 1:,} more such places"
        yield Problem(each.pointer, what, each.severity, each.action)


def _check_servers(api: API) -> Iterator[Problem]:
    pointer = "/servers" if "servers" in api.document else ""
    is_url = api.source.lower().startswith(("http://", "https://"))
    if not is_url and not any(_ABSOLUTE.match(server.url) for server in api.servers):
        what = "no server is named that can be found without the document's own URL"
        yield Problem(pointer, what, "warning", "calls need `--server URL`")
    for index, server in enumerate(api.servers):
        at = f"{pointer}/{index}" if pointer else pointer
        yield from _check_server(server, at)


def _check_server(server: Server, pointer: str) -> Iterator[Problem]:
    yield from _check_server_url(server.default_url, pointer)
    for name in dict.fromkeys(_TEMPLATED.findall(server.url)):
        if name[1:-1] not in server.variables:
            what = f"the variable {name} of the server has no value"
            yield Problem(pointer, what, "warning", "calls need `--server URL`")
    for name, variable in server.variables.items():
        if variable.enum and variable.default not in variable.enum:
            what = f"the default of the variable {name!r} is not among its values"
            yield Problem(pointer, what, action="the default is used")


def _check_server_url(url: str, pointer: str) -> Iterator[Problem]:
    # User information is a password as often as not, which is not repeated.
    named = repr((redact_url(url) if "@" in url else url)[:100])
    if (scheme := _SCHEME.match(url)) and scheme[1].lower() not in {"http", "https"}:
        what = f"the server {named} is no http URL"
        yield Problem(pointer, what, "warning", "calls need `--server URL`")
    if why := find_path_fault(re.split("[?#]", url.partition("//")[2], maxsplit=1)[0]):
        what = f"the URL of the server {named} cannot be used: {why}"
        yield Problem(pointer, what, "error", "calls are refused")
    for mark, part in (("@", "user information"), ("?", "a query"), ("#", "a fragment")):
        if mark in (_authority(url) if mark == "@" else url):
            what = f"the URL of the server {named} holds {part}"
            yield Problem(pointer, what, "warning", "calls need `--server URL`")
    if url.lower().startswith("http://") and not _LOCAL.match(url.lower()):
        yield Problem(pointer, f"the server {named} is not encrypted", action="called as it is")


def _authority(url: str) -> str:
    return _AUTHORITY.split(url.partition("//")[2], maxsplit=1)[0]


def _check_operation_servers(operation: Operation, api: API) -> Iterator[Problem]:
    """Servers that an operation or its path names in place of the document's."""
    if operation.servers == api.servers:
        return
    item = operation.pointer.rpartition("/")[0]
    levels = (f"{pointer}/servers" for pointer in (operation.pointer, item))
    pointer = next((level for level in levels if _is_list(api, level)), "")
    for index, server in enumerate(operation.servers):
        if server not in api.servers:
            yield from _check_server(server, f"{pointer}/{index}" if pointer else operation.pointer)


def _is_list(api: API, pointer: str) -> bool:
    """Whether a list stands at `pointer` of the document as written, and has elements."""
    node: Json = api.document
    for token in split_pointer(pointer):
        node = node.get(token) if is_object(node) else None
    return is_array(node) and bool(node)


def _scheme_pointer(api: API, name: str) -> str:
    if "securityDefinitions" in api.document:
        return join_pointer("securityDefinitions", name)
    return join_pointer("components", "securitySchemes", name)


def _check_security_scheme(scheme: SecurityScheme, pointer: str) -> Iterator[Problem]:
    if scheme.type not in _SCHEME_TYPES:
        what = f"the type {scheme.type[:40]!r} of a security scheme is not known"
        yield Problem(pointer, what, "warning", "no credentials are sent for it")
    elif scheme.type == "apiKey" and (
        not scheme.parameter or scheme.location not in _KEY_LOCATIONS
    ):
        what = "an API key needs its `name`, and `in: query`, `header` or `cookie`"
        yield Problem(pointer, what, "error", "no credentials are sent for it")
    elif scheme.type == "http" and not scheme.scheme:
        yield Problem(pointer, "HTTP authentication needs its `scheme`", "error", "not used")
    elif scheme.type == "oauth2" and not scheme.flows:
        yield Problem(pointer, "OAuth 2 needs its `flows`", "warning", "a token has to be given")


def _check_duplicates(api: API) -> Iterator[Problem]:
    """Operations that have the same id or, but for the names in it, the same path."""
    ids: dict[str, Operation] = {}
    shapes: dict[tuple[Method, str], Operation] = {}
    for operation in api.operations:
        other = (
            ids.setdefault(operation.operation_id, operation)
            if operation.operation_id
            else operation
        )
        # Where a name can be made of it, who gives the names says so.
        if other is not operation and not _NAMING.search(other.operation_id or ""):
            what = (
                f"the operationId {operation.operation_id!r} is also that of {_format_route(other)}"
            )
            yield Problem(operation.pointer, what, "warning", "told apart by their paths")
        shape = (operation.method, _TEMPLATED.sub("{}", operation.path))
        other = shapes.setdefault(shape, operation)
        if other is not operation:
            what = f"a server cannot tell the path from that of {_format_route(other)}"
            yield Problem(operation.pointer, what, "warning", "both are kept")


def _format_route(operation: Operation) -> str:
    return f"{operation.method.upper()} {operation.path}"


def _check_summary(operation: Operation, api: API) -> Iterator[Problem]:
    del api
    if not operation.headline:
        what = "has no summary and no description"
        yield Problem(operation.pointer, what, "warning", "described by its method and path")


def _check_operation_id(operation: Operation, api: API) -> Iterator[Problem]:
    del api
    if operation.operation_id is None:
        yield Problem(operation.pointer, "has no `operationId`", "information", "named by its path")


def _check_path(operation: Operation, api: API) -> Iterator[Problem]:
    del api
    path = operation.path
    if why := find_path_fault(re.split("[?#]", path, maxsplit=1)[0]):
        what = f"the path {path[:100]!r} cannot be sent: {why}"
        yield Problem(operation.pointer, what, "error", "calls are refused")
    if "#" in path:
        what = "a fragment in a path is never sent"
        yield Problem(operation.pointer, what, "information", "kept in the name")
    elif "?" in path:
        what = "a query stands in the path"
        yield Problem(operation.pointer, what, "information", "sent as it is")
    if _TEMPLATED.sub("", path).strip("{}") != _TEMPLATED.sub("", path) or "}" in _strip_templates(
        path
    ):
        what = f"the braces of the path {path[:100]!r} do not match"
        yield Problem(operation.pointer, what, "warning", "sent as they are")


def _strip_templates(path: str) -> str:
    return _TEMPLATED.sub("", path)


def _check_security(operation: Operation, api: API) -> Iterator[Problem]:
    named = dict.fromkeys(name for item in operation.security for name in item)
    for name in named:
        if name not in api.security_schemes:
            what = f"the security scheme {name[:80]!r} is not defined"
            yield Problem(_security_pointer(operation, api), what, "warning", "nothing is sent")


def _security_pointer(operation: Operation, api: API) -> str:
    # What is said once, at the top, is reported once, there.
    written = api.document.get("security")
    requirements = written if is_array(written) else [written]
    names = {name for requirement in requirements if is_object(requirement) for name in requirement}
    own = {name for item in operation.security for name in item}
    return "/security" if own == names else f"{operation.pointer}/security"


def _check_body(operation: Operation, api: API) -> Iterator[Problem]:
    del api
    body = operation.request_body
    if body is None or operation.method not in _NO_BODY:
        return
    if any(_has_content(media_type.schema) for media_type in body.content):
        what = f"{operation.method.upper()} with a body, which many servers and proxies drop"
        yield Problem(operation.pointer, what, "warning", "sent as described")


def _has_content(schema: Json) -> bool:
    """Whether a body is more than the empty object that generators write for no body."""
    return not is_object(schema) or bool(schema.get("properties", schema.get("type") != "object"))


def _check_parameters(operation: Operation, api: API) -> Iterator[Problem]:
    del api
    for parameter in operation.parameters:
        schema = parameter.schema
        if parameter.required and is_object(schema) and schema.get("default") is not None:
            what = f"the parameter {parameter.name[:80]!r} is required and has a default"
            yield Problem(operation.pointer, what, "information", "required all the same")


def _check_effect(operation: Operation, api: API) -> Iterator[Problem]:
    """What changes something though its method says that it does not."""
    del api
    if name := find_method_override(operation):
        what = f"the parameter {name[:80]!r} names another method"
        yield Problem(operation.pointer, what, "warning", "taken for destructive")
    if operation.method.is_read and (verb := find_change_verb(operation)):
        what = f"{operation.method.upper()} that says it changes something ({verb!r})"
        yield Problem(operation.pointer, what, "warning", "taken for a write")


def _check_callbacks(operation: Operation, api: API) -> Iterator[Problem]:
    del api
    if operation.callbacks:
        what = "callbacks are what the API calls"
        yield Problem(f"{operation.pointer}/callbacks", what, "information", "not tools")


_CHECKS: tuple[Callable[[Operation, API], Iterator[Problem]], ...] = (
    _check_operation_id,
    _check_summary,
    _check_path,
    _check_operation_servers,
    _check_security,
    _check_parameters,
    _check_body,
    _check_effect,
    _check_callbacks,
)


def _check_webhooks(api: API) -> Iterator[Problem]:
    if api.webhooks:
        yield Problem("/webhooks", "webhooks are what the API calls", "information", "not tools")


def _check_references(api: API) -> Iterator[Problem]:
    for pointer, error in find_dangling_references(api.document):
        action = add_refs_hint("any value is accepted there", error)
        yield Problem(pointer, error.message, "error", action)
