"""What a run may use, what it has used, and what that cost."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from restwright.agents.steps import Completion, RoleUsage, Usage, add_tokens
from restwright.errors import LimitReached, require_type

Price: TypeAlias = Callable[[Completion], float | None]
"""US dollars of one reply; None where the price is not known."""


# Characters that a token stands for at most, in text of any sort.
_MOST_PER_TOKEN = 8
_USUAL_PER_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """
    What one run may use. The first one reached ends the run with a stated reason.

    Args:
        calls: HTTP calls.
        model_calls: Requests to the model.
        tokens: Prompt and reply tokens together.
        seconds: Of wall clock.
        steps: Of the loop, whatever they are; what it says does not count.
        cost: US dollars; None for no limit. A model whose price is not known is not asked under
            such a limit.
        calls_per_api: HTTP calls to each API, or `{namespace: calls}`; None for no limit.

    Raises:
        WrongType: One of them is no number.
        ValueError: One of them is negative; no number stands for no limit.
    """

    calls: int = 25
    model_calls: int = 60
    tokens: int = 100_000
    seconds: float = 600.0
    steps: int = 1_000
    cost: float | None = None
    calls_per_api: int | Mapping[str, int] | None = None

    def __post_init__(self) -> None:
        """Refuse here what would fail in the middle of a run, or stop it at once."""
        for name in ("calls", "model_calls", "tokens", "seconds", "steps"):
            _require_number(getattr(self, name), name)
        if self.cost is not None:
            _require_number(self.cost, "cost")
        per_api = self.calls_per_api
        for value in per_api.values() if isinstance(per_api, Mapping) else (per_api or 0,):
            _require_number(value, "calls_per_api")

    def calls_of(self, namespace: str) -> int | None:
        """HTTP calls to one API; None for no limit of its own."""
        most = self.calls_per_api
        return most.get(namespace) if isinstance(most, Mapping) else most


def _require_number(value: object, name: str) -> None:
    require_type(value, (int, float), what=f"`{name}`", wanted="a number")
    if isinstance(value, int | float) and value < 0:
        raise ValueError(f"{name}={value} is less than 0")


def no_price(completion: Completion) -> float | None:
    """Stand for the price of a model that nobody knows."""
    del completion
    return None


@dataclass(slots=True, kw_only=True)
class Budget:
    """
    Counts what a run uses, and says when it is enough. Shared by threads.

    Args:
        price: Of the model's replies.
        now: Seconds that only grow.

    All that say so raise:
        LimitReached: Nothing more of it may be used.
    """

    limits: Limits = field(default_factory=Limits)
    price: Price = no_price
    now: Callable[[], float] = time.monotonic
    _usage: Usage = field(default_factory=Usage)
    _steps: int = 0
    _estimated_tokens: int = 0
    _reserved: Counter[str] = field(default_factory=Counter[str])
    _started: float = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._started = self.now()

    def usage(self) -> Usage:
        """The counts, with the seconds since the start."""
        return replace(self._usage, elapsed_s=round(self.now() - self._started, 3))

    def add_elapsed(self, seconds: float) -> None:
        """Count the time that a run took before it was interrupted."""
        self._started -= seconds

    def count_step(self, *, is_new: bool = True) -> None:
        """Count a step of the loop; one that is performed now may raise."""
        with self._lock:
            if is_new:
                _enforce_limit("steps", self._steps, self.limits.steps)
            self._steps += 1

    def left_s(self) -> float:
        """Seconds that are left; may raise."""
        used_s = self.now() - self._started
        _enforce_limit("seconds", used_s, self.limits.seconds)
        return self.limits.seconds - used_s

    @property
    def _tokens(self) -> int:
        return self._usage.input_tokens + self._usage.output_tokens + self._estimated_tokens

    def reserve_model_call(self, characters: int = 0) -> float:
        """The seconds that a reply to a prompt of so many characters may take; may raise."""
        left_s, used, limits = self.left_s(), self._usage, self.limits
        if characters // _MOST_PER_TOKEN >= limits.tokens:
            raise LimitReached("tokens, which one prompt is over alone", self._tokens)
        _enforce_limit("model calls", used.model_calls, limits.model_calls)
        _enforce_limit("tokens", self._tokens, limits.tokens)
        if limits.cost is not None:
            if self.price(Completion(text="")) is None:
                raise LimitReached("cost, which is not known of this model", used.cost or 0.0)
            _enforce_limit("cost", used.cost or 0.0, limits.cost)
        return left_s

    def record_completion(self, role: str, reply: Completion, *, characters: int = 0) -> None:
        """
        Count a reply of the model.

        Args:
            characters: Of its prompt; limits go by them where a provider does not tell its tokens.
        """
        with self._lock:
            used, own = self._usage, self._usage.roles.get(role, RoleUsage())
            guessed = _estimate_tokens(reply, characters)
            self._estimated_tokens += guessed.input_tokens + guessed.output_tokens
            self._estimated_tokens -= reply.input_tokens + reply.output_tokens
            cost = self.price(guessed)
            self._usage = replace(
                used,
                model_calls=used.model_calls + 1,
                cost=used.cost if cost is None else (used.cost or 0.0) + cost,
                roles={**used.roles, role: _add_reply(own, reply)},
                **add_tokens(used, reply),
            )

    @contextmanager
    def reserve_call(self, namespace: str) -> Generator[Callable[[], None]]:
        """
        Have one request set aside for a call while the block lasts; may raise.

        Yields:
            What counts each request as it is sent, the one set aside first.
        """
        self.left_s()
        aside = [namespace]
        with self._lock:
            self._check_call_limits(namespace)
            self._reserved[namespace] += 1

        def sent() -> None:
            self.record_request(namespace, aside)

        try:
            yield sent
        finally:
            with self._lock:
                self._reserved.subtract(aside)

    def _check_call_limits(self, namespace: str) -> None:
        used, most = self._usage, self.limits.calls_of(namespace)
        _enforce_limit("HTTP calls", used.http_calls + self._reserved.total(), self.limits.calls)
        if most is not None:
            calls = used.apis.get(namespace, 0) + self._reserved[namespace]
            _enforce_limit(f"HTTP calls to {namespace}", calls, most)

    def record_request(self, namespace: str, aside: list[str] | None = None) -> None:
        """Count a request, in the place of one that was set aside."""
        with self._lock:
            used = self._usage
            apis = {**used.apis, namespace: used.apis.get(namespace, 0) + 1}
            self._usage = replace(used, http_calls=used.http_calls + 1, apis=apis)
            if aside:
                self._reserved.subtract(aside)
                aside.clear()


def _add_reply(usage: RoleUsage, reply: Completion) -> RoleUsage:
    return RoleUsage(
        model_calls=usage.model_calls + 1,
        elapsed_s=round(usage.elapsed_s + reply.elapsed_s, 3),
        **add_tokens(usage, reply),
    )


def _estimate_tokens(reply: Completion, characters: int) -> Completion:
    """The same reply with tokens, where none were told."""
    if reply.input_tokens or reply.output_tokens:
        return reply
    return replace(
        reply,
        input_tokens=characters // _USUAL_PER_TOKEN,
        output_tokens=len(reply.text) // _USUAL_PER_TOKEN,
    )


def _enforce_limit(limit: str, used: float, allowed: float) -> None:
    if used >= allowed:
        raise LimitReached(limit, used)


def find_price(model: str) -> Price:
    """
    Return the price of the replies of the model that is chosen by this name.

    The local one costs nothing. Of others it is what `genai-prices` knows, which comes with
    `pydantic-ai`; it is imported with the first reply.
    """
    provider, _, name = model.partition(":")
    if provider == "local":
        return lambda _: 0.0
    if not name:
        return no_price

    def price(completion: Completion) -> float | None:
        try:
            from genai_prices import Usage as Used
            from genai_prices import calc_price
        except ImportError:
            return None
        used = Used(
            input_tokens=completion.input_tokens,
            output_tokens=completion.output_tokens,
            cache_read_tokens=completion.cache_read_tokens,
            cache_write_tokens=completion.cache_write_tokens,
        )
        try:
            return float(calc_price(used, name, provider_id=provider).total_price)
        except (LookupError, ValueError):
            return None

    return price
