"""
The autotests of SlashGPT: a list of what to say to whom, each of which must come to something.

`/sample AGENT` said to another agent must end with AGENT: that is what such a line tries out.
`expect` beside a message, with `agent`, `calls` or `contains`, says more.

Source: SlashGPT, "Autotest configuration file".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from restwright.errors import RestwrightError
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.manifests.session.session import SessionReply
from restwright.manifests.session.stage import CommandResult

if TYPE_CHECKING:
    from restwright.manifests.session.stage import Stage


RunCommand: TypeAlias = "Callable[[Stage, str], CommandResult | None]"
"""Carries out a line that is a command; None for one that is said to the agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AutotestResult:
    """One line that was said; `why` is what was wrong with what came of it, empty for nothing."""

    agent: str
    line: str
    why: str = ""

    def __str__(self) -> str:
        mark = f"FAILED ({self.why})" if self.why else "ok"
        return f"{self.agent}: {self.line[:80]}: {mark}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _AutotestLine:
    agent: str
    text: str
    expect: JsonObject


def run_autotest(on: Stage, name: str, *, run_command: RunCommand) -> CommandResult:
    """Run `test/NAME.json`, and say what failed; `is_ok` is whether nothing did."""
    try:
        raw = on.run_test(name)
    except RestwrightError as error:
        return CommandResult(text=str(error), is_ok=False)
    if raw is None:
        return CommandResult(text=f"there is no autotest {name[:64]}", is_ok=False)
    results = list(run_autotest_lines(on, raw, run_command=run_command))
    failed = sum(bool(result.why) for result in results)
    summary = f"{len(results) - failed} of {len(results)} as expected"
    return CommandResult(text="\n".join([*map(str, results), summary]), is_ok=not failed)


def run_autotest_lines(
    on: Stage, raw: JsonObject, *, run_command: RunCommand
) -> Iterator[AutotestResult]:
    """Say each line to its agent, and look at what came of it."""
    wanted = raw.get("manifests")
    if isinstance(wanted, str) and wanted in on.manifest_sets:
        run_command(on, f"/switch {wanted}")
    elif isinstance(wanted, str):
        yield AutotestResult(agent="", line=f"/switch {wanted}", why="there is no such set")
        return
    for line in _parse_lines(raw):
        if line.agent and line.agent != on.session.current:
            if line.agent not in on.session.speakers:
                yield AutotestResult(agent=line.agent, line=line.text, why="there is no such agent")
                continue
            run_command(on, f"/{line.agent}")
        agent = on.session.current
        yield AutotestResult(agent=agent, line=line.text, why=_try_line(on, line, run_command))


def _parse_lines(raw: JsonObject) -> Iterator[_AutotestLine]:
    for message in raw.get("messages", ()):
        if not is_object(message):
            continue
        texts: Json = message.get("messages", message.get("message"))
        expect = message.get("expect")
        for text in texts if is_array(texts) else (texts,):
            yield _AutotestLine(
                agent=str(message.get("agent", "")),
                text=str(text),
                expect=expect if is_object(expect) else {},
            )


def _try_line(on: Stage, line: _AutotestLine, run_command: RunCommand) -> str:
    done = run_command(on, line.text)
    if done is not None and not done.is_ok:
        return done.text
    said = line.text if done is None else done.message
    if not said:
        return ""
    try:
        reply = on.session.ask(said)
        for text in done.more if done is not None else ():
            reply = on.session.ask(text)
    except RestwrightError as error:
        return str(error)
    match = re.fullmatch(r"/sample\s+(\S+)", line.text)
    expect = {"agent": match[1]} | line.expect if match else line.expect
    return next(_find_failures(reply, expect), "")


def _find_failures(reply: SessionReply, expect: JsonObject) -> Iterator[str]:
    if reply.stopped != "answered":
        yield f"it ended with {reply.stopped}: {reply.reason}"
    calls = [call for turn_record in reply.turns for call in turn_record.turn.calls]
    if not reply.text and not calls:
        yield "nothing was said"
    agents = [turn_record.agent for turn_record in reply.turns]
    if "agent" in expect and expect["agent"] not in agents:
        yield f"it went to {agents[-1]}, not to {expect['agent']}"
    for wanted in expect.get("calls", ()):
        if is_object(wanted) and not _has_call(wanted, [(c.tool, c.arguments) for c in calls]):
            yield f"{wanted.get('tool')} was not called so"
    if str(expect.get("contains", "")) not in reply.text:
        yield f"the answer does not hold {str(expect['contains'])[:60]!r}"


def _has_call(wanted: JsonObject, calls: Sequence[tuple[str, Json]]) -> bool:
    arguments: JsonObject = wanted.get("arguments", {})
    return any(
        tool == wanted.get("tool") and arguments.items() <= dict(given).items()
        for tool, given in calls
    )
