"""What the site adds to Sphinx: the reference of everything public, and pages for the files that other pages link to.

The pages under ``reference/`` are written from the ``__all__`` of the package's rooms and from the names of its front
door, so that a new public name is on them without a further step. A link to a file of the repository, which has a
meaning where the pages are read beside the code, leads to a page that shows the file; a link to a folder, to a page
that lists it.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer
from sphinx.transforms import SphinxTransform
from sphinx.util.nodes import make_refnode

import tcloseness

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
SHOWN = "repository"
"""The folder of the pages that show files."""

FURTHER = ("audit", "certificates", "comparison", "conformance.runner", "estimator", "sweeps", "table")
"""The modules beside the rooms that have results, and so a page of the reference."""

GALLERY = ("jobs_source", "jobs/index")
"""The examples, and the page that is made of them."""

INCLUDED = {
    "changelog": "CHANGELOG.md",
    "contributing": "CONTRIBUTING.md",
    "data": "data/README.md",
    "proofs_coq": "proofs_tests/coq/README.md",
}
"""Pages that are kept elsewhere: a page here includes them, and links in them are read from where they are kept."""

# ------------------------------------------------------------------ the reference


def documented(name: str) -> str:
    """Return the text that stands under a constant or an alias where it is defined, or what its object says."""
    room, _, attribute = name.rpartition(".")
    for module in (room, *(f"{room}.{path.stem}" for path in Path(_file(room)).parent.glob("*.py"))):
        analyzer = ModuleAnalyzer.for_module(module)
        analyzer.analyze()
        text = analyzer.attr_docs.get(("", attribute))
        if text:
            return "\n".join(text).strip()
    return ""


def _file(module: str) -> str:
    return str(importlib.import_module(module).__file__)


def sorts(module: str, names: list[str]) -> dict[str, list[str]]:
    """Return the names of a module by what they are."""
    found: dict[str, list[str]] = {"Classes": [], "Functions": [], "Errors": [], "Constants and types": []}
    for name in sorted(names, key=str.lower):
        value = getattr(importlib.import_module(module), name)
        if inspect.isclass(value):
            sort = "Errors" if issubclass(value, BaseException | Warning) else "Classes"
        else:
            sort = "Functions" if inspect.isroutine(value) else "Constants and types"
        found[sort].append(name)
    return {sort: some for sort, some in found.items() if some}


def page_of(module: str, names: list[str]) -> Iterator[str]:
    """Write the page of a room, line by line."""
    yield from (module, "=" * len(module), "", f".. automodule:: {module}", "   :no-members:", "")
    for sort, some in sorts(module, names).items():
        yield from (sort, "-" * len(sort), "")
        if sort == "Constants and types":
            for name in some:
                yield from (f".. py:data:: {module}.{name}", "")
                yield from (f"   {line}".rstrip() for line in documented(f"{module}.{name}").splitlines())
                yield ""
        else:
            yield from (".. autosummary::", "   :toctree: generated", "   :nosignatures:", "")
            yield from (f"   {name}" for name in some)
            yield ""


def write_reference(app: Sphinx, config: Any) -> None:
    """Write reference/<module>.rst of each room and of `FURTHER`, and reference/tcloseness.rst of the front door."""
    folder = DOCS / "reference"
    home: dict[str, str] = tcloseness._HOME
    rooms = sorted(name for name, where in home.items() if where == "tcloseness")
    modules = [f"tcloseness.{name}" for name in (*rooms, *FURTHER)]
    written = {module: importlib.import_module(module).__all__ for module in modules}
    for module, names in written.items():
        _put(folder / f"{module}.rst", "\n".join(page_of(module, list(names))))
    own = [name for name, where in home.items() if where not in written and where != "tcloseness"]
    door = [*page_of("tcloseness", own), "Names of the rooms", "-" * 18, ""]
    door += ["Also here, documented in their rooms:", ""]
    for module in written:
        also = sorted((name for name, where in home.items() if where == module), key=str.lower)
        if also:
            door.append(f"* {', '.join(f':py:obj:`~{module}.{name}`' for name in also)} of :py:mod:`{module}`")
    _put(folder / "tcloseness.rst", "\n".join([*door, ""]))


def _put(file: Path, text: str) -> None:
    """Write a file unless it says so already, so that a second build reads no page anew."""
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")


# ------------------------------------------------------------------ files of the repository


class RepositoryLinks(SphinxTransform):
    """Lead a link to a file outside of the pages to the page that shows it."""

    default_priority = 100

    def apply(self, **kwargs: Any) -> None:
        """Change the nodes of one page."""
        for kind in (addnodes.download_reference, addnodes.pending_xref):
            for node in [*self.document.findall(kind)]:
                if node.get("reftype") == "myst":
                    self._lead(node, self.env.docname)

    def _lead(self, node: nodes.Element, docname: str) -> None:
        kept = INCLUDED.get(docname)
        if node.get("refdomain") == "doc":  # a page, by its name without .md
            file, anchor = (DOCS / f"{node['reftarget']}.md").resolve(), node.get("reftargetid")
        else:
            target, _, anchor = str(node["reftarget"]).partition("#")
            if not target:
                return
            file = ((ROOT / kept if kept else DOCS / docname).parent / target).resolve()
        source, gallery = GALLERY
        if not file.exists() or not file.is_relative_to(ROOT):
            return
        if file.is_relative_to(DOCS) and kept is None and file != DOCS / source:
            return  # which Sphinx leads by itself
        place = file.relative_to(ROOT).as_posix()
        page = gallery if file == DOCS / source else {where: name for name, where in INCLUDED.items()}.get(place)
        if page is None and file.is_relative_to(DOCS) and file.suffix == ".md":
            page = file.relative_to(DOCS).with_suffix("").as_posix()
        if page is not None:
            uri = f"{page}.html" + (f"#{anchor}" if anchor else "")
        else:
            self.env.__dict__.setdefault("tcloseness_shown", set()).add(place)
            uri = f"{SHOWN}/{place}{'/index' if file.is_dir() else ''}.html"
        up = "../" * docname.count("/")
        node.replace_self(nodes.reference("", "", *node.children, internal=True, refuri=up + uri))


def shown_files(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Make the pages that show files and list folders; what a listed folder holds is shown too."""
    left = sorted(getattr(app.env, "tcloseness_shown", set()))
    for place in left:
        file = ROOT / place
        context: dict[str, Any] = {"title": place}
        if file.is_dir():
            name = f"{SHOWN}/{place}/index"
            inside = sorted(f for f in file.iterdir() if f.is_file() and f.suffix != ".pyc" and _is_text(f))
            left += [f"{place}/{f.name}" for f in inside if f"{place}/{f.name}" not in left]
            lines = "".join(f'<li><a href="{f.name}.html"><code>{f.name}</code></a></li>' for f in inside)
            context["body"] = f"<h1><code>{place}/</code></h1><ul>{lines}</ul>"
        else:
            name = f"{SHOWN}/{place}"
            text = file.read_text(encoding="utf-8")
            context["body"] = f"<h1><code>{place}</code></h1>{_coloured(app, text, file)}"
        context["depth"] = "../" * name.count("/")
        yield name, context, "repository.html"


def _is_text(file: Path) -> bool:
    try:
        return "\0" not in file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return False


LANGUAGES = {
    ".java": "java",
    ".js": "javascript",
    ".json": "json",
    ".md": "markdown",
    ".mjs": "javascript",
    ".py": "python",
    ".r": "r",
    ".sh": "bash",
    ".toml": "toml",
    ".v": "coq",
}


def _coloured(app: Sphinx, text: str, file: Path) -> str:
    highlighter = app.builder.highlighter  # type: ignore[attr-defined]
    return str(highlighter.highlight_block(text, LANGUAGES.get(file.suffix.lower(), "text"), force=True))


# ------------------------------------------------------------------ docstrings

LITERAL = re.compile(r"(``.*?``|`[^`]*`)")


def bars(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Let |x| be an absolute value: reStructuredText takes it for the name of a substitution."""
    for at, line in enumerate(lines):
        if "|" in line and not line.lstrip().startswith((">>>", "...")):
            parts = LITERAL.split(line)
            lines[at] = "".join(part if part.startswith("`") else part.replace("|", r"\|") for part in parts)


def short_names(app: Sphinx, env: Any, node: nodes.Element, content: nodes.Node) -> nodes.Node | None:
    """Lead a name in backquotes to what it names, wherever that is; one that is on no page stays text."""
    if node.get("refdomain") != "py" or node.get("reftype") != "obj":
        return None
    target = str(node["reftarget"])
    if "." in target or target[:1].isupper():
        domain = env.get_domain("py")
        found = sorted(domain.find_obj(env, None, None, target, "obj", 1), key=lambda pair: (len(pair[0]), pair[0]))
        if found:
            name, entry = found[0]
            return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, content, name)
    return content


def remove_leftover(app: Sphinx, exception: Exception | None) -> None:
    """Remove a template that the theme copies beside its scripts; it is not a page."""
    (Path(app.outdir) / "_static" / "webpack-macros.html").unlink(missing_ok=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx."""
    app.connect("config-inited", write_reference)
    app.connect("html-collect-pages", shown_files)
    app.connect("autodoc-process-docstring", bars, priority=600)  # after numpydoc
    app.connect("missing-reference", short_names)
    app.connect("build-finished", remove_leftover)
    app.add_transform(RepositoryLinks)
    return {"parallel_read_safe": False, "env_version": 1}
