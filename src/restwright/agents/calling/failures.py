"""Calls that failed: what the model is told of them, and what takes their place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from restwright.agents.calling.state import CallingState, FailedCall, ReplyOutcome
from restwright.agents.execution.call_keys import key_of
from restwright.agents.execution.failure import say
from restwright.agents.memory.transcript import told_again
from restwright.agents.steps import Steps
from restwright.calls.arguments.feedback import summarize_mismatches
from restwright.calls.mismatch import Mismatch
from restwright.calls.truncate import shorten_line
from restwright.jsontypes import Json, JsonObject, is_array, is_object
from restwright.tools.tool import Tool

GIVEN_UP = "was called wrongly too often, and cannot be called any more."
_MAX_WHY_CHARS = 300


def begin_reply(state: CallingState) -> tuple[str, ...]:
    """Begin with a reply; the tools that it was asked to correct."""
    wanted = tuple(state.last_outcome.correcting)
    state.last_outcome = ReplyOutcome(failed_before={*state.failed})
    return wanted


def note_mistake(
    state: CallingState, name: str, text: str, *, why: str = "", is_mismatch: bool = False
) -> Steps[None]:
    """
    Note that a call of the tool `name` is wrong.

    Args:
        why: What the user is told of it, where that is not `text`.
    """
    yield say("feedback", text, tool=name, is_mismatch=is_mismatch)
    state.last_outcome.mistakes[name] = shorten_line(why or text, _MAX_WHY_CHARS)


def note_mismatch(
    state: CallingState, name: str, text: str, *, key: bytes, mismatches: tuple[Mismatch, ...] = ()
) -> Steps[None]:
    """A call that was not made, as its arguments do not fit."""
    discard_replaced_failure(state, key, name, {})
    heard = state.last_outcome
    heard.mismatches[name] = (*heard.mismatches.get(name, ()), *mismatches)
    heard.messages.append(text)
    if name not in heard.correcting:
        heard.correcting.append(name)
    why = shorten_line(summarize_mismatches(mismatches) if mismatches else text, _MAX_WHY_CHARS)
    _store_failure(state, key, FailedCall(tool=name, arguments={}, why=why, kind="mismatch"))
    yield from note_mistake(state, name, text, why=why, is_mismatch=bool(mismatches))


def note_api_error(
    state: CallingState, tool: Tool, arguments: JsonObject, text: str
) -> Steps[None]:
    """A call that an API answered with an error that other arguments may mend."""
    key, why = key_of(tool, arguments), shorten_line(text, _MAX_WHY_CHARS)
    state.errors[key] = why
    _store_failure(
        state, key, FailedCall(tool=tool.name, arguments=arguments, why=why, kind="error")
    )
    yield from note_mistake(state, tool.name, text)


def note_repeat(state: CallingState, tool: Tool, arguments: JsonObject) -> Steps[None]:
    """A call that failed before with the same arguments: it is not sent again."""
    key = key_of(tool, arguments)
    why = state.errors[key]
    _store_failure(
        state, key, FailedCall(tool=tool.name, arguments=arguments, why=why, kind="error")
    )
    state.last_outcome.messages.append(told_again(tool.name, arguments))
    yield from note_mistake(state, tool.name, why)


def hold_write(state: CallingState, tool: Tool, arguments: JsonObject, *, why: str) -> None:
    """Keep a write in mind that was not made, or may not have been."""
    failed = FailedCall(tool=tool.name, arguments=arguments, why=why, kind="held")
    _store_failure(state, key_of(tool, arguments), failed)


def _store_failure(state: CallingState, key: bytes, failed: FailedCall) -> None:
    state.failed[key] = failed
    # It failed in this reply, so that nothing else in it takes its place.
    state.last_outcome.failed_before.discard(key)


def discard_replaced_failure(
    state: CallingState, key: bytes, name: str, arguments: JsonObject
) -> None:
    """Forget the one failed call of an earlier reply that this one takes the place of."""
    if state.failed.pop(key, None) is not None:
        return
    for old, failed in state.failed.items():
        is_earlier = old in state.last_outcome.failed_before and failed.tool == name
        if is_earlier and _is_mended(failed, arguments, state.run.question):
            del state.failed[old]
            return


def _is_mended(failed: FailedCall, arguments: JsonObject, question: str) -> bool:
    """Whether a call can stand for one that failed: not where the user named what it was about."""
    if failed.kind == "mismatch":
        return True
    own = {*_iterate_ids(failed.arguments)} - {*_iterate_ids(arguments)}
    return not any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", question) for name in own)


def _iterate_ids(value: Json) -> Iterator[str]:
    """What has a digit, such as an id: other words are often another name of what is meant."""
    if is_object(value):
        value = [*value.values()]
    if is_array(value):
        for item in value:
            yield from _iterate_ids(item)
    elif any(map(str.isdigit, str(value))):
        yield str(value)


def note_uncorrected(state: CallingState, wanted: tuple[str, ...]) -> Steps[None]:
    """A tool that was to be corrected and was not called is a try, too."""
    heard = state.last_outcome
    for name in wanted:
        if name not in heard.called and name not in heard.correcting:
            own = (
                failed_call.why for failed_call in state.failed.values() if failed_call.tool == name
            )
            heard.messages.append(
                f"{name} was not called again, corrected. {next(own, '')}".strip()
            )
            heard.correcting.append(name)
            yield from note_mistake(state, name, f"{name} was not called again, corrected.")


def count_mistakes(state: CallingState) -> None:
    """Count the tools that the reply called wrongly, each once; after too many, give one up."""
    heard = state.last_outcome
    for name, why in heard.mistakes.items():
        state.mismatch_counts[name] = state.mismatch_counts.get(name, 0) + (
            name not in state.given_up
        )
        if state.mismatch_counts[name] > state.retries and name not in state.given_up:
            _give_up_tool(state, name, why)
    for name in heard.succeeded - heard.mistakes.keys():
        state.mismatch_counts.pop(name, None)
        state.mismatches.pop(name, None)
    state.mismatches |= heard.mismatches
    if heard.succeeded:
        _forget_guesses(state)


def _forget_guesses(state: CallingState) -> None:
    """Forget reads that failed, which the model knew of as it read something else instead."""
    for key in state.last_outcome.failed_before & state.failed.keys():
        failed = state.failed[key]
        is_read = failed.kind == "error" and not state.is_write(failed.tool)
        if is_read and _is_mended(failed, {}, state.run.question):
            del state.failed[key]


def _give_up_tool(state: CallingState, name: str, why: str) -> None:
    state.given_up[name] = why
    state.stack = tuple(text for text in state.stack if text != name)
    state.last_outcome.correcting = [text for text in state.last_outcome.correcting if text != name]
    state.last_outcome.messages.append(f"{name} {GIVEN_UP}")
