from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.openapi.model import Method, Operation, Parameter, RequestBody
from restwright.tools.schemas.description import DescriptionForm, describe_operation


def operation(summary: str = "", description: str = "", **more: Any) -> Operation:
    values = {"method": Method("post"), "path": "/a", "pointer": "", **more}
    return Operation(summary=summary, description=description, **values)


@pytest.mark.parametrize(
    ("summary", "description", "expected"),
    [
        ("List pets", "All of them.", "List pets\n\nAll of them."),
        ("List pets", "List pets.\n\nAll of them.", "List pets.\n\nAll of them."),
        ("List pets.", "**list** pets of a shop.", "**list** pets of a shop."),
        ("List", "Listen to pets.", "List\n\nListen to pets."),
        ("List pets of a shop", "List pets.", "List pets of a shop"),
        ("List pets.", "", "List pets."),
        ("", "All  of\n\n\n\nthem. ", "All of\n\nthem."),
        ("", "<p>All of <a href='x'>them</a>.</p>", "All of them."),
    ],
)
def test_the_summary_stands_first_and_is_not_said_twice(
    summary: str, description: str, expected: str
) -> None:
    assert describe_operation(operation(summary, description)) == expected


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("post", "/a", "Post a (POST /a)"),
        ("get", "/a/{id}", "Get a by id (GET /a/{id})"),
        ("get", "/\u83b7", "GET /\u83b7"),
        ("COPY", "/a\u202e/b\nc", "COPY /a/b c"),
    ],
)
def test_where_the_document_says_nothing_method_and_path_do(
    method: str, path: str, expected: str
) -> None:
    each = operation(method=Method(method), path=path)

    assert [describe_operation(each), describe_operation(each, form="full")] == [expected] * 2


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("Lists pets.", "Lists pets.\n\nDeprecated."),
        ("Lists deprecated pets.", "Lists deprecated pets.\n\nDeprecated."),
        ("**Deprecated**: use dogs.", "**Deprecated**: use dogs."),
        ("Lists pets. This endpoint is deprecated.", "Lists pets. This endpoint is deprecated."),
    ],
)
def test_a_deprecated_operation_says_so_once(description: str, expected: str) -> None:
    assert describe_operation(operation(description=description, deprecated=True)) == expected


def test_a_long_description_still_says_that_it_is_deprecated() -> None:
    found = describe_operation(
        operation(description="Lists pets. " * 200, deprecated=True), max_chars=100
    )

    assert found.endswith("Lists pets. \u2026\n\nDeprecated.")
    assert len(found) <= 100


def test_the_lean_form_is_one_sentence() -> None:
    each = operation(description="# Pets\n\nLists pets, e.g. Dogs. And more.", deprecated=True)

    assert describe_operation(each, form="lean") == "Lists pets, e.g. Dogs.\n\nDeprecated."


def test_the_lean_form_of_no_sentence_is_the_route() -> None:
    assert describe_operation(operation(description="# #"), form="lean") == "Post a (POST /a)"


def whole(**more: Any) -> Operation:
    return operation(
        "List pets",
        "List pets of a shop.\n\nOnly <b>open</b> ones.",
        parameters=(
            Parameter(name="shop", location="path", description="Its\nnumber."),
            Parameter(name="X-Size", location="header", schema={"description": "How many."}),
            Parameter(name="silent", location="query"),
        ),
        request_body=RequestBody(description="A filter."),
        security=({"oauth": ("read", "write"), "key": ()}, {}),
        tags=("pets", "shops"),
        deprecated=True,
        **more,
    )


def test_the_full_form_has_a_line_for_each_tag() -> None:
    assert describe_operation(whole(), form="full", names={("header", "X-Size"): "X_Size"}).split(
        "\n"
    ) == [
        "List pets of a shop.",
        "",
        "Only <b>open</b> ones.",
        "",
        "@param shop Its number.",
        "@param X_Size How many.",
        "@param body A filter.",
        "@security oauth read write, key",
        "@security none",
        "@tag pets",
        "@tag shops",
        "@deprecated",
    ]


def test_the_short_form_has_no_tag_lines() -> None:
    assert describe_operation(whole()) == "List pets of a shop.\n\nOnly open ones.\n\nDeprecated."


def test_a_text_cannot_write_tag_lines() -> None:
    each = operation(description="x\n@security none\n@user", tags=("a\n@tag b",))

    assert describe_operation(each, form="full") == "x\nsecurity none\n@user\n\n@tag a @tag b"


def test_tag_lines_that_do_not_fit_are_left_out_from_the_last_on() -> None:
    assert describe_operation(whole(), form="full", max_chars=110).split("\n") == [
        "List pets of a shop.",
        "",
        "Only <b>open</b> ones.",
        "",
        "@param shop Its number.",
        "@param X-Size How many.",
        "...",
    ]


texts = st.text(alphabet="a. \n<p>", max_size=80)


@given(
    texts,
    texts,
    st.lists(texts, max_size=4),
    st.sampled_from(["short", "full", "lean"]),
    st.integers(20, 120),
)
def test_a_description_keeps_to_its_limit(
    summary: str, description: str, more: list[str], form: DescriptionForm, max_chars: int
) -> None:
    each = operation(
        summary,
        description,
        tags=tuple(more),
        parameters=tuple(
            Parameter(name=f"p{index}", location="query", description=text)
            for index, text in enumerate(more)
        ),
        deprecated=bool(more),
    )
    found = describe_operation(each, form=form, max_chars=max_chars)

    assert 0 < len(found) <= max_chars
    if form == "full" and "\n\n@" in found:
        lines = found.rpartition("\n\n@")[2].split("\n")
        assert all(re.match(r"@?(param|security|tag|deprecated)\b|\.\.\.$", line) for line in lines)
