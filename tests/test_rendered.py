"""What models read is as it was written down: `python -m tests.rendered` writes it again."""

from __future__ import annotations

import pytest
from tests.rendered import FOLDER, SCRIPTS, rendered


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_model_reads_what_it_has_read_before(name: str) -> None:
    assert rendered(name) == (FOLDER / f"{name}.txt").read_text("utf-8")
