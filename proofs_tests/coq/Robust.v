(* Suppression limits: verdicts are not monotone, but what must leave is.

   P says of counts whether a class may stay (against a Q that never changes: that
   of all records).  From a class some records may leave; the rest satisfies, or
   nothing is left.

   Places in the checkers: certificates of searches with a limit of suppression;
   t-closeness paper, section 4 (Generalization Property)
     robust_below        if at a node more records must leave than the limit, then
          so they must at every node below, and no node below satisfies
     robust_certificate  one bound for each class suffices
     leave_antitone      the least number that must leave never grows upwards
     close_joins         t-closeness against a fixed Q is closed under joining

   The idea in three lines:
   - what finer classes keep, joined inside a coarser class, satisfies;
   - so the coarser class keeps as many, and no more must leave;
   - the rule of the package drops whole classes: never fewer than must leave. *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From Tcloseness Require Import Transport Existence Tables.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.

Section Robust.
Variables (Rec T K L : finType) (s : Rec -> T) (cls : Rec -> K) (h : K -> L).
Variable P : pred {ffun T -> nat}.
Notation counts := {ffun T -> nat}.
Notation big_cls := (h \o cls).
Implicit Types (x y : counts).

Definition zero : counts := [ffun=> 0].
Definition plus x y : counts := [ffun i => x i + y i].
Definition records x := \sum_i x i.
Definition counts_of (M : finType) (c : Rec -> M) k : counts := [ffun i => count_of s c k i].

Hypothesis joins : forall x y, P x -> P y -> P (plus x y).

(* what may stay of a class *)
Definition may_stay x := (x == zero) || P x.
Definition stays (M : finType) (c : Rec -> M) (keep : M -> counts) : Prop :=
  forall k, may_stay (keep k) /\ forall i, keep k i <= count_of s c k i.
(* records that leave *)
Definition leave (M : finType) (c : Rec -> M) (keep : M -> counts) : nat :=
  \sum_k (size_of c k - records (keep k)).

Lemma may_stay_plus x y : may_stay x -> may_stay y -> may_stay (plus x y).
Proof.
have z x' : plus zero x' = x' by apply/ffunP=> i; rewrite !ffunE.
have z' x' : plus x' zero = x' by apply/ffunP=> i; rewrite !ffunE addn0.
case/orP=> [/eqP->|px]; first by rewrite z.
by case/orP=> [/eqP->|py]; [rewrite z' /may_stay px orbT | rewrite /may_stay joins ?orbT].
Qed.

Definition joined (keep : K -> counts) l : counts := \big[plus/zero]_(k | h k == l) keep k.

Lemma joinedE keep l i : joined keep l i = \sum_(k | h k == l) keep k i.
Proof.
rewrite /joined; elim: (index_enum K) => [|k r IH]; first by rewrite !big_nil ffunE.
by rewrite !big_cons; case: (h k == l) => //; rewrite ffunE IH.
Qed.

Lemma stays_joined keep : stays cls keep -> stays big_cls (joined keep).
Proof.
move=> H l; split=> [|i].
  rewrite /joined; elim: (index_enum K) => [|k r IH]; first by rewrite big_nil /may_stay eqxx.
  by rewrite big_cons; case: (h k == l) => //; apply: may_stay_plus => //; case: (H k).
rewrite joinedE merge_count; apply: leq_sum => k _; by case: (H k).
Qed.

Lemma records_le (M : finType) (c : Rec -> M) keep k : stays c keep ->
  records (keep k) <= size_of c k.
Proof. by move=> /(_ k)[_ le]; rewrite (size_count s); apply: leq_sum => i _. Qed.

(* joined, the same number leaves *)
Lemma leave_joined keep : stays cls keep -> leave big_cls (joined keep) = leave cls keep.
Proof.
move=> H; have E (M : finType) (c : Rec -> M) k' : stays c k' ->
    leave c k' + \sum_k records (k' k) = #|Rec|.
  move=> Hc; rewrite /leave -big_split /=.
  have -> : \sum_k (size_of c k - records (k' k) + records (k' k)) = \sum_k size_of c k.
    by apply: eq_bigr => k _; rewrite subnK // records_le.
  rewrite exchange_big /= -sum1_card; apply: eq_bigr => r _.
  by rewrite (bigD1 (c r)) //= eqxx big1 // => k /negPf; rewrite eq_sym => ->.
have R : \sum_l records (joined keep l) = \sum_k records (keep k).
  have rE l : records (joined keep l) = \sum_(k | h k == l) records (keep k).
    by rewrite [RHS]exchange_big; apply: eq_bigr => i _; rewrite joinedE.
  under eq_bigr do rewrite rE; rewrite (exchange_big_dep xpredT) //=.
  by apply: eq_bigr => k _; rewrite (big_pred1 (h k)) // => l; rewrite eq_sym.
by apply/eqP; rewrite -(eqn_add2r (\sum_k records (keep k))) -{1}R !E //; apply: stays_joined.
Qed.

(* more records must leave than the limit, whatever is kept *)
Definition robust (M : finType) (c : Rec -> M) limit : Prop :=
  forall keep, stays c keep -> limit < leave c keep.

Theorem leave_antitone limit : robust big_cls limit -> robust cls limit.
Proof. by move=> H keep st; rewrite -(leave_joined st); apply/H/stays_joined. Qed.

(* the rule of the package: classes that violate go as a whole *)
Definition dropped (M : finType) (c : Rec -> M) : nat :=
  \sum_(k | (0 < size_of c k) && ~~ P (counts_of c k)) size_of c k.

Lemma robust_dropped (M : finType) (c : Rec -> M) limit : robust c limit -> limit < dropped c.
Proof.
move=> H; pose keep k := if P (counts_of c k) then counts_of c k else zero.
have z : records zero = 0 by apply: big1 => i _; rewrite ffunE.
have full k : records (counts_of c k) = size_of c k.
  by rewrite (size_count s); apply: eq_bigr => i _; rewrite ffunE.
apply: leq_trans (H keep _) _; last first.
  rewrite /dropped big_mkcond; apply: leq_sum => k _; rewrite /keep.
  case: ifP => [Pk|_] /=; first by rewrite full subnn.
  by rewrite z subn0 andbT; case: posnP => [->|].
move=> k; rewrite /keep; case: ifP => [Pk|_]; split=> [|i]; rewrite ?ffunE //.
  by rewrite /may_stay Pk orbT.
by rewrite /may_stay eqxx.
Qed.

Theorem robust_below limit : robust big_cls limit -> limit < dropped cls.
Proof. by move/leave_antitone/robust_dropped. Qed.

(* what the certificate says: of class k at most top k records stay *)
Theorem robust_certificate (M : finType) (c : Rec -> M) (top : M -> nat) limit :
    (forall k x, P x -> (forall i, x i <= count_of s c k i) -> records x <= top k) ->
    limit < \sum_k (size_of c k - top k) ->
  robust c limit.
Proof.
move=> tops lt keep st; apply: leq_trans lt _; apply: leq_sum => k _; apply: leq_sub2l.
have [/orP[/eqP->|Pk] le] := st k; last exact: tops.
by rewrite [records _]big1 // => i _; rewrite ffunE.
Qed.
End Robust.

(* ---- t-closeness, and size, are closed under joining ------------------------------ *)
Section Close.
Local Open Scope ring_scope.
Variables (R : realFieldType) (T : finType) (d : T -> T -> R) (q : T -> R) (t : R) (least : nat).
Implicit Types (x y : {ffun T -> nat}).
Definition share x i : R := (x i)%:R / (records x)%:R.

(* at least so many records, not none, and close *)
Definition stays_close x : Prop :=
  (0 < records x)%N /\ (least <= records x)%N /\ emd_le d (share x) q t.

Theorem close_joins x y : stays_close x -> stays_close y -> stays_close (plus x y).
Proof.
move=> [x0 [lx [f Cf cf]]] [y0 [ly [g Cg cg]]].
have rE : records (plus x y) = (records x + records y)%N.
  by rewrite /records -big_split; apply: eq_bigr => i _; rewrite ffunE.
have n0 : (0 < records x + records y)%N by rewrite addn_gt0 x0.
split; first by rewrite rE.
split; first by rewrite rE (leq_trans lx) // leq_addr.
pose w : R := (records x)%:R / (records x + records y)%:R.
have X : (records x)%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
have Y : (records y)%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
have XY : (records x)%:R + (records y)%:R != 0 :> R by rewrite -natrD pnatr_eq0 -lt0n.
have w01 : 0 <= w <= 1.
  by rewrite divr_ge0 ?ler0n //= ler_pdivr_mulr ?ltr0n // mul1r ler_nat leq_addr.
have [w0 w1] := andP w01.
have E i : share (plus x y) i = mix w (share x) (share y) i.
  by rewrite /mix /share /w rE ffunE !natrD; field; rewrite X Y XY.
have [fg0 r c] := coupling_mix w01 Cf Cg.
exists (fun i j => w * f i j + (1 - w) * g i j); first by split=> // i; rewrite r E.
rewrite cost_mix; have -> : t = w * t + (1 - w) * t by ring.
by apply: ler_add; apply: ler_wpmul2l; rewrite ?subr_ge0.
Qed.

(* the same as a test, so that Robust applies to it *)
Hypotheses (q0 : forall i, 0 <= q i) (q1 : \sum_i q i = 1).
Definition closeb x : bool := 
  [&& (0 < records x)%N, (least <= records x)%N & emd d (share x) q <= t].

Lemma closebP x : reflect (stays_close x) (closeb x).
Proof.
have S : (0 < records x)%N -> same_mass (share x) q.
  move=> x0; split=> // [i|]; first by rewrite divr_ge0 ?ler0n.
  by rewrite q1 -mulr_suml -natr_sum divff // pnatr_eq0 -lt0n.
apply: (iffP and3P) => [[x0 lx /(emd_leE d t (S x0)) le]|[x0 [lx /(emd_leE d t (S x0)) le]]] //.
Qed.

Corollary closeb_joins x y : closeb x -> closeb y -> closeb (plus x y).
Proof. by move=> /closebP cx /closebP cy; apply/closebP/close_joins. Qed.

(* a node that is robust for t-closeness rules out all nodes below it *)
Corollary t_close_robust (Rec K L : finType) (s : Rec -> T) (cls : Rec -> K) (h : K -> L) limit :
  robust s closeb (h \o cls) limit -> (limit < dropped s closeb cls)%N.
Proof. by apply: robust_below; apply: closeb_joins. Qed.
End Close.
