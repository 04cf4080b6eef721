"""`run`, `test` and `new`: agents from files."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, BadParameter, Option

from restwright.cli.asking import check_trace, finish, kept_in_journal
from restwright.cli.call import MAX_BYTES, TIMEOUT_S
from restwright.cli.connections import connections_of
from restwright.cli.consent import Consent, policy_of
from restwright.cli.failures import DONE, FAILED
from restwright.cli.human import human_of
from restwright.cli.options import (
    AllowCommands,
    Auth,
    Header,
    HumanFile,
    MaxBytes,
    Model,
    ModelURL,
    NoJournal,
    Reading,
    Resume,
    Server,
    ServerVariable,
    Timeout,
    Trace,
    Yes,
    YesDownload,
)
from restwright.cli.output import Output, counted, one_line, write_new
from restwright.cli.progress import progress
from restwright.cli.sources import apis_of

if TYPE_CHECKING:
    from restwright.agents.agent import Agent, Limits
    from restwright.agents.human import Human
    from restwright.agents.journal import Journal
    from restwright.agents.steps import Answer
    from restwright.calls.policy import Policy
    from restwright.calls.security import Connection
    from restwright.manifests.building import Built
    from restwright.manifests.manifest import Manifest
    from restwright.manifests.session import Switch
    from restwright.manifests.slashgpt import Loaded
    from restwright.manifests.testing import Tested
    from restwright.typing import Model as AnyModel
    from restwright.typing import Send

MAX_TEXT = 200_000
"""Characters of a question, which standard input may have more of."""
MAX_SWITCHES = 8

ManifestFile = Annotated[
    Path, Argument(metavar="MANIFEST", help="A manifest, in YAML or JSON.", show_default=False)
]
ReadOnly = Annotated[bool, Option("--read-only", help="Use only tools that change nothing.")]
AllowFolder = Annotated[
    Path | None,
    Option("--allow-folder", metavar="DIR", help="Let the manifest name files in this folder too."),
]


@dataclass(frozen=True, kw_only=True)
class Reached:
    """Options of how the APIs of a manifest are reached, and its files read."""

    server: Server = None
    server_variable: ServerVariable = None
    auth: Auth = None
    header: Header = None
    allow_commands: AllowCommands = False
    allow_folder: AllowFolder = None
    timeout: Timeout = TIMEOUT_S
    max_bytes: MaxBytes = MAX_BYTES

    @property
    def is_given(self) -> bool:
        """Whether the command line says something in the place of the manifest."""
        return any((self.server, self.server_variable, self.auth, self.header))


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Limits of a run, in the place of those of the manifest."""

    max_calls: Annotated[
        int | None, Option("--max-calls", min=1, metavar="N", help="Most HTTP calls.")
    ] = None
    max_model_calls: Annotated[
        int | None,
        Option("--max-model-calls", min=1, metavar="N", help="Most requests to the model."),
    ] = None
    max_tokens: Annotated[
        int | None,
        Option("--max-tokens", min=1, metavar="N", help="Most tokens, read and written."),
    ] = None
    max_seconds: Annotated[
        float | None,
        Option("--max-seconds", min=0.1, max=86400, metavar="SECONDS", help="Longest run."),
    ] = None
    max_steps: Annotated[
        int | None, Option("--max-steps", min=1, metavar="N", help="Most steps of the agent.")
    ] = None
    max_cost: Annotated[
        float | None,
        Option("--max-cost", min=0, metavar="DOLLARS", help="Most that the model may cost."),
    ] = None
    max_calls_per_api: Annotated[
        int | None,
        Option("--max-calls-per-api", min=1, metavar="N", help="Most HTTP calls to each API."),
    ] = None

    def over(self, limits: Limits) -> Limits:
        """`limits`, where nothing else is said here."""
        given = {
            name.removeprefix("max_"): value
            for name, value in vars(self).items()
            if value is not None
        }
        return replace(limits, **given)


def run(
    manifest: ManifestFile,
    text: Annotated[
        str | None,
        Argument(metavar="TEXT", help="What is asked; - reads it from standard input."),
    ] = None,
    model: Model = None,
    model_url: ModelURL = None,
    yes: Yes = False,
    read_only: ReadOnly = False,
    human: HumanFile = None,
    trace: Trace = None,
    resume: Resume = None,
    no_journal: NoJournal = False,
    yes_download: YesDownload = False,
    *,
    reached: Reached,
    bounds: Bounds,
    out: Output,
) -> int:
    """Ask the agent of a manifest."""
    check_trace(trace)
    _check_wishes(text, resume, yes=yes, read_only=read_only, no_journal=no_journal)
    question = _question(text)
    answers = human_of(human)
    from restwright.cli.slash_run import slash_manifest

    if (foreign := slash_manifest(manifest, out)) is not None:
        _check_foreign(reached, resume)
        chosen = (model, model_url, yes_download)
        policy = policy_of(yes=yes, read_only=read_only)
        answer = _asked_slash(foreign, question, chosen, (policy, answers), reached, bounds, out)
        return finish(answer, out, trace=trace)
    agents = _Agents(_loaded(manifest, reached, out), reached, yes, read_only, out)
    first = agents.built()
    from restwright.cli.model_choice import model_for
    from restwright.net.transport import Transport

    with (
        model_for(
            *_model_of(first.manifest, model, model_url), out, yes_download=yes_download
        ) as asked,
        Transport(timeout_s=reached.timeout, max_bytes=reached.max_bytes, max_redirects=5) as send,
        kept_in_journal(out, resume=resume, off=no_journal) as journal,
    ):
        more: dict[str, Any] = {"approve": Consent(), "human": answers, "on_event": progress(out)}
        asking = _Asking(agents, asked, send, bounds, more)
        return finish(asking.ask(question, journal, resume), out, trace=trace)


def run_samples(
    manifest: ManifestFile,
    only: Annotated[
        str | None, Option("--only", metavar="GLOB", help="Only samples whose name matches.")
    ] = None,
    model: Model = None,
    model_url: ModelURL = None,
    yes: Yes = False,
    read_only: ReadOnly = False,
    human: HumanFile = None,
    yes_download: YesDownload = False,
    *,
    reached: Reached,
    bounds: Bounds,
    out: Output,
) -> int:
    """Run the samples of a manifest; end with 1 where one does not lead to what it must."""
    loaded = _loaded(manifest, reached, out)
    samples = [each for each in loaded.samples if only is None or fnmatchcase(each.name, only)]
    if not samples:
        raise BadParameter(f"{manifest} has no samples" + (f" named {only}" if only else ""))
    answers = human_of(human)
    agents = _Agents(loaded, reached, yes, read_only, out)
    from restwright.agents.human import prepared
    from restwright.cli.model_choice import model_for
    from restwright.manifests.testing import tested
    from restwright.net.transport import Transport

    agents.built()
    with (
        model_for(*_model_of(loaded, model, model_url), out, yes_download=yes_download) as asked,
        Transport(timeout_s=reached.timeout, max_bytes=reached.max_bytes, max_redirects=5) as send,
    ):
        # Nobody is asked in a test: what it takes is said before.
        more = {"human": answers if human is not None else prepared({})}
        asking = _Asking(agents, asked, send, bounds, more)
        results: list[Tested] = []
        for each in samples:
            results.append(tested(each, asking.ask(each.text, None, None)))
            _print(results[-1], out)
    return _summed(results, out)


def _print(result: Tested, out: Output) -> None:
    if out.json:
        return
    calls = counted(len(result.answer.calls), "call")
    what = one_line(f"{result.sample.name}: {result.sample.text[:80]} ({calls})")
    out.text(f"{'ok' if result.ok else 'FAIL':<6}{what}")
    for why in result.failures:
        out.text(f"{'':<6}{one_line(why)}")


def _summed(results: list[Tested], out: Output) -> int:
    failed = sum(not each.ok for each in results)
    if out.json:
        passed = len(results) - failed
        records = [each.record() for each in results]
        out.value({"samples": records, "passed": passed, "failed": failed})
    else:
        out.note(f"{counted(len(results), 'sample')}, {failed} failed")
    return FAILED if failed else DONE


def new(
    document: Annotated[
        str | None, Argument(metavar="DOC", help="Path, URL, - or alias=path-or-URL.")
    ] = None,
    output: Annotated[
        Path | None,
        Option("-o", "--output", metavar="FILE", help="Write it there; a file that is not there."),
    ] = None,
    schema: Annotated[
        bool, Option("--schema", help="Print the JSON Schema of manifests instead.")
    ] = False,
    *,
    reading: Reading,
    out: Output,
) -> int:
    """Write a small manifest for an API."""
    if schema:
        if document is not None:
            raise BadParameter("--schema takes no document")
        from restwright.manifests.checking import schema_text

        print(schema_text(), end="")
        return DONE
    if document is None:
        raise BadParameter("a DOC is needed, or --schema")
    if output is not None and output.exists():
        raise BadParameter(f"--output: {output} is there already, and is not written over")
    from restwright.manifests.proposing import proposed
    from restwright.tools.catalog import catalog

    [api] = apis_of([document], reading, out)
    text = proposed(catalog(api), document=_named_from(api.source, output))
    if out.json:
        out.value({"manifest": text, "file": str(output) if output else None})
    if output is not None:
        write_new(output, text)
        out.note(f'wrote {output}; try it: restwright run {output} "..."')
    elif not out.json:
        out.text(text.rstrip("\n"))
    return DONE


def _named_from(source: str, output: Path | None) -> str:
    """How a manifest at `output` names a document."""
    from restwright.openapi.loader import is_url

    if is_url(source) or source == "-":
        return source
    folder = output.parent if output is not None else Path()
    return Path(os.path.relpath(source, folder)).as_posix()


def _check_foreign(reached: Reached, resume: str | None) -> None:
    if reached.is_given:
        raise BadParameter("a manifest of SlashGPT names its servers and secrets itself")
    if resume is not None:
        raise BadParameter("a run of a manifest of SlashGPT cannot be resumed")


def _asked_slash(
    loaded: Loaded,
    question: str,
    chosen: tuple[str | None, str | None, bool],
    terms: tuple[Policy, Human],
    reached: Reached,
    bounds: Bounds,
    out: Output,
) -> Answer:
    from restwright.agents.agent import Limits
    from restwright.cli.model_choice import model_for
    from restwright.cli.slash_run import ask_slash, wanted_of
    from restwright.manifests.slashgpt import Terms
    from restwright.net.transport import Transport

    name, url, yes_download = chosen
    wanted = wanted_of(loaded)
    if name is None and wanted is not None:
        name, url = wanted.name, url or wanted.url
    policy, answers = terms
    with (
        model_for(name, url, out, yes_download=yes_download) as asked,
        Transport(timeout_s=reached.timeout, max_bytes=reached.max_bytes, max_redirects=5) as send,
    ):
        said = Terms(
            model=asked,
            send=send,
            approve=Consent(),
            policy=policy,
            human=answers,
            limits=bounds.over(Limits()),
            on_event=progress(out),
        )
        return ask_slash(loaded, question, said)


def _check_wishes(
    text: str | None, resume: str | None, *, yes: bool, read_only: bool, no_journal: bool
) -> None:
    if (text is None) == (resume is None):
        needed = "a TEXT is needed, or --resume"
        raise BadParameter(needed if text is None else "--resume goes on with its own question")
    if yes and read_only:
        raise BadParameter("--yes and --read-only exclude each other")
    if no_journal and resume is not None:
        raise BadParameter("--resume and --no-journal exclude each other")


def _question(text: str | None) -> str:
    if text != "-":
        return text or ""
    read = sys.stdin.read(MAX_TEXT + 1)
    if len(read) > MAX_TEXT:
        raise BadParameter(f"standard input holds more than {MAX_TEXT:,} characters")
    if not read.strip():
        raise BadParameter("standard input is empty")
    return read


def _loaded(path: Path, reached: Reached, out: Output) -> Manifest:
    from restwright.manifests.manifest import load

    manifest = load(path, allow=reached.allow_folder)
    for each in manifest.problems:
        out.note(one_line(f"{each.severity}: {path}: {each}"))
    return manifest


def _model_of(
    manifest: Manifest, model: str | None, url: str | None
) -> tuple[str | None, str | None]:
    """The model that the command line names, else the one of the manifest."""
    return (model, url) if model is not None else (manifest.model, url or manifest.model_url)


@dataclass(slots=True)
class _Agents:
    """The agents of a manifest and of those that it hands over to, made when one is needed."""

    first: Manifest
    reached: Reached
    yes: bool
    read_only: bool
    out: Output
    _made: dict[str, Built] | None = None

    def built(self, manifest: Manifest | None = None) -> Built:
        """All of one agent but its model; what is doubtful is said once."""
        from restwright.manifests.building import built

        wanted = manifest or self.first
        known = self._made = self._made or {}
        if wanted.source not in known:
            made = built(
                wanted,
                yes=self.yes,
                read_only=self.read_only,
                allow_commands=self.reached.allow_commands,
            )
            for each in made.problems[len(wanted.problems) :]:
                self.out.note(one_line(f"{each.severity}: {each}"))
            made = replace(made, connections=self._connections(made, wanted))
            _check_servers(made)
            known[wanted.source] = made
        return known[wanted.source]

    def _connections(self, made: Built, manifest: Manifest) -> Mapping[str, Connection]:
        """Those of the command line for the APIs of the manifest that was named."""
        if manifest is not self.first or not self.reached.is_given:
            return made.connections
        given = connections_of(
            [*made.connections],
            server=self.reached.server,
            server_variable=self.reached.server_variable,
            auth=self.reached.auth,
            header=self.reached.header,
            allow_commands=self.reached.allow_commands,
        )
        return {name: _joined(own, given[name]) for name, own in made.connections.items()}


def _check_servers(made: Built) -> None:
    """Find out before a run whether every API has the server that was chosen of it."""
    from restwright.calls.servers import check_choice

    for name, given in made.connections.items():
        check_choice(made.catalog.apis[name], given.server, given.server_variables)


def _joined(own: Connection, given: Connection) -> Connection:
    """What the command line says of an API in the place of what the manifest does."""
    if given.server is not None and given.server != own.server and given.auth is None:
        # A credential is for the server that it was named beside.
        return given
    return replace(
        own,
        server=given.server or own.server,
        auth=own.auth if given.auth is None else given.auth,
        headers={**own.headers, **given.headers},
        server_variables={**own.server_variables, **given.server_variables},
    )


@dataclass(slots=True)
class _Asking:
    """Asks an agent, and those that it hands over to."""

    agents: _Agents
    model: AnyModel
    send: Send
    bounds: Bounds
    more: dict[str, Any]

    def ask(self, question: str, journal: Journal | None, resume: str | None) -> Answer:
        manifest = self.agents.first
        said: list[Answer] = []
        for _ in range(MAX_SWITCHES + 1):
            switches: list[Switch] = []
            agent = self._agent(manifest, switches)
            said.append(agent.ask(question, journal=journal, resume=resume))
            if not switches:
                return _together(said)
            others = {each.name: each.manifest for each in manifest.agents}
            manifest, resume = others[switches[0].agent], None
            question = _handed(switches[0])
        reason = f"the agents handed over {MAX_SWITCHES} times without an answer"
        return replace(_together(said), stopped="limit", reason=reason)

    def _agent(self, manifest: Manifest, switches: list[Switch]) -> Agent:
        made = self.agents.built(manifest)
        limits = self.bounds.over(made.limits)
        return made.agent(
            self.model, on_switch=switches.append, send=self.send, limits=limits, **self.more
        )


def _handed(switch: Switch) -> str:
    """What the next agent is asked, with what it is told beside."""
    from restwright.calls.shorten import compact

    told = f"\n\nWhat is known: {compact(switch.memory)}" if switch.memory else ""
    return f"{switch.message}{told}"


def _together(said: list[Answer]) -> Answer:
    """One answer of several agents: the words of the last, and all that was done."""
    last = said[-1]
    if len(said) == 1:
        return last
    from restwright.cli.slash_run import summed

    usage = summed([each.usage for each in said])
    return replace(
        last,
        steps=tuple(step for each in said for step in each.steps),
        calls=tuple(call for each in said for call in each.calls),
        usage=usage,
    )
