"""Connections whose tokens are kept elsewhere are the same connections in all else."""

from __future__ import annotations

from restwright.calls.auth.connection import Connection
from restwright.calls.auth.credentials import Basic
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.calls.auth.oauth.token_cache import TokenCache
from restwright.calls.auth.shared_tokens import share_tokens


def test_only_clients_of_authorization_servers_have_other_tokens() -> None:
    tokens = TokenCache()
    client = OAuthClient(client_id="shop", client_secret="env:SECRET", user="mira")
    plain = Connection("https://a.test", auth=Basic("mira", "env:PASSWORD"))
    given = {
        "one": Connection("https://b.test", headers={"A": "b"}, auth=client),
        "several": Connection(auth={"login": client, "key": "env:KEY"}),
        "parts": Connection(sources={"one": Connection(auth=client)}),
        "plain": plain,
        "none": Connection(),
    }
    found = share_tokens(given, tokens)
    assert found == given
    assert found["plain"] is plain
    for connection in (found["one"], found["several"], found["parts"].sources["one"]):
        clients = [auth for auth in connection.auths.values() if isinstance(auth, OAuthClient)]
        assert [client.tokens for client in clients] == [tokens]
        assert all(client.tokens is tokens for client in clients)
    assert client.tokens is not tokens
