"""What a call gave: the value that agents, the command line and users read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from restwright.net.message import Request, Response
from restwright.typing import Json

Kind = Literal["ok", "http_error", "no_response", "refused", "mismatch"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """
    The outcome of one tool call. A failure is a value too, so that an agent can act on it.

    Args:
        kind: `ok` for 1xx to 3xx, `http_error` for 400 and above, `no_response` when nothing came,
            `refused` when it was not allowed, `mismatch` when the arguments did not fit.
        value: The parsed JSON body, or text, or None.
        text: What a model reads about a failure; empty when ok.
        request: What was sent; None when nothing was built.
        response: What came back; None when nothing did.
    """

    kind: Kind
    value: Json = None
    text: str = ""
    request: Request | None = field(default=None, repr=False)
    response: Response | None = field(default=None, repr=False)

    @property
    def ok(self) -> bool:
        """Whether the call succeeded."""
        return self.kind == "ok"

    @property
    def status(self) -> int | None:
        """The HTTP status; None when no response came."""
        return self.response.status if self.response else None
