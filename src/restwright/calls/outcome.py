"""
What came of a call that was begun. Whatever fails after a request went out is a `Result`, which
says whether a write took effect, may have, or did not.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from restwright.calls.arguments.repair import Repair
from restwright.calls.local import FunctionCall
from restwright.calls.response.result import (
    EFFECT_NOTES,
    CallEffect,
    Result,
    result_from_response,
    result_without_response,
    status_line,
)
from restwright.calls.send import RequestDelivery
from restwright.errors import (
    MissingCredential,
    MissingExtra,
    NoResponse,
    NoToken,
    RefusedRequest,
    ResponseTooLarge,
    RestwrightError,
)
from restwright.net.http.cancellation import OperationCanceled
from restwright.net.http.exchange import annotate_interruption
from restwright.net.messages import Request, Response
from restwright.tools.tool import Tool

_FIRST_REDIRECT, _FIRST_ERROR, _FIRST_FAULT = 300, 400, 500


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """A call that is checked; `needs_approval` says whether it has to be approved."""

    tool: Tool
    repairs: tuple[Repair, ...]
    delivery: RequestDelivery
    needs_approval: bool
    is_write: bool

    @property
    def request(self) -> Request:
        """As it was sent last: it has the secrets that may come back."""
        return self.delivery.request

    @property
    def is_sent(self) -> bool:
        """Whether it went out, or may have."""
        return self.delivery.is_sent


def decline_call(prepared: PreparedCall | FunctionCall) -> Result:
    """The outcome of a call that was not approved."""
    text = f"{prepared.tool.name} was not allowed"
    return Result(kind="refused", text=text, request=prepared.request)


@contextmanager
def note_call_interruptions(prepared: PreparedCall | FunctionCall) -> Generator[None]:
    """Write on what ends the block from outside that the outcome of a write is not known."""
    try:
        yield
    except Exception:
        raise
    except BaseException as interruption:
        if prepared.is_sent and prepared.is_write:
            annotate_interruption(interruption, prepared.request, is_write=True)
        raise


def finish_call(prepared: PreparedCall, response: Response, files: Path | None) -> Result:
    """Read the response to a call; what cannot be read is said, with what it means for a write."""
    try:
        result = result_from_response(prepared.request, response, tool=prepared.tool, files=files)
        effect = _infer_effect(
            prepared, _StatusEvidence(response.status, response.attempts), is_done=result.ok
        )
        return _add_notes(prepared, replace(result, effect=effect))
    except Exception as error:  # noqa: BLE001 - a response may be anything
        return _result_from_unreadable(prepared, response, error)


def fail_call(prepared: PreparedCall, error: Exception, files: Path | None) -> Result:
    """
    Say what an exception means for a call that it was raised in.

    Raises:
        Exception: `error` itself, where nothing went out and the developer can mend it.
    """
    known = _status_from_error(prepared, error)
    if _is_raised(prepared.delivery, error):
        raise error
    if prepared.delivery.response is not None and known is None:
        return _result_without_renewal(prepared, prepared.delivery.response, error, files)
    result = _result_from_error(prepared, error, _infer_effect(prepared, known))
    return replace(result, repairs=prepared.repairs)


def _is_raised(delivery: RequestDelivery, error: Exception) -> bool:
    """Whether an exception is the developer's, and nothing is lost with it."""
    if isinstance(error, OperationCanceled):
        return True
    if delivery.is_sent or isinstance(error, NoToken | RefusedRequest | NoResponse):
        return False
    # What is not set up is told as long as nothing was sent to the API, whoever else was asked.
    is_told = error is delivery.hook_error or isinstance(error, MissingCredential | MissingExtra)
    return is_told or not delivery.has_asked


class _StatusEvidence(NamedTuple):
    """What is known of a request that went out: the status that came, and after how many."""

    status: object = None
    attempts: object = 1


def _status_from_error(prepared: PreparedCall, error: Exception) -> _StatusEvidence | None:
    """What an exception tells of the request under way; None where none went out."""
    if not prepared.delivery.is_waiting or isinstance(error, RefusedRequest):
        return None
    if isinstance(error, NoResponse):
        return _StatusEvidence(error.status) if error.sent else None
    return _StatusEvidence(error.status if isinstance(error, ResponseTooLarge) else None)


def _infer_effect(
    prepared: PreparedCall, known: _StatusEvidence | None, *, is_done: bool | None = None
) -> CallEffect:
    """
    What a request has changed, as far as it is known.

    Args:
        is_done: Whether its response says that it was done; None where that cannot be read.
    """
    if not prepared.is_write or known is None:
        return "none"
    status = known.status
    if not isinstance(status, int) or status >= _FIRST_FAULT:
        return "unknown"
    if is_done is None and _FIRST_REDIRECT <= status < _FIRST_ERROR:
        return "unknown"
    if status >= _FIRST_ERROR:
        # What an earlier attempt has done may be why the last one was refused.
        return "none" if known.attempts == 1 else "unknown"
    return "none" if is_done is False else "done"


def _add_notes(prepared: PreparedCall, result: Result) -> Result:
    doubt = EFFECT_NOTES[result.effect] if not result.ok else ""
    if not (prepared.repairs or prepared.delivery.is_token_dropped or doubt):
        return result
    dropped = "the access token was refused and is forgotten; the next call asks for another"
    warnings = (*result.warnings, *([dropped] if prepared.delivery.is_token_dropped else []))
    text = f"{result.text}{doubt}"
    return replace(result, text=text, repairs=prepared.repairs, warnings=warnings)


def _result_from_unreadable(prepared: PreparedCall, response: Response, error: Exception) -> Result:
    """A response that cannot be read; nothing of it is shown, since its secrets are not masked."""
    status = response.status
    effect = _infer_effect(prepared, _StatusEvidence(status, response.attempts))
    line = f" ({status_line(status)})" if type(status) is int else ""
    name = prepared.tool.name
    why = f"cannot be read: {type(error).__name__}{EFFECT_NOTES[effect]}"
    return Result(
        kind="no_response",
        text=f"the response of {name}{line} {why}",
        request=prepared.request,
        repairs=prepared.repairs,
        effect=effect,
        error=error,
    )


def _result_without_renewal(
    prepared: PreparedCall, response: Response, error: Exception, files: Path | None
) -> Result:
    """The answer that a credential was refused, with the reason why no other one was used."""
    result = finish_call(prepared, response, files)
    why = _result_from_error(prepared, error, "none").text
    what = "another token" if prepared.delivery.is_token_dropped else "another credential"
    text = f"{result.text}; {what} was not used: {why}"
    return replace(result, text=text, error=error)


def _result_from_error(prepared: PreparedCall, error: Exception, effect: CallEffect) -> Result:
    """A failure in the words of an error that is ours, and by the type of any other."""
    is_of_user = isinstance(error, NoToken | MissingCredential)
    kind = "refused" if is_of_user or isinstance(error, RefusedRequest) else "no_response"
    name = f"{prepared.tool.name} failed: {type(error).__name__}"
    try:
        why = error.message if isinstance(error, RestwrightError) else name
        result = result_without_response(kind, prepared.request, why, effect)
    except Exception:  # noqa: BLE001 - what cannot be masked is not shown
        text = f"{name}{EFFECT_NOTES[effect]}"
        result = Result(kind=kind, text=text, request=prepared.request, effect=effect)
    repairable_by = "user" if is_of_user else None
    return replace(result, repairable_by=repairable_by, error=error)
