(* The filters of exact/ that compare doubles in place of rational numbers: what they
   decide is what the exact numbers decide; what they cannot is left to these.

   Places in the code:
     ratio_decides      Rationals.compare with counts of 64 bits, RATIO_FILTER = 2^-50 = 8u
     largest_kept       Rationals.largest; smallest_kept: Rationals.smallest
     greatest_kept      measures.ratio.greatest_of_cells
     quotient_within    models.n_t_closeness._error
     filtered_decides   Filtered.compare; extreme_kept: Filtered.largest and smallest
     offer_decides      models.n_t_closeness._Least.offer
   With Python integers a ratio is rounded once, and rounding keeps the order (rnd_lt).

   The idea in three lines:
   - doubles that differ by more than all their roundings together are in the right order;
   - doubles are whole multiples of the least one, so a difference of doubles that is above
     a bound is above it by as much as a rounding below the normal numbers can lose;
   - rounding keeps the order, so the comparison itself may be rounded.
   Real numbers of the standard library; they rest on its classical axioms. *)
From Coq Require Import Reals Lra Lia ZArith Psatz.
From Flocq Require Import Core.
From Tcloseness Require Import Rounding.
Local Open Scope R_scope.

Lemma double_power e : (-1074 <= e)%Z -> double (bpow radix2 e).
Proof. intros H; apply generic_format_FLT_bpow; [reflexivity | exact H]. Qed.

Lemma rnd_count z : (1 <= z < 2 ^ 63)%Z -> 1 <= rnd (IZR z) <= IZR (2 ^ 63).
Proof.
intros H; assert (double 1) by (change 1 with (bpow radix2 0); apply double_power; lia).
assert (double (IZR (2 ^ 63))) by (change (IZR (2 ^ 63)) with (bpow radix2 63); apply double_power; lia).
split.
- rewrite <- (rnd_id 1) by assumption; apply rnd_le, IZR_le; lia.
- rewrite <- (rnd_id (IZR (2 ^ 63))) by assumption; apply rnd_le, IZR_le; lia.
Qed.

(* the double of a ratio of counts: two conversions and a division *)
Definition quotient (a b : Z) : R := rnd (rnd (IZR a) / rnd (IZR b)).

Lemma quotient_size a b : (0 <= a < 2 ^ 63)%Z -> (1 <= b < 2 ^ 63)%Z ->
  let x := rnd (IZR a) / rnd (IZR b) in x = 0 \/ / IZR (2 ^ 63) <= x <= IZR (2 ^ 63).
Proof.
intros Ha Hb; cbv zeta; pose proof (rnd_count b Hb) as [B1 B2].
destruct (Z.eq_dec a 0) as [->|H]; [left; rewrite rnd_0; unfold Rdiv; ring | right].
destruct (rnd_count a ltac:(lia)) as [A1 A2].
assert (/ IZR (2 ^ 63) <= / rnd (IZR b)) by (apply Rinv_le; lra).
assert (/ rnd (IZR b) <= 1) by (rewrite <- Rinv_1; apply Rinv_le; lra).
assert (0 < / IZR (2 ^ 63)) by (apply Rinv_0_lt_compat; simpl; lra).
unfold Rdiv; split.
- rewrite <- (Rmult_1_l (/ IZR (2 ^ 63))); apply Rmult_le_compat; lra.
- rewrite <- (Rmult_1_r (IZR (2 ^ 63))); apply Rmult_le_compat; lra.
Qed.

Lemma tiny_count : tiny <= / IZR (2 ^ 64).
Proof. apply Rle_trans with (1 := tiny_small), Rinv_le; simpl; lra. Qed.

Lemma near_quotient a b : (0 <= a < 2 ^ 63)%Z -> (1 <= b < 2 ^ 63)%Z ->
  near 3 (quotient a b) (IZR a / IZR b).
Proof.
intros Ha Hb; change 3%nat with (1 + (1 + 1))%nat.
apply near_trans with (rnd (IZR a) / rnd (IZR b)); [|apply near_div; apply near_int].
apply near_rnd0; destruct (quotient_size _ _ Ha Hb) as [H|[H _]]; [left; exact H | right].
pose proof tiny_count; assert (/ IZR (2 ^ 64) <= / IZR (2 ^ 63)) by (apply Rinv_le; simpl; lra).
rewrite Rabs_pos_eq; [lra|].
apply Rle_trans with (2 := H), Rlt_le, Rinv_0_lt_compat; simpl; lra.
Qed.

Lemma ratio_size a b : (0 <= a < 2 ^ 63)%Z -> (1 <= b < 2 ^ 63)%Z ->
  IZR a / IZR b = 0 \/ / IZR (2 ^ 63) <= IZR a / IZR b <= IZR (2 ^ 63).
Proof.
intros Ha Hb.
destruct (Z.eq_dec a 0) as [->|H]; [left; unfold Rdiv; ring | right].
assert (1 <= IZR a <= IZR (2 ^ 63)) by (split; apply IZR_le; lia).
assert (1 <= IZR b <= IZR (2 ^ 63)) by (split; apply IZR_le; lia).
assert (/ IZR (2 ^ 63) <= / IZR b) by (apply Rinv_le; lra).
assert (/ IZR b <= 1) by (rewrite <- Rinv_1; apply Rinv_le; lra).
assert (0 < / IZR (2 ^ 63)) by (apply Rinv_0_lt_compat; simpl; lra).
unfold Rdiv; split.
- rewrite <- (Rmult_1_l (/ IZR (2 ^ 63))); apply Rmult_le_compat; lra.
- rewrite <- (Rmult_1_r (IZR (2 ^ 63))); apply Rmult_le_compat; lra.
Qed.

Lemma err_few k : (k <= 1000)%nat -> err k <= 2 * (INR k * u).
Proof.
intros H; apply err_small; pose proof u_bounds as [U1 U2].
assert (INR k <= 1000) by (replace 1000 with (INR 1000) by (rewrite INR_IZR_INZ; reflexivity); apply le_INR; exact H).
pose proof (pos_INR k); apply Rle_trans with (1000 * / 1000000000000000); [apply Rmult_le_compat; lra | lra].
Qed.

(* ---- two doubles that are known relatively ------------------------------------ *)
(* x and y agree up to six factors, and lie farther apart than the filter's margin *)
Lemma margin x y : 0 <= x -> double x -> double y -> x < y -> y <= x * grown 6 ->
  rnd (8 * u * rnd (y + x)) < Rabs (rnd (y - x)) -> False.
Proof.
intros P Dx Dy L H M; pose proof u_bounds as [U1 U2].
assert (E : err 6 <= 12 * u) by (replace (12 * u) with (2 * (INR 6 * u)) by (simpl; ring); apply err_few; lia).
rewrite <- rnd_abs in M; apply rnd_lt in M.
rewrite Rabs_pos_eq in M by lra.
destruct (near_bounds _ _ _ (near_add _ _ Dy Dx) ltac:(lra)) as [S _].
assert (G : / grown 1 >= 1 - u).
{ unfold grown; rewrite pow_1; apply Rle_ge, Rmult_le_reg_r with (1 + u); [lra|].
  rewrite Rinv_l by lra; nra. }
unfold err in E; assert (y - x <= 12 * u * x) by nra.
assert ((y + x) * (1 - u) <= rnd (y + x)) by nra.
assert (0 <= u * x) by (apply Rmult_le_pos; lra).
assert (0 < u * y) by (apply Rmult_lt_0_compat; lra).
nra.
Qed.

Lemma grown_few j k : (j <= k)%nat -> (k <= 1000)%nat -> grown j <= 1 + 2 * (INR k * u).
Proof.
intros H K; pose proof (err_mono _ _ H); pose proof (err_few _ K); unfold err in *; lra.
Qed.

Lemma near_half k x y : (k <= 1000)%nat -> near k x y -> 0 <= y -> / 2 * y <= x <= 2 * y.
Proof.
intros H N P; pose proof (near_bounds _ _ _ N P) as [A B]; pose proof u_bounds as [U1 U2].
assert (INR k * u <= / 4).
{ apply Rle_trans with (1000 * / 1000000000000000); [|lra].
  apply Rmult_le_compat; [apply pos_INR | lra | | lra].
  replace 1000 with (INR 1000) by (rewrite INR_IZR_INZ; reflexivity); apply le_INR; exact H. }
pose proof (grown_few k k (le_n _) H); pose proof (grown_ge1 k).
assert (/ 2 <= / grown k) by (apply Rinv_le; lra).
nra.
Qed.

Lemma ln_le x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros P [H|E]; [left; apply ln_increasing; assumption | rewrite E; apply Rle_refl]. Qed.

Section Compare.
Variable top : R.
Hypothesis top_double : double top.
Hypothesis top_large : IZR (2 ^ 64) <= top.

Lemma top_pos : 0 < top.
Proof. apply Rlt_le_trans with (2 := top_large); simpl; lra. Qed.

(* the nearest finite double; the greatest one stands for all above it *)
Definition nearest (x : R) : R := Rmax (- top) (Rmin (rnd x) top).

Lemma nearest_double x : double (nearest x).
Proof.
unfold nearest, Rmax, Rmin.
destruct (Rle_dec (rnd x) top); destruct (Rle_dec _ _); auto using rnd_double, double_opp.
Qed.

Lemma nearest_le x y : x <= y -> nearest x <= nearest y.
Proof.
intros H; apply rnd_le in H; unfold nearest.
apply Rle_max_compat_l, Rle_min_compat_r; exact H.
Qed.

Lemma nearest_opp x : nearest (- x) = - nearest x.
Proof.
unfold nearest; rewrite rnd_opp.
pose proof top_pos.
unfold Rmax, Rmin; repeat destruct (Rle_dec _ _); lra.
Qed.

Lemma nearest_cases x : nearest x = rnd x \/ (nearest x = top /\ top < rnd x) \/ (nearest x = - top /\ rnd x < - top).
Proof.
pose proof top_pos.
unfold nearest, Rmax, Rmin; repeat destruct (Rle_dec _ _); lra.
Qed.

(* Rationals.compare, both numbers of 64 bits *)
Theorem ratio_decides (a b : Z) (bound : R) :
  (0 <= a < 2 ^ 63)%Z -> (1 <= b < 2 ^ 63)%Z -> 0 <= bound ->
  let v := quotient a b in let w := nearest bound in
  rnd (8 * u * rnd (v + w)) < Rabs (rnd (v - w)) ->
  (0 < rnd (v - w) -> bound < IZR a / IZR b) /\ (rnd (v - w) < 0 -> IZR a / IZR b < bound).
Proof.
intros Ha Hb Hc v w M; pose proof u_bounds as [U1 U2].
pose proof (near_quotient _ _ Ha Hb) as N; fold v in N.
assert (P : 0 <= IZR a / IZR b).
{ apply Rmult_le_pos; [apply IZR_le; lia | apply Rlt_le, Rinv_0_lt_compat, IZR_lt; lia]. }
pose proof (near_ge0 _ _ _ N P) as Pv.
assert (Dv : double v) by apply rnd_double.
pose proof (nearest_double bound) as Dw; fold w in Dw.
assert (N1 : near 1 (rnd (IZR a / IZR b)) (IZR a / IZR b)).
{ apply near_rnd0; destruct (ratio_size _ _ Ha Hb) as [H|[H _]]; [left; exact H | right].
  pose proof tiny_count; assert (/ IZR (2 ^ 64) <= / IZR (2 ^ 63)) by (apply Rinv_le; simpl; lra).
  rewrite Rabs_pos_eq; lra. }
assert (T : v < top /\ rnd (IZR a / IZR b) < top).
{ assert (IZR a / IZR b <= IZR (2 ^ 63)).
  { destruct (ratio_size _ _ Ha Hb) as [->|[_ H]]; [simpl; lra | exact H]. }
  pose proof (near_bounds _ _ _ N P) as [_ H1]; pose proof (near_bounds _ _ _ N1 P) as [_ H2].
  pose proof (grown_few 3 3 ltac:(lia) ltac:(lia)) as G3; pose proof (grown_few 1 3 ltac:(lia) ltac:(lia)) as G1.
  pose proof (grown_ge1 3); pose proof (grown_ge1 1).
  simpl INR in *; change (IZR (2 ^ 63)) with 9223372036854775808 in *.
  change (IZR (2 ^ 64)) with 18446744073709551616 in *.
  split; nra. }
destruct T as [T1 T2].
pose proof (near_bounds _ _ _ N P) as [N3 N4]; pose proof (near_bounds _ _ _ N1 P) as [N5 N6].
set (x := rnd (IZR a / IZR b)) in *.
pose proof (grown_ge1 3); pose proof (grown_ge1 1); pose proof (grown_ge1 6).
assert (G : grown 3 * grown 1 <= grown 6) by (rewrite <- grown_add; apply grown_le; lia).
set (q := IZR a / IZR b) in *.
assert (Px : 0 <= x) by (apply rnd_ge0; exact P).
assert (V1 : v <= x * grown 6).
{ apply Rle_trans with (x * (grown 3 * grown 1)); [|apply Rmult_le_compat_l; lra].
  assert (q <= x * grown 1).
  { apply Rmult_le_reg_r with (/ grown 1); [apply Rinv_0_lt_compat; lra|].
    rewrite Rmult_assoc, Rinv_r by lra; lra. }
  apply Rle_trans with (1 := N4); rewrite (Rmult_comm (grown 3)), <- Rmult_assoc.
  apply Rmult_le_compat_r; lra. }
assert (V2 : x <= v * grown 6).
{ apply Rle_trans with (v * (grown 3 * grown 1)); [|apply Rmult_le_compat_l; lra].
  assert (q <= v * grown 3).
  { apply Rmult_le_reg_r with (/ grown 3); [apply Rinv_0_lt_compat; lra|].
    rewrite Rmult_assoc, Rinv_r by lra; lra. }
  apply Rle_trans with (1 := N6); rewrite <- Rmult_assoc.
  apply Rmult_le_compat_r; lra. }
assert (W0 : nearest q = x).
{ pose proof top_pos; fold x in T2.
  destruct (nearest_cases q) as [E|[[_ E]|[_ E]]]; [exact E | |]; change (rnd q) with x in E; lra. }
split; intros S; apply Rnot_le_lt; intros C.
- assert (L : w < v).
  { rewrite <- rnd_0 in S; apply rnd_lt in S; lra. }
  assert (W : x <= w) by (rewrite <- W0; apply nearest_le, C).
  apply (margin w v); [lra | exact Dw | exact Dv | exact L | | exact M].
  apply Rle_trans with (1 := V1), Rmult_le_compat_r; lra.
- assert (L : v < w).
  { rewrite <- rnd_0 in S; apply rnd_lt in S; lra. }
  assert (W : w <= x) by (rewrite <- W0; apply nearest_le, C).
  apply (margin v w); [exact Pv | exact Dv | exact Dw | exact L | lra |].
  rewrite Rplus_comm, <- Rabs_Ropp, <- rnd_opp, Ropp_minus_distr; exact M.
Qed.

(* Filtered.compare: the exact value within an error of its double *)
Lemma rnd_margin x : 16 * u * Rabs x * (1 - u) - least / 2 <= rnd (16 * u * Rabs x).
Proof.
pose proof (rnd_error (16 * u * Rabs x)) as H; pose proof u_bounds as [U1 U2]; pose proof (Rabs_pos x).
assert (0 <= 16 * u * Rabs x) by (apply Rmult_le_pos; lra).
rewrite (Rabs_pos_eq (16 * u * Rabs x)) in H by assumption.
apply Rabs_le_inv in H; lra.
Qed.

Lemma grid_gap a b c d : double a -> double b -> double c -> double d ->
  0 < a - b - c - d -> least <= a - b - c - d.
Proof.
intros Ha Hb Hc Hd H.
destruct (double_grid _ Ha) as [i ->]; destruct (double_grid _ Hb) as [j ->].
destruct (double_grid _ Hc) as [k ->]; destruct (double_grid _ Hd) as [l ->].
replace (IZR i * least - IZR j * least - IZR k * least - IZR l * least)
  with (IZR (i - j - k - l) * least) in * by (rewrite !minus_IZR; ring).
pose proof least_pos.
assert (0 < i - j - k - l)%Z.
{ apply lt_IZR, Rmult_lt_reg_r with least; [assumption | lra]. }
assert (1 <= IZR (i - j - k - l)) by (apply IZR_le; lia).
nra.
Qed.

Lemma filtered_above (value v e bound : R) :
  double v -> double e -> v <= top -> Rabs (v - value) <= e ->
  let w := nearest bound in
  rnd (e + rnd (16 * u * Rabs w)) < Rabs (rnd (v - w)) -> 0 < rnd (v - w) -> bound < value.
Proof.
intros Dv De Hv He w M S; pose proof u_bounds as [U1 U2]; pose proof least_pos as L0.
assert (L : w < v) by (rewrite <- rnd_0 in S; apply rnd_lt in S; lra).
rewrite <- rnd_abs in M; apply rnd_lt in M; rewrite (Rabs_pos_eq (v - w)) in M by lra.
pose proof (nearest_double bound) as Dw; fold w in Dw.
pose proof (grid_gap v e w (rnd (16 * u * Rabs w)) Dv De Dw (rnd_double _) ltac:(lra)) as G.
pose proof (rnd_margin w) as K; apply Rabs_le_inv in He.
assert (0 <= u * Rabs w) by (apply Rmult_le_pos; [lra | apply Rabs_pos]).
assert (K0 : 0 <= rnd (16 * u * Rabs w)) by (apply rnd_ge0; lra).
assert (u * Rabs w * u <= u * Rabs w * / 2) by (apply Rmult_le_compat_l; lra).
destruct (Rle_or_lt bound w) as [B|B]; [lra|].
destruct (nearest_cases bound) as [E|[[E F]|[E F]]]; fold w in E.
- assert (A : bound - w <= 2 * (u * Rabs w) \/ bound - w <= least / 2).
  { destruct (rnd_apart bound) as [H1|H1]; rewrite <- E in H1; apply Rabs_le_inv in H1; [left | right; lra].
    assert (Rabs bound <= Rabs w + (bound - w)).
    { replace bound with (w + (bound - w)) at 1 by ring.
      apply Rle_trans with (1 := Rabs_triang _ _); rewrite (Rabs_pos_eq (bound - w)); lra. }
    nra. }
  destruct A; lra.
- lra.
- assert (bound < - top).
  { apply rnd_lt; rewrite (rnd_id (- top)) by (apply double_opp, top_double); exact F. }
  lra.
Qed.

Theorem filtered_decides (value v e bound : R) :
  double v -> double e -> Rabs v <= top -> Rabs (v - value) <= e ->
  let w := nearest bound in
  rnd (e + rnd (16 * u * Rabs w)) < Rabs (rnd (v - w)) ->
  (0 < rnd (v - w) -> bound < value) /\ (rnd (v - w) < 0 -> value < bound).
Proof.
intros Dv De Hv He w M; apply Rabs_le_inv in Hv; split; intros S.
- apply (filtered_above value v e bound); auto; lra.
- assert (E : - bound < - value); [|lra].
  apply (filtered_above (- value) (- v) e (- bound)); rewrite ?nearest_opp; fold w.
  + apply double_opp, Dv.
  + exact De.
  + lra.
  + replace (- v - - value) with (- (v - value)) by ring; rewrite Rabs_Ropp; exact He.
  + replace (- v - - w) with (- (v - w)) by ring; rewrite rnd_opp, !Rabs_Ropp; exact M.
  + replace (- v - - w) with (- (v - w)) by ring; rewrite rnd_opp; lra.
Qed.
End Compare.

(* a threshold that is not rational, known to eight roundings *)
Theorem filtered_decides_near (value v e bound w : R) :
  double v -> double e -> double w -> Rabs (v - value) <= e -> Rabs (w - bound) <= 8 * u * Rabs w ->
  rnd (e + rnd (16 * u * Rabs w)) < Rabs (rnd (v - w)) ->
  (0 < rnd (v - w) -> bound < value) /\ (rnd (v - w) < 0 -> value < bound).
Proof.
intros Dv De Dw He Hw M; pose proof u_bounds as [U1 U2]; pose proof least_pos as L0.
pose proof (rnd_margin w) as K.
assert (0 <= u * Rabs w) by (apply Rmult_le_pos; [lra | apply Rabs_pos]).
assert (u * Rabs w * u <= u * Rabs w * / 2) by (apply Rmult_le_compat_l; lra).
rewrite <- rnd_abs in M; apply rnd_lt in M.
apply Rabs_le_inv in He; apply Rabs_le_inv in Hw.
split; intros S; rewrite <- rnd_0 in S; apply rnd_lt in S.
- rewrite (Rabs_pos_eq (v - w)) in M by lra.
  pose proof (grid_gap v e w (rnd (16 * u * Rabs w)) Dv De Dw (rnd_double _) ltac:(lra)); lra.
- rewrite (Rabs_left (v - w)) in M by lra.
  pose proof (grid_gap w e v (rnd (16 * u * Rabs w)) Dw De Dv (rnd_double _) ltac:(lra)); lra.
Qed.

(* ---- Rationals.largest, Rationals.smallest, and the greatest ratio among the cells of a class ------------------ *)
Section Extremes.
Variables (a b a' b' : Z).
Hypothesis a_fits : (0 <= a < 2 ^ 63)%Z.
Hypothesis b_fits : (1 <= b < 2 ^ 63)%Z.
Hypothesis a_fits' : (0 <= a' < 2 ^ 63)%Z.
Hypothesis b_fits' : (1 <= b' < 2 ^ 63)%Z.
Hypothesis ordered : IZR a' / IZR b' <= IZR a / IZR b.

Let v := quotient a b.
Let v' := quotient a' b'.

Lemma ratio_ge0 c d : (0 <= c)%Z -> (1 <= d)%Z -> 0 <= IZR c / IZR d.
Proof. intros H K; apply Rmult_le_pos; [apply IZR_le, H | apply Rlt_le, Rinv_0_lt_compat, IZR_lt; lia]. Qed.

(* doubles confuse the order of two ratios by twelve roundings at the most *)
Lemma nearly_ordered : v' * (1 - 12 * u) <= v /\ 0 <= v'.
Proof.
pose proof u_bounds as [U1 U2].
pose proof (near_quotient _ _ a_fits b_fits) as N; pose proof (near_quotient _ _ a_fits' b_fits') as N'.
fold v in N; fold v' in N'.
pose proof (ratio_ge0 a b ltac:(lia) ltac:(lia)) as P; pose proof (ratio_ge0 a' b' ltac:(lia) ltac:(lia)) as P'.
pose proof (near_ge0 _ _ _ N' P') as V'.
destruct (near_bounds _ _ _ N P) as [L _]; destruct (near_bounds _ _ _ N' P') as [_ L'].
pose proof (grown_ge1 3); pose proof (grown_few 6 6 (le_n _) ltac:(lia)) as G; pose proof (grown_ge1 6).
replace (INR 6) with 6 in G by (rewrite INR_IZR_INZ; reflexivity).
split; [|exact V'].
assert (I : 1 - 12 * u <= / grown 6).
{ apply Rmult_le_reg_r with (grown 6); [lra|]; rewrite Rinv_l by lra; nra. }
apply Rle_trans with (v' * / grown 6); [apply Rmult_le_compat_l; assumption|].
change 6%nat with (3 + 3)%nat; rewrite grown_add, Rinv_mult.
assert (J : 0 < / grown 3) by (apply Rinv_0_lt_compat; lra).
apply Rle_trans with (2 := L); rewrite <- Rmult_assoc; apply Rmult_le_compat_r; [lra|].
apply Rle_trans with (2 := ordered).
apply Rmult_le_reg_r with (grown 3); [lra|]; rewrite Rmult_assoc, Rinv_l by lra; lra.
Qed.

Lemma near_band m c d (w := quotient c d) : (0 <= c < 2 ^ 63)%Z -> (1 <= d < 2 ^ 63)%Z -> 0 <= w -> 1 <= m ->
  rnd (m * u * w) = 0 /\ w = 0 \/ 15 / 16 * (m * u * w) <= rnd (m * u * w).
Proof.
intros Hc Hd W0 M; pose proof u_bounds as [U1 U2].
destruct (quotient_size _ _ Hc Hd) as [H|[H _]].
- left; assert (Z0 : w = 0) by (unfold w, quotient; rewrite H; apply rnd_0).
  rewrite Z0, Rmult_0_r, rnd_0; split; reflexivity.
- right; assert (T : / IZR (2 ^ 64) <= w).
  { assert (K : rnd (/ IZR (2 ^ 64)) <= w) by (apply rnd_le; apply Rle_trans with (2 := H), Rinv_le; simpl; lra).
    rewrite rnd_id in K; [exact K|].
    replace (/ IZR (2 ^ 64)) with (bpow radix2 (-64)) by reflexivity; apply double_power; lia. }
  assert (B : tiny <= m * u * w).
  { apply Rle_trans with (1 := tiny_small); apply Rle_trans with (m * u * / IZR (2 ^ 64)).
    - unfold u; apply Rle_trans with (/ IZR (2 ^ 53) * / IZR (2 ^ 64)); [rewrite <- Rinv_mult; apply Rinv_le; simpl; lra|].
      apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; simpl; lra|].
      assert (0 < / IZR (2 ^ 53)) by (apply Rinv_0_lt_compat; simpl; lra); nra.
    - apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | exact T]. }
  assert (X : 0 <= m * u * w) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra | exact W0]).
  assert (N : near 1 (rnd (m * u * w)) (m * u * w)) by (apply near_rnd; rewrite Rabs_pos_eq by exact X; exact B).
  destruct (near_bounds _ _ _ N X) as [L _].
  pose proof (grown_few 1 1 (le_n _) ltac:(lia)) as G; simpl INR in G; pose proof (grown_ge1 1).
  assert (I : 1 - 2 * u <= / grown 1).
  { apply Rmult_le_reg_r with (grown 1); [lra|]; rewrite Rinv_l by lra; nra. }
  apply Rle_trans with (2 := L); apply Rle_trans with (m * u * w * (1 - 2 * u)); [|apply Rmult_le_compat_l; assumption].
  assert (m * u * w * u <= m * u * w * / 1000) by (apply Rmult_le_compat_l; [exact X | lra]). lra.
Qed.

(* a greater ratio is never passed over ... *)
Theorem largest_kept : rnd (v' - rnd (16 * u * v')) <= v.
Proof.
rewrite <- (rnd_id v) by apply rnd_double; apply rnd_le.
destruct nearly_ordered as [O V']; pose proof (near_band 16 _ _ a_fits' b_fits' V' ltac:(lra)) as B; cbv zeta in B; fold v' in B; destruct B as [[E Z0]|B].
- rewrite E, Z0 in *; lra.
- assert (0 <= u * v') by (apply Rmult_le_pos; [pose proof u_bounds; lra | exact V']); lra.
Qed.

(* ... nor a smaller one, where the signs are turned ... *)
Theorem smallest_kept : rnd (- v - rnd (16 * u * Rabs (- v))) <= - v'.
Proof.
rewrite <- (rnd_id (- v')) by apply double_opp, rnd_double; apply rnd_le.
pose proof u_bounds as [U1 U2]; destruct nearly_ordered as [O V'].
assert (V : 0 <= v) by (apply Rle_trans with (2 := O), Rmult_le_pos; lra).
rewrite Rabs_Ropp, (Rabs_pos_eq v) by exact V.
pose proof (near_band 16 _ _ a_fits b_fits V ltac:(lra)) as B; cbv zeta in B; fold v in B; destruct B as [[E Z0]|B].
- rewrite E; rewrite Z0 in *; assert (v' * (1 - 12 * u) <= 0 * (1 - 12 * u)) by lra.
  assert (v' <= 0) by (apply Rmult_le_reg_r with (1 - 12 * u); lra); lra.
- assert (v' <= v * (1 + 15 * u)); [|lra].
  apply Rmult_le_reg_r with (1 - 12 * u); [lra|].
  apply Rle_trans with (1 := O).
  rewrite Rmult_assoc, <- (Rmult_1_r v) at 1; apply Rmult_le_compat_l; [exact V|].
  nra.
Qed.

(* ... nor a greater one among cells *)
Theorem greatest_kept : rnd (v' * (1 - 32 * u)) <= v.
Proof.
rewrite <- (rnd_id v) by apply rnd_double; apply rnd_le.
destruct nearly_ordered as [O V'].
assert (0 <= u * v') by (apply Rmult_le_pos; [pose proof u_bounds; lra | exact V']); lra.
Qed.
End Extremes.

(* the error that n_t_closeness gives to a ratio's double *)
Theorem quotient_within a b : (0 <= a < 2 ^ 63)%Z -> (1 <= b < 2 ^ 63)%Z ->
  Rabs (quotient a b - IZR a / IZR b) <= rnd (8 * u * quotient a b).
Proof.
intros Ha Hb; pose proof u_bounds as [U1 U2].
pose proof (near_quotient _ _ Ha Hb) as N; pose proof (ratio_ge0 a b ltac:(lia) ltac:(lia)) as P.
pose proof (near_ge0 _ _ _ N P) as V; pose proof (near_err _ _ _ N) as E; rewrite (Rabs_pos_eq _ P) in E.
pose proof (err_few 3 ltac:(lia)) as F; simpl INR in F.
destruct (near_half 3 _ _ ltac:(lia) N P) as [H _].
pose proof (near_band 8 _ _ Ha Hb V ltac:(lra)) as B; cbv zeta in B.
set (v := quotient a b) in *; set (q := IZR a / IZR b) in *.
assert (E6 : err 3 * q <= 6 * u * q) by (apply Rmult_le_compat_r; lra).
assert (UQ : 0 <= u * q) by (apply Rmult_le_pos; lra).
destruct B as [[B Z0]|B].
- rewrite B; assert (q = 0) by lra; replace q with 0 in * by assumption; lra.
- assert (Q : 6 * u * q <= 7 * u * v); [|lra].
  apply Rabs_le_inv in E; assert (u * (q - v) <= u * (6 * u * q)) by (apply Rmult_le_compat_l; lra).
  assert (u * (u * q) <= / 1000 * (u * q)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(* Filtered.largest: the class of the greatest value is always among those that are looked at *)
Theorem extreme_kept (value v e value' v' e' : R) :
  Rabs (v - value) <= e -> Rabs (v' - value') <= e' -> value' <= value -> rnd (v' - e') <= rnd (v + e).
Proof. intros H K L; apply Rabs_le_inv in H; apply Rabs_le_inv in K; apply rnd_le; lra. Qed.

(* two values with errors, one against the other: n_t_closeness._Least.offer *)
Theorem offer_decides (value v e value' v' e' : R) :
  Rabs (v - value) <= e -> Rabs (v' - value') <= e' -> rnd (e + e') < Rabs (rnd (v - v')) ->
  (rnd (v - v') < 0 -> value < value') /\ (0 < rnd (v - v') -> value' < value).
Proof.
intros H K M; rewrite <- rnd_abs in M; apply rnd_lt in M.
apply Rabs_le_inv in H; apply Rabs_le_inv in K; split; intros S; rewrite <- rnd_0 in S; apply rnd_lt in S.
- rewrite (Rabs_left (v - v')) in M; lra.
- rewrite (Rabs_pos_eq (v - v')) in M; lra.
Qed.
