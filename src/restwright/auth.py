"""
How an API is reached, and with which credentials.

`Connection(auth=...)` takes a reference such as `env:NAME`, or one of these kinds of credentials.
"""

from __future__ import annotations

from restwright.calls.auth.connection import Connection
from restwright.calls.auth.credentials import NO_CREDENTIAL, Auth, Basic, Certificate
from restwright.calls.auth.oauth.client import Login, OAuthClient
from restwright.net.secret import Secret
from restwright.net.secret_references import resolve_secret

__all__ = [
    "NO_CREDENTIAL",
    "Auth",
    "Basic",
    "Certificate",
    "Connection",
    "Login",
    "OAuthClient",
    "Secret",
    "resolve_secret",
]
