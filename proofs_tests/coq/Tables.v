(* Tables: what merging equivalence classes does to k-anonymity, distinct
   l-diversity and t-closeness.

   A table is a set of records Rec with a class map cls : Rec -> K (which
   equivalence class a record lies in) and a sensitive value s : Rec -> T.  A
   more general table has the class map h \o cls: its classes are unions of the
   old ones (t-closeness paper, section 4, proof of the Generalization Property).

   Places in the papers:
     k_anonymous_merge   l-diversity paper, section 5 (monotonicity)
     distinct_merge      l-diversity paper, section 5, for distinct l-diversity
     mean_merge          t-closeness paper, Fact 2, for any number of classes
     t_close_merge       t-closeness paper, section 4, Generalization Property
     t_close_subset      t-closeness paper, section 4, Subset Property
     t_close_emd         t-closeness is a bound on the EMD of each class
     whole_table_close   section 4: t-closeness is achievable for any t >= 0

   The idea in three lines:
   - counts add up when classes merge;
   - so the distribution in a union is a mean of the distributions in its parts;
   - whatever is closed under means (fact 2: EMD <= t is) holds for the union. *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From Tcloseness Require Import Transport Existence.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Tables.
Variables (R : realFieldType) (Rec T : finType) (s : Rec -> T).

(* cls gives the equivalence class of a record, s its sensitive value *)
Definition size_of (K : finType) (cls : Rec -> K) k : nat :=
  (\sum_r (cls r == k))%N.
Definition count_of (K : finType) (cls : Rec -> K) k i : nat :=
  (\sum_r ((cls r == k) && (s r == i)))%N.
Definition dist_of (K : finType) (cls : Rec -> K) k i : R :=
  (count_of cls k i)%:R / (size_of cls k)%:R.
Definition overall i : R := (\sum_r (s r == i))%N%:R / #|Rec|%:R.

Definition k_anonymous kk (K : finType) (cls : Rec -> K) : Prop :=
  forall k, (0 < size_of cls k)%N -> (kk <= size_of cls k)%N.
Definition distinct l (K : finType) (cls : Rec -> K) : Prop :=
  forall k, (0 < size_of cls k)%N -> (l <= #|[pred i | 0 < count_of cls k i]|)%N.
Definition t_close d t (K : finType) (cls : Rec -> K) : Prop :=
  forall k, (0 < size_of cls k)%N -> emd_le d (dist_of cls k) overall t.

(* a property of distributions that every mean inherits from its parts *)
Definition closed_under_means (C : (T -> R) -> Prop) : Prop :=
  forall (K : finType) (w : K -> R) (P : K -> T -> R) (p : T -> R),
    (forall k, 0 <= w k) -> \sum_k w k = 1 ->
    (forall i, p i = \sum_k w k * P k i) ->
    (forall k, w k != 0 -> C (P k)) -> C p.

Section Merge.
Variables (K L : finType) (cls : Rec -> K) (h : K -> L).
Notation big_cls := (h \o cls).

Lemma merge_sum (P : pred Rec) l :
  (\sum_r ((big_cls r == l) && P r) = \sum_(k | h k == l) \sum_r ((cls r == k) && P r))%N.
Proof.
rewrite exchange_big; apply: eq_bigr => r _ /=; case: (P r); last first.
  by rewrite andbF big1 // => k _; rewrite andbF.
rewrite andbT; case: eqP => [hl|hl].
  rewrite (bigD1 (cls r)) ?hl //= eqxx big1 // => k /andP[_].
  by rewrite eq_sym andbT => /negPf ->.
rewrite big1 // => k /eqP kl; rewrite andbT; case: eqP => // rk.
by case: hl; rewrite rk.
Qed.

Lemma merge_size l : (size_of big_cls l = \sum_(k | h k == l) size_of cls k)%N.
Proof.
have := merge_sum xpredT l; rewrite /size_of.
under eq_bigr do rewrite andbT; move=> ->; apply: eq_bigr => k _.
by apply: eq_bigr => r _; rewrite andbT.
Qed.

Lemma merge_count l i :
  (count_of big_cls l i = \sum_(k | h k == l) count_of cls k i)%N.
Proof. exact: merge_sum. Qed.

Lemma count0 k i : size_of cls k = 0%N -> count_of cls k i = 0%N.
Proof.
move=> /eqP; rewrite sum_nat_eq0 => /forallP z; apply/eqP; rewrite sum_nat_eq0.
apply/forallP=> r; apply/implyP=> _; have := z r; rewrite implyTb.
by case: (cls r == k).
Qed.

Lemma size_count k : size_of cls k = (\sum_i count_of cls k i)%N.
Proof.
rewrite exchange_big; apply: eq_bigr => r _ /=; rewrite (bigD1 (s r)) //= eqxx andbT.
by rewrite big1 ?addn0 // => i /negPf; rewrite eq_sym => ->; rewrite andbF.
Qed.

Lemma merge_nonempty l : (0 < size_of big_cls l)%N ->
  exists2 k, h k == l & (0 < size_of cls k)%N.
Proof.
rewrite merge_size lt0n sum_nat_eq0 => /forallPn[k].
by rewrite negb_imply -lt0n => /andP[]; exists k.
Qed.

Lemma merge_ge k i l : h k == l -> (count_of cls k i <= count_of big_cls l i)%N.
Proof. by move=> kl; rewrite merge_count (bigD1 k) //= leq_addr. Qed.

Theorem k_anonymous_merge kk : k_anonymous kk cls -> k_anonymous kk big_cls.
Proof.
move=> H l /merge_nonempty[k kl /H le]; apply: leq_trans le _.
by rewrite merge_size (bigD1 k) //= leq_addr.
Qed.

Theorem distinct_merge m : distinct m cls -> distinct m big_cls.
Proof.
move=> H l /merge_nonempty[k kl /H le]; apply: leq_trans le _.
by apply/subset_leq_card/subsetP=> i; rewrite !inE => /leq_trans; apply; apply: merge_ge.
Qed.

(* the share of class k in its union l *)
Definition share l k : R :=
  if h k == l then (size_of cls k)%:R / (size_of big_cls l)%:R else 0.

(* the distribution in a union is a mean of those in its parts (Fact 2) *)
Lemma dist_is_mean l : (0 < size_of big_cls l)%N ->
  [/\ forall k, 0 <= share l k, \sum_k share l k = 1,
      forall i, dist_of big_cls l i = \sum_k share l k * dist_of cls k i &
      forall k, share l k != 0 -> h k == l /\ (0 < size_of cls k)%N].
Proof.
move=> l0; set N := size_of big_cls l in l0 *.
have N0 : N%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
split=> [k||i|k].
- by rewrite /share; case: ifP => // _; rewrite divr_ge0 ?ler0n.
- by rewrite /share -big_mkcond -mulr_suml -natr_sum -merge_size divff.
- rewrite {1}/dist_of -/N merge_count natr_sum mulr_suml big_mkcond.
  apply: eq_bigr => k _; rewrite /share -/N; case: ifP => _; last by rewrite mul0r.
  have [z|] := eqVneq (size_of cls k) 0%N; first by rewrite count0 // z !mul0r.
  by move=> nz; rewrite /dist_of [RHS]mulrC mulrA divfK // pnatr_eq0.
- rewrite /share; case: ifP => [_|]; last by rewrite eqxx.
  by have [->|] := posnP (size_of cls k); first by rewrite mul0r eqxx.
Qed.

(* what is closed under means is kept by unions: one theorem for many models *)
Theorem mean_merge (C : (T -> R) -> Prop) l : closed_under_means C ->
    (forall k, h k == l -> (0 < size_of cls k)%N -> C (dist_of cls k)) ->
  (0 < size_of big_cls l)%N -> C (dist_of big_cls l).
Proof.
move=> HC H /dist_is_mean[w0 w1 E P]; apply: (HC K (share l) (dist_of cls)) => //.
by move=> k /P[? ?]; apply: H.
Qed.

(* the Generalization Property of the t-closeness paper *)
Theorem t_close_merge d t : t_close d t cls -> t_close d t big_cls.
Proof.
move=> H l; apply: (mean_merge (C := fun P => emd_le d P overall t)).
  by move=> K' w P p w0 w1 E; apply: emd_le_sum.
by move=> k _; apply: H.
Qed.
End Merge.

(* the Subset property: fewer quasi-identifiers give larger classes *)
Section Subset.
Variables (Att V : finType) (qi : Att -> Rec -> V).
Definition class_on (C : {set Att}) (r : Rec) : {ffun Att -> option V} :=
  [ffun a => if a \in C then Some (qi a r) else None].

Theorem t_close_subset d t (C D : {set Att}) : D \subset C ->
  t_close d t (class_on C) -> t_close d t (class_on D).
Proof.
move=> /subsetP DC H; pose h (g : {ffun Att -> option V}) :=
  [ffun a => if a \in D then g a else None].
have E : class_on D =1 h \o class_on C.
  by move=> r; apply/ffunP=> a; rewrite !ffunE /=; case: ifP => // /DC ->.
have sE k : size_of (class_on D) k = size_of (h \o class_on C) k.
  by apply: eq_bigr => r _; rewrite E.
move=> k; rewrite sE => k0; have [f [f0 fr fc] cf] := t_close_merge H k0.
exists f => //; split=> // i; rewrite fr /dist_of sE; congr (_%:R / _).
by apply: eq_bigr => r _; rewrite E.
Qed.
End Subset.

(* ---- t-closeness and the distance itself ---------------------------------- *)
Section Distance.
Variables (K : finType) (cls : Rec -> K).

Lemma dist_sum k : (0 < size_of cls k)%N -> \sum_i dist_of cls k i = 1.
Proof.
move=> k0; rewrite -mulr_suml -natr_sum -size_count divff // pnatr_eq0.
by rewrite -lt0n.
Qed.

Lemma overall_sum : (0 < #|Rec|)%N -> \sum_i overall i = 1.
Proof.
move=> n0; rewrite -mulr_suml -natr_sum exchange_big /=.
rewrite (eq_bigr (fun=> 1%N)) => [|r _]; last first.
  by rewrite (bigD1 (s r)) //= eqxx big1 // => i /negPf; rewrite eq_sym => ->.
by rewrite sum1_card divff // pnatr_eq0 -lt0n.
Qed.

Lemma dist_same_mass k : (0 < size_of cls k)%N -> same_mass (dist_of cls k) overall.
Proof.
move=> k0; split=> [i|i|]; try by rewrite divr_ge0 ?ler0n.
rewrite dist_sum // overall_sum //; move: k0; rewrite lt0n sum_nat_eq0 => /forallPn[r _].
by apply/card_gt0P; exists r.
Qed.

Theorem t_close_emd d t :
  t_close d t cls <->
  forall k, (0 < size_of cls k)%N -> emd d (dist_of cls k) overall <= t.
Proof.
by split=> H k k0; [apply/(emd_leE d t (dist_same_mass k0))/H
                   |apply/(emd_leE d t (dist_same_mass k0))/H].
Qed.
End Distance.

(* the table that shows no quasi-identifiers is t-close for every t >= 0 *)
Theorem whole_table_close d t : (forall i, d i i = 0) -> 0 <= t ->
  t_close d t (fun _ : Rec => tt).
Proof.
move=> d0 t0 [] k0; have E : overall =1 dist_of (fun=> tt) tt.
  move=> i; rewrite /overall /dist_of; congr (_%:R / _%:R).
  by rewrite /size_of sum1_card.
have p0 i : 0 <= overall i by rewrite divr_ge0 ?ler0n.
have [f [f0 fr fc] cf] := emd_refl p0 d0.
by exists f; [split=> // i; rewrite fr E | apply: le_trans t0].
Qed.
End Tables.
