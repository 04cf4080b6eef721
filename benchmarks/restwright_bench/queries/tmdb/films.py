"""Queries about films, and about collections of them."""

from __future__ import annotations

from collections.abc import Mapping

from restwright_bench.queries.tmdb import facts, steps
from restwright_bench.queries.tmdb.reach import Fact, Subject, both
from restwright_bench.queries.tmdb.subjects import (
    ANY_IN_CINEMAS,
    BEST_MOVIE,
    LATEST_MOVIE,
    MOVIE_OF_TODAY,
    POPULAR_MOVIE,
    collection,
    movie,
)

_POSTERS = facts.images("/movie/{movie_id}/images", "poster")
_PICTURES = facts.images("/movie/{movie_id}/images", "poster", "backdrop")
_OF_COLLECTION = facts.images("/collection/{collection_id}/images", "poster", "backdrop")
_PORTRAITS = facts.images("/person/{person_id}/images", "profile")

_TITANIC = movie("Titanic")
_SHAWSHANK = movie("The Shawshank Redemption")
_RINGS = movie("The Lord of the Rings: The Fellowship of the Ring", asked="Lord of the Ring")

# `{index: (what it is about, what is asked)}`.
FILMS: Mapping[int, tuple[Subject, Fact]] = {
    # Who made it.
    1: (movie("The Dark Knight").then(steps.MOVIE_LEAD), facts.NAME),
    2: (BEST_MOVIE.then(steps.DIRECTOR_OF_IT), facts.NAME),
    5: (_TITANIC.then(steps.MOVIE_LEAD), _PORTRAITS),
    13: (MOVIE_OF_TODAY.then(steps.DIRECTOR_OF_IT), facts.NAME),
    14: (movie("Twilight").then(steps.DIRECTOR_OF_IT), facts.NAME),
    25: (LATEST_MOVIE.then(steps.MOVIE_LEAD), facts.NAME),
    29: (_TITANIC, facts.MOVIE_STARS),
    84: (_SHAWSHANK.then(steps.MOVIE_LEAD), facts.BIRTHDAY),
    85: (_SHAWSHANK.then(steps.DIRECTOR_OF_IT), facts.BIRTHDAY),
    86: (_SHAWSHANK.then(steps.MOVIE_COMPANY), facts.HEADQUARTERS),
    90: (movie("Mulholland Drive").then(steps.DIRECTOR_OF_IT), facts.BIRTHPLACE),
    93: (movie("Mulholland Drive").then(steps.DIRECTOR_OF_IT), facts.DIRECTED_SERIES),
    # What it is, what is said of it, what is like it.
    6: (_TITANIC.then(steps.FIRST_SIMILAR), facts.MOVIE_REVIEWS),
    7: (_TITANIC, facts.RECOMMENDED_MOVIES),
    16: (BEST_MOVIE, facts.NAME),
    17: (movie("The Matrix"), facts.RELEASE_DATES),
    20: (_TITANIC, facts.SOME_MOVIE_KEYWORDS),
    23: (movie("The Dark Knight"), facts.MOVIE_REVIEWS),
    26: (ANY_IN_CINEMAS, _PICTURES),
    27: (POPULAR_MOVIE, both(facts.NAME, facts.SOME_MOVIE_KEYWORDS)),
    28: (POPULAR_MOVIE, facts.MOVIE_KEYWORDS),
    32: (_TITANIC, facts.RELEASE_DATES),
    80: (_RINGS, facts.MOVIE_GENRES),
    99: (movie("Oppenheimer"), _POSTERS),
    # Collections.
    3: (collection("Star Wars"), _OF_COLLECTION),
    33: (collection("Star Wars").then(steps.FIRST_PART), facts.MOVIE_STARS),
    34: (collection("Harry Potter").then(steps.ANY_PART), _POSTERS),
    35: (collection("The Hunger Games").then(steps.ANY_PART), facts.SOME_MOVIE_KEYWORDS),
    36: (collection("The Hobbit"), facts.PART_DATES),
    37: (collection("The Fast and the Furious"), facts.PARTS),
    38: (collection("The Fast and the Furious").then(steps.ANY_PART), facts.MOVIE_REVIEWS),
    39: (collection("The Lord of the Rings").then(steps.FIRST_PART), facts.RELEASED),
    87: (
        collection("Star Wars").then(steps.ANY_PART, steps.MOVIE_COMPANY),
        facts.HEADQUARTERS,
    ),
}
