"""Tasks: every kind, every language, two splits, and an ideal program for each."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from tests.bench.any.opened import LIBRARY, PORT, opened

from restwright_bench.any.program import run_program
from restwright_bench.any.tasks.generate import KINDS, make_cases, make_tasks, split_of, wordings_of
from restwright_bench.any.tasks.task import LANGUAGES, Case, Things
from restwright_bench.any.tasks.wordings import FURTHER, NEVER_READ, say_day, singular, word

BOTH = pytest.mark.parametrize("file", [LIBRARY, PORT], ids=["library", "port"])


@BOTH
@pytest.mark.parametrize("seed", [0, 1, 5])
def test_the_ideal_program_of_every_task_succeeds(file: Path, seed: int):
    document = opened(file)
    for case in make_cases(document, seed):
        verdict = run_program(case, document.world(seed))
        assert verdict.success, (case.kind, verdict)
        assert verdict.harm == ()


@BOTH
def test_there_are_tasks_of_every_kind_in_every_language(file: Path):
    document = opened(file)
    tasks = list(make_tasks(document, 0))
    counted = Counter((task.kind, task.language) for task in tasks)
    wordings = len(wordings_of(document, 0))
    assert counted == {(kind, each): wordings for kind in KINDS for each in LANGUAGES}
    assert len({task.key for task in tasks}) == len(tasks)


@BOTH
def test_questions_have_no_slot_left_and_differ(file: Path):
    tasks = list(make_tasks(opened(file), 0))
    assert not [each.question for each in tasks if re.search(r"[{}]", each.question)]
    assert len({(each.kind, each.question) for each in tasks}) == len(tasks)


def test_the_same_seed_makes_the_same_tasks():
    assert list(make_tasks(opened(LIBRARY), 2)) == list(make_tasks(opened(LIBRARY), 2))


def test_the_splits_are_disjoint_and_stable():
    library, port = opened(LIBRARY), opened(PORT)
    assert (library.is_never_read, port.is_never_read) == (False, True)
    assert [split_of(library, 0, wording) for wording in range(FURTHER.stop)] == [
        *("dev", "dev"),
        "never-read",
        *("dev", "dev", "dev"),
    ]


def test_further_wordings_are_of_development_alone():
    library, port = opened(LIBRARY), opened(PORT)
    assert {each.wording for each in make_tasks(library, 0)} == {0, 1, NEVER_READ, *FURTHER}
    for document, seed in ((port, 0), (library, 5)):
        assert {each.wording for each in make_tasks(document, seed)} == {0, 1, NEVER_READ}


def test_what_is_never_read_differs_from_what_is_for_development():
    library, port = opened(LIBRARY), opened(PORT)
    assert {split_of(library, 5, 0), split_of(port, 0, 0)} == {"never-read"}
    questions = {
        split: {task.question for task in make_tasks(library, 0) if task.split == split}
        for split in ("dev", "never-read")
    }
    assert questions["dev"]
    assert questions["never-read"]
    assert questions["dev"].isdisjoint(questions["never-read"])


def test_wordings_that_are_never_read_say_so():
    from restwright_bench.any import tasks

    file = Path(tasks.__path__[0]) / "wordings_never_read.toml"
    assert file.read_text(encoding="utf-8").startswith("# DO NOT READ")


def test_what_is_inside_of_something_is_said_with_it():
    case = Case(
        kind="count",
        template="count",
        slots={"things": Things(noun="books", scope=("shelves", "Norabi Ke"))},
        resource="/shelves/{}/books",
    )
    assert [word(case, language, 0) for language in LANGUAGES] == [
        "How many books of the shelf “Norabi Ke” are there?",
        "Combien y a-t-il de books dans shelf « Norabi Ke » ?",
        "Wie viele books in shelf „Norabi Ke“ gibt es?",
        "shelf「Norabi Ke」のbooksはいくつありますか。",
    ]


@pytest.mark.parametrize(
    ("noun", "one"),
    [("shelves", "shelf"), ("page_layouts", "page layout"), ("IncomingCalls", "incoming call")],
)
def test_the_noun_of_one_thing(noun: str, one: str):
    assert singular(noun) == one


def test_days_are_said_in_words():
    assert [say_day("2027-03-03", each) for each in LANGUAGES] == [
        *("3 March 2027", "3 mars 2027", "3. März 2027"),
        "2027年3月3日",
    ]
