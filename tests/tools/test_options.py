"""How tools are presented: only what there is, refused at once."""

from __future__ import annotations

from typing import Any

import pytest

from restwright.tools.options import ToolOptions


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"naming": "foo"}, "naming='foo' is not one of 'operation-id', 'accessor'"),
        ({"layout": "foo"}, "layout='foo' is not one of 'flat', 'grouped'"),
        ({"describe": None}, "describe=None is not one of 'short', 'full'"),
        ({"namespace_style": "foo"}, "namespace_style='foo' is not one of 'sound', 'url'"),
        ({"name_length": 31}, "name_length=31 is not 32 to 64 characters"),
        ({"name_length": 65}, "name_length=65 is not 32 to 64 characters"),
        ({"budget": 499}, "budget=499 is less than 500 characters"),
        ({"lean": True, "describe": "full"}, "lean=True and describe='full' exclude each other"),
    ],
)
def test_a_wrong_value_is_refused_at_once(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole text is compared
        ToolOptions(**wrong)
    assert str(caught.value) == said
