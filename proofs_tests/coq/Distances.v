(* What a certificate asks of a distance, on lists of whole numbers, is that the earth
   mover's distance of the shares is at most t.

   Places in the papers: t-closeness paper, section 4 (Definition 2) and section 5 (closed
   forms); what the checkers of certificates decide
     distance_value      the fraction that is computed is the EMD, for sets that are nested
                         or disjoint
     distance_emd        the executable test holds iff EMD <= a / b
     audit_emd           the distance of an accepted audit is the EMD of its class from the
                         reference, and no class is farther

   The idea in three lines:
   - a whole number is one of the ordered field, and sums, products and signs are kept;
   - a list of different places is a set, and sums over both are the same;
   - then as in Laminar.v, times the sizes of the class and of the table. *)
From Coq Require Import ZArith List.
From mathcomp Require Import all_ssreflect all_algebra zify ring.
From mathcomp.zify Require Import ssrZ.
From Tcloseness Require Import Transport Existence Laminar ClosedForms.
From Tcloseness Require Counts Conditions AuditChecker.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Distances.
Variable R : realFieldType.

(* a whole number of Coq's library in the field *)
Definition num (z : Z) : R := (int_of_Z z)%:~R.

Lemma numD x y : num (Z.add x y) = num x + num y.
Proof. by rewrite /num -rmorphD /=; congr (_ %:~R); lia. Qed.
Lemma numB x y : num (Z.sub x y) = num x - num y.
Proof. by rewrite /num -rmorphB /=; congr (_ %:~R); lia. Qed.
Lemma numM x y : num (Z.mul x y) = num x * num y.
Proof. by rewrite /num -rmorphM /=; congr (_ %:~R); lia. Qed.
Lemma num_abs x : num (Z.abs x) = `|num x|.
Proof. by rewrite /num -intr_norm; congr (_ %:~R); lia. Qed.
Lemma num_le x y : (num x <= num y) = Z.leb x y.
Proof. by rewrite /num ler_int; lia. Qed.
Lemma num_lt x y : (num x < num y) = Z.ltb x y.
Proof. by rewrite /num ltr_int; lia. Qed.
Lemma num_ge0 x : (0 <= num x) = Z.leb Z0 x. Proof. exact: (num_le Z0). Qed.
Lemma num_gt0 x : (0 < num x) = Z.ltb Z0 x. Proof. exact: (num_lt Z0). Qed.

Lemma num_size x : num (Counts.size x) = \sum_(i < size x) num (List.nth i x Z0).
Proof.
elim: x => [|a x IH]; first by rewrite big_ord0.
rewrite big_ord_recl [Counts.size _]/= numD -IH; congr (_ + _).
Qed.

Lemma mem_inb v s : (v \in s) = existsb (Nat.eqb v) s.
Proof. by elim: s => // w s IH; rewrite in_cons IH. Qed.

Lemma num_held x m s : uniq s -> all (fun v => v < m)%N s ->
  num (Counts.held x s) = \sum_(i : 'I_m | val i \in s) num (List.nth i x Z0).
Proof.
move=> us ms; have -> : num (Counts.held x s) = \sum_(v <- s) num (List.nth v x Z0).
  elim: s {us ms} => [|v s IH]; first by rewrite big_nil.
  by rewrite big_cons [Counts.held _ _]/= numD IH.
rewrite -(big_mkord (fun v => v \in s) (fun v => num (List.nth v x Z0))) -[RHS]big_filter.
apply: perm_big; apply: uniq_perm => //; first by rewrite filter_uniq // iota_uniq.
move=> v; rewrite mem_filter mem_index_iota leq0n /=.
by apply/idP/andP => [vs|[]//]; split=> //; apply: (allP ms).
Qed.

Variables (m : nat) (a b d : Z) (cuts : seq Conditions.cut).
(* the sets of a list of sets, and their weights *)
Definition set_of (c : Conditions.cut) : {set 'I_m} := [set i | val i \in c.2].
Definition ground (i j : 'I_m) : R :=
  (\sum_(c <- cuts) num c.1 * ((val i \in c.2) (+) (val j \in c.2))%:R) / num d.
Definition shares (x : seq Z) (i : 'I_m) : R := num (List.nth i x Z0) / num (Counts.size x).

Variables (q x : seq Z).
Hypotheses (lq : size q = m) (lx : size x = m).
Hypotheses (q0 : Counts.nonneg q) (x0 : Counts.nonneg x).
Hypotheses (qp : Z.ltb 0 (Counts.size q)) (xp : Z.ltb 0 (Counts.size x)).
Hypothesis ok : Conditions.formed m (Conditions.Distance a b d cuts).

Lemma different_uniq s : Conditions.different m s -> uniq s && all (fun v => v < m)%N s.
Proof.
elim: s => //= v s IH /andP[/andP[/Nat.ltb_lt/(introT ssrnat.ltP) vm vs]] /IH/andP[us ms].
by rewrite mem_inb vs us vm ms.
Qed.

Lemma nth_ge0 y i : Counts.nonneg y -> 0 <= num (List.nth i y Z0).
Proof.
elim: y i => [|z y IH] [|i] //= /andP[z0 y0]; last exact: IH.
by rewrite -[0]/(num 0) num_le.
Qed.

Let none : Conditions.cut := (Z0, [::]).
Let S (k : 'I_(size cuts)) := set_of (nth none cuts k).
Let w (k : 'I_(size cuts)) : R := num (nth none cuts k).1 / num d.

Lemma okP : [/\ 0 < num b, 0 < num d,
  forall c, c \in cuts -> 0 <= num c.1 /\ uniq c.2 && all (fun v => v < m)%N c.2 &
  forall c e, c \in cuts -> e \in cuts ->
    [|| set_of c \subset set_of e, set_of e \subset set_of c | [disjoint set_of c & set_of e]]].
Proof.
move: ok => /= /andP[/andP[/andP[b0 d0] each] pairs].
have inP c l : In c l <-> c \in l.
  by elim: l => //= e l IH; rewrite in_cons; split=> [[->|/IH ->]|/orP[/eqP ->|/IH]];
    rewrite ?eqxx ?orbT //; [left|right].
split; rewrite ?num_gt0 //.
  move=> c /inP/(proj1 (List.forallb_forall _ _) each)/andP[c0 /different_uniq->].
  by rewrite num_ge0.
move=> c e /inP/(proj1 (List.forallb_forall _ _) pairs)/List.forallb_forall H /inP/H.
have sub s u : Conditions.inside s u -> {subset s <= u}.
  move=> /List.forallb_forall I v /inP/I; by rewrite -mem_inb.
case/orP=> [/orP[]/sub I|/List.forallb_forall I].
- by apply/or3P/Or31/subsetP=> i; rewrite !inE => /I.
- by apply/or3P/Or32/subsetP=> i; rewrite !inE => /I.
apply/or3P/Or33; rewrite -setI_eq0; apply/eqP/setP=> i; rewrite !inE.
by apply/negbTE/negP=> /andP[/inP/I/negP]; rewrite -mem_inb.
Qed.

Lemma on_shares y c : size y = m -> c \in cuts ->
  on (shares y) (set_of c) = num (Counts.held y c.2) / num (Counts.size y).
Proof.
move=> ly cc; have [_ _ /(_ c cc)[_ /andP[uc mc]] _] := okP.
by rewrite (num_held y uc mc) mulr_suml /on; apply: eq_bigl => i; rewrite inE.
Qed.

Lemma shares_total y : size y = m -> Z.ltb 0 (Counts.size y) -> \sum_i shares y i = 1.
Proof.
move=> ly yp; rewrite -mulr_suml; have <- : num (Counts.size y) = \sum_(i < m) num (List.nth i y Z0).
  by rewrite num_size ly.
by rewrite divff // gt_eqF // num_gt0.
Qed.

Theorem distance_value : emd ground (shares x) (shares q) =
  num (Conditions.work cuts q x) / (num d * num (Counts.size q) * num (Counts.size x)).
Proof.
have [b0 d0 each pairs] := okP.
have N0 : 0 < num (Counts.size q) by rewrite num_gt0.
have n0 : 0 < num (Counts.size x) by rewrite num_gt0.
have share0 y i : Counts.nonneg y -> 0 < num (Counts.size y) -> 0 <= shares y i.
  by move=> y0 yp; rewrite /shares divr_ge0 ?nth_ge0 // ltW.
have cin (k : 'I_(size cuts)) : nth none cuts k \in cuts by apply: mem_nth.
have w0 k : 0 <= w k by rewrite /w divr_ge0 ?(ltW d0) //; case: (each _ (cin k)).
have lam k l : [|| S k \subset S l, S l \subset S k | [disjoint S k & S l]] by apply: pairs.
have E := laminar_emd w0 lam (fun i => share0 x i x0 n0) (fun i => share0 q i q0 N0)
  (etrans (shares_total lx xp) (esym (shares_total lq qp))).
have G : Laminar.cuts w S =2 ground.
  move=> i j; rewrite /ground mulr_suml (big_nth none) big_mkord; apply: eq_bigr => k _.
  by rewrite /w /cut !inE mulrAC.
rewrite (emd_eq (eq_is_emd G E)).
have -> : num (Conditions.work cuts q x) = \sum_(c <- cuts) num c.1 *
    `|num (Counts.size q) * num (Counts.held x c.2) - num (Counts.size x) * num (Counts.held q c.2)|.
  elim: (cuts) => [|[v s] l IH]; first by rewrite big_nil.
  by rewrite big_cons [Conditions.work _ _ _]/= numD numM num_abs numB !numM IH.
rewrite mulr_suml (big_nth none) big_mkord; apply: eq_bigr => k _.
rewrite !on_shares // /w.
have -> : num (Counts.held x (nth none cuts k).2) / num (Counts.size x) -
    num (Counts.held q (nth none cuts k).2) / num (Counts.size q) =
    (num (Counts.size q) * num (Counts.held x (nth none cuts k).2) -
     num (Counts.size x) * num (Counts.held q (nth none cuts k).2)) / (num (Counts.size q) * num (Counts.size x)).
  by field; rewrite !gt_eqF.
rewrite normrM (@ger0_norm _ (_ ^-1)) ?invr_ge0 ?mulr_ge0 ?ltW //.
by field; rewrite !gt_eqF.
Qed.

Theorem distance_emd : Conditions.satisfies q (Conditions.Distance a b d cuts) x <->
  emd ground (shares x) (shares q) <= num a / num b.
Proof.
have [b0 d0 _ _] := okP.
have N0 : 0 < num (Counts.size q) by rewrite num_gt0.
have n0 : 0 < num (Counts.size x) by rewrite num_gt0.
rewrite distance_value.
rewrite ler_pdivr_mulr ?mulr_gt0 // mulrAC ler_pdivl_mulr //.
by rewrite !mulrA [_ * num b]mulrC -!numM num_le.
Qed.
End Distances.

(* what an audit says of a distance, where its checker accepts: the class that is named is
   so far from the reference, and no class is farther *)
Theorem audit_emd (R : realFieldType) hs t marks all cs classes entries holds lab a b d cuts :
  AuditChecker.check_audit hs t marks all cs classes entries holds ->
  List.In (lab, AuditChecker.Value (AuditChecker.GreatestDistance d cuts) (a, b)) entries ->
  let u := AuditChecker.released t marks in
  let q := AuditChecker.reference t marks all in
  let far x := @emd R _ (ground R (m := size q) d cuts) (shares R x) (shares R q) in
  (exists2 x, List.In (lab, x) u & far x = num R a / num R b) /\
  (forall r, List.In r u -> far r.2 <= num R a / num R b).
Proof.
move=> /AuditChecker.check_audit_sound/= [_ [_ [_ [q0 [qp [each [values _]]]]]]] inside.
have [F [[x [xu S]] W]] := values _ _ inside.
set q := AuditChecker.reference t marks all in q0 qp each F S W *.
have qp' : Z.ltb 0 (Counts.size q) by lia.
case/andP: F => /andP[/= b0 ab] F; have d0 : Z.ltb 0 d by move: F => /= /andP[/andP[d0 _] _].
have far r : List.In r (AuditChecker.released t marks) ->
    @emd R _ (ground R (m := size q) d cuts) (shares R r.2) (shares R q) =
    num R (Conditions.work cuts q r.2) / num R (Z.mul (Z.mul d (Counts.size q)) (Counts.size r.2)).
  move=> /each[r0 [rp lr]]; have rp' : Z.ltb 0 (Counts.size r.2) by lia.
  by rewrite (@distance_value R (size q) Z0 (Zpos xH) d cuts q r.2 (erefl _) lr q0 r0 qp' rp' F) !numM.
have pos r : List.In r (AuditChecker.released t marks) ->
    Z.lt Z0 (Z.mul (Z.mul d (Counts.size q)) (Counts.size r.2)).
  by move=> /each[_ [rp _]]; nia.
have D0 := pos _ xu.
have E : Z.mul (Conditions.work cuts q x) b = Z.mul a (Z.mul (Z.mul d (Counts.size q)) (Counts.size x)).
  by move: S; rewrite /AuditChecker.has /AuditChecker.same /= => /Z.eqb_eq.
have bp : Z.ltb Z0 b.
  case: (Z.eq_dec b Z0) => [bz|]; last by lia.
  by move: E; rewrite bz Z.mul_0_r => /esym/Z.eq_mul_0[]; move: D0 ab => /=; lia.
split.
  exists x => //; rewrite (far _ xu) /=; apply/eqP.
  have/Z.ltb_lt Dp := D0.
  by rewrite eqr_div; [rewrite -!numM E|rewrite gt_eqF // num_gt0|rewrite gt_eqF // num_gt0].
move=> r ru; rewrite (far _ ru) ler_pdivr_mulr; last by rewrite num_gt0; move/pos: ru => /Z.ltb_lt.
rewrite mulrAC ler_pdivl_mulr ?num_gt0 // -!numM num_le.
by move: (W _ ru); rewrite /= /AuditChecker.at_most /=; lia.
Qed.
