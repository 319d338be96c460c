(* The same for a script: `tclosenessAnswers` takes the blocks of answers.ml as one text and returns the lines, and
   `tclosenessDigest` the SHA-256 of bytes (a text of the characters 0 to 255). *)
open Js_of_ocaml

let answers blocks =
  let left = ref (String.split_on_char '\n' (Js.to_bytestring blocks)) and said = ref [] in
  let next () =
    match !left with
    | [] | [ "" ] -> raise End_of_file
    | line :: rest ->
        left := rest;
        line
  in
  Answers.all ~next ~tell:(fun line -> said := line :: !said);
  Js.string (String.concat "\n" (List.rev !said))

let () =
  Js.Unsafe.set Js.Unsafe.global "tclosenessAnswers" (Js.wrap_callback answers);
  Js.Unsafe.set Js.Unsafe.global "tclosenessDigest"
    (Js.wrap_callback (fun bytes -> Js.string (Sha256.hex (Js.to_bytestring bytes))))
