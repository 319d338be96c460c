(* Certificates of groups of numbers, for MicroaggregationChecker.v; and which number a value is. *)
open Json
open Fields
open Tables

let longest = 4_000
let most_numbers = 1 lsl 22

let is_digit c = '0' <= c && c <= '9'
let digits text = text <> "" && String.for_all is_digit text

(* without blanks around it, and with the sign of mathematics as a hyphen *)
let bare text =
  let blank c = c = ' ' || ('\t' <= c && c <= '\r') in
  let rec first i = if i < String.length text && blank text.[i] then first (i + 1) else i in
  let rec last i = if i > 0 && blank text.[i - 1] then last (i - 1) else i in
  let begun = first 0 in
  let buffer = Buffer.create 16 in
  List.iter
    (fun point -> add_utf8 buffer (if point = 0x2212 then Char.code '-' else point))
    (code_points (String.sub text begun (max 0 (last (String.length text) - begun))));
  Buffer.contents buffer

let unsigned text =
  if text <> "" && (text.[0] = '+' || text.[0] = '-') then (text.[0] = '-', String.sub text 1 (String.length text - 1))
  else (false, text)

let lowest a b =
  let g = Z.gcd a b in
  { V.qnum = Z.divexact a g; V.qden = Z.divexact b g }

(* "3/8" *)
let ratio text =
  let negative, text = unsigned text in
  match String.split_on_char '/' text with
  | [ a; b ] when digits a && digits b && max (String.length a) (String.length b) <= longest ->
      let a = Z.of_string a and b = Z.of_string b in
      if Z.sign b = 0 then None else Some (lowest (if negative then Z.neg a else a) b)
  | _ -> None

(* "0.2", "2e-3" *)
let decimal text =
  let negative, text = unsigned text in
  let mantissa, exponent =
    match String.split_on_char 'e' (String.map (fun c -> if c = 'E' then 'e' else c) text) with
    | [ m ] -> (m, Some Z.zero)
    | [ m; e ] ->
        let minus, e = unsigned e in
        (m, if digits e && String.length e <= longest then Some ((if minus then Z.neg else Fun.id) (Z.of_string e)) else None)
    | _ -> ("", None)
  in
  let all, behind =
    match String.split_on_char '.' mantissa with
    | [ m ] -> (m, 0) | [ m; f ] -> (m ^ f, String.length f) | _ -> ("", 0) in
  match exponent with
  | Some e when digits all && String.length mantissa <= longest && Z.leq (Z.abs e) (Z.of_int longest) ->
      let number = Z.of_string all and power = Z.to_int e - behind in
      let many = String.length (Z.to_string number) in
      if max (max (abs power) many) (many + power - 1) > longest then None
      else
        let number = if negative then Z.neg number else number in
        let ten = Z.pow (Z.of_int 10) (abs power) in
        Some (if power < 0 then lowest number ten else lowest (Z.mul number ten) Z.one)
  | _ -> None

(* the days of YYYY-MM-DD, from the first of January of the year 1 *)
let days text =
  match String.split_on_char '-' text with
  | [ y; m; d ] when digits y && digits m && digits d && List.map String.length [ y; m; d ] = [ 4; 2; 2 ] ->
      let y = Z.to_int (Z.of_string y) and m = Z.to_int (Z.of_string m) and d = Z.to_int (Z.of_string d) in
      let leap = y mod 4 = 0 && (y mod 100 <> 0 || y mod 400 = 0) in
      let months = [ 31; (if leap then 29 else 28); 31; 30; 31; 30; 31; 31; 30; 31; 30; 31 ] in
      if y < 1 || m < 1 || m > 12 || d < 1 || d > List.nth months (m - 1) then None
      else
        let before = List.fold_left ( + ) 0 (List.filteri (fun i _ -> i < m - 1) months) and past = y - 1 in
        Some (lowest (Z.of_int ((365 * past) + (past / 4) - (past / 100) + (past / 400) + before + d)) Z.one)
  | _ -> None

let number_of text =
  let given = bare text in
  match List.find_map (fun read -> read ()) [ (fun () -> ratio given); (fun () -> decimal given); (fun () -> days text) ] with
  | Some number -> number
  | None -> fail "%s is not a number, nor a date of the form YYYY-MM-DD" (shown text)

(* the numbers of the one column in ascending order, and how many records have each *)
let column about =
  let codes = (List.hd about.levels).codes.(0) in
  let number = Array.make (Hashtbl.length codes) { V.qnum = Z.zero; V.qden = Z.one } in
  Hashtbl.iter (fun label code -> number.(code) <- number_of label) codes;
  let rows = List.map (fun (codes, counts) -> (number.(List.hd codes), size counts)) about.rows in
  let order (x, _) (y, _) = Z.compare (Z.mul x.V.qnum y.V.qden) (Z.mul y.V.qnum x.V.qden) in
  List.sort order rows

let check about conditions proof =
  match fields "proof" [ "values"; "groups"; "value"; "labels" ] proof with
  | [ _; groups; value; labels ] ->
      let k = match (conditions, about.names) with
        | [ V.Records k ], [ _ ] -> k
        | _ -> fail "groups of numbers are of one column, and are asked for a number of records alone" in
      let n = size about.reference in
      if Z.gt n (Z.of_int most_numbers) then fail "groups of more than 2^22 numbers are not checked";
      if Z.gt k n then refuse "there are fewer numbers than a group must have";
      let n = Z.to_int n and k = Z.to_int k in
      let numbers = column about in
      let unit = List.fold_left
        (fun unit (x, _) ->
          let unit = Z.lcm unit x.V.qden in
          if Z.numbits unit > 16_000 then fail "the numbers have no common denominator of fewer than 4000 digits";
          unit)
        Z.one numbers in
      let bits = Z.numbits unit + List.fold_left (fun most (x, _) -> max most (Z.numbits x.V.qnum)) 0 numbers in
      let step = 1 + (bits / 64) in
      if Z.gt (Z.mul (Z.of_int k) (Z.of_int (k + (n * step)))) (two_to 31) then fail "so many groups would take too long to check";
      let sizes = List.map (place "groups[]" (n + 1)) (items "groups" groups) in
      let rational what given = let a, b = fraction what given in { V.qnum = a; V.qden = b } in
      let best = rational "value" value and labels = List.map (rational "labels[]") (items "labels" labels) in
      if not (V.check_groups numbers k sizes best labels) then refuse "the proof does not show it";
      Printf.sprintf "%s of %s; the sum of squared errors within them is %s, the least"
        (counted_int (List.length sizes) "group") (counted_int n "number") (plain_text value)
  | _ -> assert false

let tasks =
  [ ("tcloseness-microaggregation-certificate-1",
     ("groups of the numbers in ascending order, of sizes `groups`, have the sum of squared errors `value`, and no \
       groups of at least so many records as the model asks for have less",
      check)) ]
