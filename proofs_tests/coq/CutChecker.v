(* An executable checker of optimal cuts, proved sound: one node at or above each value of
   each hierarchy, for the whole table.  It is meant for extraction.

   A cut is a level for each value of each hierarchy; values below one node of it have its
   level.  It goes below a node if each value of the node has a lower level.

   Places in the checkers: certificates of cuts; t-closeness paper, section 6 (which
   releases lose least)
     least_sound         the least of costs and prices over the cuts of one hierarchy
     forbidden           a class that violates is not above all classes of a good cut
     check_cut_sound     if it accepts, no cut that satisfies costs less than the bound

   The idea in three lines:
   - from the leaves upwards a node is in the cut, or the cut goes below it;
   - of the nodes above those of a class that violates, some one is not gone below;
   - prices of these inequalities, a tree of cases, and rounding.  Standard library only. *)
From Coq Require Import ZArith List Bool Lia Arith.
From Tcloseness Require Import Counts Conditions LatticeChecker.
Import ListNotations.
Local Open Scope Z_scope.

(* ---- sums over lists ------------------------------------------------------------------ *)
Section Total.
Context {A : Type}.
Definition total (f : A -> Z) (l : list A) : Z := fold_right (fun a z => f a + z) 0 l.

Lemma total_le (f g : A -> Z) l : (forall a, In a l -> f a <= g a) -> total f l <= total g l.
Proof.
induction l as [|a l IH]; intros H; simpl; [lia|].
assert (F := H a (or_introl eq_refl)). specialize (IH (fun b Hb => H b (or_intror Hb))). lia.
Qed.

Lemma total_eq (f g : A -> Z) l : (forall a, In a l -> f a = g a) -> total f l = total g l.
Proof. intros H. apply Z.le_antisymm; apply total_le; intros a Ha; rewrite (H a Ha); lia. Qed.

Lemma total_plus (f g : A -> Z) l : total (fun a => f a + g a) l = total f l + total g l.
Proof. induction l as [|a l IH]; simpl; lia. Qed.

Lemma total_times z (f : A -> Z) l : total (fun a => z * f a) l = z * total f l.
Proof. induction l as [|a l IH]; simpl; lia. Qed.

Lemma total_zero l : total (fun _ => 0) l = 0.
Proof. induction l; simpl; trivial. Qed.

Lemma total_or (f : A -> Z) (p q : A -> bool) l : (forall a, In a l -> p a && q a = false) ->
  total f (filter (fun a => p a || q a) l) = total f (filter p l) + total f (filter q l).
Proof.
induction l as [|a l IH]; intros H; simpl; trivial.
assert (D := H a (or_introl eq_refl)). specialize (IH (fun b Hb => H b (or_intror Hb))).
destruct (p a), (q a); simpl in *; try easy; lia.
Qed.

Lemma total_classes (k : A -> nat) (f : A -> Z) l : forall ys, NoDup ys ->
  fold_right (fun y z => total f (filter (fun a => Nat.eqb (k a) y) l) + z) 0 ys =
  total f (filter (fun a => existsb (Nat.eqb (k a)) ys) l).
Proof.
induction ys as [|y ys IH]; intros D; simpl.
- assert (E : filter (fun _ => false) l = []) by (induction l; simpl; trivial). now rewrite E.
- inversion D as [|? ? N D']. subst. rewrite IH, total_or; trivial.
  intros a _. destruct (Nat.eqb_spec (k a) y) as [E|]; trivial. simpl.
  apply not_true_iff_false. intros X. apply existsb_exists in X as [w [I W]].
  apply Nat.eqb_eq in W. congruence.
Qed.
End Total.

(* ---- one hierarchy ----------------------------------------------------------------------- *)
Definition width (h : hierarchy) (l : nat) : nat := leaves (skipn l h).
Definition lab (h : hierarchy) (l c : nat) : nat := climb (firstn l h) c.
Definition anc (h : hierarchy) (l k x : nat) : nat := climb (firstn (k - l) (skipn l h)) x.
Definition children_of (h : hierarchy) (l x : nat) : list nat :=
  filter (fun y => Nat.eqb (nth y (nth l h []) 0%nat) x) (seq 0 (width h l)).
Definition onto (h : hierarchy) : bool :=
  forallb (fun l => forallb (fun x => existsb (fun c => Nat.eqb (lab h l c) x) (seq 0 (leaves h)))
    (seq 0 (width h l))) (seq 0 (S (length h))).

Section Least.
Variables (h : hierarchy) (g : nat -> nat -> Z).     (* what a value costs at a level *)
Variable priced : list (nat * nat * Z).              (* prices of the nodes that are gone below *)
Variable fixed : nat -> nat -> option bool.          (* whether a node is, in a case *)
Definition values : list nat := seq 0 (leaves h).
Definition here (l x : nat) : Z := total (fun c => g c l) (filter (fun c => Nat.eqb (lab h l c) x) values).
Definition price (l x : nat) : Z :=
  total snd (filter (fun e => Nat.eqb (fst (fst e)) l && Nat.eqb (snd (fst e)) x) priced).
Definition both (a b : option Z) : option Z := match a, b with Some x, Some y => Some (x + y) | _, _ => None end.
Definition less (a b : option Z) : option Z :=
  match a, b with Some x, Some y => Some (Z.min x y) | None, z | z, None => z end.
Definition is (v : bool) (x : option bool) : bool := match x with Some w => Bool.eqb v w | None => false end.
(* whether the cut must go below the node, and the least of what is at or below it *)
Fixpoint least (l x : nat) : bool * option Z :=
  match l with
  | O => let s := is true (fixed 0 x) in (s, if s then None else Some (here 0 x))
  | S k =>
      let parts := map (least k) (children_of h k x) in
      let s := is true (fixed l x) || existsb fst parts in
      let below := if is false (fixed l x) then None
                   else both (Some (price l x)) (fold_right (fun e z => both (snd e) z) (Some 0) parts) in
      (s, less (if s then None else Some (here l x)) below)
  end.
Definition uniform_least : option Z :=
  fold_right (fun l z =>
    if forallb (fun k => forallb (fun x => match fixed k x with Some v => Bool.eqb v (Nat.ltb l k) | None => true end)
         (seq 0 (width h k))) (seq 0 (S (length h)))
    then less (Some (total (fun c => g c l) values
                     + total (fun e => if Nat.ltb l (fst (fst e)) then snd e else 0) priced)) z
    else z) None (seq 0 (S (length h))).

(* ---- labels ---- *)
Hypothesis nest : nested h = true.
Hypothesis full : onto h = true.

Lemma climb_app a b c : climb (a ++ b) c = climb b (climb a c).
Proof. unfold climb. apply fold_left_app. Qed.

Lemma firstn_S {A} (d : A) : forall l (u : list A), (l < length u)%nat ->
  firstn (S l) u = firstn l u ++ [nth l u d].
Proof.
induction l as [|l IH]; intros [|a u]; simpl; try lia; trivial. intros H.
f_equal. apply (IH u). lia.
Qed.

Lemma nth_skip {A} (d : A) l : forall j (u : list A), nth j (skipn l u) d = nth (l + j) u d.
Proof. induction l as [|l IH]; intros j [|a u]; simpl; trivial; now destruct j. Qed.

Lemma skip_S l : (l < length h)%nat -> skipn l h = nth l h [] :: skipn (S l) h.
Proof.
clear nest full. revert l. induction h as [|m u IH]; intros [|l]; simpl; try lia; trivial.
intros L. apply IH. lia.
Qed.

Lemma lab_S l c : (l < length h)%nat -> lab h (S l) c = nth (lab h l c) (nth l h []) 0%nat.
Proof. intros L. unfold lab. rewrite (firstn_S []), climb_app by trivial. reflexivity. Qed.

Lemma anc_S l k x : (l <= k < length h)%nat -> anc h l (S k) x = nth (anc h l k x) (nth k h []) 0%nat.
Proof.
intros L. unfold anc. replace (S k - l)%nat with (S (k - l)) by lia.
rewrite (firstn_S []), climb_app by (rewrite skipn_length; lia). rewrite nth_skip.
replace (l + (k - l))%nat with k by lia. reflexivity.
Qed.

Lemma anc_same l x : anc h l l x = x.
Proof. unfold anc. now rewrite Nat.sub_diag. Qed.

Lemma anc_lab l c : forall k, (l <= k <= length h)%nat -> anc h l k (lab h l c) = lab h k c.
Proof.
induction k as [|k IH]; intros L.
- replace l with 0%nat by lia. apply anc_same.
- destruct (Nat.eq_dec l (S k)) as [->|N]; [apply anc_same|].
  rewrite anc_S, IH by lia. now rewrite lab_S by lia.
Qed.

Lemma next_lt l x : (l < length h)%nat -> (x < width h l)%nat -> (nth x (nth l h []) 0 < width h (S l))%nat.
Proof.
intros L X. unfold width in *. assert (E := skip_S l L).
assert (N : nested (skipn l h) = true).
{ clear - nest. revert nest. generalize h as u. induction l as [|l IH]; intros [|m u]; simpl; trivial.
  rewrite andb_true_iff. intros [_ H]. now apply IH. }
rewrite E in N, X. simpl in N, X. apply andb_true_iff in N as [N _]. rewrite forallb_forall in N.
apply Nat.ltb_lt, N. now apply nth_In.
Qed.

Lemma lab_lt c : (c < leaves h)%nat -> forall l, (l <= length h)%nat -> (lab h l c < width h l)%nat.
Proof.
intros C. induction l as [|l IH]; intros L; [exact C|]. rewrite lab_S by lia.
apply next_lt; [lia|]. apply IH. lia.
Qed.

Lemma anc_lt l x : (x < width h l)%nat -> forall k, (l <= k <= length h)%nat -> (anc h l k x < width h k)%nat.
Proof.
intros X. induction k as [|k IH]; intros L.
- replace l with 0%nat in * by lia. now rewrite anc_same.
- destruct (Nat.eq_dec l (S k)) as [->|N]; [now rewrite anc_same|].
  rewrite anc_S by lia. apply next_lt; [lia|]. apply IH. lia.
Qed.

Lemma has_value l x : (l <= length h)%nat -> (x < width h l)%nat -> exists c, In c values /\ lab h l c = x.
Proof.
intros L X. unfold onto in full. rewrite forallb_forall in full.
assert (F := full l ltac:(apply in_seq; lia)). rewrite forallb_forall in F.
specialize (F x ltac:(apply in_seq; lia)). apply existsb_exists in F as [c [I E]].
exists c. split; trivial. now apply Nat.eqb_eq.
Qed.

Lemma in_children l x y : In y (children_of h l x) <-> (y < width h l)%nat /\ nth y (nth l h []) 0%nat = x.
Proof. unfold children_of. rewrite filter_In, in_seq, Nat.eqb_eq. split; intros [? ?]; split; trivial; lia. Qed.

(* ---- a cut ---- *)
Variable lv : nat -> nat.
Hypothesis cut_levels : forall c, In c values -> (lv c <= length h)%nat.
Hypothesis cut_nodes : forall c e, In c values -> In e values -> lab h (lv c) c = lab h (lv c) e -> lv e = lv c.

Definition below_node (l x : nat) : bool :=
  forallb (fun c => implb (Nat.eqb (lab h l c) x) (Nat.ltb (lv c) l)) values.
Definition paid (e : nat * nat * Z) : Z := if below_node (fst (fst e)) (snd (fst e)) then snd e else 0.
Definition under (l x : nat) (e : nat * nat * Z) : bool :=
  Nat.leb (fst (fst e)) l && Nat.eqb (anc h (fst (fst e)) l (snd (fst e))) x.
Hypothesis prices_in : forall e, In e priced ->
  (fst (fst e) <= length h)%nat /\ (snd (fst e) < width h (fst (fst e)))%nat.
Hypothesis fixed_in : forall l x v, fixed l x = Some v -> (l <= length h)%nat /\ (x < width h l)%nat.

Definition cost_under (l x : nat) : Z :=
  total (fun c => g c (lv c)) (filter (fun c => Nat.eqb (lab h l c) x) values).

Lemma lab_up l k c e : (l <= k <= length h)%nat -> lab h l c = lab h l e -> lab h k c = lab h k e.
Proof. intros L E. rewrite <- (anc_lab l c k L), <- (anc_lab l e k L). now rewrite E. Qed.

Lemma below_at l x c : In c values -> lab h l c = x -> below_node l x = Nat.ltb (lv c) l.
Proof.
intros I E. destruct (Nat.ltb_spec (lv c) l) as [L|L].
- apply forallb_forall. intros e Ie. destruct (Nat.eqb_spec (lab h l e) x) as [Ee|]; trivial. simpl.
  apply Nat.ltb_lt. destruct (le_lt_dec l (lv e)) as [D|]; trivial.
  assert (B := cut_levels e Ie).
  rewrite (cut_nodes e c Ie I) in L; [lia|]. apply (lab_up l); [lia|congruence].
- apply not_true_iff_false. intros F. unfold below_node in F. rewrite forallb_forall in F. specialize (F c I).
  rewrite E, Nat.eqb_refl in F. simpl in F. apply Nat.ltb_lt in F. lia.
Qed.

Lemma under_S l x e : (l < length h)%nat -> In e priced ->
  under (S l) x e = (Nat.eqb (fst (fst e)) (S l) && Nat.eqb (snd (fst e)) x)
                    || (Nat.leb (fst (fst e)) l && existsb (Nat.eqb (anc h (fst (fst e)) l (snd (fst e)))) (children_of h l x)).
Proof.
intros L I. destruct (prices_in e I) as [P1 P2]. destruct e as [[k y] z]. unfold under. cbn [fst snd] in *.
destruct (Nat.eqb_spec k (S l)) as [->|N].
- rewrite anc_same, Nat.leb_refl. destruct (Nat.leb_spec (S l) l); [lia|]. simpl. now rewrite orb_false_r.
- simpl. destruct (Nat.leb_spec k (S l)), (Nat.leb_spec k l); simpl; try lia; trivial.
  apply eq_iff_eq_true. rewrite Nat.eqb_eq, anc_S by lia. rewrite existsb_exists. split.
  + intros E. exists (anc h k l y). split; [apply in_children; split; [apply anc_lt; trivial; lia|trivial]|].
    apply Nat.eqb_refl.
  + intros [w [I' E]]. apply Nat.eqb_eq in E. apply in_children in I' as [_ <-]. now rewrite E.
Qed.

Lemma children_distinct l x : NoDup (children_of h l x).
Proof. apply NoDup_filter, seq_NoDup. Qed.

Lemma filter_ext_here {A} (p q : A -> bool) l : (forall a, In a l -> p a = q a) -> filter p l = filter q l.
Proof.
induction l as [|a l IH]; intros H; simpl; trivial. rewrite (H a (or_introl eq_refl)).
rewrite IH; trivial. intros b Hb. apply H. now right.
Qed.

Lemma cost_children l x : (l < length h)%nat ->
  fold_right (fun y z => cost_under l y + z) 0 (children_of h l x) = cost_under (S l) x.
Proof.
intros L. unfold cost_under. rewrite (total_classes (lab h l)) by apply children_distinct.
f_equal. apply filter_ext_here. intros c Hc. apply eq_iff_eq_true.
rewrite Nat.eqb_eq, lab_S by trivial. rewrite existsb_exists. split.
- intros [w [I E]]. apply Nat.eqb_eq in E. apply in_children in I as [_ <-]. now rewrite E.
- intros E. exists (lab h l c). split; [|apply Nat.eqb_refl]. apply in_children. split; trivial.
  apply lab_lt; [|lia]. apply in_seq in Hc. lia.
Qed.

Lemma paid_children l x : (l < length h)%nat ->
  total paid (filter (under (S l) x) priced) =
  total paid (filter (fun e => Nat.eqb (fst (fst e)) (S l) && Nat.eqb (snd (fst e)) x) priced)
  + fold_right (fun y z => total paid (filter (under l y) priced) + z) 0 (children_of h l x).
Proof.
intros L. set (low := filter (fun e => Nat.leb (fst (fst e)) l) priced).
assert (E : forall y, filter (under l y) priced =
  filter (fun e => Nat.eqb (anc h (fst (fst e)) l (snd (fst e))) y) low).
{ intros y. unfold low, under. clear. induction priced as [|e u IH]; simpl; trivial.
  destruct (Nat.leb (fst (fst e)) l); simpl; rewrite IH; trivial. }
assert (F : fold_right (fun y z => total paid (filter (under l y) priced) + z) 0 (children_of h l x) =
  fold_right (fun y z => total paid (filter (fun e => Nat.eqb (anc h (fst (fst e)) l (snd (fst e))) y) low) + z)
    0 (children_of h l x)).
{ generalize (children_of h l x) as ys. induction ys as [|y ys IH]; simpl; trivial. now rewrite E, IH. }
rewrite F, (total_classes (fun e : nat * nat * Z => anc h (fst (fst e)) l (snd (fst e)))) by apply children_distinct.
rewrite (filter_ext_here _ _ priced (fun e I => under_S l x e L I)), total_or.
- f_equal. f_equal. unfold low. clear. induction priced as [|e u IH]; simpl; trivial.
  destruct (Nat.leb (fst (fst e)) l); simpl; rewrite IH; trivial.
- intros e _. destruct (Nat.eqb_spec (fst (fst e)) (S l)) as [->|]; trivial.
  destruct (Nat.leb_spec (S l) l); [lia|]. simpl. now rewrite andb_false_r.
Qed.

Lemma flagged l : forall x, (l <= length h)%nat -> (x < width h l)%nat -> fst (least l x) = true ->
  exists k y, (k <= l)%nat /\ (y < width h k)%nat /\ anc h k l y = x /\ fixed k y = Some true.
Proof.
assert (one : forall z, is true z = true -> z = Some true) by (intros [[|]|]; simpl; easy).
induction l as [|l IH]; intros x L X; simpl.
- intros H. exists 0%nat, x. repeat split; auto; apply anc_same.
- rewrite orb_true_iff. intros [H|H].
  + exists (S l), x. repeat split; auto; apply anc_same.
  + apply existsb_exists in H as [p [I F]]. apply in_map_iff in I as [y [<- I]].
    apply in_children in I as [Y E]. destruct (IH y ltac:(lia) Y F) as (k & w & K & W & A & Fx).
    exists k, w. repeat split; trivial; try lia. rewrite anc_S by lia. now rewrite A.
Qed.

Theorem least_sound : forall l x, (l <= length h)%nat -> (x < width h l)%nat ->
  (forall c, In c values -> lab h l c = x -> (lv c <= l)%nat) ->
  (forall k y v, (k <= l)%nat -> anc h k l y = x -> fixed k y = Some v -> below_node k y = v) ->
  exists z, snd (least l x) = Some z /\ z <= cost_under l x + total paid (filter (under l x) priced).
Proof.
assert (here_le : forall l x, (l <= length h)%nat -> (x < width h l)%nat ->
  (forall c, In c values -> lab h l c = x -> lv c = l) ->
  (forall k y v, (k <= l)%nat -> anc h k l y = x -> fixed k y = Some v -> below_node k y = v) ->
  fst (least l x) = false /\ here l x = cost_under l x + total paid (filter (under l x) priced)).
{ intros l x L X At Fx.
  assert (no : forall k y, (k <= l)%nat -> (y < width h k)%nat -> anc h k l y = x -> below_node k y = false).
  { intros k y K Y A. destruct (has_value k y ltac:(lia) Y) as [c [I E]].
    rewrite (below_at k y c I E). apply Nat.ltb_ge. rewrite (At c I); [lia|].
    rewrite <- A, <- E. symmetry. apply anc_lab. lia. }
  split.
  - apply not_true_iff_false. intros F. destruct (flagged l x L X F) as (k & y & K & Y & A & E).
    assert (B := Fx k y true K A E). rewrite (no k y K Y A) in B. easy.
  - assert (P : total paid (filter (under l x) priced) = 0).
    { rewrite (total_eq paid (fun _ => 0)); [apply total_zero|].
      intros e He. apply filter_In in He as [I U]. destruct (prices_in e I) as [_ Y].
      unfold under in U. apply andb_true_iff in U as [U A]. apply Nat.leb_le in U. apply Nat.eqb_eq in A.
      unfold paid. now rewrite no. }
    rewrite P, Z.add_0_r. unfold here, cost_under. apply total_eq. intros c Hc. apply filter_In in Hc as [I E].
    apply Nat.eqb_eq in E. now rewrite (At c I E). }
intros l. induction l as [|l IH]; intros x L X Le Fx.
- destruct (here_le 0%nat x L X) as [F E]; trivial.
  { intros c I Ec. specialize (Le c I Ec). lia. }
  exists (here 0 x). simpl in F |- *. rewrite F. split; trivial. lia.
- destruct (existsb (fun c => Nat.eqb (lab h (S l) c) x && Nat.eqb (lv c) (S l)) values) eqn:At.
  + apply existsb_exists in At as [c [I At]]. apply andb_true_iff in At as [Ec Lc].
    apply Nat.eqb_eq in Ec, Lc.
    destruct (here_le (S l) x L X) as [F E]; trivial.
    { intros e Ie Ee. rewrite (cut_nodes c e I Ie); trivial. rewrite Lc. congruence. }
    cbn [least fst snd] in *. rewrite F.
    destruct (if is false (fixed (S l) x) then None else _) as [b|]; simpl.
    * exists (Z.min (here (S l) x) b). split; trivial. lia.
    * exists (here (S l) x). split; trivial. lia.
  + assert (low : forall c, In c values -> lab h (S l) c = x -> (lv c <= l)%nat).
    { intros c I Ec. specialize (Le c I Ec). destruct (Nat.eq_dec (lv c) (S l)) as [D|]; [exfalso|lia].
      rewrite <- not_true_iff_false in At. apply At. apply existsb_exists. exists c. split; trivial.
      now rewrite Ec, D, !Nat.eqb_refl. }
    assert (B : below_node (S l) x = true).
    { destruct (has_value (S l) x L X) as [c [I E]]. rewrite (below_at (S l) x c I E). apply Nat.ltb_lt.
      specialize (low c I E). lia. }
    assert (N : is false (fixed (S l) x) = false).
    { destruct (fixed (S l) x) as [v|] eqn:E; trivial.
      rewrite (Fx (S l) x v (le_n _) (anc_same _ _) E) in B. now subst. }
    assert (Sum : forall ys, (forall y, In y ys -> In y (children_of h l x)) ->
      exists z, fold_right (fun e z => both (snd e) z) (Some 0) (map (least l) ys) = Some z /\
        z <= fold_right (fun y z => cost_under l y + z) 0 ys
             + fold_right (fun y z => total paid (filter (under l y) priced) + z) 0 ys).
    { induction ys as [|y ys IHy]; intros H; simpl; [exists 0; split; [trivial|lia]|].
      destruct (IHy (fun w Hw => H w (or_intror Hw))) as [z [-> Hz]].
      assert (Iy := H y (or_introl eq_refl)). apply in_children in Iy as [Y E].
      destruct (IH y ltac:(lia) Y) as [w [-> Hw]].
      - intros c I Ec. apply low; trivial. rewrite lab_S by lia. now rewrite Ec.
      - intros k v w K A Ef. apply (Fx k v); trivial; [lia|].
        destruct (fixed_in k v w Ef) as [_ V]. rewrite anc_S by lia. now rewrite A.
      - exists (w + z). split; trivial. lia. }
    destruct (Sum (children_of h l x) (fun y H => H)) as [z [Ez Hz]].
    rewrite cost_children in Hz by lia. cbn [least snd]. rewrite N, Ez. cbn [both].
    rewrite paid_children by lia.
    assert (P : price (S l) x = total paid (filter (fun e => Nat.eqb (fst (fst e)) (S l) && Nat.eqb (snd (fst e)) x) priced)).
    { unfold price. apply total_eq. intros e He. apply filter_In in He as [_ He].
      apply andb_true_iff in He as [E1 E2]. apply Nat.eqb_eq in E1, E2. unfold paid. now rewrite E1, E2, B. }
    destruct (is true (fixed (S l) x) || existsb fst (map (least l) (children_of h l x))); simpl.
    * exists (price (S l) x + z). split; trivial. lia.
    * exists (Z.min (here (S l) x) (price (S l) x + z)). split; trivial. lia.
Qed.
End Least.

(* ---- the least of all hierarchies, with prices of classes that violate ------------------- *)
Section Uniform.
Variables (h : hierarchy) (g : nat -> nat -> Z) (priced : list (nat * nat * Z)) (fixed : nat -> nat -> option bool).
Variables (lv : nat -> nat) (k : nat).
Hypothesis full : onto h = true.
Hypothesis at_k : forall c, In c (values h) -> lv c = k.
Hypothesis k_in : (k <= length h)%nat.
Hypothesis prices_in : forall e, In e priced ->
  (fst (fst e) <= length h)%nat /\ (snd (fst e) < width h (fst (fst e)))%nat.
Hypothesis fixed_true : forall l x v, fixed l x = Some v -> below_node h lv l x = v.

Lemma below_uniform l x : (l <= length h)%nat -> (x < width h l)%nat -> below_node h lv l x = Nat.ltb k l.
Proof.
intros L X. destruct (has_value h full l x L X) as [c [I E]].
destruct (Nat.ltb_spec k l) as [B|B].
- apply forallb_forall. intros e Ie. rewrite (at_k e Ie).
  apply Nat.ltb_lt in B. rewrite B. now destruct (Nat.eqb (lab h l e) x).
- apply not_true_iff_false. intros F. unfold below_node in F. rewrite forallb_forall in F. specialize (F c I).
  rewrite E, Nat.eqb_refl, (at_k c I) in F. simpl in F. apply Nat.ltb_lt in F. lia.
Qed.

Theorem uniform_sound : exists z, uniform_least h g priced fixed = Some z /\
  z <= total (fun c => g c (lv c)) (values h) + total (paid h lv) priced.
Proof.
set (f := fun l => total (fun c => g c l) (values h)
  + total (fun e : nat * nat * Z => if Nat.ltb l (fst (fst e)) then snd e else 0) priced).
assert (E : f k = total (fun c => g c (lv c)) (values h) + total (paid h lv) priced).
{ unfold f. f_equal; apply total_eq.
  - intros c I. now rewrite at_k.
  - intros e I. destruct (prices_in e I) as [P Q]. unfold paid. now rewrite below_uniform. }
unfold uniform_least. fold f.
assert (I : In k (seq 0 (S (length h)))) by (apply in_seq; lia). revert I.
generalize (seq 0 (S (length h))) at 1 3 as ls.
set (ok := fun l => forallb (fun j => forallb (fun x => match fixed j x with Some v => Bool.eqb v (Nat.ltb l j) | None => true end)
  (seq 0 (width h j))) (seq 0 (S (length h)))).
assert (Ok : ok k = true).
{ apply forallb_forall. intros j Hj. apply forallb_forall. intros x Hx. apply in_seq in Hj, Hx.
  destruct (fixed j x) as [v|] eqn:F; trivial. rewrite <- (fixed_true j x v F), below_uniform by lia.
  apply eqb_reflx. }
induction ls as [|l ls IH]; intros I; [easy|]. cbn [fold_right]. fold (ok l). fold (f l).
destruct I as [->|I].
- rewrite Ok. destruct (fold_right _ None ls) as [z|]; simpl; eexists; split; try reflexivity; lia.
- destruct (IH I) as [z [Ez Hz]]. rewrite Ez.
  destruct (ok l); [|exists z; now split]. simpl. eexists. split; [reflexivity|]. lia.
Qed.
End Uniform.

(* the nodes above those of a class, by attribute; none above a root *)
Definition tuple := list (option (nat * nat)).
Fixpoint parents (hs : list hierarchy) (v : node) (labs : codes) : tuple :=
  match hs, v, labs with
  | h :: hs, l :: v, x :: labs =>
      (if Nat.ltb l (length h) then Some (S l, nth x (nth l h []) 0%nat) else None) :: parents hs v labs
  | _, _, _ => [] end.
Definition pairs := list (tuple * Z).            (* tuples with their prices *)
Definition first_prices (ps : pairs) : list (nat * nat * Z) :=
  flat_map (fun e => match fst e with Some n :: _ => [(n, snd e)] | _ => [] end) ps.
Definition others (ps : pairs) : pairs := map (fun e => (tl (fst e), snd e)) ps.
Definition some_nodes (p : tuple) : Z := total (fun n => match n with Some _ => 1 | None => 0 end) p.

Definition costs := list (nat -> nat -> Z).       (* by attribute, of a value at a level *)
Definition fixings := nat -> nat -> nat -> option bool.
Definition cut_of := list (list nat).             (* by attribute, the level of each value *)

Fixpoint in_range (hs : list hierarchy) (ps : pairs) : bool :=
  match hs with
  | [] => true
  | h :: hs => forallb (fun e => Nat.leb (fst (fst e)) (length h) && Nat.ltb (snd (fst e)) (width h (fst (fst e))))
                 (first_prices ps) && in_range hs (others ps) end.
Fixpoint all_least (uniform : bool) (hs : list hierarchy) (gs : costs) (i : nat) (fixed : fixings) (ps : pairs) : option Z :=
  match hs, gs with
  | h :: hs, g :: gs =>
      both (if uniform then uniform_least h g (first_prices ps) (fixed i)
            else snd (least h g (first_prices ps) (fixed i) (length h) 0))
           (all_least uniform hs gs (S i) fixed (others ps))
  | _, _ => Some 0 end.

(* ---- cuts of all hierarchies ---- *)
Definition level_of (lv : list nat) (c : nat) : nat := nth c lv 0%nat.
Definition one_cut (uniform : bool) (h : hierarchy) (lv : list nat) : bool :=
  Nat.eqb (length lv) (leaves h) && forallb (fun l => Nat.leb l (length h)) lv
  && forallb (fun c => forallb (fun e =>
       implb (Nat.eqb (lab h (level_of lv c) c) (lab h (level_of lv c) e)) (Nat.eqb (level_of lv e) (level_of lv c)))
       (values h)) (values h)
  && (negb uniform || forallb (fun l => Nat.eqb l (hd 0%nat lv)) lv).
Fixpoint cut_ok (uniform : bool) (hs : list hierarchy) (C : cut_of) : bool :=
  match hs, C with
  | [], [] => true | h :: hs, lv :: C => one_cut uniform h lv && cut_ok uniform hs C | _, _ => false end.
Fixpoint cut_labels (hs : list hierarchy) (C : cut_of) (c : codes) : codes :=
  match hs, C, c with
  | h :: hs, lv :: C, x :: c => level_of lv x :: lab h (level_of lv x) x :: cut_labels hs C c
  | _, _, _ => [] end.
Fixpoint cost_of (hs : list hierarchy) (gs : costs) (C : cut_of) : Z :=
  match hs, gs, C with
  | h :: hs, g :: gs, lv :: C => total (fun c => g c (level_of lv c)) (values h) + cost_of hs gs C
  | _, _, _ => 0 end.
(* how many nodes of a tuple a cut goes below *)
Fixpoint gone (hs : list hierarchy) (C : cut_of) (p : tuple) : Z :=
  match hs, C, p with
  | h :: hs, lv :: C, n :: p =>
      match n with Some (l, x) => if below_node h (level_of lv) l x then 1 else 0 | None => 0 end + gone hs C p
  | _, _, _ => 0 end.

Definition keeps (hs : list hierarchy) (C : cut_of) (i : nat) (fixed : fixings) : Prop :=
  forall j l x v, fixed (i + j)%nat l x = Some v ->
    (j < length hs)%nat -> below_node (nth j hs []) (level_of (nth j C [])) l x = v.

Lemma first_paid h lv : forall ps : pairs, total (paid h lv) (first_prices ps) =
  total (fun e => match fst e with Some (l, x) :: _ => if below_node h lv l x then snd e else 0 | _ => 0 end) ps.
Proof.
induction ps as [|[[|[[l x]|] p] y] ps IH]; simpl; trivial; rewrite IH; trivial.
Qed.

Lemma top_label h c : nested h = true -> (c < leaves h)%nat -> lab h (length h) c = 0%nat.
Proof.
intros N C. assert (H := lab_lt h N c C (length h) (le_n _)). unfold width in H.
rewrite skipn_all in H. simpl in H. lia.
Qed.

Theorem all_least_sound uniform : forall hs gs C i fixed ps, forallb nested hs = true -> forallb onto hs = true ->
  length gs = length hs -> cut_ok uniform hs C = true -> in_range hs ps = true ->
  (forall j l x v, fixed (i + j)%nat l x = Some v -> (j < length hs)%nat ->
     (l <= length (nth j hs []))%nat /\ (x < width (nth j hs []) l)%nat) ->
  keeps hs C i fixed ->
  exists z, all_least uniform hs gs i fixed ps = Some z /\
    z <= cost_of hs gs C + total (fun e => snd e * gone hs C (fst e)) ps.
Proof.
induction hs as [|h hs IH]; intros gs C i fixed ps N O Lg Ok R Fi K.
- simpl. exists 0. split; trivial. rewrite (total_eq _ (fun _ => 0)); [rewrite total_zero; lia|].
  intros [p y] _. simpl. lia.
- destruct gs as [|g gs]; [easy|]. destruct C as [|lv C]; [easy|]. simpl in N, O, Ok, R, Lg. injection Lg as Lg.
  apply andb_true_iff in N as [N1 N2], O as [O1 O2], Ok as [K1 K2], R as [R1 R2].
  assert (PI : forall e, In e (first_prices ps) -> (fst (fst e) <= length h)%nat /\ (snd (fst e) < width h (fst (fst e)))%nat).
  { rewrite forallb_forall in R1. intros e He. specialize (R1 e He). apply andb_true_iff in R1 as [A B].
    apply Nat.leb_le in A. apply Nat.ltb_lt in B. now split. }
  assert (FI : forall l x v, fixed i l x = Some v -> (l <= length h)%nat /\ (x < width h l)%nat).
  { intros l x v E. apply (Fi 0%nat l x v); [now rewrite Nat.add_0_r|simpl; lia]. }
  assert (FK : forall l x v, fixed i l x = Some v -> below_node h (level_of lv) l x = v).
  { intros l x v E. apply (K 0%nat l x v); [now rewrite Nat.add_0_r|simpl; lia]. }
  unfold one_cut in K1. rewrite !andb_true_iff, Nat.eqb_eq in K1. destruct K1 as [[[L1 Hl] Cn] Un].
  rewrite forallb_forall in Hl, Cn.
  assert (Lv : forall c, In c (values h) -> In (level_of lv c) lv).
  { intros c I. apply in_seq in I. apply nth_In. lia. }
  assert (Hl' : forall c, In c (values h) -> (level_of lv c <= length h)%nat)
    by (intros c I; apply Nat.leb_le; auto).
  destruct (IH gs C (S i) fixed (others ps) N2 O2 Lg K2 R2) as [z [Ez Hz]].
  { intros j l x v E J. apply (Fi (S j) l x v); [now rewrite Nat.add_succ_r|simpl; lia]. }
  { intros j l x v E J. apply (K (S j) l x v); [now rewrite Nat.add_succ_r|simpl; lia]. }
  assert (W : exists w, (if uniform then uniform_least h g (first_prices ps) (fixed i)
      else snd (least h g (first_prices ps) (fixed i) (length h) 0)) = Some w /\
      w <= total (fun c => g c (level_of lv c)) (values h) + total (paid h (level_of lv)) (first_prices ps)).
  { destruct uniform.
    - simpl in Un. rewrite forallb_forall in Un.
      assert (E : forall c, In c (values h) -> level_of lv c = hd 0%nat lv).
      { intros c I. apply Nat.eqb_eq. auto. }
      destruct (Nat.eq_dec (leaves h) 0) as [Z0|P].
      + apply (uniform_sound h g (first_prices ps) (fixed i) (level_of lv) 0); trivial; [|lia].
        unfold values. rewrite Z0. easy.
      + apply (uniform_sound h g (first_prices ps) (fixed i) (level_of lv) (hd 0%nat lv)); trivial.
        rewrite <- (E 0%nat); [apply Hl'|]; apply in_seq; lia.
    - destruct (least_sound h g (first_prices ps) (fixed i) N1 O1 (level_of lv) Hl') with (l := length h) (x := 0%nat)
        as [w [Ew Hw]]; trivial.
      + intros c e Ic Ie E. specialize (Cn c Ic). rewrite forallb_forall in Cn. specialize (Cn e Ie).
        rewrite E, Nat.eqb_refl in Cn. simpl in Cn. now apply Nat.eqb_eq.
      + unfold width. rewrite skipn_all. simpl. lia.
      + intros c I _. now apply Hl'.
      + intros k y v _ _ E. now apply FK.
      + exists w. split; trivial.
        assert (E1 : cost_under h g (level_of lv) (length h) 0 = total (fun c => g c (level_of lv c)) (values h)).
        { unfold cost_under. f_equal.
          assert (F : forall l, (forall c, In c l -> In c (values h)) ->
            filter (fun c => Nat.eqb (lab h (length h) c) 0) l = l).
          { induction l as [|c l IHl]; intros H; simpl; trivial.
            assert (I := H c (or_introl eq_refl)). apply in_seq in I.
            rewrite top_label by (trivial; lia). simpl. rewrite IHl; trivial. intros d Hd. apply H. now right. }
          now apply F. }
        assert (E2 : filter (under h (length h) 0) (first_prices ps) = first_prices ps).
        { revert PI. generalize (first_prices ps). induction l as [|e l IHl]; intros PI; simpl; trivial.
          destruct (PI e (or_introl eq_refl)) as [A B].
          assert (X := anc_lt h N1 _ _ B (length h) ltac:(lia)). unfold width in X at 1. rewrite skipn_all in X.
          simpl in X. unfold under at 1. rewrite (proj2 (Nat.leb_le _ _) A).
          replace (anc h (fst (fst e)) (length h) (snd (fst e))) with 0%nat by lia. simpl.
          rewrite IHl; trivial. intros d Hd. apply PI. now right. }
        rewrite E1, E2 in Hw. trivial. }
  destruct W as [w [Ew Hw]]. exists (w + z). cbn [all_least]. rewrite Ew, Ez. split; trivial.
  cbn [cost_of]. rewrite first_paid in Hw.
  assert (T : total (fun e => snd e * gone (h :: hs) (lv :: C) (fst e)) ps =
    total (fun e => match fst e with Some (l, x) :: _ => if below_node h (level_of lv) l x then snd e else 0 | _ => 0 end) ps
    + total (fun e => snd e * gone hs C (fst e)) (others ps)).
  { clear. assert (G : forall a b, gone a b [] = 0) by (intros [|? ?] [|? ?]; trivial).
    unfold others. induction ps as [|[p y] ps IHp]; [easy|].
    unfold total in *. cbn [fold_right map fst snd]. rewrite IHp.
    destruct p as [|[[l x]|] p]; cbn [gone tl]; rewrite ?G; try destruct (below_node h (level_of lv) l x).
    all: lia. }
  lia.
Qed.

(* ---- what a class that violates forbids ----------------------------------------------------- *)
Lemma some_nonneg p : 0 <= some_nodes p.
Proof. unfold some_nodes, total. induction p as [|[n|] p IH]; cbn [fold_right]; lia. Qed.

Lemma gone_le : forall hs C p, gone hs C p <= some_nodes p.
Proof.
induction hs as [|h hs IH]; intros C p; [apply some_nonneg|].
destruct C as [|lv C]; [apply some_nonneg|]. destruct p as [|n p]; [simpl; lia|].
specialize (IH C p). unfold some_nodes, total in *. cbn [fold_right gone].
destruct n as [[l x]|]; [destruct (below_node h (level_of lv) l x)|]; lia.
Qed.

Lemma stays_below uniform : forall hs C v labs c e, forallb nested hs = true -> cut_ok uniform hs C = true ->
  leb v (heights hs) = true -> coded hs c = true -> coded hs e = true -> labels hs v c = labs ->
  gone hs C (parents hs v labs) = some_nodes (parents hs v labs) ->
  cut_labels hs C e = cut_labels hs C c -> labels hs v e = labs.
Proof.
induction hs as [|h hs IH]; intros C v labs c e N K L Cc Ce E G S; [now destruct v, c, e|].
destruct C as [|lv C], v as [|l v], c as [|x c], e as [|y e]; simpl in K, L, Cc, Ce; try easy.
apply andb_true_iff in N as [N1 N2], K as [K1 K2], L as [L1 L2], Cc as [Cx Cc], Ce as [Cy Ce].
apply Nat.leb_le in L1. apply Nat.ltb_lt in Cx, Cy.
simpl in E. subst labs. simpl in S. injection S as S1 S2 S3. cbn [parents] in G. cbn [labels].
fold (lab h l x) in *. fold (lab h l y).
unfold some_nodes in G. cbn [total fold_right gone] in G.
fold (total (fun n : option (nat * nat) => match n with Some _ => 1 | None => 0 end) (parents hs v (labels hs v c))) in G.
fold (some_nodes (parents hs v (labels hs v c))) in G.
assert (Le := gone_le hs C (parents hs v (labels hs v c))).
unfold one_cut in K1. rewrite !andb_true_iff, Nat.eqb_eq in K1. destruct K1 as [[[Ll Hl] _] _].
rewrite forallb_forall in Hl.
assert (Lx : (level_of lv x <= length h)%nat) by (apply Nat.leb_le, Hl, nth_In; lia).
assert (B : (level_of lv x <= l)%nat /\ gone hs C (parents hs v (labels hs v c)) = some_nodes (parents hs v (labels hs v c))).
{ destruct (Nat.ltb_spec l (length h)) as [D|D]; [|split; lia].
  destruct (below_node h (level_of lv) (S l) (nth (lab h l x) (nth l h []) 0%nat)) eqn:Bn; [|lia].
  split; [|lia]. unfold below_node in Bn. rewrite forallb_forall in Bn.
  specialize (Bn x ltac:(apply in_seq; lia)). rewrite lab_S, Nat.eqb_refl in Bn by trivial.
  simpl in Bn. apply Nat.leb_le in Bn. lia. }
destruct B as [B1 B2]. f_equal; [|now apply (IH C v _ c e)].
symmetry. apply (lab_up h (level_of lv x) l); [lia|]. rewrite S1 in S2. now symmetry.
Qed.

Section Cut.
Variables (hs : list hierarchy) (t : rows) (cs : list condition).
Definition asks : counts -> bool := satisfies_all (sum t) cs.
(* each class of the cut satisfies; the same, label after label *)
Definition cut_good (C : cut_of) : bool :=
  forallb (fun r => asks (sum (filter (fun x => eqb (cut_labels hs C (fst x)) (cut_labels hs C (fst r))) t))) t.
Definition cut_fast (C : cut_of) : bool :=
  forallb (fun g => asks (sum g)) (groups (keys (hs ++ hs)) (map (fun r => (cut_labels hs C (fst r), snd r)) t)).

Lemma cut_labels_shorter : forall h C c, (length (cut_labels h C c) <= length (h ++ h))%nat.
Proof.
intros h C c. rewrite app_length. revert C c.
induction h as [|a h IH]; intros [|lv C] [|x c]; simpl; try lia. specialize (IH C c). lia.
Qed.

Theorem cut_fastE C : cut_fast C = cut_good C.
Proof.
assert (F : forall labs u, sum (filter (fun x => eqb (fst x) labs)
    (map (fun r => (cut_labels hs C (fst r), snd r)) u)) =
  sum (filter (fun x => eqb (cut_labels hs C (fst x)) labs) u)).
{ intros labs u. induction u as [|r u IH]; simpl; trivial.
  destruct (eqb (cut_labels hs C (fst r)) labs); simpl; now rewrite IH. }
assert (A : forall r u, (length (fst r) <= length (hs ++ hs))%nat ->
  filter (alike (keys (hs ++ hs)) r) u = filter (fun x => eqb (fst x) (fst r)) u)
  by (intros r u L; apply filter_ext; intros x; now apply alike_keys).
apply eq_iff_eq_true. unfold cut_fast, cut_good. rewrite !forallb_forall. split.
- intros H r Hr. rewrite <- F. apply H. apply groupsP. exists (cut_labels hs C (fst r), snd r).
  split; [now apply (in_map (fun r => (cut_labels hs C (fst r), snd r)))|].
  rewrite A; trivial. apply cut_labels_shorter.
- intros H g Hg. apply groupsP in Hg as [x [Hx ->]]. apply in_map_iff in Hx as [r [<- Hr]].
  rewrite A by apply cut_labels_shorter. cbn [fst]. rewrite F. now apply H.
Qed.

Theorem forbidden uniform C v labs : forallb condition_ok cs = true -> whole t = true -> table_ok hs t = true ->
  cut_ok uniform hs C = true -> cut_good C = true -> leb v (heights hs) = true ->
  class hs t v labs <> [] -> asks (sum (class hs t v labs)) = false ->
  gone hs C (parents hs v labs) <= some_nodes (parents hs v labs) - 1.
Proof.
intros J W T K Good L Some Bad.
assert (Le := gone_le hs C (parents hs v labs)).
destruct (Z.eq_dec (gone hs C (parents hs v labs)) (some_nodes (parents hs v labs))) as [E|]; [exfalso|lia].
unfold table_ok in T. apply andb_true_iff in T as [T1 T2]. rewrite forallb_forall in T2.
unfold cut_good in Good. rewrite forallb_forall in Good. unfold whole in W. rewrite forallb_forall in W.
enough (asks (sum (class hs t v labs)) = true) by congruence.
apply (parts_ok asks (fun x y X Y => all_joins (sum t) cs x y J X Y) (cut_labels hs C) (length (class hs t v labs))); trivial.
- intros r Hr. apply filter_In in Hr as [Hr _]. now apply W.
- intros r Hr. unfold class in Hr. apply filter_In in Hr as [Hr Er]. apply eqb_eq in Er.
  rewrite <- (Good r Hr). f_equal. f_equal. unfold class. apply filter_filter. intros x Hx Ex.
  apply eqb_eq in Ex. apply eqb_eq.
  assert (Cr := T2 r Hr). assert (Cx := T2 x Hx). apply andb_true_iff in Cr as [Cr _], Cx as [Cx _].
  now apply (stays_below uniform hs C v labs (fst r) (fst x)).
Qed.

(* ---- cases and prices ---- *)
Inductive cut_cases := Bound (prices : list (nat * Z)) | Branch (i l x : nat) (a b : cut_cases).
Definition priced_of (tuples : list tuple) (prices : list (nat * Z)) : pairs :=
  map (fun e => (nth (fst e) tuples [], snd e)) prices.
Definition extended (fixed : fixings) (i l x : nat) (v : bool) : fixings :=
  fun j m y => if Nat.eqb j i && Nat.eqb m l && Nat.eqb y x then Some v else fixed j m y.
Fixpoint check_cases (uniform : bool) (gs : costs) (tuples : list tuple) (beaten : Z) (fixed : fixings) (c : cut_cases) : bool :=
  match c with
  | Branch i l x a b =>
      Nat.ltb i (length hs) && Nat.leb l (length (nth i hs [])) && Nat.ltb x (width (nth i hs []) l)
      && check_cases uniform gs tuples beaten (extended fixed i l x false) a
      && check_cases uniform gs tuples beaten (extended fixed i l x true) b
  | Bound prices =>
      let ps := priced_of tuples prices in
      forallb (fun e => Nat.ltb (fst e) (length tuples) && (0 <=? snd e)) prices && in_range hs ps
      && match all_least uniform hs gs 0 fixed ps with
         | None => true
         | Some z => beaten <? z - total (fun e => snd e * (some_nodes (fst e) - 1)) ps end
  end.

Lemma cases_sound uniform gs tuples beaten C : forallb nested hs = true -> forallb onto hs = true ->
  length gs = length hs -> cut_ok uniform hs C = true ->
  (forall p, In p tuples -> gone hs C p <= some_nodes p - 1) ->
  forall c fixed, check_cases uniform gs tuples beaten fixed c = true ->
  (forall j l x v, fixed j l x = Some v -> (j < length hs)%nat -> (l <= length (nth j hs []))%nat /\ (x < width (nth j hs []) l)%nat) ->
  keeps hs C 0 fixed -> beaten < cost_of hs gs C.
Proof.
intros N O Lg K Tu. induction c as [prices|i l x a IHa b IHb]; intros fixed H Fi Ke; simpl in H.
- rewrite !andb_true_iff in H. destruct H as [[P R] H]. rewrite forallb_forall in P.
  destruct (all_least_sound uniform hs gs C 0 fixed (priced_of tuples prices) N O Lg K R Fi Ke) as [z [E Hz]].
  rewrite E in H. apply Z.ltb_lt in H.
  assert (B : total (fun e => snd e * gone hs C (fst e)) (priced_of tuples prices) <=
    total (fun e => snd e * (some_nodes (fst e) - 1)) (priced_of tuples prices)).
  { apply total_le. intros e He. apply in_map_iff in He as [q [<- Hq]]. specialize (P q Hq).
    apply andb_true_iff in P as [P1 P2]. apply Nat.ltb_lt in P1. apply Z.leb_le in P2. cbn [fst snd].
    apply Z.mul_le_mono_nonneg_l; trivial. apply Tu. now apply nth_In. }
  lia.
- rewrite !andb_true_iff in H. destruct H as [[[[I L] X] A] B]. apply Nat.ltb_lt in I, X. apply Nat.leb_le in L.
  assert (step : forall v, below_node (nth i hs []) (level_of (nth i C [])) l x = v ->
    (forall j m y w, extended fixed i l x v j m y = Some w -> (j < length hs)%nat ->
       (m <= length (nth j hs []))%nat /\ (y < width (nth j hs []) m)%nat) /\ keeps hs C 0 (extended fixed i l x v)).
  { intros v V. unfold extended. split.
    - intros j m y w E J. destruct (Nat.eqb_spec j i) as [->|], (Nat.eqb_spec m l) as [->|], (Nat.eqb_spec y x) as [->|];
        simpl in E; try (now apply (Fi _ _ _ w)). now split.
    - intros j m y w E J. rewrite Nat.add_0_l in E.
      destruct (Nat.eqb_spec j i) as [->|], (Nat.eqb_spec m l) as [->|], (Nat.eqb_spec y x) as [->|];
        simpl in E; try (now apply (Ke _ _ _ w)). now injection E as <-. }
  destruct (below_node (nth i hs []) (level_of (nth i C [])) l x) eqn:V; destruct (step _ eq_refl) as [S1 S2].
  + now apply (IHb (extended fixed i l x true)).
  + now apply (IHa (extended fixed i l x false)).
Qed.

(* ---- costs: of each record and attribute, over one unit ---- *)
Definition raw (k : loss) (l : nat) (w : Z) : Z :=
  match k with
  | Height | Precision => Z.of_nat l
  | Ncp | Gcp => if w =? 1 then 0 else w
  | Lm => w - 1 end.
Definition whole_unit (k : loss) (u : Z) (h : hierarchy) : bool :=
  forallb (fun l => forallb (fun w => (u * raw k l w) mod denominator k h =? 0) (widths h l)) (seq 0 (S (length h))).
Definition cost_table (k : loss) (u : Z) (e : nat * hierarchy) : list (list Z) :=
  let (i, h) := e in
  let records := records_of t i h in
  map (fun l => map (fun e => fst e * (u * raw k l (snd e) / denominator k h)) (combine records (widths h l)))
    (seq 0 (S (length h))).
Definition all_costs (k : loss) (u : Z) : costs :=
  map (fun e => let table := cost_table k u e in fun c l => nth c (nth l table []) 0) (combine (seq 0 (length hs)) hs).
Definition multiples (s : Z) (gs : costs) : costs := map (fun g c l => s * g c l) gs.
(* the loss is a cost over this *)
Definition divisor (k : loss) (u : Z) : Z :=
  match k with
  | Height | Precision => u * size (sum t)
  | Ncp => u
  | Gcp | Lm => u * (size (sum t) * Z.of_nat (length hs)) end.
Definition ceil (x y : Z) : Z := - (- x / y).

(* the cut satisfies at the loss a / b, and none that satisfies loses less than c / d *)
Definition check_cut (uniform : bool) (k : loss) (u a b c d : Z) (C : cut_of)
    (high : list (node * codes)) (s : Z) (tree : cut_cases) : bool :=
  let gs := all_costs k u in
  table_ok hs t && whole t && model_ok t cs && forallb onto hs && forallb (whole_unit k u) hs
  && forallb (fun e => leb (fst e) (heights hs)) high && violating hs t asks high
  && cut_ok uniform hs C && cut_fast C && (0 <? s) && (0 <? d)
  && (b * cost_of hs gs C =? a * divisor k u) && (c * divisor k u <=? d * cost_of hs gs C)
  && check_cases uniform (multiples s gs) (map (fun e => parents hs (fst e) (snd e)) high)
       (s * (ceil (c * divisor k u) d - 1)) (fun _ _ _ => None) tree.

Lemma cost_multiples s : forall h gs C, cost_of h (multiples s gs) C = s * cost_of h gs C.
Proof.
induction h as [|a h IH]; intros [|g gs] [|lv C]; simpl; try lia.
unfold multiples in *. rewrite IH, total_times. lia.
Qed.

Theorem check_cut_sound uniform k u a b c d C high s tree :
  check_cut uniform k u a b c d C high s tree = true ->
  forallb (formed (length (sum t))) cs = true /\
  (cut_ok uniform hs C = true /\ cut_good C = true /\ b * cost_of hs (all_costs k u) C = a * divisor k u) /\
  forall D, cut_ok uniform hs D = true -> cut_good D = true ->
    c * divisor k u <= d * cost_of hs (all_costs k u) D.
Proof.
unfold check_cut, model_ok. rewrite !andb_true_iff, !Z.ltb_lt, Z.eqb_eq, Z.leb_le.
intros H. destruct H as [[[[[[[[[[[[[T W] [J F]] O] _] Hi] V] K] G] s0] d0] Va] _] Ca].
split; trivial. split; [split; trivial; split; trivial; now rewrite <- cut_fastE|].
intros D KD GD.
assert (N : forallb nested hs = true) by (unfold table_ok in T; now apply andb_true_iff in T as [T _]).
assert (B : s * (ceil (c * divisor k u) d - 1) < cost_of hs (multiples s (all_costs k u)) D).
{ apply (cases_sound uniform (multiples s (all_costs k u)) (map (fun e => parents hs (fst e) (snd e)) high)) with
    (c := tree) (fixed := fun _ _ _ => None); trivial; try easy.
  - unfold multiples, all_costs. rewrite !map_length, combine_length, seq_length. apply Nat.min_id.
  - intros p Hp. apply in_map_iff in Hp as [e [<- He]].
    rewrite forallb_forall in Hi. unfold violating in V. rewrite forallb_forall in V. specialize (V e He).
    apply andb_true_iff in V as [V1 V2]. apply negb_true_iff in V2.
    apply (forbidden uniform); trivial; [now apply Hi|]. now destruct (class hs t (fst e) (snd e)). }
rewrite cost_multiples in B. unfold ceil in B. set (x := c * divisor k u) in *.
set (y := cost_of hs (all_costs k u) D) in *.
assert (Q := Z.mul_div_le (- x) d d0). assert (- (- x / d) <= y) by nia. nia.
Qed.
End Cut.
