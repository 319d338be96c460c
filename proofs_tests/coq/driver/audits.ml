(* Certificates of audits, for AuditChecker.v. *)
open Json
open Fields
open Tables

let stated = function Text "infinite" -> (Z.one, Z.zero) | given -> fraction "value" given
let billion = Z.of_int 1_000_000_000

(* a number of at least 1 with at most nine decimals *)
let entropy given =
  let a, b = fraction "value" given in
  if Z.lt a b || not (Z.equal (Z.rem billion b) Z.zero) then fail "the value of an entropy has at most nine decimals";
  let units = Z.mul a (Z.divexact billion b) in
  let rest = Z.to_string (Z.rem units billion) in
  let zeros = String.make (9 - String.length rest) '0' in
  (V.Effective (a, b), Printf.sprintf "%s.%s%s…" (Z.to_string (Z.div units billion)) zeros rest)

let kinds =
  [ ("records", []); ("values", []); ("entropy", []); ("tail", [ "l" ]); ("commonest", []); ("share", [ "values" ]);
    ("gain", []); ("ratio", [ "absent" ]); ("distance", [ "ground" ]) ]

(* an entry of `measures`: its class by codes, what is said of it, and the same in words *)
let entry about given =
  let name = match given with Object pairs -> List.assoc_opt "measure" pairs | _ -> fail "measures[] is not an object" in
  let name = text "measure" (Option.value ~default:Null name) in
  let keys = match List.assoc_opt name kinds with Some keys -> keys | None -> fail "no proved checker for the measure %S" name in
  match fields "measures[]" ([ "measure"; "class"; "value" ] @ keys) given with
  | _ :: labels :: value :: more ->
      let labels = List.map (text "class[]") (items "class" labels) in
      if List.compare_lengths labels about.levels <> 0 then fail "a class has another number of labels";
      let code level label =
        match Hashtbl.find_opt level.codes.(0) label with
        | Some c -> c | None -> refuse "the class of %S has no record" label in
      let of_measure measure = V.Value (measure, stated value) in
      let said, about_it =
        match (name, more) with
        | "records", _ -> (of_measure V.LeastRecords, "")
        | "values", _ -> (of_measure V.LeastValues, "")
        | "commonest", _ -> (of_measure V.LeastCommonest, "")
        | "gain", _ -> (of_measure V.GreatestGain, "")
        | "share", [ named ] -> (of_measure (V.GreatestShare (asked about.values named)), "")
        | "tail", [ l ] ->
            let l = Z.to_int (whole "l" ~least:Z.one l) in
            (of_measure (V.GreatestTail l), Printf.sprintf " (%d)" l)
        | "ratio", [ Text ("infinite" | "skipped" as absent) ] ->
            (of_measure (V.GreatestRatio (absent = "skipped")), Printf.sprintf " (%s)" absent)
        | "distance", [ ground ] ->
            let cuts, d = Grounds.cuts (List.length about.values) ground in
            let ground = match ground with Object pairs -> plain_text (List.assoc "name" pairs) | _ -> assert false in
            (of_measure (V.GreatestDistance (d, cuts)), Printf.sprintf " (%s)" ground)
        | "entropy", _ -> (fst (entropy value), "")
        | _ -> fail "absent is neither 'infinite' nor 'skipped'"
      in
      let of_value = if name = "entropy" then snd (entropy value) else plain_text value in
      ((List.map2 code about.levels labels, said), Printf.sprintf "%s%s = %s" name about_it of_value)
  | _ -> assert false

let check_audit about conditions proof =
  match fields "proof" [ "values"; "suppressed"; "reference"; "classes"; "measures"; "holds"; "unchecked" ] proof with
  | [ _; suppressed; reference; classes; measures; holds; unchecked ] ->
      let all = match reference with
        | Text "all" -> true | Text "released" -> false | _ -> fail "reference is neither 'released' nor 'all'" in
      let marks = match suppressed with
        | Null -> None
        | _ ->
            let mark = text "suppressed" suppressed in
            let found = List.map (fun level -> Hashtbl.find_opt level.codes.(0) mark) about.levels in
            if List.mem None found then None else Some (List.map Option.get found) in
      let classes = whole "classes" ~least:Z.one classes in
      let measures = items "measures" measures in
      require_time about (1 + List.length measures + List.length conditions) 0;
      let entries = List.map (entry about) measures in
      let verdict = function Bool verdict -> verdict | _ -> refuse "a verdict is neither true nor false" in
      let holds = List.map verdict (items "holds" holds) in
      let unchecked = List.map (text "unchecked[]") (items "unchecked" unchecked) in
      let powers = List.filter_map (function (_, V.Effective (a, _)), _ -> Some (Z.mul a billion) | _ -> None) entries in
      require_powers (largest_row about) powers;
      let rows = List.sort (fun (one, _) (other, _) -> compare one other) about.rows in
      if not (V.check_audit (maps about) rows marks all conditions classes (List.map fst entries) holds) then
        refuse "the proof does not show it";
      let without = V.suppressed_records rows marks in
      let left = if Z.sign without = 0 then "" else
        Printf.sprintf ", without %s with %s in every quasi-identifier, against %s" (counted without "record")
          (shown (plain_text suppressed)) (if all then "all records" else "the others") in
      let met = List.length (List.filter Fun.id holds) and of_all = List.length holds in
      let verdicts = Printf.sprintf "%d of %s met by all classes" met (counted_int of_all "condition") in
      Printf.sprintf "%s%s: %s%s" (counted classes "class") left
        (String.concat "; " (List.map snd entries @ [ verdicts ]))
        (if unchecked = [] then "" else "; not certified: no checker for " ^ String.concat ", " (List.map printable unchecked))
  | _ -> assert false

let tasks =
  [ ("tcloseness-audit-certificate-1",
     ("the class that each of `measures` names has its value, and no class of the table has a worse one; `holds` says of \
       each condition of the model whether every class meets it",
      check_audit)) ]
