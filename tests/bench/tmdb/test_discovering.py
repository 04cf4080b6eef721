from collections.abc import Callable, Mapping

import pytest
from tests.support.bench.films import answer, needs_restbench, whole_list

from restwright.jsontypes import JsonObject
from restwright_bench.tmdb.make import make
from restwright_bench.tmdb.releases import release_dates_of
from restwright_bench.tmdb.tables import TODAY

pytestmark = needs_restbench


def test_discover_filters_by_language_rating_and_date() -> None:
    rows = whole_list(
        "/discover/movie",
        **{
            "with_original_language": "en",
            "vote_average.gte": "7.0",
            "primary_release_date.gte": "2021-01-01",
        },
    )
    assert rows
    assert {each["original_language"] for each in rows} == {"en"}
    assert all(each["vote_average"] >= 7 for each in rows)
    assert all(each["release_date"] >= "2021-01-01" for each in rows)


def test_discover_joins_ids_by_commas_and_bars() -> None:
    state = make(0)
    one, other = list(state.movie_genres)[:2]
    has = {movie.id: {one, other} & set(movie.genre_ids) for movie in state.movies.values()}
    for query, fits in (
        ({"with_genres": f"{one},{other}"}, lambda genres: len(genres) == 2),
        ({"with_genres": f"{one}|{other}"}, bool),
        ({"without_genres": f"{one},{other}"}, lambda genres: not genres),
    ):
        kept = {each["id"] for each in whole_list("/discover/movie", **query)}
        assert kept == {key for key, genres in has.items() if fits(genres)}


FILTERS: Mapping[tuple[str, str, str], Callable[[JsonObject], bool]] = {
    ("movie", "primary_release_year", "2025"): lambda row: row["release_date"][:4] == "2025",
    ("movie", "release_date.lte", "2001-01-01"): lambda row: row["release_date"] <= "2001-01-01",
    ("movie", "primary_release_date.lte", "2001"): lambda row: row["release_date"] < "2002",
    ("movie", "vote_count.gte", "9000"): lambda row: row["vote_count"] >= 9000,
    ("movie", "vote_average.lte", "6"): lambda row: row["vote_average"] <= 6,
    ("movie", "with_original_language", "ja|ko"): lambda row: (
        row["original_language"] in {"ja", "ko"}
    ),
    ("tv", "first_air_date_year", "2021"): lambda row: row["first_air_date"][:4] == "2021",
    ("tv", "first_air_date.lte", "2015-01-01"): lambda row: row["first_air_date"] <= "2015-01-01",
    ("tv", "vote_average.gte", "7"): lambda row: row["vote_average"] >= 7,
    ("tv", "with_original_language", "fr"): lambda row: row["original_language"] == "fr",
}


@pytest.mark.parametrize(("kind", "name", "value"), FILTERS)
def test_discover_keeps_what_a_filter_fits_and_nothing_else(
    kind: str, name: str, value: str
) -> None:
    fits = FILTERS[kind, name, value]
    every = whole_list(f"/discover/{kind}")
    kept = whole_list(f"/discover/{kind}", **{name: value})
    assert 0 < len(kept) < len(every)
    assert all(fits(each) for each in kept)
    assert {each["id"] for each in every if fits(each)} == {each["id"] for each in kept}


def test_discover_filters_by_what_only_details_show() -> None:
    state = make(0)
    movie = state.movie("Titanic")
    for name, value in (
        ("with_companies", str(movie.company_ids[0])),
        ("with_cast", str(state.lead_of(movie).id)),
        ("with_crew", str(state.director_of(movie).id)),
        ("with_people", f"{state.director_of(movie).id},{state.lead_of(movie).id}"),
        ("with_keywords", str(movie.keyword_ids[0])),
        ("certification", movie.certification),
        ("certification.lte", movie.certification),
        ("with_runtime.gte", str(movie.runtime)),
        ("with_runtime.lte", str(movie.runtime)),
    ):
        kept = {each["id"] for each in whole_list("/discover/movie", **{name: value})}
        assert movie.id in kept
        assert len(kept) < len(state.movies)
    for name in ("without_companies", "without_keywords"):
        value = str((movie.company_ids if "companies" in name else movie.keyword_ids)[0])
        kept = {each["id"] for each in whole_list("/discover/movie", **{name: value})}
        assert movie.id not in kept
        assert kept
    assert whole_list("/discover/movie", with_watch_providers="8") == []


def test_discover_looks_at_all_countries_for_a_year_and_a_region() -> None:
    state = make(0)
    for name, value, is_of in (
        ("year", "2025", lambda release: release.date[:4] == "2025"),
        ("region", "JP", lambda release: release.country == "JP"),
    ):
        kept = {each["id"] for each in whole_list("/discover/movie", **{name: value})}
        assert kept == {
            movie.id
            for movie in state.movies.values()
            if any(map(is_of, release_dates_of(state, movie)))
        }
        assert 0 < len(kept) < len(state.movies)


def test_discover_finds_series_by_network_and_by_the_days_of_their_episodes() -> None:
    state = make(0)
    series = state.series("Game of Thrones")
    network = str(series.network_ids[0])
    kept = {each["id"] for each in whole_list("/discover/tv", with_networks=network)}
    assert kept == {s.id for s in state.series_by_id.values() if str(s.network_ids[0]) == network}
    days = {"air_date.gte": TODAY, "air_date.lte": TODAY}
    today = {each["id"] for each in whole_list("/discover/tv", **days)}
    assert today == {each["id"] for each in whole_list("/tv/airing_today")}


ORDERS: Mapping[tuple[str, str], str] = {
    ("/discover/movie", "original_title.asc"): "original_title",
    ("/discover/movie", "vote_count.desc"): "vote_count",
    ("/discover/movie", "release_date.desc"): "release_date",
    ("/discover/movie", ""): "popularity",
    ("/discover/tv", "first_air_date.asc"): "first_air_date",
    ("/discover/tv", "vote_average.desc"): "vote_average",
}


@pytest.mark.parametrize(("path", "order"), ORDERS)
def test_discover_sorts_as_it_is_asked(path: str, order: str) -> None:
    name = ORDERS[path, order]
    rows = answer(path, sort_by=order).body["results"]
    values = [each[name] for each in rows]
    assert values == sorted(values, reverse=not order.endswith("asc"))
