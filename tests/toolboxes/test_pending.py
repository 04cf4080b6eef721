"""What waits for a person: given out once, and forgotten when it is too old or too much."""

from __future__ import annotations

import pytest

from restwright.errors import RefusedRequest
from restwright.toolboxes.pending import (
    MAX_PENDING,
    PENDING_LIFETIME_S,
    Pending,
    PendingStore,
    new_pending_id,
)


def pending(id_: str) -> Pending:
    return Pending(id=id_, tool="shop__pay", question="?", request={"url": "https://x"}, hash="0")


def test_a_write_is_given_out_once() -> None:
    store: PendingStore[int] = PendingStore()
    store.add(pending("a"), 1)
    assert store.take("a") == (pending("a"), 1)
    with pytest.raises(RefusedRequest, match="https://x"):
        store.take(pending("a"))


def test_what_is_too_old_is_forgotten() -> None:
    now = [0.0]
    store: PendingStore[int] = PendingStore(now=lambda: now[0])
    store.add(pending("a"), 1)
    now[0] = PENDING_LIFETIME_S + 1
    assert store.list() == ()
    with pytest.raises(RefusedRequest):
        store.take("a")


def test_the_oldest_of_too_many_is_forgotten() -> None:
    store: PendingStore[int] = PendingStore()
    for number in range(MAX_PENDING + 1):
        store.add(pending(str(number)), number)
    kept = store.list()
    assert len(kept) == MAX_PENDING
    assert kept[0].id == "1"


def test_an_id_is_another_one_each_time() -> None:
    assert len({new_pending_id() for _ in range(100)}) == 100
