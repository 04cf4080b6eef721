"""Everything that reads texts from outside: what the tests of hostile texts are held against."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from restwright.agents import spotlighting as marks
from restwright.agents.rest import answering
from restwright.calls.arguments.check import parse_arguments
from restwright.calls.arguments.lenient_json import parse_lenient_object, parse_lenient_value
from restwright.calls.auth.oauth.messages import ClientRegistration, parse_oauth_response
from restwright.calls.response.file_store import _safe_name
from restwright.calls.response.http_errors import explain_response
from restwright.calls.response.page_links import link_relations
from restwright.calls.response.projection import check_expression
from restwright.calls.response.result import result_from_response, shorten_json
from restwright.cli.render import markdown, output
from restwright.errors import (
    NoToken,
    RefusedRequest,
    UnreadableArguments,
    UnreadableDocument,
    UnusableExpression,
)
from restwright.manifests.code import results
from restwright.manifests.functions import graphql
from restwright.manifests.text import placeholders
from restwright.net.http.exchange import is_json_too_deep
from restwright.net.http.retry import parse_retry_after
from restwright.net.messages import Request, Response
from restwright.net.policy import origins as guard
from restwright.net.secret import Secret
from restwright.openapi.load.json_path import JSONPathQueries, UnusableQuery
from restwright.openapi.read.operation import _BLOCK, _INLINE
from restwright.openapi.syntax.decode import parse_bytes
from restwright.tools.dialects import regex as patterns
from restwright.tools.naming import accessor, hosts, namespace
from restwright.tools.naming import names as naming
from restwright.tools.search import analysis
from restwright.tools.search import query as asked
from restwright.tools.text import prose as texts
from restwright.tools.text import words

CONSOLE = markdown.make_console()
REQUEST = Request(method="GET", url="http://host/x", secrets=(Secret("a-secret-word"),))


@dataclass(frozen=True, slots=True)
class Reader:
    """
    What reads a text.

    Args:
        read: Takes the text.
        refuses: Its errors; any other is a fault.
    """

    read: Callable[[str], Any]
    refuses: tuple[type[Exception], ...] = ()


def octets(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def response(text: str, media_type: str = "text/plain", **headers: str) -> Response:
    named = {"content-type": media_type, **headers}
    pairs = tuple((name.replace("_", "-"), value) for name, value in named.items())
    return Response(status=200, headers=pairs, body=octets(text), url="http://host/x")


def body(media_type: str, status: int = 200) -> Reader:
    def read(text: str) -> object:
        found = response(text, media_type)
        return result_from_response(
            REQUEST, Response(status=status, headers=found.headers, body=found.body)
        )

    return Reader(read)


def header(name: str) -> Reader:
    return Reader(lambda text: result_from_response(REQUEST, response('{"a', **{name: text})))


def document(before: str, source: str) -> Reader:
    read: Callable[[str], Any] = lambda text: parse_bytes(octets(before + text), source=source)  # noqa: E731
    return Reader(read, (UnreadableDocument,))


BODIES = (
    *("application/json", "application/x-ndjson", "application/json-seq", "text/event-stream"),
    *("application/xml", "text/plain", "text/html", "x/y", "image/png", ""),
    *("application/json; charset=utf-16", "text/plain; charset=shift_jis"),
)
READERS: Mapping[str, Reader] = {
    **{f"a body of {name or 'no type'}": body(name) for name in BODIES},
    "an error in JSON": body("application/json", 400),
    "an error in HTML": body("text/html", 500),
    "the depth of JSON": Reader(lambda text: is_json_too_deep(octets(text), 200)),
    "Content-Type": Reader(lambda text: result_from_response(REQUEST, response("a\n{", text))),
    "Content-Disposition": Reader(
        lambda text: _safe_name(response("", content_disposition=text), "image/png")
    ),
    "Link": Reader(lambda text: list(link_relations(text))),
    "Retry-After": Reader(lambda text: parse_retry_after(response("", retry_after=text))),
    "Date": Reader(lambda text: parse_retry_after(response("", date=text))),
    "Location": Reader(
        lambda text: result_from_response(
            REQUEST, Response(status=302, headers=(("location", text),), url="http://host/")
        )
    ),
    "words of an error": Reader(lambda text: explain_response(response("", "text/html"), text)),
    "an answer of OAuth": Reader(
        lambda text: parse_oauth_response(ClientRegistration(name="a", client_id="b"), REQUEST,
        response(text)), (NoToken,),
    ),
    "a form of OAuth": Reader(
        lambda text: parse_oauth_response(
            ClientRegistration(name="a", client_id="b"),
            REQUEST,
            response(text, "application/x-www-form-urlencoded"),
        ),
        (NoToken,),
    ),
    "an address": Reader(guard.parse_origin.__wrapped__, (RefusedRequest,)),
    "a shown address": Reader(guard.redact_url),
    "a document in JSON": document("{", "x.json"),
    "a document": document("[", "x"),
    "a document in YAML": document("a: ", "x.yaml"),
    "YAML over lines": document("a:\n  ", "x.yaml"),
    "arguments": Reader(parse_arguments, (UnreadableArguments,)),
    "an object of a model": Reader(parse_lenient_object),
    "a value of a model": Reader(parse_lenient_value, (ValueError,)),
    "an answer of a model": Reader(lambda text: answering.find_unsupported(text, "")),
    "an answer on a terminal": Reader(lambda text: markdown.markdown_lines(text, CONSOLE)),
    "an answer while it comes": Reader(markdown.settled_length),
    "marks": Reader(marks.escape_marks),
    "a text on a terminal": Reader(output.printable),
    "passwords": Reader(output.without_passwords),
    "a description": Reader(texts.to_plain_text),
    "a first sentence": Reader(texts.first_sentence),
    "a shortened text": Reader(lambda text: texts.shorten_text(text, 300)),
    "a printable text": Reader(texts.strip_unprintable),
    "a headline": Reader(lambda text: _INLINE.sub("", _BLOCK.sub(" ", text))),
    "a long text": Reader(lambda text: shorten_json({"a": text}, 500)),
    "words": Reader(words.split_words),
    "a name": Reader(naming.clean_name),
    "a path": Reader(lambda text: naming.name_from_path("get", "/" + text)),
    "an accessor": Reader(lambda text: accessor.accessor_from_path("get", "/" + text)),
    "a host": Reader(lambda text: hosts.host_from_urls(f"http://{text}", "")),
    "a server": Reader(lambda text: hosts.base_path_from_urls(text, "")),
    "a slug": Reader(namespace.to_slug),
    "a title": Reader(namespace.title_words),
    "a pattern": Reader(patterns.to_grammar_pattern.__wrapped__),
    "lookaround": Reader(patterns.has_lookaround),
    "words to search in": Reader(analysis.tokenize_text),
    "words to search for": Reader(asked.parse_query),
    "JSONPath": Reader(lambda text: JSONPathQueries().find(f"${text}", {"a": 1}), (UnusableQuery,)),
    "a pattern of JSONPath": Reader(
        lambda text: JSONPathQueries().find("$[?search(@, $.b)]", {"a": "x", "b": text}),
        (UnusableQuery,),
    ),
    "JMESPath": Reader(check_expression, (UnusableExpression,)),
    "GraphQL": Reader(graphql.find_operation_types),
    "a schema of GraphQL": Reader(graphql.is_graphql_schema),
    "a template": Reader(lambda text: placeholders.fill_template(text, {"a": "b"})),
    "a template that reaches": Reader(placeholders.find_field_accesses),
    "a prompt that reaches": Reader(placeholders.find_prompt_field_accesses),
    "an output of code": Reader(results.strip_controls),
    "an error of code": Reader(results.sanitize_line),
    "folders": Reader(results.strip_folders),
}  # fmt: skip
