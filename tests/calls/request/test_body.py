"""Bodies by media type, driven by a document, through the request that would be sent."""

from __future__ import annotations

from email.message import Message
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any

import pytest
from tests.support.recorder import tool_of

from restwright.calls.approval.approval import approve_all
from restwright.calls.arguments.check import check
from restwright.calls.auth.connection import Connection
from restwright.calls.call import call, prepare
from restwright.calls.request.build import build_request
from restwright.calls.request.encode import Unwritable
from restwright.calls.request.files import (
    MAX_FILE_BYTES,
    data_url_from_bytes,
    embed_files,
    file_from_data_url,
)
from restwright.errors import InvalidArguments, UnsupportedMediaType
from restwright.jsontypes import Json, JsonObject
from restwright.net.messages import Request
from restwright.testing import RecordingTransport, document, never, reply
from restwright.tools.tool import Tool

FORM = "application/x-www-form-urlencoded"
PARTS = "multipart/form-data"
FILE: JsonObject = {"type": "string", "format": "binary"}
XML_HEAD = b'<?xml version="1.0" encoding="UTF-8"?>'
FLAT: JsonObject = {"type": "object", "properties": {"a": {}, "b": {}, "f": FILE}}


def posting(content: JsonObject, **more: Json) -> Tool:
    operation = {
        "requestBody": {"required": True, "content": content},
        "responses": {"200": {"description": "ok"}},
    }
    return tool_of(document({"/c": {"post": operation}}, **more))


def sent(tool: Tool, arguments: JsonObject, media_type: str | None = None) -> Request:
    assert check(tool, arguments) == ()
    return build_request(tool, arguments, server="http://h", media_type=media_type)


def content_type(request: Request) -> str:
    return dict(request.headers)["Content-Type"]


def parts_of(request: Request) -> list[Message]:
    head = f"Content-Type: {content_type(request)}\r\n\r\n".encode()
    message: Any = BytesParser(policy=HTTP).parsebytes(head + request.body)
    return list(message.iter_parts())


def refused(tool: Tool, arguments: JsonObject) -> str:
    """The pointer of what is refused, alike by the check and by the request."""
    [mismatch] = check(tool, arguments)
    with pytest.raises(InvalidArguments) as caught:
        build_request(tool, arguments, server="http://h")
    assert caught.value.mismatches == (mismatch,)
    return mismatch.pointer


@pytest.mark.parametrize(
    ("encoding", "value", "text"),
    [
        ({}, "x y&z", "a=x%20y%26z"),
        ({}, [1, True, "x"], "a=1&a=true&a=x"),
        ({}, {"k": [1]}, "a=%7B%22k%22%3A%5B1%5D%7D"),
        ({}, [{"k": 1}], "a=%7B%22k%22%3A1%7D"),
        ({}, None, "a="),
        ({"style": "form", "explode": False}, [1, 2], "a=1,2"),
        ({"explode": False}, [1, 2], "a=1,2"),
        ({"style": "pipeDelimited"}, [1, 2], "a=1%7C2"),
        ({"style": "deepObject"}, {"k": {"l": 1}}, "a%5Bk%5D%5Bl%5D=1"),
        ({"allowReserved": True}, "x/y&z", "a=x/y%26z"),
        ({"contentType": "application/json"}, "x", "a=%22x%22"),
        ({"contentType": "text/plain"}, 1, "a=1"),
    ],
)
def test_a_form_is_written_by_its_encodings(encoding: JsonObject, value: Json, text: str) -> None:
    tool = posting({FORM: {"schema": FLAT, "encoding": {"a": encoding}}})
    request = sent(tool, {"a": value})
    assert (request.body.decode(), content_type(request)) == (text, FORM)


def test_a_property_that_a_form_cannot_write_is_named() -> None:
    tool = posting({FORM: {"schema": FLAT, "encoding": {"a": {"style": "deepObject"}}}})
    assert refused(tool, {"a": {"k": None}}) == "/a"


def test_parts_have_the_names_and_media_types_that_the_document_says() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "more": {"type": "object"},
            "csv": {"type": "string"},
            "photos": {"type": "array", "items": FILE},
        },
    }
    encoding = {"csv": {"contentType": "text/csv"}, "photos": {"contentType": "image/*"}}
    tool = posting({PARTS: {"schema": schema, "encoding": encoding}})
    request = sent(
        tool,
        {
            "id": 1,
            "tags": ["x", "y"],
            "more": {"k": 1},
            "csv": "a,b",
            "photos": [
                data_url_from_bytes(b"\xff", name="p.png"),
                data_url_from_bytes(b"t", name="t.txt"),
            ],
        },
    )
    found = [
        (part.get_param("name", header="content-disposition"), part.get_filename(),
         part["Content-Type"], part.get_payload(decode=True))
        for part in parts_of(request)
    ]  # fmt: skip
    assert found == [
        ("id", None, None, b"1"),
        ("tags", None, None, b"x"),
        ("tags", None, None, b"y"),
        ("more", None, "application/json", b'{"k":1}'),
        ("csv", None, "text/csv", b"a,b"),
        ("photos", "p.png", "image/png", b"\xff"),
        # What the document does not allow is not claimed.
        ("photos", "t.txt", "application/octet-stream", b"t"),
    ]  # fmt: skip


def test_the_boundary_is_the_same_for_the_same_call_and_another_for_another() -> None:
    tool = posting({PARTS: {"schema": FLAT}})
    first, again, other = (sent(tool, {"f": each}) for each in ("x", "x", "y"))
    assert first == again
    assert content_type(first) != content_type(other)


def test_names_cannot_end_the_head_of_a_part() -> None:
    tool = posting({PARTS: {"schema": FLAT}})
    request = sent(tool, {"f": data_url_from_bytes(b"", name='a"\r\nX: y')})
    assert b'filename="a%22%0D%0AX: y"\r\n' in request.body


def test_a_text_is_the_content_of_a_file_and_a_path_is_a_text() -> None:
    tool = posting({PARTS: {"schema": FLAT}})
    [part] = parts_of(sent(tool, {"f": "@/etc/passwd"}))
    assert part.get_payload(decode=True) == b"@/etc/passwd"
    assert part.get_filename() == "f"


def test_a_part_with_a_style_is_not_percent_encoded() -> None:
    tool = posting({PARTS: {"schema": FLAT, "encoding": {"a": {"style": "deepObject"}}}})
    [part] = parts_of(sent(tool, {"a": {"k": "x y"}}))
    assert part["Content-Disposition"] == 'form-data; name="a[k]"'
    assert part.get_payload(decode=True) == b"x y"


def heads_of(request: Request) -> list[dict[str, str]]:
    """The headers of each part but what says its name."""
    return [
        {key: value for key, value in part.items() if key != "Content-Disposition"}
        for part in parts_of(request)
    ]


@pytest.mark.parametrize(
    ("header", "written"),
    [
        ({"schema": {"const": "v1"}}, {"X-A": "v1"}),
        ({"schema": {"enum": [7]}}, {"X-A": "7"}),
        ({"schema": {"type": "array", "default": ["a", "b"]}}, {"X-A": "a,b"}),
        ({"content": {"application/json": {"schema": {"const": {"k": 1}}}}}, {"X-A": '{"k":1}'}),
        # An example is no value.
        ({"schema": {"type": "string"}, "example": "v1"}, {}),
        ({"schema": {"enum": ["a", "b"]}}, {}),
    ],
)
def test_a_part_has_the_headers_whose_value_the_document_says(
    header: JsonObject, written: JsonObject
) -> None:
    tool = posting({PARTS: {"schema": FLAT, "encoding": {"a": {"headers": {"X-A": header}}}}})
    assert heads_of(sent(tool, {"a": "x"})) == [written]


@pytest.mark.parametrize(
    "name",
    ["Content-Type", "content-disposition", "Content-Length", "Content-Transfer-Encoding", "a b"],
)
def test_a_header_of_a_part_says_nothing_about_its_form(name: str) -> None:
    encoding = {"a": {"headers": {name: {"schema": {"const": "base64"}}}}}
    tool = posting({PARTS: {"schema": FLAT, "encoding": encoding}})
    [part] = parts_of(sent(tool, {"a": "x"}))
    assert part.items() == [("Content-Disposition", 'form-data; name="a"')]


def test_a_part_in_base64_may_say_so() -> None:
    header = {"Content-Transfer-Encoding": {"schema": {"const": "base64"}}}
    schema = of(a={"type": "string", "contentEncoding": "base64"})
    tool = posting({PARTS: {"schema": schema, "encoding": {"a": {"headers": header}}}})
    [part] = parts_of(sent(tool, {"a": "/w=="}))
    assert part.get_payload(decode=True) == b"\xff"


def test_a_header_of_a_part_cannot_hold_line_breaks() -> None:
    header = {"X-A": {"schema": {"const": "a\r\nb: c"}}}
    tool = posting({PARTS: {"schema": FLAT, "encoding": {"a": {"headers": header}}}})
    assert refused(tool, {"a": "x"}) == "/a"


@pytest.mark.parametrize(
    ("allowed", "value", "media_type", "content"),
    [
        ("text/plain, application/json", {"k": 1}, "application/json", b'{"k":1}'),
        ("text/plain, application/json", "x", "text/plain", b"x"),
        ("text/*", "x", "text/plain", b"x"),
        ("*/*", {"k": 1}, "application/json", b'{"k":1}'),
        ("text/plain, application/xml", {"k": 1}, "application/xml", XML_HEAD + b"<a><k>1</k></a>"),
        (FORM, {"k": "x y"}, FORM, b"k=x%20y"),
    ],
)
def test_a_part_is_in_the_first_media_type_that_can_write_it(
    allowed: str, value: Json, media_type: str, content: bytes
) -> None:
    schema = of(a={"xml": {"name": "a"}})
    tool = posting({PARTS: {"schema": schema, "encoding": {"a": {"contentType": allowed}}}})
    [part] = parts_of(sent(tool, {"a": value}))
    assert (part["Content-Type"], part.get_payload(decode=True)) == (media_type, content)


def test_a_part_that_no_allowed_media_type_can_write_is_named() -> None:
    encoding = {"a": {"contentType": "text/plain, application/cbor"}}
    tool = posting({PARTS: {"schema": FLAT, "encoding": encoding}})
    assert refused(tool, {"a": {"k": 1}}) == "/a"


MIXED = "multipart/mixed"


def test_items_are_parts_by_their_positions() -> None:
    schema: JsonObject = {
        "type": "array",
        "prefixItems": [{"type": "object"}, FILE],
        "items": {"type": "string"},
    }
    written = {
        "schema": schema,
        "prefixEncoding": [
            {"contentType": "application/json", "headers": {"X-A": {"schema": {"const": 1}}}},
            {"contentType": "image/png"},
        ],
        "itemEncoding": {"contentType": "text/csv"},
    }
    tool = posting({MIXED: written}, openapi="3.2.0")
    request = sent(tool, {"body": [{"k": 1}, data_url_from_bytes(b"\xff", name="p.png"), "a", "b"]})
    assert content_type(request).startswith("multipart/mixed; boundary=")
    assert [(part.items(), part.get_payload(decode=True)) for part in parts_of(request)] == [
        ([("Content-Type", "application/json"), ("X-A", "1")], b'{"k":1}'),
        (
            [
                ("Content-Disposition", 'attachment; filename="p.png"'),
                ("Content-Type", "image/png"),
            ],
            b"\xff",
        ),
        ([("Content-Type", "text/csv")], b"a"),
        ([("Content-Type", "text/csv")], b"b"),
    ]


def test_items_of_a_stream_are_parts() -> None:
    written = {"itemSchema": of(k={}), "itemEncoding": {"contentType": "application/json"}}
    tool = posting({MIXED: written}, openapi="3.2.0")
    request = sent(tool, {"body": [{"k": 1}, {"k": 2}]})
    assert [part.get_payload() for part in parts_of(request)] == ['{"k":1}', '{"k":2}']


def test_a_part_has_parts_of_its_own() -> None:
    inner = {
        "contentType": MIXED,
        "prefixEncoding": [{"contentType": "text/csv"}],
        "itemEncoding": {"contentType": FORM},
    }
    schema = of(a={"type": "array", "prefixItems": [{"type": "string"}]})
    tool = posting({PARTS: {"schema": schema, "encoding": {"a": inner}}}, openapi="3.2.0")
    [outer] = parts_of(sent(tool, {"a": ["x,y", {"k": "z"}]}))
    assert outer.get_param("name", header="content-disposition") == "a"
    inner_parts: Any = outer.get_payload()
    assert [(each["Content-Type"], each.get_payload()) for each in inner_parts] == [
        ("text/csv", "x,y"),
        (FORM, "k=z"),
    ]
    assert refused(tool, {"a": ["x", [1]]}) == "/a/1"


def test_a_file_is_sent_in_parts_where_the_document_offers_the_same_in_parts() -> None:
    tool = posting({"application/json": {"schema": FLAT}, PARTS: {"schema": FLAT}})
    assert content_type(sent(tool, {"a": 1})) == "application/json"
    assert content_type(sent(tool, {"f": data_url_from_bytes(b"x")})).startswith(PARTS)


def test_a_media_type_is_asked_for_where_it_has_the_same_schema() -> None:
    content = {"application/json": {"schema": FLAT}, FORM: {"schema": FLAT}, "text/csv": {}}
    tool = posting(content)
    assert content_type(sent(tool, {"a": 1}, FORM)) == FORM
    for other in ("text/csv", "application/xml"):
        with pytest.raises(UnsupportedMediaType) as caught:
            sent(tool, {"a": 1}, other)
        assert caught.value == UnsupportedMediaType(tool.name, [other], ["application/json", FORM])


@pytest.mark.parametrize(
    ("asked", "arguments", "body"),
    [
        ("application/json", {"a": 1}, b'{"a":1}'),
        ("text/csv", {"body": "1,2"}, b"1,2"),
        ("application/xml", {"b": 1}, b'<?xml version="1.0" encoding="UTF-8"?><root b="1"/>'),
        ("Application/XML; charset=utf-8", {"b": 1}, b""),
    ],
)
def test_every_media_type_of_the_document_can_be_asked_for(
    asked: str, arguments: JsonObject, body: bytes
) -> None:
    attribute = {"type": "integer", "xml": {"attribute": True}}
    xml = {"type": "object", "xml": {"name": "root"}, "properties": {"b": attribute}}
    content = {
        "application/json": {"schema": FLAT},
        "application/xml": {"schema": xml},
        "text/csv": {"schema": {"type": "string"}},
    }
    tool, api = posting(content), Connection(server="http://h")
    request = prepare(tool, arguments, api, media_type=asked)
    assert content_type(request).startswith(asked.lower().partition(";")[0])
    assert request.body == body or not body
    with pytest.raises(InvalidArguments):
        prepare(tool, {"c": 1}, api, media_type=asked)


def test_a_media_type_that_is_not_offered_is_answered_with_those_that_are() -> None:
    tool = posting({"application/json": {"schema": FLAT}, "text/csv": {}})
    with pytest.raises(UnsupportedMediaType) as caught:
        prepare(tool, {}, Connection(server="http://h"), media_type="a/b")
    expected = f"{tool.name} takes no body of a/b; it takes application/json or text/csv"
    assert str(caught.value) == expected


def test_a_body_in_no_media_type_that_can_be_written_names_them() -> None:
    tool = posting({"application/cbor": {"schema": {"type": "object"}}})
    with pytest.raises(UnsupportedMediaType) as caught:
        sent(tool, {"body": {"a": 1}})
    assert caught.value.media_types == ("application/cbor",)


@pytest.mark.parametrize(
    ("media_type", "value", "body", "named"),
    [
        ("application/octet-stream", "text", b"text", "application/octet-stream"),
        ("image/*", data_url_from_bytes(b"\xff", name="a.gif"), b"\xff", "image/gif"),
        ("image/*", data_url_from_bytes(b"\xff"), b"\xff", "application/octet-stream"),
        ("application/pdf", data_url_from_bytes(b"%PDF"), b"%PDF", "application/pdf"),
        ("text/plain", "é", "é".encode(), "text/plain; charset=utf-8"),
        ("text/csv; charset=utf-8", "é", "é".encode(), "text/csv; charset=utf-8"),
        ("text/plain", 3, b"3", "text/plain"),
        ("application/xml", "<a/>", b"<a/>", "application/xml"),
        ("*/*", data_url_from_bytes(b"\xff", name="a.png"), b"\xff", "image/png"),
        ("*/*", [1], b"[1]", "application/json"),
    ],
)
def test_bytes_and_text(media_type: str, value: Json, body: bytes, named: str) -> None:
    request = sent(posting({media_type: {"schema": {}}}), {"body": value})
    assert (request.body, content_type(request)) == (body, named)


@pytest.mark.parametrize(
    ("media_type", "value"),
    [
        ("application/octet-stream", [1]),
        ("text/plain", {}),
        (FORM, [1]),
        (PARTS, "x"),
        ("application/octet-stream", "data:;base64,x"),
        ("application/xml", {"a b": 1}),
    ],
)
def test_a_body_that_its_media_type_cannot_write_is_refused(media_type: str, value: Json) -> None:
    assert refused(posting({media_type: {"schema": {}}}), {"body": value}).startswith("/body")


@pytest.mark.parametrize(
    ("media_type", "text"),
    [
        ("application/x-ndjson", '{"a":1}\n"x"\n'),
        ("application/jsonl", '{"a":1}\n"x"\n'),
        ("application/json-seq", '\x1e{"a":1}\n\x1e"x"\n'),
    ],
)
def test_items_stand_on_lines(media_type: str, text: str) -> None:
    tool = posting({media_type: {"itemSchema": {"type": ["object", "string"]}}}, openapi="3.2.0")
    assert sent(tool, {"body": [{"a": 1}, "x"]}).body.decode() == text
    assert [each.pointer for each in check(tool, {"body": [1]})] == ["/body/0"]


def xml(schema: Json, value: JsonObject, **schemas: Json) -> str:
    components = {"schemas": {"Pet": schema, **schemas}}
    reference = {"$ref": "#/components/schemas/Pet"}
    tool = posting({"application/xml": {"schema": reference}}, components=components)
    arguments = (
        value if isinstance(value, dict) and "body" not in tool.required else {"body": value}
    )
    head, _, text = sent(tool, arguments).body.decode().partition("?>")
    assert head == '<?xml version="1.0" encoding="UTF-8"'
    return text


def of(**properties: Json) -> JsonObject:
    return {"type": "object", "properties": properties}


STRINGS: JsonObject = {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize(
    ("schema", "value", "text"),
    [
        (of(a={"type": "string"}), {"a": "<&>\r"}, "<Pet><a>&lt;&amp;&gt;&#13;</a></Pet>"),
        ({**of(a={}), "xml": {"name": "pet"}}, {"a": True}, "<pet><a>true</a></pet>"),
        (of(a={"xml": {"name": "b"}}), {"a": 1}, "<Pet><b>1</b></Pet>"),
        (of(a={"xml": {"attribute": True}}), {"a": 'x"\n'}, "<Pet a='x\"&#10;'/>"),
        (
            of(a={"xml": {"namespace": "http://n", "prefix": "p"}}),
            {"a": 1},
            '<Pet><p:a xmlns:p="http://n">1</p:a></Pet>',
        ),
        (
            {**of(a={}), "xml": {"namespace": "urn:n"}},
            {"a": 1},
            '<Pet xmlns="urn:n"><a>1</a></Pet>',
        ),
        (of(a=STRINGS), {"a": ["x", "y"]}, "<Pet><a>x</a><a>y</a></Pet>"),
        (of(a=STRINGS), {"a": []}, "<Pet/>"),
        (
            of(a={**STRINGS, "xml": {"wrapped": True}}),
            {"a": ["x"]},
            "<Pet><a><a>x</a></a></Pet>",
        ),
        (
            of(a={**STRINGS, "xml": {"wrapped": True, "name": "as"}}),
            {"a": ["x"]},
            "<Pet><as><as>x</as></as></Pet>",
        ),
        (
            of(
                a={
                    "type": "array",
                    "items": {"type": "string", "xml": {"name": "i"}},
                    "xml": {"wrapped": True, "name": "as"},
                }
            ),
            {"a": ["x"]},
            "<Pet><as><i>x</i></as></Pet>",
        ),
        (
            of(a={"type": "array", "items": {"xml": {"name": "i"}}, "xml": {"name": "as"}}),
            {"a": ["x"]},
            "<Pet><i>x</i></Pet>",
        ),
        (of(a=of(b={})), {"a": {"b": "é"}}, "<Pet><a><b>é</b></a></Pet>"),
        (of(a={"xml": {"nodeType": "text"}}), {"a": "x"}, "<Pet>x</Pet>"),
        (
            of(a={"xml": {"nodeType": "cdata"}}),
            {"a": "]]>"},
            "<Pet><![CDATA[]]]]><![CDATA[>]]></Pet>",
        ),
        (
            of(a={}),
            {"a": None},
            '<Pet><a xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/></Pet>',
        ),
        (
            of(a={"$ref": "#/components/schemas/Name"}),
            {"a": "x"},
            "<Pet><n>x</n></Pet>",
        ),
    ],
)  # fmt: skip
def test_xml_is_written_by_the_schemas(schema: JsonObject, value: JsonObject, text: str) -> None:
    assert xml(schema, value, Name={"type": "string", "xml": {"name": "n"}}) == text


@pytest.mark.parametrize("value", [{"a": "\0"}, {"a": {"x y": 1}}, {"a": {"<": 1}}])
def test_what_xml_has_no_form_for_is_named(value: JsonObject) -> None:
    assert refused(posting({"application/xml": {"schema": FLAT}}), value).startswith("/a")


def test_a_file_keeps_its_name_and_bytes_in_a_data_url() -> None:
    url = data_url_from_bytes(b"\0\xff", name="/home/me/é ü.png")
    found = file_from_data_url(url)
    assert found is not None
    assert (found.content, found.name, found.media_type) == (b"\0\xff", "é ü.png", "image/png")
    assert file_from_data_url("no data: URL") is None


@pytest.mark.parametrize("url", ["data:;base64,x", "data:;base64,é"])
def test_a_broken_data_url_is_refused(url: str) -> None:
    with pytest.raises(Unwritable):
        file_from_data_url(url)


def test_a_file_has_at_most_so_many_bytes() -> None:
    tool = posting({PARTS: {"schema": FLAT}})
    with pytest.raises(Unwritable):
        embed_files(tool, {"f": bytes(MAX_FILE_BYTES + 1)})


def test_bytes_become_files_and_paths_are_read_by_permission_alone() -> None:
    schema = of(f=FILE, text={"type": "string"}, code={"type": "string", "format": "byte"})
    tool = posting({PARTS: {"schema": schema}})
    given = {"f": "@a.txt", "text": "@a.txt", "code": b"\xff"}
    read = {"a.txt": b"content"}

    assert embed_files(tool, given)["f"] == "@a.txt"
    found = embed_files(tool, given, read=read.__getitem__)

    assert found == {
        "f": data_url_from_bytes(b"content", name="a.txt"),
        "text": "@a.txt",
        "code": "/w==",
    }
    named = embed_files(tool, {"f": {"path": "a.txt"}}, read=read.__getitem__)
    assert named == {"f": found["f"]}
    assert check(tool, {"f": {"path": "a.txt"}})[0].pointer == "/f"


HOST = Connection(server="http://h")


def test_what_would_be_sent_of_bytes_is_what_is_sent() -> None:
    tool = posting({PARTS: {"schema": FLAT}})
    send = RecordingTransport(lambda _: reply(200, {}))
    given = {"f": b"\xff"}
    result = call(tool, given, connection=HOST, send=send, approve=approve_all)
    prepared = prepare(tool, given, HOST)
    assert result.ok
    assert send.sent == [prepared]
    [part] = parts_of(prepared)
    assert (part.get_filename(), part.get_payload(decode=True)) == ("f", b"\xff")
    assert given == {"f": b"\xff"}


def test_a_path_among_the_arguments_is_a_text_until_the_user_lets_it_be_read() -> None:
    tool = posting({PARTS: {"schema": FLAT}})
    [part] = parts_of(prepare(tool, {"f": "@/etc/passwd"}, HOST))
    assert part.get_payload(decode=True) == b"@/etc/passwd"


def test_a_file_that_is_too_large_is_a_mismatch_at_its_place() -> None:
    tool = posting({PARTS: {"schema": FLAT}})
    given = {"f": bytes(MAX_FILE_BYTES + 1)}
    with pytest.raises(InvalidArguments) as caught:
        prepare(tool, given, HOST)
    assert [each.pointer for each in caught.value.mismatches] == ["/f"]
    result = call(tool, given, connection=HOST, send=never, approve=never)
    assert (result.kind, result.repairable_by) == ("mismatch", "model")
