"""The tool: one operation as a language model sees it, and as its calls are checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from restwright.openapi.model import Operation, Server
from restwright.typing import Json, JsonObject

InputLocation = Literal["path", "query", "header", "cookie", "querystring", "body", "body_property"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """
    Where one argument of a tool goes in the request.

    Args:
        name: The property of the tool's schema.
        location: `body_property` for a property of a JSON object body laid out flat, `body` for a
            body that is one argument.
        target: The parameter's or property's own name.
    """

    name: str
    location: InputLocation
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """
    One operation, ready for a model.

    Args:
        name: `namespace__operation`, at most 64 characters.
        namespace: The part before the two underscores.
        operation_name: The part after them.
        description: What the model reads about it.
        shows: The JSON Schema that the model reads.
        checks: The JSON Schema that arguments are validated against; `$defs` holds what is
            reachable.
        inputs: In the order of `checks`' properties.
        output: Schema of the success response with its `$defs`; None where there is none.
        servers: Where the document says that it is served, in its order.
    """

    name: str
    namespace: str
    operation_name: str
    description: str
    operation: Operation = field(repr=False)
    shows: JsonObject = field(repr=False)
    checks: JsonObject = field(repr=False)
    inputs: tuple[Input, ...] = field(repr=False)
    output: Json = field(default=None, repr=False)
    servers: tuple[Server, ...] = field(default=(), repr=False)
    source: str = ""

    @property
    def is_read(self) -> bool:
        """Whether calling it changes nothing."""
        return self.operation.method.is_read

    @property
    def required(self) -> tuple[str, ...]:
        """Names of the inputs that must be given."""
        return tuple(self.checks.get("required", ()))

    @property
    def properties(self) -> Mapping[str, Json]:
        """`{input name: schema}`."""
        return self.checks.get("properties", {})
