"""From what `jsonschema_rs` reports to mismatches: each place once, unions by their best branch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING, Any

from restwright.calls.mismatch import Mismatch
from restwright.calls.shorten import compact
from restwright.typing import Json, is_object

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

_MAX_GOT = 80
_MAX_LISTED = 300
_MAX_UNION_DEPTH = 8
_MAX_MISMATCHES = 200
_ARTICLES = {"integer": "an integer", "object": "an object", "array": "an array", "null": "null"}
Path = tuple[str | int, ...]


def shown(value: Json) -> str:
    """Return `value` as JSON, cut to 80 characters."""
    text = compact(value)
    return text if len(text) <= _MAX_GOT else f"{text[: _MAX_GOT - 3]}..."


def pointer_to(path: Iterable[str | int]) -> str:
    """Return the JSON Pointer of `path` (RFC 6901)."""
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in path)


def mismatches_of(errors: Iterable[ValidationError], schema: Json) -> tuple[Mismatch, ...]:
    """
    Turn every error of one check into mismatches.

    Args:
        schema: What was checked against; used to say what a missing or unknown property should be.

    Returns:
        The outermost first, 200 at most. Where a place has an error of `enum` or `const`, or else
        of `type`, what other keywords say about it and about what lies below it is left out.
    """
    reported = (each for error in errors for each in _faults(error, schema, 0))
    faults = list(islice(reported, _MAX_MISMATCHES))
    return tuple(dict.fromkeys(fault.mismatch for fault in _most_telling(faults)))


class _Fault:
    """One mismatch with the place and the keyword that it came from."""

    __slots__ = ("keyword", "mismatch", "path")

    def __init__(self, path: Path, keyword: str, mismatch: Mismatch) -> None:
        self.path, self.keyword, self.mismatch = path, keyword, mismatch


_RANKS = {"enum": 0, "const": 0, "falseSchema": 0, "type": 1, "union": 1}


def _most_telling(faults: list[_Fault]) -> list[_Fault]:
    """Drop what follows from another fault at the same place or above it; outermost first."""
    rank: dict[Path, int] = {}
    for fault in faults:
        rank[fault.path] = min(_RANKS.get(fault.keyword, 2), rank.get(fault.path, 2))
    settled = {path for path, best in rank.items() if best < 2}

    def follows(fault: _Fault) -> bool:
        above = any(fault.path[:length] in settled for length in range(len(fault.path)))
        return above or _RANKS.get(fault.keyword, 2) > rank[fault.path]

    return sorted((each for each in faults if not follows(each)), key=lambda each: len(each.path))


def _faults(error: ValidationError, schema: Json, depth: int) -> Iterator[_Fault]:
    path, keyword = tuple(error.instance_path), error.kind.name
    details: Any = error.kind.as_dict()
    if keyword == "required":
        yield _missing(path, details["property"], _siblings(error, schema), schema)
    elif keyword in {"additionalProperties", "unevaluatedProperties"}:
        known = [str(name) for name in _siblings(error, schema).get("properties", {})]
        for name in details["unexpected"]:
            yield _unknown(path, name, known, error.instance)
    elif keyword in {"anyOf", "oneOf"} and all(details["context"]):
        yield from _union(error, details["context"], schema, depth)
    elif keyword in _PLAIN:
        expected = _PLAIN[keyword](details, _siblings(error, schema))
        yield _Fault(path, keyword, Mismatch(pointer_to(path), expected, shown(error.instance)))
    else:
        yield _Fault(path, keyword, _other(path, error))


def _missing(path: Path, name: str, around: Mapping[str, Json], schema: Json) -> _Fault:
    declared = around.get("properties", {}).get(name, True)
    place = (*path, name)
    expected = f"{words(declared, schema)} (required)"
    return _Fault(place, "required", Mismatch(pointer_to(place), expected, "nothing"))


def _unknown(path: Path, name: str, known: list[str], instance: Json) -> _Fault:
    place = (*path, name)
    near = get_close_matches(name[:_MAX_GOT], known[:_MAX_MISMATCHES], n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else ""
    if not hint and known:
        hint = f"the names are {_listed(known)}"
    got = shown(instance.get(name)) if is_object(instance) else "a value"
    mismatch = Mismatch(pointer_to(place), "no property of this name", got, hint)
    return _Fault(place, "additionalProperties", mismatch)


def _union(
    error: ValidationError, branches: list[list[ValidationError]], schema: Json, depth: int
) -> Iterator[_Fault]:
    """Report the branch that was most likely meant; the alternatives where none stands out."""
    here = tuple(error.instance_path)
    best = min(branches, key=lambda errors: _distance(errors, here))
    other_type, other_kind, _ = _distance(best, here)
    if other_type or depth >= _MAX_UNION_DEPTH:
        yield _alternatives([each for errors in branches for each in errors], here)
    elif other_kind:
        place = next(tuple(each.instance_path) for each in best if _tells_kind(each, here))
        yield _alternatives([each for errors in branches for each in errors], place)
    else:
        for each in best:
            yield from _faults(each, schema, depth + 1)


def _alternatives(errors: list[ValidationError], place: Path) -> _Fault:
    """Put what the branches of a union expect at `place` into one mismatch."""
    there = [each for each in errors if tuple(each.instance_path) == place]
    constants = [value for each in there for value in _constants(each)]
    expected = [f"one of {_values(constants)}"] if constants else []
    expected += [text for each in there if (text := _plain_words(each)) and text not in expected]
    summary = " or ".join(dict.fromkeys(expected))[:_MAX_LISTED] or "one of the alternatives"
    instance = there[0].instance if there else None
    return _Fault(place, "union", Mismatch(pointer_to(place), summary, shown(instance)))


def _constants(error: ValidationError) -> list[Json]:
    details: Any = error.kind.as_dict()
    if error.kind.name == "enum":
        return details["options"]
    return [details["expected_value"]] if error.kind.name == "const" else []


def _distance(errors: list[ValidationError], here: Path) -> tuple[bool, int, int]:
    """How far a value is from a branch: of another type, of another kind, number of errors."""
    other_type = any(
        tuple(each.instance_path) == here and each.kind.name in {"type", "const", "enum"}
        for each in errors
    )
    return other_type, sum(_tells_kind(each, here) for each in errors), len(errors)


def _tells_kind(error: ValidationError, here: Path) -> bool:
    """Whether a direct property, such as `type`, says that another branch is meant."""
    is_direct = len(error.instance_path) == len(here) + 1
    return is_direct and error.kind.name in {"const", "enum"}


def _plain_words(error: ValidationError) -> str:
    """What one keyword asks for; empty for one that has no words or is listed elsewhere."""
    keyword = error.kind.name
    if keyword in {"const", "enum"} or keyword not in _PLAIN:
        return ""
    return _PLAIN[keyword](error.kind.as_dict(), {})


def _other(path: Path, error: ValidationError) -> Mismatch:
    expected = _FIXED.get(error.kind.name, f"a value that its `{error.kind.name}` allows")
    return Mismatch(pointer_to(path), expected, shown(error.instance))


def _siblings(error: ValidationError, schema: Json) -> Mapping[str, Json]:
    """The schema object whose keyword failed; empty where it cannot be found."""
    node: Json = schema
    for key in error.schema_path[:-1]:
        try:
            node = node[key]
        except (KeyError, IndexError, TypeError):
            return {}
    return node if is_object(node) else {}


def words(schema: Json, root: Json) -> str:
    """
    Say in a few words what values `schema` accepts, such as `an integer >= 0`.

    Args:
        root: Holds the `$defs` that references lead to.
    """
    node = _followed(schema, root)
    for keyword in ("enum", "const", "type"):
        if keyword in node:
            details = {"options": node.get("enum"), "expected_value": node.get("const")}
            return _PLAIN[keyword]({**details, "types": _types(node)}, node)
    return "a value"


def _followed(schema: Json, root: Json) -> Mapping[str, Json]:
    for _ in range(10):
        ref = schema.get("$ref", "") if is_object(schema) else ""
        name = ref.removeprefix("#/$defs/") if isinstance(ref, str) else ""
        if not name or name == ref or not is_object(root):
            break
        schema = root.get("$defs", {}).get(name.replace("~1", "/").replace("~0", "~"), {})
    return schema if is_object(schema) else {}


def _types(node: Mapping[str, Json]) -> list[str]:
    found = node.get("type", [])
    return [found] if isinstance(found, str) else list(found)


def _type_words(details: Mapping[str, Any], node: Mapping[str, Json]) -> str:
    named = [_ARTICLES.get(each, f"a {each}") for each in details["types"]]
    limits = [f"{sign} {node[key]}" for key, sign in _LIMITS.items() if key in node]
    if details["types"] == ["string"] and "format" in node:
        return _format_words(node["format"])
    return " ".join([" or ".join(named), *limits[:2]])


def _format_words(name: str) -> str:
    return _FORMATS.get(name, f"a string ({name})"[:_MAX_GOT])


def _values(options: Iterable[Json]) -> str:
    return _listed([shown(each) for each in options])


def _listed(names: list[str]) -> str:
    kept: list[str] = []
    for name in names:
        if sum(map(len, kept)) + len(name) > _MAX_LISTED:
            break
        kept.append(name)
    left = len(names) - len(kept)
    return ", ".join(kept) + (f" and {left} more" if left else "")


def _count(unit: str, sign: str) -> Callable[[Mapping[str, Any], Mapping[str, Json]], str]:
    return lambda details, _: f"{sign} {details['limit']} {unit}"


def _limit(sign: str) -> Callable[[Mapping[str, Any], Mapping[str, Json]], str]:
    return lambda details, node: f"{_number(node)} {sign} {details['limit']}"


def _number(node: Mapping[str, Json]) -> str:
    return "an integer" if node.get("type") == "integer" else "a number"


_LIMITS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
# JSON Schema 2020-12, "A Vocabulary for Structural Validation": keyword -> what it asks for.
_PLAIN: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Json]], str]] = {
    "type": _type_words,
    "enum": lambda details, _: f"one of {_values(details['options'])}",
    "const": lambda details, _: shown(details["expected_value"]),
    "minimum": _limit(">="),
    "maximum": _limit("<="),
    "exclusiveMinimum": _limit(">"),
    "exclusiveMaximum": _limit("<"),
    "multipleOf": lambda details, _: f"a multiple of {details['multiple_of']}",
    "minLength": _count("characters", "at least"),
    "maxLength": _count("characters", "at most"),
    "minItems": _count("items", "at least"),
    "maxItems": _count("items", "at most"),
    "minProperties": _count("properties", "at least"),
    "maxProperties": _count("properties", "at most"),
    "pattern": lambda details, _: f"text that matches {details['pattern'][:100]}",
    "format": lambda details, _: _format_words(details["format"]),
}
_FORMATS = {
    "date": "a date such as 2026-01-31",
    "date-time": "a date-time such as 2026-01-31T08:00:00Z",
    "email": "an email address",
    "ipv4": "an IPv4 address",
    "ipv6": "an IPv6 address",
    "time": "a time such as 08:00:00Z",
    "uri": "a URI",
    "uuid": "a UUID",
}
_FIXED = {
    "uniqueItems": "items that are all different",
    "oneOf": "a value that fits exactly one of the alternatives",
    "anyOf": "a value that fits one of the alternatives",
    "not": "a value that the schema does not exclude",
    "contains": "an item of the kind that must be among them",
    "propertyNames": "property names that the schema allows",
    "falseSchema": "no value here",
    "unevaluatedItems": "no further items",
    "additionalItems": "no further items",
}
