"""Queries about persons and their work, and about companies."""

from __future__ import annotations

from collections.abc import Mapping

from restwright_bench.queries.tmdb import facts, steps
from restwright_bench.queries.tmdb.reach import Fact, Subject
from restwright_bench.queries.tmdb.subjects import POPULAR_PERSON, company, person

_POSTERS = facts.images("/movie/{movie_id}/images", "poster")
_LOGOS = facts.images("/company/{company_id}/images", "logo")

_NOLAN = person("Christopher Nolan")

# `{index: (what it is about, what is asked)}`.
PEOPLE: Mapping[int, tuple[Subject, Fact]] = {
    # Persons.
    18: (POPULAR_PERSON, facts.NAME),
    77: (_NOLAN, facts.KNOWN_FOR),
    81: (POPULAR_PERSON, facts.BIRTHDAY),
    94: (person("Scarlett Johansson"), facts.BIRTHDAY),
    # The greatest of their works by some value.
    8: (_NOLAN.then(steps.LATEST_DIRECTED), facts.NAME),
    9: (person("Martin Scorsese").then(steps.BEST_DIRECTED), facts.NAME),
    10: (
        person("Leonardo DiCaprio").then(steps.LATEST_WITH, steps.DIRECTOR_OF_IT),
        facts.NAME,
    ),
    11: (person("Catherine Hardwicke").then(steps.LATEST_SERIES_DIRECTED), facts.NAME),
    22: (person("Clint Eastwood").then(steps.LATEST_SCHEDULED), facts.RELEASE_DATES),
    74: (person("Cate Blanchett").then(steps.LATEST_SERIES_WITH), facts.SERIES_REVIEWS),
    75: (person("David Schwimmer").then(steps.POPULAR_SERIES_WITH), facts.NAME),
    98: (person("Katherine LaNasa").then(steps.LATEST_WITH), facts.NAME),
    # Any of their works.
    19: (_NOLAN.then(steps.ANY_DIRECTED), _POSTERS),
    # Companies.
    4: (company("Walt Disney Pictures", asked="Walt Disney"), _LOGOS),
    30: (company("Paramount Pictures"), _LOGOS),
    31: (company("Universal Pictures"), facts.FOUNDED_IN),
}
