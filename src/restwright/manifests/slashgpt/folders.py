"""
The files of a manifest: read once, under limits, and never from outside of its root.

The root is the folder that holds `manifests/`, where a manifest lies in one; else its own folder.
Files and folders whose names begin with a dot are not read: secrets and histories lie in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from restwright.errors import DocumentUnavailable, RestwrightError, UnreadableDocument
from restwright.jsontypes import Json
from restwright.openapi.load.source import read_file
from restwright.openapi.syntax.decode import parse_bytes

SUFFIXES = (".json", ".yml", ".yaml")
MAX_TEXT_CHARS = 2_000_000
"""Of a text that a manifest names."""
MANIFESTS_FOLDER = "manifests"
INDEX_FILE = "manifests.json"


@dataclass(frozen=True, slots=True)
class ManifestRoot:
    """
    Where the files of manifests may be.

    Args:
        folder: The highest one; nothing above it is read.
    """

    folder: Path

    def find(self, named: str, beside: Path) -> Path | None:
        """
        The file that a manifest names: from the root, else from its own folder.

        Args:
            beside: The folder of the manifest.

        Returns:
            None where there is none, or only outside of the root.
        """
        return next(
            (place for place in self.candidate_paths(named, beside) if _is_file(place)), None
        )

    def contains(self, file: Path) -> bool:
        """Whether a file lies inside of the root, wherever links lead, and may be read."""
        try:
            whole = file.resolve()
        except (OSError, RuntimeError):
            return False
        return self._allows(whole)

    def candidate_paths(self, named: str, beside: Path) -> list[Path]:
        """Where a file that a manifest names may be, inside of the root."""
        try:
            found = [(base / named).resolve() for base in (self.folder, beside)]
        except (OSError, ValueError, RuntimeError):
            return []
        return [name for name in dict.fromkeys(found) if self._allows(name)]

    def _allows(self, whole: Path) -> bool:
        if not whole.is_relative_to(self.folder):
            return False
        return not any(part.startswith(".") for part in whole.relative_to(self.folder).parts)


def find_root(path: Path) -> ManifestRoot:
    """The root of a manifest, or of a folder of them."""
    whole = path.resolve()
    folder = whole if whole.is_dir() else whole.parent
    for parent in (folder, *folder.parents):
        if parent.name == MANIFESTS_FOLDER:
            return ManifestRoot(parent if _is_of_user(parent.parent) else parent.parent)
    return ManifestRoot(folder)


def _is_of_user(folder: Path) -> bool:
    """Whether a folder is that of the user, or of the whole machine."""
    try:
        return folder in {Path.home().resolve(), Path(folder.anchor)}
    except (OSError, RuntimeError):
        return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # such as one whose name is too long
        return False


def list_manifest_files(folder: Path) -> list[Path]:
    """
    The files of a folder that may be manifests, by name; none of folders in it.

    Raises:
        DocumentUnavailable: There is no such folder.
    """
    try:
        found = sorted(folder.iterdir())
    except OSError as error:
        raise DocumentUnavailable(str(folder), "there is no such folder") from error
    return [path for path in found if path.suffix in SUFFIXES and path.is_file()]


def load_text_file(path: Path) -> str:
    """
    Read a text in UTF-8.

    Raises:
        DocumentUnavailable: It cannot be read, is too long, or no text.
    """
    octets = read_file(path, source=str(path))
    if len(octets) > MAX_TEXT_CHARS:
        raise DocumentUnavailable(str(path), f"it is longer than {MAX_TEXT_CHARS:,} bytes")
    try:
        # As text files are opened: every end of a line is the same.
        return octets.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise DocumentUnavailable(str(path), "it is no text in UTF-8") from None


def load_value_file(path: Path) -> Json:
    """
    Read a file of JSON or YAML.

    Raises:
        DocumentUnavailable, UnreadableDocument: It cannot be read.
    """
    return parse_bytes(read_file(path, source=str(path)), source=str(path)).value


def explain_read_error(error: RestwrightError) -> str:
    """What is wrong with a file, without its name."""
    if isinstance(error, DocumentUnavailable | UnreadableDocument):
        return error.why
    return error.message
