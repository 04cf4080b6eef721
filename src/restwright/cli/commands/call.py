"""`call`: one checked call, shown or sent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from restwright.cli.commands.tools import print_mismatches, with_repairs
from restwright.cli.inputs.approval import Consent, policy_of
from restwright.cli.inputs.human import human_of
from restwright.cli.inputs.options import (
    Called,
    Classes,
    ConnectionOptions,
    Count,
    Document,
    OptionalArguments,
    OptionalName,
    ReadOnly,
    Shaped,
    TransportOptions,
    Yes,
    place_call_words,
)
from restwright.cli.inputs.run_options import ApprovalOptions
from restwright.cli.render.curl import print_curl
from restwright.cli.render.errors import DONE, FAILED
from restwright.cli.render.output import Output, to_json
from restwright.cli.render.result import print_result
from restwright.jsontypes import JsonObject
from restwright.workspace.documents import arguments_from, find_tool, load_catalog
from restwright.workspace.files import load_argument_files
from restwright.workspace.servers import check_server_connections

if TYPE_CHECKING:
    from restwright.calls.approval.policy import Policy
    from restwright.calls.response.result import Result, ResultKind
    from restwright.net.messages import Request
    from restwright.tools.tool import Tool


@dataclass(frozen=True, kw_only=True)
class RequestOptions:
    """Options of the request of a call."""

    dry_run: Annotated[
        bool, Option("--dry-run", help="Show the request, secrets masked, and do not send it.")
    ] = False
    as_curl: Annotated[
        bool, Option("--curl", help="As --dry-run, as a curl command for a POSIX shell.")
    ] = False
    allow_files: Annotated[
        Path | None,
        Option("--allow-files", metavar="DIR", help="Send files in this folder for @file."),
    ] = None
    media_type: Annotated[
        str | None,
        Option("--media-type", metavar="NAME", help="Of the body, where several are offered."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class WriteOptions:
    """Options of whether a call may write."""

    classes: Classes = None
    yes: Yes = False
    read_only: ReadOnly = False

    def policy(self) -> Policy:
        """What these mean together."""
        return policy_of(ApprovalOptions(yes=self.yes, read_only=self.read_only), self.classes)


def call(
    *,
    document: Document,
    name: OptionalName = None,
    arguments: OptionalArguments = None,
    connection: ConnectionOptions,
    request: RequestOptions,
    transport: TransportOptions,
    write: WriteOptions,
    count: Count = False,
    called: Called,
    shaped: Shaped,
    out: Output,
) -> int:
    """Check arguments, call the tool and print the response."""
    from restwright.agents.runtime.human_input import answer_by
    from restwright.calls.approval.destination import add_idempotency_key, check_call_arguments
    from restwright.calls.arguments.check import parse_arguments
    from restwright.calls.call import call as call_tool
    from restwright.calls.call import prepare
    from restwright.calls.questions import answer_questions
    from restwright.calls.request.build import tool_for_media_type
    from restwright.calls.response.file_store import files_folder
    from restwright.calls.response.pagination import PageLimits, fetch_all_pages

    policy = write.policy()
    if shaped.pick is not None:
        from restwright.calls.response.projection import check_expression

        check_expression(shaped.pick)
    documents, name, arguments = place_call_words(document, name, arguments, called)
    text = arguments_from(arguments, documents=documents)
    catalog = load_catalog(documents, called.catalog_settings(), out.warn)
    tool = tool_for_media_type(find_tool(catalog, name), request.media_type)
    chosen = connection.connect(catalog)[tool.namespace]
    check_server_connections(catalog, {tool.namespace: chosen})
    values = parse_arguments(text, lenient=False)
    values = load_argument_files(tool, values, request.allow_files)
    given, values = values, with_repairs(tool, add_idempotency_key(tool, values), out)
    if mismatches := check_call_arguments(tool, values, chosen):
        print_mismatches(tool.name, mismatches, out)
        _count(tool, "mismatch", out, is_wanted=count, is_repaired=values != given)
        return FAILED
    if request.dry_run or request.as_curl:
        prepared = prepare(tool, values, chosen)
        if request.as_curl:
            print_curl(prepared, chosen, out, headers=connection.header or ())
        else:
            _print_request(prepared, out)
        return DONE

    consent = Consent()
    with transport.open_transport() as send, answer_questions(answer_by(human_of(None))):

        def once(arguments: JsonObject) -> Result:
            return call_tool(
                tool,
                arguments,
                connection=chosen,
                send=send,
                approve=consent,
                policy=policy,
                files=files_folder(),
            )

        if shaped.all_pages:
            result = fetch_all_pages(tool, values, once, PageLimits(bytes=transport.max_bytes))
        else:
            result = once(values)
    _count(tool, result.kind, out, is_wanted=count, is_repaired=values != given)
    # A request that was refused for another reason than the policy was not even built.
    is_forbidden = policy.decision(tool) == "refuse" and result.request is not None
    is_refused = consent.declined or is_forbidden
    way_out = (
        f"send it with{'out --read-only' if write.read_only else ' --yes'}" if is_refused else ""
    )
    return print_result(result, out, way_out=way_out, pick=shaped.pick)


def _count(
    tool: Tool, kind: ResultKind, out: Output, *, is_wanted: bool, is_repaired: bool
) -> None:
    if not is_wanted:
        return
    from restwright.cli.render.usage import keep
    from restwright.tools.catalog.usage import UsageCounter

    counter = UsageCounter()
    counter.count_call(tool.name, kind=kind, is_repaired=is_repaired)
    keep(counter, out)


def _print_request(request: Request, out: Output) -> None:
    from restwright.calls.auth.connection import mask_request

    shown = mask_request(request)
    if out.json:
        out.value(shown)
        return
    out.text(f"{shown['method']} {shown['url']}")
    for name, value in shown["headers"].items():
        out.text(f"{name}: {value}")
    if shown["body"] is not None:
        out.text(f"\n{_text_of(shown['body'])}")


def _text_of(value: object) -> str:
    return value if isinstance(value, str) else to_json(value)
