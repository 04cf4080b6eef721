"""What a document says about credentials, as its tools need it."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from restwright.errors import UnresolvedReference
from restwright.jsontypes import is_object
from restwright.openapi.model import API, Operation, SecurityRequirements, SecurityScheme
from restwright.openapi.references import lookup_reference

ParameterPlace = tuple[str, str]


def credential_parameters(
    operation: Operation, schemes: Mapping[str, SecurityScheme]
) -> frozenset[ParameterPlace]:
    """
    `(location, name)` of the parameters that carry a credential of a scheme that is required.

    They are the connection's to fill in, never the model's.
    """
    names = {name for alternative in operation.security for name in alternative}
    keys = [schemes[name] for name in names if name in schemes and schemes[name].type == "apiKey"]
    return frozenset(parameter_place(key.location, key.parameter) for key in keys)


def parameter_place(location: str, name: str) -> ParameterPlace:
    """A place in a request that can be compared: names of headers do not depend on case."""
    return location, name.lower() if location == "header" else name


def effective_security(api: API, operation: Operation) -> SecurityRequirements | None:
    """
    What an operation requires; `()` for nothing, None where the document does not say.

    Source: OAS 3.2, "OpenAPI Object" and "Operation Object", `security`.
    """
    if operation.security or "security" in api.document:
        return operation.security
    try:
        written = lookup_reference(api.document, f"#{quote(operation.pointer)}")
    except UnresolvedReference:
        return None
    return () if is_object(written) and "security" in written else None
