"""How many requests to providers are under way at the same time."""

from __future__ import annotations

from contextlib import AbstractContextManager

from restwright.agents.models.turns import Turns
from restwright.errors import WrongType


class RequestLimit:
    """
    A number of places for requests, shared by all models that are given the same one.

    Who waits for a place waits within the deadline of its request; who came first, goes first. A
    request that is to be sent again keeps its place meanwhile.

    Args:
        at_once: As many requests are under way; at least 1.

    Raises:
        WrongType: It is no such number.
    """

    def __init__(self, at_once: int) -> None:
        if type(at_once) is not int or at_once < 1:
            wanted = "a number of requests, at least 1"
            raise WrongType("`at_once`", wanted, type(at_once).__name__)
        self._turns = Turns(at_once)

    def take(self, timeout_s: float) -> AbstractContextManager[None]:
        """
        Have a place for the block.

        Raises:
            TimeoutError: There was none in time.
            OperationCanceled: The run of this thread was ended.
        """
        return self._turns.take(timeout_s)
