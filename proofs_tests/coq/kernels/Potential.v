(* What cut_potential returns: at the code of each place, the sum of w_k sign(r(S_k)) over the sets S_k
   that hold the place; and its product with r is the number that cut_work returns.

   Places in the code: transport/closed_forms.py, cut_potential
     cut_potential_right, potential_earns

   The idea in three lines:
   - each set adds at its lower end and takes away at its upper end;
   - the sum of these up to a place is the sum over the sets that hold it;
   - both sums, over places and over sets, may be exchanged. *)
Require Import ZArith Lia Bool.
From Tcloseness.kernels Require Import Kernel Generated CutWork.
Open Scope Z_scope.

Section Potential.
Variables r order low high weights : arr.
Let m := len order.
Let K := len low.
Let mass k := mass r order low high k.
Hypotheses
  (m0 : 0 <= m) (rm : len r = m) (codes : forall p, 0 <= p < m -> 0 <= at1 order p < m)
  (once : forall p p', 0 <= p < m -> 0 <= p' < m -> at1 order p = at1 order p' -> p = p')
  (K0 : 0 <= K) (highK : len high = K) (weightsK : len weights = K)
  (sets : forall k, 0 <= k < K -> 0 <= at1 low k <= at1 high k /\ at1 high k <= m).

Let signed k := at1 weights k * Z.sgn (mass k).
Definition holds_place k p := (at1 low k <=? p) && (p <? at1 high k).
Definition potential_at p := sum 0 K (fun k => if holds_place k p then signed k else 0).
(* what stands at place j after k sets *)
Let step k j := sum 0 k (fun k => (if j =? at1 low k then signed k else 0) - (if j =? at1 high k then signed k else 0)).

Lemma steps_sum p : 0 <= p < m -> sum 0 (p + 1) (step K) = potential_at p.
Proof.
intros Hp; unfold step; rewrite sum_swap by lia; apply sum_eq; intros k Hk; destruct (sets k Hk).
rewrite (sum_eq _ _ _ (fun j => (if j =? at1 low k then signed k else 0) + (if j =? at1 high k then - signed k else 0)))
  by (intros; cells; lia).
rewrite sum_add, !sum_at; unfold holds_place; cells; lia.
Qed.

Theorem cut_potential_right :
  wp (cut_potential (fun _ => true) r order low high weights)
     (fun out => len out = m /\ forall p, 0 <= p < m -> at1 out (at1 order p) = potential_at p).
Proof.
unfold cut_potential; fold m K; run.
apply wp_for with (I := fun i prefix => len prefix = i + 1 /\
  forall j, 0 <= j <= i -> at1 prefix j = sum 0 j (fun p => at1 r (at1 order p))).
{ split; [reflexivity|]; intros j Hj; rewrite sum_nil; cbn; lia. }
{ intros i prefix Hi [Hl Hp]; rewrite Z2Nat.id in Hi by lia; pose proof (codes i Hi); run.
  split; [lia|]; intros j Hj; cells; [|apply Hp; lia].
  replace j with (i + 1) by lia; rewrite sum_last, <- Hp by lia; f_equal; f_equal; lia. }
intros prefix [Hl Hp]; rewrite Z2Nat.id in * by lia; run.
apply wp_for with (I := fun k s => len s = m + 2 /\ forall j, 0 <= j <= m -> at1 s j = step k j).
{ split; [cbn; lia|]; intros; unfold step; rewrite sum_nil by lia; reflexivity. }
{ intros k s Hk [Ls Hs]; rewrite Z2Nat.id in Hk by lia; destruct (sets k Hk).
  assert (Hmass : at1 prefix (at1 high k) - at1 prefix (at1 low k) = mass k).
    unfold mass, CutWork.mass; rewrite !Hp, (sum_cat 0 (at1 low k) (at1 high k)) by lia; lia.
  run; rewrite !Hmass; split; [lia|]; intros j Hj.
  replace (Z.b2z (0 <? mass k) - Z.b2z (mass k <? 0)) with (Z.sgn (mass k)) by (cells; cbn; lia); fold (signed k).
  unfold step; rewrite sum_last by lia; fold (step k j); rewrite <- Hs by lia; cells; subst; try lia.
  all: replace (at1 high k) with (at1 low k) in * by lia; lia. }
intros s [Ls Hs]; rewrite Z2Nat.id in Hs by lia; run.
apply wp_for with (I := fun p '(height, out) => height = sum 0 p (step K) /\ len out = m /\
  forall p', 0 <= p' < p -> at1 out (at1 order p') = sum 0 (p' + 1) (step K)).
{ repeat split; cbn; try lia; intros; lia. }
{ intros p [height out] Hi (-> & Lo & Ho); rewrite Z2Nat.id in Hi by lia; pose proof (codes p Hi); run.
  rewrite Hs by lia; rewrite <- (sum_last 0 p) by lia; repeat split; auto; intros p' Hp'.
  destruct (Z.eq_dec p' p) as [->|]; [rewrite Z.eqb_refl; reflexivity|].
  destruct (Z.eqb_spec (at1 order p') (at1 order p)) as [E|]; [apply once in E; lia|apply Ho; lia]. }
intros [height out] (_ & Lo & Ho); rewrite Z2Nat.id in Ho by lia; run; split; [exact Lo|].
intros p Hq; rewrite Ho by lia; apply steps_sum, Hq.
Qed.

(* the potential proves the closed form: sum_i phi(i) r_i = sum_k w_k |r(S_k)| *)
Theorem potential_earns : sum 0 m (fun p => potential_at p * at1 r (at1 order p)) = laminar_work r order low high weights.
Proof.
unfold potential_at, laminar_work; fold K.
rewrite (sum_eq _ _ _ (fun p => sum 0 K (fun k => if holds_place k p then signed k * at1 r (at1 order p) else 0))).
  2: { intros p Hp; rewrite <- sum_mulr; apply sum_eq; intros; destruct (holds_place _ _); lia. }
rewrite sum_swap by lia; apply sum_eq; intros k Hk; destruct (sets k Hk).
rewrite (sum_cat 0 (at1 low k) m), (sum_cat (at1 low k) (at1 high k) m) by lia.
rewrite (sum_eq 0 _ _ (fun _ => 0)), sum_zero by (intros; unfold holds_place; cells; lia).
rewrite (sum_eq (at1 high k) _ _ (fun _ => 0)), sum_zero by (intros; unfold holds_place; cells; lia).
rewrite (sum_eq _ _ _ (fun p => at1 r (at1 order p) * signed k)) by (intros; unfold holds_place; cells; lia).
rewrite sum_mulr; fold (CutWork.mass r order low high k); fold (mass k); unfold signed.
pose proof (Z.abs_sgn (mass k)); nia.
Qed.
End Potential.
