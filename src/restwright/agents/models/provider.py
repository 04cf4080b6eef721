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
    CachePoint,
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
from pydantic_ai.settings import CacheConfig, ModelSettings
from pydantic_ai.tools import ToolDefinition

from restwright.agents.models.attachments import convert_user_message, find_refused_file
from restwright.agents.models.provider_retry import MODEL_RETRY, send_with_retries
from restwright.agents.models.request_limit import RequestLimit
from restwright.agents.steps import Complete, Completion, Message
from restwright.errors import LimitReached, ModelUnavailable, RestwrightError, UnusableReply
from restwright.jsontypes import JsonObject
from restwright.net.background_loop import BackgroundLoop
from restwright.net.callbacks import relay_pieces, wait_for_future
from restwright.net.http.retry import Retry
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
    provider refuses (a temperature, a native schema) is left out from then on. Where the provider
    keeps what it has read only of what is marked, the part of a prompt that stays the same is.

    Args:
        is_small: Whether agents ask it for one small thing at a time.
        limit: Requests that are over it wait for another one to end, within their deadlines; None
            for as many as are asked.
        retry: How often a request is sent that the provider does not serve; `MODEL_RETRY` where
            None.
    """

    def __init__(
        self,
        model: Model,
        *,
        name: str,
        help_with: ProviderHints,
        is_small: bool = False,
        limit: RequestLimit | None = None,
        retry: Retry | None = None,
    ) -> None:
        # Some are known to take no temperature, which is left out with a warning each time. Filters
        # are of the whole process: one that is put back later would take those of other threads.
        warnings.filterwarnings("ignore", "Sampling parameters .* not supported", UserWarning)
        self._model, self._name, self._hints = model, name, help_with
        self.is_small = is_small
        self._limit, self._retry = limit, retry or MODEL_RETRY
        self._style = _RequestStyle(native=bool(model.profile.get("supports_json_schema_output")))
        # Connections belong to the loop in which they were opened.
        self._loop = BackgroundLoop(partial(_open_connections, model), "restwright-model")

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

    @property
    def _marks_cache(self) -> bool:
        return bool(self._model.profile.get("supports_cache", False))

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
                with self._limit.take(left_s) if self._limit else nullcontext():
                    left_s = max(0.001, started + deadline_s - time.monotonic())
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
        if (file := find_refused_file(request.messages, self._model.profile)) is not None:
            why = f"it takes no {file.media_type}"
            raise ModelUnavailable(self._name, why, "leave the file out, or choose another model")
        deadline = time.monotonic() + deadline_s
        told: list[str] = []

        def left_s() -> float:
            return deadline - time.monotonic()

        async def send(tell: TellText | None) -> ModelResponse:
            return await _request_model(
                self._model,
                _convert_messages(request.messages, marks_cache=self._marks_cache),
                self._settings(request, style, left_s()),
                _request_parameters(request, style),
                tell,
            )

        async def asked(tell: TellText | None) -> ModelResponse:
            def note(piece: str) -> None:
                told.append(piece)
                if tell is not None:
                    tell(piece)

            async with asyncio.timeout(deadline_s):
                return await send_with_retries(
                    lambda: send(note if tell is not None else None),
                    self._retry,
                    may_repeat=lambda: not told,
                    left_s=left_s,
                )

        def begin(tell: TellText | None) -> Future[ModelResponse]:
            return self._loop.submit(lambda _: asked(tell))

        return wait_for_future(begin(None)) if tell is None else relay_pieces(begin, tell)

    def _settings(
        self, request: Complete, style: _RequestStyle, deadline_s: float
    ) -> ModelSettings:
        thinks = self._model.profile.get("thinking_always_enabled")
        settings = ModelSettings(
            max_tokens=request.max_tokens + (THINKING_TOKENS if thinks else 0),
            request_timeout=deadline_s,
            thinking=False,
            # They are ours: those of the clients know neither the deadline nor the limit.
            max_retries=0,
        )
        if self._marks_cache:
            settings["cache"] = CacheConfig(messages=_is_growing(request))
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
async def _open_connections(model: Model) -> AsyncGenerator[None]:
    async with model:
        yield


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
            wait = f"{error.retry_after:.0f} s" if error.retry_after else "a little"
            return f"too many requests{status}", f"wait {wait}, then try again"
        case said.ModelContextWindowExceededError():
            return f"the prompt is longer than its context{status}", "choose a larger model"
        case said.ModelRequestRejectedError():
            return f"the request is refused{status}: {_redact_keys(str(error))}", help_with.name
        case _:
            return f"its server failed{status}", "try again later"


def _redact_keys(text: str) -> str:
    return _SECRET_LIKE.sub("***", " ".join(text.split()))[:200]


def _is_growing(request: Complete) -> bool:
    """Whether a longer prompt that begins with this one may follow."""
    return bool(request.tools) or any(
        message.speaker == "assistant" and not message.is_static for message in request.messages
    )


def _convert_messages(
    messages: tuple[Message, ...], *, marks_cache: bool = False
) -> list[ModelMessage]:
    """
    Put what stands between two replies of the model into one request.

    Args:
        marks_cache: Whether the end of what stays the same is marked; system messages are by
            `ModelSettings`.
    """
    history: list[ModelMessage] = []
    parts: list[ModelRequestPart] = []
    last_static = max(
        (place for place, message in enumerate(messages) if _is_static_question(message)),
        default=None,
    )
    for place, message in enumerate(messages):
        if message.speaker == "assistant":
            history += [ModelRequest(parts=parts)] if parts else []
            history.append(ModelResponse(parts=_assistant_parts(message)))
            parts = []
        elif message.speaker == "tool":
            parts.append(ToolReturnPart(message.tool, message.text, tool_call_id=message.call_id))
        elif message.speaker == "system":
            parts.append(SystemPromptPart(message.text))
        else:
            content = convert_user_message(message)
            if marks_cache and place == last_static:
                content.append(CachePoint())
            parts.append(UserPromptPart(message.text if content == [message.text] else content))
    return [*history, ModelRequest(parts=parts)] if parts else history


def _is_static_question(message: Message) -> bool:
    return message.is_static and message.speaker == "user"


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
