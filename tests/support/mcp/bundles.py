"""What a bundle and an entry of the registry must be, and a program in the place of `uv`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
TEXTS = {"type": "array", "items": {"type": "string"}}


def closed(needed: str, /, **properties: Any) -> dict[str, Any]:
    """An object of these members and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": needed.split(),
        "additionalProperties": False,
    }


# As the specification of manifests has it, of the members that we write.
MANIFEST_SCHEMA = closed(
    "manifest_version name version description author server",
    manifest_version={"const": "0.4"},
    name={"type": "string", "pattern": "^[A-Za-z0-9_-]+$"},
    display_name=TEXT,
    version={"type": "string", "pattern": r"^\d+\.\d+\.\d+"},
    description=TEXT,
    author=closed("name", name=TEXT),
    server=closed(
        "type entry_point mcp_config",
        type={"enum": ["python", "node", "binary", "uv"]},
        entry_point=TEXT,
        mcp_config=closed(
            "command",
            command=TEXT,
            args=TEXTS,
            env={"type": "object", "additionalProperties": {"type": "string"}},
        ),
    ),
    tools={"type": "array", "items": closed("name", name=TEXT, description={"type": "string"})},
    tools_generated={"type": "boolean"},
    compatibility=closed("", runtimes=closed("", python=TEXT, node=TEXT)),
    user_config={
        "type": "object",
        "additionalProperties": closed(
            "type title description",
            type={"enum": ["string", "number", "boolean", "directory", "file"]},
            title=TEXT,
            description=TEXT,
            required={"type": "boolean"},
            sensitive={"type": "boolean"},
        ),
    },
)
SERVER_SCHEMA = closed(
    "$schema name description version packages",
    **{"$schema": {"type": "string", "pattern": "^https://static.modelcontextprotocol.io/"}},
    name={"type": "string", "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", "maxLength": 200},
    title={"type": "string", "minLength": 1, "maxLength": 100},
    description={"type": "string", "minLength": 1, "maxLength": 100},
    version={"type": "string", "maxLength": 255},
    packages={
        "type": "array",
        "items": closed(
            "registryType identifier fileSha256 transport",
            registryType={"const": "mcpb"},
            identifier={"type": "string", "pattern": "^https://.*mcp"},
            fileSha256={"type": "string", "pattern": "^[a-f0-9]{64}$"},
            transport=closed("type", type={"const": "stdio"}),
        ),
    },
)


def stand_in_for_uv(folder: Path) -> Path:
    """A folder with a `uv` that runs a file with this Python, without fetching anything."""
    folder.mkdir(exist_ok=True)
    program = folder / "uv"
    program.write_text(
        f'#!/bin/sh\n[ "$1 $2" = "run --directory" ] || exit 3\ncd "$3"\nshift 3\n'
        f'exec "{sys.executable}" "$@"\n'
    )
    program.chmod(0o755)
    return folder
