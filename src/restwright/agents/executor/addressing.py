"""What a write refers to by an address of its own, such as `uris`."""

from __future__ import annotations

from collections.abc import Sequence

from restwright.agents.executor.looking_up import wanted_by
from restwright.agents.executor.meaning import (
    bare_of,
    each_or_one,
    leaves_unclear,
    takes_each,
    unclear,
)
from restwright.agents.executor.running import Run
from restwright.agents.executor.taking import (
    address_of,
    is_list,
    is_list_of_ids,
    listed,
    references_in,
)
from restwright.agents.memory.memory import Known, id_producers, says_name_of, thing_of
from restwright.agents.memory.referring import Reference
from restwright.agents.memory.several import leaves_out, says_every
from restwright.agents.memory.tool_inputs import address_in, properties_of, required_of
from restwright.agents.roles.failure import Failure
from restwright.agents.steps import Steps
from restwright.jsontypes import JsonObject
from restwright.tools.tool import Tool


def referred(run: Run, tool: Tool, task: str, *, depth: int) -> Steps[list[JsonObject] | Failure]:
    """
    What a write refers to by an address of its own (`uris`): that of the things that were found.

    Many kinds of things have one, so that the document does not say which operation supplies it.
    """
    about = _without_ids(run, tool)
    name = "" if run.is_read(tool) else _reference(tool, about)
    if not name:
        return [{}]
    key = address_of(tool, name)
    meant = next((each for each in about if each.held(key)), None)
    known = meant.held(key) if meant else ()
    if not known and not run.about:
        known = run.memory.held(key)
        known = tuple(each for each in known if says_name_of(each, task)) or known
    wanted = next((each.text for each in about if not each.sources), "")
    if not known and run.find and (wanted or (name in required_of(tool) and not run.about)):
        wanted = wanted or (yield from wanted_by(tool, name, task, "thing"))
        yield from run.find(run, wanted, depth + 1, ())
        known = run.memory.held(key)
    if not known and any(each.is_thing for each in about):
        return Failure(f"no {key} of {about[0].text} was found, which {run.short_name(tool)} needs")
    values = list(dict.fromkeys(each.value for each in known))
    if is_list_of_ids(tool, name):
        inside = "" if address_in(name) else key
        return [{name: listed(tool, name, values, inside=inside)}] if values else [{}]
    if len(values) > 1:
        return (yield from _addressed(run, tool, name, task, known, meant))
    return [{name: each} for each in values] or [{}]


def _addressed(
    run: Run, tool: Tool, name: str, task: str, known: tuple[Known, ...], meant: Reference | None
) -> Steps[list[JsonObject] | Failure]:
    """Of several addresses each that is meant, or one."""
    bare = bare_of(run, task, meant)
    if leaves_out(bare) or (meant and leaves_unclear(meant, bare)):
        return unclear(name)
    is_each = takes_each(meant, bare) if meant else says_every(bare)
    chosen = yield from each_or_one(run, tool, name, task, known, meant, is_each=is_each)
    return chosen if isinstance(chosen, Failure) else [{name: each.value} for each in chosen]


def _without_ids(run: Run, tool: Tool) -> list[Reference]:
    """What a step speaks of, but for what `tool` takes by an id of that kind."""
    own = [name for name in properties_of(tool) if id_producers(tool, name, run.beside(tool))]
    things = [thing_of(tool, name) for name in own]
    return [each for each in run.about if not any(map(each.is_of, things))]


def _reference(tool: Tool, about: Sequence[Reference]) -> str:
    """The input for an address: one that speaks of such things, else a list, else any."""
    schemas = properties_of(tool)

    def rank(name: str) -> tuple[bool, bool]:
        said = str(schemas[name].get("description", ""))
        return not any(each.is_of(said) for each in about), not is_list(tool, name)

    return min(references_in(tool), key=rank, default="")
