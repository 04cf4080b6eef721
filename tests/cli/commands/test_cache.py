"""`cache path` and `cache clear`."""

from __future__ import annotations

from restwright.net.storage import cache_folder, read_state, write_state


def test_the_folder_is_printed(restwright, monkeypatch):
    ended = restwright("cache", "path")
    assert (ended.code, ended.out, ended.err) == (0, f"{cache_folder()}\n", "")
    assert restwright("cache", "path", "--json").json == {
        "path": str(cache_folder()),
        "here": False,
        "on": True,
    }

    monkeypatch.setenv("RESTWRIGHT_CACHE", "off")
    assert "turned off" in restwright("cache", "path").err


def test_what_is_kept_can_be_deleted(restwright):
    write_state("index", "a", b"123")
    write_state("documents", "b", b"12")

    assert restwright("cache", "clear", "--json").json == {"files": 2, "bytes": 5}
    assert read_state("index", "a") is None
    assert restwright("cache", "clear").out == "0 files deleted, 0.0 MB\n"
