"""What a server asks of the user within a call, and what is never asked for it."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit

from restwright.calls.arguments.check import check_value
from restwright.calls.questions import AnswerQuestion, CallQuestion
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.net.policy.origins import redact_url
from restwright.net.secret_names import is_hidden_input_name
from restwright.tools.text.prose import strip_unprintable

_MAX_MESSAGE = 2_000
_MAX_FIELDS = 50


class ElicitationReply(NamedTuple):
    """What a server is told: `accept` with the answers, `decline` or `cancel`."""

    action: str
    content: JsonObject | None = None


def answer_elicitation(
    params: JsonObject, *, server: str, tool: str, answer: AnswerQuestion
) -> ElicitationReply:
    """
    Put a server's question to the user.

    A form that asks for a secret is declined unseen: what is typed there goes to the server. A page
    is shown, never opened, and only one that is fetched by https.

    Args:
        params: Of `elicitation/create`, as they came.
    """
    said = strip_unprintable(str(params.get("message", "")))[:_MAX_MESSAGE]
    if params.get("mode") == "url":
        return _answer_page(str(params.get("url", "")), said, server, tool, answer)
    schema = params.get("requestedSchema")
    if not is_object(schema) or find_secret_field(schema) is not None:
        return ElicitationReply("decline")
    text = f"The server {server} asks (what you say goes to it): {said}"
    given = answer(CallQuestion(tool=tool, text=text, schema=schema))
    return _check_answer(given, schema)


def _check_answer(given: Json, schema: JsonObject) -> ElicitationReply:
    if given is None:
        return ElicitationReply("cancel")
    if not is_object(given) or check_value(schema, given):
        return ElicitationReply("decline")
    return ElicitationReply("accept", given)


def _answer_page(
    url: str, said: str, server: str, tool: str, answer: AnswerQuestion
) -> ElicitationReply:
    parts = urlsplit(url)
    if parts.scheme != "https" or not url.isascii() or not url.isprintable() or "@" in parts.netloc:
        return ElicitationReply("decline")
    text = (
        f"The server {server} asks you to open a page of {redact_url(url)} in your browser: {said}"
        f"\n  {url}\nOpen it yourself if you trust {parts.netloc}. Have you done it?"
    )
    is_done = answer(CallQuestion(tool=tool, text=text)) is True
    return ElicitationReply("accept" if is_done else "decline")


def find_secret_field(schema: JsonObject) -> str | None:
    """The first field of a form that asks for a secret; None where none does."""
    properties = schema.get("properties")
    if not is_object(properties) or len(properties) > _MAX_FIELDS:
        return ""
    for name, each in properties.items():
        own = each if is_object(each) else {}
        title = str(own.get("title", ""))
        is_key = name.lower() == "key"
        is_hidden = is_key or any(map(is_hidden_input_name, (name, title)))
        if own.get("format") == "password" or is_hidden:
            return name
    return None
