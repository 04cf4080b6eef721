"""`doctor`: whether what restwright needs is here. Contacts nothing."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from restwright.cli.render.errors import DONE, FAILED
from restwright.cli.render.output import Output

CORE = ("httpcore2", "httpx2", "json-repair", "jsonschema-rs", "orjson", "pyyaml", "rich", "typer")
EXTRAS = {
    "agent": ("pydantic_ai", "openai", "anthropic", "pydantic_monty"),
    "google": ("google.genai",),
    "local": ("xllamacpp", "huggingface_hub", "pydantic_monty"),
    "demo": ("starlette", "uvicorn"),
    "mcp": ("mcp", "starlette", "uvicorn", "pydantic_monty"),
    "web": ("jinja2", "python_multipart", "starlette", "uvicorn"),
}
LAYERS = (
    (
        "Landlock",
        "files",
        "code reads only what is named",
        "code reads every file that you can read",
    ),
    (
        "user namespaces",
        "own processes",
        "code sees no other processes",
        "code sees your other processes",
    ),
    (
        "own mounts",
        "read-only outside",
        "code changes nothing outside of its folder",
        "Landlock and seccomp alone keep code from changing files",
    ),
    (
        "seccomp",
        "system calls",
        "code has no calls of the kernel that it does not need",
        "code has all calls of the kernel that you have",
    ),
)
"""What may hold code: its name, the protection that shows it, and what it means where it is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing looked at; `ok` is None where it is absent but not needed."""

    what: str
    state: str
    ok: bool | None = True


def doctor(*, out: Output) -> int:
    """
    Check the installation: packages, extras, the local model and its server, the cache, the
    sandbox and what would confine code of manifests.
    """
    findings = [*_packages(), *_extras(), *_model(), *_server(), *_sandbox(), *_code()]
    broken = any(finding.ok is False for finding in findings)
    if out.json:
        checks = [
            {"what": finding.what, "state": finding.state, "ok": finding.ok} for finding in findings
        ]
        out.value({"ok": not broken, "checks": checks})
    else:
        for finding in findings:
            mark = {True: "ok", False: "broken", None: "-"}[finding.ok]
            out.text(f"{mark:<7}{finding.what:<16}{finding.state}")
    return FAILED if broken else DONE


def _packages() -> Iterator[Finding]:
    from restwright import __version__

    yield Finding(what="restwright", state=f"{__version__}, Python {platform.python_version()}")
    for name in CORE:
        try:
            yield Finding(what=name, state=version(name))
        except PackageNotFoundError:
            yield Finding(what=name, state="not installed", ok=False)


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _extras() -> Iterator[Finding]:
    for extra, modules in EXTRAS.items():
        missing = [module for module in modules if not _is_installed(module)]
        if missing:
            state = f"not installed (pip install 'restwright[{extra}]')"
            yield Finding(what=f"[{extra}]", state=state, ok=None)
        else:
            yield Finding(what=f"[{extra}]", state="installed")


def _model() -> Iterator[Finding]:
    import os

    from restwright.agents.models.model_files import model_path

    path = model_path("local")
    if path.is_file():
        yield Finding(what="local model", state=str(path))
    else:
        state = "not downloaded (restwright model pull)"
        yield Finding(what="local model", state=state, ok=None)
    folder = next(parent for parent in path.parents if parent.exists())
    writable = os.access(folder, os.W_OK)
    yield Finding(
        what="cache folder",
        state=f"{path.parent}{'' if writable else ' cannot be written'}",
        ok=writable,
    )


def _server() -> Iterator[Finding]:
    from restwright.agents.models.server_record import read_record
    from restwright.agents.models.shared_model import ask_status

    record = read_record("local")
    status = None if record is None else ask_status(record)
    if record is None or status is None:
        state = "does not run (restwright model serve)"
        yield Finding(what="model server", state=state, ok=None)
        return
    requests = f"{status['requests']} requests"
    where = record.address if isinstance(record.address, str) else f"port {record.address[1]}"
    yield Finding(what="model server", state=f"process {status['pid']}, {where}, {requests}")


def _sandbox() -> Iterator[Finding]:
    if not _is_installed("pydantic_monty"):
        yield Finding(what="sandbox", state="not installed", ok=None)
        return
    from restwright.agents.sandbox import run_code

    outcome = run_code("data['a'] + 1", '{"a": 1}')
    works = outcome.error == "" and outcome.value == 2
    yield Finding(what="sandbox", state="works" if works else outcome.error, ok=works)


def _code() -> Iterator[Finding]:
    """What holds code of manifests here, found by confining a process that does nothing."""
    from restwright.errors import UnusableCode
    from restwright.manifests.code import landlock
    from restwright.manifests.code.process import probe_protections

    try:
        held = probe_protections()
    except UnusableCode as error:
        yield Finding(what="code", state=str(error), ok=None)
        return
    for what, protection, present, absent in LAYERS:
        is_there = protection in held
        state = present if is_there else f"not here: {absent}"
        if what == "Landlock" and is_there:
            state = f"version {landlock.landlock_version()}, {state}"
        yield Finding(what=what, state=state, ok=is_there or None)
    yield Finding(what="code", state=f"held by: {', '.join(held)}")
    if not {"files", "read-only outside"} & set(held):
        state = "not held in its folder: see docs/notebooks.md before --allow-code"
        yield Finding(what="code", state=state, ok=None)
