from collections.abc import Iterator, Mapping
from itertools import islice

import pytest
from tests.support.bench.films import (
    FOLDER,
    answer,
    api,
    asked,
    needs_restbench,
    running,
    whole_list,
)

from restwright.jsontypes import Json
from restwright_bench.tmdb.api import KEY, let_in
from restwright_bench.tmdb.make import make
from restwright_bench.tmdb.tables import TODAY, TmdbState
from restwright_bench.world.document import Route
from restwright_bench.world.exchange import Received

pytestmark = needs_restbench

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
    basic = Received(method="GET", path="/tv/popular", headers={"authorization": f"Basic {KEY}"})
    assert world.answer(basic).status == 401


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


@pytest.mark.parametrize(
    ("path", "name"),
    [
        *(("/movie/popular", "popularity"), ("/tv/popular", "popularity")),
        *(("/person/popular", "popularity"), ("/movie/top_rated", "vote_average")),
        *(("/tv/top_rated", "vote_average"), ("/movie/now_playing", "popularity")),
        ("/tv/on_the_air", "popularity"),
    ],
)
def test_lists_are_sorted_with_the_greatest_first(path: str, name: str) -> None:
    values = [each[name] for each in whole_list(path)]
    assert values == sorted(set(values), reverse=True)


def test_films_in_theatres_are_of_the_dates_that_are_told() -> None:
    for path in ("/movie/now_playing", "/movie/upcoming"):
        body = answer(path).body
        low, high = body["dates"]["minimum"], body["dates"]["maximum"]
        assert all(low <= each["release_date"] <= high for each in body["results"])


def test_trends_of_all_kinds_are_told_apart() -> None:
    rows = answer("/trending/all/day").body["results"]
    assert [each["media_type"] for each in rows[:3]] == ["movie", "tv", "person"]
    assert rows[1]["id"] == answer("/trending/tv/day").body["results"][0]["id"]
    week = answer("/trending/tv/week").body["results"]
    assert [each["id"] for each in week] == [
        each["id"] for each in answer("/tv/popular").body["results"]
    ]


def test_a_search_can_be_of_one_year() -> None:
    movie = make(0).movie("Titanic")
    year = movie.release_date[:4]
    assert len(answer("/search/movie", query="titanic", year=year).body["results"]) == 1
    assert answer("/search/movie", query="titanic", year="1802").body["results"] == []
    series = make(0).series("Friends")
    year = series.first_air_date[:4]
    rows = answer("/search/tv", query="friends", first_air_date_year=year).body["results"]
    assert series.id in {each["id"] for each in rows}


def test_images_can_be_of_one_language() -> None:
    movie = make(0).movie("Titanic")
    every = answer(f"/movie/{movie.id}/images").body["posters"]
    code = every[0]["iso_639_1"]
    kept = answer(f"/movie/{movie.id}/images", include_image_language=code).body["posters"]
    assert kept == [each for each in every if each["iso_639_1"] == code]


def test_a_season_and_its_episodes_are_told_of_in_the_same_way() -> None:
    series = make(0).series("House of Cards")
    season = answer(f"/tv/{series.id}/season/1").body
    details = answer(f"/tv/{series.id}").body
    assert details["seasons"][0]["episode_count"] == len(season["episodes"])
    assert details["number_of_episodes"] == sum(
        each["episode_count"] for each in details["seasons"]
    )
    assert answer(f"/tv/{series.id}/season/1/episode/2").body == season["episodes"][1]
    crew = answer(f"/tv/{series.id}/season/1/credits").body["crew"]
    directors = {each["name"] for each in crew if each["job"] == "Director"}
    assert directors == {
        each["name"]
        for episode in season["episodes"]
        for each in episode["crew"]
        if each["job"] == "Director"
    }
    assert len(directors) == 3


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


def test_who_is_there_for_a_whole_series_is_told_of_with_each_episode() -> None:
    series = make(0).series("Westworld")
    path = f"/tv/{series.id}"
    every = {each["job"] for each in answer(f"{path}/credits").body["crew"]}
    assert {"Creator", "Writer", "Director"} <= every
    for part in ("/season/2", "/season/2/episode/3"):
        crew = answer(f"{path}{part}/credits").body["crew"]
        assert {each["job"] for each in crew} == every
    directors = [each for each in crew if each["job"] == "Director"]
    assert len(directors) == 1


def test_a_guest_of_an_episode_has_a_credit_for_it_and_is_not_in_the_cast() -> None:
    series = make(0).series("Friends")
    body = answer(f"/tv/{series.id}/season/3/episode/24/credits").body
    guest = body["guest_stars"][0]
    theirs = answer(f"/person/{guest['id']}/tv_credits").body["cast"]
    (mine,) = [each for each in theirs if each["credit_id"] == guest["credit_id"]]
    assert (mine["id"], mine["episode_count"]) == (series.id, 1)
    assert guest["id"] not in {each["id"] for each in body["cast"]}
    credit = answer(f"/credit/{guest['credit_id']}").body
    assert credit["media"]["episodes"] == [{"season_number": 3, "episode_number": 24}]
    assert [each["season_number"] for each in credit["media"]["seasons"]] == [3]


def test_the_last_and_the_next_episode_are_on_both_sides_of_today() -> None:
    for row in answer("/tv/on_the_air").body["results"][:5]:
        body = answer(f"/tv/{row['id']}").body
        assert body["in_production"]
        assert body["last_air_date"] == body["last_episode_to_air"]["air_date"] <= TODAY
        assert body["next_episode_to_air"]["air_date"] > TODAY
