"""Writes the page: the same bytes for the same results."""

from __future__ import annotations

from pathlib import Path

from restwright_bench.page.any_document import COMMAND as ANY_COMMAND
from restwright_bench.page.any_document import any_document
from restwright_bench.page.compared import COMMAND, comparing
from restwright_bench.page.found import Found
from restwright_bench.page.markdown import joined, table
from restwright_bench.page.more_sections import costing, demonstrating, finding, judging
from restwright_bench.page.offered import COMMAND as OFFERED_COMMAND
from restwright_bench.page.offered import offering
from restwright_bench.page.sections import (
    Part,
    Section,
    calling,
    planning,
    repairing,
    spaces,
    world,
)
from restwright_bench.page.servers import COMMAND as SERVERS_COMMAND
from restwright_bench.page.servers import SETUP as SERVERS_SETUP
from restwright_bench.page.servers import real_servers

COMMANDS = (
    ("restwright-bench world --serve --seed 7", "the world alone, until it is interrupted"),
    ("restwright-bench run oracle --seeds 0-9", "the right calls for every query"),
    ("restwright-bench run agent --model openai:NAME --set read", "an agent with any model"),
    (COMMAND, "kinds of agents, all of them asked one query after the other; goes on later"),
    (
        "restwright-bench run agent --agent rest,rest-without-planner,rest-without-parser",
        "`rest` without one of its parts",
    ),
    (OFFERED_COMMAND, "beside the operations of further APIs; `all` takes all that there are"),
    (ANY_COMMAND, "agents over worlds that are made from any document"),
    ("restwright-bench any --list DOC", "the tasks that a document gives"),
    (
        SERVERS_SETUP,
        "installs real servers from PyPI, npm and Debian: 1.4 GB, a third of it `chroma`",
    ),
    (SERVERS_COMMAND, "agents over them; without `--split`, those for development"),
    ("restwright-bench servers --list", "the tasks for development"),
    ("restwright-bench run replay --transcripts FILE", "what was kept by `--transcripts`, again"),
    ("restwright-bench mutations", "wrong arguments: what is repaired and reported"),
    ("restwright-bench fuzz", "requests made by schemathesis from the documents"),
    ("restwright-bench board --model NAME", "twelve kinds of function calls"),
    ("restwright-bench bfcl", "the right calls of BFCL with faults in them"),
    ("restwright-bench spaces --model NAME", "three APIs at once"),
    ("restwright-bench spaces --estimate", "how much a model would have to read for that"),
    (
        "restwright-bench example similar-films --model NAME",
        "a demonstration of RestGPT (figure 3): plan, calls and answer; `new-playlist` is another",
    ),
    ("restwright-bench run agent --faults FILE --out FILE", "the same while things go wrong"),
    ("make bench", "all of it that is quick, and this page"),
)
PAGE, PLOTS_FOLDER = "benchmarks.md", "benchmarks"

SECTIONS: tuple[tuple[str, Section], ...] = (
    ("World and oracle", world),
    ("Planning: RestBench", planning),
    ("Kinds of agents compared", comparing),
    ("More operations to choose from", offering),
    ("Any document", any_document),
    ("Real servers", real_servers),
    ("Two demonstrations", demonstrating),
    ("Wrong arguments: repair and feedback", repairing),
    ("Calling", calling),
    ("Finding", finding),
    ("Namespaces", spaces),
    ("Requests before a judge", judging),
    ("What it costs", costing),
)


def write_page(results: Path, folder: Path) -> Path:
    """
    Write `benchmarks.md` and its plots.

    Args:
        results: Those that are there; for others the page says what makes them.
        folder: Of documentation; plots go into `benchmarks/` in it.
    """
    import matplotlib as mpl

    from restwright_bench.page.plots import PLOTS, SETTINGS

    found = Found(results)
    mpl.use("svg")
    with mpl.rc_context(SETTINGS):
        for plot in PLOTS:
            plot(found, folder / PLOTS_FOLDER)
    path = folder / PAGE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page_of(found), encoding="utf-8")
    return path


def page_of(found: Found) -> str:
    """The page as text."""
    parts: list[Part] = [["# Benchmarks"], _head(found)]
    for title, section in SECTIONS:
        parts += [[f"## {title}"], *section(found)]
    commands = table(("command", "what it runs"), [(f"`{name}`", what) for name, what in COMMANDS])
    folder = (
        "The data of RestBench is read from `../shared/data/restbench`, or from `--data FOLDER`."
    )
    return joined([*parts, ["## Running it"], [folder], commands])


def _head(found: Found) -> Part:
    days = found.dates()
    if not days:
        when = "Nothing is measured yet"
    else:
        when = f"Measured from {days[0]} to {days[-1]}" if days[1:] else f"Measured on {days[0]}"
    world = found.one("run-oracle")
    where = f" on {world['machine']}, Python {world['python']}" if world else ""
    return [
        f"{when}{where}.",
        "This page is made by `restwright-bench page` of `benchmarks/results`; `make bench` runs"
        " what is quick. Models are named where they answered; everything else ran without one.",
        "",
        "A figure of a model says whether its questions were read while prompts and rules were"
        " made: RestBench by `queries`, any document by `split` (`dev` was read), search by"
        " `half`. The questions of the function calls, of BFCL and of the namespaces were read.",
        "",
        "Over RestBench the figures of `react` and `plan` are of the agents as they were before"
        " the loop of 2026-11-23 (decision 010), when `rest` with rules over words met 67.2 % of"
        " the queries that were read; those of `rest` are of decision 023, one seed and as many"
        " queries as there was time for; those beside further APIs are of decision 014. Real"
        " servers that nobody had read are each of the loop before they were: `pdns` and `etherpad`"
        " of decision 025, `flexget` of 027, `jupyter` and the others of 028. What is compared with"
        " `rest` over any document is of decision 023, and so is `rest` with a scripted model;"
        " `calling` with one"
        " is decision 015's.",
    ]
