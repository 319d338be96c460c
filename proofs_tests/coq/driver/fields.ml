(* Reading records: exact keys and types, and numbers in the one form in which they are written. *)
open Json

exception Refused of string

let refuse format = Printf.ksprintf (fun reason -> raise (Refused reason)) format

let fields what keys = function
  | Object pairs ->
      List.iter (fun (key, _) -> if not (List.mem key keys) then fail "%s has the key %S" what key) pairs;
      List.map (fun key -> match List.assoc_opt key pairs with Some x -> x | None -> fail "%s lacks %S" what key) keys
  | _ -> fail "%s is not an object" what

let items what = function List each -> each | _ -> fail "%s is not a list" what

let some what given = match items what given with [] -> fail "%s is empty" what | each -> each

let text what = function
  | Text s ->
      if List.length (code_points s) > 10_000 then fail "%s has more than 10000 characters" what;
      s
  | _ -> fail "%s is not a text" what

(* without what breaks a line or speaks to a terminal, each shown by its escape *)
let escaped points =
  let one c =
    match c with
    | 9 -> "\\t" | 10 -> "\\n" | 13 -> "\\r"
    | 0x2028 | 0x2029 -> Printf.sprintf "\\u%04x" c
    | _ when c < 32 || (127 <= c && c < 160) -> Printf.sprintf "\\x%02x" c
    | _ -> let buffer = Buffer.create 4 in add_utf8 buffer c; Buffer.contents buffer
  in
  String.concat "" (List.map one points)

let printable text = escaped (code_points text)

(* the beginning of a text, between quotes *)
let shown text =
  let points = code_points text in
  Printf.sprintf "'%s%s'" (escaped (List.filteri (fun i _ -> i < 60) points)) (if List.length points > 60 then "…" else "")

let two_to n = Z.shift_left Z.one n

let whole what ?(least = Z.zero) ?(most = Z.pred (two_to 31)) = function
  | Number n when Z.leq least n && Z.leq n most -> n
  | _ -> fail "%s is not a whole number from %s to %s" what (Z.to_string least) (Z.to_string most)

let place what size given = Z.to_int (whole what ~most:(Z.of_int (size - 1)) given)

(* "0", "-3" or "3/8" in lowest terms: numerator and denominator *)
let fraction what given =
  let digits s =
    let size = String.length s in
    size > 0 && size <= 4000 && s.[0] <> '0' && String.for_all (fun c -> '0' <= c && c <= '9') s
  in
  let signed s = s = "0" || digits (if s <> "" && s.[0] = '-' then String.sub s 1 (String.length s - 1) else s) in
  let found =
    match given with
    | Text s when signed s -> Some (Z.of_string s, Z.one)
    | Text s -> (
        match String.split_on_char '/' s with
        | [ a; b ] when a <> "0" && b <> "1" && signed a && digits b ->
            let a = Z.of_string a and b = Z.of_string b in
            if Z.equal (Z.gcd a b) Z.one then Some (a, b) else None
        | _ -> None)
    | _ -> None
  in
  match found with Some x -> x | None -> fail "%s is not a number in lowest terms" what

let positive what given =
  let a, b = fraction what given in
  if Z.sign a <= 0 then fail "%s is not positive" what;
  (a, b)

let not_negative what given =
  let a, b = fraction what given in
  if Z.sign a < 0 then fail "%s is negative" what;
  (a, b)

let no_pair_twice what each =
  let known = Hashtbl.create 16 in
  List.iter (fun x -> if Hashtbl.mem known x then refuse "%s names one thing twice" what else Hashtbl.add known x ()) each
