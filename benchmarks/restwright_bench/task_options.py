"""The options of commands that let agents do tasks, each declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

ModelURL = Annotated[
    str | None, Option("--model-url", metavar="URL", help="Server of --model openai:NAME.")
]
Seeds = Annotated[str, Option("--seeds", metavar="LIST", help="Such as 0-4 or 0,3.")]
Kinds = Annotated[
    str, Option("--kinds", metavar="LIST", help="Of tasks, such as count,create; else all.")
]
Split = Annotated[str, Option("--split", metavar="NAME", help="dev, never-read or all.")]
Seconds = Annotated[float, Option("--seconds", min=1, metavar="S", help="Of one task.")]
Lines = Annotated[
    Path | None, Option("--out", metavar="FILE.jsonl", help="Where lines go; else results/.")
]
IsList = Annotated[bool, Option("--list", help="Show the tasks; run nothing.")]
