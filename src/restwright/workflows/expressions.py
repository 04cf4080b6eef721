"""
Runtime expressions: parsed by the grammar of the specification, and looked up; nothing is run.

Beside the grammar, `.name` and `[0]` may follow a body, an input or an output, as conditions allow
it and as documents write it everywhere.

Source: Arazzo 1.1.0, "Runtime Expressions".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Literal

from restwright.calls.truncate import compact_json
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.load.json_path import JSONPathQueries, UnusableQuery
from restwright.openapi.references import split_pointer

MAX_LOOKED_AT = 1_000_000
"""Values that one JSONPath query may look at."""

Root = Literal[
    "url", "method", "statusCode", "self", "request", "response", "inputs", "outputs", "steps",
    "workflows", "sourceDescriptions", "components",
]  # fmt: skip
Path = tuple[str | int, ...]

_NAME = r"[A-Za-z0-9_.\-]+"
_STRICT = r"[A-Za-z0-9_\-]+"
_TAIL = r"(?:\.[^.\[\]#{}\s]+|\[\d+\])*"
_POINTER = r"(?:#(?P<pointer>(?:/[^{}]*)?))?"
# What may stand behind each root: RFC 6901 pointers, tokens of RFC 9110, names without braces.
_FORMS: Mapping[Root, str] = {
    "url": "",
    "method": "",
    "statusCode": "",
    "self": "",
    "request": (
        rf"\.(?:body(?P<tail>{_TAIL}){_POINTER}"
        rf"|(?P<part>header|query|path)\.(?P<name>[^{{}}]+))"
    ),
    "response": rf"\.(?:body(?P<tail>{_TAIL}){_POINTER}|(?P<part>header)\.(?P<name>[^{{}}\s]+))",
    "inputs": rf"\.(?P<name>{_NAME})(?P<tail>{_TAIL}){_POINTER}",
    "outputs": rf"\.(?P<name>{_NAME})(?P<tail>{_TAIL}){_POINTER}",
    "steps": (
        rf"\.(?P<owner>{_STRICT})\.outputs(?:\.(?P<name>{_NAME})(?P<tail>{_TAIL}){_POINTER})?"
    ),
    "workflows": (
        rf"\.(?P<owner>{_STRICT})\.(?P<part>inputs|outputs)"
        rf"\.(?P<name>{_NAME})(?P<tail>{_TAIL}){_POINTER}"
    ),
    "sourceDescriptions": rf"\.(?P<owner>{_STRICT})\.(?P<name>[^{{}}]+)",
    "components": rf"\.(?P<part>parameters|successActions|failureActions)\.(?P<name>{_NAME})",
}
_ROOT = re.compile(r"\$(?:(url|method|statusCode|self)\Z|([A-Za-z]+)\.)")
_EMBEDDED = re.compile(r"\{(\$[^{}]+)\}")
_TAIL_PART = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")


class _Absent(Enum):
    ABSENT = "absent"


ABSENT: Final = _Absent.ABSENT
"""What an expression gives that leads to nothing; null is a value."""


class UnusableRuntimeExpression(Exception):
    """A text that is no runtime expression, or leads where no HTTP call has anything."""


class NoValue(Exception):
    """A step has run and did not give what another one needs; the text says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """
    One runtime expression.

    Args:
        owner: The id of a step or workflow, or the name of a source.
        part: `header`, `query`, `path`, `inputs`, `outputs` or a kind of component.
        name: Of an input, output, header or parameter; empty for a body, and for all outputs.
        path: What follows it as `.name` and `[0]`.
        pointer: RFC 6901, into what it leads to.
    """

    text: str
    root: Root
    owner: str = ""
    part: str = ""
    name: str = ""
    path: Path = ()
    pointer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """
    What expressions see of one call.

    Args:
        parameters: `{location: {name: value}}`, as the step gives them; no credential is there.
        request_body: As the step gives it; `ABSENT` where it gives none.
        status: None where no response came.
        headers: Of the response, names in lower case.
        body: Of the response, as a JSON value or text.
    """

    url: str = ""
    method: str = ""
    parameters: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    request_body: Json = ABSENT
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: Json = ABSENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """
    What expressions may lead to, at one moment of a run.

    Args:
        steps: `{step id: its outputs}` of the steps that have run.
        workflows: `{workflow id: {"inputs": {...}, "outputs": {...}}}` of those that have.
        outputs: Of the workflow that a step has called; of the own one at its end.
        exchange: The last call.
        sources: `{name: its Source Description Object}`.
        self_uri: `$self` of the document.
    """

    inputs: JsonObject
    steps: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    workflows: Mapping[str, Mapping[str, JsonObject]] = field(
        default_factory=dict[str, Mapping[str, JsonObject]]
    )
    outputs: JsonObject = field(default_factory=dict[str, Json])
    exchange: Exchange = field(default_factory=Exchange)
    sources: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    self_uri: str = ""


def parse_expression(text: str) -> Expression:
    """
    Read one runtime expression.

    Raises:
        UnusableRuntimeExpression: It is none.
    """
    root = _root_of(text)
    if root is None:
        raise UnusableRuntimeExpression(f"{text!r} is no runtime expression")
    found = re.fullmatch(_FORMS[root], text[len(root) + 1 :])
    if found is None:
        raise UnusableRuntimeExpression(f"{text!r} is no runtime expression of ${root}")
    groups = {name: value or "" for name, value in found.groupdict().items()}
    tail = tuple(
        int(index) if index else name for name, index in _TAIL_PART.findall(groups.get("tail", ""))
    )
    return Expression(
        text=text,
        root=root,
        owner=groups.get("owner", ""),
        part=groups.get("part", ""),
        name=groups.get("name", ""),
        path=tail,
        pointer=groups.get("pointer", ""),
    )


def _root_of(text: str) -> Root | None:
    found = _ROOT.match(text)
    return next((root for root in _FORMS if found and root in found.groups()), None)


def find_expressions(value: Json) -> Iterator[Expression]:
    """
    Every runtime expression in a value, whole texts and embedded ones.

    Raises:
        UnusableRuntimeExpression: A text begins as one and is none.
    """
    if isinstance(value, str):
        if _root_of(value) is not None:
            yield parse_expression(value)
        else:
            yield from (parse_expression(found) for found in _EMBEDDED.findall(value))
    elif is_object(value) or is_array(value):
        for child in value.values() if is_object(value) else value:
            yield from find_expressions(child)


def evaluate_expression(expression: Expression, scope: Scope) -> Json:
    """Look up what an expression leads to; `ABSENT` for nothing."""
    value = _START[expression.root](expression, scope)
    for key in (*expression.path, *_pointer_tokens(expression.pointer)):
        value = _descend(value, key)
    return value


def evaluate_value(value: Json, scope: Scope) -> Json:
    """
    Put values in the place of the expressions and Selector Objects in `value`.

    What was not given, or comes from a step that did not run, is left out; a text that has it
    embedded is left out as a whole.

    Raises:
        NoValue: A step that has run did not give what is asked of it.
    """
    if isinstance(value, str):
        return _evaluate_text(value, scope)
    if is_selector(value):
        context = parse_expression(value["context"])
        return _require_value(evaluate_selector(value, scope), context, scope)
    if is_object(value):
        members = {name: evaluate_value(member, scope) for name, member in value.items()}
        return {name: member for name, member in members.items() if member is not ABSENT}
    if is_array(value):
        items = [evaluate_value(item, scope) for item in value]
        return [item for item in items if item is not ABSENT]
    return value


def evaluate_output(value: Json, scope: Scope) -> Json:
    """Evaluate an expression or a Selector Object that may lead to nothing: then `ABSENT`."""
    if is_selector(value):
        return evaluate_selector(value, scope)
    if isinstance(value, str) and _root_of(value) is not None:
        return evaluate_expression(parse_expression(value), scope)
    try:
        return evaluate_value(value, scope)
    except NoValue:
        return ABSENT


def is_selector(value: Json) -> bool:
    """Whether a value is a Selector Object (1.1)."""
    if not is_object(value) or not {"context", "selector", "type"} >= value.keys():
        return False
    context, selector = value.get("context"), value.get("selector")
    return isinstance(selector, str) and isinstance(context, str) and context.startswith("$")


def selector_type(written: Json) -> str:
    """The type that an Expression Type Object, or its short form, names."""
    return str(written.get("type", "")) if is_object(written) else str(written or "")


def evaluate_selector(selector: JsonObject, scope: Scope) -> Json:
    """What a Selector Object leads to: one value, or the list of several; `ABSENT` for none."""
    context = evaluate_expression(parse_expression(selector["context"]), scope)
    if context is ABSENT:
        return ABSENT
    if selector_type(selector["type"]) == "jsonpointer":
        for key in _pointer_tokens(selector["selector"]):
            context = _descend(context, key)
        return context
    found = [_follow(context, path) for path in find_paths(selector["selector"], context)]
    return found[0] if len(found) == 1 else found or ABSENT


def find_paths(query: str, context: Json) -> list[Path]:
    """Where a JSONPath query leads in a value; nowhere, where it is no query."""
    try:
        return JSONPathQueries(max_visited=MAX_LOOKED_AT).find(query, context)
    except UnusableQuery:
        return []


def embed_expressions(text: str, scope: Scope) -> str:
    """`text` with what its embedded expressions give; what gives nothing as an empty text."""

    def spell(match: re.Match[str]) -> str:
        found = evaluate_expression(parse_expression(match[1]), scope)
        return "" if found is ABSENT else spell_value(found)

    return _EMBEDDED.sub(spell, text)


def spell_value(value: Json) -> str:
    """A value as an embedded expression writes it: texts as they are, all else as JSON."""
    return value if isinstance(value, str) else compact_json(value)


def _evaluate_text(text: str, scope: Scope) -> Json:
    whole = _EMBEDDED.fullmatch(text)
    # One expression alone keeps the type of its value, so that a number stays one in JSON.
    if whole is not None or _root_of(text) is not None:
        expression = parse_expression(whole[1] if whole else text)
        return _require_value(evaluate_expression(expression, scope), expression, scope)
    found = [parse_expression(match) for match in _EMBEDDED.findall(text)]
    values = [_require_value(evaluate_expression(each, scope), each, scope) for each in found]
    return ABSENT if any(value is ABSENT for value in values) else embed_expressions(text, scope)


def _require_value(value: Json, expression: Expression, scope: Scope) -> Json:
    is_due = expression.root in {"response", "request", "outputs"} or (
        expression.root == "steps" and expression.owner in scope.steps
    )
    if value is ABSENT and is_due:
        raise NoValue(f"{expression.text} has no value")
    return value


def _start_in_exchange(expression: Expression, scope: Scope) -> Json:
    exchange = scope.exchange
    if expression.root == "request":
        if not expression.part:
            return exchange.request_body
        name = expression.name.lower() if expression.part == "header" else expression.name
        return exchange.parameters.get(expression.part, {}).get(name, ABSENT)
    if expression.part:
        return exchange.headers.get(expression.name.lower(), ABSENT)
    return exchange.body


def _start_in_workflows(expression: Expression, scope: Scope) -> Json:
    found = scope.workflows.get(expression.owner, {}).get(expression.part, {})
    return _named_value(found, expression.name)


def _named_value(values: JsonObject, name: str) -> Json:
    """The value of a name, which may have dots, or else what the part after a dot leads to."""
    if name in values:
        return values[name]
    own, dot, rest = name.rpartition(".")
    return _descend(_named_value(values, own), rest) if dot else ABSENT


def _start_in_exchange_line(expression: Expression, scope: Scope) -> Json:
    exchange = scope.exchange
    if expression.root == "statusCode":
        return ABSENT if exchange.status is None else exchange.status
    return (exchange.url if expression.root == "url" else exchange.method) or ABSENT


def _start_in_document(expression: Expression, scope: Scope) -> Json:
    if expression.root == "self":
        return scope.self_uri or ABSENT
    return scope.sources.get(expression.owner, {}).get(expression.name, ABSENT)


def _start_in_names(expression: Expression, scope: Scope) -> Json:
    if expression.root == "steps":
        outputs = scope.steps.get(expression.owner)
        # All outputs of a step are what its selectors and conditions look into.
        if outputs is None or not expression.name:
            return ABSENT if outputs is None else outputs
        return _named_value(outputs, expression.name)
    values = scope.inputs if expression.root == "inputs" else scope.outputs
    return _named_value(values, expression.name)


_START: Mapping[Root, Callable[[Expression, Scope], Json]] = {
    "url": _start_in_exchange_line,
    "method": _start_in_exchange_line,
    "statusCode": _start_in_exchange_line,
    "self": _start_in_document,
    "request": _start_in_exchange,
    "response": _start_in_exchange,
    "inputs": _start_in_names,
    "outputs": _start_in_names,
    "steps": _start_in_names,
    "workflows": _start_in_workflows,
    "sourceDescriptions": _start_in_document,
    "components": lambda _, __: ABSENT,
}


def _pointer_tokens(pointer: str) -> tuple[str, ...]:
    return split_pointer(pointer) if pointer else ()


def _follow(value: Json, path: Path) -> Json:
    for key in path:
        value = _descend(value, key)
    return value


def _descend(value: Json, key: str | int) -> Json:
    if is_object(value):
        return value.get(str(key), ABSENT)
    if is_array(value) and str(key).isdecimal() and int(key) < len(value):
        return value[int(key)]
    return ABSENT
