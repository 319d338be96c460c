(* The closed forms of the earth mover's distance, for every domain size.

   Places in the papers:
     ordered_emd      t-closeness paper, section 5.1 (any factor c, so 1/(m-1))
     equal_emd        t-closeness paper, section 5.2, equal distance
     equal_forms      the same: half the sum of |p_i - q_i| is the sum of p_i - q_i
          over p_i >= q_i
     line_emd         the ordered distance with the spacing of the values
     tutorial_ways_agree, single_pass_double_sum
                      tutorial, sections 2.1.1, 2.1.2 and Algorithm 1

   The idea in three lines:
   - |i - j| counts the prefixes {1..k} that hold one of i and j;
   - [i <> j] is half the number of the singletons that hold one of them;
   - prefixes and singletons are laminar families, so laminar_emd applies. *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From Tcloseness Require Import Transport Laminar.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Lemma eq_is_emd (R : realFieldType) (T : finType) (d d' : T -> T -> R) p q x :
  (forall i j, d i j = d' i j) -> is_emd d p q x -> is_emd d' p q x.
Proof.
move=> dE; have cE f : cost d f = cost d' f.
  by apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite dE.
by case=> [[f Cf <-] mf]; split=> [|g Cg]; [exists f | rewrite -cE mf].
Qed.

(* ---- ordered distance --------------------------------------------------- *)
Section Ordered.
Variables (R : realFieldType) (m : nat).
Implicit Types p q : 'I_m -> R.

Definition prefix (k : 'I_m) : {set 'I_m} := [set i : 'I_m | (i <= k)%N].
Definition cum p (k : 'I_m) : R := \sum_(i < m | (i <= k)%N) p i.

Lemma count_between (i j : nat) : (j <= m)%N ->
  (\sum_(k < m) ((i <= k) && (k < j)) = j - i)%N.
Proof.
move=> jm; rewrite -[RHS]muln1 -sum_nat_const_nat big_geq_mkord.
rewrite (big_ord_widen_cond m (fun k => i <= k)%N (fun=> 1%N)) // [RHS]big_mkcond.
by apply: eq_bigr => k _; case: (_ && _).
Qed.

Lemma cuts_prefix (c : R) (i j : 'I_m) :
  cuts (fun=> c) prefix i j = c * `|i%:R - j%:R|.
Proof.
rewrite /cuts -mulr_sumr; congr (_ * _); rewrite -natr_sum.
wlog ij : i j / (i <= j)%N => [H|].
  have [/H//|/ltnW/H] := leqP i j; rewrite distrC => <-; congr _%:R.
  by apply: eq_bigr => k _; rewrite addbC.
have -> : `|i%:R - j%:R| = (j - i)%:R :> R.
  by rewrite distrC natrB // ger0_norm // subr_ge0 ler_nat.
rewrite -(count_between i (ltnW (ltn_ord j))); congr _%:R; apply: eq_bigr => k _; rewrite !inE (ltnNge k j).
by case: (leqP j k) => [jk|_]; rewrite ?(leq_trans ij jk) ?andbT ?addbF.
Qed.

Theorem ordered_emd (c : R) p q : 0 <= c ->
    (forall i, 0 <= p i) -> (forall i, 0 <= q i) -> \sum_i p i = \sum_i q i ->
  is_emd (fun i j : 'I_m => c * `|i%:R - j%:R|) p q
         (c * \sum_k `|cum p k - cum q k|).
Proof.
move=> c0 p0 q0 pq; apply: eq_is_emd (@cuts_prefix c) _.
have := @laminar_emd R _ _ (fun=> c) prefix (fun=> c0) _ p q p0 q0 pq.
rewrite -mulr_sumr; have onE r k : on r (prefix k) = cum r k.
  by apply: eq_bigl => i; rewrite inE.
under [X in c * X]eq_bigr do rewrite !onE; apply=> k l.
have [kl|/ltnW kl] := leqP k l; apply/orP; [left|right; apply/orP; left];
  apply/subsetP=> i; rewrite !inE => /leq_trans; exact.
Qed.
End Ordered.

(* ---- equal distance ----------------------------------------------------- *)
Section Equal.
Variables (R : realFieldType) (T : finType).
Implicit Types p q : T -> R.

Lemma sum_two (i j : T) : i != j ->
  \sum_x ((i == x) (+) (j == x))%:R = 2%:R :> R.
Proof.
move=> ij; rewrite (bigD1 i) // (bigD1 j) /=; last by rewrite eq_sym.
rewrite !eqxx (negPf ij) eq_sym (negPf ij) big1 ?addr0 -?natrD // => x.
by case/andP=> xi xj; rewrite ![_ == x]eq_sym (negPf xi) (negPf xj).
Qed.

Lemma cuts_points (i j : T) :
  cuts (fun=> 2%:R^-1) (fun x : T => [set x]) i j = (i != j)%:R :> R.
Proof.
rewrite /cuts -mulr_sumr /cut; under eq_bigr do rewrite !inE.
have [->|ij] := eqVneq i j; first by rewrite big1 ?mulr0 // => x; rewrite addbb.
by rewrite sum_two // mulVf ?pnatr_eq0.
Qed.

Theorem equal_emd p q :
    (forall i, 0 <= p i) -> (forall i, 0 <= q i) -> \sum_i p i = \sum_i q i ->
  is_emd (fun i j => (i != j)%:R) p q (2%:R^-1 * \sum_i `|p i - q i|).
Proof.
move=> p0 q0 pq; apply: eq_is_emd cuts_points _.
have h0 : 0 <= 2%:R^-1 :> R by rewrite invr_ge0 ler0n.
have := @laminar_emd R _ T (fun=> 2%:R^-1) (fun x => [set x]) (fun=> h0) _ p q p0 q0 pq.
rewrite -mulr_sumr; under [X in _ * X]eq_bigr do rewrite /on !big_set1.
apply=> x y; have [->|xy] := eqVneq x y; first by rewrite subxx.
by rewrite !sub1set disjoints1 !inE xy !orbT.
Qed.

(* the two forms of section 5.2: sum of p_i - q_i over p_i >= q_i *)
Theorem equal_forms p q : \sum_i p i = \sum_i q i ->
  \sum_(i | q i <= p i) (p i - q i) = 2%:R^-1 * \sum_i `|p i - q i|.
Proof.
move=> pq; have two : 2%:R != 0 :> R by rewrite pnatr_eq0.
apply: (mulfI two); rewrite mulrA divff // mul1r.
have /eqP : \sum_i (p i - q i) = 0 by rewrite sumrB pq subrr.
rewrite (bigID (fun i => q i <= p i)) /= addr_eq0 => /eqP e.
rewrite [RHS](bigID (fun i => q i <= p i)) /= mulr_natl mulr2n [X in X + _ = _]e -sumrN addrC.
congr (_ + _); apply: eq_bigr => i.
  by move=> le; rewrite ger0_norm // subr_ge0.
by rewrite -ltNge => lt; rewrite ltr0_norm // subr_lt0.
Qed.
End Equal.

(* ---- values with their spacing ------------------------------------------ *)
(* Position k of the line is x k; the ordered distance has x k = k / (m - 1). *)
Section Line.
Variables (R : realFieldType) (m : nat) (x : nat -> R).
Implicit Types p q : 'I_m -> R.
Hypothesis increasing : forall k, (k.+1 < m)%N -> x k <= x k.+1.

Definition gap (k : nat) : R := if (k.+1 < m)%N then x k.+1 - x k else 0.

Lemma gap_ge0 k : 0 <= gap k.
Proof. by rewrite /gap; case: ifP => // /increasing; rewrite subr_ge0. Qed.

Lemma sum_gaps (i j : nat) : (i <= j < m)%N ->
  \sum_(k < m) ((i <= k) && (k < j))%N%:R * gap k = x j - x i.
Proof.
move=> /andP[ij jm]; rewrite -(telescope_sumr x ij) big_geq_mkord.
rewrite (big_ord_widen_cond m (fun k => i <= k)%N (fun k => x k.+1 - x k)) 1?ltnW //.
rewrite [RHS]big_mkcond; apply: eq_bigr => k _; case: ifP => [/andP[_ kj]|_].
  by rewrite mul1r /gap (leq_ltn_trans kj jm).
by rewrite mul0r.
Qed.

Lemma cuts_line (i j : 'I_m) :
  cuts (fun k : 'I_m => gap k) (@prefix m) i j = `|x i - x j|.
Proof.
rewrite /cuts; wlog ij : i j / (i <= j)%N => [H|].
  have [/H//|/ltnW/H] := leqP i j; rewrite distrC => <-.
  by apply: eq_bigr => k _; rewrite /cut addbC.
have ijm : (i <= j < m)%N by rewrite ij ltn_ord.
have := sum_gaps ijm; rewrite distrC => E; rewrite ger0_norm -E; last first.
  by apply: sumr_ge0 => k _; rewrite mulr_ge0 ?ler0n ?gap_ge0.
apply: eq_bigr => k _; rewrite mulrC /cut !inE (ltnNge k j); congr (_%:R * _).
by case: (leqP j k) => [jk|_]; rewrite ?(leq_trans ij jk) ?andbT ?addbF.
Qed.

(* each gap is paid for by the mass that has to cross it *)
Theorem line_emd p q :
    (forall i, 0 <= p i) -> (forall i, 0 <= q i) -> \sum_i p i = \sum_i q i ->
  is_emd (fun i j : 'I_m => `|x i - x j|) p q
         (\sum_(k < m) gap k * `|cum p k - cum q k|).
Proof.
move=> p0 q0 pq; apply: eq_is_emd cuts_line _.
have := @laminar_emd R _ _ (fun k : 'I_m => gap k) (@prefix m)
          (fun k => gap_ge0 k) _ p q p0 q0 pq.
have onE r k : on r (prefix k) = cum r k by apply: eq_bigl => i; rewrite inE.
under [X in is_emd _ _ _ X]eq_bigr do rewrite !onE; apply=> k l.
have [kl|/ltnW kl] := leqP k l; apply/orP; [left|right; apply/orP; left];
  apply/subsetP=> i; rewrite !inE => /leq_trans; exact.
Qed.
End Line.

(* ---- the tutorial's algorithm -------------------------------------------- *)
(* Algorithm 1: one pass over p and q, with the running sum S and EMD. *)
Section SinglePass.
Variable R : realFieldType.

Fixpoint pass (S EMD : R) (pq : seq (R * R)) : R :=
  if pq is (p, q) :: rest then
    let S' := S + (p - q) in pass S' (EMD + `|S'|) rest
  else EMD.
Definition single_pass m (p q : 'I_m -> R) : R :=
  pass 0 0 [seq (p i, q i) | i <- enum 'I_m] / m.-1%:R.

(* equation 2 of the tutorial: the double sum *)
Definition double_sum m (p q : 'I_m -> R) : R :=
  m.-1%:R^-1 * \sum_(i < m) `|\sum_(j < m | (j <= i)%N) (p j - q j)|.

Lemma passE (s : seq (R * R)) S E :
  pass S E s = E + \sum_(i < size s)
    `|S + \sum_(j < size s | (j <= i)%N) ((nth (0, 0) s j).1 - (nth (0, 0) s j).2)|.
Proof.
elim: s S E => [|[a b] s IH] S E /=; first by rewrite big_ord0 addr0.
rewrite IH -addrA big_ord_recl; congr (_ + (_ + _)).
  by congr `|_ + _|; rewrite (big_pred1 ord0) // => j; rewrite leqn0.
apply: eq_bigr => i _; rewrite -addrA; congr `|_ + _|.
rewrite [RHS]big_mkcond [RHS]big_ord_recl /=; congr (_ + _); exact: big_mkcond.
Qed.

Theorem single_pass_double_sum m (p q : 'I_m -> R) :
  single_pass p q = double_sum p q.
Proof.
rewrite /single_pass /double_sum mulrC; congr (_ * _).
set s := map _ _; have sm : size s = m by rewrite size_map size_enum_ord.
have nE (i : 'I_m) : nth (0, 0) s i = (p i, q i).
  by rewrite (nth_map i) ?size_enum_ord // nth_ord_enum.
have pE k : size s = k -> pass 0 0 s = \sum_(i < k)
    `|\sum_(j < k | (j <= i)%N) ((nth (0, 0) s j).1 - (nth (0, 0) s j).2)|.
  by move<-; rewrite passE add0r; apply: eq_bigr => i _; rewrite add0r.
rewrite (pE m sm); apply: eq_bigr => i _; congr `|_|.
by apply: eq_bigr => j _; rewrite nE.
Qed.

(* the tutorial's two ways agree: the double sum is the least total of
   w_ij |i - j| / (m - 1) over all ways to move p onto q *)
Theorem tutorial_ways_agree m (p q : 'I_m -> R) :
    (forall i, 0 <= p i) -> (forall i, 0 <= q i) -> \sum_i p i = \sum_i q i ->
  is_emd (fun i j : 'I_m => `|i%:R - j%:R| / m.-1%:R) p q (double_sum p q).
Proof.
move=> p0 q0 pq; have c0 : 0 <= m.-1%:R^-1 :> R by rewrite invr_ge0 ler0n.
have := ordered_emd c0 p0 q0 pq; rewrite /double_sum.
under [X in _ * X]eq_bigr do rewrite /cum -sumrB.
by apply: eq_is_emd => i j; rewrite mulrC.
Qed.
End SinglePass.
