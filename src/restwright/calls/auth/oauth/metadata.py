"""Which servers are asked for tokens, and why they are trusted with a secret."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from restwright.calls.auth.oauth.client import FlowName, OAuthClient
from restwright.calls.auth.oauth.messages import sanitize_server_text, well_known_url
from restwright.errors import NoToken, RefusedRequest
from restwright.jsontypes import JsonObject, is_array, is_object
from restwright.net.messages import Request, Response
from restwright.net.policy.origins import LOOPBACK_HOSTS, Origin, parse_origin, redact_url
from restwright.openapi.model import OAuthFlow, SecurityScheme

_DOCUMENT_FLOWS: Mapping[FlowName, tuple[str, ...]] = {
    "client_credentials": ("clientCredentials",),
    "authorization_code": ("authorizationCode",),
    "device": ("deviceAuthorization",),
    "refresh": ("authorizationCode", "deviceAuthorization", "clientCredentials", "password"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerEndpoints:
    """
    URLs of one authorization server; empty where it has none.

    Args:
        method: How a client shows its secret there: `basic` or `post`.
    """

    token: str = ""
    authorization: str = ""
    device: str = ""
    refresh: str = ""
    issuer: str | None = None
    method: str = "basic"


@dataclass(frozen=True, slots=True)
class TrustedOrigins:
    """
    The origins that may be asked for tokens.

    Args:
        named: By the user.
        delegated: By the metadata of an issuer that the user named.
    """

    named: frozenset[Origin]
    delegated: frozenset[Origin] = frozenset()

    @classmethod
    def of(cls, client: OAuthClient, named: Origin | None) -> TrustedOrigins:
        """What a client and the API's own origin say."""
        urls = (client.issuer, client.token_url, client.authorization_url, client.device_url)
        origins = {parse_origin(url) for url in urls if url}
        return cls(frozenset(origins | ({named} if named else set())))

    def with_delegated(self, endpoints: ServerEndpoints) -> TrustedOrigins:
        """Trust in what an issuer published, which must be served over TLS or by this machine."""
        if endpoints.issuer is None:
            return self
        urls = (endpoints.token, endpoints.authorization, endpoints.device)
        origins = {parse_origin(url) for url in urls if url}
        return replace(self, delegated=frozenset(filter(_is_secure, origins)))

    def is_named(self, url: str) -> bool:
        """Whether the user named the origin of `url`."""
        return parse_origin(url) in self.named

    def check_url(self, url: str) -> str:
        """
        `url`, if a secret may go there.

        Raises:
            RefusedRequest: Only the document names it.
        """
        if not url:
            why = "the document names no URL for this way to a token; name issuer, token_url,"
            more = " authorization_url or device_url (of OAuthClient), or take"
            raise RefusedRequest("the authorization server", f"{why}{more} another flow")
        origin = parse_origin(url)
        if origin not in self.named | self.delegated:
            why = "only the document asks for tokens there; name it yourself as token_url or issuer"
            raise RefusedRequest(str(origin), why)
        return url

    def check_browser_url(self, url: str) -> str:
        """
        `url`, if a browser may open it.

        Raises:
            RefusedRequest: It is of another scheme, or not over TLS.
        """
        origin = parse_origin(url)
        if not _is_secure(origin) and origin not in self.named:
            raise RefusedRequest(str(origin), "a person logs in over https only")
        return url


def _is_secure(origin: Origin) -> bool:
    return origin.scheme == "https" or origin.host in LOOPBACK_HOSTS


def discover_endpoints(
    client: OAuthClient, scheme: SecurityScheme, flow: FlowName, trust: TrustedOrigins
) -> Generator[Request, Any, ServerEndpoints]:
    """
    What the user says, else what the issuer publishes, else what the document says.

    Raises:
        NoToken: The metadata cannot be read.
        RefusedRequest: Only the document names the place where it is.
    """
    found = _endpoints_from_scheme(scheme, flow)
    if client.issuer is not None:
        found = yield from _discover_from_issuer(scheme, client.issuer, trust)
    elif scheme.open_id_connect_url and not client.token_url:
        url = trust.check_url(scheme.open_id_connect_url)
        found = yield from _request_metadata(scheme, url, None, trust)
    own = {
        "token": client.token_url,
        "authorization": client.authorization_url,
        "device": client.device_url,
    }
    return replace(found, **{name: url for name, url in own.items() if url})


def _endpoints_from_scheme(scheme: SecurityScheme, flow: FlowName) -> ServerEndpoints:
    named = [scheme.flows[name] for name in _DOCUMENT_FLOWS[flow] if name in scheme.flows]
    found = named[0] if named else OAuthFlow()
    return ServerEndpoints(
        token=found.token_url,
        authorization=found.authorization_url,
        device=found.device_authorization_url,
        refresh=found.refresh_url,
    )


def _discover_from_issuer(
    scheme: SecurityScheme, issuer: str, trust: TrustedOrigins
) -> Generator[Request, Any, ServerEndpoints]:
    try:
        url = well_known_url(issuer, "openid-configuration")
        return (yield from _request_metadata(scheme, url, issuer, trust))
    except NoToken as error:
        # A server that does not answer is not asked for another document.
        if error.error == "no_response":
            raise
        url = well_known_url(issuer, "oauth-authorization-server")
        return (yield from _request_metadata(scheme, url, issuer, trust))


def _request_metadata(
    scheme: SecurityScheme, url: str, issuer: str | None, trust: TrustedOrigins
) -> Generator[Request, Any, ServerEndpoints]:
    response: Response = yield Request(
        method="GET",
        url=url,
        headers=(("Accept", "application/json"),),
        is_named=trust.is_named(url),
    )
    metadata = _parse_metadata(scheme, url, response)
    expected = issuer or url.partition("/.well-known/")[0]
    # OpenID Connect Discovery, "Provider Configuration Validation": none speaks for another.
    if str(metadata.get("issuer", "")).rstrip("/") != expected.rstrip("/"):
        why = f"the metadata at {redact_url(url)} are of another issuer"
        raise NoToken(sanitize_server_text(scheme.name), "invalid_issuer", why)
    return ServerEndpoints(
        token=_metadata_text(metadata, "token_endpoint"),
        authorization=_metadata_text(metadata, "authorization_endpoint"),
        device=_metadata_text(metadata, "device_authorization_endpoint"),
        issuer=_metadata_text(metadata, "issuer"),
        method=_choose_auth_method(metadata),
    )


def _parse_metadata(scheme: SecurityScheme, url: str, response: Response) -> JsonObject:
    try:
        value = json.loads(response.body) if response.status == 200 else None
    except (ValueError, RecursionError):
        value = None
    if not is_object(value):
        why = f"there are no metadata at {redact_url(url)} (status {response.status})"
        raise NoToken(sanitize_server_text(scheme.name), "no_metadata", why)
    return value


def _metadata_text(metadata: JsonObject, name: str) -> str:
    value = metadata.get(name, "")
    return value if isinstance(value, str) else ""


def _choose_auth_method(metadata: JsonObject) -> str:
    offered = metadata.get("token_endpoint_auth_methods_supported")
    if not is_array(offered) or "client_secret_basic" in offered:
        return "basic"
    return "post" if "client_secret_post" in offered else "basic"
