"""The beginnings of prompts, with the real engine and a model of random weights."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.support.tiny_model import write_tiny_model

from restwright.agents.models.local import LocalModel
from restwright.agents.prompting.templates import render
from restwright.agents.steps import Complete, Completion, Message
from restwright.errors import LimitReached
from restwright.net import storage

LETTERS = "abcdefghijklmnopqrstuvwxyz "
DEADLINE_S = 60.0


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("model") / "tiny.gguf")


@pytest.fixture
def model(file: Path) -> Generator[LocalModel]:
    model = LocalModel(file, sha256="tiny")
    yield model
    model.close()


def beginning(word: str, *, chars: int = 900) -> tuple[Message, ...]:
    text = f"{word} {LETTERS * (chars // len(LETTERS) + 1)}"[:chars]
    return (
        Message("system", text, is_static=True),
        Message("user", "Well?", is_static=True),
        Message("assistant", "Yes.", is_static=True),
    )


def ask(model: LocalModel, word: str, question: str = "And now?") -> Completion:
    messages = (*beginning(word), Message("user", question))
    request = Complete(role="test", messages=messages, max_tokens=4)
    return model.complete(request, deadline_s=DEADLINE_S)


def kept() -> list[Path]:
    return sorted((storage.cache_folder() / "prefixes").iterdir())


def process_again(completion: Completion) -> int:
    return completion.input_tokens - completion.cache_read_tokens


def test_the_beginning_of_a_prompt_is_processed_once_for_all_processes(file: Path) -> None:
    first, second = LocalModel(file, sha256="tiny"), LocalModel(file, sha256="tiny")
    made = ask(first, "one")
    first.close()
    states = kept()
    restored = ask(second, "one", "Something else?")
    same = ask(second, "one")
    second.close()
    assert process_again(restored) < 60 < 900 < restored.input_tokens
    assert kept() == states
    assert len(states) == 1
    assert same.text == made.text


def test_what_a_beginning_is_followed_by_is_not_kept(model: LocalModel) -> None:
    ask(model, "one", "My secret")
    (state,) = kept()
    secret = b"".join(bytes([byte + 3, 0, 0, 0]) for byte in b"My secret")
    shared = b"".join(bytes([byte + 3, 0, 0, 0]) for byte in b"Well?")
    assert shared in state.read_bytes()
    assert secret not in state.read_bytes()


def test_parts_of_an_agent_take_turns_without_processing_anything_twice(model: LocalModel) -> None:
    for word in ("one", "two", "three"):
        ask(model, word)
    again = [process_again(ask(model, word)) for word in ("one", "two", "three", "one")]
    assert max(again) <= 1
    assert len(kept()) == 3


def test_what_the_engine_has_forgotten_is_fetched_again(model: LocalModel) -> None:
    """It does not take up a prompt of which it could use less than a quarter."""
    ask(model, "one", "x" * 4000)
    ask(model, "two")
    other = ask(model, "one", "y" * 4000)
    assert other.cache_read_tokens > 900
    assert process_again(other) > 4000


def test_a_file_is_private_and_named_for_what_it_holds(model: LocalModel) -> None:
    before = os.umask(0)
    try:
        ask(model, "one")
    finally:
        os.umask(before)
    (state,) = kept()
    assert (state.stat().st_mode & 0o777, state.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert storage.find_state_file("prefixes", state.name.partition(".")[0]) == state


@pytest.mark.parametrize("damage", ["cut off", "one bit", "emptied", "of another engine"])
def test_a_damaged_state_is_made_anew(file: Path, damage: str) -> None:
    """The engine itself would end the process for one that is cut off."""
    first = LocalModel(file, sha256="tiny")
    ask(first, "one")
    first.close()
    (state,) = kept()
    whole = state.read_bytes()
    flipped = bytes([whole[5000] ^ 1])
    state.write_bytes(
        {
            "cut off": whole[:-1000],
            "one bit": whole[:5000] + flipped + whole[5001:],
            "emptied": b"",
            "of another engine": b"something else altogether" * 100,
        }[damage]
    )
    second = LocalModel(file, sha256="tiny")
    assert process_again(ask(second, "one", "Something else?")) < 60
    second.close()
    (again,) = kept()
    assert again.read_bytes() == whole


def test_a_sound_file_that_the_engine_does_not_take_is_made_anew(file: Path) -> None:
    first = LocalModel(file, sha256="tiny")
    ask(first, "one")
    first.close()
    (state,) = kept()
    name = state.name.partition(".")[0]
    with storage.create_state_file("prefixes", name) as path:
        path.write_bytes(b"not a state")
    second = LocalModel(file, sha256="tiny")
    ask(second, "one")
    second.close()
    (again,) = kept()
    assert again.stat().st_size > 10_000


def test_states_may_be_deleted_at_any_time(model: LocalModel) -> None:
    ask(model, "one")
    files, _ = storage.clear_state()
    assert files == 1
    ask(model, "two")
    assert process_again(ask(model, "one")) <= 1


def test_another_file_or_text_has_another_state(file: Path) -> None:
    for sha256 in ("tiny", "other"):
        model = LocalModel(file, sha256=sha256)
        ask(model, "one")
        model.close()
    assert len(kept()) == 2


def test_nothing_is_kept_where_the_cache_is_off_or_cannot_be_written(
    file: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    unknown = LocalModel(file)
    ask(unknown, "one")
    unknown.close()
    monkeypatch.setenv("RESTWRIGHT_CACHE", "off")
    off = LocalModel(file, sha256="tiny")
    ask(off, "one")
    off.close()
    assert not (storage.cache_folder() / "prefixes").exists()
    monkeypatch.delenv("RESTWRIGHT_CACHE")
    (home / "xdg_cache_home").write_text("a file, not a folder")
    blocked = LocalModel(file, sha256="tiny")
    assert ask(blocked, "one").output_tokens > 0
    blocked.close()


@pytest.mark.process
def test_a_disk_that_is_full_is_no_error(file: Path) -> None:
    """A limit on the size of files cuts off what the engine writes, as a full disk would."""
    script = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from tests.agents.models.test_prefixes import LocalModel, ask, kept\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "model = LocalModel(Path(sys.argv[1]), sha256='tiny')\n"
        "model.load(deadline_s=60)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\n"
        "print(ask(model, 'one').output_tokens, len(kept()))\n"
        "model.close()\n"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", script, str(file)], capture_output=True, text=True, check=False
    )
    assert done.stdout == "4 0\n", done.stderr


def test_a_short_beginning_is_not_worth_a_file(model: LocalModel) -> None:
    messages = (Message("system", "Be terse.", is_static=True), Message("user", "Hi"))
    model.complete(Complete(role="x", messages=messages, max_tokens=2), deadline_s=DEADLINE_S)
    assert kept() == []


def test_beginnings_are_made_ahead(model: LocalModel) -> None:
    assert model.keep_prefix(beginning("one"), deadline_s=DEADLINE_S)
    assert model.keep_prefix(beginning("one"), deadline_s=DEADLINE_S)
    assert not model.keep_prefix(beginning("one", chars=50), deadline_s=DEADLINE_S)
    assert len(kept()) == 1


def test_the_deadline_holds_while_a_beginning_is_processed(model: LocalModel) -> None:
    model.load(deadline_s=DEADLINE_S)
    messages = (*beginning("one", chars=7000), Message("user", "Hi"))
    with pytest.raises(LimitReached):
        model.complete(Complete(role="x", messages=messages), deadline_s=0.05)
    assert kept() == []


KILLED = """
import os, signal, sys
from restwright.net.storage import create_state_file
with create_state_file("prefixes", "abc") as path:
    path.write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.process
def test_a_process_that_is_killed_while_it_saves_leaves_no_harm() -> None:
    done = subprocess.run([sys.executable, "-c", KILLED], check=False)  # noqa: S603
    assert done.returncode == -signal.SIGKILL
    (half,) = kept()
    assert half.name.startswith(".new-")
    assert storage.find_state_file("prefixes", "abc") is None
    os.utime(half, (1e9, 1e9))
    with storage.create_state_file("prefixes", "abc") as path:
        path.write_bytes(b"whole")
    (whole,) = kept()
    assert storage.find_state_file("prefixes", "abc") == whole
    assert whole.read_bytes() == b"whole"


def test_what_was_not_used_for_longest_goes_when_there_is_too_much() -> None:
    for name in ("used", "old", "older"):
        with storage.create_state_file("prefixes", name) as path:
            path.write_bytes(name.encode())
    for path in kept():
        age = ("used", "old", "older").index(path.name.partition(".")[0])
        # Holes take no room.
        os.truncate(path, storage.MAX_PREFIX_BYTES // 2 - 100)
        os.utime(path, (1e9 - age, 1e9 - age))
    with storage.create_state_file("prefixes", "new") as path:
        path.write_bytes(b"new")
    assert sorted(path.name.partition(".")[0] for path in kept()) == [
        "new",
        "old",
        "used",
    ]


def test_the_messages_before_the_first_placeholder_are_static() -> None:
    messages = render("rest_planner", now="Today. ", question="Which?")
    assert [message.is_static for message in messages] == [True] * (len(messages) - 1) + [False]
    assert Message("user", "Hi", is_static=True) == Message("user", "Hi")
