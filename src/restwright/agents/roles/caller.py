"""
The caller's part of a call: what the model is asked to fill in, and what is done with its reply.

The model fills only what it must. Ids come from the memory; paging and sorting belong to code; a
value that is neither in the user's words nor in a result is not used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from restwright.agents.memory.memory import Known
from restwright.agents.memory.several import NUMBER_WORDS
from restwright.agents.memory.tool_inputs import properties_of, required_of
from restwright.agents.roles.structured_output import closed
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.text.prose import shorten_text, to_one_line
from restwright.tools.tool import Tool

# Query parameters that shape the presentation of a list. Our own code reads all of it and sorts.
_PAGING = re.compile(
    r"(?i)^(page|page_?(number|token|index)|offset|cursor|start|skip|after|before)$"
)
_PAGE_SIZE = re.compile(r"(?i)^(page_?size|per_?page|limit|size|max_?results|count|take)$")
_SORTING = re.compile(r"(?i)^(sort|sort_?(by|order|dir|direction)|order|order_?by|direction)$")
# The caller words the conditions before it fills anything in; a property that no input is called.
CONDITIONS = "conditions"
_CONDITIONS_SCHEMA: JsonObject = {
    "type": "array",
    "maxItems": 6,
    "items": {"type": "string", "maxLength": 80},
}
# Characters of the name that a response gives to a value.
_LABEL = 80
_MOST_ITEMS = 20
# Characters of what a read searches for or filters by.
_LONGEST_TEXT = 200
# Letters of a word that tells what a switch is for.
_TELLING = 5
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
"""
Thai, Lao, Burmese, Khmer, Chinese, Japanese; and Korean, which adds to words what others put before
them. Their words cannot be told apart by spaces.
"""
_NUMBERS = {word: number for number, word in enumerate(NUMBER_WORDS, 1)}


def loosest(tool: Tool, arguments: JsonObject) -> JsonObject:
    """
    The arguments without optional free text, the filter that most often keeps out what is meant.

    The parsing code filters by every condition of the task itself.
    """
    return {
        name: value
        for name, value in arguments.items()
        if name in required_of(tool) or not isinstance(value, str) or is_choice(tool, name)
    }


def is_choice(tool: Tool, name: str) -> bool:
    """Whether the document lists all values of an input: `day` and `week` for `period`."""
    return "enum" in _resolved(properties_of(tool)[name], tool.model_checks)


def is_presentation(tool: Tool, name: str) -> bool:
    """Whether `name` only pages or sorts a list, so that code decides it."""
    location = next((each.location for each in tool.inputs if each.name == name), None)
    patterns = (_PAGING, _PAGE_SIZE, _SORTING)
    return location == "query" and any(pattern.match(name) for pattern in patterns)


def presentation(tool: Tool) -> JsonObject:
    """The arguments that ask for the longest page, so that code sees as much as it can."""
    return {
        name: schema["maximum"]
        for name, schema in properties_of(tool).items()
        if _PAGE_SIZE.match(name) and is_presentation(tool, name)
        if is_object(schema) and isinstance(schema.get("maximum"), int)
    }


def open_inputs(tool: Tool, fixed: Mapping[str, Json]) -> tuple[str, ...]:
    """The inputs that the model has to decide about, in the schema's order."""
    return tuple(
        name
        for name in properties_of(tool)
        if name not in fixed and (name in required_of(tool) or not is_presentation(tool, name))
    )


def reply_schema(
    tool: Tool, names: Sequence[str], offered: Mapping[str, Sequence[Known]]
) -> JsonObject:
    """
    The schema of the caller's reply: every open input is there, and null when it is not wanted.

    A small model decides better about each input in turn than about which to leave out.
    """
    properties: JsonObject = {CONDITIONS: _CONDITIONS_SCHEMA}
    for name in names:
        schema = _ended(properties_of(tool)[name], is_read=tool.operation.method.is_read)
        if offered.get(name):
            schema = {"enum": [known.value for known in offered[name]]}
        needed = name in required_of(tool)
        properties[name] = schema if needed else {"anyOf": [schema, {"type": "null"}]}
    checks = tool.model_checks
    return closed(properties) | ({"$defs": checks["$defs"]} if "$defs" in checks else {})


def _ended(schema: Json, *, is_read: bool) -> Json:
    """A list with an end, and of a read a text, which a small model may not find by itself."""
    if not is_object(schema):
        return schema
    is_open = schema.get("type") == "string" and not schema.keys() & {"enum", "const", "maxLength"}
    if is_read and is_open and "format" not in schema:
        return {**schema, "maxLength": _LONGEST_TEXT}
    if schema.get("type") != "array" or "maxItems" in schema:
        return schema
    items = schema.get("items")
    choices = items.get("enum") if is_object(items) else None
    return {**schema, "maxItems": len(choices) if is_array(choices) else _MOST_ITEMS}


def argument_lines(tool: Tool, names: Sequence[str], offered: Mapping[str, Sequence[Known]]) -> str:
    """One line an input, for the prompt: name, type or choices, description."""
    return "\n".join(_line(tool, name, offered.get(name, ())) for name in names)


def _line(tool: Tool, name: str, offered: Sequence[Known]) -> str:
    if offered:
        choices = ", ".join(
            f"{known.value!r} ({shorten_text(to_one_line(known.label), _LABEL)})"
            for known in offered
        )
        return f"- {name}: one of {choices}"
    schema = _resolved(properties_of(tool)[name], tool.model_checks)
    words = str(schema.get("description", "")).split("\n")[0][:120]
    return f"- {name}: {_type_words(schema)}" + (f", {words}" if words else "")


def _resolved(schema: Json, root: JsonObject) -> JsonObject:
    if not is_object(schema):
        return {}
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    target: Json = root.get("$defs", {}).get(name) if name else None
    return {**target, **schema} if is_object(target) else schema


def _type_words(schema: JsonObject) -> str:
    if "enum" in schema:
        return " | ".join(repr(value) for value in schema["enum"][:20])
    kind = schema.get("type", "value")
    words = " or ".join(kind) if is_array(kind) else str(kind)
    return f"{words} ({schema['format']})" if "format" in schema else words


_UPPER = (
    r"(?:less|cheaper|fewer|lower|lighter|shorter|no more) than|under|below|at most|up to"
    r"|before|until"
)
_LOWER = r"(?:more|higher|greater|longer|no less) than|over|above|at least|from|after|since"
_BOUNDS = {
    "min": "max",
    "from": "to",
    "after": "before",
    "since": "until",
    "gte": "lte",
    "gt": "lt",
}


def directed(tool: Tool, arguments: JsonObject, *, task: str) -> JsonObject:
    """
    Put a number on the side of a range that the task says: `less than 9` never is `min_price`.

    A small model confuses the two ends of a range; the words before the number do not.
    """
    turned: JsonObject = {}
    for name, value in arguments.items():
        other = _other_end(name)
        wrong = other is not None and _says_other_end(name, value, task)
        if wrong and other in properties_of(tool) and other not in arguments:
            turned[str(other)] = value
        elif not wrong:
            turned[name] = value
    return turned


def _other_end(name: str) -> str | None:
    """`min_price` -> `max_price` and back; None where a name is no end of a range."""
    for low, high in _BOUNDS.items():
        for this, that in ((low, high), (high, low)):
            found = re.search(rf"(?i)(?<![a-z]){this}(?![a-z])|^{this}(?=[A-Z])", name)
            if found:
                return name[: found.start()] + that + name[found.end() :]
    return None


def _says_other_end(name: str, value: Json, task: str) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    is_low = any(
        re.search(rf"(?i)(?<![a-z]){low}(?![a-z])|^{low}(?=[A-Z])", name) for low in _BOUNDS
    )
    opposite = _UPPER if is_low else _LOWER
    number = re.escape(_written(value))
    return bool(re.search(rf"(?i)\b(?:{opposite})\s+\W?{number}\b", task.replace(",", "")))


def _written(value: float) -> str:
    """A number as people write it. An integer may be too large for a float."""
    return str(value) if isinstance(value, int) else f"{value:g}"


def grounded(tool: Tool, reply: JsonObject, *, said: str) -> tuple[JsonObject, tuple[str, ...]]:
    """
    Keep what the user's words or the results support.

    Args:
        tool: Whose arguments they are.
        reply: The caller's reply; null means left out.
        said: All text that a value may come from: message, task and results.

    Returns:
        `(arguments, names of inputs whose value came from nowhere)`; required inputs of the second
        kind are kept in neither.
    """
    given = {
        name: value
        for name, value in reply.items()
        if value is not None and name in properties_of(tool)
    }
    things = _words(f"{tool.operation.path} {tool.operation.headline}")
    things |= {f"{word}s" for word in things} | {word.removesuffix("s") for word in things}
    told = _Said(said.lower(), _words(said), tool.model_checks, things)
    kept = {
        name: _supported(properties_of(tool)[name], name, value, told)
        for name, value in given.items()
    }
    invented = tuple(name for name, value in kept.items() if value is None)
    return {name: value for name, value in kept.items() if value is not None}, invented


@dataclass(frozen=True, slots=True)
class _Said:
    """What values may come from, in lower case; and the schema that references point into."""

    text: str
    words: frozenset[str]
    root: JsonObject
    things: frozenset[str] = frozenset()

    def has(self, text: str) -> bool:
        """Whether it says a text: its words or, where a script has no spaces, its letters."""
        is_there = bool(UNSPACED.search(text)) and text.strip().lower() in self.text
        return is_there or (bool(text.strip()) and _mostly(_words(text), self.words))


def _supported(schema: Json, name: str, value: Json, said: _Said) -> Json:
    """A value that something said supports, or the parts of it that are; None for none."""
    known = _resolved(schema, said.root)
    if is_array(value):
        items = [_part(known.get("items"), each, said) for each in value]
        kept = [each for each in items if each is not None]
        return kept if kept or not value else None
    if is_object(value):
        return _part(known, value, said)
    is_said = isinstance(value, bool) and _is_described(known, said)
    return value if is_said or _is_supported(name, value, said) else None


def _is_described(schema: JsonObject, said: _Said) -> bool:
    """Whether what a switch is for is said: `private`, of `false makes the playlist private`."""
    words = _words(str(schema.get("description", ""))) & said.words
    return any(len(word) >= _TELLING and word not in said.things for word in words)


def _part(schema: Json, value: Json, said: _Said) -> Json:
    """
    A part of a list or an object; None for a free text that nothing says.

    Numbers, dates, choices and what the document leaves open stand as they are.
    """
    known = _resolved(schema, said.root)
    if is_array(value):
        return _supported(known, "", value, said)
    if is_object(value):
        properties = known.get("properties", {})
        parts = {key: _part(properties.get(key), each, said) for key, each in value.items()}
        gone = {key for key, each in parts.items() if each is None and value[key] is not None}
        is_needed = bool(gone.intersection(known.get("required", ())))
        return None if is_needed else {key: parts[key] for key in parts if key not in gone}
    is_date = str(known.get("format", "")).startswith(("date", "time"))
    is_free = known.get("type") == "string" and not (is_date or known.keys() & {"enum", "const"})
    is_made_up = isinstance(value, str) and is_free and value != known.get("default")
    return None if is_made_up and not said.has(str(value)) else value


def _is_supported(name: str, value: Json, said: _Said) -> bool:
    if isinstance(value, bool):
        return bool(_words(name) & said.words)
    if isinstance(value, int | float):
        spelled = {_NUMBERS[word] for word in said.words if word in _NUMBERS}
        return bool({_written(value), str(value)} & said.words) or value in spelled
    return said.has(value) if isinstance(value, str) else True


def _mostly(wanted: frozenset[str], words: frozenset[str]) -> bool:
    stems = {word[:4] for word in words if len(word) > 3} | {
        word for word in words if len(word) < 4
    }
    return bool(wanted) and all(word[:4] in stems or word in words for word in wanted)


def _words(text: str) -> frozenset[str]:
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text.lower().replace("_", " "))
    return frozenset(re.findall(r"\d+(?:\.\d+)?|[^\W\d_]+", text))
