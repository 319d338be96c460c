(* The constraints (c1)-(c3) as the t-closeness paper prints them fix only the net
   flow at each value.  For a ground distance with the triangle inequality they
   give the same distance as couplings; without it they do not.

   Places in the papers: t-closeness paper, section 4, (c1), (c2), (c3)
     coupling_is_printed   a coupling satisfies them
     printed_ge_emd        under a metric no printed flow costs less than emd
     printed_emd           so emd is the least work over the printed constraints
     emd_cancel            mass that p and q share may be taken away
   A ground distance where they differ stands in Counterexamples.v.

   The idea in three lines:
   - a printed flow moves its outflow b to its inflow a, and p + a = q + b;
   - so emd(p, q) <= emd(p + b, q + b) = emd(p + b, p + a) <= emd(b, a) <= cost;
   - the first step: what passes through a value can go directly (triangle). *)
From mathcomp Require Import all_ssreflect all_algebra ring.
From Tcloseness Require Import Transport Existence.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Printed.
Variables (R : realFieldType) (T : finType).
Implicit Types (p q a b c : T -> R) (d f g : T -> T -> R) (t e : R).

(* (c1), (c2), (c3); the paper's total is 1 *)
Record printed_flow p q f : Prop := PrintedFlow {
  c1 : forall i j, 0 <= f i j;
  c2 : forall i, p i - \sum_j f i j + \sum_j f j i = q i;
  c3 : \sum_i \sum_j f i j = \sum_i p i }.

Theorem coupling_is_printed p q f : coupling p q f -> printed_flow p q f.
Proof.
move=> Cf; have [f0 r k] := Cf; split=> // [i|]; last exact: coupling_mass Cf.
by rewrite r k subrr add0r.
Qed.

Definition plus p c : T -> R := fun i => p i + c i.
Definition at_point (k : T) e : T -> R := fun i => if i == k then e else 0.

Lemma sum_point k e (F : T -> R) : \sum_i at_point k e i * F i = e * F k.
Proof.
rewrite (bigD1 k) //= /at_point eqxx big1 ?addr0 // => i /negPf ->.
by rewrite mul0r.
Qed.

Lemma sum_point1 k e : \sum_i at_point k e i = e.
Proof.
rewrite -[RHS]mulr1 -(sum_point k e (fun=> 1)); apply: eq_bigr => i _.
by rewrite mulr1.
Qed.

(* what passes through k goes directly *)
Lemma shortcut d p q f k e : (forall i j l, d i l <= d i j + d j l) -> 0 < e ->
    0 <= p k -> 0 <= q k -> f k k = 0 ->
    coupling (plus p (at_point k e)) (plus q (at_point k e)) f ->
  emd_le d p q (cost d f).
Proof.
move=> dT e0 pk qk fkk [f0 r c]; set A := q k + e; set B := p k + e.
have A0 : 0 < A by rewrite ltr_paddl. have B0 : 0 < B by rewrite ltr_paddl.
have rk : \sum_j f k j = B by rewrite r /plus /at_point eqxx.
have ck : \sum_i f i k = A by rewrite c /plus /at_point eqxx.
pose g i j := f i j - at_point k (e / A) j * f i k - at_point k (e / B) i * f k j
  + e / (A * B) * f i k * f k j.
have An : A != 0 by rewrite gt_eqF. have Bn : B != 0 by rewrite gt_eqF.
have eA : e / A <= 1 by rewrite ler_pdivr_mulr // mul1r ler_addr.
have eB : e / B <= 1 by rewrite ler_pdivr_mulr // mul1r ler_addr.
have last0 i j : 0 <= e / (A * B) * f i k * f k j.
  apply: mulr_ge0 (f0 _ _); apply: mulr_ge0 (f0 _ _).
  by rewrite divr_ge0 ?ltW // mulr_gt0.
exists g; first split.
- move=> i j; rewrite /g addr_ge0 // /at_point.
  have [->|jk] := eqVneq j k; have [->|ik] := eqVneq i k;
    rewrite ?fkk ?mul0r ?mulr0 ?subr0 ?f0 // subr_ge0 ler_pimull //.
- move=> i; rewrite /g big_split !sumrB /= -mulr_sumr rk.
  rewrite (sum_point k (e / A) (fun=> f i k)) -mulr_sumr rk r /plus.
  have -> : at_point k (e / B) i * B = at_point k e i.
    by rewrite /at_point; case: eqP => _; rewrite ?mul0r // divfK.
  have -> : e / (A * B) * f i k * B = e / A * f i k.
    by field; rewrite An Bn.
  ring.
- move=> j; have s1 : \sum_i at_point k (e / A) j * f i k = at_point k e j.
    by rewrite -mulr_sumr ck /at_point; case: eqP => _; rewrite ?mul0r // divfK.
  have s2 : \sum_i at_point k (e / B) i * f k j = e / B * f k j.
    exact: (sum_point k (e / B) (fun=> f k j)).
  have s3 : \sum_i e / (A * B) * f i k * f k j = e / B * f k j.
    by rewrite -mulr_suml -mulr_sumr ck; field; rewrite An Bn.
  by rewrite /g big_split !sumrB /= s1 s2 s3 c /plus; ring.
pose Da := \sum_i f i k * d i k; pose Db := \sum_j f k j * d k j.
have -> : cost d g = cost d f - e / A * Da - e / B * Db
    + e / (A * B) * \sum_i \sum_j f i k * f k j * d i j.
  have -> : e / A * Da = \sum_i \sum_j at_point k (e / A) j * f i k * d i j.
    rewrite /Da mulr_sumr; apply: eq_bigr => i _.
    under eq_bigr do rewrite -mulrA.
    by rewrite (sum_point k (e / A) (fun j => f i k * d i j)).
  have -> : e / B * Db = \sum_i \sum_j at_point k (e / B) i * f k j * d i j.
    rewrite exchange_big /Db mulr_sumr; apply: eq_bigr => j _ /=.
    under eq_bigr do rewrite -mulrA.
    by rewrite (sum_point k (e / B) (fun i => f k j * d i j)).
  rewrite /cost mulr_sumr -!sumrB -big_split; apply: eq_bigr => i _ /=.
  rewrite mulr_sumr -!sumrB -big_split; apply: eq_bigr => j _ /=.
  by rewrite /g; ring.
have le : \sum_i \sum_j f i k * f k j * d i j <= B * Da + A * Db.
  have -> : B * Da + A * Db = \sum_i \sum_j f i k * f k j * (d i k + d k j).
    have -> : B * Da = \sum_i \sum_j f i k * f k j * d i k.
      rewrite /Da mulr_sumr; apply: eq_bigr => i _; rewrite -rk mulr_suml.
      by apply: eq_bigr => j _; ring.
    have -> : A * Db = \sum_i \sum_j f i k * f k j * d k j.
      rewrite exchange_big /Db mulr_sumr; apply: eq_bigr => j _ /=; rewrite -ck mulr_suml.
      by apply: eq_bigr => i _; ring.
    rewrite -big_split; apply: eq_bigr => i _ /=; rewrite -big_split.
    by apply: eq_bigr => j _ /=; rewrite mulrDr.
  apply: ler_sum => i _; apply: ler_sum => j _.
  by apply: ler_wpmul2l; rewrite ?mulr_ge0.
have eAB : 0 <= e / (A * B) by rewrite divr_ge0 ?ltW // mulr_gt0.
have := ler_wpmul2l eAB le.
have -> : e / (A * B) * (B * Da + A * Db) = e / A * Da + e / B * Db.
  by field; rewrite An Bn.
move: (e / (A * B) * _) (e / A * Da) (e / B * Db) => x y z xyz.
by rewrite -addrA -addrA -[leRHS]addr0 ler_add2l addrA -opprD addrC subr_le0.
Qed.

Lemma eq_emd_le d p p' q q' t : p =1 p' -> q =1 q' -> emd_le d p q t -> emd_le d p' q' t.
Proof.
move=> pp qq [f [f0 r c] le]; exists f => //.
by split=> // i; rewrite ?r ?c.
Qed.

(* mass that stays at k may be left out *)
Lemma cancel_point d p q k e t : (forall i, d i i = 0) -> (forall i j l, d i l <= d i j + d j l) ->
    0 <= e -> 0 <= p k -> 0 <= q k ->
  emd_le d (plus p (at_point k e)) (plus q (at_point k e)) t -> emd_le d p q t.
Proof.
move=> dz dT e0 pk qk [f [f0 r c] le]; set m := Num.min (f k k) e.
have m0 : 0 <= m by rewrite le_minr f0 e0.
have mf : m <= f k k by rewrite le_minl lexx.
have me : m <= e by rewrite le_minl lexx orbT.
pose g i j := f i j - at_point k (at_point k m j) i.
have gE i j : g i j = f i j - at_point k m i * (j == k)%:R.
  by rewrite /g /at_point; case: eqP; case: eqP; rewrite ?mulr1 ?mulr0 ?mul0r.
have Cg : coupling (plus p (at_point k (e - m))) (plus q (at_point k (e - m))) g.
  split=> [i j|i|j].
  - rewrite /g /at_point; have [->|_] := eqVneq i k; last by rewrite subr0.
    by have [->|_] := eqVneq j k; rewrite ?subr0 // subr_ge0.
  - under eq_bigr do rewrite gE; rewrite sumrB -mulr_sumr r (bigD1 k) //= eqxx.
    rewrite big1 ?addr0 => [|j /negPf->//]; rewrite /plus /at_point.
    by case: eqP => _; rewrite ?mulr1 ?mul0r ?subr0 // addrA.
  - under eq_bigr do rewrite gE; rewrite sumrB c -mulr_suml.
    have -> : \sum_i at_point k m i = m.
      exact: sum_point1.
    rewrite /plus /at_point; case: eqP => _; last by rewrite mulr0 subr0.
    by rewrite mulr1 addrA.
have cg : cost d g = cost d f.
  apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite /g /at_point.
  have [->|_] := eqVneq i k; last by rewrite subr0.
  by have [->|_] := eqVneq j k; rewrite ?subr0 // dz !mulr0.
have [em|em] := eqVneq e m.
  exists g; last by rewrite cg.
  case: Cg => g0 gr gc; split=> // i; rewrite ?gr ?gc /plus em subrr /at_point;
    by case: eqP; rewrite addr0.
have gk : g k k = 0.
  rewrite /g /at_point eqxx; apply/eqP; rewrite subr_eq0 /m.
  by move: em; rewrite /m; case: (leP (f k k) e) => //; rewrite eqxx.
have em0 : 0 < e - m by rewrite subr_gt0 lt_neqAle eq_sym em.
have [h Ch ch] := shortcut dT em0 pk qk gk Cg.
by exists h => //; apply: le_trans ch _; rewrite cg.
Qed.

(* ... and any mass that p and q share *)
Theorem emd_cancel d p q c t : (forall i, d i i = 0) -> (forall i j l, d i l <= d i j + d j l) ->
    (forall i, 0 <= p i) -> (forall i, 0 <= q i) -> (forall i, 0 <= c i) ->
  emd_le d (plus p c) (plus q c) t -> emd_le d p q t.
Proof.
move=> dz dT p0 q0 c0 H; pose at_ (r : seq T) : T -> R := fun i => if i \in r then c i else 0.
have at0 r i : 0 <= at_ r i by rewrite /at_; case: ifP.
have step r : uniq r -> emd_le d (plus p (at_ r)) (plus q (at_ r)) t -> emd_le d p q t.
  elim: r => [_|k r IH /= /andP[kr ur] E].
    by apply: eq_emd_le => i; rewrite /plus /at_ addr0.
  apply: IH => //; apply: (@cancel_point d _ _ k (c k)) => //; try by rewrite /plus addr_ge0.
  have eq_at (x : T -> R) : plus x (at_ (k :: r)) =1 plus (plus x (at_ r)) (at_point k (c k)).
    move=> i; rewrite /plus /at_ /at_point inE; have [->|_] /= := eqVneq i k.
      by rewrite (negPf kr) addr0.
    by rewrite addr0.
  exact: eq_emd_le (eq_at p) (eq_at q) E.
apply: (step (enum T)); first exact: enum_uniq.
by apply: eq_emd_le H => i; rewrite /plus /at_ mem_enum.
Qed.

(* mass that stays costs nothing *)
Lemma emd_add d b a p t : (forall i, d i i = 0) -> (forall i, 0 <= p i) ->
  emd_le d b a t -> emd_le d (plus p b) (plus p a) t.
Proof.
move=> dz p0 [f [f0 r c] le]; exists (fun i j => at_point i (p i) j + f i j); first split.
- by move=> i j; rewrite addr_ge0 // /at_point; case: eqP.
- move=> i; rewrite big_split /= r /plus; congr (_ + _).
  exact: sum_point1.
- move=> j; rewrite big_split /= c /plus; congr (_ + _).
  by rewrite (bigD1 j) //= /at_point eqxx big1 ?addr0 // => i; rewrite eq_sym => /negPf->.
apply: le_trans le; rewrite le_eqVlt; apply/orP; left; apply/eqP.
apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite /at_point.
by case: eqP => [->|_]; rewrite ?add0r // dz !mulr0.
Qed.

Theorem printed_ge_emd d p q f : (forall i, d i i = 0) ->
    (forall i j l, d i l <= d i j + d j l) -> same_mass p q ->
  printed_flow p q f -> emd d p q <= cost d f.
Proof.
move=> dz dT S [f0 net _]; have [p0 q0 _] := S; apply/(emd_leE d _ S).
pose b i := \sum_j f i j; pose a i := \sum_j f j i.
have b0 i : 0 <= b i by apply: sumr_ge0.
apply: (@emd_cancel d p q b) => //.
have E : plus p a =1 plus q b.
  by move=> i; rewrite /plus -net /a /b; ring.
apply: (eq_emd_le (p := plus p b) (q := plus p a)) => //.
by apply: emd_add => //; exists f.
Qed.

(* emd is the least work over the constraints as printed *)
Theorem printed_emd d p q : (forall i, d i i = 0) ->
    (forall i j l, d i l <= d i j + d j l) -> same_mass p q ->
  (exists2 f, printed_flow p q f & cost d f = emd d p q) /\
  (forall f, printed_flow p q f -> emd d p q <= cost d f).
Proof.
move=> dz dT S; split=> [|f]; last exact: printed_ge_emd.
have [[f Cf fE] _] := emdP d S; exists f => //; exact: coupling_is_printed.
Qed.
End Printed.
