(* Fact 2 as a mean: for two classes as printed, and for any number of classes.

   Places in the t-closeness paper, section 4:
     Transport.emd_le_mean   EMD of a mean <= mean of the EMDs
     fact2_mean    for a class that is a union: weights n_k / n
     fact2_printed D[P, Q] <= |E1|/(|E1|+|E2|) D[P1, Q] + |E2|/(|E1|+|E2|) D[P2, Q]

   The idea in three lines:
   - a mean of couplings is a coupling of the means and costs the mean;
   - the distribution in a union is the mean of those in its parts (dist_is_mean);
   - two classes are the case of two parts. *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From Tcloseness Require Import Transport Existence Tables.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Union.
Variables (R : realFieldType) (Rec T K L : finType) (s : Rec -> T) (cls : Rec -> K) (h : K -> L).
Notation dist_of := (dist_of R s).
Notation overall := (overall R s).
Notation big_cls := (h \o cls).

(* the mean of the distances, weighted with the sizes *)
Theorem fact2_mean d l : (0 < size_of big_cls l)%N ->
  emd d (dist_of big_cls l) overall
  <= \sum_(k | h k == l) (size_of cls k)%:R / (size_of big_cls l)%:R * emd d (dist_of cls k) overall.
Proof.
move=> l0; have [w0 w1 E pos] := dist_is_mean R s l0.
apply/(emd_leE d _ (dist_same_mass R s l0)).
have -> : \sum_(k | h k == l) (size_of cls k)%:R / (size_of big_cls l)%:R * emd d (dist_of cls k) overall
    = \sum_k share R cls h l k * emd d (dist_of cls k) overall.
  by rewrite big_mkcond; apply: eq_bigr => k _; rewrite /share; case: ifP; rewrite ?mul0r.
apply: (emd_le_mean w0 w1 E) => k /pos[_ k0].
exact/(emd_leE d _ (dist_same_mass R s k0)).
Qed.
End Union.

(* two disjoint classes, as the paper prints it *)
Section Two.
Variables (R : realFieldType) (Rec T : finType) (s : Rec -> T).
Implicit Types (E : {set Rec}) (d : T -> T -> R).
Definition dist_in E i : R := (\sum_(r in E) (s r == i))%N%:R / #|E|%:R.

Theorem fact2_printed d E1 E2 : [disjoint E1 & E2] -> E1 != set0 -> E2 != set0 ->
  emd d (dist_in (E1 :|: E2)) (overall R s)
  <= #|E1|%:R / (#|E1|%:R + #|E2|%:R) * emd d (dist_in E1) (overall R s)
   + #|E2|%:R / (#|E1|%:R + #|E2|%:R) * emd d (dist_in E2) (overall R s).
Proof.
move=> dis n1 n2; pose cls r : option bool :=
  if r \in E1 then Some true else if r \in E2 then Some false else None.
pose h (o : option bool) := o == None.
have e2 r : r \in E2 -> (r \in E1) = false by move=> rE; rewrite (disjointFl dis).
have c1 r : (cls r == Some true) = (r \in E1) by rewrite /cls; case: (r \in E1); case: (r \in E2).
have c2 r : (cls r == Some false) = (r \in E2).
  by rewrite /cls; case: ifP => [/(disjointFr dis)->|_] //; case: ifP.
have c0 r : ((h \o cls) r == false) = (r \in E1 :|: E2).
  by rewrite /= /h /cls inE; case: (r \in E1); case: (r \in E2).
have sizeE (M : finType) (c : Rec -> M) k E : (forall r, (c r == k) = (r \in E)) -> size_of c k = #|E|.
  by move=> cE; rewrite /size_of -sum1_card [RHS]big_mkcond; apply: eq_bigr => r _; rewrite cE; case: (r \in E).
have distE (M : finType) (c : Rec -> M) k E : (forall r, (c r == k) = (r \in E)) ->
    dist_of R s c k =1 dist_in E.
  move=> cE i; rewrite /dist_of (sizeE _ _ _ _ cE) /dist_in; congr (_%:R / _).
  by rewrite [RHS]big_mkcond; apply: eq_bigr => r _; rewrite cE; case: (r \in E).
have emdE (M : finType) (c : Rec -> M) k E : (forall r, (c r == k) = (r \in E)) -> E != set0 ->
    emd d (dist_of R s c k) (overall R s) = emd d (dist_in E) (overall R s).
  move=> cE E0; have k0 : (0 < size_of c k)%N by rewrite (sizeE _ _ _ _ cE) card_gt0.
  have S := dist_same_mass R s k0; symmetry; apply: emd_eq.
  have [[f [f0 r q] fE] best] := emdP d S; split=> [|g [g0 gr gq]].
    by exists f => //; split=> // i; rewrite r (distE _ _ _ _ cE).
  by apply: best; split=> // i; rewrite gr (distE _ _ _ _ cE).
have u0 : E1 :|: E2 != set0 by rewrite setU_eq0 negb_and n1.
have F := @fact2_mean R Rec T _ _ s cls h d false.
have s0 := sizeE _ _ _ _ c0; have s1 := sizeE _ _ _ _ c1; have s2 := sizeE _ _ _ _ c2.
have U : size_of (h \o cls) false = (#|E1| + #|E2|)%N.
  by rewrite s0 cardsU disjoint_setI0 // cards0 subn0.
rewrite U addn_gt0 !card_gt0 n1 natrD in F; have {}F := F isT.
have two (G : option bool -> R) : \sum_(k | h k == false) G k = G (Some true) + G (Some false).
  by rewrite (bigD1 (Some true)) //= (bigD1 (Some false)) //= big1 ?addr0 //; case=> [[]|].
rewrite two s1 s2 in F.
by move: F (emdE _ _ _ _ c0 u0) (emdE _ _ _ _ c1 n1) (emdE _ _ _ _ c2 n2) => F <- <- <-.
Qed.
End Two.
