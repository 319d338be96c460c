(* The sets whose differences add up to the earth mover's distance by a ground distance, as
   the condition `distance` names it: weights, the places of the values, and a denominator. *)
open Json
open Fields

let upto n = List.init n Fun.id

(* what proves that each two sets are nested or apart looks for each place of the one in the other;
   the sets of all ground distances of a certificate may have so many such pairs of places *)
let most_pairs = 1e9
let left = ref most_pairs

let require_sets sizes =
  let places = List.fold_left (fun all size -> all +. float_of_int size) 0. sizes in
  left := !left -. (places *. places);
  if !left < 0. then fail "the sets of ground distances over so many values would take too long to check"

let equal m =
  require_sets [ m ];
  (List.map (fun v -> (Z.one, [ v ])) (upto m), Z.of_int 2)

(* the beginnings of an order, each with the weight behind its last value *)
let beginnings order weights =
  let rec go before order weights =
    match (order, weights) with
    | v :: order, w :: weights ->
        let before = v :: before in
        (w, before) :: go before order weights
    | _ -> []
  in
  List.filter (fun (w, _) -> Z.sign w > 0) (go [] order weights)

let ordered m =
  require_sets (upto m);
  (beginnings (upto m) (List.init (max (m - 1) 0) (fun _ -> Z.one)), Z.of_int (max (m - 1) 1))

let by_value m given =
  let values = Array.of_list (List.map (fraction "values[]") (some "values" given)) in
  if Array.length values <> m then fail "the ground distance is not over the %d values" m;
  require_sets (upto m);
  let unit =
    Array.fold_left
      (fun unit (_, b) ->
        let unit = Z.lcm unit b in
        if Z.numbits unit > 16_000 then fail "values have no common denominator of fewer than 4000 digits";
        unit)
      Z.one values
  in
  let at = Array.map (fun (a, b) -> Z.mul a (Z.divexact unit b)) values in
  let order = List.stable_sort (fun v w -> Z.compare at.(v) at.(w)) (upto m) in
  let rec gaps = function v :: (w :: _ as rest) -> Z.sub at.(w) at.(v) :: gaps rest | _ -> [] in
  let gaps = gaps order in
  (beginnings order gaps, Z.max Z.one (List.fold_left Z.add Z.zero gaps))

(* a tree, from the labels from each leaf to its root; a node is a label and its distance from the root *)
type node = int * string
type tree = { paths : string list list; children : (node, node list) Hashtbl.t; leaves : (node, int) Hashtbl.t; root : node }

let tree what given =
  let paths = List.map (fun p -> List.map (text "paths[][]") (some "paths[]" p)) (some "paths" given) in
  if List.fold_left (fun n p -> n + List.length p) 0 paths > 1 lsl 22 then fail "%s has more than 2^22 labels" what;
  let parent = Hashtbl.create 64 and children = Hashtbl.create 64 and leaves = Hashtbl.create 64 in
  let roots = Hashtbl.create 1 in
  List.iteri
    (fun row path ->
      let size = List.length path in
      let nodes = List.mapi (fun level label -> (size - 1 - level, label)) path in
      let rec climb = function
        | child :: (above :: _ as rest) ->
            (match Hashtbl.find_opt parent child with
             | Some other -> if other <> above then fail "%s has two nodes above %S" what (snd child)
             | None ->
                 Hashtbl.add parent child above;
                 Hashtbl.replace children above (child :: Option.value ~default:[] (Hashtbl.find_opt children above)));
            climb rest
        | [ root ] -> Hashtbl.replace roots root ()
        | [] -> ()
      in
      climb nodes;
      Hashtbl.add leaves (List.hd nodes) row)
    paths;
  if List.length (List.sort_uniq compare (List.map List.hd paths)) < List.length paths || Hashtbl.length roots <> 1 then
    fail "%s has a leaf twice, or no root" what;
  Hashtbl.iter (fun leaf _ -> if Hashtbl.mem children leaf then fail "%s has a leaf with something below it" what) leaves;
  { paths; children; leaves; root = Hashtbl.fold (fun root () _ -> root) roots (0, "") }

let hierarchical m paths values trivial =
  let collapse = match trivial with Text "collapse" -> true | Text "keep" -> false | _ -> fail "trivial_levels" in
  let { paths; children; leaves; root } = tree "the tree" paths in
  let rows = List.map (place "values[]" (List.length paths)) (some "values" values) in
  if List.length rows <> m || List.length (List.sort_uniq compare rows) <> m then
    fail "the ground distance is not over the %d values" m;
  let code = Hashtbl.create 64 in
  List.iteri (fun value row -> Hashtbl.add code row value) rows;
  let sets = ref [] in
  (* the height of a node and the values below it; its children's sets are added *)
  let rec visit node =
    let below = Option.value ~default:[] (Hashtbl.find_opt children node) in
    let parts = List.map visit below in
    let single = collapse && List.length below = 1 in
    let height = List.fold_left (fun h (under, _) -> max h (under + if single then 0 else 1)) 0 parts in
    List.iter
      (fun (under, values) ->
        if values <> [] && height > under then sets := (Z.of_int (height - under), values) :: !sets)
      parts;
    let own = match Hashtbl.find_opt leaves node with
      | Some row -> Option.to_list (Hashtbl.find_opt code row) | None -> [] in
    (height, List.concat (own :: List.map snd parts))
  in
  let height, _ = visit root in
  require_sets (List.map (fun (_, values) -> List.length values) !sets);
  (!sets, Z.of_int (if height = 0 then 1 else 2 * height))

let laminar m order low high weights denominator =
  let order = Array.of_list (List.map (place "order[]" m) (some "order" order)) in
  if List.sort compare (Array.to_list order) <> upto m then fail "the ground distance is not over the %d values" m;
  let ends what given = List.map (place what (m + 1)) (items what given) in
  let low = ends "low" low and high = ends "high" high in
  let whole_of what given =
    match positive what given with a, b when Z.equal b Z.one -> a | _ -> fail "%s is not whole" what in
  let weights = List.map (whole_of "weights[]") (items "weights" weights) in
  if List.compare_lengths low high <> 0 || List.compare_lengths low weights <> 0 then fail "low, high and weights";
  let ends = List.combine low high in
  require_sets (List.map (fun (l, h) -> max 1 (h - l)) ends);
  let rec nested inside = function
    | [] -> ()
    | (l, h) :: rest ->
        let inside = List.filter (fun e -> e > l) inside in
        if l >= h || List.exists (fun e -> e < h) inside then fail "the family is not laminar";
        nested (h :: inside) rest
  in
  nested [] (List.sort (fun (l, h) (l', h') -> compare (l, -h) (l', -h')) ends);
  let set (l, h) w = (w, Array.to_list (Array.sub order l (h - l))) in
  (List.map2 set ends weights, whole_of "denominator" denominator)

(* each set once, with all its weight, in the order of their prices: by size, then by the least
   value, by which two sets of a laminar family are one; that of all values parts none *)
let in_order m (sets, denominator) =
  let known = Hashtbl.create 64 in
  List.iter
    (fun (w, values) ->
      let values = List.sort compare values in
      let key = (List.length values, List.hd values) in
      let before = match Hashtbl.find_opt known key with Some (w, _) -> w | None -> Z.zero in
      Hashtbl.replace known key (Z.add w before, values))
    sets;
  let found = Hashtbl.fold (fun key set found -> (key, set) :: found) known [] in
  let parting = List.filter (fun ((size, _), _) -> size < m) found in
  (List.map snd (List.sort (fun (a, _) (b, _) -> compare a b) parting), denominator)

let cuts m ground =
  in_order m @@
  let name = match ground with Object pairs -> List.assoc_opt "name" pairs | _ -> None in
  let fields keys = List.tl (fields "ground" ("name" :: keys) ground) in
  let of_m () = match fields [ "m" ] with
    | [ n ] -> ignore (whole "m" ~least:(Z.of_int m) ~most:(Z.of_int m) n) | _ -> assert false in
  match name with
  | Some (Text "equal") -> of_m (); equal m
  | Some (Text "ordered") -> of_m (); ordered m
  | Some (Text "ordered-by-value") -> (
      match fields [ "values" ] with [ values ] -> by_value m values | _ -> assert false)
  | Some (Text "hierarchical") -> (
      match fields [ "paths"; "values"; "trivial_levels" ] with
      | [ paths; values; trivial ] -> hierarchical m paths values trivial
      | _ -> assert false)
  | Some (Text "laminar") -> (
      match fields [ "order"; "low"; "high"; "weights"; "denominator" ] with
      | [ order; low; high; weights; denominator ] -> laminar m order low high weights denominator
      | _ -> assert false)
  | _ -> fail "a ground distance that is not known"
