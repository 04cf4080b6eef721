"""Accepted paths are written as choices and as chains that may be mixed."""

from __future__ import annotations

from restwright_bench.queries.query import GoldCall
from restwright_bench.queries.spotify.paths import any_order, paths


def written(found):
    return ["".join(each.method for each in path) for path in found]


def test_a_path_is_made_of_methods_and_templates():
    assert paths("GET /a/{id}", "PUT /b") == ((GoldCall("GET", "/a/{id}"), GoldCall("PUT", "/b")),)


def test_one_of_a_choice_is_made():
    assert written(paths(("A", "B"), "C")) == ["AC", "BC"]


def test_chains_keep_their_own_order():
    assert written(paths(any_order(("A", "B"), "C"), "D")) == ["ABCD", "ACBD", "CABD"]


def test_chains_hold_choices():
    assert written(paths(any_order(("A", ("B", "C")), "D"))) == [
        *("ABD", "ADB", "DAB", "ACD", "ADC", "DAC"),
    ]
