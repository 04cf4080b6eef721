"""One run of an agent at a task over a real server, and its line in a file of results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from restwright.agents.agent import Agent, Limits
from restwright.agents.steps import Model
from restwright.calls.approval.approval import approve_all
from restwright.calls.approval.policy import CONFIRM
from restwright.jsontypes import JsonObject
from restwright_bench.any.running import LIMITS, ask_agent, outcome_members
from restwright_bench.calling.kept import append, records
from restwright_bench.results import RESULTS, origin, slug
from restwright_bench.servers.judge import judge
from restwright_bench.servers.stage import Stage
from restwright_bench.servers.tasks import ServerTask

_FAILED = 400
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """How tasks are tried: by which kinds of agents, each task by all of them."""

    model: Model = field(repr=False)
    kinds: tuple[str, ...]
    limits: Limits = LIMITS


def file_of(model: str, folder: Path = RESULTS) -> Path:
    """Where the lines of a model are kept."""
    return folder / f"servers-{slug(model)}.jsonl"


def key_of(line: JsonObject) -> Key:
    """By which two lines are of the same run."""
    return tuple(line[name] for name in ("document", "seed", "wording", "task", "kind"))


def left_tasks(
    tasks: Sequence[ServerTask], kinds: Sequence[str], file: Path
) -> list[tuple[ServerTask, str]]:
    """The runs that a file has not."""
    done = {key_of(line) for line in records(file)}
    pairs = [(task, kind) for task in tasks for kind in kinds]
    return [(task, kind) for task, kind in pairs if (*task.key, kind) not in done]


def new_lines(
    left: Sequence[tuple[ServerTask, str]], stage: Stage, trial: Trial, file: Path
) -> Iterator[JsonObject]:
    """Run tasks over their server, adding a line as soon as one is over."""
    for task, kind in left:
        line = run_task(task, stage, kind, trial)
        append(file, line)
        yield line


def run_task(task: ServerTask, stage: Stage, kind: str, trial: Trial) -> JsonObject:
    """Let an agent do a task on a server as it was filled; return the line that is kept of it."""
    stage.reset()
    before = stage.state()
    agent = Agent(
        stage.tools,
        model=trial.model,
        connections=stage.connections,
        send=stage.send,
        approve=approve_all,
        policy=CONFIRM,
        limits=trial.limits,
        kind=kind,
    )
    answer = ask_agent(agent, task.question)
    states = before, stage.state()
    verdict = judge(task, answer.text, answer.stopped, states, len(stage.log))
    # Named as in lines of any document, so that one table serves both.
    outcome = outcome_members(kind, trial.model.name, answer, verdict)
    return {
        **origin(),
        **outcome,
        "document": task.server,
        "seed": task.seed,
        "task": task.kind,
        "wording": task.number,
        "language": task.language,
        "split": task.split,
        "consent": "all",
        "planted": False,
        "requests": len(stage.log),
        "failed_requests": sum(status >= _FAILED for _, status in stage.log),
    }
