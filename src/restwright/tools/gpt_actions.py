"""
An API as the document that the editor of GPT Actions takes, within what that format allows.

Source: OpenAI, "GPT Actions": "Production notes" and "Getting started".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from restwright.errors import UnresolvedReference
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.openapi.downgrade import downgrade_document
from restwright.openapi.model import Operation
from restwright.openapi.references import lookup_reference
from restwright.openapi.upgrade import upgrade_document
from restwright.openapi.versions.object_map import METHOD_KEYS
from restwright.tools.catalog.catalog import Catalog
from restwright.tools.naming.hosts import parse_host
from restwright.tools.safety import CONSEQUENTIAL_FLAG, classify_operation

MAX_OPERATIONS = 30
MAX_TEXT = 300
"""Characters of the summary and of the description of an operation."""
MAX_PARAMETER_TEXT = 700
_TEXT_TYPES = ("json", "text/", "x-www-form-urlencoded", "xml")
_HTTPS_PORT = 443
_MAX_LISTED = 5
_NOT_IN_ACTIONS = frozenset({"callbacks", "servers"})


@dataclass(frozen=True, slots=True, kw_only=True)
class GptActions:
    """The document, and what of the API it does not have or has only in short."""

    document: JsonObject
    notes: tuple[str, ...]


def make_gpt_actions(whole: Catalog, *, server: str) -> GptActions:
    """
    Write the operations of the one API of `whole` as GPT Actions.

    Args:
        whole: Only its tools become actions.
        server: Where the API is served; of https, at its usual port.
    """
    [(_, api)] = whole.apis.items()
    document, problems = downgrade_document(upgrade_document(api.document), "3.1")
    making = _Making(document, server)
    making.notes.extend(str(problem) for problem in problems)
    kept = {
        (entry.operation.path, entry.operation.method.lower()): (
            entry.operation_name,
            entry.operation,
        )
        for entry in whole.entries.values()
    }
    making.keep_operations(kept)
    making.keep_one_authentication()
    making.keep_one_server()
    making.keep_used_components()
    return GptActions(document=making.document, notes=tuple(dict.fromkeys(making.notes)))


@dataclass(slots=True)
class _Making:
    document: JsonObject
    server: str
    notes: list[str] = field(default_factory=list[str])

    def keep_operations(self, kept: Mapping[tuple[str, str], tuple[str, Operation]]) -> None:
        """Leave out what is no action, and keep each action within its limits."""
        left_out: list[str] = []
        paths: JsonObject = {}
        count = 0
        for path, item in _object(self.document.get("paths")).items():
            actions: JsonObject = {}
            for key, written, known in _find_kept(path, _object(item), kept):
                if count == MAX_OPERATIONS:
                    left_out.append(f"{key.upper()} {path}")
                    continue
                shared = _array(item.get("parameters"))
                action = self._action(f"{key.upper()} {path}", written, shared, *known)
                if action is not None:
                    count += 1
                    actions[key] = action
            if actions:
                paths[path] = {**self._shared_parts(path, item), **actions}
        if left_out:
            listed = ", ".join(left_out[:_MAX_LISTED])
            more = len(left_out) - _MAX_LISTED
            listed += f" and {more:,} more" if more > 0 else ""
            self.notes.append(f"only {MAX_OPERATIONS} operations are taken; left out: {listed}")
        self.document["paths"] = paths

    def _shared_parts(self, path: str, item: JsonObject) -> JsonObject:
        """What the operations of a path have in common."""
        if "servers" in item:
            self.notes.append(f"{path}: its own servers are left out")
        parameters = [*self._parameters(path, _array(item.get("parameters")))]
        return {"parameters": parameters} if parameters else {}

    def _action(
        self,
        name: str,
        written: JsonObject,
        shared: Iterable[Json],
        known: str,
        operation: Operation,
    ) -> JsonObject | None:
        for parameter in map(self._resolve, (*shared, *_array(written.get("parameters")))):
            if parameter.get("in") in {"header", "cookie"} and parameter.get("required") is True:
                what = f"it needs the {parameter['in']} {parameter.get('name')}"
                self.notes.append(f"{name} is left out: {what}, which actions do not send")
                return None
        action = {
            key: value for key, value in written.items() if key not in {"callbacks", "servers"}
        }
        for key in sorted(written.keys() - action.keys()):
            self.notes.append(f"{name}: its own {key} are left out")
        for key in ("summary", "description"):
            if isinstance(action.get(key), str):
                action[key] = self._shorten(action[key], MAX_TEXT, f"{key} of {name}")
        action["operationId"] = action.get("operationId") or known
        action["parameters"] = [*self._parameters(name, _array(written.get("parameters")))]
        if not action["parameters"]:
            del action["parameters"]
        self._check_media_types(name, action)
        action[CONSEQUENTIAL_FLAG] = classify_operation(operation) != "read"
        return action

    def _parameters(self, name: str, written: Iterable[Json]) -> Iterator[Json]:
        for one in written:
            parameter = self._resolve(one)
            where = parameter.get("in")
            if where in {"header", "cookie"}:
                self.notes.append(f"{name}: the {where} {parameter.get('name')} is left out")
                continue
            text = parameter.get("description")
            if isinstance(text, str) and len(text) > MAX_PARAMETER_TEXT:
                what = f"description of {parameter.get('name')} of {name}"
                short = self._shorten(text, MAX_PARAMETER_TEXT, what)
                yield {**parameter, "description": short}
            else:
                yield one

    def _check_media_types(self, name: str, action: JsonObject) -> None:
        body = self._resolve(action.get("requestBody"))
        types = [*body["content"]] if is_object(body.get("content")) else []
        if types and not any(text in one.lower() for one in types for text in _TEXT_TYPES):
            self.notes.append(f"{name}: its body is {types[0]}, and actions send text alone")

    def _shorten(self, text: str, limit: int, what: str) -> str:
        if len(text) <= limit:
            return text
        self.notes.append(f"{what} is shortened to {limit} characters")
        cut = text[: limit - 1]
        return f"{cut.rsplit(None, 1)[0] if ' ' in cut else cut}…"

    def keep_one_server(self) -> None:
        """Name the one server, and tell where it is none that actions reach."""
        parts = urlsplit(self.server)
        if parts.scheme != "https" or (parts.port or _HTTPS_PORT) != _HTTPS_PORT:
            self.notes.append(f"{self.server or 'no server'}: actions only reach https at port 443")
        self.document["servers"] = [{"url": self.server}] if self.server else []

    def keep_one_authentication(self) -> None:
        """Keep the one scheme that most actions can be called with."""
        schemes = _object(_object(self.document.get("components")).get("securitySchemes"))
        whole = _array(self.document.get("security"))
        places = [self.document, *self._actions()]
        asked = [
            _array(action["security"]) if "security" in action else whole
            for action in self._actions()
        ]
        counts = Counter(
            name
            for several in asked
            for requirement in several
            if len(_object(requirement)) == 1
            for name in requirement
            if _is_usable(_object(schemes.get(name)))
        )
        if not (schemes and any(asked)):
            return
        chosen = counts.most_common(1)[0][0] if counts else None
        for place in places:
            if "security" in place:
                place["security"] = [
                    one for one in _array(place["security"]) if {*_object(one)} <= {chosen}
                ]
        used = {name for several in asked for one in several for name in _object(one)}
        for name in sorted(used - {chosen}):
            self.notes.append(f"security scheme {name} is left out: actions have one, or none")
        if chosen is None:
            return
        for url in _flow_urls(_object(schemes[chosen])):
            if _domain(url) != _domain(self.server):
                self.notes.append(f"{url} is not on the domain of the API, which actions want")

    def _actions(self) -> list[JsonObject]:
        return [
            action
            for item in self.document["paths"].values()
            for key, action in item.items()
            if key.lower() in METHOD_KEYS
        ]

    def keep_used_components(self) -> None:
        """Leave out the components that no action refers to."""
        components = _object(self.document.get("components"))
        wanted = {*_references({**self.document, "components": {}})}
        while True:
            more = {
                reference
                for kind, name in filter(None, map(_component, wanted))
                for reference in _references(_object(components.get(kind)).get(name))
            } - wanted
            if not more:
                break
            wanted |= more
        names = {*filter(None, map(_component, wanted))}
        security = {
            ("securitySchemes", name)
            for place in (self.document, *self._actions())
            for one in _array(place.get("security"))
            for name in _object(one)
        }
        found = {
            kind: {name: one for name, one in several.items() if (kind, name) in names | security}
            for kind, several in components.items()
            if is_object(several)
        }
        # The editor refuses a document without schemas.
        self.document["components"] = {
            "schemas": {},
            **{kind: several for kind, several in found.items() if several},
        }
        for key in ("webhooks", "tags", "externalDocs"):
            self.document.pop(key, None)

    def _resolve(self, node: Json) -> JsonObject:
        if not is_object(node):
            return {}
        try:
            found = lookup_reference(self.document, node["$ref"]) if "$ref" in node else node
        except UnresolvedReference:
            return node
        return found if is_object(found) else node


def _find_kept(
    path: str, item: JsonObject, kept: Mapping[tuple[str, str], tuple[str, Operation]]
) -> Iterator[tuple[str, JsonObject, tuple[str, Operation]]]:
    """The operations of a path that have a tool: key, Operation Object, and that."""
    for key, written in item.items():
        known = kept.get((path, key.lower()))
        if known is not None and is_object(written):
            yield key, written, known


def _is_usable(scheme: JsonObject) -> bool:
    kind = scheme.get("type")
    if kind == "http":
        return str(scheme.get("scheme", "")).lower() in {"bearer", "basic"}
    if kind == "oauth2":
        return "authorizationCode" in _object(scheme.get("flows"))
    return kind == "apiKey" and scheme.get("in") == "header"


def _flow_urls(scheme: JsonObject) -> Iterator[str]:
    flow = _object(_object(scheme.get("flows")).get("authorizationCode"))
    for key in ("authorizationUrl", "tokenUrl"):
        if isinstance(flow.get(key), str):
            yield flow[key]


def _domain(url: str) -> str:
    host = urlsplit(url).hostname or ""
    return parse_host(host).label or host


def _references(node: Json) -> Iterator[str]:
    if is_object(node):
        for key, value in node.items():
            if key == "$ref" and isinstance(value, str):
                yield value
            else:
                yield from _references(value)
    elif is_array(node):
        for item in node:
            yield from _references(item)


def _component(reference: str) -> tuple[str, str] | None:
    parts = reference.removeprefix("#/components/").split("/")
    if not reference.startswith("#/components/") or len(parts) < 2:
        return None
    return parts[0], parts[1].replace("~1", "/").replace("~0", "~")


def _object(value: Json) -> JsonObject:
    return value if is_object(value) else {}


def _array(value: Json) -> list[Json]:
    return [*value] if is_array(value) else []
