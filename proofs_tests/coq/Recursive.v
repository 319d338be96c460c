(* Recursive (c,l)-diversity and its variants where some values may be disclosed.

   Places in the l-diversity paper:
     recursive        Definition 4.2, r_1 < c (r_l + ... + r_m)
     pd_paper         Definition 4.3, the two cases y <= l-1 and y > l-1
     npd_recursive    Definition 4.4
     pd_literalP      the two cases = one condition on sets of eliminated values
     pd_paperP        the same, with the paper's remark on r_y = 0
     npd_recursive_merge   Theorem 5.3 (monotonicity)
     recursive_merge  the same for Definition 4.2

   The idea in three lines:
   - the definition with ranks says: for every value i at risk, and every set S
     of fewer than l values that contains i, n_i < c * (what is left outside S);
   - it suffices to look at the most frequent i and the most frequent others;
   - the condition on sets is linear in the counts, so it survives adding them. *)
From mathcomp Require Import all_ssreflect all_algebra ring zify.
From Tcloseness Require Import Transport Tables.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Recursive.
Variables (R : realFieldType) (Rec T : finType) (s : Rec -> T).
Notation count_of := (count_of s).

(* Y holds the values whose disclosure does not matter; W those that every
   class must contain often enough.  Y = W = set0: plain recursive. *)
Implicit Types (n : T -> R) (S Y W : {set T}).

Definition pd_recursive (c : R) (l : nat) Y n : Prop :=
  forall i S, i \notin Y -> i \in S -> (#|S| < l)%N -> n i < c * (\sum_(j in ~: S) n j).
Definition nd_frequent (c2 : R) W n : Prop :=
  forall i, i \in W -> c2 * (\sum_j n j) <= n i.

(* the definition of the l-diversity paper: r_1 < c (r_l + ... + r_m) *)
Definition ranked n : seq T := sort (fun i j => n j <= n i) (enum T).
Definition recursive (c : R) (l : nat) n : Prop :=
  forall x, n (head x (ranked n)) < c * (\sum_(j <- drop l.-1 (ranked n)) n j).

Lemma pd_recursive_sum c l Y (K : finType) (P : pred K) (F : K -> T -> R) k0 :
    0 <= c -> P k0 -> (forall k i, 0 <= F k i) -> pd_recursive c l Y (F k0) ->
    (forall k, P k -> pd_recursive c l Y (F k) \/ (forall i, F k i = 0)) ->
  pd_recursive c l Y (fun i => \sum_(k | P k) F k i).
Proof.
move=> c0 Pk0 F0 H0 H i S iY iS Sl; rewrite exchange_big mulr_sumr.
rewrite (bigD1 k0) // [ltRHS](bigD1 k0) //=; apply: ltr_le_add; first exact: H0.
apply: ler_sum => k /andP[/H[Hk|z] _]; first exact/ltW/Hk.
by rewrite z mulr_ge0 ?sumr_ge0.
Qed.

Theorem pd_recursive_merge c l Y (K L : finType) (cls : Rec -> K) (h : K -> L) :
    0 <= c ->
    (forall k, (0 < size_of cls k)%N ->
       pd_recursive c l Y (fun i => (count_of cls k i)%:R)) ->
  forall m, (0 < size_of (h \o cls) m)%N ->
    pd_recursive c l Y (fun i => (count_of (h \o cls) m i)%:R).
Proof.
move=> c0 H m /merge_nonempty[k0 k0m k00] i S iY iS Sl.
have E j : (count_of (h \o cls) m j)%:R = \sum_(k | h k == m) (count_of cls k j)%:R :> R.
  by rewrite merge_count natr_sum.
rewrite E (eq_bigr _ (fun j _ => E j)).
apply: (@pd_recursive_sum c l Y K (fun k => h k == m)
  (fun k i => (count_of cls k i)%:R) k0) => // [k j||k _]; [exact: ler0n | exact: H |].
have [z|/H] := posnP (size_of cls k); last by left.
by right=> j; rewrite count0.
Qed.

Theorem nd_frequent_merge c2 W (K L : finType) (cls : Rec -> K) (h : K -> L) m :
    (forall k, nd_frequent c2 W (fun i => (count_of cls k i)%:R)) ->
  nd_frequent c2 W (fun i => (count_of (h \o cls) m i)%:R).
Proof.
move=> H i iW; rewrite merge_count natr_sum.
under eq_bigr do rewrite merge_count natr_sum.
by rewrite exchange_big mulr_sumr; apply: ler_sum => k _; apply: H.
Qed.

(* the l-1 most frequent values are the worst set to remove *)
Lemma top_is_worst n t S : (forall i, 0 <= n i) -> (#|S| <= t)%N ->
  \sum_(j <- drop t (ranked n)) n j <= \sum_(j in ~: S) n j.
Proof.
move=> n0 St; set r := ranked n.
have ur : uniq r by rewrite sort_uniq enum_uniq.
have mr j : j \in r by rewrite mem_sort mem_enum.
have sr : sorted (fun i j => n j <= n i) r by apply: sort_sorted => i j; apply: le_total.
have tr : transitive (fun i j => n j <= n i) by move=> i j k ij jk; apply: le_trans jk ij.
have [le|lt] := leqP (size r) t.
  by rewrite drop_oversize // big_nil sumr_ge0.
have [x0 _] : {x : T | x \in r} by case: (r) lt => // x r' _; exists x; rewrite mem_head.
pose A := [set x in take t r]; pose th := n (nth x0 r t).
have cA : #|A| = t.
  by rewrite cardsE (card_uniqP _) ?take_uniq // size_take lt.
have dE : \sum_(j <- drop t r) n j = \sum_(j in ~: A) n j.
  rewrite big_uniq ?drop_uniq //=; apply: eq_bigl => j; rewrite !inE.
  have := mr j; have := ur; rewrite -{1 2}(cat_take_drop t r) mem_cat cat_uniq.
  case/and3P=> _ /hasPn no _; case: (boolP (j \in drop t r)) => [/no/= ->|] //.
  by rewrite orbF => _ ->.
have ge j : j \in A -> th <= n j.
  rewrite inE => jt; have it : (index j r < t)%N.
    by rewrite -(cat_take_drop t r) index_cat jt -[ltnRHS]cA cardsE
       (card_uniqP _) ?take_uniq // index_mem.
  rewrite -[j in n j](nth_index x0 (mr j)).
  by apply: (sorted_ltn_nth tr x0 sr); rewrite ?inE // index_mem.
have le j : j \notin A -> n j <= th.
  rewrite inE => jt; have it : (t <= index j r)%N.
    by rewrite leqNgt; apply: contra jt => it; rewrite -(nth_index x0 (mr j))
       -(nth_take x0 it) mem_nth // size_take lt.
  rewrite -[j in n j](nth_index x0 (mr j)); have rr : reflexive (fun i j => n j <= n i).
    by move=> i; apply: lexx.
  by apply: (sorted_leq_nth tr rr x0 sr); rewrite ?inE // index_mem.
have key : 0 <= \sum_j (n j - th) * ((j \notin S)%:R - (j \notin A)%:R).
  apply: sumr_ge0 => j _; have [jA|jA] := boolP (j \in A).
    by rewrite mulr_ge0 ?subr_ge0 ?ge // ler_nat.
  by rewrite -mulrNN mulr_ge0 // oppr_ge0 subr_le0 ?le // ler_nat leq_b1.
have onE (B : {set T}) : \sum_j (n j - th) * (j \notin B)%:R
    = \sum_(j in ~: B) n j - th * #|~: B|%:R.
  rewrite -sumr_const mulr_sumr -sumrB [RHS]big_mkcond; apply: eq_bigr => j _.
  by rewrite inE; case: (j \in B) => /=; rewrite ?mulr0 ?mulr1.
have {}key : 0 <= (\sum_(j in ~: S) n j - th * #|~: S|%:R)
                 - (\sum_(j in ~: A) n j - th * #|~: A|%:R).
  by rewrite -!onE -sumrB; under eq_bigr do rewrite -mulrBr.
rewrite dE -subr_ge0; apply: le_trans key _; rewrite -subr_ge0.
have -> : forall a b u v : R, (a - b) - ((a - u) - (b - v)) = u - v by move=> *; ring.
rewrite -mulrBr; apply: mulr_ge0; first exact: n0.
rewrite subr_ge0 ler_nat -(leq_add2l #|S|) cardsC.
by rewrite -(cardsC A) leq_add2r cA.
Qed.

Theorem recursiveP c l n : 0 <= c -> (forall i, 0 <= n i) -> (1 < l)%N -> (0 < #|T|)%N ->
  recursive c l n <-> pd_recursive c l set0 n.
Proof.
move=> c0 n0 l1 T0; have mr j : j \in ranked n by rewrite mem_sort mem_enum.
have l0 : (0 < l)%N by apply: ltnW.
split=> [H i S _ iS Sl|H x].
  apply: (@le_lt_trans _ _ (n (head i (ranked n)))).
    have := mr i; have : sorted (fun i j => n j <= n i) (ranked n).
      by apply: sort_sorted => a b; apply: le_total.
    case: (ranked n) => //= a r' p; rewrite inE => /orP[/eqP->//|ir].
    have tr : transitive (fun i j => n j <= n i) by move=> a' b b' ab bb; apply: le_trans bb ab.
    by move: p; rewrite path_sortedE // => /andP[/allP/(_ _ ir)].
  apply: lt_le_trans (H i) _; apply: ler_wpmul2l => //.
  by apply: top_is_worst => //; rewrite -ltnS prednK.
pose S := [set y in take l.-1 (ranked n)].
have ur : uniq (ranked n) by rewrite sort_uniq enum_uniq.
have xS : head x (ranked n) \in S.
  have : size (ranked n) != 0%N by rewrite size_sort -cardE -lt0n.
  rewrite inE; case: l l1 {l0 H S} => [|[|l]] // _.
  by case: (ranked n) => // a r' _; rewrite /= mem_head.
apply: lt_le_trans (H _ S _ xS _) _; first by rewrite inE.
  rewrite cardsE (leq_ltn_trans (card_size _)) // size_take.
  by case: (ltnP l.-1) => [_|le]; [|apply: leq_ltn_trans le _]; rewrite ltn_predL.
apply: ler_wpmul2l => //; rewrite [leRHS]big_uniq ?drop_uniq //=.
rewrite le_eqVlt; apply/orP; left; apply/eqP/eq_bigl => j; rewrite !inE.
have := mr j; have := ur; rewrite -{1 2}(cat_take_drop l.-1 (ranked n)) mem_cat cat_uniq.
case/and3P=> _ /hasPn no _; case: (boolP (j \in drop _ _)) => [/no/= ->|] //.
by rewrite orbF => _ ->.
Qed.

(* ---- the two cases of Definition 4.3 ------------------------------------ *)
(* y (from 1, as in the paper) is the rank of the most frequent value outside
   Y; drop k and take k of the ranked values give r_(k+1).. and r_1..r_k. *)
Definition rank_y Y n : nat := (find (fun i => i \notin Y) (ranked n)).+1.
Definition tail l Y n : R :=
  let y := rank_y Y n in
  if (y <= l.-1)%N then \sum_(j <- drop l.-1 (ranked n)) n j
  else \sum_(j <- drop l.-2 (take y.-1 (ranked n))) n j
     + \sum_(j <- drop y (ranked n)) n j.

(* every value may be disclosed, or r_y < c * tail *)
Definition pd_literal (c : R) (l : nat) Y n : Prop :=
  forall s_y, (rank_y Y n <= #|T|)%N -> s_y = nth s_y (ranked n) (rank_y Y n).-1 ->
  n s_y < c * tail l Y n.
(* with the remark: if r_y = 0, only values that can be disclosed occur *)
Definition pd_paper (c : R) (l : nat) Y n : Prop :=
  forall s_y, (rank_y Y n <= #|T|)%N -> s_y = nth s_y (ranked n) (rank_y Y n).-1 ->
  n s_y != 0 -> n s_y < c * tail l Y n.

(* the condition on sets that goes with it *)
Definition pd_sets (c : R) (l : nat) Y n : Prop :=
  forall i S, i \notin Y -> n i != 0 -> i \in S -> (#|S| < l)%N ->
  n i < c * (\sum_(j in ~: S) n j).

Lemma ranked_uniq n : uniq (ranked n).
Proof. by rewrite sort_uniq enum_uniq. Qed.
Lemma mem_ranked n i : i \in ranked n.
Proof. by rewrite mem_sort mem_enum. Qed.
Lemma size_ranked n : size (ranked n) = #|T|.
Proof. by rewrite size_sort -cardE. Qed.

Lemma ranked_ge n x i j : (i <= j < size (ranked n))%N ->
  n (nth x (ranked n) j) <= n (nth x (ranked n) i).
Proof.
case/andP=> ij js; have tr : transitive (fun i j => n j <= n i).
  by move=> a b d ab bd; apply: le_trans bd ab.
have rr : reflexive (fun i j => n j <= n i) by move=> a; apply: lexx.
have sr : sorted (fun i j => n j <= n i) (ranked n).
  by apply: sort_sorted => a b; apply: le_total.
by apply: (sorted_leq_nth tr rr x sr); rewrite ?inE // (leq_ltn_trans ij).
Qed.

(* s_y is a value outside Y, and the most frequent of them *)
Lemma s_yP Y n x : (rank_y Y n <= #|T|)%N ->
  let s_y := nth x (ranked n) (rank_y Y n).-1 in
  [/\ s_y \notin Y, index s_y (ranked n) = (rank_y Y n).-1 &
      forall i, i \notin Y -> n i <= n s_y].
Proof.
rewrite /rank_y /= => lt; set P := fun i => i \notin Y.
have lt' : (find P (ranked n) < size (ranked n))%N by rewrite size_ranked.
split; first by apply: (nth_find x (a := P)); rewrite has_find.
  by rewrite index_uniq ?ranked_uniq.
move=> i iY; rewrite -{1}(nth_index x (mem_ranked n i)); apply: ranked_ge.
rewrite index_mem mem_ranked andbT leqNgt; apply/negP=> /(before_find x).
by rewrite nth_index ?mem_ranked // /P iY.
Qed.

Lemma drop_take_sum n k : \sum_(j <- drop k (ranked n)) n j
  = \sum_(j in ~: [set x in take k (ranked n)]) n j.
Proof.
rewrite big_uniq ?drop_uniq ?ranked_uniq //=; apply: eq_bigl => j; rewrite !inE.
have := mem_ranked n j; have := ranked_uniq n.
rewrite -{1 2}(cat_take_drop k (ranked n)) mem_cat cat_uniq.
case/and3P=> _ /hasPn no _; case: (boolP (j \in drop k (ranked n))) => [/no/= ->|] //.
by rewrite orbF => _ ->.
Qed.

Lemma sum_setC n S (i : T) : i \in S ->
  \sum_(j in ~: (S :\ i)) n j = n i + \sum_(j in ~: S) n j.
Proof.
move=> iS; rewrite (bigD1 i) /=; last by rewrite !inE eqxx.
congr (_ + _); apply: eq_bigl => j; rewrite !inE.
by case: eqVneq => [->|_] /=; rewrite ?iS ?andbF ?andbT.
Qed.

(* in the second case the tail is what is left after l-2 values and s_y *)
Lemma tail2 l Y n x : (rank_y Y n <= #|T|)%N -> (l.-1 < rank_y Y n)%N ->
  tail l Y n = \sum_(j <- drop l.-2 (ranked n)) n j
             - n (nth x (ranked n) (rank_y Y n).-1).
Proof.
move=> yT ly; rewrite /tail leqNgt ly /=; set y := rank_y Y n in yT ly *.
have y1 : (y.-1 < size (ranked n))%N by rewrite size_ranked /y /rank_y.
have ly2 : (l.-2 <= y.-1)%N by move: ly; rewrite /y /rank_y /=; lia.
have -> : \sum_(j <- drop l.-2 (ranked n)) n j
    = \sum_(j <- drop l.-2 (take y.-1 (ranked n))) n j
      + \sum_(j <- drop y.-1 (ranked n)) n j.
  have := drop_cat l.-2 (take y.-1 (ranked n)) (drop y.-1 (ranked n)).
  rewrite cat_take_drop => ->; rewrite size_take y1 ltn_neqAle ly2 andbT; have [e|ne] /= := eqVneq l.-2 y.-1.
    by rewrite e subnn drop0 [drop _ (take _ _)]drop_oversize ?size_take ?y1 // big_nil add0r.
  by rewrite big_cat.
rewrite (drop_nth x y1) big_cons -/(rank_y Y n) -/y /=.
by rewrite [n _ + _]addrC addrA addrK.
Qed.

(* the l-1 values that the adversary eliminates, s_y among them *)
Definition worst l Y n x : {set T} :=
  if (rank_y Y n <= l.-1)%N then [set j in take l.-1 (ranked n)]
  else nth x (ranked n) (rank_y Y n).-1 |: [set j in take l.-2 (ranked n)].

Lemma worst_sum l Y n x : (rank_y Y n <= #|T|)%N ->
  tail l Y n = \sum_(j in ~: worst l Y n x) n j.
Proof.
move=> yT; rewrite /worst; case: ifP => [yl|/negbT]; rewrite -?ltnNge.
  by rewrite /tail yl drop_take_sum.
move=> ly; rewrite (tail2 x yT ly) drop_take_sum.
set sy := nth _ _ _; set A := [set _ in _].
have syA : sy \notin A.
  have [_ ix _] := s_yP x yT; rewrite inE; apply/negP=> syt.
  have : (index sy (ranked n) < size (take l.-2 (ranked n)))%N.
    by rewrite -{1}(cat_take_drop l.-2 (ranked n)) index_cat syt index_mem.
  rewrite ix size_take size_ranked; move: ly yT; rewrite /rank_y /= => lf fT.
  by case: ifPn; rewrite -?leqNgt; lia.
rewrite -{1}(setU1K syA) sum_setC ?setU11 //; ring.
Qed.

Lemma worst_small l Y n x : (1 < l)%N -> (#|worst l Y n x| < l)%N.
Proof.
move=> l1; have small k : (#|[set j in take k (ranked n)]| <= k)%N.
  rewrite cardsE (leq_trans (card_size _)) // size_take; case: ltnP => //.
rewrite /worst; case: ifP => _; first by have := small l.-1; lia.
by rewrite cardsU1; have := small l.-2; case: (_ \notin _) => /=; lia.
Qed.

Lemma worst_has l Y n x : (rank_y Y n <= #|T|)%N ->
  nth x (ranked n) (rank_y Y n).-1 \in worst l Y n x.
Proof.
move=> yT; rewrite /worst; case: ifP => [yl|_]; last exact: setU11.
rewrite inE; have k : ((rank_y Y n).-1 < l.-1)%N by move: yl; rewrite /rank_y.
by rewrite -(nth_take x k) mem_nth // size_take size_ranked; case: ifP => //; move: yT; rewrite /rank_y.
Qed.

(* no set of fewer than l values with a value at risk leaves less *)
Lemma tail_least l Y n S i : (forall j, 0 <= n j) -> (rank_y Y n <= #|T|)%N ->
    i \notin Y -> i \in S -> (#|S| < l)%N ->
  tail l Y n <= \sum_(j in ~: S) n j.
Proof.
move=> n0 yT iY iS Sl; have [_ _ top] := s_yP i yT; set sy := nth _ _ _ in top.
have [yl|ly] := leqP (rank_y Y n) l.-1.
  by rewrite /tail yl; apply: top_is_worst => //; lia.
rewrite (tail2 i yT ly) ler_subl_addl; apply: le_trans (_ : n i + \sum_(j in ~: S) n j <= _).
  rewrite -sum_setC //; apply: top_is_worst => //.
  by have := cardsD1 i S; rewrite iS; lia.
by rewrite ler_add2r; apply: top.
Qed.

Lemma rank_y_exists Y n i : i \notin Y -> (rank_y Y n <= #|T|)%N.
Proof.
move=> iY; rewrite /rank_y -(size_ranked n) -has_find.
by apply/hasP; exists i; rewrite ?mem_ranked.
Qed.

(* Definition 4.3 read literally *)
Theorem pd_literalP c l Y n : 0 <= c -> (forall i, 0 <= n i) -> (1 < l)%N ->
  pd_literal c l Y n <-> pd_recursive c l Y n.
Proof.
move=> c0 n0 l1; split=> [H i S iY iS Sl|H x yT xE].
  have yT := rank_y_exists n iY; have [_ _ top] := s_yP i yT.
  set sy := nth _ _ _ in top; have syE : sy = nth sy (ranked n) (rank_y Y n).-1.
    by apply: set_nth_default; rewrite size_ranked; move: yT; rewrite /rank_y.
  apply: le_lt_trans (top i iY) _; apply: lt_le_trans (H sy yT syE) _.
  by apply: ler_wpmul2l => //; apply: (tail_least (i := i)).
have [xY _ _] := s_yP x yT; rewrite (worst_sum l x yT).
apply: H (worst_small _ _ _ l1); first by rewrite xE.
by rewrite {1}xE worst_has.
Qed.

(* ... and with the paper's remark that r_y = 0 satisfies it *)
Theorem pd_paperP c l Y n : 0 <= c -> (forall i, 0 <= n i) -> (1 < l)%N ->
  pd_paper c l Y n <-> pd_sets c l Y n.
Proof.
move=> c0 n0 l1; split=> [H i S iY ni iS Sl|H x yT xE x0].
  have yT := rank_y_exists n iY; have [_ _ top] := s_yP i yT.
  set sy := nth _ _ _ in top; have syE : sy = nth sy (ranked n) (rank_y Y n).-1.
    by apply: set_nth_default; rewrite size_ranked; move: yT; rewrite /rank_y.
  have sy0 : n sy != 0 by rewrite gt_eqF // (lt_le_trans _ (top i iY)) // lt_neqAle eq_sym ni n0.
  apply: le_lt_trans (top i iY) _; apply: lt_le_trans (H sy yT syE sy0) _.
  by apply: ler_wpmul2l => //; apply: (tail_least (i := i)).
have [xY _ _] := s_yP x yT; rewrite (worst_sum l x yT).
apply: H (worst_small _ _ _ l1) => //; first by rewrite xE.
by rewrite {1}xE worst_has.
Qed.

(* ---- monotonicity ------------------------------------------------------- *)
Section Merging.
Variables (K L : finType) (cls : Rec -> K) (h : K -> L).
Notation counts cls k := (fun i => (count_of cls k i)%:R : R).

Lemma counts_ge0 (K' : finType) (cls' : Rec -> K') k i : 0 <= counts cls' k i.
Proof. exact: ler0n. Qed.

Lemma merged_counts m i :
  (count_of (h \o cls) m i)%:R = \sum_(k | h k == m) (count_of cls k i)%:R :> R.
Proof. by rewrite merge_count natr_sum. Qed.

(* Definition 4.2 *)
Theorem recursive_merge c l : 0 <= c -> (1 < l)%N ->
    (forall k, (0 < size_of cls k)%N -> recursive c l (counts cls k)) ->
  forall m, (0 < size_of (h \o cls) m)%N -> recursive c l (counts (h \o cls) m).
Proof.
move=> c0 l1 H m m0; have T0 : (0 < #|T|)%N.
  move: m0; rewrite lt0n sum_nat_eq0 => /forallPn[r _].
  by apply/card_gt0P; exists (s r).
apply/(recursiveP c0 (counts_ge0 _ _) l1 T0).
apply: pd_recursive_merge => // k /H.
by move/(recursiveP c0 (counts_ge0 _ _) l1 T0).
Qed.

(* Definition 4.3 *)
Theorem pd_paper_merge c l Y m : 0 <= c -> (1 < l)%N ->
    (forall k, h k == m -> pd_paper c l Y (counts cls k)) ->
  pd_paper c l Y (counts (h \o cls) m).
Proof.
move=> c0 l1 H; apply/(pd_paperP _ c0 (counts_ge0 _ _) l1) => i S iY.
rewrite merged_counts (eq_bigr _ (fun j _ => merged_counts m j)) => ni iS Sl.
have [k0 /andP[k0m k00]|no] := pickP (fun k => (h k == m) && (count_of cls k i != 0%N)); last first.
  case/negP: ni; apply/eqP/big1 => k km; have := no k.
  by rewrite km => /negbFE/eqP ->.
have sets k : h k == m -> pd_sets c l Y (counts cls k).
  by move=> km; apply/(pd_paperP _ c0 (counts_ge0 _ _) l1)/H.
rewrite exchange_big mulr_sumr (bigD1 k0) // [ltRHS](bigD1 k0) //=.
apply: ltr_le_add; first by apply: sets; rewrite // pnatr_eq0.
apply: ler_sum => k /andP[km _]; have [->|nk] := eqVneq (count_of cls k i) 0%N.
  by rewrite mulr_ge0 // sumr_ge0 // => j _; apply: ler0n.
by apply/ltW/sets; rewrite ?pnatr_eq0.
Qed.

(* Definition 4.4; c2 is a share of the class, the paper's percentage / 100 *)
Definition npd_recursive (c1 c2 : R) (l : nat) Y W n : Prop :=
  pd_paper c1 l Y n /\ nd_frequent c2 W n.

(* Theorem 5.3 *)
Theorem npd_recursive_merge c1 c2 l Y W : 0 <= c1 -> (1 < l)%N ->
    (forall k, npd_recursive c1 c2 l Y W (counts cls k)) ->
  forall m, npd_recursive c1 c2 l Y W (counts (h \o cls) m).
Proof.
move=> c0 l1 H m; split; first by apply: pd_paper_merge => // k _; case: (H k).
by apply: nd_frequent_merge => k; case: (H k).
Qed.
End Merging.
End Recursive.
