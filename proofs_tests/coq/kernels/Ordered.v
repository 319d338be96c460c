(* What the papers' forms for the ordered and the equal distance return as numerator and denominator,
   over whole numbers (fractions by a common denominator), for every m.

   Places in the code: transport/closed_forms.py, ordered_emd, ordered_emd_double_sum, equal_emd; places in
   the papers: t-closeness, sections 5.1 and 5.2; tutorial, Algorithm 1
     single_pass_is_double_sum   both programs for the ordered distance return the same

   The idea in three lines:
   - the single pass keeps the prefix sum, the double sum makes it anew;
   - a sum by a generator is a loop with a total;
   - both divide by m - 1, or by 1 if m is 1. *)
Require Import ZArith Lia Bool.
From Tcloseness.kernels Require Import Kernel Generated.
Open Scope Z_scope.

Section Ordered.
Variables p q : arr.
Let m := len p.
Hypotheses (m0 : 0 < m) (lq : len q = m).
Let d j := at1 p j - at1 q j.
Definition double_sum := sum 0 m (fun i => Z.abs (sum 0 (i + 1) d)).
Let divisor := if 1 <? m then m - 1 else 1.

Ltac ratio := run; [apply negb_true_iff, Z.eqb_neq; cells; lia|].

Theorem ordered_emd_right : wp (ordered_emd (fun _ => true) p q) (fun x => x = (double_sum, divisor)).
Proof.
unfold ordered_emd; fold m; run.
apply wp_for with (I := fun i '(prefix, work) => prefix = sum 0 i d /\
  work = sum 0 i (fun i => Z.abs (sum 0 (i + 1) d))).
- rewrite !sum_nil; lia.
- intros i [prefix work] Hi [-> ->]; run; rewrite !(sum_last 0 i) by lia; split; reflexivity.
- intros [prefix work] [-> ->]; ratio; rewrite Z2Nat.id by lia; unfold divisor; cells; reflexivity.
Qed.

Theorem double_sum_right : wp (ordered_emd_double_sum (fun _ => true) p q) (fun x => x = (double_sum, divisor)).
Proof.
unfold ordered_emd_double_sum; fold m; run.
apply wp_for with (I := fun i total => total = sum 0 i (fun i => Z.abs (sum 0 (i + 1) d))).
- rewrite sum_nil; lia.
- intros i total Hi ->; run; apply wp_for with (I := fun j total => total = sum 0 j d).
  + rewrite sum_nil; lia.
  + intros j total Hj ->; run; rewrite sum_last by lia; reflexivity.
  + intros total ->; run; rewrite Z2Nat.id, (sum_last 0 i (fun i => Z.abs _)) by lia; reflexivity.
- intros total ->; ratio; rewrite Z2Nat.id by lia; unfold divisor; cells; reflexivity.
Qed.

Corollary single_pass_is_double_sum : ordered_emd (fun _ => true) p q = ordered_emd_double_sum (fun _ => true) p q.
Proof.
pose proof ordered_emd_right as H1; pose proof double_sum_right as H2.
destruct (ordered_emd _ p q), (ordered_emd_double_sum _ p q); simpl in *; try contradiction; congruence.
Qed.

Theorem equal_emd_right : wp (equal_emd (fun _ => true) p q) (fun x => x = (sum 0 m (fun j => Z.abs (d j)), 2)).
Proof.
unfold equal_emd; fold m; run.
apply wp_for with (I := fun i total => total = sum 0 i (fun j => Z.abs (d j))).
- rewrite sum_nil; lia.
- intros i total Hi ->; run; rewrite sum_last by lia; reflexivity.
- intros total ->; run; rewrite Z2Nat.id by lia; reflexivity.
Qed.
End Ordered.
