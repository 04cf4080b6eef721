"""Answers about one person, credit, review, collection, company or network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from restwright.jsontypes import Json, JsonObject
from restwright_bench.tmdb import shapes
from restwright_bench.tmdb.rows import Credit, Person
from restwright_bench.tmdb.tables import TmdbState
from restwright_bench.world.exchange import Answer, Asked, Handler, Refused

T = TypeVar("T")


def _there(table: Mapping[Json, T], key: Json, what: str) -> T:
    found = table.get(key)
    if found is None:
        raise Refused(404, f"there is no {what} with the id {key}")
    return found


def _person_of(state: TmdbState, asked: Asked) -> Person:
    return _there(state.persons, asked.path["person_id"], "person")


def _person(state: TmdbState, asked: Asked) -> Answer:
    person = _person_of(state, asked)
    return Answer(
        body={
            "adult": False,
            "also_known_as": [],
            "biography": person.biography,
            "birthday": person.birthday,
            "deathday": None,
            "gender": person.gender,
            "homepage": None,
            "id": person.id,
            "imdb_id": person.imdb_id,
            "known_for_department": person.department,
            "name": person.name,
            "place_of_birth": person.place_of_birth,
            "popularity": person.popularity,
            "profile_path": person.profile_path,
        }
    )


def _profiles(state: TmdbState, asked: Asked) -> Answer:
    person = _person_of(state, asked)
    return Answer(body={"id": person.id, "profiles": shapes.pictures(state, person, "profile")})


def _movie_credits(state: TmdbState, asked: Asked) -> Answer:
    return _credits_of(state, _person_of(state, asked), "movie")


def _tv_credits(state: TmdbState, asked: Asked) -> Answer:
    return _credits_of(state, _person_of(state, asked), "tv")


def _credits_of(state: TmdbState, person: Person, media: str) -> Answer:
    found = [each for each in state.credits_by_person.get(person.id, ()) if each.media == media]
    cast = [_part(state, each) for each in found if each.role != "crew"]
    crew = [_part(state, each) for each in found if each.role == "crew"]
    return Answer(body={"id": person.id, "cast": cast, "crew": crew})


def _part(state: TmdbState, credit: Credit) -> JsonObject:
    if credit.media == "movie":
        shown = shapes.movie_in_list(state.movies[credit.media_id])
        # The document has no whole numbers here, and nobody has rated it yet.
        if not shown["vote_count"]:
            del shown["vote_average"]
    else:
        series = state.series_by_id[credit.media_id]
        count = len(credit.episodes) or len(state.episodes_of(series))
        shown = {**shapes.series_in_list(series), "episode_count": count}
    part = (
        {"department": credit.department, "job": credit.job}
        if credit.role == "crew"
        else {"character": credit.character}
    )
    return {**shown, **part, "credit_id": credit.id}


def _credit(state: TmdbState, asked: Asked) -> Answer:
    credit = _there(state.credits, asked.path["credit_id"], "credit")
    person = state.persons[credit.person_id]
    return Answer(
        body={
            "id": credit.id,
            "credit_type": "crew" if credit.role == "crew" else "cast",
            "department": credit.department,
            "job": credit.job,
            "media": _medium(state, credit),
            "media_type": credit.media,
            "person": {"id": person.id, "name": person.name},
        }
    )


def _medium(state: TmdbState, credit: Credit) -> JsonObject:
    if credit.media == "movie":
        movie = state.movies[credit.media_id]
        name, original, seasons = movie.title, movie.original_title, []
    else:
        series = state.series_by_id[credit.media_id]
        name, original, seasons = series.name, series.original_name, state.seasons_of(series)
    worked_on = {season for season, _ in credit.episodes} or {each.number for each in seasons}
    return {
        "id": credit.media_id,
        "name": name,
        "original_name": original,
        "character": credit.character,
        "episodes": [
            {"season_number": season, "episode_number": number}
            for season, number in credit.episodes
        ],
        "seasons": [
            {
                "air_date": each.air_date,
                "poster_path": each.poster_path,
                "season_number": each.number,
            }
            for each in seasons
            if each.number in worked_on
        ],
    }


def _review(state: TmdbState, asked: Asked) -> Answer:
    review = _there(state.reviews, asked.path["review_id"], "review")
    is_movie = review.media == "movie"
    title = (
        state.movies[review.media_id].title
        if is_movie
        else state.series_by_id[review.media_id].name
    )
    return Answer(
        body={
            **shapes.review_in_list(review),
            "iso_639_1": "en",
            "media_id": review.media_id,
            "media_title": title,
            "media_type": review.media,
        }
    )


def _collection(state: TmdbState, asked: Asked) -> Answer:
    found = _there(state.collections, asked.path["collection_id"], "collection")
    return Answer(
        body={
            "backdrop_path": found.backdrop_path,
            "id": found.id,
            "name": found.name,
            "overview": found.overview,
            "parts": [shapes.movie_in_list(each) for each in state.parts_of(found)],
            "poster_path": found.poster_path,
        }
    )


def _collection_images(state: TmdbState, asked: Asked) -> Answer:
    found = _there(state.collections, asked.path["collection_id"], "collection")
    backdrops = shapes.pictures(state, found, "backdrop")
    posters = shapes.pictures(state, found, "poster")
    return Answer(body={"id": found.id, "backdrops": backdrops, "posters": posters})


def _company(state: TmdbState, asked: Asked) -> Answer:
    found = _there(state.companies, asked.path["company_id"], "company")
    return Answer(
        body={
            "description": found.description,
            "headquarters": found.headquarters,
            "homepage": found.homepage,
            "id": found.id,
            "logo_path": found.logo_path,
            "name": found.name,
            "origin_country": found.origin_country,
            "parent_company": None,
        }
    )


def _company_images(state: TmdbState, asked: Asked) -> Answer:
    found = _there(state.companies, asked.path["company_id"], "company")
    return Answer(body={"id": found.id, "logos": shapes.pictures(state, found, "logo")})


def _network(state: TmdbState, asked: Asked) -> Answer:
    found = _there(state.networks, asked.path["network_id"], "network")
    return Answer(
        body={
            "headquarters": found.headquarters,
            "homepage": found.homepage,
            "id": found.id,
            "name": found.name,
            "origin_country": found.origin_country,
        }
    )


def _network_images(state: TmdbState, asked: Asked) -> Answer:
    found = _there(state.networks, asked.path["network_id"], "network")
    return Answer(body={"id": found.id, "logos": shapes.pictures(state, found, "logo")})


PEOPLE: Mapping[str, Handler] = {
    "/person/{person_id}": _person,
    "/person/{person_id}/images": _profiles,
    "/person/{person_id}/movie_credits": _movie_credits,
    "/person/{person_id}/tv_credits": _tv_credits,
    "/credit/{credit_id}": _credit,
    "/review/{review_id}": _review,
    "/collection/{collection_id}": _collection,
    "/collection/{collection_id}/images": _collection_images,
    "/company/{company_id}": _company,
    "/company/{company_id}/images": _company_images,
    "/network/{network_id}": _network,
    "/network/{network_id}/images": _network_images,
}
