(* Answers to blocks of lines; a block begins with its kind and how many lines follow:

     counts N       the canonical text of a table's counts; what was read before is forgotten
     release N      the same of a further release, behind those that were read
     hierarchy N    the name of a quasi-identifier as a JSON text, then the canonical text of
                    its hierarchy
     certificate 1  a certificate about them, on one line; it is answered with one line:
                    accepted WHAT, refused WHY, or unreadable WHY

   What decides is extracted from Coq.  Here is only what becomes of texts: that the certificate
   is about these tables and hierarchies, by their digests, and codes for labels.  Files of
   CSV are not read here. *)
open Json
open Fields
open Tables

let tasks = Searches.tasks @ Keeping.tasks @ Cuts.tasks @ Audits.tasks @ Limits.tasks @ Microaggregation.tasks @ Generalization.tasks @ Partition.tasks

let require_sealed given known statement seal =
  if statement <> Text known then fail "its statement is not that of its format";
  let rest = match given with Object pairs -> List.remove_assoc "sha256" pairs | _ -> assert false in
  if seal <> Text (Sha256.hex (write (Object rest))) then fail "it was changed since it was written"

let about_releases tables hierarchies given =
  (match fields "the certificate" Compositions.keys given with
   | _ :: statement :: more -> require_sealed given Compositions.statement statement (List.nth more (List.length more - 1))
   | _ -> assert false);
  if hierarchies <> [] then fail "it is about releases, and no hierarchy";
  Compositions.check (List.map Lazy.force tables) given

let about_table table hierarchies given =
  let keys = [ "format"; "statement"; "table"; "reading"; "hierarchies"; "model"; "proof"; "sha256" ] in
  match fields "the certificate" keys given with
  | [ format; statement; of_table; _; of_hierarchies; model; proof; seal ] -> (
      let format = text "format" format in
      let known, check = match List.assoc_opt format tasks with Some x -> x | None -> fail "no proved checker for the format %S" format in
      require_sealed given known statement seal;
      match fields "table" [ "digest"; "file_sha256"; "quasi_identifiers"; "sensitive"; "records" ] of_table with
      | [ digest; _; names; sensitive; records ] ->
          let names = List.map (text "quasi_identifiers[]") (some "quasi_identifiers" names) in
          no_pair_twice "quasi_identifiers" names;
          let secret = match sensitive with Null -> [] | given -> [ text "sensitive" given ] in
          if table.columns <> names @ secret then fail "it is about other columns";
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
          let all = size about.reference in
          if not (Z.equal (whole "records" ~least:Z.one ~most:most_records records) all) then fail "other records";
          let conditions = List.map (condition values) (some "model" model) in
          if secret = [] && List.exists (function V.Records _ -> false | _ -> true) conditions then
            fail "a condition is about sensitive values, and the table has no sensitive attribute";
          let powers = List.filter_map (function V.Entropy (a, b) -> Some (Z.max a b) | _ -> None) conditions in
          require_powers (if List.mem_assoc format Audits.tasks then largest_row about else all) powers;
          check about conditions proof
      | _ -> assert false)
  | _ -> assert false

let checked tables hierarchies line =
  Grounds.left := Grounds.most_pairs;
  let given = read line in
  match (given, tables) with
  | Object pairs, _ when List.assoc_opt "format" pairs = Some (Text Compositions.format) -> about_releases tables hierarchies given
  | _, [ table ] -> about_table (Lazy.force table) (List.map Lazy.force hierarchies) given
  | _, [] -> fail "no counts were given"
  | _ -> fail "it is about one table, and several are given"

let answer tables hierarchies line =
  let one_line = String.map (fun c -> if c = '\n' || c = '\r' then ' ' else c) in
  match checked tables hierarchies line with
  | found -> "accepted " ^ found
  | exception Unreadable why -> "unreadable " ^ one_line why
  | exception Refused why -> "refused " ^ one_line why
  | exception (Stack_overflow | Out_of_memory | Z.Overflow) -> "unreadable it is too large for this program"

(* asks for the next line until there is none (End_of_file), and tells each answer *)
let all ~next ~tell =
  let lines n = List.init n (fun _ -> next ()) in
  let rec go tables hierarchies =
    match next () with
    | exception End_of_file -> ()
    | head -> (
        match String.split_on_char ' ' head with
        | [ "counts"; n ] ->
            let given = lines (int_of_string n) in
            go [ lazy (table_of given) ] []
        | [ "release"; n ] ->
            let given = lines (int_of_string n) in
            go (tables @ [ lazy (table_of given) ]) hierarchies
        | [ "hierarchy"; n ] -> (
            match lines (int_of_string n) with
            | name :: rows ->
                let hierarchy = lazy (text "the name of a hierarchy" (read name), hierarchy_of rows) in
                go tables (hierarchy :: hierarchies)
            | [] -> failwith "a hierarchy without its name")
        | [ "certificate"; "1" ] ->
            tell (answer tables hierarchies (next ()));
            go tables hierarchies
        | _ -> failwith "a block begins with counts, release, hierarchy or certificate")
  in
  go [] []
