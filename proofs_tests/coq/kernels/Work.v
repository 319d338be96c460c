(* What the compiled kernels compute for a class g, and bounds of all that they compute on the way.

   Places in the code: transport/compiled.py, _prefix_tiles and _interval_tiles; lattice/compiled.py,
   _work; transport/batched.py, class_emds

   A class has the count c p g at place p of the permuted domain and n g records; the table has N
   records, share k of them in S_k = [low k, high k).

     class_work g = sum_k w_k |c_g(S_k) N - share_k n_g|

   [within] is the condition that the caller keeps: the greatest n, times N, times the sum of the
   weights.

   The idea in three lines:
   - 0 <= c_g(S_k) <= n_g and 0 <= share_k <= N, so each of both products is at most n_g N;
   - so is their difference, and the sum over k is at most W n_g N;
   - what is added up on the way is a part of that sum. *)
Require Import ZArith Lia Bool.
From Tcloseness.kernels Require Import Kernel.
Open Scope Z_scope.

Section Work.
Variables (m K N W n_max B : Z) (c : Z -> Z -> Z) (n low high share w : Z -> Z).

Definition cumulative g j := sum 0 j (fun p => c p g).
Definition count g k := sum (low k) (high k) (fun p => c p g).
Definition term g k := w k * Z.abs (count g k * N - share k * n g).
Definition class_work g := sum 0 K (term g).

Record family : Prop := {
  sets : forall k, 0 <= k < K -> 0 <= low k <= high k /\ high k <= m;
  shares : forall k, 0 <= k < K -> 0 <= share k <= N;
  weights0 : forall k, 0 <= k < K -> 0 <= w k }.
Record a_class g : Prop := {
  counts0 : forall p, 0 <= p < m -> 0 <= c p g;
  records : cumulative g m <= n g <= n_max }.
Record within : Prop := {
  table0 : 1 <= N;  weight0 : 1 <= W;  total_weight : sum 0 K w <= W;
  product : W * N * n_max <= B }.

Hypotheses (F : family) (L : within) (K0 : 0 <= K) (m0 : 0 <= m).

Lemma cumulative_mono g i j : a_class g -> 0 <= i <= j -> j <= m -> cumulative g i <= cumulative g j.
Proof.
intros C Hi Hj; unfold cumulative; rewrite (sum_cat 0 i j) by lia.
assert (0 <= sum i j (fun p => c p g)); [apply sum_ge0; intros; apply C; lia|lia].
Qed.

Lemma cumulative_bound g j : a_class g -> 0 <= j <= m -> 0 <= cumulative g j <= n g.
Proof.
intros C Hj; pose proof (records _ C); split.
  apply sum_ge0; intros; apply C; lia.
pose proof (cumulative_mono g j m C); lia.
Qed.

Lemma count_difference g k : 0 <= k < K -> cumulative g (high k) - cumulative g (low k) = count g k.
Proof.
intros Hk; destruct (sets F k Hk); unfold cumulative, count.
rewrite (sum_cat 0 (low k) (high k)); lia.
Qed.

Lemma count_bound g k : a_class g -> 0 <= k < K -> 0 <= count g k <= n g.
Proof.
intros C Hk; destruct (sets F k Hk); rewrite <- count_difference by lia.
pose proof (cumulative_bound g (low k) C); pose proof (cumulative_bound g (high k) C).
pose proof (cumulative_mono g (low k) (high k) C); lia.
Qed.

Lemma class_bound g : a_class g -> 0 <= n g /\ n g <= n_max /\ n g * N <= B /\ n g <= B /\ W * N * n g <= B.
Proof.
intros C; pose proof (cumulative_bound g 0 C ltac:(lia)); destruct L, (records _ C).
assert (0 <= W * N) by nia; assert (W * N * n g <= W * N * n_max) by nia.
assert (n g <= n g * N) by nia; assert (n g * N <= W * (n g * N)) by nia.
replace (W * N * n g) with (W * (n g * N)) in * by ring; lia.
Qed.

(* all that is computed for one set, before the weight *)
Lemma set_bounds g k : a_class g -> 0 <= k < K ->
  0 <= count g k * N <= n g * N /\ 0 <= share k * n g <= n g * N /\
  Z.abs (count g k * N - share k * n g) <= n g * N.
Proof.
intros C Hk; pose proof (count_bound g k C Hk); pose proof (shares F k Hk); destruct (class_bound g C); destruct L.
assert (0 <= count g k * N <= n g * N) by nia; assert (0 <= share k * n g <= n g * N) by nia; lia.
Qed.

Lemma partial_bound g k : a_class g -> 0 <= k <= K -> 0 <= sum 0 k (term g) <= B.
Proof.
intros C Hk; split.
  apply sum_ge0; intros i Hi; unfold term; pose proof (weights0 F i ltac:(lia)); nia.
assert (sum 0 k (term g) <= sum 0 k w * (n g * N)).
  rewrite <- sum_mulr; apply sum_le; intros i Hi; unfold term.
  pose proof (weights0 F i ltac:(lia)); pose proof (set_bounds g i C ltac:(lia)); nia.
assert (0 <= sum 0 k w <= W).
  split; [apply sum_ge0; intros; apply (weights0 F); lia|].
  pose proof (total_weight L) as HW; rewrite (sum_cat 0 k K) in HW by lia.
  assert (0 <= sum k K w) by (apply sum_ge0; intros; apply (weights0 F); lia); lia.
destruct (class_bound g C) as (? & ? & ? & ? & ?); destruct L.
assert (0 <= n g * N) by nia; nia.
Qed.

Lemma term_bound g k : a_class g -> 0 <= k < K -> 0 <= term g k <= B.
Proof.
intros C Hk; pose proof (partial_bound g (k + 1) C ltac:(lia)) as H; rewrite sum_last in H by lia.
pose proof (partial_bound g k C ltac:(lia)); unfold term in *; pose proof (weights0 F k ltac:(lia)); nia.
Qed.

(* all that is computed for one set and one class, with the weight and without it where it is 1 *)
Lemma pass_bounds g k : a_class g -> 0 <= k < K ->
  let a := cumulative g (high k) - cumulative g (low k) in
  let b := share k * n g in
  let t := w k * Z.abs (a * N - b) in
  t = term g k /\ Z.abs a <= B /\ Z.abs (a * N) <= B /\ Z.abs b <= B /\
  Z.abs (a * N - b) <= B /\ Z.abs t <= B /\ Z.abs (sum 0 k (term g) + t) <= B.
Proof.
intros C Hk; cbv zeta; rewrite count_difference by lia.
pose proof (count_bound g k C Hk); pose proof (class_bound g C).
pose proof (set_bounds g k C Hk); pose proof (term_bound g k C Hk).
pose proof (partial_bound g (k + 1) C ltac:(lia)) as Hp; rewrite sum_last in Hp by lia.
unfold term in *; lia.
Qed.
End Work.

Arguments cumulative_bound {m n_max c n} g j _ _.
Arguments class_bound {m K N W n_max B c n w} _ _ g _.
Arguments pass_bounds {m K N W n_max B c n low high share w} _ _ _ g k _ _.
Arguments sets {m K N low high share w} _ k _.
