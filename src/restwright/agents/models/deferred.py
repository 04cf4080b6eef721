"""A model whose packages are imported when it is first asked."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from restwright.agents.models.provider import ProviderModel
    from restwright.agents.steps import Complete, Completion


class DeferredModel:
    """
    A provider's model that is made when more of it than its name is wanted. To be closed after use.

    Args:
        make: Makes it, once.
        is_small: Whether agents ask it for one small thing at a time.
    """

    def __init__(self, name: str, make: Callable[[], ProviderModel], *, is_small: bool) -> None:
        self._name, self._make = name, make
        self.is_small = is_small
        self._made: ProviderModel | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """What it was chosen by."""
        return self._name

    @property
    def server(self) -> str:
        """The URL of the provider; empty where it is not known."""
        return self._model().server

    @property
    def calls_tools(self) -> bool:
        """Whether the provider takes `Complete.tools`."""
        return self._model().calls_tools

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """Answer `request`, as `ProviderModel.complete` does."""
        return self._model().complete(request, deadline_s=deadline_s)

    def stream(
        self, request: Complete, *, deadline_s: float, tell: Callable[[str], None]
    ) -> Completion:
        """Answer as `complete` does, and tell each piece of the text as it comes."""
        return self._model().stream(request, deadline_s=deadline_s, tell=tell)

    def close(self) -> None:
        """Close the connections. The next request opens them again."""
        if self._made is not None:
            self._made.close()

    def _model(self) -> ProviderModel:
        # Runs that go on together ask from several threads.
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made
