"""What a docstring says of a function: in Google's, NumPy's or Sphinx's sections."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from griffe import DocstringSection

_SPHINX = re.compile(r"^\s*:(param|parameter|arg|argument|key|returns?|raises?)\b", re.MULTILINE)
_NUMPY = re.compile(r"^\s*(Other Parameters|Parameters|Returns|Raises)\n\s*-{3,}", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionDocs:
    """
    A docstring in parts.

    Args:
        text: What is said of the whole, without sections of parameters, results and exceptions.
        parameters: `{name of a parameter: text}`.
        returns: Of what it gives; empty where nothing is said.
    """

    text: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])
    returns: str = ""


def parse_docstring(documented: object) -> FunctionDocs:
    """Read the docstring of a function or class; its style is told from its marks."""
    import griffe

    whole: list[str] = []
    parameters: dict[str, str] = {}
    returns: list[str] = []
    for section in _parse_sections(inspect.getdoc(documented) or ""):
        if isinstance(section, griffe.DocstringSectionText):
            whole.append(section.value)
        elif isinstance(section, griffe.DocstringSectionAdmonition):
            whole.append(f"{section.title}: {_join_lines(section.value.contents)}")
        elif isinstance(
            section, griffe.DocstringSectionParameters | griffe.DocstringSectionOtherParameters
        ):
            parameters |= {part.name: _join_lines(part.description) for part in section.value}
        elif isinstance(section, griffe.DocstringSectionReturns):
            returns += [_join_lines(part.description) for part in section.value]
    return FunctionDocs(
        text="\n\n".join(whole).strip(), parameters=parameters, returns=" ".join(returns)
    )


def _parse_sections(text: str) -> list[DocstringSection]:
    """What is odd in a docstring griffe would say by a logger, which is nobody's business here."""
    import griffe

    docstring = griffe.Docstring(text)
    if _SPHINX.search(text):
        return griffe.parse_sphinx(docstring, warnings=False)
    if _NUMPY.search(text):
        return griffe.parse_numpy(docstring, warnings=False)
    return griffe.parse_google(
        docstring, warnings=False, returns_multiple_items=False, returns_named_value=False
    )


def _join_lines(text: str) -> str:
    return " ".join(text.split())
