"""Which server a tool's requests go to: the user's word, else the document's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeGuard
from urllib.parse import quote, urljoin

from restwright.errors import MissingServer, RefusedRequest
from restwright.net.policy.origins import parse_origin
from restwright.openapi.model import API, Server, ServerVariable
from restwright.tools.tool import Tool

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_HTTP = re.compile(r"https?://", re.IGNORECASE)
_VARIABLE = re.compile(r"\{([^{}]*)\}")
# What would end the host or the path that a variable stands in, or begin another.
_UNSAFE = re.compile(r"[\s@?#\\\x00-\x1f\x7f]")
# RFC 3986, "Characters": what a URL may hold as it is.
_URL_SAFE = "/:@!$&'()*+,;=~-._%[]?#"
_MAX_LISTED = 10
# OAS 3.1, "OpenAPI Object": what no servers at all mean.
_ROOT = Server(url="/")


def resolve_server_url(
    tool: Tool, wanted: str | None, *, variables: Mapping[str, str] | None = None
) -> str:
    """
    Return the absolute base URL of a tool's requests, without a trailing slash.

    Args:
        wanted: A URL, which wins over the document; or one of the document's servers, by its
            number (1 is the first), its URL as written there, or words of its description; None
            for the first. An operation with servers of its own is not sent to those of the whole
            document by a number or words.
        variables: `{server variable: value}` of the user's; the others have their defaults.

    Raises:
        MissingServer: Neither says one, the document has none like `wanted`, or its first one is
            relative and its own URL not known.
        RefusedRequest: It is not a URL that may be asked, or a variable has no such value.
    """
    own, whole, variables = tool.operation.servers, tool.servers, variables or {}
    server = _choose_server(tool.name, own, whole, wanted, variables)
    url = expand_server_url(server, _select_variables((*own, *whole), server, variables))
    absolute = _make_absolute(url, base=tool.source)
    if absolute is None:
        raise MissingServer(tool.name, url if server is not _ROOT else "")
    parse_origin(absolute)
    if "?" in absolute or "#" in absolute:
        why = "a server URL has no query and no fragment"
        raise RefusedRequest(absolute.partition("?")[0], why)
    return absolute.rstrip("/")


def document_server_url(tool: Tool, wanted: str | None, variables: Mapping[str, str]) -> str | None:
    """
    Return the base URL that the document as a whole gives, whatever an operation says.

    Args:
        wanted: As `resolve_server_url` takes it; a URL that is none of the document's chooses
        nothing.

    Returns:
        None where there is none.

    Raises:
        RefusedRequest: A variable has no such value.
    """
    found = _find_server(tool.servers, wanted) if wanted else None
    server = found or next(iter(tool.servers), None)
    if server is None:
        return None
    known = (*tool.operation.servers, *tool.servers)
    return _make_absolute(
        expand_server_url(server, _select_variables(known, server, variables)), base=tool.source
    )


def check_server_choice(api: API, wanted: str | None, variables: Mapping[str, str]) -> None:
    """
    Find out before the first call whether a user chose a server that an API has.

    Raises:
        MissingServer, RefusedRequest: As `resolve_server_url`, for operations without own servers.
    """
    server = _choose_server(api.alias or api.title[:60], (), api.servers, wanted, variables)
    expand_server_url(
        server, {name: variables[name] for name in variables if name in server.variables}
    )


def user_server_url(wanted: str | None, variables: Mapping[str, str]) -> str | None:
    """
    Return the scheme, host and port that the user wrote; None where a document completes them.

    Args:
        wanted: As `resolve_server_url` takes it. A number or words choose a server and name none:
        which
            URL they stand for is the document's word.
    """
    if not is_http_url(wanted):
        return None
    url = _VARIABLE.sub(lambda found: variables.get(found[1], found[0]), wanted)
    head = "/".join(url.split("/")[:3])
    return None if _VARIABLE.search(head) else head


def is_http_url(text: str | None) -> TypeGuard[str]:
    """Whether a text is an absolute URL of HTTP."""
    return text is not None and _HTTP.match(text) is not None


def expand_server_url(server: Server, variables: Mapping[str, str]) -> str:
    """
    Return the URL of a server; variables without a value have their defaults.

    Args:
        variables: `{name: value}` that the user chose.

    Raises:
        RefusedRequest: The server has no such variable, or the variable no such value.

    Source: OAS 3.1, "Server Variable Object".
    """
    url = server.url
    for name in variables:
        if name not in server.variables:
            known = ", ".join(server.variables) or "none"
            raise RefusedRequest(url, f"the server has no variable {name[:40]!r} (it has {known})")
    for name, variable in server.variables.items():
        value = variables.get(name, variable.default)
        if name in variables and variable.enum and value not in variable.enum:
            listed = ", ".join(variable.enum[:20])
            raise RefusedRequest(url, f"the server variable {name} is one of {listed}")
        if _UNSAFE.search(value):
            raise RefusedRequest(url, f"the server variable {name} would change the host")
        url = url.replace("{" + name + "}", value)
    return url


def _choose_server(
    name: str,
    own: Sequence[Server],
    whole: Sequence[Server],
    wanted: str | None,
    variables: Mapping[str, str],
) -> Server:
    """The server to use, of those that an operation has, or the document as a whole."""
    if not wanted:
        return next(iter(own or whole), _ROOT)
    found = _find_by_url(whole, wanted) or _find_server(own or whole, wanted)
    if found is not None:
        return found
    if own and _find_server(whole, wanted) is not None:
        return own[0]
    if not _URL.match(wanted):
        offered = _list_servers(own or whole) or "nothing"
        raise MissingServer(name, f"{offered}; {wanted[:80]!r} is none of that, and no URL")
    # A template that the user wrote has the values of the user's alone.
    given = {match: variables[match] for match in _VARIABLE.findall(wanted) if match in variables}
    filled = {name: ServerVariable(default=value) for name, value in given.items()}
    return Server(url=wanted, variables=filled)


def _find_server(servers: Sequence[Server], wanted: str) -> Server | None:
    """The server of that URL, number or description; None where that is none or several."""
    written = _find_by_url(servers, wanted)
    if written is not None or _URL.match(wanted):
        return written
    if wanted.isascii() and wanted.isdecimal():
        return servers[int(wanted) - 1] if 0 < int(wanted[:6]) <= len(servers) else None
    words = wanted.strip().casefold()
    same = [server for server in servers if server.description.strip().casefold() == words]
    like = same or [
        server for server in servers if words and words in server.description.casefold()
    ]
    return like[0] if len(like) == 1 else None


def _find_by_url(servers: Sequence[Server], wanted: str) -> Server | None:
    return next((server for server in servers if server.url == wanted), None)


def _list_servers(servers: Sequence[Server]) -> str:
    """The servers by number, on one line and short."""
    lines = [
        f"{number}: {each.url[:80]}" + (f" ({each.description[:40]})" if each.description else "")
        for number, each in enumerate(servers[:_MAX_LISTED], 1)
    ]
    text = ", ".join(lines)
    return "".join(character if character.isprintable() else "?" for character in text)


def _select_variables(
    known: Sequence[Server], server: Server, variables: Mapping[str, str]
) -> Mapping[str, str]:
    """The values for `server`; those that are for another server of the document are left out."""
    if server not in known:
        return variables
    elsewhere = {name for candidate in known for name in candidate.variables} - {*server.variables}
    return {name: value for name, value in variables.items() if name not in elsewhere}


def _make_absolute(written: str, *, base: str) -> str | None:
    """Resolve a server URL; None where its variables have no value or it has no absolute base."""
    if "{" in written:
        return None
    if not _URL.match(written):
        # OAS 3.1, "Server Object": relative to where the document is served.
        if not is_http_url(base):
            return None
        written = urljoin(base, written)
    return quote(written, safe=_URL_SAFE)
