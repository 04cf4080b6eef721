"""`test`: the samples of a manifest, and whether they lead to what they must."""

from __future__ import annotations

from contextlib import ExitStack
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated

from typer import BadParameter, Option

from restwright.cli.inputs.approval import policy_of
from restwright.cli.inputs.human import human_of
from restwright.cli.inputs.options import (
    HumanFile,
    Model,
    ModelURL,
    TrustAPIs,
    Yes,
    YesDownload,
)
from restwright.cli.render.errors import DONE, FAILED
from restwright.cli.render.output import Output, counted, one_line
from restwright.cli.runs.manifests import (
    Agents,
    Asking,
    Bounds,
    ManifestFile,
    Reached,
    ReadOnly,
    loaded_from,
    model_of,
)

if TYPE_CHECKING:
    from restwright.manifests.own.samples import SampleResult


def run_samples(
    manifest: ManifestFile,
    only: Annotated[
        str | None, Option("--only", metavar="GLOB", help="Only samples whose name matches.")
    ] = None,
    model: Model = None,
    model_url: ModelURL = None,
    yes: Yes = False,
    trust_apis: TrustAPIs = False,
    read_only: ReadOnly = False,
    human: HumanFile = None,
    yes_download: YesDownload = False,
    *,
    reached: Reached,
    bounds: Bounds,
    out: Output,
) -> int:
    """Run the samples of a manifest; end with 1 where one does not lead to what it must."""
    policy = policy_of(yes=yes, read_only=read_only, trust_apis=trust_apis)
    from restwright.cli.runs.slashgpt import check_foreign, slash_manifest

    if (foreign := slash_manifest(manifest, out)) is not None:
        check_foreign(foreign, reached)
        from restwright.cli.runs.slashgpt_tests import Trying, run_autotests

        trying = Trying(model, model_url, yes_download, policy, human)
        return run_autotests(foreign, only, trying, reached, bounds, out)
    loaded = loaded_from(manifest, reached, out)
    samples = [
        sample for sample in loaded.samples if only is None or fnmatchcase(sample.name, only)
    ]
    if not samples:
        raise BadParameter(f"{manifest} has no samples" + (f" named {only}" if only else ""))
    answers = human_of(human)
    from restwright.agents.runtime.human_input import human_from_answers
    from restwright.cli.inputs.model import model_for
    from restwright.manifests.own.samples import check_sample

    with ExitStack() as stack:
        code = stack.enter_context(reached.code())
        agents = Agents(loaded, reached, yes, read_only, out, code, trust_apis)
        # What is wrong with the manifest is said before a model is fetched.
        agents.built()
        chosen = model_of(loaded, model, model_url)
        asked = stack.enter_context(model_for(*chosen, out, yes_download=yes_download))
        send = stack.enter_context(reached.open_transport())
        # Nobody is asked in a test: what it takes is said before.
        more = {"human": answers if human is not None else human_from_answers({})}
        asking = Asking(agents, asked, send, bounds, more)
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
    out.text(f"{'ok' if result.ok else 'FAIL':<6}{what}")
    for why in result.failures:
        out.text(f"{'':<6}{one_line(why)}")


def _summed(results: list[SampleResult], out: Output) -> int:
    failed = sum(not result.ok for result in results)
    if out.json:
        passed = len(results) - failed
        records = [result.record() for result in results]
        out.value({"samples": records, "passed": passed, "failed": failed})
    else:
        out.note(f"{counted(len(results), 'sample')}, {failed} failed")
    return FAILED if failed else DONE
