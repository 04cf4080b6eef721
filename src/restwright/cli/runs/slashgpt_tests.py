"""`test` with manifests of SlashGPT: their autotests, else their samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from typer import BadParameter

from restwright.cli.inputs.human import human_of
from restwright.cli.render.errors import DONE, FAILED
from restwright.cli.render.output import Output, counted, one_line
from restwright.cli.runs.manifests import Bounds, Reached
from restwright.cli.runs.slashgpt import wanted_of

if TYPE_CHECKING:
    from restwright.calls.approval.policy import Policy
    from restwright.jsontypes import JsonObject
    from restwright.manifests.slashgpt.autotest import AutotestResult
    from restwright.manifests.slashgpt.session import ManifestCollection
    from restwright.manifests.slashgpt.stage import SlashStage


@dataclass(frozen=True, slots=True)
class Trying:
    """What the command line says of a test."""

    model: str | None
    model_url: str | None
    yes_download: bool
    policy: Policy
    human: Path | None


def run_autotests(
    loaded: ManifestCollection,
    only: str | None,
    trying: Trying,
    reached: Reached,
    bounds: Bounds,
    out: Output,
) -> int:
    """Run `test/*.json`, or the samples where there are none; end with 1 where one fails."""
    from restwright.agents.agent import Limits
    from restwright.agents.runtime.human_input import human_from_answers
    from restwright.cli.inputs.model import model_for
    from restwright.manifests.slashgpt.session import SessionOptions
    from restwright.manifests.slashgpt.stage import open_slash_stage

    wanted = wanted_of(loaded)
    name, url = trying.model, trying.model_url
    if name is None and wanted is not None:
        name, url = wanted.name, url or wanted.url
    answers = human_of(trying.human) if trying.human is not None else human_from_answers({})
    with (
        model_for(name, url, out, yes_download=trying.yes_download) as asked,
        reached.open_transport() as send,
        reached.code() as run,
    ):
        terms = SessionOptions(
            model=asked,
            send=send,
            policy=trying.policy,
            human=answers,
            limits=bounds.over(Limits()),
            run=run,
        )
        results: list[AutotestResult] = []
        for autotest_result in _checked(open_slash_stage(loaded, terms), only):
            results.append(autotest_result)
            if not out.json:
                out.text(one_line(str(autotest_result)))
    return _summed(results, only, out)


def _checked(on: SlashStage, only: str | None) -> Iterator[AutotestResult]:
    from restwright.manifests.slashgpt.autotest import run_autotest_lines
    from restwright.manifests.slashgpt.commands import run_slashgpt_command

    names = [test for test in on.tests() if only is None or fnmatchcase(test, only)]
    for name in names:
        raw = on.test(name)
        if raw is not None:
            yield from run_autotest_lines(on, raw, run_command=run_slashgpt_command)
    if not names:
        yield from run_autotest_lines(
            on, {"messages": _samples(on, only)}, run_command=run_slashgpt_command
        )


def _samples(on: SlashStage, only: str | None) -> list[JsonObject]:
    """The samples of all agents, as an autotest has them."""
    return [
        {"agent": key, "message": sample.text}
        for key, speaker in on.session.speakers.items()
        for sample in speaker.samples
        if only is None or fnmatchcase(sample.name, only)
    ]


def _summed(results: list[AutotestResult], only: str | None, out: Output) -> int:
    if not results:
        raise BadParameter("there is nothing to test" + (f" named {only}" if only else ""))
    failed = sum(bool(result.why) for result in results)
    if out.json:
        records = [
            {"agent": result.agent, "line": result.line, "why": result.why} for result in results
        ]
        passed = len(results) - failed
        out.value({"samples": records, "passed": passed, "failed": failed})
    else:
        out.note(f"{counted(len(results), 'line')}, {failed} failed")
    return FAILED if failed else DONE
