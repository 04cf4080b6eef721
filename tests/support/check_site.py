"""
The built site of the documentation fetches nothing from elsewhere, and can be searched.

    python -m tests.support.check_site FOLDER

Needs nothing but the standard library. Ends with 1 where a page, a script or a style would have a
browser fetch from another host as it is shown; a link that a reader may follow is none.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

_FOREIGN = re.compile(r"\s*(?:[a-z]+:)?//", re.IGNORECASE)
_LINKED_ONLY = frozenset(("canonical", "next", "prev", "alternate", "edit", "license"))
_IN_STYLES = re.compile(r"(?:url\(|@import)\s*[\"']?\s*((?:https?:)?//[^)\"']*)", re.IGNORECASE)


class _Fetched(HTMLParser):
    """What a page has a browser fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.urls: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "link" and not _LINKED_ONLY & {*given.get("rel", "").split()}:
            self.urls.append(given.get("href", ""))
        if tag not in {"a", "link"}:
            self.urls += [given.get("src", ""), *given.get("srcset", "").split(",")]
        # The theme fetches the program that draws these.
        if "mermaid" in given.get("class", "").split():
            self.urls.append("//mermaid")


def find_fetched(folder: Path) -> Iterator[str]:
    """`page: URL` of everything that comes from another host."""
    for path in sorted(folder.rglob("*.html")):
        page = _Fetched()
        text = path.read_text("utf-8")
        page.feed(text)
        urls = [*filter(_FOREIGN.match, page.urls), *_IN_STYLES.findall(text)]
        yield from (f"{path.relative_to(folder)}: {url}" for url in urls)
    for path in sorted(folder.rglob("*.css")):
        urls = _IN_STYLES.findall(path.read_text("utf-8"))
        yield from (f"{path.relative_to(folder)}: {url}" for url in urls)


def main(folder: Path) -> int:
    """Check the site in `folder`; how the process is to end."""
    fetched = [*find_fetched(folder)]
    pages = len([*folder.rglob("*.html")])
    index = folder / "search" / "search_index.json"
    found = len(json.loads(index.read_text("utf-8"))["docs"]) if index.is_file() else 0
    for line in fetched:
        sys.stdout.write(f"docs: fetched from elsewhere: {line}\n")
    if fetched or not pages or not found:
        sys.stdout.write(f"docs: FAILED: {pages} pages, {found} entries of the search\n")
        return 1
    sys.stdout.write(f"docs: passed: {pages} pages, {found} entries of the search\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
