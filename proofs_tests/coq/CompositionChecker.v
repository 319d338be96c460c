(* An executable checker of what several releases of one table say together, proved sound.
   It is meant for extraction.

   Persons in the same class of every release are a cell.  How many of its persons have a
   value is not known; published are how many persons a cell has, and how many records of a
   class have a value.  Weights of such sums prove each fact; they are whole numbers, over one
   denominator.  A fact may rest on those before it.

   Places in the papers: l-diversity paper, section 3.2, and t-closeness paper, section 4 (what
   a class tells of one person; of several releases neither speaks)
     right_side_bound         weights of sums bound a number of persons, whatever they are
     check_composition_sound  if it accepts, sizes agree, and every fact is so
     certain_values           where it says so, all persons of a cell have one value

   The idea in three lines:
   - a sum times its weight is what its numbers cost, each times that weight;
   - what is left of each number is at most so much by its bounds;
   - numbers of persons are whole, so a bound below n + 1 is n.  Standard library only. *)
From Coq Require Import ZArith List Bool Lia Arith.
From Tcloseness Require Import Counts.
Import ListNotations.
Local Open Scope Z_scope.

Fixpoint total {A : Type} (f : A -> Z) (l : list A) : Z :=
  match l with [] => 0 | a :: l => f a + total f l end.

(* ---- lists at places, found in as many steps as the place has digits ---------------------- *)
Inductive tree (A : Type) := Leaf | Node (odd : tree A) (here : list A) (even : tree A).
Arguments Leaf {A}.
Arguments Node {A} odd here even.

(* what is behind the first digit of a place, and whether that is odd *)
Definition rest (n : nat) : nat := Nat.div2 (Nat.pred n).
Definition is_odd (n : nat) : bool := negb (Nat.eqb (Nat.div2 n + Nat.div2 n)%nat n).
Fixpoint get {A : Type} (t : tree A) (n : nat) : list A :=
  match t with
  | Leaf => []
  | Node o here e => if Nat.eqb n 0 then here else if is_odd n then get o (rest n) else get e (rest n)
  end.
Fixpoint change {A : Type} (steps : nat) (f : list A -> list A) (n : nat) (t : tree A) : tree A :=
  match steps with
  | O => t
  | S steps =>
      let '(o, here, e) := match t with Leaf => (Leaf, [], Leaf) | Node o here e => (o, here, e) end in
      if Nat.eqb n 0 then Node o (f here) e else
      if is_odd n then Node (change steps f (rest n) o) here e else Node o here (change steps f (rest n) e)
  end.
Fixpoint entries {A : Type} (t : tree A) : list A :=
  match t with Leaf => [] | Node o here e => here ++ entries o ++ entries e end.

(* ---- what is published ---------------------------------------------------------------------- *)
(* the class in each release, if there is one, and how many persons *)
Record cell := Cell { cell_places : list (option nat); persons : Z }.
(* the counts of the values in each class *)
Definition release := list counts.
Inductive sum := Persons (c : nat) | Count (r g v : nat).
Record fact := Fact {
  of_cell : nat; of_value : nat;
  is_most : bool; (* or at least *)
  number : Z;
  weights : list (sum * Z);
  common : Z (* the denominator of the weights *) }.

Section Sums.
Variables (values : nat) (releases : list release) (cells : list cell).

Definition numbered : list (nat * cell) := combine (seq 0 (length cells)) cells.
Definition count (r g v : nat) : Z := nth v (nth g (nth r releases []) []) 0.
Definition inside (r g : nat) (e : cell) : bool :=
  match nth r (cell_places e) None with Some h => Nat.eqb h g | None => false end.
Definition is_class (r g : nat) : Prop := (r < length releases)%nat /\ (g < length (nth r releases []))%nat.

(* so many persons of each cell have each value: no fewer than none, and the published sums *)
Definition fulfils (x : nat -> nat -> Z) : Prop :=
  (forall c v, 0 <= x c v) /\
  (forall c e, nth_error cells c = Some e -> total (x c) (seq 0 values) = persons e) /\
  (forall r g v, is_class r g -> (v < values)%nat ->
     total (fun e => x (fst e) v) (filter (fun e => inside r g (snd e)) numbered) = count r g v).
Definition holds (x : nat -> nat -> Z) (f : fact) : Prop :=
  if is_most f then x (of_cell f) (of_value f) <= number f else number f <= x (of_cell f) (of_value f).

(* ---- the checker ------------------------------------------------------------------------------ *)
(* a cell, and for each value the least of its persons and of the counts of its classes *)
Definition line := ((nat * cell) * list Z)%type.
Fixpoint lower (x y : list Z) : list Z :=
  match x, y with a :: x, b :: y => Z.min a b :: lower x y | _, _ => [] end.
Definition counts_of (e : cell) : list counts :=
  flat_map (fun p => match fst p with Some g => [nth g (snd p) []] | None => [] end) (combine (cell_places e) releases).
Definition highs (e : cell) : list Z := fold_right lower (repeat (persons e) values) (counts_of e).
Definition lines : list line := map (fun e => (e, highs (snd e))) numbered.

(* how many persons of a cell have a value: no more than this at first, and its weight *)
Record part := Part { cell_of : nat; value_of : nat; high : Z; weight : Z }.
Definition no_or_one (w : Z) (c v : nat) (high : Z) : list part := if 0 <? high then [Part c v high w] else [].
Definition parts (ls : list line) (k : sum) (w : Z) : list part :=
  match k with
  | Persons c =>
      match nth_error ls c with
      | Some (_, hs) => flat_map (fun vh => no_or_one w c (fst vh) (snd vh)) (combine (seq 0 values) hs)
      | None => [] end
  | Count r g v =>
      flat_map (fun l => if inside r g (snd (fst l)) then no_or_one w (fst (fst l)) v (nth v (snd l) 0) else []) ls
  end.
Definition published (k : sum) : Z :=
  match k with
  | Persons c => match nth_error cells c with Some e => persons e | None => 0 end
  | Count r g v => if Nat.ltb v values then count r g v else 0 end.

(* where what belongs to a cell and a value is kept *)
Definition place (c v : nat) : nat := (c * values + v)%nat.
(* equal numbers of persons are one, with the sum of their weights *)
Fixpoint merged (p : part) (ps : list part) : list part :=
  match ps with
  | [] => [p]
  | q :: ps =>
      if Nat.eqb (value_of q) (value_of p) && Nat.eqb (cell_of q) (cell_of p)
      then Part (cell_of q) (value_of q) (high q) (weight q + weight p) :: ps else q :: merged p ps
  end.
Definition tallied (ps : list part) : tree part :=
  fold_right (fun p t => let n := place (cell_of p) (value_of p) in change (S n) (merged p) n t) Leaf ps.

(* what facts have shown: of a cell and a value at least, and at most *)
Record shown := Shown { shown_cell : nat; shown_value : nat; least : Z; most : Z }.
Definition bounds (known : tree shown) (c v : nat) (high : Z) : Z * Z :=
  match find (fun s => Nat.eqb (shown_value s) v && Nat.eqb (shown_cell s) c) (get known (place c v)) with
  | Some s => (least s, most s) | None => (0, high) end.
Definition costs (known : tree shown) (p : part) : Z :=
  if weight p =? 0 then 0 else
  let (l, h) := bounds known (cell_of p) (value_of p) (high p) in
  if 0 <? weight p then weight p * h else weight p * l.

Definition first_high (ls : list line) (c v : nat) : Z :=
  match nth_error ls c with Some (_, hs) => nth v hs 0 | None => 0 end.
(* above what the number of persons, in parts of the denominator and with its sign, cannot be *)
Definition right_side (ls : list line) (known : tree shown) (f : fact) : Z :=
  let own := Part (of_cell f) (of_value f) (first_high ls (of_cell f) (of_value f))
               (if is_most f then common f else - common f) in
  let others := flat_map (fun k => parts ls (fst k) (- snd k)) (weights f) in
  total (fun k => snd k * published (fst k)) (weights f)
  + total (costs known) (entries (tallied (own :: others))).
Definition fact_ok (ls : list line) (known : tree shown) (f : fact) : bool :=
  (0 <? common f) && Nat.ltb (of_cell f) (length cells) && Nat.ltb (of_value f) values
  && forallb (fun k => 0 <? published (fst k)) (weights f)
  && (right_side ls known f <? common f * (if is_most f then number f + 1 else 1 - number f)).
Definition learned (ls : list line) (known : tree shown) (f : fact) : tree shown :=
  let c := of_cell f in let v := of_value f in
  let (l, h) := bounds known c v (first_high ls c v) in
  let s := if is_most f then Shown c v l (Z.min (number f) h) else Shown c v (Z.max (number f) l) h in
  change (S (place c v)) (cons s) (place c v) known.
Fixpoint all_facts (ls : list line) (known : tree shown) (fs : list fact) : bool :=
  match fs with
  | [] => true
  | f :: fs => fact_ok ls known f && all_facts ls (learned ls known f) fs end.

Definition cell_ok (e : cell) : bool :=
  (0 <? persons e) && Nat.eqb (length (cell_places e)) (length releases)
  && existsb (fun p => match p with Some _ => true | None => false end) (cell_places e)
  && forallb (fun p => match fst p with Some g => Nat.ltb g (length (snd p)) | None => true end)
       (combine (cell_places e) releases).
Definition row_ok (row : counts) : bool := Nat.eqb (length row) values && nonneg row.
(* each class has as many records as its cells have persons *)
Definition sizes_ok : bool :=
  forallb (fun r => forallb (fun g =>
      size (nth g (nth r releases []) []) =? total (fun e => persons e) (filter (inside r g) cells))
    (seq 0 (length (nth r releases [])))) (seq 0 (length releases)).
Definition check_composition (fs : list fact) : bool :=
  forallb (forallb row_ok) releases && forallb cell_ok cells && sizes_ok && all_facts lines Leaf fs.

(* the cells whose persons all have one value, as facts say *)
Definition settles (f : fact) : bool :=
  negb (is_most f) && match nth_error cells (of_cell f) with Some e => number f =? persons e | None => false end.
Definition certain (fs : list fact) : list nat := map of_cell (filter settles fs).

(* ---- sums and trees ----------------------------------------------------------------------------- *)
Lemma total_app {A : Type} (f : A -> Z) l m : total f (l ++ m) = total f l + total f m.
Proof. induction l as [|a l IH]; simpl; [easy|]. lia. Qed.

Lemma total_nonneg {A : Type} (f : A -> Z) l : (forall a, In a l -> 0 <= f a) -> 0 <= total f l.
Proof.
induction l as [|a l IH]; simpl; [easy|]. intros H. assert (X := H a (or_introl eq_refl)).
assert (Y : 0 <= total f l) by (apply IH; auto). lia.
Qed.

Lemma total_member {A : Type} (f : A -> Z) l a : (forall a, In a l -> 0 <= f a) -> In a l -> f a <= total f l.
Proof.
induction l as [|b l IH]; [easy|]. intros H [->|I]; simpl.
- assert (Y : 0 <= total f l) by (apply total_nonneg; intros; apply H; now right). lia.
- assert (X := H b (or_introl eq_refl)).
  assert (Y : f a <= total f l) by (apply IH; trivial; intros; apply H; now right). lia.
Qed.

Lemma total_le {A : Type} (f g : A -> Z) l : (forall a, In a l -> f a <= g a) -> total f l <= total g l.
Proof.
induction l as [|a l IH]; [simpl; lia|]. intros H. assert (X := H a (or_introl eq_refl)).
assert (Y : total f l <= total g l) by (apply IH; intros; apply H; now right). simpl. lia.
Qed.

Lemma get_entries {A : Type} (t : tree A) : forall n a, In a (get t n) -> In a (entries t).
Proof.
induction t as [|o IHo here e IHe]; simpl; [easy|]. intros n a. rewrite !in_app_iff.
destruct (Nat.eqb n 0); [tauto|]. destruct (is_odd n); eauto.
Qed.

Lemma rest_less n : n <> 0%nat -> (rest n < n)%nat.
Proof.
intros N. unfold rest. apply Nat.le_lt_trans with (Nat.pred n); [|lia].
rewrite Nat.div2_div. apply Nat.div_le_upper_bound; lia.
Qed.

Lemma change_total {A : Type} (w : A -> Z) (f : list A -> list A) d (F : forall l, total w (f l) = d + total w l) :
  forall steps n t, (n < steps)%nat -> total w (entries (change steps f n t)) = d + total w (entries t).
Proof.
induction steps as [|steps IH]; intros n t L; [lia|].
assert (E : total w (entries (change (S steps) f n t)) =
  d + total w (entries (match t with Leaf => Node Leaf [] Leaf | _ => t end))).
{ assert (M := rest_less n). simpl change.
  destruct t as [|o here e]; (destruct (Nat.eqb_spec n 0) as [->|N]; [|destruct (is_odd n)]); cbn [entries];
    rewrite ?total_app, ?F, ?IH by (specialize (M N); lia); cbn [entries]; lia. }
rewrite E. now destruct t.
Qed.

Lemma change_all {A : Type} (P : A -> Prop) (f : list A -> list A) (F : forall l, Forall P l -> Forall P (f l)) :
  forall steps n t, Forall P (entries t) -> Forall P (entries (change steps f n t)).
Proof.
induction steps as [|steps IH]; intros n t H; [trivial|]. simpl change.
destruct t as [|o here e]; cbn [entries] in H;
  [assert (O : Forall P (@nil A)) by constructor|apply Forall_app in H as [O H]; apply Forall_app in H as [O' E']];
  (destruct (Nat.eqb n 0); [|destruct (is_odd n)]); cbn [entries]; rewrite ?Forall_app; repeat split; auto;
  apply IH; trivial.
Qed.

(* ---- places ------------------------------------------------------------------------------------------ *)
Lemma places_of {A B : Type} (f : nat * A -> B) (l : list A) : forall k c,
  nth_error (map f (combine (seq k (length l)) l)) c
  = match nth_error l c with Some a => Some (f ((k + c)%nat, a)) | None => None end.
Proof.
induction l as [|a l IH]; intros k [|c]; simpl; trivial.
- now rewrite Nat.add_0_r.
- rewrite IH. now rewrite Nat.add_succ_r.
Qed.

Lemma line_at c : nth_error lines c = match nth_error cells c with Some e => Some ((c, e), highs e) | None => None end.
Proof. unfold lines, numbered. now rewrite places_of. Qed.

Lemma numbered_at c e : In (c, e) numbered <-> nth_error cells c = Some e.
Proof.
assert (E := places_of (fun a : nat * cell => a) cells 0). rewrite map_id in E. unfold numbered. split.
- intros H. apply In_nth_error in H as [n H]. rewrite E in H.
  destruct (nth_error cells n) as [e'|] eqn:N; [|easy]. injection H as <- <-. exact N.
- intros H. apply nth_error_In with c. now rewrite E, H.
Qed.

Lemma lower_length a : forall b, length (lower a b) = Nat.min (length a) (length b).
Proof. induction a as [|z a IH]; intros [|y b]; simpl; trivial. now rewrite IH. Qed.

Lemma lower_nth a : forall b v, (v < length a)%nat -> (v < length b)%nat ->
  nth v (lower a b) 0 = Z.min (nth v a 0) (nth v b 0).
Proof.
induction a as [|z a IH]; intros [|y b] [|v]; simpl; try lia. intros L M. apply IH; lia.
Qed.

Lemma lowest p z v (V : (v < values)%nat) rows : z <= p ->
  (forall row, In row rows -> length row = values /\ z <= nth v row 0) ->
  length (fold_right lower (repeat p values) rows) = values /\ z <= nth v (fold_right lower (repeat p values) rows) 0.
Proof.
intros P. induction rows as [|row rows IH]; cbn [fold_right].
- intros _. rewrite repeat_length. split; trivial. rewrite (nth_indep _ 0 p) by now rewrite repeat_length.
  now rewrite nth_repeat.
- intros H. destruct (H row (or_introl eq_refl)) as [L B]. destruct IH as [L' B']; [intros; apply H; now right|].
  rewrite lower_length, lower_nth by lia. split; lia.
Qed.

(* ---- what is so of any numbers that fulfil the published sums ---------------------------------------- *)
Section Fulfilled.
Hypothesis rows_ok : forallb (forallb row_ok) releases = true.
Hypothesis cells_ok : forallb cell_ok cells = true.
Variable x : nat -> nat -> Z.
Hypothesis X : fulfils x.

Definition worth (p : part) : Z := weight p * x (cell_of p) (value_of p).
Definition fits (p : part) : Prop := x (cell_of p) (value_of p) <= high p.
Definition so (s : shown) : Prop := least s <= x (shown_cell s) (shown_value s) <= most s.

Lemma in_class c e r g v : nth_error cells c = Some e -> is_class r g -> inside r g e = true -> (v < values)%nat ->
  x c v <= count r g v.
Proof.
intros C G I V. destruct X as [N [_ S]]. rewrite <- (S r g v G V).
apply (total_member (fun e => x (fst e) v) _ (c, e)); [intros; apply N|].
apply filter_In. split; trivial. now apply numbered_at.
Qed.

Lemma in_cell c e v : nth_error cells c = Some e -> (v < values)%nat -> x c v <= persons e.
Proof.
intros C V. destruct X as [N [S _]]. rewrite <- (S c e C).
apply (total_member (x c)); [intros; apply N|]. apply in_seq. lia.
Qed.

Lemma combine_at {A B : Type} (l : list A) : forall (m : list B) a b, In (a, b) (combine l m) ->
  exists n, nth_error l n = Some a /\ nth_error m n = Some b.
Proof.
induction l as [|z l IH]; intros [|y m] a b; simpl; try easy. intros [E|H].
- injection E as <- <-. now exists 0%nat.
- apply IH in H as [n H]. now exists (S n).
Qed.

Lemma high_ok c e v : nth_error cells c = Some e -> (v < values)%nat ->
  length (highs e) = values /\ x c v <= nth v (highs e) 0.
Proof.
intros C V. unfold highs. apply lowest; [trivial|now apply in_cell|].
intros row H. unfold counts_of in H. apply in_flat_map in H as [[[g|] u] [H R]]; [|easy].
destruct R as [<-|[]]. cbn [fst snd] in *.
assert (K := proj1 (forallb_forall _ _) cells_ok e (nth_error_In _ _ C)). unfold cell_ok in K.
rewrite !andb_true_iff, !forallb_forall in K. destruct K as [_ K]. specialize (K _ H). cbn [fst snd] in K.
apply Nat.ltb_lt in K. apply combine_at in H as [r [P U]].
assert (L : (r < length releases)%nat) by (apply nth_error_Some; intros Q; discriminate (eq_trans (eq_sym Q) U)).
assert (E : nth r releases [] = u) by now apply nth_error_nth.
split.
- assert (T := proj1 (forallb_forall _ _) rows_ok u (nth_error_In _ _ U)).
  assert (W := proj1 (forallb_forall _ _) T _ (nth_In u [] K)). unfold row_ok in W.
  rewrite andb_true_iff, Nat.eqb_eq in W. tauto.
- assert (B := in_class c e r g v C). unfold count in B. rewrite E in B. apply B; trivial.
  + split; trivial. now rewrite E.
  + unfold inside. rewrite (nth_error_nth _ _ _ P). apply Nat.eqb_refl.
Qed.

Lemma first_high_ok c v : (c < length cells)%nat -> (v < values)%nat -> x c v <= first_high lines c v.
Proof.
intros C V. unfold first_high. rewrite line_at. destruct (nth_error cells c) as [e|] eqn:E.
- now apply (high_ok c e v).
- now apply nth_error_None in E; apply Nat.le_ngt in E.
Qed.

Lemma no_or_one_worth w c v h : x c v <= h -> total worth (no_or_one w c v h) = w * x c v /\ Forall fits (no_or_one w c v h).
Proof.
intros H. unfold no_or_one. destruct (Z.ltb_spec 0 h) as [L|L]; simpl.
- split; [unfold worth; simpl; lia|]. now repeat constructor.
- assert (N := proj1 X c v). split; [|constructor]. replace (x c v) with 0 by lia. lia.
Qed.

Lemma along w c hs : forall k, (forall i, (i < length hs)%nat -> x c (k + i)%nat <= nth i hs 0) ->
  total worth (flat_map (fun vh => no_or_one w c (fst vh) (snd vh)) (combine (seq k (length hs)) hs))
    = w * total (x c) (seq k (length hs)) /\
  Forall fits (flat_map (fun vh => no_or_one w c (fst vh) (snd vh)) (combine (seq k (length hs)) hs)).
Proof.
induction hs as [|h hs IH]; intros k H; [simpl; split; [lia|constructor]|].
cbn [length seq combine flat_map fst snd total]. rewrite total_app, Forall_app.
assert (B := H 0%nat (Nat.lt_0_succ _)). rewrite Nat.add_0_r in B. simpl in B.
destruct (no_or_one_worth w c k h B) as [-> F]. destruct (IH (S k)) as [-> G].
- intros i I. specialize (H (S i)). rewrite Nat.add_succ_r in H. apply H. simpl. lia.
- split; [lia|easy].
Qed.

Lemma parts_worth k w : 0 < published k ->
  total worth (parts lines k w) = w * published k /\ Forall fits (parts lines k w).
Proof.
destruct k as [c|r g v]; simpl.
- rewrite line_at. destruct (nth_error cells c) as [e|] eqn:E; [|lia]. intros _. cbn [fst snd].
  destruct X as [_ [S _]]. rewrite <- (S c e E).
  destruct (Nat.eq_dec values 0) as [Z|Z]; [rewrite Z; simpl; split; [lia|constructor]|].
  assert (L : length (highs e) = values) by (apply (high_ok c e 0 E); lia).
  assert (A := along w c (highs e) 0). rewrite L in A. apply A.
  intros i I. apply (high_ok c e i E). lia.
- destruct (Nat.ltb_spec v values) as [V|V]; [|lia]. intros P.
  assert (G : is_class r g).
  { unfold count in P. split.
    - destruct (Nat.lt_ge_cases r (length releases)) as [R|R]; trivial.
      rewrite (nth_overflow releases) in P by trivial. destruct g, v; simpl in P; lia.
    - destruct (Nat.lt_ge_cases g (length (nth r releases []))) as [R|R]; trivial.
      rewrite (nth_overflow (nth r releases [])) in P by trivial. destruct v; simpl in P; lia. }
  rewrite <- (proj2 (proj2 X) r g v G V). unfold lines.
  assert (A : forall p, In p numbered -> x (fst p) v <= nth v (highs (snd p)) 0).
  { intros [c e] H. apply numbered_at in H. now apply (high_ok c e v). }
  induction numbered as [|[c e] l IH]; [simpl; split; [lia|constructor]|].
  destruct IH as [T F]; [intros; apply A; now right|].
  cbn [map flat_map filter fst snd]. rewrite total_app, Forall_app, T.
  destruct (inside r g e); cbn [total fst]; [|split; [lia|split; [constructor|trivial]]].
  destruct (no_or_one_worth w c v _ (A (c, e) (or_introl eq_refl))) as [S W]. cbn [fst snd] in *. rewrite S. split; [lia|easy].
Qed.

Lemma merged_worth p ps : total worth (merged p ps) = worth p + total worth ps.
Proof.
induction ps as [|q ps IH]; [easy|]. simpl. destruct (Nat.eqb_spec (value_of q) (value_of p)) as [V|V];
  destruct (Nat.eqb_spec (cell_of q) (cell_of p)) as [C|C]; simpl; rewrite ?IH; try lia.
unfold worth. simpl. rewrite V, C. lia.
Qed.

Lemma merged_fits p ps : fits p -> Forall fits ps -> Forall fits (merged p ps).
Proof.
intros P F. induction F as [|q ps Q F IH]; simpl; [now repeat constructor|].
destruct (Nat.eqb _ _ && Nat.eqb _ _); constructor; trivial.
Qed.

Lemma tallied_worth ps : total worth (entries (tallied ps)) = total worth ps.
Proof.
induction ps as [|p ps IH]; trivial. unfold tallied. cbn [fold_right total]. fold (tallied ps). rewrite <- IH.
apply (change_total worth (merged p) (worth p)); [apply merged_worth|lia].
Qed.

Lemma tallied_fits ps : Forall fits ps -> Forall fits (entries (tallied ps)).
Proof.
induction 1 as [|p ps P F IH]; [constructor|]. apply (change_all fits (merged p)); trivial.
intros l L. now apply merged_fits.
Qed.

Lemma bounds_so known c v h : Forall so (entries known) -> x c v <= h ->
  fst (bounds known c v h) <= x c v <= snd (bounds known c v h).
Proof.
intros K H. unfold bounds. destruct (find _ _) as [s|] eqn:F; [|split; [apply X|trivial]].
apply find_some in F as [I E]. apply get_entries in I. rewrite andb_true_iff, !Nat.eqb_eq in E. destruct E as [V C].
rewrite Forall_forall in K. specialize (K s I). unfold so in K. now rewrite V, C in K.
Qed.

Lemma costs_worth known p : Forall so (entries known) -> fits p -> worth p <= costs known p.
Proof.
intros K F. unfold worth, costs. assert (B := bounds_so known _ _ _ K F).
destruct (Z.eqb_spec (weight p) 0) as [->|N]; [lia|].
destruct (bounds known (cell_of p) (value_of p) (high p)) as [l h]. cbn [fst snd] in B.
destruct (Z.ltb_spec 0 (weight p)); nia.
Qed.

Lemma others_worth ks : forallb (fun k => 0 <? published (fst k)) ks = true ->
  total worth (flat_map (fun k => parts lines (fst k) (- snd k)) ks)
    = - total (fun k => snd k * published (fst k)) ks /\
  Forall fits (flat_map (fun k => parts lines (fst k) (- snd k)) ks).
Proof.
induction ks as [|k ks IH]; simpl; [now split; [|constructor]|]. rewrite andb_true_iff, Z.ltb_lt. intros [P H].
rewrite total_app, Forall_app. destruct (parts_worth (fst k) (- snd k) P) as [-> F]. destruct (IH H) as [-> G].
split; [lia|easy].
Qed.

Theorem right_side_bound known f : Forall so (entries known) ->
  (of_cell f < length cells)%nat -> (of_value f < values)%nat ->
  forallb (fun k => 0 <? published (fst k)) (weights f) = true ->
  (if is_most f then common f else - common f) * x (of_cell f) (of_value f) <= right_side lines known f.
Proof.
intros K C V P. unfold right_side. set (own := Part _ _ _ _). set (others := flat_map _ _).
destruct (others_worth (weights f) P) as [T F]. fold others in T, F.
assert (O : fits own) by now apply first_high_ok.
assert (A : Forall fits (entries (tallied (own :: others)))) by (apply tallied_fits; now constructor).
assert (W := tallied_worth (own :: others)). cbn [total] in W.
assert (B : total worth (entries (tallied (own :: others))) <= total (costs known) (entries (tallied (own :: others)))).
{ apply total_le. intros p I. rewrite Forall_forall in A. now apply costs_worth; [|apply A]. }
assert (E : worth own = (if is_most f then common f else - common f) * x (of_cell f) (of_value f)) by reflexivity.
lia.
Qed.

Lemma fact_so known f : Forall so (entries known) -> fact_ok lines known f = true ->
  holds x f /\ Forall so (entries (learned lines known f)).
Proof.
intros K H. unfold fact_ok in H. rewrite !andb_true_iff, !Z.ltb_lt, !Nat.ltb_lt in H.
destruct H as [[[[S C] V] P] R]. assert (B := right_side_bound known f K C V P).
assert (H : holds x f) by (unfold holds; destruct (is_most f); nia). split; trivial.
unfold learned. assert (Y := bounds_so known _ _ _ K (first_high_ok _ _ C V)).
destruct (bounds known (of_cell f) (of_value f) _) as [l h]. cbn [fst snd] in Y.
apply change_all; trivial. intros ss F. constructor; trivial.
unfold holds in H. unfold so. destruct (is_most f); simpl; lia.
Qed.

Lemma facts_so fs : forall known, Forall so (entries known) -> all_facts lines known fs = true ->
  forall f, In f fs -> holds x f.
Proof.
induction fs as [|f fs IH]; [easy|]. simpl. intros known K. rewrite andb_true_iff. intros [O A] e [<-|I].
- now apply (fact_so known f).
- apply (IH (learned lines known f)); trivial. now apply fact_so.
Qed.
End Fulfilled.

Lemma facts_in_range ls fs : forall known, all_facts ls known fs = true -> forall f, In f fs -> (of_value f < values)%nat.
Proof.
induction fs as [|f fs IH]; [easy|]. simpl. intros known. rewrite andb_true_iff. intros [O A] e [<-|I]; [|eauto].
unfold fact_ok in O. rewrite !andb_true_iff, !Nat.ltb_lt in O. tauto.
Qed.

Theorem check_composition_sound fs : check_composition fs = true ->
  (forall r g, is_class r g ->
     size (nth g (nth r releases []) []) = total (fun e => persons e) (filter (inside r g) cells)) /\
  (forall x, fulfils x -> forall f, In f fs -> holds x f).
Proof.
unfold check_composition. rewrite !andb_true_iff. intros [[[R C] S] F]. split.
- intros r g [L M]. unfold sizes_ok in S. rewrite forallb_forall in S.
  specialize (S r). rewrite in_seq, forallb_forall in S. apply Z.eqb_eq, S; [lia|]. apply in_seq. lia.
- intros x X. apply (facts_so R C x X fs Leaf); [constructor|trivial].
Qed.

Lemma others_none (f : nat -> Z) l : (forall v, 0 <= f v) -> NoDup l -> forall v w, In v l -> In w l -> w <> v ->
  total f l <= f v -> f w = 0.
Proof.
intros N D v w V W E H. apply in_split in V as [a [b ->]].
rewrite total_app in H. cbn [total] in H.
assert (A := total_nonneg f a (fun v _ => N v)). assert (B := total_nonneg f b (fun v _ => N v)).
assert (I : In w a \/ In w b) by (apply in_app_iff in W as [W|[W|W]]; auto; congruence).
assert (F := N w). destruct I as [I|I]; apply (total_member f) in I; try (intros; apply N); lia.
Qed.

Theorem certain_values fs c : check_composition fs = true -> In c (certain fs) ->
  exists v e, (v < values)%nat /\ nth_error cells c = Some e /\
    forall x, fulfils x -> x c v = persons e /\ forall w, (w < values)%nat -> w <> v -> x c w = 0.
Proof.
intros K I. apply in_map_iff in I as [f [<- I]]. apply filter_In in I as [I S].
unfold settles in S. destruct (nth_error cells (of_cell f)) as [e|] eqn:E; [|now rewrite andb_false_r in S].
rewrite andb_true_iff, negb_true_iff, Z.eqb_eq in S. destruct S as [M S].
assert (V : (of_value f < values)%nat).
{ unfold check_composition in K. rewrite !andb_true_iff in K. now apply (facts_in_range lines fs Leaf). }
exists (of_value f), e. split; [trivial|]. split; [trivial|]. intros x X.
assert (H := proj2 (check_composition_sound fs K) x X f I). unfold holds in H. rewrite M, S in H.
destruct X as [N [T X]]. specialize (T _ _ E).
assert (L : x (of_cell f) (of_value f) <= total (x (of_cell f)) (seq 0 values))
  by (apply total_member; [intros; apply N|apply in_seq; lia]).
split; [lia|]. intros w W D. apply (others_none (x (of_cell f)) (seq 0 values)) with (of_value f); trivial.
- apply seq_NoDup.
- apply in_seq. lia.
- apply in_seq. lia.
- lia.
Qed.
End Sums.
