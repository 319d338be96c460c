(* OCaml code for the verified checker, with Coq's numbers as zarith's. *)
From Tcloseness Require Import Checker.
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlZBigInt.
Extraction Language OCaml.
Extraction "verified.ml" check_value.
