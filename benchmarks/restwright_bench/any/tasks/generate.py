"""The tasks of a document and a seed: of each kind one case, in every language and wording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from restwright.tools.catalog.catalog import Catalog
from restwright_bench.any.program import run_program
from restwright_bench.any.resources import Resource, find_resources
from restwright_bench.any.tasks.calls import Unreachable
from restwright_bench.any.tasks.changing import CHANGING
from restwright_bench.any.tasks.reading import READING, CaseMaker
from restwright_bench.any.tasks.sites import Site, find_sites
from restwright_bench.any.tasks.task import LANGUAGES, Case, Language, Split, Task
from restwright_bench.any.tasks.wordings import FURTHER, NEVER_READ, word
from restwright_bench.any.world.planting import Plant
from restwright_bench.any.world.state import TableKey
from restwright_bench.any.world.tables import Table, random_for
from restwright_bench.any.world.world import World

KINDS: Mapping[str, CaseMaker] = {**READING, **CHANGING}
LAST_DEV_SEED = 4
_MOST_SITES = 40
_MOST_CASES = 3
"""Of a site; what the ideal program fails at is no task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """
    A document that tasks are made of.

    Args:
        name: Of its file.
        is_never_read: Whether it is among those that nobody looks at while prompts are written.
    """

    name: str
    catalog: Catalog = field(repr=False)
    is_never_read: bool = False
    resources: tuple[Resource, ...] = field(default=(), repr=False)
    drawn: dict[int, dict[TableKey, Table]] = field(
        default_factory=dict[int, "dict[TableKey, Table]"], repr=False
    )

    def world(self, seed: int, plant: Plant | None = None) -> World:
        """A world as it was drawn; what was drawn once for a seed is not drawn again."""
        drawn = self.drawn.setdefault(seed, {})
        return World(self.catalog, seed, resources=self.resources, drawn=drawn, plant=plant)


def open_document(name: str, catalog: Catalog, *, is_never_read: bool = False) -> Document:
    """Find the resources of a document."""
    return Document(
        name=name,
        catalog=catalog,
        is_never_read=is_never_read,
        resources=find_resources(catalog.tools),
    )


def is_never_read(file: Path) -> bool:
    """Whether a file is one of every second document of its folder, by sorted name."""
    kept = (".json", ".yaml", ".yml")
    names = sorted(each.name for each in file.parent.iterdir() if each.suffix in kept)
    return file.name in names and names.index(file.name) % 2 == 1


def make_cases(
    document: Document, seed: int, kinds: Sequence[str] = tuple(KINDS)
) -> Iterator[Case]:
    """Yield a case of each kind that the document has something for; each runs ideally."""
    world = document.world(seed)
    sites = find_sites(world.state, document.resources, random_for(seed, document.name))
    for kind in kinds:
        found = next(_usable(kind, sites, document, seed), None)
        if found is not None:
            yield found


def _usable(kind: str, sites: Sequence[Site], document: Document, seed: int) -> Iterator[Case]:
    """The cases of a kind that an ideal program succeeds at; of any site."""
    rng = random_for(seed, document.name, kind)
    for site in rng.sample(sites, min(len(sites), _MOST_SITES)):
        try:
            made = list(islice(KINDS[kind](site, rng), _MOST_CASES))
        except Unreachable:
            continue
        for case in made:
            world = document.world(seed)
            if run_program(case, world).success:
                yield case


def make_tasks(
    document: Document,
    seed: int,
    *,
    kinds: Sequence[str] = tuple(KINDS),
    languages: Sequence[Language] = LANGUAGES,
) -> Iterator[Task]:
    """Yield every case in every language and wording, with the split it belongs to."""
    wordings = wordings_of(document, seed)
    for case in make_cases(document, seed, kinds):
        for language in languages:
            for wording in wordings:
                yield Task(
                    document=document.name,
                    seed=seed,
                    kind=case.kind,
                    language=language,
                    wording=wording,
                    split=split_of(document, seed, wording),
                    question=word(case, language, wording),
                    case=case,
                )


def wordings_of(document: Document, seed: int) -> Sequence[int]:
    """The wordings of its tasks: the further ones where they are for development."""
    is_hidden = split_of(document, seed, 0) == "never-read"
    return range(NEVER_READ + 1) if is_hidden else range(FURTHER.stop)


def split_of(document: Document, seed: int, wording: int) -> Split:
    """To which of the two sets a task belongs."""
    is_hidden = document.is_never_read or seed > LAST_DEV_SEED or wording == NEVER_READ
    return "never-read" if is_hidden else "dev"
