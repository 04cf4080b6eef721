"""OpenAPI Overlays: what they change, what they refuse, and what they say about it."""

from __future__ import annotations

import copy
import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.errors import UnusableOverlay
from restwright.openapi.api import MIN_BYTES, load
from restwright.openapi.document import Document
from restwright.openapi.index import find_indexed_api
from restwright.openapi.load.json_path import JSONPathQueries, UnusableQuery
from restwright.openapi.load.loader import open_document
from restwright.openapi.model import Problem
from restwright.testing import document

PETS: dict[str, Any] = {
    "/pets": {
        "get": {"operationId": "listPets", "summary": "List pets", "tags": ["pets"]},
        "delete": {"operationId": "dropPets"},
    },
    "/owners": {"get": {"operationId": "listOwners"}},
}


def overlay(*actions: dict[str, Any], version: str = "1.1.0", **more: Any) -> dict[str, Any]:
    info = {"title": "Mended", "version": "1"}
    return {"overlay": version, "info": info, "actions": list(actions), **more}


def opened(*overlays: Any, paths: dict[str, Any] = PETS) -> Document:
    content = document(paths)
    return open_document(content, retrieve=lambda url: b"", overlays=overlays)


def changed(*actions: dict[str, Any], paths: dict[str, Any] = PETS) -> Any:
    """The paths after `actions`, none of which may be doubtful."""
    document = opened(overlay(*actions), paths=paths)
    assert document.overlay_problems == ()
    return document.content["paths"]


def doubts(*actions: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Pointer, severity and text of what is said; nothing may have been changed."""
    document = opened(overlay(*actions))
    assert document.content["paths"] == PETS
    return [(each.pointer, each.severity, each.what) for each in document.overlay_problems]


def test_an_update_merges_objects_and_replaces_single_values() -> None:
    paths = changed({"target": "$.paths['/pets'].get", "update": {"summary": "All", "x-a": 1}})
    assert paths["/pets"]["get"] == {**PETS["/pets"]["get"], "summary": "All", "x-a": 1}
    assert paths["/owners"] == PETS["/owners"]


def test_an_update_of_a_list_appends() -> None:
    target = "$.paths['/pets'].get.tags"
    assert changed({"target": target, "update": "new"})["/pets"]["get"]["tags"] == ["pets", "new"]
    both = changed({"target": target, "update": ["a", "b"]})
    assert both["/pets"]["get"]["tags"] == ["pets", "a", "b"]
    inner = changed({"target": "$.paths['/pets']", "update": {"get": {"tags": ["a"]}}})
    assert inner["/pets"]["get"]["tags"] == ["pets", "a"]


def test_a_single_value_may_be_the_target() -> None:
    paths = changed({"target": "$.paths.*.get.operationId", "update": "same"})
    assert [each["get"]["operationId"] for each in paths.values()] == ["same", "same"]


def test_remove_takes_out_members_and_elements() -> None:
    assert changed({"target": "$.paths.*.delete", "remove": True})["/pets"].keys() == {"get"}
    numbers: dict[str, Any] = {"/n": {"x-n": [1, 2, 3, 4]}}
    target = {"target": "$.paths['/n']['x-n'][?@ > 1 && @ < 4]", "remove": True}
    assert changed(target, paths=numbers) == {"/n": {"x-n": [1, 4]}}


def test_remove_of_a_value_and_of_what_holds_it() -> None:
    numbers: dict[str, Any] = {"/n": {"x-n": [[1], [2, 3], 4]}}
    action = {"target": "$.paths['/n']['x-n'][1, 1, 0, 2]", "remove": True}
    assert changed(action, paths=numbers) == {"/n": {"x-n": []}}
    deep = {"target": "$.paths..*", "remove": True}
    assert changed(deep, paths=numbers) == {}


def test_what_is_removed_is_not_updated() -> None:
    action = {"target": "$.paths['/owners']", "update": {"get": None}, "remove": True}
    assert changed(action).keys() == {"/pets"}


def test_a_copy_merges_another_part_of_the_document() -> None:
    paths = changed({"target": "$.paths['/owners']", "copy": "$.paths['/pets']"})
    assert paths["/owners"] == PETS["/pets"]
    assert paths["/pets"] == PETS["/pets"]


def test_the_whole_document_can_be_copied_into_a_part_of_it() -> None:
    done = opened(overlay({"target": "$.info", "copy": "$"})).content
    assert done["info"]["info"] == document(PETS)["info"]


def test_actions_see_what_those_before_them_did() -> None:
    paths = changed(
        {"target": "$.paths", "update": {"/all": {}}},
        {"target": "$.paths['/all']", "copy": "$.paths['/pets']"},
        {"target": "$.paths['/pets']", "remove": True},
        {"target": "$.paths['/all'].get", "update": {"summary": "Moved"}},
    )
    assert paths.keys() == {"/owners", "/all"}
    assert paths["/all"]["get"]["summary"] == "Moved"


def test_objects_may_be_updated_twice_and_lists_grow() -> None:
    action = {"target": "$.paths['/pets'].get", "update": {"summary": "S", "tags": ["t"]}}
    once, twice = (opened(*[overlay(action)] * n).content["paths"] for n in (1, 2))
    assert once["/pets"]["get"]["tags"] == ["pets", "t"]
    assert twice["/pets"]["get"]["tags"] == ["pets", "t", "t"]
    assert twice["/pets"]["get"]["summary"] == once["/pets"]["get"]["summary"]


def test_a_value_under_an_alias_is_changed_where_it_is_meant_alone() -> None:
    text = (
        b"openapi: 3.1.0\ninfo: {title: T, version: '1'}\n"
        b"paths:\n  /a: &a {get: {tags: [x]}}\n  /b: *a\n"
    )
    actions = overlay({"target": "$.paths['/b'].get.tags", "update": "y"})
    done = open_document(text, retrieve=lambda url: b"", overlays=[actions]).content["paths"]
    assert done == {"/a": {"get": {"tags": ["x"]}}, "/b": {"get": {"tags": ["x", "y"]}}}


def test_one_update_of_several_places_leaves_them_apart() -> None:
    paths = changed(
        {"target": "$.paths.*.get", "update": {"x-new": {"list": []}}},
        {"target": "$.paths['/pets'].get['x-new'].list", "update": 1},
    )
    assert paths["/pets"]["get"]["x-new"] == {"list": [1]}
    assert paths["/owners"]["get"]["x-new"] == {"list": []}


def test_a_target_that_finds_nothing_is_a_warning_at_its_action() -> None:
    said = doubts({"target": "$.paths['/cats']", "remove": True})
    expected = "the target $.paths['/cats'] finds nothing"
    assert said == [("object#/actions/0", "warning", expected)]


@pytest.mark.parametrize(
    ("action", "what"),
    [
        ({"target": "$.paths[", "remove": True}, "unexpected end of query"),
        ({"target": "$", "remove": True}, "the whole document cannot be removed"),
        ({"target": "$.paths", "update": [1]}, "/paths is an object, with which a list"),
        ({"target": "$.info.title", "update": {"a": 1}}, "/info/title is a single value, with"),
        (
            {"target": "$", "update": {"info": {"title": {}}}},
            "/info/title is a single value, with which an object cannot be merged",
        ),
        ({"target": "$.paths.*.*", "copy": "$.paths.*"}, "`copy` must find one value, and $.paths"),
        ({"target": "$.paths", "copy": "$.nowhere"}, "`copy` must find one value"),
        ({"target": "$..*", "update": 1}, "the target finds lists and objects and single values"),
    ],
)
def test_an_action_that_cannot_be_applied_is_an_error_and_changes_nothing(
    action: dict[str, Any], what: str
) -> None:
    [(pointer, severity, said)] = doubts(action)
    assert (pointer, severity) == ("object#/actions/0", "error")
    assert what in said


def test_the_other_actions_are_applied_all_the_same() -> None:
    bad = {"target": "$.paths", "update": [1]}
    good = {"target": "$.info", "update": {"title": "Good"}}
    done = opened(overlay(bad, good))
    assert done.content["info"]["title"] == "Good"
    assert [each.severity for each in done.overlay_problems] == ["error"]


def test_an_action_that_fails_half_way_is_taken_back() -> None:
    paths: dict[str, Any] = {"/a": {"x": {"n": 1}}, "/b": {"x": {"n": {}}}}
    action = {"target": "$.paths.*.x", "update": {"n": 2}}
    done = opened(overlay(action), paths=paths)
    assert done.content["paths"] == paths
    assert [each.severity for each in done.overlay_problems] == ["error"]


def test_an_empty_member_of_an_update_is_kept_and_said() -> None:
    done = opened(overlay({"target": "$", "update": {"paths": None}}))
    assert done.content["paths"] == PETS
    [said] = done.overlay_problems
    assert said.severity == "information"


def test_an_action_that_says_nothing_is_a_warning() -> None:
    [(_, severity, _)] = doubts({"target": "$"})
    assert severity == "warning"
    [(_, severity, what)] = doubts({"target": "$", "update": {}, "copy": "$"})
    assert (severity, what) == ("warning", "`update` and `copy` exclude each other")


@pytest.mark.parametrize(
    ("content", "pointer"),
    [
        ({}, ""),
        (document(PETS), ""),
        (overlay({"target": "$"}, version="1.2.0"), "/overlay"),
        ({**overlay({"target": "$"}), "paths": {}}, "/paths"),
        (overlay({"target": "paths"}), "/actions/0/target"),
        (overlay({"target": "$"}, {"target": "$"}), "/actions/1"),
        (overlay({"target": "$", "copy": "$.a"}, version="1.0.0"), "/actions/0/copy"),
        (overlay(), "/actions"),
        (b"[1]", ""),
    ],
)
def test_what_is_no_overlay_is_refused_with_its_place(content: Any, pointer: str) -> None:
    with pytest.raises(UnusableOverlay) as caught:
        opened(content)
    assert caught.value.pointer == pointer


def test_a_document_says_where_it_was_changed_for_another(tmp_path: Path) -> None:
    api, other = tmp_path / "api.json", tmp_path / "other.json"
    for path in (api, other):
        path.write_text(json.dumps(document(PETS)))
    changes = tmp_path / "mend.json"
    changes.write_text(json.dumps(overlay({"target": "$", "update": {}}, extends="./api.json")))
    assert not load_doubts(api, changes)
    [said] = load_doubts(other, changes)
    assert (said.pointer, said.severity) == (f"{changes}#/extends", "information")


def test_the_document_meant_may_be_named_from_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    api, changes = tmp_path / "api.json", Path("mend.json")
    api.write_text(json.dumps(document(PETS)))
    changes.write_text(json.dumps(overlay({"target": "$", "update": {}}, extends="api.json")))
    assert not load_doubts(api, changes)
    assert not load_doubts(Path("api.json"), changes.resolve())


def load_doubts(path: Path, *overlays: Path) -> list[Problem]:
    found: list[Problem] = []
    load(path, overlays=overlays, on_overlay=found.append)
    return found


def test_what_an_overlay_could_not_do_is_a_problem_of_the_api() -> None:
    api = load(document(PETS), overlays=[overlay({"target": "$.nowhere", "remove": True})])
    assert "object#/actions/0" in {each.pointer for each in api.problems}


def test_the_hash_is_of_the_document_and_its_overlays() -> None:
    first, second = ({"target": "$.info", "update": {"title": each}} for each in "ab")
    known = {opened(*each).sha256 for each in ([], [overlay(first)], [overlay(second)])}
    assert len(known) == 3
    assert opened(overlay(first)).sha256 == opened(overlay(first)).sha256


def test_an_index_is_of_the_document_with_its_overlays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RESTWRIGHT_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path, changes = tmp_path / "api.json", tmp_path / "mend.json"
    path.write_text(json.dumps(document(PETS)) + " " * MIN_BYTES)
    changes.write_text(json.dumps(overlay({"target": "$.info", "update": {"title": "New"}})))
    assert load(path).title != "New"
    assert load(path, overlays=[changes]).title == "New"
    assert load(path, overlays=[changes]).title == "New"
    assert load(path).title != "New"


def test_doubts_are_said_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RESTWRIGHT_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path, changes = tmp_path / "api.json", tmp_path / "mend.json"
    path.write_text(json.dumps(document(PETS)) + " " * MIN_BYTES)
    changes.write_text(json.dumps(overlay({"target": "$.nowhere", "remove": True})))
    assert len(load_doubts(path, changes)) == len(load_doubts(path, changes)) == 1
    document_now = open_document(path, retrieve=lambda url: b"", overlays=[changes])
    assert find_indexed_api(document_now, alias=None) is None


def test_overlays_cannot_make_a_small_document_large() -> None:
    doubling = [{"target": "$.info", "update": {f"x-{n}": n}} for n in range(2)]
    copies = [{"target": "$.info", "update": {"x-c": {}}}]
    for n in range(20):
        copies.append({"target": "$.info['x-c']", "update": {f"a{n}": {}, f"b{n}": {}}})
        copies.append({"target": f"$.info['x-c']['a{n}', 'b{n}']", "copy": "$.info['x-c']"})
    done = opened(overlay(*doubling, *copies))
    assert "the overlays add more than" in done.overlay_problems[0].what


def test_overlays_cannot_nest_too_deep() -> None:
    deep: Any = {}
    for _ in range(150):
        deep = {"d": deep}
    inner = "$.info" + "['d']" * 150
    actions = [{"target": target, "update": deep} for target in ("$.info", inner)]
    done = opened(overlay(*actions))
    assert [each.what for each in done.overlay_problems] == [
        "the document would nest deeper than 200 levels"
    ]


def test_queries_are_bounded_in_what_they_look_at() -> None:
    many = {"a": [{"b": n} for n in range(400)]}
    assert len(JSONPathQueries().find("$.a[?@.b > 10]", many)) == 389
    for query in ("$.a[?@.b > 10]", "$..b", "$..[?count(@..*) > 3]"):
        with pytest.raises(UnusableQuery, match="looks at more than"):
            JSONPathQueries(max_visited=300).find(query, many)


def test_a_pattern_that_hangs_other_engines_does_not() -> None:
    value = {"a": ["a" * 40 + "!", "aa"]}
    assert JSONPathQueries().find("$.a[?match(@, '(a+)+')]", value) == [("a", 1)]
    assert JSONPathQueries().find("$.a[?search(@, '!$')]", value) == [("a", 0)]
    assert JSONPathQueries().find("$.a[?match(@, '(')]", value) == []


LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["a", "b"])
NAMES = st.sampled_from(["a", "b", "c"])
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


class Unmergeable(Exception):
    """Two values that cannot be merged."""


def model_merge(target: Any, value: Any) -> Any:
    """What the specification says, in the plainest words."""
    if isinstance(target, dict) and isinstance(value, dict):
        merged = dict(target)
        for key in value:
            merged[key] = model_merge(target[key], value[key]) if key in target else value[key]
        return merged
    if isinstance(target, list) and isinstance(value, list):
        return target + value
    if isinstance(target, (dict, list)) or isinstance(value, (dict, list)):
        if value is None:
            return target
        raise Unmergeable
    return value


@given(st.dictionaries(NAMES, VALUES), st.dictionaries(NAMES, VALUES))
def test_any_update_of_an_object_is_what_the_specification_says(target: Any, update: Any) -> None:
    before = copy.deepcopy((target, update))
    content = {**document({}), "x-it": target}
    action = overlay({"target": "$['x-it']", "update": update})
    done = open_document(content, retrieve=lambda url: b"", overlays=[action])
    severities = {each.severity for each in done.overlay_problems}
    try:
        expected = model_merge(target, update)
    except Unmergeable:
        assert severities == {"error"}
        expected = target
    else:
        assert "error" not in severities
    assert done.content["x-it"] == expected
    assert (target, update) == before


@given(VALUES, st.data())
def test_any_removal_leaves_the_rest(value: Any, data: st.DataObject) -> None:
    content = {**document({}), "x-it": value}
    places = JSONPathQueries().find("$['x-it']..*", content)
    chosen = data.draw(st.sets(st.sampled_from(places), max_size=3)) if places else set()
    actions = [{"target": query(place), "remove": True} for place in sorted(chosen, key=repr)]
    done = open_document(
        content, retrieve=lambda url: b"", overlays=[overlay(*actions)] if actions else []
    )
    expected = copy.deepcopy(content)
    for place in sorted(chosen, key=repr):
        remove(expected, place)
    assert done.content == expected


def query(place: tuple[str | int, ...]) -> str:
    return "$" + "".join(f"[{each!r}]" for each in place)


def remove(node: Any, place: tuple[str | int, ...]) -> None:
    try:
        for token in place[:-1]:
            node = node[token]
        del node[place[-1]]
    except (KeyError, IndexError, TypeError):
        pass


def test_a_pattern_that_only_slow_engines_know_finds_nothing() -> None:
    # A reference backwards: each value would take the other engine a tenth of a second.
    value = {"a": ["a" * 5000] * 100}
    start = time.monotonic()
    assert JSONPathQueries().find("$.a[?search(@, '((a+)\\\\2?)+x')]", value) == []
    assert time.monotonic() - start < 8
