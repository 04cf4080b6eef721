"""Queries of small models over responses."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.agents.random_model import RandomModel

from restwright.agents.rest.query import (
    WHOLE,
    find_contradicted,
    find_listings,
    find_unrelated,
    find_unsaid,
    is_tested,
    list_gives,
    query_schema,
    run_query,
)
from restwright.agents.steps import Complete
from restwright.calls.arguments.check import check_value

SHIPS = [
    {"id": "s-1", "name": "Tern", "length_m": 12.5, "flag": {"code": "NL"}, "is_moored": True},
    {"id": "s-2", "name": "Aurora", "length_m": 41.0, "flag": {"code": "FR"}, "is_moored": False},
    {"id": "s-3", "name": "Heron", "length_m": None, "flag": {"code": "NL"}, "is_moored": False},
]
BODY: Any = {"ships": SHIPS, "total": 3}


def query(**parts: Any) -> Any:
    whole = {"things": "ships", "where": [], "sort": None, "take": None, "give": "things"}
    return {**whole, "fields": [], **parts}


def where(field: str, comparison: str, value: Any) -> Any:
    return {"field": field, "is": comparison, "value": value}


def ask(**parts: Any) -> Any:
    return run_query(query(**parts), find_listings(BODY)).value


def names(**parts: Any) -> list[str]:
    found = ask(**parts)
    return [item["name"] for item in (found if isinstance(found, list) else [found])]


def test_things_are_the_lists_and_the_response_itself() -> None:
    assert [(one.name, len(one.items)) for one in find_listings(BODY)] == [("ships", 3), (WHOLE, 1)]
    assert find_listings(BODY)[0].describe() == (
        '- ships (3): id text, name text, length_m number, flag.code "NL"|"FR", is_moored boolean'
    )


def test_of_texts_those_are_shown_that_were_said() -> None:
    told = find_listings(BODY)[0].describe("how long is the ship aurora?")
    assert 'name "Aurora"' in told
    assert "id text" in told


def test_of_texts_that_were_said_the_longest_is_shown() -> None:
    modes = ["open", "open_to_guests", "closed"]
    (listing, *_) = find_listings([{"id": mode, "mode": mode, "berths": 4} for mode in modes])
    assert 'mode "open_to_guests"' in listing.describe("the mode is open to guests")
    assert 'mode "open"' in listing.describe("the mode is open")


def test_an_identifier_is_said_with_spaces() -> None:
    [listing] = find_listings([{"made_by": "next_visit"}, {"made_by": "own_hand"}])
    assert 'made_by "own_hand"' in listing.describe("made by own hand")
    asked = query(where=[where("made_by", "=", "own_hand")], things="things")
    assert not find_unsaid(asked, [listing], "made by own hand")


def test_one_field_that_is_called_nearly_as_another_is_told_with_it() -> None:
    asked = query(things="things", fields=["stock"])
    listings = find_listings([{"stock": 1, "in_stock": True}])
    assert run_query(asked, listings).keys == {"stock", "in_stock"}
    several = find_listings([{"stock": 1, "in_stock": True, "old_stock": 3}])
    assert run_query(asked, several).keys == {"stock"}


def test_addresses_are_told_last_and_choose_nothing() -> None:
    sizes = [{"url": "https://images.test/1", "width": 64}]
    body = {"items": [{"href": "/ships/1", "name": "Tern", "photos": sizes}]}
    [listing] = find_listings(body)
    assert listing.describe() == "- items (1): name text, href address"
    contract = query_schema([listing], numbers=[])
    where = [{"field": "href", "is": "contains", "value": "ships"}]
    assert check_value(contract, query(things="items", where=where))


def test_a_list_that_is_empty_is_equal_to_none() -> None:
    asked = query(things=WHOLE, give="yes or no", where=[where("data", "=", "[]")])
    assert run_query(asked, find_listings({"data": []})).value is True
    assert run_query(asked, find_listings({"data": [1]})).value is False


def test_the_lists_in_things_come_after_the_things() -> None:
    body = [
        {"team": "east", "alerts": [{"place": "gate"}, {"place": "roof"}]},
        {"team": "west", "alerts": [{"place": "hall"}], "tags": ["a"]},
    ]
    outer, inner = find_listings(body)
    assert (outer.name, outer.is_inner) == ("things", False)
    assert (inner.name, inner.is_inner) == ("things.alerts", True)
    assert run_query(query(things="things.alerts"), (outer, inner)).value == [
        {"place": "gate"},
        {"place": "roof"},
        {"place": "hall"},
    ]
    keyed = find_listings({"a": {"parts": [{"size": 1}]}, "b": {"parts": [{"size": 2}]}})
    assert [one.name for one in keyed] == ["things", "things.parts"]


def test_a_table_of_things_has_their_keys() -> None:
    (listing,) = find_listings({"a": {"size": 1}, "b": {"size": 2}})[:1]
    assert listing.items == ({"key": "a", "size": 1}, {"key": "b", "size": 2})


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ({"where": [where("flag.code", "=", "nl")]}, ["Tern", "Heron"]),
        ({"where": [where("flag.code", "!=", "NL")]}, ["Aurora"]),
        ({"where": [where("length_m", "<=", 12.5)]}, ["Tern"]),
        ({"where": [where("length_m", ">", 12.5)]}, ["Aurora"]),
        ({"where": [where("is_moored", "=", False)]}, ["Aurora", "Heron"]),
        ({"where": [where("name", "contains", "ro")]}, ["Aurora", "Heron"]),
        ({"sort": {"by": "length_m", "first": "lowest"}, "take": 1}, ["Tern"]),
        ({"sort": {"by": "length_m", "first": "highest"}}, ["Aurora", "Tern", "Heron"]),
        ({"sort": {"by": "name", "first": "lowest"}, "take": 2}, ["Aurora", "Heron"]),
    ],
)
def test_things_that_fit_in_their_order(parts: Any, found: list[str]) -> None:
    assert names(**parts) == found


@pytest.mark.parametrize(
    ("parts", "value"),
    [
        ({"give": "number"}, 3),
        ({"give": "number", "where": [where("flag.code", "=", "DE")]}, 0),
        ({"give": "sum", "fields": ["length_m"]}, 53.5),
        ({"give": "average", "fields": ["length_m"]}, 26.75),
        ({"give": "yes or no", "where": [where("length_m", ">", 40)]}, True),
        ({"give": "yes or no", "where": [where("length_m", ">", 50)]}, False),
        ({"give": "sum", "fields": ["name"]}, None),
    ],
)
def test_what_is_given_of_them(parts: Any, value: Any) -> None:
    assert ask(**parts) == value


def test_a_day_is_each_time_of_it() -> None:
    listings = find_listings([{"at": "2026-03-02T10:00:00Z"}, {"at": "2026-03-03T10:00:00Z"}])
    asked = query(things="things", where=[where("at", "=", "2026-03-02")], give="number")
    assert run_query(asked, listings).value == 1


def test_where_nothing_fits_it_is_said_what_there_is() -> None:
    result = run_query(query(where=[where("name", "=", "Pelican")]), find_listings(BODY))
    assert result.value == []
    assert result.evidence == 'nothing has name = "Pelican"; there are "Tern", "Aurora", "Heron"'


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [("id", "Heron", "; name has it"), ("name", "Pelican", ""), ("name", "NL", "")],
)
def test_where_nothing_fits_the_field_is_said_that_has_the_text(
    field: str, value: str, told: str
) -> None:
    result = run_query(query(where=[where(field, "=", value)]), find_listings(BODY))
    assert result.value == []
    assert result.evidence.endswith(told or '"Heron"')


def test_a_field_of_another_list_is_said() -> None:
    result = run_query(query(fields=["total"]), find_listings(BODY))
    assert (result.value, result.evidence) == (None, "ships has no total")


def test_an_example_is_not_taken_for_what_is_asked() -> None:
    asked, listings = query(where=[where("name", "=", "Tern")]), find_listings(BODY)
    assert find_unsaid(asked, listings, "the longest ship") == ["name"]
    assert not find_unsaid(asked, listings, "how long is tern?")
    assert find_unsaid(asked, listings, "tern", ["Tern."]) == ["name"]


def test_numbers_can_be_compared_only_with_what_is_said() -> None:
    listings = find_listings(BODY)
    asked = query(where=[where("length_m", ">", 20)])
    for numbers, is_valid in (([20], True), ([30], False), ([], False)):
        schema = query_schema(listings, numbers=numbers)
        assert (not check_value(schema, asked)) is is_valid


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(allow_nan=False)
    | st.text("ab.", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "b", "c.d", "id", "name"]), inner, max_size=4)
    ),
    max_leaves=24,
)


def test_days_can_be_compared_only_with_what_is_said_or_where_a_time_is_meant() -> None:
    listings = find_listings({"calls": [{"made": "2026-11-16T08:00:00Z"}, {"made": "2026-11-02"}]})
    asked = query(things="calls", where=[where("made", ">=", "2026-11-10")])
    for days, is_valid in (
        (["2026-11-10"], True),
        (["2026-11-11"], False),
        (["2026"], True),
        (["2025"], False),
        ([], False),
        (None, True),
    ):
        schema = query_schema(listings, numbers=[2026], days=days)
        assert (not check_value(schema, asked)) is is_valid
    assert run_query(asked, listings).value == {"made": "2026-11-16T08:00:00Z"}


def test_all_times_of_a_day_are_that_day() -> None:
    listings = find_listings({"calls": [{"made": "2026-11-16T08:00:00Z"}, {"made": "2026-11-17"}]})
    asked = query(things="calls", where=[where("made", "<=", "2026-11-16")])
    assert run_query(asked, listings).value == {"made": "2026-11-16T08:00:00Z"}


def test_what_a_thing_is_called_is_no_condition() -> None:
    named = query(things=WHOLE, give="yes or no", where=[where("name", "=", "Tern")])
    assert not is_tested(named, ["Tern"])
    assert not is_tested({**named, "where": []}, ["Tern"])
    longer = {**named, "where": [*named["where"], where("length_m", ">", 12)]}
    assert is_tested(longer, ["Tern"])
    assert is_tested({**named, "things": "ships"}, ["Tern"])


def test_a_number_is_given_only_where_one_is_asked_for() -> None:
    listings = find_listings(BODY)
    asked = query(give="number")
    assert check_value(query_schema(listings, numbers=[]), asked)
    assert not check_value(
        query_schema(listings, numbers=[], gives=list_gives(is_count=True)), asked
    )
    assert run_query({**asked, "take": 1}, listings).value == 3


@given(body=JSON, seed=st.integers(0, 10**6), is_condition=st.booleans())
def test_each_query_under_its_schema_has_a_result(body: Any, seed: int, is_condition: bool) -> None:
    listings = find_listings(body)
    if not listings or not any(listing.fields() for listing in listings):
        return
    schema = query_schema(listings, numbers=[1, 2.5], gives=list_gives(is_condition=is_condition))
    model = RandomModel(Random(seed), ("a", "b"))  # noqa: S311
    request = Complete(role="reader", messages=(), schema=schema)
    asked = json.loads(model.complete(request, deadline_s=1).text)
    assert not check_value(schema, asked)
    result = run_query(asked, listings)
    json.dumps(result.value)
    assert result.value is not None or result.evidence or asked["give"] in {"sum", "average"}


def whether(*tests: Any, names: tuple[str, ...] = (), call: str = "", body: Any = BODY) -> Any:
    asked = query(give="yes or no", where=list(tests))
    return run_query(asked, find_listings(body), call, names).value


def test_nobody_knows_whether_it_is_so_of_what_is_not_there() -> None:
    named = where("name", "=", "Kittiwake")
    assert whether(named, where("is_moored", "=", True), names=("Kittiwake",)) is None
    assert whether(where("name", "=", "Heron"), where("length_m", ">", 3), names=("Heron",)) is None
    assert whether(where("name", "=", "Tern"), where("length_m", ">", 20), names=("Tern",)) is False


def test_a_condition_is_not_met_by_the_words_of_its_call() -> None:
    asked = where("length_m", "=", 7)
    assert whether(asked, call="get_ship(ship_id=7)") is False
    doubled = [where("length_m", ">", 100), where("length_m", "<", 100)]
    assert whether(*doubled) is False


def test_a_text_that_a_field_has_nowhere_is_asked_of_a_field_that_is_spoken_of() -> None:
    rooms: list[dict[str, Any]] = [{"name": "Nord", "access_list": ["Ida"], "state": "shut"}]
    listings = find_listings(rooms)

    def unrelated(said: str, *tests: tuple[str, str]) -> list[str]:
        wanted = [{"field": field, "is": "=", "value": value} for field, value in tests]
        return find_unrelated({"things": "things", "where": wanted}, listings, said)

    asked = "the room nord: empty"
    assert unrelated(asked, ("access_list", "empty")) == ["access_list"]
    assert unrelated("the state of the room nord: open", ("state", "open")) == []
    assert unrelated(asked, ("name", "Nord"), ("access_list", "ida")) == []
    documented: dict[str, Any] = {"items": {"properties": {"state": {"enum": ["open", "shut"]}}}}
    chosen = find_listings(rooms, schema=documented)
    test = {"field": "state", "is": "=", "value": "open"}
    assert find_unrelated({"things": "things", "where": [test]}, chosen, "whether it is so") == []


def test_what_has_no_value_to_sort_by_is_counted_all_the_same() -> None:
    ordered = {"by": "length_m", "first": "highest"}
    assert ask(give="number", sort=ordered) == 3


def test_a_field_with_one_value_is_not_tested_for_two() -> None:
    ships: list[dict[str, Any]] = [{"state": "idle", "tags": ["old", "red"]}]
    listings = find_listings(ships)
    wanted = [("state", "idle"), ("state", "busy"), ("tags", "old"), ("tags", "red")]
    where = [{"field": field, "is": "=", "value": value} for field, value in wanted]
    asked: dict[str, Any] = {"things": "things", "where": where}
    assert find_contradicted(asked, listings) == ["state"]


def test_two_names_are_two_things() -> None:
    parts: Any = {"where": [where("name", "=", name) for name in ("Tern", "Aurora")]}
    listings, named = find_listings(BODY), ["aurora", "Tern"]
    assert find_contradicted(query(**parts), listings, named) == []
    assert find_contradicted(query(**parts), listings, ["Tern"]) == ["name"]
    assert names(**parts) == ["Tern", "Aurora"]
    longest: Any = {"sort": {"by": "length_m", "first": "highest"}, "take": 1}
    assert names(**parts, **longest) == ["Aurora"]
    # Which of two is longer is not known where one of them is not there.
    parts["where"][1]["value"] = "Kite"
    assert ask(**parts, **longest) == []
    told = run_query(query(**parts), listings, "list_ships(port='p-1' “Kite”)")
    assert told.value == SHIPS[0]
    parts["where"][0]["value"] = "Elba"
    # What the call was made for is true of all, be it one name or two.
    told = run_query(query(**parts), listings, "list_ships(port='p-1' “Kite”, quay='q-2' “Elba”)")
    assert told.value == SHIPS


def test_a_day_of_a_year_that_is_said_has_a_number_that_is_said() -> None:
    listings = find_listings([{"at": "2026-03-02T10:00:00Z"}])
    schema = query_schema(listings, numbers=[2, 2026], days=["2026"])

    def may_be(comparison: str, day: str) -> bool:
        tested = query(things="things", where=[where("at", comparison, day)])
        return not check_value(schema, tested)

    assert may_be("=", "2026-03-02")
    assert not may_be("=", "2026-03-20")
    assert not may_be("=", "2026-13-02")
    # Before March is before its first day.
    assert may_be("<", "2026-03-01")
    assert not may_be("<", "2026-03-20")


def test_of_one_thing_a_number_or_a_list_says_how_many() -> None:
    thing = {"name": "Tern", "berths": 4, "flags": ["NL", "FR", "DE"]}
    listings = find_listings(thing, is_thing=True)
    schema = query_schema(listings, numbers=[], gives=list_gives(is_count=True))
    asked = query(things=WHOLE, give="number", fields=["berths"])
    assert not check_value(schema, asked)
    assert run_query(asked, listings).value == 4
    assert run_query({**asked, "fields": ["flags"]}, listings).value == 3
    assert check_value(schema, {**asked, "fields": ["name"]})
    assert check_value(schema, {**asked, "fields": []})


def test_a_response_without_numbers_is_not_asked_how_many() -> None:
    listings = find_listings({"next": "p-2", "ships": SHIPS})
    schema = query_schema(listings, numbers=[], gives=list_gives(is_count=True))
    assert not check_value(schema, query(give="number"))
    assert check_value(schema, query(things=WHOLE, give="number", fields=["next"]))
