"""Several APIs get different namespaces; which one is named first decides nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urljoin

from restwright.errors import NameCollision
from restwright.openapi.model import API, Problem
from restwright.tools.naming.hosts import base_path_of, host_of, told_by
from restwright.tools.naming.names import digits
from restwright.tools.naming.namespace import (
    MAX_LENGTH,
    Namespace,
    Style,
    document_url_of,
    fitted,
    namespace_of,
    server_url_of,
    slug,
    title_words,
)
from restwright.tools.naming.stable_names import Pinned, identity_of
from restwright.tools.text.words import folded

_OTHER = re.compile(r"[^a-z0-9]+")
_MAX_PART = 11
_HEX_LENGTHS = (6, 8, 10, 12, 14)

Parts = Callable[[API, str], tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
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


def assigned(
    apis: Sequence[API], *, style: Style = "sound", fixed: Mapping[str, Pinned] | None = None
) -> Assigned:
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
    members = [_member(each, style, fixed or {}) for each in apis]
    if len(members) > 1:
        members = _without_twins(members)
        _refuse_same([each for each in members if each.is_kept])
    if len(members) > 1 or fixed:
        members = _apart(members, {each.namespace for each in (fixed or {}).values()})
    return Assigned(
        apis={each.name: each.api for each in members},
        namespaces={each.name: each.namespace for each in members},
        problems={each.name: each.problems for each in members if each.problems},
    )


def effective_server(api: API) -> str:
    """The URL of the server that speaks for a document, resolved where it is relative."""
    try:
        return urljoin(document_url_of(api), server_url_of(api))
    except ValueError:
        return server_url_of(api)


def _member(api: API, style: Style, fixed: Mapping[str, Pinned]) -> _Member:
    if fixed and (pinned := fixed.get(identity_of(api))):
        return _Member(api, Namespace(pinned.namespace, "the lock"), is_kept=True)
    is_aliased = bool(api.alias and slug(api.alias))
    return _Member(api, namespace_of(api, style=style), is_kept=is_aliased)


def _refuse_same(kept: Sequence[_Member]) -> None:
    by_name: dict[str, API] = {}
    for each in kept:
        if each.name in by_name:
            raise NameCollision(each.name, (by_name[each.name].source, each.api.source))
        by_name[each.name] = each.api


def _without_twins(members: Sequence[_Member]) -> list[_Member]:
    """Leave out what is there already: the same bytes at the same server under the same name."""
    wanted = Counter(each.name for each in members)
    found: dict[tuple[str, str, str], list[_Member]] = {}
    for each in members:
        if wanted[each.name] > 1:
            key = (each.name, each.api.sha256, effective_server(each.api))
            found.setdefault(key, []).append(each)
    left: set[int] = set()
    told: dict[int, tuple[Problem, ...]] = {}
    for twins in found.values():
        first, *others = sorted(twins, key=lambda each: (not each.is_kept, each.api.source))
        dropped = [each for each in others if not each.is_kept]
        left |= set(map(id, dropped))
        told[id(first)] = tuple(map(_is_twin, dropped))
    return [
        replace(each, problems=told.get(id(each), ())) for each in members if id(each) not in left
    ]


def _is_twin(member: _Member) -> Problem:
    return Problem(
        "",
        f"the same document for the same server was given again, as {member.api.source}",
        "information",
        "its tools are there once",
    )


def _apart(members: Sequence[_Member], reserved: Collection[str]) -> list[_Member]:
    """Qualify every member of every collision; `reserved` belongs to the kept ones alone."""
    wanted: dict[str, list[_Member]] = {}
    for each in members:
        wanted.setdefault(each.name, []).append(each)
    # No qualified name may be one that somebody wants, or another collision would begin.
    taken = {*wanted, *reserved}
    crowded = {name for name, several in wanted.items() if len(several) > 1 or name in reserved}
    renamed: dict[int, _Member] = {}
    for name in sorted(crowded):
        several = sorted(
            wanted[name], key=lambda each: (each.api.source, effective_server(each.api))
        )
        for old, new in _qualified(name, several, taken):
            renamed[id(old)] = new
            taken.add(new.name)
    return [renamed.get(id(each), each) for each in members]


def _qualified(
    name: str, several: Sequence[_Member], taken: set[str]
) -> Iterator[tuple[_Member, _Member]]:
    """All members of one collision that give way, each with what it is called instead."""
    tried = _candidates(name, several)
    uses = Counter(
        each
        for member, candidates in zip(several, tried, strict=True)
        for each in candidates
        if not member.is_kept
    )
    without: list[_Member] = []
    for member, candidates in zip(several, tried, strict=True):
        free = (each for each in candidates if uses[each] == 1 and each not in taken)
        if member.is_kept:
            continue
        if new := next(free, None):
            yield member, _renamed(member, new, candidates[new], several)
        else:
            without.append(member)
    given = {*taken, *uses}
    for member, new in zip(without, _numbered(without, name, given), strict=True):
        yield member, _renamed(member, new, "digits of what it is", several)


def _candidates(name: str, several: Sequence[_Member]) -> list[dict[str, str]]:
    """`{what it may be called: the kind of part that is from}` of each member, best first."""
    found: list[dict[str, str]] = [{} for _ in several]
    for kind, parts_of, form in _KINDS:
        parts = [parts_of(each.api, name) for each in several]
        uses = Counter(part for each in parts for part in set(each))
        for candidates, own in zip(found, parts, strict=True):
            for part in sorted((each for each in own if uses[each] == 1), key=len):
                candidates.setdefault(_formed(form, name, part), kind)
    return found


def _formed(form: str, name: str, part: str) -> str:
    part = fitted(part, _MAX_PART)
    return form.format(name=fitted(name, MAX_LENGTH - len(part) - 1), part=part)


def _numbered(members: Sequence[_Member], name: str, taken: Collection[str]) -> list[str]:
    """The name with digits of what each API is: the fewest and the least that tell them apart."""
    servers = [f"{effective_server(each.api)}\n{each.api.title}" for each in members]
    files = [
        f"{server}\n{each.api.source.replace(chr(92), '/').rpartition('/')[2]}"
        for server, each in zip(servers, members, strict=True)
    ]
    whole = [f"{each.api.sha256}\n{server}" for server, each in zip(servers, members, strict=True)]
    tries = (
        [f"{fitted(name, MAX_LENGTH - length - 1)}_{digits(text, length)}" for text in texts]
        for length in _HEX_LENGTHS
        for texts in (servers, files, whole)
    )
    return next(names for names in tries if _are_free(names, taken))


def _are_free(names: Sequence[str], taken: Collection[str]) -> bool:
    return len(set(names)) == len(names) and not any(each in taken for each in names)


def _renamed(member: _Member, name: str, kind: str, several: Sequence[_Member]) -> _Member:
    others = [each.api.source for each in several if each is not member]
    whose = (*others, "one that the lock names")[0]
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    problem = Problem(
        "/info",
        f"its namespace {member.name!r} is also that of {whose}{more}",
        action=f"named {name!r} after {kind}; an alias would choose a name",
    )
    reason = f"{member.namespace.reason}; told apart from others by {kind}"
    return replace(member, namespace=Namespace(name, reason), problems=(*member.problems, problem))


def _subdomains(api: API, name: str) -> tuple[str, ...]:
    host = host_of(server_url_of(api), document_url_of(api))
    return _cleaned(told_by(host).left if host else (), name)


def _segments(api: API, name: str) -> tuple[str, ...]:
    return _cleaned(base_path_of(server_url_of(api), document_url_of(api)).split("/"), name)


def _title(api: API, name: str) -> tuple[str, ...]:
    return _cleaned(title_words(api.title), name)


def _version(api: API, name: str) -> tuple[str, ...]:
    text = api.version.strip()
    return _cleaned((f"v{text}" if text[:1].isdecimal() else text,), name)


def _cleaned(texts: Sequence[str], name: str) -> tuple[str, ...]:
    """The parts as they may stand in a namespace; what its name says already is none."""
    words = [_OTHER.sub("_", folded(each).lower()).strip("_") for each in texts]
    said = name.split("_")
    return tuple(each for each in words if each and each not in said and not each[0].isdecimal())


_KINDS: tuple[tuple[str, Parts, str], ...] = (
    ("a label of its host", _subdomains, "{part}_{name}"),
    ("a segment of its base path", _segments, "{name}_{part}"),
    ("a word of its title", _title, "{name}_{part}"),
    ("its version", _version, "{name}_{part}"),
)
