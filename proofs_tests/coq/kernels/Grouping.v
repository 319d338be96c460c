(* How the searches number the groups of classes with one slot: joined exactly if their slots are equal, sizes added up,
   and the table of places left as it was.

   Place in the code: lattice/compiled.py, _group; a slot stands for a key, so for the labels at a node
     group_right    the number of groups, the group of each class, and of each group a class inside it and its size

   The idea in three lines:
   - a place that is not blank holds the number of its slot's group;
   - different slots hold different numbers, and each number below n has a class;
   - what was written is blanked again, for every class. *)
Require Import ZArith Lia Bool.
From Tcloseness.kernels Require Import Kernel Generated.
Open Scope Z_scope.

Section Group.
Variables (fits : Z -> bool) (B : Z) (slot_of place inside_ sizes class_of new_inside new_sizes : arr) (k : Z -> Z).
Let G := len slot_of.
(* the records of the first c classes that have slot x *)
Let size c x := sum 0 c (fun c => if k c =? x then at1 sizes c else 0).
Hypotheses
  (Hkeys : forall c, 0 <= c < G -> at1 slot_of c = k c)
  (holds : forall z, Z.abs z <= B -> fits z = true) (G0 : 0 <= G <= B) (B1 : 1 <= B)
  (linside_ : len inside_ = G) (lsizes : len sizes = G) (lclass : len class_of = G) (linside : len new_inside = G)
  (lnew : len new_sizes = G)
  (room : forall c, 0 <= c < G -> 0 <= k c < len place)
  (blank : forall x, 0 <= x < len place -> at1 place x = -1)
  (small : forall c x, 0 <= c <= G -> Z.abs (size c x) <= B).

Theorem group_right :
  wp (_group fits slot_of place inside_ sizes class_of new_inside new_sizes)
  (fun '(n, class, first, total, blank) => 0 <= n <= G /\
    (forall c, 0 <= c < G -> 0 <= at1 class c < n /\ at1 total (at1 class c) = size G (k c)) /\
    (forall c d, 0 <= c < G -> 0 <= d < G -> (at1 class c = at1 class d <-> k c = k d)) /\
    (forall g, 0 <= g < n -> exists c, 0 <= c < G /\ at1 class c = g /\ at1 first g = at1 inside_ c) /\
    len blank = len place /\ forall x, 0 <= x < len place -> at1 blank x = -1).
Proof.
unfold _group; fold G; run.
apply wp_for with (I := fun c '(class, n, first, total, p) => 0 <= n <= c /\
  len class = G /\ len first = G /\ len total = G /\ len p = len place /\
  (forall x, 0 <= x < len place -> -1 <= at1 p x < n) /\
  (forall x y, 0 <= x < len place -> 0 <= y < len place -> 0 <= at1 p x -> at1 p x = at1 p y -> x = y) /\
  (forall d, 0 <= d < c -> at1 class d = at1 p (k d) /\ 0 <= at1 p (k d)) /\
  (forall x, 0 <= x < len place -> 0 <= at1 p x -> at1 total (at1 p x) = size c x) /\
  (forall x, 0 <= x < len place -> at1 p x < 0 -> size c x = 0) /\
  (forall g, 0 <= g < n -> exists d, 0 <= d < c /\ at1 class d = g /\ at1 first g = at1 inside_ d)).
{ repeat split; auto; try lia; intros; try (rewrite blank in * by lia; lia). }
{ intros c [[[[class n] first] total] p] Hc (Hn & L1 & L2 & L3 & L4 & Hp & Hinj & Hclass & Htotal & Hzero & Hfirst).
  rewrite Z2Nat.id in Hc by lia; pose proof (room c Hc) as Hroom; pose proof (Hkeys c Hc) as Hkey.
  assert (Hsize : forall x, size (c + 1) x = size c x + if k c =? x then at1 sizes c else 0).
    intros x; unfold size; rewrite sum_last by lia; reflexivity.
  pose proof (small (c + 1) (k c) ltac:(lia)) as Hsmall; rewrite Hsize, Z.eqb_refl in Hsmall.
  pose proof (Hp (k c) Hroom) as Hpk; rewrite <- Hkey in *; cbv beta iota; run; try lia.
  - apply holds; lia.
  - rewrite Z.eqb_refl; pose proof (Hzero _ Hroom H); apply holds; lia.
  - (* a new group *)
    pose proof (Hzero _ Hroom H) as H0; split; [lia|]; do 4 (split; [assumption|]); repeat split.
    + destruct (Z.eqb_spec x (at1 slot_of c)); [lia|]; apply Hp; assumption.
    + destruct (Z.eqb_spec x (at1 slot_of c)); [lia|]; pose proof (Hp x H1); lia.
    + intros x y Hx Hy; pose proof (Hp x Hx); pose proof (Hp y Hy); pose proof (Hinj x y Hx Hy).
      destruct (Z.eqb_spec x (at1 slot_of c)), (Z.eqb_spec y (at1 slot_of c)); intros; subst; lia || auto.
    + destruct (Z.eq_dec d c) as [->|]; [rewrite Hkey, !Z.eqb_refl; reflexivity|].
      destruct (Hclass d ltac:(lia)) as [E1 E2]; destruct (Z.eqb_spec d c); [lia|].
      destruct (Z.eqb_spec (k d) (at1 slot_of c)) as [E|]; [rewrite E in E2; lia|exact E1].
    + destruct (Z.eq_dec d c) as [->|]; [rewrite Hkey, !Z.eqb_refl; lia|].
      destruct (Hclass d ltac:(lia)) as [E1 E2].
      destruct (Z.eqb_spec (k d) (at1 slot_of c)) as [E|]; [rewrite E in E2; lia|exact E2].
    + intros x Hx; rewrite Hsize, (Z.eqb_sym _ x); pose proof (Hp x Hx); pose proof (Htotal x Hx).
      destruct (Z.eqb_spec x (at1 slot_of c)) as [->|]; intros; [rewrite !Z.eqb_refl; lia|].
      destruct (Z.eqb_spec (at1 p x) n); lia.
    + intros x Hx; rewrite Hsize, (Z.eqb_sym _ x); pose proof (Hzero x Hx).
      destruct (Z.eqb_spec x (at1 slot_of c)); intros; lia.
    + intros g Hg; destruct (Z.eq_dec g n) as [->|].
        exists c; rewrite !Z.eqb_refl; repeat split; lia || reflexivity.
      destruct (Hfirst g ltac:(lia)) as (d & Hd & E1 & E2); exists d; cells; repeat split; assumption || lia.
  - rewrite (Htotal _ Hroom) by lia; apply holds; lia.
  - (* an old group *)
    split; [lia|]; do 4 (split; [assumption|]); split; [assumption|]; split; [assumption|]; repeat split.
    + destruct (Z.eqb_spec d c) as [->|]; [rewrite Hkey; reflexivity|]; apply Hclass; lia.
    + destruct (Z.eq_dec d c) as [->|]; [rewrite <- Hkey; lia|]; apply Hclass; lia.
    + intros x Hx Hpx; rewrite Hsize; pose proof (Hinj x _ Hx Hroom Hpx).
      destruct (Z.eqb_spec (at1 p x) (at1 p (at1 slot_of c))), (Z.eqb_spec (at1 slot_of c) x); subst; try lia.
      * rewrite (Htotal _ Hroom); lia.
      * rewrite (Htotal _ Hx); lia.
    + intros x Hx Hpx; rewrite Hsize, (Hzero x Hx Hpx).
      destruct (Z.eqb_spec (at1 slot_of c) x); subst; lia.
    + intros g Hg; destruct (Hfirst g Hg) as (d & Hd & E1 & E2); exists d; cells; repeat split; assumption || lia. }
(* the table of places is cleaned *)
intros [[[[class n] first] total] p] (Hn & L1 & L2 & L3 & L4 & Hp & Hinj & Hclass & Htotal & Hzero & Hfirst).
rewrite Z2Nat.id in * by lia; run.
apply wp_for with (I := fun c q => len q = len place /\ forall x, 0 <= x < len place ->
  at1 q x = -1 \/ (at1 q x = at1 p x /\ forall d, 0 <= d < c -> k d <> x)).
{ split; [exact L4|]; intros; right; split; [reflexivity|lia]. }
{ intros c q Hc [Lq Hq]; rewrite Z2Nat.id in Hc by lia; pose proof (Hkeys c Hc) as Hkey.
  pose proof (room c Hc) as Hroom; rewrite <- Hkey in Hroom; run; try (apply holds; lia); split; [exact Lq|].
  intros x Hx; destruct (Z.eqb_spec x (at1 slot_of c)); [left; reflexivity|].
  destruct (Hq x Hx) as [E|[E1 E2]]; [left; exact E|right; split; [exact E1|]].
  intros d Hd; destruct (Z.eq_dec d c) as [->|]; [lia|apply E2; lia]. }
intros q [Lq Hq]; rewrite Z2Nat.id in Hq by lia; run.
split; [lia|]; split; [|split; [|split; [|split; [exact Lq|]]]].
- intros c Hc; destruct (Hclass c Hc) as [E1 E2]; pose proof (Hp (k c) (room c Hc)); split; [lia|].
  rewrite E1; apply Htotal; [apply room, Hc|exact E2].
- intros c d Hc Hd; destruct (Hclass c Hc) as [E1 E2], (Hclass d Hd) as [E3 E4]; rewrite E1, E3; split.
    apply Hinj; auto; apply room; assumption.
  intros ->; reflexivity.
- exact Hfirst.
- intros x Hx; destruct (Hq x Hx) as [E|[E1 E2]]; [exact E|].
  pose proof (Hp x Hx); destruct (Z.eq_dec (at1 p x) (-1)) as [E|]; [lia|].
  (* a place that is taken belongs to a class *)
  exfalso; destruct (Hfirst (at1 p x) ltac:(lia)) as (d & Hd & E3 & _); destruct (Hclass d ltac:(lia)) as [E4 E5].
  apply (E2 d Hd), Hinj; auto; congruence.
Qed.
End Group.
