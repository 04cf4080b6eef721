"""Why an operation was found."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from restwright.tools.search.query_terms import Expanded, Wanted
from restwright.tools.search.weights import FIELD_WEIGHTS, FIELDS, TEXTS, Field

_WORDS = 5
_PLACES: Mapping[Field, str] = {"inputs": "parameters", "input_texts": "texts of parameters"}
_Own = Mapping[Field, Collection[str]]


def why(asked: Expanded, stored: Mapping[str, Sequence[str]]) -> str:
    """Which words of a query stand in which fields of an operation: `order (name), price (...)`."""
    own: _Own = {field: frozenset(stored[field][0].split()) for field in FIELDS if field in stored}
    found: dict[str, tuple[float, str]] = {}
    for each in asked.wanted:
        fields = _fields(each, own)
        if fields:
            known = found.get(each.word, (0.0, ""))
            found[each.word] = max(known, (_weight(each, fields), _text(each, fields)))
    best = sorted(found.values(), key=lambda each: -each[0])[:_WORDS]
    texts = [text for _, text in best]
    if not texts:
        texts = [f"{verb} (verb)" for verb in asked.verbs if verb in own.get("verbs", ())]
    return f"matches {', '.join(texts) or 'words that are spelt nearly so'}"


def _fields(wanted: Wanted, own: _Own) -> list[Field]:
    return [field for field in TEXTS if wanted.token in own.get(field, ())]


def _weight(wanted: Wanted, fields: Sequence[Field]) -> float:
    return wanted.weight * sum(FIELD_WEIGHTS[field] for field in fields)


def _text(wanted: Wanted, fields: Sequence[Field]) -> str:
    places = ", ".join(_PLACES.get(field, field) for field in fields)
    word = wanted.word if wanted.is_own else f"{wanted.word} as {wanted.token}"
    return f"{word} ({places})"
