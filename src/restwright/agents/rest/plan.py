"""The plan of a message: steps with what each is to give, as the planner says it in fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, cast

from restwright.agents.rest.provenance import find_numbers, find_quoted, is_in_text, normalize_text
from restwright.jsontypes import JsonObject

StepKind = Literal["find", "change", "answer"]
Quantity = Literal["one", "some", "all", "number"]
Effect = Literal["create", "update", "delete", "other"]

ALWAYS_SAID = frozenset({"except", "condition"})
"""What a planner says of a step in any case: no names, or `null`, for nothing of the kind."""

REFERENCE = re.compile(r"#(\d{1,2})(?!\d)")


@dataclass(frozen=True, slots=True)
class Condition:
    """
    A step changes something only where what step `step` finds out is `holds`.

    Args:
        test: What is asked of it for that, such as `over 12`; empty where its own words are that.
    """

    step: int
    holds: bool
    test: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStep:
    """
    One step of a plan.

    Args:
        kind: `find` reads, `change` writes, `answer` works something out of what was found.
        effect: Of a change; `other` leaves open which.
        what: What is known or done at its end; `#1` is what step 1 gave.
        of: The earlier steps whose results it needs.
        quantity: What it gives, or changes: one thing, some, all, or a number.
        exceptions: What of several things it leaves out, by name.
        limit: How many of them it is about.
        period: The time that it speaks of, in the message's words: such as last week.
        is_added: Whether code has put it before a change, to read the things that it is made to.
    """

    id: int
    kind: StepKind
    what: str
    of: tuple[int, ...] = ()
    quantity: Quantity = "one"
    exceptions: tuple[str, ...] = ()
    condition: Condition | None = None
    limit: int | None = None
    period: str = ""
    effect: Effect = "other"
    is_added: bool = False

    @property
    def is_of_several(self) -> bool:
        """Whether it speaks of more than one thing."""
        return self.quantity in {"some", "all"}

    def clauses(self) -> str:
        """What it says of its things beside `what`, as a model reads it; empty for nothing."""
        parts = [
            f"at most {self.limit}" if self.limit is not None and self.is_of_several else "",
            f"except: {', '.join(self.exceptions)}" if self.exceptions else "",
        ]
        return "; ".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class Plan:
    """
    What a message comes to.

    Args:
        language: Of the message, as the planner calls it.
    """

    language: str
    steps: tuple[PlanStep, ...]

    @property
    def changes(self) -> Sequence[PlanStep]:
        """The steps that change something."""
        return [step for step in self.steps if step.kind == "change"]

    def list_conditions(self, number: int) -> list[Condition]:
        """What later steps depend on of what step `number` finds out; they test the same of it."""
        conditions = (step.condition for step in self.steps if step.condition)
        return [one for one in conditions if one.step == number]

    def is_needed(self, number: int) -> bool:
        """Whether a later step works with what step `number` gives."""
        return any(number in step.of for step in self.steps)


def read_plan(reply: JsonObject) -> Plan:
    """
    Read the planner's reply, which its schema has checked.

    Steps are numbered in their order. A step needs those that its words refer to or repeat, and
    those that it says it needs; later ones it cannot know. What is to be found twice is found once.
    """
    given = _without_repeated(cast("list[JsonObject]", reply["steps"]))
    numbers = {int(step["id"]): number for number, step in enumerate(given, 1)}
    steps = tuple(
        _read_step(step, number, numbers, given[: number - 1])
        for number, step in enumerate(given, 1)
    )
    return Plan(str(reply["language"]), steps)


def _without_repeated(steps: Sequence[JsonObject]) -> list[JsonObject]:
    """Steps without those that find what an earlier one does, which nothing refers to."""
    referred = {number for step in steps for number in _referred(step)}
    kept: list[JsonObject] = []
    for step in steps:
        is_repeated = any(_finding_of(step) == _finding_of(other) for other in kept)
        if step["kind"] != "find" or step["id"] in referred or not is_repeated:
            kept.append(step)
    return kept


def _finding_of(step: JsonObject) -> JsonObject:
    period = _period_of(step)
    return {**step, "id": 0, "of": sorted(step.get("of", ())), "period": period}


def _period_of(step: JsonObject) -> str:
    """The period of a step, if its own words have it: else a small model has it of nowhere."""
    period = str(step.get("period", ""))
    return period if is_in_text(period, normalize_text(str(step["what"]))) else ""


def find_plan_fault(reply: JsonObject, said: str) -> str:
    """
    What is wrong with a plan, for its planner; empty for nothing.

    Args:
        said: The conversation, normalised: a name that does not stand there is made up, or of one
            of the prompt's examples.
    """
    steps = cast("list[JsonObject]", reply["steps"])
    ids = [int(step["id"]) for step in steps]
    if len(set(ids)) < len(ids):
        return "two steps have the same id"
    for place, step in enumerate(steps):
        if step.get("condition", {}).get("step") == step["id"]:
            return f"step {step['id']} depends on itself, and not on what an earlier step finds"
        unknown = [number for number in _referred(step) if number not in ids[:place]]
        if unknown:
            return f"step {ids[place]} speaks of #{unknown[0]}, which is no earlier step"
        condition = step.get("condition")
        if condition and not _is_one_finding(steps[ids.index(int(condition["step"]))]):
            return (
                f"step {ids[place]} depends on #{condition['step']}, which is not one thing to find"
            )
        if condition and len(_tests_of(steps, int(condition["step"]))) > 1:
            return f"two things are asked of #{condition['step']}; find it in a step for each"
        named = find_quoted(str(step["what"])) if step["kind"] == "change" else ()
        if unsaid := _find_unsaid((*step.get("except", ()), *named), said):
            return f"the message does not name {unsaid!r}"
    return _find_spared(steps)


def _find_spared(steps: Sequence[JsonObject]) -> str:
    """What one step changes and another one is to leave out; empty for nothing."""
    spared = {normalize_text(str(name)) for step in steps for name in step.get("except", ())}
    for step in steps:
        # What a step leaves out itself its words may name.
        named = find_quoted(str(step["what"])) if step["kind"] == "change" else ()
        own = {normalize_text(str(name)) for name in step.get("except", ())}
        if found := [name for name in named if normalize_text(name) in spared - own]:
            return f"step {step['id']} changes {found[0]!r}, which the message leaves out"
    return ""


def _tests_of(steps: Sequence[JsonObject], number: int) -> set[str]:
    conditions = (step.get("condition") for step in steps)
    return {str(one.get("is", "")) for one in conditions if one and int(one["step"]) == number}


def _find_unsaid(names: Iterable[str], said: str) -> str:
    return next((str(name) for name in names if not is_in_text(str(name), said)), "")


def _is_one_finding(step: JsonObject) -> bool:
    return bool(step["kind"] != "change" and step["quantity"] == "one")


def find_made_up(reply: JsonObject, said: str) -> str:
    """
    What a plan names and the conversation does not, for its planner; empty for nothing.

    Args:
        said: The conversation, normalised.
    """
    names = find_quoted("\n".join(_words_of(reply)))
    unsaid = _find_unsaid(names, said)
    return f"the message does not name {unsaid!r}" if unsaid else ""


def find_omitted(reply: JsonObject, question: str) -> list[str]:
    """
    The quoted names and the numbers of a message, if a plan leaves one of them out.

    It stands in no step; or a step finds what a change depends on, and names nothing of it though
    the change does.
    """
    is_whole = not reply["steps"] or not list_unplanned(reply, question)
    return [] if is_whole and not _has_nameless(reply["steps"]) else _list_exact(question)


def list_unplanned(reply: JsonObject, question: str) -> list[str]:
    """The quoted names and the numbers of a message that stand in no step of a plan."""
    steps = cast("list[JsonObject]", reply["steps"])
    others = [(step.get("limit"), *step.get("condition", {}).values()) for step in steps]
    told = normalize_text("\n;".join((*_words_of(reply), *map(str, chain.from_iterable(others)))))
    numbers = {str(number): number for number in find_numbers(question)}
    return [part for part in _list_exact(question) if not is_in_text(numbers.get(part, part), told)]


def _list_exact(question: str) -> list[str]:
    names = (name.strip() for name in find_quoted(question))
    return [*names, *map(str, find_numbers(question))]


def _has_nameless(steps: Sequence[JsonObject]) -> bool:
    """Whether a change that names something depends on a finding that names nothing."""
    found = {int(step["id"]): step for step in steps if step["kind"] == "find"}
    return any(
        find_quoted(str(step["what"]))
        and (find := found.get(int(step.get("condition", {}).get("step", 0))))
        and not find_quoted(str(find["what"]))
        and not _needed(find, ())
        for step in steps
    )


def add_omitted(reply: JsonObject, question: str) -> JsonObject:
    """
    Return a plan of one step, which finds something, with the quoted names that it leaves out.

    They can be of nothing else.
    """
    names = [one for one in list_unplanned(reply, question) if one in find_quoted(question)]
    if not names or len(reply["steps"]) != 1 or has_change(reply):
        return reply
    (step,) = cast("list[JsonObject]", reply["steps"])
    told = ", ".join(f"\u2018{name}\u2019" for name in names)
    return {**reply, "steps": [{**step, "what": f"{step['what']} ({told})"}]}


def is_as_careful(other: JsonObject, reply: JsonObject) -> bool:
    """
    Whether a plan makes the changes of one before it, of no more things.

    Each has a condition where it had one; which one, is for what finds it.
    """
    changes, before = (
        [step for step in one["steps"] if step["kind"] == "change"] for one in (other, reply)
    )
    return len(changes) == len(before) and all(
        all(one.get(part) == earlier.get(part) for part in ("effect", "quantity"))
        and (not earlier.get("condition") or bool(one.get("condition")))
        and earlier.get("limit") in (None, one.get("limit"))
        and {*one.get("except", ())} >= {*earlier.get("except", ())}
        for one, earlier in zip(changes, before, strict=True)
    )


def names_as_much(other: JsonObject, reply: JsonObject, question: str) -> bool:
    """Whether a plan leaves out no more of what a message names than one before it."""
    return len(list_unplanned(other, question)) <= len(list_unplanned(reply, question))


def _words_of(reply: JsonObject) -> list[str]:
    steps = cast("list[JsonObject]", reply["steps"])
    return [str(part) for step in steps for part in (step["what"], *step.get("except", ()))]


def without_unsaid(reply: JsonObject) -> JsonObject:
    """Return a plan whose steps have no more than what they say: neither `null` nor no names."""
    steps = cast("list[JsonObject]", reply["steps"])
    said = [
        {name: part for name, part in step.items() if part or name not in ALWAYS_SAID}
        for step in steps
    ]
    return {**reply, "steps": said}


def separate_conditions(reply: JsonObject) -> JsonObject:
    """
    Return a plan in which what a change of one thing depends on is found by a step before it.

    A small model has such a change depend on itself, or on a step that it does not write, with its
    condition in its own words.
    """
    steps: list[JsonObject] = []
    ids = {int(step["id"]) for step in reply["steps"]}
    number = max(ids, default=0)
    for step in cast("list[JsonObject]", reply["steps"]):
        condition: JsonObject = step.get("condition") or {}
        is_own = condition.get("step") not in ids - {step["id"]} and bool(condition.get("is"))
        if not is_own or step["quantity"] != "one":
            steps.append(step)
            continue
        number += 1
        find: JsonObject = {"id": number, "kind": "find", "quantity": "one", "of": []}
        find |= {"what": _what_decides(str(condition["is"]), str(step["what"]))}
        steps += [find, {**step, "condition": {**condition, "step": number}}]
    return {**reply, "steps": steps}


def _what_decides(test: str, what: str) -> str:
    """What is to be found for a test: it says that itself where it names all that a step does."""
    names = {*find_quoted(test)}
    is_whole = bool(names) and names >= {*find_quoted(what)}
    return test if is_whole else f"what this depends on: {what}"


def has_change(reply: JsonObject) -> bool:
    """Whether a plan changes anything."""
    return any(step["kind"] == "change" for step in reply["steps"])


def has_condition(reply: JsonObject) -> bool:
    """Whether a change of a plan depends on what an earlier step finds."""
    return any(step["kind"] == "change" and step.get("condition") for step in reply["steps"])


def tell_exceptions(reply: JsonObject, said: str) -> JsonObject:
    """
    Return a plan whose steps tell in their words what they leave out by no name: `those over 30`.

    One that changes something is returned as it is: what is left out of that has to be known.

    Args:
        said: The conversation, normalised.
    """
    if has_change(reply):
        return reply
    steps = cast("list[JsonObject]", reply["steps"])
    return {**reply, "steps": [_with_told(step, said) for step in steps]}


def _with_told(step: JsonObject, said: str) -> JsonObject:
    exceptions = list(map(str, step.get("except", ())))
    told = [one for one in exceptions if not is_in_text(one, said)]
    if not told:
        return step
    what = f"{step['what']}, but not: {', '.join(told)}"
    return {**step, "what": what, "except": [one for one in exceptions if one not in told]}


def name_exceptions(reply: JsonObject) -> JsonObject:
    """Return a plan whose exceptions are names: `the one with the comment "roof"` is `roof`."""
    steps = cast("list[JsonObject]", reply["steps"])
    return {**reply, "steps": [_with_named(step) for step in steps]}


def _with_named(step: JsonObject) -> JsonObject:
    if "except" not in step:
        return step
    names = [name for one in map(str, step["except"]) for name in find_quoted(one) or [one]]
    return {**step, "except": names}


def add_finding(reply: JsonObject) -> JsonObject:
    """
    Return a plan in which each change of several things has a step before it that finds them.

    A small model leaves it out, and says no more when it is asked for it. Or it does not say that
    it is meant, though it leaves out the same.
    """
    steps: list[JsonObject] = []
    number = max((int(step["id"]) for step in reply["steps"]), default=0)
    for step in cast("list[JsonObject]", reply["steps"]):
        if not _changes_several(step) or _needed(step, steps):
            steps.append(step)
            continue
        if meant := [one for one in steps if _leaves_out_as(one, step)]:
            steps.append({**step, "of": [int(meant[-1]["id"])]})
            continue
        number += 1
        told = {name: step[name] for name in ("except", "limit", "period") if name in step}
        what = f"the things to which this is to be done: {step['what']}"
        find: JsonObject = {"id": number, "kind": "find", "what": what}
        find |= {"of": [], "quantity": "all", "is_added": True}
        steps += [{**find, **told}, {**step, "of": [number]}]
    return {**reply, "steps": steps}


def _leaves_out_as(find: JsonObject, step: JsonObject) -> bool:
    """Whether a step finds all things but those that a change leaves out."""
    is_alike = leaves_out_same(find.get("except", ()), step.get("except", ()))
    return find["kind"] == "find" and is_alike


def leaves_out_same(names: Iterable[str], others: Iterable[str]) -> bool:
    """Whether what two steps leave out is the same, and not nothing."""
    spared = {normalize_text(str(name)) for name in names}
    return bool(spared) and spared == {normalize_text(str(name)) for name in others}


def _changes_several(step: JsonObject) -> bool:
    if step["kind"] != "change" or step.get("effect") == "create":
        return False
    return step["quantity"] in {"some", "all"} or bool(step.get("except"))


def replace_references(what: str, texts: Mapping[int, str]) -> str:
    """Put in what each `#n` stands for; one that stands for nothing stays as it is."""
    return REFERENCE.sub(lambda match: texts.get(int(match[1]), match[0]), what)


def _read_step(
    step: JsonObject, number: int, numbers: Mapping[int, int], earlier: Sequence[JsonObject]
) -> PlanStep:
    known = {old: str(new) for old, new in numbers.items()}
    condition = step.get("condition")
    return PlanStep(
        id=number,
        kind=cast("StepKind", step["kind"]),
        what=REFERENCE.sub(
            lambda match: f"#{known.get(int(match[1]), match[1])}", str(step["what"])
        ),
        of=tuple(dict.fromkeys(numbers[one] for one in _needed(step, earlier) if one in numbers)),
        quantity=cast("Quantity", step["quantity"]),
        exceptions=tuple(str(name) for name in step.get("except", ())),
        condition=_read_condition(condition, numbers) if condition else None,
        limit=step.get("limit"),
        period=_period_of(step),
        effect=cast("Effect", step.get("effect", "other")),
        is_added=bool(step.get("is_added")),
    )


def _read_condition(condition: JsonObject, numbers: Mapping[int, int]) -> Condition:
    return Condition(
        numbers[int(condition["step"])], bool(condition["holds"]), str(condition.get("is", ""))
    )


def _needed(step: JsonObject, earlier: Sequence[JsonObject]) -> list[int]:
    what = normalize_text(str(step["what"]))
    repeated = [one for one in earlier if is_in_text(str(one["what"]), what)]
    # Beside others a small model names the step itself.
    others = [number for number in step.get("of", ()) if number != step["id"]]
    return [
        *(int(match) for match in REFERENCE.findall(str(step["what"]))),
        *map(int, others or step.get("of", ())),
        *(int(one["id"]) for one in repeated if one["kind"] == "find"),
    ]


def _referred(step: JsonObject) -> list[int]:
    condition = step.get("condition")
    return [*_needed(step, ()), *([int(condition["step"])] if condition else [])]
