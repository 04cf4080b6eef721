"""Credentials as text, for a command line or a file: references, and never a secret."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from restwright.calls.auth.credentials import NO_CREDENTIAL, Auth, Basic, Certificate
from restwright.calls.auth.oauth.client import Login, OAuthClient
from restwright.net.secret_references import is_secret_reference

_MEMBER = re.compile(r",(?=[a-z_]+=)")
_FORMS = (
    "takes env:NAME, file:PATH, keyring:NAME, cmd:COMMAND, USER:env:NAME,"
    " oauth:CLIENT_ID[,KEY=VALUE...], cert:PATH[,key=PATH][,password=REF] or none"
)
_TEXTS = {
    "secret": "client_secret",
    "refresh": "refresh_token",
    "issuer": "issuer",
    "token_url": "token_url",
    "authorization_url": "authorization_url",
    "device_url": "device_url",
    "user": "user",
}
_FLOWS = {
    "client": "client_credentials",
    "code": "authorization_code",
    "device": "device",
    "refresh": "refresh",
}
_REFERENCES = frozenset({"secret", "refresh", "password"})


def credential_from_text(
    text: str, *, what: str = "a credential", user: str = "", login: Login | None = None
) -> Auth:
    """
    Return the credential that `text` stands for.

    Args:
        text: `env:NAME` or another reference, `USER:REFERENCE`, `oauth:CLIENT_ID[,KEY=VALUE...]`,
            `cert:PATH[,key=PATH][,password=REFERENCE]` or `none`.
        what: It is, for the error.
        user: Whose tokens an authorization server gives, where the text does not say it.
        login: How that person takes part; None where nobody can.

    Raises:
        ValueError: It is written in no known form. The text is not repeated: it may be the secret
            itself.
    """
    kind, _, rest = text.partition(":")
    try:
        if kind == "oauth" and rest:
            return _parse_oauth(rest, user, login)
        if kind == "cert" and rest:
            return _parse_certificate(rest)
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None
    if text == NO_CREDENTIAL or is_secret_reference(text):
        return text
    if kind and is_secret_reference(rest):
        return Basic(kind, rest)
    raise ValueError(f"{what} {_FORMS}")


def _parse_oauth(text: str, user: str, login: Login | None) -> OAuthClient:
    known = {*_TEXTS, "flow", "scope", "send", "audience", "resource"}
    client_id, members = _split_members(text, known)
    options: dict[str, Any] = {"user": user}
    options.update({_TEXTS[name]: value for name, value in members.items() if name in _TEXTS})
    if "flow" in members:
        options["flow"] = _one_of("flow", members["flow"], _FLOWS)
    if "scope" in members:
        options["scopes"] = tuple(re.split(r"[ +]", members["scope"]))
    if "send" in members:
        ways = {"basic": "basic", "post": "post"}
        options["authentication"] = _one_of("send", members["send"], ways)
    options["more"] = {name: members[name] for name in ("audience", "resource") if name in members}
    return OAuthClient(client_id=client_id, login=login, **options)


def _parse_certificate(text: str) -> Certificate:
    path, members = _split_members(text, {"key", "password"})
    return Certificate(path, members.get("key"), members.get("password"))


def _split_members(text: str, known: set[str]) -> tuple[str, dict[str, str]]:
    """`first,key=value,...` in two."""
    first, *rest = _MEMBER.split(text)
    members = dict(member.split("=", 1) for member in rest)
    for name, value in members.items():
        if name not in known:
            raise ValueError(f"{name} is none of {', '.join(sorted(known))}")
        if name in _REFERENCES and not is_secret_reference(value):
            raise ValueError(f"{name} is written as env:NAME, file:PATH or keyring:NAME")
    return first, members


def _one_of(name: str, value: str, known: Mapping[str, str]) -> str:
    if value not in known:
        raise ValueError(f"{name} is one of {', '.join(known)}")
    return known[value]
