"""The order in which threads have a model."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from restwright.agents.models.turns import Turns
from restwright.net.http.cancellation import CancelToken, OperationCanceled


def queue_up(turns: Turns, count: int) -> None:
    end = time.monotonic() + 10
    while len(turns._waiting) < count and time.monotonic() < end:
        time.sleep(0.001)
    assert len(turns._waiting) == count


def test_who_came_first_goes_first() -> None:
    turns, order = Turns(), list[int]()

    def go(number: int) -> None:
        with turns.take(10):
            order.append(number)

    with ThreadPoolExecutor(8) as pool, turns.take(1):
        for number in range(8):
            pool.submit(go, number)
            queue_up(turns, number + 1)
    assert order == list(range(8))


def test_who_gives_up_leaves_the_queue() -> None:
    turns, went = Turns(), threading.Event()

    def go() -> None:
        with turns.take(10):
            went.set()

    with turns.take(1):
        with pytest.raises(TimeoutError), turns.take(0.01):
            pass
        token = CancelToken()
        token.cancel()
        with token.cancelable(), pytest.raises(OperationCanceled), turns.take(10):
            pass
        thread = threading.Thread(target=go)
        thread.start()
        queue_up(turns, 1)
    thread.join(10)
    assert went.is_set()
    assert not turns._waiting


def test_a_cancelled_thread_stops_waiting_at_once_but_may_clean_up() -> None:
    turns, token = Turns(), CancelToken()
    with turns.take(1):
        threading.Timer(0.05, token.cancel).start()
        started = time.monotonic()
        with token.cancelable(), pytest.raises(OperationCanceled), turns.take(10):
            pass
        assert time.monotonic() - started < 5
    with token.cancelable(), turns.take(1, is_cancelable=False):
        pass


def test_a_block_that_raises_lets_the_next_one_in() -> None:
    turns = Turns()
    with pytest.raises(KeyboardInterrupt), turns.take(1):
        raise KeyboardInterrupt
    with turns.take(0):
        pass
