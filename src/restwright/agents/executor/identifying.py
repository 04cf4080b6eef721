"""
The ids that an operation needs: from the user's words, from earlier results, else looked up.

A look-up calls the operations that the document says can supply an id, the likeliest first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from restwright.agents.executor.filling import fill
from restwright.agents.executor.running import Run
from restwright.agents.marks import contained
from restwright.agents.memory.inputs import address_in, properties_of, required_of, words_input
from restwright.agents.memory.lookup import is_plainly, is_related, names_in, phrases
from restwright.agents.memory.memory import (
    MOST_OFFERED,
    Known,
    few,
    id_producers,
    label_of,
    mentioned,
    says_name_of,
    thing_of,
    values_at,
)
from restwright.agents.memory.referring import Reference
from restwright.agents.memory.wording import means_all
from restwright.agents.roles.outcome import Failure, say, text_schema
from restwright.agents.roles.prompts import render
from restwright.agents.roles.replies import ask, briefly
from restwright.agents.steps import Steps
from restwright.tools.offer import matches
from restwright.tools.producers import Producer
from restwright.tools.tool import Tool
from restwright.typing import Json, JsonObject, is_array, is_object

AT_ONCE = 5
"""As many things may be meant where a read needs one id."""

MOST_WRITES = 20
"""As many things are changed by one step, each by a call of its own."""

_DEPTH = 3
_RELEVANT = 30
_LONGEST_NAME = 80
# One word with digits in it, which is a key rather than a name that could be searched for.
_CODE = re.compile(r"(?=\S*\d)\S{8,}")
_SELF = frozenset({"me", "self", "whoami", "user", "account", "profile", "current_user"})
# What belongs to the user is listed for the user; a search over everybody's things misses it.
_OWN = re.compile(r"(?i)\b(my|mine|our|ours)\b")


@dataclass(frozen=True, slots=True)
class Sought:
    """What is looked up: a thing in words, and where its id stands in the response."""

    wanted: str
    path: tuple[str, ...]
    is_own: bool = False

    def found_in(self, body: Json) -> Json:
        """
        What code can tell of a response: the id and name of what is sought; False if it is not
        there, None where it takes reading.

        A thing is what has the name that is all that is said of it; the first one of several, as
        searches give the likeliest first. Where the whole response is what has the name, all that
        belongs to it is meant.
        """
        places = list(values_at(body, self.path)) if self.path else []
        if not places:
            return False if self.path else None
        if self.is_own:
            return _thing(self.path, *places[0])
        best: tuple[int, Json] = (0, None)
        for value, owner in places:
            label = label_of(owner)
            if len(label) > best[0] and is_plainly(self.wanted, label):
                best = (len(label), _thing(self.path, value, owner))
        if not best[0] and is_object(body) and is_plainly(self.wanted, label_of(body)):
            return [_thing(self.path, *each) for each in places[:AT_ONCE]]
        return best[1]


def _thing(path: tuple[str, ...], value: Json, owner: JsonObject) -> Json:
    return {path[-1]: value, "name": label_of(owner)}


Use: TypeAlias = Callable[[Run, Tool, str, int, Sought], Steps[Json | Failure]]
"""Calls an operation for a task, at a depth of look-ups, to find what is sought."""


def ids_for(
    run: Run, tool: Tool, task: str, use: Use, *, depth: int
) -> Steps[list[JsonObject] | Failure]:
    """
    Find the ids that `tool` requires: in the user's words, in the results, else by a look-up.

    Returns:
        The fixed arguments of each call to make: one, or several when a read is asked of several.
    """
    choices: list[JsonObject] = [{}]
    for name in _to_find(run, tool):
        known = yield from _candidates(run, tool, name, task, use, depth=depth)
        if isinstance(known, Failure):
            return known
        if not (run.is_read(tool) or _means_each(run, tool, name, task, known)):
            known = yield from _choose(run, tool, name, known, task)
        if is_list_of_ids(tool, name):
            known = (Known(_listed(tool, name, [each.value for each in known]), ""),)
        choices = [{**fixed, name: each.value} for fixed in choices for each in known]
    found = yield from _referred(run, tool, task, depth=depth)
    if isinstance(found, Failure):
        return found
    return (yield from _bounded(run, tool, [{**a, **b} for a in choices for b in found]))


def _bounded(run: Run, tool: Tool, choices: list[JsonObject]) -> Steps[list[JsonObject] | Failure]:
    """As many calls as a step makes: of a read the first few; of a write all, or none."""
    name, many = run.short_name(tool), len(choices)
    if many > MOST_WRITES and not run.is_read(tool):
        why = f"{name} would be called {many:,} times; a step changes at most {MOST_WRITES} things"
        return Failure(why, final=True)
    if many > AT_ONCE and run.is_read(tool):
        yield say("note", f"{name} is asked about {AT_ONCE} of {many:,} things only")
        return choices[:AT_ONCE]
    return choices


def _means_each(run: Run, tool: Tool, name: str, task: str, known: Sequence[Known]) -> bool:
    """Whether a change is to be made to each of some things: `close all my lists`."""
    if len(known) == 1:
        return True
    is_list, meant = is_list_of_ids(tool, name), _meant(run, tool, name)
    if meant and meant.sources:
        return is_list or meant.is_many
    said = f"{task} {run.question}"
    is_each_named = is_list and all(says_name_of(each, said) for each in known)
    return is_each_named or means_all(task, thing_of(tool, name))


def _to_find(run: Run, tool: Tool) -> Iterator[str]:
    """The ids that `tool` requires, and those that it takes of a kind that the step speaks of."""
    required = required_of(tool)
    for name in properties_of(tool):
        is_meant = name in required or any(each.is_of(thing_of(tool, name)) for each in run.about)
        if is_meant and id_producers(tool, name, run.beside(tool)):
            yield name


def _referred(run: Run, tool: Tool, task: str, *, depth: int) -> Steps[list[JsonObject] | Failure]:
    """
    What a write refers to by an address of its own (`uris`): that of the things that were found.

    Many kinds of things have one, so that the document does not say which operation supplies it.
    """
    about = _without_ids(run, tool)
    name = "" if run.is_read(tool) else _reference(tool, about)
    if not name:
        return [{}]
    key = _address(tool, name)
    known = next(filter(None, (each.held(key) for each in about)), ())
    if not known and not run.about:
        known = run.memory.held(key)
    wanted = next((each.text for each in about if not each.sources), "")
    if not known and run.find and (wanted or (name in required_of(tool) and not run.about)):
        wanted = wanted or (yield from _wanted(tool, name, task, "thing"))
        yield from run.find(run, wanted, depth + 1, ())
        known = run.memory.held(key)
    if not known and any(each.is_thing for each in about):
        return Failure(f"no {key} of {about[0].text} was found, which {run.short_name(tool)} needs")
    values = [each.value for each in known]
    if is_list_of_ids(tool, name):
        inside = "" if address_in(name) else key
        return [{name: _listed(tool, name, values, inside=inside)}] if values else [{}]
    return [{name: each} for each in values] or [{}]


def _without_ids(run: Run, tool: Tool) -> list[Reference]:
    """What a step speaks of, but for what `tool` takes by an id of that kind."""
    own = [name for name in properties_of(tool) if id_producers(tool, name, run.beside(tool))]
    things = [thing_of(tool, name) for name in own]
    return [each for each in run.about if not any(map(each.is_of, things))]


def _reference(tool: Tool, about: Sequence[Reference]) -> str:
    """The input for an address: one that speaks of such things, else a list, else any."""
    schemas = properties_of(tool)

    def rank(name: str) -> tuple[bool, bool]:
        said = str(schemas[name].get("description", ""))
        return not any(each.is_of(said) for each in about), not _is_list(tool, name)

    return min(_references(tool), key=rank, default="")


def is_list_of_ids(tool: Tool, name: str) -> bool:
    """Whether an input takes several ids or addresses: as a list, or as text with commas."""
    return _is_list(tool, name) or bool(re.search(r"(?i)(id|uri|urn|href)s$", name))


def _listed(tool: Tool, name: str, values: Sequence[str | int], *, inside: str = "") -> Json:
    """Values as a list, each under the key `inside` where there is one; else as text."""
    if not _is_list(tool, name):
        return ",".join(map(str, values))
    return [{inside: each} for each in values] if inside else [*values]


def takes(run: Run, tool: Tool, reference: Reference) -> bool:
    """Whether an operation can be given the id or the address of what was found."""
    beside = run.beside(tool)
    for name in properties_of(tool):
        if id_producers(tool, name, beside) and reference.known(tool, name, beside):
            return True
    if run.is_read(tool):
        return False
    return any(reference.held(_address(tool, name)) for name in _references(tool))


def _references(tool: Tool) -> Iterator[str]:
    """Inputs that are called like an address of a thing, the bodies' own before the others."""
    for name, schema in properties_of(tool).items():
        is_free = is_object(schema) and not schema.keys() & {"enum", "const"}
        if is_free and _address(tool, name):
            yield name


def _address(tool: Tool, name: str) -> str:
    """What kind of address an input takes (`uri`), or each object of the list that it takes."""
    if found := address_in(name):
        return found
    schema = properties_of(tool)[name]
    items: Json = schema.get("items") if is_object(schema) else None
    parts: JsonObject = items.get("properties", {}) if is_object(items) else {}
    return next((each for each in parts if address_in(each) == each), "")


def _is_list(tool: Tool, name: str) -> bool:
    schema = properties_of(tool)[name]
    return is_object(schema) and schema.get("type") == "array"


def is_within_reach(run: Run, tool: Tool) -> bool:
    """
    Whether each id that `tool` needs is said, known, or supplied by what needs no id itself.

    People name films and directors; the id of a credit turns up inside of other things only.
    """
    beside = run.beside(tool)
    for name in required_of(tool):
        found = id_producers(tool, name, beside)
        if not found or any(not needs_id(run, each.tool) for each in found):
            continue
        if not (mentioned(tool, name, run.question) or run.memory.known(tool, name, beside)):
            return False
    return True


def needs_id(run: Run, tool: Tool) -> bool:
    """Whether an operation cannot be called without an id that another one supplies."""
    return any(id_producers(tool, name, run.beside(tool)) for name in required_of(tool))


def _candidates(
    run: Run, tool: Tool, name: str, task: str, use: Use, *, depth: int
) -> Steps[tuple[Known, ...] | Failure]:
    said = mentioned(tool, name, run.question)
    known = run.memory.known(tool, name, run.beside(tool))
    # What an earlier turn found is meant only where the task says its name.
    before = run.known_before(tool, name)
    named = tuple(each for each in (*known, *before) if says_name_of(each, task))
    meant = _meant(run, tool, name)
    if meant and not meant.sources:
        # Another thing that is known is not the one that is named here.
        named, known = meant.names((*known, *before)), ()
    elif meant:
        named = meant.known(tool, name, run.beside(tool))
    found = said or named or known
    # Of many, none of which the task names, none is guessed.
    is_guess = len(found) > MOST_OFFERED and not run.is_read(tool)
    if found and not is_guess:
        return found
    return (yield from _look_up(run, tool, name, task, use, depth=depth))


def _meant(run: Run, tool: Tool, name: str) -> Reference | None:
    """What the step speaks of that `name` is the id of: what has one, else what is of that kind."""
    of_kind = sorted(run.about, key=lambda each: not each.is_of(thing_of(tool, name)))
    for each in of_kind:
        if each.sources and each.known(tool, name, run.beside(tool)):
            return each
    named = [each for each in run.about if not each.sources]
    fitting = [each for each in named if each.is_of(thing_of(tool, name))]
    return next(iter(fitting or (named if len(run.about) == 1 else [])), None)


def _choose(
    run: Run, tool: Tool, name: str, known: tuple[Known, ...], task: str
) -> Steps[tuple[Known, ...]]:
    """Let the model pick one of the known ids."""
    known = few(known, task)
    offered = {name: known}
    reply = yield from fill(run, tool, task, (name,), offered, ())
    return tuple(each for each in known if each.value == reply.get(name))[:1] or known[:1]


def _look_up(
    run: Run, tool: Tool, name: str, task: str, use: Use, *, depth: int
) -> Steps[tuple[Known, ...] | Failure]:
    """Call an operation that can supply `name`, and keep the ids that match the task."""
    thing = thing_of(tool, name)
    if depth >= _DEPTH:
        return Failure(f"no {thing} could be found for: {task}")
    meant = _meant(run, tool, name)
    wanted = meant.text if meant else (yield from _wanted(tool, name, task, thing))
    key = tool.operation.path, name, wanted
    if key in run.sought:
        return Failure(f"no {thing} matches: {wanted}")
    run.sought.add(key)
    if run.find and is_related(wanted):
        outcome = yield from run.find(run, wanted, depth + 1, _needing(run, tool, name))
        if known := run.memory.known(tool, name, run.beside(tool)):
            return known
        wanted = _name_of(outcome) or wanted
    for supplier in _suppliers(run, tool, name, wanted)[: _DEPTH - depth]:
        called = f"{run.short_name(supplier.tool)} to find {wanted}"
        yield say("select", called, tool=supplier.tool.name)
        sought = Sought(wanted, supplier.path, is_own=_is_own(run, tool, supplier, wanted))
        outcome = yield from use(run, supplier.tool, wanted, depth + 1, sought)
        known = run.memory.known(tool, name, run.beside(tool))
        if not isinstance(outcome, Failure) and known:
            yield say("result", ", ".join(f"{each.label} ({each.value})" for each in known[:5]))
            return known
    return Failure(f"no {thing} matches: {wanted}")


def _needing(run: Run, tool: Tool, name: str) -> tuple[str, ...]:
    """The operations that need the very id that is sought."""
    thing = tool.operation.path.partition("{" + name + "}")[0] + "{"
    return tuple(
        each.name
        for each in run.beside(tool)
        if thing != "{" and each.operation.path.startswith(thing)
    )


def _name_of(outcome: Json | Failure) -> str:
    """The name that was found: of a thing, of the first of several, or the text itself."""
    if is_array(outcome):
        return _name_of(outcome[0]) if outcome else ""
    if is_object(outcome):
        return label_of(outcome) or next(map(_name_of, outcome.values()), "")
    is_name = isinstance(outcome, str) and len(outcome) <= _LONGEST_NAME
    return str(outcome) if is_name and not _CODE.fullmatch(str(outcome)) else ""


def _is_own(run: Run, tool: Tool, supplier: Producer, wanted: str) -> bool:
    """
    Whether what is sought is the user's own: what `/me` gives, which needs no name.

    So it is where something is to be changed, or nobody is named.
    """
    last = supplier.tool.operation.path.rstrip("/").rpartition("/")[2].lower()
    if last not in _SELF or supplier.tool.model_checks.get("properties"):
        return False
    return not run.is_read(tool) or not names_in(wanted) or bool(_OWN.search(wanted))


def _wanted(tool: Tool, name: str, task: str, thing: str) -> Steps[str]:
    """Which thing to look up: a phrase of the task itself, where it has one."""
    offered = phrases(task, tool, name)
    if len(offered) == 1:
        return offered[0]
    schema = text_schema("look_up")
    if offered:
        schema["properties"]["look_up"] = {"enum": list(offered)}
    prompt = render("lookup", task=task, thing=contained(thing))
    reply = yield from ask("planner", prompt, schema, max_tokens=80, checks=briefly(schema))
    return str(reply["look_up"])


def _suppliers(run: Run, tool: Tool, name: str, wanted: str) -> list[Producer]:
    """
    The reads that can supply `name`, the likeliest to know `wanted` first.

    Those that need no other id come first. A name is searched for, before lists are read that may
    not have it; a description (`the most popular one`) is no search text: there the operations
    come first that do what it says.
    """
    found = id_producers(tool, name, run.beside(tool))
    reads = [each for each in found if run.is_read(each.tool) and each.tool.name != tool.name]
    is_named = bool(names_in(wanted)) and not _OWN.search(wanted)
    places = {} if is_named or len(reads) < 2 else _places(run, wanted)

    def rank(each: Producer) -> tuple[bool, int, int]:
        other = each.tool
        is_beside = needs_id(run, other)
        order = _order_for_names if is_named else _order_for_descriptions
        place = places.get(other.name, _RELEVANT)
        return not _is_own(run, tool, each, wanted), order(other, needs_id=is_beside), place

    return sorted(reads, key=rank)


def _order_for_names(tool: Tool, *, needs_id: bool) -> int:
    """First what searches; then lists; then what needs the id of another thing, of that name."""
    if needs_id:
        return 2
    return 0 if words_input(tool) else 3 if _is_single(tool) else 1


def _order_for_descriptions(tool: Tool, *, needs_id: bool) -> int:
    return 2 if needs_id else int(bool(words_input(tool)))


def _is_single(tool: Tool) -> bool:
    """Whether an operation without inputs gives one thing, whichever that is: `/films/latest`."""
    output = tool.output
    properties: JsonObject = output.get("properties", {}) if is_object(output) else {}
    return not required_of(tool) and "id" in properties


def _places(run: Run, wanted: str) -> dict[str, int]:
    """Which reads a search finds for the words, and at which place."""
    found = matches(wanted, run.part(reads=True), _RELEVANT)
    return {each.name: place for place, each in enumerate(found)}
