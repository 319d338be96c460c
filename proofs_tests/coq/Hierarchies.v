(* The hierarchical distance of the t-closeness paper (section 5.2), in two
   models of a taxonomy, and the paper's formula for its EMD.

   Places in the paper:
     hierarchy_emd, hierarchy_emd_paper   section 5.2, all leaves at one depth;
        anc h x is the ancestor of value x at height h (a generalization table)
     tree_emd, tree_emd_paper   the same for a tree with leaves at any depths;
        par is the parent of a node and ht its height (0 at the leaves)

   The idea in three lines:
   - the distance of two leaves is the total length of the edges that separate
     them, an edge above node n being as long as the difference of the heights;
   - the sets of leaves below the nodes are laminar, so laminar_emd applies;
   - summing by parts over the tree gives height(N)/H * min(pos, neg). *)
From mathcomp Require Import all_ssreflect all_algebra ring zify.
From Tcloseness Require Import Transport Laminar ClosedForms.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* A hierarchy of height H: anc h x names the ancestor at height h of leaf x.
   (This is a generalization table: one row per leaf, one column per level.) *)
Section Hierarchy.
Variables (R : realFieldType) (T N : finType) (H : nat) (anc : nat -> T -> N).
Hypothesis root : forall x y, anc H x = anc H y.
Hypothesis tree : forall h x y, anc h x = anc h y -> anc h.+1 x = anc h.+1 y.
Implicit Types (p q : T -> R).

(* height of the lowest common ancestor, and the distance of the paper *)
Definition lca x y : nat := find (fun h => anc h x == anc h y) (iota 0 H).
Definition hdist x y : R := (lca x y)%:R / H%:R.

Definition node h n : {set T} := [set x | anc h x == n].
Definition child h c n := [exists x, (anc h x == c) && (anc h.+1 x == n)].

Definition extra p q h n : R := on p (node h n) - on q (node h n).
Definition pos_extra p q h n : R :=
  \sum_(c | child h c n) Num.max (extra p q h c) 0.
Definition neg_extra p q h n : R :=
  \sum_(c | child h c n) Num.max (- extra p q h c) 0.
(* an internal node at height h+1 *)
Definition node_cost p q h n : R :=
  h.+1%:R / H%:R * Num.min (pos_extra p q h n) (neg_extra p q h n).

Lemma up h k x y : (h <= k)%N -> anc h x = anc h y -> anc k x = anc k y.
Proof. by move/subnK<-; elim: (k - h)%N => // i IH /IH; apply: tree. Qed.

Lemma lca_lt h x y : (h < H)%N -> (h < lca x y)%N = (anc h x != anc h y).
Proof.
move=> hH; apply/idP/idP => [lt|].
  by have := before_find 0%N lt; rewrite nth_iota // => ->.
apply: contraR; rewrite -leqNgt => le.
have lH : (lca x y < size (iota 0 H))%N by rewrite size_iota (leq_ltn_trans le).
have := lH; rewrite -has_find => /(nth_find 0%N).
rewrite -/(lca x y) nth_iota ?add0n; last by rewrite -[X in (_ < X)%N](size_iota 0).
by move=> /eqP; move/(up le) ->.
Qed.

Lemma sum_lca x y : (\sum_(h < H) (anc h x != anc h y) = lca x y)%N.
Proof.
transitivity (\sum_(h < H) ((0 <= h) && (h < lca x y)))%N.
  by apply: eq_bigr => h _; rewrite lca_lt.
rewrite count_between ?subn0 // -[X in (_ <= X)%N](size_iota 0).
exact: find_size.
Qed.

Let w (_ : 'I_H * N) : R := (2%:R * H%:R)^-1.
Let S (k : 'I_H * N) := node k.1 k.2.

Lemma cuts_nodes x y : cuts w S x y = hdist x y.
Proof.
rewrite /cuts /w -mulr_sumr /hdist -sum_lca natr_sum mulr_suml.
rewrite -(pair_bigA _ (fun (h : 'I_H) n => @cut R T (node h n) x y)) /=.
rewrite mulr_sumr; apply: eq_bigr => h _; rewrite /cut; under eq_bigr do rewrite !inE.
have [->|xy] := eqVneq (anc h x) (anc h y).
  by rewrite big1 ?mulr0 ?mul0r // => n _; rewrite addbb.
by rewrite sum_two // mul1r invfM mulrAC mulVf ?mul1r ?pnatr_eq0.
Qed.

(* mass crossing the edges above the nodes at height h *)
Let A p q h := \sum_n `|extra p q h n|.

Theorem hierarchy_emd p q :
    (forall i, 0 <= p i) -> (forall i, 0 <= q i) -> \sum_i p i = \sum_i q i ->
  is_emd hdist p q ((2%:R * H%:R)^-1 * \sum_(h < H) \sum_n `|extra p q h n|).
Proof.
move=> p0 q0 pq; apply: eq_is_emd cuts_nodes _.
have w0 k : 0 <= w k by rewrite invr_ge0 mulr_ge0 ?ler0n.
have := @laminar_emd R _ _ w S w0 _ p q p0 q0 pq.
rewrite /w -mulr_sumr pair_bigA; apply=> -[h n] [k l]; rewrite /S /=.
wlog hk : h n k l / (h <= k)%N => [W|].
  have [/W->//|/ltnW kh] := leqP h k.
  by rewrite disjoint_sym orbCA W.
have [x xn|no] := pickP (mem (node h n :&: node k l)); last first.
  have -> : [disjoint node h n & node k l]; last by rewrite !orbT.
  by rewrite -setI_eq0; apply/eqP/setP=> z; rewrite [RHS]inE; apply: no.
move: xn; rewrite !inE => /andP[/eqP xn /eqP xl].
apply/orP; left; apply/subsetP=> y; rewrite !inE -xn -xl => /eqP yx.
by rewrite (up hk yx).
Qed.

Lemma pos_neg_norm (e : R) : Num.max e 0 + Num.max (- e) 0 = `|e|.
Proof.
have [e0|e0] := leP e 0.
  by rewrite (max_idPl _) ?oppr_ge0 // ler0_norm // add0r.
by rewrite (max_idPr _) ?oppr_le0 ?ltW // gtr0_norm // addr0.
Qed.

Lemma pos_neg_diff (e : R) : Num.max e 0 - Num.max (- e) 0 = e.
Proof.
have [e0|e0] := leP e 0.
  by rewrite (max_idPl _) ?oppr_ge0 // opprK add0r.
by rewrite (max_idPr _) ?oppr_le0 ?ltW // subr0.
Qed.

(* sums over the children of all nodes = sums over the level below *)
Lemma sum_children h (F : N -> R) :
    (forall c, (forall x, anc h x != c) -> F c = 0) ->
  \sum_n \sum_(c | child h c n) F c = \sum_c F c.
Proof.
move=> F0; rewrite (exchange_big_dep xpredT) //=; apply: eq_bigr => c _.
have [x /eqP xc|no] := pickP (fun x => anc h x == c); last first.
  by rewrite F0 => [|x]; [rewrite big1 | rewrite no].
rewrite (big_pred1 (anc h.+1 x)) // => n; apply/existsP/eqP => [[y]|->].
  by case/andP=> /eqP yc /eqP <-; apply: tree; rewrite yc.
by exists x; rewrite xc !eqxx.
Qed.

Lemma extra_empty p q h c : (forall x, anc h x != c) -> extra p q h c = 0.
Proof.
by move=> no; rewrite /extra /on !big1 ?subrr // => x; rewrite inE (negPf (no x)).
Qed.

Theorem extra_children p q h n :
  extra p q h.+1 n = pos_extra p q h n - neg_extra p q h n.
Proof.
have onE r : on r (node h.+1 n) = \sum_(c | child h c n) on r (node h c).
  rewrite /on (partition_big (anc h) (fun c => child h c n)) /=; last first.
    by move=> x; rewrite inE => xn; apply/existsP; exists x; rewrite eqxx.
  apply: eq_bigr => c /existsP[y /andP[/eqP yc /eqP yn]].
  apply: eq_bigl => x; rewrite !inE andbC; case: eqP => //= xc.
  by rewrite -yn; apply/eqP/tree; rewrite yc.
rewrite /extra !onE -sumrB -sumrB; apply: eq_bigr => c _.
rewrite -/(extra p q h c); set e := extra p q h c.
by rewrite pos_neg_diff.
Qed.

(* the extras of a level are those of the level below, added; all together are 0 *)
Theorem extras_of_a_level p q h : \sum_i p i = \sum_i q i -> \sum_n extra p q h n = 0.
Proof.
have onE r : \sum_n on r (node h n) = \sum_i r i.
  rewrite [RHS](partition_big (anc h) xpredT) //=; apply: eq_bigr => n _.
  by apply: eq_bigl => x; rewrite inE.
by move=> pq; rewrite /extra sumrB !onE pq subrr.
Qed.

Lemma min_pos_neg p q h :
  \sum_n Num.min (pos_extra p q h n) (neg_extra p q h n)
  = 2%:R^-1 * (A p q h - A p q h.+1).
Proof.
have minE (a b : R) : Num.min a b = 2%:R^-1 * (a + b - `|a - b|).
  have two : 2%:R != 0 :> R by rewrite pnatr_eq0.
  apply: (mulfI two); rewrite mulrA divff // mul1r.
  by case: (lerP a b) => _; ring.
under eq_bigr do rewrite minE -extra_children.
rewrite -mulr_sumr sumrB; congr (_ * (_ - _)); rewrite big_split /=.
rewrite !sum_children; last 2 first.
- by move=> c no; rewrite extra_empty // oppr0 maxxx.
- by move=> c no; rewrite extra_empty // maxxx.
rewrite -big_split; apply: eq_bigr => n _ /=; set e := extra p q h n.
exact: pos_neg_norm.
Qed.

(* the formula of the paper: cost(N) = height(N)/H min(pos_extra, neg_extra) *)
Theorem hierarchy_emd_paper p q :
    (forall i, 0 <= p i) -> (forall i, 0 <= q i) -> \sum_i p i = \sum_i q i ->
  is_emd hdist p q (\sum_(h < H) \sum_n node_cost p q h n).
Proof.
move=> p0 q0 pq; have := hierarchy_emd p0 q0 pq; congr is_emd.
have AH : A p q H = 0.
  rewrite /A big1 // => n _; rewrite /extra.
  have [x /eqP xn|no] := pickP (fun x => anc H x == n); last first.
    by have := @extra_empty p q H n; rewrite /extra => ->; rewrite ?normr0 // => x; rewrite no.
  have -> : node H n = setT by apply/setP=> y; rewrite !inE -xn (root y x) eqxx.
  have onT (r : T -> R) : on r setT = \sum_i r i by apply: eq_bigl => y; rewrite inE.
  by rewrite !onT pq subrr normr0.
under [RHS]eq_bigr do rewrite -mulr_sumr min_pos_neg.
have abel k : \sum_(h < k) h.+1%:R * (A p q h - A p q h.+1)
    = \sum_(h < k) A p q h - k%:R * A p q k.
  elim: k => [|k IH]; first by rewrite !big_ord0 mul0r subr0.
  rewrite !big_ord_recr /= IH mulrS -!addrA; congr (_ + _); ring.
have -> : \sum_(h < H) \sum_n `|extra p q h n|
    = \sum_(h < H) h.+1%:R * (A p q h - A p q h.+1).
  by rewrite abel AH mulr0 subr0.
rewrite mulr_sumr; apply: eq_bigr => h _; rewrite invfM.
by move: (h.+1%:R) (H%:R^-1) (2%:R^-1) (_ - _) => a b c x; ring.
Qed.
End Hierarchy.

(* ---- trees with leaves at any depths ------------------------------------- *)
(* Nodes N, a root, the parent of a node, the height of a node: 0 at the nodes
   that are values, smaller than the parent's, H at the root.  The paper's height
   (longest way down to a leaf) is one such function; so are cluster heights. *)
Section Tree.
Variables (R : realFieldType) (T N : finType).
Variables (root : N) (par : N -> N) (ht : N -> nat) (leaf : T -> N).
Hypothesis par_root : par root = root.
Hypothesis ht_par : forall n, n != root -> (ht n < ht (par n))%N.
Hypothesis ht_leaf : forall x, ht (leaf x) = 0%N.
Implicit Types (p q : T -> R) (n a b : N).
Notation H := (ht root).

(* n is a or lies above a *)
Definition above a : {set N} := [set n | fconnect par a n].
Definition leaves_below n : {set T} := [set x | n \in above (leaf x)].

(* the lowest common ancestor, and the distance of the paper *)
Definition lowest x y : N :=
  [arg min_(n < root | n \in above (leaf x) :&: above (leaf y)) ht n]%N.
Definition tree_dist x y : R := (ht (lowest x y))%:R / H%:R.

Definition tree_extra p q n : R := on p (leaves_below n) - on q (leaves_below n).
Definition tree_pos p q n : R :=
  \sum_(c | (c != root) && (par c == n)) Num.max (tree_extra p q c) 0.
Definition tree_neg p q n : R :=
  \sum_(c | (c != root) && (par c == n)) Num.max (- tree_extra p q c) 0.
Definition tree_cost p q n : R :=
  (ht n)%:R / H%:R * Num.min (tree_pos p q n) (tree_neg p q n).

Lemma above_root : above root = [set root].
Proof.
apply/setP=> n; rewrite !inE; apply/idP/eqP => [/iter_findex <-|->].
  by elim: (findex _ _ _) => //= k ->.
exact: connect0.
Qed.

Lemma aboveS a : above a = a |: above (par a).
Proof.
apply/setP=> n; rewrite !inE; apply/idP/idP => [/iter_findex <-|].
  case: (findex _ _ _) => [|k]; first by rewrite eqxx.
  by rewrite iterSr fconnect_iter orbT.
case/predU1P => [->|]; first exact: connect0.
exact/connect_trans/fconnect1.
Qed.

(* climbing ends at the root *)
Lemma climb (P : N -> Prop) : P root -> (forall a, a != root -> P (par a) -> P a) ->
  forall a, P a.
Proof.
move=> Pr Pp; pose M := \max_n ht n.
have HM n : (ht n <= M)%N by apply: leq_bigmax.
move=> a; have [k] := ubnP (M - ht a); elim: k a => // k IH a ak.
have [->//|ar] := eqVneq a root; apply: Pp => //; apply: IH.
by have := ht_par ar; have := HM (par a); lia.
Qed.

Lemma root_above a : root \in above a.
Proof.
by elim/climb: a => [|a _ IH]; rewrite ?above_root ?set11 // aboveS inE IH orbT.
Qed.

Lemma above_trans a b : b \in above a -> above b \subset above a.
Proof.
rewrite inE => ab; apply/subsetP=> n; rewrite !inE; exact: connect_trans ab.
Qed.

Lemma above_ht a b : b \in above a -> b = a \/ (ht a < ht b)%N.
Proof.
elim/climb: a => [|a ar IH]; first by rewrite above_root => /set1P; left.
rewrite aboveS => /setU1P[|/IH]; first by left.
by have := ht_par ar => lt [->|]; right; lia.
Qed.

(* the nodes above one node form a chain *)
Lemma above_chain a b c : b \in above a -> c \in above a ->
  (b \in above c) || (c \in above b).
Proof.
elim/climb: a => [|a _ IH]; first by rewrite above_root => /set1P-> /set1P->; rewrite above_root set11.
rewrite aboveS => /setU1P[->|ba] /setU1P[->|ca].
- by rewrite inE connect0.
- by rewrite (aboveS a) in_setU1 ca !orbT.
- by rewrite (aboveS a) in_setU1 ba !orbT.
- exact: IH.
Qed.

(* the length of the edge above a node, halved and divided by H *)
Let w n : R := if n == root then 0 else ((ht (par n))%:R - (ht n)%:R) / (2%:R * H%:R).

Let w_ge0 n : 0 <= w n.
Proof.
rewrite /w; case: eqVneq => // /ht_par lt; rewrite divr_ge0 ?mulr_ge0 ?ler0n //.
by rewrite subr_ge0 ler_nat ltnW.
Qed.

(* the way from a node up to one above it *)
Lemma way_up a b : b \in above a ->
  \sum_(n in above a :\: above b) w n = ((ht b)%:R - (ht a)%:R) / (2%:R * H%:R).
Proof.
elim/climb: a => [|a ar IH].
  by rewrite above_root => /set1P->; rewrite above_root setDv big_set0 subrr mul0r.
have [-> _|ba] := eqVneq b a; first by rewrite setDv big_set0 subrr mul0r.
rewrite {1}aboveS !inE (negPf ba) /= => bp; have {}bp : b \in above (par a) by rewrite inE.
have aD : a \notin above b.
  apply/negP=> /above_ht[ab|]; first by rewrite ab eqxx in ba.
  by have := ht_par ar; case: (above_ht bp) => [->|]; lia.
have aP : a \notin above (par a).
  by apply/negP=> /above_ht[ab|]; have := ht_par ar; rewrite -?ab; lia.
have -> : above a :\: above b = a |: (above (par a) :\: above b).
  apply/setP=> n; rewrite aboveS !in_setD !in_setU1 in_setD.
  by case: eqVneq => [->|//]; rewrite aD.
rewrite big_setU1 /=; last by rewrite in_setD negb_and aP orbT.
by rewrite IH // /w (negPf ar) -mulrDl addrC subrKA.
Qed.

Lemma lowestP x y : let m := lowest x y in
  [/\ m \in above (leaf x), m \in above (leaf y) &
      above (leaf x) :\: above (leaf y) = above (leaf x) :\: above m].
Proof.
rewrite /lowest; case: arg_minnP => [|m]; first by rewrite in_setI !root_above.
rewrite in_setI => /andP[mx my] least; split=> //; apply/setP=> n; rewrite !in_setD.
have [nx|] := boolP (n \in above (leaf x)); rewrite ?andbF // !andbT; congr (~~ _).
apply/idP/idP => [ny|]; last exact: (subsetP (above_trans my)).
have nm := least n; rewrite in_setI nx ny in nm; have {}nm := nm isT.
have /orP[mn|//] := above_chain mx nx.
by have [->|] := above_ht mn; rewrite ?inE ?connect0 // ltnNge nm.
Qed.

Lemma lowest_least x y n : n \in above (leaf x) -> n \in above (leaf y) ->
  (ht (lowest x y) <= ht n)%N.
Proof.
rewrite /lowest; case: arg_minnP => [|m _ least nx ny].
  by rewrite in_setI !root_above.
by apply: least; rewrite in_setI nx ny.
Qed.

Lemma lowestC x y : ht (lowest x y) = ht (lowest y x).
Proof.
have [xy yx _] := lowestP x y; have [xy' yx' _] := lowestP y x.
by apply/eqP; rewrite eqn_leq !lowest_least.
Qed.

Lemma cuts_tree x y : cuts w leaves_below x y = tree_dist x y.
Proof.
rewrite /cuts /tree_dist.
have -> : \sum_n w n * @cut R T (leaves_below n) x y
    = \sum_(n in above (leaf x) :\: above (leaf y)) w n
    + \sum_(n in above (leaf y) :\: above (leaf x)) w n.
  rewrite [X in _ = X + _]big_mkcond [X in _ = _ + X]big_mkcond -big_split.
  apply: eq_bigr => n _ /=; rewrite !in_setD /cut ![_ \in leaves_below _]inE.
  by case: (_ \in above _); case: (_ \in above _); rewrite /= ?mulr1 ?mulr0 ?addr0 ?add0r.
have [mx my ->] := lowestP x y; have [_ mx' ->] := lowestP y x.
rewrite way_up // way_up; last by have [] := lowestP y x.
rewrite lowestC !ht_leaf !subr0 -mulrDl invfM mulrA; congr (_ / _).
by rewrite -mulr2n -[_ *+ 2]mulr_natr mulfK // pnatr_eq0.
Qed.

Lemma laminar_leaves n m : [|| leaves_below n \subset leaves_below m,
  leaves_below m \subset leaves_below n | [disjoint leaves_below n & leaves_below m]].
Proof.
have [x|no] := pickP (mem (leaves_below n :&: leaves_below m)); last first.
  have -> : [disjoint leaves_below n & leaves_below m]; last by rewrite !orbT.
  by rewrite -setI_eq0; apply/eqP/setP=> z; rewrite [RHS]inE; apply: no.
rewrite /= in_setI ![x \in _]inE => /andP[xn xm].
have below a b : b \in above a -> leaves_below a \subset leaves_below b.
  by move=> ab; apply/subsetP=> z; rewrite ![z \in _]inE => /above_trans/subsetP; apply.
by case/orP: (above_chain xn xm) => /below ->; rewrite ?orbT.
Qed.

Theorem tree_emd p q :
    (forall i, 0 <= p i) -> (forall i, 0 <= q i) -> \sum_i p i = \sum_i q i ->
  is_emd tree_dist p q
    ((2%:R * H%:R)^-1 * \sum_(n | n != root)
       ((ht (par n))%:R - (ht n)%:R) * `|tree_extra p q n|).
Proof.
move=> p0 q0 pq; apply: eq_is_emd cuts_tree _.
have := @laminar_emd R _ _ w leaves_below w_ge0 laminar_leaves p q p0 q0 pq.
congr is_emd; rewrite mulr_sumr [RHS]big_mkcond; apply: eq_bigr => n _.
by rewrite /w; case: eqVneq => _; rewrite ?mul0r //= mulrA [_^-1 * _]mulrC.
Qed.

(* extra(N) is the sum over the children, for an internal node *)
Lemma tree_extra_children p q n : (0 < ht n)%N ->
  tree_extra p q n = tree_pos p q n - tree_neg p q n.
Proof.
move=> hn; have onE r : on r (leaves_below n)
    = \sum_(c | (c != root) && (par c == n)) on r (leaves_below c).
  rewrite /on (exchange_big_dep (mem (leaves_below n))) /=; last first.
    move=> c x /andP[_ /eqP<-]; rewrite !inE => cx.
    exact: connect_trans cx (fconnect1 _ _).
  apply: eq_bigr => x; rewrite [x \in _]inE => nx.
  pose on_way a := (a \in above (leaf x)) && (a != root) && (par a == n).
  have [c cP] : exists c, on_way c.
    have xn : leaf x != n by apply: contraTneq hn => <-; rewrite ht_leaf.
    move: nx xn; rewrite /on_way; elim/climb: (leaf x) => [|a ar IH].
      by rewrite above_root => /set1P->; rewrite eqxx.
    rewrite {1}aboveS => /setU1P[->|na _]; first by rewrite eqxx.
    have [E|/IH[//|c /andP[/andP[ca cr] cn]]] := eqVneq (par a) n.
      by exists a; rewrite ar E eqxx !andbT inE; apply: connect0.
    by exists c; rewrite cr cn !andbT aboveS in_setU1 ca orbT.
  rewrite (big_pred1 c) // => b; rewrite /= [x \in _]inE; apply/idP/eqP => [|->]; last first.
    by case/andP: cP => /andP[-> ->] ->.
  case/andP: cP => /andP[ca cr] /eqP cn /andP[/andP[br /eqP bn] ba].
  have [//|bc] := eqVneq b c; have := above_chain ba ca.
  have up2 a' b' : a' != b' -> a' \in above b' -> b' != root -> a' \in above (par b').
    by move=> ne; rewrite aboveS => /setU1P[E|//]; rewrite E eqxx in ne.
  case/orP=> [/(up2 _ _ bc)/(_ cr)|].
    by rewrite cn -bn => /above_ht bb; case: bb (ht_par br) => [<-|/ltn_trans gt /gt]; rewrite ltnn.
  move/(up2 _ _); rewrite eq_sym => /(_ bc br).
  by rewrite bn -cn => /above_ht cc; case: cc (ht_par cr) => [<-|/ltn_trans gt /gt]; rewrite ltnn.
rewrite /tree_extra !onE -sumrB -sumrB; apply: eq_bigr => c _.
by rewrite -/(tree_extra p q c); set e := tree_extra p q c; rewrite pos_neg_diff.
Qed.

Lemma tree_extra_root p q : \sum_i p i = \sum_i q i -> tree_extra p q root = 0.
Proof.
move=> pq; have onT (r : T -> R) : on r (leaves_below root) = \sum_i r i.
  by apply: eq_bigl => x; rewrite inE root_above.
by rewrite /tree_extra !onT pq subrr.
Qed.

Lemma min_half (a b : R) : Num.min a b = 2%:R^-1 * (a + b - `|a - b|).
Proof.
have two : 2%:R != 0 :> R by rewrite pnatr_eq0.
apply: (mulfI two); rewrite mulrA divff // mul1r.
by case: (lerP a b) => _; ring.
Qed.

(* the formula of the paper, with the height of each node *)
Theorem tree_emd_paper p q :
    (forall i, 0 <= p i) -> (forall i, 0 <= q i) -> \sum_i p i = \sum_i q i ->
  is_emd tree_dist p q (\sum_n tree_cost p q n).
Proof.
move=> p0 q0 pq; have := tree_emd p0 q0 pq; congr is_emd.
pose A n := `|tree_extra p q n|.
have costE n : tree_cost p q n = (2%:R * H%:R)^-1 *
    (\sum_(c | (c != root) && (par c == n)) (ht (par c))%:R * A c - (ht n)%:R * A n).
  rewrite /tree_cost; have [z|hn] := posnP (ht n).
    rewrite z !mul0r subr0 big1 ?mulr0 // => c /andP[_ /eqP->].
    by rewrite z mul0r.
  rewrite min_half -tree_extra_children // -/(A n).
  have -> : tree_pos p q n + tree_neg p q n = \sum_(c | (c != root) && (par c == n)) A c.
    by rewrite -big_split; apply: eq_bigr => c _; apply: pos_neg_norm.
  have -> : \sum_(c | (c != root) && (par c == n)) (ht (par c))%:R * A c
      = (ht n)%:R * \sum_(c | (c != root) && (par c == n)) A c.
    by rewrite mulr_sumr; apply: eq_bigr => c /andP[_ /eqP->].
  rewrite invfM; move: (_%:R) (_%:R^-1) (_%:R^-1) (A n) (\sum_(_ | _) _) => a b c d e.
  ring.
under [RHS]eq_bigr do rewrite costE; rewrite -mulr_sumr; congr (_ * _).
rewrite sumrB (exchange_big_dep (fun c => c != root)) /=; last by move=> ? ? _ /andP[].
have -> : \sum_n (ht n)%:R * A n = \sum_(n | n != root) (ht n)%:R * A n.
  rewrite [LHS](bigD1 root) //= [X in X + _ = _](_ : _ = 0) ?add0r //.
  by rewrite /A tree_extra_root // normr0 mulr0.
rewrite -sumrB; apply: eq_bigr => c cr; rewrite (big_pred1 (par c)) => [|n].
  by rewrite mulrBl.
by rewrite cr /= eq_sym.
Qed.
End Tree.
