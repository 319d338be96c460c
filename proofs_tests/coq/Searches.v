(* What searches and programs leave out, and why nothing is lost by it: tags that
   spread over a lattice, sets of quasi-identifiers that are joined, losses that
   generalizing never lowers, and how large groups have to be.

   Places in the papers:
     tagging          a search that spreads what it was told upwards and downwards
          ends with a right tag for every node, in whatever order it asks; with and
          without suppression
     tags_are_right   and at every moment no tag is wrong
     minimal_direct   a node without a satisfying direct specialization is minimal
          (Samarati 2001; LeFevre, DeWitt, Ramakrishnan 2005, section 3)
     subset_join      Incognito asks a node of a set of quasi-identifiers only if it
          survived in every set that lacks one of them, and finds the same nodes
          (LeFevre, DeWitt, Ramakrishnan 2005, section 3)
     classes_generalizing    a loss whose classes cost at least what their parts
          cost is not lowered by generalizing
     discernibility_splits, hull_splits, minority_splits, fewer_classes   are such
     labels_generalizing   nor is one of labels that are nodes, as of full domains
     groups_suffice   if splitting never costs more, groups of k to 2k - 1 records
          suffice for k-anonymity (Soria-Comas and Domingo-Ferrer 2013, section 3;
          Domingo-Ferrer and Mateo-Sanz 2002)
     groups_do_not    and no bound on their size suffices for l-diversity or
          t-closeness: a table of any size that only one group holds

   The idea in three lines:
   - the upper set of what satisfies without suppression satisfies; the lower set of
     what violates whatever is suppressed violates;
   - a class is the union of its parts, and F(A) + F(B) <= F(A u B);
   - a group of 2k or more gives k away and keeps k. *)
From mathcomp Require Import all_ssreflect all_algebra zify.
From Tcloseness Require Import Tables.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* ---- tags ---------------------------------------------------------------------- *)
Section Tags.
Variables (N : finType) (le : rel N).
Hypotheses (le_refl : reflexive le) (le_trans : transitive le).

(* P: what is looked for; sure: satisfies whatever lies above it too; hopeless:
   violates, and all below it *)
Variables (P sure hopeless : pred N).
Hypotheses (sure_up : forall x y, sure x -> le x y -> sure y)
  (hopeless_down : forall x y, hopeless y -> le x y -> hopeless x)
  (sureP : forall x, sure x -> P x) (hopelessP : forall x, hopeless x -> ~~ P x).
Implicit Types (t : {set N} * {set N}) (r : seq N).

(* the nodes that are tagged as satisfying, and as violating *)
Definition ask t x : {set N} * {set N} :=
  if (x \in t.1) || (x \in t.2) then t
  else if sure x then (t.1 :|: [set y | le x y], t.2)
  else if hopeless x then (t.1, t.2 :|: [set y | le y x])
  else if P x then (x |: t.1, t.2) else (t.1, x |: t.2).
Definition tags r := foldl ask (set0, set0) r.
Definition right t : Prop := {subset t.1 <= P} /\ forall x, x \in t.2 -> ~~ P x.

Lemma ask_right t x : right t -> right (ask t x).
Proof.
move=> [r1 r2]; rewrite /ask; case: ifP => // _; case: ifP => [sx|_].
  by split=> // y /setUP[/r1//|]; rewrite inE => /(sure_up sx)/sureP.
case: ifP => [hx|_].
  by split=> // y /setUP[/r2//|]; rewrite inE => /(hopeless_down hx)/hopelessP.
by case: ifP => Px; split=> // y /setU1P[->|]; rewrite ?Px //; [exact: r1|exact: r2].
Qed.

Theorem tags_are_right r : right (tags r).
Proof.
rewrite /tags; have : right (set0, set0) by split=> x; rewrite inE.
by elim: r (set0, set0) => //= x r IH t rt; apply/IH/ask_right.
Qed.

Lemma ask_keeps t x y : (y \in t.1) || (y \in t.2) -> (y \in (ask t x).1) || (y \in (ask t x).2).
Proof.
rewrite /ask; case: ifP => // _; do ?[case: ifP => _] => /=.
all: by case/orP=> yt; rewrite ?inE ?yt ?orbT.
Qed.

Lemma ask_tags t x : (x \in (ask t x).1) || (x \in (ask t x).2).
Proof. by rewrite /ask; case: ifP => // _; do ?[case: ifP => _]; rewrite /= !inE ?le_refl ?eqxx ?orbT. Qed.

Theorem tagging r : (forall x, x \in r) ->
  tags r = ([set x | P x], [set x | ~~ P x]).
Proof.
move=> all_r; have [r1 r2] := tags_are_right r.
have every x : (x \in (tags r).1) || (x \in (tags r).2).
  have kept s t : (x \in t.1) || (x \in t.2) -> let t' := foldl ask t s in
      (x \in t'.1) || (x \in t'.2).
    by elim: s t => //= y s IH t /(@ask_keeps _ y)/IH.
  have := all_r x; rewrite /tags; elim: {all_r r1 r2} r (set0, set0) => //= y r IH t.
  by rewrite inE => /predU1P[<-|/IH//]; apply/kept/ask_tags.
case E : (tags r) r1 r2 every => [yes no] /= r1 r2 every; congr (_, _); apply/setP=> x.
  rewrite inE; apply/idP/idP=> [/r1//|Px].
  by case/orP: (every x) => // /r2; rewrite Px.
rewrite inE; apply/idP/idP=> [/r2//|nPx].
by case/orP: (every x) => // /r1; rewrite unfold_in (negPf nPx).
Qed.

(* a direct specialization: nothing lies between *)
Hypothesis le_anti : antisymmetric le.
Definition below x y := (x != y) && le x y.
Definition direct x y := below x y && [forall z, ~~ (below x z && below z y)].

Lemma between x y : below x y -> exists2 z, direct z y & le x z.
Proof.
have [n] := ubnP #|[set z | below x z && below z y]|; elim: n x => // n IH x less xy.
have [d|/forallPn[z]] := boolP [forall z, ~~ (below x z && below z y)].
  by exists x; rewrite /direct ?xy ?d.
rewrite negbK => /andP[xz zy]; have [|w wy zw] := IH z _ zy.
  apply: leq_trans (less : _ <= n)%N; apply: proper_card; apply/properP; split.
    apply/subsetP=> w; rewrite !inE => /andP[zw ->]; rewrite andbT.
    case/andP: xz => xz1 xz2; case/andP: zw => zw1 zw2; rewrite /below (le_trans xz2 zw2) andbT.
    by apply: contraNneq xz1 => e; apply/eqP/le_anti; rewrite xz2 e zw2.
  by exists z; rewrite !inE ?xz ?zy // /below eqxx.
by exists w => //; case/andP: xz => _ /le_trans; apply.
Qed.

Theorem minimal_direct (Q : pred N) x : (forall y z, Q y -> le y z -> Q z) -> Q x ->
  (forall z, direct z x -> ~~ Q z) <-> (forall y, below y x -> ~~ Q y).
Proof.
move=> up Qx; split=> H y; last by move=> /andP[/H].
move=> /between[z zx yz]; apply: contra (H z zx) => Qy; exact: up Qy yz.
Qed.
End Tags.

(* ---- growing sets of quasi-identifiers --------------------------------------------- *)
Section Join.
Variables (A N : finType) (P : {set A} -> pred N).
Hypothesis subset_property : forall (C D : {set A}) x, D \subset C -> P C x -> P D x.

(* x satisfies in a set if it survived in each set with one attribute less, and was
   asked and satisfies; n is more than the attributes of the set *)
Fixpoint found n (C : {set A}) x : bool :=
  if n is n.+1 then [forall a in C, found n (C :\ a) x] && P C x else false.

Theorem subset_join n (C : {set A}) x : (#|C| < n)%N -> found n C x = P C x.
Proof.
elim: n C => // n IH C less /=; apply/andb_idl => PC; apply/forall_inP=> a aC.
rewrite IH; last by rewrite (cardsD1 a C) aC in less.
by apply: subset_property PC; rewrite subsetDl.
Qed.
End Join.

(* ---- losses that generalizing never lowers ------------------------------------------ *)
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Losses.
Variables (R : realFieldType) (Rec : finType).
Implicit Types (F G : {set Rec} -> R) (E : {set Rec}).

Definition superadditive F : Prop :=
  F set0 = 0 /\ forall E E', [disjoint E & E'] -> F E + F E' <= F (E :|: E').
Definition class_of (K : finType) (cls : Rec -> K) k : {set Rec} := [set r | cls r == k].
Definition total F (K : finType) (cls : Rec -> K) : R := \sum_k F (class_of cls k).

Lemma parts_cost F (K : finType) (cls : Rec -> K) (p : pred K) : superadditive F ->
  \sum_(k | p k) F (class_of cls k) <= F [set r | p (cls r)].
Proof.
move=> [F0 FU]; have [n] := ubnP #|p|; elim: n p => // n IH p less.
have [k pk|no] := pickP p; last first.
  rewrite big_pred0 // (_ : [set r | p (cls r)] = set0) ?F0 //.
  by apply/setP=> r; rewrite !inE no.
rewrite (bigD1 k) //=; pose q := [pred j | p j && (j != k)].
apply: le_trans (_ : F (class_of cls k) + F [set r | q (cls r)] <= _).
  rewrite ler_add2l; apply: IH; move: less; rewrite (cardD1 k) unfold_in pk add1n ltnS.
  by apply: leq_ltn_trans; apply/eq_leq/eq_card=> j; rewrite !unfold_in /= andbC.
have -> : [set r | p (cls r)] = class_of cls k :|: [set r | q (cls r)].
  apply/setP=> r; rewrite !inE; have [->|] := eqVneq (cls r) k; first by rewrite pk.
  by rewrite andbT.
apply: FU; rewrite -setI_eq0; apply/eqP/setP=> r; rewrite !inE.
by have [->|//] := eqVneq (cls r) k; rewrite !andbF.
Qed.

Theorem classes_generalizing F (K L : finType) (cls : Rec -> K) (h : K -> L) :
  superadditive F -> total F cls <= total F (h \o cls).
Proof.
move=> sF; rewrite /total (partition_big h xpredT) //=; apply: ler_sum => l _.
exact: (parts_cost cls (fun k => h k == l)).
Qed.

(* |E|^2: discernibility *)
Theorem discernibility_splits : superadditive (fun E => (#|E| ^ 2)%N%:R).
Proof.
split=> [|E E' dE]; first by rewrite cards0.
rewrite -natrD ler_nat cardsU (disjoint_setI0 dE) cards0 subn0.
by rewrite !expnS !expn0 !muln1 mulnDl !mulnDr; lia.
Qed.

(* |E| times what the label of a class costs, if the label depends on the records of the
   class alone and larger classes have costlier ones: certainty penalties and the loss
   metric of tight labels *)
Theorem hull_splits G : (forall E, 0 <= G E) -> (forall E E', E \subset E' -> G E <= G E') ->
  superadditive (fun E => #|E|%:R * G E).
Proof.
move=> G0 Gle; split=> [|E E' dE]; first by rewrite cards0 mul0r.
rewrite cardsU (disjoint_setI0 dE) cards0 subn0 natrD mulrDl ler_add //.
  by rewrite ler_wpmul2l ?ler0n // Gle // subsetUl.
by rewrite ler_wpmul2l ?ler0n // Gle // subsetUr.
Qed.

(* labels that are nodes of hierarchies, whatever else their class holds: each record's cell
   costs what its label costs, and labels above cost as much or more *)
Theorem labels_generalizing (N : Type) (above : rel N) (w : N -> R) (label label' : Rec -> N) :
  (forall a b, above a b -> w a <= w b) -> (forall r, above (label r) (label' r)) ->
  \sum_r w (label r) <= \sum_r w (label' r).
Proof. by move=> up lab; apply: ler_sum => r _; apply/up/lab. Qed.

(* the records that do not have a class's commonest value: classification *)
Variables (S : finType) (s : Rec -> S).
Definition with_value E v := #|[set r in E | s r == v]|.
Definition commonest E := (\max_v with_value E v)%N.

Theorem minority_splits : superadditive (fun E => (#|E| - commonest E)%N%:R).
Proof.
split=> [|E E' dE]; first by rewrite cards0.
rewrite -natrD ler_nat cardsU (disjoint_setI0 dE) cards0 subn0.
have least (D : {set Rec}) : (commonest D <= #|D|)%N.
  by apply/bigmax_leqP=> v _; apply/subset_leq_card/subsetP=> r; rewrite inE => /andP[].
have joins : (commonest (E :|: E') <= commonest E + commonest E')%N.
  apply/bigmax_leqP=> v _; apply: leq_trans (_ : with_value E v + with_value E' v <= _)%N.
    rewrite /with_value -cardsUI; apply: leq_trans (leq_addr _ _).
    by apply/subset_leq_card/subsetP=> r; rewrite !inE andb_orl.
  by rewrite /commonest leq_add // leq_bigmax.
by have := least E; have := least E'; move: joins; lia.
Qed.

(* merging never makes more classes: the average class size *)
Theorem fewer_classes (K L : finType) (cls : Rec -> K) (h : K -> L) :
  (#|[set h (cls r) | r : Rec]| <= #|[set cls r | r : Rec]|)%N.
Proof.
have -> : [set h (cls r) | r : Rec] = h @: [set cls r | r : Rec] by rewrite -imset_comp.
exact: leq_imset_card.
Qed.
End Losses.

(* ---- groups of k to 2k - 1 ----------------------------------------------------------- *)
Section Groups.
Variables (R : realFieldType) (T : eqType) (F : seq T -> R) (k : nat).
Hypotheses (k0 : (0 < k)%N) (splits : forall s t, F s + F t <= F (s ++ t)).

Fixpoint chopped n (s : seq T) : seq (seq T) :=
  if n is n.+1 then
    if (size s < 2 * k)%N then [:: s] else take k s :: chopped n (drop k s)
  else [:: s].

Lemma choppedP n s : (k <= size s <= n)%N ->
  [/\ flatten (chopped n s) = s,
      all (fun g => (k <= size g < 2 * k)%N) (chopped n s) &
      \sum_(g <- chopped n s) F g <= F s].
Proof.
elim: n s => [|n IH] s /andP[ks sn].
  by move: (leq_trans ks sn); rewrite leqNgt k0.
rewrite /=; case: ltnP => [less|more]; first by rewrite /= cats0 ks less big_seq1.
have [|f a c] := IH (drop k s).
  by rewrite size_drop; apply/andP; split; lia.
split; first by rewrite /= f cat_take_drop.
  by rewrite /= a andbT size_takel //; apply/andP; split; lia.
rewrite big_cons; apply: le_trans (_ : F (take k s) + F (drop k s) <= _).
  by rewrite ler_add2l.
by rewrite -{3}(cat_take_drop k s).
Qed.

(* a grouping of records: the same records in groups of k to 2k - 1, at no more cost *)
Theorem groups_suffice (groups : seq (seq T)) : all (fun g => (k <= size g)%N) groups ->
  exists parts, [/\ flatten parts = flatten groups,
    all (fun g => (k <= size g < 2 * k)%N) parts &
    \sum_(g <- parts) F g <= \sum_(g <- groups) F g].
Proof.
elim: groups => [|g groups IH] /=; first by exists [::]; rewrite !big_nil.
case/andP=> kg /IH[parts [f a c]]; have [|f' a' c'] := @choppedP (size g) g; first by rewrite kg /=.
exists (chopped (size g) g ++ parts); rewrite flatten_cat f f' all_cat a a' big_cat big_cons.
by rewrite ler_add.
Qed.
End Groups.

(* one record has the value v: groups that all hold v are one group, whatever its size *)
Theorem groups_do_not (T : eqType) (v w : T) n (groups : seq (seq T)) : v != w ->
  perm_eq (flatten groups) (v :: nseq n w) -> all (fun g => v \in g) groups ->
  (size groups <= 1)%N.
Proof.
move=> vw /permP/(_ (pred1 v)); rewrite /= eqxx count_nseq /= eq_sym (negPf vw) mul0n addn0.
rewrite count_flatten => e all_v; rewrite -e; elim: {e} groups all_v => //= g groups IH.
by case/andP=> vg /IH; apply: (@leq_add 1); rewrite -has_count has_pred1.
Qed.

(* such are groups of two values, and groups with the shares of all n + 1 records *)
Theorem two_values (T : eqType) (v w : T) n (g : seq T) : {subset g <= v :: nseq n w} ->
  (1 < size (undup g))%N -> v \in g.
Proof.
move=> sub; apply: contraLR => vg; rewrite -leqNgt.
have : {subset undup g <= [:: w]}.
  move=> x; rewrite mem_undup => xg; have := sub x xg; rewrite !inE mem_nseq.
  by case/predU1P=> [e|/andP[_ ->]//]; rewrite -e xg in vg.
by move/(uniq_leq_size (undup_uniq g)).
Qed.

Theorem same_shares (T : eqType) (v : T) n (g : seq T) : (0 < size g)%N ->
  (count_mem v g * n.+1 = size g)%N -> v \in g.
Proof. by move=> g0 e; rewrite -has_pred1 has_count; move: g0; rewrite -e muln_gt0 => /andP[]. Qed.
