"""`convert`: manifests of other programs in our own form, and documents as others want them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter, Option

from restwright.cli.commands.tools import FilterOptions
from restwright.cli.inputs.options import Document, Presented
from restwright.cli.render.errors import DONE, FAILED
from restwright.cli.render.output import Output
from restwright.workspace.documents import load_catalog
from restwright.workspace.output_files import write_whole

if TYPE_CHECKING:
    from restwright.tools.catalog.catalog import Catalog

ManifestFile = Annotated[
    Path, Argument(metavar="FILE|FOLDER", help="A SlashGPT manifest, a folder of them, or a set.")
]
Out = Annotated[
    Path | None,
    Option(
        "-o", "--output", metavar="OUT", help="File or folder to write; standard output without it."
    ),
]
Force = Annotated[bool, Option("--force", help="Write over files that are there.")]


def slashgpt(file: ManifestFile, *, output: Out = None, force: Force = False, out: Output) -> int:
    """Write SlashGPT manifests as ours, in YAML: a file, a folder, or a set of folders."""
    from restwright.manifests.slashgpt.convert_files import convert_path

    is_single = file.is_file() and file.name != "manifests.json"
    if output is None and file.exists() and not is_single:
        raise BadParameter("a folder is written to a folder: name it by -o OUT")
    made = convert_path(file, output)
    there = [path for path in made.files if path.exists() or path.is_symlink()]
    if there and not force:
        out.note(f"{', '.join(map(str, there))} is there; write over it with --force")
        return FAILED
    for path in made.files:
        path.parent.mkdir(parents=not is_single, exist_ok=True)
    _write(made.files)
    for note in made.notes:
        out.note(f"note: {note}")
    written = [str(path) for path in made.files]
    if out.json:
        text = made.text if is_single else None
        out.value({"manifest": text, "written": written, "notes": [*made.notes]})
    else:
        out.text("\n".join(f"wrote {name}" for name in written) or made.text.rstrip("\n"))
    return DONE


def gpt_actions(
    document: Document,
    *,
    server: Annotated[
        str | None,
        Option("--server", metavar="URL", help="Where the API is served; the document's first."),
    ] = None,
    filters: FilterOptions,
    output: Out = None,
    force: Force = False,
    reading: Presented,
    out: Output,
) -> int:
    """Write an OpenAPI document as GPT Actions take it, in YAML; what they cannot have is told."""
    from restwright.openapi.syntax.yaml_writer import to_yaml
    from restwright.tools.gpt_actions import make_gpt_actions

    if output is not None and output.exists() and not force:
        out.note(f"{output} is there; write over it with --force")
        return FAILED
    catalog = filters.filter(load_catalog([document], reading.catalog_settings(), out.warn))
    made = make_gpt_actions(catalog, server=server or _first_server(catalog))
    for note in made.notes:
        out.note(f"note: {note}")
    text = to_yaml(made.document)
    if output is not None:
        write_whole(output, text)
    if out.json:
        written = str(output) if output else None
        out.value({"document": made.document, "written": written, "notes": [*made.notes]})
    else:
        out.text(f"wrote {output}" if output else text.rstrip("\n"))
    return DONE


def _first_server(catalog: Catalog) -> str:
    """Where the one API of a catalog is served; empty where nothing says so."""
    from restwright.calls.request.servers import resolve_server_url
    from restwright.errors import MissingServer, RefusedRequest

    try:
        return next((resolve_server_url(tool, None) for tool in catalog.values()), "")
    except (MissingServer, RefusedRequest):
        return ""


def _write(files: Mapping[Path, str]) -> None:
    for path, text in files.items():
        write_whole(path, text)
