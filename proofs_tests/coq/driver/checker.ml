(* Checks certificates about tables.  Standard input holds blocks of lines; a block begins
   with its kind and how many lines follow:

     counts N       the canonical text of a table's counts; what was read before is forgotten
     hierarchy N    the name of a quasi-identifier as a JSON text, then the canonical text of
                    its hierarchy
     certificate 1  a certificate about them, on one line; it is answered with one line:
                    accepted WHAT, refused WHY, or unreadable WHY

   What decides is extracted from LatticeChecker.v.  Here is only what becomes of texts: that
   the certificate is about this table and these hierarchies, by their digests, and codes for
   labels.  Files of CSV are not read here. *)
open Json
open Fields
module V = Verified

let minimal = "tcloseness-minimal-certificate-1"
let optimum = "tcloseness-optimum-certificate-1"

let statements =
  [ (minimal,
     "no record is suppressed; the nodes that satisfy the model are those above one of `minimal`, and no node of \
      `minimal` lies above another");
    (optimum, "no record is suppressed; `optima` are all nodes of least loss among those that satisfy the model") ]

(* ---- tables ---------------------------------------------------------------------- *)
type table = { columns : string list; combinations : (string list * Z.t) list; digest : string }

let digest_of lines = Sha256.hex (String.concat "\n" lines ^ "\n")

let canonical line =
  let given = read line in
  if write given <> line then fail "a line is not canonical";
  given

let rec ascending = function
  | a :: (b :: _ as rest) -> if a >= b then fail "the lines are not sorted"; ascending rest
  | _ -> ()

let plain_text = function Text s -> s | _ -> fail "a cell is not a text"

let table_of lines =
  match lines with
  | [] -> fail "no line of counts"
  | head :: rest ->
      let columns =
        match canonical head with
        | List (Text "tcloseness-counts-1" :: columns) -> List.map plain_text columns
        | _ -> fail "counts begin with their columns"
      in
      ascending rest;
      let combination line =
        match canonical line with
        | List cells when List.length cells = List.length columns + 1 -> (
            match List.rev cells with
            | Number n :: values when Z.sign n > 0 -> (List.rev_map plain_text values, n)
            | _ -> fail "a line does not end with a count")
        | _ -> fail "a line has another number of cells"
      in
      { columns; combinations = List.map combination rest; digest = digest_of lines }

let hierarchy_of lines =
  ascending lines;
  (List.map (fun line -> List.map plain_text (some "a row" (canonical line))) lines, digest_of lines)

(* a value without its kind, as hierarchies name it *)
let named value =
  if value = "missing:" then "(missing)"
  else match String.index_opt value ':' with
    | Some i -> String.sub value (i + 1) (String.length value - i - 1)
    | None -> ""

(* labels by code at each level, and the maps from each level to the next; a value has the
   code of its row at level 0 *)
type levels = { codes : (string, int) Hashtbl.t array; maps : int list list }

let levels_of what rows =
  let rows = List.map Array.of_list rows in
  let height = match rows with [] -> fail "%s has no row" what | row :: _ -> Array.length row in
  if List.exists (fun row -> Array.length row <> height) rows then fail "%s has rows of different length" what;
  let codes = Array.init height (fun _ -> Hashtbl.create 64) in
  let code level label =
    match Hashtbl.find_opt codes.(level) label with
    | Some c -> c
    | None ->
        let c = Hashtbl.length codes.(level) in
        Hashtbl.add codes.(level) label c;
        c
  in
  let coded = List.map (Array.mapi code) rows in
  if Hashtbl.length codes.(0) < List.length rows then fail "%s has a value twice" what;
  if Hashtbl.length codes.(height - 1) <> 1 then fail "%s has no common root" what;
  let map level =
    let next = Array.make (Hashtbl.length codes.(level)) (-1) in
    List.iter
      (fun row ->
        let above = row.(level + 1) in
        if next.(row.(level)) >= 0 && next.(row.(level)) <> above then fail "%s has two labels above one" what;
        next.(row.(level)) <- above)
      coded;
    Array.to_list next
  in
  { codes; maps = List.init (height - 1) map }

(* ---- what a certificate is about ---------------------------------------------------- *)
type about = { levels : levels list; rows : (int list * Z.t list) list; values : string list; reference : Z.t list }

let about table hierarchies names values =
  let column i = List.map (fun (cells, _) -> List.nth cells i) table.combinations in
  let levels =
    List.mapi
      (fun i name ->
        let here = List.sort_uniq compare (column i) in
        let plain = List.sort_uniq compare (List.map named here) in
        if List.length plain < List.length here then fail "two values of %S have one name" name;
        levels_of name
          (match List.assoc_opt name hierarchies with
           | Some (rows, _) -> rows
           | None -> List.map (fun value -> [ value; "*" ]) plain))
      names
  in
  let m = List.length values in
  no_pair_twice "values" values;
  let place = Hashtbl.create 64 in
  List.iteri (fun i value -> Hashtbl.add place value i) values;
  let classes = Hashtbl.create 1024 and order = ref [] in
  List.iter
    (fun (cells, count) ->
      let rec split coded = function
        | [ sensitive ], [] -> (List.rev coded, sensitive)
        | value :: cells, level :: levels -> (
            match Hashtbl.find_opt level.codes.(0) (named value) with
            | Some code -> split (code :: coded) (cells, levels)
            | None -> refuse "a hierarchy has no row for the value %S" value)
        | _ -> fail "columns"
      in
      let codes, sensitive = split [] (cells, levels) in
      let sensitive = match Hashtbl.find_opt place sensitive with
        | Some i -> i | None -> refuse "the values lack %S" sensitive in
      let key = String.concat "," (List.map string_of_int codes) in
      let counts = match Hashtbl.find_opt classes key with
        | Some (_, counts) -> counts
        | None ->
            let counts = Array.make m Z.zero in
            Hashtbl.add classes key (codes, counts);
            order := key :: !order;
            counts
      in
      counts.(sensitive) <- Z.add counts.(sensitive) count)
    table.combinations;
  let row key = let codes, counts = Hashtbl.find classes key in (codes, Array.to_list counts) in
  let reference = Array.make m Z.zero in
  Hashtbl.iter (fun _ (_, counts) -> Array.iteri (fun i c -> reference.(i) <- Z.add reference.(i) c) counts) classes;
  { levels; rows = List.rev_map row !order; values; reference = Array.to_list reference }

(* ---- the model ------------------------------------------------------------------------ *)
let most_records = two_to 53

let condition values given =
  let m = List.length values in
  let kind = match given with Object pairs -> List.assoc_opt "condition" pairs | _ -> None in
  let fields keys = List.tl (fields "a condition" ("condition" :: keys) given) in
  let least what = whole what ~least:Z.one ~most:most_records in
  match kind with
  | Some (Text "records") -> V.Records (least "least" (List.hd (fields [ "least" ])))
  | Some (Text "values") -> V.Values (least "least" (List.hd (fields [ "least" ])))
  | Some (Text "entropy") ->
      let a, b = positive "l" (List.hd (fields [ "l" ])) in
      V.Entropy (a, b)
  | Some (Text "tail") -> (
      match fields [ "l"; "c" ] with
      | [ l; c ] -> let l = Z.to_int (least "l" l) and a, b = positive "c" c in V.Tail (l, a, b)
      | _ -> assert false)
  | Some (Text "share") -> (
      match fields [ "most"; "values" ] with
      | [ most; named ] ->
          let a, b = positive "most" most in
          let asked = match named with
            | Null -> Grounds.upto m
            | _ ->
                let named = List.map (text "values[]") (some "values" named) in
                List.filter (fun v -> List.mem (List.nth values v) named) (Grounds.upto m) in
          V.Share (asked, a, b)
      | _ -> assert false)
  | Some (Text "gain") ->
      let a, b = not_negative "most" (List.hd (fields [ "most" ])) in
      V.Gain (Z.add a b, b)
  | Some (Text "distance") -> (
      match fields [ "t"; "ground" ] with
      | [ t; ground ] ->
          let a, b = not_negative "t" t in
          let cuts, d = Grounds.cuts m ground in
          V.Distance (a, b, d, cuts)
      | _ -> assert false)
  | _ -> fail "a condition that is not known"

(* ---- proofs ----------------------------------------------------------------------------- *)
let most_nodes = 1 lsl 20
let most_steps = 1e11

let node about what given =
  let levels = items what given in
  if List.compare_lengths levels about.levels <> 0 then fail "%s has another number of levels" what;
  List.map2 (fun level given -> place what (Array.length level.codes) given) about.levels levels

let nodes about what given =
  let found = List.map (node about what) given in
  no_pair_twice what found;
  found

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

let grouped n =
  let digits = string_of_int n in
  let size = String.length digits in
  String.concat "" (List.init size (fun i ->
    (if i > 0 && (size - i) mod 3 = 0 then "," else "") ^ String.make 1 digits.[i]))

let in_words nodes =
  let many = List.length nodes in
  if many = 0 then "no node"
  else
    let shown = List.filteri (fun i _ -> i < 12) nodes in
    let one v = String.concat "." (List.map string_of_int v) in
    Printf.sprintf "%d node%s: %s%s" many (if many = 1 then "" else "s")
      (String.concat ", " (List.map one shown)) (if many > 12 then ", …" else "")

let losses = [ ("height", V.Height); ("mean-height", V.Height); ("precision", V.Precision); ("ncp", V.Ncp); ("gcp", V.Gcp); ("lm", V.Lm) ]

let judged format about conditions proof =
  let maps = List.map (fun level -> level.maps) about.levels in
  let top = V.heights maps in
  let size = List.fold_left (fun n h -> if n > most_nodes then n else n * (h + 1)) 1 top in
  if size > most_nodes then fail "the lattice has more than %d nodes" most_nodes;
  let require_time many =
    let cells = List.length about.rows * (List.length top + 1 + List.length about.values) in
    if float_of_int many *. float_of_int (cells + size) > most_steps then fail "it would take too long to check"
  in
  if format = minimal then
    match fields "proof" [ "values"; "minimal"; "violating" ] proof with
    | [ _; low; high ] ->
        let low = items "minimal" low and high = items "violating" high in
        require_time (List.length low + List.length high);
        let low = nodes about "minimal" low and high = List.map (violating about) high in
        if not (V.check_minimal maps about.rows conditions low high) then refuse "the proof does not show it";
        let open_nodes = List.filter (fun v -> not (V.below high v)) (V.nodes top) in
        Printf.sprintf "%s, minimal of %s nodes; %s satisfy" (in_words low) (grouped size)
          (grouped (List.length open_nodes))
    | _ -> assert false
  else
    match fields "proof" [ "values"; "loss"; "value"; "optima"; "violating" ] proof with
    | [ _; loss; value; optima; high ] ->
        let loss = text "loss" loss in
        let kind = match List.assoc_opt loss losses with Some k -> k | None -> refuse "a loss that is not known" in
        let a, b = fraction "value" value in
        let optima = some "optima" optima and high = items "violating" high in
        require_time (List.length optima + List.length high);
        let optima = nodes about "optima" optima and high = List.map (violating about) high in
        if not (V.check_optimum maps about.rows conditions kind a b optima high) then refuse "the proof does not show it";
        Printf.sprintf "%s, of %s nodes; %s = %s" (in_words optima) (grouped size) loss (plain_text value)
    | _ -> assert false

let checked table hierarchies line =
  let given = read line in
  let keys = [ "format"; "statement"; "table"; "reading"; "hierarchies"; "model"; "proof"; "sha256" ] in
  match fields "the certificate" keys given with
  | [ format; statement; of_table; _; of_hierarchies; model; proof; seal ] -> (
      let format = text "format" format in
      let known = match List.assoc_opt format statements with Some s -> s | None -> fail "the format %S" format in
      if statement <> Text known then fail "its statement is not that of its format";
      let rest = match given with Object pairs -> List.remove_assoc "sha256" pairs | _ -> assert false in
      if seal <> Text (Sha256.hex (write (Object rest))) then fail "it was changed since it was written";
      match fields "table" [ "digest"; "file_sha256"; "quasi_identifiers"; "sensitive"; "records" ] of_table with
      | [ digest; _; names; sensitive; records ] ->
          let names = List.map (text "quasi_identifiers[]") (some "quasi_identifiers" names) in
          no_pair_twice "quasi_identifiers" names;
          if table.columns <> names @ [ text "sensitive" sensitive ] then fail "it is about other columns";
          if digest <> Text table.digest then fail "it is about another table";
          List.iter2
            (fun name digest ->
              let own = match List.assoc_opt name hierarchies with Some (_, d) -> Text d | None -> Null in
              if digest <> own then fail "it is about another hierarchy of %S" name)
            names
            (fields "hierarchies" names of_hierarchies);
          let values = match proof with
            | Object pairs -> List.map (text "values[]") (some "values" (Option.value ~default:Null (List.assoc_opt "values" pairs)))
            | _ -> fail "the proof is not an object" in
          let about = about table hierarchies names values in
          let all = List.fold_left Z.add Z.zero about.reference in
          if not (Z.equal (whole "records" ~least:Z.one ~most:most_records records) all) then fail "other records";
          let conditions = List.map (condition values) (some "model" model) in
          judged format about conditions proof
      | _ -> assert false)
  | _ -> assert false

let answer table hierarchies line =
  let one_line = String.map (fun c -> if c = '\n' || c = '\r' then ' ' else c) in
  print_endline
    (match checked (Lazy.force table) (List.map Lazy.force hierarchies) line with
     | found -> "accepted " ^ found
     | exception Unreadable why -> "unreadable " ^ one_line why
     | exception Refused why -> "refused " ^ one_line why
     | exception (Stack_overflow | Out_of_memory) -> "unreadable it is too large for this program")

let () =
  let lines n = List.init n (fun _ -> input_line stdin) in
  let none = lazy (fail "no counts were given") in
  let rec go table hierarchies =
    match input_line stdin with
    | exception End_of_file -> ()
    | head -> (
        match String.split_on_char ' ' head with
        | [ "counts"; n ] ->
            let given = lines (int_of_string n) in
            go (lazy (table_of given)) []
        | [ "hierarchy"; n ] -> (
            match lines (int_of_string n) with
            | name :: rows ->
                let hierarchy = lazy (text "the name of a hierarchy" (read name), hierarchy_of rows) in
                go table (hierarchy :: hierarchies)
            | [] -> failwith "a hierarchy without its name")
        | [ "certificate"; "1" ] ->
            answer table hierarchies (input_line stdin);
            flush stdout;
            go table hierarchies
        | _ -> failwith "a block begins with counts, hierarchy or certificate")
  in
  go none []
