"""Workflows over a small API of orders."""

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
