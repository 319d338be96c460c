(* An executable checker of what can be kept of all classes of a node, proved sound:
   suppression of records and hiding of sensitive values.  It is meant for extraction.

   Each class that violates has an entry: what is kept of it, which satisfies, and a bound
   on all that could be.  Q stays that of all records, so no class knows of another.

   Places in the papers: t-closeness paper, section 4 (records may be suppressed, and the
   reference is that of the whole table)
     kept_sound            entries add up: so much is kept, and no more can be
     check_kept_sound      the same of the classes of a node of a table
     check_shown_sound     and where values are hidden, with the records of whole classes

   The idea in three lines:
   - a class that satisfies is kept whole;
   - of any other no part that satisfies is larger than its bound (Keeping.v);
   - sums of what is kept and of what can be kept are over the same classes. *)
From Coq Require Import ZArith List Bool Lia Arith.
From Tcloseness Require Import Counts Conditions LatticeChecker EvenCounts Keeping.
Import ListNotations.
Local Open Scope Z_scope.

Record entry := Entry {
  entry_counts : counts;
  entry_kept : counts;
  entry_bound : Z;
  entry_above : option (Z * nat * list Z);
  entry_trees : Z -> cases }.

Fixpoint same_counts (x y : counts) : bool :=
  match x, y with
  | [], [] => true | a :: x, b :: y => (a =? b) && same_counts x y | _, _ => false end.

Section Kept.
Variables (q : counts) (cs : list condition).

Definition entry_ok (e : entry) : bool :=
  within (entry_kept e) (entry_counts e) && ((size (entry_kept e) =? 0) || satisfies_all q cs (entry_kept e))
  && (size (entry_kept e) <=? entry_bound e) && most q cs (entry_trees e) (entry_above e) (entry_bound e) (entry_counts e).

(* how much is kept, how much can be, and the classes that violate *)
Fixpoint totals (entries : list entry) (classes : list counts) : option (Z * Z * list counts) :=
  match classes with
  | [] => Some (0, 0, [])
  | c :: classes =>
      match totals entries classes with
      | None => None
      | Some (k, m, bad) =>
          if negb (nonneg c && Nat.eqb (length c) (length q)) then None else
          if satisfies_all q cs c then Some (size c + k, size c + m, bad) else
          match find (fun e => same_counts (entry_counts e) c) entries with
          | Some e => Some (size (entry_kept e) + k, entry_bound e + m, c :: bad)
          | None => None end
      end
  end.

(* a part of a class that is gone or satisfies *)
Definition possible (c x : counts) : Prop :=
  within x c = true /\ (size x = 0 \/ satisfies_all q cs x = true).
Definition total (xs : list counts) : Z := fold_right (fun x z => size x + z) 0 xs.

Lemma same_countsE x : forall y, same_counts x y = true -> x = y.
Proof.
induction x as [|a x IH]; intros [|b y]; simpl; try easy.
rewrite andb_true_iff, Z.eqb_eq. intros [-> H]. f_equal. now apply IH.
Qed.

Lemma within_itself c : nonneg c = true -> within c c = true.
Proof.
induction c as [|a c IH]; simpl; trivial. rewrite !andb_true_iff, !Z.leb_le. intros [A H].
repeat split; trivial; [lia|now apply IH].
Qed.

Theorem kept_sound entries classes k m bad : forallb entry_ok entries = true ->
  totals entries classes = Some (k, m, bad) ->
  (exists xs, Forall2 possible classes xs /\ total xs = k) /\
  (forall xs, Forall2 possible classes xs -> total xs <= m).
Proof.
intros E. rewrite forallb_forall in E. revert k m bad.
induction classes as [|c classes IH]; simpl; intros k m bad H.
- injection H as <- <- <-. split; [exists []; now split|].
  intros xs F. inversion F. simpl. lia.
- destruct (totals entries classes) as [[[k' m'] bad']|]; [|easy].
  destruct (IH k' m' bad' eq_refl) as [[ys [F T]] B].
  destruct (nonneg c && Nat.eqb (length c) (length q)) eqn:N; [|easy]. simpl in H.
  apply andb_true_iff in N as [N L]. apply Nat.eqb_eq in L.
  destruct (satisfies_all q cs c) eqn:S.
  + injection H as <- <- <-. split.
    * exists (c :: ys). split; [constructor; trivial; split; [now apply within_itself|now right]|].
      change (total (c :: ys)) with (size c + total ys). lia.
    * intros xs G. inversion G as [|? x ? zs [W _] G']. subst. specialize (B zs G').
      apply within_size in W. change (total (x :: zs)) with (size x + total zs). lia.
  + destruct (find _ entries) as [e|] eqn:Fe; [|easy]. injection H as <- <- <-.
    apply find_some in Fe as [I Q]. apply same_countsE in Q. specialize (E e I).
    unfold entry_ok in E. rewrite !andb_true_iff, orb_true_iff, Z.eqb_eq, Z.leb_le, Q in E.
    destruct E as [[[W K] Kb] M]. split.
    * exists (entry_kept e :: ys). split; [constructor; trivial; now split|].
      change (total (entry_kept e :: ys)) with (size (entry_kept e) + total ys). lia.
    * intros xs G. inversion G as [|? x ? zs [Wx Sx] G']. subst. specialize (B zs G').
      assert (X : size x <= entry_bound e).
      { destruct Sx as [Sx|Sx]; [|now apply (most_sound q cs _ _ _ _ x M L)].
        rewrite Sx. unfold most in M. rewrite !andb_true_iff, Z.leb_le in M. tauto. }
      change (total (x :: zs)) with (size x + total zs). lia.
Qed.
End Kept.

Section Node.
Variables (hs : list hierarchy) (t : rows) (cs : list condition) (v : node).

Definition classes_at : list counts := map sum (groups (keys hs) (relabel hs t v)).

Definition check_kept (entries : list entry) : option (Z * Z * list counts) :=
  if table_ok hs t && model_ok t cs && forallb (entry_ok (sum t) cs) entries
  then totals (sum t) cs entries classes_at else None.

Theorem check_kept_sound entries k m bad : check_kept entries = Some (k, m, bad) ->
  forallb (formed (length (sum t))) cs = true /\
  (exists xs, Forall2 (possible (sum t) cs) classes_at xs /\ total xs = k) /\
  (forall xs, Forall2 (possible (sum t) cs) classes_at xs -> total xs <= m).
Proof.
unfold check_kept, model_ok. destruct (table_ok hs t && _ && _) eqn:E; [|easy].
rewrite !andb_true_iff in E. destruct E as [[_ [_ F]] E]. intros H. split; trivial.
now apply kept_sound with (1 := E) in H.
Qed.

(* values are hidden, and records stay: what is asked of records is asked of whole classes *)
Definition of_records (c : condition) : bool := match c with Records _ => true | _ => false end.
Definition large_enough : bool :=
  forallb (satisfies_all (sum t) (filter of_records cs)) classes_at.
End Node.

Definition check_shown (hs : list hierarchy) (t : rows) (cs : list condition) (v : node)
    (entries : list entry) : option (Z * Z * list counts) :=
  if large_enough hs t cs v
  then check_kept hs t (filter (fun c => negb (of_records c)) cs) v entries else None.

Theorem check_shown_sound hs t cs v entries k m bad : check_shown hs t cs v entries = Some (k, m, bad) ->
  let asked := filter (fun c => negb (of_records c)) cs in
  (forall c, In c (classes_at hs t v) -> satisfies_all (sum t) (filter of_records cs) c = true) /\
  forallb (formed (length (sum t))) asked = true /\
  (exists xs, Forall2 (possible (sum t) asked) (classes_at hs t v) xs /\ total xs = k) /\
  (forall xs, Forall2 (possible (sum t) asked) (classes_at hs t v) xs -> total xs <= m).
Proof.
unfold check_shown. destruct (large_enough hs t cs v) eqn:E; [|easy]. intros H.
split; [unfold large_enough in E; now rewrite forallb_forall in E|]. now apply check_kept_sound in H.
Qed.
