"""What a web handler does: streams an answer, and goes on later where a change must be allowed."""

from openai import AsyncOpenAI

import restwright as rw

client = AsyncOpenAI()


async def answer(tools: rw.Toolbox, messages: list):
    """Yield pieces of the answer, and a `Pending` for each change that waits for a person."""
    offer = tools.for_("openai")
    while True:
        asked = {"model": "gpt-5", "messages": messages, "tools": offer}
        async with client.chat.completions.stream(**asked) as stream:
            async for event in stream:
                if event.type == "content.delta":
                    yield event.delta
            response = await stream.get_final_completion()
        messages.append(response.choices[0].message)
        if not (replies := await tools.replies_async("openai", response)):
            return
        messages.extend(replies)
        for pending in filter(None, (reply.pending for reply in replies)):
            yield pending


async def allow(tools: rw.Toolbox, messages: list, pending_id: str) -> None:
    reply = await tools.approve_async(pending_id)
    messages.append({"role": "user", "content": f"I allowed it. {reply.text}"})
