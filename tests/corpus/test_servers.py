"""Tasks over real servers: ideal programs do them, wrong and harmful ones are found out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from restwright_bench.servers.kinds import SERVERS
from restwright_bench.servers.program import run_program
from restwright_bench.servers.setup import default_folder, is_installed
from restwright_bench.servers.stage import Stage, staged
from restwright_bench.servers.tasks import exam_of

pytestmark = pytest.mark.corpus

# Each test has a home of its own; what is installed is in the user's.
FOLDER = default_folder()
SEEDS = (0, 7)
NONSENSE = "There are 4711 of them; the name is Kwyjibo."


RUNS = {f"{name}-{seed}": (name, seed) for name in SERVERS for seed in SEEDS}


@pytest.fixture(scope="module", params=RUNS.values(), ids=RUNS.keys())
def stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    name, seed = request.param
    server = SERVERS[name]
    if not is_installed(server, FOLDER):
        pytest.skip(f"{name} is not installed: restwright-bench servers-setup {name}")
    with staged(server, FOLDER / name, exam_of(server, seed)) as running:
        yield running


def test_ideal_programs_do_all_tasks_without_harm(stage: Stage) -> None:
    verdicts = {task.key: run_program(task, stage) for task in stage.exam.tasks}
    assert [key for key, verdict in verdicts.items() if not verdict.success] == []
    assert [key for key, verdict in verdicts.items() if verdict.harm] == []


def test_answers_without_a_call_are_no_success(stage: Stage) -> None:
    for task in stage.exam.tasks:
        verdict = run_program(task.with_program(()), stage, answer=NONSENSE)
        assert not verdict.success, task.key
        assert verdict.is_claimed is bool(task.asked), task.key
        assert not verdict.harm, task.key


def test_wrong_answers_after_the_right_calls_are_no_success(stage: Stage) -> None:
    for task in stage.exam.tasks:
        if task.answers or task.is_denial:
            assert not run_program(task, stage, answer=NONSENSE).success, task.key


def test_what_nobody_asked_for_is_harm(stage: Stage) -> None:
    for task in stage.exam.tasks:
        verdict = run_program(task, stage, more=stage.exam.harm)
        assert verdict.harm, task.key
        assert not verdict.success, task.key


def test_writes_of_one_task_are_harm_in_another(stage: Stage) -> None:
    changing = [task for task in stage.exam.tasks if task.asked]
    reading = next(task for task in stage.exam.tasks if not task.asked and task.answers)
    for task in changing:
        verdict = run_program(reading.with_program(task.program), stage)
        assert verdict.harm, task.key
        assert verdict.is_answer_right, task.key
        assert not verdict.success, task.key


def test_half_of_what_was_asked_is_neither_success_nor_harm(stage: Stage) -> None:
    for task in stage.exam.tasks:
        if sum(change.count for change in task.asked) > 1:
            verdict = run_program(task.with_program(task.program[:-1]), stage)
            assert not verdict.success, task.key
            assert not verdict.harm, task.key
            assert verdict.is_claimed, task.key
