(* The two tile kernels on numbers of 64 bits, as class_emds and dense_work call them.

   Places in the code: transport/compiled.py, dense_work; transport/batched.py, class_emds
     interval_tiles_int64, prefix_tiles_int64    work g = what cut_work returns for c_g N - C n_g

   [inputs] says what is asked of the arguments; a test asks it of what the package builds.

   The idea in three lines:
   - the bound that class_emds keeps is the one of Work.within;
   - the shares are those of the reference, at most N;
   - a sum of differences is a difference of sums, for each set. *)
Require Import ZArith Lia Bool.
From Tcloseness.kernels Require Import Kernel Work Generated CutWork Interval Prefix.
Open Scope Z_scope.

Definition int64_max := 2 ^ 63 - 1.
Definition int64 z := (- 2 ^ 63 <=? z) && (z <=? int64_max).
Lemma int64_holds z : Z.abs z <= int64_max -> int64 z = true.
Proof. unfold int64, int64_max; rewrite andb_true_iff, !Z.leb_le; lia. Qed.

(* reference by code; the table's share of a set, and its total *)
Definition reference_sum (reference order : arr) lo hi := sum lo hi (fun p => at1 reference (at1 order p)).

(* the conditions on the inputs, as a table has them *)
Record inputs (matrix : arr2) (sizes order low high weights reference : arr) (n_max : Z) : Prop := {
  classes0 : 0 <= cols matrix <= int64_max;
  domain : rows matrix = len order /\ len reference = len order /\ 0 <= len order < int64_max;
  sets0 : 0 <= len low /\ len high = len low /\ len weights = len low;
  intervals : forall k, 0 <= k < len low -> 0 <= at1 low k <= at1 high k /\ at1 high k <= len order;
  weights_0 : forall k, 0 <= k < len low -> 0 <= at1 weights k;
  codes : forall p, 0 <= p < len order -> 0 <= at1 order p < len order;
  sizes0 : len sizes = cols matrix;
  counts : forall v g, 0 <= v < rows matrix -> 0 <= g < cols matrix -> 0 <= at2 matrix v g;
  size_of : forall g, 0 <= g < cols matrix ->
    sum 0 (len order) (fun p => at2 matrix (at1 order p) g) = at1 sizes g /\ at1 sizes g <= n_max;
  reference0 : forall v, 0 <= v < len order -> 0 <= at1 reference v;
  some_record : 1 <= reference_sum reference order 0 (len order);
  (* class_emds keeps it: weights of a greater sum are cut into digits *)
  fits_int64 : 2 * Z.max (sum 0 (len low) (at1 weights)) 1 * reference_sum reference order 0 (len order) * n_max
    <= int64_max }.
Arguments classes0 {_ _ _ _ _ _ _ _} _.
Arguments domain {_ _ _ _ _ _ _ _} _.
Arguments sets0 {_ _ _ _ _ _ _ _} _.
Arguments intervals {_ _ _ _ _ _ _ _} _.
Arguments weights_0 {_ _ _ _ _ _ _ _} _.
Arguments codes {_ _ _ _ _ _ _ _} _.
Arguments sizes0 {_ _ _ _ _ _ _ _} _.
Arguments counts {_ _ _ _ _ _ _ _} _.
Arguments size_of {_ _ _ _ _ _ _ _} _.
Arguments reference0 {_ _ _ _ _ _ _ _} _.
Arguments some_record {_ _ _ _ _ _ _ _} _.
Arguments fits_int64 {_ _ _ _ _ _ _ _} _.

Section Inputs.
Variables (matrix : arr2) (sizes order low high weights reference : arr) (n_max : Z).
Hypothesis In : inputs matrix sizes order low high weights reference n_max.
Let N := reference_sum reference order 0 (len order).
Let W := Z.max (sum 0 (len low) (at1 weights)) 1.

Lemma share_bounds k : 0 <= k < len low -> 0 <= reference_sum reference order (at1 low k) (at1 high k) <= N.
Proof.
intros Hk; destruct (intervals In k Hk); unfold N, reference_sum.
rewrite (sum_cat 0 (at1 low k) (len order)), (sum_cat (at1 low k) (at1 high k) (len order)) by lia.
assert (part0 : forall lo hi, 0 <= lo -> hi <= len order -> 0 <= sum lo hi (fun p => at1 reference (at1 order p))).
  intros lo hi ? ?; apply sum_ge0; intros i Hi; apply (reference0 In), (codes In); lia.
pose proof (part0 0 (at1 low k)); pose proof (part0 (at1 low k) (at1 high k)); pose proof (part0 (at1 high k) (len order)).
lia.
Qed.

Lemma family_in low' share : (forall k, 0 <= k < len low -> low' k = at1 low k) ->
  (forall k, 0 <= k < len low -> share k = reference_sum reference order (at1 low k) (at1 high k)) ->
  family (len order) (len low) N low' (at1 high) share (at1 weights).
Proof.
intros El Es; split; intros k Hk; rewrite ?El, ?Es by lia.
- apply (intervals In), Hk.
- apply share_bounds, Hk.
- apply (weights_0 In), Hk.
Qed.

Lemma class_in g : 0 <= g < cols matrix ->
  a_class (len order) n_max (fun p g => at2 matrix (at1 order p) g) (at1 sizes) g.
Proof.
intros Hg; destruct (size_of In g Hg); split; unfold cumulative; [|lia].
intros p Hp; apply (counts In); [destruct (domain In) as [-> _]; apply (codes In), Hp|exact Hg].
Qed.

Lemma within_in : within (len low) N W n_max int64_max (at1 weights).
Proof.
pose proof (fits_int64 In) as H2; pose proof (some_record In) as H1; fold N in H1, H2; fold W in H2.
assert (1 <= W /\ sum 0 (len low) (at1 weights) <= W) by (unfold W; lia).
replace (2 * W * N * n_max) with (2 * (W * N * n_max)) in H2 by ring.
split; try lia; unfold int64_max in *; lia.
Qed.

(* the differences c N - C n of a class, by code *)
Definition differences g :=
  Arr (len order) (fun v => at2 matrix v g * N - at1 reference v * at1 sizes g).

Lemma sum_difference lo hi g : sum lo hi (fun p => at1 (differences g) (at1 order p)) =
  sum lo hi (fun p => at2 matrix (at1 order p) g) * N - reference_sum reference order lo hi * at1 sizes g.
Proof.
unfold reference_sum; destruct (Z.le_gt_cases lo hi) as [H|H]; [|rewrite !sum_nil; lia].
apply (sum_ind (fun hi => sum lo hi (fun p => at1 (differences g) (at1 order p)) =
  sum lo hi (fun p => at2 matrix (at1 order p) g) * N -
  sum lo hi (fun p => at1 reference (at1 order p)) * at1 sizes g) lo hi H).
  rewrite !sum_nil; lia.
intros i Hi IH; rewrite !sum_last, IH by lia; cbn [differences at1]; lia.
Qed.

Lemma class_work_laminar low' share g : (forall k, 0 <= k < len low -> low' k = at1 low k) ->
  (forall k, 0 <= k < len low -> share k = reference_sum reference order (at1 low k) (at1 high k)) ->
  class_work (len low) N (fun p g => at2 matrix (at1 order p) g) (at1 sizes) low' (at1 high) share (at1 weights) g =
  laminar_work (differences g) order low high weights.
Proof.
intros El Es; unfold class_work, laminar_work, term, count, mass; apply sum_eq; intros k Hk.
rewrite sum_difference, El, Es by lia; reflexivity.
Qed.

Theorem interval_tiles_int64 junk tile share work : 0 < tile -> len work = cols matrix -> len share = len low ->
  (forall k, 0 <= k < len low -> at1 share k = reference_sum reference order (at1 low k) (at1 high k)) ->
  wp (_interval_tiles int64 junk tile matrix sizes share N order low high weights work)
     (fun out => len out = cols matrix /\
       forall g, 0 <= g < cols matrix -> at1 out g = laminar_work (differences g) order low high weights).
Proof.
intros Ht Hw Hs Es; pose proof within_in; pose proof class_in; pose proof (family_in (at1 low) (at1 share)).
pose proof (classes0 In); pose proof (domain In) as (Hrows & ? & ?); pose proof (sets0 In) as (? & ? & ?).
pose proof (sizes0 In); eapply wp_weaken.
  apply interval_tiles_right with (W := W) (n_max := n_max) (B := int64_max); auto using int64_holds; try lia.
  intros p Hp; rewrite Hrows; apply (codes In), Hp.
intros out [Hl Ho]; split; [exact Hl|]; intros g Hg; rewrite Ho by lia; apply class_work_laminar; auto.
Qed.

Theorem prefix_tiles_int64 junk fuel tile prefix work : 0 < tile -> len order < Z.of_nat fuel ->
  len work = cols matrix -> len prefix = len order ->
  (forall k, 0 <= k < len low -> at1 low k = 0) ->
  (forall k, 0 <= k < len low -> (if k =? 0 then 0 else at1 high (k - 1)) < at1 high k) ->
  (forall p, 0 <= p < len order -> at1 prefix p = reference_sum reference order 0 (p + 1)) ->
  wp (_prefix_tiles int64 junk fuel tile matrix sizes prefix N order high weights work)
     (fun out => len out = cols matrix /\
       forall g, 0 <= g < cols matrix -> at1 out g = laminar_work (differences g) order low high weights).
Proof.
intros Ht Hf Hw Hp Hlow Hrise Hprefix.
assert (Es : forall k, 0 <= k < len low -> at1 prefix (at1 high k - 1) =
    reference_sum reference order (at1 low k) (at1 high k)).
  intros k Hk; pose proof (Hrise k Hk); destruct (intervals In k Hk).
  assert (0 <= (if k =? 0 then 0 else at1 high (k - 1))).
    cells; [lia|]; pose proof (intervals In (k - 1) ltac:(lia)); lia.
  rewrite Hlow, Hprefix by lia; f_equal; lia.
pose proof within_in; pose proof class_in; pose proof (family_in (fun _ => 0) (fun k => at1 prefix (at1 high k - 1))) as Hfam.
assert (El : forall k, 0 <= k < len low -> 0 = at1 low k) by (intros; symmetry; auto).
specialize (Hfam El Es).
pose proof (classes0 In); pose proof (domain In) as (Hrows & ? & ?); pose proof (sets0 In) as (? & HK & ?).
pose proof (sizes0 In); eapply wp_weaken.
  apply prefix_tiles_right with (W := W) (n_max := n_max) (B := int64_max); rewrite ?HK; auto using int64_holds; try lia.
  intros p Hq; rewrite Hrows; apply (codes In), Hq.
intros out [Hl Ho]; split; [exact Hl|]; intros g Hg; rewrite Ho, HK by lia.
apply (class_work_laminar (fun _ => 0)); auto.
Qed.
End Inputs.
