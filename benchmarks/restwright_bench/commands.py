"""What `restwright-bench` can be told to do. Everything else is imported where it is needed."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from restwright.cli.render.output import Output
from restwright_bench.errors import MissingData, MissingPart, UnusableChoice
from restwright_bench.results import DATA, RESULTS, origin, slug, write

if TYPE_CHECKING:
    from restwright_bench.queries.sets import Selection
    from restwright_bench.suites import Suite

Data = Annotated[
    Path, Option("--data", metavar="FOLDER", help="Of RestBench, with specs/ and datasets/.")
]
Apis = Annotated[
    list[str] | None, Option("--api", metavar="NAME", help="tmdb or spotify; or both.")
]
Seeds = Annotated[str, Option("--seeds", metavar="LIST", help="Such as 0-9 or 0,3,7.")]
Every = Annotated[int, Option("--every", min=1, metavar="N", help="Each Nth query only.")]
QuerySet = Annotated[
    str | None,
    Option(
        "--set",
        metavar="NAME",
        help="read (each fifth; seeds 0,1) or never-read (2, 7, 12, ...; seeds 3,4).",
    ),
]
SeedsOfSet = Annotated[
    str | None,
    Option("--seeds", metavar="LIST", help="Such as 0-9 or 0,3,7; else those of the set, or 0."),
]
Model = Annotated[str, Option("--model", metavar="NAME", help="local, or PROVIDER:NAME.")]
ModelURL = Annotated[
    str | None, Option("--model-url", metavar="URL", help="Server of --model openai:NAME.")
]
Out = Annotated[
    Path | None, Option("--out", metavar="FILE", help="Where the result goes; else results/.")
]

BFCL = DATA.parent / "bench/bfcl"
DONE, FAILED = 0, 1


def world(
    serve: Annotated[bool, Option("--serve", help="Serve until interrupted.")] = False,
    port: Annotated[
        int, Option("--port", min=0, max=65535, metavar="N", help="0 takes a free one.")
    ] = 0,
    seed: Annotated[int, Option("--seed", metavar="N", help="Draws ids and free facts.")] = 0,
    api: Apis = None,
    data: Data = DATA,
    *,
    out: Output,
) -> int:
    """Serve the APIs of the world on this machine, or measure how fast they answer."""
    _need("starlette", "uvicorn")
    from restwright_bench import serve as server

    found = [_api_of(name, data) for name in _names(api)]
    if serve:
        server.until_interrupted(found, port=port, seed=seed, out=out)
        return DONE
    measured = server.requests_a_second(found, seed=seed)
    write(RESULTS / "world.json", origin(requests_a_second=measured))
    for name, rate in measured.items():
        out.text(f"{name:<8} {rate:,.0f} requests a second, client and server on one core")
    return DONE


def run(
    policy: Annotated[
        str, Argument(metavar="POLICY", help="oracle, nothing, wrong, lexical, agent or replay.")
    ],
    api: Apis = None,
    seeds: SeedsOfSet = None,
    every: Every = 1,
    set_name: QuerySet = None,
    model: Model = "local",
    model_url: ModelURL = None,
    agent: Annotated[
        str,
        Option(
            "--agent",
            metavar="KINDS",
            help="rest, react, plan, dfsdt, calling, rest-without-planner, rest-without-parser;"
            " several: a,b.",
        ),
    ] = "rest",
    beside: Annotated[
        str,
        Option("--beside", metavar="N", help="Further APIs of ../shared/data/specs; or all."),
    ] = "0",
    seconds: Annotated[
        float, Option("--seconds", min=1, metavar="N", help="Of one query, for agents.")
    ] = 600.0,
    transcripts: Annotated[
        Path | None,
        Option("--transcripts", metavar="FILE", help="To write; with replay, to read."),
    ] = None,
    faults: Annotated[
        Path | None,
        Option("--faults", metavar="FILE", help="JSON list of what goes wrong; with --out."),
    ] = None,
    data: Data = DATA,
    to: Out = None,
    *,
    out: Output,
) -> int:
    """Let a policy answer the queries of RestBench in the world, and score it."""
    from restwright_bench import running
    from restwright_bench.queries.sets import selection_of

    names, of = _names(api), selection_of(set_name, every)
    drawn = of.seeds if seeds is None else seeds_of(seeds)
    if beside != "0" and policy != "agent":
        raise UnusableChoice("--beside", f"it is for agents; {policy} calls what it is told to")
    if faults is not None and to is None:
        raise UnusableChoice("--faults", "name a file of its own for the result, by --out FILE")
    plan = running.NO_FAULTS if faults is None else running.faults_in(faults)
    over = _suites(data, names, of)
    if policy == "agent":
        from restwright_bench import agent_runs
        from restwright_bench.policies.beside import further_apis

        asked = agent_runs.Asked(
            kinds=agent_runs.kinds_of(agent),
            seeds=drawn,
            model=model,
            url=model_url,
            of=of,
            beside=further_apis(beside),
            limits=replace(agent_runs.LIMITS, seconds=seconds),
            to=to,
            kept=transcripts,
            faults=plan,
        )
        return agent_runs.agents(over, asked, out)
    found = running.scored(policy, over, drawn, kept=transcripts, faults=plan)
    write(
        to or RESULTS / f"run-{slug(policy)}.json", origin(every=of.every, first=of.first, **found)
    )
    return running.told(found, out)


def mutations(
    api: Apis = None,
    seeds: Seeds = "0",
    every: Every = 1,
    data: Data = DATA,
    to: Out = None,
    *,
    out: Output,
) -> int:
    """Make the right calls with wrong arguments, and count what is repaired and reported."""
    from restwright_bench.rounds import mutations as mutated

    found = mutated(_suites(data, _names(api), _every(every)), seeds_of(seeds))
    write(to or RESULTS / "mutations.json", origin(every=every, **found))
    for name, kinds in found["apis"].items():
        for kind, each in kinds.items():
            out.text(f"{name:<8} {kind:<28} {each['calls']:>5}  {_pairs(each['outcomes'])}")
    return DONE


def fuzz(
    api: Apis = None,
    examples: Annotated[
        int, Option("--examples", min=1, metavar="N", help="Right and wrong, each operation.")
    ] = 50,
    seed: Annotated[int, Option("--seed", metavar="N")] = 0,
    data: Data = DATA,
    *,
    out: Output,
) -> int:
    """Send requests made by schemathesis from the documents; none may be answered by a 5xx."""
    _need("schemathesis", "starlette", "uvicorn")
    from restwright_bench import serve as server

    found = server.fuzzed_all([_api_of(name, data) for name in _names(api)], examples, seed=seed)
    write(RESULTS / "fuzz.json", origin(examples=examples, apis=found))
    for name, each in found.items():
        out.text(f"{name:<8} {each['requests']:>6} requests  {_pairs(each['statuses'])}")
        for line in each["failed"]:
            out.text(f"         {line}")
    return FAILED if any(each["failed"] for each in found.values()) else DONE


def board(
    model: Model = "local",
    model_url: ModelURL = None,
    kinds: Annotated[list[str] | None, Option("--kind", metavar="NAME")] = None,
    trials: Annotated[int, Option("--trials", min=1, metavar="N")] = 10,
    free: Annotated[bool, Option("--free", help="Do not hold replies to the schema.")] = False,
    *,
    out: Output,
) -> int:
    """Let a model fill in the arguments of twelve kinds of calls, trial by trial."""
    calling = _part("restwright_bench.calling.command", "the board")
    style = "free" if free else "constrained"
    out.text(calling.board(model, url=model_url, only=kinds or (), trials=trials, style=style))
    return DONE


def bfcl(
    data: Annotated[
        Path, Option("--data", metavar="FOLDER", help="Of BFCL, a file for each category.")
    ] = BFCL,
    model: Annotated[
        str | None, Option("--model", metavar="NAME", help="Lets it answer the questions.")
    ] = None,
    model_url: ModelURL = None,
    questions: Annotated[
        int, Option("--questions", min=1, metavar="N", help="Of each category, for a model.")
    ] = 20,
    *,
    out: Output,
) -> int:
    """Put the right calls of BFCL through our check, as they are and with faults in them."""
    if not data.is_dir():
        raise MissingData(data, "the categories of BFCL")
    calling = _part("restwright_bench.calling.command", "BFCL")
    if model is None:
        out.text(calling.faults(data))
    else:
        out.text(calling.answers(model, data, url=model_url, each=questions))
    return DONE


def spaces(
    model: Annotated[
        str, Option("--model", metavar="NAME", help="Or scripted, lexical: without a model.")
    ] = "local",
    model_url: ModelURL = None,
    every: Every = 1,
    seed: Annotated[int, Option("--seed", metavar="N", help="Draws ids.")] = 0,
    modes: Annotated[
        list[str] | None,
        Option("--mode", metavar="NAME", help="flat, namespaced, search or meta; or all."),
    ] = None,
    estimate: Annotated[
        bool, Option("--estimate", help="Of the tokens of a trial; asks no model.")
    ] = False,
    *,
    out: Output,
) -> int:
    """Find the right tool among those of three APIs: flat, by namespace, and by search."""
    module = _part("restwright_bench.spaces.command", "the experiment on namespaces")
    asked = {"modes": modes or (), "every": every, "seed": seed}
    if estimate:
        out.text(module.estimated(**asked))
    else:
        out.text(module.spaces(model, url=model_url, **asked))
    return DONE


def example(
    name: Annotated[
        str | None, Argument(metavar="EXAMPLE", help="similar-films or new-playlist.")
    ] = None,
    model: Model = "local",
    model_url: ModelURL = None,
    agent: Annotated[
        str, Option("--agent", metavar="KIND", help="rest, react, plan, dfsdt or calling.")
    ] = "rest",
    seed: Annotated[int, Option("--seed", metavar="N", help="Draws ids and free facts.")] = 0,
    data: Data = DATA,
    *,
    out: Output,
) -> int:
    """Show how an agent does one of the two demonstrations of RestGPT; list them without a name."""
    _need("starlette", "uvicorn")
    from restwright_bench import demonstrations
    from restwright_bench.agent_runs import kinds_of

    if name is None:
        out.text(demonstrations.listed())
        return DONE
    one, (kind, *_) = demonstrations.named(name), kinds_of(agent)
    return demonstrations.demonstrate(
        *(one, data), model=model, url=model_url, kind=kind, seed=seed, out=out
    )


def quick(
    data: Data = DATA,
    *,
    out: Output,
) -> int:
    """Run everything that takes a minute at most and needs no model."""
    steps: dict[str, Callable[[], int]] = {
        "world": lambda: world(data=data, out=out),
        **{
            f"run {name}": functools.partial(run, name, seeds="0-9", data=data, out=out)
            for name in ("oracle", "nothing", "wrong", "lexical")
        },
        "mutations": lambda: mutations(data=data, out=out),
        "bfcl": lambda: bfcl(data.parent / BFCL.relative_to(DATA.parent), out=out),
    }
    failed = 0
    for name, step in steps.items():
        out.note(f"{name}:")
        try:
            failed += step()
        except (MissingData, MissingPart) as error:
            out.note(f"skipped {name}: {error}")
    return FAILED if failed else DONE


def page(
    results: Annotated[Path, Option("--results", metavar="FOLDER")] = RESULTS,
    to: Annotated[
        Path, Option("--to", metavar="FOLDER", help="Where benchmarks.md goes.")
    ] = RESULTS.parents[1] / "docs",
    *,
    out: Output,
) -> int:
    """Write the page of all results, with its plots."""
    _need("matplotlib")
    from restwright_bench.page.write import write_page

    out.text(str(write_page(results, to)))
    return DONE


def seeds_of(text: str) -> tuple[int, ...]:
    """
    `0-9` and `0,3,7` as numbers.

    Raises:
        UnusableChoice: It is neither.
    """
    found: list[int] = []
    for part in text.split(","):
        ends = re.fullmatch(r"(\d+)(?:-(\d+))?", part.strip())
        if ends is None or int(ends[2] or ends[1]) < int(ends[1]):
            raise UnusableChoice("--seeds", f"write 0-9 or 0,3,7, not {text}")
        found += range(int(ends[1]), int(ends[2] or ends[1]) + 1)
    return tuple(dict.fromkeys(found))


def _names(api: Sequence[str] | None) -> tuple[str, ...]:
    from restwright_bench.queries.gold import APIS

    return tuple(api or APIS)


def _every(number: int) -> Selection:
    from restwright_bench.queries.sets import Selection

    return Selection(every=number)


def _suites(data: Path, names: Sequence[str], of: Selection) -> tuple[Suite, ...]:
    from restwright_bench.suites import suites

    return suites(data, names, of=of)


def _api_of(name: str, data: Path) -> Any:
    from restwright_bench.suites import api_of

    return api_of(name, data)


def _need(*modules: str) -> None:
    from importlib.util import find_spec

    for each in modules:
        if find_spec(each) is None:
            raise MissingPart(each, "this command")


def _part(module: str, feature: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise MissingPart(str(error.name), feature) from error


def _pairs(counts: dict[Any, int]) -> str:
    return ", ".join(f"{name}: {count}" for name, count in counts.items())
