(* Certificates of what several releases of one table say together, for CompositionChecker.v. They are about the tables
   that were read, in their order, and not about a single one. *)
open Json
open Fields
open Tables

let format = "tcloseness-composition-certificate-1"

let statement =
  "if as many persons are in the classes of the releases as `cells` says, then `facts` are true in every table of which \
   these are releases; the published counts prove each of them"

let keys = [ "format"; "statement"; "releases"; "values"; "cells"; "facts"; "sha256" ]

(* numbers of cells times values, which are kept; and steps of some nanoseconds *)
let most_numbers = 1e7
let most_steps = 1e10

let too_long what = fail "%s would take too long to check" what

(* ---- the releases ------------------------------------------------------------------- *)
(* the classes that a table has, sorted, by their labels *)
let sorted_classes table =
  let labels (cells, _) = List.filteri (fun i _ -> i < List.length table.columns - 1) cells in
  List.sort_uniq compare (List.map labels table.combinations)

let secret_of cells = List.nth cells (List.length cells - 1)

let release table given =
  match fields "releases[]" [ "digest"; "quasi_identifiers"; "sensitive"; "records"; "reading"; "classes" ] given with
  | [ digest; names; sensitive; records; _; classes ] ->
      let names = List.map (text "quasi_identifiers[]") (some "quasi_identifiers" names) in
      no_pair_twice "quasi_identifiers" names;
      let sensitive = text "sensitive" sensitive in
      if table.columns <> names @ [ sensitive ] then fail "a release has other columns";
      if digest <> Text table.digest then fail "it is about another release";
      let all = List.fold_left (fun n (_, count) -> Z.add n count) Z.zero table.combinations in
      if not (Z.equal (whole "records" ~least:Z.one ~most:most_records records) all) then fail "other records";
      let classes = List.map (fun labels -> List.map (text "classes[][]") (items "classes[]" labels)) (some "classes" classes) in
      if classes <> sorted_classes table then refuse "the classes of a release are not those of its table, sorted";
      (sensitive, Array.of_list classes)
  | _ -> assert false

(* the counts of a table by class and value *)
let counted table classes values =
  let place_in names =
    let places = Hashtbl.create 64 in
    Array.iteri (fun i name -> Hashtbl.add places name i) names;
    Hashtbl.find places
  in
  let class_at = place_in (Array.map (fun labels -> write (List (List.map (fun s -> Text s) labels))) classes) in
  let value_at = place_in values in
  let rows = Array.map (fun _ -> Array.make (Array.length values) Z.zero) classes in
  List.iter
    (fun (cells, count) ->
      let labels = List.filteri (fun i _ -> i < List.length cells - 1) cells in
      rows.(class_at (write (List (List.map (fun s -> Text s) labels)))).(value_at (secret_of cells)) <- count)
    table.combinations;
  Array.to_list (Array.map Array.to_list rows)

(* ---- cells and facts ------------------------------------------------------------------ *)
let cell sizes given =
  let places, persons =
    match List.rev (items "cells[]" given) with
    | persons :: places when List.length places = Array.length sizes -> (List.rev places, persons)
    | _ -> fail "cells[] has another number of entries"
  in
  let place_of size = function Null -> None | given -> Some (place "cells[]" size given) in
  { V.cell_places = List.map2 place_of (Array.to_list sizes) places;
    V.persons = whole "cells[]" ~least:Z.one ~most:most_records persons }

type about_facts = { cells : V.cell array; rows : Z.t array array array; width : int }

(* a place in a list, or none where it is beyond *)
let inside size given =
  let n = whole "sums[]" given in
  if Z.lt n (Z.of_int size) then Z.to_int n else refuse "a sum that is not published"

let sum about given =
  match items "sums[]" given with
  | [ c; weight ] -> (V.Persons (inside (Array.length about.cells) c), fraction "sums[]" weight)
  | [ r; g; v; weight ] ->
      let r = inside (Array.length about.rows) r in
      let g = inside (Array.length about.rows.(r)) g in
      let v = inside about.width v in
      if Z.sign about.rows.(r).(g).(v) = 0 then refuse "a sum that is not published";
      (V.Count (r, g, v), fraction "sums[]" weight)
  | _ -> refuse "a sum that is not published"

let fact about given =
  match fields "facts[]" [ "cell"; "value"; "bound"; "persons"; "sums" ] given with
  | [ c; v; bound; number; sums ] ->
      let c = place "cell" (Array.length about.cells) c and v = place "value" about.width v in
      let number = whole "persons" ~most:about.cells.(c).V.persons number in
      let sums = List.map (sum about) (items "sums" sums) in
      no_pair_twice "sums" (List.map fst sums);
      let unit =
        List.fold_left
          (fun unit (_, (_, b)) ->
            let unit = Z.lcm unit b in
            if Z.numbits unit > 16_000 then fail "the weights have no common denominator of fewer than 4000 digits";
            unit)
          Z.one sums
      in
      let at_most = match bound with
        | Text "most" -> true | Text "least" -> false | _ -> fail "bound is neither 'least' nor 'most'" in
      { V.of_cell = c; of_value = v; is_most = at_most; number; common = unit;
        weights = List.map (fun (k, (a, b)) -> (k, Z.mul a (Z.divexact unit b))) sums }
  | _ -> assert false

(* refuses what would take long: each sum looks for its cells, for the value there, and adds its weight to that of others *)
let require_time about facts =
  let cells = float_of_int (Array.length about.cells) and width = float_of_int about.width in
  let releases = float_of_int (Array.length about.rows) in
  let classes = Array.fold_left (fun n rows -> n + Array.length rows) 0 about.rows in
  if cells *. width > most_numbers then too_long "so many cells and values";
  let left = ref (most_steps -. (cells *. releases *. (width +. float_of_int classes))) in
  if !left < 0. then too_long "so many cells and classes";
  let members = Array.map (fun rows -> Array.make (Array.length rows) 0) about.rows in
  Array.iter
    (fun cell -> List.iteri (fun r -> Option.iter (fun g -> members.(r).(g) <- members.(r).(g) + 1)) cell.V.cell_places)
    about.cells;
  List.iter
    (fun fact ->
      let bits = List.fold_left (fun most (_, w) -> max most (Z.numbits w)) (Z.numbits fact.V.common) fact.V.weights in
      let each = 100. +. (float_of_int bits /. 64.) in
      left := !left -. cells;
      List.iter
        (fun (k, _) ->
          let touched, steps = match k with
            | V.Persons _ -> (width, 0.) | V.Count (r, g, v) -> (float_of_int members.(r).(g), 3. *. float_of_int v) in
          left := !left -. (cells *. releases) -. (touched *. (each +. steps)))
        fact.V.weights;
      if !left < 0. then too_long "so many sums")
    facts

(* ---- in words ---------------------------------------------------------------------------- *)
let counted_noun n noun = grouped_number n ^ " " ^ noun ^ if Z.equal n Z.one then "" else "s"

let median numbers =
  let sorted = Array.of_list (List.sort compare numbers) in
  let n = Array.length sorted in
  float_of_int (sorted.((n - 1) / 2) + sorted.(n / 2)) /. 2.

let in_words about facts certain =
  let used = Hashtbl.create 64 in
  List.iter
    (fun fact ->
      let key = (fact.V.of_cell, fact.V.of_value, fact.V.is_most, Z.to_string fact.V.number) in
      if not (Hashtbl.mem used key) then Hashtbl.add used key (List.length fact.V.weights))
    facts;
  let used = Hashtbl.fold (fun _ many all -> many :: all) used [] in
  let settled = Array.map (fun _ -> false) about.cells in
  List.iter (fun c -> settled.(c) <- true) certain;
  let is_linked cell = List.length (List.filter Option.is_some cell.V.cell_places) > 1 in
  let persons chosen =
    let all = ref Z.zero in
    Array.iteri (fun c cell -> if chosen c cell then all := Z.add !all cell.V.persons) about.cells;
    !all
  and cells chosen =
    let all = ref 0 in
    Array.iteri (fun c cell -> if chosen c cell then incr all) about.cells;
    !all
  in
  let linked _ cell = is_linked cell and alone _ cell = not (is_linked cell) in
  let known chosen c cell = settled.(c) && chosen c cell in
  Printf.sprintf "%s; the value of %s of %s, in %s of %s of classes, is certain%s; published counts that \
    prove a fact: %g (median), %s at most"
    (counted_noun (Z.of_int (List.length used)) "fact")
    (counted_noun (persons (known linked)) "person") (grouped_number (persons linked))
    (grouped (cells (known linked))) (counted_noun (Z.of_int (cells linked)) "combination")
    (if Z.sign (persons alone) = 0 then ""
     else
       Printf.sprintf ", and that of %s of %s linked to no other release"
         (grouped_number (persons (known alone))) (counted_noun (persons alone) "record"))
    (median used) (grouped (List.fold_left max 0 used))

(* ---- a certificate ------------------------------------------------------------------------- *)
let check tables given =
  match fields "the certificate" keys given with
  | [ _; _; releases; values; cells; facts; _ ] ->
      let releases = items "releases" releases in
      if List.length releases < 2 then fail "it is about fewer than two releases";
      if List.compare_lengths releases tables <> 0 then
        fail "it is about %d releases, and %d are given" (List.length releases) (List.length tables);
      let named = List.map2 release tables releases in
      if List.length (List.sort_uniq compare (List.map fst named)) > 1 then fail "its releases are of different sensitive attributes";
      let secrets table = List.map (fun (labels, _) -> secret_of labels) table.combinations in
      let all = List.sort_uniq compare (List.concat_map secrets tables) in
      if List.map (text "values[]") (items "values" values) <> all then refuse "values are not those of the tables, sorted";
      let sizes = Array.of_list (List.map (fun (_, classes) -> Array.length classes) named) in
      let classes = Array.fold_left ( + ) 0 sizes in
      if float_of_int classes *. float_of_int (List.length all) > most_numbers then too_long "so many classes and values";
      let cells = Array.of_list (List.map (cell sizes) (some "cells" cells)) in
      no_pair_twice "cells" (List.map (fun cell -> cell.V.cell_places) (Array.to_list cells));
      let counts = List.map2 (fun table (_, classes) -> counted table classes (Array.of_list all)) tables named in
      let rows = Array.of_list (List.map (fun rows -> Array.of_list (List.map Array.of_list rows)) counts) in
      let about = { cells; rows; width = List.length all } in
      let facts = List.map (fact about) (some "facts" facts) in
      require_time about facts;
      let cells = Array.to_list cells in
      if not (V.check_composition about.width counts cells facts) then refuse "the proof does not show it";
      in_words about facts (V.certain cells facts)
  | _ -> assert false
