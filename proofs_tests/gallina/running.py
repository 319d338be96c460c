"""Runs of translated functions in Coq: the values that they are given, and the numbers that they must return."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from proofs_tests.coq.audit import coqc

__all__ = ["array", "compared", "failed", "matrix"]

_HEAD = """Require Import ZArith Bool List. Import ListNotations.
From Tcloseness.kernels Require Import Kernel Generated.
Open Scope Z_scope.
Definition all (z : Z) := true.
Definition of_list (l : list Z) := Arr (Z.of_nat (length l)) (fun i => nth (Z.to_nat i) l 0).
Definition of_lists (n m : Z) (l : list (list Z)) := Arr2 n m (fun i j => nth (Z.to_nat j) (nth (Z.to_nat i) l []) 0).
Definition upto (n : Z) (f : Z -> Z) := map (fun i => f (Z.of_nat i)) (seq 0 (Z.to_nat n)).
Class Numbers A := numbers : A -> list Z.
#[export] Instance number : Numbers Z := fun z => [z].
#[export] Instance truth : Numbers bool := fun b => [Z.b2z b].
#[export] Instance one_axis : Numbers arr := fun a => upto (len a) (at1 a).
#[export] Instance two_axes : Numbers arr2 :=
  fun a => concat (map (fun i => upto (cols a) (at2 a (Z.of_nat i))) (seq 0 (Z.to_nat (rows a)))).
#[export] Instance both {A B} `{Numbers A} `{Numbers B} : Numbers (A * B) :=
  fun p => numbers (fst p) ++ numbers (snd p).
Definition numbers_of {A} `{Numbers A} (c : option A) : option (list Z) :=
  match c with Some a => Some (numbers a) | None => None end.
"""


def array(values: Iterable[int]) -> str:
    """Return an array with one axis as Coq writes it."""
    return f"(of_list [{'; '.join(f'({int(v)})' for v in values)}])"


def matrix(values: Sequence[Iterable[int]]) -> str:
    """Return an array with two axes, and at least one row, as Coq writes it."""
    rows = [[f"({int(v)})" for v in row] for row in values]
    text = "; ".join(f"[{'; '.join(row)}]" for row in rows)
    return f"(of_lists {len(rows)} {len(rows[0])} [{text}])"


def compared(call: str, expected: Iterable[int]) -> str:
    """Return the goal that a call gives certain numbers: what is returned first, then the arrays that it changed."""
    return f"Goal {call} = Some [{'; '.join(f'({int(v)})' for v in expected)}]. vm_compute. reflexivity. Qed."


def failed(goals: Iterable[str]) -> str:
    """Let Coq compute the goals; return what it says if one of them does not hold, and nothing if all do."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "Runs.v"
        path.write_text("\n".join([_HEAD, *goals]) + "\n", encoding="utf-8")
        done = coqc(path)
    return done.stderr if done.returncode else ""
