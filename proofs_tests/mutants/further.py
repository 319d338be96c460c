"""Further kinds of faults: what is forgotten, given in the wrong order, or taken on the wrong side."""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter
from collections.abc import Iterator

__all__ = ["further_changes"]

_SIDES = {
    "floor": "ceil", "ceil": "floor", "bisect_left": "bisect_right", "bisect_right": "bisect_left", "left": "right",
    "right": "left", "ROUND_FLOOR": "ROUND_CEILING", "ROUND_CEILING": "ROUND_FLOOR",
}  # fmt: skip
_SYMMETRIC = {"min", "max", "gcd", "lcm", "minimum", "maximum", "isdisjoint", "zip", "print", "isinstance"}
_CHECK = re.compile(r"_?(require|check|validate|ensure|refuse|must)(_|$)")
_KEYED = ("get", "setdefault", "pop")


def further_changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the changed forms of one node, by these kinds.

    * a dropped check: a condition whose branch only raises, or a call whose result is not used and whose name is
      ``require_…``, ``check_…`` or the like;
    * a wrong default: another member of the ``Literal``, or another number;
    * two neighbouring arguments of a call swapped, both names, both attributes, both items or both constants of a type;
    * an off-by-one: a range or a slice that ends one earlier, or later;
    * a key of a dictionary that forgets one of its parts, wherever the function uses it;
    * an aggregate over everything rather than along an axis (along another axis is among the usual kinds);
    * a rounding on the other side: ``//`` up rather than down, ``floor`` and ``ceil``, ``left`` and ``right``.
    """
    match node:
        case ast.If(body=[ast.Raise()], orelse=[]):
            yield ast.Pass()
        case ast.If(body=[ast.Raise()], orelse=orelse):
            yield ast.If(ast.Constant(value=False), [ast.Pass()], orelse)
        case ast.Expr(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))) if _CHECK.match(name):
            yield ast.Pass()
        case ast.FunctionDef():
            yield from _forgetful(node)
        case ast.arguments():
            yield from _defaults(node)
        case ast.Call():
            yield from _calls(node)
        case ast.Slice(upper=ast.expr() as upper) if not isinstance(upper, ast.Constant | ast.UnaryOp):
            yield ast.Slice(node.lower, ast.BinOp(upper, ast.Add(), ast.Constant(1)), node.step)
        case ast.UnaryOp(ast.USub(), ast.BinOp(ast.UnaryOp(ast.USub(), a), ast.FloorDiv(), b)):
            yield ast.BinOp(a, ast.FloorDiv(), b)
        case ast.BinOp(a, ast.FloorDiv(), b) if not isinstance(a, ast.UnaryOp):
            yield ast.UnaryOp(ast.USub(), ast.BinOp(ast.UnaryOp(ast.USub(), a), ast.FloorDiv(), b))
        case ast.Attribute(value=value, attr=name) if name in _SIDES and name not in ("left", "right"):
            yield ast.Attribute(value, _SIDES[name], node.ctx)
        case ast.keyword(arg="side", value=ast.Constant(value=str(side))) if side in _SIDES:
            yield ast.keyword("side", ast.Constant(_SIDES[side]))


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    for i, (a, b) in enumerate(zip(node.args, node.args[1:], strict=False)):
        if name not in _SYMMETRIC and _alike(a, b):
            yield ast.Call(node.func, [*node.args[:i], b, a, *node.args[i + 2 :]], node.keywords)
    if name in _SIDES and isinstance(node.func, ast.Name):
        yield ast.Call(ast.Name(_SIDES[name], ast.Load()), node.args, node.keywords)
    if name == "range" and len(node.args) <= 2 and not isinstance(node.args[-1], ast.Constant):
        for step in (ast.Add(), ast.Sub()):
            yield ast.Call(node.func, [*node.args[:-1], ast.BinOp(node.args[-1], step, ast.Constant(1))], node.keywords)
    if any(each.arg == "axis" for each in node.keywords):
        yield ast.Call(node.func, node.args, [each for each in node.keywords if each.arg != "axis"])


def _alike(a: ast.expr, b: ast.expr) -> bool:
    if isinstance(a, ast.Constant) and isinstance(b, ast.Constant):
        return type(a.value) is type(b.value) and a.value != b.value
    kinds = (ast.Name, ast.Attribute, ast.Subscript)
    return type(a) is type(b) and isinstance(a, kinds) and ast.unparse(a) != ast.unparse(b)


def _defaults(node: ast.arguments) -> Iterator[ast.AST]:
    """Yield the parameters with another default: of texts that the annotation lists, or a number twice as large."""
    pairs = zip(node.args[len(node.args) - len(node.defaults) :], node.defaults, strict=True)
    keyed = zip(node.kwonlyargs, node.kw_defaults, strict=True)
    for arg, default in [*pairs, *keyed]:
        if default is not None and (other := _other(arg.annotation, default)) is not None:
            changed = copy.copy(node)
            changed.defaults = [other if each is default else each for each in node.defaults]
            changed.kw_defaults = [other if each is default else each for each in node.kw_defaults]
            yield _told(changed, f"`{arg.arg}={ast.unparse(default)}` → `{arg.arg}={ast.unparse(other)}`")


def _other(annotation: ast.expr | None, default: ast.expr) -> ast.expr | None:
    if not isinstance(default, ast.Constant):
        return None
    if isinstance(default.value, float):
        return ast.Constant(2 * default.value if default.value else 1.0)
    listed = [each.value for each in ast.walk(annotation) if isinstance(each, ast.Constant)] if annotation else []
    others = [each for each in listed if isinstance(each, str) and each != default.value]
    return ast.Constant(others[0]) if isinstance(default.value, str) and others else None


def _forgetful(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield the function with the keys of a dictionary without one of their parts, wherever it uses them."""
    widths = {}
    asked: Counter[str] = Counter()
    for each in ast.walk(function):
        for where, key, asks in _keys(each):
            widths[where] = len(key.elts)
            asked[where] += asks
    for where, width in widths.items():
        for i in range(width) if asked[where] and width > 1 else ():
            changed = copy.deepcopy(function)
            for each in ast.walk(changed):
                for there, key, _ in _keys(each):
                    if there == where and len(key.elts) == width:
                        del key.elts[i]
            yield _told(changed, f"keys of `{where}` without part {i + 1} of {width}")


def _told(node: ast.AST, words: str) -> ast.AST:
    node.told = words  # type: ignore[attr-defined]
    return node


def _keys(node: ast.AST) -> Iterator[tuple[str, ast.Tuple, bool]]:
    """Yield the dictionary, the key, and whether it is asked for one that may not be there; or a key with a name."""
    match node:
        case ast.Subscript(value=value, slice=ast.Tuple(elts=[*elts]) as key) if _plain(elts):
            yield ast.unparse(value), key, False
        case ast.Compare(left=ast.Tuple(elts=[*elts]) as key, ops=[ast.In() | ast.NotIn()], comparators=[value]):
            yield ast.unparse(value), key, _plain(elts)
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=[ast.Tuple(elts=[*elts]) as key, *_]):
            if name in _KEYED or name == "add":
                yield ast.unparse(value), key, _plain(elts)
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Tuple() as key) if "key" in name:
            yield name, key, True


def _plain(elts: list[ast.expr]) -> bool:
    return not any(isinstance(each, ast.Slice | ast.Starred) for each in elts)
