from __future__ import annotations

import contextlib
import gzip
import io
import json
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from restwright.errors import DocumentUnavailable, NotOpenAPI, RestwrightError, UnreadableDocument
from restwright.openapi.api import load
from restwright.openapi.load.loader import load_document, open_document, parse_document
from restwright.openapi.model import Problem
from restwright.openapi.syntax.limits import MAX_BYTES
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

    assert (document.source, document.sha256, document.content) == (
        str(path),
        "82caf8d8777f8bd8fd0ba60b8c1e449173c1195c11bfc885ac96b681df8c7731",
        {"openapi": "3.1.0"},
    )
    assert document == load_document(path, retrieve=never)


def test_opening_reads_the_bytes_and_parses_them_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "shop.json"
    path.write_text('{"openapi": 3.1.0}')
    document = open_document(path, retrieve=never)
    path.unlink()

    assert len(document.sha256) == 64
    for _ in range(2):
        with pytest.raises(UnreadableDocument, match="line 1"):
            _ = document.content


def test_the_content_is_parsed_once_by_several_threads() -> None:
    document = open_document(b'{"a": {}}', retrieve=never)
    met: list[int] = []
    threads = [threading.Thread(target=lambda: met.append(id(document.content))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert set(met) == {id(document.content)}


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


@pytest.mark.parametrize("text", ['{"title": "caf\u00e9"}', "title: caf\u00e9"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_encodings_are_told_with_and_without_byte_order_mark(
    encoding: str, bom: str, text: str
) -> None:
    assert content_of((bom + text).encode(encoding)) == {"title": "caf\u00e9"}


@pytest.mark.parametrize("text", ['{"a": 1}', "a: 1"])
def test_gzip_is_told_by_its_first_bytes(text: str, tmp_path: Path) -> None:
    path = tmp_path / "shop.json.gz"
    path.write_bytes(gzip.compress(text.encode()))

    assert load_document(path, retrieve=never).content == {"a": 1}
    assert content_of(gzip.compress(text.encode("utf-16"))) == {"a": 1}


def test_a_gzip_bomb_is_met_while_it_is_unpacked() -> None:
    assert "unpacked it is larger than the limit of 33,554,432 bytes" in why_not(
        gzip.compress(b" " * (MAX_BYTES + 1))
    )


def test_gzip_that_is_cut_off_is_refused() -> None:
    assert "cannot be decompressed" in why_not(gzip.compress(b'{"a": 1}')[:-9])
    assert "cannot be decompressed" in why_not(b"\x1f\x8bnothing")


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


def test_what_yaml_cannot_say_in_json_is_a_string_and_a_problem() -> None:
    document = parse_document(b"a: 1\nb: -.inf\nc: '.nan'\n", source="here")

    assert (document.content, document.problems) == (
        {"a": 1, "b": "-.inf", "c": ".nan"},
        (Problem("/b", "-.inf is no number of JSON, line 2", "warning", "read as a string"),),
    )


def test_a_key_that_stands_twice_in_json_is_a_problem_with_its_place() -> None:
    text = b'{"a": 1, "b": [{"c": 1, "d": 2, "c": 3}], "a": 1}'

    document = parse_document(text, source="here")

    assert document.content == {"a": 1, "b": [{"c": 3, "d": 2}]}
    assert sorted(map(str, document.problems)) == [
        "(whole document): the key 'a' stands twice (the last one counts)",
        "/b/0: the key 'c' stands twice (the last one counts)",
    ]


@pytest.mark.parametrize(
    "text",
    [
        '{"a" : {"b" : 1}, "a" : 2}',
        '{"a"\n: 1, "a"\n: 2}',
        '{"b": "x\\":", "a": 1, "a": 2}',
        '{"b": "\\u0022:", "a": 1, "a": 2, "a": 3}',
        '{"b": 123456789012345678901234567890, "a": 1, "a": 2}',
    ],
)
def test_however_it_is_written_a_repeated_key_is_met(text: str) -> None:
    problems = parse_document(text.encode(), source="here").problems

    assert [problem.what for problem in problems] == ["the key 'a' stands twice"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"paths": {"/a": {"get": {}}, "/a": {"post": {}}}}', ("/paths", "error")),
        ("paths:\n  /a:\n    get: {}\n  /a:\n    post: {}\n", ("/paths", "error")),
        ("paths: {/a: {get: {}, get: {}}}", ("/paths/~1a", "error")),
        ('{"paths": {"/a": {"get": {}, "get": {}}}}', ("/paths/~1a", "error")),
        ("paths: {/a: {}}\npaths: {/b: {}}", ("", "error")),
        ("paths: {/a: {summary: a, summary: b}}", ("/paths/~1a", "warning")),
        ("paths: {/a: {get: {tags: [{get: 1, get: 2}]}}}", ("/paths/~1a/get/tags/0", "warning")),
        (
            "paths: {/a: {additionalOperations: {COPY: {}, COPY: {}}}}",
            ("/paths/~1a/additionalOperations", "error"),
        ),
    ],
)
def test_an_operation_that_is_lost_by_a_repeated_key_is_an_error(
    text: str, expected: tuple[str, str]
) -> None:
    [problem] = parse_document(text.encode(), source="here").problems

    assert (problem.pointer, problem.severity) == expected


@pytest.mark.parametrize("line", ['"a": 1,', "a: 1"])
def test_a_hundred_keys_that_stand_twice_are_enough(line: str) -> None:
    lines = [f"{line}\n".replace("a", f"a{n}") * 2 for n in range(200)]
    text = "".join(lines)
    text = f'{{{text} "b": 1}}' if line.endswith(",") else text

    assert len(parse_document(text.encode(), source="here").problems) == 100


@pytest.mark.parametrize(
    "text",
    [
        "[" * 201 + "]" * 201,
        "- " * 201 + "a",
        "\n".join(["0: &0 [1]", *(f"{n}: &{n} [*{n - 1}]" for n in range(1, 250))]),
    ],
    ids=["JSON", "YAML", "aliases"],
)
def test_what_is_over_a_limit_is_not_called_malformed(text: str) -> None:
    with pytest.raises(UnreadableDocument) as caught:
        parse_document(text.encode(), source="here")

    assert str(caught.value) == "here is not read: it nests deeper than the limit of 200 levels"


def test_integers_of_more_than_64_bits_are_read_in_double_precision() -> None:
    numbers = [2**64 - 1, -(2**63), 2**64, -(2**63) - 1, 10**300]

    for text in (json.dumps({"a": numbers}), f"a: {numbers}"):
        assert content_of(text) == {"a": [2**64 - 1, -(2**63), 2.0**64, -(2.0**63), 1e300]}


@pytest.mark.parametrize("text", ["{}],[{}", "1]]],[[[2", "{}, {}"])
def test_text_that_closes_more_than_it_opened_is_no_json(text: str) -> None:
    with pytest.raises(UnreadableDocument):
        parse_document(text.encode(), source="a.json")


def test_digits_in_strings_are_no_numbers() -> None:
    value = {"a": "1" * 30, "b": f"x {'2' * 30}", "c": ["9" * 500] * 3, "3" * 40: 0.5}

    assert content_of(json.dumps(value)) == value


def test_half_of_a_surrogate_pair_becomes_the_replacement_character() -> None:
    text = r'{"a": "\ud800", "b": "\ud83d\ude00", "\udc00": 1}'

    assert content_of(text) == {"a": "\ufffd", "b": "\U0001f600", "\ufffd": 1}


def nested(levels: int) -> str:
    return '{"a": ' * levels + "1" + "}" * levels


def test_two_hundred_levels_are_read_and_no_more() -> None:
    assert content_of(nested(200)) == json.loads(nested(200))
    for text in (nested(201), nested(1_500), nested(100_000)):
        assert "it nests deeper than the limit of 200 levels" in why_not(text)


@pytest.mark.parametrize("junk", ["]", "}", "[]", "{{", '"]', '\\"[', "\\", '"'])
def test_brackets_in_strings_do_not_hide_the_depth(junk: str) -> None:
    value: object = 1
    for _ in range(101):
        value = {junk: [junk, value, junk, "", "x"]}

    assert "deeper than" in why_not(json.dumps(value))


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
        "[" * 300 + "]" * 300: "deeper than the limit of 200",
        '{"a": NaN}': "it holds NaN, which is no JSON",
        '{"a": [-Infinity]}': "it holds -Infinity, which is no JSON",
        '{"a": 1e400}': "it holds the number 1e400, which is too large",
        "a: " + "[" * 300 + "]" * 300: "deeper than",
        '{"a": ' + "1" * 5000 + "}": "an integer of 5,000 digits, over the limit of 400",
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
    with pytest.raises(UnreadableDocument, match="larger than the limit of 33,554,432 bytes"):
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


def test_only_two_kinds_of_urls_are_fetched() -> None:
    with pytest.raises(DocumentUnavailable) as caught:
        load_document("ftp://u:secret@shop.example/a.yaml", retrieve=never)
    assert caught.value == DocumentUnavailable(
        "ftp://***@shop.example/a.yaml", "only http and https URLs are fetched"
    )


def test_what_stands_secret_in_a_url_is_in_no_error_and_in_no_document() -> None:
    url = "https://shop.example/openapi.json?key=secret"

    assert load_document(url, retrieve=lambda _: b"a: 1").source == url.partition("?")[0]
    with pytest.raises(UnreadableDocument) as caught:
        load_document(url, retrieve=lambda _: b"")
    assert "secret" not in str(caught.value)


def test_an_object_that_is_no_json_is_refused() -> None:
    circle: dict[str, object] = {}
    circle["self"] = circle

    with pytest.raises(UnreadableDocument, match="not plain JSON"):
        load_document(circle, retrieve=never)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=20),
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


@pytest.mark.parametrize("source", [5, None, [], object])
def test_what_can_be_no_source_is_a_type_error(source: object) -> None:
    with pytest.raises(TypeError, match=r"^a document must be a path, a URL, "):
        load(source)  # type: ignore[arg-type]
