(* exp(epsilon)-closeness reads as epsilon-differential privacy against an
   intruder who knows the distribution of the sensitive attribute and no more.

   Places in the papers: Soria-Comas and Domingo-Ferrer 2013, section 4, whose two
   assumptions appear here as definitions:
     assumption 1 (only the relation between quasi-identifiers and sensitive
       values is protected): a release shows the class of each person and the
       counts of the sensitive values in it, and that is all the intruder uses;
     assumption 2 (prior knowledge is the distribution in the table): believed_before.
     closeness_iff_dp    exp(epsilon)-closeness = the inequality of Definition 4
          between what the intruder believes before and after the release
     two_people_dp       what the release says about any two people differs by
          exp(epsilon)^2 at most
     no_randomness_no_dp what the link does not say: a release is a function of
          the data, so as a mechanism on data sets it is not differentially
          private for any epsilon

   The idea in three lines:
   - after the release the belief about a person is the distribution in the class;
   - Definition 5 bounds its ratio to the distribution in the table, both ways;
   - the bound on sets and the inequality of Definition 4 are the same numbers.
   Everywhere e stands for exp(epsilon). *)
From mathcomp Require Import all_ssreflect all_algebra.
From Tcloseness Require Import Transport Tables Models.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* probability of a set *)
Definition prob (R : realFieldType) (O : finType) (p : O -> R) (S : {set O}) : R :=
  \sum_(i in S) p i.

(* Definition 4 for a mechanism with finitely many outcomes: mech D is the
   distribution of the outcome on D, and near D D' that they are neighbours *)
Definition dp (R : realFieldType) (Data : Type) (O : finType) (e : R)
    (near : Data -> Data -> Prop) (mech : Data -> O -> R) : Prop :=
  forall D D', near D D' -> forall S : {set O}, prob (mech D) S <= e * prob (mech D') S.

Section Link.
Variables (R : realFieldType) (Rec T K : finType) (s : Rec -> T) (cls : Rec -> K).
Variable e : R.
Hypothesis e0 : 0 <= e.

(* what the intruder believes about the sensitive value of a person *)
Definition believed_before (r : Rec) : T -> R := overall R s.
Definition believed_after (r : Rec) : T -> R := dist_of R s cls (cls r).

(* the release seen as an answer about person r: nothing (None) or the class *)
Definition answer (r : Rec) (seen : bool) : T -> R :=
  if seen then believed_after r else believed_before r.

Lemma own_class r : (0 < size_of cls (cls r))%N.
Proof. by rewrite /size_of (bigD1 r) //= eqxx. Qed.

Theorem closeness_iff_dp :
  every_class s cls (fun p => ratio_close e p (overall R s)) <->
  forall r, dp e (fun a b : bool => a != b) (answer r).
Proof.
have q0 := @overall_ge0 R Rec T s; have p0 r i : 0 <= believed_after r i by apply: dist_ge0.
have on0 (p : T -> R) (S : {set T}) : (forall i, 0 <= p i) -> 0 <= prob p S.
  by move=> p0'; apply: sumr_ge0.
split=> [H r a b ab S|H k k0].
  have [pq qp] := H _ (own_class r) S; have := p0 r => pr.
  have {}pq : prob (believed_after r) S <= e * prob (believed_before r) S.
    by apply/ratio_leE => //; apply: on0.
  have {}qp : prob (believed_before r) S <= e * prob (believed_after r) S.
    by apply/ratio_leE => //; apply: on0.
  by case: a b ab => -[].
have [r _ rk] : exists2 r, r \in Rec & cls r = k.
  move: k0; rewrite lt0n sum_nat_eq0 => /forallPn[r]; rewrite implyTb eqb0 negbK => /eqP.
  by exists r.
move=> S; rewrite -rk; split; apply/ratio_leE => //; try by apply: on0.
- exact: (on0 _ _ (p0 r)).
- exact: (H r true false isT S).
- exact: (on0 _ _ (p0 r)).
- exact: (H r false true isT S).
Qed.

(* any two people, whatever their classes *)
Theorem two_people_dp :
  every_class s cls (fun p => ratio_close e p (overall R s)) ->
  dp (e * e) (fun _ _ : Rec => True) believed_after.
Proof.
move/closeness_iff_dp=> H r r' _ S; rewrite -mulrA.
apply: le_trans (H r true false isT S) _; apply: ler_wpmul2l => //.
exact: (H r' false true isT S).
Qed.
End Link.

(* a release that is a function of the data, on data sets that it tells apart *)
Theorem no_randomness_no_dp (R : realFieldType) (Data : Type) (O : finType)
    (near : Data -> Data -> Prop) (release : Data -> O) (D D' : Data) :
    near D D' -> release D != release D' ->
  forall e : R, ~ dp e near (fun D o => (o == release D)%:R).
Proof.
move=> nd ne e /(_ _ _ nd [set release D]).
by rewrite /prob !big_set1 eqxx (negPf ne) mulr0 ler10.
Qed.
