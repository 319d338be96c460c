(* Certificates of searches in a lattice, for LatticeChecker.v. *)
open Json
open Fields
open Tables

let minimal = "tcloseness-minimal-certificate-1"
let optimum = "tcloseness-optimum-certificate-1"
let most_nodes = 1 lsl 20

let violating about given =
  match fields "violating[]" [ "node"; "class" ] given with
  | [ levels; labels ] ->
      let levels = node about "violating[]" levels in
      let labels = List.map (text "class[]") (items "class" labels) in
      if List.compare_lengths labels levels <> 0 then fail "a class has another number of labels";
      let code level (at, label) =
        match Hashtbl.find_opt level.codes.(at) label with
        | Some c -> c | None -> refuse "the class of %S has no record" label in
      (levels, List.map2 code about.levels (List.combine levels labels))
  | _ -> assert false

let in_words nodes =
  let many = List.length nodes in
  if many = 0 then "no node"
  else
    let shown = List.filteri (fun i _ -> i < 12) nodes in
    let one v = String.concat "." (List.map string_of_int v) in
    Printf.sprintf "%s: %s%s" (counted_int many "node")
      (String.concat ", " (List.map one shown)) (if many > 12 then ", …" else "")

let losses = [ ("height", V.Height); ("mean-height", V.Height); ("precision", V.Precision); ("ncp", V.Ncp); ("gcp", V.Gcp); ("lm", V.Lm) ]

let lattice_of about =
  let top = V.heights (maps about) in
  let size = List.fold_left (fun n h -> if n > most_nodes then n else n * (h + 1)) 1 top in
  if size > most_nodes then fail "the lattice has more than %d nodes" most_nodes;
  (top, size)

let check_minimal about conditions proof =
  match fields "proof" [ "values"; "minimal"; "violating" ] proof with
  | [ _; low; high ] ->
      let top, size = lattice_of about in
      let low = items "minimal" low and high = items "violating" high in
      require_time about (List.length low + List.length high) size;
      let low = nodes about "minimal" low and high = List.map (violating about) high in
      if not (V.check_minimal (maps about) about.rows conditions low high) then refuse "the proof does not show it";
      let satisfying = List.filter (fun v -> not (V.below high v)) (V.nodes top) in
      Printf.sprintf "%s, minimal of %s; %s satisfy" (in_words low) (counted_int size "node")
        (grouped (List.length satisfying))
  | _ -> assert false

let check_optimum about conditions proof =
  match fields "proof" [ "values"; "loss"; "value"; "optima"; "violating" ] proof with
  | [ _; loss; value; optima; high ] ->
      let _, size = lattice_of about in
      let loss = text "loss" loss in
      let kind = match List.assoc_opt loss losses with Some k -> k | None -> refuse "a loss that is not known" in
      let a, b = fraction "value" value in
      let optima = some "optima" optima and high = items "violating" high in
      require_time about (List.length optima + List.length high) size;
      let optima = nodes about "optima" optima and high = List.map (violating about) high in
      if not (V.check_optimum (maps about) about.rows conditions kind a b optima high) then
        refuse "the proof does not show it";
      Printf.sprintf "%s, of %s; %s = %s" (in_words optima) (counted_int size "node") loss (plain_text value)
  | _ -> assert false

let tasks =
  [ (minimal,
     ("no record is suppressed; the nodes that satisfy the model are those above one of `minimal`, and no node of \
       `minimal` lies above another",
      check_minimal));
    (optimum,
     ("no record is suppressed; `optima` are all nodes of least loss among those that satisfy the model", check_optimum)) ]
