"""A provider's model, asked through `pydantic-ai`, behind the `Model` Protocol."""

from __future__ import annotations

import asyncio
import re
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from pydantic_ai import exceptions as said
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    SystemPromptPart,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from restwright.agents.steps import Complete, Completion, Message
from restwright.errors import LimitReached, ModelUnavailable, RestwrightError, UnusableReply
from restwright.tools.offer.meta import ToolCall
from restwright.typing import JsonObject

Tell: TypeAlias = Callable[[str], None]

SEED = 1
THINKING_TOKENS = 4_096
"""Added to the cap of a model that cannot answer without thinking: its thoughts count too."""

_SCHEMA_PROMPT = """
Reply with one JSON value under this JSON Schema, and nothing else, no Markdown fence:
{schema}
"""
_FENCED = re.compile(r"```(?:json)?[^\S\n]*+\n(.*)```", re.DOTALL)
_SECRET_LIKE = re.compile(r"[A-Za-z0-9_*.-]{20,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """The next moves that fit how the model was named."""

    key: str
    name: str
    server: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Style:
    """How requests are put; made plainer when the provider refuses something."""

    native: bool
    sampling: bool = True


class ProviderModel:
    """
    Answers through one of the provider classes of `pydantic-ai`. To be closed after use.

    A reply's schema is given natively where the provider has that, else in the prompt. What the
    provider refuses (a temperature, a native schema) is left out from then on.

    Args:
        is_small: Whether agents ask it for one small thing at a time.
    """

    def __init__(self, model: Model, *, name: str, help_with: Help, is_small: bool = False) -> None:
        self._model, self._name, self._help = model, name, help_with
        self.is_small = is_small
        self._style = _Style(native=bool(model.profile.get("supports_json_schema_output")))
        # A loop that lives as long as the model: its connections belong to it.
        self._runner: asyncio.Runner | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """What it was chosen by."""
        return self._name

    @property
    def calls_tools(self) -> bool:
        """Whether the provider takes `Complete.tools`."""
        return bool(self._model.profile.get("supports_tools", True))

    def complete(self, request: Complete, *, deadline_s: float) -> Completion:
        """
        Answer `request`; the deadline covers all attempts.

        Raises:
            ModelUnavailable: The provider cannot be reached, or refuses.
            LimitReached: The deadline passed.
            UnusableReply: The provider's response cannot be understood.
        """
        return self._answered(request, deadline_s, None)

    def stream(
        self, request: Complete, *, deadline_s: float, tell: Callable[[str], None]
    ) -> Completion:
        """Answer as `complete` does, and tell each piece of the text as it comes."""
        return self._answered(request, deadline_s, tell)

    def _answered(self, request: Complete, deadline_s: float, tell: Tell | None) -> Completion:
        started = time.monotonic()
        style = self._style
        while True:
            left_s = max(0.001, started + deadline_s - time.monotonic())
            try:
                response = self._ask(request, style, left_s, tell)
            except said.AgentRunError as error:
                plainer = _plainer(style, error, request)
                if plainer is None:
                    raise self._error(error, request, time.monotonic() - started) from error
                style = plainer
            except (AttributeError, LookupError, TypeError, ValueError) as error:
                # What the provider classes raise when a server answers with something else.
                raise UnusableReply(request.role, "the server's answer has another form") from error
            else:
                self._style = style
                return _completion(response, request, time.monotonic() - started)

    def close(self) -> None:
        """Close the connections. The next request opens them again."""
        if self._runner is not None:
            runner, self._runner = self._runner, None
            runner.run(self._model.__aexit__(None, None, None))
            runner.close()

    def _ask(
        self, request: Complete, style: _Style, deadline_s: float, tell: Tell | None
    ) -> ModelResponse:
        with self._lock, warnings.catch_warnings():
            if self._runner is None:
                self._runner = asyncio.Runner()
                self._runner.run(self._model.__aenter__())
            # Settings that the model is known not to take are left out, with a warning each.
            warnings.simplefilter("ignore")
            return self._runner.run(
                _response(
                    self._model,
                    _messages(request.messages),
                    self._settings(request, style, deadline_s),
                    _parameters(request, style),
                    tell,
                )
            )

    def _settings(self, request: Complete, style: _Style, deadline_s: float) -> ModelSettings:
        thinks = self._model.profile.get("thinking_always_enabled")
        settings = ModelSettings(
            max_tokens=request.max_tokens + (THINKING_TOKENS if thinks else 0),
            request_timeout=deadline_s,
            thinking=False,
            max_retries=1,
        )
        if style.sampling:
            settings |= ModelSettings(temperature=request.temperature, seed=SEED)
        return settings

    def _error(
        self, error: said.AgentRunError, request: Complete, elapsed_s: float
    ) -> RestwrightError:
        if isinstance(error, said.ModelRequestTimeout | said.ModelTimeoutError):
            return LimitReached("seconds", elapsed_s)
        if not isinstance(error, said.ModelAPIError):
            return UnusableReply(request.role, _harmless(str(error)))
        why, next_move = _explained(error, self._help)
        return ModelUnavailable(self._name, why, next_move)


async def _response(
    model: Model,
    messages: list[ModelMessage],
    settings: ModelSettings,
    parameters: ModelRequestParameters,
    tell: Tell | None,
) -> ModelResponse:
    """Ask at once, or in pieces where somebody is told."""
    if tell is None:
        return await model_request(
            model, messages, model_settings=settings, model_request_parameters=parameters
        )
    async with model_request_stream(
        model, messages, model_settings=settings, model_request_parameters=parameters
    ) as stream:
        async for event in stream:
            if text := _told_by(event):
                tell(text)
        return stream.get()


def _told_by(event: ModelResponseStreamEvent) -> str:
    """The piece of text that an event of a stream brings."""
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


def _plainer(style: _Style, error: Exception, request: Complete) -> _Style | None:
    """What to try after a refusal, None when nothing is left to leave out."""
    final = (
        said.ModelAuthenticationError,
        said.ModelNotFoundError,
        said.ModelContextWindowExceededError,
    )
    if not isinstance(error, said.ModelRequestRejectedError) or isinstance(error, final):
        return None
    if style.sampling and re.search("temperature|seed", str(error)):
        return replace(style, sampling=False)
    if style.native and request.schema is not None:
        return replace(style, native=False)
    return None


def _explained(error: said.ModelAPIError, help_with: Help) -> tuple[str, str]:
    """Why a request failed, and the next move. Nothing that a key could stand in is repeated."""
    status = f" (HTTP {error.status_code})" if isinstance(error, said.ModelHTTPError) else ""
    match error:
        case said.ModelAuthenticationError():
            return f"its key is refused{status}", help_with.key
        case said.ModelNotFoundError():
            return f"the server does not know it{status}", help_with.name
        case said.ModelConnectionError():
            return "its server cannot be reached", help_with.server
        case said.ModelQuotaExceededError():
            return f"the account's quota is used up{status}", "see the provider's billing page"
        case said.ModelRateLimitError():
            return f"too many requests{status}", "wait a little, then try again"
        case said.ModelContextWindowExceededError():
            return f"the prompt is longer than its context{status}", "choose a larger model"
        case said.ModelRequestRejectedError():
            return f"the request is refused{status}: {_harmless(str(error))}", help_with.name
        case _:
            return f"its server failed{status}", "try again later"


def _harmless(text: str) -> str:
    return _SECRET_LIKE.sub("***", " ".join(text.split()))[:200]


def _messages(messages: tuple[Message, ...]) -> list[ModelMessage]:
    """Put what stands between two replies of the model into one request."""
    history: list[ModelMessage] = []
    parts: list[ModelRequestPart] = []
    for message in messages:
        if message.speaker == "assistant":
            history += [ModelRequest(parts=parts)] if parts else []
            history.append(ModelResponse(parts=_said(message)))
            parts = []
        elif message.speaker == "tool":
            parts.append(ToolReturnPart(message.tool, message.text, tool_call_id=message.call_id))
        elif message.speaker == "system":
            parts.append(SystemPromptPart(message.text))
        else:
            parts.append(UserPromptPart(message.text))
    return [*history, ModelRequest(parts=parts)] if parts else history


def _said(message: Message) -> list[ModelResponsePart]:
    """The words of the model, and the calls that it made."""
    calls = [ToolCallPart(each.tool, each.arguments, each.id) for each in message.calls]
    words = [TextPart(message.text)] if message.text or not calls else []
    return [*words, *calls]


def _parameters(request: Complete, style: _Style) -> ModelRequestParameters:
    if request.tools:
        return ModelRequestParameters(function_tools=[_defined(each) for each in request.tools])
    schema = request.schema
    if schema is None:
        return ModelRequestParameters()
    return ModelRequestParameters(
        output_mode="native" if style.native else "prompted",
        output_object=OutputObjectDefinition(json_schema=schema, name="reply"),
        prompted_output_template=None if style.native else _SCHEMA_PROMPT,
    )


def _defined(tool: JsonObject) -> ToolDefinition:
    return ToolDefinition(
        name=tool["name"],
        description=tool["description"],
        parameters_json_schema=tool["parameters"],
    )


def _completion(response: ModelResponse, request: Complete, elapsed_s: float) -> Completion:
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    if request.schema is not None and (fenced := _FENCED.fullmatch(text.strip())):
        text = fenced[1].strip()
    return Completion(
        text=text,
        input_tokens=response.usage.input_tokens,
        output_tokens=response.usage.output_tokens,
        elapsed_s=elapsed_s,
        finish="length" if response.finish_reason == "length" else "stop",
        calls=tuple(
            ToolCall(part.tool_name, part.args)
            for part in response.parts
            if isinstance(part, ToolCallPart)
        ),
    )
