"""`type: http, scheme: bearer`, `oauth2` and `openIdConnect`: tokens (RFC 6750), renewed once."""

from __future__ import annotations

from restwright.calls.auth.apply import add_secrets, check_token, set_authorization
from restwright.calls.auth.handler import (
    AuthFlow,
    AuthorizeStep,
    CredentialPlacement,
    DropTokensStep,
    SecuritySchemeHandler,
)
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.net.http.retry import is_repeatable
from restwright.net.messages import Request
from restwright.net.secret import MASK, Secret
from restwright.openapi.model import SecurityScheme

_UNAUTHORIZED = 401


def _apply_bearer(request: Request, placing: CredentialPlacement) -> Request:
    auth, token = placing.credential.auth, placing.resolve()
    if isinstance(auth, str | Secret):
        token = check_token(auth, token)
    return set_authorization(add_secrets(request, token), f"Bearer {token.reveal()}")


def is_token_missing(request: Request) -> bool:
    """Whether a token is missing from `request` that an authorization server must be asked for."""
    return ("Authorization", f"Bearer {MASK}") in request.headers


def _renew_refused_token(request: Request, placing: CredentialPlacement) -> AuthFlow:
    is_cached = not is_token_missing(request)
    if not is_cached:
        request = yield AuthorizeStep(request)
    response = yield request
    # A token that was issued a moment ago is not replaced: the next would be refused as well.
    is_refused = response.status == _UNAUTHORIZED and is_cached
    if not is_refused or not isinstance(placing.credential.auth, OAuthClient):
        return
    is_dropped = yield DropTokensStep(request)
    # RFC 9110, "401 Unauthorized": it was not applied. A gateway may pass on the 401 of what
    # stands behind it, though, when a part is done; so a write is repeated only where any
    # other retry would do so, too: by its method, or with an idempotency key.
    if is_dropped and is_repeatable(request):
        yield (yield AuthorizeStep(request))


BEARER = SecuritySchemeHandler(
    matches=lambda scheme: scheme.type == "http" and scheme.scheme == "bearer",
    accepts=lambda auth: isinstance(auth, str | Secret | OAuthClient),
    apply=_apply_bearer,
    auth_flow=_renew_refused_token,
    default_for=(str, Secret),
    default=SecurityScheme(name="bearer", type="http", scheme="bearer"),
)
OAUTH = SecuritySchemeHandler(
    matches=lambda scheme: scheme.type in {"oauth2", "openIdConnect"},
    accepts=BEARER.accepts,
    apply=_apply_bearer,
    auth_flow=_renew_refused_token,
    example="oauth:CLIENT_ID or env:TOKEN",
    default_for=(OAuthClient,),
    default=SecurityScheme(name="oauth", type="oauth2"),
)
