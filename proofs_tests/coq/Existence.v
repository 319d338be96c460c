(* The least cost is attained: the earth mover's distance exists, for every ground
   distance, over every ordered field (the rationals as well as the reals).

   Places in the papers: t-closeness paper, section 4, where the EMD is "the
   minimal amount of work"; Fact 1 and Fact 2 then speak of a number, emd d p q.
     emdP           emd d p q is attained and no coupling costs less
     emd_leE        "some coupling costs <= t" is the same as emd d p q <= t
     emd_convex     Fact 2;  emd_range  Fact 1
     emd_ge0, emd_xx, emd_comm, emd_trans   the laws of a metric

   The idea in three lines:
   - if a coupling's support B carries a change h with zero margins, moving along
     h or -h costs no more and empties a cell of B: so B may be taken rigid;
   - on a rigid support the margins determine the coupling (linear algebra);
   - there are finitely many supports, so there is a cheapest among them. *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From Tcloseness Require Import Transport.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Existence.
Variables (R : realFieldType) (T : finType).
Implicit Types (f g h : T -> T -> R) (B : {set T * T}) (d : T -> T -> R).
Local Notation cell := [finType of T * T].
Local Notation eqn := [finType of T + T + T * T].

(* ---- the equations of a coupling with support in B -------------------------- *)
(* one for each row sum, each column sum, and each cell outside B *)
Definition coef B (v : cell) (e : eqn) : R :=
  match e with
  | inl (inl k) => (v.1 == k)%:R
  | inl (inr k) => (v.2 == k)%:R
  | inr c => ((v == c) && (c \notin B))%:R
  end.
Definition left_side B f (e : eqn) : R :=
  match e with
  | inl (inl k) => \sum_j f k j
  | inl (inr k) => \sum_i f i k
  | inr c => if c \in B then 0 else f c.1 c.2
  end.
Definition right_side (p q : T -> R) (e : eqn) : R :=
  match e with inl (inl k) => p k | inl (inr k) => q k | inr _ => 0 end.

Definition A B := \matrix_(v < #|cell|, e < #|eqn|) coef B (enum_val v) (enum_val e).
Definition row_of f : 'rV_#|cell| := \row_v f (enum_val v).1 (enum_val v).2.
Definition fun_of (x : 'rV_#|cell|) : T -> T -> R := fun i j => x 0 (enum_rank ((i, j) : cell)).
Definition goal p q : 'rV_#|eqn| := \row_e right_side p q (enum_val e).

Lemma fun_ofK x : row_of (fun_of x) = x.
Proof. by apply/rowP=> v; rewrite mxE /fun_of -surjective_pairing enum_valK. Qed.

Lemma row_ofK f i j : fun_of (row_of f) i j = f i j.
Proof. by rewrite /fun_of mxE enum_rankK. Qed.

Lemma row_of_mul f B : row_of f *m A B = \row_e left_side B f (enum_val e).
Proof.
apply/rowP=> e; rewrite !mxE; under eq_bigr do rewrite !mxE.
rewrite (reindex (@enum_rank cell)) /=; last exact/onW_bij/enum_rank_bij.
under eq_bigr do rewrite enum_rankK.
rewrite -(pair_bigA _ (fun i j => f i j * coef B (i, j) (enum_val e))) /=.
case: (enum_val e) => [[k|k]|c] /=.
- rewrite (bigD1 k) //= [X in _ + X]big1 ?addr0 => [|i /negPf ik].
    by apply: eq_bigr => j _; rewrite eqxx mulr1.
  by rewrite big1 // => j _; rewrite ik mulr0.
- apply: eq_bigr => i _; rewrite (bigD1 k) //= eqxx mulr1 big1 ?addr0 // => j /negPf jk.
  by rewrite jk mulr0.
- rewrite pair_bigA (bigD1 c) //= -surjective_pairing eqxx big1 ?addr0 => [|v /negPf vc].
    by case: (c \in B); rewrite ?mulr0 ?mulr1.
  by rewrite -surjective_pairing vc mulr0.
Qed.

Lemma solves f B p q : row_of f *m A B = goal p q <->
  [/\ forall i, \sum_j f i j = p i, forall j, \sum_i f i j = q j &
      forall c, c \notin B -> f c.1 c.2 = 0].
Proof.
rewrite row_of_mul; split=> [/rowP E|[r c z]].
  have {}E e : left_side B f e = right_side p q e.
    by have := E (enum_rank e); rewrite !mxE enum_rankK.
  split=> [i|j|c cB]; [exact: (E (inl (inl i)))|exact: (E (inl (inr j)))|].
  by have := E (inr c); rewrite /= (negPf cB).
apply/rowP=> e; rewrite !mxE; case: (enum_val e) => [[k|k]|v] /=; rewrite ?r ?c //.
by case: ifPn => // /z.
Qed.

(* ---- rigid supports ----------------------------------------------------------- *)
Definition support f : {set T * T} := [set c | f c.1 c.2 != 0].
Definition rigid B := row_free (A B).
Definition solution B p q : T -> T -> R := fun_of (goal p q *m pinvmx (A B)).

(* B is the support of a coupling that it determines (or contains one) *)
Definition corner p q B : bool :=
  [&& rigid B, row_of (solution B p q) *m A B == goal p q
    & [forall i, forall j, 0 <= solution B p q i j]].

Lemma corner_coupling p q B : corner p q B -> coupling p q (solution B p q).
Proof.
case/and3P=> _ /eqP/solves[r c _] /forallP n.
by split=> // i j; have /forallP := n i.
Qed.

Lemma rigid_corner p q f : coupling p q f -> rigid (support f) ->
  corner p q (support f) /\ forall i j, solution (support f) p q i j = f i j.
Proof.
move=> [f0 r c] rB; have E : row_of f *m A (support f) = goal p q.
  by apply/solves; split=> // v; rewrite inE negbK => /eqP.
have S : goal p q *m pinvmx (A (support f)) = row_of f.
  by rewrite -E -mulmxA mulmxVp // mulmx1.
have sE i j : solution (support f) p q i j = f i j by rewrite /solution S row_ofK.
split=> //; rewrite /corner rB /solution fun_ofK S E eqxx /=.
by apply/forallP=> i; apply/forallP=> j; rewrite row_ofK.
Qed.

Lemma cost_add d f h t : cost d (fun i j => f i j + t * h i j) = cost d f + t * cost d h.
Proof.
rewrite /cost mulr_sumr -big_split; apply: eq_bigr => i _ /=.
rewrite mulr_sumr -big_split; apply: eq_bigr => j _ /=; ring.
Qed.

(* what is not rigid can be emptied a little, at no cost *)
Lemma shrink d p q f : coupling p q f -> ~~ rigid (support f) ->
  exists2 g, coupling p q g & cost d g <= cost d f /\ (#|support g| < #|support f|)%N.
Proof.
move=> [f0 r c]; rewrite /rigid -kermx_eq0 => /rowV0Pn[x0 /sub_kermxP x0A x00].
(* a change h with zero margins, inside the support, that costs nothing *)
have [h [hr hc hz hn hd]] : exists h : T -> T -> R, [/\ forall i, \sum_j h i j = 0,
    forall j, \sum_i h i j = 0, forall v, v \notin support f -> h v.1 v.2 = 0,
    exists v, h v.1 v.2 != 0 & cost d h <= 0].
  have zero (x : 'rV_#|cell|) : x *m A (support f) = 0 -> x != 0 -> cost d (fun_of x) <= 0 ->
      exists h : T -> T -> R, [/\ forall i, \sum_j h i j = 0,
        forall j, \sum_i h i j = 0, forall v, v \notin support f -> h v.1 v.2 = 0,
        exists v, h v.1 v.2 != 0 & cost d h <= 0].
    move=> xA xn xc; exists (fun_of x).
    have : row_of (fun_of x) *m A (support f) = goal (fun=> 0) (fun=> 0).
      rewrite fun_ofK xA; apply/rowP=> e; rewrite !mxE.
      by case: (enum_val e) => [[]|].
    case/solves=> hr hc hz; split=> //; have [v xv] := rV0Pn _ xn.
    by exists (enum_val v); rewrite /fun_of -surjective_pairing enum_valK.
  have [le|/ltW ge] := lerP (cost d (fun_of x0)) 0; first exact: zero x0A x00 le.
  apply: (zero (- x0)); rewrite ?mulNmx ?x0A ?oppr0 ?oppr_eq0 //.
  have -> : cost d (fun_of (- x0)) = - cost d (fun_of x0); last by rewrite oppr_le0.
  rewrite /cost -sumrN; apply: eq_bigr => i _; rewrite -sumrN; apply: eq_bigr => j _.
  by rewrite /fun_of mxE mulNr.
have [v0 v0n] : exists v : cell, h v.1 v.2 < 0.
  case: hn => -[i j] /= ij; case: (boolP [exists j', h i j' < 0]) => [/existsP[j' ?]|].
    by exists (i, j').
  rewrite negb_exists => /forallP ge; case/negP: ij; have /eqP := hr i.
  rewrite psumr_eq0 => [/allP/(_ j)|j' _]; last by rewrite leNgt ge.
  by rewrite mem_index_enum; apply.
pose ratio (v : cell) := f v.1 v.2 / - h v.1 v.2.
pose neg (v : cell) := h v.1 v.2 < 0.
pose v1 := [arg min_(v < v0 | neg v) ratio v]%O.
have [v1n least] : h v1.1 v1.2 < 0 /\ forall v : cell, h v.1 v.2 < 0 -> ratio v1 <= ratio v.
  by rewrite /v1; case: arg_minP => // v vn least.
set t := ratio v1 in least; have t0 : 0 <= t by rewrite divr_ge0 // oppr_ge0 ltW.
pose g i j := f i j + t * h i j.
have hf i j : f i j = 0 -> h i j = 0.
  by move=> fz; apply: (hz (i, j)); rewrite inE negbK; apply/eqP.
exists g; first split.
- move=> i j; have [h0|hn'] := lerP 0 (h i j); first by rewrite addr_ge0 // mulr_ge0.
  have := least (i, j) hn'; rewrite /ratio /= ler_pdivl_mulr ?oppr_gt0 // mulrN.
  by rewrite -subr_ge0 opprK.
- by move=> i; rewrite big_split /= -mulr_sumr hr mulr0 addr0.
- by move=> j; rewrite big_split /= -mulr_sumr hc mulr0 addr0.
split; first by rewrite cost_add -ler_subr_addl subrr mulr_ge0_le0.
apply/proper_card/properP; split.
  apply/subsetP=> v; rewrite !inE; apply: contra => /eqP fz.
  by rewrite /g fz hf // mulr0 addr0.
exists v1; rewrite !inE.
  by apply: contraTneq v1n => /hf ->; rewrite ltxx.
rewrite negbK /g /t /ratio; apply/eqP.
have hn0 : h v1.1 v1.2 != 0 by rewrite lt_eqF.
by rewrite invrN mulrN mulNr divfK // subrr.
Qed.

Lemma below_a_corner d p q f : coupling p q f ->
  exists2 B, corner p q B & cost d (solution B p q) <= cost d f.
Proof.
have [k] := ubnP #|support f|; elim: k f => // k IH f fk Cf.
have [rB|nB] := boolP (rigid (support f)).
  have [cB sE] := rigid_corner Cf rB; exists (support f) => //.
  rewrite le_eqVlt; apply/orP; left; apply/eqP.
  by apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite sE.
have [g Cg [cg gf]] := shrink d Cf nB.
have [|B cB le] := IH g _ Cg; first exact: leq_trans gf _.
by exists B => //; apply: le_trans cg.
Qed.

(* ---- the distance --------------------------------------------------------------- *)
Definition emd d p q : R :=
  if [pick B | corner p q B] is Some B0
  then cost d (solution [arg min_(B < B0 | corner p q B) cost d (solution B p q)]%O p q)
  else 0.

Lemma emd_attained d p q : (exists f, coupling p q f) -> is_emd d p q (emd d p q).
Proof.
case=> f Cf; rewrite /emd; case: pickP => [B0 cB0|no]; last first.
  by have [B] := below_a_corner d Cf; rewrite no.
case: arg_minP => // B cB least; split.
  by exists (solution B p q); first exact: corner_coupling.
move=> g Cg; have [B' cB' le] := below_a_corner d Cg.
exact: le_trans (least B' cB') le.
Qed.

Lemma coupling_exists p q : (forall i, 0 <= p i) -> (forall i, 0 <= q i) ->
  \sum_i p i = \sum_i q i -> exists f, coupling p q f.
Proof.
move=> p0 q0 pq; set M := \sum_i q i in pq; exists (fun i j => p i * q j / M).
have M0 : 0 <= M by apply: sumr_ge0.
have z r i : (forall i, 0 <= r i) -> \sum_i r i = M -> r i * (M / M) = r i.
  move=> r0 rM; have [Mz|Mn] := eqVneq M 0; last by rewrite divff // mulr1.
  move: rM; rewrite Mz => /eqP; rewrite psumr_eq0 // => /allP/(_ i).
  by rewrite mem_index_enum => /(_ isT)/eqP ->; rewrite mul0r.
split=> [i j|i|j].
- by rewrite divr_ge0 ?mulr_ge0.
- by under eq_bigr do rewrite -mulrA; rewrite -mulr_sumr -mulr_suml z.
- by rewrite -mulr_suml -mulr_suml pq mulrAC mulrC z.
Qed.

(* two distributions: nonnegative, of the same mass *)
Definition same_mass (p q : T -> R) : Prop :=
  [/\ forall i, 0 <= p i, forall i, 0 <= q i & \sum_i p i = \sum_i q i].

Theorem emdP d p q : same_mass p q -> is_emd d p q (emd d p q).
Proof. by case=> p0 q0 pq; apply/emd_attained/coupling_exists. Qed.

Theorem emd_leE d p q t : same_mass p q -> emd_le d p q t <-> emd d p q <= t.
Proof. by move=> /emdP-/(_ d)/emd_leP. Qed.

(* a closed form, or a certificate, says what emd is *)
Theorem emd_eq d p q x : is_emd d p q x -> emd d p q = x.
Proof.
move=> E; apply: (is_emd_uniq (d := d) (p := p) (q := q)) => //.
by apply: emd_attained; case: E => -[f Cf _] _; exists f.
Qed.

(* Fact 1 *)
Theorem emd_range d p q : (forall i j, 0 <= d i j <= 1) -> \sum_i p i = 1 ->
  same_mass p q -> 0 <= emd d p q <= 1.
Proof. by move=> d01 p1 /emdP-/(_ d); apply: fact1. Qed.

(* Fact 2 *)
Theorem emd_convex d w p1 p2 q : 0 <= w <= 1 -> same_mass p1 q -> same_mass p2 q ->
  emd d (mix w p1 p2) q <= w * emd d p1 q + (1 - w) * emd d p2 q.
Proof.
move=> w01 S1 S2; have E1 := emdP d S1; have E2 := emdP d S2.
apply: (fact2 w01 E1 E2); apply: emd_attained.
have [[f1 C1 _] _] := E1; have [[f2 C2 _] _] := E2.
by exists (fun i j => w * f1 i j + (1 - w) * f2 i j); apply: coupling_mix.
Qed.

Corollary emd_merge_max d w p1 p2 q : 0 <= w <= 1 -> same_mass p1 q -> same_mass p2 q ->
  emd d (mix w p1 p2) q <= Num.max (emd d p1 q) (emd d p2 q).
Proof.
move=> w01 S1 S2; apply: le_trans (emd_convex d w01 S1 S2) _.
case/andP: w01 => w0 w1; move: (emd d p1 q) (emd d p2 q) => a b.
set x := Num.max _ _; have -> : x = w * x + (1 - w) * x by ring.
by apply: ler_add; apply: ler_wpmul2l; rewrite ?subr_ge0 // /x le_maxr lexx ?orbT.
Qed.

(* the laws of a metric *)
Lemma same_massC p q : same_mass p q -> same_mass q p.
Proof. by case=> p0 q0 pq; split. Qed.

Lemma same_mass_trans p q r : same_mass p q -> same_mass q r -> same_mass p r.
Proof. by case=> p0 _ pq [_ r0 qr]; split=> //; rewrite pq. Qed.

Theorem emd_ge0 d p q : (forall i j, 0 <= d i j) -> same_mass p q -> 0 <= emd d p q.
Proof. by move=> d0 /emdP-/(_ d)[[f Cf <-] _]; apply: cost_ge0 Cf. Qed.

Theorem emd_xx d p : (forall i j, 0 <= d i j) -> (forall i, d i i = 0) ->
  (forall i, 0 <= p i) -> emd d p p = 0.
Proof.
move=> d0 dz p0; have S : same_mass p p by [].
apply/eqP; rewrite eq_le emd_ge0 // andbT; apply/(emd_leE d 0 S); exact: emd_refl.
Qed.

Theorem emd_zero d p q : (forall i j, 0 <= d i j) -> (forall i j, d i j = 0 -> i = j) ->
  same_mass p q -> emd d p q = 0 -> forall i, p i = q i.
Proof.
move=> d0 dz S E; apply: (emd_eq0 d0 dz); apply/(emd_leE d 0 S).
by rewrite E.
Qed.

Theorem emd_comm d p q : (forall i j, d i j = d j i) -> same_mass p q ->
  emd d p q = emd d q p.
Proof.
move=> dC S; have S' := same_massC S; apply/eqP; rewrite eq_le.
by apply/andP; split; apply/emd_leE => //; apply: emd_sym => //; apply/emd_leE.
Qed.

Theorem emd_trans d p q r : (forall i j k, d i k <= d i j + d j k) ->
  same_mass p q -> same_mass q r -> emd d p r <= emd d p q + emd d q r.
Proof.
move=> dT S S'; apply/emd_leE; first exact: same_mass_trans S'.
by apply: (emd_triangle (q := q)); [case: S|exact: dT|apply/emd_leE|apply/emd_leE].
Qed.
End Existence.
