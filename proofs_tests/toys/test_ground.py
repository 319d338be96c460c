"""A ground distance of the user's own works wherever ground distances do, with no change to the package.

Two are defined here, and nowhere else: on a star every value has an arm of its own length, which is a sum of cuts; on a
circle the way round is the shorter of two, which is not. What is expected is computed from their definitions.
"""

from __future__ import annotations

import json
import random
import sys
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tcloseness as tc
from proofs_tests.cli.commands import run
from proofs_tests.oracles import cheapest_assignment, shares
from tcloseness.errors import DomainError
from tcloseness.ground import Cuts, GroundDistance, ground_digest, ground_distance, ground_name
from tcloseness.lattice import RollUp, exhaustive
from tcloseness.measures import EMD
from tcloseness.microdata import ClassCounts, Domain, FrequencySet, Hierarchy, Microdata
from tcloseness.models import TCloseness
from tcloseness.optimal import Optimal, optimal_suppression
from tcloseness.transport import Certificate, certify, emd, moves

F = Fraction


class Star:
    """d(i, j) = arm i + arm j over twice the longest arm: the way from tip to tip through the middle."""

    name = "star"
    metric = True

    def __init__(self, m):
        self.m = m

    @classmethod
    def over(cls, domain):
        return cls(len(domain))

    @property
    def denominator(self):
        return 2 * self.m

    def distance(self, i, j):
        return F(i + j + 2, 2 * self.m) if i != j else F(0)

    def row(self, i):
        return np.array([i + j + 2 if i != j else 0 for j in range(self.m)], dtype=np.int64)

    @cached_property
    def cuts(self):
        singles = [(i, i + 1) for i in range(self.m)]
        return Cuts.of(range(self.m), singles, [F(i + 1, 2 * self.m) for i in range(self.m)])

    def to_dict(self):
        return {"name": self.name, "m": self.m}


class Circle:
    """d(i, j) = min(|i − j|, m − |i − j|) over m // 2."""

    name = "circle"
    metric = True
    cuts = None
    definition = "the shorter way round"
    value_order = "as given, round a circle"

    def __init__(self, m):
        self.m = m
        self.greatest = F(1) if m > 1 else F(0)

    @property
    def denominator(self):
        return max(self.m // 2, 1)

    def distance(self, i, j):
        return F(min(abs(i - j), self.m - abs(i - j)), self.denominator)

    def row(self, i):
        return np.array([min(abs(i - j), self.m - abs(i - j)) for j in range(self.m)], dtype=np.int64)

    def to_dict(self):
        return {"name": self.name, "m": self.m}


def circle(domain):
    return Circle(len(domain))


OF_SEVEN = Circle(7)
TOYS = {"Star": Star, "circle": circle}
FORM = {"Star": "laminar", "circle": "matrix"}
ROWS = [("aa", "1"), ("aa", "3"), ("ab", "2"), ("ab", "4"), ("ba", "1"), ("ba", "2"), ("bb", "3"), ("bb", "4")]
ROWS += [("ca", "1"), ("ca", "4"), ("cb", "2"), ("cb", "3")]


def frame(rows=ROWS):
    return pd.DataFrame(rows, columns=["q", "s"])


def hierarchy():
    return Hierarchy.prefixes(sorted({q for q, _ in ROWS}), name="q")


def farthest(rows, prefix, d):
    """The greatest EMD of a class from all rows."""
    everyone = shares([int(s) - 1 for _, s in rows], 4)
    keys = {q[:prefix] for q, _ in rows}
    classes = ([int(s) - 1 for q, s in rows if q[:prefix] == key] for key in keys)
    return max(emd(shares(each, 4), everyone, d) for each in classes)


# ---------------------------------------------------------------------- in Python


@pytest.mark.parametrize("name", TOYS)
def test_it_is_a_ground_distance_and_is_made_over_any_domain(name):
    for m in (1, 2, 5):
        ground = ground_distance(TOYS[name], Domain.declare(range(m)))
        assert isinstance(ground, GroundDistance)
        assert ground.m == m
    assert ground_name(TOYS[name]) in {"star", "circle"}
    assert ground_distance(OF_SEVEN, Domain.declare(range(7))) is OF_SEVEN
    with pytest.raises(DomainError, match="has 7 values and the domain 3"):
        ground_distance(OF_SEVEN, Domain.of("abc"))
    with pytest.raises(DomainError, match="has 7 values and the domain 3"):
        ground_distance(lambda _: OF_SEVEN, Domain.of("abc"))


@pytest.mark.parametrize("name", TOYS)
def test_an_emd_is_the_cheapest_of_all_pairings_and_its_certificate_is_read_back(name):
    rng = random.Random(name)
    for _ in range(30):
        m, n = rng.randint(2, 5), rng.randint(1, 5)
        ground = ground_distance(TOYS[name], Domain.declare(range(m)))
        one, other = ([rng.randrange(m) for _ in range(n)] for _ in range(2))
        p, q = shares(one, m), shares(other, m)
        expected = cheapest_assignment(one, other, ground.distance)
        proof = certify(p, q, ground, solver="networkx")
        assert emd(p, q, ground) == proof.value == sum((move.cost for move in moves(p, q, ground)), F(0)) == expected
        again = Certificate.from_json(proof.to_json())
        again.verify()
        assert again.value == expected
        assert again.ground.name == FORM[name]
        assert ground_digest(again.ground) == ground_digest(ground)


@pytest.mark.parametrize("name", TOYS)
def test_check_and_searches_measure_by_it(name):
    ground = ground_distance(TOYS[name], Domain.declare("1234"))
    table = FrequencySet.from_frame(frame(), quasi_identifiers="q", sensitive="s")
    audit = tc.check(table, ground={"s": TOYS[name]}, t="1/2")
    found = next(result for result in audit.attributes[0].results if result.model == "t-closeness")
    assert found.value == farthest(ROWS, 2, ground)
    assert found.satisfied == (found.value <= F(1, 2))
    by_level = [farthest(ROWS, prefix, ground) for prefix in (2, 1, 0)]
    rolled = RollUp(table, {"q": hierarchy()})
    for t in sorted({*by_level, *(value - F(1, 100) for value in by_level if value)}):
        least = next(level for level, value in enumerate(by_level) if value <= t)
        assert exhaustive(rolled, TCloseness(t, ground=TOYS[name])).minimal == ((least,),)


@pytest.mark.parametrize("name", TOYS)
def test_heuristics_and_optima_reach_it(name):
    ground = ground_distance(TOYS[name], Domain.declare("1234"))
    model = TCloseness("1/4", ground=TOYS[name])
    table = Microdata.from_frame(frame(), quasi_identifiers="q", sensitive="s")
    values = tc.mondrian(table, model).frame()
    assert farthest(list(zip(values["q"], values["s"], strict=True)), None, ground) <= F(1, 4)
    classes = ClassCounts.from_mapping({"a": {"1": 3, "2": 1}, "b": {"1": 1, "2": 1, "3": 1}})
    distance = ground_distance(TOYS[name], classes.domain)
    answer = optimal_suppression(classes, TCloseness("1/3", ground=TOYS[name]))
    assert isinstance(answer, Optimal)
    q = [F(4, 7), F(2, 7), F(1, 7)]
    lost = 0
    for counts in ((3, 1, 0), (1, 1, 1)):
        kept = [(a, b, c) for a in range(counts[0] + 1) for b in range(counts[1] + 1) for c in range(counts[2] + 1)]
        good = [sum(k) for k in kept if not sum(k) or emd([F(x, sum(k)) for x in k], q, distance) <= F(1, 3)]
        lost += sum(counts) - max(good)
    assert answer.objective == lost


@pytest.mark.parametrize("name", TOYS)
def test_a_card_carries_it_along(name):
    card = tc.check_distance(EMD(TOYS[name]), m=(2, 4), effort="1/20", only=["symmetric", "triangle", "relabelling"])
    assert card.assumed["ground_distance"] == ground_name(TOYS[name])
    assert not card.failures


def test_what_it_says_of_itself_is_checked():
    class Short(Circle):
        def __init__(self, m):
            super().__init__(m)
            self.greatest = F(1, 2)

    with pytest.raises(DomainError, match="no distance exceeds"):
        ground_distance(Short(5), Domain.of("abcde"))

    class Crossed(Circle):
        cuts = Star(5).cuts

    with pytest.raises(DomainError, match="its cuts sum to"):
        ground_distance(Crossed(5), Domain.of("abcde"))


# ---------------------------------------------------------------------- on the command line


@pytest.fixture
def table(tmp_path: Path) -> str:
    file = tmp_path / "table.csv"
    frame().to_csv(file, index=False)
    return str(file)


@pytest.fixture(autouse=True)
def loaded_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, Path(__file__).stem, raising=False)


def named(name: str, column: str = "s=") -> tuple[str, str]:
    return "--ground", f"{column}{__file__}:{name}"


ROLES = ("--quasi-identifiers", "q", "--sensitive", "s")
HERE = Path(__file__).name


@pytest.mark.parametrize("name", TOYS)
def test_emd_writes_a_certificate_that_verify_reads_and_compares(name, tmp_path):
    file, other = tmp_path / "proof.json", tmp_path / "other.json"
    masses = ("--p", "1/2,0,1/2,0,0", "--q", "0,1/4,1/4,1/4,1/4")
    found = run("emd", *masses, *named(name, ""), "--certificate", str(file), "--format", "json", "--moves")
    assert found.code == 0, found.err
    ground = ground_distance(TOYS[name], Domain.declare(range(5)))
    assert F(found.record["emd"]) == emd([F(1, 2), 0, F(1, 2), 0, 0], [0, *[F(1, 4)] * 4], ground)
    assert found.record["ground_distance"] == {"name": ground.name, "object": f"{HERE}:{name}"}
    assert found.record["conventions"]["order of the values"] == getattr(ground, "value_order", "none")
    assert run("verify", str(file), *named(name, "")).code == 0
    assert f"{FORM[name]}, m = 5" in run("verify", str(file)).out
    assert run("emd", *masses, "--ground", "ordered", "--certificate", str(other)).code == 0
    assert "is about something else" in run("verify", str(other), *named(name, "")).err
    assert f"{ground.name}, {HERE}:{name}" in run("emd", *masses, *named(name, "")).out


@pytest.mark.long
@pytest.mark.parametrize("name", TOYS)
def test_check_takes_it_in_text_json_and_html_and_redacted(name, table, tmp_path):
    ground = ground_distance(TOYS[name], Domain.declare("1234"))
    expected = farthest(ROWS, 2, ground)
    for redact in ((), ("--redact",)):
        page = tmp_path / f"page{len(redact)}.html"
        asked = ("check", table, *ROLES, *named(name), "--t", str(expected), *redact)
        found = run(*asked, "--format", "json", "--html", str(page))
        assert found.code == 0, found.err
        assert found.record["ground_distances"] == {"s": {"name": ground.name, "object": f"{HERE}:{name}"}}
        assert {r["model"]: r["value"] for r in found.record["summary"]}["t-closeness"] == str(expected)
        assert ground.name in page.read_text("utf-8")
        assert f"{ground.name}, {HERE}:{name}" in " ".join(run(*asked).out.split())
    assert run("check", table, *ROLES, *named(name), "--t", str(expected - F(1, 1000))).code == 1


@pytest.mark.parametrize("name", TOYS)
def test_search_anonymize_and_optimal_take_it_and_what_they_write_satisfies(name, table, tmp_path):
    ground = ground_distance(TOYS[name], Domain.declare("1234"))
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / "q.csv").write_text("".join(f"{q},{q[0]}*,*\n" for q in sorted({q for q, _ in ROWS})), "utf-8")
    asked = (*ROLES, *named(name), "--format", "json")
    with_files = ("--hierarchies", str(tmp_path / "h"))
    for command, t in (
        (("search", table, *with_files), F(1, 4)),
        (("anonymize", table, "--method", "mondrian", *with_files), F(1, 4)),
        (("optimal", "suppression", table), farthest(ROWS, 2, ground)),
    ):
        output = tmp_path / f"{command[0]}.csv"
        found = run(*command, *asked, "--t", str(t), "--output", str(output))
        assert found.code == 0, found.err
        assert json.dumps({"name": ground.name, "object": f"{HERE}:{name}"}) in json.dumps(found.record)
        rows = pd.read_csv(output, dtype=str)
        written = list(zip(rows["q"], rows["s"], strict=True))
        assert len(written) == len(ROWS)
        assert farthest(written, None, ground) <= t


def test_validate_takes_it():
    asked = ("validate", "tcloseness.measures:Variational", "--m", "2-3", "--only", "symmetric,triangle", "--no-proofs")
    for name in TOYS:
        found = run(*asked, *named(name, ""), "--format", "json")
        assert found.code == 0, found.err
        assert found.record["assumed"]["ground_distance"] == ground_name(TOYS[name])


def test_a_name_that_is_not_a_ground_distances_is_wrong_usage(table):
    for given, message in [
        ("no_such_module:Toy", "cannot be imported"),
        (f"{__file__}:Nobody", "has no 'Nobody'"),
        (f"{__file__}:HERE", "is unknown; it is 'ordered'"),
        (f"{__file__}:Circle", "give it a class method over, or name an object"),
        ("hierachical:h.csv", "did you mean 'hierarchical'?"),
        ("orderd", "did you mean 'ordered'?"),
        ("equal:h.csv", "did you mean 'equal'?"),
    ]:
        found = run("check", table, *ROLES, "--ground", f"s={given}")
        assert found.code == 2
        assert message in found.err.replace("\n", " ")
