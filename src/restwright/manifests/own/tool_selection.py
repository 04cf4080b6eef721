"""What of the tools of an API a manifest lets a model see."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import cast

from restwright.calls.approval.policy import Decision, Policy, PolicyName
from restwright.calls.arguments.check import check_value
from restwright.jsontypes import JsonObject, is_object
from restwright.manifests.own.manifest import Manifest, ManifestApi, PolicyRules
from restwright.openapi.model import Operation
from restwright.openapi.references import join_pointer
from restwright.tools.catalog.catalog import Catalog, CatalogEntry
from restwright.tools.catalog.filters import filter_catalog
from restwright.tools.safety import (
    CLASS_RANK,
    OperationClass,
    classify_by_method,
    classify_operation,
)
from restwright.tools.tool import Tool

_STRICTNESS: tuple[Decision, ...] = ("allow", "ask", "refuse")


class InapplicableSetting(Exception):
    """A part of a manifest that does not fit its API; the text says why."""


def filter_api_tools(
    whole: Catalog, namespace: str, api: ManifestApi, rules: PolicyRules
) -> Catalog:
    """
    The tools that `include`, `exclude` and `read_only` leave of one API.

    Args:
        rules: Of the whole manifest, which may say the class of a tool.
    """

    def is_kept(name: str, entry: CatalogEntry) -> bool:
        if entry.namespace != namespace:
            return True
        if api.include and not any(_is_match(name, text) for text in api.include):
            return False
        if any(_is_match(name, text) for text in api.exclude):
            return False
        return (
            not api.read_only
            or _strictest_class([rules, api.policy], name, entry.operation) == "read"
        )

    return filter_catalog(whole, is_kept)


def find_idle_api_patterns(names: Collection[str], api: ManifestApi) -> Iterator[tuple[str, str]]:
    """
    Patterns of an API that are of no tool: below which key of it, and the pattern.

    Args:
        names: Of all tools of the API, also of those that are not offered.
    """
    for key in ("include", "exclude"):
        for pattern in getattr(api, key):
            if not any(_is_match(name, pattern) for name in names):
                yield f"/{key}", pattern
    yield from find_idle_rule_patterns(names, api.policy)


def find_idle_rule_patterns(
    names: Collection[str], rules: PolicyRules
) -> Iterator[tuple[str, str]]:
    """The same of the patterns of a policy."""
    for pattern in rules.tools:
        if not any(_is_match(name, pattern) for name in names):
            yield f"/policy/tools{join_pointer(pattern)}", pattern


def _is_match(name: str, pattern: str) -> bool:
    """Whether a pattern is of the whole name or of what stands behind the namespace."""
    return fnmatchcase(name, pattern) or fnmatchcase(name.partition("__")[2], pattern)


def find_operation_name(whole: Catalog, namespace: str, name: str, what: str) -> str:
    """
    The whole name of an operation.

    Raises:
        Unfit: There is none, or it is not offered.
    """
    full = name if "__" in name else f"{namespace}__{name}"
    if full in whole.entries:
        return full
    bare = [
        entry.partition("__")[2] for entry in whole.entries if entry.startswith(f"{namespace}__")
    ]
    near = get_close_matches(name.partition("__")[2] or name, bare, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise InapplicableSetting(f"{what}: {namespace} has no operation {name[:80]}{hint}")


def collect_fixed_arguments(
    whole: Catalog, namespace: str, api: ManifestApi
) -> dict[str, JsonObject]:
    """
    The arguments that calls of its tools always have, by tool.

    Raises:
        Unfit: There is no such operation or input, or the value does not fit it.
    """
    found: dict[str, JsonObject] = {}
    everywhere = api.fixed.get("", {})
    for name in [
        entry for entry in whole.entries if everywhere and _is_in_namespace(entry, namespace)
    ]:
        inputs = _tool_inputs(whole[name])
        if own := {key: value for key, value in everywhere.items() if key in inputs}:
            found[name] = own
    used = {key for item in found.values() for key in item}
    if unused := sorted(everywhere.keys() - used):
        raise InapplicableSetting(
            f"fixed: no operation of {namespace} has an input {unused[0][:80]}"
        )
    for operation, given in api.fixed.items():
        if operation:
            name = find_operation_name(whole, namespace, operation, "fixed")
            found[name] = found.get(name, {}) | given
    for name, given in found.items():
        _check_fixed(whole[name], given)
    return found


def _is_in_namespace(name: str, namespace: str) -> bool:
    return name.startswith(f"{namespace}__")


def _tool_inputs(tool: Tool) -> Collection[str]:
    properties = tool.checks.get("properties", {})
    return properties if is_object(properties) else {}


def _check_fixed(tool: Tool, given: JsonObject) -> None:
    inputs = _tool_inputs(tool)
    for name in given:
        if name not in inputs:
            near = get_close_matches(name, inputs, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise InapplicableSetting(f"fixed: {tool.name} has no input {name[:80]}{hint}")
    mismatches = check_value({**tool.checks, "required": []}, given)
    if mismatches:
        raise InapplicableSetting(
            f"fixed: {tool.name} does not take {mismatches[0].pointer[1:]} as it is given"
        )


def hide_fixed_arguments(
    whole: Catalog, fixed: Mapping[str, JsonObject], picked: Collection[str]
) -> Catalog:
    """The tools as the model sees them: neither inputs that are fixed nor what is not picked."""
    entries, built = {**whole.entries}, {**whole.built}
    for name in {**fixed, **dict.fromkeys(picked)}:
        tool = _hide_inputs(whole[name], fixed.get(name, {}), is_picked=name in picked)
        entries[name] = replace(entries[name], operation=tool.operation)
        built[name] = tool
    return replace(whole, entries=entries, built=built)


def _hide_inputs(tool: Tool, hidden: Collection[str], *, is_picked: bool) -> Tool:
    left = tuple(
        parameter for parameter in tool.operation.parameters if parameter.name not in hidden
    )
    more: JsonObject = {"output": None} if is_picked else {}
    if not hidden:
        return replace(tool, **more)
    return replace(
        tool,
        operation=replace(tool.operation, parameters=left),
        shows=_drop_properties(tool.shows, hidden),
        checks=_drop_properties(tool.checks, hidden),
        inputs=tuple(tool_input for tool_input in tool.inputs if tool_input.name not in hidden),
        **more,
    )


def _drop_properties(schema: JsonObject, hidden: Collection[str]) -> JsonObject:
    properties = {
        name: each for name, each in schema.get("properties", {}).items() if name not in hidden
    }
    required = [item for item in schema.get("required", ()) if item not in hidden]
    kept = {key: each for key, each in schema.items() if key not in {"properties", "required"}}
    return {**kept, "properties": properties, **({"required": required} if required else {})}


@dataclass(frozen=True, slots=True)
class _PolicySubject:
    """A tool that need not be built to be looked at by a policy."""

    name: str
    operation_name: str
    operation: Operation


def make_manifest_policy(
    manifest: Manifest, whole: Catalog, by_namespace: Mapping[str, ManifestApi], *, yes: bool
) -> Policy:
    """
    What may be called: the strictest of what the manifest, its API and the user say.

    Where the manifest says what a tool does, that holds in the place of what its document's words
    say; that a POST changes something, a manifest cannot deny, since somebody else may have written
    it.

    Args:
        yes: Whether the user lets writes be sent without being asked. Then what is confirmed by
            default is allowed; what is to be asked about by name still is.
    """
    rules = [manifest.policy, *(manifest_api.policy for manifest_api in by_namespace.values())]
    default: PolicyName = "allow" if yes else "confirm"
    if not any(rule.default or rule.tools for rule in rules):
        return Policy(default=default)
    decisions: dict[str, Decision | OperationClass] = {}
    for name, entry in whole.entries.items():
        tool = _PolicySubject(name, entry.operation_name, entry.operation)
        api = by_namespace.get(entry.namespace)
        own = [manifest.policy, *([api.policy] if api else [])]
        said = [_decide_by_rules(policy_rules, tool, yes=yes) for policy_rules in own]
        found = _strictest_class(own, name, entry.operation)
        granted = Policy(default=default, tools={"*": found}).decision(tool)
        decision: Decision = max([granted, *filter(None, said)], key=_STRICTNESS.index)
        decisions[name] = found if decision == granted else decision
    return Policy(default=default, tools=decisions)


def apply_function_rules(policy: Policy, manifest: Manifest, functions: Collection[str]) -> Policy:
    """
    What else a manifest forbids of its own functions, by their names as tools.

    What they do may stand in their arguments, so that classes are left to the policy.
    """
    rules = manifest.policy
    stricter: dict[str, Decision | OperationClass] = {}
    for name in functions:
        by_name = [each for pattern, each in rules.tools.items() if _is_match(name, pattern)]
        if by_name and by_name[-1] in {"ask", "refuse", "write", "destructive"}:
            stricter[name] = cast("Decision | OperationClass", by_name[-1])
    default = "read-only" if rules.default == "read-only" else policy.default
    return replace(policy, default=default, tools={**policy.tools, **stricter})


def _strictest_class(
    several: Sequence[PolicyRules], name: str, operation: Operation
) -> OperationClass:
    """What a tool does: as a manifest says, the most dangerous of several; else its document."""
    last = [
        [word for pattern, word in rules.tools.items() if _is_match(name, pattern)][-1:]
        for rules in several
    ]
    found: list[OperationClass] = [
        cast("OperationClass", word) for words in last for word in words if word in CLASS_RANK
    ]
    return max(
        classify_by_method(operation),
        *(found or [classify_operation(operation)]),
        key=CLASS_RANK.__getitem__,
    )


def _decide_by_rules(rules: PolicyRules, tool: _PolicySubject, *, yes: bool) -> Decision | None:
    """What one set of rules says of a tool; None for nothing."""
    by_name = [each for pattern, each in rules.tools.items() if _is_match(tool.name, pattern)]
    if by_name:
        return Policy(tools={"*": cast("Decision | OperationClass", by_name[-1])}).decision(tool)
    if not rules.default:
        return None
    default = "allow" if yes and rules.default == "confirm" else rules.default
    return Policy(default=cast("PolicyName", default)).decision(tool)
