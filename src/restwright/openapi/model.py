"""
The parts of an API as frozen values, named as in the OpenAPI Specification.

Schemas stay plain JSON as the document writes them (`$ref`s included); `API.document` is what those
point into. What is not needed to list an API is read when it is first asked for, and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from restwright.jsontypes import Json, JsonObject

ParameterLocation = Literal["path", "query", "header", "cookie", "querystring"]
Severity = Literal["error", "warning", "information"]
SecurityRequirements = tuple[Mapping[str, tuple[str, ...]], ...]
"""OR of ANDs: alternatives of `{scheme: scopes}`; an empty one means that nothing is needed."""
LEFT_AS_IT_IS = "left as it is"
"""What is done about a reference to a file before anybody wants what is there."""


class Method(str):
    """An HTTP method: lower case for those with a key of their own, else as the document has it."""

    __slots__ = ()

    GET: ClassVar[Method]
    PUT: ClassVar[Method]
    POST: ClassVar[Method]
    DELETE: ClassVar[Method]
    OPTIONS: ClassVar[Method]
    HEAD: ClassVar[Method]
    PATCH: ClassVar[Method]
    TRACE: ClassVar[Method]
    QUERY: ClassVar[Method]

    def __new__(cls, name: str) -> Method:
        """One object for each fixed method, so that `is` compares them."""
        return METHODS.get(name) or super().__new__(cls, name)

    @property
    def is_read(self) -> bool:
        """Whether HTTP calls the method safe (RFC 9110, "Safe Methods"; draft, "QUERY")."""
        return self in _READS


METHODS: dict[str, Method] = {}
"""The fixed methods of a Path Item Object, in the order of the specification."""

for _name in ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query"):
    METHODS[_name] = Method(_name)
    setattr(Method, _name.upper(), METHODS[_name])
_READS = frozenset(METHODS[name] for name in ("get", "head", "options", "trace", "query"))


class LazyRecord:
    """A value some of whose fields are read when they are first asked for, and kept."""

    # Such a field is a slot that stays empty until then: Python asks `__getattr__` only for those.
    __slots__ = ("_read",)

    @classmethod
    def deferred(
        cls, names: Sequence[str], values: Iterable[Json], read: Callable[[Self, str], Json]
    ) -> Self:
        """Make one value of which only a part is there; arguments as of `deferring()`."""
        return cls.deferring(names, read)(values)

    @classmethod
    def deferring(
        cls, names: Sequence[str], read: Callable[[Self, str], Json]
    ) -> Callable[[Iterable[Json]], Self]:
        """
        Return what makes values of which only a part is there.

        Args:
            names: The fields that are there; the function is called with theirs, in this order.
            read: Called with the value and the name of another field, once for each.
        """
        # Thousands of operations are made when a document is opened, so no name is looked up twice.
        new = object.__new__
        slots: list[Callable[..., None]] = [
            getattr(cls, name).__set__ for name in (*names, "_read")
        ]

        def make(values: Iterable[Json]) -> Self:
            made = new(cls)
            for put, value in zip(slots, (*values, read), strict=True):
                put(made, value)
            return made

        return make

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy what is there already, and what reads the rest; read nothing for it."""
        there: dict[str, Json] = {}
        for name in (*getattr(self, "__dataclass_fields__", ()), "_read"):
            # Asked of the slot itself, which unlike `getattr` does not read what is missing.
            with suppress(AttributeError):
                there[name] = getattr(type(self), name).__get__(self)
        return _restore_lazy_record, (type(self), there)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name not in self.__dataclass_fields__:
                raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
            value = self._read(self, name)
            object.__setattr__(self, name, value)
            return value


def _restore_lazy_record(kind: type[LazyRecord], there: dict[str, Json]) -> LazyRecord:
    made = object.__new__(kind)
    for name, value in there.items():
        object.__setattr__(made, name, value)
    return made


@dataclass(frozen=True, slots=True)
class Problem:
    """Something doubtful in a document: where, what, how bad, and what was done about it."""

    pointer: str
    what: str
    severity: Severity = "warning"
    action: str = "ignored"

    def __str__(self) -> str:
        return f"{self.pointer or '(whole document)'}: {self.what} ({self.action})"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerVariable:
    """A Server Variable Object; `enum` is empty where any value is allowed."""

    default: str = ""
    enum: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A Server Object; `url` as written."""

    url: str
    variables: Mapping[str, ServerVariable] = field(default_factory=dict[str, ServerVariable])
    description: str = ""

    @property
    def default_url(self) -> str:
        """`url` with every variable replaced by its default."""
        url = self.url
        for name, variable in self.variables.items():
            url = url.replace("{" + name + "}", variable.default)
        return url


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """
    A Parameter Object, or a Header Object under its name.

    Args:
        media_type: Set where `content` takes the place of `schema`.
        examples: `{name: value}`.
        extensions: `{"x-...": value}`.
    """

    name: str
    location: ParameterLocation
    required: bool = False
    description: str = ""
    deprecated: bool = False
    schema: Json = True
    style: str = ""
    explode: bool = False
    allow_reserved: bool = False
    allow_empty_value: bool = False
    media_type: str | None = None
    example: Json = None
    examples: Mapping[str, Json] = field(default_factory=dict[str, Json])
    extensions: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """
    An Encoding Object; empty and None for what it leaves open; `extensions` as of others.

    Args:
        encoding: `{property: how it is written}` of a part that has parts itself; so by their
            positions `prefix_encoding`, and `item_encoding` for those after them.
    """

    content_type: str = ""
    style: str = ""
    explode: bool | None = None
    allow_reserved: bool = False
    headers: tuple[Parameter, ...] = ()
    encoding: Mapping[str, Encoding] = field(default_factory=dict[str, "Encoding"])
    prefix_encoding: tuple[Encoding, ...] = ()
    item_encoding: Encoding | None = None
    extensions: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaType:
    """
    A Media Type Object under its name, such as `application/json`.

    Args:
        examples: `{name: value}`.
        item_schema: Of one item of a stream; None where there is none.
        encoding: `{property: how it is written}`.
        prefix_encoding: How the first items of an array are written, each as a part.
        item_encoding: How the others are.
        extensions: `{"x-...": value}`.
    """

    name: str
    schema: Json = True
    example: Json = None
    examples: Mapping[str, Json] = field(default_factory=dict[str, Json])
    item_schema: Json = None
    encoding: Mapping[str, Encoding] = field(default_factory=dict[str, Encoding])
    prefix_encoding: tuple[Encoding, ...] = ()
    item_encoding: Encoding | None = None
    extensions: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestBody:
    """A Request Body Object; `extensions` is `{"x-...": value}`."""

    required: bool = False
    description: str = ""
    content: tuple[MediaType, ...] = ()
    extensions: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """
    A Link Object under its name: what a response says about the next call.

    Args:
        parameters: `{parameter of the other operation: value or runtime expression}`.
    """

    name: str
    operation_id: str = ""
    operation_ref: str = ""
    parameters: Mapping[str, Json] = field(default_factory=dict[str, Json])
    request_body: Json = None
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentedResponse:
    """A Response Object under its status (`200`, `4XX`, `default`)."""

    status: str
    description: str = ""
    content: tuple[MediaType, ...] = ()
    headers: tuple[Parameter, ...] = ()
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuthFlow:
    """An OAuth Flow Object; `scopes` is `{scope: description}`."""

    authorization_url: str = ""
    token_url: str = ""
    refresh_url: str = ""
    device_authorization_url: str = ""
    scopes: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class SecurityScheme:
    """
    A Security Scheme Object under its name.

    Args:
        scheme: Of HTTP authentication, in lower case: `basic`, `bearer`.
        location: Where an API key goes (`in`), under the name `parameter`.
        flows: `{name of the flow: flow}`.
    """

    name: str
    type: str
    scheme: str = ""
    location: str = ""
    parameter: str = ""
    flows: Mapping[str, OAuthFlow] = field(default_factory=dict[str, OAuthFlow])
    open_id_connect_url: str = ""
    bearer_format: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Callback:
    """What the API may send later: the operations that a server of the caller's must offer."""

    name: str
    expression: str
    operations: tuple[Operation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(LazyRecord):
    """
    An Operation Object, with what its path item adds already merged.

    Two are equal where what is read at once is equal.

    Args:
        path: The path template.
        pointer: JSON Pointer of the operation in the document as written.
        headline: One line for lists: the summary, else the first sentence of the description. Read
            when asked for, as all that follows.
        parameters: Path item and operation merged; unique by (name, location).
        responses: In document order.
        servers: Of the nearest level that has any.
        security: Its own, else the document's; `()` for none.
        extensions: `{"x-...": value}`.
        problems: Everything doubtful in the operation and in what it refers to.
    """

    method: Method
    path: str
    pointer: str
    operation_id: str | None = None
    summary: str = ""
    tags: tuple[str, ...] = ()
    deprecated: bool = False
    headline: str = field(default="", compare=False, repr=False)
    description: str = field(default="", compare=False, repr=False)
    parameters: tuple[Parameter, ...] = field(default=(), compare=False, repr=False)
    request_body: RequestBody | None = field(default=None, compare=False, repr=False)
    responses: tuple[DocumentedResponse, ...] = field(default=(), compare=False, repr=False)
    servers: tuple[Server, ...] = field(default=(), compare=False, repr=False)
    security: SecurityRequirements = field(default=(), compare=False, repr=False)
    callbacks: tuple[Callback, ...] = field(default=(), compare=False, repr=False)
    extensions: Mapping[str, Json] = field(
        default_factory=dict[str, Json], compare=False, repr=False
    )
    problems: tuple[Problem, ...] = field(default=(), compare=False, repr=False)

    @property
    def success(self) -> DocumentedResponse | None:
        """The response of success: 200, 201, another 2xx by number, `2XX`, `default`."""
        return min(filter(_is_success, self.responses), key=_success_rank, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class API(LazyRecord):
    """
    One document, read.

    Args:
        specification: What its schemas are written in: `2.0`, `3.0`, `3.1` or `3.2`.
        source: Where it came from: a path, a URL or `-`.
        sha256: Of the bytes that were read, in hexadecimal.
        alias: The user's name for it; None where none was given.
        own_server: The one that most operations have of their own; None where most have that of
            the document.
        operations: In document order.
        extensions: `{"x-...": value}` of the root, where the value is text, a number or a boolean.
        document: As it is written, for `$ref`s. Read when asked for, as all that follows.
        webhooks: What the API sends on its own; never called.
        problems: Everything that was doubtful, in every operation too.
    """

    title: str
    version: str
    description: str = field(repr=False)
    specification: str
    source: str
    sha256: str = field(repr=False)
    alias: str | None = None
    servers: tuple[Server, ...] = field(default=(), repr=False)
    own_server: Server | None = field(default=None, compare=False, repr=False)
    operations: tuple[Operation, ...] = field(default=(), repr=False)
    extensions: Mapping[str, Json] = field(default_factory=dict[str, Json], repr=False)
    document: JsonObject = field(default_factory=dict[str, Json], compare=False, repr=False)
    security_schemes: Mapping[str, SecurityScheme] = field(
        default_factory=dict[str, SecurityScheme], compare=False, repr=False
    )
    webhooks: tuple[Operation, ...] = field(default=(), compare=False, repr=False)
    problems: tuple[Problem, ...] = field(default=(), compare=False, repr=False)


def _is_success(response: DocumentedResponse) -> bool:
    return response.status[:1] == "2" or response.status.lower() == "default"


def _success_rank(response: DocumentedResponse) -> tuple[bool, bool, str]:
    status = response.status.upper()
    return status == "DEFAULT", not status.isdecimal(), status
