"""From the functions and actions of a manifest to tools, and to what its model is offered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol
from urllib.parse import quote, urlsplit

from restwright.calls.truncate import compact
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.manifests.functions.actions import Action, authority
from restwright.manifests.functions.code_calls import OFF, CodeCall, RunCode
from restwright.manifests.functions.handoff import emitted
from restwright.manifests.functions.requests import Reach, is_mutation, request_of
from restwright.manifests.session.session import Switch
from restwright.manifests.text.placeholders import fill
from restwright.net.callbacks import settled
from restwright.openapi.model import Method, Operation
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.function_tools import Plain, names_in, plain_catalog
from restwright.tools.tool import Own, Said, Tool

NOTEBOOK = ("run_python_code", "python", "draw_diagram")
"""The functions that a notebook carries out."""
RUN = NOTEBOOK[0]

_READS = Operation(method=Method("query"), path="/", pointer="")
_WRITES = Operation(method=Method("post"), path="/", pointer="")
_CODE: JsonObject = {
    "type": "object",
    "properties": {"code": {"type": "string"}, "query": {"type": "string"}},
    "required": ["code"],
}


class Described(Protocol):
    """A function as a manifest describes it."""

    @property
    def name(self) -> str:
        """By which it is called."""
        ...

    @property
    def description(self) -> str:
        """For the model."""
        ...

    @property
    def parameters(self) -> JsonObject:
        """JSON Schema of an object."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """
    The code of a manifest.

    Args:
        agent: Its key.
        run: Runs it; None where code is off.
        module: The Python file; empty for none.
        is_missing: Whether that file is not there.
        has_notebook: Whether it has a notebook.
        result_form: Template of what the model is told; empty for what came of it as it is.
    """

    agent: str
    run: RunCode | None = None
    module: str = ""
    is_missing: bool = False
    has_notebook: bool = False
    result_form: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """
    What an agent can do.

    Args:
        catalog: Its tools; None where it has none.
        offered: As its model knows them.
    """

    catalog: Catalog | None = None
    offered: tuple[Ability, ...] = field(default=())


def abilities_of(
    namespace: str,
    functions: Sequence[Described],
    actions: Mapping[str, Action],
    *,
    reach: Reach,
    code: Code,
    title: str = "",
) -> Abilities:
    """
    Make tools of functions, each carried out as its action says.

    What is looked for first is an action, then the notebook, then the Python file. A function that
    nothing carries out says so when it is called.
    """
    names = tuple(each.name for each in functions)
    plain = [
        _plain(each.name, each.description, each.parameters, actions, reach, code, names)
        for each in functions
    ]
    hidden = [each for each in NOTEBOOK[:2] if code.has_notebook and each not in names]
    plain += [_plain(each, each, _CODE, {}, reach, code, names) for each in hidden]
    if not plain:
        return Abilities()
    catalog = plain_catalog(namespace, plain, title=title)
    tools = names_in(catalog)
    offered = tuple(
        Ability(
            name=each.name,
            tool=catalog[tools[each.name]],
            is_hidden=each.name in hidden,
            bare="code" if code.has_notebook and each.name in NOTEBOOK else "",
            is_foreign=_is_foreign(actions.get(each.name)),
            has_data=each.name not in actions,
        )
        for each in plain
    )
    return Abilities(catalog=catalog, offered=offered)


def _is_foreign(action: Action | None) -> bool:
    return action is None or action.kind in {"rest", "graphQL"}


def _plain(
    name: str,
    description: str,
    parameters: JsonObject,
    actions: Mapping[str, Action],
    reach: Reach,
    code: Code,
    names: tuple[str, ...],
) -> Plain:
    action = actions.get(name)
    made = Plain(
        name=name, own=Own(), description=description, parameters=parameters, path=f"/{name}"
    )
    if action is None:
        return _with(made, Own(answers=_code(name, code, names)))
    if action.kind == "rest":
        own = Own(asks=lambda given: request_of(action, given, reach))
        return _with(made, own, method=action.method, path=_path(action))
    if action.kind == "graphQL":
        own = Own(
            asks=lambda given: request_of(action, given, reach),
            narrowed=lambda given: _WRITES if is_mutation(given) else _READS,
        )
        return _with(made, own, method="post", path=_path(action))
    make = _LOCAL[action.kind]
    own = Own(answers=lambda given: Said(value=make(action, given)), changes_nothing=True)
    return _with(made, own)


def _with(plain: Plain, own: Own, *, method: str = "get", path: str = "") -> Plain:
    return replace(plain, own=own, method=method, path=path or plain.path)


def _path(action: Action) -> str:
    """The path of the URL, for people; without braces, which would be inputs of an operation."""
    rest = action.url[len(authority(action.url)) :]
    path = urlsplit(rest).path or "/"
    return path.replace("{", ":").replace("}", "")


def data_url(action: Action, arguments: JsonObject) -> str:
    """What a model is told of the file that is made of a template: a message with its data URL."""
    text = fill(action.template, arguments)
    encoded = quote(text, safe="", errors="replace")
    url = f"data:{action.mime_type or 'text/plain'};charset=utf-8,{encoded}"
    return fill(action.message or "{url}", {**arguments, "url": url})


_LOCAL: Mapping[str, Callable[[Action, JsonObject], Json]] = {
    "data_url": data_url,
    "message_template": lambda action, given: fill(action.message, given),
    "emit": lambda action, given: emitted(action.emit_data, given),
    "debug": lambda action, given: f"{action.name}: {compact(given)}",
}


def _code(name: str, code: Code, names: tuple[str, ...]) -> Callable[[JsonObject], Said]:
    """Carry a function out that is code, or say why nothing does."""
    is_cell = code.has_notebook and name in NOTEBOOK

    def answer(arguments: JsonObject) -> Said:
        if not is_cell and not code.module:
            return Said(error=f"Nothing carries out {name} here; tell the user so.")
        if code.is_missing and not is_cell:
            return Said(error=f"{name} is in {code.module}, which is not there.", is_of_user=True)
        if code.run is None:
            return Said(error=OFF, is_of_user=True)
        asked = CodeCall(
            agent=code.agent,
            kind="notebook" if is_cell else "module",
            function=name,
            arguments=_with_text(arguments) if is_cell else arguments,
            path="" if is_cell else code.module,
            names=names,
        )
        answered = settled(code.run(asked), "run")
        if answered.error:
            return Said(error=answered.error, may_have_acted=True)
        text = fill(code.result_form, {"result": answered.text}) if code.result_form else ""
        return Said(value={"text": text or answered.text, "data": [*answered.data]})

    return answer


def _with_text(arguments: JsonObject) -> JsonObject:
    """A cell as one text, whether a model wrote it as one or line by line."""
    code = arguments.get("code", "")
    lines = [str(each).rstrip("\n") for each in code] if is_array(code) else [str(code)]
    return {**arguments, "code": "\n".join(lines)}


def shared_keys(actions: Iterable[Action], domain: Callable[[str], str]) -> frozenset[str]:
    """
    The names of secrets that actions send to hosts of different owners.

    Args:
        domain: The part of a host that somebody registered.
    """
    hosts: dict[str, set[str]] = {}
    for each in actions:
        if each.appkey:
            hosts.setdefault(each.appkey, set()).add(domain(each.origin.host))
    return frozenset(name for name, several in hosts.items() if len(several) > 1)


def with_choices(parameters: JsonObject, name: str, choices: Sequence[str]) -> JsonObject:
    """A schema whose parameter `name` is one of `choices`."""
    properties = parameters.get("properties")
    own = properties.get(name) if is_object(properties) else None
    if not is_object(properties) or not is_object(own):
        return parameters
    return {**parameters, "properties": {**properties, name: {**own, "enum": [*choices]}}}


class SwitchOf(Protocol):
    """Makes a switch of a call, or says why there is none."""

    def __call__(self, arguments: JsonObject) -> Switch | str:
        """Return the switch, or what the model is told."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ability:
    """
    A function that the model may call.

    Args:
        name: As the model knows it.
        tool: By which its calls are checked and made.
        switch: Of a function that hands over; None for one that is called.
        is_hidden: Whether it is only there for a model that calls it unasked.
        bare: The argument that a text stands for which is no JSON; empty for none.
        is_foreign: Whether what it gives comes from elsewhere, and is marked as data.
        has_data: Whether it gives `{"text", "data"}`, of which the model is told the text.
    """

    name: str
    tool: Tool
    switch: SwitchOf | None = None
    is_hidden: bool = False
    bare: str = ""
    is_foreign: bool = True
    has_data: bool = False

    @property
    def shape(self) -> JsonObject:
        """What the model is offered."""
        shown = self.tool.separated.model.shows if self.tool.separated else self.tool.shows
        return {"name": self.name, "description": self.tool.description, "parameters": shown}
