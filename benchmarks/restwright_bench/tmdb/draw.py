"""What all draws of a world share: numbers that differ, paths, sentences; and the small tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from random import Random
from typing import TypeVar

from restwright_bench.tmdb import core, words
from restwright_bench.tmdb.images import image_path
from restwright_bench.tmdb.rows import Collection, Company, Named, Network, Person, Review, Title
from restwright_bench.tmdb.tables import TODAY

# Above every id that the service in the document gives away, and of its shape.
IDS = range(20_000_000, 90_000_000)
MOST_IDS = 6_000
REVIEWS = (2, 4)

T = TypeVar("T")


class Draw:
    """Draws the facts of one seed; the same ones in the same order each time."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"tmdb-{seed}")
        self._ids: Iterator[int] = iter(self.random.sample(IDS, MOST_IDS))
        self._titles = iter(self._mixed(words.ADJECTIVES, words.NOUNS))
        self._episode_titles: Iterator[str] = iter(())
        self._said: set[str] = set()

    def id(self) -> int:
        """One that nothing else has."""
        return next(self._ids)

    def hexadecimal(self) -> str:
        """The id of a credit or review."""
        return f"{self.random.getrandbits(96):024x}"

    def path(self, ending: str = "jpg") -> str:
        """The path of a picture."""
        return image_path(self.random, ending)

    def some(self, of: Sequence[T], least: int, most: int) -> list[T]:
        """From `least` to `most` different ones."""
        return self.random.sample(of, self.random.randint(least, most))

    def different(self, count: int, low: int, high: int) -> list[float]:
        """Different numbers with three decimals, none of them whole, in thousandths."""
        return [each / 1000 for each in self.random.sample(range(low + 1, high, 2), count)]

    def days(self, count: int, first: int, last: int) -> list[str]:
        """Different dates, as days before or after today."""
        today = date.fromisoformat(TODAY)
        offsets = self.random.sample(range(first, last + 1), count)
        return [(today + timedelta(days=each)).isoformat() for each in offsets]

    def title(self) -> str:
        """`Glass Meridian`; never one twice."""
        return next(self._titles)

    def name_of_episode(self) -> str:
        """`Hollow Ferry`; not often one twice."""
        name = next(self._episode_titles, None)
        if name is None:
            self._episode_titles = iter(self._mixed(words.ADJECTIVES, words.NOUNS))
            name = next(self._episode_titles)
        return name

    def story(self) -> str:
        """What a film or an episode is about; never the same twice."""
        return self._once(
            lambda: (
                f"A {self.random.choice(words.PROFESSIONS)} from {self.city()}"
                f" {self.random.choice(words.DEEDS)} {self.random.choice(words.TURNS)}."
            )
        )

    def opinion(self) -> str:
        """What somebody says of a film; never the same twice."""
        return self._once(
            lambda: (
                f"{self.random.choice(words.PRAISE)}: {self.random.choice(words.REASONS)}, and"
                f" {self.random.choice(words.REASONS)}. Seen in {self.city()} with"
                f" {self.random.randint(3, 400)} others."
            )
        )

    def city(self) -> str:
        """The name of a town, without its country."""
        return self.random.choice(words.CITIES).partition(",")[0]

    def birthday(self, first: int = 1936, last: int = 2001) -> str:
        """A date of birth."""
        random = self.random
        return (
            f"{random.randint(first, last)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
        )

    def _once(self, make: Callable[[], str]) -> str:
        while (text := make()) in self._said:
            pass
        self._said.add(text)
        return text

    def _mixed(self, first: Sequence[str], second: Sequence[str]) -> list[str]:
        found = [f"{a} {b}" for a in first for b in second]
        self.random.shuffle(found)
        return found


def slug(name: str) -> str:
    """A name as it stands in a URL."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def named(draw: Draw, names: Sequence[str]) -> list[Named]:
    """Genres or keywords."""
    return [Named(draw.id(), each) for each in names]


def companies(draw: Draw) -> list[Company]:
    """All companies."""
    founded = draw.random.sample(range(1901, 2015), len(core.COMPANIES))
    return [_company(draw, *each) for each in zip(core.COMPANIES, founded, strict=True)]


def _company(draw: Draw, name: str, founded: int) -> Company:
    place = draw.random.choice(words.CITIES)
    trade = draw.random.choice(words.PROFESSIONS)
    return Company(
        id=draw.id(),
        name=name,
        founded=founded,
        headquarters=place,
        origin_country=draw.random.choice(list(words.COUNTRIES)),
        description=f"Founded in {founded} in {place}, by a {trade}.",
        homepage=f"https://www.{slug(name)}.example",
        logo_path=draw.path("png"),
    )


def networks(draw: Draw) -> list[Network]:
    """All networks."""
    return [
        Network(
            id=draw.id(),
            name=name,
            headquarters=draw.random.choice(words.CITIES),
            origin_country=draw.random.choice(list(words.COUNTRIES)),
            homepage=f"https://www.{slug(name)}.example/{draw.random.randint(100, 999)}",
            logo_path=draw.path("png"),
        )
        for name in core.NETWORKS
    ]


def collections(draw: Draw) -> list[Collection]:
    """All collections; their films are drawn with the films."""
    return [
        Collection(
            id=draw.id(),
            name=name,
            overview=f"It begins when this happens: {draw.story()}",
            poster_path=draw.path(),
            backdrop_path=draw.path(),
        )
        for name in core.COLLECTIONS
    ]


def reviews(draw: Draw, titles: Sequence[Title], people: Sequence[Person]) -> list[Review]:
    """Some for every title; by people of the world, under other names."""
    return [
        _review(draw, title, author) for title in titles for author in draw.some(people, *REVIEWS)
    ]


def _review(draw: Draw, title: Title, author: Person) -> Review:
    key = draw.hexadecimal()
    return Review(
        id=key,
        media=title.kind,
        media_id=title.id,
        author=f"{slug(author.name.partition(' ')[0])}{draw.random.randint(10, 99)}",
        content=draw.opinion(),
        url=f"https://reviews.example/{key}",
    )
