"""Who decides: the right calls, a search and rules, or a model."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from restwright.agents.steps import Complete, Message, Model
from restwright.calls.arguments.check import parse_arguments
from restwright.calls.truncate import compact_json, shorten_json
from restwright.errors import LimitReached, UnreadableArguments
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.tools.search import search
from restwright.tools.search.stop_words import STOP_WORDS
from restwright.tools.tool import Tool
from restwright_bench.calling.prompt import bounded
from restwright_bench.spaces.modes import CHOOSE, Offering
from restwright_bench.spaces.question import Question
from restwright_bench.spaces.store import TODAY
from restwright_bench.spaces.trial import ANSWER, Meter, Move, Moves, Told, namespaces_in

FINISH = "finish"
_TRIES = 2
_LOOKED_AT = 5
_IDENTIFIER = re.compile("Identif|Nombre|How many")
_QUOTED = re.compile(r'"(.+?)"')
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_WORD = re.compile(r"\w[\w'-]*")
_COMMON = STOP_WORDS["english"] | STOP_WORDS["french"]
RULES = """\
You do what the user asks for by calling tools, one after the other. Each time, name the next tool \
to call, or `finish` as soon as it is done or known. Choose the tool whose description fits; take \
ids from results, never make them up. Today is {today}.
Tools, one a line:
{tools}"""
MORE = "\nWhat is not listed can be found by `search_tools` and called by `call_tool`."
ASK_TOOL = "The user asks: {text}\nWhich tool next? `finish` where the results above are enough."
ASK_ARGUMENTS = (
    "The arguments of {name}? Take them from what the user says and from results above; null for "
    "what neither says."
)
ASK_ANSWER = "Answer the user in a sentence or two, with the names, numbers or URLs of the results."
RULES_SPACES = """\
A user asks for something that these APIs can do. Choose the APIs whose tools it takes: one, or \
several where something of one goes into another.
{apis}"""
ASK_SPACES = "The user asks: {text}\nWhich APIs does that take? Name each."
CHARACTERS_PER_TOKEN = 4
CALLS_ONCE = "a call that was made ends the task when it is chosen again"
"""What decides beside the prompts."""
PROMPTS = (CALLS_ONCE, RULES_SPACES, ASK_SPACES, RULES, MORE, ASK_TOOL, ASK_ARGUMENTS, ASK_ANSWER)


@dataclass(frozen=True, slots=True)
class ScriptedChooser:
    """
    Makes the right calls. Where a tool is not offered, it is looked for and called by `call_tool`.

    Shows what can be reached in a mode at best.
    """

    name: str = "scripted"

    def moves(self, question: Question, offering: Offering, meter: Meter) -> Moves:
        """Follow the script of the task."""
        script = question.script()
        value: Json = None
        is_searched = False
        if offering.narrow is not None:
            spaces = sorted(question.namespaces)
            yield Move(CHOOSE, {"namespaces": spaces})
            offering = offering.narrow(spaces)
        while True:
            try:
                do = script.send(value)
            except StopIteration as stop:
                return stop.value
            if shown := offering.names.get(do.tool):
                value = (yield Move(shown, do.arguments)).value
                continue
            if not is_searched:
                yield Move("search_tools", {"query": question.text})
                is_searched = True
            call = {"name": do.tool, "arguments": do.arguments}
            value = (yield Move("call_tool", call)).value


@dataclass(frozen=True, slots=True)
class LexicalChooser:
    """
    Calls once the best found tool that it can call, and says what came back.

    That is the first of the five that a search finds whose required arguments a rule can fill in.
    Of namespaces it chooses those of these five.
    """

    name: str = "lexical"

    def moves(self, question: Question, offering: Offering, meter: Meter) -> Moves:
        """Call one tool; in mode `meta`, search for it before."""
        text = question.text
        if offering.narrow is not None:
            every = offering.narrow([*offering.catalog.apis])
            spaces = [*dict.fromkeys(each.namespace for each in _found(text, every))]
            yield Move(CHOOSE, {"namespaces": spaces})
            offering = offering.narrow(spaces)
        if offering.names:
            tool = _callable(_found(text, offering), text)
            told = yield Move(offering.names[tool.name], filled(tool, text))
            return _said(tool, told.value)
        listed = (yield Move("search_tools", {"query": text})).value["tools"]
        tool = _callable([offering.catalog[each["name"]] for each in listed], text)
        told = yield Move("call_tool", {"name": tool.name, "arguments": filled(tool, text)})
        return _said(tool, told.value)


def _found(text: str, offering: Offering) -> list[Tool]:
    """What is offered, best first, found as it is offered: flat names say no API."""
    tools = [offering.catalog[each] for each in offering.names]
    if offering.mode == "flat":
        names = offering.names
        tools = [replace(each, name=names[each.name], namespace="", document={}) for each in tools]
    found = [each.tool for each in search(text, tools, k=_LOOKED_AT)] or tools
    meant = [offering.dispatch(each.name)[0] for each in found]
    return [each for each in meant if each is not None]


def _callable(tools: Sequence[Tool], text: str) -> Tool:
    fit = (each for each in tools[:_LOOKED_AT] if set(each.required) <= filled(each, text).keys())
    return next(fit, tools[0])


def _said(tool: Tool, value: Json) -> str:
    """What came back; of what was searched for or cut to a number the first."""
    items = value.get("items") if is_object(value) else None
    is_ranked = {"q", "limit"} & tool.properties.keys()
    return shorten_json(items[0] if items and is_ranked else value, ANSWER)


def filled(tool: Tool, text: str) -> JsonObject:
    """Arguments from the words of a task: what stands in quotes, days, choices that it names."""
    quoted = _QUOTED.findall(text)
    days = _DAY.findall(text)
    found: JsonObject = {}
    for name, schema in tool.properties.items():
        if "enum" in schema:
            if named := [each for each in schema["enum"] if each in text.lower()]:
                found[name] = named[0]
        elif "pattern" in schema:
            found.update(zip([name], days, strict=False))
        elif name == "q":
            found[name] = quoted[0] if quoted else _content(text)
        elif quoted and not _IDENTIFIER.match(schema.get("description", "")):
            found[name] = quoted.pop(0)
    return found


def _content(text: str) -> str:
    return " ".join(each for each in _WORD.findall(text) if each.lower() not in _COMMON)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChooser:
    """
    Lets a model choose: first the name of a tool, then its arguments, each in a short reply.

    What is offered is one text at the beginning, and what follows is only added to or cut off, so
    that a prompt is processed once. A call that was made before is not made again: what comes of it
    is known, and the model answers (`react` of restwright ends there, too). A reply is held to the
    names that are offered, by those models that can be; what the model writes nevertheless is
    looked up as it is.

    Args:
        seconds: Of one task.
        context: Tokens of a prompt and its reply together, where that is known: a prompt that is
            longer, at four characters a token, is not sent.
    """

    model: Model
    seconds: float = 900.0
    context: int | None = None
    tries: int = field(default=_TRIES, repr=False)

    @property
    def name(self) -> str:
        """The model's."""
        return self.model.name

    def moves(self, question: Question, offering: Offering, meter: Meter) -> Moves:
        """Talk with the model until it says that it is done."""
        talk = _Talk(self, meter)
        if offering.narrow is not None:
            chosen = _namespaces(talk, question, offering)
            yield Move(CHOOSE, chosen)
            offering = offering.narrow(namespaces_in(chosen))
        again = ASK_TOOL.format(text=question.text)
        talk.say("system", _rules(offering))
        talk.say("user", again)
        made = set[str]()
        while (name := talk.ask("selector", _choice(offering), 60).get("tool")) != FINISH:
            arguments = self._arguments(talk, str(name), offering)
            if (call := f"{name} {compact_json(arguments)}") in made:
                break
            made.add(call)
            told: Told = yield Move(str(name), arguments)
            offering = _after(offering, str(name), arguments)
            talk.messages[0] = Message("system", _rules(offering))
            talk.say("user", f"Result: {told.text}\n\n{again}")
        talk.say("user", ASK_ANSWER)
        return str(talk.ask("answerer", _ANSWER, 200).get("answer", ""))

    @staticmethod
    def _arguments(talk: _Talk, name: str, offering: Offering) -> JsonObject:
        schema = _schema(name, offering)
        if not schema.get("properties"):
            return {}
        talk.say("user", ASK_ARGUMENTS.format(name=name))
        reply = talk.ask("caller", bounded(_nullable(schema)), 300)
        return {each: value for each, value in reply.items() if value is not None}


def _namespaces(talk: _Talk, question: Question, offering: Offering) -> JsonObject:
    """Ask which APIs the task takes, in words of their own: what all tasks share stays short."""
    apis = "\n".join(
        f"{name}: {each.title}. {each.description}" for name, each in offering.catalog.apis.items()
    )
    talk.say("system", RULES_SPACES.format(apis=apis))
    talk.say("user", ASK_SPACES.format(text=question.text))
    chosen = talk.ask("namespaces", offering.meta[CHOOSE], 60)
    talk.messages.clear()
    return chosen


def _rules(offering: Offering) -> str:
    rules = RULES.format(today=TODAY, tools=offering.text)
    return f"{rules}{MORE}" if "search_tools" in offering.meta else rules


def _after(offering: Offering, name: str, arguments: JsonObject) -> Offering:
    """What is offered after a call: other tools where others were chosen."""
    if name != CHOOSE or offering.narrow is None:
        return offering
    return offering.narrow(namespaces_in(arguments))


def _nullable(schema: JsonObject) -> JsonObject:
    """
    The schema with all that may be left out as null instead.

    A small model decides better about each argument in turn than about which to leave out.
    """
    required = schema.get("required", ())
    properties = {
        name: each if name in required else {"anyOf": [each, {"type": "null"}]}
        for name, each in schema["properties"].items()
    }
    return {**schema, "properties": properties, "required": [*properties]}


_ANSWER: JsonObject = {
    "type": "object",
    "properties": {"answer": {"type": "string", "maxLength": ANSWER}},
    "required": ["answer"],
    "additionalProperties": False,
}


def _choice(offering: Offering) -> JsonObject:
    return {
        "type": "object",
        "properties": {"tool": {"enum": [*offering.listed, FINISH]}},
        "required": ["tool"],
        "additionalProperties": False,
    }


def _schema(name: str, offering: Offering) -> JsonObject:
    """The schema of a tool's arguments; empty where there is no such tool."""
    if name in offering.meta:
        return offering.meta[name]
    tool, _ = offering.dispatch(name)
    return {} if tool is None else tool.checks


@dataclass(slots=True)
class _Talk:
    """A conversation with a model that only grows."""

    chooser: ModelChooser
    meter: Meter
    messages: list[Message] = field(default_factory=list[Message])
    started: float = field(default_factory=time.monotonic)

    def say(self, speaker: str, text: str) -> None:
        """Add a message."""
        self.messages.append(Message(speaker, text))  # type: ignore[arg-type]

    def ask(self, role: str, schema: JsonObject, max_tokens: int) -> JsonObject:
        """
        The model's next reply; nothing where none can be read.

        Raises:
            LimitReached: The time of the task is used up, or the prompt is too long.
        """
        for _ in range(self.chooser.tries):
            text = self._completed(role, schema, max_tokens)
            try:
                reply = parse_arguments(text)
            except UnreadableArguments as error:
                self.say("assistant", text[:500] or "{}")
                self.say("user", f"That cannot be read: {error.why}. Reply with a JSON object.")
                continue
            self.say("assistant", text[:1_000])
            return reply
        return {}

    def _completed(self, role: str, schema: JsonObject, max_tokens: int) -> str:
        used, most = time.monotonic() - self.started, self.chooser.seconds
        if used > most:
            raise LimitReached("seconds", used)
        self._hold(max_tokens)
        request = Complete(
            role=role, messages=tuple(self.messages), schema=schema, max_tokens=max_tokens
        )
        completion = self.chooser.model.complete(request, deadline_s=most - used)
        self.meter.model_calls += 1
        self.meter.input_tokens += completion.input_tokens
        self.meter.output_tokens += completion.output_tokens
        return completion.text

    def _hold(self, max_tokens: int) -> None:
        """Refuse a prompt that is too long."""
        characters = sum(len(each.text) for each in self.messages)
        tokens = characters // CHARACTERS_PER_TOKEN + max_tokens
        if self.chooser.context is not None and tokens > self.chooser.context:
            raise LimitReached("context", tokens)
