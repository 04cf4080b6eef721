"""Which schemas are marked, or lead to one that is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from restwright.jsontypes import Json, is_object
from restwright.tools.schemas.definitions import HUMAN_KEY, Definitions
from restwright.tools.schemas.traverse import schema_references, subschemas


@dataclass(slots=True)
class HumanMarks:
    """The marks in the schemas of one document. Holds which definitions lead to one."""

    definitions: Definitions
    _leads: dict[str, bool] = field(default_factory=dict[str, bool], repr=False)

    def contains_mark(self, schema: Json) -> bool:
        """Whether a cleaned schema, or what it refers to, is marked anywhere."""
        return _is_marked(schema) or any(
            self._leads_to_mark(ref) for ref in schema_references(schema)
        )

    def _leads_to_mark(self, ref: str) -> bool:
        """Whether a definition leads to a mark; looks at each that it leads to only once."""
        if ref not in self._leads:
            found, referring = self._reach(ref)
            marked = [item for item in found if _is_marked(self.definitions.definition(item))]
            marked += [name for name in referring if self._leads.get(name)]
            self._leads.update(dict.fromkeys(found, False))
            self._leads.update(dict.fromkeys(_spread_marks(marked, referring), True))
        return self._leads[ref]

    def _reach(self, ref: str) -> tuple[list[str], Mapping[str, list[str]]]:
        """The definitions behind a reference that are not known, and `{definition: from where}`."""
        found = {ref: None}
        referring: dict[str, list[str]] = {}
        waiting = [ref]
        while waiting:
            each = waiting.pop()
            for target in self.definitions.definition_references(each):
                referring.setdefault(target, []).append(each)
                if target not in found and target not in self._leads:
                    found[target] = None
                    waiting.append(target)
        return list(found), referring


def _is_marked(schema: Json) -> bool:
    return is_object(schema) and (HUMAN_KEY in schema or any(map(_is_marked, subschemas(schema))))


def _spread_marks(marked: Iterable[str], referring: Mapping[str, list[str]]) -> set[str]:
    """What is marked, and everything that refers to it."""
    reached = set(marked)
    waiting = list(reached)
    while waiting:
        for name in referring.get(waiting.pop(), ()):
            if name not in reached:
                reached.add(name)
                waiting.append(name)
    return reached
