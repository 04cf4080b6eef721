"""What a chat is shown where its user is asked, and what their next message means."""

from __future__ import annotations

import json
import re
from contextlib import suppress

from restwright.agents.runtime.stream_events import ApprovalEvent, AskingEvent, QuestionEvent
from restwright.calls.approval.approval import escape_unprintable
from restwright.errors import UsageError
from restwright.jsontypes import Json
from restwright.net.secret_names import is_secret_name

ASKS_FOR_YES = "Answer `yes` to send exactly this request"
NOTHING_WAITS = (
    "Nothing was sent. The request that was shown waits no longer: it was answered before, was"
    " shown more than ten minutes ago, or this chat was changed since. Ask for it anew."
)
_YES, _NO = frozenset({"yes", "y"}), frozenset({"no", "n"})
_BACKTICKS = re.compile("`+")
_SHOWN_DIGITS = 12


def is_askable(event: AskingEvent) -> bool:
    """Whether a chat may ask it: what is said there is read by models, so nothing secret is."""
    if not isinstance(event, QuestionEvent):
        return True
    return "properties" not in (event.schema or {}) and not is_secret_name(event.name)


def format_request_to_user(event: AskingEvent) -> str:
    """Ask, in Markdown, of which no part of a request can end the block that it stands in."""
    text = escape_unprintable(event.text)
    if not isinstance(event, ApprovalEvent):
        return text
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))
    closing = (
        f"{ASKS_FOR_YES} (`{event.hash[:_SHOWN_DIGITS]}`), once, within ten minutes; `no` to have"
        " it refused. With any other message it is not sent."
    )
    return f"{fence}text\n{text}\n{fence}\n\n{closing}"


def apply_reply(event: AskingEvent, reply: str) -> bool | None:
    """
    Give what the user says to a question as the answer to it.

    Returns:
        Whether it was answered; None for a message that is no answer to it at all.
    """
    if isinstance(event, ApprovalEvent):
        word = reply.strip(" .!`\n").casefold()
        if word not in _YES | _NO:
            return None
        event.allow() if word in _YES else event.refuse()
        return True
    assert isinstance(event, QuestionEvent)  # noqa: S101  (there is no other)
    return any(_is_taken(event, value) for value in _read_values(reply))


def _read_values(reply: str) -> list[Json]:
    """A reply as text, and as the JSON value that it may be."""
    values: list[Json] = [reply]
    with suppress(ValueError, RecursionError):
        values.append(json.loads(reply))
    return values


def _is_taken(event: QuestionEvent, value: Json) -> bool:
    try:
        event.answer(value)
    except UsageError:
        return False
    return True
