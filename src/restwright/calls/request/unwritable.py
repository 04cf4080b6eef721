"""What a request cannot carry."""

from __future__ import annotations


class Unwritable(ValueError):
    """
    A value that its place in a request cannot carry; the text says what is expected instead.

    Args:
        path: Where in the value; `()` for all of it.
    """

    def __init__(self, expected: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(expected)
        self.path = path
