"""Bodies as values: by media type, and by their bytes where that is wrong."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.properties import examples

from restwright.calls.response.decode import DecodedBody, decode_body
from restwright.calls.response.file_store import files_folder, store_body
from restwright.calls.response.sse import parse_events
from restwright.calls.response.xml_reader import UnreadableXML, parse_xml
from restwright.jsontypes import Json
from restwright.net.messages import Response


def response(body: bytes, media_type: str = "", **headers: str) -> Response:
    named = {"content-type": media_type, **headers}
    pairs = tuple((name.replace("_", "-"), value) for name, value in named.items() if value)
    return Response(status=200, headers=pairs, body=body)


@pytest.mark.parametrize(
    ("body", "media_type", "value"),
    [
        (b'{"a":1}\n{"a":2}\n', "application/x-ndjson", [{"a": 1}, {"a": 2}]),
        (b'\x1e{"a":1}\n\x1e{"a":2}\n', "application/json-seq", [{"a": 1}, {"a": 2}]),
        (b'\x1e{"a":1}\n', "application/geo+json-seq", [{"a": 1}]),
        (b'{"a":1}\n{"a":2}\n', "application/json", [{"a": 1}, {"a": 2}]),
        (b"<a><b>1</b></a>", "application/xml", {"a": {"b": "1"}}),
        (b"<a/>", "application/atom+xml", {"a": ""}),
        (b"<svg/>", "image/svg+xml", "<svg/>"),
        (b"a: 1", "application/yaml", "a: 1"),
        (b"hello", "application/x-own", "hello"),
        ('{"a":"é"}'.encode("latin-1"), "application/json; charset=latin-1", {"a": "é"}),
        (b"\xff\xfea\0", "text/plain", "a"),
        (b"caf\xe9", "text/plain; charset=Windows-1252", "caf\u00e9"),
        (b"a\0", "text/plain; charset=utf-16le", "a"),
    ],
)
def test_a_body_by_its_media_type(body: bytes, media_type: str, value: Json) -> None:
    assert decode_body(response(body, media_type)) == DecodedBody(value)


@pytest.mark.parametrize(
    ("body", "media_type", "value", "note"),
    [
        (b"<html>", "application/json", "<html>", "is no JSON"),
        (b'{"a":', "application/json", '{"a":', "is no JSON"),
        (b'{"a":1}', "text/html", {"a": 1}, "is JSON, though"),
        (b"[1]", "application/octet-stream", [1], "is JSON, though"),
        (b"1\nx\n", "application/x-ndjson", [1, "x"], "1 of 2 lines"),
        (b"<a>", "text/xml", "<a>", "cannot be read as XML"),
        (b"[" * 300 + b"]" * 300, "application/json", "[" * 300 + "]" * 300, "deeper than 200"),
        (b"9" * 5000, "application/json", "9" * 5000, "is no JSON"),
    ],
)
def test_a_body_that_is_not_what_it_is_said_to_be_is_noted(
    body: bytes, media_type: str, value: Json, note: str
) -> None:
    read = decode_body(response(body, media_type))
    assert read.value == value
    assert note in read.notes[0]


@settings(max_examples=examples(150))
@given(
    st.binary(max_size=60),
    st.sampled_from(
        [
            *("", "application/json", "text/plain", "text/event-stream", "application/xml"),
            *("application/json-seq", "application/x-ndjson", "image/png", "x", "text/a;charset=b"),
            *("text/plain;charset=utf-16", "application/json; charset=utf-7"),
        ]
    ),
)
def test_any_body_is_read_as_a_json_value(body: bytes, media_type: str) -> None:
    json.dumps(decode_body(response(body, media_type)).value)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"a":NaN,"b":-Infinity}', {"a": None, "b": None}),
        (b"[1e400, -1e999, 1.5e3, 1E+2]", [None, None, 1500.0, 100.0]),
        (b"[1e308, 12345678901234567890123]", [1e308, 12345678901234567890123]),
        (b'{"a":1,"a":2}', {"a": 2}),
        (b'["\\ud800", "\\ud83d\\ude00"]', ["\ud800", "\U0001f600"]),
    ],
)
def test_what_json_leaves_open_is_defined(body: bytes, value: Json) -> None:
    assert decode_body(response(body, "application/json")) == DecodedBody(value)


def test_events_are_read_with_their_data_as_values() -> None:
    text = (
        b': hello\r\nevent: add\r\ndata: {"n":1}\r\nid: 7\r\n\r\ndata: a\rdata:  b\r\r'
        b"event: none\n\nretry: 10\ndata\n\nretry: x\ndata: [DONE]"
    )
    read = decode_body(response(text, "text/event-stream"))
    assert read.value == [
        {"event": "add", "id": "7", "data": {"n": 1}},
        {"data": "a\n b"},
        {"retry": 10, "data": ""},
        {"data": "[DONE]"},
    ]


def test_events_are_bounded() -> None:
    events, has_more = parse_events("data: x\n\n" * 30, max_events=20)
    assert (len(events), has_more) == (20, True)


XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("<a>x</a>", {"a": "x"}),
        ('<a id="7">x</a>', {"a": {"@id": "7", "#text": "x"}}),
        ("<a><b>1</b><b>2</b><c/></a>", {"a": {"b": ["1", "2"], "c": ""}}),
        ("<a> <b/> tail </a>", {"a": {"b": "", "#text": "tail"}}),
        ("<a><![CDATA[<b>]]>&amp;&#33;</a>", {"a": "<b>&!"}),
        (f'<n:a xmlns:n="u" {XSI}><b xsi:nil="true"/></n:a>', {"n:a": {"b": None}}),
        ("<?xml version='1.0' encoding='iso-8859-1'?><a>\xe9</a>", {"a": "é"}),
    ],
)
def test_xml_as_a_value(text: str, value: Json) -> None:
    assert parse_xml(text.encode("latin-1")) == value


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE a [<!ENTITY b "x">]><a>&b;</a>',
        '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
        '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
        '<!DOCTYPE a [<!ENTITY % b SYSTEM "http://127.0.0.1/x"> %b;]><a/>',
        "<a>&b;</a>",
        "<a>" * 300 + "</a>" * 300,
        "<a>" + "<b/>" * 300_000 + "</a>",
        "<a",
        "",
    ],
)
def test_xml_with_document_types_entities_or_faults_is_refused(text: str) -> None:
    with pytest.raises(UnreadableXML):
        parse_xml(text.encode())


@pytest.mark.parametrize("media_type", ["image/png", "application/x-own", ""])
def test_what_is_no_text_is_stored_for_this_user_only(tmp_path: Path, media_type: str) -> None:
    body = b"\x89PNG\0\xff"
    value = decode_body(response(body, media_type), files=tmp_path / "files").value
    path = Path(value["file"])
    assert value == {
        "file": str(path),
        "media_type": media_type or "application/octet-stream",
        "bytes": 6,
    }
    assert path.read_bytes() == body
    assert path.parent == tmp_path / "files"
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_file_is_never_written_over(tmp_path: Path) -> None:
    answer = response(b"new", "image/png", content_disposition='attachment; filename="a.png"')
    (tmp_path / "a.png").write_bytes(b"old")
    (tmp_path / "a-2.png").symlink_to(tmp_path / "elsewhere")
    assert store_body(answer, "image/png", tmp_path) == tmp_path / "a-3.png"
    assert (tmp_path / "a.png").read_bytes() == b"old"
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("suggested", "name"),
    [
        ("report 2.pdf", "report_2.pdf"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("/root/.ssh/authorized_keys", "authorized_keys"),
        (".bashrc", "bashrc"),
        ("..", "response.pdf"),
        ("NUL.txt", "response.pdf"),
        ("x" * 300 + ".pdf", "x" * 76 + ".pdf"),
        ("a\0b\x1b[2J.pdf", "a_b_2J.pdf"),
    ],
)
def test_a_suggested_name_is_made_harmless(tmp_path: Path, suggested: str, name: str) -> None:
    answer = response(b"x", "", content_disposition=f'attachment; filename="{suggested}"')
    assert store_body(answer, "application/pdf", tmp_path) == tmp_path / name


@settings(max_examples=examples(100))
@given(st.text(max_size=40))
def test_no_suggested_name_leaves_the_folder(tmp_path_factory: object, suggested: str) -> None:
    folder = tmp_path_factory.mktemp("files")  # type: ignore[attr-defined]
    answer = response(b"x", "", content_disposition=f"attachment; filename={suggested}")
    assert store_body(answer, "application/pdf", folder).parent == folder
    assert len(list(folder.iterdir())) == 1


def test_a_folder_that_cannot_be_written_is_noted(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    read = decode_body(response(b"\0", "image/png"), files=tmp_path / "file")
    assert read.value == {"media_type": "image/png", "bytes": 1}
    assert "could not be stored" in read.notes[0]


def test_files_are_kept_in_the_data_folder(home: Path) -> None:
    assert files_folder().is_relative_to(home)


CHARSETS = json.loads((Path(__file__).parents[2] / "adversarial/charsets.json").read_text())


@pytest.mark.parametrize("media_type", ["text/plain", "application/json", "application/xml", "a/b"])
@pytest.mark.parametrize("row", CHARSETS, ids=lambda row: row["name"])
def test_a_charset_that_is_no_plain_encoding_of_text_is_read_as_utf_8(
    row: dict[str, str], media_type: str
) -> None:
    body = {"application/json": '"\u00e9"', "application/xml": "<a>\u00e9</a>"}.get(
        media_type, "\u00e9"
    )
    read = decode_body(response(body.encode(), f"{media_type}; charset={row['charset']}"))
    assert read.value in ("\u00e9", {"a": "\u00e9"})
    assert row["charset"] in read.notes[0]
    assert "read as UTF-8" in read.notes[0]


def test_a_charset_of_one_byte_gives_a_mark_for_what_it_has_not() -> None:
    assert decode_body(response(b"a\x81b", "text/plain; charset=cp1252")).value == "a\ufffdb"


@pytest.mark.parametrize(
    ("unit", "head", "tail"),
    [("{},", "[", "{}]"), ("[],", "[", "[]]"), ('{"a":1},', "[", "0]"), ("[1.5],", "[", "0]")],
)
def test_json_of_more_values_than_memory_is_for_is_kept_as_text(
    unit: str, head: str, tail: str
) -> None:
    body = head + unit * (9_000_000 // len(unit)) + tail
    read = decode_body(response(body.encode(), "application/json"))
    assert read.value == body
    assert "too many values" in read.notes[0]
    few = head + unit * 1000 + tail
    assert len(decode_body(response(few.encode(), "application/json")).value) == 1001


def test_of_a_long_sequence_the_first_lines_are_kept() -> None:
    read = decode_body(response(b"1\n" * 100_001, "application/x-ndjson"))
    assert read == DecodedBody([1] * 100_000, ("only the first 100,000 lines are kept",))


def test_a_sequence_of_broken_lines_is_kept_as_text() -> None:
    read = decode_body(response(b"x\n" * 3_000 + b'{"a":1}', "application/x-ndjson"))
    assert read.value == ["x"] * 3_000 + [{"a": 1}]
    assert read.notes == ("3000 of 3001 lines are no JSON and are kept as text",)


def test_a_sequence_of_large_lines_is_cut_before_it_fills_memory() -> None:
    line = b"[" + b"{}," * 100_000 + b"0]\n"
    read = decode_body(response(line * 20, "application/x-ndjson"))
    assert 0 < len(read.value) < 20
    assert read.notes == (f"only the first {len(read.value)} lines are kept",)


def test_of_a_stream_without_an_end_of_events_the_first_lines_are_read() -> None:
    read = decode_body(response(b"data: 1\n\n" + b"data:\n" * 300_000, "text/event-stream"))
    assert read == DecodedBody([{"data": "1"}], ("only the first 1 events are kept",))
