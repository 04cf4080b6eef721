"""
What bodies at the cap cost that were made to cost much: CPU seconds and memory after the last byte.

    python benchmarks/hostile.py [NAME ...]

Each body is read in a process of its own, as after a call: held against the limit of depth, masked,
read, and checked. `MB` is what the peak grew by over what the process and the body itself take.
Prints a line for each and writes results/hostile.json. Fails where a body is over a limit.
"""

from __future__ import annotations

import json
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from restwright.calls.arguments.check import check_value
from restwright.calls.response.result import result_from_response
from restwright.net.http.exchange import MAX_JSON_DEPTH, is_json_too_deep
from restwright.net.messages import Request, Response
from restwright.net.secret import Secret

CAP = 10_000_000
SECONDS, MEGABYTES = 1.0, 200
RESULTS = Path(__file__).parent / "results" / "hostile.json"
JSON, LINES, EVENTS = "application/json", "application/x-ndjson", "text/event-stream"


def filled(unit: str | bytes, *, head: str = "", tail: str = "", size: int = CAP) -> bytes:
    """`head`, `unit` as often as there is room for it, and `tail`."""
    octets = unit if isinstance(unit, bytes) else unit.encode()
    room = size - len(head.encode()) - len(tail.encode())
    return head.encode() + octets * (room // len(octets)) + tail.encode()


def numbered(form: str, *, count: int, head: str = "{", tail: str = "}") -> bytes:
    return (head + ",".join(form % number for number in range(count)) + tail).encode()


def array(item: str) -> bytes:
    return filled(item + ",", head="[", tail=item + "]")


BODIES: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "escaped quotes without an end": (JSON, lambda: filled('\\"', head="[" * 501 + '"')),
    "brackets that open": (JSON, lambda: filled("[")),
    "brackets that open and close": (JSON, lambda: filled("[]")),
    "numbers": (JSON, lambda: array("1")),
    "decimals": (JSON, lambda: array("1.5")),
    "numbers after a long one": (JSON, lambda: array("1").replace(b"[1", b"[" + b"9" * 20, 1)),
    "decimals after a long one": (JSON, lambda: array("1.5").replace(b"[", b"[1e999,", 1)),
    "numbers after NaN": (JSON, lambda: array("1").replace(b"[1", b"[NaN", 1)),
    "empty arrays": (JSON, lambda: array("[]")),
    "empty objects": (JSON, lambda: array("{}")),
    "objects of one": (JSON, lambda: array('{"a":1}')),
    "arrays of one": (JSON, lambda: array("[1.5]")),
    "short texts": (JSON, lambda: array('"ab"')),
    "wide texts": (JSON, lambda: array('"\u00e9\u20ac"')),
    "escapes": (JSON, lambda: array('"\\u0041"')),
    "halves of pairs": (JSON, lambda: array('"\\ud800"')),
    "names": (JSON, lambda: numbered('"n%d":1', count=700_000)),
    "nested and wide": (JSON, lambda: array("[" * 150 + "1" + "]" * 150)),
    "one wide text": (JSON, lambda: filled("a", head='"\U0001f600', tail='"')),
    "broken at the end": (JSON, lambda: filled("1,", head="[")),
    "many that are one by one": (JSON, lambda: filled("1\n")),
    "a secret repeated": (JSON, lambda: array('"secret-1234567890\\n"')),
    "small and typed": (JSON, lambda: filled("1,", head="[", tail="1]", size=1_900_000)),
    "small names": (JSON, lambda: numbered('"n%d":1', count=150_000)),
    "broken lines": (LINES, lambda: filled("x\n")),
    "broken lines of JSON": (LINES, lambda: filled('{"a":\n')),
    "lines": (LINES, lambda: filled("1\n")),
    "lines of objects": (LINES, lambda: filled('{"a":1}\n')),
    "lines of NaN": (LINES, lambda: filled("NaN\n")),
    "empty lines": (LINES, lambda: filled("\n")),
    "one line of numbers": (LINES, lambda: array("1")),
    "records": ("application/json-seq", lambda: filled("\x1e1\n")),
    "events": (EVENTS, lambda: filled("data: {}\n\n")),
    "broken events": (EVENTS, lambda: filled("data: {\n\n")),
    "lines of one event": (EVENTS, lambda: filled("data:\n")),
    "lines without events": (EVENTS, lambda: filled("\n")),
    "large events": (EVENTS, lambda: filled("data: " + "[" + "1," * 500 + "1]\n\n")),
    "elements": ("application/xml", lambda: filled("<b/>", head="<a>", tail="</a>")),
    "attributes": ("application/xml", lambda: numbered(' n%d=""', count=190_000, head="<a",
                                                       tail="/>").replace(b",", b"")),
    "text of XML": ("application/xml", lambda: filled("&lt;", head="<a>", tail="</a>")),
    "markup of an error": ("text/html; status=500", lambda: filled("<")),
    "scripts of an error": ("text/html; status=500", lambda: filled("<script")),
    "errors": (JSON + "; status=400", lambda: array('{"detail":[]}')),
    "punycode": ("text/plain; charset=punycode", lambda: filled("abc-9")),
    "utf-7": ("text/plain; charset=utf-7", lambda: filled("+AGE-")),
    "idna": ("text/plain; charset=idna", lambda: filled("xn--a.")),
    "no UTF-8": ("text/plain", lambda: b"a" * 1024 + filled(b"\xff")),
    "no UTF-16": ("text/plain; charset=utf-16", lambda: filled(b"\x00\xdc")),
    "no Shift_JIS": ("text/plain; charset=shift_jis", lambda: b"a" * 5000 + filled(b"\xff")),
    "no GB 18030": ("text/plain; charset=gb18030", lambda: b"a" * 5000 + filled(b"\xff")),
    "no Windows-1252": ("text/plain; charset=cp1252", lambda: b"a" * 5000 + filled(b"\x81")),
    "no ASCII": ("text/plain; charset=ascii", lambda: b"a" * 5000 + filled(b"\x81")),
}  # fmt: skip

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}, "n0": {"type": "string"}}}
CLOSED = {**SCHEMA, "additionalProperties": False}
OBJECTS = {"type": "array", "items": CLOSED}
UNION = {"type": "array", "items": {"oneOf": [CLOSED, {"type": "string"}, {"const": "x"}]}}
BACKTRACKING = {"items": {"type": "string", "pattern": r"^(?=(a+)+$)b"}}
VALUES = {
    "properties that are not known": (CLOSED, lambda: {f"n{n}": n for n in range(50_000)}),
    "properties of the wrong type": (
        {"additionalProperties": {"type": "string"}}, lambda: {f"n{n}": n for n in range(50_000)}),
    "items of the wrong type": (OBJECTS, lambda: [1] * 400_000),
    "items with too many properties": (OBJECTS, lambda: [{"b": n} for n in range(100_000)]),
    "items of no alternative": (UNION, lambda: [{"b": n} for n in range(100_000)]),
    "missing properties": (
        {"required": [f"n{n}" for n in range(20_000)]}, dict),
    "unevaluated properties": (
        {**SCHEMA, "unevaluatedProperties": False}, lambda: {f"n{n}": n for n in range(50_000)}),
    "names of a kind": (
        {"propertyNames": {"maxLength": 1}}, lambda: {f"n{n}": n for n in range(50_000)}),
    "a pattern that goes back": (BACKTRACKING, lambda: ["a" * 30 + "!"] * 10_000),
    "long texts of a pattern": (BACKTRACKING, lambda: ["a" * 100_000 + "!"] * 10),
    "unique items": ({"uniqueItems": True}, lambda: [{"a": n} for n in range(20_000)]),
}  # fmt: skip


def read(name: str) -> float:
    """Seconds until the result of a body is there."""
    media_type, body = BODIES[name]
    status = int(media_type.partition("status=")[2] or 200)
    response = Response(status=status, headers=(("content-type", media_type),), body=body())
    request = Request(method="GET", url="http://host/", secrets=(Secret("secret-1234567890"),))
    baseline()
    started = time.process_time()
    if media_type.startswith(JSON):
        is_json_too_deep(response.body, MAX_JSON_DEPTH)
    result = result_from_response(request, response)
    seconds = time.process_time() - started
    print(*(each[:100] for each in result.warnings), file=sys.stderr)
    return seconds


def check(name: str) -> float:
    """Seconds until it is known what is wrong with a value."""
    schema, make = VALUES[name]
    check_value(schema, None)
    value = make()
    baseline()
    started = time.process_time()
    check_value(schema, value)
    return time.process_time() - started


BEFORE: list[int] = []


def baseline() -> None:
    BEFORE.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def measure(name: str) -> None:
    """In a process of its own: print what one case costs."""
    seconds = read(name) if name in BODIES else check(name)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - BEFORE[0]
    print(json.dumps({"seconds": round(seconds, 3), "megabytes": grown // 1024}))


def main(names: list[str]) -> int:
    found: dict[str, dict[str, float]] = {}
    for name in names or [*BODIES, *VALUES]:
        command = [sys.executable, __file__, "--measure", name]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
            found[name] = json.loads(done.stdout)
        except (subprocess.TimeoutExpired, ValueError):
            found[name] = {"seconds": 60.0, "megabytes": 0}
        cost = found[name]
        is_over = cost["seconds"] > SECONDS or cost["megabytes"] > MEGABYTES
        mark = "  OVER" if is_over else ""
        print(f"{name:34}{cost['seconds']:8.2f} s{cost['megabytes']:6.0f} MB{mark}", flush=True)
    if not names:
        RESULTS.write_text(
            json.dumps({"python": platform.python_version(), **found}, indent=1) + "\n"
        )
    over = [n for n, c in found.items() if c["seconds"] > SECONDS or c["megabytes"] > MEGABYTES]
    return 1 if over else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2])
    else:
        sys.exit(main(sys.argv[1:]))
