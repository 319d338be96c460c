(* Two filters in which a logarithm or an exponential is met by something else.  Of the library's
   exponentials the same is assumed as of its logarithm (log_within, LogFilters.v): exp_within.
   proofs_tests/exact/test_computed_logarithms.py tries it.

   Places in the code:
     cap_decides          models.beta_likeness._above_cap
     exponential_within   exact.logarithms.exponentials, of entropies

   The idea in three lines:
   - the gain is as near as its ratio, relative to 1 + |gain|; the cap as near as two logarithms;
   - the filter allows more than twice what both can be off;
   - exp x is at most exp(e) - 1 from exp y, relatively, if x is at most e from y.
   Real numbers of the standard library; they rest on its classical axioms. *)
From Coq Require Import Reals Lra Lia ZArith Psatz.
From Flocq Require Import Core.
From Tcloseness Require Import Rounding Filters LogFilters.
Local Open Scope R_scope.

Lemma grown_inv k : (k <= 1000)%nat -> 1 - 2 * (INR k * u) <= / grown k.
Proof.
intros H; pose proof (grown_few k k (le_n _) H) as G; pose proof (grown_ge1 k); pose proof u_bounds as [U1 U2].
pose proof (pos_INR k); assert (0 <= INR k * u) by (apply Rmult_le_pos; lra).
apply Rmult_le_reg_r with (grown k); [lra|]; rewrite Rinv_l by lra.
destruct (Rle_or_lt 0 (1 - 2 * (INR k * u))) as [P|P]; [|nra].
apply Rle_trans with ((1 - 2 * (INR k * u)) * (1 + 2 * (INR k * u))); [apply Rmult_le_compat_l; assumption | nra].
Qed.

(* a number from its double: the same factors *)
Lemma near_sym k x y : near k x y -> near k y x.
Proof.
intros [r [Hr ->]]; pose proof (within_pos _ _ Hr).
exists (/ r); split; [apply within_inv, Hr | field; lra].
Qed.

Section Cap.
Variable log : R -> R.
Hypothesis log_good : log_within log.
Variables (q r : R) (C N : Z).
Hypothesis q_double : double q.
Hypothesis q_near : near 3 q r.
Hypothesis r_ge0 : 0 <= r.
Hypothesis C_fits : (1 <= C <= N)%Z.
Hypothesis N_fits : (N < 2 ^ 63)%Z.

Let a := log (rnd (IZR N)).
Let b := log (rnd (IZR C)).
Definition gain : R := rnd (q - 1).
Definition cap : R := rnd (a - b).
Definition cap_margin : R := rnd (32 * u * rnd (rnd (Rabs gain + rnd (2 * a)) + 2)).
(* p/q - 1 + ln q, q = C/N *)
Definition above_cap : R := r - 1 - (ln (IZR N) - ln (IZR C)).

Theorem cap_decides :
  cap_margin < Rabs (rnd (gain - cap)) ->
  (0 < rnd (gain - cap) -> 0 < above_cap) /\ (rnd (gain - cap) < 0 -> above_cap < 0).
Proof.
intros M; pose proof u_bounds as [U1 U2].
set (A := ln (IZR N)); set (B := ln (IZR C)).
assert (B0 : 0 <= B) by (apply ln_count_ge0; lia).
assert (BA : B <= A) by (apply ln_le; [apply IZR_lt; lia | apply IZR_le; lia]).
assert (A0 : 0 <= A) by lra.
pose proof (near_log_count log log_good N ltac:(lia)) as NA; fold a A in NA.
pose proof (near_log_count log log_good C ltac:(lia)) as NB; fold b B in NB.
pose proof (near_err _ _ _ NA) as EA; rewrite (Rabs_pos_eq A A0) in EA.
pose proof (near_err _ _ _ NB) as EB; rewrite (Rabs_pos_eq B B0) in EB.
pose proof (err_few 11 ltac:(lia)) as F11; replace (INR 11) with 11 in F11 by (rewrite INR_IZR_INZ; reflexivity).
pose proof (err_few 1 ltac:(lia)) as F1; simpl INR in F1.
pose proof (err_few 3 ltac:(lia)) as F3; simpl INR in F3.
assert (UA : 0 <= u * A) by (apply Rmult_le_pos; lra).
assert (EA' : err 11 * A <= 22 * u * A) by (apply Rmult_le_compat_r; lra).
assert (EB' : err 11 * B <= 22 * u * A) by (apply Rmult_le_compat; [apply err_ge0 | lra | lra | lra]).
assert (D1 : double 1) by (change 1 with (bpow radix2 0); apply double_power; lia).
assert (D2 : double 2) by (change 2 with (bpow radix2 1); apply double_power; lia).
(* the gain *)
pose proof (Rabs_pos gain) as G0; assert (UG : 0 <= u * Rabs gain) by (apply Rmult_le_pos; lra).
pose proof (near_err _ _ _ (near_sym _ _ _ (near_sub q 1 q_double D1))) as G1; fold gain in G1.
assert (G2 : err 1 * Rabs gain <= 2 * u * Rabs gain) by (apply Rmult_le_compat_r; lra).
pose proof (near_err _ _ _ (near_sym _ _ _ q_near)) as Q1.
pose proof (near_ge0 _ _ _ q_near r_ge0) as Q0; rewrite (Rabs_pos_eq q Q0) in Q1.
assert (Q2 : err 3 * q <= 6 * u * q) by (apply Rmult_le_compat_r; lra).
apply Rabs_le_inv in G1; apply Rabs_le_inv in Q1; apply Rabs_le_inv in EA; apply Rabs_le_inv in EB.
assert (Q3 : q <= 1 + 2 * Rabs gain).
{ pose proof (Rle_abs gain); assert (2 * u * Rabs gain <= 1 * Rabs gain) by (apply Rmult_le_compat_r; lra); lra. }
assert (Q4 : 6 * u * q <= 6 * u * (1 + 2 * Rabs gain)) by (apply Rmult_le_compat_l; lra).
(* the cap *)
destruct (near_sub a b (log_count_double log log_good N ltac:(lia)) (log_count_double log log_good C ltac:(lia)))
  as [s [Hs Es]]; fold cap in Es.
pose proof (within_err _ _ Hs) as S1.
assert (S2 : Rabs ((a - b) * (s - 1)) <= 8 * u * A).
{ rewrite Rabs_mult; replace (8 * u * A) with ((4 * A) * (2 * u)) by ring.
  assert (22 * u * A <= 1 * A) by (apply Rmult_le_compat_r; lra).
  apply Rmult_le_compat; [apply Rabs_pos | apply Rabs_pos | apply Rabs_le; lra | lra]. }
apply Rabs_le_inv in S2.
(* the margin *)
set (x := rnd (rnd (Rabs gain + rnd (2 * a)) + 2)) in *.
assert (X : near 14 x (Rabs gain + 2 * A + 2)).
{ change 14%nat with (1 + 13)%nat; eapply near_trans; [apply near_add; [apply rnd_double | exact D2]|].
  apply near_sum; [|apply near_mono with (2 := near_refl 2); lia | lra | lra].
  change 13%nat with (1 + 12)%nat; eapply near_trans.
  { apply near_add; [apply generic_format_abs, rnd_double | apply rnd_double]. }
  apply near_sum; [apply near_mono with (2 := near_refl _); lia | | lra | lra].
  change 12%nat with (1 + (0 + 11))%nat; apply near_trans with (2 * a).
  - apply near_rnd0; destruct (log_count_size log log_good N ltac:(lia)) as [Z0|Z0]; fold a in Z0.
    + left; rewrite Z0; ring.
    + right; pose proof tiny_small; assert (/ IZR (2 ^ 200) <= / 4) by (apply Rinv_le; simpl; lra).
      rewrite Rabs_pos_eq; lra.
  - apply near_mul; [apply near_refl | exact NA]. }
destruct (near_bounds _ _ _ X ltac:(lra)) as [X1 _].
pose proof (grown_inv 14 ltac:(lia)) as I; replace (INR 14) with 14 in I by (rewrite INR_IZR_INZ; reflexivity).
set (S := Rabs gain + 2 * A + 2) in *.
assert (X2 : 31 / 32 * S <= x).
{ apply Rle_trans with (2 := X1); rewrite Rmult_comm; apply Rmult_le_compat_l; unfold S; lra. }
assert (X3 : 31 * u * S <= 32 * u * x).
{ assert (32 * u * (31 / 32 * S) <= 32 * u * x) by (apply Rmult_le_compat_l; lra). lra. }
unfold cap_margin in M; rewrite <- rnd_abs in M; apply rnd_lt in M; fold x in M.
unfold above_cap; fold A B; unfold S in *.
split; intros K; rewrite <- rnd_0 in K; apply rnd_lt in K.
- rewrite (Rabs_pos_eq (gain - cap)) in M by lra; lra.
- rewrite (Rabs_left (gain - cap)) in M by lra; lra.
Qed.
End Cap.

(* ---- exponentials of values that are known with an error ---------------------------- *)
(* what is assumed of exp and of exp - 1, of entropies and of their errors *)
Definition exp_within (exp_double expm1_double : R -> R) : Prop :=
  (forall y, double y -> -1 <= y <= 100 -> Rabs (exp_double y - exp y) <= 8 * u * exp y) /\
  (forall e, double e -> 0 <= e <= 1 -> Rabs (expm1_double e - (exp e - 1)) <= 8 * u * (exp e - 1)).

Section Exponential.
Variables exp_double expm1_double : R -> R.
Hypothesis exp_good : exp_within exp_double expm1_double.
Variables x y e : R.
Hypothesis y_double : double y.
Hypothesis e_double : double e.
Hypothesis y_range : -1 <= y <= 100.
Hypothesis e_range : 0 <= e <= 1.
Hypothesis y_within : Rabs (y - x) <= e.

Definition exponential_error : R :=
  rnd (exp_double y * rnd (rnd (expm1_double e * (1 + 32 * u)) + 32 * u)).

Lemma exp_le a b : a <= b -> exp a <= exp b.
Proof. intros [H|H]; [left; apply exp_increasing, H | rewrite H; apply Rle_refl]. Qed.

Lemma exp_apart : Rabs (exp y - exp x) <= exp y * (exp e - 1).
Proof.
apply Rabs_le_inv in y_within; pose proof (exp_pos y); pose proof (exp_pos e).
assert (X : exp x = exp y * exp (x - y)) by (rewrite <- exp_plus; f_equal; ring).
assert (U : exp (x - y) <= exp e) by (apply exp_le; lra).
assert (L : exp (- e) <= exp (x - y)) by (apply exp_le; lra).
assert (V : 2 - exp e <= exp (- e)).
{ assert (K : exp e * exp (- e) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  apply Rmult_le_reg_l with (exp e); [lra|]; rewrite K.
  pose proof (Rle_0_sqr (exp e - 1)) as Q; unfold Rsqr in Q; lra. }
rewrite X; replace (exp y - exp y * exp (x - y)) with (exp y * (1 - exp (x - y))) by ring.
rewrite Rabs_mult, (Rabs_pos_eq (exp y)) by lra.
apply Rmult_le_compat_l; [lra | apply Rabs_le; lra].
Qed.

Theorem exponential_within : Rabs (exp_double y - exp x) <= exponential_error.
Proof.
pose proof u_bounds as [U1 U2]; destruct exp_good as [HE HM].
pose proof (HE y y_double y_range) as P1; pose proof (HM e e_double e_range) as M1.
pose proof exp_apart as X1; apply Rabs_le_inv in P1; apply Rabs_le_inv in M1.
set (E := exp y) in *; set (D := exp e - 1) in *.
set (P := exp_double y) in *; set (m := expm1_double e) in *.
assert (E3 : / 3 <= E).
{ assert (K : exp 1 * exp (- 1) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  pose proof exp_le_3; pose proof (exp_pos 1); pose proof (exp_pos (- 1)).
  assert (/ 3 <= exp (- 1)) by nra.
  apply Rle_trans with (exp (- 1)); [assumption | apply exp_le; lra]. }
assert (D0 : 0 <= D <= 2).
{ unfold D; split.
  - assert (exp 0 <= exp e) by (apply exp_le; lra); rewrite exp_0 in *; lra.
  - assert (exp e <= exp 1) by (apply exp_le; lra); pose proof exp_le_3; lra. }
assert (UE : u * E <= / 1000 * E) by (apply Rmult_le_compat_r; lra).
assert (UD : 0 <= u * D) by (apply Rmult_le_pos; lra).
assert (UD1 : u * D <= / 1000 * D) by (apply Rmult_le_compat_r; lra).
assert (UUD : u * (u * D) <= / 100000 * (u * D)) by (apply Rmult_le_compat_r; lra).
assert (UU : u * u <= / 100000 * u) by (apply Rmult_le_compat_r; lra).
assert (P0 : / 8 <= P) by lra.
assert (EP : E <= P * (1 + 9 * u)).
{ apply Rmult_le_reg_l with (1 - 8 * u); [lra|].
  apply Rle_trans with P; [lra|].
  rewrite (Rmult_comm P), <- Rmult_assoc, <- (Rmult_1_l P) at 1.
  apply Rmult_le_compat_r; [lra | nra]. }
(* what it is off by *)
assert (G : Rabs (P - exp x) <= P * (D + 10 * (u * D) + 9 * u)).
{ replace (P - exp x) with ((P - E) + (E - exp x)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _).
  assert (Rabs (P - E) <= 8 * u * E) by (apply Rabs_le; lra).
  apply Rle_trans with (E * (8 * u + D)); [lra|].
  apply Rle_trans with (P * (1 + 9 * u) * (8 * u + D)); [apply Rmult_le_compat_r; lra|].
  rewrite Rmult_assoc; apply Rmult_le_compat_l; [lra|]; lra. }
apply Rle_trans with (1 := G).
(* what is allowed *)
set (w1 := rnd (m * (1 + 32 * u))); set (w := rnd (w1 + 32 * u)).
assert (M0 : 0 <= m * (1 + 32 * u)) by (apply Rmult_le_pos; lra).
pose proof (rnd_error (m * (1 + 32 * u))) as R1; rewrite (Rabs_pos_eq _ M0) in R1; fold w1 in R1.
apply Rabs_le_inv in R1; pose proof least_u as L1.
assert (W1 : D * (1 + 20 * u) - u <= w1).
{ assert (UUUD : 0 <= u * (u * D)) by (apply Rmult_le_pos; lra).
  assert (UUUD1 : 0 <= u * (u * (u * D)) <= u * (u * D)).
  { split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_l (u * (u * D))) at 2; apply Rmult_le_compat_r; lra. }
  assert (Y : (D * (1 - 8 * u)) * (1 + 32 * u) <= m * (1 + 32 * u)) by (apply Rmult_le_compat_r; lra).
  assert (Z0 : m * (1 + 32 * u) <= 2 * D).
  { assert (m * (1 + 32 * u) <= D * (1 + 8 * u) * (1 + 32 * u)) by (apply Rmult_le_compat_r; lra). lra. }
  assert (Z1 : (m * (1 + 32 * u)) * (1 - u) >= (D * (1 - 8 * u)) * (1 + 32 * u) * (1 - u)).
  { apply Rle_ge, Rmult_le_compat_r; lra. }
  lra. }
assert (D32 : double (32 * u)).
{ replace (32 * u) with (bpow radix2 (-48)) by (unfold u; simpl; lra); apply double_power; lia. }
pose proof (near_add w1 (32 * u) (rnd_double _) D32) as N1; fold w in N1.
pose proof (grown_inv 1 ltac:(lia)) as I1; simpl INR in I1.
destruct (near_bounds _ _ _ N1 ltac:(lra)) as [B1 _].
assert (W : D + 17 * (u * D) + 30 * u <= w).
{ apply Rle_trans with (2 := B1); apply Rle_trans with ((w1 + 32 * u) * (1 - 2 * u)).
  - apply Rle_trans with ((D * (1 + 20 * u) - u + 32 * u) * (1 - 2 * u)); [lra|].
    apply Rmult_le_compat_r; lra.
  - apply Rmult_le_compat_l; lra. }
assert (N2 : near 1 exponential_error (P * w)).
{ apply near_rnd; rewrite Rabs_pos_eq by (apply Rmult_le_pos; lra).
  pose proof tiny_small; assert (/ IZR (2 ^ 200) <= u) by (unfold u; apply Rinv_le; simpl; lra).
  apply Rle_trans with (/ 8 * (30 * u)); [lra | apply Rmult_le_compat; lra]. }
destruct (near_bounds _ _ _ N2 ltac:(apply Rmult_le_pos; lra)) as [B2 _].
apply Rle_trans with (2 := B2); rewrite Rmult_assoc; apply Rmult_le_compat_l; [lra|].
apply Rle_trans with (w * (1 - 2 * u)); [|apply Rmult_le_compat_l; lra].
apply Rle_trans with ((D + 17 * (u * D) + 30 * u) * (1 - 2 * u)); [lra | apply Rmult_le_compat_r; lra].
Qed.
End Exponential.
