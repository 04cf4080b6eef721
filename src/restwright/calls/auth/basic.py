"""`type: http, scheme: basic`: a user and a password (RFC 7617)."""

from __future__ import annotations

from base64 import b64encode

from restwright.calls.auth.apply import add_secrets, set_authorization
from restwright.calls.auth.credentials import Basic
from restwright.calls.auth.handler import CredentialPlacement, SecuritySchemeHandler
from restwright.errors import MissingCredential
from restwright.net.messages import Request
from restwright.net.secret import Secret
from restwright.openapi.model import SecurityScheme


def _apply_basic(request: Request, placing: CredentialPlacement) -> Request:
    # RFC 7617, "The 'Basic' HTTP Authentication Scheme": the user has no colon.
    pair = placing.resolve()
    _, colon, password = pair.reveal().partition(":")
    if not colon:
        raise MissingCredential(
            placing.scheme.name[:60], "it must be USER:PASSWORD, or name a user"
        )
    blob = Secret(b64encode(pair.reveal().encode()).decode())
    hidden = add_secrets(request, Secret(password), pair, blob)
    return set_authorization(hidden, f"Basic {blob.reveal()}")


BASIC = SecuritySchemeHandler(
    matches=lambda scheme: scheme.type == "http" and scheme.scheme == "basic",
    accepts=lambda auth: isinstance(auth, str | Secret | Basic),
    apply=_apply_basic,
    example="USER:env:PASSWORD",
    default_for=(Basic,),
    default=SecurityScheme(name="basic", type="http", scheme="basic"),
)
