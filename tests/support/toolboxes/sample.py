"""A sample of calls, and how they arrive: as those of `rw.call` do, byte for byte."""

from __future__ import annotations

from typing import Any

from tests.support.toolboxes.shop import DOCUMENT, answer

import restwright as rw
from restwright.jsontypes import JsonObject
from restwright.net.messages import Request
from restwright.testing import RecordingTransport

CALLS: list[tuple[str, JsonObject]] = [
    ("shop__list_orders", {}),
    ("shop__get_order", {"order_id": "a/b ü"}),
    ("shop__add_order", {"hat": "straw", "count": 2}),
    ("shop__delete_order", {"order_id": "o-1"}),
]
WRONG = ("shop__add_order", {"hat": "bowler"})
ADD = ("shop__add_order", {"hat": "top"})
GET = ("shop__get_order", {"order_id": "o-1"})


def sent_by_call(name: str, arguments: JsonObject) -> Request:
    """What `rw.call` sends."""
    sent = RecordingTransport(answer)
    tool = rw.catalog(rw.load(DOCUMENT))[name]
    rw.call(tool, arguments, send=sent, approve=lambda *_: True)
    return sent.sent[0]


def is_same(one: Request, other: Request) -> bool:
    """Whether two requests are equal to the last byte."""
    return (one.method, one.url, one.headers, one.body) == (
        other.method,
        other.url,
        other.headers,
        other.body,
    )


def wide(**more: Any) -> tuple[rw.Toolbox, RecordingTransport]:
    """A toolbox of the shop that lets writes wait."""
    sent = RecordingTransport(answer)
    return rw.toolbox(DOCUMENT, send=sent, **more), sent
