"""The translation of a function from Python to Gallina, from its syntax tree.

The subset; anything else raises `NotTranslatedError`, which says where and why::

    statements   x = e, x = y = e, x, y = e, f; x += e (and −=, ×=); a[i] = e, a[i, j] = e, a[i] += e, …
                 a[:] = e; a[lo:hi] = b[lo:hi]; a.append(e); if/else; while; pass; return and continue
                 for x in range(…), for x in a, for i, x in enumerate(a), for x, y in zip(a, b, strict=True)
    numbers      +, −, *, // and % by what is positive, unary −, abs, min, max, len(a), a.shape[i], np.int64(e),
                 e if c else f, whole constants, sum(e for x in …, start), truth values in arithmetic;
                 / only in what is returned
    conditions   ==, !=, <, <=, >, >= of numbers, chained or joined by and, or, not
    arrays       np.empty(n, …), np.zeros(n, …), np.zeros((n, m), …), [e], [e] * n, a call of a function that was
                 translated before and changes nothing; views a[i], a[lo:hi], a[i, lo:hi] of arrays, which may be read
                 and written through; `.tolist()` is passed through

A translated function is a computation in the option monad (``Kernel.v``): None stands for whatever the theorems must
rule out. An array's name is bound once, so a view always speaks of the array that it was made from, and is expanded to
it where it is used. What a loop assigns and had a value before is the loop's state; anything else that it assigns is
local to one pass, and so is its variable. Both sides of ``and`` and ``or`` are computed, so that a function whose
second condition is only defined after the first has a translation, but no proof.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["BUILTINS", "Function", "NotTranslatedError", "Translator", "translated"]


class NotTranslatedError(Exception):
    """The code uses something that has no translation."""


@dataclass(frozen=True)
class Function:
    """A function to translate.

    Attributes
    ----------
    file
        The file of the package that it stands in.
    name
        Its name there, and in Coq.
    kinds
        What each parameter is: "int", "arr" (an array with one axis), "arr2" (with two), "cuts" (a record of arrays),
        or "abs" (stands for the absolute value).
    proof
        The file of `coq/kernels` that proves what it returns.
    """

    file: str
    name: str
    kinds: Mapping[str, str]
    proof: str = ""


@dataclass(frozen=True)
class View:
    """What a name is that stands for a part of an array, which has so many axes."""

    base: str
    axes: int


Env = dict[str, object]
"""What a name stands for: "int", "arr", "arr2", "cuts", "abs", or a `View`."""


@dataclass(frozen=True)
class Frame:
    """Where a block of statements stands: what is handed on at its end, and whether it may be left early."""

    state: tuple[str, ...]
    whole: bool = False
    """Whether it is the body of the function."""
    left: bool = False
    """Whether a return is in it, so that its end is marked as such."""


CUTS = ("order", "low", "high", "weights")
BUILTINS = {"abs", "enumerate", "len", "max", "min", "range", "sum", "zip"}
_COMPARE = {ast.Lt: "<?", ast.LtE: "<=?", ast.Eq: "=?"}
_ARITHMETIC = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "quotient", ast.Mod: "remainder"}
_RESERVED = {"fits", "junk", "fuel", "at", "in", "as", "end", "let", "fun", "match", "with", "then", "else", "if"} | {
    *("len", "rows", "cols", "get", "set", "get2", "set2", "add", "sub", "mul", "num", "sum", "one", "fill", "exit"),
    *("append", "blit", "fresh", "zeros", "zeros2", "for_", "while", "steps", "view1", "view2", "inside", "part"),
    *("quotient", "remainder", "until", "guard", "bind", "absolute", "answer", "left", "right", "true", "false"),
    *("S", "O", "Some", "None", "Next", "Done", "pair", "tt", "inl", "inr", "exist", "conj", "I"),
}


def coq(name: str) -> str:
    """Return a name as Coq has it: what the target language uses itself gets a mark."""
    return f"{name}'" if name in _RESERVED else name


@dataclass
class Translator:
    """Writes one function."""

    function: Function
    constants: Mapping[str, int]
    known: frozenset[str] = frozenset()
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    loops: int = 0
    temporaries: int = 0
    empties: int = 0
    used: set[str] = field(default_factory=set)
    has_while: bool = False
    pure: bool = False
    """Whether it returns one array and changes none of its parameters, so that another function may call it."""
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
            case ast.Name(id=name) if env.get(name) in ("arr", "arr2") or isinstance(env.get(name), View):
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
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                a, b = self.number(left, env), self.number(right, env)
                return self.bind(f"{_ARITHMETIC[type(op)]} fits {a} {b}")
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return self.bind(f"sub fits 0 {self.number(inner, env)}")
            case ast.Compare():
                return f"(Z.b2z ({self.condition(node, env)}))"  # a truth value in arithmetic
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
            case ast.Call(
                func=ast.Name(id="sum"), args=[ast.GeneratorExp(elt=elt, generators=[g]), start], keywords=[]
            ) if not g.ifs and "sum" not in env:
                # total = start; for …: total += elt
                self.temporaries += 1
                name = f"total{self.temporaries}"
                total = ast.Name(name, ast.Store(), **_where(node))
                local = dict(env)
                self.statement(ast.Assign([total], start, **_where(node)), local)
                step = ast.AugAssign(total, ast.Add(), elt, **_where(node))
                self.put(f"(* for {ast.unparse(g.target)} in {ast.unparse(g.iter)} *)")
                loop = ast.For(g.target, g.iter, [step], [], **_where(node))
                self.for_loop(loop, local, self.changed(loop.body, local))
                return name
            case ast.Call(func=ast.Name(id="len"), args=[a], keywords=[]) if "len" not in env:
                name, kind = self.array(a, env)
                return f"(vlen {name})" if isinstance(kind, View) else f"({'len' if kind == 'arr' else 'rows'} {name})"
            case ast.Call(func=ast.Name(id=name), args=[a], keywords=[]) if (
                name == "abs" and name not in env
            ) or env.get(name) == "abs":
                return self.bind(f"absolute fits {self.number(a, env)}")
            case ast.Call(func=ast.Name(id=("min" | "max") as name), args=[a, b], keywords=[]) if name not in env:
                return f"(Z.{name} {self.number(a, env)} {self.number(b, env)})"
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

    def ratio(self, node: ast.expr, env: Env) -> tuple[str, str]:
        """Return the numerator and the denominator of what a closed form returns; both sides of an if are computed."""
        match node:
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return self.number(left, env), self.number(right, env)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition = self.condition(test, env)
                (a, b), (c, d) = self.ratio(body, env), self.ratio(orelse, env)
                return f"(if {condition} then {a} else {c})", f"(if {condition} then {b} else {d})"
        return self.number(node, env), "1"

    def index(self, name: str, node: ast.expr, env: Env) -> str:
        """Write an index; ``a[-1]`` is the only one that counts from the end."""
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)):
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

    # --------------------------------------------------------------- statements

    def block(self, body: list[ast.stmt], env: Env, frame: Frame) -> None:
        """Write statements and what is handed on at their end."""
        for i, node in enumerate(body):
            rest = body[i + 1 :]
            match node:
                case ast.Return():
                    self.put(f"(* {ast.unparse(node)} *)")
                    self.returned(node, env, frame)
                    return
                case ast.Continue():
                    self.put("(* continue *)")
                    self.put(self.handed_on(frame))
                    return
                case ast.If(orelse=[]) if _leaves(node.body):
                    self.put(f"(* if {ast.unparse(node.test)} *)")
                    self.put(f"if {self.condition(node.test, env)} then")
                    self.depth += 1
                    self.block(node.body, dict(env), frame)
                    self.depth -= 1
                    self.put("else")
                    self.block(rest, env, frame)
                    return
                case ast.If() | ast.For() if _returns(node):
                    state = self.changed([node], env)
                    inner = Frame(state, left=True)
                    self.put(f"(* {ast.unparse(node).splitlines()[0].rstrip(':')} *)")
                    if isinstance(node, ast.If):
                        self.branches(node, env, inner, "exit")
                    else:
                        self.for_loop(node, env, state, left=True)
                    self.put("match exit with")
                    self.put(f"| Done answer => Some {'answer' if frame.whole else '(Done answer)'}")
                    self.put(f"| Next {_pattern(state).removeprefix(_TICK)} =>")
                    self.block(rest, env, frame)
                    self.put("end")
                    return
                case ast.If():
                    state = self.changed([*node.body, *node.orelse], env)
                    self.put(f"(* if {ast.unparse(node.test)} *)")
                    self.branches(node, env, Frame(state), _pattern(state))
                case ast.For(orelse=[]):
                    self.put(f"(* for {ast.unparse(node.target)} in {ast.unparse(node.iter)} *)")
                    self.for_loop(node, env, self.changed(node.body, env))
                case ast.While(orelse=[]) if not _returns(node):
                    self.while_loop(node, env)
                case _:
                    self.put(f"(* {ast.unparse(node)} *)")
                    self.statement(node, env)
        self.put(self.handed_on(frame))

    def handed_on(self, frame: Frame) -> str:
        """Return what the end of a block gives."""
        if frame.whole:
            return f"Some {_tuple(self.results)}"
        return f"Some (Next {_tuple(frame.state)})" if frame.left else f"Some {_tuple(frame.state)}"

    def returned(self, node: ast.Return, env: Env, frame: Frame) -> None:
        """Write what the function returns: its value, and the arrays that it changed."""
        answers = [coq(name) for name in self.results]
        match node.value:
            case None:
                pass
            case ast.Constant(value=bool() as value):
                answers.insert(0, str(value).lower())
            case ast.Name(id=name) if env.get(name) in ("arr", "arr2"):
                self.pure = not (self.results or self.empties or self.has_while or self.used)
                answers.insert(0, coq(name))
            case value if any(isinstance(n, ast.Div) for n in ast.walk(value)):
                numerator, denominator = self.ratio(value, env)
                self.put(f"let! _ := guard (negb ({denominator} =? 0)) in")
                answers = [numerator, denominator, *answers]
            case value:
                answers.insert(0, self.number(value, env))
        if not (frame.whole or frame.left):
            raise self.refused(node, "a return stands where none can be translated")
        answer = answers[0] if len(answers) == 1 else f"({', '.join(answers)})"
        self.put(f"Some {answer}" if frame.whole else f"Some (Done {answer})")

    def statement(self, node: ast.stmt, env: Env) -> None:
        """Write a statement that is not a loop, a branch or a return."""
        match node:
            case ast.Pass():
                return
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                self.parallel(node, targets, values, env)
            case ast.Assign(targets=targets, value=value) if all(isinstance(t, ast.Name) for t in targets):
                call, kind = self.value(value, env, result=len(targets) == 1)
                if len(targets) > 1 and kind != "int":
                    raise self.refused(node, "two names for one array")
                for t in targets:
                    self.name(t, call, kind, env)
            case ast.Assign(targets=[ast.Subscript() as target], value=value):
                self.store(target, value, env)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value) if type(op) in _ARITHMETIC:
                a, b = self.number(ast.Name(name, ast.Load(), **_where(target)), env), self.number(value, env)
                self.put(f"let! {coq(name)} := {_ARITHMETIC[type(op)]} fits {a} {b} in")
            case ast.AugAssign(target=ast.Subscript() as target, op=op, value=value) if type(op) in _ARITHMETIC:
                load = ast.Subscript(target.value, target.slice, ast.Load(), **_where(target))
                self.store(target, ast.BinOp(load, op, value, **_where(target)), env)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=a, attr="append"), args=[value], keywords=[])):
                name, kind = self.array(a, env)
                if kind != "arr":
                    raise self.refused(node, "only a list can grow")
                self.put(f"let {name} := append {name} {self.number(value, env)} in")
            case _:
                raise self.refused(node, f"no translation for {ast.unparse(node).splitlines()[0]}")

    def parallel(self, node: ast.stmt, targets: list[ast.expr], values: list[ast.expr], env: Env) -> None:
        """Write ``x, y = e, f``: all right sides are computed before any name is bound."""
        if len(targets) != len(values) or not all(isinstance(t, ast.Name) for t in targets):
            raise self.refused(node, "only names can be assigned in parallel, as many as there are values")
        names = {t.id for t in targets}  # type: ignore[attr-defined]
        if len(names) < len(targets):
            raise self.refused(node, "a name occurs twice on the left")
        bound = [self.value(v, env) for v in values]
        read = {word for call, _ in bound for word in re.findall(r"[\w']+", call)}
        if read & set(map(coq, names)):  # a swap: what was read first must not be what was just bound
            bound = [(self.saved(call), kind) for call, kind in bound]
        for t, (call, kind) in zip(targets, bound, strict=True):
            self.name(t, call, kind, env)

    def name(self, target: ast.expr, call: str, kind: object, env: Env) -> None:
        """Bind a name to what `value` returned."""
        assert isinstance(target, ast.Name)
        before = env.get(target.id)
        if before is not None and (before != "int" or kind != "int"):
            raise self.refused(target, f"{target.id} is bound a second time and is an array")
        self.put(f"let{'!' if call.startswith('!') else ''} {coq(target.id)} := {call.lstrip('!')} in")
        env[target.id] = kind

    def value(self, node: ast.expr, env: Env, *, result: bool = False) -> tuple[str, object]:
        """Return what a name is bound to, with a leading ! if it is computed in the monad, and its kind."""
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr="empty"), args=[size, *_]):
                if self.loops or isinstance(size, ast.Tuple):
                    raise self.refused(node, "np.empty must be outside loops and make one axis")
                self.empties += 1
                return f"!fresh (junk {self.empties - 1}%nat) {self.number(size, env)}", "arr"
            case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr="zeros"), args=[size, *_]):
                if isinstance(size, ast.Tuple) and len(size.elts) == 2:
                    n, m = (self.number(e, env) for e in size.elts)
                    return f"!zeros2 {n} {m}", "arr2"
                return f"!zeros {self.number(size, env)}", "arr"
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in self.known and name not in env:
                return f"!{coq(name)} fits {' '.join(self.argument(a, env) for a in args)}", "arr"
            case ast.BinOp(left=ast.List(elts=[first]), op=ast.Mult(), right=size):
                value, length = self.number(first, env), self.number(size, env)
                return f"fill {value} (Arr (Z.max 0 {length}) (fun _ => 0))", "arr"
            case ast.List(elts=[first]):
                return f"one {self.number(first, env)}", "arr"
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

    def argument(self, node: ast.expr, env: Env) -> str:
        """Return an argument of a call: the name of an array, or a number."""
        if isinstance(node, ast.Name) and env.get(node.id) in ("arr", "arr2"):
            return coq(node.id)
        return self.number(node, env)

    def limits(self, node: ast.Slice, end: str, env: Env) -> tuple[str, str]:
        """Return both ends of a slice."""
        if node.step is not None:
            raise self.refused(node, "a slice with a step")
        lo = self.number(node.lower, env) if node.lower else "0"
        hi = self.number(node.upper, env) if node.upper else end
        return lo, hi

    def store(self, target: ast.Subscript, value: ast.expr, env: Env) -> None:
        """Write an assignment to a cell or to a part of an array."""
        name, kind = self.array(target.value, env)
        index = target.slice
        if isinstance(index, ast.Slice):
            self.store_part(target, name, kind, value, env)
            return
        atom = self.number(value, env)
        if kind == "arr2":
            if not (isinstance(index, ast.Tuple) and len(index.elts) == 2):
                raise self.refused(target, "a whole row is assigned")
            i, j = (self.number(e, env) for e in index.elts)
            self.put(f"let! {name} := set2 {name} {i} {j} {atom} in")
        elif isinstance(kind, View):
            base = coq(kind.base)
            self.put(f"let! {base} := vset{kind.axes} {base} {name} {self.number(index, env)} {atom} in")
        else:
            self.put(f"let! {name} := set {name} {self.index(name, index, env)} {atom} in")

    def store_part(self, target: ast.Subscript, name: str, kind: object, value: ast.expr, env: Env) -> None:
        """Write ``a[:] = e`` or ``a[lo:hi] = b[lo:hi]``."""
        index = target.slice
        assert isinstance(index, ast.Slice)
        if kind != "arr":
            raise self.refused(target, "only a part of an array with one axis can be assigned")
        if index.lower is None and index.upper is None and index.step is None:
            self.put(f"let {name} := fill {self.number(value, env)} {name} in")
            return
        lo, hi = self.limits(index, f"(len {name})", env)
        if not (isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice)):
            raise self.refused(target, "only a part of an array can be assigned to a part of an array")
        other, other_kind = self.array(value.value, env)
        if other_kind != "arr" or other == name:
            raise self.refused(target, "only a part of another array can be assigned to a part of an array")
        lo2, hi2 = self.limits(value.slice, f"(len {other})", env)
        self.put(f"let! {name} := blit {name} {lo} {hi} {other} {lo2} {hi2} in")

    # -------------------------------------------------------------- control flow

    def changed(self, body: list[ast.stmt], env: Env) -> tuple[str, ...]:
        """Return the names with a value that a block changes, sorted; views count as their arrays."""
        views = {name: {kind.base} for name, kind in env.items() if isinstance(kind, View)}
        nodes = [node for statement in body for node in ast.walk(statement)]
        names = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        for node in nodes:  # views that are made inside
            match node:
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                    pairs = list(zip(targets, values, strict=False))
                case ast.Assign(targets=[target], value=value):
                    pairs = [(target, value)]
                case _:
                    continue
            for t, v in pairs:
                if isinstance(t, ast.Name) and isinstance(v, ast.Subscript) and isinstance(v.value, ast.Name):
                    views.setdefault(t.id, set()).add(v.value.id)
        for node in nodes:
            match node:
                case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
                    names |= views.get(name, set()) | {name}
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append")):
                    names.add(name)
        loops = [node.target for node in nodes if isinstance(node, ast.For)]
        targets = {n.id for target in loops for n in ast.walk(target) if isinstance(n, ast.Name)}
        if again := targets & env.keys() & names - {"_"}:
            raise self.refused(body[0], f"a loop variable had a value before: {', '.join(sorted(again))}")
        return tuple(sorted(name for name in names if name in env and not isinstance(env[name], View)))

    def inner(self, body: list[ast.stmt], env: Env, frame: Frame) -> None:
        """Write a block of its own."""
        self.depth += 2
        self.block(body, dict(env), frame)
        self.depth -= 2

    def branches(self, node: ast.If, env: Env, frame: Frame, pattern: str) -> None:
        """Write an if whose branches both go on."""
        condition = self.condition(node.test, env)
        if any(isinstance(n, ast.Continue) for n in ast.walk(node)) and not _own_loop(node):
            raise self.refused(node, "continue is only translated at the end of a branch that has no other way on")
        self.put(f"let! {pattern} := if {condition} then")
        self.inner(node.body, env, frame)
        self.put("  else")
        self.inner(node.orelse, env, frame)
        self.put("in")

    def for_loop(self, node: ast.For, env: Env, state: tuple[str, ...], *, left: bool = False) -> None:
        """Write a loop over numbers or over arrays that it does not change."""
        local = dict(env)
        targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
        if not all(isinstance(t, ast.Name) and t.id not in env for t in targets):
            raise self.refused(node, "a loop variable must be a name without a value before")
        names = [t.id for t in targets]  # type: ignore[attr-defined]
        count, counter, first = self.passes(node, names, state, env)
        local |= dict.fromkeys(names, "int")
        pattern = _pattern(state)
        loop, bound = ("until", "exit") if left else ("for_", pattern)
        self.put(f"let! {bound} := {loop} {count} (fun {counter} {pattern} =>")
        self.depth += 2
        for line in first:
            self.put(line)
        self.depth -= 2
        self.loops += 1
        self.inner(node.body, local, Frame(state, left=left))
        self.loops -= 1
        self.lines[-1] += f") {_tuple(state)} in"

    def passes(self, node: ast.For, names: list[str], state: tuple[str, ...], env: Env) -> tuple[str, str, list[str]]:
        """Return how often a loop runs, the name of its counter, and what is done first in each pass."""
        changing = set(map(coq, state))
        match node.iter:
            case ast.Call(func=ast.Name(id="range"), args=args, keywords=[]) if len(names) == 1:
                limits = [self.number(a, env) for a in args]
                start, stop = ("0", limits[0]) if len(limits) == 1 else limits[:2]
                step = limits[2] if len(limits) == 3 else "1"
                if step != "1":
                    self.put(f"let! _ := guard (0 <? {step}) in")
                if (start, step) == ("0", "1"):
                    return f"(Z.to_nat {stop})", coq(names[0]), []
                return f"(steps {start} {stop} {step})", "pass", [f"let {coq(names[0])} := {start} + pass * {step} in"]
            case ast.Call(func=ast.Name(id="enumerate"), args=[a], keywords=[]) if len(names) == 2:
                name, kind = self.array(a, env)
                if kind == "arr" and name not in changing:
                    counter = coq(names[0])
                    return f"(Z.to_nat (len {name}))", counter, [f"let! {coq(names[1])} := get {name} {counter} in"]
            case ast.Call(func=ast.Name(id="zip"), args=[_, *_] as args, keywords=[strict]) if (
                strict.arg == "strict" and ast.unparse(strict.value) == "True" and len(args) == len(names)
            ):
                arrays = [self.array(a, env) for a in args]
                base = arrays[0][0]
                if all(kind == "arr" and a not in changing for a, kind in arrays):
                    for other, _ in arrays[1:]:
                        self.put(f"let! _ := guard (len {base} =? len {other}) in")
                    first = [f"let! {coq(n)} := get {a} pass in" for n, (a, _) in zip(names, arrays, strict=True)]
                    return f"(Z.to_nat (len {base}))", "pass", first
            case _ if len(names) == 1:
                name, kind = self.array(node.iter, env)
                if kind == "arr" and name not in changing:
                    return f"(Z.to_nat (len {name}))", "pass", [f"let! {coq(names[0])} := get {name} pass in"]
            case _:
                raise self.refused(node, f"no translation for a loop over {ast.unparse(node.iter)}")
        raise self.refused(node, "a loop goes over something else than an unchanging array of numbers")

    def while_loop(self, node: ast.While, env: Env) -> None:
        """Write a while loop, which has fuel."""
        self.has_while = True
        state = self.changed(node.body, env)
        self.put(f"(* while {ast.unparse(node.test)} *)")
        self.put(f"let! {_pattern(state)} := while fuel (fun {_pattern(state)} =>")
        self.depth += 2
        condition = self.condition(node.test, env)
        self.put(f"Some ({condition}))")
        self.depth -= 2
        self.put(f"  (fun {_pattern(state)} =>")
        self.loops += 1
        self.inner(node.body, env, Frame(state))
        self.loops -= 1
        self.lines[-1] += f") {_tuple(state)} in"

    # ------------------------------------------------------------------ the whole

    def definition(self, node: ast.FunctionDef) -> str:
        """Return the definition in Gallina."""
        env: Env = {}
        parameters = []
        names = [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]
        if set(names) != self.function.kinds.keys():
            raise self.refused(node, f"its parameters are {', '.join(names)}, which is not what it was listed with")
        for name in names:
            kind = self.function.kinds[name]
            env[name] = kind
            if kind == "cuts":
                parameters += [f"({name}_{f} : arr)" for f in CUTS]
            elif kind != "abs":
                parameters.append(f"({coq(name)} : {'Z' if kind == 'int' else kind})")
        body = node.body[1:] if ast.get_docstring(node) is not None else list(node.body)
        self.results = tuple(n for n in self.changed(body, env) if env[n] in ("arr", "arr2"))
        self.block(body, env, Frame(self.results, whole=True))
        self.lines[-1] += "."
        head = f"Definition {coq(node.name)} (fits : Z -> bool)"
        if self.empties:
            head += " (junk : nat -> Z -> Z)"
        if self.has_while:
            head += " (fuel : nat)"
        head += "".join(f" ({coq(c)} : Z)" for c in sorted(self.used))
        return "\n".join([head + "\n    " + " ".join(parameters) + " :=", *self.lines])


_TICK = "'"


def _tuple(names: tuple[str, ...]) -> str:
    return "tt" if not names else coq(names[0]) if len(names) == 1 else f"({', '.join(map(coq, names))})"


def _pattern(names: tuple[str, ...]) -> str:
    return "_" if not names else coq(names[0]) if len(names) == 1 else f"{_TICK}({', '.join(map(coq, names))})"


def _where(node: ast.AST) -> dict[str, int]:
    return {"lineno": node.lineno, "col_offset": node.col_offset}  # type: ignore[attr-defined]


def _leaves(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], ast.Return | ast.Continue)


def _returns(node: ast.stmt) -> bool:
    return any(isinstance(n, ast.Return) for n in ast.walk(node))


def _own_loop(node: ast.If) -> bool:
    """Say whether each continue in a branch is one of a loop that is inside it."""
    loops = [n for n in ast.walk(node) if isinstance(n, ast.For | ast.While)]
    inside = {id(n) for loop in loops for n in ast.walk(loop) if isinstance(n, ast.Continue)}
    return all(id(n) in inside for n in ast.walk(node) if isinstance(n, ast.Continue))


def _bound_by(node: ast.AST) -> list[str]:
    match node:
        case ast.alias(name=name, asname=asname):
            return [asname or name]
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
            return [name]
    return []


def translated(tree: ast.Module, function: Function, known: frozenset[str] = frozenset()) -> tuple[str, bool]:
    """Translate one function of a module.

    Parameters
    ----------
    tree
        The syntax tree of its module.
    function
        The function and the kinds of its parameters.
    known
        Functions of the same module that are translated already, and may be called.

    Returns
    -------
    str
        Its definition in Gallina, with each statement as a comment above its translation.
    bool
        Whether another function may call it.

    Raises
    ------
    NotTranslatedError
        For what is outside the subset.
    """
    found = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function.name]
    if len(found) != 1:
        raise NotTranslatedError(f"{function.file}: it has {len(found)} functions {function.name}; it must have one")
    bound = {name for node in ast.walk(tree) for name in _bound_by(node)}
    if shadowed := bound & BUILTINS:
        raise NotTranslatedError(f"{function.file}: {', '.join(sorted(shadowed))} means something else in this module")
    constants = {
        t.id: n.value.value
        for n in tree.body
        if isinstance(n, ast.Assign) and isinstance(n.value, ast.Constant) and type(n.value.value) is int
        for t in n.targets
        if isinstance(t, ast.Name)
    }
    translator = Translator(function, constants, known)
    text = translator.definition(found[0])
    used = "".join(f"\n(* {c} = {constants[c]} *)" for c in sorted(translator.used))
    return f"(* {function.file}: {function.name} *){used}\n{text}", translator.pure
