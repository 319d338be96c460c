"""`Certificate`: a proof that EMD(P, Q) has a value, checked without any solver.

A coupling of P and Q that costs the value shows that the EMD is no greater; potentials u, v with u_i + v_j ≤ d(i, j)
that earn the value show that it is no less (weak duality: Σ f_ij·d(i, j) ≥ Σ f_ij·(u_i + v_j) = Σ u_i·p_i + Σ v_j·q_j).
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from operator import mul
from typing import Any

import numpy as np

from tcloseness.certificates import LONGEST, seal
from tcloseness.displayed import Explained, Pictured, counted
from tcloseness.errors import CertificateError, CertificateFormatError, DomainError, InputError
from tcloseness.exact import INT64_MAX, is_exact, number_text, over_common_denominator, short_text, shown_value
from tcloseness.ground import GroundDistance, checked, distance_rows, ground_from_dict, ground_record
from tcloseness.strict_json import read_json
from tcloseness.strict_records import (
    Work,
    canonical_fraction,
    canonical_fractions,
    cells,
    common_bits,
    fields,
    listed,
    shown,
    sums,
    text,
    whole,
)

__all__ = ["FORMAT", "STATEMENT", "Certificate"]

FORMAT = "tcloseness-emd-certificate-1"
STATEMENT = "EMD(p, q) = emd: the coupling costs emd; u, v earn emd with u_i + v_j <= d(i, j)"


_CELLS = 2**16
"""So many distances are looked at together."""

_DEEPEST = 16
_LONGEST_METHOD = 100
_MOST_WORK = 4e9
"""Some ten seconds: an ordered distance of 25,000 values, or a matrix of 1,000."""

_KEYS = ("format", "statement", "method", "ground", "labels", "p", "q", "emd", "coupling", "u", "v", "sha256")


@dataclass(frozen=True)
class Certificate(Pictured, Explained):
    """EMD(p, q) = value over a ground distance, with its proof.

    Attributes
    ----------
    p, q
        Shape (m,): the distributions.
    ground
        The ground distance.
    coupling
        Triples (i, j, mass > 0): how much mass of value i becomes mass of value j; mass that stays is listed too.
    u, v
        Shape (m,): the potentials. Under a metric v = −u, and u is a 1-Lipschitz potential.
    value
        The EMD.
    method
        Who proposed the coupling (``closed-form``, ``network-simplex``, ``pulp`` …); the proof does not rest on it.
    labels
        The values' names, for reading.

    Examples
    --------
    >>> from tcloseness.ground import Equal
    >>> half = Fraction(1, 2)
    >>> c = Certificate((half, half), (Fraction(1), Fraction(0)), Equal(2), ((0, 0, half), (1, 0, half)),
    ...                 (Fraction(0), Fraction(1)), (Fraction(0), Fraction(-1)), half)
    >>> c.verify()
    >>> Certificate.from_json(c.to_json()) == c
    True
    """

    p: tuple[Fraction, ...]
    q: tuple[Fraction, ...]
    ground: GroundDistance
    coupling: tuple[tuple[int, int, Fraction], ...]
    u: tuple[Fraction, ...]
    v: tuple[Fraction, ...]
    value: Fraction
    method: str = "unknown"
    labels: tuple[str, ...] = ()

    _withheld = ("from_label", "to_label")

    def _frame_rows(self) -> Iterator[dict[str, Any]]:
        for i, j, mass in self.coupling:
            labels = {"from_label": self.labels[i], "to_label": self.labels[j]} if self.labels else {}
            moved = {"mass": number_text(mass), "distance": number_text(self.ground.distance(i, j))}
            yield {"from": i, "to": j, **labels, **moved}

    def _said(self) -> str:
        return f"EMD = {short_text(self.value)}, {self.ground.name}, {counted(len(self.p), 'value')}, by {self.method}"

    # ------------------------------------------------------------------ the check

    def verify(self) -> None:
        """Check the proof; return nothing if it holds. Exact, independent of every solver, O(m² + coupling).

        Raises
        ------
        CertificateError
            Saying which line of the proof fails.
        """
        masses_, heights_ = self._read_form()
        m = self.ground.m
        if not len(self.p) == len(self.q) == len(self.u) == len(self.v) == m:
            raise CertificateError(f"p, q, u, v and the ground distance must all have {m} values")
        if not isinstance(self.labels, tuple) or len(self.labels) not in (0, m):
            raise CertificateError(
                f"labels are {shown_value(self.labels, 80)}; there must be one for each of {m} values, or none"
            )
        whole, scale = over_common_denominator(masses_)
        p, q, moved = whole[:m], whole[m : 2 * m], whole[2 * m :]
        for name, vector in (("p", p), ("q", q)):
            if min(vector) < 0 or sum(vector) != scale:
                raise CertificateError(f"{name} is not a distribution: its masses must be ≥ 0 and sum to 1")
        self._verify_coupling(p, q, moved)
        heights, height = over_common_denominator([*heights_, (1, self.ground.denominator)])
        work = self._verify_potentials(m, heights, height, moved)
        cost = Fraction(work, scale * self.ground.denominator)
        if cost != self.value:
            raise CertificateError(f"the coupling costs {number_text(cost)}, not {number_text(self.value)}")
        earned = Fraction(sum(map(mul, heights, whole[: 2 * m])), height * scale)
        if earned != self.value:
            raise CertificateError(f"the potentials earn {number_text(earned)}, not {number_text(self.value)}")

    def _read_form(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Check that exact numbers are where numbers must be, and that the ground distance is one.

        Returns the numerators and denominators of p, q and the coupling's masses, and those of u and v.
        """
        read = []
        vectors = {"p": self.p, "q": self.q, "u": self.u, "v": self.v, "the value": (self.value,)}
        for name, numbers in vectors.items():
            ratios = _exact_ratios(numbers) if isinstance(numbers, tuple) else None
            if ratios is None:
                raise CertificateError(
                    f"{name} must be exact numbers, Fractions or ints, and is {shown_value(numbers, 80)}"
                )
            read.append(ratios)
        moved = None
        if isinstance(self.coupling, tuple) and all(isinstance(e, tuple) and len(e) == 3 for e in self.coupling):
            ends = {type(end) for i, j, _ in self.coupling for end in (i, j)}
            moved = _exact_ratios([mass for _, _, mass in self.coupling]) if ends <= {int} else None
        if moved is None:
            raise CertificateError("the coupling must be triples (i, j, mass) of two ints and an exact number")
        try:
            checked(self.ground)
        except DomainError as error:
            raise CertificateError(str(error)) from error
        p, q, u, v, _ = read
        return [*p, *q, *moved], [*u, *v]

    def _verify_coupling(self, p: list[int], q: list[int], moved: list[int]) -> None:
        m = len(p)
        left, right = [0] * m, [0] * m
        seen = set()
        for (i, j, mass), units in zip(self.coupling, moved, strict=True):
            if not (0 <= i < m and 0 <= j < m) or (i, j) in seen:
                raise CertificateError(f"coupling entry ({i}, {j}) is outside the {m} values, or occurs twice")
            if units <= 0:
                raise CertificateError(f"coupling entry ({i}, {j}) has mass {number_text(mass)}; it must be positive")
            seen.add((i, j))
            left[i] += units
            right[j] += units
        if left != p:
            raise CertificateError("the coupling's row sums are not p")
        if right != q:
            raise CertificateError("the coupling's column sums are not q")

    def _verify_potentials(self, m: int, whole: list[int], common: int, moved: list[int]) -> int:
        """Check the potentials against all distances, some rows at a time; return what the whole masses moved cost."""
        factor = common // self.ground.denominator
        largest = max(map(abs, whole))
        u, v = (np.array(part, dtype=object) for part in (whole[:m], whole[m : 2 * m]))
        entries = sorted((i, j, mass) for (i, j, _), mass in zip(self.coupling, moved, strict=True))
        sources = [i for i, _, _ in entries]
        rows = max(_CELLS // m, 1)
        cost = 0
        for first in range(0, m, rows):
            codes = range(first, min(first + rows, m))
            block = distance_rows(self.ground, codes)
            exact = block.dtype == object or 2 * largest + factor * int(block.max(initial=0)) > INT64_MAX
            kind = object if exact else np.int64
            here, there = u[codes.start : codes.stop].astype(kind), v.astype(kind)
            slack = block.astype(kind) * factor - there - here[:, None]
            if (slack < 0).any():
                i, j = map(int, np.argwhere(slack < 0)[0])
                raise CertificateError(f"the potentials break u_{first + i} + v_{j} ≤ d({first + i}, {j})")
            inside = entries[bisect_left(sources, codes.start) : bisect_left(sources, codes.stop)]
            distances = block[[i - first for i, _, _ in inside], [j for _, j, _ in inside]].tolist()
            cost += sum(mass * distance for (_, _, mass), distance in zip(inside, distances, strict=True))
        return cost

    # ------------------------------------------------------------------ reading and writing

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as JSON-ready data; every number is text, and ``sha256`` covers everything else."""
        record: dict[str, Any] = {
            "format": FORMAT,
            "statement": STATEMENT,
            "method": self.method,
            "ground": ground_record(self.ground),
            "labels": list(self.labels),
            "p": [number_text(x) for x in self.p],
            "q": [number_text(x) for x in self.q],
            "emd": number_text(self.value),
            "coupling": [[i, j, number_text(mass)] for i, j, mass in self.coupling],
            "u": [number_text(x) for x in self.u],
            "v": [number_text(x) for x in self.v],
        }
        return {**record, "sha256": seal(record)}

    def to_json(self) -> str:
        """Return the certificate as JSON text.

        What is written is read back by `from_json`, and what that would not read is not written.

        Raises
        ------
        CertificateFormatError
            For what takes longer to check than some ten seconds or is longer than 32 MiB: a matrix of more than some
            1,000 values, an ordered distance of more than some 25,000, a hierarchy of more than 100 levels, products
            nested more than 4 deep, a label of more than 10,000 characters; and for a ground distance of the user's
            own without cuts over more than 1,024 values.
        """
        text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n"
        try:
            self.from_json(text)
        except CertificateFormatError as error:
            raise CertificateFormatError(
                f"the certificate would not be read back, so it is not written: {error}; certify fewer values"
            ) from error
        return text

    @classmethod
    def from_dict(cls, record: object) -> Certificate:
        """Read a certificate strictly; its digest is checked, its proof is not (see `verify`).

        Parameters
        ----------
        record
            The data, as `to_dict` returns it: every key and no other, whole numbers as numbers and all other numbers
            as ASCII texts in lowest terms, and as many entries as there are values.

        Raises
        ------
        CertificateFormatError
            If the record is anything else, was changed since it was written, or would take too long to check. Whatever
            the record is, nothing else is raised, and memory is proportional to it.
        """
        try:
            return _read(record)
        except InputError as error:
            raise CertificateFormatError(f"the certificate cannot be read: {error}") from error

    @classmethod
    def from_json(cls, text: str | bytes) -> Certificate:
        """Read a certificate from JSON text (bytes are UTF-8) of at most 32 MiB, as `from_dict`.

        Raises
        ------
        CertificateFormatError
            If the text is not such a certificate; nothing else is raised, whatever the text is.
        """
        if not isinstance(text, str | bytes):
            raise CertificateFormatError(
                f"a certificate is {shown(text)}; it must be a JSON text, or its bytes in UTF-8"
            )
        try:
            return _read(read_json(text, longest=LONGEST, deepest=_DEEPEST))
        except InputError as error:
            raise CertificateFormatError(f"the certificate cannot be read: {error}") from error

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(self.to_dict()["sha256"])


def _exact_ratios(numbers: Sequence[Any]) -> list[tuple[int, int]] | None:
    """Return numerators and denominators, or None unless all numbers are exact."""
    if not {int, Fraction}.issuperset(map(type, numbers)) and not all(map(is_exact, numbers)):
        return None
    ratios = [x.as_integer_ratio() for x in numbers]
    return ratios if {int}.issuperset(map(type, chain.from_iterable(ratios))) else None


def _read(given: object) -> Certificate:
    """Read a certificate strictly: what it says, read and written again, is the same.

    What reading and checking cost is known before it is done; memory is proportional to the record, and nothing of a
    size that it only states is made.
    """
    if type(given) is not dict or given.get("format") != FORMAT:
        raise InputError(f"this is not a certificate: its format must be {FORMAT!r}")
    record = fields(given, _KEYS, "the certificate")
    if record["statement"] != STATEMENT:
        raise InputError(f"its statement is {shown(record['statement'])}; it must be {STATEMENT!r}")
    method = text(record["method"], "method", longest=_LONGEST_METHOD)
    p = canonical_fractions(record["p"], "p", least=1)
    m = len(p)
    q, u, v = (canonical_fractions(record[name], name, length=m) for name in ("q", "u", "v"))
    value = canonical_fraction(record["emd"], "emd")
    labels = [text(label, f"labels[{i}]") for i, label in enumerate(listed(record["labels"], "labels"))]
    if len(labels) not in (0, m):
        raise InputError(f"labels has {len(labels)} entries; it must have {m}, or none")
    coupling = []
    for k, entry in enumerate(listed(record["coupling"], "coupling")):
        i, j, mass = listed(entry, f"coupling[{k}]", length=3)
        what = f"coupling[{k}]"
        coupling.append((whole(i, f"{what}[0]"), whole(j, f"{what}[1]"), canonical_fraction(mass, f"{what}[2]")))
    work = Work(_MOST_WORK)
    masses = [*p, *q, *(mass for _, _, mass in coupling)]
    mass_bits = common_bits(masses, "the masses")
    work.spend(sums(masses, mass_bits), "the masses")
    ground = ground_from_dict(record["ground"], most_work=work.left)
    if ground.m != m:
        raise InputError(f"p has {m} entries and the ground distance {ground.m} values")
    scale = ground.denominator.bit_length()
    bits = common_bits([*u, *v], "the potentials") + scale
    each = ground.row_work
    costs = sums(coupling, mass_bits + scale)
    work.spend(sums([*u, *v], bits) + costs + m**2 * (cells(bits) + 2 * each), f"a proof over {m} values")
    if text(record["sha256"], "sha256", longest=64) != seal(record):
        raise InputError("it was changed: its sha256 does not match its content")
    found = Certificate(tuple(p), tuple(q), ground, tuple(coupling), tuple(u), tuple(v), value, method, tuple(labels))
    again = found.to_dict()
    odd = next((key for key in _KEYS if again[key] != record[key]), None)
    if odd is not None:
        raise InputError(f"{odd!r} is not written as it would be by tcloseness")
    return found
