"""The machine-checked proofs: they are whole, they say what is on file, and their checker judges our solvers.

Skipped where Coq or a library is missing, unless TCLOSENESS_REQUIRE_COQ=1 says that it must be there. The proofs are in
`proofs_tests/coq`; its README lists the theorems.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import random
import re
import subprocess
from dataclasses import replace
from difflib import unified_diff
from fractions import Fraction

import pytest

import tcloseness as tc
from experiments.claims import load_ledger
from experiments.studies.worked_examples.distances import FREQUENCY_ORDER, OWN, SOLVERS, UNIFORM, Case, solve
from proofs_tests.attacks.linked_tables import drawn as drawn_releases
from proofs_tests.certificates.audits import audited, counted
from proofs_tests.certificates.changes import ODD, changed, places_of, with_at
from proofs_tests.certificates.tables import HIERARCHIES, LOSSES, models, rolled, table as random_table
from proofs_tests.certificates.test_audit import others
from proofs_tests.certificates.test_composition import Record, li, proved, sealed
from proofs_tests.certificates.test_composition_laws import certificate as sums_certificate, fact
from proofs_tests.certificates.test_cut import CUBE, LOSSES as CUT_LOSSES, TREES, frame_of, solved, table_of
from proofs_tests.certificates.test_generalization import (
    ILLS,
    RAGGED,
    WEIGHTS,
    asked as distances_asked,
    frame_of as ills,
    solved as shown_as_nodes,
    table_of as ills_table,
)
from proofs_tests.certificates.test_keeping import TASK, cases as releases
from proofs_tests.certificates.test_lattice import certified
from proofs_tests.certificates.test_limits import LIMITED, certified as limited
from proofs_tests.certificates.test_microaggregation import drawn, nearly, table_of as numbers_table
from proofs_tests.certificates.test_partition import Case as Partitioned
from proofs_tests.cli.commands import run
from proofs_tests.coq.audit import AUDITED, GROUPS, HERE, STATEMENTS, blocks, coqc, file_of, printed, theorems
from proofs_tests.coq.certificates import DRIVER, accepted, answers, lemmas
from tcloseness.certificates import (
    TASKS,
    Counts,
    Envelope,
    Reading,
    check,
    read_certificate,
    read_counts,
    seal,
    verify_composition,
)
from tcloseness.certificates.audit import AUDIT
from tcloseness.certificates.class_costs import number_of
from tcloseness.certificates.composition import COMPOSITION, read_composition
from tcloseness.certificates.draws import DRAWS
from tcloseness.certificates.extracted import release_blocks, table_blocks
from tcloseness.certificates.generalization import GENERALIZATION
from tcloseness.certificates.labels import LABELS
from tcloseness.certificates.lattice import MINIMAL
from tcloseness.certificates.limits import LIMITED_MINIMAL, LIMITED_OPTIMUM
from tcloseness.certificates.microaggregation import MICROAGGREGATION
from tcloseness.certificates.redacted import REDACTED
from tcloseness.certificates.refusals import REFUSALS
from tcloseness.errors import CertificateError, InputError
from tcloseness.exact import number_text
from tcloseness.ground import Equal, Hierarchical, Matrix, Ordered, OrderedByValue
from tcloseness.microdata import Domain, FrequencySet, Hierarchy
from tcloseness.models import KAnonymity
from tcloseness.models.certified import CertifiedTable
from tcloseness.optimal import optimal_microaggregation
from tcloseness.printable import printable
from tcloseness.transport import certify

pytestmark = pytest.mark.coq

SOURCES = sorted(HERE.rglob("*.v"))
LOOPHOLES = re.compile(
    r"\b(Admitted|Axioms?|admit|Abort|Parameters?|Conjecture|give_up|bypass_check|Extract\s+(Inlined\s+)?Constant)\b"
    r"|Unset\s+(Guard|Positivity|Universe)\s+Checking|type-in-type|-impredicative-set"
)
REAL_NUMBERS = {
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
"""The axioms under the real numbers of Coq's standard library."""
LIMITED_TASKS = (LIMITED_MINIMAL, LIMITED_OPTIMUM)


@pytest.fixture(scope="session")
def built():
    """The proofs and the checker, built; two workers do not build at once."""
    tools = subprocess.run(["make", "-s", "tools"], cwd=HERE, capture_output=True, text=True, check=False)
    if tools.returncode:
        reason = " ".join(line.strip() for line in tools.stderr.splitlines() if not line.startswith("make"))
        if os.environ.get("TCLOSENESS_REQUIRE_COQ") == "1":
            pytest.fail(f"TCLOSENESS_REQUIRE_COQ=1, and {reason}")
        pytest.skip(reason)
    with open(HERE / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = subprocess.run(["make"], cwd=HERE, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    return HERE


@pytest.fixture(scope="session")
def audit(built):
    return printed()


def code(text):
    """A Coq text without its comments."""
    bare, depth, i = [], 0, 0
    while i < len(text):
        if text.startswith("(*", i):
            depth, i = depth + 1, i + 2
        elif depth and text.startswith("*)", i):
            depth, i = depth - 1, i + 2
        else:
            bare += [] if depth else [text[i]]
            i += 1
    return "".join(bare)


# ---------------------------------------------------------------------- the sources


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_nothing_is_left_unproved(source):
    assert not LOOPHOLES.search(code(source.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "text",
    [
        "Lemma a : False. Admitted.",
        "Axiom a : False.",
        "Proof. admit. Qed.",
        "Parameter a : nat.",
        "Goal False. Abort.",
        "Unset Guard Checking.",
        "(* comment (* in comment *) *) Axioms a b : False.",
    ],
)
def test_what_would_be_found(text):
    assert LOOPHOLES.search(code(text))


def test_a_comment_may_speak_of_axioms():
    assert not LOOPHOLES.search(code("(* no Axiom, (* nothing Admitted *) here *) Lemma a : True. Proof. by []. Qed."))


def test_the_project_has_every_file():
    listed = re.findall(r"^([\w/]+)\.v$", (HERE / "_CoqProject").read_text(encoding="utf-8"), re.MULTILINE)
    assert [name.replace("/", ".") for name in listed] == list(AUDITED)
    assert {path for path in SOURCES if path.parent.name != "driver"} == {file_of(file) for file in AUDITED}


@pytest.mark.parametrize("file", [file for file in AUDITED if file != "kernels.Generated"])
def test_each_file_opens_with_what_it_proves(file):
    text = file_of(file).read_text(encoding="utf-8")
    opening = text[: text.index("*)")]
    assert opening.startswith("(* ")
    assert "The idea in three lines:" in opening
    assert re.search(r"Places? in the", opening)


@pytest.mark.parametrize("file", AUDITED)
def test_every_theorem_is_audited(file):
    text = code(file_of(file).read_text(encoding="utf-8"))
    named = set(re.findall(r"^(?:Theorem|Corollary)\s+(\w+)", text, re.MULTILINE))
    assert named <= set(AUDITED[file][1].split())


def test_the_readme_names_every_theorem_and_no_other():
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(rf"`((?:{'|'.join(AUDITED)})\.(?!v`)\w+)`", readme))
    assert named == set(theorems())


# ---------------------------------------------------------------------- what Coq says


@pytest.mark.parametrize("kind", ["definition", "theorem", "assumptions"])
def test_statements_are_those_on_file(audit, kind):
    """A weaker theorem or another definition must show: `proofs_tests/coq/audit.py` says how to renew the file."""
    on_file, now = blocks(STATEMENTS.read_text(encoding="utf-8")), blocks(audit)
    names = [name for name in on_file | now if name.startswith(kind)]
    before, after = (
        [line for name in names for line in (name, *found.get(name, "").splitlines())] for found in (on_file, now)
    )
    changed = "\n".join(unified_diff(before, after, "on file", "now", lineterm=""))
    assert not changed, changed


def test_only_real_numbers_rest_on_axioms(audit):
    found = blocks(audit)
    assert found["assumptions without_axioms"] == "Closed under the global context"
    axioms = found["assumptions with_real_numbers"]
    assert set(re.findall(r"^(\w+\.\w+)\b", axioms, re.MULTILINE)) == REAL_NUMBERS
    assert sorted(file for files in GROUPS.values() for file in files) == sorted(AUDITED)


# ---------------------------------------------------------------------- our certificates


def distribution(rng, m):
    while not any(counts := [rng.choice((0, rng.randrange(6), rng.randrange(10**6))) for _ in range(m)]):
        pass
    return [Fraction(n, sum(counts)) for n in counts]


def ground(rng, m):
    """A ground distance of any kind, and the solvers that know it."""
    kind = rng.choice(["ordered", "by value", "equal", "hierarchy", "metric", "no metric"])
    if m < 2 or kind == "equal":
        return Equal(m), SOLVERS
    if kind == "ordered":
        return Ordered(m), SOLVERS
    if kind == "by value":
        return OrderedByValue(tuple(sorted(rng.sample(range(100), m)))), SOLVERS
    if kind == "hierarchy":
        values = [chr(ord("a") + i) for i in range(m)]
        tree = Hierarchy([(value, f"node {rng.randrange(3)}", "*") for value in values])
        return Hierarchical(tree, Domain.of(values)), SOLVERS
    if kind == "metric":
        places = [(rng.randrange(9), Fraction(rng.randrange(20), 3)) for _ in range(m)]
        return Matrix([[abs(a - c) + abs(b - d) for c, d in places] for a, b in places]), SOLVERS[1:]
    rows = [[Fraction(0 if i == j else rng.randrange(9), 2) for j in range(m)] for i in range(m)]
    return Matrix(rows, allow_non_metric=True), SOLVERS[1:]


def batch(seed, many):
    rng = random.Random(seed)
    found = []
    while len(found) < many:
        m = rng.randrange(1, 8)
        distance, solvers = ground(rng, m)
        p, q = distribution(rng, m), distribution(rng, m)
        found += [certify(p, q, distance, solver=solver) for solver in solvers]
    return found


def holds(certificate):
    try:
        certificate.verify()
    except CertificateError:
        return False
    return True


def mutated(rng, c):
    """The certificate with one number changed, or with a change of the potentials that changes nothing."""
    part = rng.choice(["p", "q", "u", "v", "value", "coupling", "ground", "both potentials", "cell"])
    step = rng.choice((-1, 1)) * rng.choice((Fraction(1), Fraction(1, 7), Fraction(1, 10**9)))
    m, i = c.ground.m, rng.randrange(c.ground.m)
    if part in ("p", "q", "u", "v"):
        numbers = list(getattr(c, part))
        numbers[i] += step
        return replace(c, **{part: tuple(numbers)})
    if part == "value":
        return replace(c, value=c.value + step)
    if part == "both potentials":
        return replace(c, u=tuple(x + step for x in c.u), v=tuple(x - step for x in c.v))
    if part == "ground":
        rows = [[c.ground.distance(a, b) for b in range(m)] for a in range(m)]
        j = rng.randrange(m)
        rows[i][j] = Fraction(0) if i == j else max(rows[i][j] + step, Fraction(0))
        return replace(c, ground=Matrix(rows, allow_non_metric=True))
    k = rng.randrange(len(c.coupling))
    a, b, mass = c.coupling[k]
    if part == "coupling":
        return replace(c, coupling=(*c.coupling[:k], (a, b, mass + step), *c.coupling[k + 1 :]))
    j = rng.randrange(m)
    rest = [cell for cell in c.coupling if cell[:2] not in {(a, b), (a, j)}]
    return replace(c, coupling=(*rest, (a, j, mass)))


@pytest.mark.solver
def test_certificates_of_every_solver_are_accepted(built):
    made = batch(seed=1, many=450)
    assert {c.method for c in made} == set(SOLVERS)
    assert accepted(made) == [True] * len(made)


@pytest.mark.solver
def test_mutated_certificates_are_refused_exactly_where_python_refuses(built):
    rng = random.Random(2)
    mutants = [mutated(rng, c) for c in batch(seed=3, many=300) for _ in range(2)]
    ours = [holds(c) for c in mutants]
    assert accepted(mutants) == ours
    assert min(ours.count(True), ours.count(False)) > 50


def test_a_line_that_is_no_certificate_is_no_answer(built):
    for text in ("1 1 1\n", "1 1 1 1 0 1 0 0 0 0\n", "x\n"):
        answer = subprocess.run([str(DRIVER)], input=text, capture_output=True, text=True, check=False)
        assert answer.returncode != 0
        assert answer.stdout == ""


# ---------------------------------------------------------------------- the papers' numbers

PRINTED = {
    "TC-8": Case("li_table4", 1, "Salary", "ordered"),
    "TC-9": Case("li_table4", 2, "Salary", "ordered"),
    "TC-12": Case("li_table4", 1, "Disease", "hierarchical", UNIFORM),
    "TC-13": Case("li_table5", 1, "Disease", "hierarchical", UNIFORM),
    "TU-2a": Case("dosselmann_section2", 1, "Value", "ordered"),
    **{f"TU-3{'abcd'[n]}": Case("dosselmann_table2", n + 1, "Incident", "equal") for n in range(4)},
    **{f"TU-4{'abc'[n]}": Case("dosselmann_table3", n + 1, "Salary", "ordered") for n in range(3)},
    **{
        f"TU-5{'abcd'[n]}": Case("dosselmann_table4", n + 1, "Merit Points", "ordered", OWN, FREQUENCY_ORDER)
        for n in range(4)
    },
    **{f"TU-8{'abc'[n]}": Case("dosselmann_table3", n + 1, "Disease", "equal") for n in range(3)},
}
"""Claims whose number is an EMD, with the reading under which it holds (TC-12, TC-13: Q uniform over the diseases)."""


@pytest.mark.solver
def test_the_numbers_in_the_papers_are_checked_inside_coq(built, tmp_path):
    """Each is the value of certificates that `Checker.check_value` accepts, evaluated by Coq, and rounds as printed."""
    claims = load_ledger()
    cases = [
        (f"{key}_{certificate.method}".replace("-", "_"), certificate, str(claims[key].stated))
        for key, case in PRINTED.items()
        for certificate in solve(case).certificates
    ]
    source = tmp_path / "PaperNumbers.v"
    source.write_text(lemmas(cases), encoding="utf-8")
    answer = coqc(source)
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize(("printed_as", "right"), [("0.375", True), ("0.376", False), ("0.4", True), ("0.3", False)])
def test_coq_refuses_a_number_that_does_not_round_so(built, tmp_path, printed_as, right):
    certificate = solve(PRINTED["TC-8"]).certificates[0]
    source = tmp_path / "OneNumber.v"
    source.write_text(lemmas([("salaries", certificate, printed_as)]), encoding="utf-8")
    assert (coqc(source).returncode == 0) == right


# ---------------------------------------------------------------------- certificates about tables


def mutants(rng, given):
    """A certificate, and changed ones: in one place of the proof, of the proof or of all that is written."""
    yield given
    for _ in range(6):
        yield {**given, "proof": changed(rng, given["proof"])}
    for part in rng.choices((given, given["proof"]), k=6):
        record = with_at(part, rng.choice(places_of(part)), rng.choice(ODD))
        yield record if part is given else {**given, "proof": record}


def by_python(certificate, table):
    """What the Python checker says. Of a search under a limit, what it says of the same nodes without those that are to
    spare it work and do not: the extracted checker counts every node, and only reads these."""
    try:
        return "accepted " + check(certificate, table.counts, table.levels)
    except CertificateError as error:
        if certificate.format not in LIMITED_TASKS or "does not show that" not in str(error):
            return "no"
    none = {key: [] for key in ("satisfying", "violating") if key in certificate.proof}
    try:
        for key in none:
            table.nodes.nodes(certificate.proof[key], key)
    except (CertificateError, InputError):
        return "no"
    return by_python(replace(certificate, proof={**certificate.proof, **none}), table)


def judged(rng, cases):
    """What both checkers say of certificates and their mutants: a table and its certificates, one after the other."""
    blocks, ours = [], []
    for table, certificates in cases:
        blocks.append(table_blocks(table.counts, table.levels))
        for given in certificates:
            for record in mutants(rng, given if isinstance(given, dict) else json.loads(given.to_json())):
                text = json.dumps({**record, "sha256": seal(record)}, ensure_ascii=bool(rng.randrange(2)))
                try:
                    certificate = read_certificate(text)
                except CertificateError:
                    continue  # the reading of files is Python's; what it refuses does not come so far
                blocks.append(f"certificate 1\n{text}\n")
                ours.append(by_python(certificate, table))
    return ours, [printable(line) if line.startswith("accepted ") else "no" for line in answers("".join(blocks))]


def test_searches_are_judged_as_by_python_in_the_same_words(built):
    rng = random.Random(4)

    def cases():
        for _ in range(12):
            searched = rolled(random_table(rng))
            losses = [(model, loss) for model in models(rng) for loss in (None, rng.choice(LOSSES))]
            table = CertifiedTable.of(searched.frequencies, "s", HIERARCHIES)
            yield table, [certified(searched, model, loss)[0] for model, loss in losses]

    ours, theirs = judged(rng, cases())
    assert theirs == ours
    assert len(ours) > 2000
    assert 300 < ours.count("no") < len(ours) - 300


@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
def test_searches_under_a_limit_are_judged_as_by_python_in_the_same_words(built):
    rng = random.Random(12)

    def cases():
        for _ in range(8):
            searched = rolled(random_table(rng))
            table, found = CertifiedTable.of(searched.frequencies, "s", HIERARCHIES), []
            for model in models(rng):
                for loss in (None, rng.choice(list(LIMITED.values()))):
                    limit = rng.randint(loss is None, searched.records)
                    given = json.loads(limited(searched, model, loss, limit).to_json())
                    keys = [key for key in ("minimal", "optima", "satisfying", "violating") if key in given["proof"]]
                    other = [list(rng.choice(list(searched.lattice))) for _ in range(rng.randint(0, 2))]
                    found += [given, {**given, "proof": {**given["proof"], rng.choice(keys): other}}]
            yield table, found

    ours, theirs = judged(rng, cases())
    assert theirs == ours
    assert len(ours) > 2000
    assert 300 < ours.count("no") < len(ours) - 300
    assert {name for name in LIMITED if any(f"; {name} = " in line for line in ours)} == set(LIMITED)
    assert any("records suppressed: no node, minimal of" in line for line in ours)


def test_what_is_kept_is_judged_as_by_python_in_the_same_words(built):
    rng = random.Random(6)

    def cases():
        for searched, release, model, hidden in releases(rng, 10):
            table = CertifiedTable.of(searched.frequencies, "s", HIERARCHIES)
            given = json.loads(TASK[hidden](release, model, seed=1).certificate().to_json())
            proof, entries = given["proof"], given["proof"]["classes"]
            absent = {**(entries or [{"above": None, "sizes": []}])[0], "counts": [9] + [0] * (len(table.values) - 1)}
            absent |= {"kept": [0] * len(table.values), "bound": 9}
            gone = [{**each, "kept": [0] * len(each["kept"])} for each in entries]
            more = sum(sum(each["kept"]) for each in entries)
            yield (
                table,
                [
                    given,
                    {**given, "proof": {**proof, "classes": [*entries, absent]}},
                    {**given, "proof": {**proof, "classes": gone, "enough": proof.get("enough", 0) + more}},
                ],
            )

    ours, theirs = judged(rng, cases())
    assert theirs == ours
    assert len(ours) > 1000
    assert 200 < ours.count("no") < len(ours) - 200
    assert {line.split(" ")[1] for line in ours if "values" in line and line != "no"} > {"none"}


def test_cuts_are_judged_as_by_python_in_the_same_words(built):
    rng = random.Random(7)

    def cases():
        for _ in range(12):
            trees = rng.choice((TREES, CUBE))
            frame = frame_of(rng, trees)
            asked = [KAnonymity(rng.randint(1, 4)), *rng.sample(models(rng), 4)]
            cuts = [
                solved(frame, trees, model, rng.choice(CUT_LOSSES), rng.choice(("subtree", "full-domain")))
                for model in asked
            ]
            yield table_of(frame, trees), [cut.certificate() for cut in cuts]

    ours, theirs = judged(rng, cases())
    assert theirs == ours
    assert len(ours) > 500
    assert 60 < ours.count("no") < len(ours) - 60
    assert {line.split(",")[0] for line in ours} >= {"accepted subtree", "accepted full-domain", "no"}
    assert any("all records together" in line for line in ours)


@pytest.mark.parametrize("records", [6, 2**31 + 6, 2**40])
def test_more_records_than_an_int_of_a_browser_holds_are_told_of_in_the_same_words(built, records):
    """One record is alone, and so is suppressed at the bottom; `answers` asks the program for browsers too."""
    counts = Counts.of(["x", "s"], {("text:a", "text:v"): records - 1, ("text:b", "text:v"): 1})
    for limit in (1, records // 2):
        envelope = Envelope(
            LIMITED_MINIMAL, TASKS[LIMITED_MINIMAL].statement, counts.digest, None, ("x",), "s", records, Reading(),
            {"x": None}, ({"condition": "records", "least": 2},),
            {"values": ["text:v"], "limit": limit, "minimal": [[0]], "satisfying": [], "violating": []},
        )  # fmt: skip
        (answer,) = answers(f"{table_blocks(counts, {'x': None})}certificate 1\n{json.dumps(envelope.to_dict())}\n")
        assert answer == f"accepted {check(envelope, counts, {'x': None})}"
        assert f"at most {limit:,} of {records:,} records suppressed" in answer


def test_groups_of_numbers_are_judged_as_by_python_in_the_same_words(built):
    rng = random.Random(11)

    def cases():
        for _ in range(70):
            table, k = numbers_table(drawn(rng)), rng.randint(1, 4)
            given = json.loads(optimal_microaggregation(table, k, seed=1).certificate().to_json())
            near = [{**given, "proof": nearly(rng, given["proof"])} for _ in range(3) if "labels" in given["proof"]]
            yield CertifiedTable.of(FrequencySet.of(table), "s"), [given, *near]

    ours, theirs = judged(rng, cases())
    assert theirs == ours
    assert len(ours) > 2000
    assert 300 < ours.count("no") < len(ours) - 100
    assert sum(line.endswith(", the least") for line in ours) > 80
    assert any("all records together" in line for line in ours)


def test_generalized_values_are_judged_as_by_python_in_the_same_words(built):
    rng = random.Random(14)

    def cases():
        for _ in range(60):
            frame, level, tree = ills(rng), rng.choice([0, 1, 2]), rng.choice([ILLS, RAGGED])
            (model, _), loss = distances_asked(rng), rng.choice(WEIGHTS)
            if rng.random() < 0.3:
                model = KAnonymity(rng.choice([2, 3])) & model
            given = json.loads(shown_as_nodes(frame, level, model, tree, loss).certificate().to_json())
            proof, near = given["proof"], []
            for _ in range(3 if proof.get("classes") else 0):
                bound = number_text(Fraction(proof["bound"]) + Fraction(rng.randint(-3, 3), 60))
                entries = [{**each, "scale": each["scale"] + rng.choice([0, 1, 2**30])} for each in proof["classes"]]
                near.append({**given, "proof": {**proof, "bound": bound, "classes": entries}})
            yield ills_table(frame), [given, *near, *([given] * 4 if near else [])]

    ours, theirs = judged(rng, cases())
    assert theirs == ours
    assert len(ours) > 1000
    assert 200 < ours.count("no") < len(ours) - 200
    assert any("no way costs less than" in line for line in ours)
    assert any("classes violate at the node" in line and not line.startswith("accepted 0") for line in ours)
    assert any("too few records, however its values are shown" in line for line in ours)


def test_partitions_are_judged_as_by_python_in_the_same_words(built):
    rng = random.Random(15)

    def cases():
        for _ in range(60):
            case = Partitioned(rng, most=7)
            given = json.loads(case.answer.certificate().to_json())
            near = []
            if "tree" in given["proof"]:
                proof = given["proof"]
                near += [{**given, "proof": {**proof, "limit": rng.choice([-1, 0, proof["scale"]])}}]
                if proof["bound"] is not None:
                    for step in (-1, 1):
                        bound = number_text(Fraction(proof["bound"]) + Fraction(step, 60))
                        near.append({**given, "proof": {**proof, "bound": bound}})
            table = case.instance.table
            yield CertifiedTable.of(FrequencySet.of(table), "s", case.instance.hierarchies), [given, *near]

    ours, theirs = judged(rng, cases())
    assert theirs == ours
    assert len(ours) > 500
    assert 200 < ours.count("no") < len(ours) - 100
    assert any(line.endswith(", the least") for line in ours)
    assert any("suppressed; " in line for line in ours)
    assert any(line.startswith("accepted no classes") for line in ours)


def exchanged(rng, cells):
    """Cells of as many persons in each class: two persons of different classes go to each other's class of a release.
    No table may have these cells."""
    of = {tuple(places): persons for *places, persons in cells}
    one, other = rng.choice(list(of)), rng.choice(list(of))
    r = rng.randrange(len(one))
    for cell, change in (
        (one, -1),
        (other, -1),
        ((*one[:r], other[r], *one[r + 1 :]), 1),
        ((*other[:r], one[r], *other[r + 1 :]), 1),
    ):
        of[cell] = of.get(cell, 0) + change
    return [[*cell, persons] for cell, persons in of.items() if persons]


def near_sums(rng, given):
    """Certificates of sums that are nearly right: facts in another order or changed a little, weights, and cells."""
    facts = given["facts"]
    yield {**given, "facts": rng.sample(facts, len(facts))}
    yield {**given, "facts": rng.choices(facts, k=len(facts) + 1)}
    for _ in range(12):
        fact = dict(rng.choice(facts))
        key = rng.choice(["cell", "value", "persons", "bound", "sums"])
        if key == "sums" and fact["sums"]:
            sums = [[*each] for each in fact["sums"]]
            at = rng.randrange(len(sums))
            weight = Fraction(sums[at][-1])
            sums[at][-1] = number_text(rng.choice([-weight, weight * 2, weight + Fraction(1, rng.randint(1, 9))]))
            more = [rng.randrange(len(given["cells"])), rng.choice(["0", "0", "1/2"])]
            fact["sums"] = rng.choice([sums, [*fact["sums"], more]])
        elif key == "bound":
            fact["bound"] = rng.choice(["least", "most"])
        elif key != "sums":
            fact[key] = rng.randint(0, 3)
        yield {**given, "facts": [*facts, fact]}
        yield {**given, "facts": [fact]}
    for _ in range(3):
        cells = exchanged(rng, given["cells"])
        yield {**given, "cells": cells}
        free = [
            {"cell": rng.randrange(len(cells)), "value": rng.randrange(len(given["values"])), "persons": n,
             "bound": rng.choice(["least", "most"]), "sums": rng.choice(facts)["sums"]}
            for n in (0, 0, 1, 1)
        ]  # fmt: skip
        yield {**given, "cells": cells, "facts": [*facts, *free]}


def mutated_sums(rng, given) -> list[Record]:
    found = [given, *near_sums(rng, given)]
    for _ in range(6):
        part = rng.choice(["facts", "cells", "releases"])
        found += [changed(rng, given), {**given, part: changed(rng, given[part])}]
        found.append(with_at(given, rng.choice(places_of(given)), rng.choice(ODD)))
    return found


def by_python_sums(text, tables):
    try:
        return "accepted " + verify_composition(text, tables)
    except CertificateError:
        return "no"


def test_published_sums_are_judged_as_by_python_in_the_same_words(built):
    rng = random.Random(22)
    blocks, ours, cases = [], [], 0
    while cases < 60:
        made = proved(drawn_releases(rng, persons=rng.choice([5, 12, 20])))
        if made is None:
            continue
        cases += 1
        given, tables = made
        texts = []
        for record in mutated_sums(rng, given):
            text = sealed(record)
            try:
                read_composition(text)
            except CertificateError:
                continue  # the reading of files is Python's; what it refuses does not come so far
            texts.append(json.dumps(json.loads(text), ensure_ascii=bool(rng.randrange(2))))
        for order in (tables, tables[::-1], tables[:-1]):
            blocks.append(release_blocks([read_counts(table) for table in order]))
            for text in texts if order is tables else texts[:1]:
                blocks.append(f"certificate 1\n{text}\n")
                ours.append(by_python_sums(text, order))
    theirs = [printable(line) if line.startswith("accepted ") else "no" for line in answers("".join(blocks))]
    assert theirs == ours
    assert len(ours) > 2000
    assert 400 < ours.count("no") < len(ours) - 400
    assert any("linked to no other release" in line for line in ours)
    assert sum("fact: " in line and not line.endswith(": 1 (median), 1 at most") for line in ours) > 200
    assert any(".5 (median)" in line for line in ours)


def sums_of(cells, values, many, facts):
    """A certificate of two releases: all persons are in one class, and each is in one of its own; many sums a fact."""
    first = {("a", f"{v:04}"): cells // values for v in range(values)}
    second = {(f"{c:04}", f"{c % values:04}"): 1 for c in range(cells)}
    sums = [[0, 0, v, "-1"] for v in range(many)]
    return sums_certificate([first, second], [[0, c, 1] for c in range(cells)], [fact(0, 0, "most", 1, *sums)] * facts)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ((400, 200, 200, 3), None),
        ((3000, 1000, 1000, 3), "so many sums"),
        ((3200, 3200, 1, 1), "so many classes and values"),
    ],
)
def test_published_sums_that_would_take_too_long_are_refused_by_name(built, asked, words):
    record, tables = sums_of(*asked)
    blocks = release_blocks([read_counts(table) for table in tables])
    (answer,) = answers(f"{blocks}certificate 1\n{sealed(record)}\n")
    found = verify_composition(sealed(record), tables)
    assert answer == (f"unreadable {words} would take too long to check" if words else f"accepted {found}")


NUMBERS = ["7", "-3/4", "+6/8", " 3/8\t", "\u22125", "0.250", ".5", "5.", "2e-3", "12E+2", "0e9", "-0", "007"]
NUMBERS += ["2020-02-29", "0001-01-01", "9999-12-31", "1900-03-01", "1e4000", f"{'9' * 4000}", f"1/{'7' * 4000}"]
NO_NUMBERS = ["", "x", "1_000", "1,5", "5%", "3/0", "1/-2", "1 2", "--1", "1e", "e3", ".", "\u0663", "nan", "inf"]
NO_NUMBERS += ["1e4001", "1e-4001", "1e999999999999", f"{'9' * 4001}", "10e4000", "2021-02-29", "2020-13-01"]
NO_NUMBERS += ["2020-1-1", "0x10", " 2020-01-01", "0000-01-01", "1900-02-29", "3/4/5", "1.2.3", "1/2e3"]


@pytest.mark.parametrize("text", [*NUMBERS, *NO_NUMBERS], ids=lambda text: repr(text[:20]))
def test_the_program_reads_the_numbers_of_a_column_as_python_does(built, text):
    """Two records, 0 and the number x, are one group of x²/2."""
    known = number_of(text, "x") if text in NUMBERS else Fraction(1)
    counts = Counts.of(["x", "s"], {("text:00", "text:a"): 1, (f"text:{text}", "text:a"): 1})
    value = number_text(known**2 / 2)
    envelope = Envelope(
        MICROAGGREGATION, TASKS[MICROAGGREGATION].statement, counts.digest, None, ("x",), "s", 2, Reading(),
        {"x": None}, ({"condition": "records", "least": 2},),
        {"values": ["text:a"], "groups": [2], "value": value, "labels": [value]},
    )  # fmt: skip
    (answer,) = answers(f"{table_blocks(counts, {'x': None})}certificate 1\n{json.dumps(envelope.to_dict())}\n")
    try:
        ours = "accepted " + check(envelope, counts, {"x": None})
    except CertificateError:
        ours = "no"
    assert (answer if ours != "no" else answer.split(" ")[0]) == (ours if ours != "no" else "unreadable")
    assert (ours == "no") is (text in NO_NUMBERS or len(value) > 4000)


@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
def test_audits_are_judged_as_by_python_in_the_same_words(built):
    rng = random.Random(9)
    odd = ["*", "é\t", "a\u2028\u200b", "\x1b[31m" * 20, "𝔵" * 61, "\x85'\\"]

    def cases():
        for _ in range(14):
            frame, found = audited(rng, suppressed=rng.random() < 0.6)
            given = json.loads(found.certificate().to_json())
            table = CertifiedTable.of(counted(frame), "s")
            proofs = [{**given["proof"], **change} for change in ({"unchecked": rng.sample(odd, 2)}, {"measures": []})]
            proofs += rng.sample(list(others(rng, frame, given["proof"])), 3)
            yield table, [given, given, given, *({**given, "proof": proof} for proof in proofs)]
        for mark in odd:
            frame = random_table(rng)
            frame.loc[len(frame)] = [mark, mark, frame["s"].iloc[0]]
            release = FrequencySet.from_frame(frame, quasi_identifiers=["a", "b"], sensitive="s", suppressed=mark)
            yield CertifiedTable.of(release, "s"), [tc.check(release, ground={"s": "equal"}, k=2).certificate()]

    ours, theirs = judged(rng, cases())
    assert theirs == ours
    assert len(ours) > 1200
    assert 300 < ours.count("no") < len(ours) - 120
    said = " ".join(ours)
    assert all(f"{name} (" in said for name in ("tail", "ratio", "distance"))
    assert all(
        words in said for words in ("= infinite", "against all records", "against the others", "\\x1b[31m", "…'")
    )


@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
def test_tables_without_a_sensitive_attribute_are_judged_as_by_python_in_the_same_words(built):
    rng = random.Random(21)

    def cases():
        for _ in range(8):
            frame = random_table(rng)
            alone = tc.Table(frame, quasi_identifiers=["a", "b"], hierarchies=HIERARCHIES)
            k, limit = rng.randint(1, 3), min(2, len(frame))
            searches = [{}, {"loss": "height"}, {"suppression": limit}, {"loss": "height", "suppression": limit}]
            found = [alone.search(k=k, **asked) for asked in searches] + [alone.optimal("cut", k=k)]
            made = [json.loads(each.certificate().to_json()) for each in found]
            named = {**made[0], "table": {**made[0]["table"], "sensitive": "s"}}
            yield CertifiedTable.of(alone.frequencies, "", HIERARCHIES), [*made, named]
            yield CertifiedTable.of(alone.frequencies, ""), [alone.check(k=k).certificate()]

    ours, theirs = judged(rng, cases())
    assert theirs == ours
    assert len(ours) > 500
    assert 100 < ours.count("no") < len(ours) - 50


def test_the_extracted_checker_is_used_from_the_command_line(built, tmp_path):
    frame = random_table(random.Random(5))
    frame.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "a.csv").write_text("1,low,*\n2,low,*\n3,high,*\n4,high,*\n")
    asked = ("--table", str(tmp_path / "t.csv"), "--hierarchies", str(tmp_path))
    envelope, _ = certified(rolled(frame), KAnonymity(2))
    (tmp_path / "c.json").write_text(envelope.to_json())
    plain = run("verify", str(tmp_path / "c.json"), *asked)
    answer = run("verify", str(tmp_path / "c.json"), *asked, "--checker", "extracted")
    assert (plain.code, answer.code) == (0, 0)
    assert "extracted" in answer.out
    assert [line for line in answer.out.splitlines() if "checked by" not in line] == plain.out.splitlines()
    record = envelope.to_dict()
    record["proof"] = {**record["proof"], "minimal": []}
    (tmp_path / "c.json").write_text(json.dumps({**record, "sha256": seal(record)}))
    assert run("verify", str(tmp_path / "c.json"), *asked, "--checker", "extracted").code == 1


def test_published_sums_are_checked_by_the_extracted_program_from_the_command_line(built, tmp_path):
    record, tables = li()
    for name, table in zip(("one", "two"), tables, strict=True):
        (tmp_path / name).write_bytes(table)
    words = ["verify", str(tmp_path / "c.json"), "--table", str(tmp_path / "one"), "--with", str(tmp_path / "two")]
    (tmp_path / "c.json").write_text(json.dumps(record))
    plain, answer = run(*words), run(*words, "--checker", "extracted")
    assert (plain.code, answer.code) == (0, 0)
    assert "extracted" in answer.out
    assert [line for line in answer.out.splitlines() if "checked by" not in line] == plain.out.splitlines()
    wrong = with_at(record, ("facts", 0, "sums", 0, -1), "1")
    (tmp_path / "c.json").write_text(sealed(wrong))
    assert run(*words, "--checker", "extracted").code == 1


@pytest.fixture(scope="module")
def one():
    """A table, and a certificate of a search of it, whose values are named by texts of several alphabets."""
    frame = random_table(random.Random(10)).replace({"s": {"x": "é\t", "y": "𝔵"}})
    searched = rolled(frame)
    return CertifiedTable.of(searched.frequencies, "s", HIERARCHIES), certified(searched, KAnonymity(2))[0]


def said(table, certificate, counts=None, levels=None):
    (answer,) = answers(f"{table_blocks(counts or table.counts, levels or table.levels)}certificate 1\n{certificate}\n")
    return answer.split(" ")[0]


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("{", '{"format": "tcloseness-minimal-certificate-1", '),
        ('"least": 2', '"least": 02'),
        ('"least": 2', '"least": 2.0'),
        ('"least": 2', '"least": 2e0'),
        ('"least": 2', '"least": +2'),
        ('"least": 2', '"least": 2, "least": 2'),
        ('"sha256": "', '"sha256":: "'),
        ("é", "\\udc00"),
        ("é\\t", "é\t"),
        ("{", "{,"),
        ('"minimal": [', '"minimal": [,'),
        ("}]}, ", "}]}, {}, "),
    ],
)
def test_what_is_not_strict_json_is_unreadable_to_the_program(built, one, part, other):
    table, certificate = one
    text = json.dumps(certificate.to_dict(), ensure_ascii=False)
    assert said(table, f" {text} ") == "accepted"
    assert part in text
    assert said(table, text.replace(part, other, 1)) == "unreadable"
    assert said(table, f"{text} 1") == "unreadable"


def test_the_program_knows_what_a_certificate_is_about(built, one):
    table, certificate = one
    text = json.dumps(certificate.to_dict())
    assert said(table, text) == "accepted"
    rows = dict(table.counts.counts)
    first = next(iter(rows))
    assert said(table, text, counts=Counts.of(table.counts.columns, {**rows, first: rows[first] + 1})) == "unreadable"
    renamed = Counts.of([*table.counts.columns[:-1], "t"], rows)
    assert said(table, text, counts=renamed) == "unreadable"
    own = table.levels["a"]
    for levels in (None, own[:-1], [(*path[:-1], "+") for path in own], [*own, ("5", "high", "*")]):
        assert said(table, text, levels={**table.levels, "a": levels}) == "unreadable"
    assert said(table, text, levels={**table.levels, "b": [("p", "*"), ("q", "*")]}) == "unreadable"
    for path in (("table", "records"), ("table", "digest"), ("hierarchies", "a"), ("hierarchies", "b"), ("statement",)):
        another = {"records": certificate.records + 1, "statement": "all is well"}.get(path[-1], "0" * 64)
        record = with_at(json.loads(text), path, another)
        assert said(table, json.dumps(record)) == "unreadable"
        assert said(table, json.dumps({**record, "sha256": seal(record)})) == "unreadable"
    assert said(table, text.replace(certificate.to_dict()["sha256"], "0" * 64)) == "unreadable"


def test_the_program_names_what_it_has_no_proved_checker_for(built, one):
    table, certificate = one
    given = certificate.to_dict()
    own = {"condition": "trusted", "function": "a:b", "source_sha256": "0" * 64, "number": "1"}
    others = {REFUSALS, LABELS, DRAWS, REDACTED}
    statements = dict.fromkeys(others, "") | {name: task.statement for name, task in TASKS.items()}
    records = [{**given, "format": name, "statement": statement} for name, statement in statements.items()]
    texts = [json.dumps({**each, "sha256": seal(each)}) for each in (*records, {**given, "model": [own]})]
    said = answers(table_blocks(table.counts, table.levels) + "".join(f"certificate 1\n{text}\n" for text in texts))
    unknown = {
        name
        for name, line in zip(statements, said, strict=False)
        if line == f'unreadable no proved checker for the format "{name}"'
    }
    page = (HERE.parents[1] / "docs" / "certificates.md").read_text(encoding="utf-8")
    (sentence,) = re.findall(r"The certificates of (.*?) are read\s+by a second checker", page, re.S)
    known = {f"tcloseness-{task}-certificate-1" for task in re.findall(r"`([\w-]+)`", sentence)}
    assert unknown == others
    assert known == {COMPOSITION, *TASKS} - others
    (sentence,) = re.findall(r"Those of (.*?) have no proved\s+checker", page, re.S)
    assert {f"tcloseness-{task}-certificate-1" for task in re.findall(r"`([\w-]+)`", sentence)} == others
    assert said[-1] == 'unreadable no proved checker for the condition "trusted"'


def test_entropies_of_too_many_records_are_refused_by_name(built):
    """They are decided by powers, whose exponents are counts."""
    measure = {"measure": "entropy", "value": "1", "class": ["1"]}
    audit = {"suppressed": None, "reference": "all", "classes": 1, "holds": [True], "unchecked": []}
    entropy, records = ({"condition": "entropy", "l": "3/2"},), ({"condition": "records", "least": 1},)
    cases = [
        (MINIMAL, entropy, {"minimal": [[0]], "violating": []}),
        (AUDIT, entropy, {**audit, "measures": []}),
        (AUDIT, records, {**audit, "measures": [measure]}),
    ]
    for many, words in ((50, None), (2**40, "unreadable the entropy of so many records would take too long to check")):
        counts = Counts.of("as", {("text:1", "text:x"): many, ("text:1", "text:y"): many})
        blocks = table_blocks(counts, {"a": None})
        for task, model, proof in cases:
            envelope = Envelope(
                task, TASKS[task].statement, counts.digest, None, ("a",), "s", 2 * many, Reading(), {"a": None}, model,
                {"values": ["text:x", "text:y"], **proof},
            )  # fmt: skip
            blocks += f"certificate 1\n{json.dumps(envelope.to_dict())}\n"
        said = answers(blocks)
        assert (
            said == [words] * 3
            if words
            else [line.split(" ")[0] for line in said] == ["accepted", "accepted", "refused"]
        )


@pytest.mark.parametrize(
    ("weight", "denominator", "right"),
    [("1", "1", True), (str(10**900), "1", True), (str(10**3999), "1", False), ("1", str(10**3999), False)],
)
def test_distances_of_many_long_numbers_are_refused_by_name_by_both(built, weight, denominator, right):
    """A pair of values counts once for each 64 bits of its distance; the table is one class, which satisfies."""
    values = [f"text:{v}" for v in range(200)]
    counts = Counts.of("as", {("text:1", value): 1 for value in values})
    family = {"name": "laminar", "order": list(range(200)), "low": [0], "high": [1]}
    asked = {"condition": "distance", "t": "0", "ground": {**family, "weights": [weight], "denominator": denominator}}
    proof = {"values": values, "node": [0], "hierarchy": [[str(v), "*"] for v in range(200)], "loss": "ncp"}
    envelope = Envelope(
        GENERALIZATION, TASKS[GENERALIZATION].statement, counts.digest, None, ("a",), "s", 200, Reading(), {"a": None},
        (asked,), {**proof, "value": "0", "bound": "0", "classes": []},
    )  # fmt: skip
    (answer,) = answers(f"{table_blocks(counts, {'a': None})}certificate 1\n{json.dumps(envelope.to_dict())}\n")
    if right:
        assert answer == f"accepted {check(envelope, counts, {'a': None})}"
    else:
        assert answer == "unreadable so many distances of so many values are not checked"
        with pytest.raises(CertificateError, match="too many: 1 distance of 200 values"):
            check(envelope, counts, {"a": None})


def grounds_over(m):
    """By name: ground distances over many values, whose sets have together more than 31,622 places."""
    whole = {"name": "laminar", "order": list(range(m)), "denominator": "1"}
    return {
        "ordered": {"name": "ordered", "m": m},
        "by value": {"name": "ordered-by-value", "values": list(map(str, range(m)))},
        "tree": {
            "name": "hierarchical", "trivial_levels": "keep", "values": list(range(m)),
            "paths": [[str(v), *(f"{level}" for level in range(m // 2))] for v in range(m)],
        },
        "chain": {**whole, "low": [0] * (m - 1), "high": list(range(1, m)), "weights": ["1"] * (m - 1)},
    }  # fmt: skip


@pytest.mark.parametrize("name", grounds_over(2))
def test_ground_distances_over_many_values_are_refused_by_name(built, name):
    """That each two sets are nested or apart is looked for place by place; in a model and in what is measured."""
    said = {}
    for m in (12, 300):
        counts = Counts.of("as", {("text:1", f"text:{v}"): 1 for v in range(m)})
        distance = {"ground": grounds_over(m)[name]}
        measure = {"measure": "distance", "value": "0", "class": ["1"], **distance}
        asked, records = {"condition": "distance", "t": "0", **distance}, {"condition": "records", "least": 1}
        audit = {"suppressed": None, "reference": "all", "classes": 1, "holds": [True], "unchecked": []}
        blocks = table_blocks(counts, {"a": None})
        for task, condition, proof in (
            (MINIMAL, asked, {"minimal": [[0]], "violating": []}),
            (AUDIT, records, {**audit, "measures": [measure]}),
        ):
            envelope = Envelope(
                task, TASKS[task].statement, counts.digest, None, ("a",), "s", m, Reading(), {"a": None}, (condition,),
                {"values": [f"text:{v}" for v in range(m)], **proof},
            )  # fmt: skip
            blocks += f"certificate 1\n{json.dumps(envelope.to_dict())}\n"
            assert check(envelope, counts, {"a": None})
        said[m] = answers(blocks)
    assert [line.split(" ")[0] for line in said[12]] == ["accepted"] * 2
    assert said[300] == ["unreadable the sets of ground distances over so many values would take too long to check"] * 2


@pytest.mark.parametrize(
    "counts",
    [
        '["tcloseness-counts-1","a","s"]\n["text:2","text:x",1]\n["text:1","text:x",1]',
        '["tcloseness-counts-1","a","s"]\n["text:1","text:x",1]\n["text:1","text:x",1]',
        '["tcloseness-counts-1","a","s"]\n["text:1","text:x",0]',
        '["tcloseness-counts-1","a","s"]\n["text:1","text:x", 1]',
        '["tcloseness-counts-1","a","s"]\n["text:1",1]',
        '["tcloseness-counts-2","a","s"]\n["text:1","text:x",1]',
    ],
)
def test_counts_that_are_not_canonical_are_unreadable_to_the_program(built, counts):
    digest = hashlib.sha256(f"{counts}\n".encode()).hexdigest()
    envelope = Envelope(
        MINIMAL, TASKS[MINIMAL].statement, digest, None, ("a",), "s", 2, Reading(), {"a": None},
        ({"condition": "records", "least": 1},), {"values": ["text:x"], "minimal": [[0]], "violating": []},
    )  # fmt: skip
    blocks = f"counts {counts.count(chr(10)) + 1}\n{counts}\ncertificate 1\n{json.dumps(envelope.to_dict())}\n"
    (answer,) = answers(blocks)
    assert answer.startswith("unreadable ")
