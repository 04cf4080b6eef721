"""The tool: one operation as a language model sees it, and as its calls are checked."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from restwright.errors import require_type
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Response
from restwright.net.secret import Secret
from restwright.openapi.model import (
    LazyRecord,
    Operation,
    SecurityRequirements,
    SecurityScheme,
    Server,
)
from restwright.tools.human_inputs import ArgumentHalves
from restwright.tools.safety import classify_operation

InputLocation = Literal["path", "query", "querystring", "header", "cookie", "body", "body_property"]
Layout = Literal["flat", "grouped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """
    Where one argument of a tool goes in the request.

    Args:
        name: The property of the tool's schema; legal for every provider.
        location: `body_property` for a property of a JSON object body laid out flat, `body` for a
            body that is one argument.
        target: The parameter's or property's own name.
        group: The property of the tool's schema that holds `name`; empty where that stands at the
            top.
    """

    name: str
    location: InputLocation
    target: str
    group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionalParameter:
    """One parameter of `Tool.parameters_list`; `schema` has its own `$defs`."""

    name: str
    schema: Json = field(repr=False)
    required: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(LazyRecord):
    """
    One operation, ready for a model.

    Args:
        name: `namespace__operation`, at most 64 characters.
        namespace: The part before the two underscores.
        operation_name: The part after them.
        source: Where the document came from.
        layout: `flat`, or `grouped` by location.
        description: What the model reads about it. Made when asked for, as all that follows.
        shows: The JSON Schema that the model reads.
        checks: The JSON Schema that arguments are validated against; `$defs` holds what is
            reachable. The same properties as `shows`, unless those had to be left out.
        inputs: In the order of `checks`' properties.
        output: Schema of the success response with its `$defs`; None where there is none.
        outputs: `{media type: schema}` of the same response: of a body; of one event, or of its
            data, for server-sent events; of what XML stands for.
        servers: Where the document as a whole is served; an operation may have its own.
        security: What the operation requires, as OR of ANDs; `()` for nothing, None where the
            document does not say.
        security_schemes: Those of the document.
        parameters_list: Path parameters one by one, then query, headers, cookies and body as one
            object each, where there are any.
        separated: The parts that the model and a human fill in; None where nothing was separated.
        left_out: What `shows` leaves out: kinds of texts, and JSON Pointers.
        in_media_types: `{media type: this tool with its body in that one}`, for those that the
            document offers; the arguments may be others.
        document: As it is written, for what the `operation` refers to.
        handler: How it is carried out, where no document says so; None for an operation of an API.
    """

    name: str
    namespace: str
    operation_name: str
    operation: Operation = field(repr=False)
    source: str = ""
    layout: Layout = "flat"
    description: str = field(default="", compare=False)
    shows: JsonObject = field(default_factory=dict[str, Json], repr=False, compare=False)
    checks: JsonObject = field(default_factory=dict[str, Json], repr=False, compare=False)
    inputs: tuple[Input, ...] = field(default=(), repr=False, compare=False)
    output: Json = field(default=None, repr=False, compare=False)
    outputs: Mapping[str, Json] = field(default_factory=dict[str, Json], repr=False, compare=False)
    servers: tuple[Server, ...] = field(default=(), repr=False, compare=False)
    security: SecurityRequirements | None = field(default=None, repr=False, compare=False)
    security_schemes: Mapping[str, SecurityScheme] = field(
        default_factory=dict[str, SecurityScheme], repr=False, compare=False
    )
    parameters_list: tuple[PositionalParameter, ...] = field(default=(), repr=False, compare=False)
    separated: ArgumentHalves | None = field(default=None, repr=False, compare=False)
    left_out: tuple[str, ...] = field(default=(), repr=False, compare=False)
    in_media_types: Mapping[str, Tool] = field(
        default_factory=dict[str, "Tool"], repr=False, compare=False
    )
    document: JsonObject = field(default_factory=dict[str, Json], repr=False, compare=False)
    handler: Handler | None = field(default=None, repr=False, compare=False)

    @property
    def method(self) -> str:
        """The HTTP method of its operation, in upper case."""
        return self.operation.method.upper()

    @property
    def path(self) -> str:
        """The path template of its operation, such as `/orders/{order_id}`."""
        return self.operation.path

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of its operation."""
        return tuple(self.operation.tags)

    @property
    def deprecated(self) -> bool:
        """Whether its document says that it should not be used any more."""
        return self.operation.deprecated

    @property
    def is_read(self) -> bool:
        """Whether calling it changes nothing, by its method and by what its document says."""
        is_harmless = self.handler is not None and self.handler.is_read_only
        return is_harmless or classify_operation(self.operation) == "read"

    @property
    def model_checks(self) -> JsonObject:
        """`checks` of what a model fills in: of all arguments, where nothing is separated."""
        return self.separated.model.checks if self.separated else self.checks

    @property
    def required(self) -> tuple[str, ...]:
        """Names of the inputs that must be given."""
        return tuple(self.checks.get("required", ()))

    @property
    def properties(self) -> Mapping[str, Json]:
        """`{input name: schema}`."""
        return self.checks.get("properties", {})


def require_tool(tool: object) -> None:
    """
    Refuse what is no tool, such as the name of one.

    Raises:
        WrongType: It is none.
    """
    require_type(tool, Tool, what="`tool`", wanted="a `Tool`, such as `catalog(api)[name]` gives")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalResult:
    """
    What came of a call that was carried out here.

    Args:
        value: As `Result.value`.
        error: What a model reads about a failure; empty where there was none.
        is_user_refusal: Whether only the user can mend it.
        may_have_acted: Of a failure, whether something may have been changed before it.
        is_foreign: Whether somebody else wrote the value or the error, whom nobody vouches for.
        warnings: What is odd about the value.
    """

    value: Json = None
    error: str = ""
    is_user_refusal: bool = False
    may_have_acted: bool = False
    is_foreign: bool = False
    warnings: tuple[str, ...] = ()


RequestBuilder: TypeAlias = Callable[[JsonObject], Request]
"""
Makes the request of a call whose arguments are checked, and does no I/O but to read a secret.

It raises `InvalidArguments` and `RefusedRequest`, and nothing else.
"""

LocalRunner: TypeAlias = Callable[[JsonObject], LocalResult]
"""
Carries a call out whose arguments are checked and, where it writes, approved.

A model reads the text of a `Said` that it raises, and of other exceptions the type alone.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStep:
    """
    One call that another tool is made of.

    Args:
        wait_s: Seconds to wait before it.
    """

    tool: Tool
    arguments: JsonObject
    wait_s: float = 0.0


class StepOutcome(Protocol):
    """What a step hears of its call: what it needs of a `Result`."""

    @property
    def ok(self) -> bool:
        """Whether the call succeeded."""
        ...

    @property
    def kind(self) -> str:
        """As `Result.kind`."""
        ...

    @property
    def effect(self) -> str:
        """As `Result.effect`."""
        ...

    @property
    def text(self) -> str:
        """What a model reads about a failure."""
        ...

    @property
    def value(self) -> Json:
        """The body of the response as a value."""
        ...

    @property
    def response(self) -> Response | None:
        """What came back; None when nothing did."""
        ...

    @property
    def retry_after_s(self) -> float | None:
        """Seconds that the server asks to wait."""
        ...


StepsMaker: TypeAlias = Callable[[JsonObject], Generator[ToolStep, StepOutcome, LocalResult]]
"""
Yields the calls that a call is made of, whose arguments are checked, and is sent what each gave.

Each is checked, approved and sent as any other call. What it returns is what came of all of them.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handler:
    """
    How one tool is carried out.

    Args:
        build_request: Makes its request; None for one that is carried out here.
        run_locally: Carries it out here; None for one that sends a request.
        make_steps: Carries it out by calls of other tools; None for one that is not made of any.
        parts: The tools that `make_steps` may call.
        narrow_operation: The operation of one call, where its arguments say how dangerous it is;
            None where
            they do not matter.
        is_read_only: Whether it only makes a text, whatever its name says.
        list_secrets: What it uses and nobody is shown: it is masked in what comes of a call.
    """

    build_request: RequestBuilder | None = None
    run_locally: LocalRunner | None = None
    make_steps: StepsMaker | None = None
    parts: tuple[Tool, ...] = field(default=(), repr=False)
    narrow_operation: Callable[[JsonObject], Operation] | None = None
    is_read_only: bool = False
    list_secrets: Callable[[], tuple[Secret, ...]] | None = None
