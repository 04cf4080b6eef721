"""A function that a model may call, as a conversation knows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from restwright.manifests.session.session import Switch
from restwright.tools.tool import Tool
from restwright.typing import JsonObject


class SwitchOf(Protocol):
    """Makes a switch of a call, or says why there is none."""

    def __call__(self, arguments: JsonObject) -> Switch | str:
        """Return the switch, or what the model is told."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ability:
    """
    A function that the model may call.

    Args:
        name: As the model knows it.
        tool: By which its calls are checked and made.
        switch: Of a function that hands over; None for one that is called.
        is_hidden: Whether it is only there for a model that calls it unasked.
        bare: The argument that a text stands for which is no JSON; empty for none.
        is_foreign: Whether what it gives comes from elsewhere, and is marked as data.
        has_data: Whether it gives `{"text", "data"}`, of which the model is told the text.
    """

    name: str
    tool: Tool
    switch: SwitchOf | None = None
    is_hidden: bool = False
    bare: str = ""
    is_foreign: bool = True
    has_data: bool = False

    @property
    def shape(self) -> JsonObject:
        """What the model is offered."""
        shown = self.tool.separated.model.shows if self.tool.separated else self.tool.shows
        return {"name": self.name, "description": self.tool.description, "parameters": shown}
