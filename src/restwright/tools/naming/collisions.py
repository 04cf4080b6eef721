"""Several APIs get different namespaces; which one is named first decides nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urljoin

from restwright.errors import NameCollision
from restwright.openapi.model import API, Problem
from restwright.tools.naming.hosts import base_path_from_urls, host_from_urls, parse_host
from restwright.tools.naming.names import hash_digits
from restwright.tools.naming.namespace import (
    MAX_NAMESPACE_LENGTH,
    Namespace,
    NamespaceStyle,
    base_document_url,
    fit_namespace,
    main_server_url,
    namespace_from_api,
    title_words,
    to_slug,
)
from restwright.tools.naming.stable_names import PinnedNames, api_identity
from restwright.tools.text.words import fold_to_ascii

_OTHER = re.compile(r"[^a-z0-9]+")
_MAX_PART = 11
_HEX_LENGTHS = (6, 8, 10, 12, 14)

PartsFinder = Callable[[API, str], tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceAssignment:
    """
    The namespaces of several APIs.

    Args:
        apis: `{namespace: API}`, in the order in which they were given.
        namespaces: `{namespace: Namespace}`, each with its reason.
        problems: `{namespace: what had to be done for it}`.
    """

    apis: Mapping[str, API]
    namespaces: Mapping[str, Namespace]
    problems: Mapping[str, tuple[Problem, ...]] = field(
        default_factory=dict[str, tuple[Problem, ...]]
    )


@dataclass(frozen=True, slots=True)
class _Member:
    api: API
    namespace: Namespace
    # Its name was chosen by the user or by a lock: whoever wants the same gives way.
    is_kept: bool
    problems: tuple[Problem, ...] = ()

    @property
    def name(self) -> str:
        return self.namespace.name


def assign_namespaces(
    apis: Sequence[API],
    *,
    style: NamespaceStyle = "sound",
    fixed: Mapping[str, PinnedNames] | None = None,
) -> NamespaceAssignment:
    """
    Give every API a namespace of its own.

    Where several want one, all of them get what tells them apart added: the first of a label of
    their hosts, a segment of their base paths, a word of their titles, their versions, digits.
    The same document at the same server counts once, but under each alias that it was given.

    Args:
        fixed: `{identity: what it is called}`; these and aliases stay, and others give way.

    Raises:
        NameCollision: Two aliases or fixed namespaces are the same.
    """
    members = [_build_member(api, style, fixed or {}) for api in apis]
    if len(members) > 1:
        members = _drop_twins(members)
        _refuse_same([member for member in members if member.is_kept])
    if len(members) > 1 or fixed:
        members = _resolve_collisions(
            members, {pinned_names.namespace for pinned_names in (fixed or {}).values()}
        )
    return NamespaceAssignment(
        apis={member.name: member.api for member in members},
        namespaces={member.name: member.namespace for member in members},
        problems={member.name: member.problems for member in members if member.problems},
    )


def effective_server_url(api: API) -> str:
    """The URL of the server that speaks for a document, resolved where it is relative."""
    try:
        return urljoin(base_document_url(api), main_server_url(api))
    except ValueError:
        return main_server_url(api)


def _build_member(api: API, style: NamespaceStyle, fixed: Mapping[str, PinnedNames]) -> _Member:
    if fixed and (pinned := fixed.get(api_identity(api))):
        return _Member(api, Namespace(pinned.namespace, "the lock"), is_kept=True)
    is_aliased = bool(api.alias and to_slug(api.alias))
    return _Member(api, namespace_from_api(api, style=style), is_kept=is_aliased)


def _refuse_same(kept: Sequence[_Member]) -> None:
    by_name: dict[str, API] = {}
    for member in kept:
        if member.name in by_name:
            raise NameCollision(member.name, (by_name[member.name].source, member.api.source))
        by_name[member.name] = member.api


def _drop_twins(members: Sequence[_Member]) -> list[_Member]:
    """Leave out what is there already: the same bytes at the same server under the same name."""
    wanted = Counter(member.name for member in members)
    found: dict[tuple[str, str, str], list[_Member]] = {}
    for member in members:
        if wanted[member.name] > 1:
            key = (member.name, member.api.sha256, effective_server_url(member.api))
            found.setdefault(key, []).append(member)
    left: set[int] = set()
    told: dict[int, tuple[Problem, ...]] = {}
    for twins in found.values():
        first, *others = sorted(twins, key=lambda each: (not each.is_kept, each.api.source))
        dropped = [other for other in others if not other.is_kept]
        left |= set(map(id, dropped))
        told[id(first)] = tuple(map(_twin_problem, dropped))
    return [
        replace(item, problems=told.get(id(item), ())) for item in members if id(item) not in left
    ]


def _twin_problem(member: _Member) -> Problem:
    return Problem(
        "",
        f"the same document for the same server was given again, as {member.api.source}",
        "information",
        "its tools are there once",
    )


def _resolve_collisions(members: Sequence[_Member], reserved: Collection[str]) -> list[_Member]:
    """Qualify every member of every collision; `reserved` belongs to the kept ones alone."""
    wanted: dict[str, list[_Member]] = {}
    for member in members:
        wanted.setdefault(member.name, []).append(member)
    # No qualified name may be one that somebody wants, or another collision would begin.
    taken = {*wanted, *reserved}
    crowded = {name for name, several in wanted.items() if len(several) > 1 or name in reserved}
    renamed: dict[int, _Member] = {}
    for name in sorted(crowded):
        several = sorted(
            wanted[name], key=lambda each: (each.api.source, effective_server_url(each.api))
        )
        for old, new in _qualify_members(name, several, taken):
            renamed[id(old)] = new
            taken.add(new.name)
    return [renamed.get(id(item), item) for item in members]


def _qualify_members(
    name: str, members: Sequence[_Member], taken: set[str]
) -> Iterator[tuple[_Member, _Member]]:
    """All members of one collision that give way, each with what it is called instead."""
    tried = _candidate_names(name, members)
    uses = Counter(
        candidate
        for member, candidates in zip(members, tried, strict=True)
        for candidate in candidates
        if not member.is_kept
    )
    without: list[_Member] = []
    for member, candidates in zip(members, tried, strict=True):
        free = (
            candidate for candidate in candidates if uses[candidate] == 1 and candidate not in taken
        )
        if member.is_kept:
            continue
        if new := next(free, None):
            yield member, _rename_member(member, new, candidates[new], members)
        else:
            without.append(member)
    given = {*taken, *uses}
    for member, new in zip(without, _number_names(without, name, given), strict=True):
        yield member, _rename_member(member, new, "digits of what it is", members)


def _candidate_names(name: str, members: Sequence[_Member]) -> list[dict[str, str]]:
    """`{what it may be called: the kind of part that is from}` of each member, best first."""
    found: list[dict[str, str]] = [{} for _ in members]
    for kind, parts_of, form in _KINDS:
        parts = [parts_of(member.api, name) for member in members]
        uses = Counter(part for item in parts for part in set(item))
        for candidates, own in zip(found, parts, strict=True):
            for part in sorted((text for text in own if uses[text] == 1), key=len):
                candidates.setdefault(_format_name(form, name, part), kind)
    return found


def _format_name(form: str, name: str, part: str) -> str:
    part = fit_namespace(part, _MAX_PART)
    return form.format(name=fit_namespace(name, MAX_NAMESPACE_LENGTH - len(part) - 1), part=part)


def _number_names(members: Sequence[_Member], name: str, taken: Collection[str]) -> list[str]:
    """The name with digits of what each API is: the fewest and the least that tell them apart."""
    servers = [f"{effective_server_url(member.api)}\n{member.api.title}" for member in members]
    files = [
        f"{server}\n{each.api.source.replace(chr(92), '/').rpartition('/')[2]}"
        for server, each in zip(servers, members, strict=True)
    ]
    whole = [f"{each.api.sha256}\n{server}" for server, each in zip(servers, members, strict=True)]
    tries = (
        [
            f"{fit_namespace(name, MAX_NAMESPACE_LENGTH - length - 1)}_{hash_digits(text, length)}"
            for text in texts
        ]
        for length in _HEX_LENGTHS
        for texts in (servers, files, whole)
    )
    return next(names for names in tries if _are_free(names, taken))


def _are_free(names: Sequence[str], taken: Collection[str]) -> bool:
    return len(set(names)) == len(names) and not any(name in taken for name in names)


def _rename_member(member: _Member, name: str, kind: str, members: Sequence[_Member]) -> _Member:
    others = [item.api.source for item in members if item is not member]
    whose = (*others, "one that the lock names")[0]
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    problem = Problem(
        "/info",
        f"its namespace {member.name!r} is also that of {whose}{more}",
        action=f"named {name!r} after {kind}; an alias would choose a name",
    )
    reason = f"{member.namespace.reason}; told apart from others by {kind}"
    return replace(member, namespace=Namespace(name, reason), problems=(*member.problems, problem))


def _host_parts(api: API, name: str) -> tuple[str, ...]:
    host = host_from_urls(main_server_url(api), base_document_url(api))
    return _clean_parts(parse_host(host).subdomains if host else (), name)


def _path_parts(api: API, name: str) -> tuple[str, ...]:
    return _clean_parts(
        base_path_from_urls(main_server_url(api), base_document_url(api)).split("/"), name
    )


def _title_parts(api: API, name: str) -> tuple[str, ...]:
    return _clean_parts(title_words(api.title), name)


def _version_parts(api: API, name: str) -> tuple[str, ...]:
    text = api.version.strip()
    return _clean_parts((f"v{text}" if text[:1].isdecimal() else text,), name)


def _clean_parts(texts: Sequence[str], name: str) -> tuple[str, ...]:
    """The parts as they may stand in a namespace; what its name says already is none."""
    words = [_OTHER.sub("_", fold_to_ascii(text).lower()).strip("_") for text in texts]
    said = name.split("_")
    return tuple(word for word in words if word and word not in said and not word[0].isdecimal())


_KINDS: tuple[tuple[str, PartsFinder, str], ...] = (
    ("a label of its host", _host_parts, "{part}_{name}"),
    ("a segment of its base path", _path_parts, "{name}_{part}"),
    ("a word of its title", _title_parts, "{name}_{part}"),
    ("its version", _version_parts, "{name}_{part}"),
)
