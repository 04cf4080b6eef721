"""`demo`: the bundled shop, alone or with a question answered over it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter, Option

from restwright.cli.inputs.approval import Consent
from restwright.cli.inputs.options import Port, Yes
from restwright.cli.inputs.run_options import (
    AgentOptions,
    LimitOptions,
    ModelOptions,
    MomentOptions,
    Trace,
)
from restwright.cli.inputs.server_options import PageAddressOptions
from restwright.cli.render.errors import DONE
from restwright.cli.render.output import Output
from restwright.cli.runs.run import check_trace, finish
from restwright.cli.screen.screen import progress

if TYPE_CHECKING:
    from restwright.demo.server import Shop

QUESTION = "Which camera under 500 has the best rating, and how many are in stock?"


def demo(
    *,
    question: Annotated[
        str | None, Argument(metavar="[QUESTION]", help=f"Instead of: {QUESTION}")
    ] = None,
    serve: Annotated[
        bool, Option("--serve", help="Run the API alone and print how to reach it.")
    ] = False,
    web: Annotated[
        bool, Option("--web", help="Show that API on a page in the browser, and chat with it.")
    ] = False,
    port: Port = None,
    model: ModelOptions,
    yes: Yes = False,
    trace: Trace = None,
    out: Output,
) -> int:
    """Answer a question over the bundled shop API; --serve runs that API alone, --web a page."""
    if serve:
        if question is not None:
            raise BadParameter("--serve takes no question")
        return _serve(port or 0, out)
    if web:
        if question is not None or trace is not None or yes:
            raise BadParameter("--web takes no question, --trace or --yes: ask on the page")
        return _show_page(port or 0, model, out)
    check_trace(trace)
    from restwright.agents.agent import Agent
    from restwright.calls.auth.connection import Connection
    from restwright.cli.inputs.model import model_for
    from restwright.demo.server import running
    from restwright.tools.catalog.catalog import catalog
    from restwright.workspace.documents import load_apis

    with (
        model_for(model, out) as asked,
        running() as shop,
    ):
        whole = catalog(*load_apis([shop.document_url]))
        connection = Connection(server=shop.url, headers={"Authorization": f"Bearer {shop.token}"})
        out.note(f"{'question':<9}{question or QUESTION}")
        consent = Consent(yes=yes)
        agent = Agent(
            whole,
            model=asked,
            connections=dict.fromkeys(whole.apis, connection),
            approve=consent,
            on_event=progress(out),
        )
        answer = agent.ask(question or QUESTION)
        return finish(answer, out, trace=trace, way_out=consent.approval_hint(yes=yes))


def _show_page(port: int, model: ModelOptions, out: Output) -> int:
    from restwright.calls.approval.policy import CONFIRM
    from restwright.calls.auth.connection import Connection
    from restwright.cli.runs.web_page import ChatOptions, PageSettings, serve_page
    from restwright.demo.server import running
    from restwright.mcp.served import ServedTools, UserConnections
    from restwright.net.http.transport import Transport
    from restwright.tools.catalog.catalog import catalog
    from restwright.workspace.documents import load_apis

    with running() as shop, Transport() as send:
        whole = catalog(*load_apis([shop.document_url]))
        connection = Connection(server=shop.url, headers={"Authorization": f"Bearer {shop.token}"})
        served = ServedTools(
            catalog=whole,
            offered=whole,
            connections=UserConnections(dict.fromkeys(whole.apis, connection)),
        )
        chat = ChatOptions(
            agent=AgentOptions(model=model), moment=MomentOptions(), limits=LimitOptions()
        )
        settings = PageSettings(
            served=served, documents=whole, policy=CONFIRM, send=send, chat=chat
        )
        serve_page(settings, PageAddressOptions(port=port), out)
    return DONE


def _serve(port: int, out: Output) -> int:
    from restwright.demo.server import serve

    serve(port=port, on_start=lambda shop: _print_shop(shop, out))
    return DONE


def _print_shop(shop: Shop, out: Output) -> None:
    if out.json:
        out.value({"url": shop.url, "document": shop.document_url, "token": shop.token})
    else:
        out.text(f"The shop's API is at {shop.url}. To call it from another terminal:")
        out.text(f"export SHOP_TOKEN={shop.token}")
        out.text(f"restwright call {shop.document_url} get_customer {{}} --auth env:SHOP_TOKEN")
    sys.stdout.flush()
    out.note("Press Ctrl-C to stop it.")
