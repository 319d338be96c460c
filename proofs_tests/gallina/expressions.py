"""Expressions in Gallina: numbers, conditions, and what a name is bound to."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from proofs_tests.gallina.names import ARRAYS, CUTS, FLAT, Env, Function, NotTranslatedError, View, coq

__all__ = ["ARITHMETIC", "Expressions"]

_COMPARE = {ast.Lt: "<?", ast.LtE: "<=?", ast.Eq: "=?"}
ARITHMETIC = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "quotient", ast.Mod: "remainder"}


@dataclass
class Expressions:
    """Writes what one function computes."""

    function: Function
    constants: Mapping[str, int]
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    loops: int = 0
    temporaries: int = 0
    empties: int = 0
    used: set[str] = field(default_factory=set)
    has_while: bool = False
    forms: set[str] = field(default_factory=set)
    """What it returns: a "quotient" is two numbers in Coq, as "several" may be."""
    results: tuple[str, ...] = ()
    """The parameters that it changes, which are returned besides."""

    # ------------------------------------------------------------------ writing

    def refused(self, node: ast.AST, why: str) -> NotTranslatedError:
        """Return the error that says where something has no translation, and why."""
        place = f"{self.function.file}:{getattr(node, 'lineno', '?')}"
        return NotTranslatedError(f"{place}: {self.function.name}: {why}")

    def put(self, line: str) -> None:
        """Write a line."""
        self.lines.append("  " * self.depth + line)

    def bind(self, call: str) -> str:
        """Write a computation; return the new name of its result."""
        self.temporaries += 1
        name = f"t{self.temporaries}"
        self.put(f"let! {name} := {call} in")
        return name

    def saved(self, call: str) -> str:
        """Give a name of its own to what `value` returned."""
        if call.startswith("!"):
            return self.bind(call[1:])
        self.temporaries += 1
        self.put(f"let t{self.temporaries} := {call} in")
        return f"t{self.temporaries}"

    def array(self, node: ast.expr, env: Env) -> tuple[str, object]:
        """Return the name and the kind of an array or a view."""
        match node:
            case ast.Call(func=ast.Attribute(value=a, attr="tolist")):
                return self.array(a, env)
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if env.get(name) == "cuts" and attr in CUTS:
                return f"{name}_{attr}", "arr"
            case ast.Name(id=name) if env.get(name) in ARRAYS or isinstance(env.get(name), View):
                return coq(name), env[name]
        raise self.refused(node, f"{ast.unparse(node)} is not an array here")

    # ---------------------------------------------------------------- numbers

    def number(self, node: ast.expr, env: Env) -> str:
        """Write what computes a number; return the atom that names it."""
        match node:
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                if abs(value) >= 2**63:
                    raise self.refused(node, f"{value} is not a number of 64 bits")
                return str(value) if value >= 0 else f"({value})"
            case ast.Name(id=name):
                if env.get(name) == "int":
                    return coq(name)
                if name not in env and name in self.constants:
                    self.used.add(name)
                    return coq(name)
                raise self.refused(node, f"{name} has no value here, or is not a number")
            case ast.BinOp(left=ast.Compare() as left, op=ast.Sub(), right=ast.Compare() as right):  # a sign
                a, b = (f"(Z.b2z ({self.condition(truth, env)}))" for truth in (left, right))
                return self.bind(f"sub fits {a} {b}")
            case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
                a, b = self.number(left, env), self.number(right, env)
                return self.bind(f"{ARITHMETIC[type(op)]} fits {a} {b}")
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return self.bind(f"sub fits 0 {self.number(inner, env)}")
            case ast.IfExp():
                return self.choice(node, env)
            case ast.Call():
                return self.called(node, env)
            case ast.Subscript(value=ast.Attribute(value=a, attr="shape"), slice=ast.Constant(value=axis)):
                name, kind = self.array(a, env)
                if kind == "arr" and axis == 0:
                    return f"(len {name})"
                if kind == "arr2" and axis in (0, 1):
                    return f"({'cols' if axis else 'rows'} {name})"
            case ast.Subscript(value=a, slice=index):
                name, kind = self.array(a, env)
                return self.bind(self.read(node, name, kind, index, env))
        raise self.refused(node, f"no translation for the number {ast.unparse(node)}")

    def called(self, node: ast.Call, env: Env) -> str:
        """Write a call that gives a number."""
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[a], keywords=[]) if "len" not in env:
                name, kind = self.array(a, env)
                return f"(vlen {name})" if isinstance(kind, View) else f"({'len' if kind in FLAT else 'rows'} {name})"
            case ast.Call(func=ast.Name(id=name), args=[a], keywords=[]) if (
                name == "abs" and name not in env
            ) or env.get(name) == "abs":
                return self.bind(f"absolute fits {self.number(a, env)}")
            case ast.Call(func=ast.Name(id=name), args=[a, b], keywords=[]) if (
                name in ("min", "max") and name not in env
            ) or env.get(name) == "min":
                return f"(Z.{'max' if name == 'max' else 'min'} {self.number(a, env)} {self.number(b, env)})"
            case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr="int64"), args=[inner], keywords=[]):
                return self.number(inner, env)
        raise self.refused(node, f"no translation for the number {ast.unparse(node)}")

    def choice(self, node: ast.IfExp, env: Env) -> str:
        """Write ``e if c else f``, of which one side only is computed."""
        before, depth, self.lines = self.lines, self.depth, []
        self.depth += 1
        cases = []
        for branch in (node.body, node.orelse):
            self.lines = []
            atom = self.number(branch, env)
            cases.append([*self.lines, "  " * self.depth + f"Some {atom}"])
        self.lines, self.depth = before, depth
        condition = self.condition(node.test, env)
        self.temporaries += 1
        name = f"t{self.temporaries}"
        self.put(f"let! {name} := if {condition} then")
        self.lines += cases[0]
        self.put("else")
        self.lines += cases[1]
        self.put("in")
        return name

    def index(self, name: str, node: ast.expr, env: Env) -> str:
        """Write an index; ``a[-1]`` is the only one that counts from the end."""
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)) if type(value) is int:
                return f"(len {name} - {value})"
        return self.number(node, env)

    def read(self, node: ast.expr, name: str, kind: object, index: ast.expr, env: Env) -> str:
        """Return the computation that reads a cell."""
        if kind == "arr2":
            if not (isinstance(index, ast.Tuple) and len(index.elts) == 2):
                raise self.refused(node, "a row is not a number")
            i, j = (self.number(e, env) for e in index.elts)
            return f"get2 {name} {i} {j}"
        if isinstance(index, ast.Slice | ast.Tuple):
            raise self.refused(node, "a part of an array is not a number")
        if isinstance(kind, View):
            return f"vget{kind.axes} {coq(kind.base)} {name} {self.number(index, env)}"
        return f"get {name} {self.index(name, index, env)}"

    def condition(self, node: ast.expr, env: Env) -> str:
        """Write what a condition needs; return it as a truth value of Coq."""
        match node:
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                atoms = [self.number(e, env) for e in (left, *comparators)]
                return " && ".join(self.compared(node, *each) for each in zip(atoms, ops, atoms[1:], strict=False))
            case ast.BoolOp(op=op, values=values):
                sign = " && " if isinstance(op, ast.And) else " || "
                return sign.join(f"({self.condition(v, env)})" for v in values)
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return f"negb ({self.condition(inner, env)})"
        raise self.refused(node, f"no translation for the condition {ast.unparse(node)}")

    def compared(self, node: ast.expr, a: str, op: ast.cmpop, b: str) -> str:
        """Return a comparison of two atoms."""
        match op:
            case ast.Gt() | ast.GtE():
                return f"({b} {'<?' if isinstance(op, ast.Gt) else '<=?'} {a})"
            case ast.NotEq():
                return f"negb ({a} =? {b})"
            case _ if type(op) in _COMPARE:
                return f"({a} {_COMPARE[type(op)]} {b})"
        raise self.refused(node, f"no translation for the comparison {ast.unparse(node)}")

    def value(self, node: ast.expr, env: Env, *, result: bool = False) -> tuple[str, object]:
        """Return what a name is bound to, with a leading ! if it is computed in the monad, and its kind."""
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr="empty"), args=[size, dtype], keywords=[]):
                self.whole_numbers(dtype, env)
                if self.loops or isinstance(size, ast.Tuple):
                    raise self.refused(node, "np.empty must be outside loops and make one axis")
                self.empties += 1
                return f"!fresh (junk {self.empties - 1}%nat) {self.number(size, env)}", "arr"
            case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr="zeros"), args=[size, dtype], keywords=[]):
                self.whole_numbers(dtype, env)
                if isinstance(size, ast.Tuple) and len(size.elts) == 2:
                    n, m = (self.number(e, env) for e in size.elts)
                    return f"!zeros2 {n} {m}", "arr2"
                return f"!zeros {self.number(size, env)}", "arr"
            case ast.BinOp(left=ast.List(elts=[first]), op=ast.Mult(), right=size):
                value, length = self.number(first, env), self.number(size, env)
                return f"fill {value} (Arr (Z.max 0 {length}) (fun _ => 0))", "list"
            case ast.List(elts=[first]):
                return f"one {self.number(first, env)}", "list"
            case ast.Subscript(value=ast.Name() as a, slice=index) if view := self.view(a, index, env):
                return view
        if result:  # spare a temporary: what was bound last is the value
            atom = self.number(node, env)
            last = self.lines[-1].strip() if self.lines else ""
            if last.startswith(f"let! {atom} := ") and last.endswith(" in"):
                self.lines.pop()
                return "!" + last.removeprefix(f"let! {atom} := ").removesuffix(" in"), "int"
            return atom, "int"
        return self.number(node, env), "int"

    def view(self, a: ast.Name, index: ast.expr, env: Env) -> tuple[str, View] | None:
        """Return a row or a part of an array, if an index gives one."""
        name, kind = self.array(a, env)
        match kind, index:
            case "arr2", ast.Tuple(elts=[row, ast.Slice() as part]):
                i = self.number(row, env)
                lo, hi = self.limits(part, f"(cols {name})", env)
                return f"!view2 {name} {i} {lo} {hi}", View(a.id, 2)
            case "arr2", ast.Tuple() | ast.Slice():
                return None
            case "arr2", _:
                return f"!view2 {name} {self.number(index, env)} 0 (cols {name})", View(a.id, 2)
            case "arr", ast.Slice():
                lo, hi = self.limits(index, f"(len {name})", env)
                return f"!view1 {name} {lo} {hi}", View(a.id, 1)
        return None

    def whole_numbers(self, dtype: ast.expr, env: Env) -> None:
        """Refuse a new array that holds something else than whole numbers of 64 bits, or of an array's own type."""
        match dtype:
            case ast.Attribute(value=ast.Name(id=name), attr="dtype") if env.get(name) in ("arr", "arr2"):
                return
            case ast.Attribute(value=ast.Name(id="np"), attr="int64"):
                return
        raise self.refused(dtype, f"an array of {ast.unparse(dtype)}, which is not np.int64 or an array's own type")

    def limits(self, node: ast.Slice, end: str, env: Env) -> tuple[str, str]:
        """Return both ends of a slice."""
        if node.step is not None:
            raise self.refused(node, "a slice with a step")
        lo = self.number(node.lower, env) if node.lower else "0"
        hi = self.number(node.upper, env) if node.upper else end
        return lo, hi
