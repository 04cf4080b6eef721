"""The twelve kinds of calls of the board, by the names of the published table."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from restwright.openapi.api import load
from restwright.tools.catalog.catalog import catalog
from restwright.tools.text.json_bytes import to_json_bytes
from restwright.tools.tool import Tool
from restwright_bench.calling import drawings, library, registry, shop
from restwright_bench.calling.task import Draw, Task

DOCUMENTS = Path(__file__).parent / "documents"
MAX_SHOWN = 6_000
"""Characters that a model may be shown of one tool, so that a small one can read it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """
    One row of the board: an operation, and tasks for it.

    Args:
        document: Its file name without the ending.
        operation: An operationId of it.
        draw: Makes a task.
        max_tokens: Of one reply; about three times what the right one takes.
    """

    name: str
    document: str
    operation: str
    draw: Draw
    max_tokens: int

    @property
    def tool(self) -> Tool:
        """The operation as a model sees it."""
        return _tools(self.document)[self.operation]

    @property
    def shown(self) -> int:
        """How many characters a model reads of the tool."""
        return len(self.tool.description) + len(to_json_bytes(self.tool.shows).decode())

    @property
    def is_held(self) -> bool:
        """Whether it is small enough for the board."""
        return self.shown <= MAX_SHOWN

    def task(self, trial: int) -> Task:
        """The task of a trial: the same for every model, another one for every trial."""
        return self.draw(Random(f"{self.name}-{trial}"))

    def digest(self, trial: int) -> str:
        """Tells this tool and task from all others, also from those of a later version."""
        task = self.task(trial)
        said = [task.text, task.reference, [each.returned for each in task.earlier]]
        whole = [self.tool.description, self.tool.checks, said]
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:12]


@cache
def _tools(document: str) -> dict[str, Tool]:
    found = catalog(load(DOCUMENTS / f"{document}.json"))
    return {str(tool.operation.operation_id): tool for tool in found.tools}


def _kind(name: str, document: str, operation: str, draw: Draw, max_tokens: int) -> Kind:
    return Kind(name=name, document=document, operation=operation, draw=draw, max_tokens=max_tokens)


KINDS: Sequence[Kind] = (
    _kind("ObjectConstraint", "library", "signUpVolunteer", library.constrained, 500),
    _kind("ObjectFunctionSchema", "registry", "registerFunction", registry.function, 1200),
    _kind("ObjectHierarchical", "library", "recordVisit", library.nested, 1000),
    _kind("ObjectJsonSchema", "registry", "registerRecord", registry.record, 1200),
    _kind("ObjectSimple", "library", "addReader", library.simple, 200),
    _kind("ObjectUnionExplicit", "drawings", "plotSheet", drawings.named, 1500),
    _kind("ObjectUnionImplicit", "drawings", "plotSketch", drawings.unnamed, 1500),
    _kind("ShoppingCartCommodity", "shop", "addToCart", shop.cart, 1000),
    _kind("ShoppingOrderCreate", "shop", "createOrder", shop.order, 300),
    _kind("ShoppingOrderPublish", "shop", "publishOrder", shop.publish, 500),
    _kind("ShoppingSaleDetail", "shop", "getSale", shop.detail, 120),
    _kind("ShoppingSalePage", "shop", "findSales", shop.page, 300),
)


def kind_named(name: str) -> Kind:
    """
    Return the kind of that name, whatever the case.

    Raises:
        KeyError: There is none.
    """
    return {each.name.casefold(): each for each in KINDS}[name.casefold()]
