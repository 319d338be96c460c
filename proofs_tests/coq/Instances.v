(* The hypotheses can be met: instances of the theorems whose hypotheses describe a
   structure, so that none of them holds for want of an example.

   Places in the t-closeness paper:
     nine_salaries   section 5.3, the salaries 3k ... 11k under the ordered distance
     four_leaves     section 5.2, a hierarchy with all leaves at one depth
     three_leaves    the same with a leaf directly below the root
     uneven_line     three positions on a line, the second two close together

   The idea in three lines:
   - each hierarchy is written down as a function on numbers;
   - its hypotheses are checked case by case;
   - what is left is the theorem for all distributions on it. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Tcloseness Require Import Transport Laminar ClosedForms Hierarchies.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Definition distributions (T : finType) (p q : T -> rat) : Prop :=
  [/\ forall i, 0 <= p i, forall i, 0 <= q i & \sum_i p i = \sum_i q i].

Theorem nine_salaries (p q : 'I_9 -> rat) : distributions p q ->
  is_emd (fun i j : 'I_9 => 8%:R^-1 * `|i%:R - j%:R|) p q
    (8%:R^-1 * \sum_k `|cum p k - cum q k|).
Proof. by case=> p0 q0 pq; apply: ordered_emd. Qed.

(* four values in two groups *)
Definition anc4 (h : nat) (x : 'I_4) : 'I_4 :=
  if h is 0%N then x else if h is 1%N then inord (x %/ 2) else ord0.

Theorem four_leaves (p q : 'I_4 -> rat) : distributions p q ->
  is_emd (hdist [realFieldType of rat] 2 anc4) p q (\sum_(h < 2) \sum_n node_cost 2 anc4 p q h n).
Proof.
case=> p0 q0 pq; apply: hierarchy_emd_paper => // h x y.
by case: h => [|[|h]] //= ->.
Qed.

(* values 0 and 1 below node 3; value 2 and node 3 below the root, node 4 *)
Definition par5 (n : 'I_5) : 'I_5 := inord (nth 0%N [:: 3; 3; 4; 4; 4]%N n).
Definition ht5 (n : 'I_5) : nat := nth 0%N [:: 0; 0; 0; 1; 2]%N n.
Definition leaf5 (x : 'I_3) : 'I_5 := inord x.
Definition root5 : 'I_5 := inord 4.

Theorem three_leaves (p q : 'I_3 -> rat) : distributions p q ->
  is_emd (tree_dist [realFieldType of rat] root5 par5 ht5 leaf5) p q
    (\sum_n tree_cost root5 par5 ht5 leaf5 p q n).
Proof.
case=> p0 q0 pq; apply: tree_emd_paper => // [|n|x].
- by apply: val_inj; rewrite /par5 /root5 /= !inordK.
- rewrite -val_eqE /root5 /par5 /ht5 /= !inordK //; last by case: n => -[|[|[|[|[|]]]]].
  by case: n => -[|[|[|[|[|]]]]].
- by rewrite /ht5 /leaf5 inordK; case: x => -[|[|[|]]].
Qed.

Definition place (k : nat) : rat := nth 0 [:: 0; 9%:R; 10%:R] k.

Theorem uneven_line (p q : 'I_3 -> rat) : distributions p q ->
  is_emd (fun i j : 'I_3 => `|place i - place j|) p q
    (\sum_(k < 3) gap 3 place k * `|cum p k - cum q k|).
Proof. by case=> p0 q0 pq; apply: line_emd => // -[|[|[|k]]]. Qed.
