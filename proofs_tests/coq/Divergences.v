(* Other distances of distributions: they are convex in P, so merging classes never
   increases them beyond the mean.

   Places in the papers: t-closeness paper, section 4 (other distances than the EMD)
     chi_square_convex, total_variation_convex, hellinger2_convex
     convex_close       a bound on a convex distance passes to unions
     hellinger_close    also for its square root, which is not convex

   The idea in three lines:
   - a convex function of each share gives a convex sum;
   - squares: the variance is not negative; roots: their squares are compared;
   - t bounds a root iff t^2 bounds what is under it. *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From Tcloseness Require Import Transport Tables.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Convex.
Variables (R : realFieldType).

(* Jensen's inequality for values x >= 0 *)
Definition jensen (phi : R -> R) : Prop := forall (K : finType) (w x : K -> R),
  (forall k, 0 <= w k) -> \sum_k w k = 1 -> (forall k, 0 <= x k) ->
  phi (\sum_k w k * x k) <= \sum_k w k * phi (x k).

Lemma square_jensen c : jensen (fun x => (x - c) ^+ 2).
Proof.
move=> K w x w0 w1 _; set m := \sum_k w k * x k.
have : 0 <= \sum_k w k * (x k - m) ^+ 2.
  by apply: sumr_ge0 => k _; rewrite mulr_ge0 ?sqr_ge0.
have -> : \sum_k w k * (x k - m) ^+ 2 = \sum_k w k * (x k - c) ^+ 2 - (m - c) ^+ 2.
  have e k : w k * (x k - m) ^+ 2 = w k * (x k - c) ^+ 2
      + (2%:R * (c - m) * (w k * x k) + (m ^+ 2 - c ^+ 2) * w k) by rewrite !expr2; ring.
  rewrite (eq_bigr _ (fun k _ => e k)) big_split; congr (_ + _) => /=.
  by rewrite big_split -!mulr_sumr /= w1 -/m !expr2; ring.
by rewrite subr_ge0.
Qed.

Lemma norm_jensen c : jensen (fun x => `|x - c|).
Proof.
move=> K w x w0 w1 _; have -> : \sum_k w k * x k - c = \sum_k w k * (x k - c).
  by under [RHS]eq_bigr do rewrite mulrBr; rewrite sumrB -mulr_suml w1 mul1r.
apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => k _.
by rewrite normrM ger0_norm.
Qed.

Variable T : finType.
Implicit Types (p q : T -> R) (D : (T -> R) -> R).

(* D of a mean is at most the mean of D *)
Definition convex D : Prop := forall (K : finType) (w : K -> R) (P : K -> T -> R) p,
  (forall k, 0 <= w k) -> \sum_k w k = 1 -> (forall k i, 0 <= P k i) ->
  (forall i, p i = \sum_k w k * P k i) -> D p <= \sum_k w k * D (P k).

Lemma sum_convex (a : T -> R) (phi : T -> R -> R) : (forall i, 0 <= a i) ->
  (forall i, jensen (phi i)) -> convex (fun p => \sum_i a i * phi i (p i)).
Proof.
move=> a0 J K w P p w0 w1 P0 pE.
have -> : \sum_k w k * (\sum_i a i * phi i (P k i)) = \sum_i a i * (\sum_k w k * phi i (P k i)).
  under eq_bigr do rewrite mulr_sumr; rewrite exchange_big; apply: eq_bigr => i _ /=.
  by rewrite mulr_sumr; apply: eq_bigr => k _; rewrite mulrCA.
by apply: ler_sum => i _; rewrite ler_wpmul2l // pE; apply: J.
Qed.

(* chi-square; a value that Q lacks adds nothing, for then P lacks it *)
Definition chi_square q p : R := \sum_i (q i)^-1 * (p i - q i) ^+ 2.
Theorem chi_square_convex q : (forall i, 0 <= q i) -> convex (chi_square q).
Proof.
by move=> q0; apply: (sum_convex (phi := fun i x => (x - q i) ^+ 2)) => i;
  [rewrite invr_ge0 | apply: square_jensen].
Qed.

Definition total_variation q p : R := \sum_i 2%:R^-1 * `|p i - q i|.
Theorem total_variation_convex q : convex (total_variation q).
Proof.
by apply: (sum_convex (phi := fun i x => `|x - q i|)) => i;
  [rewrite invr_ge0 ler0n | apply: norm_jensen].
Qed.

(* a bound passes to means *)
Theorem convex_close D t (K : finType) (w : K -> R) (P : K -> T -> R) p : convex D ->
    (forall k, 0 <= w k) -> \sum_k w k = 1 -> (forall k i, 0 <= P k i) ->
    (forall i, p i = \sum_k w k * P k i) -> (forall k, w k != 0 -> D (P k) <= t) ->
  D p <= t.
Proof.
move=> C w0 w1 P0 pE H; apply: le_trans (C K w P p w0 w1 P0 pE) _.
rewrite -[leRHS]mul1r -w1 mulr_suml; apply: ler_sum => k _.
have [->|/H le] := eqVneq (w k) 0; first by rewrite !mul0r.
exact: ler_wpmul2l.
Qed.
End Convex.

(* ---- Hellinger: square roots ----------------------------------------------------- *)
Section Hellinger.
Variables (R : rcfType) (T : finType).
Implicit Types (p q : T -> R).

Lemma root_jensen c : 0 <= c -> jensen (fun x : R => (Num.sqrt x - c) ^+ 2).
Proof.
move=> c0 K w x w0 w1 x0; set m := \sum_k w k * x k.
have m0 : 0 <= m by apply: sumr_ge0 => k _; rewrite mulr_ge0.
have r0 : 0 <= \sum_k w k * Num.sqrt (x k).
  by apply: sumr_ge0 => k _; rewrite mulr_ge0 ?sqrtr_ge0.
have root : \sum_k w k * Num.sqrt (x k) <= Num.sqrt m.
  rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?sqrtr_ge0 // sqr_sqrtr //.
  have := @square_jensen R 0 K w (fun k => Num.sqrt (x k)) w0 w1 (fun k => sqrtr_ge0 _).
  rewrite subr0 => /le_trans; apply; apply: ler_sum => k _.
  by rewrite subr0 sqr_sqrtr.
have e y : 0 <= y -> (Num.sqrt y - c) ^+ 2 = y + c ^+ 2 - 2%:R * c * Num.sqrt y.
  move=> y0; rewrite -{2}(sqr_sqrtr y0) !expr2; ring.
rewrite e //; have -> : \sum_k w k * (Num.sqrt (x k) - c) ^+ 2
    = m + c ^+ 2 - 2%:R * c * (\sum_k w k * Num.sqrt (x k)).
  under eq_bigr do rewrite e //.
  have d k : w k * (x k + c ^+ 2 - 2%:R * c * Num.sqrt (x k))
      = w k * x k + (c ^+ 2 * w k - 2%:R * c * (w k * Num.sqrt (x k))) by ring.
  rewrite (eq_bigr _ (fun k _ => d k)) big_split sumrB -!mulr_sumr /= w1 mulr1.
  by rewrite addrA.
by rewrite ler_add2l ler_opp2 ler_wpmul2l // mulr_ge0.
Qed.

Definition hellinger2 q p : R := \sum_i 2%:R^-1 * (Num.sqrt (p i) - Num.sqrt (q i)) ^+ 2.
Definition hellinger q p : R := Num.sqrt (hellinger2 q p).

Theorem hellinger2_convex q : convex (hellinger2 q).
Proof.
by apply: (sum_convex (phi := fun i x => (Num.sqrt x - Num.sqrt (q i)) ^+ 2)) => i;
  [rewrite invr_ge0 ler0n | apply: root_jensen; apply: sqrtr_ge0].
Qed.

(* any root of a convex distance is quasi-convex *)
Theorem root_close (D : (T -> R) -> R) t (K : finType) (w : K -> R) (P : K -> T -> R) p :
    convex D -> (forall k, 0 <= w k) -> \sum_k w k = 1 -> (forall k i, 0 <= P k i) ->
    (forall i, p i = \sum_k w k * P k i) ->
    (forall k, w k != 0 -> Num.sqrt (D (P k)) <= t) ->
  Num.sqrt (D p) <= t.
Proof.
move=> C w0 w1 P0 pE H; have [k wk] : exists k, w k != 0.
  apply/existsP; rewrite -negb_forall; apply/negP=> /forallP z.
  by have /eqP := w1; rewrite big1 ?(eq_sym 0) ?oner_eq0 // => k _; apply/eqP.
have t0 : 0 <= t by apply: le_trans (H k wk); apply: sqrtr_ge0.
have -> : t = Num.sqrt (t ^+ 2) by rewrite sqrtr_sqr ger0_norm.
apply: ler_wsqrtr; apply: (@convex_close _ _ D (t ^+ 2) K w P p C w0 w1 P0 pE) => k' /H le.
have [Dk|/ltW Dk] := leP 0 (D (P k')); last by apply: le_trans Dk (sqr_ge0 t).
by rewrite -(sqr_sqrtr Dk) ler_pexpn2r ?nnegrE ?sqrtr_ge0.
Qed.

Corollary hellinger_close q t (K : finType) (w : K -> R) (P : K -> T -> R) p :
    (forall k, 0 <= w k) -> \sum_k w k = 1 -> (forall k i, 0 <= P k i) ->
    (forall i, p i = \sum_k w k * P k i) -> (forall k, w k != 0 -> hellinger q (P k) <= t) ->
  hellinger q p <= t.
Proof. exact/root_close/hellinger2_convex. Qed.
End Hellinger.
