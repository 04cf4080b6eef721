"""How tools are presented."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from restwright.tools.separation import Separation
from restwright.tools.shows import BUDGET
from restwright.tools.tool import Layout

Naming = Literal["operation-id", "accessor"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOptions:
    """
    How the tools of a catalog are presented.

    Args:
        naming: `operation-id`, else path words; or `accessor`, which is path words and method.
        layout: `flat`, or `grouped` by location.
        describe: `short` is the text of the document; `full` adds parameters, security and tags.
        budget: Characters of a whole tool: its name, description and schema.
        lean: First sentences only, no deprecated optional inputs.
        separation: What a human or the host fills in; None for nothing.
    """

    naming: Naming = "operation-id"
    layout: Layout = "flat"
    describe: Literal["short", "full"] = "short"
    budget: int = BUDGET
    lean: bool = False
    separation: Separation | None = None


DEFAULT = ToolOptions()
