(* One theorem for the three closed forms of the t-closeness paper.

   A cut S makes a unit of mass pay 1 when it enters or leaves the set S.  A
   laminar family of sets (any two are nested or disjoint) with weights w >= 0
   gives the distance d(x, y) = sum of w_k over the sets that hold one of x and y.

   Places in the t-closeness paper: section 5, of which laminar_emd is the core:
     laminar_emd   EMD(p, q) = sum_k w_k |p(S_k) - q(S_k)|
     cheapest_crosses   section 5.2: a cheapest flow moves exactly extra(N) out of N

   The idea in three lines:
   - |p(S) - q(S)| must cross the border of S, whatever the flow: a lower bound;
   - a coupling that keeps min(p(S), q(S)) inside S attains it for S;
   - filling a laminar family from the inside out attains it for all its sets. *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From Tcloseness Require Import Transport.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Laminar.
Variables (R : realFieldType) (T : finType).
Implicit Types (p q : T -> R) (f g : T -> T -> R) (A B S : {set T}).

(* mass of a set, and mass that f keeps inside a set *)
Definition on p S : R := \sum_(i in S) p i.
Definition inside f S : R := \sum_(i in S) \sum_(j in S) f i j.

(* a unit of mass pays 1 when it crosses the border of S *)
Definition cut S : T -> T -> R := fun i j => ((i \in S) (+) (j \in S))%:R.

Lemma cost_cut S p q f :
  coupling p q f -> cost (cut S) f = on p S + on q S - 2%:R * inside f S.
Proof.
move=> [_ fr fc].
have pE : on p S = \sum_i \sum_j f i j * (i \in S)%:R.
  rewrite /on big_mkcond; apply: eq_bigr => i _; rewrite -mulr_suml fr.
  by case: (i \in S); rewrite ?mulr1 ?mulr0.
have qE : on q S = \sum_i \sum_j f i j * (j \in S)%:R.
  rewrite [RHS]exchange_big /on [LHS]big_mkcond /=; apply: eq_bigr => j _.
  by rewrite -mulr_suml fc; case: (j \in S); rewrite ?mulr1 ?mulr0.
have iE : inside f S = \sum_i \sum_j f i j * ((i \in S)%:R * (j \in S)%:R).
  rewrite /inside big_mkcond; apply: eq_bigr => i _.
  case: (i \in S); last by rewrite big1 // => j _; rewrite mul0r mulr0.
  rewrite big_mkcond; apply: eq_bigr => j _.
  by case: (j \in S); rewrite mul1r ?mulr1 ?mulr0.
rewrite pE qE iE mulr_sumr -big_split -sumrB; apply: eq_bigr => i _ /=.
rewrite mulr_sumr -big_split -sumrB; apply: eq_bigr => j _ /=.
by rewrite /cut; case: (i \in S); case: (j \in S) => /=; ring.
Qed.

Lemma inside_le S p q f : coupling p q f ->
  inside f S <= on p S /\ inside f S <= on q S.
Proof.
move=> [f0 fr fc]; split; last rewrite /inside exchange_big.
  apply: ler_sum => i _; rewrite -fr [leRHS](bigID (mem S)) /=.
  by rewrite ler_addl; apply: sumr_ge0.
apply: ler_sum => j _; rewrite -fc [leRHS](bigID (mem S)) /=.
by rewrite ler_addl; apply: sumr_ge0.
Qed.

Lemma cut_lower_bound S p q f :
  coupling p q f -> `|on p S - on q S| <= cost (cut S) f.
Proof.
move=> Cf; rewrite (cost_cut _ Cf); have [ip iq] := inside_le S Cf.
rewrite ler_norml -subr_ge0; apply/andP; split.
  have -> : on p S - on q S - - (on p S + on q S - 2%:R * inside f S)
            = 2%:R * (on p S - inside f S) by ring.
  by rewrite mulr_ge0 ?ler0n // subr_ge0.
rewrite -subr_ge0.
have -> : on p S + on q S - 2%:R * inside f S - (on p S - on q S)
          = 2%:R * (on q S - inside f S) by ring.
by rewrite mulr_ge0 ?ler0n // subr_ge0.
Qed.

(* A coupling that keeps as much mass as possible inside S pays exactly
   the lower bound for S. *)
Lemma cut_tight S p q f : coupling p q f ->
  inside f S = Num.min (on p S) (on q S) ->
  cost (cut S) f = `|on p S - on q S|.
Proof.
move=> Cf iE; rewrite (cost_cut _ Cf) iE.
by case: (lerP (on p S) (on q S)) => ?; ring.
Qed.

(* ---- filling a laminar family ----------------------------------------- *)
(* Sets are filled from the inside out: in the list, larger sets come first. *)
Definition nested B A := (A \subset B) || [disjoint A & B].

Record filled p q (L : seq {set T}) f : Prop := Filled {
  fl_ge0 : forall i j, 0 <= f i j;
  fl_row : forall i, \sum_j f i j <= p i;
  fl_col : forall j, \sum_i f i j <= q j;
  fl_sup : forall i j, f i j != 0 -> exists2 S, S \in L & (i \in S) && (j \in S);
  fl_fit : forall S, S \in L ->
    inside f S = Num.min (on p S) (on q S) /\
    ((forall i, i \in S -> \sum_j f i j = p i) \/
     (forall j, j \in S -> \sum_i f i j = q j)) }.

(* fill what is left in B proportionally *)
Definition top_up (a b : T -> R) B : T -> T -> R := fun i j =>
  if (i \in B) && (j \in B) then a i * b j / Num.max (on a B) (on b B) else 0.

Section TopUp.
Variables (a b : T -> R) (B : {set T}).
Hypotheses (a0 : forall i, 0 <= a i) (b0 : forall i, 0 <= b i).
Let M := Num.max (on a B) (on b B).

Lemma on_ge0 p S : (forall i, 0 <= p i) -> 0 <= on p S.
Proof. by move=> p0; apply: sumr_ge0. Qed.

Lemma M_ge0 : 0 <= M. Proof. by rewrite le_maxr on_ge0. Qed.

Lemma top_up_ge0 i j : 0 <= top_up a b B i j.
Proof. by rewrite /top_up; case: ifP => // _; rewrite divr_ge0 ?mulr_ge0 ?M_ge0. Qed.

Lemma top_up_row i :
  \sum_j top_up a b B i j = if i \in B then a i * (on b B / M) else 0.
Proof.
rewrite /top_up; case: (i \in B) => /=; last by rewrite big1.
by rewrite -big_mkcond /= -mulr_suml -mulr_sumr mulrA.
Qed.

Lemma top_up_col j :
  \sum_i top_up a b B i j = if j \in B then b j * (on a B / M) else 0.
Proof.
rewrite /top_up; case: (j \in B); last by rewrite big1 // => i; rewrite andbF.
under eq_bigr do rewrite andbT.
by rewrite -big_mkcond /= -!mulr_suml mulrAC mulrC mulrA mulrAC.
Qed.

Lemma frac_le1 x : x <= M -> x / M <= 1.
Proof.
move=> xM; have [->|M0] := eqVneq M 0; first by rewrite invr0 mulr0 ler01.
by rewrite ler_pdivr_mulr ?mul1r // lt_neqAle eq_sym M0 M_ge0.
Qed.

(* the smaller side is used up completely *)
Lemma full x : 0 <= x <= M -> x * (M / M) = x.
Proof.
move=> /andP[x0 xM]; have [M0|M0] := eqVneq M 0; last by rewrite divff ?mulr1.
have -> : x = 0 by apply/eqP; rewrite eq_le x0 -M0 xM.
by rewrite mul0r.
Qed.

Lemma top_up0 i j : (a i == 0) || (b j == 0) -> top_up a b B i j = 0.
Proof.
by move=> ab; rewrite /top_up; case: ifP => // _; case/orP: ab => /eqP->;
   rewrite ?mul0r ?mulr0 ?mul0r.
Qed.

Lemma inside_top_up : inside (top_up a b B) B = Num.min (on a B) (on b B).
Proof.
have -> : inside (top_up a b B) B = on a B * (on b B / M).
  rewrite /inside /on mulr_suml; apply: eq_bigr => i iB; rewrite -/(on b B).
  transitivity (\sum_j top_up a b B i j); last by rewrite top_up_row iB.
  rewrite [RHS](bigID (mem B)) /= [X in _ = _ + X]big1 ?addr0 // => j jB.
  by rewrite /top_up (negPf jB) andbF.
rewrite /M; have [ab|/ltW ab] := lerP (on a B) (on b B).
  by have := @full (on a B); rewrite /M (max_idPr ab) on_ge0 // => ->.
rewrite mulrCA; have := @full (on b B).
by rewrite /M (max_idPl ab) on_ge0 // => ->.
Qed.
End TopUp.

Lemma le_on p q S : (forall i, p i <= q i) -> on p S <= on q S.
Proof. by move=> pq; apply: ler_sum. Qed.

Lemma onB p q S : on (fun i => p i - q i) S = on p S - on q S.
Proof. by rewrite /on sumrB. Qed.

Lemma fill p q (L : seq {set T}) :
    (forall i, 0 <= p i) -> (forall i, 0 <= q i) -> pairwise nested L ->
  exists f, filled p q L f.
Proof.
move=> p0 q0; elim: L => [_|B L IH /= /andP[/allP BL /IH[f [f0 fr fc fs ff]]]].
  exists (fun _ _ => 0); split=> // [i|j|i j]; rewrite ?big1 ?eqxx //.
pose a i := p i - \sum_j f i j; pose b j := q j - \sum_i f i j.
have a0 i : 0 <= a i by rewrite subr_ge0.
have b0 j : 0 <= b j by rewrite subr_ge0.
(* no flow crosses the border of B yet *)
have sup_in i j : f i j != 0 -> (i \in B) = (j \in B).
  case/fs=> S /BL /orP[/subsetP SB|SB] /andP[iS jS]; first by rewrite !SB.
  by rewrite !(disjointFr SB).
have crossr i j : i \in B -> j \notin B -> f i j = 0.
  by move=> iB jB; apply: contraNeq jB => /sup_in <-.
have crossc i j : i \notin B -> j \in B -> f i j = 0.
  by move=> iB jB; apply: contraNeq iB => /sup_in ->.
have rB : \sum_(i in B) \sum_j f i j = inside f B.
  apply: eq_bigr => i iB; rewrite [LHS](bigID (mem B)) /= addrC big1 ?add0r //.
  by move=> j; apply: crossr.
have cB : \sum_(j in B) \sum_i f i j = inside f B.
  rewrite /inside [RHS]exchange_big; apply: eq_bigr => j jB.
  rewrite [LHS](bigID (mem B)) /= addrC big1 ?add0r // => i iB; exact: crossc.
have aB : on a B = on p B - inside f B by rewrite -rB /on sumrB.
have bB : on b B = on q B - inside f B by rewrite -cB /on sumrB.
set g := top_up a b B; pose M := Num.max (on a B) (on b B).
have aM : on a B <= M by rewrite le_maxr lexx.
have bM : on b B <= M by rewrite le_maxr lexx orbT.
have g0 i j : 0 <= g i j by apply: top_up_ge0.
have gr i : \sum_j g i j <= a i.
  rewrite top_up_row; case: ifP => [_|_]; last exact: a0.
  by rewrite ler_pimulr ?frac_le1.
have gc j : \sum_i g i j <= b j.
  rewrite top_up_col; case: ifP => [_|_]; last exact: b0.
  by rewrite ler_pimulr ?frac_le1.
exists (fun i j => f i j + g i j); split.
- by move=> i j; rewrite addr_ge0.
- by move=> i; rewrite big_split /= -ler_subr_addl; apply: gr.
- by move=> j; rewrite big_split /= -ler_subr_addl; apply: gc.
- move=> i j; rewrite /g /top_up; case: ifP => [iBj _|_].
    by exists B; rewrite ?mem_head.
  by rewrite addr0 => /fs[S SL ij]; exists S; rewrite // inE SL orbT.
move=> S; rewrite inE => /predU1P[->|SL].
  have gB : inside (fun i j => f i j + g i j) B = Num.min (on p B) (on q B).
    rewrite /inside (eq_bigr _ (fun i _ => big_split _ _ _ _ _)) big_split /=.
    rewrite -/(inside f B) -/(inside g B) inside_top_up // aB bB addr_minr.
    by rewrite ![inside f B + _]addrC !subrK.
  split=> //; have le_onB c i : (forall k, 0 <= c k) -> i \in B -> c i <= on c B.
    by move=> c0 iB; rewrite /on (bigD1 i) //= ler_addl sumr_ge0.
  have [ab|/ltW ab] := lerP (on a B) (on b B); [left=> i iB|right=> j jB].
    rewrite big_split /= top_up_row iB -/M.
    rewrite -{1}(max_idPr ab) full // ?a0 ?(le_trans (le_onB a i _ _)) //.
    by rewrite /a addrC subrK.
  rewrite big_split /= top_up_col jB -/M.
  rewrite -{1}(max_idPl ab) full // ?b0 ?(le_trans (le_onB b j _ _)) //.
  by rewrite /b addrC subrK.
have [iS ex] := ff _ SL.
(* S was used up before, so topping up B changes nothing inside S *)
have g_out i j : i \in S -> j \in S -> g i j = 0.
  move=> iS' jS'; apply: top_up0; rewrite /a /b; case: ex => ex.
    by rewrite ex // subrr eqxx.
  by rewrite ex // subrr eqxx orbT.
split.
  rewrite -iS; apply: eq_bigr => i iS'; apply: eq_bigr => j jS'.
  by rewrite g_out ?addr0.
case: ex => ex; [left=> i iS'|right=> j jS'].
  rewrite big_split /= ex // big1 ?addr0 // => j _.
  by apply: top_up0; rewrite /a ex // subrr eqxx.
rewrite big_split /= ex // big1 ?addr0 // => i _.
by apply: top_up0; rewrite /b ex // subrr eqxx orbT.
Qed.

(* ---- the distance given by a weighted laminar family ------------------- *)
Variables (K : finType) (w : K -> R) (S : K -> {set T}).
Hypothesis w0 : forall k, 0 <= w k.
Hypothesis lam : forall k l,
  [|| S k \subset S l, S l \subset S k | [disjoint S k & S l]].

Definition cuts : T -> T -> R := fun i j => \sum_k w k * cut (S k) i j.

Lemma cost_cuts f : cost cuts f = \sum_k w k * cost (cut (S k)) f.
Proof.
rewrite /cost (eq_bigr (fun i => \sum_k w k * \sum_j f i j * cut (S k) i j)).
  by rewrite exchange_big; apply: eq_bigr => k _; rewrite mulr_sumr.
move=> i _; rewrite (eq_bigr (fun j => \sum_k w k * (f i j * cut (S k) i j))).
  by rewrite exchange_big; apply: eq_bigr => k _; rewrite mulr_sumr.
by move=> j _; rewrite mulr_sumr; apply: eq_bigr => k _; ring.
Qed.

Theorem cuts_lower_bound p q f :
  coupling p q f -> \sum_k w k * `|on p (S k) - on q (S k)| <= cost cuts f.
Proof.
move=> Cf; rewrite cost_cuts; apply: ler_sum => k _; apply: ler_wpmul2l => //.
exact: cut_lower_bound.
Qed.

Lemma fill_coupling p q :
    (forall i, 0 <= p i) -> (forall i, 0 <= q i) -> \sum_i p i = \sum_i q i ->
  exists2 f, coupling p q f &
    forall k, inside f (S k) = Num.min (on p (S k)) (on q (S k)).
Proof.
move=> p0 q0 pq; pose L := sort (fun A B : {set T} => #|B| <= #|A|)%N [seq S k | k <- enum K].
have mL B : (B \in L) = (B \in [seq S k | k <- enum K]) by rewrite mem_sort.
have nL : pairwise nested (setT :: L).
  rewrite /=; apply/andP; split.
    by apply/allP=> A _; rewrite /nested subsetT.
  have : sorted (fun A B : {set T} => #|B| <= #|A|)%N L.
    by apply: sort_sorted => A B; apply: leq_total.
  rewrite sorted_pairwise; last by move=> A B C BA CA; apply: leq_trans CA BA.
  have : all (mem L) L by apply/allP.
  elim: {2 3 4}L => //= B L' IH /andP[BL L'L] /andP[/allP BA pw].
  rewrite IH // andbT; apply/allP=> A AL'.
  move: BL (allP L'L _ AL') (BA _ AL').
  rewrite /= !mL => /mapP[k _ ->] /mapP[l _ ->] kl.
  rewrite /nested; case/or3P: (lam k l) => [kl'|->|]; rewrite ?orbT //.
    by rewrite (eqP (_ : S k == S l)) ?subxx // eqEcard kl' kl.
  by rewrite disjoint_sym => ->; rewrite orbT.
have [f [f0 fr fc fs ff]] := fill p0 q0 nL.
have [_ ex] := ff _ (mem_head _ _).
have eq_of_sum (x y : T -> R) : (forall i, x i <= y i) -> \sum_i x i = \sum_i y i ->
    forall i, x i = y i.
  move=> xy sE i; apply/eqP; rewrite eq_sym -subr_eq0.
  have : \sum_i (y i - x i) == 0 by rewrite sumrB sE subrr.
  rewrite psumr_eq0 => [/allP/(_ i)|j _]; last by rewrite subr_ge0.
  by rewrite mem_index_enum; apply.
exists f; first split=> //.
- apply: eq_of_sum => //; case: ex => ex.
    by apply: eq_bigr => i _; rewrite ex ?inE.
  by rewrite exchange_big pq; apply: eq_bigr => j _; rewrite ex ?inE.
- apply: eq_of_sum => //; case: ex => ex.
    by rewrite exchange_big -pq; apply: eq_bigr => i _; rewrite ex ?inE.
  by apply: eq_bigr => j _; rewrite ex ?inE.
move=> k; have [|-> //] := ff (S k).
by rewrite inE mL map_f ?orbT ?mem_enum.
Qed.

Theorem laminar_emd p q :
    (forall i, 0 <= p i) -> (forall i, 0 <= q i) -> \sum_i p i = \sum_i q i ->
  is_emd cuts p q (\sum_k w k * `|on p (S k) - on q (S k)|).
Proof.
move=> p0 q0 pq; split; last exact: cuts_lower_bound.
have [f Cf fE] := fill_coupling p0 q0 pq; exists f => //.
by rewrite cost_cuts; apply: eq_bigr => k _; rewrite (cut_tight Cf).
Qed.

(* what a cheapest flow moves across each border is exactly the imbalance, and it
   moves no mass out and back in *)
Theorem cheapest_crosses p q f k : coupling p q f ->
    cost cuts f = \sum_k' w k' * `|on p (S k') - on q (S k')| -> 0 < w k ->
  cost (cut (S k)) f = `|on p (S k) - on q (S k)|.
Proof.
move=> Cf fE wk; apply/eqP; rewrite eq_le cut_lower_bound // andbT -(ler_pmul2l wk).
move/eqP: fE; rewrite cost_cuts (bigD1 k) //= [X in _ == X](bigD1 k) //= -subr_eq0 opprD addrACA addr_eq0.
move/eqP=> e; rewrite -subr_le0 e oppr_le0 -sumrB sumr_ge0 // => k' _.
by rewrite subr_ge0 ler_wpmul2l // cut_lower_bound.
Qed.

End Laminar.
