"""A notebook: cells that are run one after the other by a Jupyter kernel, and kept as a file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from restwright.errors import UnusableCode
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.manifests.code.kernel import Kernel, require_jupyter
from restwright.manifests.code.limits import NotebookSettings, ProcessStopReason, require_posix
from restwright.manifests.code.module import Closeable
from restwright.manifests.code.outputs import CellOutputs
from restwright.manifests.code.results import CellResult
from restwright.net.storage import write_private_file

INTERRUPT_SECONDS = 2.0
IDLE_SECONDS = 1.0
"""What is waited after the reply to a cell for outputs that are still on their way."""

_WHY: dict[str, str] = {
    "seconds": "it took longer than {seconds:g} seconds and could not be interrupted",
    "computing": "it computed for more than {cpu} seconds",
    "memory": "it took more than {memory:,} MiB of memory",
    "processes": "it started more than {processes} processes",
    "files": "it wrote more than {folder:,} MiB of files",
    "output": "it printed too much and could not be interrupted",
    "died": "its process ended by itself",
}


class Notebook(Closeable):
    """
    Cells that share their variables, in a kernel of their own.

    Nothing is started before the first cell. When the kernel dies or is ended by a limit, the
    result says so, and the next cell gets a new one. Not for several threads at a time.

    Raises:
        MissingExtra: Jupyter is not installed.
        UnusableCode: The file cannot be one, or is there already; or the system has no limits.
    """

    def __init__(self, settings: NotebookSettings = NotebookSettings()) -> None:  # noqa: B008
        require_posix("a notebook")
        require_jupyter()
        if settings.path is not None:
            _check_path(settings.path)
        self.settings = settings
        self._kernel: Kernel | None = None
        self._cells: list[JsonObject] = []
        self._number = 0

    @property
    def protections(self) -> tuple[str, ...]:
        """What holds the running kernel, such as `limits`, `files`, `no network`."""
        return self._kernel.protections() if self._kernel is not None else ()

    def close(self) -> None:
        """End the kernel; the file stays."""
        if self._kernel is not None:
            self._kernel.end()
            self._kernel = None

    def run(self, cell: str, *, query: str = "") -> CellResult:
        """
        Run `cell`, and keep it with what it shows.

        Never raises for what the code does: every failure is a text in the result. An interrupt
        (Ctrl-C) stops the cell; variables are kept unless it does not stop, and then the next
        cell says so (`is_fresh`).

        Args:
            query: What the user asked; stands above the cell in the file.

        Raises:
            UnusableCode: No process can be started, or a file of `reads` is not there.
        """
        limits = self.settings.limits
        if len(cell) > limits.arguments_bytes:
            return CellResult(error=f"the cell is over {limits.arguments_bytes:,} characters")
        is_fresh = self._number > 0 and not self._is_running()
        if not self._is_running() and not self._start():
            return CellResult(error="the kernel did not start in time", stopped="died")
        self._number += 1
        outputs = CellOutputs(number=self._number, source=cell, settings=self.settings)
        try:
            stopped = self._execute(cell, outputs)
        finally:
            unsaved = self._save_cell(cell, outputs, query)
        return CellResult(
            text="\n".join(part for part in (outputs.text(), unsaved) if part),
            images=tuple(outputs.images),
            error=outputs.error,
            stopped=stopped,
            is_fresh=is_fresh,
        )

    def _start(self) -> bool:
        """Start a kernel; whether it is ready."""
        self.close()
        self._kernel = Kernel(self.settings)
        is_ready = False
        try:
            is_ready = self._kernel.wait_until_ready()
        finally:
            if not is_ready:
                self.close()
        return is_ready

    def _is_running(self) -> bool:
        return self._kernel is not None and self._kernel.is_running

    def _execute(self, cell: str, outputs: CellOutputs) -> ProcessStopReason:
        """Run the cell; what ended the kernel, if anything did."""
        assert self._kernel is not None  # noqa: S101
        kernel, seconds = self._kernel, self.settings.limits.seconds
        content: JsonObject = {"code": cell, "silent": False, "store_history": True}
        content |= {"user_expressions": {}, "allow_stdin": False}
        asked = kernel.send("shell", "execute_request", content)
        try:
            if _gather_outputs(kernel, asked, outputs, until=time.monotonic() + seconds):
                return ""
        except BaseException:
            # Ctrl-C: the cell is to run no longer either.
            self._stop(kernel, asked, outputs)
            raise
        if kernel.is_running:
            over: ProcessStopReason = "output" if outputs.is_over_limit else "seconds"
            if _interrupt_cell(kernel, asked):
                why = (
                    "it printed too much"
                    if outputs.is_over_limit
                    else f"it took over {seconds:g} s"
                )
                outputs.error = f"{why} and was interrupted; variables are kept"
                return ""
            kernel.end()
            return self._ended_result(over, outputs)
        return self._ended_result(kernel.end() or "died", outputs)

    def _stop(self, kernel: Kernel, asked: str, outputs: CellOutputs) -> None:
        """Interrupt the cell, or end the kernel where that fails or is not waited for either."""
        outputs.error = "it was interrupted; variables are kept"
        is_stopped = False
        try:
            is_stopped = _interrupt_cell(kernel, asked)
        finally:
            if not is_stopped:
                outputs.error = "it was interrupted; all variables are gone"
                self.close()

    def _ended_result(self, stopped: ProcessStopReason, outputs: CellOutputs) -> ProcessStopReason:
        limits = self.settings.limits
        why = _WHY[stopped].format(
            seconds=limits.seconds,
            cpu=limits.cpu_seconds,
            memory=limits.memory_bytes // 2**20,
            processes=limits.processes,
            folder=limits.folder_bytes // 2**20,
        )
        outputs.error = f"the kernel was ended: {why}; all variables are gone"
        self.close()
        return stopped

    def _save_cell(self, cell: str, outputs: CellOutputs, query: str) -> str:
        """Add the cell to the file; why not, where that fails."""
        from nbformat import v4

        make: Any = v4
        if query:
            self._cells.append(make.new_markdown_cell(query[:2000]))
        self._cells.append(
            make.new_code_cell(cell, execution_count=self._number, outputs=outputs.notebook_outputs)
        )
        if self.settings.path is None:
            return ""
        try:
            write_private_file(self.settings.path, self._to_notebook())
        except (OSError, ValueError) as error:
            return f"(the notebook is not saved: {getattr(error, 'strerror', None) or 'not valid'})"
        return ""

    def _to_notebook(self) -> bytes:
        import nbformat
        from nbformat import v4

        make: Any = v4
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
        book: Any = make.new_notebook(cells=self._cells, metadata=metadata)
        checked: Any = nbformat
        checked.validate(book)
        return str(checked.writes(checked.from_dict(book))).encode(errors="replace")


def _interrupt_cell(kernel: Kernel, asked: str) -> bool:
    """Interrupt the cell; whether it came to its end in time."""
    kernel.send("control", "interrupt_request", {})
    return _gather_outputs(kernel, asked, None, until=time.monotonic() + INTERRUPT_SECONDS)


def _gather_outputs(
    kernel: Kernel, asked: str, outputs: CellOutputs | None, *, until: float
) -> bool:
    """
    Whether the cell came to its end; its outputs are taken in meanwhile.

    What is published may be lost where there is too much of it; the reply to the cell is not.
    """
    seen: set[str] = set()
    while not _has_ended(kernel, asked, outputs, seen, until=until):
        if outputs is not None and outputs.is_over_limit and "flood" not in seen:
            # It may have come to its end: then what it printed is cut, and nothing is wrong.
            seen.add("flood")
            until = time.monotonic() + IDLE_SECONDS
            continue
        if "reply" not in seen or "grace" in seen:
            break
        seen.add("grace")
        until = time.monotonic() + IDLE_SECONDS
    return "reply" in seen


def _has_ended(
    kernel: Kernel, asked: str, outputs: CellOutputs | None, seen: set[str], *, until: float
) -> bool:
    """Whether there is nothing more to wait for; False also at each new thing that is `seen`."""
    for channel, message in kernel.messages(until=until):
        parent: Json = message.get("parent_header")
        if not is_object(parent) or parent.get("msg_id") != asked:
            continue
        kind, content = str(message.get("msg_type", "")), message["content"]
        if channel == "shell" and kind == "execute_reply":
            seen.add("reply")
            return "idle" in seen
        if channel == "iopub" and kind == "status" and content.get("execution_state") == "idle":
            seen.add("idle")
            if "reply" in seen:
                return True
        elif channel == "iopub" and outputs is not None:
            outputs.add_message(kind, content)
            if outputs.is_over_limit and "flood" not in seen:
                return False
    return False


def _check_path(path: Path) -> None:
    if path.suffix != ".ipynb" or not path.absolute().parent.is_dir():
        raise UnusableCode(path.name, "it is no place for a notebook", "name a new FILE.ipynb")
    if path.exists() or path.is_symlink():
        raise UnusableCode(path.name, "there is such a file already", "name a new FILE.ipynb")
