"""A world without HTTP: what carries requests of restwright into it."""

from __future__ import annotations

import time
from urllib.parse import parse_qsl, urlsplit

import orjson

from restwright.net.message import Request, Response
from restwright_bench.world.app import World
from restwright_bench.world.exchange import Answer, Received

ORIGIN = "http://world.test"


def inside(world: World, request: Request) -> Response:
    """
    Answer a request of restwright, whatever its host; with `partial()` it is a `Send`.

    What HTTP adds is left out: nothing is compressed, cut or lost.
    """
    started = time.perf_counter()
    parts = urlsplit(request.url)
    received = Received(
        method=request.method,
        path="",
        query=tuple(parse_qsl(parts.query, keep_blank_values=True)),
        headers={name.lower(): value for name, value in request.headers},
        body=request.body,
    )
    answer = world.answer(parts.path, received) or Answer(status=404)
    return Response(
        status=answer.status,
        headers=(*answer.headers.items(), ("content-type", "application/json")),
        body=b"" if answer.body is None else orjson.dumps(answer.body),
        url=request.url,
        elapsed_s=time.perf_counter() - started,
    )
