"""Answers about one series, its seasons and episodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from restwright.jsontypes import Json, JsonObject
from restwright_bench.tmdb import lists, shapes
from restwright_bench.tmdb.rows import Credit, Episode, Season, Series
from restwright_bench.tmdb.tables import TODAY, TmdbState
from restwright_bench.world.exchange import Answer, Asked, Handler, Refused

RUNNING, ENDED = "Returning Series", "Ended"


def series_of(state: TmdbState, asked: Asked) -> Series:
    """The series that is asked for."""
    found = state.series_by_id.get(asked.path["tv_id"])
    if found is None:
        raise Refused(404, f"there is no TV show with the id {asked.path['tv_id']}")
    return found


def season_of(state: TmdbState, asked: Asked) -> tuple[Series, Season]:
    """The season that is asked for, with its series."""
    series, number = series_of(state, asked), asked.path["season_number"]
    found = state.seasons.get((series.id, number))
    if found is None:
        raise Refused(404, f"the TV show {series.id} has no season {number}")
    return series, found


def episode_of(state: TmdbState, asked: Asked) -> tuple[Series, Episode]:
    """The episode that is asked for, with its series."""
    series, season = season_of(state, asked)
    number = asked.path["episode_number"]
    found = state.episodes.get((series.id, season.number, number))
    if found is None:
        raise Refused(404, f"season {season.number} of {series.id} has no episode {number}")
    return series, found


def details(state: TmdbState, series: Series) -> JsonObject:
    """All that is known of a series itself."""
    episodes = state.episodes_of(series)
    seasons = state.seasons_of(series)
    last = next(each for each in reversed(episodes) if each.air_date <= TODAY)
    coming = next((each for each in episodes if each.air_date > TODAY), None)
    shown = shapes.series_in_list(series)
    del shown["genre_ids"]
    return {
        **shown,
        "created_by": _creators(state, series),
        "episode_run_time": [series.runtime],
        "genres": shapes.names(state.genres_of(series)),
        "homepage": series.homepage,
        "in_production": series.is_running,
        "languages": [series.original_language],
        "last_air_date": series.last_air_date,
        "last_episode_to_air": _aired(last),
        "next_episode_to_air": coming and _aired(coming),
        "networks": shapes.producers([state.network_of(series)]),
        "number_of_episodes": len(episodes),
        "number_of_seasons": len(seasons),
        "production_companies": shapes.producers(state.companies_of(series)),
        "seasons": [_season_in_series(state, series, each) for each in seasons],
        "status": RUNNING if series.is_running else ENDED,
        "type": "Scripted",
    }


def _creators(state: TmdbState, series: Series) -> list[JsonObject]:
    members = state.crew_of(series, "Creator")
    keys = ("id", "credit_id", "name", "gender", "profile_path")
    shown = [shapes.crew_member(each, state.persons[each.person_id]) for each in members]
    return [{key: each[key] for key in keys} for each in shown]


def _aired(episode: Episode) -> JsonObject:
    return {
        "air_date": episode.air_date,
        "episode_number": episode.number,
        "id": episode.id,
        "name": episode.name,
        "overview": episode.overview,
        "production_code": episode.production_code,
        "season_number": episode.season,
        "show_id": episode.series_id,
        "still_path": episode.still_path,
        "vote_average": episode.vote_average,
        "vote_count": episode.vote_count,
    }


def _season_in_series(state: TmdbState, series: Series, season: Season) -> JsonObject:
    return {
        "air_date": season.air_date,
        "episode_count": len(state.episodes_of(series, season.number)),
        "id": season.id,
        "name": season.name,
        "overview": season.overview,
        "poster_path": season.poster_path,
        "season_number": season.number,
    }


def _details(state: TmdbState, asked: Asked) -> Answer:
    return Answer(body=details(state, series_of(state, asked)))


def _latest(state: TmdbState, _asked: Asked) -> Answer:
    series = lists.latest_series(state)
    # The document has a whole number here; it is so new that it is one.
    return Answer(body={**details(state, series), "popularity": int(series.popularity)})


def _members(state: TmdbState, found: tuple[Credit, ...]) -> list[JsonObject]:
    return [shapes.crew_member(each, state.persons[each.person_id]) for each in found]


def _cast(state: TmdbState, series: Series) -> list[JsonObject]:
    return [
        shapes.cast_member(each, state.persons[each.person_id]) for each in state.cast_of(series)
    ]


def _crew_in(state: TmdbState, series: Series, season: int, episode: int = 0) -> tuple[Credit, ...]:
    return tuple(
        each
        for each in state.crew_of(series)
        if not each.episodes or any(s == season and episode in {0, e} for s, e in each.episodes)
    )


def _credits(state: TmdbState, asked: Asked) -> Answer:
    series = series_of(state, asked)
    crew = _members(state, state.crew_of(series))
    return Answer(body={"id": series.id, "cast": _cast(state, series), "crew": crew})


def _season_credits(state: TmdbState, asked: Asked) -> Answer:
    series, season = season_of(state, asked)
    crew = _members(state, _crew_in(state, series, season.number))
    return Answer(body={"id": season.id, "cast": _cast(state, series), "crew": crew})


def _guests(state: TmdbState, series: Series, episode: Episode) -> list[JsonObject]:
    return [
        shapes.cast_member(each, state.persons[each.person_id])
        for each in state.guests_in(series, episode.season, episode.number)
    ]


def _episode_credits(state: TmdbState, asked: Asked) -> Answer:
    series, episode = episode_of(state, asked)
    return Answer(
        body={
            "id": episode.id,
            "cast": _cast(state, series),
            "crew": _members(state, _crew_in(state, series, episode.season, episode.number)),
            "guest_stars": _guests(state, series, episode),
        }
    )


def _whole_episode(state: TmdbState, series: Series, episode: Episode) -> JsonObject:
    shown = _aired(episode)
    del shown["show_id"]
    crew = _members(state, _crew_in(state, series, episode.season, episode.number))
    return {**shown, "crew": crew, "guest_stars": _guests(state, series, episode)}


def _season(state: TmdbState, asked: Asked) -> Answer:
    series, season = season_of(state, asked)
    episodes = [
        _whole_episode(state, series, each) for each in state.episodes_of(series, season.number)
    ]
    shown = _season_in_series(state, series, season)
    del shown["episode_count"]
    return Answer(body={**shown, "_id": f"{season.id:024x}", "episodes": episodes})


def _episode(state: TmdbState, asked: Asked) -> Answer:
    return Answer(body=_whole_episode(state, *episode_of(state, asked)))


def _images(state: TmdbState, asked: Asked) -> Answer:
    series = series_of(state, asked)
    backdrops = shapes.pictures(state, series, "backdrop")
    posters = shapes.pictures(state, series, "poster")
    return Answer(body={"id": series.id, "backdrops": backdrops, "posters": posters})


def _season_images(state: TmdbState, asked: Asked) -> Answer:
    _, season = season_of(state, asked)
    return Answer(body={"id": season.id, "posters": shapes.pictures(state, season, "poster")})


def _episode_images(state: TmdbState, asked: Asked) -> Answer:
    _, episode = episode_of(state, asked)
    return Answer(body={"id": episode.id, "stills": shapes.pictures(state, episode, "still")})


def _keywords(state: TmdbState, asked: Asked) -> Answer:
    series = series_of(state, asked)
    return Answer(body={"id": series.id, "results": shapes.names(state.keywords_of(series))})


def _reviews(state: TmdbState, asked: Asked) -> Answer:
    series = series_of(state, asked)
    rows: list[Json] = [shapes.review_in_list(each) for each in state.reviews_of(series)]
    return Answer(body={"id": series.id, **shapes.paged(rows, asked.query["page"])})


def _related(of: Callable[[TmdbState, Series], list[Series]]) -> Handler:
    def answer(state: TmdbState, asked: Asked) -> Answer:
        found = of(state, series_of(state, asked))
        rows: list[Json] = [shapes.series_in_list(each) for each in found]
        return Answer(body=shapes.paged(rows, asked.query["page"]))

    return answer


SEASON = "/tv/{tv_id}/season/{season_number}"
EPISODE = f"{SEASON}/episode/{{episode_number}}"

SERIES: Mapping[str, Handler] = {
    "/tv/latest": _latest,
    "/tv/{tv_id}": _details,
    "/tv/{tv_id}/credits": _credits,
    "/tv/{tv_id}/images": _images,
    "/tv/{tv_id}/keywords": _keywords,
    "/tv/{tv_id}/recommendations": _related(lists.recommended),
    "/tv/{tv_id}/reviews": _reviews,
    "/tv/{tv_id}/similar": _related(lists.similar),
    SEASON: _season,
    f"{SEASON}/credits": _season_credits,
    f"{SEASON}/images": _season_images,
    EPISODE: _episode,
    f"{EPISODE}/credits": _episode_credits,
    f"{EPISODE}/images": _episode_images,
}
