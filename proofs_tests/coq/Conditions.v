(* What certificates ask of each class, executable on counts, and that a union of
   classes keeps it.  It is meant for extraction.

   x are the counts of a class, q those of the whole table; fractions are a / b.

   Places in the papers: l-diversity paper, sections 4.2 and 5; t-closeness paper,
   section 4 (monotonicity); (alpha,k)-anonymity, beta-likeness
     satisfies_joins       every condition is kept by unions
     all_joins             and so are several together
     tailE                 the tail is what is left without the l - 1 largest counts
     powerE, own_powersE   powers by squaring

   The idea in three lines:
   - least sizes, shares, gains and distances are sums of what both classes bound;
   - the largest counts of a union hold no more than those of its parts (Counts.v);
   - entropy by powers is Gibbs.v. *)
From Coq Require Import ZArith List Bool Lia Arith.
From Tcloseness Require Import Counts Gibbs.
Import ListNotations.
Local Open Scope Z_scope.

Definition cut := (Z * list nat)%type.        (* a weight, and the values of a set *)

Inductive condition :=
| Records (k : Z)                             (* k records *)
| Values (l : Z)                              (* l values that occur *)
| Entropy (a b : Z)                           (* entropy >= ln (a / b) *)
| Tail (l : nat) (a b : Z)                    (* r_1 < a / b * (r_l + ... + r_m), if l > 1 *)
| Share (values : list nat) (a b : Z)         (* x_v <= a / b * n, for these values *)
| Gain (a b : Z)                              (* x_v / n <= a / b * q_v / N, for all values *)
| Distance (a b d : Z) (cuts : list cut).     (* sum w |x(S) / n - q(S) / N| <= d * a / b *)

Fixpoint occurring (x : counts) : Z :=
  match x with [] => 0 | c :: x => (if 0 <? c then 1 else 0) + occurring x end.

(* by squaring *)
Fixpoint power_pos (z : Z) (e : positive) : Z :=
  match e with
  | xH => z
  | xO e => let y := power_pos z e in y * y
  | xI e => let y := power_pos z e in z * (y * y) end.
Definition power (z e : Z) : Z :=
  match e with Z0 => 1 | Zpos e => power_pos z e | Zneg _ => 0 end.
Fixpoint own_powers (x : counts) : Z :=
  match x with [] => 1 | c :: x => power c c * own_powers x end.

Definition tail (l : nat) (x : counts) : Z := size x - nth (pred l) (bests (pred l) x) 0.
Definition gained (a b n big : Z) (q x : counts) : bool :=
  nonneg (plus (map (Z.mul (a * n)) q) (map (Z.mul (- (b * big))) x)).
Fixpoint work (cuts : list cut) (q x : counts) : Z :=
  match cuts with
  | [] => 0
  | (w, s) :: cuts => w * Z.abs (size q * held x s - size x * held q s) + work cuts q x end.

Definition satisfies (q : counts) (c : condition) (x : counts) : bool :=
  match c with
  | Records k => k <=? size x
  | Values l => l <=? occurring x
  | Entropy a b => let n := size x in own_powers x * power a n <=? power n n * power b n
  | Tail l a b =>
      if Nat.leb l 1 then true else
      if Nat.leb l (length x) then nth 1 (bests 1 x) 0 * b <? a * tail l x else false
  | Share values a b => let n := size x in forallb (fun v => b * nth v x 0 <=? a * n) values
  | Gain a b => gained a b (size x) (size q) q x
  | Distance a b d cuts => b * work cuts q x <=? a * d * size q * size x
  end.
Definition condition_ok (c : condition) : bool :=
  match c with
  | Entropy a b | Tail _ a b => (0 <=? a) && (0 <=? b)
  | Distance a b d cuts => (0 <=? b) && forallb (fun c => 0 <=? fst c) cuts
  | _ => true end.
(* sets of different places below m, two of them nested or disjoint *)
Fixpoint different (m : nat) (s : list nat) : bool :=
  match s with
  | [] => true | v :: s => Nat.ltb v m && negb (existsb (Nat.eqb v) s) && different m s end.
Definition inside (s u : list nat) : bool := forallb (fun v => existsb (Nat.eqb v) u) s.
Definition laminar (s u : list nat) : bool :=
  inside s u || inside u s || forallb (fun v => negb (existsb (Nat.eqb v) u)) s.
Definition formed (m : nat) (c : condition) : bool :=
  match c with
  | Distance a b d cuts =>
      (0 <? b) && (0 <? d) && forallb (fun c => (0 <=? fst c) && different m (snd c)) cuts
      && forallb (fun c => forallb (fun e => laminar (snd c) (snd e)) cuts) cuts
  | _ => true end.
Definition satisfies_all (q : counts) (cs : list condition) (x : counts) : bool :=
  forallb (fun c => satisfies q c x) cs.

(* ---- each of them ------------------------------------------------------------- *)
Lemma occurring_nonneg x : 0 <= occurring x.
Proof. induction x as [|c x IH]; simpl; [lia|]. destruct (0 <? c); lia. Qed.

Lemma occurring_plus x : forall y, nonneg x = true -> nonneg y = true ->
  occurring x <= occurring (plus x y).
Proof.
induction x as [|a x IH]; intros [|b y]; cbn [plus occurring nonneg forallb]; try lia.
- intros _ _. assert (H := occurring_nonneg y). destruct (0 <? b); lia.
- rewrite !andb_true_iff, !Z.leb_le. intros [A X] [B Y]. assert (H := IH y X Y).
  destruct (Z.ltb_spec 0 a), (Z.ltb_spec 0 (a + b)); lia.
Qed.

Lemma power_posE z e : power_pos z e = z ^ Z.pos e.
Proof.
induction e as [e IH|e IH|]; simpl power_pos; rewrite ?IH; [| |now rewrite Z.pow_1_r].
- rewrite Pos2Z.inj_xI, Z.pow_add_r, Z.pow_1_r, Z.mul_comm, Z.pow_mul_r, Z.pow_2_r by lia.
  rewrite <- Z.pow_mul_l. ring.
- rewrite Pos2Z.inj_xO, Z.pow_mul_r, Z.pow_2_r, Z.pow_mul_l by lia. ring.
Qed.

Theorem powerE z e : power z e = z ^ e.
Proof. destruct e; simpl power; trivial. apply power_posE. Qed.

Theorem own_powersE x : own_powers x = powers x x.
Proof. induction x as [|c x IH]; simpl; trivial. now rewrite powerE, IH. Qed.

Theorem tailE l x : tail (S l) x = size x - best l x.
Proof. unfold tail. now rewrite best_last. Qed.

Lemma map_plus z x : forall y, map (Z.mul z) (plus x y) = plus (map (Z.mul z) x) (map (Z.mul z) y).
Proof.
induction x as [|a x IH]; intros [|b y]; cbn [plus map]; trivial. rewrite IH. f_equal. ring.
Qed.

Lemma map_add z w x : map (Z.mul (z + w)) x = plus (map (Z.mul z) x) (map (Z.mul w) x).
Proof. induction x as [|a x IH]; cbn [plus map]; trivial. rewrite IH. f_equal. ring. Qed.

Lemma gained_plus a b n m big q x y : gained a b n big q x = true -> gained a b m big q y = true ->
  gained a b (n + m) big q (plus x y) = true.
Proof.
unfold gained. intros X Y. rewrite Z.mul_add_distr_l, map_add, map_plus.
set (u := map (Z.mul (a * n)) q) in *. set (v := map (Z.mul (a * m)) q) in *.
set (e := map _ x) in *. set (f := map _ y) in *.
replace (plus (plus u v) (plus e f)) with (plus (plus u e) (plus v f)); [now apply plus_nonneg|].
rewrite <- !plus_assoc. f_equal. rewrite !plus_assoc. f_equal. apply plus_comm.
Qed.

Lemma work_plus cuts q x y : (forall c, In c cuts -> 0 <= fst c) ->
  work cuts q (plus x y) <= work cuts q x + work cuts q y.
Proof.
induction cuts as [|[w s] cuts IH]; intros H; simpl; [lia|].
assert (w0 : 0 <= w) by (apply (H (w, s)); simpl; auto).
assert (IHc := IH (fun c Hc => H c (or_intror Hc))). rewrite size_plus, held_plus.
set (A := size q * held x s - size x * held q s).
set (B := size q * held y s - size y * held q s).
replace (size q * (held x s + held y s) - (size x + size y) * held q s) with (A + B)
  by (unfold A, B; ring).
assert (T := Z.abs_triangle A B). nia.
Qed.

Theorem satisfies_joins q c x y : condition_ok c = true -> nonneg x = true -> nonneg y = true ->
  satisfies q c x = true -> satisfies q c y = true -> satisfies q c (plus x y) = true.
Proof.
intros W X Y. assert (N := size_nonneg x X). assert (M := size_nonneg y Y).
destruct c as [k|l|a b|l a b|values a b|a b|a b d cuts]; unfold satisfies, condition_ok in *;
  rewrite ?andb_true_iff, ?Z.leb_le in W.
- rewrite !Z.leb_le, size_plus. lia.
- rewrite !Z.leb_le. assert (H := occurring_plus x y X Y). lia.
- rewrite !Z.leb_le, !own_powersE, !powerE. destruct W as [A B].
  exact (entropy_joins a b x y A B X Y).
- destruct (Nat.leb_spec l 1) as [|L1]; trivial. destruct l as [|[|l]]; try lia. destruct W as [A B].
  destruct (Nat.leb_spec (S (S l)) (length x)) as [L|]; [|easy].
  destruct (Nat.leb_spec (S (S l)) (length y)) as [_|]; [|easy].
  assert (P := plus_length x y). destruct (Nat.leb_spec (S (S l)) (length (plus x y))); [|lia].
  rewrite !Z.ltb_lt, !tailE, !best_last, size_plus. intros HX HY.
  assert (R := best_plus x y 1 X Y). assert (T := best_plus x y (S l) X Y). nia.
- rewrite !forallb_forall. intros HX HY v Hv. specialize (HX v Hv). specialize (HY v Hv).
  rewrite Z.leb_le in *. rewrite nth_plus, size_plus. lia.
- rewrite size_plus. apply gained_plus.
- rewrite !Z.leb_le, size_plus. intros CX CY. destruct W as [B H]. rewrite forallb_forall in H.
  assert (V := work_plus cuts q x y (fun c Hc => proj1 (Z.leb_le _ _) (H c Hc))).
  apply Z.mul_le_mono_nonneg_l with (p := b) in V; trivial. nia.
Qed.

Theorem all_joins q cs x y : forallb condition_ok cs = true -> nonneg x = true -> nonneg y = true ->
  satisfies_all q cs x = true -> satisfies_all q cs y = true -> satisfies_all q cs (plus x y) = true.
Proof.
unfold satisfies_all. rewrite !forallb_forall. intros W X Y HX HY c Hc.
apply satisfies_joins; auto.
Qed.
