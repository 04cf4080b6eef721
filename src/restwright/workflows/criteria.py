"""
Criteria of steps and actions: simple conditions, patterns and JSONPath queries; no code is run.

A condition that cannot be evaluated fails, as the specification has it.

Source: Arazzo 1.1.0, "Criterion Object".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from restwright.jsontypes import Json, is_array, is_object
from restwright.openapi.load.json_path import compile_pattern
from restwright.workflows.expressions import (
    ABSENT,
    Expression,
    Scope,
    embed_expressions,
    evaluate_expression,
    find_expressions,
    find_paths,
    parse_expression,
    spell_value,
)

CriterionType = Literal["simple", "regex", "jsonpath"]
MAX_DEPTH = 50
"""Parentheses and negations inside of each other."""

_TOKEN = re.compile(
    r"\s*(?:(?P<operator>&&|\|\||[<>=!]=|[<>!()])"
    r"|(?P<text>'(?:[^']|'')*'|\"[^\"]*\")"
    r"|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])"
    r"|(?P<word>true|false|null)(?![\w.])"
    r"|(?P<expression>\{\$[^{}]+\}|\$[^\s<>=!&|()'\",]+))"
)
_WORDS: Mapping[str, Json] = {"true": True, "false": False, "null": None}
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


class UnusableCondition(Exception):
    """A condition that is none; the text says why."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that is written in a condition."""

    value: Json


@dataclass(frozen=True, slots=True)
class Condition:
    """An operator over its operands: `!` over one, all others over two."""

    operator: str
    operands: tuple[Node, ...]


Node = Constant | Expression | Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """
    One Criterion Object.

    Args:
        context: What a pattern or query looks at; None for a simple condition.
        parsed: Of a simple condition.
    """

    condition: str
    type: CriterionType = "simple"
    context: Expression | None = None
    parsed: Node | None = None

    def expressions(self) -> Iterator[Expression]:
        """Every runtime expression in it."""
        if self.parsed is not None:
            yield from _expressions_of(self.parsed)
            return
        if self.context is not None:
            yield self.context
        yield from find_expressions(self.condition)

    def is_met(self, scope: Scope) -> bool:
        """Whether it holds; what cannot be evaluated does not."""
        if self.parsed is not None:
            return bool(_evaluate(self.parsed, scope))
        found = None if self.context is None else evaluate_expression(self.context, scope)
        if found is None or found is ABSENT:
            return False
        condition = embed_expressions(self.condition, scope)
        if self.type == "jsonpath":
            return (is_object(found) or is_array(found)) and bool(find_paths(condition, found))
        pattern = compile_pattern(condition)
        return pattern is not None and pattern.is_valid(spell_value(found))


def make_criterion(condition: str, type_: str, context: str | None) -> Criterion:
    """
    Read one Criterion Object.

    Raises:
        UnusableCondition: It cannot be read, or is of a type that is not known here.
        UnusableRuntimeExpression: An expression in it is none.
    """
    if type_ == "simple":
        return Criterion(condition=condition, parsed=parse_condition(condition))
    if type_ != "regex" and type_ != "jsonpath":
        raise UnusableCondition(f"conditions of type {type_!r} are not evaluated")
    if context is None:
        raise UnusableCondition(f"a condition of type {type_!r} needs a `context`")
    if type_ == "regex" and "{$" not in condition and compile_pattern(condition) is None:
        raise UnusableCondition(f"{condition!r} is no pattern that is evaluated")
    made = Criterion(condition=condition, type=type_, context=parse_expression(context))
    for _ in made.expressions():
        pass
    return made


def parse_condition(text: str) -> Node:
    """
    Read a simple condition: literals, runtime expressions and operators.

    Raises:
        UnusableCondition: It is none.
        UnusableRuntimeExpression: An expression in it is none.
    """
    return _Parser(_split_tokens(text), text).parse()


def _split_tokens(text: str) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    place = 0
    while text[place:].strip():
        found = _TOKEN.match(text, place)
        if found is None:
            raise UnusableCondition(f"{text!r} cannot be read at {text[place:].strip()[:20]!r}")
        place = found.end()
        tokens.append((str(found.lastgroup), found[str(found.lastgroup)]))
    return tokens


class _Parser:
    """Reads tokens by the usual precedence: `||`, `&&`, comparison, `!`."""

    def __init__(self, tokens: Sequence[tuple[str, str]], text: str) -> None:
        self._tokens, self._text, self._place, self._depth = tokens, text, 0, 0

    def parse(self) -> Node:
        node = self._either()
        if self._place < len(self._tokens):
            raise self._fault()
        return node

    def _either(self) -> Node:
        return self._joined("||", self._both)

    def _both(self) -> Node:
        return self._joined("&&", self._comparison)

    def _joined(self, operator: str, operand: Callable[[], Node]) -> Node:
        node = operand()
        while self._take({operator}):
            node = Condition(operator, (node, operand()))
        return node

    def _comparison(self) -> Node:
        node = self._single()
        if operator := self._take(_COMPARISONS):
            return Condition(operator, (node, self._single()))
        return node

    def _single(self) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise UnusableCondition(f"{self._text[:80]!r} is nested more than {MAX_DEPTH} deep")
        try:
            if self._take({"!"}):
                return Condition("!", (self._single(),))
            if self._take({"("}):
                node = self._either()
                if not self._take({")"}):
                    raise self._fault()
                return node
            return self._operand()
        finally:
            self._depth -= 1

    def _operand(self) -> Node:
        if self._place == len(self._tokens):
            raise self._fault()
        kind, text = self._tokens[self._place]
        self._place += 1
        if kind == "expression":
            return parse_expression(text.strip("{}"))
        if kind == "text":
            return Constant(text[1:-1].replace("''", "'") if text[0] == "'" else text[1:-1])
        if kind == "number":
            return Constant(float(text) if set(text) & set(".eE") else int(text))
        if kind == "word":
            return Constant(_WORDS[text])
        self._place -= 1
        raise self._fault()

    def _take(self, operators: frozenset[str] | set[str]) -> str:
        if self._place < len(self._tokens):
            kind, text = self._tokens[self._place]
            if kind == "operator" and text in operators:
                self._place += 1
                return text
        return ""

    def _fault(self) -> UnusableCondition:
        rest = "".join(text for _, text in self._tokens[self._place :])
        where = f"at {rest[:20]!r}" if rest else "to its end"
        return UnusableCondition(f"{self._text!r} cannot be read {where}")


def _expressions_of(node: Node) -> Iterator[Expression]:
    if isinstance(node, Expression):
        yield node
    elif isinstance(node, Condition):
        for operand in node.operands:
            yield from _expressions_of(operand)


def _evaluate(node: Node, scope: Scope) -> Json:
    if isinstance(node, Constant):
        return node.value
    if isinstance(node, Expression):
        found = evaluate_expression(node, scope)
        return None if found is ABSENT else found
    first = _evaluate(node.operands[0], scope)
    if node.operator == "!":
        return not first
    if node.operator == "&&":
        return bool(first) and bool(_evaluate(node.operands[1], scope))
    if node.operator == "||":
        return bool(first) or bool(_evaluate(node.operands[1], scope))
    return _compare(node.operator, first, _evaluate(node.operands[1], scope))


def _compare(operator: str, first: Json, second: Json) -> bool:
    first, second = _to_comparable(first, second)
    if operator in {"==", "!="}:
        return (first == second) is (operator == "==")
    if not (_is_number(first) and _is_number(second)) and not (
        isinstance(first, str) and isinstance(second, str)
    ):
        return False
    return {
        "<": first < second,
        "<=": first <= second,
        ">": first > second,
        ">=": first >= second,
    }[operator]


def _to_comparable(first: Json, second: Json) -> tuple[Json, Json]:
    """Texts without regard to case, and those of numbers as numbers beside a number."""
    if isinstance(first, str) and isinstance(second, str):
        return first.casefold(), second.casefold()
    return _to_number(first, second), _to_number(second, first)


def _to_number(value: Json, other: Json) -> Json:
    """A value as it is compared with `other`; in Python a truth value would equal a number."""
    if isinstance(value, bool):
        return str(value) if _is_number(other) else value
    if not isinstance(value, str) or not _is_number(other):
        return value
    try:
        return float(value)
    except ValueError:
        return value


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
