"""The methods of an object of a manifest's Python file as tools; it runs out of process."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from restwright.errors import NameCollision
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.manifests.functions.code_calls import CodeCall, RunCode
from restwright.manifests.own.manifest import ManifestController
from restwright.net.callbacks import await_callback_result
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.function_tools import FunctionTool, build_function_catalog
from restwright.tools.functions.controller import name_namespace
from restwright.tools.tool import Handler, LocalResult


def load_controller(agent: str, controller: ManifestController, run: RunCode) -> Catalog:
    """
    Load the module in its process, and make tools of what it says its object offers.

    Nothing that it says is believed: its schemas are read as those of any document are, and that a
    method reads holds only where its name does not say otherwise.

    Args:
        agent: Whose code it is.

    Raises:
        ValueError: It cannot be loaded, or offers nothing that could be a tool.
    """
    call = CodeCall(
        agent=agent,
        kind="describe",
        function="",
        arguments={},
        path=str(controller.module),
        owner=controller.owner,
    )
    answered = await_callback_result(run(call), "run")
    described: Json = answered.data[0] if answered.data else None
    if answered.error or not is_object(described):
        raise ValueError(answered.error or "it says nothing of its functions")
    functions = [*_read_functions(described.get("functions"), call, run)]
    if not functions:
        raise ValueError(f"{controller.owner} offers no function")
    components = described.get("components")
    try:
        return build_function_catalog(
            name_namespace(controller.owner),
            functions,
            title=controller.owner,
            components=components if is_object(components) else {},
        )
    except NameCollision as error:
        raise ValueError(error.message) from None


def _read_functions(described: Json, call: CodeCall, run: RunCode) -> Iterator[FunctionTool]:
    for function in described if is_array(described) else ():
        if not (is_object(function) and isinstance(function.get("name"), str)):
            continue
        name: str = function["name"]
        parameters = function.get("parameters")
        yield FunctionTool(
            name=name,
            handler=Handler(run_locally=partial(_call_method, call, run, name)),
            description=str(function.get("description", "")),
            parameters=parameters if is_object(parameters) else {"type": "object"},
            output=function.get("output"),
            returns=str(function.get("returns", "")),
            method="get" if function.get("method") == "get" else "post",
        )


def _call_method(call: CodeCall, run: RunCode, name: str, arguments: JsonObject) -> LocalResult:
    asked = CodeCall(
        agent=call.agent,
        kind="method",
        function=name,
        arguments=arguments,
        path=call.path,
        owner=call.owner,
    )
    answered = await_callback_result(run(asked), "run")
    if answered.error:
        return LocalResult(error=answered.error, may_have_acted=True, is_foreign=True)
    value: Json = answered.data[0] if answered.data else None
    return LocalResult(value=value, is_foreign=value is not None)
