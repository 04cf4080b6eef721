"""`upgrade`: the whole document in canonical form."""

from __future__ import annotations

from restwright.cli.failures import DONE
from restwright.cli.options import Document
from restwright.cli.output import Output
from restwright.cli.sources import split_alias


def upgrade(document: Document, *, out: Output) -> int:
    """Print a document of any version as OpenAPI 3.2, in JSON."""
    from restwright.openapi.api import load
    from restwright.openapi.upgrade import upgrade as upgrade_document

    _, source = split_alias(document)
    out.value(upgrade_document(load(source).document))
    return DONE
