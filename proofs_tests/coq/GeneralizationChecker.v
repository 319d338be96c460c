(* An executable checker of sensitive values shown as nodes of a hierarchy, proved sound.
   It is meant for extraction.

   Each record of a class is shown with its value v (place 0) or with a node a above v
   (place a + 1).  A reader takes a node for the values below it by the reference q, so
   what is read has, for each v, what is shown as v and of every node above it the share
   q_v / q_a.  A node costs a record; t-closeness is asked of what is read.

   Places in the papers: t-closeness paper, section 4 (Definition 2), section 5 (a class
   is read by the reference)
     leaf_sound                  prices bound what every way within t costs, in a case
     tree_sound                  a tree of cases bounds every way
     plain_way                   a class that satisfies is shown as it is; any other one
                                 shows a record at a node
     check_generalization_sound  if it accepts, the classes can be shown at the value, and
                                 in no way within t at less than the bound
     check_no_generalization_sound  if it accepts, no way of showing values satisfies

   The idea in three lines:
   - numbers u that differ by at most mu times the ground distance gain mu t (Slopes.v);
   - what is read is linear in what is shown, so this is a price of each cell;
   - then each value fills its cheapest cells, and costs are whole. *)
From Coq Require Import ZArith List Bool Lia Arith.
From Tcloseness Require Import Counts Conditions LatticeChecker EvenCounts Keeping CutChecker.
From Tcloseness Require KeepingChecker Slopes.
Import ListNotations.
Local Open Scope Z_scope.
Notation of_records := KeepingChecker.of_records (only parsing).

(* ---- sums over tables --------------------------------------------------------------- *)
Definition tabled {A : Type} (f : nat -> A) (n : nat) : list A := map f (seq 0 n).

Lemma nth_tabled {A} (f : nat -> A) d n i : (i < n)%nat -> nth i (tabled f n) d = f i.
Proof.
intros L. unfold tabled. rewrite nth_indep with (d' := f 0%nat) by (rewrite map_length, seq_length; lia).
rewrite map_nth, seq_nth by lia. reflexivity.
Qed.

Lemma total_filter {A} (f : A -> Z) (p : A -> bool) l :
  total f (filter p l) = total (fun a => if p a then f a else 0) l.
Proof. induction l as [|a l IH]; simpl; trivial. destruct (p a); simpl; lia. Qed.

Lemma total_swap {A B} (f : A -> B -> Z) l k :
  total (fun a => total (f a) k) l = total (fun b => total (fun a => f a b) l) k.
Proof.
induction l as [|a l IH]; simpl.
- symmetry. apply (total_zero k).
- rewrite IH, <- total_plus. reflexivity.
Qed.

Lemma total_map {A B} (f : B -> Z) (g : A -> B) l : total f (map g l) = total (fun a => f (g a)) l.
Proof. induction l as [|a l IH]; simpl; lia. Qed.

Lemma total_nonneg {A} (f : A -> Z) l : (forall a, In a l -> 0 <= f a) -> 0 <= total f l.
Proof. intros H. rewrite <- (total_zero l). now apply total_le. Qed.

Lemma size_total l : size l = total (fun z => z) l.
Proof. induction l as [|z l IH]; simpl; [trivial|]. unfold size in *. simpl. lia. Qed.

Lemma dot_total : forall u x : list Z, length u = length x ->
  dot u x = total (fun v => nth v u 0 * nth v x 0) (seq 0 (length x)).
Proof.
intros u x. revert u. induction x as [|a x IH]; intros [|b u] L; simpl in *; try easy.
rewrite IH by lia. f_equal. rewrite <- seq_shift, total_map. reflexivity.
Qed.

Lemma dot_plus u w : forall x, length u = length x -> length w = length x -> dot (plus u w) x = dot u x + dot w x.
Proof.
revert w. induction u as [|a u IH]; intros [|b w] [|c x] L M; simpl in *; try lia.
rewrite IH by lia. lia.
Qed.

Lemma map_const (z : Z) : forall l : list Z, map (fun _ => z) l = repeat z (length l).
Proof. induction l as [|a l IH]; simpl; [trivial|]. now rewrite IH. Qed.

Lemma map_nth_seq : forall l : list Z, map (fun v => nth v l 0) (seq 0 (length l)) = l.
Proof.
intros l. apply nth_ext with (d := 0) (d' := 0); rewrite map_length, seq_length; trivial. intros i L.
exact (nth_tabled (fun v => nth v l 0) 0 (length l) i L).
Qed.

Section Ways.
Variables (q : counts) (nodes : list (list nat)) (costs : list Z).
Definition below_it (a : nat) : list nat :=
  filter (fun v => existsb (Nat.eqb v) (nth a nodes [])) (seq 0 (length q)).
Definition above_it (v : nat) : list nat :=
  filter (fun a => existsb (Nat.eqb v) (nth a nodes [])) (seq 0 (length nodes)).
Definition mass (a : nat) : Z := total (fun v => nth v q 0) (below_it a).
Definition multiple : Z := fold_right (fun a z => Z.lcm (mass a) z) 1 (seq 0 (length nodes)).

(* how many records of a value are shown at a place *)
Definition way := nat -> nat -> Z.
Definition places (v : nat) : list nat := 0%nat :: map S (above_it v).
Definition shown_at (y : way) (a : nat) : Z := total (fun v => y v (S a)) (below_it a).
Definition shows (n : counts) (y : way) : Prop :=
  forall v, (v < length q)%nat ->
    (forall p, In p (places v) -> 0 <= y v p) /\ total (y v) (places v) = nth v n 0.
(* what a reader takes a class for, times the multiple *)
Definition read (y : way) : counts :=
  let m := multiple in
  let at_nodes := tabled (shown_at y) (length nodes) in
  let parts := tabled (fun a => m / mass a) (length nodes) in
  tabled (fun v => m * y v 0%nat
    + total (fun a => nth a at_nodes 0 * nth v q 0 * nth a parts 0) (above_it v)) (length q).
Definition way_cost (y : way) : Z := total (fun a => nth a costs 0 * shown_at y a) (seq 0 (length nodes)).
Definition masses_ok : bool := nonneg q && forallb (fun a => 0 <? mass a) (seq 0 (length nodes)).

Hypothesis pos : masses_ok = true.

Lemma q_nonneg v : 0 <= nth v q 0.
Proof.
unfold masses_ok in pos. apply andb_true_iff in pos as [H _]. unfold nonneg in H. rewrite forallb_forall in H.
destruct (lt_dec v (length q)) as [L|L]; [now apply Z.leb_le, H, nth_In|]. rewrite nth_overflow; lia.
Qed.

Lemma mass_pos a : (a < length nodes)%nat -> 0 < mass a.
Proof.
intros L. unfold masses_ok in pos. apply andb_true_iff in pos as [_ H]. rewrite forallb_forall in H.
apply Z.ltb_lt, H, in_seq. lia.
Qed.

Lemma multiple_divides l : (forall a, In a l -> (a < length nodes)%nat) ->
  0 < fold_right (fun a z => Z.lcm (mass a) z) 1 l /\
  forall a, In a l -> (mass a | fold_right (fun a z => Z.lcm (mass a) z) 1 l).
Proof.
induction l as [|a l IH]; intros H; simpl; [split; [lia|easy]|].
destruct IH as [P D]; [intros b Hb; apply H; now right|].
assert (M := mass_pos a (H a (or_introl eq_refl))). split.
- set (z := fold_right _ 1 l) in *. assert (Z.lcm (mass a) z <> 0) by (rewrite Z.lcm_eq_0; lia).
  assert (N := Z.lcm_nonneg (mass a) z). lia.
- intros b [->|Hb]; [apply Z.divide_lcm_l|]. eapply Z.divide_trans; [now apply D|apply Z.divide_lcm_r].
Qed.

Lemma multiple_pos : 0 < multiple.
Proof. apply multiple_divides. intros a Ha. apply in_seq in Ha. lia. Qed.

Lemma multipleE a : (a < length nodes)%nat -> mass a * (multiple / mass a) = multiple.
Proof.
intros L. assert (M := mass_pos a L). symmetry. apply Z_div_exact_full_2; [lia|].
apply Z.mod_divide; [lia|]. unfold multiple. destruct (multiple_divides (seq 0 (length nodes))) as [_ D].
- intros b Hb. apply in_seq in Hb. lia.
- apply D, in_seq. lia.
Qed.

Lemma in_places v a : In (S a) (places v) <-> In a (above_it v).
Proof.
unfold places. split.
- intros [E|H]; [easy|]. apply in_map_iff in H as [b [E H]]. now injection E as ->.
- intros H. right. now apply in_map.
Qed.

Lemma below_above v a : (v < length q)%nat -> (a < length nodes)%nat -> In v (below_it a) <-> In a (above_it v).
Proof. intros V A. unfold below_it, above_it. rewrite !filter_In, !in_seq. split; intros [_ H]; (split; [lia|trivial]). Qed.

(* over values and the nodes above them, or over nodes and the values below them *)
Lemma total_both (f : nat -> nat -> Z) :
  total (fun v => total (fun a => f v a) (above_it v)) (seq 0 (length q)) =
  total (fun a => total (fun v => f v a) (below_it a)) (seq 0 (length nodes)).
Proof.
unfold above_it, below_it.
rewrite (total_eq _ (fun v => total (fun a => if existsb (Nat.eqb v) (nth a nodes []) then f v a else 0) (seq 0 (length nodes))))
  by (intros v _; apply total_filter).
rewrite total_swap. apply total_eq. intros a _. now rewrite total_filter.
Qed.

Lemma shown_nonneg n y a : shows n y -> (a < length nodes)%nat -> 0 <= shown_at y a.
Proof.
intros H L. unfold shown_at. apply total_nonneg. intros v Hv.
assert (V : (v < length q)%nat) by (unfold below_it in Hv; apply filter_In in Hv as [Hv _]; apply in_seq in Hv; lia).
destruct (H v V) as [P _]. apply P, in_places. now apply below_above.
Qed.

Lemma nth_read y v : (v < length q)%nat -> nth v (read y) 0 = multiple * y v 0%nat
  + total (fun a => shown_at y a * nth v q 0 * (multiple / mass a)) (above_it v).
Proof.
intros V. unfold read. rewrite nth_tabled by trivial. f_equal. apply total_eq. intros a Ha.
unfold above_it in Ha. apply filter_In in Ha as [Ha _]. apply in_seq in Ha. now rewrite !nth_tabled by lia.
Qed.

Lemma read_length y : length (read y) = length q.
Proof. unfold read, tabled. now rewrite map_length, seq_length. Qed.

Definition mean (u : list Z) (a : nat) : Z := total (fun v => nth v q 0 * nth v u 0) (below_it a).

Lemma dot_read u y : length u = length q -> dot u (read y) =
  multiple * total (fun v => nth v u 0 * y v 0%nat) (seq 0 (length q))
  + total (fun a => shown_at y a * (multiple / mass a) * mean u a) (seq 0 (length nodes)).
Proof.
intros L. rewrite dot_total by now rewrite read_length. rewrite read_length.
rewrite (total_eq _ (fun v => multiple * (nth v u 0 * y v 0%nat)
  + total (fun a => shown_at y a * (multiple / mass a) * (nth v q 0 * nth v u 0)) (above_it v))).
- rewrite total_plus, total_times. f_equal. rewrite total_both. apply total_eq. intros a _. unfold mean.
  now rewrite total_times.
- intros v Hv. apply in_seq in Hv. rewrite nth_read by lia. rewrite Z.mul_add_distr_l, <- total_times. f_equal; [lia|].
  apply total_eq. intros a _. lia.
Qed.

Lemma dot_ones : forall x : list Z, dot (map (fun _ => 1) x) x = size x.
Proof. induction x as [|a x IH]; [trivial|]. cbn [map dot]. rewrite IH. unfold size. cbn [fold_right]. lia. Qed.

Lemma size_read n y : shows n y -> length n = length q -> size (read y) = multiple * size n.
Proof.
intros H L. rewrite <- dot_ones.
replace (map (fun _ => 1) (read y)) with (map (fun _ : Z => 1) q).
2:{ now rewrite !(map_const 1), read_length. }
rewrite dot_read by now rewrite map_length.
assert (One : forall v, (v < length q)%nat -> nth v (map (fun _ : Z => 1) q) 0 = 1).
{ intros v V. rewrite (map_const 1). apply repeat_spec with (n := length q), nth_In. now rewrite repeat_length. }
rewrite (total_eq _ (fun v => y v 0%nat)) by (intros v Hv; apply in_seq in Hv; rewrite One; lia).
rewrite (total_eq (fun a => shown_at y a * (multiple / mass a) * _) (fun a => multiple * shown_at y a)).
- rewrite total_times. rewrite <- Z.mul_add_distr_l. f_equal. unfold shown_at. rewrite <- total_both, <- total_plus.
  replace (size n) with (total (fun v => nth v n 0) (seq 0 (length q)))
    by (rewrite <- L, <- (total_map (fun z => z) (fun v => nth v n 0)), map_nth_seq; symmetry; apply size_total).
  apply total_eq. intros v Hv. apply in_seq in Hv.
  destruct (H v) as [_ E]; [lia|]. unfold places in E. cbn [total fold_right] in E.
  fold (total (y v) (map S (above_it v))) in E. rewrite total_map in E. lia.
- intros a Ha. apply in_seq in Ha. replace (mean (map (fun _ : Z => 1) q) a) with (mass a).
  + rewrite <- (multipleE a) at 2 by lia. lia.
  + apply total_eq. intros v Hv. unfold below_it in Hv. apply filter_In in Hv as [Hv _]. apply in_seq in Hv.
    rewrite One; lia.
Qed.
End Ways.

(* ---- the slope of numbers against a ground distance ----------------------------------- *)
Fixpoint row_slope (d x : Z) (u row : list Z) : option Z :=
  match u, row with
  | y :: u, b :: row =>
      match row_slope d x u row with
      | None => None
      | Some z => if x <=? y then Some z else if 0 <? b then Some (Z.max z (ceil (d * (x - y)) b)) else None end
  | _, _ => Some 0 end.
Fixpoint slope (d : Z) (u xs : list Z) (table : list (list Z)) : option Z :=
  match xs, table with
  | x :: xs, row :: table =>
      match row_slope d x u row, slope d u xs table with Some z, Some w => Some (Z.max z w) | _, _ => None end
  | _, _ => Some 0 end.

Lemma ceil_le x y : 0 < y -> x <= y * ceil x y.
Proof. intros P. unfold ceil. assert (H := Z.mul_div_le (- x) y P). lia. Qed.

Lemma row_slope_sound d x : 0 <= d -> forall u row z, row_slope d x u row = Some z ->
  forallb (Z.leb 0) row = true -> 0 <= z /\
  forall w, (w < length u)%nat -> (w < length row)%nat -> d * (x - nth w u 0) <= z * nth w row 0.
Proof.
intros D. induction u as [|y u IH]; intros [|b row] z H P; simpl in *; try (injection H as <-; split; [lia|intros w A B; lia]).
apply andb_true_iff in P as [B P]. apply Z.leb_le in B.
destruct (row_slope d x u row) as [z'|] eqn:R; [|easy]. destruct (IH row z' R P) as [Z0 S].
destruct (Z.leb_spec x y) as [L|L].
- injection H as <-. split; trivial. intros [|w] Wu Wr; [nia|]. apply S; lia.
- destruct (Z.ltb_spec 0 b) as [B'|]; [|easy]. injection H as <-. split; [lia|].
  intros [|w] Wu Wr.
  + assert (C := ceil_le (d * (x - y)) b B'). nia.
  + specialize (S w ltac:(lia) ltac:(lia)).
    assert (N : 0 <= nth w row 0).
    { rewrite forallb_forall in P. apply Z.leb_le, P, nth_In. lia. }
    nia.
Qed.

Lemma slope_sound d u : 0 <= d -> forall xs table z, slope d u xs table = Some z ->
  (forall row, In row table -> forallb (Z.leb 0) row = true) -> 0 <= z /\
  forall v w, (v < length xs)%nat -> (v < length table)%nat -> (w < length u)%nat ->
    (w < length (nth v table []))%nat -> d * (nth v xs 0 - nth w u 0) <= z * nth w (nth v table []) 0.
Proof.
intros D. induction xs as [|x xs IH]; intros [|row table] z H P; simpl in *;
  try (injection H as <-; split; [lia|intros v w A B; lia]).
destruct (row_slope d x u row) as [z1|] eqn:R; [|easy]. destruct (slope d u xs table) as [z2|] eqn:T; [|easy].
injection H as <-. apply row_slope_sound in R as [R0 R]; auto. destruct (IH table z2 T) as [S0 S]; [auto|].
split; [lia|]. intros [|v] w V Tv U W.
- specialize (R w U W). assert (N : 0 <= nth w row 0).
  { specialize (P row (or_introl eq_refl)). rewrite forallb_forall in P. apply Z.leb_le, P, nth_In. lia. }
  nia.
- specialize (S v w ltac:(lia) ltac:(lia) U W).
  assert (N : 0 <= nth w (nth v table []) 0).
  { assert (I : In (nth v table []) table) by (apply nth_In; lia).
    specialize (P _ (or_intror I)). rewrite forallb_forall in P. apply Z.leb_le, P, nth_In. lia. }
  nia.
Qed.

(* the ground distances of each two of m values *)
Definition distances_of (m : nat) (c : condition) : list (list Z) :=
  match c with
  | Distance _ _ _ cuts => tabled (fun v => tabled (Slopes.parted cuts v) m) m
  | _ => [] end.

Lemma parted_nonneg m a b d cuts v w : formed m (Distance a b d cuts) = true -> 0 <= Slopes.parted cuts v w.
Proof.
simpl. rewrite !andb_true_iff. intros [[_ H] _]. induction cuts as [|[z s] cuts IH]; simpl in *; [lia|].
rewrite !andb_true_iff, Z.leb_le in H. destruct H as [[Z0 _] H]. specialize (IH H).
destruct (xorb _ _); lia.
Qed.

Section Prices.
Variables (q : counts) (nodes : list (list nat)) (costs : list Z) (known : list (condition * list (list Z))).
Variables (unit s : Z).

(* potentials, added up, and what they gain of n records within t *)
Fixpoint gains (n : Z) (known : list (condition * list (list Z))) (us : list (list Z)) : option (list Z * Z) :=
  match known, us with
  | [], [] => Some (map (fun _ => 0) q, 0)
  | (Distance a b d cuts, table) :: known, u :: us =>
      if Nat.eqb (length u) (length q) then
        match slope d u u table, gains n known us with
        | Some mu, Some (w, e) => Some (plus u w, e + ceil (n * mu * a) b)
        | _, _ => None end
      else None
  | _, _ => None end.

Record region := Region { low : nat -> nat -> Z; high : nat -> nat -> Z; least_at : nat -> Z; most_at : nat -> Z }.
Definition all_of (n : counts) : region :=
  Region (fun _ _ => 0) (fun _ _ => size n) (fun _ => 0) (fun _ => size n).
Definition added_up (f : nat -> option Z) (l : list nat) : option Z := fold_right (fun a z => both (f a) z) (Some 0) l.

Section Leaf.
Variables (n : counts) (r : region) (nu : list Z).
(* the least of the cells of a value, and of the totals of a node; none if nothing is there *)
Definition cells (u ats : list Z) (v : nat) : option Z :=
  let ps := places nodes v in
  let prices := nth v u 0 :: map (fun a => nth a ats 0) (above_it nodes v) in
  let have := nth v n 0 in
  let lows := map (low r v) ps in
  let highs := map (fun p => Z.min (high r v p) have) ps in
  if no_room lows highs || (have <? size lows) || (size highs <? have) then None
  else Some (dot prices lows + cheapest prices (minus highs lows) (have - size lows)).
Definition all_at (a : nat) : option Z :=
  let most := Z.min (most_at r a) (size n) in
  if most <? least_at r a then None else Some (Z.min (nth a nu 0 * least_at r a) (nth a nu 0 * most)).
(* what a record at a node costs, with the mean of the potentials *)
Definition at_node (u : list Z) (a : nat) : Z :=
  let mass := mass q nodes a in
  (s * nth a costs 0 * mass + unit * mean q nodes u a) / (unit * mass) - nth a nu 0.
Definition leaf (us : list (list Z)) : option (option Z) :=
  match gains (size n) known us with
  | None => None
  | Some (u, e) =>
      if Nat.eqb (length nu) (length nodes) then
        let ats := tabled (at_node u) (length nodes) in
        Some (match both (added_up (cells u ats) (seq 0 (length q))) (added_up all_at (seq 0 (length nodes))) with
              | None => None
              | Some z => Some (ceil ((z - e - ceil (size n * dot u q) (size q)) * unit) s) end)
      else None
  end.
End Leaf.

Inductive case_tree :=
| Settled (us : list (list Z)) (nu : list Z)
| Cell (v p : nat) (k : Z) (a b : case_tree)
| Node (i : nat) (k : Z) (a b : case_tree).
Definition cut_high (r : region) (v p : nat) (k : Z) : region :=
  Region (low r) (fun w o => if Nat.eqb w v && Nat.eqb o p then Z.min k (high r w o) else high r w o) (least_at r) (most_at r).
Definition cut_low (r : region) (v p : nat) (k : Z) : region :=
  Region (fun w o => if Nat.eqb w v && Nat.eqb o p then Z.max k (low r w o) else low r w o) (high r) (least_at r) (most_at r).
Definition cut_most (r : region) (i : nat) (k : Z) : region :=
  Region (low r) (high r) (least_at r) (fun j => if Nat.eqb j i then Z.min k (most_at r j) else most_at r j).
Definition cut_least (r : region) (i : nat) (k : Z) : region :=
  Region (low r) (high r) (fun j => if Nat.eqb j i then Z.max k (least_at r j) else least_at r j) (most_at r).
(* the least over the cases; none that settles one is left out *)
Definition lesser (a b : option (option Z)) : option (option Z) :=
  match a, b with Some x, Some y => Some (less x y) | _, _ => None end.
Fixpoint least_way (n : counts) (t : case_tree) (r : region) : option (option Z) :=
  match t with
  | Settled us nu => leaf n r nu us
  | Cell v p k a b =>
      if Nat.ltb v (length q) && existsb (Nat.eqb p) (places nodes v)
      then lesser (least_way n a (cut_high r v p k)) (least_way n b (cut_low r v p (k + 1))) else None
  | Node i k a b =>
      if Nat.ltb i (length nodes)
      then lesser (least_way n a (cut_most r i k)) (least_way n b (cut_least r i (k + 1))) else None
  end.

(* ---- sound ---- *)
Hypotheses (pos : masses_ok q nodes = true) (unit_pos : 0 < unit) (s_pos : 0 < s) (q_pos : 0 < size q).
Hypothesis known_ok : forall c table, In (c, table) known ->
  formed (length q) c = true /\ table = distances_of (length q) c.
Variables (n : counts) (y : way).
Hypotheses (n_length : length n = length q) (n_pos : 0 < size n) (shown : shows q nodes n y).
Hypothesis close : forall c table, In (c, table) known -> satisfies q c (read q nodes y) = true.

Definition in_region (r : region) : Prop :=
  (forall v p, (v < length q)%nat -> In p (places nodes v) -> low r v p <= y v p <= high r v p) /\
  (forall a, (a < length nodes)%nat -> least_at r a <= shown_at q nodes y a <= most_at r a).

Lemma read_nonneg : nonneg (read q nodes y) = true.
Proof.
apply forallb_forall. intros z I. apply Z.leb_le. apply In_nth with (d := 0) in I as [v [V <-]].
rewrite read_length in V. rewrite nth_read by trivial. assert (M := multiple_pos q nodes pos).
destruct (shown v V) as [P _]. assert (P0 := P 0%nat (or_introl eq_refl)).
apply Z.add_nonneg_nonneg; [nia|]. apply total_nonneg. intros a Ha.
assert (L : (a < length nodes)%nat) by (unfold above_it in Ha; apply filter_In in Ha as [Ha _]; apply in_seq in Ha; lia).
assert (S := shown_nonneg q nodes pos n y a shown L). assert (Q := q_nonneg q nodes pos v).
assert (W := mass_pos q nodes pos a L).
assert (0 <= multiple q nodes / mass q nodes a) by (apply Z.div_pos; lia). nia.
Qed.

Lemma gains_sound : forall l us u e, (forall c table, In (c, table) l -> In (c, table) known) ->
  gains (size n) l us = Some (u, e) -> length u = length q /\
  size q * dot u (read q nodes y) - size (read q nodes y) * dot u q <= size q * multiple q nodes * e.
Proof.
assert (M := multiple_pos q nodes pos).
assert (X := size_read q nodes pos n y shown n_length).
induction l as [|[c table] l IH]; intros us u e Sub H; simpl in H.
- destruct us; [|easy]. injection H as <- <-. rewrite map_length. split; trivial.
  rewrite !dot_zeros. lia.
- destruct c as [| | | | | |a b d cuts]; try easy. destruct us as [|u1 us]; [easy|].
  destruct (Nat.eqb_spec (length u1) (length q)) as [L|]; [|easy].
  destruct (slope d u1 u1 table) as [mu|] eqn:S; [|easy].
  destruct (gains (size n) l us) as [[w e']|] eqn:G0; [|easy]. injection H as <- <-.
  destruct (IH us w e' (fun c t H => Sub c t (or_intror H)) G0) as [Lw B].
  assert (I := Sub _ _ (or_introl eq_refl)). destruct (known_ok _ _ I) as [F T]. assert (C := close _ _ I).
  assert (Lp : forall v w : list Z, length v = length w -> length (plus v w) = length w).
  { clear. induction v as [|z v IH]; intros [|x w] E; simpl in *; trivial. rewrite IH; lia. }
  split; [rewrite Lp; congruence|]. rewrite !dot_plus by (rewrite ?read_length; congruence).
  assert (D : 0 < b /\ 0 < d). { simpl in F. rewrite !andb_true_iff, !Z.ltb_lt in F. tauto. }
  destruct (slope_sound d u1 (Z.lt_le_incl _ _ (proj2 D)) _ _ _ S) as [mu0 Sl].
  { subst table. intros row Hr. unfold distances_of, tabled in Hr. apply in_map_iff in Hr as [v [<- _]].
    apply forallb_forall. intros z Hz. apply in_map_iff in Hz as [k [<- _]]. apply Z.leb_le.
    now apply (parted_nonneg (length q) a b d). }
  assert (G := Slopes.distance_slope (m := length q) (a := a) (b := b) (d := d) (cuts := cuts) (q := q)
    (x := read q nodes y) (u := u1) (mu := mu) eq_refl (read_length q nodes y) L).
  assert (G' : b * (size q * dot u1 (read q nodes y) - size (read q nodes y) * dot u1 q)
    <= mu * a * (size q * size (read q nodes y))).
  { apply G; trivial.
    - unfold masses_ok in pos. apply andb_true_iff in pos as [Q _]. exact Q.
    - apply read_nonneg.
    - now apply Z.ltb_lt.
    - apply Z.ltb_lt. rewrite X. nia.
    - now apply Z.leb_le.
    - intros v k V K. subst table. unfold distances_of in Sl.
      specialize (Sl v k). rewrite !nth_tabled in Sl by trivial. unfold tabled in Sl.
      rewrite !map_length, !seq_length in Sl. apply Sl; lia. }
  assert (Ce := ceil_le (size n * mu * a) b (proj1 D)). rewrite X in *.
  set (c := ceil (size n * mu * a) b) in *. set (A := dot u1 (read q nodes y)) in *. set (Q := dot u1 q) in *.
  enough (size q * A - multiple q nodes * size n * Q <= size q * multiple q nodes * c) by lia.
  apply Z.mul_le_mono_pos_l with (p := b); [tauto|].
  apply Z.mul_le_mono_nonneg_l with (p := size q * multiple q nodes) in Ce; [lia|nia].
Qed.

Lemma added_up_sound (f : nat -> option Z) (g : nat -> Z) l :
  (forall a, In a l -> exists z, f a = Some z /\ z <= g a) -> exists z, added_up f l = Some z /\ z <= total g l.
Proof.
unfold added_up. induction l as [|a l IH]; intros H; simpl; [exists 0; split; [trivial|lia]|].
destruct (H a (or_introl eq_refl)) as [x [-> X]]. destruct IH as [z [-> L]]; [intros b Hb; apply H; now right|].
exists (x + z). split; trivial. lia.
Qed.

Lemma between_map (f g h : nat -> Z) l : (forall p, In p l -> f p <= g p <= h p) ->
  between (map f l) (map g l) (map h l) = true.
Proof.
induction l as [|p l IH]; intros H; simpl; trivial. rewrite !andb_true_iff, !Z.leb_le.
split; [apply H; now left|]. apply IH. intros o Ho. apply H. now right.
Qed.

Lemma size_map (f : nat -> Z) l : size (map f l) = total f l.
Proof. rewrite size_total. now rewrite total_map. Qed.

Lemma dot_places (x : Z) (f g : nat -> Z) l :
  dot (x :: map f l) (map g (0%nat :: map S l)) = x * g 0%nat + total (fun a => f a * g (S a)) l.
Proof.
cbn [map dot]. f_equal. rewrite map_map. induction l as [|a l IH]; [trivial|]. cbn [map dot total fold_right].
now rewrite IH.
Qed.

Lemma cells_sound r u ats v : in_region r -> (v < length q)%nat ->
  exists z, cells n r u ats v = Some z /\
    z <= nth v u 0 * y v 0%nat + total (fun a => nth a ats 0 * y v (S a)) (above_it nodes v).
Proof.
intros [In1 _] V. destruct (shown v V) as [P E]. unfold cells. cbv zeta.
set (ps := places nodes v) in *. set (prices := _ :: _).
set (lows := map (low r v) ps). set (highs := map (fun p => Z.min (high r v p) (nth v n 0)) ps).
set (ys := map (y v) ps).
assert (le_n : forall p, In p ps -> y v p <= nth v n 0).
{ intros p Hp. rewrite <- E. clear - P Hp. induction ps as [|o l IH]; [easy|]. cbn [total fold_right].
  fold (total (y v) l). assert (0 <= total (y v) l) by (apply total_nonneg; intros w Hw; apply P; now right).
  assert (P0 := P o (or_introl eq_refl)). destruct Hp as [->|Hp]; [lia|].
  specialize (IH (fun p H => P p (or_intror H)) Hp). lia. }
assert (B : between lows ys highs = true).
{ apply between_map. intros p Hp. specialize (In1 v p V Hp). specialize (le_n p Hp). lia. }
assert (Sy : size ys = nth v n 0) by (unfold ys; now rewrite size_map).
destruct (between_size lows ys highs B) as [S1 S2].
rewrite (between_room lows ys highs B).
destruct (Z.ltb_spec (nth v n 0) (size lows)); [lia|]. destruct (Z.ltb_spec (size highs) (nth v n 0)); [lia|].
cbn [orb]. eexists. split; [reflexivity|].
assert (Ll : length prices = length lows) by (unfold prices, lows, ps, places; simpl; now rewrite !map_length).
destruct (between_length lows ys highs B) as [L1 L2].
assert (C := cheapest_le prices (minus highs lows) (minus ys lows) (proj1 (minus_within lows ys highs B))).
rewrite (proj2 (minus_within lows ys highs B)), Sy in C.
assert (D := dot_minus prices lows ys L1).
specialize (C ltac:(rewrite minus_length; congruence)).
replace (nth v u 0 * y v 0%nat + total (fun a => nth a ats 0 * y v (S a)) (above_it nodes v)) with (dot prices ys).
- lia.
- unfold prices, ys, ps, places. apply dot_places.
Qed.

Lemma shown_at_most a : (a < length nodes)%nat -> shown_at q nodes y a <= size n.
Proof.
intros A. rewrite <- (map_nth_seq n), size_map, n_length. unfold shown_at.
rewrite (total_eq (fun v => nth v n 0) (fun v => total (y v) (places nodes v)))
  by (intros v Hv; apply in_seq in Hv; destruct (shown v) as [_ <-]; [lia|trivial]).
unfold below_it. rewrite total_filter. apply total_le. intros v Hv. apply in_seq in Hv.
destruct (shown v) as [P _]; [lia|].
assert (G : forall l, (forall p, In p l -> 0 <= y v p) -> 0 <= total (y v) l /\ (In (S a) l -> y v (S a) <= total (y v) l)).
{ induction l as [|o l IH]; intros H; cbn [total fold_right]; [split; [lia|easy]|]. fold (total (y v) l).
  destruct IH as [N I]; [intros p Hp; apply H; now right|]. assert (H0 := H o (or_introl eq_refl)).
  split; [lia|]. intros [->|Hi]; [lia|]. specialize (I Hi). lia. }
destruct (G _ P) as [N I]. destruct (existsb (Nat.eqb v) (nth a nodes [])) eqn:B; [|lia].
apply I, in_places, filter_In. split; [apply in_seq; lia|trivial].
Qed.

Lemma all_at_sound r nu a : in_region r -> (a < length nodes)%nat ->
  exists z, all_at n r nu a = Some z /\ z <= nth a nu 0 * shown_at q nodes y a.
Proof.
intros [_ In2] A. specialize (In2 a A). assert (M := shown_at_most a A). unfold all_at. cbv zeta.
destruct (Z.ltb_spec (Z.min (most_at r a) (size n)) (least_at r a)); [lia|].
eexists. split; [reflexivity|]. destruct (Z_le_gt_dec 0 (nth a nu 0)); nia.
Qed.

Theorem leaf_sound r us nu : in_region r -> forall z, leaf n r nu us = Some z ->
  match z with Some z => z <= way_cost q nodes costs y | None => False end.
Proof.
intros R z. unfold leaf. destruct (gains (size n) known us) as [[u e]|] eqn:G; [|easy].
destruct (Nat.eqb_spec (length nu) (length nodes)) as [Ln|]; [|easy]. cbv zeta.
set (ats := tabled (at_node nu u) (length nodes)).
destruct (gains_sound known us u e (fun c t H => H) G) as [Lu B].
destruct (added_up_sound (cells n r u ats)
  (fun v => nth v u 0 * y v 0%nat + total (fun a => nth a ats 0 * y v (S a)) (above_it nodes v))
  (seq 0 (length q))) as [z1 [-> Z1]].
{ intros v Hv. apply in_seq in Hv. apply cells_sound; trivial. lia. }
destruct (added_up_sound (all_at n r nu) (fun a => nth a nu 0 * shown_at q nodes y a) (seq 0 (length nodes))) as [z2 [-> Z2]].
{ intros a Ha. apply in_seq in Ha. apply all_at_sound; trivial. lia. }
cbn [both]. intros E. injection E as <-.
assert (M := multiple_pos q nodes pos). set (M0 := multiple q nodes) in *.
rewrite (size_read q nodes pos n y shown n_length) in B. fold M0 in B.
rewrite dot_read in B by trivial. fold M0 in B.
assert (Cg := ceil_le (size n * dot u q) (size q) q_pos). set (g := ceil (size n * dot u q) (size q)) in *.
set (own := total (fun v => nth v u 0 * y v 0%nat) (seq 0 (length q))) in *.
set (gain := total (fun a => shown_at q nodes y a * (M0 / mass q nodes a) * mean q nodes u a) (seq 0 (length nodes))) in *.
rewrite total_plus in Z1. fold own in Z1.
rewrite (total_both q nodes (fun v a => nth a ats 0 * y v (S a))) in Z1.
assert (Swap : total (fun a => total (fun v => nth a ats 0 * y v (S a)) (below_it q nodes a)) (seq 0 (length nodes))
  + total (fun a => nth a nu 0 * shown_at q nodes y a) (seq 0 (length nodes)) =
  total (fun a => (nth a ats 0 + nth a nu 0) * shown_at q nodes y a) (seq 0 (length nodes))).
{ rewrite <- total_plus. apply total_eq. intros a _. rewrite total_times. unfold shown_at. lia. }
(* a node at its price, in parts of the multiple *)
assert (At : unit * M0 * total (fun a => (nth a ats 0 + nth a nu 0) * shown_at q nodes y a) (seq 0 (length nodes))
  <= s * M0 * way_cost q nodes costs y + unit * gain).
{ unfold way_cost, gain. rewrite <- !total_times, <- total_plus. apply total_le. intros a Ha. apply in_seq in Ha.
  assert (A : (a < length nodes)%nat) by lia.
  unfold ats. rewrite nth_tabled by trivial. unfold at_node. cbv zeta.
  assert (W := mass_pos q nodes pos a A). assert (Y := shown_nonneg q nodes pos n y a shown A).
  assert (E := multipleE q nodes pos a A). fold M0 in E.
  set (w := mass q nodes a) in *. set (k := M0 / w) in *. set (c := nth a costs 0). set (me := mean q nodes u a).
  set (Ya := shown_at q nodes y a) in *.
  assert (F := Z.mul_div_le (s * c * w + unit * me) (unit * w) ltac:(nia)).
  set (f := (s * c * w + unit * me) / (unit * w)) in *.
  assert (K0 : 0 <= k) by (apply Z.div_pos; lia).
  assert (unit * M0 * f <= s * M0 * c + unit * k * me).
  { rewrite <- E. assert (k * (unit * w * f) <= k * (s * c * w + unit * me)) by nia. lia. }
  replace (f - nth a nu 0 + nth a nu 0) with f by lia. nia. }
rewrite Z.mul_comm in B.
assert (Up : M0 * own + gain <= M0 * (e + g)).
{ apply Z.mul_le_mono_pos_l with (p := size q); trivial.
  apply Z.mul_le_mono_nonneg_l with (p := M0) in Cg; lia. }
assert (Sum : unit * (z1 + z2 - e - g) <= s * way_cost q nodes costs y).
{ set (T := total (fun a => (nth a ats 0 + nth a nu 0) * shown_at q nodes y a) (seq 0 (length nodes))) in *.
  assert (z1 + z2 <= own + T) by lia.
  assert (unit * (own + T - e - g) <= s * way_cost q nodes costs y).
  { apply Z.mul_le_mono_pos_l with (p := M0); trivial.
    apply Z.mul_le_mono_nonneg_l with (p := unit) in Up; lia. }
  nia. }
unfold ceil. assert (H := Z.mul_div_le (- ((z1 + z2 - e - g) * unit)) s s_pos).
assert (- way_cost q nodes costs y <= - ((z1 + z2 - e - g) * unit) / s).
{ apply Z.div_le_lower_bound; lia. }
lia.
Qed.

Theorem tree_sound : forall t r z, least_way n t r = Some z -> in_region r ->
  match z with Some z => z <= way_cost q nodes costs y | None => False end.
Proof.
assert (Less : forall x w c, (match x with Some z => z <= c | None => False end \/ match w with Some z => z <= c | None => False end) ->
  match less x w with Some z => z <= c | None => False end).
{ intros [x|] [w|] c [H|H]; simpl in *; try easy; lia. }
induction t as [us nu|v p k a IHa b IHb|i k a IHa b IHb]; intros r z H R; cbn [least_way] in H.
- now apply (leaf_sound r us nu).
- destruct (Nat.ltb v (length q) && existsb (Nat.eqb p) (places nodes v)) eqn:C; [|discriminate].
  destruct (least_way n a _) as [x|] eqn:A; [|discriminate]. destruct (least_way n b _) as [w|] eqn:B; [|discriminate].
  injection H as <-. apply Less. destruct R as [R1 R2].
  destruct (Z_le_gt_dec (y v p) k) as [L|L]; [left; apply (IHa _ _ A)|right; apply (IHb _ _ B)]; split; trivial; simpl;
    intros o m O Pm; specialize (R1 o m O Pm); destruct (Nat.eqb_spec o v) as [E1|], (Nat.eqb_spec m p) as [E2|]; cbn [andb]; try subst o; try subst m; lia.
- destruct (Nat.ltb i (length nodes)); [|discriminate].
  destruct (least_way n a _) as [x|] eqn:A; [|discriminate]. destruct (least_way n b _) as [w|] eqn:B; [|discriminate].
  injection H as <-. apply Less. destruct R as [R1 R2].
  destruct (Z_le_gt_dec (shown_at q nodes y i) k) as [L|L]; [left; apply (IHa _ _ A)|right; apply (IHb _ _ B)]; split; trivial; simpl;
    intros o O; specialize (R2 o O); destruct (Nat.eqb_spec o i) as [E1|]; try subst o; lia.
Qed.
End Prices.

(* ---- classes of a node --------------------------------------------------------------------- *)
(* a node of the hierarchy: how many leaves are below it, its height, and the values below it *)
Record value_node := ValueNode { node_width : Z; node_height : Z; node_values : list nat }.
Inductive node_loss := WidthShare | WidthMeasure | HeightShare.
Definition node_raw (k : node_loss) (a : value_node) : Z :=
  match k with WidthShare => node_width a | WidthMeasure => node_width a - 1 | HeightShare => node_height a end.
Definition node_over (k : node_loss) (leaves top : Z) : Z :=
  match k with WidthShare => leaves | WidthMeasure => leaves - 1 | HeightShare => top end.

Record showing := Showing {
  of_counts : counts;                      (* those of a class *)
  shown_as : list (nat * nat * Z);         (* a value, a place, how many records *)
  price_unit : Z;
  of_cases : case_tree }.

Lemma held_map_times z x : forall vs, held (map (Z.mul z) x) vs = z * held x vs.
Proof.
induction vs as [|v vs IH]; simpl; [lia|]. rewrite IH.
assert (E : nth v (map (Z.mul z) x) 0 = z * nth v x 0).
{ replace 0 with (z * 0) at 1 by lia. now rewrite map_nth. }
lia.
Qed.

Lemma satisfies_times q z c x : 0 < z -> is_distance c = true ->
  satisfies q c (map (Z.mul z) x) = satisfies q c x.
Proof.
intros Z0. destruct c as [| | | | | |a b d cuts]; try easy. intros _. simpl.
assert (W : work cuts q (map (Z.mul z) x) = z * work cuts q x).
{ induction cuts as [|[w s] cuts IH]; simpl; [lia|]. rewrite IH, held_map_times, size_scale.
  replace (size q * (z * held x s) - z * size x * held q s) with (z * (size q * held x s - size x * held q s)) by ring.
  rewrite Z.abs_mul, (Z.abs_eq z) by lia. ring. }
rewrite W, size_scale. apply eq_iff_eq_true. rewrite !Z.leb_le. split; intros H.
- apply Z.mul_le_mono_pos_l with (p := z); lia.
- apply Z.mul_le_mono_nonneg_l with (p := z) in H; lia.
Qed.

Section Classes.
Variables (q : counts) (cs : list condition) (nodes : list (list nat)) (costs : list Z) (unit : Z).
Definition with_distances : list (condition * list (list Z)) :=
  map (fun c => (c, distances_of (length q) c)) (distances cs).
Definition way_of (l : list (nat * nat * Z)) : way :=
  fun v p => total snd (filter (fun e => Nat.eqb (fst (fst e)) v && Nat.eqb (snd (fst e)) p) l).

(* a class as it may be shown: it has enough records, and what is read is within each t *)
Definition meets (c : counts) (y : way) : Prop :=
  satisfies_all q (filter of_records cs) c = true /\ shows q nodes c y /\
  satisfies_all q (distances cs) (read q nodes y) = true.

(* what the class costs as it is shown, and at least *)
Definition judged (known : list (condition * list (list Z))) (e : showing) : option (Z * Z) :=
  let n := of_counts e in
  let y := way_of (shown_as e) in
  if Nat.eqb (length n) (length q) && (0 <? size n) && (0 <? price_unit e)
     && forallb (fun e => Nat.ltb (fst (fst e)) (length q)
          && existsb (Nat.eqb (snd (fst e))) (places nodes (fst (fst e))) && (0 <=? snd e)) (shown_as e)
     && forallb (fun v => total (y v) (places nodes v) =? nth v n 0) (seq 0 (length q))
     && satisfies_all q (distances cs) (read q nodes y) then
    let cost := way_cost q nodes costs y in
    match least_way q nodes costs known unit (price_unit e) n (of_cases e) (all_of n) with
    | None => None
    | Some None => Some (cost, cost)
    | Some (Some z) => Some (cost, Z.min cost z) end
  else None.
Definition least_cost : Z := match costs with [] => 0 | c :: costs => fold_right Z.min c costs end.

(* what is shown, at least, and the classes that violate *)
Fixpoint added_costs (entries : list (counts * (Z * Z))) (classes : list counts) : option (Z * Z * list counts) :=
  match classes with
  | [] => Some (0, 0, [])
  | c :: classes =>
      match added_costs entries classes with
      | None => None
      | Some (k, m, bad) =>
          if negb (nonneg c && Nat.eqb (length c) (length q) && (0 <? size c)
                   && satisfies_all q (filter of_records cs) c) then None else
          if satisfies_all q (distances cs) c then Some (k, m, bad) else
          match find (fun e => KeepingChecker.same_counts (fst e) c) entries with
          | Some (_, (cost, least)) => Some (cost + k, Z.max least least_cost + m, c :: bad)
          | None => None end
      end
  end.
Fixpoint all_judged (known : list (condition * list (list Z))) (entries : list showing) : option (list (counts * (Z * Z))) :=
  match entries with
  | [] => Some []
  | e :: entries =>
      match judged known e, all_judged known entries with
      | Some x, Some l => Some ((of_counts e, x) :: l)
      | _, _ => None end
  end.
Definition total_cost (ys : list way) : Z := total (way_cost q nodes costs) ys.

Hypotheses (pos : masses_ok q nodes = true) (unit_pos : 0 < unit) (q_pos : 0 < size q).
Hypothesis fine : forallb (formed (length q)) cs = true.
Hypothesis whole_costs : length costs = length nodes /\ forall a, 0 <= nth a costs 0.

Lemma known_fine c table : In (c, table) with_distances ->
  formed (length q) c = true /\ table = distances_of (length q) c.
Proof.
unfold with_distances. intros I. apply in_map_iff in I as [e [E I]]. injection E as <- <-. split; trivial.
unfold distances in I. apply filter_In in I as [I _]. rewrite forallb_forall in fine. now apply fine.
Qed.

Lemma known_close y c table : satisfies_all q (distances cs) (read q nodes y) = true ->
  In (c, table) with_distances -> satisfies q c (read q nodes y) = true.
Proof.
unfold with_distances. intros S I. apply in_map_iff in I as [e [E I]]. injection E as <- _.
unfold satisfies_all in S. rewrite forallb_forall in S. now apply S.
Qed.

(* ---- a class as it is ---- *)
Definition plain (c : counts) : way := fun v p => match p with O => nth v c 0 | _ => 0 end.

Lemma read_unshown c y : length c = length q -> (forall v, (v < length q)%nat -> y v 0%nat = nth v c 0) ->
  (forall a, (a < length nodes)%nat -> shown_at q nodes y a = 0) ->
  read q nodes y = map (Z.mul (multiple q nodes)) c.
Proof.
intros L Own None_. apply nth_ext with (d := 0) (d' := 0); rewrite read_length; [now rewrite map_length|].
intros v V. rewrite nth_read by trivial. rewrite (total_eq _ (fun _ => 0)).
- rewrite total_zero, Own by trivial.
  replace (nth v (map (Z.mul (multiple q nodes)) c) 0) with (multiple q nodes * nth v c 0).
  + lia.
  + replace 0 with (multiple q nodes * 0) at 2 by lia. now rewrite map_nth.
- intros a Ha. unfold above_it in Ha. apply filter_In in Ha as [Ha _]. apply in_seq in Ha. rewrite None_ by lia. lia.
Qed.

Lemma same_close c y : length c = length q -> (forall v, (v < length q)%nat -> y v 0%nat = nth v c 0) ->
  (forall a, (a < length nodes)%nat -> shown_at q nodes y a = 0) ->
  satisfies_all q (distances cs) (read q nodes y) = satisfies_all q (distances cs) c.
Proof.
intros L Own None_. rewrite (read_unshown c y L Own None_). unfold satisfies_all, distances.
assert (M := multiple_pos q nodes pos). clear - M. induction cs as [|e l IH]; simpl; trivial.
destruct (is_distance e) eqn:D; simpl; rewrite IH; trivial. now rewrite satisfies_times.
Qed.

(* who satisfies is shown as it is, at no cost; who does not shows a record at a node *)
Theorem plain_way c : nonneg c = true -> length c = length q ->
  satisfies_all q (filter of_records cs) c = true ->
  (satisfies_all q (distances cs) c = true ->
     meets c (plain c) /\ way_cost q nodes costs (plain c) = 0) /\
  (satisfies_all q (distances cs) c = false ->
     forall y, meets c y -> least_cost <= way_cost q nodes costs y).
Proof.
intros N L R.
assert (Zero : forall a, shown_at q nodes (plain c) a = 0) by (intros a; apply total_zero).
split.
- intros S. split; [split; [trivial|split]|].
  + intros v V. split.
    * intros [|p] _; simpl; [|lia]. unfold nonneg in N. rewrite forallb_forall in N.
      apply Z.leb_le, N, nth_In. lia.
    * unfold places. cbn [total fold_right]. fold (total (plain c v) (map Datatypes.S (above_it nodes v))).
      rewrite total_map, (total_eq _ (fun _ => 0)) by trivial. rewrite total_zero. simpl. lia.
  + rewrite (same_close c); auto.
  + unfold way_cost. rewrite (total_eq _ (fun _ => 0)); [apply total_zero|]. intros a _. rewrite Zero. lia.
- intros S y [_ [Sh Cl]].
  destruct (forallb (fun a => shown_at q nodes y a =? 0) (seq 0 (length nodes))) eqn:F.
  + rewrite forallb_forall in F.
    assert (None_ : forall a, (a < length nodes)%nat -> shown_at q nodes y a = 0)
      by (intros a A; apply Z.eqb_eq, F, in_seq; lia).
    rewrite (same_close c) in Cl; trivial; [congruence|].
    intros v V. destruct (Sh v V) as [P E]. unfold places in E. cbn [total fold_right] in E.
    fold (total (y v) (map Datatypes.S (above_it nodes v))) in E. rewrite total_map in E.
    rewrite (total_eq _ (fun _ => 0)) in E; [rewrite total_zero in E; lia|].
    intros a Ha. assert (A : (a < length nodes)%nat) by (unfold above_it in Ha; apply filter_In in Ha as [Ha _]; apply in_seq in Ha; lia).
    specialize (None_ a A). unfold shown_at in None_.
    assert (G : forall l, (forall w, In w l -> 0 <= y w (Datatypes.S a)) -> total (fun w => y w (Datatypes.S a)) l = 0 ->
      forall w, In w l -> y w (Datatypes.S a) = 0).
    { induction l as [|w l IH]; intros P' T; [easy|]. cbn [total fold_right] in T.
      fold (total (fun w => y w (Datatypes.S a)) l) in T.
      assert (0 <= total (fun w => y w (Datatypes.S a)) l) by (apply total_nonneg; intros u Hu; apply P'; now right).
      assert (P0 := P' w (or_introl eq_refl)). intros u [<-|Hu]; [lia|]. apply IH; trivial; [|lia].
      intros x Hx. apply P'. now right. }
    apply (G (below_it q nodes a)); trivial.
    * intros w Hw. assert (W : (w < length q)%nat) by (unfold below_it in Hw; apply filter_In in Hw as [Hw _]; apply in_seq in Hw; lia).
      destruct (Sh w W) as [Pw _]. apply Pw, in_places. now apply (below_above q nodes pos).
    * now apply (below_above q nodes pos).
  + apply not_true_iff_false in F. rewrite forallb_forall in F.
    destruct (existsb (fun a => negb (shown_at q nodes y a =? 0)) (seq 0 (length nodes))) eqn:X.
    * apply existsb_exists in X as [a [I X]]. apply negb_true_iff, Z.eqb_neq in X. apply in_seq in I.
      assert (Y := shown_nonneg q nodes pos c y a Sh ltac:(lia)). destruct whole_costs as [Lc Nc].
      assert (Le : least_cost <= nth a costs 0).
      { unfold least_cost. assert (A : (a < length costs)%nat) by lia. clear - A.
        destruct costs as [|z l]; [simpl in A; lia|].
        assert (G : forall l z, fold_right Z.min z l <= z /\ forall i, (i < length l)%nat -> fold_right Z.min z l <= nth i l 0).
        { clear. induction l as [|w l IH]; intros z; simpl; [split; [lia|intros i I; lia]|].
          destruct (IH z) as [H1 H2]. split; [lia|]. intros [|i] I; [lia|]. specialize (H2 i ltac:(lia)). lia. }
        destruct (G l z) as [G1 G2]. destruct a as [|a]; simpl; [trivial|]. apply G2. simpl in A. lia. }
      assert (One : nth a costs 0 * shown_at q nodes y a <= way_cost q nodes costs y).
      { unfold way_cost. assert (Ia : In a (seq 0 (length nodes))) by (apply in_seq; lia).
        assert (P : forall b, In b (seq 0 (length nodes)) -> 0 <= nth b costs 0 * shown_at q nodes y b).
        { intros b Hb. apply in_seq in Hb. specialize (Nc b). assert (Yb := shown_nonneg q nodes pos c y b Sh ltac:(lia)). nia. }
        revert Ia P. generalize (seq 0 (length nodes)). induction l as [|b l IH]; [easy|]. intros Ia P.
        cbn [total fold_right]. fold (total (fun a => nth a costs 0 * shown_at q nodes y a) l).
        assert (T : 0 <= total (fun a => nth a costs 0 * shown_at q nodes y a) l) by (apply total_nonneg; intros x Hx; apply P; now right).
        assert (Pb := P b (or_introl eq_refl)). destruct Ia as [->|Ia]; [lia|].
        specialize (IH Ia (fun x Hx => P x (or_intror Hx))). lia. }
      specialize (Nc a). nia.
    * exfalso. apply F. intros a I. destruct (shown_at q nodes y a =? 0) eqn:E; trivial.
      rewrite <- not_true_iff_false in X. exfalso. apply X, existsb_exists. exists a. now rewrite E.
Qed.

Lemma way_nonneg l v p : (forall e, In e l -> 0 <= snd e) -> 0 <= way_of l v p.
Proof. intros H. apply total_nonneg. intros e He. apply filter_In in He as [He _]. now apply H. Qed.

Lemma judged_sound e cost least : judged with_distances e = Some (cost, least) ->
  satisfies_all q (filter of_records cs) (of_counts e) = true ->
  (exists y, meets (of_counts e) y /\ way_cost q nodes costs y = cost) /\
  (forall y, meets (of_counts e) y -> least <= way_cost q nodes costs y).
Proof.
unfold judged. cbv zeta. destruct (Nat.eqb _ _ && _ && _ && _ && _ && _) eqn:C; [|discriminate].
rewrite !andb_true_iff, Nat.eqb_eq, !Z.ltb_lt, !forallb_forall in C.
destruct C as [[[[[L P] S] Cells_] Sums] Close]. intros H R.
assert (Sh : shows q nodes (of_counts e) (way_of (shown_as e))).
{ intros v V. split; [|now apply Z.eqb_eq, Sums, in_seq; lia].
  intros p _. apply way_nonneg. intros x Hx. specialize (Cells_ x Hx). rewrite !andb_true_iff, Z.leb_le in Cells_. tauto. }
assert (M : meets (of_counts e) (way_of (shown_as e))) by (split; [trivial|split; trivial]).
destruct (least_way q nodes costs with_distances unit (price_unit e) (of_counts e) (of_cases e) (all_of (of_counts e))) as [z|] eqn:T; [|discriminate].
assert (Tree : forall y, meets (of_counts e) y -> match z with Some z => z <= way_cost q nodes costs y | None => False end).
{ intros y [_ [Y Cl]].
  apply (tree_sound q nodes costs with_distances unit (price_unit e) pos unit_pos S q_pos known_fine (of_counts e) y L P Y)
    with (t := of_cases e) (r := all_of (of_counts e)); trivial.
  - intros c table. now apply known_close.
  - split; cbn [low high least_at most_at all_of].
    + intros v p V Hp. destruct (Y v V) as [Pn E]. split; [now apply Pn|].
      assert (Le : y v p <= nth v (of_counts e) 0).
      { rewrite <- E. clear - Pn Hp. induction (places nodes v) as [|o l IH]; [easy|]. cbn [total fold_right]. fold (total (y v) l).
        assert (0 <= total (y v) l) by (apply total_nonneg; intros w Hw; apply Pn; now right).
        assert (P0 := Pn o (or_introl eq_refl)). destruct Hp as [->|Hp]; [lia|].
        specialize (IH Hp (fun p H => Pn p (or_intror H))). lia. }
      assert (Some_ : forall l : list Z, (forall i, (i < length l)%nat -> 0 <= nth i l 0) -> forall i, nth i l 0 <= size l).
      { clear. intros l H. rewrite size_total. induction l as [|a l IH]; intros [|i]; cbn [total fold_right]; try (simpl; lia).
        - fold (total (fun z : Z => z) l). assert (0 <= total (fun z => z) l).
          { apply total_nonneg. intros z Hz. apply In_nth with (d := 0) in Hz as [j [J <-]]. apply (H (Datatypes.S j)). simpl. lia. }
          simpl. lia.
        - fold (total (fun z : Z => z) l). assert (H0 := H 0%nat ltac:(simpl; lia)). simpl in H0.
          specialize (IH (fun j J => H (Datatypes.S j) ltac:(simpl; lia)) i). simpl. lia. }
      assert (Nn : forall i, (i < length (of_counts e))%nat -> 0 <= nth i (of_counts e) 0).
      { intros i I. destruct (Y i ltac:(lia)) as [Pi <-]. now apply total_nonneg. }
      specialize (Some_ (of_counts e) Nn v). lia.
    + intros a A. split; [now apply (shown_nonneg q nodes pos (of_counts e))|].
      now apply (shown_at_most q nodes pos (of_counts e) y L). }
assert (E : cost = way_cost q nodes costs (way_of (shown_as e))) by (destruct z; now injection H).
split; [exists (way_of (shown_as e)); now split|]. intros y Y. specialize (Tree y Y).
destruct z as [z|]; [|easy]. injection H as _ <-. lia.
Qed.

Lemma all_judged_in entries l : all_judged with_distances entries = Some l ->
  forall c x, In (c, x) l -> exists e, In e entries /\ of_counts e = c /\ judged with_distances e = Some x.
Proof.
revert l. induction entries as [|e entries IH]; simpl; intros l H.
- injection H as <-. easy.
- destruct (judged with_distances e) as [x|] eqn:J; [|discriminate]. destruct (all_judged with_distances entries) as [l'|]; [|discriminate].
  injection H as <-. intros c x' [E|I].
  + injection E as <- <-. exists e. auto.
  + destruct (IH l' eq_refl c x' I) as [e' [I' E]]. exists e'. auto.
Qed.

Theorem added_costs_sound entries l classes k m bad : all_judged with_distances entries = Some l ->
  added_costs l classes = Some (k, m, bad) ->
  (exists ys, Forall2 meets classes ys /\ total_cost ys = k) /\
  (forall ys, Forall2 meets classes ys -> m <= total_cost ys).
Proof.
intros J. revert k m bad. induction classes as [|c classes IH]; simpl; intros k m bad H.
- injection H as <- <- <-. split; [exists []; now split|]. intros ys F. inversion F. unfold total_cost. simpl. lia.
- destruct (added_costs l classes) as [[[k' m'] bad']|]; [|discriminate].
  destruct (IH k' m' bad' eq_refl) as [[ys [F T]] B].
  destruct (nonneg c && Nat.eqb (length c) (length q) && (0 <? size c) && satisfies_all q (filter of_records cs) c) eqn:N; [|discriminate].
  simpl in H. rewrite !andb_true_iff, Nat.eqb_eq in N. destruct N as [[[N L] _] R].
  destruct (plain_way c N L R) as [Plain Bad].
  destruct (satisfies_all q (distances cs) c) eqn:S.
  + injection H as <- <- <-. destruct (Plain eq_refl) as [M C]. split.
    * exists (plain c :: ys). split; [now constructor|]. unfold total_cost in *. cbn [total fold_right].
      fold (total (way_cost q nodes costs) ys). lia.
    * intros zs G. inversion G as [|? y ? us My G']. subst. specialize (B us G'). unfold total_cost in *.
      cbn [total fold_right]. fold (total (way_cost q nodes costs) us).
      enough (0 <= way_cost q nodes costs y) by lia. unfold way_cost. apply total_nonneg. intros a Ha. apply in_seq in Ha.
      destruct My as [_ [Sh _]]. assert (Y := shown_nonneg q nodes pos c y a Sh ltac:(lia)).
      destruct whole_costs as [_ Nc]. specialize (Nc a). nia.
  + destruct (find _ l) as [[c' [cost least]]|] eqn:Fd; [|discriminate]. injection H as <- <- <-.
    apply find_some in Fd as [I E]. apply KeepingChecker.same_countsE in E. simpl in E. subst c'.
    destruct (all_judged_in entries l J c (cost, least) I) as [e [_ [E Je]]].
    destruct (judged_sound e cost least Je) as [[y [My Cy]] Be]; [now rewrite E|]. rewrite E in My, Be. split.
    * exists (y :: ys). split; [now constructor|]. unfold total_cost in *. cbn [total fold_right].
      fold (total (way_cost q nodes costs) ys). lia.
    * intros zs G. inversion G as [|? z ? us Mz G']. subst. specialize (B us G'). specialize (Be z Mz).
      specialize (Bad eq_refl z Mz). unfold total_cost in *. cbn [total fold_right].
      fold (total (way_cost q nodes costs) us). lia.
Qed.
End Classes.

(* ---- the checkers ------------------------------------------------------------------------------ *)
Section Node.
Variables (kind : node_loss) (leaves top : Z) (nodes : list value_node) (unit : Z).
Variables (hs : list hierarchy) (t : rows) (cs : list condition) (v : node).
Definition classes_at : list counts := KeepingChecker.classes_at hs t v.
Definition below_nodes : list (list nat) := map node_values nodes.
(* what a record at a node costs, in parts 1 / unit *)
Definition node_cost (a : value_node) : Z := unit * node_raw kind a / node_over kind leaves top.
Definition node_costs : list Z := map node_cost nodes.
Definition supported (c : condition) : bool := of_records c || is_distance c.
Definition whole_cost (a : value_node) : bool :=
  let over := node_over kind leaves top in
  (0 <? over) && (0 <=? node_raw kind a) && ((unit * node_raw kind a) mod over =? 0).

(* it is shown at a / b, and in no way at less than c / d; the classes that violate *)
Definition check_generalization (a b c d : Z) (entries : list showing) : option (list counts) :=
  let q := sum t in
  if table_ok hs t && model_ok t cs && forallb supported cs && (0 <? unit) && (0 <? size q)
     && masses_ok q below_nodes && forallb whole_cost nodes && (0 <? b) && (0 <? d) then
    match all_judged q cs below_nodes node_costs unit (with_distances q cs) entries with
    | None => None
    | Some l =>
        match added_costs q cs node_costs l classes_at with
        | Some (cost, least, bad) => if (b * cost =? a * unit) && (c * unit <=? d * least) then Some bad else None
        | None => None end
    end
  else None.

Theorem check_generalization_sound a b c d entries bad : check_generalization a b c d entries = Some bad ->
  let q := sum t in
  let possible := meets q cs below_nodes in
  let cost := total_cost q below_nodes node_costs in
  forallb (formed (length q)) cs = true /\
  (forall e, In e nodes -> node_over kind leaves top * node_cost e = unit * node_raw kind e) /\
  (exists ys, Forall2 possible classes_at ys /\ b * cost ys = a * unit) /\
  (forall ys, Forall2 possible classes_at ys -> c * unit <= d * cost ys).
Proof.
unfold check_generalization, model_ok. cbv zeta.
destruct (table_ok hs t && _ && _ && _ && _ && _ && _ && _ && _) eqn:C; [|discriminate].
rewrite !andb_true_iff, !Z.ltb_lt in C. destruct C as [[[[[[[[_ [_ F]] _] U] Q] M] W] b0] d0].
destruct (all_judged _ _ _ _ _ _ entries) as [l|] eqn:J; [|discriminate].
destruct (added_costs _ _ _ l classes_at) as [[[cost least] bad']|] eqn:A; [|discriminate].
destruct ((b * cost =? a * unit) && (c * unit <=? d * least)) eqn:V; [|discriminate]. intros _.
apply andb_true_iff in V as [V1 V2]. apply Z.eqb_eq in V1. apply Z.leb_le in V2.
rewrite forallb_forall in W.
assert (Exact : forall e, In e nodes -> node_over kind leaves top * node_cost e = unit * node_raw kind e).
{ intros e He. specialize (W e He). unfold whole_cost in W. cbv zeta in W. rewrite !andb_true_iff, Z.ltb_lt, Z.eqb_eq in W.
  destruct W as [[O _] D]. unfold node_cost. symmetry. apply Z_div_exact_full_2; lia. }
split; trivial. split; trivial.
assert (Wc : length node_costs = length below_nodes /\ forall i, 0 <= nth i node_costs 0).
{ unfold node_costs, below_nodes. rewrite !map_length. split; trivial. intros i.
  destruct (lt_dec i (length nodes)) as [I|I]; [|rewrite nth_overflow; [lia|rewrite map_length; lia]].
  assert (H : In (nth i (map node_cost nodes) 0) (map node_cost nodes)) by (apply nth_In; now rewrite map_length).
  apply in_map_iff in H as [e [<- He]]. specialize (W e He). unfold whole_cost in W. cbv zeta in W.
  rewrite !andb_true_iff, Z.ltb_lt, Z.leb_le in W. unfold node_cost. apply Z.div_pos; [|tauto].
  destruct W as [[_ R] _]. apply Z.mul_nonneg_nonneg; lia. }
destruct (added_costs_sound (sum t) cs below_nodes node_costs unit M U Q F Wc entries l classes_at cost least bad' J A)
  as [[ys [Fy T]] B].
split.
- exists ys. split; trivial. now rewrite T.
- intros zs G. specialize (B zs G). nia.
Qed.
End Node.

(* a class has too few records, and no way to show its values changes that *)
Definition check_no_generalization (hs : list hierarchy) (t : rows) (cs : list condition) (v : node) (lab : codes) : bool :=
  table_ok hs t && violating hs t (satisfies_all (sum t) (filter of_records cs)) [(v, lab)].

Theorem check_no_generalization_sound hs t cs v lab : check_no_generalization hs t cs v lab = true ->
  forall nodes ys, ~ Forall2 (meets (sum t) cs nodes) (classes_at hs t v) ys.
Proof.
unfold check_no_generalization, violating. cbn [forallb fst snd]. rewrite andb_true_r, !andb_true_iff, negb_true_iff.
intros [_ [Some_ Bad]] nodes ys F.
destruct (class hs t v lab) as [|r l] eqn:C; [easy|].
assert (I : In r (class hs t v lab)) by (rewrite C; now left).
unfold class in I. apply filter_In in I as [Ir E]. apply eqb_eq in E.
assert (In_ : In (sum (class hs t v lab)) (classes_at hs t v)).
{ unfold classes_at, KeepingChecker.classes_at. apply in_map_iff.
  exists (filter (alike (keys hs) (labels hs v (fst r), snd r)) (relabel hs t v)). split.
  - unfold relabel, class. rewrite <- E.
    assert (A : forall u, sum (filter (alike (keys hs) (labels hs v (fst r), snd r))
        (map (fun r => (labels hs v (fst r), snd r)) u)) =
      sum (filter (fun x => eqb (labels hs v (fst x)) (labels hs v (fst r))) u)).
    { intros u. rewrite (filter_ext_in _ (fun x => eqb (fst x) (labels hs v (fst r)))).
      - induction u as [|x u IH]; simpl; trivial. destruct (eqb (labels hs v (fst x)) (labels hs v (fst r))); simpl; now rewrite IH.
      - intros x _. rewrite alike_keys; [trivial|]. apply labels_shorter. }
    apply A.
  - apply groupsP. exists (labels hs v (fst r), snd r). split; trivial. unfold relabel.
    now apply (in_map (fun r => (labels hs v (fst r), snd r))). }
rewrite C in In_. clear - F In_ Bad.
induction F as [|c y cs' ys' M F IH]; [easy|]. destruct In_ as [->|In_]; [|now apply IH].
destruct M as [M _]. congruence.
Qed.
