"""Runs the code of manifests once the user has allowed it: one process for each file and agent."""

from __future__ import annotations

from base64 import b64encode
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock

from restwright.errors import MissingExtra, RestwrightError
from restwright.jsontypes import Json
from restwright.manifests.code import (
    Calculator,
    CallResult,
    CellResult,
    Module,
    ModuleSettings,
    Notebook,
    NotebookSettings,
    cell_from_call,
    format_for_model,
    query_from_call,
)
from restwright.manifests.code.module import Closeable
from restwright.manifests.dialogue.loop import format_tool_result
from restwright.manifests.functions.code_calls import CodeAnswer, CodeCall

_MOST_NOTEBOOKS = 10_000


@dataclass(slots=True, kw_only=True)
class CodeRunner(Closeable):
    """
    What `Terms.run` is given where code is allowed. To be closed after use.

    A notebook without Jupyter is a sandbox that only calculates. Calls of several threads are made
    one after another.

    Args:
        modules: How Python files are run.
        notebooks: How notebooks are.
        folder: Where notebooks are written, as `AGENT.ipynb` or, beside that, `AGENT-2.ipynb`; None
            for nowhere.
    """

    modules: ModuleSettings = field(default_factory=ModuleSettings)
    notebooks: NotebookSettings = field(default_factory=NotebookSettings)
    folder: Path | None = None
    _modules: dict[tuple[str, tuple[str, ...]], Module] = field(
        default_factory=dict[tuple[str, tuple[str, ...]], Module]
    )
    _objects: dict[tuple[str, str], Module] = field(default_factory=dict[tuple[str, str], Module])
    _cells: dict[str, Notebook | Calculator] = field(
        default_factory=dict[str, "Notebook | Calculator"]
    )

    _one_at_a_time: Lock = field(default_factory=Lock)

    def close(self) -> None:
        """End every process."""
        with ExitStack() as ending:
            running = (self._modules, self._objects, self._cells)
            for module in (module for modules in running for module in modules.values()):
                ending.callback(module.close)
        self._modules.clear()
        self._objects.clear()
        self._cells.clear()

    def __call__(self, call: CodeCall) -> CodeAnswer:
        """Run a function of a file, or a cell; what goes wrong is in the answer."""
        try:
            with self._one_at_a_time:
                return self._carry_out(call)
        except RestwrightError as error:
            return CodeAnswer(error=str(error))

    def _carry_out(self, call: CodeCall) -> CodeAnswer:
        if call.owner:
            return self._object(call)
        return self._function(call) if call.kind == "module" else self._cell(call)

    def _function(self, call: CodeCall) -> CodeAnswer:
        key = (call.path, call.names)
        if key not in self._modules:
            # A manifest may declare functions that actions carry out, under any name.
            names = [name for name in call.names if name.isidentifier()]
            self._modules[key] = Module(call.path, names, self.modules)
        result = self._modules[key].call(call.function, call.arguments)
        if result.error:
            return CodeAnswer(error=format_for_model(result))
        return CodeAnswer(text=_format_value(result))

    def _object(self, call: CodeCall) -> CodeAnswer:
        """A method of an object of a file, or what the object offers."""
        key = (call.path, call.owner)
        if key not in self._objects:
            self._objects[key] = Module(call.path, call.names, self.modules, owner=call.owner)
        module = self._objects[key]
        if call.kind == "describe":
            result = module.describe()
        else:
            result = module.call(call.function, call.arguments)
        if result.error:
            return CodeAnswer(error=format_for_model(result))
        return CodeAnswer(data=(result.value,))

    def _cell(self, call: CodeCall) -> CodeAnswer:
        cell = cell_from_call(call.function, call.arguments)
        if cell is None:
            return CodeAnswer(error=f"{call.function} needs code")
        result = self._notebook(call.agent).run(cell, query=query_from_call(call.arguments))
        if result.error:
            return CodeAnswer(error=format_for_model(result), data=_encode_images(result))
        return CodeAnswer(text=format_for_model(result), data=_encode_images(result))

    def _notebook(self, agent: str) -> Notebook | Calculator:
        if agent not in self._cells:
            try:
                made = Notebook(replace(self.notebooks, path=self._path(agent)))
            except MissingExtra:
                made = Calculator()
            self._cells[agent] = made
        return self._cells[agent]

    def _path(self, agent: str) -> Path | None:
        """A file that is not there yet."""
        if self.folder is None:
            return self.notebooks.path
        names = (f"{agent}-{number}" for number in range(2, _MOST_NOTEBOOKS))
        paths = (self.folder / f"{name}.ipynb" for name in (agent, *names))
        return next((path for path in paths if not path.exists()), None)


def _format_value(result: CallResult) -> str:
    """
    What a function gave: of a pair, the first; the second is words about it.

    Source: SlashGPT, "module": a function returns `(result, message)`.
    """
    value: Json = result.value
    if result.is_tuple and len(value) == 2:
        told, words = value
        return "\n".join(filter(None, (format_tool_result(told), str(words) if words else "")))
    return format_tool_result(value)


def _encode_images(result: CellResult) -> tuple[Json, ...]:
    return tuple(
        {
            "name": image.name,
            "media_type": image.media_type,
            "content": b64encode(image.content).decode(),
        }
        for image in result.images
    )
