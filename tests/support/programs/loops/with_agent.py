"""What a web handler does with an agent: streams what happens, and waits for a person's word."""

from collections.abc import AsyncIterator

import restwright as rw

waiting: dict[str, rw.events.ApprovalEvent] = {}


async def answer(agent: rw.Agent, question: str, history: list) -> AsyncIterator:
    """Yield the events as JSON; a change waits for `decide()`, a minute long."""
    async for event in agent.stream(question, history=history):
        if isinstance(event, rw.events.ApprovalEvent):
            waiting[event.id] = event
            yield event.record()
            await event.wait(timeout_s=60)
            waiting.pop(event.id, None)
        else:
            yield event.record()
        if isinstance(event, rw.events.AnswerEvent):
            history += event.answer.messages()


def decide(approval_id: str, is_allowed: bool) -> None:
    event = waiting[approval_id]
    event.allow() if is_allowed else event.refuse()
