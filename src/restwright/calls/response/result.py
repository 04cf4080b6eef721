"""What a call gave: the value that agents, the command line and users read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from restwright.calls.auth.connection import list_secret_texts
from restwright.calls.response.decode import DecodedBody, decode_body
from restwright.calls.response.http_errors import (
    RepairableBy,
    clamp_retry_after_s,
    explain_redirect,
    explain_response,
    repairable_by,
    status_line,
)
from restwright.calls.response.redact import make_masker, mask_bytes, mask_value
from restwright.calls.response.validate import check_response_value
from restwright.calls.truncate import compact_json, shorten_json, shorten_line
from restwright.jsontypes import Json
from restwright.net.messages import Request, Response
from restwright.net.secret import Secret, mask_url
from restwright.tools.tool import Tool

__all__ = [
    "CallEffect",
    "PageProgress",
    "PagingStop",
    "Result",
    "ResultKind",
    "result_from_response",
    "result_without_response",
    "shorten_json",
    "status_line",
    "value_from_response",
]

ResultKind = Literal["ok", "http_error", "no_response", "refused", "mismatch", "unknown_tool"]
CallEffect = Literal["none", "unknown", "done"]
"""What a call has changed: nothing; nobody knows, since it was sent and not answered; or it has."""
PagingStop = Literal["end", "pages", "items", "bytes", "repeated", "failed", "unreachable"]
EFFECT_NOTES: Mapping[CallEffect, str] = {
    "none": "",
    "unknown": "; it was sent, and whether it took effect is unknown: look before repeating it",
    "done": "; it took effect, so do not repeat it",
}
"""What stands behind the words about a write that failed."""
_FIRST_ERROR = 400
_MAX_CHECKED_BYTES = 2_000_000
_MAX_WARNINGS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PageProgress:
    """
    How far the pages of a list were read.

    Args:
        read: Pages.
        items: Of all of them.
        stopped: Why there it ended: the last page was reached, a bound, a page that came twice, a
            page that failed, or one that cannot be asked for.
    """

    read: int
    items: int
    stopped: PagingStop

    @property
    def is_whole(self) -> bool:
        """Whether every page was read."""
        return self.stopped == "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """
    The outcome of one tool call. A failure is a value too, so that an agent can act on it.

    Args:
        kind: `ok` for 1xx to 3xx, `http_error` for 400 and above and for a redirect that left the
            request undone, `no_response` when nothing came that can be used, `refused` when it was
            not allowed, `mismatch` when the arguments did not fit, `unknown_tool` when no tool has
            the name that a model wrote.
        value: The body as a JSON value, as text, as `{"file", "media_type", "bytes"}`, or None.
        text: What a model reads about a failure; empty when ok.
        request: What was sent; None when nothing was built.
        response: What came back; None when nothing did.
        repairable_by: Who can make another try succeed: the model with other arguments, the user,
            or waiting; None for nobody, and where nothing failed.
        retry_after_s: Seconds that the server asks to wait; None where it does not.
        warnings: What is odd about a response, such as a body that is not as the document says.
        repairs: What was changed in the arguments before they were sent.
        pages: How far a list was read, where its pages were put together.
        effect: Whether a write took effect; `none` for a read. Look before you repeat one that is
            `unknown`.
        is_foreign: Whether a function handed on what somebody else said.
        error: What kept a call from being sent or answered, or its response from being read; for
            developers, since a secret may be in it. It is shown and kept nowhere, and the `hint` of
            one of ours is no text for a model.
    """

    kind: ResultKind
    value: Json = None
    text: str = ""
    request: Request | None = field(default=None, repr=False)
    response: Response | None = field(default=None, repr=False)
    repairable_by: RepairableBy | None = None
    retry_after_s: float | None = None
    warnings: tuple[str, ...] = ()
    repairs: tuple[Any, ...] = ()
    pages: PageProgress | None = None
    effect: CallEffect = "none"
    is_foreign: bool = False
    error: Exception | None = field(default=None, repr=False, compare=False)

    @property
    def ok(self) -> bool:
        """Whether the call succeeded."""
        return self.kind == "ok"

    @property
    def was_attempted(self) -> bool:
        """Whether the call was made, whatever came of it."""
        return self.kind not in {"refused", "mismatch", "unknown_tool"}

    @property
    def was_sent(self) -> bool:
        """Whether a request went out or a function ran, or may have."""
        return self.response is not None or self.kind in {"ok", "no_response"}

    @property
    def has_server_text(self) -> bool:
        """Whether a server may have its say in it; of a failure the head of a response is told."""
        is_answered = self.response is not None and (bool(self.response.body) or not self.ok)
        return self.is_foreign or is_answered

    @property
    def status(self) -> int | None:
        """The HTTP status; None when no response came."""
        return self.response.status if self.response else None


def result_from_response(
    request: Request, response: Response, *, tool: Tool | None = None, files: Path | None = None
) -> Result:
    """
    Read a response as the outcome of a call.

    Secrets of `request` that the server repeats are masked.

    Args:
        tool: To check the value against its output schema; a misfit is a warning.
        files: Folder to store in what is no text; None to store nothing.
    """
    secrets = list_secret_texts(request)
    response = _mask_response(response, secrets, request.secrets)
    read = decode_body(response, method=request.method, files=files)
    read, response = _mask_escaped(read, response, secrets)
    lost = explain_redirect(request, response)
    if response.status < _FIRST_ERROR and lost is None:
        warnings = (*read.notes, *(_output_warnings(tool, response, read.value) if tool else ()))
        return Result(
            kind="ok", value=read.value, request=request, response=response, warnings=warnings
        )
    return Result(
        kind="http_error",
        value=read.value,
        text=lost or explain_response(response, read.value),
        request=request,
        response=response,
        repairable_by="user" if lost else repairable_by(response),
        retry_after_s=clamp_retry_after_s(response),
        warnings=read.notes,
    )


def result_without_response(
    kind: ResultKind, request: Request, why: str, effect: CallEffect = "none"
) -> Result:
    """
    Make the outcome of a request that no response came to.

    Args:
        why: May quote what the server sent, and so the secrets of `request`, which are masked.
    """
    text = f"{make_masker(list_secret_texts(request))(why)}{EFFECT_NOTES[effect]}"
    return Result(kind=kind, text=text, request=request, effect=effect)


def value_from_response(response: Response) -> Json:
    """Return the body as a value: see `Result.value`; nothing is stored."""
    return decode_body(response).value


def _output_warnings(tool: Tool, response: Response, value: Json) -> tuple[str, ...]:
    """Where a success is not as the document says; the document's own mistakes are common."""
    if not tool.outputs:
        return ()
    success = tool.operation.success
    documented = {str(response.status), f"{response.status // 100}XX", "default"}
    is_checked = success is not None and success.status.upper() in {
        name.upper() for name in documented
    }
    if not is_checked or value is None or len(response.body) > _MAX_CHECKED_BYTES:
        return ()
    found = check_response_value(tool, response.header("content-type"), value)
    lines = [f"not as the document says: {shorten_line(str(mismatch), 300)}" for mismatch in found]
    more = len(lines) - _MAX_WARNINGS
    return (*lines[:_MAX_WARNINGS], *([f"{more:,} more differences"] if more > 0 else []))


def _mask_response(
    response: Response, secrets: tuple[str, ...], own: tuple[Secret, ...]
) -> Response:
    """
    Take out the secrets that a server repeats, as echoing and debugging servers do.

    Args:
        own: Those of the request, of which its URL may have short ones.
    """
    if not (secrets or own):
        return response
    mask = make_masker(secrets)
    return replace(
        response,
        body=mask_bytes(response.body, secrets),
        headers=tuple((name, mask(value)) for name, value in response.headers),
        url=mask(mask_url(response.url, own)),
    )


def _mask_escaped(
    read: DecodedBody, response: Response, secrets: tuple[str, ...]
) -> tuple[DecodedBody, Response]:
    """Take out what only the value shows: escaped characters, and other charsets than UTF-8."""
    if not secrets or read.value is None:
        return read, response
    if b"\\" not in response.body and b"&" not in response.body and response.body.isascii():
        return read, response
    value = mask_value(read.value, secrets)
    if value == read.value:
        return read, response
    body = value if isinstance(value, str) else compact_json(value)
    return replace(read, value=value), replace(response, body=body.encode("utf-8", "replace"))
