"""What a small model fills in of a change, and nobody spoke of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from restwright.agents.execution.failure import Failure, say
from restwright.agents.rest.caller import FilledArguments, is_id, is_valid_input
from restwright.agents.rest.facts import iterate_members, iterate_scalars
from restwright.agents.rest.plan import PlanStep
from restwright.agents.rest.provenance import is_in_text, is_said, normalize_text
from restwright.agents.rest.run import RestRun
from restwright.agents.rest.spoken import find_spoken, has_words
from restwright.agents.rest.suppliers import PLAIN_IDS, item_path, names_ids
from restwright.agents.steps import Steps
from restwright.jsontypes import Json, JsonObject
from restwright.tools.producers.paths import last_static_segment
from restwright.tools.text.words import split_words
from restwright.tools.tool import Tool


def leave_unsaid(
    run: RestRun, tool: Tool, step: PlanStep, filled: FilledArguments
) -> Steps[FilledArguments | Failure]:
    """
    Leave out of a change what the message has neither by its name nor by its value.

    A small model fills in what it has seen of other things, and this one would get it. It is left
    out where something else is spoken of; else all may be the model's words for what was said. What
    is its own may be that still, so that consent and facts say that it is left out.
    """
    if not run.is_small or step.effect == "create" or run.is_read(tool):
        return filled
    said = run.said_in_english()
    open_names = [name for name in filled.arguments if not is_id(run, tool, name)]
    own = {name: filled.arguments[name] for name in open_names}
    spoken = {name: find_spoken(name, value, said) for name, value in own.items()}
    if all(value is None for value in spoken.values()):
        return filled
    others = {name for name, one in own.items() if _is_of_another(run, tool, step, name, one)}
    spoken = {name: None if name in others else value for name, value in spoken.items()}
    if all(value is None for value in spoken.values()):
        return Failure("nothing was said for it", final=True)
    kept = {
        name: value if is_valid_input(tool, name, value) else filled.arguments[name]
        for name, value in spoken.items()
        if value is not None
    }
    arguments = {
        name: kept.get(name, value)
        for name, value in filled.arguments.items()
        if name in kept or name not in spoken
    }
    wanted = {
        name: value
        for name, value in filled.wanted.items()
        if value is None
        or is_id(run, tool, name)
        or names_ids(name)
        or find_spoken(name, value, said) is not None
    }
    for name, value in {**filled.wanted, **filled.arguments}.items():
        if {**wanted, **arguments}.get(name) != value:
            yield say("note", f"{name} {value!r}: left out is what was not spoken of")
    dropped = {name: value for name, value in own.items() if name not in arguments}
    left_out = {
        name: value for name, value in dropped.items() if name in others or name in filled.derived
    }
    return replace(
        filled, arguments=arguments, wanted=wanted, left_out={**filled.left_out, **left_out}
    )


def _is_of_another(run: RestRun, tool: Tool, step: PlanStep, name: str, value: Json) -> bool:
    """
    Whether a value is said of something else than what a change gives, whose name its words lack.

    It stands in what the change depends on, in another step alone, or says what the thing is.
    """
    what, scalars = normalize_text(step.what), [*iterate_scalars(value)]
    if has_words(name, what) or not scalars:
        return False
    condition = step.condition if step.condition and step.condition.holds else None
    found = [other.what for other in run.plan.steps if condition and other.id == condition.step]
    test = normalize_text("\n;".join((*found, condition.test if condition else "")))
    kind = split_words(last_static_segment(tool.operation.path))
    if all(is_in_text(one, test) or split_words(str(one)) == kind for one in scalars):
        return True
    others = normalize_text(
        "\n;".join(one.what for one in run.plan.steps if one.id not in {step.id, *step.of})
    )
    return all(is_in_text(one, others) and not is_in_text(one, what) for one in scalars)


def find_confused(run: RestRun, tool: Tool, arguments: JsonObject) -> str:
    """
    The property of a body for which the id in the path is taken, though it is another thing's.

    The id of a task is that of no project, unless the user says so.
    """
    said = run.said()
    paths = {arguments[name]: item for name in arguments if (item := item_path(tool, name))}
    for name, value in iterate_members(_without_path(tool, arguments)):
        if not isinstance(value, str) or value not in paths or is_in_text(value, said):
            continue
        is_own = name.lower() in PLAIN_IDS or {*split_words(name)} & {*split_words(paths[value])}
        if not is_own:
            return name
    return ""


def find_borrowed(
    run: RestRun,
    tool: Tool,
    step: PlanStep,
    things: Sequence[JsonObject],
    calls: Sequence[JsonObject],
) -> str:
    """
    A text that a change of several things would give one of them, and that only others have.

    A small model that finds no value in the message takes one of what was read. What an earlier
    step has found by itself may be meant.

    Args:
        calls: The arguments for each of `things`.
    """
    said = run.said_in_english()
    alone = (fact for number in step.of if (fact := run.fact(number)) and len(fact.items) < 2)
    meant = {scalar for fact in alone for scalar in iterate_scalars(fact.value)}
    texts = {one for thing in things for one in iterate_scalars(thing) if isinstance(one, str)}
    for thing, call in zip(things, calls, strict=True):
        own = {*iterate_scalars(thing)} | meant
        for text in iterate_scalars(_without_path(tool, call)):
            if text in texts - own and not is_said(text, said):
                return str(text)
    return ""


def _without_path(tool: Tool, arguments: JsonObject) -> JsonObject:
    return {name: value for name, value in arguments.items() if not item_path(tool, name)}
