"""Certificates on their way to the verified checkers: as whole numbers, for the programs, as statements for Coq."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from fractions import Fraction

from proofs_tests.coq.audit import HERE
from tcloseness.exact import scaled_integers
from tcloseness.transport import Certificate

__all__ = ["CHECKER", "DRIVER", "PAGE", "Whole", "accepted", "answers", "by_page", "lemmas", "whole"]

DRIVER = HERE / "driver" / "certificates"
"""The program extracted from ``Checker.v``."""

CHECKER = HERE / "driver" / "checker"
"""The program extracted from ``LatticeChecker.v`` and those beside it, which reads certificates about tables."""

PAGE = HERE / "driver" / "page.js"
"""The same program for browsers."""

_OPENING = """From Coq Require Import ZArith List.
From Tcloseness Require Import Checker.
Import ListNotations.
Local Open Scope Z_scope.
"""

Matrix = list[list[int]]


@dataclass(frozen=True)
class Whole:
    """A certificate in whole numbers: masses times one factor, distances times another, the value times both."""

    p: list[int]
    q: list[int]
    d: Matrix
    f: Matrix
    u: list[int]
    v: list[int]
    value: int
    scale: int
    """What the value was multiplied with."""


def whole(certificate: Certificate) -> Whole:
    """Scale a certificate. Its value must become whole too: it does where the coupling costs the value."""
    c, m = certificate, certificate.ground.m
    masses, mass_scale = scaled_integers([*c.p, *c.q, *(mass for _, _, mass in c.coupling)])
    f = [[0] * m for _ in range(m)]
    for (i, j, _), mass in zip(c.coupling, masses[2 * m :], strict=True):
        f[i][j] += mass
    distances = [c.ground.distance(i, j) for i in range(m) for j in range(m)]
    lengths, length_scale = scaled_integers([*distances, *c.u, *c.v])
    d = [lengths[i * m : (i + 1) * m] for i in range(m)]
    potentials = lengths[m * m :]
    value = c.value * mass_scale * length_scale
    if value.denominator != 1:  # a value that this coupling cannot cost: make it whole, and keep it wrong
        return _stretched(Whole(masses[:m], masses[m : 2 * m], d, f, potentials[:m], potentials[m:], 0, 0), value)
    scale = mass_scale * length_scale
    return Whole(masses[:m], masses[m : 2 * m], d, f, potentials[:m], potentials[m:], int(value), scale)


def _stretched(w: Whole, value: Fraction) -> Whole:
    k = value.denominator
    masses = [[k * x for x in row] for row in (w.p, w.q)]
    return Whole(*masses, w.d, [[k * x for x in row] for row in w.f], w.u, w.v, int(value * k), 0)


def accepted(certificates: Sequence[Certificate]) -> list[bool]:
    """Ask the extracted checker about many certificates, in one process."""
    text = "".join(_line(whole(c)) + "\n" for c in certificates)
    answer = subprocess.run([str(DRIVER)], input=text, capture_output=True, text=True, check=True)
    return [{"accepted": True, "refused": False}[word] for word in answer.stdout.split()]


def answers(blocks: str) -> list[str]:
    """Give blocks of tables and certificates to the program, in one process; a line for each certificate.

    Where the program for browsers is built and node is there, it must give the same lines.
    """
    lines = _ran([str(CHECKER)], blocks)
    if by_page():
        assert _ran([str(shutil.which("node")), str(PAGE.with_suffix(".cjs"))], blocks) == lines
    return lines


def by_page() -> bool:
    """Say whether the program for browsers can run here."""
    return PAGE.exists() and shutil.which("node") is not None


def _ran(words: list[str], blocks: str) -> list[str]:
    ran = subprocess.run(words, input=blocks, capture_output=True, text=True, check=True)
    return ran.stdout.splitlines()


def lemmas(cases: Sequence[tuple[str, Certificate, str]]) -> str:
    """Return a Coq file: of each name, certificate and printed number, what `_lemma` says."""
    return _OPENING + "".join(_lemma(name, certificate, printed) for name, certificate, printed in cases)


def _lemma(name: str, certificate: Certificate, printed: str) -> str:
    """Return Coq text: the certificate is accepted with its value and with no other, which rounds as printed."""
    w = whole(certificate)
    check = f"check_value {' '.join(map(_coq, astuple(w)[:6]))}"
    stated = Fraction(printed)
    digits = 10 ** len(printed.partition(".")[2])
    return f"""
Lemma {name} : {check} {_coq(w.value)} = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Lemma {name}_no_other : {check} {_coq(w.value + 1)} = false.
Proof. vm_cast_no_check (eq_refl false). Qed.
(* {certificate.value} = {w.value} / {w.scale} prints as {printed} *)
Lemma {name}_printed :
  (2 * Z.abs ({_coq(w.value)} * {digits} - {int(stated * digits)} * {w.scale}) <=? {w.scale}) = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
"""


def _line(w: Whole) -> str:
    numbers = [len(w.p), len(w.q), *w.p, *w.q, *_flat(w.d), *_flat(w.f), *w.u, *w.v, w.value]
    return " ".join(map(str, numbers))


def _flat(rows: Matrix) -> list[int]:
    return [x for row in rows for x in row]


def _coq(x: object) -> str:
    if isinstance(x, list):
        return f"[{'; '.join(map(_coq, x))}]"
    return f"({x})"
