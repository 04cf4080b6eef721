"""Measures the start of commands beside an empty Python; writes results/startup.json."""

from __future__ import annotations

import json
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

RUNS = 15
SLOWEST = 15
SHOP = str(Path(__file__).parents[1] / "src/restwright/demo/openapi.json")
COMMANDS = {
    "python -c pass": ("-c", "pass"),
    "import typer": ("-c", "import typer"),
    "import restwright": ("-c", "import restwright"),
    "restwright --version": ("-m", "restwright", "--version"),
    "restwright --help": ("-m", "restwright", "--help"),
    "restwright tools": ("-m", "restwright", "tools", "-q", SHOP),
}
RESULTS = Path(__file__).parent / "results" / "startup.json"


def milliseconds(arguments: tuple[str, ...]) -> float:
    """Wall time of one fresh interpreter."""
    started = time.perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - started) * 1000


def import_times(arguments: tuple[str, ...]) -> dict[str, float]:
    """Milliseconds that a command spends in the slowest modules, without what these import."""
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments], capture_output=True, text=True, check=True
    )
    taken: dict[str, float] = {}
    for line in ran.stderr.splitlines():
        own, _, rest = line.removeprefix("import time:").partition("|")
        if own.strip().isdigit():
            taken[rest.rpartition("|")[2].strip()] = int(own) / 1000
    slowest = sorted(taken, key=taken.__getitem__, reverse=True)[:SLOWEST]
    return {name: round(taken[name], 1) for name in slowest}


def main() -> None:
    """Take turns, so that a busy moment does not fall on one command alone."""
    for arguments in COMMANDS.values():
        milliseconds(arguments)
    taken = {name: [] for name in COMMANDS}
    for _ in range(RUNS):
        for name, arguments in COMMANDS.items():
            taken[name].append(milliseconds(arguments))
    base = statistics.median(taken["python -c pass"])
    rows = {
        name: {
            "median_ms": round(statistics.median(each), 1),
            "min_ms": round(min(each), 1),
            "ratio": round(statistics.median(each) / base, 1),
        }
        for name, each in taken.items()
    }
    for name, row in rows.items():
        print(f"{name:<22}{row['median_ms']:>8.1f} ms  min {row['min_ms']:>6.1f}  x{row['ratio']}")
    imports = {name: import_times(COMMANDS[name]) for name in COMMANDS if name.startswith("rest")}
    for name, modules in imports.items():
        print(f"\n{name}: {', '.join(f'{module} {ms}' for module, ms in modules.items())}")
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(
        json.dumps(
            {
                "python": platform.python_version(),
                "runs": RUNS,
                "times": rows,
                "import_ms": imports,
            },
            indent=2,
        )
        + "\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
