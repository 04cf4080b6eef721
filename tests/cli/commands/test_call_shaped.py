"""`call`: parts of a response, pages, files, and remarks on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.support.net.handlers import JSONHandler, serve_handler

from restwright.testing import document

ITEMS = [{"id": number, "name": f"thing {number}"} for number in range(25)]


@pytest.fixture
def pages() -> Iterator[tuple[str, list[str]]]:
    """A server of three pages, of a picture, and of errors; and the paths that were asked for."""
    asked: list[str] = []

    class Handler(JSONHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            status, kind, body = self.find()
            # Longer than anybody waits.
            self.answer(body, status, kind=kind, headers={"Retry-After": "90"})

        def do_POST(self) -> None:
            self.do_GET()

        def find(self) -> tuple[int, str, bytes]:
            parts = urlsplit(self.path)
            if parts.path == "/picture":
                return 200, "image/png", b"\x89PNG\0"
            if parts.path == "/busy":
                return 503, "application/problem+json", b'{"detail":"come back"}'
            page = int(parse_qs(parts.query).get("page", ["1"])[0])
            items = ITEMS[page * 10 - 10 : page * 10]
            return 200, "application/json", json.dumps({"items": items, "total": 25}).encode()

    with serve_handler(Handler) as url:
        yield url, asked


def operation(name: str, **more: object) -> dict[str, object]:
    return {"operationId": name, "responses": {"200": {"description": ""}}, **more}


@pytest.fixture
def called(restwright, pages, tmp_path) -> Callable[..., object]:
    page = {"name": "page", "in": "query", "schema": {"type": "integer"}}
    content = {"application/json": {"schema": {"type": "array"}}}
    responses = {"200": {"description": "", "content": content}}
    paths = {
        "/things": {"get": operation("list", parameters=[page]), "post": operation("add")},
        "/wrong": {"get": operation("wrong", responses=responses)},
        "/picture": {"get": operation("picture")},
        "/busy": {"get": operation("busy")},
    }
    path = tmp_path / "things.json"
    path.write_text(json.dumps(document(paths)))

    def call(name: str, *options: str) -> object:
        return restwright("call", str(path), name, "{}", "--server", pages[0], *options)

    return call


def test_a_part_of_the_response_is_printed(called):
    assert called("list", "--pick", "items[1].name").out == "thing 1\n"
    assert called("list", "--pick", "items[:2].id").json == [0, 1]
    shown = called("list", "--pick", "total", "--json").json
    assert shown == {"status": 200, "value": 25}


@pytest.mark.parametrize("expression", ["items[", "nothing(@)", "a" * 2001])
def test_an_expression_that_cannot_be_used_is_a_usage_error_before_anything_is_sent(
    called, pages, expression
):
    ended = called("add", "--yes", "--pick", expression)
    assert (ended.code, ended.out, pages[1]) == (2, "", [])
    assert ended.err.startswith("error: cannot pick")
    assert called("list", "--pick", expression, "--json").json["error"]["code"] == (
        "unusable_expression"
    )


def test_an_expression_that_does_not_fit_the_response_is_a_usage_error(called):
    assert called("list", "--pick", "length(total)").code == 2


def test_what_a_write_gave_is_printed_whole_where_a_part_cannot_be_picked(called):
    ended = called("add", "--yes", "--pick", "length(total)")
    assert ended.code == 1
    assert "it took effect, and this is all of the response" in ended.err
    assert '"total"' in ended.out


def test_all_pages_are_read(called, pages):
    ended = called("list", "--all", "--json")
    assert ended.json["value"] == {"items": ITEMS, "total": 25}
    assert ended.json["pages"] == {"read": 3, "items": 25, "stopped": "end"}
    assert pages[1] == ["/things", "/things?page=2", "/things?page=3"]


def test_all_pages_are_picked_from(called):
    ended = called("list", "--all", "--pick", "items[].id")
    assert ended.json == list(range(25))
    assert "3 pages, 25 items" in ended.err


def test_all_pages_end_at_the_bound_on_bytes(called):
    ended = called("list", "--all", "--max-bytes", "500", "--json")
    assert ended.json["pages"]["stopped"] == "bytes"
    assert "more pages follow" in ended.json["warnings"][0]


def test_what_is_no_text_becomes_a_file(called, home):
    shown = called("picture").json
    path = Path(shown["file"])
    assert path.read_bytes() == b"\x89PNG\0"
    assert path.is_relative_to(home)
    assert (shown["media_type"], shown["bytes"]) == ("image/png", 5)


def test_a_response_that_is_not_as_documented_is_printed_with_a_warning(called):
    ended = called("wrong", "--json")
    assert ended.code == 0
    assert ended.json["value"]["total"] == 25
    assert ended.json["warnings"][0].startswith("not as the document says")
    assert "warning: not as the document says" in called("wrong").err


def test_an_error_says_who_can_mend_it(called):
    ended = called("busy", "--json")
    assert ended.code == 1
    assert (ended.json["repairable_by"], ended.json["retry_after_s"]) == ("waiting", 90.0)
    assert '"come back"' in ended.json["error"]["message"]
