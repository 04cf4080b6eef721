"""
What is asked of a response, as a small model can say it: which things, how sorted, what of them.

Its fields are chosen from those that the response has, so that nothing has to be spelled.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from restwright.agents.prompting.structured_output import closed
from restwright.agents.rest.provenance import is_said, normalize_text
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.text.words import split_words

WHOLE = "whole"
"""The name of the response itself, beside its lists."""

_TEXTS_OF_THING = 3
_THINGS, _NUMBER, _YES_OR_NO = "things", "number", "yes or no"
_MAX_FIELDS, _MAX_DEPTH, _MAX_LISTINGS, _LOOKED_AT = 40, 3, 4, 5
_MAX_EXAMPLE_CHARS, _MAX_KNOWN = 32, 8
_MAX_CHOICES, _MAX_SHOWN, _MAX_TESTS, _MAX_GIVEN = 16, 8, 3, 4
_MAX_SEARCHED, _LEAST_SAID = 500, 3
_TEXT: JsonObject = {"type": "string", "minLength": 1, "maxLength": 80}
_PUNCTUATION = re.compile(r"[\W_]+")
_DAY_CHARS = 10
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*:/)?/\S")
_MONTH, _ANY_DAY, _ANY_YEAR = "(0[1-9]|1[0-2])", "[0-3][0-9]", "[0-9]{4}"
"""Of a day: without escapes, which grammars do not have."""
_ENDS = frozenset(("01", "28", "29", "30", "31"))
"""Days with which months and years begin and end."""


@dataclass(frozen=True, slots=True)
class Listing:
    """
    Things of a response: the objects of one of its lists, or the response itself.

    Args:
        name: Its path, with dots between the parts.
        schema: Of one thing, with the choices that are documented.
        is_inner: They are parts of the things of another list, and their ids are no ids of those.
        is_plain: They are texts or numbers, and nothing else is known of them.
    """

    name: str
    items: tuple[JsonObject, ...]
    schema: JsonObject = dataclasses.field(default_factory=dict[str, Json])
    is_inner: bool = False
    is_plain: bool = False

    def fields(self) -> Mapping[str, Json]:
        """`{field: a value}` of its things, those inside of others with dots between."""
        found: dict[str, Json] = {}
        for item in self.items[:_LOOKED_AT]:
            for field, value in _iterate_fields(item):
                if found.get(field) is None:
                    found[field] = value
        return dict(list(found.items())[:_MAX_FIELDS])

    def counts(self) -> list[str]:
        """The fields that may say how many of something a thing has: numbers and lists."""
        values = self.fields()
        return [one for one in values if is_array(values[one]) or _kind_of(values[one]) == _NUMBER]

    def choices(self, field: str) -> list[Json]:
        """The values that are documented for a field, or those it repeats; none for any other."""
        if documented := _documented_choices(self.schema, field.split(".")):
            return documented
        values = [value_at(item, field) for item in self.items]
        texts = list(dict.fromkeys(value for value in values if isinstance(value, str)))
        is_choice = 1 < len(texts) <= _MAX_CHOICES and len(texts) * 3 <= len(values) * 2
        are_short = all(len(text) <= _MAX_EXAMPLE_CHARS for text in texts)
        return [*texts] if is_choice and are_short else []

    def describe(self, said: str = "") -> str:
        """
        Return one line: how many things there are, and their fields with their kinds.

        A value would be taken over into what things are chosen by. Addresses come last.

        Args:
            said: Normalised. A value that stands there is told of its field.
        """
        fields = sorted(self.fields().items(), key=lambda field: is_address(field[1]))
        shown = ", ".join(self._say_field(name, value, said) for name, value in fields)
        return f"- {self.name} ({len(self.items)}): {shown}"

    def _say_field(self, field: str, value: Json, said: str) -> str:
        if meant := self._find_said(field, said):
            return f"{field} {json.dumps(meant, ensure_ascii=False)}"
        choices = [json.dumps(choice, ensure_ascii=False) for choice in self.choices(field)]
        return f"{field} {'|'.join(choices[:_MAX_SHOWN]) or _say_kind(value)}"

    def _find_said(self, field: str, said: str) -> str:
        """The longest text of a field that is said: of `open to all` not `open`."""
        values = (value_at(item, field) for item in self.items[:_MAX_SEARCHED])
        texts = (value for value in values if isinstance(value, str) and len(value) >= _LEAST_SAID)
        return max((text for text in texts if said and is_said(text, said)), key=len, default="")


def _documented_choices(schema: JsonObject, path: Sequence[str]) -> list[Json]:
    for name in path:
        schema = schema.get("properties", {}).get(name, {})
    choices: list[Json] = [one for one in schema.get("enum", ()) if isinstance(one, str)]
    return [] if len(choices) > _MAX_CHOICES else choices


def find_listings(
    body: Json, *, is_thing: bool = False, schema: JsonObject | None = None
) -> tuple[Listing, ...]:
    """
    Return the lists of objects in a response, and itself if it is an object; where it has no such
    lists, and is of no one thing, those of texts and numbers.

    The longest come first, after them the lists in their things, each of all things together.

    Args:
        schema: Of the response, as `observed` tells it.
        is_thing: Whether the call was for one thing, so that the response itself comes first; so it
            does where it has several texts, which pages have not.
    """
    found = list(_iterate_listings(body, (), schema or {}))
    found += [] if found or is_thing else _iterate_plain(body, ())
    found.sort(key=lambda listing: (listing.is_inner, -len(listing.items)))
    whole = [Listing(WHOLE, (body,), schema or {})] if is_object(body) and body else []
    listings = [listing for listing in (*found[:_MAX_LISTINGS], *whole) if listing.fields()]
    texts = [value for value in body.values() if isinstance(value, str)] if is_object(body) else []
    comes_first = is_thing or len(texts) >= _TEXTS_OF_THING
    return tuple(sorted(listings, key=lambda listing: comes_first and listing.name != WHOLE))


def listing_of(query: JsonObject, listings: Sequence[Listing]) -> Listing:
    """The things that a query is of, which its schema has checked."""
    return next(one for one in listings if one.name == query["things"])


def query_schema(
    listings: Sequence[Listing],
    *,
    numbers: Sequence[float],
    days: Sequence[str] | None = (),
    gives: Sequence[str] = (),
    untested: Collection[str] = (),
    is_one: bool = False,
) -> JsonObject:
    """
    Return the schema of a query over a response.

    Args:
        numbers: What fields can be compared with: a number is said, or it is made up.
        days: Likewise, and years, for all of their days; None for any day.
        gives: Of `list_gives`.
        untested: Fields that things are not chosen by.
        is_one: Of several things one is asked for: the first in an order.
    """
    values: Mapping[str, JsonObject] = {
        "text": _TEXT,
        "boolean": {"type": "boolean"},
        "number": {"enum": [*numbers]},
        "day": _day_schema(days, numbers),
        "time": _day_schema(days, numbers, _ENDS),
    }
    given = gives or list_gives()
    if _NUMBER in given:
        # What has no number in it does not say how many, unless there is nothing else.
        listings = [one for one in listings if one.name != WHOLE or one.counts()] or listings
    return {
        "anyOf": [
            schema
            for listing in listings
            for schema in _listing_schemas(listing, values, given, untested, is_one=is_one)
        ]
    }


def _day_schema(
    days: Sequence[str] | None, numbers: Sequence[float], ends: Set[str] = frozenset()
) -> JsonObject:
    """
    Days that are said, or of years that are: those with a number that is said.

    Args:
        ends: Further days of a month that will do.
    """
    if days is not None and not days:
        return {"enum": []}
    said = {f"{int(number):02}" for number in numbers if number in range(1, 32)}
    day = f"({'|'.join(sorted(said | ends))})" if said and days else _ANY_DAY
    end = f"-{_MONTH}-{day}"
    known = [one if len(one) == _DAY_CHARS else one + end for one in days or (_ANY_YEAR,)]
    return {"type": "string", "pattern": f"^({'|'.join(known)})$"}


def list_gives(*, is_condition: bool = False, is_count: bool = False) -> list[str]:
    """What a query may give of things: a truth value for a condition, a number where one counts."""
    if is_condition:
        return [_YES_OR_NO]
    return [give for give in _GIVES if give != _YES_OR_NO and (is_count or give != _NUMBER)]


def is_address(value: Json) -> bool:
    """Whether a value is a URL, or a path of one."""
    return isinstance(value, str) and _ADDRESS.match(value) is not None


def is_day(value: Json) -> bool:
    """Whether a value is a day, or begins with one as a time does."""
    return isinstance(value, str) and _DAY.match(value) is not None


def _listing_schemas(
    listing: Listing,
    values: Mapping[str, JsonObject],
    gives: Sequence[str],
    untested: Collection[str],
    *,
    is_one: bool,
) -> list[JsonObject]:
    fields = listing.fields()
    tested = {
        name: value
        for name, value in fields.items()
        if name not in untested and not is_address(value)
    }
    choices = {name: known for name in tested if (known := listing.choices(name))}
    choices = {name: known for name, known in choices.items() if not is_day(known[0])}
    tests = [_test_schema([name], ["=", "!="], {"enum": known}) for name, known in choices.items()]
    others = {name: value for name, value in tested.items() if name not in choices}
    tests += _test_schemas(others, values)
    field: JsonObject = {"enum": [*fields]}
    order = closed({"by": field, "first": {"enum": ["highest", "lowest"]}})
    # Which of several things come first is said by their order alone.
    is_whole, is_asked = listing.name == WHOLE, _YES_OR_NO in gives
    is_count = is_whole and _NUMBER in gives
    if is_whole and not is_asked:
        gives = [_NUMBER] if is_count else [_THINGS]
    unordered = (gives, {"type": "null"}, {"type": "null"})
    ordered = (gives, order, {"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 1}]})
    ways: Sequence[tuple[Sequence[str], JsonObject, JsonObject]] = [unordered, ordered]
    if is_whole:
        ways = [unordered]
    elif is_one and len(listing.items) > 1:
        others = [give for give in gives if give != _THINGS]
        ways = [([_THINGS], order, {"const": 1}), (others, *unordered[1:])]
    read: JsonObject = {"enum": listing.counts() or [*fields]} if is_count else field
    where: JsonObject = {
        "type": "array",
        "items": {"anyOf": tests} if tests else {"const": None},
        "maxItems": _MAX_TESTS if tests and (is_asked or not is_whole) else 0,
    }
    return [
        closed(
            {
                "things": {"const": listing.name},
                "give": {"enum": [*given]},
                "fields": {
                    "type": "array",
                    "items": read,
                    "minItems": int(is_count),
                    "maxItems": 1 if is_count else _MAX_GIVEN,
                },
                "sort": sort,
                "take": take,
                "where": where,
            }
        )
        for given, sort, take in ways
    ]


def _test_schemas(
    examples: Mapping[str, Json], values: Mapping[str, JsonObject]
) -> Iterator[JsonObject]:
    """A schema for tests of the fields of each kind, where there is something to test them for."""
    for kind, comparisons in _TESTS_OF.items():
        of_kind = "day" if kind == "time" else kind
        named = [name for name, value in examples.items() if _kind_of(value) == of_kind]
        if named and values[kind].get("enum") != []:
            yield _test_schema(named, comparisons, values[kind])


def _test_schema(
    fields: Sequence[str], comparisons: Sequence[str], value: JsonObject
) -> JsonObject:
    return closed({"field": {"enum": [*fields]}, "is": {"enum": [*comparisons]}, "value": value})


def _kind_of(value: Json) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "day" if is_day(value) else "text"


def find_unsaid(
    query: JsonObject, listings: Sequence[Listing], said: str, whole: Collection[str] = ()
) -> list[str]:
    """
    Return the fields that are tested for a text which nobody said, and which is no choice of them.

    Args:
        said: Normalised.
        whole: What was said at once: all of a message is no name in it.
    """
    messages = {split_words(text) for text in whole}
    listing = listing_of(query, listings)
    return [
        test["field"]
        for test in query["where"]
        if isinstance(test["value"], str)
        and not is_day(test["value"])
        and not listing.choices(test["field"])
        and (split_words(test["value"]) in messages or not is_said(test["value"], said))
    ]


def find_lacking(
    query: JsonObject, listings: Sequence[Listing], names: Sequence[str]
) -> dict[str, str]:
    """Return `{field: name}` of what is tested for one of some names, which no thing has there."""
    listing = listing_of(query, listings)
    called = frozenset(map(normalize_text, names))
    return {
        test["field"]: normalize_text(str(test["value"]))
        for test in query["where"]
        if test["is"] == "="
        and normalize_text(str(test["value"])) in called
        and not any(_holds(item, test) for item in listing.items)
    }


def find_unrelated(query: JsonObject, listings: Sequence[Listing], said: str) -> list[str]:
    """
    Return the fields that are tested for a text which none of the things has there.

    Neither is it a choice of the field, nor has what was said a word of the field's name: that such
    a test fails says nothing of what was asked.

    Args:
        said: Normalised.
    """
    listing = listing_of(query, listings)
    words = frozenset(split_words(said))
    return [
        test["field"]
        for test in query["where"]
        if isinstance(test["value"], str)
        and not is_day(test["value"])
        and test["value"] not in listing.choices(test["field"])
        and not words & {*split_words(test["field"])}
        and not any(_holds(item, {**test, "is": "contains"}) for item in listing.items)
    ]


def find_contradicted(
    query: JsonObject, listings: Sequence[Listing], names: Sequence[str] = ()
) -> list[str]:
    """
    Return the fields with one value of which a query wants two at the same time.

    Args:
        names: Of things: two of them are two things, of which each is called by one.
    """
    fields = listing_of(query, listings).fields()
    called = frozenset(map(normalize_text, names))
    wanted = _find_contradictory(query, fields)
    return [field for field, values in wanted.items() if not called.issuperset(values)]


def _find_contradictory(query: JsonObject, fields: Mapping[str, Json]) -> Mapping[str, set[str]]:
    """`{field with one value: the values that it is to have}`, where these are several."""
    wanted: dict[str, set[str]] = {}
    for test in query["where"]:
        if test["is"] == "=" and not is_array(fields.get(test["field"])):
            wanted.setdefault(test["field"], set()).add(normalize_text(str(test["value"])))
    return {field: values for field, values in wanted.items() if len(values) > 1}


def excludes(query: JsonObject) -> bool:
    """Whether a query tests what things are not to be."""
    tests: list[JsonObject] = query["where"]
    return any(test["is"] == "!=" or test["value"] is False for test in tests)


def is_of_field(test: JsonObject, listing: Listing, said: str) -> bool:
    """
    Whether a value may be asked of the field that is tested for it.

    A thing has it there, it is a choice of the field, or a text has a word of the field's name and
    the value is none: a number, a day, yes or no.
    """
    value, field = test["value"], test["field"]
    if value in listing.choices(field):
        return True
    if any(_holds(item, {**test, "is": "contains"}) for item in listing.items):
        return True
    is_text = isinstance(value, str) and not is_day(value)
    return not is_text and bool({*split_words(said)} & {*split_words(field)})


def is_tested(query: JsonObject, names: Sequence[str], *, has_test: bool = False) -> bool:
    """
    Whether a query for yes or no tests more than what a thing is called.

    Args:
        names: What the thing is called; that it is called so is no condition.
        has_test: Whether something is asked of it; else that there are things may be all.
    """
    known = {normalize_text(name) for name in names}
    tests: list[JsonObject] = query["where"]
    return (query["things"] != WHOLE and not has_test) or any(
        normalize_text(str(test["value"])) not in known for test in tests
    )


@dataclass(frozen=True, slots=True)
class QueryResult:
    """
    What a query gave.

    Args:
        value: None where nothing can be given.
        keys: The properties that it speaks of.
        evidence: Where it gave nothing, what the response has instead.
        subject: Of a question for yes or no, the one thing that it was asked of; None for any
            other, and of several.
    """

    value: Json
    keys: frozenset[str] = frozenset()
    evidence: str = ""
    subject: JsonObject | None = None


def run_query(
    query: JsonObject,
    listings: Sequence[Listing],
    call: str = "",
    names: Sequence[str] = (),
) -> QueryResult:
    """
    Run a query, which `query_schema` has checked, over the things of a response.

    Texts are equal without regard to case and punctuation, and a day is equal to each time of it.

    Args:
        call: In words. That a text is what the call was made for is true of all: where nothing has
            it in a field of its own, that test is left out, and one that takes the number of
            another; not of a question for yes or no.
        names: What things are called in what is asked. Of one that is not there, and of a field
            that it has not, nobody knows whether it is so. A thing is called by one of several.
    """
    listing = listing_of(query, listings)
    sort: JsonObject | None = query["sort"]
    tested = [test["field"] for test in query["where"]]
    named = [*tested, *query["fields"], *([sort["by"]] if sort else [])]
    if missing := [field for field in named if field not in listing.fields()]:
        return QueryResult(None, evidence=f"{listing.name} has no {missing[0]}")
    items = _select(query, listing, frozenset(split_words(call)), names)
    if isinstance(items, QueryResult):
        return items
    if sort and query["give"] != _NUMBER:
        items = _sorted(items, sort)
    items = items[: int(query["take"])] if query["take"] and query["give"] != _NUMBER else items
    near = _find_near(query["fields"], listing) if len(items) == 1 else []
    keys = frozenset(part for field in (*named, *near) for part in field.split("."))
    is_inside = query["give"] == _NUMBER and listing.name == WHOLE
    give = _count_in if is_inside else _GIVES[query["give"]]
    subject = _find_subject(query, listing, names) if query["give"] == _YES_OR_NO else None
    return QueryResult(give(items, query["fields"]), keys, subject=subject)


def _find_subject(query: JsonObject, listing: Listing, names: Sequence[str]) -> JsonObject | None:
    """
    The one thing of a list that is tested to be one of some names; None for none and several.

    It has all of these names that any of the things has.
    """
    called = frozenset(map(normalize_text, names))
    tests: list[JsonObject] = query["where"]
    named = [
        test for test in tests if test["is"] == "=" and normalize_text(str(test["value"])) in called
    ]
    things = [item for item in listing.items if all(_holds(item, test) for test in named)]
    if not named or len(things) != 1:
        return None
    held = _names_held(things, called)
    return things[0] if held == _names_held(listing.items, called) else None


def _names_held(items: Sequence[JsonObject], called: Set[str]) -> Set[str]:
    return called & {normalize_text(str(value)) for item in items for value in item.values()}


def _select(
    query: JsonObject, listing: Listing, told: frozenset[str], names: Sequence[str]
) -> list[JsonObject] | QueryResult:
    """The things that fit all tests of a query; why there are none."""
    is_asked, called = query["give"] == _YES_OR_NO, frozenset(map(normalize_text, names))
    none: Json = 0 if query["give"] == _NUMBER else []
    tests: list[JsonObject] = query["where"]
    items, fields = list(listing.items), _find_contradictory(query, listing.fields())
    either = [test for test in tests if test["field"] in fields and not is_asked]
    lacking = [test for test in either if not any(_holds(item, test) for item in items)]
    if unknown := [test for test in lacking if not _is_told(test, told)]:
        return QueryResult(none, evidence=_evidence(items, unknown[0]))
    if found := [test for test in either if test not in lacking]:
        items = [item for item in items if any(_holds(item, test) for test in found)]
    for test in (test for test in tests if test not in either):
        kept = [item for item in items if _holds(item, test)]
        if is_asked and items and all(value_at(one, test["field"]) is None for one in items):
            return QueryResult(None, evidence=f"{test['field']} is not known of it")
        if is_asked and not kept and normalize_text(str(test["value"])) in called:
            return QueryResult(None, evidence=_evidence(items, test))
        if kept or is_asked:
            items = kept
        elif not (_is_told(test, told) or _is_doubled(test, tests)):
            return QueryResult(none, evidence=_evidence(items, test))
    return items


def _is_told(test: JsonObject, told: frozenset[str]) -> bool:
    words = split_words(test["value"]) if isinstance(test["value"], str) else ()
    return bool(words) and test["is"] in {"=", "contains"} and told.issuperset(words)


def _find_near(fields: Sequence[str], listing: Listing) -> list[str]:
    """The one field that is called nearly as another: `stock` beside `in_stock`; not of several."""
    words = {field: frozenset(split_words(field)) for field in listing.fields()}
    alike = (
        [other for other, own in words.items() if own < words[field] or words[field] < own]
        for field in fields
    )
    return [other for others in alike if len(others) == 1 for other in others]


def _is_doubled(test: JsonObject, tests: Sequence[JsonObject]) -> bool:
    """Whether a number that was said is tested of another field too: it is meant of one."""
    value = test["value"]
    fields = {other["field"] for other in tests if other["value"] == value}
    return isinstance(value, int | float) and not isinstance(value, bool) and len(fields) > 1


def _count(items: Sequence[JsonObject], fields: Sequence[str]) -> Json:
    del fields
    return len(items)


def _count_in(items: Sequence[JsonObject], fields: Sequence[str]) -> Json:
    """How many a field of the one thing says that there are, or has."""
    values = [value_at(item, field) for item in items for field in fields[:1]]
    value = values[0] if values else None
    if is_array(value):
        return len(value)
    return value if _kind_of(value) == _NUMBER else None


def _things(items: Sequence[JsonObject], fields: Sequence[str]) -> Json:
    del fields
    return items[0] if len(items) == 1 else [*items]


def _is_any(items: Sequence[JsonObject], fields: Sequence[str]) -> Json:
    del fields
    return bool(items)


def _sum(items: Sequence[JsonObject], fields: Sequence[str]) -> Json:
    numbers = _numbers(items, fields)
    return round(sum(numbers), 6) if numbers else None


def _average(items: Sequence[JsonObject], fields: Sequence[str]) -> Json:
    numbers = _numbers(items, fields)
    return round(sum(numbers) / len(numbers), 6) if numbers else None


def _numbers(items: Sequence[JsonObject], fields: Sequence[str]) -> list[float]:
    values = [value_at(item, field) for item in items for field in fields[:1]]
    return [number for value in values if (number := _number(value)) is not None]


def value_at(item: Json, field: str) -> Json:
    """The value of a field, with dots between the names of objects inside each other."""
    for part in field.split("."):
        item = item.get(part) if is_object(item) else None
    return item


def _iterate_fields(
    item: JsonObject, inside: str = "", depth: int = 1
) -> Iterator[tuple[str, Json]]:
    for name, value in item.items():
        if "." in name:
            continue  # It would be taken for one inside of another.
        if is_object(value) and depth < _MAX_DEPTH:
            yield from _iterate_fields(value, f"{inside}{name}.", depth + 1)
        elif not is_object(value) and not (is_array(value) and any(map(is_object, value))):
            yield f"{inside}{name}", value


def _iterate_listings(body: Json, path: tuple[str, ...], schema: JsonObject) -> Iterator[Listing]:
    name = ".".join(path) or "things"
    if is_array(body):
        items = tuple(item for item in body if is_object(item))
        if items:
            yield (listing := Listing(name, items, schema.get("items", {})))
            yield from _iterate_inner(listing)
    elif is_object(body) and len(path) < _MAX_DEPTH:
        if _is_map(body):
            named = ({"key": key, **value} for key, value in body.items() if is_object(value))
            yield (listing := Listing(name, tuple(named), schema.get("additionalProperties", {})))
            yield from _iterate_inner(listing)
            return
        for part, value in body.items():
            inner = schema.get("properties", {}).get(part, {})
            yield from _iterate_listings(value, (*path, part), inner)


def _iterate_plain(body: Json, path: tuple[str, ...]) -> Iterator[Listing]:
    """The lists of texts or numbers, each of which is a thing that has nothing but that."""
    if is_array(body) and body and not any(is_object(item) or is_array(item) for item in body):
        name = path[-1] if path else "value"
        items = tuple({name: item} for item in body if item is not None)
        yield Listing(".".join(path) or "things", items, is_plain=True)
    elif is_object(body) and len(path) < _MAX_DEPTH:
        for part, value in body.items():
            yield from _iterate_plain(value, (*path, part))


def _iterate_inner(listing: Listing) -> Iterator[Listing]:
    """The lists in the things of a list, each with the parts of all of them."""
    for part in dict.fromkeys(name for item in listing.items[:_LOOKED_AT] for name in item):
        lists = (value for item in listing.items if is_array(value := item.get(part)))
        items = tuple(inner for value in lists for inner in value if is_object(inner))
        schema = listing.schema.get("properties", {}).get(part, {}).get("items", {})
        inner = Listing(f"{listing.name}.{part}", items, schema, is_inner=True)
        texts = [value for value in inner.fields().values() if isinstance(value, str)]
        # What has addresses alone is a file in several sizes, of which nothing is asked.
        if not texts or not all(map(is_address, texts)):
            yield inner


def _is_map(body: JsonObject) -> bool:
    """Whether an object is a table of things under keys, and no thing itself."""
    values = list(body.values())
    if len(values) < 2 or not all(is_object(value) and value for value in values):
        return False
    return all(value.keys() & values[0].keys() for value in values[1:])


def _say_kind(value: Json) -> str:
    if isinstance(value, str):
        return "address" if is_address(value) else "day" if is_day(value) else "text"
    return "list" if is_array(value) else "unknown" if value is None else _kind_of(value)


def _holds(item: JsonObject, test: JsonObject) -> bool:
    value = value_at(item, test["field"])
    return value is not None and _COMPARISONS[test["is"]](value, test["value"])


def _evidence(items: Sequence[JsonObject], test: JsonObject) -> str:
    found = (value_at(item, test["field"]) for item in items)
    values = dict.fromkeys(
        json.dumps(value, ensure_ascii=False)[:_MAX_EXAMPLE_CHARS] for value in found
    )
    known = ", ".join(list(values)[:_MAX_KNOWN])
    wanted = f"{test['field']} {test['is']} {json.dumps(test['value'], ensure_ascii=False)}"
    told = f"nothing has {wanted}; there are {known}"
    holders = [*dict.fromkeys(_holders(items, test["value"]))]
    return f"{told}; {holders[0]} has it" if len(holders) == 1 else told


def _holders(items: Sequence[JsonObject], value: Json) -> Iterator[str]:
    """The fields of things that have a text."""
    wanted = normalize_text(str(value)) if isinstance(value, str) else None
    for item in items:
        for name, held in item.items():
            if isinstance(held, str) and normalize_text(held) == wanted:
                yield name


def _sorted(items: Sequence[JsonObject], sort: JsonObject) -> list[JsonObject]:
    """In order of a field; what has no value there comes last."""
    pairs = [(value_at(item, sort["by"]), item) for item in items]
    known = [(value, item) for value, item in pairs if value is not None]
    unknown = [item for value, item in pairs if value is None]
    numbers = [_number(value) for value, _ in known]
    if all(number is not None for number in numbers):
        ranked = sorted(zip(numbers, known, strict=True), key=lambda pair: pair[0] or 0.0)
        ordered = [item for _, (_, item) in ranked]
    else:
        ordered = [item for _, item in sorted(known, key=lambda pair: _plain(pair[0]))]
    return [*(ordered[::-1] if sort["first"] == "highest" else ordered), *unknown]


def _is_equal(one: Json, other: Json) -> bool:
    if is_array(one):
        return any(_is_equal(part, other) for part in one) or json.dumps(one) == other
    if isinstance(one, bool) or isinstance(other, bool):
        return _plain(one) == _plain(other)
    first, second = _number(one), _number(other)
    if first is not None and second is not None:
        return first == second
    texts = str(one), str(other)
    if _DAY.fullmatch(texts[1]):
        return texts[0][:_DAY_CHARS] == texts[1]
    return _plain(one) == _plain(other)


def _compare(one: Json, other: Json) -> int:
    first, second = _number(one), _number(other)
    if first is None or second is None:
        left, right = str(one), str(other)
        # All times of a day are that day.
        left = left[:_DAY_CHARS] if is_day(left) and _DAY.fullmatch(right) else left
        return (left > right) - (left < right)
    return (first > second) - (first < second)


def _contains(one: Json, other: Json) -> bool:
    parts = one if is_array(one) else [one]
    return any(_plain(other) in _plain(part) for part in parts)


def _number(value: Json) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _plain(value: Json) -> str:
    """A text without case and punctuation; of one that is nothing else, itself."""
    text = unicodedata.normalize("NFKC", str(value)).casefold()
    return _PUNCTUATION.sub("", text) or text


_GIVES: Mapping[str, Callable[[Sequence[JsonObject], Sequence[str]], Json]] = {
    _THINGS: _things,
    _NUMBER: _count,
    _YES_OR_NO: _is_any,
    "sum": _sum,
    "average": _average,
}
_COMPARISONS: Mapping[str, Callable[[Json, Json], bool]] = {
    "=": _is_equal,
    "!=": lambda one, other: not _is_equal(one, other),
    "<": lambda one, other: _compare(one, other) < 0,
    "<=": lambda one, other: _compare(one, other) <= 0,
    ">": lambda one, other: _compare(one, other) > 0,
    ">=": lambda one, other: _compare(one, other) >= 0,
    "contains": _contains,
}
_ORDERED: list[str] = [one for one in _COMPARISONS if one != "contains"]
_EQUAL = ["=", "!="]
_TESTS_OF: Mapping[str, Sequence[str]] = {
    "text": ["=", "!=", "contains"],
    "boolean": ["="],
    "number": _ORDERED,
    "day": _EQUAL,
    # Before or after a day, which may be the first or the last of a month.
    "time": [one for one in _ORDERED if one not in _EQUAL],
}
