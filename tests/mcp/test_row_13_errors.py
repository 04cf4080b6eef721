"""Row 13: what an API refuses is told with its status, its words, and what can be done."""

from __future__ import annotations

from tests.support.mcp.serving import call, serving_api, texts


def test_the_words_of_the_api_are_there(api, tmp_path, era):
    result = call(serving_api(api, tmp_path), era, "tricky__fails")
    assert result.is_error
    assert "409 Conflict" in texts(result)[0]
    assert "stack is full" in texts(result)[0]
    assert texts(result)[1] == '{"detail":"stack is full","code":7}'


def test_who_can_mend_it_is_told(api, tmp_path, era):
    api.fixed["/fails"] = (403, "application/json", b'{"detail": "not yours"}')
    told = texts(call(serving_api(api, tmp_path), era, "tricky__fails"))[0]
    assert "Other arguments will not help" in told
    api.fixed["/fails"] = (408, "application/json", b"{}")
    assert "Try again" in texts(call(serving_api(api, tmp_path), era, "tricky__fails"))[0]
