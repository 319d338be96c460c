(* An executable checker of searches in a lattice, over explicit counts, proved sound:
   which nodes satisfy a model, and which of them lose least.  It is meant for
   extraction, as Checker.v is.

   A table is a list of rows: the codes of the quasi-identifiers, and the counts of the
   sensitive values of all records with these codes.  A hierarchy is a list of maps, from
   the labels of one level to those of the next: a level is a function of the level below
   by construction.

   Places in the papers: l-diversity paper, section 5, and t-closeness paper, section 4
   (monotonicity), which pruning of searches rests on
     class_ok_up, node_ok_up   a model that unions keep is kept upwards
     node_fastE                classes are found by one attribute after another
     check_border_sound, check_minimal_sound
                               if it accepts, a node satisfies iff a named one lies below,
                               and no named one can be specialized
     check_least_sound, check_optimum_sound
                               if it accepts, the named nodes are all of least loss

   The idea in three lines:
   - a class of a higher node is a union of classes of a lower one;
   - the counts of a union are the sums of the counts, which every condition keeps;
   - so what violates forbids all below, and what satisfies allows all above. *)
From Coq Require Import ZArith List Bool Lia Arith.
From Tcloseness Require Import Counts Conditions.
Import ListNotations.

Definition node := list nat.
Definition codes := list nat.
Definition rows := list (codes * counts).
Definition hierarchy := list (list nat).

Definition sum (t : rows) : counts := fold_right (fun r c => plus (snd r) c) [] t.

Definition climb (maps : list (list nat)) (c : nat) : nat :=
  fold_left (fun c m => nth c m 0) maps c.
(* the labels of a row at a node *)
Fixpoint labels (hs : list (list (list nat))) (v : node) (c : codes) : codes :=
  match hs, v, c with
  | h :: hs, l :: v, x :: c => climb (firstn l h) x :: labels hs v c
  | _, _, _ => []
  end.
Fixpoint eqb (x y : list nat) : bool :=
  match x, y with
  | [], [] => true | a :: x, b :: y => Nat.eqb a b && eqb x y | _, _ => false end.
Fixpoint leb (v w : node) : bool :=
  match v, w with
  | [], [] => true | a :: v, b :: w => Nat.leb a b && leb v w | _, _ => false end.
Fixpoint nodes (top : node) : list node :=
  match top with
  | [] => [[]] | h :: top => flat_map (fun l => map (cons l) (nodes top)) (seq 0 (S h)) end.
Fixpoint children (w : node) : list node :=
  match w with
  | [] => []
  | l :: w => (match l with 0 => [] | S k => [k :: w] end) ++ map (cons l) (children w) end.

Section Check.
Variables (hs : list (list (list nat))) (t : rows) (ok : counts -> bool).

Definition class (v : node) (lab : codes) : rows :=
  filter (fun r => eqb (labels hs v (fst r)) lab) t.
Definition node_ok (v : node) : bool :=
  forallb (fun r => ok (sum (class v (labels hs v (fst r))))) t.
Definition nonempty (u : rows) : bool := match u with [] => false | _ => true end.

Definition above (low : list node) v := existsb (fun m => leb m v) low.
Definition below (high : list (node * codes)) v := existsb (fun b => leb v (fst b)) high.

(* the same, attribute after attribute: the rows are labelled once, and split by each label *)
Fixpoint split (n : nat) (f : codes * counts -> nat) (u : rows) : list rows :=
  match u, n with
  | [], _ => []
  | r :: _, S n =>
      let (one, others) := partition (fun x => Nat.eqb (f x) (f r)) u in one :: split n f others
  | _, O => [u]
  end.
Fixpoint groups (fs : list (codes * counts -> nat)) (u : rows) : list rows :=
  match fs with
  | [] => match u with [] => [] | _ => [u] end
  | f :: fs => flat_map (groups fs) (split (length u) f u) end.
Definition relabel (v : node) : rows := map (fun r => (labels hs v (fst r), snd r)) t.
Definition keys : list (codes * counts -> nat) :=
  (fun r => length (fst r)) :: map (fun j r => nth j (fst r) 0) (seq 0 (length hs)).
Definition node_fast (v : node) : bool := forallb (fun g => ok (sum g)) (groups keys (relabel v)).

(* nothing is asked of the list `high` but that each entry is a class that violates *)
Definition violating (high : list (node * codes)) : bool :=
  forallb (fun b => nonempty (class (fst b) (snd b)) && negb (ok (sum (class (fst b) (snd b))))) high.
Definition whole : bool := forallb (fun r => nonneg (snd r)) t.
Definition check_border (top : node) (low : list node) (high : list (node * codes)) : bool :=
  whole && forallb node_fast low && violating high
  && forallb (fun v => above low v || below high v) (nodes top)
  && forallb (fun m => forallb (below high) (children m)) low.

(* a loss is a sum of terms, one for the level of each attribute *)
Definition losing (terms : list (list Z)) (v : node) : Z :=
  fold_right (fun e z => nth (snd e) (fst e) 0 + z)%Z 0%Z (combine terms v).
Definition check_least (top : node) (terms : list (list Z)) (x : Z) (best : list node)
    (high : list (node * codes)) : bool :=
  whole && forallb node_fast best && forallb (fun m => losing terms m =? x)%Z best && violating high
  && forallb (fun v => (x <? losing terms v)%Z || existsb (eqb v) best || below high v) (nodes top).

(* ---- soundness -------------------------------------------------------------- *)
Lemma eqb_eq x : forall y, eqb x y = true <-> x = y.
Proof.
induction x as [|a x IH]; destruct y as [|b y]; simpl; try easy.
rewrite andb_true_iff, Nat.eqb_eq, IH. split; [intros [-> ->]|intros [=]]; auto.
Qed.

Lemma sum_split (f : codes * counts -> bool) u :
  sum u = plus (sum (filter f u)) (sum (filter (fun r => negb (f r)) u)).
Proof.
induction u as [|r u IH]; simpl; trivial. destruct (f r); simpl; rewrite IH.
- apply plus_assoc.
- rewrite plus_assoc, (plus_comm (snd r)). symmetry. apply plus_assoc.
Qed.

Lemma filter_filter (f g : codes * counts -> bool) u :
  (forall r, In r u -> g r = true -> f r = true) -> filter g (filter f u) = filter g u.
Proof.
intros H. induction u as [|r u IH]; simpl; trivial.
assert (IHu : filter g (filter f u) = filter g u) by (apply IH; intros; apply H; simpl; auto).
destruct (f r) eqn:Ef; simpl; rewrite IHu; trivial.
destruct (g r) eqn:Eg; trivial. rewrite (H r) in Ef; simpl; auto; discriminate.
Qed.

Lemma filter_shorter (f : codes * counts -> bool) u : length (filter f u) <= length u.
Proof. induction u as [|r u IH]; simpl; [lia|]. destruct (f r); simpl; lia. Qed.

Lemma partition_filter (f : codes * counts -> bool) u :
  partition f u = (filter f u, filter (fun r => negb (f r)) u).
Proof. induction u as [|r u IH]; simpl; trivial. rewrite IH. now destruct (f r). Qed.

Lemma filter_both (f g : codes * counts -> bool) u :
  filter g (filter f u) = filter (fun x => f x && g x) u.
Proof.
induction u as [|r u IH]; simpl; trivial. destruct (f r); simpl; rewrite IH; trivial.
Qed.

Lemma splitP f n : forall u, length u <= n -> forall g,
  In g (split n f u) <-> exists r, In r u /\ g = filter (fun x => Nat.eqb (f x) (f r)) u.
Proof.
induction n as [|n IH]; intros [|r u'] L g; simpl in L; try lia; try (simpl; firstorder fail).
set (u := r :: u'). change (split (S n) f u) with
  (let (one, others) := partition (fun x => Nat.eqb (f x) (f r)) u in one :: split n f others).
rewrite partition_filter. set (B := filter (fun x => negb (Nat.eqb (f x) (f r))) u).
assert (LB : length B <= n).
{ unfold B, u. simpl. rewrite Nat.eqb_refl. simpl.
  assert (X := filter_shorter (fun x => negb (Nat.eqb (f x) (f r))) u'). lia. }
assert (FB : forall y, f y <> f r ->
  filter (fun x => Nat.eqb (f x) (f y)) B = filter (fun x => Nat.eqb (f x) (f y)) u).
{ intros y N. apply filter_filter. intros x _ Hx. apply Nat.eqb_eq in Hx.
  apply negb_true_iff, Nat.eqb_neq. congruence. }
simpl In. rewrite (IH B LB). split.
- intros [<-|[y [Hy ->]]]; [exists r; simpl; auto|].
  apply filter_In in Hy as [Hy N]. apply negb_true_iff, Nat.eqb_neq in N.
  exists y. split; [trivial|now apply FB].
- intros [y [Hy ->]]. destruct (Nat.eq_dec (f y) (f r)) as [E|N]; [left; now rewrite E|right].
  exists y. rewrite FB by trivial. split; trivial. apply filter_In. split; trivial.
  now apply negb_true_iff, Nat.eqb_neq.
Qed.

Definition alike (fs : list (codes * counts -> nat)) (r x : codes * counts) : bool :=
  forallb (fun f => Nat.eqb (f x) (f r)) fs.

Lemma groupsP fs : forall u g,
  In g (groups fs u) <-> exists r, In r u /\ g = filter (alike fs r) u.
Proof.
induction fs as [|f fs IH]; intros u g.
- assert (E : forall r, filter (alike [] r) u = u)
    by (intros r; induction u as [|x u IHu]; simpl; trivial; now rewrite IHu).
  destruct u as [|r u]; simpl groups; [simpl; firstorder fail|]. split.
  + intros [<-|[]]. exists r. split; [simpl; auto|now rewrite E].
  + intros [x [_ ->]]. left. now rewrite E.
- simpl groups. rewrite in_flat_map. split.
  + intros [h [Hh Hg]]. apply splitP in Hh as [r [Hr ->]]; trivial.
    apply IH in Hg as [x [Hx ->]]. apply filter_In in Hx as [Hx E]. apply Nat.eqb_eq in E.
    exists x. split; trivial. rewrite filter_both, <- E. reflexivity.
  + intros [r [Hr ->]]. exists (filter (fun x => Nat.eqb (f x) (f r)) u). split.
    * apply splitP; trivial. now exists r.
    * apply IH. exists r. split; [apply filter_In; split; trivial; apply Nat.eqb_refl|].
      now rewrite filter_both.
Qed.

Lemma labels_shorter v c : length (labels hs v c) <= length hs.
Proof. revert v c. induction hs as [|h q IH]; intros [|l v] [|x c]; simpl; try lia. specialize (IH v c). lia. Qed.

Lemma alike_keys r x : length (fst r) <= length hs -> alike keys r x = eqb (fst x) (fst r).
Proof.
intros L. apply eq_iff_eq_true. rewrite eqb_eq. unfold alike, keys. cbn [forallb].
rewrite andb_true_iff, Nat.eqb_eq, forallb_forall. destruct r as [r q], x as [x q']. cbn [fst] in *. split; [|intros ->; split; trivial].
- intros [E H]. apply nth_ext with (d := 0) (d' := 0); trivial. intros j Hj.
  apply Nat.eqb_eq. apply (H (fun r => nth j (fst r) 0)). apply in_map_iff. exists j.
  split; trivial. apply in_seq. lia.
- intros f Hf. apply in_map_iff in Hf as [j [<- _]]. apply Nat.eqb_refl.
Qed.

Theorem node_fastE v : node_fast v = node_ok v.
Proof.
assert (F : forall lab u, sum (filter (fun x => eqb (fst x) lab)
    (map (fun r => (labels hs v (fst r), snd r)) u)) =
  sum (filter (fun x => eqb (labels hs v (fst x)) lab) u)).
{ intros lab u. induction u as [|r u IH]; simpl; trivial.
  destruct (eqb (labels hs v (fst r)) lab); simpl; now rewrite IH. }
assert (A : forall r u, length (fst r) <= length hs ->
  filter (alike keys r) u = filter (fun x => eqb (fst x) (fst r)) u)
  by (intros r u L; apply filter_ext; intros x; now apply alike_keys).
apply eq_iff_eq_true. unfold node_fast, node_ok. rewrite !forallb_forall. unfold relabel, class. split.
- intros H r Hr. rewrite <- F. apply H. apply groupsP. exists (labels hs v (fst r), snd r).
  split; [now apply (in_map (fun r => (labels hs v (fst r), snd r)))|].
  rewrite A; trivial. apply labels_shorter.
- intros H g Hg. apply groupsP in Hg as [x [Hx ->]]. apply in_map_iff in Hx as [r [<- Hr]].
  rewrite A by apply labels_shorter. cbn [fst]. rewrite F. now apply H.
Qed.

Hypothesis joins : forall x y, nonneg x = true -> nonneg y = true ->
  ok x = true -> ok y = true -> ok (plus x y) = true.

Lemma sum_nonneg u : (forall r, In r u -> nonneg (snd r) = true) -> nonneg (sum u) = true.
Proof.
intros H. induction u as [|r u IH]; simpl; trivial.
apply plus_nonneg; [apply H; simpl; auto|]. apply IH. intros x Hx. apply H. simpl; auto.
Qed.

(* what is good in each part is good, whatever the parts are called *)
Lemma parts_ok (f : codes -> codes) n : forall u, length u <= n -> u <> [] ->
  (forall r, In r u -> nonneg (snd r) = true) ->
  (forall r, In r u ->
     ok (sum (filter (fun r' => eqb (f (fst r')) (f (fst r))) u)) = true) ->
  ok (sum u) = true.
Proof.
induction n as [|n IH]; intros u Hn Hu P H; [destruct u; simpl in *; [easy|lia]|].
destruct u as [|r u']; [easy|]. set (u := r :: u') in *.
set (alike := fun r' : codes * counts => eqb (f (fst r')) (f (fst r))).
set (other := fun r' => negb (alike r')).
rewrite (sum_split alike u). change (fun r' => negb (alike r')) with other.
assert (Hr : ok (sum (filter alike u)) = true) by (apply H; simpl; auto).
assert (D : filter other u = [] \/ filter other u <> []) by (destruct (filter other u); [now left|now right]).
assert (PF : forall p x, In x (filter p u) -> nonneg (snd x) = true)
  by (intros p x Hx; apply filter_In in Hx; apply P; tauto).
destruct D as [->|D]; [now rewrite plus_nil|].
apply joins; trivial; try (apply sum_nonneg; apply PF). apply IH; trivial; try apply PF.
- assert (S1 : other r = false) by (unfold other, alike; apply negb_false_iff; now apply eqb_eq).
  assert (L := filter_shorter other u').
  unfold u. simpl. rewrite S1. unfold u in Hn. simpl in Hn. lia.
- intros r' Hr'. apply filter_In in Hr' as [I N]. rewrite filter_filter; [now apply H|].
  intros x _ Hx. apply eqb_eq in Hx. unfold other, alike in *. now rewrite Hx.
Qed.

Lemma leb_labels hs' v : forall w c c', leb v w = true ->
  labels hs' v c = labels hs' v c' -> labels hs' w c = labels hs' w c'.
Proof.
revert v. induction hs' as [|h hs' IH]; intros v w c c' L E; [easy|].
destruct v as [|l v], w as [|k w]; simpl in L; try easy.
apply andb_true_iff in L as [L1 L2]. apply Nat.leb_le in L1.
destruct c as [|x c], c' as [|x' c']; simpl in *; try easy.
injection E as E1 E2. rewrite (IH v w c c' L2 E2). f_equal.
assert (F : forall y, climb (firstn k h) y = climb (skipn l (firstn k h)) (climb (firstn l h) y)).
{ intros y. unfold climb. rewrite <- fold_left_app.
  replace (firstn l h) with (firstn l (firstn k h)) by (rewrite firstn_firstn; f_equal; lia).
  now rewrite firstn_skipn. }
now rewrite !F, E1.
Qed.

Theorem class_ok_up v w lab : whole = true -> leb v w = true -> node_ok v = true ->
  class w lab <> [] -> ok (sum (class w lab)) = true.
Proof.
intros W L H N. apply (parts_ok (labels hs v) (length (class w lab))); trivial.
{ intros r Hr. apply filter_In in Hr as [Hr _]. unfold whole in W. rewrite forallb_forall in W. now apply W. }
intros r Hr. unfold class in Hr. apply filter_In in Hr as [Hr E]. apply eqb_eq in E.
unfold class. rewrite filter_filter.
- unfold node_ok in H. rewrite forallb_forall in H. now apply H.
- intros x _ Hx. apply eqb_eq in Hx. apply eqb_eq. rewrite <- E. eapply leb_labels; eauto.
Qed.

Theorem node_ok_up v w : whole = true -> leb v w = true -> node_ok v = true -> node_ok w = true.
Proof.
intros W L H. unfold node_ok. apply forallb_forall. intros r Hr.
apply (class_ok_up v); trivial. intros E.
assert (I : In r (class w (labels hs w (fst r)))) by (apply filter_In; split; trivial; now apply eqb_eq).
now rewrite E in I.
Qed.

Lemma nodes_leb top : forall v, leb v top = true -> In v (nodes top).
Proof.
induction top as [|h top IH]; destruct v as [|l v]; simpl; try easy; auto.
rewrite andb_true_iff, Nat.leb_le. intros [A B].
change (In (l :: v) (flat_map (fun l => map (cons l) (nodes top)) (seq 0 (S h)))).
apply in_flat_map. exists l. split; [apply in_seq; lia|]. apply in_map. auto.
Qed.

Lemma below_child w : forall v, leb v w = true -> v <> w ->
  exists u, In u (children w) /\ leb v u = true.
Proof.
induction w as [|l w IH]; destruct v as [|k v]; simpl; try easy.
rewrite andb_true_iff, Nat.leb_le. intros [A B] N.
destruct (Nat.eq_dec k l) as [->|D].
- destruct (IH v B) as [u [I U]]; [congruence|]. exists (l :: u). split.
  + apply in_or_app. right. now apply in_map.
  + simpl. now rewrite Nat.leb_refl, U.
- destruct l as [|l]; [lia|]. exists (l :: w). split; [apply in_or_app; left; simpl; auto|].
  simpl. rewrite B, andb_true_r. apply Nat.leb_le. lia.
Qed.

(* ---- accepted ----------------------------------------------------------------- *)
Lemma below_bad high v : whole = true -> violating high = true -> below high v = true ->
  node_ok v = false.
Proof.
unfold violating. rewrite forallb_forall. intros W B H. apply existsb_exists in H as [b [Hb L]].
apply B in Hb. apply andb_true_iff in Hb as [N O]. apply negb_true_iff in O.
destruct (node_ok v) eqn:E; trivial. rewrite (class_ok_up v _ _ W L E) in O; trivial.
now destruct (class (fst b) (snd b)).
Qed.

Theorem check_border_sound top low high : check_border top low high = true ->
  (forall v, leb v top = true -> (node_ok v = true <-> exists m, In m low /\ leb m v = true)) /\
  (forall m v, In m low -> leb v m = true -> node_ok v = true -> v = m).
Proof.
unfold check_border. rewrite !andb_true_iff, !forallb_forall. intros [[[[W A] B] C] D]. split.
- intros v Hv. split.
  + intros H. specialize (C v (nodes_leb top v Hv)). apply orb_true_iff in C as [U|U].
    * now apply existsb_exists in U.
    * apply below_bad in U; trivial. now rewrite H in U.
  + intros [m [Hm L]]. apply (node_ok_up m); trivial. rewrite <- node_fastE. now apply A.
- intros m v Hm L H. destruct (list_eq_dec Nat.eq_dec v m) as [->|N]; trivial.
  destruct (below_child m v L N) as [u [I U]]. exfalso.
  specialize (D m Hm). rewrite forallb_forall in D. specialize (D u I).
  apply below_bad in D; trivial. now rewrite (node_ok_up v u W U H) in D.
Qed.

Theorem check_least_sound top terms x best high : check_least top terms x best high = true ->
  (forall v, leb v top = true -> node_ok v = true -> (x <= losing terms v)%Z) /\
  (forall v, leb v top = true -> (node_ok v = true /\ losing terms v = x <-> In v best)).
Proof.
unfold check_least. rewrite !andb_true_iff, !forallb_forall. intros [[[[W A] L] B] C].
assert (K : forall v, In v best -> node_ok v = true /\ losing terms v = x).
{ intros v Hv. split; [rewrite <- node_fastE; now apply A|]. apply Z.eqb_eq. now apply L. }
assert (N : forall v, leb v top = true -> node_ok v = true -> (losing terms v <= x)%Z -> In v best).
{ intros v Hv O Lx. specialize (C v (nodes_leb top v Hv)). rewrite !orb_true_iff in C.
  destruct C as [[C|C]|C].
  - apply Z.ltb_lt in C. lia.
  - apply existsb_exists in C as [m [Hm E]]. apply eqb_eq in E. now subst.
  - apply below_bad in C; trivial. now rewrite O in C. }
split.
- intros v Hv O. destruct (Z_le_gt_dec (losing terms v) x) as [D|D]; [|lia].
  destruct (K v (N v Hv O D)) as [_ E]. lia.
- intros v Hv. split; [|apply K]. intros [O E]. apply N; trivial. lia.
Qed.
End Check.

(* ---- tables -------------------------------------------------------------------- *)
(* how many values a hierarchy has, and whether codes and maps stay inside *)
Definition leaves (h : hierarchy) : nat := match h with [] => 1 | m :: _ => length m end.
Fixpoint nested (h : hierarchy) : bool :=
  match h with
  | [] => true
  | m :: h => forallb (fun x => Nat.ltb x (leaves h)) m && nested h end.
Fixpoint coded (hs : list hierarchy) (c : codes) : bool :=
  match hs, c with
  | [], [] => true | h :: hs, x :: c => Nat.ltb x (leaves h) && coded hs c | _, _ => false end.
Definition table_ok (hs : list hierarchy) (t : rows) : bool :=
  let m := length (sum t) in
  forallb nested hs && forallb (fun r => coded hs (fst r) && Nat.eqb (length (snd r)) m) t.
(* unions keep each condition, and distances are of sets that are nested or disjoint *)
Definition model_ok (t : rows) (cs : list condition) : bool :=
  forallb condition_ok cs && forallb (formed (length (sum t))) cs.
Definition heights (hs : list hierarchy) : node := map (@length (list nat)) hs.

Section Judge.
Variables (hs : list hierarchy) (t : rows) (cs : list condition).

(* the node v satisfies the model: each class does, and Q is the whole table *)
Definition satisfying (v : node) : bool := node_ok hs t (satisfies_all (sum t) cs) v.

Definition check_minimal (low : list node) (high : list (node * codes)) : bool :=
  table_ok hs t && model_ok t cs
  && check_border hs t (satisfies_all (sum t) cs) (heights hs) low high.

Theorem check_minimal_sound low high : check_minimal low high = true ->
  forallb (formed (length (sum t))) cs = true /\
  (forall v, leb v (heights hs) = true ->
     (satisfying v = true <-> exists m, In m low /\ leb m v = true)) /\
  (forall m v, In m low -> leb v m = true -> satisfying v = true -> v = m).
Proof.
unfold check_minimal, model_ok. rewrite !andb_true_iff. intros [[_ [W F]] C]. split; trivial.
apply check_border_sound in C; trivial. intros x y X Y. now apply all_joins.
Qed.

(* all records together violate: so does a class of every partition, whatever is in it *)
Definition check_infeasible : bool :=
  table_ok hs t && model_ok t cs && negb (satisfies_all (sum t) cs (sum t)).

Theorem check_infeasible_sound xs : check_infeasible = true -> xs <> [] ->
  (forall x, In x xs -> nonneg x = true /\ satisfies_all (sum t) cs x = true) ->
  fold_right plus [] xs <> sum t.
Proof.
unfold check_infeasible, model_ok. rewrite !andb_true_iff, negb_true_iff. intros [[_ [W _]] V] N H E.
rewrite <- E in V at 2. enough (nonneg (fold_right plus [] xs) = true /\
  satisfies_all (sum t) cs (fold_right plus [] xs) = true) as [_ S] by congruence.
clear E V. induction xs as [|x xs IH]; [easy|]. simpl. destruct (H x (or_introl eq_refl)) as [X S].
destruct xs as [|y xs]; [simpl; now rewrite plus_nil|].
destruct IH as [Y T]; [easy|intros z Hz; apply H; now right|].
split; [now apply plus_nonneg|now apply all_joins].
Qed.

(* ---- losses: sums of terms over one denominator ---------------------------------- *)
Inductive loss := Height | Precision | Ncp | Gcp | Lm.

Definition level_labels (h : hierarchy) (l : nat) : list nat :=
  map (climb (firstn l h)) (seq 0 (leaves h)).
(* how many values each value shares its label with, itself among them *)
Definition widths (h : hierarchy) (l : nat) : list Z :=
  let ls := level_labels h l in
  map (fun x => Z.of_nat (length (filter (Nat.eqb x) ls))) ls.
Fixpoint added (v : nat) (z : Z) (a : list Z) : list Z :=
  match a, v with [], _ => [] | x :: a, O => (x + z)%Z :: a | x :: a, S v => x :: added v z a end.
(* how many records have each value of the attribute i *)
Definition records_of (i : nat) (h : hierarchy) : list Z :=
  fold_right (fun r a => added (nth i (fst r) 0) (size (snd r)) a) (repeat 0%Z (leaves h)) t.
Definition weighed (f : Z -> Z) (records widths : list Z) : Z :=
  fold_right (fun e z => fst e * f (snd e) + z)%Z 0%Z (combine records widths).
Definition denominator (k : loss) (h : hierarchy) : Z :=
  match k with
  | Height => 1
  | Precision => Z.max 1 (Z.of_nat (length h))
  | Ncp | Gcp => Z.of_nat (leaves h)
  | Lm => Z.max 1 (Z.of_nat (leaves h) - 1) end.
Definition term (k : loss) (records : list Z) (h : hierarchy) (l : nat) : Z :=
  match k with
  | Height | Precision => Z.of_nat l
  | Ncp | Gcp => weighed (fun w => if (w =? 1)%Z then 0%Z else w) records (widths h l)
  | Lm => weighed (fun w => (w - 1)%Z) records (widths h l) end.
Definition scale (k : loss) : Z := fold_right (fun h z => denominator k h * z)%Z 1%Z hs.
Definition terms (k : loss) : list (list Z) :=
  map (fun e : nat * hierarchy => let (i, h) := e in
         let records := records_of i h in
         let factor := (scale k / denominator k h)%Z in
         map (fun l => factor * term k records h l)%Z (seq 0 (S (length h))))
      (combine (seq 0 (length hs)) hs).
(* the loss is a / b where the terms add up to x *)
Definition valued (k : loss) (a b x : Z) : bool :=
  let all := (scale k * Z.of_nat (length hs))%Z in
  match k with
  | Height | Ncp => b * x =? a * scale k
  | Precision => b * (all - x) =? a * all
  | Gcp | Lm => b * x =? a * (all * size (sum t)) end%Z.

Definition check_optimum (k : loss) (a b : Z) (best : list node) (high : list (node * codes)) : bool :=
  match best with
  | [] => false
  | m :: _ =>
      let known := terms k in
      let x := losing known m in
      table_ok hs t && model_ok t cs && (0 <? b)%Z && valued k a b x
      && check_least hs t (satisfies_all (sum t) cs) (heights hs) known x best high
  end.

Theorem check_optimum_sound k a b best high : check_optimum k a b best high = true ->
  forallb (formed (length (sum t))) cs = true /\
  exists x, valued k a b x = true /\
  (forall v, leb v (heights hs) = true -> satisfying v = true -> (x <= losing (terms k) v)%Z) /\
  (forall v, leb v (heights hs) = true ->
     (satisfying v = true /\ losing (terms k) v = x <-> In v best)).
Proof.
unfold check_optimum, model_ok. destruct best as [|m best]; [easy|]. rewrite !andb_true_iff.
intros [[[[_ [W F]] _] V] C]. split; trivial. exists (losing (terms k) m). split; trivial.
apply check_least_sound in C; trivial. intros x y X Y. now apply all_joins.
Qed.
End Judge.
