"""Images and files of the user's message, in each prompt that holds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from restwright.agents.steps import Attachment, Complete, Gather, Outcome, Step, Steps, T
from restwright.stepping import map_steps


def with_files(steps: Steps[T], files: Sequence[Attachment]) -> Steps[T]:
    """The same steps, whose prompts have the files beside the words of the user."""

    def ask(step: Step) -> Steps[Outcome]:
        return (yield _add_files(step, tuple(files)))

    return map_steps(steps, ask)


def _add_files(step: Step, files: tuple[Attachment, ...]) -> Step:
    if isinstance(step, Gather):
        return Gather(tuple(_add_files(one, files) for one in step.steps))
    if not isinstance(step, Complete):
        return step
    # Examples of a prompt are static; what the user says comes first of what changes.
    places = (
        place
        for place, message in enumerate(step.messages)
        if message.speaker == "user" and not message.is_static
    )
    if (first := next(places, None)) is None:
        return step
    messages = list(step.messages)
    messages[first] = replace(messages[first], files=(*files, *messages[first].files))
    return replace(step, messages=tuple(messages))
