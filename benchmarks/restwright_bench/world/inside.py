"""A world without HTTP: what carries requests of restwright into it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from restwright.net.messages import Request, Response
from restwright_bench.world.exchange import Answer, Received

ORIGIN = "http://world.test"


@dataclass(frozen=True, slots=True)
class Inside:
    """
    A `Send` that hands requests to a world, whatever host they name.

    What HTTP adds is left out: nothing is compressed or lost.

    Args:
        answer: `World.answer`, or `Running.answer_whole` for one API.
    """

    answer: Callable[[str, Received], Answer | None]

    def __call__(self, request: Request) -> Response:
        """Answer one request."""
        started = time.perf_counter()
        answer = self.answer(urlsplit(request.url).path, _received(request)) or Answer(status=404)
        time.sleep(answer.delay_s)
        return Response(
            status=answer.status,
            headers=(*answer.headers.items(), ("content-type", answer.media_type)),
            body=answer.content,
            url=request.url,
            elapsed_s=time.perf_counter() - started,
        )


def _received(request: Request) -> Received:
    query = urlsplit(request.url).query
    return Received(
        method=request.method,
        path="",
        query=tuple(parse_qsl(query, keep_blank_values=True)),
        headers={name.lower(): value for name, value in request.headers},
        body=request.body,
    )
