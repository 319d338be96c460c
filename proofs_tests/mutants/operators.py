"""Small faults: every copy of a file with one operator, constant, bound, term or condition changed.

Further kinds of faults, which the check of the core does not put in, are in `further_changes`.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from proofs_tests.mutants.further import further_changes

__all__ = ["Mutant", "mutants_of", "names_of"]

_SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum"}


@dataclass(frozen=True)
class Mutant:
    """One changed copy of a file.

    Attributes
    ----------
    file
        The file, from the package's folder.
    name
        Function and change, as text; tells the mutant from all others of the file.
    source
        The whole changed file.
    lines
        The lines of the changed statement; of a compound one, those of its head.
    """

    file: str
    name: str
    source: str
    lines: range

    @property
    def id(self) -> str:
        """File and name."""
        return f"{self.file}: {self.name}"


def mutants_of(
    file: str, source: str, *, further: bool = False, chosen: Collection[str] | None = None
) -> Iterator[Mutant]:
    """Yield the mutants of a file, in the order of its lines.

    Parameters
    ----------
    further
        Whether those of the further kinds follow, in the order of their lines too; the others keep their names.
    chosen
        The names of those that are made; all, if it is not given.
    """
    texts: list[str] = []
    for i, part, name, lines in _each(source, further=further):
        if chosen is None or name in chosen:
            texts = texts or [ast.unparse(statement) for statement in ast.parse(source).body]
            yield Mutant(file, name, "\n".join([*texts[:i], ast.unparse(part), *texts[i + 1 :]]), lines)


def names_of(source: str) -> list[str]:
    """Return the names of all mutants of a file, those of the further kinds too."""
    return [name for _, _, name, _ in _each(source, further=True)]


def _each(source: str, *, further: bool) -> Iterator[tuple[int, ast.Module, str, range]]:
    """Yield each mutant's place among the statements, the statement as long as it is changed, its name and lines."""
    seen: Counter[str] = Counter()
    kinds: list[Callable[[ast.AST], Iterator[ast.AST]]] = [_changes, *([further_changes] if further else [])]
    for changes in kinds:
        for i, statement in enumerate(ast.parse(source).body):
            part = ast.Module([statement], [])
            for place, parent, node, where, lines in _code(part):
                for changed in changes(node):
                    _put(parent, place, changed)
                    name = f"{where}: {getattr(changed, 'told', '') or f'`{_text(node)}` → `{_text(changed)}`'}"
                    seen[name] += 1
                    again = f" (no. {seen[name]})" if seen[name] > 1 else ""
                    yield i, part, name + again, _whole(node, parent) or lines
                _put(parent, place, node)


Place = tuple[str, int | None]


def _put(parent: ast.AST, place: Place, node: ast.AST) -> None:
    field, index = place
    if index is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[index] = node


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.If):
        return f"if {ast.unparse(node.test)}"
    return " ".join(ast.unparse(node).split())


Code = tuple[Place, ast.AST, ast.AST, str, range]


def _code(tree: ast.Module) -> Iterator[Code]:
    """Yield what computes: neither annotations, nor decorators, texts, or the words of an error."""

    def walk(parent: ast.AST, where: str, lines: range) -> Iterator[Code]:
        for field, value in ast.iter_fields(parent):
            if field in ("annotation", "returns", "decorator_list", "bases", "type_params"):
                continue
            children = value if isinstance(value, list) else [value]
            for index, node in enumerate(children):
                if not isinstance(node, ast.AST) or isinstance(node, ast.Raise | ast.JoinedStr | ast.Import):
                    continue
                if isinstance(node, ast.keyword) and node.arg in ("strict", "stacklevel"):  # no result hangs on them
                    continue
                named = isinstance(node, ast.FunctionDef | ast.ClassDef)
                inside = (f"{where}.{node.name}" if where else node.name) if named else where  # type: ignore[attr-defined]
                spanned = _lines(node) if isinstance(node, ast.stmt) else lines
                if inside:
                    yield (field, index if isinstance(value, list) else None), parent, node, inside, spanned
                yield from walk(node, inside, spanned)

    yield from walk(tree, "", range(0))


def _whole(node: ast.AST, parent: ast.AST) -> range:
    """Return all lines of a function that is changed as a whole, or in its parameters; else none."""
    function = parent if isinstance(node, ast.arguments) else node
    return range(function.lineno, (function.end_lineno or 0) + 1) if isinstance(function, ast.FunctionDef) else range(0)


def _lines(statement: ast.stmt) -> range:
    body = getattr(statement, "body", None)
    end = body[0].lineno - 1 if body else statement.end_lineno or statement.lineno
    return range(statement.lineno, max(end, statement.lineno) + 1)


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the changed forms of one node."""
    match node:
        case ast.Compare():
            for i, operator in enumerate(node.ops):
                if type(operator) in _SWAPS:
                    changed = copy.copy(node)
                    changed.ops = [*node.ops[:i], _SWAPS[type(operator)](), *node.ops[i + 1 :]]  # type: ignore[list-item]
                    yield changed
        case ast.BinOp(left=left, op=operator, right=right):
            if isinstance(left, ast.Constant) and isinstance(left.value, str):
                return
            if type(operator) in _SWAPS:
                yield ast.BinOp(left, _SWAPS[type(operator)](), right)  # type: ignore[arg-type]
            if isinstance(operator, ast.Add | ast.Sub | ast.Mult | ast.Div | ast.FloorDiv):
                yield left
            if isinstance(operator, ast.Add | ast.Mult):
                yield right
        case ast.AugAssign() if type(node.op) in _SWAPS:
            yield ast.AugAssign(node.target, _SWAPS[type(node.op)](), node.value)  # type: ignore[arg-type]
        case ast.BoolOp():
            yield ast.BoolOp(_SWAPS[type(node.op)](), node.values)  # type: ignore[arg-type]
            if len(node.values) == 2:
                yield from node.values
        case ast.UnaryOp(op=ast.USub() | ast.Not()):
            yield node.operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
            if value == 1:
                yield ast.Constant(0)
        case ast.Call(func=ast.Name(id="abs"), args=[inner]):
            yield inner
        case ast.Call(func=ast.Name(id=name)) if name in _NAMES:
            yield ast.Call(ast.Name(_NAMES[name], ast.Load()), node.args, node.keywords)
        case ast.Call(func=ast.Attribute(attr=name)) if name in _NAMES:
            yield ast.Call(ast.Attribute(node.func.value, _NAMES[name], ast.Load()), node.args, node.keywords)  # type: ignore[attr-defined]
        case ast.IfExp(test=test, body=body, orelse=other):
            yield ast.IfExp(test, other, body)
        case ast.If() if not (isinstance(node.test, ast.Compare | ast.BoolOp)):
            yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
