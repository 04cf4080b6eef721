"""From --server, --server-variable, --auth and --header to one connection an API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from restwright.errors import UsageError
from restwright.workspace.credentials import parse_auth
from restwright.workspace.documents import fill_in_secret, split_alias, split_header

if TYPE_CHECKING:
    from restwright.calls.auth.connection import Connection
    from restwright.tools.catalog.catalog import Catalog
    from restwright.workspace.credentials import MakeLogin

_VARIABLE = "--server-variable"
_WITH_NAMES = frozenset({"--auth", _VARIABLE})


def build_connections(
    namespaces: Sequence[str],
    *,
    server: Sequence[str] | None,
    auth: Sequence[str] | None,
    header: Sequence[str] | None,
    server_variable: Sequence[str] | None = None,
    allow_commands: bool = False,
    make_login: MakeLogin | None = None,
) -> Mapping[str, Connection]:
    """
    One connection a namespace.

    Args:
        make_login: As of `parse_auth()`.

    Raises:
        UsageError: An alias that no document has, a header without a colon, a variable without
            a value, a credential in no known form, or a value without an alias where there are
            several documents, which would send it to all of them.
    """
    from restwright.calls.auth.connection import Connection

    servers = _by_namespace("--server", server, namespaces)
    auths = _by_namespace("--auth", auth, namespaces)
    headers = _by_namespace("--header", header, namespaces)
    variables = _by_namespace(_VARIABLE, server_variable, namespaces)
    return {
        name: Connection(
            server=_only("--server", servers[name]),
            auth=parse_auth(auths[name], make_login),
            headers=dict(_header(text, allow_commands=allow_commands) for text in headers[name]),
            allow_commands=allow_commands,
            server_variables=_variables(variables[name]),
        )
        for name in namespaces
    }


def list_connection_names(catalog: Catalog) -> Mapping[str, Sequence[str]]:
    """
    By which names the APIs of `catalog` are connected: `{namespace: names}`.

    That is the namespace itself, but for workflows over several APIs, which are named one by one.
    """
    found: dict[str, Sequence[str]] = {}
    for namespace in catalog.apis:
        tools = [tool for tool in catalog.built.values() if tool.namespace == namespace]
        parts = [part for tool in tools if tool.handler for part in tool.handler.parts]
        sources = dict.fromkeys(part.namespace for part in parts)
        found[namespace] = [*sources] if len(sources) > 1 else [namespace]
    return found


def group_sources(
    names: Mapping[str, Sequence[str]], connections: Mapping[str, Connection]
) -> Mapping[str, Connection]:
    """One connection a namespace, with those of its sources where there are several."""
    from restwright.calls.auth.connection import Connection

    return {
        namespace: connections[namespace]
        if [*several] == [namespace]
        else Connection(sources={name: connections[name] for name in several})
        for namespace, several in names.items()
    }


def check_choices(catalog: Catalog, connections: Mapping[str, Connection]) -> None:
    """
    Find out before a long run whether every API has the server that was chosen of it.

    Raises:
        MissingServer, RefusedRequest: One has not, or not with these variables.
        UsageError: One is a server of MCP, and something is said of it as of an API.
    """
    from restwright.calls.request.servers import check_server_choice
    from restwright.workspace.servers import check_server_connections

    check_server_connections(catalog, connections)

    for namespace, api in catalog.apis.items():
        given = connections[namespace]
        if any(tool.handler for tool in catalog.built.values() if tool.namespace == namespace):
            continue
        check_server_choice(api, given.server, given.server_variables)


def _header(text: str, *, allow_commands: bool) -> tuple[str, str]:
    name, value = split_header(text, option="--header")
    return name, fill_in_secret(value, allow_commands=allow_commands)


def _variables(texts: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise UsageError(f"{_VARIABLE} takes NAME=VALUE, not {text!r}")
        if name in found:
            raise UsageError(f"{_VARIABLE} {name} is given twice for one document")
        found[name] = value
    return found


def _by_namespace(
    option: str, values: Sequence[str] | None, namespaces: Sequence[str]
) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in namespaces}
    for text in values or ():
        alias, value = split_alias(text)
        if alias is not None and option in _WITH_NAMES and len(namespaces) == 1:
            # `NAME=VALUE` names a scheme or a variable where it does not name the document.
            alias, value = (alias, value) if alias in found else (None, text)
        if alias is None and len(namespaces) > 1:
            raise UsageError(f"{option} needs one of {_listed(namespaces)}= before its value")
        if alias is not None and alias not in found:
            raise UsageError(f"{option}: no document is named {alias} ({_listed(namespaces)})")
        found[alias or namespaces[0]].append(value)
    return found


def _only(option: str, values: Sequence[str]) -> str | None:
    if len(values) > 1:
        raise UsageError(f"{option} is given {len(values)} times for one document")
    return values[0] if values else None


def _listed(namespaces: Sequence[str]) -> str:
    return ", ".join(namespaces)
