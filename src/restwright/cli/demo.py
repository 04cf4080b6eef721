"""`demo`: the bundled shop, alone or with a question answered over it."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, BadParameter, Option

from restwright.cli.asking import check_trace, finish
from restwright.cli.consent import Consent
from restwright.cli.failures import DONE
from restwright.cli.options import Model, ModelURL, Trace, Yes, YesDownload
from restwright.cli.output import Output
from restwright.cli.progress import progress

QUESTION = "Which camera under 500 has the best rating, and how many are in stock?"


def demo(
    question: Annotated[
        str | None, Argument(metavar="[QUESTION]", help=f"Instead of: {QUESTION}")
    ] = None,
    serve: Annotated[
        bool, Option("--serve", help="Run the API alone and print how to reach it.")
    ] = False,
    port: Annotated[
        int,
        Option("--port", min=0, max=65535, metavar="N", help="For --serve; 0 takes a free one."),
    ] = 0,
    model: Model = None,
    model_url: ModelURL = None,
    yes: Yes = False,
    trace: Trace = None,
    yes_download: YesDownload = False,
    *,
    out: Output,
) -> int:
    """Answer a question over the bundled shop API; --serve runs that API alone."""
    if serve:
        if question is not None:
            raise BadParameter("--serve takes no question")
        return _serve(port, out)
    check_trace(trace)
    from restwright.agents.agent import Agent
    from restwright.calls.security import Connection
    from restwright.cli.model_choice import model_for
    from restwright.cli.sources import catalog_of
    from restwright.demo.server import running

    with (
        model_for(model, model_url, out, yes_download=yes_download) as asked,
        running() as shop,
    ):
        catalog = catalog_of([f"{shop.url}/openapi.json"])
        connection = Connection(server=shop.url, headers={"Authorization": f"Bearer {shop.token}"})
        out.note(f"{'question':<9}{question or QUESTION}")
        agent = Agent(
            catalog,
            model=asked,
            connections=dict.fromkeys(catalog.apis, connection),
            approve=Consent(yes=yes),
            on_event=progress(out),
        )
        return finish(agent.ask(question or QUESTION), out, trace=trace)


def _serve(port: int, out: Output) -> int:
    import threading

    from restwright.demo.server import running

    with running(port=port) as shop:
        if out.json:
            out.value({"url": shop.url, "token": shop.token})
        else:
            out.text(f"The shop's API is at {shop.url}, its document at {shop.url}/openapi.json")
            out.text(f"export SHOP_TOKEN={shop.token}")
            out.text(f"restwright tools {shop.url}/openapi.json")
        print(end="", flush=True)
        out.note("Press Ctrl-C to stop it.")
        threading.Event().wait()
    return DONE
