"""
What helps against an error, for who types commands: the only place where an error meets options.

The library's own hints are for who writes Python, and no model is told either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from restwright.errors import (
    Drifted,
    MissingCredential,
    MissingServer,
    ModelUnavailable,
    RefusedRequest,
    ResponseTooLarge,
    RestwrightError,
    SessionInUse,
    UnreadableArguments,
    UnusableLock,
    UnusableSession,
)

_OAUTH = {"client_secret": "secret", "refresh_token": "refresh"}


def remedy(error: RestwrightError) -> str:
    """Return the next move, in options and commands where there are some; it may be empty."""
    found = _REMEDIES.get(type(error))
    return found(error) if found else _FIXED.get(type(error), error.hint)


def _of_refusal(error: RefusedRequest) -> str:
    return f"name {error.origin} with --server if you mean it" if error.origin else error.hint


def _of_credential(error: MissingCredential) -> str:
    if error.reference == "cmd:..." and "allow_commands" in error.where_to_set:
        return "allow commands with --allow-commands"
    if found := re.search(r"OAuthClient\((\w+)=", error.where_to_set):
        return f"set --auth oauth:CLIENT_ID,{_OAUTH.get(found[1], found[1])}=env:NAME"
    return error.option or error.hint


def _of_model(error: ModelUnavailable) -> str:
    hint = error.hint.replace("choose another model", "choose another model with --model")
    return hint.replace("name it openai:NAME", "give --model openai:NAME with --model-url")


_REMEDIES: Mapping[type[RestwrightError], Callable[..., str]] = {
    MissingCredential: _of_credential,
    ModelUnavailable: _of_model,
    RefusedRequest: _of_refusal,
}

_FIXED: Mapping[type[RestwrightError], str] = {
    Drifted: "look at `restwright index DOC...`, and accept it by --update",
    MissingServer: "name it with --server URL",
    ResponseTooLarge: "ask for less (a page, a filter), or raise the cap with --max-bytes",
    UnreadableArguments: """write them as '{"name": "value"}', @file or -""",
    UnusableLock: "mend it, or delete it and write it anew by `restwright index DOC... --update`",
    UnusableSession: "see `restwright sessions list`",
    SessionInUse: "wait until it is done; see `restwright sessions list`",
}
