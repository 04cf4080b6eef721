"""A provider's model, asked through `pydantic-ai`, behind the `Model` Protocol."""

from __future__ import annotations

import asyncio
import re
import time
import warnings
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import CancelledError, Future
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
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
from restwright.jsontypes import JsonObject
from restwright.net.background_loop import BackgroundLoop
from restwright.net.callbacks import relay_pieces, wait_for_future
from restwright.tools.toolset.meta_tools import ToolCall

TellText: TypeAlias = Callable[[str], None]

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
class ProviderHints:
    """The next moves that fit how the model was named."""

    key: str
    name: str
    server: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _RequestStyle:
    """How requests are put; made plainer when the provider refuses something."""

    native: bool
    sampling: bool = True


class ProviderModel:
    """
    Answers through one of the provider classes of `pydantic-ai`. To be closed after use.

    Threads that ask at the same time are served at the same time; who is interrupted, or whose run
    is cancelled, ends the request.

    A reply's schema is given natively where the provider has that, else in the prompt. What the
    provider refuses (a temperature, a native schema) is left out from then on.

    Args:
        is_small: Whether agents ask it for one small thing at a time.
        at_once: As many requests are under way at the same time, others wait for one of them to
            end, within their deadlines; None for as many as are asked.
    """

    def __init__(
        self,
        model: Model,
        *,
        name: str,
        help_with: ProviderHints,
        is_small: bool = False,
        at_once: int | None = None,
    ) -> None:
        # Some are known to take no temperature, which is left out with a warning each time. Filters
        # are of the whole process: one that is put back later would take those of other threads.
        warnings.filterwarnings("ignore", "Sampling parameters .* not supported", UserWarning)
        self._model, self._name, self._hints = model, name, help_with
        self.is_small = is_small
        self._style = _RequestStyle(native=bool(model.profile.get("supports_json_schema_output")))
        # Connections belong to the loop in which they were opened.
        self._loop = BackgroundLoop(partial(_open_connections, model, at_once), "restwright-model")

    @property
    def name(self) -> str:
        """What it was chosen by."""
        return self._name

    @property
    def server(self) -> str:
        """The URL of the provider; empty where it is not known."""
        return self._model.base_url or ""

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
        return self._complete_with_retries(request, deadline_s, None)

    def stream(
        self, request: Complete, *, deadline_s: float, tell: Callable[[str], None]
    ) -> Completion:
        """Answer as `complete` does, and tell each piece of the text as it comes."""
        return self._complete_with_retries(request, deadline_s, tell)

    def _complete_with_retries(
        self, request: Complete, deadline_s: float, tell: TellText | None
    ) -> Completion:
        started = time.monotonic()
        style = self._style
        while True:
            left_s = max(0.001, started + deadline_s - time.monotonic())
            try:
                response = self._ask(request, style, left_s, tell)
            except TimeoutError:
                raise LimitReached("seconds", time.monotonic() - started) from None
            except CancelledError:
                why, next_move = "it was closed meanwhile", "close it when nobody asks it any more"
                raise ModelUnavailable(self._name, why, next_move) from None
            except said.AgentRunError as error:
                plainer = _simplify_style(style, error, request)
                if plainer is None:
                    raise self._completion_error(
                        error, request, time.monotonic() - started
                    ) from error
                style = plainer
            except (AttributeError, LookupError, TypeError, ValueError) as error:
                # What the provider classes raise when a server answers with something else.
                raise UnusableReply(request.role, "the server's answer has another form") from error
            else:
                self._style = _merge_styles(style, self._style)
                return _completion_from_response(response, request, time.monotonic() - started)

    def close(self) -> None:
        """Close the connections. The next request opens them again."""
        self._loop.close()

    def _ask(
        self, request: Complete, style: _RequestStyle, deadline_s: float, tell: TellText | None
    ) -> ModelResponse:
        async def asked(slots: asyncio.Semaphore | None, tell: TellText | None) -> ModelResponse:
            async with asyncio.timeout(deadline_s), slots or nullcontext():
                return await _request_model(
                    self._model,
                    _convert_messages(request.messages),
                    self._settings(request, style, deadline_s),
                    _request_parameters(request, style),
                    tell,
                )

        def begin(tell: TellText | None) -> Future[ModelResponse]:
            return self._loop.submit(lambda slots: asked(slots, tell))

        return wait_for_future(begin(None)) if tell is None else relay_pieces(begin, tell)

    def _settings(
        self, request: Complete, style: _RequestStyle, deadline_s: float
    ) -> ModelSettings:
        thinks = self._model.profile.get("thinking_always_enabled")
        settings = ModelSettings(
            max_tokens=request.max_tokens + (THINKING_TOKENS if thinks else 0),
            request_timeout=deadline_s,
            thinking=False,
            max_retries=1,
        )
        if style.sampling:
            settings |= ModelSettings(temperature=request.temperature, seed=SEED)
        # What the model is known not to take would be left out with a warning.
        for name in getattr(self._model, "unsupported_settings", ()):
            settings.pop(name, None)
        return settings

    def _completion_error(
        self, error: said.AgentRunError, request: Complete, elapsed_s: float
    ) -> RestwrightError:
        if isinstance(error, said.ModelRequestTimeout | said.ModelTimeoutError):
            return LimitReached("seconds", elapsed_s)
        if not isinstance(error, said.ModelAPIError):
            return UnusableReply(request.role, _redact_keys(str(error)))
        why, next_move = _explain_failure(error, self._hints)
        return ModelUnavailable(self._name, why, next_move)


@asynccontextmanager
async def _open_connections(
    model: Model, at_once: int | None
) -> AsyncGenerator[asyncio.Semaphore | None]:
    """The connections of a model, and the places for requests."""
    async with model:
        yield None if at_once is None else asyncio.Semaphore(at_once)


async def _request_model(
    model: Model,
    messages: list[ModelMessage],
    settings: ModelSettings,
    parameters: ModelRequestParameters,
    tell: TellText | None,
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
            if text := _event_text(event):
                tell(text)
        return stream.get()


def _event_text(event: ModelResponseStreamEvent) -> str:
    """The piece of text that an event of a stream brings."""
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


def _merge_styles(one: _RequestStyle, other: _RequestStyle) -> _RequestStyle:
    """What neither of two was refused: requests that go on together may each learn something."""
    return _RequestStyle(
        native=one.native and other.native, sampling=one.sampling and other.sampling
    )


def _simplify_style(
    style: _RequestStyle, error: Exception, request: Complete
) -> _RequestStyle | None:
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


def _explain_failure(error: said.ModelAPIError, help_with: ProviderHints) -> tuple[str, str]:
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
            return f"the request is refused{status}: {_redact_keys(str(error))}", help_with.name
        case _:
            return f"its server failed{status}", "try again later"


def _redact_keys(text: str) -> str:
    return _SECRET_LIKE.sub("***", " ".join(text.split()))[:200]


def _convert_messages(messages: tuple[Message, ...]) -> list[ModelMessage]:
    """Put what stands between two replies of the model into one request."""
    history: list[ModelMessage] = []
    parts: list[ModelRequestPart] = []
    for message in messages:
        if message.speaker == "assistant":
            history += [ModelRequest(parts=parts)] if parts else []
            history.append(ModelResponse(parts=_assistant_parts(message)))
            parts = []
        elif message.speaker == "tool":
            parts.append(ToolReturnPart(message.tool, message.text, tool_call_id=message.call_id))
        elif message.speaker == "system":
            parts.append(SystemPromptPart(message.text))
        else:
            parts.append(UserPromptPart(message.text))
    return [*history, ModelRequest(parts=parts)] if parts else history


def _assistant_parts(message: Message) -> list[ModelResponsePart]:
    """The words of the model, and the calls that it made."""
    calls = [ToolCallPart(call.tool, call.arguments, call.id) for call in message.calls]
    words = [TextPart(message.text)] if message.text or not calls else []
    return [*words, *calls]


def _request_parameters(request: Complete, style: _RequestStyle) -> ModelRequestParameters:
    if request.tools:
        return ModelRequestParameters(
            function_tools=[_tool_definition(tool) for tool in request.tools]
        )
    schema = request.schema
    if schema is None:
        return ModelRequestParameters()
    return ModelRequestParameters(
        output_mode="native" if style.native else "prompted",
        output_object=OutputObjectDefinition(json_schema=schema, name="reply"),
        prompted_output_template=None if style.native else _SCHEMA_PROMPT,
    )


def _tool_definition(tool: JsonObject) -> ToolDefinition:
    return ToolDefinition(
        name=tool["name"],
        description=tool["description"],
        parameters_json_schema=tool["parameters"],
    )


def _completion_from_response(
    response: ModelResponse, request: Complete, elapsed_s: float
) -> Completion:
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
        model=response.model_name or "",
        id=response.provider_response_id or "",
        cache_read_tokens=response.usage.cache_read_tokens,
        cache_write_tokens=response.usage.cache_write_tokens,
        reasoning_tokens=response.usage.output_reasoning_tokens,
    )
