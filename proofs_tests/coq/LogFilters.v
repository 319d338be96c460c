(* The filters that compare doubles of logarithms, LOG_FILTER = 2^-48 = 32u: what they decide
   is what the exact sums of logarithms decide.  Of the library's logarithm one thing is assumed,
   log_within: its double is within 2^-50 of the logarithm, relatively (four units in the last
   place).  proofs_tests/exact/test_computed_logarithms.py tries the assumption.

   Places in the code:
     below_decides      lattice.compiled._below and lattice.leaving._uneven: the compiled search
     entropies_within   models.l_diversity.entropies
     kl_within          measures.kullback_leibler.KullbackLeibler.per_class
     log_ratio_within, log2_ratio_within   models.delta_disclosure.log_ratios
   Counts are whole numbers below 2^63, of at most 2^40 values; beyond 2^53 they are rounded.

   The idea in three lines:
   - ln of a rounded count is as near to ln of the count as the count is, from 3 on;
   - c ln c has one sign, so that its sum is near, relatively, in whatever order it is added;
   - what the filter allows for k terms is several times what k + 14 factors can do.
   Real numbers of the standard library; they rest on its classical axioms. *)
From Coq Require Import Reals Lra Lia ZArith Psatz.
From Flocq Require Import Core.
From Tcloseness Require Import Rounding Filters.
Local Open Scope R_scope.

Lemma near_sum k x y z t : near k x y -> near k z t -> 0 <= y -> 0 <= t -> near k (x + z) (y + t).
Proof.
intros H K P Q.
pose proof (near_bounds _ _ _ H P) as [A1 A2]; pose proof (near_bounds _ _ _ K Q) as [B1 B2].
destruct (Rle_lt_or_eq_dec 0 (y + t) ltac:(lra)) as [S|S].
- exists ((x + z) / (y + t)); split; [split|].
  + apply Rmult_le_reg_l with (y + t); [exact S|].
    replace ((y + t) * ((x + z) / (y + t))) with (x + z) by (field; lra); lra.
  + apply Rmult_le_reg_l with (y + t); [exact S|].
    replace ((y + t) * ((x + z) / (y + t))) with (x + z) by (field; lra); lra.
  + field; lra.
- assert (y = 0) by lra; assert (t = 0) by lra; subst y t.
  exists 1; split; [apply within_one | lra].
Qed.

Lemma least_u : least <= u.
Proof.
rewrite least_tiny; pose proof u_bounds as [U1 U2]; pose proof tiny_small.
assert (/ IZR (2 ^ 200) <= / 2) by (apply Rinv_le; simpl; lra).
pose proof tiny_bounds as [T _]; nra.
Qed.

(* a filter's allowance for a sum of k terms, (k + 8) * 2^-48 *)
Definition per_term (k : nat) : R := rnd (rnd (IZR (Z.of_nat k + 8)) * (32 * u)).

Lemma near_per_term k : near 2 (per_term k) ((INR k + 8) * (32 * u)).
Proof.
pose proof u_bounds as [U1 U2]; pose proof (pos_INR k) as K0; pose proof tiny_small as T.
assert (T2 : / IZR (2 ^ 200) <= u) by (unfold u; apply Rinv_le; simpl; lra).
assert (K8 : IZR (Z.of_nat k + 8) = INR k + 8) by (rewrite plus_IZR, <- INR_IZR_INZ; reflexivity).
change 2%nat with (1 + 1)%nat; apply near_trans with (rnd (IZR (Z.of_nat k + 8)) * (32 * u)).
- apply near_rnd; destruct (near_half 1 _ _ ltac:(lia) (near_int (Z.of_nat k + 8)) ltac:(lra)) as [H _].
  rewrite Rabs_pos_eq by (apply Rmult_le_pos; lra).
  apply Rle_trans with (1 * (32 * u)); [lra | apply Rmult_le_compat_r; lra].
- rewrite <- K8; change 1%nat with (1 + 0)%nat; apply near_mul; [apply near_int | apply near_refl].
Qed.

(* ---- a computed logarithm ----------------------------------------------------- *)
(* what is assumed of it: within 2^-50 of the logarithm, relatively; that is four units in the last place *)
Definition log_within (log : R -> R) : Prop :=
  forall x, double x -> 0 < x -> double (log x) /\ Rabs (log x - ln x) <= 8 * u * Rabs (ln x).

Section Log.
Variable log : R -> R.
Hypothesis log_good : log_within log.

Lemma within_near k r : Rabs (r - 1) <= INR k * u -> (k <= 100)%nat -> within (S k) r.
Proof.
intros H K; apply Rabs_le_inv in H; pose proof u_bounds as [U1 U2].
assert (B : INR k <= 100) by (replace 100 with (INR 100) by (rewrite INR_IZR_INZ; reflexivity); apply le_INR; exact K).
pose proof (pos_INR k) as B0.
assert (G : 1 + INR (S k) * u <= grown (S k)) by (apply poly; exact U1).
rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l in G; pose proof (grown_ge1 (S k)); set (x := INR k * u) in *.
assert (X : 0 <= x <= 100 * u) by (unfold x; split; [apply Rmult_le_pos; lra | apply Rmult_le_compat_r; lra]).
split; [|lra].
apply Rmult_le_reg_r with (grown (S k)); [lra|]; rewrite Rinv_l by lra.
apply Rle_trans with ((1 - x) * grown (S k)); [|apply Rmult_le_compat_r; lra].
apply Rle_trans with ((1 - x) * (1 + (x + u))); [|apply Rmult_le_compat_l; lra].
nra.
Qed.

Lemma near_of_err k x y : (k <= 100)%nat -> Rabs (x - y) <= INR k * u * Rabs y -> near (S k) x y.
Proof.
intros K H; destruct (Req_dec y 0) as [->|Y].
- rewrite Rabs_R0, Rmult_0_r, Rminus_0_r in H.
  assert (x = 0) by (destruct (Req_dec x 0) as [E|E]; [exact E | pose proof (Rabs_pos_lt _ E); lra]).
  subst x; exists 1; split; [apply within_one | ring].
- exists (x / y); split; [|field; exact Y].
  apply within_near; [|exact K].
  replace (x / y - 1) with ((x - y) / y) by (field; exact Y).
  unfold Rdiv; rewrite Rabs_mult, Rabs_inv.
  pose proof (Rabs_pos_lt _ Y).
  apply Rmult_le_reg_r with (Rabs y); [assumption|].
  rewrite Rmult_assoc, Rinv_l by lra; lra.
Qed.

Lemma near_log x : double x -> 0 < x -> near 9 (log x) (ln x).
Proof.
intros D P; destruct (log_good _ D P) as [_ H]; apply near_of_err; [lia|].
replace (INR 8) with 8 by (simpl; ring); exact H.
Qed.

Lemma ln_within k r : within k r -> Rabs (ln r) <= INR k * u.
Proof.
intros H; pose proof (within_pos _ _ H) as P; destruct H as [H1 H2]; pose proof u_bounds as [U1 U2].
assert (G : ln (grown k) <= INR k * u).
{ unfold grown; rewrite ln_pow by lra; apply Rmult_le_compat_l; [apply pos_INR|].
  pose proof (exp_ineq1_le u); rewrite <- (ln_exp u) at 2; apply ln_le; lra. }
pose proof (grown_ge1 k).
apply Rabs_le; split.
- apply Rle_trans with (ln (/ grown k)); [rewrite ln_Rinv by lra; lra|].
  apply ln_le; [apply Rinv_0_lt_compat; lra | exact H1].
- apply Rle_trans with (2 := G), ln_le; assumption.
Qed.

Lemma ln_2 : / 2 <= ln 2.
Proof.
apply Rlt_le; rewrite <- (ln_exp (/ 2)); apply ln_increasing; [apply exp_pos|].
assert (H : exp (/ 2) * exp (/ 2) <= 3).
{ rewrite <- exp_plus; replace (/ 2 + / 2) with 1 by lra; exact exp_le_3. }
pose proof (exp_pos (/ 2)); nra.
Qed.

Lemma ln_count z : (2 <= z)%Z -> / 2 <= ln (IZR z).
Proof. intros H; apply Rle_trans with (1 := ln_2), ln_le; [lra | apply IZR_le; exact H]. Qed.

Lemma ln_count_ge0 z : (1 <= z)%Z -> 0 <= ln (IZR z).
Proof. intros H; rewrite <- ln_1; apply ln_le; [lra | apply IZR_le; exact H]. Qed.

(* the logarithm of a count that has been rounded to a double first *)
Lemma near_ln_rnd z : (1 <= z)%Z -> near 2 (ln (rnd (IZR z))) (ln (IZR z)).
Proof.
intros H; destruct (Z.eq_dec z 1) as [->|H1].
{ rewrite rnd_id by (change (IZR 1) with (bpow radix2 0); apply double_power; lia).
  apply near_mono with (2 := near_refl _); lia. }
destruct (Z.eq_dec z 2) as [->|H2].
{ rewrite rnd_id by (change (IZR 2) with (bpow radix2 1); apply double_power; lia).
  apply near_mono with (2 := near_refl _); lia. }
assert (Z3 : 3 <= IZR z) by (apply IZR_le; lia).
assert (L : 1 <= ln (IZR z)).
{ rewrite <- (ln_exp 1); apply ln_le; [apply exp_pos | pose proof exp_le_3; lra]. }
destruct (near_int z) as [r [Hr ->]]; pose proof (within_pos _ _ Hr).
rewrite ln_mult by lra.
apply near_of_err; [lia|].
replace (ln (IZR z) + ln r - ln (IZR z)) with (ln r) by ring.
apply Rle_trans with (1 := ln_within _ _ Hr); rewrite (Rabs_pos_eq (ln (IZR z))) by lra.
simpl INR; pose proof u_bounds; nra.
Qed.

Lemma rnd_count_pos z : (1 <= z < 2 ^ 63)%Z -> 0 < rnd (IZR z).
Proof. intros H; pose proof (rnd_count z H); lra. Qed.

Lemma near_log_count z : (1 <= z < 2 ^ 63)%Z -> near 11 (log (rnd (IZR z))) (ln (IZR z)).
Proof.
intros H; change 11%nat with (9 + 2)%nat; apply near_trans with (ln (rnd (IZR z))).
- apply near_log; [apply rnd_double | apply rnd_count_pos, H].
- apply near_ln_rnd; lia.
Qed.

Lemma log_count_double z : (1 <= z < 2 ^ 63)%Z -> double (log (rnd (IZR z))).
Proof. intros H; apply log_good; [apply rnd_double | apply rnd_count_pos, H]. Qed.

Lemma log_count_size z : (1 <= z < 2 ^ 63)%Z -> log (rnd (IZR z)) = 0 \/ / 4 <= log (rnd (IZR z)).
Proof.
intros H; pose proof (near_log_count z H) as N; pose proof (ln_count_ge0 z ltac:(lia)) as P.
destruct (Z.eq_dec z 1) as [->|H1].
- left; destruct N as [r [_ ->]]; rewrite ln_1; ring.
- right; destruct (near_half 11 _ _ ltac:(lia) N P) as [L _]; pose proof (ln_count z ltac:(lia)); lra.
Qed.

(* an error bound of k terms, as it is computed from a logarithm x whose exact value is X *)
Lemma terms_error k c x X : 1 <= c -> near 11 x X -> 0 <= X -> x = 0 \/ / 4 <= x ->
  / 2 * ((INR k + 8) * (32 * u) * (c * X)) <= rnd (per_term k * rnd (c * x)).
Proof.
intros C N X0 S; pose proof u_bounds as [U1 U2]; pose proof (pos_INR k) as K0; pose proof tiny_small as T.
assert (T2 : / IZR (2 ^ 200) <= u) by (unfold u; apply Rinv_le; simpl; lra).
pose proof (near_per_term k) as F1; set (f1 := per_term k) in *.
assert (Y1 : 8 * (32 * u) <= (INR k + 8) * (32 * u)) by (apply Rmult_le_compat_r; lra).
assert (CX : 0 <= c * X) by (apply Rmult_le_pos; lra).
assert (Z0 : 0 <= (INR k + 8) * (32 * u) * (c * X)) by (apply Rmult_le_pos; lra).
destruct (near_half 2 _ _ ltac:(lia) F1 ltac:(lra)) as [H1 _].
assert (F2 : near 12 (rnd (c * x)) (c * X)).
{ change 12%nat with (1 + (0 + 11))%nat; apply near_trans with (c * x).
  - apply near_rnd0; destruct S as [->|S]; [left; ring | right].
    assert (1 * / 4 <= c * x) by (apply Rmult_le_compat; lra); rewrite Rabs_pos_eq; lra.
  - apply near_mul; [apply near_refl | exact N]. }
destruct (near_half 12 _ _ ltac:(lia) F2 CX) as [H2 _].
assert (F : near 15 (rnd (f1 * rnd (c * x))) ((INR k + 8) * (32 * u) * (c * X))).
{ change 15%nat with (1 + (2 + 12))%nat; apply near_trans with (f1 * rnd (c * x)).
  - apply near_rnd0; destruct S as [->|S]; [left; rewrite Rmult_0_r, rnd_0; ring | right].
    destruct (near_half 11 _ _ ltac:(lia) N X0) as [_ H3].
    assert (1 * / 8 <= c * X) by (apply Rmult_le_compat; lra).
    rewrite Rabs_pos_eq by (apply Rmult_le_pos; lra).
    apply Rle_trans with ((128 * u) * / 16); [lra | apply Rmult_le_compat; lra].
  - apply near_mul; assumption. }
destruct (near_half 15 _ _ ltac:(lia) F Z0) as [H _]; exact H.
Qed.

(* c ln c *)
Definition log_term (c : Z) : R := rnd (rnd (IZR c) * log (rnd (IZR c))).
Definition c_ln_c (c : Z) : R := IZR c * ln (IZR c).

Lemma near_log_term c : (1 <= c < 2 ^ 63)%Z -> near 13 (log_term c) (c_ln_c c).
Proof.
intros H; change 13%nat with (1 + (1 + 11))%nat.
apply near_trans with (rnd (IZR c) * log (rnd (IZR c))).
- apply near_rnd0; destruct (log_count_size c H) as [->|L]; [left; ring | right].
  pose proof (rnd_count c H); pose proof tiny_count.
  assert (/ IZR (2 ^ 64) <= / 4) by (apply Rinv_le; simpl; lra).
  rewrite Rabs_pos_eq by (apply Rmult_le_pos; lra).
  apply Rle_trans with (1 * / 4); [lra | apply Rmult_le_compat; lra].
- apply near_mul; [apply near_int | apply near_log_count, H].
Qed.

Lemma c_ln_c_ge0 c : (1 <= c)%Z -> 0 <= c_ln_c c.
Proof. intros H; apply Rmult_le_pos; [apply IZR_le; lia | apply ln_count_ge0, H]. Qed.

(* ---- the counts of a class ------------------------------------------------------ *)
Definition counts (t : order Z) : Prop := each _ (fun c => (1 <= c < 2 ^ 63)%Z) t.
Definition records (t : order Z) : R := exact _ IZR t.
Definition inner (t : order Z) : R := computed _ log_term t.
(* so many values are in no memory *)
Definition few (t : order Z) : Prop := (Z.of_nat (terms _ t) <= 2 ^ 40)%Z.

Lemma counts_le n t : counts t -> records t = IZR n -> each _ (fun c => (1 <= c <= n)%Z) t.
Proof.
intros C E.
assert (G : forall s, counts s -> each _ (fun c => IZR c <= records s) s /\ 0 <= records s).
{ induction s as [c|a IHa b IHb]; unfold counts; simpl; intros K.
  - split; [apply Rle_refl | apply IZR_le; lia].
  - destruct K as [Ka Kb]; destruct (IHa Ka) as [A A0]; destruct (IHb Kb) as [B B0].
    change (records (Add a b)) with (records a + records b).
    repeat split; [revert A | revert B | lra]; apply each_impl; intros c L; simpl in L; lra. }
destruct (G t C) as [A _]; rewrite E in A; clear G E.
unfold counts in C; induction t; simpl in *; [split; [lia | apply le_IZR, A]|].
destruct C, A; auto.
Qed.

Lemma inner_near t : counts t -> near (13 + (terms _ t - 1)) (inner t) (exact _ c_ln_c t).
Proof.
intros C; apply sum_near; revert C; apply each_impl; intros c H.
- apply c_ln_c_ge0; lia.
- split; [apply rnd_double | apply near_log_term, H].
Qed.

Lemma inner_le n t : counts t -> records t = IZR n -> 0 <= exact _ c_ln_c t <= c_ln_c n.
Proof.
intros C E; split.
- apply exact_ge0; revert C; apply each_impl; intros c H; apply c_ln_c_ge0; lia.
- replace (c_ln_c n) with (exact _ (fun c => IZR c * ln (IZR n)) t)
    by (rewrite exact_scale; fold (records t); rewrite E; reflexivity).
  apply exact_le; pose proof (counts_le _ _ C E) as K; revert K; apply each_impl; intros c H; simpl.
  unfold c_ln_c; apply Rmult_le_compat_l; [apply IZR_le; lia|].
  apply ln_le; [apply IZR_lt; lia | apply IZR_le; lia].
Qed.

Lemma few_u k j : (Z.of_nat k <= 2 ^ 40)%Z -> (j <= 100)%nat -> INR (j + k) * u <= / 100.
Proof.
intros K J; pose proof u_bounds as [U1 U2].
assert (INR (j + k) <= 1100000000100).
{ rewrite INR_IZR_INZ; apply IZR_le; lia. }
pose proof (pos_INR (j + k)).
apply Rle_trans with (1100000000100 * / 1000000000000000); [apply Rmult_le_compat; lra | lra].
Qed.

Lemma near_counted k j x y : (Z.of_nat k <= 2 ^ 40)%Z -> (j <= 100)%nat -> near (j + k) x y -> 0 <= y ->
  Rabs (x - y) <= 2 * ((INR j + INR k) * u) * y /\ 0 <= x <= 2 * y.
Proof.
intros K J N P; pose proof (few_u k j K J) as F.
assert (E : err (j + k) <= 2 * (INR (j + k) * u)) by (apply err_small; lra).
pose proof (near_err _ _ _ N) as H; rewrite (Rabs_pos_eq y P) in H.
rewrite plus_INR in *.
assert (A : Rabs (x - y) <= 2 * ((INR j + INR k) * u) * y).
{ apply Rle_trans with (1 := H), Rmult_le_compat_r; [exact P | exact E]. }
split; [exact A|].
pose proof (near_ge0 _ _ _ N P); apply Rabs_le_inv in A.
assert (2 * ((INR j + INR k) * u) * y <= 1 * y) by (apply Rmult_le_compat_r; lra).
lra.
Qed.

(* ---- lattice.compiled._below ------------------------------------------------------ *)
Section Below.
Variables (t : order Z) (n num den : Z).
Hypothesis counts_t : counts t.
Hypothesis few_t : few t.
Hypothesis records_t : records t = IZR n.
Hypothesis n_fits : (1 <= n < 2 ^ 63)%Z.
Hypothesis num_fits : (1 <= num < 2 ^ 63)%Z.
Hypothesis den_fits : (1 <= den < 2 ^ 63)%Z.

Let nd := rnd (IZR n).
Let k := terms _ t.
Definition log_l : R := log (quotient num den).
Definition below_gap : R := rnd (rnd (log_term n - inner t) - rnd (nd * log_l)).
Definition below_error : R :=
  rnd (per_term k * rnd (rnd (2 * log_term n) + rnd (nd * rnd (1 + Rabs log_l)))).
(* n ln n - sum c ln c - n ln l *)
Definition above_l : R := c_ln_c n - exact _ c_ln_c t - IZR n * ln (IZR num / IZR den).

Let A := c_ln_c n.
Let B := exact _ c_ln_c t.
Let l := IZR num / IZR den.
Let lam := ln l.
Let W := IZR n * (1 + Rabs lam).

Lemma log_l_error : Rabs (log_l - lam) <= 12 * u * (1 + Rabs lam) /\ Rabs log_l <= 2 * (1 + Rabs lam) /\
  3 / 4 * (1 + Rabs lam) <= 1 + Rabs log_l /\ double log_l.
Proof.
pose proof u_bounds as [U1 U2].
assert (P : 0 < l).
{ apply Rmult_lt_0_compat; [apply IZR_lt; lia | apply Rinv_0_lt_compat, IZR_lt; lia]. }
destruct (near_quotient num den ltac:(lia) ltac:(lia)) as [r [Hr E]]; fold l in E.
pose proof (within_pos _ _ Hr) as R0.
assert (Q : 0 < quotient num den) by (rewrite E; apply Rmult_lt_0_compat; assumption).
destruct (log_good (quotient num den) (rnd_double _) Q) as [D L]; fold log_l in D, L.
pose proof (ln_within _ _ Hr) as L3; simpl INR in L3.
assert (M : ln (quotient num den) = lam + ln r) by (rewrite E, ln_mult by assumption; reflexivity).
rewrite M in L; set (e := ln r) in *.
pose proof (Rabs_triang lam e) as T; pose proof (Rabs_pos lam).
assert (X : 8 * u * Rabs (lam + e) <= 8 * u * (Rabs lam + 1)).
{ apply Rmult_le_compat_l; lra. }
assert (K : Rabs (log_l - lam) <= 12 * u * (1 + Rabs lam)).
{ replace (log_l - lam) with ((log_l - (lam + e)) + e) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _); assert (0 <= u * Rabs lam) by (apply Rmult_le_pos; lra); lra. }
assert (S : 12 * u * (1 + Rabs lam) <= / 8 * (1 + Rabs lam)) by (apply Rmult_le_compat_r; lra).
pose proof (Rabs_triang_inv lam log_l) as V; pose proof (Rabs_triang_inv log_l lam) as V'.
rewrite Rabs_minus_sym in V.
repeat split; [exact K | lra | lra | exact D].
Qed.

Lemma n_bounds : 1 <= IZR n.
Proof. apply IZR_le; lia. Qed.

Lemma below_gap_error : Rabs (below_gap - above_l) <= (INR k + 36) * u * (2 * A + W).
Proof.
pose proof u_bounds as [U1 U2]; pose proof n_bounds as N1.
destruct log_l_error as (LE & LA & _ & LD).
set (w := 1 + Rabs lam) in *; pose proof (Rabs_pos lam) as W1; assert (W2 : 1 <= w) by (unfold w; lra).
pose proof (inner_le n t counts_t records_t) as [B0 B1]; fold A B in B0, B1.
destruct (near_counted 0 13 _ _ ltac:(lia) ltac:(lia) (near_mono 13 (13 + 0) _ _ ltac:(lia) (near_log_term n n_fits)))
  as [AE AB]; [fold A; lra|].
fold A in AE, AB; set (a := log_term n) in *.
destruct (near_counted k 13 _ _ few_t ltac:(lia)
  (near_mono (13 + (terms _ t - 1)) (13 + k) _ _ ltac:(unfold k; lia) (inner_near t counts_t))) as [BE BB]; [exact B0|].
fold B in BE, BB; set (b := inner t) in *.
simpl INR in AE; replace (INR 13) with 13 in BE by (rewrite INR_IZR_INZ; reflexivity).
pose proof (pos_INR k) as K0.
(* n * log_l *)
destruct (near_bounds _ _ _ (near_int n) ltac:(lra)) as [N2 N3]; fold nd in N2, N3.
assert (NE : Rabs (nd - IZR n) <= 2 * u * IZR n).
{ pose proof (near_err _ _ _ (near_int n)) as H; fold nd in H.
  rewrite (Rabs_pos_eq (IZR n)) in H by lra.
  pose proof (err_few 1 ltac:(lia)) as F; simpl INR in F.
  apply Rle_trans with (1 := H), Rmult_le_compat_r; lra. }
assert (ND : 0 <= nd <= 2 * IZR n).
{ apply Rabs_le_inv in NE; assert (2 * u * IZR n <= / 2 * IZR n) by (apply Rmult_le_compat_r; lra); lra. }
set (d := rnd (nd * log_l)).
assert (NW : 0 <= IZR n * w) by (apply Rmult_le_pos; lra).
assert (P1 : Rabs (nd * log_l) <= 4 * (IZR n * w)).
{ rewrite Rabs_mult, (Rabs_pos_eq nd) by lra.
  replace (4 * (IZR n * w)) with ((2 * IZR n) * (2 * w)) by ring.
  apply Rmult_le_compat; [lra | apply Rabs_pos | lra | exact LA]. }
assert (P2 : Rabs (nd * log_l - IZR n * lam) <= 16 * u * (IZR n * w)).
{ replace (nd * log_l - IZR n * lam) with ((nd - IZR n) * log_l + IZR n * (log_l - lam)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _); rewrite !Rabs_mult, (Rabs_pos_eq (IZR n)) by lra.
  assert (Rabs (nd - IZR n) * Rabs log_l <= (2 * u * IZR n) * (2 * w)).
  { apply Rmult_le_compat; [apply Rabs_pos | apply Rabs_pos | exact NE | exact LA]. }
  assert (IZR n * Rabs (log_l - lam) <= IZR n * (12 * u * w)) by (apply Rmult_le_compat_l; lra).
  lra. }
assert (NW1 : 1 <= IZR n * w) by (rewrite <- (Rmult_1_l 1); apply Rmult_le_compat; lra).
assert (P3 : Rabs (d - nd * log_l) <= 5 * u * (IZR n * w)).
{ pose proof (rnd_error (nd * log_l)) as H; fold d in H; pose proof least_u.
  assert (u * Rabs (nd * log_l) <= u * (4 * (IZR n * w))) by (apply Rmult_le_compat_l; lra).
  assert (u * 1 <= u * (IZR n * w)) by (apply Rmult_le_compat_l; lra). lra. }
assert (P4 : Rabs (d - IZR n * lam) <= 21 * u * (IZR n * w)).
{ replace (d - IZR n * lam) with ((d - nd * log_l) + (nd * log_l - IZR n * lam)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _); lra. }
assert (P5 : Rabs d <= 5 * (IZR n * w)).
{ replace d with ((d - nd * log_l) + nd * log_l) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _).
  assert (5 * u * (IZR n * w) <= 1 * (IZR n * w)) by (apply Rmult_le_compat_r; lra). lra. }
(* the two subtractions *)
assert (Da : double a) by apply rnd_double.
assert (Db : double b) by (unfold b, inner; destruct t; simpl; apply rnd_double).
destruct (near_sub a b Da Db) as [r1 [Hr1 E1]].
destruct (near_sub (rnd (a - b)) d (rnd_double _) (rnd_double _)) as [r2 [Hr2 E2]].
assert (R2 : Rabs (r2 - 1) <= 2 * u).
{ pose proof (err_few 1 ltac:(lia)) as F; simpl INR in F; pose proof (within_err _ _ Hr2); lra. }
assert (R12 : Rabs (r1 * r2 - 1) <= 4 * u).
{ pose proof (err_few 2 ltac:(lia)) as F; simpl INR in F; pose proof (within_err _ _ (within_mul _ _ _ _ Hr1 Hr2)) as H.
  simpl plus in H; lra. }
assert (AB2 : Rabs (a - b) <= 4 * A) by (apply Rabs_le; lra).
change below_gap with (rnd (rnd (a - b) - d)); rewrite E2, E1.
replace ((((a - b) * r1) - d) * r2 - above_l) with
  ((a - b) * (r1 * r2 - 1) + (a - A) - (b - B) - d * (r2 - 1) - (d - IZR n * lam))
  by (unfold above_l; fold A B l lam; ring).
assert (T1 : Rabs ((a - b) * (r1 * r2 - 1)) <= 16 * u * A).
{ rewrite Rabs_mult; replace (16 * u * A) with ((4 * A) * (4 * u)) by ring.
  apply Rmult_le_compat; auto using Rabs_pos. }
assert (T2 : Rabs (d * (r2 - 1)) <= 10 * u * (IZR n * w)).
{ rewrite Rabs_mult; replace (10 * u * (IZR n * w)) with ((5 * (IZR n * w)) * (2 * u)) by ring.
  apply Rmult_le_compat; auto using Rabs_pos. }
assert (T3 : 2 * ((13 + INR k) * u) * B <= 2 * ((13 + INR k) * u) * A).
{ apply Rmult_le_compat_l; [|lra]. apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]. }
assert (KW : 0 <= INR k * u * (IZR n * w)) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra | lra]).
assert (UA : 0 <= u * A) by (apply Rmult_le_pos; lra).
assert (UW : 0 <= u * (IZR n * w)) by (apply Rmult_le_pos; lra).
apply Rabs_le_inv in AE; apply Rabs_le_inv in BE; apply Rabs_le_inv in P4.
apply Rabs_le_inv in T1; apply Rabs_le_inv in T2.
change W with (IZR n * w).
apply Rabs_le; split; lra.
Qed.

Lemma below_error_size : (INR k + 36) * u * (2 * A + W) <= below_error.
Proof.
pose proof u_bounds as [U1 U2]; pose proof n_bounds as N1.
destruct log_l_error as (_ & _ & LW & LD).
pose proof (inner_le n t counts_t records_t) as [B0 B1]; fold A B in B0, B1.
assert (A0 : 0 <= A) by lra.
pose proof (pos_INR k) as K0; pose proof (Rabs_pos log_l) as L0; pose proof (Rabs_pos lam) as L1.
pose proof tiny_small as T; assert (T1 : / IZR (2 ^ 200) <= u).
{ unfold u; apply Rinv_le; simpl; lra. }
pose proof (near_per_term k) as F1; set (f1 := per_term k) in *.
(* 2 n ln n + n (1 + |ln l|) *)
assert (D1 : double 1) by (change 1 with (bpow radix2 0); apply double_power; lia).
assert (Y1 : near 14 (rnd (2 * log_term n)) (2 * A)).
{ change 14%nat with (1 + (0 + 13))%nat; apply near_trans with (2 * log_term n).
  - pose proof (near_half 13 _ _ ltac:(lia) (near_log_term n n_fits) A0) as [H _]; fold A in H.
    apply near_rnd0; destruct (Z.eq_dec n 1) as [E|E].
    + left; destruct (near_log_term n n_fits) as [r [_ ->]]; unfold c_ln_c; rewrite E, ln_1; ring.
    + right; pose proof (ln_count n ltac:(lia)); assert (/ 2 <= A).
      { unfold A, c_ln_c; rewrite <- (Rmult_1_l (/ 2)); apply Rmult_le_compat; lra. }
      rewrite Rabs_pos_eq; lra.
  - apply near_mul; [apply near_refl | apply near_log_term, n_fits]. }
assert (Y2 : near 3 (rnd (nd * rnd (1 + Rabs log_l))) (IZR n * (1 + Rabs log_l))).
{ assert (Q : near 1 (rnd (1 + Rabs log_l)) (1 + Rabs log_l)).
  { apply near_add; [exact D1|]. apply generic_format_abs, LD. }
  change 3%nat with (1 + (1 + 1))%nat; apply near_trans with (nd * rnd (1 + Rabs log_l)).
  - pose proof (rnd_count n n_fits) as [H _]; fold nd in H.
    destruct (near_half 1 _ _ ltac:(lia) Q ltac:(lra)) as [H1 _].
    apply near_rnd; rewrite Rabs_pos_eq by (apply Rmult_le_pos; lra).
    apply Rle_trans with (1 * / 2); [lra | apply Rmult_le_compat; lra].
  - apply near_mul; [apply near_int | exact Q]. }
set (y := 2 * A + IZR n * (1 + Rabs log_l)).
assert (NL : 1 <= IZR n * (1 + Rabs log_l)) by (rewrite <- (Rmult_1_l 1); apply Rmult_le_compat; lra).
set (f2 := rnd (rnd (2 * log_term n) + rnd (nd * rnd (1 + Rabs log_l)))).
assert (F2 : near 15 f2 y).
{ change 15%nat with (1 + 14)%nat; eapply near_trans; [apply near_add; apply rnd_double|].
  apply near_sum; [exact Y1 | apply near_mono with (2 := Y2); lia | lra | lra]. }
assert (Y0 : 1 <= y) by (unfold y; lra).
assert (X0 : 0 <= (INR k + 8) * (32 * u)) by (apply Rmult_le_pos; lra).
assert (F : near 18 below_error ((INR k + 8) * (32 * u) * y)).
{ change 18%nat with (1 + (2 + 15))%nat; apply near_trans with (f1 * f2).
  - destruct (near_half 2 _ _ ltac:(lia) F1 X0) as [H1 _]; destruct (near_half 15 _ _ ltac:(lia) F2 ltac:(lra)) as [H2 _].
    assert (8 * (32 * u) <= (INR k + 8) * (32 * u)) by (apply Rmult_le_compat_r; lra).
    apply near_rnd; rewrite Rabs_pos_eq by (apply Rmult_le_pos; lra).
    apply Rle_trans with ((128 * u) * / 2); [lra | apply Rmult_le_compat; lra].
  - apply near_mul; assumption. }
assert (Z0 : 0 <= (INR k + 8) * (32 * u) * y) by (apply Rmult_le_pos; lra).
destruct (near_half 18 _ _ ltac:(lia) F Z0) as [H _].
assert (YS : 3 / 4 * (2 * A + W) <= y).
{ unfold y, W; assert (IZR n * (3 / 4 * (1 + Rabs lam)) <= IZR n * (1 + Rabs log_l)) by (apply Rmult_le_compat_l; lra).
  lra. }
assert (W0 : 0 <= W) by (apply Rmult_le_pos; lra).
apply Rle_trans with (2 := H).
apply Rle_trans with (/ 2 * ((INR k + 8) * (32 * u) * (3 / 4 * (2 * A + W)))).
- set (s := 2 * A + W) in *; assert (0 <= u * s) by (apply Rmult_le_pos; unfold s; lra).
  assert (0 <= INR k * (u * s)) by (apply Rmult_le_pos; lra). lra.
- apply Rmult_le_compat_l; [lra | apply Rmult_le_compat_l; lra].
Qed.

(* what the two doubles say of n ln n - sum c ln c - n ln l is true *)
Theorem below_decides :
  (below_error < below_gap -> 0 < above_l) /\ (below_gap < - below_error -> above_l < 0).
Proof.
pose proof below_gap_error as G; pose proof below_error_size as E; apply Rabs_le_inv in G; split; lra.
Qed.
End Below.

(* ---- models.l_diversity.entropies -------------------------------------------------- *)
Section Entropies.
Variables (t : order Z) (n : Z).
Hypothesis counts_t : counts t.
Hypothesis few_t : few t.
Hypothesis records_t : records t = IZR n.
Hypothesis n_fits : (1 <= n < 2 ^ 63)%Z.

Let k := terms _ t.
Definition entropy_double : R := rnd (log (rnd (IZR n)) - rnd (inner t / rnd (IZR n))).
Definition entropy_error : R :=
  rnd (per_term k * rnd (2 * log (rnd (IZR n)))).
Definition entropy : R := ln (IZR n) - exact _ c_ln_c t / IZR n.

Theorem entropies_within : Rabs (entropy_double - entropy) <= entropy_error.
Proof.
pose proof u_bounds as [U1 U2].
assert (N1 : 1 <= IZR n) by (apply IZR_le; lia).
pose proof (inner_le n t counts_t records_t) as [B0 B1].
assert (B2 : exact _ c_ln_c t / IZR n <= ln (IZR n)).
{ apply Rmult_le_reg_r with (IZR n); [lra|].
  unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; unfold c_ln_c in B1 at 2; lra. }
assert (B3 : 0 <= exact _ c_ln_c t / IZR n) by (apply Rmult_le_pos; [exact B0 | apply Rlt_le, Rinv_0_lt_compat; lra]).
set (A := ln (IZR n)) in *; set (B := exact _ c_ln_c t / IZR n) in *.
pose proof (pos_INR k) as K0.
assert (A0 : 0 <= A) by lra.
pose proof (near_log_count n n_fits) as NA; fold A in NA; set (a := log (rnd (IZR n))) in *.
assert (NB : near (15 + k) (rnd (inner t / rnd (IZR n))) B).
{ apply near_mono with (1 + ((13 + (terms _ t - 1)) + 1))%nat; [pose proof (terms_pos _ t); unfold k; lia|].
  apply near_trans with (inner t / rnd (IZR n)); [|apply near_div; [apply inner_near, counts_t | apply near_int]].
  apply near_rnd0.
  destruct (Rle_lt_or_eq_dec _ _ B0) as [P|P].
  - right; assert (I : / 4 <= inner t).
    { assert (E : forall s, counts s -> exact _ c_ln_c s = 0 \/ / 2 <= exact _ c_ln_c s).
      { induction s as [c|x IHx y IHy]; unfold counts; simpl; intros C.
        - destruct (Z.eq_dec c 1) as [->|H]; [left; unfold c_ln_c; rewrite ln_1; ring | right].
          pose proof (ln_count c ltac:(lia)); assert (1 <= IZR c) by (apply IZR_le; lia).
          unfold c_ln_c; rewrite <- (Rmult_1_l (/ 2)); apply Rmult_le_compat; lra.
        - destruct C as [Cx Cy].
          assert (forall z, counts z -> 0 <= exact _ c_ln_c z) as G0.
          { intros z Hz; apply exact_ge0; revert Hz; apply each_impl; intros c H; apply c_ln_c_ge0; lia. }
          pose proof (G0 _ Cx); pose proof (G0 _ Cy).
          destruct (IHx Cx), (IHy Cy); [left | right | right | right]; lra. }
      destruct (E t counts_t) as [H|H]; [lra|].
      destruct (near_counted k 13 _ _ few_t ltac:(lia)
        (near_mono (13 + (terms _ t - 1)) (13 + k) _ _ ltac:(unfold k; lia) (inner_near t counts_t)) B0) as [H1 _].
      pose proof (few_u k 13 few_t ltac:(lia)) as F; rewrite plus_INR in F.
      assert (2 * ((INR 13 + INR k) * u) * exact _ c_ln_c t <= / 2 * exact _ c_ln_c t) by (apply Rmult_le_compat_r; lra).
      apply Rabs_le_inv in H1; lra. }
    pose proof (rnd_count n n_fits) as [R1 R2].
    assert (/ IZR (2 ^ 63) <= / rnd (IZR n)) by (apply Rinv_le; lra).
    assert (I0 : 0 < / IZR (2 ^ 63)) by (apply Rinv_0_lt_compat; simpl; lra).
    assert (Q : / 4 * / IZR (2 ^ 63) <= inner t / rnd (IZR n)) by (apply Rmult_le_compat; lra).
    rewrite Rabs_pos_eq by lra.
    apply Rle_trans with (1 := tiny_small), Rle_trans with (2 := Q).
    rewrite <- Rinv_mult; apply Rinv_le; simpl; lra.
  - left; destruct (inner_near t counts_t) as [r [_ ->]]; rewrite <- P; unfold Rdiv; ring. }
set (b := rnd (inner t / rnd (IZR n))) in *.
destruct (near_counted 0 11 _ _ ltac:(lia) ltac:(lia) (near_mono 11 (11 + 0) _ _ ltac:(lia) NA) A0) as [AE AB].
destruct (near_counted k 15 _ _ few_t ltac:(lia) NB B3) as [BE BB].
replace (INR 11) with 11 in AE by (rewrite INR_IZR_INZ; reflexivity); simpl INR in AE.
replace (INR 15) with 15 in BE by (rewrite INR_IZR_INZ; reflexivity).
destruct (near_sub a b (log_count_double n n_fits) (rnd_double _)) as [r [Hr E]].
assert (R1 : Rabs (r - 1) <= 2 * u).
{ pose proof (err_few 1 ltac:(lia)) as F; simpl INR in F; pose proof (within_err _ _ Hr); lra. }
assert (T1 : Rabs ((a - b) * (r - 1)) <= 8 * u * A).
{ rewrite Rabs_mult; replace (8 * u * A) with ((4 * A) * (2 * u)) by ring.
  apply Rmult_le_compat; [apply Rabs_pos | apply Rabs_pos | apply Rabs_le; lra | exact R1]. }
assert (G : Rabs (entropy_double - entropy) <= (2 * INR k + 60) * u * A).
{ unfold entropy_double, entropy; fold a b; rewrite E; fold A; fold B.
  replace ((a - b) * r - (A - B)) with ((a - b) * (r - 1) + (a - A) - (b - B)) by ring.
  assert (T3 : 2 * ((15 + INR k) * u) * B <= 2 * ((15 + INR k) * u) * A).
  { apply Rmult_le_compat_l; [|lra]. apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]. }
  assert (0 <= u * A) by (apply Rmult_le_pos; lra).
  apply Rabs_le_inv in AE; apply Rabs_le_inv in BE; apply Rabs_le_inv in T1.
  apply Rabs_le; split; lra. }
apply Rle_trans with (1 := G).
(* the bound itself, as it is computed *)
pose proof (terms_error k 2 a A ltac:(lra) NA A0 (log_count_size n n_fits)) as H.
apply Rle_trans with (2 := H).
assert (0 <= u * A) by (apply Rmult_le_pos; lra).
assert (0 <= INR k * (u * A)) by (apply Rmult_le_pos; lra).
lra.
Qed.
End Entropies.

(* ---- measures.kullback_leibler.KullbackLeibler.per_class ------------------------------ *)
Section KullbackLeibler.
Variables (t : order (Z * Z)) (n N M : Z).
(* of each value of the class its count there and in the reference *)
Hypothesis cells : each _ (fun cC => (1 <= fst cC <= n)%Z /\ (1 <= snd cC <= N)%Z) t.
Hypothesis few_cells : (Z.of_nat (terms _ t) <= 2 ^ 40)%Z.
Hypothesis of_class : exact _ (fun cC => IZR (fst cC)) t = IZR n.
Hypothesis n_fits : (1 <= n <= M)%Z.
Hypothesis N_fits : (1 <= N <= M)%Z.
(* M is the larger of the two totals; two single records are equal, and every logarithm is 0 *)
Hypothesis M_fits : (2 <= M < 2 ^ 63)%Z.

Let k := terms _ t.
Let lg (z : Z) := log (rnd (IZR z)).
Definition kl_logs (cC : Z * Z) : R := rnd (rnd (rnd (lg (fst cC) + lg N) - lg (snd cC)) - lg n).
Definition kl_term (cC : Z * Z) : R := rnd (rnd (IZR (fst cC)) * kl_logs cC).
Definition kl_double : R := rnd (computed _ kl_term t / rnd (IZR n)).
Definition kl_error : R := rnd (per_term k * rnd (4 * lg M)).
Definition kl_log (cC : Z * Z) : R := ln (IZR (fst cC)) + ln (IZR N) - ln (IZR (snd cC)) - ln (IZR n).
Definition kl : R := exact _ (fun cC => IZR (fst cC) * kl_log cC) t / IZR n.

Lemma ln_le_M z : (1 <= z <= M)%Z -> 0 <= ln (IZR z) <= ln (IZR M).
Proof.
intros H; split; [apply ln_count_ge0; lia | apply ln_le; [apply IZR_lt; lia | apply IZR_le; lia]].
Qed.

Lemma near_factor j x y r i : (j + i <= 14)%nat -> near j x y -> within i r -> 0 <= y <= ln (IZR M) ->
  Rabs (x * r - y) <= 28 * u * ln (IZR M).
Proof.
intros J H Hr P.
assert (Q : near 14 (x * r) (y * 1)).
{ apply near_mono with (j + i)%nat; [exact J|]; apply near_mul; [exact H|].
  exists r; split; [exact Hr | ring]. }
rewrite Rmult_1_r in Q; pose proof (near_err _ _ _ Q) as E.
pose proof (err_few 14 ltac:(lia)) as F; replace (INR 14) with 14 in F by (rewrite INR_IZR_INZ; reflexivity).
rewrite (Rabs_pos_eq y) in E by lra; pose proof (err_ge0 14); pose proof u_bounds as [U1 U2].
apply Rle_trans with (1 := E); apply Rmult_le_compat; lra.
Qed.

Lemma kl_logs_error cC : (1 <= fst cC <= n)%Z -> (1 <= snd cC <= N)%Z ->
  Rabs (kl_logs cC - kl_log cC) <= 112 * u * ln (IZR M) /\ Rabs (kl_log cC) <= 2 * ln (IZR M).
Proof.
intros Hc HC; destruct cC as [c C]; simpl in *.
assert (D : forall z, (1 <= z <= M)%Z -> double (lg z)) by (intros z H; apply log_count_double; lia).
assert (L : forall z, (1 <= z <= M)%Z -> near 11 (lg z) (ln (IZR z))) by (intros z H; apply near_log_count; lia).
unfold kl_logs, kl_log; simpl.
destruct (near_add (lg c) (lg N) (D c ltac:(lia)) (D N ltac:(lia))) as [r1 [H1 E1]].
destruct (near_sub (rnd (lg c + lg N)) (lg C) (rnd_double _) (D C ltac:(lia))) as [r2 [H2 E2]].
destruct (near_sub (rnd (rnd (lg c + lg N) - lg C)) (lg n) (rnd_double _) (D n ltac:(lia))) as [r3 [H3 E3]].
rewrite E3, E2, E1.
pose proof (within_mul _ _ _ _ H1 (within_mul _ _ _ _ H2 H3)) as H123.
pose proof (within_mul _ _ _ _ H2 H3) as H23.
pose proof (near_factor 11 _ _ _ 3 ltac:(lia) (L c ltac:(lia)) H123 (ln_le_M c ltac:(lia))) as F1.
pose proof (near_factor 11 _ _ _ 3 ltac:(lia) (L N ltac:(lia)) H123 (ln_le_M N ltac:(lia))) as F2.
pose proof (near_factor 11 _ _ _ 2 ltac:(lia) (L C ltac:(lia)) H23 (ln_le_M C ltac:(lia))) as F3.
pose proof (near_factor 11 _ _ _ 1 ltac:(lia) (L n ltac:(lia)) H3 (ln_le_M n ltac:(lia))) as F4.
pose proof (ln_le_M c ltac:(lia)); pose proof (ln_le_M N ltac:(lia)).
pose proof (ln_le_M C ltac:(lia)); pose proof (ln_le_M n ltac:(lia)).
apply Rabs_le_inv in F1; apply Rabs_le_inv in F2; apply Rabs_le_inv in F3; apply Rabs_le_inv in F4.
split; apply Rabs_le; [|lra].
replace (((lg c + lg N) * r1 - lg C) * r2 * 1) with (((lg c + lg N) * r1 - lg C) * r2) by ring.
replace ((((lg c + lg N) * r1 - lg C) * r2 - lg n) * r3) with
  (lg c * (r1 * (r2 * r3)) + lg N * (r1 * (r2 * r3)) - lg C * (r2 * r3) - lg n * r3) by ring.
split; lra.
Qed.

Lemma kl_term_error cC : (1 <= fst cC <= n)%Z -> (1 <= snd cC <= N)%Z ->
  Rabs (kl_term cC - IZR (fst cC) * kl_log cC) <= IZR (fst cC) * (130 * u * ln (IZR M)) /\
  Rabs (kl_term cC) <= IZR (fst cC) * (3 * ln (IZR M)).
Proof.
intros Hc HC; destruct (kl_logs_error cC Hc HC) as [E P].
pose proof u_bounds as [U1 U2]; pose proof (ln_count M ltac:(lia)) as L2; set (L := ln (IZR M)) in *.
set (c := IZR (fst cC)) in *; assert (C1 : 1 <= c) by (apply IZR_le; lia).
set (x := kl_logs cC) in *; set (y := kl_log cC) in *.
assert (X : Rabs x <= 9 / 4 * L).
{ replace x with ((x - y) + y) by ring; apply Rle_trans with (1 := Rabs_triang _ _).
  assert (112 * u * L <= / 4 * L) by (apply Rmult_le_compat_r; lra); lra. }
assert (N1 : Rabs (rnd c - c) <= 2 * u * c).
{ pose proof (near_err _ _ _ (near_int (fst cC))) as H; fold c in H.
  rewrite (Rabs_pos_eq c) in H by lra.
  pose proof (err_few 1 ltac:(lia)) as F; simpl INR in F.
  apply Rle_trans with (1 := H), Rmult_le_compat_r; lra. }
assert (CL : / 2 <= c * L) by (rewrite <- (Rmult_1_l (/ 2)); apply Rmult_le_compat; lra).
assert (UC : 0 <= u * (c * L)) by (apply Rmult_le_pos; lra).
assert (UU : u * (u * (c * L)) <= / 1000 * (u * (c * L))) by (apply Rmult_le_compat_r; lra).
assert (P1 : Rabs (rnd c * x - c * y) <= 117 * u * (c * L)).
{ replace (rnd c * x - c * y) with ((rnd c - c) * x + c * (x - y)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _); rewrite !Rabs_mult, (Rabs_pos_eq c) by lra.
  assert (Rabs (rnd c - c) * Rabs x <= (2 * u * c) * (9 / 4 * L)) by (apply Rmult_le_compat; auto using Rabs_pos).
  assert (c * Rabs (x - y) <= c * (112 * u * L)) by (apply Rmult_le_compat_l; lra).
  lra. }
assert (P2 : Rabs (c * y) <= 2 * (c * L)).
{ rewrite Rabs_mult, (Rabs_pos_eq c) by lra.
  assert (c * Rabs y <= c * (2 * L)) by (apply Rmult_le_compat_l; lra). lra. }
assert (P3 : Rabs (rnd c * x) <= 5 / 2 * (c * L)).
{ replace (rnd c * x) with ((rnd c * x - c * y) + c * y) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _).
  assert (117 * u * (c * L) <= / 2 * (c * L)) by (apply Rmult_le_compat_r; lra); lra. }
pose proof (rnd_error (rnd c * x)) as R1; pose proof least_u as LU.
assert (R2 : u * Rabs (rnd c * x) <= u * (5 / 2 * (c * L))) by (apply Rmult_le_compat_l; lra).
assert (R3 : u * / 2 <= u * (c * L)) by (apply Rmult_le_compat_l; lra).
change (kl_term cC) with (rnd (rnd c * x)).
assert (Q : Rabs (rnd (rnd c * x) - c * y) <= 130 * u * (c * L)).
{ replace (rnd (rnd c * x) - c * y) with ((rnd (rnd c * x) - rnd c * x) + (rnd c * x - c * y)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _); lra. }
split.
- replace (c * (130 * u * L)) with (130 * u * (c * L)) by ring; exact Q.
- replace (rnd (rnd c * x)) with ((rnd (rnd c * x) - c * y) + c * y) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _).
  assert (130 * u * (c * L) <= 1 * (c * L)) by (apply Rmult_le_compat_r; lra); lra.
Qed.

Theorem kl_within : Rabs (kl_double - kl) <= kl_error.
Proof.
pose proof u_bounds as [U1 U2]; pose proof (ln_count M ltac:(lia)) as L2.
pose proof (pos_INR k) as K0; set (L := ln (IZR M)) in *.
assert (N1 : 1 <= IZR n) by (apply IZR_le; lia).
set (g := fun cC : Z * Z => IZR (fst cC) * kl_log cC).
set (S := computed _ kl_term t).
assert (A1 : exact _ (fun cC => Rabs (kl_term cC)) t <= IZR n * (3 * L)).
{ rewrite <- of_class, <- exact_scale; apply exact_le; revert cells; apply each_impl.
  intros cC [H1 H2]; apply (kl_term_error cC H1 H2). }
assert (A2 : Rabs (S - exact _ kl_term t) <= err (terms _ t - 1) * (IZR n * (3 * L))).
{ apply Rle_trans with (err (0 + (terms _ t - 1)) * exact _ (fun cC => Rabs (kl_term cC)) t).
  - apply sum_err; revert cells; apply each_impl; intros cC _; split; [apply rnd_double | apply near_refl].
  - simpl plus; apply Rmult_le_compat_l; [apply err_ge0 | exact A1]. }
assert (A3 : Rabs (exact _ kl_term t - exact _ g t) <= IZR n * (130 * u * L)).
{ rewrite <- of_class, <- exact_scale; apply exact_close.
  revert cells; apply each_impl; intros cC [H1 H2]; apply (kl_term_error cC H1 H2). }
assert (NL : 0 <= IZR n * L) by (apply Rmult_le_pos; lra).
assert (E : err (terms _ t - 1) <= 2 * (INR k * u)).
{ apply Rle_trans with (err k); [apply err_mono; unfold k; lia|].
  apply err_small; pose proof (few_u k 0 few_cells ltac:(lia)); simpl plus in *; lra. }
assert (B1 : Rabs (S - exact _ g t) <= (6 * INR k + 130) * u * (IZR n * L)).
{ replace (S - exact _ g t) with ((S - exact _ kl_term t) + (exact _ kl_term t - exact _ g t)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _).
  assert (err (terms _ t - 1) * (IZR n * (3 * L)) <= 2 * (INR k * u) * (IZR n * (3 * L))).
  { apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | exact E]. }
  lra. }
assert (KU : INR k * u <= / 100) by (pose proof (few_u k 0 few_cells ltac:(lia)); simpl plus in *; lra).
assert (KU0 : 0 <= INR k * u) by (apply Rmult_le_pos; lra).
assert (B0 : Rabs (exact _ g t) <= 2 * (IZR n * L)).
{ apply Rle_trans with (exact _ (fun cC => Rabs (g cC)) t).
  - apply exact_abs.
  - replace (2 * (IZR n * L)) with (IZR n * (2 * L)) by ring; rewrite <- of_class, <- exact_scale.
    apply exact_le; revert cells; apply each_impl; intros cC [H1 H2]; unfold g.
    rewrite Rabs_mult, (Rabs_pos_eq (IZR (fst cC))) by (apply IZR_le; lia).
    apply Rmult_le_compat_l; [apply IZR_le; lia | apply (kl_logs_error cC H1 H2)]. }
assert (B2 : Rabs S <= 3 * (IZR n * L)).
{ replace S with ((S - exact _ g t) + exact _ g t) by ring; apply Rle_trans with (1 := Rabs_triang _ _).
  assert ((6 * INR k + 130) * u * (IZR n * L) <= 1 * (IZR n * L)) by (apply Rmult_le_compat_r; lra). lra. }
(* the division by n *)
destruct (near_inv _ _ _ (near_int n)) as [r [Hr Er]].
assert (R1 : Rabs (r - 1) <= 2 * u).
{ pose proof (err_few 1 ltac:(lia)) as F; simpl INR in F; pose proof (within_err _ _ Hr); lra. }
assert (I : 0 < / IZR n) by (apply Rinv_0_lt_compat; lra).
set (q := S / rnd (IZR n)).
assert (Q1 : Rabs (q - kl) <= (6 * INR k + 137) * u * L).
{ unfold q, kl, Rdiv; fold g; rewrite Er.
  replace (S * (/ IZR n * r) - exact _ g t * / IZR n) with ((S * (r - 1) + (S - exact _ g t)) * / IZR n) by ring.
  rewrite Rabs_mult, (Rabs_pos_eq (/ IZR n)) by lra.
  apply Rmult_le_reg_r with (IZR n); [lra|]; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rle_trans with (1 := Rabs_triang _ _); rewrite Rabs_mult.
  assert (Rabs S * Rabs (r - 1) <= (3 * (IZR n * L)) * (2 * u)) by (apply Rmult_le_compat; auto using Rabs_pos).
  assert (0 <= u * (IZR n * L)) by (apply Rmult_le_pos; lra).
  lra. }
assert (Q2 : Rabs q <= 4 * L).
{ assert (K1 : Rabs kl <= 2 * L).
  { unfold kl, Rdiv; fold g; rewrite Rabs_mult, (Rabs_pos_eq (/ IZR n)) by lra.
    apply Rmult_le_reg_r with (IZR n); [lra|]; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. lra. }
  replace q with ((q - kl) + kl) by ring; apply Rle_trans with (1 := Rabs_triang _ _).
  assert ((6 * INR k + 137) * u * L <= 1 * L) by (apply Rmult_le_compat_r; lra). lra. }
pose proof (rnd_error q) as R2; pose proof least_u as LU.
assert (R3 : u * Rabs q <= u * (4 * L)) by (apply Rmult_le_compat_l; lra).
assert (R4 : u * / 2 <= u * L) by (apply Rmult_le_compat_l; lra).
assert (G : Rabs (kl_double - kl) <= (6 * INR k + 142) * u * L).
{ change kl_double with (rnd q); replace (rnd q - kl) with ((rnd q - q) + (q - kl)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _); lra. }
apply Rle_trans with (1 := G).
pose proof (terms_error k 4 (lg M) L ltac:(lra) (near_log_count M ltac:(lia)) ltac:(lra) (log_count_size M ltac:(lia))) as H.
apply Rle_trans with (2 := H).
assert (0 <= u * L) by (apply Rmult_le_pos; lra).
assert (0 <= INR k * (u * L)) by (apply Rmult_le_pos; lra).
lra.
Qed.
End KullbackLeibler.

(* ---- models.delta_disclosure.log_ratios: of a ratio that a double holds ------------------ *)
Section LogRatio.
Variables (q r : R).
Hypothesis q_double : double q.
Hypothesis q_near : near 3 q r.
Hypothesis r_ge1 : 1 <= r.

Definition log_ratio_error : R := rnd (rnd (log q + 1) * (32 * u)).
Definition log2_double : R := rnd (log q / log 2).

Lemma log_q : Rabs (log q - ln r) <= 8 * u * ln r + 4 * u /\ double (log q) /\ 0 <= ln r.
Proof.
pose proof u_bounds as [U1 U2].
assert (L0 : 0 <= ln r) by (rewrite <- ln_1; apply ln_le; lra).
destruct q_near as [s [Hs E]]; pose proof (within_pos _ _ Hs).
assert (Q : 0 < q) by (rewrite E; apply Rmult_lt_0_compat; lra).
destruct (log_good q q_double Q) as [D H1]; pose proof (ln_within _ _ Hs) as L3; simpl INR in L3.
rewrite E in H1 at 2 3; rewrite ln_mult in H1 by lra; set (e := ln s) in *.
pose proof (Rabs_triang (ln r) e) as T; rewrite (Rabs_pos_eq (ln r)) in T by exact L0.
assert (8 * u * Rabs (ln r + e) <= 8 * u * (ln r + 3 * u)) by (apply Rmult_le_compat_l; lra).
assert (8 * u * (3 * u) <= / 1000 * u) by nra.
apply Rabs_le_inv in H1; apply Rabs_le_inv in L3.
repeat split; [apply Rabs_le; lra | exact D | exact L0].
Qed.

Lemma log_ratio_error_size : 31 * u * (1 + ln r) <= log_ratio_error.
Proof.
destruct log_q as (H & D & L0); pose proof u_bounds as [U1 U2]; apply Rabs_le_inv in H.
assert (UL : 0 <= u * ln r) by (apply Rmult_le_pos; lra).
assert (UL1 : u * ln r <= / 100000 * ln r) by (apply Rmult_le_compat_r; lra).
assert (D1 : double 1) by (change 1 with (bpow radix2 0); apply double_power; lia).
pose proof (near_add (log q) 1 D D1) as N1.
pose proof (near_bounds _ _ _ N1 ltac:(lra)) as [B1 _].
pose proof (grown_few 1 1 (le_n _) ltac:(lia)) as G1; simpl INR in G1; pose proof (grown_ge1 1).
assert (I1 : 1 - 2 * u <= / grown 1).
{ apply Rmult_le_reg_r with (grown 1); [lra|]; rewrite Rinv_l by lra; nra. }
set (x := rnd (log q + 1)) in *.
assert (X : (1 - / 500) * (1 + ln r) <= x).
{ apply Rle_trans with (2 := B1); apply Rle_trans with ((log q + 1) * (1 - 2 * u)).
  - assert (u * (log q + 1) <= / 4000 * (log q + 1)) by (apply Rmult_le_compat_r; lra). lra.
  - apply Rmult_le_compat_l; lra. }
pose proof tiny_small as T; assert (T2 : / IZR (2 ^ 200) <= u) by (unfold u; apply Rinv_le; simpl; lra).
assert (N2 : near 1 log_ratio_error (x * (32 * u))).
{ apply near_rnd; rewrite Rabs_pos_eq by (apply Rmult_le_pos; lra).
  apply Rle_trans with (/ 2 * (32 * u)); [lra | apply Rmult_le_compat_r; lra]. }
pose proof (near_bounds _ _ _ N2 ltac:(apply Rmult_le_pos; lra)) as [B2 _].
apply Rle_trans with (2 := B2).
apply Rle_trans with (x * (32 * u) * (1 - 2 * u)); [|apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | exact I1]].
assert (0 <= u * x) by (apply Rmult_le_pos; lra).
assert (u * (u * x) <= / 1000 * (u * x)) by (apply Rmult_le_compat_r; lra).
assert (u * ((1 - / 500) * (1 + ln r)) <= u * x) by (apply Rmult_le_compat_l; lra).
lra.
Qed.

Theorem log_ratio_within : Rabs (log q - ln r) <= log_ratio_error.
Proof.
destruct log_q as (H & _ & L0); pose proof log_ratio_error_size; pose proof u_bounds as [U1 U2].
assert (0 <= u * ln r) by (apply Rmult_le_pos; lra); lra.
Qed.

Theorem log2_ratio_within : Rabs (log2_double - ln r / ln 2) <= 2 * log_ratio_error.
Proof.
destruct log_q as (H & _ & L0); pose proof log_ratio_error_size as Z0; pose proof u_bounds as [U1 U2].
assert (D2 : double 2) by (change 2 with (bpow radix2 1); apply double_power; lia).
destruct (near_inv _ _ _ (near_log 2 D2 ltac:(lra))) as [s [Hs E]].
pose proof ln_2 as L2; assert (I2 : 0 < / ln 2 <= 2).
{ split; [apply Rinv_0_lt_compat; lra|]. apply Rle_trans with (/ / 2); [apply Rinv_le; lra | rewrite Rinv_inv; lra]. }
pose proof (within_err _ _ Hs) as S1; pose proof (err_few 9 ltac:(lia)) as F.
replace (INR 9) with 9 in F by (rewrite INR_IZR_INZ; reflexivity).
assert (UL : 0 <= u * ln r) by (apply Rmult_le_pos; lra).
assert (UL1 : u * ln r <= / 100000 * ln r) by (apply Rmult_le_compat_r; lra).
assert (UU : u * (u * ln r) <= / 1000 * (u * ln r)) by (apply Rmult_le_compat_r; lra).
assert (UU1 : u * u <= / 1000 * u) by (apply Rmult_le_compat_r; lra).
set (x := log q / log 2); set (y := ln r / ln 2).
assert (A : Rabs (x - y) <= 53 * u * ln r + 9 * u).
{ unfold x, y, Rdiv; rewrite E.
  replace (log q * (/ ln 2 * s) - ln r * / ln 2) with (/ ln 2 * ((log q - ln r) * s + ln r * (s - 1))) by ring.
  rewrite Rabs_mult, (Rabs_pos_eq (/ ln 2)) by lra.
  assert (SA : Rabs s <= 1 + 18 * u).
  { replace s with ((s - 1) + 1) by ring; apply Rle_trans with (1 := Rabs_triang _ _).
    rewrite (Rabs_pos_eq 1) by lra; lra. }
  assert (V : Rabs ((log q - ln r) * s + ln r * (s - 1)) <= (8 * u * ln r + 4 * u) * (1 + 18 * u) + ln r * (18 * u)).
  { apply Rle_trans with (1 := Rabs_triang _ _); rewrite !Rabs_mult, (Rabs_pos_eq (ln r)) by lra.
    apply Rplus_le_compat; [apply Rmult_le_compat; auto using Rabs_pos | apply Rmult_le_compat_l; lra]. }
  apply Rle_trans with (2 * ((8 * u * ln r + 4 * u) * (1 + 18 * u) + ln r * (18 * u))).
  - apply Rmult_le_compat; [lra | apply Rabs_pos | lra | exact V].
  - lra. }
assert (Y : 0 <= y <= 2 * ln r).
{ unfold y, Rdiv; split; [apply Rmult_le_pos; lra|]; rewrite Rmult_comm; apply Rmult_le_compat_r; lra. }
assert (X : Rabs x <= 3 * ln r + 1).
{ replace x with ((x - y) + y) by ring; apply Rle_trans with (1 := Rabs_triang _ _).
  rewrite (Rabs_pos_eq y) by lra; lra. }
pose proof (rnd_error x) as R1; pose proof least_u.
assert (u * Rabs x <= u * (3 * ln r + 1)) by (apply Rmult_le_compat_l; lra).
change log2_double with (rnd x); replace (rnd x - y) with ((rnd x - x) + (x - y)) by ring.
apply Rle_trans with (1 := Rabs_triang _ _); lra.
Qed.
End LogRatio.
End Log.
