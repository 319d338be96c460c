(* What a release tells a reader who knows the method and everybody's
   quasi-identifiers: classes that depend on quasi-identifiers alone leave every
   assignment of a class's values to its members possible; and which sums of counts
   several releases of one table publish.

   A table is a set of records Rec with quasi-identifiers q : Rec -> Q and
   sensitive values s : Rec -> S.  A method whose classes and labels depend on q
   alone publishes them, and how often each value occurs in each class.

   Places in the papers:
     every_assignment   an original is consistent with the release exactly if its
          values are those of the table, permuted inside the classes
     certain_iff        so a value is certain exactly if its class has no other: the
          homogeneity attack of the l-diversity paper, section 1.1, is complete
     belief             and among the consistent originals, all counted alike, the
          share in which a person has a value is its share of the class: the random
          worlds of the l-diversity paper, section 3.1
     persons_of_cell, values_of_class    the sums that several releases publish,
          and that weights of them bound (Programs.sums_bound)
     everybody, nobody  what a bound settles of the persons of a cell

   The idea in three lines:
   - two tables with equal counts in each class differ by a permutation inside it;
   - exchanging two persons of a class permutes the consistent originals;
   - persons who are in the same class of every release are counted once in each. *)
From mathcomp Require Import all_ssreflect all_fingroup all_algebra ring.
From Tcloseness Require Import Tables.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- equal counts are a permutation -------------------------------------------- *)
Section Permutation.
Variables (Rec : finType) (A : eqType).

Lemma equal_counts_permute (f g : Rec -> A) :
  (forall a, #|[pred r | f r == a]| = #|[pred r | g r == a]|) ->
  exists p : {perm Rec}, forall r, g (p r) = f r.
Proof.
move=> same; pose of_f r := enum [pred x | f x == f r].
pose of_g r := enum [pred x | g x == f r].
pose h r := nth r (of_g r) (index r (of_f r)).
have at_f r : (index r (of_f r) < size (of_g r))%N.
  by rewrite /of_g -cardE -same cardE index_mem mem_enum inE.
have hE r : g (h r) = f r.
  by have := mem_nth r (at_f r); rewrite mem_enum inE => /eqP.
have h_inj : injective h.
  move=> r1 r2 e; have ef : f r1 = f r2 by rewrite -!hE e.
  have eg : of_g r1 = of_g r2 by rewrite /of_g ef.
  have el : of_f r1 = of_f r2 by rewrite /of_f ef.
  have := at_f r1; have := at_f r2; move: e; rewrite /h eg el => e at2 at1.
  move: e; rewrite (set_nth_default r2) // => /eqP; rewrite nth_uniq ?enum_uniq // => /eqP e.
  have in1 : r1 \in of_f r2 by rewrite mem_enum inE ef.
  have in2 : r2 \in of_f r2 by rewrite mem_enum inE.
  by rewrite -(nth_index r2 in1) e nth_index.
by exists (perm h_inj) => r; rewrite permE hE.
Qed.

End Permutation.

(* ---- a method whose classes depend on the quasi-identifiers alone -------------- *)
Section Method.
Variables (Rec Q S K : finType) (L : Type).
Variables (classes : {ffun Rec -> Q} -> {ffun Rec -> K}) (labels : {ffun Rec -> Q} -> L).
Variable q : {ffun Rec -> Q}.
Notation cls := (classes q).
Implicit Types (s : {ffun Rec -> S}) (r : Rec).

(* what it publishes: who is in which class, the labels, the counts of the values *)
Definition release s : {ffun Rec -> K} * L * {ffun K * S -> nat} :=
  (cls, labels q, [ffun kv => count_of s cls kv.1 kv.2]).

(* an original that a reader who knows q has to reckon with *)
Definition consistent s s' : Prop := release s' = release s.
Definition consistentb s s' : bool :=
  [forall kv : K * S, count_of s' cls kv.1 kv.2 == count_of s cls kv.1 kv.2].

Lemma consistentP s s' : reflect (consistent s s') (consistentb s s').
Proof.
apply: (iffP forallP) => [e|[/ffunP e] kv]; last by have := e kv; rewrite !ffunE => ->.
by congr (_, _, _); apply/ffunP=> kv; rewrite !ffunE; apply/eqP.
Qed.

Lemma count_card s k v : count_of s cls k v = #|[pred r | (cls r, s r) == (k, v)]|.
Proof.
rewrite /count_of -sum1_card [RHS]big_mkcond; apply: eq_bigr => r _.
by rewrite inE xpair_eqE; case: (_ && _).
Qed.

Theorem every_assignment s s' : consistent s s' <->
  exists2 p : {perm Rec}, (forall r, cls (p r) = cls r) & s' = [ffun r => s (p r)].
Proof.
split=> [/consistentP/forallP same|[p pcls ->]].
  have [] := @equal_counts_permute Rec _ (fun r => (cls r, s' r)) (fun r => (cls r, s r)).
    by case=> k v; rewrite -!count_card; apply/eqP/(same (k, v)).
  move=> p pE; exists p => [r|]; first by case: (pE r).
  by apply/ffunP=> r; rewrite ffunE; case: (pE r).
apply/consistentP/forallP=> -[k v] /=; apply/eqP.
rewrite /count_of [RHS](reindex_inj (@perm_inj _ p)) /=.
by apply: eq_bigr => r _; rewrite ffunE pcls.
Qed.

(* exchanging the values of two persons *)
Definition exchanged r r' s := [ffun x => s (tperm r r' x)] : {ffun Rec -> S}.

Lemma exchangedK r r' : involutive (exchanged r r').
Proof. by move=> s; apply/ffunP=> x; rewrite !ffunE tpermK. Qed.

Lemma exchanged_consistent r r' s s' : cls r = cls r' -> consistent s s' ->
  consistent s (exchanged r r' s').
Proof.
move=> rr' /every_assignment[p pcls ->]; apply/every_assignment.
exists (tperm r r' * p)%g => [x|]; last by apply/ffunP=> x; rewrite !ffunE permM.
by rewrite permM pcls; case: tpermP => // ->.
Qed.

Theorem certain_iff s r v :
  (forall s', consistent s s' -> s' r = v) <-> (forall r', cls r' = cls r -> s r' = v).
Proof.
split=> [H r' rr'|H s' /every_assignment[p pcls ->]]; last by rewrite ffunE H.
by have := H _ (exchanged_consistent (esym rr') (erefl _ : consistent s s)); rewrite ffunE tpermL.
Qed.

(* the consistent originals, and those in which a person has a value *)
Definition worlds s : {set {ffun Rec -> S}} := [set s' | consistentb s s'].
Definition worlds_with s r v : {set {ffun Rec -> S}} := [set s' in worlds s | s' r == v].

Lemma worlds_with_alike s r r' v : cls r = cls r' ->
  #|worlds_with s r v| = #|worlds_with s r' v|.
Proof.
move=> rr'; rewrite -(card_imset _ (inv_inj (exchangedK r r'))); congr #|pred_of_set _|.
have swap t : consistentb s t -> consistentb s (exchanged r r' t).
  by move=> /consistentP ct; apply/consistentP; exact: exchanged_consistent.
apply/setP=> t; apply/imsetP/idP=> [[t' + ->]|].
  by rewrite !inE !ffunE tpermR => /andP[/swap-> ->].
rewrite !inE => /andP[/swap ct tv]; exists (exchanged r r' t); last by rewrite exchangedK.
by rewrite !inE ct ffunE tpermL.
Qed.

(* the share of the originals is the share of the class: N(r, v) * size = N * count *)
Theorem belief s r v :
  (#|worlds_with s r v| * size_of cls (cls r) = #|worlds s| * count_of s cls (cls r) v)%N.
Proof.
have -> : (#|worlds_with s r v| * size_of cls (cls r) =
    \sum_r' (cls r' == cls r) * #|worlds_with s r' v|)%N.
  rewrite mulnC big_distrl /=; apply: eq_bigr => r' _.
  by case: eqP => // e; rewrite !mul1n (worlds_with_alike _ _ e).
have -> : (#|worlds s| * count_of s cls (cls r) v =
    \sum_(s' in worlds s) count_of s' cls (cls r) v)%N.
  rewrite -sum_nat_const; apply: eq_bigr => s'; rewrite inE => /forallP/(_ (cls r, v))/eqP.
  by move=> /= ->.
rewrite /count_of exchange_big /=; apply: eq_bigr => r' _.
rewrite -sum1_card big_distrr /= [LHS]big_mkcond [RHS]big_mkcond /=; apply: eq_bigr => s' _.
by rewrite !inE; case: (consistentb s s'); case: (cls r' == cls r); case: (s' r' == v).
Qed.

End Method.

(* ---- several releases of one table ------------------------------------------------ *)
Section Sums.
Variables (Rec S J K : finType) (cls : J -> Rec -> K) (s : Rec -> S).

(* the persons who are in the same class of every release; one of the classes may be
   "not in this release" *)
Definition cell r : {ffun J -> K} := [ffun j => cls j r].
Definition has c v : nat := count_of s cell c v.

Theorem persons_of_cell c : (\sum_v has c v)%N = size_of cell c.
Proof.
rewrite /has /count_of exchange_big; apply: eq_bigr => r _.
by rewrite (bigD1 (s r)) //= eqxx andbT big1 ?addn0 // => v /negPf; rewrite eq_sym => ->; rewrite andbF.
Qed.

Theorem values_of_class j k v :
  (\sum_(c : {ffun J -> K} | c j == k) has c v)%N = count_of s (cls j) k v.
Proof.
rewrite /has /count_of exchange_big; apply: eq_bigr => r _ /=.
rewrite big_mkcond (bigD1 (cell r)) //= eqxx ffunE big1 ?addn0; first by case: ifP.
by move=> c /negPf; rewrite eq_sym => ->; case: ifP.
Qed.

Theorem everybody c v r : (size_of cell c <= has c v)%N -> cell r = c -> s r = v.
Proof.
move=> all_v rc; apply/eqP/negPn/negP=> not_v; move: all_v; apply/negP; rewrite -ltnNge.
rewrite /has /count_of /size_of (bigD1 r) //= [X in (_ < X)%N](bigD1 r) //= rc eqxx (negPf not_v).
by rewrite add0n add1n ltnS leq_sum // => x _; case: (_ == _); rewrite ?leq_b1.
Qed.

Theorem nobody c v r : has c v = 0%N -> cell r = c -> s r <> v.
Proof.
by move=> /eqP; rewrite sum_nat_eq0 => /forallP/(_ r) /= e rc sv; move: e; rewrite rc sv !eqxx.
Qed.

End Sums.
