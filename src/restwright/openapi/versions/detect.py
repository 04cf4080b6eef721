"""What a document is: OpenAPI of some version, or something else, and what to do about that."""

from __future__ import annotations

import re

from restwright.errors import NotOpenAPI
from restwright.jsontypes import Json, JsonObject
from restwright.openapi.model import Problem

_VERSION = re.compile(r"\s*v?(\d+)(?:\.(\d+))?(?:[.\s+-].*)?", re.DOTALL)
_NEWEST = 2

# (keys that all have to be there, what such a document is, what to do); the first match counts.
_OTHERS: tuple[tuple[frozenset[str], str, str], ...] = (
    (
        frozenset({"asyncapi"}),
        "an AsyncAPI document, which describes messages and not HTTP calls",
        "look for the OpenAPI document of the same service",
    ),
    (
        frozenset({"arazzo"}),
        "an Arazzo document, which describes workflows over other documents",
        "`restwright tools` and `restwright.workflows.load_workflows` open it",
    ),
    (
        frozenset({"overlay", "actions"}),
        "an Overlay, which changes another document",
        "apply it to its OpenAPI document first",
    ),
    (
        frozenset({"swaggerVersion"}),
        "a Swagger 1.x document",
        "convert it to OpenAPI 3 first",
    ),
    (
        frozenset({"info", "item"}),
        "a Postman collection",
        "export it as OpenAPI 3 first",
    ),
    (
        frozenset({"_type", "resources"}),
        "an Insomnia export",
        "export it as OpenAPI 3 first",
    ),
    (
        frozenset({"log"}),
        "a HAR file, a log of HTTP calls",
        "look for the OpenAPI document of the service",
    ),
    (
        frozenset({"discoveryVersion"}),
        "a Google API Discovery document",
        "convert it to OpenAPI 3 first",
    ),
    (
        frozenset({"data", "__schema"}),
        "a GraphQL schema",
        "look for the OpenAPI document of the service",
    ),
    (
        frozenset({"paths"}),
        "nearly an OpenAPI document: it has `paths`, but says no version",
        "add `openapi: 3.0.3` (or `swagger: '2.0'`) at the top",
    ),
    (
        frozenset({"$schema"}),
        "a JSON Schema",
        "open the OpenAPI document that uses it",
    ),
    (
        frozenset({"properties"}),
        "a JSON Schema",
        "open the OpenAPI document that uses it",
    ),
)


def detect_specification(content: JsonObject, source: str) -> tuple[str, Problem | None]:
    """
    Which specification a document follows.

    Returns:
        `2.0`, `3.0`, `3.1` or `3.2`, and what is doubtful about that.

    Raises:
        NotOpenAPI: None of these; it says what the document looks like.
    """
    for key in ("openapi", "swagger"):
        if content.get(key) is not None:
            return _parse_version(key, content[key], source)
    raise NotOpenAPI(source, _guess_format(content))


def _parse_version(key: str, written: Json, source: str) -> tuple[str, Problem | None]:
    # `openapi: 3.1` without quotes is a number in YAML.
    text = str(written) if isinstance(written, str | int | float) else ""
    found = _VERSION.fullmatch(text) if not isinstance(written, bool) else None
    major, minor = (found[1], int(found[2] or 0)) if found else ("", 0)
    if key == "swagger" and major == "2":
        return "2.0", None
    if major == "3":
        return _parse_minor_version(key, text, minor)
    if key == "swagger" and major == "1":
        raise NotOpenAPI(
            source, _describe_format("a Swagger 1.x document", "convert it to OpenAPI 3 first")
        )
    shown = str(written)[:40]
    raise NotOpenAPI(source, f"`{key}: {shown}` is no version that can be read")


def _parse_minor_version(key: str, text: str, minor: int) -> tuple[str, Problem | None]:
    specification = f"3.{min(minor, _NEWEST)}"
    action = f"read as {specification}"
    if minor > _NEWEST:
        what = f"version {text[:40]} is newer than what is known"
        return specification, Problem("/openapi", what, "warning", action)
    if key == "swagger":
        what = f"OpenAPI says its version under `openapi`, not `swagger: {text[:40]}`"
        return specification, Problem("/swagger", what, "warning", action)
    return specification, None


def _guess_format(content: JsonObject) -> str:
    for keys, what, action in _OTHERS:
        if keys <= content.keys():
            return _describe_format(what, action)
    return "it has no `openapi` key and no `swagger` key"


def _describe_format(what: str, action: str) -> str:
    return f"it looks like {what}; {action}"
