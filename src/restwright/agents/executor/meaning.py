"""Which of the things that are known a step means: one of them, or each."""

from __future__ import annotations

from restwright.agents.executor.filling import fill
from restwright.agents.executor.running import Run
from restwright.agents.executor.taking import is_list_of_ids, takes_amount
from restwright.agents.memory.memory import Known, few, says_name_of, thing_of
from restwright.agents.memory.referring import Reference
from restwright.agents.memory.several import (
    is_one_of,
    is_some_of,
    leaves_out,
    leaves_out_of,
    means_all,
)
from restwright.agents.roles.failure import Failure
from restwright.agents.steps import Steps
from restwright.tools.tool import Tool


def meant_for(run: Run, tool: Tool, name: str) -> Reference | None:
    """What the step speaks of that `name` is the id of: what has one, else what is of that kind."""
    of_kind = sorted(run.about, key=lambda each: not each.is_of(thing_of(tool, name)))
    for each in of_kind:
        if each.sources and each.known(tool, name, run.beside(tool)):
            return each
    named = [each for each in run.about if not each.sources]
    fitting = [each for each in named if each.is_of(thing_of(tool, name))]
    return next(iter(fitting or (named if len(run.about) == 1 else [])), None)


def is_for_all(run: Run, tool: Tool, name: str, task: str, meant: Reference | None) -> bool:
    """Whether a change is told to be for all things of a kind that no step before it found."""
    if run.is_read(tool) or (meant and meant.sources):
        return False
    return means_all(bare_of(run, task, meant), thing_of(tool, name))


def bare_of(run: Run, task: str, meant: Reference | None) -> str:
    """A task with `#` in the place of the things that are meant, whose names say nothing here."""
    for each in sorted(run.about, key=lambda each: -len(each.text)):
        task = task.replace(each.text, "#" if each is meant else "it")
    return task


def those_meant(
    run: Run, tool: Tool, name: str, task: str, known: tuple[Known, ...]
) -> Steps[tuple[Known, ...] | Failure]:
    """Of some things those that are changed: each of them, or one; or none, where it is unclear."""
    if run.is_read(tool):
        return known
    meant, thing = meant_for(run, tool, name), thing_of(tool, name)
    bare = bare_of(run, task, meant)
    if meant and meant.sources:
        is_unclear = leaves_unclear(meant, bare)
        is_each = takes_each(meant, bare, is_list=is_list_of_ids(tool, name))
    else:
        is_unclear = leaves_out_of(bare, thing)
        is_each = means_all(bare, thing) or (not meant and bool(asked_of(run, name, task)))
        said = f"{task} {run.question}"
        is_each |= is_list_of_ids(tool, name) and all(says_name_of(each, said) for each in known)
    # Of one thing, `two of the buds` is how much of it.
    is_amount = len(known) == 1 and takes_amount(tool, name) and not leaves_out(bare)
    if is_unclear and not is_amount:
        return unclear(thing)
    return (yield from each_or_one(run, tool, name, task, known, meant, is_each=is_each))


def unclear(what: str) -> Failure:
    """Why nothing is changed where words leave out something that nothing tells."""
    return Failure(f"it is not known which {what} is left out", final=True)


def read_in_part(known: tuple[Known, ...]) -> Failure:
    """Why nothing is changed where not all that there is was read."""
    return Failure(f"there may be more than the {len(known)} that were read", final=True)


def each_or_one(
    run: Run,
    tool: Tool,
    name: str,
    task: str,
    known: tuple[Known, ...],
    meant: Reference | None,
    *,
    is_each: bool,
) -> Steps[tuple[Known, ...] | Failure]:
    """All of some things, none twice; or, unless each is meant, the one that the model picks."""
    if len(known) == 1:
        return known
    if not is_each:
        return (yield from _choose(run, tool, name, known, task))
    if meant and meant.is_part:
        return read_in_part(known)
    return tuple({str(each.value): each for each in known}.values())


def leaves_unclear(meant: Reference, bare: str) -> bool:
    """Whether a change is for some of several things, and nothing says for which."""
    before, number, _ = bare.partition("#")
    return meant.is_many and bool(number) and (is_some_of(before) or leaves_out(bare))


def takes_each(meant: Reference, bare: str, *, is_list: bool = False) -> bool:
    """Whether a change is made to each of the things that it speaks of."""
    before, number, _ = bare.partition("#")
    return (is_list or meant.is_many) and not (number and is_one_of(before))


def asked_of(run: Run, name: str, task: str) -> tuple[Known, ...]:
    """The several things that those which a step speaks of were found by: posts, of comments."""
    each_of = [each for each in run.about if takes_each(each, bare_of(run, task, each))]
    sources = (source for each in each_of for source in each.sources)
    values = (source.arguments.get(name) for source in sources)
    found = dict.fromkeys(each for each in values if isinstance(each, str | int))
    known = tuple(Known(each, "") for each in found)
    return known if len(known) > 1 else ()


def _choose(
    run: Run, tool: Tool, name: str, known: tuple[Known, ...], task: str
) -> Steps[tuple[Known, ...]]:
    """Let the model pick one of the known ids."""
    known = few(known, task)
    offered = {name: known}
    reply = yield from fill(run, tool, task, (name,), offered, ())
    return tuple(each for each in known if each.value == reply.get(name))[:1] or known[:1]
