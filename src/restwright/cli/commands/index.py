"""`index`: what one or more documents amount to, and whether they are as they were locked."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from typer import BadParameter, Option

from restwright.cli.inputs.options import Documents, Named
from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output, counted, one_line
from restwright.jsontypes import JsonObject
from restwright.workspace.documents import load_apis
from restwright.workspace.servers import open_servers, without_server_headers

if TYPE_CHECKING:
    from pathlib import Path

    from restwright.tools.catalog.catalog import Catalog
    from restwright.tools.catalog.lock import Drift
    from restwright.tools.catalog.summary import CatalogSummary

_COLUMNS = ("tools", "reads", "writes", "title", "reason", "source")
_MEASURED = ("tools", "reads", "writes", "characters", "problems", "title", "reason", "source")
_LISTED = 20


def index(
    documents: Documents = None,
    measure: Annotated[
        bool,
        Option("--measure", help="Count the characters a model reads, and problems; slower."),
    ] = False,
    update: Annotated[
        bool,
        Option("--update", help="Accept what is not as it was locked, and write the lock."),
    ] = False,
    usage: Annotated[
        bool, Option("--usage", help="How often tools were used, and which never were.")
    ] = False,
    *,
    named: Named,
    out: Output,
) -> int:
    """Count the tools of documents by namespace; compare them with the lock."""
    from restwright.tools.catalog.summary import summarize_catalog

    if update and named.locked:
        raise BadParameter("--update and --locked exclude each other")
    catalog, path, found = _compared(documents or (), named, out, update=update)
    whole = summarize_catalog(catalog, measure=measure)
    if out.json:
        out.value(_as_json(catalog, whole, path, found, update=update, usage=usage))
        return DONE
    _print(whole, _MEASURED if measure else _COLUMNS, out)
    if path is not None:
        _print_drifts(path, found, out, update=update)
    if usage:
        from restwright.cli.render.usage import print_usage

        print_usage(catalog, out)
    return DONE


def _compared(
    documents: Sequence[str], named: Named, out: Output, *, update: bool
) -> tuple[Catalog, Path | None, tuple[Drift, ...]]:
    """The catalog, the lock where there is one, and how they differ or differed."""
    from restwright.workspace.lock import build_locked_catalog, find_lock_file
    from restwright.workspace.lock import update_lock_file as accept

    settings = named.catalog_settings()
    if not documents and not settings.documents.mcp:
        raise BadParameter("a DOC is needed, or --mcp")
    servers = open_servers(settings.documents, out.warn)
    apis = [
        *load_apis(documents, without_server_headers(settings.documents), out.warn),
        *(server.api for server in servers),
    ]
    if update:
        return accept(apis, settings)
    # Without output: what has drifted is said below, and whole.
    catalog = build_locked_catalog(apis, settings, None)
    lock = find_lock_file(settings)
    if lock is None:
        return catalog, None, ()
    from restwright.tools.catalog.lock import detect_drift

    return catalog, lock.path, detect_drift(lock.lock, catalog)


def _as_json(
    catalog: Catalog,
    whole: CatalogSummary,
    path: Path | None,
    found: Sequence[Drift],
    *,
    update: bool,
    usage: bool,
) -> JsonObject:
    value: JsonObject = {**whole}
    if path is not None:
        records = [drift.to_json() for drift in found]
        value["lock"] = {"path": str(path), "accepted" if update else "drifts": records}
    if usage:
        from restwright.cli.render.usage import usage_json

        value["usage"] = usage_json(catalog)
    return value


def _print(whole: CatalogSummary, columns: Sequence[str], out: Output) -> None:
    entries: JsonObject = {**whole["namespaces"]}
    rows = [
        (name, *(one_line(str(entry[column])) for column in columns))
        for name, entry in entries.items()
    ]
    _print_rows(("namespace", *columns), rows, out)
    total = f"{counted(whole['total'], 'tool')} in {counted(len(rows), 'namespace')}"
    (out.text if sys.stdout.isatty() else out.note)(f"{total}, hash {whole['hash'][:16]}")


def _print_rows(header: tuple[str, ...], rows: Sequence[tuple[str, ...]], out: Output) -> None:
    if not sys.stdout.isatty():
        for row in rows:
            out.text("\t".join(row))
        return
    from restwright.cli.render.tables import print_table

    print_table(header, rows)


def _print_drifts(path: Path, found: Sequence[Drift], out: Output, *, update: bool) -> None:
    for drift in found[:_LISTED]:
        out.note(one_line(str(drift)))
    if len(found) > _LISTED:
        out.note(f"and {len(found) - _LISTED:,} more; --json lists all")
    if update:
        out.note(f"{path} is written, {counted(len(found), 'difference')} accepted")
    elif found:
        out.note(f"{counted(len(found), 'difference')} to {path}; accept by --update")
    else:
        out.note(f"all as locked in {path}")
