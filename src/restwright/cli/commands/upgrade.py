"""`upgrade`: the whole document in canonical form, or in an earlier version."""

from __future__ import annotations

from typing import Annotated, Literal

from typer import Option

from restwright.cli.inputs.options import Document, Reading
from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output
from restwright.workspace.documents import load_apis


def upgrade(
    document: Document,
    to: Annotated[
        Literal["3.2", "3.1", "3.0", "2.0"],
        Option("--to", help="The version; what an earlier one cannot say is told."),
    ] = "3.2",
    *,
    reading: Reading,
    out: Output,
) -> int:
    """Print a document of any version as OpenAPI 3.2, or an earlier one, in JSON."""
    from restwright.openapi.upgrade import upgrade_document

    [api] = load_apis([document], reading.document_settings(), out.warn)
    whole = upgrade_document(api.document)
    if to != "3.2":
        from restwright.openapi.downgrade import downgrade_document
        from restwright.openapi.downgrade_swagger import downgrade_to_swagger

        if to == "2.0":
            whole, problems = downgrade_to_swagger(whole)
        else:
            whole, problems = downgrade_document(whole, to)
        for problem in problems:
            out.note(f"note: {problem}")
    out.value(whole)
    return DONE
