"""
A server as one file: documents, and what starts `mcp serve` over them on another machine.

Source: MCPB manifest 0.4 (a server of the type `uv`, whose host installs what it depends on); the
MCP registry's `server.json` of 2025-12-11.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from restwright import __version__
from restwright.jsontypes import JsonObject

MANIFEST_VERSION = "0.4"
SERVER_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
MAX_SUMMARY = 100
"""Characters of what the registry shows of a server."""
_START = "server.py"
_PYTHON = ">=3.11"
# The oldest date that an archive can have, so that equal contents are equal bytes.
_DATE = (1980, 1, 1, 0, 0, 0)
_VERSION = re.compile(r"v?(\d+)(?:\.(\d+))?(?:\.(\d+))?([-+][0-9A-Za-z.+-]+)?")
_SERVER = '''\
"""Serves the documents of this bundle to clients of the Model Context Protocol."""

import os
import sys
from pathlib import Path

from restwright.cli import main

ARGUMENTS = {arguments}

if __name__ == "__main__":
    os.chdir(Path(__file__).parent)
    sys.exit(main(["mcp", "serve", *ARGUMENTS]))
'''
_PROJECT = """\
[project]
name = {name}
version = {version}
requires-python = "{python}"
dependencies = ["restwright[mcp]=={restwright}"]

[tool.uv]
package = false
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """
    What goes into one.

    Args:
        name: For programs: letters, digits, `-` and `_`.
        arguments: Of `mcp serve`, with paths from the folder of the bundle.
        files: `{path in the bundle: content}`.
        variables: Names of the environment's variables that hold secrets; the host asks its user.
        tools: `(name, description)` of those that are listed.
        has_more_tools: Whether others can be called too.
    """

    name: str
    title: str
    version: str
    description: str
    author: str
    arguments: Sequence[str]
    files: Mapping[str, bytes] = field(repr=False)
    variables: Sequence[str] = ()
    tools: Sequence[tuple[str, str]] = ()
    has_more_tools: bool = False


def make_manifest(bundle: Bundle) -> JsonObject:
    """The `manifest.json` of a bundle; secrets are what the host asks for, and keeps."""
    started: JsonObject = {
        "command": "uv",
        "args": ["run", "--directory", "${__dirname}", _START],
    }
    if bundle.variables:
        started["env"] = {
            name: f"${{user_config.{_config_key(name)}}}" for name in bundle.variables
        }
    manifest: JsonObject = {
        "manifest_version": MANIFEST_VERSION,
        "name": bundle.name,
        "display_name": bundle.title,
        "version": bundle.version,
        "description": bundle.description,
        "author": {"name": bundle.author},
        "server": {"type": "uv", "entry_point": _START, "mcp_config": started},
        "tools": [{"name": name, "description": text} for name, text in bundle.tools],
        "tools_generated": bundle.has_more_tools,
        "compatibility": {"runtimes": {"python": _PYTHON}},
    }
    if bundle.variables:
        manifest["user_config"] = {
            _config_key(name): {
                "type": "string",
                "title": name,
                "description": f"The secret that {bundle.title} is called with, as {name}.",
                "sensitive": True,
                "required": True,
            }
            for name in bundle.variables
        }
    return manifest


def pack_bundle(bundle: Bundle) -> bytes:
    """The bytes of an `.mcpb`; the same for the same contents."""
    texts = {
        "manifest.json": json.dumps(make_manifest(bundle), indent=2, ensure_ascii=False) + "\n",
        "pyproject.toml": _PROJECT.format(
            name=json.dumps(bundle.name),
            version=json.dumps(bundle.version),
            python=_PYTHON,
            restwright=__version__,
        ),
        _START: _SERVER.format(arguments=json.dumps([*bundle.arguments], indent=4)),
    }
    files = {**{name: text.encode() for name, text in texts.items()}, **bundle.files}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _DATE)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, content)
    return packed.getvalue()


def make_server_json(bundle: Bundle, packed: bytes, *, name: str, url: str) -> JsonObject:
    """
    What the registry is told of a bundle.

    Args:
        packed: Its bytes, whose hash clients compare.
        name: In the registry, such as `io.github.ada/shop`.
        url: Where it can be downloaded.
    """
    return {
        "$schema": SERVER_SCHEMA,
        "name": name,
        "title": bundle.title[:MAX_SUMMARY],
        "description": summarize(bundle.description),
        "version": bundle.version,
        "packages": [
            {
                "registryType": "mcpb",
                "identifier": url,
                "fileSha256": sha256(packed).hexdigest(),
                "transport": {"type": "stdio"},
            }
        ],
    }


def summarize(text: str) -> str:
    """One line of a text, as long as the registry takes it."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_SUMMARY else f"{line[: MAX_SUMMARY - 3].rstrip()}..."


def semantic_version(text: str) -> str | None:
    """A version as three numbers, as hosts compare it; None of what is none."""
    found = _VERSION.fullmatch(text.strip())
    if found is None:
        return None
    numbers = ".".join(str(int(number or 0)) for number in found.groups()[:3])
    return f"{numbers}{found[4] or ''}"


def _config_key(variable: str) -> str:
    return variable.lower()
