"""Takes one step that finds something out: reads, one after the other, until one gives it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from http import HTTPStatus

from restwright.agents.execution.failure import Failure, failed, say
from restwright.agents.execution.tool_inputs import required_of
from restwright.agents.prompting.templates import render
from restwright.agents.rest.amount import holds_for_count
from restwright.agents.rest.asked import Asked, Parsed
from restwright.agents.rest.asked_field import read_asked_field, without_envelope
from restwright.agents.rest.caller import FilledArguments, fill_arguments, find_narrowing, is_id
from restwright.agents.rest.envelope import find_content, tell_response
from restwright.agents.rest.facts import Fact, field_names, find_items, iterate_scalars
from restwright.agents.rest.lookup import MAX_PRODUCERS, known_ids, supply_id
from restwright.agents.rest.parser import list_around, parse_response, run_parser
from restwright.agents.rest.plan import PlanStep, leaves_out_same
from restwright.agents.rest.provenance import find_named, is_in_text, normalize_text
from restwright.agents.rest.run import RestRun, short_name
from restwright.agents.rest.said_ids import find_called, find_only, find_said
from restwright.agents.rest.selector import select_operations
from restwright.agents.rest.spoken import speaks_of_things
from restwright.agents.rest.suppliers import (
    find_lists_beside,
    find_reads_at,
    iterate_producers,
    names_ids,
)
from restwright.agents.steps import Question, Steps, UserAnswer
from restwright.calls.arguments.human_part import check_model_arguments, repair_model_arguments
from restwright.calls.json_lists import find_list_path, items_at
from restwright.calls.response.page_inputs import fill_all_choices, find_page_inputs, find_page_size
from restwright.calls.response.result import Result
from restwright.calls.truncate import shorten_json
from restwright.errors import UnusableReply
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.tools.catalog.filters import filter_catalog
from restwright.tools.producers.paths import (
    collection_path,
    is_of_thing,
    is_path_end,
    path_shape,
)
from restwright.tools.safety import is_called_read
from restwright.tools.search.analysis import tokenize_text
from restwright.tools.text.words import split_words
from restwright.tools.tool import Tool
from restwright.tools.toolset import match_tools

MAX_SELECTIONS = 2
"""As often is the selector asked for one step; it names two operations at most."""

_MAX_FACT_CHARS = 600
_MAX_LOOKUPS = 4
"""Of what a step needs: after more of them another operation is not chosen for it."""
_MAX_EACH = 8
"""Of things that a step names, and that are read one by one."""
_ALIKE = 2 / 3
PART_READ = "only a part of the list was read"
LEFT_OUT = "{name} {value} was neither said nor found, and is left out"

_YES_NO = "True or False: "
_COUNT = "how many: "


def find(run: RestRun, step: PlanStep) -> Steps[Fact | Failure]:
    """
    Find out what a step asks for.

    Returns:
        The fact, or why no operation gave it.
    """
    failure: Failure | None = None
    known = _find_known(run, step)
    looked_up = len(run.lookups)
    for place in range(MAX_SELECTIONS):
        if place and len(run.lookups) - looked_up > _MAX_LOOKUPS:
            break
        is_again = place > 0
        chosen = yield from _choose(run, step, known, is_again=is_again)
        if not chosen and is_again:
            chosen = _list_inside(run, step)
        outcome = yield from _try_reads(run, step, chosen)
        if isinstance(outcome, Fact) or (outcome and outcome.final):
            return outcome
        failure, known = _clearer(failure, outcome), None if known in chosen else known
    return failure or Failure(_why_none_fits(run, step))


def _why_none_fits(run: RestRun, step: PlanStep) -> str:
    """That no read fits; and which write is called like one, so that the user may say it is."""
    called_so = filter_catalog(
        run.catalog,
        lambda name, entry: is_called_read(entry.operation) and not run.is_read(run.catalog[name]),
    )
    found = match_tools(run.describe(step), called_so, 1)
    if not found:
        return "no operation fits"
    name = short_name(run.catalog[found[0].name], run.catalog)
    return (
        f"no operation fits; {name} is called like a read, but its method may change something: "
        f"--class {name}=read, or the policy, says that it does not"
    )


def _try_reads(
    run: RestRun, step: PlanStep, chosen: Sequence[Tool | Fact]
) -> Steps[Fact | Failure | None]:
    """What the first of some reads gives that gives something; why none does. None for no read."""
    empty: Fact | None = None
    failure: Failure | None = None
    for tool in chosen:
        if isinstance(tool, Fact):
            outcome = yield from _read_known(run, tool, step)
        else:
            outcome = yield from _read_or_look_up(run, tool, step)
        if isinstance(outcome, Fact) and outcome.value == [] and not run.plan.changes:
            # That none of them is so may be since others are meant; a change builds on no others.
            empty = empty or outcome
        elif isinstance(outcome, Fact):
            return outcome
        elif outcome.final:
            return empty or outcome
        else:
            failure = _clearer(failure, outcome)
    return empty or failure


def _clearer(earlier: Failure | None, later: Failure | None) -> Failure | None:
    """The later of two reasons; the earlier one where it alone says that there is no such thing."""
    is_known = earlier is not None and earlier.stopped == "answered"
    return later if later and not (is_known and later.stopped != "answered") else earlier


def _list_inside(run: RestRun, step: PlanStep) -> Sequence[Tool]:
    """The one read inside of most that the message says by its id; none where there are several."""
    tried = run.ruled_out.get(step.id, ())
    counts = {name: len(ids) for name, ids in run.places.items() if name not in tried}
    names = [name for name, count in counts.items() if count == max(counts.values())]
    return [run.catalog[name] for name in names] if len(names) == 1 else ()


def find_unchosen(run: RestRun, number: int, fields: frozenset[str]) -> Steps[bool]:
    """
    Read the things of a step again, chosen by no field of these: they are to get them.

    Returns:
        Whether other things were found, which the step gives from then on.
    """
    known = run.fact(number)
    step = next((one for one in run.plan.steps if one.id == number), None)
    if known is None or step is None or number in run.untested or not fields & known.keys:
        return False
    run.untested[number] = fields
    outcome = yield from _read_once(run, run.catalog[known.tool], step)
    if not isinstance(outcome, Fact) or outcome.items == known.items:
        return False
    run.facts[run.facts.index(known)] = outcome
    yield say("result", str(outcome)[2:])
    return True


def _choose(
    run: RestRun, step: PlanStep, known: Fact | None, *, is_again: bool
) -> Steps[Sequence[Tool | Fact]]:
    """What a step is read from: what needs no choice, else what the model chooses."""
    if known is not None and not is_again and _is_one_of(known, step):
        return (known,)
    # First for a step that code has added; for one of the plan where what was chosen gave nothing.
    if is_again is not step.is_added and (run.is_small or step.is_added):
        lists = yield from _choose_lists(run, step)
        if unread := [one for one in lists if one.name not in run.ruled_out.get(step.id, ())]:
            return unread
    return (yield from select_operations(run, step, known=known, is_again=is_again))


def _is_one_of(known: Fact, step: PlanStep) -> bool:
    """
    Whether a step asks for one of several things that are known, by a field that it quotes.

    They have it: no operation has to be chosen to read what was read.
    """
    if step.quantity != "one" or len(known.items) < 2:
        return False
    fields = field_names([*known.items])
    return any(split_words(name) in fields for name in find_named(step.what))


def _choose_lists(run: RestRun, step: PlanStep) -> Steps[Sequence[Tool]]:
    """
    The reads of the list whose things a change is made to, by the operation chosen for the change.

    The last id in its path is of the things of the list above it; else of those that supply it.
    None where the plan does not say that a step and a change are about the same things.
    """
    changes = (other for other in run.plan.changes if step.id in other.of)
    change = next((other for other in changes if other.effect != "create"), None)
    if change is None:
        return ()
    if not (step.is_added or leaves_out_same(step.exceptions, change.exceptions)):
        return ()
    chosen = yield from select_operations(run, change)
    tool = chosen[0] if chosen else None
    if tool is None or isinstance(tool, Fact):
        return ()
    ids = [field.name for field in tool.inputs if field.location == "path"]
    if not ids:
        return ()
    if lists := find_reads_at(run, tool, collection_path(tool.operation.path, ids[-1])):
        return lists
    suppliers = [producer.tool for producer in iterate_producers(run, tool, ids[-1])]
    suppliers.sort(key=lambda one: len(required_of(one)))
    return list({one.name: one for one in suppliers}.values())[:MAX_PRODUCERS]


def _read_once(run: RestRun, tool: Tool, step: PlanStep) -> Steps[Fact | Failure]:
    """Read by an operation; a reply that cannot be used rules out this one alone."""
    try:
        outcome = yield from read_by(run, tool, step)
    except UnusableReply as error:
        # What the model wrote is no fact that an answer may tell.
        yield say("note", str(error))
        outcome = Failure(f"{short_name(tool, run.catalog)} was not read: no reply could be used")
    run.ruled_out.setdefault(step.id, set()).add(tool.name)
    return outcome


def _read_or_look_up(run: RestRun, tool: Tool, step: PlanStep) -> Steps[Fact | Failure]:
    """Read once; where that gives nothing, by what look-ups for it were made with."""
    outcome = yield from _read_once(run, tool, step)
    for other in _list_looked_up(run, step):
        if isinstance(outcome, Fact) or outcome.final:
            break
        outcome = yield from _read_once(run, other, step)
    return outcome


def _list_looked_up(run: RestRun, step: PlanStep) -> list[Tool]:
    """
    The reads that look-ups were made with for the very thing that a step asks for, the best first.

    An operation that needs just what the step asks for is not the one that gives it. A read that
    found the thing of which the step asks a field may have that field as well.
    """
    wanted, ruled_out = run.describe(step), run.ruled_out.get(step.id, set())
    alike = [
        (run.catalog[name], fact)
        for (name, _, which), fact in run.lookups.items()
        if name not in ruled_out
        and (_is_alike(which, wanted) or (fact and _has_field(run, name, which, wanted)))
    ]
    # A search that found no thing says nothing of several.
    fit = [(tool, fact) for tool, fact in alike if fact or _is_list_alone(run, tool)]
    fit.sort(key=lambda lookup: lookup[1] is None)
    return list({tool.name: tool for tool, _ in fit}.values())


def _has_field(run: RestRun, name: str, which: str, wanted: str) -> bool:
    """Whether a text names a thing, and a field of several words that a read of it has."""
    if not is_in_text(which, normalize_text(wanted)):
        return False
    words = split_words(wanted)
    bodies = [response.body for response in run.responses if response.tool == name]
    return any(
        words[place : place + len(field)] == field
        for field in field_names(bodies)
        if len(field) > 1
        for place in range(len(words))
    )


def _is_list_alone(run: RestRun, tool: Tool) -> bool:
    """Whether nothing but ids has to be said to a read."""
    return all(is_id(run, tool, name) for name in required_of(tool))


def _is_alike(one: str, other: str) -> bool:
    """Whether two texts of the model say the same thing: most words of both are the same."""
    words, others = frozenset(split_words(one)), frozenset(split_words(other))
    return len(words & others) >= _ALIKE * max(1, len(words | others))


def _find_known(run: RestRun, step: PlanStep) -> Fact | None:
    """What was found of the things that a step is about, where one step has found them."""
    facts = [fact for number in step.of if (fact := run.fact(number)) and fact.items and fact.tool]
    return facts[0] if len(facts) == 1 else None


def compute(run: RestRun, step: PlanStep) -> Steps[Fact | Failure]:
    """
    Work a step out of the facts of earlier ones, by code that the model writes.

    A small one says by a query what it wants of the things of one fact.
    """
    known = _find_known(run, step)
    if run.is_small and known is not None:
        return (yield from _read_known(run, known, step))
    facts = {str(number): fact for number in step.of if (fact := run.fact(number))}
    if not facts:
        return Failure("nothing was found to work it out of")
    lines = "\n".join(
        f"#{number} {fact.what}: {shorten_json(fact.shown, _MAX_FACT_CHARS)}"
        for number, fact in facts.items()
    )
    prompt = render("rest_computer", facts=lines, task=step.what)
    values: JsonObject = {number: fact.value for number, fact in facts.items()}
    parsed = yield from run_parser("computer", prompt, values, step.what)
    if parsed.value is None:
        return Failure("it could not be worked out")
    return Fact(
        what=run.describe(step),
        value=parsed.value,
        step=step.id,
        kind="computed",
        items=find_items(values, parsed.value),
        keys=parsed.keys,
    )


def read_by(run: RestRun, tool: Tool, step: PlanStep) -> Steps[Fact | Failure]:
    """
    Call one read, and take out of its response what the step asks for.

    A list is read plainly first: what would narrow it is left to what is asked of its response. The
    other inputs are filled in where the list is too long for that, or gives nothing. Another read
    that gives nothing is tried again without the arguments that it does not need.
    """
    given, *others = yield from _list_given(run, tool, step)
    if others:
        return (yield from _read_each(run, tool, step, (given, *others)))
    optional = find_narrowing(tool)
    filled = yield from fill_arguments(run, tool, step, given, without=optional)
    outcome = yield from _read_filled(run, tool, step, filled)
    is_part = isinstance(outcome, Fact) and PART_READ in outcome.notes
    if optional and (is_part or _is_vain(outcome)):
        narrowed = yield from fill_arguments(run, tool, step, filled.arguments)
        if narrowed.arguments.keys() & optional:
            plain = _last_body(run, tool)
            narrower = yield from _read_filled(run, tool, step, narrowed, known=plain)
            outcome = outcome if isinstance(narrower, Failure) else narrower
    needed = {name: value for name, value in filled.arguments.items() if name in required_of(tool)}
    if len(needed) < len(filled.arguments) and _is_lost(outcome):
        plain = yield from _read_filled(run, tool, step, replace(filled, arguments=needed))
        outcome = outcome if isinstance(plain, Failure) else plain
    return outcome


def _read_each(
    run: RestRun, tool: Tool, step: PlanStep, given: Sequence[JsonObject]
) -> Steps[Fact | Failure]:
    """Read each of several things by a call, and take out of them what the step asks for."""
    things: list[Json] = []
    for arguments in given:
        if mismatches := check_model_arguments(tool, arguments):
            return Failure(f"{short_name(tool, run.catalog)}: {mismatches[0]}")
        result, _ = yield from run.read_whole(tool, arguments)
        if not result.ok:
            return _why_unread(result, is_plain=True)
        things.append(without_envelope(result.value))
    together = {name: [one[name] for one in given] for name in given[0]}
    if missing := _find_unnamed(run, step, run.call_text(tool, together), things):
        return _absent(run, tool, missing, is_whole=True)
    parsed = yield from parse_response(run, tool, together, things, _ask_of(run, step))
    if _is_nothing(parsed, step):
        return _absent(run, tool, parsed.absent, is_whole=True)
    alike = {name: values[0] for name, values in together.items() if len({*values}) == 1}
    return _as_fact(run, tool, step, alike, things, parsed)


def _as_fact(
    run: RestRun,
    tool: Tool,
    step: PlanStep,
    arguments: JsonObject,
    body: Json,
    parsed: Parsed,
    notes: Sequence[str] = (),
) -> Fact:
    """What a step found in a response."""
    if parsed.to_get:
        run.to_get[step.id] = parsed.to_get
    return Fact(
        what=run.describe(step),
        value=parsed.value,
        step=step.id,
        tool=tool.name,
        arguments=arguments,
        items=parsed.things_of(body),
        keys=parsed.keys,
        notes=(*notes, *parsed.notes),
    )


def _is_lost(outcome: Fact | Failure) -> bool:
    """Whether a read gave nothing that it may give with other arguments."""
    return isinstance(outcome, Failure) and not outcome.final and not outcome.lacks_id


def _is_vain(outcome: Fact | Failure) -> bool:
    if isinstance(outcome, Failure):
        return _is_lost(outcome)
    is_zero = isinstance(outcome.value, int) and str(outcome.value) == "0"
    return is_zero or outcome.value == []


def _last_body(run: RestRun, tool: Tool) -> Json:
    read = (response.body for response in reversed(run.responses) if response.tool == tool.name)
    return next(read, None)


def _read_filled(
    run: RestRun, tool: Tool, step: PlanStep, filled: FilledArguments, *, known: Json = None
) -> Steps[Fact | Failure]:
    """
    Call a read with the arguments that were filled in, and take out of it what is asked.

    Args:
        known: What it gave without some of them: if that is all, they choose nothing, and the
            response is of nothing that they say.
    """
    arguments = yield from _complete(run, tool, step, filled)
    if isinstance(arguments, Failure):
        return arguments
    result, is_whole, arguments = yield from _call(run, tool, step, arguments)
    is_whole = is_whole and not _may_be_cut(tool, filled, result.value)
    if not result.ok:
        return _why_unread(result, is_plain=arguments.keys() <= {*required_of(tool)})
    content = _content_of(run, tool, result.value, known)
    if isinstance(content, Failure):
        return content
    if failure := _refuse_others(run, tool, step, arguments, content, is_whole=is_whole):
        return failure
    asked = replace(_ask_of(run, step), is_part=not is_whole)
    is_own = bool(filled.derived.keys() & arguments.keys())
    if _is_empty_list(tool, content, asked) and (run.is_small or not asked.is_condition):
        is_asked_of_thing = not (step.is_of_several or asked.is_count or asked.is_condition)
        if is_own or is_asked_of_thing:
            return _absent(run, tool, "", is_whole=is_whole)
        parsed = yield from _parse_none(run, tool, arguments, asked)
    else:
        parsed = yield from _parse(run, tool, step, arguments, content, asked)
    if _is_nothing(parsed, step):
        return _absent(run, tool, parsed.absent, is_whole=is_whole)
    notes = [] if is_whole else [PART_READ]
    notes += [
        f"{name} {filled.derived[name]!r} is assumed"
        for name in filled.derived
        if name in arguments
    ]
    return _as_fact(run, tool, step, arguments, content, parsed, notes)


def _content_of(run: RestRun, tool: Tool, body: Json, known: Json) -> Json | Failure:
    """What a response holds; why that is nothing of its arguments."""
    content, name = find_content(run, tool, body), short_name(tool, run.catalog)
    if content is None and body is not None:
        return Failure(f"{name} gave nothing; the API says: {tell_response(body)}")
    if known is not None and body == known:
        return Failure(f"{name} gives the same with and without them")
    return content


def _may_be_cut(tool: Tool, filled: FilledArguments, body: Json) -> bool:
    """Whether a list has as many things as were asked for where nobody said how many."""
    sizes = [size for name in filled.wanted if (size := find_page_size(tool, name))]
    path = find_list_path(body)
    return path is not None and any(len(items_at(body, path)) >= size for size in sizes)


def _why_unread(result: Result, *, is_plain: bool) -> Failure:
    """
    Why a read gave nothing; final is what nothing but its user or time can mend.

    Args:
        is_plain: Whether it was called with nothing but what it needs.
    """
    failure = failed(result)
    if result.repairable_by in {"user", "waiting"}:
        return failure
    return Failure(failure.why, lacks_id=is_plain and result.status == HTTPStatus.NOT_FOUND)


def _parse(
    run: RestRun, tool: Tool, step: PlanStep, arguments: JsonObject, body: Json, asked: Asked
) -> Steps[Parsed]:
    """Take what is asked out of a response, without a model where the step names it plainly."""
    is_plain = step.quantity == "one" and not asked.is_condition and not asked.period
    if run.is_small and is_plain:
        call, is_thing = run.call_text(tool, arguments), is_of_thing(tool.operation.path)
        if (parsed := read_asked_field(asked.what, call, body, is_thing=is_thing)) is not None:
            return parsed
    return (yield from parse_response(run, tool, arguments, body, asked))


def _parse_none(run: RestRun, tool: Tool, arguments: JsonObject, asked: Asked) -> Steps[Parsed]:
    """
    What a list of nothing says: how many there are, or which, and whether there are to be none.

    It says nothing of one that a condition names, and that the things are not inside of. Nor does
    one that was narrowed, leaves some out by default, or is a part, say that there are to be none;
    nor one of other things than may be meant.
    """
    if not asked.is_condition:
        return Parsed(0 if asked.is_count else [])
    is_narrowed = not all(is_id(run, tool, name) for name in arguments)
    is_some = is_narrowed or asked.is_part or bool(fill_all_choices(tool))
    if (
        is_some
        or not _is_list_meant(run, tool)
        or asked.list_apart(list_around(run, tool, arguments))
    ):
        return Parsed(None)
    return Parsed((yield from holds_for_count(asked.condition, 0)))


def _is_list_meant(run: RestRun, tool: Tool) -> bool:
    """Whether the message speaks of the things of a list, or these are in what has no other one."""
    path = path_shape(tool.operation.path)
    if speaks_of_things({*tokenize_text(run.said_in_english())}, path):
        return True
    return {path_shape(one.operation.path) for one in find_lists_beside(run, tool)} == {path}


def _is_empty_list(tool: Tool, body: Json, asked: Asked) -> bool:
    """Whether a response is a list of nothing, a page of one, or has nothing for a condition."""
    path = find_list_path(body)
    is_list = path == () or bool(find_page_inputs(tool))
    is_all = asked.is_condition and not any(iterate_scalars(body))
    return path is not None and (is_list or is_all) and not items_at(body, path)


def _absent(run: RestRun, tool: Tool, name: str, *, is_whole: bool) -> Failure:
    """Nothing is called so; that is known where all was read, and where something is named."""
    what = f"that is called {name!r}" if name else "for it"
    is_known = is_whole and bool(name)
    return Failure(
        f"{short_name(tool, run.catalog)} gave nothing {what}",
        stopped="answered" if is_known else "error",
    )


def _read_known(run: RestRun, known: Fact, step: PlanStep) -> Steps[Fact | Failure]:
    """Take what a step asks for out of the things that a step before has found."""
    body = known.items[0] if len(known.items) == 1 else [*known.items]
    tool = run.catalog[known.tool]
    if _find_unnamed(run, step, f"{run.call_text(tool, known.arguments)}\n;{known.what}", body):
        return Failure("what was found does not name it")
    asked = _ask_of(run, step)
    parsed = yield from _parse(run, tool, step, known.arguments, body, asked)
    if _is_nothing(parsed, step):
        return Failure("what was found does not hold it")
    return replace(
        known,
        kind="found",
        what=run.describe(step),
        value=parsed.value,
        step=step.id,
        items=parsed.things_of(body),
        keys=parsed.keys,
        notes=(*known.notes, *parsed.notes),
    )


def _find_unnamed(run: RestRun, step: PlanStep, call: str, body: Json) -> str:
    """
    Return the name in a step that neither the call nor the response has; empty for none.

    What they say is not of the thing that is called so. A field may be named too. Where nothing is
    changed by it, what only the plan names need not be there.
    """
    # What an added step quotes its things may be to get: the change sees to that.
    names = [] if step.is_added and run.is_small else find_named(step.what)
    if run.is_small and not run.plan.changes:
        # It has `no` in quotation marks too, which nobody said.
        names = [name for name in names if normalize_text(name) in run.said()]
    if not names:
        return ""
    held = _held_text(call, body)
    fields = field_names(body)
    return next(
        (name for name in names if not (is_in_text(name, held) or split_words(name) in fields)), ""
    )


def _refuse_others(
    run: RestRun,
    tool: Tool,
    step: PlanStep,
    arguments: JsonObject,
    body: Json,
    *,
    is_whole: bool,
) -> Failure | None:
    """Why a response says nothing of what a step names; None where it may."""
    call = run.call_text(tool, arguments)
    if name := _find_passed_over(run, step, call, body):
        return Failure(f"{short_name(tool, run.catalog)} says nothing of {name!r}")
    missing = _find_unnamed(run, step, call, body)
    return _absent(run, tool, missing, is_whole=is_whole) if missing else None


def _find_passed_over(run: RestRun, step: PlanStep, call: str, body: Json) -> str:
    """
    Return the name in a step whose id was looked up, of which a response is not; empty for none.

    It is of whatever its call was made for, or of what it names.
    """
    names, held = [name for name in run.names.values() if name], _held_text(call, body)
    if any(is_in_text(name, held) for name in names):
        return ""
    what = normalize_text(step.what)
    return next((name for name in names if is_in_text(name, what)), "")


def _held_text(call: str, body: Json) -> str:
    """All texts of a call and its response, normalised."""
    texts = (scalar for scalar in iterate_scalars(body) if isinstance(scalar, str))
    return normalize_text("\n;".join((call, *texts)))


def _is_nothing(parsed: Parsed, step: PlanStep) -> bool:
    is_number = step.quantity == "number"
    if parsed.value is None or (parsed.value == [] and not (step.is_of_several or is_number)):
        return True
    # A number is in what was read of a thing, or the thing is not what tells how many.
    return is_number and is_object(parsed.value) and not _has_count(parsed.value, parsed.keys)


def _has_count(value: Json, keys: Collection[str]) -> bool:
    """Whether a number or a list stands under one of the names in an object, however deep."""
    members = value.items() if is_object(value) else ()
    return any(
        (key in keys and not isinstance(member, bool) and isinstance(member, int | float | list))
        or _has_count(member, keys)
        for key, member in members
    )


def _complete(
    run: RestRun, tool: Tool, step: PlanStep, filled: FilledArguments
) -> Steps[JsonObject | Failure]:
    """The arguments of a read, with the id of what it is about."""
    named = yield from name_thing(run, tool, step, filled)
    if isinstance(named, Failure):
        return named
    return (yield from complete_arguments(run, tool, step, named))


def complete_arguments(
    run: RestRun, tool: Tool, step: PlanStep, filled: FilledArguments
) -> Steps[JsonObject | Failure]:
    """Look up the ids that are missing, and ask the user for what nothing else can say."""
    arguments = dict(filled.arguments)
    for name, written in filled.wanted.items():
        value = yield from supply_wanted(run, tool, step, name, written, beside=arguments)
        if value is not None:
            arguments[name] = value
        elif failure := _why_incomplete(run, tool, step, name, written):
            return failure
        else:
            yield say("note", LEFT_OUT.format(name=name, value=repr(written)))
    arguments = repair_model_arguments(tool, arguments).arguments
    if mismatches := check_model_arguments(tool, arguments):
        return Failure(f"{short_name(tool, run.catalog)}: {mismatches[0]}")
    return arguments


def supply_wanted(
    run: RestRun,
    tool: Tool,
    step: PlanStep,
    name: str,
    written: Json,
    *,
    beside: Mapping[str, Json],
) -> Steps[Json]:
    """
    Find what an input needs for which the caller had no source: by a look-up, or from the user.

    Args:
        written: What the caller wrote for it.
        beside: The other arguments that are known.
    """
    if is_id(run, tool, name):
        is_said = isinstance(written, str) and is_in_text(written, run.said())
        which = str(written) if is_said else ""
        return (yield from supply_id(run, tool, name, step, which=which, beside=beside))
    if name not in required_of(tool):
        return None
    size = find_page_size(tool, name) if run.is_read(tool) else None
    return (yield from _ask_user(run, tool, name, step)) if size is None else size


def name_thing(
    run: RestRun, tool: Tool, step: PlanStep, filled: FilledArguments
) -> Steps[FilledArguments | Failure]:
    """
    Make sure that a function that is about one thing is given its id.

    It may take that by an input of the query which its document does not require. What makes a new
    thing, and what gives a list, may be about none.
    """
    if "{" in tool.operation.path or step.effect == "create" or find_narrowing(tool):
        return filled
    named = [one.name for one in tool.inputs if one.location == "query" and names_ids(one.name)]
    ids = [name for name in named if any(iterate_producers(run, tool, name))]
    if not ids or any(name in filled.arguments for name in ids):
        return filled
    name, wanted = ids[0], dict(filled.wanted)
    written = wanted.pop(name, None)
    value = yield from supply_wanted(run, tool, step, name, written, beside=filled.arguments)
    if value is None:
        why = f"which {name} {short_name(tool, run.catalog)} is to be called with is not known"
        return Failure(why, final=step.kind == "change", lacks_id=True)
    arguments, sources = {**filled.arguments, name: value}, {**filled.sources, name: "found"}
    return replace(filled, arguments=arguments, sources=sources, wanted=wanted)


def _why_incomplete(
    run: RestRun, tool: Tool, step: PlanStep, name: str, written: Json
) -> Failure | None:
    """
    Why a call cannot be made without an argument; None where a read can.

    So can what creates a thing, without what the model has made up: the message has neither the
    value nor a word of the input's name, and it is no id, which may be that of what was meant.
    """
    if name in required_of(tool):
        why = f"{short_name(tool, run.catalog)} needs {name}, which was not found"
        return Failure(why, lacks_id=is_id(run, tool, name))
    is_made_up = (
        step.effect == "create" and not names_ids(name) and not _is_told(run, name, written)
    )
    if run.is_read(tool) or is_made_up:
        return None
    return Failure(f"{name} {written!r} was neither said nor found", final=True)


def _is_told(run: RestRun, name: str, written: Json) -> bool:
    """Whether a part of a value or of its input's name stands in the message, in English too."""
    said = run.said_in_english()
    if {*split_words(name)} & {*split_words(said)}:
        return True
    exact = (one for one in iterate_scalars(written) if not isinstance(one, bool))
    return any(is_in_text(one, said) for one in exact)


def _call(
    run: RestRun, tool: Tool, step: PlanStep, arguments: JsonObject
) -> Steps[tuple[Result, bool, JsonObject]]:
    """Call a read; where what the user said is no id there, look up what it is the name of."""
    result, is_whole = yield from run.read_whole(tool, arguments)
    if result.ok or result.status not in {HTTPStatus.NOT_FOUND, HTTPStatus.BAD_REQUEST}:
        return result, is_whole, arguments
    said = [one for one in required_of(tool) if is_in_text(_as_text(arguments[one]), run.said())]
    looked_up = arguments
    for name in [one for one in said if is_id(run, tool, one)]:
        which = str(arguments[name])
        value = yield from supply_id(run, tool, name, step, which=which, beside=looked_up)
        if value is not None and value != arguments[name]:
            looked_up = {**looked_up, name: value}
            again, is_whole = yield from run.read_whole(tool, looked_up)
            if again.ok:
                return again, is_whole, looked_up
    return result, is_whole, arguments


def _as_text(value: Json) -> str:
    return str(value) if isinstance(value, str | int) else ""


def _list_given(run: RestRun, tool: Tool, step: PlanStep) -> Steps[Sequence[JsonObject]]:
    """
    The ids that the steps before, or the names in this one, leave no choice of.

    There is one set of them, or one for each of several things that a step names.
    """
    given: JsonObject = {}
    path = tool.operation.path
    said = (yield from find_said(run, tool)) if run.is_small else {}
    for name in sorted(required_of(tool), key=lambda name: path.find(f"{{{name}}}")):
        if not is_id(run, tool, name):
            continue
        known: Sequence[str | int] = [*known_ids(run, tool, name, step)]
        if not known and (run.is_small or len(find_named(step.what)) > 1):
            called = yield from find_called(run, tool, name, step, given)
            if 1 < len(called) <= _MAX_EACH and is_path_end(path, name):
                return [{**given, name: value} for value in called]
            known = called if run.is_small else ()
        if len(known) == 1:
            given[name] = known[0]
        elif not known and name in said and given.items() <= said.items():
            given[name] = said[name]
        elif not known:
            given |= yield from _find_only(run, tool, name, given)
    return [given]


def _find_only(run: RestRun, tool: Tool, name: str, given: JsonObject) -> Steps[JsonObject]:
    """An id in a path of which there is only one, for a small model; nothing for any other."""
    only = (yield from find_only(run, tool)) if run.is_small else {}
    is_same = all(given.get(one, value) == value for one, value in only.items())
    return {name: only[name]} if is_same and name in only else {}


def _ask_of(run: RestRun, step: PlanStep) -> Asked:
    """What the parser is asked for, with what the plan says of it in fields."""
    changes = run.plan.changes
    conditions = run.plan.list_conditions(step.id)
    what, test = run.describe(step), conditions[0].test if conditions else ""
    is_condition = bool(conditions)
    is_thing = step.kind == "find" and step.quantity == "one" and not is_condition
    what = f"{what}: {test}" if test else what
    is_count = step.quantity == "number" and not is_condition
    what = f"{_COUNT if is_count else ''}{what}"
    what = f"{what}; {clauses}" if (clauses := step.clauses()) else what
    return Asked(
        what=f"{_YES_NO}{what}" if is_condition else what,
        condition=what if is_condition else "",
        is_thing=is_thing,
        is_count=is_count,
        deciding=frozenset(one.holds for one in conditions),
        has_test=bool(test),
        is_one=step.kind == "answer" and step.quantity == "one" and not is_condition,
        period=step.period,
        # What a change builds on, be it over other steps, is chosen by no order found on request.
        is_single=is_thing and not changes,
        is_to_change=any(step.id in one.of for one in changes),
        is_several=step.kind == "find" and step.is_of_several and not step.exceptions,
        applied=_find_applied(run, step),
        untested=run.untested.get(step.id, frozenset()),
        names_values=step.is_added,
    )


def _find_applied(run: RestRun, step: PlanStep) -> frozenset[str]:
    """The names by which the steps before have chosen their things, and not this one."""
    earlier = [other.what for other in run.plan.steps if other.id in step.of]
    names = {normalize_text(name) for what in earlier for name in find_named(what)}
    return frozenset(names - {*map(normalize_text, find_named(step.what))})


def _ask_user(run: RestRun, tool: Tool, name: str, step: PlanStep) -> Steps[Json]:
    reply = yield Question(
        f"{run.describe(step)}: what is {name}?",
        tool=tool.name,
        schema=tool.model_checks["properties"][name],
        name=name,
    )
    return reply.value if isinstance(reply, UserAnswer) else None
