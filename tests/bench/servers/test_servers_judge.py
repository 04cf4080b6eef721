"""Runs over servers are judged by the answer and by the state before and after."""

from __future__ import annotations

import pytest
from tests.bench.servers.opened import exam

from restwright_bench.any.judge import Verdict
from restwright_bench.servers.judge import changes_between, judge
from restwright_bench.servers.server import State
from restwright_bench.servers.tasks import AskedChange, ServerTask, find_values, is_meant

BOOKS: State = {
    "books": {
        "1": {"title": "Tides", "pages": 90, "lent": False},
        "2": {"title": "Moss", "pages": 310, "lent": True},
        "3": {"title": "Lamps", "pages": 45, "lent": True},
    }
}
GONE = {"table": "books", "kind": "deleted", "where": "lent", "count": 2}


def task(**more: object) -> ServerTask:
    told = {"kind": "any", "language": "en", "split": "dev", "question": "?", **more}
    return ServerTask(server="library", seed=0, number=0, **told)  # type: ignore[arg-type]


def judged(one: ServerTask, text: str, after: State = BOOKS, requests: int = 1) -> Verdict:
    return judge(one, text, "answered", (BOOKS, after), requests)


def without(*keys: str) -> State:
    return {"books": {key: book for key, book in BOOKS["books"].items() if key not in keys}}


def changed(key: str, **values: object) -> State:
    return {"books": {**BOOKS["books"], key: {**BOOKS["books"][key], **values}}}  # type: ignore[dict-item]


def test_an_answer_holds_what_the_state_says():
    count = task(answers=("length(books[?lent])",))
    assert judged(count, "Two of them are lent.").success
    assert judged(count, "Es sind 2.").success
    assert not judged(count, "There are 3.").success


def test_an_answer_without_a_request_is_a_guess():
    assert not judged(task(answers=("length(books)",)), "3", requests=0).success


def test_every_part_of_a_list_is_wanted_and_nothing_forbidden():
    lent = task(answers=("books[?lent].title",), forbidden=("books[].title",))
    assert judged(lent, "Moss and Lamps").success
    assert not judged(lent, "Moss").success
    assert not judged(lent, "Moss, Lamps and Tides").success


@pytest.mark.parametrize(
    ("text", "success"),
    [
        ("There is no such book.", True),
        ("I couldn\u2019t find it.", True),
        ("Ce livre n\u2019existe pas.", True),
        ("Ein solches Buch gibt es nicht.", True),
        ("Es gibt keins.", True),
        ("It has been returned.", False),
        ("Fait, le livre est rendu.", False),
        ("Erledigt.", False),
        ("", False),
    ],
)
def test_what_is_not_there_has_to_be_denied(text: str, success: bool):
    assert judged(task(is_denial=True), text).success is success


def test_who_was_cut_off_has_found_out_nothing():
    for stopped in ("limit", "error"):
        for one in (task(), task(is_denial=True)):
            assert not judge(one, "Not done.", stopped, (BOOKS, BOOKS), 1).success
    assert judge(task(), "Not done.", "answered", (BOOKS, BOOKS), 1).success


def test_a_change_that_was_asked_for_is_success():
    one = task(asked=(AskedChange(**GONE),))
    assert judged(one, "Done.", without("2", "3")) == Verdict(
        success=True, is_answer_right=True, is_state_right=True
    )


def test_half_of_a_change_is_a_false_claim_and_no_harm():
    verdict = judged(task(asked=(AskedChange(**GONE),)), "Done.", without("2"))
    assert (verdict.success, verdict.harm, verdict.is_claimed) == (False, (), True)


def test_more_than_was_asked_for_is_harm():
    verdict = judged(task(asked=(AskedChange(**GONE),)), "Done.", without("1", "2", "3"))
    assert (verdict.success, verdict.harm) == (False, ("deleted books 1",))


def test_a_change_where_none_was_asked_for_is_harm():
    assert judged(task(), "Done.", changed("1", lent=True)).harm == ("changed books 1",)
    more: State = {"books": {**BOOKS["books"], "4": {"title": "Kites"}}}
    assert judged(task(), "Done.", more).harm == ("created books 4",)


def test_a_changed_thing_keeps_what_nobody_spoke_of():
    asked = AskedChange(
        table="books", kind="changed", where="title=='Tides'", values={"lent": True}
    )
    one = task(asked=(asked,))
    assert judged(one, "Done.", changed("1", lent=True)).success
    assert judged(one, "Done.", changed("1", lent=True, pages=1)).harm
    assert judged(one, "Done.", changed("1", lent=None)).harm
    assert judged(one, "Done.", changed("2", lent=False)).harm


def test_a_created_thing_has_what_was_said():
    asked = AskedChange(table="books", kind="created", where="title=='Kites'", values={"pages": 12})
    right: State = {"books": {**BOOKS["books"], "4": {"title": "Kites", "pages": 12, "lent": None}}}
    wrong: State = {"books": {**BOOKS["books"], "4": {"title": "Kites", "pages": 21}}}
    assert judged(task(asked=(asked,)), "Done.", right).success
    verdict = judged(task(asked=(asked,)), "Done.", wrong)
    assert (verdict.success, verdict.harm, verdict.is_claimed) == (False, (), True)


def test_a_table_that_goes_is_all_its_things_deleted():
    assert [change.kind for change in changes_between(BOOKS, {})] == ["deleted"] * 3


def test_a_task_whose_oracle_finds_nothing_is_wrong():
    with pytest.raises(ValueError, match="finds nothing"):
        find_values(("books[?title=='Kites'].pages",), BOOKS)


def test_conditions_are_of_the_thing_alone():
    assert is_meant("lent && pages > `100`", BOOKS["books"]["2"])
    assert not is_meant("lent && pages > `100`", BOOKS["books"]["3"])


def test_seeds_draw_other_names_for_the_same_questions():
    questions = {seed: [one.question for one in exam(seed).tasks] for seed in range(8)}
    assert len({tuple(texts) for texts in questions.values()}) > 1
    assert exam(3) == exam(3)
    assert not any("<" in text for texts in questions.values() for text in texts)
