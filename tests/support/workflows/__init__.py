"""Workflows over a small API of orders."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.net.handlers import JSONHandler, serve_handler

OPENAPI = """\
openapi: 3.1.0
info: {title: Orders, version: "1"}
paths:
  /products:
    get:
      operationId: findProducts
      parameters:
        - {name: name, in: query, schema: {type: string}}
        - {name: X-Shop, in: header, schema: {type: string}}
      responses: {"200": {description: They.}}
  /orders:
    post:
      operationId: addOrder
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [product_id]
              additionalProperties: false
              properties:
                product_id: {type: integer}
                quantity: {type: integer}
                note: {type: [string, "null"]}
                tags: {type: array, items: {type: string}}
      responses: {"201": {description: It.}}
  /orders/{order_id}:
    get:
      operationId: getOrder
      parameters: [{name: order_id, in: path, required: true, schema: {type: integer}}]
      responses: {"200": {description: It.}}
    delete:
      operationId: deleteOrder
      parameters: [{name: order_id, in: path, required: true, schema: {type: integer}}]
      responses: {"204": {description: Gone.}}
  /jobs:
    get:
      operationId: getJob
      responses: {"200": {description: It.}}
"""

HEAD = """\
arazzo: 1.1.0
info: {title: Ordering, version: "1"}
sourceDescriptions: [{name: orders, url: ./orders.yaml, type: openapi}]
workflows:
"""

BUY = """\
  - workflowId: buy
    summary: Order a product by its name.
    inputs:
      type: object
      required: [name]
      properties: {name: {type: string}, quantity: {type: integer}}
    steps:
      - stepId: find
        operationId: findProducts
        parameters: [{name: name, in: query, value: $inputs.name}]
        successCriteria:
          - condition: $statusCode == 200
          - {context: $response.body, condition: "$[?@.stock > 0]", type: jsonpath}
        outputs: {product_id: $response.body#/0/id}
      - stepId: order
        operationId: $sourceDescriptions.orders.addOrder
        requestBody:
          contentType: application/json
          payload:
            product_id: $steps.find.outputs.product_id
            quantity: $inputs.quantity
            note: "for {$inputs.name}"
        successCriteria: [{condition: $statusCode == 201}]
        outputs: {order_id: $response.body#/id, status: $response.body.status}
    outputs: {order_id: $steps.order.outputs.order_id, status: $steps.order.outputs.status}
"""


@dataclass(slots=True)
class Shop:
    """The running API: what came in, and what is answered in turn to `METHOD /path`."""

    url: str
    requests: list[tuple[str, str, Any]] = field(default_factory=list[tuple[str, str, Any]])
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    replies: dict[str, list[tuple[int, Any]]] = field(
        default_factory=dict[str, list[tuple[int, Any]]]
    )

    @property
    def calls(self) -> list[str]:
        """`METHOD /path` of what came in, without queries."""
        return [f"{method} {path.partition('?')[0]}" for method, path, _ in self.requests]


ANSWERS: dict[str, tuple[int, Any]] = {
    "GET /products": (200, [{"id": 7, "name": "mug", "stock": 3}]),
    "POST /orders": (201, {"id": 41, "status": "Open"}),
    "GET /orders/41": (200, {"id": 41, "status": "Open", "product_id": 7}),
    "DELETE /orders/41": (204, None),
    "GET /jobs": (200, {"state": "done"}),
}


@contextmanager
def run_shop() -> Generator[Shop]:
    """Serve `ANSWERS`, and keep what comes in."""

    class Handler(JSONHandler):
        def do_GET(self) -> None:
            body = self.read_body()
            sent = json.loads(body) if body else None
            running.requests.append((self.command, self.path, sent))
            running.headers.append({name.lower(): value for name, value in self.headers.items()})
            place = f"{self.command} {self.path.partition('?')[0]}"
            waiting = running.replies.get(place)
            status, value = waiting.pop(0) if waiting else ANSWERS.get(place, (404, {"no": place}))
            self.answer(value, status)

        do_POST = do_DELETE = do_GET

    with serve_handler(Handler) as url:
        running = Shop(url)
        yield running
