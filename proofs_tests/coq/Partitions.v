(* Bounds on what partitions cost, for the checker of partitions of least loss.

   Records of one combination of values are a kind; a class has so many of each.  A partition
   is a list of classes that satisfy the model, and the records that are suppressed.

   Places in the checkers: certificates of partitions; t-closeness paper, section 6 (which
   releases lose least)
     label_grows         a label shows no less when a record joins
     split_class         a class of 2k records or more costs no less than two
     priced_partition    prices of kinds and dues of cuts bound every partition
     outside             a partition with a class that was not found costs too much
     tree_bounds         and one of those that were found, what the leaves show

   The idea in three lines:
   - costs less prices are reduced costs; each record is paid once, each cut at most so often;
   - a class that was not found has more than the limit, the others at least the least;
   - of those that were found, how often each is taken lies between the bounds of a case. *)
From Coq Require Import ZArith List Bool Lia Arith.
From Tcloseness Require Import Counts Conditions LatticeChecker EvenCounts Keeping CutChecker ClassSearch.
From Tcloseness Require Import GeneralizationChecker.
From Tcloseness Require KeepingChecker.
Import ListNotations.
Local Open Scope Z_scope.

(* ---- what a label costs a record -------------------------------------------------------- *)
Inductive cell_kind := ByShare | ByMeasure | ByHeight.
Inductive attribute :=
| Interval (xs : list Z) (low high : Z)        (* a number for each kind, and the range *)
| Ancestor (h : hierarchy) (cs : list nat)     (* a value for each kind *)
| Together (cs : list nat) (m : Z).

Definition least_of (xs : list Z) : Z := match xs with [] => 0 | x :: xs => fold_right Z.min x xs end.
Definition most_of (xs : list Z) : Z := match xs with [] => 0 | x :: xs => fold_right Z.max x xs end.
Definition at_all (xs : list Z) (ms : list nat) : list Z := map (fun i => nth i xs 0) ms.
(* whether all of a group have one label at a level, and the lowest such level *)
Definition agree (h : hierarchy) (cs : list nat) (ms : list nat) (l : nat) : bool :=
  match ms with
  | [] => true
  | i :: ms => forallb (fun j => Nat.eqb (lab h l (nth j cs 0%nat)) (lab h l (nth i cs 0%nat))) ms end.
Fixpoint first_level (ok : nat -> bool) (l : nat) (more : nat) : nat :=
  match more with O => l | S more => if ok l then l else first_level ok (S l) more end.
Definition lowest (h : hierarchy) (cs ms : list nat) : nat := first_level (agree h cs ms) 0 (length h).
Definition wide (h : hierarchy) (l c : nat) : Z :=
  Z.of_nat (length (filter (fun e => Nat.eqb (lab h l e) (lab h l c)) (seq 0 (leaves h)))).
Definition level_raw (k : cell_kind) (h : hierarchy) (l c : nat) : Z :=
  if Nat.eqb l 0 then 0 else
  match k with ByShare => wide h l c | ByMeasure => wide h l c - 1 | ByHeight => Z.of_nat l end.
Definition together_raw (k : cell_kind) (d : Z) : Z :=
  if d <=? 1 then 0 else match k with ByShare => d | ByMeasure => d - 1 | ByHeight => 1 end.
Definition distinct (cs ms : list nat) : Z := Z.of_nat (length (nodup Nat.eq_dec (map (fun i => nth i cs 0%nat) ms))).
(* the penalty of a group's label is raw / over *)
Definition raw_label (k : cell_kind) (a : attribute) (ms : list nat) : Z :=
  match a with
  | Interval xs _ _ =>
      let width := most_of (at_all xs ms) - least_of (at_all xs ms) in
      match k with ByHeight => Z.min 1 width | _ => width end
  | Ancestor h cs => level_raw k h (lowest h cs ms) (nth (hd 0%nat ms) cs 0%nat)
  | Together cs _ => together_raw k (distinct cs ms) end.
Definition over_label (k : cell_kind) (a : attribute) : Z :=
  Z.max 1 match k, a with
  | ByHeight, _ => 1
  | _, Interval _ low high => high - low
  | ByShare, Ancestor h _ => Z.of_nat (leaves h)
  | ByMeasure, Ancestor h _ => Z.of_nat (leaves h) - 1
  | ByShare, Together _ m => m
  | ByMeasure, Together _ m => m - 1 end.
Definition penalty (k : cell_kind) (unit : Z) (a : attribute) (ms : list nat) : Z :=
  unit * raw_label k a ms / over_label k a.
(* what a suppressed record costs *)
Definition gone_label (k : cell_kind) (unit : Z) (a : attribute) : Z :=
  match k, a with ByHeight, Ancestor h _ => unit * Z.of_nat (length h) | _, _ => unit end.
(* labels are no cheaper a level above, all values are inside the range, and no more than m occur *)
Definition label_ok (k : cell_kind) (kinds : nat) (a : attribute) : bool :=
  match a with
  | Interval xs low high => Nat.eqb (length xs) kinds && forallb (fun x => (low <=? x) && (x <=? high)) xs
  | Ancestor h cs =>
      Nat.eqb (length cs) kinds && nested h && forallb (fun c => Nat.ltb c (leaves h)) cs
      && forallb (fun c => forallb (fun l => level_raw k h l c <=? level_raw k h (S l) c) (seq 0 (length h))) cs
  | Together cs m => Nat.eqb (length cs) kinds && (distinct cs (seq 0 kinds) <=? m) end.
(* the unit is one of which all penalties are whole *)
Definition whole_label (k : cell_kind) (unit : Z) (kinds : nat) (a : attribute) : bool :=
  match a with
  | Together cs m =>
      forallb (fun d => (unit * together_raw k (Z.of_nat d)) mod over_label k a =? 0) (seq 0 (S (Z.to_nat (distinct cs (seq 0 kinds)))))
  | _ => forallb (fun i => forallb (fun j => (unit * raw_label k a [i; j]) mod over_label k a =? 0) (seq 0 kinds)) (seq 0 kinds) end.

Lemma least_of_le x xs : In x xs -> least_of xs <= x.
Proof.
destruct xs as [|y xs]; [easy|]. simpl. intros [->|I].
- induction xs as [|z xs IH]; simpl; lia.
- induction xs as [|z xs IH]; [easy|]. simpl. destruct I as [->|I]; [lia|]. specialize (IH I). lia.
Qed.

Lemma most_of_ge x xs : In x xs -> x <= most_of xs.
Proof.
destruct xs as [|y xs]; [easy|]. simpl. intros [->|I].
- induction xs as [|z xs IH]; simpl; lia.
- induction xs as [|z xs IH]; [easy|]. simpl. destruct I as [->|I]; [lia|]. specialize (IH I). lia.
Qed.

Lemma least_of_in x xs : In (least_of (x :: xs)) (x :: xs).
Proof.
simpl. induction xs as [|z xs IH]; simpl; [now left|].
destruct (Z.min_spec z (fold_right Z.min x xs)) as [[_ ->]|[_ ->]]; [auto|]. destruct IH as [E|I]; auto.
Qed.

Lemma most_of_in x xs : In (most_of (x :: xs)) (x :: xs).
Proof.
simpl. induction xs as [|z xs IH]; simpl; [now left|].
destruct (Z.max_spec z (fold_right Z.max x xs)) as [[_ ->]|[_ ->]]; [|auto]. destruct IH as [E|I]; auto.
Qed.

Lemma width_grows xs ms ls : ms <> [] -> incl ms ls ->
  most_of (at_all xs ms) - least_of (at_all xs ms) <= most_of (at_all xs ls) - least_of (at_all xs ls).
Proof.
intros N I. assert (J : incl (at_all xs ms) (at_all xs ls)) by (apply incl_map; exact I).
destruct ms as [|m ms]; [easy|].
assert (A := J _ (least_of_in _ _ : In (least_of (at_all xs (m :: ms))) (at_all xs (m :: ms)))).
assert (B := J _ (most_of_in _ _ : In (most_of (at_all xs (m :: ms))) (at_all xs (m :: ms)))).
apply least_of_le in A. apply most_of_ge in B. lia.
Qed.

Lemma first_level_le ok l more : (l <= first_level ok l more <= l + more)%nat.
Proof. revert l. induction more as [|more IH]; intros l; simpl; [lia|]. destruct (ok l); [lia|]. specialize (IH (S l)). lia. Qed.

Lemma first_level_mono ok ok' more : (forall l, ok' l = true -> ok l = true) ->
  forall l, (first_level ok l more <= first_level ok' l more)%nat.
Proof.
intros H. induction more as [|more IH]; intros l; simpl; [lia|].
destruct (ok l) eqn:O.
- destruct (ok' l); [lia|]. assert (B := first_level_le ok' (S l) more). lia.
- destruct (ok' l) eqn:O'; [rewrite (H l O') in O; easy|]. apply IH.
Qed.

Lemma agree_all h cs ls l : agree h cs ls l = true -> forall i j, In i ls -> In j ls ->
  lab h l (nth i cs 0%nat) = lab h l (nth j cs 0%nat).
Proof.
destruct ls as [|m ls]; [easy|]. simpl. rewrite forallb_forall. intros H.
assert (G : forall i, m = i \/ In i ls -> lab h l (nth i cs 0%nat) = lab h l (nth m cs 0%nat)).
{ intros i [->|I]; [trivial|]. now apply Nat.eqb_eq, H. }
intros i j I J. now rewrite (G i I), (G j J).
Qed.

Lemma agree_part h cs ms ls l : incl ms ls -> agree h cs ls l = true -> agree h cs ms l = true.
Proof.
intros I H. destruct ms as [|m ms]; [trivial|]. simpl. apply forallb_forall. intros j J. apply Nat.eqb_eq.
apply (agree_all h cs ls l H); apply I; [now right|now left].
Qed.

Lemma first_level_ok ok more : forall l, (first_level ok l more < l + more)%nat -> ok (first_level ok l more) = true.
Proof.
induction more as [|more IH]; intros l; simpl; [lia|]. destruct (ok l) eqn:O; [now intros _|].
intros H. apply IH. lia.
Qed.

(* a label of a level is that of each value below it *)
Lemma level_raw_label k h l c e : lab h l c = lab h l e -> level_raw k h l c = level_raw k h l e.
Proof. intros E. unfold level_raw, wide. now rewrite E. Qed.

Lemma lowest_le h cs ms : (lowest h cs ms <= length h)%nat.
Proof. unfold lowest. assert (B := first_level_le (agree h cs ms) 0 (length h)). lia. Qed.

Theorem label_grows k kinds a : label_ok k kinds a = true -> forall ms ls,
  ms <> [] -> incl ms ls -> (forall i, In i ls -> (i < kinds)%nat) -> raw_label k a ms <= raw_label k a ls.
Proof.
intros O ms ls N I In_. destruct a as [xs low high|h cs|cs m]; simpl in *.
- assert (W := width_grows xs ms ls N I). destruct k; lia.
- rewrite !andb_true_iff, Nat.eqb_eq, !forallb_forall in O. destruct O as [[[L Ne] Inside] Up].
  assert (Rise : forall c, In c cs -> forall l l', (l <= l' <= length h)%nat -> level_raw k h l c <= level_raw k h l' c).
  { intros c Ic l l' B. assert (S1 := Up c Ic). rewrite forallb_forall in S1.
    assert (G : forall d, (l + d <= length h)%nat -> level_raw k h l c <= level_raw k h (l + d) c).
    { induction d as [|d IHd]; intros D; [rewrite Nat.add_0_r; lia|]. specialize (IHd ltac:(lia)).
      assert (T := S1 (l + d)%nat ltac:(apply in_seq; lia)). apply Z.leb_le in T. rewrite Nat.add_succ_r. lia. }
    specialize (G (l' - l)%nat ltac:(lia)). now replace (l + (l' - l))%nat with l' in G by lia. }
  assert (Lo : (lowest h cs ms <= lowest h cs ls)%nat).
  { apply first_level_mono. intros l. now apply agree_part. }
  destruct ms as [|m ms]; [easy|]. assert (Im := I m (or_introl eq_refl)). destruct ls as [|q ls]; [easy|]. cbn [hd].
  assert (Cm : In (nth m cs 0%nat) cs) by (apply nth_In; rewrite L; now apply In_).
  apply Z.le_trans with (level_raw k h (lowest h cs (q :: ls)) (nth m cs 0%nat)).
  + apply Rise; trivial. split; [trivial|apply lowest_le].
  + destruct (Nat.eq_dec (lowest h cs (q :: ls)) (length h)) as [E|E].
    * assert (Cq : In (nth q cs 0%nat) cs) by (apply nth_In; rewrite L; apply In_; now left).
      apply Z.eq_le_incl, level_raw_label. rewrite E.
      now rewrite !top_label by (trivial; now apply Nat.ltb_lt, Inside).
    * assert (A : agree h cs (q :: ls) (lowest h cs (q :: ls)) = true).
      { apply first_level_ok. assert (B := lowest_le h cs (q :: ls)). unfold lowest in *. lia. }
      apply Z.eq_le_incl, level_raw_label. apply (agree_all h cs (q :: ls) _ A); trivial. now left.
- assert (D : distinct cs ms <= distinct cs ls).
  { unfold distinct. apply inj_le. apply NoDup_incl_length; [apply NoDup_nodup|].
    intros c Hc. apply nodup_In in Hc. apply nodup_In. revert c Hc. apply incl_map. exact I. }
  unfold together_raw. destruct (Z.leb_spec (distinct cs ms) 1), (Z.leb_spec (distinct cs ls) 1); destruct k; lia.
Qed.


Lemma penalty_grows k unit kinds a : 0 <= unit -> label_ok k kinds a = true -> forall ms ls,
  ms <> [] -> incl ms ls -> (forall i, In i ls -> (i < kinds)%nat) -> penalty k unit a ms <= penalty k unit a ls.
Proof.
intros U O ms ls N I In_. unfold penalty. apply Z.div_le_mono; [unfold over_label; lia|].
apply Z.mul_le_mono_nonneg_l; trivial. now apply (label_grows k kinds).
Qed.

(* ---- classes and partitions ------------------------------------------------------------- *)
Section Partitions.
Variables (n : list Z) (E : list nat -> Z) (by_size : Z -> Z) (gone : Z) (most_gone : Z).
Variables (ok : list Z -> bool) (smallest : Z).
Notation kinds := (length n).
Notation cost := (class_cost E by_size).
Definition proper (C : list Z) : bool :=
  Nat.eqb (length C) kinds && forallb (Z.leb 0) C && (1 <=? size C) && ok C.
(* classes that satisfy, and records that are suppressed: all records, each once *)
Definition partitions (P : list (list Z)) (v : list Z) : Prop :=
  (forall C, In C P -> proper C = true) /\
  length v = kinds /\ forallb (Z.leb 0) v = true /\ size v <= most_gone /\
  forall i, (i < kinds)%nat -> total (fun C => nth i C 0) P + nth i v 0 = nth i n 0.
Definition partition_cost (P : list (list Z)) (v : list Z) : Z := total cost P + gone * size v.

Hypothesis grows : forall ms ls, ms <> [] -> incl ms ls -> (forall i, In i ls -> (i < kinds)%nat) -> E ms <= E ls.
Hypothesis superadditive : forall a b, 1 <= a -> 1 <= b -> by_size a + by_size b <= by_size (a + b).

Lemma size_nth C : size C = total (fun i => nth i C 0) (seq 0 (length C)).
Proof. rewrite <- (size_map (fun i => nth i C 0)). now rewrite map_nth_seq. Qed.

Lemma size_ge C : forallb (Z.leb 0) C = true -> 0 <= size C.
Proof. intros H. now apply size_nonneg. Qed.

(* the first so many records of a class, and the others *)
Fixpoint some_of (k : Z) (C : list Z) : list Z :=
  match C with [] => [] | c :: C => Z.min k c :: some_of (k - Z.min k c) C end.

Lemma some_of_spec : forall C k, 0 <= k <= size C -> forallb (Z.leb 0) C = true ->
  length (some_of k C) = length C /\ size (some_of k C) = k /\ within (some_of k C) C = true.
Proof.
induction C as [|c C IH]; intros k K P; simpl in *; [split; [trivial|split; [unfold size in *; simpl in *; lia|trivial]]|].
apply andb_true_iff in P as [C0 P]. apply Z.leb_le in C0. assert (S0 := size_ge C P).
change (size (c :: C)) with (c + size C) in K. destruct (IH (k - Z.min k c) ltac:(lia) P) as [L [S1 W]].
split; [now rewrite L|]. split; [change (Z.min k c + size (some_of (k - Z.min k c) C) = k); lia|].
rewrite !andb_true_iff, !Z.leb_le. repeat split; trivial; lia.
Qed.

Lemma minus_nth : forall C A i, length A = length C -> nth i (minus C A) 0 = nth i C 0 - nth i A 0.
Proof. induction C as [|c C IH]; intros [|a A] [|i] L; simpl in *; try easy; try lia. apply IH. lia. Qed.

Lemma minus_nonneg : forall C A, within A C = true -> forallb (Z.leb 0) (minus C A) = true.
Proof.
induction C as [|c C IH]; intros [|a A]; simpl; try easy. rewrite !andb_true_iff, !Z.leb_le. intros [[P Q] W].
split; [lia|now apply IH].
Qed.

Lemma within_between : forall A C, within A C = true -> between (map (fun _ => 0) A) A C = true.
Proof. induction A as [|a A IH]; intros [|c C]; simpl; try easy. rewrite !andb_true_iff. intros [H W]. split; [trivial|now apply IH]. Qed.

Lemma members_bound C i : length C = kinds -> In i (members 0 C) -> (i < kinds)%nat.
Proof. intros L I. apply in_members in I as [B _]. lia. Qed.

Lemma members_some C : forallb (Z.leb 0) C = true -> 1 <= size C -> members 0 C <> [].
Proof.
generalize 0%nat. induction C as [|c C IH]; intros k P S; simpl in *; [unfold size in S; simpl in S; lia|].
apply andb_true_iff in P as [C0 P]. apply Z.leb_le in C0. change (size (c :: C)) with (c + size C) in S.
destruct (Z.ltb_spec 0 c); [easy|]. simpl. apply IH; trivial. lia.
Qed.

Lemma part_cost A B C : length A = kinds -> length B = kinds -> length C = kinds ->
  forallb (Z.leb 0) A = true -> forallb (Z.leb 0) B = true -> 1 <= size A -> 1 <= size B ->
  (forall i, nth i C 0 = nth i A 0 + nth i B 0) -> size C = size A + size B -> cost A + cost B <= cost C.
Proof.
intros LA LB LC PA PB SA SB Sum Sz. unfold class_cost. rewrite Sz.
assert (Ge : forall X i, forallb (Z.leb 0) X = true -> 0 <= nth i X 0).
{ intros X i P. rewrite forallb_forall in P. destruct (lt_dec i (length X)) as [L|L]; [now apply Z.leb_le, P, nth_In|].
  rewrite nth_overflow; lia. }
assert (Gr : forall X, length X = kinds -> forallb (Z.leb 0) X = true -> 1 <= size X ->
  (forall i, nth i X 0 <= nth i C 0) -> E (members 0 X) <= E (members 0 C)).
{ intros X L P S Le. apply grows; [now apply members_some| |intros i; now apply members_bound].
  intros i I. apply in_members in I as [Bd I]. apply in_members. split; [lia|]. rewrite Nat.sub_0_r in *.
  specialize (Le i). lia. }
assert (GA : E (members 0 A) <= E (members 0 C)).
{ apply Gr; trivial. intros i. rewrite Sum. specialize (Ge B i PB). lia. }
assert (GB : E (members 0 B) <= E (members 0 C)).
{ apply Gr; trivial. intros i. rewrite Sum. specialize (Ge A i PA). lia. }
assert (H := superadditive (size A) (size B) SA SB).
apply Z.mul_le_mono_nonneg_l with (p := size A) in GA; [|lia].
apply Z.mul_le_mono_nonneg_l with (p := size B) in GB; [|lia]. lia.
Qed.

(* classes of 2k records or more need not be looked for, where sizes alone are asked *)
Theorem split_class : 1 <= smallest ->
  forall m C, size C <= Z.of_nat m -> length C = kinds -> forallb (Z.leb 0) C = true -> smallest <= size C ->
  exists P, (forall D, In D P -> length D = kinds /\ forallb (Z.leb 0) D = true /\ smallest <= size D <= 2 * smallest - 1) /\
    (forall i, total (fun D => nth i D 0) P = nth i C 0) /\ total cost P <= cost C.
Proof.
intros K1. induction m as [|m IH]; intros C M L P S; [lia|].
destruct (Z_le_gt_dec (size C) (2 * smallest - 1)) as [Small|Large].
- exists [C]. split; [intros D [<-|[]]; repeat split; trivial; lia|]. split; [intros i; simpl; lia|simpl; lia].
- destruct (some_of_spec C smallest ltac:(lia) P) as [LA [SA W]]. set (A := some_of smallest C) in *. set (B := minus C A).
  assert (Bt := within_between A C W). destruct (minus_within _ _ _ Bt) as [_ _].
  assert (PA : forallb (Z.leb 0) A = true) by (exact (within_nonneg A C W)).
  assert (PB := minus_nonneg C A W). fold B in PB.
  assert (LB : length B = kinds) by (unfold B; rewrite minus_length; congruence).
  assert (Nb : forall i, nth i B 0 = nth i C 0 - nth i A 0) by (intros i; unfold B; now apply minus_nth).
  assert (SB : size B = size C - smallest).
  { rewrite <- SA. rewrite !size_nth, LB, LA, L. rewrite (total_eq _ (fun i => nth i C 0 + (-1) * nth i A 0)).
    - rewrite total_plus, total_times. lia.
    - intros i _. rewrite Nb. lia. }
  destruct (IH B ltac:(lia) LB PB ltac:(lia)) as [Q [Fine [Sum Less_]]].
  exists (A :: Q). split; [|split].
  + intros D [<-|I]; [repeat split; trivial; try lia; congruence|now apply Fine].
  + intros i. cbn [total fold_right]. fold (total (fun D => nth i D 0) Q). rewrite Sum, Nb. lia.
  + cbn [total fold_right]. fold (total cost Q).
    assert (H := part_cost A B C (eq_trans LA L) LB L PA PB ltac:(lia) ltac:(lia) ltac:(intros i; rewrite Nb; lia) ltac:(lia)). lia.
Qed.

Lemma refined P v : 1 <= smallest -> (forall C, length C = kinds -> 1 <= size C -> ok C = (smallest <=? size C)) -> partitions P v ->
  exists Q, partitions Q v /\ (forall C, In C Q -> smallest <= size C <= 2 * smallest - 1) /\ total cost Q <= total cost P.
Proof.
intros K1 Ok [Fine [Lv [Pv [Sv Sum]]]].
assert (G : forall R, (forall C, In C R -> proper C = true) -> exists Q,
  (forall D, In D Q -> length D = kinds /\ forallb (Z.leb 0) D = true /\ smallest <= size D <= 2 * smallest - 1) /\
  (forall i, total (fun D => nth i D 0) Q = total (fun D => nth i D 0) R) /\ total cost Q <= total cost R).
{ induction R as [|C R IH]; intros H; [exists []; split; [easy|split; [trivial|lia]]|].
  destruct IH as [Q [FQ [SQ CQ]]]; [intros D HD; apply H; now right|].
  assert (HC := H C (or_introl eq_refl)). unfold proper in HC. rewrite !andb_true_iff, Nat.eqb_eq in HC.
  destruct HC as [[[LC PC] OS] OC]. apply Z.leb_le in OS. rewrite Ok in OC by trivial. apply Z.leb_le in OC.
  destruct (split_class K1 (Z.to_nat (size C)) C ltac:(lia) LC PC OC) as [T [FT [ST CT]]].
  exists (T ++ Q). split; [|split].
  - intros D HD. apply in_app_or in HD as [HD|HD]; auto.
  - intros i. cbn [total fold_right]. fold (total (fun D => nth i D 0) R). rewrite <- SQ, <- ST. unfold total. rewrite fold_right_app.
    clear. induction T as [|D T IH]; simpl; lia.
  - cbn [total fold_right]. fold (total cost R). 
    assert (A : total cost (T ++ Q) = total cost T + total cost Q) by (clear; induction T as [|D T IH]; simpl; lia). lia. }
destruct (G P Fine) as [Q [FQ [SQ CQ]]]. exists Q. split; [split; [|split; [|split; [|split]]]; trivial|split; trivial].
- intros C HC. destruct (FQ C HC) as [L [Pc S]]. unfold proper. rewrite Pc, (Ok C L ltac:(lia)), L, Nat.eqb_refl.
  rewrite (proj2 (Z.leb_le 1 (size C))), (proj2 (Z.leb_le smallest (size C))); trivial; lia.
- intros i I. rewrite SQ. now apply Sum.
- intros C HC. now apply FQ.
Qed.

Lemma total_cons {A} (f : A -> Z) a l : total f (a :: l) = f a + total f l.
Proof. reflexivity. Qed.

Lemma nth_nonneg l i : forallb (Z.leb 0) l = true -> 0 <= nth i l 0.
Proof.
intros P. rewrite forallb_forall in P. destruct (lt_dec i (length l)) as [L|L]; [now apply Z.leb_le, P, nth_In|].
rewrite nth_overflow; lia.
Qed.

Lemma total_sizes P v : partitions P v -> total size P <= size n.
Proof.
intros [Fine [_ [Pv [_ Sum]]]]. rewrite (total_eq size (fun D => total (fun i => nth i D 0) (seq 0 kinds))).
- rewrite total_swap, (size_nth n). apply total_le. intros i I. apply in_seq in I. specialize (Sum i ltac:(lia)).
  assert (H := nth_nonneg v i Pv). unfold counts. lia.
- intros D HD. specialize (Fine D HD). unfold proper in Fine. rewrite !andb_true_iff, Nat.eqb_eq in Fine.
  destruct Fine as [[[<- _] _] _]. apply size_nth.
Qed.

(* ---- prices -------------------------------------------------------------------------------- *)
Section Prices.
Variables (scale : Z) (p : list Z) (cuts : list (list Z * Z * Z)) (tau : Z).
Hypothesis cuts_ok : forall e, In e cuts ->
  length (fst (fst e)) = kinds /\ forallb (Z.leb 0) (fst (fst e)) = true /\ 0 < snd (fst e) /\ 0 <= snd e.
Hypotheses (p_length : length p = kinds) (scale_pos : 0 <= scale) (tau_nonneg : 0 <= tau).
Definition paid_at_least : Z := dot p n - dues cuts n - tau * most_gone.
Definition less_prices (c : Z) (C : list Z) : Z := scale * c - dot p C + dues cuts C.
Definition gone_alone (s : Z) (i : nat) : Z := scale * s - nth i p 0 + tau.

Lemma dot_kinds w C : length w = kinds -> length C = kinds -> dot w C = total (fun i => nth i w 0 * nth i C 0) (seq 0 kinds).
Proof. intros A B. rewrite dot_total by congruence. now rewrite B. Qed.

Lemma dot_partition w P v : length w = kinds -> partitions P v -> total (dot w) P + dot w v = dot w n.
Proof.
intros Lw [Fine [Lv [_ [_ Sum]]]].
assert (Ln : forall C, In C P -> length C = kinds).
{ intros C HC. specialize (Fine C HC). unfold proper in Fine. rewrite !andb_true_iff, Nat.eqb_eq in Fine. tauto. }
rewrite (total_eq (dot w) (fun C => total (fun i => nth i w 0 * nth i C 0) (seq 0 kinds))) by (intros C HC; apply dot_kinds; auto).
rewrite total_swap, (dot_kinds w v), (dot_kinds w n), <- total_plus by trivial. apply total_eq. intros i I. apply in_seq in I.
rewrite total_times. rewrite <- (Sum i) by lia. ring.
Qed.

Lemma dues_partition P v : partitions P v -> total (dues cuts) P <= dues cuts n.
Proof.
intros H. unfold dues. rewrite total_swap. apply total_le. intros e I. destruct (cuts_ok e I) as [L [W [D S]]].
rewrite total_times. apply Z.mul_le_mono_nonneg_l; trivial.
assert (G := dot_partition (fst (fst e)) P v L H). destruct H as [_ [_ [Pv _]]].
assert (V := dot_nonneg (fst (fst e)) v W Pv).
apply Z.div_le_lower_bound; trivial. rewrite <- total_times.
assert (total (fun C => snd (fst e) * (dot (fst (fst e)) C / snd (fst e))) P <= total (dot (fst (fst e))) P).
{ apply total_le. intros C _. now apply Z.mul_div_le. }
lia.
Qed.

Theorem priced_partition f s P v : partitions P v ->
  paid_at_least + total (fun C => less_prices (f C) C) P + total (fun i => nth i v 0 * gone_alone s i) (seq 0 kinds)
  <= scale * (total f P + s * size v).
Proof.
intros H. assert (A := dot_partition p P v p_length H). assert (B := dues_partition P v H).
destruct H as [_ [Lv [Pv [Sv _]]]].
unfold less_prices, paid_at_least.
rewrite (total_eq (fun C => scale * f C - dot p C + dues cuts C) (fun C => (scale * f C + (-1) * dot p C) + dues cuts C))
  by (intros; lia).
rewrite !total_plus, !total_times.
rewrite (total_eq (fun i => nth i v 0 * gone_alone s i) (fun i => ((scale * s + tau) * nth i v 0) + (-1) * (nth i p 0 * nth i v 0)))
  by (intros; unfold gone_alone; lia).
rewrite total_plus, !total_times, <- (dot_kinds p v p_length Lv), <- Lv, <- size_nth.
assert (tau * size v <= tau * most_gone) by (apply Z.mul_le_mono_nonneg_l; trivial). lia.
Qed.
End Prices.

(* ---- a class that was not found -------------------------------------------------------------- *)
Definition least_reduced (found : list Z) : Z := fold_right Z.min 0 found.

Lemma least_reduced_le z found : least_reduced found <= 0 /\ (In z found -> least_reduced found <= z).
Proof. induction found as [|x l [A B]]; simpl; [split; [lia|easy]|]. split; [lia|]. intros [->|I]; [lia|]. specialize (B I). lia. Qed.

Lemma total_least {A} (f : A -> Z) (x : Z) l : (forall a, In a l -> x <= f a) -> Z.of_nat (length l) * x <= total f l.
Proof.
induction l as [|a l IH]; intros H; [simpl; lia|]. cbn [length total fold_right]. fold (total f l).
assert (F := H a (or_introl eq_refl)). specialize (IH (fun b Hb => H b (or_intror Hb))). lia.
Qed.

Theorem outside (f : list Z -> Z) (x limit most : Z) P : x <= 0 -> Z.of_nat (length P) <= most ->
  (forall C, In C P -> x <= f C) -> (exists C, In C P /\ limit + 1 <= f C) ->
  (most - 1) * x + limit + 1 <= total f P.
Proof.
intros X M Each [C [I Big]]. apply in_split in I as [l1 [l2 ->]].
assert (T : total f (l1 ++ C :: l2) = total f (l1 ++ l2) + f C).
{ clear. unfold total. rewrite !fold_right_app. simpl. generalize (fold_right (fun a z => f a + z) 0 l2). intros z.
  induction l1 as [|a l1 IH]; simpl; lia. }
rewrite T. assert (L := total_least f x (l1 ++ l2)). rewrite app_length in *. cbn [length] in M.
assert (H : Z.of_nat (length l1 + length l2) * x <= total f (l1 ++ l2)).
{ apply L. intros D I. apply Each. apply in_app_or in I as [I|I]; apply in_or_app; [now left|right; now right]. }
assert (Z.of_nat (length l1 + length l2) <= most - 1) by lia. nia.
Qed.

(* ---- how often each class that was found is taken ---------------------------------------------- *)
Notation same := KeepingChecker.same_counts.
Definition is_not (C D : list Z) : bool := negb (same C D).
Fixpoint taken (cols P : list (list Z)) : list Z :=
  match cols with
  | [] => []
  | C :: cols => Z.of_nat (length (filter (same C) P)) :: taken cols (filter (is_not C) P) end.
Fixpoint weighed_by (f : list Z -> Z) (zs : list Z) (cols : list (list Z)) : Z :=
  match zs, cols with z :: zs, C :: cols => z * f C + weighed_by f zs cols | _, _ => 0 end.

Lemma same_refl x : same x x = true.
Proof. induction x as [|a x IH]; simpl; trivial. now rewrite Z.eqb_refl. Qed.

Lemma total_parts (f : list Z -> Z) C P :
  total f P = Z.of_nat (length (filter (same C) P)) * f C + total f (filter (is_not C) P).
Proof.
induction P as [|D P IH]; simpl; trivial. unfold is_not in *. destruct (same C D) eqn:Eq; cbn [negb].
- apply KeepingChecker.same_countsE in Eq as <-. unfold total in *. simpl length. cbn [fold_right]. lia.
- unfold total in *. cbn [fold_right]. lia.
Qed.

Lemma taken_total f : forall cols P, (forall C, In C P -> In C cols) -> total f P = weighed_by f (taken cols P) cols.
Proof.
induction cols as [|C cols IH]; intros P H; simpl.
- destruct P as [|C P]; [trivial|]. destruct (H C (or_introl eq_refl)).
- rewrite (total_parts f C P). f_equal. apply IH. intros D I. apply filter_In in I as [I N].
  destruct (H D I) as [->|J]; trivial. unfold is_not in N. now rewrite same_refl in N.
Qed.

Definition takes (P : list (list Z)) (z : Z) (C : list Z) : Prop :=
  0 <= z <= Z.of_nat (length (filter (same C) P)) /\ (0 < z -> In C P).

Lemma taken_takes : forall cols P, Forall2 (takes P) (taken cols P) cols.
Proof.
assert (Sub : forall P Q z C, incl Q P -> (forall D, (length (filter (same D) Q) <= length (filter (same D) P))%nat) ->
  takes Q z C -> takes P z C).
{ intros P Q z C I L [B H]. split; [specialize (L C); lia|]. intros Z0. now apply I, H. }
induction cols as [|C cols IH]; intros P; simpl; constructor.
- split; [lia|]. intros H. destruct (filter (same C) P) as [|D l] eqn:F; [simpl in H; lia|].
  assert (I : In D (filter (same C) P)) by (rewrite F; now left). apply filter_In in I as [I Eq].
  apply KeepingChecker.same_countsE in Eq. now subst.
- specialize (IH (filter (is_not C) P)). revert IH. generalize (taken cols (filter (is_not C) P)).
  intros zs F. induction F as [|z D zs cols' T F IHF]; constructor; trivial.
  revert T. apply Sub; [intros X HX; now apply filter_In in HX|].
  intros X. clear. induction P as [|Y P IHP]; simpl; [lia|]. destruct (is_not C Y); simpl; destruct (same X Y); simpl; lia.
Qed.

Lemma count_total P C i : (forall D, In D P -> 0 <= nth i D 0) ->
  Z.of_nat (length (filter (same C) P)) * nth i C 0 <= total (fun D => nth i D 0) P.
Proof.
intros H. rewrite (total_parts _ C P). enough (0 <= total (fun D => nth i D 0) (filter (is_not C) P)) by lia.
apply total_nonneg. intros D I. apply filter_In in I as [I _]. now apply H.
Qed.

Lemma total_two (P : list (list Z)) (f : list Z -> Z) A B : (forall D, In D P -> 0 <= f D) -> In A P -> In B P -> A <> B ->
  f A + f B <= total f P.
Proof.
intros Pos IA IB N. assert (One : forall Q D, (forall D, In D Q -> 0 <= f D) -> In D Q -> f D <= total f Q).
{ induction Q as [|X Q IH]; intros D H I; [easy|]. cbn [total fold_right]. fold (total f Q).
  assert (T : 0 <= total f Q) by (apply total_nonneg; intros Y HY; apply H; now right).
  assert (X0 := H X (or_introl eq_refl)). destruct I as [->|I]; [lia|]. specialize (IH D (fun Y HY => H Y (or_intror HY)) I). lia. }
revert Pos IA IB. induction P as [|X P IH]; [easy|]. intros Pos IA IB. cbn [total fold_right]. fold (total f P).
assert (Pos' : forall D, In D P -> 0 <= f D) by (intros D I; apply Pos; now right).
assert (X0 := Pos X (or_introl eq_refl)).
destruct IA as [->|IA], IB as [->|IB]; [easy| | |].
- specialize (One P B Pos' IB). lia.
- specialize (One P A Pos' IA). lia.
- specialize (IH Pos' IA IB). lia.
Qed.

Lemma bounds_nonneg : forall (m C : list Z) top, (forall i, 0 <= nth i m 0) -> 0 <= top ->
  0 <= fold_right (fun e z => if 0 <? fst e then Z.min (snd e / fst e) z else z) top (combine C m).
Proof.
clear. induction m as [|x m IH]; intros [|c C] top Pn Top; simpl; trivial.
specialize (IH C top (fun i => Pn (S i)) Top). destruct (Z.ltb_spec 0 c); [|trivial]. apply Z.min_glb; trivial.
apply Z.div_pos; [apply (Pn 0%nat)|trivial].
Qed.

(* ---- the tree -------------------------------------------------------------------------------------- *)
Inductive branches :=
| Priced_leaf (p dues : list Z) (tau : Z) (empty : bool)
| Class_branch (C : list Z) (most : Z) (a b : branches)
| Record_branch (kind : nat) (most : Z) (a b : branches)
| Pair_branch (i j : nat) (a b : branches).
Definition bounds := list (Z * Z).
Fixpoint at_place (f : Z * Z -> Z * Z) (i : nat) (l : bounds) : bounds :=
  match l, i with [], _ => [] | b :: l, O => f b :: l | b :: l, S i => b :: at_place f i l end.
Definition no_more (m : Z) (b : Z * Z) : Z * Z := (fst b, Z.min (snd b) m).
Definition no_less (m : Z) (b : Z * Z) : Z * Z := (Z.max (fst b) m, snd b).
Definition without (cond : list Z -> bool) (cols : list (list Z)) (l : bounds) : bounds :=
  map (fun e => if cond (fst e) then (fst (snd e), 0) else snd e) (combine cols l).
Definition holds_both (i j : nat) (C : list Z) : bool := (0 <? nth i C 0) && (0 <? nth j C 0).
Definition holds_one (i j : nat) (C : list Z) : bool := negb (Bool.eqb (0 <? nth i C 0) (0 <? nth j C 0)).
Definition nothing (l : bounds) : bool := existsb (fun b => snd b <? fst b) l.
Definition least_product (r : Z) (b : Z * Z) : Z := Z.min (r * fst b) (r * snd b).

Section Tree.
Variables (scale : Z) (weights : list (list Z * Z)) (beaten : Z) (cols : list (list Z)).
Hypothesis scale_nonneg : 0 <= scale.
Fixpoint place_of (C : list Z) (l : list (list Z)) : option nat :=
  match l with [] => None | D :: l => if same C D then Some 0%nat else option_map S (place_of C l) end.
Definition with_dues (dues : list Z) : list (list Z * Z * Z) := combine weights dues.
Definition prices_ok (p dues : list Z) (tau : Z) : bool :=
  Nat.eqb (length p) kinds && Nat.eqb (length dues) (length weights) && forallb (Z.leb 0) dues && (0 <=? tau).
Definition weights_ok : bool :=
  forallb (fun e => Nat.eqb (length (fst e)) kinds && forallb (Z.leb 0) (fst e) && (0 <? snd e)) weights.
Definition leaf_value (p dues : list Z) (tau : Z) (empty : bool) (cb rb : bounds) : Z :=
  let cuts := with_dues dues in
  let f := if empty then fun _ => 0 else cost in
  let s := if empty then 0 else gone in
  paid_at_least p cuts tau
  + total (fun e => least_product (less_prices scale p cuts (f (fst e)) (fst e)) (snd e)) (combine cols cb)
  + total (fun e => least_product (gone_alone scale p tau s (fst e)) (snd e)) (combine (seq 0 kinds) rb).
Fixpoint check_branches (t : branches) (cb rb : bounds) : bool :=
  match t with
  | Priced_leaf p dues tau empty =>
      prices_ok p dues tau && (nothing cb || nothing rb || ((if empty then 0 else beaten) <? leaf_value p dues tau empty cb rb))
  | Class_branch C m a b =>
      match place_of C cols with
      | None => false
      | Some i => check_branches a (at_place (no_more m) i cb) rb && check_branches b (at_place (no_less (m + 1)) i cb) rb end
  | Record_branch i m a b =>
      Nat.ltb i kinds && (0 <? most_gone) && check_branches a cb (at_place (no_more m) i rb)
      && check_branches b cb (at_place (no_less (m + 1)) i rb)
  | Pair_branch i j a b =>
      Nat.ltb i kinds && Nat.ltb j kinds && negb (Nat.eqb i j) && (nth i n 0 =? 1) && (nth j n 0 =? 1)
      && check_branches a (without (holds_both i j) cols cb) rb
      && check_branches b (without (holds_one i j) cols cb) (at_place (no_more 0) i (at_place (no_more 0) j rb))
  end.
Definition class_bound (C : list Z) : Z * Z :=
  (0, fold_right (fun e z => if 0 <? fst e then Z.min (snd e / fst e) z else z) (size n) (combine C n)).
Definition record_bound (x : Z) : Z * Z := (0, Z.min x most_gone).

Variables (P : list (list Z)) (v : list Z).
Hypotheses (parts : partitions P v) (inside_cols : forall C, In C P -> In C cols) (weights_fine : weights_ok = true).
Hypothesis cols_length : forall C, In C cols -> length C = kinds.
Definition fits (z : Z) (b : Z * Z) : Prop := fst b <= z <= snd b.

Lemma fits_at (f : Z * Z -> Z * Z) : forall i l zs, Forall2 fits zs l ->
  (forall b, fits (nth i zs 0) b -> fits (nth i zs 0) (f b)) -> Forall2 fits zs (at_place f i l).
Proof.
induction i as [|i IH]; intros l zs F H; destruct F as [|z b zs l Z0 F]; simpl; constructor; trivial; [now apply H|].
apply IH; trivial.
Qed.

Lemma proper_in C : In C P -> length C = kinds /\ (forall i, 0 <= nth i C 0) /\ 1 <= size C.
Proof.
intros I. destruct parts as [Fine _]. specialize (Fine C I). unfold proper in Fine. rewrite !andb_true_iff, Nat.eqb_eq, Z.leb_le in Fine.
destruct Fine as [[[L Pn] S] _]. split; [trivial|split; [|trivial]]. intros i. rewrite forallb_forall in Pn.
destruct (lt_dec i (length C)) as [B|B]; [now apply Z.leb_le, Pn, nth_In|]. rewrite nth_overflow; lia.
Qed.

Lemma v_nonneg i : 0 <= nth i v 0.
Proof.
destruct parts as [_ [_ [Pv _]]]. rewrite forallb_forall in Pv.
destruct (lt_dec i (length v)) as [B|B]; [now apply Z.leb_le, Pv, nth_In|]. rewrite nth_overflow; lia.
Qed.

Lemma sum_at i : (i < kinds)%nat -> total (fun C => nth i C 0) P + nth i v 0 = nth i n 0.
Proof. destruct parts as [_ [_ [_ [_ S]]]]. apply S. Qed.

Lemma fits_without (cond : list Z -> bool) : (forall C, In C P -> cond C = false) -> forall cb,
  Forall2 fits (taken cols P) cb -> Forall2 fits (taken cols P) (without cond cols cb).
Proof.
intros H cb F. assert (T := taken_takes cols P). revert cb F. unfold without.
generalize dependent (taken cols P). intros zs T. clear inside_cols cols_length. induction T as [|z C zs cs Tz T IH]; intros cb F; inversion F as [|? b ? cb' Fz F']; subst; simpl; [constructor|].
constructor; [|now apply IH]. destruct (cond C) eqn:Cd; trivial. destruct Tz as [[Z0 _] Zi].
assert (z = 0).
{ destruct (Z_lt_ge_dec 0 z) as [L|L]; [|lia]. rewrite (H C (Zi L)) in Cd. easy. }
unfold fits in *. simpl. lia.
Qed.

Lemma least_product_le r z b : fits z b -> least_product r b <= r * z.
Proof. clear. unfold fits, least_product. intros [A B]. destruct (Z_le_gt_dec 0 r); nia. Qed.

Lemma leaf_value_le p dues tau empty cb rb : prices_ok p dues tau = true ->
  Forall2 fits (taken cols P) cb -> Forall2 fits v rb \/ (rb = [] /\ most_gone <= 0) ->
  leaf_value p dues tau empty cb rb <= if empty then 0 else scale * (total cost P + gone * size v).
Proof.
unfold prices_ok. rewrite !andb_true_iff, !Nat.eqb_eq, Z.leb_le. intros [[[Lp Ld] Pd] T0] Fc Fr.
assert (Co : forall e, In e (with_dues dues) -> length (fst (fst e)) = kinds /\ forallb (Z.leb 0) (fst (fst e)) = true /\ 0 < snd (fst e) /\ 0 <= snd e).
{ intros [[w d] s] I. apply in_combine_l in I as Iw. apply in_combine_r in I as Is. cbn [fst snd].
  unfold weights_ok in weights_fine. rewrite forallb_forall in weights_fine. specialize (weights_fine _ Iw).
  rewrite !andb_true_iff, Nat.eqb_eq, Z.ltb_lt in weights_fine. cbn [fst snd] in weights_fine. rewrite forallb_forall in Pd.
  specialize (Pd s Is). apply Z.leb_le in Pd. tauto. }
unfold leaf_value. cbv zeta. set (cuts := with_dues dues) in *.
set (f := if empty then fun _ : list Z => 0 else cost). set (s := if empty then 0 else gone).
assert (H := priced_partition scale p cuts tau Co Lp T0 f s P v parts).
assert (A : total (fun e => least_product (less_prices scale p cuts (f (fst e)) (fst e)) (snd e)) (combine cols cb)
  <= total (fun C => less_prices scale p cuts (f C) C) P).
{ rewrite (taken_total (fun C => less_prices scale p cuts (f C) C) cols P inside_cols).
  assert (T := taken_takes cols P). clear - Fc T. revert cb Fc. induction T as [|z C zs cs Tz T IH]; intros cb F;
    inversion F as [|? b ? cb' Fz F']; subst; [simpl; lia|]. specialize (IH cb' F').
  unfold total in *. cbn [combine fold_right weighed_by fst snd].
  assert (L := least_product_le (less_prices scale p cuts (f C) C) z b Fz). lia. }
assert (B : total (fun e => least_product (gone_alone scale p tau s (fst e)) (snd e)) (combine (seq 0 kinds) rb)
  <= total (fun i => nth i v 0 * gone_alone scale p tau s i) (seq 0 kinds)).
{ destruct parts as [_ [Lv [Pv [Sv _]]]]. destruct Fr as [Fr|[-> M]].
  - rewrite <- Lv. clear - Fr. generalize (gone_alone scale p tau s). intros g.
    assert (G : forall k, total (fun e => least_product (g (fst e)) (snd e)) (combine (seq k (length v)) rb)
      <= total (fun i => nth (i - k) v 0 * g i) (seq k (length v))).
    { induction Fr as [|z b zs l Z0 F IH]; intros k; [simpl; lia|]. specialize (IH (S k)).
      assert (L := least_product_le (g k) z b Z0). cbn [length seq combine]. rewrite !total_cons. cbn [fst snd].
      replace (nth (k - k) (z :: zs) 0) with z by now rewrite Nat.sub_diag.
      rewrite (total_eq (fun i => nth (i - k) (z :: zs) 0 * g i) (fun i => nth (i - S k) zs 0 * g i) (seq (S k) (length zs))); [lia|].
      intros i I. apply in_seq in I. now replace (i - k)%nat with (S (i - S k)) by lia. }
    specialize (G 0%nat). rewrite (total_eq (fun i => nth (i - 0) v 0 * g i) (fun i => nth i v 0 * g i)) in G; trivial.
    intros i _. now rewrite Nat.sub_0_r.
  - assert (Zero : forall i, nth i v 0 = 0).
    { intros i. assert (Vi := v_nonneg i). destruct (lt_dec i (length v)) as [I|I]; [|apply nth_overflow; lia].
      assert (Le : nth i v 0 <= size v); [|lia]. clear - Pv I. unfold size. revert i I.
      induction v as [|x l IH]; intros [|i] I; simpl in *; try lia; apply andb_true_iff in Pv as [X Pl]; apply Z.leb_le in X.
      - assert (0 <= fold_right Z.add 0 l) by (clear - Pl; induction l as [|a l IH]; simpl in *; [lia|]; apply andb_true_iff in Pl as [A P']; apply Z.leb_le in A; specialize (IH P'); lia). lia.
      - specialize (IH Pl i ltac:(lia)). lia. }
    rewrite (total_eq (fun i => nth i v 0 * _) (fun _ => 0)) by (intros i _; now rewrite Zero).
    rewrite total_zero. destruct (seq 0 kinds); simpl; lia. }
unfold f, s in *. destruct empty; [|lia].
assert (Z1 : total (fun _ : list Z => 0) P = 0) by apply total_zero. rewrite Z1 in H. lia.
Qed.

Theorem tree_bounds : forall t cb rb, check_branches t cb rb = true ->
  Forall2 fits (taken cols P) cb -> Forall2 fits v rb \/ (rb = [] /\ most_gone <= 0) ->
  beaten < scale * (total cost P + gone * size v).
Proof.
assert (No : forall zs l, Forall2 fits zs l -> nothing l = false).
{ intros zs l F. unfold nothing. induction F as [|z b zs l [A B] F IH]; trivial. cbn [existsb]. rewrite IH.
  destruct (Z.ltb_spec (snd b) (fst b)); [lia|easy]. }
induction t as [p dues tau empty|C m a IHa b IHb|i m a IHa b IHb|i j a IHa b IHb]; intros cb rb H Fc Fr; cbn [check_branches] in H.
- apply andb_true_iff in H as [Ok H]. assert (L := leaf_value_le p dues tau empty cb rb Ok Fc Fr).
  rewrite (No _ _ Fc) in H. assert (Nr : nothing rb = false) by (destruct Fr as [Fr|[-> _]]; [now apply (No v)|easy]).
  rewrite Nr in H. cbn [orb] in H. apply Z.ltb_lt in H. destruct empty; lia.
- destruct (place_of C cols) as [i|]; [|discriminate]. rewrite !andb_true_iff in H. destruct H as [Ha Hb].
  destruct (Z_le_gt_dec (nth i (taken cols P) 0) m) as [L|L]; [apply (IHa _ _ Ha)|apply (IHb _ _ Hb)]; trivial;
    apply fits_at; trivial; unfold fits, no_more, no_less; simpl; lia.
- rewrite !andb_true_iff, Z.ltb_lt in H. destruct H as [[[_ M] Ha] Hb]. destruct Fr as [Fr|[_ Le]]; [|lia].
  destruct (Z_le_gt_dec (nth i v 0) m) as [L|L]; [apply (IHa _ _ Ha)|apply (IHb _ _ Hb)]; trivial; left;
    apply fits_at; trivial; unfold fits, no_more, no_less; simpl; lia.
- rewrite !andb_true_iff, !Nat.ltb_lt, negb_true_iff, Nat.eqb_neq, !Z.eqb_eq in H.
  destruct H as [[[[[[I J] N] Ni] Nj] Ha] Hb].
  destruct (existsb (holds_both i j) P) eqn:X.
  + apply existsb_exists in X as [C [IC HC]]. unfold holds_both in HC. rewrite andb_true_iff, !Z.ltb_lt in HC. destruct HC as [Ci Cj].
    assert (Alone : forall k, (k < kinds)%nat -> nth k n 0 = 1 -> 0 < nth k C 0 ->
      nth k v 0 = 0 /\ forall D, In D P -> 0 < nth k D 0 -> D = C).
    { intros k K Nk Ck. assert (S1 := sum_at k K). rewrite Nk in S1. assert (Vk := v_nonneg k).
      assert (Pos : forall D, In D P -> 0 <= nth k D 0) by (intros D HD; now apply proper_in).
      split.
      - assert (O := count_total P C k Pos). assert (1 <= Z.of_nat (length (filter (same C) P))).
        { destruct (filter (same C) P) eqn:F; [|simpl; lia]. exfalso.
          assert (In C (filter (same C) P)) by (apply filter_In; split; [trivial|apply same_refl]). now rewrite F in H. }
        nia.
      - intros D HD Dk. destruct (list_eq_dec Z.eq_dec D C) as [|Ne]; trivial. exfalso.
        assert (T := total_two P (fun D => nth k D 0) D C Pos HD IC Ne). simpl in T. lia. }
    destruct (Alone i I Ni Ci) as [Vi Di]. destruct (Alone j J Nj Cj) as [Vj Dj].
    apply (IHb _ _ Hb).
    * apply fits_without; trivial. intros D HD. unfold holds_one. apply negb_false_iff.
      destruct (Z.ltb_spec 0 (nth i D 0)) as [A|A], (Z.ltb_spec 0 (nth j D 0)) as [B|B]; trivial.
      -- rewrite (Di D HD A) in B. lia.
      -- rewrite (Dj D HD B) in A. lia.
    * destruct Fr as [Fr|[-> M]]; [left|right; split; [now destruct i, j|trivial]].
      apply fits_at; [apply fits_at; trivial|]; unfold fits, no_more; simpl; lia.
  + apply (IHa _ _ Ha); trivial. apply fits_without; trivial. intros D HD.
    destruct (holds_both i j D) eqn:B; trivial. rewrite <- not_true_iff_false in X. exfalso. apply X.
    apply existsb_exists. exists D. now split.
Qed.

Lemma first_class_bounds : Forall2 fits (taken cols P) (map class_bound cols).
Proof.
assert (T := taken_takes cols P). revert T. assert (Cl := cols_length). clear inside_cols cols_length. generalize (taken cols P). revert Cl.
induction cols as [|C cs IH]; intros Cl zs T; inversion T as [|z ? zs' ? Tz T']; subst; simpl; constructor.
- destruct Tz as [[Z0 Zm] Zi]. unfold fits, class_bound. cbn [fst snd]. split; [trivial|].
  destruct (Z_lt_ge_dec 0 z) as [L|L].
  + assert (IC := Zi L). destruct (proper_in C IC) as [LC [PC _]].
    assert (Each : forall i, (i < kinds)%nat -> z * nth i C 0 <= nth i n 0).
    { intros i I. assert (H := count_total P C i (fun D HD => proj1 (proj2 (proper_in D HD)) i)).
      assert (S1 := sum_at i I). assert (Vi := v_nonneg i). specialize (PC i). nia. }
    assert (Sz : z <= size n).
    { assert (Len : Z.of_nat (length (filter (same C) P)) <= Z.of_nat (length P)).
      { apply inj_le. clear. induction P as [|D Q IH]; simpl; [lia|]. destruct (same C D); simpl; lia. }
      assert (Ones : Z.of_nat (length P) * 1 <= total size P) by (apply total_least; intros D HD; now apply proper_in).
      assert (Tot := total_sizes P v parts).
      lia. }
    clear - Each Sz LC. assert (G : forall C m, length C = length m -> (forall i, (i < length m)%nat -> z * nth i C 0 <= nth i m 0) ->
      forall top, z <= top -> z <= fold_right (fun e x => if 0 <? fst e then Z.min (snd e / fst e) x else x) top (combine C m)).
    { clear. induction C as [|c C IH]; intros [|x m] L H top T; simpl in *; try easy.
      specialize (IH m ltac:(lia) (fun i I => H (S i) ltac:(lia)) top T). assert (H0 := H 0%nat ltac:(lia)). simpl in H0.
      destruct (Z.ltb_spec 0 c); [|trivial]. apply Z.min_glb; trivial. apply Z.div_le_lower_bound; lia. }
    now apply G.
  + assert (z = 0) by lia. subst z. apply bounds_nonneg.
    * intros i. destruct (lt_dec i kinds) as [B|B]; [|rewrite nth_overflow; lia]. assert (S1 := sum_at i B). assert (Vi := v_nonneg i).
      assert (0 <= total (fun C => nth i C 0) P) by (apply total_nonneg; intros D HD; now apply proper_in). lia.
    * assert (H := total_sizes P v parts). assert (0 <= total size P); [|lia]. apply total_nonneg. intros D HD.
      destruct (proper_in D HD) as [_ [_ S1]]. lia.
- apply IH; trivial. intros D HD. apply Cl. now right.
Qed.

Lemma first_record_bounds : Forall2 fits v (map record_bound n).
Proof.
destruct parts as [_ [Lv [Pv [Sv _]]]].
assert (Le : forall i, nth i v 0 <= nth i n 0 /\ nth i v 0 <= size v).
{ intros i. split.
  - destruct (lt_dec i kinds) as [B|B]; [|rewrite !nth_overflow; lia]. assert (S1 := sum_at i B).
    assert (0 <= total (fun C => nth i C 0) P) by (apply total_nonneg; intros D HD; now apply proper_in). lia.
  - clear - Pv. revert i. unfold size. induction v as [|x l IH]; intros [|i]; simpl in *; try lia; apply andb_true_iff in Pv as [X Pl]; apply Z.leb_le in X.
    + assert (0 <= fold_right Z.add 0 l) by (clear - Pl; induction l as [|a l IH]; simpl in *; [lia|]; apply andb_true_iff in Pl as [A P']; apply Z.leb_le in A; specialize (IH P'); lia). lia.
    + specialize (IH Pl i). lia. }
assert (Nn := v_nonneg). generalize dependent (size v). intros s Sv Le. clear - Lv Nn Le Sv.
revert Lv Nn Le. generalize n. induction v as [|x l IH]; intros [|y m] Lv Nn Le; simpl in *; try easy; constructor.
- unfold fits, record_bound. cbn [fst snd]. assert (H := Le 0%nat). assert (H' := Nn 0%nat). simpl in H, H'. lia.
- apply IH; [lia| |]; intros i; [apply (Nn (S i))|apply (Le (S i))].
Qed.
End Tree.
End Partitions.
