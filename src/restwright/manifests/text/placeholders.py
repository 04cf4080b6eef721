"""
Values put into the texts of manifests: in one pass, by name alone.

What is put in is never looked at again, and a name is only a name: nothing of a value is reached
into, and nothing says how it is written. There are two ways to write a text. A prompt has a few
fixed names and no escapes; in any other template, `{name}` is an argument, and `{{` and `}}` are
braces, as Python's `str.format()` has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import quote

from restwright.calls.truncate import compact_json
from restwright.jsontypes import Json, is_array, is_object

_NAME = r"[^\W\d][\w-]*"
_FORM = re.compile(r"\{\{|\}\}|\{(" + _NAME + r")\}")
_WHOLE = re.compile(r"\{(" + _NAME + r")\}")
# What `str.format()` would reach into, convert or format: `{a.b}`, `{a[0]}`, `{a!r}`, `{a:>9}`.
_REACHING = re.compile(r"\{\w[^{}.\[!:]*+[.\[!:][^{}]*+\}")
# The same in a prompt, where braces may stand for themselves.
_REACHING_IN_PROMPT = re.compile(r"\{\w+[.\[!][^{}]*[{}]")
# All that may stand in a URL, for the parts of it that the manifest itself writes.
_OF_URLS = "%:/?#[]@!$&'()*+,;=-._~"


def fill_template(
    template: str,
    values: Mapping[str, Json],
    *,
    shown: Callable[[Json], str] | None = None,
    missing: str = "",
) -> str:
    """
    Put `values` in the place of `{name}`, and single braces in that of double ones.

    Args:
        shown: How a value is written; as Python does, where None.
        missing: Stands for a value that is not there, or is None.
    """
    write = shown or as_text

    def put(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0]
        value = values.get(match[1])
        return missing if value is None else write(value)

    return _FORM.sub(put, template)


def fill_prompt(prompt: str, values: Mapping[str, str | Iterator[str]]) -> str:
    """
    Put `values` into a prompt as they are; braces around another name stay.

    Args:
        values: A text is put in where its name stands first; one after another, wherever it stands.
    """
    if not values:
        return prompt
    done: set[str] = set()

    def put(match: re.Match[str]) -> str:
        name, value = match[1], values[match[1]]
        if not isinstance(value, str):
            return next(value, match[0])
        if name in done:
            return match[0]
        done.add(name)
        return value

    return re.sub(r"\{(" + "|".join(map(re.escape, values)) + r")\}", put, prompt)


def placeholder_names(template: str) -> tuple[str, ...]:
    """The names between single braces, each once, in order."""
    found = (match[1] for match in _FORM.finditer(template) if match[1] is not None)
    return tuple(dict.fromkeys(found))


def sole_placeholder(template: str) -> str | None:
    """The name, where the template is nothing but one."""
    match = _WHOLE.fullmatch(template)
    return match[1] if match else None


def find_field_accesses(template: str) -> tuple[str, ...]:
    """What of a template would reach into a value elsewhere, and stays as it is here."""
    plain = template.replace("{{", "").replace("}}", "")
    return tuple(match[0] for match in _REACHING.finditer(plain))


def find_prompt_field_accesses(prompt: str) -> tuple[str, ...]:
    """The same for a prompt."""
    return tuple(match[0] for match in _REACHING_IN_PROMPT.finditer(prompt))


def as_text(value: Json) -> str:
    """A value as Python writes it, so that a list shows its quotes: `['tim@apple.com']`."""
    return str(value)


def encode_url_value(value: Json) -> str:
    """A value as a part of a URL, all of it percent-encoded."""
    return quote(_format_scalar(value), safe="", errors="replace")


def encode_header_value(value: Json) -> str:
    """A value as a part of a header, as JSON writes it."""
    return _format_scalar(value)


def encode_url_text(text: str) -> str:
    """What a manifest writes of a URL, with what may not stand in one percent-encoded."""
    return quote(text, safe=_OF_URLS, errors="replace")


def split_template(template: str) -> Iterator[tuple[str, str | None]]:
    """`(text, name after it)` one after another; the last name is None."""
    start = 0
    text = ""
    for match in _FORM.finditer(template):
        text += template[start : match.start()]
        start = match.end()
        if match[1] is None:
            text += match[0][0]
            continue
        yield text, match[1]
        text = ""
    yield text + template[start:], None


def _format_scalar(value: Json) -> str:
    if isinstance(value, str):
        return value
    return compact_json(value) if is_object(value) or is_array(value) else _format_literal(value)


def _format_literal(value: Json) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)
