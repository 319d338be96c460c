(* An executable checker of groups of numbers, proved sound: no groups of at least k have
   less variability within them.  It is meant for extraction.

   A column is a list of numbers in ascending order, each with how many records have it.
   Groups are given by their sizes, in that order.  A label of the first j numbers, for
   j = 0 and for j >= k, is at most what any groups of them have; whole numbers are
   compared, once everything has one denominator.

   Places in the literature: Domingo-Ferrer and Mateo-Sanz 2002 (optimal groups are of k to
   2k - 1 numbers); Hansen and Mukherjee 2003 (they are intervals, and a shortest path)
     within_least        no number is nearer to all of a group than their mean
     apart_least         numbers are nearest to ascending centres in ascending order
     path_bound          the last label is at most what any intervals have
     check_groups_sound  if it accepts, the named groups have the value, and none have less

   The idea in three lines:
   - of any groups, keep sizes and means, and give them the numbers in ascending order;
   - an interval of 2k numbers or more is two intervals, which have no more;
   - the labels of the others add up to the last.  Standard library only. *)
From Coq Require Import ZArith QArith List Bool Lia Lqa Permutation Sorted Arith.
Import ListNotations.
Local Open Scope Q_scope.

(* ---- what is said ---------------------------------------------------------------- *)
Definition total (xs : list Q) : Q := fold_right Qplus 0 xs.
Definition many (xs : list Q) : Q := inject_Z (Z.of_nat (length xs)).
Definition mean (xs : list Q) : Q := total xs / many xs.
Definition around (c : Q) (xs : list Q) : Q := total (map (fun x => (x - c) * (x - c)) xs).
(* the sum of squared errors of a group, and of several *)
Definition within (xs : list Q) : Q := around (mean xs) xs.
Definition errors (gs : list (list Q)) : Q := total (map within gs).

Definition column := list (Q * Z).
Definition records (t : column) : list Q := flat_map (fun r => repeat (fst r) (Z.to_nat (snd r))) t.

(* ---- the checker ------------------------------------------------------------------- *)
Local Open Scope Z_scope.
(* a number in parts 1/unit, if it has that many *)
Definition fits (unit : Z) (x : Q) : bool := unit mod Zpos (Qden x) =? 0.
Definition place (unit : Z) (x : Q) : Z := Qnum x * (unit / Zpos (Qden x)).
(* a common multiple *)
Definition join (n w : Z) : Z := n / Z.gcd n (w mod n) * w.
Definition joined {A : Type} (f : A -> Z) (xs : list A) : Z := fold_right (fun x z => join (f x) z) 1 xs.
Definition unit_of (t : column) : Z := joined (fun r => Zpos (Qden (fst r))) t.
Definition shared (k : nat) : Z := joined Z.of_nat (seq k k).
Definition placed (unit : Z) (t : column) : list Z :=
  flat_map (fun r => repeat (place unit (fst r)) (Z.to_nat (snd r))) t.
Fixpoint ascending (xs : list Z) : bool :=
  match xs with
  | x :: xs => match xs with y :: _ => (x <=? y) && ascending xs | [] => true end
  | [] => true end.

Definition sum (xs : list Z) : Z := fold_right Z.add 0 xs.
Definition squares (xs : list Z) : Z := fold_right (fun x z => x * x + z) 0 xs.
Fixpoint chop {A : Type} (sizes : list nat) (xs : list A) : list (list A) :=
  match sizes with [] => [] | n :: sizes => firstn n xs :: chop sizes (skipn n xs) end.
Definition error (w : Z) (g : list Z) : Z := w * squares g - w / Z.of_nat (length g) * (sum g * sum g).

(* the labels of the next numbers are no greater than one before and the errors of what lies between *)
Fixpoint reach (skip : nat) (shares : list Z) (w f s q : Z) (xs ahead : list Z) : bool :=
  match xs with
  | [] => true
  | x :: xs =>
      let s := s + x in
      let q := q + x * x in
      match skip with
      | S skip => reach skip shares w f s q xs ahead
      | O =>
          match shares, ahead with
          | h :: shares, l :: ahead => (l <=? f + (w * q - h * (s * s))) && reach O shares w f s q xs ahead
          | _, _ => true end
      end
  end.
Fixpoint steps (skip : nat) (shares : list Z) (w : Z) (ahead before xs : list Z) : bool :=
  match ahead, before, xs with
  | _ :: ahead', f :: before, _ :: xs' =>
      reach skip shares w f 0 0 xs ahead && steps skip shares w ahead' before xs'
  | _, _, _ => true end.

Definition check_groups (t : column) (k : nat) (sizes : list nat) (value : Q) (labels : list Q) : bool :=
  let unit := unit_of t in
  let w := shared k in
  let scale := w * (unit * unit) in
  let xs := placed unit t in
  let n := length xs in
  let shares := map (fun n => w / Z.of_nat n) (seq k k) in
  let ls := map (place scale) labels in
  let v := place scale value in
  Nat.leb 1 k && Nat.leb k n && ascending xs
  && forallb (fun n => Nat.leb k n && Nat.ltb n (k + k)) sizes && (sum (map Z.of_nat sizes) =? Z.of_nat n)
  && forallb (fits scale) (value :: labels) && Nat.eqb (length labels) (S (n - k))
  && (sum (map (error w) (chop sizes xs)) =? v) && (nth (n - k) ls 0 =? v)
  && reach (pred k) shares w 0 0 0 xs ls && steps (pred k) shares w (skipn k ls) ls (skipn k xs).

(* ---- means --------------------------------------------------------------------------- *)
Local Open Scope Q_scope.
Lemma many_cons x xs : many (x :: xs) == 1 + many xs.
Proof. unfold many. cbn [length]. rewrite Nat2Z.inj_succ, <- Z.add_1_l, inject_Z_plus. reflexivity. Qed.

Lemma many_pos x xs : 0 < many (x :: xs).
Proof. unfold many. change 0 with (inject_Z 0). rewrite <- Zlt_Qlt. cbn [length]. lia. Qed.

Lemma around_formula c xs :
  around c xs == total (map (fun x => x * x) xs) - 2 * c * total xs + many xs * (c * c).
Proof.
unfold around. induction xs as [|x xs IH]; [unfold many; simpl; ring|].
rewrite many_cons. cbn [map total fold_right]. fold (total xs). unfold total in *. rewrite IH. ring.
Qed.

Lemma around_mean c xs : around c xs == within xs + many xs * ((c - mean xs) * (c - mean xs)).
Proof.
destruct xs as [|x xs]; [unfold within, around, many; simpl; ring|].
assert (P := many_pos x xs). unfold within. rewrite !around_formula. unfold mean.
field. intros E. rewrite E in P. now apply Qlt_irrefl in P.
Qed.

Lemma within_formula x xs : within (x :: xs) ==
  total (map (fun x => x * x) (x :: xs)) - total (x :: xs) * total (x :: xs) / many (x :: xs).
Proof.
assert (P := many_pos x xs). unfold within. rewrite around_formula. unfold mean.
field. intros E. rewrite E in P. now apply Qlt_irrefl in P.
Qed.

Lemma many_nonneg xs : 0 <= many xs.
Proof. unfold many. change 0 with (inject_Z 0). rewrite <- Zle_Qle. lia. Qed.

Lemma square_nonneg (x : Q) : 0 <= x * x.
Proof. nra. Qed.

Theorem within_least c xs : within xs <= around c xs.
Proof.
rewrite around_mean. assert (M := many_nonneg xs). assert (S := square_nonneg (c - mean xs)).
assert (N := Qmult_le_0_compat _ _ M S). lra.
Qed.

Lemma total_app xs ys : total (xs ++ ys) == total xs + total ys.
Proof. unfold total. induction xs as [|x xs IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma within_app xs ys : within xs + within ys <= within (xs ++ ys).
Proof.
unfold within at 3, around. rewrite map_app, total_app.
assert (X := within_least (mean (xs ++ ys)) xs). assert (Y := within_least (mean (xs ++ ys)) ys).
unfold around in *. lra.
Qed.

Lemma total_ext {A} (f g : A -> Q) xs : (forall x, In x xs -> f x == g x) -> total (map f xs) == total (map g xs).
Proof.
intros H. unfold total. induction xs as [|x xs IH]; simpl; [reflexivity|].
rewrite (H x) by (simpl; auto). rewrite IH by (intros; apply H; simpl; auto). reflexivity.
Qed.

Lemma total_scale {A} c (f : A -> Q) xs : total (map (fun x => c * f x) xs) == c * total (map f xs).
Proof. unfold total. induction xs as [|x xs IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma within_scale c f xs : (forall x, In x xs -> f x == c * x) -> within (map f xs) == c * c * within xs.
Proof.
intros H. destruct xs as [|x xs]; [unfold within, around; simpl; ring|]. cbn [map].
rewrite !within_formula. change (f x :: map f xs) with (map f (x :: xs)).
assert (M : many (map f (x :: xs)) == many (x :: xs)) by (unfold many; rewrite map_length; reflexivity).
assert (T : total (map f (x :: xs)) == c * total (x :: xs)).
{ rewrite (total_ext f (fun x => c * x)) by trivial. rewrite total_scale, map_id. reflexivity. }
assert (S : total (map (fun x => x * x) (map f (x :: xs))) == c * c * total (map (fun x => x * x) (x :: xs))).
{ rewrite map_map, <- total_scale. apply total_ext. intros y Hy. rewrite (H y Hy). ring. }
rewrite M, T, S. assert (P := many_pos x xs). field. intros E. rewrite E in P. now apply Qlt_irrefl in P.
Qed.

(* ---- whole numbers --------------------------------------------------------------------- *)
Definition real (g : list Z) : list Q := map inject_Z g.

Lemma total_real g : total (real g) == inject_Z (sum g).
Proof. unfold real, total, sum. induction g as [|x g IH]; simpl; [reflexivity|]. rewrite IH, inject_Z_plus. reflexivity. Qed.

Lemma squares_real g : total (map (fun x => x * x) (real g)) == inject_Z (squares g).
Proof.
unfold real, total, squares. induction g as [|x g IH]; simpl; [reflexivity|].
rewrite IH, inject_Z_plus, inject_Z_mult. reflexivity.
Qed.

Lemma error_within w g : (Z.of_nat (length g) | w)%Z -> inject_Z (error w g) == inject_Z w * within (real g).
Proof.
intros [h E]. destruct g as [|x g].
{ unfold error, within, around. simpl. rewrite !Z.mul_0_r. simpl. ring. }
unfold error. unfold real. cbn [map]. rewrite within_formula.
change (inject_Z x :: map inject_Z g) with (real (x :: g)). rewrite squares_real, total_real.
unfold many, real. rewrite map_length. fold (real (x :: g)).
set (n := Z.of_nat (length (x :: g))) in *. assert (N : (0 < n)%Z) by (unfold n; simpl length; lia).
rewrite E, Z.div_mul by lia. set (s := sum (x :: g)). set (q := squares (x :: g)).
unfold Z.sub. rewrite inject_Z_plus, inject_Z_opp, !inject_Z_mult.
assert (D : ~ inject_Z n == 0) by (unfold Qeq; simpl; lia).
field. trivial.
Qed.

(* ---- in ascending order ------------------------------------------------------------------ *)
Fixpoint apart (ys : list Z) (cs : list Q) : Q :=
  match ys, cs with y :: ys, c :: cs => (inject_Z y - c) * (inject_Z y - c) + apart ys cs | _, _ => 0 end.
Fixpoint insert (y : Z) (ys : list Z) : list Z :=
  match ys with [] => [y] | z :: rest => if (y <=? z)%Z then y :: ys else z :: insert y rest end.
Definition sorted (ys : list Z) : list Z := fold_right insert [] ys.

Lemma insert_swap a b l : insert a (insert b l) = insert b (insert a l).
Proof.
assert (C : (a <=? b)%Z = false -> (b <=? a)%Z = true) by (rewrite Z.leb_gt, Z.leb_le; lia).
assert (E : (a <=? b)%Z = true -> (b <=? a)%Z = true -> a = b) by (rewrite !Z.leb_le; lia).
induction l as [|z l IH]; cbn [insert].
- destruct (a <=? b)%Z; destruct (b <=? a)%Z; try (rewrite E by trivial); trivial. now discriminate C.
- destruct (b <=? z)%Z eqn:B, (a <=? z)%Z eqn:A; cbn [insert]; rewrite ?A, ?B.
  + destruct (a <=? b)%Z; destruct (b <=? a)%Z; try (rewrite E by trivial); trivial. now discriminate C.
  + rewrite Z.leb_le, Z.leb_gt in *. destruct (Z.leb_spec a b); [lia|trivial].
  + rewrite Z.leb_le, Z.leb_gt in *. destruct (Z.leb_spec b a); [lia|trivial].
  + now rewrite IH.
Qed.

Lemma sorted_perm xs ys : Permutation xs ys -> sorted xs = sorted ys.
Proof.
induction 1; simpl; trivial; [now f_equal|apply insert_swap|congruence].
Qed.

Lemma sorted_id xs : StronglySorted Z.le xs -> sorted xs = xs.
Proof.
induction 1 as [|x xs S IH F]; trivial. simpl. rewrite IH. destruct xs as [|y xs]; trivial. simpl.
inversion F; subst. now destruct (Z.leb_spec x y); [|lia].
Qed.

Lemma insert_length y ys : length (insert y ys) = S (length ys).
Proof. induction ys as [|z ys IH]; trivial. simpl. destruct (y <=? z)%Z; simpl; congruence. Qed.

Lemma sorted_length ys : length (sorted ys) = length ys.
Proof. induction ys as [|y ys IH]; trivial. simpl. now rewrite insert_length, IH. Qed.

Lemma apart_insert y ys : forall c cs, length ys = length cs -> StronglySorted Qle (c :: cs) ->
  apart (insert y ys) (c :: cs) <= apart (y :: ys) (c :: cs).
Proof.
induction ys as [|z ys IH]; intros c cs L S; [apply Qle_refl|]. destruct cs as [|d cs]; [easy|].
simpl insert. destruct (Z.leb_spec y z) as [Y|Y]; [apply Qle_refl|].
assert (CD : c <= d) by (inversion S as [|? ? ? F]; subst; now inversion F).
assert (S' : StronglySorted Qle (d :: cs)) by now inversion S.
simpl in L. specialize (IH d cs ltac:(lia) S'). cbn [apart] in IH |- *.
assert (YZ : inject_Z z <= inject_Z y) by (rewrite <- Zle_Qle; lia).
set (A := inject_Z y) in *. set (B := inject_Z z) in *.
assert (W : (B - c) * (B - c) + (A - d) * (A - d) <= (A - c) * (A - c) + (B - d) * (B - d)) by nra.
lra.
Qed.

Theorem apart_least ys : forall cs, length ys = length cs -> StronglySorted Qle cs ->
  apart (sorted ys) cs <= apart ys cs.
Proof.
induction ys as [|y ys IH]; intros cs L S; [apply Qle_refl|]. destruct cs as [|c cs]; [easy|].
simpl in L. assert (S' : StronglySorted Qle cs) by now inversion S.
specialize (IH cs ltac:(lia) S'). simpl sorted.
assert (I := apart_insert y (sorted ys) c cs). rewrite sorted_length in I. specialize (I ltac:(lia) S).
cbn [apart] in I |- *. lra.
Qed.

Lemma apart_group n : forall xs c cs, (n <= length xs)%nat ->
  apart xs (repeat c n ++ cs) == around c (real (firstn n xs)) + apart (skipn n xs) cs.
Proof.
unfold around, total. induction n as [|n IH]; intros [|x xs] c cs L; try (simpl in L; lia).
- simpl. ring.
- simpl. ring.
- simpl in L. cbn [repeat app apart firstn skipn real map fold_right]. rewrite (IH xs c cs) by lia.
  unfold real. ring.
Qed.

Definition centres (gs : list (list Z)) : list Q := concat (map (fun g => repeat (mean (real g)) (length g)) gs).

Lemma apart_own gs : apart (concat gs) (centres gs) == errors (map real gs).
Proof.
unfold centres, errors, total. induction gs as [|g gs IH]; [reflexivity|]. simpl.
rewrite apart_group by (rewrite app_length; lia).
rewrite firstn_app, firstn_all, Nat.sub_diag, firstn_O, app_nil_r.
rewrite skipn_app, skipn_all, Nat.sub_diag. simpl. rewrite IH. unfold within. ring.
Qed.

Lemma apart_chop gs : forall xs, length xs = length (concat gs) ->
  errors (map real (chop (map (@length Z) gs) xs)) <= apart xs (centres gs).
Proof.
unfold centres, errors, total. induction gs as [|g gs IH]; intros xs L; simpl in L.
{ destruct xs; [apply Qle_refl|easy]. }
rewrite app_length in L. simpl. rewrite apart_group by lia.
assert (W := within_least (mean (real g)) (real (firstn (length g) xs))).
assert (I := IH (skipn (length g) xs) ltac:(rewrite skipn_length; lia)). lra.
Qed.

(* any groups, by ascending means *)
Lemma by_means (f : list Z -> Q) gs :
  exists hs, Permutation gs hs /\ StronglySorted (fun a b => f a <= f b) hs.
Proof.
induction gs as [|g gs [hs [P S]]]; [exists []; split; constructor|].
enough (X : exists l, Permutation (g :: hs) l /\ StronglySorted (fun a b => f a <= f b) l).
{ destruct X as [l [Pl Sl]]. exists l. split; trivial. now rewrite P. }
clear P gs. induction S as [|h hs S IH F]; [exists [g]; repeat constructor|].
destruct (Qlt_le_dec (f h) (f g)) as [L|L].
- destruct IH as [l [Pl Sl]]. exists (h :: l). split.
  + rewrite perm_swap. now constructor.
  + constructor; trivial. rewrite <- Pl. constructor; trivial. now apply Qlt_le_weak.
- exists (g :: h :: hs). split; trivial. constructor; [now constructor|]. constructor; trivial.
  eapply Forall_impl; [|exact F]. intros a Ha. simpl in *. lra.
Qed.

Lemma centres_sorted gs : StronglySorted (fun a b => mean (real a) <= mean (real b)) gs ->
  StronglySorted Qle (centres gs).
Proof.
unfold centres. induction 1 as [|g gs S IH F]; simpl; [constructor|].
induction (length g) as [|n IHn]; simpl; trivial. constructor; trivial.
apply Forall_forall. intros d Hd. apply in_app_or in Hd as [Hd|Hd].
- apply repeat_spec in Hd. subst. apply Qle_refl.
- apply in_concat in Hd as [l [Hl Hd]]. apply in_map_iff in Hl as [b [<- Hb]].
  apply repeat_spec in Hd. subst. rewrite Forall_forall in F. now apply F.
Qed.

Lemma centres_length gs : length (centres gs) = length (concat gs).
Proof.
unfold centres. induction gs as [|g gs IH]; trivial. simpl. now rewrite !app_length, repeat_length, IH.
Qed.

Lemma errors_perm gs hs : Permutation gs hs -> errors gs == errors hs.
Proof.
unfold errors, total. induction 1; simpl; lra.
Qed.

Lemma concat_perm {A} (gs hs : list (list A)) : Permutation gs hs -> Permutation (concat gs) (concat hs).
Proof.
induction 1 as [|g gs hs _ IH|g h gs|gs hs ks _ A1 _ A2]; simpl; trivial.
- now apply Permutation_app_head.
- rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
- now rewrite A1.
Qed.

(* intervals of the same sizes have no more *)
Theorem intervals xs gs : StronglySorted Z.le xs -> Permutation (concat gs) xs ->
  exists hs, Permutation gs hs /\ errors (map real (chop (map (@length Z) hs) xs)) <= errors (map real gs).
Proof.
intros S P. destruct (by_means (fun g => mean (real g)) gs) as [hs [Ph Sh]]. exists hs. split; trivial.
assert (C : Permutation (concat hs) xs) by (rewrite <- P; now apply concat_perm, Permutation_sym).
rewrite (errors_perm (map real gs) (map real hs)) by now apply Permutation_map.
rewrite <- (apart_own hs).
assert (L := apart_least (concat hs) (centres hs) (eq_sym (centres_length hs)) (centres_sorted hs Sh)).
rewrite (sorted_perm _ _ C), (sorted_id xs S) in L.
assert (D := apart_chop hs xs). rewrite (Permutation_length C) in D. specialize (D eq_refl). lra.
Qed.

(* ---- labels ------------------------------------------------------------------------------- *)
Local Open Scope Z_scope.
Lemma reach_sound w f : forall xs skip shares s q ahead n,
  reach skip shares w f s q xs ahead = true ->
  (n < length shares)%nat -> (n < length ahead)%nat -> (skip + n < length xs)%nat ->
  let g := firstn (S (skip + n)) xs in
  nth n ahead 0 <= f + (w * (q + squares g) - nth n shares 0 * ((s + sum g) * (s + sum g))).
Proof.
induction xs as [|x xs IH]; intros skip shares s q ahead n R NS NA NX; [simpl in NX; lia|].
cbn [reach] in R. simpl in NX. destruct skip as [|skip].
- destruct shares as [|h shares]; [simpl in NS; lia|]. destruct ahead as [|l ahead]; [simpl in NA; lia|].
  apply andb_true_iff in R as [B R]. apply Z.leb_le in B. destruct n as [|n].
  + cbn [plus firstn nth squares sum fold_right]. rewrite !Z.add_0_r. exact B.
  + simpl in NS, NA. specialize (IH O shares _ _ ahead n R ltac:(lia) ltac:(lia) ltac:(lia)).
    cbv zeta in IH |- *. cbn [plus] in IH |- *. change (firstn (S (S n)) (x :: xs)) with (x :: firstn (S n) xs).
    cbn [nth sum squares fold_right]. fold (sum (firstn (S n) xs)). fold (squares (firstn (S n) xs)).
    replace (s + (x + sum (firstn (S n) xs))) with (s + x + sum (firstn (S n) xs)) by ring.
    replace (q + (x * x + squares (firstn (S n) xs))) with (q + x * x + squares (firstn (S n) xs)) by ring.
    exact IH.
- specialize (IH skip shares _ _ ahead n R ltac:(lia) ltac:(lia) ltac:(lia)).
  cbv zeta in IH |- *. change (S (S skip + n)) with (S (S (skip + n))).
  change (firstn (S (S (skip + n))) (x :: xs)) with (x :: firstn (S (skip + n)) xs).
  set (g := firstn (S (skip + n)) xs) in *. cbn [sum squares fold_right]. fold (sum g). fold (squares g).
  replace (s + (x + sum g)) with (s + x + sum g) by ring.
  replace (q + (x * x + squares g)) with (q + x * x + squares g) by ring. exact IH.
Qed.

Lemma nth_skipn_ {A} (d : A) i : forall n xs, nth n (skipn i xs) d = nth (i + n) xs d.
Proof. induction i as [|i IH]; intros n [|x xs]; simpl; trivial. now destruct n. Qed.

Lemma steps_sound skip shares w : forall ahead before xs i, steps skip shares w ahead before xs = true ->
  (i < length ahead)%nat -> (i < length before)%nat -> (i < length xs)%nat ->
  reach skip shares w (nth i before 0) 0 0 (skipn i xs) (skipn i ahead) = true.
Proof.
induction ahead as [|l ahead IH]; intros [|f before] [|x xs] i S A B X; simpl in A, B, X; try lia.
cbn [steps] in S. apply andb_true_iff in S as [R S]. destruct i as [|i]; trivial.
simpl. apply IH; trivial; lia.
Qed.

Lemma skipn_skipn_ {A} i : forall n (xs : list A), skipn n (skipn i xs) = skipn (i + n) xs.
Proof. induction i as [|i IH]; intros n [|x xs]; simpl; trivial. now destruct n. Qed.

Section Path.
Variables (k : nat) (w : Z) (xs ls : list Z).
Let shares := map (fun n => w / Z.of_nat n) (seq k k).
Hypothesis w0 : 0 <= w.
Hypothesis k1 : (1 <= k)%nat.
Hypothesis kn : (k <= length xs)%nat.
Hypothesis all : length ls = S (length xs - k).
Hypothesis divides : forall n, (k <= n < k + k)%nat -> (Z.of_nat n | w).
Hypothesis first : reach (pred k) shares w 0 0 0 xs ls = true.
Hypothesis later : steps (pred k) shares w (skipn k ls) ls (skipn k xs) = true.

Definition label (j : nat) : Z := if Nat.ltb j k then 0 else nth (j - k) ls 0.
Definition labelled (i : nat) : Prop := i = O \/ (k <= i)%nat.

Lemma label_step i n : labelled i -> (k <= n < k + k)%nat -> (i + n <= length xs)%nat ->
  label (i + n) <= label i + error w (firstn n (skipn i xs)).
Proof.
intros I N L. unfold label. destruct (Nat.ltb_spec (i + n) k) as [|_]; [lia|].
assert (Sh : nth (n - k) shares 0 = w / Z.of_nat n).
{ unfold shares. rewrite nth_indep with (d' := w / Z.of_nat 0) by (rewrite map_length, seq_length; lia).
  rewrite map_nth with (f := fun n => w / Z.of_nat n), seq_nth by lia. do 2 f_equal. lia. }
assert (SL : (n - k < length shares)%nat) by (unfold shares; rewrite map_length, seq_length; lia).
assert (En : S (pred k + (n - k)) = n) by lia.
assert (G : forall f ahead, reach (pred k) shares w f 0 0 (skipn i xs) ahead = true ->
  (n - k < length ahead)%nat -> nth (n - k) ahead 0 <= f + error w (firstn n (skipn i xs))).
{ intros f ahead R A.
  assert (H := reach_sound w f _ _ _ _ _ _ (n - k) R SL A ltac:(rewrite skipn_length; lia)).
  cbv zeta in H. rewrite En, Sh in H. unfold error.
  rewrite firstn_length, skipn_length. replace (Nat.min n (length xs - i)) with n by lia.
  rewrite !Z.add_0_l in H. exact H. }
destruct I as [->|I].
- destruct (Nat.ltb_spec 0 k); [|lia]. apply (G 0 ls); [trivial|lia].
- destruct (Nat.ltb_spec i k); [lia|].
  assert (HS : skipn i xs = skipn (i - k) (skipn k xs)) by (rewrite skipn_skipn_; f_equal; lia).
  replace (i + n - k)%nat with (k + (i - k) + (n - k))%nat by lia. rewrite <- nth_skipn_.
  apply (G (nth (i - k) ls 0)); [|rewrite skipn_length; lia]. rewrite HS, <- skipn_skipn_. apply steps_sound; trivial; rewrite ?skipn_length; lia.
Qed.

Local Open Scope Q_scope.
Lemma label_interval n : forall i, labelled i -> (k <= n)%nat -> (i + n <= length xs)%nat ->
  inject_Z (label (i + n)) <= inject_Z (label i) + inject_Z w * within (real (firstn n (skipn i xs))).
Proof.
assert (W : 0 <= inject_Z w) by (change 0 with (inject_Z 0); now rewrite <- Zle_Qle).
induction n as [n IH] using lt_wf_ind. intros i I N L.
destruct (le_lt_dec (k + k) n) as [B|B].
- assert (A := IH k ltac:(lia) i I ltac:(lia) ltac:(lia)).
  assert (C := IH (n - k)%nat ltac:(lia) (i + k)%nat ltac:(right; lia) ltac:(lia) ltac:(lia)).
  replace (i + k + (n - k))%nat with (i + n)%nat in C by lia. rewrite <- skipn_skipn_ in C.
  assert (E : firstn n (skipn i xs) = firstn k (skipn i xs) ++ firstn (n - k) (skipn k (skipn i xs))).
  { rewrite <- (firstn_skipn k (firstn n (skipn i xs))), firstn_firstn, skipn_firstn_comm.
    now replace (Nat.min k n) with k by lia. }
  rewrite E. set (a := firstn k (skipn i xs)) in *. set (b := firstn (n - k) (skipn k (skipn i xs))) in *.
  assert (D := within_app (real a) (real b)). unfold real in D at 3 4. rewrite <- map_app in D. fold (real (a ++ b)) in D.
  assert (D' := Qmult_le_compat_r _ _ (inject_Z w) D W). rewrite Qmult_plus_distr_l in D'.
  rewrite (Qmult_comm (within (real a))), (Qmult_comm (within (real b))), (Qmult_comm (within (real (a ++ b)))) in D'.
  lra.
- assert (H := label_step i n I ltac:(lia) L). rewrite Zle_Qle, inject_Z_plus, error_within in H; trivial.
  rewrite firstn_length, skipn_length. replace (Nat.min n (length xs - i)) with n by lia. apply divides. lia.
Qed.

Theorem path_bound sizes : forall i, labelled i -> (forall n, In n sizes -> (k <= n)%nat) ->
  (i + list_sum sizes = length xs)%nat ->
  inject_Z (label (length xs)) <= inject_Z (label i) + inject_Z w * errors (map real (chop sizes (skipn i xs))).
Proof.
induction sizes as [|n sizes IH]; intros i I F S; cbn [list_sum fold_right] in S.
- replace (length xs) with i by lia. unfold errors, total. simpl. lra.
- fold (list_sum sizes) in S. assert (K : (k <= n)%nat) by (apply F; simpl; auto).
  assert (A := label_interval n i I K ltac:(lia)).
  assert (B := IH (i + n)%nat ltac:(right; lia) ltac:(intros; apply F; simpl; auto) ltac:(lia)).
  rewrite <- skipn_skipn_ in B. unfold errors, total in *. cbn [chop map fold_right].
  rewrite Qmult_plus_distr_r. lra.
Qed.
End Path.

(* ---- one denominator ------------------------------------------------------------------------ *)
Local Open Scope Z_scope.
Lemma join_divide n w : 0 < n -> 0 < w -> 0 < join n w /\ (n | join n w) /\ (w | join n w).
Proof.
intros N W. unfold join. set (g := Z.gcd n (w mod n)).
destruct (Z.gcd_divide_l n (w mod n)) as [a A]. destruct (Z.gcd_divide_r n (w mod n)) as [b B].
fold g in A, B. assert (H := Z.gcd_nonneg n (w mod n)). fold g in H.
assert (G : 0 < g) by (destruct (Z.eq_dec g 0) as [E|]; [rewrite E in A|]; lia).
assert (P : 0 < a) by nia. assert (D := Z.div_mod w n ltac:(lia)). rewrite B in D.
replace (n / g) with a by (symmetry; rewrite A at 1; apply Z.div_mul; lia).
clearbody g. clear B. set (c := w / n) in D. clearbody c. split; [nia|]. split.
- exists (a * c + b). rewrite D, A. ring.
- now exists a.
Qed.

Lemma joined_pos {A} (f : A -> Z) xs : (forall x, In x xs -> 0 < f x) -> 0 < joined f xs.
Proof.
unfold joined. induction xs as [|x xs IH]; intros H; simpl; [lia|].
apply join_divide; [apply H; now left|]. apply IH. intros y Hy. apply H. now right.
Qed.

Lemma joined_divide {A} (f : A -> Z) xs x : (forall x, In x xs -> 0 < f x) -> In x xs -> (f x | joined f xs).
Proof.
induction xs as [|y xs IH]; intros P H; [easy|].
destruct (join_divide (f y) (joined f xs)) as [_ [X Y]];
  [apply P; now left|apply joined_pos; intros; apply P; now right|].
destruct H as [->|H]; [exact X|]. eapply Z.divide_trans; [|exact Y]. apply IH; trivial. intros; apply P; now right.
Qed.

Lemma place_real unit x : (Zpos (Qden x) | unit) -> (inject_Z (place unit x) == inject_Z unit * x)%Q.
Proof.
intros [h ->]. destruct x as [a d]. unfold place. cbn [Qnum Qden]. rewrite Z.div_mul by lia.
unfold Qeq, Qmult, inject_Z. cbn [Qnum Qden]. rewrite Pos.mul_1_l. ring.
Qed.

Lemma fits_divide unit x : fits unit x = true -> (Zpos (Qden x) | unit).
Proof. unfold fits. rewrite Z.eqb_eq. intros H. now apply Z.mod_divide. Qed.

Lemma repeat_map {A B} (f : A -> B) x n : repeat (f x) n = map f (repeat x n).
Proof. induction n as [|n IH]; trivial. simpl. now f_equal. Qed.

Lemma placed_records unit t : placed unit t = map (place unit) (records t).
Proof.
unfold placed, records. induction t as [|r t IH]; trivial. simpl. now rewrite map_app, <- repeat_map, IH.
Qed.

Lemma unit_pos t : 0 < unit_of t.
Proof. apply joined_pos. intros. lia. Qed.

Lemma unit_divides t x : In x (records t) -> (Zpos (Qden x) | unit_of t).
Proof.
unfold records. rewrite in_flat_map. intros [r [Hr Hx]]. apply repeat_spec in Hx. subst x.
apply (joined_divide (fun r : Q * Z => Zpos (Qden (fst r)))); trivial. intros. lia.
Qed.

Lemma shared_pos k : (1 <= k)%nat -> 0 < shared k.
Proof. intros K. apply joined_pos. intros n Hn. apply in_seq in Hn. lia. Qed.

Lemma shared_divides k n : (1 <= k)%nat -> (k <= n < k + k)%nat -> (Z.of_nat n | shared k).
Proof.
intros K H. apply (joined_divide Z.of_nat); [|apply in_seq; lia]. intros m Hm. apply in_seq in Hm. lia.
Qed.

Lemma ascending_sorted xs : ascending xs = true -> StronglySorted Z.le xs.
Proof.
intros H. apply Sorted_StronglySorted; [intros a b c; lia|].
induction xs as [|x xs IH]; constructor; destruct xs as [|y xs]; try (now constructor);
  cbn [ascending] in H; apply andb_true_iff in H as [L H].
- now apply IH.
- constructor. now apply Z.leb_le.
Qed.

Lemma sum_sizes sizes : sum (map Z.of_nat sizes) = Z.of_nat (list_sum sizes).
Proof. unfold sum. induction sizes as [|n sizes IH]; trivial. simpl. rewrite IH. lia. Qed.

Lemma chop_concat {A} sizes : forall xs : list A, list_sum sizes = length xs -> concat (chop sizes xs) = xs.
Proof.
induction sizes as [|n sizes IH]; intros xs L; simpl in L |- *; [now destruct xs|].
fold (list_sum sizes) in L. rewrite IH; [apply firstn_skipn|]. rewrite skipn_length. lia.
Qed.

Lemma chop_sizes {A} sizes : forall xs : list A, list_sum sizes = length xs -> map (@length A) (chop sizes xs) = sizes.
Proof.
induction sizes as [|n sizes IH]; intros xs L; simpl in L |- *; trivial.
fold (list_sum sizes) in L. rewrite firstn_length. f_equal; [lia|]. apply IH. rewrite skipn_length. lia.
Qed.

Lemma chop_map {A B} (f : A -> B) sizes : forall xs, chop sizes (map f xs) = map (map f) (chop sizes xs).
Proof. induction sizes as [|n sizes IH]; intros xs; simpl; trivial. now rewrite firstn_map, skipn_map, IH. Qed.

Lemma sum_lengths {A} (gs : list (list A)) : list_sum (map (@length A) gs) = length (concat gs).
Proof. induction gs as [|g gs IH]; trivial. simpl. rewrite app_length, <- IH. reflexivity. Qed.

(* ---- accepted --------------------------------------------------------------------------------- *)
Lemma errors_placed u gs : (forall g x, In g gs -> In x g -> (Zpos (Qden x) | u)) ->
  (errors (map real (map (map (place u)) gs)) == inject_Z u * inject_Z u * errors gs)%Q.
Proof.
intros H. unfold errors. rewrite <- total_scale, !map_map. apply total_ext. intros g Hg.
unfold real. rewrite map_map. apply within_scale. intros x Hx. apply place_real. now apply (H g).
Qed.

Lemma errors_sum w gs : (forall g, In g gs -> (Z.of_nat (length g) | w)) ->
  (inject_Z (sum (map (error w) gs)) == inject_Z w * errors (map real gs))%Q.
Proof.
intros H. unfold errors. rewrite <- total_real, map_map, <- total_scale. unfold real. rewrite map_map.
apply total_ext. intros g Hg. apply error_within. now apply H.
Qed.

Lemma order_kept u xs : 0 < u -> (forall x, In x xs -> (Zpos (Qden x) | u)) ->
  StronglySorted Z.le (map (place u) xs) -> StronglySorted Qle xs.
Proof.
intros U. induction xs as [|x xs IH]; intros D S; [constructor|]. simpl in S. inversion S as [|? ? S' F]; subst.
constructor; [apply IH; trivial; intros; apply D; simpl; auto|].
apply Forall_forall. intros y Hy. rewrite Forall_forall in F. specialize (F _ (in_map _ _ _ Hy)).
rewrite Zle_Qle, !place_real in F by (apply D; simpl; auto). apply Qmult_le_l in F; trivial.
change 0%Q with (inject_Z 0). now rewrite <- Zlt_Qlt.
Qed.

Theorem check_groups_sound t k sizes value labels : check_groups t k sizes value labels = true ->
  (1 <= k)%nat /\ StronglySorted Qle (records t) /\
  (exists gs, concat gs = records t /\ map (@length Q) gs = sizes /\
     (forall g, In g gs -> (k <= length g)%nat) /\ (errors gs == value)%Q) /\
  (forall gs, Permutation (concat gs) (records t) -> (forall g, In g gs -> (k <= length g)%nat) ->
     (value <= errors gs)%Q).
Proof.
unfold check_groups. cbv zeta. set (u := unit_of t). set (w := shared k). set (scale := w * (u * u)).
set (xs := placed u t). set (ls := map (place scale) labels).
rewrite !andb_true_iff, !Nat.leb_le, !Z.eqb_eq, Nat.eqb_eq.
intros [[[[[[[[[[K N] A] S] T] F] L] E] V] R] St].
assert (U : 0 < u) by apply unit_pos. assert (W : 0 < w) by now apply shared_pos.
assert (X : xs = map (place u) (records t)) by apply placed_records.
assert (SX : StronglySorted Z.le xs) by now apply ascending_sorted.
rewrite sum_sizes in T. apply Nat2Z.inj in T.
rewrite forallb_forall in S.
assert (S' : forall n, In n sizes -> (k <= n < k + k)%nat).
{ intros n Hn. apply S, andb_true_iff in Hn as [B C]. apply Nat.leb_le in B. apply Nat.ltb_lt in C. lia. }
cbn [forallb] in F. apply andb_true_iff in F as [Fv _].
assert (P : (0 < inject_Z w * (inject_Z u * inject_Z u))%Q).
{ rewrite <- !inject_Z_mult. change 0%Q with (inject_Z 0). rewrite <- Zlt_Qlt. nia. }
assert (Ev : (inject_Z (place scale value) == inject_Z w * (inject_Z u * inject_Z u) * value)%Q).
{ rewrite place_real by now apply fits_divide. unfold scale. rewrite !inject_Z_mult. reflexivity. }
assert (LR : length (records t) = length xs) by now rewrite X, map_length.
split; [trivial|]. split; [|split].
- apply (order_kept u); trivial; [intros x; apply unit_divides|]. now rewrite <- X.
- exists (chop sizes (records t)).
  assert (C : concat (chop sizes (records t)) = records t) by (apply chop_concat; congruence).
  assert (M : map (@length Q) (chop sizes (records t)) = sizes) by (apply chop_sizes; congruence).
  split; [trivial|]. split; [trivial|]. split.
  + intros g Hg. apply (in_map (@length Q)) in Hg. rewrite M in Hg. now apply S'.
  + rewrite <- E, errors_sum, X, chop_map, errors_placed in Ev.
    * apply (Qmult_inj_l _ _ (inject_Z w * (inject_Z u * inject_Z u))%Q); [intros Z; rewrite Z in P; now apply Qlt_irrefl in P|].
      rewrite <- Ev. fold u. ring.
    * intros g x Hg Hx. apply unit_divides. rewrite <- C. apply in_concat. now exists g.
    * intros g Hg. apply (in_map (@length Z)) in Hg. rewrite chop_sizes in Hg by congruence.
      apply shared_divides; trivial. now apply S'.
- intros gs Pg G. set (gz := map (map (place u)) gs).
  assert (Pz : Permutation (concat gz) xs) by (unfold gz; rewrite <- concat_map, X; now apply Permutation_map).
  destruct (intervals xs gz SX Pz) as [hs [Ph B]].
  assert (H : forall n, In n (map (@length Z) hs) -> (k <= n)%nat).
  { intros n Hn. apply in_map_iff in Hn as [h [<- Hh]]. apply (Permutation_in _ (Permutation_sym Ph)) in Hh.
    unfold gz in Hh. apply in_map_iff in Hh as [g [<- Hg]]. rewrite map_length. now apply G. }
  assert (Q : list_sum (map (@length Z) hs) = length xs).
  { rewrite sum_lengths. apply Permutation_length. rewrite <- Pz. now apply concat_perm, Permutation_sym. }
  assert (Y := path_bound k w xs ls ltac:(lia) K N ltac:(unfold ls; now rewrite map_length) (fun n => shared_divides k n K) R St
    (map (@length Z) hs) O (or_introl eq_refl) H Q).
  unfold label in Y. destruct (Nat.ltb_spec (length xs) k) as [|_]; [lia|].
  destruct (Nat.ltb_spec 0 k) as [_|]; [|lia]. rewrite V, Ev in Y. simpl skipn in Y.
  assert (EG : (errors (map real gz) == inject_Z u * inject_Z u * errors gs)%Q).
  { apply errors_placed. intros g x Hg Hx. apply unit_divides, (Permutation_in _ Pg). apply in_concat. now exists g. }
  rewrite EG in B. apply (Qmult_le_l _ _ (inject_Z w * (inject_Z u * inject_Z u))%Q P).
  assert (W' : (0 <= inject_Z w)%Q) by (change 0%Q with (inject_Z 0); rewrite <- Zle_Qle; lia).
  assert (B' := Qmult_le_compat_r _ _ (inject_Z w) B W').
  eapply Qle_trans; [exact Y|]. change (inject_Z 0) with 0%Q. rewrite Qplus_0_l, (Qmult_comm (inject_Z w)).
  eapply Qle_trans; [exact B'|]. apply Qle_lteq. right. ring.
Qed.
