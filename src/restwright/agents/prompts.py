"""
Prompts are files: `prompts/NAME.md`, read once.

A file is a sequence of messages. A line `# system`, `# user` or `# assistant` starts one;
`{{name}}` is replaced by a value, in one pass, so that text put in is never a placeholder.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import cast

from restwright.agents.steps import Message, Speaker

_HEADING = re.compile(r"^# (system|user|assistant)\n", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}")


@cache
def _template(name: str) -> tuple[tuple[Speaker, str], ...]:
    text = files("restwright.agents").joinpath("prompts", f"{name}.md").read_text("utf-8")
    parts = _HEADING.split(text)[1:]
    return tuple(
        (cast("Speaker", speaker), body.strip())
        for speaker, body in zip(parts[::2], parts[1::2], strict=True)
    )


def render(name: str, **values: str) -> tuple[Message, ...]:
    """
    Fill the prompt `name`.

    Raises:
        KeyError: The file names a placeholder that is not in `values`.
    """
    return tuple(
        Message(speaker, _PLACEHOLDER.sub(lambda match: values[match[1]], body))
        for speaker, body in _template(name)
    )
