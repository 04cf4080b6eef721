"""`model pull`, `model list` and `model path`: the files of the local models."""

from __future__ import annotations

import sys
from typing import Annotated

from typer import Argument

from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output

Name = Annotated[str, Argument(metavar="[NAME]", help="As `model list` shows it.")]


def pull(name: Name = "local", *, out: Output) -> int:
    """Download a model, verify it and print its path. What was fetched before is kept."""
    from restwright.cli.inputs.model import pull_with_progress

    path = pull_with_progress(name, out)
    if out.json:
        out.value({"name": name, "path": str(path)})
    else:
        out.text(str(path))
    return DONE


def list_models(*, out: Output) -> int:
    """List the models, their sizes and licences, and which are here."""
    from restwright.agents.models.model_files import MODELS, model_path

    # The hash is checked when the model is loaded; a list should not read gigabytes.
    rows = [(file, model_path(file.name).is_file()) for file in MODELS.values()]
    if out.json:
        out.value(
            {
                "models": [
                    {
                        "name": file.name,
                        "bytes": file.size_bytes,
                        "licence": file.licence,
                        "sha256": file.sha256,
                        "here": here,
                    }
                    for file, here in rows
                ]
            }
        )
        return DONE
    lines = [
        (file.name, f"{file.size_bytes / 1e6:,.0f} MB", "here" if here else "missing", file.licence)
        for file, here in rows
    ]
    if not sys.stdout.isatty():
        for line in lines:
            out.text("\t".join(line))
        return DONE
    from restwright.cli.render.tables import print_table

    print_table(("model", "size", "state", "licence"), lines)
    return DONE


def path(name: Name = "local", *, out: Output) -> int:
    """Print where the file of a model is, or will be."""
    from restwright.agents.models.model_files import model_path

    where = model_path(name)
    if out.json:
        out.value({"name": name, "path": str(where), "here": where.is_file()})
    else:
        out.text(str(where))
    return DONE
