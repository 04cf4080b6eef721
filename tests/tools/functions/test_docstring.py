"""What is read from docstrings of three styles."""

from __future__ import annotations

import logging

import pytest

from restwright.tools.functions.docstring import FunctionDocs, parse_docstring

GOOGLE = """Search the shop.

Several lines
of description.

Args:
    query: Words to
        look for.
    limit (int): At most this many.

Note:
    Closed on Sundays.

Returns:
    What was found, the best first.

Raises:
    ValueError: Where the query is empty.
"""
NUMPY = """Search the shop.

Several lines
of description.

Parameters
----------
query : str
    Words to
    look for.
limit : int, optional
    At most this many.

Returns
-------
list of str
    What was found, the best first.
"""
SPHINX = """Search the shop.

Several lines
of description.

:param query: Words to
    look for.
:param int limit: At most this many.
:returns: What was found, the best first.
:raises ValueError: Where the query is empty.
"""
PARAMETERS = {"query": "Words to look for.", "limit": "At most this many."}
TEXT = "Search the shop.\n\nSeveral lines\nof description."


@pytest.mark.parametrize(
    ("style", "text"),
    [
        (GOOGLE, f"{TEXT}\n\nNote: Closed on Sundays."),
        (NUMPY, TEXT),
        (SPHINX, TEXT),
    ],
    ids=["google", "numpy", "sphinx"],
)
def test_parameters_and_results_are_read_in_each_style(style: str, text: str) -> None:
    def search() -> None: ...

    search.__doc__ = style
    returns = "What was found, the best first."
    expected = FunctionDocs(text=text, parameters=PARAMETERS, returns=returns)
    assert parse_docstring(search) == expected


def test_a_docstring_that_is_none_or_has_no_section_is_a_text() -> None:
    def silent() -> None: ...

    def plain() -> None:
        """Say it: Args are nice.

        Returns the thing.
        """

    assert parse_docstring(silent) == FunctionDocs()
    assert parse_docstring(plain).text == "Say it: Args are nice.\n\nReturns the thing."


def test_what_is_odd_in_a_docstring_is_logged_by_nobody(caplog: pytest.LogCaptureFixture) -> None:
    def odd(**rest: int) -> None:
        """Do.

        Args:
            no colon here
            missing: of no parameter
        """
        del rest

    with caplog.at_level(logging.DEBUG):
        assert parse_docstring(odd).text == "Do."
    assert not caplog.records
