(* Cuts of hierarchies: what a violating tuple of nodes forbids, and what a cut costs.

   A cut takes, of each attribute, one node at or above each value.  d_b says that it
   goes strictly below node b.

   Places in the checkers: certificates of optimal cuts; Programs.cut_bound is the bound
     tuple_forbids   a tuple whose class violates: some node's parent b has not d_b
     goes_below_up   d at a child gives d at its parent
     cut_cost        cost of the cut = cost of the roots - sum d_a saved(a)

   The idea in three lines:
   - strictly below the parent, and above a value of the child: at or below the child;
   - so the tuple's class is a union of classes of the cut, and satisfies as they do;
   - a node is in the cut iff d holds at its parent and not at itself. *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From Tcloseness Require Import Transport Tables Models.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Forbids.
Variables (R : realFieldType) (Rec T A N : finType) (s : Rec -> T).
(* u is at or below v; the value of a record; the parent of a node *)
Variables (le : rel N) (leaf : A -> Rec -> N) (par : N -> option N).
Hypothesis le_trans : forall u v w, le u v -> le v w -> le u w.
Hypothesis le_anti : forall u v, le u v -> le v u -> u = v.
Hypothesis chain : forall x u v, le x u -> le x v -> le u v || le v u.
Hypothesis parent : forall a b u, par a = Some b -> le a u -> a != u -> le b u.
Hypothesis root : forall a u, par a = None -> le a u -> u = a.
Hypothesis refl : forall u, le u u.

Variable cut : A -> Rec -> N.
Hypothesis cut_above : forall i r, le (leaf i r) (cut i r).
Definition cut_class r : {ffun A -> N} := [ffun i => cut i r].
Definition goes_below b : bool :=
  [forall i, forall r, le (leaf i r) b ==> le (cut i r) b && (cut i r != b)].

Variable a : A -> N.                                 (* the tuple *)
Definition in_tuple r : bool := [forall i, le (leaf i r) (a i)].

Lemma tuple_is_union : (forall i b, par (a i) = Some b -> goes_below b) ->
    (forall i b, par (a i) = Some b -> le (a i) b) ->
  exists h, in_tuple =1 h \o cut_class.
Proof.
move=> d up; exists (fun k => [forall i, le (k i) (a i)]) => r; rewrite /in_tuple /=.
apply: eq_forallb => i; rewrite ffunE; apply/idP/idP => [la|]; last exact: le_trans (cut_above i r).
case E : (par (a i)) => [b|]; last first.
  have [//|ac] := orP (chain (cut_above i r) la).
  by rewrite (root E ac) refl.
have [//|ac] := orP (chain (cut_above i r) la).
have [<-|ne] := eqVneq (a i) (cut i r); first exact: refl.
have bc := parent E ac ne; have /forallP/(_ i)/forallP/(_ r)/implyP := d i b E.
by rewrite (le_trans la (up i b E)) => /(_ isT)/andP[cb]; rewrite (le_anti cb bc) eqxx.
Qed.

Theorem tuple_forbids (C : (T -> R) -> Prop) : closed_under_means C ->
    (forall p q, p =1 q -> C p -> C q) ->
    (forall i b, par (a i) = Some b -> le (a i) b) ->
    every_class s cut_class C ->
    (0 < size_of in_tuple true)%N -> ~ C (dist_of R s in_tuple true) ->
  exists i b, par (a i) = Some b /\ ~~ goes_below b.
Proof.
move=> HC ext up sat n0 bad.
have [/forallP d|] := boolP [forall i, if par (a i) is Some b then goes_below b else true].
  case: bad; have [|h E] := tuple_is_union _ up; first by move=> i b E; have := d i; rewrite E.
  have sE : size_of in_tuple true = size_of (h \o cut_class) true.
    by apply: eq_bigr => r _; rewrite E.
  rewrite sE in n0; apply: ext (every_class_merge HC sat n0) => i.
  rewrite /dist_of sE; congr (_%:R / _); by apply: eq_bigr => r _; rewrite E.
by rewrite negb_forall => /existsP[i]; case E : (par (a i)) => [b|//] nb; exists i, b.
Qed.

(* d at a child gives d at its parent, if one node of the cut lies above each value
   and the child has a record *)
Theorem goes_below_up e b i0 r0 : (forall i r r', le (leaf i r') (cut i r) -> cut i r' = cut i r) ->
    le e b -> e != b -> le (leaf i0 r0) e ->
    (forall i r, le (leaf i r) b -> i = i0) ->
  goes_below e -> goes_below b.
Proof.
move=> valid eb ne x0 one /forallP/(_ i0)/forallP/(_ r0)/implyP/(_ x0)/andP[ce _].
apply/forallP=> i; apply/forallP=> r; apply/implyP=> lb; have ii := one i r lb; subst i.
have up : ~~ le b (cut i0 r).
  apply/negP=> bc; have E : cut i0 r0 = cut i0 r.
    by apply: valid; apply: le_trans bc; apply: le_trans eb.
  by case/negP: ne; apply/eqP; apply: le_anti => //; apply: le_trans bc _; rewrite -E.
have := chain (cut_above i0 r) lb; rewrite (negPf up) orbF => -> /=.
by apply: contraNneq up => ->; apply: refl.
Qed.
End Forbids.

(* ---- the cost --------------------------------------------------------------------- *)
Section Cost.
Variables (R : realFieldType) (N : finType) (par : N -> option N) (pay : N -> R) (d : N -> bool).
Hypothesis chain : forall e b, par e = Some b -> d e -> d b.
Definition saved b : R := pay b - \sum_(e | par e == Some b) pay e.
Definition chosen e : bool := ~~ d e && (if par e is Some b then d b else true).

Theorem cut_cost :
  \sum_(e | chosen e) pay e = \sum_(e | par e == None) pay e - \sum_b (d b)%:R * saved b.
Proof.
have -> : \sum_b (d b)%:R * saved b
    = \sum_e (d e)%:R * pay e - \sum_e (if par e is Some b then (d b)%:R * pay e else 0).
  rewrite /saved; under eq_bigr do rewrite mulrBr; rewrite sumrB; congr (_ - _).
  under eq_bigr do rewrite mulr_sumr big_mkcond; rewrite exchange_big /=.
  apply: eq_bigr => e _; case E : (par e) => [b|]; last by rewrite big1 // => b; case: eqP.
  rewrite (bigD1 b) //= eqxx big1 ?addr0 // => b' nb; case: eqP => // -[bb].
  by rewrite bb eqxx in nb.
transitivity (\sum_e ((if par e == None then pay e else 0)
    + (if par e is Some b then (d b)%:R * pay e else 0) - (d e)%:R * pay e)); last first.
  by rewrite sumrB big_split /= -big_mkcond opprB addrA.
rewrite big_mkcond; apply: eq_bigr => e _; rewrite /chosen; case E : (par e) => [b|] /=.
  have := chain E; case: (d e); case: (d b) => //=; rewrite ?mul1r ?mul0r ?subr0 ?addr0 ?add0r ?subrr //.
  by move/(_ isT).
by case: (d e) => /=; rewrite ?mul1r ?mul0r ?subr0 ?addr0 ?add0r ?subrr.
Qed.
End Cost.
