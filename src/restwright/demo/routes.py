"""The HTTP edge: from a request to an operation of the shop, and from its outcome to JSON."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from restwright.demo import cart, customers, orders, products
from restwright.demo.document import Operation, openapi, operations
from restwright.demo.inputs import read_body, read_query
from restwright.demo.refusal import Refusal
from restwright.demo.session import Session
from restwright.jsontypes import Json, JsonObject

_MAX_BODY_BYTES = 100_000
_HANDLERS: Mapping[str, Callable[[Session, JsonObject], JsonObject]] = {
    handler.__name__: handler
    for handler in (
        *(products.list_categories, products.list_products, products.get_product),
        *(products.list_reviews, products.create_review),
        *(cart.get_cart, cart.add_cart_item, cart.update_cart_item, cart.remove_cart_item),
        *(orders.list_orders, orders.create_order, orders.get_order, orders.cancel_order),
        *(orders.get_payment, orders.pay_order, orders.get_shipment),
        *(customers.get_customer, customers.update_customer),
        *(customers.list_addresses, customers.add_address, customers.update_address),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Edge:
    session: Session
    token: str

    def answer(self, operation: Operation, request: Request, body: bytes) -> Response:
        if operation.secured:
            self._require_token(request)
        inputs = _inputs(operation, request, body)
        with self.session.database.transaction():
            outcome = _HANDLERS[operation.operation_id](self.session, inputs)
        return _json(outcome, operation.status)

    def _require_token(self, request: Request) -> None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        right = secrets.compare_digest(token.strip().encode(), self.token.encode())
        if scheme.lower() != "bearer" or not right:
            message = "Send the access token in the header `Authorization: Bearer TOKEN`."
            raise Refusal(401, "unauthorized", message, field="Authorization")


def application(session: Session, *, token: str, url: str) -> Starlette:
    """The ASGI application that serves every operation of the document, at base URL `url`."""
    edge = _Edge(session=session, token=token)
    by_path: dict[str, dict[str, Operation]] = {}
    for operation in operations():
        by_path.setdefault(operation.path, {})[operation.method] = operation
    document = _json(openapi(url), 200).body

    async def serve_document(_: Request) -> Response:
        return Response(document, media_type="application/json")

    return Starlette(
        routes=[
            Route("/openapi.json", serve_document),
            *(_route(edge, path, methods) for path, methods in by_path.items()),
        ],
        exception_handlers={
            Refusal: _refusal,
            ClientDisconnect: _gone,
            HTTPException: _http_error,
            Exception: _server_error,
        },
    )


def _route(edge: _Edge, path: str, methods: Mapping[str, Operation]) -> Route:
    async def endpoint(request: Request) -> Response:
        # Operations run on the event loop, one after the other: they take well under a
        # millisecond, and nothing of the shop has to be made safe against another thread.
        operation = methods["GET" if request.method == "HEAD" else request.method]
        return edge.answer(operation, request, await _body(request))

    return Route(path, endpoint, methods=list(methods))


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_BODY_BYTES:
            message = f"The body is too long; send at most {_MAX_BODY_BYTES} bytes."
            raise Refusal(413, "content_too_large", message)
    return bytes(body)


def _inputs(operation: Operation, request: Request, body: bytes) -> JsonObject:
    inputs = read_query(request.query_params.multi_items(), operation.query)
    if operation.body:
        inputs |= read_body(body, operation.body)
    return inputs | request.path_params


def _json(value: Json, status: int, headers: Mapping[str, str] | None = None) -> Response:
    content = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(content.encode(), status, headers, media_type="application/json")


def _refused(refusal: Refusal) -> Response:
    headers = {"WWW-Authenticate": "Bearer"} if refusal.status == 401 else None
    return _json(refusal.body, refusal.status, headers)


async def _refusal(_: Request, error: Exception) -> Response:
    if not isinstance(error, Refusal):
        raise error
    return _refused(error)


async def _gone(_: Request, error: Exception) -> Response:
    """Nobody reads this: the client left before its request was complete."""
    return Response(status_code=400)


async def _http_error(request: Request, error: Exception) -> Response:
    """What the router refuses by itself: unknown paths and methods."""
    if isinstance(error, HTTPException) and error.status_code == 405:
        allowed = ", ".join(sorted((error.headers or {})["Allow"].split(", ")))
        message = f"{request.method} is not allowed here; use {allowed}."
        refusal = Refusal(405, "method_not_allowed", message)
        return _json(refusal.body, 405, {"Allow": allowed})
    message = f"There is nothing at {request.url.path[:80]}; see /openapi.json for the paths."
    return _refused(Refusal(404, "not_found", message))


async def _server_error(_: Request, error: Exception) -> Response:
    message = f"The shop failed ({type(error).__name__}); try again."
    return _refused(Refusal(500, "internal_error", message))
