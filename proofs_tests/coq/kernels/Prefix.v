(* What _prefix_tiles leaves in `work`, under the same conditions as for _interval_tiles; the sets are
   [0, high k) with rising high k, and share k is prefix[high k - 1]. Enough fuel: more than m.

   Places in the code: transport/compiled.py, _prefix_tiles
     prefix_tiles_right      work g = class_work g for each class g

   The idea in three lines:
   - the running sum of a class is what it has before `place`;
   - the inner loop brings `place` to high k - 1, and the pass of the set takes one more;
   - so prefixes must rise: after two that are equal, a value would be counted twice. *)
Require Import ZArith Lia Bool.
From Tcloseness.kernels Require Import Kernel Work Generated.
Open Scope Z_scope.

Section Prefix.
Variables (fits : Z -> bool) (junk : nat -> Z -> Z) (fuel : nat) (tile W n_max B N : Z).
Variables (matrix : arr2) (sizes prefix order high weights work : arr).
Let m := len order.
Let G := cols matrix.
Let K := len high.
Let c p g := at2 matrix (at1 order p) g.
Let low (k : Z) := 0.
Let share k := at1 prefix (at1 high k - 1).
Let before k := if k =? 0 then 0 else at1 high (k - 1).

Hypotheses
  (holds : forall z, Z.abs z <= B -> fits z = true) (tile0 : 0 < tile) (enough : m < Z.of_nat fuel)
  (m0 : 0 <= m) (K0 : 0 <= K) (G0 : 0 <= G) (mB : m + 1 <= B) (GB : G <= B)
  (places : forall p, 0 <= p < m -> 0 <= at1 order p < rows matrix)
  (sizesG : len sizes = G) (workG : len work = G) (prefixm : len prefix = m) (weightsK : len weights = K)
  (rising : forall k, 0 <= k < K -> before k < at1 high k)
  (F : family m K N low (at1 high) share (at1 weights))
  (C : forall g, 0 <= g < G -> a_class m n_max c (at1 sizes) g)
  (L : within K N W n_max B (at1 weights)).

Let work_of := term N c (at1 sizes) low (at1 high) share (at1 weights).
Let right := class_work K N c (at1 sizes) low (at1 high) share (at1 weights).

Ltac fit := apply holds; first [lia | same_abs; lia].

Theorem prefix_tiles_right :
  wp (_prefix_tiles fits junk fuel tile matrix sizes prefix N order high weights work)
     (fun out => len out = G /\ forall g, 0 <= g < G -> at1 out g = right g).
Proof.
unfold _prefix_tiles; fold m G K; run.
apply wp_for with (I := fun pass '(running, sums, out) =>
  len running = tile /\ len sums = tile /\ len out = G /\
  (forall g, 0 <= g < G -> g < pass * tile -> at1 out g = right g)).
{ repeat split; cbn; try lia; intros; lia. }
2: { intros [[running sums] out] (_ & _ & Hlen & H); run; split; [exact Hlen|].
     intros g Hg; apply H; [lia|]; pose proof (steps_bounds 0 G tile tile0); lia. }
intros pass [[running sums] out] Hpass (Hrunning & Hsums & Hout & Hdone).
pose proof (steps_inside 0 G tile pass tile0 Hpass) as Hbegin.
cbv beta iota zeta; set (begin := 0 + pass * tile) in *.
run; try fit; set (size := Z.min tile (G - begin)) in *.
assert (Hsize : 0 < size <= tile /\ begin + size <= G) by lia.
apply wp_for with (I := fun k '(place, running, sums) => place = before k /\
  len running = tile /\ len sums = tile /\ (forall x, 0 <= x < size ->
    at1 running x = cumulative c (begin + x) place /\ at1 sums x = sum 0 k (work_of (begin + x)))).
{ repeat split; auto; cbn; unfold cumulative; rewrite sum_nil; lia. }
2: { rewrite Z2Nat.id by lia; clear running sums Hrunning Hsums.
  intros [[place running] sums] (_ & Hrunning & Hsums & H); run; try fit.
  repeat split; auto; intros g Hg Hlt; cells; [|apply Hdone; lia].
  destruct (H (0 + (g - begin)) ltac:(lia)) as [_ ->].
  unfold right, class_work; replace (begin + (0 + (g - begin))) with g by lia; reflexivity. }
clear running sums Hrunning Hsums; intros k [[place running] sums] Hk (Hplace & Hrunning & Hsums & H).
rewrite Z2Nat.id in Hk by lia; pose proof (rising k Hk) as Hrising; destruct (sets F k Hk) as [_ Hhigh].
assert (Hbefore : 0 <= before k).
  unfold before; cells; [lia|]; destruct (sets F (k - 1) ltac:(lia)); unfold low in *; lia.
run.
(* values that lie in no set of their own *)
apply wp_while with (measure := fun '(place, running) => at1 high k - 1 - place)
  (I := fun '(place, running) => before k <= place <= at1 high k - 1 /\ len running = tile /\
    forall x, 0 <= x < size -> at1 running x = cumulative c (begin + x) place).
{ repeat split; auto; try lia; intros; apply H; lia. }
{ lia. }
assert (Hsum : forall x, 0 <= x < size -> at1 sums x = sum 0 k (work_of (begin + x))) by (intros; apply H; lia).
clear place running Hplace Hrunning H; intros [place running] (Hplace & Hrunning & Hrun).
pose proof (places place ltac:(lia)).
assert (Hnext : forall x, 0 <= x < size ->
  cumulative c (begin + x) place + at2 matrix (at1 order place) (begin + x) = cumulative c (begin + x) (place + 1) /\
  Z.abs (cumulative c (begin + x) (place + 1)) <= B).
{ intros x Hx; split; [unfold cumulative; rewrite sum_last by lia; reflexivity|].
  pose proof (cumulative_bound (begin + x) (place + 1) (C (begin + x) ltac:(lia)) ltac:(lia)).
  pose proof (class_bound L m0 (begin + x) (C (begin + x) ltac:(lia))); lia. }
run; try fit; match goal with |- if ?b then _ else _ => destruct b eqn:Hless; tests end.
{ run; try fit.
  apply wp_for with (I := fun x running => len running = tile /\ forall y, 0 <= y < size ->
    at1 running y = cumulative c (begin + y) (if y <? x then place + 1 else place)).
  - split; [exact Hrunning|]; intros y Hy; cells; auto.
  - clear running Hrunning Hrun; intros x running Hx [Hrunning Hrun]; rewrite Z2Nat.id in Hx by lia.
    pose proof (Hrun x Hx) as Hx'; rewrite Z.ltb_irrefl in Hx'; destruct (Hnext x Hx) as [E ?].
    run; rewrite ?Hx', ?E; try fit; split; [assumption|].
    intros y Hy; destruct (Z.eq_dec y x) as [->|]; [cells; reflexivity|cells; rewrite Hrun by lia; cells; reflexivity].
  - intros r [Hr1 Hr2]; run; try fit; rewrite Z2Nat.id in Hr2 by lia.
    repeat split; try lia; intros y Hy; rewrite Hr2 by lia; cells; reflexivity. }
(* the set *)
assert (place = at1 high k - 1) by lia; assert (Hp1 : place + 1 = at1 high k) by lia.
destruct (sets F k Hk); pose proof (shares _ _ _ _ _ _ _ F k Hk) as Hshare.
assert (Hterm := fun x (Hx : 0 <= x < size) => pass_bounds F L m0 (begin + x) k (C (begin + x) ltac:(lia)) Hk).
cbv zeta in Hterm; fold work_of in Hterm; unfold share, low in Hterm.
assert (Hzero : forall g, cumulative c g 0 = 0) by (intros; unfold cumulative; apply sum_nil; lia).
assert (Hlast : before (k + 1) = at1 high k).
  unfold before; cells; f_equal; lia.
run; try fit.
all: try match goal with E : at1 weights _ = 1 |- _ => rewrite E in Hterm end.
all: apply wp_for with (I := fun x '(running, sums) => len running = tile /\ len sums = tile /\
  forall y, 0 <= y < size -> at1 running y = cumulative c (begin + y) (if y <? x then place + 1 else place) /\
    at1 sums y = sum 0 (if y <? x then k + 1 else k) (work_of (begin + y))).
all: try (repeat split; auto; cells; auto; fail).
all: try (intros [r s] (Hr & Hs & Hrs); run; rewrite Hlast; repeat split; auto; rewrite Z2Nat.id in Hrs by lia;
  destruct (Hrs x ltac:(assumption)) as [Hy1 Hy2]; rewrite ?Hy1, ?Hy2; cells; rewrite ?Hp1; reflexivity).
all: clear running sums Hrunning Hsums Hrun Hsum.
all: intros x [running sums] Hx (Hrunning & Hsums & Hrs); rewrite Z2Nat.id in Hx by lia.
all: destruct (Hrs x Hx) as [Hr Hs]; rewrite Z.ltb_irrefl in Hr, Hs; destruct (Hnext x Hx) as [E ?].
all: destruct (Hterm x Hx) as (Ht & ? & ? & ? & ? & ? & ?); rewrite Hzero, Z.sub_0_r in *.
all: replace (at1 high k) with (place + 1) in * by lia; replace (place + 1 - 1) with place in * by lia.
all: run; rewrite ?Z.eqb_refl, ?Hr, ?Hs, ?E; try fit.
all: split; [assumption|]; split; [assumption|]; intros y Hy; destruct (Z.eq_dec y x) as [->|];
  [|cells; destruct (Hrs y Hy) as [Hy1 Hy2]; rewrite Hy1, Hy2; cells; split; reflexivity].
all: cells; split; [reflexivity|]; rewrite sum_last by lia; first [lia | same_abs; lia].
Qed.
End Prefix.
