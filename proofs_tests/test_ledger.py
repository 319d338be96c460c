"""The ledger of mathematical claims says nothing that is not there, and nothing stale."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable
from types import FrameType

import pytest

from proofs_tests import ledger
from proofs_tests.closures import PACKAGE, Closures, tree_text
from proofs_tests.ledger import Claim, claims, theorem_statements, with_table
from tcloseness.attacks import homogeneity_attack
from tcloseness.microdata import ClassCounts
from tcloseness.models import (
    DeltaDisclosure,
    EnhancedBetaLikeness,
    EntropyLDiversity,
    KAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)
from tcloseness.transport import certify, emd

CLAIMS = claims()


def test_a_claim_has_the_evidence_that_its_status_needs() -> None:
    assert {name: faults for name, claim in CLAIMS.items() if (faults := list(claim.faults()))} == {}


def test_every_test_and_theorem_that_a_claim_names_exists() -> None:
    for name, claim in CLAIMS.items():
        assert not [test for test in claim.tests if not ledger.has_test(test)], name
        assert not [theorem for theorem in claim.coq if theorem not in theorem_statements()], name


def test_the_code_on_which_claims_rest_is_what_it_was_when_they_were_confirmed() -> None:
    stale = ledger.changed()
    assert not stale, (
        "code changed since claims that rest on it were confirmed; look whether claims and evidence still speak of it, "
        "then run: python -m proofs_tests.ledger confirm"
    )


def test_the_page_has_the_table_of_the_ledger() -> None:
    page = ledger.PAGE.read_text(encoding="utf-8")
    assert ledger.BEGIN in page
    assert with_table(page) == page, "run: python -m proofs_tests.ledger table"


def test_every_audited_theorem_serves_a_claim() -> None:
    named = {name for claim in CLAIMS.values() for name in claim.coq}
    assert not set(theorem_statements()) - named


# ---------------------------------------------------------------------- what would be found


def text_of(source: str) -> str:
    return tree_text(ast.parse(source).body[0])


BEFORE = 'def f(a, b):\n    """Say."""\n    return a + 2 * b\n'


@pytest.mark.parametrize(
    "after",
    [
        "def f(a, b):\n    return a - 2 * b\n",
        "def f(a, b):\n    return a + 3 * b\n",
        "def f(a, b):\n    return a + b\n",
        "def f(b, a):\n    return a + 2 * b\n",
        "def f(a, b=1):\n    return a + 2 * b\n",
        "def f(a, b):\n    return a <= 2 * b\n",
    ],
)
def test_a_changed_sign_weight_term_argument_or_comparison_changes_the_stamp(after) -> None:
    assert text_of(after) != text_of(BEFORE)


@pytest.mark.parametrize(
    "after",
    [
        'def f(a, b):\n    """Say something else."""\n    # why\n    return a + 2 * b\n',
        "def f(a, b):\n    return (a +\n        2 * b)\n",
    ],
)
def test_words_and_layout_do_not(after) -> None:
    assert text_of(after) == text_of(BEFORE)


def test_a_name_that_is_gone_is_an_error() -> None:
    for name in ("tcloseness.nothing:f", "tcloseness.exact:no_such_function", "elsewhere:f"):
        with pytest.raises(LookupError):
            ledger.CODE.stamp(name)


MODULES = {
    "p": "from p.a import f\n",
    "p.__init__": "from p.a import f\n",
    "p.a": """
from p import b
from p.b import LIMIT as most, Kind
from p.c import *

def f(x: Kind):
    import p.d as d
    return x.weight() + b.half(most) + d.deep.of(x) + looked_up(x)

def looked_up(name):
    from p.d import table
    return getattr(table, name)

def unused(): return LIMIT
""",
    "p.b": """
from typing import Protocol

class Kind(Protocol):
    def weight(self): ...

LIMIT = TABLE = {1: 2}
TABLE.update({2: 3})

def half(x): return _inner(x)

def _inner(x):
    if x: return half(x - 1)
    return TABLE

def guarded(names): ...
""",
    "p.d": "from p.d import deep\n",
    "p.d.__init__": "from p.d import deep\n",
    "p.d.deep": """
from p.b import guarded

class Base:
    step = 1

class of(Base):
    def __init__(self, x): self.x = x

guarded(globals(), strictly=True)
""",
    "p.d.table": "def one(x): return x + 1\n\ndef two(x): return x + 2\n",
}
RESTS_ON = {"p.a:f", "p.b:Kind", "p.b:LIMIT", "p.b:TABLE", "p.b:half", "p.b:_inner", "p.b:guarded"} | {
    "p.a:looked_up",
    "p.b:<calls>",
    "p.d.deep:of",
    "p.d.deep:Base",
    "p.d.deep:<calls>",
    "p.d.table:one",
    "p.d.table:two",
}


def closures_with(**changed: str) -> Closures:
    texts = MODULES | {name.replace("_", "."): text for name, text in changed.items()}
    return Closures(texts.get)


def test_what_code_rests_on_is_followed_through_imports_aliases_bases_annotations_and_tables() -> None:
    assert closures_with().closure("p.a:f") == RESTS_ON


@pytest.mark.parametrize(
    ("module", "before", "after"),
    [
        ("p_b", "{1: 2}", "{1: 3}"),
        ("p_b", "{2: 3}", "{2: 4}"),
        ("p_b", "half(x - 1)", "half(x - 2)"),
        ("p_b", "return _inner(x)", "return _inner(x + 1)"),
        ("p_b", "def weight(self)", "def weight(self, more=1)"),
        ("p_d_deep", "step = 1", "step = 2"),
        ("p_d_deep", "self.x = x", "self.x = -x"),
        ("p_d_deep", "strictly=True", "strictly=False"),
        ("p_d_table", "x + 2", "x - 2"),
        ("p_a", "most) +", "most) -"),
    ],
)
def test_a_change_of_a_callee_a_constant_a_base_or_a_table_changes_a_stamp(module, before, after) -> None:
    text = MODULES[module.replace("_", ".")]
    assert text.count(before) == 1
    changed, first = closures_with(**{module: text.replace(before, after)}), closures_with()
    assert any(changed.stamp(name) != first.stamp(name) for name in RESTS_ON)
    assert changed.closure("p.a:f") == RESTS_ON


KINDS = {
    "default argument": ("def f(x=1): ...", "1", "def root(): f()"),
    "constant in a default": ("C = 1\ndef f(x=C): ...", "1", "def root(): f()"),
    "decorator": ("def f(g): return 1", "1", "@f\ndef root(): ..."),
    "attribute of a base": ("class B:\n    a = 1\nclass f(B): ...", "1", "def root(): return f.a"),
    "metaclass": ("class M(type):\n    a = 1\nclass f(metaclass=M): ...", "1", "def root(): return f.a"),
    "property": ("class K:\n    @property\n    def p(self): return 1\ndef f(): return K()", "1", "def root(): f().p"),
    "partial": ("def f(x): return 1", "1", "from functools import partial\ng = partial(f, 0)\ndef root(): g()"),
    "dictionary": ("def f(x): return 1", "1", "G = {'a': f}\ndef root(k): G[k]()"),
    "init_subclass": (
        "class f:\n    def __init_subclass__(cls): cls.n = 1",
        "1",
        "class L(f): ...\ndef root(): return L.n",
    ),
    "default_factory": ("def f(): return 1", "1", "@dataclass\nclass D:\n    x = field(default_factory=f)\nroot = D"),
    "named tuple": ("class f(NamedTuple):\n    x: int = 1", "1", "def root(): return f().x"),
    "enum": ("class f(Enum):\n    A = 1", "1", "def root(): return f.A.value"),
    "lambda": ("f = lambda: 1", "1", "def root(): f()"),
    "global of a kernel": ("C = 1\n@njit\ndef f(): return C", "1", "def root(): f()"),
    "getattr": ("def h(): return 1\ndef f(): ...", "1", "import p.b as m\ndef root(): getattr(m, 'h')()"),
    "class pattern": ("class f:\n    x = 1", "1", "def root(y):\n    match y:\n        case f(x=_): ..."),
    "context manager": ("@contextmanager\ndef f(): yield 1", "1", "def root():\n    with f(): ..."),
    "operator": ("class f:\n    def __add__(self, y): return 1", "1", "def root(y: f): return y + y"),
    "operator set later": (
        "class f: ...\ndef add(x, y): return 1\nf.__add__ = add",
        "1",
        "def root(y: f): return y + y",
    ),
    "pickling": ("import copyreg\nclass f: ...\ndef h(k): return 1\ncopyreg.pickle(f, h)", "1", "def root(k: f): ..."),
    "test of an if": ("if 1:\n    def f(): return 0\nelse:\n    f = None", "1", "def root(): f()"),
    "what a for goes through": ("f = {}\nfor n in (1, 3):\n    f[n] = n", "1", "def root(): return f"),
    "name that a for binds": ("for f in (1, 3): ...", "1", "def root(): return f"),
    "name that an if binds": ("if (f := 1): ...", "1", "def root(): return f"),
    "case of a match": ("match 0:\n    case 1:\n        def f(): ...", "1", "def root(): f()"),
    "registered": ("@singledispatch\ndef f(x): ...\n@f.register\ndef _(x: int): return 1", "1", "def root(x): f(x)"),
    "imported and wrapped": ("def f(): return 1", "1", "f = cache(f)\ndef root(): f()"),
    "asserted": ("f = {}\nassert not f.update(a=1)", "1", "def root(): return f"),
    "looked up by a module": ("def h(): return 1\ndef __getattr__(name): return h", "1", "def root(): f()"),
}


@pytest.mark.parametrize(
    "door", ["from p.b import f", "from p.c import f", "from p.d import f", "from p.e import f as f"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_change_of_what_is_used_changes_a_stamp(kind, door) -> None:
    """Also where it is imported through another module: by its name, by all names, by a name in a package."""
    text, before, root = KINDS[kind]
    assert text.count(before) == 1
    through = {"p.c": "from p.b import f", "p.d": "from p.b import *", "p.e": "from .b import f", "p.e.__init__": ""}
    through |= {"p.e.b": "from p.b import f"}

    def stamps(text: str) -> dict[str, str]:
        found = Closures({"p": "", "p.a": f"{door}\n{root}", "p.b": text, **through}.get)
        return {name: found.stamp(name) for name in found.closure("p.a:root")}

    assert stamps(text) == stamps(text)
    assert stamps(text) != stamps(text.replace(before, "2"))


def test_a_class_with_the_members_of_a_protocol_is_what_code_that_asks_for_it_rests_on() -> None:
    found = ledger.CODE.closure("tcloseness.lattice.searches:minimal_generalizations")
    assert {"tcloseness.models.k_anonymity:KAnonymity", "tcloseness.models.t_closeness:TCloseness"} <= found
    assert {"tcloseness.measures.emd:EMD", "tcloseness.measures.hellinger:Hellinger"} <= found
    found = ledger.CODE.closure("tcloseness.loss.certainty:NormalizedCertaintyPenalty")  # whose members methods set
    assert {f"tcloseness.release.attributes:{name}" for name in ("Numeric", "Hierarchical", "Categorical")} <= found
    assert "tcloseness.release.full_domain:AtLevel" in found


def test_kernels_that_are_looked_up_in_a_module_are_what_code_rests_on() -> None:
    assert "tcloseness.ground.compiled:smallest_sets_around" in ledger.CODE.closure("tcloseness.ground.cuts:Cuts")


def called_by(function: Callable[[], object]) -> set[str]:
    """Run a function and return the definitions of the package that were called, as Python saw it."""
    found = set()
    base = str(PACKAGE.parent) + os.sep

    def seen(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(base):
            module = (
                code.co_filename.removeprefix(base).removesuffix(".py").replace(os.sep, ".").removesuffix(".__init__")
            )
            found.add(f"{module}:{code.co_qualname.split('.')[0]}")

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        function()
    finally:
        sys.setprofile(before)
    return {name for name in found if "<" not in name}


CLASSES = ClassCounts.from_mapping({"a": {"flu": 2, "gout": 1}, "b": {"gout": 1, "flu": 1, "gastritis": 1}})
P, Q = [3, 1, 2], [1, 1, 4]
RUNS: dict[str, Callable[[], object]] = {
    "tcloseness.models.k_anonymity:KAnonymity": lambda: KAnonymity(2).evaluate(CLASSES),
    "tcloseness.models.l_diversity:EntropyLDiversity": lambda: EntropyLDiversity(2).evaluate(CLASSES),
    "tcloseness.models.l_diversity:RecursiveCLDiversity": lambda: RecursiveCLDiversity(2, 2).evaluate(CLASSES),
    "tcloseness.models.t_closeness:TCloseness": lambda: TCloseness("1/3", "equal").evaluate(CLASSES),
    "tcloseness.models.beta_likeness:EnhancedBetaLikeness": lambda: EnhancedBetaLikeness(1).evaluate(CLASSES),
    "tcloseness.models.delta_disclosure:DeltaDisclosure": lambda: DeltaDisclosure(1).evaluate(CLASSES),
    "tcloseness.transport.solve:emd": lambda: emd(P, Q, "ordered", counts=True),
    "tcloseness.transport.solve:certify": lambda: certify(P, Q, "equal", counts=True),
    "tcloseness.attacks.homogeneity:homogeneity_attack": lambda: homogeneity_attack(CLASSES),
}


@pytest.mark.long
@pytest.mark.parametrize("name", RUNS)
def test_whatever_is_called_is_among_what_the_code_rests_on(name) -> None:
    found = called_by(RUNS[name])
    assert len(found) > 5
    assert not found - ledger.CODE.closure(name)


def test_a_test_that_is_gone_is_found() -> None:
    assert ledger.has_test("proofs_tests/test_ledger.py::test_a_test_that_is_gone_is_found")
    assert not ledger.has_test("proofs_tests/test_ledger.py::test_of_yesterday")
    assert not ledger.has_test("proofs_tests/no_such_file.py::test_of_yesterday")


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"status": "proved for all sizes"}, "without a theorem"),
        ({"status": "proved for m ≤ 8"}, "without an SMT test"),
        ({"status": "tested", "tests": ()}, "without a test"),
        ({"status": "counterexample", "tests": ()}, "without one"),
        ({"status": "proved"}, "unknown status"),
        ({"status": "tested", "smt": "m ≤ 8"}, "for which sizes"),
        ({"status": "tested", "code": ()}, "no code"),
    ],
)
def test_a_status_beyond_its_evidence_is_a_fault(given, fault) -> None:
    record = {"tests": ("a.py::test_b",), "code": ("m:f",), **given}
    assert any(fault in text for text in Claim("x", "s", "here", **record).faults())
