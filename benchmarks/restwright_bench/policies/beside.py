"""
Further APIs beside the one that a query is about: what more there is to choose from.

Their documents are those of the shared data. No call reaches the servers that they name: whatever
is called of them is answered by the world, which has nothing there (404).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from restwright.errors import DocumentError
from restwright.openapi.api import API, load
from restwright_bench.any.documents import SPECS, document_files
from restwright_bench.errors import UnusableChoice

WHOLE = "all"
FOLDER = "beside"
"""The path of the world under which they are called."""


def further_apis(text: str, *, folder: Path = SPECS) -> Mapping[str, API]:
    """
    The APIs that `--beside` asks for, `{alias: API}`, the first ones by the names of their files.

    Args:
        text: How many, or `all`.

    Raises:
        UnusableChoice: It is neither, or there are fewer.
        MissingData: There is no shared data.
    """
    if text != WHOLE and not text.isdecimal():
        raise UnusableChoice("--beside", f"write a number or {WHOLE}, not {text}")
    if text == "0":
        return {}
    wanted = None if text == WHOLE else int(text)
    found: dict[str, API] = {}
    for file in document_files(() if folder == SPECS else sorted(folder.iterdir())):
        if wanted is not None and len(found) == wanted:
            break
        name = file.name.partition("__")[0]
        try:
            api = load(str(file), alias=name)
        except DocumentError:
            # An index beside the documents is none.
            continue
        if api.operations:
            found[name] = api
    if wanted is not None and len(found) < wanted:
        raise UnusableChoice("--beside", f"there are {len(found)} documents, not {wanted}")
    return found


def without_own(apis: Mapping[str, API], name: str) -> tuple[API, ...]:
    """All but the same API in another version, whose operations would be as right."""
    return tuple(api for alias, api in apis.items() if alias != name)
