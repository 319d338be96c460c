"""Statements in Gallina: what binds a name or writes to an array, branches, loops, and what is returned."""

from __future__ import annotations

import ast
import re

from proofs_tests.gallina.expressions import ARITHMETIC, Expressions
from proofs_tests.gallina.names import ARRAYS, FLAT, Env, Frame, View, coq, pattern, tuple_of, where

__all__ = ["Statements"]


class Statements(Expressions):
    """Writes what one function does."""

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
                case ast.If() | ast.For(orelse=[]) if _returns(node):
                    state = self.changed([node], env)
                    inner = Frame(state, left=True)
                    self.put(f"(* {ast.unparse(node).splitlines()[0].rstrip(':')} *)")
                    if isinstance(node, ast.If):
                        self.branches(node, env, inner, "exit")
                    else:
                        self.for_loop(node, env, state, left=True)
                    self.put("match exit with")
                    self.put(f"| Done answer => Some {'answer' if frame.whole else '(Done answer)'}")
                    self.put(f"| Next {tuple_of(state) if state else '_'} =>")
                    self.block(rest, env, frame)
                    self.put("end")
                    return
                case ast.If():
                    state = self.changed([*node.body, *node.orelse], env)
                    self.put(f"(* if {ast.unparse(node.test)} *)")
                    self.branches(node, env, Frame(state), pattern(state))
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
            return f"Some {tuple_of(self.results)}"
        return f"Some (Next {tuple_of(frame.state)})" if frame.left else f"Some {tuple_of(frame.state)}"

    def returned(self, node: ast.Return, env: Env, frame: Frame) -> None:
        """Write what the function returns: its value, and the arrays that it changed."""
        answers = [coq(name) for name in self.results]
        self.forms |= {"several"} if isinstance(node.value, ast.Tuple) else {"quotient"} if _divides(node) else set()
        if len(self.forms) > 1:
            raise self.refused(node, "a quotient and several numbers, which would both be several")
        match node.value:
            case None:
                pass
            case ast.Constant(value=bool() as value):
                answers.insert(0, str(value).lower())
            case ast.Name(id=name) if env.get(name) in ARRAYS:
                answers.insert(0, coq(name))
            case value if _divides(value):
                numerator, denominator = self.ratio(value, env)
                self.put(f"let! _ := guard (negb ({denominator} =? 0)) in")
                answers = [numerator, denominator, *answers]
            case ast.Tuple(elts=[_, _, *_] as values):  # one alone would be returned as the number itself
                answers = [*(self.number(value, env) for value in values), *answers]
            case value:
                answers.insert(0, self.number(value, env))
        if not (frame.whole or frame.left):
            raise self.refused(node, "a return stands where none can be translated")
        answer = answers[0] if len(answers) == 1 else f"({', '.join(answers)})"
        self.put(f"Some {answer}" if frame.whole else f"Some (Done {answer})")

    def called(self, node: ast.Call, env: Env) -> str:
        """Write a call that gives a number; a sum is a loop."""
        match node:
            case ast.Call(
                func=ast.Name(id="sum"), args=[ast.GeneratorExp(elt=elt, generators=[g]), start], keywords=[]
            ) if not g.ifs and "sum" not in env:
                # total = start; for …: total += elt
                self.temporaries += 1
                name = f"total{self.temporaries}"
                total = ast.Name(name, ast.Store(), **where(node))
                local = dict(env)
                self.statement(ast.Assign([total], start, **where(node)), local)
                step = ast.AugAssign(total, ast.Add(), elt, **where(node))
                self.put(f"(* for {ast.unparse(g.target)} in {ast.unparse(g.iter)} *)")
                loop = ast.For(g.target, g.iter, [step], [], **where(node))
                self.for_loop(loop, local, self.changed(loop.body, local))
                return name
        return super().called(node, env)

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
                if len(targets) > 1 and not call.isidentifier():
                    call = self.saved(call)
                for t in targets:
                    self.name(t, call, kind, env)
            case ast.Assign(targets=[ast.Subscript() as target], value=value):
                self.store(target, value, env)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value) if type(op) in ARITHMETIC:
                a, b = self.number(ast.Name(name, ast.Load(), **where(target)), env), self.number(value, env)
                self.put(f"let! {coq(name)} := {ARITHMETIC[type(op)]} fits {a} {b} in")
            case ast.AugAssign(target=ast.Subscript() as target, op=op, value=value) if type(op) in ARITHMETIC:
                load = ast.Subscript(target.value, target.slice, ast.Load(), **where(target))
                self.store(target, ast.BinOp(load, op, value, **where(target)), env)
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name() as a, attr="append"), args=[value], keywords=[])
            ):
                name, kind = self.array(a, env)
                if kind != "list":
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

    def store(self, target: ast.Subscript, value: ast.expr, env: Env) -> None:
        """Write an assignment to a cell or to a part of an array."""
        if not isinstance(target.value, ast.Name):
            raise self.refused(target, f"{ast.unparse(target.value)} is written to, which is not the name of an array")
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

    def branches(self, node: ast.If, env: Env, frame: Frame, bound: str) -> None:
        """Write an if whose branches both go on."""
        condition = self.condition(node.test, env)
        if any(isinstance(n, ast.Continue) for n in ast.walk(node)) and not _own_loop(node):
            raise self.refused(node, "continue is only translated at the end of a branch that has no other way on")
        self.put(f"let! {bound} := if {condition} then")
        self.inner(node.body, env, frame)
        self.put("  else")
        self.inner(node.orelse, env, frame)
        self.put("in")

    def for_loop(self, node: ast.For, env: Env, state: tuple[str, ...], *, left: bool = False) -> None:
        """Write a loop over numbers or over arrays that it does not change."""
        local = dict(env)
        several = isinstance(node.target, ast.Tuple) and len(node.target.elts) > 1
        targets = node.target.elts if several else [node.target]  # type: ignore[attr-defined]
        if not all(isinstance(t, ast.Name) and t.id not in env for t in targets):
            raise self.refused(node, "a loop variable must be a name without a value before")
        names = [t.id for t in targets]  # type: ignore[attr-defined]
        count, counter, first = self.passes(node, names, state, env)
        local |= dict.fromkeys(names, "int")
        kept = pattern(state)
        loop, bound = ("until", "exit") if left else ("for_", kept)
        self.put(f"let! {bound} := {loop} {count} (fun {counter} {kept} =>")
        self.depth += 2
        for line in first:
            self.put(line)
        self.depth -= 2
        self.loops += 1
        self.inner(node.body, local, Frame(state, left=left))
        self.loops -= 1
        self.lines[-1] += f") {tuple_of(state)} in"

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
                # a pass must not ask for a name that it changes
                start, step = (self.saved(e) if changing & set(re.findall(r"[\w']+", e)) else e for e in (start, step))
                if (start, step) == ("0", "1"):
                    return f"(Z.to_nat {stop})", coq(names[0]), []
                return f"(steps {start} {stop} {step})", "pass", [f"let {coq(names[0])} := {start} + pass * {step} in"]
            case ast.Call(func=ast.Name(id="enumerate"), args=[a], keywords=[]) if len(names) == 2:
                name, kind = self.array(a, env)
                if kind in FLAT and name not in changing:
                    counter = coq(names[0])
                    return f"(Z.to_nat (len {name}))", counter, [f"let! {coq(names[1])} := get {name} {counter} in"]
            case ast.Call(func=ast.Name(id="zip"), args=[_, *_] as args, keywords=[strict]) if (
                strict.arg == "strict" and ast.unparse(strict.value) == "True" and len(args) == len(names)
            ):
                arrays = [self.array(a, env) for a in args]
                base = arrays[0][0]
                if all(kind in FLAT and a not in changing for a, kind in arrays):
                    for other, _ in arrays[1:]:
                        self.put(f"let! _ := guard (len {base} =? len {other}) in")
                    first = [f"let! {coq(n)} := get {a} pass in" for n, (a, _) in zip(names, arrays, strict=True)]
                    return f"(Z.to_nat (len {base}))", "pass", first
            case _ if len(names) == 1:
                name, kind = self.array(node.iter, env)
                if kind in FLAT and name not in changing:
                    return f"(Z.to_nat (len {name}))", "pass", [f"let! {coq(names[0])} := get {name} pass in"]
            case _:
                raise self.refused(node, f"no translation for a loop over {ast.unparse(node.iter)}")
        raise self.refused(node, "a loop goes over something else than an unchanging array of numbers")

    def while_loop(self, node: ast.While, env: Env) -> None:
        """Write a while loop, which has fuel."""
        self.has_while = True
        state = self.changed(node.body, env)
        self.put(f"(* while {ast.unparse(node.test)} *)")
        self.put(f"let! {pattern(state)} := while fuel (fun {pattern(state)} =>")
        self.depth += 2
        condition = self.condition(node.test, env)
        self.put(f"Some ({condition}))")
        self.depth -= 2
        self.put(f"  (fun {pattern(state)} =>")
        self.loops += 1
        self.inner(node.body, env, Frame(state))
        self.loops -= 1
        self.lines[-1] += f") {tuple_of(state)} in"


def _leaves(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], ast.Return | ast.Continue)


def _returns(node: ast.stmt) -> bool:
    return any(isinstance(n, ast.Return) for n in ast.walk(node))


def _divides(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Div) for n in ast.walk(node))


def _own_loop(node: ast.If) -> bool:
    """Say whether each continue in a branch is one of a loop that is inside it."""
    loops = [n for n in ast.walk(node) if isinstance(n, ast.For | ast.While)]
    inside = {id(n) for loop in loops for n in ast.walk(loop) if isinstance(n, ast.Continue)}
    return all(id(n) in inside for n in ast.walk(node) if isinstance(n, ast.Continue))
