"""Matrices whose entries were rounded: refused with the cause where that is the cause, and two ways out that work."""

from __future__ import annotations

import math
import random
import re
from fractions import Fraction
from itertools import pairwise, permutations, product

import numpy as np
import pandas as pd
import pytest

from proofs_tests.cli.commands import run
from tcloseness.errors import DomainError
from tcloseness.ground import LabelledMatrix, Matrix, ground_distance
from tcloseness.microdata import Domain
from tcloseness.transport import emd

F = Fraction


def line(rng, n):
    """|x − y| in doubles of n random points on a line: 20 of 20 such matrices break the triangle inequality."""
    points = [rng.random() for _ in range(n)]
    return [[abs(x - y) for y in points] for x in points]


def spaced(n):
    return [[abs(i - j) / (n - 1) for j in range(n)] for i in range(n)]


def plane(rng, n):
    points = np.array([[rng.random(), rng.random()] for _ in range(n)])
    points[: n // 2, 1] = points[0, 1]  # some of them on one line
    return np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))


def singles(rng, n):
    return np.array(line(rng, n), dtype=np.float32)


def written(rng, n):
    """As a file with six digits gives it back."""
    return [[f"{x:.6g}" for x in row] for row in line(rng, n)]


def places(rng, n):
    return [[f"{x:.3f}" for x in row] for row in line(rng, n)]


KINDS = {
    "a line": line,
    "evenly spaced": lambda rng, n: spaced(rng.randint(7, 15)),
    "a plane": plane,
    "float32": singles,
    "six digits": written,
    "three places": places,
    "texts of doubles": lambda rng, n: [[repr(x) for x in row] for row in line(rng, n)],
}


def is_metric(ground):
    d, codes = ground.entries, range(ground.m)
    triangles = all(d[i][k] <= d[i][j] + d[j][k] for i, j, k in product(codes, codes, codes))
    return triangles and all(d[i][j] == d[j][i] >= 0 for i in codes for j in codes) and not any(d[i][i] for i in codes)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_what_only_rounding_breaks_says_so_and_both_ways_out_give_a_metric_near_it(kind):
    rng = random.Random(kind)
    broken = 0
    for _ in range(20):
        entries = KINDS[kind](rng, 10)
        exact = Matrix(entries, allow_non_metric=True)
        if not exact.metric:
            broken += 1
            with pytest.raises(DomainError, match="rounding to") as caught:
                Matrix(entries)
            assert "read exactly" in str(caught.value)
            for way in ("denominator=N", "nearest_metric=True", "allow_non_metric=True"):
                assert way in str(caught.value)
        closed = Matrix(entries, nearest_metric=True)
        assert is_metric(closed)
        assert closed.metric
        noise = {"float32": 1e-5, "six digits": 1e-5, "three places": 1e-2}.get(kind, 1e-12)
        assert closed.change <= noise
        for i, j in product(range(closed.m), repeat=2):
            assert abs(closed.entries[i][j] - exact.entries[i][j]) <= closed.change
        if kind != "three places":  # six digits of a distance near 1 are coarser than some, finer than other multiples
            coarse = Matrix(entries, denominator=1000)
            assert is_metric(coarse)
            assert all((x * 1000).denominator == 1 for row in coarse.entries for x in row)
            assert coarse.change <= F(1, 1000)
            both = Matrix(entries, denominator=1000, nearest_metric=True)
            assert both.entries == coarse.entries
    assert broken >= 10


def test_evenly_spaced_points_become_what_they_were_meant_to_be():
    """|i − j|/(n − 1) in doubles, over the denominator n − 1: the ordered distance, by no change that shows."""
    for n in range(3, 30):
        mended = Matrix(spaced(n), denominator=n - 1)
        assert all(mended.entries[i][j] == F(abs(i - j), n - 1) for i, j in product(range(n), repeat=2))
        assert mended.change < F(1, 10**15)


@pytest.mark.long
def test_rounding_up_keeps_a_metric_a_metric_whatever_the_denominator():
    """⌈x + y⌉ ≤ ⌈x⌉ + ⌈y⌉: shortest paths of random whole distances, over every small denominator."""
    rng = random.Random(5)
    for _ in range(60):
        n = rng.randint(2, 6)
        raw = [[F(rng.randint(1, 99), rng.randint(1, 99)) for _ in range(n)] for _ in range(n)]
        symmetric = [[F(0) if i == j else min(raw[i][j], raw[j][i]) for j in range(n)] for i in range(n)]
        metric = Matrix(symmetric, nearest_metric=True)
        for denominator in range(1, 12):
            rounded = Matrix(metric.entries, denominator=denominator)
            assert is_metric(rounded)
            for i, j in product(range(n), repeat=2):
                assert 0 <= rounded.entries[i][j] - metric.entries[i][j] < F(1, denominator)


def test_the_closure_is_the_greatest_metric_below_the_entries():
    """By paths: the least sum over all ways, Dijkstra's definition, on whole numbers; a metric stays as it is."""
    rng = random.Random(6)
    for _ in range(100):
        n = rng.randint(2, 5)
        d = [[0] * n for _ in range(n)]
        for i in range(n):
            for j in range(i):
                d[i][j] = d[j][i] = rng.randint(0, 9)
        closed = Matrix(d, nearest_metric=True)
        best = [row[:] for row in d]
        for _ in range(n):
            best = [[min(best[i][k] + d[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
        assert [list(row) for row in closed.entries] == best
        assert closed.change == max(d[i][j] - best[i][j] for i in range(n) for j in range(n))
        again = Matrix(closed.entries, nearest_metric=True)
        assert (again.entries, again.change) == (closed.entries, 0)


TINY = {
    "asymmetry": [[0, 0.1, 0.3], [0.1 + 2e-17, 0, 0.2], [0.3, 0.2 + 1e-16, 0]],
    "diagonal": [[1e-17, 0.1], [0.1, 0]],
    "negative": [[0, -1e-17, 0.5], [-1e-17, 0, 0.5], [0.5, 0.5, 0]],
    "negative diagonal": [[-1e-17, 0.1], [0.1, 0]],
}


@pytest.mark.parametrize("entries", TINY.values(), ids=TINY)
def test_asymmetries_and_zeros_that_rounding_explains_are_mended_too(entries):
    with pytest.raises(DomainError, match="rounding to doubles"):
        Matrix(entries)
    for options in ({"nearest_metric": True}, {"denominator": 10}, {"denominator": 10, "nearest_metric": True}):
        mended = Matrix(entries, **options)
        assert is_metric(mended)
        assert mended.change < F(1, 10**15)


WRONG = {
    "a triangle": [[0, 0.125, 0.5], [0.125, 0, 0.125], [0.5, 0.125, 0]],
    "whole numbers": [[0, 10**20, 2 * 10**20 + 1], [10**20, 0, 10**20], [2 * 10**20 + 1, 10**20, 0]],
    "asymmetry": [[0, 0.125], [0.25, 0]],
    "negative": [[0, -0.125], [-0.125, 0]],
    "diagonal": [[0.125, 1.5], [1.5, 0]],
}


@pytest.mark.parametrize("name", WRONG)
def test_what_rounding_does_not_explain_is_not_put_down_to_it(name):
    with pytest.raises(DomainError) as caught:
        Matrix(WRONG[name])
    assert "rounding" not in str(caught.value)
    if name in ("asymmetry", "negative", "diagonal"):  # no metric is near these
        with pytest.raises(DomainError):
            Matrix(WRONG[name], nearest_metric=True)
        with pytest.raises(DomainError):
            Matrix(WRONG[name], denominator=1000)
    else:
        assert is_metric(Matrix(WRONG[name], nearest_metric=True))


@pytest.mark.parametrize("largest", ["1.01", "3.17", "9.99", "999", "0.0999", "0.101"])
@pytest.mark.parametrize(("units", "explained"), [(1, True), (2, False), (9, False), (14, False)])
def test_a_fault_of_more_than_three_half_units_of_the_last_digit_is_not_rounding(largest, units, explained):
    """Three entries of a triangle were each rounded by half a unit, wherever the greatest stands in its decade."""
    unit = F(10) ** -len(largest.partition(".")[2])
    far = F(largest)
    near = (far - units * unit) / 2
    if far.denominator == 1:  # whole numbers are exact
        explained = False
    entries = [[0, far, near], [far, 0, near], [near, near, 0]]
    if (near / unit).denominator != 1:  # as many digits as the greatest entry
        entries = [[0, far, near + unit / 2], [far, 0, near - unit / 2], [near + unit / 2, near - unit / 2, 0]]
    with pytest.raises(DomainError, match="triangle violated") as caught:
        Matrix(entries)
    assert ("rounding to" in str(caught.value)) == explained


def by_paths(d, off):
    """Whether a metric is within `off` of every entry: no entry exceeds the sum along any path by more than that."""
    m = len(d)
    return all(
        d[i][j] - off <= sum(d[a][b] + off for a, b in pairwise((i, *path, j)))
        for i, j in permutations(range(m), 2)
        for size in range(m - 1)
        for path in permutations([k for k in range(m) if k not in (i, j)], size)
    )


@pytest.mark.parametrize("places", range(1, 7))
def test_few_decimals_are_the_cause_exactly_where_a_metric_is_within_half_a_unit_of_every_entry(places):
    """Decided by all paths between four values; what the message proposes is then taken at its word."""
    rng, seen = random.Random(places), set()
    unit = F(1, 10**places)
    for number in range(150):
        points, noise = [rng.random() for _ in range(4)], rng.choice([0, 0, 1, 2, 3])
        units = [[0] * 4 for _ in range(4)]
        for i, j in product(range(4), range(4)):
            if i > j:
                near = round(F(abs(points[i] - points[j])) / unit) + 1 + rng.randint(-noise, noise)
                units[i][j] = units[j][i] = max(near, 1)
        if all(x % 10 == 0 for row in units for x in row):
            continue  # fewer decimals
        texts = [[f"{float(x * unit):.{places}f}" for x in row] for row in units]
        entries = [[float(x) for x in row] for row in texts] if number % 2 else texts
        if Matrix(entries, allow_non_metric=True).metric:
            continue
        with pytest.raises(DomainError, match="triangle violated") as caught:
            Matrix(entries)
        explained = by_paths([[x * unit for x in row] for row in units], unit / 2)
        assert ("rounding to" in str(caught.value)) == explained
        seen.add(explained)
        if explained:
            assert f"rounding to {places} decimal" in str(caught.value)
            assert is_metric(Matrix(entries, denominator=proposed(caught)))
            assert is_metric(Matrix(entries, nearest_metric=True))
    assert seen == {True, False}


def proposed(caught):
    return int(re.search(r"N such as (\d+)", str(caught.value))[1])


def along(rng, of, far):
    points = [of(rng) for _ in range(9)]
    return [[far(x, y) for y in points] for x in points]


def haversine(a, b):
    (p, x), (q, y) = a, b
    h = math.sin((p - q) / 2) ** 2 + math.cos(p) * math.cos(q) * math.sin((x - y) / 2) ** 2
    return 6371.0088 * 2 * math.asin(min(1.0, math.sqrt(h)))


def arc_cosine(a, b):
    (p, x), (q, y) = a, b
    c = math.sin(p) * math.sin(q) + math.cos(p) * math.cos(q) * math.cos(x - y)
    return 0.0 if a == b else 6371.0088 * math.acos(max(-1.0, min(1.0, c)))


def sums(rng):
    steps = [rng.random() for _ in range(9)]
    return [[sum(steps[min(i, j) : max(i, j)]) for j in range(9)] for i in range(9)]


DOUBLES = {
    "far out": lambda rng: along(rng, random.Random.random, lambda x, y: abs(x - y) * 1e17),
    "far out, as texts": lambda rng: along(rng, random.Random.random, lambda x, y: repr(abs(x - y) * 1e17)),
    "large and whole": lambda rng: along(rng, lambda rng: rng.randrange(10**18), lambda x, y: float(abs(x - y))),
    "tiny": lambda rng: along(rng, random.Random.random, lambda x, y: abs(x - y) * 1e-200),
    "sums of steps": sums,
    "weighted sums": lambda rng: along(
        rng,
        lambda rng: [rng.randrange(5) / 4 for _ in range(3)],
        lambda x, y: sum(w * abs(a - b) for w, a, b in zip((0.1, 0.2, 0.7), x, y, strict=True)),
    ),
    "a meridian, by haversines": lambda rng: along(rng, lambda rng: (rng.uniform(-1.5, 1.5), 0.25), haversine),
    "a meridian, by arc cosines": lambda rng: along(rng, lambda rng: (rng.uniform(-1.5, 1.5), 0.25), arc_cosine),
    "single precision, large and whole": lambda rng: along(
        rng, lambda rng: rng.randrange(10**9), lambda x, y: np.float32(abs(x - y))
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("source", DOUBLES)
def test_doubles_of_every_source_are_named_where_only_they_break_the_triangle(source):
    rng, broken = random.Random(source), 0
    for _ in range(20):
        entries = DOUBLES[source](rng)
        if Matrix(entries, allow_non_metric=True).metric:
            continue
        broken += 1
        with pytest.raises(DomainError, match=r"rounding to (doubles|float32)") as caught:
            Matrix(entries)
        if max(float(x) for row in entries for x in row) < 1e6:  # whole multiples are finer than larger ones' faults
            assert is_metric(Matrix(entries, denominator=proposed(caught)))
        closed = Matrix(entries, nearest_metric=True)
        assert is_metric(closed)
        assert closed.change <= max(map(max, closed.entries)) * F(1, 10**6)
    assert broken >= 3


@pytest.mark.parametrize("near", [1, 1.0, 2.0**51, 2**80, str(2**80)], ids=str)
def test_a_whole_number_that_its_type_holds_exactly_was_not_rounded(near):
    far = int(near) * 2 + 1
    far = type(near)(far)
    entries = [[0, far, near], [far, 0, near], [near, near, 0]]
    with pytest.raises(DomainError, match="triangle violated") as caught:
        Matrix(entries)
    assert "rounding" not in str(caught.value)


def test_what_was_done_is_in_the_name_and_a_certificate_has_the_distance_itself():
    entries = [[0, 1, 5], [1, 0, 1], [5, 1, 0]]
    assert Matrix(entries, nearest_metric=True).name == "matrix (nearest metric, changed by at most 3)"
    halves = Matrix([[0, "0.3"], ["0.3", 0]], denominator=2)
    assert halves.name == "matrix (rounded up to multiples of 1/2, changed by at most 1/5)"
    assert halves.to_dict() == {
        "name": "matrix",
        "entries": [["0", "1/2"], ["1/2", "0"]],
        "allow_non_metric": False,
    }


@pytest.mark.parametrize("denominator", [0, -1, 2.5, True, "10", None], ids=repr)
def test_a_denominator_is_a_whole_number(denominator):
    if denominator is None:
        assert Matrix([[0, 1], [1, 0]], denominator=None).name == "matrix"
        return
    with pytest.raises(DomainError, match="denominator"):
        Matrix([[0, 1], [1, 0]], denominator=denominator)


NO_MATRIX = (None, 3, "ab", {"a": 1}, [[0, 1], 3], [[0, 1], "10"], [[0, 1], None], [], [[]])
NO_NUMBERS = tuple([[0, x], [x, 0]] for x in (float("nan"), float("inf"), True, None, "x"))


@pytest.mark.parametrize("entries", [*NO_MATRIX, *NO_NUMBERS, np.zeros(3), np.zeros((2, 2, 2))], ids=str)
def test_what_is_not_a_square_of_numbers_is_refused_by_name(entries):
    with pytest.raises(ValueError, match="ground distance"):
        Matrix(entries)


def test_entries_of_any_size_are_judged():
    for size in (F(10) ** 400 + F(1, 3), F(1, 10**400), 10**400):
        with pytest.raises(DomainError, match="triangle violated"):
            Matrix([[0, size, 3 * size], [size, 0, size], [3 * size, size, 0]])
        assert is_metric(Matrix([[0, size, 3 * size], [size, 0, size], [3 * size, size, 0]], nearest_metric=True))


def test_values_that_are_one_only_to_python_have_rows_of_their_own():
    """1, True and 1.0 are one key of a dict, and two values here."""
    domain = Domain.declare([1, True])
    with pytest.raises(DomainError, match="no entry for value"):
        ground_distance({1: {1: 0, 2: 1}, 2: {1: 1, 2: 0}}, domain)


def test_a_frame_with_a_label_twice_is_refused():
    frame = pd.DataFrame([[0, 1], [1, 0]], index=["a", "a"], columns=["a", "b"])
    with pytest.raises(DomainError, match="two rows"):
        ground_distance(frame, Domain.of("ab"))


def test_a_labelled_matrix_is_mended_over_every_domain():
    frame = pd.DataFrame(spaced(10), index=range(10), columns=range(10))
    ground = ground_distance(LabelledMatrix(frame, denominator=9), Domain.declare([3, 0, 9]))
    assert ground.entries == ((0, F(1, 3), F(2, 3)), (F(1, 3), 0, 1), (F(2, 3), 1, 0))


# ---------------------------------------------------------------------- on the command line


def test_the_command_line_names_its_own_ways_out_and_they_work(tmp_path):
    """emd and check; the message of the one is followed word by word."""
    rng = random.Random(11)
    entries = line(rng, 6)
    file, table = tmp_path / "m.csv", tmp_path / "t.csv"
    names = "abcdef"
    rows = [",".join([names[i], *map(repr, row)]) for i, row in enumerate(entries)]
    file.write_text("\n".join([",".join(["", *names]), *rows]) + "\n", encoding="utf-8")
    table.write_text("q,v\n" + "".join(f"{i % 2},{names[i]}\n" for i in range(6)), encoding="utf-8")
    p, q = ",".join(["1", *["0"] * 5]), ",".join(["1/6"] * 6)

    def both(kind):
        yield run("emd", "--p", p, "--q", q, "--ground", f"{kind}:{file}", "--format", "json")
        given = ("--quasi-identifiers", "q", "--sensitive", "v", "--ground", f"v={kind}:{file}", "--format", "json")
        yield run("check", str(table), *given)

    for answer in both("matrix"):
        assert (answer.code, answer.out) == (2, "")
        assert "matrix/N:FILE, N such as 1000000" in answer.err or "matrix/N:FILE, N such as 10000000" in answer.err
        assert "nearest-metric:FILE" in answer.err
        assert "nearest_metric" not in answer.err
        assert "denominator=" not in answer.err
    exact = Matrix(entries, allow_non_metric=True)
    for kind, options in (("matrix/1000000", {"denominator": 10**6}), ("nearest-metric", {"nearest_metric": True})):
        mended = Matrix(exact.entries, **options)
        for answer in both(kind):
            assert answer.code == 0
            told = answer.record.get("ground_distance") or answer.record["ground_distances"]["v"]
            assert told["mended"] == mended.mended
        expected = emd([1, *[0] * 5], ["1/6"] * 6, mended)
        assert next(both(kind)).record["emd"] == str(expected)


@pytest.mark.parametrize("kind", ["matrix/", "matrix/0", "matrix/x", "matrix/-1", "matrix/1.5", "matrix/٣"])
def test_a_denominator_on_the_command_line_is_a_whole_number(kind, tmp_path):
    file = tmp_path / "m.csv"
    file.write_text(",a,b\na,0,1\nb,1,0\n", encoding="utf-8")
    answer = run("emd", "--p", "1,0", "--q", "0,1", "--ground", f"{kind}:{file}")
    assert (answer.code, answer.out) == (2, "")
    assert "whole number" in answer.err
