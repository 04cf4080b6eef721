from collections import Counter
from functools import cache
from itertools import pairwise

import pytest

from restwright_bench.tmdb import core, lists
from restwright_bench.tmdb.draw_movies import part_from_popular
from restwright_bench.tmdb.images import images_of
from restwright_bench.tmdb.make import make
from restwright_bench.tmdb.releases import release_dates_of
from restwright_bench.tmdb.tables import TODAY, TmdbState

SEEDS = range(12)


@cache
def world(seed: int) -> TmdbState:
    return make(seed)


@pytest.fixture(params=SEEDS)
def state(request: pytest.FixtureRequest) -> TmdbState:
    return world(request.param)


# The same and different worlds


def test_a_seed_makes_the_same_world_each_time() -> None:
    one, other = make.__wrapped__(4), make.__wrapped__(4)
    assert one == other
    assert one is not other


def test_a_world_that_begins_anew_is_not_made_again() -> None:
    assert make(4) is make(4)


def test_another_seed_makes_other_ids_and_facts() -> None:
    one, other = world(0), world(1)
    assert not set(one.movies) & set(other.movies)
    assert not set(one.persons) & set(other.persons)
    born = [each.person("Scarlett Johansson").birthday for each in map(world, SEEDS)]
    assert len(set(born)) > len(SEEDS) / 2
    leads = [each.lead_of(each.movie("Titanic")).name for each in map(world, SEEDS)]
    assert len(set(leads)) > len(SEEDS) / 2
    words = [each.keywords_of(each.movie("Titanic")) for each in map(world, SEEDS)]
    assert len({tuple(one.name for one in several) for several in words}) == len(SEEDS)


def test_names_that_are_asked_for_are_in_every_world(state: TmdbState) -> None:
    assert all(state.movie(each) for each in core.MOVIES)
    assert all(state.series(each) for each in core.SERIES)
    assert all(state.collection(each) for each in core.COLLECTIONS)
    assert all(state.company(each) for each in core.COMPANIES)
    assert all(state.person(each) for each in (*core.DIRECTS, *core.ACTS, *core.ACTS_IN_SERIES))


def test_no_id_is_given_twice(state: TmdbState) -> None:
    tables = (
        *(state.movies, state.series_by_id, state.persons, state.collections, state.companies),
        *(state.networks, state.keywords),
        {**state.movie_genres, **state.series_genres},
        {each.id: each for each in state.seasons.values()},
        {each.id: each for each in state.episodes.values()},
    )
    every = [key for table in tables for key in table]
    assert len(every) == len(set(every))
    assert len(state.seasons) + len(state.episodes) == len(tables[-1]) + len(tables[-2])


def test_reading_changes_nothing(state: TmdbState) -> None:
    before = state.snapshot()
    lists.popular_movies(state)
    assert state.snapshot() == before


# Everything points to something


def test_every_id_leads_somewhere(state: TmdbState) -> None:
    for title in (*state.movies.values(), *state.series_by_id.values()):
        assert state.genres_of(title)
        assert state.keywords_of(title)
        assert len(state.companies_of(title)) == 1
    for series in state.series_by_id.values():
        assert state.network_of(series)
    for movie in state.movies.values():
        assert movie.collection_id is None or movie.collection_id in state.collections


def test_every_credit_is_of_a_person_and_of_a_title(state: TmdbState) -> None:
    titles = {"movie": state.movies, "tv": state.series_by_id}
    for credit in state.credits.values():
        assert credit.person_id in state.persons
        assert credit.media_id in titles[credit.media]
        for season, episode in credit.episodes:
            assert (credit.media_id, season, episode) in state.episodes


def test_credits_are_the_same_from_both_sides(state: TmdbState) -> None:
    by_title = [each.id for several in state.credits_by_title.values() for each in several]
    by_person = [each.id for several in state.credits_by_person.values() for each in several]
    assert sorted(by_title) == sorted(by_person) == sorted(state.credits)


def test_nobody_is_twice_in_one_cast(state: TmdbState) -> None:
    for title in (*state.movies.values(), *state.series_by_id.values()):
        cast = state.cast_of(title)
        assert len(cast) >= 4
        assert len({each.person_id for each in cast}) == len(cast)
        assert [each.order for each in cast] == list(range(len(cast)))


def test_every_film_has_one_director_and_every_episode_too(state: TmdbState) -> None:
    assert {len(state.crew_of(each, "Director")) for each in state.movies.values()} == {1}
    for series in state.series_by_id.values():
        for each in state.episodes_of(series):
            assert len(state.directors_in(series, each.season, each.number)) == 1


def test_seasons_and_episodes_are_numbered_without_gaps(state: TmdbState) -> None:
    for series in state.series_by_id.values():
        seasons = state.seasons_of(series)
        assert [each.number for each in seasons] == list(range(1, len(seasons) + 1))
        for season in seasons:
            episodes = state.episodes_of(series, season.number)
            assert [each.number for each in episodes] == list(range(1, len(episodes) + 1))
            assert season.air_date == episodes[0].air_date
        days = [each.air_date for each in state.episodes_of(series)]
        assert days == sorted(days)
        assert series.first_air_date == days[0]
        assert series.last_air_date == max(each for each in days if each <= TODAY)
        assert series.is_running == (days[-1] > TODAY)


def test_the_films_of_a_collection_come_in_their_order(state: TmdbState) -> None:
    for collection in state.collections.values():
        parts = state.parts_of(collection)
        assert 3 <= len(parts) <= 6
        assert all(a.release_date < b.release_date for a, b in pairwise(parts))
        assert len({each.company_ids for each in parts}) == 1
        assert parts[-1].release_date <= TODAY


def test_the_main_picture_is_among_the_pictures(state: TmdbState) -> None:
    for movie in state.movies.values():
        assert images_of(state, movie, "poster")[0].path == movie.poster_path
    for company in state.companies.values():
        logos = images_of(state, company, "logo")
        assert logos == images_of(state, company, "logo")
        assert {each.path.rpartition(".")[2] for each in logos} == {"png"}


def test_a_film_is_released_at_home_first(state: TmdbState) -> None:
    for movie in state.movies.values():
        dates = release_dates_of(state, movie)
        assert [each.date for each in dates if each.country == "US"] == [movie.release_date]
        assert min(each.date for each in dates) == movie.release_date
        assert len({each.country for each in dates}) == len(dates)


def test_every_title_is_reviewed_and_no_two_reviews_are_the_same(state: TmdbState) -> None:
    for title in (*state.movies.values(), *state.series_by_id.values()):
        assert len(state.reviews_of(title)) >= 2
    contents = [each.content for each in state.reviews.values()]
    assert len(set(contents)) == len(contents)


def test_no_two_stories_are_the_same(state: TmdbState) -> None:
    stories = [
        each.overview
        for rows in (state.movies, state.series_by_id, state.seasons, state.episodes)
        for each in rows.values()
    ]
    assert len(set(stories)) == len(stories)


# Nothing is first by chance


def test_nothing_shares_its_rank(state: TmdbState) -> None:
    for rows in (state.movies, state.series_by_id, state.persons):
        for name in ("popularity", "daily"):
            ranks = [getattr(each, name) for each in rows.values()]
            assert len(set(ranks)) == len(ranks)
    for rows in (state.movies, state.series_by_id):
        votes = [each.vote_average for each in rows.values() if each.vote_count]
        assert len(set(votes)) == len(votes)


def test_no_two_films_and_no_two_series_begin_on_one_day(state: TmdbState) -> None:
    for days in (
        [each.release_date for each in state.movies.values()],
        [each.first_air_date for each in state.series_by_id.values()],
    ):
        assert len(set(days)) == len(days)


def test_names_are_there_once(state: TmdbState) -> None:
    for rows, name in (
        (state.movies, "title"),
        (state.series_by_id, "name"),
        (state.persons, "name"),
        (state.keywords, "name"),
    ):
        names = Counter(getattr(each, name) for each in rows.values())
        assert names.most_common(1)[0][1] == 1


LISTS = (
    *(lists.popular_movies, lists.popular_series, lists.popular_persons),
    *(lists.top_rated_movies, lists.top_rated_series, lists.now_playing, lists.upcoming),
    lists.on_the_air,
)


@pytest.mark.parametrize("of", LISTS, ids=lambda each: each.__name__)
def test_a_list_has_a_whole_page(of, state: TmdbState) -> None:
    assert len(of(state)) >= 20


def test_films_in_theatres_are_of_these_weeks(state: TmdbState) -> None:
    playing = lists.now_playing(state)
    assert all(lists.day(-42) <= each.release_date <= TODAY for each in playing)
    assert all(each.release_date > TODAY for each in lists.upcoming(state))
    assert set(lists.airing_today(state)) < set(lists.on_the_air(state))


def test_the_latest_film_is_the_last_of_those_released(state: TmdbState) -> None:
    latest = lists.latest_movie(state)
    assert latest in lists.now_playing(state)
    assert all(
        each.release_date < latest.release_date or each.release_date > TODAY
        for each in state.movies.values()
        if each != latest
    )


def test_todays_trend_is_not_what_is_most_popular(state: TmdbState) -> None:
    assert lists.trending_movies(state, "day")[0] != lists.popular_movies(state)[0]
    assert lists.trending_series(state, "day")[0] != lists.popular_series(state)[0]
    assert lists.trending_series(state, "week")[0] == lists.popular_series(state)[0]


def test_the_first_trend_gives_way_where_it_is_most_popular_as_well() -> None:
    daily = {"a": 1, "b": 3, "c": 2}
    part_from_popular(daily, {"a": 1.5, "b": 9.5, "c": 2.5})
    assert daily == {"a": 3, "b": 1, "c": 2}
    part_from_popular(daily, {"a": 1.5, "b": 9.5, "c": 2.5})
    assert daily == {"a": 3, "b": 1, "c": 2}


def test_people_have_trends_of_their_own(state: TmdbState) -> None:
    assert lists.trending_persons(state, "day") != lists.popular_persons(state)
    assert lists.trending_persons(state, "week") == lists.popular_persons(state)


def test_people_are_known_for_the_three_most_popular_titles_at_most(state: TmdbState) -> None:
    for person in state.persons.values():
        known = lists.known_for(state, person)
        others = {*state.movies_of(person), *state.series_of(person)} - {*known}
        assert len(known) == min(3, len(known) + len(others))
        assert all(a.popularity > b.popularity for a, b in pairwise(known))
        assert all(each.popularity < known[-1].popularity for each in others)


def test_something_is_like_every_title_and_no_title_like_itself(state: TmdbState) -> None:
    for title in (*state.movies.values(), *state.series_by_id.values()):
        for of in (lists.similar, lists.recommended):
            found = of(state, title)
            assert 3 <= len(found) <= 20
            assert title not in found
            assert {each.kind for each in found} == {title.kind}
