"""`index`: what one or more documents amount to, namespace by namespace."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from restwright.cli.failures import DONE
from restwright.cli.options import Documents, Named
from restwright.cli.output import Output, counted, one_line
from restwright.cli.sources import catalog_of
from restwright.typing import JsonObject

if TYPE_CHECKING:
    from restwright.tools.catalog import Catalog

_COLUMNS = ("tools", "reads", "writes", "title", "reason", "source")


def index(documents: Documents, *, named: Named, out: Output) -> int:
    """Count the tools of documents by namespace."""
    catalog = catalog_of(documents, named)
    whole = index_json(catalog)
    if out.json:
        out.value(whole)
        return DONE
    rows = [
        (name, *(one_line(str(entry[column])) for column in _COLUMNS))
        for name, entry in whole["namespaces"].items()
    ]
    _print(rows, out)
    total = f"{counted(whole['total'], 'tool')} in {counted(len(rows), 'namespace')}"
    (out.text if sys.stdout.isatty() else out.note)(f"{total}, hash {whole['hash'][:16]}")
    return DONE


def index_json(catalog: Catalog) -> JsonObject:
    """The index of a catalog as the command prints it."""
    namespaces: JsonObject = {
        name: {**entry, "version": catalog.apis[name].version, "sha256": catalog.apis[name].sha256}
        for name, entry in catalog.index().items()
    }
    return {"namespaces": namespaces, "total": len(catalog), "hash": hash_of(catalog)}


def hash_of(catalog: Catalog) -> str:
    """SHA-256 of the documents' hashes and the names of their tools; the order does not matter."""
    import hashlib
    import json

    hashed = [
        [
            name,
            api.sha256,
            [each for each, entry in catalog.entries.items() if entry.namespace == name],
        ]
        for name, api in sorted(catalog.apis.items())
    ]
    return hashlib.sha256(json.dumps(hashed, separators=(",", ":")).encode()).hexdigest()


def _print(rows: list[tuple[str, ...]], out: Output) -> None:
    if not sys.stdout.isatty():
        for row in rows:
            out.text("\t".join(row))
        return
    from restwright.cli.tables import print_table

    print_table(("namespace", *_COLUMNS), rows)
