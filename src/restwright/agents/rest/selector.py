"""The selector: the operations that may serve a step, and which of them the model takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from types import MappingProxyType

from restwright.agents.execution.failure import first_line, say
from restwright.agents.execution.tool_inputs import definitions_of, properties_of
from restwright.agents.prompting.structured_output import ask, closed
from restwright.agents.prompting.templates import render
from restwright.agents.rest.facts import Fact
from restwright.agents.rest.plan import Effect, PlanStep, StepKind
from restwright.agents.rest.provenance import (
    find_named,
    is_in_text,
    normalize_text,
    quote_singly,
)
from restwright.agents.rest.run import RestRun, short_name
from restwright.agents.rest.said_ids import find_passed, find_said
from restwright.agents.rest.spoken import speaks_of_things
from restwright.agents.rest.suppliers import item_path, names_ids
from restwright.agents.steps import Steps
from restwright.jsontypes import JsonObject
from restwright.openapi.model import Operation
from restwright.tools.catalog.catalog import Catalog, CatalogEntry
from restwright.tools.catalog.filters import filter_catalog
from restwright.tools.producers.fields import response_fields, value_schemas
from restwright.tools.producers.paths import (
    is_of_thing,
    is_same_path,
    path_shape,
)
from restwright.tools.search.analysis import tokenize_text
from restwright.tools.text.words import split_words
from restwright.tools.tool import Tool
from restwright.tools.toolset import match_tools

MAX_LISTED, MAX_LISTED_SMALL = 60, 12
"""Operations that are offered to a model, and to a small one, which takes the first that may do."""
NONE_FITS, KNOWN = "none", "known"
_MAX_NEAR, _MAX_NEAR_READS = 4, 3
_WIDER = 3  # Than what is listed is searched, where not all that is found is listed.
_MAX_FIELDS, _MAX_KNOWN = 4, 16
_MAX_LINE_CHARS = 60
# `/v1beta1/` comes before `/v1/`.
_PREVIEW = re.compile(r"/(v\d+)(?:alpha|beta|rc|preview)\d*/")
_NESTED = 2  # Ids in a path, of which one is inside of another.
_THING = "/{}"
"""The end of the path of a thing, after that of its collection."""
# RFC 9110, section 9.3; a POST may do anything.
_METHODS_OF: Mapping[Effect, Set[str]] = {
    "create": {"POST", "PUT"},
    "update": {"PUT", "PATCH"},
    "delete": {"DELETE"},
    "other": {"POST", "PUT", "PATCH", "DELETE"},
}
_FUSION = 10  # Of lists of a dozen; for longer ones it is 60 in the literature.
# What a model has said of the operation that it wants, it looks for.
_ABOUT: JsonObject = {"type": "string", "minLength": 1, "maxLength": 60}


def select_operations(
    run: RestRun,
    step: PlanStep,
    *,
    known: Fact | None = None,
    is_again: bool = False,
    fits: Callable[[Tool], bool] | None = None,
) -> Steps[Sequence[Tool | Fact]]:
    """
    Let the model choose an operation for a step, and a second best.

    Those that were tried for it are not offered again.

    Args:
        known: What a step before has found: its things may hold what is asked, without a call.
        is_again: What was chosen for it before did not give it, or nothing was.
        fits: Which operations are offered alone, where there are such.

    Returns:
        At most two, the better one first, `known` among them; none where the model says that none
        fits.
    """
    task = run.describe(step)
    tried = run.ruled_out.get(step.id, set[str]())
    part = run.offered(reads=step.kind != "change")
    if step.kind == "change":
        part = _part_with_effect(part, run.catalog, step.effect, is_small=run.is_small)
    listed, why = yield from _list_operations(run, step, part, tried, is_again=is_again)
    # Of many operations a small model is too sure of the first.
    needs_second = run.is_small and step.kind != "change" and len(part.names) > MAX_LISTED_SMALL
    if fits is not None:
        listed = [*filter(fits, listed)] or listed
    places: dict[str, JsonObject] = {}
    if run.is_small and step.kind == "change":
        places = yield from _find_said_ids(run, listed)
        inner = [tool for tool in listed if _is_nested(places.get(tool.name, {}))]
        listed = [tool for tool in listed if not _is_around(tool, inner, places)]
    elif run.is_small:
        places = yield from _find_places(run, listed)
        run.places.update(places)
        listed = listed if is_again else _without_passed(run, listed, places)
    chosen = choose_operations(
        run,
        listed,
        task,
        step.kind,
        known=known,
        why=why,
        needs_second=needs_second,
        places=places,
    )
    return (yield from chosen)


def _find_places(run: RestRun, listed: Sequence[Tool]) -> Steps[dict[str, JsonObject]]:
    """
    The ids of reads inside of things that the message says by their ids, where all are known.

    A small model takes the list of what the message names for what is inside of it.
    """
    places: dict[str, JsonObject] = {}
    for tool in listed:
        path = path_shape(tool.operation.path)
        if not path.endswith(_THING):
            said = yield from find_said(run, tool)
            if said and len(said) >= path.count("{}"):
                places[tool.name] = said
    return places


def _find_said_ids(run: RestRun, listed: Sequence[Tool]) -> Steps[dict[str, JsonObject]]:
    """The ids in the paths of changes that the message says, if it says one inside of another."""
    places: dict[str, JsonObject] = {}
    for tool in sorted(listed, key=lambda one: -one.operation.path.count("{")):
        if tool.operation.path.count("{") >= _NESTED or any(map(_is_nested, places.values())):
            places[tool.name] = yield from find_said(run, tool)
    return places if any(map(_is_nested, places.values())) else {}


def _is_nested(ids: JsonObject) -> bool:
    return len(ids) >= _NESTED


def _is_around(tool: Tool, inner: Sequence[Tool], places: Mapping[str, JsonObject]) -> bool:
    """
    Whether an operation knows of no id but of what another one has, which knows one inside of it.

    Of what the message says by its id it passes over the last. An id of one API is none of another.
    """
    said = [*places.get(tool.name, {}).values()]
    near = (one for one in inner if one.namespace == tool.namespace)
    others = ([*places[one.name].values()] for one in near)
    return bool(said) and any(len(one) > len(said) and one[: len(said)] == said for one in others)


def _without_passed(
    run: RestRun, listed: Sequence[Tool], places: Mapping[str, JsonObject]
) -> list[Tool]:
    """
    Operations without the lists that have the things which others are inside of.

    Of such a list the message says one thing by its id, and asks for what is in that. The list is
    offered where nothing else did.
    """
    passed = {
        name
        for tool in listed
        for given in places.get(tool.name, ())
        for name in find_passed(run, tool, given)
    }
    return [tool for tool in listed if tool.name not in passed]


def max_listed(run: RestRun) -> int:
    """How many operations are offered at once."""
    return MAX_LISTED_SMALL if run.is_small else MAX_LISTED


def choose_operations(
    run: RestRun,
    listed: Sequence[Tool],
    task: str,
    kind: StepKind,
    *,
    known: Fact | None = None,
    why: str = "",
    needs_second: bool = False,
    places: Mapping[str, JsonObject] = MappingProxyType({}),
) -> Steps[Sequence[Tool | Fact]]:
    """
    Let the model choose among operations; see `select_operations`.

    Args:
        kind: Of the step that it is for.
        why: How they were listed.
        needs_second: The model is to say a second best in any case.
        places: `{name of a tool: ids in its path that are known}`, with which it is shown.
    """
    tools = {short_name(tool, run.catalog): tool for tool in listed}
    if not tools and known is None:
        return ()
    choices: dict[str, Tool | Fact] = {**tools} if known is None else {KNOWN: known, **tools}
    names = [*choices, NONE_FITS]
    # A read is tried where a model is in doubt; a change is not.
    seconds = names[:-1] if needs_second and len(choices) > 1 else names
    reply = yield from ask(
        "selector",
        render(
            "rest_selector",
            operations=operation_lines(tools, task, places),
            known=_known_line(known),
            task=task,
        ),
        closed({"about": _ABOUT, "operation": {"enum": names}, "second": {"enum": seconds}}),
        max_tokens=80,
    )
    chosen = [str(reply["operation"])]
    if chosen[0] != NONE_FITS:
        chosen.append(str(reply["second"]))
    found = [name for name in dict.fromkeys(chosen) if name in choices]
    yield say(
        "select",
        f"{', else '.join(found) or NONE_FITS} to {task}",
        tool=tools[found[0]].name if found and found[0] in tools else "",
        offered=[tool.name for tool in listed],
        why=why,
    )
    return [choices[name] for name in found]


def _part_with_effect(part: Catalog, whole: Catalog, effect: Effect, *, is_small: bool) -> Catalog:
    """
    The operations that may do what a step wants, by their methods (RFC 9110, section 9.3).

    A POST may do anything, but where it adds to a collection it neither changes nor deletes a thing
    of it. A small model is offered nothing else to create what a POST adds: it has not the id of a
    thing that is not there. It is not offered to replace what it may change in part, nor to change
    or to delete something by a POST beside a list that takes no id: that adds to the list.
    """
    methods: dict[tuple[str, str], dict[str, str]] = {}
    for name, entry in whole.entries.items():
        place = (entry.namespace, path_shape(entry.operation.path))
        methods.setdefault(place, {})[entry.operation.method.upper()] = name

    def adds_to_list(name: str, place: tuple[str, str]) -> bool:
        beside = methods[place].get("GET", "")
        return bool(beside) and not _takes_id(whole[name]) and _gives_list(whole[beside])

    def may(name: str, namespace: str, operation: Operation) -> bool:
        method, shape = operation.method.upper(), path_shape(operation.path)
        if effect == "create":
            above = methods.get((namespace, shape.removesuffix(_THING)), ())
            is_of_thing = is_small and shape.endswith(_THING) and "POST" in above
            return method in {"PUT", "POST"} and not is_of_thing
        if effect == "other":
            return True
        partial = methods[namespace, shape].get("PATCH", "")
        if method == "PUT" and is_small and partial in part.entries:
            # What takes more than that may still replace a thing, and deletes none.
            takes_more = not {*properties_of(whole[name])} <= {*properties_of(whole[partial])}
            return takes_more and effect != "delete"
        if method == "POST":
            is_of_list = (namespace, f"{shape}{_THING}") in methods
            return not is_of_list and not (is_small and adds_to_list(name, (namespace, shape)))
        return (method == "DELETE") is (effect == "delete")

    return filter_catalog(part, lambda name, entry: may(name, entry.namespace, entry.operation))


def _gives_list(tool: Tool) -> bool:
    return any("[]" in field.path[:-1] for field in response_fields(tool))


def _takes_id(tool: Tool) -> bool:
    """Whether an id stands in the path or in the body of a write."""
    return any(map(names_ids, _iterate_inputs(tool)))


def _known_line(known: Fact | None) -> str:
    """The fields of what was found; empty for nothing."""
    names = dict.fromkeys(name for item in known.items[:1] for name in item) if known else ()
    return f"{KNOWN}: {', '.join([*names][:_MAX_KNOWN])}\n" if names else ""


def operation_lines(
    tools: Mapping[str, Tool],
    text: str = "",
    places: Mapping[str, JsonObject] = MappingProxyType({}),
) -> str:
    """
    One line an operation: its name, method, path and what it does.

    Args:
        text: Fields of its response that have a word of this stand behind it; of a write, inputs.
        places: `{name of a tool: ids in its path that are known}`.
    """
    words = frozenset(split_words(text))
    return "\n".join(
        f"- {name}: {tool.operation.method.upper()} {_tell_path(tool, places)}. "
        f"{first_line(tool)[:_MAX_LINE_CHARS]}{_tell_fields(tool, words)}"
        for name, tool in tools.items()
    )


def _tell_path(tool: Tool, places: Mapping[str, JsonObject]) -> str:
    path, known = tool.operation.path, places.get(tool.name, {})
    for name, value in known.items():
        path = path.replace(f"{{{name}}}", str(value))
    others = [f"{name}={value}" for name, value in known.items() if not item_path(tool, name)]
    return f"{path}?{'&'.join(others)}" if others else path


def _tell_fields(tool: Tool, words: frozenset[str]) -> str:
    read = (field.path[-1] for field in response_fields(tool))
    names = read if tool.operation.method.is_read else _iterate_inputs(tool)
    told = dict.fromkeys(name for name in names if words & set(split_words(name)))
    return f" ({', '.join([*told][:_MAX_FIELDS])})" if told else ""


def _iterate_inputs(tool: Tool) -> Iterator[str]:
    """The names of the inputs, and of the properties of those that are objects."""
    for name, schema in properties_of(tool).items():
        yield name
        for part, _ in value_schemas(schema, definitions_of(tool)):
            yield from part.get("properties", ())


def _list_operations(
    run: RestRun, step: PlanStep, part: Catalog, tried: set[str], *, is_again: bool
) -> Steps[tuple[list[Tool], str]]:
    """
    The operations that fit best by a search, and the others where all are few.

    The best come first. Of many reads a small model says what the wanted one is about, in the words
    of documents, where those were of no use that the words of the message found. Of changes, those
    of the things that the step is about are among them, whatever they are called. For a small model
    those come first that have a property which the step quotes, and of changes there are no others
    then. Versions before a stable one are left out.
    """
    # The user's own words too: a translation may change what things are called.
    told = dict.fromkeys((run.describe(step), run.message, run.question))
    text, limit = ". ".join(told), max_listed(run)
    quoted = _find_quoted_words(run, step)
    previews = _find_previews(part, run.said()) if len(part.names) > limit else frozenset[str]()
    is_small_read = run.is_small and step.kind != "change"
    most = (_WIDER * limit if previews or run.is_small else limit) + len(tried)
    found = [match.name for match in match_tools(text, part, most)]
    if len(part.names) <= limit:
        names = dict.fromkeys((*found, *part.names))
        return [part[name] for name in names if name not in tried], "all that are left"
    if is_small_read and is_again:
        about = yield from _ask_about(run.describe(step))
        likely = [match.name for match in match_tools(about, part, most)]
        found = _merge_ranks(found, likely)
    left = [name for name in found if name not in tried and name not in previews]
    why = f"{len(part.names):,} operations; these were found"
    if step.kind != "change":
        left = _rank_reads(part, left, quoted, text, step) if run.is_small else left
        return [part[name] for name in left[:limit]], why
    near = [name for name in _names_near(run, step, part, text) if name not in tried]
    near = [name for name in near if name not in previews]
    left = _rank_changes(part, left, step.effect, text) if run.is_small else left
    if taking := _find_taking(part, dict.fromkeys((*left, *near)), quoted):
        left, near = taking, []
    elif any(run.fact(number) for number in step.of):
        # The things are known, and so are the changes that are theirs.
        left, near = [*dict.fromkeys((*near[:_MAX_NEAR], *left))], []
    else:
        near = [name for name in near if name not in left[:limit]][:_MAX_NEAR]
    return [part[name] for name in (*left[: limit - len(near)], *near)], why


def _find_previews(part: Catalog, said: str) -> frozenset[str]:
    """
    The operations whose path has a version before a stable one, where the same path has that.

    Args:
        said: Normalised. A version that is said is meant.
    """
    places = {_place_of(entry, entry.operation.path) for entry in part.entries.values()}
    return frozenset(
        name
        for name, entry in part.entries.items()
        if (preview := _PREVIEW.search(path := entry.operation.path))
        and not is_in_text(preview[0].strip("/"), said)
        and _place_of(entry, _PREVIEW.sub(r"/\1/", path)) in places
    )


def _place_of(entry: CatalogEntry, path: str) -> tuple[str, str, str]:
    return entry.namespace, entry.operation.method, path


def _find_quoted_words(run: RestRun, step: PlanStep) -> frozenset[tuple[str, ...]]:
    """
    The words of each name of a step that stands in quotation marks, there or in the message.

    None for a model that is not small, which is offered all that a search finds.
    """
    if not run.is_small:
        return frozenset()
    what = normalize_text(step.what)
    told = (name for name in find_named(run.message) if is_in_text(name, what))
    return frozenset(map(split_words, (*find_named(step.what), *told)))


def _rank_reads(
    part: Catalog, names: Sequence[str], quoted: Set[tuple[str, ...]], text: str, step: PlanStep
) -> list[str]:
    """
    Reads, those first of whose things a text speaks: it has the words at the end of their path.

    Of them, for several things lists; then those whose responses have most of the properties that
    it quotes.
    """
    words = {*tokenize_text(text)}
    is_of_several = step.is_of_several or step.quantity == "number"

    def rank(name: str) -> tuple[bool, bool, int]:
        path = part[name].operation.path
        fields = response_fields(part[name]) if quoted else ()
        common = quoted & {split_words(field.path[-1]) for field in fields}
        is_other = not speaks_of_things(words, path)
        return is_other, is_of_several and is_of_thing(path), -len(common)

    return sorted(names, key=rank)


def _rank_changes(part: Catalog, names: Sequence[str], effect: Effect, text: str) -> list[str]:
    """Changes, those first of whose things a text speaks; of them, those whose method says it."""
    words = {*tokenize_text(text)}

    def rank(name: str) -> tuple[bool, bool]:
        operation = part.entries[name].operation
        is_other = not speaks_of_things(words, operation.path)
        return is_other, operation.method.upper() not in _METHODS_OF[effect]

    return sorted(names, key=rank)


def _find_taking(part: Catalog, names: Iterable[str], quoted: Set[tuple[str, ...]]) -> list[str]:
    """
    The changes whose bodies take most of the properties that a step quotes; none where none does.

    Others would leave out what is said.
    """
    counts = {name: len(quoted & _property_words(part[name])) for name in names}
    most = max(counts.values(), default=0)
    return [name for name, count in counts.items() if count == most] if most else []


def _property_words(tool: Tool) -> set[tuple[str, ...]]:
    """The words of each property of a body; what is in the path says of what it is."""
    others = {field.name for field in tool.inputs if not field.location.startswith("body")}
    return {split_words(name) for name in _iterate_inputs(tool) if name not in others}


def _merge_ranks(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """What two searches found, by the ranks in both (reciprocal rank fusion)."""
    scores = {
        name: sum(1 / (_FUSION + found.index(name)) for found in (one, other) if name in found)
        for name in dict.fromkeys((*one, *other))
    }
    return sorted(scores, key=lambda name: -scores[name])


def _ask_about(task: str) -> Steps[str]:
    prompt = render("rest_about", task=quote_singly(task))
    reply = yield from ask(
        "about", prompt, closed({"about": _ABOUT, "else": _ABOUT}), max_tokens=50
    )
    return f"{reply['about']}. {reply['else']}"


def _names_near(run: RestRun, step: PlanStep, part: Catalog, text: str) -> list[str]:
    """The writes where the reads are that gave the things of a step, or that a search finds."""
    facts = (run.fact(number) for number in step.of)
    reads = [run.catalog[fact.tool] for fact in facts if fact is not None and fact.tool]
    if not reads:
        offered = run.offered(reads=True)
        reads = [offered[match.name] for match in match_tools(text, offered, _MAX_NEAR_READS)]
    paths = {
        path for tool in reads for path in (tool.operation.path, f"{tool.operation.path}/{{}}")
    }
    return [
        name
        for name in part.names
        if any(is_same_path(part[name].operation.path, path) for path in paths)
    ]
