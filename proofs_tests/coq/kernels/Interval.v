(* What _interval_tiles leaves in `work`, for every number of classes, every size > 0 of a tile, and
   every number type that holds W * N * n_max, the number of classes and m + 1.

   Places in the code: transport/compiled.py, _interval_tiles
     interval_tiles_right    work g = class_work g for each class g, for any intervals

   The idea in three lines:
   - in row p of the prefix sums is what the classes of the tile have before place p;
   - a difference of two rows is what they have in S_k, whatever np.empty held;
   - the tiles are passed from left to right, and those passed are done. *)
Require Import ZArith Lia Bool.
From Tcloseness.kernels Require Import Kernel Work Generated.
Open Scope Z_scope.

Section Interval.
Variables (fits : Z -> bool) (junk : nat -> Z -> Z) (tile W n_max B N : Z).
Variables (matrix : arr2) (sizes share order low high weights work : arr).
Let m := len order.
Let G := cols matrix.
Let K := len low.
Let c p g := at2 matrix (at1 order p) g.

Hypotheses
  (holds : forall z, Z.abs z <= B -> fits z = true) (tile0 : 0 < tile)
  (m0 : 0 <= m) (K0 : 0 <= K) (G0 : 0 <= G) (mB : m + 1 <= B) (GB : G <= B)
  (places : forall p, 0 <= p < m -> 0 <= at1 order p < rows matrix)
  (sizesG : len sizes = G) (workG : len work = G)
  (highK : len high = K) (weightsK : len weights = K) (shareK : len share = K)
  (F : family m K N (at1 low) (at1 high) (at1 share) (at1 weights))
  (C : forall g, 0 <= g < G -> a_class m n_max c (at1 sizes) g)
  (L : within K N W n_max B (at1 weights)).

Let work_of := term N c (at1 sizes) (at1 low) (at1 high) (at1 share) (at1 weights).
Let right := class_work K N c (at1 sizes) (at1 low) (at1 high) (at1 share) (at1 weights).

Ltac fit := apply holds; first [lia | same_abs; lia].

Theorem interval_tiles_right :
  wp (_interval_tiles fits junk tile matrix sizes share N order low high weights work)
     (fun out => len out = G /\ forall g, 0 <= g < G -> at1 out g = right g).
Proof.
unfold _interval_tiles; fold m G K; run; [fit|].
apply wp_for with (I := fun pass '(prefix, sums, out) =>
  rows prefix = m + 1 /\ cols prefix = tile /\ len sums = tile /\ len out = G /\
  (forall x, 0 <= x < tile -> at2 prefix 0 x = 0) /\
  (forall g, 0 <= g < G -> g < pass * tile -> at1 out g = right g)).
{ repeat split; cbn; try lia; intros; lia. }
2: { intros [[prefix sums] out] (_ & _ & _ & Hlen & _ & H); run; split; [exact Hlen|].
     intros g Hg; apply H; [lia|]; pose proof (steps_bounds 0 G tile tile0); lia. }
intros pass [[prefix sums] out] Hpass (Hrows & Hcols & Hsums & Hout & Hzero & Hdone).
pose proof (steps_inside 0 G tile pass tile0 Hpass) as Hbegin.
cbv beta iota zeta; set (begin := 0 + pass * tile) in *.
run; try fit; set (size := Z.min tile (G - begin)) in *.
assert (Hsize : 0 < size <= tile /\ begin + size <= G) by lia.
(* prefix sums *)
apply wp_for with (I := fun place prefix => rows prefix = m + 1 /\ cols prefix = tile /\
  (forall x, 0 <= x < tile -> at2 prefix 0 x = 0) /\
  (forall j x, 0 <= j <= place -> 0 <= x < size -> at2 prefix j x = cumulative c (begin + x) j)).
{ repeat split; auto; intros j x Hj Hx; replace j with 0 by lia.
  unfold cumulative; rewrite sum_nil, Hzero; lia. }
{ clear prefix Hrows Hcols Hzero; intros place prefix Hplace (Hrows & Hcols & Hzero & Hprefix).
  rewrite Z2Nat.id in Hplace by lia; pose proof (places place Hplace); run; try fit; rewrite ?Hcols.
  apply wp_for with (I := fun x prefix => rows prefix = m + 1 /\ cols prefix = tile /\
    (forall x, 0 <= x < tile -> at2 prefix 0 x = 0) /\
    (forall j y, 0 <= j <= place -> 0 <= y < size -> at2 prefix j y = cumulative c (begin + y) j) /\
    (forall y, 0 <= y < x -> at2 prefix (place + 1) y = cumulative c (begin + y) (place + 1))).
  - repeat split; auto; intros; lia.
  - clear prefix Hrows Hcols Hzero Hprefix; intros x prefix Hx (Hrows & Hcols & Hzero & Hprefix & Hrow).
    rewrite Z2Nat.id in Hx by lia.
    assert (Hnext : at2 prefix place x + at2 matrix (at1 order place) (begin + x) =
      cumulative c (begin + x) (place + 1)).
      unfold cumulative; rewrite sum_last by lia.
      rewrite Hprefix by lia; reflexivity.
    pose proof (cumulative_bound (begin + x) (place + 1) (C (begin + x) ltac:(lia)) ltac:(lia)).
    pose proof (class_bound L m0 (begin + x) (C (begin + x) ltac:(lia))).
    run; rewrite ?Z.add_0_l, ?Hnext; try fit.
    repeat split; auto.
    + intros y Hy; cells; apply Hzero; lia.
    + intros j y Hj Hy; cells; apply Hprefix; lia.
    + intros y Hy; cells; [|apply Hrow; lia].
      replace (begin + y) with (begin + x) by lia; reflexivity.
  - intros p (Hr & Hc & Hz & Hp & Hrow); rewrite Z2Nat.id in Hrow by lia; run.
    repeat split; auto; intros j x Hj Hx; destruct (Z.eq_dec j (place + 1)) as [->|]; [apply Hrow|apply Hp]; lia. }
clear prefix Hrows Hcols Hzero; intros prefix (Hrows & Hcols & Hzero & Hprefix).
rewrite Z2Nat.id in Hprefix by lia; run.
(* the sets *)
apply wp_for with (I := fun k sums => len sums = tile /\ forall x, 0 <= x < size ->
  at1 sums x = sum 0 k (work_of (begin + x))).
{ split; [exact Hsums|]; intros; rewrite sum_nil; cbn; lia. }
{ clear sums Hsums; intros k sums Hk [Hsums Hsum]; rewrite Z2Nat.id in Hk by lia.
  destruct (sets F k Hk) as [Hlow Hhigh].
  (* both branches: what one pass over the classes of the tile does *)
  assert (Hterm := fun x (Hx : 0 <= x < size) => pass_bounds F L m0 (begin + x) k (C (begin + x) ltac:(lia)) Hk).
  cbv zeta in Hterm; fold work_of in Hterm; run; tests.
  all: try match goal with E : at1 weights _ = 1 |- _ => rewrite E in Hterm end.
  all: apply wp_for with (I := fun x sums => len sums = tile /\ (forall y, 0 <= y < size -> at1 sums y =
      sum 0 (if y <? x then k + 1 else k)
        (work_of (begin + y)))).
  all: try (split; [exact Hsums|]; intros y Hy; destruct (Z.ltb_spec y 0); [lia|auto]).
  all: try (intros s [Hs1 Hs2]; run; split; [exact Hs1|]; intros y Hy; rewrite Hs2 by lia;
    rewrite Z2Nat.id by lia; destruct (Z.ltb_spec y size); [reflexivity|lia]).
  all: clear sums Hsums Hsum; intros x sums Hx [Hsums Hsum]; rewrite Z2Nat.id in Hx by lia.
  all: destruct (Hterm x Hx) as (Ht & ? & ? & ? & ? & ? & ?).
  all: assert (Hsx := Hsum x Hx); destruct (Z.ltb_spec x x); [lia|].
  all: run; rewrite ?Z.add_0_l, ?Hsx, ?Hprefix by lia; try fit.
  all: split; [assumption|]; intros y Hy; destruct (Z.eq_dec y x) as [->|];
    [|cells; rewrite Hsum by lia; cells; reflexivity].
  all: cells; rewrite sum_last by lia; cbv zeta in Ht; first [lia | same_abs; lia]. }
clear sums Hsums; intros sums [Hsums Hsum]; rewrite Z2Nat.id in Hsum by lia; run; try fit.
repeat split; auto; intros g Hg Hlt.
cells; [|apply Hdone; lia].
rewrite Hsum by lia; unfold right, class_work; replace (begin + (0 + (g - begin))) with g by lia; reflexivity.
Qed.
End Interval.
