"""`convert`: manifests of other programs in our own form."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from restwright.cli.render.errors import DONE, FAILED
from restwright.cli.render.output import Output
from restwright.workspace.output_files import write_whole

ManifestFile = Annotated[Path, Argument(metavar="FILE", help="A SlashGPT manifest.")]
Out = Annotated[
    Path | None,
    Option("-o", "--output", metavar="OUT", help="File to write; standard output without it."),
]
Force = Annotated[bool, Option("--force", help="Write over files that are there.")]


def slashgpt(file: ManifestFile, *, output: Out = None, force: Force = False, out: Output) -> int:
    """Write a SlashGPT manifest as one of our own, in YAML."""
    from restwright.manifests.slashgpt.convert import convert_manifest
    from restwright.manifests.slashgpt.loader import load_manifest_file

    made = convert_manifest(
        load_manifest_file(file), into=output.parent.resolve() if output else None
    )
    files: dict[Path, str] = {}
    if output is not None:
        files = {output.parent / name: text for name, text in made.files.items()}
        if output in files:
            out.note(f"{output} is the name of a file that it needs; choose another")
            return FAILED
        files = {output: made.text, **files}
        there = [path for path in files if path.exists() or path.is_symlink()]
        if there and not force:
            out.note(f"{', '.join(map(str, there))} is there; write over it with --force")
            return FAILED
    _write(files)
    for note in made.notes:
        out.note(f"note: {note}")
    written = [str(path) for path in files]
    if out.json:
        out.value({"manifest": made.text, "written": written, "notes": [*made.notes]})
    else:
        out.text("\n".join(f"wrote {name}" for name in written) or made.text.rstrip("\n"))
    return DONE


def _write(files: Mapping[Path, str]) -> None:
    for path, text in files.items():
        write_whole(path, text)
