"""The rows of the tables: one frozen value for each thing that has an id, or belongs to one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Named:
    """A genre or a keyword."""

    id: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Movie:
    """
    A film.

    Args:
        release_date: `2021-03-04`; after today for one that is still to come.
        company_ids: Who made it; one where a query asks for the company.
        popularity: No two films have the same.
        vote_average: No two films have the same, three decimals.
        daily: What it is ranked by among today's trends; no two films have the same.
        certification: In the United States.
    """

    kind: ClassVar[str] = "movie"

    id: int
    title: str
    original_title: str
    original_language: str
    country: str
    release_date: str
    genre_ids: tuple[int, ...]
    keyword_ids: tuple[int, ...]
    company_ids: tuple[int, ...]
    collection_id: int | None
    overview: str
    tagline: str
    popularity: float
    vote_average: float
    vote_count: int
    daily: int
    runtime: int
    budget: int
    revenue: int
    certification: str
    imdb_id: str
    homepage: str
    poster_path: str
    backdrop_path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """
    A television series; its seasons and episodes are tables of their own.

    Args:
        company_ids: Who made it; always one.
        network_ids: Who showed it; always one.
        is_running: New episodes are still to come.
    """

    kind: ClassVar[str] = "tv"

    id: int
    name: str
    original_name: str
    original_language: str
    country: str
    first_air_date: str
    last_air_date: str
    genre_ids: tuple[int, ...]
    keyword_ids: tuple[int, ...]
    company_ids: tuple[int, ...]
    network_ids: tuple[int, ...]
    overview: str
    popularity: float
    vote_average: float
    vote_count: int
    daily: int
    runtime: int
    is_running: bool
    homepage: str
    poster_path: str
    backdrop_path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Season:
    """A season; they are numbered from 1."""

    kind: ClassVar[str] = "season"

    id: int
    series_id: int
    number: int
    name: str
    overview: str
    air_date: str
    poster_path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """An episode; they are numbered from 1 in each season."""

    kind: ClassVar[str] = "episode"

    id: int
    series_id: int
    season: int
    number: int
    name: str
    overview: str
    air_date: str
    production_code: str
    vote_average: float
    vote_count: int
    still_path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """
    Somebody who acts, directs, writes or does more than one of these.

    Args:
        department: What the person is known for: `Acting`, `Directing` or `Writing`.
        gender: 0 not told, 1 or 2.
        popularity: No two persons have the same.
        daily: What the person is ranked by among today's trends.
    """

    kind: ClassVar[str] = "person"

    id: int
    name: str
    birthday: str
    place_of_birth: str
    department: str
    gender: int
    biography: str
    popularity: float
    daily: int
    imdb_id: str
    profile_path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Credit:
    """
    What one person did in one film or series.

    Args:
        media: `movie` or `tv`, and `media_id` the film or series.
        role: `cast`, `guest` (in single episodes) or `crew`.
        order: In the cast, from 0 for the lead.
        episodes: `(season, number)` of those it is about; empty for a film or a whole series.
    """

    id: str
    person_id: int
    media: str
    media_id: int
    role: str
    character: str = ""
    order: int = 0
    department: str = "Acting"
    job: str = "Actor"
    episodes: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Films that belong together; those that point to it are its parts."""

    kind: ClassVar[str] = "collection"

    id: int
    name: str
    overview: str
    poster_path: str
    backdrop_path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """A company; where and when it was founded is said in its description as well."""

    kind: ClassVar[str] = "company"

    id: int
    name: str
    founded: int
    headquarters: str
    origin_country: str
    description: str
    homepage: str
    logo_path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """A network that shows series."""

    kind: ClassVar[str] = "network"

    id: int
    name: str
    headquarters: str
    origin_country: str
    homepage: str
    logo_path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What somebody wrote about a film or series; no two contents are the same."""

    id: str
    media: str
    media_id: int
    author: str
    content: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """
    A picture.

    Args:
        kind: `poster`, `backdrop`, `profile`, `logo` or `still`.
    """

    kind: str
    id: str
    path: str
    width: int
    height: int
    language: str | None
    votes: int
    vote_average: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseDate:
    """When a film comes out in one country; that in the United States is its `release_date`."""

    country: str
    language: str
    date: str
    certification: str


Title = Movie | Series
Pictured = Movie | Series | Season | Episode | Person | Collection | Company | Network
