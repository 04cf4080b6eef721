"""What a model reads about its mistakes."""

from __future__ import annotations

from restwright.calls.feedback import feedback
from restwright.calls.mismatch import Mismatch


def test_feedback_is_one_line_a_mismatch() -> None:
    mismatches = (
        Mismatch("/pet/age", "an integer >= 0", '"three"'),
        Mismatch("/nam", "no property of this name", '"x"', "did you mean name?"),
    )
    assert feedback("add_pet", mismatches) == (
        "add_pet was not called. Fix these and call it again:\n"
        '/pet/age: expected an integer >= 0, got "three"\n'
        '/nam: expected no property of this name, got "x" (did you mean name?)'
    )


def test_feedback_is_bounded_and_counts_the_rest() -> None:
    lines = feedback("t", [Mismatch(f"/{number}", "x", "y") for number in range(50)]).split("\n")
    assert (len(lines), lines[-1]) == (22, "... and 30 more")
