"""Queries that no other is like: counts, choices between two, yes or no, lists with a filter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from restwright.jsontypes import JsonObject
from restwright_bench.queries.query import Answered, Script
from restwright_bench.queries.tmdb.facts import movie_titles
from restwright_bench.queries.tmdb.reach import called, name_in, others
from restwright_bench.queries.tmdb.spelled import agreed, chosen, counted, names, numbered, rated
from restwright_bench.queries.tmdb.steps import (
    FILMS_OF,
    MOVIE_CREDITS,
    POPULAR_SERIES_WITH,
    SERIES_CREDITS,
    directed_in,
)
from restwright_bench.queries.tmdb.subjects import movie, person, series
from restwright_bench.tmdb import lists
from restwright_bench.tmdb.rows import Movie, Pictured
from restwright_bench.tmdb.tables import TmdbState

Expecting = Callable[[TmdbState], Answered]
Scripting = Callable[[], Script]

# Counts.


def _films_directed(name: str) -> Script:
    found = yield from person(name).find()
    body = yield called(FILMS_OF, found["id"])
    return f"{name} has directed {len(directed_in(body['crew']))} movies."


def _count_of_films(state: TmdbState) -> Answered:
    count = len(state.movies_directed_by(state.person("Sofia Coppola")))
    return counted(count, "movies", "films", after=("directed",))


def _details(name: str, said: Callable[[JsonObject], str]) -> Script:
    found = yield from series(name).find()
    return said((yield called("/tv/{tv_id}", found["id"])))


def _count_of_episodes(state: TmdbState) -> Answered:
    return counted(len(state.episodes_of(state.series("2 Broke Girls"))), "episodes in total")


def _count_of_seasons(state: TmdbState) -> Answered:
    return counted(len(state.seasons_of(state.series("Sword Art Online"))), "seasons")


# Choices between two.

_HIGHER = (
    *("has a higher", "has the higher", "is rated higher", "is higher", "has a better"),
    *("has higher", "is better rated", "has the better", "is the higher rated", "wins"),
)
_LOWER = ("has a lower", "has the lower", "is rated lower", "is lower", "has lower")
_HIGHER_THAN = (
    *("higher rating than", "better rating than", "higher than", "rated higher than"),
    *("higher rated than", "better rated than"),
)
_AVATARS = ("Avatar", "Avatar: The Way of Water")
_SHORT = ("The Way of Water", "Avatar 2")
# The one title begins the other, so that by itself it does not tell that the one is named.
_FIRST_ONE = tuple(
    said for word in ("versus", "vs", "and", "or") for said in (f"Avatar {word}", f"{word} Avatar")
)


def _ratings() -> Script:
    body = yield called("/search/movie", query=_AVATARS[0])
    votes = {each["title"]: each["vote_average"] for each in body["results"]}
    low, high = sorted(_AVATARS, key=lambda each: votes[each])
    return f"{high} has a higher rating ({votes[high]}) than {low} ({votes[low]})."


def _higher(state: TmdbState) -> Answered:
    low, high = sorted(map(state.movie, _AVATARS), key=lambda each: each.vote_average)
    spelled = {_AVATARS[0]: (_AVATARS[0],), _AVATARS[1]: (_AVATARS[1], *_SHORT)}
    return chosen(
        spelled[high.title],
        spelled[low.title],
        better=_HIGHER,
        worse=_LOWER,
        than=_HIGHER_THAN,
        evidence=_only(rated(high.vote_average), rated(low.vote_average)),
        beside=_FIRST_ONE if low.title == _AVATARS[0] else _SHORT,
    )


_EARLIER = (
    *("has an earlier", "has the earlier", "was released earlier", "was released first"),
    *("came out first", "came out earlier", "came first", "is earlier", "is older"),
    *("was released before", "came out before", "is the earlier"),
)
_LATER = ("has a later", "has the later", "was released later", "was released after", "is later")
_EARLIER_THAN = ("earlier than", "earlier release date than", "released before", "out before")
_DATED = ("The Double Life of Veronique", "Mulholland Drive")


def _releases() -> Script:
    dates: dict[str, str] = {}
    for title in _DATED:
        found = yield from movie(title).find()
        body = yield called("/movie/{movie_id}", found["id"])
        dates[title] = body["release_date"]
    first, last = sorted(_DATED, key=dates.__getitem__)
    return f"{first} has an earlier release date, {dates[first]}; {last}: {dates[last]}."


def _earlier(state: TmdbState) -> Answered:
    first, last = sorted(map(state.movie, _DATED), key=lambda each: each.release_date)
    dates = (first.release_date, last.release_date)
    return chosen(
        (first.title,),
        (last.title,),
        better=_EARLIER,
        worse=_LATER,
        than=_EARLIER_THAN,
        evidence=_only((dates[0], dates[0][:4]), (dates[1], dates[1][:4])),
        beside=(last.title,),
    )


_MORE = ("directed more", "has directed more", "has more", "has the most")
_FEWER = ("directed fewer", "has directed fewer", "has fewer", "directed less")
_MORE_THAN = ("more than", "more movies than", "more films than")
_PROLIFIC = ("Akira Kurosawa", "Steven Spielberg")


def _film_counts() -> Script:
    counts: dict[str, int] = {}
    for name in _PROLIFIC:
        found = yield from person(name, asked=name.split()[-1]).find()
        body = yield called(FILMS_OF, found["id"])
        counts[name] = len(directed_in(body["crew"]))
    low, high = sorted(_PROLIFIC, key=counts.__getitem__)
    return f"{high} has directed more movies: {counts[high]}, and {low} {counts[low]}."


def _more(state: TmdbState) -> Answered:
    counts = {name: len(state.movies_directed_by(state.person(name))) for name in _PROLIFIC}
    low, high = sorted(_PROLIFIC, key=counts.__getitem__)
    return chosen(
        (high, high.split()[-1]),
        (low, low.split()[-1]),
        better=_MORE,
        worse=_FEWER,
        than=_MORE_THAN,
        evidence=_only(numbered(counts[high]), numbered(counts[low])),
        beside=(low.split()[-1],),
    )


def _only(evidence: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """What tells of one of two and not of the other as well."""
    return tuple(each for each in evidence if each not in other)


_OLDER = ("is older", "is the older", "was born first", "was born earlier")
_YOUNGER = ("is younger", "is the younger", "was born later")


def _born(path: str, person_id: int) -> Script:
    return (yield called(path, person_id))["birthday"]


def _ages() -> Script:
    film = yield from movie("Barbie").find()
    director = directed_in((yield called(MOVIE_CREDITS, film["id"]))["crew"])[0]
    show = yield from series("Death Note").find()
    lead = (yield called(SERIES_CREDITS, show["id"]))["cast"][0]
    born: dict[str, str] = {}
    for each in (director, lead):
        born[each["name"]] = yield from _born("/person/{person_id}", each["id"])
    old, young = sorted(born, key=born.__getitem__)
    return f"{old} is older by {int(born[young][:4]) - int(born[old][:4])} years than {young}."


def _older(state: TmdbState) -> Answered:
    director = state.director_of(state.movie("Barbie"))
    lead = state.lead_of(state.series("Death Note"))
    old, young = sorted((director, lead), key=lambda each: each.birthday)
    years = int(young.birthday[:4]) - int(old.birthday[:4])
    roles = {director: "director", lead: "lead actor"}
    by = [f"is {each} years older" for each in numbered(years)]
    # `seven years older` stands in `twenty-seven years older`.
    wrong = [each for each in range(100) if each not in {years, years % 10}]
    return Answered(
        all_of=(
            (old.name, *(f"{roles[old]} {each}" for each in (*_OLDER, *by))),
            numbered(years),
        ),
        none_of=(
            *(f"{name} {each}" for name in (young.name, roles[young]) for each in (*_OLDER, *by)),
            *(f"{name} {each}" for name in (old.name, roles[old]) for each in _YOUNGER),
            *(f"older than {each}" for each in (old.name, f"the {roles[old]}")),
            *(f"by {each} years" for each in wrong),
            *(f"{each} years older" for each in wrong),
        ),
    )


# Yes or no.

_TWIN_PEAKS, _MULHOLLAND = "Twin Peaks", "Mulholland Drive"


def _same_director() -> Script:
    show = yield from series(_TWIN_PEAKS).find()
    film = yield from movie(_MULHOLLAND).find()
    of_film = directed_in((yield called(MOVIE_CREDITS, film["id"]))["crew"])[0]
    body = yield called("/tv/{tv_id}/season/{season_number}/credits", show["id"], 1)
    of_show = directed_in(body["crew"])[0]
    if of_film["id"] == of_show["id"]:
        return f"Yes, both are by {of_film['name']}."
    return f"No, they are by {of_film['name']} and {of_show['name']}."


def _is_same_director(state: TmdbState) -> Answered:
    of_film = state.director_of(state.movie(_MULHOLLAND))
    of_show = state.directors_in(state.series(_TWIN_PEAKS), 1)
    different = ("not the same", "different", "isn't the same", "aren't the same")
    same = ("is the same person", "are the same person", "same director", "both directed")
    return agreed(is_so=of_film in of_show, said=same, denied=different)


TOP = 10
_LISTED = ("is in", "is among", "is ranked", "ranks", "is listed")
_UNLISTED = (
    *("not in", "isn't in", "is not", "not among", "not part of", "not listed", "absent"),
    *("does not appear", "doesn't appear", "not ranked", "does not include", "doesn't include"),
)


def _among_the_best() -> Script:
    film = yield from movie(_MULHOLLAND).find()
    body = yield called("/movie/top_rated")
    is_there = film["id"] in [each["id"] for each in body["results"][:TOP]]
    return "Yes, it is among the best ten." if is_there else "No, it is not."


def _is_among_the_best(state: TmdbState) -> Answered:
    is_there = state.movie(_MULHOLLAND) in lists.top_rated_movies(state)[:TOP]
    return agreed(is_so=is_there, said=_LISTED, denied=(*_UNLISTED, "outside"))


_MARRIED = "We Married as a Job"
_PAIR = ("Yui Aragaki", "Gen Hoshino")


def _together() -> Script:
    film = yield from movie(_MARRIED).find()
    cast = (yield called(MOVIE_CREDITS, film["id"]))["cast"]
    names = {each["name"] for each in cast}
    return "Yes, both are in the cast." if names >= {*_PAIR} else "No, only one of them is."


def _are_together(state: TmdbState) -> Answered:
    cast = {each.person_id for each in state.cast_of(state.movie(_MARRIED))}
    together = cast >= {state.person(each).id for each in _PAIR}
    apart = (*_UNLISTED, "not co-starring", "aren't co-starring", "only Yui Aragaki", "isn't")
    return agreed(is_so=together, said=("are co-starring", "co-star", "both"), denied=apart)


# Lists with a condition, and work beside that which is named.

LEAST_VOTE, SINCE = 7.0, "2021-01-01"


def _discovered() -> Script:
    body = yield called(
        "/discover/movie",
        with_original_language="en",
        vote_average__gte=LEAST_VOTE,
        primary_release_date__gte=SINCE,
    )
    return ", ".join(name_in(each) for each in body["results"][:3] or [body["results"][0]])


def _is_wanted(film: Movie) -> bool:
    return (
        film.original_language == "en"
        and film.vote_average >= LEAST_VOTE
        and film.release_date >= SINCE
    )


def _wanted(state: TmdbState) -> Answered:
    return _some([each for each in state.movies.values() if _is_wanted(each)], movie_titles(state))


_DJANGO = "Django Unchained"


def _more_by_director() -> Script:
    film = yield from movie(_DJANGO).find()
    director = directed_in((yield called(MOVIE_CREDITS, film["id"]))["crew"])[0]
    body = yield called(FILMS_OF, director["id"])
    more = [each for each in directed_in(body["crew"]) if each["id"] != film["id"]]
    return f"{director['name']} has directed {', '.join(map(name_in, more))} as well."


def _works_by_director(state: TmdbState) -> Answered:
    film = state.movie(_DJANGO)
    director = state.director_of(film)
    works = [*state.movies_directed_by(director), *state.series_directed_by(director)]
    return _some([each for each in works if each != film], movie_titles(state), film)


_COPPOLA = "Francis Ford Coppola"


def _like_one_of_his() -> Script:
    found = yield from person(_COPPOLA).find()
    film = directed_in((yield called(FILMS_OF, found["id"]))["crew"])[0]
    results = (yield called("/movie/{movie_id}/similar", film["id"]))["results"]
    return f"Like {name_in(film)} are {', '.join(map(name_in, results))}."


def _similar_to_his(state: TmdbState) -> Answered:
    """His own films are left out: an answer names them whatever it has found."""
    own = state.movies_directed_by(state.person(_COPPOLA))
    found = {each.id: each for film in own for each in lists.similar(state, film)}
    return _some([each for each in found.values() if each not in own], movie_titles(state), *own)


def _colleagues() -> Script:
    show = yield from person("Jeremy Clarkson").then(POPULAR_SERIES_WITH).find()
    body = yield called(SERIES_CREDITS, show["id"])
    several = [each["name"] for each in (*body["cast"], *body["crew"])]
    return f"In {name_in(show)}: {', '.join(each for each in several if 'Clarkson' not in each)}."


def _worked_with(state: TmdbState) -> Answered:
    actor = state.person("Jeremy Clarkson")
    show = max(state.series_acted_by(actor), key=lambda each: each.popularity)
    several = {each.person_id for each in state.credits_of(show)} - {actor.id}
    everybody = [each.name for each in state.persons.values()]
    return _some([state.persons[each] for each in sorted(several)], everybody, actor)


def _some(right: Sequence[Pictured], sayable: Sequence[str], *about: Pictured) -> Answered:
    """One of those that are right and none that is wrong; what it is about may be named."""
    facts = names(right)
    allowed = [fact[0] for fact in (*facts, *names(about))]
    return Answered(any_of=tuple(facts), none_of=others(sayable, allowed))


# `{index: (what is expected, the script)}`.
ALONE: Mapping[int, tuple[Expecting, Scripting]] = {
    0: (_count_of_films, lambda: _films_directed("Sofia Coppola")),
    24: (_similar_to_his, _like_one_of_his),
    43: (_works_by_director, _more_by_director),
    52: (
        _count_of_episodes,
        lambda: _details("2 Broke Girls", lambda body: f"It has {body['number_of_episodes']}."),
    ),
    69: (_worked_with, _colleagues),
    78: (_higher, _ratings),
    79: (_wanted, _discovered),
    88: (_earlier, _releases),
    89: (_is_same_director, _same_director),
    91: (_is_among_the_best, _among_the_best),
    92: (_more, _film_counts),
    95: (
        _count_of_seasons,
        lambda: _details("Sword Art Online", lambda body: f"{body['number_of_seasons']} seasons."),
    ),
    96: (_are_together, _together),
    97: (_older, _ages),
}
