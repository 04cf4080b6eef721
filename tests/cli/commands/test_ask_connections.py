"""Connections that `restwright ask` is told of."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--server", "staging"], "no server to send things to"),
        (["--server", "http://h:{port}", "--server-variable", "port=a b"], "would change the host"),
    ],
)
def test_a_choice_that_an_api_has_not_is_told_before_a_model_is_asked(
    restwright, things, options, text
):
    ended = restwright("ask", "What?", "-a", f"things={things}", *options, "--model", "openai:none")
    assert ended.code == 1
    assert text in ended.err
