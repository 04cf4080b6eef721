"""`worker`: takes runs from a queue."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from typer import BadParameter, Option

from restwright.cli.commands.serve import AnsweringOptions, Sources
from restwright.cli.inputs.approval import policy_of
from restwright.cli.inputs.options import (
    AllowFolder,
    Classes,
    ConnectionOptions,
    Described,
    OriginLimitOptions,
    TransportOptions,
)
from restwright.cli.inputs.run_options import ApprovalOptions, JournalPlace, QueueName
from restwright.cli.render.errors import DONE, FAILED
from restwright.cli.render.output import Output

if TYPE_CHECKING:
    from restwright.mcp.sources import SourceSettings
    from restwright.tools.catalog.catalog import Catalog
    from restwright.workers.worker import Worker, WorkerSettings


@dataclass(frozen=True, kw_only=True)
class WorkerOptions:
    """Options of how a worker works."""

    id: Annotated[
        str,
        Option(
            "--id",
            envvar="RESTWRIGHT_WORKER_ID",
            metavar="NAME",
            help="Of this worker: the same after a restart, and no other's of the queue. By it the"
            " worker takes up what it left when it died.",
        ),
    ] = "worker-0"
    concurrency: Annotated[
        int, Option("--concurrency", min=1, metavar="N", help="Most runs at once in this worker.")
    ] = 10
    global_concurrency: Annotated[
        int | None,
        Option(
            "--global-concurrency",
            min=1,
            metavar="N",
            help="Most runs at once in all workers of the queue.",
        ),
    ] = None
    watch: Annotated[
        bool,
        Option("--watch", help="Take up, too, what other workers left that died."),
    ] = False
    grace: Annotated[
        float,
        Option(
            "--grace",
            min=1,
            metavar="SECONDS",
            help="How long steps are waited for that are being performed when it is to stop.",
        ),
    ] = 25.0

    listen: Annotated[
        str | None,
        Option(
            "--listen",
            metavar="HOST:PORT",
            help="Tell at /healthz whether it can work, and at /metrics what it did (Prometheus)."
            " A PORT alone is one of 127.0.0.1. Needs the extra `telemetry`.",
        ),
    ] = None

    def settings(self, queue: str) -> WorkerSettings:
        """Of a worker."""
        from restwright.workers.worker import WorkerSettings

        return WorkerSettings(
            queue=queue,
            id=self.id,
            concurrency=self.concurrency,
            global_concurrency=self.global_concurrency,
            watch=self.watch,
            grace_s=self.grace,
        )


def worker(
    *,
    sources: Sources,
    queue: QueueName,
    options: WorkerOptions,
    place: JournalPlace,
    answering: AnsweringOptions,
    classes: Classes = None,
    approval: ApprovalOptions,
    connection: ConnectionOptions,
    transport: TransportOptions,
    origins: OriginLimitOptions,
    described: Described,
    allow_folder: AllowFolder = None,
    out: Output,
) -> int:
    """Take runs from a queue until stopped, and resume each as a person would."""
    if "-" in sources:
        raise BadParameter("a document on standard input cannot be read again: give a path")
    from restwright.cli.inputs.human import human_of
    from restwright.cli.runs.door_agents import DoorAgentMaker, DoorModels
    from restwright.cli.runs.run import find_shared_limits
    from restwright.cli.runs.worker_agents import make_resuming
    from restwright.mcp.sources import SourceSettings, split_sources
    from restwright.workers.engine import require_database
    from restwright.workers.worker import Worker

    documents, manifests = split_sources(sources)
    settings = SourceSettings(
        documents=documents,
        manifests=manifests,
        catalog=described.catalog_settings(),
        keep=lambda catalog: _allowed(catalog, settings),
        connect=connection.connections,
        policy=policy_of(approval, classes),
        allow_folder=allow_folder,
        allow_commands=connection.allow_commands,
    )
    human = human_of(approval.human, is_alone=True)
    with ExitStack() as ending:
        journal = require_database(ending.enter_context(place.open()))
        shared = find_shared_limits(journal, out)
        models = DoorModels(options=answering.agent.model, out=out, ending=ending)
        agents = DoorAgentMaker(
            kind=answering.agent.agent_kind,
            limits=answering.limits,
            moment=answering.moment,
            send=ending.enter_context(transport.open_transport(shared, origins.limits())),
            policy=settings.policy,
            find_model=models.find,
            shared=shared,
        ).read_agents(settings, out.warn)
        resuming = make_resuming(
            agents, {"human": human, "waits": True}, trusts_apis=approval.trust_apis
        )
        made = Worker(journal, resuming, options.settings(queue))
        if options.listen is not None:
            from restwright.workers.probes import listening

            url = ending.enter_context(listening(made, options.listen))
            out.note(f"{url}/healthz and {url}/metrics")
        with _stopped_by_signals(made):
            is_done = made.run(lambda: _announce(made, agents, out))
        if not is_done:
            out.note("a step outlasted --grace; its run is taken up after the restart")
            # Its thread would keep the process for as long as the step lasts.
            sys.stdout.flush()
            os._exit(FAILED)
    return DONE


def _allowed(catalog: Catalog, settings: SourceSettings) -> Catalog:
    from restwright.agents.execution.catalog_parts import allowed

    return allowed(catalog, settings.policy) if settings.is_read_only else catalog


def _announce(made: Worker, agents: Any, out: Output) -> None:
    print(f"{made.settings.id} takes runs from {made.settings.queue}", flush=True)
    out.note(f"agents: {', '.join(agents)}; press Ctrl-C to stop")


@contextmanager
def _stopped_by_signals(made: Worker) -> Generator[None]:
    """End the worker as it ends well, by the first signal; the second one ends the process."""

    def stop(number: int, _: object) -> None:
        made.stop()
        signal.signal(number, signal.SIG_DFL)

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
