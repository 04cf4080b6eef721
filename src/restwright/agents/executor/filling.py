"""The arguments of one call, from the model, the memory and, where nothing says them, the user."""

from __future__ import annotations

import re

from restwright.agents.executor.running import Run, is_idempotency_key
from restwright.agents.memory.memory import Known, few, id_producers
from restwright.agents.memory.tool_inputs import address_in, properties_of, required_of
from restwright.agents.roles.answer import facts_so_far
from restwright.agents.roles.caller import (
    argument_lines,
    directed,
    grounded,
    is_choice,
    open_inputs,
    presentation,
    reply_schema,
)
from restwright.agents.roles.failure import Failure, first_line
from restwright.agents.roles.few_shot import exemplified
from restwright.agents.roles.structured_output import ask
from restwright.agents.spotlighting import mark_data
from restwright.agents.steps import Message, Question, Steps, UserAnswer
from restwright.jsontypes import JsonObject, is_object
from restwright.tools.text.words import split_words
from restwright.tools.tool import Tool

# As many inputs are looked at on the way to something else.
_MANY = 12


def arguments_for(
    run: Run,
    tool: Tool,
    task: str,
    fixed: JsonObject,
    said: tuple[str, ...],
    *,
    message: str = "",
) -> Steps[JsonObject | Failure]:
    """
    The arguments of a call: what the model fills in, held to what was said and found.

    Args:
        message: What the model reads as the user's message, where not all of that is meant.
    """
    names = tuple(each for each in open_inputs(tool, fixed) if not _is_found(run, tool, each))
    if message and len(names) > _MANY:
        names = _spoken_of(tool, names, task)
    offered = {name: run.memory.known(tool, name, run.beside(tool)) for name in names}
    offered = {
        name: few(known, task)
        for name, known in offered.items()
        if known and id_producers(tool, name, run.beside(tool))
    }
    given: JsonObject = {}
    if names:
        reply = yield from fill(run, tool, task, names, offered, said, message=message)
        # What a read is filtered by stands in its sub-task; what a write says may be anywhere.
        words = () if run.is_read(tool) else (run.question, facts_so_far(run.memory))
        text = " ".join((task, *words, *said, str(offered)))
        given, invented = grounded(tool, reply, said=text)
        given = directed(tool, given, task=task)
        for name in invented:
            # A read must have one of the values that are listed: `day` for `today`.
            if name in required_of(tool) and run.is_read(tool) and is_choice(tool, name):
                given[name] = reply[name]
            elif name in required_of(tool):
                answered = yield from _asked(run, tool, name, task)
                if isinstance(answered, Failure):
                    return answered
                given[name] = answered.value
    return {**(presentation(tool) if run.is_read(tool) else {}), **given, **fixed}


def _spoken_of(tool: Tool, names: tuple[str, ...], task: str) -> tuple[str, ...]:
    """Of many inputs those that must be given, and those that share a word with the task."""
    words = frozenset(split_words(task)) - frozenset(split_words(tool.operation.path))
    schemas = properties_of(tool)
    return tuple(
        name
        for name in names
        if name in required_of(tool)
        or words.intersection(
            split_words(f"{name} {str(schemas[name].get('description', ''))[:120]}")
        )
    )


def _is_found(run: Run, tool: Tool, name: str) -> bool:
    """Whether `name` takes what no user writes, an address or id: it is found, or there is none."""
    if name in required_of(tool):
        return False
    if address_in(name):
        return not re.search(r"\w:\S", run.question)
    is_change = bool(run.about) and not run.is_read(tool)
    return is_change and bool(id_producers(tool, name, run.beside(tool)))


def _asked(run: Run, tool: Tool, name: str, task: str) -> Steps[UserAnswer | Failure]:
    """Ask the user for what nothing says, once for a task."""
    key = tool.name, name, task
    if key in run.said:
        return UserAnswer(run.said[key])
    schema = properties_of(tool)[name]
    definitions = tool.model_checks.get("$defs")
    asked = {**schema, "$defs": definitions} if definitions and is_object(schema) else schema
    what = str(schema.get("description", "")).partition("\n")[0] if is_object(schema) else ""
    needs = f"{run.short_name(tool)} needs {name}"
    said = yield Question(f"{needs}: {what}" if what else needs, tool.name, asked, name)
    if isinstance(said, UserAnswer):
        # The server takes a second call with the same key for the first one.
        if not is_idempotency_key(tool, name):
            run.said[key] = said.value
        return said
    return Failure(f"{needs}, which was not said", final=True, stopped="question")


def ask_again(run: Run, tool: Tool, task: str, *, why: str) -> None:
    """Forget what the user said for a task where an error, in words, is about that very value."""
    told = frozenset(split_words(why))
    for key, value in [*run.said.items()]:
        about = (frozenset(split_words(each)) for each in (key[1], str(value)))
        if (key[0], key[2]) == (tool.name, task) and any(each and each <= told for each in about):
            del run.said[key]


def fill(
    run: Run,
    tool: Tool,
    task: str,
    names: tuple[str, ...],
    offered: dict[str, tuple[Known, ...]],
    said: tuple[str, ...],
    *,
    message: str = "",
) -> Steps[JsonObject]:
    """Let the model fill in the inputs `names`; `said` is what was wrong before."""
    facts = "" if message else facts_so_far(run.memory)
    prompt = exemplified(
        "caller",
        run.examples.caller(tool, names),
        operation=f"{run.short_name(tool)} - {first_line(tool)}",
        arguments=argument_lines(tool, names, offered),
        question=message or run.question,
        results=f"\nResults: {mark_data(facts)}" if facts else "",
        task=task,
    )
    if said:
        prompt = (*prompt[:-1], Message("user", f"{prompt[-1].text}\nBefore: {' '.join(said)}"))
    schema = reply_schema(tool, names, offered)
    return (yield from ask("caller", prompt, schema, max_tokens=300))
