"""Tasks of a server that outlive the request which began them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
from anyio.abc import TaskGroup


@dataclass(slots=True, kw_only=True)
class BackgroundTasks:
    """Tasks that go on as long as `running()` does."""

    _group: TaskGroup | None = None

    @property
    def is_running(self) -> bool:
        """Whether tasks can be begun."""
        return self._group is not None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Tasks go on as long as the block does, and are cancelled at its end."""
        async with anyio.create_task_group() as group:
            self._group = group
            try:
                yield
            finally:
                group.cancel_scope.cancel()

    def start_task(self, task: Callable[..., Any], *arguments: object) -> None:
        """Begin a task, inside of `running()`."""
        assert self._group is not None  # noqa: S101  (`running` is open)
        self._group.start_soon(task, *arguments)
