"""The words at the end of a run: made by the model from facts, and held to them by code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import islice
from typing import cast

from restwright.agents.memory.memory import Finding, Memory, label_of
from restwright.agents.memory.several import NUMBER_WORDS
from restwright.agents.roles.structured_output import ask
from restwright.agents.roles.templates import render, schema
from restwright.agents.spotlighting import escape_marks
from restwright.agents.steps import (
    Call,
    Conclusion,
    Gather,
    Message,
    Outcome,
    Say,
    Step,
    Steps,
    T,
)
from restwright.calls.response.result import shorten_json
from restwright.errors import LimitReached, RestwrightError, UnusableReply, UnusableSession
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.text.words import split_words

_TRIES = 2
_LISTED = 30
# From as many things on, of which as much is known, a list is told by names.
_SEVERAL, _MUCH = 3, 5
_SCALE = re.compile(r"(\d(?:[\d.,]*\d)?)\s*(?:out of|of|sur|von|de|/)\s*(\d+)\b")
# One word of letters and digits, such as a file or a key, which must not be worded otherwise.
_CODE = re.compile(r"(?=\S*[A-Za-z])(?=\S*\d)(?!\d{4}-\d\d-\d\dT)[^\s]{12,}")
_QUOTED = re.compile(
    r"[\"“«]([^\"”»]{2,80})[\"”»]"
    r"|((?<![^\s@])[^\s@]{1,100}+@[^\s@]{1,200}\w|https?://\S+\w)"
)
_CURRENCY = re.compile(r"[$€£¥]")
# `userId`, and not `paid`.
_IDENTITY = re.compile(r"(?i)^(id|uuid)$|_ids?$|(?-i:[a-z]I[dD]$)")


def best_partial(steps: Steps[Conclusion], so_far: Callable[[], str]) -> Steps[Conclusion]:
    """
    The conclusion of `steps`; what was found `so_far` where a limit or a failure ends them.

    Raises:
        RestwrightError: Nothing was performed before it, or the session cannot be used.
    """
    begun: list[Step] = []
    try:
        return (yield from _watched(steps, begun))
    except LimitReached as limit:
        return Conclusion(text=so_far(), stopped="limit", reason=limit.message)
    except UnusableReply as error:
        return Conclusion(text=so_far(), stopped="error", reason=error.message)
    except UnusableSession:
        raise
    except RestwrightError as error:
        if not begun:
            raise
        return Conclusion(text=so_far(), stopped="error", reason=error.message, error=error)


def _watched(steps: Steps[T], begun: list[Step]) -> Steps[T]:
    """The same steps; `begun` is given those that did something, or may have before they failed."""
    outcome: Outcome = None
    thrown: RestwrightError | None = None
    while True:
        try:
            step = steps.throw(thrown) if thrown else steps.send(outcome)
        except StopIteration as end:
            return cast("T", end.value)
        outcome, thrown = None, None
        if isinstance(step, Call | Gather):
            begun.append(step)
        try:
            outcome = yield step
        except RestwrightError as error:
            thrown = error
        else:
            begun += [] if isinstance(step, Say) else [step]


def facts_so_far(memory: Memory, *, with_ids: bool = True) -> str:
    """The findings as lines of text; empty where there are none."""
    return "\n".join(_fact(each, with_ids=with_ids) for each in memory.findings)


def _fact(finding: Finding, *, with_ids: bool) -> str:
    name = label_of(finding.value) if is_object(finding.value) else ""
    if finding.is_on_the_way and name and not finding.is_write:
        return f"- {finding.asked}: {name}"
    value = _named_list(finding)
    if value is not None:
        return f"- {finding.asked}: {shorten_json(value, 1500)}"
    value = finding.value if with_ids else _plainly(_without_ids(finding.value), finding.asked)
    done = " (done)" if finding.is_write else ""
    return f"- {finding.asked}{done}: {shorten_json(value, 600)}"


def _plainly(value: Json, asked: str) -> Json:
    """
    An object with what is said of itself before its parts, and of things in lists their names.

    What is said of a part is else taken for what is said of the whole. A list that is asked for
    stays as it is.
    """
    if not is_object(value):
        return value
    words = frozenset(split_words(asked))
    own = {key: each for key, each in value.items() if not (is_object(each) or is_array(each))}
    parts: JsonObject = {}
    for key, each in value.items():
        things = [one for one in each if is_object(one) and label_of(one)] if is_array(each) else []
        is_told = (
            bool(things) and len(things) == len(each) and not words.intersection(split_words(key))
        )
        if key not in own:
            parts[key] = [label_of(one) for one in things] if is_told else each
    return own | parts


def _named_list(finding: Finding) -> Json:
    """
    A list of things by their names, with what else is asked of them; None for anything else.

    All that is known of many things is too much to read.
    """
    value = finding.value
    if is_object(value) and len(value) == 1:
        (value,) = value.values()
    if finding.is_write or not is_array(value) or len(value) < _SEVERAL:
        return None
    things = [each for each in value if is_object(each) and label_of(each)]
    if len(things) < len(value) or any(len(each) < _MUCH for each in things):
        return None
    words = frozenset(split_words(finding.asked))
    return [_essential(each, words) for each in things]


def _essential(thing: JsonObject, words: frozenset[str]) -> Json:
    name = label_of(thing)
    asked = {key: each for key, each in thing.items() if words.intersection(split_words(key))}
    more = {key: each for key, each in asked.items() if each != name and not is_array(each)}
    return {"name": name, **more} if more else name


def _without_ids(value: Json) -> Json:
    if is_object(value):
        kept = {key: each for key, each in value.items() if not _IDENTITY.search(key)}
        return {key: _without_ids(each) for key, each in kept.items()} or value
    return [_without_ids(each) for each in value] if is_array(value) else value


def compose_answer(
    question: str, memory: Memory, *, language: str, needs_all: bool = True
) -> Steps[str]:
    """
    Let the model word the answer; twice, if it holds what no result holds or leaves a value out.

    Args:
        needs_all: Whether every value that was found was asked for.

    Returns:
        The model's words, or the bare facts when these cannot be trusted.
    """
    asks_for_ids = re.search(r"\b(id|ids|uuid)\b", question, re.IGNORECASE)
    facts = facts_so_far(memory, with_ids=bool(asks_for_ids))
    prompt = render("answer", question=question, facts=facts, language=language)
    messages = prompt
    for _ in range(_TRIES):
        reply = yield from ask("answer", messages, schema("answer"), max_tokens=300)
        text = mended(str(reply["answer"]), f"{question} {facts}")
        wrong = unsupported(text, f"{question} {facts}")
        if needs_all and not wrong:
            wrong = left_out(text, memory)
        if not wrong:
            return text
        messages = (
            *prompt,
            Message("assistant", text),
            Message("user", f"Wrong: {escape_marks(wrong)}. Answer again from the facts only."),
        )
    return facts


def mended(answer: str, facts: str) -> str:
    """Take out what models add to a number: a scale (`4.7 out of 5`) and a currency sign."""
    known = _numbers(facts)
    for scale in _SCALE.finditer(answer):
        if _plain(scale[2]) not in known:
            answer = answer.replace(scale[0], scale[1])
    for sign in set(_CURRENCY.findall(answer)) - set(_CURRENCY.findall(facts)):
        answer = answer.replace(sign, "")
    return answer


def unsupported(answer: str, facts: str) -> str:
    """What stands in `answer` but nowhere in `facts`: numbers, quoted words and addresses."""
    known = _numbers(facts)
    invented = [number for number in _numbers(answer) if number not in known]
    quoted = _QUOTED.findall(answer)
    invented += [each for pair in quoted for each in pair if each and each not in facts]
    return f"{', '.join(invented)} is not in the facts" if invented else ""


def left_out(answer: str, memory: Memory) -> str:
    """A number or short text that was found as the whole of a fact, but is not in `answer`."""
    numbers = _numbers(answer)
    for finding in memory.findings:
        value = _single(finding.value)
        if finding.is_write or finding.is_on_the_way or value is None or isinstance(value, bool):
            continue
        if not _is_said(value, answer, numbers):
            return f"the value {value!r} of '{finding.asked}' is missing"
    return ""


def _single(value: Json) -> Json:
    """The value itself, or the only one of an object or a list; None for other than a short one."""
    if is_array(value) and len(value) == 1:
        return _single(value[0])
    if is_object(value) and len(value) == 1:
        (value,) = value.values()
    return value if isinstance(value, str | int | float) and len(str(value)) < 60 else None


def _is_said(value: str | float, answer: str, numbers: set[str]) -> bool:
    if isinstance(value, int | float):
        return _plain(str(value)) in numbers or _spelled(value, answer)
    words = value.replace("_", " ").lower()
    if _CODE.fullmatch(value):
        return value in answer
    digits = _numbers(value)
    # A date may be worded (`4 November`), so of text with digits only these are asked for.
    return words in answer.lower().replace("_", " ") or bool(digits and digits & numbers)


def _spelled(value: float, answer: str) -> bool:
    words = ("zero", *NUMBER_WORDS)
    return value in range(11) and words[int(value)] in answer.lower()


def _numbers(text: str) -> set[str]:
    joined = re.sub(r"(?<=\d)[,'\u202f\u00a0 ](?=\d{3}\b)", "", text)
    return {_plain(number) for number in re.findall(r"\d+(?:[.,]\d+)?", joined)}


def _plain(number: str) -> str:
    text = number.replace(",", ".")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.lstrip("0") or "0"


def capabilities(question: str, catalog: Catalog, *, language: str) -> Steps[str]:
    """Say what can be done, from namespaces and descriptions, without a call."""
    lines: list[str] = []
    for namespace, api in catalog.apis.items():
        first = api.description.split("\n")[0][:200]
        lines.append(
            f"API {namespace} ({api.title}): {first}\nIt can: {_abilities(catalog, namespace)}"
        )
    apis = _bounded("\n".join(lines))
    prompt = render("capabilities", apis=apis, question=question, language=language)
    reply: Json = yield from ask("answer", prompt, schema("capabilities"), max_tokens=300)
    return str(reply["answer"])


def _abilities(catalog: Catalog, namespace: str) -> str:
    """What an API can do: each of its operations, or what most of them are about."""
    own = {name: each for name, each in catalog.entries.items() if each.namespace == namespace}
    if len(own) <= _LISTED:
        return "; ".join(catalog[name].description.split("\n")[0][:80] for name in own)
    operations = [each.operation for each in own.values()]
    things = Counter(thing for each in operations for thing in each.tags or _first_word(each.path))
    common = ", ".join(thing for thing, _ in things.most_common(_LISTED))
    return f"{len(own):,} operations on {common}"


def _first_word(path: str) -> tuple[str, ...]:
    """The first part of a path that is no version and no parameter."""
    parts = (each for each in path.split("/") if re.fullmatch(r"(?!v\d)[A-Za-z][\w-]*", each))
    return tuple(islice(parts, 1))


def _bounded(text: str, max_chars: int = 4000) -> str:
    return text if len(text) <= max_chars else text[: text.rfind("\n", 0, max_chars)] + "\n..."
