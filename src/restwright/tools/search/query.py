"""
What of a query says what is wanted, and what only names it.

`Who directed "The Dark Knight"?` is about directing; the title is a value for some input. Names are
told by quotation marks and by capital letters within a sentence, as English and most languages
with capitals write them; German nouns are no names for it, as most words there are then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from restwright.tools.search.weights import DEFAULT_WEIGHTS, SearchWeights

_PIECE = re.compile(
    r"\"(?P<double>[^\"]+)\"|\u201c(?P<curled>[^\u201d]+)\u201d|\u00ab(?P<angled>[^\u00bb]+)\u00bb"
    r"|(?<!\w)'(?P<single>[^']+)'(?!\w)"
    r"|(?P<word>[^\W_]+(?:['\u2019_-][^\W_]+)*)|(?P<end>[.?!:]+(?=\s|$))"
)
_POSSESSIVE = re.compile(r"['\u2019]s$")
_INSIDE_TEXT = "a an the of and in on at for to de la le du von van der"
_NUMBERS_TEXT = (
    "one two three four five six seven eight nine ten first second third fourth fifth sixth "
    "seventh eighth ninth tenth"
)
_MAX_ACRONYM = 5
_MOST, _FEW = 0.7, 2

# Words that a question says beside what it is about.
_ASIDE_TEXT = (
    "i'm i'd i've i'll now right currently today today's just some any more most few want need "
    "like would could should if whether about also only not no than then but same called named "
    "titled please help get tell give versus"
)
_INSIDE, _NUMBERS, _ASIDE = (
    frozenset(text.split()) for text in (_INSIDE_TEXT, _NUMBERS_TEXT, _ASIDE_TEXT)
)


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    kind: str
    """`word`, `number`, `name`, `quoted` or `end`."""


def parse_query(query: str, weights: SearchWeights = DEFAULT_WEIGHTS) -> list[tuple[str, float]]:
    """The parts of a query with what each counts, in order."""
    worth = {"name": weights.name, "quoted": weights.name, "number": weights.number, "word": 1.0}
    pieces = [piece for piece in _split_query(query) if piece.kind != "end"]
    if not any(piece.kind == "word" for piece in pieces):
        return [(query, 1.0)]
    return [
        (_POSSESSIVE.sub("", piece.text), worth[piece.kind])
        for piece in pieces
        if worth[piece.kind] > 0 and piece.text.lower() not in _ASIDE
    ]


def has_proper_name(query: str) -> bool:
    """Whether a query has a name in it, so that what it names must be looked up."""
    return any(piece.kind in {"name", "quoted"} for piece in _split_query(query))


def _split_query(query: str) -> list[_Piece]:
    pieces = list(_cut_pieces(query))
    words = [piece for piece in pieces if piece.kind in {"word", "name"}]
    # Where most words are capitals, or nouns are, they tell nothing.
    named = sum(word.kind == "name" for word in words)
    if query.isupper() or (named > _MOST * len(words) and len(words) > _FEW):
        return [_Piece(piece.text, "word") if piece.kind == "name" else piece for piece in pieces]
    return list(_join_names(pieces))


def _cut_pieces(query: str) -> Iterator[_Piece]:
    is_start = True
    for found in _PIECE.finditer(query):
        group = found.lastgroup or "word"
        text = found[group]
        if group == "word":
            yield _Piece(text, _piece_kind(text, is_start=is_start))
        else:
            yield _Piece(text, "end" if group == "end" else "quoted")
        is_start = group == "end"


def _piece_kind(text: str, *, is_start: bool) -> str:
    if text.lower() in _NUMBERS or text.isdigit():
        return "number"
    is_acronym = len(text) <= _MAX_ACRONYM and text.isupper()
    is_capital = text[0].isupper() and not text.startswith(("I'", "I\u2019"))
    return "name" if is_capital and not is_start and not is_acronym else "word"


def _join_names(pieces: Sequence[_Piece]) -> Iterator[_Piece]:
    """Names of several words, with what stands between: `Lord of the Rings`."""
    last = -1
    names = {piece.text for piece in pieces if piece.kind == "name"}
    # A name may begin the query, and come again.
    kinds = ["name" if piece.text in names else piece.kind for piece in pieces]
    for index in [index for index, kind in enumerate(kinds) if kind == "name"]:
        between = pieces[last + 1 : index]
        if last >= 0 and all(x.text.lower() in _INSIDE or x.kind == "number" for x in between):
            kinds[last:index] = ["name"] * (index - last)
        last = index
    for piece, kind in zip(pieces, kinds, strict=True):
        yield _Piece(piece.text, kind)
