(* An executable checker for certificates of the earth mover's distance, proved
   sound.  It is extracted to OCaml (driver/) and checks what the Python solvers
   claim; the numbers of the papers are checked by it inside Coq.

   Places in the papers: t-closeness paper, section 4 (EMD is the least work) and
   section 5 ("one can calculate EMD using solutions to the transportation
   problem"): whatever calculated a flow, the certificate shows that it is least.
     check_value_sound   if check_value accepts, some flow costs x and none less

   The idea in three lines:
   - the coupling f has the margins p and q, and costs x: no more than x is needed;
   - potentials with u_i + v_j <= d_ij that earn x: no less than x is needed;
   - rational inputs are scaled to integers: p, q, f by one factor and d, u, v by
     another; the value by both.  Standard library only. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Local Open Scope Z_scope.

Definition vec := list Z.
Definition mat := list vec.

Fixpoint sum (a : vec) : Z := match a with [] => 0 | x :: a => x + sum a end.
Fixpoint dot (a b : vec) : Z :=
  match a, b with x :: a, y :: b => x * y + dot a b | _, _ => 0 end.
Fixpoint add (a b : vec) : vec :=
  match a, b with x :: a, y :: b => (x + y) :: add a b | _, _ => [] end.
Fixpoint cost (f d : mat) : Z :=
  match f, d with r :: f, e :: d => dot r e + cost f d | _, _ => 0 end.
(* column sums of a matrix with n columns *)
Definition cols (n : nat) (f : mat) : vec := fold_right add (repeat 0 n) f.

Fixpoint vec_eqb (a b : vec) : bool :=
  match a, b with
  | [], [] => true
  | x :: a, y :: b => (x =? y) && vec_eqb a b
  | _, _ => false
  end.

(* f is a flow from p to q *)
Definition flowb (p q : vec) (f : mat) : bool :=
  let n := length q in
  forallb (fun r => Nat.eqb (length r) n && forallb (Z.leb 0) r) f
  && vec_eqb (map sum f) p && vec_eqb (cols n f) q.

Definition flow (p q : vec) (f : mat) : Prop :=
  (forall r, In r f -> length r = length q /\ forall x, In x r -> 0 <= x)
  /\ map sum f = p /\ cols (length q) f = q.

(* u_i + v_j <= d_ij *)
Fixpoint row_le (a : Z) (v e : vec) : bool :=
  match v, e with
  | [], [] => true
  | x :: v, y :: e => (a + x <=? y) && row_le a v e
  | _, _ => false
  end.
Fixpoint dualb (u v : vec) (d : mat) : bool :=
  match u, d with
  | [], [] => true
  | a :: u, e :: d => row_le a v e && dualb u v d
  | _, _ => false
  end.

Definition check (p q : vec) (d f : mat) (u v : vec) : bool :=
  flowb p q f && dualb u v d && Nat.eqb (length u) (length p)
  && Nat.eqb (length v) (length q) && (cost f d =? dot u p + dot v q).

(* ---- soundness ---------------------------------------------------------- *)
Lemma vec_eqb_eq a : forall b, vec_eqb a b = true -> a = b.
Proof.
induction a as [|x a IH]; destruct b; simpl; try easy.
rewrite andb_true_iff, Z.eqb_eq. intros [-> H]. now rewrite (IH b).
Qed.

Lemma flowb_flow p q f : flowb p q f = true -> flow p q f.
Proof.
unfold flowb, flow. rewrite !andb_true_iff, forallb_forall.
intros [[H r] c]. apply vec_eqb_eq in r, c. repeat split; trivial.
- apply H in H0. rewrite andb_true_iff, Nat.eqb_eq in H0. tauto.
- intros x Hx. apply H in H0. rewrite andb_true_iff, forallb_forall in H0.
  apply Z.leb_le. now apply H0.
Qed.

Lemma dot_add v : forall a b, length a = length v -> length b = length v ->
  dot v (add a b) = dot v a + dot v b.
Proof.
induction v as [|x v IH]; destruct a, b; simpl; try easy.
intros [= Ha] [= Hb]. rewrite IH by easy. ring.
Qed.

Lemma dot_zero v n : dot v (repeat 0 n) = 0.
Proof. revert n; induction v; destruct n; simpl; trivial. rewrite IHv. ring. Qed.

Lemma length_add a : forall b, length a = length b -> length (add a b) = length b.
Proof. induction a; destruct b; simpl; intros [=]; trivial. now rewrite IHa. Qed.

Lemma length_cols n f : (forall r, In r f -> length r = n) -> length (cols n f) = n.
Proof.
intros H; induction f as [|r f IH]; simpl; [apply repeat_length|].
rewrite length_add; rewrite IH; auto with datatypes.
Qed.

(* one row: a * (mass of the row) + v . row <= cost of the row *)
Lemma row_bound a v : forall e r, row_le a v e = true ->
  (forall x, In x r -> 0 <= x) -> length r = length v ->
  a * sum r + dot v r <= dot r e.
Proof.
induction v as [|x v IH]; destruct e as [|y e], r as [|z r]; simpl; try easy.
- lia.
- rewrite andb_true_iff, Z.leb_le. intros [H1 H2] Hz [= Hl].
  assert (a * sum r + dot v r <= dot r e) by (apply IH; auto).
  assert (0 <= z) by auto. nia.
Qed.

Lemma dual_bound u v : forall d g, dualb u v d = true -> length g = length u ->
  (forall r, In r g -> length r = length v /\ forall x, In x r -> 0 <= x) ->
  dot u (map sum g) + dot v (cols (length v) g) <= cost g d.
Proof.
induction u as [|a u IH]; destruct d as [|e d], g as [|r g]; simpl; try easy.
- intros _ _ _. rewrite dot_zero. lia.
- rewrite andb_true_iff. intros [H1 H2] [= Hl] Hg.
  assert (Hr := Hg r (or_introl eq_refl)). destruct Hr as [Lr Pr].
  assert (IHg := IH d g H2 Hl (fun s Hs => Hg s (or_intror Hs))).
  assert (Rb := row_bound a v e r H1 Pr Lr).
  rewrite dot_add; trivial; [lia|].
  apply length_cols. intros s Hs. now apply Hg; right.
Qed.

Theorem check_sound p q d f u v : check p q d f u v = true ->
  flow p q f /\ forall g, flow p q g -> cost f d <= cost g d.
Proof.
unfold check. rewrite !andb_true_iff, !Nat.eqb_eq, Z.eqb_eq.
intros [[[[Hf Hd] Lu] Lv] Hc]. split; [now apply flowb_flow|].
intros g [Hg [Hr Hq]]. rewrite Hc.
assert (B := dual_bound u v d g Hd). rewrite Lv, Hr, Hq in B. apply B; trivial.
now rewrite Lu, <- Hr, map_length.
Qed.

(* a claimed closed-form value x (scaled) is right *)
Definition check_value p q d f u v (x : Z) := check p q d f u v && (cost f d =? x).

Theorem check_value_sound p q d f u v x : check_value p q d f u v x = true ->
  (exists g, flow p q g /\ cost g d = x) /\ (forall g, flow p q g -> x <= cost g d).
Proof.
unfold check_value. rewrite andb_true_iff, Z.eqb_eq. intros [H <-].
apply check_sound in H as [H1 H2]. split; [exists f|]; auto.
Qed.
