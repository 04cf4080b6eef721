"""Which functions can be tools, and what is told of those that cannot."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import pytest

import restwright as rw
from restwright.errors import NameCollision, UsageError

if TYPE_CHECKING:
    from restwright.openapi.model import Missing


def takes_any_number(*words: str) -> None: ...


def takes_any_name(**words: str) -> None: ...


def takes_by_place(word: str, /) -> None: ...


def takes_what(word) -> None: ...


def takes_unknown(word: Missing) -> None: ...


def takes_class(word: object, socket: Callable[[], None]) -> None: ...


def takes_iterator(word: Strange) -> None: ...


def gives_strange() -> Strange:
    return Strange()


def generates() -> Iterator[int]:
    yield 1


async def generates_later() -> AsyncIterator[int]:
    yield 1


def needs_user(user: Annotated[str, rw.Injected]) -> None: ...


class Strange:
    pass


WHY: dict[Callable[..., Any], str] = {
    takes_any_number: "takes_any_number(words): takes any number of arguments",
    takes_any_name: "takes_any_name(words): takes arguments of any name",
    takes_by_place: "takes_by_place(word): cannot be given by its name",
    takes_what: "takes_what(word): it has no annotation; write its type: `name: str`",
    takes_unknown: "takes_unknown: an annotation names Missing, which is not there",
    takes_class: "takes_class: a type has no JSON Schema",
    takes_iterator: "takes_iterator(word): its type stands for no JSON",
    gives_strange: "gives_strange(...) ->: its type stands for no JSON",
    generates: "generates: a generator cannot be a tool; return a list",
    generates_later: "generates_later: a generator cannot be a tool; return a list",
    needs_user: "user: nobody fills it in, and no model may; give inject={'user': ...}",
    Strange: "this is no function",
}


@pytest.mark.parametrize("function", WHY, ids=lambda each: each.__name__)
def test_what_cannot_be_a_tool_is_refused_when_it_is_given(function: Callable[..., Any]) -> None:
    with pytest.raises(UsageError) as raised:
        rw.functions(function)
    assert WHY[function] in str(raised.value)


def test_nothing_and_two_of_one_name_are_refused() -> None:
    def f() -> None: ...

    with pytest.raises(UsageError, match="no function is given"):
        rw.functions()
    with pytest.raises(NameCollision):
        rw.functions(f, f)
    with pytest.raises(UsageError, match="has such an injected parameter"):
        rw.functions(f, inject={"user": 1})
    with pytest.raises(UsageError, match=r"controller\(Strange\(\)\)"):
        rw.controller(Strange)
    with pytest.raises(UsageError, match="no public method"):
        rw.controller(Strange())


class Doubler:
    """Doubles."""

    async def __call__(self, number: int) -> int:
        """Twice a number."""
        return 2 * number


def power(base: int, exponent: int) -> int:
    """A power."""
    return base**exponent


def later() -> Awaitable[int]:
    async def give() -> int:
        return 7

    return give()


def call(tools: rw.Catalog, name: str, **arguments: Any) -> rw.Result:
    return rw.call(tools[f"functions__{name}"], arguments, policy=rw.policy.ALLOW)


def test_what_is_callable_is_a_tool_whatever_it_is() -> None:
    tools = rw.functions(Doubler(), partial(power, exponent=2), later, "text".upper)
    assert tools.names == tuple(
        f"functions__{name}" for name in ("Doubler", "power", "later", "upper")
    )
    assert tools["functions__power"].shows["properties"] == {"base": {"type": "integer"}}
    assert tools["functions__Doubler"].description == "Twice a number."
    assert call(tools, "Doubler", number=4).value == 8
    assert call(tools, "power", base=4).value == 16
    assert call(tools, "later").value == 7
    assert call(tools, "upper").value == "TEXT"


def test_names_that_no_field_of_a_model_may_have_are_names_of_parameters() -> None:
    def f(schema: str, copy: int, model_config: bool, _x: str, json: str = "") -> list[object]:
        return [schema, copy, model_config, _x, json]

    tools = rw.functions(f)
    result = call(tools, "f", schema="s", copy=1, model_config=True, _x="x")
    assert result.value == ["s", 1, True, "x", ""]


def test_a_default_is_told_and_stays_pythons_own() -> None:
    seen: list[object] = []
    nothing = object()

    def f(words: list[str] = ["a"], other: Any = nothing, gap: float = 0.5) -> None:  # noqa: B006
        seen.extend([words, other, gap])

    tools = rw.functions(f)
    properties = tools["functions__f"].shows["properties"]
    assert {name: own.get("default", "none") for name, own in properties.items()} == {
        "words": ["a"],
        "other": "none",
        "gap": 0.5,
    }
    call(tools, "f")
    assert seen[0] is f.__defaults__[0]
    assert seen[1:] == [nothing, 0.5]


USER: ContextVar[str] = ContextVar("USER")


def test_what_a_program_fills_in_is_shown_to_no_model_and_taken_from_none() -> None:
    def greet(word: str, user: Annotated[str, rw.Injected], loud: Annotated[bool, rw.Injected] = True) -> str:  # fmt: skip  # noqa: E501
        return f"{word} {user}{'!' if loud else ''}"

    tools = rw.functions(greet, inject={"user": USER})
    assert [*tools["functions__greet"].shows["properties"]] == ["word"]
    for user in ("ada", "eve"):
        USER.set(user)
        assert call(tools, "greet", word="hello").value == f"hello {user}!"
    refused = call(tools, "greet", word="hello", user="root")
    assert refused.kind == "mismatch"
    assert "/user" in refused.text


def test_a_secret_is_given_as_it_is_annotated_and_masked_where_it_is_told() -> None:
    def leak(
        key: Annotated[str, rw.Injected], whole: Annotated[rw.Secret | None, rw.Injected]
    ) -> list[str]:
        assert whole is not None
        return [key, whole.reveal(), str(whole)]

    def fail(key: Annotated[str, rw.Injected]) -> None:
        raise rw.Said(f"{key} is refused")

    secret = rw.Secret("hunter2-hunter2")
    tools = rw.functions(leak, fail, inject={"key": secret, "whole": secret})
    assert call(tools, "leak").value == ["***", "***", "***"]
    assert "hunter2" not in call(tools, "fail").text
