(* Doubles that are rounded again and again: how far they are from the exact number.
   IEEE 754 binary64, round to nearest with ties to even, as Flocq defines it; subnormal
   numbers are in it, overflow is not (no exponent is too large).

   Places in the code: under every filter of exact/; see Filters.v and LogFilters.v.

   The idea in three lines:
   - a rounding multiplies by a factor between 1/(1+u) and 1+u, u = 2^-53; products,
     quotients and roots multiply factors, so that k roundings stay within (1+u)^k;
   - sums of terms of one sign keep the range of their terms' factors, in any order;
   - sums of both signs are off by ((1+u)^k - 1) times the sum of the absolute terms.
   Real numbers of the standard library; they rest on its classical axioms. *)
From Coq Require Import Reals Lra Lia ZArith Psatz.
From Flocq Require Import Core Relative Plus_error.
Local Open Scope R_scope.

Definition double_exp := FLT_exp (-1074) 53.
Definition double (x : R) : Prop := generic_format radix2 double_exp x.
Definition rnd (x : R) : R := round radix2 double_exp ZnearestE x.
Definition u : R := / IZR (2 ^ 53).
Definition tiny : R := bpow radix2 (-1022).

Lemma u_bounds : 0 < u /\ u <= / 1000000000000000.
Proof. unfold u; simpl; split; [apply Rinv_0_lt_compat; lra | apply Rinv_le; lra]. Qed.

Lemma u_ro_u : u_ro radix2 53 = u.
Proof. unfold u_ro, u; simpl; lra. Qed.

Definition grown (k : nat) : R := (1 + u) ^ k.
Definition err (k : nat) : R := grown k - 1.
Definition within (k : nat) (r : R) : Prop := / grown k <= r <= grown k.
Definition near (k : nat) (x y : R) : Prop := exists r, within k r /\ x = y * r.

Lemma grown_ge1 k : 1 <= grown k.
Proof. apply pow_R1_Rle; pose proof u_bounds; lra. Qed.

Lemma grown_add j k : grown (j + k) = grown j * grown k.
Proof. apply pow_add. Qed.

Lemma grown_le j k : (j <= k)%nat -> grown j <= grown k.
Proof. intros H; apply Rle_pow; [pose proof u_bounds; lra | exact H]. Qed.

Lemma err_ge0 k : 0 <= err k.
Proof. unfold err; pose proof (grown_ge1 k); lra. Qed.

Lemma err_mono j k : (j <= k)%nat -> err j <= err k.
Proof. intros H; unfold err; pose proof (grown_le _ _ H); lra. Qed.

Lemma grown_bound k : grown k * (1 - INR k * u) <= 1.
Proof.
pose proof u_bounds as [U _].
induction k as [|k IH]; [unfold grown; simpl; lra|].
rewrite S_INR; change (grown (S k)) with ((1 + u) * grown k).
pose proof (grown_ge1 k); pose proof (pos_INR k).
apply Rle_trans with (2 := IH).
replace ((1 + u) * grown k * (1 - (INR k + 1) * u))
  with (grown k * ((1 + u) * (1 - (INR k + 1) * u))) by ring.
apply Rmult_le_compat_l; [lra|].
assert (0 <= INR k * (u * u)) by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]).
assert (0 <= u * u) by (apply Rmult_le_pos; lra).
nra.
Qed.

(* (1 + u)^k - 1 <= 2 k u up to k = 2^52 *)
Lemma err_small k : INR k * u <= / 2 -> err k <= 2 * (INR k * u).
Proof.
intros H; pose proof (grown_bound k); pose proof (pos_INR k); pose proof u_bounds as [U _].
assert (0 <= INR k * u) by (apply Rmult_le_pos; lra).
unfold err; set (x := INR k * u) in *.
pose proof (grown_ge1 k); nra.
Qed.

Lemma within_pos k r : within k r -> 0 < r.
Proof.
intros [H _]; pose proof (grown_ge1 k).
apply Rlt_le_trans with (2 := H), Rinv_0_lt_compat; lra.
Qed.

Lemma within_one k : within k 1.
Proof.
pose proof (grown_ge1 k); split; [|lra].
rewrite <- Rinv_1; apply Rinv_le; lra.
Qed.

Lemma within_mul j k r s : within j r -> within k s -> within (j + k) (r * s).
Proof.
intros [Hr1 Hr2] [Hs1 Hs2]; unfold within; rewrite grown_add.
pose proof (grown_ge1 j); pose proof (grown_ge1 k).
assert (0 < / grown j) by (apply Rinv_0_lt_compat; lra).
assert (0 < / grown k) by (apply Rinv_0_lt_compat; lra).
split; [rewrite Rinv_mult|]; apply Rmult_le_compat; lra.
Qed.

Lemma within_inv k r : within k r -> within k (/ r).
Proof.
intros H; pose proof (within_pos _ _ H) as P; pose proof (grown_ge1 k) as K; destruct H as [H1 H2].
split; [apply Rinv_le; lra|].
rewrite <- (Rinv_inv (grown k)).
apply Rinv_le; [apply Rinv_0_lt_compat; lra | exact H1].
Qed.

Lemma within_mono j k r : (j <= k)%nat -> within j r -> within k r.
Proof.
intros H [H1 H2]; pose proof (grown_le _ _ H); pose proof (grown_ge1 j).
assert (/ grown k <= / grown j) by (apply Rinv_le; lra).
split; lra.
Qed.

Lemma within_sqrt k r : within k r -> within k (sqrt r).
Proof.
intros H; pose proof (within_pos _ _ H) as P; pose proof (grown_ge1 k) as K; destruct H as [H1 H2].
assert (G : / grown k <= 1) by (rewrite <- Rinv_1; apply Rinv_le; lra).
assert (0 < / grown k) by (apply Rinv_0_lt_compat; lra).
destruct (Rle_or_lt r 1) as [L|L].
- assert (r <= sqrt r).
  { rewrite <- (sqrt_sqrt r) at 1 by lra.
    assert (sqrt r <= 1) by (rewrite <- sqrt_1; apply sqrt_le_1_alt; lra).
    pose proof (sqrt_pos r); nra. }
  assert (sqrt r <= 1) by (rewrite <- sqrt_1; apply sqrt_le_1_alt; lra).
  split; lra.
- assert (1 <= sqrt r) by (rewrite <- sqrt_1; apply sqrt_le_1_alt; lra).
  assert (sqrt r <= r) by (rewrite <- (sqrt_sqrt r) at 2 by lra; nra).
  split; lra.
Qed.

(* |r - 1| <= (1 + u)^k - 1 *)
Lemma within_err k r : within k r -> Rabs (r - 1) <= err k.
Proof.
intros [H1 H2]; unfold err; pose proof (grown_ge1 k).
assert (1 - / grown k <= grown k - 1).
{ assert (0 < / grown k) by (apply Rinv_0_lt_compat; lra).
  assert (grown k * / grown k = 1) by (field; lra).
  nra. }
apply Rabs_le; lra.
Qed.

Lemma near_refl x : near 0 x x.
Proof. exists 1; split; [apply within_one | ring]. Qed.

Lemma near_mono j k x y : (j <= k)%nat -> near j x y -> near k x y.
Proof. intros H [r [Hr E]]; exists r; split; [exact (within_mono _ _ _ H Hr) | exact E]. Qed.

Lemma near_trans j k x y z : near j x y -> near k y z -> near (j + k) x z.
Proof.
intros [r [Hr ->]] [s [Hs ->]]; exists (s * r); split; [|ring].
rewrite Nat.add_comm; apply within_mul; assumption.
Qed.

Lemma near_mul j k x y z t : near j x y -> near k z t -> near (j + k) (x * z) (y * t).
Proof.
intros [r [Hr ->]] [s [Hs ->]]; exists (r * s); split; [apply within_mul; assumption | ring].
Qed.

Lemma near_inv k x y : near k x y -> near k (/ x) (/ y).
Proof.
intros [r [Hr ->]]; pose proof (within_pos _ _ Hr).
destruct (Req_dec y 0) as [->|Hy].
- exists 1; split; [apply within_one | rewrite Rmult_0_l; ring].
- exists (/ r); split; [apply within_inv; exact Hr | field; lra].
Qed.

Lemma near_div j k x y z t : near j x y -> near k z t -> near (j + k) (x / z) (y / t).
Proof. intros H K; apply near_mul; [exact H | apply near_inv; exact K]. Qed.

Lemma near_sqrt k x y : 0 <= y -> near k x y -> near k (sqrt x) (sqrt y).
Proof.
intros Hy [r [Hr ->]]; exists (sqrt r); split; [apply within_sqrt; exact Hr|].
rewrite sqrt_mult_alt by exact Hy; reflexivity.
Qed.

Lemma near_abs k x y : near k x y -> near k (Rabs x) (Rabs y).
Proof.
intros [r [Hr ->]]; pose proof (within_pos _ _ Hr); exists r; split; [exact Hr|].
rewrite Rabs_mult, (Rabs_pos_eq r) by lra; reflexivity.
Qed.

Lemma near_err k x y : near k x y -> Rabs (x - y) <= err k * Rabs y.
Proof.
intros [r [Hr ->]]; replace (y * r - y) with ((r - 1) * y) by ring.
rewrite Rabs_mult; apply Rmult_le_compat_r; [apply Rabs_pos | apply within_err; exact Hr].
Qed.

Lemma near_ge0 k x y : near k x y -> 0 <= y -> 0 <= x.
Proof. intros [r [Hr ->]] Hy; pose proof (within_pos _ _ Hr); apply Rmult_le_pos; lra. Qed.

Lemma near_bounds k x y : near k x y -> 0 <= y -> y * / grown k <= x <= y * grown k.
Proof. intros [r [[H1 H2] ->]] Hy; split; apply Rmult_le_compat_l; assumption. Qed.

(* ---- rounding --------------------------------------------------------------- *)
Global Instance prec_double : Prec_gt_0 53.
Proof. reflexivity. Qed.

Global Instance valid_double : Valid_exp double_exp.
Proof. unfold double_exp; apply FLT_exp_valid; reflexivity. Qed.

Lemma rnd_double x : double (rnd x).
Proof. apply generic_format_round; [apply valid_double | apply valid_rnd_N]. Qed.

Lemma rnd_le x y : x <= y -> rnd x <= rnd y.
Proof. apply round_le; [apply valid_double | apply valid_rnd_N]. Qed.

Lemma rnd_id x : double x -> rnd x = x.
Proof. apply round_generic, valid_rnd_N. Qed.

Lemma rnd_lt x y : rnd x < rnd y -> x < y.
Proof. intros H; apply Rnot_le_lt; intros K; pose proof (rnd_le _ _ K); lra. Qed.

Lemma rnd_0 : rnd 0 = 0.
Proof. apply round_0, valid_rnd_N. Qed.

Lemma rnd_opp x : rnd (- x) = - rnd x.
Proof. apply round_NE_opp. Qed.

Lemma rnd_abs x : rnd (Rabs x) = Rabs (rnd x).
Proof. apply round_NE_abs; apply valid_double. Qed.

Lemma double_opp x : double x -> double (- x).
Proof. apply generic_format_opp. Qed.

Lemma double_0 : double 0.
Proof. apply generic_format_0. Qed.

Lemma rnd_ge0 x : 0 <= x -> 0 <= rnd x.
Proof. intros H; rewrite <- rnd_0; apply rnd_le, H. Qed.

Lemma near_eps e : Rabs e <= u_ro radix2 53 / (1 + u_ro radix2 53) -> within 1 (1 + e).
Proof.
rewrite u_ro_u; intros H; pose proof u_bounds as [U _].
assert (E : u / (1 + u) = 1 - / (1 + u)) by (field; lra).
assert (u / (1 + u) <= u).
{ apply Rmult_le_reg_r with (1 + u); [lra|]. unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra. nra. }
apply Rabs_le_inv in H.
unfold within, grown; rewrite pow_1; lra.
Qed.

Lemma near_rnd x : tiny <= Rabs x -> near 1 (rnd x) x.
Proof.
intros H; unfold rnd, double_exp.
rewrite (round_FLT_FLX radix2 (-1074) 53) by exact H.
destruct (relative_error_N_FLX'_ex radix2 53 prec_double (fun z => negb (Z.even z)) x) as [e [He ->]].
exists (1 + e); split; [apply near_eps, He | reflexivity].
Qed.

Lemma near_rnd0 x : x = 0 \/ tiny <= Rabs x -> near 1 (rnd x) x.
Proof.
intros [->|H]; [|apply near_rnd, H].
rewrite rnd_0; exists 1; split; [apply within_one | ring].
Qed.

(* additions of doubles are relatively exact, however small *)
Lemma near_add x y : double x -> double y -> near 1 (rnd (x + y)) (x + y).
Proof.
intros Hx Hy.
destruct (FLT_plus_error_N_ex radix2 (-1074) 53 (fun z => negb (Z.even z)) x y Hx Hy) as [e [He E]].
exists (1 + e); split; [apply near_eps, He | exact E].
Qed.

Lemma near_sub x y : double x -> double y -> near 1 (rnd (x - y)) (x - y).
Proof. intros Hx Hy; apply near_add; [exact Hx | apply double_opp, Hy]. Qed.

Lemma tiny_bounds : 0 < tiny /\ tiny <= / IZR (2 ^ 1000).
Proof.
split; [apply bpow_gt_0|].
replace (/ IZR (2 ^ 1000)) with (bpow radix2 (-1000)) by reflexivity.
apply bpow_le; lia.
Qed.

Lemma tiny_small : tiny <= / IZR (2 ^ 200).
Proof.
replace (/ IZR (2 ^ 200)) with (bpow radix2 (-200)) by reflexivity.
apply bpow_le; lia.
Qed.

Lemma near_int z : near 1 (rnd (IZR z)) (IZR z).
Proof.
apply near_rnd0; destruct (Z.eq_dec z 0) as [->|H]; [left; reflexivity | right].
assert (1 <= Rabs (IZR z)) by (rewrite <- abs_IZR; apply IZR_le; lia).
pose proof tiny_small; assert (/ IZR (2 ^ 200) <= 1).
{ rewrite <- Rinv_1; apply Rinv_le; simpl; lra. }
lra.
Qed.


(* ---- how far, absolutely ---------------------------------------------------- *)
Definition least : R := bpow radix2 (-1074).

Lemma least_pos : 0 < least.
Proof. apply bpow_gt_0. Qed.

Lemma least_tiny : least = 2 * u * tiny.
Proof.
unfold least, tiny; replace (-1074)%Z with (-52 + -1022)%Z by lia.
rewrite bpow_plus; f_equal; unfold u; simpl; lra.
Qed.

(* doubles are whole multiples of the least one *)
Lemma double_grid x : double x -> exists m : Z, x = IZR m * least.
Proof.
intros H; apply generic_format_FIX_FLT, FIX_format_generic in H.
destruct H as [[m e] E1 E2]; simpl in E2; subst e; exists m; exact E1.
Qed.

Lemma rnd_apart x : (Rabs (rnd x - x) <= u * Rabs x) \/ (Rabs (rnd x - x) <= least / 2).
Proof.
destruct (error_N_FLT radix2 (-1074) 53 eq_refl (fun z => negb (Z.even z)) x) as (e & h & He & Hh & Z0 & E).
unfold rnd, double_exp; rewrite E.
destruct (Rmult_integral _ _ Z0) as [-> | ->].
- right; replace (x * (1 + 0) + h - x) with h by ring; unfold least; lra.
- left; replace (x * (1 + e) + 0 - x) with (e * x) by ring.
  rewrite Rabs_mult; apply Rmult_le_compat_r; [apply Rabs_pos|].
  rewrite <- u_ro_u; exact He.
Qed.

Lemma rnd_error x : Rabs (rnd x - x) <= u * Rabs x + least / 2.
Proof.
pose proof least_pos; pose proof u_bounds; pose proof (Rabs_pos x).
assert (0 <= u * Rabs x) by (apply Rmult_le_pos; lra).
destruct (rnd_apart x); lra.
Qed.

(* ---- sums in any order -------------------------------------------------------- *)
Inductive order (T : Type) : Type := One (i : T) | Add (a b : order T).
Arguments One {T} i.
Arguments Add {T} a b.

Section Sums.
Variable T : Type.
Fixpoint exact (g : T -> R) (t : order T) : R :=
  match t with One i => g i | Add a b => exact g a + exact g b end.
Fixpoint computed (f : T -> R) (t : order T) : R :=
  match t with One i => f i | Add a b => rnd (computed f a + computed f b) end.
Fixpoint terms (t : order T) : nat :=
  match t with One _ => 1 | Add a b => terms a + terms b end.
Fixpoint each (P : T -> Prop) (t : order T) : Prop :=
  match t with One i => P i | Add a b => each P a /\ each P b end.

(* a sum of the same terms, each with its own factor near 1 *)
Fixpoint spread (k : nat) (g : T -> R) (t : order T) (c : R) : Prop :=
  match t with
  | One i => near k c (g i)
  | Add a b => exists x y, c = x + y /\ spread k g a x /\ spread k g b y
  end.

Lemma terms_pos t : (1 <= terms t)%nat.
Proof. induction t; simpl; lia. Qed.

Lemma each_impl (P Q : T -> Prop) t : (forall i, P i -> Q i) -> each P t -> each Q t.
Proof. intros H; induction t; simpl; [auto | intros [? ?]; auto]. Qed.

Lemma exact_le g h t : each (fun i => g i <= h i) t -> exact g t <= exact h t.
Proof. induction t; simpl; [auto | intros [? ?]]; pose proof (IHt1 H); pose proof (IHt2 H0); lra. Qed.

Lemma exact_scale g s t : exact (fun i => g i * s) t = exact g t * s.
Proof. induction t; simpl; [reflexivity | rewrite IHt1, IHt2; ring]. Qed.

Lemma exact_ge0 g t : each (fun i => 0 <= g i) t -> 0 <= exact g t.
Proof. induction t; simpl; [auto | intros [? ?]]; pose proof (IHt1 H); pose proof (IHt2 H0); lra. Qed.

Lemma exact_ext g h t : each (fun i => g i = h i) t -> exact g t = exact h t.
Proof. induction t; simpl; [auto | intros [? ?]; rewrite IHt1, IHt2; auto]. Qed.

Lemma exact_close f g h t : each (fun i => Rabs (f i - g i) <= h i) t -> Rabs (exact f t - exact g t) <= exact h t.
Proof.
induction t; simpl; [auto | intros [H1 H2]].
replace (exact f t1 + exact f t2 - (exact g t1 + exact g t2))
  with ((exact f t1 - exact g t1) + (exact f t2 - exact g t2)) by ring.
pose proof (IHt1 H1); pose proof (IHt2 H2); apply Rle_trans with (1 := Rabs_triang _ _); lra.
Qed.

Lemma exact_abs g t : Rabs (exact g t) <= exact (fun i => Rabs (g i)) t.
Proof. induction t; simpl; [apply Rle_refl | apply Rle_trans with (1 := Rabs_triang _ _); lra]. Qed.

Lemma spread_mono j k g t c : (j <= k)%nat -> spread j g t c -> spread k g t c.
Proof.
intros H; revert c; induction t; simpl; intros c; [apply near_mono, H|].
intros (x & y & E & Hx & Hy); exists x, y; auto.
Qed.

Lemma spread_scale j k g t c r : within j r -> spread k g t c -> spread (k + j) g t (c * r).
Proof.
intros H; revert c; induction t; simpl; intros c.
- intros [s [Hs ->]]; exists (s * r); split; [apply within_mul; assumption | ring].
- intros (x & y & -> & Hx & Hy); exists (x * r), (y * r); split; [ring | auto].
Qed.

Lemma spread_err k g t c : spread k g t c -> Rabs (c - exact g t) <= err k * exact (fun i => Rabs (g i)) t.
Proof.
revert c; induction t; simpl; intros c; [apply near_err|].
intros (x & y & -> & Hx & Hy).
replace (x + y - (exact g t1 + exact g t2)) with ((x - exact g t1) + (y - exact g t2)) by ring.
pose proof (IHt1 _ Hx); pose proof (IHt2 _ Hy).
apply Rle_trans with (1 := Rabs_triang _ _); lra.
Qed.

Lemma computed_double f t : each (fun i => double (f i)) t -> double (computed f t).
Proof. destruct t; simpl; [auto | intros _; apply rnd_double]. Qed.

(* what any order of adding costs: a factor a term, at the most *)
Theorem sum_spread j f g t :
  each (fun i => double (f i) /\ near j (f i) (g i)) t -> spread (j + (terms t - 1)) g t (computed f t).
Proof.
induction t; simpl; [rewrite Nat.add_0_r; intros [_ H]; exact H|].
intros [H1 H2].
pose proof (terms_pos t1); pose proof (terms_pos t2).
assert (D1 : double (computed f t1)) by (apply computed_double; revert H1; apply each_impl; tauto).
assert (D2 : double (computed f t2)) by (apply computed_double; revert H2; apply each_impl; tauto).
destruct (near_add _ _ D1 D2) as [r [Hr ->]].
exists (computed f t1 * r), (computed f t2 * r); split; [ring|].
split.
- apply spread_mono with (j + (terms t1 - 1) + 1)%nat; [lia | apply spread_scale; auto].
- apply spread_mono with (j + (terms t2 - 1) + 1)%nat; [lia | apply spread_scale; auto].
Qed.

Theorem sum_err j f g t :
  each (fun i => double (f i) /\ near j (f i) (g i)) t ->
  Rabs (computed f t - exact g t) <= err (j + (terms t - 1)) * exact (fun i => Rabs (g i)) t.
Proof. intros H; apply spread_err, sum_spread, H. Qed.

(* terms of one sign: the sum is relatively as exact as they are *)
Lemma spread_near k g t c : each (fun i => 0 <= g i) t -> spread k g t c -> near k c (exact g t).
Proof.
intros P H.
assert (B : exact g t * / grown k <= c <= exact g t * grown k).
{ revert c P H; induction t; simpl; intros c P H; [apply near_bounds; assumption|].
  destruct P as [P1 P2]; destruct H as (x & y & -> & Hx & Hy).
  pose proof (IHt1 _ P1 Hx); pose proof (IHt2 _ P2 Hy); lra. }
pose proof (exact_ge0 _ _ P) as [S|S].
- exists (c / exact g t); split; [split|].
  + apply Rmult_le_reg_l with (exact g t); [exact S|].
    unfold Rdiv; rewrite (Rmult_comm c), <- (Rmult_assoc _ _ c), Rinv_r, Rmult_1_l by lra; lra.
  + apply Rmult_le_reg_l with (exact g t); [exact S|].
    unfold Rdiv; rewrite (Rmult_comm c), <- (Rmult_assoc _ _ c), Rinv_r, Rmult_1_l by lra; lra.
  + field; lra.
- rewrite <- S in *; exists 1; split; [apply within_one | lra].
Qed.

Theorem sum_near j f g t :
  each (fun i => 0 <= g i) t -> each (fun i => double (f i) /\ near j (f i) (g i)) t ->
  near (j + (terms t - 1)) (computed f t) (exact g t).
Proof. intros P H; apply spread_near, sum_spread; assumption. Qed.
End Sums.
