"""
How an access token is obtained: each way a generator of steps, which a driver performs.

A step is a `Request` (answered by a `Response`) or one of the classes below, so that the same
code serves any `Send`, and every request goes through the transport that guards all others.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from restwright.calls.endpoints import Endpoints, Trust, endpoints_of
from restwright.calls.oauth_client import FlowName, Login, OAuthClient
from restwright.calls.oauth_messages import (
    Client,
    authorization_url,
    cleaned,
    new_verifier,
    read_answer,
    read_redirect,
    read_token,
    token_request,
)
from restwright.calls.tokens import Token, token_key
from restwright.errors import MissingCredential, NoToken
from restwright.net.guard import Origin
from restwright.net.message import Request, Response
from restwright.net.references import secret_of
from restwright.net.secret import Secret
from restwright.openapi.model import SecurityScheme
from restwright.typing import Send

DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_LONGEST_DEVICE_S = 1800.0
_LONGEST_INTERVAL_S = 60.0


@dataclass(frozen=True, slots=True)
class Listen:
    """Wait for a redirect; answered by the URL to redirect to."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Ask the person to open a URL, and to type a code there."""

    url: str
    code: str = ""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Answered by the URL of the redirect."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Let seconds pass."""

    seconds: float


Step: TypeAlias = Request | Listen | Visit | Arrival | Wait
Flow: TypeAlias = Generator[Step, Any, Token]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """
    All that a flow needs to know.

    Args:
        refresh: A refresh token from before.
        now: Seconds since the epoch.
    """

    client: Client
    endpoints: Endpoints
    trust: Trust
    scopes: tuple[str, ...]
    more: Mapping[str, str]
    refresh: Secret | None
    now: Callable[[], float]

    def request(
        self, grant_type: str, members: Mapping[str, str | Secret], *, url: str = ""
    ) -> Request:
        """A request to the token endpoint, or to `url`."""
        hidden = tuple(each for each in members.values() if isinstance(each, Secret))
        plain = {
            name: each.reveal() if isinstance(each, Secret) else each
            for name, each in members.items()
        }
        grant = {"grant_type": grant_type} if grant_type else {}
        sent = {**grant, **plain, **self.more}
        where = url or self.endpoints.token
        asked = token_request(self.client, self.trust.checked(where), sent, secrets=hidden)
        return replace(asked, is_named=self.trust.is_named(where))

    def scope(self) -> dict[str, str]:
        """The member `scope`; none where no scope is asked for."""
        return {"scope": " ".join(self.scopes)} if self.scopes else {}


def access_token(
    client: OAuthClient,
    scheme: SecurityScheme,
    scopes: tuple[str, ...],
    *,
    named: Origin | None,
    send: Send | None,
    allow_commands: bool = False,
) -> Secret | None:
    """
    Return a good access token, asking for one where there is none.

    Args:
        named: The origin that the user named for the API.
        send: How to ask; None where nothing may be sent, as in a dry run.

    Returns:
        None where there is none and nothing may be sent.

    Raises:
        NoToken: The server gave none.
        MissingCredential: A person must log in and cannot, or a secret is missing.
        RefusedRequest: The server to ask is of no origin that the user named.
    """
    wanted = scopes if client.scopes is None else client.scopes
    flow = client.flow or _first_flow(client, scheme)
    key = _key(client, scheme, flow, wanted)
    if send is None:
        found = client.tokens.peek(key)
        return found.access if found else None

    def obtain(old: Token | None) -> Token:
        steps = _obtained(
            client, scheme, flow, wanted, old=old, named=named, allow_commands=allow_commands
        )
        return performed(steps, send=send, login=client.login, scheme=scheme.name)

    return client.tokens.token(key, obtain).access


def performed(steps: Flow, *, send: Send, login: Login | None, scheme: str) -> Token:
    """Perform the steps of a flow; errors as `access_token()`."""
    answer: Response | str | None = None
    try:
        while True:
            step = steps.send(answer)
            is_request = isinstance(step, Request)
            answer = send(step) if is_request else _with_person(step, login, scheme)
    except StopIteration as stopped:
        return stopped.value
    finally:
        steps.close()
        if login is not None:
            login.close()


def _with_person(step: Listen | Visit | Arrival | Wait, login: Login | None, scheme: str) -> Any:
    if login is None:
        raise MissingCredential(cleaned(scheme), "a person must log in: OAuthClient(login=...)")
    match step:
        case Listen():
            return login.listen()
        case Visit():
            return login.visit(step.url, code=step.code)
        case Wait():
            return login.wait(step.seconds)
        case Arrival():
            try:
                return login.arrival()
            except TimeoutError:
                raise NoToken(cleaned(scheme), "timeout", "nobody came back from there") from None


def _obtained(
    client: OAuthClient,
    scheme: SecurityScheme,
    flow: FlowName,
    scopes: tuple[str, ...],
    *,
    old: Token | None,
    named: Origin | None,
    allow_commands: bool,
) -> Flow:
    def read(reference: str | Secret | None) -> Secret | None:
        return secret_of(reference, allow_commands=allow_commands) if reference else None

    trust = Trust.of(client, named)
    endpoints = yield from endpoints_of(client, scheme, flow, trust)
    secret = read(client.client_secret)
    method = client.authentication or endpoints.method
    asking = Asking(
        client=Client(
            name=cleaned(scheme.name),
            client_id=client.client_id,
            secret=secret,
            method=method if secret else "none",
        ),
        endpoints=endpoints,
        trust=trust.delegating(endpoints),
        scopes=scopes,
        more=client.more,
        refresh=old.refresh if old and old.refresh else read(client.refresh_token),
        now=client.tokens.now,
    )
    return (yield from _first_of(asking, flow))


def _first_of(asking: Asking, flow: FlowName) -> Flow:
    """The refresh token where there is one; the whole flow where it is good no more."""
    if asking.refresh is None:
        return (yield from _FLOWS[flow](asking))
    try:
        return (yield from refreshed(asking))
    except NoToken as error:
        if error.error != "invalid_grant" or flow == "refresh":
            raise
    return (yield from _FLOWS[flow](asking))


def client_credentials(asking: Asking) -> Flow:
    """RFC 6749, "Client Credentials Grant"."""
    if asking.client.secret is None:
        raise MissingCredential(asking.client.name, "set the client secret")
    request = asking.request("client_credentials", asking.scope())
    response: Response = yield request
    return read_token(asking.client, request, response, now=asking.now())


def authorization_code(asking: Asking) -> Flow:
    """RFC 6749, "Authorization Code Grant"; RFC 7636; RFC 8252, "Loopback Redirect"."""
    state, verifier = secrets.token_urlsafe(32), new_verifier()
    redirect_uri: str = yield Listen()
    url = authorization_url(
        asking.client,
        asking.trust.checked(asking.endpoints.authorization),
        redirect_uri=redirect_uri,
        scopes=asking.scopes,
        state=state,
        verifier=verifier,
        more=asking.more,
    )
    yield Visit(url)
    arrived: str = yield Arrival()
    code = read_redirect(asking.client, arrived, state=state, issuer=asking.endpoints.issuer)
    members = {"code": code, "redirect_uri": redirect_uri, "code_verifier": verifier}
    request = asking.request("authorization_code", members)
    response: Response = yield request
    return read_token(asking.client, request, response, now=asking.now())


def device(asking: Asking) -> Flow:
    """RFC 8628."""
    request = asking.request("", asking.scope(), url=asking.endpoints.device)
    started: Response = yield request
    answer = read_answer(asking.client, request, started)
    url = str(answer.get("verification_uri_complete") or answer.get("verification_uri", ""))
    yield Visit(asking.trust.shown_to_person(url), cleaned(str(answer.get("user_code", ""))))
    interval = _bounded(answer.get("interval"), 5.0, _LONGEST_INTERVAL_S)
    left = _bounded(answer.get("expires_in"), 300.0, _LONGEST_DEVICE_S)
    members = {"device_code": Secret(str(answer.get("device_code", "")))}
    while left > 0:
        yield Wait(interval)
        left -= max(interval, 1.0)
        request = asking.request(DEVICE_GRANT, members)
        response: Response = yield request
        try:
            return read_token(asking.client, request, response, now=asking.now())
        except NoToken as error:
            if error.error not in {"authorization_pending", "slow_down"}:
                raise
            interval += 5.0 if error.error == "slow_down" else 0.0
    raise NoToken(asking.client.name, "expired_token", "nobody entered the code in time")


def refreshed(asking: Asking) -> Flow:
    """RFC 6749, "Refreshing an Access Token"."""
    if asking.refresh is None:
        raise MissingCredential(asking.client.name, "set the refresh token")
    members = {"refresh_token": asking.refresh, **asking.scope()}
    request = asking.request("refresh_token", members, url=asking.endpoints.refresh)
    response: Response = yield request
    token = read_token(asking.client, request, response, now=asking.now())
    return replace(token, refresh=token.refresh or asking.refresh)


_FLOWS: Mapping[FlowName, Callable[[Asking], Flow]] = {
    "client_credentials": client_credentials,
    "authorization_code": authorization_code,
    "device": device,
    "refresh": refreshed,
}
_NAMES: Mapping[str, FlowName] = {
    "clientCredentials": "client_credentials",
    "authorizationCode": "authorization_code",
    "deviceAuthorization": "device",
}


def _first_flow(client: OAuthClient, scheme: SecurityScheme) -> FlowName:
    """Client credentials where there is a secret for it; a refresh token alone is a flow too."""
    found: list[FlowName] = [_NAMES[name] for name in scheme.flows if name in _NAMES]
    wanted: list[FlowName] = ["authorization_code", "device"]
    if client.client_secret is not None:
        wanted.insert(0, "client_credentials")
    if client.refresh_token is not None and client.login is None:
        return "refresh"
    offered: list[FlowName] = [each for each in wanted if not found or each in found]
    return offered[0] if offered else found[0]


def _bounded(value: object, default: float, longest: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return min(max(float(value), 0.0), longest)


def _key(
    client: OAuthClient, scheme: SecurityScheme, flow: FlowName, scopes: tuple[str, ...]
) -> str:
    servers = [client.issuer, client.token_url, scheme.open_id_connect_url]
    documented = sorted(each.token_url for each in scheme.flows.values())
    # Only a hash of all this is kept, so that two users with secrets of their own never share one.
    own = [_plain(client.client_secret), _plain(client.refresh_token)]
    who = [client.client_id, client.user, *own]
    return token_key(servers, documented, flow, sorted(scopes), who, dict(client.more))


def _plain(reference: str | Secret | None) -> str | None:
    return reference.reveal() if isinstance(reference, Secret) else reference
