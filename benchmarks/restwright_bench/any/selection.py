"""Which tasks are run: splits, kinds, languages, seeds, and every so manieth of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from restwright_bench.any.tasks.generate import KINDS, Document, make_tasks
from restwright_bench.any.tasks.task import LANGUAGES, Language, Task
from restwright_bench.any.world.tables import random_for
from restwright_bench.errors import UnusableChoice

SPLITS = ("dev", "never-read", "all")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """
    What is asked for.

    Args:
        every: Each so manieth task of a document and a seed, in an order that a seed draws.
    """

    seeds: tuple[int, ...] = (0,)
    languages: tuple[Language, ...] = LANGUAGES
    kinds: tuple[str, ...] = tuple(KINDS)
    split: str = "dev"
    every: int = 1

    def tasks(self, document: Document) -> Iterator[Task]:
        """Yield the tasks of a document that are asked for."""
        if self.split == "dev" and document.is_never_read:
            return
        for seed in self.seeds:
            made = make_tasks(document, seed, kinds=self.kinds, languages=self.languages)
            wanted = [task for task in made if self.split in ("all", task.split)]
            random_for(seed, document.name, "every").shuffle(wanted)
            yield from wanted[:: self.every]


def languages_of(text: str) -> tuple[Language, ...]:
    """
    `en,ja` as languages.

    Raises:
        UnusableChoice: One of them is none.
    """
    names = _parts(text)
    if unknown := [each for each in names if each not in LANGUAGES]:
        raise UnusableChoice("--languages", f"there is {', '.join(LANGUAGES)}; no {unknown[0]}")
    return tuple(each for each in LANGUAGES if each in names)


def kinds_of(text: str) -> tuple[str, ...]:
    """
    `count,create` as kinds of tasks; all for an empty text.

    Raises:
        UnusableChoice: One of them is none.
    """
    names = _parts(text)
    if unknown := [each for each in names if each not in KINDS]:
        raise UnusableChoice("--kinds", f"there is {', '.join(KINDS)}; no {unknown[0]}")
    return names or tuple(KINDS)


def split_of(text: str) -> str:
    """
    The split that is asked for.

    Raises:
        UnusableChoice: There is none of that name.
    """
    if text not in SPLITS:
        raise UnusableChoice("--split", f"there is {', '.join(SPLITS)}; no {text}")
    return text


def _parts(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.strip() for each in text.split(",") if each.strip()))
