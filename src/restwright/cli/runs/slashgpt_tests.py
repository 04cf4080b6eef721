"""`test` with manifests of SlashGPT: their autotests, else their samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from typer import BadParameter

from restwright.cli.inputs.human import human_of_test
from restwright.cli.render.errors import DONE, FAILED, STOPPED
from restwright.cli.render.output import Output, counted, one_line
from restwright.cli.runs.failures import list_failed_calls
from restwright.cli.runs.slashgpt import session_options

if TYPE_CHECKING:
    from restwright.cli.runs.manifests import ManifestOptions
    from restwright.jsontypes import JsonObject
    from restwright.manifests.slashgpt.autotest import AutotestResult
    from restwright.manifests.slashgpt.session import ManifestCollection
    from restwright.manifests.slashgpt.stage import SlashStage


def run_autotests(
    loaded: ManifestCollection, only: str | None, options: ManifestOptions, out: Output
) -> int:
    """Run `test/*.json`, or the samples where there are none; end with 1 where one fails."""
    from restwright.manifests.slashgpt.stage import open_slash_stage

    human = human_of_test(options.approval.human)
    with session_options(loaded, options, out) as terms:
        results: list[AutotestResult] = []
        is_unmet = False
        stage = open_slash_stage(loaded, replace(terms, human=human))
        is_call_failed, seen = False, 0
        for autotest_result in _checked(stage, only):
            trace = _trace(stage)
            calls = list_failed_calls(trace[seen:])
            seen = len(trace)
            if calls and not autotest_result.why:
                is_call_failed = True
                autotest_result = replace(  # noqa: PLW2901 - told with what failed in it
                    autotest_result, why=f"a call failed: {'; '.join(calls)}"
                )
            else:
                is_unmet = is_unmet or bool(autotest_result.why)
            results.append(autotest_result)
            if not out.json:
                out.text(one_line(str(autotest_result)))
    code = _summed(results, only, out)
    return STOPPED if is_call_failed and not is_unmet else code


def _trace(stage: SlashStage) -> list[JsonObject]:
    """What happened so far; another set of agents begins anew."""
    return getattr(stage.session.drive_turn, "trace", [])


def _checked(on: SlashStage, only: str | None) -> Iterator[AutotestResult]:
    from restwright.manifests.slashgpt.autotest import run_autotest_lines
    from restwright.manifests.slashgpt.commands import run_slashgpt_command

    names = [test for test in on.list_tests() if only is None or fnmatchcase(test, only)]
    for name in names:
        raw = on.run_test(name)
        if raw is not None:
            yield from run_autotest_lines(on, raw, run_command=run_slashgpt_command)
    if not names:
        yield from run_autotest_lines(
            on, {"messages": _samples(on, only)}, run_command=run_slashgpt_command
        )


def _samples(on: SlashStage, only: str | None) -> list[JsonObject]:
    """The samples of all agents, as an autotest has them."""
    return [
        {"agent": key, "messages": [sample.text, *sample.more]}
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
