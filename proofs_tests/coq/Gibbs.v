(* Entropy in whole numbers: which counts have an entropy of at least ln(a / b), with
   powers in place of logarithms, and that a union keeps it.  No axiom is used, unlike in Logarithms.v.

   Places in the l-diversity paper: section 4.2 (Definition 4.1), Theorem 5.2
     gibbs_two           two masses: Gibbs' inequality with whole exponents
     gibbs               the same for the counts of a part and of the whole
     entropy_joins       prod x_i^x_i (a/b)^n <= n^n passes to unions

   The idea in three lines:
   - two masses: the inequality of the arithmetic and the geometric mean;
   - lists: a first entry against the rest;
   - s^x for s = x + y is bounded through x^x, s^y through y^y; their product is s^s. *)
From mathcomp Require all_ssreflect all_algebra.
From Coq Require Import ZArith List Bool Lia.
From Tcloseness Require Import Counts.
Import ListNotations.

Module TwoMasses.
Import all_ssreflect all_algebra.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.

Lemma power_le m n e : m <= n -> m ^ e <= n ^ e.
Proof. by move=> H; elim: e => // e IH; rewrite !expnS leq_mul. Qed.

Lemma prod_ord k (P : pred 'I_k) (x : int) : P =1 xpredT -> (\prod_(i < k | P i) x = x ^+ k)%R.
Proof. by move=> H; rewrite (eq_bigl _ _ H) prodr_const card_ord. Qed.

Lemma sum_ord k (P : pred 'I_k) (x : int) : P =1 xpredT -> (\sum_(i < k | P i) x = x *+ k)%R.
Proof. by move=> H; rewrite (eq_bigl _ _ H) sumr_const card_ord. Qed.

Lemma two_masses a b c d :
  (a + b) ^ (a + b) * (c ^ a * d ^ b) <= (c + d) ^ (a + b) * (a ^ a * b ^ b).
Proof.
have [->|a0] := posnP a; first by rewrite add0n !expn0 !mul1n mulnC leq_mul // power_le // leq_addl.
have [->|b0] := posnP b; first by rewrite addn0 !expn0 !muln1 mulnC leq_mul // power_le // leq_addr.
pose E (i : 'I_a + 'I_b) : int := (match i with inl _ => c * b | inr _ => d * a end)%:R%R.
have [] := @leif_AGM_scaled _ _ predT E; first by move=> i _; rewrite mulrn_wge0 // ler0n.
rewrite !big_sumType /E /= !prod_ord // !sum_ord // card_sum !card_ord.
rewrite -!mulrnA -!natrX -!natrM -natrD -natrX ler_nat => H _.
rewrite -(@leq_pmul2r (b ^ a * a ^ b)) ?muln_gt0 ?expn_gt0 ?a0 ?b0 //.
move: H; have -> : c * b * a + d * a * b = (c + d) * (a * b) by rewrite mulnDl -!mulnA (mulnC b a).
rewrite !expnMn !expnD; set x := (a + b) ^ a; set y := (a + b) ^ b.
set u := (c + d) ^ a; set v := (c + d) ^ b.
suff E1 : x * y * (c ^ a * d ^ b) * (b ^ a * a ^ b) = c ^ a * b ^ a * x * (d ^ b * a ^ b * y).
  rewrite E1; suff <- : u * v * (a ^ a * a ^ b * (b ^ a * b ^ b)) =
    u * v * (a ^ a * b ^ b) * (b ^ a * a ^ b) by [].
  ring.
ring.
Qed.
End TwoMasses.

Local Open Scope Z_scope.

Lemma of_power m e : Z.of_nat (ssrnat.expn m e) = Z.of_nat m ^ Z.of_nat e.
Proof.
induction e as [|e IH]; [now rewrite ssrnat.expn0|].
rewrite ssrnat.expnS, Nat2Z.inj_succ, Z.pow_succ_r, <- IH by lia.
exact (Nat2Z.inj_mul m (ssrnat.expn m e)).
Qed.

Theorem gibbs_two a b c d : 0 <= a -> 0 <= b -> 0 <= c -> 0 <= d ->
  (a + b) ^ (a + b) * (c ^ a * d ^ b) <= (c + d) ^ (a + b) * (a ^ a * b ^ b).
Proof.
intros A B C D.
rewrite <- (Z2Nat.id a), <- (Z2Nat.id b), <- (Z2Nat.id c), <- (Z2Nat.id d) by trivial.
rewrite <- !Nat2Z.inj_add. rewrite <- !of_power, <- !Nat2Z.inj_mul. apply inj_le.
exact (ssrbool.elimT ssrnat.leP (TwoMasses.two_masses (Z.to_nat a) (Z.to_nat b) (Z.to_nat c) (Z.to_nat d))).
Qed.

(* prod s_i^x_i *)
Fixpoint powers (s x : counts) : Z :=
  match s, x with a :: s, e :: x => a ^ e * powers s x | _, _ => 1 end.

Lemma powers_nonneg s : forall x, nonneg s = true -> 0 <= powers s x.
Proof.
induction s as [|a s IH]; intros [|e x]; simpl; try lia.
rewrite andb_true_iff, Z.leb_le. intros [A S]. specialize (IH x S).
assert (0 <= a ^ e) by now apply Z.pow_nonneg. nia.
Qed.

Lemma own_power_pos n : 0 <= n -> 0 < n ^ n.
Proof. intros [H| <-]%Z.le_lteq; [apply Z.pow_pos_nonneg; lia|reflexivity]. Qed.

Theorem gibbs x : forall s, nonneg x = true -> nonneg s = true -> (length x <= length s)%nat ->
  size x ^ size x * powers s x <= size s ^ size x * powers x x.
Proof.
induction x as [|e x IH]; intros [|a s]; simpl length; try lia.
- intros _ _ _. simpl. destruct (a + size s); simpl; lia.
- cbn [nonneg forallb]. rewrite !andb_true_iff, !Z.leb_le. intros [E X] [A S] L.
  specialize (IH s X S (le_S_n _ _ L)). cbn [size fold_right powers].
  change (fold_right Z.add 0 x) with (size x). change (fold_right Z.add 0 s) with (size s).
  assert (N := size_nonneg x X). assert (M := size_nonneg s S).
  assert (T := gibbs_two e (size x) a (size s) E N A M).
  assert (K := own_power_pos (size x) N).
  assert (Q := powers_nonneg x x X). assert (Ae : 0 <= a ^ e) by now apply Z.pow_nonneg.
  assert (T0 : 0 <= (e + size x) ^ (e + size x)) by (apply Z.pow_nonneg; lia).
  set (L0 := (e + size x) ^ (e + size x)) in *. set (R := (a + size s) ^ (e + size x)) in *.
  apply Z.mul_le_mono_pos_r with (p := size x ^ size x); trivial.
  apply Z.le_trans with (L0 * a ^ e * (size s ^ size x * powers x x)).
  + replace (L0 * (a ^ e * powers s x) * size x ^ size x)
      with (L0 * a ^ e * (size x ^ size x * powers s x)) by ring.
    apply Z.mul_le_mono_nonneg_l; trivial. now apply Z.mul_nonneg_nonneg.
  + replace (L0 * a ^ e * (size s ^ size x * powers x x))
      with (L0 * (a ^ e * size s ^ size x) * powers x x) by ring.
    replace (R * (e ^ e * powers x x) * size x ^ size x)
      with (R * (e ^ e * size x ^ size x) * powers x x) by ring.
    now apply Z.mul_le_mono_nonneg_r.
Qed.

Lemma powers_plus s : forall x y, nonneg x = true -> nonneg y = true ->
  powers s (plus x y) = powers s x * powers s y.
Proof.
induction s as [|a s IH]; intros [|e x] [|f y]; cbn [plus powers nonneg forallb]; intros X Y;
  try ring; rewrite !andb_true_iff, !Z.leb_le in *.
destruct X as [E X], Y as [F Y]. rewrite IH, Z.pow_add_r by trivial. ring.
Qed.

(* entropy >= ln (a / b) *)
Definition entropic (a b : Z) (x : counts) : Prop :=
  powers x x * a ^ size x <= size x ^ size x * b ^ size x.

Lemma entropic_in a b x s : 0 <= a -> nonneg x = true -> nonneg s = true ->
  (length x <= length s)%nat -> entropic a b x ->
  powers s x * a ^ size x <= size s ^ size x * b ^ size x.
Proof.
intros A X S L H. unfold entropic in H. assert (N := size_nonneg x X).
assert (K := own_power_pos (size x) N). assert (G := gibbs x s X S L).
assert (An : 0 <= a ^ size x) by now apply Z.pow_nonneg.
assert (Sn : 0 <= size s ^ size x) by (apply Z.pow_nonneg; now apply size_nonneg).
apply Z.mul_le_mono_pos_r with (p := size x ^ size x); trivial.
apply Z.le_trans with (size s ^ size x * (powers x x * a ^ size x)).
- replace (powers s x * a ^ size x * size x ^ size x)
    with (size x ^ size x * powers s x * a ^ size x) by ring.
  replace (size s ^ size x * (powers x x * a ^ size x))
    with (size s ^ size x * powers x x * a ^ size x) by ring.
  now apply Z.mul_le_mono_nonneg_r.
- replace (size s ^ size x * b ^ size x * size x ^ size x)
    with (size s ^ size x * (size x ^ size x * b ^ size x)) by ring.
  now apply Z.mul_le_mono_nonneg_l.
Qed.

Theorem entropy_joins a b x y : 0 <= a -> 0 <= b -> nonneg x = true -> nonneg y = true ->
  entropic a b x -> entropic a b y -> entropic a b (plus x y).
Proof.
intros A B X Y EX EY. assert (S := plus_nonneg x y X Y). set (s := plus x y) in *.
assert (LX : (length x <= length s)%nat) by apply plus_length.
assert (LY : (length y <= length s)%nat) by (unfold s; rewrite plus_comm; apply plus_length).
assert (HX := entropic_in a b x s A X S LX EX). assert (HY := entropic_in a b y s A Y S LY EY).
unfold entropic. replace (powers s s) with (powers s x * powers s y)
  by (symmetry; unfold s at 2; now apply powers_plus).
assert (P : forall z, z ^ size s = z ^ size x * z ^ size y)
  by (intros z; rewrite <- Z.pow_add_r by (now apply size_nonneg); unfold s; now rewrite size_plus).
rewrite !P.
assert (P1 := powers_nonneg s x S). assert (P2 := powers_nonneg s y S).
assert (An : 0 <= a ^ size x) by now apply Z.pow_nonneg.
assert (Am : 0 <= a ^ size y) by now apply Z.pow_nonneg.
replace (powers s x * powers s y * (a ^ size x * a ^ size y))
  with (powers s x * a ^ size x * (powers s y * a ^ size y)) by ring.
replace (size s ^ size x * size s ^ size y * (b ^ size x * b ^ size y))
  with (size s ^ size x * b ^ size x * (size s ^ size y * b ^ size y)) by ring.
apply Z.mul_le_mono_nonneg; trivial; now apply Z.mul_nonneg_nonneg.
Qed.
