"""A workflow is a tool: its steps are checked, approved and sent as any other call."""

from __future__ import annotations

import anyio
import pytest
from tests.support.workflows import BUY

import restwright as rw
from restwright.stepping import drive
from restwright.tools.tool import ToolStep
from restwright.workflows import load_workflows


def call(path: str, name: str, arguments, shop, **options):
    tools = load_workflows(path)
    tool = tools.find(name)
    assert tool is not None
    options = {"policy": rw.Policy(default="allow"), **options}
    return rw.call(tool, arguments, connection=rw.Connection(shop.url), **options)


def test_values_go_from_step_to_step_and_the_outputs_are_the_value(write, shop):
    result = call(write(), "buy", {"name": "mug", "quantity": 2}, shop)
    assert (result.kind, result.value) == ("ok", {"order_id": 41, "status": "Open"})
    assert result.effect == "done"
    assert shop.requests == [
        ("GET", "/products?name=mug", None),
        ("POST", "/orders", {"product_id": 7, "quantity": 2, "note": "for mug"}),
    ]


def test_an_input_that_was_not_given_is_left_out(write, shop):
    call(write(), "buy", {"name": "mug"}, shop)
    assert shop.requests[1][2] == {"product_id": 7, "note": "for mug"}


def test_without_outputs_of_its_own_those_of_the_last_step_are_the_value(write, shop):
    inner, outputs = BUY.split("    outputs: {order_id: $steps")
    assert outputs
    result = call(write(inner), "buy", {"name": "mug"}, shop)
    assert result.value == {"order_id": 41, "status": "Open"}


def test_an_input_that_is_not_declared_is_added_whole(write, shop):
    undeclared = BUY.replace("$inputs.quantity", "$inputs.wish.quantity.least")
    arguments = {"name": "mug", "wish": {"quantity": {"least": 3}}}
    assert call(write(undeclared), "buy", arguments, shop).ok
    assert shop.requests[1][2]["quantity"] == 3


def test_arguments_are_checked_against_the_inputs(write, shop):
    result = call(write(), "buy", {"quantity": "many"}, shop)
    assert result.kind == "mismatch"
    assert "name" in result.text
    assert shop.requests == []


def test_a_step_whose_criteria_do_not_hold_ends_the_run(write, shop):
    shop.replies["GET /products"] = [(200, [{"id": 7, "stock": 0}])]
    result = call(write(), "buy", {"name": "mug"}, shop)
    assert (result.kind, result.effect) == ("http_error", "none")
    assert "step find: $[?@.stock > 0] does not hold" in result.text
    assert shop.calls == ["GET /products"]


def test_a_value_that_a_step_did_not_give_ends_the_run_before_the_write(write, shop):
    shop.replies["GET /products"] = [(200, [{"stock": 9}])]
    result = call(write(), "buy", {"name": "mug"}, shop)
    assert "step order was not taken: $steps.find.outputs.product_id has no value" in result.text
    assert shop.calls == ["GET /products"]


def test_arguments_of_a_step_are_checked_before_they_are_sent(write, shop):
    shop.replies["GET /products"] = [(200, [{"id": "seven", "stock": 9}])]
    result = call(write(), "buy", {"name": "mug"}, shop)
    assert result.kind == "mismatch"
    assert "product_id" in result.text
    assert shop.calls == ["GET /products"]


def test_each_write_is_asked_about_as_it_is_sent(write, shop):
    asked = []

    def approve(tool, request):
        asked.append((tool.operation_name, request.method, request.body))
        return True

    result = call(write(), "buy", {"name": "mug"}, shop, policy=rw.Policy(), approve=approve)
    assert result.ok
    assert asked == [("addOrder", "POST", b'{"product_id":7,"note":"for mug"}')]


def test_a_write_that_is_not_approved_ends_the_run(write, shop):
    result = call(write(), "buy", {"name": "mug"}, shop, policy=rw.Policy())
    assert (result.kind, result.effect) == ("refused", "none")
    assert shop.calls == ["GET /products"]


def test_nothing_is_begun_that_the_policy_does_not_let_end(write, shop):
    result = call(write(), "buy", {"name": "mug"}, shop, policy=rw.Policy(default="read-only"))
    assert result.kind == "refused"
    assert shop.requests == []


def test_a_policy_may_allow_the_write_of_a_step_by_its_name(write, shop):
    policy = rw.Policy(tools={"addOrder": "allow", "buy": "allow"})
    assert call(write(), "buy", {"name": "mug"}, shop, policy=policy).ok


def test_where_the_workflow_is_asked_about_its_allowed_writes_are_too(write, shop):
    policy = rw.Policy(tools={"addOrder": "allow", "buy": "ask"})
    assert call(write(), "buy", {"name": "mug"}, shop, policy=policy).kind == "refused"


def test_a_workflow_of_reads_is_a_read(write):
    tools = load_workflows(write(BUY + POLL))
    assert [tool.is_read for tool in tools.tools] == [False, True]


def test_the_same_from_an_event_loop(write, shop):
    tool = load_workflows(write()).find("buy")
    assert tool is not None

    async def run() -> rw.Result:
        allowed = rw.Policy(default="allow")
        to = rw.Connection(shop.url)
        return await rw.call_async(tool, {"name": "mug"}, connection=to, policy=allowed)

    result = anyio.run(run)
    assert result.value == {"order_id": 41, "status": "Open"}


POLL = """\
  - workflowId: wait
    steps:
      - stepId: look
        operationId: getJob
        successCriteria: [{condition: "$statusCode == 200 && $response.body.state == 'DONE'"}]
        onFailure:
          - {name: again, type: retry, retryAfter: 0, retryLimit: 2}
          - name: sad
            type: goto
            stepId: explain
            criteria: [{condition: "$response.body#/state == 'broken'"}]
        onSuccess: [{name: good, type: end}]
        outputs: {state: $response.body#/state}
      - stepId: explain
        operationId: findProducts
        outputs: {first: $response.body#/0/name}
    outputs: {state: $steps.look.outputs.state, instead: $steps.explain.outputs.first}
"""


def test_a_failed_step_is_retried_as_often_as_its_action_says(write, shop):
    shop.replies["GET /jobs"] = [(200, {"state": "busy"}), (503, {})]
    result = call(write(POLL), "wait", {}, shop)
    assert (result.kind, result.value) == ("ok", {"state": "done"})
    assert shop.calls == ["GET /jobs"] * 3


def test_after_the_last_retry_the_next_action_holds(write, shop):
    shop.replies["GET /jobs"] = [(200, {"state": "broken"})] * 3
    result = call(write(POLL), "wait", {}, shop)
    assert result.value == {"state": "broken", "instead": "mug"}
    assert shop.calls == ["GET /jobs"] * 3 + ["GET /products"]


def test_with_no_action_left_the_run_fails(write, shop):
    shop.replies["GET /jobs"] = [(200, {"state": "busy"})] * 3
    result = call(write(POLL), "wait", {}, shop)
    assert result.kind == "http_error"
    assert "step look: " in result.text


AGAIN = """\
  - workflowId: insist
    steps:
      - stepId: order
        operationId: addOrder
        requestBody: {payload: {product_id: 1}}
        onFailure: [{name: again, type: retry, retryLimit: 5}]
"""


def test_a_write_that_may_have_taken_effect_is_never_repeated(write, shop):
    shop.replies["POST /orders"] = [(503, {})] * 5
    result = call(write(AGAIN), "insist", {}, shop)
    assert (shop.calls, result.effect) == (["POST /orders"], "unknown")


def test_a_write_that_was_refused_by_the_server_may_be_retried(write, shop):
    shop.replies["POST /orders"] = [(429, {}), (409, {})]
    assert call(write(AGAIN), "insist", {}, shop).ok
    assert shop.calls == ["POST /orders"] * 3


def test_what_took_effect_before_a_failure_is_said(write, shop):
    failing = BUY.replace("$statusCode == 201", "$statusCode == 200")
    result = call(write(failing), "buy", {"name": "mug"}, shop)
    assert result.effect == "done"
    assert "some of it took effect" in result.text


LOOP = """\
  - workflowId: circle
    steps:
      - {stepId: look, operationId: getJob, onSuccess: [{name: on, type: goto, stepId: look}]}
"""


def test_a_circle_ends(write):
    tool = load_workflows(write(LOOP)).find("circle")
    assert tool is not None
    assert tool.handler is not None
    assert tool.handler.make_steps is not None
    calls: list[ToolStep] = []

    def answer(step: ToolStep) -> rw.Result:
        calls.append(step)
        return rw.Result(kind="ok", response=rw.Response(status=200))

    ended = drive(tool.handler.make_steps({}), answer)
    assert "200 calls were made" in ended.error
    assert len(calls) == 200


NESTED = (
    BUY
    + """\
  - workflowId: swap
    inputs: {type: object, properties: {old: {type: integer}, name: {type: string}}}
    steps:
      - stepId: new
        workflowId: buy
        parameters: [{name: name, value: $inputs.name}, {name: quantity, value: 1}]
        outputs: {id: $outputs.order_id}
      - stepId: drop
        operationPath: "{$sourceDescriptions.orders.url}#/paths/~1orders~1{order_id}/delete"
        parameters: [{name: order_id, in: path, value: $inputs.old}]
        successCriteria: [{context: $statusCode, condition: "^2", type: regex}]
    outputs: {id: $steps.new.outputs.id, note: $workflows.buy.outputs.status}
"""
)


def test_a_step_may_run_another_workflow(write, shop):
    result = call(write(NESTED), "swap", {"old": 41, "name": "mug"}, shop)
    assert result.value == {"id": 41, "note": "Open"}
    assert shop.calls == ["GET /products", "POST /orders", "DELETE /orders/41"]


def test_a_workflow_that_deletes_is_destructive(write):
    tool = load_workflows(write(NESTED)).find("swap")
    assert rw.Policy().class_of(tool) == "destructive"


TEXTS = """\
  - workflowId: order
    inputs: {type: object, properties: {id: {type: integer}, tags: {type: array}}}
    steps:
      - stepId: order
        operationId: addOrder
        requestBody:
          contentType: application/json
          payload: %s
          replacements: [{target: /note, value: "n {$inputs.id}"}]
"""


@pytest.mark.parametrize(
    "payload",
    [
        '\'{"product_id": "{$inputs.id}", "tags": "{$inputs.tags}"}\'',
        '\'{"product_id": {$inputs.id}, "tags": {$inputs.tags}}\'',
        "{product_id: $inputs.id, tags: $inputs.tags}",
    ],
    ids=["quoted", "bare", "value"],
)
def test_a_payload_is_a_value_or_the_text_of_one(write, shop, payload):
    result = call(write(TEXTS % payload), "order", {"id": 3, "tags": ["a"]}, shop)
    assert result.ok, result.text
    assert shop.requests[0][2] == {"product_id": 3, "tags": ["a"], "note": "n 3"}


def test_credentials_go_to_the_server_of_the_connection(write, shop, monkeypatch):
    monkeypatch.setenv("ORDERS_TOKEN", "t0ps3cret")
    tool = load_workflows(write()).find("buy")
    connection = rw.Connection(shop.url, headers={"X-Key": "k"})
    rw.call(tool, {"name": "mug"}, connection=connection, policy=rw.Policy(default="allow"))
    assert [headers["x-key"] for headers in shop.headers] == ["k", "k"]


LEAK = """\
  - workflowId: leak
    steps:
      - stepId: look
        operationId: getJob
        outputs: {key: $request.header.X-Key, url: $url, status: $statusCode}
    outputs: {key: $steps.look.outputs.key, status: $steps.look.outputs.status}
"""


def test_expressions_do_not_see_what_the_connection_adds(write, shop):
    tool = load_workflows(write(LEAK)).find("leak")
    result = rw.call(tool, {}, connection=rw.Connection(shop.url, headers={"X-Key": "s3cr3t"}))
    assert result.value == {"status": 200}
