(* Written by `python -m proofs_tests.gallina write` from the syntax trees of the functions; do not edit. *)
Require Import ZArith Bool.
From Tcloseness.kernels Require Import Kernel.
Open Scope Z_scope.

(* tcloseness/transport/closed_forms.py: cut_work *)
Definition cut_work (fits : Z -> bool)
    (differences : arr) (cuts_order : arr) (cuts_low : arr) (cuts_high : arr) (cuts_weights : arr) :=
  (* prefix = [0 * differences[0]] *)
  let! t1 := get differences 0 in
  let! t2 := mul fits 0 t1 in
  let prefix := one t2 in
  (* for code in cuts.order.tolist() *)
  let! prefix := for_ (Z.to_nat (len cuts_order)) (fun pass prefix =>
      let! code := get cuts_order pass in
      (* prefix.append(prefix[-1] + differences[code]) *)
      let! t3 := get prefix (len prefix - 1) in
      let! t4 := get differences code in
      let! t5 := add fits t3 t4 in
      let prefix := append prefix t5 in
      Some prefix) prefix in
  (* work = 0 * differences[0] *)
  let! t6 := get differences 0 in
  let! work := mul fits 0 t6 in
  (* for (low, high, weight) in zip(cuts.low.tolist(), cuts.high.tolist(), cuts.weights.tolist(), strict=True) *)
  let! _ := guard (len cuts_low =? len cuts_high) in
  let! _ := guard (len cuts_low =? len cuts_weights) in
  let! work := for_ (Z.to_nat (len cuts_low)) (fun pass work =>
      let! low := get cuts_low pass in
      let! high := get cuts_high pass in
      let! weight := get cuts_weights pass in
      (* term = absolute(prefix[high] - prefix[low]) *)
      let! t8 := get prefix high in
      let! t9 := get prefix low in
      let! t10 := sub fits t8 t9 in
      let! term := absolute fits t10 in
      (* work = work + (term if weight == 1 else weight * term) *)
      let! t13 := if (weight =? 1) then
        Some term
      else
        let! t12 := mul fits weight term in
        Some t12
      in
      let! work := add fits work t13 in
      Some work) work in
  (* return work *)
  Some work.

(* tcloseness/transport/closed_forms.py: cut_potential *)
Definition cut_potential (fits : Z -> bool)
    (differences : arr) (cuts_order : arr) (cuts_low : arr) (cuts_high : arr) (cuts_weights : arr) :=
  (* prefix = [0] *)
  let prefix := one 0 in
  (* for code in cuts.order.tolist() *)
  let! prefix := for_ (Z.to_nat (len cuts_order)) (fun pass prefix =>
      let! code := get cuts_order pass in
      (* prefix.append(prefix[-1] + differences[code]) *)
      let! t1 := get prefix (len prefix - 1) in
      let! t2 := get differences code in
      let! t3 := add fits t1 t2 in
      let prefix := append prefix t3 in
      Some prefix) prefix in
  (* steps = [0] * (len(prefix) + 1) *)
  let! t4 := add fits (len prefix) 1 in
  let steps' := fill 0 (Arr (Z.max 0 t4) (fun _ => 0)) in
  (* for (low, high, weight) in zip(cuts.low.tolist(), cuts.high.tolist(), cuts.weights.tolist(), strict=True) *)
  let! _ := guard (len cuts_low =? len cuts_high) in
  let! _ := guard (len cuts_low =? len cuts_weights) in
  let! steps' := for_ (Z.to_nat (len cuts_low)) (fun pass steps' =>
      let! low := get cuts_low pass in
      let! high := get cuts_high pass in
      let! weight := get cuts_weights pass in
      (* r = prefix[high] - prefix[low] *)
      let! t5 := get prefix high in
      let! t6 := get prefix low in
      let! r := sub fits t5 t6 in
      (* signed = weight * ((r > 0) - (r < 0)) *)
      let! t8 := sub fits (Z.b2z ((0 <? r))) (Z.b2z ((r <? 0))) in
      let! signed := mul fits weight t8 in
      (* steps[low] += signed *)
      let! t10 := get steps' low in
      let! t11 := add fits t10 signed in
      let! steps' := set steps' low t11 in
      (* steps[high] -= signed *)
      let! t12 := get steps' high in
      let! t13 := sub fits t12 signed in
      let! steps' := set steps' high t13 in
      Some steps') steps' in
  (* potential = [0] * len(differences) *)
  let potential := fill 0 (Arr (Z.max 0 (len differences)) (fun _ => 0)) in
  (* height = 0 *)
  let height := 0 in
  (* for (place, code) in enumerate(cuts.order.tolist()) *)
  let! '(height, potential) := for_ (Z.to_nat (len cuts_order)) (fun place '(height, potential) =>
      let! code := get cuts_order place in
      (* height += steps[place] *)
      let! t14 := get steps' place in
      let! height := add fits height t14 in
      (* potential[code] = height *)
      let! potential := set potential code height in
      Some (height, potential)) (height, potential) in
  (* return potential *)
  Some potential.

(* tcloseness/transport/closed_forms.py: ordered_emd *)
Definition ordered_emd (fits : Z -> bool)
    (p : arr) (q : arr) :=
  (* prefix = work = 0 * p[0] *)
  let! t1 := get p 0 in
  let! t2 := mul fits 0 t1 in
  let prefix := t2 in
  let work := t2 in
  (* for (a, b) in zip(p, q, strict=True) *)
  let! _ := guard (len p =? len q) in
  let! '(prefix, work) := for_ (Z.to_nat (len p)) (fun pass '(prefix, work) =>
      let! a := get p pass in
      let! b := get q pass in
      (* prefix = prefix + (a - b) *)
      let! t3 := sub fits a b in
      let! prefix := add fits prefix t3 in
      (* work = work + abs(prefix) *)
      let! t5 := absolute fits prefix in
      let! work := add fits work t5 in
      Some (prefix, work)) (prefix, work) in
  (* return work / (len(p) - 1) if len(p) > 1 else work *)
  let! t7 := sub fits (len p) 1 in
  let! _ := guard (negb ((if (1 <? (len p)) then t7 else 1) =? 0)) in
  Some ((if (1 <? (len p)) then work else work), (if (1 <? (len p)) then t7 else 1)).

(* tcloseness/transport/closed_forms.py: ordered_emd_double_sum *)
Definition ordered_emd_double_sum (fits : Z -> bool)
    (p : arr) (q : arr) :=
  (* m = len(p) *)
  let m := (len p) in
  (* work = sum((abs(sum((p[j] - q[j] for j in range(i + 1)), 0 * p[0])) for i in range(m)), 0 * p[0]) *)
  let! t2 := get p 0 in
  let! total1 := mul fits 0 t2 in
  (* for i in range(m) *)
  let! total1 := for_ (Z.to_nat m) (fun i total1 =>
      (* total1 += abs(sum((p[j] - q[j] for j in range(i + 1)), 0 * p[0])) *)
      let! t5 := get p 0 in
      let! total4 := mul fits 0 t5 in
      (* for j in range(i + 1) *)
      let! t7 := add fits i 1 in
      let! total4 := for_ (Z.to_nat t7) (fun j total4 =>
          (* total4 += p[j] - q[j] *)
          let! t8 := get p j in
          let! t9 := get q j in
          let! t10 := sub fits t8 t9 in
          let! total4 := add fits total4 t10 in
          Some total4) total4 in
      let! t11 := absolute fits total4 in
      let! total1 := add fits total1 t11 in
      Some total1) total1 in
  let work := total1 in
  (* return work / (m - 1) if m > 1 else work *)
  let! t12 := sub fits m 1 in
  let! _ := guard (negb ((if (1 <? m) then t12 else 1) =? 0)) in
  Some ((if (1 <? m) then work else work), (if (1 <? m) then t12 else 1)).

(* tcloseness/transport/closed_forms.py: equal_emd *)
Definition equal_emd (fits : Z -> bool)
    (p : arr) (q : arr) :=
  (* return sum((abs(a - b) for a, b in zip(p, q, strict=True)), 0 * p[0]) / 2 *)
  let! t2 := get p 0 in
  let! total1 := mul fits 0 t2 in
  (* for (a, b) in zip(p, q, strict=True) *)
  let! _ := guard (len p =? len q) in
  let! total1 := for_ (Z.to_nat (len p)) (fun pass total1 =>
      let! a := get p pass in
      let! b := get q pass in
      (* total1 += abs(a - b) *)
      let! t4 := sub fits a b in
      let! t5 := absolute fits t4 in
      let! total1 := add fits total1 t5 in
      Some total1) total1 in
  let! _ := guard (negb (2 =? 0)) in
  Some (total1, 2).

(* tcloseness/transport/closed_forms.py: hierarchical_emd *)
Definition hierarchical_emd (fits : Z -> bool)
    (p : arr) (q : arr) (parent : arr) (height : arr) (code : arr) :=
  (* zero = 0 * p[0] *)
  let! t1 := get p 0 in
  let! zero := mul fits 0 t1 in
  (* work = zero *)
  let work := zero in
  (* positive = [zero] * len(parent) *)
  let positive := fill zero (Arr (Z.max 0 (len parent)) (fun _ => 0)) in
  (* negative = [zero] * len(parent) *)
  let negative := fill zero (Arr (Z.max 0 (len parent)) (fun _ => 0)) in
  (* for (node, above) in enumerate(parent) *)
  let! '(negative, positive, work) := for_ (Z.to_nat (len parent)) (fun node '(negative, positive, work) =>
      let! above := get parent node in
      (* work = work + height[node] * least(positive[node], negative[node]) *)
      let! t3 := get height node in
      let! t4 := get positive node in
      let! t5 := get negative node in
      let! t6 := mul fits t3 (Z.min t4 t5) in
      let! work := add fits work t6 in
      (* extra = p[code[node]] - q[code[node]] if code[node] >= 0 else positive[node] - negative[node] *)
      let! t16 := get code node in
      let! t17 := if (0 <=? t16) then
        let! t8 := get code node in
        let! t9 := get p t8 in
        let! t10 := get code node in
        let! t11 := get q t10 in
        let! t12 := sub fits t9 t11 in
        Some t12
      else
        let! t13 := get positive node in
        let! t14 := get negative node in
        let! t15 := sub fits t13 t14 in
        Some t15
      in
      let extra := t17 in
      (* positive[above] = positive[above] - least(-extra, zero) *)
      let! t18 := get positive above in
      let! t19 := sub fits 0 extra in
      let! t20 := sub fits t18 (Z.min t19 zero) in
      let! positive := set positive above t20 in
      (* negative[above] = negative[above] - least(extra, zero) *)
      let! t21 := get negative above in
      let! t22 := sub fits t21 (Z.min extra zero) in
      let! negative := set negative above t22 in
      Some (negative, positive, work)) (negative, positive, work) in
  (* return work / height[-1] if height[-1] > 0 else work *)
  let! t23 := get height (len height - 1) in
  let! t24 := get height (len height - 1) in
  let! _ := guard (negb ((if (0 <? t23) then t24 else 1) =? 0)) in
  Some ((if (0 <? t23) then work else work), (if (0 <? t23) then t24 else 1)).

(* tcloseness/transport/compiled.py: _prefix_tiles *)
(* _TILE = 512 *)
Definition _prefix_tiles (fits : Z -> bool) (junk : nat -> Z -> Z) (fuel : nat) (_TILE : Z)
    (matrix : arr2) (sizes : arr) (prefix : arr) (total : Z) (order : arr) (high : arr) (weights : arr) (work : arr) :=
  (* running = np.empty(_TILE, np.int64) *)
  let! running := fresh (junk 0%nat) _TILE in
  (* sums = np.empty(_TILE, np.int64) *)
  let! sums := fresh (junk 1%nat) _TILE in
  (* for begin in range(0, matrix.shape[1], _TILE) *)
  let! _ := guard (0 <? _TILE) in
  let! '(running, sums, work) := for_ (steps 0 (cols matrix) _TILE) (fun pass '(running, sums, work) =>
      let begin := 0 + pass * _TILE in
      (* size = min(_TILE, matrix.shape[1] - begin) *)
      let! t1 := sub fits (cols matrix) begin in
      let size := (Z.min _TILE t1) in
      (* n = sizes[begin:begin + size] *)
      let! t2 := add fits begin size in
      let! n := view1 sizes begin t2 in
      (* running[:] = 0 *)
      let running := fill 0 running in
      (* sums[:] = 0 *)
      let sums := fill 0 sums in
      (* place = 0 *)
      let place := 0 in
      (* for k in range(len(high)) *)
      let! '(place, running, sums) := for_ (Z.to_nat (len high)) (fun k '(place, running, sums) =>
          (* while place < high[k] - 1 *)
          let! '(place, running) := while fuel (fun '(place, running) =>
              let! t3 := get high k in
              let! t4 := sub fits t3 1 in
              Some ((place <? t4)))
            (fun '(place, running) =>
              (* row = matrix[order[place], begin:begin + size] *)
              let! t5 := get order place in
              let! t6 := add fits begin size in
              let! row := view2 matrix t5 begin t6 in
              (* for x in range(size) *)
              let! running := for_ (Z.to_nat size) (fun x running =>
                  (* running[x] += row[x] *)
                  let! t7 := get running x in
                  let! t8 := vget2 matrix row x in
                  let! t9 := add fits t7 t8 in
                  let! running := set running x t9 in
                  Some running) running in
              (* place += 1 *)
              let! place := add fits place 1 in
              Some (place, running)) (place, running) in
          (* row = matrix[order[place], begin:begin + size] *)
          let! t10 := get order place in
          let! t11 := add fits begin size in
          let! row := view2 matrix t10 begin t11 in
          (* share, weight = (prefix[place], weights[k]) *)
          let! t12 := get prefix place in
          let! t13 := get weights k in
          let share := t12 in
          let weight := t13 in
          (* place += 1 *)
          let! place := add fits place 1 in
          (* if weight == 1 *)
          let! '(running, sums) := if (weight =? 1) then
              (* for x in range(size) *)
              let! '(running, sums) := for_ (Z.to_nat size) (fun x '(running, sums) =>
                  (* sum_x = running[x] + row[x] *)
                  let! t14 := get running x in
                  let! t15 := vget2 matrix row x in
                  let! sum_x := add fits t14 t15 in
                  (* running[x] = sum_x *)
                  let! running := set running x sum_x in
                  (* sums[x] += abs(sum_x * total - share * n[x]) *)
                  let! t17 := get sums x in
                  let! t18 := mul fits sum_x total in
                  let! t19 := vget1 sizes n x in
                  let! t20 := mul fits share t19 in
                  let! t21 := sub fits t18 t20 in
                  let! t22 := absolute fits t21 in
                  let! t23 := add fits t17 t22 in
                  let! sums := set sums x t23 in
                  Some (running, sums)) (running, sums) in
              Some (running, sums)
            else
              (* for x in range(size) *)
              let! '(running, sums) := for_ (Z.to_nat size) (fun x '(running, sums) =>
                  (* sum_x = running[x] + row[x] *)
                  let! t24 := get running x in
                  let! t25 := vget2 matrix row x in
                  let! sum_x := add fits t24 t25 in
                  (* running[x] = sum_x *)
                  let! running := set running x sum_x in
                  (* sums[x] += weight * abs(sum_x * total - share * n[x]) *)
                  let! t27 := get sums x in
                  let! t28 := mul fits sum_x total in
                  let! t29 := vget1 sizes n x in
                  let! t30 := mul fits share t29 in
                  let! t31 := sub fits t28 t30 in
                  let! t32 := absolute fits t31 in
                  let! t33 := mul fits weight t32 in
                  let! t34 := add fits t27 t33 in
                  let! sums := set sums x t34 in
                  Some (running, sums)) (running, sums) in
              Some (running, sums)
          in
          Some (place, running, sums)) (place, running, sums) in
      (* work[begin:begin + size] = sums[:size] *)
      let! t35 := add fits begin size in
      let! work := blit work begin t35 sums 0 size in
      Some (running, sums, work)) (running, sums, work) in
  Some work.

(* tcloseness/transport/compiled.py: _interval_tiles *)
(* _TILE = 512 *)
Definition _interval_tiles (fits : Z -> bool) (junk : nat -> Z -> Z) (_TILE : Z)
    (matrix : arr2) (sizes : arr) (share : arr) (total : Z) (order : arr) (low : arr) (high : arr) (weights : arr) (work : arr) :=
  (* m = len(order) *)
  let m := (len order) in
  (* prefix = np.zeros((m + 1, _TILE), np.int64) *)
  let! t1 := add fits m 1 in
  let! prefix := zeros2 t1 _TILE in
  (* sums = np.empty(_TILE, np.int64) *)
  let! sums := fresh (junk 0%nat) _TILE in
  (* for begin in range(0, matrix.shape[1], _TILE) *)
  let! _ := guard (0 <? _TILE) in
  let! '(prefix, sums, work) := for_ (steps 0 (cols matrix) _TILE) (fun pass '(prefix, sums, work) =>
      let begin := 0 + pass * _TILE in
      (* size = min(_TILE, matrix.shape[1] - begin) *)
      let! t2 := sub fits (cols matrix) begin in
      let size := (Z.min _TILE t2) in
      (* n = sizes[begin:begin + size] *)
      let! t3 := add fits begin size in
      let! n := view1 sizes begin t3 in
      (* for place in range(m) *)
      let! prefix := for_ (Z.to_nat m) (fun place prefix =>
          (* row = matrix[order[place], begin:begin + size] *)
          let! t4 := get order place in
          let! t5 := add fits begin size in
          let! row := view2 matrix t4 begin t5 in
          (* before, after = (prefix[place], prefix[place + 1]) *)
          let! t6 := add fits place 1 in
          let! before := view2 prefix place 0 (cols prefix) in
          let! after := view2 prefix t6 0 (cols prefix) in
          (* for x in range(size) *)
          let! prefix := for_ (Z.to_nat size) (fun x prefix =>
              (* after[x] = before[x] + row[x] *)
              let! t7 := vget2 prefix before x in
              let! t8 := vget2 matrix row x in
              let! t9 := add fits t7 t8 in
              let! prefix := vset2 prefix after x t9 in
              Some prefix) prefix in
          Some prefix) prefix in
      (* sums[:] = 0 *)
      let sums := fill 0 sums in
      (* for k in range(len(low)) *)
      let! sums := for_ (Z.to_nat (len low)) (fun k sums =>
          (* first, last, weight, part = (prefix[low[k]], prefix[high[k]], weights[k], share[k]) *)
          let! t10 := get low k in
          let! t11 := get high k in
          let! t12 := get weights k in
          let! t13 := get share k in
          let! first := view2 prefix t10 0 (cols prefix) in
          let! last := view2 prefix t11 0 (cols prefix) in
          let weight := t12 in
          let part' := t13 in
          (* if weight == 1 *)
          let! sums := if (weight =? 1) then
              (* for x in range(size) *)
              let! sums := for_ (Z.to_nat size) (fun x sums =>
                  (* sums[x] += abs((last[x] - first[x]) * total - part * n[x]) *)
                  let! t14 := get sums x in
                  let! t15 := vget2 prefix last x in
                  let! t16 := vget2 prefix first x in
                  let! t17 := sub fits t15 t16 in
                  let! t18 := mul fits t17 total in
                  let! t19 := vget1 sizes n x in
                  let! t20 := mul fits part' t19 in
                  let! t21 := sub fits t18 t20 in
                  let! t22 := absolute fits t21 in
                  let! t23 := add fits t14 t22 in
                  let! sums := set sums x t23 in
                  Some sums) sums in
              Some sums
            else
              (* for x in range(size) *)
              let! sums := for_ (Z.to_nat size) (fun x sums =>
                  (* sums[x] += weight * abs((last[x] - first[x]) * total - part * n[x]) *)
                  let! t24 := get sums x in
                  let! t25 := vget2 prefix last x in
                  let! t26 := vget2 prefix first x in
                  let! t27 := sub fits t25 t26 in
                  let! t28 := mul fits t27 total in
                  let! t29 := vget1 sizes n x in
                  let! t30 := mul fits part' t29 in
                  let! t31 := sub fits t28 t30 in
                  let! t32 := absolute fits t31 in
                  let! t33 := mul fits weight t32 in
                  let! t34 := add fits t24 t33 in
                  let! sums := set sums x t34 in
                  Some sums) sums in
              Some sums
          in
          Some sums) sums in
      (* work[begin:begin + size] = sums[:size] *)
      let! t35 := add fits begin size in
      let! work := blit work begin t35 sums 0 size in
      Some (prefix, sums, work)) (prefix, sums, work) in
  Some work.

(* tcloseness/transport/network_simplex.py: is_optimal *)
Definition is_optimal (fits : Z -> bool)
    (costs : arr) (supply : arr) (demand : arr) (sources : Z) (sinks : Z) (tree : arr2) (left' : arr) :=
  (* arc, flow, potential = (tree[1], tree[3], tree[4]) *)
  let! arc := view2 tree 1 0 (cols tree) in
  let! flow := view2 tree 3 0 (cols tree) in
  let! potential := view2 tree 4 0 (cols tree) in
  (* vertices = sources + sinks *)
  let! vertices := add fits sources sinks in
  (* for v in range(vertices) *)
  let! left' := for_ (Z.to_nat vertices) (fun v left' =>
      (* left[v] = supply[v] if v < sources else demand[v - sources] *)
      let! t5 := if (v <? sources) then
        let! t2 := get supply v in
        Some t2
      else
        let! t3 := sub fits v sources in
        let! t4 := get demand t3 in
        Some t4
      in
      let! left' := set left' v t5 in
      Some left') left' in
  (* for v in range(vertices) *)
  let! exit := until (Z.to_nat vertices) (fun v left' =>
      (* number = arc[v] *)
      let! number := vget2 tree arc v in
      (* if flow[v] != 0 *)
      let! t7 := vget2 tree flow v in
      let! exit := if negb (t7 =? 0) then
          (* if flow[v] < 0 or number < 0 or number >= sources * sinks *)
          let! t8 := vget2 tree flow v in
          let! t9 := mul fits sources sinks in
          if ((t8 <? 0)) || ((number <? 0)) || ((t9 <=? number)) then
            (* return False *)
            Some (Done (false, left'))
          else
          (* i, j = (number // sinks, number % sinks) *)
          let! t10 := quotient fits number sinks in
          let! t11 := remainder fits number sinks in
          let i := t10 in
          let j := t11 in
          (* if costs[number] + potential[i] - potential[sources + j] != 0 *)
          let! t12 := get costs number in
          let! t13 := vget2 tree potential i in
          let! t14 := add fits t12 t13 in
          let! t15 := add fits sources j in
          let! t16 := vget2 tree potential t15 in
          let! t17 := sub fits t14 t16 in
          if negb (t17 =? 0) then
            (* return False *)
            Some (Done (false, left'))
          else
          (* left[i] -= flow[v] *)
          let! t18 := get left' i in
          let! t19 := vget2 tree flow v in
          let! t20 := sub fits t18 t19 in
          let! left' := set left' i t20 in
          (* left[sources + j] -= flow[v] *)
          let! t21 := add fits sources j in
          let! t22 := get left' t21 in
          let! t23 := vget2 tree flow v in
          let! t24 := sub fits t22 t23 in
          let! t25 := add fits sources j in
          let! left' := set left' t25 t24 in
          (* if left[i] < 0 or left[sources + j] < 0 *)
          let! t26 := get left' i in
          let! t27 := add fits sources j in
          let! t28 := get left' t27 in
          if ((t26 <? 0)) || ((t28 <? 0)) then
            (* return False *)
            Some (Done (false, left'))
          else
          Some (Next left')
        else
          Some (Next left')
      in
      match exit with
      | Done answer => Some (Done answer)
      | Next left' =>
      Some (Next left')
      end) left' in
  match exit with
  | Done answer => Some answer
  | Next left' =>
  (* for v in range(vertices) *)
  let! exit := until (Z.to_nat vertices) (fun v _ =>
      (* if left[v] != 0 *)
      let! t29 := get left' v in
      if negb (t29 =? 0) then
        (* return False *)
        Some (Done (false, left'))
      else
      Some (Next tt)) tt in
  match exit with
  | Done answer => Some answer
  | Next _ =>
  (* for i in range(sources) *)
  let! exit := until (Z.to_nat sources) (fun i _ =>
      (* for j in range(sinks) *)
      let! exit := until (Z.to_nat sinks) (fun j _ =>
          (* if costs[i * sinks + j] + potential[i] - potential[sources + j] < 0 *)
          let! t30 := mul fits i sinks in
          let! t31 := add fits t30 j in
          let! t32 := get costs t31 in
          let! t33 := vget2 tree potential i in
          let! t34 := add fits t32 t33 in
          let! t35 := add fits sources j in
          let! t36 := vget2 tree potential t35 in
          let! t37 := sub fits t34 t36 in
          if (t37 <? 0) then
            (* return False *)
            Some (Done (false, left'))
          else
          Some (Next tt)) tt in
      match exit with
      | Done answer => Some (Done answer)
      | Next _ =>
      Some (Next tt)
      end) tt in
  match exit with
  | Done answer => Some answer
  | Next _ =>
  (* return True *)
  Some (true, left')
  end
  end
  end.

(* tcloseness/lattice/compiled.py: _work *)
Definition _work (fits : Z -> bool)
    (row : arr) (n : Z) (order : arr) (low : arr) (high : arr) (weights : arr) (share : arr) (all_records : Z) (prefix : arr) :=
  (* for place in range(len(row)) *)
  let! prefix := for_ (Z.to_nat (len row)) (fun place prefix =>
      (* prefix[place + 1] = prefix[place] + row[order[place]] *)
      let! t1 := get prefix place in
      let! t2 := get order place in
      let! t3 := get row t2 in
      let! t4 := add fits t1 t3 in
      let! t5 := add fits place 1 in
      let! prefix := set prefix t5 t4 in
      Some prefix) prefix in
  (* work = np.int64(0) *)
  let work := 0 in
  (* for k in range(len(low)) *)
  let! work := for_ (Z.to_nat (len low)) (fun k work =>
      (* work += weights[k] * abs((prefix[high[k]] - prefix[low[k]]) * all_records - share[k] * n) *)
      let! t6 := get weights k in
      let! t7 := get high k in
      let! t8 := get prefix t7 in
      let! t9 := get low k in
      let! t10 := get prefix t9 in
      let! t11 := sub fits t8 t10 in
      let! t12 := mul fits t11 all_records in
      let! t13 := get share k in
      let! t14 := mul fits t13 n in
      let! t15 := sub fits t12 t14 in
      let! t16 := absolute fits t15 in
      let! t17 := mul fits t6 t16 in
      let! work := add fits work t17 in
      Some work) work in
  (* return work *)
  Some (work, prefix).

(* tcloseness/lattice/compiled.py: _group *)
Definition _group (fits : Z -> bool)
    (slot_of : arr) (place : arr) (inside' : arr) (sizes : arr) (class_of : arr) (new_inside : arr) (new_sizes : arr) :=
  (* n = 0 *)
  let n := 0 in
  (* for c in range(len(slot_of)) *)
  let! '(class_of, n, new_inside, new_sizes, place) := for_ (Z.to_nat (len slot_of)) (fun c '(class_of, n, new_inside, new_sizes, place) =>
      (* slot = slot_of[c] *)
      let! slot := get slot_of c in
      (* g = place[slot] *)
      let! g := get place slot in
      (* if g < 0 *)
      let! '(g, n, new_inside, new_sizes, place) := if (g <? 0) then
          (* g = n *)
          let g := n in
          (* place[slot] = n *)
          let! place := set place slot n in
          (* new_inside[n] = inside[c] *)
          let! t3 := get inside' c in
          let! new_inside := set new_inside n t3 in
          (* new_sizes[n] = 0 *)
          let! new_sizes := set new_sizes n 0 in
          (* n += 1 *)
          let! n := add fits n 1 in
          Some (g, n, new_inside, new_sizes, place)
        else
          Some (g, n, new_inside, new_sizes, place)
      in
      (* new_sizes[g] += sizes[c] *)
      let! t4 := get new_sizes g in
      let! t5 := get sizes c in
      let! t6 := add fits t4 t5 in
      let! new_sizes := set new_sizes g t6 in
      (* class_of[c] = g *)
      let! class_of := set class_of c g in
      Some (class_of, n, new_inside, new_sizes, place)) (class_of, n, new_inside, new_sizes, place) in
  (* for c in range(len(slot_of)) *)
  let! place := for_ (Z.to_nat (len slot_of)) (fun c place =>
      (* place[slot_of[c]] = -1 *)
      let! t7 := sub fits 0 1 in
      let! t8 := get slot_of c in
      let! place := set place t8 t7 in
      Some place) place in
  (* return n *)
  Some (n, class_of, new_inside, new_sizes, place).

(* tcloseness/lattice/compiled.py: _counted *)
Definition _counted (fits : Z -> bool)
    (row : arr) (greatest : arr) :=
  (* values, others = (0, np.int64(0)) *)
  let values := 0 in
  let others := 0 in
  (* greatest[:] = 0 *)
  let greatest := fill 0 greatest in
  (* for v in range(len(row)) *)
  let! '(greatest, others, values) := for_ (Z.to_nat (len row)) (fun v '(greatest, others, values) =>
      (* c = np.int64(row[v]) *)
      let! c := get row v in
      (* if c > 0 *)
      let! '(c, greatest, others, values) := if (0 <? c) then
          (* values += 1 *)
          let! values := add fits values 1 in
          (* for i in range(len(greatest)) *)
          let! '(c, greatest) := for_ (Z.to_nat (len greatest)) (fun i '(c, greatest) =>
              (* other = greatest[i] *)
              let! other := get greatest i in
              (* if c > other *)
              let! '(c, greatest) := if (other <? c) then
                  (* greatest[i] = c *)
                  let! greatest := set greatest i c in
                  (* c = other *)
                  let c := other in
                  Some (c, greatest)
                else
                  Some (c, greatest)
              in
              Some (c, greatest)) (c, greatest) in
          (* others += c *)
          let! others := add fits others c in
          Some (c, greatest, others, values)
        else
          Some (c, greatest, others, values)
      in
      Some (greatest, others, values)) (greatest, others, values) in
  (* return (values, others) *)
  Some (values, others, greatest).

(* tcloseness/lattice/compiled.py: merged_rows *)
Definition merged_rows (fits : Z -> bool)
    (matrix : arr2) (class_of : arr) (n : Z) :=
  (* m = matrix.shape[1] *)
  let m := (cols matrix) in
  (* merged = np.zeros((n, m), matrix.dtype) *)
  let! merged := zeros2 n m in
  (* for c in range(len(class_of)) *)
  let! merged := for_ (Z.to_nat (len class_of)) (fun c merged =>
      (* g = class_of[c] *)
      let! g := get class_of c in
      (* for v in range(m) *)
      let! merged := for_ (Z.to_nat m) (fun v merged =>
          (* merged[g, v] += matrix[c, v] *)
          let! t2 := get2 merged g v in
          let! t3 := get2 matrix c v in
          let! t4 := add fits t2 t3 in
          let! merged := set2 merged g v t4 in
          Some merged) merged in
      Some merged) merged in
  (* return merged *)
  Some merged.
