"""Classes of operations, and what a policy decides about them."""

from __future__ import annotations

import pytest

from restwright.calls.approval.policy import ALLOW, CONFIRM, READ_ONLY, Policy
from restwright.jsontypes import Json
from restwright.openapi.model import Method, Operation
from restwright.tools.safety import classify_operation
from restwright.tools.tool import Tool


def operation(
    method: str, path: str = "/orders", operation_id: str | None = None, **extensions: Json
) -> Operation:
    named = {
        name.replace("_", "-").replace("is-C", "isC"): each for name, each in extensions.items()
    }
    return Operation(
        method=Method(method),
        path=path,
        pointer="/paths/x",
        operation_id=operation_id,
        extensions=named,
    )


def tool(name: str, method: str, **more: Json) -> Tool:
    return Tool(
        name=f"shop__{name}",
        namespace="shop",
        operation_name=name,
        operation=operation(method, operation_id=name, **more),
    )


READ, WRITE, LOSS = tool("listOrders", "get"), tool("pay", "post"), tool("dropOrder", "delete")


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (operation("get"), "read"),
        (operation("head"), "read"),
        (operation("options"), "read"),
        (operation("trace"), "read"),
        (operation("query"), "read"),
        (operation("post"), "write"),
        (operation("put"), "write"),
        (operation("patch"), "write"),
        (operation("COPY"), "write"),
        (operation("delete"), "destructive"),
        (operation("post", "/orders/{id}/cancel"), "destructive"),
        (operation("post", "/orders/{id}:purge"), "destructive"),
        (operation("post", "/tokens", "revokeToken"), "destructive"),
        (operation("post", "/users", "bulk_DELETE_users"), "destructive"),
        (operation("post", "/cancellations/{cancel}", "addCancellation"), "write"),
        (operation("get", "/auth.revoke"), "destructive"),
        (operation("get", "/#Action=DeleteGroup", "GET_DeleteGroup"), "destructive"),
        (operation("get", "/x/destroy_all", "orders_list"), "read"),
        (operation("get", "/orders/deleted", "listDeleted"), "read"),
        (operation("get", "/delete-reasons", "getDeleteReasons"), "read"),
        (operation("get", "/#Action=RunInstances", "GET_RunInstances"), "write"),
        (operation("get", "/?Action=DescribeInstances"), "read"),
        (operation("get", x_openai_isConsequential=True), "write"),
        (operation("get", x_openai_isConsequential="true"), "read"),
        (operation("get", x_restwright_class="destructive"), "destructive"),
        (operation("get", x_restwright_class="write"), "write"),
    ],
)
def test_an_operation_is_classed(found: Operation, expected: str) -> None:
    assert classify_operation(found) == expected


@pytest.mark.parametrize("method", ["post", "delete"])
@pytest.mark.parametrize(
    "said", [{"x_openai_isConsequential": False}, {"x_restwright_class": "read"}]
)
def test_a_document_cannot_make_an_operation_harmless(method: str, said: dict[str, Json]) -> None:
    assert classify_operation(operation(method, **said)) == classify_operation(operation(method))


@pytest.mark.parametrize(
    ("policy", "decisions"),
    [
        (READ_ONLY, ("allow", "refuse", "refuse")),
        (CONFIRM, ("allow", "ask", "ask")),
        (Policy(), ("allow", "ask", "ask")),
        (ALLOW, ("allow", "allow", "allow")),
        (Policy(classes={"destructive": "refuse", "write": "allow"}), ("allow", "allow", "refuse")),
        (Policy(tools={"pay": "allow"}), ("allow", "allow", "ask")),
        (Policy(tools={"shop__*": "refuse", "list*": "ask"}), ("ask", "refuse", "refuse")),
        (Policy(default="read-only", tools={"pay": "read"}), ("allow", "allow", "refuse")),
    ],
)
def test_a_policy_decides(policy: Policy, decisions: tuple[str, ...]) -> None:
    assert tuple(policy.decision(each) for each in (READ, WRITE, LOSS)) == decisions


def test_the_user_may_say_the_class_of_a_tool() -> None:
    assert Policy(tools={"pay": "destructive"}).class_of(WRITE) == "destructive"
    assert Policy(tools={"pay": "allow"}).class_of(WRITE) == "write"


@pytest.mark.parametrize("more", [{"default": "yolo"}, {"tools": {"pay": "maybe"}}])
def test_a_policy_that_decides_nothing_is_refused(more: dict[str, Json]) -> None:
    with pytest.raises(ValueError, match="allow, ask or refuse"):
        Policy(**more)


@pytest.mark.parametrize(
    ("policy", "read_from", "decisions"),
    [
        (ALLOW, (), ("allow", "allow", "allow")),
        (ALLOW, ("shop",), ("allow", "allow", "allow")),
        (ALLOW, ("shop", "mail"), ("allow", "ask", "ask")),
        (ALLOW, ("mail",), ("allow", "ask", "ask")),
        (
            Policy(default="allow", after_foreign_read="allow"),
            ("mail",),
            ("allow", "allow", "allow"),
        ),
        (Policy(tools={"pay": "allow"}), ("mail",), ("allow", "ask", "ask")),
        (READ_ONLY, ("mail",), ("allow", "refuse", "refuse")),
        (Policy(default="allow", tools={"pay": "write"}), ("mail",), ("allow", "ask", "ask")),
        (
            Policy(tools={"shop__pay": "ask", "shop__*": "allow"}),
            ("mail",),
            ("allow", "ask", "ask"),
        ),
    ],
)
def test_an_allowed_write_is_asked_about_after_another_api_was_read(
    policy: Policy, read_from: tuple[str, ...], decisions: tuple[str, ...]
) -> None:
    found = tuple(
        policy.after_reading(each, read_from).decision(each) for each in (READ, WRITE, LOSS)
    )
    assert found == decisions


def test_a_policy_is_not_made_to_cross_by_another_word() -> None:
    with pytest.raises(ValueError, match="after_foreign_read"):
        Policy(after_foreign_read="refuse")  # type: ignore[arg-type]
