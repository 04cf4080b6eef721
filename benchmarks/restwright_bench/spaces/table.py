"""The figures of each mode, and a table of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from restwright.jsontypes import JsonObject
from restwright_bench.spaces.modes import MODES

TOO_LONG = ("context", "tokens of one prompt")
"""What stops a prompt that does not fit: before it is sent, or in the engine."""
SEARCH = "search"
MOST_CALLS = 2
MOST_WRONG = 0.05
"""What is aimed at with a search: the median of calls, and the share to a wrong namespace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """
    A mode under one model.

    Args:
        calls: Median a task, tools about tools and unknown names included.
        api_calls: Median of those that were aimed at an API.
        most_calls: Of one task.
        wrong_namespace: Share of the calls that were aimed at an API; so are the next two.
        offered: Share of tasks whose tools were all offered.
        too_long: Tasks that ended since a prompt does not fit into the model's context.
        prompt_characters: Median of the tools that were offered.
        tokens: Median of prompts and replies of a task together.
    """

    model: str
    mode: str
    tasks: int
    success: float
    calls: float
    api_calls: float
    most_calls: int
    wrong_namespace: float
    wrong_operation: float
    unknown: float
    offered: float
    prompt_characters: int
    tokens: int
    seconds: float
    too_long: int = 0

    @property
    def is_as_aimed(self) -> bool:
        """Whether it is within what is aimed at."""
        return self.calls <= MOST_CALLS and self.wrong_namespace < MOST_WRONG


def latest(lines: Sequence[JsonObject]) -> list[JsonObject]:
    """Of the lines of one file those of its last tasks and prompts; others cannot be compared."""
    digest = lines[-1].get("digest") if lines else None
    return [each for each in lines if each.get("digest") == digest]


def summaries(lines: Iterable[JsonObject]) -> list[Summary]:
    """One for each model and mode, in the order of `MODES`."""
    grouped: dict[tuple[str, str], list[JsonObject]] = {}
    for each in lines:
        grouped.setdefault((each["model"], each["mode"]), []).append(each)
    order = list(MODES)
    keys = sorted(grouped, key=lambda each: (each[0], order.index(each[1])))
    return [_summary(*key, grouped[key]) for key in keys]


def spaces_table(lines: Iterable[JsonObject]) -> str:
    """A table in Markdown, one row for each model and mode."""
    rows = [" | ".join(_cells(each)) for each in summaries(lines)]
    head = (
        "model | mode | tasks | success | calls, median (most) | to an API, median "
        "| wrong namespace | wrong operation | unknown name | all offered "
        "| too long | characters offered | tokens a task | seconds a task"
    )
    rule = " | ".join(["---", "---", *["--:"] * (head.count("|") - 1)])
    return "\n".join(f"| {each} |" for each in (head, rule, *rows)) + "\n"


def aimed(lines: Iterable[JsonObject]) -> str:
    """What is aimed at with a search, and which models are within it."""
    told = [
        f"{each.model} {'is' if each.is_as_aimed else 'is not'} (median {each.calls:g},"
        f" {each.wrong_namespace:.1%})"
        for each in summaries(lines)
        if each.mode == SEARCH
    ]
    aim = f"a median of at most {MOST_CALLS} calls, and under {MOST_WRONG:.0%} to a wrong namespace"
    return f"Aimed at with `{SEARCH}`: {aim}. Within it: {'; '.join(told) or 'none was run'}."


def _summary(model: str, mode: str, lines: Sequence[JsonObject]) -> Summary:
    aims = Counter[str]()
    for each in lines:
        aims.update(each["aims"])
    aimed = max(aims.total() - aims["meta"], 1)
    return Summary(
        model=model,
        mode=mode,
        tasks=len(lines),
        success=sum(each["success"] for each in lines) / len(lines),
        calls=median(each["calls"] for each in lines),
        api_calls=median(each["calls"] - each["aims"].get("meta", 0) for each in lines),
        most_calls=max(each["calls"] for each in lines),
        wrong_namespace=aims["namespace"] / aimed,
        wrong_operation=aims["operation"] / aimed,
        unknown=aims["unknown"] / aimed,
        offered=sum(each["offered"] for each in lines) / len(lines),
        prompt_characters=int(median(each["prompt_characters"] for each in lines)),
        tokens=int(median(each["input_tokens"] + each["output_tokens"] for each in lines)),
        seconds=median(each["seconds"] for each in lines),
        too_long=sum(each["stopped"] in TOO_LONG for each in lines),
    )


def _cells(one: Summary) -> tuple[str, ...]:
    return (
        *(one.model, one.mode, str(one.tasks), f"{one.success:.0%}"),
        *(f"{one.calls:g} ({one.most_calls})", f"{one.api_calls:g}"),
        *(f"{one.wrong_namespace:.1%}", f"{one.wrong_operation:.1%}", f"{one.unknown:.1%}"),
        *(f"{one.offered:.0%}", str(one.too_long)),
        *(f"{one.prompt_characters:,}", f"{one.tokens:,}"),
        f"{one.seconds:.1f}",
    )
