(* What the searches' kernel finds of the counts of one class: how many values it has, and its greatest counts.

   Places in the code: lattice/compiled.py, _counted; what decides distinct and recursive (c, l)-diversity there
     counted_right     the numbers that _counted returns, and what it leaves in its room
     recursive_right   these are r_1, ..., r_(l-1) and r_l + ... + r_m, for any falling order r of the counts

   The idea in three lines:
   - a count is handed through the falling room; what is smaller is handed on, and the last is added to the others;
   - whatever is summed over the room and the count in hand remains the same at each place;
   - two falling sequences are equal if, for each x, as many of their entries are at least x. *)
Require Import ZArith Lia Bool.
From Tcloseness.kernels Require Import Kernel Generated.
Open Scope Z_scope.

(* how many of a 0, ..., a (n - 1) are at least x *)
Definition one_if (b : bool) : Z := if b then 1 else 0.
Definition at_least (a : Z -> Z) n x := sum 0 n (fun i => one_if (x <=? a i)).
Definition falling (a : Z -> Z) n := forall i, 0 <= i -> i + 1 < n -> a (i + 1) <= a i.

Lemma at_least_le a n x : 0 <= n -> at_least a n x <= n.
Proof.
intros Hn; apply (sum_ind (fun n => at_least a n x <= n) 0 n Hn); unfold at_least; [rewrite sum_nil; lia|].
intros i Hi IH; rewrite sum_last by lia; unfold one_if at 2; destruct (_ <=? _); lia.
Qed.

Lemma at_least_all a n x : 0 <= n -> (forall i, 0 <= i < n -> x <= a i) -> at_least a n x = n.
Proof.
intros Hn; apply (sum_ind (fun n => (forall i, 0 <= i < n -> x <= a i) -> at_least a n x = n) 0 n Hn); unfold at_least.
  rewrite sum_nil; lia.
intros i Hi IH H; rewrite sum_last, IH by (try lia; intros; apply H; lia).
specialize (H i ltac:(lia)); unfold one_if; destruct (Z.leb_spec x (a i)); lia.
Qed.

(* one entry is replaced *)
Lemma sum_set (f a : Z -> Z) n i v : 0 <= i < n ->
  sum 0 n (fun j => f (if j =? i then v else a j)) = sum 0 n (fun j => f (a j)) + (f v - f (a i)).
Proof.
intros Hi; rewrite (sum_eq 0 n _ (fun j => f (a j) + (if j =? i then f v - f (a i) else 0))).
  rewrite sum_add, sum_at; cells; lia.
intros j Hj; destruct (Z.eqb_spec j i) as [->|]; lia.
Qed.

(* the parts of a conjunction, which are not split further *)
Ltac parts := match goal with |- _ /\ _ => split; [|parts] | _ => idtac end.

Section Counted.
Variables (fits : Z -> bool) (B : Z) (row greatest : arr).
Let m := len row.
Let L := len greatest.
Hypotheses
  (holds : forall z, Z.abs z <= B -> fits z = true)
  (m0 : 0 <= m) (L0 : 0 <= L) (mB : m <= B)
  (counts : forall v, 0 <= v < m -> 0 <= at1 row v) (small : sum 0 m (at1 row) <= B).

(* what holds after the first v counts *)
Definition found v g others values :=
  len g = L /\ values = at_least (at1 row) v 1 /\
  falling (at1 g) L /\ (forall i, 0 <= i < L -> 0 <= at1 g i) /\
  (forall x, 0 < x -> at_least (at1 g) L x = Z.min L (at_least (at1 row) v x)) /\
  others = sum 0 v (at1 row) - sum 0 L (at1 g) /\ 0 <= others.

Theorem counted_right :
  wp (_counted fits row greatest) (fun '(values, others, g) => found m g others values).
Proof.
unfold _counted; fold m; run.
apply wp_for with (I := fun v '(g, others, values) => found v g others values).
- assert (E : sum 0 L (fun _ => 0) = 0) by apply sum_zero.
  unfold found, falling, at_least; cbn [len at1 fill]; rewrite ?(sum_nil 0 0), ?E by lia.
  repeat split; try lia; auto.
  intros x Hx; rewrite (sum_eq 0 L _ (fun _ => 0)); [rewrite E, (sum_nil 0 0) by lia; lia|].
  intros i Hi; unfold one_if; destruct (Z.leb_spec x 0); lia.
- intros v [[g others] values] Hv F; rewrite Z2Nat.id in Hv by lia.
  destruct F as (Hl & Hvalues & Hfall & Hg0 & Hlevel & Hothers & Hothers0).
  pose proof (counts v Hv) as Hc0.
  assert (Hpart : sum 0 (v + 1) (at1 row) <= B).
    rewrite (sum_cat 0 (v + 1) m) in small by lia.
    pose proof (sum_ge0 (v + 1) m (at1 row) ltac:(intros; apply counts; lia)); lia.
  assert (Hpast : at_least (at1 row) v 1 <= v) by (apply at_least_le; lia).
  assert (Hvalues0 : 0 <= at_least (at1 row) v 1) by (apply sum_ge0; intros; unfold one_if; destruct (_ <=? _); lia).
  assert (Hnext : forall x, at_least (at1 row) (v + 1) x = at_least (at1 row) v x + one_if (x <=? at1 row v))
    by (intros; unfold at_least; rewrite sum_last by lia; reflexivity).
  run; try (apply holds; lia).
  + rewrite Hl; apply wp_for with (I := fun i '(c, h) => len h = L /\ 0 <= c /\
      (forall j, 0 <= j < i -> c <= at1 h j /\ at1 g j <= at1 h j) /\
      (forall j, i <= j < L -> at1 h j = at1 g j) /\
      falling (at1 h) i /\ (forall j, 0 <= j < L -> 0 <= at1 h j) /\
      (forall f, sum 0 L (fun j => f (at1 h j)) + f c = sum 0 L (fun j => f (at1 g j)) + f (at1 row v))).
    * unfold falling; parts; auto; intros; lia.
    * intros i [c h] Hi (Hh & Hc & Hbefore & Hafter & Hf & Hh0 & Hsum); rewrite Z2Nat.id in Hi by lia.
      pose proof (Hafter i ltac:(lia)) as Hat; run.
      -- parts; [exact Hh|apply Hh0; lia|..].
         ++ intros j Hj; destruct (Z.eq_dec j i) as [->|]; [cells; lia|]; pose proof (Hbefore j ltac:(lia)); cells; lia.
         ++ intros; cells; apply Hafter; lia.
         ++ intros j Hj Hj1; cells; [|apply Hf; lia]; pose proof (Hbefore j ltac:(lia)); lia.
         ++ intros; cells; [lia|]; apply Hh0; lia.
         ++ intros f; rewrite (sum_set f (at1 h) L i c) by lia; specialize (Hsum f); lia.
      -- parts; [exact Hh|lia|..|exact Hh0|exact Hsum].
         ++ intros j Hj; destruct (Z.eq_dec j i) as [->|]; [lia|]; apply Hbefore; lia.
         ++ intros; apply Hafter; lia.
         ++ intros j Hj Hj1; destruct (Z.eq_dec (j + 1) i) as [E|]; [|apply Hf; lia].
            subst i; pose proof (Hbefore j ltac:(lia)); pose proof (Hfall j Hj ltac:(lia)); lia.
    * intros [c h] (Hh & Hc & Hbefore & Hafter & Hf & Hh0 & Hsum); rewrite Z2Nat.id in * by lia.
      pose proof (Hsum (fun z => z)) as Hs; cbv beta in Hs.
      assert (Hnew : others + c = sum 0 (v + 1) (at1 row) - sum 0 L (at1 h)).
        rewrite sum_last by lia; change (fun j => at1 h j) with (at1 h) in Hs; change (fun j => at1 g j) with (at1 g) in Hs; lia.
      pose proof (sum_ge0 0 L (at1 h) ltac:(auto)).
      run; try (apply holds; lia).
      unfold found; parts; auto; try lia.
      -- rewrite Hnext; unfold one_if; destruct (Z.leb_spec 1 (at1 row v)); lia.
      -- intros x Hx; specialize (Hlevel x Hx); rewrite Hnext.
         pose proof (Hsum (fun z => one_if (x <=? z))) as Hx1; cbv beta in Hx1.
         fold (at_least (at1 h) L x) in Hx1; fold (at_least (at1 g) L x) in Hx1; rewrite Hlevel in Hx1.
         pose proof (at_least_le (at1 h) L x L0).
         destruct (Z.leb_spec x c).
           rewrite (at_least_all (at1 h) L x L0) in * by (intros j Hj; destruct (Hbefore j Hj); lia).
           unfold one_if in *; destruct (x <=? at1 row v); lia.
         unfold one_if in *; destruct (x <=? at1 row v); lia.
  + assert (E : at1 row v = 0) by lia.
    unfold found; parts; auto.
    * rewrite Hnext, E; unfold one_if; cbn; lia.
    * intros x Hx; rewrite (Hlevel x Hx), Hnext, E; unfold one_if; destruct (Z.leb_spec x 0); lia.
    * rewrite sum_last by lia; lia.
- intros [[g others] values] F; rewrite Z2Nat.id in F by lia; run; exact F.
Qed.
End Counted.

(* a falling sequence has its entries of at least x in front *)
Lemma falling_from a n i j : falling a n -> 0 <= i <= j -> j < n -> a j <= a i.
Proof.
intros F Hij; apply (sum_ind (fun j => j < n -> a j <= a i) i j); [lia|lia|].
intros k Hk IH Hn; specialize (IH ltac:(lia)); specialize (F k ltac:(lia) Hn); lia.
Qed.

Lemma in_front a n x i : falling a n -> 0 <= i < n -> x <= a i <-> i < at_least a n x.
Proof.
intros F Hi; unfold at_least; destruct (Z.le_gt_cases x (a i)) as [H|H].
- split; [intros _|auto]; rewrite (sum_cat 0 (i + 1) n) by lia.
  assert (H1 : sum 0 (i + 1) (fun j => one_if (x <=? a j)) = i + 1).
    apply (at_least_all a (i + 1)); [lia|]; intros j Hj; pose proof (falling_from a n j i F ltac:(lia) ltac:(lia)); lia.
  pose proof (sum_ge0 (i + 1) n (fun j => one_if (x <=? a j))
    ltac:(intros; unfold one_if; destruct (_ <=? _); lia)); lia.
- split; [lia|]; rewrite (sum_cat 0 i n) by lia; pose proof (at_least_le a i x ltac:(lia)) as H1.
  unfold at_least in H1; rewrite (sum_eq i n _ (fun _ => 0)), sum_zero; [lia|].
  intros j Hj; pose proof (falling_from a n i j F ltac:(lia) ltac:(lia)); unfold one_if.
  destruct (Z.leb_spec x (a j)); lia.
Qed.

(* r_1, ..., r_m of the papers: the counts in falling order *)
Definition falling_order (r row : Z -> Z) m :=
  falling r m /\ forall f, sum 0 m (fun i => f (r i)) = sum 0 m (fun i => f (row i)).

Section Decided.
Variables (row greatest : arr) (r : Z -> Z).
Let m := len row.
Let L := len greatest.
Hypotheses (m0 : 0 <= m) (L0 : 0 <= L) (counts : forall v, 0 <= v < m -> 0 <= at1 row v)
  (R : falling_order r (at1 row) m).

Lemma order_ge0 i : 0 <= i < m -> 0 <= r i.
Proof.
intros Hi; destruct R as [F S]; apply (in_front r m 0 i F Hi).
unfold at_least; rewrite (S (fun z => one_if (0 <=? z))).
pose proof (at_least_all (at1 row) m 0 ltac:(lia) counts) as H; unfold at_least in H; lia.
Qed.

(* the kernel's numbers are those of the definition: r_1, ..., r_(l - 1) and r_l + ... + r_m, for l = L + 1 *)
Theorem recursive_right g others values : found row greatest m g others values ->
  (forall i, 0 <= i < L -> i < m -> at1 g i = r i) /\ others = sum L m r.
Proof.
intros (_ & _ & Hfall & Hg0 & Hlevel & Hothers & _).
fold m L in Hfall, Hg0, Hlevel, Hothers; pose proof R as [F S].
assert (Hcount : forall x, at_least (at1 row) m x = at_least r m x)
  by (intros x; symmetry; apply (S (fun z => one_if (x <=? z)))).
assert (Hsame : forall i, 0 <= i < L -> i < m -> at1 g i = r i).
  intros i Hi Him; assert (H : forall x, 0 < x -> x <= at1 g i <-> x <= r i).
    intros x Hx; rewrite (in_front _ L x i Hfall Hi), (in_front r m x i F) by lia.
    rewrite Hlevel, Hcount by lia; lia.
  pose proof (Hg0 i Hi); pose proof (order_ge0 i ltac:(lia)).
  destruct (Z.lt_total (at1 g i) (r i)) as [C|[C|C]]; [|exact C|].
    pose proof (proj2 (H (r i) ltac:(lia))); lia.
  pose proof (proj1 (H (at1 g i) ltac:(lia))); lia.
assert (Hrest : forall i, 0 <= i < L -> m <= i -> at1 g i = 0).
  intros i Hi Him; pose proof (Hg0 i Hi); destruct (Z.eq_dec (at1 g i) 0) as [|N]; [assumption|].
  pose proof (proj1 (in_front _ L (at1 g i) i Hfall Hi) (Z.le_refl _)) as H1.
  rewrite Hlevel in H1 by lia; pose proof (at_least_le (at1 row) m (at1 g i) ltac:(lia)); lia.
split; [exact Hsame|].
pose proof (S (fun z => z)) as Hsum; cbv beta in Hsum.
assert (Hg : sum 0 L (at1 g) = sum 0 (Z.min L m) r).
  rewrite (sum_cat 0 (Z.min L m) L) by lia.
  rewrite (sum_eq (Z.min L m) L _ (fun _ => 0)), sum_zero by (intros; apply Hrest; lia).
  rewrite (sum_eq 0 (Z.min L m) _ r) by (intros; apply Hsame; lia); lia.
change (sum 0 m r = sum 0 m (at1 row)) in Hsum.
rewrite Hothers, Hg, <- Hsum, (sum_cat 0 (Z.min L m) m) by lia.
destruct (Z.le_gt_cases m L) as [C|C]; [rewrite (sum_nil L m), (sum_nil (Z.min L m) m) by lia; lia|].
replace (Z.min L m) with L by lia; lia.
Qed.
End Decided.
