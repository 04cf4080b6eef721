"""The catalog: what there is, where its names came from, and what is doubtful in it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from restwright.jsontypes import JsonObject
from restwright.net.counters import read_counts, usage_file
from restwright.tools.catalog.summary import summarize_catalog
from restwright.tools.catalog.usage import ToolUsage, advise_on_usage, count_usage
from restwright.web.findings import (
    ProblemGroup,
    ProviderFit,
    count_severities,
    fit_providers,
    group_problems,
)
from restwright.web.listing import ToolList, list_tools, search_tools
from restwright.web.rendering import is_part, render_json, render_page
from restwright.web.site import Site, site_of

_GROUPS = 60
"""Places with problems that are sent at once."""


def show_index(request: Request) -> Response:
    """The namespaces, and their tools or what a search finds of them."""
    site, query = site_of(request), request.query_params.get("q", "").strip()
    namespace = request.query_params.get("namespace", "")
    values = {
        "query": query,
        "namespace": namespace,
        "tools": _find_tools(request, site, query, namespace),
    }
    if is_part(request):
        part = "rows.html" if "page" in request.query_params else "found.html"
        return render_page(request, f"index/{part}", values)
    summary = summarize_catalog(site.catalog)
    return render_page(request, "index/tools.html", values, summary=summary, lock=site.lock)


def send_index(request: Request) -> Response:
    """As JSON: the index, and the tools that are asked for."""
    site, query = site_of(request), request.query_params.get("q", "").strip()
    tools = _find_tools(request, site, query, request.query_params.get("namespace", ""))
    value: JsonObject = {
        **summarize_catalog(site.catalog),
        "tools": [row.to_json() for row in tools.rows],
        "next_page": tools.next_page,
        "lock": _lock_json(site),
    }
    return render_json(value)


def _find_tools(request: Request, site: Site, query: str, namespace: str) -> ToolList:
    if query:
        return search_tools(site.catalog, query, namespace=namespace)
    return list_tools(site.catalog, namespace=namespace, page=_read_page(request))


def _read_page(request: Request) -> int:
    text = request.query_params.get("page", "1")
    return int(text) if text.isdecimal() and 0 < len(text) < 9 and int(text) else 1


def _lock_json(site: Site) -> JsonObject | None:
    if site.lock is None:
        return None
    drifts = [drift.to_json() for drift in site.lock.drifts]
    return {"path": str(site.lock.path), "drifts": drifts}


def show_problems(request: Request) -> Response:
    """What is doubtful in the documents, by operation."""
    groups = _group_problems(request)
    begin = (_read_page(request) - 1) * _GROUPS
    values = {
        "groups": groups[begin : begin + _GROUPS],
        "severity": request.query_params.get("severity", ""),
        "next_page": _read_page(request) + 1 if begin + _GROUPS < len(groups) else None,
    }
    if is_part(request):
        return render_page(request, "index/problem_groups.html", values)
    counts = count_severities(group_problems(site_of(request).catalog))
    return render_page(request, "index/problems.html", values, counts=counts)


def send_problems(request: Request) -> Response:
    """As JSON."""
    return render_json({"groups": [group.to_json() for group in _group_problems(request)]})


def _group_problems(request: Request) -> tuple[ProblemGroup, ...]:
    severity = request.query_params.get("severity", "")
    return group_problems(site_of(request).catalog, severity=severity)


def show_limits(request: Request) -> Response:
    """What the limits of providers mean for the catalog."""
    question = request.query_params.get("q", "").strip()
    return render_page(
        request,
        "index/limits.html",
        fits=_fit_providers(request),
        question=question,
        total=len(site_of(request).catalog),
    )


def send_limits(request: Request) -> Response:
    """As JSON."""
    fits = _fit_providers(request)
    return render_json({"providers": [provider_fit.to_json() for provider_fit in fits]})


def _fit_providers(request: Request) -> tuple[ProviderFit, ...]:
    question = request.query_params.get("q", "").strip()
    return fit_providers(site_of(request).catalog, question)


def show_usage(request: Request) -> Response:
    """How often tools were used: since this server began, and as counted with `--count`."""
    own, kept = _read_usage(request)
    uses = {"own": _only_used(own), "kept": _only_used(kept)}
    return render_page(request, "index/usage.html", uses, advice=advise_on_usage(kept))


def send_usage(request: Request) -> Response:
    """As JSON."""
    own, kept = _read_usage(request)
    value: JsonObject = {
        "since_start": [use.to_json() for use in _only_used(own)],
        "counted": [use.to_json() for use in _only_used(kept)],
        "advice": [{"tool": said.tool, "what": said.what} for said in advise_on_usage(kept)],
    }
    return render_json(value)


def _read_usage(request: Request) -> tuple[tuple[ToolUsage, ...], tuple[ToolUsage, ...]]:
    site = site_of(request)
    names = site.catalog.names
    try:
        counts = {} if site.is_shared else read_counts(usage_file())
    except OSError:
        # It is no page of that file: what this process counted is shown all the same.
        counts = {}
    return count_usage(names, dict(site.usage.counts)), count_usage(names, counts)


def _only_used(uses: tuple[ToolUsage, ...]) -> list[ToolUsage]:
    used = [use for use in uses if use.offered or use.called]
    return sorted(used, key=lambda use: (-use.called, -use.offered, use.tool))


def show_lock(request: Request) -> Response:
    """What is not as it was locked."""
    return render_page(request, "index/lock.html", lock=site_of(request).lock)


def send_lock(request: Request) -> Response:
    """As JSON; null where there is no lock."""
    return render_json(_lock_json(site_of(request)))


ROUTES = (
    Route("/", show_index),
    Route("/index.json", send_index),
    Route("/problems", show_problems),
    Route("/problems.json", send_problems),
    Route("/limits", show_limits),
    Route("/limits.json", send_limits),
    Route("/usage", show_usage),
    Route("/usage.json", send_usage),
    Route("/lock", show_lock),
    Route("/lock.json", send_lock),
)
