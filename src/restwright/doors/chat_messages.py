"""
The messages of a chat as clients of OpenAI's Chat Completions send them: the whole chat each time.

There is no id of a chat. By what was said in it, a chat is known again: roles and words of users
and of us, without spaces. System messages are left out, since clients put the time of day in them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from restwright.calls.truncate import shorten_line
from restwright.jsontypes import Json, JsonObject, is_array, is_object

MAX_MESSAGES = 1_000
MAX_QUESTION_CHARS = 100_000
_SPEAKERS = frozenset({"user", "assistant"})
_UNUSABLE = {
    "tools": "the agents of this server call their own tools: send none",
    "functions": "the agents of this server call their own tools: send none",
    "audio": "the agents of this server answer in words",
}
_TASK = "### Task:"
_TASK_HISTORY = re.compile(r"<chat_history>\s*(.*?)\s*</chat_history>", re.DOTALL)
_TASK_OUTPUT = re.compile(r'\{\s*"(\w+)"\s*:\s*(\[?)')
_TASK_USER = re.compile(r"^USER: *(.+)$", re.MULTILINE)
_MAX_TITLE = 60


class UnusableRequest(Exception):
    """
    A request that cannot be answered as it is meant.

    Args:
        param: The member of it that is meant.
        code: By which clients tell it from others.
    """

    def __init__(self, why: str, param: str | None = None, code: str | None = None) -> None:
        super().__init__(why)
        self.why, self.param, self.code = why, param, code


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """
    What a client asks.

    Args:
        question: The last message.
        history: The messages before it.
        includes_usage: Whether a stream ends with what it used.
    """

    model: str
    question: str
    history: Sequence[JsonObject]
    is_streamed: bool = False
    includes_usage: bool = False


def parse_chat_request(body: JsonObject) -> ChatRequest:
    """
    Read the body of a request.

    Raises:
        UnusableRequest: It is none, or asks for what no agent can do.
    """
    model, messages = body.get("model"), body.get("messages")
    if not isinstance(model, str):
        raise UnusableRequest("`model` is missing", "model")
    if not is_array(messages) or not messages or not all(map(is_object, messages)):
        raise UnusableRequest("`messages` must be a list of messages", "messages")
    if len(messages) > MAX_MESSAGES:
        why = f"a chat may have {MAX_MESSAGES:,} messages: begin a new one"
        raise UnusableRequest(why, "messages", "context_length_exceeded")
    _refuse_unusable(body)
    *history, last = messages
    if last.get("role") != "user":
        raise UnusableRequest("the last message must be one of the user", "messages")
    options = body.get("stream_options")
    return ChatRequest(
        model=model,
        question=read_question(last),
        history=history,
        is_streamed=body.get("stream") is True,
        includes_usage=is_object(options) and options.get("include_usage") is True,
    )


def _refuse_unusable(body: JsonObject) -> None:
    for name, why in _UNUSABLE.items():
        if body.get(name):
            raise UnusableRequest(why, name)
    if body.get("n") not in (None, 1):
        raise UnusableRequest("there is one answer to a question", "n")
    form = body.get("response_format")
    if is_object(form) and form.get("type", "text") != "text":
        raise UnusableRequest("the agents of this server answer in words", "response_format")


def read_question(message: JsonObject) -> str:
    """
    Read the text of a message.

    Raises:
        UnusableRequest: There is none, or it has parts that are no text.
    """
    parts = _content_parts(message)
    if others := sorted({str(part.get("type")) for part in parts if not _is_text(part)}):
        raise UnusableRequest(
            f"a message is read as text, and not as {', '.join(others)}", "messages"
        )
    question = _text_of(message).strip()
    if not question:
        raise UnusableRequest("the last message has no text", "messages")
    if len(question) > MAX_QUESTION_CHARS:
        why = f"a message may have {MAX_QUESTION_CHARS:,} characters"
        raise UnusableRequest(why, "messages", "context_length_exceeded")
    return question


def _content_parts(message: JsonObject) -> list[JsonObject]:
    content: Json = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [part for part in content if is_object(part)] if is_array(content) else []


def _is_text(part: JsonObject) -> bool:
    return part.get("type") == "text" and isinstance(part.get("text"), str)


def _text_of(message: JsonObject) -> str:
    return "\n".join(str(part["text"]) for part in _content_parts(message) if _is_text(part))


def hash_chat(user: str, model: str, messages: Sequence[JsonObject]) -> str:
    """Return the SHA-256 of a chat: of whose it is, with whom, and what was said."""
    said = [
        [message.get("role"), " ".join(_text_of(message).split())]
        for message in messages
        if message.get("role") in _SPEAKERS
    ]
    return sha256(json.dumps([user, model, said]).encode()).hexdigest()


def answer_interface_task(request: ChatRequest) -> str | None:
    """
    Answer what the interface of Open WebUI asks for itself, such as the title of a chat.

    Such a message begins with `### Task:` and has the chat as `<chat_history>`. A title is the
    first words of the user; nothing is proposed where tags, questions or searches are asked for.

    Returns:
        The JSON that it asks for; None where it is a question of a person.
    """
    found = _TASK_HISTORY.search(request.question)
    if not request.question.startswith(_TASK) or found is None:
        return None
    wanted = _TASK_OUTPUT.search(request.question)
    if wanted is None:
        return ""
    name, is_list = wanted[1], bool(wanted[2])
    asked = _TASK_USER.search(found[1])
    title = shorten_line(asked[1].strip(), _MAX_TITLE) if asked and name == "title" else ""
    return json.dumps({name: [] if is_list else title}, ensure_ascii=False)
