"""The classes of an audited table: each is found by its labels, and the suppressed records are in none of them."""

from __future__ import annotations

import random
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tcloseness.certificates import conditions as conditions_of_classes, nodes as nodes_of_tables
from tcloseness.certificates.audit import AuditedTable, check_audit, require_value
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.measures import Measure
from tcloseness.certificates.nodes import Nodes
from tcloseness.certificates.reading import Counts
from tcloseness.errors import CertificateError, InputError

VALUES = ["text:x", "text:y"]
RECORDS = {"condition": "records", "least": 1}


def table(rows: list[tuple[str, ...]]) -> Nodes:
    counts = Counter(tuple(f"text:{cell}" for cell in row) for row in rows)
    names = [f"q{i}" for i in range(len(rows[0]) - 1)]
    return Nodes(Counts.of([*names, "s"], counts), dict.fromkeys(names), VALUES)


def by_labels(rows: list[tuple[str, ...]]) -> dict[tuple[str, ...], list[int]]:
    found: dict[tuple[str, ...], list[int]] = {}
    for *labels, value in rows:
        found.setdefault(tuple(labels), [0, 0])["xy".index(value)] += 1
    return found


@pytest.mark.parametrize("mark", [None, "*", "p"])
def test_each_class_has_its_labels_and_counts_and_the_suppressed_ones_are_none(mark: str | None) -> None:
    draw = random.Random(f"{mark}")
    for _ in range(60):
        width = draw.randint(1, 3)
        rows = [(*(draw.choice("p*") for _ in range(width)), draw.choice("xy")) for _ in range(draw.randint(1, 9))]
        every = by_labels(rows)
        gone = every.pop((mark or "",) * width, [0, 0])
        if not every:
            with pytest.raises(CertificateError, match="every record"):
                AuditedTable(table(rows), mark, "all", [RECORDS])
            continue
        for reference in ("all", "released"):
            audited = AuditedTable(table(rows), mark, reference, [RECORDS])
            assert (audited.classes, audited.left_out) == (len(every), sum(gone))
            assert {tuple(labels): row.tolist() for labels, row in audited.each()} == every
            assert sum(len(block) for block in audited.blocks()) == len(every)
            q = [sum(row[v] for row in every.values()) + (gone[v] if reference == "all" else 0) for v in range(2)]
            assert audited.conditions.reference.tolist() == q
            for labels, counts in every.items():
                assert audited.one(labels).tolist() == counts
            for labels in ((mark or "none",) * width, ("none",) * width):
                with pytest.raises(CertificateError):
                    audited.one(labels)


def proof(**changes: Any) -> dict[str, Any]:
    """Of a table of three classes, two of them released; each has two records, so that any is worst."""
    given: dict[str, Any] = {
        "values": VALUES,
        "suppressed": "*",
        "reference": "released",
        "classes": 2,
        "measures": [{"measure": "records", "class": ["p", "q"], "value": "2"}],
        "holds": [True],
        "unchecked": [],
    }
    return {**given, **changes}


def entry(**changes: Any) -> dict[str, Any]:
    return {"measures": [{**proof()["measures"][0], **changes}]}


def test_a_measure_is_of_a_released_class_and_of_its_value() -> None:
    rows = [("p", "q", "x"), ("p", "q", "y"), ("p", "*", "x"), ("p", "*", "y"), ("*", "*", "x"), ("*", "*", "y")]
    nodes, model = table(rows), Conditions([{"condition": "records", "least": 2}], VALUES, [3, 3])
    assert check_audit(nodes, model, proof()) == (
        "2 classes, without 2 records with '*' in every quasi-identifier, against the others: records = 2; "
        "1 of 1 condition met by all classes"
    )
    assert check_audit(nodes, model, proof(**entry(**{"class": ["p", "*"]})))
    for wrong in (
        entry(**{"class": ["*", "*"]}),
        entry(**{"class": ["*", "q"]}),
        entry(value="1"),
        entry(value="3"),
        {"classes": 3},
        {"classes": 1},
        {"holds": [False]},
        {"holds": [1]},
        {"suppressed": None},
        {"suppressed": "p"},
    ):
        with pytest.raises(CertificateError):
            check_audit(nodes, model, proof(**wrong))
    for odd in (
        {"reference": "some"},
        {"reference": None},
        {"holds": []},
        {"holds": [True, True]},
        {"classes": 0},
        {"classes": "2"},
        {"measures": [1]},
        {"measures": {}},
        {"unchecked": [1]},
        {"suppressed": 1},
        entry(**{"class": ["p"]}),
        entry(**{"class": None}),
        entry(measure="none"),
        entry(more=1),
        entry(value=2),
    ):
        with pytest.raises(InputError):
            check_audit(nodes, model, proof(**odd))


def test_the_class_that_is_named_has_the_value_and_none_has_a_worse_one() -> None:
    """By every measure: of three classes the best has another value, so that it is not named with the worst one's."""
    rows = [("p", "x"), ("q", "x"), ("q", "x"), ("q", "y"), *[("r", "x"), ("r", "y")] * 2]
    nodes, asked, classes = table(rows), Conditions([], VALUES, [5, 3]), by_labels(rows)
    for measure in (
        {"measure": "records"},
        {"measure": "values"},
        {"measure": "share", "values": None},
        {"measure": "gain"},
        {"measure": "distance", "ground": {"name": "equal", "m": 2}},
    ):
        value = {
            labels: Fraction(*Measure(measure, asked).worst([np.array([counts])])) for labels, counts in classes.items()
        }
        worst = (min if measure["measure"] in ("records", "values") else max)(value.values())
        assert set(value.values()) > {worst}
        for labels, mine in value.items():
            for stated in set(value.values()):
                given = [{**measure, "class": list(labels), "value": str(stated)}]
                audit = proof(suppressed=None, classes=3, measures=given, holds=[])
                if mine == stated == worst:
                    assert check_audit(nodes, asked, audit)
                else:
                    with pytest.raises(CertificateError):
                        check_audit(nodes, asked, audit)


@pytest.mark.parametrize("cells", [2, 4, 2**22])
def test_the_work_of_what_holds_is_added_up_until_it_is_broken(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three classes of two values, one, two or all at a time; the second condition is broken by the first of them."""
    monkeypatch.setattr(nodes_of_tables, "_CELLS", cells)
    nodes = table([("p", "x"), ("q", "x"), ("q", "y"), ("r", "x"), ("r", "y")])
    model = [{"condition": "records", "least": least} for least in (1, 2)]
    given = proof(suppressed=None, classes=3, measures=[], holds=[True, False])
    sizes = {2: [2, 2, 2], 4: [4, 2], 2**22: [6]}[cells]
    units = sum(1000 + 5 * size for size in sizes) + 1000 + 5 * sizes[0]
    for most in (units, units - 1):
        monkeypatch.setattr(conditions_of_classes, "MOST_WORK", most)
        asked = Conditions(model, VALUES, [3, 2])
        if most == units:
            assert check_audit(nodes, asked, given) == "3 classes: 1 of 2 conditions met by all classes"
        else:
            with pytest.raises(InputError, match="what is asked of each class would take too long"):
                check_audit(nodes, asked, given)


def test_the_entropy_of_a_class_is_stated_to_nine_decimals_rounded_down() -> None:
    """exp(H) itself, and no value of nine decimals above or below it; of the worst class no greater one."""
    draw, unit = random.Random(8), Fraction(1, 10**9)
    for _ in range(25):
        counts = [draw.randint(0, 9), draw.randint(1, 9)]
        with localcontext() as context:
            context.prec = 50
            n = sum(counts)
            entropy = Decimal(n).ln() - sum((c * Decimal(c).ln() for c in counts if c), Decimal(0)) / n
            low = Fraction(int(entropy.exp() * 10**9 + Decimal("1e-30")), 10**9)
        asked = Conditions([], VALUES, [9, 9])
        for value in (low, low + unit, low - unit, low + 1, Fraction(1), Fraction(2)):
            if value == low:
                require_value({"measure": "entropy"}, str(value), np.array(counts), asked)
            else:
                with pytest.raises((CertificateError, InputError)):
                    require_value({"measure": "entropy"}, str(value), np.array(counts), asked)
    rows = [("p", "q", "x"), ("p", "q", "y"), ("p", "*", "x"), ("*", "*", "x"), ("*", "*", "y")]
    nodes, model = table(rows), Conditions([RECORDS], VALUES, [3, 2])
    for labels, value, right in ((["p", "*"], "1", True), (["p", "q"], "2", False), (["p", "*"], "2", False)):
        given = proof(measures=[{"measure": "entropy", "class": labels, "value": value}])
        if right:
            assert "entropy = 1.000000000…" in check_audit(nodes, model, given)
        else:
            with pytest.raises(CertificateError):
                check_audit(nodes, model, given)
    for odd in ("0", "1/2", "3/7", f"{10**10 + 1}/{10**10}", 1, None, "x"):
        with pytest.raises(InputError):
            require_value({"measure": "entropy"}, odd, np.array([1, 1]), Conditions([], VALUES, [9, 9]))
    with pytest.raises(InputError):
        require_value({"measure": "entropy", "more": 1}, "2", np.array([1, 1]), Conditions([], VALUES, [9, 9]))
