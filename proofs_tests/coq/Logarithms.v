(* Models whose definition has a logarithm: entropy l-diversity, delta-disclosure
   privacy and enhanced beta-likeness, for tables with any number of classes.

   Places in the papers:
     entropy_union      l-diversity paper, section 4.2, after Definition 4.1:
          entropy(q) >= min(entropy(q_a), entropy(q_b)) for q = q_a + q_b
     entropy_merge      Theorem 5.2 (monotonicity of entropy l-diversity)
     entropy_distinct   section 4.2, after Definition 4.1: an entropy l-diverse
          block has at least l distinct values
     delta_log_merge    delta-disclosure privacy (Brickell, Shmatikov 2008)
     beta_enhanced_merge   enhanced beta-likeness (Cao, Karras 2012)

   The idea in three lines:
   - -x ln x is concave: the tangent of ln lies above ln;
   - the shares in a union are a weighted mean of the shares in its parts;
   - merging many classes is adding counts one class after the other.
   Real numbers of the standard library; they rest on its classical axioms. *)
From Coq Require Import Reals Lra.
From mathcomp Require Import all_ssreflect.
From Tcloseness Require Import Tables.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope R_scope.

(* ---- entropy of a list of shares ------------------------------------------- *)
(* -x ln x, with 0 at 0 *)
Definition h (x : R) : R := - (x * ln x).
Fixpoint entropy (p : seq R) : R := if p is x :: p then h x + entropy p else 0.
Fixpoint sum (p : seq R) : R := if p is x :: p then x + sum p else 0.
Fixpoint mix (w : R) (p q : seq R) : seq R :=
  match p, q with
  | x :: p, y :: q => w * x + (1 - w) * y :: mix w p q | _, _ => [::] end.

Lemma ln_le_sub1 y : 0 < y -> ln y <= y - 1.
Proof. move=> Hy; have H := exp_ineq1_le (ln y); rewrite exp_ln in H => //; lra. Qed.

(* x ln z <= x ln x + (z - x): the tangent of ln *)
Lemma tangent x z : 0 <= x -> 0 < z -> x * ln z <= x * ln x + (z - x).
Proof.
move=> [Hx | <-] Hz; last lra.
have H := ln_le_sub1 (Rdiv_lt_0_compat _ _ Hz Hx).
rewrite {1}/Rdiv ln_mult // ?ln_Rinv // in H; last exact: Rinv_0_lt_compat.
have H0 : x * (ln z + - ln x) <= x * (z / x - 1) by apply: Rmult_le_compat_l; lra.
replace (x * (z / x - 1)) with (z - x) in H0 by (field; lra); lra.
Qed.

Lemma h_concave w x y : 0 <= w <= 1 -> 0 <= x -> 0 <= y ->
  w * h x + (1 - w) * h y <= h (w * x + (1 - w) * y).
Proof.
move=> Hw Hx Hy; set z := w * x + (1 - w) * y.
have Px : 0 <= w * x by apply: Rmult_le_pos; lra.
have Py : 0 <= (1 - w) * y by apply: Rmult_le_pos; lra.
have [Hz|Hz] : 0 < z \/ 0 = z by rewrite /z; lra.
  have Tx := tangent Hx Hz; have Ty := tangent Hy Hz.
  have := Rmult_le_compat_l w _ _ (proj1 Hw) Tx.
  have W : 0 <= 1 - w by lra.
  have := Rmult_le_compat_l _ _ _ W Ty.
  have E : z * ln z = w * (x * ln z) + (1 - w) * (y * ln z) by rewrite /z; ring.
  by rewrite /h E {2 4}/z; lra.
have Wx : w * x = 0 by rewrite /z in Hz; lra.
have Wy : (1 - w) * y = 0 by rewrite /z in Hz; lra.
rewrite /h -Hz.
replace (w * - (x * ln x)) with (- (w * x * ln x)) by ring.
replace ((1 - w) * - (y * ln y)) with (- ((1 - w) * y * ln y)) by ring.
rewrite Wx Wy; lra.
Qed.

Definition nonneg (p : seq R) := forall x, List.In x p -> 0 <= x.

Theorem entropy_concave w p q : 0 <= w <= 1 -> size p = size q -> nonneg p -> nonneg q ->
  w * entropy p + (1 - w) * entropy q <= entropy (mix w p q).
Proof.
move=> Hw; elim: p q => [|x p IH] [|y q] //= => [_ _ _|[E] Hp Hq]; first lra.
have A := h_concave Hw (Hp x (or_introl (erefl _))) (Hq y (or_introl (erefl _))).
have B := IH q E (fun z Hz => Hp z (or_intror Hz)) (fun z Hz => Hq z (or_intror Hz)).
lra.
Qed.

(* ---- counts ------------------------------------------------------------------ *)
Section Counts.
Variable T : finType.
Implicit Types (a b c : T -> nat) (ell w x q : R).

Definition all_of c : nat := (\sum_i c i)%N.
Definition share c i : R := INR (c i) / INR (all_of c).
Definition shares c : seq R := [seq share c i | i <- enum T].
Definition join a b : T -> nat := fun i => (a i + b i)%N.

Lemma INRD m n : INR (m + n)%N = INR m + INR n.
Proof. by rewrite -plusE plus_INR. Qed.

Lemma INR_gt0 n : (0 < n)%N -> 0 < INR n.
Proof. by move/ltP; apply: lt_0_INR. Qed.

Lemma all_join a b : all_of (join a b) = (all_of a + all_of b)%N.
Proof. exact: big_split. Qed.

Lemma all0 c i : all_of c = 0%N -> c i = 0%N.
Proof. by move/eqP; rewrite sum_nat_eq0 => /forallP/(_ i)/eqP. Qed.

Lemma share_ge0 c i : (0 < all_of c)%N -> 0 <= share c i.
Proof.
move=> /INR_gt0 c0; apply: Rmult_le_pos; first exact: pos_INR.
exact/Rlt_le/Rinv_0_lt_compat.
Qed.

Lemma shares_nonneg c : (0 < all_of c)%N -> nonneg (shares c).
Proof.
move=> c0 x; rewrite /shares; elim: (enum T) => //= i r IH [<-|/IH//].
exact: share_ge0.
Qed.

Lemma eq_all a b : a =1 b -> all_of a = all_of b.
Proof. by move=> E; apply: eq_bigr. Qed.

Lemma eq_share a b i : a =1 b -> share a i = share b i.
Proof. by move=> E; rewrite /share (eq_all E) E. Qed.

(* the union's shares are the parts' mean, weighted with their sizes *)
Lemma join_mix a b : (0 < all_of a)%N -> (0 < all_of b)%N ->
  exists2 w, 0 <= w <= 1 & shares (join a b) = mix w (shares a) (shares b).
Proof.
move=> /INR_gt0 a0 /INR_gt0 b0; set A := INR (all_of a) in a0; set B := INR (all_of b) in b0.
have AB : 0 < A + B by lra.
have W : A / (A + B) + B / (A + B) = 1 by field; lra.
have A1 : 0 < A / (A + B) by apply: Rdiv_lt_0_compat.
have B1 : 0 < B / (A + B) by apply: Rdiv_lt_0_compat.
exists (A / (A + B)); first lra.
rewrite /shares; elim: (enum T) => //= i r ->; congr (_ :: _).
rewrite /share all_join !INRD -/A -/B; field; lra.
Qed.

(* one class after the other: what is kept by joining two classes is kept by
   merging many *)
Theorem merge_by_joining (Rec K L : finType) (s : Rec -> T) (cls : Rec -> K) (g : K -> L)
    (P : (T -> nat) -> Prop) :
    (forall a b, a =1 b -> P a -> P b) ->
    (forall a b, (0 < all_of a)%N -> (0 < all_of b)%N -> P a -> P b -> P (join a b)) ->
    (forall k, (0 < size_of cls k)%N -> P (count_of s cls k)) ->
  forall l, (0 < size_of (g \o cls) l)%N -> P (count_of s (g \o cls) l).
Proof.
move=> ext PD H l; rewrite (size_count s) => l0.
pose c r i := (\sum_(k <- r | g k == l) count_of s cls k i)%N.
have E : c (index_enum K) =1 count_of s (g \o cls) l.
  by move=> i; rewrite merge_count.
apply: (ext _ _ E); rewrite -[X in (0 < X)%N]/(all_of _) -(eq_all E) in l0.
elim: (index_enum K) l0 => [|k r IH].
  by rewrite /all_of big1 // => i _; rewrite /c big_nil.
have [kl|kl] := boolP (g k == l); last first.
  have Er : c r =1 c (k :: r) by move=> i; rewrite /c big_cons (negPf kl).
  by rewrite -(eq_all Er) => /IH; apply: (ext _ _ Er).
have Er : join (count_of s cls k) (c r) =1 c (k :: r) by move=> i; rewrite /c big_cons kl.
rewrite -(eq_all Er) all_join => pos; apply: (ext _ _ Er).
have [k0|k0] := posnP (all_of (count_of s cls k)).
  apply: (ext (c r)); first by move=> i; rewrite /join (all0 i k0).
  by apply: IH; rewrite k0 in pos.
have Hk : P (count_of s cls k) by apply: H; rewrite (size_count s); exact: k0.
have [r0|r0] := posnP (all_of (c r)); last by apply: PD => //; apply: IH.
by apply: (ext (count_of s cls k)) => // i; rewrite /join (all0 i r0) addn0.
Qed.

(* ---- entropy l-diversity ------------------------------------------------------ *)
Definition entropy_of c : R := entropy (shares c).

Theorem entropy_union a b : (0 < all_of a)%N -> (0 < all_of b)%N ->
  Rmin (entropy_of a) (entropy_of b) <= entropy_of (join a b).
Proof.
move=> a0 b0; have [w Hw E] := join_mix a0 b0; rewrite {3}/entropy_of E.
have sz : size (shares a) = size (shares b) by rewrite !size_map.
apply: Rle_trans (entropy_concave Hw sz (shares_nonneg a0) (shares_nonneg b0)).
have Ha := Rmin_l (entropy_of a) (entropy_of b).
have Hb := Rmin_r (entropy_of a) (entropy_of b).
rewrite -/(entropy_of a) -/(entropy_of b); set m := Rmin _ _ in Ha Hb *.
have := Rmult_le_compat_l w _ _ (proj1 Hw) Ha.
have W : 0 <= 1 - w by lra.
have := Rmult_le_compat_l _ _ _ W Hb; lra.
Qed.

Lemma eq_entropy a b : a =1 b -> entropy_of a = entropy_of b.
Proof. by move=> E; congr entropy; apply: eq_map => i; apply: eq_share. Qed.

Section Table.
Variables (Rec K L : finType) (s : Rec -> T) (cls : Rec -> K) (g : K -> L).

(* Definition 4.1 for a table *)
Definition entropy_diverse ell (M : finType) (c : Rec -> M) : Prop :=
  forall k, (0 < size_of c k)%N -> ln ell <= entropy_of (count_of s c k).

Theorem entropy_merge ell : entropy_diverse ell cls -> entropy_diverse ell (g \o cls).
Proof.
move=> H; apply: (merge_by_joining (P := fun c => ln ell <= entropy_of c)) => //.
  by move=> a b /eq_entropy <-.
move=> a b a0 b0 Pa Pb; apply: Rle_trans (entropy_union a0 b0).
exact: Rmin_glb.
Qed.

(* ---- delta-disclosure privacy --------------------------------------------------- *)
(* q is the reference distribution, the same for every class *)
Definition delta_log (delta : R) (q : T -> R) (c : T -> nat) : Prop :=
  forall i, 0 < q i -> 0 < share c i /\ Rabs (ln (share c i / q i)) < delta.

Lemma delta_logE delta x q : 0 < q ->
  0 < x /\ Rabs (ln (x / q)) < delta <-> exp (- delta) * q < x /\ x < exp delta * q.
Proof.
move=> q0; split=> [[x0]|[lo hi]].
  have r0 := Rdiv_lt_0_compat _ _ x0 q0.
  move=> /Rabs_def2[/exp_increasing + /exp_increasing]; rewrite !exp_ln // => hi lo.
  have E : x = x / q * q by field; lra.
  have := Rmult_lt_compat_r _ _ _ q0 lo; have := Rmult_lt_compat_r _ _ _ q0 hi.
  by rewrite -E.
have e0 : 0 < exp (- delta) * q by apply: Rmult_lt_0_compat => //; apply: exp_pos.
have x0 : 0 < x by lra.
have r0 := Rdiv_lt_0_compat _ _ x0 q0; split=> //.
have E : x = x / q * q by field; lra.
apply: Rabs_def1; apply: exp_lt_inv; rewrite exp_ln //; apply: (Rmult_lt_reg_r q) => //;
  by rewrite -E.
Qed.

Theorem delta_log_merge delta (q : T -> R) :
    (forall k, (0 < size_of cls k)%N -> delta_log delta q (count_of s cls k)) ->
  forall l, (0 < size_of (g \o cls) l)%N -> delta_log delta q (count_of s (g \o cls) l).
Proof.
apply: merge_by_joining => [a b E H i|a b a0 b0 Ha Hb i q0].
  by rewrite -(eq_share i E); apply: H.
apply/(delta_logE _ _ q0).
have /(delta_logE _ _ q0)[la ua] := Ha i q0; have /(delta_logE _ _ q0)[lb ub] := Hb i q0.
have A := INR_gt0 a0; have B := INR_gt0 b0.
set lo := exp (- delta) * q i in la lb *; set hi := exp delta * q i in ua ub *.
have E : share (join a b) i * (INR (all_of a) + INR (all_of b))
    = share a i * INR (all_of a) + share b i * INR (all_of b).
  by rewrite /share all_join !INRD; field; lra.
split; apply: (Rmult_lt_reg_r (INR (all_of a) + INR (all_of b))); rewrite ?E; try lra.
  have := Rmult_lt_compat_r _ _ _ A la; have := Rmult_lt_compat_r _ _ _ B lb; lra.
have := Rmult_lt_compat_r _ _ _ A ua; have := Rmult_lt_compat_r _ _ _ B ub; lra.
Qed.

(* ---- enhanced beta-likeness ------------------------------------------------------- *)
(* (p - q) / q <= min(beta, -ln q) wherever p > q *)
Definition beta_enhanced (beta : R) (q : T -> R) (c : T -> nat) : Prop :=
  forall i, 0 < q i -> q i < share c i ->
  (share c i - q i) / q i <= Rmin beta (- ln (q i)).

Theorem beta_enhanced_merge beta (q : T -> R) : 0 <= beta -> (forall i, q i <= 1) ->
    (forall k, (0 < size_of cls k)%N -> beta_enhanced beta q (count_of s cls k)) ->
  forall l, (0 < size_of (g \o cls) l)%N -> beta_enhanced beta q (count_of s (g \o cls) l).
Proof.
move=> beta0 q1; apply: merge_by_joining => [a b E H i|a b a0 b0 Ha Hb i q0 _].
  by rewrite -(eq_share i E); apply: H.
set m := Rmin _ _; have m0 : 0 <= m.
  apply: Rmin_glb => //; have [lt|->] : q i < 1 \/ q i = 1 by have := q1 i; lra.
    have := ln_increasing _ _ q0 lt; rewrite ln_1; lra.
  by rewrite ln_1; lra.
have bound c : beta_enhanced beta q c -> share c i <= (1 + m) * q i.
  move=> Hc; have [le|lt] := Rle_or_lt (share c i) (q i).
    have := Rmult_le_pos _ _ m0 (Rlt_le _ _ q0); lra.
  have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ q0) (Hc i q0 lt); rewrite -/m.
  by replace ((share c i - q i) / q i * q i) with (share c i - q i) by (field; lra); lra.
have := bound a Ha; have := bound b Hb; move=> ub ua.
have A := INR_gt0 a0; have B := INR_gt0 b0.
have E : share (join a b) i * (INR (all_of a) + INR (all_of b))
    = share a i * INR (all_of a) + share b i * INR (all_of b).
  by rewrite /share all_join !INRD; field; lra.
have le : share (join a b) i <= (1 + m) * q i.
  apply: (Rmult_le_reg_r (INR (all_of a) + INR (all_of b))); rewrite ?E; first lra.
  have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ A) ua.
  have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ B) ub; lra.
apply: (Rmult_le_reg_r (q i)) => //.
replace ((share (join a b) i - q i) / q i * q i) with (share (join a b) i - q i) by (field; lra).
lra.
Qed.
End Table.

(* ---- entropy l-diversity implies distinct l-diversity ------------------------------ *)
Lemma sum_shares c : (0 < all_of c)%N -> sum (shares c) = 1.
Proof.
move=> c0; have : forall r, sum [seq share c i | i <- r] * INR (all_of c)
    = INR (\sum_(i <- r) c i)%N.
  elim=> [|i r IH]; first by rewrite big_nil /=; ring.
  rewrite big_cons INRD -IH /= /share; field; have := INR_gt0 c0; lra.
move/(_ (enum T)); rewrite big_enum -/(all_of c) => E.
have := INR_gt0 c0 => N0; apply: (Rmult_eq_reg_r (INR (all_of c))); last lra.
by rewrite /shares E Rmult_1_l.
Qed.

Theorem entropy_distinct c (ell : nat) : (0 < all_of c)%N -> (0 < ell)%N ->
  ln (INR ell) <= entropy_of c -> (ell <= #|[pred i | 0 < c i]|)%N.
Proof.
move=> c0 l0 H; set N := #|_|.
have N0 : (0 < N)%N.
  rewrite lt0n; apply/negP=> /eqP/card0_eq z; move: c0; rewrite lt0n sum_nat_eq0.
  by case/forallPn=> i; rewrite implyTb -lt0n; have := z i; rewrite inE => ->.
have n0 := INR_gt0 N0; have i0 := Rinv_0_lt_compat _ n0.
have key r : sum [seq share c i | i <- r] * ln (/ INR N)
    <= - entropy [seq share c i | i <- r]
       + (INR (count (fun i => 0 < c i)%N r) * / INR N - sum [seq share c i | i <- r]).
  elim: r => [|i r IH] /=; first lra.
  have := tangent (share_ge0 i c0) i0 => t; rewrite INRD.
  have [z|_] := posnP (c i); last by rewrite /= /h; lra.
  have s0 : share c i = 0 by rewrite /share z /Rdiv Rmult_0_l.
  by rewrite s0 /h Rmult_0_l /=; lra.
have := key (enum T); rewrite -/(shares c) -/(entropy_of c) sum_shares //.
have -> : count (fun i => 0 < c i)%N (enum T) = N.
  by rewrite -size_filter /N cardE enumT; congr size; apply: eq_filter => i; rewrite inE.
rewrite Rinv_r ?ln_Rinv //; last lra.
move=> le; rewrite leqNgt; apply/negP=> lt.
have := ln_increasing _ _ n0 (lt_INR _ _ (ltP lt)); lra.
Qed.
End Counts.

(* so entropy l-diversity is possible only if the whole table has entropy >= ln l *)
Theorem entropy_whole (Rec T K : finType) (s : Rec -> T) (cls : Rec -> K) ell : (0 < #|Rec|)%N ->
  entropy_diverse s ell cls -> ln ell <= entropy_of (count_of s (fun=> tt) tt).
Proof.
move=> r0 H; have := @entropy_merge T Rec K unit_finType s cls (fun=> tt) ell H tt.
rewrite /entropy_diverse /comp; apply.
case/card_gt0P: r0 => r _; rewrite lt0n; apply/negP; rewrite sum_nat_eq0 => /forallP/(_ r).
by rewrite implyTb eqxx.
Qed.
