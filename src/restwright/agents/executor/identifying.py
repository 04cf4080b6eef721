"""
The ids that an operation needs: from the user's words, from earlier results, else looked up.

A look-up calls the operations that the document says can supply an id, the likeliest first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, permutations, product
from math import prod
from typing import TypeAlias

from restwright.agents.executor.filling import fill
from restwright.agents.executor.running import Run
from restwright.agents.marks import contained
from restwright.agents.memory.inputs import address_in, properties_of, required_of, words_input
from restwright.agents.memory.lookup import is_plainly, is_related, names_in, phrases
from restwright.agents.memory.memory import (
    MOST_OFFERED,
    Known,
    Memory,
    few,
    id_producers,
    label_of,
    mentioned,
    says_name_of,
    thing_of,
    values_at,
)
from restwright.agents.memory.referring import Reference
from restwright.agents.memory.several import (
    is_one_of,
    is_some_of,
    leaves_out,
    leaves_out_of,
    means_all,
    says_every,
)
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
    """What is looked up: one thing or all in words, and where the id stands in the response."""

    wanted: str
    path: tuple[str, ...]
    is_own: bool = False
    is_all: bool = False

    def found_in(self, body: Json) -> Json:
        """
        What code can tell of a response: the id and name of what is sought; False if it is not
        there, None where it takes reading.

        A thing is what has the name that is all that is said of it; the first one of several, as
        searches give the likeliest first. Where the whole response is what has the name, all that
        belongs to it is meant. Of all that are meant one name tells no more than one.
        """
        places = list(values_at(body, self.path)) if self.path else []
        if not places:
            return False if self.path else None
        if self.is_own:
            return _thing(self.path, *places[0])
        best: tuple[int, Json] = (0, None)
        for value, owner in places:
            label = label_of(owner)
            if not self.is_all and len(label) > best[0] and is_plainly(self.wanted, label):
                best = (len(label), _thing(self.path, value, owner))
        if not best[0] and is_object(body) and is_plainly(self.wanted, label_of(body)):
            return [_thing(self.path, *each) for each in places]
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
    ways: list[tuple[JsonObject, ...]] = []
    for name in _to_find(run, tool):
        known = yield from _candidates(run, tool, name, task, use, depth=depth)
        if isinstance(known, Failure):
            return known
        known = yield from _those_meant(run, tool, name, task, known)
        if isinstance(known, Failure):
            return known
        if is_list_of_ids(tool, name):
            known = (Known(_listed(tool, name, [each.value for each in known]), ""),)
        ways.append(tuple({name: each.value} for each in known))
    found = yield from _referred(run, tool, task, depth=depth)
    if isinstance(found, Failure):
        return found
    return (yield from _bounded(run, tool, [*ways, tuple(found)]))


def _bounded(
    run: Run, tool: Tool, ways: Sequence[Sequence[JsonObject]]
) -> Steps[list[JsonObject] | Failure]:
    """As many calls as a step makes: of a read the first few; of a write all, or none."""
    name, many = run.short_name(tool), prod(map(len, ways))
    # Of many things by many others not all are written out.
    every = ({key: value for each in way for key, value in each.items()} for way in product(*ways))
    if run.is_read(tool):
        if many > AT_ONCE:
            run.partly.add(tool.name)
            yield say("note", f"{name} is asked about {AT_ONCE} of {many:,} things only")
        return list(islice(every, AT_ONCE))
    if max(map(len, ways)) <= MOST_WRITES:
        pairs = _pairs(run, tool, ways)
        fitting = (each for each in every if _is_as_found(each, pairs))
        choices = list(islice(fitting, MOST_WRITES + 1))
        if not choices:
            return Failure(f"what {name} needs was not found of each other", final=True)
        if len(choices) <= MOST_WRITES:
            return choices
    why = f"{name} would be called {many:,} times; a step changes at most {MOST_WRITES} things"
    return Failure(why, final=True)


_Pairs: TypeAlias = dict[tuple[str, str], set[tuple[Json, Json]]]


def _pairs(run: Run, tool: Tool, ways: Sequence[Sequence[JsonObject]]) -> _Pairs:
    """
    Of several things that belong to several others, which was found with which.

    A comment that was read of one post is none of another post, though its number may be.
    """
    given = {
        key: [each[key] for each in way]
        for way in ways
        for key, value in way[0].items()
        if not is_array(value)
    }
    pairs: _Pairs = {}
    for outer, inner in permutations(given, 2):
        if len(given[outer]) == 1:
            continue
        asked = [each for each in run.memory.sources if each.arguments.get(outer) is not None]
        of: dict[str, list[Known]] = {}
        for each in asked:
            held = Memory(sources=(each,)).known(tool, inner, run.beside(tool))
            of.setdefault(str(each.arguments[outer]), []).extend(held)
        if all(of.get(str(each)) for each in given[outer]):
            pairs[outer, inner] = {
                (each, known.value) for each in given[outer] for known in of[str(each)]
            }
    return pairs


def _is_as_found(choice: JsonObject, pairs: _Pairs) -> bool:
    return all((choice[a], choice[b]) in seen for (a, b), seen in pairs.items())


def _those_meant(
    run: Run, tool: Tool, name: str, task: str, known: tuple[Known, ...]
) -> Steps[tuple[Known, ...] | Failure]:
    """Of some things those that are changed: each of them, or one; or none, where it is unclear."""
    if run.is_read(tool):
        return known
    meant, thing = _meant(run, tool, name), thing_of(tool, name)
    bare = _bare(run, task, meant)
    if meant and meant.sources:
        is_unclear = _is_unclear(meant, bare)
        is_each = _takes_each(meant, bare, is_list=is_list_of_ids(tool, name))
    else:
        is_unclear = leaves_out_of(bare, thing)
        is_each = means_all(bare, thing) or bool(_asked_of(run, tool, name, task))
        said = f"{task} {run.question}"
        is_each |= is_list_of_ids(tool, name) and all(says_name_of(each, said) for each in known)
    if is_unclear:
        return Failure(f"it is not known which {thing} is left out", final=True)
    if len(known) == 1:
        return known
    if not is_each:
        return (yield from _choose(run, tool, name, known, task))
    if meant and meant.is_part:
        return Failure(f"there may be more than {len(known)} things of {thing}", final=True)
    return tuple({str(each.value): each for each in known}.values())


def _bare(run: Run, task: str, meant: Reference | None) -> str:
    """A task with `#` in the place of the things that are meant, whose names say nothing here."""
    for each in sorted(run.about, key=lambda each: -len(each.text)):
        task = task.replace(each.text, "#" if each is meant else "it")
    return task


def _is_unclear(meant: Reference, bare: str) -> bool:
    before, number, _ = bare.partition("#")
    return meant.is_many and bool(number) and (is_some_of(before) or leaves_out(bare))


def _takes_each(meant: Reference, bare: str, *, is_list: bool = False) -> bool:
    """Whether a change is made to each of the things that it speaks of."""
    before, number, _ = bare.partition("#")
    return (is_list or meant.is_many) and not (number and is_one_of(before))


def _asked_of(run: Run, tool: Tool, name: str, task: str) -> tuple[Known, ...]:
    """The several things that those which are meant were found by: posts, of their comments."""
    if _meant(run, tool, name):
        return ()
    each_of = [each for each in run.about if _takes_each(each, _bare(run, task, each))]
    sources = (source for each in each_of for source in each.sources)
    values = (source.arguments.get(name) for source in sources)
    found = dict.fromkeys(each for each in values if isinstance(each, str | int))
    known = tuple(Known(each, "") for each in found)
    return known if len(known) > 1 else ()


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
    meant = next((each for each in about if each.held(key)), None)
    known = meant.held(key) if meant else ()
    if not known and not run.about:
        known = run.memory.held(key)
        known = tuple(each for each in known if says_name_of(each, task)) or known
    wanted = next((each.text for each in about if not each.sources), "")
    if not known and run.find and (wanted or (name in required_of(tool) and not run.about)):
        wanted = wanted or (yield from _wanted(tool, name, task, "thing"))
        yield from run.find(run, wanted, depth + 1, ())
        known = run.memory.held(key)
    if not known and any(each.is_thing for each in about):
        return Failure(f"no {key} of {about[0].text} was found, which {run.short_name(tool)} needs")
    values = list(dict.fromkeys(each.value for each in known))
    if is_list_of_ids(tool, name):
        inside = "" if address_in(name) else key
        return [{name: _listed(tool, name, values, inside=inside)}] if values else [{}]
    if len(values) > 1:
        return (yield from _addressed(run, tool, name, task, known, meant))
    return [{name: each} for each in values] or [{}]


def _addressed(
    run: Run, tool: Tool, name: str, task: str, known: tuple[Known, ...], meant: Reference | None
) -> Steps[list[JsonObject] | Failure]:
    """Of several addresses each that is meant, or one."""
    bare = _bare(run, task, meant)
    if leaves_out(bare) or (meant and _is_unclear(meant, bare)):
        return Failure(f"it is not known which {name} is left out", final=True)
    if not (_takes_each(meant, bare) if meant else says_every(bare)):
        known = yield from _choose(run, tool, name, known, task)
    elif meant and meant.is_part:
        return Failure(f"there may be more than {len(known)} things", final=True)
    return [{name: value} for value in dict.fromkeys(each.value for each in known)]


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
    is_all = _is_all(run, tool, name, task)
    # An id that the message has elsewhere is none of all that are meant.
    said = mentioned(tool, name, task if is_all else run.question)
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
        said = () if named and meant.is_many and not run.is_read(tool) else said
    elif is_all:
        # What happens to be known need not be all of them, nor of them at all.
        named, known = named if len(named) > 1 else (), ()
    if not (said or named or run.is_read(tool)):
        known = _asked_of(run, tool, name, task) or known
    found = said or named or known
    # Of many, none of which the task names, none is guessed.
    is_each = meant is not None and meant.is_many
    is_guess = len(found) > MOST_OFFERED and not (is_each or run.is_read(tool))
    if found and not is_guess:
        return found
    return (yield from _look_up(run, tool, name, task, use, depth=depth))


def _is_all(run: Run, tool: Tool, name: str, task: str) -> bool:
    """Whether a change is told to be for all things of a kind that no step before it found."""
    meant = _meant(run, tool, name)
    if run.is_read(tool) or (meant and meant.sources):
        return False
    return means_all(_bare(run, task, meant), thing_of(tool, name))


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
    is_all, since = _is_all(run, tool, name, task), len(run.memory.sources)
    if key in run.sought and not is_all:
        return Failure(f"no {thing} matches: {wanted}")
    run.sought.add(key)
    if run.find and is_related(wanted):
        outcome = yield from run.find(run, wanted, depth + 1, _needing(run, tool, name))
        if known := _found_since(run, tool, name, since if is_all else 0):
            return _whole(run, known, since) if is_all else known
        wanted = _name_of(outcome) or wanted
    for supplier in _suppliers(run, tool, name, wanted)[: _DEPTH - depth]:
        called = f"{run.short_name(supplier.tool)} to find {wanted}"
        yield say("select", called, tool=supplier.tool.name)
        is_own = _is_own(run, tool, supplier, wanted)
        sought = Sought(wanted, supplier.path, is_own=is_own, is_all=is_all)
        outcome = yield from use(run, supplier.tool, wanted, depth + 1, sought)
        known = _found_since(run, tool, name, since if is_all else 0)
        if not isinstance(outcome, Failure) and known:
            yield say("result", ", ".join(f"{each.label} ({each.value})" for each in known[:5]))
            return _whole(run, known, since) if is_all else known
    return Failure(f"no {thing} matches: {wanted}")


def _found_since(run: Run, tool: Tool, name: str, since: int) -> tuple[Known, ...]:
    return Memory(sources=run.memory.sources[since:]).known(tool, name, run.beside(tool))


def _whole(run: Run, known: tuple[Known, ...], since: int) -> tuple[Known, ...] | Failure:
    """All that was found since then, where nothing was read in part."""
    if run.partly.intersection(each.tool for each in run.memory.sources[since:]):
        return Failure(f"there may be more than the {len(known)} that were read", final=True)
    return known


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
