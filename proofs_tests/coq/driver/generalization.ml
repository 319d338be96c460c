(* Certificates of sensitive values shown as nodes of a hierarchy, for GeneralizationChecker.v. *)
open Json
open Fields
open Tables

let most = two_to 53
let largest = two_to 256
let most_pairs = 1 lsl 22

let losses = [ ("ncp", V.WidthShare); ("lm", V.WidthMeasure); ("height", V.HeightShare) ]

(* the nodes that a value can be shown as: several leaves are below them, and the reference has
   records of these; from the root down, as the paths come to them.  With how many leaves there
   are, and how high the root is *)
let value_nodes about given =
  let paths = (Grounds.tree "the hierarchy" given).Grounds.paths in
  let place = Hashtbl.create 64 in
  List.iteri
    (fun v value ->
      if Hashtbl.mem place (named value) then fail "two values have one name, by which the hierarchy knows them";
      Hashtbl.add place (named value) v)
    about.values;
  let known = Hashtbl.create 64 and order = ref [] in
  List.iter
    (fun path ->
      let size = List.length path and leaf = List.hd path in
      List.iteri
        (fun level label ->
          let node = (size - 1 - level, label) in
          let width, height, values =
            match Hashtbl.find_opt known node with
            | Some found -> found
            | None -> order := node :: !order; (0, level, []) in
          let values = match Hashtbl.find_opt place leaf with Some v -> v :: values | None -> values in
          Hashtbl.replace known node (width + 1, max height level, values))
        path)
    paths;
  let top = List.fold_left (fun top path -> max top (List.length path)) 0 paths - 1 in
  let inside = List.filter (fun path -> Hashtbl.mem place (List.hd path)) paths in
  if List.length inside < List.length about.values then refuse "a value is not a leaf of the hierarchy";
  let reference = Array.of_list about.reference in
  let usable node =
    let width, height, values = Hashtbl.find known node in
    if width > 1 && List.exists (fun v -> Z.sign reference.(v) > 0) values then
      Some { V.node_width = Z.of_int width; node_height = Z.of_int height; node_values = List.rev values }
    else None
  in
  let from_root = List.stable_sort (fun (a, _) (b, _) -> compare a b) (List.rev !order) in
  (List.filter_map usable from_root, Z.of_int (List.length paths), Z.of_int top)

(* what each node costs is a whole number of 1/unit, the largest such *)
let unit_of kind leaves top nodes =
  List.fold_left
    (fun unit node ->
      let above = V.node_raw kind node and below = V.node_over kind leaves top in
      if Z.sign above = 0 then unit else Z.lcm unit (Z.divexact below (Z.gcd above below)))
    Z.one nodes

(* a tree in pre-order: what follows a split is the whole of its first case, then that of its second *)
let tree m many distances nodes =
  let number what = whole what ~least:(Z.neg largest) ~most:largest in
  let numbers what length given =
    let found = List.map (number what) (items what given) in
    if List.length found <> length then fail "%s has another number" what;
    found
  in
  let rec one = function
    | [] -> refuse "the tree ends before its last case"
    | (Object pairs as entry) :: rest when List.mem_assoc "prices" pairs -> (
        match fields "tree[]" [ "potentials"; "prices" ] entry with
        | [ potentials; prices ] ->
            let potentials = items "potentials" potentials in
            if List.length potentials <> distances then fail "potentials has another number";
            (V.Settled (List.map (numbers "a potential" m) potentials, numbers "prices" many prices), rest)
        | _ -> assert false)
    | entry :: rest -> (
        match fields "tree[]" [ "value"; "node"; "most" ] entry with
        | [ v; node; k ] ->
            let k = whole "most" ~most k in
            let v = match v with Null -> None | _ -> Some (place "value" m v) in
            let node = match node with Null -> None | _ -> Some (place "node" many node) in
            let first, rest = one rest in
            let second, rest = one rest in
            ( (match (v, node) with
               | Some v, node -> V.Cell (v, (match node with None -> 0 | Some a -> a + 1), k, first, second)
               | None, Some a -> V.Node (a, k, first, second)
               | None, None -> refuse "the tree splits nothing"),
              rest )
        | _ -> assert false)
  in
  match one nodes with found, [] -> found | _ -> refuse "the tree goes on after its last case"

let entry m many distances given =
  match fields "classes[]" [ "counts"; "shown"; "scale"; "tree" ] given with
  | [ counts; as_shown; scale; cases ] ->
      let counts = List.map (whole "counts[]" ~most) (items "counts" counts) in
      if List.length counts <> m then fail "counts has another number";
      let shown given =
        match items "shown[]" given with
        | [ v; node; records ] ->
            let v = place "shown[]" m v and records = whole "shown[]" ~most records in
            let node = match node with
              | Null -> 0
              | _ ->
                  let node = whole "shown[]" ~most node in
                  if Z.geq node (Z.of_int many) then refuse "a value is shown at a node that is not there";
                  Z.to_int node + 1 in
            ((v, node), records)
        | _ -> fail "what is shown is a value, a node and a number" in
      { V.of_counts = counts;
        shown_as = List.map shown (items "shown" as_shown);
        price_unit = whole "scale" ~least:Z.one ~most:largest scale;
        of_cases = tree m many distances (items "tree" cases) }
  | _ -> assert false

let key counts = String.concat "," (List.map Z.to_string counts)

let check about conditions proof =
  match fields "proof" [ "values"; "node"; "hierarchy"; "loss"; "value"; "bound"; "classes" ] proof with
  | [ _; at; hierarchy; loss; value; bound; entries ] ->
      let node = node about "node" at in
      let (a, b), (c, d) = (fraction "value" value, fraction "bound" bound) in
      if List.exists (fun condition -> not (V.supported condition)) conditions then
        fail "the model asks for more than records and distances, and a generalized value has no count";
      let loss = text "loss" loss in
      let kind = match List.assoc_opt loss losses with Some k -> k | None -> refuse "a loss that is not known" in
      let nodes, leaves, top = value_nodes about hierarchy in
      let unit = unit_of kind leaves top nodes in
      let m = List.length about.values and distances = List.length (V.distances conditions) in
      (* a pair of values counts once for each 64 bits of its distance *)
      let words denominator cuts =
        let all = List.fold_left (fun sum (weight, _) -> Z.add sum weight) Z.zero cuts in
        1 + (Z.numbits (Z.max denominator all) / 64) in
      let sizes = function
        | V.Distance (_, _, denominator, cuts) ->
            let words = words denominator cuts in
            (words, words * List.fold_left (fun n (_, s) -> n + List.length s) 0 cuts)
        | _ -> (0, 0) in
      let sizes = List.map sizes conditions and pairs = float_of_int m *. float_of_int m in
      let times_pairs of_one = pairs *. float_of_int (List.fold_left (fun n each -> n + of_one each) 0 sizes) in
      if times_pairs fst > float_of_int most_pairs then fail "so many distances of so many values are not checked";
      if times_pairs snd > 5e8 then fail "the distances of so many values would take too long to check";
      let entries = List.map (entry m (List.length nodes) distances) (items "classes" entries) in
      no_pair_twice "classes" (List.map (fun e -> key e.V.of_counts) entries);
      require_time about (1 + List.length entries) 0;
      (match V.check_generalization kind leaves top nodes unit (maps about) about.rows conditions node a b c d entries with
       | None -> refuse "the proof does not show it"
       | Some bad ->
           let there = Hashtbl.create 64 in
           List.iter (fun counts -> Hashtbl.replace there (key counts) ()) bad;
           if List.exists (fun e -> not (Hashtbl.mem there (key e.V.of_counts))) entries then
             refuse "an entry of a class that is not there, or satisfies";
           Printf.sprintf "%s at the node [%s]; shown at %s = %s, and no way costs less%s"
             (classes_violate (List.length bad))
             (String.concat ", " (List.map string_of_int node))
             loss (plain_text value)
             (if value = bound then "" else " than " ^ plain_text bound))
  | _ -> assert false

let check_none about conditions proof =
  match fields "proof" [ "values"; "node"; "class" ] proof with
  | [ _; at; labels ] ->
      let node, codes = Searches.violating about (Object [ ("node", at); ("class", labels) ]) in
      if not (V.check_no_generalization (maps about) about.rows conditions node codes) then
        refuse "the class has no record, or enough of them";
      Printf.sprintf "the class %s of the node [%s] has too few records, however its values are shown"
        (String.concat ", " (List.map plain_text (items "class" labels)))
        (String.concat ", " (List.map string_of_int node))
  | _ -> assert false

let tasks =
  [ ("tcloseness-generalization-certificate-1",
     ("no record is suppressed; the classes of `node` satisfy the model if sensitive values are shown as is said, a \
       node read as the values below it by the reference of all records, at the cost `value`; no way to show them as \
       themselves or nodes of `hierarchy` above them that satisfies it costs less than `bound`",
      check));
    ("tcloseness-no-generalization-certificate-1",
     ("a class of `node` violates the model however its sensitive values are shown, unless records are suppressed",
      check_none)) ]
