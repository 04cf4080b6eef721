"""JSON in few characters: first items whole, and counts of what was left out."""

from __future__ import annotations

import json
from collections.abc import Sequence

from restwright.typing import Json, JsonObject, is_array, is_object

_MARK = 40  # characters that a count of what was left out may take
_LEAST = 40  # a longer value is given at least so many characters, or left out


def compact(value: Json) -> str:
    """Return `value` as JSON in one line; NaN and the like become strings."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        return json.dumps(str(value))
    return text


def shorten(value: Json, max_chars: int) -> str:
    """
    Return JSON text of `value` in at most `max_chars` characters, 64 at least.

    Arrays keep their first items whole and end with `"... 58 more items"`; objects keep every
    property that has room, small values first, and end with `"...": "3 more properties"`; strings
    end with `... (1,200 more characters)`.
    """
    return _fit(value, max(max_chars, 64))


def one_line(text: str, max_chars: int) -> str:
    """Return `text` with white space collapsed, cut to `max_chars`."""
    flat = " ".join(text[: max_chars * 8].split())
    return flat if len(flat) <= max_chars else flat[: max_chars - 3] + "..."


def _fit(value: Json, room: int) -> str:
    text = compact(value)
    if len(text) <= room:
        return text
    if is_object(value):
        text = _fit_object(value, room)
    elif is_array(value):
        text = _fit_array(value, room)
    else:
        text = _fit_string(value if isinstance(value, str) else text, room)
    return text if len(text) <= room else '"..."'


def _fit_string(text: str, room: int) -> str:
    kept = max(0, room - _MARK)
    while True:
        cut = compact(f"{text[:kept]}... ({len(text) - kept:,} more characters)")
        if len(cut) <= room or not kept:
            return cut
        # What JSON escapes takes more room than it has characters.
        kept = max(0, kept - (len(cut) - room))


def _fit_array(items: Sequence[Json], room: int) -> str:
    kept: list[str] = []
    left = room - 2 - len(_more(len(items), "item"))
    for item in items:
        text = compact(item)
        if len(text) + 1 > left:
            if not kept and left > _LEAST:
                kept.append(_fit(item, left - 1))
            break
        kept.append(text)
        left -= len(text) + 1
    return f"[{','.join([*kept, _more(len(items) - len(kept), 'item')])}]"


def _fit_object(value: JsonObject, room: int) -> str:
    names = {key: compact(str(key)) for key in value}
    sizes = {key: len(compact(each)) for key, each in value.items()}
    kept = _names_that_fit(names, sizes, room - 2)
    more = _more(len(value) - len(kept), "property", "properties")
    left = room - 2 - sum(len(names[key]) + 2 for key in kept)
    left -= len(f'"...":{more}') if len(kept) < len(value) else 0
    texts: dict[str, str] = {}
    # Small values first: what they do not use is left for the large ones.
    by_size = sorted(kept, key=lambda key: sizes[key])
    for position, key in enumerate(by_size):
        texts[key] = _fit(value[key], left // (len(by_size) - position))
        left -= len(texts[key])
    pairs = [f"{names[key]}:{texts[key]}" for key in kept]
    if len(kept) < len(value):
        pairs.append(f'"...":{more}')
    return "{" + ",".join(pairs) + "}"


def _names_that_fit(names: dict[str, str], sizes: dict[str, int], room: int) -> list[str]:
    """Return as many names, in their order, as have room for themselves and a bit of value."""
    needs = {key: len(name) + 2 + min(sizes[key], _LEAST) for key, name in names.items()}
    if sum(needs.values()) <= room:
        return list(names)
    room -= len('"...":') + len(_more(len(names), "property", "properties"))
    kept: list[str] = []
    for key, need in needs.items():
        room -= need
        if room < 0:
            break
        kept.append(key)
    return kept


def _more(count: int, one: str, many: str = "") -> str:
    return f'"... {count:,} more {one if count == 1 else many or one + "s"}"'
