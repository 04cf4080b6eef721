"""Draws the series: their seasons and episodes with the days on which they air."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from restwright_bench.tmdb import core, words
from restwright_bench.tmdb.draw import Draw, slug
from restwright_bench.tmdb.draw_movies import part_from_popular
from restwright_bench.tmdb.rows import Company, Episode, Named, Network, Season, Series
from restwright_bench.tmdb.tables import TODAY

INVENTED = 27
RUNNING = 23
# Of those, so many have an episode today, the others in the next days.
TODAY_TOO = 8
SEASONS = (2, 5)
EPISODES = (6, 9)
MORE_EPISODES = 3
WEEK, YEAR = 7, 364
NEWEST_BEGAN_WEEKS_AGO = 2
LEAST_AIRED = 4


@dataclass(frozen=True, slots=True)
class Aired:
    """A season before it is drawn: the day of each of its episodes."""

    days: tuple[str, ...]


Schedule = Mapping[str, tuple[Aired, ...]]
"""`{series name: seasons}`."""


def schedule(draw: Draw) -> Schedule:
    """Decide on names, seasons and days; no two series begin on the same day."""
    names = [*core.SERIES, *core.SERIES_DECOYS, *(draw.title() for _ in range(INVENTED))]
    newest = names[-1]
    # Episodes that are asked for have been aired.
    free = [each for each in names[:-1] if each not in {*core.EPISODES, *core.ONE_SEASON}]
    running = draw.random.sample(free, RUNNING)
    today = set(running[:TODAY_TOO])
    taken: set[str] = set()
    found: dict[str, tuple[Aired, ...]] = {}
    for name in names:
        sizes = [1 + NEWEST_BEGAN_WEEKS_AGO * 2] if name == newest else _sizes(draw, name)
        last = _start_of_last(draw, sizes[-1], name in running, name in today)
        if name == newest:
            last = -WEEK * NEWEST_BEGAN_WEEKS_AGO - 1
        found[name] = _seasons(draw, sizes, last, taken)
    return found


def _sizes(draw: Draw, name: str) -> list[int]:
    needed = core.EPISODES.get(name, {})
    count = 1 if name in core.ONE_SEASON else draw.random.randint(*SEASONS)
    sizes = [draw.random.randint(*EPISODES) for _ in range(max(count, *needed, 1))]
    for number, least in needed.items():
        sizes[number - 1] = max(sizes[number - 1], least + draw.random.randrange(MORE_EPISODES))
    return sizes


def _start_of_last(draw: Draw, size: int, is_running: bool, is_today: bool) -> int:  # noqa: FBT001
    """The first day of the last season, in days after today."""
    if not is_running:
        return draw.random.randint(-9_000, -300) - WEEK * size
    next_one = draw.random.randint(LEAST_AIRED, size - 1)
    return (0 if is_today else draw.random.randint(1, 6)) - WEEK * next_one


def _seasons(draw: Draw, sizes: Sequence[int], last: int, taken: set[str]) -> tuple[Aired, ...]:
    starts = [last - YEAR * back for back in reversed(range(len(sizes)))]
    starts = [each - draw.random.randrange(WEEK * 4) for each in starts[:-1]] + starts[-1:]
    # The other seasons stay where they are, and so does the weekday of one that is running.
    while _day(starts[0]) in taken:
        starts[0] -= WEEK
    taken.add(_day(starts[0]))
    return tuple(
        Aired(tuple(_day(start + WEEK * index) for index in range(size)))
        for start, size in zip(starts, sizes, strict=True)
    )


def _day(offset: int) -> str:
    return (date.fromisoformat(TODAY) + timedelta(days=offset)).isoformat()


def series(
    draw: Draw,
    told: Schedule,
    *,
    genres: Sequence[Named],
    keywords: Sequence[Named],
    companies: Sequence[Company],
    networks: Sequence[Network],
) -> list[Series]:
    """Draw the rows of the series."""
    names = list(told)
    popularity = dict(zip(names, draw.different(len(names), 5_000, 900_000), strict=True))
    popularity[names[-1]] = 1.0
    votes = draw.different(len(names), 4_200, 8_900)
    ranks = list(range(1, len(names) + 1))
    draw.random.shuffle(ranks)
    daily = dict(zip(names, ranks, strict=True))
    part_from_popular(daily, popularity)
    return [
        _series(
            draw,
            name,
            days=[day for season in told[name] for day in season.days],
            genre_ids=tuple(each.id for each in draw.some(genres, 2, 3)),
            keyword_ids=tuple(each.id for each in draw.some(keywords, 4, 7)),
            company_id=draw.random.choice(companies).id,
            network_id=draw.random.choice(networks).id,
            ranks=(popularity[name], vote, daily[name]),
        )
        for name, vote in zip(names, votes, strict=True)
    ]


def _series(
    draw: Draw,
    name: str,
    *,
    days: Sequence[str],
    genre_ids: tuple[int, ...],
    keyword_ids: tuple[int, ...],
    company_id: int,
    network_id: int,
    ranks: tuple[float, float, int],
) -> Series:
    random = draw.random
    country = random.choice(list(words.COUNTRIES))
    popularity, vote_average, daily = ranks
    return Series(
        id=draw.id(),
        name=name,
        original_name=name,
        original_language=words.COUNTRIES[country][1],
        country=country,
        first_air_date=days[0],
        last_air_date=max(each for each in days if each <= TODAY),
        genre_ids=genre_ids,
        keyword_ids=keyword_ids,
        company_ids=(company_id,),
        network_ids=(network_id,),
        overview=draw.story(),
        popularity=popularity,
        vote_average=vote_average,
        vote_count=random.randint(220, 20_000),
        daily=daily,
        runtime=random.choice((22, 30, 42, 55, 60)),
        is_running=days[-1] > TODAY,
        homepage=f"https://series.example/{slug(name)}",
        poster_path=draw.path(),
        backdrop_path=draw.path(),
    )


def seasons(draw: Draw, told: Schedule, rows: Sequence[Series]) -> Iterator[Season]:
    """Draw the seasons."""
    for row in rows:
        for number, season in enumerate(told[row.name], start=1):
            yield Season(
                id=draw.id(),
                series_id=row.id,
                number=number,
                name=f"Season {number}",
                overview=draw.story(),
                air_date=season.days[0],
                poster_path=draw.path(),
            )


def episodes(draw: Draw, told: Schedule, rows: Sequence[Series]) -> Iterator[Episode]:
    """Draw the episodes."""
    for row in rows:
        for season, aired in enumerate(told[row.name], start=1):
            for number, day in enumerate(aired.days, start=1):
                yield _episode(draw, row, season, number, day)


def _episode(draw: Draw, row: Series, season: int, number: int, day: str) -> Episode:
    return Episode(
        id=draw.id(),
        series_id=row.id,
        season=season,
        number=number,
        name=f"The {draw.name_of_episode()}",
        overview=draw.story(),
        air_date=day,
        production_code=f"{draw.random.randint(100, 999)}-{season}{number:02}",
        vote_average=draw.random.randint(5_000, 9_500) / 1000,
        vote_count=draw.random.randint(10, 3_000) if day <= TODAY else 0,
        still_path=draw.path(),
    )
