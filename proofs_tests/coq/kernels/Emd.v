(* The number that cut_work returns is the earth mover's distance: the Python function, from its inputs to
   Laminar.laminar_emd, for every number of values and every laminar family.

   Places in the code: transport/closed_forms.py, cut_work; place in the papers: t-closeness, section 5
     cut_work_emd        is_emd (cuts w set_at) P Q (what cut_work returns / (s d))

   The inputs hold whole numbers: the differences are s (P i - Q i) for some s > 0, such as a common
   denominator, and the weights are d times those of the distance.

   The idea in three lines:
   - whole numbers are elements of the field, and sums go over to sums;
   - the order is injective, so the places of S_k are its codes;
   - s and d cancel in each term. *)
From Coq Require Import ZArith Lia.
From mathcomp Require Import all_ssreflect all_algebra ring ssrZ.
From Tcloseness Require Import Transport Laminar.
From Tcloseness.kernels Require Kernel Generated CutWork.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Emd.
Variable R : realFieldType.

Definition z2r (z : Z) : R := (int_of_Z z)%:~R.

Lemma z2rD a b : z2r (Z.add a b) = z2r a + z2r b.
Proof. by rewrite /z2r (rmorphD [rmorphism of int_of_Z]) rmorphD. Qed.
Lemma z2rM a b : z2r (Z.mul a b) = z2r a * z2r b.
Proof. by rewrite /z2r (rmorphM [rmorphism of int_of_Z]) rmorphM. Qed.
Lemma z2r_abs a : z2r (Z.abs a) = `|z2r a|.
Proof.
rewrite /z2r -intr_norm; congr _%:~R.
by case: a => [|p|p] //=; rewrite ?normr0 //; lia.
Qed.

Lemma z2r_sum l h (f : Z -> Z) :
  z2r (Kernel.sum (Z.of_nat l) (Z.of_nat h) f) = \sum_(l <= i < h) z2r (f (Z.of_nat i)).
Proof.
have [hl|/ltnW/subnKC <-] := leqP h l.
  by rewrite big_geq // Kernel.sum_nil //; move/ssrnat.leP: hl; lia.
elim: (h - l)%N => [|n IH]; first by rewrite addn0 big_geq // Kernel.sum_nil //; lia.
rewrite addnS big_nat_recr ?leq_addr // [RHS]/= -IH -z2rD; congr z2r.
by rewrite Nat2Z.inj_succ -Z.add_1_r Kernel.sum_last //; lia.
Qed.

Variables (m K : nat) (P Q : 'I_m -> R) (ord : 'I_m -> 'I_m) (lo hi : 'I_K -> nat) (w : 'I_K -> R) (s d : R).
Hypotheses (inj : injective ord) (s0 : 0 < s) (d0 : 0 < d) (w0 : forall k, 0 <= w k)
  (lohi : forall k, (lo k <= hi k <= m)%N)
  (P0 : forall i, 0 <= P i) (Q0 : forall i, 0 <= Q i) (PQ : \sum_i P i = \sum_i Q i).

(* S_k: the codes at the places lo k <= place < hi k of the permuted domain *)
Definition set_at k : {set 'I_m} := [set ord i | i : 'I_m & (lo k <= i < hi k)%N].
Hypothesis laminar : forall k l, [|| set_at k \subset set_at l, set_at l \subset set_at k | [disjoint set_at k & set_at l]].

(* the arrays that the Python code is given *)
Variables r order low high weights : Kernel.arr.
Hypotheses (m0 : (0 < m)%N)
  (lr : Kernel.len r = Z.of_nat m) (lorder : Kernel.len order = Z.of_nat m) (llow : Kernel.len low = Z.of_nat K)
  (lhigh : Kernel.len high = Z.of_nat K) (lweights : Kernel.len weights = Z.of_nat K)
  (rE : forall i : 'I_m, z2r (Kernel.at1 r (Z.of_nat i)) = s * (P i - Q i))
  (orderE : forall i : 'I_m, Kernel.at1 order (Z.of_nat i) = Z.of_nat (ord i))
  (lowE : forall k : 'I_K, Kernel.at1 low (Z.of_nat k) = Z.of_nat (lo k))
  (highE : forall k : 'I_K, Kernel.at1 high (Z.of_nat k) = Z.of_nat (hi k))
  (weightsE : forall k : 'I_K, z2r (Kernel.at1 weights (Z.of_nat k)) = d * w k).

Lemma massE (k : 'I_K) :
  z2r (CutWork.mass r order low high (Z.of_nat k)) = s * (on P (set_at k) - on Q (set_at k)).
Proof.
rewrite /CutWork.mass lowE highE z2r_sum -onB /on mulr_sumr.
rewrite (big_imset _ (in2W inj)) /= big_geq_mkord /=.
have /andP[_ hm] := lohi k.
rewrite (big_ord_widen_cond m (fun i => lo k <= i)%N (fun i => z2r (Kernel.at1 r (Kernel.at1 order (Z.of_nat i))))) //.
by apply: eq_big => [i|i _]; [rewrite inE | rewrite orderE rE].
Qed.

Theorem cut_work_emd :
  exists2 work, Generated.cut_work xpredT r order low high weights = Some work &
    is_emd (cuts w set_at) P Q (z2r work / (s * d)).
Proof.
have nat_of (n : nat) (z : Z) : Z.le 0 z /\ Z.lt z (Z.of_nat n) -> exists i : 'I_n, z = Z.of_nat i.
  move=> zn; have zN : (Z.to_nat z < n)%N by apply/ssrnat.ltP; lia.
  by exists (Ordinal zN); rewrite /= Z2Nat.id //; lia.
have scaled (a x : R) : d * a * (s * x) / (s * d) = a * x by field; rewrite !gt_eqF.
have := @CutWork.cut_work_right r order low high weights.
rewrite lr lorder llow lhigh lweights.
case E: (Generated.cut_work _ _ _ _ _ _) => [work|] /= H; last first.
  exfalso; apply: H => //; try (by move/ssrnat.ltP: m0; lia); try lia.
    by move=> i /nat_of[j ->]; rewrite orderE; move/ssrnat.ltP: (ltn_ord (ord j)); lia.
  by move=> k /nat_of[j ->]; rewrite lowE highE; have /andP[/ssrnat.leP ? /ssrnat.leP ?] := lohi j; lia.
exists work => //; suff -> : z2r work / (s * d) = \sum_k w k * `|on P (set_at k) - on Q (set_at k)| by apply: laminar_emd.
rewrite H => {H}; try (by move/ssrnat.ltP: m0; lia); try lia.
- rewrite /CutWork.laminar_work llow (z2r_sum 0) big_mkord mulr_suml; apply: eq_bigr => k _.
  rewrite z2rM z2r_abs weightsE massE normrM (gtr0_norm s0).
  exact: scaled.
- by move=> i /nat_of[j ->]; rewrite orderE; move/ssrnat.ltP: (ltn_ord (ord j)); lia.
- by move=> k /nat_of[j ->]; rewrite lowE highE; have /andP[/ssrnat.leP ? /ssrnat.leP ?] := lohi j; lia.
Qed.
End Emd.
