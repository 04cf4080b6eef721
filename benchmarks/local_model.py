"""
Measures the local model: how long it takes to load, to read prompts and to write, and what it saves
that states of prompts are kept on disk (cold) or that a server keeps the model in memory (warm).

Everything stands in one run, since others may use the machine: compare what one run prints. The
caches are those of an empty folder; only the model's file is that of the user.

    python benchmarks/local_model.py                  # all
    python benchmarks/local_model.py --no-question    # without the shop question, which takes long
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from restwright.agents.models.local import LocalModel, count_physical_cores
from restwright.agents.models.model_files import MODELS, find_model_file, model_path
from restwright.agents.models.shared_model import SharedModel
from restwright.agents.prompting.templates import names, render, static_messages
from restwright.agents.steps import Complete, Completion, Message, Model

DEADLINE_S = 1800.0
QUESTION = "Which camera under 500 has the best rating, and how many are in stock?"
ITEM = {"id": "b-4", "title": "Winter Harbour", "pages": 312, "loan": {"member": "Ana Ruiz"}}
VALUES = {
    "now": "Today is Monday 2026-11-23.\n",
    "question": "Which book of the shelf north has the most pages, and who has it on loan?",
    "known": "known: id, title, pages\n",
    "undone": "",
    "operations": "\n".join(
        f"- {verb}_{thing}: {method} /{thing}. {verb.title()} {thing} of the library"
        for thing in ("books", "shelves", "members", "loans")
        for verb, method in (("list", "GET"), ("create", "POST"))
    ),
    "task": "the book of the shelf north with the most pages",
    "facts": f"- the book of the shelf north with the most pages: {json.dumps(ITEM)}\n",
    "language": "English",
    "operation": "list_books GET /shelves/{shelf_id}/books",
    "arguments": "- shelf_id: string (required)\n- min_pages: integer",
    "call": "list_books(shelf_id='north')",
    "shape": "{items: [{id: str, title: str, pages: int, loan: {member: str}}]}",
    "sample": json.dumps({"items": [ITEM, "16 more"]}),
    "input": "shelf_id of GET /shelves/{shelf_id}/books",
}


def main() -> int:
    """Measure and print."""
    options = read_options()
    path = find_model_file("local")
    if path is None:
        sys.exit("the model file is missing: restwright model pull")
    print(f"{platform.machine()}, {count_physical_cores()} cores, load {load()} before\n")
    with tempfile.TemporaryDirectory(prefix="restwright-benchmark-") as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        link_model(path)
        prompts = [name for name in names() if name.startswith(tuple(options.prompts))]
        result = {"speed": measure_speed(path), "prompts": measure_prompts(path, prompts)}
        if options.question:
            clear_prefixes()
            result["question_s"] = measure_question()
    print(f"\nload {load()} after")
    if options.out is not None:
        options.out.write_text(json.dumps(result, indent=1) + "\n")
    return 0


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--prompts", nargs="+", default=["rest_"], help="with what their names begin"
    )
    parser.add_argument("--question", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--out", type=Path, help="write the figures there as JSON")
    return parser.parse_args()


def load() -> str:
    return " ".join(f"{value:.1f}" for value in os.getloadavg())


def link_model(path: Path) -> None:
    """Put the file, and the note that it was checked, where the local model lies."""
    here = model_path("local")
    here.parent.mkdir(parents=True, mode=0o700)
    for file in (path, path.with_name(f"{path.name}.verified")):
        if file.exists():
            here.with_name(here.name + file.name.removeprefix(path.name)).symlink_to(file)


def clear_prefixes() -> None:
    for state in (model_path("local").parents[1] / "prefixes").glob("*"):
        state.unlink()


def open_model(path: Path) -> LocalModel:
    return LocalModel(path, sha256=MODELS["local"].sha256)


def measure_speed(path: Path) -> dict[str, float]:
    """Seconds to load, and tokens a second, without any cache."""
    model = LocalModel(path)
    load_s = timed(lambda: model.load(deadline_s=DEADLINE_S))
    text = " ".join(f"{number * 7919 % 1000}" for number in range(150))
    read = first_piece(model, (Message("user", text),))
    cached, written = first_piece(model, (Message("user", text),), max_tokens=48)
    model.close()
    prefill = (read[1].input_tokens - read[1].cache_read_tokens) / read[0]
    decode = (written.output_tokens - 1) / max(0.001, written.elapsed_s - cached)
    print(f"load {load_s:.1f} s, prefill {prefill:.1f} tokens/s, decode {decode:.1f} tokens/s\n")
    return {"load_s": load_s, "prefill_tokens_s": prefill, "decode_tokens_s": decode}


def timed(action: Callable[[], object]) -> float:
    started = time.monotonic()
    action()
    return time.monotonic() - started


def first_piece(
    model: Model | LocalModel | SharedModel, messages: tuple[Message, ...], max_tokens: int = 2
) -> tuple[float, Completion]:
    """Return the seconds until the first piece of a reply, and the reply."""
    seen: list[float] = []
    started = time.monotonic()
    request = Complete(role="benchmark", messages=messages, max_tokens=max_tokens)
    stream: Any = getattr(model, "stream")  # noqa: B009 - a `Model` may have it
    completion = stream(
        request, deadline_s=DEADLINE_S, tell=lambda piece: seen.append(time.monotonic() - started)
    )
    return (seen or [time.monotonic() - started])[0], completion


def measure_prompts(path: Path, prompts: Sequence[str]) -> dict[str, dict[str, float]]:
    """Seconds to the first token of each prompt, the model being loaded."""
    print("seconds to the first token of a prompt, beside the loading of the model:")
    print(f"{'prompt':<16}{'tokens':>7}{'static':>8}{'cold':>8}{'on disk':>9}{'server':>8}")
    cold, static = ask_each(path, prompts), static_tokens(path, prompts)
    kept = ask_each(path, prompts)
    with serving():
        shared = SharedModel(open_model(path), "local")
        for name in prompts:
            first_piece(shared, render(name, **VALUES))
        changed = {**VALUES, "question": "Who has the longest book?", "task": "the longest book"}
        warm = {name: first_piece(shared, render(name, **changed)) for name in prompts}
        shared.close()
    rows: dict[str, dict[str, float]] = {}
    for name in prompts:
        rows[name] = {
            "tokens": cold[name][1].input_tokens,
            "static": static[name],
            "cold_s": cold[name][0],
            "on_disk_s": kept[name][0],
            "server_s": warm[name][0],
        }
        print("{:<16}{:>7}{:>8}{:>8.2f}{:>9.2f}{:>8.2f}".format(name, *rows[name].values()))
    totals = [sum(row[key] for row in rows.values()) for key in ("cold_s", "on_disk_s", "server_s")]
    print("{:<31}{:>8.2f}{:>9.2f}{:>8.2f}".format("all", *totals))
    return rows


def ask_each(path: Path, prompts: Sequence[str]) -> dict[str, tuple[float, Completion]]:
    model = open_model(path)
    model.load(deadline_s=DEADLINE_S)
    asked = {name: first_piece(model, render(name, **VALUES)) for name in prompts}
    model.close()
    return asked


def static_tokens(path: Path, prompts: Sequence[str]) -> dict[str, int]:
    """How many tokens of each prompt are the same in every run: those that come from disk."""
    model = open_model(path)
    counted: dict[str, int] = {}
    for name in prompts:
        messages = tuple(replace(message, is_static=True) for message in static_messages(name))
        asked = Complete(role="benchmark", messages=(*messages, Message("user", "?")), max_tokens=1)
        counted[name] = model.complete(asked, deadline_s=DEADLINE_S).cache_read_tokens
    model.close()
    return counted


@contextmanager
def serving() -> Generator[None]:
    command = [sys.executable, "-m", "restwright", "model", "serve", "--idle", "10m"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=quiet, text=True) as server:
        try:
            assert server.stdout is not None
            if not server.stdout.readline():
                sys.exit("the server does not start")
            yield
        finally:
            server.terminate()


def measure_question() -> dict[str, float]:
    """Seconds of a question that takes two calls, each time in a new process."""
    print(f"\nseconds of a new process: {QUESTION}")
    seconds = {"nothing kept": ask_shop(), "states on disk": ask_shop()}
    with serving():
        ask_shop()
        seconds["server that stays"] = ask_shop()
    for what, value in seconds.items():
        print(f"{what:<20}{value:>8.1f}")
    return seconds


def ask_shop() -> float:
    command = [sys.executable, "-m", "restwright", "demo", QUESTION, "-q"]
    return timed(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True))


if __name__ == "__main__":
    raise SystemExit(main())
