"""Plain JSON values become YAML that people read and our reader reads back as the same."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from restwright.jsontypes import Json
from restwright.openapi.syntax.yaml_reader import is_plain_string

WIDTH = 96

# What a reader of YAML may take for the end of a line, and what nobody sees.
_ODD = re.compile("[\x00-\x09\x0b-\x1f\x7f-\xa0\u2028\u2029\ufeff]")


def to_yaml(value: Json) -> str:
    """Write `value`, members in their order, texts of several lines as blocks."""
    import yaml

    return yaml.dump(
        value, Dumper=_make_dumper(), sort_keys=False, allow_unicode=True, width=WIDTH, indent=2
    )


@cache
def _make_dumper() -> Any:
    import yaml

    class Dumper(yaml.SafeDumper):
        # A value that stands at two places is written twice: nobody reads anchors.
        def ignore_aliases(self, data: Any) -> bool:
            return True

        # A list stands deeper than the key that it belongs to.
        def increase_indent(self, flow: Any = False, indentless: Any = False) -> None:  # noqa: FBT002
            super().increase_indent(flow, indentless=False)

    # What PyYAML takes for text under YAML 1.1 may be a number as our reader sees it.
    def text(dumper: Any, value: str) -> Any:
        is_odd = _ODD.search(value) or not is_plain_string(value)
        style = '"' if is_odd else "|" if "\n" in value else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", str(value), style=style)

    # Of `str` itself, and of classes made of it.
    Dumper.add_representer(str, text)
    Dumper.add_multi_representer(str, text)
    return Dumper
