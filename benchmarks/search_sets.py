"""
The questions that searches are measured by, with the operations that each needs.

Every set has two halves: `dev`, which rules and weights may be made by, and `unread`, which only
says whether they hold elsewhere. Of RestBench queries 2, 7, 12 and so on are unread, of the other
sets every second one.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from restwright.openapi.api import load
from restwright.testing import document, never
from restwright.tools.catalog.catalog import Catalog, catalog

Gold = frozenset[tuple[str, str]]

_RESTBENCH_FOLD, _RESTBENCH_UNREAD = 5, 2
_MANY_OPERATIONS = 400
"""Queries that are made of the summaries of documents, at most."""
_MIN_SUMMARY_WORDS = 3
# Documents of tests, and another one of the API of RestBench.
_NOT_ASKED = ("httpbin", "linkexample", "paramstyles", "readme", "spotify", "xkcd")

# Gold calls that name no operation of the documents, and what is meant.
CORRECTIONS = {
    "GET /track/{id}": "GET /tracks/{id}",
    "GET /person/{movie_id}/movie_credits": "GET /person/{person_id}/movie_credits",
}


@dataclass(frozen=True, slots=True)
class Query:
    """
    A question with all that it needs.

    Args:
        number: Its place in the data set.
        needed: `(namespace, "METHOD /path")` of each.
        split: The part of the data set that it comes from, if that has parts.
        fold: Of how many queries one is unread.
    """

    number: int
    text: str
    needed: Gold
    split: str = ""
    fold: int = 2

    @property
    def half(self) -> str:
        """`dev`, or `unread` for what nothing is made by."""
        unread = _RESTBENCH_UNREAD if self.fold == _RESTBENCH_FOLD else 1
        return "unread" if self.number % self.fold == unread else "dev"


def restbench(folder: Path, name: str) -> list[Query]:
    """The queries of one API, with gold calls trimmed and corrected."""
    records = json.loads((folder / "datasets" / f"{name}.json").read_text())
    return [
        Query(
            number,
            record["query"].strip(),
            frozenset(
                (name, CORRECTIONS.get(call.strip(), call.strip())) for call in record["solution"]
            ),
            fold=_RESTBENCH_FOLD,
        )
        for number, record in enumerate(records)
    ]


def restbench_api(folder: Path, name: str) -> Any:
    """The document of one of the two APIs."""
    return load(folder / "specs" / f"{name}_oas.json", alias=name, retrieve=never)


def among_all(data: Path) -> Catalog:
    """All real documents and both APIs, those of an API that is there twice left out."""
    own = [restbench_api(data / "restbench", name) for name in ("tmdb", "spotify")]
    others = [
        load(data / "specs" / file, alias=_alias(file), retrieve=never)
        for file in _files(data)
        if not file.startswith(("spotify", "tmdb"))
    ]
    return catalog(*own, *others)


def _files(data: Path) -> list[str]:
    return [row["file"] for row in json.loads((data / "specs" / "index.json").read_text())]


def _alias(file: str) -> str:
    return file.partition("__")[0].replace("-", "")


STABLE_SPLITS = (
    *("G1_instruction", "G1_tool", "G1_category"),
    *("G2_instruction", "G2_category", "G3_instruction"),
)


def stabletoolbench(folder: Path) -> tuple[Catalog, list[Query]]:
    """Its APIs, one document for each tool, and its queries."""
    apis: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    queries: list[Query] = []
    for split in STABLE_SPLITS:
        for number, record in enumerate(json.loads((folder / f"{split}.json").read_text())):
            for api in record["api_list"]:
                apis[api["tool_name"]].setdefault(api["api_name"], api)
            needed = frozenset((tool, name) for tool, name in record["relevant APIs"])
            queries.append(Query(number, record["query"], needed, split[:2]))
    described = {
        tool: {name: _stable_operation(api) for name, api in own.items()}
        for tool, own in apis.items()
    }
    return _numbered_catalog(described, queries)


def _stable_operation(api: Mapping[str, Any]) -> dict[str, Any]:
    given = {
        parameter["name"]: parameter.get("description") or ""
        for parameter in (*api["required_parameters"], *api["optional_parameters"])
    }
    description = api.get("api_description") or ""
    schema = _example_schema(api.get("template_response"))
    return _operation(api["api_name"], description, given, schema) | {
        "tags": [api["category_name"]]
    }


def bfcl(folder: Path) -> tuple[Catalog, list[Query]]:
    """The functions of all categories that need calls, in one document, and their questions."""
    operations: dict[str, Any] = {}
    queries: list[Query] = []
    for category in ("simple_python", "multiple", "parallel", "parallel_multiple"):
        name = f"BFCL_v4_{category}.json"
        answers = {
            record["id"]: {function for call in record["ground_truth"] for function in call}
            for record in _json_lines(folder / f"possible_answer_{name}")
        }
        for record in _json_lines(folder / name):
            for function in record["function"]:
                operations.setdefault(function["name"], _bfcl_operation(function))
            text = " ".join(message["content"] for message in record["question"][0])
            needed = frozenset(("bfcl", function) for function in answers[record["id"]])
            queries.append(Query(len(queries), text, needed))
    return _numbered_catalog({"bfcl": operations}, queries, title="Functions")


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in path.read_text().splitlines() if line)


def _bfcl_operation(function: Mapping[str, Any]) -> dict[str, Any]:
    given = {
        name: schema.get("description") or ""
        for name, schema in function["parameters"]["properties"].items()
    }
    return _operation(function["name"], function["description"], given, {})


NESTFUL_PARTS = ("executable", "non-executable-sgd", "non-executable-glaive")


def nestful(folder: Path) -> tuple[Catalog, list[Query]]:
    """The functions of its three parts, a document each, and its questions."""
    described: dict[str, dict[str, Any]] = {}
    queries: list[Query] = []
    for part in NESTFUL_PARTS:
        functions = json.loads((folder / f"{part}-spec.json").read_text())
        described[part] = {record["name"]: _nestful_operation(record) for record in functions}
        for record in json.loads((folder / f"{part}-data.json").read_text()):
            needed = frozenset(
                (part, call["name"]) for call in record["output"] if call["name"] in described[part]
            )
            if needed:
                queries.append(Query(len(queries), record["input"], needed))
    return _numbered_catalog(described, queries)


def _nestful_operation(function: Mapping[str, Any]) -> dict[str, Any]:
    given = {
        name: parameter.get("description") or ""
        for key in ("query_parameters", "path_parameters", "parameters", "arguments")
        for name, parameter in (function.get(key) or {}).items()
        if isinstance(parameter, dict)
    }
    schema = _example_schema(function.get("output_parameters"))
    return _operation(function["name"], function["description"], given, schema)


def described_operations(data: Path) -> tuple[Catalog, list[Query]]:
    """
    Real documents without summaries and descriptions of operations; the summaries are the queries.

    So a search has names, paths and schemas to tell what the author's words mean.
    """
    hidden: list[Any] = []
    asked: list[tuple[str, str, str]] = []
    for file in _files(data):
        if file.startswith(_NOT_ASKED):
            continue
        alias = _alias(file)
        api = load(data / "specs" / file, alias=alias, retrieve=never)
        asked += [
            (alias, f"{operation.method.upper()} {operation.path}", operation.summary)
            for operation in api.operations
            if len(operation.summary.split()) >= _MIN_SUMMARY_WORDS
        ]
        hidden.append(load(_without_texts(api.document), alias=alias, retrieve=never))
    chosen = asked[:: max(1, len(asked) // _MANY_OPERATIONS)]
    queries = [
        Query(number, summary, frozenset({(alias, route)}))
        for number, (alias, route, summary) in enumerate(chosen)
    ]
    return catalog(*hidden), queries


def _without_texts(whole: Mapping[str, Any]) -> dict[str, Any]:
    paths = {
        path: {
            key: {name: value for name, value in member.items() if name not in _TEXTS}
            if key in _METHODS and isinstance(member, dict)
            else member
            for key, member in item.items()
        }
        for path, item in whole["paths"].items()
    }
    return {**whole, "paths": paths}


_TEXTS = frozenset({"summary", "description"})
_METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace"})


def _operation(
    name: str, description: str, parameters: Mapping[str, str], schema: Any
) -> dict[str, Any]:
    return {
        "operationId": name,
        "description": description,
        "parameters": [
            {"name": key, "in": "query", "description": text, "schema": {}}
            for key, text in parameters.items()
        ],
        "responses": {"200": {"content": {"application/json": {"schema": schema}}}},
    }


def _example_schema(example: Any) -> dict[str, Any]:
    if isinstance(example, dict):
        members = {name: _example_schema(value) for name, value in example.items()}
        return {"type": "object", "properties": members}
    if isinstance(example, list) and example:
        return {"type": "array", "items": _example_schema(example[0])}
    return {"type": "string"}


def _numbered_catalog(
    described: Mapping[str, Mapping[str, Any]], queries: Iterable[Query], *, title: str = ""
) -> tuple[Catalog, list[Query]]:
    """Documents whose paths are numbers, which say nothing, and queries that need those paths."""
    aliases = {api: f"t{number}" for number, api in enumerate(described)}
    paths = {api: {name: f"/{n}" for n, name in enumerate(own)} for api, own in described.items()}
    loaded = [
        load(
            document(
                {paths[api][name]: {"get": operation} for name, operation in own.items()},
                info={"title": title or api, "version": "1"},
            ),
            alias=aliases[api],
        )
        for api, own in described.items()
    ]
    routed = [
        replace(
            query, needed=frozenset((aliases[a], f"GET {paths[a][n]}") for a, n in query.needed)
        )
        for query in queries
    ]
    return catalog(*loaded), routed
