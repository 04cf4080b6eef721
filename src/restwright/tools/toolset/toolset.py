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
from restwright.tools.naming.names import NAMESPACE_SEPARATOR
from restwright.tools.text.json_bytes import to_json_bytes
from restwright.tools.toolset.budget import (
    SizedShape,
    choose_fitting,
    count_characters,
    render_whole,
    render_within,
    share_room,
)
from restwright.tools.toolset.meta_tools import MetaTool, ToolSearch, build_meta_tools, match_tools
from restwright.tools.toolset.provider_limits import (
    CHARACTERS_PER_TOKEN,
    OfferLimits,
    ProviderLimits,
)
from restwright.tools.toolset.provider_search import defer_within

OfferPolicy = Literal["all", "search", "native", "meta"]

DEFAULT_OFFER_LIMITS = OfferLimits()

_FEWER = "offer fewer: the policy `search`, or a filter"
# Characters of a tool below which nothing more can be left out.
_LEAST = 1
_PASSES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTool:
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
    policy: OfferPolicy
    reason: str
    tools: tuple[OfferedTool, ...] = ()
    meta: tuple[MetaTool, ...] = ()
    deferred: tuple[str, ...] = field(default=(), repr=False)
    shapes: tuple[JsonObject, ...] = field(default=(), repr=False)
    characters: int
    total: int
    hash: str

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tools, in order."""
        return tuple(tool.name for tool in self.tools)

    @property
    def tokens(self) -> int:
        """About as many tokens as `characters` are: a fourth."""
        return -(-self.characters // CHARACTERS_PER_TOKEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfferRequest:
    """
    What an offer is made from.

    Args:
        wholes: `{name: the tool as it is offered alone}`, so far.
        shortest: `{name: the tool as short as it can be}`, so far.
    """

    catalog: Catalog
    query: str
    dialect: Dialect
    limits: OfferLimits
    provider: ProviderLimits
    search: ToolSearch
    wholes: dict[str, SizedShape] = field(default_factory=dict[str, SizedShape])
    shortest: dict[str, SizedShape] = field(default_factory=dict[str, SizedShape])

    def render_whole(self, name: str) -> SizedShape:
        """A tool as it is offered alone."""
        if name not in self.wholes:
            self.wholes[name] = render_whole(self.catalog, name, self.dialect)
        return self.wholes[name]

    def render_shortest(self, name: str) -> SizedShape:
        """A tool as short as it can be."""
        if name not in self.shortest:
            self.shortest[name] = render_within(self.catalog, name, self.dialect, _LEAST)
        return self.shortest[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfferPlan:
    """A policy with the tools in the order in which they are wanted, each with its reason."""

    policy: OfferPolicy
    reason: str
    wanted: Mapping[str, str] = field(default_factory=dict[str, str])


def offer_tools(
    catalog: Catalog,
    query: str = "",
    *,
    dialect: Dialect,
    limits: OfferLimits = DEFAULT_OFFER_LIMITS,
    search: ToolSearch = match_tools,
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
    asked = _OfferRequest(
        catalog=catalog,
        query=query,
        dialect=dialect,
        limits=limits,
        provider=provider,
        search=search,
    )
    chosen = _plan_offer(asked)
    made = (
        _build_native_offer(asked, chosen)
        if chosen.policy == "native"
        else _build_list_offer(asked, chosen)
    )
    _check_provider_limits(asked, made)
    return made


def _plan_offer(request: _OfferRequest) -> _OfferPlan:
    for name in request.limits.pinned:
        request.catalog[name]
    limits, above = request.limits, request.limits.above
    if above == "all":
        _check_tool_count(request.provider, len(request.catalog), _FEWER)
        return _plan_all(request, "all tools were asked for")
    size = _explain_size(request)
    if not size:
        return _plan_all(
            request, f"{_format_tool_count(len(request.catalog))}, not too many to offer all"
        )
    if above == "native" and request.dialect.defer is None:
        above, size = "search", f"{size}; {request.dialect.name} has no search of its own"
    if above == "search" and not request.query.strip():
        above, size = "meta", f"{size}; nothing is asked yet"
    pinned = dict.fromkeys(limits.pinned, "pinned")
    if above != "search":
        return _OfferPlan(policy=above, reason=size, wanted=pinned)
    found = {
        tool_match.name: tool_match.why
        for tool_match in request.search(request.query, request.catalog, limits.k)
    }
    wanted = pinned | {name: why for name, why in found.items() if name not in pinned}
    if not found:
        return _OfferPlan(policy="meta", reason=f"{size}; nothing matches", wanted=wanted)
    return _OfferPlan(policy="search", reason=f"{size}; {len(found)} match", wanted=wanted)


def _explain_size(request: _OfferRequest) -> str:
    """Why the tools are too many to offer them all; empty where they are not."""
    limits, total = request.limits, len(request.catalog)
    most = request.provider.tools if limits.tools is None else limits.tools
    if total > most:
        return f"{_format_tool_count(total)}, more than {most:,}"
    most = 2 * limits.room if limits.characters is None else limits.characters
    size = sum(request.render_whole(name).characters for name in request.catalog.names)
    return (
        f"{_format_tool_count(total)} of {size:,} characters, more than {most:,}"
        if size > most
        else ""
    )


def _plan_all(request: _OfferRequest, reason: str) -> _OfferPlan:
    wanted = dict.fromkeys((*request.limits.pinned, *request.catalog.names), "")
    return _OfferPlan(policy="all", reason=reason, wanted=wanted)


def _rank_plan(request: _OfferRequest, plan: _OfferPlan) -> _OfferPlan:
    """The same with pinned tools first, then what is asked about, then the shortest."""
    found: list[str] = []
    if request.query.strip():
        total = len(request.catalog)
        found = [
            tool_match.name for tool_match in request.search(request.query, request.catalog, total)
        ]
    sizes = {name: request.render_whole(name).characters for name in plan.wanted}
    shortest = sorted(sizes, key=lambda each: (sizes[each], each))
    order = dict.fromkeys((*request.limits.pinned, *found, *shortest))
    return replace(plan, wanted={name: plan.wanted[name] for name in order}, policy="meta")


def _build_list_offer(request: _OfferRequest, plan: _OfferPlan) -> Offer:
    """Offer tools one by one, with meta-tools unless they are all."""
    meta = () if plan.policy == "all" else build_meta_tools(request.catalog)
    tools = _fit_tools(request, plan, meta)
    if len(tools) < len(plan.wanted) and not meta:
        plan, meta = _rank_plan(request, plan), build_meta_tools(request.catalog)
        tools = _fit_tools(request, plan, meta)
    reason = plan.reason
    if left := len(plan.wanted) - len(tools):
        reason = f"{reason}; {left:,} of them do not fit into {request.limits.budget:,} tokens"
    shapes = [meta_tool.shape(request.dialect) for meta_tool in meta] + [
        tool.shape for tool in tools
    ]
    return _build_offer(request, plan.policy, reason, tools=tools, meta=meta, shapes=shapes)


def _fit_tools(
    request: _OfferRequest, plan: _OfferPlan, meta: Sequence[MetaTool]
) -> tuple[OfferedTool, ...]:
    """The tools that fit beside meta-tools, each as long as its share is."""
    names = [*plan.wanted]
    used = _count_array_characters([meta_tool.shape(request.dialect) for meta_tool in meta])
    # Each has a comma, too.
    room = request.limits.room - used
    sizes = [request.render_whole(name) for name in names]
    least = sizes
    if sum(size.characters + 1 for size in sizes) > room:
        shortest = map(request.render_shortest, names)
        pairs = zip(sizes, shortest, strict=True)
        least = [min(pair, key=lambda each: each.characters) for pair in pairs]
    kept = choose_fitting([sized_shape.characters + 1 for sized_shape in least], room)
    made = {names[place]: least[place] for place in kept}
    wholes = {names[place]: sizes[place] for place in kept}
    # What one pass does not use, the next one shares out again.
    for _ in range(_PASSES):
        made = _grow_tools(request, made, wholes, room)
    tools = [
        OfferedTool(name=name, shape=each.shape, characters=each.characters, why=plan.wanted[name])
        for name, each in made.items()
    ]
    return tuple(sorted(tools, key=lambda each: _tool_place(request.catalog, each.name)))


def _grow_tools(
    request: _OfferRequest,
    made: Mapping[str, SizedShape],
    wholes: Mapping[str, SizedShape],
    room: int,
) -> dict[str, SizedShape]:
    """Each tool as long as its share is, and no shorter than it was."""
    given = share_room(
        [whole.characters + 1 for whole in wholes.values()],
        [sized_shape.characters + 1 for sized_shape in made.values()],
        room,
    )
    return {
        name: _longest_fitting(request, name, share - 1, (made[name], wholes[name]))
        for name, share in zip(made, given, strict=True)
    }


def _longest_fitting(
    request: _OfferRequest, name: str, share: int, known: tuple[SizedShape, SizedShape]
) -> SizedShape:
    shorter, whole = known
    if whole.characters <= share:
        return whole
    if shorter.characters == share:
        return shorter
    made = render_within(request.catalog, name, request.dialect, share)
    return made if shorter.characters < made.characters <= share else shorter


def _build_native_offer(request: _OfferRequest, plan: _OfferPlan) -> Offer:
    """Leave the search to the provider; pinned tools are offered as they are."""
    tools = _fit_tools(request, plan, ())
    room = request.limits.room - _count_array_characters([tool.shape for tool in tools])
    names = {tool.name for tool in tools}
    rest = sorted(
        (name for name in request.catalog.names if name not in names),
        key=_place_key(request.catalog),
    )
    deferred = defer_within(request.catalog, rest, request.dialect, room)
    if deferred is None:
        instead = _OfferPlan(
            policy="meta",
            reason=f"{plan.reason}; not even its APIs fit into {request.limits.budget:,} tokens",
            wanted=plan.wanted,
        )
        return _build_list_offer(request, instead)
    own = [tool.shape for tool in tools]
    return _build_offer(
        request,
        "native",
        f"{plan.reason}; {request.dialect.name} searches itself",
        tools=tools,
        deferred=rest,
        shapes=[*own, *deferred.shapes],
        read=[*own, *deferred.read],
    )


def _build_offer(
    request: _OfferRequest,
    policy: OfferPolicy,
    reason: str,
    *,
    tools: tuple[OfferedTool, ...],
    shapes: Sequence[JsonObject],
    meta: tuple[MetaTool, ...] = (),
    deferred: Sequence[str] = (),
    read: Sequence[JsonObject] | None = None,
) -> Offer:
    return Offer(
        provider=request.provider.name,
        policy=policy,
        reason=reason,
        tools=tools,
        meta=meta,
        deferred=tuple(deferred),
        shapes=tuple(shapes),
        characters=_count_array_characters(shapes if read is None else read),
        total=len(request.catalog),
        hash=sha256(to_json_bytes([*shapes])).hexdigest(),
    )


def _check_provider_limits(request: _OfferRequest, offer: Offer) -> None:
    """Refuse what the provider would refuse."""
    provider = request.provider
    _check_tool_count(provider, len(offer.shapes), "offer fewer: a smaller k, or a filter")
    checks = (
        ("deferred tools in a request", provider.max_deferred, len(offer.deferred)),
        (
            "characters of tools in a request",
            provider.request_characters,
            _count_array_characters(offer.shapes),
        ),
    )
    for what, most, count in checks:
        if count > most:
            raise _over_limit(provider, what, most, count, _FEWER)
    for name in (*offer.names, *offer.deferred):
        if len(name) > provider.name_length:
            what = f"characters in the name of a tool ({name})"
            raise _over_limit(provider, what, provider.name_length, len(name), "rename the tool")


def _check_tool_count(provider: ProviderLimits, count: int, next_move: str) -> None:
    if count > provider.max_tools:
        raise _over_limit(provider, "tools in a request", provider.max_tools, count, next_move)


def _over_limit(
    provider: ProviderLimits, what: str, most: float, count: int, next_move: str
) -> OverLimit:
    return OverLimit(provider.name, what, limit=int(most), count=count, next_move=next_move)


def _place_key(catalog: Catalog) -> Callable[[str], tuple[str, str]]:
    return lambda name: _tool_place(catalog, name)


def _tool_place(catalog: Catalog, name: str) -> tuple[str, str]:
    """Where a tool stands among others: by namespace, then by operation."""
    namespace = catalog.entries[name].namespace
    return namespace, name.removeprefix(f"{namespace}{NAMESPACE_SEPARATOR}")


def _count_array_characters(shapes: Sequence[JsonObject]) -> int:
    """Characters of a JSON array."""
    return sum(map(count_characters, shapes)) + max(len(shapes) - 1, 0) + 2


def _format_tool_count(count: int) -> str:
    return f"{count:,} tool{'' if count == 1 else 's'}"
