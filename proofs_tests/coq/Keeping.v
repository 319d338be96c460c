(* What can be kept of one class: an executable checker that nothing larger satisfies,
   proved sound.  It is meant for extraction.

   Of a class with counts n some x <= n is kept.  A certificate says that no x of more
   than `bound` records satisfies the model: every greater size is excluded, by bounds on
   shares, by the most even counts of that size, or by prices of the sets of a distance.

   Places in the papers: t-closeness paper, section 4 (records may be suppressed);
   l-diversity paper, Definition 4.2 (recursive diversity)
     descend_sound           a size is left only if nothing of it satisfies
     most_sound              if it accepts, whatever satisfies has `bound` records or fewer

   The idea in three lines:
   - prices of sets bound a distance from below, one value and one set at a time;
   - the most even counts of a size are the best for tails and numbers of values;
   - what a share allows shrinks with the size.  Standard library only. *)
From Coq Require Import ZArith List Bool Lia Arith.
From Tcloseness Require Import Counts Conditions EvenCounts.
Import ListNotations.
Local Open Scope Z_scope.

Fixpoint dot (a x : list Z) : Z :=
  match a, x with b :: a, y :: x => b * y + dot a x | _, _ => 0 end.
(* the values of a set each get p more *)
Fixpoint raised (p : Z) (s : list nat) (u : list Z) : list Z :=
  match s with [] => u | v :: s => change (Z.add p) v (raised p s u) end.

(* ---- prices of a distance ------------------------------------------------------------ *)
Fixpoint priced (cuts : list cut) (beta u : list Z) : list Z :=
  match cuts, beta with (_, s) :: cuts, p :: beta => raised p s (priced cuts beta u) | _, _ => u end.
Fixpoint small (n : Z) (cuts : list cut) (beta : list Z) : bool :=
  match cuts, beta with
  | [], [] => true
  | (w, _) :: cuts, p :: beta => (Z.abs p <=? n * w) && small n cuts beta
  | _, _ => false end.
Definition values_of (q : counts) (cuts : list cut) : bool :=
  forallb (fun c => (0 <=? fst c) && forallb (fun v => Nat.ltb v (length q)) (snd c)) cuts.
(* the least price of s records, of which there are r_v of price u_v, by one threshold *)
Definition by_threshold (u r : list Z) (s lambda : Z) : Z :=
  lambda * s + fold_right (fun e z => Z.min 0 (fst e - lambda) * snd e + z) 0 (combine u r).
Definition cheapest (u r : list Z) (s : Z) : Z :=
  match u with
  | [] => 0
  | p :: _ => fold_right (fun lambda z => Z.max (by_threshold u r s lambda) z) (by_threshold u r s p) u end.
Definition kink (w n c p z : Z) : Z := w * Z.abs (n * z - c) - p * z.
Definition clip (l r z : Z) : Z := Z.max l (Z.min r z).
Definition kink_least (w n c p l r : Z) : Z :=
  Z.min (Z.min (kink w n c p l) (kink w n c p r))
        (Z.min (kink w n c p (clip l r (c / n))) (kink w n c p (clip l r (c / n + 1)))).
Fixpoint kinks (s : Z) (cuts : list cut) (beta q low high : list Z) : Z :=
  match cuts, beta with
  | (w, vs) :: cuts, p :: beta =>
      kink_least w (size q) (s * held q vs) p (held low vs) (held high vs) + kinks s cuts beta q low high
  | _, _ => 0 end.
Fixpoint minus (x y : counts) : counts :=
  match x, y with a :: x, b :: y => a - b :: minus x y | _, _ => [] end.

Section Most.
Variables (q : counts) (cs : list condition).
Definition zeros : list Z := map (fun _ => 0) q.

(* no x of s records between low and high is as close, by these prices *)
Definition far (c : condition) (beta : list Z) (s : Z) (low high : counts) : bool :=
  match c with
  | Distance a b d cuts =>
      let u := priced cuts beta zeros in
      (0 <? size q) && (0 <=? b) && values_of q cuts && Nat.eqb (length cuts) (length beta)
      && (a * d * size q * s
          <? b * (kinks s cuts beta q low high + dot u low + cheapest u (minus high low) (s - size low)))
  | _ => false end.
Definition is_distance (c : condition) : bool := match c with Distance _ _ _ _ => true | _ => false end.
Definition distances : list condition := filter is_distance cs.
Definition free (c : condition) : list Z :=
  match c with Distance _ _ _ cuts => map (fun _ => 0) cuts | _ => [] end.

(* ---- shares, in parts 1/unit of a record ----------------------------------------------- *)
Definition share (c : condition) (v : nat) : option (Z * Z) :=
  match c with
  | Share vs a b =>
      if existsb (Nat.eqb v) vs && (a <? b) && (0 <=? a) && (0 <? b) then Some (a, b) else None
  | Gain a b =>
      let (x, y) := (a * nth v q 0, b * size q) in
      if (x <? y) && (0 <=? x) && (0 <? y) then Some (x, y) else None
  | _ => None end.
Definition cap (round : Z -> Z -> Z) (s : Z) (v : nat) (most : Z) : Z :=
  fold_right (fun c z => match share c v with Some (a, b) => Z.min (round (a * s) b) z | None => z end) most cs.
Definition box (round : Z -> Z -> Z) (unit s : Z) (n : counts) : counts :=
  map (fun e => cap round (s * unit) (fst e) (unit * snd e)) (combine (seq 0 (length n)) n).
Definition down (x y : Z) : Z := x / y.
Definition up (x y : Z) : Z := - (- x / y).
Definition unit : Z :=
  fold_right (fun c z => match c with Share _ _ b => b * z | Gain _ b => b * size q * z | _ => z end) 1 cs.

(* no real x of `first` records within the bounds is close, so nothing larger is *)
Definition far_from (c : condition) (beta : list Z) (first : Z) (n : counts) : bool :=
  match c with
  | Distance a b d cuts =>
      let u := priced cuts beta zeros in
      let mean := dot u q in
      let slopes := map (fun y => b * (size q * y - mean) - a * d * size q * size q) u in
      let most := box up unit first n in
      (0 <? size q) && (0 <=? b) && (0 <? unit) && (1 <=? first) && values_of q cuts && small (size q) cuts beta
      && Nat.eqb (length n) (length q)
      && ((size most <? first * unit) || (0 <? cheapest slopes most (first * unit)))
  | _ => false end.

(* ---- tails and numbers of values -------------------------------------------------------- *)
Definition least_records : Z := fold_right (fun c z => match c with Records k => Z.max k z | _ => z end) 1 cs.
Definition least_values : Z := fold_right (fun c z => match c with Values l => Z.max l z | _ => z end) 0 cs.
Definition is_tail (c : condition) : bool := match c with Tail l _ _ => Nat.ltb 1 l | _ => false end.
Definition tail_ok (first : Z) (y : counts) (c : condition) : bool :=
  match c with
  | Tail l a b =>
      if Nat.leb l 1 then true else
      if Nat.leb l (length y) then first * b <? a * tail l y else false
  | _ => true end.
Definition holds (first : Z) (y : counts) : bool := forallb (tail_ok first y) cs.
Definition level (z : Z) (y : counts) : counts := map (Z.min z) y.

Fixpoint bisect (fuel : nat) (ok : Z -> bool) (low high : Z) : Z :=
  match fuel with
  | O => high
  | S fuel =>
      if high - low <=? 1 then high else
      let middle := (low + high) / 2 in
      if ok middle then bisect fuel ok middle high else bisect fuel ok low middle end.
Definition steps (z : Z) : nat := S (Z.to_nat (Z.log2_up (z + 2))).

Definition room (most : counts) : Z :=
  if occurring most <? least_values then 0 else
  if existsb is_tail cs then
    let top := best 1 most in
    let high := bisect (steps top) (fun z => holds z (level z most)) 0 (top + 1) in
    size (level (high - 1) most)
  else size most.

(* the most even counts of a size *)
Definition even (s : Z) (low high : counts) : counts :=
  let top := best 1 high in
  let z := bisect (steps top) (fun z => size (clamped z low high) <=? s) 0 (top + 1) - 1 in
  spread z (s - size (clamped z low high)) low high.
Definition uneven (s : Z) (low high : counts) : bool :=
  (existsb is_tail cs || (0 <? least_values)) &&
  let y := even s low high in
  (size y =? s) && ((occurring y <? least_values) || negb (holds (best 1 y) y)).

(* ---- sizes -------------------------------------------------------------------------------- *)
Inductive cases :=
| Plain | Priced (place : nat) (beta : list Z) | Split (v : nat) (k : Z) (l r : cases).

Fixpoint no_room (low high : counts) : bool :=
  match low, high with l :: low, h :: high => (h <? l) || no_room low high | _, _ => false end.
Fixpoint excluded (t : cases) (s : Z) (low high : counts) : bool :=
  match t with
  | Split v k l r => excluded l s low (change (Z.min k) v high) && excluded r s (change (Z.max (k + 1)) v low) high
  | _ =>
      no_room low high || (s <? size low) || (size high <? s) || uneven s low high
      || match t with
         | Priced i beta => match nth_error distances i with Some c => far c beta s low high | None => false end
         | _ => existsb (fun c => far c (free c) s low high) distances end
  end.

Fixpoint descend (fuel : nat) (trees : Z -> cases) (bound s : Z) (n : counts) : bool :=
  if (s <=? bound) || (s <? least_records) then true else
  match fuel with
  | O => false
  | S fuel =>
      let most := box down 1 s n in
      let r := room most in
      if r <? s then descend fuel trees bound r n
      else excluded (trees s) s (map (fun _ => 0) n) most && descend fuel trees bound (s - 1) n end.

Definition most (trees : Z -> cases) (above : option (Z * nat * list Z)) (bound : Z) (n : counts) : bool :=
  nonneg n && forallb condition_ok cs && (0 <=? bound) && negb (satisfies_all q cs n) &&
  match above with
  | None => descend (Z.to_nat (size n)) trees bound (size n - 1) n
  | Some (first, i, beta) =>
      match nth_error distances i with
      | Some c => far_from c beta first n
                  && descend (Z.to_nat (size n)) trees bound (Z.min (size n - 1) (first - 1)) n
      | None => false end
  end.
End Most.


Lemma between_room low : forall x high, between low x high = true -> no_room low high = false.
Proof.
induction low as [|l low IH]; intros [|y x] [|h high]; simpl; try easy.
rewrite !andb_true_iff, !Z.leb_le. intros [[A B] H]. rewrite (IH x high H).
destruct (Z.ltb_spec h l); [lia|easy].
Qed.

Lemma level_within z x : forall n, within x n = true -> best 1 x <= z -> within x (level z n) = true.
Proof.
induction x as [|a x IH]; intros [|b n]; simpl within; try easy. cbn [best level map]. rewrite best_0.
rewrite !andb_true_iff, !Z.leb_le. intros [[A B] H] L. repeat split; try lia. apply IH; trivial. lia.
Qed.

Lemma bisect_sound (P : Z -> Prop) ok : (forall m, 0 < m -> ok m = false -> P m) ->
  forall fuel low high, 0 <= low -> P high -> P (bisect fuel ok low high).
Proof.
intros H. induction fuel as [|fuel IH]; intros low high L Ph; simpl; trivial.
destruct (Z.leb_spec (high - low) 1) as [|D]; trivial.
assert (M : low + 1 <= (low + high) / 2) by (apply Z.div_le_lower_bound; lia).
destruct (ok ((low + high) / 2)) eqn:E; apply IH; trivial; try lia. apply H; trivial. lia.
Qed.


Section Sound.
Variables (q : counts) (cs : list condition).
Hypothesis fine : forallb condition_ok cs = true.

Lemma fine_in c : In c cs -> condition_ok c = true.
Proof. rewrite forallb_forall in fine. apply fine. Qed.

(* what satisfies: its tails hold, and it has as many values and records as asked *)
Lemma tail_okP x c : nonneg x = true -> In c cs -> satisfies q c x = true -> tail_ok (best 1 x) x c = true.
Proof.
intros X I. destruct c; simpl; trivial. destruct (Nat.leb l 1); trivial.
now rewrite best_last.
Qed.

Lemma values_le x : nonneg x = true -> satisfies_all q cs x = true -> least_values cs <= occurring x.
Proof.
intros X. unfold least_values, satisfies_all. clear fine. induction cs as [|c l IH]; simpl.
- intros _. apply occurring_nonneg.
- rewrite andb_true_iff. intros [C H]. specialize (IH H). destruct c; trivial. simpl in C.
  apply Z.leb_le in C. lia.
Qed.

Lemma records_le x : 1 <= size x -> satisfies_all q cs x = true -> least_records cs <= size x.
Proof.
intros X. unfold least_records, satisfies_all. clear fine. induction cs as [|c l IH]; simpl; trivial.
rewrite andb_true_iff. intros [C H]. specialize (IH H). destruct c; trivial. simpl in C.
apply Z.leb_le in C. lia.
Qed.

Lemma uneven_sound x s low high : nonneg low = true -> between low x high = true -> size x = s ->
  satisfies_all q cs x = true -> uneven cs s low high = false.
Proof.
intros NL B T G. destruct (uneven cs s low high) eqn:U; trivial. exfalso.
unfold uneven in U. rewrite andb_true_iff in U. destruct U as [_ U]. cbv zeta in U.
rewrite andb_true_iff, Z.eqb_eq in U. destruct U as [Sy U].
destruct (between_length low x high B) as [L1 L2].
set (y := even s low high) in *.
assert (X := between_nonneg low x high NL B).
unfold even in y. cbv zeta in y. set (z := bisect _ _ _ _ - 1) in y.
assert (E : all_evened z low high y) by (apply spread_evened; congruence).
assert (By := evened_between z low x high y B E). assert (Y := between_nonneg low y high NL By).
destruct (between_length low y high By) as [L3 _].
assert (T' : size y = size x) by lia.
apply orb_true_iff in U as [U|U].
- apply Z.ltb_lt in U. assert (V := values_le x X G).
  assert (O := evened_over z 1 low x high y B E T').
  assert (O1 := occurring_over x X). assert (O2 := occurring_over y Y). lia.
- apply negb_true_iff in U. rewrite <- not_true_iff_false in U. apply U.
  unfold holds. apply forallb_forall. intros c Hc.
  unfold satisfies_all in G. rewrite forallb_forall in G. specialize (G c Hc).
  assert (K := tail_okP x c X Hc G). assert (W := fine_in c Hc). destruct c; simpl in *; trivial.
  destruct (Nat.leb_spec l 1) as [|L]; trivial. destruct l as [|l]; [lia|].
  replace (length y) with (length x) by congruence. destruct (Nat.leb (S l) (length x)); [|easy].
  rewrite Z.ltb_lt in *. rewrite !tailE in *. rewrite andb_true_iff, !Z.leb_le in W.
  assert (P1 := spread_best z low x high y 1 B E T' X).
  assert (P2 := spread_best z low x high y l B E T' X). nia.
Qed.

Lemma fails_up x most m : within x most = true -> satisfies_all q cs x = true -> 0 < m ->
  holds cs m (level m most) = false -> best 1 x < m.
Proof.
intros W G M H. destruct (Z_lt_ge_dec (best 1 x) m) as [|R]; trivial. exfalso.
rewrite <- not_true_iff_false in H. apply H. unfold holds. apply forallb_forall. intros c Hc.
assert (X := within_nonneg x most W). assert (L := within_length x most W).
unfold satisfies_all in G. rewrite forallb_forall in G. specialize (G c Hc).
assert (K := tail_okP x c X Hc G). assert (F := fine_in c Hc). destruct c; simpl in *; trivial.
destruct (Nat.leb_spec l 1) as [|L1]; trivial. destruct l as [|l]; [lia|].
unfold level at 1. rewrite map_length, <- L. destruct (Nat.leb (S l) (length x)); [|easy].
rewrite Z.ltb_lt in *. rewrite !tailE in *. rewrite andb_true_iff, !Z.leb_le in F.
set (r := best 1 x) in *. set (y := level m most).
(* m x <= r y, place by place *)
assert (P : within (map (Z.mul m) x) (map (Z.mul r) y) = true).
{ unfold y. clear - W R M. assert (Hr : best 1 x <= r) by (unfold r; lia). clearbody r.
  revert most W Hr. induction x as [|a x IH]; intros [|b n]; simpl within; try easy.
  cbn [best map level]. rewrite best_0, !andb_true_iff, !Z.leb_le. intros [[A B] W'] Hr.
  repeat split; [nia| |now apply IH; [|lia]].
  destruct (Z.min_spec m b) as [[_ ->]|[_ ->]]; nia. }
assert (Q := best_grow _ _ l P). rewrite !size_scale, !best_scale in Q by lia.
assert (Tx : 0 <= size x - best l x).
{ assert (Gr := best_grow (map (fun _ => 0) x) x l).
  assert (V : within (map (fun _ => 0) x) x = true).
  { clear - X. induction x as [|a x IH]; simpl; trivial. simpl in X. apply andb_true_iff in X as [A X].
    rewrite A. now rewrite IH. }
  specialize (Gr V).
  assert (E0 : map (fun _ : Z => 0) x = map (Z.mul 0) x) by (apply map_ext; intros; ring).
  rewrite E0, size_scale, best_scale in Gr by lia. lia. }
assert (r0 : 0 < r) by lia. nia.
Qed.

Lemma room_sound x most : within x most = true -> satisfies_all q cs x = true -> size x <= room cs most.
Proof.
intros W G. assert (X := within_nonneg x most W). unfold room.
destruct (Z.ltb_spec (occurring most) (least_values cs)) as [V|V].
- assert (H := values_le x X G). assert (H' := occurring_within x most W). lia.
- destruct (existsb is_tail cs); [|now apply within_size]. cbv zeta.
  set (h := bisect _ _ _ _).
  assert (H : best 1 x < h).
  { unfold h. apply (bisect_sound (fun h => best 1 x < h)); [|lia|].
    - intros m M. now apply fails_up.
    - assert (B := best_grow x most 1 W).
      assert (N : best 1 x <= best 1 most); [|lia].
      clear - W X. revert most W. induction x as [|a x IH]; intros [|b n]; simpl within; try easy.
      cbn [best]. rewrite !best_0, !andb_true_iff, !Z.leb_le. intros [[A B] W].
      simpl in X. apply andb_true_iff in X as [_ X]. specialize (IH X n W). lia. }
  apply within_size, level_within; trivial. lia.
Qed.

(* ---- soundness: shares ------------------------------------------------------------------------- *)
Lemma share_sound c v a b x : satisfies q c x = true -> share q c v = Some (a, b) ->
  0 <= a /\ 0 < b /\ b * nth v x 0 <= a * size x.
Proof.
destruct c as [| | | |vs a' b'|a' b'|]; simpl; try easy; intros H E.
- destruct (existsb (Nat.eqb v) vs && (a' <? b') && (0 <=? a') && (0 <? b')) eqn:D; [|easy].
  injection E as <- <-. rewrite !andb_true_iff, Z.leb_le, !Z.ltb_lt in D.
  destruct D as [[[I _] A] B]. apply existsb_exists in I as [w [I J]]. apply Nat.eqb_eq in J. subst w.
  rewrite forallb_forall in H. apply H in I. apply Z.leb_le in I. repeat split; trivial.
- destruct ((a' * nth v q 0 <? b' * size q) && (0 <=? a' * nth v q 0) && (0 <? b' * size q)) eqn:D; [|easy].
  injection E as <- <-. rewrite !andb_true_iff, Z.leb_le, !Z.ltb_lt in D. destruct D as [[_ A] B].
  repeat split; trivial. unfold gained in H.
  assert (P : forall y, nonneg y = true -> 0 <= nth v y 0).
  { clear. intros y. revert v. induction y as [|c y IH]; intros [|v]; simpl; try lia;
      rewrite andb_true_iff, Z.leb_le; intros [C Y]; auto. }
  apply P in H. rewrite nth_plus in H.
  assert (M : forall z y, nth v (map (Z.mul z) y) 0 = z * nth v y 0).
  { intros z y. replace 0 with (z * 0) at 1 by ring. apply map_nth. }
  rewrite !M in H. lia.
Qed.

Lemma cap_any (P : Z -> Prop) round s v most :
  (forall c a b, In c cs -> share q c v = Some (a, b) -> P (round (a * s) b)) -> P most ->
  P (cap q cs round s v most).
Proof.
unfold cap. clear fine. induction cs as [|c l IH]; simpl; trivial. intros H M.
assert (R := IH (fun c a b I => H c a b (or_intror I)) M).
destruct (share q c v) as [[a b]|] eqn:E; trivial.
apply Z.min_case; trivial. apply (H c); auto.
Qed.

Lemma placed_within (f : nat -> Z -> Z) : forall n x i, nonneg x = true -> length x = length n ->
  (forall j, nth j x 0 <= f (i + j)%nat (nth j n 0) \/ (length n <= j)%nat) ->
  within x (map (fun e => f (fst e) (snd e)) (combine (seq i (length n)) n)) = true.
Proof.
induction n as [|m n IH]; intros [|y x] i; simpl; try easy.
rewrite !andb_true_iff, !Z.leb_le. intros [Y X] [= L] H. repeat split; trivial.
- destruct (H 0%nat) as [G|G]; [now rewrite Nat.add_0_r in G|lia].
- apply IH; trivial. intros j. destruct (H (S j)) as [G|G]; [left|right; lia].
  now rewrite Nat.add_succ_r in G.
Qed.

Lemma within_nth v : forall x n, within x n = true -> 0 <= nth v x 0 <= nth v n 0.
Proof.
induction v as [|v IH]; intros [|y x] [|m n]; simpl; try easy; try lia;
  rewrite !andb_true_iff, !Z.leb_le; intros [A H]; try lia; now apply IH.
Qed.

Lemma box_sound x n s : within x n = true -> satisfies_all q cs x = true -> size x <= s ->
  within x (box q cs down 1 s n) = true.
Proof.
intros W G T. assert (X := within_nonneg x n W). assert (L := within_length x n W).
unfold box. apply (placed_within (fun v z => cap q cs down (s * 1) v (1 * z))); trivial.
intros j. left. apply (cap_any (fun z => nth j x 0 <= z)).
- intros c a b I E. unfold satisfies_all in G. rewrite forallb_forall in G.
  destruct (share_sound c j a b x (G c I) E) as (A & B & C). unfold down.
  apply Z.div_le_lower_bound; trivial. nia.
- assert (N := within_nth j x n W). lia.
Qed.

(* ---- soundness: prices --------------------------------------------------------------------------- *)
Lemma change_length f v u : length (change f v u) = length u.
Proof. revert v. induction u; intros [|v]; simpl; auto. Qed.

Lemma raised_length p s u : length (raised p s u) = length u.
Proof. induction s; simpl; trivial. now rewrite change_length. Qed.

Lemma priced_length cuts : forall beta u, length (priced cuts beta u) = length u.
Proof.
induction cuts as [|[w s] cuts IH]; intros [|p beta] u; simpl; trivial. now rewrite raised_length.
Qed.

Lemma dot_change p v : forall u x, length u = length x -> (v < length u)%nat ->
  dot (change (Z.add p) v u) x = dot u x + p * nth v x 0.
Proof.
induction v as [|v IH]; intros [|b u] [|y x]; simpl; try lia.
intros [= L] V. rewrite IH by (trivial; lia). lia.
Qed.

Lemma dot_raised p s u x : length u = length x -> (forall v, In v s -> (v < length u)%nat) ->
  dot (raised p s u) x = dot u x + p * held x s.
Proof.
intros L. induction s as [|v s IH]; intros H; simpl; [lia|].
rewrite dot_change; rewrite ?raised_length; trivial; [|apply H; simpl; auto].
rewrite IH by (intros; apply H; simpl; auto). ring.
Qed.

Fixpoint weighted (cuts : list cut) (beta x : list Z) : Z :=
  match cuts, beta with (_, s) :: cuts, p :: beta => p * held x s + weighted cuts beta x | _, _ => 0 end.

Lemma dot_zeros x : forall y : list Z, dot (map (fun _ => 0) y) x = 0.
Proof. induction x; intros [|z y]; simpl; auto. Qed.

Lemma dot_priced cuts : forall beta x, length x = length q -> values_of q cuts = true ->
  dot (priced cuts beta (zeros q)) x = weighted cuts beta x.
Proof.
induction cuts as [|[w s] cuts IH]; intros beta x L V; simpl; [apply dot_zeros|].
destruct beta as [|p beta]; [apply dot_zeros|].
unfold values_of in V. cbn [forallb] in V. apply andb_true_iff in V as [V1 V2].
apply andb_true_iff in V1 as [_ V1]. rewrite forallb_forall in V1. cbn [snd] in V1.
assert (Lz : length (priced cuts beta (zeros q)) = length q)
  by (rewrite priced_length; unfold zeros; now rewrite map_length).
rewrite dot_raised; [|congruence|intros v Hv; rewrite Lz; now apply Nat.ltb_lt, V1].
rewrite IH by trivial. ring.
Qed.

Lemma by_threshold_le lambda : forall u y r, within y r = true -> length u = length y ->
  lambda * size y + fold_right (fun e z => Z.min 0 (fst e - lambda) * snd e + z) 0 (combine u r) <= dot u y.
Proof.
induction u as [|b u IH]; intros [|c y] [|m r]; simpl; try easy; try lia.
rewrite !andb_true_iff, !Z.leb_le. intros [[A B] W] [= L]. specialize (IH y r W L).
fold (size y). assert (lambda * c + Z.min 0 (b - lambda) * m <= b * c) by nia. lia.
Qed.

Lemma cheapest_in u r s : u = [] /\ cheapest u r s = 0 \/ exists lambda, cheapest u r s = by_threshold u r s lambda.
Proof.
destruct u as [|p u]; [left; now split|right]. unfold cheapest.
assert (H : forall l us, exists lambda, fold_right (fun t z => Z.max (by_threshold us r s t) z)
  (by_threshold us r s p) l = by_threshold us r s lambda).
{ induction l as [|t l IH]; intros us; simpl; [now exists p|]. destruct (IH us) as [t' ->].
  apply Z.max_case; [now exists t|now exists t']. }
apply (H (p :: u) (p :: u)).
Qed.

Lemma cheapest_le u r y : within y r = true -> length u = length y -> cheapest u r (size y) <= dot u y.
Proof.
intros W L. destruct (cheapest_in u r (size y)) as [[-> ->]|[t ->]]; [simpl; lia|].
now apply by_threshold_le.
Qed.

Lemma kink_leastP w N c p l r z : 0 <= w -> 0 < N -> l <= z <= r ->
  kink_least w N c p l r <= kink w N c p z.
Proof.
intros w0 N0 zr. unfold kink_least.
assert (Q := Z.mul_div_le c N N0). assert (Q' := Z.mul_succ_div_gt c N N0).
set (f := kink w N c p). set (c0 := c / N) in *.
assert (left : forall y, y <= c0 -> f y = w * c - (w * N + p) * y).
{ intros y Hy. unfold f, kink. rewrite Z.abs_neq by nia. ring. }
assert (right : forall y, c0 + 1 <= y -> f y = (w * N - p) * y - w * c).
{ intros y Hy. unfold f, kink. rewrite Z.abs_eq by nia. ring. }
destruct (Z_le_gt_dec z c0) as [D|D].
- assert (E : l <= c0 /\ clip l r c0 <= c0 /\ z <= clip l r c0) by (unfold clip; lia).
  destruct E as (E0 & E1 & E2).
  assert (f l <= f z \/ f (clip l r c0) <= f z); [|lia].
  rewrite (left l), (left z), (left (clip l r c0)) by lia.
  destruct (Z_le_gt_dec 0 (w * N + p)); [right|left]; nia.
- assert (E : c0 + 1 <= clip l r (c0 + 1) <= z) by (unfold clip; lia).
  assert (f r <= f z \/ f (clip l r (c0 + 1)) <= f z); [|lia].
  rewrite (right r), (right z), (right (clip l r (c0 + 1))) by lia.
  destruct (Z_le_gt_dec 0 (w * N - p)); [right|left]; nia.
Qed.

Lemma kinks_le cuts low x high : forall beta, 0 < size q -> values_of q cuts = true ->
  length cuts = length beta -> between low x high = true ->
  kinks (size x) cuts beta q low high <= work cuts q x - weighted cuts beta x.
Proof.
induction cuts as [|[w s] cuts IH]; intros [|p beta] N0 V E B; simpl in *; try easy; try lia.
apply andb_true_iff in V as [V1 V2]. apply andb_true_iff in V1 as [w0 _]. apply Z.leb_le in w0.
injection E as E. specialize (IH beta N0 V2 E B).
assert (K := kink_leastP w (size q) (size x * held q s) p (held low s) (held high s) (held x s) w0 N0
  (between_held low x high s B)).
set (least := kink_least _ _ _ _ _ _) in *. unfold kink in K. lia.
Qed.

Lemma minus_within low : forall x high, between low x high = true ->
  within (minus x low) (minus high low) = true /\ size (minus x low) = size x - size low.
Proof.
induction low as [|l low IH]; intros [|y x] [|h high]; simpl; try easy.
rewrite !andb_true_iff, !Z.leb_le. intros [[A B] H]. destruct (IH x high H) as [W S].
unfold size in *. repeat split; trivial; lia.
Qed.

Lemma dot_minus : forall u low x, length low = length x ->
  dot u x = dot u low + dot u (minus x low).
Proof.
induction u as [|b u IH]; intros [|l low] [|y x]; simpl; try easy.
intros [= L]. rewrite (IH low x L). ring.
Qed.

Lemma minus_length low : forall x, length low = length x -> length (minus x low) = length x.
Proof. induction low as [|l low IH]; intros [|y x]; simpl; try easy. intros [= L]. now rewrite IH. Qed.

Lemma far_sound c beta low x high : between low x high = true -> length x = length q ->
  satisfies q c x = true -> far q c beta (size x) low high = false.
Proof.
intros B L G. destruct (far q c beta (size x) low high) eqn:F; trivial. exfalso.
destruct c as [| | | | | |a b d cuts]; simpl in F; try easy.
rewrite !andb_true_iff, !Z.ltb_lt, Z.leb_le, Nat.eqb_eq in F. destruct F as [[[[N0 b0] V] E] F].
simpl in G. apply Z.leb_le in G. set (u := priced cuts beta (zeros q)) in *.
destruct (between_length low x high B) as [L1 L2]. destruct (minus_within low x high B) as [W S].
assert (Lu : length u = length q) by (unfold u, zeros; now rewrite priced_length, map_length).
assert (D := dot_minus u low x L1).
assert (C := cheapest_le u (minus high low) (minus x low) W
  ltac:(rewrite minus_length; congruence)). rewrite S in C.
assert (K := kinks_le cuts low x high beta N0 V E B).
assert (P := dot_priced cuts beta x L V). fold u in P. nia.
Qed.

Lemma small_le cuts x : forall beta, 0 <= size q -> small (size q) cuts beta = true ->
  size q * weighted cuts beta x - size x * weighted cuts beta q <= size q * work cuts q x.
Proof.
induction cuts as [|[w s] cuts IH]; intros [|p beta] N0; simpl; try easy; try lia.
rewrite andb_true_iff, Z.leb_le. intros [P Q]. specialize (IH beta N0 Q).
set (g := size q * held x s - size x * held q s).
assert (G : p * g <= size q * w * Z.abs g).
{ assert (p * g <= Z.abs p * Z.abs g) by (rewrite <- Z.abs_mul; lia).
  assert (0 <= Z.abs g) by apply Z.abs_nonneg. nia. }
replace (size q * (p * held x s + weighted cuts beta x) - size x * (p * held q s + weighted cuts beta q))
  with (p * g + (size q * weighted cuts beta x - size x * weighted cuts beta q)) by (unfold g; ring).
replace (size q * (w * Z.abs g + work cuts q x)) with (size q * w * Z.abs g + size q * work cuts q x) by ring.
lia.
Qed.

Lemma dot_affine u : forall x e f, length u = length x ->
  dot (map (fun y => e * y + f) u) x = e * dot u x + f * size x.
Proof.
induction u as [|y u IH]; intros [|z x] e f; simpl; try easy; try lia.
intros [= L]. rewrite IH by trivial. unfold size. ring.
Qed.

Lemma dot_scale c u : forall x, dot u (map (Z.mul c) x) = c * dot u x.
Proof. induction u as [|y u IH]; intros [|z x]; simpl; try lia. rewrite IH. ring. Qed.

Lemma by_threshold_scale c lambda s : forall u r, 
  by_threshold u (map (Z.mul c) r) (c * s) lambda = c * by_threshold u r s lambda.
Proof.
intros u r. unfold by_threshold.
assert (H : fold_right (fun e z => Z.min 0 (fst e - lambda) * snd e + z) 0 (combine u (map (Z.mul c) r)) =
  c * fold_right (fun e z => Z.min 0 (fst e - lambda) * snd e + z) 0 (combine u r)).
{ revert r. induction u as [|y u IH]; intros [|z r]; simpl; try lia. rewrite IH. ring. }
rewrite H. ring.
Qed.

Lemma far_from_sound c beta first x n : within x n = true -> satisfies_all q cs x = true -> In c cs ->
  far_from q cs c beta first n = true -> size x < first.
Proof.
intros W G I F. destruct (Z_lt_ge_dec (size x) first) as [|R]; trivial. exfalso.
destruct c as [| | | | | |a b d cuts]; simpl in F; try easy.
set (u := priced cuts beta (zeros q)) in *. set (slopes := map _ u) in F. set (U := unit q cs) in *.
rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le, Nat.eqb_eq in F.
destruct F as [[[[[[[N0 b0] U0] f0] V] P] L] F].
assert (X := within_nonneg x n W). assert (Lx := within_length x n W).
set (S := first * U) in *. set (Y := size x) in *. set (r := box q cs up U first n) in *.
assert (B : within (map (Z.mul S) x) (map (Z.mul Y) r) = true).
{ unfold r, box. rewrite map_map.
  apply (placed_within (fun v z => Y * cap q cs up S v (U * z)) n (map (Z.mul S) x) 0).
  - clear - X f0 U0. unfold S. induction x as [|c x IH]; simpl; trivial. simpl in X.
    apply andb_true_iff in X as [C X]. apply Z.leb_le in C. rewrite IH by trivial.
    rewrite andb_true_r. apply Z.leb_le. nia.
  - now rewrite map_length.
  - intros j. left. replace (nth j (map (Z.mul S) x) 0) with (S * nth j x 0)
      by (replace 0 with (S * 0) at 2 by ring; now rewrite map_nth).
    assert (Nj := within_nth j x n W).
    apply (cap_any (fun z => S * nth j x 0 <= Y * z)).
    + intros c' a' b' I' E. unfold satisfies_all in G. rewrite forallb_forall in G.
      destruct (share_sound c' j a' b' x (G c' I') E) as (A & B0 & C). fold Y in C. unfold up.
      assert (Dv := Z.mul_div_le (- (a' * S)) b' B0).
      apply Z.mul_le_mono_pos_l with (p := b'); trivial.
      assert (S0 : 0 < S) by (unfold S; nia).
      assert (b' * nth j x 0 * S <= a' * Y * S) by (apply Z.mul_le_mono_nonneg_r; lia).
      assert (Y * (a' * S) <= Y * (b' * - (- (a' * S) / b'))) by (apply Z.mul_le_mono_nonneg_l; lia).
      lia.
    + unfold S. assert (nth j x 0 * first <= Y * nth j n 0) by nia. nia. }
assert (Y0 : 0 < Y) by lia.
apply orb_true_iff in F as [F|F]; apply Z.ltb_lt in F.
- assert (T := within_size _ _ B). rewrite !size_scale in T. fold Y in T. nia.
- destruct (cheapest_in slopes r S) as [[_ E]|[t E]]; rewrite E in F; [lia|].
  assert (Lu : length u = length q) by (unfold u, zeros; now rewrite priced_length, map_length).
  assert (T := by_threshold_le t slopes (map (Z.mul S) x) (map (Z.mul Y) r) B
    ltac:(unfold slopes; rewrite !map_length; congruence)).
  rewrite size_scale, dot_scale in T. fold Y in T.
  assert (T' := by_threshold_scale Y t S slopes r). unfold by_threshold at 1 in T'.
  assert (D : dot slopes x <= 0).
  { unfold satisfies_all in G. rewrite forallb_forall in G. specialize (G _ I). simpl in G.
    apply Z.leb_le in G. unfold slopes. set (mean := dot u q).
    rewrite (map_ext _ (fun y => b * size q * y + (- b * mean - a * d * size q * size q)))
      by (intros; ring).
    rewrite dot_affine by congruence. unfold mean, u. rewrite !dot_priced by (trivial; congruence).
    assert (H := small_le cuts x beta (Z.lt_le_incl _ _ N0) P). fold Y in H, G |- *. nia. }
  assert (S0 : 0 < S) by (unfold S; nia).
  assert (S * dot slopes x <= 0) by nia.
  assert (0 < Y * by_threshold slopes r S t) by nia. lia.
Qed.

(* ---- soundness: sizes ------------------------------------------------------------------------------ *)
Lemma distances_in c : In c (distances cs) -> In c cs.
Proof. unfold distances. intros H. now apply filter_In in H. Qed.

Lemma change_nonneg k v : forall low, 0 <= k \/ True -> nonneg low = true ->
  nonneg (change (Z.max (k + 1)) v low) = true.
Proof.
induction v as [|v IH]; intros [|l low] K; simpl; trivial; rewrite !andb_true_iff, !Z.leb_le;
  intros [A L]; split; auto; lia.
Qed.

Lemma excluded_sound t : forall low x high, nonneg low = true -> between low x high = true ->
  length x = length q -> satisfies_all q cs x = true -> excluded q cs t (size x) low high = false.
Proof.
assert (All : forall c, In c (distances cs) -> forall x, satisfies_all q cs x = true -> satisfies q c x = true).
{ intros c I x G. unfold satisfies_all in G. rewrite forallb_forall in G. apply G. now apply distances_in. }
assert (Basic : forall low x high, nonneg low = true -> between low x high = true -> satisfies_all q cs x = true ->
  no_room low high || (size x <? size low) || (size high <? size x) || uneven cs (size x) low high = false).
{ intros low x high NL B G. rewrite (between_room low x high B).
  assert (T := between_size low x high B).
  destruct (Z.ltb_spec (size x) (size low)); [lia|]. destruct (Z.ltb_spec (size high) (size x)); [lia|].
  simpl. now apply (uneven_sound x (size x) low high). }
induction t as [|i beta|v k l IHl r IHr]; intros low x high NL B L G; cbn [excluded].
- rewrite (Basic low x high NL B G). simpl. apply not_true_iff_false. intros H.
  apply existsb_exists in H as [c [I F]]. rewrite (far_sound c (free c) low x high) in F; try easy.
  now apply All.
- rewrite (Basic low x high NL B G). simpl. destruct (nth_error (distances cs) i) as [c|] eqn:E; trivial.
  apply far_sound; trivial. apply All; trivial. now apply nth_error_In in E.
- destruct (Z_le_gt_dec (nth v x 0) k) as [D|D].
  + rewrite IHl; trivial. now apply between_low.
  + rewrite IHr; trivial; [apply andb_false_r| |].
    * apply change_nonneg; auto.
    * apply between_high; trivial. lia.
Qed.

Lemma from_zeros (n : counts) : forall x m, within x m = true -> length x = length n ->
  between (map (fun _ => 0) n) x m = true.
Proof.
induction n as [|c n IH]; intros [|y x] [|h m]; simpl; try easy.
rewrite !andb_true_iff. intros [A H] [= L]. split; trivial. now apply IH.
Qed.

Theorem descend_sound fuel trees bound n x : forall s, descend q cs fuel trees bound s n = true ->
  0 <= bound -> length n = length q -> within x n = true -> satisfies_all q cs x = true -> size x <= s ->
  size x <= bound.
Proof.
induction fuel as [|fuel IH]; intros s D b0 L W G T; simpl in D;
  (destruct (Z.leb_spec s bound); [lia|]); simpl in D;
  (destruct (Z.ltb_spec s (least_records cs)); [
     destruct (Z_le_gt_dec (size x) 0); [lia|];
     assert (R := records_le x ltac:(lia) G); lia|]); [easy|].
assert (B := box_sound x n s W G T). set (m := box q cs down 1 s n) in *.
assert (R := room_sound x m B G).
destruct (Z.ltb_spec (room cs m) s) as [r|r]; [now apply (IH (room cs m))|].
apply andb_true_iff in D as [E D]. apply (IH (s - 1)); trivial.
destruct (Z.eq_dec (size x) s) as [A|A]; [exfalso|lia]. subst s.
rewrite (excluded_sound (trees (size x)) (map (fun _ => 0) n) x m) in E; try easy.
- clear. induction n as [|a n IHn]; simpl; trivial.
- apply from_zeros; trivial. now apply within_length.
- rewrite <- L. now apply within_length.
Qed.
End Sound.

Theorem most_sound q cs trees above bound n x : most q cs trees above bound n = true ->
  length n = length q -> within x n = true -> satisfies_all q cs x = true -> size x <= bound.
Proof.
unfold most. rewrite !andb_true_iff, Z.leb_le, negb_true_iff. intros [[[[N F] b0] Bad] A] L W G.
assert (T : size x <= size n - 1).
{ assert (S := within_size x n W). destruct (Z_le_gt_dec (size x) (size n - 1)) as [|D]; trivial.
  rewrite (within_all x n W) in G by lia. now rewrite G in Bad. }
destruct above as [[[first i] beta]|].
- destruct (nth_error (distances cs) i) as [c|] eqn:E; [|easy]. apply andb_true_iff in A as [F1 D].
  apply nth_error_In in E. apply distances_in in E.
  assert (H := far_from_sound q cs c beta first x n W G E F1).
  apply (descend_sound q cs F) with (x := x) in D; trivial. lia.
- now apply (descend_sound q cs F) with (x := x) in A.
Qed.
