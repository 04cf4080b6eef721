"""What a model is offered of a catalog: all of it where that is little, else what is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Literal

from restwright.errors import OverLimit
from restwright.jsontypes import JsonObject
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.dialects import Dialect
from restwright.tools.naming.names import SEPARATOR
from restwright.tools.text.json_bytes import written
from restwright.tools.toolset.budget import (
    Sized,
    characters_of,
    fitting,
    said_whole,
    said_within,
    shares,
)
from restwright.tools.toolset.meta_tools import MetaTool, Search, matches, meta_tools
from restwright.tools.toolset.provider_limits import CHARACTERS_PER_TOKEN, OfferLimits, Provider
from restwright.tools.toolset.provider_search import deferred_within

Policy = Literal["all", "search", "native", "meta"]

LIMITS = OfferLimits()

_FEWER = "offer fewer: the policy `search`, or a filter"
# Characters of a tool below which nothing more can be left out.
_LEAST = 1
_PASSES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """
    One tool of an offer.

    Args:
        shape: What the provider takes.
        why: Why it is offered, where it was chosen.
    """

    name: str
    shape: JsonObject = field(repr=False)
    characters: int
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """
    What a model is offered.

    Args:
        provider: The row of `PROVIDERS` whose limits hold.
        policy: `all` tools; what a `search` found, or `meta`-tools alone, with which the others
            are found; or `native` deferral, where the provider searches.
        reason: Why that policy, and what does not fit.
        tools: The tools, by namespace and operation.
        meta: `search_tools`, `show_tool` and `call_tool`, unless all tools can be reached.
        deferred: Names of the tools that are sent, but not read before the model searches.
        shapes: What stands in the request, in this order.
        characters: Of all that the model reads before it searches, as JSON.
        total: Tools of the catalog.
        hash: SHA-256 of `shapes`, as hexadecimal digits.
    """

    provider: str
    policy: Policy
    reason: str
    tools: tuple[Offered, ...] = ()
    meta: tuple[MetaTool, ...] = ()
    deferred: tuple[str, ...] = field(default=(), repr=False)
    shapes: tuple[JsonObject, ...] = field(default=(), repr=False)
    characters: int
    total: int
    hash: str

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tools, in order."""
        return tuple(each.name for each in self.tools)

    @property
    def tokens(self) -> int:
        """About as many tokens as `characters` are: a fourth."""
        return -(-self.characters // CHARACTERS_PER_TOKEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What an offer is made from."""

    catalog: Catalog
    query: str
    dialect: Dialect
    limits: OfferLimits
    provider: Provider
    search: Search


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """A policy with the tools in the order in which they are wanted, each with its reason."""

    policy: Policy
    reason: str
    wanted: Mapping[str, str] = field(default_factory=dict[str, str])


def offered(
    catalog: Catalog,
    query: str = "",
    *,
    dialect: Dialect,
    limits: OfferLimits = LIMITS,
    search: Search = matches,
) -> Offer:
    """
    Decide what a model is offered. Does no I/O.

    The same catalog, query and limits give the same offer, byte for byte; tools stand in the order
    of their namespaces and operations, whatever was added.

    Args:
        query: What the user asks, or the task at hand; empty where nothing is known yet.
        search: How tools are found for it.

    Raises:
        OverLimit: The provider would refuse the request.
        UnknownTool: A pinned name is not in the catalog.
    """
    provider = limits.provider_of(dialect.name)
    asked = _Asked(
        catalog=catalog,
        query=query,
        dialect=dialect,
        limits=limits,
        provider=provider,
        search=search,
    )
    chosen = _chosen(asked)
    made = _native(asked, chosen) if chosen.policy == "native" else _listed(asked, chosen)
    _check(asked, made)
    return made


def _chosen(asked: _Asked) -> _Chosen:
    for name in asked.limits.pinned:
        asked.catalog[name]
    limits, above = asked.limits, asked.limits.above
    if above == "all":
        _hold(asked.provider, len(asked.catalog), _FEWER)
        return _everything(asked, "all tools were asked for")
    size = _size(asked)
    if not size:
        return _everything(asked, f"{_tools(len(asked.catalog))}, not too many to offer all")
    if above == "native" and asked.dialect.defer is None:
        above, size = "search", f"{size}; {asked.dialect.name} has no search of its own"
    if above == "search" and not asked.query.strip():
        above, size = "meta", f"{size}; nothing is asked yet"
    pinned = dict.fromkeys(limits.pinned, "pinned")
    if above != "search":
        return _Chosen(policy=above, reason=size, wanted=pinned)
    found = {each.name: each.why for each in asked.search(asked.query, asked.catalog, limits.k)}
    wanted = pinned | {name: why for name, why in found.items() if name not in pinned}
    if not found:
        return _Chosen(policy="meta", reason=f"{size}; nothing matches", wanted=wanted)
    return _Chosen(policy="search", reason=f"{size}; {len(found)} match", wanted=wanted)


def _size(asked: _Asked) -> str:
    """Why the tools are too many to offer them all; empty where they are not."""
    limits, total = asked.limits, len(asked.catalog)
    most = asked.provider.tools if limits.tools is None else limits.tools
    if total > most:
        return f"{_tools(total)}, more than {most:,}"
    most = 2 * limits.room if limits.characters is None else limits.characters
    size = sum(
        said_whole(asked.catalog, each, asked.dialect).characters for each in asked.catalog.names
    )
    return f"{_tools(total)} of {size:,} characters, more than {most:,}" if size > most else ""


def _everything(asked: _Asked, reason: str) -> _Chosen:
    wanted = dict.fromkeys((*asked.limits.pinned, *asked.catalog.names), "")
    return _Chosen(policy="all", reason=reason, wanted=wanted)


def _ranked(asked: _Asked, chosen: _Chosen) -> _Chosen:
    """The same with pinned tools first, then what is asked about, then the shortest."""
    found: list[str] = []
    if asked.query.strip():
        total = len(asked.catalog)
        found = [each.name for each in asked.search(asked.query, asked.catalog, total)]
    sizes = {
        each: said_whole(asked.catalog, each, asked.dialect).characters for each in chosen.wanted
    }
    shortest = sorted(sizes, key=lambda each: (sizes[each], each))
    order = dict.fromkeys((*asked.limits.pinned, *found, *shortest))
    return replace(chosen, wanted={each: chosen.wanted[each] for each in order}, policy="meta")


def _listed(asked: _Asked, chosen: _Chosen) -> Offer:
    """Offer tools one by one, with meta-tools unless they are all."""
    meta = () if chosen.policy == "all" else meta_tools(asked.catalog)
    tools = _within(asked, chosen, meta)
    if len(tools) < len(chosen.wanted) and not meta:
        chosen, meta = _ranked(asked, chosen), meta_tools(asked.catalog)
        tools = _within(asked, chosen, meta)
    reason = chosen.reason
    if left := len(chosen.wanted) - len(tools):
        reason = f"{reason}; {left:,} of them do not fit into {asked.limits.budget:,} tokens"
    shapes = [each.shape(asked.dialect) for each in meta] + [each.shape for each in tools]
    return _offer(asked, chosen.policy, reason, tools=tools, meta=meta, shapes=shapes)


def _within(asked: _Asked, chosen: _Chosen, meta: Sequence[MetaTool]) -> tuple[Offered, ...]:
    """The tools that fit beside meta-tools, each as long as its share is."""
    names = [*chosen.wanted]
    used = _characters([each.shape(asked.dialect) for each in meta])
    # Each has a comma, too.
    room = asked.limits.room - used
    sizes = [said_whole(asked.catalog, each, asked.dialect) for each in names]
    least = sizes
    if sum(each.characters + 1 for each in sizes) > room:
        shortest = (said_within(asked.catalog, each, asked.dialect, _LEAST) for each in names)
        pairs = zip(sizes, shortest, strict=True)
        least = [min(pair, key=lambda each: each.characters) for pair in pairs]
    kept = fitting([each.characters + 1 for each in least], room)
    made = {names[place]: least[place] for place in kept}
    wholes = {names[place]: sizes[place] for place in kept}
    # What one pass does not use, the next one shares out again.
    for _ in range(_PASSES):
        made = _grown(asked, made, wholes, room)
    tools = [
        Offered(name=name, shape=each.shape, characters=each.characters, why=chosen.wanted[name])
        for name, each in made.items()
    ]
    return tuple(sorted(tools, key=lambda each: _place(asked.catalog, each.name)))


def _grown(
    asked: _Asked, made: Mapping[str, Sized], wholes: Mapping[str, Sized], room: int
) -> dict[str, Sized]:
    """Each tool as long as its share is, and no shorter than it was."""
    given = shares(
        [each.characters + 1 for each in wholes.values()],
        [each.characters + 1 for each in made.values()],
        room,
    )
    return {
        name: _longest(asked, name, share - 1, (made[name], wholes[name]))
        for name, share in zip(made, given, strict=True)
    }


def _longest(asked: _Asked, name: str, share: int, known: tuple[Sized, Sized]) -> Sized:
    shorter, whole = known
    if whole.characters <= share:
        return whole
    if shorter.characters == share:
        return shorter
    made = said_within(asked.catalog, name, asked.dialect, share)
    return made if shorter.characters < made.characters <= share else shorter


def _native(asked: _Asked, chosen: _Chosen) -> Offer:
    """Leave the search to the provider; pinned tools are offered as they are."""
    tools = _within(asked, chosen, ())
    room = asked.limits.room - _characters([each.shape for each in tools])
    names = {each.name for each in tools}
    rest = sorted(
        (each for each in asked.catalog.names if each not in names), key=_by(asked.catalog)
    )
    deferred = deferred_within(asked.catalog, rest, asked.dialect, room)
    if deferred is None:
        instead = _Chosen(
            policy="meta",
            reason=f"{chosen.reason}; not even its APIs fit into {asked.limits.budget:,} tokens",
            wanted=chosen.wanted,
        )
        return _listed(asked, instead)
    own = [each.shape for each in tools]
    return _offer(
        asked,
        "native",
        f"{chosen.reason}; {asked.dialect.name} searches itself",
        tools=tools,
        deferred=rest,
        shapes=[*own, *deferred.shapes],
        read=[*own, *deferred.read],
    )


def _offer(
    asked: _Asked,
    policy: Policy,
    reason: str,
    *,
    tools: tuple[Offered, ...],
    shapes: Sequence[JsonObject],
    meta: tuple[MetaTool, ...] = (),
    deferred: Sequence[str] = (),
    read: Sequence[JsonObject] | None = None,
) -> Offer:
    return Offer(
        provider=asked.provider.name,
        policy=policy,
        reason=reason,
        tools=tools,
        meta=meta,
        deferred=tuple(deferred),
        shapes=tuple(shapes),
        characters=_characters(shapes if read is None else read),
        total=len(asked.catalog),
        hash=sha256(written([*shapes])).hexdigest(),
    )


def _check(asked: _Asked, made: Offer) -> None:
    """Refuse what the provider would refuse."""
    provider = asked.provider
    _hold(provider, len(made.shapes), "offer fewer: a smaller k, or a filter")
    checks = (
        ("deferred tools in a request", provider.most_deferred, len(made.deferred)),
        ("characters of tools in a request", provider.request_characters, _characters(made.shapes)),
    )
    for what, most, count in checks:
        if count > most:
            raise _over(provider, what, most, count, _FEWER)
    for name in (*made.names, *made.deferred):
        if len(name) > provider.name_length:
            what = f"characters in the name of a tool ({name})"
            raise _over(provider, what, provider.name_length, len(name), "rename the tool")


def _hold(provider: Provider, count: int, next_move: str) -> None:
    if count > provider.most_tools:
        raise _over(provider, "tools in a request", provider.most_tools, count, next_move)


def _over(provider: Provider, what: str, most: float, count: int, next_move: str) -> OverLimit:
    return OverLimit(provider.name, what, limit=int(most), count=count, next_move=next_move)


def _by(catalog: Catalog) -> Callable[[str], tuple[str, str]]:
    return lambda name: _place(catalog, name)


def _place(catalog: Catalog, name: str) -> tuple[str, str]:
    """Where a tool stands among others: by namespace, then by operation."""
    namespace = catalog.entries[name].namespace
    return namespace, name.removeprefix(f"{namespace}{SEPARATOR}")


def _characters(shapes: Sequence[JsonObject]) -> int:
    """Characters of a JSON array."""
    return sum(map(characters_of, shapes)) + max(len(shapes) - 1, 0) + 2


def _tools(count: int) -> str:
    return f"{count:,} tool{'' if count == 1 else 's'}"
