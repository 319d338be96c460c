(* OCaml code for the verified checkers, with Coq's numbers as zarith's. *)
From Tcloseness Require Import Checker LatticeChecker KeepingChecker CutChecker AuditChecker
  LimitChecker MicroaggregationChecker GeneralizationChecker
  PartitionChecker CompositionChecker.
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlZBigInt.
Extraction Language OCaml.
Extraction "verified.ml" check_value check_minimal check_optimum
  check_infeasible check_kept check_shown check_cut
  check_audit suppressed_records check_limited check_best
  check_groups check_generalization
  check_no_generalization supported check_partition check_no_partition sizes_only
  check_composition certain.
