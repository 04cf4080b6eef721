"""What goes back to a model for one call, with what came of it beside."""

from __future__ import annotations

from typing import Any

from restwright.calls.response.result import Result
from restwright.jsontypes import Json
from restwright.toolboxes.pending import Pending
from restwright.tools.toolset import ToolCall


class Reply(dict[str, Json]):
    """
    The message, block or part that goes back to a provider for one call.

    It is a dict, to be put into the request as it is. A copy or a pickle of it is the dict alone.

    Args:
        text: What the model reads.
        call: What it called.
        ok: Whether the call was made and succeeded, or needed none.
        result: What came of it: the whole value, the response, the error; None where nothing was
            called, as for a search of tools.
        pending: What waits for a person, where that is why nothing was sent.
    """

    def __init__(
        self,
        message: dict[str, Json],
        *,
        text: str,
        call: ToolCall,
        ok: bool,
        result: Result | None = None,
        pending: Pending | None = None,
    ) -> None:
        super().__init__(message)
        self.text, self.call, self.ok = text, call, ok
        self.result, self.pending = result, pending

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)
