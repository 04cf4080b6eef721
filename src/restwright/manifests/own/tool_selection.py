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
from restwright.manifests.own.manifest import Api, Manifest, Rules
from restwright.openapi.model import Operation
from restwright.openapi.references import pointer_of
from restwright.tools.catalog.catalog import Catalog, Entry
from restwright.tools.catalog.filters import kept
from restwright.tools.safety import RANK, OperationClass, classified, least
from restwright.tools.tool import Tool

_STRICTNESS: tuple[Decision, ...] = ("allow", "ask", "refuse")


class Unfit(Exception):
    """A part of a manifest that does not fit its API; the text says why."""


def chosen(whole: Catalog, namespace: str, api: Api, rules: Rules) -> Catalog:
    """
    The tools that `include`, `exclude` and `read_only` leave of one API.

    Args:
        rules: Of the whole manifest, which may say the class of a tool.
    """

    def is_kept(name: str, entry: Entry) -> bool:
        if entry.namespace != namespace:
            return True
        if api.include and not any(_fits(name, each) for each in api.include):
            return False
        if any(_fits(name, each) for each in api.exclude):
            return False
        return not api.read_only or _class([rules, api.policy], name, entry.operation) == "read"

    return kept(whole, is_kept)


def idle_of_api(names: Collection[str], api: Api) -> Iterator[tuple[str, str]]:
    """
    Patterns of an API that are of no tool: below which key of it, and the pattern.

    Args:
        names: Of all tools of the API, also of those that are not offered.
    """
    for key in ("include", "exclude"):
        for pattern in getattr(api, key):
            if not any(_fits(name, pattern) for name in names):
                yield f"/{key}", pattern
    yield from idle_of_rules(names, api.policy)


def idle_of_rules(names: Collection[str], rules: Rules) -> Iterator[tuple[str, str]]:
    """The same of the patterns of a policy."""
    for pattern in rules.tools:
        if not any(_fits(name, pattern) for name in names):
            yield f"/policy/tools{pointer_of(pattern)}", pattern


def _fits(name: str, pattern: str) -> bool:
    """Whether a pattern is of the whole name or of what stands behind the namespace."""
    return fnmatchcase(name, pattern) or fnmatchcase(name.partition("__")[2], pattern)


def tools_like(whole: Catalog, namespace: str, name: str, what: str) -> str:
    """
    The whole name of an operation.

    Raises:
        Unfit: There is none, or it is not offered.
    """
    full = name if "__" in name else f"{namespace}__{name}"
    if full in whole.entries:
        return full
    bare = [each.partition("__")[2] for each in whole.entries if each.startswith(f"{namespace}__")]
    near = get_close_matches(name.partition("__")[2] or name, bare, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise Unfit(f"{what}: {namespace} has no operation {name[:80]}{hint}")


def fixed_of(whole: Catalog, namespace: str, api: Api) -> dict[str, JsonObject]:
    """
    The arguments that calls of its tools always have, by tool.

    Raises:
        Unfit: There is no such operation or input, or the value does not fit it.
    """
    found: dict[str, JsonObject] = {}
    everywhere = api.fixed.get("", {})
    for name in [each for each in whole.entries if everywhere and _is_of(each, namespace)]:
        inputs = _inputs(whole[name])
        if own := {key: value for key, value in everywhere.items() if key in inputs}:
            found[name] = own
    used = {key for each in found.values() for key in each}
    if unused := sorted(everywhere.keys() - used):
        raise Unfit(f"fixed: no operation of {namespace} has an input {unused[0][:80]}")
    for operation, given in api.fixed.items():
        if operation:
            name = tools_like(whole, namespace, operation, "fixed")
            found[name] = found.get(name, {}) | given
    for name, given in found.items():
        _check(whole[name], given)
    return found


def _is_of(name: str, namespace: str) -> bool:
    return name.startswith(f"{namespace}__")


def _inputs(tool: Tool) -> Collection[str]:
    properties = tool.checks.get("properties", {})
    return properties if is_object(properties) else {}


def _check(tool: Tool, given: JsonObject) -> None:
    inputs = _inputs(tool)
    for name in given:
        if name not in inputs:
            near = get_close_matches(name, inputs, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise Unfit(f"fixed: {tool.name} has no input {name[:80]}{hint}")
    mismatches = check_value({**tool.checks, "required": []}, given)
    if mismatches:
        raise Unfit(f"fixed: {tool.name} does not take {mismatches[0].pointer[1:]} as it is given")


def without_fixed(
    whole: Catalog, fixed: Mapping[str, JsonObject], picked: Collection[str]
) -> Catalog:
    """The tools as the model sees them: neither inputs that are fixed nor what is not picked."""
    entries, built = {**whole.entries}, {**whole.built}
    for name in {**fixed, **dict.fromkeys(picked)}:
        tool = _seen(whole[name], fixed.get(name, {}), is_picked=name in picked)
        entries[name] = replace(entries[name], operation=tool.operation)
        built[name] = tool
    return replace(whole, entries=entries, built=built)


def _seen(tool: Tool, hidden: Collection[str], *, is_picked: bool) -> Tool:
    left = tuple(each for each in tool.operation.parameters if each.name not in hidden)
    more: JsonObject = {"output": None} if is_picked else {}
    if not hidden:
        return replace(tool, **more)
    return replace(
        tool,
        operation=replace(tool.operation, parameters=left),
        shows=_without(tool.shows, hidden),
        checks=_without(tool.checks, hidden),
        inputs=tuple(each for each in tool.inputs if each.name not in hidden),
        **more,
    )


def _without(schema: JsonObject, hidden: Collection[str]) -> JsonObject:
    properties = {
        name: each for name, each in schema.get("properties", {}).items() if name not in hidden
    }
    required = [each for each in schema.get("required", ()) if each not in hidden]
    kept = {key: each for key, each in schema.items() if key not in {"properties", "required"}}
    return {**kept, "properties": properties, **({"required": required} if required else {})}


@dataclass(frozen=True, slots=True)
class _Classed:
    """A tool that need not be built to be looked at by a policy."""

    name: str
    operation_name: str
    operation: Operation


def policy_of(
    manifest: Manifest, whole: Catalog, by_namespace: Mapping[str, Api], *, yes: bool
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
    rules = [manifest.policy, *(each.policy for each in by_namespace.values())]
    default: PolicyName = "allow" if yes else "confirm"
    if not any(each.default or each.tools for each in rules):
        return Policy(default=default)
    decisions: dict[str, Decision | OperationClass] = {}
    for name, entry in whole.entries.items():
        tool = _Classed(name, entry.operation_name, entry.operation)
        api = by_namespace.get(entry.namespace)
        own = [manifest.policy, *([api.policy] if api else [])]
        said = [_said(each, tool, yes=yes) for each in own]
        found = _class(own, name, entry.operation)
        granted = Policy(default=default, tools={"*": found}).decision(tool)
        decision: Decision = max([granted, *filter(None, said)], key=_STRICTNESS.index)
        decisions[name] = found if decision == granted else decision
    return Policy(default=default, tools=decisions)


def with_functions(policy: Policy, manifest: Manifest, functions: Collection[str]) -> Policy:
    """
    What else a manifest forbids of its own functions, by their names as tools.

    What they do may stand in their arguments, so that classes are left to the policy.
    """
    rules = manifest.policy
    stricter: dict[str, Decision | OperationClass] = {}
    for name in functions:
        by_name = [each for pattern, each in rules.tools.items() if _fits(name, pattern)]
        if by_name and by_name[-1] in {"ask", "refuse", "write", "destructive"}:
            stricter[name] = cast("Decision | OperationClass", by_name[-1])
    default = "read-only" if rules.default == "read-only" else policy.default
    return replace(policy, default=default, tools={**policy.tools, **stricter})


def _class(several: Sequence[Rules], name: str, operation: Operation) -> OperationClass:
    """What a tool does: as a manifest says, the most dangerous of several; else its document."""
    last = [
        [word for pattern, word in rules.tools.items() if _fits(name, pattern)][-1:]
        for rules in several
    ]
    found: list[OperationClass] = [
        cast("OperationClass", word) for words in last for word in words if word in RANK
    ]
    return max(least(operation), *(found or [classified(operation)]), key=RANK.__getitem__)


def _said(rules: Rules, tool: _Classed, *, yes: bool) -> Decision | None:
    """What one set of rules says of a tool; None for nothing."""
    by_name = [each for pattern, each in rules.tools.items() if _fits(tool.name, pattern)]
    if by_name:
        return Policy(tools={"*": cast("Decision | OperationClass", by_name[-1])}).decision(tool)
    if not rules.default:
        return None
    default = "allow" if yes and rules.default == "confirm" else rules.default
    return Policy(default=cast("PolicyName", default)).decision(tool)
