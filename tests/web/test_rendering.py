"""Parts of pages that are the same in several of them."""

from __future__ import annotations

import html
import json
import re
from types import SimpleNamespace
from typing import Any

from restwright.agents.runtime.stream_events import ApprovalEvent, QuestionEvent
from restwright.web.rendering import load_environment


def render_part(name: str, *values: Any) -> str:
    """What a macro of the chat becomes."""
    return str(getattr(load_environment().get_template("chat_parts.html").module, name)(*values))


def turn_of(asked: Any, **more: Any) -> Any:
    return SimpleNamespace(asked=asked, key="t1", run=SimpleNamespace(id="run"), **more)


def ask_for(name: str) -> str:
    data = {"id": "q", "tool": "", "name": name, "schema": None}
    return render_part("question", turn_of(QuestionEvent("question", "What is it?", data)))


def test_what_is_secret_is_not_read_over_ones_shoulder_in_a_chat() -> None:
    assert 'type="password"' in ask_for("password")
    assert 'type="password"' not in ask_for("colour")


def test_a_choice_that_is_no_text_is_answered_as_json() -> None:
    choices = [True, None, 1.5, "it", {"a": "<b>"}]
    page = render_part("value_field", "k", {"enum": choices})
    said = [html.unescape(text) for text in re.findall(r"<option>(.*?)</option>", page)]
    assert said[3] == "it"
    assert [json.loads(text) for text in said[:3] + said[4:]] == [*choices[:3], choices[4]]
    assert "<b>" not in page


def test_nothing_beside_a_request_that_is_asked_about_reorders_text() -> None:
    turned = "a\u202eb"
    request: dict[str, Any] = {
        "method": "POST",
        "url": "https://api.test",
        "headers": {},
        "body": None,
    }
    data: dict[str, Any] = {
        "id": "a", "tool": "x", "hash": "h", "is_destructive": False, "request": request,
        "notes": [turned], "batch": [turned],
    }  # fmt: skip
    origin = SimpleNamespace(name=turned, value=turned, origin=turned, is_known=True)
    page = render_part(
        "consent", turn_of(ApprovalEvent("approval", turned, data), origins=[origin])
    )
    assert "\u202e" not in page
    assert page.count("a\\u202eb") == 6
