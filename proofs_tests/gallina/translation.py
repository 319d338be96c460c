"""The translation of a function from Python to Gallina, from its syntax tree.

The subset; anything else raises `NotTranslatedError`, which says where and why::

    statements   x = e, x = y = e, x, y = e, f; x += e (and −=, ×=); a[i] = e, a[i, j] = e, a[i] += e, …
                 a[:] = e; a[lo:hi] = b[lo:hi]; a.append(e); if/else; while; pass; return and continue
                 for x in range(…), for x in a, for i, x in enumerate(a), for x, y in zip(a, b, strict=True)
    numbers      +, −, *, // and % by what is positive, unary −, abs, min, max, len(a), a.shape[i], np.int64(e),
                 e if c else f, whole constants, sum(e for x in …, start), (a > b) − (a < b); / and tuples only in
                 what is returned
    conditions   ==, !=, <, <=, >, >= of numbers, chained or joined by and, or, not
    arrays       np.empty(n, d), np.zeros(n, d), np.zeros((n, m), d) with d = np.int64 or b.dtype, [e], [e] * n;
                 views a[i], a[lo:hi], a[i, lo:hi] of NumPy's arrays, which may be read and written through;
                 `.tolist()` is passed through where it is read
    decorators   numba's njit, with a cache and an error model at the most

A translated function is a computation in the option monad (``Kernel.v``): None stands for whatever the theorems must
rule out. An array's name is bound once, so a view always speaks of the array that it was made from, and is expanded to
it where it is used. What a loop assigns and had a value before is the loop's state; anything else that it assigns is
local to one pass, and so is its variable. Both sides of ``and`` and ``or`` are computed, so that a function whose
second condition is only defined after the first has a translation, but no proof.
"""

from __future__ import annotations

import ast
import re
from collections import Counter

from proofs_tests.gallina.names import ARRAYS, CUTS, Env, Frame, Function, NotTranslatedError, coq
from proofs_tests.gallina.statements import Statements

__all__ = ["BUILTINS", "Translator", "translated"]

_TYPES = {"int": "Z", "arr": "arr", "arr2": "arr2", "list": "arr"}
_OWN = re.compile(r"(t|total)\d+")
BUILTINS = {"abs", "enumerate", "len", "max", "min", "range", "sum", "zip"}


class Translator(Statements):
    """Writes one function."""

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
            elif kind not in ("abs", "min"):
                parameters.append(f"({coq(name)} : {_TYPES[kind]})")
        fields = {f"{name}_{f}" for name, kind in env.items() if kind == "cuts" for f in CUTS}
        names += [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
        if taken := {name for name in names if name in fields or _OWN.fullmatch(name)}:
            raise self.refused(node, f"{', '.join(sorted(taken))}: the translation gives such a name itself")
        body = node.body[1:] if ast.get_docstring(node) is not None else list(node.body)
        self.results = tuple(n for n in self.changed(body, env) if env[n] in ARRAYS)
        self.block(body, env, Frame(self.results, whole=True))
        self.lines[-1] += "."
        head = f"Definition {coq(node.name)} (fits : Z -> bool)"
        if self.empties:
            head += " (junk : nat -> Z -> Z)"
        if self.has_while:
            head += " (fuel : nat)"
        head += "".join(f" ({coq(c)} : Z)" for c in sorted(self.used))
        return "\n".join([head + "\n    " + " ".join(parameters) + " :=", *self.lines])


def _bound_by(node: ast.AST) -> list[str]:
    match node:
        case ast.alias(name=name, asname=asname):
            return [asname or name]
        case (
            ast.FunctionDef(name=name)
            | ast.ClassDef(name=name)
            | ast.Name(id=name, ctx=ast.Store())
            | ast.arg(arg=name)
        ):
            return [name]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
    return []


def _imported(tree: ast.Module, name: str, module: str) -> bool:
    """Say whether a name stands for a module."""
    found = [alias for n in tree.body if isinstance(n, ast.Import) for alias in n.names]
    return any((alias.asname or alias.name, alias.name) == (name, module) for alias in found)


def _compiles(decorator: ast.expr) -> bool:
    """Say whether a decorator is numba's, which keeps the meaning unless it is told otherwise."""
    match decorator:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="numba"), attr="njit"), args=[], keywords=keywords):
            return {keyword.arg for keyword in keywords} <= {"cache", "error_model"}
    return False


def translated(tree: ast.Module, function: Function) -> str:
    """Translate one function of a module.

    Parameters
    ----------
    tree
        The syntax tree of its module.
    function
        The function and the kinds of its parameters.

    Returns
    -------
    str
        Its definition in Gallina, with each statement as a comment above its translation.

    Raises
    ------
    NotTranslatedError
        For what is outside the subset.
    """
    found = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function.name]
    bound = Counter(name for node in ast.walk(tree) for name in _bound_by(node))
    if len(found) != 1 or bound[function.name] != 1:
        what = f"{function.file}: it has {len(found)} functions {function.name}"
        raise NotTranslatedError(f"{what}, and binds that name {bound[function.name]} times; each must be 1")
    for name, module in (("np", "numpy"), ("numba", "numba")):
        if bound[name] and not (bound[name] == 1 and _imported(tree, name, module)):
            raise NotTranslatedError(f"{function.file}: {name} means something else than {module} in this module")
    if shadowed := bound.keys() & (BUILTINS | {"*"}):
        raise NotTranslatedError(f"{function.file}: {', '.join(sorted(shadowed))} means something else in this module")
    if others := [ast.unparse(d) for d in found[0].decorator_list if not _compiles(d)]:
        raise NotTranslatedError(f"{function.file}: {function.name}: no translation for the decorator {others[0]}")
    constants = {
        t.id: n.value.value
        for n in tree.body
        if isinstance(n, ast.Assign) and isinstance(n.value, ast.Constant) and type(n.value.value) is int
        for t in n.targets
        if isinstance(t, ast.Name) and bound[t.id] == 1  # so it is not a name of the function's own either
    }
    translator = Translator(function, constants)
    text = translator.definition(found[0])
    used = "".join(f"\n(* {c} = {constants[c]} *)" for c in sorted(translator.used))
    return f"(* {function.file}: {function.name} *){used}\n{text}"
