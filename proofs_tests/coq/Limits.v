(* A limit of suppressed records under the rule of the package: not monotone either.

   Places in the papers: t-closeness paper, sections 4 and 6; LeFevre et al. 2005, section 2
     classes_limit_not_monotone   four records, Q of all records, t = 0

   The idea in three lines:
   - a class violates by its distance from Q of all records, which never changes;
   - violating classes go as a whole; at most the limit, and not everything;
   - a violating class can spoil the satisfying one that it is merged with. *)
From Coq Require Import QArith Qabs List Bool Arith.
From Tcloseness Require Import Counterexamples.
Import ListNotations.
Local Open Scope Q_scope.

Section Rule.
Variables (close : list Q -> list Q -> bool) (limit : nat).
Definition far (table : list class) : list class :=
  filter (fun c => negb (close (shares c) (shares (unite table)))) table.
Definition satisfied (table : list class) : bool :=
  let gone := size (unite (far table)) in
  ((gone <=? limit) && negb (gone =? size (unite table)))%nat.
End Rule.

Definition equal_close t p q : bool := Qle_bool (distance p q) t.

(* (1,1) (1,0) (0,1), Q = (1/2,1/2): without the last two records the rest is 0-close.
   Merged: (2,1) (0,1), both violate, and four records are too many. *)
Theorem classes_limit_not_monotone :
  let fine := [[1; 1]; [1; 0]; [0; 1]]%nat in
  let coarse := [union [1; 1] [1; 0]; [0; 1]]%nat in
  satisfied (equal_close 0) 2 fine = true /\ satisfied (equal_close 0) 2 coarse = false /\
  satisfied (equal_close 0) 2 [unite coarse] = true.
Proof. vm_compute. repeat split. Qed.
