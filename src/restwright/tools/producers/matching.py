"""How surely a field of a response is a value for an input: names, types, paths."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from restwright.tools.producers.fields import ELEMENT, NameWords, ResponseField
from restwright.tools.producers.paths import is_same_path, last_static_segment
from restwright.tools.producers.required_value import RequiredValue
from restwright.tools.text.words import split_words, to_singular
from restwright.tools.tool import Tool

_LEVEL = 0.01
_MIN_ABBREVIATION = 4
_LAST_ORDER = 5
_FEW_KINDS = 3
_MANY_HOLDINGS = 3

# Formats of strings that identify nothing.
_VALUE_FORMATS = frozenset(
    {"date", "date-time", "time", "duration", "uri", "url", "binary", "byte"}
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """
    A field that may supply a value.

    Args:
        path: Where it is; empty where the document does not say.
        strength: How surely, from 0 to 1.
        meant: Its name with what it belongs to.
    """

    path: tuple[str, ...]
    strength: float
    meant: NameWords
    why: str


@dataclass(frozen=True)
class ValueSource:
    """
    An operation that may supply values.

    Args:
        collections: Path segments of the API that hold things with an id of their own.
        envelopes: Words of properties that hold lists of all kinds of things (`items`, `data`).
    """

    tool: Tool
    fields: tuple[ResponseField, ...] = field(repr=False)
    collections: frozenset[str] = field(repr=False)
    envelopes: frozenset[NameWords] = field(default=frozenset[NameWords](), repr=False)

    @cached_property
    def fields_by_name(self) -> Mapping[NameWords, Sequence[ResponseField]]:
        """`{name: its fields}`."""
        found: defaultdict[NameWords, list[ResponseField]] = defaultdict(list)
        for response_field in self.fields:
            found[response_field.name].append(response_field)
        return found

    @cached_property
    def fields_by_owner(self) -> Mapping[tuple[str, ...], Sequence[ResponseField]]:
        """`{path of an object: its fields}`."""
        found: defaultdict[tuple[str, ...], list[ResponseField]] = defaultdict(list)
        for response_field in self.fields:
            found[response_field.owner].append(response_field)
        return found

    @cached_property
    def description_words(self) -> frozenset[str]:
        """Words of what the operation says about itself."""
        operation = self.tool.operation
        text = f"{operation.summary} {operation.operation_id or ''} {' '.join(operation.tags)}"
        return frozenset(split_words(text))

    @cached_property
    def word_prefixes(self) -> frozenset[str]:
        """Of all words that tell what its fields belong to: four letters, or the word."""
        told = {
            words
            for object_ in self.fields_by_owner.values()
            for words in (*object_[0].holders, *object_[0].kinds)
        }
        words = {word for item in told for word in item} | self.description_words
        words.update(split_words(self.segment))
        return frozenset(word_prefix(word) for word in words)

    @cached_property
    def segment(self) -> str:
        """The last segment of its path that is no placeholder."""
        return last_static_segment(self.tool.operation.path)

    @property
    def lists_resources(self) -> bool:
        """Whether it reads a list that is all of its response, or in a property of the root."""
        return self.tool.operation.method.is_read and any(
            ELEMENT in owner[:2] for owner in self.fields_by_owner
        )

    @cached_property
    def _list_paths(self) -> frozenset[tuple[str, ...]]:
        """Paths of what is around a list."""
        owners = [object_ for object_ in self.fields_by_owner if ELEMENT in object_]
        return frozenset(owner[:end] for owner in owners for end in range(len(owner)))

    @cached_property
    def _members(self) -> frozenset[tuple[str, ...]]:
        return frozenset(response_field.path[:1] for response_field in self.fields)

    def evidence_by_name(self, need: RequiredValue, *, is_rare: bool) -> Iterator[Evidence]:
        """
        Fields whose name says that they are the value, alone or with what they belong to.

        Args:
            is_rare: So few things have a field of that bare name that it alone tells.
        """
        readings = list(need.readings)
        for candidate in self._fields_named(need):
            strength = self._name_strength(candidate, need, is_rare=is_rare)
            holder: NameWords = ()
            for of, name in readings:
                if candidate.name != name:
                    continue
                belongs = (
                    1.0
                    if self._is_member(candidate, need)
                    else self._holder_strength(candidate, of)
                )
                if belongs > strength:
                    strength, holder = belongs, of
            if strength > 0:
                yield self._evidence(candidate, need, strength * _type_fit(candidate, need), holder)

    def identifier_evidence(
        self, need: RequiredValue, shares: Mapping[NameWords, float]
    ) -> Evidence | None:
        """
        The scalar that may identify a thing, where the input is called like the thing (`repo`).

        The document does not say which of them does. Likely are those that are always there, that
        come first, that the input's description mentions, and that most things of the API have.

        Args:
            shares: How many of the API's responses have a field of that name, from 0 to 1.
        """
        best: tuple[float, ResponseField] | None = None
        for candidate, belongs in self._fields_of_objects(need):
            strength = self._identifies(candidate, need, belongs, shares) * _type_fit(
                candidate, need
            )
            # Of equal ones the first, which is nearest to the root.
            if best is None or score_nearness(*best) < score_nearness(strength, candidate):
                best = strength, candidate
        return self._evidence(best[1], need, best[0], need.words) if best else None

    def _identifies(
        self,
        candidate: ResponseField,
        need: RequiredValue,
        belongs: float,
        shares: Mapping[NameWords, float],
    ) -> float:
        wanted = need.facts.types
        if candidate.is_enumerated or (wanted and not wanted & candidate.types):
            return 0.0
        if self._is_around_a_list(candidate):
            return 0.0
        is_listed = belongs == 1.0 and self._is_list() and self._is_primary(candidate)
        strength = (0.85 if is_listed else 0.6) * belongs
        strength -= 0.02 * min(candidate.order, _LAST_ORDER)
        strength -= 0.2 * candidate.is_nullable
        strength += 0.05 * (set(candidate.name) <= need.described)
        return strength + 0.05 * candidate.is_required + 0.35 * shares.get(candidate.name, 0.0)

    def _fields_named(self, need: RequiredValue) -> Iterator[ResponseField]:
        for name in need.names:
            yield from self.fields_by_name.get(name, ())

    def _fields_of_objects(self, need: RequiredValue) -> Iterator[tuple[ResponseField, float]]:
        """Fields of objects that may be what is needed, and how surely each is."""
        # What each field's object is may be told by the path, or by what the operation is about.
        anyway = (
            self._reads_one(need.words)
            or _name_similarity(split_words(self.segment), need.words) > 0
        )
        for owner, fields in self.fields_by_owner.items():
            # Lists may be wrapped (`artists: {items: [...]}`); other objects are their own kind.
            nearest = 2 if owner[-1:] == (ELEMENT,) else 1
            told = self._holder_name_strength(fields[0], need.words, nearest=nearest)
            for response_field in fields if told or anyway else ():
                if (belongs := self._holder_strength(response_field, need.words, told=told)) > 0:
                    yield response_field, belongs

    def path_evidence(self, need: RequiredValue) -> Evidence | None:
        """What the path alone says: it lists what is needed, or the same kind of thing."""
        operation = self.tool.operation
        if not operation.method.is_read or not operation.path.rstrip("/").endswith(self.segment):
            return None
        whose = " ".join(need.holder)
        if need.collection and is_same_path(operation.path, need.collection):
            strength, why = 0.6, f"is where each {whose} is kept"
        elif split_words(self.segment) == need.holder and need.collection:
            strength, why = 0.45, f"is about the {whose}"
        else:
            return None
        route = f"{operation.method.upper()} {operation.path}"
        return Evidence((), strength, need.qualified_name, f"{route}: its path {why}")

    def names_resource(self, need: RequiredValue) -> bool:
        """Whether an input is called like a thing that the API keeps: `customer`."""
        named = any(split_words(collection) == need.words for collection in self.collections)
        return named or need.words == need.holder

    def _evidence(
        self, candidate: ResponseField, need: RequiredValue, strength: float, holder: NameWords
    ) -> Evidence:
        route = f"{self.tool.operation.method.upper()} {self.tool.operation.path}"
        where = ".".join(candidate.path).replace(f".{ELEMENT}", ELEMENT)
        name = " ".join(candidate.name)
        whose = f"the {name} of the {' '.join(holder)}" if holder else f"a field called {name}"
        return Evidence(
            candidate.path,
            strength,
            (*holder, *candidate.name),
            f"{route}: `{where}`, {whose}",
        )

    def _name_strength(
        self, candidate: ResponseField, need: RequiredValue, *, is_rare: bool
    ) -> float:
        qualified = need.qualified_name
        if candidate.name == qualified and len(qualified) > 1:
            return 0.9
        if candidate.name != need.words:
            return 0.0
        if len(need.words) > 1:
            return 0.85
        if self.names_resource(need):
            return 0.8
        held = {word for words in (*candidate.holders, *candidate.kinds) for word in words}
        return max(0.5 * bool(held & need.described), 0.4 * is_rare)

    def _holder_strength(
        self, candidate: ResponseField, holder: NameWords, *, told: float | None = None
    ) -> float:
        """How surely a field's object is a `holder`, from 0 to 1."""
        sure = self._holder_name_strength(candidate, holder) if told is None else told
        of_path = _name_similarity(split_words(self.segment), holder)
        if of_path > sure and self._is_primary(candidate):
            return of_path
        is_one = self._reads_one(holder) and self._is_root_object(candidate)
        return max(sure, 0.6) if is_one else sure

    def _reads_one(self, holder: NameWords) -> bool:
        """Whether the operation is about one thing of that name."""
        return self.segment not in self.collections and set(holder) <= self.description_words

    def _holder_name_strength(
        self, candidate: ResponseField, holder: NameWords, *, nearest: int | None = None
    ) -> float:
        """How surely by the names of its object and of its `nearest` properties."""
        return max(
            [
                *(
                    (0.5 if pair in self.envelopes else 0.95) * _name_similarity(pair, holder)
                    for pair in candidate.holders[:nearest]
                ),
                # One of many alternatives is hardly ever the one that is meant.
                *(
                    (1.0 if len(candidate.kinds) <= _FEW_KINDS else 0.6)
                    * _name_similarity(kind, holder, loosely=True)
                    for kind in candidate.kinds
                ),
            ],
            default=0.0,
        )

    def _is_primary(self, candidate: ResponseField) -> bool:
        """Whether a field belongs to what the operation is about: the root, or its only list."""
        owner = candidate.owner
        if any(
            _is_inside(owner, response_field.owner)
            for response_field in self.fields_by_name[candidate.name]
        ):
            return False
        if ELEMENT in owner:
            return owner[-1] == ELEMENT and owner.count(ELEMENT) == 1
        if self._is_list():
            return False
        # One object in a root without scalars is only wrapped: `{data: {id: ...}}`.
        return not owner or (len(owner) == 1 and () not in self.fields_by_owner)

    def _is_member(self, candidate: ResponseField, need: RequiredValue) -> bool:
        """Whether it is in the property that the path goes on with: `items` of `/cart/items`."""
        path = f"{self.tool.operation.path.rstrip('/')}/{candidate.path[0]}"
        return bool(need.collection) and is_same_path(path, need.collection)

    def _is_list(self) -> bool:
        """Whether the operation lists a collection, so that the root is only around it."""
        operation = self.tool.operation
        is_of_collection = operation.path.rstrip("/").endswith(self.segment)
        is_collection = is_of_collection and self.segment in self.collections
        return operation.method.is_read and is_collection and bool(self._list_paths)

    def _is_around_a_list(self, candidate: ResponseField) -> bool:
        """Whether it stands beside the list that is meant: `{artists: {href, items: [...]}}`."""
        owner = candidate.owner
        if not owner or owner[-1] == ELEMENT or to_singular(owner[-1]) == owner[-1]:
            return False
        return owner in self._list_paths

    def _is_root_object(self, candidate: ResponseField) -> bool:
        """Whether a field belongs to the one object that the response is."""
        owner = candidate.owner
        return not owner or (len(owner) == 1 and self._members <= {owner})


def score_nearness(strength: float, at: ResponseField | Evidence) -> float:
    """How good evidence is: of two equally sure ones, that which is nearer to the root."""
    return strength - _LEVEL * len(at.path)


def is_rare_name(need: RequiredValue, sources: Iterable[ValueSource]) -> bool:
    """Whether fields of that very name belong to so few things that the name alone tells."""
    held: set[NameWords] = set()
    for source in sources:
        for response_field in source.fields:
            if response_field.name == need.words:
                segment = last_static_segment(source.tool.operation.path)
                held.add((*response_field.holders, split_words(segment))[0])
                if len(held) > 2:
                    return False
    return True


def find_envelopes(fields: Mapping[str, Sequence[ResponseField]]) -> frozenset[NameWords]:
    """
    Words of properties of the root that hold lists in responses about many different things.

    Args:
        fields: `{path: fields of the response}`.
    """
    holding: dict[NameWords, set[str]] = {}
    for path, several in fields.items():
        for response_field in several:
            if len(response_field.owner) == 2 and response_field.owner[-1] == ELEMENT:
                holding.setdefault(response_field.holders[0], set()).add(last_static_segment(path))
    return frozenset(name for name, about in holding.items() if len(about) >= _MANY_HOLDINGS)


def count_name_shares(sources: Sequence[ValueSource]) -> dict[NameWords, float]:
    """`{name: share}` of the operations whose responses have a field of that name."""
    counts = Counter(name for source in sources for name in {field.name for field in source.fields})
    return {name: count / len(sources) for name, count in counts.items()}


def _type_fit(candidate: ResponseField, need: RequiredValue) -> float:
    """How well types and formats go together, from 0 to 1."""
    wanted, offered = need.facts.types, candidate.types
    if offered == frozenset({"boolean"}):
        return 0.0
    fit = 1.0
    if wanted and offered and not wanted & offered:
        # Documents often call a numeric path parameter a string; hardly ever the other way.
        is_number = bool(offered & {"integer", "number"})
        fit = 0.8 if "string" in wanted or is_number else 0.3
    if candidate.is_enumerated:
        fit *= 0.3
    if candidate.format in _VALUE_FORMATS and candidate.format != need.facts.format:
        fit *= 0.3
    return fit


@lru_cache(maxsize=65536)
def _name_similarity(words: NameWords, holder: NameWords, *, loosely: bool = False) -> float:
    """How surely two names name the same kind of thing, from 0 to 1."""
    if not words or not holder:
        return 0.0
    if words == holder:
        return 1.0
    if words[-len(holder) :] == holder:
        return 0.9
    if holder[-len(words) :] == words:
        return 0.7
    if loosely and set(holder) <= set(words):
        return 0.6
    return 0.6 if len(words) == len(holder) and _is_abbreviation(words[-1], holder[-1]) else 0.0


def word_prefix(word: str) -> str:
    """What a word and its abbreviation have in common."""
    return word[:_MIN_ABBREVIATION]


def _is_abbreviation(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= _MIN_ABBREVIATION and long.startswith(short)


def _is_inside(owner: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return len(other) < len(owner) and owner[: len(other)] == other
