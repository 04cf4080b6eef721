"""What a call gave: the value that agents, the command line and users read."""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Literal

from restwright.calls.request import is_json
from restwright.calls.security import MASK, secrets_of
from restwright.calls.shorten import one_line, shorten
from restwright.net.message import Request, Response
from restwright.typing import Json

__all__ = ["Kind", "Result", "result_of", "shorten", "status_line", "value_of"]

Kind = Literal["ok", "http_error", "no_response", "refused", "mismatch"]
_FIRST_ERROR = 400
_MAX_EXPLANATION = 1000


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


def result_of(request: Request, response: Response) -> Result:
    """
    Read a response as the outcome of a call.

    Secrets of `request` that the server repeats are masked.
    """
    response = _masked_response(request, response)
    value = value_of(response)
    if response.status < _FIRST_ERROR:
        return Result(kind="ok", value=value, request=request, response=response)
    text = f"{status_line(response.status)}{_explanation(response, value)}"
    return Result(kind="http_error", value=value, text=text, request=request, response=response)


def value_of(response: Response) -> Json:
    """
    Return the body as a value.

    JSON by media type, and by its first character where no type is given; None for an empty body;
    `{"media_type", "bytes"}` for what is not text; else, also for broken JSON, the text.
    """
    if not response.body:
        return None
    media_type = response.header("content-type")
    if is_json(media_type) or (not media_type and response.body.lstrip()[:1] in (b"{", b"[")):
        try:
            # NaN is not JSON, but some servers write it for "no value".
            return json.loads(response.body, parse_constant=lambda _: None)
        except (ValueError, RecursionError):
            pass
    if b"\0" in response.body[:1024]:
        essence = media_type.partition(";")[0].strip() or "application/octet-stream"
        return {"media_type": essence, "bytes": len(response.body)}
    return response.body.decode(_charset(media_type), "replace")


def status_line(status: int) -> str:
    """Return the status with its reason phrase, such as `HTTP 404 Not Found`."""
    try:
        return f"HTTP {status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"HTTP {status}"


def _explanation(response: Response, value: Json) -> str:
    """What the body says about a failure, shortened, behind a colon; empty when it says nothing."""
    if value is None or value in ("", {}, []):
        return ""
    if isinstance(value, str):
        text = value
        if "html" in response.header("content-type"):
            text = re.sub(r"(?is)<(script|style)\b.*?</\1\s*>|<[^>]*>", " ", value[:20_000])
        return f": {one_line(text, _MAX_EXPLANATION)}"
    return f": {shorten(value, _MAX_EXPLANATION)}"


def _charset(media_type: str) -> str:
    match = re.search(r"charset=\"?([\w.:-]+)", media_type, re.IGNORECASE)
    try:
        return codecs.lookup(match[1]).name if match else "utf-8"
    except LookupError:
        return "utf-8"


def _masked_response(request: Request, response: Response) -> Response:
    """Take out the secrets that a server repeats, as echoing and debugging servers do."""
    body, headers = response.body, response.headers
    for secret in secrets_of(request):
        body = body.replace(secret.encode(), MASK.encode())
        headers = tuple((name, value.replace(secret, MASK)) for name, value in headers)
    return replace(response, body=body, headers=headers)
