(* Recursive (c,l)-diversity in words and as a formula: what the l-diversity paper
   says of its definitions, and where that needs c > 1.

   r lists the counts of a class, largest first: r_1 is nth 0 r 0.

   Places in the l-diversity paper, section 4.2:
     recursion        Definition 4.2: whoever eliminates l - 2 values, whichever, is
          left with a (c,2)-diverse class, exactly if r_1 < c (r_l + ... + r_m)
     share_left       so whoever eliminates l - 2 values gives no other value a share of
          c / (1 + c) (section 4.4)
     first_case       before Definition 4.3: for y <= l - 1 the first case says that
          after r_1 ... r_(y-1) are removed, what is left is (c, l-y+1)-diverse
     second_case      for y > l - 1 and c > 1 the second case always holds, as
          "1-diversity is always satisfied" has it
     second_case_not  for c <= 1 it need not, so that the two ways to say it differ
     eliminating_not_at_will   "we can eliminate one value" is meant of any value, not of
          one that we choose

   The idea in three lines:
   - to eliminate the second largest count is the worst for the others;
   - removing the first entries shifts the places;
   - r_(l-1) >= r_y is among the summands. *)
From mathcomp Require Import all_ssreflect all_algebra ring zify.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Forms.
Variable R : realFieldType.
Implicit Types (r : seq R) (c : R) (i k l y : nat).

Definition sum r : R := \sum_(x <- r) x.
Definition descending r : Prop := sorted >=%O r /\ all (fun x => 0 <= x) r.

(* r_1 < c (r_l + ... + r_m) *)
Definition closed_form c l r : Prop := nth 0 r 0 < c * sum (drop l.-1 r).

(* the class without the value of place i, counted from 0 *)
Definition without i r := take i r ++ drop i.+1 r.
(* whichever k values are eliminated, what is left is (c,2)-diverse; nothing is not *)
Fixpoint after_any c k r : Prop :=
  if k is k.+1 then r <> [::] /\ forall i, (i < size r)%N -> after_any c k (without i r)
  else closed_form c 2 r.

Lemma without_size i r : (i < size r)%N -> size (without i r) = (size r).-1.
Proof. by move=> ir; rewrite size_cat size_takel ?size_drop; lia. Qed.

Lemma without_descending i r : descending r -> descending (without i r).
Proof.
have sub : subseq (without i r) r.
  by rewrite -{2}(cat_take_drop i r) cat_subseq // -[i.+1]add1n -drop_drop drop_subseq.
case=> so nn; split; first by apply: subseq_sorted sub so => x y z yx xz; apply: le_trans yx.
by apply/allP=> x /(mem_subseq sub)/(allP nn).
Qed.

Lemma drop_without t i r : (i < size r)%N -> (i <= t)%N -> drop t (without i r) = drop t.+1 r.
Proof.
move=> ir it; rewrite drop_cat size_take ir ltnNge it /= drop_drop; congr drop; lia.
Qed.

Lemma sum_drop t r : (t < size r)%N -> sum (drop t r) = nth 0 r t + sum (drop t.+1 r).
Proof. by move=> tr; rewrite (drop_nth 0 tr) /sum big_cons. Qed.

Lemma sum_ge0 r : all (fun x => 0 <= x) r -> 0 <= sum r.
Proof. by move=> /allP nn; rewrite /sum big_seq sumr_ge0. Qed.

Lemma sum_without t i r : (t <= i < size r)%N ->
  sum (drop t (without i r)) + nth 0 r i = sum (drop t r).
Proof.
case/andP=> ti ir; rewrite -[in RHS](cat_take_drop i r) (drop_nth 0 ir) !drop_cat.
rewrite size_take ir /sum; case: ltnP => [lt|ge].
  by rewrite !big_cat big_cons /= -!addrA [_ + nth _ _ _]addrC.
have -> : (t - i = 0)%N by lia.
by rewrite !drop0 big_cons addrC.
Qed.

Lemma nth_le r i j : descending r -> (i <= j < size r)%N -> nth 0 r j <= nth 0 r i.
Proof.
case=> so _ /andP[ij jr].
apply: (sorted_leq_nth (leT := >=%O) _ _ 0 so); rewrite ?inE //; last by apply: leq_ltn_trans jr.
  by move=> x y z yx xz; apply: le_trans xz yx.
exact: lexx.
Qed.

Lemma one_more c l r : 0 <= c -> descending r -> (1 < l)%N ->
  (r <> [::] /\ forall i, (i < size r)%N -> closed_form c l (without i r)) <->
  closed_form c l.+1 r.
Proof.
move=> c0 dr l1; rewrite /closed_form /=; split=> [[rn H]|H].
  case: r rn dr H => // x [_ _ /(_ 0%N isT)|x' r _ _ /(_ 1%N isT)].
    by rewrite /without /= /sum !big_nil mulr0 ltxx.
  rewrite drop_without //; last by lia.
  by rewrite prednK //; lia.
have rn : r <> [::].
  by move=> e; move: H; rewrite e /= /sum big_nil mulr0 ltxx.
split=> // i ir; have s0 : (0 < size r)%N by case: (r) rn.
have head_le : nth 0 (without i r) 0 <= nth 0 r 0.
  case: i ir => [|i] ir; last by rewrite /without nth_cat size_take ir nth_take.
  rewrite /without take0 nth_drop addn0.
  have [r1|r1] := ltnP 1 (size r); first by apply: nth_le => //; rewrite r1.
  by rewrite nth_default //; case: dr => _ /allP; apply; rewrite mem_nth.
apply: le_lt_trans head_le _; apply: lt_le_trans H _; apply: ler_wpmul2l => //.
have [it|ti] := leqP i l.-1; first by rewrite drop_without // prednK //; lia.
have := @sum_without l.-1 i r; rewrite ir (ltnW ti) => /(_ isT) e.
have lr : (l.-1 < size r)%N by apply: ltn_trans ir.
move: e; rewrite (sum_drop lr) prednK; last by lia.
move=> e; rewrite -(ler_add2r (nth 0 r i)) e addrC ler_add2r.
by apply: nth_le => //; rewrite (ltnW ti).
Qed.

Theorem recursion c k r : 0 <= c -> descending r ->
  after_any c k r <-> closed_form c k.+2 r.
Proof.
move=> c0; elim: k r => // k IH r dr; rewrite -one_more //=.
split=> -[rn H]; split=> // i ir; apply/IH/H => //; exact: without_descending.
Qed.

(* and then no value of what is left has a share of c / (1 + c) *)
Theorem share_left c r : 0 <= c -> descending r -> closed_form c 2 r ->
  nth 0 r 0 / sum r < c / (1 + c).
Proof.
move=> c0 [_ nn]; rewrite /closed_form /=; case: r nn => [|x r] /=.
  by rewrite /sum big_nil mulr0 ltxx.
case/andP=> x0 nn; rewrite drop0 => H; rewrite {1}/sum big_cons -/(sum r).
have s0 : 0 < sum r.
  by rewrite lt_neqAle sum_ge0 // andbT; apply/eqP => e; move: (le_lt_trans x0 H); rewrite -e mulr0 ltxx.
have c1 : 0 < 1 + c by apply: ltr_paddr c0 (@ltr01 R).
have xs : 0 < x + sum r by apply: ltr_paddl.
rewrite ltr_pdivr_mulr // mulrAC ltr_pdivl_mulr //.
by rewrite mulrDr mulr1 mulrDr [x * c]mulrC addrC ltr_add2l.
Qed.

(* ---- with values that may be disclosed: r_y is the largest count that may not be -- *)
Definition case_one c l y r : Prop := nth 0 r y.-1 < c * sum (drop l.-1 r).
Definition case_two c l y r : Prop :=
  nth 0 r y.-1 < c * (sum (drop l.-2 (take y.-1 r)) + sum (drop y r)).

Theorem first_case c l y r : (0 < y < l)%N ->
  case_one c l y r <-> closed_form c (l - y).+1 (drop y.-1 r).
Proof.
case/andP=> y0 yl; rewrite /case_one /closed_form nth_drop addn0 drop_drop /=.
by have -> : (l - y + y.-1 = l.-1)%N by lia.
Qed.

Theorem second_case c l y r : 1 < c -> descending r -> (1 < l <= y)%N -> (y <= size r)%N ->
  0 < nth 0 r y.-1 -> case_two c l y r.
Proof.
move=> c1 dr /andP[l1 ly] yr r0; have nn : all (fun x => 0 <= x) r by case: dr.
have some D : {subset D <= r} -> 0 <= sum D.
  by move=> sub; apply/sum_ge0/allP=> x /sub/(allP nn).
have lt : (l.-2 < size (take y.-1 r))%N by rewrite size_takel; lia.
have ge : nth 0 r y.-1 <= sum (drop l.-2 (take y.-1 r)) + sum (drop y r).
  rewrite (sum_drop lt) nth_take; last by lia.
  rewrite -addrA; apply: le_trans (_ : nth 0 r l.-2 <= _).
    by apply: nth_le => //; apply/andP; split; lia.
  rewrite ler_addl addr_ge0 // some // => x; last exact: mem_drop.
  by move/mem_drop/mem_take.
by apply: (le_lt_trans ge); rewrite -[ltLHS]mul1r ltr_pmul2r //; apply: lt_le_trans r0 ge.
Qed.

(* (1, 1): y = 2, l = 2; one value is left beside r_y, and 1 < c * 1 is needed *)
Theorem second_case_not c : c <= 1 -> ~ case_two c 2 2 [:: 1; 1].
Proof.
rewrite /case_two /sum /= big_seq1 big_nil addr0 mulr1 => c1 H.
by move: (lt_le_trans H c1); rewrite ltxx.
Qed.

(* (2, 1, 1): without the 2, 1 < c * 1 for c = 3/2; but 2 < 3/2 is not *)
Theorem eliminating_not_at_will (c := 3%:R / 2%:R : R) (r := [:: 2%:R; 1; 1] : seq R) :
  closed_form c 2 (without 0 r) /\ ~ closed_form c 3 r.
Proof.
rewrite /closed_form /without /sum /c /= !big_seq1 !mulr1; split.
  by rewrite ltr_pdivl_mulr ?ltr0n // mul1r ltr_nat.
by rewrite ltr_pdivl_mulr ?ltr0n // -natrM ltr_nat.
Qed.
End Forms.
