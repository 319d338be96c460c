"""The page of a report card: nothing is lost, every counterexample is drawn to scale and can be pasted."""

from __future__ import annotations

import html
import re
from fractions import Fraction

import pytest

from proofs_tests.chromium import MEASURE, fitting
from proofs_tests.cli.commands import run
from proofs_tests.report.pages import HOSTILE, Structure
from tcloseness.axioms import CHECKS, Counterexample, check_distance
from tcloseness.report.card_comparison import SHIPPED, TIMED, compared, made, shipped, verdict_word
from tcloseness.report.card_page import MOST_BARS, card_page, panels


def in_the_class(p, q):
    """Max |p − q| over the values of the class: neither a metric nor convex."""
    return max(abs(a - b) for a, b in zip(p, q, strict=True) if a)


@pytest.fixture(scope="module")
def card():
    expected = {"probability-scaling": "a difference"}
    return check_distance(
        in_the_class, ground="equal", m=(2, 3), effort="1/4", expected_failures=expected, proofs=False
    )


@pytest.fixture(scope="module")
def page(card):
    return card_page(card, command="tcloseness validate mine.py:in_the_class")


@pytest.mark.long
def test_a_page_says_all_that_the_card_says_and_fetches_nothing(card, page):
    structure = Structure(page)
    for result in card:
        assert result.name in structure.text
        assert result.check.statement in structure.text
        assert result.check.reference in structure.text
    assert structure.text.count("✗ fails") == sum(r.status == "fails" for r in card) + 1  # and the legend
    assert {a.get("id") for a in structure.all("article")} == set(card.failures)
    assert not structure.all("script")
    assert not [a for tag, a in structure.elements if "src" in a or a.get("href", "#")[0] not in "#d"]


def test_the_answer_stands_first_and_counts_every_check(card, page):
    first = re.search(r'<section class="answer violated".*?</section>', page, re.DOTALL)[0]
    counted = sum(map(int, re.findall(r"(\d+) (?:checks? fail|fails as|holds?)", first)))
    left = sum(r.status in ("not applicable", "undecided") for r in card)
    assert counted + left == len(card)


def test_a_merge_that_grows_forbids_every_search_to_prune(card, page):
    assert {"quasi-convex", "generalization-property", "subset-property"} <= set(card.failures)
    assert "Searches that may prune" not in page
    assert "Searches that must not prune" in page


def test_every_counterexample_is_drawn_to_one_scale(card):
    for name in card.failures:
        found = card[name].verdict.counterexample
        drawn = {panel.name: panel for panel in panels(found)}
        assert set(drawn) == set(found.inputs)
        top = max(Fraction(x) for masses in found.inputs.values() for x in masses)
        for panel in drawn.values():
            tallest = 92 / float(top)
            assert sum(bar.height for bar in panel.bars) == pytest.approx(tallest, abs=0.02 * len(panel.bars))
            for bar, mass in zip(panel.bars, found.inputs[panel.name], strict=True):
                assert bar.height == pytest.approx(tallest * float(Fraction(mass)), abs=0.01)
                assert bar.x >= 0
                assert bar.x + 30 <= panel.width


def test_a_merge_is_drawn_as_one(card):
    drawn = panels(card["quasi-convex"].verdict.counterexample)
    assert [(p.before, p.name, p.role) for p in drawn] == [
        ("", "P1", "class"),
        ("+", "P2", "class"),
        ("→", "M", "merged"),
        ("", "Q", "reference"),
    ]


@pytest.mark.parametrize(
    ("names", "order"),
    [("P2 Q2 P1 Q1", "P1 Q1 P2 Q2"), ("P R Q", "P Q R"), ("P1 P2 P3 Q M", "P1 P2 P3 M Q"), ("Q P", "P Q")],
)
def test_distributions_stand_in_the_order_in_which_they_are_read(names, order):
    found = Counterexample(dict.fromkeys(names.split(), ("1/2", "1/2")), "equal", {}, "")
    assert [panel.name for panel in panels(found)] == order.split()


def test_too_many_values_are_not_drawn_but_named(card):
    many = Counterexample({"P": ("1", *["0"] * MOST_BARS)}, "equal", {}, "")
    assert panels(many) == []
    assert len(panels(Counterexample({"P": ("1", *["0"] * (MOST_BARS - 1))}, "equal", {}, ""))[0].bars) == MOST_BARS


def test_the_test_on_the_page_can_be_pasted_and_fails(card, page):
    found = [html.unescape(text) for text in re.findall(r'<pre class="copy">(from .*?)</pre>', page, re.DOTALL)]
    assert len(found) == len(card.failures)
    for code in found:
        space = {"measure": in_the_class}
        exec(code, space)
        (name,) = (name for name in space if name.startswith("test_"))
        with pytest.raises(AssertionError):
            space[name]()


def test_no_text_of_a_measure_becomes_an_element():
    def raises(p, q):
        raise ValueError(HOSTILE[0])

    for name in HOSTILE:
        bad = check_distance(raises, name=name, only=["finite", "symmetric"], m=(2, 2), effort="1/20", proofs=False)
        structure = Structure(card_page(bad, command=name, comparison=()))
        assert not structure.all("script")
        assert not structure.all("img")
        assert HOSTILE[0] in structure.text
        assert "\x00" not in structure.text


def test_the_comparison_that_is_kept_has_every_shipped_measure_and_law():
    kept = shipped()
    assert [one.name for one in kept] == [one.name for one in SHIPPED]
    for one in kept:
        assert list(one.verdicts) == [check.name for check in CHECKS if check.name not in TIMED]


@pytest.mark.long
@pytest.mark.parametrize("name", ["EMD, equal", "χ²", "greatest ratio"])
def test_the_comparison_that_is_kept_is_what_the_cards_say_today(name):
    (one,) = (one for one in SHIPPED if one.name == name)
    (kept,) = (row for row in shipped() if row.name == name)
    card = made(one, m=(2, 4), effort="1/8", budget=120)
    assert compared(card) == kept
    assert set(kept.verdicts.values()) == {verdict_word(r.verdict) for r in card}


def test_the_command_writes_the_page_and_overwrites_none(tmp_path):
    file = tmp_path / "card.html"
    source = tmp_path / "mine_with_a_page.py"
    source.write_text("def l1(p, q):\n    return sum(abs(a - b) for a, b in zip(p, q))\n", encoding="utf-8")
    ask = ("validate", f"{source}:l1", "--ground", "equal", "--m", "2-3", "--no-proofs", "--only", "bounded-by-1")
    answer = run(*ask, "--html", str(file))
    assert answer.code == 1
    written = file.read_text(encoding="utf-8")
    assert '<article class="broken" id="bounded-by-1">' in written
    assert "--only bounded-by-1" in Structure(written).text
    assert run(*ask, "--html", str(file)).code == 2
    assert run(*ask, "--html", str(file), "--force").code == 1


@pytest.mark.parametrize("width", [390, 1280])
def test_a_page_fits_the_window(tmp_path, chromium, page, width):
    file = tmp_path / "page.html"
    file.write_text(page, encoding="utf-8")
    chromium.open(file, width=width)
    assert chromium.evaluate(MEASURE) == fitting(width)
    assert (chromium.console, chromium.requested) == ([], [])


@pytest.mark.long
@pytest.mark.parametrize("check", ["tiny-probabilities", "many-values"])
def test_distributions_that_are_described_are_named_and_not_drawn(check):
    def underflows(p, q):
        if len(p) > 9 or 0 < min(p) < Fraction(1, 10**200):
            raise FloatingPointError("underflow")
        return sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2

    failed = check_distance(underflows, ground="equal", only=[check], m=(2, 2), proofs=False)
    assert failed.failures == (check,)
    written = Structure(card_page(failed, comparison=())).text
    for masses in failed[check].verdict.counterexample.inputs.values():
        assert all(mass in written for mass in masses if not mass.isdigit())
