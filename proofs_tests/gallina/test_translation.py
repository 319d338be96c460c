"""The translation to Coq: the committed file is what the code gives, and what has no translation is refused."""

from __future__ import annotations

import ast

import pytest

from proofs_tests.coq.audit import AUDITED
from proofs_tests.gallina.faults import faults
from proofs_tests.gallina.functions import FUNCTIONS, GENERATED, SOURCES, differs, generated
from proofs_tests.gallina.names import Function, NotTranslatedError
from proofs_tests.gallina.translation import translated

NAMED = pytest.mark.parametrize("function", FUNCTIONS, ids=[function.name for function in FUNCTIONS])
KINDS = {"a": "arr", "b": "arr", "w": "arr2", "n": "int"}


def test_the_committed_translation_is_what_the_code_gives() -> None:
    committed = GENERATED.read_text(encoding="utf-8")
    assert not differs(committed, generated()), (
        "a function that is proved changed: run python -m proofs_tests.gallina write, and look whether make prove "
        "still accepts its proof"
    )


@NAMED
@pytest.mark.long
def test_a_fault_in_a_function_changes_its_translation_or_has_none(function: Function) -> None:
    """So no fault is passed over before a proof is asked."""
    before, seen = generated((function,)), 0
    for fault in faults(function):
        seen += 1
        try:
            text = translated(ast.parse(fault.text), function)
        except NotTranslatedError:
            continue
        assert differs(before, f"{before.split('(* tcloseness')[0]}{text}\n"), fault.words
    assert seen >= 5


@NAMED
def test_words_and_layout_do_not_change_a_translation(function: Function) -> None:
    tree = ast.parse((SOURCES / function.file).read_text(encoding="utf-8"))
    again = ast.parse(ast.unparse(tree))  # without comments, in another layout
    for node in ast.walk(again):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body[0] = ast.Expr(ast.Constant("Say something else."))
            node.returns = None
    texts = [translated(each, function) for each in (tree, again)]
    assert not differs(*texts)


@NAMED
def test_each_translated_function_has_a_theorem_that_is_audited(function: Function) -> None:
    _, theorems = AUDITED[f"kernels.{function.proof}"]
    assert f"{function.name.removeprefix('_')}_right" in theorems.split() or function.name.endswith("double_sum")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("return n / 2 + 1", "no translation for the number"),
        ("return n >> 1", "no translation for the number"),
        ("return n & 1", "no translation for the number"),
        ("return 1.5", "no translation for the number"),
        ("return m", "has no value here"),
        ("return n + 9223372036854775808", "not a number of 64 bits"),
        ("return a.sum()", "no translation for the number"),
        ("return a[-n]", None),
        ("return n, n + 1", None),
        *((f"return {several}", "no translation for the number") for several in ("n,", "()", "(n, (n, n))", "*a, n")),
        *((f"return n, {odd}", "no translation for the number") for odd in ("n / 2", "n > 0", "True")),
        ("return n, a", "is not a number"),
        ("if n > 0:\n    return n, 2\nreturn n / 2", "a quotient and several numbers"),
        ("return w[n]", "a row is not a number"),
        ("return a[0:n]", "a part of an array is not a number"),
        ("c = a\nreturn n", "not a number"),
        ("v = a[0:2]\nv = b[0:2]\nreturn n", "bound a second time"),
        ("c = d = [1]\nreturn n", "two names for one array"),
        ("x, x = n, n\nreturn n", "occurs twice"),
        ("a, b = b, a\nreturn n", "not a number"),
        ("for n in range(3):\n    a[0] = n\nreturn n", "had a value before"),
        ("for x in a:\n    a[0] = x\nreturn n", "unchanging array"),
        ("for x, y in zip(a, b):\n    n += x\nreturn n", "no translation for a loop"),
        ("for x in range(3):\n    break\nreturn n", "no translation for break"),
        ("while n > 0:\n    return n\nreturn 0", "no translation for while"),
        (
            "for x in a:\n    if n > x:\n        if n > 1:\n            continue\n        n -= 1\n    n += 1\nreturn n",
            "continue",
        ),
        ("for x in range(3):\n    y = x\nreturn y", "has no value here"),
        ("w[n] = 1\nreturn n", "a whole row"),
        ("a[0:2] = a[1:3]\nreturn n", "another array"),
        ("v = a[0:4:2]\nreturn n", "a slice with a step"),
        ("def g():\n    return 1\nreturn n", "no translation for def g"),
        ("return n if a[0] else 1", "no translation for the condition"),
        ("return f(a, b, w, n)", "no translation for the number"),
        (
            "for x in range(n):\n    if a[x] > n:\n        return 1\nelse:\n    n = 2\nreturn n",
            "no translation for for",
        ),
        ("for x, in range(n):\n    n += x\nreturn n", "a loop variable must be a name"),
        ("x = y = n == 0\nreturn x", "no translation for the number"),
        ("return a[n > 0]", "no translation for the number"),
        ("return (n > 0) + (n > 1)", "no translation for the number"),
        ("return (n > 0) - (n < 0)", None),
        ("t1 = n\nreturn t1", "the translation gives such a name itself"),
        ("a.tolist()[0] = n\nreturn n", "not the name of an array"),
        ("a.tolist().append(n)\nreturn n", "no translation for a.tolist"),
        ("a.append(n)\nreturn n", "only a list can grow"),
        ("c = [n]\nv = c[0:1]\nreturn v[0]", "a part of an array is not a number"),
        ("c = [n]\nc[:] = 0\nreturn n", "only a part of an array with one axis"),
        ("c = [n]\nreturn c.shape[0]", "no translation for the number"),
        ("c = np.zeros(n)\nreturn n", "no translation for the number"),
        ("c = np.zeros(n, float)\nreturn n", "an array of float"),
        ("c = np.zeros(n, np.int64, order='F')\nreturn n", "no translation for the number"),
        ("c = np.zeros(n, a.dtype)\nreturn c[0]", None),
    ],
)
def test_what_has_no_translation_is_refused_with_its_place_and_reason(body: str, why: str | None) -> None:
    """What is None has a translation: a negative index is for the proof to rule out."""
    text = "def f(a, b, w, n):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    if why is None:
        definition = translated(ast.parse(text), Function("f.py", "f", KINDS))
        assert definition
        return
    with pytest.raises(NotTranslatedError, match=r"f\.py:\d+: f: .*" + why):
        translated(ast.parse(text), Function("f.py", "f", KINDS))


@pytest.mark.parametrize(
    "line",
    [
        *(
            "def abs(x):\n    return x",
            "len = 3",
            "from other import sum",
            "import other as max",
            "from other import *",
        ),
        *("import other as np", "np = 3", "import numpy as np\nnp = 3", "def g(range):\n    return range"),
        *("try:\n    pass\nexcept ValueError as abs:\n    pass", "match 3:\n    case zip:\n        pass"),
    ],
)
def test_a_builtin_that_means_something_else_is_refused(line: str) -> None:
    text = f"{line}\ndef f(a, b, w, n):\n    return n\n"
    with pytest.raises(NotTranslatedError, match="means something else"):
        translated(ast.parse(text), Function("f.py", "f", KINDS))


def test_a_function_that_is_not_there_or_has_other_parameters_is_refused() -> None:
    with pytest.raises(NotTranslatedError, match="0 functions g"):
        translated(ast.parse("def f(n):\n    return n\n"), Function("f.py", "g", {"n": "int"}))
    with pytest.raises(NotTranslatedError, match="its parameters are n"):
        translated(ast.parse("def f(n):\n    return n\n"), Function("f.py", "f", {"m": "int"}))


@pytest.mark.parametrize("decorator", ["cached", "numba.njit(fastmath=True)", "numba.njit(parallel=True)", "numba.jit"])
def test_a_decorator_that_may_change_the_meaning_is_refused(decorator: str) -> None:
    text = "import numba\n@{}\ndef f(n):\n    return n\n"
    function = Function("f.py", "f", {"n": "int"})
    assert translated(ast.parse(text.format("numba.njit(cache=True)")), function)
    with pytest.raises(NotTranslatedError, match="no translation for the decorator"):
        translated(ast.parse(text.format(decorator)), function)


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("", "n += ONE\n    ONE = n\n    return n"),  # not yet bound where it is read
        ("", "for ONE in range(n):\n        n += 1\n    return ONE"),
        ("ONE = 2\n", "return ONE + n"),
        ("def g():\n    global ONE\n    ONE = 2\n", "return ONE + n"),
        ("for ONE in (1, 2):\n    pass\n", "return ONE + n"),
    ],
)
def test_a_name_of_the_module_is_a_constant_only_if_nothing_else_binds_it(before: str, body: str) -> None:
    function = Function("f.py", "f", {"n": "int"})
    assert "(ONE : Z)" in translated(ast.parse("ONE = 1\ndef f(n):\n    return ONE + n\n"), function)
    text = f"ONE = 1\n{before}def f(n):\n    {body}\n"
    with pytest.raises(NotTranslatedError, match="ONE has no value here"):
        translated(ast.parse(text), function)


def test_a_name_that_a_field_of_a_parameter_has_in_coq_is_refused() -> None:
    text = "def f(cuts, n):\n    cuts_low = n\n    return cuts_low + cuts.low[0]\n"
    with pytest.raises(NotTranslatedError, match="cuts_low: the translation gives such a name itself"):
        translated(ast.parse(text), Function("f.py", "f", {"cuts": "cuts", "n": "int"}))


def test_a_field_of_a_parameter_is_not_written_to() -> None:
    text = "def f(cuts, n):\n    cuts.low[0] = n\n    return n\n"
    with pytest.raises(NotTranslatedError, match="not the name of an array"):
        translated(ast.parse(text), Function("f.py", "f", {"cuts": "cuts", "n": "int"}))


def test_a_function_that_is_bound_again_is_refused() -> None:
    with pytest.raises(NotTranslatedError, match="binds that name 2 times"):
        translated(ast.parse("def f(n):\n    return n\nf = abs\n"), Function("f.py", "f", {"n": "int"}))


@pytest.mark.parametrize("line", ["(* a *) Axiom wrong : False.", "(* a", "a *)", "(* a *) (* b"])
def test_only_a_whole_comment_is_passed_over(line: str) -> None:
    assert not differs("Definition a := 1.", "(* one *)\nDefinition a := 1.\n  (* another * (one) *)")
    assert differs("Definition a := 1.", f"{line}\nDefinition a := 1.")
