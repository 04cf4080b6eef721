"""`type: mutualTLS`: a certificate, which takes part in TLS and not in HTTP."""

from __future__ import annotations

from dataclasses import replace

from restwright.calls.auth.credentials import Certificate
from restwright.calls.auth.handler import CredentialPlacement, SecuritySchemeHandler
from restwright.net.messages import ClientCertificate, Request
from restwright.openapi.model import SecurityScheme


def _apply_certificate(request: Request, placing: CredentialPlacement) -> Request:
    """Handed to the transport as a value: it takes part in TLS, not in HTTP."""
    auth = placing.credential.auth
    if not isinstance(auth, Certificate):
        return request
    password = placing.resolve_reference(auth.password) if auth.password else None
    shown = ClientCertificate(path=auth.path, key_path=auth.key_path, password=password)
    return replace(request, client_certificate=shown)


MUTUAL_TLS = SecuritySchemeHandler(
    matches=lambda scheme: scheme.type == "mutualTLS",
    accepts=lambda auth: isinstance(auth, Certificate),
    apply=_apply_certificate,
    place=lambda scheme: ("tls", ""),
    example="cert:PATH",
    default_for=(Certificate,),
    default=SecurityScheme(name="certificate", type="mutualTLS"),
)
