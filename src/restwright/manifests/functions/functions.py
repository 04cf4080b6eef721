"""From the functions and actions of a manifest to tools, and to what its model is offered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol
from urllib.parse import quote, urlsplit

from restwright.calls.truncate import compact_json
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.manifests.functions.actions import ManifestAction, url_authority
from restwright.manifests.functions.code_calls import OFF, CodeCall, RunCode
from restwright.manifests.functions.handoff import fill_handoff_data
from restwright.manifests.functions.requests import (
    RequestSettings,
    build_action_request,
    is_mutation,
)
from restwright.manifests.session.session import HandoffRequest
from restwright.manifests.text.placeholders import fill_template
from restwright.net.callbacks import await_callback_result
from restwright.openapi.model import Method, Operation
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.function_tools import (
    FunctionTool,
    build_function_catalog,
    tool_names_by_function,
)
from restwright.tools.tool import Handler, LocalResult, Tool

NOTEBOOK_NAMES = ("run_python_code", "python", "draw_diagram")
"""The functions that a notebook carries out."""
RUN_CODE = NOTEBOOK_NAMES[0]

_READS = Operation(method=Method("query"), path="/", pointer="")
_WRITES = Operation(method=Method("post"), path="/", pointer="")
_CODE: JsonObject = {
    "type": "object",
    "properties": {"code": {"type": "string"}, "query": {"type": "string"}},
    "required": ["code"],
}


class FunctionSpec(Protocol):
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
class ManifestCode:
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


def build_abilities(
    namespace: str,
    functions: Sequence[FunctionSpec],
    actions: Mapping[str, ManifestAction],
    *,
    settings: RequestSettings,
    code: ManifestCode,
    title: str = "",
) -> Abilities:
    """
    Make tools of functions, each carried out as its action says.

    What is looked for first is an action, then the notebook, then the Python file. A function that
    nothing carries out says so when it is called.
    """
    names = tuple(function.name for function in functions)
    plain = [
        _build_function(
            function.name, function.description, function.parameters, actions, settings, code, names
        )
        for function in functions
    ]
    hidden = [
        literal for literal in NOTEBOOK_NAMES[:2] if code.has_notebook and literal not in names
    ]
    plain += [_build_function(name, name, _CODE, {}, settings, code, names) for name in hidden]
    if not plain:
        return Abilities()
    catalog = build_function_catalog(namespace, plain, title=title)
    tools = tool_names_by_function(catalog)
    offered = tuple(
        Ability(
            name=tool.name,
            tool=catalog[tools[tool.name]],
            is_hidden=tool.name in hidden,
            bare_name="code" if code.has_notebook and tool.name in NOTEBOOK_NAMES else "",
            is_foreign=_is_foreign(actions.get(tool.name)),
            has_data=tool.name not in actions,
        )
        for tool in plain
    )
    return Abilities(catalog=catalog, offered=offered)


def _is_foreign(action: ManifestAction | None) -> bool:
    return action is None or action.kind in {"rest", "graphQL"}


def _build_function(
    name: str,
    description: str,
    parameters: JsonObject,
    actions: Mapping[str, ManifestAction],
    settings: RequestSettings,
    code: ManifestCode,
    names: tuple[str, ...],
) -> FunctionTool:
    action = actions.get(name)
    made = FunctionTool(
        name=name,
        handler=Handler(),
        description=description,
        parameters=parameters,
        path=f"/{name}",
    )
    if action is None:
        return _with_handler(made, Handler(run_locally=_code_handler(name, code, names)))
    if action.kind == "rest":
        own = Handler(build_request=lambda given: build_action_request(action, given, settings))
        return _with_handler(made, own, method=action.method, path=_display_path(action))
    if action.kind == "graphQL":
        own = Handler(
            build_request=lambda given: build_action_request(action, given, settings),
            narrow_operation=lambda given: _WRITES if is_mutation(given) else _READS,
        )
        return _with_handler(made, own, method="post", path=_display_path(action))
    make = _LOCAL[action.kind]
    own = Handler(
        run_locally=lambda given: LocalResult(value=make(action, given)), is_read_only=True
    )
    return _with_handler(made, own)


def _with_handler(
    plain: FunctionTool, handler: Handler, *, method: str = "get", path: str = ""
) -> FunctionTool:
    return replace(plain, handler=handler, method=method, path=path or plain.path)


def _display_path(action: ManifestAction) -> str:
    """The path of the URL, for people; without braces, which would be inputs of an operation."""
    rest = action.url[len(url_authority(action.url)) :]
    path = urlsplit(rest).path or "/"
    return path.replace("{", ":").replace("}", "")


def data_url_message(action: ManifestAction, arguments: JsonObject) -> str:
    """What a model is told of the file that is made of a template: a message with its data URL."""
    text = fill_template(action.template, arguments)
    encoded = quote(text, safe="", errors="replace")
    url = f"data:{action.mime_type or 'text/plain'};charset=utf-8,{encoded}"
    return fill_template(action.message or "{url}", {**arguments, "url": url})


_LOCAL: Mapping[str, Callable[[ManifestAction, JsonObject], Json]] = {
    "data_url": data_url_message,
    "message_template": lambda action, given: fill_template(action.message, given),
    "emit": lambda action, given: fill_handoff_data(action.emit_data, given),
    "debug": lambda action, given: f"{action.name}: {compact_json(given)}",
}


def _code_handler(
    name: str, code: ManifestCode, names: tuple[str, ...]
) -> Callable[[JsonObject], LocalResult]:
    """Carry a function out that is code, or say why nothing does."""
    is_cell = code.has_notebook and name in NOTEBOOK_NAMES

    def answer(arguments: JsonObject) -> LocalResult:
        if not is_cell and not code.module:
            return LocalResult(error=f"Nothing carries out {name} here; tell the user so.")
        if code.is_missing and not is_cell:
            return LocalResult(
                error=f"{name} is in {code.module}, which is not there.", is_user_refusal=True
            )
        if code.run is None:
            return LocalResult(error=OFF, is_user_refusal=True)
        asked = CodeCall(
            agent=code.agent,
            kind="notebook" if is_cell else "module",
            function=name,
            arguments=_join_cell_lines(arguments) if is_cell else arguments,
            path="" if is_cell else code.module,
            names=names,
        )
        answered = await_callback_result(code.run(asked), "run")
        if answered.error:
            return LocalResult(error=answered.error, may_have_acted=True)
        text = (
            fill_template(code.result_form, {"result": answered.text}) if code.result_form else ""
        )
        return LocalResult(value={"text": text or answered.text, "data": [*answered.data]})

    return answer


def _join_cell_lines(arguments: JsonObject) -> JsonObject:
    """A cell as one text, whether a model wrote it as one or line by line."""
    code = arguments.get("code", "")
    lines = [str(character).rstrip("\n") for character in code] if is_array(code) else [str(code)]
    return {**arguments, "code": "\n".join(lines)}


def find_shared_keys(
    actions: Iterable[ManifestAction], domain: Callable[[str], str]
) -> frozenset[str]:
    """
    The names of secrets that actions send to hosts of different owners.

    Args:
        domain: The part of a host that somebody registered.
    """
    hosts: dict[str, set[str]] = {}
    for action in actions:
        if action.appkey:
            hosts.setdefault(action.appkey, set()).add(domain(action.origin.host))
    return frozenset(name for name, several in hosts.items() if len(several) > 1)


def restrict_choices(parameters: JsonObject, name: str, choices: Sequence[str]) -> JsonObject:
    """A schema whose parameter `name` is one of `choices`."""
    properties = parameters.get("properties")
    own = properties.get(name) if is_object(properties) else None
    if not is_object(properties) or not is_object(own):
        return parameters
    return {**parameters, "properties": {**properties, name: {**own, "enum": [*choices]}}}


class HandoffFactory(Protocol):
    """Makes a switch of a call, or says why there is none."""

    def __call__(self, arguments: JsonObject) -> HandoffRequest | str:
        """Return the switch, or what the model is told."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ability:
    """
    A function that the model may call.

    Args:
        name: As the model knows it.
        tool: By which its calls are checked and made.
        make_handoff: Of a function that hands over; None for one that is called.
        is_hidden: Whether it is only there for a model that calls it unasked.
        bare_name: The argument that a text stands for which is no JSON; empty for none.
        is_foreign: Whether what it gives comes from elsewhere, and is marked as data.
        has_data: Whether it gives `{"text", "data"}`, of which the model is told the text.
    """

    name: str
    tool: Tool
    make_handoff: HandoffFactory | None = None
    is_hidden: bool = False
    bare_name: str = ""
    is_foreign: bool = True
    has_data: bool = False

    @property
    def tool_shape(self) -> JsonObject:
        """What the model is offered."""
        shown = self.tool.separated.model.shows if self.tool.separated else self.tool.shows
        return {"name": self.name, "description": self.tool.description, "parameters": shown}
