"""The state of the world of films: its tables, and what oracles and handlers look up in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from restwright.jsontypes import JsonObject
from restwright_bench.tmdb.rows import (
    Collection,
    Company,
    Credit,
    Episode,
    Movie,
    Named,
    Network,
    Person,
    Review,
    Season,
    Series,
    Title,
)

TODAY = "2026-01-15"
DIRECTOR = "Director"

K = TypeVar("K")
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class TmdbState:
    """
    All tables, by id. Nothing that a call does changes them.

    Args:
        seasons: By `(series id, number)`; `episodes` by `(series id, season, number)`.
    """

    seed: int
    movies: Mapping[int, Movie] = field(repr=False)
    series_by_id: Mapping[int, Series] = field(repr=False)
    seasons: Mapping[tuple[int, int], Season] = field(repr=False)
    episodes: Mapping[tuple[int, int, int], Episode] = field(repr=False)
    persons: Mapping[int, Person] = field(repr=False)
    credits: Mapping[str, Credit] = field(repr=False)
    collections: Mapping[int, Collection] = field(repr=False)
    companies: Mapping[int, Company] = field(repr=False)
    networks: Mapping[int, Network] = field(repr=False)
    movie_genres: Mapping[int, Named] = field(repr=False)
    series_genres: Mapping[int, Named] = field(repr=False)
    keywords: Mapping[int, Named] = field(repr=False)
    reviews: Mapping[str, Review] = field(repr=False)

    def snapshot(self) -> JsonObject:
        """The same at all times: calls only read."""
        return {"seed": self.seed}

    # By name: for oracles. A name that is not there raises KeyError.

    def movie(self, title: str) -> Movie:
        """The film of that title."""
        return self._movies_by_title[title]

    def series(self, name: str) -> Series:
        """The series of that name."""
        return self._series_by_name[name]

    def person(self, name: str) -> Person:
        """The person of that name."""
        return self._persons_by_name[name]

    def collection(self, name: str) -> Collection:
        """The collection of that name, such as `Star Wars Collection`."""
        return self._collections_by_name[name]

    def company(self, name: str) -> Company:
        """The company of that name, such as `Walt Disney Pictures`."""
        return next(each for each in self.companies.values() if each.name == name)

    def network(self, name: str) -> Network:
        """The network of that name."""
        return next(each for each in self.networks.values() if each.name == name)

    # Who did what.

    def cast_of(self, title: Title) -> tuple[Credit, ...]:
        """The cast in its order, the lead first; guests of single episodes are not in it."""
        found = [each for each in self.credits_of(title) if each.role == "cast"]
        return tuple(sorted(found, key=lambda each: each.order))

    def crew_of(self, title: Title, job: str = "") -> tuple[Credit, ...]:
        """The crew; those of one job where it is given."""
        return tuple(
            each
            for each in self.credits_of(title)
            if each.role == "crew" and (not job or each.job == job)
        )

    def lead_of(self, title: Title) -> Person:
        """The first of the cast."""
        return self.persons[self.cast_of(title)[0].person_id]

    def director_of(self, movie: Movie) -> Person:
        """Who directed a film; there is always one."""
        return self.persons[self.crew_of(movie, DIRECTOR)[0].person_id]

    def directors_in(self, series: Series, season: int, episode: int = 0) -> tuple[Person, ...]:
        """Who directed a season, or one episode of it."""
        return tuple(
            self.persons[each.person_id]
            for each in self.crew_of(series, DIRECTOR)
            if any(s == season and episode in {0, e} for s, e in each.episodes)
        )

    def guests_in(self, series: Series, season: int, episode: int) -> tuple[Credit, ...]:
        """The guest stars of an episode."""
        return tuple(
            each
            for each in self.credits_of(series)
            if each.role == "guest" and (season, episode) in each.episodes
        )

    def movies_directed_by(self, person: Person) -> tuple[Movie, ...]:
        """The earliest first."""
        return self.movies_of(person, job=DIRECTOR)

    def movies_acted_by(self, person: Person) -> tuple[Movie, ...]:
        """The earliest first."""
        return self.movies_of(person, job="Actor")

    def movies_of(self, person: Person, *, job: str = "") -> tuple[Movie, ...]:
        """Films with a person in whatever job, or in one; the earliest first."""
        found = {
            each.media_id: self.movies[each.media_id]
            for each in self.credits_by_person.get(person.id, ())
            if each.media == "movie" and (not job or each.job == job)
        }
        return tuple(sorted(found.values(), key=lambda each: each.release_date))

    def series_directed_by(self, person: Person) -> tuple[Series, ...]:
        """Series of which the person directed an episode; the earliest first."""
        return self.series_of(person, job=DIRECTOR)

    def series_acted_by(self, person: Person) -> tuple[Series, ...]:
        """Series with the person in the cast or as a guest; the earliest first."""
        return self.series_of(person, job="Actor")

    def series_of(self, person: Person, *, job: str = "") -> tuple[Series, ...]:
        """Series with a person in whatever job, or in one; the earliest first."""
        found = {
            each.media_id: self.series_by_id[each.media_id]
            for each in self.credits_by_person.get(person.id, ())
            if each.media == "tv" and (not job or each.job == job)
        }
        return tuple(sorted(found.values(), key=lambda each: each.first_air_date))

    def credits_of(self, title: Title) -> tuple[Credit, ...]:
        """All credits of a film or series."""
        return self.credits_by_title.get((title.kind, title.id), ())

    # What belongs to what.

    def season(self, series: Series, number: int) -> Season:
        """A season by its number."""
        return self.seasons[series.id, number]

    def episode(self, series: Series, season: int, number: int) -> Episode:
        """An episode by its numbers."""
        return self.episodes[series.id, season, number]

    def seasons_of(self, series: Series) -> tuple[Season, ...]:
        """In their order."""
        return self.seasons_by_series.get(series.id, ())

    def episodes_of(self, series: Series, season: int = 0) -> tuple[Episode, ...]:
        """All episodes in their order; those of one season where it is given."""
        found = self.episodes_by_series.get(series.id, ())
        return tuple(each for each in found if season in {0, each.season})

    def parts_of(self, collection: Collection) -> tuple[Movie, ...]:
        """The films of a collection, the earliest first."""
        found = [each for each in self.movies.values() if each.collection_id == collection.id]
        return tuple(sorted(found, key=lambda each: each.release_date))

    def companies_of(self, title: Title) -> tuple[Company, ...]:
        """Who made it."""
        return tuple(self.companies[each] for each in title.company_ids)

    def network_of(self, series: Series) -> Network:
        """Who showed it; there is always one."""
        return self.networks[series.network_ids[0]]

    def genres_of(self, title: Title) -> tuple[Named, ...]:
        """Its genres."""
        table = self.movie_genres if isinstance(title, Movie) else self.series_genres
        return tuple(table[each] for each in title.genre_ids)

    def keywords_of(self, title: Title) -> tuple[Named, ...]:
        """Its keywords."""
        return tuple(self.keywords[each] for each in title.keyword_ids)

    def reviews_of(self, title: Title) -> tuple[Review, ...]:
        """What was written about it; always two or more."""
        return self.reviews_by_title.get((title.kind, title.id), ())

    # Indexes, made when first needed.

    @cached_property
    def credits_by_title(self) -> Mapping[tuple[str, int], tuple[Credit, ...]]:
        """`{(media, id): credits}`."""
        return _grouped(((each.media, each.media_id), each) for each in self.credits.values())

    @cached_property
    def credits_by_person(self) -> Mapping[int, tuple[Credit, ...]]:
        """`{person id: credits}`."""
        return _grouped((each.person_id, each) for each in self.credits.values())

    @cached_property
    def reviews_by_title(self) -> Mapping[tuple[str, int], tuple[Review, ...]]:
        """`{(media, id): reviews}`."""
        return _grouped(((each.media, each.media_id), each) for each in self.reviews.values())

    @cached_property
    def seasons_by_series(self) -> Mapping[int, tuple[Season, ...]]:
        """`{series id: seasons}`, in their order."""
        return _grouped((each.series_id, each) for each in self.seasons.values())

    @cached_property
    def episodes_by_series(self) -> Mapping[int, tuple[Episode, ...]]:
        """`{series id: episodes}`, in their order."""
        return _grouped((each.series_id, each) for each in self.episodes.values())

    @cached_property
    def _movies_by_title(self) -> Mapping[str, Movie]:
        return {each.title: each for each in self.movies.values()}

    @cached_property
    def _series_by_name(self) -> Mapping[str, Series]:
        return {each.name: each for each in self.series_by_id.values()}

    @cached_property
    def _persons_by_name(self) -> Mapping[str, Person]:
        return {each.name: each for each in self.persons.values()}

    @cached_property
    def _collections_by_name(self) -> Mapping[str, Collection]:
        return {each.name: each for each in self.collections.values()}


def _grouped(pairs: Iterable[tuple[K, T]]) -> dict[K, tuple[T, ...]]:
    found: defaultdict[K, list[T]] = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return {key: tuple(values) for key, values in found.items()}
