"""What code makes of a planner's reply."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.properties import examples

from restwright.agents.rest.planning import Plan, plan_of, referring, unfounded, unknown_in
from restwright.jsontypes import JsonObject

Named = tuple[int, str, str]
Asked = tuple[int, str, str, str]


def replied(named: Sequence[Named], asked: Sequence[Asked]) -> JsonObject:
    return {
        "language": "English",
        "named": [{"id": id_, "name": name, "thing": thing} for id_, name, thing in named],
        "asked": [
            {"id": id_, "type": type_, "thing": thing, "what": what}
            for id_, type_, thing, what in asked
        ],
    }


def plan(question: str, named: Sequence[Named], *asked: Asked) -> Plan:
    return plan_of(replied(named, asked), question)


def steps(of: Plan) -> list[tuple[str, str]]:
    """The steps, which speak of things and steps by their places in one row."""
    numbers = [*of.named, *(each.number for each in of.goals)]
    order = {number: place for place, number in enumerate(numbers, 1)}
    told: list[tuple[str, str]] = []
    for goal in of.goals:
        what = goal.what
        for number in goal.numbers:
            what = what.replace(f"#{number}", f"#<{order[number]}>")
        told.append((goal.type, what.replace("<", "").replace(">", "")))
    return told


def test_a_step_speaks_of_a_name_and_of_an_earlier_step() -> None:
    question = "Which photos are there of Ana Ruiz's latest book?"
    made = plan(
        question,
        [(1, "Ana Ruiz", "author")],
        (2, "find", "book", "the latest book of #1"),
        (3, "find", "photo", "photos of #2"),
    )
    assert [each.text for each in made.named.values()] == ["the author Ana Ruiz"]
    assert [each.numbers for each in made.goals] == [(1,), (2,)]
    assert referring(made.goals[0], made.named).what == "the latest book of the author Ana Ruiz"


@pytest.mark.parametrize(
    ("question", "named", "what", "told"),
    [
        ("Ana Ruiz's latest book", "Ana Ruiz", "Ana Ruiz's latest book", "#1's latest book"),
        ("books of the author Ana Ruiz", "Ana Ruiz", "books of the author Ana Ruiz", "books of #1"),
        ("books of 'Ana Ruiz'", "Ana Ruiz", "books of 'Ana Ruiz'", "books of #1"),
        ("books of Ana Ruizo", "Ana Ruiz", "books of Ana Ruizo", "books of Ana Ruizo"),
    ],
)
def test_a_name_that_is_written_out_is_spoken_of_by_its_number(
    question: str, named: str, what: str, told: str
) -> None:
    made = plan(question, [(1, named, "author")], (2, "find", "book", what))
    assert steps(made) == [("find", told)]


@pytest.mark.parametrize(
    ("question", "named", "texts"),
    [
        ("Who wrote North?", (1, "South", "book"), []),
        ("Who wrote North?", (1, "North", "book"), ["the book North"]),
        ("Who wrote it?", (1, " ", "book"), []),
        ("Who wrote 'north'?", (1, "north", "book"), ["the book north"]),
        ("Add it to my list 'Home'", (1, "Home", "list"), ["my list Home"]),
        ("Add it to my list 'Home'", (1, "Home", "my list"), ["my list Home"]),
        (
            "What is in the Blue Collection?",
            (1, "Blue Collection", "collection"),
            ["Blue Collection"],
        ),
    ],
)
def test_only_what_the_message_calls_by_a_name_is_named(
    question: str, named: Named, texts: list[str]
) -> None:
    made = plan(question, [named], (2, "find", "thing", "the thing of #1"))
    assert [each.text for each in made.named.values()] == texts


def test_what_is_described_is_no_name_and_is_found_first() -> None:
    made = plan(
        "Open Ana Ruiz's newest book",
        [(1, "Ana Ruiz", "author"), (2, "newest book", "book")],
        (3, "do", "book", "open #2"),
    )
    assert steps(made) == [("find", "the newest book of #1"), ("do", "open #2")]


@pytest.mark.parametrize("what", ["the best lamp under 500", "the best #1 under 500"])
def test_a_word_for_a_kind_of_things_is_nothing_to_be_found(what: str) -> None:
    made = plan("The best lamp under 500?", [(1, "lamp", "item")], (2, "find", "lamp", what))
    assert steps(made) == [("find", what.replace("#1", "the lamp"))]


@pytest.mark.parametrize(
    ("what", "made"),
    [
        ("remove all books from #1", ["all books of #1", "remove #2 from #1"]),
        ("lend two books of #1", ["two books of #1", "lend #2"]),
        ("add #1's books to my shelf", ["#1's books", "add #2 to my shelf"]),
        ("remove #1 from my shelf", ["remove #1 from my shelf"]),
        ("lend #1", ["lend #1"]),
        ("write a review of #1", ["write a review of #1"]),
        ("make a list of #1 called Best", ["make a list of #1 called Best"]),
        ("order three of #1", ["order three of #1"]),
        ("order two copies of #1", ["order two copies of #1"]),
        ("rename #1 to 'Work'", ["rename #1 to 'Work'"]),
        ("set the width of #1 to 40", ["set the width of #1 to 40"]),
        ("change #1's colour to red", ["change #1's colour to red"]),
        ("update the newest book of #1", ["the newest book of #1", "update #2"]),
        ("change #1's labels to red", ["#1's labels", "change #2 to red"]),
    ],
)
def test_a_change_of_what_belongs_to_a_thing_finds_that_first(what: str, made: list[str]) -> None:
    told = plan("... Home ...", [(1, "Home", "shelf")], (2, "do", "book", what))
    assert [words for _, words in steps(told)] == made
    assert [type_ for type_, _ in steps(told)] == ["find"] * (len(made) - 1) + ["do"]


def test_what_gets_a_name_is_not_looked_for_by_it() -> None:
    made = plan(
        "Make a shelf called Home and put North on it",
        [(1, "North", "book"), (2, "Home", "shelf")],
        (3, "do", "shelf", "make a shelf called #2"),
        (4, "do", "shelf", "put #1 on #2"),
    )
    assert made.goals[0].what == "make a shelf called 'Home'"
    assert made.goals[0].numbers == ()
    assert made.goals[1].numbers == (1, 3)


@pytest.mark.parametrize(
    ("what", "made"),
    [
        (
            "a book like today's most read book",
            ["today's most read book", "a book like #1"],
        ),
        ("the author of the latest book", ["the latest book", "the author of #1"]),
        ("the best book of the year", ["the best book of the year"]),
        ("the best of the newest books", ["the best of the newest books"]),
        ("books of Ana Ruiz", ["books of Ana Ruiz"]),
        ("the book with the best rating", ["the book with the best rating"]),
        ("books of the last two years", ["books of the last two years"]),
    ],
)
def test_the_one_that_is_told_by_its_place_is_found_first(what: str, made: list[str]) -> None:
    assert [words for _, words in steps(plan("...", [], (1, "find", "book", what)))] == made


@pytest.mark.parametrize(
    ("type_", "what", "made"),
    [
        ("do", "show me the books", [("find", "show me the books")]),
        ("do", "find the books", [("find", "find the books")]),
        ("do", "give the book 4 stars", [("do", "give the book 4 stars")]),
    ],
)
def test_what_only_shows_something_is_no_change(
    type_: str, what: str, made: list[tuple[str, str]]
) -> None:
    assert steps(plan("...", [], (1, type_, "book", what))) == made


def test_what_an_operation_that_changes_something_is_called_by_is_a_change() -> None:
    reply = replied([], [(1, "do", "book", "show the book in the window")])
    made = plan_of(reply, "...", verbs={"show"})
    assert steps(made) == [("do", "show the book in the window")]


def test_a_step_that_only_shows_a_result_is_not_taken() -> None:
    made = plan("...", [], (1, "find", "book", "the best book"), (2, "do", "book", "list #1"))
    assert steps(made) == [("find", "the best book")]


def test_a_thing_by_its_name_is_found_where_nothing_else_is_asked() -> None:
    assert steps(plan("North?", [(1, "North", "book")])) == [("find", "the book North")]


def test_a_number_of_the_message_is_no_step() -> None:
    made = plan("Cancel order #1 and show my orders", [], (2, "do", "order", "cancel order #1"))
    assert made.goals[0].numbers == ()
    assert referring(made.goals[0], made.named).what == "cancel order #1"


def test_what_is_said_twice_is_done_once_and_each_step_has_its_number() -> None:
    made = plan(
        "...",
        [],
        (1, "do", "book", "lend the book"),
        (2, "do", "book", "lend the book"),
        (2, "do", "book", "return the other book"),
        (1, "find", "book", "the books"),
    )
    assert [each.what for each in made.goals] == [
        "lend the book",
        "return the other book",
        "the books",
    ]
    assert len({each.number for each in made.goals}) == 3


@pytest.mark.parametrize(
    ("question", "asked", "made"),
    [
        (
            "Make my first list private",
            (1, "do", "list", "make #1 private"),
            [("find", "my first list"), ("do", "make #1 private")],
        ),
        ("Close the shop", (1, "do", "close", "the shop"), [("do", "close the shop")]),
        (
            "Lend the newest book",
            (1, "find", "book", "the newest book"),
            [("find", "the newest book"), ("do", "lend #1")],
        ),
        ("Show the newest book", (1, "find", "book", "the book"), [("find", "the book")]),
        ("Lend me a book?", (1, "find", "book", "the book"), [("find", "the book")]),
        ("The book", (1, "find", "book", "the book"), [("find", "the book")]),
        ("Get the book", (1, "find", "book", "the book"), [("find", "the book")]),
        ("Search the book", (1, "find", "book", "the book"), [("find", "the book")]),
        (
            "Close the shop if it is empty",
            (1, "find", "shop", "whether the shop is empty"),
            [("find", "whether the shop is empty")],
        ),
    ],
)
def test_what_the_message_says_and_a_plan_leaves_out_is_put_there(
    question: str, asked: Asked, made: list[tuple[str, str]]
) -> None:
    verbs = frozenset({"lend", "make", "close", "add", "get", "search"})
    assert steps(plan_of(replied([], [asked]), question, verbs=verbs)) == made


@pytest.mark.parametrize(
    ("question", "made"),
    [
        ("What is my address?", [("find", "What is my address")]),
        ("Close the shop.", [("do", "Close the shop")]),
        ("What can you do?", []),
        ("Hello there, friend", []),
        ("Good morning to all", []),
        ("Thanks", []),
    ],
)
def test_a_plan_without_steps_is_one_for_messages_to_the_assistant_alone(
    question: str, made: list[tuple[str, str]]
) -> None:
    assert steps(plan_of(replied([], []), question, verbs={"close"})) == made
    assert steps(plan_of(replied([], []) | {"language": "German"}, question)) == []


def test_what_is_ordered_is_not_done_with_one_of_several_things() -> None:
    asked = [
        (1, "find", "photo", "my oldest photo"),
        (2, "find", "number", "the number of photos that are left"),
    ]
    made = plan_of(
        replied([], asked), "Delete my oldest photo; how many are left", verbs={"delete"}
    )
    assert [each.type for each in made.goals] == ["find", "find"]


def test_of_two_changes_none_gets_the_verb_of_the_other() -> None:
    asked = [(1, "do", "photo", "delete the photo"), (2, "do", "book", "the book")]
    made = plan_of(replied([], asked), "Delete the photo and lend the book", verbs={"delete"})
    assert [each.what for each in made.goals] == ["delete the photo", "the book"]


def test_a_word_that_no_operation_begins_with_orders_nothing() -> None:
    reply = replied([], [(1, "find", "book", "the books of May")])
    assert steps(plan_of(reply, "Books of May", verbs={"add"})) == [("find", "the books of May")]


def test_a_plan_that_leaves_out_a_name_is_wrong() -> None:
    reply = replied([], [(1, "find", "book", "the newest book")])
    assert unfounded(reply, "What is the newest book of Ana Ruiz?").startswith("'Ana Ruiz'")
    assert unfounded(reply, "What is the newest 'Blue' book?").startswith("'Blue'")
    assert unfounded(reply, "What is the newest English TV book? I like the newest.") == ""


def test_a_noun_of_a_language_that_writes_all_with_capitals_is_no_name() -> None:
    reply = replied([], [(1, "find", "book", "the newest book")]) | {"language": "German"}
    assert unfounded(reply, "Was ist das neueste Buch im Regal?") == ""
    assert unfounded(reply, "Was ist das neueste Buch im Regal 'Blau'?").startswith("'Blau'")


def test_steps_that_are_numbered_as_names_are_get_numbers_of_their_own() -> None:
    made = plan(
        "Return the newest book of Ana Ruiz",
        [(1, "Ana Ruiz", "author")],
        (1, "find", "book", "the newest book of #1"),
        (2, "do", "book", "return #1"),
    )
    assert steps(made) == [("find", "the newest book of #1"), ("do", "return #2")]


def test_of_two_steps_with_one_number_the_last_is_meant() -> None:
    made = plan(
        "...",
        [],
        (1, "find", "book", "the newest book"),
        (1, "find", "book", "the oldest book"),
        (2, "do", "book", "return #1"),
    )
    assert steps(made)[-1] == ("do", "return #2")


def test_a_name_in_a_longer_name_is_not_the_one_that_is_called_so() -> None:
    made = plan(
        "Return North and North Star",
        [(1, "North", "book"), (2, "North Star", "book")],
        (3, "do", "book", "return North Star"),
        (4, "do", "book", "return North"),
    )
    assert [each.what for each in made.goals] == ["return #2", "return #1"]


def test_what_shows_a_result_is_that_result_for_the_steps_after_it() -> None:
    made = plan(
        "...",
        [],
        (1, "find", "book", "the oldest book"),
        (2, "find", "book", "show #1"),
        (3, "do", "book", "return #2"),
    )
    assert steps(made) == [("find", "the oldest book"), ("do", "return #1")]


def test_what_is_described_is_found_where_it_is_only_to_be_shown() -> None:
    named = [(1, "newest book", "book")]
    made = plan("Show me the newest book", named, (2, "find", "book", "show #1"))
    assert steps(made) == [("find", "the newest book")]


def test_names_without_a_step_are_each_found() -> None:
    made = plan("North? South?", [(1, "North", "book"), (2, "South", "book")])
    assert len({each.number for each in made.goals}) == 2


def test_a_name_of_the_conversation_before_is_one() -> None:
    reply = replied([(1, "North", "book")], [(2, "do", "book", "return #1")])
    made = plan_of(reply, "Return it", before="User: Who wrote North?")
    assert [each.numbers for each in made.goals] == [(1,)]


def test_a_name_that_nobody_said_is_asked_about_and_nothing_of_it_is_changed() -> None:
    question = "... 北京 ..."
    named = [(1, "Beijing", "city")]
    found = plan(question, named, (2, "find", "weather", "the weather of #1")).goals[0]
    assert (found.what, found.numbers) == ("the weather of the city Beijing", ())
    changed = plan(question, named, (2, "do", "city", "leave #1")).goals[0]
    assert unknown_in(changed, question) == (1,)


def test_a_step_knows_no_later_one() -> None:
    made = plan("...", [], (1, "do", "book", "return #2"), (2, "find", "book", "the newest book"))
    assert unknown_in(made.goals[0], "...") == (2,)
    assert unknown_in(made.goals[0], "Return #2") == ()


_WORDS = st.sampled_from(
    [
        "the latest",
        " a",
        " book",
        " books",
        " of",
        " to",
        " from",
        " by",
        " add",
        " remove",
        " rename",
        " create",
        " called",
        " show",
        " list",
        " like",
        " copies",
        " Ana",
        " Ruiz",
        " north",
        "#1",
        "#2",
        "#3",
        "#12",
        "#13",
        "#101",
        "'s",
        "'",
        '"',
        "{",
        "(",
        "[",
        "\\",
        " ",
        "\n",
        "北",
        "é",
        "?",
        ",",
    ]
)
_TEXTS = st.lists(_WORDS, min_size=1, max_size=8).map("".join).filter(bool)
_IDS = st.integers(1, 12)
_NAMED = st.lists(st.tuples(_IDS, _TEXTS, _TEXTS), max_size=4)
_ASKED = st.lists(st.tuples(_IDS, st.sampled_from(["find", "do"]), _TEXTS, _TEXTS), max_size=8)


@settings(max_examples=examples(200))
@given(_NAMED, _ASKED, _TEXTS, st.booleans())
def test_each_step_has_its_number_and_speaks_of_names_and_earlier_steps(
    named: list[Named], asked: list[Asked], question: str, says_all: bool
) -> None:
    said = [question, *(name for _, name, _ in named if says_all)]
    reply = replied(named, asked)
    made = plan_of(reply, " ".join(said), verbs={"add", "remove", "show"})
    unfounded(reply, " ".join(said))
    known = {*made.named}
    for goal in made.goals:
        referring(goal, made.named)
        assert known.issuperset(goal.numbers)
        assert goal.number not in known
        known.add(goal.number)


@pytest.mark.parametrize("part", [" ", "x", "'", ": ", ".\n", "!", "A-'", "a's "])
def test_a_long_message_is_read_in_no_time(part: str) -> None:
    question = part * (20_000 // len(part))
    reply = replied([(1, "newest book", "book")], [(2, "find", "book", "#1")])
    begun = time.process_time()
    plan_of(reply, f"{question} newest book")
    unfounded(reply, question)
    assert time.process_time() - begun < 10
