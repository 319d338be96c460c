(* An executable checker of audits, proved sound: the classes of a table, the worst class
   of each measure with its value, and which conditions all classes meet.  It is meant for
   extraction, as Checker.v is.

   A table is a list of rows as in LatticeChecker.v, one row a class.  A number is what is
   above and what is below the line; with 0 below it is infinite.

   Places in the papers: t-closeness paper, section 4 (Definition 2); l-diversity paper,
   section 4.2; (alpha,k)-anonymity, beta-likeness, exp(epsilon)-closeness: what each model
   asks of every class
     at_most_larger      the larger of two numbers is at most a third iff both are
     tail_measured, commonest_measured, share_measured, gain_measured, distance_measured
                         a measure is within a bound iff the condition with it is met
     ratio_measured      and the ratios are iff each of them is
     measured_proper     a measure of a class is a number of at least 0, or infinite
     ascending_distinct  rows in the order of their codes are different classes
     check_audit_sound   if it accepts: the table has so many classes, each named class has
                         its value, no class has a worse one, and all classes meet a
                         condition iff it is said
     check_audit_complete
                         what is so is accepted

   The idea in three lines:
   - each measure of a class is a fraction of whole numbers, or the largest of some;
   - fractions are compared by multiplying across, and infinite ones too;
   - so one pass over the classes decides. *)
From Coq Require Import ZArith List Bool Lia Arith.
From Tcloseness Require Import Counts Conditions LatticeChecker.
Import ListNotations.
Local Open Scope Z_scope.

Definition fraction := (Z * Z)%type.
Definition same (f g : fraction) : bool := fst f * snd g =? fst g * snd f.
Definition at_most (f g : fraction) : bool := fst f * snd g <=? fst g * snd f.
Definition larger (f g : fraction) : fraction := if at_most f g then g else f.
Definition largest (fs : list fraction) : fraction := fold_right larger (0, 1) fs.
Definition proper (f : fraction) : bool :=
  (0 <=? fst f) && (0 <=? snd f) && ((0 <? fst f) || (0 <? snd f)).

Inductive measure :=
| LeastRecords                                     (* n *)
| LeastValues                                      (* how many values occur *)
| GreatestTail (l : nat)                           (* r_1 / (r_l + ... + r_m); 0 if l = 1 *)
| LeastCommonest                                   (* n / r_1 *)
| GreatestShare (values : list nat)                (* x_v / n, of these values *)
| GreatestGain                                     (* x_v / n over q_v / N, less 1; at least 0 *)
| GreatestRatio (skipped : bool)                   (* that ratio or its reciprocal *)
| GreatestDistance (d : Z) (cuts : list cut).      (* sum w |x(S) / n - q(S) / N| / d *)

Definition least (m : measure) : bool :=
  match m with LeastRecords | LeastValues | LeastCommonest => true | _ => false end.
Definition gain_of (e : fraction) : fraction :=
  let (a, b) := e in if b <? a then (a - b, b) else (0, 1).
(* of a value that is absent, or of one that is nowhere, the ratio may be left out *)
Definition left_out (skipped : bool) (e : fraction) : bool :=
  (fst e =? 0) && (skipped || (snd e =? 0)).
Definition ratio_of (skipped : bool) (e : fraction) : fraction :=
  if left_out skipped e then (0, 1) else (Z.max (fst e) (snd e), Z.min (fst e) (snd e)).
(* x_v N and n q_v, value by value *)
Definition ratios (q x : counts) : list fraction :=
  let big := size q in let n := size x in
  map (fun e : Z * Z => (fst e * big, n * snd e)) (combine x q).
Definition top_count (x : counts) : Z := nth 1 (bests 1 x) 0.

Definition measured (q : counts) (m : measure) (x : counts) : fraction :=
  match m with
  | LeastRecords => (size x, 1)
  | LeastValues => (occurring x, 1)
  | GreatestTail l =>
      if Nat.leb l 1 then (0, 1) else
      (top_count x, if Nat.leb l (length x) then tail l x else 0)
  | LeastCommonest => (size x, top_count x)
  | GreatestShare values => (fold_right (fun v z => Z.max (nth v x 0) z) 0 values, size x)
  | GreatestGain => largest (map gain_of (ratios q x))
  | GreatestRatio skipped => largest (map (ratio_of skipped) (ratios q x))
  | GreatestDistance d cuts => (work cuts q x, d * size q * size x)
  end.

(* what is said of a class: the value of a measure; or its entropy, of which exp is at least
   a / b, and less than that and a unit of the ninth decimal *)
Inductive said := Value (m : measure) (f : fraction) | Effective (a b : Z).
Definition unit_below : Z := 1000000000.
Definition has (q : counts) (s : said) (x : counts) : bool :=
  match s with
  | Value m f => same (measured q m x) f
  | Effective a b =>
      satisfies q (Entropy a b) x
      && negb (satisfies q (Entropy (a * unit_below + b) (b * unit_below)) x)
  end.
Definition no_worse (q : counts) (s : said) (x : counts) : bool :=
  match s with
  | Value m f => if least m then at_most f (measured q m x) else at_most (measured q m x) f
  | Effective a b => satisfies q (Entropy a b) x
  end.
Definition said_formed (m : nat) (s : said) : bool :=
  match s with
  | Value e f =>
      (0 <=? snd f) && ((0 <? fst f) || (0 <? snd f)) &&
      match e with GreatestDistance d cuts => formed m (Distance 0 1 d cuts) | _ => true end
  | Effective a b => (0 <? a) && (0 <? b) end.

(* the codes of rows one after the other, so that none is there twice *)
Fixpoint before (x y : codes) : bool :=
  match x, y with a :: x, b :: y => Nat.ltb a b || (Nat.eqb a b && before x y) | _, _ => false end.
Fixpoint ascending (l : list codes) : bool :=
  match l with x :: (y :: _) as rest => before x y && ascending rest | _ => true end.

Section Audit.
Variables (hs : list hierarchy) (t : rows) (marks : option codes) (all : bool).

(* the classes without that of the suppressed records, and what they are measured against *)
Definition marked (r : codes * counts) : bool :=
  match marks with Some c => eqb (fst r) c | None => false end.
Definition released : rows := filter (fun r => negb (marked r)) t.
Definition suppressed_records : Z := size (sum (filter marked t)).
Definition reference : counts := sum (if all then t else released).

Definition audited (r : codes * counts) : bool := nonneg (snd r) && (0 <? size (snd r)).
Definition entry_ok (q : counts) (u : rows) (e : codes * said) : bool :=
  said_formed (length q) (snd e)
  && existsb (fun r => eqb (fst r) (fst e) && has q (snd e) (snd r)) u
  && forallb (fun r => no_worse q (snd e) (snd r)) u.
Definition all_meet (q : counts) (u : rows) (c : condition) : bool :=
  forallb (fun r => satisfies q c (snd r)) u.
Fixpoint verdicts (q : counts) (u : rows) (cs : list condition) (holds : list bool) : bool :=
  match cs, holds with
  | [], [] => true
  | c :: cs, h :: holds => Bool.eqb (all_meet q u c) h && verdicts q u cs holds
  | _, _ => false end.

Definition check_audit (cs : list condition) (classes : Z) (entries : list (codes * said))
    (holds : list bool) : bool :=
  let u := released in
  let q := reference in
  table_ok hs t && model_ok t cs && forallb audited t && ascending (map fst t)
  && (0 <? classes) && (Z.of_nat (length u) =? classes)
  && forallb (entry_ok q u) entries && verdicts q u cs holds.
End Audit.

(* ---- fractions ----------------------------------------------------------------- *)
Lemma at_most_trans f g h : proper f = true -> proper g = true -> proper h = true ->
  at_most f g = true -> at_most g h = true -> at_most f h = true.
Proof.
destruct f as [a b], g as [c d], h as [e k]. unfold proper, at_most. cbn [fst snd].
rewrite !andb_true_iff, !orb_true_iff, !Z.leb_le, !Z.ltb_lt. intros [[A B] F] [[C D] G] [[E K] H] X Y.
destruct (Z.eq_dec d 0) as [->|D0]; [|].
- assert (k = 0) by nia. nia.
- apply Z.mul_le_mono_pos_r with (p := d); [lia|].
  assert (a * d * k <= c * b * k) by (apply Z.mul_le_mono_nonneg_r; lia).
  assert (c * k * b <= e * d * b) by (apply Z.mul_le_mono_nonneg_r; lia). nia.
Qed.

Theorem at_most_larger f g h : proper f = true -> proper g = true -> proper h = true ->
  at_most (larger f g) h = at_most f h && at_most g h.
Proof.
intros F G H. unfold larger. destruct (at_most f g) eqn:E; apply eq_iff_eq_true; rewrite andb_true_iff.
- split; [|tauto]. intros X. split; trivial. exact (at_most_trans f g h F G H E X).
- split; [|tauto]. intros X. split; trivial. apply (at_most_trans g f h); trivial.
  unfold at_most in *. rewrite Z.leb_le. rewrite Z.leb_gt in E. lia.
Qed.

Lemma larger_proper f g : proper f = true -> proper g = true -> proper (larger f g) = true.
Proof. unfold larger. now destruct (at_most f g). Qed.

Lemma largest_proper fs : forallb proper fs = true -> proper (largest fs) = true.
Proof.
induction fs as [|f fs IH]; trivial. cbn [forallb largest fold_right]. rewrite andb_true_iff.
intros [F H]. apply larger_proper; auto.
Qed.

Lemma largestP fs h : forallb proper fs = true -> proper h = true ->
  at_most (largest fs) h = forallb (fun f => at_most f h) fs.
Proof.
intros F H. induction fs as [|f fs IH].
- cbn. unfold at_most, proper in *. cbn [fst snd]. rewrite !andb_true_iff, !Z.leb_le in H.
  apply Z.leb_le. lia.
- cbn [forallb] in F. apply andb_true_iff in F as [F1 F2]. cbn [forallb largest fold_right].
  rewrite at_most_larger; trivial; [|now apply largest_proper]. f_equal. now apply IH.
Qed.

(* ---- measures ------------------------------------------------------------------- *)
Section Measures.
Variables (q x : counts) (a b : Z).
Hypotheses (a0 : 0 <= a) (b0 : 0 < b) (x0 : nonneg x = true) (q0 : nonneg q = true)
  (n0 : 0 < size x) (m0 : 0 < size q).

Lemma ab_proper : proper (a, b) = true.
Proof. unfold proper. cbn [fst snd]. rewrite !andb_true_iff, orb_true_iff, !Z.leb_le, !Z.ltb_lt. lia. Qed.

Theorem tail_measured l : (1 < l)%nat ->
  satisfies q (Tail l a b) x = negb (at_most (a, b) (measured q (GreatestTail l) x)).
Proof.
intros L. unfold satisfies, measured, at_most, top_count. destruct (Nat.leb_spec l 1); [lia|].
cbn [fst snd]. assert (P := best_nonneg x 1 x0). rewrite best_last.
destruct (Nat.leb l (length x)).
- apply eq_iff_eq_true. rewrite negb_true_iff, Z.ltb_lt, Z.leb_gt. lia.
- symmetry. apply negb_false_iff, Z.leb_le. nia.
Qed.

Lemma best_one y z : nonneg y = true -> 0 <= z ->
  best 1 y <= z <-> forall v, (v < length y)%nat -> nth v y 0 <= z.
Proof.
intros Y Z0. revert Y. induction y as [|c y IH]; cbn [nonneg forallb].
- intros _. cbn. split; [intros _ v H; lia|lia].
- rewrite andb_true_iff, Z.leb_le. intros [C Y]. specialize (IH Y). cbn [best].
  replace (best 0 y) with 0 by (destruct y; trivial). split.
  + intros H [|v] L; cbn [nth length] in *; [lia|]. apply IH; lia.
  + intros H. assert (best 1 y <= z) by (apply IH; intros v L; apply (H (S v)); cbn [length]; lia).
    specialize (H 0%nat). cbn [nth length] in H. lia.
Qed.

Theorem commonest_measured :
  at_most (b, a) (measured q LeastCommonest x) = satisfies q (Share (seq 0 (length x)) a b) x.
Proof.
unfold measured, at_most, satisfies, top_count. cbn [fst snd]. rewrite best_last.
assert (A : 0 <= a * size x) by nia. assert (P := best_one x (a * size x / b) x0 (Z.div_pos _ _ A b0)).
assert (D : forall z, b * z <= a * size x <-> z <= a * size x / b).
{ intros z. split; [apply Z.div_le_lower_bound; lia|]. intros H.
  assert (M := Z.mul_div_le (a * size x) b b0). nia. }
apply eq_iff_eq_true. rewrite forallb_forall, Z.leb_le, (Z.mul_comm (size x)), D, P. split.
- intros H v Hv. apply in_seq in Hv. rewrite Z.leb_le. apply D, H. lia.
- intros H v L. apply D. rewrite <- Z.leb_le. apply H, in_seq. lia.
Qed.

Theorem share_measured values :
  at_most (measured q (GreatestShare values) x) (a, b) = satisfies q (Share values a b) x.
Proof.
unfold measured, at_most, satisfies. cbn [fst snd].
induction values as [|v values IH]; cbn [fold_right forallb].
- apply Z.leb_le. nia.
- rewrite <- IH. set (z := fold_right _ _ _). apply eq_iff_eq_true. rewrite andb_true_iff, !Z.leb_le. nia.
Qed.
End Measures.

Lemma combine_nonneg y : forall z, nonneg y = true -> nonneg z = true ->
  forall e, In e (combine y z) -> 0 <= fst e /\ 0 <= snd e.
Proof.
induction y as [|c y IH]; intros [|d z]; cbn [combine]; try easy.
cbn [nonneg forallb]. rewrite !andb_true_iff, !Z.leb_le. intros [C Y] [D Z] e [<-|H]; trivial.
- now split.
- exact (IH z Y Z e H).
Qed.

Section Ratios.
Variables q x : counts.
Hypotheses (x0 : nonneg x = true) (q0 : nonneg q = true).

Lemma ratios_nonneg e : In e (ratios q x) -> 0 <= fst e /\ 0 <= snd e.
Proof.
assert (N := size_nonneg x x0). assert (M := size_nonneg q q0).
unfold ratios. intros H. apply in_map_iff in H as [p [<- Hp]].
apply (combine_nonneg x q x0 q0) in Hp. cbn [fst snd]. nia.
Qed.

Lemma gains_proper : forallb proper (map gain_of (ratios q x)) = true.
Proof.
apply forallb_forall. intros f H. apply in_map_iff in H as [[c d] [<- He]].
apply ratios_nonneg in He. cbn [fst snd] in He. unfold gain_of.
destruct (Z.ltb_spec d c); unfold proper; cbn [fst snd];
  rewrite !andb_true_iff, orb_true_iff, !Z.leb_le, !Z.ltb_lt; lia.
Qed.

Lemma ratios_proper skipped : forallb proper (map (ratio_of skipped) (ratios q x)) = true.
Proof.
apply forallb_forall. intros f H. apply in_map_iff in H as [[c d] [<- He]].
apply ratios_nonneg in He. unfold ratio_of, left_out. cbn [fst snd] in *.
destruct (Z.eqb_spec c 0), (Z.eqb_spec d 0), skipped; cbn [andb orb]; unfold proper; cbn [fst snd];
  rewrite !andb_true_iff, orb_true_iff, !Z.leb_le, !Z.ltb_lt; lia.
Qed.
End Ratios.

Lemma gained_each a b n big : forall y z, length y = length z ->
  gained a b n big z y = forallb (fun e => b * big * fst e <=? a * n * snd e) (combine y z).
Proof.
unfold gained. induction y as [|c y IH]; intros [|d z] L; try easy.
cbn [map plus nonneg forallb combine fst snd] in *. f_equal; [|apply IH; now injection L].
apply eq_iff_eq_true. rewrite !Z.leb_le. lia.
Qed.
Theorem gain_measured q x a b : 0 <= a -> 0 < b -> nonneg x = true -> nonneg q = true ->
  length x = length q ->
  at_most (measured q GreatestGain x) (a, b) = satisfies q (Gain (a + b) b) x.
Proof.
intros a0 b0 x0 q0 L. assert (n0 := size_nonneg x x0). assert (m0 := size_nonneg q q0).
unfold measured, satisfies. rewrite largestP by (try apply ab_proper; try apply gains_proper; trivial).
rewrite gained_each by trivial. unfold ratios.
assert (P := combine_nonneg x q x0 q0). induction (combine x q) as [|[c d] es IH]; trivial.
cbn [map forallb fst snd]. rewrite IH by (intros e H; apply P; cbn; auto). f_equal.
destruct (P (c, d)) as [C D]; [cbn; auto|]. cbn [fst snd] in *.
unfold gain_of, at_most. apply eq_iff_eq_true.
destruct (Z.ltb_spec (size x * d) (c * size q)); cbn [fst snd]; rewrite !Z.leb_le; nia.
Qed.

(* every ratio that counts is between b / a and a / b *)
Theorem ratio_measured q x skipped a b : 0 <= a -> 0 < b -> nonneg x = true -> nonneg q = true ->
  at_most (measured q (GreatestRatio skipped) x) (a, b) =
  forallb (fun e => left_out skipped e || ((b * fst e <=? a * snd e) && (b * snd e <=? a * fst e)))
    (ratios q x).
Proof.
intros a0 b0 x0 q0. unfold measured.
rewrite largestP by (try apply ab_proper; try apply ratios_proper; trivial).
assert (P := ratios_nonneg q x x0 q0). induction (ratios q x) as [|[c d] es IH]; trivial.
cbn [map forallb]. rewrite IH by (intros e H; apply P; cbn; auto). f_equal.
destruct (P (c, d)) as [C D]; [cbn; auto|]. unfold ratio_of. destruct (left_out skipped (c, d)); cbn [orb].
- apply Z.leb_le. cbn [fst snd]. lia.
- unfold at_most. cbn [fst snd] in *. apply eq_iff_eq_true. rewrite andb_true_iff, !Z.leb_le.
  destruct (Z.max_spec c d) as [[? ->]|[? ->]], (Z.min_spec c d) as [[? ->]|[? ->]]; nia.
Qed.

Theorem distance_measured q x a b d cuts :
  at_most (measured q (GreatestDistance d cuts) x) (a, b) = satisfies q (Distance a b d cuts) x.
Proof.
unfold measured, at_most, satisfies. cbn [fst snd]. apply eq_iff_eq_true. rewrite !Z.leb_le. nia.
Qed.

Lemma best_size y : forall l, nonneg y = true -> best l y <= size y.
Proof.
induction y as [|c y IH]; intros l; [destruct l; cbn; lia|]. cbn [nonneg forallb].
rewrite andb_true_iff, Z.leb_le. intros [C Y]. assert (N := size_nonneg y Y).
change (size (c :: y)) with (c + size y). destruct l as [|l]; cbn [best]; [lia|].
assert (A := IH (S l) Y). assert (B := IH l Y). lia.
Qed.

Lemma top_positive y : nonneg y = true -> 0 < size y -> 0 < top_count y.
Proof.
unfold top_count. rewrite best_last. induction y as [|c y IH]; [cbn; lia|]. cbn [nonneg forallb].
rewrite andb_true_iff, Z.leb_le. intros [C Y]. change (size (c :: y)) with (c + size y). cbn [best].
replace (best 0 y) with 0 by (destruct y; trivial). specialize (IH Y). lia.
Qed.

Lemma work_nonneg q x cuts : forallb (fun c : cut => 0 <=? fst c) cuts = true -> 0 <= work cuts q x.
Proof.
induction cuts as [|[w s] cuts IH]; cbn [forallb work fst]; [lia|].
rewrite andb_true_iff, Z.leb_le. intros [W C]. specialize (IH C).
assert (A := Z.abs_nonneg (size q * held x s - size x * held q s)). nia.
Qed.

(* so a value is a number, or infinite, and is compared as such *)
Theorem measured_proper q x m f k : said_formed k (Value m f) = true -> nonneg x = true -> nonneg q = true ->
  0 < size x -> 0 < size q -> proper (measured q m x) = true.
Proof.
intros F x0 q0 n0 m0. assert (T := top_positive x x0 n0).
destruct m as [| |l| |values| |skipped|d cuts]; cbn [measured];
  try (now apply largest_proper, gains_proper); try (now apply largest_proper, ratios_proper);
  unfold proper; cbn [fst snd]; rewrite ?andb_true_iff, ?orb_true_iff, ?Z.leb_le, ?Z.ltb_lt; try lia.
- assert (A := occurring_nonneg x). lia.
- destruct (Nat.leb_spec l 1) as [|L]; cbn [fst snd]; rewrite ?andb_true_iff, ?orb_true_iff, ?Z.leb_le, ?Z.ltb_lt;
    [lia|]. destruct (Nat.leb l (length x)); [|lia]. destruct l as [|l]; [lia|]. rewrite tailE.
  assert (B := best_size x l x0). lia.
- assert (0 <= fold_right (fun v z => Z.max (nth v x 0) z) 0 values)
    by (clear F; induction values; cbn [fold_right]; lia). lia.
- unfold said_formed, formed in F. rewrite !andb_true_iff in F.
  destruct F as [_ [[[_ D] C] _]]. apply Z.ltb_lt in D.
  assert (W : 0 <= work cuts q x).
  { apply work_nonneg. rewrite forallb_forall in *. intros c Hc. specialize (C c Hc).
    now apply andb_true_iff in C as [C _]. }
  assert (0 < d * size q * size x) by (apply Z.mul_pos_pos; [now apply Z.mul_pos_pos|trivial]). lia.
Qed.

(* ---- classes --------------------------------------------------------------------- *)
Lemma before_irreflexive x : before x x = false.
Proof.
induction x as [|c x IH]; trivial. cbn [before]. now rewrite Nat.ltb_irrefl, Nat.eqb_refl, IH.
Qed.

Lemma before_trans x : forall y z, before x y = true -> before y z = true -> before x z = true.
Proof.
induction x as [|a x IH]; intros [|b y] [|c z]; cbn [before]; try easy.
rewrite !orb_true_iff, !andb_true_iff, !Nat.ltb_lt, !Nat.eqb_eq.
intros [A|[A X]] [B|[B Y]]; try (left; lia). right. split; [lia|]. exact (IH y z X Y).
Qed.

Lemma ascending_before l : forall x, ascending (x :: l) = true -> forall y, In y l -> before x y = true.
Proof.
induction l as [|z l IH]; intros x H y; [easy|].
change (before x z && ascending (z :: l) = true) in H. apply andb_true_iff in H as [B A].
intros [<-|I]; trivial. apply (before_trans x z y); trivial. exact (IH z A y I).
Qed.

Theorem ascending_distinct l : ascending l = true -> NoDup l.
Proof.
induction l as [|x l IH]; intros H; constructor.
- intros I. assert (B := ascending_before l x H x I). now rewrite before_irreflexive in B.
- apply IH. destruct l as [|y l]; trivial.
  change (before x y && ascending (y :: l) = true) in H. now apply andb_true_iff in H as [_ A].
Qed.

Lemma plus_same x : forall y, length x = length y -> length (plus x y) = length y.
Proof. induction x as [|a x IH]; intros [|b y] L; trivial; try easy. cbn [plus length]. f_equal. apply IH. now injection L. Qed.

Lemma sum_length m u : u <> [] -> (forall r, In r u -> length (snd r) = m) -> length (sum u) = m.
Proof.
induction u as [|r u IH]; [easy|]. intros _ H. change (sum (r :: u)) with (plus (snd r) (sum u)).
assert (R := H r (or_introl eq_refl)). destruct u as [|s u]; [cbn [sum fold_right]; now rewrite plus_nil|].
assert (S : length (sum (s :: u)) = m) by (apply IH; [easy|intros z Hz; apply H; now right]).
rewrite plus_same; [trivial|]. now rewrite S.
Qed.

Lemma verdictsP q u cs : forall holds, verdicts q u cs holds = true ->
  length holds = length cs /\
  forall i c, nth_error cs i = Some c -> nth_error holds i = Some (all_meet q u c).
Proof.
induction cs as [|c cs IH]; intros [|h holds]; cbn [verdicts]; try easy.
- split; trivial. intros [|i] c; easy.
- rewrite andb_true_iff, eqb_true_iff. intros [<- V]. apply IH in V as [L V]. split; [cbn; now rewrite L|].
  intros [|i] d; cbn [nth_error]; [now intros [= <-]|apply V].
Qed.

Theorem check_audit_sound hs t marks all cs classes entries holds :
  check_audit hs t marks all cs classes entries holds = true ->
  let u := released t marks in
  let q := reference t marks all in
  (* the classes: rows of records with equal codes, of which no two are equal *)
  NoDup (map fst t) /\ u <> [] /\ Z.of_nat (length u) = classes /\
  nonneg q = true /\ 0 < size q /\
  (forall r, In r u -> nonneg (snd r) = true /\ 0 < size (snd r) /\ length (snd r) = length q) /\
  (* the values *)
  (forall lab s, In (lab, s) entries ->
     said_formed (length q) s = true /\
     (exists x, In (lab, x) u /\ has q s x = true) /\
     (forall r, In r u -> no_worse q s (snd r) = true)) /\
  (* the verdicts *)
  forallb (formed (length q)) cs = true /\ length holds = length cs /\
  (forall i c h, nth_error cs i = Some c -> nth_error holds i = Some h ->
     (h = true <-> forall r, In r u -> satisfies q c (snd r) = true)).
Proof.
intros K u q. unfold check_audit, model_ok, table_ok in K. fold u q in K. rewrite !andb_true_iff in K.
destruct K as [[[[[[[[_ T] [_ F]] W] A] C] L] E] V].
apply Z.ltb_lt in C. apply Z.eqb_eq in L.
rewrite forallb_forall in T, W, E.
assert (U : u <> []) by (intros N; rewrite N in L; cbn in L; lia).
assert (I : forall r, In r u -> In r t) by (intros r H; unfold u, released in H; now apply filter_In in H).
set (m := length (sum t)) in *.
assert (M : forall r, In r t -> length (snd r) = m).
{ intros r H. specialize (T r H). apply andb_true_iff in T as [_ T]. now apply Nat.eqb_eq. }
assert (P : forall r, In r t -> nonneg (snd r) = true /\ 0 < size (snd r)).
{ intros r H. specialize (W r H). unfold audited in W. now rewrite andb_true_iff, Z.ltb_lt in W. }
set (w := if all then t else u). assert (Q : q = sum w) by (unfold q, reference, w, u; now destruct all).
assert (IW : forall r, In r w -> In r t) by (unfold w; destruct all; auto).
assert (NW : w <> []).
{ unfold w. destruct all; trivial. intros N. destruct u as [|r u']; [easy|].
  assert (X := I r (or_introl eq_refl)). now rewrite N in X. }
assert (LQ : length q = m) by (rewrite Q; apply sum_length; auto).
assert (QN : nonneg q = true) by (rewrite Q; apply sum_nonneg; intros r H; now apply P, IW).
assert (QS : 0 < size q).
{ rewrite Q. clear Q LQ QN. destruct w as [|r w']; [easy|]. cbn [sum fold_right]. fold (sum w').
  rewrite size_plus. destruct (P r (IW r (or_introl eq_refl))) as [_ R].
  assert (0 <= size (sum w')) by (apply size_nonneg, sum_nonneg; intros z H; apply P, IW; now right). lia. }
apply verdictsP in V as [VL V]. rewrite LQ. repeat split; trivial.
- now apply ascending_distinct.
- now apply P, I.
- now apply P, I.
- rewrite M; auto.
- specialize (E _ H). unfold entry_ok in E. rewrite !andb_true_iff, LQ in E. tauto.
- specialize (E _ H). unfold entry_ok in E. rewrite !andb_true_iff in E. destruct E as [[_ E] _].
  apply existsb_exists in E as [[l x] [Hr G]]. apply andb_true_iff in G as [G1 G2].
  apply eqb_eq in G1. cbn [fst snd] in *. subst l. now exists x.
- specialize (E _ H). unfold entry_ok in E. rewrite !andb_true_iff, forallb_forall in E. now apply E.
- intros h1 r Hr. rewrite (V _ _ H) in H0. injection H0 as H0. rewrite h1 in H0. unfold all_meet in H0.
  rewrite forallb_forall in H0. now apply H0.
- intros S. rewrite (V _ _ H) in H0. injection H0 as <-. unfold all_meet. now apply forallb_forall.
Qed.

(* and whatever is so is accepted, of a table in this form *)
Theorem check_audit_complete hs t marks all cs classes entries holds :
  table_ok hs t = true -> model_ok t cs = true -> forallb audited t = true ->
  ascending (map fst t) = true ->
  let u := released t marks in
  let q := reference t marks all in
  u <> [] -> Z.of_nat (length u) = classes ->
  (forall lab s, In (lab, s) entries ->
     said_formed (length q) s = true /\
     (exists x, In (lab, x) u /\ has q s x = true) /\
     (forall r, In r u -> no_worse q s (snd r) = true)) ->
  holds = map (all_meet q u) cs ->
  check_audit hs t marks all cs classes entries holds = true.
Proof.
intros T M W A u q U L E ->. unfold check_audit. fold u q. rewrite !andb_true_iff. repeat split; trivial.
- apply Z.ltb_lt. destruct u; [easy|]. cbn [length] in L. lia.
- now apply Z.eqb_eq.
- apply forallb_forall. intros [lab s] H. destruct (E lab s H) as [F [[x [X S]] N]].
  unfold entry_ok. rewrite !andb_true_iff. repeat split; trivial; [|now apply forallb_forall].
  apply existsb_exists. exists (lab, x). split; trivial. apply andb_true_iff. split; trivial. now apply eqb_eq.
- clear M. induction cs as [|c cs IH]; trivial. cbn [map verdicts]. now rewrite eqb_reflx, IH.
Qed.
