"""What is proved: the statements and their assumptions, as Coq prints them.

`AUDITED` lists, file by file, the definitions that a statement rests on and the theorems; the functions that
``kernels/Generated.v`` holds are there to be read. `statements.txt` keeps what
Coq printed for them, so that a weaker theorem, another definition or a new axiom shows as a difference in review. To
renew it after a change that is meant, build the proofs and run::

    python -m proofs_tests.coq.audit > proofs_tests/coq/statements.txt
"""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from pathlib import Path

__all__ = ["AUDITED", "GROUPS", "HERE", "STATEMENTS", "blocks", "coqc", "file_of", "printed", "theorems"]

HERE = Path(__file__).resolve().parent
STATEMENTS = HERE / "statements.txt"

AUDITED: dict[str, tuple[str, str]] = {
    "Transport": (
        "coupling cost is_emd emd_le mix",
        "fact1 fact2 fact2_max emd_le_mean emd_le_sum weak_duality dual_certificate emd_refl emd_sym emd_eq0 "
        "emd_triangle",
    ),
    "Existence": (
        "same_mass emd",
        "emdP emd_leE emd_eq emd_range emd_convex emd_merge_max emd_ge0 emd_xx emd_zero emd_comm emd_trans",
    ),
    "Duality": ("feasible earned weight no_gain", "difference_constraints strong_duality emd_is_max"),
    "Printed": (
        "printed_flow plus",
        "coupling_is_printed emd_cancel printed_ge_emd printed_emd",
    ),
    "Laminar": ("on cut cuts", "cut_lower_bound cuts_lower_bound laminar_emd cheapest_crosses"),
    "ClosedForms": (
        "cum gap pass single_pass double_sum",
        "ordered_emd equal_emd equal_forms line_emd single_pass_double_sum tutorial_ways_agree",
    ),
    "Hierarchies": (
        "lca hdist node child extra pos_extra neg_extra node_cost "
        "above leaves_below lowest tree_dist tree_extra tree_pos tree_neg tree_cost",
        "extra_children extras_of_a_level hierarchy_emd hierarchy_emd_paper tree_emd tree_emd_paper",
    ),
    "Instances": (
        "distributions anc4 par5 ht5 leaf5 root5 place",
        "nine_salaries four_leaves three_leaves uneven_line",
    ),
    "Tables": (
        "size_of count_of dist_of overall k_anonymous distinct t_close closed_under_means class_on",
        "dist_is_mean mean_merge k_anonymous_merge distinct_merge t_close_merge t_close_subset t_close_emd "
        "whole_table_close",
    ),
    "Recursive": (
        "ranked recursive pd_recursive nd_frequent rank_y tail pd_literal pd_paper pd_sets npd_recursive",
        "recursiveP pd_literalP pd_paperP recursive_merge pd_recursive_merge nd_frequent_merge pd_paper_merge "
        "npd_recursive_merge",
    ),
    "Models": (
        "every_class alpha_bound frequency beta_like delta_disclosure ratio_le ratio_close nt_close",
        "every_class_merge alpha_merge frequency_merge beta_merge delta_merge exp_close_merge ratio_sets_atoms "
        "ratio_closeP nt_close_merge k_map_merge presence_merge knowledge_needed",
    ),
    "DifferentialPrivacy": (
        "prob dp believed_before believed_after answer",
        "closeness_iff_dp two_people_dp no_randomness_no_dp",
    ),
    "Logarithms": (
        "h entropy all_of share shares join entropy_of entropy_diverse delta_log beta_enhanced",
        "entropy_concave entropy_union merge_by_joining entropy_merge entropy_whole entropy_distinct delta_log_merge "
        "beta_enhanced_merge",
    ),
    "Checker": (
        "sum dot add cols vec_eqb row_le flowb dualb check check_value flow cost",
        "check_sound check_value_sound",
    ),
    "Counts": ("plus nonneg size held best shift add_line bests", "plus_nonneg best_plus bestsE"),
    "Gibbs": ("powers entropic", "gibbs_two gibbs entropy_joins"),
    "Conditions": (
        "cut condition occurring power_pos power own_powers tail gained work satisfies condition_ok satisfies_all "
        "different inside laminar formed",
        "powerE own_powersE tailE satisfies_joins all_joins",
    ),
    "Distances": ("num set_of ground shares", "distance_value distance_emd audit_emd"),
    "LatticeChecker": (
        "node codes rows hierarchy sum climb labels eqb leb nodes children class node_ok nonempty above below split "
        "groups relabel keys node_fast violating whole check_border losing check_least leaves nested coded table_ok "
        "model_ok heights satisfying check_minimal check_infeasible loss level_labels widths added records_of "
        "weighed denominator term scale terms valued check_optimum",
        "node_fastE class_ok_up node_ok_up check_border_sound check_least_sound check_minimal_sound "
        "check_infeasible_sound check_optimum_sound",
    ),
    "EvenCounts": (
        "within between change clamped spread over many evened all_evened",
        "best_grow best_scale spread_best evened_over",
    ),
    "Keeping": (
        "dot raised priced small values_of by_threshold cheapest kink clip kink_least kinks minus zeros far "
        "is_distance distances free share cap box down up unit far_from least_records least_values is_tail tail_ok "
        "holds level bisect steps room even uneven cases no_room excluded descend most weighted",
        "descend_sound most_sound",
    ),
    "KeepingChecker": (
        "entry same_counts entry_ok totals possible total classes_at check_kept of_records large_enough check_shown",
        "kept_sound check_kept_sound check_shown_sound",
    ),
    "CutChecker": (
        "total width lab anc children_of onto values here price both less is least uniform_least below_node paid "
        "under cost_under tuple parents pairs first_prices others some_nodes costs fixings cut_of in_range "
        "all_least level_of one_cut cut_ok cut_labels cost_of gone keeps asks cut_good cut_fast cut_cases priced_of "
        "extended check_cases raw whole_unit cost_table all_costs multiples divisor ceil check_cut",
        "least_sound uniform_sound all_least_sound cut_fastE forbidden check_cut_sound",
    ),
    "AuditChecker": (
        "fraction same at_most larger largest proper measure least gain_of left_out ratio_of ratios top_count measured "
        "said unit_below has no_worse said_formed before ascending marked released suppressed_records reference "
        "audited entry_ok all_meet verdicts check_audit",
        "at_most_larger tail_measured commonest_measured share_measured gain_measured ratio_measured "
        "distance_measured measured_proper ascending_distinct check_audit_sound check_audit_complete",
    ),
    "LimitChecker": (
        "classes_of kept records lost within_limit member check_limited satisfying minimal_node cell_loss class_loss "
        "measured kind width shown withheld each of_class whole_of squares fraction_of loss_of said check_best",
        "classes_once check_limited_sound check_limited_complete check_best_sound",
    ),
    "MicroaggregationChecker": (
        "total many mean around within errors records fits place join joined unit_of shared placed ascending sum "
        "squares chop error reach steps check_groups real apart insert sorted centres label labelled",
        "within_least apart_least intervals path_bound check_groups_sound",
    ),
    "Slopes": ("parted", "distance_slope"),
    "GeneralizationChecker": (
        "tabled below_it above_it mass multiple way places shown_at shows read way_cost masses_ok row_slope slope "
        "distances_of mean gains region all_of added_up cells all_at at_node leaf case_tree cut_high cut_low cut_most "
        "cut_least lesser least_way value_node node_loss node_raw node_over showing with_distances way_of meets judged "
        "least_cost added_costs all_judged total_cost plain classes_at below_nodes node_cost node_costs supported "
        "whole_cost check_generalization check_no_generalization",
        "leaf_sound tree_sound plain_way added_costs_sound check_generalization_sound check_no_generalization_sound",
    ),
    "ClassSearch": (
        "shifted one_more line reaches members dues class_cost reduced hopeless copies visit gain",
        "line_reach visit_complete",
    ),
    "Partitions": (
        "cell_kind attribute least_of most_of at_all agree first_level lowest wide level_raw together_raw distinct "
        "raw_label over_label penalty gone_label label_ok whole_label proper partitions partition_cost some_of "
        "paid_at_least less_prices gone_alone least_reduced is_not taken weighed_by takes branches bounds at_place "
        "no_more no_less without holds_both holds_one nothing least_product place_of with_dues prices_ok weights_ok "
        "leaf_value check_branches class_bound record_bound fits",
        "label_grows split_class priced_partition outside tree_bounds",
    ),
    "PartitionChecker": (
        "kind class_loss q sizes_only kind_records records_of_kinds tallied class_ok no_kind_twice kinds_ok "
        "label_penalty size_cost gone_cost losses_ok smallest_size largest_size all_found beats all_partitions "
        "all_cost left_out parted_ok exact_label check_partition check_no_partition",
        "beats_sound check_partition_sound check_no_partition_sound",
    ),
    "CompositionChecker": (
        "total tree rest is_odd get change entries cell release sum fact numbered count inside is_class fulfils holds "
        "line lower counts_of highs lines part no_or_one parts published place merged tallied shown bounds costs "
        "first_high right_side fact_ok learned all_facts cell_ok row_ok sizes_ok check_composition settles certain so",
        "right_side_bound check_composition_sound certain_values",
    ),
    "Counterexamples": (
        "group ga gb prior1 belief0 breach safe total union unite quotient shares distance parts "
        "t_close t_close_with_suppression subset nt_close printed_flow",
        "bayes_optimal_not_monotone suppression_limit_not_monotone suppression_not_monotone nt_close_not_monotone "
        "printed_constraints_differ",
    ),
    "Programs": (
        "in_box in_rows reduced bound tree set_at proved is_whole rest most left_over r",
        "leaf_bound leaf_empty leaf_bound_eq leaf_whole tree_bound sums_bound sums_at_most sums_at_least cut_bound "
        "enumerated one_ahead",
    ),
    "Beliefs": (
        "fits worlds people people_with rows chances belief among_q among_block",
        "share_of_worlds posterior_belief homogeneous_block",
    ),
    "RecursiveForms": (
        "descending closed_form without after_any case_one case_two",
        "recursion share_left first_case second_case second_case_not eliminating_not_at_will",
    ),
    "Searches": (
        "ask tags right below direct found superadditive class_of total with_value commonest",
        "tags_are_right tagging minimal_direct subset_join classes_generalizing discernibility_splits hull_splits "
        "labels_generalizing minority_splits fewer_classes groups_suffice groups_do_not two_values same_shares",
    ),
    "Disclosure": (
        "release consistent worlds worlds_with cell has",
        "every_assignment certain_iff belief persons_of_cell values_of_class everybody nobody",
    ),
    "Cuts": ("cut_class goes_below in_tuple saved chosen", "tuple_forbids goes_below_up cut_cost"),
    "Robust": (
        "zero plus records counts_of may_stay stays leave joined robust dropped share stays_close closeb",
        "leave_antitone robust_below robust_certificate close_joins closeb_joins t_close_robust",
    ),
    "Means": ("dist_in", "fact2_mean fact2_printed"),
    "Metrics": (
        "metric",
        "cuts_metric equal_metric line_metric ordered_metric hierarchy_metric tree_metric",
    ),
    "Divergences": (
        "jensen convex chi_square total_variation hellinger2 hellinger",
        "chi_square_convex total_variation_convex hellinger2_convex convex_close root_close hellinger_close",
    ),
    "LogDivergences": (
        "kl1 js1 total kl js convex1",
        "kl_convex js_convex total_join divergence_merge kl_merge js_merge js_root_merge",
    ),
    "Limits": ("far satisfied equal_close", "classes_limit_not_monotone"),
    "Rounding": (
        "double_exp double rnd u grown err within near order exact computed terms each spread",
        "sum_spread sum_err sum_near",
    ),
    "Filters": (
        "quotient nearest",
        "ratio_decides largest_kept smallest_kept greatest_kept quotient_within filtered_decides filtered_decides_near "
        "extreme_kept offer_decides",
    ),
    "LogFilters": (
        "log_within log_term c_ln_c counts records inner few per_term log_l below_gap below_error above_l "
        "entropy_double entropy_error entropy kl_logs kl_term kl_double kl_error kl_log kl log_ratio_error log2_double",
        "below_decides entropies_within kl_within log_ratio_within log2_ratio_within",
    ),
    "GainFilters": (
        "gain cap cap_margin above_cap exp_within exponential_error",
        "cap_decides exponential_within",
    ),
    "kernels.Kernel": (
        "arr arr2 view bind guard inside part num add sub mul absolute quotient remainder get set get2 set2 fill one "
        "append fresh zeros zeros2 blit view1 view2 vget1 vget2 vset1 vset2 for_ steps exit until while wp sumn sum",
        "",
    ),
    "kernels.Generated": ("", ""),
    "kernels.Work": ("cumulative count term class_work family a_class within", ""),
    "kernels.CutWork": ("mass laminar_work", "cut_work_right"),
    "kernels.Emd": ("z2r set_at", "cut_work_emd"),
    "kernels.Interval": ("", "interval_tiles_right"),
    "kernels.Prefix": ("", "prefix_tiles_right"),
    "kernels.Int64": (
        "int64_max int64 reference_sum inputs differences",
        "interval_tiles_int64 prefix_tiles_int64",
    ),
    "kernels.Lattice": ("in_group", "work_right merged_rows_right"),
    "kernels.Grouping": ("", "group_right"),
    "kernels.Counted": ("one_if at_least falling found falling_order", "counted_right recursive_right"),
    "kernels.Ordered": (
        "double_sum",
        "ordered_emd_right double_sum_right single_pass_is_double_sum equal_emd_right",
    ),
    "kernels.Hierarchical": (
        "over_children extra_within extra pos_extra neg_extra node_work root_height",
        "hierarchical_emd_right",
    ),
    "kernels.HierarchicalEmd": ("", "hierarchical_emd_is_emd"),
    "kernels.Potential": ("holds_place potential_at", "cut_potential_right potential_earns"),
    "kernels.Optimal": ("carried flow_cost is_plan plan_cost earned optimal", "is_optimal_right"),
}

_DOUBLES = ("Rounding", "Filters", "LogFilters", "GainFilters")
_REAL = ("Logarithms", "LogDivergences", *_DOUBLES)
GROUPS = {
    "without_axioms": [file for file in AUDITED if file not in _REAL],
    "with_real_numbers": list(_REAL),
}
"""Which theorems are asked for their assumptions together; the first group must have none."""

_CHECKERS = (
    *("Checker", "LatticeChecker", "KeepingChecker", "CutChecker", "AuditChecker", "LimitChecker"),
    *("GeneralizationChecker", "ClassSearch", "Partitions", "PartitionChecker", "CompositionChecker"),
)
_FINITE = "mathcomp.ssreflect.all_ssreflect mathcomp.algebra.all_algebra"
_WHOLE_NUMBERS = ("Coq.ZArith.ZArith Coq.Lists.List ListNotations", "Z_scope")
_APART = {
    **dict.fromkeys(_DOUBLES, ("Coq.Reals.Reals Coq.ZArith.ZArith Flocq.Core.Core Tcloseness.Rounding", "R_scope")),
    **dict.fromkeys(_REAL[:2], ("Coq.Reals.Reals mathcomp.ssreflect.all_ssreflect Tcloseness.Tables", "R_scope")),
    **dict.fromkeys(("Counterexamples", "Limits"), ("Coq.QArith.QArith Coq.Lists.List ListNotations", "Q_scope")),
    "MicroaggregationChecker": ("Coq.ZArith.ZArith Coq.QArith.QArith Coq.Lists.List ListNotations", "Q_scope"),
    **dict.fromkeys(
        [file for file in AUDITED if file.startswith("kernels.") and not file.endswith("Emd")],
        ("Coq.ZArith.ZArith Tcloseness.kernels.Kernel", "Z_scope"),
    ),
    **{
        file: (f"{_FINITE} Tcloseness.Transport Tcloseness.{distances}", "ring_scope")
        for file, distances in (("kernels.Emd", "Laminar"), ("kernels.HierarchicalEmd", "Hierarchies"))
    },
    **dict.fromkeys((*_CHECKERS, "Counts", "Gibbs", "Conditions", "EvenCounts", "Keeping"), _WHOLE_NUMBERS),
}
"""Files over other numbers: what is imported, and which notations are open, so that they read as they were written."""


def theorems() -> list[str]:
    """Return the names of all audited theorems, with their files: ``Transport.fact1``."""
    return [f"{file}.{name}" for file, (_, proved) in AUDITED.items() for name in proved.split()]


def file_of(name: str) -> Path:
    """Return the file of a name in `AUDITED`, or of a theorem: ``kernels.Int64`` is ``kernels/Int64.v``."""
    file = name if name in AUDITED else name.rpartition(".")[0]
    return HERE / f"{file.replace('.', '/')}.v"


def coqc(source: Path) -> subprocess.CompletedProcess[str]:
    """Compile one file against the built proofs."""
    command = ["coqc", "-q", "-R", str(HERE), "Tcloseness", "-w", "none", str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=source.parent)


def printed() -> str:
    """Return what Coq prints now for everything in `AUDITED`; it is asked once for the same compiled proofs."""
    lines = [
        "From Coq Require QArith Reals List.",
        "From mathcomp Require all_ssreflect all_algebra.",
        f"From Tcloseness Require {' '.join(AUDITED)}.",
        "Set Printing Width 110. Unset Printing Implicit Defensive.",
    ]
    together = [file for file in AUDITED if file not in _APART]
    opened = (_FINITE, "ring_scope")
    for files, (imported, scope) in [(together, opened), *(([file], what) for file, what in _APART.items())]:
        own = " ".join(f"Tcloseness.{file}" for file in files)
        own_module = f"Audit{files[0].replace('.', '_')}"
        lines += [f"Module {own_module}.", f"Import {imported} {own}.", f"Local Open Scope {scope}."]
        for file in files:
            defined, proved = AUDITED[file]
            for name in defined.split():
                lines += [_mark(f"definition {file}.{name}"), f"Print Tcloseness.{file}.{name}."]
            for name in proved.split():
                lines += [_mark(f"theorem {file}.{name}"), f"Check @Tcloseness.{file}.{name}."]
        lines += [f"End {own_module}."]
    # Print Assumptions walks through all of mathcomp: once for all theorems of a group, not once for each
    for group, files in GROUPS.items():
        tuple_of = ", ".join(f"@{name}" for name in theorems() if name.rpartition(".")[0] in files)
        lines += [f"Definition {group} := ({tuple_of}).", _mark(f"assumptions {group}"), f"Print Assumptions {group}."]
    script = "\n".join(lines) + "\n"
    compiled = hashlib.sha256(script.encode())
    for file in AUDITED:
        compiled.update(file_of(file).with_suffix(".vo").read_bytes())
    kept = HERE / ".audit.cache"
    if kept.exists():
        stamp, _, answered = kept.read_text(encoding="utf-8").partition("\n")
        if stamp == compiled.hexdigest():
            return answered
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory) / "Audit.v"
        source.write_text(script, encoding="utf-8")
        answer = coqc(source)
    if answer.returncode:
        raise RuntimeError(f"Coq cannot print the statements: {answer.stderr}")
    answered = _tidy(answer.stdout)
    kept.write_text(f"{compiled.hexdigest()}\n{answered}", encoding="utf-8")
    return answered


def blocks(text: str) -> dict[str, str]:
    """Split a printed audit: ``theorem Transport.fact1`` -> its lines."""
    parts = [part.split("\n", 1) for part in ("\n" + text).split("\n## ")[1:]]
    return {name: body.strip() for name, body in parts}


def _mark(name: str) -> str:
    return f'Goal True. idtac "## {name}". Abort.'


def _tidy(text: str) -> str:
    """Without the remarks on implicit arguments and scopes, which are not part of a statement."""
    kept: list[str] = []
    remark = False
    for line in text.splitlines():
        remark = line.startswith("Arguments ") or (remark and line.startswith(" "))
        if not remark and line.strip():
            kept += ["", line] if line.startswith("## ") and kept else [line]
    return "\n".join(kept) + "\n"


if __name__ == "__main__":
    print(printed(), end="")
