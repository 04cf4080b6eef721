"""The world over HTTP: its APIs under their prefixes, and an admin channel beside them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from urllib.parse import parse_qsl

import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from restwright.jsontypes import Json, JsonObject
from restwright_bench.world.api import Api, Running
from restwright_bench.world.document import served
from restwright_bench.world.exchange import Answer, Received
from restwright_bench.world.faults import FaultPlan, fault_plan

ADMIN = "/_world"
MOST_BYTES = 1_000_000
"""Of a body; what is longer is read to its end and thrown away."""


class World:
    """
    Some APIs that are answered for together; safe to use from several threads.

    Args:
        apis: With prefixes of which none begins another.
    """

    def __init__(self, apis: Sequence[Api], *, seed: int = 0) -> None:
        self.running: Mapping[str, Running] = {each.name: Running(each, seed=seed) for each in apis}
        self._lock = threading.Lock()

    def answer(self, path: str, received: Received) -> Answer | None:
        """The answer for a whole path; None where no API has its prefix."""
        with self._lock:
            answers = (each.answer_whole(path, received) for each in self.running.values())
            return next((each for each in answers if each is not None), None)

    def reset(self, *, seed: int | None = None, faults: FaultPlan | None = None) -> None:
        """Begin all APIs anew."""
        with self._lock:
            for running in self.running.values():
                running.reset(seed=seed, faults=faults)

    def snapshot(self) -> JsonObject:
        """`{API name: state}`."""
        with self._lock:
            return {name: each.state.snapshot() for name, each in self.running.items()}

    def log(self) -> list[JsonObject]:
        """Every request so far, by API and in order."""
        with self._lock:
            return [asdict(line) for each in self.running.values() for line in each.log]


def app_of(world: World) -> Starlette:
    """
    The world as an ASGI application.

    Beside the APIs: `GET /NAME/openapi.json` (the document as it is served), and under `/_world`
    `POST reset` (`{"seed", "faults"}`, both optional), `GET snapshot` and `GET calls`.
    """
    admin = Admin(world)
    documents = [
        Route(f"/{name}/openapi.json", admin.document, methods=["GET"]) for name in world.running
    ]
    app = Starlette(
        routes=[
            *documents,
            Route(f"{ADMIN}/reset", admin.reset, methods=["POST"]),
            Route(f"{ADMIN}/snapshot", admin.snapshot, methods=["GET"]),
            Route(f"{ADMIN}/calls", admin.calls, methods=["GET"]),
        ]
    )
    app.router.default = Front(world)
    return app


class Front:
    """Everything that is not of the admin channel."""

    def __init__(self, world: World) -> None:
        self.world = world

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request of an API."""
        request = Request(scope, receive)
        body = await _body_of(request)
        if body is None:
            too_large = Answer(status=413, body={"message": f"more than {MOST_BYTES} bytes"})
            await _response(too_large)(scope, receive, send)
            return
        path = (scope.get("raw_path") or scope["path"].encode()).decode("ascii", "replace")
        answer = self.world.answer(path, _received(request, body))
        if answer is None:
            answer = Answer(status=404, body={"message": "no API is under this path"})
        # Others are answered meanwhile.
        await asyncio.sleep(answer.delay_s)
        await _response(answer)(scope, receive, send)


async def _body_of(request: Request) -> bytes | None:
    """The body; None where it is too large."""
    kept = bytearray()
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size <= MOST_BYTES:
            kept += chunk
    return bytes(kept) if size <= MOST_BYTES else None


def _received(request: Request, body: bytes) -> Received:
    query = request.scope["query_string"].decode("ascii", "replace")
    return Received(
        method=request.method,
        path="",
        query=tuple(parse_qsl(query, keep_blank_values=True)),
        headers={name.lower(): value for name, value in request.headers.items()},
        body=body,
    )


class Admin:
    """What drives the world from outside of its APIs."""

    def __init__(self, world: World) -> None:
        self.world = world

    async def document(self, request: Request) -> Response:
        """The document of an API, with the URL under which it is served."""
        name = request.url.path.split("/")[1]
        api = self.world.running[name].api
        root = f"{request.url.scheme}://{request.url.netloc}"
        return _json(served(api.written or api.document, f"{root}{api.prefix}"))

    async def reset(self, request: Request) -> Response:
        """Begin anew; with another seed or other faults where the body says so."""
        try:
            seed, faults = _told(await request.body())
        except (ValueError, TypeError) as error:
            return _json({"message": str(error)}, status=400)
        self.world.reset(seed=seed, faults=faults)
        return _json({"seeds": {name: each.seed for name, each in self.world.running.items()}})

    async def snapshot(self, _request: Request) -> Response:
        """The state of every API."""
        return _json(self.world.snapshot())

    async def calls(self, _request: Request) -> Response:
        """The log."""
        return _json(self.world.log())


def _told(body: bytes) -> tuple[int | None, FaultPlan | None]:
    told: Json = orjson.loads(body or b"{}")
    if not isinstance(told, dict):
        raise TypeError("a reset takes an object with `seed` and `faults`")
    seed, faults = told.get("seed"), told.get("faults")
    if seed is not None and not isinstance(seed, int):
        raise TypeError("a seed is an integer")
    return seed, None if faults is None else fault_plan(faults)


def _json(value: Json, *, status: int = 200) -> Response:
    return Response(orjson.dumps(value), status, media_type="application/json")


def _response(answer: Answer) -> Response:
    headers = dict(answer.headers)
    if answer.body is None:
        return Response(status_code=answer.status, headers=headers)
    return Response(answer.content, answer.status, headers, media_type=answer.media_type)
