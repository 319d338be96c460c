(* Bounds of programs with boxes: why rounded prices prove an optimum.

   A program asks for the least sum c_j x_j with rows sum_j A_ij x_j <= b_i and
   lo_j <= x_j <= hi_j.  Prices y_i >= 0 are any numbers: nothing is asked of them.

   Places in the checkers: certificates of cuts, partitions and generalized values; t-closeness
   paper, section 6 (which releases lose least)
     leaf_bound      the bound that any prices give
     leaf_whole      whole costs: prices over one scale, and "more than U - 1"
     leaf_empty      a leaf without any solution
     tree_bound      a binary tree of boxes whose leaves have bounds
     sums_bound      published sums: any weights bound any combination of counts
     sums_at_most, sums_at_least   and whole counts round the bound
     cut_bound       the bound of a cut by splits
     enumerated      classes of small reduced cost suffice

   The idea in three lines:
   - c x >= c x + y (A x - b), for the rows cost nothing to a solution;
   - what is left is a sum over the variables, each least at an end of its box;
   - every solution lies in one leaf of the tree. *)
From mathcomp Require Import all_ssreflect all_algebra ring.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Box.
Variable R : realDomainType.
Implicit Types (r x lo hi : R).

Lemma box_le r x lo hi : lo <= x <= hi -> r * x <= Num.max (r * lo) (r * hi).
Proof.
case/andP=> lx xh; rewrite le_maxr; have [r0|/ltW r0] := leP 0 r.
  by rewrite [X in _ || X]ler_wpmul2l ?orbT.
by rewrite ler_wnmul2l.
Qed.

Lemma box_ge r x lo hi : lo <= x <= hi -> Num.min (r * lo) (r * hi) <= r * x.
Proof.
case/andP=> lx xh; rewrite le_minl; have [r0|/ltW r0] := leP 0 r.
  by rewrite ler_wpmul2l.
by rewrite [X in _ || X]ler_wnmul2l ?orbT.
Qed.
End Box.

(* ---- the bound of a leaf ------------------------------------------------------- *)
Section Leaf.
Variables (R : realDomainType) (I J : finType).
Implicit Types (x c lo hi : J -> R) (y b : I -> R) (A : I -> J -> R).

Definition in_box lo hi x : Prop := forall j, lo j <= x j <= hi j.
Definition in_rows A b x : Prop := forall i, \sum_j A i j * x j <= b i.
Definition reduced A c y j : R := c j + \sum_i y i * A i j.
Definition bound A b c lo hi y : R :=
  - (\sum_i y i * b i) + \sum_j Num.min (reduced A c y j * lo j) (reduced A c y j * hi j).

Theorem leaf_bound A b c lo hi y x : (forall i, 0 <= y i) ->
  in_rows A b x -> in_box lo hi x -> bound A b c lo hi y <= \sum_j c j * x j.
Proof.
move=> y0 rows box.
have mins : \sum_j Num.min (reduced A c y j * lo j) (reduced A c y j * hi j)
    <= \sum_j reduced A c y j * x j by apply: ler_sum => j _; apply: box_ge.
have rE : \sum_j reduced A c y j * x j
    = \sum_j c j * x j + \sum_i y i * (\sum_j A i j * x j).
  under eq_bigr do rewrite mulrDl; rewrite big_split; congr (_ + _) => /=.
  under eq_bigr do rewrite mulr_suml; rewrite exchange_big; apply: eq_bigr => i _.
  by rewrite mulr_sumr; apply: eq_bigr => j _; rewrite mulrA.
have le : \sum_i y i * (\sum_j A i j * x j) <= \sum_i y i * b i.
  by apply: ler_sum => i _; apply: ler_wpmul2l.
rewrite /bound addrC ler_subl_addr; apply: le_trans mins _.
by rewrite rE ler_add2l.
Qed.

(* no solution at all: a positive bound for costs of nothing *)
Theorem leaf_empty A b lo hi y x : (forall i, 0 <= y i) ->
  0 < bound A b (fun=> 0) lo hi y -> in_rows A b x -> ~ in_box lo hi x.
Proof.
move=> y0 pos rows box; have := leaf_bound (fun=> 0) y0 rows box.
by rewrite big1 => [|j _]; [rewrite leNgt pos | rewrite mul0r].
Qed.
End Leaf.

(* rows that are equations: prices of any sign *)
Theorem leaf_bound_eq (R : realDomainType) (I J : finType) (A : I -> J -> R) (b y : I -> R)
    (c lo hi x : J -> R) : (forall i, \sum_j A i j * x j = b i) -> in_box lo hi x ->
  \sum_i y i * b i + \sum_j Num.min ((c j - \sum_i y i * A i j) * lo j) ((c j - \sum_i y i * A i j) * hi j)
  <= \sum_j c j * x j.
Proof.
move=> rows box; have -> : \sum_j c j * x j
    = \sum_i y i * b i + \sum_j (c j - \sum_i y i * A i j) * x j.
  under [X in _ = _ + X]eq_bigr do rewrite mulrBl; rewrite sumrB.
  have -> : \sum_j (\sum_i y i * A i j) * x j = \sum_i y i * b i.
    under eq_bigr do rewrite mulr_suml; rewrite exchange_big; apply: eq_bigr => i _.
    by rewrite -rows mulr_sumr; apply: eq_bigr => j _; rewrite mulrA.
  by rewrite addrCA subrr addr0.
by rewrite ler_add2l; apply: ler_sum => j _; apply: box_ge.
Qed.

(* whole numbers: prices over the scale s; a bound of more than U - 1 is U *)
Theorem leaf_whole (I J : finType) (A : I -> J -> int) (b y : I -> int) (c lo hi x : J -> int)
    (s U : int) : 0 < s -> (forall i, 0 <= y i) ->
    s * (U - 1) < bound A b (fun j => s * c j) lo hi y ->
  in_rows A b x -> in_box lo hi x -> U <= \sum_j c j * x j.
Proof.
move=> s0 y0 lt rows box; have := lt_le_trans lt (leaf_bound _ y0 rows box).
under eq_bigr do rewrite -mulrA; rewrite -mulr_sumr ltr_pmul2l //.
by rewrite -lez_addr1 subrK.
Qed.

(* ---- a tree of boxes -------------------------------------------------------------- *)
(* Some variables are whole; a node splits one of them at k | k + 1. *)
Section Tree.
Variables (R : realDomainType) (I J : finType) (A : I -> J -> R) (b : I -> R) (c : J -> R).
Variables (whole : pred J) (U : R).
Inductive tree := Leaf (y : I -> R) | Empty (y : I -> R) | Split (v : J) (k : int) (l r : tree).
Implicit Types (x lo hi : J -> R) (t : tree).

Definition set_at (f : J -> R) v z : J -> R := fun j => if j == v then z else f j.

(* what the checker asks; a box without points needs no reason *)
Fixpoint proved lo hi t : Prop :=
  match t with
  | Leaf y => (forall i, 0 <= y i) /\ U <= bound A b c lo hi y
  | Empty y => (forall i, 0 <= y i) /\ 0 < bound A b (fun=> 0) lo hi y
  | Split v k l r => [/\ whole v,
      proved lo (set_at hi v (Num.min (hi v) k%:~R)) l &
      proved (set_at lo v (Num.max (lo v) (k + 1)%:~R)) hi r]
  end.

Definition is_whole x : Prop := forall j, whole j -> exists z : int, x j = z%:~R.

Theorem tree_bound t lo hi x : proved lo hi t -> is_whole x ->
  in_rows A b x -> in_box lo hi x -> U <= \sum_j c j * x j.
Proof.
move=> + wx rows; elim: t lo hi => [y|y|v k l IHl r IHr] lo hi /=.
- by case=> y0 le box; apply: le_trans le (leaf_bound _ y0 rows box).
- by case=> y0 pos /(leaf_empty y0 pos rows).
case=> wv pl pr box; have [z xz] := wx v wv.
have [zk|kz] := leP z k.
  apply: IHl pl _ => j; rewrite /set_at; case: (eqVneq j v) => [->|_] //.
  by rewrite le_minr; have /andP[-> ->] := box v; rewrite xz ler_int.
apply: IHr pr _ => j; rewrite /set_at; case: (eqVneq j v) => [->|_] //.
by rewrite le_maxl; have /andP[-> ->] := box v; rewrite xz ler_int lez_addr1 kz.
Qed.
End Tree.

(* ---- what published sums give away --------------------------------------------- *)
(* x_i records of cell i (size_i in all) have the protected value; the sums of
   some cells are published.  y may have any sign. *)
Section Sums.
Variables (R : realDomainType) (I B : finType).
Variables (A : B -> I -> R) (b : B -> R) (x l u : I -> R).
Hypotheses (sums : forall k, \sum_i A k i * x i = b k) (lx : forall i, l i <= x i)
  (xu : forall i, x i <= u i).

(* what is left of a when weighted sums are taken off *)
Definition rest (a : I -> R) (y : B -> R) i : R := a i - \sum_k y k * A k i.
Definition most a y : R := \sum_k y k * b k
  + \sum_i Num.max 0 (rest a y i) * u i - \sum_i Num.max 0 (- rest a y i) * l i.

Theorem sums_bound a y : \sum_i a i * x i <= most a y.
Proof.
have -> : \sum_i a i * x i = \sum_k y k * b k + \sum_i rest a y i * x i.
  have -> : \sum_k y k * b k = \sum_i (\sum_k y k * A k i) * x i.
    under eq_bigr do rewrite -sums big_distrr /=.
    rewrite exchange_big; apply: eq_bigr => i _; rewrite big_distrl /=.
    by apply: eq_bigr => k _; rewrite mulrA.
  by rewrite -big_split; apply: eq_bigr => i _; rewrite /rest /=; ring.
rewrite /most -addrA ler_add2l -sumrB ler_sum // => i _.
have [r0|r0] := leP 0 (rest a y i).
  by rewrite max_l ?oppr_le0 // mul0r subr0 ler_wpmul2l.
by rewrite max_r ?oppr_ge0 ?(ltW r0) // mul0r sub0r mulNr opprK ler_wnmul2l // ltW.
Qed.

End Sums.

(* whole counts round the bound *)
Section Whole.
Variables (R : realDomainType) (I B : finType).
Variables (A : B -> I -> R) (b : B -> R) (x : I -> nat) (l u : I -> R).
Hypotheses (sums : forall k, \sum_i A k i * (x i)%:R = b k) (lx : forall i, l i <= (x i)%:R)
  (xu : forall i, (x i)%:R <= u i).

Theorem sums_at_most j n y : most A b l u (fun i => (i == j)%:R) y < n.+1%:R -> (x j <= n)%N.
Proof.
move=> less; rewrite -ltnS -(ltr_nat R); apply: le_lt_trans less.
apply: le_trans (sums_bound sums lx xu _ y).
by rewrite (bigD1 j) //= eqxx mul1r big1 ?addr0 // => i /negPf->; rewrite mul0r.
Qed.

Theorem sums_at_least j n y : most A b l u (fun i => - (i == j)%:R) y < 1 - n%:R -> (n <= x j)%N.
Proof.
move=> less; rewrite -ltnS -(ltr_nat R) -[(x j).+1]addn1 natrD -ltr_subl_addr -ltr_opp2 opprB.
apply: le_lt_trans less; apply: le_trans (sums_bound sums lx xu _ y).
by rewrite (bigD1 j) //= eqxx mulN1r big1 ?addr0 // => i /negPf->; rewrite oppr0 mul0r.
Qed.

End Whole.

(* ---- cuts of hierarchies ---------------------------------------------------------- *)
(* d_a = 1 iff the cut goes strictly below node a (of any hierarchy); par is the
   parent of a node that has one.  A tuple lists the parents of its nodes. *)
Section Cut.
Variables (R : realDomainType) (N K : finType) (par : N -> option N).
Variables (root saved : N -> R) (tuple : K -> {set N}).
Variables (y : K -> R) (z : N -> R).
Hypotheses (y0 : forall k, 0 <= y k) (z0 : forall a, 0 <= z a).
Variable d : N -> bool.
Hypothesis chain : forall a a', par a = Some a' -> d a -> d a'.
Hypothesis forbids : forall k, exists2 a, a \in tuple k & ~~ d a.

(* z_a is the price of d_a <= d_parent; a node without parent has none *)
Definition left_over a : R := saved a - \sum_k (a \in tuple k)%:R * y k
  - (if par a is Some _ then z a else 0) + \sum_(e | par e == Some a) z e.

Theorem cut_bound :
  \sum_a root a - \sum_k y k * (#|tuple k|%:R - 1) - \sum_a Num.max 0 (left_over a)
  <= \sum_a root a - \sum_a (d a)%:R * saved a.
Proof.
rewrite -addrA ler_add2l -opprD ler_opp2.
have row k : \sum_a (a \in tuple k)%:R * (d a)%:R <= #|tuple k|%:R - 1 :> R.
  have [a ak da] := forbids k; rewrite ler_subr_addr.
  rewrite -sum1_card natr_sum (bigD1 a) //= (negPf da) mulr0 add0r.
  rewrite [X in _ <= X](bigD1 a) //= addrC ler_add2l [X in _ <= X]big_mkcond /=.
  rewrite [X in X <= _]big_mkcond; apply: ler_sum => e _.
  by case: (e != a); case: (e \in tuple k); rewrite ?andbT ?andbF //= ?mul1r ?mul0r ?lerr //;
    case: (d e); rewrite ?ler01 ?lexx.
have price : \sum_k y k * (\sum_a (a \in tuple k)%:R * (d a)%:R) <= \sum_k y k * (#|tuple k|%:R - 1).
  by apply: ler_sum => k _; apply: ler_wpmul2l.
have ends : \sum_a (d a)%:R * left_over a <= \sum_a Num.max 0 (left_over a).
  apply: ler_sum => a _; case: (d a); last by rewrite mul0r le_maxr lexx.
  by rewrite mul1r le_maxr lexx orbT.
have chains : \sum_a (d a)%:R * (\sum_(e | par e == Some a) z e)
    >= \sum_a (d a)%:R * (if par a is Some _ then z a else 0).
  have -> : \sum_a (d a)%:R * (\sum_(e | par e == Some a) z e)
      = \sum_e (if par e is Some a then (d a)%:R * z e else 0).
    under eq_bigr do rewrite big_distrr /= big_mkcond; rewrite exchange_big /=.
    apply: eq_bigr => e _; case E : (par e) => [a|]; last by rewrite big1 // => a; case: eqP.
    rewrite (bigD1 a) //= eqxx big1 ?addr0 // => a' a'a; case: eqP => // -[aa'].
    by rewrite aa' eqxx in a'a.
  apply: ler_sum => e _; case E : (par e) => [a|]; last by rewrite mulr0.
  apply: ler_wpmul2r => //; have := chain E; case: (d e); case: (d a) => //; rewrite ?lexx ?ler01 //.
  by move/(_ isT).
have sumE : \sum_a (d a)%:R * saved a = \sum_a (d a)%:R * left_over a
    + \sum_k y k * (\sum_a (a \in tuple k)%:R * (d a)%:R)
    + \sum_a (d a)%:R * (if par a is Some _ then z a else 0)
    - \sum_a (d a)%:R * (\sum_(e | par e == Some a) z e).
  have -> : \sum_k y k * (\sum_a (a \in tuple k)%:R * (d a)%:R)
      = \sum_a (d a)%:R * (\sum_k (a \in tuple k)%:R * y k).
    under eq_bigr do rewrite mulr_sumr; rewrite exchange_big; apply: eq_bigr => a _ /=.
    rewrite mulr_sumr; apply: eq_bigr => k _; ring.
  rewrite -!big_split -sumrB; apply: eq_bigr => a _; rewrite /left_over /=.
  set p := \sum_k _ * y k; set q := \sum_(e | _) z e; case: (par a) => [a'|]; ring.
rewrite sumE -addrA; apply: (@le_trans _ _ (_ + _ + 0)).
  by apply: ler_add; [apply: ler_add ends price | rewrite subr_le0].
by rewrite addr0 addrC.
Qed.
End Cut.

(* ---- partitions from classes of small reduced cost ------------------------------- *)
(* r(C) = S cost(C) - p(C).  All allowed classes with r <= limit were found. *)
Section Partition.
Variables (Rec : finType) (cost : {set Rec} -> int) (p : Rec -> int) (s limit least U : int).
Variables (allowed found : pred {set Rec}) (K : nat).
Definition r (C : {set Rec}) : int := s * cost C - \sum_(i in C) p i.
Hypotheses (s0 : 0 < s) (limit_ge : -1 <= limit) (least_le : least <= 0).
Hypothesis all_found : forall C, allowed C -> r C <= limit -> found C.
Hypothesis least_found : forall C, found C -> least <= r C.
Hypothesis enough : s * (U - 1) < \sum_i p i + (K%:R - 1) * least + limit + 1.

(* so a partition with another class costs U or more *)
Theorem enumerated (P : {set {set Rec}}) : partition P [set: Rec] ->
    (forall C, C \in P -> allowed C) -> (#|P| <= K)%N ->
    (exists2 C, C \in P & ~~ found C) ->
  U <= \sum_(C in P) cost C.
Proof.
move=> part ok PK [C0 C0P C0f].
have total : \sum_(C in P) \sum_(i in C) p i = \sum_i p i.
  rewrite -(set_partition_big _ part) /=; apply: eq_bigl => i; by rewrite inE.
have sE : s * (\sum_(C in P) cost C) = \sum_i p i + \sum_(C in P) r C.
  by rewrite -total -big_split mulr_sumr; apply: eq_bigr => C _; rewrite /r /= addrC subrK.
have big C : C \in P -> ~~ found C -> limit + 1 <= r C.
  move=> /ok aC; apply: contraR; rewrite lez_addr1 -leNgt; exact: all_found.
have each C : C \in P -> least <= r C.
  move=> CP; have [/least_found//|/(big C CP)] := boolP (found C).
  by apply: le_trans; apply: le_trans least_le _; rewrite -ler_subl_addr sub0r.
have le : limit + 1 + (#|P|%:R - 1) * least <= \sum_(C in P) r C.
  rewrite (bigD1 C0) //=; apply: ler_add; first exact: big.
  have -> : (#|P|%:R - 1) * least = \sum_(C in P | C != C0) least.
    rewrite sumr_const (cardD1 C0) C0P /= -[X in _ = _ *+ X]addn0.
    have -> : #|[pred C in P | C != C0]| = #|[predD1 P & C0]|.
      by apply: eq_card => C; rewrite !inE andbC.
    by rewrite addn0 natrD addrC addKr mulr_natl.
  by apply: ler_sum => C /andP[CP _]; apply: each.
have leK : (K%:R - 1) * least <= (#|P|%:R - 1) * least.
  by rewrite ler_wnmul2r // ler_add2r ler_nat.
have lt : s * (U - 1) < s * (\sum_(C in P) cost C).
  apply: lt_le_trans enough _; rewrite sE -!addrA ler_add2l.
  by apply: le_trans le; rewrite addrC ler_add2l.
by move: lt; rewrite ltr_pmul2l // -lez_addr1 subrK.
Qed.

(* classes of k records or more: at most n / k of them *)
Lemma few_classes (P : {set {set Rec}}) k : (0 < k)%N -> partition P [set: Rec] ->
  (forall C, C \in P -> (k <= #|C|)%N) -> (#|P| <= #|Rec| %/ k)%N.
Proof.
move=> k0 part size; rewrite leq_divRL // -(cardsT Rec) (card_partition part) -sum_nat_const.
by apply: leq_sum => C /size.
Qed.

(* the bound that prunes: a class C grown from G, where E never falls when records
   join, and cost(C) = |C| E(C) *)
Theorem one_ahead (E : {set Rec} -> int) (G C : {set Rec}) :
    (forall A, cost A = #|A|%:R * E A) -> (forall A B : {set Rec}, A \subset B -> E A <= E B) ->
    G \subset C ->
  r G + \sum_(i in C :\: G) (s * E (i |: G) - p i) <= r C.
Proof.
move=> cE mono GC; rewrite /r !cE.
have -> : \sum_(i in C) p i = \sum_(i in G) p i + \sum_(i in C :\: G) p i.
  rewrite (big_setID G) /=; congr (_ + _); apply: eq_bigl => i.
  by rewrite inE andb_idl // => /(subsetP GC).
have cC : #|C|%:R = #|G|%:R + #|C :\: G|%:R :> int.
  by rewrite -natrD -(cardsID G C); congr (_ + _)%:R; move/setIidPr: GC => ->.
rewrite sumrB cC opprD addrACA ler_add2r mulrDl mulrDr; apply: ler_add.
  apply: ler_wpmul2l; first exact: ltW.
  by apply: ler_wpmul2l; [apply: ler0n | apply: mono].
have -> : s * (#|C :\: G|%:R * E C) = \sum_(i in C :\: G) s * E C.
  by rewrite sumr_const mulrCA mulr_natl.
apply: ler_sum => i; rewrite inE => /andP[_ iC]; apply: ler_wpmul2l; first exact: ltW.
by apply: mono; rewrite subUset sub1set iC.
Qed.
End Partition.
