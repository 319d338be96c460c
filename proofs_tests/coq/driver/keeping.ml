(* Certificates of what can be kept of each class, for KeepingChecker.v. *)
open Json
open Fields
open Tables

let most = two_to 53

(* a tree in pre-order: what follows a split is the whole of its first case, then that of its second *)
let tree prices m nodes =
  let rec one = function
    | [] -> refuse "a tree is not whole"
    | Null :: rest -> (V.Plain, rest)
    | (Object pairs as node) :: rest when List.mem_assoc "value" pairs -> (
        match fields "tree[]" [ "value"; "most" ] node with
        | [ v; k ] ->
            let v = place "value" m v and k = whole "most" ~most k in
            let first, rest = one rest in
            let second, rest = one rest in
            (V.Split (v, k, first, second), rest)
        | _ -> assert false)
    | node :: rest -> (
        match fields "tree[]" [ "distance"; "prices" ] node with
        | [ distance; given ] -> let i, beta = prices distance given in (V.Priced (i, beta), rest)
        | _ -> assert false)
  in
  match one nodes with found, [] -> found | _ -> refuse "a tree goes on after its end"

let entry about distances given =
  let m = List.length about.values in
  let total = size about.reference in
  let prices distance given =
    let i = place "distance" (List.length distances) distance in
    let cuts = match List.nth distances i with V.Distance (_, _, _, cuts) -> cuts | _ -> assert false in
    let given = items "prices" given in
    if List.compare_lengths given cuts <> 0 then fail "another number of prices than sets";
    let price (w, _) given = let most = Z.mul total w in whole "a price" ~least:(Z.neg most) ~most given in
    (i, List.map2 price cuts given)
  in
  let counts what given =
    let found = List.map (whole what ~most) (items what given) in
    if List.length found <> m then fail "%s has another number of counts" what;
    found
  in
  match fields "classes[]" [ "counts"; "kept"; "bound"; "above"; "sizes" ] given with
  | [ of_counts; kept; bound; above; sizes ] ->
      let of_counts = counts "counts" of_counts and kept = counts "kept" kept in
      let size = size of_counts in
      if Z.sign size = 0 || Z.gt size most then refuse "an entry of no class";
      let bound = whole "bound" ~most bound in
      let above = match above with
        | Null -> None
        | _ -> (
            match fields "above" [ "size"; "distance"; "prices" ] above with
            | [ first; distance; given ] ->
                let first = whole "size" ~least:Z.one ~most first and i, beta = prices distance given in
                Some ((first, i), beta)
            | _ -> assert false) in
      let by_size = Hashtbl.create 8 in
      List.iter
        (fun each ->
          match fields "sizes[]" [ "size"; "tree" ] each with
          | [ size; nodes ] ->
              let size = Z.to_string (whole "size" ~least:Z.one ~most size) in
              if Hashtbl.mem by_size size then refuse "an entry names a size twice";
              Hashtbl.add by_size size (some "tree" nodes)
          | _ -> assert false)
        (items "sizes" sizes);
      let trees size =
        match Hashtbl.find_opt by_size (Z.to_string size) with
        | Some nodes -> tree prices m nodes
        | None -> V.Plain in
      { V.entry_counts = of_counts; entry_kept = kept; entry_bound = bound; entry_above = above; entry_trees = trees }
  | _ -> assert false

let key counts = String.concat "," (List.map Z.to_string counts)

(* how much is kept of a node, how much can be, of how many; and the last and the classes that violate, in words *)
let kept about check conditions things node entries =
  let distances = V.distances conditions in
  let entries = List.map (entry about distances) (items "classes" entries) in
  no_pair_twice "classes" (List.map (fun e -> key e.V.entry_counts) entries);
  require_time about (1 + List.length entries) 0;
  match check (maps about) about.rows conditions node entries with
  | None -> refuse "the proof does not show it"
  | Some ((kept, most), bad) ->
      let there = Hashtbl.create 64 in
      List.iter (fun counts -> Hashtbl.replace there (key counts) ()) bad;
      if List.exists (fun e -> not (Hashtbl.mem there (key e.V.entry_counts))) entries then
        refuse "an entry of a class that is not there, or satisfies";
      let all = size about.reference in
      let many = classes_violate (List.length bad) in
      let at = String.concat ", " (List.map string_of_int node) in
      let of_all = Printf.sprintf "of %s %s" (grouped_number all) things in
      (kept, most, all, of_all, Printf.sprintf "at the node [%s], where %s" at many)

let check_kept check things about conditions proof =
  match fields "proof" [ "values"; "node"; "classes"; "enough"; "least" ] proof with
  | [ _; at; entries; enough; least ] ->
      let node = node about "node" at in
      let kept, can, all, of_all, where = kept about check conditions things node entries in
      let enough = whole "enough" ~most enough and least = whole "least" ~most least in
      if not (Z.equal enough (Z.sub all kept) && Z.equal least (Z.sub all can)) then refuse "enough or least";
      if Z.sign kept = 0 then refuse "nothing is kept";
      let fewer = if Z.equal enough least then "fewer" else "fewer than " ^ grouped_number least in
      Printf.sprintf "%s %s go, and %s are not enough, %s" (grouped_number enough) of_all fewer where
  | _ -> assert false

let check_none check things about conditions proof =
  match fields "proof" [ "values"; "node"; "classes" ] proof with
  | [ _; at; entries ] ->
      let node = node about "node" at in
      let _, can, _, of_all, where = kept about check conditions things node entries in
      if Z.sign can <> 0 then refuse "it is not shown that none can be kept";
      Printf.sprintf "none %s can be kept %s" of_all where
  | _ -> assert false

let check_none_shown about conditions proof =
  match fields "proof" [ "values"; "node"; "classes" ] proof with
  | [ _; at; List [] ] when not (V.large_enough (maps about) about.rows conditions (node about "node" at)) ->
      Printf.sprintf "a class at the node [%s] has too few records, which no hiding changes"
        (String.concat ", " (List.map string_of_int (node about "node" at)))
  | _ -> check_none V.check_shown "sensitive values" about conditions proof

let tasks =
  [ ("tcloseness-suppression-certificate-1",
     ("at `node`, and with the reference of all records, suppression of `enough` records leaves classes that satisfy \
       the model, and suppression of fewer than `least` does not",
      check_kept V.check_kept "records"));
    ("tcloseness-no-suppression-certificate-1",
     ("at `node`, and with the reference of all records, no records of any class satisfy the model",
      check_none V.check_kept "records"));
    ("tcloseness-hiding-certificate-1",
     ("at `node`, and with the reference of all records, all classes have enough records; if `enough` sensitive values \
       are hidden, then the values that each class shows satisfy the model, or it shows none; if fewer than `least` \
       are hidden, that is not so",
      check_kept V.check_shown "sensitive values"));
    ("tcloseness-no-hiding-certificate-1",
     ("at `node`, and with the reference of all records, a class has too few records, or no values of any class \
       satisfy the model",
      check_none_shown)) ]
