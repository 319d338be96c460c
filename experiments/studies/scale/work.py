"""What counting, an audit and a search take of a table of any size, each in a process of its own, on one thread."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.bench.engines import MEMORY, audit, grouped, run
from experiments.lands_end import SENSITIVE
from experiments.provenance import ROOT

__all__ = ["CRITERIA", "FIVE_MEASURES", "audited", "searched"]

CRITERIA = {
    "6-anonymous": "KAnonymity(6)",
    "6-diverse (entropy)": "EntropyLDiversity(6)",
    "6-anonymous and 0.2-close": "KAnonymity(6) & TCloseness('0.2', ground='ordered')",
}
"""What is searched for, as it is written in Python: k = ℓ = 6 of Machanavajjhala et al. 2006, §6, and t-closeness."""

FIVE_MEASURES = {
    "k-anonymity": "KAnonymity(5)",
    "entropy l": "EntropyLDiversity(5)",
    "recursive (4,l)": "RecursiveCLDiversity(5, c=4)",
    "k and t = 0.2": "KAnonymity(5) & TCloseness('0.2', ground='ordered')",
    "k and t = 0.15": "KAnonymity(5) & TCloseness('0.15', ground='ordered')",
}
"""The five of Li et al. 2007, §6, at k = ℓ = 5."""

_SEARCH = """
roles = {{"quasi_identifiers": {roles!r}, "sensitive": {sensitive!r}, "threads": 1, "memory": {memory!r}}}
few = FrequencySet.read({few!r}, **roles)
trees = {{name: tree for name, tree in hierarchies().items() if name in {roles!r}}}
models = [{models}]
for model in models:
    minimal_generalizations(RollUp(few, trees), model)  # compiled code is loaded
table = FrequencySet.read({file!r}, **roles)
found = []
for model in models:
    begun_one = time.process_time()
    answer = minimal_generalizations(RollUp(table, trees), model)
    seconds = time.process_time() - begun_one
    found += [seconds, len(answer.minimal), answer.work.checked, len(RollUp(table, trees).lattice)]
"""


def audited(files: Sequence[Path], columns: Sequence[str]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what an audit finds, and what it takes, beside the group-by; `columns` end with the sensitive one."""
    bare, found = grouped(files, columns), audit(files, columns)
    classes, rows, smallest, t = found.facts
    facts = {
        "rows": int(rows),
        "combinations": int(bare.facts[0]),
        "classes": int(classes),
        "smallest class": int(smallest),
        "t (ordered)": round(t, 6),
    }
    ways = {"group-by by DuckDB": bare, "audit": found}
    return facts, [{"work": way, "seconds": spent.seconds, "peak MB": spent.peak / 1e6} for way, spent in ways.items()]


def searched(
    file: Path, few: Path, quasi_identifiers: Sequence[str], criteria: dict[str, str]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return what searches for all minimal tables find, and what they take from the frequency set on.

    The memory is that of all of them in one process, with the reading. Before, each goes through a few rows of the
    kind, so that compiled code is loaded.
    """
    work = _SEARCH.format(
        roles=list(quasi_identifiers),
        sensitive=SENSITIVE,
        models=", ".join(criteria.values()),
        file=str(file),
        few=str(few),
        memory=MEMORY,
    )
    imports = (
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom experiments.lands_end import hierarchies\n"
        "from tcloseness import FrequencySet\nfrom tcloseness.lattice import RollUp, minimal_generalizations\n"
        "from tcloseness.models import EntropyLDiversity, KAnonymity, RecursiveCLDiversity, TCloseness"
    )
    spent = run(imports, work, "*found")
    found, times = [], []
    for place, criterion in enumerate(criteria):
        seconds, minimal, checked, nodes = spent.facts[4 * place : 4 * place + 4]
        found.append({"criterion": criterion, "nodes": int(nodes), "checked": int(checked), "minimal": int(minimal)})
        times.append({"work": f"search: {criterion}", "seconds": seconds, "peak MB": spent.peak / 1e6})
    return found, times
