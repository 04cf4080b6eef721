"""Queries about series, with their seasons and episodes."""

from __future__ import annotations

from collections.abc import Mapping

from restwright_bench.queries.tmdb import facts, steps
from restwright_bench.queries.tmdb.reach import Fact, Subject
from restwright_bench.queries.tmdb.subjects import (
    ANY_ON_THE_AIR,
    BEST_SERIES,
    FIRST_ON_THE_AIR,
    POPULAR_SERIES,
    SERIES_OF_TODAY,
    series,
)

_POSTERS = facts.images("/tv/{tv_id}/images", "poster")
_OF_SEASON = facts.images("/tv/{tv_id}/season/{season_number}/images", "poster")
_OF_EPISODE = facts.images(f"{facts.EPISODE}/images", "still")
_PORTRAITS = facts.images("/person/{person_id}/images", "profile")
_OF_NETWORK = facts.images("/network/{network_id}/images", "logo")

_BANG = series("The Big Bang Theory", asked="Big Bang Theory")
_MANDALORIAN = series("The Mandalorian", asked="Mandalorian")

# `{index: (what it is about, what is asked)}`.
SHOWS: Mapping[int, tuple[Subject, Fact]] = {
    # Who made it, or is in it.
    44: (ANY_ON_THE_AIR, facts.SERIES_STARS),
    49: (POPULAR_SERIES.then(steps.SERIES_LEAD), facts.NAME),
    53: (_BANG.then(steps.SERIES_COMPANY), facts.FOUNDED),
    59: (series("Game of Thrones").then(steps.NETWORK), _OF_NETWORK),
    60: (series("Game of Thrones").then(steps.NETWORK), facts.NETWORK_HOMEPAGE),
    62: (POPULAR_SERIES.then(steps.SERIES_COMPANY), facts.HEADQUARTERS),
    64: (SERIES_OF_TODAY.then(steps.SERIES_LEAD), facts.BIRTHDAY),
    65: (SERIES_OF_TODAY.then(steps.NETWORK), facts.NETWORK_HOMEPAGE),
    71: (_MANDALORIAN.then(steps.SERIES_LEAD), facts.BIRTHDAY),
    72: (POPULAR_SERIES.then(steps.SERIES_LEAD), facts.NAME),
    73: (POPULAR_SERIES.then(steps.SERIES_LEAD), _PORTRAITS),
    # What it is, what is said of it, what is like it.
    12: (series("Breaking Bad"), facts.SERIES_LIKE_IT),
    21: (ANY_ON_THE_AIR, facts.ON_THE_AIR_NAME),
    41: (series("House of Cards"), facts.SIMILAR_SERIES),
    42: (FIRST_ON_THE_AIR, facts.SERIES_BEGAN),
    45: (series("Breaking Bad"), facts.SERIES_REVIEWS),
    46: (series("The Last of Us"), facts.RECOMMENDED_SERIES),
    47: (series("The Last of Us"), facts.RECOMMENDED_SERIES),
    50: (BEST_SERIES, facts.SOME_SERIES_KEYWORDS),
    51: (series("2 Broke Girls"), _POSTERS),
    54: (_BANG, facts.SERIES_CREATED),
    55: (POPULAR_SERIES, facts.SOME_SERIES_KEYWORDS),
    61: (POPULAR_SERIES, facts.SOME_SERIES_KEYWORDS),
    63: (_MANDALORIAN, facts.SERIES_GENRES),
    66: (SERIES_OF_TODAY, facts.SERIES_REVIEWS),
    67: (SERIES_OF_TODAY, facts.SIMILAR_SERIES),
    68: (SERIES_OF_TODAY, _POSTERS),
    # Seasons and episodes.
    15: (series("The Witcher", asked="Witcher").then(steps.episode(1, 2)), _OF_EPISODE),
    40: (series("House of Cards").then(steps.season(1)), facts.SEASON_DIRECTORS),
    48: (series("Friends").then(steps.episode(3, 24)), facts.EPISODE_GUESTS),
    56: (series("Westworld").then(steps.episode(2, 3)), facts.EPISODE_STORY),
    57: (series("Game of Thrones").then(steps.season(2)), facts.SEASON_AIRED),
    58: (series("Band of Brothers").then(steps.episode(1, 3)), _OF_EPISODE),
    70: (series("Black Mirror").then(steps.episode(2, 1), steps.EPISODE_LEAD), _PORTRAITS),
    76: (series("Black Mirror").then(steps.episode(2, 3)), facts.EPISODE_DIRECTORS),
    82: (_BANG.then(steps.season(2)), _OF_SEASON),
    83: (_MANDALORIAN.then(steps.episode(2, 3)), facts.EPISODE_NAME),
}
