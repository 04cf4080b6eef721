"""Measures the check and the repair of a 12 kB argument object; writes results/check.json."""

from __future__ import annotations

import copy
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import jsonschema_rs

from restwright.calls.arguments.check import check
from restwright.calls.arguments.repair import repair_arguments
from restwright.openapi.api import load
from restwright.testing import document
from restwright.tools.catalog.catalog import catalog

ROUNDS = 7
CALLS = 300
ITEM = {
    "type": "object",
    "required": ["product_id", "count"],
    "properties": {
        "product_id": {"type": "string", "format": "uuid"},
        "count": {"type": "integer", "minimum": 1},
        "price": {"type": "number"},
        "state": {"enum": ["new", "paid", "sent"]},
        "payment": {
            "oneOf": [
                {"type": "object", "required": ["iban"], "properties": {"kind": {"const": "sepa"}}},
                {"type": "object", "required": ["card"], "properties": {"kind": {"const": "card"}}},
            ]
        },
        "notes": {"type": "array", "items": {"type": "string", "maxLength": 200}},
    },
}
ORDER = {"type": "object", "properties": {"items": {"type": "array", "items": ITEM}}}
RESULTS = Path(__file__).parent / "results" / "check.json"


def line(number: int) -> dict[str, object]:
    """One line of an order, about 200 bytes of JSON."""
    return {
        "product_id": f"3746725f-e367-46f7-ac7b-{number:012}",
        "count": number + 1,
        "price": number * 1.25,
        "state": "paid",
        "payment": {"kind": "card", "card": "4000 0000 0000 0002"},
        "notes": ["leave it at the door, please", "a gift"],
    }


def microseconds(step: Callable[[], object]) -> float:
    """The median over some rounds of the mean time of a call."""
    taken: list[float] = []
    step()
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for _ in range(CALLS):
            step()
        taken.append((time.perf_counter() - started) / CALLS * 1e6)
    return statistics.median(taken)


def main() -> None:
    """Print the times, and their ratio to the validator alone."""
    body = {"content": {"application/json": {"schema": ORDER}}}
    tool = catalog(load(document({"/orders": {"post": {"requestBody": body}}}))).tools[0]
    valid = {"items": [line(number) for number in range(61)]}
    wrong = copy.deepcopy(valid)
    wrong["items"][30]["count"] = "three"
    coercible = copy.deepcopy(valid)
    coercible["items"][30]["count"] = "3"
    size = len(json.dumps(valid, separators=(",", ":")))
    assert size >= 12_000, size
    assert not check(tool, valid), check(tool, valid)
    validator = jsonschema_rs.Draft202012Validator(tool.checks, validate_formats=True)
    steps: dict[str, Callable[[], object]] = {
        "validator alone": lambda: validator.is_valid(valid),
        "check, valid": lambda: check(tool, valid),
        "repair, valid": lambda: repair_arguments(tool, valid),
        "check, one mismatch": lambda: check(tool, wrong),
        "repair, one repair": lambda: repair_arguments(tool, coercible),
    }
    taken = {name: microseconds(step) for name, step in steps.items()}
    base = taken["validator alone"]
    rows = {name: {"us": round(us, 1), "ratio": round(us / base, 2)} for name, us in taken.items()}
    report = {"python": platform.python_version(), "bytes": size, "rows": rows}
    RESULTS.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    for name, row in rows.items():
        sys.stdout.write(f"{name:24}{row['us']:>10.1f} us {row['ratio']:>8.2f}\n")
    sys.stdout.write(
        f"{size:,} bytes of arguments; the last column is the ratio to the first row\n"
    )


if __name__ == "__main__":
    main()
