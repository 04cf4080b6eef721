"""
The slash commands of SlashGPT, as functions that return text: for a chat of any kind.

A command may have something for the chat to do besides: say a text to who listens, or end.

Source: SlashGPT, "Slash commands".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import TypeAlias

from restwright.agents.steps import Message
from restwright.calls.truncate import compact_json
from restwright.errors import RestwrightError
from restwright.jsontypes import JsonObject
from restwright.manifests.session.session import HandoffRequest, ManifestSession, Sample
from restwright.manifests.session.stage import CommandResult, FunctionView, Stage
from restwright.manifests.slashgpt.autotest import run_autotest
from restwright.tools.toolset.meta_tools import ToolCall

__all__ = ["SLASHGPT_COMMANDS", "CommandResult", "SlashGPTCommand", "Stage", "run_slashgpt_command"]

RETIRED_MODELS = ("gpt3", "gpt31", "gpt3c", "gpt4", "llama2", "llama270", "vicuna", "palm")
"""The names of models that SlashGPT had, none of which is served any more."""

_LINE = 400


RunCommand: TypeAlias = Callable[[Stage, str], CommandResult]


@dataclass(frozen=True, slots=True)
class SlashGPTCommand:
    """A command: what it does, and a line about it."""

    act: RunCommand
    help: str


def run_slashgpt_command(on: Stage, line: str) -> CommandResult | None:
    """
    Carry a line out that begins with a slash; None for one that is said to the agent.

    `/sampleX` is the sample of that name, and `/KEY` switches to the agent of that key.
    """
    if not line.startswith("/") or line.startswith("//"):
        return None
    name, _, rest = line[1:].strip().partition(" ")
    if name in SLASHGPT_COMMANDS:
        return SLASHGPT_COMMANDS[name].act(on, rest.strip())
    if name in on.session.speakers:
        return _enter(on, name, rest.strip())
    if name.startswith("sample") or any(name == each.name for each in on.session.speaker.samples):
        return _say_sample(on.session.speaker.samples, name)
    near = get_close_matches(name, [*SLASHGPT_COMMANDS, *on.session.speakers], n=2, cutoff=0.6)
    hint = f"; did you mean {' or '.join(f'/{candidate}' for candidate in near)}?" if near else ""
    return CommandResult(text=f"there is no command /{name[:40]}{hint}", is_ok=False)


def _help(on: Stage, rest: str) -> CommandResult:
    if rest in on.session.speakers:
        return _manifest(on, rest)
    lines = [*([_report_unknown_agent(on, rest).text] if rest else []), *_list_commands()]
    agents = [f"/{key}: {each.title}" for key, each in on.session.speakers.items()]
    return CommandResult(text="\n".join([*lines, "Agents:", *agents]))


def _list_commands() -> list[str]:
    return [f"/{name}: {each.help}" for name, each in SLASHGPT_COMMANDS.items()]


def _say_sample(samples: tuple[Sample, ...], name: str) -> CommandResult:
    found = next((sample for sample in samples if sample.name == name), None)
    if found is None and name == "sample" and samples:
        found = samples[0]  # Those of our manifests have names of their own.
    if found is None:
        known = ", ".join(f"/{_call_sample(sample)}" for sample in samples) or "none"
        return CommandResult(
            text=f"there is no sample {name[:40]}; there are: {known}", is_ok=False
        )
    return CommandResult(text=found.text, message=found.text, more=found.more)


def _sample(on: Stage, rest: str) -> CommandResult:
    """Say a sample of this agent; or of another, to this one, as a dispatcher is tried out."""
    own = on.session.speaker.samples
    if not rest or any(sample.name == rest for sample in own):
        return _say_sample(own, rest or "sample")
    other = on.session.speakers.get(rest)
    if other is None:
        return _say_sample(own, rest)
    return _say_sample(other.samples, "sample")


def _samples(on: Stage, rest: str) -> CommandResult:
    del rest
    lines = [
        f"/{_call_sample(sample)}: {_shorten_line(sample.text)}"
        for sample in on.session.speaker.samples
    ]
    return CommandResult(text="\n".join(lines) or "this agent has no samples")


def _call_sample(sample: Sample) -> str:
    """How a sample is said: `/sampleX`, or `/sample NAME` of our manifests."""
    return sample.name if sample.name.startswith("sample") else f"sample {sample.name}"


def _switch(on: Stage, rest: str) -> CommandResult:
    if not rest:
        lines = [f"{name}: {folder}" for name, folder in on.manifest_sets.items()]
        return CommandResult(text="\n".join(lines) or "there is one folder only")
    if rest not in on.manifest_sets:
        known = ", ".join(on.manifest_sets) or "none"
        return CommandResult(text=f"there is no set {rest[:40]!r}; there are: {known}", is_ok=False)
    return _reload_session(on, set_name=rest)


def _reload_session(on: Stage, *, set_name: str = "", agent: str = "") -> CommandResult:
    try:
        on.reload(set_name=set_name, agent=agent)
    except RestwrightError as error:
        return CommandResult(text=str(error), is_ok=False)
    return CommandResult(text=_greet(on))


def _greet(on: Stage) -> str:
    said = on.session.greet()
    return f"{on.session.speaker.title}: {said}" if said else on.session.speaker.title


def _enter(on: Stage, agent: str, rest: str) -> CommandResult:
    chained = on.session.history if rest == "-chain" else ()
    on.session.enter(HandoffRequest(agent=agent, memory=on.session.memory))
    if chained:
        # What was called there cannot be called here.
        kept = (message for message in chained if message.speaker != "tool" and message.text)
        on.session.histories[agent] = tuple(
            Message(message.speaker, message.text) for message in kept
        )
    return CommandResult(text=_greet(on))


def _new(on: Stage, rest: str) -> CommandResult:
    del rest
    save_chat(on)
    on.session.restart()
    return CommandResult(text=f"{on.session.speaker.title} begins anew")


def _prompt(on: Stage, rest: str) -> CommandResult:
    del rest
    prompt = on.prompt()
    return CommandResult(text="this agent has no prompt" if prompt is None else prompt)


def _history(on: Stage, rest: str) -> CommandResult:
    history = on.session.history
    if rest == "pop":
        # A call and its answers go together, and so does what was asked.
        last = max((n for n, each in enumerate(history) if each.speaker == "user"), default=0)
        on.session.histories[on.session.current] = history[:last]
        return CommandResult(text=f"{len(history) - last} messages are forgotten")
    return CommandResult(text="\n".join(map(_format_message, history)) or "nothing was said yet")


def _format_message(message: Message) -> str:
    calls = [f"{call.tool}({compact_json(call.arguments)})" for call in message.calls]
    who = message.tool or message.speaker
    return f"{who}: {_shorten_line(' '.join(filter(None, (message.text, *calls))))}"


def _functions(on: Stage, rest: str) -> CommandResult:
    del rest
    return CommandResult(
        text="\n".join(map(_format_function, on.functions())) or "this agent has no functions"
    )


def _format_function(function: FunctionView) -> str:
    return f"{function.name}: {function.description}\n  {compact_json(function.parameters)}"


def _manifest(on: Stage, rest: str) -> CommandResult:
    text = on.manifest(rest or on.session.current)
    return _report_unknown_agent(on, rest) if text is None else CommandResult(text=text)


def _report_unknown_agent(on: Stage, name: str) -> CommandResult:
    known = ", ".join(on.session.speakers)
    return CommandResult(text=f"there is no agent {name[:40]!r}; there are: {known}", is_ok=False)


def _llm(on: Stage, rest: str) -> CommandResult:
    if not rest:
        return CommandResult(
            text=f"the model is {on.model}; choose another as local or openai:NAME"
        )
    if rest in RETIRED_MODELS:
        return CommandResult(text=f"{rest} is not served any more; the model stays {on.model}")
    try:
        is_chosen = on.choose_model(rest)
    except RestwrightError as error:
        return CommandResult(text=str(error), is_ok=False)
    if not is_chosen:
        return CommandResult(
            text=f"the model stays {on.model}; choose it when you start", is_ok=False
        )
    return CommandResult(text=f"the model is {on.model}")


def _verbose(on: Stage, rest: str) -> CommandResult:
    del rest
    on.is_verbose = not on.is_verbose
    return CommandResult(text=f"verbose is {'on' if on.is_verbose else 'off'}")


def _import(on: Stage, rest: str) -> CommandResult:
    """List the chats that are kept, show one, or take it up again."""
    if not rest:
        lines = [f"{n}: {each['agent']}" for n, each in enumerate(on.saved, 1)]
        return CommandResult(text="\n".join(lines) or "no chat is kept")
    number = re.match(r"\d+", rest)
    if number is None or not 0 < int(number[0]) <= len(on.saved):
        return CommandResult(text=f"there is no chat {rest[:20]}; /import lists them", is_ok=False)
    kept = on.saved[int(number[0]) - 1]
    history = history_from_json(kept)
    if rest.endswith("show"):
        return CommandResult(text="\n".join(map(_format_message, history)))
    if kept["agent"] not in on.session.speakers:
        return _report_unknown_agent(on, kept["agent"])
    on.session.current = kept["agent"]
    on.session.histories[kept["agent"]] = history
    return CommandResult(text=f"{on.session.speaker.title} goes on")


def save_chat(on: Stage) -> None:
    """Keep what was said with who listens for `/import`, once."""
    if on.session.history and (made := json_from_chat(on.session)) not in on.saved:
        on.saved.append(made)


def json_from_chat(of: ManifestSession) -> JsonObject:
    """A chat with who listens as JSON, for `Stage.saved`."""
    messages = [
        {
            "speaker": message.speaker,
            "text": message.text,
            "calls": [
                {"tool": c.tool, "arguments": c.arguments, "id": c.id} for c in message.calls
            ],
            "tool": message.tool,
            "call_id": message.call_id,
        }
        for message in of.history
    ]
    return {"agent": of.current, "messages": messages}


def history_from_json(kept: JsonObject) -> tuple[Message, ...]:
    """What was said in a chat that `json_from_chat()` has made."""
    return tuple(
        Message(
            message["speaker"],
            message["text"],
            tuple(ToolCall(c["tool"], c["arguments"], c["id"]) for c in message["calls"]),
            message["tool"],
            message["call_id"],
        )
        for message in kept["messages"]
    )


def _reload(on: Stage, rest: str) -> CommandResult:
    del rest
    done = _reload_session(on, agent=on.session.current)
    return replace(done, text=f"read again: {done.text}") if done.is_ok else done


def _autotest(on: Stage, rest: str) -> CommandResult:
    return run_autotest(on, rest or "default", run_command=run_slashgpt_command)


def _bye(on: Stage, rest: str) -> CommandResult:
    del rest
    save_chat(on)
    return CommandResult(text="bye", is_end=True)


def _audio(on: Stage, rest: str) -> CommandResult:
    del on, rest
    return CommandResult(text="replies are not spoken here")


def _shorten_line(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _LINE else f"{plain[:_LINE]}..."


SLASHGPT_COMMANDS: Mapping[str, SlashGPTCommand] = MappingProxyType(
    {
        "help": SlashGPTCommand(_help, "what there is; /help AGENT shows a manifest"),
        "sample": SlashGPTCommand(
            _sample,
            "say the sample of this agent; /sample NAME another, /sample AGENT one of that agent",
        ),
        "samples": SlashGPTCommand(_samples, "list the samples of this agent"),
        "switch": SlashGPTCommand(_switch, "list the sets of agents; /switch SET goes there"),
        "new": SlashGPTCommand(_new, "begin anew with this agent"),
        "prompt": SlashGPTCommand(_prompt, "show what this agent is told"),
        "history": SlashGPTCommand(
            _history, "show what was said; /history pop forgets the last of it"
        ),
        "functions": SlashGPTCommand(_functions, "list what this agent can call"),
        "manifest": SlashGPTCommand(
            _manifest, "show the manifest of this agent, and what is doubtful"
        ),
        "llm": SlashGPTCommand(_llm, "show the model; /llm NAME chooses another"),
        "current_llm": SlashGPTCommand(_llm, "show the model"),
        "verbose": SlashGPTCommand(_verbose, "show what goes on, or no longer"),
        "v": SlashGPTCommand(_verbose, "the same"),
        "audio": SlashGPTCommand(_audio, "speech, which is not there"),
        "import": SlashGPTCommand(
            _import, "list chats; /import N goes on with one; /import N show"
        ),
        "reload": SlashGPTCommand(_reload, "read the manifests again"),
        "autotest": SlashGPTCommand(_autotest, "run test/default.json; /autotest NAME another"),
        "bye": SlashGPTCommand(_bye, "end"),
    }
)
"""`{name: command}`, in the order of the help."""
