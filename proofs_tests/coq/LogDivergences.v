(* Kullback-Leibler and Jensen-Shannon distances are convex in P.

   Places in the papers: t-closeness paper, section 4 (the Kullback-Leibler distance)
     kl_convex, js_convex   for lists of shares, any two P and any weight
     kl_merge, js_merge     bounds on them are kept by more general tables
     js_root_merge          also on the root of Jensen-Shannon, which is not convex

   The idea in three lines:
   - x ln x is convex (Logarithms.v), and x ln y is linear in x;
   - with m = (x + y) / 2 a line through x0 lies below: two tangents, of x and y;
   - sums of convex functions of each share are convex. *)
From Coq Require Import Reals Lra.
From mathcomp Require Import all_ssreflect.
From Tcloseness Require Import Tables Logarithms.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope R_scope.

(* x ln(x / y), for shares y > 0 of values that the table has *)
Definition kl1 x y : R := x * ln x - x * ln y.
Definition js1 x y : R := (kl1 x ((x + y) / 2) + kl1 y ((x + y) / 2)) / 2.
Fixpoint total (d : R -> R -> R) (p q : seq R) : R :=
  match p, q with x :: p, y :: q => d x y + total d p q | _, _ => 0 end.
Definition kl := total kl1.
Definition js := total js1.

Definition convex1 (d : R -> R -> R) : Prop := forall w x1 x2 y, 0 <= w <= 1 ->
  0 <= x1 -> 0 <= x2 -> 0 <= y -> d (w * x1 + (1 - w) * x2) y <= w * d x1 y + (1 - w) * d x2 y.

Lemma total_convex d w p1 p2 q : convex1 d -> 0 <= w <= 1 ->
    size p1 = size p2 -> size p1 = size q -> nonneg p1 -> nonneg p2 -> nonneg q ->
  total d (mix w p1 p2) q <= w * total d p1 q + (1 - w) * total d p2 q.
Proof.
move=> cd Hw; elim: p1 p2 q => [|x1 p1 IH] [|x2 p2] [|y q] //= => [_ _ _ _ _|[E1] [E2] H1 H2 H3]; first lra.
have A := cd w x1 x2 y Hw (H1 _ (or_introl erefl)) (H2 _ (or_introl erefl)) (H3 _ (or_introl erefl)).
have B := IH p2 q E1 E2 (fun z Hz => H1 z (or_intror Hz)) (fun z Hz => H2 z (or_intror Hz))
  (fun z Hz => H3 z (or_intror Hz)).
lra.
Qed.

Lemma kl1_convex : convex1 kl1.
Proof.
move=> w x1 x2 y Hw H1 H2 _; have := h_concave Hw H1 H2; rewrite /h /kl1.
set l := ln y; set z := w * x1 + (1 - w) * x2; set a := z * ln z => H.
have E : z * l = w * (x1 * l) + (1 - w) * (x2 * l) by rewrite /z; ring.
by rewrite E; move: H; set b1 := x1 * ln x1; set b2 := x2 * ln x2; lra.
Qed.

(* the line through x0 lies below *)
Lemma js1_line x0 x y : 0 < x0 -> 0 <= x -> 0 <= y ->
  x * ln x0 - x * ln ((x0 + y) / 2) + (y * ln y - y * ln ((x0 + y) / 2)) <= 2 * js1 x y.
Proof.
move=> P0 Px Py; set m0 := (x0 + y) / 2; set m := (x + y) / 2.
have M0 : 0 < m0 by rewrite /m0; lra.
rewrite /js1 -/m /kl1; have [M|M] : 0 < m \/ m = 0 by rewrite /m; lra.
  have z1 : 0 < x0 * (m / m0) by apply: Rmult_lt_0_compat => //; apply: Rdiv_lt_0_compat.
  have T1 := tangent Px z1.
  have L r : 0 < r -> ln (r * (m / m0)) = ln r + ln m - ln m0.
    move=> r0; rewrite ln_mult //; last exact: Rdiv_lt_0_compat.
    rewrite /Rdiv ln_mult ?ln_Rinv //; last exact: Rinv_0_lt_compat.
    by ring.
  have T2 : y * (ln y + ln m - ln m0) <= y * ln y + (y * (m / m0) - y).
    have [y0|y0] : 0 < y \/ y = 0 by lra.
      have z2 : 0 < y * (m / m0) by apply: Rmult_lt_0_compat => //; apply: Rdiv_lt_0_compat.
      by have := tangent Py z2; rewrite L.
    by rewrite y0; lra.
  rewrite L // in T1.
  have E : x0 * (m / m0) + y * (m / m0) = x + y.
    rewrite -Rmult_plus_distr_r; replace (x0 + y) with (2 * m0) by (rewrite /m0; field).
    by replace (x + y) with (2 * m) by (rewrite /m; field); field; lra.
  have X : (x + y) * ln m0 = x * ln m0 + y * ln m0 by ring.
  lra.
have x00 : x = 0 by rewrite /m in M; lra.
have y00 : y = 0 by rewrite /m in M; lra.
by rewrite x00 y00; lra.
Qed.

Lemma js1_convex : convex1 js1.
Proof.
move=> w x1 x2 y Hw H1 H2 Hy; set x0 := w * x1 + (1 - w) * x2.
have P1 : 0 <= w * x1 by apply: Rmult_le_pos; lra.
have P2 : 0 <= (1 - w) * x2 by apply: Rmult_le_pos; lra.
have [P0|P0] : 0 < x0 \/ 0 = x0 by rewrite /x0; lra.
  have L1 := js1_line P0 H1 Hy; have L2 := js1_line P0 H2 Hy.
  have W : 0 <= 1 - w by lra.
  have A := Rmult_le_compat_l w _ _ (proj1 Hw) L1.
  have B := Rmult_le_compat_l _ _ _ W L2.
  have E : 2 * js1 x0 y = w * (x1 * ln x0 - x1 * ln ((x0 + y) / 2) + (y * ln y - y * ln ((x0 + y) / 2)))
      + (1 - w) * (x2 * ln x0 - x2 * ln ((x0 + y) / 2) + (y * ln y - y * ln ((x0 + y) / 2))).
    rewrite /js1 /kl1; set l := ln x0; set n := ln ((x0 + y) / 2); set k := ln y; rewrite /x0; field.
  lra.
have z1 : w * x1 = 0 by rewrite /x0 in P0; lra.
have z2 : (1 - w) * x2 = 0 by rewrite /x0 in P0; lra.
have same v x : v * x = 0 -> v * js1 x y = v * js1 0 y.
  by case/Rmult_integral=> ->; ring.
by rewrite -P0 (same _ _ z1) (same _ _ z2); lra.
Qed.

Theorem kl_convex w p1 p2 q : 0 <= w <= 1 -> size p1 = size p2 -> size p1 = size q ->
    nonneg p1 -> nonneg p2 -> nonneg q ->
  kl (mix w p1 p2) q <= w * kl p1 q + (1 - w) * kl p2 q.
Proof. exact/total_convex/kl1_convex. Qed.

Theorem js_convex w p1 p2 q : 0 <= w <= 1 -> size p1 = size p2 -> size p1 = size q ->
    nonneg p1 -> nonneg p2 -> nonneg q ->
  js (mix w p1 p2) q <= w * js p1 q + (1 - w) * js p2 q.
Proof. exact/total_convex/js1_convex. Qed.

(* bounds pass to unions of two classes, and so (merge_by_joining) to any *)
Section Union.
Variable T : finType.
Implicit Types (a b : T -> nat).

Theorem total_join d a b q t : convex1 d -> nonneg q -> size q = #|T| ->
    (0 < all_of a)%N -> (0 < all_of b)%N ->
    total d (shares a) q <= t -> total d (shares b) q <= t ->
  total d (shares (join a b)) q <= t.
Proof.
move=> cd q0 qT a0 b0 da db; have [w Hw E] := join_mix a0 b0; rewrite E.
have sz (c : T -> nat) : size (shares c) = size q.
  by rewrite qT size_map cardE enumT.
have := total_convex cd Hw (eq_trans (sz a) (esym (sz b))) (sz a)
  (shares_nonneg a0) (shares_nonneg b0) q0.
have W : 0 <= 1 - w by lra.
have := Rmult_le_compat_l w _ _ (proj1 Hw) da; have := Rmult_le_compat_l _ _ _ W db; lra.
Qed.

Lemma eq_shares a b : a =1 b -> shares a = shares b.
Proof. by move=> E; apply: eq_map => i; apply: eq_share. Qed.

Section Table.
Variables (Rec K L : finType) (s : Rec -> T) (cls : Rec -> K) (g : K -> L).

Theorem divergence_merge d q t : convex1 d -> nonneg q -> size q = #|T| ->
    (forall k, (0 < size_of cls k)%N -> total d (shares (count_of s cls k)) q <= t) ->
  forall l, (0 < size_of (g \o cls) l)%N -> total d (shares (count_of s (g \o cls) l)) q <= t.
Proof.
move=> cd q0 qT; apply: (merge_by_joining (P := fun c => total d (shares c) q <= t)).
  by move=> a b /eq_shares ->.
by move=> a b a0 b0; apply: total_join.
Qed.

Corollary kl_merge q t : nonneg q -> size q = #|T| ->
    (forall k, (0 < size_of cls k)%N -> kl (shares (count_of s cls k)) q <= t) ->
  forall l, (0 < size_of (g \o cls) l)%N -> kl (shares (count_of s (g \o cls) l)) q <= t.
Proof. exact/divergence_merge/kl1_convex. Qed.

Corollary js_merge q t : nonneg q -> size q = #|T| ->
    (forall k, (0 < size_of cls k)%N -> js (shares (count_of s cls k)) q <= t) ->
  forall l, (0 < size_of (g \o cls) l)%N -> js (shares (count_of s (g \o cls) l)) q <= t.
Proof. exact/divergence_merge/js1_convex. Qed.

Lemma root_le x t : 0 <= t -> sqrt x <= t <-> x <= t * t.
Proof.
move=> t0; split=> le; last by rewrite -(sqrt_square t t0); apply: sqrt_le_1_alt.
have [x0|x0] := Rle_or_lt x 0; first by have := Rmult_le_pos _ _ t0 t0; lra.
rewrite -(sqrt_sqrt x); last lra.
by apply: Rmult_le_compat => //; apply: sqrt_pos.
Qed.

Corollary js_root_merge q t : 0 <= t -> nonneg q -> size q = #|T| ->
    (forall k, (0 < size_of cls k)%N -> sqrt (js (shares (count_of s cls k)) q) <= t) ->
  forall l, (0 < size_of (g \o cls) l)%N -> sqrt (js (shares (count_of s (g \o cls) l)) q) <= t.
Proof.
move=> t0 q0 qT H l l0; apply/(root_le _ t0); apply: js_merge l0 => // k k0.
exact/(root_le _ t0)/H.
Qed.
End Table.
End Union.
