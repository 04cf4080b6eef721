"""The caller: the arguments of an operation for a step, each with where it comes from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from restwright.agents.execution.tool_inputs import (
    definitions_of,
    properties_of,
    required_of,
)
from restwright.agents.prompting.structured_output import ask, closed
from restwright.agents.prompting.templates import render
from restwright.agents.rest.facts import iterate_keys
from restwright.agents.rest.plan import PlanStep
from restwright.agents.rest.provenance import (
    ValueSource,
    find_derived,
    find_source,
    is_checked,
    is_said,
    iterate_unnamed,
    normalize_text,
)
from restwright.agents.rest.run import RestRun
from restwright.agents.rest.suppliers import is_supplied, names_ids
from restwright.agents.steps import Steps
from restwright.calls.arguments.check import check_value
from restwright.calls.response.page_inputs import find_page_inputs
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.producers import find_producers
from restwright.tools.producers.fields import response_fields
from restwright.tools.text.type_summary import summarize_type
from restwright.tools.text.words import split_words
from restwright.tools.tool import Tool

MAX_OPTIONAL = 6
MAX_OPTIONAL_OF_WRITE = 12
_MAX_DESCRIPTION_CHARS = 80
_MAX_TEXT = 200
_MAX_CHOICES = 20
_MAX_ITEMS = 8
_MAX_BOUND = 1000
"""Of characters: for more of them a grammar takes too long."""
_MAX_TYPE_CHARS = 160
_PARTS = frozenset(("items", "anyOf", "oneOf", "allOf"))
_CONSISTS_OF = frozenset(("$ref", "allOf", "anyOf", "oneOf", "items", "properties"))


@dataclass(frozen=True, slots=True)
class FilledArguments:
    """
    What a caller has filled in.

    Args:
        arguments: Those that have a source and fit.
        sources: `{name: where its value comes from}`.
        wanted: `{name: what the model wrote}` of inputs that still need a value: ids that were not
            found, and what only the model knows where that is not enough.
        left_out: Likewise, of those of its own that are left out, since nobody spoke of them.
    """

    arguments: JsonObject
    sources: Mapping[str, ValueSource] = field(default_factory=dict[str, ValueSource])
    wanted: Mapping[str, Json] = field(default_factory=dict[str, Json])
    left_out: Mapping[str, Json] = field(default_factory=dict[str, Json])

    @property
    def derived(self) -> JsonObject:
        """The arguments that are the model's own."""
        return {
            name: value
            for name, value in self.arguments.items()
            if self.sources.get(name) == "derived"
        }


def fill_arguments(
    run: RestRun,
    tool: Tool,
    step: PlanStep,
    fixed: Mapping[str, Json],
    *,
    task: str = "",
    without: Collection[str] = (),
) -> Steps[FilledArguments]:
    """
    Let the model fill in the inputs that are open.

    It is not asked where there are none, and not about ids of which exactly one value is known.

    Args:
        fixed: Arguments that are known already.
        task: What the call is for, where that is not the step.
        without: Inputs that are left open.
    """
    about = f"{task or run.describe(step)} {run.message}"
    names = [name for name in open_inputs(tool, about) if name not in {*fixed, *without}]
    if not names:
        return FilledArguments(dict(fixed), dict.fromkeys(fixed, "found"))
    filled = yield from _ask_caller(run, tool, step, (names, fixed), run.message, task)
    if not _lost_names(run, tool, filled.wanted):
        return filled
    return (yield from _ask_caller(run, tool, step, (names, fixed), run.question, run.question))


def _ask_caller(
    run: RestRun,
    tool: Tool,
    step: PlanStep,
    inputs: tuple[Sequence[str], Mapping[str, Json]],
    message: str,
    task: str,
) -> Steps[FilledArguments]:
    """Ask for the open ones of the inputs, beside those that are known."""
    names, fixed = inputs
    prompt = render(
        "rest_caller",
        operation=f"{tool.operation_name} {tool.operation.method.upper()} {tool.operation.path}",
        arguments="\n".join(_input_line(tool, name) for name in names),
        question=message,
        facts="" if task else run.fact_lines(),
        task=task or run.describe(step),
        now=run.say_now(step.period),
    )
    # What is said or found is no longer than all of that, and has no more parts than words.
    known = f"{run.said_in_english()} {run.fact_lines()}"
    contract = _reply_schema(tool, names, known, has_nulls=run.is_small)
    reply = yield from ask("caller", prompt, contract, max_tokens=60 + 40 * len(names))
    given = {
        name: _leave_out_nulls(tool, name, reply[name]) if run.is_small else reply[name]
        for name in names
        if reply.get(name) is not None
    }
    if tool.operation.method.upper() == "DELETE":
        # Its content has no meaning (RFC 9110, section 9.3.5); in another request it empties.
        needed = required_of(tool)
        given = {name: value for name, value in given.items() if value != {} or name in needed}
    return _sort_arguments(run, tool, given, fixed, said_too=task)


def is_id(run: RestRun, tool: Tool, name: str) -> bool:
    """Whether an input identifies a thing: it stands in the path, or operations supply it."""
    location = next((given.location for given in tool.inputs if given.name == name), None)
    schema = properties_of(tool).get(name)
    if is_object(schema) and schema.keys() & {"enum", "const"}:
        return False
    return location == "path" or bool(find_producers(tool, name, run.siblings(tool)))


def is_valid_input(tool: Tool, name: str, value: Json) -> bool:
    """Whether a value is one that an input takes, whatever the others are."""
    schema: JsonObject = {
        "type": "object",
        "properties": {name: properties_of(tool)[name]},
        "$defs": definitions_of(tool),
    }
    return not check_value(schema, {name: value})


def is_valid_id(tool: Tool, name: str, value: Json) -> bool:
    """Whether a value is one that an id may have: a text or a whole number that is valid."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return False
    return is_valid_input(tool, name, value)


def find_narrowing(tool: Tool) -> frozenset[str]:
    """The inputs of a list that are not needed: they narrow it, sort it or say how it is shown."""
    is_list = any("[]" in field.path for field in response_fields(tool))
    optional = (name for name in properties_of(tool) if name not in required_of(tool))
    return frozenset(optional) if is_list else frozenset()


def open_inputs(tool: Tool, about: str = "") -> Sequence[str]:
    """
    The inputs that a model is asked for: all that are required, and as many others as it can take.

    Args:
        about: Those that have more words of this come first.
    """
    required = required_of(tool)
    paging, words = find_page_inputs(tool), frozenset(split_words(about))
    optional = [name for name in properties_of(tool) if name not in {*required, *paging}]
    optional.sort(key=lambda name: -len(words & set(split_words(name))))
    most = MAX_OPTIONAL if tool.operation.method.is_read else MAX_OPTIONAL_OF_WRITE
    return [*required, *optional[:most]]


def _sort_arguments(
    run: RestRun, tool: Tool, given: JsonObject, fixed: Mapping[str, Json], *, said_too: str
) -> FilledArguments:
    """Keep what has a source that is good enough, and tell what has none."""
    said, found = run.said(), run.found()
    arguments: JsonObject = dict(fixed)
    sources: dict[str, ValueSource] = dict.fromkeys(fixed, "found")
    wanted: JsonObject = {}
    left_out: JsonObject = {}
    for name, written in given.items():
        value, without = _split_own_parts(run, tool, name, written)
        left_out |= without
        schema = properties_of(tool)[name]
        # What the model says that it looks for may be searched for, and is no id.
        words = said if is_id(run, tool, name) else f"{said}\n{normalize_text(said_too)}"
        source = find_source(value, schema, said=words, found=found)
        # A name of an input that the message quotes is no value for it.
        is_own_name = isinstance(value, str) and split_words(value) == split_words(name)
        fits = is_valid_input(tool, name, value) and not (is_own_name and not run.is_read(tool))
        own = find_derived(value, said=words, found=found) if source == "derived" else None
        is_good = source and fits and _may_come_from(source, run, tool, name, value, own)
        if source is None or not is_good or _has_own_names(run, tool, name, value):
            wanted[name] = value
            continue
        arguments[name], sources[name] = value, source
    for name in required_of(tool):
        if name not in arguments:
            wanted.setdefault(name, None)
    return FilledArguments(arguments, sources, wanted, left_out)


def _split_own_parts(run: RestRun, tool: Tool, name: str, value: Json) -> tuple[Json, JsonObject]:
    """
    An object without what a small model puts into a documented property under names of its own.

    It has no need of that property. What it calls so itself may be what the user says. Of a read,
    which nobody is told about before it is sent, nothing is left out.
    """
    if run.is_read(tool) or not is_object(value) or not _has_own_names(run, tool, name, value):
        return value, {}
    unnamed = {*iterate_unnamed(properties_of(tool)[name], value, definitions_of(tool))}
    own = {
        part: one
        for part, one in value.items()
        if part not in unnamed and _has_own_names(run, tool, name, {part: one})
    }
    kept = {part: one for part, one in value.items() if part not in own}
    if not kept or not is_valid_input(tool, name, kept):
        return value, {}
    return kept, {f"{name}.{part}": one for part, one in own.items()}


def _lost_names(run: RestRun, tool: Tool, wanted: Mapping[str, Json]) -> bool:
    """
    Whether properties may be called otherwise in the message than in its translation.

    Where more than one thing is to be changed, the message says more than belongs to one call.
    """
    if run.is_read(tool) or run.question == run.message or len(run.plan.changes) > 1:
        return False
    given = {name: value for name, value in wanted.items() if value is not None}
    return any(_has_own_names(run, tool, name, value) for name, value in given.items())


def _has_own_names(run: RestRun, tool: Tool, name: str, value: Json) -> bool:
    """
    Whether a value has a property that no schema names, and a small model alone.

    Others are said by the user, before any translation, or a response has them.
    """
    if not run.is_small:
        return False
    said, names = (
        run.said(),
        iterate_unnamed(properties_of(tool)[name], value, definitions_of(tool)),
    )
    unsaid = {one for one in names if not is_said(one, said)}
    return bool(unsaid.difference(*(iterate_keys(response.body) for response in run.responses)))


def _may_come_from(
    source: ValueSource, run: RestRun, tool: Tool, name: str, value: Json, own: Json
) -> bool:
    """
    Whether a value is good enough by where it comes from.

    An id of a response is one that is given for this input. What is the model's own is no id; of a
    write it is checked by the schema, and of a read it is that or one word, such as a code.

    Args:
        own: The parts of the value that are the model's.
    """
    if source == "found":
        return not is_id(run, tool, name) or is_supplied(run, tool, name, value)
    if source != "derived":
        return True
    if is_id(run, tool, name) or _holds_id({name: own}):
        return False
    if is_checked(properties_of(tool)[name], own, definitions_of(tool)):
        return True
    is_word = isinstance(value, str) and len(value.split()) == 1
    return run.is_read(tool) and (is_word or name in required_of(tool))


def _holds_id(value: Json) -> bool:
    """Whether a property of a value is called as identifiers are."""
    if is_object(value):
        return any(names_ids(name) or _holds_id(member) for name, member in value.items())
    return is_array(value) and any(map(_holds_id, value))


def _reply_schema(tool: Tool, names: Sequence[str], known: str, *, has_nulls: bool) -> JsonObject:
    """
    Every input is there, and null where nothing is said of it: a small model leaves none out.

    Args:
        known: All that was said and found: what stands in the path, an id or what is looked up for
            it, is no longer.
        has_nulls: So may be properties of objects, in which null then says nothing.
    """
    longest, text = min(_MAX_TEXT, len(known)), max(_MAX_TEXT, len(known))
    most = max(_MAX_ITEMS, len(known.split()))
    properties: JsonObject = {}
    for name in names:
        location = next((given.location for given in tool.inputs if given.name == name), "")
        is_in_path = location == "path"
        schema = _bounded(properties_of(tool)[name], longest if is_in_path else text, most)
        schema = _with_nulls(schema) if has_nulls else schema
        if is_in_path:
            # The name of the thing may stand there, to be looked up.
            schema = {"anyOf": [schema, {"type": "string", "maxLength": longest}]}
        properties[name] = {"anyOf": [schema, {"type": "null"}]}
    definitions = {name: _bounded(one, text, most) for name, one in definitions_of(tool).items()}
    if has_nulls:
        definitions = {name: _with_nulls(one) for name, one in definitions.items()}
    return closed(properties) | ({"$defs": definitions} if definitions else {})


def _with_nulls(schema: Json) -> Json:
    """A schema with null for each property of an object that is not required."""
    if is_array(schema):
        return [_with_nulls(one) for one in schema]
    if not is_object(schema):
        return schema
    parts = {word: _with_nulls(schema[word]) for word in _PARTS & schema.keys()}
    needed = schema.get("required", ())
    own = {name: _with_nulls(one) for name, one in schema.get("properties", {}).items()}
    may_lack = {
        name: one if name in needed else {"anyOf": [one, {"type": "null"}]}
        for name, one in own.items()
    }
    return {**schema, **parts, **({"properties": may_lack} if own else {})}


def _leave_out_nulls(tool: Tool, name: str, value: Json) -> Json:
    """What was said of an input, without the properties of which nothing was."""
    said = _without_nulls(value)
    return said if is_valid_input(tool, name, said) else value


def _without_nulls(value: Json) -> Json:
    if is_array(value):
        return [_without_nulls(item) for item in value]
    if not is_object(value):
        return value
    return {name: _without_nulls(one) for name, one in value.items() if one is not None}


def _bounded(schema: Json, longest: int, most: int) -> Json:
    """
    A text and a list with an end, which a small model may not find by itself.

    Args:
        most: Items of a list.
    """
    if is_array(schema):
        return [_bounded(one, longest, most) for one in schema]
    if not is_object(schema) or schema.keys() & {"enum", "const"}:
        return schema
    kinds = schema.get("type")
    bounds: JsonObject = {}
    if "string" in (kinds if is_array(kinds) else [kinds]) and "format" not in schema:
        least = max(longest, schema.get("minLength", 0))
        bounds |= {"maxLength": least} if least <= _MAX_BOUND else {}
    if kinds == "array":
        bounds["maxItems"] = max(most, schema.get("minItems", 0))
    parts = {word: _bounded(schema[word], longest, most) for word in _PARTS & schema.keys()}
    own = {name: _bounded(one, longest, most) for name, one in schema.get("properties", {}).items()}
    return {**bounds, **schema, **parts, **({"properties": own} if own else {})}


def _input_line(tool: Tool, name: str) -> str:
    """One line an input, for the prompt: name, type or choices, description."""
    schema = properties_of(tool)[name]
    known = schema if is_object(schema) else {}
    words = str(known.get("description", "")).split("\n")[0][:_MAX_DESCRIPTION_CHARS]
    needed = " (required)" if name in required_of(tool) else ""
    shown = _type_words(known, definitions_of(tool))
    return f"- {name}: {shown}{needed}" + (f", {words}" if words else "")


def _type_words(schema: JsonObject, definitions: JsonObject) -> str:
    if "enum" in schema:
        return " | ".join(repr(value) for value in schema["enum"][:_MAX_CHOICES])
    if schema.keys() & _CONSISTS_OF:
        return summarize_type({**schema, "$defs": definitions}, max_chars=_MAX_TYPE_CHARS)
    kind = schema.get("type", "value")
    words = " or ".join(map(str, kind)) if is_array(kind) else str(kind)
    return f"{words} ({schema['format']})" if "format" in schema else words
