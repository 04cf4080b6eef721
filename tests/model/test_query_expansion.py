"""The local model words what to search for."""

from __future__ import annotations

import pytest

from restwright.agents.models.local import LocalModel
from restwright.agents.prompting.query_expansion import expander

pytestmark = pytest.mark.model


def test_the_local_model_says_in_api_words_what_a_question_needs(model: LocalModel) -> None:
    notes: list[str] = []
    phrases = expander(model, on_note=notes.append)("Cancel my last order")
    assert notes == []
    assert 1 <= len(phrases) <= 4
    assert any("order" in each.lower() for each in phrases)
