"""The package as definitions and what each of them uses, read from the syntax trees: what a claim about code rests on.

A *definition* is a function, a class or a name that is assigned at the top of a module, written ``module:name``; its
*closure* is all definitions of the package that it uses, those that these use, and so on. A class belongs to it whole,
with its bases; what a parameter is annotated with belongs to it too, and so do the methods that are called on it. If
that is a protocol, each class of its folder that has its members belongs to it. Calls at the top of a module, as of
what guards its functions, are a definition too, ``module:<calls>``, on which each of the module rests, and each below
it if it is a package. A text that is the name of a definition stands for it, and a module that is handed on, as to
look a kernel up in it, for all that it defines. What a statement at the top of a module is inside of, such as the test
of an ``if`` or what a ``for`` goes through, belongs to what it defines; and a function that is registered by a
decorator, as in ``@name.register``, to that name.

Not seen: what is reached through an object whose class no annotation names, as one that inherits from the class that
it names (also if that keeps a list of what inherits from it) or is a protocol's in another folder; what a function, or
another module, changes in a variable of a module; what is looked up under a name that is put together while the
program runs, unless a module is named in which; the first of two imports under one name; and files that are not code.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

__all__ = ["PACKAGE", "Closures", "tree_text"]

PACKAGE = Path(__file__).resolve().parent.parent / "research" / "tcloseness"
_DEFINED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_COMPOUND = ast.If | ast.Try | ast.TryStar | ast.With | ast.For | ast.While | ast.Match
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
_CALLS = "<calls>"


def _source(module: str) -> str | None:
    first, *parts = module.split(".")
    if first != PACKAGE.name:
        return None
    path = PACKAGE.joinpath(*parts)
    for file in (path.with_name(f"{path.name}.py"), path / "__init__.py"):
        if file.is_file() and file != PACKAGE.with_name(f"{PACKAGE.name}.py"):
            return file.read_text(encoding="utf-8")
    return None


class Closures:
    """The definitions of a package.

    Parameters
    ----------
    read
        Gives the text of a module by its name, as ``"tcloseness.exact"``, or None if there is none; the package's files
        unless told otherwise.
    """

    def __init__(self, read: Callable[[str], str | None] = _source) -> None:
        self._read = read
        self._members = cache(self._members_of)
        self._members_in = cache(self._members_in_of)
        self._module = cache(self._module_of)
        self._uses = cache(self._uses_of)
        self.stamp = cache(self._stamp_of)

    def closure(self, *names: str) -> set[str]:
        """Return all definitions on which some rest, with these; a method stands for its class."""
        found: set[str] = set()
        todo = [f"{module}:{path.split('.')[0]}" for module, _, path in (name.partition(":") for name in names)]
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += self._uses(name)
        return found

    def _stamp_of(self, name: str) -> str:
        """Return the stamp of a definition: a hash of its syntax tree, without docstrings, comments and layout.

        Raises
        ------
        LookupError
            If there is no such module, or no such definition in it.
        """
        statements = self._statements(name)
        return hashlib.sha256("\n".join(map(tree_text, statements)).encode()).hexdigest()[:12]

    def _statements(self, name: str) -> list[ast.AST]:
        module, _, own = name.partition(":")
        found = self._module(module)
        if found is None:
            raise LookupError(f"there is no module {module}")
        if own not in found.defined:
            raise LookupError(f"there is no {own} in {module}")
        return found.defined[own]

    def _module_of(self, name: str) -> _Module | None:
        text = self._read(name)
        return None if text is None else _Module(name, text, is_package=self._read(f"{name}.__init__") is not None)

    def _uses_of(self, name: str) -> frozenset[str]:
        module = name.partition(":")[0]
        found = {use for statement in self._statements(name) for use in self._used(module, statement)}
        parts = module.split(".")
        for depth in range(1, len(parts) + 1):
            above = ".".join(parts[:depth])
            if (at := self._module(above)) is not None and _CALLS in at.defined:
                found.add(f"{above}:{_CALLS}")
        if any(_is_protocol(statement) for statement in self._statements(name)):
            asked, folder = self._members(name), tuple(parts[:2])
            found |= {each for each, members in self._members_in(folder).items() if asked and asked <= members}
        return frozenset(found - {name})

    def _members_of(self, name: str) -> frozenset[str]:
        """Return the names that a class has, with those of its bases in the package."""
        module = name.partition(":")[0]
        found: set[str] = set()
        for statement in self._statements(name):
            if isinstance(statement, ast.ClassDef):
                for inner in statement.body:
                    found |= {own for own in _names(inner) if not own.startswith("__")}
                found |= _set_on_self(statement)
                for base in statement.bases:
                    for use in self._used(module, base):
                        found |= self._members(use)
        return frozenset(found)

    def _members_in_of(self, folder: tuple[str, ...]) -> dict[str, frozenset[str]]:
        """Return the members of each class of the modules in a folder."""
        found = {}
        for file in sorted(PACKAGE.joinpath(*folder[1:]).rglob("*.py")):
            parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
            name = ".".join(parts).removesuffix(".__init__")
            module = self._module(name)
            for own, statements in () if module is None else module.defined.items():
                if any(isinstance(statement, ast.ClassDef) for statement in statements):
                    found[f"{name}:{own}"] = self._members(f"{name}:{own}")
        return found

    def _used(self, module: str, node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Name | ast.Attribute):
            names, inner = _chain(node)
            if isinstance(inner, ast.Name):
                at, own = self._module(module), inner.id
                if at is not None and own in at.defined and own in at.imported:  # what is imported and then changed
                    yield from self._meant(self._resolved(*at.imported[own], frozenset()))
                found: str | None = module
                for name in [inner.id, *names]:
                    found = self._resolved(found, name)
                    if found is None or ":" in found:
                        break
                yield from self._meant(found)
                return
            node = inner
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            named = self._resolved(module, node.value) if node.value.isidentifier() else None
            if named is not None and ":" in named:
                yield named
        for child in ast.iter_child_nodes(node):
            yield from self._used(module, child)

    def _meant(self, found: str | None) -> Iterator[str]:
        """Yield a definition, or all definitions of a module."""
        if found is not None and ":" in found:
            yield found
        elif found is not None and (module := self._module(found)) is not None:
            yield from (f"{found}:{own}" for own in module.defined)

    def _resolved(self, module: str, name: str | None, seen: frozenset[tuple[str, str]] = frozenset()) -> str | None:
        """Return what a name means in a module: a definition, a module, or None if it is not of the package."""
        found = self._module(module)
        if found is None:
            return None
        if name is None:
            return module
        if name in found.defined:
            return f"{module}:{name}"
        if name in found.imported and (module, name) not in seen:
            meant = self._resolved(*found.imported[name], seen | {(module, name)})
            if meant is not None:
                return meant
        for source in found.starred:
            if (module, name) not in seen and (meant := self._resolved(source, name, seen | {(module, name)})):
                return meant
        inner = f"{module}.{name}"
        if self._module(inner) is not None:
            return inner
        return f"{module}:__getattr__" if "__getattr__" in found.defined and not name.startswith("__") else None


class _Module:
    """What a module defines and imports; names that functions import count for the whole module."""

    def __init__(self, name: str, text: str, *, is_package: bool) -> None:
        tree = ast.parse(text)
        self.defined: dict[str, list[ast.AST]] = {}
        for statement, headers in _top(tree.body):
            names = _names(statement) | (_registered_with(statement) & self.defined.keys())
            if isinstance(statement, ast.Assert) or (isinstance(statement, ast.Expr) and not _is_text(statement)):
                names.add(_CALLS)
            for own in names:
                self.defined.setdefault(own, []).extend([*headers, statement])
        self.imported: dict[str, tuple[str, str | None]] = {}
        self.starred: list[str] = []
        top = name.split(".")[0]
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for each in node.names:
                    if each.name.split(".")[0] == top:
                        self.imported[each.asname or top] = (each.name if each.asname else top, None)
            elif isinstance(node, ast.ImportFrom):
                parts = name.split(".")
                base = parts[: len(parts) - node.level + is_package] if node.level else []
                source = ".".join([*base, *([node.module] if node.module else [])])
                if source.split(".")[0] == top:
                    for each in node.names:
                        if each.name == "*":
                            self.starred.append(source)
                        else:
                            self.imported[each.asname or each.name] = (source, each.name)


def _is_protocol(statement: ast.AST) -> bool:
    return isinstance(statement, ast.ClassDef) and any(
        isinstance(node, ast.Name) and node.id in ("Protocol", "ABC")
        for base in statement.bases
        for node in ast.walk(base)
    )


def _top(body: Sequence[ast.AST], around: tuple[ast.AST, ...] = ()) -> Iterator[tuple[ast.AST, tuple[ast.AST, ...]]]:
    """Yield the statements of a module, also those in an if, a with or a try, each with what it is inside of."""
    for statement in body:
        if isinstance(statement, _COMPOUND | ast.ExceptHandler | ast.match_case):
            headers = [part for key, part in ast.iter_fields(statement) if key not in _BODIES]
            own = [each for part in headers for each in (part if isinstance(part, list) else [part])]
            inside = (*around, *(each for each in own if isinstance(each, ast.AST)))
            yield from ((each, inside) for each in inside[len(around) :])
            for part in _BODIES:
                yield from _top(getattr(statement, part, []), inside)
        else:
            yield statement, around


def _names(statement: ast.AST) -> set[str]:
    """Return the names that a statement defines or changes: by assigning, or by calling a method of theirs.

    Of what other statements are inside of, these are those that it binds, as the target of a ``for``.
    """
    if isinstance(statement, _DEFINED):
        return {statement.name}
    if not isinstance(statement, ast.stmt):
        every = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        return {node.id for node in every if isinstance(node.ctx, ast.Store)}
    if isinstance(statement, ast.Assign):
        changed: list[ast.expr] = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
        changed = [statement.target]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        changed = [statement.value.func] if isinstance(statement.value.func, ast.Attribute) else []
    else:
        return set()
    return {node.id for target in changed for node in ast.walk(target) if isinstance(node, ast.Name)}


def _registered_with(statement: ast.AST) -> set[str]:
    """Return the names by whose attributes a function is decorated, as in ``@name.register``."""
    if not isinstance(statement, _DEFINED):
        return set()
    chains = [_chain(each.func if isinstance(each, ast.Call) else each) for each in statement.decorator_list]
    return {inner.id for names, inner in chains if names and isinstance(inner, ast.Name)}


def _set_on_self(statement: ast.ClassDef) -> set[str]:
    """Return the attributes that the methods of a class set, also through ``object.__setattr__`` if it is frozen."""
    found = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if isinstance(node.value, ast.Name) and node.value.id == "self":
                found.add(node.attr)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "object.__setattr__":
            given = node.args[1:2]
            found |= {each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)}
    return found


def _chain(node: ast.AST) -> tuple[list[str], ast.AST]:
    """Return the attributes of ``a.b.c`` and what they are attributes of."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return names[::-1], node


def tree_text(node: object) -> str:
    """Write a tree so that every version of Python writes it alike: empty fields and docstrings are left out."""
    if isinstance(node, list):
        return "[" + ",".join(map(tree_text, node)) + "]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = []
    for key, value in ast.iter_fields(node):
        if key in ("ctx", "kind", "type_comment", "type_params"):
            continue
        if key == "body" and isinstance(value, list) and isinstance(node, _DEFINED):
            value = [statement for i, statement in enumerate(value) if i or not _is_text(statement)]
        if value is not None and value != []:
            fields.append(f"{key}={tree_text(value)}")
    return f"{type(node).__name__}({','.join(fields)})"


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
