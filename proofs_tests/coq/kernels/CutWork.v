(* What cut_work returns, for every number of values and of sets.

   Places in the code: transport/closed_forms.py, cut_work
     cut_work_right      sum_k w_k |r(S_k)|, for any intervals, nested or not

   The idea in three lines:
   - after i codes the list holds the sums of the first 0, ..., i differences;
   - so a difference of two of them is r(S_k), whatever the sets are;
   - a weight of 1 times a number is that number. *)
Require Import ZArith Lia Bool.
From Tcloseness.kernels Require Import Kernel Generated.
Open Scope Z_scope.

(* r(S_k), and the sum over the family of w_k |r(S_k)| *)
Definition mass (r order low high : arr) k :=
  sum (at1 low k) (at1 high k) (fun place => at1 r (at1 order place)).
Definition laminar_work r order low high weights :=
  sum 0 (len low) (fun k => at1 weights k * Z.abs (mass r order low high k)).

Theorem cut_work_right (r order low high weights : arr) :
  0 < len r ->
  0 <= len order -> (forall i, 0 <= i < len order -> 0 <= at1 order i < len r) ->
  0 <= len low -> len high = len low -> len weights = len low ->
  (forall k, 0 <= k < len low -> 0 <= at1 low k <= at1 high k /\ at1 high k <= len order) ->
  wp (cut_work (fun _ => true) r order low high weights)
     (fun work => work = laminar_work r order low high weights).
Proof.
intros Hr Hm Horder HK Hh Hw Hsets; unfold cut_work; run.
apply wp_for with (I := fun i prefix => len prefix = i + 1 /\
  forall j, 0 <= j <= i -> at1 prefix j = sum 0 j (fun place => at1 r (at1 order place))).
- split; [reflexivity|]; intros j Hj; rewrite sum_nil; cbn [at1 one]; lia.
- intros i prefix Hi [Hlen Hprefix]; pose proof (Horder i ltac:(lia)); run.
  split; [lia|]; intros j Hj; destruct (Z.eqb_spec j (len prefix)).
    replace j with (i + 1) by lia; rewrite sum_last, <- Hprefix by lia; f_equal; f_equal; lia.
  apply Hprefix; lia.
- intros prefix [Hlen Hprefix]; rewrite Z2Nat.id in * by lia; run.
  apply wp_for with (I := fun k work =>
    work = sum 0 k (fun k => at1 weights k * Z.abs (mass r order low high k))).
  + rewrite sum_nil; lia.
  + intros k work Hk Hwork; pose proof (Hsets k ltac:(lia)) as Hset.
    assert (Hmass : at1 prefix (at1 high k) - at1 prefix (at1 low k) = mass r order low high k).
      unfold mass; rewrite !Hprefix, (sum_cat 0 (at1 low k) (at1 high k)); lia.
    run; rewrite sum_last, <- Hmass, Hwork by lia; first [lia | same_abs; lia].
  + intros work Hwork; run; rewrite Hwork, Z2Nat.id by lia; reflexivity.
Qed.
