(* Certificates of searches that may suppress records, for LimitChecker.v. *)
open Json
open Fields
open Tables

let cells =
  [ ("height", V.Levels); ("mean-height", V.Tops); ("precision", V.Cells V.Precision); ("ncp", V.Cells V.Ncp);
    ("gcp", V.Cells V.Gcp); ("lm", V.Cells V.Lm) ]

let classes =
  [ ("discernibility", V.Squares); ("discernibility-one-class", V.SquaresOneClass);
    ("discernibility-before-suppression", V.SquaresBefore); ("discernibility-excluded", V.SquaresKept);
    ("class-size", V.Mean); ("class-size-in-n", V.MeanOfAll); ("class-size-one-class", V.MeanOneClass) ]

let loss_named name =
  match List.assoc_opt name cells with
  | Some k -> V.OfCells k
  | None -> (
      let of_classes, (p, q) =
        match String.index_opt name '/' with
        | None -> (name, (Z.one, Z.one))
        | Some i ->
            (String.sub name 0 i, positive "the divisor of the loss" (Text (String.sub name (i + 1) (String.length name - i - 1)))) in
      match List.assoc_opt of_classes classes with
      | Some k -> V.OfClasses (k, p, q)
      | None -> refuse "a loss that is not known")

let under limit about =
  if Z.sign limit = 0 then "no record suppressed"
  else
    Printf.sprintf "at most %s of %s suppressed" (grouped_number limit) (counted (size about.reference) "record")

(* every node is counted: what a certificate says to save that is read, and not needed *)
let limit_and_size about limit lists =
  let _, size_of_lattice = Searches.lattice_of about in
  require_time about size_of_lattice size_of_lattice;
  List.iter (fun (what, given) -> ignore (nodes about what (items what given))) lists;
  (whole "limit" ~most:(size about.reference) limit, size_of_lattice)

let check_minimal about conditions proof =
  match fields "proof" [ "values"; "limit"; "minimal"; "satisfying"; "violating" ] proof with
  | [ _; limit; minimal; satisfying; violating ] -> (
      let limit, many = limit_and_size about limit [ ("satisfying", satisfying); ("violating", violating) ] in
      let minimal = nodes about "minimal" (items "minimal" minimal) in
      match V.check_limited (maps about) about.rows conditions limit minimal with
      | None -> refuse "these are not the minimal nodes"
      | Some found ->
          Printf.sprintf "%s: %s, minimal of %s; %s satisfy" (under limit about) (Searches.in_words minimal)
            (counted_int many "node") (grouped (List.length found)))
  | _ -> assert false

let check_optimum about conditions proof =
  match fields "proof" [ "values"; "limit"; "loss"; "value"; "optima"; "violating" ] proof with
  | [ _; limit; loss; value; optima; violating ] ->
      let limit, many = limit_and_size about limit [ ("violating", violating) ] in
      let loss = text "loss" loss in
      let kind = loss_named loss and a, b = fraction "value" value in
      let optima = nodes about "optima" (some "optima" optima) in
      if not (V.check_best (maps about) about.rows conditions limit kind a b optima) then
        refuse "these are not the nodes of least loss, or it is another";
      Printf.sprintf "%s: %s, of %s; %s = %s" (under limit about) (Searches.in_words optima) (counted_int many "node") loss
        (plain_text value)
  | _ -> assert false

let rule =
  "at a node the records of the classes that violate the model, measured against all records, are suppressed, which may \
   be up to `limit` and not all; "

let tasks =
  [ ("tcloseness-limited-minimal-certificate-1",
     (rule ^ "`minimal` are the nodes that satisfy so and have no direct specialization that does", check_minimal));
    ("tcloseness-limited-optimum-certificate-1",
     (rule ^ "`optima` are all nodes of least loss, measured after that, among those that satisfy so", check_optimum)) ]
