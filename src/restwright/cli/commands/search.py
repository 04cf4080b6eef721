"""`search`: which tools of documents a text is about, best first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from restwright.cli.inputs.options import Documents, Named
from restwright.cli.inputs.run_options import ModelOptions
from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output, one_line
from restwright.cli.render.search_results import print_found
from restwright.workspace.documents import load_catalog

if TYPE_CHECKING:
    from collections.abc import Sequence


def search(
    *,
    query: Annotated[str, Argument(metavar="QUERY", help="What is to be done, in any language.")],
    documents: Documents = None,
    k: Annotated[int, Option("-k", min=1, max=1000, metavar="N", help="How many at most.")] = 10,
    expand: Annotated[
        bool,
        Option("--expand", help="Let the model say what else to search for; one request more."),
    ] = False,
    model: ModelOptions,
    named: Named,
    out: Output,
) -> int:
    """Find the tools that a text is about, best first."""
    from restwright.tools.search import search as search_tools

    catalog = load_catalog(documents or (), named.catalog_settings(), out.warn)
    if expand:
        from restwright.agents.prompting.query_expansion import expander
        from restwright.cli.inputs.model import model_for

        with model_for(model, out) as asked:
            expanded = expander(asked, on_note=out.note)
            found = search_tools(query, catalog, k=k, expand=expanded)
            out.note(_expanded(expanded(query)))
    else:
        found = search_tools(query, catalog, k=k)
    if out.json:
        out.value(
            {
                "tools": [
                    {
                        "name": search_result.name,
                        "score": search_result.score,
                        "why": search_result.why,
                    }
                    for search_result in found
                ]
            }
        )
    else:
        print_found(found, out)
    return DONE


def _expanded(phrases: Sequence[str]) -> str:
    listed = "; ".join(map(one_line, phrases))
    return f"searched for these as well: {listed}" if listed else "searched as it is"
