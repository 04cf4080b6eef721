"""What functions give and ask beside their results, in both eras: `mcp serve notes.py:Notes`."""

from __future__ import annotations

import base64
from pathlib import Path

import anyio
import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from tests.support.mcp.over_http import over_http
from tests.support.mcp.serving import (
    ERAS,
    Person,
    call,
    connected,
    says,
    serving,
    talk,
    texts,
    until,
)
from tests.support.mcp.tricky import PNG

from restwright.calls.approval.policy import ALLOW
from restwright.errors import NameCollision

NOTES = f'''
import asyncio
from typing import Annotated
import restwright as rw

PNG = {PNG!r}
Context = Annotated[rw.serving.CallContext, rw.Injected]
FORM = {{"type": "object", "properties": {{"send": {{"type": "boolean"}}}}}}
kept = []

class Notes:
    @rw.tool(reads=True)
    def picture(self) -> rw.serving.Media:
        return rw.serving.Media.of(PNG, "image/png")

    @rw.tool(reads=True)
    def mixed(self) -> list[str | rw.serving.Media | rw.serving.EmbeddedResource]:
        text = rw.serving.EmbeddedResource(uri="notes://1", text="one", media_type="text/markdown")
        return ["before", rw.serving.Media.of(b"odd", "application/x-odd"), text]

    async def keep(self, text: str, context: Context) -> str:
        """Keep a note."""
        said = await context.ask(sure=rw.serving.Form(text="Sure?", schema=FORM))
        again = await context.ask(again=rw.serving.Form(text="Really?", schema=FORM))
        if said["sure"] is None or again["again"] is None:
            return "not kept"
        kept.append(text)
        return f"kept {{len(kept)}}"

    @rw.tool(reads=True)
    async def think(self, context: Context) -> str:
        idea, where = rw.serving.Sample(prompt="An idea?"), rw.serving.Roots()
        said = await context.ask(idea=idea, where=where)
        return f"{{said['idea']}} in {{said['where']}}"

    @rw.tool(reads=True)
    async def secret(self, context: Context) -> str:
        properties = {{"password": {{"type": "string"}}}}
        form = {{"type": "object", "properties": properties}}
        return str(await context.ask(it=rw.serving.Form(text="?", schema=form)))

    @rw.tool(reads=True)
    async def work(self, context: Context) -> str:
        for done in (1, 5, 5, 9):
            await context.report(done, 9, f"step {{done}}")
        await context.log("a detail", "debug")
        await context.log("a warning", "warning")
        return "done"

    @rw.tool(reads=True)
    async def change(self, context: Context) -> None:
        await context.announce_changes()

    @rw.serving.resource("notes://all")
    def all(self) -> dict[str, int]:
        """All notes."""
        return {{"kept": len(kept)}}

    @rw.serving.resource("notes://{{day}}/{{number}}", "image/png")
    def page(self, day: str, number: str) -> rw.serving.Media:
        return rw.serving.Media.of(f"{{day}}.{{number}}".encode(), "image/png")

    @rw.serving.prompt
    def greet(self, name: str, tone: str = "kind") -> list[str | rw.serving.Media]:
        """
        Greet somebody.

        Args:
            name: Of whom.
        """
        if name == "nobody":
            raise rw.Said("there is nobody")
        if name == "crash":
            raise RuntimeError("/home/ada/secret.txt")
        return [f"Greet {{name}} in a {{tone}} way.", rw.serving.Media.of(PNG, "image/png")]

    @rw.serving.prompt
    async def ask(self, context: Context) -> str:
        return str(await context.ask(it=rw.serving.Form(text="?", schema=FORM)))

import restwright.policy
tools = rw.functions(Notes().picture, namespace="pictures")
'''


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "notes.py"
    path.write_text(NOTES)
    return f"{path}:Notes"


def test_media_and_embedded_resources_are_contents(source: str, era: str) -> None:
    served = serving(source)
    (picture,) = call(served, era, "notes__picture").content
    assert isinstance(picture, types.ImageContent)
    assert base64.b64decode(picture.data) == PNG
    before, odd, link, embedded = call(served, era, "notes__mixed").content
    assert isinstance(before, types.TextContent)
    assert before.text == "before"
    assert isinstance(odd, types.TextContent)
    assert "application/x-odd" in odd.text
    assert isinstance(link, types.ResourceLink)
    assert isinstance(embedded, types.EmbeddedResource)
    assert isinstance(embedded.resource, types.TextResourceContents)
    assert (embedded.resource.uri, embedded.resource.mime_type) == ("notes://1", "text/markdown")


def test_a_function_asks_in_rounds(source: str, era: str) -> None:
    served = serving(source, policy=ALLOW)
    yes = Person()
    assert texts(call(served, era, "notes__keep", {"text": "a"}, yes)) == ["kept 1"]
    assert yes.asked == ["Sure?", "Really?"]
    no = Person(types.ElicitResult(action="decline"))
    assert texts(call(served, era, "notes__keep", {"text": "b"}, no)) == ["not kept"]


def test_a_write_is_asked_about_before_it_asks(source: str, era: str) -> None:
    served = serving(source)
    person = Person()
    assert texts(call(served, era, "notes__keep", {"text": "a"}, person)) == ["kept 1"]
    assert "function:notes__keep" in person.asked[0]
    assert person.asked[1:] == ["Sure?", "Really?"]
    no = Person(says(yes=False))
    assert call(served, era, "notes__keep", {"text": "a"}, no).is_error
    assert len(no.asked) == 1


def test_a_model_and_folders_are_asked_at_once(source: str, era: str) -> None:
    async def sample(*_: object) -> types.CreateMessageResult:
        content = types.TextContent(type="text", text="tea")
        return types.CreateMessageResult(role="assistant", content=content, model="none")

    async def roots(*_: object) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri="file:///tea")])  # type: ignore[arg-type]

    async def say(client):
        return await client.call_tool("notes__think", {})

    able = {"sampling_callback": sample, "list_roots_callback": roots}
    told = talk(serving(source), era, say, **able)
    assert texts(told) == ["tea in ['file:///tea']"]


def test_who_cannot_be_asked_is_not(source: str) -> None:
    served = serving(source)
    told = call(served, "legacy", "notes__think")
    assert told.is_error
    assert "does not offer roots and sampling" in texts(told)[0]

    async def say(client):
        with pytest.raises(MCPError) as raised:
            await client.call_tool("notes__think", {})
        return raised

    raised = talk(served, "2026-07-28", say)
    assert raised.value.error.code == types.MISSING_REQUIRED_CLIENT_CAPABILITY
    assert raised.value.error.data == {"requiredCapabilities": {"roots": {}, "sampling": {}}}


def test_no_form_asks_for_a_secret(source: str, era: str) -> None:
    person = Person()
    assert call(serving(source), era, "notes__secret", {}, person).is_error
    assert not person.asked


def test_a_state_is_worth_one_answer_and_what_is_left_out_is_asked_again(source: str) -> None:
    with over_http(serving(source, policy=ALLOW)) as running:
        first = running.call("notes__keep", {"text": "a"})
        state = first["requestState"]
        other = {"inputResponses": {"unknown": {"action": "accept", "content": {}}}}
        second = running.call("notes__keep", {"text": "a"}, requestState=state, **other)
        assert [*second["inputRequests"]] == ["sure"]
        used = running.call("notes__keep", {"text": "a"}, requestState=state, **other)
        assert used["isError"]
        assert "used already" in used["content"][0]["text"]


def test_progress_is_what_a_function_says_and_grows(source: str, era: str) -> None:
    told = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total, message))

    async def say(client):
        return await client.call_tool("notes__work", {}, progress_callback=progress)

    assert texts(talk(serving(source), era, say)) == ["done"]
    assert told == [(1, 9, "step 1"), (5, 9, "step 5"), (9, 9, "step 9")]


def test_logs_come_from_the_level_on_that_was_asked_for(source: str) -> None:
    told = []

    async def log(params: types.LoggingMessageNotificationParams) -> None:
        told.append((params.level, params.data))

    async def say(client):
        with pytest.warns(MCPDeprecationWarning):
            await client.session.set_logging_level("warning")
        return await client.call_tool("notes__work", {})

    talk(serving(source), "legacy", say, logging_callback=log)
    assert told == [("warning", "a warning")]
    told.clear()

    async def say_plainly(client):
        return await client.call_tool("notes__work", {})

    talk(serving(source), "2026-07-28", say_plainly, logging_callback=log)
    assert not told


def test_changes_are_announced(source: str) -> None:
    async def run() -> list[object]:
        told: list[object] = []

        async def hear(message: object) -> None:
            told.append(message)

        async with connected(serving(source), "legacy", message_handler=hear) as client:
            await client.call_tool("notes__change", {})
            await until(lambda: told)
        return told

    found = anyio.run(run)
    assert any("ToolListChanged" in type(each).__name__ for each in found), found


def test_functions_are_resources(source: str, era: str) -> None:
    async def say(client):
        listed = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        read = [await client.read_resource(uri) for uri in ("notes://all", "notes://mon%20day/7")]
        return listed, templates, read

    listed, templates, (whole, page) = talk(serving(source), era, say)
    described = {str(each.uri): each.description for each in listed}
    assert described["notes://all"] == "All notes."
    assert "notes://{day}/{number}" in [each.uri_template for each in templates]
    assert whole.contents[0].text == '{"kept":0}'
    assert base64.b64decode(page.contents[0].blob) == b"mon day.7"


def test_functions_are_prompts(source: str, era: str) -> None:
    async def say(client):
        listed = (await client.list_prompts()).prompts
        got = await client.get_prompt("greet", {"name": "Ada"})
        wrong = []
        for given in ({}, {"name": "nobody"}, {"name": "crash"}, {"name": "x", "more": "y"}):
            with pytest.raises(MCPError) as raised:
                await client.get_prompt("greet", given)
            wrong.append(raised.value.error.message)
        return listed, got, wrong

    listed, got, wrong = talk(serving(source), era, say)
    greet = next(each for each in listed if each.name == "greet")
    assert greet.description == "Greet somebody."
    arguments = [(each.name, each.required, each.description) for each in greet.arguments]
    assert arguments == [("name", True, "Of whom."), ("tone", False, None)]
    assert got.messages[0].content.text == "Greet Ada in a kind way."
    assert isinstance(got.messages[1].content, types.ImageContent)
    assert wrong[:3] == ["missing: name", "there is nobody", "greet failed: RuntimeError"]
    assert "/more" in wrong[3]


def test_a_prompt_asks_too(source: str, era: str) -> None:
    async def say(client):
        return await client.get_prompt("ask", {})

    person = Person()
    got = talk(serving(source), era, say, person)
    assert "send" in got.messages[0].content.text
    assert person.asked == ["?"]


@pytest.mark.parametrize("era", ERAS)
def test_a_catalog_is_served_as_it_is_and_names_may_have_no_namespace(
    source: str, era: str
) -> None:
    async def say(client):
        return [tool.name for tool in (await client.list_tools()).tools]

    made = source.replace("Notes", "tools")
    assert talk(serving(made), era, say) == ["pictures__picture"]
    served = serving(made, drop_namespaces=True)
    assert talk(served, era, say) == ["picture"]
    assert isinstance(call(served, era, "picture").content[0], types.ImageContent)
    with pytest.raises(NameCollision, match="picture"):
        serving(source, made, drop_namespaces=True)
