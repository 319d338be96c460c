(* Counts of one size that are as even as bounds allow, and the largest of them.

   Places in the papers: l-diversity paper, Definition 4.2 (the tail of the ranks); what a
   certificate of suppression excludes a size by
     best_grow, best_scale   the largest counts of more, and of a multiple
     spread_best             the most even counts have the least largest ones
     evened_over             and the least above any threshold

   The idea in three lines:
   - the l largest counts hold at most l z and what all have above z, for any z;
   - for some z they hold exactly that;
   - what lies above z is least where the counts are even.  Standard library only. *)
From Coq Require Import ZArith List Bool Lia Arith.
From Tcloseness Require Import Counts Conditions.
Import ListNotations.
Local Open Scope Z_scope.

(* ---- lists, place by place ------------------------------------------------------------- *)
Fixpoint within (x n : counts) : bool :=
  match x, n with
  | [], [] => true | y :: x, m :: n => (0 <=? y) && (y <=? m) && within x n | _, _ => false end.
Fixpoint between (low x high : counts) : bool :=
  match low, x, high with
  | [], [], [] => true
  | l :: low, y :: x, h :: high => (l <=? y) && (y <=? h) && between low x high
  | _, _, _ => false end.
Fixpoint change (f : Z -> Z) (v : nat) (x : counts) : counts :=
  match v, x with
  | _, [] => [] | O, y :: x => f y :: x | S v, y :: x => y :: change f v x end.

(* each count z or the bound that is nearest; then one more for so many *)
Fixpoint clamped (z : Z) (low high : counts) : counts :=
  match low, high with l :: low, h :: high => Z.min (Z.max z l) h :: clamped z low high | _, _ => [] end.
Fixpoint spread (z over : Z) (low high : counts) : counts :=
  match low, high with
  | l :: low, h :: high =>
      if (0 <? over) && (l <=? z) && (z <? h) then z + 1 :: spread z (over - 1) low high
      else Z.min (Z.max z l) h :: spread z over low high
  | _, _ => [] end.
Lemma within_length x : forall n, within x n = true -> length x = length n.
Proof.
induction x as [|y x IH]; intros [|z n]; simpl; try easy.
rewrite !andb_true_iff. intros [_ H]. now rewrite (IH n H).
Qed.

Lemma within_nonneg x : forall n, within x n = true -> nonneg x = true.
Proof.
induction x as [|y x IH]; intros [|z n]; simpl; try easy.
rewrite !andb_true_iff. intros [[A _] H]. split; trivial. now apply (IH n).
Qed.

Lemma within_size x : forall n, within x n = true -> size x <= size n.
Proof.
induction x as [|y x IH]; intros [|z n]; simpl; try easy; try lia.
rewrite !andb_true_iff, !Z.leb_le. intros [[A B] H]. specialize (IH n H). lia.
Qed.

Lemma within_all x : forall n, within x n = true -> size n <= size x -> x = n.
Proof.
induction x as [|y x IH]; intros [|z n]; simpl; try easy.
rewrite !andb_true_iff, !Z.leb_le. intros [[A B] H] S.
assert (L := within_size x n H). replace z with y by lia. f_equal. apply IH; trivial. lia.
Qed.

Lemma between_length low : forall x high, between low x high = true ->
  length low = length x /\ length high = length x.
Proof.
induction low as [|l low IH]; intros [|y x] [|h high]; simpl; try easy.
rewrite !andb_true_iff. intros [_ H]. destruct (IH x high H) as [-> ->]. now split.
Qed.

Lemma between_nth v : forall low x high, between low x high = true ->
  nth v low 0 <= nth v x 0 <= nth v high 0.
Proof.
induction v as [|v IH]; intros [|l low] [|y x] [|h high]; simpl; try easy; try lia;
  rewrite !andb_true_iff, !Z.leb_le; intros [A H]; try lia; now apply IH.
Qed.

Lemma between_held low x high s : between low x high = true -> held low s <= held x s <= held high s.
Proof.
intros H. induction s as [|v s IH]; simpl; [lia|]. assert (N := between_nth v low x high H). lia.
Qed.

Lemma between_size low : forall x high, between low x high = true -> size low <= size x <= size high.
Proof.
induction low as [|l low IH]; intros [|y x] [|h high]; simpl; try easy; try lia.
rewrite !andb_true_iff, !Z.leb_le. intros [A H]. specialize (IH x high H). lia.
Qed.

Lemma between_low v k : forall low x high, between low x high = true -> nth v x 0 <= k ->
  between low x (change (Z.min k) v high) = true.
Proof.
induction v as [|v IH]; intros [|l low] [|y x] [|h high]; simpl; try easy;
  rewrite !andb_true_iff, !Z.leb_le; intros [[A B] H] K; repeat split; auto; lia.
Qed.

Lemma between_high v k : forall low x high, between low x high = true -> k + 1 <= nth v x 0 ->
  between (change (Z.max (k + 1)) v low) x high = true.
Proof.
induction v as [|v IH]; intros [|l low] [|y x] [|h high]; simpl; try easy;
  rewrite !andb_true_iff, !Z.leb_le; intros [[A B] H] K; repeat split; auto; lia.
Qed.

(* ---- the largest counts ------------------------------------------------------------------------ *)
Theorem best_grow x : forall y l, within x y = true -> best l y - best l x <= size y - size x.
Proof.
induction x as [|a x IH]; intros [|b y] l; simpl within; try easy; try (destruct l; simpl; lia).
rewrite !andb_true_iff, !Z.leb_le. intros [[A B] H]. assert (T := within_size x y H).
destruct l as [|l]; cbn [best size fold_right]; fold (size x) (size y); [lia|].
assert (H1 := IH y (S l) H). assert (H2 := IH y l H). lia.
Qed.

Theorem best_scale c x : forall l, 0 <= c -> best l (map (Z.mul c) x) = c * best l x.
Proof.
induction x as [|a x IH]; intros [|l] C; cbn [map best]; try lia.
rewrite !IH by trivial. rewrite <- Z.mul_max_distr_nonneg_l by trivial. f_equal. ring.
Qed.

Lemma size_scale c x : size (map (Z.mul c) x) = c * size x.
Proof. induction x as [|a x IH]; simpl; [lia|]. unfold size in *. rewrite IH. ring. Qed.

Lemma best_one x : forall v, nonneg x = true -> nth v x 0 <= best 1 x.
Proof.
induction x as [|a x IH]; intros v; [destruct v; simpl; lia|]. cbn [nonneg forallb].
rewrite andb_true_iff, Z.leb_le. intros [A X]. assert (B := best_nonneg x 1 X).
destruct v as [|v]; cbn [nth best]; [destruct x; simpl; lia|]. specialize (IH v X). lia.
Qed.

(* a threshold bounds the largest counts from above, and one of them is exact *)
Definition over (z : Z) (x : counts) : Z := fold_right (fun c s => Z.max 0 (c - z) + s) 0 x.

Lemma over_nonneg z x : 0 <= over z x.
Proof. induction x as [|a x IH]; cbn [over fold_right]; [lia|]. fold (over z x). lia. Qed.

Lemma best_over x : forall l z, 0 <= z -> best l x <= Z.of_nat l * z + over z x.
Proof.
induction x as [|a x IH]; intros [|l] z Z0; cbn [best over fold_right]; try fold (over z x);
  try lia.
- assert (P := over_nonneg z x). lia.
- assert (H := IH (S l) z Z0). assert (H' := IH l z Z0). rewrite Nat2Z.inj_succ in *. lia.
Qed.

Definition many (f : Z -> bool) (x : counts) : nat := length (filter f x).

Lemma best_S x : forall l, nonneg x = true -> best l x <= best (S l) x.
Proof.
induction x as [|a x IH]; intros [|l]; cbn [nonneg forallb best]; try lia;
  rewrite andb_true_iff, Z.leb_le; intros [A X].
- assert (H := best_nonneg x 1 X). lia.
- assert (H := IH (S l) X). assert (H' := IH l X). lia.
Qed.

Lemma best_up x k l : nonneg x = true -> (k <= l)%nat -> best k x <= best l x.
Proof.
intros X. induction 1 as [|l L IH]; [lia|]. assert (H := best_S x l X). lia.
Qed.

Lemma best_0 x : best 0 x = 0.
Proof. now destruct x. Qed.

(* all counts above z, and j of those that are z *)
Lemma best_takes z x : forall j, nonneg x = true -> (j <= many (Z.eqb z) x)%nat ->
  over z x + Z.of_nat (many (Z.ltb z) x + j) * z <= best (many (Z.ltb z) x + j) x.
Proof.
unfold many. induction x as [|a x IH]; intros j; [simpl; intros _ J; replace j with 0%nat by lia; simpl; lia|].
cbn [nonneg forallb filter over fold_right]. fold (over z x).
rewrite andb_true_iff, Z.leb_le. intros [A X].
destruct (Z.ltb_spec z a), (Z.eqb_spec z a); try lia; cbn [length]; intros J.
- assert (H' := IH j X J). cbn [Nat.add best]. rewrite Nat2Z.inj_succ. lia.
- subst a. destruct j as [|j].
  + assert (H' := IH 0%nat X (Nat.le_0_l _)). rewrite Nat.add_0_r in *.
    destruct (length (filter (Z.ltb z) x)) as [|k]; rewrite ?best_0 in *; cbn [best]; lia.
  + assert (H' := IH j X ltac:(lia)). rewrite Nat.add_succ_r. cbn [best].
    rewrite Nat2Z.inj_succ. lia.
- assert (H' := IH j X J). destruct (length (filter (Z.ltb z) x) + j)%nat as [|k]; rewrite ?best_0 in *; cbn [best]; lia.
Qed.

(* counts that are as even as bounds allow *)
Definition evened (z : Z) (l h e : Z) : Prop :=
  e = Z.min (Z.max z l) h \/ (l <= z < h /\ e = z + 1).
Fixpoint all_evened (z : Z) (low high y : counts) : Prop :=
  match low, high, y with
  | [], [], [] => True
  | l :: low, h :: high, e :: y => evened z l h e /\ all_evened z low high y
  | _, _, _ => False end.

Lemma spread_evened z : forall low high o, length low = length high ->
  all_evened z low high (spread z o low high).
Proof.
induction low as [|l low IH]; intros [|h high] o; simpl; try easy. intros [= L].
destruct ((0 <? o) && (l <=? z) && (z <? h)) eqn:E; split; auto; unfold evened.
right. rewrite !andb_true_iff, Z.leb_le, !Z.ltb_lt in E. lia.
now left.
Qed.

Theorem evened_over z t : forall low x high y, between low x high = true -> all_evened z low high y ->
  size y = size x -> over t y <= over t x.
Proof.
intros low x high y B E S.
assert (H : (z + 1 <= t -> over t y <= over t x) /\
            (t <= z -> over t y - size y <= over t x - size x)).
{ clear S. revert x high y B E.
  induction low as [|l low IH]; intros [|c x] [|h high] [|e y]; simpl; try easy; try lia.
  rewrite !andb_true_iff, !Z.leb_le. intros [[A B] H] [E R].
  destruct (IH x high y H R) as [I J]. unfold over, size in *. unfold evened in E. split; intros T.
  - specialize (I T). lia.
  - specialize (J T). lia. }
destruct H as [H J]. destruct (Z_le_gt_dec t z) as [T|T]; [specialize (J T); lia|apply H; lia].
Qed.

Lemma evened_between z : forall low x high y, between low x high = true -> all_evened z low high y ->
  between low y high = true.
Proof.
induction low as [|l low IH]; intros [|c x] [|h high] [|e y]; simpl; try easy.
rewrite !andb_true_iff, !Z.leb_le. unfold evened. intros [[A B] H] [E R].
repeat split; try lia. now apply (IH x).
Qed.

Lemma between_nonneg low : forall y high, nonneg low = true -> between low y high = true -> nonneg y = true.
Proof.
induction low as [|l low IH]; intros [|e y] [|h high]; simpl; try easy.
rewrite !andb_true_iff, !Z.leb_le. intros [A L] [[B _] H]. split; [lia|now apply (IH y high)].
Qed.

(* a threshold that as many counts are above, or at, as are taken *)
Lemma a_threshold x k : nonneg x = true -> forall n : nat, (many (Z.ltb (Z.of_nat n)) x <= k)%nat ->
  exists z, 0 <= z /\ (many (Z.ltb z) x <= k)%nat /\
            (z = 0 \/ (k <= many (Z.ltb z) x + many (Z.eqb z) x)%nat).
Proof.
intros X. induction n as [|n IH]; intros H; [exists 0; repeat split; trivial; lia|].
destruct (le_lt_dec (many (Z.ltb (Z.of_nat n)) x) k) as [L|L]; [now apply IH|].
exists (Z.of_nat (S n)). split; [lia|]. split; [trivial|right].
assert (E : many (Z.ltb (Z.of_nat n)) x =
  (many (Z.ltb (Z.of_nat (S n))) x + many (Z.eqb (Z.of_nat (S n))) x)%nat); [|lia].
clear. unfold many. rewrite Nat2Z.inj_succ. induction x as [|a x IH]; simpl; trivial.
destruct (Z.ltb_spec (Z.of_nat n) a), (Z.ltb_spec (Z.succ (Z.of_nat n)) a),
  (Z.eqb_spec (Z.succ (Z.of_nat n)) a); simpl; lia.
Qed.

Lemma none_above x : forall z, nonneg x = true -> best 1 x <= z -> many (Z.ltb z) x = 0%nat.
Proof.
induction x as [|a x IH]; intros z; trivial. cbn [nonneg forallb best]. rewrite best_0.
rewrite andb_true_iff, Z.leb_le. intros [A X] B. unfold many in *. simpl filter.
destruct (Z.ltb_spec z a); [lia|]. apply IH; trivial. lia.
Qed.

(* the most even counts of a size have the least largest ones *)
Theorem spread_best z low x high y k : between low x high = true -> all_evened z low high y ->
  size y = size x -> nonneg x = true -> best k y <= best k x.
Proof.
intros B E T X.
assert (N0 : (many (Z.ltb (Z.of_nat (Z.to_nat (best 1 x)))) x <= k)%nat).
{ rewrite Z2Nat.id by now apply best_nonneg. rewrite none_above; trivial; lia. }
destruct (a_threshold x k X _ N0) as [t [t0 [M D]]].
assert (O := evened_over z t low x high y B E T). assert (U := best_over y k t t0).
destruct (le_lt_dec k (many (Z.ltb t) x + many (Z.eqb t) x)) as [L|L].
- set (j := (k - many (Z.ltb t) x)%nat).
  assert (K := best_takes t x j X ltac:(unfold j; lia)).
  replace (many (Z.ltb t) x + j)%nat with k in K by (unfold j; lia). lia.
- assert (t = 0) by (destruct D; [trivial|lia]). subst t.
  assert (K := best_takes 0 x 0 X (Nat.le_0_l _)). rewrite Nat.add_0_r in K.
  assert (V := best_up x _ k X M). lia.
Qed.

Lemma occurring_over x : nonneg x = true -> occurring x + over 1 x = size x.
Proof.
induction x as [|a x IH]; trivial. cbn [nonneg forallb occurring over size fold_right].
fold (over 1 x) (size x). rewrite andb_true_iff, Z.leb_le. intros [A X]. specialize (IH X).
destruct (Z.ltb_spec 0 a); lia.
Qed.

Lemma occurring_within x : forall n, within x n = true -> occurring x <= occurring n.
Proof.
induction x as [|a x IH]; intros [|b n]; simpl; try easy; try lia.
rewrite !andb_true_iff, !Z.leb_le. intros [[A B] H]. specialize (IH n H).
destruct (Z.ltb_spec 0 a), (Z.ltb_spec 0 b); lia.
Qed.
