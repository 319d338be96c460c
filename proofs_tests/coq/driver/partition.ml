(* Certificates of partitions, for PartitionChecker.v. *)
open Json
open Fields
open Tables

let longest = two_to 200
let most_cells = two_to 22
let most_steps = two_to 20  (* of the search for classes *)

let cells = [ ("ncp", V.ByShare); ("gcp", V.ByShare); ("lm", V.ByMeasure); ("mean-height", V.ByHeight) ]

(* the loss, what it is over, and the k of a mean class size *)
let loss_of given =
  let loss = text "loss" given in
  let name, k = match String.index_opt loss '/' with
    | Some i -> (String.sub loss 0 i, Some (String.sub loss (i + 1) (String.length loss - i - 1)))
    | None -> (loss, None) in
  let one = (Z.one, Z.one) in
  match (List.assoc_opt name cells, name, k) with
  | Some kind, _, None -> (name, V.CellLoss kind, one)
  | None, "discernibility", None -> (name, V.SquaredSizes, one)
  | None, "class-size", None -> (name, V.FewestClasses, one)
  | None, "class-size", Some k -> (name, V.FewestClasses, positive "the k of the loss" (Text k))
  | _ -> fail "a loss that is not known"

let common what numbers =
  List.fold_left
    (fun unit (_, b) ->
      let unit = Z.lcm unit b in
      if Z.numbits unit > 16_000 then fail "%s has no common denominator of fewer than 4000 digits" what;
      unit)
    Z.one numbers

(* an attribute of the kinds, and over what its labels are measured, in words *)
let attribute about i column codes given =
  let name = List.nth about.names i and level = List.nth about.levels i in
  let what = Printf.sprintf "attributes[%d]" i in
  let kind = match given with Object pairs -> List.assoc_opt "kind" pairs | _ -> None in
  match kind with
  | Some (Text "numeric") ->
      let low, high, ends = match fields what [ "kind"; "range" ] given with
        | [ _; range ] -> (
            match items "range" range with
            | [ a; b ] -> (fraction "range[]" a, fraction "range[]" b, (plain_text a, plain_text b))
            | _ -> fail "range is not two numbers")
        | _ -> assert false in
      let numbers = List.map (fun value -> let x = Microaggregation.number_of value in (x.V.qnum, x.V.qden)) column in
      let unit = common name (low :: high :: numbers) in
      let whole (a, b) = Z.mul a (Z.divexact unit b) in
      (V.Interval (List.map whole numbers, whole low, whole high), Printf.sprintf "%s over %s to %s" name (fst ends) (snd ends))
  | Some (Text "hierarchical") ->
      ignore (fields what [ "kind" ] given);
      (V.Ancestor (level.maps, codes), name ^ " by its hierarchy")
  | Some (Text "categorical") ->
      let m = match fields what [ "kind"; "of" ] given with [ _; m ] -> whole "of" ~least:Z.one m | _ -> assert false in
      (V.Together (codes, m), Printf.sprintf "%s over %s" name (counted m "value"))
  | _ -> fail "%s is of no kind that is known" what

let vector many what given =
  let counts = Array.make many Z.zero in
  List.iter (fun kind -> let i = place what many kind in counts.(i) <- Z.succ counts.(i)) (some what given);
  Array.to_list counts

let priced many dues what prices cuts =
  let prices = List.map (whole what ~least:(Z.neg longest) ~most:longest) (items what prices) in
  let cuts = List.map (whole "dues[]" ~most:longest) (items "dues" cuts) in
  if List.length prices <> many || List.length cuts <> dues then fail "%s has another number of prices" what;
  (prices, cuts)

(* the dues of cuts, and the one of suppressed records behind them *)
let split_dues suppressed dues =
  if Z.sign suppressed = 0 then (dues, Z.zero)
  else match List.rev dues with last :: rest -> (List.rev rest, last) | [] -> fail "dues is empty"

(* a tree in pre-order: behind a branch stands all of its first side, then all of its second *)
let tree many records dues suppressed nodes =
  let rec one = function
    | [] -> refuse "the tree ends before its last case"
    | (Object pairs as entry) :: rest -> (
        let both rest make =
          let first, rest = one rest in
          let second, rest = one rest in
          (make first second, rest)
        in
        let most given = whole "most" ~most:records given in
        match List.find_opt (fun name -> List.mem_assoc name pairs) [ "pair"; "class"; "record" ] with
        | Some "pair" -> (
            match List.map (items "pair") (fields "tree[]" [ "pair" ] entry) with
            | [ [ i; j ] ] ->
                let i = place "pair[]" many i and j = place "pair[]" many j in
                both rest (fun a b -> V.Pair_branch (i, j, a, b))
            | _ -> fail "a pair is not two kinds")
        | Some "class" -> (
            match fields "tree[]" [ "class"; "most" ] entry with
            | [ given; m ] ->
                let counts = vector many "class[]" given and m = most m in
                both rest (fun a b -> V.Class_branch (counts, m, a, b))
            | _ -> assert false)
        | Some _ -> (
            match fields "tree[]" [ "record"; "most" ] entry with
            | [ kind; m ] ->
                let kind = place "record" many kind and m = most m in
                both rest (fun a b -> V.Record_branch (kind, m, a, b))
            | _ -> assert false)
        | None -> (
            match fields "tree[]" [ "kinds"; "cuts"; "empty" ] entry with
            | [ prices; cuts; Bool empty ] ->
                let prices, cuts = priced many dues "tree[]" prices cuts in
                let cuts, tau = split_dues suppressed cuts in
                (V.Priced_leaf (prices, cuts, tau, empty), rest)
            | _ -> fail "empty is not true or false"))
    | _ -> fail "an entry of the tree is not an object"
  in
  match one nodes with found, [] -> found | _ -> refuse "the tree goes on after its last case"

let keys = [ "values"; "attributes"; "loss"; "unit"; "suppressed"; "kinds"; "classes"; "value"; "bound"; "scale"; "cuts"; "prices"; "limit"; "tree" ]

let check about conditions proof =
  match fields "proof" keys proof with
  | [ _; attributes; loss; unit; suppressed; kinds; classes; value; bound; scale; cuts; prices; limit; cases ] ->
      let records = size about.reference in
      let by_size = V.sizes_only conditions in
      let sensitive = Hashtbl.create 64 in
      List.iteri (fun v value -> Hashtbl.add sensitive value v) about.values;
      let columns = List.length about.names + if by_size then 0 else 1 in
      let given = List.map (fun each -> List.map (text "kinds[][]") (items "kinds[]" each)) (items "kinds" kinds) in
      let code level label = match Hashtbl.find_opt level.codes.(0) label with
        | Some c -> c | None -> refuse "kinds lists a value that is not one of the table's" in
      let kind names =
        if List.length names <> columns then refuse "kinds lists one of another number of values";
        let own = List.filteri (fun i _ -> i < List.length about.names) names in
        let codes = List.map2 code about.levels own in
        if by_size then (codes, None)
        else match Hashtbl.find_opt sensitive (List.nth names (columns - 1)) with
          | Some v -> (codes, Some v) | None -> refuse "kinds lists a value that is not one of the table's" in
      let kinds = List.map kind given in
      let many = List.length kinds in
      if Z.gt (Z.mul (Z.of_int many) (Z.succ records)) most_cells then fail "partitions of so many records of so many kinds are not checked";
      let name, loss_kind, (above, below) = loss_of loss in
      let unit = whole "unit" ~least:Z.one ~most:longest unit in
      let attributes = items "attributes" attributes in
      let cell = match loss_kind with V.CellLoss _ -> true | _ -> false in
      if List.length attributes <> if cell then List.length about.names else 0 then fail "attributes has another number";
      let attributes =
        List.mapi
          (fun i each ->
            let column = List.map (fun names -> List.nth names i) given in
            attribute about i column (List.map (fun (codes, _) -> List.nth codes i) kinds) each)
          attributes in
      let measured = List.map snd attributes and attributes = List.map fst attributes in
      let suppressed = whole "suppressed" ~most:(Z.pred records) suppressed in
      if Z.sign suppressed > 0 && loss_kind = V.FewestClasses then fail "by a loss of class sizes that suppression lowers, none is suppressed";
      let scale = whole "scale" ~least:Z.one ~most:longest scale in
      let cut given =
        match fields "cuts[]" [ "weights"; "divisor" ] given with
        | [ weights; divisor ] ->
            let own = Array.make many Z.zero in
            List.iter
              (fun pair ->
                match items "weights[]" pair with
                | [ kind; weight ] ->
                    let i = place "weights[][0]" many kind in
                    if Z.sign own.(i) > 0 then fail "a cut has two weights of one kind";
                    own.(i) <- whole "weights[][1]" ~least:Z.one weight
                | _ -> fail "weights is not of pairs")
              (some "weights" weights);
            (Array.to_list own, whole "divisor" ~least:Z.one divisor)
        | _ -> assert false in
      let cuts = List.map cut (items "cuts" cuts) in
      let dues = List.length cuts + if Z.sign suppressed > 0 then 1 else 0 in
      let own_prices, own_dues, tau =
        match fields "prices" [ "kinds"; "cuts" ] prices with
        | [ kinds; cuts ] ->
            let prices, cuts = priced many dues "prices" kinds cuts in
            let cuts, tau = split_dues suppressed cuts in
            (prices, cuts, tau)
        | _ -> assert false in
      let limit = whole "limit" ~least:Z.minus_one ~most:longest limit in
      let cases = match cases with
        | Null -> None | _ -> Some (tree many records dues suppressed (items "tree" cases)) in
      let judge = function
        | None -> fail "so many groups would take too long to look at"
        | Some false -> refuse "the proof does not show it"
        | Some true -> () in
      let maps = maps about in
      if classes = Null then (
        if value <> Null || bound <> Null then fail "where classes is null, value and bound are null";
        judge
          (V.check_no_partition maps about.rows conditions kinds loss_kind attributes unit suppressed scale cuts own_prices own_dues
             tau limit cases most_steps);
        Printf.sprintf "no classes of %s satisfy the model, with at most %s of them suppressed" (counted records "record")
          (grouped_number suppressed))
      else
        let (a, b), (c, d) = (fraction "value" value, fraction "bound" bound) in
        let each = some "classes" classes in
        if Z.gt (Z.of_int (List.length each)) records then fail "classes has more entries than there are records";
        let vectors = List.map (vector many "classes[][]") each in
        if Z.gt (Z.mul c b) (Z.mul a d) then refuse "the bound lies above the value";
        (* the sum of costs is x / y where the loss is a / b *)
        let over =
          if name = "gcp" || name = "lm" then Z.mul records (Z.of_int (List.length attributes))
          else if name = "mean-height" then records
          else Z.one in
        let of_loss (a, b) =
          if loss_kind = V.FewestClasses then (
            if Z.sign a <= 0 then fail "a class has a record at least";
            (Z.neg (Z.mul (Z.mul records below) (Z.mul unit b)), Z.mul above a))
          else (Z.mul a (Z.mul over unit), b) in
        judge
          (V.check_partition maps about.rows conditions kinds loss_kind attributes unit suppressed vectors (of_loss (a, b))
             (of_loss (c, d)) scale cuts own_prices own_dues tau limit cases most_steps);
        let lost = Z.sub records (List.fold_left (fun n each -> Z.add n (size each)) Z.zero vectors) in
        let gone = if Z.sign suppressed > 0 then Printf.sprintf ", %s suppressed" (grouped_number lost) else "" in
        let by = if measured = [] then "" else Printf.sprintf " (%s)" (String.concat ", " measured) in
        Printf.sprintf "%s of %s%s; %s%s = %s, %s" (counted_int (List.length each) "class") (counted records "record") gone
          (plain_text loss) by
          (plain_text value)
          (if value = bound then "the least" else "and none loses less than " ^ plain_text bound)
  | _ -> assert false

let tasks =
  [ ("tcloseness-partition-certificate-1",
     ("`classes` satisfy the model and lose `value`; no partition of the records into classes that satisfy it, of which \
       at most `suppressed` records may be left out, loses less than `bound`; where these are null, there is none",
      check)) ]
