"""Responses for people."""

from __future__ import annotations

from restwright.web.values import MAX_NODES, Match, Node, find_matches, find_table, fold_value


def test_a_value_is_folded_by_its_parts() -> None:
    node = fold_value({"a": [1, None], "b": "x"})
    assert node.text == "2 members"
    assert node.parts[0].parts[1] == Node(label="1", kind="null", text="null")


def test_a_huge_value_is_folded_as_far_as_it_goes() -> None:
    node = fold_value(list(range(MAX_NODES * 2)))
    assert len(node.parts) <= MAX_NODES + 1
    assert "more" in node.parts[-1].text


def test_the_longest_list_is_a_table() -> None:
    table = find_table({"a": [1], "items": [{"x": 1}, {"y": {"z": 2}}]})
    assert table is not None
    assert (table.pointer, table.columns) == ("/items", ["x", "y"])
    assert table.rows == [["1", ""], ["", '{"z":2}']]
    assert find_table([1, 2]) is not None
    assert find_table({"a": 1}) is None
    assert find_table([]) is None


def test_places_are_found_by_name_and_by_text() -> None:
    value = {"name": "Bag", "tags": [{"bag": 1}]}
    assert find_matches(value, "bag") == (
        Match(pointer="/name", text="Bag"),
        Match(pointer="/tags/0/bag", text="1"),
    )
