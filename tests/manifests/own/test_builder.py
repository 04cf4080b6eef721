"""Agents of manifests with scripted models: what they are told, offered, and allowed to send."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.planned import FittingModel, code, filled, planned, select, worded

from restwright.agents.agent import Agent
from restwright.agents.steps import Answer
from restwright.calls.approval.approval import approve_all, refuse_all
from restwright.calls.auth.connection import Connection
from restwright.calls.call import call
from restwright.demo.server import running
from restwright.errors import UnusableManifest
from restwright.jsontypes import JsonObject
from restwright.manifests.functions.code_calls import CodeAnswer, CodeCall
from restwright.manifests.own.builder import AgentBlueprint, build_blueprint, make_manifest_agent
from restwright.manifests.own.loader import load_manifest
from restwright.manifests.session.driver import SessionDriver
from restwright.manifests.session.session import HandoffRequest, ManifestSession
from restwright.net.messages import Request
from restwright.testing import (
    RecordingTransport,
    Reply,
    ScriptedModel,
    document,
    never,
    reply,
)
from restwright.tools.tool import Tool

ORDERS: dict[str, Any] = document(
    {
        "/orders": {
            "get": {
                "operationId": "list_orders",
                "summary": "List orders.",
                "parameters": [
                    {
                        "name": "shop_id",
                        "in": "query",
                        "required": True,
                        "schema": {"type": "integer"},
                    },
                    {"name": "status", "in": "query", "schema": {"type": "string"}},
                ],
                "responses": {
                    "200": {
                        "description": "They.",
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "object",
                                    "properties": {"items": {"type": "array", "items": {}}},
                                }
                            }
                        },
                    }
                },
            },
            "post": {
                "operationId": "add_order",
                "summary": "Add an order.",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "required": ["shop_id", "what"],
                                "properties": {
                                    "shop_id": {"type": "integer"},
                                    "what": {"type": "string"},
                                },
                            }
                        }
                    },
                },
                "responses": {"201": {"description": "It."}},
            },
        },
        "/orders/{order_id}": {
            "delete": {
                "operationId": "drop_order",
                "summary": "Drop an order.",
                "parameters": [{"name": "order_id", "in": "path", "required": True}],
                "responses": {"204": {"description": "Gone."}},
            }
        },
    }
)
BODY = {"items": [{"what": "tea", "internal": "t0ps3cret"}]}


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., AgentBlueprint]:
    (tmp_path / "orders.json").write_text(json.dumps(ORDERS), "utf-8")

    def made(text: str, name: str = "agent.yaml", **options: Any) -> AgentBlueprint:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return build_blueprint(load_manifest(path), **options)

    return made


def manifest(api: str = "", more: str = "") -> str:
    return (
        "title: Orders\nprompt: Speak like a pirate.\nagent: calling\n"
        f"apis:\n  - document: orders.json\n    alias: shop\n{api}{more}"
    )


def selected(*names: str) -> Reply:
    tools = [{"reason": "r", "name": f"shop__{each}"} for each in names]
    return ("selector", {"tools": tools, "answer": ""})


def called(name: str, **arguments: Any) -> Reply:
    return ("caller", {"calls": [{"tool": f"shop__{name}", "arguments": arguments}]})


DONE: tuple[Reply, ...] = (("caller", {"calls": []}), ("describer", {"answer": "Tea, arr."}))


def asked(
    made: AgentBlueprint, *script: Reply, **more: Any
) -> tuple[Answer, ScriptedModel, RecordingTransport]:
    model, send = FittingModel(script), RecordingTransport(lambda request: reply(200, BODY))
    agent = made.agent(model, send=send, **{"approve": approve_all, **more})
    return agent.ask("What was ordered?"), model, send


def prompts(model: ScriptedModel) -> str:
    return json.dumps([[each.text for each in asked.messages] for asked in model.asked])


def test_an_agent_of_four_lines_answers(make: Callable[..., AgentBlueprint]) -> None:
    made = make("title: Orders\nprompt: Be brief.\nagent: calling\napis: [orders.json]\n")
    [namespace] = made.catalog.apis
    tools = [{"reason": "r", "name": f"{namespace}__list_orders"}]
    call = {"tool": f"{namespace}__list_orders", "arguments": {"shop_id": 7}}
    answer, _, send = asked(
        made, ("selector", {"tools": tools, "answer": ""}), ("caller", {"calls": [call]}), *DONE
    )
    assert (answer.text, answer.stopped) == ("Tea, arr.", "answered")
    assert [each.url for each in send.sent] == ["https://api.example.test/orders?shop_id=7"]


def test_the_prompt_is_told_to_who_puts_things_in_words(
    make: Callable[..., AgentBlueprint],
) -> None:
    _, model, _ = asked(
        make(manifest()), selected("list_orders"), called("list_orders", shop_id=1), *DONE
    )
    told = {each.role: "like a pirate" in each.messages[0].text for each in model.asked}
    assert told == {"selector": False, "caller": True, "describer": True}


def test_fixed_arguments_are_sent_and_no_model_sees_them(
    make: Callable[..., AgentBlueprint],
) -> None:
    made = make(manifest("    fixed: {shop_id: 4711}\n"))
    answer, model, send = asked(
        made, selected("list_orders"), called("list_orders", status="open"), *DONE
    )
    assert answer.stopped == "answered"
    assert [each.url for each in send.sent] == [
        "https://api.example.test/orders?status=open&shop_id=4711"
    ]
    assert "shop_id" not in prompts(model)
    assert "4711" not in prompts(model)


def test_a_fixed_argument_may_be_of_a_body_and_of_one_operation(
    make: Callable[..., AgentBlueprint],
) -> None:
    made = make(manifest("    fixed: {add_order: {shop_id: 4711}}\n"))
    _, model, send = asked(made, selected("add_order"), called("add_order", what="tea"), *DONE)
    assert json.loads(send.sent[0].body) == {"shop_id": 4711, "what": "tea"}
    assert "4711" not in prompts(model)
    assert "shop_id" in made.offered["shop__list_orders"].checks["properties"]


def test_a_model_cannot_change_what_is_fixed(make: Callable[..., AgentBlueprint]) -> None:
    made = make(manifest("    fixed: {shop_id: 4711}\n"))
    _, _, send = asked(
        made,
        selected("list_orders"),
        called("list_orders", shop_id=1),
        called("list_orders"),
        *DONE,
    )
    assert [each.url for each in send.sent] == ["https://api.example.test/orders?shop_id=4711"]


def test_what_is_picked_is_all_that_is_read(make: Callable[..., AgentBlueprint]) -> None:
    made = make(manifest("    pick: {list_orders: 'items[].what'}\n"))
    _, model, _ = asked(made, selected("list_orders"), called("list_orders", shop_id=1), *DONE)
    assert "tea" in prompts(model)
    assert "t0ps3cret" not in prompts(model)


def test_include_and_exclude_say_what_is_offered(make: Callable[..., AgentBlueprint]) -> None:
    assert list(make(manifest("    include: ['*_order']\n    exclude: drop_*\n")).catalog) == [
        "shop__add_order"
    ]
    made = make(manifest("    include: [list_orders, nothing]\n"))
    assert list(made.catalog.entries) == ["shop__list_orders"]
    assert [(each.pointer, each.what) for each in made.problems] == [
        ("/apis/0/include", "line 7: nothing is the name of no operation of shop")
    ]
    assert list(make(manifest("    read_only: true\n")).catalog.entries) == ["shop__list_orders"]
    assert list(make(manifest(), read_only=True).catalog.entries) == ["shop__list_orders"]


def test_an_overlay_is_applied(make: Callable[..., AgentBlueprint], tmp_path: Path) -> None:
    actions = [{"target": "$.paths.*.delete", "remove": True}]
    overlay = {"overlay": "1.1.0", "info": {"title": "t", "version": "1"}, "actions": actions}
    (tmp_path / "ours.json").write_text(json.dumps(overlay), "utf-8")
    made = make(manifest("    overlay: ours.json\n"))
    assert "shop__drop_order" not in made.catalog.entries


@pytest.mark.parametrize(
    ("api", "why"),
    [
        ("fixed: {shop: 1}", "no operation of shop has an input shop"),
        ("fixed: {list_orders: {shop: 1}}", "has no input shop; did you mean shop_id?"),
        ("fixed: {shop_id: many}", "shop__add_order does not take shop_id as it is given"),
        ("fixed: {list_order: {shop_id: 1}}", "no operation list_order; did you mean list_orders"),
        ("pick: {nothing: a}", "shop has no operation nothing"),
    ],
)
def test_what_does_not_fit_the_api_is_refused_with_its_line(
    make: Callable[..., AgentBlueprint], api: str, why: str
) -> None:
    with pytest.raises(UnusableManifest) as caught:
        make(manifest(f"    {api}\n"))
    assert why in caught.value.why
    key = api.partition(":")[0]
    assert (caught.value.line, caught.value.pointer) == (7, f"/apis/0/{key}")


def test_one_document_twice_needs_aliases(make: Callable[..., AgentBlueprint]) -> None:
    with pytest.raises(UnusableManifest, match="give each an `alias`") as caught:
        make("apis:\n  - orders.json\n  - orders.json\n")
    assert (caught.value.line, caught.value.pointer) == (3, "/apis/1")
    two = "apis:\n  - {document: orders.json, alias: a}\n  - {document: orders.json, alias: b}\n"
    assert [*make(two).catalog.apis] == ["a", "b"]


def decisions(made: AgentBlueprint) -> list[str]:
    names = ("list_orders", "add_order", "drop_order")
    return [made.policy.decision(made.catalog[f"shop__{each}"]) for each in names]


@pytest.mark.parametrize(
    ("api", "whole", "careful", "yes"),
    [
        ("", "", ["allow", "ask", "ask"], ["allow", "allow", "allow"]),
        ("", "policy: confirm\n", ["allow", "ask", "ask"], ["allow", "allow", "allow"]),
        ("", "policy: allow\n", ["allow", "ask", "ask"], ["allow", "allow", "allow"]),
        (
            "    policy: read-only\n",
            "",
            ["allow", "refuse", "refuse"],
            ["allow", "refuse", "refuse"],
        ),
        (
            "    policy: {tools: {drop_*: refuse, add_order: ask}}\n",
            "policy: allow\n",
            ["allow", "ask", "refuse"],
            ["allow", "ask", "refuse"],
        ),
        (
            "    policy: {tools: {drop_*: read, list_*: ask}}\n",
            "",
            ["ask", "ask", "ask"],
            ["ask", "allow", "allow"],
        ),
    ],
)
def test_the_strictest_of_manifest_and_user_holds(
    make: Callable[..., AgentBlueprint], api: str, whole: str, careful: list[str], yes: list[str]
) -> None:
    assert decisions(make(manifest(api, whole))) == careful
    assert decisions(make(manifest(api, whole), yes=True)) == yes


def ending_orders() -> JsonObject:
    operation = {"operationId": "cancelOrders", "responses": {"200": {"description": "ok"}}}
    override = {"name": "_method", "in": "query", "schema": {"type": "string"}}
    return document(
        {
            "/cancel": {"get": operation},
            "/any": {"get": {**operation, "operationId": "any", "parameters": [override]}},
            "/orders": {"post": {**operation, "operationId": "find"}},
        }
    )


@pytest.mark.parametrize(
    ("rules", "decisions"),
    [
        ("", ["ask", "ask", "ask"]),
        ("policy: {tools: {'*': read}}\n", ["allow", "ask", "ask"]),
        ("policy: {tools: {cancelOrders: read}}\n", ["allow", "ask", "ask"]),
        ("policy: {tools: {cancelOrders: destructive}}\n", ["ask", "ask", "ask"]),
    ],
)
def test_a_manifest_says_what_a_safe_method_does_and_denies_no_other(
    make: Callable[..., AgentBlueprint], tmp_path: Path, rules: str, decisions: list[str]
) -> None:
    (tmp_path / "ends.json").write_text(json.dumps(ending_orders()), "utf-8")
    text = f"title: Ends\nagent: calling\napis:\n  - {{document: ends.json, alias: ends}}\n{rules}"
    made = make(text)
    names = ("cancelOrders", "any", "find")
    tools = [made.catalog[f"ends__{each}"] for each in names]
    assert [made.policy.decision(each) for each in tools] == decisions
    is_read = made.policy.class_of(tools[0]) == "read"
    assert is_read == (decisions[0] == "allow")
    if is_read:
        kept = make(text, read_only=True)
        assert [*kept.catalog.entries] == ["ends__cancelOrders"]


def test_a_write_that_a_manifest_allows_is_asked_about(make: Callable[..., AgentBlueprint]) -> None:
    script = (selected("drop_order"), called("drop_order", order_id="7"))
    _, _, send = asked(make(manifest(more="policy: allow\n")), *script, approve=refuse_all)
    assert send.sent == []


def test_credentials_and_headers_come_by_reference(
    make: Callable[..., AgentBlueprint], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORDERS_KEY", "t0ps3cret")
    api = "    server: https://b.test\n    headers: {X-Key: 'Key env:ORDERS_KEY'}\n"
    made = make(manifest(api))
    _, _, send = asked(made, selected("list_orders"), called("list_orders", shop_id=1), *DONE)
    [sent] = send.sent
    assert sent.url == "https://b.test/orders?shop_id=1"
    assert ("X-Key", "Key t0ps3cret") in sent.headers
    assert "t0ps3cret" not in repr(made)


def test_limits_are_those_of_the_manifest(make: Callable[..., AgentBlueprint]) -> None:
    made = make(manifest(more="limits: {model_calls: 1, x-why: small}\n"))
    answer, _, _ = asked(made, selected("list_orders"))
    assert (answer.stopped, made.limits.calls) == ("limit", 25)


def test_a_manifest_without_tools_is_one_reply(make: Callable[..., AgentBlueprint]) -> None:
    made = make("title: Review\nprompt: Review the code.\n")
    answer, model, _ = asked(made, ("answer", "Looks good."))
    assert answer.text == "Looks good."
    assert [each.text for each in model.asked[0].messages] == [
        "Review the code.",
        "What was ordered?",
    ]


FUNCTION = """
functions:
  - name: greet
    description: Greet somebody.
    parameters: {type: object, properties: {who: {type: string}}, required: [who]}
actions:
  greet: {type: message_template, message: "Hello {who}."}
"""


@pytest.mark.parametrize(
    ("template", "why"),
    [("nothing.ics", "there is no such file"), ("../x.ics", "outside of the folder")],
)
def test_a_template_that_cannot_be_read_is_named(
    make: Callable[..., AgentBlueprint], template: str, why: str
) -> None:
    action = f"type: data_url, template: {template}"
    more = FUNCTION.replace('type: message_template, message: "Hello {who}."', action)
    with pytest.raises(UnusableManifest) as caught:
        make(manifest(more=more))
    assert why in caught.value.why
    assert caught.value.pointer.startswith("/actions/greet")
    assert caught.value.line == 12


def test_functions_stand_beside_the_apis(make: Callable[..., AgentBlueprint]) -> None:
    made = make(manifest(more=FUNCTION))
    tools = [{"reason": "r", "name": "agent__greet"}]
    call = {"tool": "agent__greet", "arguments": {"who": "Ann"}}
    answer, model, _ = asked(
        made, ("selector", {"tools": tools, "answer": ""}), ("caller", {"calls": [call]}), *DONE
    )
    assert answer.stopped == "answered"
    assert "Hello Ann." in prompts(model)


EMIT = """
functions:
  - name: categorize
    parameters:
      type: object
      properties: {category: {type: string}, message: {type: string}}
      required: [category, message]
actions:
  categorize:
    type: emit
    emit_method: switch_session
    emit_data: {agent: "{category}", message: "{message}"}
"""


def test_an_action_may_hand_over_and_an_unknown_agent_is_told(
    make: Callable[..., AgentBlueprint], tmp_path: Path
) -> None:
    (tmp_path / "billing.yaml").write_text("title: Bills\nprompt: You know bills.\n", "utf-8")
    made = make(manifest(more=HANDOFF + EMIT))
    switches: list[HandoffRequest] = []

    def call(category: str) -> Reply:
        given = {"category": category, "message": "Pay?"}
        return ("caller", {"calls": [{"tool": "agent__categorize", "arguments": given}]})

    tools = [{"reason": "r", "name": "agent__categorize"}]
    selector: Reply = ("selector", {"tools": tools, "answer": ""})
    script = (selector, call("biling"), call("billing"))
    _, model, _ = asked(made, *script, on_switch=switches.append)
    assert [(each.agent, each.message) for each in switches] == [("billing", "Pay?")]
    assert "Did you mean billing?" in prompts(model)


HANDOFF = """
agents:
  billing:
    manifest: billing.yaml
    description: Knows all about bills.
    context: {order_id: {type: integer}}
"""


@pytest.fixture
def with_billing(make: Callable[..., AgentBlueprint], tmp_path: Path) -> AgentBlueprint:
    (tmp_path / "billing.yaml").write_text("title: Bills\nprompt: You know bills.\n", "utf-8")
    return make(manifest(more=HANDOFF))


def handed(**arguments: Any) -> tuple[Reply, ...]:
    name = "agents__hand_over_to_billing"
    tools = [{"reason": "r", "name": name}]
    return (
        ("selector", {"tools": tools, "answer": ""}),
        ("caller", {"calls": [{"tool": name, "arguments": arguments}]}),
    )


def test_an_agent_hands_over_with_typed_context(with_billing: AgentBlueprint) -> None:
    switches: list[HandoffRequest] = []
    wrong, right = (
        handed(message="The bill?", order_id="seven"),
        {"message": "The bill?", "order_id": 7},
    )
    again = ("caller", {"calls": [{"tool": "agents__hand_over_to_billing", "arguments": right}]})
    answer, _, _ = asked(with_billing, *wrong, again, on_switch=switches.append)
    assert answer.text == ""
    [switch] = switches
    assert (switch.agent, switch.message, switch.memory) == (
        "billing",
        "The bill?",
        {"order_id": 7},
    )


def test_a_session_goes_on_with_the_other_agent(with_billing: AgentBlueprint) -> None:
    model = FittingModel([*handed(message="The bill?", order_id=7), ("answer", "It is paid.")])
    bills = build_blueprint(with_billing.manifest.agents[0].manifest)
    speakers = {
        "agent": make_manifest_agent(with_billing, model),
        "billing": make_manifest_agent(bills, model),
    }
    session = ManifestSession(
        speakers=speakers, current="agent", drive_turn=SessionDriver(model=model)
    )
    said = session.ask("What about my bill?")
    assert (said.text, session.current) == ("It is paid.", "billing")
    assert '"order_id":7' in model.asked[-1].messages[0].text.replace(" ", "")
    assert isinstance(speakers["agent"].agent, Agent)


def test_an_agent_over_the_shop_answers(tmp_path: Path) -> None:
    with running() as shop:
        path = tmp_path / "shop.yaml"
        path.write_text(
            f"title: Shop\nprompt: Be brief.\napis:\n  - document: {shop.document_url}\n", "utf-8"
        )
        made = build_blueprint(load_manifest(path))
        script: list[Reply] = [
            planned("find cameras"),
            select("list_products"),
            filled(),
            code("len(data['items']) > 1"),
            worded("There are plenty of cameras."),
        ]
        model = FittingModel(script)
        answer = made.agent(model).ask("How many cameras are there?")
    assert [each.tool.partition("__")[2] for each in answer.calls] == ["list_products"]
    assert "Be brief." in model.asked[0].messages[0].text


@pytest.mark.parametrize("status", [400, 404, 422, 500])
def test_an_error_does_not_tell_what_is_fixed(
    make: Callable[..., AgentBlueprint], status: int
) -> None:
    made = make(manifest("    fixed: {shop_id: 4711, add_order: {shop_id: 4711}}\n"))
    model = FittingModel(
        [selected("list_orders"), *[called("list_orders")] * 4, ("describer", {"answer": "No."})]
    )
    send = RecordingTransport(lambda request: reply(status, {"detail": "wrong"}))
    made.agent(model, send=send, approve=approve_all).ask("What was ordered?")
    assert send.sent
    assert "4711" not in prompts(model)
    assert "shop_id" not in prompts(model)


GREET = "functions: [{name: greet}]\nactions: {greet: {type: message_template, message: Hi}}\n"


def test_patterns_of_a_policy_that_are_of_no_tool_are_said(
    make: Callable[..., AgentBlueprint],
) -> None:
    rules = "policy: {tools: {'dorp_*': refuse, greet: ask, 'drop_*': refuse}}\n"
    api = "    read_only: true\n    policy: {tools: {add_ordre: refuse, add_order: refuse}}\n"
    said = [(each.pointer, each.what) for each in make(manifest(api, rules + GREET)).problems]
    assert said == [
        ("/apis/0/policy/tools/add_ordre", "line 8: add_ordre is the name of no operation of shop"),
        ("/policy/tools/dorp_*", "line 9: dorp_* is the name of no tool"),
    ]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("policy: {tools: {remind: refuse}}\n", "refuse"),
        ("policy: read-only\n", "refuse"),
        ("policy: {tools: {remind: allow}}\n", "ask"),
        ("", "ask"),
    ],
)
def test_a_policy_holds_for_functions_too(
    make: Callable[..., AgentBlueprint], rules: str, expected: str
) -> None:
    sends = (
        "functions: [{name: remind}]\n"
        "actions: {remind: {type: rest, method: POST, url: 'https://a.test/reminders'}}\n"
    )
    made = make(manifest(more=sends + rules))
    tool = made.catalog["agent__remind"]
    assert made.policy.decision(tool) == expected
    assert made.policy.decision(made.catalog["shop__list_orders"]) == "allow"


def calls_of_functions(built: AgentBlueprint, name: str, approve: Any) -> tuple[list[str], str]:
    """What a model is told that calls the one function of a manifest, and what was asked."""
    asked: list[str] = []

    def deciding(tool: Tool, request: Request) -> bool:
        asked.append(request.url)
        return approve(tool, request)

    tool = built.catalog[f"agent__{name}"]
    result = call(
        tool, {}, connection=Connection(), send=never, approve=deciding, policy=built.policy
    )
    return asked, result.text or str(result.value)


@pytest.mark.parametrize("name", ["greet", "delete_greeting", "send_greeting"])
@pytest.mark.parametrize("is_asked", [False, True])
def test_a_function_that_only_makes_a_text_is_asked_about_where_the_policy_says_so(
    make: Callable[..., AgentBlueprint], name: str, is_asked: bool
) -> None:
    rules = f"policy: {{tools: {{{name}: ask}}}}\n" if is_asked else ""
    made = make(manifest(more=rules + GREET.replace("greet", name)))
    asked, told = calls_of_functions(made, name, refuse_all)
    assert asked == ([f"function:agent__{name}"] if is_asked else [])
    assert told == (f"agent__{name} was not allowed" if is_asked else "Hi")


@pytest.mark.parametrize(
    ("name", "rules", "is_asked"),
    [
        ("count_rows", "", False),
        ("delete_rows", "", True),
        ("count_rows", "policy: {tools: {count_*: write}}\n", True),
        ("count_rows", "policy: {tools: {count_*: refuse}}\n", False),
    ],
)
def test_a_function_of_code_that_writes_by_its_name_or_policy_is_asked_about(
    make: Callable[..., AgentBlueprint], tmp_path: Path, name: str, rules: str, is_asked: bool
) -> None:
    (tmp_path / "code.py").write_text("", "utf-8")
    ran: list[str] = []

    def run(asked: CodeCall) -> CodeAnswer:
        ran.append(asked.function)
        return CodeAnswer(text="done")

    more = f"functions: [{{name: {name}}}]\ncode: {{module: code.py}}\n{rules}"
    made = make(manifest(more=more), run=run)
    asked, told = calls_of_functions(made, name, refuse_all)
    assert bool(asked) == is_asked
    assert ran == ([] if is_asked or "refuse" in rules else [name])
    assert ("done" in told) == bool(ran)
    if is_asked:
        assert calls_of_functions(made, name, approve_all)[1] == str({"text": "done", "data": []})


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        (manifest("    include: ['lsit_*']\n"), 5, "nothing is left of them to call"),
        (manifest(more="  - {document: two.json, alias: shop}\n"), 5, "two APIs are named 'shop'"),
        (manifest().replace("shop", "agent") + GREET, 5, "the functions of this file are named"),
        (
            manifest().replace("shop", "agents") + "agents: {b: b.yaml}\n",
            5,
            "the agents are named agents as well",
        ),
    ],
)
def test_apis_that_cannot_stand_so_are_named(
    make: Callable[..., AgentBlueprint], tmp_path: Path, text: str, line: int, why: str
) -> None:
    (tmp_path / "b.yaml").write_text("prompt: You know bills.\n", "utf-8")
    (tmp_path / "two.json").write_text(json.dumps(ORDERS | {"x-two": True}), "utf-8")
    with pytest.raises(UnusableManifest) as caught:
        make(text)
    assert (caught.value.line, caught.value.pointer) == (line - 1, "/apis")
    assert caught.value.why.startswith(why)


@pytest.mark.parametrize(
    ("context", "pointer"),
    [("message: {type: integer}", "/agents/b/context/message"), ("a: text", "/agents/b/context/a")],
)
def test_context_that_cannot_be_handed_over_is_refused(
    make: Callable[..., AgentBlueprint], tmp_path: Path, context: str, pointer: str
) -> None:
    (tmp_path / "b.yaml").write_text("prompt: You know bills.\n", "utf-8")
    with pytest.raises(UnusableManifest) as caught:
        make(manifest(more=f"agents: {{b: {{manifest: b.yaml, context: {{{context}}}}}}}\n"))
    assert caught.value.pointer == pointer
