"""Which alternative of an operation a connection can satisfy, and with which credentials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NoReturn

from restwright.calls.auth.credentials import NONE, Auth, Basic, Certificate
from restwright.calls.auth.oauth.client import OAuthClient
from restwright.errors import MissingCredential
from restwright.net.secret import Secret
from restwright.openapi.model import SecurityScheme
from restwright.tools.tool import Tool

ANY = ""
"""The key of a credential that is for whichever scheme it fits."""

_TOKENS = frozenset({"oauth2", "openIdConnect"})
_HTTP = frozenset({"basic", "bearer"})
_TYPES = _TOKENS | {"apiKey", "http", "mutualTLS"}
_SHOWN = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One credential, and the scheme that says where it goes."""

    scheme: SecurityScheme
    auth: Auth
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Need:
    scheme: SecurityScheme
    scopes: tuple[str, ...] = ()


def uses_of(
    tool: Tool | None, auths: Mapping[str, Auth], static: frozenset[str]
) -> tuple[Use, ...]:
    """
    The credentials of the first alternative that can be satisfied; one that needs none comes last.

    Args:
        auths: `{scheme: credential}`, under `ANY` one for whichever scheme it fits.
        static: Names (lower case) of the headers that are sent anyway.

    Raises:
        MissingCredential: No alternative can be satisfied.
    """
    if auths.get(ANY) == NONE:
        return ()
    if tool is None or tool.security is None:
        return _unsaid(tool, auths)
    alternatives = [_needs(tool, each) for each in tool.security]
    for needs in sorted(alternatives, key=lambda each: not each):
        found = _satisfied(needs, auths, static)
        if found is not None:
            return found
    return _missing(tool, alternatives, auths) if alternatives else ()


def _unsaid(tool: Tool | None, auths: Mapping[str, Auth]) -> tuple[Use, ...]:
    """The document requires nothing and does not say so: what is there is sent, as it fits."""
    for scheme in () if tool is None else tool.security_schemes.values():
        found = _satisfied([_Need(scheme)], auths, frozenset())
        if found:
            return found
    auth = auths.get(ANY)
    return () if auth is None else (Use(scheme=_own_scheme(auth), auth=auth),)


def _needs(tool: Tool, alternative: Mapping[str, tuple[str, ...]]) -> list[_Need]:
    # A scheme that the document does not define can be met by nobody, so it is not waited for.
    return [
        _Need(tool.security_schemes[name], scopes)
        for name, scopes in alternative.items()
        if name in tool.security_schemes
    ]


def _satisfied(
    needs: list[_Need], auths: Mapping[str, Auth], static: frozenset[str]
) -> tuple[Use, ...] | None:
    """The credentials for `needs`; None where one is missing or two would go to one place."""
    found: dict[tuple[str, str], Use] = {}
    spare = auths.get(ANY)
    for need in needs:
        place = place_of_scheme(need.scheme)
        auth = auths.get(need.scheme.name)
        if auth is None and place[0] == "header" and place[1] in static:
            continue
        if auth is None:
            auth, spare = spare, None
        if auth is None or not _fits(need.scheme, auth) or place in found:
            return None
        found[place] = Use(scheme=need.scheme, auth=auth, scopes=need.scopes)
    return tuple(found.values())


def place_of_scheme(scheme: SecurityScheme) -> tuple[str, str]:
    """`(location, name)` of what a scheme adds to a request; names of headers in lower case."""
    if scheme.type == "apiKey":
        is_header = scheme.location == "header"
        return scheme.location, scheme.parameter.lower() if is_header else scheme.parameter
    return ("tls", "") if scheme.type == "mutualTLS" else ("header", "authorization")


def _fits(scheme: SecurityScheme, auth: Auth) -> bool:
    if not _is_spoken(scheme):
        return False
    if isinstance(auth, OAuthClient):
        return scheme.type in _TOKENS or scheme.scheme == "bearer"
    if isinstance(auth, Certificate):
        return scheme.type == "mutualTLS"
    if isinstance(auth, Basic):
        return scheme.scheme == "basic"
    return scheme.type != "mutualTLS"


def _is_spoken(scheme: SecurityScheme) -> bool:
    """Whether a credential can be put where the scheme says: not by a digest, or a signature."""
    return scheme.type in _TYPES and (scheme.type != "http" or scheme.scheme in _HTTP)


def _own_scheme(auth: Auth) -> SecurityScheme:
    """What a credential is used as where the document has no scheme for it."""
    match auth:
        case Basic():
            return SecurityScheme(name="basic", type="http", scheme="basic")
        case Certificate():
            return SecurityScheme(name="certificate", type="mutualTLS")
        case OAuthClient():
            return SecurityScheme(name="oauth", type="oauth2")
        case str() | Secret():
            return SecurityScheme(name="bearer", type="http", scheme="bearer")


def _missing(tool: Tool, alternatives: list[list[_Need]], auths: Mapping[str, Auth]) -> NoReturn:
    """Say for each alternative which scheme it is, and where to set its credential."""
    named = [" and ".join(_shown(need.scheme.name) for need in each) for each in alternatives]
    options = [" and ".join(_option(tool, need.scheme) for need in each) for each in alternatives]
    where = [" and ".join(_where(need.scheme) for need in each) for each in alternatives]
    unknown = [_shown(name) for name in auths if name and name not in tool.security_schemes]
    mistaken = f"the document has no scheme {' or '.join(unknown)}: " if unknown else ""
    raise MissingCredential(
        " or ".join(dict.fromkeys(named)),
        f"{mistaken}set in a Connection {', or '.join(dict.fromkeys(where))};"
        ' auth="none" calls without',
        f"{mistaken}set {', or '.join(dict.fromkeys(options))};"
        f" --auth {tool.namespace}=none calls without",
    )


def _where(scheme: SecurityScheme) -> str:
    """Where a credential is set in Python."""
    name = _shown(scheme.name)
    if _is_spoken(scheme):
        return f"auth={{{name!r}: ...}} ({', '.join(_kinds(scheme))})"
    header = place_of_scheme(scheme)[1]
    why = f"as {name} is {next(_kinds(scheme))}, which is not spoken here"
    return f"headers={{{header!r}: ...}}, {why}"


def _option(tool: Tool, scheme: SecurityScheme) -> str:
    name = _shown(scheme.name)
    if not _is_spoken(scheme):
        header = place_of_scheme(scheme)[1]
        return (
            f"--header {tool.namespace}='{header}: env:NAME', as {name} is"
            f" {next(_kinds(scheme))}, which is not spoken here"
        )
    return f"--auth {tool.namespace}={name}={_example(scheme)} ({', '.join(_kinds(scheme))})"


def _kinds(scheme: SecurityScheme) -> Iterator[str]:
    location, name = place_of_scheme(scheme)
    yield " ".join(filter(None, (_shown(scheme.type), _shown(scheme.scheme))))
    if location != "tls":
        yield f"{location} {_shown(name)}"


def _example(scheme: SecurityScheme) -> str:
    if scheme.type == "mutualTLS":
        return "cert:PATH"
    if scheme.type in _TOKENS:
        return "oauth:CLIENT_ID or env:TOKEN"
    return "USER:env:PASSWORD" if scheme.scheme == "basic" else "env:NAME"


def _shown(text: str) -> str:
    """Text of a document on one line and short."""
    return "".join(each if each.isprintable() else "?" for each in text)[:_SHOWN]
