"""How a request is refused: as OpenAI does it, whose clients raise an exception by the status."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse, Response

from restwright.jsontypes import JsonObject

_RETRY_AFTER_S = 5


def error_json(
    why: str, *, kind: str, param: str | None = None, code: str | None = None
) -> JsonObject:
    """What is wrong, as a member `error`."""
    return {"error": {"message": why, "type": kind, "param": param, "code": code}}


def refuse_request(
    status: int,
    why: str,
    *,
    kind: str = "invalid_request_error",
    param: str | None = None,
    code: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """
    Refuse a request.

    Args:
        param: The member of its body that is meant.
        code: By which clients tell it from others.
    """
    body = error_json(why, kind=kind, param=param, code=code)
    return JSONResponse(body, status, headers=headers)


def refuse_when_full() -> Response:
    """Refuse what no run can begin for now."""
    why = "too many runs are under way: try again in a while"
    headers = {"retry-after": str(_RETRY_AFTER_S)}
    return refuse_request(429, why, kind="rate_limit_error", code="too_many_runs", headers=headers)
