"""`upgrade`: the whole document in canonical form."""

from __future__ import annotations

from restwright.cli.inputs.options import Document, Reading
from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output
from restwright.workspace.documents import load_apis


def upgrade(document: Document, *, reading: Reading, out: Output) -> int:
    """Print a document of any version as OpenAPI 3.2, in JSON."""
    from restwright.openapi.upgrade import upgrade_document

    [api] = load_apis([document], reading.document_settings(), out.warn)
    out.value(upgrade_document(api.document))
    return DONE
