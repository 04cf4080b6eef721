"""Which alternative of an operation a connection can satisfy, and with which credentials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NoReturn

from restwright.calls.auth.credentials import NO_CREDENTIAL, Auth
from restwright.calls.auth.handler import AppliedCredential
from restwright.calls.auth.schemes import default_scheme, find_handler, scheme_placement
from restwright.errors import MissingCredential
from restwright.openapi.model import SecurityScheme
from restwright.tools.tool import Tool

ANY_SCHEME = ""
"""The key of a credential that is for whichever scheme it fits."""

_MAX_SHOWN_CHARS = 60


@dataclass(frozen=True, slots=True)
class _Requirement:
    scheme: SecurityScheme
    scopes: tuple[str, ...] = ()


def select_credentials(
    tool: Tool | None, auths: Mapping[str, Auth], static: frozenset[str]
) -> tuple[AppliedCredential, ...]:
    """
    The credentials of the first alternative that can be satisfied; one that needs none comes last.

    Args:
        auths: `{scheme: credential}`, under `ANY_SCHEME` one for whichever scheme it fits.
        static: Names (lower case) of the headers that are sent anyway.

    Raises:
        MissingCredential: No alternative can be satisfied.
    """
    if auths.get(ANY_SCHEME) == NO_CREDENTIAL:
        return ()
    if tool is None or tool.security is None:
        return _select_available(tool, auths)
    alternatives = [_list_requirements(tool, mapping) for mapping in tool.security]
    for needs in sorted(alternatives, key=lambda each: not each):
        found = _satisfy_requirements(needs, auths, static)
        if found is not None:
            return found
    return _raise_missing(tool, alternatives, auths) if alternatives else ()


def _select_available(
    tool: Tool | None, auths: Mapping[str, Auth]
) -> tuple[AppliedCredential, ...]:
    """The document requires nothing and does not say so: what is there is sent, as it fits."""
    for scheme in () if tool is None else tool.security_schemes.values():
        found = _satisfy_requirements([_Requirement(scheme)], auths, frozenset())
        if found:
            return found
    auth = auths.get(ANY_SCHEME)
    return () if auth is None else (AppliedCredential(scheme=default_scheme(auth), auth=auth),)


def _list_requirements(
    tool: Tool, alternative: Mapping[str, tuple[str, ...]]
) -> list[_Requirement]:
    # A scheme that the document does not define can be met by nobody, so it is not waited for.
    return [
        _Requirement(tool.security_schemes[name], scopes)
        for name, scopes in alternative.items()
        if name in tool.security_schemes
    ]


def _satisfy_requirements(
    needs: list[_Requirement], auths: Mapping[str, Auth], static: frozenset[str]
) -> tuple[AppliedCredential, ...] | None:
    """The credentials for `needs`; None where one is missing or two would go to one place."""
    found: dict[tuple[str, str], AppliedCredential] = {}
    spare = auths.get(ANY_SCHEME)
    for need in needs:
        place = scheme_placement(need.scheme)
        auth = auths.get(need.scheme.name)
        if auth is None and place[0] == "header" and place[1] in static:
            continue
        if auth is None:
            auth, spare = spare, None
        if auth is None or not _fits_scheme(need.scheme, auth) or place in found:
            return None
        found[place] = AppliedCredential(scheme=need.scheme, auth=auth, scopes=need.scopes)
    return tuple(found.values())


def _fits_scheme(scheme: SecurityScheme, auth: Auth) -> bool:
    handler = find_handler(scheme)
    return handler is not None and handler.accepts(auth)


def _raise_missing(
    tool: Tool, alternatives: list[list[_Requirement]], auths: Mapping[str, Auth]
) -> NoReturn:
    """Say for each alternative which scheme it is, and where to set its credential."""
    named = [
        " and ".join(_printable_text(need.scheme.name) for need in alternative)
        for alternative in alternatives
    ]
    options = [
        " and ".join(_suggest_option(tool, need.scheme) for need in alternative)
        for alternative in alternatives
    ]
    where = [
        " and ".join(_suggest_setting(need.scheme) for need in alternative)
        for alternative in alternatives
    ]
    unknown = [
        _printable_text(name) for name in auths if name and name not in tool.security_schemes
    ]
    mistaken = f"the document has no scheme {' or '.join(unknown)}: " if unknown else ""
    raise MissingCredential(
        " or ".join(dict.fromkeys(named)),
        f"{mistaken}set in a Connection {', or '.join(dict.fromkeys(where))};"
        ' auth="none" calls without',
        f"{mistaken}set {', or '.join(dict.fromkeys(options))};"
        f" --auth {tool.namespace}=none calls without",
    )


def _suggest_setting(scheme: SecurityScheme) -> str:
    """Where a credential is set in Python."""
    name = _printable_text(scheme.name)
    if find_handler(scheme) is not None:
        return f"auth={{{name!r}: ...}} ({', '.join(_scheme_traits(scheme))})"
    header = scheme_placement(scheme)[1]
    why = f"as {name} is {next(_scheme_traits(scheme))}, which is not spoken here"
    return f"headers={{{header!r}: ...}}, {why}"


def _suggest_option(tool: Tool, scheme: SecurityScheme) -> str:
    name = _printable_text(scheme.name)
    handler = find_handler(scheme)
    if handler is None:
        header = scheme_placement(scheme)[1]
        return (
            f"--header {tool.namespace}='{header}: env:NAME', as {name} is"
            f" {next(_scheme_traits(scheme))}, which is not spoken here"
        )
    traits = ", ".join(_scheme_traits(scheme))
    return f"--auth {tool.namespace}={name}={handler.example} ({traits})"


def _scheme_traits(scheme: SecurityScheme) -> Iterator[str]:
    location, name = scheme_placement(scheme)
    yield " ".join(filter(None, (_printable_text(scheme.type), _printable_text(scheme.scheme))))
    if location != "tls":
        yield f"{location} {_printable_text(name)}"


def _printable_text(text: str) -> str:
    """Text of a document on one line and short."""
    return "".join(character if character.isprintable() else "?" for character in text)[
        :_MAX_SHOWN_CHARS
    ]
