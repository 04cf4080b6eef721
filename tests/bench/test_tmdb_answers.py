import time
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from restwright.typing import Json, JsonObject
from restwright_bench.tmdb.api import KEY, let_in, tmdb_api
from restwright_bench.tmdb.make import make
from restwright_bench.tmdb.tables import TmdbState
from restwright_bench.world.api import Api, Running
from restwright_bench.world.document import Route
from restwright_bench.world.exchange import Answer, Received

FOLDER = Path(__file__).parents[2].parent / "shared" / "data" / "restbench"

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="the data of RestBench is not here"),
]


@cache
def api() -> Api:
    return tmdb_api(FOLDER)


def asked(path: str, **query: str) -> Received:
    return Received(method="GET", path=path, query=tuple(query.items()))


def running(seed: int = 0) -> Running:
    return Running(api(), seed=seed)


def answer(path: str, **query: str) -> Answer:
    return running().answer(let_in(asked(path, **query)))


IDS: Mapping[str, tuple[str, str]] = {
    "movie_id": ("/movie/", "movies"),
    "tv_id": ("/tv/", "series_by_id"),
    "person_id": ("/person/", "persons"),
    "collection_id": ("/collection/", "collections"),
    "company_id": ("/company/", "companies"),
    "network_id": ("/network/", "networks"),
    "credit_id": ("/credit/", "credits"),
    "review_id": ("/review/", "reviews"),
}


def paths(route: Route, state: TmdbState, most: int) -> Iterator[str]:
    """Some concrete paths of an operation, such as for several films."""
    if "{season_number}" in route.template:
        for series, season, number in islice(state.episodes, 0, None, len(state.episodes) // most):
            yield route.template.format(tv_id=series, season_number=season, episode_number=number)
    elif "{media_type}" in route.template:
        for kind in ("all", "movie", "tv", "person"):
            for window in ("day", "week"):
                yield route.template.format(media_type=kind, time_window=window)
    elif "{" in route.template:
        name = route.template.partition("{")[2].partition("}")[0]
        table = getattr(state, IDS[name][1])
        for key in islice(table, 0, None, max(1, len(table) // most)):
            yield route.template.format(**{name: key})
    else:
        yield route.template


def queries(route: Route) -> Iterator[dict[str, str]]:
    if route.template.startswith("/search/"):
        for text in ("the", "s", "Titanic", "Harry Pottre", "no such thing at all"):
            yield {"query": text}
    else:
        yield {}
        yield {"page": "2"}


ROUTES = api().routes if FOLDER.is_dir() else ()


@pytest.mark.parametrize("route", ROUTES, ids=lambda each: each.template)
def test_every_answer_is_valid_under_its_schema(route: Route) -> None:
    world = running(seed=3)
    for path in paths(route, world.state, most=12):
        for query in queries(route):
            got = world.answer(let_in(asked(path, **query)))
            assert (path, got.status) == (path, 200)
            assert (path, [*map(str, route.response_checkers[200].iter_errors(got.body))]) == (
                path,
                [],
            )
    assert {each.handled for each in world.log} == {"handler"}


def test_every_operation_has_a_handler() -> None:
    assert {(each.method, each.template) for each in api().routes} == set(api().handlers)
    assert len(api().handlers) == 54


@pytest.mark.parametrize("route", ROUTES, ids=lambda each: each.template)
def test_an_unknown_id_is_answered_with_404(route: Route) -> None:
    if "_id}" not in route.template:
        return
    numbers = dict.fromkeys(("season_number", "episode_number"), 1)
    path = route.template.format(**dict.fromkeys(IDS, 7), **numbers)
    got = answer(path)
    assert got.status == 404
    assert got.body["status_code"] == 34
    assert not got.body["success"]


@pytest.mark.parametrize("which", ["/season/99", "/season/1/episode/99", "/season/0/images"])
def test_an_unknown_season_or_episode_is_answered_with_404(which: str) -> None:
    series = make(0).series("Friends")
    assert answer(f"/tv/{series.id}{which}").status == 404


def test_nobody_is_let_in_without_the_key() -> None:
    world = running()
    got = world.answer(asked("/movie/popular"))
    assert got.status == 401
    assert got.body["status_code"] == 7
    wrong = Received(method="GET", path="/tv/popular", headers={"authorization": "Bearer wrong"})
    assert world.answer(wrong).status == 401


def test_the_key_is_taken_as_a_parameter_and_as_a_bearer_token() -> None:
    world = running()
    assert world.answer(asked("/movie/popular", api_key=KEY)).status == 200
    assert world.answer(let_in(asked("/movie/popular"))).status == 200


@pytest.mark.parametrize("page", ["0", "-1", "1001", "many"])
def test_a_page_that_cannot_be_is_answered_with_400_and_says_where(page: str) -> None:
    got = answer("/movie/popular", page=page)
    assert got.status == 400
    assert [(each["location"], each["name"]) for each in got.body["errors"]] == [("query", "page")]


def test_pages_follow_one_another_until_there_are_no_more() -> None:
    first = answer("/movie/popular").body
    assert len(first["results"]) == 20
    seen = [
        each["id"]
        for page in range(1, first["total_pages"] + 1)
        for each in answer("/movie/popular", page=str(page)).body["results"]
    ]
    assert len(seen) == len(set(seen)) == first["total_results"]
    assert answer("/movie/popular", page=str(first["total_pages"] + 1)).body["results"] == []


def found(**query: str) -> list[JsonObject]:
    return answer("/discover/movie", **query).body["results"]


def test_discover_filters_by_language_rating_and_date() -> None:
    rows = found(
        **{
            "with_original_language": "en",
            "vote_average.gte": "7.0",
            "primary_release_date.gte": "2021-01-01",
        }
    )
    assert rows
    assert {each["original_language"] for each in rows} == {"en"}
    assert all(each["vote_average"] >= 7 for each in rows)
    assert all(each["release_date"] >= "2021-01-01" for each in rows)


def test_discover_joins_ids_by_commas_and_bars() -> None:
    state = make(0)
    one, other = list(state.movie_genres)[:2]
    both = found(with_genres=f"{one},{other}")
    either = found(with_genres=f"{one}|{other}")
    neither = found(without_genres=f"{one},{other}")
    assert all({one, other} <= set(each["genre_ids"]) for each in both)
    assert all({one, other} & set(each["genre_ids"]) for each in either)
    assert not any({one, other} & set(each["genre_ids"]) for each in neither)


FILTERS = (
    ("/discover/movie", "region", "US"),
    ("/discover/movie", "year", "2025"),
    ("/discover/movie", "release_date.lte", "2001-01-01"),
    ("/discover/movie", "certification", "PG"),
    ("/discover/movie", "certification.lte", "PG-13"),
    ("/discover/movie", "vote_count.gte", "1000"),
    ("/discover/movie", "with_runtime.lte", "100"),
    ("/discover/movie", "sort_by", "revenue.asc"),
    ("/discover/movie", "sort_by", "original_title.asc"),
    ("/discover/tv", "air_date.gte", "2026-01-15"),
    ("/discover/tv", "first_air_date_year", "2024"),
    ("/discover/tv", "vote_average.gte", "7"),
    ("/discover/tv", "sort_by", "first_air_date.desc"),
)


@pytest.mark.parametrize(("path", "name", "value"), FILTERS)
def test_discover_takes_what_the_document_has(path: str, name: str, value: str) -> None:
    assert answer(path, **{name: value}).body["total_results"] > 0


def test_details_of_a_film_carry_what_is_asked_to_be_with_them() -> None:
    movie = make(0).movie("Titanic")
    body = answer(f"/movie/{movie.id}", append_to_response="credits,images,nonsense").body
    assert body["credits"] == answer(f"/movie/{movie.id}/credits").body
    assert "posters" in body["images"]
    assert "nonsense" not in body


def test_a_credit_is_the_same_from_both_sides() -> None:
    state = make(0)
    for movie in state.movies.values():
        body = answer(f"/movie/{movie.id}/credits").body
        member = body["cast"][0]
        theirs = answer(f"/person/{member['id']}/movie_credits").body["cast"]
        assert movie.id in {each["id"] for each in theirs}
        assert answer(f"/credit/{member['credit_id']}").body["person"]["id"] == member["id"]
        break


def test_a_person_has_the_credits_that_series_give_the_person() -> None:
    state = make(0)
    world = running()

    def got(path: str) -> Json:
        return world.answer(let_in(asked(path))).body

    for series in state.series_by_id.values():
        body = got(f"/tv/{series.id}/credits")
        for role in ("cast", "crew"):
            for member in body[role][:3]:
                theirs = got(f"/person/{member['id']}/tv_credits")[role]
                assert member["credit_id"] in {each["credit_id"] for each in theirs}


def test_the_poster_of_a_film_is_among_its_images() -> None:
    movie = make(0).movie("Oppenheimer")
    body = answer(f"/movie/{movie.id}/images").body
    assert movie.poster_path in {each["file_path"] for each in body["posters"]}


def test_what_the_document_calls_latest_has_whole_numbers() -> None:
    assert answer("/movie/latest").body["popularity"] == 1
    assert answer("/tv/latest").body["popularity"] == 1


ODD = ("", "-1", "0", "abc", "7" * 30, "ä", "1,2|3", "1|", "2021-13-45", "9.5", "true", "desc", "٣")


@pytest.mark.parametrize("route", ROUTES, ids=lambda each: each.template)
def test_odd_values_are_answered_or_refused(route: Route) -> None:
    world = running()
    path = next(paths(route, world.state, most=1))
    needed = {each.name: "the" for each in route.parameters if each.required}
    for parameter in route.parameters:
        for value in ODD:
            query = {**needed, parameter.name: value}
            got = world.answer(let_in(asked(path, **query)))
            assert got.status in {200, 400}
            if got.status == 400:
                assert got.body["errors"]


def test_all_operations_are_answered_300_times_a_second() -> None:
    world = running()
    requests = [
        let_in(asked(path, **query))
        for route in api().routes
        for path in paths(route, world.state, most=3)
        for query in queries(route)
    ]
    start = time.process_time()
    for each in requests:
        world.answer(each)
    assert len(requests) / (time.process_time() - start) > 300
