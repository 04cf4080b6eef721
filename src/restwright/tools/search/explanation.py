"""Why an operation was found."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from restwright.tools.search.query_terms import ExpandedQuery, QueryTerm
from restwright.tools.search.weights import FIELD_WEIGHTS, SEARCH_FIELDS, TEXT_FIELDS, SearchField

_WORDS = 5
_PLACES: Mapping[SearchField, str] = {"inputs": "parameters", "input_texts": "texts of parameters"}
_Own = Mapping[SearchField, Collection[str]]


def explain_match(query: ExpandedQuery, stored: Mapping[str, Sequence[str]]) -> str:
    """Which words of a query stand in which fields of an operation: `order (name), price (...)`."""
    own: _Own = {
        field: frozenset(stored[field][0].split()) for field in SEARCH_FIELDS if field in stored
    }
    found: dict[str, tuple[float, str]] = {}
    for query_term in query.terms:
        fields = _matching_fields(query_term, own)
        if fields:
            known = found.get(query_term.word, (0.0, ""))
            found[query_term.word] = max(
                known, (_match_weight(query_term, fields), _format_match(query_term, fields))
            )
    best = sorted(found.values(), key=lambda each: -each[0])[:_WORDS]
    texts = [text for _, text in best]
    if not texts:
        texts = [f"{verb} (verb)" for verb in query.verbs if verb in own.get("verbs", ())]
    return f"matches {', '.join(texts) or 'words that are spelt nearly so, or are a part'}"


def _matching_fields(wanted: QueryTerm, own: _Own) -> list[SearchField]:
    return [field for field in TEXT_FIELDS if wanted.token in own.get(field, ())]


def _match_weight(wanted: QueryTerm, fields: Sequence[SearchField]) -> float:
    return wanted.weight * sum(FIELD_WEIGHTS[field] for field in fields)


def _format_match(wanted: QueryTerm, fields: Sequence[SearchField]) -> str:
    places = ", ".join(_PLACES.get(field, field) for field in fields)
    word = wanted.word if wanted.is_original else f"{wanted.word} as {wanted.token}"
    return f"{word} ({places})"
