"""
The whole exception tree. A developer's or user's mistake is raised from here; what a document or a
model did wrong is a value instead (`Problem`, `Mismatch`, `Result`).

RestwrightError                 catch-all; `.code` is a stable string, `.hint` the next move
├── WrongType                   .what .wanted .given     (also a TypeError: an argument of a call)
├── DocumentError               cannot understand the document
│   ├── DocumentUnavailable     .source .why             (cannot be read or fetched)
│   ├── UnreadableDocument      .source .why .is_over_limit (neither JSON nor YAML, or too much)
│   ├── NotOpenAPI              .source .found           (parsed, but no openapi key we read)
│   ├── UnresolvedReference     .ref .why                (a `$ref` that leads nowhere)
│   └── UnusableOverlay         .source .pointer .why    (an overlay that is none)
├── CatalogError                cannot make or find a tool
│   ├── UnknownTool             .name .close             (also a KeyError: no such tool; near names)
│   ├── NameCollision           .name .sources           (two APIs under one namespace)
│   ├── NoSuchPart              .name .why .close        (a filter names what is not there)
│   ├── UnusableLock            .path .line .why         (`restwright.lock` cannot be used)
│   ├── Drifted                 .path .drifts            (not as it was locked)
│   ├── UnknownDialect          .name .close             (no such form of tools; near names)
│   └── OverLimit               .provider .what .limit .count (more than a provider takes)
├── CallError                   cannot make or finish a call
│   ├── UnreadableArguments     .why                     (arguments are not a JSON object)
│   ├── InvalidArguments        .tool .mismatches        (sent to build_request unchecked)
│   ├── UnsupportedMediaType    .tool .media_types       (no body that we can write)
│   ├── MissingServer           .tool .found             (no absolute server URL)
│   ├── MissingCredential       .reference .where_to_set
│   ├── NoToken                 .scheme .error .why      (the authorization server gave none)
│   ├── UnusableExpression      .expression .why         (what is to be picked of a result)
│   ├── RefusedRequest          .url .why                (the guard or the consent said no)
│   ├── NoResponse              .url .why .sent .status  (`sent` False: safe to repeat)
│   ├── ResponseTooLarge        .url .max_bytes .status
│   └── Said                    .why .may_have_acted     (what a function says to the model)
├── AgentError
│   ├── LimitReached            .limit .used             (steps, tokens or seconds)
│   ├── UnusableReply           .role .why               (a model that cannot keep to its contract)
│   ├── ModelUnavailable        .model .why             (missing file, key or server)
│   ├── StepFailed              .what .why              (a callback, a model or a file raised)
│   └── UnusableSession         .session .why            (a run that cannot be taken up again)
├── UsageError                  .why .setting            (settings that cannot be meant)
├── UnusableManifest            .source .line .pointer .why (a manifest says what cannot be meant)
├── UnusableCode                .what .why               (a module or notebook that cannot be run)
├── ServerUnavailable           .server .why             (a server of MCP that cannot be used)
└── MissingExtra                .extra .feature          (an optional dependency is not installed)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, ClassVar

_NEAR = 3


def _restore_error(kind: type[RestwrightError], state: dict[str, Any]) -> RestwrightError:
    error = kind.__new__(kind)
    error.__dict__.update(state)
    return error


class RestwrightError(Exception):
    """
    Base of every exception raised on purpose. Compares by its fields and survives pickling.

    `message` says what is wrong and where, `hint` the next move; `str()` is both in one line.
    """

    code: ClassVar[str] = "error"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    __hash__ = Exception.__hash__

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_error, (type(self), self.__dict__.copy())

    @property
    def message(self) -> str:
        """What is wrong, and where."""
        return self.__class__.__name__

    @property
    def hint(self) -> str:
        """The next move; empty where there is none."""
        return ""

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


class WrongType(RestwrightError, TypeError):
    """
    An argument is of another type than is wanted. Never carries its value, which may be a secret.

    Args:
        what: The argument, such as `the model of an Agent`.
        wanted: What it has to be, and where that comes from.
        given: The name of the type that it is of.
    """

    code = "wrong_type"

    def __init__(self, what: str, wanted: str, given: str) -> None:
        super().__init__(what, wanted, given)
        self.what, self.wanted, self.given = what, wanted, given

    @property
    def message(self) -> str:
        return f"{self.what} must be {self.wanted}, not {self.given}"


def require_type(value: object, kind: type | tuple[type, ...], *, what: str, wanted: str) -> None:
    """
    Refuse a value that a type checker would refuse, before it fails somewhere deep inside.

    Raises:
        WrongType: It is none of `kind`.
    """
    if not isinstance(value, kind):
        raise WrongType(what, wanted, type(value).__name__)


def require_callable(value: object, *, what: str, wanted: str) -> None:
    """
    As `require_type()`, for what is called later; a class is none, as it would make a value
    instead.

    Raises:
        WrongType: It cannot be called.
    """
    if not callable(value) or isinstance(value, type):
        given = f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
        raise WrongType(what, wanted, given)


class DocumentError(RestwrightError):
    """The document cannot be understood."""

    code = "document"


class DocumentUnavailable(DocumentError):
    """The document cannot be read from disk or fetched."""

    code = "document_unavailable"

    def __init__(self, source: str, why: str) -> None:
        super().__init__(source, why)
        self.source, self.why = source, why

    @property
    def message(self) -> str:
        return f"cannot read {self.source}: {self.why}"


class UnreadableDocument(DocumentError):
    """The bytes are neither JSON nor YAML or, `is_over_limit`, they are more than is read."""

    code = "unreadable_document"

    def __init__(self, source: str, why: str, *, is_over_limit: bool = False) -> None:
        super().__init__(source, why)
        self.source, self.why, self.is_over_limit = source, why, is_over_limit

    @property
    def message(self) -> str:
        if self.is_over_limit:
            return f"{self.source} is not read: {self.why}"
        return f"{self.source} is neither JSON nor YAML that can be read: {self.why}"


class NotOpenAPI(DocumentError):
    """The document parses, but is not an OpenAPI document of a version that we read."""

    code = "not_openapi"

    def __init__(self, source: str, found: str) -> None:
        super().__init__(source, found)
        self.source, self.found = source, found

    @property
    def message(self) -> str:
        return f"{self.source} is not an OpenAPI document: {self.found}"

    @property
    def hint(self) -> str:
        return "`openapi: 3.x` or `swagger: 2.0` is expected at the top"


class UnresolvedReference(DocumentError):
    """A `$ref` that leads nowhere, passed to `resolve()` by a developer."""

    code = "unresolved_reference"

    def __init__(self, ref: str, why: str) -> None:
        super().__init__(ref, why)
        self.ref, self.why = ref, why

    @property
    def message(self) -> str:
        return f"cannot resolve $ref {self.ref!r}: {self.why}"


class UnusableOverlay(DocumentError):
    """The file parses, but is not an OpenAPI Overlay of a version that we read."""

    code = "unusable_overlay"

    def __init__(self, source: str, pointer: str, why: str) -> None:
        super().__init__(source, pointer, why)
        self.source, self.pointer, self.why = source, pointer, why

    @property
    def message(self) -> str:
        where = f"{self.source}#{self.pointer}" if self.pointer else self.source
        return f"{where} is no overlay that can be applied: {self.why}"

    @property
    def hint(self) -> str:
        return "`overlay: 1.1.0`, `info` with `title` and `version`, and `actions` are expected"


class CatalogError(RestwrightError):
    """A tool cannot be made or found."""

    code = "catalog"


class UnknownTool(CatalogError, KeyError):
    """
    No tool of that name is in the catalog.

    Args:
        known: The names that there are; or `{what may be written for one: its name}`.
    """

    code = "unknown_tool"

    def __init__(self, name: str, known: Sequence[str] | Mapping[str, str]) -> None:
        super().__init__(name)
        self.name = name
        names = known if isinstance(known, Mapping) else dict(zip(known, known, strict=True))
        written = {text.lower(): full for text, full in names.items()}
        # Two texts may stand for one tool.
        near = get_close_matches(name.lower(), written, n=2 * _NEAR, cutoff=0.4)
        self.close = tuple(dict.fromkeys(written[text] for text in near))[:_NEAR]

    @property
    def message(self) -> str:
        return f"no tool named {self.name!r}"

    @property
    def hint(self) -> str:
        return f"did you mean {' or '.join(self.close)}?" if self.close else ""


class NameCollision(CatalogError):
    """Two APIs would share one namespace."""

    code = "name_collision"

    def __init__(self, name: str, sources: Sequence[str]) -> None:
        super().__init__(name)
        self.name, self.sources = name, tuple(sources)

    @property
    def message(self) -> str:
        return f"two APIs are named {self.name!r}: {', '.join(self.sources)}"

    @property
    def hint(self) -> str:
        return "give one of them an alias (alias=document)"


class NoSuchPart(CatalogError):
    """A change to a catalog names what is not there, or what cannot be changed so."""

    code = "no_such_part"

    def __init__(self, name: str, why: str, known: Sequence[str] = ()) -> None:
        super().__init__(name, why)
        self.name, self.why = name, why
        self.close = tuple(get_close_matches(name, known, n=3, cutoff=0.4))

    @property
    def message(self) -> str:
        return f"{self.name!r} {self.why}"

    @property
    def hint(self) -> str:
        return f"did you mean {' or '.join(self.close)}?" if self.close else ""


class UnusableLock(CatalogError):
    """The lock file cannot be read, or is none."""

    code = "unusable_lock"

    def __init__(self, path: str, line: int | None, why: str) -> None:
        super().__init__(path, line, why)
        self.path, self.line, self.why = path, line, why

    @property
    def message(self) -> str:
        where = self.path if self.line is None else f"{self.path}, line {self.line}"
        return f"cannot use {where}: {self.why}"

    @property
    def hint(self) -> str:
        return "mend it, or delete it and write it anew"


class Drifted(CatalogError):
    """Operations are not as they were locked. `drifts` says of each what is different."""

    code = "drifted"

    def __init__(self, path: str, drifts: Sequence[object]) -> None:
        super().__init__(path)
        self.path, self.drifts = path, tuple(drifts)

    @property
    def message(self) -> str:
        first = "; ".join(map(str, self.drifts[:3]))
        more = f"; and {len(self.drifts) - 3:,} more" if len(self.drifts) > 3 else ""
        return f"not as locked in {self.path}: {first}{more}"

    @property
    def hint(self) -> str:
        return "look at what is different, and lock it anew to accept it"


class UnknownDialect(CatalogError):
    """No dialect of that name is known."""

    code = "unknown_dialect"

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(name)
        self.name, self.known = name, tuple(known)
        self.close = tuple(get_close_matches(name, known, n=3, cutoff=0.4))

    @property
    def message(self) -> str:
        return f"no dialect named {self.name!r}"

    @property
    def hint(self) -> str:
        return f"one of {', '.join(self.close or self.known)}"


class OverLimit(CatalogError):
    """A request would be over what the provider of a model takes; nothing was sent."""

    code = "over_limit"

    def __init__(self, provider: str, what: str, *, limit: int, count: int, next_move: str) -> None:
        super().__init__(what)
        self.provider, self.what = provider, what
        self.limit, self.count, self.next_move = limit, count, next_move

    @property
    def message(self) -> str:
        return f"{self.provider} takes at most {self.limit:,} {self.what}, not {self.count:,}"

    @property
    def hint(self) -> str:
        return self.next_move


class CallError(RestwrightError):
    """A call cannot be made or finished."""

    code = "call"


class UnreadableArguments(CallError):
    """The arguments are not a JSON object, or the file `source` of them cannot be read."""

    code = "unreadable_arguments"

    def __init__(self, why: str, source: str | None = None) -> None:
        super().__init__(why, source)
        self.why, self.source = why, source

    @property
    def message(self) -> str:
        if self.source is not None:
            return f"cannot read {self.source}: {self.why}"
        return f"the arguments are not a JSON object: {self.why}"

    @property
    def hint(self) -> str:
        return """write them as '{"name": "value"}'"""


class InvalidArguments(CallError):
    """Arguments that do not fit the tool's schema were passed on without `check()`."""

    code = "invalid_arguments"

    def __init__(self, tool: str, mismatches: Sequence[object]) -> None:
        super().__init__(tool)
        self.tool, self.mismatches = tool, tuple(mismatches)

    @property
    def message(self) -> str:
        return f"{self.tool} was not called: {len(self.mismatches)} argument mismatch(es)"

    @property
    def hint(self) -> str:
        return "; ".join(str(mismatch) for mismatch in self.mismatches[:5])


class UnsupportedMediaType(CallError):
    """
    No media type of the request body can be written.

    Args:
        offered: What the document has instead of the one that was asked for.
    """

    code = "unsupported_media_type"

    def __init__(self, tool: str, media_types: Sequence[str], offered: Sequence[str] = ()) -> None:
        super().__init__(tool)
        self.tool, self.media_types, self.offered = tool, tuple(media_types), tuple(offered)

    @property
    def message(self) -> str:
        named = ", ".join(self.media_types)
        if self.offered:
            return f"{self.tool} takes no body of {named}"
        return f"{self.tool} takes a body of {named}, which cannot be written"

    @property
    def hint(self) -> str:
        return f"it takes {' or '.join(self.offered)}" if self.offered else ""


class MissingServer(CallError):
    """Neither the document nor the caller names an absolute server URL."""

    code = "missing_server"

    def __init__(self, tool: str, found: str) -> None:
        super().__init__(tool)
        self.tool, self.found = tool, found

    @property
    def message(self) -> str:
        return f"no server to send {self.tool} to (the document says {self.found or 'nothing'})"

    @property
    def hint(self) -> str:
        return "name it: Connection(server=URL)"


class MissingCredential(CallError):
    """
    A credential is referred to but is not there, or `is_set` and cannot be sent where it belongs.
    Never carries its value.

    Args:
        where_to_set: In Python.
        option: The same for the command line, which alone shows it; empty where it is the same.
    """

    code = "missing_credential"

    def __init__(
        self, reference: str, where_to_set: str, option: str = "", *, is_set: bool = False
    ) -> None:
        super().__init__(reference)
        self.reference, self.where_to_set, self.option = reference, where_to_set, option
        self.is_set = is_set

    @property
    def message(self) -> str:
        return (
            f"the credential {self.reference} {'cannot be sent' if self.is_set else 'is not set'}"
        )

    @property
    def hint(self) -> str:
        return self.where_to_set


class NoToken(CallError):
    """
    The authorization server gave no access token. Never carries a secret.

    Args:
        sent: Whether a request for it went out that nobody answered.
    """

    code = "no_token"

    def __init__(self, scheme: str, error: str, why: str = "", *, sent: bool = False) -> None:
        super().__init__(scheme, error, why)
        self.scheme, self.error, self.why, self.sent = scheme, error, why, sent

    @property
    def message(self) -> str:
        said = ": ".join(filter(None, (self.error, self.why)))
        return f"no access token for {self.scheme or 'the API'}: {said}"


class UnusableExpression(CallError):
    """The expression that picks parts of a result cannot be used."""

    code = "unusable_expression"

    def __init__(self, expression: str, why: str) -> None:
        super().__init__(expression, why)
        self.expression, self.why = expression, why

    @property
    def message(self) -> str:
        return f"cannot pick {self.expression[:80]!r}: {self.why}"

    @property
    def hint(self) -> str:
        return "write it in JMESPath, as in items[].name"


class RefusedRequest(CallError):
    """
    The request was not sent, because a rule or the user forbids it.

    Args:
        origin: To be named by the user, if the request is meant; empty where that helps nothing.
    """

    code = "refused"

    def __init__(self, url: str, why: str, origin: str = "") -> None:
        super().__init__(url, why)
        self.url, self.why, self.origin = url, why, origin

    @property
    def message(self) -> str:
        return f"not sent to {self.url}: {self.why}"

    @property
    def hint(self) -> str:
        return f"if you mean it, name it: Connection(server={self.origin!r})" if self.origin else ""


class NoResponse(CallError):
    """
    No usable response came back. `sent` is False when nothing left this machine.

    `status` is that of a response whose rest cannot be used; None where not even that came.
    """

    code = "no_response"

    def __init__(self, url: str, why: str, *, sent: bool, status: int | None = None) -> None:
        super().__init__(url, why)
        self.url, self.why, self.sent, self.status = url, why, sent, status

    @property
    def message(self) -> str:
        return f"no response from {self.url}: {self.why}"


class ResponseTooLarge(CallError):
    """The response is longer than the cap allows. `status` is its status, where that is known."""

    code = "response_too_large"

    def __init__(self, url: str, max_bytes: int, *, status: int | None = None) -> None:
        super().__init__(url)
        self.url, self.max_bytes, self.status = url, max_bytes, status

    @property
    def message(self) -> str:
        return f"the response of {self.url} is larger than {self.max_bytes:,} bytes"

    @property
    def hint(self) -> str:
        return "ask for less (a page, a filter), or raise the cap: Transport(max_bytes=...)"


class Said(CallError):
    """
    Raised by a function that a tool stands for: a model reads `why`, and of other exceptions the
    name alone.

    Args:
        may_have_acted: Whether a function that writes may have changed something before; `False`
            says that it has not, so that a model may try again.
    """

    code = "function_failed"

    def __init__(self, why: str, *, may_have_acted: bool = True) -> None:
        super().__init__(why)
        self.why, self.may_have_acted = why, may_have_acted

    @property
    def message(self) -> str:
        return self.why


class AgentError(RestwrightError):
    """An agent or its model cannot go on."""

    code = "agent"


class LimitReached(AgentError):
    """
    A limit of the run was used up.

    Attributes:
        outcomes: Of several steps that were performed together, what came of each; None of those
            that did not end.
    """

    code = "limit"
    outcomes: tuple[Any, ...] = ()

    def __init__(self, limit: str, used: float) -> None:
        super().__init__(limit)
        self.limit, self.used = limit, used

    @property
    def message(self) -> str:
        return f"stopped by the limit on {self.limit} ({self.used:g} used)"


class UnusableReply(AgentError):
    """A model kept failing the contract of a role."""

    code = "unusable_reply"

    def __init__(self, role: str, why: str) -> None:
        super().__init__(role, why)
        self.role, self.why = role, why

    @property
    def message(self) -> str:
        return f"the model's reply as {self.role} cannot be used: {self.why}"


class ModelUnavailable(AgentError):
    """The model cannot be reached, loaded or downloaded."""

    code = "model_unavailable"

    def __init__(self, model: str, why: str, next_move: str) -> None:
        super().__init__(model, why)
        self.model, self.why, self.next_move = model, why, next_move

    @property
    def message(self) -> str:
        return f"the model {self.model} is not available: {self.why}"

    @property
    def hint(self) -> str:
        return self.next_move


class StepFailed(AgentError):
    """
    Something that a run was given raised what nobody foresaw: `__cause__`, for the developer.

    Its own words are not repeated, since a secret may stand in them.
    """

    code = "step_failed"

    def __init__(self, what: str, why: str) -> None:
        super().__init__(what, why)
        self.what, self.why = what, why

    @property
    def message(self) -> str:
        return f"{self.what} failed: {self.why}"


class UnusableSession(AgentError):
    """A recorded run cannot be taken up again."""

    code = "session"

    def __init__(self, session: str, why: str) -> None:
        super().__init__(session, why)
        self.session, self.why = session, why

    @property
    def message(self) -> str:
        return f"cannot use the session {self.session}: {self.why}"

    @property
    def hint(self) -> str:
        return "Journal.sessions() lists those that there are"


class SessionInUse(UnusableSession):
    """Another process is at a recorded run, or has taken it up since."""


class UsageError(RestwrightError):
    """
    A setting, such as the value of an option, cannot be meant. Never repeats what may be a secret.

    Args:
        why: What is wrong, naming the setting where `setting` does not.
        setting: The setting that is wrong.
        next_move: What to give instead.
    """

    code = "usage"

    def __init__(self, why: str, setting: str = "", next_move: str = "") -> None:
        super().__init__(why, setting, next_move)
        self.why, self.setting, self.next_move = why, setting, next_move

    @property
    def message(self) -> str:
        return f"{self.setting}: {self.why}" if self.setting else self.why

    @property
    def hint(self) -> str:
        return self.next_move


class UnusableManifest(RestwrightError):
    """A manifest says what cannot be meant."""

    code = "unusable_manifest"

    def __init__(self, source: str, line: int | None, pointer: str, why: str) -> None:
        super().__init__(source, line, pointer, why)
        self.source, self.line, self.pointer, self.why = source, line, pointer, why

    @property
    def message(self) -> str:
        where = self.source if self.line is None else f"{self.source}, line {self.line}"
        place = f" ({self.pointer})" if self.pointer else ""
        return f"{where}{place}: {self.why}"

    @property
    def hint(self) -> str:
        return "`restwright new --schema` prints what a manifest may say"


class UnusableCode(RestwrightError):
    """A module or a notebook cannot be run, or may not."""

    code = "unusable_code"

    def __init__(self, what: str, why: str, next_move: str = "") -> None:
        super().__init__(what, why)
        self.what, self.why, self.next_move = what, why, next_move

    @property
    def message(self) -> str:
        return f"the code of {self.what} is not run: {self.why}"

    @property
    def hint(self) -> str:
        return self.next_move


class ServerUnavailable(RestwrightError):
    """A server of the Model Context Protocol cannot be started, reached or read."""

    code = "server_unavailable"

    def __init__(self, server: str, why: str) -> None:
        super().__init__(server, why)
        self.server, self.why = server, why

    @property
    def message(self) -> str:
        return f"the MCP server {self.server} cannot be used: {self.why}"

    @property
    def hint(self) -> str:
        return "try its command by itself, or look at its URL and its headers"


class MissingExtra(RestwrightError):
    """An optional dependency is not installed."""

    code = "missing_extra"

    def __init__(self, extra: str, feature: str) -> None:
        super().__init__(extra, feature)
        self.extra, self.feature = extra, feature

    @property
    def message(self) -> str:
        return f"{self.feature} needs packages that are not installed"

    @property
    def hint(self) -> str:
        return f"pip install 'restwright[{self.extra}]'"
