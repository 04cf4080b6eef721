"""Code that a model writes into its reply where it could have called the notebook."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from restwright.agents.spotlighting import mark_data_from
from restwright.agents.steps import Message, Steps
from restwright.manifests.dialogue.loop import DialogueOptions, call_ability, run_dialogue
from restwright.manifests.functions.functions import RUN_CODE, Ability
from restwright.manifests.session.session import AgentTurn

_FENCED = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)```", re.DOTALL)


def run_written_code(
    turn: AgentTurn,
    *,
    asked: str,
    system: str | None,
    abilities: Sequence[Ability],
    options: DialogueOptions,
) -> Steps[AgentTurn]:
    """
    Run the first block of code of a turn that called nothing, and let the model go on from there.

    Args:
        asked: What the user said.

    Returns:
        The turn as it was where there is no code, or nothing that runs it.
    """
    code = _find_code_block(turn)
    run = next((ability for ability in abilities if ability.name == RUN_CODE), None)
    if code is None or run is None:
        return turn
    own = {"code": code, "query": asked}
    arguments = {name: each for name, each in own.items() if name in run.tool.properties}
    is_ok, text, data = yield from call_ability(run, arguments)
    turn = replace(turn, data=(*turn.data, *data))
    heard = Message("user", f"The code gave:\n{mark_data_from(RUN_CODE, text)}")
    if options.skips_result or not is_ok:
        words = "\n".join(filter(None, (turn.text, text)))
        return replace(turn, text=words, history=(*turn.history, heard))
    went_on = yield from run_dialogue(
        heard.text, system=system, history=turn.history, abilities=abilities, options=options
    )
    words = "\n".join(filter(None, (turn.text, went_on.text)))
    return replace(
        went_on,
        text=words,
        calls=(*turn.calls, *went_on.calls),
        data=(*turn.data, *went_on.data),
    )


def _find_code_block(turn: AgentTurn) -> str | None:
    """The first block of code of a reply that called nothing."""
    if turn.calls or turn.switch is not None or turn.stopped != "answered":
        return None
    found = _FENCED.search(turn.text)
    return found[1] if found else None
