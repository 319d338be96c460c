(* What hierarchical_emd returns, as numerator and denominator, over whole numbers (fractions by a common
   denominator), for every tree and every two distributions.

   Places in the code: transport/closed_forms.py, hierarchical_emd; place in the paper: t-closeness,
   section 5.2
     hierarchical_emd_right   sum_N height(N) min(pos_extra(N), neg_extra(N)) over the height of the root

   The idea in three lines:
   - each node comes before its parent, so what is above is added to after all that is below is known;
   - when a node's turn comes, all its children have been added: it holds its pos_extra and neg_extra;
   - their difference is the sum of the children's extras. *)
Require Import ZArith Lia Bool.
From Tcloseness.kernels Require Import Kernel Generated.
Open Scope Z_scope.

Section Tree.
Variables p q parent height code : arr.
Let n := len parent.

(* the sum over the direct children of a node *)
Definition over_children (f : Z -> Z) node := sum 0 node (fun c => if at1 parent c =? node then f c else 0).

(* the recursion of the paper, so many levels down *)
Fixpoint extra_within (levels : nat) node :=
  match levels with
  | O => 0
  | S below => if 0 <=? at1 code node then at1 p (at1 code node) - at1 q (at1 code node)
    else over_children (extra_within below) node
  end.
Definition extra node := extra_within (Z.to_nat (node + 1)) node.
Definition pos_extra := over_children (fun c => Z.max (extra c) 0).
Definition neg_extra := over_children (fun c => Z.max (- extra c) 0).
Definition node_work node := at1 height node * Z.min (pos_extra node) (neg_extra node).

Lemma enough_levels levels node : 0 <= node < Z.of_nat levels -> extra_within levels node = extra node.
Proof.
enough (H : forall a b node, 0 <= node -> node < Z.of_nat a -> node < Z.of_nat b ->
  extra_within a node = extra_within b node).
  intros Hn; unfold extra; apply H; lia.
induction a as [|a IH]; intros [|b] i H0 Ha Hb; try lia.
cbn [extra_within]; destruct (0 <=? _); [reflexivity|]; apply sum_eq; intros c Hc.
rewrite (IH b) by lia; reflexivity.
Qed.

(* extra(N): that of its value, or the sum of its children's *)
Lemma extra_unfold node : 0 <= node -> extra node =
  if 0 <=? at1 code node then at1 p (at1 code node) - at1 q (at1 code node) else over_children extra node.
Proof.
intros H; unfold extra at 1; replace (Z.to_nat (node + 1)) with (S (Z.to_nat node)) by lia.
cbn [extra_within]; destruct (0 <=? _); [reflexivity|]; apply sum_eq; intros c Hc.
rewrite enough_levels by lia; reflexivity.
Qed.

Lemma pos_less_neg node : pos_extra node - neg_extra node = over_children extra node.
Proof.
unfold pos_extra, neg_extra, over_children.
enough (H : sum 0 node (fun c => if at1 parent c =? node then extra c else 0) +
  sum 0 node (fun c => if at1 parent c =? node then Z.max (- extra c) 0 else 0) =
  sum 0 node (fun c => if at1 parent c =? node then Z.max (extra c) 0 else 0)) by lia.
rewrite <- sum_add; apply sum_eq; intros c Hc; destruct (at1 parent c =? node); lia.
Qed.

Hypotheses (p0 : 0 < len p) (lq : len q = len p) (n0 : 0 < n) (lheight : len height = n) (lcode : len code = n)
  (codes : forall i, 0 <= i < n -> at1 code i < len p)
  (above : forall i, 0 <= i < n - 1 -> i < at1 parent i < n) (root : 0 <= at1 parent (n - 1) < n).
Definition root_height := at1 height (n - 1).

Theorem hierarchical_emd_right : wp (hierarchical_emd (fun _ => true) p q parent height code)
  (fun x => x = (sum 0 n node_work, if 0 <? root_height then root_height else 1)).
Proof.
unfold hierarchical_emd; fold n; run.
apply wp_for with (I := fun i '(negative, positive, work) => len positive = n /\ len negative = n /\
  work = sum 0 i node_work /\ forall node, i <= node < n ->
    at1 positive node = sum 0 i (fun c => if at1 parent c =? node then Z.max (extra c) 0 else 0) /\
    at1 negative node = sum 0 i (fun c => if at1 parent c =? node then Z.max (- extra c) 0 else 0)).
- cbn [len at1 fill]; rewrite sum_nil by lia; repeat split; try lia; intros; rewrite !sum_nil; lia.
- intros i [[negative positive] work] Hi (lpos & lneg & -> & Hsums); pose proof (codes i ltac:(lia)).
  destruct (Hsums i ltac:(lia)) as [Hpos Hneg]; fold (over_children (fun c => Z.max (extra c) 0) i) in Hpos.
  fold (over_children (fun c => Z.max (- extra c) 0) i) in Hneg; fold (pos_extra i) in Hpos; fold (neg_extra i) in Hneg.
  assert (Hparent : 0 <= at1 parent i < n).
    destruct (Z.eq_dec i (n - 1)) as [->|]; [exact root|pose proof (above i ltac:(lia)); lia].
  assert (Hleaf : 0 <= at1 code i -> at1 p (at1 code i) - at1 q (at1 code i) = extra i).
    intros Hc; rewrite (extra_unfold i) by lia; apply Z.leb_le in Hc; rewrite Hc; reflexivity.
  assert (Hinner : at1 code i < 0 -> at1 positive i - at1 negative i = extra i).
    intros Hc; rewrite (extra_unfold i), Hpos, Hneg by lia; apply Z.leb_gt in Hc; rewrite Hc; apply pos_less_neg.
  run; rewrite ?Hleaf, ?Hinner by lia.
  all: split; [exact lpos|split; [exact lneg|split]].
  all: try (rewrite sum_last, Hpos, Hneg by lia; reflexivity).
  all: intros node Hnode; destruct (Hsums node ltac:(lia)) as [HP HN]; rewrite !(sum_last 0 i) by lia.
  all: rewrite <- HP, <- HN, (Z.eqb_sym (at1 parent i)); destruct (Z.eqb_spec node (at1 parent i)) as [->|]; lia.
- intros [[negative positive] work] (lpos & lneg & -> & _); run.
  + apply negb_true_iff, Z.eqb_neq; cells; lia.
  + unfold root_height; rewrite lheight, Z2Nat.id by lia; cells; reflexivity.
Qed.
End Tree.
