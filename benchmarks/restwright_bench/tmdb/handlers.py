"""All operations of the document, and what answers them."""

from __future__ import annotations

from restwright_bench.tmdb.discovering import discover_movies, discover_series
from restwright_bench.tmdb.handlers_lists import LISTS
from restwright_bench.tmdb.handlers_movies import MOVIES
from restwright_bench.tmdb.handlers_people import PEOPLE
from restwright_bench.tmdb.handlers_series import SERIES
from restwright_bench.world.exchange import Handlers

HANDLERS: Handlers = {
    ("GET", template): handler
    for template, handler in {
        **MOVIES,
        **SERIES,
        **PEOPLE,
        **LISTS,
        "/discover/movie": discover_movies,
        "/discover/tv": discover_series,
    }.items()
}
