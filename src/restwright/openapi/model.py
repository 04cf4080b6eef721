"""
The parts of an API as frozen values, named as in the OpenAPI Specification.

Schemas stay plain JSON (`$ref`s included); `API.document` is what those point into.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from restwright.typing import Json, JsonObject

Location = Literal["path", "query", "header", "cookie"]
Severity = Literal["error", "warning", "information"]


class Method(StrEnum):
    """The fixed methods of a Path Item Object."""

    GET = "get"
    PUT = "put"
    POST = "post"
    DELETE = "delete"
    OPTIONS = "options"
    HEAD = "head"
    PATCH = "patch"
    TRACE = "trace"

    @property
    def is_read(self) -> bool:
        """Whether HTTP calls the method safe (RFC 9110, "Safe Methods")."""
        return self in {Method.GET, Method.HEAD, Method.OPTIONS, Method.TRACE}


@dataclass(frozen=True, slots=True)
class Problem:
    """Something doubtful in a document: where, what, how bad, and what was done about it."""

    pointer: str
    what: str
    severity: Severity = "warning"
    action: str = "ignored"

    def __str__(self) -> str:
        return f"{self.pointer or '/'}: {self.what} ({self.action})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A Server Object; `url` as written, `variables` with their defaults."""

    url: str
    variables: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def default_url(self) -> str:
        """`url` with every variable replaced by its default."""
        url = self.url
        for name, value in self.variables.items():
            url = url.replace("{" + name + "}", value)
        return url


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A Parameter Object; `media_type` is set where `content` takes the place of `schema`."""

    name: str
    location: Location
    required: bool = False
    description: str = ""
    deprecated: bool = False
    schema: Json = True
    style: str = ""
    explode: bool = False
    allow_reserved: bool = False
    media_type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaType:
    """A Media Type Object under its name, such as `application/json`."""

    name: str
    schema: Json = True
    example: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestBody:
    """A Request Body Object."""

    required: bool = False
    description: str = ""
    content: tuple[MediaType, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentedResponse:
    """A Response Object under its status (`200`, `4XX`, `default`)."""

    status: str
    description: str = ""
    content: tuple[MediaType, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SecurityScheme:
    """A Security Scheme Object under its name."""

    name: str
    type: str
    scheme: str = ""
    location: str = ""
    parameter: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """
    An Operation Object, with what its path item adds already merged.

    Args:
        path: The path template.
        pointer: JSON Pointer of the operation in the document.
        parameters: Path item and operation merged; unique by (name, location).
        servers: Of the nearest level that has any.
        security: OR of ANDs; `()` for no requirement.
        responses: In document order.
    """

    method: Method
    path: str
    pointer: str
    operation_id: str | None = None
    summary: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    deprecated: bool = False
    parameters: tuple[Parameter, ...] = ()
    request_body: RequestBody | None = None
    responses: tuple[DocumentedResponse, ...] = ()
    servers: tuple[Server, ...] = ()
    security: tuple[tuple[str, ...], ...] = ()

    @property
    def success(self) -> DocumentedResponse | None:
        """The first 2xx response, else the default one."""
        named = {response.status: response for response in self.responses}
        first = next((each for each in sorted(named) if each.startswith("2")), "default")
        return named.get(first)


@dataclass(frozen=True, slots=True, kw_only=True)
class API:
    """
    One document, read.

    Args:
        source: Where it came from: a path, a URL or `-`.
        sha256: Of the bytes that were read, in hexadecimal.
        document: The canonical document, for `$ref`s.
        alias: The user's name for it; None where none was given.
        operations: In document order.
        problems: Everything that was doubtful.
    """

    title: str
    version: str
    description: str
    source: str
    sha256: str
    document: JsonObject = field(repr=False)
    alias: str | None = None
    servers: tuple[Server, ...] = ()
    operations: tuple[Operation, ...] = ()
    security_schemes: Mapping[str, SecurityScheme] = field(
        default_factory=dict[str, SecurityScheme]
    )
    problems: tuple[Problem, ...] = ()
