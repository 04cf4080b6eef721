"""
A worker that wants an access token, which it shares by a database.

`token_worker.py DATABASE SERVER HOW` says `ready`, and asks when it is sent a line; then it prints
the token. HOW is `plain`; `killed` dies when the refresh token was sent, and its answer came;
`stopped` stops itself as by SIGSTOP before that is sent. The key is RESTWRIGHT_JOURNAL_KEY.
"""

from __future__ import annotations

import os
import signal
import sys
from functools import partial

from tests.support.authorization_server import AuthorizationServer
from tests.support.oauth import API, client_of, scheme_of

from restwright.agents.journal.postgres.pool import Database, parse_address
from restwright.agents.journal.postgres.schema import migrate
from restwright.agents.journal.postgres.tokens import PostgresTokens
from restwright.agents.journal.sealing import Contents
from restwright.calls.auth.oauth.driver import obtain_access_token
from restwright.calls.auth.oauth.flows import TokenRequest
from restwright.calls.auth.oauth.token_cache import TokenCache
from restwright.errors import NoToken
from restwright.net.http.transport import Transport
from restwright.net.messages import Request, Response
from restwright.net.secret import Secret

LEASE_S = 1.0


def deliver(send: Transport, how: str, request: Request) -> Response:
    if how == "stopped":
        os.kill(os.getpid(), signal.SIGSTOP)
    response = send(request)
    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    return response


def main(database: str, url: str, how: str) -> None:
    server = AuthorizationServer(url=url)
    contents = Contents("env:RESTWRIGHT_JOURNAL_KEY")
    with Transport() as send:
        base = Database(parse_address(database), prepare=migrate)
        store = PostgresTokens(base, contents, lease_s=LEASE_S)
        client = client_of(
            server, refresh_token=Secret("refresh-canary-0"), tokens=TokenCache(store=store)
        )
        wanted = TokenRequest(client=client, scheme=scheme_of(server), api_origin=API)
        print("ready", flush=True)  # noqa: T201
        sys.stdin.readline()
        try:
            token = obtain_access_token(wanted, partial(deliver, send, how))
            print(token.reveal() if token else None, flush=True)  # noqa: T201
        except NoToken as error:
            print(error, flush=True)  # noqa: T201
        store.close()
        base.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
