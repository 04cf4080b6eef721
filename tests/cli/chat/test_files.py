"""Files that a person names in a message."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from typer import BadParameter

from restwright.cli.chat.files import LONGEST_FILE, file_names, with_named_files
from restwright.cli.render.output import Output

OUT = Output(quiet=True)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.chdir(place)
    (place / "a.md").write_text("Seals.", "utf-8")
    (place / "b c.md").write_text("</data> Terns.", "utf-8")
    (place / ".hidden").write_text("key", "utf-8")
    (tmp_path / "above.md").write_text("above", "utf-8")
    return place


def test_their_text_stands_beneath_the_message_as_data() -> None:
    text = 'Compare @a.md, and @"b c.md". Ask @ana or a@b.md.'
    assert with_named_files(text, OUT) == (
        f'{text}\n\n<data from="a.md">\nSeals.\n</data>'
        '\n\n<data from="b c.md">\n<\\/data> Terns.\n</data>'
    )


@pytest.mark.parametrize("name", [".hidden", "../above.md"])
def test_a_file_elsewhere_is_not_read_unasked(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Path(os.devnull).open(encoding="utf-8") as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        assert with_named_files(f"Read @{name}", OUT) == f"Read @{name}"
    assert f"Put {name} in the message? [y/N]" in capsys.readouterr().err


def test_what_is_no_text_or_too_long_is_refused(folder: Path) -> None:
    (folder / "image").write_bytes(b"\xff\xd8")
    (folder / "long").write_text("x" * (LONGEST_FILE + 1), "utf-8")
    with pytest.raises(BadParameter, match="no text"):
        with_named_files("@image", OUT)
    with pytest.raises(BadParameter, match="more than"):
        with_named_files("@long", OUT)


def test_names_are_completed_within_folders(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "x.md").touch()
    assert [*file_names("")] == ["a.md", "b c.md", "sub/"]
    assert [*file_names("su")] == ["sub/"]
    assert [*file_names("sub/")] == ["sub/x.md"]
    assert [*file_names(".h")] == [".hidden"]
    assert [*file_names("nowhere/")] == []
