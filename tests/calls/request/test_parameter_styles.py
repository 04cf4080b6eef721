"""Values in the styles of the OpenAPI Specification (3.1, "Style Examples")."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from restwright.calls.request.parameter_styles import (
    Unwritable,
    encode_primitive,
    serialize_cookie_parameter,
    serialize_header_parameter,
    serialize_path_parameter,
    serialize_query_parameter,
)
from restwright.jsontypes import Json
from restwright.openapi.model import Parameter, ParameterLocation

ARRAY = ["blue", "black", "brown"]
OBJECT = {"R": 100, "G": 200, "B": 150}


def parameter(location: ParameterLocation, style: str = "", *, explode: bool = False) -> Parameter:
    return Parameter(name="color", location=location, style=style, explode=explode)


@pytest.mark.parametrize(
    ("style", "explode", "value", "text"),
    [
        ("", False, "blue", "blue"),
        ("simple", False, ARRAY, "blue,black,brown"),
        ("simple", True, ARRAY, "blue,black,brown"),
        ("simple", False, OBJECT, "R,100,G,200,B,150"),
        ("simple", True, OBJECT, "R=100,G=200,B=150"),
        ("label", False, "blue", ".blue"),
        ("label", False, ARRAY, ".blue,black,brown"),
        ("label", True, ARRAY, ".blue.black.brown"),
        ("label", False, OBJECT, ".R,100,G,200,B,150"),
        ("label", True, OBJECT, ".R=100.G=200.B=150"),
        ("matrix", False, "blue", ";color=blue"),
        ("matrix", False, ARRAY, ";color=blue,black,brown"),
        ("matrix", True, ARRAY, ";color=blue;color=black;color=brown"),
        ("matrix", False, OBJECT, ";color=R,100,G,200,B,150"),
        ("matrix", True, OBJECT, ";R=100;G=200;B=150"),
        ("simple", False, "a/b?c#d%2F", "a%2Fb%3Fc%23d%252F"),
        ("simple", False, ["a,b", "é"], "a%2Cb,%C3%A9"),
        ("simple", False, "...", "..."),
    ],
)
def test_path_styles(style: str, explode: bool, value: Json, text: str) -> None:
    assert serialize_path_parameter(parameter("path", style, explode=explode), value) == text


@pytest.mark.parametrize("value", [[], {}, [""], [[]], [None], {"a": {}}, "\0", "\ud800"])
def test_a_path_refuses_what_it_has_no_place_for(value: Json) -> None:
    with pytest.raises(Unwritable):
        serialize_path_parameter(parameter("path"), value)


@pytest.mark.parametrize(
    ("style", "explode", "value", "text"),
    [
        ("matrix", False, "", ";color"),
        ("matrix", True, ["", "a"], ";color;color=a"),
        ("matrix", True, {"a": ""}, ";a"),
        ("label", False, ["1.5"], ".1.5"),
        ("simple", False, None, ""),
    ],
)
def test_path_styles_with_values_that_are_empty(
    style: str, explode: bool, value: Json, text: str
) -> None:
    assert serialize_path_parameter(parameter("path", style, explode=explode), value) == text


WRITE: dict[str, Callable[[Parameter, Json], Iterable[object]]] = {
    "path": serialize_path_parameter,
    "query": serialize_query_parameter,
    "header": serialize_header_parameter,
    "cookie": serialize_cookie_parameter,
}


@pytest.mark.parametrize(
    ("location", "style", "explode", "value"),
    [
        ("path", "label", True, ["1.5"]),
        ("query", "spaceDelimited", False, ["a b"]),
        ("query", "pipeDelimited", False, {"a": "b|c"}),
        ("query", "deepObject", True, {"a]": 1}),
        ("query", "deepObject", True, {"a": None}),
        ("query", "deepObject", True, {"a": {"b": []}}),
        ("header", "simple", True, {"a=b": 1}),
        ("cookie", "cookie", True, {"a=b": 1}),
        ("cookie", "cookie", True, {"a;b": 1}),
    ],
)
def test_a_member_that_could_not_be_told_from_two_is_refused(
    location: ParameterLocation, style: str, explode: bool, value: Json
) -> None:
    made = parameter(location, style, explode=explode)
    with pytest.raises(Unwritable):
        list(WRITE[location](made, value))


@pytest.mark.parametrize(
    ("style", "explode", "value", "query"),
    [
        ("", True, "", "color="),
        ("form", True, "blue", "color=blue"),
        ("form", False, ARRAY, "color=blue,black,brown"),
        ("form", True, ARRAY, "color=blue&color=black&color=brown"),
        ("form", False, OBJECT, "color=R,100,G,200,B,150"),
        ("form", True, OBJECT, "R=100&G=200&B=150"),
        ("spaceDelimited", False, ARRAY, "color=blue%20black%20brown"),
        ("spaceDelimited", False, OBJECT, "color=R%20100%20G%20200%20B%20150"),
        ("pipeDelimited", False, ARRAY, "color=blue%7Cblack%7Cbrown"),
        ("pipeDelimited", False, OBJECT, "color=R%7C100%7CG%7C200%7CB%7C150"),
        ("deepObject", True, OBJECT, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
        ("deepObject", True, {"a": {"b": [1, 2]}}, "color%5Ba%5D%5Bb%5D=1&color%5Ba%5D%5Bb%5D=2"),
        ("form", True, "a&b=c+d é", "color=a%26b%3Dc%2Bd%20%C3%A9"),
        ("form", True, None, "color="),
        ("spaceDelimited", True, ["a b", "c"], "color=a%20b&color=c"),
        (
            "deepObject",
            True,
            {"a": [{"b": 1}, 2]},
            "color%5Ba%5D%5B0%5D%5Bb%5D=1&color%5Ba%5D%5B1%5D=2",
        ),
        ("form", True, [{"a": 1}, "b"], "color=%7B%22a%22%3A1%7D&color=b"),
        ("form", False, {"a": [1]}, "color=a,%5B1%5D"),
        ("form", True, [], ""),
        ("form", False, [], ""),
        ("form", False, None, "color="),
    ],
)
def test_query_styles(style: str, explode: bool, value: Json, query: str) -> None:
    pairs = serialize_query_parameter(parameter("query", style, explode=explode), value)
    assert "&".join(f"{name}={text}" for name, text in pairs) == query


@pytest.mark.parametrize(
    ("explode", "value", "text"),
    [
        (False, "blue", "blue"),
        (False, "a, b=c%2C é", "a, b=c%2C é"),
        (False, ARRAY, "blue,black,brown"),
        (False, OBJECT, "R,100,G,200,B,150"),
        (True, OBJECT, "R=100,G=200,B=150"),
    ],
)
def test_header_style(explode: bool, value: Json, text: str) -> None:
    assert serialize_header_parameter(parameter("header", explode=explode), value) == text


@pytest.mark.parametrize(
    "value", ["a\nb", "a\rb", "a\0b", "\x7f", "a\tb", " a", "a ", "\ud800", ["a,b"]]
)
def test_header_value_that_http_would_change_is_refused(value: Json) -> None:
    with pytest.raises(Unwritable):
        serialize_header_parameter(parameter("header"), value)


def test_cookie_value_cannot_end_its_pair() -> None:
    assert list(serialize_cookie_parameter(parameter("cookie", explode=True), "b; admin=1")) == [
        ("color", "b%3B%20admin%3D1")
    ]


@pytest.mark.parametrize(
    ("explode", "value", "pairs"),
    [
        (True, "a=b", [("color", "a=b")]),
        (False, "a=b", [("color", "a=b")]),
        (True, ARRAY, [("color", "blue"), ("color", "black"), ("color", "brown")]),
        (False, ARRAY, [("color", "blue,black,brown")]),
        (True, OBJECT, [("R", "100"), ("G", "200"), ("B", "150")]),
        (False, OBJECT, [("color", "R,100,G,200,B,150")]),
        (True, [], []),
        (False, [], []),
        (True, None, [("color", "")]),
    ],
)
def test_a_cookie_of_its_own_style_is_not_encoded(
    explode: bool, value: Json, pairs: list[tuple[str, str]]
) -> None:
    assert (
        list(serialize_cookie_parameter(parameter("cookie", "cookie", explode=explode), value))
        == pairs
    )


@pytest.mark.parametrize(
    "value", ["a;b", "a b", "a,b", 'a"b', "a\\b", "a\r\nb", "\x7f", "ä", ["a,b"]]
)
def test_a_cookie_of_its_own_style_holds_only_what_cookies_can(value: Json) -> None:
    with pytest.raises(Unwritable):
        list(serialize_cookie_parameter(parameter("cookie", "cookie", explode=True), value))


@pytest.mark.parametrize(
    ("value", "query"),
    [
        ("a/b?c=d:e,f", "color=a/b?c=d:e,f"),
        ("a&b+c#d[e] f%g", "color=a%26b%2Bc%23d%5Be%5D%20f%25g"),
        ("a%2Fb", "color=a%2Fb"),
        (["a,b", "c"], "color=a%2Cb,c"),
    ],
)
def test_reserved_characters_are_left_where_they_are_allowed(value: Json, query: str) -> None:
    allowed = replace(parameter("query"), allow_reserved=True)
    assert "&".join("=".join(pair) for pair in serialize_query_parameter(allowed, value)) == query


def test_reserved_characters_that_end_a_segment_are_never_left() -> None:
    allowed = replace(parameter("path"), allow_reserved=True)
    assert serialize_path_parameter(allowed, "a:b@c/d?e#f%2e") == "a:b@c%2Fd%3Fe%23f%252e"


def test_an_empty_array_is_sent_where_an_empty_value_is_allowed() -> None:
    allowed = replace(parameter("query"), allow_empty_value=True)
    assert list(serialize_query_parameter(allowed, [])) == [("color", "")]


@pytest.mark.parametrize(
    ("media_type", "value", "text"),
    [
        ("application/json", {"a": [1]}, "%7B%22a%22%3A%5B1%5D%7D"),
        ("application/json", "x", "%22x%22"),
        ("text/plain", "a b", "a%20b"),
        ("text/plain", 3, "3"),
    ],
)
def test_content_of_a_parameter_is_in_its_media_type(
    media_type: str, value: Json, text: str
) -> None:
    query = Parameter(name="f", location="query", media_type=media_type)
    assert list(serialize_query_parameter(query, value)) == [("f", text)]
    with pytest.raises(Unwritable):
        list(serialize_query_parameter(replace(query, media_type="text/plain"), {"a": 1}))


@pytest.mark.parametrize(
    ("collection", "path", "header"),
    [
        ("ssv", "blue%20black%20brown", "blue black brown"),
        ("tsv", "blue%09black%09brown", "blue\tblack\tbrown"),
        ("pipes", "blue%7Cblack%7Cbrown", "blue|black|brown"),
    ],
)
def test_collection_formats_of_swagger_in_a_path_and_a_header(
    collection: str, path: str, header: str
) -> None:
    extensions = {"x-collectionFormat": collection}
    assert (
        serialize_path_parameter(replace(parameter("path"), extensions=extensions), ARRAY) == path
    )
    assert (
        serialize_header_parameter(replace(parameter("header"), extensions=extensions), ARRAY)
        == header
    )
    with pytest.raises(Unwritable):
        serialize_path_parameter(replace(parameter("path"), extensions=extensions), ["a b\tc|d"])


def test_tabs_separate_where_swagger_says_so() -> None:
    extensions = {"x-collectionFormat": "tsv"}
    tabbed = replace(parameter("query", "spaceDelimited"), extensions=extensions)
    assert list(serialize_query_parameter(tabbed, ARRAY)) == [("color", "blue%09black%09brown")]


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (False, "false"), (3, "3"), (3.0, "3"), (0.5, "0.5"), (1e300, "1e+300")],
)
def test_primitive_is_written_as_in_json(value: Json, text: str) -> None:
    assert encode_primitive(value) == text


def test_style_that_is_not_for_the_place_is_refused() -> None:
    with pytest.raises(Unwritable):
        serialize_path_parameter(parameter("path", "form"), "x")
    with pytest.raises(Unwritable):
        list(serialize_query_parameter(parameter("query", "matrix"), "x"))
