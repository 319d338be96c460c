(* What the kernels of the searches return for one class, and for the rows of classes that are joined.

   Places in the code: lattice/compiled.py, _work and merged_rows
     work_right          class_work of the class, and the first number of the room remains 0
     merged_rows_right   the sum of the rows of each group

   The idea in three lines:
   - the room holds the prefix sums of the class;
   - a row is added to the row of its group, cell by cell;
   - a cell is the sum over the rows so far that are of its group. *)
Require Import ZArith Lia Bool.
From Tcloseness.kernels Require Import Kernel Work Generated.
Open Scope Z_scope.

Section OneClass.
Variables (fits : Z -> bool) (W n_max B N n : Z) (row order low high weights share prefix : arr).
Let m := len order.
Let K := len low.
Let c (p g : Z) := at1 row (at1 order p).
Hypotheses
  (holds : forall z, Z.abs z <= B -> fits z = true)
  (m0 : 0 <= m) (K0 : 0 <= K) (mB : m + 1 <= B) (rowm : len row = m)
  (places : forall p, 0 <= p < m -> 0 <= at1 order p < m)
  (room : m < len prefix) (first0 : at1 prefix 0 = 0)
  (highK : len high = K) (weightsK : len weights = K) (shareK : len share = K)
  (F : family m K N (at1 low) (at1 high) (at1 share) (at1 weights))
  (C : a_class m n_max c (fun _ => n) 0)
  (L : within K N W n_max B (at1 weights)).
Let work_of := term N c (fun _ => n) (at1 low) (at1 high) (at1 share) (at1 weights) 0.

Ltac fit := apply holds; lia.

Theorem work_right :
  wp (_work fits row n order low high weights share N prefix)
     (fun '(work, room) => work = sum 0 K work_of /\ at1 room 0 = 0 /\ len room = len prefix).
Proof.
unfold _work, work_of; fold K; rewrite rowm; run.
apply wp_for with (I := fun place room => len room = len prefix /\
  forall j, 0 <= j <= place -> at1 room j = cumulative c 0 j).
- split; [reflexivity|]; intros j Hj; replace j with 0 by lia; unfold cumulative; rewrite sum_nil; lia.
- intros place r Hp [Hl Hr]; rewrite Z2Nat.id in Hp by lia; pose proof (places place Hp).
  assert (Hnext : at1 r place + at1 row (at1 order place) = cumulative c 0 (place + 1)).
    unfold cumulative; rewrite sum_last, Hr by lia; reflexivity.
  pose proof (cumulative_bound 0 (place + 1) C ltac:(lia)); pose proof (class_bound L m0 0 C).
  run; rewrite ?Hnext; try fit; split; [lia|]; intros j Hj; cells; [subst; reflexivity|apply Hr; lia].
- intros r [Hl Hr]; rewrite Z2Nat.id in Hr by lia; run.
  apply wp_for with (I := fun k work => work =
    sum 0 k (term N c (fun _ => n) (at1 low) (at1 high) (at1 share) (at1 weights) 0)).
  + rewrite sum_nil; lia.
  + intros k work Hk ->; rewrite Z2Nat.id in Hk by lia; destruct (sets F k Hk).
    destruct (pass_bounds F L m0 0 k C Hk) as (Ht & ? & ? & ? & ? & ? & ?).
    run; rewrite ?Hr by lia; try fit; rewrite sum_last by lia; lia.
  + intros work ->; run; rewrite Z2Nat.id by lia; repeat split; [|lia].
    rewrite Hr by lia; unfold cumulative; apply sum_nil; lia.
Qed.
End OneClass.

(* the rows of each group, added up; every sum of counts must fit *)
Section MergedRows.
Variables (fits : Z -> bool) (B n : Z) (matrix : arr2) (class_of : arr).
Let m := cols matrix.
Let G := len class_of.
Definition in_group (class_of : arr) g (x : Z -> Z) := fun c => if at1 class_of c =? g then x c else 0.
Hypotheses
  (holds : forall z, Z.abs z <= B -> fits z = true) (n0 : 0 <= n) (m0 : 0 <= m) (G0 : 0 <= G)
  (rowsG : rows matrix = G) (groups : forall c, 0 <= c < G -> 0 <= at1 class_of c < n)
  (small : forall g v c, 0 <= v < m -> 0 <= c <= G ->
    Z.abs (sum 0 c (in_group class_of g (fun c => at2 matrix c v))) <= B).

Theorem merged_rows_right :
  wp (merged_rows fits matrix class_of n) (fun out => rows out = n /\ cols out = m /\
    forall g v, 0 <= g < n -> 0 <= v < m -> at2 out g v = sum 0 G (in_group class_of g (fun c => at2 matrix c v))).
Proof.
unfold merged_rows; fold m G; run.
apply wp_for with (I := fun c out => rows out = n /\ cols out = m /\ forall g v, 0 <= g < n -> 0 <= v < m ->
  at2 out g v = sum 0 c (in_group class_of g (fun c => at2 matrix c v))).
- repeat split; auto; intros; rewrite sum_nil; cbn; lia.
- intros c out Hc (Hr & Hm & Ho); rewrite Z2Nat.id in Hc by lia; pose proof (groups c Hc); run.
  apply wp_for with (I := fun v out => rows out = n /\ cols out = m /\ forall g u, 0 <= g < n -> 0 <= u < m ->
    at2 out g u = sum 0 (if u <? v then c + 1 else c) (in_group class_of g (fun c => at2 matrix c u))).
  + repeat split; auto; intros; cells; auto.
  + clear out Hr Hm Ho; intros v out Hv (Hr & Hm & Ho); rewrite Z2Nat.id in Hv by lia.
    pose proof (Ho (at1 class_of c) v ltac:(lia) Hv) as Hold; rewrite Z.ltb_irrefl in Hold.
    assert (Hnew : at2 out (at1 class_of c) v + at2 matrix c v =
      sum 0 (c + 1) (in_group class_of (at1 class_of c) (fun c => at2 matrix c v))).
      rewrite sum_last, Hold by lia; unfold in_group at 3; rewrite Z.eqb_refl; reflexivity.
    pose proof (small (at1 class_of c) v (c + 1) Hv ltac:(lia)); run; rewrite ?Hnew; try (apply holds; lia).
    repeat split; auto; intros g u Hg Hu; destruct (Z.eq_dec u v) as [->|].
      destruct (Z.eq_dec g (at1 class_of c)) as [->|]; [cells; reflexivity|].
      pose proof (Ho g v Hg Hu) as Hsame; rewrite Z.ltb_irrefl in Hsame.
      cells; rewrite Hsame, sum_last by lia; unfold in_group at 3; cells; lia.
    rewrite Ho by lia; cells; reflexivity.
  + intros o (Hr' & Hm' & Ho'); rewrite Z2Nat.id in Ho' by lia; run; repeat split; auto.
    intros g u Hg Hu; rewrite Ho' by lia; cells; reflexivity.
- intros out (Hr & Hm & Ho); rewrite Z2Nat.id in Ho by lia; run; auto.
Qed.
End MergedRows.
