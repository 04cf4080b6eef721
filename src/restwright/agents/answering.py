"""The words at the end of a run: made by the model from facts, and held to them by code."""

from __future__ import annotations

import re

from restwright.agents.memory import Memory
from restwright.agents.prompts import render
from restwright.agents.replies import ask
from restwright.agents.steps import Message, Steps
from restwright.calls.result import shorten
from restwright.tools.catalog import Catalog
from restwright.typing import Json, JsonObject

_TRIES = 2
_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"answer": {"type": "string", "minLength": 1, "maxLength": 1200}},
    "required": ["answer"],
    "additionalProperties": False,
}


def facts_so_far(memory: Memory) -> str:
    """The findings as lines of text; empty where there are none."""
    return "\n".join(
        f"- {each.asked}{' (done)' if each.is_write else ''}: {shorten(each.value, 600)}"
        for each in memory.findings
    )


def compose_answer(question: str, memory: Memory, *, language: str) -> Steps[str]:
    """
    Let the model word the answer; twice, if it holds what no result holds or leaves a value out.

    Returns:
        The model's words, or the bare facts when these cannot be trusted.
    """
    facts = facts_so_far(memory)
    prompt = render("answer", question=question, facts=facts, language=language)
    messages = prompt
    for _ in range(_TRIES):
        reply = yield from ask("answer", messages, _SCHEMA, max_tokens=300)
        text = str(reply["answer"])
        wrong = unsupported(text, f"{question} {facts}") or left_out(text, memory)
        if not wrong:
            return text
        messages = (
            *prompt,
            Message("assistant", text),
            Message("user", f"Wrong: {wrong}. Answer again from the facts only."),
        )
    return facts


def unsupported(answer: str, facts: str) -> str:
    """What stands in `answer` but nowhere in `facts`: numbers, quoted words and addresses."""
    known = _numbers(facts)
    invented = [number for number in _numbers(answer) if number not in known]
    quoted = re.findall(r"[\"“«]([^\"”»]{2,80})[\"”»]|(\S+@\S+\w|https?://\S+\w)", answer)
    invented += [each for pair in quoted for each in pair if each and each not in facts]
    return f"{', '.join(invented)} is not in the facts" if invented else ""


def left_out(answer: str, memory: Memory) -> str:
    """A number or short text that was found as the whole of a fact, but is not in `answer`."""
    numbers = _numbers(answer)
    for finding in memory.findings:
        value = finding.value
        if isinstance(value, bool) or finding.is_write:
            continue
        if isinstance(value, int | float) and _plain(str(value)) not in numbers:
            if not _spelled(value, answer):
                return f"the value {value} of '{finding.asked}' is missing"
        elif isinstance(value, str) and len(value) < 60 and value.lower() not in answer.lower():
            if _numbers(value) - numbers or not _numbers(value):
                return f"the value {value!r} of '{finding.asked}' is missing"
    return ""


def _spelled(value: float, answer: str) -> bool:
    words = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
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
        tools = [tool for tool in catalog.tools if tool.namespace == namespace]
        summaries = "; ".join(tool.description.split("\n")[0][:80] for tool in tools[:30])
        first = api.description.split("\n")[0][:200]
        lines.append(f"API {namespace} ({api.title}): {first}\nIt can: {summaries}")
    apis = _bounded("\n".join(lines))
    prompt = render("capabilities", apis=apis, question=question, language=language)
    reply: Json = yield from ask("answer", prompt, _SCHEMA, max_tokens=300)
    return str(reply["answer"])


def _bounded(text: str, max_chars: int = 4000) -> str:
    return text if len(text) <= max_chars else text[: text.rfind("\n", 0, max_chars)] + "\n..."
