(* What an attacker believes who knows the whole population: the posterior belief of
   the l-diversity paper counts random worlds.

   Rows of the published table have a generalized value (block) and a sensitive
   value.  A world gives each row its own person of the population who has them: a
   simple random sample without replacement, in any order, that is compatible with
   the published table (l-diversity paper, section 3.1).  Bob's quasi-identifiers
   are q; he is in one of the rows.

   Places in the papers:
     share_of_worlds   in a row of block b and value v, the share of the worlds in
          which the row's person has quasi-identifiers q is f(q, v) / f(b, v)
     posterior_belief  l-diversity paper, Theorem 3.1, equation (1)
     homogeneous_block section 3.2: a block with one value makes the belief 1

   The idea in three lines:
   - exchanging two persons of one block and one value permutes the worlds;
   - so in a row every person who fits it is as frequent as every other;
   - the constants f(q) and f(b) cancel. *)
From mathcomp Require Import all_ssreflect all_fingroup all_algebra ring.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.

Section Worlds.
Variables (Row Person Q B S : finType).
Variables (block : Row -> B) (value : Row -> S).
Variables (quasi : Person -> Q) (sensitive : Person -> S) (generalized : Q -> B).
Implicit Types (w : {ffun Row -> Person}) (t : Row) (p : Person) (A : {set Person}).

Definition fits w : bool := injectiveb w &&
  [forall t, (generalized (quasi (w t)) == block t) && (sensitive (w t) == value t)].
Definition worlds := [set w | fits w].
Definition people b v := [set p | (generalized (quasi p) == b) && (sensitive p == v)].
Definition people_with q v := [set p | (quasi p == q) && (sensitive p == v)].
Definition worlds_at t A := [set w in worlds | w t \in A].

Definition exchanged p p' w := [ffun t => tperm p p' (w t)] : {ffun Row -> Person}.

Lemma exchangedK p p' : involutive (exchanged p p').
Proof. by move=> w; apply/ffunP=> t; rewrite !ffunE tpermK. Qed.

Lemma exchanged_fits p p' b v w : p \in people b v -> p' \in people b v ->
  fits w -> fits (exchanged p p' w).
Proof.
rewrite !inE => /andP[/eqP pb /eqP pv] /andP[/eqP p'b /eqP p'v] /andP[/injectiveP wi /forallP wf].
apply/andP; split; first by apply/injectiveP=> t u; rewrite !ffunE => /perm_inj/wi.
apply/forallP=> t; rewrite ffunE; have := wf t.
by case: tpermP => [->|->|//]; rewrite ?pb ?pv ?p'b ?p'v.
Qed.

Lemma people_alike t p p' : p \in people (block t) (value t) -> p' \in people (block t) (value t) ->
  #|worlds_at t [set p]| = #|worlds_at t [set p']|.
Proof.
move=> pt p't; rewrite -(card_imset _ (inv_inj (exchangedK p p'))); congr #|pred_of_set _|.
apply/setP=> w; apply/imsetP/idP=> [[u + ->]|].
  rewrite !inE ffunE => /andP[/(exchanged_fits pt p't)-> /eqP->]; by rewrite tpermL eqxx.
rewrite !inE => /andP[/(exchanged_fits pt p't) fu /eqP wt]; exists (exchanged p p' w).
  by rewrite !inE fu ffunE wt tpermR eqxx.
by rewrite exchangedK.
Qed.

Lemma worlds_at_sum t A : #|worlds_at t A| = (\sum_(p in A) #|worlds_at t [set p]|)%N.
Proof.
rewrite -sum1_card (partition_big (fun w => w t) (mem A)) /=; last by move=> w; rewrite inE => /andP[].
apply: eq_bigr => p pA; rewrite sum1_card; apply: eq_card => w.
by rewrite [LHS]unfold_in /= !inE -andbA; case: eqP => [->|]; rewrite ?pA ?andbF.
Qed.

Lemma worlds_all t : worlds = worlds_at t (people (block t) (value t)).
Proof.
by apply/setP=> w; rewrite !inE; case E: (fits w) => //=; case/andP: E => _ /forallP/(_ t).
Qed.

Lemma share_of_people t A : A \subset people (block t) (value t) ->
  (#|worlds_at t A| * #|people (block t) (value t)| = #|worlds| * #|A|)%N.
Proof.
move=> sub; have [->|[p pA]] := set_0Vmem A.
  by rewrite cards0 muln0 worlds_at_sum big_set0 mul0n.
have pt := subsetP sub p pA.
have sum_of (D : {set Person}) : D \subset people (block t) (value t) ->
    #|worlds_at t D| = (#|D| * #|worlds_at t [set p]|)%N.
  move=> /subsetP subD; rewrite worlds_at_sum -sum_nat_const; apply: eq_bigr => p' p'D.
  by apply: people_alike => //; apply: subD.
by rewrite (sum_of _ sub) (worlds_all t) (sum_of _ (subxx _)) mulnAC mulnC mulnA [RHS]mulnAC mulnC mulnA mulnAC.
Qed.

(* f(q, v) / f(b, v) *)
Theorem share_of_worlds t q : generalized q = block t ->
  (#|[set w in worlds | quasi (w t) == q]| * #|people (block t) (value t)| =
   #|worlds| * #|people_with q (value t)|)%N.
Proof.
move=> qt; rewrite -(@share_of_people t (people_with q (value t))); last first.
  by apply/subsetP=> p; rewrite !inE => /andP[/eqP-> ->]; rewrite qt eqxx.
congr (_ * _)%N; apply: eq_card => w; rewrite !inE; case E: (fits w) => //=.
by case/andP: E => _ /forallP/(_ t)/andP[_ ->]; rewrite andbT.
Qed.

Section Belief.
Local Open Scope ring_scope.
Variables (R : realFieldType) (q : Q).
Notation b := (generalized q).

Definition rows v := #|[set t | (block t == b) && (value t == v)]|.
(* the worlds and rows in which Bob is, and those in which his value is v *)
Definition chances v : nat :=
  \sum_(t | (block t == b) && (value t == v)) #|[set w in worlds | quasi (w t) == q]|.
Definition belief v : R := (chances v)%:R / (\sum_v' chances v')%N%:R.

(* the population's shares: f(v | q) and f(v | q-star) *)
Definition among_q v : R := #|people_with q v|%:R / #|[set p | quasi p == q]|%:R.
Definition among_block v : R :=
  #|people b v|%:R / #|[set p | generalized (quasi p) == b]|%:R.

Lemma chancesE v : (0 < #|worlds|)%N -> (0 < #|[set p | quasi p == q]|)%N ->
  (chances v)%:R = #|worlds|%:R * (#|[set p | quasi p == q]|%:R /
    #|[set p | generalized (quasi p) == b]|%:R) * ((rows v)%:R * (among_q v / among_block v)) :> R.
Proof.
move=> w0 q0; have b0 : (0 < #|[set p | generalized (quasi p) == b]|)%N.
  apply: leq_trans q0 _; apply/subset_leq_card/subsetP=> p; rewrite !inE => /eqP->.
  by rewrite eqxx.
have [n0|n0] := posnP (rows v).
  rewrite n0 mul0r mulr0 /chances big_pred0 // => t; apply/negbTE/negP=> bt.
  by move/eqP: n0; rewrite cards_eq0 => /eqP/setP/(_ t); rewrite !inE bt.
have [t0 t0b] : exists t, (block t == b) && (value t == v).
  by move: n0; rewrite card_gt0 => /set0Pn[t]; rewrite inE; exists t.
have p0 : (0 < #|people b v|)%N.
  move: w0; rewrite card_gt0 => /set0Pn[w]; rewrite inE => /andP[_ /forallP/(_ t0)].
  case/andP: t0b => /eqP-> /eqP-> wt; rewrite card_gt0; apply/set0Pn; exists (w t0).
  by rewrite inE.
have -> : (chances v)%:R = (rows v)%:R * (#|worlds|%:R * #|people_with q v|%:R / #|people b v|%:R) :> R.
  rewrite /chances natr_sum /rows -sum1_card natr_sum mulr_suml.
  under [RHS]eq_bigl do rewrite inE.
  apply: eq_bigr => t /andP[/eqP bt /eqP vt]; rewrite mul1r.
  have := share_of_worlds (esym bt); rewrite bt vt => e.
  apply: (mulIf (x := #|people b v|%:R)); first by rewrite pnatr_eq0 -lt0n.
  by rewrite divfK ?pnatr_eq0 -?lt0n // -!natrM e.
rewrite /among_q /among_block; field.
by rewrite !pnatr_eq0 -!lt0n p0 q0 b0.
Qed.

Theorem posterior_belief v : (0 < #|worlds|)%N -> (0 < #|[set p | quasi p == q]|)%N ->
  belief v = (rows v)%:R * (among_q v / among_block v) /
    \sum_v' (rows v')%:R * (among_q v' / among_block v').
Proof.
move=> w0 q0; rewrite /belief natr_sum chancesE //.
under eq_bigr do rewrite chancesE //.
rewrite -mulr_sumr -mulf_div divff ?mul1r //.
have b0 : (0 < #|[set p | generalized (quasi p) == b]|)%N.
  apply: leq_trans q0 _; apply/subset_leq_card/subsetP=> p; rewrite !inE => /eqP->.
  by rewrite eqxx.
by rewrite !mulf_neq0 ?invr_neq0 ?pnatr_eq0 -?lt0n.
Qed.

Theorem homogeneous_block v : (forall t, block t = b -> value t = v) ->
  (0 < chances v)%N -> belief v = 1.
Proof.
move=> one c0; rewrite /belief (bigD1 v) //= big1 ?addn0 ?divff ?pnatr_eq0 -?lt0n // => v' vv'.
rewrite /chances big_pred0 // => t; apply/negbTE/negP=> /andP[/eqP/one-> /eqP e].
by rewrite e eqxx in vv'.
Qed.
End Belief.
End Worlds.
