"""Answers about one film."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from restwright.jsontypes import Json, JsonObject
from restwright_bench.tmdb import lists, shapes
from restwright_bench.tmdb.releases import release_dates_of
from restwright_bench.tmdb.rows import Movie, ReleaseDate
from restwright_bench.tmdb.tables import TODAY, TmdbState
from restwright_bench.world.exchange import Answer, Asked, Handler, Refused

THEATRICAL = 3
# A picture without a language is asked for by this word.
NO_LANGUAGE = "null"


def movie_of(state: TmdbState, asked: Asked) -> Movie:
    """The film that is asked for."""
    found = state.movies.get(asked.path["movie_id"])
    if found is None:
        raise Refused(404, f"there is no movie with the id {asked.path['movie_id']}")
    return found


def details(state: TmdbState, movie: Movie) -> JsonObject:
    """All that is known of a film itself."""
    collection = state.collections.get(movie.collection_id or 0)
    return {
        **shapes.movie_in_list(movie),
        "belongs_to_collection": collection
        and {
            "id": collection.id,
            "name": collection.name,
            "poster_path": collection.poster_path,
            "backdrop_path": collection.backdrop_path,
        },
        "budget": movie.budget,
        "genres": shapes.names(state.genres_of(movie)),
        "homepage": movie.homepage,
        "imdb_id": movie.imdb_id,
        "production_companies": shapes.producers(state.companies_of(movie)),
        "production_countries": [shapes.country(movie.country)],
        "revenue": movie.revenue,
        "runtime": movie.runtime,
        "spoken_languages": [shapes.language(movie.original_language)],
        "status": "Released" if movie.release_date <= TODAY else "Post Production",
        "tagline": movie.tagline,
    }


def _details(state: TmdbState, asked: Asked) -> Answer:
    movie = movie_of(state, asked)
    body = details(state, movie)
    del body["genre_ids"]
    more: str = asked.query.get("append_to_response", "")
    plain = replace(asked, query={"page": 1})
    for name in more.split(","):
        if handler := APPENDABLE.get(name.strip()):
            body[name.strip()] = handler(state, plain).body
    return Answer(body=body)


def _latest(state: TmdbState, _asked: Asked) -> Answer:
    movie = lists.latest_movie(state)
    # The document has whole numbers here; it is so new that there are no others.
    whole = {
        "popularity": int(movie.popularity),
        "vote_average": int(movie.vote_average),
    }
    return Answer(body={**details(state, movie), **whole})


def _credits(state: TmdbState, asked: Asked) -> Answer:
    movie = movie_of(state, asked)
    persons = state.persons
    cast = [
        {**shapes.cast_member(each, persons[each.person_id]), "cast_id": each.order + 1}
        for each in state.cast_of(movie)
    ]
    crew = [shapes.crew_member(each, persons[each.person_id]) for each in state.crew_of(movie)]
    return Answer(body={"id": movie.id, "cast": cast, "crew": crew})


def _images(state: TmdbState, asked: Asked) -> Answer:
    movie = movie_of(state, asked)
    wanted: str | None = asked.query.get("include_image_language")
    backdrops, posters = (
        _in_languages(shapes.pictures(state, movie, each), wanted)
        for each in ("backdrop", "poster")
    )
    return Answer(body={"id": movie.id, "backdrops": backdrops, "posters": posters})


def _in_languages(pictures: list[JsonObject], wanted: str | None) -> list[JsonObject]:
    if not wanted:
        return pictures
    codes = wanted.lower().split(",")
    return [each for each in pictures if (each["iso_639_1"] or NO_LANGUAGE) in codes]


def _keywords(state: TmdbState, asked: Asked) -> Answer:
    movie = movie_of(state, asked)
    return Answer(body={"id": movie.id, "keywords": shapes.names(state.keywords_of(movie))})


def _release_dates(state: TmdbState, asked: Asked) -> Answer:
    movie = movie_of(state, asked)
    results = [
        {"iso_3166_1": each.country, "release_dates": [_released(each)]}
        for each in release_dates_of(state, movie)
    ]
    return Answer(body={"id": movie.id, "results": results})


def _released(release: ReleaseDate) -> JsonObject:
    return {
        "certification": release.certification,
        "iso_639_1": release.language,
        "note": "",
        "release_date": f"{release.date}T00:00:00.000Z",
        "type": THEATRICAL,
    }


def _reviews(state: TmdbState, asked: Asked) -> Answer:
    movie = movie_of(state, asked)
    rows: list[Json] = [shapes.review_in_list(each) for each in state.reviews_of(movie)]
    return Answer(body={"id": movie.id, **shapes.paged(rows, asked.query["page"])})


def _related(of: Callable[[TmdbState, Movie], list[Movie]]) -> Handler:
    def answer(state: TmdbState, asked: Asked) -> Answer:
        rows: list[Json] = [
            shapes.movie_in_list(each) for each in of(state, movie_of(state, asked))
        ]
        return Answer(body=shapes.paged(rows, asked.query["page"]))

    return answer


APPENDABLE: Mapping[str, Handler] = {
    "credits": _credits,
    "images": _images,
    "keywords": _keywords,
    "recommendations": _related(lists.recommended),
    "release_dates": _release_dates,
    "reviews": _reviews,
    "similar": _related(lists.similar),
}

MOVIES: Mapping[str, Handler] = {
    "/movie/latest": _latest,
    "/movie/{movie_id}": _details,
    **{f"/movie/{{movie_id}}/{name}": handler for name, handler in APPENDABLE.items()},
}
