(* Optimal transport on a finite set, over any ordered field (rationals, reals).

   Places in the t-closeness paper, section 4:
     coupling, cost      the flow and its work
     is_emd              the EMD as the least work, attained
     fact1               Fact 1
     fact2, fact2_max    Fact 2 and what follows from it; emd_le_sum for any
                         number of classes
     dual_certificate    why a certificate proves an EMD
     emd_refl, emd_sym, emd_eq0, emd_triangle   the EMD is a metric if d is (not
                         in the papers)

   The idea in three lines:
   - a mean of couplings is a coupling of the means, and costs the mean (Fact 2);
   - sum f_ij d_ij >= sum f_ij (u_i + v_j) = sum u_i p_i + sum v_j q_j (certificate);
   - couplings of p, q and of q, r are glued to one of p, r (triangle). *)
From mathcomp Require Import all_ssreflect all_algebra ring.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Transport.
Variables (R : realFieldType) (T : finType).
Implicit Types (p q r u v : T -> R) (d f g : T -> T -> R) (x y w t : R).

(* f moves the distribution p onto the distribution q *)
Record coupling p q f : Prop := Coupling {
  cpl_ge0 : forall i j, 0 <= f i j;
  cpl_row : forall i, \sum_j f i j = p i;
  cpl_col : forall j, \sum_i f i j = q j }.

Definition cost d f : R := \sum_i \sum_j f i j * d i j.

(* x is the earth mover's distance: the least cost, and it is attained *)
Definition is_emd d p q x : Prop :=
  (exists2 f, coupling p q f & cost d f = x) /\
  (forall f, coupling p q f -> x <= cost d f).

(* the distance is at most t *)
Definition emd_le d p q t : Prop :=
  exists2 f, coupling p q f & cost d f <= t.

Lemma is_emd_uniq d p q x y : is_emd d p q x -> is_emd d p q y -> x = y.
Proof.
by move=> [[f Cf <-] mf] [[g Cg <-] mg]; apply/eqP; rewrite eq_le mf ?mg.
Qed.

Lemma emd_leP d p q x t : is_emd d p q x -> emd_le d p q t <-> x <= t.
Proof.
case=> [[f Cf cf] mf]; split=> [[g Cg]|xt]; first by apply: le_trans; apply: mf.
by exists f; rewrite ?cf.
Qed.

Lemma coupling_mass p q f :
  coupling p q f -> \sum_i \sum_j f i j = \sum_i p i.
Proof. by case=> _ row _; apply: eq_bigr => i _; rewrite row. Qed.

Lemma coupling_massr p q f : coupling p q f -> \sum_i p i = \sum_j q j.
Proof.
move=> Cf; rewrite -(coupling_mass Cf) exchange_big /=.
by apply: eq_bigr => j _; rewrite (cpl_col Cf).
Qed.

Lemma cost_ge0 d p q f :
  (forall i j, 0 <= d i j) -> coupling p q f -> 0 <= cost d f.
Proof.
by move=> d0 [f0 _ _]; apply: sumr_ge0 => i _; apply: sumr_ge0 => j _;
   apply: mulr_ge0.
Qed.

(* ---- fact 1 ------------------------------------------------------- *)
Theorem fact1 d p q x :
    (forall i j, 0 <= d i j <= 1) -> \sum_i p i = 1 ->
  is_emd d p q x -> 0 <= x <= 1.
Proof.
move=> d01 p1 [[f Cf <-] _]; rewrite (cost_ge0 _ Cf) /=; last first.
  by move=> i j; case/andP: (d01 i j).
rewrite -p1 -(coupling_mass Cf).
apply: ler_sum => i _; apply: ler_sum => j _.
by rewrite ler_pimulr ?(cpl_ge0 Cf) //; case/andP: (d01 i j).
Qed.

(* ---- fact 2 ------------------------------------------------------- *)
Definition mix w p1 p2 : T -> R := fun i => w * p1 i + (1 - w) * p2 i.

Lemma coupling_mix w p1 p2 q f1 f2 :
    0 <= w <= 1 -> coupling p1 q f1 -> coupling p2 q f2 ->
  coupling (mix w p1 p2) q (fun i j => w * f1 i j + (1 - w) * f2 i j).
Proof.
case/andP=> w0 w1 [f10 r1 c1] [f20 r2 c2]; split=> [i j|i|j].
- by rewrite addr_ge0 // mulr_ge0 // subr_ge0.
- by rewrite big_split -!mulr_sumr r1 r2.
- by rewrite big_split -!mulr_sumr /= c1 c2; ring.
Qed.

Lemma cost_mix d w f1 f2 :
  cost d (fun i j => w * f1 i j + (1 - w) * f2 i j)
  = w * cost d f1 + (1 - w) * cost d f2.
Proof.
rewrite /cost !mulr_sumr -big_split; apply: eq_bigr => i _ /=.
rewrite !mulr_sumr -big_split; apply: eq_bigr => j _ /=; ring.
Qed.

Theorem fact2 d w p1 p2 q x1 x2 x :
    0 <= w <= 1 -> is_emd d p1 q x1 -> is_emd d p2 q x2 ->
  is_emd d (mix w p1 p2) q x -> x <= w * x1 + (1 - w) * x2.
Proof.
move=> w01 [[f1 C1 <-] _] [[f2 C2 <-] _] [_ mx].
by rewrite -cost_mix; apply/mx/coupling_mix.
Qed.

Corollary fact2_max d w p1 p2 q x1 x2 x :
    0 <= w <= 1 -> is_emd d p1 q x1 -> is_emd d p2 q x2 ->
  is_emd d (mix w p1 p2) q x -> x <= Num.max x1 x2.
Proof.
move=> w01 E1 E2 E; apply: le_trans (fact2 w01 E1 E2 E) _.
case/andP: w01 => w0 w1.
have -> : Num.max x1 x2 = w * Num.max x1 x2 + (1 - w) * Num.max x1 x2 by ring.
by apply: ler_add; apply: ler_wpmul2l; rewrite ?subr_ge0 // le_maxr lexx ?orbT.
Qed.

(* n-ary form, used for merging any number of classes *)
Theorem emd_le_mean (K : finType) d (w : K -> R) (P : K -> T -> R) p q (t : K -> R) :
    (forall k, 0 <= w k) -> \sum_k w k = 1 ->
    (forall i, p i = \sum_k w k * P k i) ->
    (forall k, w k != 0 -> emd_le d (P k) q (t k)) ->
  emd_le d p q (\sum_k w k * t k).
Proof.
move=> w0 w1 pE H.
have: forall k, exists f, w k != 0 -> coupling (P k) q f /\ cost d f <= t k.
  move=> k; case: (boolP (w k != 0)) => [/H[f Cf cf]|_]; first by exists f.
  by exists (fun _ _ => 0).
case/fin_all_exists=> F HF.
have wz k y z : (w k != 0 -> y = z) -> w k * y = w k * z.
  by case: eqVneq => [->|_ ->] //; rewrite !mul0r.
exists (fun i j => \sum_k w k * F k i j); first split.
- move=> i j; apply: sumr_ge0 => k _; have [->|/HF[[f0 _ _] _]] := eqVneq (w k) 0.
    by rewrite mul0r.
  exact: mulr_ge0.
- move=> i; rewrite exchange_big pE; apply: eq_bigr => k _ /=.
  by rewrite -mulr_sumr; apply: wz => /HF[[_ -> _]].
- move=> j; rewrite exchange_big -[RHS]mul1r -w1 mulr_suml.
  by apply: eq_bigr => k _ /=; rewrite -mulr_sumr; apply: wz => /HF[[_ _ ->]].
have -> : cost d (fun i j => \sum_k w k * F k i j) = \sum_k w k * cost d (F k).
  rewrite /cost [LHS](eq_bigr (fun i => \sum_k w k * \sum_j F k i j * d i j)).
    by rewrite exchange_big; apply: eq_bigr => k _; rewrite mulr_sumr.
  move=> i _; under eq_bigr do rewrite mulr_suml.
  rewrite exchange_big; apply: eq_bigr => k _; rewrite mulr_sumr.
  by apply: eq_bigr => j _; rewrite mulrA.
apply: ler_sum => k _; have [->|/HF[_ ?]] := eqVneq (w k) 0; first by rewrite !mul0r.
exact: ler_wpmul2l.
Qed.

Lemma emd_le_sum (K : finType) d (w : K -> R) (P : K -> T -> R) p q t :
    (forall k, 0 <= w k) -> \sum_k w k = 1 ->
    (forall i, p i = \sum_k w k * P k i) ->
    (forall k, w k != 0 -> emd_le d (P k) q t) ->
  emd_le d p q t.
Proof.
by move=> w0 w1 pE H; rewrite -[t]mul1r -w1 mulr_suml; exact: (emd_le_mean (t := fun=> t)).
Qed.

(* ---- a dual certificate proves optimality -------------------------- *)
Lemma weak_duality d p q f u v :
    coupling p q f -> (forall i j, u i + v j <= d i j) ->
  \sum_i u i * p i + \sum_j v j * q j <= cost d f.
Proof.
move=> Cf uv.
have -> : \sum_i u i * p i + \sum_j v j * q j = \sum_i \sum_j f i j * (u i + v j).
  have -> : \sum_j v j * q j = \sum_i \sum_j f i j * v j.
    rewrite exchange_big; apply: eq_bigr => j _.
    by rewrite -mulr_suml (cpl_col Cf) mulrC.
  rewrite -big_split; apply: eq_bigr => i _ /=.
  rewrite -(cpl_row Cf) mulr_sumr -big_split; apply: eq_bigr => j _ /=; ring.
apply: ler_sum => i _; apply: ler_sum => j _.
by rewrite ler_wpmul2l ?(cpl_ge0 Cf).
Qed.

Theorem dual_certificate d p q f u v :
    coupling p q f -> (forall i j, u i + v j <= d i j) ->
    cost d f = \sum_i u i * p i + \sum_j v j * q j ->
  is_emd d p q (cost d f).
Proof.
by move=> Cf uv fE; split=> [|g Cg]; [exists f | rewrite fE weak_duality].
Qed.

(* ---- the distance is a metric when d is ---------------------------- *)
Lemma emd_refl d p : (forall i, 0 <= p i) -> (forall i, d i i = 0) ->
  emd_le d p p 0.
Proof.
move=> p0 d0; exists (fun i j => if i == j then p i else 0); first split.
- by move=> i j; case: eqP.
- by move=> i; rewrite -big_mkcond (big_pred1 i) // => j; rewrite eq_sym.
- by move=> j; rewrite -big_mkcond (big_pred1 j).
rewrite /cost big1 // => i _; rewrite big1 // => j _.
by have [->|_] := eqVneq i j; rewrite ?d0 ?mulr0 ?mul0r.
Qed.

Lemma emd_sym d p q t : (forall i j, d i j = d j i) ->
  emd_le d p q t -> emd_le d q p t.
Proof.
move=> dC [f [f0 fr fc] cf]; exists (fun i j => f j i); first by split.
apply: le_trans cf; rewrite /cost exchange_big le_eqVlt; apply/orP; left.
by apply/eqP; apply: eq_bigr => j _; apply: eq_bigr => i _; rewrite dC.
Qed.

Lemma emd_eq0 d p q : (forall i j, 0 <= d i j) ->
    (forall i j, d i j = 0 -> i = j) ->
  emd_le d p q 0 -> forall i, p i = q i.
Proof.
move=> d0 dP [f Cf cf] i; have [f0 fr fc] := Cf.
have fd0 k j : 0 <= f k j * d k j by rewrite mulr_ge0.
have c0 : cost d f = 0 by apply/eqP; rewrite eq_le cf (cost_ge0 d0 Cf).
have fz k j : k != j -> f k j = 0.
  move=> kj; have /eqP := c0; rewrite psumr_eq0 => [|k' _]; last exact: sumr_ge0.
  move/allP/(_ k); rewrite mem_index_enum => /(_ isT) /=.
  rewrite psumr_eq0 // => /allP/(_ j); rewrite mem_index_enum => /(_ isT) /=.
  rewrite mulf_eq0 => /orP[/eqP //|/eqP/dP]; by move/eqP: kj.
rewrite -fr -fc (bigD1 i) //= big1 ?addr0 => [|j ji]; last by rewrite fz // eq_sym.
by rewrite (bigD1 i) //= big1 ?addr0 // => j ji; rewrite fz.
Qed.

Lemma emd_triangle d p q r s t : (forall i, 0 <= q i) ->
    (forall i j k, d i k <= d i j + d j k) ->
  emd_le d p q s -> emd_le d q r t -> emd_le d p r (s + t).
Proof.
move=> q0 dT [f [f0 fr fc] cf] [g [g0 gr gc] cg].
have fz i j : q j = 0 -> f i j = 0.
  move=> /eqP; rewrite -fc psumr_eq0 // => /allP/(_ i).
  by rewrite mem_index_enum => /(_ isT)/eqP.
have gz j k : q j = 0 -> g j k = 0.
  move=> /eqP; rewrite -gr psumr_eq0 // => /allP/(_ k).
  by rewrite mem_index_enum => /(_ isT)/eqP.
pose G i j k := f i j * g j k / q j.
have G0 i j k : 0 <= G i j k by rewrite /G divr_ge0 ?mulr_ge0.
have Gk i j : \sum_k G i j k = f i j.
  rewrite /G -mulr_suml -mulr_sumr gr; have [qz|] := eqVneq (q j) 0.
    by rewrite fz // !mul0r.
  by move=> ?; rewrite mulfK.
have Gi j k : \sum_i G i j k = g j k.
  rewrite /G; under eq_bigr do rewrite -mulrA; rewrite -mulr_suml fc.
  have [qz|qn] := eqVneq (q j) 0; first by rewrite gz // !mul0r mulr0.
  by rewrite mulrC divfK.
exists (fun i k => \sum_j G i j k); first split.
- by move=> i k; apply: sumr_ge0.
- by move=> i; rewrite exchange_big -fr; apply: eq_bigr => j _; rewrite Gk.
- by move=> k; rewrite exchange_big -gc; apply: eq_bigr => j _; rewrite Gi.
apply: le_trans (ler_add cf cg).
rewrite /cost; have -> : \sum_i \sum_j f i j * d i j + \sum_j \sum_k g j k * d j k
    = \sum_i \sum_j \sum_k G i j k * (d i j + d j k).
  rewrite [X in _ + X](eq_bigr (fun j => \sum_i \sum_k G i j k * d j k)).
    rewrite [X in _ + X]exchange_big -big_split; apply: eq_bigr => i _ /=.
    rewrite -big_split; apply: eq_bigr => j _ /=; rewrite -Gk mulr_suml -big_split.
    by apply: eq_bigr => k _ /=; rewrite mulrDr.
  move=> j _; rewrite exchange_big; apply: eq_bigr => k _.
  by rewrite -Gi mulr_suml.
apply: ler_sum => i _; rewrite exchange_big /=.
apply: ler_sum => k _; rewrite mulr_suml; apply: ler_sum => j _.
exact: ler_wpmul2l.
Qed.

End Transport.
