from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from restwright.net.storage import (
    MAX_FOLDER_BYTES,
    MAX_STATE_BYTES,
    cache_folder,
    clear_state,
    read_state,
    write_state,
)


def test_what_is_written_is_read_again() -> None:
    write_state("index", "abc", b"one")
    write_state("index", "abc", b"two")

    assert read_state("index", "abc") == b"two"
    assert read_state("documents", "abc") is None
    assert [path.name for path in (cache_folder() / "index").iterdir()] == ["abc"]


def test_the_folder_is_the_platforms_cache_folder(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from platformdirs import user_cache_path

    assert cache_folder() == user_cache_path("restwright") == home / "xdg_cache_home" / "restwright"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == user_cache_path("restwright")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == user_cache_path("restwright")


def test_folders_are_0700_and_files_0600_whatever_the_umask() -> None:
    cache_folder().mkdir(parents=True)
    cache_folder().chmod(0o755)
    before = os.umask(0)
    try:
        write_state("documents", "abc", b"one")
    finally:
        os.umask(before)

    paths = [cache_folder(), cache_folder() / "documents", cache_folder() / "documents" / "abc"]
    assert [oct(path.stat().st_mode & 0o777) for path in paths] == ["0o700", "0o700", "0o600"]


def test_the_cache_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    write_state("index", "old", b"one")
    monkeypatch.setenv("RESTWRIGHT_CACHE", "off")
    write_state("index", "new", b"two")

    assert read_state("index", "old") is None
    assert [path.name for path in (cache_folder() / "index").iterdir()] == ["old"]


def test_a_folder_that_cannot_be_made_is_no_error(home: Path) -> None:
    (home / "xdg_cache_home").write_text("a file, not a folder")
    write_state("index", "abc", b"one")

    assert read_state("index", "abc") is None
    assert clear_state() == (0, 0)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../a", "a/b", "/a", "a\\b", ".a", "a\0", "x" * 201]
)
def test_a_name_cannot_leave_its_folder(name: str) -> None:
    with pytest.raises(ValueError, match="no name of a cached file"):
        write_state("index", name, b"")


def test_a_file_that_others_may_change_is_not_believed() -> None:
    write_state("index", "abc", b"one")
    (cache_folder() / "index" / "abc").chmod(0o666)

    assert read_state("index", "abc") is None


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    write_state("index", "abc", b"one")
    (tmp_path / "elsewhere").write_bytes(b"two")
    (cache_folder() / "index" / "link").symlink_to(tmp_path / "elsewhere")

    assert read_state("index", "link") is None


def test_a_folder_in_place_of_a_file_is_nothing() -> None:
    (cache_folder() / "index" / "abc").mkdir(parents=True)
    write_state("index", "abc", b"one")

    assert read_state("index", "abc") is None
    assert [path.name for path in (cache_folder() / "index").iterdir()] == ["abc"]


def test_more_than_the_limit_is_not_kept() -> None:
    write_state("index", "abc", bytes(MAX_STATE_BYTES + 1))

    assert read_state("index", "abc") is None


def test_the_oldest_files_go_when_there_is_too_much() -> None:
    for age, name in enumerate(("new", "middle", "old")):
        write_state("index", name, b"12345")
        path = cache_folder() / "index" / name
        # Holes take no room.
        os.truncate(path, MAX_FOLDER_BYTES // 2 - 2)
        os.utime(path, (1e9 - age, 1e9 - age))
    write_state("index", "newest", b"12345")

    assert sorted(each.name for each in (cache_folder() / "index").iterdir()) == ["new", "newest"]


def test_clearing_deletes_everything_but_models() -> None:
    write_state("index", "a", b"123")
    write_state("documents", "b", b"45")
    model = cache_folder() / "models" / "m.gguf"
    model.parent.mkdir()
    model.write_bytes(b"weights")

    assert clear_state() == (2, 5)
    assert (read_state("index", "a"), model.read_bytes()) == (None, b"weights")


def test_writers_of_one_name_do_not_mix() -> None:
    texts = [bytes([65 + n]) * 100_000 for n in range(4)]
    threads = [threading.Thread(target=write_state, args=("index", "a", each)) for each in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert read_state("index", "a") in texts
