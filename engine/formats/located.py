"""JSON whose every value knows its line and column, so that errors in its content can say where.

Stricter than the standard library's reader: no NaN, no duplicate keys, no halves of characters, a bound on
depth.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from engine.formats.errors import FormatError, Spot, shown

MAX_DEPTH = 20

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,39})(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,3})?(?![0-9.eE])")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"')
_HALF = re.compile("[\ud800-\udfff]")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


@dataclass(frozen=True)
class Node:
    """A JSON value and where it stands. value: dict of nodes, list of nodes, or a plain scalar."""

    value: Any
    spot: Spot

    def plain(self) -> Any:
        """The value without places."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value

    def fail(self, message: str) -> FormatError:
        return FormatError(message, self.spot)

    def record(self, what: str, required: Iterable[str], optional: Iterable[str] = ()) -> dict[str, Node]:
        """The members of an object whose keys are known. Raises FormatError on missing and unknown keys."""
        if not isinstance(self.value, dict):
            raise self.fail(f"{what}: expected an object")
        members: dict[str, Node] = self.value
        known = [*required]
        for key in known:
            if key not in members:
                raise self.fail(f"{what}: {key!r} is missing")
        known += optional
        for key, node in members.items():
            if key not in known:
                raise node.fail(f"{what}: unknown key {shown(key)}")
        return members

    def items(self, what: str) -> list[Node]:
        if not isinstance(self.value, list):
            raise self.fail(f"{what}: expected a list")
        return self.value

    def text(self, what: str) -> str:
        if not isinstance(self.value, str):
            raise self.fail(f"{what}: expected text, not {shown(self.plain())}")
        return self.value

    def whole(self, what: str) -> int:
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self.fail(f"{what}: expected a whole number, not {shown(self.plain())}")
        return self.value


def parse(text: str) -> Node:
    """Read one JSON value. Raises FormatError."""
    reader = _Reader(text)
    node = reader.value(0)
    if not reader.at_end():
        raise reader.fail("text after the end of the JSON value")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._line, self._line_start, self._counted = 1, 0, 0

    def spot(self) -> Spot:
        """Where reading has got to; line ends are counted once, as reading goes on."""
        newlines = self.text.count("\n", self._counted, self.at)
        if newlines:
            self._line += newlines
            self._line_start = self.text.rfind("\n", 0, self.at) + 1
        self._counted = self.at
        return Spot(self._line, self.at - self._line_start + 1)

    def fail(self, message: str) -> FormatError:
        return FormatError(f"not JSON: {message}", self.spot())

    def skip(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def at_end(self) -> bool:
        self.skip()
        return self.at == len(self.text)

    def take(self, mark: str) -> bool:
        self.skip()
        found = self.text.startswith(mark, self.at)
        self.at += len(mark) if found else 0
        return found

    def value(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.fail(f"nested deeper than {MAX_DEPTH}")
        self.skip()
        spot = self.spot()
        if self.take("{"):
            return Node(self.members(depth), spot)
        if self.take("["):
            return Node(self.elements(depth), spot)
        for word, value in _WORDS.items():
            if self.take(word):
                return Node(value, spot)
        if match := _STRING.match(self.text, self.at):
            text: str = json.loads(match[0])
            if _HALF.search(text):
                raise self.fail("text with half a character (a lone surrogate)")
            self.at = match.end()
            return Node(text, spot)
        if match := _NUMBER.match(self.text, self.at):
            self.at = match.end()
            return Node(float(match[0]) if match[1] or match[2] else int(match[0]), spot)
        raise self.fail("expected a value" if self.at < len(self.text) else "it ends too early")

    def members(self, depth: int) -> dict[str, Node]:
        out: dict[str, Node] = {}
        if self.take("}"):
            return out
        while True:
            key = self.value(depth + 1)
            if not isinstance(key.value, str):
                raise key.fail("not JSON: a key must be text")
            if key.value in out:
                raise key.fail(f"the key {shown(key.value)} stands twice")
            if not self.take(":"):
                raise self.fail("expected ':'")
            out[key.value] = self.value(depth + 1)
            if self.take("}"):
                return out
            if not self.take(","):
                raise self.fail("expected ',' or '}'")

    def elements(self, depth: int) -> list[Node]:
        out: list[Node] = []
        if self.take("]"):
            return out
        while True:
            out.append(self.value(depth + 1))
            if self.take("]"):
                return out
            if not self.take(","):
                raise self.fail("expected ',' or ']'")
