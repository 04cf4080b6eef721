"""
Prompts are files: `agents/prompts/NAME.md`, read once.

A file is a sequence of messages. A line `# system`, `# user` or `# assistant` starts one;
`{{name}}` is replaced by a value, in one pass, so that text put in is never a placeholder. What
APIs and their documents say is put between `<data>` and `</data>`, and cannot end that. Beside a
prompt stands `prompts/NAME.schema.json`, the contract of its reply, unless that depends on the
tools at hand; then the code that asks makes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias, cast

from restwright.agents.memory.context import add_conversation
from restwright.agents.spotlighting import escape_marks
from restwright.agents.steps import Message, MessageRole, Outcome, Steps, T
from restwright.errors import RestwrightError, require_type
from restwright.jsontypes import JsonObject

Prompts: TypeAlias = Mapping[str, str]
"""`{name of a prompt: text in its place}`."""

_HEADING = re.compile(r"^# (system|user|assistant)\n", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}")
_Template: TypeAlias = tuple[tuple[MessageRole, str], ...]
_MARK = re.compile(r"(<data>.*?</data>)", re.DOTALL)
_own: ContextVar[Prompts] = ContextVar("_own")


@cache
def names() -> tuple[str, ...]:
    """The names of all prompts."""
    folder = files("restwright.agents").joinpath("prompts")
    found = (each.name for each in folder.iterdir())
    return tuple(sorted(name.removesuffix(".md") for name in found if name.endswith(".md")))


@cache
def schema(name: str) -> JsonObject:
    """The contract of the reply to the prompt `name`. Not to be altered."""
    return json.loads(_file(f"{name}.schema.json"))


def render(name: str, **values: str) -> tuple[Message, ...]:
    """
    Fill the prompt `name`.

    Raises:
        KeyError: The file names a placeholder that is not in `values`.
    """
    values = {**add_conversation(name, values)}
    static = static_messages(name)
    changing = _current_template(name)[len(static) :]
    return (*static, *(Message(speaker, _filled(body, values)) for speaker, body in changing))


def static_messages(name: str) -> tuple[Message, ...]:
    """The first messages of the prompt `name`, those before the first one with a placeholder."""
    messages: list[Message] = []
    for speaker, body in _current_template(name):
        if _PLACEHOLDER.search(body):
            break
        messages.append(Message(speaker, body, is_static=True))
    return tuple(messages)


def _current_template(name: str) -> _Template:
    own = _own.get({})
    return _parsed(own[name]) if name in own else _template(name)


def prompts_from(given: Prompts | Path) -> Prompts:
    """
    Read prompts that take the place of ours: a mapping, or a folder with files `NAME.md`.

    Raises:
        ValueError: There is no prompt of such a name, one has no message, or one has a placeholder
            that ours does not have; or no folder.
        WrongType: A prompt is no text.
    """
    if isinstance(given, Path):
        if not given.is_dir():
            raise ValueError(f"there is no folder {given} of prompts")
        given = {each.stem: each.read_text("utf-8") for each in sorted(given.glob("*.md"))}
    for name, text in given.items():
        _check(name, text)
    return given


def with_prompts(steps: Steps[T], own: Prompts) -> Steps[T]:
    """The same steps, whose prompts are those of `own` where it has them."""
    outcome: Outcome = None
    thrown: BaseException | None = None
    while True:
        try:
            # Only while the loop itself runs: what performs its steps may run loops of its own.
            with _replaced(own):
                step = steps.throw(thrown) if thrown else steps.send(outcome)
        except StopIteration as end:
            return cast("T", end.value)
        outcome, thrown = None, None
        try:
            outcome = yield step
        except RestwrightError as error:
            thrown = error


@contextmanager
def _replaced(own: Prompts) -> Generator[None]:
    token = _own.set(own)
    try:
        yield
    finally:
        _own.reset(token)


def _filled(body: str, values: Mapping[str, str]) -> str:
    """Fill in `values`, of which those in a mark cannot end it."""
    inside = {name: escape_marks(value) for name, value in values.items()}
    parts = _MARK.split(body)
    # Every other part is a mark.
    return "".join(
        _PLACEHOLDER.sub(lambda match, known=(values, inside)[place % 2]: known[match[1]], part)
        for place, part in enumerate(parts)
    )


def _check(name: str, text: str) -> None:
    require_type(text, str, what=f"the prompt {name!r}", wanted="text")
    if name not in names():
        raise ValueError(f"there is no prompt {name!r}; there are {', '.join(names())}")
    if not _parsed(text):
        raise ValueError(f"the prompt {name!r} has no line `# system`, `# user` or `# assistant`")
    known = set(_PLACEHOLDER.findall(_file(f"{name}.md")))
    if unknown := sorted(set(_PLACEHOLDER.findall(text)) - known):
        have = ", ".join(sorted(known))
        raise ValueError(f"the prompt {name!r} cannot have {', '.join(unknown)}, only {have}")


@cache
def _template(name: str) -> _Template:
    return _parsed(_file(f"{name}.md"))


def _file(name: str) -> str:
    return files("restwright.agents").joinpath("prompts", name).read_text("utf-8")


def _parsed(text: str) -> _Template:
    parts = _HEADING.split(text)[1:]
    return tuple(
        (cast("MessageRole", speaker), body.strip())
        for speaker, body in zip(parts[::2], parts[1::2], strict=True)
    )
