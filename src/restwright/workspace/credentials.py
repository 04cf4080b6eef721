"""From the values of --auth to credentials. None of them is a secret, and none is repeated."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from restwright.errors import UsageError

if TYPE_CHECKING:
    from restwright.calls.auth.credentials import Auth, Certificate
    from restwright.calls.auth.oauth.client import Login, OAuthClient

    MakeLogin = Callable[[], Login | None]

# A reference has a colon before any `=` that is in it; the name of a scheme has none.
_SCHEME = re.compile(r"([^=:]+)=(.+)", re.DOTALL)
_MEMBER = re.compile(r",(?=[a-z_]+=)")
_FORMS = (
    "--auth takes env:NAME, file:PATH, keyring:NAME, cmd:COMMAND, USER:env:NAME,"
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


def parse_auth(
    texts: Sequence[str], make_login: MakeLogin | None = None
) -> Auth | Mapping[str, Auth] | None:
    """
    The credentials of one document: one alone, or by scheme.

    Args:
        make_login: How a person logs in with OAuth, made when it is needed; None where nobody can.

    Raises:
        UsageError: One is written in no known form, or two are for one scheme.
    """
    found: dict[str, Auth] = {}
    for text in texts:
        match = _SCHEME.fullmatch(text)
        scheme, value = (match[1], match[2]) if match else ("", text)
        if scheme in found:
            where = f"for the scheme {scheme}" if scheme else "for one document"
            raise UsageError(f"--auth is given twice {where}")
        found[scheme] = _credential(value, make_login)
    return found[""] if [*found] == [""] else found or None


def _credential(text: str, make_login: MakeLogin | None) -> Auth:
    from restwright.calls.auth.credentials import NO_CREDENTIAL, Basic
    from restwright.net.secret_references import is_secret_reference

    kind, _, rest = text.partition(":")
    if kind == "oauth" and rest:
        return _oauth(rest, make_login)
    if kind == "cert" and rest:
        return _certificate(rest)
    if text == NO_CREDENTIAL or is_secret_reference(text):
        return text
    if kind and is_secret_reference(rest):
        return Basic(kind, rest)
    # The text is not repeated: it may be the secret itself.
    raise UsageError(_FORMS)


def _oauth(text: str, make_login: MakeLogin | None) -> OAuthClient:
    from restwright.calls.auth.oauth.client import OAuthClient

    client_id, members = _members(text, {*_TEXTS, "flow", "scope", "send", "audience", "resource"})
    # Whoever sits at the terminal is one user, whose login is kept from command to command.
    own: dict[str, Any] = {"user": "terminal"}
    own.update({_TEXTS[name]: each for name, each in members.items() if name in _TEXTS})
    if "flow" in members:
        own["flow"] = _one_of("flow", members["flow"], _FLOWS)
    if "scope" in members:
        own["scopes"] = tuple(re.split(r"[ +]", members["scope"]))
    if "send" in members:
        ways = {"basic": "basic", "post": "post"}
        own["authentication"] = _one_of("send", members["send"], ways)
    own["more"] = {name: members[name] for name in ("audience", "resource") if name in members}
    return OAuthClient(client_id=client_id, login=make_login() if make_login else None, **own)


def _certificate(text: str) -> Certificate:
    from restwright.calls.auth.credentials import Certificate

    path, members = _members(text, {"key", "password"})
    return Certificate(path, members.get("key"), members.get("password"))


def _members(text: str, known: set[str]) -> tuple[str, dict[str, str]]:
    """`first,key=value,...` in two."""
    from restwright.net.secret_references import is_secret_reference

    first, *rest = _MEMBER.split(text)
    members = dict(each.split("=", 1) for each in rest)
    for name, value in members.items():
        if name not in known:
            raise UsageError(f"--auth: {name} is none of {', '.join(sorted(known))}")
        if name in _REFERENCES and not is_secret_reference(value):
            raise UsageError(f"--auth: {name} is written as env:NAME, file:PATH or keyring:NAME")
    return first, members


def _one_of(name: str, value: str, known: Mapping[str, str]) -> str:
    if value not in known:
        raise UsageError(f"--auth: {name} is one of {', '.join(known)}")
    return known[value]
