"""
The keys of a SlashGPT manifest: those that its engine reads, and those that it does not.

Source: SlashGPT, "Manifest File Is All You Need", and the manifests that come with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from types import MappingProxyType

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.manifests.text.warnings import Note

ValueCheck = Callable[[Json], bool]


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_number(value: Json) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return True
    # Two manifests write `"0.0"`.
    return isinstance(value, str) and bool(re.fullmatch(r"\d+(\.\d+)?", value))


def _is_flag(value: Json) -> bool:
    return isinstance(value, bool)


def _is_lines(value: Json) -> bool:
    return _is_text(value) or (is_array(value) and all(isinstance(item, str) for item in value))


def _is_list(value: Json) -> bool:
    return is_array(value)


def _is_text_or_list(value: Json) -> bool:
    return _is_text(value) or is_array(value)


def _is_text_or_object(value: Json) -> bool:
    return _is_text(value) or is_object(value)


LIVE_KEYS: Mapping[str, ValueCheck] = MappingProxyType(
    {
        "title": _is_text,
        "description": _is_text,
        "prompt": _is_lines,
        "bot": _is_text,
        "you": _is_text,
        "intro": _is_lines,
        "sample": _is_lines,
        "temperature": _is_number,
        "model": _is_text_or_object,
        "stream": _is_flag,
        "logprobs": _is_number,
        "num_completions": _is_number,
        "functions": _is_text_or_list,
        "function_call": _is_text,
        "actions": is_object,
        "module": _is_text,
        "notebook": _is_flag,
        "form": _is_text,
        "result_form": _is_text,
        "skip_function_result": _is_flag,
        "resource": _is_text,
        "list": _is_list,
        "agents": _is_list,
        "embeddings": is_object,
    }
)
"""`{key: whether a value is of the kind that it takes}`."""

EXPECTED: Mapping[ValueCheck, str] = MappingProxyType(
    {
        _is_text: "a text",
        _is_number: "a number",
        _is_flag: "true or false",
        _is_lines: "a text, or a list of texts",
        _is_list: "a list",
        _is_text_or_list: "a list, or the name of a file",
        _is_text_or_object: "a name, or an object",
        is_object: "an object",
    }
)
"""What a value must be that a check lets through."""

DEAD_KEYS = frozenset(
    {"about", "source", "language", "modelx", "wip", "x_form", "help", "memo", "translator", "data"}
)
"""Keys that occur and that nothing reads."""
SILENT_KEYS = frozenset({"about", "source", "language", "help", "memo", "wip", "format"})
"""Those of them that say something to people, and need no word."""
UNUSED_KEYS = frozenset({"stream", "logprobs", "num_completions"})
"""Keys of the engine that are not passed on to a model here."""

OWN_KEYS = frozenset({"apis", "agent", "code", "limits", "samples", "mcp", "policy", "x-slashgpt"})
"""Keys by which a manifest is told to be one of our own."""

_DISABLED = re.compile(r"x[_-].+|modelx")
_REPLACED: Mapping[str, str] = {
    "translator": "it was removed in June 2023",
    "data": "write `list` for what {random} is taken from",
}


def check_keys(file: str, raw: JsonObject) -> list[Note]:
    """What is to be said about the keys of a manifest."""
    return [note for key, value in raw.items() if (note := _check_key(file, key, value))]


def describe_kind(value: Json) -> str:
    """What a value is, in the words of JSON."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, str):
        return "a text"
    if is_array(value):
        return "a list"
    return "an object" if is_object(value) else "a number"


def drop_unusable_keys(raw: JsonObject) -> JsonObject:
    """The keys whose values are of the kind that they take."""
    return {key: each for key, each in raw.items() if key not in LIVE_KEYS or LIVE_KEYS[key](each)}


def _check_key(file: str, key: str, value: Json) -> Note | None:
    check = LIVE_KEYS.get(key) or (
        LIVE_KEYS["sample"] if key.strip().startswith("sample") else None
    )
    if check is not None and not check(value):
        what = f"{EXPECTED[check]} is expected, not {describe_kind(value)}"
        return Note(kind="value", file=file, where=key, what=what, action="it is ignored")
    if key in UNUSED_KEYS:
        what = "it is not passed on to a model"
        return Note(kind="dead-key", file=file, where=key, what=what, action="remove it")
    if check is not None or key in SILENT_KEYS:
        return None
    if key in DEAD_KEYS or _DISABLED.fullmatch(key):
        action = _REPLACED.get(key, "it is switched off, and stays so")
        return Note(kind="dead-key", file=file, where=key, what="nothing reads it", action=action)
    near = get_close_matches(key, (*LIVE_KEYS, *OWN_KEYS), n=1, cutoff=0.75)
    action = f"did you mean `{near[0]}`?" if near else "it is ignored; begin it with x- to keep it"
    return Note(kind="key", file=file, where=key[:60], what="no such key is known", action=action)
