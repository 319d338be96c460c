(* What numbers of the values gain under an earth mover's distance of at most t, on lists of
   whole numbers.

   Places in the papers: t-closeness paper, section 4 (Definition 2); what the checker of
   generalized sensitive values decides
     distance_slope      with u that differ by at most mu times the ground distance,
                         sum (P - Q) u <= mu t for every P within t of Q

   The idea in three lines:
   - P within t of Q has a coupling that costs at most t (Distances.v);
   - what is moved from one value to another gains at most mu times the way;
   - so u and - u are potentials of mu times the ground distance. *)
From Coq Require Import ZArith List.
From mathcomp Require Import all_ssreflect all_algebra zify ring.
From mathcomp.zify Require Import ssrZ.
From Tcloseness Require Import Transport Existence Laminar ClosedForms Distances.
From Tcloseness Require Counts Conditions Keeping.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* the ground distance of two values, in the unit of the weights *)
Fixpoint parted (cuts : list Conditions.cut) (v w : nat) : Z :=
  match cuts with
  | nil => Z0
  | cons (z, s) cuts => Z.add (if xorb (existsb (Nat.eqb v) s) (existsb (Nat.eqb w) s) then z else Z0) (parted cuts v w) end.

Lemma num_dot (R : realFieldType) m u y : size u = m -> size y = m ->
  num R (Keeping.dot u y) = \sum_(i < m) num R (List.nth i u Z0) * num R (List.nth i y Z0).
Proof.
move=> lu ly; rewrite -ly in lu *; elim: u y {ly} lu => [|z u IH] [|w y] //=; first by rewrite big_ord0.
case=> /IH E; rewrite big_ord_recl numD numM E; congr (_ + _).
Qed.

(* of a class x within a / b of q; the ground distance is counted in parts 1 / d *)
Theorem distance_slope m a b d cuts q x u mu : size q = m -> size x = m -> size u = m ->
  Counts.nonneg q -> Counts.nonneg x -> Z.ltb Z0 (Counts.size q) -> Z.ltb Z0 (Counts.size x) ->
  Conditions.formed m (Conditions.Distance a b d cuts) -> Z.leb Z0 mu ->
  (forall v w, Peano.lt v m -> Peano.lt w m ->
     Z.le (Z.mul d (Z.sub (List.nth v u Z0) (List.nth w u Z0))) (Z.mul mu (parted cuts v w))) ->
  Conditions.satisfies q (Conditions.Distance a b d cuts) x ->
  Z.le (Z.mul b (Z.sub (Z.mul (Counts.size q) (Keeping.dot u x)) (Z.mul (Counts.size x) (Keeping.dot u q))))
       (Z.mul (Z.mul mu a) (Z.mul (Counts.size q) (Counts.size x))).
Proof.
move=> lq lx lu q0 x0 qp xp ok mu0 sl.
have sat := @distance_emd rat_realFieldType m a b d cuts q x lq lx q0 x0 qp xp ok.
move=> /sat le; move: le.
set R := rat_realFieldType in sat *; set D := ground R d cuts; set p := shares R x; set r := shares R q.
have [b0 d0 _ _] := @okP R m a b d cuts ok.
have N0 : 0 < num R (Counts.size q) by rewrite num_gt0.
have n0 : 0 < num R (Counts.size x) by rewrite num_gt0.
have same : same_mass p r.
  split.
  - by move=> i; rewrite /p /shares divr_ge0 ?nth_ge0 // ltW.
  - by move=> i; rewrite /r /shares divr_ge0 ?nth_ge0 // ltW.
  by rewrite /p /r !shares_total.
have [[f Cf fE] _] := emdP D same; rewrite -fE => le.
have W : \sum_(i < m) num R (List.nth i u Z0) * p i + \sum_(j < m) (- num R (List.nth j u Z0)) * r j
    <= cost (fun i j => num R mu * D i j) f.
  apply: (weak_duality Cf) => i j; rewrite -numB /D /ground mulrA ler_pdivl_mulr // mulrC.
  have -> : \sum_(c <- cuts) num R c.1 * ((val i \in c.2) (+) (val j \in c.2))%:R = num R (parted cuts i j).
    elim: (cuts) => [|[w s] l IH]; first by rewrite big_nil.
    rewrite big_cons IH [parted _ _ _]/= numD !mem_inb; congr (_ + _).
    by case: (existsb _ s); case: (existsb _ s); rewrite /= ?mulr1 ?mulr0.
  by rewrite -!numM num_le; exact: (proj2 (Z.leb_le _ _) (sl _ _ (elimT ssrnat.ltP (ltn_ord i)) (elimT ssrnat.ltP (ltn_ord j)))).
have muE : cost (fun i j => num R mu * D i j) f = num R mu * cost D f.
  rewrite /cost mulr_sumr; apply: eq_bigr => i _; rewrite mulr_sumr; apply: eq_bigr => j _.
  by rewrite mulrCA.
have mu0' : 0 <= num R mu by rewrite num_ge0.
have H : \sum_(i < m) num R (List.nth i u Z0) * p i - \sum_(j < m) num R (List.nth j u Z0) * r j
    <= num R mu * (num R a / num R b).
  have -> : - (\sum_(j < m) num R (List.nth j u Z0) * r j) = \sum_(j < m) (- num R (List.nth j u Z0)) * r j.
    by rewrite -sumrN; apply: eq_bigr => j _; rewrite mulNr.
  by apply: le_trans W _; rewrite muE ler_wpmul2l.
have E y : size y = m -> 0 < num R (Counts.size y) ->
    \sum_(i < m) num R (List.nth i u Z0) * shares R y i = num R (Keeping.dot u y) / num R (Counts.size y).
  move=> ly y0; rewrite (@num_dot R m u y lu ly) mulr_suml; apply: eq_bigr => i _.
  by rewrite /shares mulrA.
move: H; rewrite !E // => H; apply: (proj1 (Z.leb_le _ _)); rewrite -/(is_true _) -(num_le R) !numM numB !numM.
have P : 0 < num R b * (num R (Counts.size q) * num R (Counts.size x)) by rewrite !mulr_gt0.
move: H; rewrite -(ler_pmul2l P); congr (_ <= _); by field; rewrite ?gt_eqF.
Qed.
