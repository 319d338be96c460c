(* JSON, read strictly: whole numbers alone, no key twice in one object, no half of a
   surrogate pair; and written with sorted keys, without blanks, in ASCII. *)

type t =
  | Null
  | Bool of bool
  | Number of Z.t
  | Text of string  (* in UTF-8 *)
  | List of t list
  | Object of (string * t) list

exception Unreadable of string

let fail format = Printf.ksprintf (fun reason -> raise (Unreadable reason)) format
let deepest = 16

let add_utf8 buffer code =
  if code >= 0xd800 && code < 0xe000 then fail "half of a surrogate pair";
  Buffer.add_utf_8_uchar buffer (Uchar.of_int code)

(* the code points of a text in UTF-8, which must be one *)
let code_points text =
  let length = String.length text in
  let byte i = if i < length then Char.code text.[i] else 0 in
  let rec from i found =
    if i >= length then List.rev found
    else
      let first = byte i in
      let more, least =
        if first < 0x80 then (0, 0) else if first land 0xe0 = 0xc0 then (1, 0x80)
        else if first land 0xf0 = 0xe0 then (2, 0x800) else if first land 0xf8 = 0xf0 then (3, 0x10000)
        else fail "not UTF-8"
      in
      let code = ref (if more = 0 then first else first land (0xff lsr (more + 2))) in
      for k = 1 to more do
        if byte (i + k) land 0xc0 <> 0x80 then fail "not UTF-8";
        code := (!code lsl 6) lor (byte (i + k) land 0x3f)
      done;
      if !code < least || not (Uchar.is_valid !code) then fail "not UTF-8";
      from (i + more + 1) (!code :: found)
  in
  from 0 []

let read text =
  let length = String.length text and place = ref 0 in
  let next () = if !place < length then text.[!place] else '\000' in
  let step () = incr place in
  let rec blanks () = match next () with ' ' | '\t' | '\n' | '\r' -> step (); blanks () | _ -> () in
  let expect c = if next () <> c then fail "no %C at byte %d" c !place else step () in
  let word name value =
    let size = String.length name in
    if !place + size <= length && String.sub text !place size = name then (place := !place + size; value)
    else fail "not JSON at byte %d" !place
  in
  let four_digits () =
    if !place + 4 > length then fail "an escape is cut off";
    let digits = String.sub text !place 4 in
    String.iter (function '0' .. '9' | 'a' .. 'f' | 'A' .. 'F' -> () | _ -> fail "an escape of no digits") digits;
    place := !place + 4;
    int_of_string ("0x" ^ digits)
  in
  let string () =
    expect '"';
    let buffer = Buffer.create 16 in
    let rec go () =
      if !place >= length then fail "a text does not end";
      let c = next () in
      step ();
      if c = '"' then Buffer.contents buffer
      else if Char.code c < 0x20 then fail "a control character in a text"
      else if c <> '\\' then (Buffer.add_char buffer c; go ())
      else begin
        let kind = next () in
        step ();
        (match kind with
         | '"' | '\\' | '/' -> Buffer.add_char buffer kind
         | 'b' -> Buffer.add_char buffer '\b'
         | 'f' -> Buffer.add_char buffer '\012'
         | 'n' -> Buffer.add_char buffer '\n'
         | 'r' -> Buffer.add_char buffer '\r'
         | 't' -> Buffer.add_char buffer '\t'
         | 'u' ->
             let high = four_digits () in
             if high >= 0xd800 && high < 0xdc00 && next () = '\\' && !place + 1 < length && text.[!place + 1] = 'u'
             then begin
               place := !place + 2;
               let low = four_digits () in
               if low < 0xdc00 || low > 0xdfff then fail "half of a surrogate pair";
               add_utf8 buffer (0x10000 + ((high - 0xd800) lsl 10) + (low - 0xdc00))
             end
             else add_utf8 buffer high
         | _ -> fail "an escape that JSON does not have");
        go ()
      end
    in
    let found = go () in
    ignore (code_points found);
    found
  in
  let number () =
    let begun = !place in
    if next () = '-' then step ();
    let first = !place in
    let rec digits () = match next () with '0' .. '9' -> step (); digits () | _ -> () in
    digits ();
    let many = !place - first in
    if many = 0 || (many > 1 && text.[first] = '0') then fail "not a number at byte %d" begun;
    if many > 1000 then fail "a number of %d digits" many;
    (match next () with '.' | 'e' | 'E' -> fail "a number that is not whole at byte %d" begun | _ -> ());
    Number (Z.of_string (String.sub text begun (!place - begun)))
  in
  let rec value depth =
    blanks ();
    let c = next () in
    if depth >= deepest && (c = '[' || c = '{') then fail "lists and objects stand more than %d deep" deepest;
    let found =
      match c with
      | '"' -> Text (string ())
      | '[' -> step (); List (entries (depth + 1) ']' (fun d -> value d))
      | '{' ->
          step ();
          let pairs = entries (depth + 1) '}' (fun d -> blanks (); let key = string () in blanks (); expect ':'; (key, value d)) in
          let known = Hashtbl.create 16 in
          List.iter (fun (key, _) -> if Hashtbl.mem known key then fail "a key twice in an object" else Hashtbl.add known key ()) pairs;
          Object pairs
      | 't' -> word "true" (Bool true)
      | 'f' -> word "false" (Bool false)
      | 'n' -> word "null" Null
      | _ -> number ()
    in
    blanks ();
    found
  and entries : 'a. int -> char -> (int -> 'a) -> 'a list =
   fun depth last read_one ->
    blanks ();
    if next () = last then (step (); [])
    else
      let rec more found =
        let found = read_one depth :: found in
        blanks ();
        let c = next () in
        step ();
        if c = ',' then more found else if c = last then List.rev found else fail "a list does not end"
      in
      more []
  in
  let found = value 0 in
  if !place <> length then fail "more behind the end at byte %d" !place;
  found

let write given =
  let buffer = Buffer.create 4096 in
  let add = Buffer.add_string buffer in
  let text s =
    add "\"";
    List.iter
      (fun code ->
        if code = 0x22 then add "\\\"" else if code = 0x5c then add "\\\\"
        else if code >= 0x20 && code < 0x7f then Buffer.add_char buffer (Char.chr code)
        else match code with
          | 0x08 -> add "\\b" | 0x0c -> add "\\f" | 0x0a -> add "\\n" | 0x0d -> add "\\r" | 0x09 -> add "\\t"
          | _ when code < 0x10000 -> add (Printf.sprintf "\\u%04x" code)
          | _ ->
              let rest = code - 0x10000 in
              add (Printf.sprintf "\\u%04x\\u%04x" (0xd800 + (rest lsr 10)) (0xdc00 + (rest land 0x3ff))))
      (code_points s);
    add "\""
  in
  let list opening closing one each =
    add opening;
    List.iteri (fun i x -> if i > 0 then add ","; one x) each;
    add closing
  in
  let rec value = function
    | Null -> add "null"
    | Bool b -> add (string_of_bool b)
    | Number n -> add (Z.to_string n)
    | Text s -> text s
    | List each -> list "[" "]" value each
    | Object pairs ->
        let sorted = List.sort (fun (a, _) (b, _) -> compare a b) pairs in
        list "{" "}" (fun (key, x) -> text key; add ":"; value x) sorted
  in
  value given;
  Buffer.contents buffer
