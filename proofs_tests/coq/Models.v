(* Models that bound a class against the table: what merging classes does to
   frequency l-diversity, (alpha,k)-anonymity, beta-likeness, delta-disclosure
   privacy, exp(epsilon)-closeness and (n,t)-closeness.

   Places in the papers:
     frequency_merge, alpha_merge   the frequency form of l-diversity (every
          share <= 1/l); (alpha,k)-anonymity (Wong et al. 2006)
     beta_merge       basic beta-likeness (Cao, Karras 2012); with a bound for
          each value also enhanced beta-likeness, min(beta, -ln q)
     delta_merge      delta-disclosure privacy (Brickell, Shmatikov 2008), with e
          for exp(delta); in Logarithms.v with the logarithm itself
     exp_close_merge  exp(epsilon)-closeness (Soria-Comas, Domingo-Ferrer 2013,
          Definition 5), with e for exp(epsilon)
     ratio_sets_atoms Definition 5 needs single values only, not all sets
     k_map_merge, presence_merge   k-map (Sweeney 2002), delta-presence (Nergiz,
          Atzori, Clifton 2007), with the population generalized alike
     knowledge_needed l-diversity paper, section 4.1
     nt_close_merge   (n,t)-closeness (Li et al. 2010) when classes are merged
          inside their supersets; in general it is not monotone (Counterexamples.v)

   The idea in three lines:
   - each model is a list of bounds sum_i a_i p_i <= b (or <) on a class;
   - a bound that is linear in p passes from the parts to every mean (bound_means);
   - the distribution in a union is a mean of those in its parts (mean_merge). *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From Tcloseness Require Import Transport Tables.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- bounds that are linear in p ----------------------------------------- *)
Section Bounds.
Variables (R : realFieldType) (T : finType).
Implicit Types (C D : (T -> R) -> Prop) (a : T -> R) (b : R).

Lemma bound_means a b : closed_under_means (fun p : T -> R => \sum_i a i * p i <= b).
Proof.
move=> K w P p w0 w1 E H; have -> : \sum_i a i * p i = \sum_k w k * \sum_i a i * P k i.
  under eq_bigr do rewrite E mulr_sumr; rewrite exchange_big; apply: eq_bigr => k _.
  by rewrite mulr_sumr; apply: eq_bigr => i _; rewrite mulrCA.
rewrite -[leRHS]mul1r -w1 mulr_suml; apply: ler_sum => k _.
have [->|/H le] := eqVneq (w k) 0; first by rewrite !mul0r.
exact: ler_wpmul2l.
Qed.

Lemma strict_bound_means a b : closed_under_means (fun p : T -> R => \sum_i a i * p i < b).
Proof.
move=> K w P p w0 w1 E H; have -> : \sum_i a i * p i = \sum_k w k * \sum_i a i * P k i.
  under eq_bigr do rewrite E mulr_sumr; rewrite exchange_big; apply: eq_bigr => k _.
  by rewrite mulr_sumr; apply: eq_bigr => i _; rewrite mulrCA.
have [k0 k00] : exists k, w k != 0.
  apply/existsP; rewrite -negb_forall; apply/negP=> /forallP z.
  by have /eqP := w1; rewrite big1 ?(eq_sym 0) ?oner_eq0 // => k _; apply/eqP.
rewrite -[ltRHS]mul1r -w1 mulr_suml (bigD1 k0) //= [ltRHS](bigD1 k0) //=.
apply: ltr_le_add.
  by rewrite ltr_pmul2l ?H // lt_neqAle eq_sym k00 w0.
apply: ler_sum => k _; have [->|/H/ltW le] := eqVneq (w k) 0; first by rewrite !mul0r.
exact: ler_wpmul2l.
Qed.

Lemma one_value a i (p : T -> R) : \sum_j (j == i)%:R * a j * p j = a i * p i.
Proof.
rewrite (bigD1 i) //= eqxx mul1r big1 ?addr0 // => j /negPf ->.
by rewrite !mul0r.
Qed.

Lemma le_means i b : closed_under_means (fun p : T -> R => p i <= b).
Proof.
move=> K w P p w0 w1 E H; have := @bound_means (fun j => (j == i)%:R * 1) b K w P p w0 w1 E.
by rewrite (one_value (fun=> 1)) mul1r; apply=> k /H; rewrite (one_value (fun=> 1)) mul1r.
Qed.

Lemma lt_means i b : closed_under_means (fun p : T -> R => p i < b).
Proof.
move=> K w P p w0 w1 E H; have := @strict_bound_means (fun j => (j == i)%:R * 1) b K w P p w0 w1 E.
by rewrite (one_value (fun=> 1)) mul1r; apply=> k /H; rewrite (one_value (fun=> 1)) mul1r.
Qed.

Lemma gt_means i b : closed_under_means (fun p : T -> R => b < p i).
Proof.
move=> K w P p w0 w1 E H.
have := @strict_bound_means (fun j => (j == i)%:R * -1) (- b) K w P p w0 w1 E.
rewrite (one_value (fun=> -1)) mulN1r ltr_opp2; apply=> k /H.
by rewrite (one_value (fun=> -1)) mulN1r ltr_opp2.
Qed.

Lemma ge_means i b : closed_under_means (fun p : T -> R => b <= p i).
Proof.
move=> K w P p w0 w1 E H.
have := @bound_means (fun j => (j == i)%:R * -1) (- b) K w P p w0 w1 E.
rewrite (one_value (fun=> -1)) mulN1r ler_opp2; apply=> k /H.
by rewrite (one_value (fun=> -1)) mulN1r ler_opp2.
Qed.

Lemma and_means C D : closed_under_means C -> closed_under_means D ->
  closed_under_means (fun p => C p /\ D p).
Proof.
move=> HC HD K w P p w0 w1 E H.
by split; [apply: (HC K w P) | apply: (HD K w P)] => // k /H[].
Qed.

Lemma all_means (I : Type) (C : I -> (T -> R) -> Prop) :
  (forall i, closed_under_means (C i)) -> closed_under_means (fun p => forall i, C i p).
Proof. by move=> HC K w P p w0 w1 E H i; apply: (HC i K w P) => // k /H. Qed.

Lemma means_iff C D : (forall p, C p <-> D p) -> closed_under_means C -> closed_under_means D.
Proof. by move=> CD HC K w P p w0 w1 E H; apply/CD/(HC K w P) => // k /H/CD. Qed.
End Bounds.

(* ---- ratios of sets and of single values (Definition 5 of the 2013 paper) -- *)
Section Ratio.
Variables (R : realFieldType) (T : finType).
Implicit Types p q : T -> R.

Theorem ratio_sets_atoms p q e : (forall i, 0 < q i) ->
  (forall i, p i / q i <= e) <->
  (forall S : {set T}, S != set0 -> (\sum_(i in S) p i) / (\sum_(i in S) q i) <= e).
Proof.
move=> q0; split=> [H S S0|H i]; last first.
  by have := H [set i]; rewrite !big_set1; apply; rewrite -card_gt0 cards1.
have qS : 0 < \sum_(i in S) q i.
  have [x xS] := set0Pn _ S0; rewrite (bigD1 x) //= ltr_spaddl ?sumr_ge0 // => i _.
  exact: ltW.
rewrite ler_pdivr_mulr // mulr_sumr; apply: ler_sum => i _.
by rewrite -ler_pdivr_mulr.
Qed.

(* a / b <= e with the conventions of Definition 5: 0/0 = 0, a/0 infinite *)
Definition ratio_le (a b e : R) : Prop := (b = 0 -> a = 0) /\ (b != 0 -> a / b <= e).

(* d(P, Q) <= e for the distance of Definition 5 *)
Definition ratio_close (e : R) p q : Prop := forall S : {set T},
  ratio_le (\sum_(i in S) p i) (\sum_(i in S) q i) e /\
  ratio_le (\sum_(i in S) q i) (\sum_(i in S) p i) e.

Lemma ratio_leE a b e : 0 <= a -> 0 <= b -> 0 <= e -> ratio_le a b e <-> a <= e * b.
Proof.
move=> a0 b0 e0; rewrite /ratio_le; have [->|bn] := eqVneq b 0.
  by rewrite mulr0; split=> [[-> //]|a0']; split=> // _; apply/eqP; rewrite eq_le a0 a0'.
rewrite -ler_pdivr_mulr; last by rewrite lt_neqAle eq_sym bn.
by split=> [[_ ->//]|le]; split=> // bz; rewrite bz eqxx in bn.
Qed.

(* single values suffice *)
Theorem ratio_closeP e p q : 0 <= e -> (forall i, 0 <= p i) -> (forall i, 0 <= q i) ->
  ratio_close e p q <-> forall i, p i <= e * q i /\ q i <= e * p i.
Proof.
move=> e0 p0 q0; have on0 r (S : {set T}) : (forall i, 0 <= r i) -> 0 <= \sum_(i in S) r i :> R.
  by move=> r0; apply: sumr_ge0.
split=> [H i|H S].
  by have [/ratio_leE pq /ratio_leE qp] := H [set i]; rewrite !big_set1 in pq qp; split; auto.
by split; apply/ratio_leE; rewrite ?on0 // mulr_sumr; apply: ler_sum => i _; case: (H i).
Qed.
End Ratio.

(* ---- the models ------------------------------------------------------------ *)
Section Models.
Variables (R : realFieldType) (Rec T : finType) (s : Rec -> T).
Variables (K L : finType) (cls : Rec -> K) (h : K -> L).
Notation size_of := (@size_of Rec).
Notation dist_of := (dist_of R s).
Notation overall := (overall R s).
Notation big_cls := (h \o cls).
Implicit Types (p q : T -> R) (l : L) (M : finType).

(* every class of the table satisfies C *)
Definition every_class M (c : Rec -> M) (C : (T -> R) -> Prop) : Prop :=
  forall k, (0 < size_of c k)%N -> C (dist_of c k).

(* C is kept by every more general table *)
Theorem every_class_merge (C : (T -> R) -> Prop) : closed_under_means C ->
  every_class cls C -> every_class big_cls C.
Proof. by move=> HC H l; apply: mean_merge => // k _; apply: H. Qed.

Lemma dist_ge0 M (c : Rec -> M) k i : 0 <= dist_of c k i.
Proof. by rewrite divr_ge0 ?ler0n. Qed.

Lemma overall_ge0 i : 0 <= overall i.
Proof. by rewrite divr_ge0 ?ler0n. Qed.

(* no value has more than the share alpha of a class, for the values in A *)
Definition alpha_bound (alpha : R) (A : {set T}) p : Prop := forall i, i \in A -> p i <= alpha.

Theorem alpha_merge alpha A :
  every_class cls (alpha_bound alpha A) -> every_class big_cls (alpha_bound alpha A).
Proof.
apply: every_class_merge; apply: all_means => i.
by move=> K' w P p w0 w1 E H iA; apply: (@le_means _ _ i alpha K' w P p w0 w1 E) => k /H; apply.
Qed.

Definition frequency (ell : R) p : Prop := forall i, p i <= ell^-1.

Theorem frequency_merge (ell : R) :
  every_class cls (frequency ell) -> every_class big_cls (frequency ell).
Proof. by apply: every_class_merge; apply: all_means => i; apply: le_means. Qed.

(* (p_i - q_i) / q_i <= beta_i wherever p_i > q_i *)
Definition beta_like (beta : T -> R) q p : Prop :=
  forall i, q i < p i -> (p i - q i) / q i <= beta i.

Theorem beta_merge (beta : T -> R) : (forall i, 0 <= beta i) ->
  every_class cls (beta_like beta overall) -> every_class big_cls (beta_like beta overall).
Proof.
move=> b0; apply: every_class_merge; apply: all_means => i.
have q0 := overall_ge0 i; have [qz|qn] := eqVneq (overall i) 0.
  by move=> K' w P p w0 w1 E H _; rewrite qz invr0 mulr0.
have qp : 0 < overall i by rewrite lt_neqAle eq_sym qn.
apply: (means_iff (C := fun p => p i <= (1 + beta i) * overall i)); last exact: le_means.
move=> p; rewrite mulrDl mul1r addrC -ler_subl_addr -ler_pdivr_mulr //.
split=> // H; have [le|/H//] := lerP (p i) (overall i).
by apply: le_trans (b0 i); rewrite pmulr_lle0 ?invr_gt0 // subr_le0.
Qed.

(* |log(p_i / q_i)| < delta, which is 1/e < p_i / q_i < e with e = exp(delta) *)
Definition delta_disclosure (e : R) q p : Prop :=
  forall i, 0 < q i -> e^-1 < p i / q i /\ p i / q i < e.

Theorem delta_merge e :
  every_class cls (delta_disclosure e overall) ->
  every_class big_cls (delta_disclosure e overall).
Proof.
apply: every_class_merge; apply: all_means => i.
have [q0|q0] := boolP (0 < overall i); last first.
  by move=> K' w P p w0 w1 E H qi; move/negP: q0; case.
move: (overall i) q0 => qi q0.
apply: (means_iff (C := fun p => e^-1 * qi < p i /\ p i < e * qi)).
  by move=> p; rewrite ltr_pdivl_mulr // ltr_pdivr_mulr //; split=> [|/(_ isT)].
exact: (and_means (@gt_means _ _ i _) (@lt_means _ _ i _)).
Qed.

(* exp(epsilon)-closeness, e = exp(epsilon) *)
Theorem exp_close_merge e : 0 <= e ->
  every_class cls (fun p => ratio_close e p overall) ->
  every_class big_cls (fun p => ratio_close e p overall).
Proof.
move=> e0 H l l0; apply/ratio_closeP => // [i|i|]; [exact: dist_ge0|exact: overall_ge0|].
pose C p := forall i, p i <= e * overall i /\ overall i <= e * p i.
have HC : closed_under_means C.
  apply: all_means => i; apply: and_means; first exact: le_means.
  have := @bound_means R T (fun j => (j == i)%:R * - e) (- overall i).
  by apply: means_iff => p; rewrite (one_value (fun=> - e)) mulNr ler_opp2.
apply: (every_class_merge HC) l0 => k k0; apply/ratio_closeP; last exact: H.
- exact: e0.
- by move=> i; apply: dist_ge0.
- exact: overall_ge0.
Qed.

(* ---- (n,t)-closeness ------------------------------------------------------- *)
(* Each class has a natural superset, the class of the still coarser map g; it
   holds n records or more, and the class is within t of it. *)
Variables (M : finType) (g : L -> M).

Definition nt_close d (n : nat) (t : R) (F : finType) (c : Rec -> F) (up : F -> M) : Prop :=
  forall k, (0 < size_of c k)%N -> (n <= size_of (up \o c) (up k))%N /\
    emd_le d (dist_of c k) (dist_of (up \o c) (up k)) t.

Theorem nt_close_merge d n t :
  nt_close d n t cls (g \o h) -> nt_close d n t big_cls g.
Proof.
move=> H l l0; split.
  have [k /eqP kl /H[+ _]] := merge_nonempty l0.
  by rewrite /comp /= kl.
apply: (mean_merge (C := fun p => emd_le d p (dist_of (g \o big_cls) (g l)) t)) l0.
  by move=> K' w P p w0 w1 E; apply: emd_le_sum.
by move=> k /eqP kl /H[_]; rewrite /comp /= kl.
Qed.
End Models.

(* ---- classes of a population ---------------------------------------------------- *)
Section Population.
Variables (R : realFieldType) (Rec Person K L : finType).
Variables (cls : Rec -> K) (fits : Person -> K) (h : K -> L).

(* so many persons of the population fit each class of the table *)
Theorem k_map_merge kk :
  (forall k, (0 < size_of cls k)%N -> (kk <= size_of fits k)%N) ->
  forall l, (0 < size_of (h \o cls) l)%N -> (kk <= size_of (h \o fits) l)%N.
Proof.
move=> H l /merge_nonempty[k kl /H le]; apply: leq_trans le _.
by rewrite merge_size (bigD1 k) //= leq_addr.
Qed.

(* the share of the persons who are in the table *)
Theorem presence_merge (low high : R) :
  (forall k, low * (size_of fits k)%:R <= (size_of cls k)%:R <= high * (size_of fits k)%:R) ->
  forall l, low * (size_of (h \o fits) l)%:R <= (size_of (h \o cls) l)%:R
    <= high * (size_of (h \o fits) l)%:R.
Proof.
move=> H l; rewrite !merge_size !natr_sum !mulr_sumr; apply/andP.
by split; apply: ler_sum => k _; case/andP: (H k).
Qed.
End Population.

(* who eliminates l - 2 values of a class with l is left with two (l-diversity paper,
   section 4.1) *)
Theorem knowledge_needed (T : finType) (n : T -> nat) (l : nat) (E : {set T}) :
  (l <= #|[pred i | 0 < n i]%N|)%N -> (#|E| + 2 <= l)%N ->
  (2 <= #|[pred i | (0 < n i)%N && (i \notin E)]|)%N.
Proof.
move=> ln El; have le : (#|[pred i | 0 < n i]%N| <= #|E| + #|[pred i | (0 < n i)%N && (i \notin E)]|)%N.
  rewrite -(cardsE [pred i | (0 < n i)%N && (i \notin E)]) -cardsUI.
  apply: leq_trans (leq_addr _ _); apply/subset_leq_card/subsetP=> i; rewrite !inE => ->.
  by case: (i \in E).
by rewrite -(leq_add2l #|E|); apply: leq_trans El _; apply: leq_trans ln le.
Qed.
