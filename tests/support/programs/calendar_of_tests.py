"""A module of a manifest, as simple as they come."""

import calendar


def days(month: int) -> int:
    return calendar.monthrange(2025, month)[1]
