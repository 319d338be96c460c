(* What is_optimal says of the network simplex's answer: if it returns true, the flow of the tree moves the
   supply to the demand, and no plan does so at less cost, whatever made the tree.

   Places in the code: transport/network_simplex.py, is_optimal, which transport/compiled.py compiles
     is_optimal_right    it returns, reads and writes inside its arrays, and true means [optimal]

   A plan may be of fractions: with a common denominator [scale] it is one of whole numbers, with
   [scale] times the supply and the demand.

   The idea in three lines:
   - what is left of the supply and the demand is what the vertices passed so far do not carry;
   - a plan costs at least sum_j pi_j demand_j - sum_i pi_i supply_i, as no reduced cost is negative;
   - the flow runs only where the reduced cost is 0, so that is what it costs. *)
Require Import ZArith Lia Bool.
From Tcloseness.kernels Require Import Kernel Generated.
Open Scope Z_scope.

(* what vertices hand to those that [to] names, added up with the worth of each *)
Lemma sum_grouped n V (worth to f : Z -> Z) : 0 <= n -> 0 <= V ->
  (forall v, 0 <= v < V -> f v <> 0 -> 0 <= to v < n) ->
  sum 0 n (fun a => worth a * sum 0 V (fun v => if to v =? a then f v else 0)) = sum 0 V (fun v => f v * worth (to v)).
Proof.
intros Hn HV H.
rewrite (sum_eq _ _ _ (fun a => sum 0 V (fun v => if a =? to v then f v * worth (to v) else 0))).
  2: { intros a Ha; rewrite Z.mul_comm, <- sum_mulr; apply sum_eq; intros v Hv; cells; subst; lia. }
rewrite sum_swap by lia; apply sum_eq; intros v Hv; rewrite sum_at.
destruct (Z.eq_dec (f v) 0) as [->|Hf]; [cells; lia|]; pose proof (H v Hv Hf); cells; lia.
Qed.

Section Optimal.
Variables (fits : Z -> bool) (B S T : Z) (costs supply demand left : arr) (tree : arr2).
Let V := S + T.
Let arc v := at2 tree 1 v.
Let flow v := at2 tree 3 v.
Let potential v := at2 tree 4 v.
Let cost i j := at1 costs (i * T + j).
Let from v := arc v / T.
Let to v := arc v mod T.

(* what the tree carries from source i to sink j, and what that costs *)
Definition carried i j := sum 0 V (fun v => if (from v =? i) && (to v =? j) then flow v else 0).
Definition flow_cost := sum 0 V (fun v => flow v * at1 costs (arc v)).

Definition is_plan (scale : Z) (y : Z -> Z -> Z) :=
  (forall i j, 0 <= i < S -> 0 <= j < T -> 0 <= y i j) /\
  (forall i, 0 <= i < S -> sum 0 T (fun j => y i j) = scale * at1 supply i) /\
  (forall j, 0 <= j < T -> sum 0 S (fun i => y i j) = scale * at1 demand j).
Definition plan_cost (y : Z -> Z -> Z) := sum 0 S (fun i => sum 0 T (fun j => y i j * cost i j)).
Definition earned := sum 0 T (fun j => potential (S + j) * at1 demand j) - sum 0 S (fun i => potential i * at1 supply i).
Definition optimal := is_plan 1 carried /\ flow_cost = earned /\
  forall scale y, 0 < scale -> is_plan scale y -> scale * flow_cost <= plan_cost y.

Hypotheses
  (holds : forall z, Z.abs z <= B -> fits z = true) (S0 : 0 <= S) (T0 : 0 <= T) (VB : V <= B) (STB : S * T <= B)
  (lc : S * T <= len costs) (ls : S <= len supply) (ld : T <= len demand) (ll : V <= len left)
  (rows5 : 5 <= rows tree) (colsV : V <= cols tree)
  (supplies : forall i, 0 <= i < S -> 0 <= at1 supply i <= B) (demands : forall j, 0 <= j < T -> 0 <= at1 demand j <= B)
  (flows : forall v, 0 <= v < V -> flow v <= B)
  (reduced : forall i j, 0 <= i < S -> 0 <= j < T ->
    Z.abs (cost i j + potential i) <= B /\ Z.abs (cost i j + potential i - potential (S + j)) <= B).

(* what has been seen of the vertices before v *)
Let out v i := sum 0 v (fun w => if from w =? i then flow w else 0).
Let into v j := sum 0 v (fun w => if to w =? j then flow w else 0).
Definition tight v := flow v <> 0 -> 0 < flow v /\ 0 <= arc v < S * T /\
  cost (from v) (to v) + potential (from v) - potential (S + to v) = 0.
Definition dual_feasible := forall i j, 0 <= i < S -> 0 <= j < T -> 0 <= cost i j + potential i - potential (S + j).

Lemma ends v : 0 <= arc v < S * T -> 0 < T /\ 0 <= from v < S /\ 0 <= to v < T /\ arc v = from v * T + to v.
Proof.
intros H; assert (HT : 0 < T) by nia; unfold from, to.
pose proof (Z.div_mod (arc v) T ltac:(lia)); pose proof (Z.mod_pos_bound (arc v) T HT).
assert (0 <= arc v / T) by (apply Z.div_pos; lia).
assert (arc v / T < S) by (apply Z.div_lt_upper_bound; nia).
repeat split; lia.
Qed.

Lemma proved : (forall v, 0 <= v < V -> tight v) -> (forall i, 0 <= i < S -> out V i = at1 supply i) ->
  (forall j, 0 <= j < T -> into V j = at1 demand j) -> dual_feasible -> optimal.
Proof.
intros Ht Ho Hi Hd.
assert (HV : 0 <= V) by (unfold V; lia).
assert (Hplan : is_plan 1 carried).
{ split; [|split].
  - intros i j _ _; apply sum_ge0; intros v Hv; pose proof (Ht v Hv).
    unfold tight in *; destruct (Z.eq_dec (flow v) 0); cells; lia.
  - intros i Hi'; unfold carried; rewrite sum_swap, Z.mul_1_l, <- Ho by lia; apply sum_eq; intros v Hv.
    rewrite (sum_eq _ _ _ (fun j => if j =? to v then if from v =? i then flow v else 0 else 0)) by (intros; cells; lia).
    rewrite sum_at; destruct (Z.eq_dec (flow v) 0) as [->|Hf]; [cells; lia|].
    destruct (Ht v Hv Hf) as (_ & Ha & _); destruct (ends v Ha) as (_ & _ & ? & _); cells; lia.
  - intros j Hj; unfold carried; rewrite sum_swap, Z.mul_1_l, <- Hi by lia; apply sum_eq; intros v Hv.
    rewrite (sum_eq _ _ _ (fun i => if i =? from v then if to v =? j then flow v else 0 else 0)) by (intros; cells; lia).
    rewrite sum_at; destruct (Z.eq_dec (flow v) 0) as [->|Hf]; [cells; lia|].
    destruct (Ht v Hv Hf) as (_ & Ha & _); destruct (ends v Ha) as (_ & ? & _ & _); cells; lia. }
assert (Hcost : flow_cost = earned).
{ unfold earned; rewrite (sum_eq 0 T _ (fun j => potential (S + j) * into V j)) by (intros; rewrite Hi; lia).
  rewrite (sum_eq 0 S _ (fun i => potential i * out V i)) by (intros; rewrite Ho; lia); unfold into, out.
  rewrite (sum_grouped T V (fun j => potential (S + j)) to flow) by
    (try lia; intros v Hv Hf; destruct (Ht v Hv Hf) as (_ & Ha & _); apply (ends v Ha)).
  rewrite (sum_grouped S V potential from flow) by
    (try lia; intros v Hv Hf; destruct (Ht v Hv Hf) as (_ & Ha & _); apply (ends v Ha)).
  unfold flow_cost; apply Z.add_move_r; rewrite <- sum_add; apply sum_eq; intros v Hv.
  destruct (Z.eq_dec (flow v) 0) as [->|Hf]; [lia|]; destruct (Ht v Hv Hf) as (_ & Ha & Hr).
  destruct (ends v Ha) as (_ & _ & _ & E); unfold cost in Hr; rewrite <- E in Hr; nia. }
split; [exact Hplan|]; split; [exact Hcost|]; intros scale y Hs (Y0 & Ysupply & Ydemand); rewrite Hcost.
assert (Hmiddle : scale * earned = sum 0 S (fun i => sum 0 T (fun j => y i j * (potential (S + j) - potential i)))).
{ rewrite (sum_eq 0 S _ (fun i => sum 0 T (fun j => y i j * potential (S + j)) + - potential i * (scale * at1 supply i))).
    2: { intros i Hi'; rewrite <- Ysupply, Z.mul_comm, <- sum_mulr, <- sum_add by lia; apply sum_eq; intros; lia. }
  rewrite sum_add, sum_swap by lia; unfold earned.
  rewrite (sum_eq 0 T (fun j => sum 0 S (fun i => y i j * potential (S + j)))
    (fun j => potential (S + j) * at1 demand j * scale)) by (intros; rewrite sum_mulr, Ydemand by lia; lia).
  rewrite (sum_eq 0 S (fun i => - potential i * (scale * at1 supply i)) (fun i => potential i * at1 supply i * - scale))
    by (intros; lia).
  rewrite !sum_mulr; lia. }
rewrite Hmiddle; unfold plan_cost; apply sum_le; intros i Hi'; apply sum_le; intros j Hj.
pose proof (Y0 i j Hi' Hj); pose proof (Hd i j Hi' Hj); nia.
Qed.

Ltac fit := apply holds; lia.
Ltac truths := repeat match goal with
  | H : negb _ = true |- _ => apply negb_true_iff in H
  | H : negb _ = false |- _ => apply negb_false_iff in H
  | H : (_ || _) = false |- _ => apply orb_false_iff in H; destruct H
  end; tests; rewrite ?Z.add_0_l in *.
(* the ends of the arc of a vertex, and what is known of them *)
Ltac arc_ends H v :=
  assert (Ha : 0 <= arc v < S * T) by (unfold arc; lia); destruct (ends v Ha) as (? & Hf & Ht & E);
  pose proof (reduced (from v) (to v) Hf Ht) as [? ?]; pose proof (flows v ltac:(lia));
  pose proof (H (from v) ltac:(unfold V; lia)) as [? ?]; pose proof (H (S + to v) ltac:(unfold V; lia)) as [? ?];
  unfold cost in *; rewrite <- E in *; unfold from, to, arc, flow, potential, V in *.
Let due u := if u <? S then at1 supply u else at1 demand (u - S).
Let gone v u := if u <? S then out v u else into v (u - S).

Theorem is_optimal_right :
  wp (is_optimal fits costs supply demand S T tree left)
     (fun '(answer, room) => len room = len left /\ (answer = true -> optimal)).
Proof.
assert (HV : 0 <= V) by (unfold V; lia).
assert (dues : forall u, 0 <= u < V -> 0 <= due u <= B).
{ intros u Hu; unfold due; cells; [apply supplies|apply demands]; unfold V in *; lia. }
unfold is_optimal; run; try fit; fold V.
apply wp_for with (I := fun v room => len room = len left /\ forall u, 0 <= u < v -> at1 room u = due u).
{ split; [reflexivity|intros; lia]. }
{ intros v room Hv [Hl H]; rewrite Z2Nat.id in Hv by lia; run; try fit; try (unfold V in *; lia).
  all: split; [assumption|intros u Hu].
  all: destruct (Z.eq_dec u v) as [Euv|Euv]; [subst u; rewrite Z.eqb_refl|].
  2,4: destruct (Z.eqb_spec u v); [lia|apply H; lia].
  all: unfold due; cells; reflexivity. }
intros room0 [Hl0 Hdue]; rewrite Z2Nat.id in Hdue by lia; run.
apply wp_until with
  (I := fun v room => len room = len left /\ (forall w, 0 <= w < v -> tight w) /\
    forall u, 0 <= u < V -> at1 room u = due u - gone v u /\ 0 <= at1 room u <= B)
  (D := fun '(answer, room) => len room = len left /\ answer = false).
{ split; [exact Hl0|]; split; [intros; lia|]; intros u Hu; rewrite Hdue by lia; pose proof (dues u Hu).
  unfold gone, out, into; rewrite !sum_nil by lia; cells; lia. }
3: { intros [answer room] [Hl ->]; run; try (split; [exact Hl|discriminate]). }
{ clear room0 Hl0 Hdue; intros v room Hv (Hl & Htight & H); rewrite Z2Nat.id in Hv by lia; run; try fit.
  all: truths.
  all: try match goal with
    | |- context [at2 tree 1 ?v / T] => arc_ends H v
    | |- context [at2 tree 1 ?v mod T] => arc_ends H v end.
  all: try (cells; fit).
  all: try (unfold V in *; lia).
  all: assert (Hgone : forall u, 0 <= u < S + T -> gone (v + 1) u = gone v u +
    (if u <? S then if from v =? u then flow v else 0 else if to v =? u - S then flow v else 0))
    by (intros u Hu; unfold gone, out, into; rewrite !sum_last by lia; unfold from, to, flow, arc; cells; lia).
  all: unfold from, to, arc, flow, V in Hgone |- *; split; [assumption|]; split.
  1,3: intros w Hw; destruct (Z.eq_dec w v) as [->|]; [|apply Htight; lia].
  1,2: unfold tight, cost, from, to, arc, flow, potential; rewrite <- ?E; lia.
  all: intros u Hu; pose proof (H u ltac:(unfold V; lia)) as [Hu1 Hu2]; rewrite Hgone by lia.
  all: repeat match goal with G : 0 <= (if ?a =? ?b then _ else _) |- _ =>
    destruct (Z.eqb_spec a b); try (exfalso; lia) end.
  all: cells; subst; lia. }
{ clear room0 Hl0 Hdue; intros room (Hl & Htight & H); rewrite Z2Nat.id in * by lia; run.
  apply wp_until with (I := fun v _ => forall u, 0 <= u < v -> at1 room u = 0)
    (D := fun '(answer, room') => len room' = len left /\ answer = false).
  { intros; lia. }
  { intros v [] Hv Hzero; rewrite Z2Nat.id in Hv by lia; run; truths; try (split; [exact Hl|reflexivity]).
    intros u Hu; destruct (Z.eq_dec u v) as [->|]; [assumption|apply Hzero; lia]. }
  2: { intros [answer room'] [Hl' ->]; run; try (split; [exact Hl'|discriminate]). }
  intros [] Hzero; rewrite Z2Nat.id in Hzero by lia; run.
  apply wp_until with (I := fun i _ => forall i' j, 0 <= i' < i -> 0 <= j < T ->
      0 <= cost i' j + potential i' - potential (S + j))
    (D := fun '(answer, room') => len room' = len left /\ answer = false).
  { intros; lia. }
  { intros i [] Hi Hrows; rewrite Z2Nat.id in Hi by lia; run.
    apply wp_until with (I := fun j _ => forall j', 0 <= j' < j -> 0 <= cost i j' + potential i - potential (S + j'))
      (D := fun '(answer, room') => len room' = len left /\ answer = false).
    { intros; lia. }
    { intros j [] Hj Hcells; rewrite Z2Nat.id in Hj by lia.
      pose proof (reduced i j Hi Hj) as [? ?]; assert (0 <= i * T + j < S * T) by nia.
      assert (i * T <= S * T) by nia.
      unfold cost, potential in *; run; truths; try fit; try (unfold V in *; lia).
      all: try (split; [exact Hl|reflexivity]).
      intros j' Hj'; destruct (Z.eq_dec j' j) as [->|]; [lia|apply Hcells; lia]. }
    { intros [] Hcells; rewrite Z2Nat.id in Hcells by lia; run.
      intros i' j Hi' Hj; destruct (Z.eq_dec i' i) as [->|]; [apply Hcells; lia|apply Hrows; lia]. }
    { intros [answer room'] [Hl' ->]; run; try (split; [exact Hl'|reflexivity]). } }
  { intros [] Hrows; rewrite Z2Nat.id in Hrows by lia; run; split; [exact Hl|intros _; apply proved].
    - intros v Hv; apply Htight; lia.
    - intros i Hi; assert (Hiv : 0 <= i < V) by (unfold V; lia).
      pose proof (H i Hiv) as [Hi1 _]; rewrite Hzero in Hi1 by lia; unfold due, gone in Hi1; revert Hi1; cells; lia.
    - intros j Hj; assert (Hjv : 0 <= S + j < V) by (unfold V; lia).
      pose proof (H (S + j) Hjv) as [Hj1 _]; rewrite Hzero in Hj1 by lia; unfold due, gone in Hj1; revert Hj1.
      replace (S + j - S) with j by lia; cells; lia.
    - intros i j Hi Hj; apply Hrows; lia. }
  { intros [answer room'] [Hl' ->]; run; try (split; [exact Hl'|discriminate]). } }
Qed.
End Optimal.
