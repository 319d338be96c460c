(* Reads certificates from standard input, one a line, and answers each with
   "accepted" or "refused".

   A line holds whole numbers: m n, then p (m numbers), q (n), d (m rows of n),
   f (m rows of n), u (m), v (n) and the value x.  The check itself is
   Verified.check_value, extracted from Checker.v; here is only the reading. *)

let take k numbers =
  let rec go k taken rest =
    match (k, rest) with
    | 0, _ -> (List.rev taken, rest)
    | _, first :: rest -> go (k - 1) (first :: taken) rest
    | _, [] -> failwith "the line is too short"
  in
  go k [] numbers

let rows m n numbers =
  let rec go m read rest =
    if m = 0 then (List.rev read, rest)
    else
      let row, rest = take n rest in
      go (m - 1) (row :: read) rest
  in
  go m [] numbers

let accepted line =
  match List.map Big_int_Z.big_int_of_string (String.split_on_char ' ' line) with
  | m :: n :: rest ->
      let m = Big_int_Z.int_of_big_int m and n = Big_int_Z.int_of_big_int n in
      let p, rest = take m rest in
      let q, rest = take n rest in
      let d, rest = rows m n rest in
      let f, rest = rows m n rest in
      let u, rest = take m rest in
      let v, rest = take n rest in
      (match rest with
       | [ x ] -> Verified.check_value p q d f u v x
       | _ -> failwith "the line does not end with the value")
  | _ -> failwith "the line does not begin with m and n"

let () =
  try
    while true do
      print_endline (if accepted (input_line stdin) then "accepted" else "refused")
    done
  with End_of_file -> ()
