(* Checks certificates about tables: reads the blocks of answers.ml from standard input, and answers each on a line. *)
let () =
  Answers.all ~next:(fun () -> input_line stdin)
    ~tell:(fun line ->
      print_endline line;
      flush stdout)
