"""`serve`: what is printed is where the official client finds the agents."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jwt
import openai
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from tests.support.net.handlers import JSONHandler, serve_handler

ROOT = Path(__file__).parents[3]
ELSEWHERE = "192.0.2.1"
MANIFEST = """\
title: Things
description: About things.
agent: calling
apis:
  - {document: things.yaml, alias: things, server: "http://127.0.0.1:9"}
"""


@contextmanager
def served(*argv: str, **environment: str) -> Generator[str]:
    """A process that serves; gives the URL that it prints."""
    command = [sys.executable, "-m", "tests.support.doors.serve_scripted", "serve", *argv]
    with subprocess.Popen(  # noqa: S603
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        url = process.stdout.readline().strip()
        try:
            yield url or process.stderr.read()
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)


def ask(url: str, model: str, key: str = "any") -> Any:
    client = openai.OpenAI(base_url=url, api_key=key, max_retries=0, timeout=30)
    said: Any = [{"role": "user", "content": "What is there?"}]
    return client.chat.completions.create(model=model, messages=said).choices[0].message.content


def test_documents_and_manifests_are_models(things: str) -> None:
    manifest = Path(things).parent / "keeper.yaml"
    manifest.write_text(MANIFEST, encoding="utf-8")
    with served(things, str(manifest), "--agent", "calling", "--no-journal") as url:
        client = openai.OpenAI(base_url=url, api_key="any", max_retries=0)
        assert [model.id for model in client.models.list()] == ["restwright", "keeper"]
        assert ask(url, "restwright").startswith("I was asked")
        assert ask(url, "keeper").startswith("I was asked")


def test_with_a_token_nobody_comes_in_without_it(things: str) -> None:
    with served(things, "--token", "env:DOOR_TOKEN", DOOR_TOKEN="t0ken-of-the-door") as url:
        with pytest.raises(openai.AuthenticationError):
            ask(url, "restwright", "wrong")
        assert ask(url, "restwright", "t0ken-of-the-door")


RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def issuer() -> Generator[str]:
    """An authorization server that says which keys it signs with."""
    key = {**json.loads(RSAAlgorithm.to_jwk(RSA.public_key())), "kid": "one", "alg": "RS256"}

    class Handler(JSONHandler):
        def do_GET(self) -> None:
            metadata = {"issuer": url, "jwks_uri": f"{url}/keys"}
            self.answer({"keys": [key]} if self.path == "/keys" else metadata)

    with serve_handler(Handler) as url:
        yield url


def test_with_an_issuer_only_its_tokens_for_this_server_let_in(things: str, issuer: str) -> None:
    own = "http://127.0.0.1:1"

    def token(**more: Any) -> str:
        claims = {
            "iss": issuer,
            "aud": own,
            "sub": "ada",
            "client_id": "app",
            "scope": "ask",
            "exp": int(time.time()) + 60,
        }
        return jwt.encode(claims | more, RSA, algorithm="RS256", headers={"kid": "one"})

    options = ("--oauth", issuer, "--scope", "ask", "--url", own)
    with served(things, *options, "--port", str(port := _free_port())) as printed:
        assert printed == f"{own}/v1"
        url = f"http://127.0.0.1:{port}/v1"
        assert ask(url, "restwright", token())
        for wrong in ({"aud": "http://other"}, {"scope": "read"}, {"exp": 1}, {"iss": "http://x"}):
            with pytest.raises(openai.AuthenticationError):
                ask(url, "restwright", token(**wrong))


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--host", ELSEWHERE], "with your credentials"),
        (["--host", ELSEWHERE, "--token", "env:HOME"], "give --url https://HOST"),
        (["--url", "https://doors.example"], "give --token or --oauth"),
        (["--url", "doors", "--token", "env:HOME"], "is no URL"),
        (["--token", "env:HOME", "--oauth", "https://issuer.example"], "exclude each other"),
        (["--scope", "use"], "--scope needs --oauth"),
    ],
)
def test_what_would_let_others_in_is_refused(
    restwright: Any, things: str, options: list[str], why: str
) -> None:
    restwright.find_model(lambda *_: object())
    ended = restwright("serve", things, *options)
    assert ended.code in {1, 2}
    assert why in ended.err


def test_two_manifests_of_one_name_are_refused(restwright: Any, things: str) -> None:
    restwright.find_model(lambda *_: object())
    folder = Path(things).parent
    paths = [folder / name / "keeper.yaml" for name in ("a", "b")]
    for path in paths:
        path.parent.mkdir()
        path.write_text(MANIFEST.replace("things.yaml", "../things.yaml"), encoding="utf-8")
    ended = restwright("serve", *map(str, paths), "--allow-folder", str(folder))
    assert (ended.code, "the same name" in ended.err) == (2, True)
