(* What a certificate about a table speaks of: the table and its hierarchies by codes, the
   conditions on a class, nodes, and how long it may take. *)
open Json
open Fields
module V = Verified

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
type about = { names : string list; levels : levels list; rows : (int list * Z.t list) list; values : string list; reference : Z.t list }

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
        | [], [] -> (List.rev coded, "missing:") (* no sensitive attribute: all records have one value *)
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
  { names; levels; rows = List.rev_map row !order; values; reference = Array.to_list reference }

(* ---- the model ------------------------------------------------------------------------ *)
let most_records = two_to 53

(* the places of the values that a share is asked of; all for null *)
let asked values = function
  | Null -> Grounds.upto (List.length values)
  | named ->
      let named = List.map (text "values[]") (some "values" named) in
      List.filter (fun v -> List.mem (List.nth values v) named) (Grounds.upto (List.length values))

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
          V.Share (asked values named, a, b)
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
  | Some (Text kind) -> fail "no proved checker for the condition %S" kind
  | _ -> fail "a condition that is not known"

(* ---- nodes --------------------------------------------------------------------------- *)
let node about what given =
  let levels = items what given in
  if List.compare_lengths levels about.levels <> 0 then fail "%s has another number of levels" what;
  List.map2 (fun level given -> place what (Array.length level.codes) given) about.levels levels

let nodes about what given =
  let found = List.map (node about what) given in
  no_pair_twice what found;
  found

let maps about = List.map (fun level -> level.maps) about.levels

(* refuses so many passes over the table and `more` steps *)
let require_time about passes more =
  let cells = List.length about.rows * (List.length about.levels + 1 + List.length about.values) in
  if float_of_int passes *. float_of_int (cells + more) > 1e11 then fail "it would take too long to check"

let size counts = List.fold_left Z.add Z.zero counts
let largest_row about = List.fold_left (fun most (_, counts) -> Z.max most (size counts)) Z.zero about.rows

(* refuses powers of more than 2^30 binary digits: classes have at most so many records, whose number is the exponent *)
let require_powers records numbers =
  let digits number = Z.mul records (Z.of_int (max (Z.numbits number) (Z.numbits records))) in
  if List.exists (fun number -> Z.gt (digits number) (two_to 30)) numbers then
    fail "the entropy of so many records would take too long to check"

(* 12,345; in a browser an int has 32 bits, and a number of records may have more *)
let grouped_number n =
  let digits = Z.to_string n in
  let size = String.length digits in
  String.concat "" (List.init size (fun i ->
    (if i > 0 && (size - i) mod 3 = 0 then "," else "") ^ String.make 1 digits.[i]))

let grouped n = grouped_number (Z.of_int n)

(* "1 record", "3 classes" *)
let counted n noun =
  grouped_number n ^ " " ^ noun
  ^ (if Z.equal n Z.one then "" else if noun.[String.length noun - 1] = 's' then "es" else "s")

let counted_int n = counted (Z.of_int n)

let classes_violate n = counted_int n "class" ^ if n = 1 then " violates" else " violate"
