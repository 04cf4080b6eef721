"""The parser: code of the model takes what a step asks for out of a response, and is verified."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from restwright.agents.prompting.structured_output import ask
from restwright.agents.prompting.templates import render
from restwright.agents.rest.amount import NO_TEST, tell_existence
from restwright.agents.rest.asked import Asked, Parsed, ReadCall
from restwright.agents.rest.facts import find_label, iterate_keys, iterate_scalars
from restwright.agents.rest.observed import observed
from restwright.agents.rest.provenance import (
    find_days,
    find_named,
    find_numbers,
    is_in_text,
    normalize_scalars,
    normalize_text,
)
from restwright.agents.rest.query import (
    WHOLE,
    Listing,
    QueryResult,
    find_contradicted,
    find_lacking,
    find_listings,
    find_unrelated,
    find_unsaid,
    is_day,
    is_tested,
    list_gives,
    listing_of,
    query_schema,
    run_query,
)
from restwright.agents.rest.run import RestRun
from restwright.agents.rest.spoken import find_spoken, has_words
from restwright.agents.rest.suppliers import item_path, names_ids
from restwright.agents.spotlighting import mark_data, replace_surrogates
from restwright.agents.steps import Complete, Completion, Extract, ExtractionResult, Message, Steps
from restwright.calls.truncate import shorten_json
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.producers.paths import is_of_thing
from restwright.tools.text.type_summary import summarize_type
from restwright.tools.text.words import split_words
from restwright.tools.tool import Tool

_TRIES = 2
_QUERY_TRIES = 3
_TO_GET = "{field} is what they are to get"
_SEVERAL = 2
_MAX_CODE_TOKENS, _MAX_QUERY_TOKENS = 220, 200
_MAX_SHAPE_CHARS, _MAX_SAMPLE_CHARS = 700, 500
# Some models put words around their code.
_FENCED = re.compile(r"```(?:python)?\n(.*?)(?:```|\Z)", re.DOTALL)
_NOTHING: tuple[Json, ...] = (None, "", [], {})


def parse_response(
    run: RestRun, tool: Tool, arguments: JsonObject, body: Json, asked: Asked
) -> Steps[Parsed]:
    """
    Take what is asked out of a response: by code of the model, of a small one by a query.

    The value holds only what stands in the response, or what was computed of it. Where that fails,
    finds nothing or makes something up, the model is told how, once.

    Args:
        arguments: Of the call that gave the response.
    """
    call = run.call_text(tool, arguments)
    schema = observed(tool.output, body)
    is_thing = is_of_thing(tool.operation.path)
    listings = find_listings(body, is_thing=is_thing, schema=schema) if run.is_small else ()
    if listings:
        given = [*map(str, iterate_scalars([*arguments.values()]))]
        read = ReadCall(call, list_around(run, tool, arguments), given)
        return (yield from _ask_reader(run, listings, read, asked))
    prompt = render(
        "rest_parser",
        call=call,
        shape=summarize_type(schema, max_chars=_MAX_SHAPE_CHARS),
        sample=shorten_json(body, _MAX_SAMPLE_CHARS),
        task=asked.what,
        now=run.say_now(asked.period),
    )
    return (yield from run_parser("parser", prompt, body, asked.what))


def list_around(run: RestRun, tool: Tool, arguments: JsonObject) -> list[str]:
    """
    What the things of a call are inside of: the ids in its path, and what these are called.

    Of a function (`GET /listNotes?boardID=`) these are in its query.
    """
    is_function = "{" not in tool.operation.path
    names = (one for one in arguments if item_path(tool, one) or (is_function and names_ids(one)))
    ids = [*iterate_scalars([arguments[one] for one in names])]
    return [*map(str, ids), *(run.names.get(one, "") for one in ids)]


def _ask_reader(
    run: RestRun, listings: Sequence[Listing], read: ReadCall, asked: Asked
) -> Steps[Parsed]:
    """Ask for a query over things, run it, and ask again where it gives nothing."""
    if asked.is_count and not asked.is_part and listings[0].name != WHOLE:
        # A list that was read whole tells itself how many there are; a page tells other numbers.
        listings = [one for one in listings if one.name != WHOLE]
    call = read.text
    said, names = normalize_text(f"{asked.what}\n{run.said()}"), find_named(asked.what)
    query, result, untested = JsonObject(), QueryResult(None), [*sorted(asked.untested)]
    listing = listings[0]
    evidence = "".join(f"{_TO_GET.format(field=one)}\n" for one in sorted(asked.untested))
    made_up: Sequence[JsonObject] = ()
    to_get: frozenset[str] = frozenset()
    for _ in range(_QUERY_TRIES + asked.is_single):
        prompt = render(
            "rest_reader",
            call=call,
            things="\n".join(listing.describe(said) for listing in listings),
            evidence=evidence,
            task=asked.what,
            now=run.say_now(asked.period) if asked.period else "",
        )
        contract = query_schema(
            listings,
            numbers=find_numbers(_without_names(said, run.names.values())),
            days=None if asked.period else find_days(said),
            gives=list_gives(is_condition=asked.is_condition, is_count=asked.is_count),
            untested=untested,
            is_one=asked.is_one,
        )
        query = yield from ask("reader", prompt, contract, max_tokens=_MAX_QUERY_TOKENS)
        query = _without_applied(query, asked)
        query, listings = _narrow_to_named(query, listings, asked, names)
        result = run_query(query, listings, call, names)
        if asked.names_values and (lacking := find_lacking(query, listings, names)):
            untested, to_get = [*untested, *lacking], to_get | {*lacking.values()}
            result = QueryResult(None, evidence=_TO_GET.format(field=next(iter(lacking))))
        told, whole = f"{said}\n{normalize_text(call)}", (run.message, run.question)
        if unsaid := find_unsaid(query, listings, told, whole):
            untested += unsaid
            listings = [one for one in listings if one.name == query["things"]]
            result = QueryResult(None, evidence=f"nobody asked for a certain {unsaid[0]}")
        if doubled := find_contradicted(query, listings, names):
            untested += doubled
            result = QueryResult(None, evidence=f"{doubled[0]} cannot have two values")
        made_up = _find_made_up(run, query, result, listings, call, names)
        if asked.is_condition and (unrelated := find_unrelated(query, listings, said)):
            untested += unrelated
            result = QueryResult(None, evidence=f"nothing was asked of {unrelated[0]}")
        listing = listing_of(query, listings)
        result = _refuse(query, listing, result, asked, made_up, names, read)
        fault = result.evidence or _tell_several(query, result, asked)
        if not fault or f"{fault}\n" in evidence:
            break
        # Its own reply stays out of the prompt: a small model says again what it reads there.
        evidence += f"{fault}\n"
    result = yield from tell_existence(asked, query, listing, result, read.around)
    given = _list_things(listing, result)
    days = _assumed_days(query, said, asked.period)
    notes = days if result.evidence else (*days, *_assumed_tests(run, made_up))
    notes += _assumed_order(run, query)
    absent = _find_absent(query, listing, said)
    return Parsed(result.value, result.keys, given, notes, absent, to_get)


def _list_things(listing: Listing, result: QueryResult) -> tuple[JsonObject, ...]:
    """The things that a query gave, or of which it said yes or no; none of parts of things."""
    given = _as_list(result.value) if result.subject is None else [result.subject]
    return () if listing.is_inner else tuple(item for item in given if is_object(item))


def _refuse(
    query: JsonObject,
    listing: Listing,
    result: QueryResult,
    asked: Asked,
    made_up: Sequence[JsonObject],
    names: Sequence[str],
    read: ReadCall,
) -> QueryResult:
    """
    What a query gave; nothing where that is not what is asked, with why.

    Args:
        names: In what is asked.
    """
    known = (*names, *read.around, *read.given)
    if asked.is_condition and (name := _find_passed_name(query, listing, asked.condition)):
        return QueryResult(None, evidence=f"it is asked of {name}")
    if asked.is_condition and not is_tested(query, known, has_test=asked.has_test):
        return QueryResult(None, evidence=NO_TEST)
    is_one_of_some = asked.is_thing and listing.is_plain and len(listing.items) > 1
    if is_one_of_some and not _is_chosen(query, result):
        return QueryResult(None, evidence=f"nothing but {listing.name} is known of them")
    if asked.is_count and (name := _find_counted_name(query, listing, names, read.around)):
        return QueryResult(None, evidence=f"{name} is one of them, and not what they are in")
    if asked.is_to_change and (partly := _find_mixed_value(result, asked)):
        return QueryResult(None, evidence=f"only some of them have {partly}")
    if made_up and asked.is_to_change:
        return QueryResult(None, evidence=f"nobody spoke of {made_up[0]['field']}")
    return result


def _find_mixed_value(result: QueryResult, asked: Asked) -> str:
    """
    A value that is asked for, and that only some of the things have which are to be changed.

    Of a field of few values, as `type file` of the files among notebooks; empty for none. What an
    added step has in its words its things may be to get.
    """
    items = [item for item in _as_list(result.value) if is_object(item)]
    if asked.names_values or len(items) < _SEVERAL:
        return ""
    others = {find_label(item) for item in items} | asked.untested
    for name in (name for name in items[0] if name not in others):
        values = {str(item[name]) for item in items if isinstance(item.get(name), str)}
        is_choice = len(values) * _SEVERAL <= len(items) or len(values) == _SEVERAL
        spoken = [one for one in sorted(values) if has_words(one, normalize_text(asked.what))]
        if is_choice and len(values) > len(spoken) > 0:
            return f"{name} {spoken[0]}"
    return ""


def _find_passed_name(query: JsonObject, listing: Listing, condition: str) -> str:
    """Return the one of several things that a condition speaks of and a query does not test."""
    tested = {normalize_text(str(test["value"])) for test in query["where"]}
    labels = (str(item.get(find_label(item))) for item in listing.items)
    passed = (one for one in labels if normalize_text(one) not in tested)
    spoken = (one for one in passed if is_in_text(one, normalize_text(condition)))
    return next(spoken, "") if len(listing.items) > 1 else ""


def _find_counted_name(
    query: JsonObject, listing: Listing, names: Sequence[str], around: Sequence[str]
) -> str:
    """
    Return the name that the things which are counted are tested for; empty for none.

    The one list that is called so is not how many things it has. What they are inside of, and none
    of them is called, is true of all.
    """
    told, inside = [*map(normalize_text, names)], {*map(normalize_text, around)}
    labels = {find_label(item) for item in listing.items}
    held = {normalize_text(str(item.get(name))) for item in listing.items for name in labels}
    # Named twice, it may be what the things are called too.
    true_of_all = {name for name in inside - held if told.count(name) < _SEVERAL}
    called = {*told, *inside} - true_of_all
    tests = (test for test in query["where"] if test["is"] == "=" and test["field"] in labels)
    texts = (str(test["value"]) for test in tests)
    return next((text for text in texts if normalize_text(text) in called), "")


def _is_chosen(query: JsonObject, result: QueryResult) -> bool:
    """Whether a query gives one thing, and by what it is and not by an order."""
    is_list = is_array(result.value)
    return bool(query["where"]) and not query["sort"] and not (is_list and len(result.value) > 1)


def _tell_several(query: JsonObject, result: QueryResult, asked: Asked) -> str:
    """
    That a query gives several things where one is asked for; empty if it does not.

    A small model leaves out the order by which the highest is found. Where it says no other query
    to this, all that fit are given.
    """
    count = len(result.value) if is_array(result.value) and query["give"] == "things" else 0
    if not asked.is_single or count < _SEVERAL:
        return ""
    return f"{count} things fit, and one is asked for: sort says which comes first, take how many"


def _without_applied(query: JsonObject, asked: Asked) -> JsonObject:
    """A query for the first of some things, without the names that these were chosen by before."""
    return _without_tests_for(query, asked.applied) if asked.is_one and query["sort"] else query


def _without_tests_for(query: JsonObject, names: Collection[str]) -> JsonObject:
    tests: list[JsonObject] = query["where"]
    kept = [test for test in tests if normalize_text(str(test["value"])) not in names]
    return {**query, "where": kept}


def _narrow_to_named(
    query: JsonObject, listings: Sequence[Listing], asked: Asked, names: Sequence[str]
) -> tuple[JsonObject, Sequence[Listing]]:
    """
    A query of just the things that are asked for by their names: of two at least, each of just one.

    A small model tests one of the names, or none. What it tests something not to be is left to it,
    and so is what a change is made to.
    """
    tests: list[JsonObject] = query["where"]
    is_apart = any(test["is"] == "!=" for test in tests)
    if not asked.is_several or asked.is_to_change or is_apart:
        return query, listings
    listing = listing_of(query, listings)
    labels = [normalize_text(str(item.get(find_label(item), ""))) for item in listing.items]
    called = {name for name in map(normalize_text, names) if labels.count(name) == 1}
    if len(called) < _SEVERAL:
        return query, listings
    pairs = zip(labels, listing.items, strict=True)
    narrowed = replace(listing, items=tuple(item for label, item in pairs if label in called))
    narrower = [narrowed if one is listing else one for one in listings]
    return _without_tests_for(query, called), narrower


def _assumed_tests(run: RestRun, made_up: Sequence[JsonObject]) -> tuple[str, ...]:
    """Tests that nobody spoke of, as a note; the words of one may be said in another number."""
    said = run.said_in_english()
    told = ", ".join(
        f"{test['field']} {test['is']} {test['value']}"
        for test in made_up
        if not (isinstance(test["value"], str) and has_words(test["value"], said))
    )
    return (f"{told} is assumed",) if told else ()


def _assumed_order(run: RestRun, query: JsonObject) -> tuple[str, ...]:
    """The field that things are chosen by, as a note where the message has no word of it."""
    sort = query["sort"]
    if not sort or query["take"] is None:
        return ()
    words = frozenset(split_words(sort["by"].rpartition(".")[2]))
    is_said = words & {*split_words(run.said_in_english())}
    return () if is_said else (f"the {sort['first']} {sort['by']} is taken for it",)


def _find_made_up(
    run: RestRun,
    query: JsonObject,
    result: QueryResult,
    listings: Sequence[Listing],
    call: str,
    names: Sequence[str],
) -> list[JsonObject]:
    """
    The tests that nobody spoke of, where they leave out things that else are given.

    A word may be said in another number: `notebook` of notebooks.
    """
    if result.evidence:
        return []
    said = f"{run.said_in_english()}\n{normalize_text(call)}"
    tests: list[JsonObject] = query["where"]
    spoken = [
        test
        for test in tests
        if is_day(test["value"])
        or _is_word_said(test["value"], said)
        or find_spoken(test["field"].rpartition(".")[2], test["value"], said) is not None
    ]
    made_up = [test for test in tests if test not in spoken]
    whole = run_query({**query, "where": spoken}, listings, call, names) if made_up else result
    return made_up if whole.value != result.value else []


def _is_word_said(value: Json, said: str) -> bool:
    is_word = isinstance(value, str) and len(split_words(value)) == 1
    return is_word and has_words(str(value), said)


def _find_absent(query: JsonObject, listing: Listing, said: str) -> str:
    """A text that was said, that things are looked for by, and that no thing has anywhere."""
    held = normalize_scalars([*listing.items])
    wanted = [test["value"] for test in query["where"] if test["is"] in {"=", "contains"}]
    texts = (value for value in wanted if isinstance(value, str) and is_in_text(value, said))
    return next((text for text in texts if not is_in_text(text, held)), "")


def _without_names(said: str, names: Iterable[str]) -> str:
    """A text without the names of things: the 20 of `Commuter 20` is nothing to compare with."""
    for name in sorted(map(normalize_text, names), key=len, reverse=True):
        said = said.replace(name, " ") if any(map(str.isalpha, name)) else said
    return said


def _assumed_days(query: JsonObject, said: str, period: str) -> tuple[str, ...]:
    """The days that a query tests for and nobody said, as a note."""
    tests: list[JsonObject] = query["where"]
    days = [test for test in tests if is_day(test["value"]) and not is_in_text(test["value"], said)]
    told = ", ".join(f"{test['field']} {test['is']} {test['value']}" for test in days)
    return (f"{period or 'the time'} is taken for {told}",) if told else ()


def _as_list(value: Json) -> list[Json]:
    return list(value) if is_array(value) else [value]


def run_parser(role: str, prompt: tuple[Message, ...], body: Json, asked: str) -> Steps[Parsed]:
    """
    Ask for code, run it over `body`, and ask once more with what was wrong.

    That nothing fits is believed where the code found that twice.
    """
    messages, empty = prompt, 0
    for _ in range(_TRIES):
        reply = yield Complete(role=role, messages=messages, max_tokens=_MAX_CODE_TOKENS)
        assert isinstance(reply, Completion)  # noqa: S101  (the driver's contract)
        fenced = _FENCED.search(reply.text)
        code = (fenced[1] if fenced else reply.text).strip()
        text = replace_surrogates(json.dumps(body, ensure_ascii=False))
        outcome = yield Extract(code=code, body=text)
        assert isinstance(outcome, ExtractionResult)  # noqa: S101  (the driver's contract)
        fault = outcome.error or find_code_fault(code, outcome.value, body, asked)
        if not fault:
            return Parsed(outcome.value, _find_keys(code))
        empty += outcome.value == [] and not outcome.error
        if empty == _TRIES:
            return Parsed([], _find_keys(code))
        # It may quote what the API said.
        told = f"That code is wrong:\n{mark_data(fault)}\nWrite it again, corrected."
        messages = (*prompt, Message("assistant", code), Message("user", told))
    return Parsed(None)


def find_code_fault(code: str, value: Json, body: Json, asked: str) -> str:
    """
    Say what is wrong with what code made of a response; empty for nothing.

    It must read the response, and give something; a text that it gives stands in the response or
    in what was asked.
    """
    if not _reads_data(code):
        return "it does not use data"
    if value in _NOTHING:
        return f"it gave {json.dumps(value)}"
    held = {scalar for scalar in iterate_scalars(body) if isinstance(scalar, str)}
    keys = set(iterate_keys(body))
    whole = normalize_text(f"{' '.join(held)} {asked}")
    for scalar in iterate_scalars(value):
        if isinstance(scalar, str) and scalar not in held | keys and not is_in_text(scalar, whole):
            return f"{scalar[:80]!r} is not in data"
    return ""


def _find_keys(code: str) -> frozenset[str]:
    """The texts in code: among them the names of the properties that it reads."""
    texts = (node.value for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Constant))
    return frozenset(text for text in texts if isinstance(text, str))


def _reads_data(code: str) -> bool:
    """Whether code reads `data`, or what its `parse` calls it."""
    try:
        program = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    for statement in program.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "parse":
            names = {"data", *(argument.arg for argument in statement.args.args[:1])}
            return any(_reads(part, names) for part in statement.body)
    return _reads(program, {"data"})


def _reads(part: ast.AST, names: Collection[str]) -> bool:
    read = (node for node in ast.walk(part) if isinstance(node, ast.Name))
    return any(node.id in names and isinstance(node.ctx, ast.Load) for node in read)
