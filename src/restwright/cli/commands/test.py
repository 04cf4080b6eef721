"""`test`: the samples of a manifest, and whether they lead to what they must."""

from __future__ import annotations

from contextlib import ExitStack
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated

from typer import BadParameter, Option

from restwright.cli.inputs.human import human_of_test
from restwright.cli.render.errors import DONE, FAILED, STOPPED
from restwright.cli.render.output import Output, counted, one_line
from restwright.cli.runs.failures import list_failed_calls
from restwright.cli.runs.manifests import (
    Agents,
    Asking,
    ManifestFile,
    ManifestOptions,
    loaded_from,
)

if TYPE_CHECKING:
    from restwright.manifests.own.samples import SampleResult


def run_samples(
    *,
    manifest: ManifestFile,
    only: Annotated[
        str | None, Option("--only", metavar="GLOB", help="Only samples whose name matches.")
    ] = None,
    options: ManifestOptions,
    out: Output,
) -> int:
    """
    Run the samples of a manifest.

    Ends with 1 where one does not lead to what it must, and with 3 where only a call failed.
    """
    reach = options.reach
    from restwright.cli.runs.slashgpt import check_foreign, slash_manifest

    if (foreign := slash_manifest(manifest, out)) is not None:
        check_foreign(foreign, reach.connection)
        from restwright.cli.runs.slashgpt_tests import run_autotests

        return run_autotests(foreign, only, options, out)
    loaded = loaded_from(manifest, reach.access, out)
    samples = [
        sample for sample in loaded.samples if only is None or fnmatchcase(sample.name, only)
    ]
    if not samples:
        raise BadParameter(f"{manifest} has no samples" + (f" named {only}" if only else ""))
    human = human_of_test(options.approval.human)
    from restwright.cli.inputs.model import model_for
    from restwright.manifests.own.samples import check_sample

    with ExitStack() as stack:
        code = stack.enter_context(reach.access.code())
        agents = Agents(loaded, options, out, code)
        # What is wrong with the manifest is said before a model is fetched.
        agents.build()
        model = options.model.or_else(loaded.model, loaded.model_url)
        asked = stack.enter_context(model_for(model, out))
        send = stack.enter_context(reach.transport.open_transport())
        asking = Asking(agents, asked, send, {"human": human})
        results: list[SampleResult] = []
        for sample in samples:
            results.append(check_sample(sample, asking.ask(sample.text, None, None)))
            _print(results[-1], out)
    return _summed(results, out)


def _print(result: SampleResult, out: Output) -> None:
    if out.json:
        return
    calls = counted(len(result.answer.calls), "call")
    what = one_line(f"{result.sample.name}: {result.sample.text[:80]} ({calls})")
    is_well = result.ok and not _failed_calls(result)
    out.text(f"{'ok' if is_well else 'FAIL':<6}{what}")
    for why in (*result.failures, *_failed_calls(result)):
        out.text(f"{'':<6}{one_line(why)}")


def _failed_calls(result: SampleResult) -> tuple[str, ...]:
    """The calls that failed in a sample that is to end with an answer."""
    if result.sample.expected.stopped != "answered":
        return ()
    return tuple(f"a call failed: {call}" for call in list_failed_calls(result.answer.steps))


def _summed(results: list[SampleResult], out: Output) -> int:
    unmet = sum(not result.ok for result in results)
    failed = sum(not result.ok or bool(_failed_calls(result)) for result in results)
    if out.json:
        passed = len(results) - failed
        records = [
            {**result.to_json(), "failed_calls": [*_failed_calls(result)]} for result in results
        ]
        out.value({"samples": records, "passed": passed, "failed": failed})
    else:
        out.note(f"{counted(len(results), 'sample')}, {failed} failed")
    if unmet:
        return FAILED
    return STOPPED if failed else DONE
