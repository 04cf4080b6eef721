"""
The ways to offer tools, and what the host does with the name that a model writes.

`flat`: bare names in one list, as in document 004. A name that is taken already gets `_2`, `_3` in
the order in which the APIs were loaded, as a naive host does; an unknown one is an error and no
more. `namespaced`: the APIs, of which one or several are chosen first, and then all tools of those
under `namespace__operation`. `search`: what a search of the task's words finds, within 4,000
tokens, with the meta-tools beside it. `meta`: the meta-tools alone.
In all but `flat` an unknown name is answered by the three nearest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from restwright.jsontypes import JsonObject
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.dialects import dialect_named
from restwright.tools.text.json_bytes import to_json_bytes
from restwright.tools.tool import Tool
from restwright.tools.toolset import OfferLimits, offer_tools
from restwright.tools.toolset.toolset import Offer

DIALECT = dialect_named("json-schema")
UNBOUNDED = 1_000_000
CHOOSE = "choose_namespaces"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offering:
    """
    What a model is offered for one task.

    Args:
        shapes: Name, description and parameters of each tool, in order.
        names: `{full name: the name it is offered under}`.
        meta: `{name: schema of the arguments}` of tools about tools.
        dispatch: `name -> (tool, "")`, or `(None, what a model is told)`.
        narrow: `namespaces -> offering` of those alone, where they are to be chosen first; what
            else they are called with is left out.
        chosen: The namespaces that were.
    """

    mode: str
    shapes: tuple[JsonObject, ...] = field(repr=False)
    names: Mapping[str, str] = field(repr=False)
    meta: Mapping[str, JsonObject] = field(repr=False)
    dispatch: Callable[[str], tuple[Tool | None, str]] = field(repr=False)
    catalog: Catalog = field(repr=False)
    narrow: Callable[[Sequence[str]], Offering] | None = field(default=None, repr=False)
    chosen: tuple[str, ...] = ()

    @property
    def listed(self) -> tuple[str, ...]:
        """The names that a model can choose from."""
        return tuple(each["name"] for each in self.shapes)

    @property
    def text(self) -> str:
        """The shapes, one a line."""
        return "\n".join(to_json_bytes(each).decode() for each in self.shapes)


Mode = Callable[[Catalog, str], Offering]
"""`(catalog, the task's text) -> offering`."""


def flat_names(catalog: Catalog) -> dict[str, str]:
    """`{bare name: full name}`, in the order in which APIs were loaded."""
    found: dict[str, str] = {}
    for namespace in catalog.apis:
        for full, entry in catalog.entries.items():
            if entry.namespace == namespace:
                found[_free(entry.operation_name, found)] = full
    return found


def _free(name: str, taken: Mapping[str, str]) -> str:
    number = 1
    free = name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def flat(catalog: Catalog, _text: str) -> Offering:
    """All tools under bare names."""
    full = flat_names(catalog)
    shapes = [{**catalog.render(each, DIALECT).shape, "name": bare} for bare, each in full.items()]

    def dispatch(name: str) -> tuple[Tool | None, str]:
        if name not in full:
            return None, f"Unsupported function: {name[:100]}"
        return catalog[full[name]], ""

    return Offering(
        mode="flat",
        shapes=tuple(shapes),
        names={each: bare for bare, each in full.items()},
        meta={},
        dispatch=dispatch,
        catalog=catalog,
    )


def namespaced(catalog: Catalog, _text: str) -> Offering:
    """The APIs; then all tools of those that are chosen, under full names."""
    shape, schema = _choosing(catalog)

    def dispatch(name: str) -> tuple[Tool | None, str]:
        found = catalog.dispatch(name)
        return found.tool, found.text

    def narrow(names: Sequence[str]) -> Offering:
        chosen = tuple(each for each in catalog.apis if each in names)
        shapes = [catalog.render(each, DIALECT).shape for each in _names_of(catalog, chosen)]
        return replace(
            first,
            shapes=(shape, *shapes),
            names={each["name"]: each["name"] for each in shapes},
            chosen=chosen,
        )

    first = Offering(
        mode="namespaced",
        shapes=(shape,),
        names={},
        meta={CHOOSE: schema},
        dispatch=dispatch,
        catalog=catalog,
        narrow=narrow,
    )
    return first


def _choosing(catalog: Catalog) -> tuple[JsonObject, JsonObject]:
    """The tool that chooses namespaces, and the schema of its arguments."""
    apis = "; ".join(
        f"{name}: {each.title}. {each.description}".rstrip(". ")
        for name, each in catalog.apis.items()
    )
    schema: JsonObject = {
        "type": "object",
        "properties": {
            "namespaces": {
                "type": "array",
                "items": {"enum": [*catalog.apis]},
                "minItems": 1,
                "maxItems": len(catalog.apis),
                "uniqueItems": True,
            }
        },
        "required": ["namespaces"],
        "additionalProperties": False,
    }
    said = f"Choose whose tools are listed, one API or several. {apis}."
    return {"name": CHOOSE, "description": said, "parameters": schema}, schema


def _names_of(catalog: Catalog, namespaces: Sequence[str]) -> list[str]:
    """Names of the tools, API by API, so that one choice is one text."""
    return [
        name
        for namespace in namespaces
        for name, each in sorted(catalog.entries.items())
        if each.namespace == namespace
    ]


def search(catalog: Catalog, text: str) -> Offering:
    """What the task's words find."""
    return _offering("search", catalog, offer_tools(catalog, text, dialect=DIALECT))


def meta(catalog: Catalog, text: str) -> Offering:
    """Tools about tools alone."""
    limits = OfferLimits(above="meta")
    return _offering("meta", catalog, offer_tools(catalog, text, dialect=DIALECT, limits=limits))


MODES: Mapping[str, Mode] = {each.__name__: each for each in (flat, namespaced, search, meta)}


def _offering(mode: str, catalog: Catalog, offer: Offer) -> Offering:
    def dispatch(name: str) -> tuple[Tool | None, str]:
        found = catalog.dispatch(name)
        return found.tool, found.text

    return Offering(
        mode=mode,
        shapes=offer.shapes,
        names={each: each for each in offer.names},
        meta={each.name: each.schema for each in offer.meta},
        dispatch=dispatch,
        catalog=catalog,
    )
