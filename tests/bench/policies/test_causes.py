"""Where a run went wrong first."""

from __future__ import annotations

from dataclasses import asdict

import pytest
from tests.support.bench.questions import QUESTIONS
from tests.support.bench.shelf import let_in, shelf

from restwright.errors import UnusableReply
from restwright.jsontypes import JsonObject
from restwright_bench.policies.causes import ROLES, Cause, cause_of, counted
from restwright_bench.policies.run import Said, whole_run
from restwright_bench.policies.scripted import OraclePolicy, received_of
from restwright_bench.policies.tools import tools_of
from restwright_bench.queries.query import Scripted
from restwright_bench.world.api import Running
from restwright_bench.world.exchange import Answer, Received
from restwright_bench.world.faults import FaultPlan, PlannedFault

API = shelf()
TOOLS = tools_of(API, let_in)
SEARCH = Scripted(method="GET", template="/books", query={"title": "Persuasion"})
EMMA = Scripted(method="GET", template="/books", query={"title": "Emma"})
EVERYTHING = [*TOOLS.catalog.names]


def one(id: object) -> Scripted:  # noqa: A002
    return Scripted(method="GET", template="/books/{id}", path={"id": id})


def chose(*names: str, among: list[str] = EVERYTHING) -> tuple[JsonObject, ...]:
    return tuple({"tool": f"shelf__{each}", "offered": among} for each in names)


class Made:
    """Makes these calls and says this."""

    name = "made"

    def __init__(self, calls: tuple[Scripted, ...], said: Said) -> None:
        self.calls, self.said = calls, said

    def answer(self, task) -> Said:
        for each in self.calls:
            task.send(received_of(each))
        return self.said


def found(number: int, *calls: Scripted, plan: FaultPlan | None = None, **said) -> Cause | None:
    query, oracle = QUESTIONS[number]
    running = Running(API, seed=1, faults=plan or FaultPlan())
    ran = whole_run(Made(calls, Said(**said)), query, oracle, running, let_in)

    def right():
        return whole_run(OraclePolicy(), query, oracle, Running(API, seed=1), let_in).log

    return cause_of(query, oracle, ran, TOOLS, right)


BOTH = chose("search_books", "get_book")
READ = ({"step": "result", "text": "203 pages"},)


@pytest.mark.parametrize(
    ("cause", "calls", "said"),
    [
        (None, (SEARCH, one(102)), {"answer": "203 pages", "chosen": BOTH}),
        (("limit", "stopped by a limit"), (SEARCH,), {"stopped": "limit"}),
        (("planner", "planned no call"), (), {"answer": "I do not know."}),
        (
            ("planner", "ended before a needed operation"),
            (SEARCH,),
            {"chosen": chose("search_books")},
        ),
        (
            ("selector", "chose another than a needed operation"),
            (SEARCH,),
            {"chosen": chose("search_books", "get_latest_book")},
        ),
        (
            ("selector", "a needed operation was not among those offered"),
            (SEARCH,),
            {"chosen": chose("search_books", "statistics", among=["shelf__statistics"])},
        ),
        (("ids", "no id for a needed operation"), (SEARCH,), {"chosen": BOTH}),
        (
            ("caller", "no fitting arguments for a needed operation"),
            (SEARCH,),
            {"chosen": BOTH, "told_of": ("shelf__get_book",)},
        ),
        (
            ("caller", "the API refused the arguments of a needed operation"),
            (SEARCH, one("x")),
            {"chosen": BOTH},
        ),
        (
            ("ids", "called a needed operation about another thing"),
            (EMMA, one(101)),
            {"chosen": BOTH, "answer": "202"},
        ),
        (("parser", "a right response was read wrong"), (SEARCH, one(102)), {"chosen": BOTH}),
        (
            ("answer", "what was found is not, or not alone, in the answer"),
            (SEARCH, one(102)),
            {"chosen": BOTH, "trace": READ, "answer": "It has many."},
        ),
        (("crash", "the agent raised KeyError"), (), {"stopped": "crashed", "reason": "KeyError"}),
        (
            ("caller", "asked the user for what the question says"),
            (SEARCH,),
            {"stopped": "question"},
        ),
    ],
)
def test_the_first_part_that_went_wrong_is_named(cause, calls, said):
    got = found(0, *calls, **said)
    assert got == (cause and Cause(*cause))
    assert got is None or got.role in ROLES


@pytest.mark.parametrize(
    ("part", "role"),
    [("parser", "parser"), ("reactor", "selector"), ("lookup", "ids"), ("other", "planner")],
)
def test_a_part_that_cannot_be_understood_is_named(part, role):
    reason = f"{UnusableReply(part, 'no JSON')}"
    assert found(0, SEARCH, stopped="error", reason=reason) == Cause(
        role, "no reply that can be used"
    )


BOOK = Scripted(method="POST", template="/books", body={"title": "Sanditon", "pages": 90})
GONE = Scripted(method="DELETE", template="/books/{id}", path={"id": 101})
OF_ALL = chose("add_book")


@pytest.mark.parametrize(
    ("cause", "calls", "said"),
    [
        (("caller", "wrote other values than asked for"), (BOOK,), {"chosen": OF_ALL}),
        (("selector", "wrote something that nobody asked for"), (BOOK, GONE), {"chosen": OF_ALL}),
        (
            ("planner", "planned to find something, not to do it"),
            (SEARCH,),
            {"chosen": chose("search_books", among=["shelf__search_books"])},
        ),
    ],
)
def test_writes_go_wrong_in_their_own_ways(cause, calls, said):
    assert found(1, *calls, **said) == Cause(*cause)


def test_a_service_that_fails_is_not_the_agents_fault():
    plan = FaultPlan(PlannedFault(template="/books", status=503))
    assert found(0, SEARCH, plan=plan, chosen=BOTH) == Cause("service", "the API failed")


def test_causes_are_counted_by_part():
    causes = [Cause("answer", "x"), Cause("ids", "b"), Cause("ids", "a"), Cause("ids", "a")]
    assert list(counted(map(asdict, causes)).items()) == [
        (("ids", "a"), 2),
        (("ids", "b"), 1),
        (("answer", "x"), 1),
    ]


def test_answers_are_kept_beside_requests():
    query, oracle = QUESTIONS[0]
    ran = whole_run(Made((SEARCH, one(102)), Said()), query, oracle, Running(API, seed=1), let_in)
    assert [type(each) for each in ran.answers] == [Answer, Answer]
    assert [type(each) for each in ran.requests] == [Received, Received]
    assert ran.answers[1].body["pages"] == 203
