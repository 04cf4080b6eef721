"""
The right calls of BFCL through our check, as they are and with faults in them.

Without a model, feedback is tried by a corrector that puts right what the feedback names, and
nothing else: a fault that is not named, or named in the wrong place, stays.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from restwright.calls.arguments.check import check, parse_arguments, parse_model_arguments
from restwright.calls.arguments.repair import repair_arguments
from restwright.calls.mismatch import Mismatch
from restwright.errors import UnreadableArguments
from restwright.jsontypes import JsonObject
from restwright.tools.tool import Tool
from restwright_bench.calling.bfcl_data import ANSWERED, RightCall, questions
from restwright_bench.calling.mutations import MUTATIONS

UNCHANGED, ALL = "as it is", "all faults"
MAX_ROUNDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """
    Calls of one category with one kind of fault; counts.

    Args:
        fault: A name of `MUTATIONS`, or `as it is`.
        harmless: Of the calls, those that still are the right call under their schema.
        as_written: Accepted without repair, though they are another call.
        repaired: The right call again after lenient reading and repair.
        misrepaired: Accepted after repair, as another call.
        one_round: Right after repair, or after one round of feedback.
        rounds: Right after repair, or after at most five rounds.
    """

    category: str
    fault: str
    calls: int
    harmless: int
    as_written: int
    repaired: int
    misrepaired: int
    one_round: int
    rounds: int


def accuracies(folder: Path, categories: Sequence[str] = ANSWERED) -> tuple[Accuracy, ...]:
    """Measure every category with every kind of fault."""
    return tuple(each for category in categories for each in _of_category(folder, category))


def _of_category(folder: Path, category: str) -> Iterator[Accuracy]:
    """Calls that their own schemas reject count only as they are: no repair can be right."""
    calls = [call for each in questions(folder, category) for call in each.calls]
    sound = [call for call in calls if not check(call.tool, call.arguments)]
    broken = len(calls) - len(sound)
    yield Accuracy(
        category=category,
        fault=UNCHANGED,
        calls=len(calls),
        harmless=sum(
            repair_arguments(each.tool, each.arguments).arguments == each.arguments
            for each in sound
        ),
        as_written=0,
        repaired=0,
        misrepaired=0,
        one_round=len(calls) - broken,
        rounds=len(calls) - broken,
    )
    for fault in MUTATIONS:
        yield _with_fault(category, fault, sound)


def _with_fault(category: str, fault: str, calls: Iterable[RightCall]) -> Accuracy:
    counts = Counter[str]()
    for call in calls:
        for text in MUTATIONS[fault](call.tool, call.arguments):
            counts["calls"] += 1
            counts.update(_found(call, text))
    return Accuracy(
        category=category,
        fault=fault,
        **{name: counts[name] for name in (*_COUNTED, "calls")},
    )


_COUNTED = ("harmless", "as_written", "repaired", "misrepaired", "one_round", "rounds")


def _found(call: RightCall, text: str) -> Iterator[str]:
    """Name what holds for one call with a fault."""
    accepted = _strictly(call.tool, text)
    if accepted is not None:
        yield "harmless" if accepted == call.arguments else "as_written"
        return
    arguments, mismatches = _mended(call.tool, text)
    if not mismatches:
        yield "repaired" if arguments == call.arguments else "misrepaired"
        if arguments != call.arguments:
            return
    needed = _rounds(call, arguments, mismatches)
    if needed <= 1:
        yield "one_round"
    if needed <= MAX_ROUNDS:
        yield "rounds"


def _strictly(tool: Tool, text: str) -> JsonObject | None:
    """The arguments, where they are accepted with nothing altered."""
    try:
        arguments = parse_arguments(text, lenient=False)
    except UnreadableArguments:
        return None
    return None if check(tool, arguments) else arguments


def _mended(tool: Tool, text: str) -> tuple[JsonObject, tuple[Mismatch, ...]]:
    try:
        arguments = repair_arguments(tool, parse_model_arguments(text).value).arguments
    except UnreadableArguments:
        return {}, (Mismatch("", "one JSON object", "no JSON"),)
    return arguments, check(tool, arguments)


def _rounds(call: RightCall, arguments: JsonObject, mismatches: Sequence[Mismatch]) -> int:
    """How many rounds of feedback it takes, one more than are allowed where they do not help."""
    for spent in range(MAX_ROUNDS + 1):
        if not mismatches:
            return spent if arguments == call.arguments else MAX_ROUNDS + 1
        arguments = corrected(call.arguments, arguments, mismatches)
        mismatches = check(call.tool, arguments)
    return MAX_ROUNDS + 1


def corrected(
    right: JsonObject, arguments: JsonObject, mismatches: Iterable[Mismatch]
) -> JsonObject:
    """
    Put right the arguments that the mismatches name; all of them where one names the whole.

    A name that does not exist is told with those that do: what has none of them yet is added.
    """
    named = {each.pointer.split("/")[1] if each.pointer else "" for each in mismatches}
    if "" in named:
        return right
    if named - right.keys():
        named |= right.keys() - arguments.keys()
    kept = {name: value for name, value in arguments.items() if name not in named}
    return {**kept, **{name: right[name] for name in right if name in named}}


def in_all(found: Sequence[Accuracy]) -> tuple[Accuracy, ...]:
    """One more line a category: all its faults together."""
    lines: list[Accuracy] = []
    for category in dict.fromkeys(each.category for each in found):
        faulty = [each for each in found if each.category == category and each.fault != UNCHANGED]
        counts = {
            name: sum(getattr(each, name) for each in faulty) for name in (*_COUNTED, "calls")
        }
        lines.append(Accuracy(category=category, fault=ALL, **counts))
    return tuple(lines)


def write(file: Path, found: Sequence[Accuracy]) -> None:
    """Write the counts as JSON, one object a line."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(asdict(each)) for each in found)
    file.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def accuracy_table(found: Iterable[Accuracy]) -> str:
    """
    A row a category and fault, as Markdown.

    The shares are of the calls that are faulty: right again after repair, after one and after
    five rounds of feedback, and accepted as another call than it was.
    """
    head = ("Category", "Fault", "Calls", "faulty", "repaired", "+ 1 feedback", "+ 5", "wrongly")
    rows = [_row(each) for each in found if each.calls]
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _row(each: Accuracy) -> tuple[str, ...]:
    faulty = each.calls - each.harmless
    shares = (each.repaired, each.one_round, each.rounds, each.as_written + each.misrepaired)
    if each.fault == UNCHANGED:
        return each.category, each.fault, str(each.calls), str(faulty), "", "", "", ""
    return (
        each.category,
        each.fault,
        str(each.calls),
        str(faulty),
        *(f"{share / faulty:.1%}" if faulty else "" for share in shares),
    )
