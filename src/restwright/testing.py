"""
Public test doubles: values that stand in for a model, a network and a document.

They fail loudly: a script that runs out, a prompt that was not expected, a request nobody answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NoReturn

import orjson

from restwright.agents.steps import Complete, Completion
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Response

_CHANGE = '{"wants": "a change"}'
_UNSAID = {
    "names": '{"names": []}',
    "translator": '{"language": "English", "english": null}',
    "intent": '{"wants": "what you can do"}',
    "condition": _CHANGE,
}
"""What a script says as these roles where it says nothing of them."""

PIECE = 7
"""Characters that a scripted model tells at once."""


class Unscripted(BaseException):
    """
    A double was used in a way that nobody wrote down.

    It is no `Exception`: an agent would put that into its answer, and a test might not see it.
    """


Reply = str | JsonObject | Completion | tuple[str, "str | JsonObject | Completion"]


@dataclass(slots=True)
class ScriptedModel:
    """
    A model that says what it is told to, in order.

    Args:
        replies: Text, a JSON object, a `Completion` as it is, or `(role, either)` where the role
            must match too.
        name: As `Model.name`.
        calls_tools: Whether it is given `Complete.tools`.
        is_small: Whether it is asked for one small thing at a time.

    `asked` keeps every request, for assertions; but not those that the script says nothing of: as a
    translator, to which the message is in English; of names, of which it quotes all; and of what is
    wanted: a change where its last plan has one, in any case, and where that has no steps what can
    be done.
    """

    replies: Iterable[Reply]
    name: str = "scripted"
    calls_tools: bool = False
    asked: list[Complete] = field(default_factory=list[Complete])
    is_small: bool = True
    _left: list[Reply] = field(init=False)
    _last: str = field(init=False, default="")

    def __post_init__(self) -> None:
        self._left = list(self.replies)

    @property
    def left(self) -> tuple[Reply, ...]:
        """The replies that were not asked for yet."""
        return tuple(self._left)

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """
        Return the next reply.

        Raises:
            Unscripted: The script is at its end, or the next reply is for another role.
        """
        if request.role in _UNSAID and not self._is_next(request.role):
            is_change = request.role == "intent" and '"kind":"change"' in self._last
            return Completion(text=_CHANGE if is_change else _UNSAID[request.role])
        self.asked.append(request)
        if not self._left:
            raise Unscripted(
                f"the script is at its end; {request.role} asks: {_prompt_tail(request)}"
            )
        reply = self._left.pop(0)
        if isinstance(reply, tuple):
            role, reply = reply
            if role != request.role:
                raise Unscripted(
                    f"expected {role}, but {request.role} asks: {_prompt_tail(request)}"
                )
        if isinstance(reply, Completion):
            return reply
        self._last = text = reply if isinstance(reply, str) else orjson.dumps(reply).decode()
        prompt_words = sum(len(message.text.split()) for message in request.messages)
        return Completion(
            text=text, input_tokens=prompt_words, output_tokens=len(text.split()), elapsed_s=0.0
        )

    def _is_next(self, role: str) -> bool:
        reply = self._left[0] if self._left else None
        return isinstance(reply, tuple) and reply[0] == role

    def stream(
        self, request: Complete, *, deadline_s: float, tell: Callable[[str], None]
    ) -> Completion:
        """Return the next reply, and tell its text in small pieces before."""
        completion = self.complete(request, deadline_s=deadline_s)
        for start in range(0, len(completion.text), PIECE):
            tell(completion.text[start : start + PIECE])
        return completion


def _prompt_tail(request: Complete) -> str:
    return request.messages[-1].text[-300:]


@dataclass(slots=True)
class RecordingTransport:
    """
    A `Send` that answers from a function and keeps every request.

    Args:
        answer: Called with each request.
    """

    answer: Callable[[Request], Response]
    sent: list[Request] = field(default_factory=list[Request])

    def __call__(self, request: Request) -> Response:
        """Keep `request` and answer it."""
        self.sent.append(request)
        return self.answer(request)


def reply(status: int, body: Json = None, headers: Mapping[str, str] | None = None) -> Response:
    """Make a JSON response; no body where `body` is None."""
    content = b"" if body is None else orjson.dumps(body)
    named = {"content-type": "application/json", **(headers or {})}
    return Response(status=status, headers=tuple(named.items()), body=content)


def never(*_: object, **__: object) -> NoReturn:
    """Stand for something that must not be used."""
    raise Unscripted("this must not be called")


def document(paths: JsonObject, **more: Json) -> JsonObject:
    """Make a small OpenAPI 3.1 document around `paths`."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Test", "version": "1"},
        "servers": [{"url": "https://api.example.test"}],
        "paths": paths,
        **more,
    }
