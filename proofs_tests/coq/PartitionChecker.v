(* An executable checker of partitions of least loss, proved sound.  It is meant for
   extraction.

   The kinds are those of the table.  All classes of small reduced cost are looked for
   (ClassSearch.v); what partitions of them cost, or with any other class, is bounded by
   prices, in a tree of cases (Partitions.v).

   Places in the checkers: certificates of partitions; t-closeness paper, section 6 (which
   releases lose least)
     beats_sound               if it accepts, every partition costs more
     check_partition_sound     if it accepts, the classes are a partition that satisfies and
                               loses the value, and none loses less than the bound
     check_no_partition_sound  or there is none

   The idea in three lines:
   - where sizes alone are asked, classes of fewer than 2k records suffice;
   - a partition has at most one class for each k records;
   - if it has a class that was not found, the limit decides, and else the tree. *)
From Coq Require Import ZArith List Bool Lia Arith.
From Tcloseness Require Import Counts Conditions LatticeChecker EvenCounts Keeping CutChecker ClassSearch.
From Tcloseness Require Import GeneralizationChecker Partitions.
From Tcloseness Require KeepingChecker.
Import ListNotations.
Local Open Scope Z_scope.

(* ---- the model and the table ------------------------------------------------------------------- *)
(* a kind: the values of its records, and the sensitive one, if that is asked of *)
Definition kind := (codes * option nat)%type.
Inductive class_loss := CellLoss (k : cell_kind) | SquaredSizes | FewestClasses.

Section Judge.
Variables (t : rows) (cs : list condition) (kinds : list kind).
Variables (loss : class_loss) (attributes : list attribute) (unit : Z) (most_gone : Z).

Definition q : counts := sum t.
Definition sizes_only : bool := forallb KeepingChecker.of_records cs.
Definition kind_records (e : kind) : Z :=
  fold_right (fun r z => (if eqb (fst r) (fst e) then match snd e with Some v => nth v (snd r) 0 | None => size (snd r) end else 0) + z) 0 t.
Definition records_of_kinds : list Z := map kind_records kinds.
Definition tallied (C : list Z) : counts :=
  fold_right (fun e z => added (match snd (fst e) with Some v => v | None => 0%nat end) (snd e) z) (repeat 0 (length q)) (combine kinds C).
Definition class_ok (C : list Z) : bool := satisfies_all q cs (tallied C).
Fixpoint no_kind_twice (l : list kind) : bool :=
  match l with
  | [] => true
  | e :: l => negb (existsb (fun f => eqb (fst f) (fst e) && match snd f, snd e with
                | Some v, Some w => Nat.eqb v w | None, None => true | _, _ => false end) l) && no_kind_twice l end.
(* the kinds are those of the table, each once, with a sensitive value unless sizes alone are asked *)
Definition kinds_ok : bool :=
  no_kind_twice kinds && (size records_of_kinds =? size q) && nonneg records_of_kinds
  && forallb (fun e => match snd e with Some v => negb sizes_only && Nat.ltb v (length q) | None => sizes_only end) kinds
  && Nat.leb 1 (length q).

Definition label_penalty (ms : list nat) : Z :=
  match loss with CellLoss k => total (fun a => penalty k unit a ms) attributes | _ => 0 end.
Definition size_cost (s : Z) : Z :=
  match loss with CellLoss _ => 0 | SquaredSizes => unit * (s * s) | FewestClasses => - unit end.
Definition gone_cost : Z :=
  match loss with
  | CellLoss k => total (gone_label k unit) attributes
  | SquaredSizes => unit * size q
  | FewestClasses => 0 end.
Definition losses_ok : bool :=
  (0 <? unit) && (0 <=? most_gone) &&
  match loss with
  | CellLoss k =>
      forallb (label_ok k (length kinds)) attributes && forallb (whole_label k unit (length kinds)) attributes
  | SquaredSizes => true
  | FewestClasses => most_gone =? 0 end.
Definition smallest_size : Z := fold_right (fun c z => match c with Records k => Z.max k z | _ => z end) 1 cs.
Definition largest_size : Z := if sizes_only then 2 * smallest_size - 1 else size q.

Definition all_found (scale : Z) (p dues : list Z) (weights : list (list Z * Z)) (limit fuel : Z) : option (list (list Z)) :=
  match visit records_of_kinds p (combine weights dues) label_penalty size_cost scale limit smallest_size largest_size
          (seq 0 (length kinds)) [] fuel with
  | None => None
  | Some (_, found) => Some (filter class_ok found) end.

(* no partition costs `beaten` / scale or less; none if the search takes more than `fuel` steps *)
Definition beats (scale : Z) (weights : list (list Z * Z)) (p dues : list Z) (tau limit : Z) (tree : option branches)
    (beaten fuel : Z) : option bool :=
  let n := records_of_kinds in
  let cuts := combine weights dues in
  match all_found scale p dues weights limit fuel with
  | None => None
  | Some found =>
      let least := least_reduced (map (reduced p cuts label_penalty size_cost scale) found) in
      let base := paid_at_least n most_gone p cuts tau
        + total (fun i => Z.min 0 (gone_alone scale p tau gone_cost i) * Z.min (nth i n 0) most_gone) (seq 0 (length n)) in
      let many := size n / smallest_size in
      Some ((0 <=? scale) && (-1 <=? limit) && weights_ok n weights && prices_ok n weights p dues tau &&
        match tree with
        | None => beaten <? base + many * least
        | Some tree =>
            (beaten <? base + (many - 1) * least + limit + 1)
            && check_branches n label_penalty size_cost gone_cost most_gone scale weights beaten found tree
                 (map (class_bound n) found) (if 0 <? most_gone then map (record_bound most_gone) n else [])
        end)
  end.

Definition all_partitions := partitions records_of_kinds most_gone class_ok.
Definition all_cost := partition_cost label_penalty size_cost gone_cost.

Hypotheses (whole_kinds : kinds_ok = true) (whole_losses : losses_ok = true).

Lemma n_length : length records_of_kinds = length kinds.
Proof. apply map_length. Qed.

Lemma penalty_mono ms ls : ms <> [] -> incl ms ls -> (forall i, In i ls -> (i < length records_of_kinds)%nat) ->
  label_penalty ms <= label_penalty ls.
Proof.
intros N I B. rewrite n_length in B. unfold label_penalty. unfold losses_ok in whole_losses.
rewrite !andb_true_iff, Z.ltb_lt in whole_losses. destruct whole_losses as [[U _] W].
destruct loss as [k| |]; try lia. apply andb_true_iff in W as [W _]. rewrite forallb_forall in W.
apply total_le. intros a Ha. apply (penalty_grows k unit (length kinds)); trivial; [lia|now apply W].
Qed.

Lemma sizes_superadditive a b : 1 <= a -> 1 <= b -> size_cost a + size_cost b <= size_cost (a + b).
Proof.
intros A B. unfold size_cost. unfold losses_ok in whole_losses. rewrite !andb_true_iff, Z.ltb_lt in whole_losses.
destruct whole_losses as [[U _] _]. destruct loss; nia.
Qed.

Lemma size_added v z : forall x : counts, (v < length x)%nat -> size (added v z x) = size x + z.
Proof.
intros x. revert v. induction x as [|a x IH]; intros v L; simpl in L; [lia|]. destruct v as [|v]; unfold size in *; simpl; [lia|].
rewrite IH; lia.
Qed.

Lemma added_length v z : forall x : counts, length (added v z x) = length x.
Proof. intros x. revert v. induction x as [|a x IH]; intros [|v]; simpl; trivial. now rewrite IH. Qed.

Lemma size_tallied C : length C = length kinds -> size (tallied C) = size C.
Proof.
assert (W := whole_kinds). unfold kinds_ok in W. rewrite !andb_true_iff in W. destruct W as [[_ V] M].
rewrite forallb_forall in V. apply Nat.leb_le in M. unfold tallied.
assert (G : forall (l : list kind) (C : list Z), (forall e, In e l -> match snd e with Some v => negb sizes_only && Nat.ltb v (length q) | None => sizes_only end = true) ->
  length C = length l ->
  let x := fold_right (fun (e : kind * Z) z => added (match snd (fst e) with Some v => v | None => 0%nat end) (snd e) z)
    (repeat 0 (length q)) (combine l C) in length x = length q /\ size x = size C).
{ induction l as [|e l IH]; intros [|c D] Va L; simpl in *; try easy.
  - rewrite repeat_length. split; trivial. clear. unfold size. induction (length q) as [|m IH]; simpl; trivial.
  - destruct (IH D) as [A B]; [intros f Hf; apply Va; now right|lia|]. rewrite added_length. split; trivial.
    rewrite size_added, B; [unfold size; simpl; lia|]. rewrite A. specialize (Va e (or_introl eq_refl)).
    destruct (snd e) as [v|]; [apply andb_true_iff in Va as [_ Va]; now apply Nat.ltb_lt|lia]. }
intros L. now apply (G kinds C).
Qed.

Lemma smallest_pos : 1 <= smallest_size.
Proof. unfold smallest_size. clear. induction cs as [|c l IH]; simpl; [lia|]. destruct c; lia. Qed.

Lemma smallest_le C : length C = length kinds -> 1 <= size C -> class_ok C = true -> smallest_size <= size C.
Proof.
intros L S O. unfold class_ok, satisfies_all in O. rewrite <- (size_tallied C L) in *. revert O S. unfold smallest_size. clear.
generalize (tallied C). intros x. induction cs as [|c l IH]; simpl; [lia|]. rewrite andb_true_iff. intros [A B] S. specialize (IH B S).
destruct c; trivial. simpl in A. apply Z.leb_le in A. lia.
Qed.

Lemma sizes_decide C : sizes_only = true -> length C = length kinds -> 1 <= size C -> class_ok C = (smallest_size <=? size C).
Proof.
intros O L S. unfold class_ok, satisfies_all. rewrite <- (size_tallied C L) in *. revert O S. unfold sizes_only, smallest_size. clear.
generalize (tallied C). intros x O S. apply eq_iff_eq_true. induction cs as [|c l IH]; simpl in *.
- rewrite Z.leb_le. split; [lia|trivial].
- apply andb_true_iff in O as [A O]. destruct c; try easy. specialize (IH O). rewrite andb_true_iff, IH. simpl. rewrite !Z.leb_le. lia.
Qed.

Theorem beats_sound scale weights p dues tau limit tree beaten fuel :
  beats scale weights p dues tau limit tree beaten fuel = Some true ->
  forall P v, all_partitions P v -> beaten < scale * all_cost P v.
Proof.
unfold beats. destruct (all_found scale p dues weights limit fuel) as [found|] eqn:F; [|discriminate]. cbv zeta.
intros H P0 v Parts0. injection H as H. rewrite !andb_true_iff, !Z.leb_le in H. destruct H as [[[[S0 L0] Wo] Po] H].
set (n := records_of_kinds) in *. set (cuts := combine weights dues) in *.
set (cost := class_cost label_penalty size_cost) in *.
assert (Ln : length n = length kinds) by apply n_length.
assert (K1 := smallest_pos).
assert (Fine := whole_losses). unfold losses_ok in Fine. rewrite !andb_true_iff, Z.ltb_lt, Z.leb_le in Fine. destruct Fine as [[U Mg] _].
assert (Nq : size n = size q).
{ unfold kinds_ok in whole_kinds. rewrite !andb_true_iff, Z.eqb_eq in whole_kinds. tauto. }
(* classes of small sizes alone, if sizes alone are asked *)
assert (Re : exists P, all_partitions P v /\ (forall C, In C P -> smallest_size <= size C <= largest_size)
  /\ total cost P <= total cost P0).
{ unfold all_partitions in *. fold n in Parts0 |- *. unfold largest_size. destruct sizes_only eqn:So.
  - destruct (refined n label_penalty size_cost most_gone class_ok smallest_size penalty_mono sizes_superadditive P0 v K1) as [Q HQ];
      [|exact Parts0|exists Q; exact HQ].
    intros C LC SC. apply sizes_decide; trivial. congruence.
  - exists P0. split; [exact Parts0|]. split; [|lia]. intros C I.
    assert (Tot := total_sizes n most_gone class_ok P0 v Parts0). destruct Parts0 as [Pr _].
    assert (Size : forall D, In D P0 -> 0 <= size D /\ length D = length n /\ class_ok D = true /\ 1 <= size D).
    { intros D HD. specialize (Pr D HD). unfold proper in Pr. rewrite !andb_true_iff, Nat.eqb_eq, Z.leb_le in Pr.
      destruct Pr as [[[LD _] SD] OD]. repeat split; trivial; lia. }
    destruct (Size C I) as [_ [LC [OC SC]]]. split; [apply smallest_le; trivial; congruence|].
    apply in_split in I as [l1 [l2 ->]]. rewrite <- Nq. apply Z.le_trans with (2 := Tot). unfold total. rewrite fold_right_app. simpl.
    assert (B : 0 <= fold_right (fun a z => size a + z) 0 l2) by (apply (total_nonneg size); intros D HD; apply Size, in_or_app; right; now right).
    assert (G : forall z, 0 <= z -> size C <= fold_right (fun a z => size a + z) (size C + z) l1).
    { intros z Z0. assert (A : forall D, In D l1 -> 0 <= size D) by (intros D HD; apply Size, in_or_app; now left).
      clear - A Z0. induction l1 as [|D l IH]; simpl; [lia|]. assert (D0 := A D (or_introl eq_refl)).
      specialize (IH (fun X HX => A X (or_intror HX))). lia. }
    exact (G _ B). }
destruct Re as [P [Parts [Sizes Cheaper]]].
apply Z.lt_le_trans with (scale * (total cost P + gone_cost * size v)).
2:{ unfold all_cost, partition_cost. fold cost. apply Z.mul_le_mono_nonneg_l; trivial. lia. }
assert (Co : forall e, In e cuts -> length (fst (fst e)) = length n /\ forallb (Z.leb 0) (fst (fst e)) = true /\ 0 < snd (fst e) /\ 0 <= snd e).
{ unfold prices_ok in Po. rewrite !andb_true_iff in Po. destruct Po as [[_ Pd] _].
  intros [[w d] s] I. apply in_combine_l in I as Iw. apply in_combine_r in I as Is. cbn [fst snd].
  unfold weights_ok in Wo. rewrite forallb_forall in Wo, Pd. specialize (Wo _ Iw). specialize (Pd s Is).
  rewrite !andb_true_iff, Nat.eqb_eq, Z.ltb_lt in Wo. cbn [fst snd] in Wo. apply Z.leb_le in Pd. tauto. }
assert (Po' := Po). unfold prices_ok in Po'. rewrite !andb_true_iff, !Nat.eqb_eq, Z.leb_le in Po'. destruct Po' as [[[Lp _] _] T0].
assert (Priced := priced_partition n most_gone class_ok scale p cuts tau Co Lp T0 cost gone_cost P v Parts).
set (red := reduced p cuts label_penalty size_cost scale) in *.
assert (Red : forall C, less_prices scale p cuts (cost C) C = red C) by (intros C; reflexivity).
rewrite (total_eq (fun C => less_prices scale p cuts (cost C) C) red) in Priced by (intros C _; apply Red).
unfold all_partitions in Parts. fold n in Parts. assert (Parts' := Parts). destruct Parts as [Pr [Lv [Pv [Sv Sum]]]].
assert (InP : forall C, In C P -> length C = length n /\ forallb (Z.leb 0) C = true /\ class_ok C = true).
{ intros C I. specialize (Pr C I). unfold proper in Pr. rewrite !andb_true_iff, Nat.eqb_eq in Pr. tauto. }
(* what is suppressed *)
assert (Gone : total (fun i => Z.min 0 (gone_alone scale p tau gone_cost i) * Z.min (nth i n 0) most_gone) (seq 0 (length n))
  <= total (fun i => nth i v 0 * gone_alone scale p tau gone_cost i) (seq 0 (length n))).
{ apply total_le. intros i I. apply in_seq in I. assert (Vi := nth_nonneg v i Pv).
  assert (Vn : nth i v 0 <= nth i n 0).
  { rewrite <- (Sum i) by lia. assert (0 <= total (fun C => nth i C 0) P); [|lia].
    apply total_nonneg. intros C IC. apply nth_nonneg. now apply InP. }
  assert (Vm : nth i v 0 <= most_gone).
  { apply Z.le_trans with (2 := Sv). clear - Pv. revert i. unfold size.
    induction v as [|x l IH]; intros [|i]; simpl in *; try lia; apply andb_true_iff in Pv as [X Pl]; apply Z.leb_le in X.
    - assert (N := size_nonneg l Pl). unfold size in N. lia.
    - specialize (IH Pl i). lia. }
  set (g := gone_alone scale p tau gone_cost i) in *. destruct (Z_le_gt_dec 0 g) as [G|G].
  - rewrite Z.min_l by lia. apply Z.mul_nonneg_nonneg; lia.
  - rewrite Z.min_r by lia. rewrite (Z.mul_comm (nth i v 0)). apply Z.mul_le_mono_nonpos_l; lia. }
(* what was found *)
assert (Found : forall C, In C P -> red C <= limit -> In C found).
{ intros C IC Low. destruct (InP C IC) as [LC [PC OC]]. unfold all_found in F. fold n cuts in F.
  destruct (visit n p cuts label_penalty size_cost scale limit smallest_size largest_size (seq 0 (length kinds)) [] fuel) as [[left all]|] eqn:V; [|discriminate].
  injection F as <-. apply filter_In. split; [|trivial].
  apply (visit_complete n p cuts label_penalty size_cost scale limit smallest_size largest_size penalty_mono S0
    (fun e I => proj2 (Co e I)) _ _ _ _ _ V C).
  - simpl. now rewrite LC, Ln.
  - trivial.
  - intros i I. simpl. split; [now apply nth_nonneg|]. rewrite <- (Sum i) by congruence.
    assert (Vi := nth_nonneg v i Pv). apply in_split in IC as [l1 [l2 E]]. rewrite E. unfold total. rewrite fold_right_app. simpl.
    assert (Each : forall D, In D P -> 0 <= nth i D 0) by (intros D HD; apply nth_nonneg; now apply InP).
    rewrite E in Each.
    assert (B : 0 <= fold_right (fun a z => nth i a 0 + z) 0 l2) by (apply (total_nonneg (fun a => nth i a 0)); intros D HD; apply Each, in_or_app; right; now right).
    assert (G : nth i C 0 <= fold_right (fun a z => nth i a 0 + z) (nth i C 0 + fold_right (fun a z => nth i a 0 + z) 0 l2) l1).
    { assert (A : forall D, In D l1 -> 0 <= nth i D 0) by (intros D HD; apply Each, in_or_app; now left).
      clear - A B. induction l1 as [|D l IH]; simpl; [lia|]. assert (D0 := A D (or_introl eq_refl)).
      specialize (IH (fun X HX => A X (or_intror HX))). lia. }
    lia.
  - simpl. congruence.
  - simpl. now apply Sizes.
  - exact Low. }
assert (Least : least_reduced (map red found) <= 0 /\ forall C, In C P -> least_reduced (map red found) <= red C).
{ destruct (least_reduced_le 0 (map red found)) as [L1 _]. split; trivial. intros C IC.
  destruct (Z_le_gt_dec (red C) limit) as [Low|High]; [|lia].
  apply (proj2 (least_reduced_le (red C) (map red found))). apply in_map. now apply Found. }
destruct Least as [Neg Least]. set (least := least_reduced (map red found)) in *.
assert (Many : Z.of_nat (length P) <= size n / smallest_size).
{ apply Z.div_le_lower_bound; [lia|]. assert (T := total_sizes n most_gone class_ok P v (conj Pr (conj Lv (conj Pv (conj Sv Sum))))).
  assert (G := total_least size smallest_size P (fun C IC => proj1 (Sizes C IC))).
  rewrite Z.mul_comm. exact (Z.le_trans _ _ _ G T). }
destruct tree as [tree|].
- apply andb_true_iff in H as [Limit Tree]. apply Z.ltb_lt in Limit.
  destruct (forallb (fun C => red C <=? limit) P) eqn:All.
  + rewrite forallb_forall in All.
    assert (Cols : forall C, In C P -> In C found) by (intros C IC; apply Found; trivial; apply Z.leb_le; now apply All).
    assert (LenF : forall C, In C found -> length C = length n).
    { intros C IC. unfold all_found in F. fold n cuts in F.
      destruct (visit n p cuts label_penalty size_cost scale limit smallest_size largest_size (seq 0 (length kinds)) [] fuel) as [[left all]|] eqn:V; [|discriminate].
      injection F as <-. apply filter_In in IC as [IC _].
      rewrite (visit_length n p cuts label_penalty size_cost scale limit smallest_size largest_size _ _ _ _ _ V C IC).
      now rewrite seq_length. }
    apply (tree_bounds n label_penalty size_cost gone_cost most_gone class_ok scale weights beaten found P v Parts' Cols Wo tree _ _ Tree).
    * now apply (first_class_bounds n most_gone class_ok weights found P v Parts' Wo).
    * destruct (Z.ltb_spec 0 most_gone) as [G|G]; [left|right; split; [trivial|lia]].
      now apply (first_record_bounds n most_gone class_ok weights P v Parts' Wo).
  + apply not_true_iff_false in All. rewrite forallb_forall in All.
    destruct (existsb (fun C => negb (red C <=? limit)) P) eqn:X.
    * apply existsb_exists in X as [C [IC XC]]. apply negb_true_iff, Z.leb_gt in XC.
      assert (Big : limit + 1 <= red C) by (clear - XC; lia).
      assert (O := outside red least limit (size n / smallest_size) P Neg Many Least (ex_intro _ C (conj IC Big))).
      clear - O Limit Priced Gone. lia.
    * exfalso. apply All. intros C IC. destruct (red C <=? limit) eqn:Q; trivial.
      rewrite <- not_true_iff_false in X. exfalso. apply X, existsb_exists. exists C. now rewrite Q.
- apply Z.ltb_lt in H. assert (G := total_least red least P Least).
  assert (size n / smallest_size * least <= Z.of_nat (length P) * least) by (apply Z.mul_le_mono_nonpos_r; lia). lia.
Qed.

(* what a partition is stated to be: classes that satisfy, and the records that are in none *)
Definition left_out (P : list (list Z)) : list Z := fold_left (fun v C => minus v C) P records_of_kinds.
Definition parted_ok (P : list (list Z)) : bool :=
  let n := records_of_kinds in
  let v := left_out P in
  forallb (proper n class_ok) P && Nat.eqb (length v) (length n) && forallb (Z.leb 0) v && (size v <=? most_gone)
  && forallb (fun i => total (fun C => nth i C 0) P + nth i v 0 =? nth i n 0) (seq 0 (length n)).
Definition exact_label (C : list Z) (a : attribute) : bool :=
  match loss with
  | CellLoss k => over_label k a * penalty k unit a (members 0 C) =? unit * raw_label k a (members 0 C)
  | _ => true end.

Lemma parted_sound P : parted_ok P = true -> all_partitions P (left_out P).
Proof.
unfold parted_ok, all_partitions, partitions. cbv zeta. rewrite !andb_true_iff, Nat.eqb_eq, Z.leb_le, !forallb_forall.
intros [[[[A B] C] D] S]. repeat split; trivial. intros i I. apply Z.eqb_eq, S, in_seq. lia.
Qed.

(* a penalty is rounded down, so costs are no more than the losses that they stand for *)
Lemma penalty_le k a ms : over_label k a * penalty k unit a ms <= unit * raw_label k a ms.
Proof. unfold penalty. apply Z.mul_div_le. unfold over_label. lia. Qed.

(* all suppressed, and no class, costs no less than any partition *)
Lemma costs_at_most P v : all_partitions P v ->
  label_penalty (seq 0 (length kinds)) <= gone_cost -> all_cost P v <= gone_cost * size records_of_kinds.
Proof.
intros Parts Top. set (n := records_of_kinds) in *. assert (Ln : length n = length kinds) by apply n_length.
assert (Tot := total_sizes n most_gone class_ok P v Parts). unfold all_partitions in Parts. fold n in Parts. destruct Parts as [Pr [Lv [Pv [Sv Sum]]]].
assert (Fine := whole_losses). unfold losses_ok in Fine. rewrite !andb_true_iff, Z.ltb_lt, Z.leb_le in Fine. destruct Fine as [[U Mg] Fine].
assert (Nq : size n = size q) by (unfold kinds_ok in whole_kinds; rewrite !andb_true_iff, Z.eqb_eq in whole_kinds; tauto).
assert (All : total size P + size v = size n).
{ rewrite (total_eq size (fun D => total (fun i => nth i D 0) (seq 0 (length n)))).
  - rewrite total_swap, (size_nth n), (size_nth v), Lv, <- total_plus. apply total_eq. intros i I. apply in_seq in I. apply Sum. lia.
  - intros D HD. specialize (Pr D HD). unfold proper in Pr. rewrite !andb_true_iff, Nat.eqb_eq in Pr. destruct Pr as [[[<- _] _] _]. apply size_nth. }
unfold all_cost, partition_cost.
assert (Each : total (class_cost label_penalty size_cost) P <= total (fun C => gone_cost * size C) P).
{ apply total_le. intros C IC. assert (Small : size C <= size n).
  { assert (Pos : forall D, In D P -> 0 <= size D).
    { intros D HD. specialize (Pr D HD). unfold proper in Pr. rewrite !andb_true_iff, Z.leb_le in Pr. destruct Pr as [[_ S] _]. lia. }
    apply Z.le_trans with (2 := Tot). clear - IC Pos. induction P as [|D Q IH]; [easy|]. rewrite total_cons.
    assert (0 <= total size Q) by (apply total_nonneg; intros X HX; apply Pos; now right). assert (D0 := Pos D (or_introl eq_refl)).
    destruct IC as [->|IC]; [lia|]. specialize (IH IC (fun X HX => Pos X (or_intror HX))). lia. }
  specialize (Pr C IC). unfold proper in Pr. rewrite !andb_true_iff, Nat.eqb_eq, Z.leb_le in Pr. destruct Pr as [[[LC PC] S] _].
  assert (Grow : label_penalty (members 0 C) <= label_penalty (seq 0 (length kinds))).
  { apply penalty_mono.
    - now apply (members_some C).
    - intros i I. apply in_members in I as [B _]. apply in_seq. lia.
    - intros i I. apply in_seq in I. rewrite n_length. lia. }
  unfold class_cost. assert (T : size C * label_penalty (members 0 C) <= size C * gone_cost) by (apply Z.mul_le_mono_nonneg_l; lia).
  unfold size_cost in *. unfold gone_cost in *. unfold label_penalty in *. destruct loss as [k| |]; [lia| |lia].
  assert (Sq : size C * size C <= size q * size C) by (apply Z.mul_le_mono_nonneg_r; lia).
  apply Z.mul_le_mono_nonneg_l with (p := unit) in Sq; lia. }
rewrite (total_times gone_cost size P) in Each. rewrite <- All. unfold counts in *. lia.
Qed.
End Judge.

(* the classes satisfy and lose what is said, and no partition loses less than the bound; costs are x / y *)
Definition check_partition (hs : list hierarchy) (t : rows) (cs : list condition) (kinds : list kind) (loss : class_loss)
    (attributes : list attribute) (unit most_gone : Z) (P : list (list Z)) (value bound : Z * Z) (scale : Z)
    (weights : list (list Z * Z)) (p dues : list Z) (tau limit : Z) (tree : option branches) (fuel : Z) : option bool :=
  if table_ok hs t && model_ok t cs && kinds_ok t cs kinds && losses_ok kinds loss attributes unit most_gone
     && parted_ok t cs kinds most_gone P && forallb (fun C => forallb (exact_label loss unit C) attributes) P
     && (0 <? snd value) && (0 <? snd bound) && (0 <? scale)
     && (snd value * all_cost t loss attributes unit P (left_out t kinds P) =? fst value)
  then beats t cs kinds loss attributes unit most_gone scale weights p dues tau limit tree
         (scale * (ceil (fst bound) (snd bound) - 1)) fuel
  else Some false.

Theorem check_partition_sound hs t cs kinds loss attributes unit most_gone P value bound scale weights p dues tau limit tree fuel :
  check_partition hs t cs kinds loss attributes unit most_gone P value bound scale weights p dues tau limit tree fuel = Some true ->
  forallb (formed (length (sum t))) cs = true /\
  (all_partitions t cs kinds most_gone P (left_out t kinds P) /\
   snd value * all_cost t loss attributes unit P (left_out t kinds P) = fst value /\
   (forall C k a, In C P -> loss = CellLoss k -> In a attributes ->
      over_label k a * penalty k unit a (members 0 C) = unit * raw_label k a (members 0 C))) /\
  (forall Q v, all_partitions t cs kinds most_gone Q v -> fst bound <= snd bound * all_cost t loss attributes unit Q v).
Proof.
unfold check_partition. destruct (table_ok hs t && _ && _ && _ && _ && _ && _ && _ && _ && _) eqn:C; [|discriminate].
rewrite !andb_true_iff, !Z.ltb_lt, Z.eqb_eq in C. destruct C as [[[[[[[[[_ M] K] L] Pa] Ex] V0] B0] S0] V]. intros B.
assert (M' := M). unfold model_ok in M'. apply andb_true_iff in M' as [_ F]. split; trivial. split; [split; [exact (parted_sound t cs kinds loss attributes unit most_gone K L P Pa)|split; trivial]|].
- intros C k a IC -> Ia. rewrite forallb_forall in Ex. specialize (Ex C IC). rewrite forallb_forall in Ex.
  specialize (Ex a Ia). unfold exact_label in Ex. now apply Z.eqb_eq.
- intros Q v Parts. assert (H := beats_sound t cs kinds loss attributes unit most_gone K L scale weights p dues tau limit tree _ fuel B Q v Parts).
  apply (proj2 (Z.mul_lt_mono_pos_l scale _ _ S0)) in H. unfold ceil in H.
  assert (D := Z.mul_div_le (- fst bound) (snd bound) B0). set (x := - fst bound / snd bound) in *.
  assert (snd bound * - x <= snd bound * all_cost t loss attributes unit Q v) by (apply Z.mul_le_mono_nonneg_l; lia). lia.
Qed.

(* there is none: it would cost more than any does *)
Definition check_no_partition (hs : list hierarchy) (t : rows) (cs : list condition) (kinds : list kind) (loss : class_loss)
    (attributes : list attribute) (unit most_gone : Z) (scale : Z)
    (weights : list (list Z * Z)) (p dues : list Z) (tau limit : Z) (tree : option branches) (fuel : Z) : option bool :=
  if table_ok hs t && model_ok t cs && kinds_ok t cs kinds && losses_ok kinds loss attributes unit most_gone && (0 <? scale)
     && (label_penalty loss attributes unit (seq 0 (length kinds)) <=? gone_cost t loss attributes unit)
  then beats t cs kinds loss attributes unit most_gone scale weights p dues tau limit tree
         (scale * (gone_cost t loss attributes unit * size (records_of_kinds t kinds))) fuel
  else Some false.

Theorem check_no_partition_sound hs t cs kinds loss attributes unit most_gone scale weights p dues tau limit tree fuel :
  check_no_partition hs t cs kinds loss attributes unit most_gone scale weights p dues tau limit tree fuel = Some true ->
  forall P v, ~ all_partitions t cs kinds most_gone P v.
Proof.
unfold check_no_partition. destruct (table_ok hs t && _ && _ && _ && _ && _) eqn:C; [|discriminate].
rewrite !andb_true_iff, Z.ltb_lt, Z.leb_le in C. destruct C as [[[[[_ M] K] L] S0] Top]. intros B P v Parts.
assert (H := beats_sound t cs kinds loss attributes unit most_gone K L scale weights p dues tau limit tree _ fuel B P v Parts).
assert (G := costs_at_most t cs kinds loss attributes unit most_gone K L P v Parts Top). apply (proj2 (Z.mul_lt_mono_pos_l scale _ _ S0)) in H. lia.
Qed.
