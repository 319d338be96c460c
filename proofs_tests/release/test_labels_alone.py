"""Labels of a file alone stand for as few values as they can only where their text says so."""

from __future__ import annotations

import pandas as pd
import pytest

from tcloseness import Hierarchy, Table
from tcloseness.errors import HierarchyError, TableError
from tcloseness.microdata import FrequencySet
from tcloseness.release.labels_alone import is_written_as, labels_alone, require_ends

LEVELS = Hierarchy([("Bonn", "DE", "*"), ("Ulm", "DE", "*"), ("Wien", "AT", "*")], name="q")


def alone(*labels, hierarchies=None):
    frame = pd.DataFrame({"q": list(labels), "s": "flu"})
    return labels_alone(FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s"), hierarchies or {})


@pytest.mark.parametrize(
    ("label", "single"),
    [
        ("21", True),
        ("21-21", True),
        ("21-25", False),
        ("[-3, 5]", False),
        ("[20, 21)", False),
        ("(20, 21]", False),
        ("]20; 21[", False),
        ("(-inf, 30)", False),
        ("[30, inf)", False),
        ("(-∞, ∞)", False),
        ("*", False),
        ("{a, b}", False),
        ("{'a, b', c}", False),
        ("{a}", True),
        ("Never-married", True),
        ("10th-12th", True),
    ],
)
@pytest.mark.filterwarnings("ignore:1 record")
def test_a_label_is_of_one_value_exactly_if_its_text_names_one(label, single):
    _, recodings = alone(label, "0", "0")
    recoding = recodings["q"]
    at = recoding.labels.code(label)
    assert (recoding.leaf_counts("table")[at] == 1) == single


def test_labels_of_a_hierarchy_are_its_nodes():
    classes, recodings = alone("DE", "Wien", "DE", hierarchies={"q": LEVELS})
    assert sorted(recodings["q"].leaf_counts("hierarchy").tolist()) == [1, 2]
    assert classes.keys is not None
    shown = [recodings["q"].labels.values[code] for code in classes.keys.codes["q"].tolist()]
    assert dict(zip(shown, classes.class_sizes.tolist(), strict=True)) == {"DE": 2, "Wien": 1}
    with pytest.raises(HierarchyError, match="not a node of its hierarchy"):
        alone("FR", hierarchies={"q": LEVELS})
    with pytest.raises(TableError, match="'x' is not a quasi-identifier"):
        alone("DE", hierarchies={"x": LEVELS})


def test_what_stars_hide_is_not_guessed():
    with pytest.raises(HierarchyError, match=r"'476\*\*' as 'q', and what that stands for is not known"):
        alone("476**", "47601")


@pytest.mark.parametrize("label", ["[20, 30)", "(20, 30]", "(-inf, 30]"])
def test_a_label_that_does_not_name_both_ends_is_not_tight(label):
    _, recodings = alone(label, "21")
    with pytest.raises(TableError, match="does not say which values are its least and its greatest"):
        require_ends(recodings, ["q"])


def test_a_file_is_a_release_exactly_if_it_has_its_rows_in_any_order():
    frame = pd.DataFrame({"q": [1, 2, 7, 9], "s": ["a", "b", "a", "b"]})
    found = Table(frame, quasi_identifiers="q", sensitive="s").anonymize(k=2)
    shown = found.frame()
    assert is_written_as(found.release, shown.iloc[::-1])
    assert not is_written_as(found.release, shown.iloc[1:])
    assert not is_written_as(found.release, shown.assign(q="1-9"))
    assert not is_written_as(found.release, shown[["q"]])
