"""How tools are presented."""

from __future__ import annotations

from dataclasses import dataclass
from types import NoneType
from typing import Literal, get_args

from restwright.errors import require_type
from restwright.tools.human_inputs import Separation
from restwright.tools.naming.names import MAX_NAME_LENGTH
from restwright.tools.naming.namespace import NamespaceStyle
from restwright.tools.schemas.visible import DEFAULT_BUDGET
from restwright.tools.tool import Layout

NamingStyle = Literal["operation-id", "accessor"]
DescriptionChoice = Literal["short", "full"]

MIN_BUDGET = 500
MIN_NAME_LENGTH = 32
_CHOICES = {
    "naming": NamingStyle,
    "layout": Layout,
    "describe": DescriptionChoice,
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

    naming: NamingStyle = "operation-id"
    layout: Layout = "flat"
    describe: DescriptionChoice = "short"
    budget: int = DEFAULT_BUDGET
    lean: bool = False
    namespace_style: NamespaceStyle = "sound"
    name_length: int = MAX_NAME_LENGTH
    separation: Separation | None = None

    def __post_init__(self) -> None:
        """Refuse here what would surface much later, or not at all."""
        for name, choices in _CHOICES.items():
            if (value := getattr(self, name)) not in get_args(choices):
                listed = ", ".join(map(repr, get_args(choices)))
                raise ValueError(f"{name}={value!r} is not one of {listed}")
        for name in ("budget", "name_length"):
            require_type(
                getattr(self, name), int, what=f"`{name}`", wanted="a number of characters"
            )
        require_type(self.lean, bool, what="`lean`", wanted="true or false")
        wanted = "a `Separation` or None"
        require_type(self.separation, (Separation, NoneType), what="`separation`", wanted=wanted)
        if self.budget < MIN_BUDGET:
            raise ValueError(f"budget={self.budget} is less than {MIN_BUDGET} characters")
        if not MIN_NAME_LENGTH <= self.name_length <= MAX_NAME_LENGTH:
            said = f"is not {MIN_NAME_LENGTH} to {MAX_NAME_LENGTH} characters"
            raise ValueError(f"name_length={self.name_length} {said}")
        if self.lean and self.describe == "full":
            raise ValueError("lean=True and describe='full' exclude each other")


DEFAULT_TOOL_OPTIONS = ToolOptions()
