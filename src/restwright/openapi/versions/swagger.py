"""
Swagger 2.0 said as OpenAPI 3.2, part by part, so that whoever reads OpenAPI can read it too.

Schemas inside are kept as they are written: the same objects, their references unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.references import dereference_node, find_ref
from restwright.openapi.versions.swagger_parameters import (
    JSON,
    VALUE_KEYWORDS,
    ConversionProblem,
    SharedParameters,
    collect_parameters,
    convert_collection_format,
    convert_parameter,
    convert_request_body,
    merge_parameters,
    value_schema,
)

__all__ = [
    "OPENAPI_VERSION",
    "ConversionProblem",
    "convert_swagger_operation",
    "convert_swagger_root",
]

OPENAPI_VERSION = "3.2.0"

# Each costs a copy of what is sent or answered, in every operation.
MAX_MEDIA_TYPES = 100

_SCHEMES = ("https", "http", "wss", "ws")
_BINARY = "application/octet-stream"

# Keys of the Swagger Object that are said elsewhere in OpenAPI.
_MOVED = frozenset({
    "swagger", "openapi", "host", "basePath", "schemes", "consumes", "produces", "paths",
    "definitions", "parameters", "responses", "securityDefinitions", "components",
})  # fmt: skip
_SERVED = frozenset({"host", "basePath", "schemes"})
_MOVED_OF_OPERATION = frozenset({"parameters", "consumes", "produces", "schemes", "responses"})

_FLOWS = {
    "implicit": "implicit",
    "password": "password",
    "application": "clientCredentials",
    "accessCode": "authorizationCode",
}
_FLOW_KEYS = ("authorizationUrl", "tokenUrl", "refreshUrl")


def convert_swagger_root(document: JsonObject) -> JsonObject:
    """
    The OpenAPI Object of a Swagger document, its `paths` as written and its schemas where they are.

    Source: Swagger 2.0, "Swagger Object"; OAS 3.2.0, "OpenAPI Object".
    """
    root: JsonObject = {"openapi": OPENAPI_VERSION}
    root |= {key: value for key, value in document.items() if key not in _MOVED}
    if "servers" not in root or not _SERVED.isdisjoint(document):
        root["servers"] = _build_servers(document, _list_of_texts(document.get("schemes")))
    if "paths" in document:
        root["paths"] = document["paths"]
    components = document.get("components")
    schemes = convert_security_schemes(document.get("securityDefinitions"))
    if schemes or is_object(components):
        kept = components if is_object(components) else {}
        root["components"] = {**kept, **({"securitySchemes": schemes} if schemes else {})}
    return root


def convert_swagger_operation(
    document: JsonObject,
    item: JsonObject,
    operation: JsonObject,
    parameters: SharedParameters | None = None,
) -> tuple[JsonObject, list[ConversionProblem]]:
    """
    One operation under its path item, with all that both say.

    Args:
        document: The Swagger document, which parameters and responses refer to.
        item: The Path Item Object, whose own reference was followed.
        parameters: What was made of parameters before; doubts about those are not told again.

    Returns:
        The Operation Object of OpenAPI, which holds the parameters of the path item too, and what
        is doubtful about it.
    """
    return convert_operation(document, item, operation, {}, parameters)


def convert_operation(
    document: JsonObject,
    item: JsonObject,
    operation: JsonObject,
    shared: Mapping[str, str],
    made: SharedParameters | None = None,
) -> tuple[JsonObject, list[ConversionProblem]]:
    """
    As `convert_swagger_operation()`, with references kept where they are among `shared`.

    Args:
        shared: `{reference to a parameter or response: what it is in the canonical document}`,
            without percent-encoding.
    """
    doubts: list[ConversionProblem] = []
    make = made.convert if made else convert_parameter
    parameters = merge_parameters(
        collect_parameters(document, item, "path item", doubts, made),
        collect_parameters(document, operation, "operation", doubts, made),
    )
    canonical = {key: each for key, each in operation.items() if key not in _MOVED_OF_OPERATION}
    plain = [
        {"$ref": shared[ref]}
        if (ref := unquote(parameter.ref)) in shared
        else make(parameter, doubts)
        for parameter in parameters
        if parameter.location not in {"body", "formData"}
    ]
    if plain:
        canonical["parameters"] = plain
    body = convert_request_body(
        parameters, select_media_types(document, operation, "consumes"), doubts
    )
    doubts.extend(_check_media_type_count(document, operation))
    if body is not None:
        canonical["requestBody"] = body
    if "responses" in operation:
        canonical["responses"] = _convert_responses(document, operation, shared, doubts)
    if schemes := _filter_schemes(_list_of_texts(operation.get("schemes"))):
        canonical["servers"] = _build_servers(document, schemes)
    return canonical, doubts


def select_media_types(document: JsonObject, operation: JsonObject, key: str) -> list[str] | None:
    """`consumes` or `produces` of an operation, else of the document; None where neither says."""
    for owner in (operation, document):
        if key in owner:
            # An empty list of an operation clears what the document says.
            return _list_of_texts(owner[key])[:MAX_MEDIA_TYPES] or None
    return None


def _check_media_type_count(
    document: JsonObject, operation: JsonObject
) -> Iterator[ConversionProblem]:
    for key in ("consumes", "produces"):
        count = len(_list_of_texts(operation.get(key, document.get(key))))
        if count > MAX_MEDIA_TYPES:
            tokens = (key,) if key in operation else ()
            action = f"the first {MAX_MEDIA_TYPES} are read"
            yield ConversionProblem(tokens, f"{key} {count} media types", "warning", action)


def convert_response(response: JsonObject, produces: Sequence[str] | None) -> JsonObject:
    """
    A Response Object of OpenAPI.

    Source: Swagger 2.0, "Response Object", "Example Object" and "Header Object".
    """
    moved = {"schema", "examples", "headers"}
    canonical = {key: value for key, value in response.items() if key not in moved}
    headers = response.get("headers")
    if "headers" in response:
        canonical["headers"] = (
            {name: _convert_header(each) for name, each in headers.items()}
            if is_object(headers)
            else headers
        )
    if content := _build_content(response, produces):
        canonical["content"] = content
    return canonical


def convert_security_schemes(definitions: Json) -> JsonObject:
    """
    The Security Scheme Objects of OpenAPI by name.

    Source: Swagger 2.0, "Security Scheme Object"; OAS 3.2.0, "Security Scheme Object".
    """
    if not is_object(definitions):
        return {}
    return {
        name: _convert_security_scheme(each) if is_object(each) else each
        for name, each in definitions.items()
    }


def _convert_security_scheme(scheme: JsonObject) -> JsonObject:
    kind = scheme.get("type")
    if kind == "basic":
        return {**scheme, "type": "http", "scheme": "basic"}
    if kind != "oauth2" or "flows" in scheme:
        return scheme
    canonical = {
        key: value for key, value in scheme.items() if key not in {"flow", "scopes", *_FLOW_KEYS}
    }
    scopes = scheme.get("scopes")
    flow = {key: scheme[key] for key in _FLOW_KEYS if key in scheme}
    flow["scopes"] = scopes if is_object(scopes) else {}
    canonical["flows"] = {_flow_name(scheme): flow}
    return canonical


def _flow_name(scheme: JsonObject) -> str:
    """The flow by its new name; where none is named, the one that has these URLs."""
    written = scheme.get("flow")
    if isinstance(written, str):
        return _FLOWS.get(written, written)
    if "authorizationUrl" in scheme:
        return "authorizationCode" if "tokenUrl" in scheme else "implicit"
    return "clientCredentials"


def _build_servers(document: JsonObject, schemes: Sequence[str]) -> list[JsonObject]:
    """One server a scheme; relative to where the document is where it names no host."""
    path = document.get("basePath")
    path = path.strip().rstrip("/") if isinstance(path, str) else ""
    path = f"/{path}" if path and not path.startswith("/") else path
    host = document.get("host")
    if not isinstance(host, str) or not host.strip():
        return [{"url": path or "/"}]
    # A host is written without a scheme; some write a whole URL.
    _, separator, rest = host.strip().partition("://")
    authority = (rest if separator else host.strip()).rstrip("/")
    return [
        {"url": f"{filter_scheme}://{authority}{path}"}
        for filter_scheme in _filter_schemes(schemes) or ["https"]
    ]


def _filter_schemes(schemes: Sequence[str]) -> list[str]:
    """The schemes that OpenAPI knows, the safe ones first."""
    named = {scheme.strip().lower() for scheme in schemes}
    return [literal for literal in _SCHEMES if literal in named]


def _convert_responses(
    document: JsonObject,
    operation: JsonObject,
    shared: Mapping[str, str],
    problems: list[ConversionProblem],
) -> Json:
    responses = operation["responses"]
    if not is_object(responses):
        return responses
    produces = select_media_types(document, operation, "produces")
    # A response that is shared is said with what the document produces.
    kept: Mapping[str, str] = shared if "produces" not in operation else {}
    canonical: JsonObject = {}
    for status, each in responses.items():
        try:
            canonical[status] = _convert_response_of_status(document, status, each, produces, kept)
        except UnresolvedReference as error:
            problems.append(
                ConversionProblem(("responses", status), error.message, "error", "left out")
            )
    return canonical


def _convert_response_of_status(
    document: JsonObject,
    status: str,
    response: Json,
    produces: Sequence[str] | None,
    shared: Mapping[str, str],
) -> Json:
    if status.startswith("x-"):
        return response
    if (ref := unquote(find_ref(response) or "")) in shared:
        return {"$ref": shared[ref]}
    found = dereference_node(document, response)
    return convert_response(found, produces) if is_object(found) else found


def _build_content(response: JsonObject, produces: Sequence[str] | None) -> JsonObject:
    examples = response.get("examples")
    by_type, by_name = _split_examples(examples if is_object(examples) else {})
    if "schema" not in response and not by_type and not by_name:
        return {}
    schema = {"schema": response["schema"]} if "schema" in response else {}
    names = _media_type_names(response, produces, tuple(by_type))
    return {name: {**schema, **_build_example(name, by_type, by_name)} for name in names}


def _media_type_names(
    response: JsonObject, produces: Sequence[str] | None, exemplified: Sequence[str]
) -> list[str]:
    """What is produced and what there are examples of; else JSON, or bytes for a file."""
    schema = response.get("schema")
    if "schema" not in response and exemplified:
        return list(exemplified)
    names = list(dict.fromkeys([*(produces or ()), *exemplified]))
    is_file = is_object(schema) and schema.get("type") == "file"
    return names or [_BINARY if is_file else JSON]


def _split_examples(examples: JsonObject) -> tuple[JsonObject, JsonObject]:
    """Examples by media type, and those under another name."""
    by_type = {key: each for key, each in examples.items() if "/" in key}
    by_name = {key: each for key, each in examples.items() if key not in by_type}
    return by_type, by_name


def _build_example(name: str, by_type: JsonObject, by_name: JsonObject) -> JsonObject:
    if not by_name:
        return {"example": by_type[name]} if name in by_type else {}
    named = {key: {"value": each} for key, each in by_name.items()}
    return {"examples": {**named, **({name: {"value": by_type[name]}} if name in by_type else {})}}


def _convert_header(header: Json) -> Json:
    if not is_object(header) or "$ref" in header:
        return header
    moved = {*VALUE_KEYWORDS, "collectionFormat", "schema"}
    kept = {key: value for key, value in header.items() if key not in moved}
    return {**kept, **convert_collection_format(header, "header"), "schema": value_schema(header)}


def _list_of_texts(value: Json) -> list[str]:
    texts: Sequence[Json] = [value] if isinstance(value, str) else value if is_array(value) else ()
    return list(dict.fromkeys(text for text in texts if isinstance(text, str)))
