(* What fails: four tables and a ground distance, checked by computation.

   Places in the papers:
     bayes_optimal_not_monotone   l-diversity paper, Theorem 5.1, with the
          observed belief of Theorem 3.1
     nt_close_not_monotone        (n,t)-closeness (Li et al. 2010)
     suppression_limit_not_monotone   t-closeness paper, sections 4 and 6: with
          suppression, the reference distribution and what may go both change
     suppression_not_monotone     the same, for a single class that is left out
     printed_constraints_differ   t-closeness paper, section 4: without the triangle
          inequality the constraints (c1)-(c3) allow less work than couplings

   The idea in three lines:
   - each property is written as a program that answers true or false on rationals;
   - the table is given, and vm_compute runs the program inside Coq;
   - distances are half the sum of |p_i - q_i|: the EMD under the equal distance
     (equal_emd in ClosedForms.v).  Standard library only. *)
From Coq Require Import QArith Qabs List Bool Arith.
From Tcloseness Require Checker.
Import ListNotations.
Local Open Scope Q_scope.

Definition lt_bool (x y : Q) : bool := negb (Qle_bool y x).
Definition total {A} (h : A -> Q) (l : list A) : Q := fold_right (fun a x => h a + x) 0 l.

(* ---- Bayes-optimal privacy ------------------------------------------------ *)
(* A group of people with one quasi-identifier value; sensitive values 0 and 1. *)
Record group := { weight : Q;              (* f(q): share of the population *)
                  prior0 : Q;              (* f(s = 0 | q) *)
                  count0 : Q; count1 : Q   (* counts in the released block *) }.
Definition prior1 g := 1 - prior0 g.

(* observed belief in s = 0 about g in the block B (Theorem 3.1) *)
Definition belief0 (B : list group) (g : group) : Q :=
  let f0 := total (fun x => weight x * prior0 x) B / total weight B in
  let a := total count0 B * (prior0 g / f0) in
  let b := total count1 B * (prior1 g / (1 - f0)) in a / (a + b).

(* (rho1, rho2)-breach for one sensitive value: belief p before, r after *)
Definition breach rho1 rho2 p r :=
  (lt_bool p rho1 && lt_bool rho2 r) || (lt_bool (1 - rho1) p && lt_bool r (1 - rho2)).
Definition safe rho1 rho2 (B : list group) : bool :=
  forallb (fun g => negb (breach rho1 rho2 (prior0 g) (belief0 B g)) &&
                    negb (breach rho1 rho2 (prior1 g) (1 - belief0 B g))) B.

Definition ga := {| weight := 1#2; prior0 := 1#4; count0 := 2; count1 := 1 |}.
Definition gb := {| weight := 1#2; prior0 := 1#16; count0 := 2; count1 := 1 |}.

(* each block is safe (belief 2/3); in the union the belief is 18/23 > 3/4 *)
Theorem bayes_optimal_not_monotone :
  safe (3#8) (3#4) [ga] = true /\ safe (3#8) (3#4) [gb] = true /\
  Qred (belief0 [ga] ga) = 2#3 /\ Qred (belief0 [gb] gb) = 2#3 /\
  safe (3#8) (3#4) [ga; gb] = false /\ Qred (belief0 [ga; gb] ga) = 18#23.
Proof. vm_compute. repeat split. Qed.

(* ---- closeness -------------------------------------------------------------- *)
(* A class is the list of the counts of its sensitive values; all as long. *)
Definition class := list nat.
Definition size (c : class) : nat := fold_right Nat.add 0%nat c.
Fixpoint union (c e : class) : class :=
  match c, e with x :: c, y :: e => (x + y)%nat :: union c e | _, [] => c | [], _ => e end.
Definition unite (t : list class) : class := fold_right union [] t.
Definition quotient (a b : nat) : Q := inject_Z (Z.of_nat a) / inject_Z (Z.of_nat b).
Definition shares (c : class) : list Q := map (fun x => quotient x (size c)) c.
Definition distance (p q : list Q) : Q :=
  (1#2) * total (fun ab => Qabs (fst ab - snd ab)) (combine p q).

Definition t_close (t : Q) (table : list class) : bool :=
  forallb (fun c => Qle_bool (distance (shares c) (shares (unite table))) t) table.

(* the best release that leaves out classes with at most limit records in all *)
Fixpoint parts {A} (l : list A) : list (list A) :=
  match l with [] => [[]] | x :: l => parts l ++ map (cons x) (parts l) end.
Definition t_close_with_suppression (t : Q) (limit : nat) (table : list class) : bool :=
  existsb (fun kept =>
    (size (unite table) - size (unite kept) <=? limit)%nat && t_close t kept) (parts table).

(* (1,1) (1,1) (1,0): without the last record the table is 0-close.  Merging it
   into the first class gives (2,1) (1,1): no class has one record. *)
Theorem suppression_limit_not_monotone :
  let fine := [[1; 1]; [1; 1]; [1; 0]]%nat in
  let coarse := [union [1; 1] [1; 0]; [1; 1]]%nat in
  t_close_with_suppression 0 1 fine = true /\
  t_close_with_suppression 0 1 coarse = false.
Proof. vm_compute. repeat split. Qed.

(* leaving a class out changes the reference: (3,1) is at 1/4 of (1/2,1/2), and
   at 1/3 of (5/12,7/12) once the other class (3,1) is gone *)
Theorem suppression_not_monotone :
  t_close (1#4) [[3; 1]; [1; 3]; [1; 3]; [3; 1]]%nat = true /\
  t_close (1#4) [[3; 1]; [1; 3]; [1; 3]]%nat = false.
Proof. vm_compute. repeat split. Qed.

(* Each class lies in some natural superset with n records from which it is at
   most t; the class itself and the whole table count as supersets. *)
Definition subset (c e : list nat) : bool :=
  forallb (fun k => existsb (Nat.eqb k) e) c.
Definition nt_close (n : nat) (t : Q) (table : list class)
    (supersets classes : list (list nat)) : bool :=
  let counts ks := unite (map (fun k => nth k table []) ks) in
  forallb (fun c => existsb (fun f =>
      subset c f && (n <=? size (counts f))%nat &&
      Qle_bool (distance (shares (counts c)) (shares (counts f))) t)
    (c :: seq 0 (length table) :: supersets)) classes.

(* parts 0 and 1 are alike, and so are 2 and 3; the union of 0 and 2 is like
   neither pair and like no larger superset that contains it *)
Theorem nt_close_not_monotone :
  let table := [[4; 0]; [8; 0]; [1; 1]; [5; 5]]%nat in
  let supersets := [[0; 1]; [2; 3]]%nat in
  nt_close 10 0 table supersets [[0]; [1]; [2]; [3]]%nat = true /\
  nt_close 10 0 table supersets [[0; 2]; [1]; [3]]%nat = false.
Proof. vm_compute. repeat split. Qed.

(* ---- the constraints as printed ------------------------------------------------ *)
(* (c1), (c2), (c3) for whole numbers *)
Definition printed_flow (p q : list Z) (f : list (list Z)) : bool :=
  let out := map Checker.sum f in
  let inward := Checker.cols (length q) f in
  (forallb (forallb (Z.leb 0)) f &&
   Checker.vec_eqb (Checker.add (Checker.add p (map Z.opp out)) inward) q &&
   Z.eqb (Checker.sum out) (Checker.sum p))%Z.

(* p = (1,0,3)/4, q = (0,0,1): a quarter goes from the first value to the third.
   On the way through the second it costs 1 + 1; couplings pay 4. *)
Theorem printed_constraints_differ :
  let p := [1; 0; 3]%Z in let q := [0; 0; 4]%Z in
  let d := [[0; 1; 4]; [1; 0; 1]; [4; 1; 0]]%Z in
  let coupled := [[0; 0; 1]; [0; 0; 0]; [0; 0; 3]]%Z in
  let through := [[0; 1; 0]; [0; 0; 1]; [0; 0; 2]]%Z in
  Checker.check_value p q d coupled [4; 1; 0]%Z [-4; -3; 0]%Z 4 = true /\
  printed_flow p q through = true /\ Checker.cost through d = 2%Z.
Proof. vm_compute. repeat split. Qed.
