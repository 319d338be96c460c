(* Certificates of optimal cuts, and that nothing satisfies, for CutChecker.v and LatticeChecker.v. *)
open Json
open Fields
open Tables

let largest = two_to 256

(* each penalty of a label is a whole number of 1/unit, the largest such unit *)
let unit_of loss maps =
  List.fold_left
    (fun unit h ->
      let below = V.denominator loss h in
      List.fold_left
        (fun unit l ->
          List.fold_left
            (fun unit w ->
              let above = V.raw loss l w in
              if Z.sign above = 0 then unit else Z.lcm unit (Z.divexact below (Z.gcd above below)))
            unit (V.widths h l))
        unit (Grounds.upto (List.length h + 1)))
    Z.one maps

(* a node of a hierarchy: its level and the code of its label *)
let node_of levels what given =
  match items what given with
  | [ level; label ] -> (
      let level = whole what level and label = text what label in
      if Z.geq level (Z.of_int (Array.length levels.codes)) then refuse "%s is of no level" what;
      match Hashtbl.find_opt levels.codes.(Z.to_int level) label with
      | Some code -> (Z.to_int level, code)
      | None -> refuse "%s is %S, which is not a label of its level" what label)
  | _ -> fail "%s is not a level and a label" what

(* the level of each value in a cut, which has one node above it *)
let levels_in uniform levels given =
  let nodes = List.map (node_of levels "cut[][]") (items "cut[]" given) in
  no_pair_twice "cut[]" nodes;
  let known = List.map fst nodes in
  if uniform && List.exists (fun l -> l <> List.hd known) known then refuse "a full-domain cut has one level";
  let level c =
    match List.filter (fun (l, code) -> V.lab levels.maps l c = code) nodes with
    | [ (l, _) ] -> l
    | _ -> refuse "a cut has not one node above each value" in
  (List.length nodes, List.map level (Grounds.upto (V.leaves levels.maps)))

(* a tree in pre-order: what follows a split is the whole of its first case, then that of its second *)
let tree about unit many nodes =
  let attributes = Array.of_list about.levels in
  let rec one = function
    | [] -> refuse "the tree ends before its last case"
    | (Object pairs as entry) :: rest when List.mem_assoc "prices" pairs ->
        let price given =
          match items "prices[]" given with
          | [ at; price ] ->
              let price = whole "a price" ~most:largest price in
              (place "a price's place" many at, Z.mul unit price)
          | _ -> fail "a price is a place and a number" in
        let prices = match fields "tree[]" [ "prices" ] entry with [ p ] -> items "prices" p | _ -> assert false in
        (V.Bound (List.map price prices), rest)
    | entry :: rest -> (
        match fields "tree[]" [ "attribute"; "node" ] entry with
        | [ i; node ] ->
            let i = place "attribute" (Array.length attributes) i in
            let l, x = node_of attributes.(i) "tree[]" node in
            let first, rest = one rest in
            let second, rest = one rest in
            (V.Branch (i, l, x, first, second), rest)
        | _ -> assert false)
  in
  match one nodes with found, [] -> found | _ -> refuse "the tree goes on after its last case"

let check_cut about conditions proof =
  let keys = [ "values"; "recoding"; "loss"; "value"; "bound"; "cut"; "violating"; "scale"; "tree" ] in
  match fields "proof" keys proof with
  | [ _; recoding; loss; value; bound; cut; high; scale; cases ] ->
      let uniform = match recoding with
        | Text "subtree" -> false | Text "full-domain" -> true | _ -> fail "recoding is not known" in
      let loss = text "loss" loss in
      let kind = match List.assoc_opt loss Searches.losses with
        | Some k when loss <> "precision" -> k | _ -> refuse "a loss that is not known" in
      let (a, b), (c, d) = (fraction "value" value, fraction "bound" bound) in
      let maps = maps about in
      let unit = unit_of kind maps in
      let given = items "cut" cut in
      if List.compare_lengths given about.levels <> 0 then fail "cut has another number of hierarchies";
      let cut = List.map2 (levels_in uniform) about.levels given in
      let high = items "violating" high in
      require_time about (1 + List.length high) 0;
      let high = List.map (Searches.violating about) high in
      let root (v, _) = List.for_all2 (fun l h -> l >= List.length h) v maps in
      if List.exists root high then refuse "all records together violate, so no cut satisfies";
      let scale = whole "scale" ~least:Z.one ~most:largest scale in
      let cases = tree about unit (List.length high) (items "tree" cases) in
      if not (V.check_cut maps about.rows conditions uniform kind unit a b c d (List.map snd cut) high scale cases) then
        refuse "the proof does not show it";
      let of_each (many, _) name = Printf.sprintf "%d of '%s'" many name in
      Printf.sprintf "%s, nodes: %s; %s = %s, and no cut loses less%s" (plain_text recoding)
        (String.concat ", " (List.map2 of_each cut about.names)) loss (plain_text value)
        (if value = bound then "" else " than " ^ plain_text bound)
  | _ -> assert false

let check_infeasible about conditions proof =
  ignore (fields "proof" [ "values" ] proof);
  if not (V.check_infeasible (maps about) about.rows conditions) then refuse "all records together satisfy the model";
  "all records together violate the model, and so does a class of every partition of them"

let tasks =
  [ ("tcloseness-cut-certificate-1",
     ("no record is suppressed; the classes of `cut` satisfy the model, its loss is `value`, and no cut through the \
       hierarchies, of one level each if `recoding` is full-domain, satisfies the model and loses less than `bound`",
      check_cut));
    ("tcloseness-infeasible-certificate-1",
     ("no partition of the records, and so no cut through the hierarchies and no node, satisfies the model unless \
       records are suppressed",
      check_infeasible)) ]
