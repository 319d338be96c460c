(* The number that hierarchical_emd returns is the earth mover's distance under the hierarchical distance: the
   Python function, from its inputs to Hierarchies.tree_emd_paper, for every tree whose heights rise.

   Places in the code: transport/closed_forms.py, hierarchical_emd; place in the paper: t-closeness, section 5.2
     hierarchical_emd_is_emd     is_emd (tree_dist root par ht leaf) P Q (what hierarchical_emd returns / s)

   The inputs hold whole numbers: s times the masses for some s > 0, such as a common denominator.  A height is 0
   where a value is, and greater than those of the children; so a node with one child counts as a level.

   The idea in three lines:
   - the extras of the code are s times those of the tree, by induction along the order of the nodes;
   - the children of a node are those before it whose parent it is;
   - a tree of height 0 has one node, so nothing is divided. *)
From Coq Require Import ZArith Lia.
From mathcomp Require Import all_ssreflect all_algebra ring ssrZ.
From Tcloseness Require Import Transport Laminar Hierarchies.
From Tcloseness.kernels Require Import Emd.
From Tcloseness.kernels Require Kernel Generated Hierarchical.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section HierarchicalEmd.
Variable R : realFieldType.
Notation z2r := (@z2r R).

Lemma z2r0 : z2r Z0 = 0. Proof. by []. Qed.
Lemma z2rN a : z2r (Z.opp a) = - z2r a.
Proof. by apply/eqP; rewrite -addr_eq0 -z2rD Z.add_opp_diag_l. Qed.
Lemma z2rB a b : z2r (Z.sub a b) = z2r a - z2r b.
Proof. by rewrite -z2rN -z2rD Z.add_opp_r. Qed.
Lemma z2r_ge0 a : Z.le 0 a -> 0 <= z2r a.
Proof. by move=> /Z.abs_eq <-; rewrite z2r_abs normr_ge0. Qed.
Lemma z2r_le a b : Z.le a b -> z2r a <= z2r b.
Proof. by move=> ab; rewrite -subr_ge0 -z2rB z2r_ge0 //; lia. Qed.
Lemma z2r_min a b : z2r (Z.min a b) = Num.min (z2r a) (z2r b).
Proof.
have [ab|/Z.lt_le_incl ba] := Z.le_gt_cases a b.
  by rewrite Z.min_l // (min_idPl _) ?z2r_le.
by rewrite Z.min_r // (min_idPr _) ?z2r_le.
Qed.
Lemma z2r_max a b : z2r (Z.max a b) = Num.max (z2r a) (z2r b).
Proof.
have [ab|/Z.lt_le_incl ba] := Z.le_gt_cases a b.
  by rewrite Z.max_r // (max_idPr _) ?z2r_le.
by rewrite Z.max_l // (max_idPl _) ?z2r_le.
Qed.
Lemma z2r_nat k : z2r (Z.of_nat k) = k%:R.
Proof. by elim: k => // k IH; rewrite Nat2Z.inj_succ -Z.add_1_r z2rD IH -addn1 natrD. Qed.

(* nodes 0, ..., n, of which the last is the root *)
Variables (m n : nat) (P Q : 'I_m -> R) (par : 'I_n.+1 -> 'I_n.+1) (ht : 'I_n.+1 -> nat) (leaf : 'I_m -> 'I_n.+1) (s : R).
Notation root := (@ord_max n).
Hypotheses (s0 : 0 < s) (m0 : (0 < m)%N)
  (par_root : par root = root) (par_after : forall i, i != root -> (i < par i)%N)
  (ht_par : forall i, i != root -> (ht i < ht (par i))%N) (ht_leaf : forall x, ht (leaf x) = 0%N)
  (P0 : forall i, 0 <= P i) (Q0 : forall i, 0 <= Q i) (PQ : \sum_i P i = \sum_i Q i).

(* the arrays that the Python code is given *)
Variables p q parent height code : Kernel.arr.
Hypotheses (lp : Kernel.len p = Z.of_nat m) (lq : Kernel.len q = Z.of_nat m) (lparent : Kernel.len parent = Z.of_nat n.+1)
  (lheight : Kernel.len height = Z.of_nat n.+1) (lcode : Kernel.len code = Z.of_nat n.+1)
  (pE : forall x : 'I_m, z2r (Kernel.at1 p (Z.of_nat x)) = s * P x)
  (qE : forall x : 'I_m, z2r (Kernel.at1 q (Z.of_nat x)) = s * Q x)
  (parentE : forall i : 'I_n.+1, Kernel.at1 parent (Z.of_nat i) = Z.of_nat (par i))
  (heightE : forall i : 'I_n.+1, Kernel.at1 height (Z.of_nat i) = Z.of_nat (ht i))
  (codeE : forall x, Kernel.at1 code (Z.of_nat (leaf x)) = Z.of_nat x)
  (no_code : forall i : 'I_n.+1, (forall x, leaf x != i) -> Z.lt (Kernel.at1 code (Z.of_nat i)) Z0).

Notation T_extra := (tree_extra par leaf P Q).
Notation children i := (fun c => (c != root) && (par c == i)).

(* the children of a node are those before it whose parent it is *)
Lemma over_childrenE (F : Z -> Z) (f : 'I_n.+1 -> R) (i : 'I_n.+1) :
    (forall c : 'I_n.+1, (c < i)%N -> z2r (F (Z.of_nat c)) = f c) ->
  z2r (Hierarchical.over_children parent F (Z.of_nat i)) = \sum_(c | children i c) f c.
Proof.
move=> Ff; rewrite /Hierarchical.over_children (z2r_sum R 0) big_mkord.
rewrite (big_ord_widen_cond n.+1 xpredT (fun c => z2r (if Z.eqb (Kernel.at1 parent (Z.of_nat c)) (Z.of_nat i)
  then F (Z.of_nat c) else 0))) /=; last exact: ltnW.
rewrite big_mkcond [RHS]big_mkcond; apply: eq_bigr => c _ /=.
rewrite parentE; case: Z.eqb_spec => [/Nat2Z.inj/val_inj E|ne].
  rewrite E eqxx andbT; case: (boolP (c == root)) => [/eqP cr|ncr].
    have ir : i = root by rewrite -E cr.
    by rewrite cr ir ltnn.
  by have := par_after ncr; rewrite E => ci; rewrite ci Ff.
rewrite z2r0 if_same; case: (par c =P i) => [E|]; rewrite ?andbF //.
by case: ne; rewrite E.
Qed.

Lemma below_height_0 i x : ht i = 0%N -> x \in leaves_below par leaf i -> leaf x = i.
Proof. by move=> hi; rewrite inE => /(above_ht par_root ht_par)[->//|]; rewrite hi. Qed.

Lemma leaf_inj : injective leaf.
Proof. by move=> x y xy; apply/val_inj/Nat2Z.inj; rewrite -codeE -(codeE y) xy. Qed.

Lemma extraE (i : 'I_n.+1) : z2r (Hierarchical.extra p q parent code (Z.of_nat i)) = s * T_extra i.
Proof.
have [k] := ubnP (val i); elim: k i => // k IH i; rewrite ltnS => ik.
rewrite Hierarchical.extra_unfold; last by lia.
have [x /eqP xi|no] := pickP (fun x => leaf x == i).
  rewrite -xi codeE; have -> : Z.leb 0 (Z.of_nat x) = true by apply/Z.leb_le; lia.
  rewrite z2rB pE qE -mulrBr /tree_extra; congr (_ * _).
  have -> : leaves_below par leaf (leaf x) = [set x]; last by rewrite /on !big_set1.
  apply/setP=> y; rewrite in_set1; apply/idP/eqP => [/(below_height_0 (ht_leaf x))/leaf_inj//|->].
  by rewrite inE inE connect0.
have -> : Z.leb 0 (Kernel.at1 code (Z.of_nat i)) = false.
  by apply/Z.leb_gt/no_code => x; rewrite no.
rewrite (@over_childrenE _ (fun c => s * T_extra c)) => [|c ci]; last by apply: IH; apply: leq_trans ik.
rewrite -mulr_sumr; congr (_ * _); have [hi|hi] := posnP (ht i).
  rewrite big_pred0 => [|c]; last first.
    by apply/negP=> /andP[/ht_par + /eqP ci]; rewrite ci hi.
  have -> : T_extra i = 0; last by [].
  have E : leaves_below par leaf i = set0.
    by apply/setP=> x; rewrite in_set0; apply/negP=> /(below_height_0 hi) xi; move: (no x); rewrite xi eqxx.
  by rewrite /tree_extra E /on !big_set0 subrr.
rewrite (tree_extra_children par_root ht_par ht_leaf) // /tree_pos /tree_neg -sumrB.
by apply: eq_bigr => c _; rewrite pos_neg_diff.
Qed.

Lemma posE (i : 'I_n.+1) : z2r (Hierarchical.pos_extra p q parent code (Z.of_nat i)) = s * tree_pos root par leaf P Q i.
Proof.
rewrite /tree_pos mulr_sumr; apply: over_childrenE => c _.
by rewrite z2r_max extraE (maxr_pmulr _ _ (ltW s0)) mulr0.
Qed.

Lemma negE (i : 'I_n.+1) : z2r (Hierarchical.neg_extra p q parent code (Z.of_nat i)) = s * tree_neg root par leaf P Q i.
Proof.
rewrite /tree_neg mulr_sumr; apply: over_childrenE => c _.
by rewrite z2r_max z2rN extraE -mulrN (maxr_pmulr _ _ (ltW s0)) mulr0.
Qed.

Lemma highest i : (ht i <= ht root)%N.
Proof.
elim/(climb ht_par): i => // i ir; apply: leq_trans; exact/ltnW/ht_par.
Qed.

Theorem hierarchical_emd_is_emd :
  exists2 r, Generated.hierarchical_emd xpredT p q parent height code = Some r &
    is_emd (tree_dist R root par ht leaf) P Q (z2r r.1 / (s * z2r r.2)).
Proof.
have node (z : Z) : Z.le 0 z /\ Z.lt z (Z.of_nat n.+1) -> exists i : 'I_n.+1, z = Z.of_nat i.
  move=> zn; have zN : (Z.to_nat z < n.+1)%N by apply/ssrnat.ltP; lia.
  by exists (Ordinal zN); rewrite /= Z2Nat.id //; lia.
have last_node : Z.sub (Kernel.len parent) 1 = Z.of_nat root by rewrite lparent; change (nat_of_ord root) with n; lia.
have right : Kernel.wp (Generated.hierarchical_emd xpredT p q parent height code) (fun r => r =
    (Kernel.sum 0 (Kernel.len parent) (Hierarchical.node_work p q parent height code),
     if Z.ltb 0 (Z.of_nat (ht root)) then Z.of_nat (ht root) else Zpos xH)).
  have := @Hierarchical.hierarchical_emd_right p q parent height code.
  rewrite /Hierarchical.root_height last_node heightE parentE; apply.
  - by rewrite lp; move/ssrnat.ltP: m0; lia.
  - by rewrite lp lq.
  - by rewrite lparent; lia.
  - by rewrite lparent lheight.
  - by rewrite lparent lcode.
  - rewrite lparent lp => _ /node[i ->]; have [x /eqP <-|no] := pickP (fun x => leaf x == i).
      by rewrite codeE; move/ssrnat.ltP: (ltn_ord x); lia.
    have : Z.lt (Kernel.at1 code (Z.of_nat i)) 0 by apply: no_code => x; rewrite no.
    by lia.
  - rewrite lparent => z zn; have /node[i E] : Z.le 0 z /\ Z.lt z (Z.of_nat n.+1) by lia.
    rewrite E parentE; have ir : i != root.
      by apply/eqP=> ir; move: zn; rewrite E ir; change (nat_of_ord root) with n; lia.
    by move/ssrnat.ltP: (par_after ir); move/ssrnat.ltP: (ltn_ord (par i)); lia.
  - by rewrite lparent; move/ssrnat.ltP: (ltn_ord (par root)); lia.
case E: (Generated.hierarchical_emd _ _ _ _ _ _) right => [r|//] /= ->; exists (
  Kernel.sum 0 (Kernel.len parent) (Hierarchical.node_work p q parent height code),
  if Z.ltb 0 (Z.of_nat (ht root)) then Z.of_nat (ht root) else Zpos xH) => //=.
have := tree_emd_paper par_root ht_par ht_leaf P0 Q0 PQ; congr is_emd.
rewrite lparent (z2r_sum R 0) big_mkord mulr_suml; apply: eq_bigr => i _.
rewrite /Hierarchical.node_work heightE z2rM z2r_min posE negE -(minr_pmulr _ _ (ltW s0)) z2r_nat /tree_cost.
have [h0|h0] := posnP (ht root).
  by have := highest i; rewrite h0 leqn0 => /eqP->; rewrite !mul0r.
have -> : Z.ltb 0 (Z.of_nat (ht root)) = true by apply/Z.ltb_lt; move/ssrnat.ltP: h0; lia.
rewrite z2r_nat; have : (ht root)%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
by move: (Num.min _ _) (_%:R) (_%:R) => a b c c0; field; rewrite c0 gt_eqF.
Qed.
End HierarchicalEmd.
