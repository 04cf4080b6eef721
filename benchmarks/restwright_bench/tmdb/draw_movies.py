"""Draws the films: which there are, when they come out, and what is known of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from restwright_bench.tmdb import core, words
from restwright_bench.tmdb.draw import Draw, slug
from restwright_bench.tmdb.rows import Collection, Company, Movie, Named

UPCOMING = 22
PLAYING = 22
INVENTED = 34
TOP_TEN = 8
BEHIND = 15
LEAST_TO_COUNT = 220
SHARE_IN_ENGLISH = 0.75
ENGLISH = tuple(each for each, (_, of) in words.COUNTRIES.items() if of == "en")
FOREIGN = tuple(each for each in words.COUNTRIES if each not in ENGLISH)

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """
    Titles before they are drawn.

    Args:
        dates: `{title: release date}`; no two are the same.
        collection_of: `{title: collection name}`.
        newest: The film that was released last; nobody has rated it yet.
        unrated: `newest` and `upcoming`.
        settled: Invented and long enough there: what named people can have worked on.
    """

    dates: Mapping[str, str]
    collection_of: Mapping[str, str]
    newest: str
    upcoming: Sequence[str]
    settled: Sequence[str]
    unrated: frozenset[str]


def plan(draw: Draw) -> Plan:
    """Decide on titles and dates."""
    parts = {name: _parts(draw, name) for name in core.COLLECTIONS}
    of_parts = [each for titles in parts.values() for each in titles]
    invented = [f"The {draw.title()}" for _ in range(INVENTED)]
    past = [*core.MOVIES, *core.MOVIE_DECOYS, *of_parts, *invented]
    dates = dict(zip(past, draw.days(len(past), -14_000, -60), strict=True))
    for titles in parts.values():
        dates.update(zip(titles, sorted(dates[each] for each in titles), strict=True))
    playing = [draw.title() for _ in range(PLAYING)]
    dates.update(zip(playing, sorted(draw.days(PLAYING, -42, 0)), strict=True))
    upcoming = [draw.title() for _ in range(UPCOMING)]
    dates.update(zip(upcoming, draw.days(UPCOMING, 1, 90), strict=True))
    return Plan(
        dates=dates,
        collection_of={each: name for name, titles in parts.items() for each in titles},
        newest=playing[-1],
        upcoming=upcoming,
        settled=[*invented, *playing[:-1]],
        unrated=frozenset((playing[-1], *upcoming)),
    )


def _parts(draw: Draw, collection: str) -> list[str]:
    start, first = core.COLLECTIONS[collection]
    titles = [f"{start}: The {draw.title()}" for _ in range(draw.random.randint(*core.PARTS))]
    return [first, *titles] if first else titles


def movies(
    draw: Draw,
    told: Plan,
    *,
    genres: Sequence[Named],
    keywords: Sequence[Named],
    companies: Sequence[Company],
    collections: Sequence[Collection],
) -> list[Movie]:
    """Draw the rows."""
    ranks = _Ranks.drawn(draw, told)
    owners = {each.name: draw.random.choice(companies).id for each in collections}
    ids = {each.name: each.id for each in collections}
    found: list[Movie] = []
    for title in told.dates:
        collection = told.collection_of.get(title)
        found.append(
            _movie(
                draw,
                title,
                told=told,
                ranks=ranks,
                genre_ids=tuple(each.id for each in draw.some(genres, 2, 3)),
                keyword_ids=tuple(each.id for each in draw.some(keywords, 4, 7)),
                company_id=owners[collection] if collection else draw.random.choice(companies).id,
                collection_id=ids[collection] if collection else None,
            )
        )
    return found


@dataclass(frozen=True, kw_only=True)
class _Ranks:
    popularity: dict[str, float]
    votes: dict[str, float]
    daily: dict[str, int]

    @classmethod
    def drawn(cls, draw: Draw, told: Plan) -> _Ranks:
        titles = list(told.dates)
        rated = [each for each in titles if each not in told.unrated]
        popularity = dict(zip(titles, draw.different(len(titles), 5_000, 900_000), strict=True))
        popularity[told.newest] = 1.0
        votes = dict.fromkeys(titles, 0.0)
        votes |= zip(rated, draw.different(len(rated), 4_200, 8_900), strict=True)
        _put_first(popularity, told)
        _put_in_or_out(draw, votes)
        ranks = list(range(1, len(titles) + 1))
        draw.random.shuffle(ranks)
        daily = dict(zip(titles, ranks, strict=True))
        part_from_popular(daily, popularity)
        return cls(popularity=popularity, votes=votes, daily=daily)


def _put_first(popularity: dict[str, float], told: Plan) -> None:
    """A title that is searched by the name of its collection is the most popular one there."""
    for name, (_, first) in core.COLLECTIONS.items():
        if first:
            parts = [each for each, of in told.collection_of.items() if of == name]
            swap(popularity, first, max(parts, key=popularity.__getitem__))


def _put_in_or_out(draw: Draw, votes: dict[str, float]) -> None:
    """Well within the best ten, or well behind them."""
    order = sorted(votes, key=votes.__getitem__, reverse=True)
    ranks = range(TOP_TEN) if draw.random.random() < 0.5 else range(BEHIND, BEHIND * 3)
    swap(votes, core.PERHAPS_IN_TOP_TEN, order[draw.random.choice(ranks)])


def part_from_popular(daily: dict[str, int], popularity: Mapping[str, float]) -> None:
    """Today's first trend is not what is most popular."""
    first = max(daily, key=daily.__getitem__)
    if first == max(popularity, key=popularity.__getitem__):
        swap(daily, first, min(daily, key=daily.__getitem__))


def swap(of: dict[str, T], one: str, other: str) -> None:
    """Exchange two values."""
    of[one], of[other] = of[other], of[one]


def _movie(
    draw: Draw,
    title: str,
    *,
    told: Plan,
    ranks: _Ranks,
    genre_ids: tuple[int, ...],
    keyword_ids: tuple[int, ...],
    company_id: int,
    collection_id: int | None,
) -> Movie:
    random = draw.random
    is_english = random.random() < SHARE_IN_ENGLISH
    country = random.choice(ENGLISH if is_english else FOREIGN)
    is_rated = title not in told.unrated
    budget = random.randint(4, 220) * 1_000_000
    return Movie(
        id=draw.id(),
        title=title,
        original_title=title,
        original_language=words.COUNTRIES[country][1],
        country=country,
        release_date=told.dates[title],
        genre_ids=genre_ids,
        keyword_ids=keyword_ids,
        company_ids=(company_id,),
        collection_id=collection_id,
        overview=draw.story(),
        tagline=f"{random.choice(words.PRAISE)}.",
        popularity=ranks.popularity[title],
        vote_average=ranks.votes[title],
        vote_count=random.randint(LEAST_TO_COUNT, 25_000) if is_rated else 0,
        daily=ranks.daily[title],
        runtime=random.randint(78, 194),
        budget=budget,
        revenue=budget * random.randint(5, 60) // 10 + random.randint(0, 999_999)
        if is_rated
        else 0,
        certification=random.choice(words.CERTIFICATIONS),
        imdb_id=f"tt{random.randint(1_000_000, 9_999_999)}",
        homepage=f"https://films.example/{slug(title)}",
        poster_path=draw.path(),
        backdrop_path=draw.path(),
    )
