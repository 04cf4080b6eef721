"""
A document in Swagger 2.0, for programs that read no OpenAPI.

It goes by way of OpenAPI 3.0; what either cannot say is told.

Source: Swagger 2.0; OAS 3.0.4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlsplit

from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.downgrade import downgrade_document
from restwright.openapi.model import Problem
from restwright.openapi.references import find_ref, join_pointer
from restwright.openapi.swagger_values import SwaggerValues, keep_keys
from restwright.openapi.versions.swagger_parameters import JSON, is_form_media_type

_METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch"})
_ROOT_KEYS = frozenset({"info", "tags", "externalDocs"})
_OPERATION_KEYS = frozenset({
    "tags", "summary", "description", "externalDocs", "operationId", "deprecated",
})  # fmt: skip
# These say nothing in OpenAPI, and would be parameters in Swagger.
_RESERVED_HEADERS = frozenset({"accept", "content-type", "authorization"})
_FLOWS = {
    "authorizationCode": "accessCode",
    "implicit": "implicit",
    "password": "password",
    "clientCredentials": "application",
}
_PARAMETERS, _RESPONSES = "#/components/parameters/", "#/components/responses/"


def downgrade_to_swagger(document: JsonObject) -> tuple[JsonObject, tuple[Problem, ...]]:
    """
    Say a document in Swagger 2.0.

    Args:
        document: In 3.2, as `upgrade_document()` gives it; stays as it is.

    Returns:
        A new document, and what it could not say.
    """
    earlier, problems = downgrade_document(document, "3.0")
    writer = _Writer(earlier)
    made, own = writer.convert(), tuple(writer.values.problems)
    told = {problem.pointer for problem in own}
    return made, (*(problem for problem in problems if problem.pointer not in told), *own)


class _Writer:
    def __init__(self, document: JsonObject) -> None:
        self.document = document
        self.values = SwaggerValues(document)
        self.tell = self.values.tell
        self.components: JsonObject = _as_object(document.get("components"))
        self.parameters: JsonObject = {}
        self.schemes: JsonObject = {}

    def convert(self) -> JsonObject:
        """Components first: whoever refers to one has to know whether it is there."""
        document = self.document
        made: JsonObject = {"swagger": "2.0", **keep_keys(document, _ROOT_KEYS)}
        made |= self._convert_servers(_list_objects(document.get("servers")))
        self.schemes = self._convert_all("securitySchemes", self._convert_scheme)
        self.parameters = self._convert_all("parameters", self._convert_plain_parameter)
        definitions = self._convert_all("schemas", self.values.convert_schema)
        responses = self._convert_all("responses", self._convert_response)
        for name in ("callbacks", "links"):
            if self.components.get(name):
                self.tell(f"/components/{name}", f"`{name}`")
        if "security" in document:
            made["security"] = self._convert_security(document["security"])
        made["paths"] = {
            path: item if path.startswith("x-") else self._convert_item(path, item)
            for path, item in document["paths"].items()
        }
        shared = {
            "definitions": {**definitions, **self.values.definitions},
            "parameters": self.parameters,
            "responses": responses,
            "securityDefinitions": self.schemes,
        }
        return made | {key: value for key, value in shared.items() if value}

    def _convert_all(
        self, kind: str, convert: Callable[[Json, str], JsonObject | None]
    ) -> JsonObject:
        found = {
            name: convert(node, f"/components{join_pointer(kind, name)}")
            for name, node in _as_object(self.components.get(kind)).items()
        }
        return {name: node for name, node in found.items() if node is not None}

    def _convert_servers(self, servers: Sequence[JsonObject]) -> JsonObject:
        if not servers:
            return {}
        first, split = servers[0], urlsplit(_fill_in(servers[0]))
        if first.get("variables"):
            self.tell("/servers/0/variables", "variables of a server", "said by their defaults")
        schemes = [split.scheme] if split.scheme and split.netloc else []
        for number, server in enumerate(servers[1:], 1):
            other = urlsplit(_fill_in(server))
            if schemes and (other.netloc, other.path) == (split.netloc, split.path):
                schemes.append(other.scheme)
            else:
                self.tell(f"/servers/{number}", "second server")
        made: JsonObject = {}
        if split.netloc:
            made["host"] = split.netloc
        if path := split.path.rstrip("/"):
            made["basePath"] = path if path.startswith("/") else f"/{path}"
        return {**made, **({"schemes": schemes} if schemes else {})}

    def _convert_scheme(self, node: Json, pointer: str) -> JsonObject | None:
        scheme = self.values.find(node)
        made = keep_keys(scheme, frozenset({"description"}))
        kind, name = scheme.get("type"), str(scheme.get("scheme", "")).lower()
        if kind == "http" and name == "basic":
            return {"type": "basic", **made}
        if kind == "http" and name == "bearer":
            how = "said as an API key in the header Authorization, to be given as `Bearer TOKEN`"
            self.tell(pointer, "bearer authentication", how)
            return {"type": "apiKey", "in": "header", "name": "Authorization", **made}
        if kind == "apiKey" and scheme.get("in") in {"header", "query"}:
            return {"type": "apiKey", "in": scheme["in"], "name": scheme.get("name", ""), **made}
        if kind == "oauth2" and (flow := self._convert_flow(scheme, pointer)):
            return {"type": "oauth2", **flow, **made}
        what = f"API key in a {scheme.get('in')}" if kind == "apiKey" else f"`{name or kind}`"
        self.tell(pointer, f"{what} as authentication")
        return None

    def _convert_flow(self, scheme: JsonObject, pointer: str) -> JsonObject | None:
        flows = {
            name: flow
            for name, flow in scheme.get("flows", {}).items()
            if name in _FLOWS and is_object(flow)
        }
        for name in [*flows][1:]:
            self.tell(f"{pointer}/flows/{name}", "second flow in a scheme")
        for name, flow in [*flows.items()][:1]:
            if "refreshUrl" in flow:
                self.tell(f"{pointer}/flows/{name}/refreshUrl", "`refreshUrl`")
            keys = {
                "authorizationUrl": name in {"authorizationCode", "implicit"},
                "tokenUrl": name != "implicit",
            }
            urls = {key: flow.get(key, "") for key, is_needed in keys.items() if is_needed}
            return {"flow": _FLOWS[name], **urls, "scopes": flow.get("scopes", {})}
        return None

    def _convert_security(self, security: Json) -> list[JsonObject]:
        """Alternatives without the schemes that were left out; those of nothing else are none."""
        made: list[JsonObject] = []
        for alternative in _list_objects(security):
            kept = {name: value for name, value in alternative.items() if name in self.schemes}
            if kept or not alternative:
                is_flow = {name: self.schemes[name]["type"] == "oauth2" for name in kept}
                made.append({name: value if is_flow[name] else [] for name, value in kept.items()})
        return made

    def _convert_item(self, path: str, node: Json) -> JsonObject:
        pointer = f"/paths{join_pointer(path)}"
        own = {key: value for key, value in _as_object(node).items() if key != "$ref"}
        item = {**self.values.find(node), **own}
        made = keep_keys(item, frozenset())
        for key, value in item.items():
            if key in _METHODS and is_object(value):
                made[key] = self._convert_operation(value, f"{pointer}/{key}")
            elif key == "parameters":
                made[key] = self._convert_parameters(item, pointer)
            elif key not in made:
                self.tell(f"{pointer}{join_pointer(key)}", f"`{key}` in a path item")
        return made

    def _convert_operation(self, operation: JsonObject, pointer: str) -> JsonObject:
        made = keep_keys(operation, _OPERATION_KEYS)
        for key in ("servers", "callbacks"):
            if operation.get(key):
                self.tell(f"{pointer}/{key}", f"`{key}` in an operation")
        if "security" in operation:
            made["security"] = self._convert_security(operation["security"])
        parameters = self._convert_parameters(operation, pointer)
        body, consumes = self._convert_body(operation.get("requestBody"), f"{pointer}/requestBody")
        if parameters or body:
            made["parameters"] = [*parameters, *body]
        if consumes:
            made["consumes"] = consumes
        responses, produces = self._convert_responses(operation, pointer)
        if produces:
            made["produces"] = produces
        return {**made, "responses": responses}

    def _convert_parameters(self, owner: JsonObject, pointer: str) -> list[JsonObject]:
        made: list[JsonObject] = []
        for number, node in enumerate(_list_objects(owner.get("parameters"))):
            ref = str(node.get("$ref", ""))
            name = ref.removeprefix(_PARAMETERS)
            if name in self.parameters and ref != name:
                made.append({"$ref": f"#/parameters/{name}"})
            elif found := self._convert_plain_parameter(node, f"{pointer}/parameters/{number}"):
                made.append(found)
        return made

    def _convert_plain_parameter(self, node: Json, pointer: str) -> JsonObject | None:
        parameter = self.values.find(node)
        location = parameter.get("in")
        if location not in {"path", "query", "header"}:
            self.tell(pointer, f"parameter in a {location}")
            return None
        if location == "header" and str(parameter.get("name")).lower() in _RESERVED_HEADERS:
            return None
        return self.values.convert_parameter(parameter, pointer)

    def _convert_body(self, node: Json, pointer: str) -> tuple[list[JsonObject], list[str]]:
        """The parameters that a body makes, and what it is sent as."""
        body = self.values.find(node)
        content = {
            name: media_type
            for name, media_type in body.get("content", {}).items()
            if is_object(media_type)
        }
        if not content:
            return [], []
        others = [name for name in content if not is_form_media_type(name)]
        chosen = next((name for name in others if name == JSON), next(iter(others or content)))
        schema = content[chosen].get("schema", {})
        taken: list[str] = []
        for name, media_type in content.items():
            is_alike = bool(others) != is_form_media_type(name)
            if is_alike and media_type.get("schema", {}) == schema:
                taken.append(name)
            else:
                what = f"body of either {chosen} or {name}"
                self.tell(f"{pointer}/content{join_pointer(name)}", what)
        place = f"{pointer}/content{join_pointer(chosen)}"
        if not others:
            form = self._convert_form(content[chosen], place)
            if body.get("required", False) != any("required" in one for one in form):
                how = "whether it is needed is said as of its fields"
                self.tell(f"{pointer}/required", "form that is needed unlike its fields", how)
            return form, taken
        made = keep_keys(body, frozenset({"description", "required"}))
        written = self.values.convert_schema(schema, f"{place}/schema")
        return [{"name": "body", "in": "body", **made, "schema": written}], taken

    def _convert_form(self, media_type: JsonObject, pointer: str) -> list[JsonObject]:
        fields, required = self.values.find_fields(media_type.get("schema"))
        for name in required:
            fields.setdefault(name, {})
        if not fields:
            self.tell(f"{pointer}/schema", "form without named fields")
        made: list[JsonObject] = []
        for name, schema in fields.items():
            place = f"{pointer}/schema/properties{join_pointer(name)}"
            found = self.values.find(schema)
            encoding: JsonObject = media_type.get("encoding", {}).get(name, {})
            for key in encoding.keys() & {"contentType", "headers", "allowReserved"}:
                where = f"{pointer}/encoding{join_pointer(name, key)}"
                self.tell(where, f"`{key}` of a form field")
            value = self._convert_field(found, encoding, place)
            made.append(
                {
                    "name": name,
                    "in": "formData",
                    **keep_keys(found, frozenset({"description"})),
                    **({"required": True} if name in required else {}),
                    **value,
                }
            )
        return made

    def _convert_field(self, schema: JsonObject, encoding: JsonObject, pointer: str) -> JsonObject:
        if schema.get("type", "string") == "string" and schema.get("format") == "binary":
            return {"type": "file"}
        return self.values.convert_value({**encoding, "schema": schema}, pointer, "formData")

    def _convert_responses(
        self, operation: JsonObject, pointer: str
    ) -> tuple[JsonObject, list[str]]:
        made: JsonObject = {}
        contents: list[list[str]] = []
        responses: JsonObject = _as_object(operation.get("responses")) or {"default": {}}
        for status, node in responses.items():
            place = f"{pointer}/responses{join_pointer(status)}"
            if status.startswith("x-"):
                made[status] = node
                continue
            if content := self.values.find(node).get("content"):
                contents.append(list(content))
            made[self._find_status(status, responses, place)] = self._convert_one(node, place)
        if any(content != contents[0] for content in contents):
            how = "each is said with those of all"
            self.tell(f"{pointer}/responses", "media types of one response", how)
        return made, list(dict.fromkeys(name for content in contents for name in content))

    def _find_status(self, status: str, responses: Mapping[str, Json], pointer: str) -> str:
        if not status.upper().endswith("XX"):
            return status
        first = next(
            number
            for number in map(str, range(int(status[0]) * 100, int(status[0]) * 100 + 100))
            if number not in responses
        )
        self.tell(pointer, f"range of statuses {status}", f"said as {first}")
        return first

    def _convert_one(self, node: Json, pointer: str) -> JsonObject:
        ref = find_ref(node) or ""
        name = ref.removeprefix(_RESPONSES)
        if ref != name and name in self.components.get("responses", {}):
            return {"$ref": f"#/responses/{name}"}
        return self._convert_response(node, pointer)

    def _convert_response(self, node: Json, pointer: str) -> JsonObject:
        response = self.values.find(node)
        made = {"description": "", **keep_keys(response, frozenset({"description"}))}
        content: JsonObject = response.get("content", {})
        schemas = {
            name: media_type["schema"]
            for name, media_type in content.items()
            if "schema" in media_type
        }
        for name, schema in list(schemas.items())[:1]:
            place = f"{pointer}/content{join_pointer(name)}/schema"
            made["schema"] = self.values.convert_schema(schema, place)
        for name, schema in schemas.items():
            if schema != next(iter(schemas.values())):
                self.tell(f"{pointer}/content{join_pointer(name)}", "second schema of a response")
        examples = {name: self.values.find_example(item) for name, item in content.items()}
        if found := {name: value for name, value in examples.items() if value is not None}:
            made["examples"] = found
        headers = {
            name: self.values.convert_header(header, f"{pointer}/headers{join_pointer(name)}")
            for name, header in response.get("headers", {}).items()
        }
        if headers:
            made["headers"] = headers
        if response.get("links"):
            self.tell(f"{pointer}/links", "`links`")
        return made


def _as_object(value: Json) -> JsonObject:
    """What stands where an object belongs; a reader tells of what is none."""
    return value if is_object(value) else {}


def _list_objects(value: Json) -> list[JsonObject]:
    return [item for item in value if is_object(item)] if is_array(value) else []


def _fill_in(server: JsonObject) -> str:
    url = str(server.get("url", ""))
    for name, variable in server.get("variables", {}).items():
        url = url.replace("{" + name + "}", str(variable.get("default", "")))
    return url
