"""Every link of the documentation leads somewhere, and every path that it names is there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
DECISIONS = ROOT / "docs" / "decisions"
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
# Where a path in backticks begins: modules are named from inside the package.
BASES = (ROOT, ROOT / "src" / "restwright", ROOT / "benchmarks" / "restwright_bench")
FIRST_SEGMENTS = {path.name for base in BASES for path in base.iterdir() if path.is_dir()}
ABOUT_THE_REPOSITORY = {ROOT / "CONTRIBUTING.md", ROOT / "docs" / "architecture.md"}
PATH = re.compile(r"(?P<path>\.?[\w<][\w.<>*-]*(?:/[\w.<>*-]+)*/?)(?:::(?P<test>\w+))?")
PLACEHOLDER = re.compile(r"<\w+>|\b[A-Z]{2,}\b(?=\.)")
REPLACED = "Replaced by "

every_page = pytest.mark.parametrize(
    "page", [pytest.param(page, id=page.relative_to(ROOT).as_posix()) for page in PAGES]
)


@every_page
def test_links_lead_to_files_and_headings(page: Path) -> None:
    dead = [target for target in link_targets(page) if not is_alive(page, target)]
    assert dead == []


@every_page
def test_paths_in_backticks_are_there(page: Path) -> None:
    if DECISIONS in page.parents and REPLACED in page.read_text("utf-8"):
        pytest.skip("a decision that was replaced names the paths of its day")
    missing = [code for code in inline_code(page) if not exists(page, code)]
    assert missing == []


def test_every_page_has_a_link_to_it() -> None:
    linked = {path for page in PAGES for path in linked_paths(page)}
    unlinked = [page for page in PAGES if page.parent != ROOT and not {page, page.parent} & linked]
    assert unlinked == []


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("# What is *contained*?", {"what-is-contained"}),
        ("# `a_b`: c, d", {"a_b-c-d"}),
        ("# Twice\n\n# Twice", {"twice", "twice-1"}),
    ],
)
def test_headings_are_anchors_as_github_makes_them(text: str, slugs: set[str]) -> None:
    assert anchors(text) == slugs


def test_a_page_that_lost_its_target_is_told() -> None:
    page = ROOT / "README.md"
    assert is_alive(page, "docs/search.md#measured")
    assert not is_alive(page, "docs/search.md#no-such-heading")
    assert not is_alive(page, "docs/no-such-page.md")
    assert not is_alive(page, "../outside.md")
    assert not exists(page, "calls/no_such_module.py")
    assert not exists(page, "tests/behaviour/test_links.py::test_no_such_test")
    assert exists(page, "application/json")


def link_targets(page: Path) -> Iterator[str]:
    """The targets of links and images in one page, as they are written, in its order."""
    for token in inline_tokens(page.read_text("utf-8")):
        target = token.attrs.get("href") or token.attrs.get("src")
        if target:
            yield str(target)


def linked_paths(page: Path) -> Iterator[Path]:
    for target in link_targets(page):
        if not urlsplit(target).scheme:
            yield (page.parent / unquote(urlsplit(target).path)).resolve()


def is_alive(page: Path, target: str) -> bool:
    """Whether the target is inside this project and is there; addresses elsewhere are not asked."""
    url = urlsplit(target)
    if url.scheme or url.netloc:
        return url.scheme in {"http", "https", "mailto"}
    path = (page.parent / unquote(url.path)).resolve() if url.path else page
    if not path.is_relative_to(ROOT) or not path.exists():
        return False
    return not url.fragment or unquote(url.fragment) in anchors(path.read_text("utf-8"))


def anchors(text: str) -> set[str]:
    """The anchors of the headings in one page, as GitHub makes them from the headings' text."""
    seen: Counter[str] = Counter()
    slugs: set[str] = set()
    for opening, heading in pairwise(MarkdownIt().parse(text)):
        if opening.type != "heading_open":
            continue
        words = "".join(token.content for token in heading.children or [])
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        slugs.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return slugs


def inline_code(page: Path) -> Iterator[str]:
    for token in inline_tokens(page.read_text("utf-8")):
        if token.type == "code_inline":
            yield token.content


def inline_tokens(text: str) -> Iterator[Token]:
    for block in MarkdownIt().enable("table").parse(text):
        yield from block.children or []


def exists(page: Path, code: str) -> bool:
    """Whether what stands in backticks is no path of this project, or one that is there."""
    match = PATH.fullmatch(code)
    if match is None or not is_project_path(page, match["path"]):
        return True
    pattern = PLACEHOLDER.sub("*", match["path"].rstrip("/")).replace("/...", "/**")
    paths = [
        path for base in BASES for form in (pattern, f"{pattern}.py") for path in base.glob(form)
    ]
    test = match["test"]
    return bool(paths) and (test is None or f"def {test}(" in paths[0].read_text("utf-8"))


def is_project_path(page: Path, path: str) -> bool:
    first, slash, rest = path.partition("/")
    if not slash:
        return page in ABOUT_THE_REPOSITORY and path.endswith(".py")
    return first in FIRST_SEGMENTS or (bool(rest) and path.endswith((".py", ".md")))
