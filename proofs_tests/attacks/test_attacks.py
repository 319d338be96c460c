"""The attacks that the papers describe, on the papers' tables, with the papers' conclusions."""

from __future__ import annotations

import json
from fractions import Fraction

import pandas as pd
import pytest

from proofs_tests.attacks.papers import diseases, place, released
from tcloseness.attacks import (
    Person,
    background_knowledge_attack,
    homogeneity_attack,
    known_persons_attack,
    narrow_range_attack,
    similarity_attack,
    skewness_attack,
)
from tcloseness.attacks.result import class_text, listed
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy

F = Fraction

FIGURE_2 = released("machanavajjhala_figure2", "Condition")
FIGURE_3 = released("machanavajjhala_figure3", "Condition")
TABLE_2 = released("li_table2", "Disease")
SLIDES = released("kantarcioglu_3_anonymous", "Disease")

BOBS_CLASS = ("130**", "3*", "*")
UMEKOS_CLASS = ("130**", "<30", "*")
STOMACH = {"stomach": ["gastric ulcer", "gastritis", "stomach cancer"]}


# ---------------------------------------------------------------------- homogeneity


def test_bob_has_cancer():
    """Machanavajjhala et al. 2006, §1.1: 31 years old, zip code 13053, so record 9, 10, 11 or 12 of Figure 2; all have
    cancer."""
    found = homogeneity_attack(FIGURE_2)
    assert found.succeeds
    assert found.affected.tolist() == [place(FIGURE_2, *BOBS_CLASS)]
    assert found.records == 4
    assert found.findings[0].values == ("Cancer",)
    assert found.findings[0].sentence == (
        "Whoever is in the class Zip Code=130**, Age=3*, Nationality=* has Cancer: all 4 records of it do."
    )
    assert known_persons_attack(FIGURE_2, {"Bob": Person(BOBS_CLASS)}).inferences[0].shares == {"Cancer": 1}


def test_bob_of_the_slides_has_heart_disease():
    """Zip code 47678, age 27: the first class of the 3-anonymous table, three heart diseases (Li's Table 2 again)."""
    found = homogeneity_attack(SLIDES)
    assert found.affected.tolist() == [place(SLIDES, "476**", "2*")]
    assert found.findings[0].values == ("Heart Disease",)
    assert homogeneity_attack(TABLE_2).records == 3


def test_the_3_diverse_tables_withstand_homogeneity():
    """Machanavajjhala et al. 2006, §4.1: Alice cannot infer from Figure 3 that Bob has cancer."""
    for classes in (FIGURE_3, released("li_table4", "Disease"), released("li_table4", "Salary")):
        found = homogeneity_attack(classes)
        assert not found.succeeds
        assert len(found.findings) == 0
        assert found.sentence == "No class has one value only."


@pytest.mark.parametrize(
    ("share", "told", "none"),
    [
        (1, "have their value revealed", "No class has one value only."),
        (
            "4/5",
            "have a value revealed that holds for ≥ 4/5 of them",
            "No class has one value in ≥ 4/5 of its records.",
        ),
    ],
)
def test_what_homogeneity_reveals_is_said(share, told, none):
    classes = ClassCounts.from_mapping({"a": {"flu": 4}, "b": {"flu": 2, "hiv": 2}})
    assert homogeneity_attack(classes, share=share).sentence == f"4 of 8 records, in 1 class of 2, {told}."
    even = ClassCounts.from_mapping({"b": {"flu": 2, "hiv": 2}})
    assert homogeneity_attack(even, share=share).sentence == none


def test_eight_of_ten_have_the_flu():
    """The slides' limitation of distinct ℓ-diversity: 3-diverse, and flu with the accuracy of 80 %."""
    classes = ClassCounts.from_mapping({"a": {"cancer": 1, "heart disease": 1, "flu": 8}})
    found = homogeneity_attack(classes, share="4/5")
    assert found.findings[0].values == ("flu",)
    assert "probability 4/5: 8 of 10 records do" in found.findings[0].sentence
    assert not homogeneity_attack(classes, share=F(4, 5) + F(1, 10**30)).succeeds


# ---------------------------------------------------------------------- background knowledge


def test_umeko_has_a_viral_infection():
    """Machanavajjhala et al. 2006, §1.1: 21 years old, zip code 13068, so record 1 to 4; Japanese have an extremely low
    incidence of heart disease.
    """
    found = known_persons_attack(FIGURE_2, {"Umeko": Person(UMEKOS_CLASS, excluded=["Heart Disease"])})
    assert [i.name for i in found.revealed] == ["Umeko"]
    assert found.revealed[0].shares == {"Viral Infection": 1}
    assert found.revealed[0].records == 2
    unaware = known_persons_attack(FIGURE_2, {"Umeko": Person(UMEKOS_CLASS)})
    assert unaware.revealed == ()
    assert unaware.inferences[0].shares == {"Heart Disease": F(1, 2), "Viral Infection": F(1, 2)}


def test_in_figure_3_alice_is_still_unsure_about_umeko():
    """Machanavajjhala et al. 2006, §4.1: the class 1306*, ≤ 40 has a heart disease, a viral infection and two
    cancers."""
    found = known_persons_attack(FIGURE_3, {"Umeko": Person(("1306*", "<=40", "*"), ["Heart Disease"])})
    assert not found.succeeds
    assert found.inferences[0].shares == {"Viral Infection": F(1, 3), "Cancer": F(2, 3)}
    assert found.sentence == "0 of 1 person sought are left with one value."


def test_carl_has_cancer():
    """The slides (and Li et al. 2007, Table 2): zip code 47673, age 36: heart disease or cancer; excluding the first
    leaves two records with cancer.
    """
    found = background_knowledge_attack(SLIDES, ["Heart Disease"])
    carls = place(SLIDES, "476**", "3*")
    assert found.affected.tolist() == [carls]
    assert (found.records, found.findings[0].values) == (2, ("Cancer",))
    sought = known_persons_attack(SLIDES, {"Carl": Person(("476**", "3*"), ["Heart Disease"])})
    assert sought.revealed[0].sentence == (
        "Carl is in the class Zipcode=476**, Age=3*, with 3 records, and does not have Heart Disease: "
        "it must be Cancer."
    )


def test_knowledge_about_a_quasi_identifier_value_holds_for_its_classes_only():
    everywhere = background_knowledge_attack(FIGURE_2, ["Heart Disease"])
    young = background_knowledge_attack(FIGURE_2, where={"Age": {"<30": ["Heart Disease"]}})
    old = background_knowledge_attack(FIGURE_2, where={"Age": {">=40": ["Heart Disease", "Cancer"]}})
    assert everywhere.affected.tolist() == young.affected.tolist() == [place(FIGURE_2, *UMEKOS_CLASS)]
    assert old.affected.tolist() == [place(FIGURE_2, "1485*", ">=40", "*")]
    assert old.findings[0].values == ("Viral Infection",)
    assert young.parameters["excluded where"] == "Age=<30: Heart Disease"


def test_knowledge_that_excludes_everything_contradicts_the_release():
    """The twin of an inference: nobody of such a class is the person sought."""
    found = known_persons_attack(FIGURE_2, {"Bob": Person(BOBS_CLASS, ["Cancer"])})
    assert found.inferences[0].contradicted
    assert found.revealed == ()
    found = background_knowledge_attack(FIGURE_2, ["Viral Infection", "Heart Disease"])
    assert found.affected.tolist() == [place(FIGURE_2, "1485*", ">=40", "*")]  # not Umeko's: nothing is left in it


def test_fewer_than_l_values_may_be_too_few():
    """In Figure 3 one exclusion leaves two of three values, in each class that has the value."""
    found = background_knowledge_attack(FIGURE_3, ["Cancer"], fewer_than=3)
    assert len(found.affected) == 3
    assert found.records == 2 + 2 + 3  # those without cancer
    assert not background_knowledge_attack(FIGURE_3, ["Cancer"]).succeeds


# ---------------------------------------------------------------------- skewness


def test_half_positive_where_one_percent_is():
    """Li et al. 2007, §3: an equal number of positive and negative records: 50 % against 1 % of the overall
    population."""
    classes = ClassCounts.from_mapping({"a": {"+": 50, "-": 50}, "b": {"+": 50, "-": 9850}})
    found = skewness_attack(classes, ["+"])
    assert found.affected.tolist() == [0]
    assert found.records == 100
    first = found.findings[0]
    assert (first.prior, first.posterior, first.ratio, first.difference) == (F(1, 100), F(1, 2), 50, F(49, 100))


def test_49_positive_records_of_50_and_49_negative_ones():
    """Li et al. 2007, §3: the same diversity, and very different risks: 98 % against 1 %, and 2 % against 1 %."""
    rows = {"mostly +": {"+": 49, "-": 1}, "mostly -": {"+": 1, "-": 49}, "rest": {"+": 50, "-": 9850}}
    classes = ClassCounts.from_mapping(rows)
    found = skewness_attack(classes, ["+"])
    assert [(f.index, f.posterior, f.ratio) for f in found.findings] == [(0, F(98, 100), 98), (1, F(2, 100), 2)]
    assert skewness_attack(classes, ["+"], ratio=2).affected.tolist() == [0]
    assert skewness_attack(classes, ["+"], difference="97/100").affected.tolist() == []
    assert skewness_attack(classes, ["+"], difference="96/100").affected.tolist() == [0]


def test_a_class_of_negatives_only_is_no_skewness_attack_on_the_positives():
    """Li et al. 2007, Example 2: 2-diversity is unnecessary for an equivalence class that contains only negative
    records."""
    classes = ClassCounts.from_mapping({"a": {"-": 100}, "b": {"+": 100, "-": 9800}})
    assert homogeneity_attack(classes).affected.tolist() == [0]
    assert skewness_attack(classes, ["+"]).affected.tolist() == [1]
    assert skewness_attack(classes, ["+"]).findings[0].ratio == F(100, 99)


def test_where_rare_and_common_values_rise_the_order_says_which_rise_counts_more():
    """In a: x from 1/100 to 1/10 (ten times), y from 59/100 to 9/10 (31 percentage points)."""
    classes = ClassCounts.from_mapping({"a": {"x": 1, "y": 9}, "b": {"y": 50, "z": 40}})
    assert skewness_attack(classes, top=1).findings[0].values == ("x",)
    assert skewness_attack(classes, by="difference", top=1).findings[0].values == ("y",)
    assert skewness_attack(classes).to_dict(classes)["findings"][0]["ratio"] == "10"


def test_a_value_that_the_reference_lacks_rises_infinitely():
    classes = ClassCounts.from_mapping({"a": {"x": 1, "y": 1}, "b": {"y": 2}}).with_reference([0, 1])
    found = skewness_attack(classes)
    assert found.findings[0].to_dict()["ratio"] == "inf"
    assert found.findings[0].difference == F(1, 2)


# ---------------------------------------------------------------------- similarity


@pytest.mark.parametrize("table", ["li_table4", "dosselmann_table3"])
def test_bob_has_a_stomach_disease_and_a_low_salary(table):
    """Li et al. 2007, Example 3: knowing that Bob is in the first class, one knows that his salary is in the range
    3K–5K, and that he has some stomach-related problem. No other class gives as much.
    """
    by_disease, by_salary = released(table, "Disease"), released(table, "Salary")
    for found in (
        similarity_attack(by_disease, STOMACH),
        similarity_attack(by_disease, diseases(), level=1),
        similarity_attack(by_disease, diseases(), level=2),
        similarity_attack(by_disease, diseases()),
    ):
        assert found.affected.tolist() == [place(by_disease, "476**", "2*")]
        assert found.records == 3
    assert "stomach disease" in similarity_attack(by_disease, diseases()).findings[0].sentence
    assert "digestive" in similarity_attack(by_disease, diseases(), level=2).findings[0].sentence
    narrow = narrow_range_attack(by_salary, at_most="1/4")
    assert narrow.affected.tolist() == [place(by_salary, "476**", "2*")]
    assert narrow.findings[0].values == (3000, 5000)


@pytest.mark.parametrize("table", ["li_table5", "kantarcioglu_table5"])
def test_table_5_withstands_the_similarity_attack(table):
    """Li et al. 2007, §5.3: Table 5 is made for t-closeness. Its salaries span 3/4, 5/8 and 3/4 of the whole range."""
    by_disease, by_salary = released(table, "Disease"), released(table, "Salary")
    assert not similarity_attack(by_disease, STOMACH).succeeds
    assert not similarity_attack(by_disease, diseases()).succeeds
    assert not narrow_range_attack(by_salary, at_most="1/2").succeeds
    found = narrow_range_attack(by_salary, at_most="5/8")
    assert found.affected.tolist() == [place(by_salary, "4790*", ">=40")]


def test_the_slides_salaries_span_what_their_values_and_their_ranks_say():
    """20K–40K is 1/4 of 20K–100K; in ranks 2 of 8 steps as well, since the salaries are equally spaced."""
    salaries = released("kantarcioglu_3_diverse", "Salary")
    for scale in ("value", "rank"):
        found = narrow_range_attack(salaries, at_most="1/4", scale=scale)
        assert found.affected.tolist() == [place(salaries, "476**", "2*")]
        assert not narrow_range_attack(salaries, at_most="0.2499", scale=scale).succeeds


def test_values_and_ranks_differ_where_gaps_do():
    """{14, 27} of {14, 27, 88, 101}: 13/87 of the range, one of three steps."""
    classes = ClassCounts.from_mapping({"a": {14: 1, 27: 1}, "b": {88: 1, 101: 1}})
    assert "13/87" in narrow_range_attack(classes, at_most="1/6").findings[0].sentence
    assert not narrow_range_attack(classes, at_most="1/6", scale="rank").succeeds
    assert len(narrow_range_attack(classes, at_most="1/3", scale="rank").affected) == 2


def test_groups_may_leave_values_out_and_name_values_that_do_not_occur():
    classes = ClassCounts.from_mapping(
        {"a": {"ulcer": 1, "gastritis": 1}, "b": {"flu": 1}, "c": {"ulcer": 1, "flu": 1}}
    )
    found = similarity_attack(classes, {"stomach": ["ulcer", "gastritis", "stomach cancer"]})
    assert found.affected.tolist() == [0]
    assert found.parameters["values in no group"] == "1"


# ---------------------------------------------------------------------- results


@pytest.mark.parametrize(
    "found",
    [
        homogeneity_attack(FIGURE_2),
        background_knowledge_attack(FIGURE_2, ["Heart Disease"]),
        skewness_attack(FIGURE_2),
        similarity_attack(
            FIGURE_2, Hierarchy.from_groups([{"heart": ["Heart Disease"], "other": ["Cancer", "Viral Infection"]}])
        ),
        narrow_range_attack(released("li_table4", "Salary"), at_most="1/2"),
    ],
    ids=lambda found: found.attack,
)
def test_every_result_is_json_ready_names_its_source_and_keeps_values_out_of_its_summary(found):
    classes = FIGURE_2 if found.attack != "narrow range" else released("li_table4", "Salary")
    record = found.to_dict(classes, findings=1)
    assert json.loads(json.dumps(record)) == record
    assert record["citation"]
    assert record["succeeds"]
    assert record["records"] <= record["released_records"]
    assert len(record["findings"]) == 1
    assert set(record["findings"][0]["class"]) == set(classes.keys.names)
    assert record["conventions"]["reference distribution"] == "released records"
    assert not any(str(value) in found.sentence for value in classes.domain.values)


def test_findings_come_most_records_first_ties_in_the_classes_order():
    classes = ClassCounts.from_mapping({"a": {"x": 1}, "b": {"x": 3}, "c": {"x": 1, "y": 1}, "d": {"y": 3}})
    found = homogeneity_attack(classes)
    assert found.affected.tolist() == [0, 1, 3]
    assert [f.index for f in found.findings] == [1, 3, 0]
    assert [f.index for f in found.findings[1:]] == [3, 0]
    assert found.findings[-1].sentence == "Whoever is in the class a has x: the only record of it does."
    assert repr(found.findings) == "<3 findings>"


def test_one_class_without_quasi_identifiers_is_the_whole_table():
    table = FrequencySet.from_frame(pd.DataFrame({"s": ["x", "x"]}), quasi_identifiers=(), sensitive="s")
    found = homogeneity_attack(table.class_counts())
    assert found.findings[0].sentence == "Whoever is in the class the whole table has x: all 2 records of it do."


# ---------------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("quasi_identifiers", "text"), [(["zip", "age"], "zip=476**, age=2*"), (["age"], "age=2*"), ([], "the whole table")]
)
def test_a_class_is_named_by_its_quasi_identifiers(quasi_identifiers, text):
    frame = pd.DataFrame({"zip": ["476**"], "age": ["2*"], "ill": ["flu"]})
    counts = FrequencySet.from_frame(frame, quasi_identifiers=quasi_identifiers, sensitive="ill")
    assert class_text(counts.class_counts(), 0) == text


def test_a_class_that_was_given_by_name_is_named_so():
    classes = ClassCounts.from_mapping({"third floor": {"flu": 1}, 4: {"flu": 2}})
    assert [class_text(classes, g) for g in (0, 1)] == ["third floor", "4"]
    alone = ClassCounts.from_matrix([[1, 2]], domain=classes.domain)
    assert [class_text(alone, g) for g in range(len(alone))] == [str(alone.label(g)[0]) for g in range(len(alone))]


@pytest.mark.parametrize(
    ("values", "text"), [("a", "a"), ("ab", "a or b"), ("abc", "a, b or c"), ("abcd", "a, b, c or d")]
)
def test_values_are_listed_as_people_read_them(values, text):
    assert listed(values) == text
    assert listed(values, "and") == text.replace(" or ", " and ")
