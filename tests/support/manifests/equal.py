"""
A manifest of SlashGPT and its conversion, run with one model against one server: what differs.

The model calls each function once, with arguments that fit its schema, and speaks then. What it was
asked, what the server and the code were sent, what was said and who was handed over to is kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.support.manifests.stub import serving

from restwright.agents.steps import Complete, Completion
from restwright.calls.approval.approval import approve_all
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.manifests.functions.code_calls import CodeAnswer, CodeCall
from restwright.manifests.own.builder import build_blueprint, make_manifest_agent
from restwright.manifests.own.loader import load_manifest
from restwright.manifests.own.stage import reachable_manifests
from restwright.manifests.session.driver import SessionDriver
from restwright.manifests.session.session import ManifestSession
from restwright.manifests.slashgpt.convert_files import convert_path
from restwright.manifests.slashgpt.session import (
    ManifestCollection,
    SessionOptions,
    load_manifest_collection,
    open_session,
)
from restwright.net.http.transport import Transport
from restwright.net.messages import Request, Response, Send
from restwright.tools.toolset.meta_tools import ToolCall

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@dataclass
class FittingModel:
    """Calls the function `wanted` once where it is offered, and speaks else."""

    calls_tools: bool
    name: str = "fitting"
    is_small: bool = True
    wanted: str = ""
    asked: list[Json] = field(default_factory=list[Json])

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        del deadline_s
        said = [[message.speaker, message.text] for message in request.messages]
        names = [tool["name"] for tool in request.tools]
        self.asked.append({"said": said, "tools": names, "temperature": request.temperature})
        call = self._call(request)
        if request.schema is None:
            calls = () if call is None else (ToolCall(*call),)
            return self._completion("" if calls else "Said.", calls)
        made = [] if call is None else [{"tool": call[0], "arguments": call[1]}]
        text = json.dumps({"calls": made, "answer": "" if made else "Said."})
        return self._completion(text)

    def _completion(self, text: str, calls: tuple[ToolCall, ...] = ()) -> Completion:
        return Completion(text=text, input_tokens=1, output_tokens=1, elapsed_s=0.0, calls=calls)

    def _call(self, request: Complete) -> tuple[str, JsonObject] | None:
        shapes = {tool["name"]: tool["parameters"] for tool in request.tools}
        for branch in _branches(request.schema or {}):
            name = branch["properties"]["tool"].get("const")
            shapes[name] = branch["properties"].get("arguments", {})
        if self.wanted not in shapes:
            return None
        name, self.wanted = self.wanted, ""
        return name, fitting(shapes[name])


def _branches(node: Json) -> Iterator[JsonObject]:
    """What of a schema describes the call of one function."""
    if is_object(node):
        properties = node.get("properties")
        if is_object(properties) and is_object(properties.get("tool")):
            yield node
        for value in node.values():
            yield from _branches(value)
    elif isinstance(node, list):
        for value in node:
            yield from _branches(value)


def fitting(schema: Any) -> Any:
    """A value of a schema, always the same one."""
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    kind = schema.get("type")
    if kind == "object" or "properties" in schema:
        return {name: fitting(each) for name, each in schema.get("properties", {}).items()}
    if kind == "array":
        return [fitting(schema.get("items", {}))]
    return {"integer": 2, "number": 2.5, "boolean": True}.get(kind, "{ a b }")


@dataclass
class Ran:
    """What came of a manifest."""

    model: list[Json]
    requests: list[Json]
    code: list[Json]
    texts: list[str]
    switches: list[list[str]]


Opened = Callable[[FittingModel, Send, Callable[[CodeCall], CodeAnswer]], ManifestSession]


def run_both(path: Path, folder: Path, *, native: bool = True) -> tuple[Ran, Ran]:
    """
    Run a manifest and its conversion.

    Args:
        folder: An empty one, which the conversion of all that is beside it is written to.
    """
    loaded = load_manifest_collection(path)
    for file, text in convert_path(path.parent, folder).files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    key = loaded.default
    names = [function.name for function in loaded.manifests[key].functions]
    theirs = _run(_open_theirs(loaded), names, native=native)
    return theirs, _run(_open_ours(folder / f"{key}.yaml"), names, native=native)


def _open_theirs(loaded: ManifestCollection) -> Opened:
    def opened(model: FittingModel, send: Send, run: Callable[[CodeCall], CodeAnswer]) -> Any:
        terms = SessionOptions(model=model, send=send, approve=approve_all, run=run)
        return open_session(loaded, replace(terms, now=lambda: NOON))

    return opened


def _open_ours(file: Path) -> Opened:
    def opened(model: FittingModel, send: Send, run: Callable[[CodeCall], CodeAnswer]) -> Any:
        first = load_manifest(file)
        speakers = {
            name: make_manifest_agent(
                build_blueprint(each, run=run), model, send=send, approve=approve_all, now=NOON
            )
            for name, each in reachable_manifests(first).items()
        }
        drive = SessionDriver(model=model, send=send)
        return ManifestSession(
            speakers=speakers, current=first.name, drive_turn=drive, restarts=False
        )

    return opened


def _run(opened: Opened, names: list[str], *, native: bool) -> Ran:
    model, code = FittingModel(native), list[Json]()

    def run(call: CodeCall) -> CodeAnswer:
        code.append([call.kind, call.function, call.arguments])
        return CodeAnswer(text=f"{call.function} ran")

    with serving(lambda asked: (200, {"path": asked.path})) as stub, Transport() as transport:

        def send(request: Request) -> Response:
            parts = urlsplit(request.url)
            hosts.append([parts.netloc, *sorted(map(list, request.headers))])
            rest = request.url.partition(parts.netloc)[2]
            return transport(replace(request, url=f"{stub.url}{rest}", is_named=True))

        hosts: list[Json] = []
        ran = Ran(model.asked, [], code, [], [])
        for name in (*names, ""):
            # Each begins with the first agent, which hears one thing more after the call.
            session = opened(model, send, run)
            for text in ("Please, {now}.", "And then?"):
                model.wanted = name
                reply = session.ask(text)
                ran.texts.append(reply.text)
                ran.switches.append([turn.agent.replace("-", "_") for turn in reply.turns])
        for host, received in zip(hosts, stub.received, strict=True):
            ran.requests.append([host, received.method, received.path, received.body.decode()])
    return ran


def differences(theirs: Ran, ours: Ran) -> Mapping[str, str]:
    """What is not equal: `{what: the first that differs}`."""
    found: dict[str, str] = {}
    for what, one in vars(theirs).items():
        other = vars(ours)[what]
        if one != other:
            pairs = [(a, b) for a, b in zip(one, other, strict=False) if a != b]
            found[what] = str(pairs[0] if pairs else (len(one), len(other)))
    return found
