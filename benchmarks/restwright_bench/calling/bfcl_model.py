"""A model answers questions of BFCL: calls to the functions offered, or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from restwright.agents.steps import Complete, Completion, Message, Model
from restwright.calls.arguments.check import check, parse_arguments, parse_model_arguments
from restwright.calls.arguments.feedback import feedback
from restwright.calls.arguments.repair import repair_arguments
from restwright.errors import LimitReached, UnreadableArguments, UnusableReply
from restwright.jsontypes import Json, JsonObject
from restwright.tools.text.json_bytes import to_json_bytes
from restwright.tools.tool import Tool
from restwright_bench.calling.bfcl_data import CATEGORIES, Question, questions
from restwright_bench.calling.kept import append, records
from restwright_bench.calling.prompt import LONGEST_REPLY, bounded

RULES = """\
Answer the user by calls to the functions below. Reply with one JSON object \
{"calls": [{"function": NAME, "arguments": {...}}]} and nothing else: one call for each thing \
that is asked for, and no call where no function fits."""
MAX_CALLS, MAX_TOKENS, MAX_REPLY = 8, 800, 600
ATTEMPTS = 3
DEADLINE_S = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """
    How one question was answered.

    Args:
        first_as_written: The calls of the first reply were right with nothing repaired.
        first: They were, perhaps after a repair.
        final: The calls of the last reply were; feedback was given while one did not fit its
            schema.
    """

    model: str
    question: str
    category: str
    first_as_written: bool
    first: bool
    final: bool
    attempts: int
    replies: tuple[str, ...]
    seconds: float
    error: str = ""


def run(model: Model, folder: Path, file: Path, *, each: int) -> tuple[Answer, ...]:
    """Answer `each` questions of every category, evenly spread; those in `file` are kept."""
    done = {(known.model, known.question): known for known in map(answer_from, records(file))}
    found: list[Answer] = []
    for category in CATEGORIES:
        for question in _spread(questions(folder, category), each):
            key = (model.name, question.id)
            if key not in done:
                done[key] = answer(model, question)
                append(file, asdict(done[key]))
            found.append(done[key])
    return tuple(found)


def _spread(every: Sequence[Question], count: int) -> list[Question]:
    count = min(count, len(every))
    return [every[place * len(every) // count] for place in range(count)]


def answer(model: Model, question: Question) -> Answer:
    """Ask until every call fits its schema, or no attempt is left, and judge the calls."""
    first = _request(question)
    request, error = first, ""
    completions: list[Completion] = []
    verdicts: list[tuple[bool, bool]] = []
    try:
        for _ in range(ATTEMPTS):
            completion = model.complete(request, deadline_s=DEADLINE_S)
            completions.append(completion)
            calls = _calls(completion.text)
            strictly = _is_right(question, calls) and _is_strict(completion.text)
            verdicts.append((strictly, _is_right_mended(question, calls)))
            wrong = _wrong(question, calls)
            if not wrong:
                break
            request = _again(first, completion.text, wrong)
    except (LimitReached, UnusableReply) as raised:
        error = str(raised)
    return Answer(
        model=model.name,
        question=question.id,
        category=question.category,
        first_as_written=bool(verdicts) and verdicts[0][0],
        first=bool(verdicts) and verdicts[0][1],
        final=bool(verdicts) and verdicts[-1][1] and not error,
        attempts=len(completions),
        replies=tuple(each.text[:MAX_REPLY] for each in completions),
        seconds=round(sum(each.elapsed_s for each in completions), 2),
        error=error,
    )


def _request(question: Question) -> Complete:
    lines = [
        f"Function {name}: {tool.description}\nArguments: {to_json_bytes(tool.shows).decode()}"
        for name, tool in question.tools.items()
    ]
    system = "\n\n".join([RULES, *lines])
    return Complete(
        role="caller",
        messages=(Message("system", system), Message("user", question.text)),
        schema=_reply_schema(question.tools),
        max_tokens=MAX_TOKENS,
    )


def _reply_schema(tools: Mapping[str, Tool]) -> JsonObject:
    choices: list[Json] = [
        {
            "type": "object",
            "properties": {"function": {"const": name}, "arguments": bounded(tool.checks)},
            "required": ["function", "arguments"],
            "additionalProperties": False,
        }
        for name, tool in tools.items()
    ]
    calls = {"type": "array", "maxItems": MAX_CALLS, "items": {"anyOf": choices}}
    return {
        "type": "object",
        "properties": {"calls": calls},
        "required": ["calls"],
        "additionalProperties": False,
    }


def _again(first: Complete, reply: str, wrong: str) -> Complete:
    more = (
        Message("assistant", reply[:LONGEST_REPLY] or "{}"),
        Message("user", f"{wrong}\nReply again."),
    )
    return Complete(
        role=first.role,
        messages=(*first.messages, *more),
        schema=first.schema,
        max_tokens=first.max_tokens,
    )


def _calls(text: str) -> list[JsonObject] | None:
    """The calls of a reply; None where it holds none that can be read."""
    try:
        calls = parse_model_arguments(text).value.get("calls")
    except UnreadableArguments:
        return None
    if not isinstance(calls, list) or not all(map(_is_call, calls)):
        return None
    return calls


def _is_strict(text: str) -> bool:
    try:
        return bool(parse_arguments(text, lenient=False))
    except UnreadableArguments:
        return False


def _is_call(value: Json) -> bool:
    return isinstance(value, dict) and isinstance(value.get("arguments"), dict)


def _wrong(question: Question, calls: list[JsonObject] | None) -> str:
    """What the model is told; nothing where all calls fit."""
    if calls is None:
        return 'That was no JSON object with "calls".'
    told: list[str] = []
    for call in calls:
        name = str(call.get("function"))
        if name not in question.tools:
            told.append(f"There is no function {name}.")
        elif found := check(question.tools[name], _mended(question, call)):
            told.append(feedback(name, found))
    return "\n".join(told)


def _mended(question: Question, call: JsonObject) -> JsonObject:
    return repair_arguments(question.tools[str(call["function"])], call["arguments"]).arguments


def _is_right(question: Question, calls: list[JsonObject] | None) -> bool:
    """Whether the calls are right with nothing repaired."""
    known = _known(question, calls)
    return (
        known is not None
        and not any(check(question.tools[each["function"]], each["arguments"]) for each in known)
        and _are_those(question, [(each["function"], each["arguments"]) for each in known])
    )


def _is_right_mended(question: Question, calls: list[JsonObject] | None) -> bool:
    known = _known(question, calls)
    return known is not None and _are_those(
        question, [(each["function"], _mended(question, each)) for each in known]
    )


def _known(question: Question, calls: list[JsonObject] | None) -> list[JsonObject] | None:
    """The calls, where all are of functions that are offered."""
    if calls is None or any(str(each.get("function")) not in question.tools for each in calls):
        return None
    return calls


def _are_those(question: Question, calls: Sequence[tuple[str, JsonObject]]) -> bool:
    """Whether the calls are the right ones, in whatever order."""
    left = list(calls)
    for right in question.calls:
        place = next(
            (
                index
                for index, (name, arguments) in enumerate(left)
                if name == right.name and right.accepts(arguments)
            ),
            None,
        )
        if place is None:
            return False
        left.pop(place)
    return not left


def answer_from(record: JsonObject) -> Answer:
    """An answer as it is kept."""
    return Answer(**{**record, "replies": tuple(record["replies"])})


def answers_table(answers: Iterable[Answer]) -> str:
    """A row a category, as Markdown: shares of the questions that were answered right."""
    counts: dict[str, Counter[str]] = {}
    for each in answers:
        found = counts.setdefault(each.category, Counter())
        said = ("first_as_written", "first", "final")
        found.update(["all", *(name for name in said if getattr(each, name))])
    head = "| Category | Questions | as written | first | final |\n| --- | --- | --- | --- | --- |"
    rows = [
        f"| {category} | {n['all']} | "
        + " | ".join(f"{n[name] / n['all']:.0%}" for name in ("first_as_written", "first", "final"))
        + " |"
        for category, n in counts.items()
    ]
    return "\n".join([head, *rows]) + "\n"
