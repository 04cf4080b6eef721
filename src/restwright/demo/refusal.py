"""The one way in which the shop says no."""

from __future__ import annotations

from restwright.jsontypes import JsonObject


class Refusal(Exception):
    """
    A request that is answered with an error status.

    Args:
        status: The HTTP status code.
        code: A fixed word for the kind of error.
        message: What is wrong and what to do about it.
        field: The parameter or body property that is wrong, if one is.
    """

    def __init__(self, status: int, code: str, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.field = status, code, message, field

    @property
    def body(self) -> JsonObject:
        """The response body: `{"error": {"code", "message", "field"?}}`."""
        error = {"code": self.code, "message": self.message}
        return {"error": error | ({"field": self.field} if self.field else {})}


def not_found(field: str, value: str, where: str) -> Refusal:
    """404 for an id that nothing has; `where` names the operation that lists the right ones."""
    message = f"No {field.removesuffix('_id')} has the id {value[:60]!r}; take one from {where}."
    return Refusal(404, "not_found", message, field=field)


def conflict(code: str, message: str, *, field: str | None = None) -> Refusal:
    """409 for a request that the present state does not allow."""
    return Refusal(409, code, message, field=field)


def invalid(field: str, message: str, *, code: str = "invalid_value") -> Refusal:
    """422 for a value that is missing or not allowed."""
    return Refusal(422, code, message, field=field)
