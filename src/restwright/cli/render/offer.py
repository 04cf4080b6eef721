"""`tools --offer`: what a model would be offered for a question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output, counted, one_line

if TYPE_CHECKING:
    from restwright.jsontypes import JsonObject
    from restwright.tools.catalog.catalog import Catalog
    from restwright.tools.dialects import Dialect
    from restwright.tools.toolset import Offer
    from restwright.tools.toolset.provider_limits import Above

DIALECT = "json-schema"


def print_offer(
    catalog: Catalog, question: str, dialect: Dialect | None, above: Above, out: Output
) -> int:
    """Print the offer: as the provider takes it where a dialect is named, else one tool a line."""
    from restwright.tools.dialects import dialect_named
    from restwright.tools.toolset import OfferLimits, offer_tools

    spoken = dialect or dialect_named(DIALECT)
    offer = offer_tools(catalog, question, dialect=spoken, limits=OfferLimits(above=above))
    if out.json:
        out.value({"offer": _described(offer), "tools": offer.shapes})
    elif dialect:
        out.value(offer.shapes)
    else:
        for line in _lines(offer, catalog):
            out.text(line)
    of_all = counted(offer.total, "tool")
    shown = f"{len(offer.names):,} of {of_all}, {offer.tokens:,} tokens ({offer.policy})"
    out.note(f"{shown}: {offer.reason}")
    return DONE


def _described(offer: Offer) -> JsonObject:
    """All about an offer but what is sent."""
    return {
        "provider": offer.provider,
        "policy": offer.policy,
        "reason": offer.reason,
        "total": offer.total,
        "names": offer.names,
        "meta": [meta_tool.name for meta_tool in offer.meta],
        "deferred": offer.deferred,
        "characters": offer.characters,
        "tokens": offer.tokens,
        "hash": offer.hash,
    }


def _lines(offer: Offer, catalog: Catalog) -> Iterator[str]:
    """Between tabs: names, characters, what each is, and why."""
    for meta_tool in offer.meta:
        yield "\t".join((meta_tool.name, "", one_line(meta_tool.description), ""))
    for tool in offer.tools:
        headline = one_line(catalog.entries[tool.name].operation.headline)
        yield "\t".join((tool.name, str(tool.characters), headline, one_line(tool.why)))
    for name in offer.deferred:
        headline = one_line(catalog.entries[name].operation.headline)
        yield "\t".join((name, "", headline, "deferred"))
