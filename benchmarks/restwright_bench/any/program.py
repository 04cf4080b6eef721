"""Ideal programs by themselves: what a task takes, without any agent."""

from __future__ import annotations

from restwright.calls.approval.approval import approve_all
from restwright.calls.approval.policy import ALLOW
from restwright.calls.auth.connection import Connection
from restwright.calls.call import call
from restwright_bench.any.judge import Verdict, judge
from restwright_bench.any.tasks.task import Case
from restwright_bench.any.tasks.wordings import say_number
from restwright_bench.any.world.world import ORIGIN, World

CONNECTION = Connection(server=ORIGIN, auth="none")
DONE = "Done."
NOTHING = "There is no such thing."


def ideal_answer(case: Case) -> str:
    """What an ideal agent says at the end."""
    said = [
        say_number(each) if isinstance(each, int | float) else str(each)
        for each in case.expected.values
    ]
    if said:
        return "; ".join(said)
    return NOTHING if case.is_impossible else DONE


def run_program(case: Case, world: World) -> Verdict:
    """Make the calls of a case in a world as it was drawn, and judge what came of it."""
    for one in case.program:
        result = call(
            *(world.catalog[one.tool], one.arguments),
            connection=CONNECTION,
            send=world,
            approve=approve_all,
            policy=ALLOW,
        )
        if not result.ok:
            return Verdict(success=False, is_answer_right=False, is_state_right=False)
    return judge(case, ideal_answer(case), "answered", world)
