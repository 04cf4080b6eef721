"""
What scenarios of the official conformance suite call by name, as functions that anybody can serve:

`restwright mcp serve tests/support/mcp/conformance_fixtures.py:Fixtures --no-namespaces`.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, TypeAlias

from tests.support.mcp.tricky import PNG, WAV

import restwright as rw

Context: TypeAlias = Annotated[rw.serving.CallContext, rw.Injected]
IMAGE, SOUND = rw.serving.Media.of(PNG, "image/png"), rw.serving.Media.of(WAV, "audio/wav")


def form(text: str, *, name: str = "name", kind: str = "string") -> rw.serving.Form:
    return rw.serving.Form(text=text, schema=make_object(**{name: {"type": kind}}))


def make_object(**properties: Any) -> dict[str, Any]:
    required = [name for name, schema in properties.items() if "default" not in schema]
    return {"type": "object", "properties": properties, "required": required}


class Fixtures:
    """The tools, resources and prompts of the suite."""

    @rw.tool(reads=True)
    def test_simple_text(self) -> str:
        return "This is a simple text response for testing."

    @rw.tool(reads=True)
    def test_image_content(self) -> rw.serving.Media:
        return IMAGE

    @rw.tool(reads=True)
    def test_audio_content(self) -> rw.serving.Media:
        return SOUND

    @rw.tool(reads=True)
    def test_embedded_resource(self) -> rw.serving.EmbeddedResource:
        text = "This is an embedded resource content."
        return rw.serving.EmbeddedResource(uri="test://embedded-resource", text=text)

    @rw.tool(reads=True)
    def test_multiple_content_types(
        self,
    ) -> list[str | rw.serving.Media | rw.serving.EmbeddedResource]:
        data = rw.serving.EmbeddedResource(
            uri="test://mixed-content-resource",
            text='{"test":"data","value":123}',
            media_type="application/json",
        )
        return ["Multiple content types test:", IMAGE, data]

    @rw.tool(reads=True)
    def test_error_handling(self) -> None:
        raise rw.Said("This tool intentionally returns an error for testing")

    @rw.tool(reads=True)
    async def test_tool_with_logging(self, context: Context) -> str:
        for text in ("started", "processing data", "completed"):
            await context.log(f"Tool {text}")
            await asyncio.sleep(0.05)
        return "done"

    @rw.tool(reads=True)
    async def test_logging_tool(self, context: Context) -> str:
        await context.log("called")
        return "done"

    @rw.tool(reads=True)
    async def test_tool_with_progress(self, context: Context) -> str:
        for done in (0, 50, 100):
            await context.report(done, 100, f"Completed step {done}")
            await asyncio.sleep(0.05)
        return "done"

    @rw.tool(reads=True)
    async def test_trigger_tool_change(self, context: Context) -> str:
        await context.announce_changes()
        return "ok"

    @rw.tool(reads=True)
    async def test_trigger_prompt_change(self, context: Context) -> str:
        await context.announce_changes()
        return "ok"

    @rw.tool(reads=True)
    async def test_sampling(self, prompt: str, context: Context) -> str:
        said = await context.ask(answer=rw.serving.Sample(prompt=prompt, max_tokens=100))
        return f"LLM response: {said['answer']}"

    @rw.tool(reads=True)
    async def test_elicitation(self, message: str, context: Context) -> str:
        schema = make_object(username={"type": "string"}, email={"type": "string"})
        said = await context.ask(user=rw.serving.Form(text=message, schema=schema))
        return f"User response: {said['user']}"

    @rw.tool(reads=True)
    async def test_elicitation_sep1034_defaults(self, context: Context) -> str:
        statuses = ["active", "inactive", "pending"]
        schema = make_object(
            name={"type": "string", "default": "John Doe"},
            age={"type": "integer", "default": 30},
            score={"type": "number", "default": 95.5},
            status={"type": "string", "enum": statuses, "default": "active"},
            verified={"type": "boolean", "default": True},
        )
        said = await context.ask(user=rw.serving.Form(text="Please review", schema=schema))
        return f"Elicitation completed: {said['user']}"

    @rw.tool(reads=True)
    async def test_elicitation_sep1330_enums(self, context: Context) -> str:
        titled = [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)]
        plain = ["option1", "option2", "option3"]
        schema = make_object(
            untitledSingle={"type": "string", "enum": plain},
            titledSingle={"type": "string", "oneOf": titled},
            legacyEnum={"type": "string", "enum": plain, "enumNames": ["One", "Two", "Three"]},
            untitledMulti={"type": "array", "items": {"type": "string", "enum": plain}},
            titledMulti={"type": "array", "items": {"anyOf": titled}},
        )
        said = await context.ask(user=rw.serving.Form(text="Please choose", schema=schema))
        return f"Elicitation completed: {said['user']}"

    @rw.tool(reads=True)
    async def test_missing_capability(self, context: Context) -> str:
        await context.ask(hello=rw.serving.Sample(prompt="Say hello"))
        return "ok"

    @rw.tool(reads=True)
    async def test_streaming_elicitation(self, context: Context) -> str:
        await context.report(1, message="asking")
        await context.ask(user=form("What is your name?"))
        return "ok"

    @rw.tool(reads=True)
    async def test_input_required_result_elicitation(self, context: Context) -> str:
        said = await context.ask(user_name=form("What is your name?"))
        return f"Hello, {said['user_name']}!"

    @rw.tool(reads=True)
    async def test_input_required_result_sampling(self, context: Context) -> str:
        question = rw.serving.Sample(prompt="What is the capital of France?", max_tokens=100)
        return str(await context.ask(capital_question=question))

    @rw.tool(reads=True)
    async def test_input_required_result_list_roots(self, context: Context) -> str:
        return str(await context.ask(client_roots=rw.serving.Roots()))

    @rw.tool(reads=True)
    async def test_input_required_result_request_state(self, context: Context) -> str:
        said = await context.ask(confirm=form("Please confirm", name="ok", kind="boolean"))
        return f"state-ok: {said}"

    @rw.tool(reads=True)
    async def test_input_required_result_tampered_state(self, context: Context) -> str:
        return str(await context.ask(confirm=form("Please confirm", name="ok", kind="boolean")))

    @rw.tool(reads=True)
    async def test_input_required_result_multiple_inputs(self, context: Context) -> str:
        said = await context.ask(
            user_name=form("What is your name?"),
            greeting=rw.serving.Sample(prompt="Generate a greeting", max_tokens=50),
            client_roots=rw.serving.Roots(),
        )
        return str(said)

    @rw.tool(reads=True)
    async def test_input_required_result_multi_round(self, context: Context) -> str:
        first = await context.ask(step1=form("Step 1: What is your name?"))
        second = await context.ask(step2=form("Step 2: What is your favorite color?", name="color"))
        return f"{first} {second}"

    @rw.tool(reads=True)
    async def test_input_required_result_capabilities(self, context: Context) -> str:
        questions = {
            "ask": form("What is your name?"),
            "sample": rw.serving.Sample(prompt="Say hello"),
        }
        able = {name: each for name, each in questions.items() if context.can_ask(type(each))}
        return str(await context.ask(**able))

    @rw.serving.resource("test://static-text")
    def static_text(self) -> str:
        """A text that stays."""
        return "This is the content of the static text resource."

    @rw.serving.resource("test://static-binary", "image/png")
    def static_binary(self) -> rw.serving.Media:
        """A picture that stays."""
        return IMAGE

    @rw.serving.resource("test://watched-resource")
    def watched_resource(self) -> str:
        """A text that one could watch."""
        return "watched"

    @rw.serving.resource("test://template/{id}/data", "application/json")
    def template(self, id: str) -> dict[str, Any]:  # noqa: A002 - the suite's name
        """Data of a number."""
        return {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}

    @rw.serving.prompt
    def test_simple_prompt(self) -> str:
        """A prompt."""
        return "This is a simple prompt for testing."

    @rw.serving.prompt
    def test_prompt_with_arguments(self, arg1: str, arg2: str) -> str:
        """
        A prompt with arguments.

        Args:
            arg1: The first.
            arg2: The second.
        """
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @rw.serving.prompt
    def test_prompt_with_embedded_resource(
        self,
        resourceUri: str,  # noqa: N803 - the suite's name
    ) -> list[rw.serving.EmbeddedResource | str]:
        """A prompt with a resource."""
        text = "Embedded resource content for testing."
        return [rw.serving.EmbeddedResource(uri=resourceUri, text=text), "Please process it."]

    @rw.serving.prompt
    def test_prompt_with_image(self) -> list[rw.serving.Media | str]:
        """A prompt with a picture."""
        return [IMAGE, "Please analyze the image above."]

    @rw.serving.prompt
    async def test_input_required_result_prompt(self, context: Context) -> str:
        """A prompt that asks before."""
        return f"Context: {await context.ask(user_context=form('What context?', name='context'))}"
