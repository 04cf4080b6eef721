"""Takes one step that changes something: once for each thing that it is about, after consent."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus

from restwright.agents.execution.call_keys import change_key_of
from restwright.agents.execution.failure import Failure, failed, first_line, say
from restwright.agents.execution.tool_inputs import required_of
from restwright.agents.rest.caller import FilledArguments, fill_arguments, is_id
from restwright.agents.rest.envelope import find_refusal
from restwright.agents.rest.facts import (
    Fact,
    field_names,
    find_label,
    iterate_elements,
    iterate_members,
    iterate_scalars,
    values_at,
)
from restwright.agents.rest.finding import (
    LEFT_OUT,
    MAX_SELECTIONS,
    PART_READ,
    complete_arguments,
    find_unchosen,
    name_thing,
    supply_wanted,
)
from restwright.agents.rest.kept import (
    fill_up,
    is_sent,
    own_values,
    values_to_keep,
    with_kept,
    would_lose,
)
from restwright.agents.rest.lookup import id_of, supply_id
from restwright.agents.rest.plan import REFERENCE, PlanStep
from restwright.agents.rest.provenance import (
    find_named,
    find_numbers,
    is_in_text,
    normalize_scalars,
    normalize_text,
)
from restwright.agents.rest.query import find_listings, is_day
from restwright.agents.rest.run import ACCEPTED, RestRun, short_name
from restwright.agents.rest.said_ids import find_called, find_only, find_said
from restwright.agents.rest.selector import select_operations
from restwright.agents.rest.spoken import has_words
from restwright.agents.rest.suppliers import (
    find_lists_beside,
    find_reads_at,
    is_at,
    is_known_id,
    item_path,
    iterate_producers,
    names_ids,
    shared_ids,
)
from restwright.agents.rest.unsaid import find_borrowed, find_confused, leave_unsaid
from restwright.agents.steps import Call, Steps
from restwright.calls.response.result import Result
from restwright.calls.truncate import shorten_line
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.producers.paths import (
    collection_path,
    is_path_end,
    is_path_prefix,
    is_same_path,
    last_static_segment,
)
from restwright.tools.text.words import split_words
from restwright.tools.tool import Input, Tool

_UNREADABLE = "nothing reads it"
_WORD = re.compile(r"[^\W_]+")

_MAX_NAME_CHARS = 80
_MAX_BESIDE = 8

MAX_CHANGES = 20
"""As many things are changed by one step."""

REPEATED = Failure("it is the same as what was done before")
"""Why a write is not made: the same one was made before in this run."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a step has changed, one fact a call; and why it was not all."""

    facts: tuple[Fact, ...]
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """
    One call of a change.

    Args:
        notes: Where the arguments come from that the user did not say.
        left_out: What the model had written too, and nobody said.
        name: Of the thing, where it is one of several.
        changed: The inputs whose values are of no response: what the thing is to get.
    """

    arguments: JsonObject
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    name: str = ""
    changed: frozenset[str] = frozenset()


def change(run: RestRun, step: PlanStep) -> Steps[Change | Failure]:
    """
    Make the change of a step.

    Each call is the operation that the model chose, sent once. The first that fails ends the step;
    where one is not sent, because it cannot make this change, the model chooses once more.

    Returns:
        What was done; or why nothing was.
    """
    if why := unmet_condition(run, step):
        return why
    if whole := _find_made_with(run, step):
        run.merged.append(f"{step.what}: taken for a part of: {whole.what}")
        return Change(())
    failure = Failure("no operation makes this change", final=True)
    fits: Callable[[Tool], bool] | None = None
    chosen: Sequence[Tool | Fact] = ()
    for _ in range(MAX_SELECTIONS):
        # The model has said the second best too.
        others = [one for one in chosen[1:] if not isinstance(one, Fact)]
        chosen = [*filter(fits, others)] if fits else others
        if chosen:
            name = short_name(chosen[0], run.catalog)
            yield say("select", f"{name} to {run.describe(step)}", tool=chosen[0].name)
        else:
            chosen = yield from select_operations(run, step, fits=fits)
        if not chosen or isinstance(tool := chosen[0], Fact):
            break
        outcome = yield from change_by(run, tool, step)
        if isinstance(outcome, Change) or outcome.final:
            return outcome
        failure = replace(outcome, final=True)
        run.ruled_out.setdefault(step.id, set()).add(tool.name)
        fits = _taking_things(run, step)
    return failure


def _taking_things(run: RestRun, step: PlanStep) -> Callable[[Tool], bool] | None:
    """Whether an operation takes the ids of each of the several things that a step changes."""
    items = _items_of(run, step)
    if not (items and step.is_of_several):
        return None

    def takes(tool: Tool) -> bool:
        ids = [name for name in required_of(tool) if is_id(run, tool, name)]
        return not isinstance(_ids_of_each(run, tool, step, ids, items), Failure)

    return takes


def change_by(run: RestRun, tool: Tool, step: PlanStep) -> Steps[Change | Failure]:
    """
    Make the change of a step with an operation that the model chose.

    Returns:
        What was done; or why nothing was.
    """
    targets = yield from _find_targets(run, tool, step)
    if isinstance(targets, Failure):
        return targets
    done: list[Fact] = []
    calls = tuple(f"{run.call_text(tool, one.arguments)}{_quote(one.name)}" for one in targets)
    for target in targets:
        outcome = yield from _write(run, tool, step, target, calls if len(calls) > 1 else ())
        if isinstance(outcome, Failure):
            if not done:
                return outcome
            # What was done is not done again by another operation.
            why = f"{outcome.why} ({len(done)} of {len(targets)} are done)"
            return Change(tuple(done), replace(outcome, why=why))
        # Without its name all that is known may be told as done, and with what is left out that.
        is_one_of_all = run.is_small and target.name and _exceptions_of(run, step)
        what = first_line(tool) if is_one_of_all else outcome.what
        done.append(replace(outcome, what=f"{what}{_quote(target.name)}"))
    return Change(tuple(done))


def _quote(name: str) -> str:
    return f" “{name}”" if name else ""


def _find_made_with(run: RestRun, step: PlanStep) -> Fact | None:
    """
    Return the creation of this run whose call has all words of a step that is to create too.

    A small model plans what a new thing is to have as further things, or as a change of it: what
    that names is in the call then.
    """
    if not run.is_small:
        return None
    made = {other.id for other in run.plan.steps if other.effect == "create"}
    done = [fact for fact in run.facts if fact.kind == "done" and fact.step in made]
    if step.effect == "create" and not step.of:
        words = set(_WORD.findall(normalize_text(step.what)))
        return next((fact for fact in done if words and words <= _words_of_call(fact)), None)
    exact = [*find_named(step.what), *find_numbers(REFERENCE.sub("", step.what))]
    if step.effect != "update" or not exact:
        return None
    own = {one.id: normalize_text(one.what) for one in run.plan.steps}
    # What the creation itself was to have may be meant of something else too.
    given = (
        (fact, normalize_scalars(fact.arguments))
        for fact in done
        if fact.step in step.of and not any(is_in_text(one, own[fact.step]) for one in exact)
    )
    return next((fact for fact, text in given if all(is_in_text(one, text) for one in exact)), None)


def _words_of_call(fact: Fact) -> set[str]:
    """The words of the names and the values of a call's arguments, normalised."""
    names = (word for name in field_names(fact.arguments) for word in name)
    return {*names, *_WORD.findall(normalize_scalars(fact.arguments))}


def unmet_condition(run: RestRun, step: PlanStep) -> Failure | None:
    """Why a condition keeps a step from being taken: it is not met, or nobody knows."""
    if step.condition is None:
        return None
    number, holds = step.condition.step, step.condition.holds
    fact = run.fact(number)
    what = next((run.describe(other) for other in run.plan.steps if other.id == number), "")
    unknown = Failure(f"it could not be found out {what}", final=True)
    if fact is None or not isinstance(fact.value, bool):
        return unknown
    # What holds for none of a part may hold for one of the rest.
    if not fact.value and PART_READ in fact.notes:
        return unknown
    if fact.value is holds:
        return None
    why = f"its condition is not met: {what}: {fact.value}"
    return Failure(why, final=True, stopped="answered")


def _find_targets(run: RestRun, tool: Tool, step: PlanStep) -> Steps[Sequence[Target] | Failure]:
    """The arguments of each call: one call, or one for each thing that was read."""
    items = _items_of(run, step)
    ids = [name for name in required_of(tool) if is_id(run, tool, name)]
    exceptions = _exceptions_of(run, step)
    is_new = step.effect == "create" and not step.of
    if is_new or not (step.is_of_several or exceptions):
        return (yield from _arguments_of_one(run, tool, step, ids, items))
    return (yield from _arguments_of_several(run, tool, step, ids, items, exceptions))


def _arguments_of_several(
    run: RestRun,
    tool: Tool,
    step: PlanStep,
    ids: Sequence[str],
    items: Sequence[tuple[JsonObject, str]],
    exceptions: Sequence[str],
) -> Steps[Sequence[Target] | Failure]:
    """The arguments of a call for each thing that was read and is not left out."""
    if not items:
        return Failure("which things are meant was not read", final=True)
    kept = _without_exceptions(run, items, exceptions)
    if isinstance(kept, Failure):
        return kept
    if named := _find_named_among(run, step, kept):
        return Failure(f"whether {named!r} is meant or left out is not known", final=True)
    most = MAX_CHANGES if step.limit is None else min(step.limit, MAX_CHANGES)
    if len(kept) > most:
        return Failure(f"{len(kept)} things were found, which are more than {most}", final=True)
    targets = yield from _arguments_of_each(run, tool, step, ids, kept)
    if isinstance(targets, Failure):
        return targets
    pairs = zip(kept, targets, strict=True)
    if not all(_has_already(tool, item, target.arguments) for (item, _), target in pairs):
        return targets
    # By what they are to get, a small model chooses which they are: then these are not all.
    if not (yield from _choose_again(run, tool, step, targets[0])):
        return Failure("all that were found have this already", final=True)
    items = _items_of(run, step)
    return (yield from _arguments_of_several(run, tool, step, ids, items, exceptions))


def _gives_others(run: RestRun, tool: Tool, step: PlanStep, filled: FilledArguments) -> bool:
    """
    Whether a call gives things anything but what they were not chosen by, to get it, or gives it
    them as what the step has no word of.
    """
    to_get = {value for number in step.of for value in run.to_get.get(number, ())}
    given: JsonObject = {
        one.target: filled.arguments[one.name]
        for one in _list_given(tool, filled.arguments)
        if filled.sources.get(one.name, "found") != "found"
    }
    what = normalize_text(step.what)
    is_named = all(has_words(name, what) for name, _ in iterate_members(given))
    changed = {normalize_text(str(one)) for one in iterate_scalars(given)}
    return bool(to_get) and not (is_named and changed == to_get)


def _choose_again(run: RestRun, tool: Tool, step: PlanStep, target: Target) -> Steps[bool]:
    """Choose the things of a change again, and by nothing that they are to get."""
    given = _list_given(tool, target.arguments)
    fields = frozenset(one.target for one in given if one.name in target.changed)
    for number in step.of:
        if (yield from find_unchosen(run, number, fields)):
            return True
    return False


def _has_already(tool: Tool, item: JsonObject, arguments: JsonObject) -> bool:
    """Whether a thing has all that a call would give it."""
    given = _list_given(tool, arguments)
    return bool(given) and all(
        field.target in item and item[field.target] == arguments[field.name] for field in given
    )


def _list_given(tool: Tool, arguments: JsonObject) -> list[Input]:
    """The properties of its body that a call gives."""
    return [
        field
        for field in tool.inputs
        if field.location == "body_property" and field.name in arguments
    ]


def _arguments_of_one(
    run: RestRun,
    tool: Tool,
    step: PlanStep,
    ids: Sequence[str],
    items: Sequence[tuple[JsonObject, str]],
) -> Steps[Sequence[Target] | Failure]:
    """The arguments of one call, which is about one thing that was read."""
    facts = (run.fact(number) for number in step.of)
    if any(len(fact.items) > 1 for fact in facts if fact):
        return Failure("which one of several is meant is not known", final=True)
    fixed = {
        name: value
        for name in ids
        for item, source in items
        if (value := _own_id(run, tool, step, name, item, source)) is not None
    }
    known = (yield from _find_known_ids(run, tool, step, ids, fixed)) if run.is_small else fixed
    filled = yield from fill_arguments(run, tool, step, known)
    if twice := _find_taken_twice(run, step, filled, known.keys() - fixed.keys()):
        return Failure(
            f"whether {twice} is what it is made to, or to get, is not known", final=True
        )
    filled = yield from leave_unsaid(run, tool, step, filled)
    if not isinstance(filled, Failure):
        filled = yield from _identify(run, tool, step, filled)
    if isinstance(filled, Failure):
        return filled
    if several := _find_several_ids(run, tool, step, filled.arguments):
        return Failure(f"{several} names several things, and one is meant", final=True)
    read = _find_current(run, tool, ids, items)
    current = read or (yield from _read_current(run, tool, filled.arguments))
    if would_lose(tool, current, filled):
        return Failure(f"{tool.operation_name} would replace all that the thing has")
    filled = with_kept(filled, values_to_keep(tool, current, filled))
    arguments = yield from _complete_write(run, tool, step, filled, current)
    if isinstance(arguments, Failure):
        return arguments
    twin = yield from _find_twin(run, tool, step, arguments)
    return twin or [_as_target(run, filled, arguments)]


def _complete_write(
    run: RestRun, tool: Tool, step: PlanStep, filled: FilledArguments, current: JsonObject
) -> Steps[JsonObject | Failure]:
    """All arguments of a write about one thing, which have a place for what its step says."""
    is_checked = run.is_small or step.is_of_several
    is_known = not any(is_id(run, tool, name) for name in filled.wanted)
    if is_checked and is_known and (fault := _why_left_out(run, tool, step, _given(filled))):
        # Nobody is asked for the rest.
        return fault
    arguments = yield from complete_arguments(run, tool, step, filled)
    if isinstance(arguments, Failure):
        # Where the thing is not known, another operation would be about another one.
        is_lost = any(is_id(run, tool, name) for name in filled.wanted)
        return replace(arguments, final=arguments.final or is_lost)
    arguments = fill_up(tool, arguments, current)
    fault = _why_left_out(run, tool, step, arguments) if is_checked else None
    return fault or arguments


def _find_known_ids(
    run: RestRun, tool: Tool, step: PlanStep, ids: Sequence[str], fixed: JsonObject
) -> Steps[JsonObject]:
    """
    The ids in a path of which a small model has no choice.

    These are of things that were read, of what is the only one, and of what the list above it shows
    to be called as the step says.
    """
    known: JsonObject = {**(yield from find_only(run, tool, fixed)), **fixed}
    path = tool.operation.path
    for name in sorted(ids, key=lambda name: path.find(f"{{{name}}}")):
        # The thing itself may be told in other words than a name, and get one that another has.
        is_own = is_path_end(path, name) and step.effect != "create"
        if name not in known and item_path(tool, name) and not is_own:
            called = yield from find_called(run, tool, name, step, known)
            known |= {name: called[0]} if len(called) == 1 else {}
    return known


def _find_taken_twice(
    run: RestRun, step: PlanStep, filled: FilledArguments, ids: Collection[str]
) -> str:
    """A name that a step has once, and a call as that of one of some ids and as a value."""
    named = [*map(normalize_text, find_named(step.what))]
    others = {name: value for name, value in _given(filled).items() if name not in ids}
    values = {normalize_text(str(one)) for one in iterate_scalars(others)}
    called = (run.names.get(filled.arguments[name], "") for name in ids)
    return next(
        (one for one in called if named.count(text := normalize_text(one)) == 1 and text in values),
        "",
    )


def _find_twin(
    run: RestRun, tool: Tool, step: PlanStep, arguments: JsonObject
) -> Steps[Failure | None]:
    """
    Why nothing is created: a thing of that name is there; None for nothing.

    What cannot be done with a thing that is there, a small model does by making one called so, in
    the same list; or one of nothing but that name, in a list beside it.
    """
    if not run.is_small or step.effect != "create":
        return None
    given = {field.target: arguments[field.name] for field in _list_given(tool, arguments)}
    for reader in find_reads_at(run, tool, tool.operation.path):
        for item in (yield from _read_things(run, reader, tool, arguments)):
            label = find_label(item)
            name = given.get(label)
            if isinstance(name, str) and normalize_text(name) == normalize_text(item[label]):
                return Failure(f"there is one already whose {label} is {name!r}", final=True)
    texts = [*iterate_scalars(given)]
    if len(texts) != 1 or not isinstance(name := texts[0], str):
        return None
    for reader in find_lists_beside(run, tool)[:_MAX_BESIDE]:
        things = yield from _read_things(run, reader, tool, arguments)
        labels = {normalize_text(str(item.get(find_label(item)))) for item in things}
        if normalize_text(name) in labels:
            what = last_static_segment(reader.operation.path)
            return Failure(f"{name!r} is one of the {what} there, and nothing new", final=True)
    return None


def _read_things(
    run: RestRun, reader: Tool, tool: Tool, arguments: JsonObject
) -> Steps[Sequence[JsonObject]]:
    result = yield from _read_by(run, reader, tool, arguments)
    return [*iterate_elements(result.value)] if result.ok else ()


def _given(filled: FilledArguments) -> JsonObject:
    """All that a model has written for a call, with what has no source."""
    unsourced = {name: value for name, value in filled.wanted.items() if value is not None}
    return {**filled.arguments, **unsourced}


def _why_left_out(
    run: RestRun, tool: Tool, step: PlanStep, arguments: JsonObject
) -> Failure | None:
    """Why a call is not made: it has no place for what its step says."""
    left = _find_left_out(run, tool, step, arguments)
    why = f"{left} stands in no argument of {tool.operation_name}"
    return Failure(why, final=step.effect != "create") if left else None


def _find_left_out(run: RestRun, tool: Tool, step: PlanStep, arguments: JsonObject) -> str:
    """
    Return a quoted text or a number of a step that its call has nowhere; empty for none.

    A small model leaves out what it finds no place for, and the thing is not what was said. What
    its condition tests has its place there; a property may be called by its words.
    """
    test = step.condition.test if step.condition else ""
    known = normalize_text(f"{run.call_text(tool, arguments)}\n;{test}")
    # What a step before has in its words, and no things of, nothing else says.
    unread = [
        run.describe(one)
        for one in run.plan.steps
        if one.id in step.of and _has_no_things(run, one)
    ]
    what, fields = "\n".join((REFERENCE.sub("", step.what), *unread)), field_names(arguments)
    said = [name for name in find_named(what) if split_words(name) not in fields]
    parts = (*said, *find_numbers(what))
    return next((str(part) for part in parts if not is_in_text(part, known)), "")


def _has_no_things(run: RestRun, step: PlanStep) -> bool:
    fact = run.fact(step.id)
    return fact is not None and not fact.items


def _find_current(
    run: RestRun, tool: Tool, ids: Sequence[str], items: Sequence[tuple[JsonObject, str]]
) -> JsonObject | None:
    """Of the things of a step the one that the last id in the path is of; none for a PUT."""
    if tool.operation.method.upper() == "PUT":
        return None  # A list may have less of it than it must repeat.
    own = (
        item
        for name in ids[-1:]
        for item, source in items
        if id_of(run, tool, name, item, source) is not None
    )
    return next(own, None)


def _arguments_of_each(
    run: RestRun,
    tool: Tool,
    step: PlanStep,
    ids: Sequence[str],
    items: Sequence[tuple[JsonObject, str]],
) -> Steps[Sequence[Target] | Failure]:
    """The arguments of a call for each thing: its own ids, and the rest, which all have alike."""
    own = _ids_of_each(run, tool, step, ids, items)
    if isinstance(own, Failure):
        return own
    parents = _find_parents(run, tool, step)
    filled = yield from fill_arguments(run, tool, step, {**parents, **own[0]})
    filled = yield from leave_unsaid(run, tool, step, filled)
    if isinstance(filled, Failure):
        return filled
    if _gives_others(run, tool, step, filled):
        return Failure("which of the things are meant is not known", final=True)
    if any(would_lose(tool, item, filled) for item, _ in items):
        return Failure(f"{tool.operation_name} would replace all that the things have")
    kept = values_to_keep(tool, items[0][0], filled)
    settled = with_kept(filled, kept)
    first = yield from complete_arguments(run, tool, step, settled)
    if isinstance(first, Failure):
        return replace(first, final=True)
    alike = {name: value for name, value in first.items() if name not in kept}
    made = [
        {
            **values_to_keep(tool, item, replace(filled, wanted=settled.wanted)),
            **alike,
            **own_values(tool, filled, items[0][0], item),
            **one,
        }
        for (item, _), one in zip(items, own, strict=True)
    ]
    things = [item for item, _ in items]
    made = [fill_up(tool, one, thing) for one, thing in zip(made, things, strict=True)]
    if run.is_small and (text := find_borrowed(run, tool, step, things, made)):
        return Failure(f"nobody said {text!r}, which one of the things has", final=True)
    if why := _why_not_made(run, tool, step, things, made):
        return Failure(why, final=True)
    labels = [shorten_line(str(item.get(find_label(item), "")), _MAX_NAME_CHARS) for item in things]
    return [
        replace(_as_target(run, filled, arguments), name=label)
        for arguments, label in zip(made, labels, strict=True)
    ]


def _ids_of_each(
    run: RestRun,
    tool: Tool,
    step: PlanStep,
    ids: Sequence[str],
    items: Sequence[tuple[JsonObject, str]],
) -> list[JsonObject] | Failure:
    """The ids that each thing has for a call; why the things cannot all be told by them."""
    own: list[JsonObject] = []
    for item, source in items:
        found = {name: _own_id(run, tool, step, name, item, source) for name in ids}
        own.append({name: value for name, value in found.items() if value is not None})
    if not own or not own[0]:
        return Failure(f"the things have nothing that {tool.operation_name} takes")
    if any(one.keys() != own[0].keys() for one in own):
        return Failure("not all of the things have an id")
    located = {field.name for field in tool.inputs if field.location == "path"}
    missing = sorted(located - own[0].keys() - _find_parents(run, tool, step).keys())
    return Failure(f"the things do not say their {missing[0]}") if missing else own


def _own_id(
    run: RestRun, tool: Tool, step: PlanStep, name: str, item: JsonObject, source: str
) -> str | int | None:
    """
    The id that a thing has for a change; none of what it was read inside of.

    A card that knows its `board_id` is not the board that a DELETE of `/boards/{board_id}` ends.
    """
    is_around = _is_around(run, tool, step, name, source)
    return None if is_around else id_of(run, tool, name, item, source)


def _is_around(run: RestRun, tool: Tool, step: PlanStep, name: str, source: str) -> bool:
    """
    Whether a change is of what the things of a read are inside of, by its last id.

    What makes a new thing is inside of that itself.
    """
    thing, read = item_path(tool, name), run.catalog[source].operation.path if source else ""
    is_last = bool(thing) and "{" not in tool.operation.path[len(thing) :]
    is_inside = is_path_prefix(thing, read) and not is_same_path(thing, read)
    return is_last and is_inside and step.effect != "create"


def _why_not_made(
    run: RestRun,
    tool: Tool,
    step: PlanStep,
    things: Sequence[JsonObject],
    made: Sequence[JsonObject],
) -> str:
    """
    Why calls for several things are not made; empty where they may be.

    What a step quotes is what all of them are to get, or says which of the things are meant: then
    all of these have it, or what they were read by.
    """
    calls = [normalize_text(run.call_text(tool, one)) for one in made]
    if len({*calls}) < len(calls) and step.effect != "create":
        return f"one {tool.operation_name} would change several of them"
    held = [{normalize_text(str(one)) for one in iterate_scalars(thing)} for thing in things]
    read, fields = _list_read(run, step)
    for name in find_named(step.what):
        if all(is_in_text(name, call) for call in calls):
            continue
        if 0 < sum(normalize_text(name) in own for own in held) < len(held):
            return f"only some of them have {name!r}"
        is_field = all(split_words(name) in fields | field_names(one) for one in made)
        if not (is_field or is_in_text(name, read)):
            return f"{name} stands in no argument of {tool.operation_name}, and nothing read has it"
    return ""


def _list_read(run: RestRun, step: PlanStep) -> tuple[str, frozenset[tuple[str, ...]]]:
    """The texts of the reads that gave a step its things, with what it leaves out; the fields."""
    sources = {source for _, source in _items_of(run, step)}
    responses = [one for one in run.responses if one.tool in sources]
    bodies = [one.body for one in responses]
    calls = [run.call_text(run.catalog[one.tool], one.arguments) for one in responses]
    return normalize_scalars([*bodies, *calls, *step.exceptions]), field_names(bodies)


def _find_parents(run: RestRun, tool: Tool, step: PlanStep) -> JsonObject:
    """What the reads that gave the things of a step were called with: what these are inside of."""
    facts = [fact for fact in run.facts if fact.step in step.of]
    return {
        field.name: fact.arguments[field.name]
        for field in tool.inputs
        for fact in facts
        if field.location == "path" and field.name in fact.arguments
    }


def _find_several_ids(run: RestRun, tool: Tool, step: PlanStep, arguments: JsonObject) -> str:
    """The input that identifies several things by a list, for a step about one; empty for none."""
    if step.is_of_several:
        return ""
    lists = (name for name, value in arguments.items() if is_array(value) and len(value) > 1)
    return next((name for name in lists if is_id(run, tool, name) or names_ids(name)), "")


def _read_current(run: RestRun, tool: Tool, arguments: JsonObject) -> Steps[JsonObject]:
    """The thing that a write changes, as it is; empty where nothing is to be kept or read of it."""
    names = [field.name for field in tool.inputs if field.location == "path"]
    is_partial = tool.operation.method.lower() == "put" or any(
        name not in arguments for name in required_of(tool)
    )
    if not names or not is_partial or not set(names) <= arguments.keys():
        return {}
    unknown: JsonObject = {}
    for reader in _find_readers(run, tool, names[-1]):
        result = yield from _read_by(run, reader, tool, arguments)
        body = result.value if result.ok else None
        elements = (
            element
            for element in filter(is_object, (body, *iterate_elements(body)))
            if id_of(run, tool, names[-1], element, reader.name) == arguments[names[-1]]
        )
        thing = next(elements, unknown)
        # What is read of one thing may have it in an envelope, and a write likewise.
        is_of_one = is_at(reader, item_path(tool, names[-1]))
        forms = (thing, body) if is_of_one and is_object(body) else (thing,)
        if current := next((form for form in forms if is_sent(tool, form)), thing):
            return current
    return {}


def _read_by(run: RestRun, reader: Tool, tool: Tool, arguments: JsonObject) -> Steps[Result]:
    """Call a read with those arguments of a write that it needs too."""
    given = {name: arguments[name] for name in required_of(reader) if name in arguments}
    result, _ = yield from run.read_whole(reader, given | shared_ids(tool, arguments, reader))
    return result


def _items_of(run: RestRun, step: PlanStep) -> list[tuple[JsonObject, str]]:
    """The things that a step is about, each with the operation that gave it."""
    return [(item, fact.tool) for fact in run.facts_of(step) for item in fact.items]


def _exceptions_of(run: RestRun, step: PlanStep) -> tuple[str, ...]:
    """What a step leaves out, and what those leave out that its things come from."""
    sources = [other for other in run.plan.steps if other.id in step.of]
    return (*step.exceptions, *(name for one in sources for name in _exceptions_of(run, one)))


def _without_exceptions(
    run: RestRun, items: Sequence[tuple[JsonObject, str]], exceptions: Sequence[str]
) -> list[tuple[JsonObject, str]] | Failure:
    """
    Leave out what the plan names.

    A name that none of the things has that were read stops the change: else what is to be left out
    might be changed with the rest.
    """
    tools = {source for _, source in items}
    read = [
        element
        for response in run.responses
        if response.tool in tools
        for element in _list_elements(response.body)
    ]
    for exception in exceptions:
        if not any(_is_called(element, exception) for element in read):
            return Failure(f"which of them {exception!r} is, is not known", final=True)
    return [pair for pair in items if not any(_is_called(pair[0], name) for name in exceptions)]


def _list_elements(body: Json) -> list[JsonObject]:
    """The things of a response, those that are nothing but a text or a number among them."""
    plain = (one.items for one in find_listings(body) if one.is_plain)
    return [*iterate_elements(body), *(item for items in plain for item in items)]


def _find_named_among(
    run: RestRun, step: PlanStep, things: Sequence[tuple[JsonObject, str]]
) -> str:
    """
    Return what a step or those that give its things name of several things that are not all named.

    A small model may plan `all but X` without saying in a field that X is left out.
    """
    sources = [run.describe(other) for other in run.plan.steps if other.id in step.of]
    names = find_named("\n".join((step.what, *sources)))
    wanted = {normalize_text(name): name for name in names}
    # What else they have may be what they are to be set to.
    labels = [normalize_text(str(item.get(find_label(item)))) for item, _ in things]
    named = [wanted[label] for label in labels if label in wanted]
    return named[0] if 0 < len(named) < len(labels) else ""


def _is_called(item: JsonObject, name: str) -> bool:
    wanted = normalize_text(name)
    own = (value for value in item.values() if isinstance(value, str | int))
    return any(normalize_text(str(value)) == wanted for value in own)


def _identify(
    run: RestRun, tool: Tool, step: PlanStep, filled: FilledArguments
) -> Steps[FilledArguments | Failure]:
    """
    Make sure that every thing is known that a write is about, and that it is no other one's place.

    What things are inside of may be updated where the message itself says its id.
    """
    sources = {source for _, source in _items_of(run, step)}
    for name in (*filled.arguments, *filled.wanted):
        is_said = step.effect == "update" and filled.sources.get(name) == "said"
        if not is_said and any(_is_around(run, tool, step, name, source) for source in sources):
            return Failure(f"what was found is inside of what {tool.operation_name} changes")
    named = yield from name_thing(run, tool, step, filled)
    return (
        named if isinstance(named, Failure) else (yield from _find_things(run, tool, step, named))
    )


def _find_things(
    run: RestRun, tool: Tool, step: PlanStep, filled: FilledArguments
) -> Steps[FilledArguments | Failure]:
    """
    Make sure that every thing is known that a write names by its id.

    What the user said may be its id, which a read shows, or its name, which is looked up. A thing
    in the path must be found by either. One in the body that is not stays as it was said: nothing
    may list it.
    """
    known, found = dict(filled.arguments), dict[str, Json]()
    for name in [one for one in filled.wanted if item_path(tool, one)]:
        written = filled.wanted[name]
        value = yield from supply_wanted(run, tool, step, name, written, beside=known)
        if value is not None:
            found[name] = known[name] = value
    for name in [one for one in filled.arguments if is_id(run, tool, one)]:
        if not isinstance(known[name], str | int) or is_known_id(run, tool, name, known[name]):
            continue
        why = (yield from _try_id(run, tool, name, known)) if item_path(tool, name) else "unread"
        if not why:
            continue
        which = str(known[name])
        value = yield from supply_id(run, tool, name, step, which=which, is_name=True, beside=known)
        if value is not None:
            found[name] = known[name] = value
        elif failure := (yield from _why_unknown(run, tool, step, (name, known[name]), why)):
            return failure
    return replace(
        filled,
        arguments=known,
        sources={**filled.sources, **dict.fromkeys(found, "found")},
        wanted={name: value for name, value in filled.wanted.items() if name not in found},
    )


def _why_unknown(
    run: RestRun, tool: Tool, step: PlanStep, given: tuple[str, Json], why: str
) -> Steps[Failure | None]:
    """Why no change is made to a thing that nothing shows; None where one is made."""
    name, value = given
    if item_path(tool, name) and why != _UNREADABLE:
        # Of such things the message says another one, and so what is inside of that.
        said = (yield from find_said(run, tool)) if run.is_small else {}
        is_inside = step.effect == "update" and said.get(name, value) != value
        return Failure(f"{name} {value!r}: {why}", final=not is_inside)
    if (yield from _is_nowhere(run, tool, step, name, value)):
        return Failure(f"{name} {value!r}: there is none", final=True)
    return None


def _is_nowhere(run: RestRun, tool: Tool, step: PlanStep, name: str, value: Json) -> Steps[bool]:
    """
    Whether a list that has all of the things does not have the one that a function names.

    Args:
        name: An input beside the path, of a change to a thing that there has to be.
    """
    places = {field.name: field.location for field in tool.inputs}
    if step.effect not in {"update", "delete"} or places.get(name) != "query":
        return False
    for producer in iterate_producers(run, tool, name):
        if required_of(producer.tool) or not producer.path:
            continue
        result, is_whole = yield from run.read_whole(producer.tool, {})
        ids = [one for one, _ in values_at(result.value, producer.path)]
        return result.ok and is_whole and bool(ids) and value not in ids
    return False


def _try_id(run: RestRun, tool: Tool, name: str, arguments: JsonObject) -> Steps[str]:
    """Why no read shows the thing that an id is said to be of; empty where one does."""
    why = _UNREADABLE
    for reader in _find_readers(run, tool, name):
        result = yield from _read_by(run, reader, tool, arguments)
        if result.ok and is_known_id(run, tool, name, arguments[name]):
            return ""
        why = _explain_absence(result)
        if result.status == HTTPStatus.NOT_FOUND:
            break
    return why


def _explain_absence(result: Result) -> str:
    is_absent = result.ok or result.status == HTTPStatus.NOT_FOUND
    return "there is none" if is_absent else failed(result).why


def _find_readers(run: RestRun, tool: Tool, name: str) -> list[Tool]:
    """The reads of the thing that an input of a write identifies, and of the list above it."""
    path = tool.operation.path
    item = item_path(tool, name) or path
    above = collection_path(path, name)
    return [*find_reads_at(run, tool, item), *find_reads_at(run, tool, above)]


def _find_unshown(
    run: RestRun, tool: Tool, step: PlanStep, target: Target, result: Result
) -> Steps[str]:
    """
    A text or number that a thing was to get, and that neither the response nor a read of it shows.

    Empty for none, and where nothing reads the thing: an API may pass over what it does not know.
    """
    given = [one for one in _list_given(tool, target.arguments) if one.name in target.changed]
    scalars = [scalar for one in given for scalar in iterate_scalars(target.arguments[one.name])]
    values = [str(one) for one in scalars if not isinstance(one, bool) and not is_day(str(one))]
    names = [field.name for field in tool.inputs if field.location == "path"]
    if step.effect != "update" or not names:
        return ""
    left = [one for one in values if not is_in_text(one, normalize_scalars(result.value))]
    readers = find_reads_at(run, tool, item_path(tool, names[-1]))
    if not left or not readers:
        return ""
    read = yield from _read_by(run, readers[0], tool, target.arguments)
    shown = normalize_scalars(read.value)
    return next((one for one in left if read.ok and not is_in_text(one, shown)), "")


def _as_target(run: RestRun, filled: FilledArguments, arguments: JsonObject) -> Target:
    notes: list[str] = []
    for name, value in arguments.items():
        source = filled.sources.get(name, "found")
        if source == "derived":
            notes.append(f"{name} {value!r} is the model's own")
        elif source == "found":
            notes.append(f"{name} {value!r} is of {_find_origin(run, value)}")
    left_out = (
        LEFT_OUT.format(name=name, value=repr(value))
        for name, value in {**filled.wanted, **filled.left_out}.items()
        if name not in arguments
    )
    changed = (name for name in arguments if filled.sources.get(name, "found") != "found")
    return Target(arguments, tuple(notes), tuple(left_out), changed=frozenset(changed))


def _find_origin(run: RestRun, value: Json) -> str:
    """The call whose response holds all of a value, the latest; else that it was computed."""
    wanted = set(iterate_scalars(value))
    for response in reversed(run.responses):
        if wanted <= set(iterate_scalars(response.body)):
            return (
                f"the response of {run.call_text(run.catalog[response.tool], response.arguments)}"
            )
    return "an earlier result"


def _write(
    run: RestRun, tool: Tool, step: PlanStep, target: Target, batch: tuple[str, ...]
) -> Steps[Fact | Failure]:
    """Send one write; the same one is not sent twice."""
    arguments = target.arguments
    if change_key_of(tool, arguments) in run.written:
        return REPEATED
    if run.is_small and (name := find_confused(run, tool, arguments)):
        return Failure(f"{name} would be the very thing that the path names", final=True)
    for note in target.notes:
        yield say("note", f"{tool.operation_name}: {note}")
    notes = (*target.notes, *target.left_out)
    result = yield Call(tool=tool.name, arguments=arguments, notes=notes, batch=batch)
    assert isinstance(result, Result)  # noqa: S101  (the driver's contract)
    if not result.ok:
        run.refused[step.id] = change_key_of(tool, arguments)
        return replace(failed(result), final=True)
    refusal = find_refusal(run, tool, result.value)
    run.note_write(tool, arguments, result.value)
    if refusal:
        return Failure(f"whether it is done is not known; the API says: {refusal}", final=True)
    is_accepted = result.status == HTTPStatus.ACCEPTED
    if not is_accepted and (lost := (yield from _find_unshown(run, tool, step, target, result))):
        return Failure(f"whether it is done is not known; a read shows no {lost!r}", final=True)
    return Fact(
        what=run.describe(step),
        value=result.value,
        step=step.id,
        kind="done",
        tool=tool.name,
        arguments=arguments,
        items=(result.value,) if is_object(result.value) else (),
        notes=(*((ACCEPTED,) if is_accepted else ()), *target.left_out),
    )
