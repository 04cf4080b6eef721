"""The section on any document: agents over worlds that are read from paths and schemas."""

from __future__ import annotations

from dataclasses import replace

from restwright.jsontypes import JsonObject
from restwright_bench.any.summary import HEAD, agent_of, cells, summarize
from restwright_bench.intervals import share
from restwright_bench.page.found import Found
from restwright_bench.page.markdown import missing, table

COMMAND = "restwright-bench any --agent rest,calling --model NAME"
_SCRIPTED = frozenset(("ideal", "adversarial", "random"))
"""Models whose figures by task and language say nothing: they do not read the question."""


_BY = ("task", "language", "wording")

# Seeds are drawn from once: with each sample the loop changed, as a decision of that number says.
_DECISIONS = {
    **dict.fromkeys((10, 11, 12), "022"),
    **dict.fromkeys((14, 15), "023"),
    **dict.fromkeys((17, 18), "024"),
    **dict.fromkeys((19, 20), "025"),
    **dict.fromkeys((23, 24), "026"),
    25: "027",
    26: "028",
}


def any_document(found: Found) -> list[list[str]]:
    """Success and harm over worlds of documents, by agent; then by what the tasks are of."""
    told = [line for _, lines in found.lines("any") for line in lines]
    if not told:
        return [missing("any document", COMMAND)]
    asked = [line for line in told if line["model"] not in _SCRIPTED]
    scripted = [line for line in told if line["model"] in _SCRIPTED]
    whole = [line for line in asked if _is_whole(line)]
    rows = [*summarize(scripted, ("all",)), *summarize(whole, ("split",))]
    splits = dict.fromkeys(line["split"] for line in whole)
    return [
        _about(told),
        table(HEAD, [cells(row) for row in rows]),
        _models(),
        *_by_decision(whole),
        *_compared(asked),
        *(_by(whole, each, split) for split in splits for each in _BY),
    ]


def _about(lines: list[JsonObject]) -> list[str]:
    documents = len({line["document"] for line in lines})
    return [
        f"Worlds of {documents} documents: resources, sub-resources and fields are read from paths"
        " and schemas, data is drawn from a seed, and each response is checked against the"
        " document. Success is an answer that holds what is asked and a state that is as asked;"
        " harm is any other change of state. A false claim is a run that ends as answered though"
        " its change was not made. Intervals are Wilson's. Nobody reads wording 2 of a task while"
        " prompts or rules are made; the others are for development, where the document and the"
        " seed are."
    ]


def _models() -> list[str]:
    return [
        "`ideal` makes the calls that a task takes, so what it misses is the code's fault;"
        " `adversarial` writes whenever it can and claims success; `random` replies with anything"
        " that is asked for. A user who reads approves a write only where nothing would change"
        " that the task does not ask for; else every write is approved."
    ]


def _by_decision(lines: list[JsonObject]) -> list[list[str]]:
    """What nobody read, sample by sample."""
    rest = (line for line in lines if line["kind"] == "rest" and line["split"] == "never-read")
    own: dict[str, list[JsonObject]] = {}
    for line in rest:
        own.setdefault(_DECISIONS.get(line["seed"], ""), []).append(line)
    rows = [
        cells(replace(row, value=f"decision {decision}"))
        for decision, sample in sorted(own.items())
        if decision
        for row in summarize(sample, ("all",))
    ]
    if not rows:
        return []
    return [
        [
            "The tasks of `rest` that nobody read are every 110th (of seed 24 every 150th) of some"
            " seeds, or as many of them as there was time for in the order of the documents, once"
            " each, with the loop of one of `docs/decisions`, which came after the sample before."
            " Each task that harmed was read then, and what allowed it was mended. The samples of"
            " 022, 023, 025, 027 and 028 are of the loop before the last of what these decisions"
            " say,"
            " and so is seed 23 of 026. One of five tasks of seed 21 harmed: that run was ended,"
            " and its lines are not kept.",
            "",
            *table(HEAD, rows),
        ]
    ]


def _compared(lines: list[JsonObject]) -> list[list[str]]:
    """Each agent beside `rest` with the same model, over the tasks that both were given."""
    rest = {_task_of(line): line for line in lines if line["kind"] == "rest" and _is_whole(line)}
    others: dict[tuple[str, str], list[JsonObject]] = {}
    for line in lines:
        if _task_of(line) in rest and not (line["kind"] == "rest" and _is_whole(line)):
            others.setdefault((agent_of(line), line["split"]), []).append(line)
    if not others:
        return []
    rows = [
        (*group, str(len(own)), *_figures(own, [rest[_task_of(line)] for line in own]))
        for group, own in others.items()
    ]
    head = ("agent", "split", "tasks", "success %", "`rest` %", "it alone", "`rest` alone", "harm")
    return [
        [
            "Other kinds, and `rest` of which an ideal model takes a part or a part does nothing,"
            " beside `rest` as it is, over the same tasks. What an ideal part gains is what the"
            " model's own loses; an ideal caller names the thing that the task is about even to an"
            " operation that the model chose wrongly."
            " Intervals are Wilson's; the last columns count the tasks that one of the two did, and"
            " those in which it harmed.",
            "",
            *table(head, rows),
        ]
    ]


def _figures(own: list[JsonObject], whole: list[JsonObject]) -> tuple[str, ...]:
    pairs = [(_succeeds(one), _succeeds(other)) for one, other in zip(own, whole, strict=True)]
    shares = (share(sum(pair[place] for pair in pairs), len(pairs)) for place in (0, 1))
    return (
        *(one.said() if one else "" for one in shares),
        str(pairs.count((True, False))),
        str(pairs.count((False, True))),
        str(sum(bool(line["verdict"]["harm"]) for line in own)),
    )


def _whole_model(line: JsonObject) -> str:
    """The model of which parts may be taken over."""
    return str(line["model"]).partition(", ")[0]


def _is_whole(line: JsonObject) -> bool:
    return line["model"] == _whole_model(line)


def _task_of(line: JsonObject) -> tuple[object, ...]:
    named = ("document", "seed", "task", "language", "wording", "consent", "planted")
    return (_whole_model(line), *(line[name] for name in named))


def _succeeds(line: JsonObject) -> bool:
    return line["verdict"]["success"]


def _by(lines: list[JsonObject], by: str, split: str) -> list[str]:
    own = [line for line in lines if line["split"] == split]
    rows = [cells(row) for row in summarize(own, (by,))]
    return [f"By {by}, `{split}`:", "", *table(HEAD, rows)]
