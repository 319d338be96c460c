"""Every public result as HTML, frame, dictionary and page: what is withheld, and what each keeps its word about."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import tcloseness as tc
from proofs_tests import every_result
from proofs_tests.every_result import EXAMPLES, LABELS, PRIVATE, example
from tcloseness import axioms
from tcloseness.displayed import Explained, Pictured
from tcloseness.errors import InputError
from tcloseness.report import showing
from tcloseness.report.structure_figures import MOST_LEAVES, MOST_VALUES

pytestmark = pytest.mark.slow  # a page and a picture of every public class

KINDS = pytest.mark.parametrize("kind", list(EXAMPLES), ids=lambda kind: kind.__name__)
VALUES = (*PRIVATE, *LABELS)


def leaked(text: str) -> list[str]:
    return [value for value in VALUES if value in text]


@KINDS
def test_html_withholds_every_value_unless_asked(kind: type) -> None:
    made = example(kind)
    html = made._repr_html_()
    assert html.lstrip().startswith("<div")
    assert not leaked(html)
    assert kind.__name__ in html
    assert not re.search(r"https?://(?!www\.w3\.org)|<script|<link|@import", html)


SHOWN = ("Audit", "FrequencySet", "ClassCounts", "Hierarchy", "Domain", "Release", "AttackResult", "Certificate")


@pytest.mark.parametrize("name", SHOWN)
def test_html_shows_the_values_when_asked(name: str) -> None:
    kind = next(kind for kind in EXAMPLES if kind.__name__ == name)
    assert leaked(str(example(kind).show()))
    assert not leaked(str(example(kind).show(redact=True)))


@KINDS
def test_a_notebook_is_given_html(kind: type) -> None:
    """As IPython does: a method of this name, whose answer is a text."""
    made = example(kind)
    assert isinstance(type(made)._repr_html_(made), str)
    assert isinstance(made.show()._repr_html_(), str)


def cells(html: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(.*?)</tr>", unescape(html), re.DOTALL)
    return [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in rows]


def test_a_comparison_has_a_row_for_each_quantity_and_a_column_for_each_release_whatever_it_is_called() -> None:
    releases = dict.fromkeys(("by levels", "quantity", "release quantity"), every_result.generalized())
    found = every_result.table().compare(releases, k=3)
    head, *rows = cells(found._repr_html_())
    assert head == ["quantity", "better", "original", "by levels", "release quantity", "release release quantity"]
    wide = found.table()
    assert [row[0] for row in rows] == list(wide.index.get_level_values("quantity"))
    for row, (_, told) in zip(rows, wide.iterrows(), strict=True):
        assert row[3] == row[4] == row[5]
        for shown, value in zip(row[2:], told.iloc[1:], strict=True):
            if isinstance(value, str):  # how a threshold is met
                assert shown == value
            elif shown == "–":
                assert pd.isna(value)
            elif value == value and value != float("inf"):
                assert float(shown.replace(",", "")) == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize("name", ["Anonymized", "Release", "ClassCounts"])
def test_a_class_is_one_row_where_its_values_are_withheld(name: str) -> None:
    made = example(next(kind for kind in EXAMPLES if kind.__name__ == name))
    records = made.to_frame().groupby("class")["records"].sum()
    head, *rows = cells(made._repr_html_())
    at, many = head.index("class"), head.index("records")
    shown = {row[at]: int(row[many].replace(",", "")) for row in rows}
    assert len(shown) == len(rows) == min(len(records), showing.MOST_ROWS)
    assert shown == {str(number): records[number] for number in list(records.index)[: len(rows)]}


def test_a_report_card_in_a_notebook_has_a_row_for_each_law_and_the_counterexamples_of_those_that_fail() -> None:
    card = axioms.check_distance(lambda p, q: p[0] - q[0], m=(2, 2), only=["symmetric", "convex"], proofs=False)
    html = unescape(card._repr_html_())
    assert re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td>", html) == [(each.name, str(each.verdict)) for each in card]
    assert card.failures == ("symmetric",)
    for name, masses in card["symmetric"].counterexample.inputs.items():  # type: ignore[union-attr]
        assert f"{name} = ({', '.join(masses)})" in html
    assert card["symmetric"].check.consequence in html


@KINDS
def test_sentences_withhold_values_when_asked(kind: type) -> None:
    made = example(kind)
    if isinstance(made, Explained):
        assert made.explain()
        assert not leaked(made.explain(redact=True))


@KINDS
def test_pictures_show_without_magic_and_withhold_values_when_asked(kind: type, tmp_path: Path) -> None:
    made = example(kind)
    if not isinstance(made, Pictured):
        return
    drawn = made.plot(redact=True)
    assert "<svg" in drawn._repr_html_()
    assert not leaked(drawn._repr_html_())
    drawn[0].save(tmp_path / "one.svg")
    with pytest.raises(InputError, match="exists"):
        drawn[0].save(tmp_path / "one.svg")
    if len(drawn) > 1:
        with pytest.raises(InputError, match=f"there are {len(drawn)} pictures"):
            drawn.save(tmp_path / "all.svg")


@KINDS
def test_a_page_is_whole_redacted_and_never_over_a_file_of_the_users(
    kind: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, file = example(kind), tmp_path / "page.html"
    made.report(file)
    text = file.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert text.rstrip().endswith("</html>")
    assert not [value for value in PRIVATE if value in text]
    file.write_text("mine")
    with monkeypatch.context() as patched:
        patched.setattr("tcloseness.report.showing.page", lambda *_, **__: pytest.fail("drawn before it is refused"))
        with pytest.raises(InputError, match="exists and is not overwritten; give another name, or force=True"):
            made.report(file)
    assert file.read_text() == "mine"
    made.report(file, redact=False, force=True)
    assert file.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


# ---------------------------------------------------------------------- values that a user's own words hold


def test_a_release_withholds_the_words_of_an_own_model_as_its_verdict_does() -> None:
    for kind in (tc.release.Anonymized, tc.anonymize.Anatomized):
        made = example(kind)
        own = replace(made.verdict, model="mine", title="of Sales", reading="Sales", notes=("most have Sales",))
        told = replace(made, verdict=own)
        assert "most have Sales" in told.explain()
        assert not leaked(told.explain(redact=True) + told._repr_html_())


def test_a_sweep_withholds_the_values_that_a_model_names_and_those_of_messages() -> None:
    allowed = tc.models.PositiveDisclosureRecursive(2, 2, allowed=("Sales",))
    swept = tc.sweep(example(tc.Table), models=[allowed, tc.TCloseness("1/2", "ordered")], processes=1)
    assert [cell.outcome for cell in swept.cells] == ["satisfied", "refused"]
    assert "Adm" in str(swept.cells[1].show())  # the message, as far as it is shown
    for found in (swept, *swept.cells):
        told = repr(found) + found._repr_html_()
        assert not leaked(told)
        assert "Adm" not in told


# ---------------------------------------------------------------------- bounds, laws


def test_a_large_hierarchy_and_ground_distance_are_drawn_in_part_and_say_so() -> None:
    few = tc.Hierarchy.from_groups([{f"g{i}": [f"v{j}" for j in range(i, 400, 20)] for i in range(20)}])
    drawn = few.plot()
    assert "Only the upper 2 of 3 levels are drawn." in drawn._repr_html_()
    assert drawn._repr_html_().count("(20 values)") == 20
    assert MOST_LEAVES < 400
    caption = tc.Ordered(1000).plot()._repr_html_()
    assert f"Of 1000 values, {MOST_VALUES} are drawn" in caption
    assert "are drawn" not in tc.Ordered(MOST_VALUES).plot()._repr_html_()


def test_a_tree_names_every_node() -> None:
    names = {"APPLE", "PEAR", "FRUIT", "LEEK", "FOOD", "PLANTS"}
    tree = tc.Hierarchy([("APPLE", "FRUIT", "FOOD"), ("PEAR", "FRUIT", "FOOD"), ("LEEK", "PLANTS", "FOOD")])
    html = tree.plot()._repr_html_()
    assert all(name in html for name in names)
    assert not any(name in tree.plot(redact=True)._repr_html_() for name in names)


CELLS = ("<script>alert(1)</script>", "&amp;", "a'b\"c", "\x1b[31mred", "\u202eabc", "xyz" * 60)


@settings(max_examples=10)
@given(st.lists(st.sampled_from(CELLS), min_size=3, max_size=6), st.sampled_from(["<b>", "x" * 10_000, "a\x00b", "ok"]))
def test_no_value_or_name_is_markup_in_html(cells: list[str], name: str) -> None:
    frame = pd.DataFrame({name: cells, "q": ["u", "v", "v", "u", "u", "v"][: len(cells)]})
    counted = tc.FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive=name)
    for found in (
        counted,
        counted.class_counts(),
        counted.domains[name],
        tc.check(counted, k=2).attributes[0].results[1],
    ):
        for html in (found._repr_html_(), str(found.show())):
            assert "<script" not in html
            assert "<b><" not in html.replace("<b>" + type(found).__name__, "")
            assert not set(html) & {"\x1b", "\u202e", "\x00"}


def test_rows_past_the_first_are_counted_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(showing, "MOST_ROWS", 3)
    assert "The first 3 rows; to_frame() has all." in tc.Domain.of(range(4)).show()._repr_html_()
    assert "to_frame" not in tc.Domain.of(range(3)).show()._repr_html_()


def test_without_the_extra_html_says_how_to_install_it() -> None:
    program = (
        "import sys; sys.modules['jinja2'] = None\n"
        "import tcloseness as tc\n"
        "domain = tc.Domain.of('ab')\n"
        "print(domain._repr_html_())\n"
        "try:\n    tc.Ordered(3).plot()._repr_html_()\n"
        "except tc.errors.MissingPackageError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "&lt;Domain: 2 values, no order&gt;" in done.stdout
    assert done.stdout.count("pip install") == 2


def test_showing_is_loaded_when_it_is_asked_for() -> None:
    program = (
        "import sys, tcloseness as tc\n"
        "x = tc.Ordered(3)\nrepr(x), x == x, x.to_dict()\n"
        "print('tcloseness.report.showing' in sys.modules, 'matplotlib' in sys.modules, 'jinja2' in sys.modules)\n"
        "x._repr_html_()\n"
        "print('tcloseness.report.showing' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "False", "True"]


def test_an_own_subclass_has_every_feature_without_a_change_to_the_package(tmp_path: Path) -> None:
    class Weather(Explained):
        def __init__(self, town: str, degrees: int) -> None:
            self.town, self.degrees = town, degrees

        def _said(self) -> str:
            return f"{self.degrees} degrees"

        def to_dict(self) -> dict[str, Any]:
            return {"town": self.town, "degrees": self.degrees}

        _withheld = ("town",)

    one = Weather("Ulm", 7)
    assert repr(one) == "<Weather: 7 degrees>"
    assert "Ulm" not in one._repr_html_()
    assert "Ulm" in str(one.show())
    assert one.to_frame().to_dict("records") == [{"town": "Ulm", "degrees": 7}]
    assert one.explain() == "7 degrees"
    one.report(tmp_path / "w.html")
    assert one == Weather("Ulm", 7) != Weather("Bonn", 7)


def test_two_pictures_in_one_notebook_have_ids_of_their_own() -> None:
    ids = [
        set(re.findall(r'id="([^"]+)"', tc.Hierarchy([(a, "*"), (b, "*")]).plot()._repr_html_()))
        for a, b in (("a", "b"), ("c", "d"))
    ]
    assert ids[0]
    assert not ids[0] & ids[1]
