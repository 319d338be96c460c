(* The search for all classes of small reduced cost, executable and proved complete.  It is
   meant for extraction.

   There are n_i records of kind i; a class has c_i of them.  With whole prices p and dues
   of cuts, each at least 0, its reduced cost is
     S (|C| E(C) + c(|C|)) - sum p_i c_i + sum due (sum w_i c_i / d),
   where the penalty E never falls when a kind joins.

   Places in the checkers: certificates of partitions
     line_reach      the least sums of j gains, for all j in one pass
     visit_complete  every class within the sizes and of reduced cost up to the limit is found

   The idea in three lines:
   - kinds are gone through in their order, with each number of copies;
   - what a group grows to pays for each record that joins at least what it alone would;
   - of those that join, none are cheaper than as many of the cheapest.  Standard library only. *)
From Coq Require Import ZArith List Bool Lia Arith.
From Tcloseness Require Import Counts Keeping CutChecker.
Import ListNotations.
Local Open Scope Z_scope.

(* ---- the least sum of exactly j of some numbers, for each j up to a length -------------- *)
Fixpoint shifted (g : Z) (before : option Z) (l : list (option Z)) : list (option Z) :=
  match l with [] => [] | z :: l => less z (both (Some g) before) :: shifted g z l end.
Definition one_more (g : Z) (l : list (option Z)) : list (option Z) :=
  match l with [] => [] | z :: l => z :: shifted g z l end.
Definition line (room : nat) (gains : list Z) : list (option Z) :=
  fold_right one_more (Some 0 :: repeat None room) gains.
Definition reaches (room : nat) (gains : list Z) (j : nat) (z : Z) : Prop :=
  exists x, nth j (line room gains) None = Some x /\ x <= z.

Lemma shifted_length g : forall l b, length (shifted g b l) = length l.
Proof. induction l as [|z l IH]; intros b; simpl; [trivial|]. now rewrite IH. Qed.

Lemma line_length room gains : length (line room gains) = S room.
Proof.
induction gains as [|g gains IH]; simpl; [now rewrite repeat_length|].
destruct (line room gains) as [|z l]; simpl in *; [easy|]. now rewrite shifted_length.
Qed.

Lemma nth_shifted g : forall l b j, (j < length l)%nat ->
  nth j (shifted g b l) None = less (nth j l None) (both (Some g) (nth j (b :: l) None)).
Proof. induction l as [|z l IH]; intros b [|j] L; simpl in *; try lia; trivial. rewrite IH by lia. reflexivity. Qed.

Lemma reaches_none room : reaches room [] 0 0.
Proof. exists 0. split; [trivial|lia]. Qed.

Lemma reaches_skip room g gains j z : reaches room gains j z -> reaches room (g :: gains) j z.
Proof.
intros [x [E L]]. assert (W := line_length room gains). unfold reaches. cbn [line fold_right] in *.
fold (line room gains) in *. destruct (line room gains) as [|y l]; [easy|]. cbn [one_more].
destruct j as [|j]; [exists x; now split|]. simpl in E |- *.
destruct (lt_dec j (length l)) as [J|J]; [|rewrite nth_overflow in E by lia; easy].
rewrite nth_shifted, E by trivial.
destruct (both (Some g) (nth j (y :: l) None)) as [w|]; simpl; eexists; (split; [reflexivity|lia]).
Qed.

Lemma reaches_take room g gains j z : (j < room)%nat -> reaches room gains j z -> reaches room (g :: gains) (S j) (g + z).
Proof.
intros R [x [E L]]. assert (W := line_length room gains). unfold reaches. cbn [line fold_right].
fold (line room gains). destruct (line room gains) as [|y l]; [easy|]. cbn [one_more nth]. simpl in W.
rewrite nth_shifted by lia. rewrite E. simpl.
destruct (nth j l None) as [w|]; simpl; eexists; (split; [reflexivity|lia]).
Qed.

Theorem line_reach room g m gains j z : forall c, (c <= m)%nat -> (j + c <= room)%nat ->
  reaches room gains j z -> reaches room (repeat g m ++ gains) (j + c) (Z.of_nat c * g + z).
Proof.
induction m as [|m IH]; intros c C R H.
- replace c with 0%nat by lia. rewrite Nat.add_0_r. simpl. destruct H as [x [E L]]. exists x. split; trivial; lia.
- destruct c as [|c].
  + simpl. apply reaches_skip. specialize (IH 0%nat ltac:(lia) ltac:(lia) H). exact IH.
  + simpl repeat. rewrite <- app_comm_cons. rewrite Nat.add_succ_r.
    replace (Z.of_nat (S c) * g + z) with (g + (Z.of_nat c * g + z)) by lia.
    apply reaches_take; [lia|]. apply IH; trivial; lia.
Qed.

Section Search.
Variables (n p : list Z) (cuts : list (list Z * Z * Z)).   (* weights, divisor, due *)
Variables (E : list nat -> Z) (by_size : Z -> Z) (scale limit : Z) (smallest largest : Z).

Fixpoint members (k : nat) (C : list Z) : list nat :=
  match C with [] => [] | c :: C => (if 0 <? c then [k] else []) ++ members (S k) C end.
Definition dues (C : list Z) : Z := total (fun e => snd e * (dot (fst (fst e)) C / snd (fst e))) cuts.
Definition class_cost (C : list Z) : Z := size C * E (members 0 C) + by_size (size C).
Definition reduced (C : list Z) : Z := scale * class_cost C - dot p C + dues C.

(* nothing that the group grows to by records of the kinds from here on is within the limit *)
Definition hopeless (rest : list nat) (pre : list Z) : bool :=
  let s := size pre in
  let ms := members 0 pre in
  let room := Z.to_nat (largest - s) in
  let own := scale * (s * E ms) - dot p pre + dues pre in
  let gains := flat_map (fun i => repeat (scale * E (ms ++ [i]) - nth i p 0) (Nat.min room (Z.to_nat (nth i n 0)))) rest in
  let sums := line room gains in
  (largest <? s) ||
  forallb (fun j =>
    match nth j sums None with
    | None => true
    | Some z =>
        let size := s + Z.of_nat j in
        (size <? smallest) || (limit <? own + scale * by_size size + z) end) (seq 0 (S room)).
Definition copies (i : nat) : list Z := map Z.of_nat (seq 0 (S (Z.to_nat (nth i n 0)))).
(* `fuel` steps at most *)
Fixpoint visit (rest : list nat) (pre : list Z) (fuel : Z) : option (Z * list (list Z)) :=
  match rest with
  | [] => Some (fuel, if (smallest <=? size pre) && (size pre <=? largest) && (reduced pre <=? limit) then [pre] else [])
  | i :: rest =>
      if fuel <=? 0 then None else
      if hopeless (i :: rest) pre then Some (fuel - 1, []) else
      (fix each (cs : list Z) (fuel : Z) : option (Z * list (list Z)) :=
        match cs with
        | [] => Some (fuel, [])
        | c :: cs =>
            match visit rest (pre ++ [c]) fuel with
            | None => None
            | Some (fuel, found) =>
                match each cs fuel with
                | None => None
                | Some (fuel, more) => Some (fuel, found ++ more) end
            end
        end) (copies i) (fuel - 1)
  end.

Lemma visit_length : forall rest pre fuel left found, visit rest pre fuel = Some (left, found) ->
  forall C, In C found -> length C = (length pre + length rest)%nat.
Proof.
induction rest as [|i rest IH]; intros pre fuel left found H C IC; cbn [visit] in H.
- injection H as _ <-. destruct (_ && _ && _); [|easy]. destruct IC as [<-|[]]. simpl. lia.
- destruct (fuel <=? 0); [discriminate|]. destruct (hopeless (i :: rest) pre); [now injection H as _ <-|].
  revert H. generalize (fuel - 1). generalize (copies i). intros cs. revert left found IC.
  induction cs as [|d cs IHc]; intros left found IC f H; [now injection H as _ <-|].
  destruct (visit rest (pre ++ [d]) f) as [[f1 out1]|] eqn:V; [|discriminate].
  match type of H with match ?e with _ => _ end = _ => destruct e as [[f2 out2]|] eqn:W; [|discriminate] end.
  injection H as <- <-. apply in_app_or in IC as [IC|IC].
  + rewrite (IH _ _ _ _ V C IC), app_length. simpl. lia.
  + exact (IHc f2 out2 IC f1 W).
Qed.

(* ---- complete ---- *)
Hypothesis grows : forall ms ls, ms <> [] -> incl ms ls -> (forall i, In i ls -> (i < length n)%nat) -> E ms <= E ls.
Hypothesis scale_nonneg : 0 <= scale.
Hypothesis cuts_ok : forall e, In e cuts -> forallb (Z.leb 0) (fst (fst e)) = true /\ 0 < snd (fst e) /\ 0 <= snd e.

Lemma members_app C D : forall k, members k (C ++ D) = members k C ++ members (k + length C) D.
Proof.
induction C as [|c C IH]; intros k; simpl; [now rewrite Nat.add_0_r|]. rewrite IH, <- app_assoc.
now rewrite Nat.add_succ_r.
Qed.

Lemma in_members C : forall k i, In i (members k C) <-> (k <= i < k + length C)%nat /\ 0 < nth (i - k) C 0.
Proof.
induction C as [|c C IH]; intros k i; simpl; [split; [easy|lia]|]. rewrite in_app_iff, IH.
destruct (Z.ltb_spec 0 c) as [P|P]; split.
- intros [[<-|[]]|[B H]]; [rewrite Nat.sub_diag; split; [lia|trivial]|]. replace (i - k)%nat with (S (i - S k)) by lia. split; [lia|trivial].
- intros [B H]. destruct (Nat.eq_dec i k) as [->|N]; [left; now left|right]. replace (i - k)%nat with (S (i - S k)) in H by lia. split; [lia|trivial].
- intros [[]|[B H]]. replace (i - k)%nat with (S (i - S k)) by lia. split; [lia|trivial].
- intros [B H]. right. destruct (Nat.eq_dec i k) as [->|N]; [rewrite Nat.sub_diag in H; simpl in H; lia|].
  replace (i - k)%nat with (S (i - S k)) in H by lia. split; [lia|trivial].
Qed.

Lemma size_app C D : size (C ++ D) = size C + size D.
Proof. unfold size. induction C as [|c C IH]; simpl; lia. Qed.

Lemma dot_app : forall w C D, dot w (C ++ D) = dot w C + dot (skipn (length C) w) D.
Proof.
clear. induction w as [|x w IH]; intros C D; destruct C as [|c C]; simpl; trivial. rewrite IH. lia.
Qed.

Lemma dot_skip c D : forall k w, dot (skipn k w) (c :: D) = nth k w 0 * c + dot (skipn (S k) w) D.
Proof. clear. induction k as [|k IH]; intros [|x w]; try (simpl; lia). exact (IH w). Qed.

Lemma dot_nonneg : forall w C, forallb (Z.leb 0) w = true -> forallb (Z.leb 0) C = true -> 0 <= dot w C.
Proof.
clear. induction w as [|x w IH]; intros [|c C]; simpl; try lia. rewrite !andb_true_iff, !Z.leb_le.
intros [X W] [P Q]. specialize (IH C W Q). nia.
Qed.

Lemma skip_nonneg : forall k w, forallb (Z.leb 0) w = true -> forallb (Z.leb 0) (skipn k w) = true.
Proof. clear. induction k as [|k IH]; intros [|x w]; simpl; trivial. rewrite andb_true_iff. intros [_ H]. now apply IH. Qed.

Lemma dues_grow C D : forallb (Z.leb 0) D = true -> dues C <= dues (C ++ D).
Proof.
intros P. apply total_le. intros e I. destruct (cuts_ok e I) as [W [D0 S0]].
apply Z.mul_le_mono_nonneg_l; trivial. apply Z.div_le_mono; trivial. rewrite dot_app.
assert (H := dot_nonneg (skipn (length C) (fst (fst e))) D (skip_nonneg _ _ W) P). lia.
Qed.

Definition gain (ms : list nat) (i : nat) : Z := scale * E (ms ++ [i]) - nth i p 0.

(* what joins pays its gains, and is among the least sums *)
Lemma joined : forall suf rest k ms ls room,
  rest = seq k (length suf) -> incl ms ls -> (forall i, In i ls -> (i < length n)%nat) ->
  (forall i, In i (members k suf) -> In i ls) ->
  (forall i, (i < length suf)%nat -> 0 <= nth i suf 0 <= nth (k + i) n 0) ->
  size suf <= Z.of_nat room ->
  let gains := flat_map (fun i => repeat (gain ms i) (Nat.min room (Z.to_nat (nth i n 0)))) rest in
  reaches room gains (Z.to_nat (size suf)) (scale * (size suf * E ls) - dot (skipn k p) suf) /\ 0 <= size suf.
Proof.
induction suf as [|c suf IH]; intros rest k ms ls room -> Inc Bd Mem Box Room; cbv zeta.
- simpl. replace (dot (skipn k p) []) with 0 by (now destruct (skipn k p)). split; [|lia].
  destruct (reaches_none room) as [x [X L]]. exists x. split; trivial. lia.
- cbn [length seq flat_map]. assert (C0 := Box 0%nat ltac:(simpl; lia)). rewrite Nat.add_0_r in C0. simpl in C0.
  assert (Ps : 0 <= size suf).
  { assert (H : forall i, (i < length suf)%nat -> 0 <= nth i suf 0) by (intros i I; apply (Box (S i)); simpl; lia).
    clear - H. unfold size. induction suf as [|a l IH]; simpl; [lia|]. assert (H0 := H 0%nat ltac:(simpl; lia)).
    specialize (IH (fun i I => H (S i) ltac:(simpl; lia))). simpl in H0. lia. }
  change (size (c :: suf)) with (c + size suf) in *.
  destruct (IH (seq (S k) (length suf)) (S k) ms ls room eq_refl Inc Bd) as [R _].
  + intros i I. apply Mem. simpl. apply in_or_app. now right.
  + intros i I. specialize (Box (S i) ltac:(simpl; lia)). simpl in Box. now rewrite Nat.add_succ_r in Box.
  + lia.
  + cbv zeta in R. split; [|lia].
    apply (line_reach room (gain ms k) (Nat.min room (Z.to_nat (nth k n 0))) _ _ _ (Z.to_nat c)) in R; [| |lia].
    2:{ apply Nat.min_glb; [lia|]. apply Z2Nat.inj_le; lia. }
    replace (Z.to_nat (c + size suf)) with (Z.to_nat (size suf) + Z.to_nat c)%nat by lia.
    destruct R as [x [X L]]. exists x. split; trivial. rewrite Z2Nat.id in L by lia.
    assert (D : dot (skipn k p) (c :: suf) = nth k p 0 * c + dot (skipn (S k) p) suf).
    { apply dot_skip. }
    rewrite D. destruct (Z.eq_dec c 0) as [->|N]; [lia|].
    assert (G : E (ms ++ [k]) <= E ls).
    { apply grows; [now destruct ms| |exact Bd]. intros i I. apply in_app_or in I as [I|[<-|[]]]; [now apply Inc|].
      apply Mem. simpl. destruct (Z.ltb_spec 0 c); [now left|lia]. }
    unfold gain in L. apply Z.mul_le_mono_nonneg_l with (p := c * scale) in G; [lia|nia].
Qed.

Lemma hopeless_sound rest pre suf : hopeless rest pre = true -> rest = seq (length pre) (length suf) ->
  forallb (Z.leb 0) pre = true ->
  (forall i, (i < length suf)%nat -> 0 <= nth i suf 0 <= nth (length pre + i) n 0) ->
  (length pre + length suf = length n)%nat ->
  smallest <= size (pre ++ suf) <= largest -> limit < reduced (pre ++ suf).
Proof.
intros H Re Pp Box Ln Sz. rewrite size_app in Sz. unfold hopeless in H. cbv zeta in H.
set (s := size pre) in *. set (ms := members 0 pre) in *. set (room := Z.to_nat (largest - s)) in *.
assert (Ss : 0 <= size suf).
{ clear - Box. unfold size. assert (H : forall i, (i < length suf)%nat -> 0 <= nth i suf 0) by (intros i I; now apply Box).
  clear Box. induction suf as [|a l IH]; simpl; [lia|]. assert (H0 := H 0%nat ltac:(simpl; lia)).
  specialize (IH (fun i I => H (S i) ltac:(simpl; lia))). simpl in H0. lia. }
assert (Ps : forallb (Z.leb 0) suf = true).
{ apply forallb_forall. intros z I. apply In_nth with (d := 0) in I as [i [I <-]]. apply Z.leb_le. now apply Box. }
destruct (Z.ltb_spec largest s) as [L|L]; [lia|]. cbn [orb] in H.
set (ls := members 0 (pre ++ suf)).
assert (Inc : incl ms ls) by (unfold ls; rewrite members_app; apply incl_appl, incl_refl).
assert (Bd : forall i, In i ls -> (i < length n)%nat).
{ intros i I. apply in_members in I as [B _]. rewrite app_length in B. lia. }
destruct (joined suf rest (length pre) ms ls room Re Inc Bd) as [[x [X Lx]] _].
- intros i I. unfold ls. rewrite members_app. apply in_or_app. now right.
- trivial.
- unfold room. lia.
- rewrite forallb_forall in H. specialize (H (Z.to_nat (size suf))).
  unfold gain in X. rewrite X in H. rewrite Z2Nat.id in H by trivial.
  assert (I : In (Z.to_nat (size suf)) (seq 0 (S room))) by (apply in_seq; unfold room; lia).
  specialize (H I). apply orb_true_iff in H as [H|H]; [apply Z.ltb_lt in H; lia|]. apply Z.ltb_lt in H.
  unfold reduced, class_cost. rewrite size_app. fold s. fold ls. rewrite dot_app.
  assert (G := dues_grow pre suf Ps).
  assert (Own : s * E ms <= s * E ls).
  { destruct ms as [|m ms'] eqn:M.
    - assert (s = 0); [|lia]. unfold s. unfold ms in M. clear - M Pp. revert M. generalize 0%nat.
      induction pre as [|a l IH]; intros k M; [trivial|]. simpl in M, Pp. apply andb_true_iff in Pp as [A P].
      apply Z.leb_le in A. destruct (Z.ltb_spec 0 a); [easy|]. unfold size in *. simpl. rewrite (IH P (S k) M). lia.
    - apply Z.mul_le_mono_nonneg_l; [|now apply grows]. unfold s. clear - Pp. unfold size.
      induction pre as [|a l IH]; simpl in *; [lia|]. apply andb_true_iff in Pp as [A P]. apply Z.leb_le in A. specialize (IH P). lia. }
  apply Z.mul_le_mono_nonneg_l with (p := scale) in Own; trivial.
  replace (s + Z.of_nat (Z.to_nat (size suf))) with (s + size suf) in H by lia. lia.
Qed.

Theorem visit_complete : forall rest pre fuel left found, visit rest pre fuel = Some (left, found) ->
  forall suf, rest = seq (length pre) (length suf) -> forallb (Z.leb 0) pre = true ->
  (forall i, (i < length suf)%nat -> 0 <= nth i suf 0 <= nth (length pre + i) n 0) ->
  (length pre + length suf = length n)%nat ->
  smallest <= size (pre ++ suf) <= largest -> reduced (pre ++ suf) <= limit -> In (pre ++ suf) found.
Proof.
induction rest as [|i rest IH]; intros pre fuel left found H suf Re Pp Box Ln Sz Low; cbn [visit] in H.
- destruct suf; [|easy]. rewrite app_nil_r in *. injection H as _ <-.
  rewrite (proj2 (Z.leb_le _ _) (proj1 Sz)), (proj2 (Z.leb_le _ _) (proj2 Sz)), (proj2 (Z.leb_le _ _) Low). now left.
- destruct (fuel <=? 0); [discriminate|]. destruct (hopeless (i :: rest) pre) eqn:Ho.
  { apply (hopeless_sound _ _ suf) in Ho; trivial. lia. }
  destruct suf as [|c suf]; [easy|]. cbn [length seq] in Re. injection Re as -> Re.
  assert (C0 := Box 0%nat ltac:(simpl; lia)). rewrite Nat.add_0_r in C0. simpl in C0.
  assert (Ic : In c (copies (length pre))).
  { unfold copies. apply in_map_iff. exists (Z.to_nat c). split; [now apply Z2Nat.id|]. apply in_seq. lia. }
  revert H Ic. generalize (fuel - 1). generalize (copies (length pre)). revert left found.
  intros left found cs. revert left found. induction cs as [|d cs IHc]; intros left found f H Ic; [easy|].
  destruct (visit rest (pre ++ [d]) f) as [[f1 out1]|] eqn:V; [|discriminate].
  match type of H with match ?e with _ => _ end = _ => destruct e as [[f2 out2]|] eqn:W; [|discriminate] end.
  injection H as <- <-. apply in_or_app. destruct Ic as [->|Ic].
  + left. replace (pre ++ c :: suf) with ((pre ++ [c]) ++ suf) by now rewrite <- app_assoc.
    apply (IH (pre ++ [c]) f f1 out1 V suf).
    * rewrite app_length. simpl. now rewrite Nat.add_1_r.
    * rewrite forallb_app, Pp. simpl. rewrite andb_true_r. now apply Z.leb_le.
    * intros j J. specialize (Box (S j) ltac:(simpl; lia)). simpl in Box. rewrite app_length. simpl.
      replace (length pre + 1 + j)%nat with (length pre + S j)%nat by lia. trivial.
    * rewrite app_length. simpl in Ln |- *. lia.
    * now rewrite <- app_assoc.
    * now rewrite <- app_assoc.
  + right. exact (IHc f2 out2 f1 W Ic).
Qed.
End Search.
