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
API_FIRST = 0.5
"""How much of its score an operation gains when its API is the best one for the query."""
