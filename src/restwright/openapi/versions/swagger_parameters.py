"""
The parameters of Swagger 2.0 said as OpenAPI 3.2: parameters, a request body, or fields of a form.

What a parameter is decides where it goes, so references to parameters are followed here. Schemas
are kept as they are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import Severity
from restwright.openapi.references import dereference_node, find_ref
from restwright.openapi.versions.schema import is_true

ParameterLevel = Literal["operation", "path item"]

MULTIPART = "multipart/form-data"
URL_ENCODED = "application/x-www-form-urlencoded"
JSON = "application/json"
_FORMS = frozenset({MULTIPART, URL_ENCODED})

# Swagger 2.0 "Parameter Object" and "Header Object": what describes the value. `x-nullable` and
# `nullable` are no keywords there, and are written by many.
VALUE_KEYWORDS = (
    *("type", "format", "items", "default", "enum", "multipleOf", "pattern"),
    *("maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength"),
    *("maxItems", "minItems", "uniqueItems", "x-nullable", "nullable"),
)
_VALUE = frozenset(VALUE_KEYWORDS)

_LOCATIONS = {
    **{
        literal.lower(): literal
        for literal in ("path", "query", "header", "cookie", "body", "formData")
    },
    "form": "formData",
}

# Swagger 2.0 "Parameter Object", collectionFormat, where the value is not in a path or header.
_COLLECTIONS: Mapping[str, JsonObject] = {
    "csv": {"style": "form", "explode": False},
    "ssv": {"style": "spaceDelimited", "explode": False},
    "pipes": {"style": "pipeDelimited", "explode": False},
    "multi": {"style": "form", "explode": True},
    # No style of OpenAPI has tabs; the nearest one, and the truth beside it.
    "tsv": {"style": "spaceDelimited", "explode": False, "x-collectionFormat": "tsv"},
}


@dataclass(frozen=True, slots=True)
class ConversionProblem:
    """
    Something doubtful in an operation of Swagger 2.0.

    Args:
        tokens: Of the JSON Pointer below the operation, or below its path item.
        what: What is doubtful, to be read after the pointer.
        action: What was done about it.
        level: What `tokens` start from.
    """

    tokens: tuple[str | int, ...]
    what: str
    severity: Severity
    action: str
    level: ParameterLevel = "operation"


@dataclass(frozen=True, slots=True)
class SwaggerParameter:
    """
    One parameter as it was found.

    Args:
        location: `in`, spelled as the specification does.
        node: The Parameter Object behind its reference.
        index: In its list.
        ref: The reference that led to `node`; empty where there was none.
    """

    location: str
    node: JsonObject = field(repr=False)
    index: int
    level: ParameterLevel = "operation"
    ref: str = ""

    @property
    def name(self) -> str:
        """The name as text; the body's is for people only."""
        return "" if self.location == "body" else str(self.node["name"])

    def make_problem(
        self, what: str, action: str, *keys: str, severity: Severity = "warning"
    ) -> ConversionProblem:
        """Something doubtful in this parameter."""
        return ConversionProblem(
            ("parameters", self.index, *keys), what, severity, action, self.level
        )


@dataclass(slots=True)
class SharedParameters:
    """Parameters of one document that many operations refer to, each made once."""

    _converted: dict[int, tuple[JsonObject, JsonObject]] = field(
        default_factory=dict[int, tuple["JsonObject", "JsonObject"]], repr=False
    )
    _numbers: set[int] = field(default_factory=set[int], repr=False)
    _found: dict[str, SwaggerParameter] = field(
        default_factory=dict[str, "SwaggerParameter"], repr=False
    )

    def resolve(
        self,
        document: JsonObject,
        node: Json,
        index: int,
        level: ParameterLevel,
        problems: list[ConversionProblem],
    ) -> SwaggerParameter | None:
        """As without `SharedParameters`; what a reference leads to is found once."""
        ref = find_ref(node)
        known = self._found.get(ref) if ref is not None else None
        if known is not None:
            return replace(known, index=index, level=level)
        found = _resolve_parameter(document, node, index, level, problems)
        if ref is not None and found is not None:
            self._found[ref] = found
        return found

    def convert(self, one: SwaggerParameter, problems: list[ConversionProblem]) -> JsonObject:
        """As `convert_parameter()`; the same object for a parameter that is referred to again."""
        if not one.ref and one.level == "operation":
            return convert_parameter(one, problems)
        key = id(one.node)
        if key not in self._converted:
            # With the node, so that no other one can get its number.
            self._converted[key] = (one.node, convert_parameter(one, problems))
            self._numbers.add(id(self._converted[key][1]))
        return self._converted[key][1]

    def contains(self, parameter: Json) -> bool:
        """Whether `convert` is one of those that were made here."""
        return id(parameter) in self._numbers


def collect_parameters(
    document: JsonObject,
    owner: JsonObject,
    level: ParameterLevel,
    problems: list[ConversionProblem],
    shared: SharedParameters | None = None,
) -> list[SwaggerParameter]:
    """The usable parameters of a path item or an operation, in order."""
    find = shared.resolve if shared else _resolve_parameter
    parameters = owner.get("parameters")
    if not is_array(parameters):
        if parameters is not None:
            problems.append(
                ConversionProblem(("parameters",), "is no list", "warning", "ignored", level)
            )
        return []
    found = (find(document, each, at, level, problems) for at, each in enumerate(parameters))
    return [parameter for parameter in found if parameter is not None]


def _resolve_parameter(
    document: JsonObject,
    node: Json,
    index: int,
    level: ParameterLevel,
    problems: list[ConversionProblem],
) -> SwaggerParameter | None:
    def refuse(what: str) -> None:
        problems.append(ConversionProblem(("parameters", index), what, "error", "left out", level))

    try:
        parameter = dereference_node(document, node)
    except UnresolvedReference as error:
        return refuse(error.message)
    if not is_object(parameter):
        return refuse("is no Parameter Object")
    written = parameter.get("in")
    location = _LOCATIONS.get(written.lower()) if isinstance(written, str) else None
    if location is None:
        return refuse("has no `in`" if written is None else f"`in` is {str(written)[:40]!r}")
    if location != "body" and not isinstance(parameter.get("name"), str | int | float):
        return refuse("has no `name`")
    one = SwaggerParameter(location, parameter, index, level, find_ref(node) or "")
    if written != location:
        problems.append(
            one.make_problem(f"`in` is {str(written)[:40]!r}", f"read as {location}", "in")
        )
    return one


def merge_parameters(
    of_item: Iterable[SwaggerParameter], of_operation: Iterable[SwaggerParameter]
) -> list[SwaggerParameter]:
    """
    All parameters of an operation, its own in place of those of the path item.

    Source: Swagger 2.0, "Path Item Object" and "Operation Object" (unique by name and location).
    """
    own = list(of_operation)
    # There is one body, whatever it is called.
    named = {(parameter.name, parameter.location) for parameter in own}
    return [
        *(parameter for parameter in of_item if (parameter.name, parameter.location) not in named),
        *own,
    ]


def convert_parameter(one: SwaggerParameter, problems: list[ConversionProblem]) -> JsonObject:
    """A path, query, header or cookie parameter."""
    node = one.node
    if node.get("type") == "file":
        problems.append(one.make_problem("a file outside a form", "read as a string", "type"))
    moved = _VALUE | {"collectionFormat", "schema", "in", "required"}
    parameter: JsonObject = {"name": node["name"], "in": one.location}
    parameter |= {key: value for key, value in node.items() if key not in moved}
    if one.location == "path" or "required" in node:
        parameter["required"] = one.location == "path" or node["required"]
    parameter |= convert_collection_format(node, one.location)
    parameter["schema"] = value_schema(node)
    if "x-example" in node and "example" not in node:
        parameter["example"] = node["x-example"]
    return parameter


def value_schema(node: JsonObject) -> Json:
    """The schema of what is no body; files are strings."""
    schema: JsonObject = {key: node[key] for key in VALUE_KEYWORDS if key in node}
    if schema.get("type") == "file":
        return {**schema, "type": "string", "format": "binary"}
    written = node.get("schema")
    if "type" not in schema and (is_object(written) or isinstance(written, bool)):
        return {**written, **schema} if schema and is_object(written) else written
    return schema


def convert_collection_format(node: JsonObject, location: str) -> JsonObject:
    """
    `style` and `explode` of an array; empty where nothing is collected.

    Source: Swagger 2.0, "Parameter Object"; OAS 3.2.0, "Style Values".
    """
    if node.get("type") != "array" and "collectionFormat" not in node:
        return {}
    written = node.get("collectionFormat")
    collection = written if isinstance(written, str) and written in _COLLECTIONS else "csv"
    if location not in {"path", "header"}:
        return dict(_COLLECTIONS[collection])
    extra: JsonObject = {} if collection == "csv" else {"x-collectionFormat": collection}
    return {"style": "simple", "explode": False, **extra}


def convert_request_body(
    parameters: Sequence[SwaggerParameter],
    consumes: Sequence[str] | None,
    problems: list[ConversionProblem],
) -> JsonObject | None:
    """
    What `body` and `formData` parameters make together; None where there are none.

    Where a document has both, the fields take the form's media types and the body the others. One
    that is left without a media type is left out: with no `consumes` at all, that is the form.
    """
    bodies = [parameter for parameter in parameters if parameter.location == "body"]
    fields = [parameter for parameter in parameters if parameter.location == "formData"]
    problems.extend(
        body.make_problem("there is another body before it", "left out", severity="error")
        for body in bodies[1:]
    )
    if not bodies:
        return _convert_form(fields, consumes, problems) if fields else None
    if not fields:
        return _convert_body(bodies[0], consumes or [JSON])
    return _convert_body_and_form(bodies[0], fields, consumes, problems)


def _convert_body_and_form(
    body: SwaggerParameter,
    fields: list[SwaggerParameter],
    consumes: Sequence[str] | None,
    problems: list[ConversionProblem],
) -> JsonObject:
    others = [consume for consume in consumes or [JSON] if not is_form_media_type(consume)]
    forms = [consume for consume in consumes or () if is_form_media_type(consume)]
    if not forms:
        problems.extend(
            parameter.make_problem("a form field beside a body", "left out") for parameter in fields
        )
        return _convert_body(body, others)
    if not others:
        problems.append(body.make_problem("a body beside form fields", "left out"))
        return _convert_form(fields, consumes, problems)
    problems.append(body.make_problem("a body beside form fields", "either is accepted"))
    either = _convert_body(body, others)
    content = either["content"] | _convert_form(fields, forms, problems)["content"]
    return {**either, "content": content}


def _convert_body(one: SwaggerParameter, media_types: Sequence[str]) -> JsonObject:
    node = one.node
    dropped = {"name", "in", "schema", "collectionFormat"}
    kept = {key: each for key, each in node.items() if key not in _VALUE | dropped}
    schema = value_schema(node)
    return {**kept, "content": {name: {"schema": schema} for name in media_types}}


def _convert_form(
    fields: Sequence[SwaggerParameter],
    consumes: Sequence[str] | None,
    problems: list[ConversionProblem],
) -> JsonObject:
    media_types = _select_form_media_types(fields, consumes, problems)
    needed = (parameter.name for parameter in fields if is_true(parameter.node.get("required")))
    required = list(dict.fromkeys(needed))
    schema: JsonObject = {
        "type": "object",
        "properties": {parameter.name: _field_schema(parameter.node) for parameter in fields},
    }
    body: JsonObject = {}
    if required:
        schema["required"] = required
        body["required"] = True
    media_type: JsonObject = {"schema": schema}
    if encoding := dict(_field_encodings(fields)):
        media_type["encoding"] = encoding
    return {"content": dict.fromkeys(media_types, media_type), **body}


def _select_form_media_types(
    fields: Sequence[SwaggerParameter],
    consumes: Sequence[str] | None,
    problems: list[ConversionProblem],
) -> list[str]:
    """The form's media types; files need a multipart one."""
    named = [consume for consume in consumes or () if is_form_media_type(consume)]
    files = [parameter for parameter in fields if _has_file(parameter.node)]
    if files:
        named = [item for item in named if _essence(item) == MULTIPART]
    if named:
        return named
    chosen = MULTIPART if files else URL_ENCODED
    if consumes:
        what = "a file" if files else "a form field"
        at = (files or fields)[0]
        problems.append(
            at.make_problem(f"{what}, but `consumes` has no {chosen}", f"sent as {chosen}")
        )
    return [chosen]


def _has_file(node: JsonObject) -> bool:
    items = node.get("items")
    return node.get("type") == "file" or (is_object(items) and items.get("type") == "file")


def _field_schema(node: JsonObject) -> Json:
    schema = value_schema(node)
    if not is_object(schema):
        return schema
    dropped = _VALUE | {"name", "in", "required", "schema", "collectionFormat", "allowEmptyValue"}
    kept = {key: value for key, value in node.items() if key not in dropped}
    # An Encoding Object has no `allowEmptyValue`: that a field may be empty is left to its schema.
    is_empty_too = is_true(node.get("allowEmptyValue")) and not _has_file(node)
    return {**(_allow_empty(schema) if is_empty_too else schema), **kept}


def _allow_empty(schema: JsonObject) -> JsonObject:
    is_any_text = schema.get("type") == "string" and schema.keys() <= {"type", "default"}
    return schema if is_any_text else {"anyOf": [schema, {"enum": [""]}]}


def _field_encodings(fields: Iterable[SwaggerParameter]) -> Iterator[tuple[str, JsonObject]]:
    for parameter in fields:
        # Fields that repeat are what OpenAPI does without being told.
        if (style := convert_collection_format(parameter.node, "formData")) and style.get(
            "explode"
        ) is False:
            yield parameter.name, style


def is_form_media_type(media_type: str) -> bool:
    """Whether form fields are sent as `media_type`."""
    return _essence(media_type) in _FORMS


def _essence(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()
