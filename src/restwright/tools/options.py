"""How tools are presented."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from restwright.tools.separation import Separation
from restwright.tools.shows import BUDGET
from restwright.tools.tool import Layout

Naming = Literal["operation-id", "accessor"]
Describing = Literal["short", "full"]

MIN_BUDGET = 500
_CHOICES = {"naming": Naming, "layout": Layout, "describe": Describing}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOptions:
    """
    How the tools of a catalog are presented.

    Args:
        naming: `operation-id`, else path words; or `accessor`, which is path words and method.
        layout: `flat`, or `grouped` by location.
        describe: `short` is the text of the document; `full` adds parameters, security and tags.
        budget: Characters of a whole tool: its name, description and schema; at least 500.
        lean: First sentences only, no deprecated optional inputs; not with `full`.
        separation: What a human or the host fills in; None for nothing.

    Raises:
        ValueError: A value that there is not; it names those that there are.
    """

    naming: Naming = "operation-id"
    layout: Layout = "flat"
    describe: Describing = "short"
    budget: int = BUDGET
    lean: bool = False
    separation: Separation | None = None

    def __post_init__(self) -> None:
        """Refuse here what would surface much later, or not at all."""
        for name, choices in _CHOICES.items():
            if (value := getattr(self, name)) not in get_args(choices):
                listed = ", ".join(map(repr, get_args(choices)))
                raise ValueError(f"{name}={value!r} is not one of {listed}")
        if self.budget < MIN_BUDGET:
            raise ValueError(f"budget={self.budget} is less than {MIN_BUDGET} characters")
        if self.lean and self.describe == "full":
            raise ValueError("lean=True and describe='full' exclude each other")


DEFAULT = ToolOptions()
