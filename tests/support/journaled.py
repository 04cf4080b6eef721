"""Agents over a small shop whose runs are kept, and are ended in the middle of a step."""

from __future__ import annotations

import pytest

from restwright.agents.agent import Agent
from restwright.agents.journal.store import Journal
from restwright.agents.steps import (
    Call,
    Conclusion,
    Steps,
)
from restwright.calls.approval.policy import ALLOW
from restwright.calls.response.result import Result
from restwright.net.messages import Response
from restwright.openapi.api import load
from restwright.testing import RecordingTransport, ScriptedModel, document, reply
from restwright.tools.catalog.catalog import Catalog, catalog
from restwright.tools.human_inputs import by_extension
from restwright.tools.options import ToolOptions


class Died(BaseException):
    """What ends a run in the middle of a step."""


def dying(_: object) -> Response:
    raise Died


def shop(*, human_pin: bool = False) -> Catalog:
    pin = {"type": "string", **({"x-human": True} if human_pin else {})}
    body = {"type": "object", "required": ["pin"], "properties": {"pin": pin}}
    content = {"application/json": {"schema": body}}
    key = {"name": "key", "in": "query", "schema": {"type": "string"}}
    written = document(
        {
            "/pay": {
                "post": {
                    "operationId": "pay",
                    "requestBody": {"required": True, "content": content},
                }
            },
            "/cart": {"get": {"operationId": "cart", "parameters": [key]}},
        }
    )
    separation = by_extension("x-human")
    return catalog(load(written, alias="shop"), options=ToolOptions(separation=separation))


def agent_of(loop: object, **settings: object) -> Agent:
    given = {
        "model": ScriptedModel([]),
        "send": RecordingTransport(lambda _: reply(200, [1])),
        "policy": ALLOW,
        "kind": loop,
        **settings,
    }
    return Agent(**{"catalog": shop(), **given})  # type: ignore[arg-type]


def paying(agent: Agent, question: str) -> Steps[Conclusion]:
    result = yield Call(tool="shop__pay", arguments={"pin": "1"})
    assert isinstance(result, Result)
    return Conclusion(text=str(result.value), reason=result.text)


def died_while_paying(journal: Journal) -> str:
    with pytest.raises(Died):
        agent_of(paying, send=dying).ask("Pay.", journal=journal)
    return journal.sessions()[0].id
