"""One operation becomes one tool."""

from __future__ import annotations

from dataclasses import dataclass

from restwright.openapi.model import API, Operation
from restwright.tools.definitions import Definitions
from restwright.tools.description import describe
from restwright.tools.naming import tool_name
from restwright.tools.schema import output_schema, parameters_schema
from restwright.tools.tool import Tool


@dataclass(frozen=True, slots=True)
class Schemas:
    """The cleaned schemas of one document in both directions, shared by all its tools."""

    requests: Definitions
    responses: Definitions


def schemas_of(api: API) -> Schemas:
    """The schemas of `api`, none of them cleaned yet."""
    return Schemas(
        Definitions(api.document, "request"), Definitions(api.document, direction="response")
    )


def build_tool(
    operation: Operation,
    api: API,
    *,
    namespace: str,
    operation_name: str,
    schemas: Schemas | None = None,
) -> Tool:
    """
    Build the tool of one operation. Does no I/O.

    Args:
        operation_name: As `operation_names()` gives it.
        schemas: Of `api`, so that a component is cleaned once for all its tools.
    """
    schemas = schemas or schemas_of(api)
    checks, inputs = parameters_schema(operation, schemas.requests)
    return Tool(
        name=tool_name(namespace, operation_name),
        namespace=namespace,
        operation_name=operation_name,
        description=describe(operation),
        operation=operation,
        shows=checks,
        checks=checks,
        inputs=inputs,
        output=output_schema(operation, schemas.responses),
        servers=operation.servers,
        source=api.source,
    )
