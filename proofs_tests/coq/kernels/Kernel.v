(* What a translated function means: the language that `python -m proofs_tests.gallina write`
   writes the functions of the package in, rules for its loops, and sums.

   Places in the code: the numba kernels of transport/compiled.py and lattice/compiled.py, and the
   closed forms of transport/closed_forms.py

   A function runs in the option monad.  None stands for everything that the theorems must rule out:
   an index outside its array (numba does not check, it reads or writes foreign memory), a negative
   index (Python counts from the end), a slice that Python would clip, arrays of unequal length in
   zip(strict=True), a whole number that the number type does not hold, and a loop without an end.

   [fits] says which numbers the type holds: all of them for Python's ints, those of 64 bits for
   numba.  A theorem has the form  wp (function arguments) Q:  the function returns, and Q holds of
   what it returns.

   The idea in three lines:
   - an array is a length and a function from places to numbers; a view is a place in an array;
   - a loop keeps an invariant about what it changes, its state;
   - whatever can fail is checked where it happens, so no theorem speaks of a run that fails. *)
Require Import ZArith Lia Bool.
Open Scope Z_scope.

(* ---- values ------------------------------------------------------------- *)
Record arr := Arr { len : Z; at1 : Z -> Z }.
Record arr2 := Arr2 { rows : Z; cols : Z; at2 : Z -> Z -> Z }.

Definition bind {A B} (c : option A) (f : A -> option B) : option B :=
  match c with Some a => f a | None => None end.
Notation "'let!' x ':=' c 'in' d" := (bind c (fun x => d))
  (at level 200, x binder, c at level 100, d at level 200).

Definition guard (b : bool) : option unit := if b then Some tt else None.
Definition inside (i n : Z) : bool := (0 <=? i) && (i <? n).
Definition part (lo hi n : Z) : bool := (0 <=? lo) && (lo <=? hi) && (hi <=? n).

Section Semantics.
Variable fits : Z -> bool.

Definition num (z : Z) : option Z := if fits z then Some z else None.
Definition add a b := num (a + b).
Definition sub a b := num (a - b).
Definition mul a b := num (a * b).
Definition absolute a := num (Z.abs a).
(* a // b and a % b, for b > 0 only: Python and numba agree there with Z.div and Z.modulo *)
Definition quotient a b := let! _ := guard (0 <? b) in num (a / b).
Definition remainder a b := let! _ := guard (0 <? b) in num (a mod b).
End Semantics.

Definition get a i := let! _ := guard (inside i (len a)) in Some (at1 a i).
Definition set a i v := let! _ := guard (inside i (len a)) in
  Some (Arr (len a) (fun j => if j =? i then v else at1 a j)).
Definition get2 a i j := let! _ := guard (inside i (rows a) && inside j (cols a)) in
  Some (at2 a i j).
Definition set2 a i j v := let! _ := guard (inside i (rows a) && inside j (cols a)) in
  Some (Arr2 (rows a) (cols a)
    (fun x y => if (x =? i) && (y =? j) then v else at2 a x y)).
Definition fill v a := Arr (len a) (fun _ => v).
Definition one v := Arr 1 (fun _ => v).
Definition append a v := Arr (len a + 1) (fun j => if j =? len a then v else at1 a j).
Definition fresh (junk : Z -> Z) n := let! _ := guard (0 <=? n) in Some (Arr n junk).
Definition zeros2 n m := let! _ := guard ((0 <=? n) && (0 <=? m)) in
  Some (Arr2 n m (fun _ _ => 0)).
(* a[lo:hi] = b[lo':hi'] *)
Definition blit a lo hi b lo' hi' :=
  let! _ := guard (part lo hi (len a) && part lo' hi' (len b) && (hi - lo =? hi' - lo')) in
  Some (Arr (len a) (fun j =>
    if (lo <=? j) && (j <? hi) then at1 b (lo' + (j - lo)) else at1 a j)).

Definition zeros n := let! _ := guard (0 <=? n) in Some (Arr n (fun _ => 0)).

(* a part of a row of an array: row, first column, number of columns; its bounds are checked when it is made *)
Record view := View { vrow : Z; vfrom : Z; vlen : Z }.
Definition view1 a lo hi := let! _ := guard (part lo hi (len a)) in Some (View 0 lo (hi - lo)).
Definition view2 a i lo hi := let! _ := guard (inside i (rows a) && part lo hi (cols a)) in
  Some (View i lo (hi - lo)).
Definition vget1 a v x := let! _ := guard (inside x (vlen v)) in get a (vfrom v + x).
Definition vget2 a v x := let! _ := guard (inside x (vlen v)) in get2 a (vrow v) (vfrom v + x).
Definition vset1 a v x z := let! _ := guard (inside x (vlen v)) in set a (vfrom v + x) z.
Definition vset2 a v x z := let! _ := guard (inside x (vlen v)) in set2 a (vrow v) (vfrom v + x) z.

Fixpoint for_ {S} (n : nat) (f : Z -> S -> option S) (s : S) : option S :=
  match n with
  | O => Some s
  | Datatypes.S n' => let! s' := for_ n' f s in f (Z.of_nat n') s'
  end.
Definition steps (start stop step : Z) : nat := Z.to_nat ((stop - start + step - 1) / step).

(* a loop that a return may leave: with what is returned, or with the state at its end *)
Inductive exit S R := Next (s : S) | Done (r : R).
Arguments Next {S R} s.
Arguments Done {S R} r.
Fixpoint until {S R} (n : nat) (f : Z -> S -> option (exit S R)) (s : S) : option (exit S R) :=
  match n with
  | O => Some (Next s)
  | Datatypes.S n' => let! e := until n' f s in
    match e with Next s' => f (Z.of_nat n') s' | Done r => Some (Done r) end
  end.

Fixpoint while {S} (fuel : nat) (c : S -> option bool) (f : S -> option S) (s : S) : option S :=
  match fuel with
  | O => None
  | Datatypes.S fuel' =>
    let! b := c s in if b then let! s' := f s in while fuel' c f s' else Some s
  end.

(* ---- what holds after a kernel ------------------------------------------ *)
Definition wp {A} (c : option A) (Q : A -> Prop) : Prop :=
  match c with Some a => Q a | None => False end.

Lemma wp_val {A} (a : A) (Q : A -> Prop) : Q a -> wp (Some a) Q.
Proof. exact (fun H => H). Qed.

Lemma wp_bind {A B} (c : option A) (f : A -> option B) (Q : B -> Prop) :
  wp c (fun a => wp (f a) Q) -> wp (bind c f) Q.
Proof. destruct c; exact (fun H => H). Qed.

Lemma wp_weaken {A} (c : option A) (P Q : A -> Prop) :
  wp c P -> (forall a, P a -> Q a) -> wp c Q.
Proof. destruct c; simpl; auto. Qed.

Lemma wp_guard b (Q : unit -> Prop) : b = true -> Q tt -> wp (guard b) Q.
Proof. intros ->; exact (fun H => H). Qed.

Lemma wp_num fits z (Q : Z -> Prop) : fits z = true -> Q z -> wp (num fits z) Q.
Proof. unfold num; intros ->; exact (fun H => H). Qed.

Lemma wp_if {A} (b : bool) (c d : option A) (Q : A -> Prop) :
  (b = true -> wp c Q) -> (b = false -> wp d Q) -> wp (if b then c else d) Q.
Proof. destruct b; auto. Qed.

(* a loop: the invariant holds before, each pass keeps it, it gives what is wanted *)
Lemma wp_for {S} (I : Z -> S -> Prop) n f (s : S) (Q : S -> Prop) :
  I 0 s ->
  (forall i s, 0 <= i < Z.of_nat n -> I i s -> wp (f i s) (I (i + 1))) ->
  (forall s, I (Z.of_nat n) s -> Q s) ->
  wp (for_ n f s) Q.
Proof.
intros H0 Hs HQ; apply wp_weaken with (P := I (Z.of_nat n)); [clear HQ|exact HQ].
revert Hs; induction n as [|n IH]; intros Hs; [exact H0|]; cbn [for_]; apply wp_bind.
apply wp_weaken with (P := I (Z.of_nat n)).
  apply IH; intros i s' Hi; apply Hs; lia.
intros a Ia; replace (Z.of_nat (Datatypes.S n)) with (Z.of_nat n + 1) by lia.
apply Hs; [lia|exact Ia].
Qed.

(* the same where each pass may leave it, with an answer of which something is known *)
Lemma wp_until {S R} (I : Z -> S -> Prop) (D : R -> Prop) n f (s : S) (Q : exit S R -> Prop) :
  I 0 s ->
  (forall i s, 0 <= i < Z.of_nat n -> I i s ->
    wp (f i s) (fun e => match e with Next s' => I (i + 1) s' | Done r => D r end)) ->
  (forall s, I (Z.of_nat n) s -> Q (Next s)) -> (forall r, D r -> Q (Done r)) ->
  wp (until n f s) Q.
Proof.
intros H0 Hs HN HD.
apply wp_weaken with (P := fun e => match e with Next s' => I (Z.of_nat n) s' | Done r => D r end).
  2: intros [s'|r]; auto.
clear HN HD; revert Hs; induction n as [|n IH]; intros Hs; [exact H0|]; cbn [until]; apply wp_bind.
eapply wp_weaken; [apply IH; intros i s' Hi; apply Hs; lia|].
intros [s'|r] H; [|exact H]; replace (Z.of_nat (Datatypes.S n)) with (Z.of_nat n + 1) by lia.
apply Hs; [lia|exact H].
Qed.

(* the same with a measure that falls below the fuel *)
Lemma wp_while {S} (I : S -> Prop) (measure : S -> Z) fuel (c : S -> option bool) f (s : S) (Q : S -> Prop) :
  I s -> 0 <= measure s < Z.of_nat fuel ->
  (forall s, I s -> wp (c s) (fun b : bool => if b
     then wp (f s) (fun s' => I s' /\ 0 <= measure s' < measure s) else Q s)) ->
  wp (while fuel c f s) Q.
Proof.
intros Is Hm H; revert s Is Hm; induction fuel as [|fuel IH]; intros s Is Hm; [lia|].
cbn [while]; apply wp_bind; eapply wp_weaken; [apply (H s Is)|].
intros [|] Hb; [|exact Hb]; apply wp_bind; eapply wp_weaken; [exact Hb|].
intros s' [Is' Hm']; apply IH; [exact Is'|lia].
Qed.

(* ---- sums --------------------------------------------------------------- *)
Fixpoint sumn (n : nat) (f : Z -> Z) : Z :=
  match n with O => 0 | S n' => sumn n' f + f (Z.of_nat n') end.
(* the sum of f i over lo <= i < hi *)
Definition sum lo hi f := sumn (Z.to_nat (hi - lo)) (fun i => f (lo + i)).

Lemma sum_nil lo hi f : hi <= lo -> sum lo hi f = 0.
Proof. unfold sum; intros H; replace (Z.to_nat (hi - lo)) with O by lia; reflexivity. Qed.

Lemma sum_last lo hi f : lo <= hi -> sum lo (hi + 1) f = sum lo hi f + f hi.
Proof.
unfold sum; intros H; replace (Z.to_nat (hi + 1 - lo)) with (S (Z.to_nat (hi - lo))) by lia.
cbn [sumn]; f_equal; f_equal; lia.
Qed.

Lemma sum_ind (P : Z -> Prop) lo hi : lo <= hi ->
  P lo -> (forall i, lo <= i < hi -> P i -> P (i + 1)) -> P hi.
Proof.
intros H P0 PS; replace hi with (lo + Z.of_nat (Z.to_nat (hi - lo))) by lia.
assert (Hn : (Z.to_nat (hi - lo) <= Z.to_nat (hi - lo))%nat) by lia; revert Hn.
generalize (Z.to_nat (hi - lo)) at 1 3 as n; induction n as [|n IH]; intros Hn.
  replace (lo + Z.of_nat 0) with lo by lia; exact P0.
replace (lo + Z.of_nat (S n)) with (lo + Z.of_nat n + 1) by lia; apply PS; [lia|apply IH; lia].
Qed.

Lemma sum_cat lo mid hi f : lo <= mid <= hi -> sum lo hi f = sum lo mid f + sum mid hi f.
Proof.
intros H; apply (sum_ind (fun hi => sum lo hi f = sum lo mid f + sum mid hi f) mid); [lia| |].
  rewrite (sum_nil mid); lia.
intros i Hi IH; rewrite !sum_last by lia; lia.
Qed.

Lemma sum_eq lo hi f g : (forall i, lo <= i < hi -> f i = g i) -> sum lo hi f = sum lo hi g.
Proof.
intros H; destruct (Z.le_gt_cases lo hi) as [L|L]; [|rewrite !sum_nil; lia].
apply (sum_ind (fun j => j <= hi -> sum lo j f = sum lo j g) lo hi); try lia.
  intros; rewrite !sum_nil; lia.
intros i Hi IH Hj; rewrite !sum_last, IH, H by lia; reflexivity.
Qed.

Lemma sum_le lo hi f g : (forall i, lo <= i < hi -> f i <= g i) -> sum lo hi f <= sum lo hi g.
Proof.
intros H; destruct (Z.le_gt_cases lo hi) as [L|L]; [|rewrite !sum_nil; lia].
apply (sum_ind (fun j => j <= hi -> sum lo j f <= sum lo j g) lo hi); try lia.
  intros; rewrite !sum_nil; lia.
intros i Hi IH Hj; rewrite !sum_last by lia; specialize (IH ltac:(lia)); specialize (H i ltac:(lia)); lia.
Qed.

Lemma sum_zero lo hi : sum lo hi (fun _ => 0) = 0.
Proof.
destruct (Z.le_gt_cases lo hi) as [L|L]; [|rewrite sum_nil; lia].
apply (sum_ind (fun j => sum lo j (fun _ => 0) = 0) lo hi); try lia.
  rewrite sum_nil; lia.
intros i Hi IH; rewrite sum_last by lia; lia.
Qed.

Lemma sum_ge0 lo hi f : (forall i, lo <= i < hi -> 0 <= f i) -> 0 <= sum lo hi f.
Proof. intros H; rewrite <- (sum_zero lo hi); apply sum_le, H. Qed.

Lemma sum_mulr lo hi f c : sum lo hi (fun i => f i * c) = sum lo hi f * c.
Proof.
destruct (Z.le_gt_cases lo hi) as [L|L]; [|rewrite !sum_nil; lia].
apply (sum_ind (fun j => sum lo j (fun i => f i * c) = sum lo j f * c) lo hi); try lia.
  rewrite !sum_nil; lia.
intros i Hi IH; rewrite !sum_last by lia; lia.
Qed.

(* ---- stepping through a kernel ------------------------------------------- *)
Lemma inside_true i n : 0 <= i < n -> inside i n = true.
Proof. unfold inside; rewrite andb_true_iff, Z.leb_le, Z.ltb_lt; lia. Qed.
Lemma part_true lo hi n : 0 <= lo <= hi /\ hi <= n -> part lo hi n = true.
Proof. unfold part; rewrite !andb_true_iff, !Z.leb_le; lia. Qed.

(* the side conditions of a guard as linear arithmetic *)
Ltac guards := repeat (rewrite andb_true_iff; split);
  first [apply inside_true | apply part_true | apply Z.eqb_eq | apply Z.leb_le | apply Z.ltb_lt | idtac];
  cbn [len rows cols fill append one].

Ltac tests := repeat match goal with
  | H : (_ <? _) = true |- _ => apply Z.ltb_lt in H
  | H : (_ <? _) = false |- _ => apply Z.ltb_ge in H
  | H : (_ <=? _) = true |- _ => apply Z.leb_le in H
  | H : (_ <=? _) = false |- _ => apply Z.leb_gt in H
  | H : (_ =? _) = true |- _ => apply Z.eqb_eq in H
  | H : (_ =? _) = false |- _ => apply Z.eqb_neq in H
  end.

(* one step of the kernel; stops at loops, where an invariant is needed *)
Ltac head c Q := let d := eval unfold get, set, get2, set2, blit, fresh, zeros, zeros2, view1, view2, vget1, vget2,
  vset1, vset2, add, sub, mul, absolute, quotient, remainder in c in change (wp d Q).
Ltac step := match goal with
  | |- wp (bind _ _) _ => apply wp_bind
  | |- wp (num _ _) _ => apply wp_num
  | |- wp (guard _) _ => apply wp_guard; [guards|]
  | |- wp (Some _) _ => apply wp_val
  | |- wp (if _ then _ else _) _ => apply wp_if; intros; tests
  | |- wp (match ?s with pair _ _ => _ end) _ => destruct s
  | |- wp (match Next _ with _ => _ end) _ => cbn iota
  | |- wp (match Done _ with _ => _ end) _ => cbn iota
  | |- wp (let x := _ in _) _ => cbv zeta
  | |- wp (for_ _ _ _) _ => fail 1
  | |- wp (until _ _ _) _ => fail 1
  | |- wp (while _ _ _ _) _ => fail 1
  | |- wp ?c ?Q => head c Q
  end; cbv beta; cbn [len rows cols at1 at2 vrow vfrom vlen fill append one].

(* step until a loop or the end, and prove what linear arithmetic proves *)
Ltac run := repeat (step; try solve [reflexivity | tests; lia]).

(* which cell of an array was written: a case for each *)
Ltac cells := repeat match goal with
  | |- context [?a =? ?b] => destruct (Z.eqb_spec a b)
  | |- context [?a <? ?b] => destruct (Z.ltb_spec a b)
  | |- context [?a <=? ?b] => destruct (Z.leb_spec a b)
  end; cbn [andb]; try (exfalso; lia).

(* |b - a| is |a - b|: an absolute value in the goal is written as one that a hypothesis has *)
Ltac same_abs := do 3 try match goal with
  | H : context [Z.abs ?a] |- context [Z.abs ?b] =>
    first [constr_eq a b; fail 1 | replace (Z.abs b) with (Z.abs a) by lia]
  | |- ?l = ?r => match l with context [Z.abs ?b] => match r with context [Z.abs ?a] =>
    first [constr_eq a b; fail 1 | replace (Z.abs b) with (Z.abs a) by lia] end end
  end.

(* range(start, stop, step) ends where it should *)
Lemma steps_bounds start stop step : 0 < step ->
  stop <= start + Z.of_nat (steps start stop step) * step.
Proof.
intros H; unfold steps; destruct (Z.le_gt_cases stop start) as [L|L]; [nia|].
pose proof (Z.div_mod (stop - start + step - 1) step ltac:(lia)).
pose proof (Z.mod_pos_bound (stop - start + step - 1) step H).
pose proof (Z.div_pos (stop - start + step - 1) step ltac:(lia) H).
rewrite Z2Nat.id by lia; nia.
Qed.

Lemma steps_inside start stop step i : 0 < step -> 0 <= i < Z.of_nat (steps start stop step) ->
  start <= start + i * step < stop.
Proof.
intros H; unfold steps; intros Hi.
pose proof (Z.div_mod (stop - start + step - 1) step ltac:(lia)).
pose proof (Z.mod_pos_bound (stop - start + step - 1) step H).
nia.
Qed.

(* ---- sums that are exchanged ------------------------------------------------ *)
Lemma sum_add lo hi f g : sum lo hi (fun i => f i + g i) = sum lo hi f + sum lo hi g.
Proof.
destruct (Z.le_gt_cases lo hi) as [L|L]; [|rewrite !sum_nil; lia].
apply (sum_ind (fun j => sum lo j (fun i => f i + g i) = sum lo j f + sum lo j g) lo hi); try lia.
  rewrite !sum_nil; lia.
intros i Hi IH; rewrite !sum_last by lia; lia.
Qed.

(* an indicator picks one place *)
Lemma sum_at lo hi a s : sum lo hi (fun j => if j =? a then s else 0) = if (lo <=? a) && (a <? hi) then s else 0.
Proof.
destruct (Z.le_gt_cases lo hi) as [L|L]; [|rewrite sum_nil by lia; cells; lia].
apply (sum_ind (fun h => sum lo h (fun j => if j =? a then s else 0) = if (lo <=? a) && (a <? h) then s else 0) lo hi);
  try lia.
  rewrite sum_nil by lia; cells; lia.
intros i Hi IH; rewrite sum_last, IH by lia; cells; lia.
Qed.

Lemma sum_swap a b f : 0 <= a -> 0 <= b ->
  sum 0 a (fun i => sum 0 b (fun j => f i j)) = sum 0 b (fun j => sum 0 a (fun i => f i j)).
Proof.
intros Ha Hb; apply (sum_ind (fun a => sum 0 a (fun i => sum 0 b (fun j => f i j)) =
  sum 0 b (fun j => sum 0 a (fun i => f i j))) 0 a Ha).
  rewrite sum_nil by lia; symmetry; erewrite sum_eq; [apply sum_zero|]; intros; apply sum_nil; lia.
intros i Hi IH; rewrite sum_last, IH, <- sum_add by lia; apply sum_eq; intros; rewrite sum_last by lia; reflexivity.
Qed.
