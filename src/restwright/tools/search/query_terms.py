"""From the words of a query to the tokens that an index is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise

from restwright.tools.search.analysis import plain_words, stemmer_for, strip_accents
from restwright.tools.search.compounds import COMPOUNDING_LANGUAGES
from restwright.tools.search.stop_words import is_stop_word
from restwright.tools.search.synonyms import QUESTION_WORDS, SYNONYM_GROUPS, VERBS, Verb
from restwright.tools.search.weights import DEFAULT_WEIGHTS, SearchWeights

MAX_WORDS = 64
"""Words of a query that count."""


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A token to look for; `word` is the word of the query that it comes from."""

    token: str
    weight: float
    word: str
    is_original: bool = True


@dataclass(frozen=True, slots=True)
class ExpandedQuery:
    """
    What a query comes to: tokens of texts, and what operations do (`{verb: weight}`).

    Args:
        has_compounds: Whether documents are in a language that writes several words as one.
    """

    terms: tuple[QueryTerm, ...]
    verbs: dict[Verb, float]
    weights: SearchWeights = DEFAULT_WEIGHTS
    has_compounds: bool = False

    @property
    def groups(self) -> Mapping[str, Sequence[QueryTerm]]:
        """`{word of the query: its own tokens, then those that mean the same}`."""
        found: dict[str, list[QueryTerm]] = {}
        for query_term in sorted(self.terms, key=lambda query_term: not query_term.is_original):
            found.setdefault(query_term.word, []).append(query_term)
        return found


def expand_query(
    terms: Iterable[tuple[str, float]],
    languages: frozenset[str],
    weights: SearchWeights = DEFAULT_WEIGHTS,
) -> ExpandedQuery:
    """Expand weighted texts for an index of documents in `languages`."""
    words = _meaningful_words(terms, languages)
    wanted: dict[str, QueryTerm] = {}
    verbs: dict[Verb, float] = {}
    for expand_word in _expand_words(words, languages, weights):
        known = wanted.get(expand_word.token)
        if known is None or (expand_word.is_original, expand_word.weight) > (
            known.is_original,
            known.weight,
        ):
            wanted[expand_word.token] = expand_word
    table = _verbs_by_word()
    for word, weight in words:
        for verb in table.get(word, ()):
            verbs[verb] = max(verbs.get(verb, 0.0), weight)
    has_compounds = not COMPOUNDING_LANGUAGES.isdisjoint(languages)
    return ExpandedQuery(tuple(wanted.values()), verbs, weights, has_compounds)


def _meaningful_words(
    terms: Iterable[tuple[str, float]], languages: frozenset[str]
) -> list[tuple[str, float]]:
    """The words that mean something, or all where none does; each with its greatest weight."""
    everything: dict[str, float] = {}
    for text, weight in terms:
        for word in plain_words(text):
            everything[word] = max(everything.get(word, 0.0), weight)
    asked = {
        word: weight
        for word, weight in everything.items()
        if word in QUESTION_WORDS or not is_stop_word(word, languages)
    }
    return list((asked or everything).items())[:MAX_WORDS]


def _expand_words(
    words: Sequence[tuple[str, float]], languages: frozenset[str], weights: SearchWeights
) -> Iterator[QueryTerm]:
    groups = _synonyms_by_stem()
    for word, weight in words:
        if not is_stop_word(word, languages):
            for language in languages:
                yield QueryTerm(stemmer_for(language)(word), weight, word)
        for other in groups.get(stemmer_for("english")(word), ()):
            if other != word and weights.synonym:
                share = weights.question if word in QUESTION_WORDS else weights.synonym
                yield QueryTerm(other, weight * share, word, is_original=False)
    yield from _join_word_pairs(words, languages, weights.joined)


def _join_word_pairs(
    words: Sequence[tuple[str, float]], languages: frozenset[str], share: float
) -> Iterator[QueryTerm]:
    """Two words as one, as names may write them (`play list`)."""
    for (first, weight), (second, other) in pairwise(words):
        joined = first + second
        if joined.isascii():
            both = min(weight, other) * share
            for language in languages:
                yield QueryTerm(
                    stemmer_for(language)(joined), both, f"{first} {second}", is_original=False
                )


@cache
def _synonyms_by_stem() -> dict[str, tuple[str, ...]]:
    """`{stem: stems that mean the same}`."""
    stem = stemmer_for("english")
    table: dict[str, dict[str, None]] = {}
    for group in SYNONYM_GROUPS:
        stems = [stem(word) for word in group.split()]
        for name in stems:
            table.setdefault(name, {}).update(dict.fromkeys(x for x in stems if x != name))
    for asked, meant in QUESTION_WORDS.items():
        table.setdefault(asked, {}).update((stem(word), None) for word in meant.split())
    return {word: tuple(others) for word, others in table.items()}


@cache
def _verbs_by_word() -> dict[str, tuple[Verb, ...]]:
    table: dict[str, list[Verb]] = {}
    for verb, words in VERBS.items():
        for word in words.split():
            own = table.setdefault(strip_accents(word), [])
            if verb not in own:
                own.append(verb)
    return {word: tuple(verbs) for word, verbs in table.items()}


_METHODS: dict[str, Verb] = {
    "get": "read",
    "head": "read",
    "query": "read",
    "post": "create",
    "put": "change",
    "patch": "change",
    "delete": "remove",
}


def detect_verbs(method: str, texts: Iterable[str]) -> tuple[Verb, ...]:
    """What an operation does, by its method and by the first words of its texts."""
    found: dict[Verb, None] = {}
    if method in _METHODS:
        found[_METHODS[method]] = None
    table = _verbs_by_word()
    for text in texts:
        for word in islice(plain_words(text[:80]), 2):
            found.update(dict.fromkeys(table.get(_strip_verb_ending(word), ())))
    return tuple(found)


def _strip_verb_ending(word: str) -> str:
    """A verb without the ending of `Lists` or `Gets`."""
    return word[:-1] if word.endswith("s") and word[:-1] in _verbs_by_word() else word
