"""The namespace experiment: its servers, its tasks and its ways to offer tools."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from restwright.testing import ScriptedModel, never
from restwright.tools.search.languages import detect_language
from restwright_bench.spaces import command
from restwright_bench.spaces.choosers import LexicalChooser, ModelChooser, ScriptedChooser
from restwright_bench.spaces.modes import (
    MODES,
    flat,
    flat_names,
    search,
)
from restwright_bench.spaces.question import Question
from restwright_bench.spaces.questions import question_named, questions
from restwright_bench.spaces.run import results_file, run_spaces
from restwright_bench.spaces.space import Space, apis, space_inside, space_served
from restwright_bench.spaces.table import aimed, latest, spaces_table, summaries
from restwright_bench.spaces.trial import ANSWER, MOST_CALLS, Meter, Move, Moves, tried


@pytest.fixture(scope="module")
def space() -> Space:
    return space_inside()


class Stubborn:
    """Calls one tool, whatever comes of it."""

    name = "stubborn"

    def __init__(self, tool: str) -> None:
        self.tool = tool

    def moves(self, question: Question, offering: object, meter: Meter) -> Moves:
        while True:
            yield Move(self.tool)


class Mute:
    """Says something at once."""

    name = "mute"

    def __init__(self, answer: str) -> None:
        self.answer = answer

    def moves(self, question: Question, offering: object, meter: Meter) -> Moves:
        return self.answer
        yield


def test_three_apis_have_more_than_seventy_operations(space: Space) -> None:
    counts = Counter(each.namespace for each in space.catalog.entries.values())
    assert set(counts) == {"lumo", "carnet", "tandem"}
    assert counts.total() > 70


def test_two_of_the_documents_speak_french() -> None:
    said = {
        each.name: detect_language(
            operation["summary"]
            for item in each.document["paths"].values()
            for operation in item.values()
        )
        for each in apis()
    }
    assert said == {"lumo": "french", "carnet": "french", "tandem": "english"}


def test_bare_names_collide(space: Space) -> None:
    bare = Counter(each.operation_name for each in space.catalog.entries.values())
    everywhere = {name for name, count in bare.items() if count == 3}
    assert {"search", "get", "list"} <= everywhere
    assert bare["create"] == 2


def test_a_flat_name_that_is_taken_gets_a_number(space: Space) -> None:
    names = flat_names(space.catalog)
    assert len(names) == len(space.catalog)
    assert [names["search"], names["search_2"], names["search_3"]] == [
        "lumo__search",
        "carnet__search",
        "tandem__search",
    ]
    assert not any("__" in each["name"] for each in flat(space.catalog, "").shapes)


def test_a_search_offers_within_four_thousand_tokens(space: Space) -> None:
    for each in questions():
        offering = search(space.catalog, each.text)
        assert len(offering.text) <= 16_000
        assert {"search_tools", "show_tool", "call_tool"} <= {*offering.meta}


def test_names_of_tasks_are_their_own_and_their_tools_exist(space: Space) -> None:
    names = [each.name for each in questions()]
    assert len(names) == len({*names}) >= 24
    for each in questions():
        assert {*each.uses, *each.accepts} <= {*space.catalog.names}, each.name


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize("mode", MODES)
def test_right_calls_do_every_task_in_every_mode(mode: str, seed: int, space: Space) -> None:
    trials = [tried(ScriptedChooser(), each, mode, space, seed=seed) for each in questions()]
    assert [each.question for each in trials if not each.success] == []
    assert {aim for each in trials for aim in each.aims} <= {"right", "meta"}


def test_every_answer_of_the_servers_is_valid(space: Space) -> None:
    for each in questions():
        tried(ScriptedChooser(), each, "flat", space)
        for running in space.world.running.values():
            routes = {(one.method, one.template): one for one in running.api.routes}
            for line, received in zip([*running.log], [*running.requests], strict=True):
                checker = routes[line.method, line.template].response_checkers[line.status]
                assert checker.is_valid(running.answer(received).body), line


def test_every_operation_answers(space: Space) -> None:
    space.world.reset()
    values = {"id": "none", "q": "photo", "limit": 3}
    for tool in space.catalog.tools:
        given = {each: values.get(each, "x") for each in tool.required}
        result = space.call(tool, given | ({"due": "2026-02-01"} if "due" in given else {}))
        assert result.kind in {"ok", "http_error", "mismatch"}, tool.name


def test_another_seed_gives_other_ids() -> None:
    one, other = (space_inside(seed=each).world.snapshot() for each in (0, 1))
    assert {*one["lumo"]["photos"]}.isdisjoint(other["lumo"]["photos"])
    assert space_inside(seed=1).world.snapshot() == other


def test_saying_something_at_once_does_no_task(space: Space) -> None:
    for each in questions():
        assert not tried(Mute("I do not know."), each, "search", space).success, each.name


def test_saying_everything_does_no_task_that_asks_for_one_thing(space: Space) -> None:
    fields = {"photos": "title", "photographers": "name", "members": "name"}
    tables = [(each, store) for store in space.stores.values() for each in store.tables]
    named = [
        str(one[fields[each]])
        for each, store in tables
        if each in fields
        for one in store.all(each)
    ]
    likes = [str(each["likes"]) for each in space.stores["lumo"].all("photos")]
    everything = ", ".join((*named, *likes))
    assert len(everything) < ANSWER
    asked = ("greenery", "mountain", "sunset", "popular", "lighthouse", "fox", "plants")
    for name in asked:
        assert not tried(Mute(everything), question_named(name), "search", space).success, name


def test_a_task_ends_after_twelve_calls(space: Space) -> None:
    trial = tried(Stubborn("getStats"), question_named("greenery"), "flat", space)
    assert (trial.calls, trial.stopped, trial.success) == (MOST_CALLS, "calls", False)
    assert trial.aims == {"operation": MOST_CALLS}


@pytest.mark.parametrize(
    ("mode", "tool", "aim"),
    [
        ("namespaced", "lumo__search", "right"),
        ("namespaced", "lumo__getStats", "operation"),
        ("namespaced", "carnet__search", "namespace"),
        ("namespaced", "pexels__search", "unknown"),
        ("flat", "search_2", "namespace"),
        ("meta", "search_tools", "meta"),
        ("meta", "call_tool", "unknown"),
    ],
)
def test_a_call_is_judged_by_what_it_was_aimed_at(
    mode: str, tool: str, aim: str, space: Space
) -> None:
    trial = tried(Stubborn(tool), question_named("greenery"), mode, space)
    assert [*trial.aims] == [aim]


def test_a_model_with_a_wrong_name_is_told_the_nearest_three_and_recovers(space: Space) -> None:
    model = ScriptedModel(
        [
            ("namespaces", {"namespaces": ["lumo"]}),
            ("selector", {"tool": "unsplash__search"}),
            ("selector", {"tool": "lumo__search"}),
            ("caller", {"q": "verdure"}),
            ("selector", {"tool": "finish"}),
            ("answerer", {"answer": "Voici : Mur de lierre."}),
        ]
    )
    trial = tried(ModelChooser(model=model), question_named("greenery"), "namespaced", space)
    assert trial.success
    assert trial.aims == {"meta": 1, "unknown": 1, "right": 1}
    told = model.asked[2].messages[-1].text
    nearest = told.partition("nearest names are: ")[2].partition(".")[0].split(", ")
    assert sorted(nearest) == ["carnet__search", "lumo__search", "tandem__search"]
    assert (trial.model_calls, model.left) == (6, ())


def test_a_model_is_held_to_what_is_offered(space: Space) -> None:
    model = ScriptedModel([{"tool": "finish"}, {"answer": "Nothing."}])
    trial = tried(ModelChooser(model=model), question_named("greenery"), "search", space)
    assert not trial.success
    schema = model.asked[0].schema
    assert schema is not None
    choices = schema["properties"]["tool"]["enum"]
    assert choices[-1] == "finish"
    assert {"lumo__search", "search_tools"} <= {*choices}


def test_a_conversation_only_grows(space: Space) -> None:
    replies = [
        {"tool": "lumo__popular"},
        {"limit": 1},
        "not JSON",
        {"tool": "finish"},
        {"answer": "x"},
    ]
    model = ScriptedModel(replies)
    tried(ModelChooser(model=model), question_named("popular"), "flat", space)
    tried_names = [each.role for each in model.asked]
    assert tried_names[:1] == ["selector"]
    for before, after in zip(model.asked, model.asked[1:], strict=False):
        assert after.messages[: len(before.messages)] == before.messages


def test_an_argument_that_may_be_left_out_may_be_null(space: Space) -> None:
    model = ScriptedModel(
        [
            {"tool": "lumo__search"},
            {"q": "montagne", "orientation": "portrait", "color": None, "limit": None},
            {"tool": "finish"},
            {"answer": "Aiguille enneigée"},
        ]
    )
    assert tried(ModelChooser(model=model), question_named("mountain"), "search", space).success
    asked = model.asked[1].schema
    assert asked is not None
    assert asked["required"] == ["q", "orientation", "color", "limit"]
    assert {"type": "null"} in asked["properties"]["color"]["anyOf"]
    assert "anyOf" not in asked["properties"]["q"]


def test_a_call_that_was_made_before_ends_the_task_with_an_answer(space: Space) -> None:
    call = [{"tool": "lumo__search"}, {"q": "verdure"}]
    model = ScriptedModel([*call, *call, {"answer": "Mur de lierre"}])
    trial = tried(ModelChooser(model=model), question_named("greenery"), "search", space)
    assert (trial.calls, trial.stopped, trial.success) == (1, "answered", True)
    assert model.asked[-1].role == "answerer"


def test_a_tool_can_be_called_again_with_other_arguments(space: Space) -> None:
    calls = [{"tool": "lumo__search"}, {"q": "nothing"}, {"tool": "lumo__search"}, {"q": "verdure"}]
    model = ScriptedModel([*calls, {"tool": "finish"}, {"answer": "Mur de lierre"}])
    trial = tried(ModelChooser(model=model), question_named("greenery"), "search", space)
    assert (trial.calls, trial.success) == (2, True)


def test_a_model_calls_through_meta_tools(space: Space) -> None:
    model = ScriptedModel(
        [
            {"tool": "search_tools"},
            {"query": "image"},
            {"tool": "call_tool"},
            {"name": "lumo__search", "arguments": {"q": "verdure"}},
            {"tool": "finish"},
            {"answer": "Mur de lierre"},
        ]
    )
    trial = tried(ModelChooser(model=model), question_named("greenery"), "meta", space)
    assert trial.success
    assert trial.aims == {"meta": 1, "right": 1}


def test_the_figures_of_words_alone_are_sane(space: Space) -> None:
    lines = run_spaces(LexicalChooser(), space, None)
    found = {each.mode: each for each in summaries(lines)}
    assert all(0.1 < each.success < 0.7 for each in found.values())
    assert found["search"].wrong_namespace <= found["flat"].wrong_namespace
    # Two questions of 28 are in words that only another API has.
    assert found["search"].calls == 1
    assert aimed(lines).endswith("Within it: lexical is not (median 1, 7.1%).")
    assert found["search"].prompt_characters < found["flat"].prompt_characters / 2


def test_what_was_run_is_not_run_again(space: Space, tmp_path: Path) -> None:
    file = results_file(tmp_path, "scripted")
    asked = questions()[:2]
    first = run_spaces(ScriptedChooser(), space, file, modes=("flat",), asked=asked)
    untouched = ScriptedChooser()
    again = run_spaces(untouched, space, file, modes=("flat",), asked=asked, say=never)
    assert again == first
    more = run_spaces(untouched, space, file, modes=("flat",), asked=questions()[:3])
    assert more[:2] == first
    assert len(file.read_text(encoding="utf-8").splitlines()) == 3


def test_what_was_run_with_other_tasks_does_not_count(space: Space, tmp_path: Path) -> None:
    file = results_file(tmp_path, "scripted")
    run_spaces(ScriptedChooser(), space, file, modes=("flat",), asked=questions()[:1])
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"digest": "', '"digest": "old'), encoding="utf-8")
    run_spaces(ScriptedChooser(), space, file, modes=("flat",), asked=questions()[:1])
    assert len(file.read_text(encoding="utf-8").splitlines()) == 2


def test_only_the_last_tasks_of_a_file_are_shown() -> None:
    lines = [{"digest": each, "n": n} for n, each in enumerate("aabb")]
    assert [each["n"] for each in latest(lines)] == [2, 3]
    assert latest([]) == []


def test_a_table_has_a_row_for_each_mode(space: Space) -> None:
    lines = run_spaces(ScriptedChooser(), space, None, asked=questions()[:2])
    rows = spaces_table(lines).splitlines()
    assert [each.split(" | ")[1] for each in rows[2:]] == [*MODES]
    assert len({each.count("|") for each in rows}) == 1


def test_the_same_over_http() -> None:
    with space_served() as served:
        trial = tried(ScriptedChooser(), question_named("assign"), "search", served)
        assert trial.success
        assert [each["status"] for each in served.world.log()] == [200, 200, 200]


def test_the_command_prints_a_table_and_keeps_trials(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--model", "lexical", "--mode", "search", "--only", "greenery"]
    assert command.main([*given, "--results", str(tmp_path)]) == 0
    assert "| lexical | search | 1 | 100% |" in capsys.readouterr().out
    assert (tmp_path / "spaces-lexical.jsonl").is_file()


@pytest.mark.parametrize("wrong", [["--mode", "nested"], ["--only", "nothing"]])
def test_the_command_tells_what_there_is_not(
    wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["--model", "scripted", *wrong]) == 1
    assert wrong[1] in capsys.readouterr().err
