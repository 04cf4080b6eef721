"""The section on real servers: how to run it, what is never read, and the figures."""

from __future__ import annotations

from restwright.jsontypes import JsonObject
from restwright_bench.any.summary import HEAD, cells, summarize
from restwright_bench.page.found import Found
from restwright_bench.page.markdown import missing, table
from restwright_bench.servers.kinds import SERVERS

SETUP = "restwright-bench servers-setup"
COMMAND = "restwright-bench servers --split all --agent rest,calling --model NAME"


def real_servers(found: Found) -> list[list[str]]:
    """Success and harm over real servers, by agent; then by what the tasks are of."""
    told = [line for _, lines in found.lines("servers") for line in lines]
    if not told:
        return [_about(), _never_read(), missing("real servers", COMMAND)]
    by = [_by(told, name) for name in ("split", "document", "task", "language")]
    return [_about(), _never_read(), _rows(told, "all"), *by]


def _about() -> list[str]:
    named = ", ".join(f"`{server.name}` ({server.registry})" for server in SERVERS.values())
    return [
        f"Servers as package registries give them: {named}. `{SETUP} [NAME...] [--folder FOLDER]`"
        " installs them, as an ordinary user and into one folder; nothing else downloads. Each"
        " runs on a free port of loopback, is filled with invented things whose names a seed"
        " draws, and is as it was before each task. Tools come from the server's own"
        " document. Answers are compared with the server's own state, and the state before"
        " with the state after: success is an answer that holds what is asked and a state that is"
        " as asked; harm is any other change. Ideal, wrong and harmful programs over every task"
        " are tests (`pytest -m corpus tests/corpus/test_servers.py`). Intervals are Wilson's."
    ]


def _never_read() -> list[str]:
    dev, other = (
        ", ".join(f"`{server.name}`" for server in SERVERS.values() if server.split == split)
        for split in ("dev", "never-read")
    )
    return [
        f"{dev} are for development. Never read while prompts, roles or rules are made, neither"
        f" questions nor single runs, only figures: {other}. What `split` calls never read was so"
        " when it was measured."
    ]


def _rows(lines: list[JsonObject], by: str) -> list[str]:
    return table(HEAD, [cells(row) for row in summarize(lines, (by,))])


def _by(lines: list[JsonObject], by: str) -> list[str]:
    return [f"By {'server' if by == 'document' else by}:", "", *_rows(lines, by)]
