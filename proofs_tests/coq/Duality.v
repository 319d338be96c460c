(* Every earth mover's distance has a certificate: potentials that earn it exist
   (strong duality), for every ground distance, over every ordered field.

   Places in the papers: certificates; t-closeness paper, section 4 (the EMD as a
   transportation problem)
     difference_constraints   v_b <= v_a + w(a, b) has a solution if no closed walk
          has negative weight
     strong_duality           potentials u, v with u_i + v_j <= d_ij and
          sum u_i p_i + sum v_j q_j = emd d p q
     emd_is_max               so emd is the greatest value that potentials earn

   The idea in three lines:
   - a least-cost coupling allows no gain by moving mass around a closed walk;
   - so the system v_j' - v_j <= d_ij' - d_ij (wherever f_ij > 0) has a solution,
     found by eliminating one value after the other;
   - with u_i = min_j (d_ij - v_j) the potentials are tight wherever mass flows. *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From Tcloseness Require Import Transport Existence.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- difference constraints -------------------------------------------------- *)
Section Differences.
Variables (R : realFieldType) (T : finType).
Implicit Types (w : T -> T -> R) (r s : seq T).

(* the weight of the walk a, s_1, s_2, ... *)
Fixpoint weight w a s : R := if s is b :: s then w a b + weight w b s else 0.

(* a least value over a nonempty list *)
Lemma least_of (A : eqType) (F : A -> R) x0 (r : seq A) : x0 \in r ->
  exists2 x, x \in r & forall y, y \in r -> F x <= F y.
Proof.
case: r => // x r _; elim: r x => [|y r IH] x.
  by exists x; rewrite ?mem_head // => z; rewrite inE => /eqP ->.
have [z zr least] := IH y; have [xz|zx] := leP (F x) (F z).
  exists x; rewrite ?mem_head // => t; rewrite inE => /predU1P[->//|/least].
  exact: le_trans.
exists z; first by rewrite inE zr orbT.
by move=> t; rewrite inE => /predU1P[->|/least//]; apply: ltW.
Qed.

Definition no_gain w r : Prop := forall a s, a \in r -> all (mem r) s ->
  last a s = a -> 0 <= weight w a s.

Theorem difference_constraints w r : no_gain w r ->
  exists v : T -> R, forall a b, a \in r -> b \in r -> v b <= v a + w a b.
Proof.
elim: r w => [|k r IH] w H; first by exists (fun=> 0).
pose w' a b := Num.min (w a b) (w a k + w k b).
have [v Hv] : exists v : T -> R, forall a b, a \in r -> b \in r -> v b <= v a + w' a b.
  apply: IH => a s ar sr las.
  have [s' [s'r last' ->]] : exists s', [/\ all (mem (k :: r)) s', last a s' = last a s &
      weight w' a s = weight w a s'].
    elim: s a {ar las} sr => [|b s IHs] a /=; first by exists [::].
    case/andP=> br /(IHs b)[s' [s'r l e]]; rewrite /w'.
    have bk : b \in k :: r by rewrite inE br orbT.
    case: (leP (w a b) (w a k + w k b)) => _.
      by exists (b :: s'); rewrite /= bk s'r l e.
    by exists (k :: b :: s'); rewrite /= mem_head bk s'r l e addrA.
  by apply: H => //; [rewrite inE ar orbT | rewrite last'].
have direct a b : w' a b <= w a b by rewrite le_minl lexx.
have around a b : w' a b <= w a k + w k b by rewrite le_minl lexx orbT.
have wkk : 0 <= w k k.
  by have := H k [:: k]; rewrite /= addr0 !mem_head; apply.
have [a0 [va least]] : exists x, (forall b, b \in r -> v b <= x + w k b) /\
    (forall a, a \in r -> x <= v a + w a k).
  case E : r => [|x0 r']; first by exists 0.
  have x0r : x0 \in r by rewrite E mem_head.
  have [x xr lx] := least_of (fun a => v a + w a k) x0r; rewrite -E.
  exists (v x + w x k); split=> // b br; apply: le_trans (Hv x b xr br) _.
  by rewrite -addrA ler_add2l.
exists (fun a => if a == k then a0 else v a) => a b.
rewrite !inE; have [->|ak] := eqVneq a k; have [->|bk] := eqVneq b k => //= ar br.
- by rewrite ler_addl.
- exact: va.
- exact: least.
- by apply: le_trans (Hv a b ar br) _; rewrite ler_add2l.
Qed.
End Differences.

(* ---- no gain around a closed walk ---------------------------------------------- *)
Section Duality.
Variables (R : realFieldType) (T : finType) (d : T -> T -> R) (p q : T -> R).
Implicit Types (u v : T -> R) (s : seq T).
Variable f : T -> T -> R.
Hypothesis Cf : coupling p q f.
Hypothesis best : forall g, coupling p q g -> cost d f <= cost d g.

(* who can pass mass from column j to column j' most cheaply *)
Variable who : T -> T -> T.
Hypothesis who_flow : forall j j', q j != 0 -> f (who j j') j != 0.

Let w j j' : R := d (who j j') j' - d (who j j') j.

(* one unit moved along the walk j, s_1, s_2, ... of columns *)
Definition one (i j : T) : T -> T -> R := fun x y => ((x == i) && (y == j))%:R.
Fixpoint moved j s : T -> T -> R :=
  if s is j' :: s then
    fun x y => one (who j j') j' x y - one (who j j') j x y + moved j' s x y
  else fun _ _ => 0.

Lemma one_row i j x : \sum_y one i j x y = (x == i)%:R.
Proof.
rewrite (bigD1 j) //= /one eqxx andbT big1 ?addr0 // => y /negPf ->.
by rewrite andbF.
Qed.

Lemma one_col i j y : \sum_x one i j x y = (y == j)%:R.
Proof. by rewrite (bigD1 i) //= /one eqxx big1 ?addr0 // => x /negPf ->. Qed.

Lemma moved_row j s x : \sum_y moved j s x y = 0.
Proof.
elim: s j => [|j' s IH] j /=; first by rewrite big1.
by rewrite big_split sumrB /= IH !one_row subrr addr0.
Qed.

Lemma moved_col j s y : \sum_x moved j s x y = (y == last j s)%:R - (y == j)%:R.
Proof.
elim: s j => [|j' s IH] j /=; first by rewrite big1 // subrr.
by rewrite big_split sumrB /= IH !one_col; ring.
Qed.

Lemma cost_one i j : cost d (one i j) = d i j.
Proof.
rewrite /cost (bigD1 i) //= (bigD1 j) //= /one !eqxx mul1r.
rewrite [X in _ + X + _]big1 ?addr0 => [|y /negPf ->]; last by rewrite andbF mul0r.
rewrite big1 ?addr0 // => x /negPf xi; rewrite big1 // => y _.
by rewrite xi mul0r.
Qed.

Lemma cost_moved j s : cost d (moved j s) = weight w j s.
Proof.
elim: s j => [|j' s IH] j /=.
  by rewrite /cost big1 // => i _; rewrite big1 // => y _; rewrite mul0r.
rewrite -IH /w -!cost_one /cost -sumrB -big_split; apply: eq_bigr => x _ /=.
rewrite -sumrB -big_split; apply: eq_bigr => y _ /=; ring.
Qed.

(* mass is only taken where it is, at most once a step *)
Lemma moved_ge j s x y : all (fun j => q j != 0) (belast j s) ->
  - (size s)%:R <= moved j s x y /\ (f x y = 0 -> 0 <= moved j s x y).
Proof.
elim: s j => [|j' s IH] j /=; first by rewrite oppr0.
case/andP=> qj /IH[lo zero]; have one0 i k : 0 <= one i k x y by apply: ler0n.
have one1 i k : one i k x y <= 1 by rewrite /one; case: (_ && _); rewrite ?lexx ?ler01.
split=> [|fz].
  rewrite mulrS opprD ler_add // -[- 1]add0r; apply: ler_add => //.
  by rewrite ler_opp2.
have -> : one (who j j') j x y = 0.
  rewrite /one; case: eqP => //= xi; case: eqP => //= yj.
  by have := who_flow j' qj; rewrite -xi -yj fz eqxx.
by rewrite subr0 addr_ge0 ?zero.
Qed.

Lemma no_gain_columns : no_gain w [seq j <- enum T | q j != 0].
Proof.
move=> j s; rewrite mem_filter mem_enum andbT => qj sr las.
have qs : all (fun j => q j != 0) (belast j s).
  have : all (fun j => q j != 0) (j :: s).
    by rewrite /= qj; apply: sub_all sr => i; rewrite /= mem_filter => /andP[].
  by rewrite lastI all_rcons => /andP[].
rewrite leNgt; apply/negP=> gain; have [f0 r c] := Cf.
have [m m0 fm] : exists2 m : R, 0 < m & forall x y, f x y != 0 -> m <= f x y.
  pose cells := [seq c <- enum [finType of T * T] | f c.1 c.2 != 0].
  have [cl|[c0 c0l]] : cells = [::] \/ exists c, c \in cells.
    by case: cells => [|c0 l]; [left | right; exists c0; rewrite mem_head].
    exists 1; rewrite ?ltr01 // => x y xy.
    have : (x, y) \in cells by rewrite mem_filter /= xy mem_enum.
    by rewrite cl.
  have [c1 c1l least] := least_of (fun c => f c.1 c.2) c0l.
  exists (f c1.1 c1.2).
    by move: c1l; rewrite mem_filter lt_neqAle eq_sym f0 andbT => /andP[].
  by move=> x y xy; apply: (least (x, y)); rewrite mem_filter /= xy mem_enum.
pose n : R := (size s).+1%:R; have n0 : 0 < n by rewrite ltr0n.
pose g x y := f x y + m / n * moved j s x y.
have e0 : 0 < m / n by rewrite divr_gt0.
have Cg : coupling p q g.
  split=> [x y|x|y].
  - have [lo zero] := moved_ge x y qs; have [fz|fn] := eqVneq (f x y) 0.
      by rewrite /g addr_ge0 // mulr_ge0 ?(ltW e0) ?zero.
    have : m / n * - (size s)%:R <= m / n * moved j s x y by rewrite ler_pmul2l.
    rewrite /g -(ler_add2l (f x y)); apply: le_trans.
    rewrite mulrN subr_ge0; apply: le_trans (fm x y fn).
    rewrite -mulrA ler_pimulr ?(ltW m0) // mulrC ler_pdivr_mulr // mul1r.
    by rewrite ler_nat.
  - by rewrite /g big_split /= -mulr_sumr moved_row mulr0 addr0.
  - by rewrite /g big_split /= -mulr_sumr moved_col las subrr mulr0 addr0.
have := best Cg; rewrite cost_add cost_moved leNgt => /negP; apply.
by rewrite -ltr_subr_addl subrr pmulr_rlt0.
Qed.
End Duality.

(* ---- potentials ------------------------------------------------------------------ *)
Section Potentials.
Variables (R : realFieldType) (T : finType).
Implicit Types (d : T -> T -> R) (p q u v : T -> R).

Definition feasible d u v : Prop := forall i j, u i + v j <= d i j.
Definition earned p q u v : R := \sum_i u i * p i + \sum_j v j * q j.

Theorem strong_duality d p q : same_mass p q ->
  exists u, exists2 v, feasible d u v & earned p q u v = emd d p q.
Proof.
move=> S; have [[f Cf fE] best] := emdP d S; have [f0 r c] := Cf.
rewrite -fE in best *.
have [q00|[j0 j0q]] : (forall j, q j = 0) \/ exists j, q j != 0.
  case: (boolP [forall j, q j == 0]) => [/forallP z|]; first by left=> j; apply/eqP.
  by rewrite negb_forall => /existsP; right.
  (* nothing to move *)
  have [p0 _ pq] := S; have p00 i : p i = 0.
    have : \sum_i p i == 0 by rewrite pq big1.
    by rewrite psumr_eq0 // => /allP/(_ i); rewrite mem_index_enum => /(_ isT)/eqP.
  have fz i j : f i j = 0.
    have : \sum_j f i j == 0 by rewrite r p00.
    by rewrite psumr_eq0 // => /allP/(_ j); rewrite mem_index_enum => /(_ isT)/eqP.
  exists (fun=> 0); have : forall j, exists x, forall i, x <= d i j.
    move=> j; have [x _ least] := least_of (fun i => d i j) (mem_enum T j : j \in enum T).
    by exists (d x j) => i; apply: least; rewrite mem_enum.
  case/fin_all_exists=> v Hv; exists v => [i j|]; first by rewrite add0r.
  rewrite /earned /cost !big1 ?addr0 // => i _; rewrite ?p00 ?q00 ?mulr0 //.
  by rewrite big1 // => j _; rewrite fz mul0r.
(* who passes mass on from j to j' most cheaply *)
have [who Hwho] : exists who : T -> T -> T, forall j j', q j != 0 ->
    f (who j j') j != 0 /\
    forall i, f i j != 0 -> d (who j j') j' - d (who j j') j <= d i j' - d i j.
  have one j j' : exists x, q j != 0 -> f x j != 0 /\
      forall i, f i j != 0 -> d x j' - d x j <= d i j' - d i j.
    have [qz|qn] := eqVneq (q j) 0; first by exists j.
    have [i fi] : exists i, f i j != 0.
      apply/existsP; rewrite -negb_forall; apply/negP=> /forallP z.
      by case/negP: qn; rewrite -c big1 // => i _; apply/eqP.
    have ir : i \in [seq i <- enum T | f i j != 0] by rewrite mem_filter fi mem_enum.
    have [x xr least] := least_of (fun i => d i j' - d i j) ir.
    exists x => _; move: xr; rewrite mem_filter => /andP[fx _]; split=> // i' fi'.
    by apply: least; rewrite mem_filter fi' mem_enum.
  have one' j : exists F, forall j', q j != 0 -> f (F j') j != 0 /\
      forall i, f i j != 0 -> d (F j') j' - d (F j') j <= d i j' - d i j.
    by have [F HF] := fin_all_exists (one j); exists F.
  by have [F HF] := fin_all_exists one'; exists F => j j'; apply: HF.
have [v0 Hv] := difference_constraints
  (no_gain_columns Cf best (fun j j' qj => proj1 (Hwho j j' qj))).
(* u_i over the columns with mass, then v for the columns without *)
have j0r : j0 \in [seq j <- enum T | q j != 0] by rewrite mem_filter j0q mem_enum.
have : forall i, exists x, (exists2 j, q j != 0 & x = d i j - v0 j) /\
    forall j, q j != 0 -> x <= d i j - v0 j.
  move=> i; have [j jr least] := least_of (fun j => d i j - v0 j) j0r.
  exists (d i j - v0 j); split; first by exists j; move: jr; rewrite mem_filter => /andP[].
  by move=> j' qj'; apply: least; rewrite mem_filter qj' mem_enum.
case/fin_all_exists=> u Hu.
have : forall j, exists y, (q j != 0 -> y = v0 j) /\ forall i, u i + y <= d i j.
  move=> j; have [qz|qn] := eqVneq (q j) 0; last first.
    by exists (v0 j); split=> // i; rewrite -ler_subr_addr; case: (Hu i) => _; apply.
  have [i _ least] := least_of (fun i => d i j - u i) (mem_enum T j : j \in enum T).
  exists (d i j - u i); split=> // i'; rewrite addrC -ler_subr_addr.
  by apply: least; rewrite mem_enum.
case/fin_all_exists=> v Hv'; exists u; exists v => [i j|]; first by case: (Hv' j).
(* tight where mass flows *)
have tight i j : f i j != 0 -> u i + v j = d i j.
  move=> fij; have qj : q j != 0.
    apply: contraNneq fij => qz; have : \sum_i f i j == 0 by rewrite c qz.
    by rewrite psumr_eq0 // => /allP/(_ i); rewrite mem_index_enum => /(_ isT).
  have [-> // _] := Hv' j; have [[j1 q1 E] least] := Hu i.
  apply/eqP; rewrite eq_le; apply/andP; split.
    by rewrite -ler_subr_addr; apply: least.
  rewrite E.
  have inr k : q k != 0 -> k \in [seq j <- enum T | q j != 0].
    by move=> qk; rewrite mem_filter qk mem_enum.
  have [_ /(_ i fij) A] := Hwho j j1 qj.
  have X := ler_add A (Hv j j1 (inr j qj) (inr j1 q1)).
  by rewrite -subr_ge0 in X; rewrite -subr_ge0; congr (0 <= _): X; ring.
rewrite /earned /cost.
have -> : \sum_j v j * q j = \sum_i \sum_j f i j * v j.
  rewrite exchange_big; apply: eq_bigr => j _ /=.
  by rewrite -mulr_suml c mulrC.
rewrite -big_split; apply: eq_bigr => i _ /=.
rewrite -r mulr_sumr -big_split; apply: eq_bigr => j _ /=.
have [->|/tight <-] := eqVneq (f i j) 0; first by rewrite !mul0r mulr0 addr0.
by rewrite mulrDr mulrC.
Qed.

(* emd is the greatest value that potentials earn *)
Theorem emd_is_max d p q : same_mass p q ->
  (exists u, exists2 v, feasible d u v & earned p q u v = emd d p q) /\
  (forall u v, feasible d u v -> earned p q u v <= emd d p q).
Proof.
move=> S; split=> [|u v uv]; first exact: strong_duality.
have [[f Cf <-] _] := emdP d S; exact: weak_duality.
Qed.
End Potentials.
