(* An executable checker of searches that may suppress records, over explicit counts, proved
   sound and complete.  It is meant for extraction.

   At a node the records of all classes that violate are suppressed, measured against all
   records; the node satisfies if they are at most a limit, and not all.  Then a node above
   one that satisfies may not do so.  This checker counts every node of the lattice; what a
   certificate says to save that is not needed.

   Places in the papers: t-closeness paper, section 6, and Incognito (searches that may
   suppress records up to a limit)
     classes_once            the classes of a node hold each record once
     check_limited_sound     if it accepts, the named nodes are the minimal ones
     check_limited_complete  and whatever is so is accepted
     check_best_sound        if it accepts, the named nodes are all of least loss

   The idea in three lines:
   - each class of a node is counted, and what violates is lost;
   - a node is minimal if it satisfies and none of its direct specializations does;
   - the loss of a class follows from its labels, its size, and whether it is suppressed. *)
From Coq Require Import ZArith List Bool Lia Arith Permutation.
From Tcloseness Require Import Counts Conditions LatticeChecker.
Import ListNotations.
Local Open Scope Z_scope.

Section Limit.
Variables (hs : list hierarchy) (t : rows) (cs : list condition) (limit : Z).

(* the classes of a node: labels, and counts *)
Definition classes_of (v : node) : rows :=
  map (fun g => (match g with [] => [] | r :: _ => fst r end, sum g)) (groups (keys hs) (relabel hs t v)).
Definition kept (c : codes * counts) : bool := satisfies_all (sum t) cs (snd c).
Definition records (u : rows) : Z := size (sum u).
Definition lost (u : rows) : Z := records (filter (fun c => negb (kept c)) u).
Definition within_limit (u : rows) : bool := (lost u <=? limit) && (lost u <? records t).

Definition member (v : node) (vs : list node) : bool := existsb (eqb v) vs.
Definition check_limited (minimal : list node) : option (list node) :=
  let found := filter (fun v => within_limit (classes_of v)) (nodes (heights hs)) in
  if table_ok hs t && model_ok t cs && forallb (fun m => member m found) minimal
     && forallb (fun v => Bool.eqb (member v minimal) (negb (existsb (fun u => member u found) (children v)))) found
  then Some found else None.

(* ---- classes -------------------------------------------------------------------------- *)
Lemma filter_perm {A} (f : A -> bool) u :
  Permutation (filter f u ++ filter (fun r => negb (f r)) u) u.
Proof.
induction u as [|r u IH]; simpl; trivial. destruct (f r); simpl; [now constructor|].
rewrite <- Permutation_middle. now constructor.
Qed.

Lemma split_once f n : forall u, Permutation (concat (split n f u)) u.
Proof.
induction n as [|n IH]; intros [|r u]; trivial.
- simpl. now rewrite app_nil_r.
- set (w := r :: u). change (split (S n) f w) with
    (let (one, others) := partition (fun x => Nat.eqb (f x) (f r)) w in one :: split n f others).
  rewrite partition_filter. cbn [concat]. rewrite IH. apply filter_perm.
Qed.

Lemma groups_once fs : forall u, Permutation (concat (groups fs u)) u.
Proof.
induction fs as [|f fs IH]; intros u.
- destruct u; simpl; trivial. now rewrite app_nil_r.
- simpl groups. transitivity (concat (split (length u) f u)); [|apply split_once].
  induction (split (length u) f u) as [|g gs IHg]; trivial. simpl. rewrite concat_app.
  apply Permutation_app; [apply IH|exact IHg].
Qed.

Lemma sum_perm (u w : rows) : Permutation u w -> sum u = sum w.
Proof.
induction 1 as [|r u w _ IH|r s u|u w x _ A _ B]; simpl; trivial; [now rewrite IH| |congruence].
rewrite !plus_assoc. f_equal. apply plus_comm.
Qed.

Lemma sum_app (u w : rows) : sum (u ++ w) = plus (sum u) (sum w).
Proof. induction u as [|r u IH]; simpl; trivial. now rewrite IH, plus_assoc. Qed.

Theorem classes_once v :
  (exists gs, Permutation (concat gs) (relabel hs t v) /\
     classes_of v = map (fun g => (match g with [] => [] | r :: _ => fst r end, sum g)) gs /\
     forall g, In g gs -> exists r, In r (relabel hs t v) /\ g = filter (fun x => eqb (fst x) (fst r)) (relabel hs t v)) /\
  sum (classes_of v) = sum t.
Proof.
assert (P := groups_once (keys hs) (relabel hs t v)). unfold classes_of. split.
- exists (groups (keys hs) (relabel hs t v)). split; [trivial|]. split; [trivial|].
  intros g Hg. apply groupsP in Hg as [r [Hr ->]]. exists r. split; trivial. apply filter_ext. intros x.
  apply alike_keys. apply in_map_iff in Hr as [c [<- _]]. apply labels_shorter.
- transitivity (sum (relabel hs t v)).
  + rewrite <- (sum_perm _ _ P). clear P. generalize (groups (keys hs) (relabel hs t v)). intros gs.
    induction gs as [|g gs IH]; trivial. cbn [map concat]. rewrite sum_app, <- IH. reflexivity.
  + clear P. unfold relabel. induction t as [|r u IH]; trivial. simpl. now rewrite IH.
Qed.

(* ---- nodes ------------------------------------------------------------------------------ *)
Lemma leb_refl v : leb v v = true.
Proof. induction v as [|l v IH]; trivial. simpl. now rewrite Nat.leb_refl, IH. Qed.

Lemma leb_trans u : forall v w, leb u v = true -> leb v w = true -> leb u w = true.
Proof.
induction u as [|a u IH]; intros [|b v] [|c w]; simpl; try easy.
rewrite !andb_true_iff, !Nat.leb_le. intros [A U] [B V]. split; [lia|eauto].
Qed.

Lemma children_leb w : forall u, In u (children w) -> leb u w = true.
Proof.
induction w as [|l w IH]; simpl; [easy|]. intros u H. apply in_app_or in H as [H|H].
- destruct l as [|k]; [easy|]. destruct H as [<-|[]]. simpl. rewrite leb_refl, andb_true_r. apply Nat.leb_le. lia.
- apply in_map_iff in H as [x [<- H]]. simpl. now rewrite Nat.leb_refl, IH.
Qed.

Lemma nodes_iff top : forall v, In v (nodes top) <-> leb v top = true.
Proof.
intros v. split; [|apply nodes_leb]. revert v.
induction top as [|h top IH]; intros v H; [now destruct H as [<-|[]]|].
change (nodes (h :: top)) with (flat_map (fun l => map (cons l) (nodes top)) (seq 0 (S h))) in H. apply in_flat_map in H as [l [L H]]. apply in_seq in L. apply in_map_iff in H as [x [<- H]].
simpl leb. rewrite (IH x H), andb_true_r. apply Nat.leb_le. lia.
Qed.

Lemma member_iff v vs : member v vs = true <-> In v vs.
Proof.
unfold member. rewrite existsb_exists. split; [intros [m [H E]]; apply eqb_eq in E; now subst|].
intros H. exists v. split; trivial. now apply eqb_eq.
Qed.

(* ---- accepted ----------------------------------------------------------------------------- *)
Definition satisfying (v : node) : bool := within_limit (classes_of v).
Definition minimal_node (v : node) : Prop :=
  leb v (heights hs) = true /\ satisfying v = true /\ forall u, In u (children v) -> satisfying u = false.

Lemma found_iff v : In v (filter satisfying (nodes (heights hs))) <-> leb v (heights hs) = true /\ satisfying v = true.
Proof. now rewrite filter_In, nodes_iff. Qed.

Lemma no_child v : leb v (heights hs) = true ->
  existsb (fun u => member u (filter satisfying (nodes (heights hs)))) (children v) = false <->
  forall u, In u (children v) -> satisfying u = false.
Proof.
intros V. split.
- intros E u Hu. destruct (satisfying u) eqn:S; trivial. rewrite <- not_true_iff_false in E. exfalso. apply E.
  apply existsb_exists. exists u. split; trivial. apply member_iff, found_iff. split; trivial.
  apply (leb_trans _ v); trivial. now apply children_leb.
- intros H. apply not_true_iff_false. intros E. apply existsb_exists in E as [u [Hu M]].
  apply member_iff, found_iff in M as [_ S]. now rewrite H in S.
Qed.

Theorem check_limited_sound minimal found : check_limited minimal = Some found ->
  forallb (formed (length (sum t))) cs = true /\
  (forall v, In v found <-> leb v (heights hs) = true /\ satisfying v = true) /\
  (forall v, In v minimal <-> minimal_node v).
Proof.
unfold check_limited. change (fun v => within_limit (classes_of v)) with satisfying. cbv zeta.
set (all := filter satisfying (nodes (heights hs))). destruct (table_ok hs t && _ && _ && _) eqn:C; [|easy].
intros E. injection E as <-. unfold model_ok in C. rewrite !andb_true_iff, !forallb_forall in C.
destruct C as [[[_ [_ F]] M] N]. split; [now apply forallb_forall|]. split; [apply found_iff|].
assert (A : forall v, In v all -> (In v minimal <-> forall u, In u (children v) -> satisfying u = false)).
{ intros v Hv. specialize (N v Hv). apply eqb_prop in N. apply found_iff in Hv as [Hv _].
  rewrite <- (no_child v Hv), <- member_iff. fold all. rewrite N. apply negb_true_iff. }
intros v. split.
- intros H. assert (I : In v all) by (now apply member_iff, M). assert (W := proj1 (A v I) H).
  apply found_iff in I as [L S]. now split.
- intros [L [S H]]. apply (A v); trivial. now apply found_iff.
Qed.

Theorem check_limited_complete minimal : table_ok hs t = true -> model_ok t cs = true ->
  (forall v, In v minimal <-> minimal_node v) -> exists found, check_limited minimal = Some found.
Proof.
intros T M H. unfold check_limited. change (fun v => within_limit (classes_of v)) with satisfying. cbv zeta.
rewrite T, M. set (all := filter satisfying (nodes (heights hs))). exists all. simpl andb.
replace (forallb (fun m => member m all) minimal) with true.
- match goal with |- context [forallb ?f all] => replace (forallb f all) with true; trivial end.
  symmetry. apply forallb_forall. intros v Hv. apply found_iff in Hv as [L S]. apply eqb_true_iff. apply eq_iff_eq_true.
  rewrite member_iff, negb_true_iff, H. unfold all. rewrite (no_child v L). unfold minimal_node. tauto.
- symmetry. apply forallb_forall. intros v Hv. apply member_iff, found_iff. apply H in Hv as [L [S _]]. now split.
Qed.

(* ---- losses, as fractions; less is better --------------------------------------------------- *)
Inductive cell_loss := Levels | Tops | Cells (k : loss).
Inductive class_loss := Squares | SquaresOneClass | SquaresBefore | SquaresKept | Mean | MeanOfAll | MeanOneClass.
Inductive measured := OfCells (k : cell_loss) | OfClasses (k : class_loss) (p q : Z).

Definition kind (k : cell_loss) : loss := match k with Cells k => k | _ => Height end.
(* what a label costs in parts of the denominator, and what a suppressed record does *)
Definition width (h : hierarchy) (l label : nat) : Z :=
  Z.of_nat (length (filter (Nat.eqb label) (level_labels h l))).
Definition shown (k : loss) (h : hierarchy) (l label : nat) : Z :=
  match k with
  | Height | Precision => Z.of_nat l
  | Ncp | Gcp => let w := width h l label in if w =? 1 then 0 else w
  | Lm => width h l label - 1 end.
Definition withheld (k : cell_loss) (h : hierarchy) (l : nat) : Z :=
  match k with
  | Levels => Z.of_nat l
  | Tops => Z.of_nat (length h)
  | Cells k => denominator k h end.
Fixpoint each (f : hierarchy -> nat -> nat -> Z) (hs : list hierarchy) (v : node) (c : codes) : Z :=
  match hs, v, c with
  | h :: hs, l :: v, x :: c => f h l x + each f hs v c
  | _, _, _ => 0 end.
Definition of_class (k : cell_loss) (v : node) (c : codes * counts) : Z :=
  let stays := kept c in
  let unit := scale hs (kind k) in
  size (snd c) * each (fun h l x =>
    unit / denominator (kind k) h * (if stays then shown (kind k) h l x else withheld k h l)) hs v (fst c).
Definition whole_of (k : cell_loss) : Z :=
  let unit := scale hs (kind k) in
  match k with
  | Cells Ncp => unit
  | Levels | Tops | Cells Height => unit * records t
  | _ => unit * Z.of_nat (length hs) * records t end.

Definition squares (u : rows) : Z := fold_right (fun c z => size (snd c) * size (snd c) + z) 0 u.
Definition fraction_of (k : class_loss) (u : rows) : Z * Z :=
  let stay := filter kept u in
  let n := records t in
  let many := Z.of_nat (length stay) in
  match k with
  | Squares => (squares stay + n * lost u, 1)
  | SquaresOneClass => (squares stay + lost u * lost u, 1)
  | SquaresBefore => (squares u, 1)
  | SquaresKept => (squares stay, 1)
  | Mean => (n - lost u, many)
  | MeanOfAll => (n, many)
  | MeanOneClass => (n, many + if 0 <? lost u then 1 else 0) end.
Definition loss_of (k : measured) (v : node) (u : rows) : Z * Z :=
  match k with
  | OfCells k => (fold_right (fun c z => of_class k v c + z) 0 u, whole_of k)
  | OfClasses k p q => let (x, y) := fraction_of k u in (x * q, y * p) end.
(* the loss of this fraction is a / b *)
Definition said (k : measured) (a b : Z) (x : Z * Z) : bool :=
  match k with
  | OfCells (Cells Precision) => b * (snd x - fst x) =? a * snd x
  | _ => b * fst x =? a * snd x end.

Definition check_best (k : measured) (a b : Z) (best : list node) : bool :=
  let found := flat_map (fun v => let u := classes_of v in
    if within_limit u then [(v, loss_of k v u)] else []) (nodes (heights hs)) in
  match find (fun e => member (fst e) best) found with
  | None => false
  | Some (_, x) =>
      table_ok hs t && model_ok t cs && (0 <? b) && said k a b x
      && forallb (fun m => existsb (fun e => eqb (fst e) m) found) best
      && forallb (fun e => (0 <? snd (snd e)) && (fst x * snd (snd e) <=? fst (snd e) * snd x)
           && Bool.eqb (fst x * snd (snd e) =? fst (snd e) * snd x) (member (fst e) best)) found
  end.

Theorem check_best_sound k a b best : check_best k a b best = true ->
  let loss_at v := loss_of k v (classes_of v) in
  forallb (formed (length (sum t))) cs = true /\
  exists x, 0 < b /\ 0 < snd x /\ said k a b x = true /\ best <> [] /\
  (forall v, leb v (heights hs) = true -> satisfying v = true ->
     0 < snd (loss_at v) /\ fst x * snd (loss_at v) <= fst (loss_at v) * snd x) /\
  (forall v, In v best <-> leb v (heights hs) = true /\ satisfying v = true
     /\ fst x * snd (loss_at v) = fst (loss_at v) * snd x).
Proof.
unfold check_best. cbv zeta. set (found := flat_map _ _).
assert (I : forall v x, In (v, x) found <->
  (leb v (heights hs) = true /\ satisfying v = true) /\ x = loss_of k v (classes_of v)).
{ intros v x. unfold found. rewrite in_flat_map. unfold satisfying. split.
  - intros [w [Hw H]]. destruct (within_limit (classes_of w)) eqn:W; [|easy].
    destruct H as [H|[]]. injection H as <- <-. apply nodes_iff in Hw. now repeat split.
  - intros [[L S] ->]. exists v. rewrite S. split; [now apply nodes_iff|now left]. }
destruct (find _ found) as [[m x]|] eqn:Fm; [|easy]. apply find_some in Fm as [Im Mm].
intros C. unfold model_ok in C. rewrite !andb_true_iff, !forallb_forall, Z.ltb_lt in C.
destruct C as [[[[[_ [_ F]] B] V] A] N]. split; [now apply forallb_forall|].
assert (G : forall v y, In (v, y) found -> 0 < snd y /\ fst x * snd y <= fst y * snd x /\
  (fst x * snd y = fst y * snd x <-> In v best)).
{ intros v y H. specialize (N _ H). cbn [fst snd] in N. rewrite !andb_true_iff, Z.ltb_lt, Z.leb_le in N.
  destruct N as [[P Q] E]. apply eqb_prop in E. rewrite <- Z.eqb_eq, <- member_iff, E. tauto. }
exists x. split; [trivial|]. split; [exact (proj1 (G m x Im))|].
split; [trivial|]. split; [intros ->; now cbn in Mm|]. split.
- intros v L S. assert (H : In (v, loss_of k v (classes_of v)) found) by now apply I.
  destruct (G _ _ H) as [P [Q _]]. now split.
- intros v. split.
  + intros H. specialize (A v H). apply existsb_exists in A as [[w y] [Hw E]]. apply eqb_eq in E. cbn [fst] in E. subst w.
    destruct (G v y Hw) as [_ [_ W]]. destruct (proj1 (I v y) Hw) as [[L S] ->].
    split; [trivial|]. split; [trivial|]. now apply W.
  + intros [L [S E]]. assert (Hw : In (v, loss_of k v (classes_of v)) found) by now apply I.
    destruct (G v _ Hw) as [_ [_ W]]. now apply W.
Qed.
End Limit.
