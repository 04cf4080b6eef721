"""
What scenarios of the official conformance suite call by name, as providers beside others of ours.

`python -m tests.support.mcp.conformance_fixtures PORT` serves them by the server of `mcp serve`.
"""

from __future__ import annotations

import base64
import json
import re
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import anyio
import mcp_types as types
from mcp.server.subscriptions import PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPError
from tests.support.mcp.tricky import PNG, WAV

from restwright.mcp.exchange import Exchange
from restwright.mcp.http import HTTPAccess, HTTPAddress, make_app, open_listener, serve_http
from restwright.mcp.server import ProviderServer, ServerInfo

Outcome: TypeAlias = "str | list[Any] | types.CallToolResult | types.InputRequiredResult"
Body: TypeAlias = Callable[[Exchange, Mapping[str, Any]], Awaitable[Outcome]]
NONE: dict[str, Any] = {"type": "object", "properties": {}}
IMAGE, SOUND = base64.b64encode(PNG).decode(), base64.b64encode(WAV).decode()


def words(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def embedded(uri: str, text: str, media: str = "text/plain") -> types.EmbeddedResource:
    contents = types.TextResourceContents(uri=uri, mime_type=media, text=text)
    return types.EmbeddedResource(type="resource", resource=contents)


def picture() -> types.ImageContent:
    return types.ImageContent(type="image", data=IMAGE, mime_type="image/png")


def form(message: str, name: str = "name", kind: str = "string") -> types.ElicitRequest:
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    params = types.ElicitRequestFormParams(message=message, requested_schema=schema)
    return types.ElicitRequest(params=params)


def sample(prompt: str) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=words(prompt))
    params = types.CreateMessageRequestParams(messages=[message], max_tokens=100)
    return types.CreateMessageRequest(params=params)


def asks(asked: Mapping[str, Any], state: str | None = None) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests=dict(asked), request_state=state)


@dataclass
class Tools:
    """The tools of the suite."""

    server: ProviderServer
    bodies: dict[str, tuple[dict[str, Any], Body]] = field(default_factory=dict)

    def add(self, name: str, schema: dict[str, Any] = NONE) -> Callable[[Body], Body]:
        def keep(body: Body) -> Body:
            self.bodies[name] = schema, body
            return body

        return keep

    def constant(self, name: str, *content: Any) -> None:
        @self.add(name)
        async def body(_: Exchange, __: Mapping[str, Any]) -> Outcome:
            return [*content]

    def names(self) -> Sequence[str]:
        return [*self.bodies]

    def describe(self, name: str) -> types.Tool:
        return types.Tool(name=name, description=name, input_schema=self.bodies[name][0])

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        return self.bodies[name][0] if name in self.bodies else None

    def close_names(self, name: str) -> Sequence[str]:
        return ()

    async def call(self, exchange: Exchange, name: str, arguments: Mapping[str, Any]) -> Any:
        if name not in self.bodies:
            return None
        told = await self.bodies[name][1](exchange, arguments)
        told = [words(told)] if isinstance(told, str) else told
        return types.CallToolResult(content=told) if isinstance(told, list) else told


def add_content(tools: Tools) -> None:
    tools.constant("test_simple_text", words("This is a simple text response for testing."))
    tools.constant("test_image_content", picture())
    sound = types.AudioContent(type="audio", data=SOUND, mime_type="audio/wav")
    tools.constant("test_audio_content", sound)
    text = "This is an embedded resource content."
    tools.constant("test_embedded_resource", embedded("test://embedded-resource", text))
    tools.constant(
        "test_multiple_content_types",
        words("Multiple content types test:"),
        picture(),
        embedded(
            "test://mixed-content-resource", '{"test":"data","value":123}', "application/json"
        ),
    )

    @tools.add("test_error_handling")
    async def fail(_: Exchange, __: Mapping[str, Any]) -> Outcome:
        text = "This tool intentionally returns an error for testing"
        return types.CallToolResult(content=[words(text)], is_error=True)


def add_messages(tools: Tools) -> None:
    for name in ("test_tool_with_logging", "test_logging_tool"):

        @tools.add(name)
        async def log(exchange: Exchange, _: Mapping[str, Any]) -> Outcome:
            context = exchange.context
            for text in ("started", "processing data", "completed"):
                await context.session.send_log_message(
                    "info", f"Tool {text}", related_request_id=context.request_id
                )
                await anyio.sleep(0.05)
            return "done"

    @tools.add("test_tool_with_progress")
    async def report(exchange: Exchange, _: Mapping[str, Any]) -> Outcome:
        for done in (0, 50, 100):
            await exchange.context.session.report_progress(done, 100, f"Completed step {done}")
            await anyio.sleep(0.05)
        return "done"

    @tools.add("test_trigger_tool_change")
    async def change_tools(_: Exchange, __: Mapping[str, Any]) -> Outcome:
        await tools.server.bus.publish(ToolsListChanged())
        return "ok"

    @tools.add("test_trigger_prompt_change")
    async def change_prompts(_: Exchange, __: Mapping[str, Any]) -> Outcome:
        await tools.server.bus.publish(PromptsListChanged())
        return "ok"

    @tools.add("test_reconnection")
    async def reconnect(exchange: Exchange, _: Mapping[str, Any]) -> Outcome:
        if exchange.context.close_sse_stream:
            await exchange.context.close_sse_stream()
        await anyio.sleep(0.2)
        return "Reconnection test completed"


async def elicit(exchange: Exchange, message: str, schema: dict[str, Any]) -> str:
    told = await exchange.ask(message, schema)
    return f"action={told.action}, content={json.dumps(told.content or {})}"


def add_questions_in_sessions(tools: Tools) -> None:
    prompt = {
        "type": "object",
        "properties": {"prompt": {"type": "string"}},
        "required": ["prompt"],
    }

    @tools.add("test_sampling", prompt)
    async def sampling(exchange: Exchange, arguments: Mapping[str, Any]) -> Outcome:
        message = types.SamplingMessage(role="user", content=words(arguments["prompt"]))
        told = await exchange.context.session.create_message(
            [message], max_tokens=100, related_request_id=exchange.context.request_id
        )
        return f"LLM response: {told.content.text}"

    message = {
        "type": "object",
        "properties": {"message": {"type": "string"}},
        "required": ["message"],
    }

    @tools.add("test_elicitation", message)
    async def eliciting(exchange: Exchange, arguments: Mapping[str, Any]) -> Outcome:
        names = ("username", "email")
        properties = {name: {"type": "string", "description": name} for name in names}
        schema = {"type": "object", "properties": properties, "required": [*names]}
        return f"User response: {await elicit(exchange, arguments['message'], schema)}"

    @tools.add("test_elicitation_sep1034_defaults")
    async def defaults(exchange: Exchange, _: Mapping[str, Any]) -> Outcome:
        statuses = ["active", "inactive", "pending"]
        properties = {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": statuses, "default": "active"},
            "verified": {"type": "boolean", "default": True},
        }
        schema = {"type": "object", "properties": properties, "required": []}
        return f"Elicitation completed: {await elicit(exchange, 'Please review', schema)}"

    @tools.add("test_elicitation_sep1330_enums")
    async def enums(exchange: Exchange, _: Mapping[str, Any]) -> Outcome:
        titled = [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)]
        plain = ["option1", "option2", "option3"]
        properties = {
            "untitledSingle": {"type": "string", "enum": plain},
            "titledSingle": {"type": "string", "oneOf": titled},
            "legacyEnum": {"type": "string", "enum": plain, "enumNames": ["One", "Two", "Three"]},
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
            "titledMulti": {"type": "array", "items": {"anyOf": titled}},
        }
        schema = {"type": "object", "properties": properties, "required": []}
        return f"Elicitation completed: {await elicit(exchange, 'Please choose', schema)}"


ADDRESS = {
    "$anchor": "addressDef",
    "type": "object",
    "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
}
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": ADDRESS},
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
REGION = {"type": "string", "x-mcp-header": "Region"}


def add_schemas(tools: Tools) -> None:
    @tools.add("json_schema_2020_12_tool", SCHEMA)
    async def take(_: Exchange, __: Mapping[str, Any]) -> Outcome:
        return "ok"

    @tools.add("test_x_mcp_header", {"type": "object", "properties": {"region": REGION}})
    async def mirror(_: Exchange, arguments: Mapping[str, Any]) -> Outcome:
        return f"region={arguments.get('region')}"

    @tools.add("test_missing_capability")
    async def need(exchange: Exchange, _: Mapping[str, Any]) -> Outcome:
        able = exchange.context.session.client_capabilities
        if able is None or able.sampling is None:
            code = types.MISSING_REQUIRED_CLIENT_CAPABILITY
            needed = {"requiredCapabilities": {"sampling": {}}}
            raise MCPError(code, "sampling is needed", needed)
        return "ok"


def add_rounds(tools: Tools) -> None:
    """Add those that ask by their results."""

    def ask_once(name: str, asked: Mapping[str, Any], state: str | None = None) -> None:
        @tools.add(f"test_input_required_result_{name}")
        async def body(exchange: Exchange, _: Mapping[str, Any]) -> Outcome:
            told = exchange.input_responses or {}
            if {*asked} <= {*told} and (state is None or exchange.request_state == state):
                shown = {key: told[key].model_dump(mode="json") for key in asked}
                return f"state-ok: {json.dumps(shown)}"
            return asks(asked, state)

    roots = types.ListRootsRequest()
    ask_once("elicitation", {"user_name": form("What is your name?")})
    ask_once("sampling", {"capital_question": sample("What is the capital of France?")})
    ask_once("list_roots", {"client_roots": roots})
    ask_once("request_state", {"confirm": form("Please confirm", "ok", "boolean")}, "nonce")
    ask_once("tampered_state", {"confirm": form("Please confirm", "ok", "boolean")}, "round-1")
    several = {"user_name": form("What is your name?"), "greeting": sample("Greet")}
    ask_once("multiple_inputs", {**several, "client_roots": roots}, "several")

    @tools.add("test_input_required_result_multi_round")
    async def rounds(exchange: Exchange, _: Mapping[str, Any]) -> Outcome:
        told, state = exchange.input_responses or {}, exchange.request_state
        if state == "1" and "step1" in told:
            return asks({"step2": form("Step 2: What is your favorite color?", "color")}, "2")
        if state == "2" and "step2" in told:
            return "all said"
        return asks({"step1": form("Step 1: What is your name?")}, "1")

    @tools.add("test_input_required_result_capabilities")
    async def capable(exchange: Exchange, _: Mapping[str, Any]) -> Outcome:
        able = exchange.context.session.client_capabilities
        asked: dict[str, Any] = {}
        if able and able.sampling is not None:
            asked["sample"] = sample("Say hello")
        if able and able.elicitation is not None:
            asked["ask"] = form("What is your name?")
        return asks(asked, "x")

    @tools.add("test_streaming_elicitation")
    async def streaming(exchange: Exchange, _: Mapping[str, Any]) -> Outcome:
        if "ask" in (exchange.input_responses or {}):
            return "ok"
        await exchange.report("asking")
        return asks({"ask": form("What is your name?")})


STATIC = {
    "test://static-text": ("text/plain", "This is the content of the static text resource."),
    "test://static-binary": ("image/png", IMAGE),
    "test://watched-resource": ("text/plain", "watched"),
}


class Resources:
    """The resources of the suite."""

    def resources(self) -> Sequence[types.Resource]:
        return [
            types.Resource(uri=uri, name=uri.rsplit("/", 1)[1], description=uri, mime_type=media)
            for uri, (media, _) in STATIC.items()
        ]

    def templates(self) -> Sequence[types.ResourceTemplate]:
        template = "test://template/{id}/data"
        return [types.ResourceTemplate(uri_template=template, name="template")]

    async def read(self, _: Exchange, uri: str) -> types.ReadResourceResult | None:
        if match := re.fullmatch(r"test://template/([^/]+)/data", uri):
            held = {"id": match[1], "templateTest": True, "data": f"Data for ID: {match[1]}"}
            return self.contents(uri, "application/json", json.dumps(held))
        return self.contents(uri, *STATIC[uri]) if uri in STATIC else None

    def contents(self, uri: str, media: str, held: str) -> types.ReadResourceResult:
        if media == "image/png":
            blob = types.BlobResourceContents(uri=uri, mime_type=media, blob=held)
            return types.ReadResourceResult(contents=[blob])
        text = types.TextResourceContents(uri=uri, mime_type=media, text=held)
        return types.ReadResourceResult(contents=[text])


PROMPTS: dict[str, list[str]] = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
    "test_input_required_result_prompt": [],
}


class Prompts:
    """The prompts of the suite."""

    def prompts(self) -> Sequence[types.Prompt]:
        return [
            types.Prompt(
                name=name,
                description=name,
                arguments=[
                    types.PromptArgument(name=each, description=each, required=True)
                    for each in arguments
                ],
            )
            for name, arguments in PROMPTS.items()
        ]

    async def get(self, exchange: Exchange, name: str, arguments: Mapping[str, str]) -> Any:
        if name not in PROMPTS:
            return None
        if any(each not in arguments for each in PROMPTS[name]):
            raise MCPError(types.INVALID_PARAMS, "An argument is missing")
        content = self.content(exchange, name, arguments)
        if isinstance(content, types.InputRequiredResult):
            return content
        messages = [types.PromptMessage(role="user", content=each) for each in content]
        return types.GetPromptResult(messages=messages)

    def content(self, exchange: Exchange, name: str, arguments: Mapping[str, str]) -> Any:
        if name == "test_prompt_with_arguments":
            first, second = arguments["arg1"], arguments["arg2"]
            return [words(f"Prompt with arguments: arg1='{first}', arg2='{second}'")]
        if name == "test_prompt_with_embedded_resource":
            resource = embedded(arguments["resourceUri"], "Embedded resource content for testing.")
            return [resource, words("Please process it.")]
        if name == "test_prompt_with_image":
            return [picture(), words("Please analyze the image above.")]
        if name == "test_input_required_result_prompt":
            told = (exchange.input_responses or {}).get("user_context")
            if told is None:
                return asks({"user_context": form("What context?", "context")})
            return [words(f"Context: {told.content}")]
        return [words("This is a simple prompt for testing.")]


def fixtures() -> ProviderServer:
    """The server of the product over the suite's things."""
    server = ProviderServer(
        info=ServerInfo(name="conformance", version="1"), report_error=sys.stderr.write
    )
    tools = Tools(server)
    for add in (
        add_content,
        add_messages,
        add_questions_in_sessions,
        add_schemas,
        add_rounds,
    ):
        add(tools)
    server.tools, server.resources, server.prompts = (tools,), (Resources(),), (Prompts(),)
    return server


def main(port: int) -> None:
    listener, address = open_listener(HTTPAddress(host="127.0.0.1", port=port))
    app = make_app(fixtures().build(), address, HTTPAccess())
    anyio.run(serve_http, app, listener, lambda: print(address.public_url, flush=True))


if __name__ == "__main__":
    main(int(sys.argv[1]))
