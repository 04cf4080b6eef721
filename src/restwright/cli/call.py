"""`call`: one checked call, shown or sent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from restwright.cli.connections import connections_of
from restwright.cli.consent import Consent
from restwright.cli.curl import print_curl
from restwright.cli.documents import print_mismatches, with_repairs
from restwright.cli.failures import DONE, FAILED, STOPPED, report
from restwright.cli.files import with_files_of
from restwright.cli.options import (
    Arguments,
    Auth,
    Called,
    Document,
    Header,
    MaxBytes,
    Server,
    Timeout,
    ToolName,
    Yes,
)
from restwright.cli.output import Output, one_line, to_json
from restwright.cli.sources import arguments_from, catalog_of, tool_named

if TYPE_CHECKING:
    from restwright.calls.result import Result
    from restwright.net.message import Request

TIMEOUT_S = 30.0
MAX_BYTES = 10_000_000


def call(
    document: Document,
    name: ToolName,
    arguments: Arguments,
    server: Server = None,
    auth: Auth = None,
    header: Header = None,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Show the request, secrets masked, and do not send it.")
    ] = False,
    as_curl: Annotated[
        bool, Option("--curl", help="As --dry-run, as a curl command for a POSIX shell.")
    ] = False,
    allow_files: Annotated[
        Path | None,
        Option("--allow-files", metavar="DIR", help="Send files in this folder for @file."),
    ] = None,
    timeout: Timeout = TIMEOUT_S,
    max_bytes: MaxBytes = MAX_BYTES,
    yes: Yes = False,
    *,
    called: Called,
    out: Output,
) -> int:
    """Check arguments, call the tool and print the response."""
    from restwright.calls.arguments import check, parse_arguments
    from restwright.calls.call import call as call_tool
    from restwright.calls.call import prepare

    text = arguments_from(arguments, documents=[document])
    tool = tool_named(catalog_of([document], called), name)
    connection = connections_of([tool.namespace], server=server, auth=auth, header=header)
    values = with_files_of(tool, parse_arguments(text, lenient=False), allow_files)
    values = with_repairs(tool, values, out)
    if mismatches := check(tool, values):
        print_mismatches(tool.name, mismatches, out)
        return FAILED
    if dry_run or as_curl:
        request = prepare(tool, values, connection[tool.namespace])
        if as_curl:
            print_curl(request, connection[tool.namespace], out)
        else:
            _print_request(request, out)
        return DONE
    from restwright.net.transport import Transport

    consent = Consent(yes=yes)
    with Transport(timeout_s=timeout, max_bytes=max_bytes) as send:
        result = call_tool(
            tool, values, connection=connection[tool.namespace], send=send, approve=consent
        )
    return _print_result(result, out, declined=consent.declined)


def _print_request(request: Request, out: Output) -> None:
    from restwright.calls.security import masked

    shown = masked(request)
    if out.json:
        out.value(shown)
        return
    out.text(f"{shown['method']} {shown['url']}")
    for name, value in shown["headers"].items():
        out.text(f"{name}: {value}")
    if shown["body"] is not None:
        out.text(f"\n{_text_of(shown['body'])}")


def _print_result(result: Result, out: Output, *, declined: bool) -> int:
    if result.ok:
        _print_value(result, out)
        return DONE
    hint = "send it with --yes" if declined else ""
    if out.json:
        error = {"code": result.kind, "message": one_line(result.text), "hint": hint}
        out.value({"error": error, "status": result.status, "value": result.value})
    else:
        report(result.kind, result.text, hint, as_json=False)
    return STOPPED if declined else FAILED


def _print_value(result: Result, out: Output) -> None:
    if out.json:
        out.value({"status": result.status, "value": result.value})
        return
    out.note(f"{result.status} ({_seconds(result)})")
    if result.value is None and result.response is not None and not result.response.body:
        return
    out.text(_text_of(result.value))


def _seconds(result: Result) -> str:
    return f"{result.response.elapsed_s:.2f} s" if result.response else "no response"


def _text_of(value: object) -> str:
    return value if isinstance(value, str) else to_json(value)
