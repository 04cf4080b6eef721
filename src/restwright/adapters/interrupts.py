"""The word of a person about a write, by an interrupt of LangGraph."""

# Not installed where types are checked.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from typing import Any

from restwright.adapters.offered import show_pending
from restwright.toolboxes.pending import Pending

_ALLOWED = ("approve", True)


def interrupt_for_word(pending: Pending) -> bool | None:
    """A person's word; None outside of a graph. The interrupt itself is an exception."""
    try:
        from langgraph.types import interrupt

        said: Any = interrupt(show_pending(pending))
    except (ImportError, RuntimeError, KeyError):
        return None
    return (said.get("type") if isinstance(said, dict) else said) in _ALLOWED
