"""Random programs of the translated subset: what they return in Python must be what their translation returns in Coq.

They are rich in what a translation gets wrong: views of one array under several names, rows that are read and written
through two names, values that are exchanged, loops that are left early, nested loops and conditions. Some return two
numbers.
"""

from __future__ import annotations

import ast
import random
from typing import Any

import numpy as np

from proofs_tests.gallina.names import Function, NotTranslatedError
from proofs_tests.gallina.running import array, compared, matrix
from proofs_tests.gallina.translation import translated

__all__ = ["Program", "drawn"]

_SIZE, _ROWS = 4, 3
_KINDS = {"a": "int", "b": "int", "t": "arr", "u": "arr", "w": "arr2"}


class Program:
    """Draws one function of the subset."""

    def __init__(self, draws: random.Random) -> None:
        self.draws = draws
        self.names = 0
        self.pairs = draws.random() < 0.3

    def fresh(self, letter: str) -> str:
        """Return a name that was not used before."""
        self.names += 1
        return f"{letter}{self.names}"

    def index(self, scope: dict[str, str], limit: int) -> str:
        """Draw an index below a limit."""
        loop = [n for n, kind in scope.items() if kind == f"index{limit}"]
        return self.draws.choice(loop) if loop and self.draws.random() < 0.7 else str(self.draws.randrange(limit))

    def cell(self, scope: dict[str, str]) -> str:
        """Draw a cell of an array, or of a view."""
        kind = self.draws.choice([kind for kind in ("array", "matrix", "view") if kind in scope.values()])
        name = self.draws.choice([n for n, k in scope.items() if k == kind])
        if kind == "matrix":
            return f"{name}[{self.index(scope, _ROWS)}, {self.index(scope, _SIZE)}]"
        return f"{name}[{self.index(scope, 2 if kind == 'view' else _SIZE)}]"

    def number(self, scope: dict[str, str], depth: int = 2) -> str:
        """Draw an expression."""
        r = self.draws.random()
        if depth == 0 or r < 0.35:
            ints = [n for n, k in scope.items() if k == "int" or k.startswith("index")]
            return self.draws.choice([*ints, str(self.draws.randint(-2, 3))]) if r < 0.2 else self.cell(scope)
        a, b = self.number(scope, depth - 1), self.number(scope, depth - 1)
        if r < 0.7:
            return f"({a} {self.draws.choice('+-')} {b})"
        if r < 0.8:
            return self.draws.choice([f"({a} * {self.draws.randint(-1, 2)})", f"({a} // 2)", f"({a} % 3)"])
        if r < 0.9:
            forms = [f"abs({a})", f"min({a}, {b})", f"max({a}, {b})", f"(-{a})", "len(u)", "w.shape[1]"]
            return self.draws.choice(forms)
        return f"({a} if {self.condition(scope)} else {b})"

    def condition(self, scope: dict[str, str]) -> str:
        """Draw a condition."""
        a, b, c = (self.number(scope, 1) for _ in range(3))
        either = f"({a} > {b} or {b} == {c})"
        return self.draws.choice(
            [f"{a} < {b}", f"{a} >= {b}", f"{a} == {b}", f"{a} != {b}", f"{a} <= {b} < {c}", either]
        )

    def view(self, scope: dict[str, str]) -> str:
        """Draw a part of an array."""
        low = self.draws.randint(0, 2)
        name = self.draws.choice([n for n, k in scope.items() if k in ("array", "matrix")])
        part = f"{low}:{low + 2}"
        return f"{name}[{self.index(scope, _ROWS)}, {part}]" if scope[name] == "matrix" else f"{name}[{part}]"

    def simple(self, scope: dict[str, str], indent: str) -> str:
        """Draw a statement that is not a loop or a branch; what it binds is added to the scope."""
        r, ints = self.draws.random(), [n for n, k in scope.items() if k == "int"]
        if r < 0.2:
            name, value = self.draws.choice([*ints, self.fresh("n")]), self.number(scope)
            scope[name] = "int"
            return f"{indent}{name} = {value}"
        if r < 0.35:
            a, b = self.draws.sample(ints, 2)
            return f"{indent}{a}, {b} = {b}, {self.number(scope)}"
        if r < 0.5:
            name, value = self.fresh("v"), self.view(scope)
            scope[name] = "view"
            return f"{indent}{name} = {value}"
        if r < 0.8:
            return f"{indent}{self.cell(scope)} {self.draws.choice(['=', '+=', '-='])} {self.number(scope)}"
        if r < 0.87:
            return f"{indent}u[1:3] = t[{self.draws.choice(['0:2', '2:', ':2'])}]"
        if r < 0.93:
            return f"{indent}{self.draws.choice('tu')}[:] = {self.number(scope)}"
        return f"{indent}{self.draws.choice(ints)} += {self.number(scope)}"

    def compound(self, scope: dict[str, str], depth: int, indent: str, *, looped: bool) -> list[str]:
        """Draw a branch or a loop."""
        deeper, r = indent + "    ", self.draws.random()
        if r < 0.15 and looped:
            return [f"{indent}if {self.condition(scope)}:", self.simple(dict(scope), deeper), f"{deeper}continue"]
        if r < 0.3:
            second = f", {self.number(scope)}" if self.pairs else ""
            last = f"{deeper}return {self.number(scope)}{second}"
            return [f"{indent}if {self.condition(scope)}:", self.simple(dict(scope), deeper), last]
        if r < 0.6:
            lines = [f"{indent}if {self.condition(scope)}:", *self.block(dict(scope), depth - 1, deeper)]
            if self.draws.random() < 0.6:
                lines += [f"{indent}else:", *self.block(dict(scope), depth - 1, deeper)]
            return lines
        if r < 0.85:
            name, limit = self.fresh("i"), self.draws.choice([2, _ROWS, _SIZE])
            a, b = (self.draws.choice([n for n, k in scope.items() if k == "int"]) for _ in range(2))
            start, step = f"min(max({a}, 0), 2)", f"max({b}, 1)"  # the loop changes both
            heads = [f"range({limit})", f"range(1, {limit})", f"range(0, {limit}, 2)", f"range(1, {limit}, 2)"]
            heads += [f"range({start}, {limit})", f"range({start}, {limit}, {step})", f"range(0, {limit}, {step})"]
            last = [f"{deeper}{a} += {name}", f"{deeper}{b} += 1"] if self.draws.random() < 0.5 else []
            inner = {**scope, name: f"index{limit}"}
            head = f"{indent}for {name} in {self.draws.choice(heads)}:"
            return [head, *self.block(inner, depth - 1, deeper, looped=True), *last]
        name = self.fresh("k")
        body = [line for line in self.block(dict(scope), depth - 1, deeper) if "return" not in line]
        head = [f"{indent}{name} = 0", f"{indent}while {name} < {self.draws.randint(1, 3)}:"]
        return [*head, *body, f"{deeper}{name} += 1"]

    def block(self, scope: dict[str, str], depth: int, indent: str, *, looped: bool = False) -> list[str]:
        """Draw some statements."""
        lines: list[str] = []
        for _ in range(self.draws.randint(2, 4)):
            if depth and self.draws.random() < 0.3:
                lines += self.compound(scope, depth, indent, looped=looped)
            else:
                lines.append(self.simple(scope, indent))
        return lines

    def text(self) -> str:
        """Return the source of the function; all of its arrays are results."""
        body = self.block({"a": "int", "b": "int", "t": "array", "u": "array", "w": "matrix"}, 3, "    ")
        touched = ["    t[0] += 0", "    u[0] += 0", "    w[0, 0] += 0"]
        return (
            "\n".join(["def f(a, b, t, u, w):", *body, *touched, f"    return a {',' if self.pairs else '+ 3 *'} b"])
            + "\n"
        )


def drawn(count: int, seed: int) -> list[str]:
    """Return Coq's goals for random programs: each returns in Coq what it returns in Python.

    Programs that the translation refuses are left out, and others are drawn in their place.
    """
    draws, goals = random.Random(seed), []
    while len(goals) < count:
        source = Program(draws).text()
        try:
            definition = translated(ast.parse(source), Function("drawn.py", "f", _KINDS))
        except NotTranslatedError:
            continue
        a, b = draws.randint(-5, 5), draws.randint(-5, 5)
        t, u = ([draws.randint(-5, 5) for _ in range(_SIZE)] for _ in range(2))
        w = [[draws.randint(-5, 5) for _ in range(_SIZE)] for _ in range(_ROWS)]
        room: dict[str, Any] = {}
        exec(source, room)
        arrays = [np.array(x, dtype=object) for x in (t, u, w)]
        answer = room["f"](a, b, *arrays)
        answers = answer if isinstance(answer, tuple) else (answer,)
        fuel = " 9" if "(fuel : nat)" in definition else ""
        call = f"f all{fuel} ({a}) ({b}) {array(t)} {array(u)} {matrix(w)}"
        goal = compared(f"numbers_of ({call})", [*answers, *arrays[0], *arrays[1], *arrays[2].ravel()])
        goals.append(f"Module P{len(goals)}.\n{definition}\n{goal}\nEnd P{len(goals)}.")
    return goals
