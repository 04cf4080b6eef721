"""Rows as the document's answers have them; where lists share a shape, it is here."""

from __future__ import annotations

from collections.abc import Sequence

from restwright.jsontypes import Json, JsonObject
from restwright_bench.tmdb import words
from restwright_bench.tmdb.images import images_of
from restwright_bench.tmdb.lists import known_for
from restwright_bench.tmdb.rows import (
    Company,
    Credit,
    Image,
    Movie,
    Named,
    Person,
    Pictured,
    Review,
    Series,
    Title,
)
from restwright_bench.tmdb.tables import TmdbState
from restwright_bench.world.checking import Fault, Unfit

PAGE = 20
MOST_PAGES = 1000
# For their pictures the document wants an average that is either an integer or a number, and not
# both; an integer is both.
NO_WHOLE_VOTES = frozenset(("season", "episode", "person"))


def paged(rows: Sequence[Json], page: Json) -> JsonObject:
    """
    One page of a list.

    Raises:
        Unfit: There is no such page in any list.
    """
    if not isinstance(page, int) or not 1 <= page <= MOST_PAGES:
        reason = f"is not from 1 to {MOST_PAGES}"
        raise Unfit((Fault(location="query", name="page", reason=reason),))
    return {
        "page": page,
        "results": list(rows[(page - 1) * PAGE : page * PAGE]),
        "total_pages": max(1, -(-len(rows) // PAGE)),
        "total_results": len(rows),
    }


def movie_in_list(movie: Movie) -> JsonObject:
    """A film in a list."""
    return {
        "adult": False,
        "backdrop_path": movie.backdrop_path,
        "genre_ids": list(movie.genre_ids),
        "id": movie.id,
        "original_language": movie.original_language,
        "original_title": movie.original_title,
        "overview": movie.overview,
        "popularity": movie.popularity,
        "poster_path": movie.poster_path,
        "release_date": movie.release_date,
        "title": movie.title,
        "video": False,
        "vote_average": movie.vote_average,
        "vote_count": movie.vote_count,
    }


def series_in_list(series: Series) -> JsonObject:
    """A series in a list."""
    return {
        "backdrop_path": series.backdrop_path,
        "first_air_date": series.first_air_date,
        "genre_ids": list(series.genre_ids),
        "id": series.id,
        "name": series.name,
        "origin_country": [series.country],
        "original_language": series.original_language,
        "original_name": series.original_name,
        "overview": series.overview,
        "popularity": series.popularity,
        "poster_path": series.poster_path,
        "vote_average": series.vote_average,
        "vote_count": series.vote_count,
    }


def title_in_list(title: Title) -> JsonObject:
    """A film or a series in a list of one kind."""
    return movie_in_list(title) if isinstance(title, Movie) else series_in_list(title)


def with_media_type(title: Title) -> JsonObject:
    """A film or a series in a list of both."""
    return {**title_in_list(title), "media_type": title.kind}


def person_in_list(state: TmdbState, person: Person) -> JsonObject:
    """A person in a list."""
    return {
        "adult": False,
        "id": person.id,
        "known_for": [with_media_type(each) for each in known_for(state, person)],
        "name": person.name,
        "popularity": person.popularity,
        "profile_path": person.profile_path,
    }


def cast_member(credit: Credit, person: Person) -> JsonObject:
    """A person in the cast of something."""
    return {
        "character": credit.character,
        "credit_id": credit.id,
        "gender": person.gender,
        "id": person.id,
        "name": person.name,
        "order": credit.order,
        "profile_path": person.profile_path,
    }


def crew_member(credit: Credit, person: Person) -> JsonObject:
    """A person in the crew of something."""
    return {
        "credit_id": credit.id,
        "department": credit.department,
        "gender": person.gender,
        "id": person.id,
        "job": credit.job,
        "name": person.name,
        "profile_path": person.profile_path,
    }


def names(rows: Sequence[Named]) -> list[JsonObject]:
    """Genres or keywords."""
    return [{"id": each.id, "name": each.name} for each in rows]


def producers(companies: Sequence[Company]) -> list[JsonObject]:
    """Companies within a film or series."""
    return [
        {
            "id": each.id,
            "logo_path": each.logo_path,
            "name": each.name,
            "origin_country": each.origin_country,
        }
        for each in companies
    ]


def country(code: str) -> JsonObject:
    """A country by its code."""
    return {"iso_3166_1": code, "name": words.COUNTRIES[code][0]}


def language(code: str) -> JsonObject:
    """A language by its code."""
    return {"iso_639_1": code, "name": words.LANGUAGES[code]}


def review_in_list(review: Review) -> JsonObject:
    """A review among those of a film or series."""
    return {
        "author": review.author,
        "content": review.content,
        "id": review.id,
        "url": review.url,
    }


def pictures(state: TmdbState, row: Pictured, kind: str) -> list[JsonObject]:
    """The pictures of one kind."""
    shape = _logo if kind == "logo" else _picture
    shown = [shape(each) for each in images_of(state, row, kind)]
    if row.kind in NO_WHOLE_VOTES:
        return [{**each, "vote_average": each["vote_average"] + 0.5} for each in shown]
    return shown


def _picture(image: Image) -> JsonObject:
    return {
        "aspect_ratio": round(image.width / image.height, 3),
        "file_path": image.path,
        "height": image.height,
        "iso_639_1": image.language,
        "vote_average": image.vote_average,
        "vote_count": image.votes,
        "width": image.width,
    }


def _logo(image: Image) -> JsonObject:
    return {
        "aspect_ratio": round(image.width / image.height, 3),
        "file_path": image.path,
        "height": image.height,
        "id": image.id,
        "file_type": image.path[image.path.rindex(".") :],
        "vote_average": image.vote_average,
        "vote_count": image.votes,
        "width": image.width,
    }
