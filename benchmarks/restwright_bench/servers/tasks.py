"""
Tasks over real servers, from files beside this one, with names drawn from a seed.

A file of tasks has `draw` (`{name: values}`, shuffled by the seed; `<name.0>` stands for the first
of them anywhere else), `things` that the server is filled with, `harm` (calls that no task asks
for) and each `task`: question, ideal program, what the answer must hold, and the changes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import jmespath

from restwright.jsontypes import Json, JsonObject
from restwright_bench.any.world.tables import random_for
from restwright_bench.errors import UnusableChoice
from restwright_bench.servers.server import Server, Split, State

ChangeKind = Literal["created", "changed", "deleted"]
Drawn = Mapping[str, Sequence[Json]]
LANGUAGES = ("en", "fr", "de")
_FOLDERS: Mapping[Split, str] = {"dev": "dev", "never-read": "never_read"}
_SLOT = re.compile(r"<([a-z]+)\.(\d+)>")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramStep:
    """
    One call of a program.

    Args:
        tool: Name of the operation.
        arguments: `{"step": N, "take": EXPRESSION}` in the place of a value is what a JMESPath
            expression finds in the response of an earlier step.
        fails: Whether the server is to refuse it.
    """

    tool: str
    arguments: JsonObject
    fails: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedChange:
    """
    A change that a task asks for.

    Args:
        where: JMESPath condition on the thing as it was before; on what is created, after.
        values: What it sets; everything else of a changed thing is to stay.
        count: As many things are meant.
    """

    table: str
    kind: ChangeKind
    where: str
    values: JsonObject = field(default_factory=dict[str, Json])
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerTask:
    """
    A question, and how its answer and the state are judged.

    Args:
        answers: JMESPath expressions on the state (each table a list) before the run; the answer
            holds whatever they find.
        forbidden: Expressions for what it must not hold.
        is_denial: Whether the answer has to say that something is not there or cannot be done.
    """

    server: str
    seed: int
    number: int
    kind: str
    language: str
    split: Split
    question: str
    program: tuple[ProgramStep, ...] = field(default=(), repr=False)
    answers: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    asked: tuple[AskedChange, ...] = ()
    is_denial: bool = False

    @property
    def key(self) -> tuple[str, int, int, str]:
        """By which two runs are of the same task."""
        return self.server, self.seed, self.number, self.kind

    def with_program(self, program: tuple[ProgramStep, ...]) -> ServerTask:
        """The same question, gone about in another way."""
        return replace(self, program=program)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exam:
    """
    All that a server is asked, for a seed.

    Args:
        things: What it is filled with.
        harm: Calls that no task asks for.
    """

    things: JsonObject = field(repr=False)
    harm: tuple[ProgramStep, ...] = field(repr=False)
    tasks: tuple[ServerTask, ...]


def exam_of(server: Server, seed: int = 0) -> Exam:
    """The tasks of a server, with the names of a seed."""
    file = files("restwright_bench.servers") / _FOLDERS[server.split] / f"{server.name}.toml"
    return exam_from(file.read_text(encoding="utf-8"), server, seed)


def exam_from(text: str, server: Server, seed: int = 0) -> Exam:
    """The tasks of a text in TOML."""
    told = tomllib.loads(text)
    drawn = _draw(told.pop("draw", {}), server.name, seed)
    filled: Any = fill_slots(told, drawn)
    tasks = enumerate(filled["task"])
    return Exam(
        things=filled["things"],
        harm=_steps(filled["harm"]),
        tasks=tuple(_task(task, server, seed, number) for number, task in tasks),
    )


def _draw(lists: Mapping[str, Sequence[Json]], name: str, seed: int) -> Drawn:
    rng = random_for(seed, name)
    return {each: rng.sample(values, len(values)) for each, values in lists.items()}


def fill_slots(value: Any, drawn: Drawn) -> Any:
    """Put drawn values in the place of slots; one that is a whole text keeps its type."""
    if isinstance(value, str):
        whole = _SLOT.fullmatch(value)
        if whole:
            return drawn[whole[1]][int(whole[2])]
        return _SLOT.sub(lambda slot: str(drawn[slot[1]][int(slot[2])]), value)
    if isinstance(value, list):
        return [fill_slots(part, drawn) for part in value]  # type: ignore[unknown]
    if isinstance(value, dict):
        return {_key(name, drawn): fill_slots(part, drawn) for name, part in value.items()}  # type: ignore[unknown]
    return value


def _key(name: Any, drawn: Drawn) -> str:
    return str(fill_slots(name, drawn))


def _task(told: JsonObject, server: Server, seed: int, number: int) -> ServerTask:
    return ServerTask(
        server=server.name,
        seed=seed,
        number=number,
        kind=told["kind"],
        language=told["language"],
        split=server.split,
        question=told["question"].strip(),
        program=_steps(told.get("program", ())),
        answers=tuple(told.get("answers", ())),
        forbidden=tuple(told.get("forbidden", ())),
        asked=tuple(AskedChange(**change) for change in told.get("asked", ())),
        is_denial=told.get("is_denial", False),
    )


def _steps(told: Sequence[JsonObject]) -> tuple[ProgramStep, ...]:
    return tuple(
        ProgramStep(
            tool=step["tool"],
            arguments=step.get("arguments", {}),
            fails=step.get("fails", False),
        )
        for step in told
    )


def find_values(expressions: Sequence[str], state: State) -> tuple[Json, ...]:
    """
    Every value that expressions find in a state; the parts of lists, one by one.

    Raises:
        ValueError: One of them finds nothing, so that the task is wrong.
    """
    tables: Any = {name: [dict(thing) for thing in table.values()] for name, table in state.items()}
    found: list[Json] = []
    for expression in expressions:
        value: Any = _compiled(expression).search(tables)
        if value is None or value == []:
            raise ValueError(f"{expression} finds nothing in the state")
        found += value if isinstance(value, list) else [value]
    return tuple(found)


def is_meant(where: str, thing: Mapping[str, Json]) -> bool:
    """Whether a condition holds of a thing."""
    return bool(_compiled(where).search(dict(thing)))


@cache
def _compiled(expression: str) -> Any:
    compiled: Any = jmespath
    return compiled.compile(expression)


def choose_tasks(tasks: Sequence[ServerTask], languages: str, kinds: str) -> list[ServerTask]:
    """
    Those of some languages and kinds; an empty text stands for all.

    Raises:
        UnusableChoice: There is no such language.
    """
    spoken = {part.strip() for part in languages.split(",") if part.strip()}
    wanted = {part.strip() for part in kinds.split(",") if part.strip()}
    if unknown := sorted(spoken - set(LANGUAGES)):
        raise UnusableChoice("--languages", f"there is {', '.join(LANGUAGES)}; no {unknown[0]}")
    return [
        task
        for task in tasks
        if (not spoken or task.language in spoken) and (not wanted or task.kind in wanted)
    ]
