"""What a server asks to wait before it is asked again."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from restwright.net.messages import Response


def retry_after_s(response: Response, *, now: datetime | None = None) -> float | None:
    """
    Read the `Retry-After` of a response.

    Args:
        response: A date is counted from its own `Date`, since its clock may differ from this one's.
        now: Stands for a `Date` that is missing or none; this machine's time where None.

    Returns:
        Seconds, 0 for a date that has passed, without an upper bound; None where nothing is asked
        or it is neither a number nor a date.

    Source: RFC 9110, "Retry-After" and "Date".
    """
    text = response.header("retry-after").strip()
    if text.isascii() and text.isdigit():
        # No more digits than a float has.
        return float(text) if len(text) < 16 else 1e15
    instant = _instant(text)
    if instant is None:
        return None
    sent = _instant(response.header("date")) or now or datetime.now(UTC)
    return max((instant - sent).total_seconds(), 0.0)


def _instant(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
