"""The reader of certificates: strict, and bounded by what it is given."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from proofs_tests.case_names import shown
from proofs_tests.transport import certificate_mutants
from proofs_tests.transport.certificate_mutants import is_true, opinion_of, originals, try_all
from tcloseness.certificates import seal
from tcloseness.errors import CertificateError, CertificateFormatError
from tcloseness.ground import Equal, Hierarchical, Matrix, Ordered, ProductGround, ground_digest, ground_from_dict
from tcloseness.ground.checking import LARGEST_CHECKED
from tcloseness.microdata import Domain, Hierarchy
from tcloseness.transport import Certificate, certify

F = Fraction


def resealed(record, **changes):
    body = {**record, **changes}
    return {**body, "sha256": seal(body)}


@pytest.mark.long
def test_the_reader_the_checker_and_a_second_opinion_agree_on_changed_certificates():
    """See `certificate_mutants`, which tries as many as one likes; here 1,500 with a fixed seed."""
    tally = try_all(1500, 7)
    assert not tally.faults, tally.faults[:5]
    for name in ("proved", "refuted", "unreadable, as the schema says"):
        assert tally.outcomes[name] > 50


@pytest.mark.slow
def test_more_changed_certificates():
    tally = try_all(20_000, 8)
    assert not tally.faults, tally.faults[:5]


def test_the_second_opinion_sees_what_is_false():
    """It accepts every original, and refuses another value, another seal and another schema."""
    for record in originals():
        assert opinion_of(record) is None
        assert is_true(record)
        assert not is_true({**record, "emd": "1/7"})
        assert opinion_of({**record, "emd": "1/7"}) == "seal"
        assert opinion_of(resealed(record, labels=[0])).startswith("schema")
        Certificate.from_dict(record).verify()


@pytest.mark.parametrize("record", originals(), ids=lambda record: record["ground"]["name"])
def test_every_ground_distance_is_read_as_it_is_written(record):
    ground = ground_from_dict(record["ground"])
    assert ground.to_dict() == record["ground"]
    assert ground_digest(ground) == ground_digest(ground_from_dict(json.loads(json.dumps(record["ground"]))))
    d = certificate_mutants.distance_of(record["ground"])
    assert all(ground.distance(i, j) == d(i, j) for i in range(ground.m) for j in range(ground.m))


# ---------------------------------------------------------------------- bounds


def about(ground, m, **changes):
    """A certificate of EMD(P, P) = 0 over m values, with all mass on the first."""
    one = certify([1], [1], Equal(1)).to_dict()
    ends = {name: ["1", *["0"] * (m - 1)] for name in ("p", "q")} | {name: ["0"] * m for name in ("u", "v")}
    return resealed({**one, **ends, "ground": ground, "coupling": [[0, 0, "1"]], **changes})


def product(m, size):
    return {
        "name": "product",
        "components": [{"name": "ordered", "m": size}, {"name": "equal", "m": size}],
        "tuples": [[k, size - 1 - k] for k in range(m)],
        "combine": "max",
        "weights": None,
    }


def laminar(m):
    """Singletons and prefixes, twice as many sets as values: one distance costs as much as a row."""
    sets = sorted([(i, i + 1) for i in range(1, m)] + [(0, i) for i in range(1, m)], key=lambda s: (s[1], -s[0]))
    return {
        "name": "laminar",
        "order": list(range(m)),
        "low": [low for low, _ in sets],
        "high": [high for _, high in sets],
        "weights": ["1"] * len(sets),
        "denominator": "1",
    }


def some_of(component, m):
    """A product of m tuples over one component that is more than 16 times as long."""
    tuples = [[16 * k] for k in range(m)]
    return {"name": "product", "components": [component], "tuples": tuples, "combine": "max", "weights": None}


def wide_product(m):
    """A hundred components: one distance costs a hundred distances."""
    components, tuples = [{"name": "ordered", "m": 9}] * 100, [[k % 9] * 100 for k in range(m)]
    return {"name": "product", "components": components, "tuples": tuples, "combine": "max", "weights": None}


SMALL_AND_LARGE = {
    "a family of cuts and a full coupling": lambda: about(
        laminar(200),
        200,
        p=["1/200"] * 200,
        q=["1/200"] * 200,
        coupling=[[i, j, "1/40000"] for i in range(200) for j in range(200)],
    ),
    "entries of a long family of cuts": lambda: about(some_of(laminar(16 * 700 + 1), 700), 700),
    "entries of a long product": lambda: about(some_of(wide_product(16 * 300 + 1), 300), 300),
    "components of 4·10⁸ values": lambda: about(product(1, 4 * 10**8), 1),
    "components of 2³¹ − 1 values": lambda: about(product(3, 2**31 - 1), 3),
    "ordered, of 10⁹ values, and two masses": lambda: about({"name": "ordered", "m": 10**9}, 2),
    "equal, of 10⁹ values, and two masses": lambda: about({"name": "equal", "m": 10**9}, 2),
    "labels for 10⁹ values": lambda: about({"name": "ordered", "m": 10**9}, 1, labels=["a"]),
    "an entry far outside": lambda: about({"name": "equal", "m": 2}, 2, coupling=[[2**31 - 1, 0, "1"]]),
    "30,000 values": lambda: about({"name": "ordered", "m": 30_000}, 30_000),
    "40,000 values and one long fraction": lambda: about(
        {"name": "ordered", "m": 40_000}, 40_000, u=["1/" + "7" * 4000, *["0"] * 39_999]
    ),
    "denominators without a common factor": lambda: about(
        {"name": "equal", "m": 400}, 400, u=[f"1/{10**3999 + 2 * k + 1}" for k in range(400)]
    ),
    "masses without a common denominator": lambda: about(
        {"name": "equal", "m": 400}, 400, p=[f"1/{10**3999 + 2 * k + 1}" for k in range(400)]
    ),
    "a matrix of 1,300 values": lambda: about(
        {"name": "matrix", "entries": [["0"] * 1300] * 1300, "allow_non_metric": True}, 1300
    ),
    "a deep hierarchy": lambda: about(
        {"name": "hierarchical", "paths": [["x"] * 100_000], "values": [0], "trivial_levels": "keep"}, 1
    ),
    "numbers in the names of a hierarchy": lambda: about(
        {
            "name": "hierarchical",
            "paths": [[f"{k}e3999", "*"] for k in range(10_000)],
            "values": [0],
            "trivial_levels": "keep",
        },
        1,
    ),
    "products in products": lambda: about(nested(40), 1),
}


def nested(depth):
    ground = {"name": "equal", "m": 1}
    for _ in range(depth):
        ground = {"name": "product", "components": [ground], "tuples": [[0]], "combine": "max", "weights": None}
    return ground


@pytest.mark.parametrize("name", SMALL_AND_LARGE)
@pytest.mark.slow
def test_what_a_record_states_costs_no_more_than_what_it_holds(name):
    """Each is judged in a second or two, most in milliseconds."""
    record = SMALL_AND_LARGE[name]()
    text = json.dumps(record)
    began = time.process_time()
    for read, given in ((Certificate.from_json, text), (Certificate.from_dict, record)):
        with suppress(CertificateError):
            read(given).verify()
    assert time.process_time() - began < (30 if len(text) > 10**6 else 5)


MEMORY = """
import resource, sys
from tcloseness.transport import Certificate
from tcloseness.errors import CertificateError
resource.setrlimit(resource.RLIMIT_AS, (resource.getrlimit(resource.RLIMIT_AS)[0],) * 2)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    Certificate.from_json(sys.stdin.read()).verify()
except CertificateError:
    pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.long
def test_a_certificate_of_five_hundred_bytes_takes_no_gigabyte():
    text = json.dumps(SMALL_AND_LARGE["components of 4·10⁸ values"](), separators=(",", ":"))
    assert len(text) < 800
    took = subprocess.run([sys.executable, "-c", MEMORY], input=text, capture_output=True, text=True, check=True)
    assert int(took.stdout) < 50_000  # kB


NO_TEXTS = [
    None,
    3,
    1.5,
    True,
    [],
    {},
    object(),
    bytearray(b"{}"),
    memoryview(b"{}"),
    Certificate,
    b"\xff\xfe",
    b"\x00",
]
NO_RECORDS = [None, 3, "text", b"bytes", [], (), set(), object(), Certificate, {1: 2}, {"format": []}, {None: None}]


@pytest.mark.parametrize("given", NO_TEXTS, ids=shown)
def test_whatever_is_not_a_text_is_unreadable(given):
    with pytest.raises(CertificateFormatError):
        Certificate.from_json(given)


@pytest.mark.parametrize("given", NO_RECORDS, ids=shown)
def test_whatever_is_not_a_record_is_unreadable(given):
    with pytest.raises(CertificateFormatError):
        Certificate.from_dict(given)


def test_data_that_json_could_not_hold_is_unreadable():
    """Tuples, sets, cycles, objects in any place of a right record."""
    record = certify(["1/2", "1/2"], [1, 0], Equal(2)).to_dict()
    cycle: list = []
    cycle.append(cycle)
    around = {"name": "product", "tuples": [[0], [0]], "combine": "max", "weights": None}
    around["components"] = [around]
    for odd in (
        cycle,
        around,
        (1, 2),
        {1},
        object(),
        F(1, 2),
        b"1",
        ["1/2", object()],
        {"name": object()},
        {"name": []},
    ):
        for key in record:
            with pytest.raises(CertificateFormatError):
                Certificate.from_dict({**record, key: odd})


@pytest.mark.parametrize(
    "text", ["[" * 10**6, '{"a":' * 10**5, '"' + "\\" * 10**6, "9" * 10**6, "[1e999999]", "NaN", "-Infinity"]
)
def test_texts_that_break_readers_do_not_break_this_one(text):
    with pytest.raises(CertificateFormatError):
        Certificate.from_json(text)


def test_a_text_longer_than_the_limit_is_not_even_parsed():
    with pytest.raises(CertificateFormatError, match="at most 33,554,432 are read"):
        Certificate.from_json(" " * (2**25 + 1))


# ---------------------------------------------------------------------- certificates made by hand

RIGHT = certify(["1/2", "1/2"], [1, 0], Equal(2), labels=["a", "b"])

WRONG_PARTS = {
    "floats": {"p": (0.5, 0.5)},
    "texts": {"p": ("1/2", "1/2")},
    "lists": {"q": [F(1), F(0)]},
    "truth values": {"q": (True, False)},
    "no numbers": {"u": None},
    "a value that is a float": {"value": 0.5},
    "a coupling of floats": {"coupling": ((0, 0, 0.5), (1, 0, 0.5))},
    "a coupling of pairs": {"coupling": ((0, 0), (1, 0))},
    "codes that are truth values": {"coupling": ((False, False, F(1, 2)), (True, False, F(1, 2)))},
    "codes that are fractions": {"coupling": ((F(0), F(0), F(1, 2)), (F(1), F(0), F(1, 2)))},
    "no ground distance": {"ground": "equal"},
    "one label": {"labels": ("a",)},
    "no labels at all": {"labels": None},
    "empty": {"p": (), "q": (), "u": (), "v": ()},
}


@pytest.mark.parametrize("name", WRONG_PARTS)
def test_a_certificate_made_of_other_things_proves_nothing(name):
    parts = {**{key: getattr(RIGHT, key) for key in RIGHT.__dataclass_fields__}, **WRONG_PARTS[name]}
    with pytest.raises(CertificateError):
        Certificate(**parts).verify()


def test_a_hierarchy_whose_labels_differ_by_type_alone_is_not_written():
    """1 and "1" are two nodes, and would be one in a file: another tree, with another distance."""
    tree = Hierarchy([("x", 1, "*"), ("y", "1", "*")])
    ground = Hierarchical(tree, Domain.of("xy"))
    assert ground.distance(0, 1) == 1
    with pytest.raises(ValueError, match="differ by type alone"):
        ground.to_dict()


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (0.5, F(1, 2)), (Decimal("0.5"), Decimal("0.50"))])
def test_a_hierarchy_with_a_label_that_is_written_in_two_ways_is_not_written(one, other):
    """They are one node, and would be two in a file: another tree, with another distance."""
    tree = Hierarchy([("x", one, "*"), ("y", other, "*"), ("z", "b", "*")])
    ground = Hierarchical(tree, Domain.of("xyz"))
    assert ground.distance(0, 1) == F(1, 2)
    with pytest.raises(ValueError, match="written in two ways"):
        ground.to_dict()


def test_what_is_written_can_be_read_for_every_size_of_number():
    far = F(10**1900 + 1, 3**1000)
    proof = certify([1, 0], [0, 1], Matrix([[0, far], [far, 0]]), solver="networkx")
    again = Certificate.from_json(proof.to_json())
    again.verify()
    assert again.value == far


def test_a_long_component_is_asked_for_its_entries_only():
    ground = ProductGround([Ordered(10**9)], [(0,), (10**9 - 1,)])
    proof = certify([1, 0], [0, 1], ground, solver="networkx")
    again = Certificate.from_json(proof.to_json())
    again.verify()
    assert again.value == 1


# ---------------------------------------------------------------------- every leaf of every record

NOT_WHOLE = (True, False, 1.0, 0.9, "0", "1", "٢", None, [], {}, -1, 2**31, 10**30)
NOT_CANONICAL = (
    "2/4",
    "0/3",
    "1/1",
    "-0",
    "00",
    "01",
    "+1",
    "1e2",
    "0.5",
    "٢",
    "1/٢",
    " 1",
    "1\n",
    "1_0",
    "½",
    "1/0",
    "1/-2",
    "",
)
NOT_TEXTS = (0, 1, 1.0, True, None, [], {}, ["1/2"])
NUMBERS = re.compile(r"-?[0-9]+(/[0-9]+)?")


@pytest.mark.parametrize("record", originals(), ids=lambda record: record["ground"]["name"])
def test_no_leaf_can_be_of_another_type_or_form(record):
    """Each whole number as a truth value, a float, a text; each number in another form or script; each text as none."""
    names = {"paths", "labels", "method"}
    for place in certificate_mutants._places(record):
        if not place:
            continue
        holder = record
        for step in place[:-1]:
            holder = holder[step]
        value = holder[place[-1]]
        if type(value) is int:
            wrong = NOT_WHOLE
        elif isinstance(value, str) and NUMBERS.fullmatch(value) and not names.intersection(place):
            wrong = (*NOT_CANONICAL, *NOT_TEXTS)
        else:
            wrong = () if isinstance(value, list | dict) else NOT_TEXTS
        for odd in wrong:
            if odd is value or (value is None and odd is None) or (type(odd) is type(value) and odd == value):
                continue
            if (place[-1] == "weights" and odd is None) or (isinstance(value, bool) and isinstance(odd, bool)):
                continue
            changed = copy.deepcopy(record)
            inside = changed
            for step in place[:-1]:
                inside = inside[step]
            inside[place[-1]] = odd
            with pytest.raises(CertificateFormatError):
                Certificate.from_dict(changed if place == ("sha256",) else resealed(changed))


def test_one_thing_is_written_in_one_way():
    """Weights 1 and 2 of a product mean 1/3 and 2/3, and are written so."""
    record = next(r for r in originals() if r["ground"]["name"] == "product" and r["ground"]["weights"])
    assert record["ground"]["weights"] == ["1/3", "2/3"]
    changed = resealed(record, ground={**record["ground"], "weights": ["1", "2"]})
    with pytest.raises(CertificateFormatError, match="is not written as it would be"):
        Certificate.from_dict(changed)


# ---------------------------------------------------------------------- whatever is written is read back


class Own:
    """A ground distance of the user's own: apart by 1, whichever two values."""

    name, cuts, denominator = "own", None, 1

    def __init__(self, m, metric):
        self.m, self.metric = m, metric

    def distance(self, i, j):
        return Fraction(int(i != j))

    def row(self, i):
        return np.array([int(i != j) for j in range(self.m)], dtype=np.int64)

    def to_dict(self):
        return {"name": "own"}


def products(depth):
    ground = Ordered(2)
    for _ in range(depth):
        ground = ProductGround([ground], [(0,), (1,)])
    return ground


def of_height(height):
    return Hierarchical(Hierarchy([("x", *map(str, range(height))), ("y", *map(str, range(height)))]), Domain.of("xy"))


def long_number(digits):
    return Matrix([[0, 10**digits], [10**digits, 0]])


ENDS_OF_WHAT_IS_READ = {
    "label": [({"labels": ("x" * length, "y")}, Equal(2)) for length in (9_999, 10_000, 10_001)],
    "half a surrogate": [({"labels": (text, "y")}, Equal(2)) for text in ("\ud7ff", "\ud800")],
    "method": [({"method": "m" * length}, Equal(2)) for length in (99, 100, 101)],
    "products": [({}, products(depth)) for depth in (1, 3, 4, 5, 6)],
    "height": [({}, of_height(height)) for height in (1, 97, 98, 99, 100, 101, 102)],
    "digits": [({}, long_number(digits)) for digits in (10, 3_998, 3_999, 4_000, 4_001)],
}


@pytest.mark.parametrize("metric", [True, False])
def test_a_distance_of_the_users_own_is_written_as_its_matrix_where_that_was_checked(metric):
    proof = certify([1, 0], [0, 1], Own(2, metric), solver="networkx")
    again = Certificate.from_json(proof.to_json())
    again.verify()
    assert again.ground.to_dict() == {
        "name": "matrix",
        "entries": [["0", "1"], ["1", "0"]],
        "allow_non_metric": not metric,
    }
    m = LARGEST_CHECKED + 1
    large = certify([1] + [0] * (m - 1), [0] * (m - 1) + [1], Own(m, metric=False), solver="networkx")
    with pytest.raises(CertificateFormatError, match="'own', which is unknown"):
        large.to_json()


@pytest.mark.parametrize("name", ENDS_OF_WHAT_IS_READ)
def test_every_certificate_that_is_written_is_read_back_and_any_other_is_refused_by_name(name):
    """At the ends of everything that the reader bounds: both are seen, or what is written would prove nothing."""
    seen = set()
    for changed, ground in ENDS_OF_WHAT_IS_READ[name]:
        proof = replace(certify([1, 0], [0, 1], ground, solver="networkx"), **changed)
        proof.verify()
        content = None
        with suppress(CertificateFormatError):
            content = proof.to_json()
        if content is not None:
            assert Certificate.from_json(content.encode()) == proof
        else:
            with pytest.raises(CertificateFormatError, match="would not be read back, so it is not written"):
                proof.to_json()
        seen.add("refused" if content is None else "written")
    assert seen == {"refused", "written"}
