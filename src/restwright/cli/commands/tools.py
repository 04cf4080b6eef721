"""`tools` and `check`: what documents offer, without calling it."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import BadParameter, Option

from restwright.cli.inputs.options import (
    Called,
    Document,
    Documents,
    OptionalArguments,
    OptionalName,
    Presented,
    ReadOnly,
    place_call_words,
)
from restwright.cli.render.errors import DONE, FAILED
from restwright.cli.render.output import Output, counted, one_line, printable
from restwright.workspace.documents import arguments_from, find_tool, load_catalog, select_reads
from restwright.workspace.output_files import write_new

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from restwright.calls.mismatch import Mismatch
    from restwright.jsontypes import JsonObject
    from restwright.openapi.model import API, Problem
    from restwright.tools.catalog.catalog import Catalog
    from restwright.tools.dialects import Dialect
    from restwright.tools.tool import Tool


@dataclass(frozen=True, kw_only=True)
class FilterOptions:
    """Options of which tools are listed."""

    only: Annotated[
        str | None, Option("--only", metavar="GLOB", help="Only tools whose name matches.")
    ] = None
    tag: Annotated[
        list[str] | None,
        Option("--tag", metavar="TAG", help="Only tools with this tag; may be repeated."),
    ] = None
    method: Annotated[
        list[str] | None,
        Option("--method", metavar="METHOD", help="Only tools of this method; may be repeated."),
    ] = None
    no_deprecated: Annotated[
        bool, Option("--no-deprecated", help="Only tools that are not deprecated.")
    ] = False
    read_only: ReadOnly = False

    def filter(self, catalog: Catalog) -> Catalog:
        """What is left of a catalog."""
        kept = select_reads(catalog) if self.read_only else catalog
        if self.only is None and not (self.tag or self.method or self.no_deprecated):
            return kept
        from restwright.tools.catalog import filters

        kept = filters.exclude_deprecated(kept) if self.no_deprecated else kept
        kept = filters.filter_by_tag(kept, *self.tag) if self.tag else kept
        kept = filters.filter_by_method(kept, *self.method) if self.method else kept
        return kept if self.only is None else filters.filter_by_name(kept, self.only)


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """Options of what is printed of tools in the place of their list."""

    offer: Annotated[
        str | None,
        Option("--offer", metavar="QUESTION", help="What a model is offered for it instead."),
    ] = None
    above: Annotated[
        Literal["search", "native", "meta", "all"] | None,
        Option("--above", help="With --offer: how, where there are too many tools."),
    ] = None
    problems: Annotated[
        bool,
        Option(
            "--problems",
            help="What is doubtful in the documents instead; ends with 1 where it is an error.",
        ),
    ] = False
    fix: Annotated[
        Path | None,
        Option(
            "--fix",
            metavar="FILE",
            help="With --problems: propose an overlay there that mends what code can mend.",
        ),
    ] = None

    def __post_init__(self) -> None:
        """Refuse options of which one would be ignored."""
        if self.offer is not None and self.problems:
            raise BadParameter("--offer and --problems exclude each other")
        if self.offer is None and self.above is not None:
            raise BadParameter("--above needs --offer")
        if self.fix is not None and not self.problems:
            raise BadParameter("--fix needs --problems")


def tools(
    *,
    documents: Documents = None,
    filters: FilterOptions,
    report: ReportOptions,
    presented: Presented,
    out: Output,
) -> int:
    """List the tools of documents, or what is doubtful in these."""
    documents = documents or []
    _check_fix(report.fix, documents)
    dialect = _dialect(presented.dialect)
    catalog = load_catalog(documents, presented.catalog_settings(), out.warn)
    if report.fix is not None:
        write_overlay(catalog, report.fix, out)
    catalog = filters.filter(catalog)
    if report.offer is not None:
        from restwright.cli.render.offer import print_offer

        return print_offer(catalog, report.offer, dialect, report.above or "search", out)
    if report.problems or out.json:
        return _say(catalog, dialect, out, problems=report.problems)
    if dialect:
        shapes, notes = _shapes(catalog, dialect)
        out.value(shapes)
        _note_loose(dialect, notes, out, total=len(shapes))
        return DONE
    from restwright.cli.render.tool_list import print_list

    print_list(catalog, out)
    return DONE


def _check_fix(fix: Path | None, documents: Sequence[str]) -> None:
    if fix is None:
        return
    if len(documents) > 1:
        raise BadParameter("--fix takes one document, since an overlay is for one")
    if fix.exists():
        raise BadParameter(f"--fix: {fix} is there already, and is not written over")


def check(
    document: Document,
    name: OptionalName = None,
    arguments: OptionalArguments = None,
    *,
    called: Called,
    out: Output,
) -> int:
    """Check arguments against a tool without calling it; print them, repaired, when they fit."""
    from restwright.calls.arguments.check import check as check_arguments
    from restwright.calls.arguments.check import parse_model_arguments

    documents, name, arguments = place_call_words(document, name, arguments, called)
    text = arguments_from(arguments, documents=documents)
    tool = find_tool(load_catalog(documents, called.catalog_settings(), out.warn), name)
    reading = parse_model_arguments(text)
    for note in reading.notes:
        out.note(f"read leniently: {note}")
    for other in reading.others:
        out.note(one_line(f"left out: {other}"))
    values = with_repairs(tool, reading.value, out)
    if mismatches := check_arguments(tool, values):
        print_mismatches(tool.name, mismatches, out)
        return FAILED
    out.value(values)
    return DONE


def with_repairs(tool: Tool, arguments: JsonObject, out: Output) -> JsonObject:
    """The arguments of a call, repaired; what was is said on standard error."""
    from restwright.calls.arguments.repair import repair_arguments

    found = repair_arguments(tool, arguments)
    for repair in found.repairs:
        out.note(one_line(f"repaired {repair}"))
    return found.arguments


def print_mismatches(name: str, mismatches: Sequence[Mismatch], out: Output) -> None:
    """Print the feedback on `mismatches`: a result of `check`, what went wrong for `call`."""
    from restwright.calls.arguments.feedback import feedback

    text = feedback(name, mismatches)
    if out.json:
        error = {"code": "mismatch", "message": text, "hint": f"see `restwright show DOC {name}`"}
        out.value({"error": error})
    else:
        print(printable(text), file=sys.stderr)


def _dialect(name: str | None) -> Dialect | None:
    if name is None:
        return None
    from restwright.tools.dialects import dialect_named

    return dialect_named(name)


def _note_loose(
    dialect: Dialect, notes: Mapping[str, Sequence[Problem]], out: Output, *, total: int
) -> None:
    """Say how many tools a strict dialect could only say loosely, which their list does not."""
    loose = sum(map(len, notes.values()))
    if dialect.loose_rules and loose:
        tools = f"{loose:,} of {counted(total, 'tool')}"
        out.note(f"{tools} cannot be said strictly; see --problems")


def _say(catalog: Catalog, dialect: Dialect | None, out: Output, *, problems: bool) -> int:
    """Everything as JSON, or the problems alone as text."""
    from restwright.cli.render.problems import has_error, print_problems
    from restwright.tools.catalog.records import list_problems, problem_json

    shapes, notes = _shapes(catalog, dialect) if out.json or dialect else ([], {})
    found = list_problems(catalog, notes)
    listed = [problem for several in found.values() for problem in several]
    if out.json:
        shown = [
            {**problem_json(problem), "document": catalog.apis[name].source}
            for name, several in found.items()
            for problem in several
        ]
        out.value({"tools": shapes, "problems": shown, "index": catalog.index()})
    else:
        print_problems(found, out)
    return FAILED if problems and has_error(listed) else DONE


def _shapes(
    catalog: Catalog, dialect: Dialect | None
) -> tuple[list[JsonObject], dict[str, list[Problem]]]:
    """Every tool, and by namespace what a dialect could not say."""
    from restwright.cli.render.json_shapes import dialect_problem
    from restwright.tools.catalog.records import tool_json

    if dialect is None:
        return [tool_json(tool) for tool in catalog.tools], {}
    shapes: list[JsonObject] = []
    notes: dict[str, list[Problem]] = {}
    for tool in catalog.tools:
        said = catalog.render(tool.name, dialect)
        shapes.append(said.shape)
        if said.notes:
            own = notes.setdefault(tool.namespace, [])
            own.append(dialect_problem(dialect, tool, said.notes))
    return shapes, notes


def write_overlay(catalog: Catalog, path: Path, out: Output) -> None:
    """
    Write the overlay that mends the one document of `catalog`, and say what it does.

    Raises:
        OSError: The file is there already, or none can be written there.
    """
    from restwright.openapi.autofix import count_additions, propose_overlay
    from restwright.openapi.syntax.yaml_writer import to_yaml

    [(_, api)] = catalog.apis.items()
    names = {
        entry.operation.pointer: str(entry.operation_name) for entry in catalog.entries.values()
    }
    overlay = propose_overlay(api, names, extends=_extends(api, path))
    if overlay is None:
        out.note("nothing that code can mend; no overlay is written")
        return
    write_new(path, to_yaml(overlay))
    added = ", ".join(counted(number, kind) for kind, number in count_additions(overlay) if number)
    out.note(f"wrote {path}: {added}; apply it with --overlay {path}")


def _extends(api: API, path: Path) -> str:
    """How the overlay names its document: by its URL, or from the overlay's own folder."""
    from restwright.openapi.load.source import is_url_source

    if is_url_source(api.source):
        return api.source
    if api.source in {"-", "bytes", "object"}:
        return ""
    return Path(os.path.relpath(api.source, path.parent)).as_posix()
