"""
From the name of a model to a `Model`: the local one, or a provider's.

A model is used because it was named. That a key is set somewhere never chooses one.
"""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from ipaddress import ip_address
from types import NoneType
from typing import TYPE_CHECKING, Any

from restwright.agents.models.request_limit import RequestLimit
from restwright.agents.steps import Model
from restwright.errors import MissingExtra, ModelUnavailable, RefusedRequest, require_type
from restwright.net.http.retry import Retry
from restwright.net.policy.origins import Origin, parse_origin

if TYPE_CHECKING:
    from restwright.agents.models.local import LocalModel
    from restwright.agents.models.provider import ProviderHints, ProviderModel
    from restwright.agents.models.shared_model import SharedModel

LOCAL = "local"
OPENAI_KEY = "OPENAI_API_KEY"
PROVIDER_EXTRAS = {"openai": "agent", "anthropic": "agent", "google": "google"}
"""Our extra for a provider; the others are extras of `pydantic-ai-slim`, named as the provider."""
_URL_CLASSES = ("openai", "openai-chat", "ollama")
"""What a model at a URL may be named as; each speaks the same there."""
_OLLAMA_URL = "http://127.0.0.1:11434/v1"
"""Where Ollama serves on its own machine, unless `OLLAMA_BASE_URL` says another place."""
_KEYS = {"openai": OPENAI_KEY, "anthropic": "ANTHROPIC_API_KEY"}
"""Providers that need no more than a key and the package of their name."""

_FORMS = "name it `local`, or `provider:model` such as `openai:gpt-4o`"
_VARIABLE = re.compile(r"`([A-Z][A-Z0-9_]+)`")


def model_named(
    name: str | None,
    *,
    url: str | None = None,
    at_once: int | RequestLimit | None = None,
    retry: Retry | None = None,
) -> Model:
    """
    Return the model called `name`. It has a `close()`, to be called after use.

    Args:
        name: None or `local`: the local model; `local:NAME`: another one of the table of local
            models; else `provider:model` as `pydantic-ai` reads it, such as `openai:gpt-4o`.
        url: Of an OpenAI-compatible server, with `openai:NAME` or `ollama:NAME`. The key in
            `OPENAI_API_KEY` or `OLLAMA_API_KEY`, if any, is sent to it only over HTTPS or to this
            machine.
        at_once: How many requests a provider is sent at the same time, or a `RequestLimit` that
            several models share; None for as many as are asked. The local model answers one after
            another, whatever this is.
        retry: How often a request is sent that a provider does not serve, and what is waited
            before; four times where None.

    Raises:
        ModelUnavailable: There is no such model, or its file or key is missing.
        MissingExtra: Its packages are not installed.
        WrongType: The name or the URL is no text.
    """
    require_type(
        name, (str, NoneType), what="`name`", wanted="text such as 'openai:gpt-5', or None"
    )
    require_type(url, (str, NoneType), what="`url`", wanted="text or None")
    limit = RequestLimit(at_once) if isinstance(at_once, int) else at_once
    require_type(
        limit, (RequestLimit, NoneType), what="`at_once`", wanted="a number or a `RequestLimit`"
    )
    require_type(retry, (Retry, NoneType), what="`retry`", wanted="a `Retry`")
    kind, _, rest = (name or LOCAL).partition(":")
    url = url if url is not None or kind != "ollama" else _find_ollama_url()
    if url is not None:
        return _make_model_at_url(name or LOCAL, url, limit, retry)
    if kind == LOCAL:
        return _make_local_model(rest or LOCAL, name or LOCAL)
    return _make_provider_model(name or LOCAL, limit, retry)


def defer_model(name: str | None, *, url: str | None = None) -> Model:
    """
    Return the model as `model_named()` does, and at once; to import what a provider needs takes a
    second, and waits for the first request wherever nothing else can be missing.

    Raises:
        ModelUnavailable, MissingExtra: As `model_named()`.
    """
    if name is None or not _is_certain(name, url):
        return model_named(name, url=url)
    from restwright.agents.models.deferred import DeferredModel

    def make() -> ProviderModel:
        if url is None:
            return _make_provider_model(name)
        return _make_model_at_url(name, url)

    return DeferredModel(name, make, is_small=url is not None)


def _is_certain(name: str, url: str | None) -> bool:
    """Whether a provider's model can be made, as far as can be told without its packages."""
    provider, _, model = name.partition(":")
    if not model or provider not in _KEYS or not (find_spec("pydantic_ai") and find_spec(provider)):
        return False
    if url is None:
        return bool(os.environ.get(_KEYS[provider]))
    try:
        parse_origin(url)
    except RefusedRequest:
        return False
    return provider == "openai"


def _make_local_model(entry: str, name: str) -> SharedModel:
    from restwright.agents.models.shared_model import SharedModel

    return SharedModel(find_local_model(entry, name), entry)


def find_local_model(entry: str, name: str | None = None) -> LocalModel:
    """
    Return the model `entry` of the table of local models, for this process; no server is asked.

    Args:
        name: What it was chosen by; None for `entry`.

    Raises:
        ModelUnavailable: There is no such model, or its file is missing.
        MissingExtra: Its packages are not installed.
    """
    from restwright.agents.models.local import LocalModel
    from restwright.agents.models.model_files import find_model_file, model_entry

    file = model_entry(entry)
    if find_spec("xllamacpp") is None:
        raise MissingExtra("local", "the local model")
    path = find_model_file(entry)
    if path is None:
        pull = f"restwright model pull {entry}" if entry != LOCAL else "restwright model pull"
        raise ModelUnavailable(
            name or entry,
            "it is not downloaded",
            f"run `{pull}` ({file.size_bytes / 1e6:,.0f} MB), or choose another model",
        )
    return LocalModel(path, name=name or entry, sha256=file.sha256)


def _make_provider_model(
    name: str, limit: RequestLimit | None = None, retry: Retry | None = None
) -> ProviderModel:
    provider = name.partition(":")[0]
    try:
        from pydantic_ai.exceptions import UserError
        from pydantic_ai.models import infer_model

        from restwright.agents.models.provider import ProviderModel
    except ImportError as error:
        raise MissingExtra(PROVIDER_EXTRAS.get(provider, "agent"), f"the model {name}") from error
    try:
        model = infer_model(name)
    except ImportError as error:
        raise _error_for_missing_provider(provider, name) from error
    except UserError as error:
        raise _error_for_unusable_model(name, str(error)) from error
    help_with = _provider_hints(provider)
    return ProviderModel(model, name=name, help_with=help_with, limit=limit, retry=retry)


def _error_for_missing_provider(provider: str, name: str) -> MissingExtra | ModelUnavailable:
    if provider.partition("-")[0] in PROVIDER_EXTRAS:
        return MissingExtra(PROVIDER_EXTRAS[provider.partition("-")[0]], f"the model {name}")
    install = f"pip install 'pydantic-ai-slim[{provider}]'"
    return ModelUnavailable(name, "its packages are not installed", install)


def _error_for_unusable_model(name: str, why: str) -> ModelUnavailable:
    if why.startswith("Unknown model"):
        return ModelUnavailable(name, "no provider has a model of that name", _FORMS)
    variables = _VARIABLE.findall(why)
    if not variables:
        return ModelUnavailable(name, "it is not set up", "see the provider's documentation")
    return ModelUnavailable(name, f"{variables[-1]} is not set", f"set {variables[-1]}")


def _provider_hints(provider: str) -> ProviderHints:
    from restwright.agents.models.provider import ProviderHints

    return ProviderHints(
        key=f"check the key of {provider} in your environment",
        name="check the model's name and what it takes",
        server="check the network",
    )


def _find_ollama_url() -> str:
    return os.environ.get("OLLAMA_BASE_URL") or _OLLAMA_URL


def _make_model_at_url(
    name: str, url: str, limit: RequestLimit | None = None, retry: Retry | None = None
) -> ProviderModel:
    kind, _, model_name = name.partition(":")
    if kind not in _URL_CLASSES or not model_name:
        why = "a model at a URL is named openai:NAME"
        raise ModelUnavailable(name, why, "name it openai:NAME or ollama:NAME")
    try:
        origin = parse_origin(url)
    except RefusedRequest as error:
        raise ModelUnavailable(
            name, f"{error.why}", "give a URL like http://host:8080/v1"
        ) from error
    try:
        from pydantic_ai.models.ollama import OllamaModel
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.ollama import OllamaProvider
        from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

        from restwright.agents.models.provider import ProviderHints, ProviderModel
    except ImportError as error:
        raise MissingExtra("agent", f"the model {name}") from error
    variable = "OLLAMA_API_KEY" if kind == "ollama" else OPENAI_KEY
    key = _read_api_key(origin, variable)
    if kind == "ollama":
        # Without a key it would look for one itself, and not at where it goes.
        provider: Any = OllamaProvider(base_url=url, api_key=key or "none")
        model = OllamaModel(model_name, provider=provider)
    else:
        provider = OpenAICompatibleProvider("server", base_url=url, api_key=key)
        model = OpenAIChatModel(model_name, provider=provider)
    shown = url.partition("?")[0]
    help_with = ProviderHints(
        key=f"set {variable}; it is sent over HTTPS, or to this machine",
        name=f"check the name, and that the API begins at {shown} (it often ends in /v1)",
        server=f"check that a server runs at {shown}",
    )
    # What runs at a URL is often as small as the local model.
    return ProviderModel(
        model, name=name, help_with=help_with, is_small=True, limit=limit, retry=retry
    )


def _read_api_key(origin: Origin, variable: str) -> str | None:
    """Return the key for a server at `origin`, where it cannot be read on its way."""
    safe = origin.scheme == "https" or origin.host == "localhost" or _is_loopback(origin.host)
    return os.environ.get(variable) if safe else None


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
