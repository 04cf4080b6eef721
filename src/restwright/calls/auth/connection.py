"""Credentials: read late, sent to the origin that the user named, shown to nobody."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, cast

from restwright.calls.auth.apply import apply_connection_headers, check_secret_header
from restwright.calls.auth.credentials import Auth, mask_reference, require_auth
from restwright.calls.auth.handler import (
    AppliedCredential,
    AuthMemory,
    AuthorizeStep,
    CredentialPlacement,
    DropTokensStep,
)
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.calls.auth.oauth.driver import (
    AsyncSend,
    obtain_access_token,
    obtain_access_token_async,
)
from restwright.calls.auth.oauth.flows import TokenRequest
from restwright.calls.auth.requirements import ANY_SCHEME, select_credentials
from restwright.calls.auth.schemes import apply_credential, run_auth_flows
from restwright.calls.request.servers import is_http_url, user_server_url
from restwright.errors import RefusedRequest, require_type
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request, Response, Send
from restwright.net.policy.origins import Origin, parse_origin
from restwright.net.secret import (
    MASK,
    MIN_MASKED_LENGTH,
    Secret,
    mask_cookie,
    mask_secrets,
    mask_url,
    secret_forms,
)
from restwright.net.secret_references import resolve_secret
from restwright.tools.tool import Tool


@dataclass(frozen=True, slots=True)
class Connection:
    """
    How one API is reached: what the user, not the document, says.

    One for each API, call or user; nothing of it is shared between them.

    Args:
        server: Base URL; or one of the document's servers, by its number (1 is the first), its URL
            as written there, or words of its description; None for the first. Credentials go to
            an origin that is written here, or that the document comes from, not to a chosen one.
        headers: Sent with every request; their values count as secrets.
        auth: One credential for whichever scheme it fits, or `{scheme: credential}`. Text is a
            reference to a secret (`env:NAME`, `file:PATH`, `keyring:NAME`), never the secret
            itself, or `none` to send nothing.
        allow_commands: Whether a reference may be `cmd:COMMAND`.
        server_variables: `{name: value}` for the braces in a server's URL; the others have the
            document's defaults.
        propagates_trace: Whether the API is told which trace of OpenTelemetry a request is a part
            of, by the header `traceparent`; servers that tokens are asked of are not.
        secrets: Values among the arguments that are shown nowhere, as credentials are not.
        sources: `{namespace: connection}` of the APIs that a tool calls, where it is made of calls
            to several; nothing else of this connection is sent to them.

    Raises:
        WrongType: One of them is of another type, or `auth` is a text that is no reference.
    """

    server: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    auth: Auth | Mapping[str, Auth] | None = None
    allow_commands: bool = field(default=False, kw_only=True)
    server_variables: Mapping[str, str] = field(default_factory=dict[str, str], kw_only=True)
    propagates_trace: bool = field(default=False, kw_only=True)
    secrets: tuple[Secret, ...] = field(default=(), kw_only=True)
    sources: Mapping[str, Connection] = field(
        default_factory=dict[str, "Connection"], kw_only=True, repr=False
    )
    memory: AuthMemory = field(default_factory=AuthMemory, init=False, repr=False, compare=False)
    """What servers said to its requests, such as the nonces of Digest."""

    def __post_init__(self) -> None:
        """Refuse here what would fail in the middle of a call."""
        wanted = "a URL, or the number or the description of one of the document's servers, as text"
        require_type(self.server, (str, type(None)), what="`server`", wanted=wanted)
        _require_texts(self.headers, what="`headers`")
        _require_texts(self.server_variables, what="`server_variables`")
        for auth in self.auths.values():
            require_auth(auth)
        for secret in self.secrets:
            require_type(secret, Secret, what="each of `secrets`", wanted="a `Secret`")

    def __deepcopy__(self, memo: object) -> Connection:
        # What asks for tokens is shared: a copy of it would ask a person to log in once more.
        headers, variables = {**self.headers}, {**self.server_variables}
        return replace(self, headers=headers, server_variables=variables)

    def __reduce__(self) -> tuple[Any, ...]:
        """
        Pickle references to secrets, and where to connect to.

        Raises:
            TypeError: It has a secret itself; pickles end in files and logs.
        """
        has_client = any(isinstance(auth, OAuthClient) for auth in self.auths.values())
        if self.headers or self.secrets or has_client or "@" in (self.server or ""):
            what = "a Connection with headers, secrets, tokens or a password in its URL"
            raise TypeError(f"{what} is not pickled: make it where it is used")
        given = {field_.name: getattr(self, field_.name) for field_ in fields(self) if field_.init}
        return _restore_connection, (given,)

    def __repr__(self) -> str:
        headers = dict.fromkeys(self.headers, MASK)
        more = f", server_variables={self.server_variables!r}" if self.server_variables else ""
        shown = f"headers={headers!r}, auth={_format_auth(self.auth)}{more}"
        return f"Connection(server={self.server!r}, {shown})"

    @property
    def auths(self) -> Mapping[str, Auth]:
        """The credentials by scheme, under `""` the one for whichever scheme it fits."""
        if self.auth is None:
            return {}
        return self.auth if isinstance(self.auth, Mapping) else {ANY_SCHEME: self.auth}


def _restore_connection(given: dict[str, Any]) -> Connection:
    return Connection(**given)


def _require_texts(values: object, *, what: str) -> None:
    wanted = "a mapping such as {name: value} of texts"
    require_type(values, Mapping, what=what, wanted=wanted)
    for text in (item for pair in cast("Mapping[object, object]", values).items() for item in pair):
        require_type(text, str, what=what, wanted=wanted)


def _format_auth(auth: Auth | Mapping[str, Auth] | None) -> str:
    if isinstance(auth, Mapping):
        return repr({name: _BareText(_format_auth(each)) for name, each in auth.items()})
    return repr(mask_reference(auth) if isinstance(auth, str) and auth else auth)


class _BareText(str):
    """Text that is shown as it is inside of a mapping."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def resolve_credential(reference: str, *, allow_commands: bool = False) -> str:
    """
    Return what `reference` leads to, as the value of a header or the end of one.

    Args:
        allow_commands: Whether it may be `cmd:COMMAND`.

    Raises:
        MissingCredential: It is not there, `reference` is none, or no header can hold it. Never
            shows a value.
    """
    secret = resolve_secret(reference, allow_commands=allow_commands)
    return check_secret_header(reference, secret).reveal()


def user_origin(connection: Connection, source: str) -> Origin | None:
    """
    Return the origin that the user named: the connection's server, else the document's URL.

    None where the document has a say in it, as by the default of a variable in the host.
    """
    if is_http_url(connection.server):
        url = user_server_url(connection.server, connection.server_variables)
        return None if url is None else parse_origin(url)
    return parse_origin(source) if is_http_url(source) else None


def authorize_request(
    request: Request,
    connection: Connection,
    *,
    named: Origin | None,
    tool: Tool | None = None,
    send: Send | None = None,
) -> Request:
    """
    Add the connection's headers, and the credentials that the document requires.

    Args:
        named: The origin that the user named; None where there is none.
        tool: What is called; None to send a token as a bearer token.
        send: How an authorization server is asked for a token; None to ask nobody, as in a dry
            run, where a token that is not there yet stays masked.

    Raises:
        RefusedRequest: There is something to add, but the request goes to another origin.
        MissingCredential: No alternative of the document can be satisfied, or a secret is missing.
        NoToken: The authorization server gave none.
    """
    uses = _select_for_origin(request, connection, named, tool)
    tokens = [
        obtain_access_token(token_request, send)
        for token_request in _token_requests(uses, connection, named)
    ]
    return _apply_credentials(request, connection, uses, tokens)


async def authorize_request_async(
    request: Request,
    connection: Connection,
    *,
    named: Origin | None,
    send: AsyncSend,
    tool: Tool | None = None,
) -> Request:
    """Do the same as `authorize_request` from an event loop."""
    uses = _select_for_origin(request, connection, named, tool)
    tokens = [
        await obtain_access_token_async(token_request, send)
        for token_request in _token_requests(uses, connection, named)
    ]
    return _apply_credentials(request, connection, uses, tokens)


def list_token_requests(
    connection: Connection, *, named: Origin | None, tool: Tool | None
) -> tuple[TokenRequest, ...]:
    """Return the access tokens that a call of `tool` is sent with."""
    return _token_requests(
        select_credentials(tool, connection.auths, _header_names(connection)), connection, named
    )


def _header_names(connection: Connection) -> frozenset[str]:
    return frozenset(name.lower() for name in connection.headers)


def _select_for_origin(
    request: Request, connection: Connection, named: Origin | None, tool: Tool | None
) -> tuple[AppliedCredential, ...]:
    """The credentials to add, if they may go where the request goes."""
    uses = select_credentials(tool, connection.auths, _header_names(connection))
    origin = parse_origin(request.url)
    if (connection.headers or uses) and origin != named:
        owner = f"for {named}" if named else "bound to no server"
        raise RefusedRequest(str(origin), f"the credentials are {owner}", str(origin))
    return uses


def _token_requests(
    uses: tuple[AppliedCredential, ...], connection: Connection, named: Origin | None
) -> tuple[TokenRequest, ...]:
    return tuple(
        TokenRequest(
            client=use.auth,
            scheme=use.scheme,
            scopes=use.scopes,
            api_origin=named,
            allow_commands=connection.allow_commands,
        )
        for use in uses
        if isinstance(use.auth, OAuthClient)
    )


def _apply_credentials(
    request: Request,
    connection: Connection,
    uses: tuple[AppliedCredential, ...],
    tokens: Iterable[Secret | None],
) -> Request:
    request = apply_connection_headers(request, connection.headers)
    left = iter(tokens)
    for use in uses:
        token = next(left) if isinstance(use.auth, OAuthClient) else None
        request = apply_credential(request, _placement(use, connection, token))
    return request


def _placement(
    use: AppliedCredential, connection: Connection, token: Secret | None = None
) -> CredentialPlacement:
    return CredentialPlacement(use, token, connection.allow_commands, connection.memory)


def send_steps(
    request: Request, connection: Connection, tool: Tool
) -> Generator[Request | AuthorizeStep | DropTokensStep, Any, Response]:
    """Yield what is sent for a request with its credentials: by the flows of their schemes."""
    # A function builds its own requests, and puts its secrets there itself.
    own = tool.handler is not None
    uses = () if own else select_credentials(tool, connection.auths, _header_names(connection))
    return run_auth_flows(request, [_placement(use, connection) for use in uses])


def mask_request(request: Request) -> JsonObject:
    """
    Return a request as it can be shown.

    Returns:
        `{"method", "url", "headers", "body"}`; headers as `{name: value}` with secrets as `***`;
        body as a JSON value, as text, or None.
    """
    headers = {name: mask_header(request, name, value) for name, value in request.headers}
    return {
        "method": request.method,
        "url": mask_url(request.url, request.secrets),
        "headers": headers,
        "body": _mask_body(request),
    }


def mask_header(request: Request, name: str, value: str) -> str:
    """The value of a header as it can be shown; of cookies those that are no secrets."""
    if name.lower() == "cookie" and request.secrets:
        return mask_cookie(value, request.secrets)
    return MASK if name.lower() in request.secret_headers else mask_secrets(value, request.secrets)


def _mask_body(request: Request) -> Json:
    if not request.body:
        return None
    text = mask_secrets(request.body.decode("utf-8", "replace"), request.secrets)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def list_secret_texts(request: Request) -> tuple[str, ...]:
    """Return every text that gives a secret of `request` away, the longest first."""
    values = [
        value
        for name, value in request.headers
        if name.lower() in request.secret_headers and name.lower() != "cookie"
    ]
    tokens = [value.partition(" ")[2] for value in values]
    secrets = (*request.secrets, *(Secret(value) for value in (*values, *tokens)))
    found = {
        text
        for secret in secrets
        for text in secret_forms(secret)
        if len(text) >= MIN_MASKED_LENGTH
    }
    return tuple(sorted(found, key=len, reverse=True))
