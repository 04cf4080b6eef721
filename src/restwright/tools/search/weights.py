"""
How much each field counts.

Tuned on the even-numbered queries of RestBench alone; `benchmarks/search.py` shows what each gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

SearchField = Literal[
    "name",
    "path",
    "summary",
    "description",
    "inputs",
    "input_texts",
    "response",
    "tags",
    "title",
    "verbs",
]
SEARCH_FIELDS: tuple[SearchField, ...] = get_args(SearchField)
TEXT_FIELDS: tuple[SearchField, ...] = SEARCH_FIELDS[:-1]
"""Those whose words are words of texts."""

FIELD_WEIGHTS: Mapping[SearchField, float] = {
    "name": 1.5,
    "path": 1.5,
    "summary": 1.5,
    "description": 0.8,
    "inputs": 0.8,
    "input_texts": 0.3,
    "response": 0.8,
    "tags": 0.6,
    "title": 0.6,
    "verbs": 0.5,
}

API_FIELDS: Mapping[SearchField, float] = {
    "name": 1.0,
    "path": 1.0,
    "summary": 1.0,
    "tags": 1.0,
    "title": 1.0,
    "description": 0.5,
    "inputs": 0.5,
}
"""What a word counts for the vocabulary of an API: the best field of each operation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchWeights:
    """
    What counts how much, where a word of the query in the best field counts 1.

    Args:
        fields: Of an operation.
        synonym: A word that means the same as one that was asked for.
        joined: Two words of the query written as one.
        misspelt: Words that are nearly the one that was asked for, which no operation has.
        compound: In languages that write several words as one, a word that is a part of the one
            that was asked for, or the other way round, where no operation has that one.
        other_fields: The fields that a word is found in besides the best one.
        name: A word of a name (`Titanic`, `"My Rock"`), which is a value more than an operation.
        number: A number or an ordinal.
        question: What a question word asks for.
        api_first: The power of an API's fit that the scores of its operations are multiplied by.
        best_of_api: The best operation of an API beside the vocabulary of the whole of it.
        least_fit: Of an API that has none of the words, in relation to the best one.
        least_rarity: What a word that nearly all operations have counts, as BM25 counts rarity.
    """

    fields: Mapping[SearchField, float] = field(default_factory=lambda: FIELD_WEIGHTS)
    synonym: float = 0.5
    joined: float = 0.7
    misspelt: float = 0.5
    compound: float = 0.25
    other_fields: float = 0.3
    name: float = 0.6
    number: float = 0.3
    question: float = 0.5
    api_first: float = 1.0
    best_of_api: float = 0.5
    least_fit: float = 0.05
    least_rarity: float = 1.5


DEFAULT_WEIGHTS = SearchWeights()
