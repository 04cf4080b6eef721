"""Tools and problems as the JSON that every face gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.model import API, Problem
from restwright.openapi.references import split_pointer
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.dialects import dialect_named
from restwright.tools.producers import find_required_producers
from restwright.tools.tool import Tool


def tool_json(tool: Tool) -> JsonObject:
    """A tool in no provider's shape."""
    return {
        "name": tool.name,
        "namespace": tool.namespace,
        "operation": tool.operation_name,
        "description": tool.description,
        "parameters": tool.shows,
        "method": tool.operation.method.upper(),
        "path": tool.operation.path,
        "tags": list(tool.operation.tags),
        "deprecated": tool.operation.deprecated,
        "read_only": tool.is_read,
    }


def problem_json(problem: Problem) -> JsonObject:
    """A problem."""
    return {
        "pointer": problem.pointer,
        "what": problem.what,
        "severity": problem.severity,
        "action": problem.action,
    }


def tool_record(tool: Tool, catalog: Catalog, dialect: str | None) -> JsonObject:
    """All that there is to say of a tool, as JSON; `dialect` names the form of a provider."""
    operation = tool.operation
    return {
        **tool_json(tool),
        **(_dialect_json(tool, catalog, dialect) if dialect else {}),
        "checks": tool.checks,
        "left_out": list(tool.left_out),
        "output": tool.output,
        "security": [
            {name: list(scopes) for name, scopes in mapping.items()}
            for mapping in operation.security
        ],
        "servers": [server.default_url for server in tool.operation.servers or tool.servers],
        "producers": _producers_json(tool, catalog),
        "problems": [problem_json(problem) for problem in list_tool_problems(tool, catalog)],
    }


def _dialect_json(tool: Tool, catalog: Catalog, name: str) -> JsonObject:
    said = catalog.render(tool.name, dialect_named(name))
    return {"parameters": said.schema, "provider": said.shape, "notes": list(said.notes)}


def _producers_json(tool: Tool, catalog: Catalog) -> JsonObject:
    return {
        name: [
            {
                "tool": producer.tool.name,
                "path": list(producer.path),
                "why": producer.why,
                "confidence": producer.confidence,
            }
            for producer in several
        ]
        for name, several in find_required_producers(tool, catalog).items()
    }


def list_tool_problems(tool: Tool, catalog: Catalog) -> tuple[Problem, ...]:
    """What is doubtful in the operation of a tool, in the order of the document."""
    own, api = tool.operation.pointer, catalog.apis[tool.namespace]
    found = [
        problem
        for problem in (*api.problems, *catalog.problems_by_namespace.get(tool.namespace, ()))
        if problem.pointer == own or problem.pointer.startswith(f"{own}/")
    ]
    return sort_problems(dict.fromkeys(found), api)


def list_problems(
    catalog: Catalog, more: Mapping[str, Sequence[Problem]] | None = None
) -> dict[str, tuple[Problem, ...]]:
    """
    `{namespace: its problems in the order of the document}`. Reads the documents whole.

    Args:
        more: What else there is to say, by namespace.
    """
    found: dict[str, tuple[Problem, ...]] = {}
    for name, api in catalog.apis.items():
        own = dict.fromkeys([*api.problems, *catalog.problems_by_namespace.get(name, ())])
        found[name] = sort_problems([*own, *(more or {}).get(name, ())], api)
    return found


def sort_problems(problems: Iterable[Problem], api: API) -> tuple[Problem, ...]:
    """`problems` in the order in which a reader of the document meets their places."""
    known: dict[int, dict[str, int]] = {}
    return tuple(sorted(problems, key=lambda problem: _place(api.document, problem.pointer, known)))


def _place(document: JsonObject, pointer: str, known: dict[int, dict[str, int]]) -> tuple[int, ...]:
    """Positions of the members on the way to `pointer`, as far as there are any."""
    node: Json = document
    place: list[int] = []
    for token in split_pointer(pointer) if pointer.startswith("/") else ():
        if is_object(node) and token in node:
            if id(node) not in known:
                known[id(node)] = {key: index for index, key in enumerate(node)}
            place.append(known[id(node)][token])
            node = node[token]
        elif is_array(node) and token.isdecimal() and int(token) < len(node):
            place.append(int(token))
            node = node[int(token)]
        else:
            break
    return tuple(place)
