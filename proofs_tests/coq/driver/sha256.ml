(* SHA-256 (FIPS 180-4) of a text, in 64 hexadecimal digits. *)

let first_bits root n =
  (* the first 32 bits behind the point of the square or cubic root of n, by bisection *)
  let shift = 32 * root in
  let goal = Z.shift_left (Z.of_int n) shift in
  let rec search low high =
    if Z.leq (Z.sub high low) Z.one then low
    else
      let middle = Z.shift_right (Z.add low high) 1 in
      if Z.leq (Z.pow middle root) goal then search middle high else search low middle
  in
  let found = search Z.zero (Z.shift_left Z.one 40) in
  (Z.to_int (Z.extract found 16 16) lsl 16) lor Z.to_int (Z.extract found 0 16)  (* an int may have 32 bits alone *)

let primes =
  let rec from n found = if List.length found = 64 then List.rev found
    else from (n + 1) (if List.for_all (fun p -> n mod p <> 0) found then n :: found else found) in
  from 2 []

let rounds = Array.of_list (List.map (first_bits 3) primes)
let start = Array.of_list (List.map (first_bits 2) (List.filteri (fun i _ -> i < 8) primes))

let hex text =
  let length = String.length text in
  let padded = Bytes.make ((length + 8) / 64 * 64 + 64) '\000' in
  Bytes.blit_string text 0 padded 0 length;
  Bytes.set padded length '\x80';
  Bytes.set_int64_be padded (Bytes.length padded - 8) (Int64.of_int (8 * length));
  let mask = (0xffff lsl 16) lor 0xffff in
  let turned x n = ((x lsr n) lor (x lsl (32 - n))) land mask in
  let state = Array.copy start and w = Array.make 64 0 in
  for block = 0 to Bytes.length padded / 64 - 1 do
    for i = 0 to 15 do
      w.(i) <- Int32.to_int (Bytes.get_int32_be padded ((64 * block) + (4 * i))) land mask
    done;
    for i = 16 to 63 do
      let x = w.(i - 15) and y = w.(i - 2) in
      let s0 = turned x 7 lxor turned x 18 lxor (x lsr 3) in
      let s1 = turned y 17 lxor turned y 19 lxor (y lsr 10) in
      w.(i) <- (w.(i - 16) + s0 + w.(i - 7) + s1) land mask
    done;
    let v = Array.copy state in
    for i = 0 to 63 do
      let e = v.(4) and a = v.(0) in
      let s1 = turned e 6 lxor turned e 11 lxor turned e 25 in
      let chosen = (e land v.(5)) lxor (lnot e land mask land v.(6)) in
      let t1 = v.(7) + s1 + chosen + rounds.(i) + w.(i) in
      let s0 = turned a 2 lxor turned a 13 lxor turned a 22 in
      let most = (a land v.(1)) lxor (a land v.(2)) lxor (v.(1) land v.(2)) in
      Array.blit v 0 v 1 7;
      v.(4) <- (v.(4) + t1) land mask;
      v.(0) <- (t1 + s0 + most) land mask
    done;
    Array.iteri (fun i x -> state.(i) <- (state.(i) + x) land mask) v
  done;
  String.concat "" (Array.to_list (Array.map (Printf.sprintf "%08x") state))
