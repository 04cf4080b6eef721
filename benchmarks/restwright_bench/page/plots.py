"""Plots as SVG that are the same bytes for the same results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from restwright_bench.page.anchors import PLANNED
from restwright_bench.page.found import Found
from restwright_bench.page.more_sections import WHOLE, searches
from restwright_bench.page.sections import APIS, scores_by_set
from restwright_bench.queries.scores import summed

SETTINGS = {
    "svg.hashsalt": "restwright",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
OURS, THEIRS = "#1b6ca8", "#b9c3cc"
NAMES = {"tmdb": "TMDB", "spotify": "Spotify"}
Bar = tuple[str, float, str]


def planning(found: Found, folder: Path) -> None:
    """Success by API: ours and what is published, best first."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    for api, one in zip(APIS, axes, strict=True):
        _bars(one, sorted(_planned(found, api), key=lambda each: each[1]), NAMES[api], "success, %")
    _save(figure, folder / "planning.svg")


def _planned(found: Found, api: str) -> list[Bar]:
    ours = [
        (f"restwright, {name} ({queries})", summed(scores).success, OURS)
        for name, lines in found.agents()
        for its_api, queries, scores in scores_by_set(lines)
        if its_api == api
    ]
    lexical = found.one("run-lexical")
    if lexical and api in lexical["apis"]:
        ours.append(("no model (words)", lexical["apis"][api]["summary"]["success"], OURS))
    published = [
        (f"{each.method}, {each.model}".removesuffix(", "), getattr(each, api)[0], THEIRS)
        for each in PLANNED
        if not each.apart and getattr(each, api)[0] is not None
    ]
    return [*ours, *published]


def calling(found: Found, folder: Path) -> None:
    """Right at the first try and at last, by model."""
    import matplotlib.pyplot as plt

    from restwright_bench.calling.anchors import ANCHORS
    from restwright_bench.calling.board import current, read_trials
    from restwright_bench.calling.rehearsed import REHEARSED
    from restwright_bench.calling.table import summed as board_summed

    rows = [
        (each.model, 100 * each.first / each.trials, 100 * each.final / each.trials, THEIRS)
        for each in ANCHORS
    ]
    for name in found.names("board"):
        trials = current(read_trials(found.folder / f"board-{name}.jsonl"))
        if trials and trials[0].model not in REHEARSED:
            one = board_summed(trials)
            rows.append((f"restwright, {name}", one.first, one.final, OURS))
    rows.sort(key=lambda each: each[2])
    figure, axes = plt.subplots(figsize=(8, 0.24 * len(rows) + 1), layout="constrained")
    names = [each[0] for each in rows]
    colours = [each[3] for each in rows]
    axes.barh(names, [each[2] for each in rows], color=colours, alpha=0.45)
    axes.barh(names, [each[1] for each in rows], color=colours)
    axes.set_xlim(0, 100)
    axes.set_xlabel("right at the first try (dark) and after feedback (light), %")
    _save(figure, folder / "calling.svg")


def finding(found: Found, folder: Path) -> None:
    """All operations found among the first k, by collection."""
    told = found.one("search")
    if told is None:
        return
    import matplotlib.pyplot as plt

    whole = {name: each["all"] for name, which, each in searches(told) if which == WHOLE}
    figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
    for name, shares in whole.items():
        axes.plot([5, 10, 20], [shares[f"complete@{k}"] for k in (5, 10, 20)], "o-", label=name)
    axes.set_ylim(0, 100)
    axes.set_xticks([5, 10, 20])
    axes.set_xlabel("operations that are shown")
    axes.set_ylabel("questions with all they need, %")
    axes.legend(frameon=False)
    _save(figure, folder / "finding.svg")


def spaces(found: Found, folder: Path) -> None:
    """Tasks that were done, by model and by how tools are offered."""
    from restwright_bench.spaces.table import latest, summaries

    lines = [line for _, several in found.lines("spaces") for line in latest(several)]
    if not lines:
        return
    import matplotlib.pyplot as plt

    found_by = summaries(lines)
    bars = [(f"{each.model}, {each.mode}", round(100 * each.success, 1), OURS) for each in found_by]
    figure, axes = plt.subplots(figsize=(7, 0.3 * len(bars) + 1), layout="constrained")
    _bars(axes, bars[::-1], "Three APIs at once", "tasks done, %")
    _save(figure, folder / "namespaces.svg")


def _bars(axes: Any, bars: Sequence[Bar], title: str, label: str) -> None:
    names = [each[0] for each in bars]
    drawn = axes.barh(names, [each[1] for each in bars], color=[each[2] for each in bars])
    axes.bar_label(drawn, fmt="%g", padding=2)
    axes.set_xlim(0, 110)
    axes.set_title(title)
    axes.set_xlabel(label)


def _save(figure: Any, path: Path) -> None:
    import matplotlib.pyplot as plt

    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)


PLOTS = (planning, calling, finding, spaces)
