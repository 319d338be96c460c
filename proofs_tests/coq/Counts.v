(* Counts of the sensitive values of a class, as lists of whole numbers, and their sums.

   Places in the papers: t-closeness paper, section 4 (the records of a class by their
   sensitive value); l-diversity paper, Definition 4.2 (the tail of the ranks)
     plus_nonneg     the counts of a union are counts
     best_plus       the l largest counts of a union hold no more than those of the parts
     bestsE          they are found in one pass

   The idea in three lines:
   - the counts of a union are the sums of the counts, value by value;
   - what stands behind the end of a list is zero;
   - the sum of the l largest is the largest sum of l.  Standard library only. *)
From Coq Require Import ZArith List Bool Lia Arith.
Import ListNotations.
Local Open Scope Z_scope.

Definition counts := list Z.
Fixpoint plus (x y : counts) : counts :=
  match x, y with a :: x, b :: y => a + b :: plus x y | [], _ => y | _, [] => x end.
Definition nonneg (x : counts) : bool := forallb (Z.leb 0) x.
Definition size (x : counts) : Z := fold_right Z.add 0 x.
(* the records with one of the values of a set *)
Definition held (x : counts) (s : list nat) : Z := fold_right (fun v z => nth v x 0 + z) 0 s.
(* the largest sum of l counts *)
Fixpoint best (l : nat) (x : counts) : Z :=
  match x, l with
  | a :: x, S k => Z.max (best (S k) x) (a + best k x) | _, _ => 0 end.

Lemma plus_nil x : plus x [] = x.
Proof. now destruct x. Qed.

Lemma plus_comm x : forall y, plus x y = plus y x.
Proof. induction x; destruct y; simpl; trivial. rewrite IHx. f_equal. lia. Qed.

Lemma plus_assoc x : forall y z, plus x (plus y z) = plus (plus x y) z.
Proof.
induction x as [|a x IH]; intros [|b y] [|c z]; simpl; trivial.
rewrite IH. f_equal. lia.
Qed.

Lemma plus_length x : forall y, (length x <= length (plus x y))%nat.
Proof. induction x as [|a x IH]; intros [|b y]; simpl; try lia. specialize (IH y). lia. Qed.

Theorem plus_nonneg x : forall y, nonneg x = true -> nonneg y = true -> nonneg (plus x y) = true.
Proof.
induction x as [|a x IH]; intros [|b y]; simpl; trivial.
rewrite !andb_true_iff, !Z.leb_le. intros [A X] [B Y]. split; [lia|]. now apply IH.
Qed.

Lemma size_plus x : forall y, size (plus x y) = size x + size y.
Proof. induction x; destruct y; simpl; trivial; try lia. rewrite IHx. lia. Qed.

Lemma size_nonneg x : nonneg x = true -> 0 <= size x.
Proof.
induction x as [|a x IH]; simpl; [lia|]. rewrite andb_true_iff, Z.leb_le. intros [A X].
specialize (IH X). lia.
Qed.

Lemma nth_plus v : forall x y, nth v (plus x y) 0 = nth v x 0 + nth v y 0.
Proof. induction v; destruct x, y; simpl; trivial; try lia. Qed.

Lemma held_plus x y s : held (plus x y) s = held x s + held y s.
Proof. induction s; simpl; trivial. rewrite nth_plus, IHs. lia. Qed.

Lemma best_nonneg x : forall l, nonneg x = true -> 0 <= best l x.
Proof.
induction x as [|a x IH]; intros [|l]; simpl; try lia.
rewrite andb_true_iff, Z.leb_le. intros [A X]. specialize (IH (S l) X). lia.
Qed.

Theorem best_plus x : forall y l, nonneg x = true -> nonneg y = true ->
  best l (plus x y) <= best l x + best l y.
Proof.
induction x as [|a x IH]; intros [|b y] l; simpl plus.
- intros _ _. destruct l; simpl; lia.
- intros _ H. assert (P := best_nonneg (b :: y) l H). destruct l; simpl in *; lia.
- intros H _. assert (P := best_nonneg (a :: x) l H). destruct l; simpl in *; lia.
- destruct l as [|l]; [simpl; lia|]. cbn [nonneg forallb].
  rewrite !andb_true_iff, !Z.leb_le. intros [A X] [B Y].
  assert (H := IH y (S l) X Y). assert (H' := IH y l X Y). cbn [best]. lia.
Qed.

(* best 0 x, best 1 x, ..., best l x in one pass; a line of the table from the next one *)
Fixpoint shift (a : Z) (before : Z) (line : list Z) : list Z :=
  match line with [] => [] | z :: line => Z.max z (a + before) :: shift a z line end.
Definition add_line (a : Z) (line : list Z) : list Z :=
  match line with [] => [] | z :: line => z :: shift a z line end.
Definition bests (l : nat) (x : counts) : list Z := fold_right add_line (repeat 0 (S l)) x.

Lemma shiftE a x : forall n k,
  shift a (best k x) (map (fun j => best j x) (seq (S k) n)) = map (fun j => best j (a :: x)) (seq (S k) n).
Proof.
induction n as [|n IH]; intros k; trivial. simpl seq. cbn [map shift]. rewrite IH. reflexivity.
Qed.

Theorem bestsE l x : bests l x = map (fun j => best j x) (seq 0 (S l)).
Proof.
induction x as [|a x IH].
- assert (H : forall n k, repeat 0 n = map (fun j => best j []) (seq k n)).
  { induction n as [|n IH]; intros k; simpl; trivial. rewrite <- IH. now destruct k. }
  exact (H (S l) 0%nat).
- unfold bests in *. cbn [fold_right]. rewrite IH. simpl seq. cbn [map add_line].
  rewrite shiftE. destruct x; reflexivity.
Qed.

Lemma best_last l x : nth l (bests l x) 0 = best l x.
Proof.
rewrite bestsE. change 0 with ((fun _ => 0) l) at 1.
rewrite nth_indep with (d' := best 0 x) by (rewrite map_length, seq_length; lia).
rewrite map_nth with (f := fun j => best j x), seq_nth by lia. reflexivity.
Qed.
