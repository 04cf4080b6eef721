"""From the file of a manifest to its values: checked by its schema, every mistake with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from restwright.agents.prompting.moment import find_timezone
from restwright.calls.auth.credential_text import credential_from_text
from restwright.errors import DocumentError, UnusableExpression, UnusableManifest
from restwright.jsontypes import Json, JsonObject, is_object
from restwright.manifests.functions.functions import NOTEBOOK_NAMES
from restwright.manifests.own.manifest import (
    Expectation,
    ExpectedCall,
    Handoff,
    Manifest,
    ManifestApi,
    ManifestController,
    ManifestServer,
    PolicyRules,
    SampleTest,
)
from restwright.manifests.text.schema_check import (
    check_manifest,
    deepest_fault,
    describe_unknown_key,
    make_validator,
)
from restwright.manifests.text.source_lines import SourceLines, parse_source_lines
from restwright.openapi.load.source import is_url_source, read_file
from restwright.openapi.model import Problem
from restwright.openapi.references import join_pointer
from restwright.openapi.syntax.decode import parse_bytes

MAX_MANIFEST_BYTES = 1_000_000
"""Of one manifest."""
MAX_AGENTS = 100
"""That can be reached by handing over."""

_NAME = re.compile(r"[^a-z0-9]+")
_SECRET_NAME = re.compile(
    r"authorization|cookie|passw|secret|token|api[-_]?key|x-.*-key$|credential", re.IGNORECASE
)
_OBJECT = re.compile(r"(?P<module>[\w./-]+):(?P<owner>[A-Za-z]\w*)")
_REFERENCE = re.compile(r"(?:.*[ =])?(?:env|file|keyring|cmd):.+", re.DOTALL)


def load_manifest(path: str | Path, *, allow: Path | None = None) -> Manifest:
    """
    Read a manifest, and those that it can hand over to.

    Args:
        allow: A folder whose files it may name too; otherwise those in its own folder alone.

    Raises:
        DocumentUnavailable: There is nothing to read.
        UnreadableDocument: It is neither JSON nor YAML, or over a limit.
        UnusableManifest: It says what cannot be meant; it names the line.
    """
    roots = [Path(path).resolve().parent, *([allow.resolve()] if allow else [])]
    return _ManifestLoader(roots=tuple(roots)).load(Path(path), source=str(path))


@dataclass(slots=True, kw_only=True)
class _ManifestLoader:
    """
    The manifests of one run.

    Args:
        roots: The folders in which files may be.
        known: Those that were read, or are being read (None), by their paths.
    """

    roots: tuple[Path, ...]
    known: dict[Path, Manifest | None] = field(default_factory=dict[Path, "Manifest | None"])

    def load(self, path: Path, *, source: str) -> Manifest:
        content = read_file(path, source=source)
        if len(content) > MAX_MANIFEST_BYTES:
            raise UnusableManifest(
                source, None, "", f"it is larger than {MAX_MANIFEST_BYTES:,} bytes"
            )
        parsed = parse_bytes(content, source=source)
        text = content.decode("utf-8", "replace")
        whole = path.resolve()
        self.known[whole] = None
        reading = _ManifestReader(self, source, whole.parent, parse_source_lines(text))
        # Keys that stand twice: of a policy one wants to know that.
        reading.problems.extend(parsed.problems())
        made = reading.read_manifest(parsed.value, whole)
        self.known[whole] = made
        return made


@dataclass(slots=True)
class _ManifestReader:
    """One manifest that is being read."""

    loader: _ManifestLoader
    source: str
    folder: Path
    marks: SourceLines
    problems: list[Problem] = field(default_factory=list[Problem])

    def make_error(self, pointer: str, why: str) -> UnusableManifest:
        return UnusableManifest(self.source, self.marks.line(pointer), pointer, why)

    def add_problem(self, pointer: str, what: str, action: str = "ignored") -> None:
        line = self.marks.line(pointer)
        self.problems.append(
            Problem(pointer, f"line {line}: {what}" if line else what, "warning", action)
        )

    def read_manifest(self, value: Json, path: Path) -> Manifest:
        self.check(value)
        model: Json = value.get("model")
        named: JsonObject = model if is_object(model) else {"name": model}
        prompt: Json = value.get("prompt", "")
        apis = tuple(self.read_apis(value.get("apis", [])))
        made = Manifest(
            source=self.source,
            folder=self.folder,
            name=_NAME.sub("_", path.name.partition(".")[0].lower()).strip("_") or "agent",
            title=value.get("title", ""),
            description=value.get("description", ""),
            prompt=prompt if isinstance(prompt, str) else "\n".join(prompt),
            model=named["name"],
            model_url=named.get("url"),
            kind=value.get("agent"),
            timezone=self.read_timezone(value.get("timezone", "")),
            locale=value.get("locale", ""),
            apis=apis,
            servers=tuple(self.read_servers(value.get("mcp", []))),
            functions=tuple(self.read_functions(value.get("functions", []))),
            controller=self.read_controller(value.get("functions")),
            actions=value.get("actions", {}),
            module=self.read_module(value.get("code", {})),
            notebook=value.get("code", {}).get("notebook", False),
            offers_notebook=value.get("code", {}).get("offered", True),
            temperature=value.get("temperature"),
            intro=_to_texts(value.get("intro")),
            bot=value.get("bot", ""),
            you=value.get("you", ""),
            form=value.get("form", ""),
            result_form=value.get("result_form", ""),
            skips_result=value.get("skip_function_result", False),
            forced=value.get("function_call", ""),
            resource=self.read_resource(value.get("resource")),
            words=_to_texts(value.get("list")),
            agents=tuple(self.read_handoffs(value.get("agents", {}))),
            policy=_read_rules(value.get("policy", {})),
            samples=tuple(self.read_samples(value.get("samples", []))),
            limits=_drop_extensions(value.get("limits", {})),
            roots=self.loader.roots,
            marks=self.marks,
        )
        self.check_functions(made)
        return replace(made, problems=tuple(self.problems))

    def check(self, value: Json) -> None:
        faults, unknown = check_manifest(value)
        if faults:
            fault = deepest_fault(faults)
            more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
            raise self.make_error(fault.pointer, fault.why + more)
        for unknown_key in unknown:
            self.add_problem(unknown_key.pointer, describe_unknown_key(unknown_key))

    def read_timezone(self, name: str) -> str:
        if name:
            try:
                find_timezone(name)
            except ValueError as error:
                raise self.make_error("/timezone", str(error)) from None
        return name

    def resolve_path(self, text: str, pointer: str) -> Path:
        """A file that may be read; it need not be there."""
        try:
            found = (self.folder / text).resolve()
        except (OSError, ValueError):
            raise self.make_error(pointer, "that is no path") from None
        if not any(found.is_relative_to(root) for root in self.loader.roots):
            raise self.make_error(
                pointer, f"{text} is outside of the folder of the manifest, and is not read"
            )
        return found

    def resolve_source(self, text: str, pointer: str) -> str:
        """A URL, or a file that may be read."""
        if is_url_source(text):
            self.warn_of_url_secret(text, pointer)
            return text
        path = self.resolve_path(text, pointer)
        if not path.is_file():
            raise self.make_error(pointer, f"there is no file {text}")
        # As it would be named from here, so that what is said of it can be found.
        return str(Path(self.source).parent / text)

    def read_value(self, text: str, pointer: str) -> Json:
        path = self.resolve_source(text, pointer)
        try:
            return parse_bytes(read_file(Path(path), source=path), source=path).value
        except DocumentError as error:
            raise self.make_error(pointer, error.message) from None

    def read_apis(self, values: Sequence[Json]) -> Iterator[ManifestApi]:
        for index, each in enumerate(values):
            given: JsonObject = each if is_object(each) else {"document": each}
            yield self.read_api(given, f"/apis/{index}")

    def read_api(self, given: JsonObject, pointer: str) -> ManifestApi:
        overlays = _to_texts(given.get("overlay"))
        self.warn_of_secrets(given, pointer)
        self.check_picks(given.get("pick", {}), f"{pointer}/pick")
        return ManifestApi(
            document=self.resolve_source(given["document"], f"{pointer}/document"),
            alias=given.get("alias"),
            overlays=tuple(
                self.resolve_source(overlay, f"{pointer}/overlay") for overlay in overlays
            ),
            include=_to_texts(given.get("include")),
            exclude=_to_texts(given.get("exclude")),
            read_only=given.get("read_only", False),
            server=given.get("server"),
            server_variables=given.get("server_variables", {}),
            headers=given.get("headers", {}),
            propagate_trace=given.get("propagate_trace", False),
            auth=self.read_auth(given.get("auth", {}), f"{pointer}/auth"),
            policy=_read_rules(given.get("policy", {})),
            fixed=_group_fixed(given.get("fixed", {})),
            pick=given.get("pick", {}),
        )

    def read_servers(self, values: Sequence[Json]) -> Iterator[ManifestServer]:
        names: set[str] = set()
        for index, given in enumerate(values):
            pointer = f"/mcp/{index}"
            name: str = given["name"]
            if name in names:
                raise self.make_error(f"{pointer}/name", f"another server is named {name}")
            names.add(name)
            yield self.read_server(given, name, pointer)

    def read_server(self, given: JsonObject, name: str, pointer: str) -> ManifestServer:
        self.warn_of_secrets(given, pointer)
        self.check_picks(given.get("pick", {}), f"{pointer}/pick")
        for variable, text in given.get("env", {}).items():
            if _SECRET_NAME.search(variable) and not _REFERENCE.fullmatch(text):
                below = f"{pointer}/env{join_pointer(variable)}"
                self.warn_of_literal(below, f"the variable {variable}")
        if "url" in given:
            self.warn_of_url_secret(given["url"], f"{pointer}/url")
        return ManifestServer(
            name=name,
            command=tuple(given.get("command", ())),
            environment=given.get("env", {}),
            url=given.get("url", ""),
            headers=given.get("headers", {}),
            trust_hints=given.get("trust_hints", False),
            tools=ManifestApi(
                document=f"mcp:{name}",
                alias=name,
                include=_to_texts(given.get("include")),
                exclude=_to_texts(given.get("exclude")),
                read_only=given.get("read_only", False),
                policy=_read_rules(given.get("policy", {})),
                fixed=_group_fixed(given.get("fixed", {})),
                pick=given.get("pick", {}),
            ),
        )

    def read_auth(self, given: Json, pointer: str) -> Mapping[str, str]:
        by_scheme: dict[str, str] = given if is_object(given) else {"": given}
        for scheme, text in by_scheme.items():
            try:
                credential_from_text(text)
            except ValueError:
                below = pointer + (join_pointer(scheme) if scheme else "")
                why = "a credential is named (env:NAME), never written down"
                raise self.make_error(below, why) from None
        return by_scheme

    def warn_of_secrets(self, given: JsonObject, pointer: str) -> None:
        """Warn of secrets that seem to stand in the file."""
        for name, text in given.get("headers", {}).items():
            if _SECRET_NAME.search(name) and not _REFERENCE.fullmatch(text):
                self.warn_of_literal(f"{pointer}/headers{join_pointer(name)}", f"the header {name}")
        for operation, inputs in _group_fixed(given.get("fixed", {})).items():
            for name, value in inputs.items():
                if isinstance(value, str) and _SECRET_NAME.search(name):
                    below = join_pointer(*filter(None, (operation, name)))
                    self.warn_of_literal(f"{pointer}/fixed{below}", f"the fixed argument {name}")
        if "server" in given:
            self.warn_of_url_secret(given["server"], f"{pointer}/server")

    def warn_of_url_secret(self, text: str, pointer: str) -> None:
        try:
            parts = urlsplit(text)
        except ValueError:
            return
        if parts.password or any(_SECRET_NAME.search(name) for name, _ in parse_qsl(parts.query)):
            self.warn_of_literal(pointer, "the URL")

    def warn_of_literal(self, pointer: str, what: str) -> None:
        self.add_problem(
            pointer,
            f"{what} seems to hold a secret, which anybody who has the file can read",
            "used as it is; write env:NAME",
        )

    def check_picks(self, given: JsonObject, pointer: str) -> None:
        from restwright.calls.response.projection import check_expression

        for name, expression in given.items():
            try:
                check_expression(expression)
            except UnusableExpression as error:
                raise self.make_error(pointer + join_pointer(name), error.message) from None

    def read_controller(self, given: Json) -> ManifestController | None:
        """The object of `MODULE:OBJECT`; None where functions are given otherwise."""
        found = _OBJECT.fullmatch(given) if isinstance(given, str) else None
        if found is None:
            return None
        module = found["module"]
        file = module if module.endswith(".py") else f"{module.replace('.', '/')}.py"
        return ManifestController(
            module=self.find_python_file(file, "/functions"), owner=found["owner"]
        )

    def read_functions(self, given: Json) -> Iterator[JsonObject]:
        if isinstance(given, str) and _OBJECT.fullmatch(given):
            return
        found: Json = self.read_value(given, "/functions") if isinstance(given, str) else given
        if isinstance(given, str):
            faults, _ = check_manifest({"functions": found, "apis": ["-"]})
            if faults or isinstance(found, str):
                why = deepest_fault(faults).why if faults else "a list of functions is expected"
                raise self.make_error("/functions", f"in {given}: {why}")
        yield from found

    def read_resource(self, named: str | None) -> str | None:
        """The text that stands for `{resource}`."""
        if named is None:
            return None
        path = self.resolve_source(named, "/resource")
        try:
            text = read_file(Path(path), source=path).decode("utf-8-sig", "replace")
        except DocumentError as error:
            raise self.make_error("/resource", error.message) from None
        return text.replace("\r\n", "\n")

    def read_module(self, code: JsonObject) -> Path | None:
        """The Python file of a manifest."""
        if "module" not in code:
            return None
        return self.find_python_file(code["module"], "/code/module")

    def find_python_file(self, text: str, pointer: str) -> Path:
        path = self.resolve_path(text, pointer)
        if path.suffix != ".py" or not path.is_file():
            raise self.make_error(pointer, f"there is no Python file {text}")
        return path

    def check_functions(self, manifest: Manifest) -> None:
        names = [function["name"] for function in manifest.functions]
        for index, name in enumerate(names):
            if name in names[:index]:
                raise self.make_error("/functions", f"the function {name} stands there twice")
            if (
                name not in manifest.actions
                and manifest.module is None
                and not _is_notebook_function(manifest, name)
            ):
                what = f"no action carries the function {name[:80]} out"
                self.add_problem("/functions", what, "the model is told so when it calls it")
        for name in manifest.actions:
            if name not in names:
                self.add_problem(f"/actions{join_pointer(name)}", f"there is no function {name}")

    def read_handoffs(self, given: JsonObject) -> Iterator[Handoff]:
        for name, each in given.items():
            pointer = f"/agents{join_pointer(name)}"
            entry: JsonObject = each if is_object(each) else {"manifest": each}
            below = f"{pointer}/manifest" if is_object(each) else pointer
            file = self.load_other(entry["manifest"], below)
            if "message" in entry.get("context", {}):
                why = "`message` is what the other agent is asked; name it otherwise"
                raise self.make_error(f"{pointer}/context/message", why)
            yield Handoff(
                name=name,
                file=file,
                known=self.loader.known,
                told=entry.get("description", ""),
                context=entry.get("context", {}),
                is_tool=entry.get("tool", True),
            )

    def load_other(self, text: str, pointer: str) -> Path:
        """Read a manifest that is handed over to, once: two may hand over to each other."""
        known, path = self.loader.known, self.resolve_path(text, pointer)
        if path in known:
            return path
        if len(known) >= MAX_AGENTS:
            raise self.make_error(pointer, f"more than {MAX_AGENTS} agents can be handed over to")
        self.loader.load(path, source=self.resolve_source(text, pointer))
        return path

    def read_samples(self, values: Sequence[Json]) -> Iterator[SampleTest]:
        for index, each in enumerate(values):
            given: JsonObject = each if is_object(each) else {"text": each}
            yield SampleTest(
                name=given.get("name") or f"sample {index + 1}",
                text=given["text"],
                expected=self.read_expectation(given, f"/samples/{index}"),
            )

    def read_expectation(self, given: JsonObject, pointer: str) -> Expectation:
        answer: Json = given.get("answer", {})
        conditions: JsonObject = answer if is_object(answer) else {"contains": answer}
        matches = conditions.get("matches", "")
        self.check_schema({"pattern": matches}, f"{pointer}/answer/matches")
        calls: list[ExpectedCall] = []
        for index, each in enumerate(given.get("calls", [])):
            call: JsonObject = each if is_object(each) else {"tool": each}
            self.check_schema(call.get("schema", {}), f"{pointer}/calls/{index}/schema")
            calls.append(
                ExpectedCall(
                    tool=call["tool"],
                    arguments=call.get("arguments", {}),
                    schema=call.get("schema"),
                )
            )
        return Expectation(
            calls=tuple(calls),
            no_calls=_to_texts(given.get("no_calls")),
            contains=_to_texts(conditions.get("contains")),
            excludes=_to_texts(conditions.get("excludes")),
            matches=matches,
            stopped=given.get("stopped", "answered"),
        )

    def check_schema(self, schema: JsonObject, pointer: str) -> None:
        try:
            make_validator(schema)
        except ValueError as error:
            why = str(error).partition("\n")[0][:200]
            raise self.make_error(pointer, f"it cannot be checked: {why}") from None


def _is_notebook_function(manifest: Manifest, name: str) -> bool:
    """Whether a function is one that the notebook carries out."""
    return manifest.notebook and name in NOTEBOOK_NAMES


def _to_texts(value: Json) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())


def _drop_extensions(value: JsonObject) -> JsonObject:
    return {key: each for key, each in value.items() if not key.startswith("x-")}


def _read_rules(value: Json) -> PolicyRules:
    given: JsonObject = value if is_object(value) else {"default": value}
    return PolicyRules(default=given.get("default", ""), tools=given.get("tools", {}))


def _group_fixed(given: JsonObject) -> dict[str, JsonObject]:
    """By operation; under the empty name those of every operation."""
    everywhere = {name: value for name, value in given.items() if not is_object(value)}
    found = {name: value for name, value in given.items() if is_object(value)}
    return ({"": everywhere} if everywhere else {}) | found
