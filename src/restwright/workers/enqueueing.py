"""`rw.enqueue`: have a worker answer a question."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

from restwright.agents.journal.opening import journal as open_journal
from restwright.agents.journal.store import Journal
from restwright.net.secret import Secret
from restwright.workers.queues import PRIORITY, RunQueue


def enqueue(
    question: str,
    *,
    queue: str,
    journal: Journal | str | Secret,
    name: str | None = None,
    agent: str = "",
    priority: int = PRIORITY,
) -> str:
    """
    Have a worker answer a question, and return the session by which the run is known.

    For many of them, keep a `restwright.workers.queues.RunQueue` open.

    Args:
        queue: Of the workers, `restwright worker --queue NAME`.
        journal: Theirs: one that is open, or where it is, as `rw.journal` takes it.
        name: Of the session, of letters, digits and `. _ : -`. Enqueued twice under one name, a
            question is asked once.
        agent: Which of a worker's agents is asked: the name of a manifest, or `restwright` for the
            one over documents; empty for the only one.
        priority: From 1 on; what is lower goes first.

    Raises:
        OSError: The database cannot be reached.
        MissingExtra: The extra `dbos` is not installed.
        UsageError: The journal is a file, a name is none, or another question has this one.
    """
    with ExitStack() as ending:
        if not isinstance(journal, Journal):
            journal = ending.enter_context(open_journal(journal))
        opened = ending.enter_context(RunQueue(journal, queue))
        return opened.add(question, name=name, agent=agent, priority=priority)


async def enqueue_async(
    question: str,
    *,
    queue: str,
    journal: Journal | str | Secret,
    name: str | None = None,
    agent: str = "",
    priority: int = PRIORITY,
) -> str:
    """Do the same as `enqueue` without blocking the event loop."""
    return await asyncio.to_thread(
        enqueue,
        question,
        queue=queue,
        journal=journal,
        name=name,
        agent=agent,
        priority=priority,
    )
