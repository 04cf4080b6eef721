"""Connections whose tokens of OAuth are kept in a place that others have too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from restwright.calls.auth.connection import Connection
from restwright.calls.auth.credentials import Auth
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.calls.auth.oauth.token_cache import TokenCache


def share_tokens(
    connections: Mapping[str, Connection], tokens: TokenCache
) -> dict[str, Connection]:
    """Return the same connections, whose clients of authorization servers keep tokens there."""
    return {name: _share(connection, tokens) for name, connection in connections.items()}


def _share(connection: Connection, tokens: TokenCache) -> Connection:
    sources = share_tokens(connection.sources, tokens)
    has_client = any(isinstance(auth, OAuthClient) for auth in connection.auths.values())
    if not has_client and sources == connection.sources:
        return connection
    auth = connection.auth
    if isinstance(auth, Mapping):
        auth = {scheme: _with_tokens(own, tokens) for scheme, own in auth.items()}
    elif auth is not None:
        auth = _with_tokens(auth, tokens)
    return replace(connection, auth=auth, sources=sources)


def _with_tokens(auth: Auth, tokens: TokenCache) -> Auth:
    return replace(auth, tokens=tokens) if isinstance(auth, OAuthClient) else auth
