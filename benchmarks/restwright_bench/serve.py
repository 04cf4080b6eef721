"""The world served: until interrupted, for a measurement, or to be fuzzed."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from http.client import HTTPConnection
from urllib.parse import urlsplit

from restwright.cli.render.output import Output
from restwright.jsontypes import JsonObject
from restwright_bench.errors import UnusableChoice
from restwright_bench.policies.run import Credentials
from restwright_bench.policies.scripted import received_of
from restwright_bench.queries.query import Scripted
from restwright_bench.world.api import Api
from restwright_bench.world.app import ADMIN, World
from restwright_bench.world.exchange import Received
from restwright_bench.world.fuzz import fuzzed
from restwright_bench.world.serving import HOST, serving

Served = Sequence[tuple[Api, Credentials]]
REQUESTS = 1_000
MOST_TOLD = 20


def until_interrupted(apis: Served, *, port: int, seed: int, out: Output) -> None:
    """
    Serve, and say what is where.

    Raises:
        UnusableChoice: The port is taken, or may not be used.
    """
    _try(port)
    with serving(World([api for api, _ in apis], seed=seed), port=port) as url:
        _tell(apis, url, out)
        sys.stdout.flush()
        out.note("Press Ctrl-C to stop it.")
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            return


def _try(port: int) -> None:
    with socket.socket(proto=socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
        except OSError as error:
            raise UnusableChoice("--port", f"{port} cannot be used: {error.strerror}") from error


def _tell(apis: Served, url: str, out: Output) -> None:
    told = {api.name: _said(api, let_in, url) for api, let_in in apis}
    admin = {
        "reset": f"POST {url}{ADMIN}/reset",
        "snapshot": f"GET {url}{ADMIN}/snapshot",
        "calls": f"GET {url}{ADMIN}/calls",
    }
    if out.json:
        out.value({"apis": told, "admin": admin})
        return
    for name, each in told.items():
        out.text(f"{name}: {each['url']}, its document at {each['document']}")
        out.text(f"  let in by {each['credentials']}")
    out.text(f"{admin['reset']} begins anew; it takes seed and faults, as in")
    out.text(f"  {EXAMPLE}")
    out.text(f"{admin['snapshot']} is the state, {admin['calls']} the log")


EXAMPLE = '{"seed": 7, "faults": [{"status": 429, "every": 10, "headers": {"Retry-After": "1"}}]}'


def _said(api: Api, let_in: Credentials, url: str) -> JsonObject:
    opened = let_in(Received(method="GET", path="/"))
    query = [f"?{name}={value}" for name, value in opened.query]
    headers = [f"{name.title()}: {value}" for name, value in opened.headers.items()]
    return {
        "url": f"{url}{api.prefix}",
        "document": f"{url}/{api.name}/openapi.json",
        "credentials": " and ".join([*query, *headers]),
    }


def requests_a_second(apis: Served, *, seed: int = 0) -> dict[str, float]:
    """
    `{name: requests a second}` of the reads that need no path, over one kept connection.

    By processor time, so that it is of one core, whatever else runs on the machine; the client
    shares the process, so that its time counts too.
    """
    world = World([api for api, _ in apis], seed=seed)
    with serving(world) as url, closing(HTTPConnection(urlsplit(url).netloc)) as connection:
        return {api.name: _rate(connection, _reads(api), api, let_in) for api, let_in in apis}


def _reads(api: Api) -> list[str]:
    """Paths with their queries: every read that can be called without knowing an id."""
    reads = [each for each in api.routes if each.method == "GET" and "{" not in each.template]
    texts = {"string": "the", "integer": 1}
    found: list[str] = []
    for each in reads:
        needed = [one for one in each.parameters if one.required and one.location == "query"]
        if all(one.schema.get("type") in texts for one in needed):
            query = {one.name: texts[one.schema["type"]] for one in needed}
            call = received_of(Scripted(method="GET", template=each.template, query=query))
            found.append(call.path + "".join(f"?{name}={text}" for name, text in call.query[:1]))
    return found


def _rate(connection: HTTPConnection, paths: Sequence[str], api: Api, let_in: Credentials) -> float:
    headers = dict(let_in(Received(method="GET", path="/")).headers)
    started = time.process_time()
    for number in range(REQUESTS):
        connection.request("GET", f"{api.prefix}{paths[number % len(paths)]}", headers=headers)
        connection.getresponse().read()
    return round(REQUESTS / (time.process_time() - started), 1)


def fuzzed_all(apis: Served, examples: int, *, seed: int = 0) -> JsonObject:
    """`{name: {requests, statuses, failed}}`."""
    found: JsonObject = {}
    # As the document is upgraded: schemathesis refuses bounds that are written as texts.
    upgraded = [replace(api, written=None) for api, _ in apis]
    with serving(World(upgraded, seed=seed)) as url:
        for api, let_in in apis:
            one = fuzzed(f"{url}/{api.name}/openapi.json", let_in, examples=examples)
            found[api.name] = {
                "requests": one.requests,
                "statuses": {str(status): one.statuses[status] for status in sorted(one.statuses)},
                "failed": one.failed[:MOST_TOLD],
            }
    return found
