"""The inputs of an operation one by one, and names for them that every provider accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from restwright.jsontypes import Json, is_object
from restwright.openapi.model import MediaType, Operation, Parameter, RequestBody
from restwright.tools.naming.names import clean_name, shorten_name
from restwright.tools.schemas.definitions import HUMAN_KEY, Definitions
from restwright.tools.schemas.keywords import repair_keyword
from restwright.tools.security import ParameterPlace, credential_parameters, parameter_place
from restwright.tools.text.media_types import body_media_type, body_schema
from restwright.tools.text.prose import to_one_line, to_plain_text
from restwright.tools.tool import InputLocation

_ORDER = {"path": 0, "query": 1, "querystring": 2, "header": 3, "cookie": 4}
_MAX_LENGTH = 64
_UNRESTRICTING = frozenset({"type", "title", "description", "deprecated", "examples", "default"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One input before it has a name of its own; `target` is the parameter's or property's."""

    target: str
    location: InputLocation
    schema: Json = field(repr=False)
    required: bool


def parameter_arguments(operation: Operation, definitions: Definitions) -> Iterator[Argument]:
    """The parameters of an operation but those of credentials: path, query, header, cookie."""
    schemes = definitions.security_schemes()
    hidden = credential_parameters(operation, schemes) if schemes else frozenset[ParameterPlace]()
    for parameter in sorted(operation.parameters, key=lambda each: _ORDER[each.location]):
        if hidden and parameter_place(parameter.location, parameter.name) in hidden:
            continue
        # Components are read once, so that the same value stands in many operations.
        made = definitions.memo.get(id(parameter))
        if made is None or made[0] is not parameter:
            made = definitions.memo[id(parameter)] = (
                parameter,
                _build_argument(parameter, definitions),
            )
        yield made[1]


def _build_argument(parameter: Parameter, definitions: Definitions) -> Argument:
    return Argument(
        target=parameter.name,
        location=parameter.location,
        schema=_parameter_schema(parameter, definitions),
        required=parameter.required,
    )


def body_argument(operation: Operation, definitions: Definitions) -> Argument | None:
    """The whole body as one argument; None where there is none."""
    body, media_type = operation.request_body, body_media_type(operation)
    if body is None or media_type is None:
        return None
    more = dict(_description_keyword(body.description))
    if definitions.form == "shows":
        more |= _examples_keyword(media_type)
    schema = add_annotations(definitions.clean(body_schema(media_type)), more)
    if is_body_human(body, media_type, definitions):
        schema = add_annotations(schema, {HUMAN_KEY: True})
    return Argument(target="", location="body", schema=schema, required=body.required)


def is_body_human(body: RequestBody, media_type: MediaType, definitions: Definitions) -> bool:
    """Whether what stands around the schema of a body marks all of it."""
    return definitions.is_marked(media_type.schema, {**body.extensions, **media_type.extensions})


def name_arguments(
    arguments: Sequence[Argument], *, taken: Sequence[str] = ()
) -> dict[str, Argument]:
    """
    `{legal name: argument}` in the order of `arguments`.

    Args:
        taken: Names that none of them may have.
    """
    legal = {item.target for item in arguments if is_legal_name(item.target)}
    found: dict[str, Argument] = dict.fromkeys(taken, _TAKEN)
    for argument in arguments:
        location = "body" if argument.location.startswith("body") else argument.location
        wanted = to_legal_name(argument.target) or location
        # A name that had to be changed gives way to one that is written like that.
        is_free = wanted == argument.target or wanted not in legal
        candidate, count = (wanted, 1) if is_free else (_prefix_location(location, wanted), 2)
        while candidate in found:
            candidate = _prefix_location(location, wanted, count)
            count += 1
        found[candidate] = _explain_real_name(argument)
    return {name: argument for name, argument in found.items() if argument is not _TAKEN}


def is_legal_name(name: str) -> bool:
    """Whether every provider accepts it: `^[A-Za-z_][A-Za-z0-9_]{0,63}$`."""
    return name.isidentifier() and name.isascii() and len(name) <= _MAX_LENGTH


@lru_cache(maxsize=4096)
def to_legal_name(name: str) -> str:
    """`page[size]` -> `page_size`, `$filter` -> `filter`; empty where nothing is left of it."""
    if is_legal_name(name):
        return name
    words = clean_name(name).replace("-", "_")
    return shorten_name(f"_{words}" if words[:1].isdecimal() else words, _MAX_LENGTH)


def add_annotations(schema: Json, more: Mapping[str, Json]) -> Json:
    """`schema` and what it says further; a boolean schema stays one where there is nothing more."""
    if not more or schema is False:
        return schema
    return {**schema, **more} if is_object(schema) else dict(more)


def _explain_real_name(argument: Argument) -> Argument:
    """The argument; with the real name in words where letters of it have no form in ASCII."""
    name = argument.target
    if name.isascii() or 0 < _count_letters(name) <= _count_letters(to_legal_name(name)):
        return argument
    said = f"The API calls it `{to_one_line(name)[:_MAX_LENGTH]}`."
    own = argument.schema.get("description") if is_object(argument.schema) else None
    text = f"{own}\n{said}" if own else said
    return replace(argument, schema=add_annotations(argument.schema, {"description": text}))


def _count_letters(name: str) -> int:
    return sum(map(str.isalpha, name))


_TAKEN = Argument(target="", location="body", schema=False, required=False)


def _prefix_location(location: str, name: str, count: int = 1) -> str:
    ending = f"_{count}" if count > 1 else ""
    return shorten_name(f"{location}_{name}", _MAX_LENGTH - len(ending)) + ending


def _description_keyword(text: str) -> Mapping[str, Json]:
    described = to_plain_text(text) if text else ""
    return {"description": described} if described else {}


def _parameter_schema(parameter: Parameter, definitions: Definitions) -> Json:
    schema = definitions.clean(parameter.schema)
    if definitions.form == "checks" and _may_be_empty(parameter):
        schema = _allow_empty(schema)
    more = dict(_description_keyword(parameter.description))
    if parameter.deprecated:
        more["deprecated"] = True
    if definitions.form == "shows":
        more |= _examples_keyword(parameter)
    if definitions.is_marked(parameter.schema, parameter.extensions):
        more[HUMAN_KEY] = True
    return add_annotations(schema, more)


def _may_be_empty(parameter: Parameter) -> bool:
    """Source: OAS 3.2, "Parameter Object", `allowEmptyValue`; it is for query parameters alone."""
    is_query = parameter.location == "query" and not parameter.media_type
    return parameter.allow_empty_value and is_query


def _allow_empty(schema: Json) -> Json:
    """A schema that accepts an empty text too; whoever reads it need not be told to use that."""
    is_any_text = is_object(schema) and schema.get("type") == "string"
    if schema is True or (is_any_text and schema.keys() <= _UNRESTRICTING):
        return schema
    return {"anyOf": [schema, {"const": ""}]}


def _examples_keyword(described: Parameter | MediaType) -> Mapping[str, Json]:
    """The example that stands beside a schema; the first one of several."""
    found = described.example
    if found is None:
        found = next(iter(described.examples.values()), None)
    examples = None if found is None else repair_keyword("examples", [found])
    return {"examples": examples} if examples else {}
