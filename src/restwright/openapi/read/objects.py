"""
Single objects of the OpenAPI Specification become values: parameters, media types, responses.

Whatever is wrong with one costs that one: it is left out or repaired, and a `Problem` says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from urllib.parse import unquote

from restwright.jsontypes import Json, is_array, is_object
from restwright.openapi.model import (
    DocumentedResponse,
    Encoding,
    Link,
    MediaType,
    OAuthFlow,
    Parameter,
    ParameterLocation,
    RequestBody,
    SecurityRequirements,
    SecurityScheme,
    Server,
    ServerVariable,
)
from restwright.openapi.read.cursor import Cursor, text_from_scalar
from restwright.openapi.references import split_pointer
from restwright.openapi.versions.swagger_parameters import value_schema

# OAS 3.2 "Parameter Object", `style`: the default of each location.
DEFAULT_STYLES: Mapping[ParameterLocation, str] = {
    "path": "simple",
    "query": "form",
    "header": "simple",
    "cookie": "form",
    "querystring": "form",
}
_SCHEMES = "#/components/securitySchemes/"
_LOCATIONS: Mapping[str, ParameterLocation] = {name: name for name in DEFAULT_STYLES}
# Styles whose arrays and objects are written as several pairs unless the document says otherwise.
_EXPLODED = frozenset({"form", "cookie"})
_MAX_ENCODINGS = 3  # encodings within encodings
_NOT_IN_REQUESTS = {"body": "belongs in `requestBody`", "formdata": "belongs in `requestBody`"}


def parse_parameter(place: Cursor) -> Parameter | None:
    """
    A Parameter Object; None where it has no name or no place.

    Source: OAS 3.2, "Parameter Object".
    """
    return place.context.memoize(place, _parse_parameter_object)


def _parse_parameter_object(place: Cursor) -> Parameter | None:
    written = place.text("in").strip().lower()
    location = _LOCATIONS.get(written)
    name = place.text("name")
    if not name or location is None:
        wrong = f"has no known `in` ({_NOT_IN_REQUESTS.get(written, written or 'missing')})"
        place.add_problem("has no `name`" if not name else wrong, "error", action="left out")
        return None
    _check_schema_or_content(place)
    return _build_parameter(place, name, location, required=location == "path")


def _check_schema_or_content(place: Cursor) -> None:
    """Source: OAS 3.2, "Parameter Object": one of `schema` and `content`."""
    node = place.node
    if "schema" in node and "content" in node:
        place.add_problem("has a `schema` and `content`", action="`content` counts")
    elif not {"schema", "content", "type"} & node.keys():
        place.add_problem("has no `schema` and no `content`", action="any value is accepted")


def parse_extensions(place: Cursor) -> Mapping[str, Json]:
    """What begins with `x-`."""
    return {key: value for key, value in place.node.items() if key.startswith("x-")}


def parse_header_objects(place: Cursor) -> Iterator[Parameter]:
    """The Header Objects under `headers`, as parameters."""
    for name, header in place.members("headers"):
        yield _build_parameter(header, name, "header", required=False)


def _build_parameter(
    place: Cursor, name: str, location: ParameterLocation, *, required: bool
) -> Parameter:
    # Thousands are read of one document, and few say more than a name and a schema.
    node = place.node
    style = (place.text("style") if "style" in node else "") or DEFAULT_STYLES[location]
    explode = place.flag("explode") if "explode" in node else None
    content = next(parse_media_types(place), None) if "content" in node else None
    return Parameter(
        name=name,
        location=location,
        required=required or place.is_true("required"),
        description=place.text("description"),
        deprecated=place.is_true("deprecated"),
        schema=content.schema if content else _parse_parameter_schema(place),
        style=style,
        explode=style in _EXPLODED if explode is None else explode,
        allow_reserved=place.is_true("allowReserved"),
        allow_empty_value=place.is_true("allowEmptyValue"),
        media_type=content.name if content else None,
        example=node.get("example", content.example if content else None),
        examples=_parse_examples(place) or (content.examples if content else {}),
        extensions=parse_extensions(place),
    )


def _parse_parameter_schema(place: Cursor) -> Json:
    if "schema" in place.node or "type" not in place.node:
        return _parse_schema(place)
    what = "has a `type` of its own, as in Swagger 2.0, and no `schema`"
    place.add_problem(what, action="read as its schema")
    return value_schema(place.node)


def _parse_schema(place: Cursor, key: str = "schema", *, missing: Json = True) -> Json:
    schema = place.node.get(key, missing)
    if schema is None or is_object(schema) or isinstance(schema, bool):
        return missing if schema is None else schema
    place.add_problem_at(key, "is no schema", "error", action="any value is accepted")
    return missing


def _parse_examples(place: Cursor) -> Mapping[str, Json]:
    """
    `{name: value}` of `examples`.

    Source: OAS 3.2, "Example Object".
    """
    if "examples" not in place.node:
        return {}
    examples = place.node["examples"]
    if is_array(examples):
        return {str(index): value for index, value in enumerate(examples)}
    if not is_object(examples):
        return {}
    return {
        name: each.node.get("dataValue", each.node.get("value"))
        for name, each in place.members("examples")
        if "dataValue" in each.node or "value" in each.node
    }


def parse_media_types(place: Cursor) -> Iterator[MediaType]:
    """
    The Media Type Objects under `content`.

    Source: OAS 3.2, "Media Type Object" and "Encoding Object".
    """
    for name, each in place.members("content"):
        yield MediaType(
            name=name,
            schema=_parse_schema(each),
            example=each.node.get("example"),
            examples=_parse_examples(each),
            item_schema=_parse_schema(each, "itemSchema", missing=None),
            encoding=_parse_encodings(each),
            prefix_encoding=_parse_prefix_encodings(each),
            item_encoding=_parse_item_encoding(each),
            extensions=parse_extensions(each),
        )


def _parse_encodings(place: Cursor, depth: int = 0) -> Mapping[str, Encoding]:
    return {key: _parse_encoding(each, depth) for key, each in place.members("encoding")}


def _parse_prefix_encodings(place: Cursor, depth: int = 0) -> tuple[Encoding, ...]:
    return tuple(_parse_encoding(element, depth) for element in place.elements("prefixEncoding"))


def _parse_item_encoding(place: Cursor, depth: int = 0) -> Encoding | None:
    each = place.object_at("itemEncoding") if "itemEncoding" in place.node else None
    return _parse_encoding(each, depth) if each else None


def _parse_encoding(place: Cursor, depth: int) -> Encoding:
    # References may go round in circles.
    is_deep = depth >= _MAX_ENCODINGS
    return Encoding(
        content_type=place.text("contentType"),
        style=place.text("style"),
        explode=place.flag("explode"),
        allow_reserved=place.is_true("allowReserved"),
        headers=tuple(parse_header_objects(place)),
        encoding={} if is_deep else _parse_encodings(place, depth + 1),
        prefix_encoding=() if is_deep else _parse_prefix_encodings(place, depth + 1),
        item_encoding=None if is_deep else _parse_item_encoding(place, depth + 1),
        extensions=parse_extensions(place),
    )


def parse_request_body(place: Cursor) -> RequestBody:
    """A Request Body Object."""
    content = tuple(parse_media_types(place))
    if not content:
        place.add_problem("has no media type in `content`", action="no body is sent")
    return RequestBody(
        required=place.is_true("required"),
        description=place.text("description"),
        content=content,
        extensions=parse_extensions(place),
    )


def parse_response_object(status: str, place: Cursor) -> DocumentedResponse:
    """A Response Object under its status."""
    return replace(place.context.memoize(place, _parse_response_without_status), status=status)


def _parse_response_without_status(place: Cursor) -> DocumentedResponse:
    return DocumentedResponse(
        status="",
        description=place.text("description"),
        content=tuple(parse_media_types(place)),
        headers=tuple(parse_header_objects(place)),
        links=tuple(_parse_link(name, each) for name, each in place.members("links")),
    )


def _parse_link(name: str, place: Cursor) -> Link:
    parameters = place.node.get("parameters")
    return Link(
        name=name,
        operation_id=place.text("operationId"),
        operation_ref=place.text("operationRef"),
        parameters=parameters if is_object(parameters) else {},
        request_body=place.node.get("requestBody"),
        description=place.text("description"),
    )


def parse_servers(place: Cursor) -> tuple[Server, ...]:
    """
    The Server Objects of one level; `()` where it has none.

    Source: OAS 3.2, "Server Object" and "Server Variable Object".
    """
    return tuple(
        _parse_server(element) for element in place.elements("servers") if _has_url(element)
    )


def _has_url(place: Cursor) -> bool:
    if place.text("url"):
        return True
    place.add_problem("has no `url`", action="left out")
    return False


def _parse_server(place: Cursor) -> Server:
    variables = {
        name: ServerVariable(
            default=each.text("default"),
            enum=each.texts("enum"),
            description=each.text("description"),
        )
        for name, each in place.members("variables")
    }
    url = place.text("url").strip()
    return Server(url=url, variables=variables, description=place.text("description"))


def parse_security_requirements(place: Cursor) -> SecurityRequirements | None:
    """
    OR of ANDs; None where nothing is said, `()` where it is said that nothing is needed.

    Source: OAS 3.2, "Security Requirement Object".
    """
    if place.node.get("security") is None:
        return None
    if is_object(place.node["security"]):
        place.add_problem_at("security", "is no list", action="read as its only element")
        return (_parse_requirement(place.object_at("security")),)
    return tuple(map(_parse_requirement, place.elements("security")))


def _parse_requirement(place: Cursor) -> Mapping[str, tuple[str, ...]]:
    return {
        _scheme_name(name): place.texts(name) for name in place.node if not name.startswith("x-")
    }


def _scheme_name(written: str) -> str:
    """The name of a security scheme, which since 3.2 may also be said by a reference."""
    if not written.startswith(_SCHEMES):
        return written
    return split_pointer(f"/{unquote(written.removeprefix(_SCHEMES))}")[-1]


def parse_security_schemes(root: Cursor) -> Mapping[str, SecurityScheme]:
    """`{name: scheme}` of the components."""
    components = root.object_at("components")
    return {
        name: SecurityScheme(
            name=name,
            type=scheme.text("type"),
            scheme=scheme.text("scheme").lower(),
            location=scheme.text("in"),
            parameter=scheme.text("name"),
            flows={flow: _parse_flow(each) for flow, each in scheme.members("flows")},
            open_id_connect_url=scheme.text("openIdConnectUrl"),
            bearer_format=scheme.text("bearerFormat"),
            description=scheme.text("description"),
        )
        for name, scheme in components.members("securitySchemes")
    }


def _parse_flow(place: Cursor) -> OAuthFlow:
    scopes = place.node.get("scopes")
    return OAuthFlow(
        authorization_url=place.text("authorizationUrl"),
        token_url=place.text("tokenUrl"),
        refresh_url=place.text("refreshUrl"),
        device_authorization_url=place.text("deviceAuthorizationUrl"),
        scopes={name: text_from_scalar(each) for name, each in scopes.items()}
        if is_object(scopes)
        else {},
    )
