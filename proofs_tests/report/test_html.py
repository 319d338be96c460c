"""The page of an audit: one file that stands alone, says what the audit says, and shows every cell as it is."""

from __future__ import annotations

import re

import pytest

from proofs_tests.report.pages import HOSTILE, Structure, audit_of, salaries_and_diseases
from tcloseness.conventions import MEANINGS
from tcloseness.report.html import page
from tcloseness.report.short_text import printable


@pytest.fixture(scope="module")
def li():
    return page(
        salaries_and_diseases(k=3, t="0.375"),
        table="li_table4.csv",
        grounds={"Salary": "ordered", "Disease": "hierarchical"},
        command="tcloseness check li_table4.csv --k 3",
    )


def test_nothing_is_fetched_and_nothing_runs(li):
    structure = Structure(li)
    assert not re.search(r"https?:|//[a-z]|@import|url\((?!#)", li.replace("urn:", ""))
    assert not structure.all("script")
    for tag, attributes in structure.elements:
        assert not [name for name in attributes if name.startswith("on")], tag
        for name in ("src", "href", "xlink:href"):
            target = attributes.get(name)
            assert target is None or target.startswith(("#", "data:")), (tag, target)


def test_the_answer_comes_first_and_in_words(li):
    text = Structure(li).text
    start = text.index("✗ Violated: t-closeness of Disease (4/9 > 3/8); 2 of 3 thresholds satisfied.")
    assert start < text.index("Each person shares the quasi-identifiers with at least 2 others.") < text.index("model")


def test_every_verdict_of_the_audit_is_there_with_exact_value_decimal_and_margin(li):
    text = Structure(li).text.replace("\N{NO-BREAK SPACE}", " ")
    assert "t-closeness distance of the farthest class from the whole table 4/9 ≈ 0.4444 ≤ 3/8 −5/72 ✗ violated" in text
    assert "t-closeness distance of the farthest class from the whole table 3/8 = 0.375 ≤ 3/8 0 ✓ satisfied" in text
    assert text.count("✓ satisfied") == 2
    assert text.count("k-anonymity records of the smallest class 3 ≥ 3 0 ✓ satisfied A and 2 more 3 0 0") == 1


def test_each_attribute_has_its_pictures_with_a_question_and_a_description(li):
    structure = Structure(li)
    pictures = structure.all("svg")
    assert len(pictures) == 1 + 2 * 4
    assert all(p["role"] == "img" and p["aria-label"] for p in pictures)
    assert len(structure.all("figcaption")) == len(pictures)


def test_no_two_elements_share_an_id_and_every_reference_has_its_target(li):
    structure = Structure(li)
    ids = [attributes["id"] for _, attributes in structure.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    wanted = set(re.findall(r"url\(#([^)]+)\)", li)) | {
        str(a["xlink:href"])[1:] for _, a in structure.elements if str(a.get("xlink:href", "")).startswith("#")
    }
    assert wanted
    assert wanted <= set(ids)


def test_what_was_assumed_stands_with_its_meaning_and_how_to_run_it_again(li):
    text = Structure(li).text
    for name in ("missing values", "suppressed records", "reference distribution"):
        assert MEANINGS[name] in text
    assert "tcloseness check li_table4.csv --k 3" in text


def test_what_is_undefined_is_said_with_the_reason():
    """The class a has one value only, so r₁/(r₂ + …) has the denominator 0."""
    text = Structure(page(audit_of([("a", 1), ("a", 1), ("b", 1), ("b", 2)]))).text
    assert "recursive (c,l)-diversity of v a class has fewer than 2 different values" in text
    assert "2 records (50 %) are in a class in which everybody has the same value" in text


def test_cells_are_shown_as_they_are_and_never_obeyed():
    """In the pictures a name is cut after 23 characters, as on any page."""
    rows = [(f"{cell} q{n % 2}", cell) for n, cell in enumerate(HOSTILE)]
    made = page(audit_of(rows), table=HOSTILE[0], command=HOSTILE[1])
    structure = Structure(made)
    assert not structure.all("script")
    assert not structure.all("img")
    assert HOSTILE[0] in structure.text
    assert HOSTILE[1] in structure.text
    shown = {text for tag, text in structure.texts if tag == "text"}
    for cell in HOSTILE:
        plain = printable(cell)
        assert (plain if len(plain) <= 24 else f"{plain[:23]}…") in shown
    assert "\x1b" not in made
    assert "\x00" not in made


def test_a_long_cell_is_cut_for_people():
    made = page(audit_of([("a" * 10_000, "v" * 100_000), ("b", "w")]))
    assert "v" * 90 not in made
    assert len(made) < 200_000


@pytest.mark.long
def test_equal_audits_are_equal_pages():
    rows = [("a", 1), ("a", 2), ("b", 1)]
    assert page(audit_of(rows)) == page(audit_of(rows))


def test_one_record_has_a_page():
    text = Structure(page(audit_of([("a", 1)]))).text
    assert "1 record (100 %) is alone in a class of one." in text


@pytest.mark.long
def test_many_classes_make_no_large_page():
    """6,000 classes of different sizes and 60 values: shades, steps and the 20 largest differences."""
    rows = [(f"class {i}", (i * j * 7919) % 60) for i in range(6000) for j in range(1 + i % 9)]
    made = page(audit_of(rows, t="0.2"))
    assert len(made) < 600_000
    assert "Of 60 values, the 20 largest differences are shown." in made
    assert "The arrows are the mass that moves" not in made
