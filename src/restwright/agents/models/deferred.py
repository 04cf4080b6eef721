"""A model whose packages are imported when it is first asked."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock, Thread
from typing import TYPE_CHECKING

from restwright.net.callbacks import wait_for_future

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
        self._making: Future[ProviderModel] | None = None
        self._lock = Lock()

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
        making = self._making
        if making is not None and making.done() and making.exception() is None:
            making.result().close()

    def _model(self) -> ProviderModel:
        # Runs that go on together ask from several threads.
        with self._lock:
            if self._making is None:
                self._making = _begin(self._make)
        return wait_for_future(self._making)


def _begin(make: Callable[[], ProviderModel]) -> Future[ProviderModel]:
    """Make it in a thread of its own: what Ctrl-C breaks off may not be imported a second time."""
    made: Future[ProviderModel] = Future()
    # From here on nobody who waits for it can cancel it.
    made.set_running_or_notify_cancel()

    def work() -> None:
        try:
            made.set_result(make())
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            made.set_exception(error)

    Thread(target=work, name="restwright-model-start", daemon=True).start()
    return made
