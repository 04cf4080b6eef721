"""
How much each field counts.

Tuned on the even-numbered queries of RestBench alone; `benchmarks/search.py` shows what each gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

Field = Literal[
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
FIELDS: tuple[Field, ...] = get_args(Field)
TEXTS: tuple[Field, ...] = FIELDS[:-1]
"""Those whose words are words of texts."""

FIELD_WEIGHTS: Mapping[Field, float] = {
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

SYNONYM = 0.5
"""Of a word that means the same as one that was asked for."""
JOINED = 0.7
"""Of two words of the query written as one."""
MISSPELT = 0.5
"""Of words that are nearly the one that was asked for, which no operation has."""
OTHER_FIELDS = 0.3
"""Of the fields that a word is found in besides the best one."""
API_FIRST = 2.0
"""The power of an API's fit that the scores of its operations are multiplied by."""
MIN_FIT = 0.05
"""Of an API that has none of the words, in relation to the best one."""
API_FIELDS: Mapping[Field, float] = {
    "name": 1.0,
    "path": 1.0,
    "summary": 1.0,
    "tags": 1.0,
    "title": 1.0,
    "description": 0.5,
    "inputs": 0.5,
}
"""What a word counts for the vocabulary of an API: the best field of each operation."""
