"""What a model reads about an operation."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Literal

from restwright.jsontypes import is_object
from restwright.openapi.model import Operation, Parameter
from restwright.tools.naming.names import name_from_path
from restwright.tools.text.prose import (
    MAX_SENTENCE,
    first_sentence,
    shorten_text,
    strip_unprintable,
    to_one_line,
    to_plain_text,
)

MAX_DESCRIPTION_CHARS = 1024

DescriptionForm = Literal["short", "full", "lean"]
"""`short`: text alone; `full`: with tag lines; `lean`: the first sentence."""

_DEPRECATED = "Deprecated."
_LEFT_OUT = "..."
_WORD = re.compile(r"\w+")
_SAYS_DEPRECATED = re.compile(
    r"^\W*deprecated|\b(?:api|endpoint|method|operation|this) (?:is|has been) (?:now )?deprecated",
    re.IGNORECASE,
)
_TAG = re.compile(r"^@(?=(?:param|security|tag|deprecated)\b)", re.MULTILINE)


def describe_operation(
    operation: Operation,
    *,
    form: DescriptionForm = "short",
    max_chars: int = MAX_DESCRIPTION_CHARS,
    names: Mapping[tuple[str, str], str] | None = None,
    unread: Collection[tuple[str, str]] = (),
) -> str:
    """
    Describe an operation to a model.

    The summary, then the description unless one of them begins with the words of the other; where
    the document says nothing, method and path in words. `short` and `lean` leave out what only a
    browser needs and say nothing that the schema says. `full` is the text as it is written, and a
    line for each `@param`, `@security`, `@tag` and `@deprecated`.

    Args:
        max_chars: Texts are cut at the end of a sentence; tag lines are left out from the last on.
        names: `{(location, name): input name}` where the tool names a parameter differently.
        unread: `(location, name)` of what `full` says nothing about; `("body", "")` is the body.

    Source: `IHttpLlmFunction.description` of `@samchon/openapi`, for `full`.
    """
    if form == "full":
        text = _TAG.sub("", _main_text(operation, clean=False))
        named = {**(names or {}), **dict.fromkeys(unread, "")}
        return _append_tag_lines(text, operation, named, max_chars)
    text = _main_text(operation, clean=True)
    if form == "lean":
        text = first_sentence(text, min(max_chars, MAX_SENTENCE)) or _headline_with_route(operation)
    return (
        _note_deprecation(text, max_chars)
        if operation.deprecated
        else shorten_text(text, max_chars)
    )


def _main_text(operation: Operation, *, clean: bool) -> str:
    said = to_plain_text if clean else strip_unprintable
    summary, description = said(operation.summary), said(operation.description)
    if _begins_with(description, summary):
        return description or _headline_with_route(operation)
    if _begins_with(summary, description):
        return summary
    return f"{summary}\n\n{description}"


def _begins_with(text: str, start: str) -> bool:
    """Whether `text` begins with the words of `start`, whatever their case and punctuation."""
    words = _lower_words(start)
    return not words or _lower_words(text[: 2 * len(start) + 100])[: len(words)] == words


def _lower_words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _headline_with_route(operation: Operation) -> str:
    """`Get products by id (GET /products/{id})`."""
    route = to_one_line(f"{operation.method.upper()} {operation.path}")
    if not operation.path.isascii():
        return route
    words = name_from_path(operation.method, operation.path).replace("_", " ")
    if operation.method == "get":
        words = f"get {words}"
    return f"{words[0].upper()}{words[1:]} ({route})"


def _note_deprecation(text: str, max_chars: int) -> str:
    """`text` and that it is deprecated, unless it says so."""
    kept = shorten_text(text, max_chars - len(_DEPRECATED) - 2)
    if not kept or _SAYS_DEPRECATED.search(kept):
        return shorten_text(text, max_chars)
    return f"{kept}\n\n{_DEPRECATED}"


def _append_tag_lines(
    text: str, operation: Operation, names: Mapping[tuple[str, str], str], max_chars: int
) -> str:
    """`text` and the tag lines, these with first sentences where they are too long."""
    lines: list[str] = []
    for said in (to_one_line, first_sentence):
        lines = [*_param_lines(operation, names, said), *_tag_lines(operation)]
        whole = "\n\n".join([text, "\n".join(lines)] if lines else [text])
        if len(whole) <= max_chars:
            return whole
    if not lines:
        return shorten_text(text, max_chars)
    room = max_chars - sum(map(len, lines)) - len(lines) - 1
    kept = shorten_text(text, max(room, max_chars // 2))
    return "\n".join([kept, "", *_fit_lines(lines, max_chars - len(kept) - 2)]).rstrip()


def _fit_lines(lines: Sequence[str], room: int) -> list[str]:
    """The first lines that fit, and a mark in the place of the others."""
    if len("\n".join(lines)) <= room:
        return list(lines)
    room -= len(_LEFT_OUT)
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return [*kept, _LEFT_OUT]


def _param_lines(
    operation: Operation, names: Mapping[tuple[str, str], str], said: Callable[[str], str]
) -> Iterator[str]:
    for parameter in operation.parameters:
        name = names.get((parameter.location, parameter.name), parameter.name)
        if name and (text := said(_parameter_text(parameter))):
            yield f"@param {to_one_line(name)} {text}"
    body = names.get(("body", ""), "body")
    if body and operation.request_body and (text := said(operation.request_body.description)):
        yield f"@param {body} {text}"


def _parameter_text(parameter: Parameter) -> str:
    if parameter.description or not is_object(parameter.schema):
        return parameter.description
    text = parameter.schema.get("description")
    return text if isinstance(text, str) else ""


def _tag_lines(operation: Operation) -> Iterator[str]:
    for alternative in operation.security:
        schemes = [to_one_line(" ".join((name, *alternative[name]))) for name in alternative]
        yield f"@security {', '.join(schemes) or 'none'}"
    yield from (f"@tag {to_one_line(tag)}" for tag in operation.tags)
    if operation.deprecated:
        yield "@deprecated"
