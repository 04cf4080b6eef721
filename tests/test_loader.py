from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.errors import DocumentUnavailable, NotOpenAPI, RestwrightError, UnreadableDocument
from restwright.openapi.limits import MAX_BYTES
from restwright.openapi.loader import Document, load_document, parse_document
from restwright.openapi.model import Problem
from restwright.testing import never


def content_of(text: str | bytes) -> object:
    content = text.encode() if isinstance(text, str) else text
    return parse_document(content, source="here").content


def why_not(text: str | bytes) -> str:
    content = text.encode() if isinstance(text, str) else text
    with pytest.raises(RestwrightError) as caught:
        parse_document(content, source="here")
    assert "\n" not in str(caught.value)
    assert "here" in str(caught.value)
    return str(caught.value)


def test_a_file_is_read_with_its_hash(tmp_path: Path) -> None:
    path = tmp_path / "shop.json"
    path.write_text('{"openapi": "3.1.0"}')

    document = load_document(path, retrieve=never)

    assert document == Document(
        source=str(path),
        content={"openapi": "3.1.0"},
        sha256="82caf8d8777f8bd8fd0ba60b8c1e449173c1195c11bfc885ac96b681df8c7731",
    )


def test_a_url_is_fetched_through_the_given_function() -> None:
    asked: list[str] = []

    def retrieve(url: str) -> bytes:
        asked.append(url)
        return b"openapi: 3.1.0"

    document = load_document("https://shop.example/openapi.yaml", retrieve=retrieve)

    assert (asked, document.source) == (
        ["https://shop.example/openapi.yaml"],
        "https://shop.example/openapi.yaml",
    )


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(b"openapi: 3.1.0"))
    monkeypatch.setattr("sys.stdin", stdin)

    assert load_document("-", retrieve=never).content == {"openapi": "3.1.0"}


def test_later_changes_to_a_given_object_do_not_reach_the_document() -> None:
    given_object = {"openapi": "3.1.0", "paths": {}}
    document = load_document(given_object, retrieve=never)
    given_object["paths"]["/a"] = {}  # type: ignore[index]

    assert document.content == {"openapi": "3.1.0", "paths": {}}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_byte_order_marks_are_understood(encoding: str) -> None:
    bom = b"\xff\xfe" if encoding == "utf-16-le" else b""

    assert content_of(bom + '{"title": "caf\u00e9"}'.encode(encoding)) == {"title": "caf\u00e9"}


def test_yaml_gives_what_json_could_say() -> None:
    text = """
        200: ok
        'no': no
        on: on
        date: 2024-01-01
        time: 12:30:45
        octal: 017
        float: 1e3
        integer: -12
        infinite: .inf
        huge: 1e400
        version: 3.10
        nothing: ~
        empty:
        yes: true
        quoted: "true"
        tagged: !!str 12
    """
    assert content_of(text) == {
        "200": "ok",
        "no": "no",
        "on": "on",
        "date": "2024-01-01",
        "time": "12:30:45",
        "octal": "017",
        "float": 1000.0,
        "integer": -12,
        "infinite": ".inf",
        "huge": "1e400",
        "version": 3.1,
        "nothing": None,
        "empty": None,
        "yes": True,
        "quoted": "true",
        "tagged": "12",
    }


def test_aliases_and_merge_keys_are_written_out() -> None:
    text = "base: &b {a: 1, b: 2}\nother: {<<: *b, b: 3}\nlist: [*b]"

    assert content_of(text) == {
        "base": {"a": 1, "b": 2},
        "other": {"b": 3, "a": 1},
        "list": [{"a": 1, "b": 2}],
    }


def test_a_key_that_stands_twice_is_a_problem_with_its_line() -> None:
    document = parse_document(b"a: 1\nb: 2\na: 3\n", source="here")

    assert (document.content, document.problems) == (
        {"a": 3, "b": 2},
        (Problem("", "the key 'a' stands twice, line 3", "warning", "the last one counts"),),
    )


def test_flow_yaml_that_only_looks_like_json_is_read() -> None:
    assert content_of("{openapi: 3.1.0, paths: {}}") == {"openapi": "3.1.0", "paths": {}}


@pytest.mark.parametrize(
    ("text", "expected"),
    {
        "": "it is empty",
        " \n": "it is empty",
        "<html></html>": "HTML or XML",
        "just words": "plain text",
        '{"a": 1,}x': "line 1, column 9",
        '{\n"a": "b\n}': "line 2",
        "a: [1\nb: 2": "line 2",
        "a: b: c": "line 1",
        "a: *missing": "*missing",
        "a: &a [*a]": "*a",
        "? [1, 2]\n: x": "a key that is not a string, line 1",
        "a: 1\n---\nb: 2": "more than one YAML document",
        "a: !!python/object/apply:os.getcwd []": "Python objects, line 1",
        "a: {<<: 3}": "merge key",
        "[" * 300 + "]" * 300: "deeper than",
        "a: " + "[" * 300 + "]" * 300: "deeper than",
        '{"a": ' + "1" * 5000 + "}": "digits",
        b"\x89PNG\r\n": "not text (byte 0x89 at offset 0)",
        b"a\x00b": "null characters",
        b"a: \x07": "here",
    }.items(),
    ids=str,
)
def test_what_cannot_be_read_is_said_in_one_line(text: str | bytes, expected: str) -> None:
    assert expected in why_not(text)


def test_a_file_called_json_is_not_read_as_yaml() -> None:
    with pytest.raises(UnreadableDocument, match="line 1, column 7"):
        parse_document(b'{"a": tru}', source="shop.json")


def test_more_than_the_limit_is_refused() -> None:
    with pytest.raises(UnreadableDocument, match="larger than 33,554,432 bytes"):
        parse_document(b" " * (MAX_BYTES + 1), source="here")


def test_billion_laughs_are_refused() -> None:
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]

    assert "over the limit of 3,000,000 nodes" in why_not("\n".join(lines))


def test_a_merge_bomb_is_refused() -> None:
    lines = ["a0: &a0 {k: 1}"]
    lines += [f"a{n}: &a{n}\n  <<: [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]

    assert "over the limit of 3,000,000 nodes" in why_not("\n".join(lines))


def test_aliases_cannot_nest_deeper_than_brackets() -> None:
    lines = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 300)]

    assert "deeper than" in why_not("\n".join(lines))


def test_a_list_at_the_top_is_no_document() -> None:
    with pytest.raises(NotOpenAPI) as caught:
        parse_document(b"[1, 2]", source="here")
    assert caught.value == NotOpenAPI(
        "here", "a list stands at the top, where an object is expected"
    )


@pytest.mark.parametrize(
    ("path", "why"), [("missing.yaml", "there is no such file"), ("", "it is a folder")]
)
def test_what_is_no_file_is_unavailable(tmp_path: Path, path: str, why: str) -> None:
    with pytest.raises(DocumentUnavailable) as caught:
        load_document(tmp_path / path, retrieve=never)
    assert caught.value == DocumentUnavailable(str(tmp_path / path), why)


def test_a_path_with_a_null_character_is_unavailable() -> None:
    with pytest.raises(DocumentUnavailable, match="null character"):
        load_document("a\0b", retrieve=never)


def test_an_object_that_is_no_json_is_refused() -> None:
    circle: dict[str, object] = {}
    circle["self"] = circle

    with pytest.raises(UnreadableDocument, match="not plain JSON"):
        load_document(circle, retrieve=never)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=20),
    lambda children: (
        st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=8), children, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=8), json_values, max_size=4))
def test_json_is_read_as_it_was_written(value: dict[str, object]) -> None:
    assert load_document(value, retrieve=never).content == value
    assert content_of(json.dumps(value)) == value


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused_with_an_error_of_ours(content: bytes) -> None:
    with contextlib.suppress(RestwrightError):
        parse_document(content, source="here")
