"""The command that finds tools."""

from __future__ import annotations


def test_what_is_found_is_printed_one_a_line_best_first(restwright, things):
    ended = restwright("search", "add one more thing", things)
    assert ended.code == 0
    rows = [line.split("\t") for line in ended.out.splitlines()]
    assert rows[0][0] == "things__add_thing"
    assert all(float(row[1]) > 0 for row in rows)
    assert rows[0][2] == "Add a thing."
    assert "add (name, summary)" in rows[0][3]


def test_k_limits_how_many_are_found(restwright, things):
    assert len(restwright("search", "thing", things, "-k", "2").out.splitlines()) == 2


def test_what_is_found_has_the_shape_of_the_contract_as_json(restwright, things):
    (found,) = restwright("search", "colour of one thing", things, "-k", "1", "--json").json[
        "tools"
    ]
    assert set(found) == {"name", "score", "why"}


def test_nothing_that_matches_is_no_error(restwright, things):
    ended = restwright("search", "xylophone", things)
    assert (ended.code, ended.out) == (0, "")
    assert "no tool" in ended.err
    assert restwright("search", "xylophone", things, "--json").json == {"tools": []}


def test_a_query_is_no_query_language(restwright, things):
    assert restwright("search", "name:( OR thing^9", things).code == 0


def test_several_documents_are_searched_together(restwright, things):
    ended = restwright("search", "list things", f"one={things}", f"two={things}", "-k", "9")
    names = [line.partition("\t")[0] for line in ended.out.splitlines()]
    assert {name.partition("__")[0] for name in names} == {"one", "two"}


def test_searching_needs_a_number_of_tools(restwright, things):
    assert restwright("search", "thing", things, "-k", "0").code == 2
