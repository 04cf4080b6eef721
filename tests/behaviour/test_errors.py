"""Every exception: what it says, equality, pickling, and its place in the drawn tree."""

from __future__ import annotations

import pickle
import re

import pytest

from restwright import errors
from restwright.errors import RestwrightError

EXAMPLES = [
    (
        errors.WrongType("`model`", "a model, as `model_named('local')` returns", "str"),
        "`model` must be a model, as `model_named('local')` returns, not str",
    ),
    (
        errors.UsageError("there is no shop.lock", "--lock", "make it by --update"),
        "--lock: there is no shop.lock; make it by --update",
    ),
    (
        errors.UsageError("--auth is given twice"),
        "--auth is given twice",
    ),
    (
        errors.UnusableManifest("shop.yml", 4, "/agent", "one of rest, calling is expected"),
        "shop.yml, line 4 (/agent): one of rest, calling is expected;"
        " `restwright new --schema` prints what a manifest may say",
    ),
    (
        errors.UnusableOverlay("mend.yaml", "/actions/2", "an action must be an object"),
        "mend.yaml#/actions/2 is no overlay that can be applied: an action must be an object;"
        " `overlay: 1.1.0`, `info` with `title` and `version`, and `actions` are expected",
    ),
    (
        errors.DocumentUnavailable("shop.yaml", "no such file"),
        "cannot read shop.yaml: no such file",
    ),
    (
        errors.UnreadableDocument("shop.yaml", "line 3"),
        "shop.yaml is neither JSON nor YAML that can be read: line 3",
    ),
    (
        errors.UnreadableDocument("shop.yaml", "it is too deep", is_over_limit=True),
        "shop.yaml is not read: it is too deep",
    ),
    (
        errors.NotOpenAPI("shop.yaml", "a list"),
        "shop.yaml is not an OpenAPI document: a list;"
        " `openapi: 3.x` or `swagger: 2.0` is expected at the top",
    ),
    (
        errors.UnresolvedReference("#/components/schemas/Pet", "no key Pet"),
        "cannot resolve $ref '#/components/schemas/Pet': no key Pet",
    ),
    (
        errors.UnknownTool("GET_ODER", ["get_order", "pay"]),
        "no tool named 'GET_ODER'; did you mean get_order?",
    ),
    (errors.UnknownTool("x", []), "no tool named 'x'"),
    (
        errors.UnknownTool("pay", {"pays": "shop__pays", "shop__pays": "shop__pays"}),
        "no tool named 'pay'; did you mean shop__pays?",
    ),
    (
        errors.NameCollision("shop", ["a.yaml", "b.yaml"]),
        "two APIs are named 'shop': a.yaml, b.yaml; give one of them an alias (alias=document)",
    ),
    (
        errors.NoSuchPart("shop__get_oder", "is no tool of the catalog", ["shop__get_order"]),
        "'shop__get_oder' is no tool of the catalog; did you mean shop__get_order?",
    ),
    (
        errors.UnusableLock("restwright.lock", 3, "`version` is 7, not 1"),
        "cannot use restwright.lock, line 3: `version` is 7, not 1;"
        " mend it, or delete it and write it anew",
    ),
    (
        errors.Drifted("restwright.lock", ["shop__pay: /description changed"]),
        "not as locked in restwright.lock: shop__pay: /description changed;"
        " look at what is different, and lock it anew to accept it",
    ),
    (
        errors.UnknownDialect("opanai", ["openai", "mcp"]),
        "no dialect named 'opanai'; one of openai",
    ),
    (errors.UnknownDialect("x", ["mcp"]), "no dialect named 'x'; one of mcp"),
    (
        errors.OverLimit(
            "openai", "tools in a request", limit=128, count=1223, next_move="search first"
        ),
        "openai takes at most 128 tools in a request, not 1,223; search first",
    ),
    (
        errors.UnreadableArguments("line 1"),
        "the arguments are not a JSON object: line 1;"
        """ write them as '{"name": "value"}'""",
    ),
    (
        errors.InvalidArguments("pay", ["/id: expected integer, got 'x'"]),
        "pay was not called: 1 argument mismatch(es); /id: expected integer, got 'x'",
    ),
    (
        errors.UnsupportedMediaType("pay", ["application/x-thing"]),
        "pay takes a body of application/x-thing, which cannot be written",
    ),
    (
        errors.MissingServer("pay", ""),
        "no server to send pay to (the document says nothing); name it: Connection(server=URL)",
    ),
    (
        errors.MissingCredential("env:TOKEN", "set the variable TOKEN"),
        "the credential env:TOKEN is not set; set the variable TOKEN",
    ),
    (
        errors.NoToken("login", "invalid_client", "who are you?"),
        "no access token for login: invalid_client: who are you?",
    ),
    (
        errors.UnusableExpression("items[", "it has no end"),
        "cannot pick 'items[': it has no end; write it in JMESPath, as in items[].name",
    ),
    (
        errors.RefusedRequest("http://10.0.0.1/", "another origin"),
        "not sent to http://10.0.0.1/: another origin",
    ),
    (
        errors.NoResponse("http://localhost/", "connection refused", sent=False),
        "no response from http://localhost/: connection refused",
    ),
    (
        errors.ResponseTooLarge("http://localhost/", 1000),
        "the response of http://localhost/ is larger than 1,000 bytes;"
        " ask for less (a page, a filter), or raise the cap: Transport(max_bytes=...)",
    ),
    (errors.Said("there is no such list"), "there is no such list"),
    (errors.LimitReached("seconds", 61.5), "stopped by the limit on seconds (61.5 used)"),
    (
        errors.UnusableReply("planner", "not JSON"),
        "the model's reply as planner cannot be used: not JSON",
    ),
    (errors.StepFailed("on_event", "KeyError"), "on_event failed: KeyError"),
    (
        errors.UnusableSession("261121-0a1b2c3d", "it was deleted"),
        "cannot use the session 261121-0a1b2c3d: it was deleted;"
        " Journal.sessions() lists those that there are",
    ),
    (
        errors.SessionInUse("261121-0a1b2c3d", "another process is at it"),
        "cannot use the session 261121-0a1b2c3d: another process is at it;"
        " Journal.sessions() lists those that there are",
    ),
    (
        errors.ModelUnavailable("local", "the file is missing", "restwright model pull"),
        "the model local is not available: the file is missing; restwright model pull",
    ),
    (
        errors.MissingExtra("agent", "ask"),
        "ask needs packages that are not installed; pip install 'restwright[agent]'",
    ),
    (
        errors.ServerUnavailable("git", "it was not ready in time"),
        "the MCP server git cannot be used: it was not ready in time;"
        " try its command by itself, or look at its URL and its headers",
    ),
    (
        errors.UnusableCode("browser.py", "it is no file", "check `module`"),
        "the code of browser.py is not run: it is no file; check `module`",
    ),
]
BASES = {
    errors.RestwrightError,
    errors.DocumentError,
    errors.CatalogError,
    errors.CallError,
    errors.AgentError,
}
CLASSES = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, RestwrightError)
]
by_text = pytest.mark.parametrize(
    ("error", "text"), EXAMPLES, ids=[type(error).__name__ for error, _ in EXAMPLES]
)


def drawn_tree() -> dict[str, str]:
    """`{class: base}` as the module docstring draws it: two spaces of depth are four columns."""
    above: list[str] = []
    tree: dict[str, str] = {}
    for line in (errors.__doc__ or "").splitlines():
        if found := re.match(r"([│ ├└─]*)([A-Z]\w+)(?: |$)", line):
            depth = len(found[1]) // 4
            if not found[1] and found[2] != "RestwrightError":
                continue
            above[depth:] = [found[2]]
            if depth:
                tree[found[2]] = above[depth - 1]
    return tree


@by_text
def test_an_error_says_what_is_wrong_and_the_next_move_in_one_line(
    error: RestwrightError, text: str
):
    assert str(error) == text
    assert "\n" not in text


@by_text
def test_an_error_survives_pickling(error: RestwrightError, text: str):
    revived = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert revived == error
    assert str(revived) == text


def test_errors_of_equal_fields_are_equal_and_others_are_not():
    assert errors.RefusedRequest("a", "b") == errors.RefusedRequest("a", "b")
    assert errors.RefusedRequest("a", "b") != errors.RefusedRequest("a", "c")
    assert errors.UnreadableDocument("a", "b") != errors.DocumentUnavailable("a", "b")


def test_every_class_is_drawn_under_its_base():
    actual = {kind.__name__: kind.__base__.__name__ for kind in CLASSES if kind.__base__}
    del actual["RestwrightError"]
    assert drawn_tree() == actual


def test_every_class_but_the_bases_has_an_example():
    assert {type(error) for error, _ in EXAMPLES} == {*CLASSES} - BASES


def test_every_class_has_its_own_code_and_a_docstring():
    assert len({kind.code for kind in CLASSES}) == len(CLASSES)
    assert all("__doc__" in vars(kind) and kind.__doc__ for kind in CLASSES)


def test_an_unknown_tool_is_a_missing_key_too():
    with pytest.raises(KeyError) as caught:
        raise errors.UnknownTool("x", [])
    assert str(caught.value) == "no tool named 'x'"
