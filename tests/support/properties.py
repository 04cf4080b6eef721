"""How many examples property tests try: few by default, all of them in the large profile."""

from __future__ import annotations

import os

from hypothesis import settings

IS_LARGE = os.environ.get("HYPOTHESIS_PROFILE") == "large"
IS_CI = "CI" in os.environ
FEW = 12


def load_profile() -> None:
    """Have Hypothesis try few examples, or its own number of them in the large profile."""
    # How long an example takes tells of the machine, not of the code. Whether a change may be
    # merged must not depend on what is drawn; by hand, each run draws anew.
    settings.register_profile(
        "restwright",
        max_examples=100 if IS_LARGE else FEW,
        deadline=None,
        derandomize=IS_CI,
    )
    settings.load_profile("restwright")


def examples(number: int) -> int:
    """The number of examples of one test, of which the large profile tries all."""
    return number if IS_LARGE else min(number, FEW)
