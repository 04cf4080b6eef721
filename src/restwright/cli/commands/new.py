"""`new`: a small manifest for an API."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter, Option

from restwright.cli.inputs.options import Reading
from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output
from restwright.workspace.documents import load_apis
from restwright.workspace.output_files import named_from, write_new

if TYPE_CHECKING:
    from restwright.tools.catalog.catalog import Catalog


def new(
    document: Annotated[
        str | None, Argument(metavar="DOC", help="Path, URL or alias=path-or-URL.")
    ] = None,
    output: Annotated[
        Path | None,
        Option("-o", "--output", metavar="FILE", help="Write it there; a file that is not there."),
    ] = None,
    schema: Annotated[
        bool, Option("--schema", help="Print the JSON Schema of manifests instead.")
    ] = False,
    skill: Annotated[
        bool,
        Option("--skill", help="Write an Agent Skill instead; --output is its folder."),
    ] = False,
    *,
    reading: Reading,
    out: Output,
) -> int:
    """Write a small manifest for an API, or an Agent Skill."""
    if schema:
        if document is not None or skill:
            raise BadParameter("--schema takes no document, and no --skill")
        from restwright.manifests.text.schema_check import manifest_schema_text

        print(manifest_schema_text(), end="")
        return DONE
    if document is None:
        raise BadParameter("a DOC is needed, or --schema")
    _check_places(document, output)
    from restwright.manifests.own.scaffold import propose_manifest
    from restwright.tools.catalog.catalog import catalog

    [api] = load_apis([document], reading.document_settings(), out.warn)
    if skill:
        return _write_skill(catalog(api), output, out)
    text = propose_manifest(catalog(api), document=named_from(api.source, output))
    if out.json:
        out.value({"manifest": text, "file": str(output) if output else None})
    if output is not None:
        write_new(output, text)
        more = _folder_to_allow(api.source, output)
        out.note(f'wrote {output}; try it: restwright run {output} "..."{more}')
    elif not out.json:
        out.text(text.rstrip("\n"))
    return DONE


def _write_skill(whole: Catalog, output: Path | None, out: Output) -> int:
    """Write the SKILL.md of a folder that is called as the skill is, or print it."""
    from restwright.errors import UsageError
    from restwright.manifests.own.skill import skill_name, write_skill

    [api] = whole.apis.values()
    name = skill_name(whole)
    # A skill is read wherever an agent works, so that it names its document whole.
    document = named_from(api.source, None)
    if not document.startswith(("http://", "https://")):
        document = Path(api.source).resolve().as_posix()
    text = write_skill(whole, document=document)
    if output is not None:
        if output.name != name:
            raise UsageError(
                f"the folder of a skill is called as the skill: {name}",
                setting="--output",
                next_move=f"give {output.parent / name}",
            )
        output.mkdir(parents=True)
        write_new(output / "SKILL.md", text)
        out.note(f"wrote {output / 'SKILL.md'}")
    if out.json:
        out.value({"skill": text, "name": name, "file": str(output) if output else None})
    elif output is None:
        out.text(text.rstrip("\n"))
    return DONE


def _check_places(document: str, output: Path | None) -> None:
    if document.rpartition("=")[2] == "-":
        raise BadParameter("a manifest names its document by a path or URL; save it to a file")
    if output is not None and output.exists():
        raise BadParameter(f"--output: {output} is there already, and is not written over")


def _folder_to_allow(source: str, output: Path) -> str:
    """What a run needs beside, where the document lies outside of the manifest's folder."""
    from restwright.openapi.load.source import is_url_source

    if is_url_source(source):
        return ""
    folder = Path(source).resolve().parent
    if folder.is_relative_to(output.resolve().parent):
        return ""
    return f" --allow-folder {shlex.quote(os.path.relpath(folder))}"
