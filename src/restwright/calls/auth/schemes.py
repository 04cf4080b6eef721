"""The kinds of security schemes that are spoken here: one line and one module each."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, TypeAlias

from restwright.calls.auth.api_key import API_KEY
from restwright.calls.auth.basic import BASIC
from restwright.calls.auth.bearer import BEARER, OAUTH
from restwright.calls.auth.credentials import Auth
from restwright.calls.auth.digest import DIGEST
from restwright.calls.auth.handler import (
    AuthorizeStep,
    CredentialPlacement,
    DropTokensStep,
    SecuritySchemeHandler,
    authorization_place,
)
from restwright.calls.auth.mutual_tls import MUTUAL_TLS
from restwright.net.messages import Request, Response
from restwright.openapi.model import SecurityScheme
from restwright.stepping import map_steps

_AuthStep: TypeAlias = Request | AuthorizeStep | DropTokensStep
_HANDLERS: tuple[SecuritySchemeHandler, ...] = (
    API_KEY,
    BASIC,
    BEARER,
    DIGEST,
    MUTUAL_TLS,
    OAUTH,
)


def find_handler(scheme: SecurityScheme) -> SecuritySchemeHandler | None:
    """What handles `scheme`; None where it is not spoken here, as a signature is not."""
    return next((handler for handler in _HANDLERS if handler.matches(scheme)), None)


def scheme_placement(scheme: SecurityScheme) -> tuple[str, str]:
    """`(location, name)` of what a scheme adds to a request; names of headers in lower case."""
    handler = find_handler(scheme)
    return handler.place(scheme) if handler else authorization_place(scheme)


def default_scheme(auth: Auth) -> SecurityScheme:
    """
    Return what a credential is used as where the document has no scheme for it.

    Raises:
        TypeError: It is no credential.
    """
    for handler in _HANDLERS:
        if handler.default is not None and isinstance(auth, handler.default_for):
            return handler.default
    raise TypeError(f"no scheme takes {type(auth).__name__} where the document has none")


def apply_credential(request: Request, placing: CredentialPlacement) -> Request:
    """Return `request` with one credential where its scheme says."""
    handler = find_handler(placing.scheme)
    return handler.apply(request, placing) if handler else request


def run_auth_flows(
    request: Request, placings: Sequence[CredentialPlacement]
) -> Generator[_AuthStep, Any, Response]:
    """
    Yield what the flows of several credentials send: each flow around those behind it.

    Args:
        request: With its credentials, as it was approved.

    Returns:
        The last response.
    """
    if not placings:
        return (yield request)
    handler = find_handler(placings[0].scheme)
    if handler is None:
        return (yield from run_auth_flows(request, placings[1:]))
    response: Response | None = None

    def perform(step: _AuthStep) -> Generator[_AuthStep, Any, Any]:
        nonlocal response
        if not isinstance(step, Request):
            return (yield step)
        response = yield from run_auth_flows(step, placings[1:])
        return response

    yield from map_steps(handler.auth_flow(request, placings[0]), perform)
    if response is None:
        raise TypeError(f"the flow of {placings[0].scheme.type} sent nothing")
    return response
