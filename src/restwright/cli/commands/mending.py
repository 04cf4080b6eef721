"""`tools --problems --fix`: an overlay for what the linter finds and code can mend."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from restwright.cli.render.output import Output, counted, write_new

if TYPE_CHECKING:
    from restwright.openapi.model import API
    from restwright.tools.catalog.catalog import Catalog


def write_overlay(catalog: Catalog, path: Path, out: Output) -> None:
    """
    Write the overlay that mends the one document of `catalog`, and say what it does.

    Raises:
        OSError: The file is there already, or none can be written there.
    """
    from restwright.openapi.autofix import counted as parts_of
    from restwright.openapi.autofix import mended
    from restwright.openapi.syntax.yaml_writer import to_yaml

    [(_, api)] = catalog.apis.items()
    names = {each.operation.pointer: str(each.operation_name) for each in catalog.entries.values()}
    overlay = mended(api, names, extends=_extends(api, path))
    if overlay is None:
        out.note("nothing that code can mend; no overlay is written")
        return
    write_new(path, to_yaml(overlay))
    added = ", ".join(counted(number, kind) for kind, number in parts_of(overlay) if number)
    out.note(f"wrote {path}: {added}; apply it with --overlay {path}")


def _extends(api: API, path: Path) -> str:
    """How the overlay names its document: by its URL, or from the overlay's own folder."""
    from restwright.openapi.load.source import is_url

    if is_url(api.source):
        return api.source
    if api.source in {"-", "bytes", "object"}:
        return ""
    return Path(os.path.relpath(api.source, path.parent)).as_posix()
