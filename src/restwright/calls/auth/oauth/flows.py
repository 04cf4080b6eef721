"""
How an access token is obtained: each way a generator of steps, which a driver performs.

A step is a `Request` (answered by a `Response`) or one of the classes below, so that the same
code serves threads and event loops, and every request goes through the transport that guards all
others. `oauth_drivers` performs them.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from restwright.calls.auth.oauth.client import FlowName, OAuthClient
from restwright.calls.auth.oauth.messages import (
    ClientRegistration,
    build_authorization_url,
    build_token_request,
    create_code_verifier,
    parse_oauth_response,
    parse_redirect,
    parse_token_response,
    sanitize_server_text,
)
from restwright.calls.auth.oauth.metadata import ServerEndpoints, TrustedOrigins, discover_endpoints
from restwright.calls.auth.oauth.token_cache import AccessToken, TokenKey, token_key_from_parts
from restwright.errors import MissingCredential, NoToken
from restwright.net.messages import Request, Response
from restwright.net.policy.origins import Origin
from restwright.net.secret import Secret
from restwright.net.secret_references import resolve_secret
from restwright.openapi.model import SecurityScheme

_WHERE = "set OAuthClient({}=...)"
_SPENT = (
    "it was sent, and nobody knows the answer; sending it again could end every token of this"
    " login: log in again, and give the new one"
)
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
# RFC 9110: the request was refused, or not begun.
_UNUSED = frozenset({*range(400, 500), 503})
_MAX_DEVICE_S = 1800.0
_MAX_INTERVAL_S = 60.0


@dataclass(frozen=True, slots=True)
class ListenStep:
    """Wait for a redirect; answered by the URL to redirect to."""


@dataclass(frozen=True, slots=True)
class VisitStep:
    """Ask the person to open a URL, and to type a code there."""

    url: str
    code: str = ""


@dataclass(frozen=True, slots=True)
class RedirectStep:
    """Answered by the URL of the redirect."""


@dataclass(frozen=True, slots=True)
class WaitStep:
    """Let seconds pass."""

    seconds: float


@dataclass(frozen=True, slots=True)
class RefreshTokenStep:
    """Keep that the refresh token goes out now, or that it was not used after all."""

    is_spent: bool


TokenFlowStep: TypeAlias = (
    Request | ListenStep | VisitStep | RedirectStep | WaitStep | RefreshTokenStep
)
TokenFlow: TypeAlias = Generator[TokenFlowStep, Any, AccessToken]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenFlowContext:
    """
    All that a flow needs to know.

    Args:
        refresh_token: A refresh token from before.
        now: Seconds since the epoch.
    """

    client: ClientRegistration
    endpoints: ServerEndpoints
    trust: TrustedOrigins
    scopes: tuple[str, ...]
    more: Mapping[str, str]
    refresh_token: Secret | None
    now: Callable[[], float]

    def build_token_request(
        self, grant_type: str, members: Mapping[str, str | Secret], *, url: str = ""
    ) -> Request:
        """A request to the token endpoint, or to `url`."""
        hidden = tuple(member for member in members.values() if isinstance(member, Secret))
        plain = {
            name: each.reveal() if isinstance(each, Secret) else each
            for name, each in members.items()
        }
        grant = {"grant_type": grant_type} if grant_type else {}
        sent = {**grant, **plain, **self.more}
        where = url or self.endpoints.token
        asked = build_token_request(self.client, self.trust.check_url(where), sent, secrets=hidden)
        return replace(asked, is_named=self.trust.is_named(where))

    def scope_parameter(self) -> dict[str, str]:
        """The member `scope_parameter`; none where no scope is asked for."""
        return {"scope": " ".join(self.scopes)} if self.scopes else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRequest:
    """
    An access token that a call needs.

    Args:
        scopes: What the operation requires; the client may want others.
        api_origin: The origin that the user named for the API.
    """

    client: OAuthClient
    scheme: SecurityScheme
    scopes: tuple[str, ...] = ()
    api_origin: Origin | None = None
    allow_commands: bool = False

    @property
    def flow(self) -> FlowName:
        """How it is obtained."""
        return self.client.flow or _choose_flow(self.client, self.scheme)

    def cache_key(self) -> TokenKey:
        """
        What the token is kept by: no two users, clients, servers or scopes share one.

        Raises:
            MissingCredential: A secret is referred to and not there.
        """
        client, scheme = self.client, self.scheme
        servers = [client.issuer, client.token_url, scheme.open_id_connect_url]
        documented = sorted(flow.token_url for flow in scheme.flows.values())
        # Of all this only a hash is kept. The secrets are in it, so that two users who share all
        # else, and the name of an environment variable, share no token.
        secrets = [_secret_identity(client.client_secret), _secret_identity(client.refresh_token)]
        # Whoever logs in and has no name here is told from others by the client alone.
        is_nobody = not client.user and self.flow in _PERSONAL_FLOWS
        who = [client.client_id, client.instance_id if is_nobody else client.user, *secrets]
        more, scopes = dict(client.more), sorted(self._scopes)
        return token_key_from_parts(
            servers, documented, self.flow, scopes, who, more, is_fleeting=is_nobody
        )

    @property
    def _scopes(self) -> tuple[str, ...]:
        return self.scopes if self.client.scopes is None else self.client.scopes

    def request_token(self, old: AccessToken | None) -> TokenFlow:
        """The steps to a new token; `old` may be good for a refresh."""
        client, scheme = self.client, self.scheme
        trust = TrustedOrigins.of(client, self.api_origin)
        endpoints = yield from discover_endpoints(client, scheme, self.flow, trust)
        secret = self._resolve(client.client_secret)
        method = client.authentication or endpoints.method
        asking = TokenFlowContext(
            client=ClientRegistration(
                name=sanitize_server_text(scheme.name),
                client_id=client.client_id,
                secret=secret,
                method=method if secret else "none",
            ),
            endpoints=endpoints,
            trust=trust.with_delegated(endpoints),
            scopes=self._scopes,
            more=client.more,
            refresh_token=self._refresh_token(old),
            now=client.tokens.now,
        )
        return (yield from _refresh_or_obtain(asking, self.flow))

    def _refresh_token(self, old: AccessToken | None) -> Secret | None:
        if old is None or not old.is_spent:
            own = old.refresh_token if old else None
            return own or self._resolve(self.client.refresh_token)
        if self.flow == "refresh":
            name = sanitize_server_text(self.scheme.name)
            raise NoToken(name, "refresh_token_spent", _SPENT)
        return None

    def _resolve(self, reference: str | Secret | None) -> Secret | None:
        return resolve_secret(reference, allow_commands=self.allow_commands) if reference else None


_PERSONAL_FLOWS: frozenset[FlowName] = frozenset({"authorization_code", "device"})
"""Flows whose token belongs to the person who logged in."""


def _secret_identity(reference: str | Secret | None) -> str | None:
    """What tells a secret from others; commands and keyrings are not asked for it."""
    if isinstance(reference, str) and reference.startswith(("env:", "file:")):
        return resolve_secret(reference).reveal()
    return reference.reveal() if isinstance(reference, Secret) else reference


def _refresh_or_obtain(context: TokenFlowContext, flow: FlowName) -> TokenFlow:
    """The refresh token where there is one; the whole flow where it is good no more."""
    if context.refresh_token is None:
        return (yield from _FLOWS[flow](context))
    try:
        return (yield from refresh_token_flow(context))
    except NoToken as error:
        if error.error != "invalid_grant" or flow == "refresh":
            raise
    return (yield from _FLOWS[flow](context))


def client_credentials_flow(context: TokenFlowContext) -> TokenFlow:
    """RFC 6749, "Client Credentials Grant"."""
    if context.client.secret is None:
        raise MissingCredential(context.client.name, _WHERE.format("client_secret"))
    request = context.build_token_request("client_credentials", context.scope_parameter())
    response: Response = yield request
    return parse_token_response(context.client, request, response, now=context.now())


def authorization_code_flow(context: TokenFlowContext) -> TokenFlow:
    """RFC 6749, "Authorization Code Grant"; RFC 7636; RFC 8252, "Loopback Redirect"."""
    state, verifier = secrets.token_urlsafe(32), create_code_verifier()
    redirect_uri: str = yield ListenStep()
    url = build_authorization_url(
        context.client,
        context.trust.check_url(context.endpoints.authorization),
        redirect_uri=redirect_uri,
        scopes=context.scopes,
        state=state,
        verifier=verifier,
        more=context.more,
    )
    yield VisitStep(url)
    arrived: str = yield RedirectStep()
    code = parse_redirect(context.client, arrived, state=state, issuer=context.endpoints.issuer)
    members = {"code": code, "redirect_uri": redirect_uri, "code_verifier": verifier}
    request = context.build_token_request("authorization_code", members)
    response: Response = yield request
    return parse_token_response(context.client, request, response, now=context.now())


def device_flow(context: TokenFlowContext) -> TokenFlow:
    """RFC 8628."""
    request = context.build_token_request(
        "", context.scope_parameter(), url=context.endpoints.device
    )
    started: Response = yield request
    answer = parse_oauth_response(context.client, request, started)
    url = str(answer.get("verification_uri_complete") or answer.get("verification_uri", ""))
    yield VisitStep(
        context.trust.check_browser_url(url), sanitize_server_text(str(answer.get("user_code", "")))
    )
    interval = _clamp_seconds(answer.get("interval"), 5.0, _MAX_INTERVAL_S)
    left = _clamp_seconds(answer.get("expires_in"), 300.0, _MAX_DEVICE_S)
    members = {"device_code": Secret(str(answer.get("device_code", "")))}
    while left > 0:
        yield WaitStep(interval)
        left -= max(interval, 1.0)
        request = context.build_token_request(DEVICE_GRANT, members)
        response: Response = yield request
        try:
            return parse_token_response(context.client, request, response, now=context.now())
        except NoToken as error:
            if error.error not in {"authorization_pending", "slow_down"}:
                raise
            interval += 5.0 if error.error == "slow_down" else 0.0
    raise NoToken(context.client.name, "expired_token", "nobody entered the code in time")


def refresh_token_flow(context: TokenFlowContext) -> TokenFlow:
    """RFC 6749, "Refreshing an Access Token"."""
    if context.refresh_token is None:
        raise MissingCredential(context.client.name, _WHERE.format("refresh_token"))
    members = {"refresh_token": context.refresh_token, **context.scope_parameter()}
    request = context.build_token_request("refresh_token", members, url=context.endpoints.refresh)
    yield RefreshTokenStep(is_spent=True)
    try:
        response: Response = yield request
    except NoToken as error:
        if not error.sent:
            yield RefreshTokenStep(is_spent=False)
        raise
    if response.status in _UNUSED:
        yield RefreshTokenStep(is_spent=False)
    token = parse_token_response(context.client, request, response, now=context.now())
    refresh_token = token.refresh_token or context.refresh_token
    is_kept = refresh_token == context.refresh_token
    return replace(token, refresh_token=refresh_token, keeps_refresh_token=is_kept)


_FLOWS: Mapping[FlowName, Callable[[TokenFlowContext], TokenFlow]] = {
    "client_credentials": client_credentials_flow,
    "authorization_code": authorization_code_flow,
    "device": device_flow,
    "refresh": refresh_token_flow,
}
_FLOW_NAMES: Mapping[str, FlowName] = {
    "clientCredentials": "client_credentials",
    "authorizationCode": "authorization_code",
    "deviceAuthorization": "device",
}


def _choose_flow(client: OAuthClient, scheme: SecurityScheme) -> FlowName:
    """Client credentials where there is a secret for it; a refresh token alone is a flow too."""
    found: list[FlowName] = [_FLOW_NAMES[name] for name in scheme.flows if name in _FLOW_NAMES]
    wanted: list[FlowName] = ["authorization_code", "device"]
    if client.client_secret is not None:
        wanted.insert(0, "client_credentials")
    if client.refresh_token is not None and client.login is None:
        return "refresh"
    offered: list[FlowName] = [literal for literal in wanted if not found or literal in found]
    return offered[0] if offered else found[0]


def _clamp_seconds(value: object, default: float, longest: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return min(max(float(value), 0.0), longest)
