"""How tools are presented."""

from __future__ import annotations

from dataclasses import dataclass
from types import NoneType
from typing import Literal, get_args

from restwright.errors import require
from restwright.tools.human_inputs import Separation
from restwright.tools.naming.names import MAX_LENGTH
from restwright.tools.naming.namespace import Style as NamespaceStyle
from restwright.tools.schemas.visible import BUDGET
from restwright.tools.tool import Layout

Naming = Literal["operation-id", "accessor"]
Describing = Literal["short", "full"]

MIN_BUDGET = 500
MIN_NAME_LENGTH = 32
_CHOICES = {
    "naming": Naming,
    "layout": Layout,
    "describe": Describing,
    "namespace_style": NamespaceStyle,
}


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
        namespace_style: `sound`, or `url` for the last label of the host but one, `local` or
            `unknown`.
        name_length: Characters of a whole name, 32 to 64; hosts that add a prefix want 45.
        separation: What a human or the host fills in; None for nothing.

    Raises:
        ValueError: A value that there is not; it names those that there are.
        WrongType: A value of another type.
    """

    naming: Naming = "operation-id"
    layout: Layout = "flat"
    describe: Describing = "short"
    budget: int = BUDGET
    lean: bool = False
    namespace_style: NamespaceStyle = "sound"
    name_length: int = MAX_LENGTH
    separation: Separation | None = None

    def __post_init__(self) -> None:
        """Refuse here what would surface much later, or not at all."""
        for name, choices in _CHOICES.items():
            if (value := getattr(self, name)) not in get_args(choices):
                listed = ", ".join(map(repr, get_args(choices)))
                raise ValueError(f"{name}={value!r} is not one of {listed}")
        for name in ("budget", "name_length"):
            require(getattr(self, name), int, what=f"`{name}`", wanted="a number of characters")
        require(self.lean, bool, what="`lean`", wanted="true or false")
        wanted = "a `Separation` or None"
        require(self.separation, (Separation, NoneType), what="`separation`", wanted=wanted)
        if self.budget < MIN_BUDGET:
            raise ValueError(f"budget={self.budget} is less than {MIN_BUDGET} characters")
        if not MIN_NAME_LENGTH <= self.name_length <= MAX_LENGTH:
            said = f"is not {MIN_NAME_LENGTH} to {MAX_LENGTH} characters"
            raise ValueError(f"name_length={self.name_length} {said}")
        if self.lean and self.describe == "full":
            raise ValueError("lean=True and describe='full' exclude each other")


DEFAULT = ToolOptions()
