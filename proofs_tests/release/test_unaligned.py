"""A release of which the order of the rows is not known: what is said of it is what any alignment would give."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tcloseness as tc
from proofs_tests.loss.naive import seeded_cases
from proofs_tests.release.test_published import ANSWERS, FRAME, HIERARCHIES
from tcloseness.errors import HierarchyError, InputError, NotAligned, TableError
from tcloseness.loss import Discernibility, NonUniformEntropy, NormalizedCertaintyPenalty
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.microdata.ancestors import Ancestors
from tcloseness.microdata.domain import value_text
from tcloseness.release import Release, UnalignedRelease
from tcloseness.release.foreign import read_labels

PEOPLE = pd.DataFrame(
    {"age": [21, 24, 38, 41, 41], "town": list("abccb"), "ill": ["flu", "cold", "flu", "cold", "flu"]}
)
ROLES = {"quasi_identifiers": ["age", "town"], "sensitive": "ill"}
TOWNS = {"town": Hierarchy.from_groups([{"north": ["a", "b"], "south": ["c", "d"]}], name="town")}
PUBLISHED = PEOPLE.assign(age=["20-29", "20-29", "[30, 50)", "[30, 50)", "[30, 50)"], town=["*"] * 5)

pytestmark = pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")


def people(**more: object) -> tc.Table:
    return tc.Table(PEOPLE, ground="equal", **ROLES, **more)


def unaligned(published: pd.DataFrame, table: tc.Table | None = None, **more: object) -> Release:
    found = (people() if table is None else table).read_release(published, **more)
    assert isinstance(found, UnalignedRelease)
    return found


@pytest.mark.long
@pytest.mark.parametrize("name", ANSWERS)
def test_the_release_of_every_method_is_measured_from_its_written_file(name: str, tmp_path) -> None:
    """All usual losses, class sizes, and what every model measures, are those of the release itself."""
    found = ANSWERS[name]().release
    if name == "microaggregation" or found.shown:  # a mean stands for no value; hidden values are not known by counts
        return
    used = {name: HIERARCHIES[name] for name, each in found.recodings.items() if each.hierarchy is not None}
    table = tc.Table(FRAME, quasi_identifiers=list(found.recodings), sensitive="ill", hierarchies=used)
    for suffix in ("csv", "tsv", "parquet"):
        file = tmp_path / f"released.{suffix}"
        found.write(file)
        back = table.read_release(file, suppressed=found.rows().marker or "*")
        assert isinstance(back, UnalignedRelease)
        assert (back.suppressed, len(back)) == (found.suppressed, len(found))
        assert sorted(back.class_sizes.tolist()) == sorted(found.class_sizes.tolist())
        mine, theirs = found.losses(k=2), back.losses(k=2)
        common = [loss for loss in mine if loss in theirs]
        assert {"discernibility", "NCP", "GCP", "LM", "ambiguity", "precision", "non-uniform entropy"} <= set(common)
        assert {loss: theirs[loss].value for loss in common} == {loss: mine[loss].value for loss in common}
        assert ("KL utility" in theirs) == ("KL utility" in mine)
        measured = [{each.model: each.value for each in one.check().attributes[0].results} for one in (found, back)]
        assert measured[0] == measured[1]


def test_any_order_of_the_rows_gives_what_the_index_gives() -> None:
    """Random full-domain releases with suppressed records: shuffled rows, marked or left out, against the index."""
    rng, seen = np.random.default_rng(7), 0
    for case in seeded_cases(12, "unaligned"):
        frame = pd.DataFrame(case.rows, columns=["town", "age", "job", "sex"])
        original = FrequencySet.from_frame(frame, quasi_identifiers=list(case.hierarchies), sensitive="sex")
        levels = {name: int(rng.integers(each.height + 1)) for name, each in case.hierarchies.items()}
        release = Release.full_domain(original, case.hierarchies, levels)
        release = release.suppress([0]) if len(release) > 1 else release
        shown = release.rows(original.microdata)
        rows = pd.DataFrame(shown.columns).sample(frac=1, random_state=int(rng.integers(99)))
        left_out = pd.DataFrame(shown.columns)[~shown.suppressed].sample(frac=1, random_state=3)
        texts = [[value_text(each) for each in Ancestors(one).labels] for one in case.hierarchies.values()]
        if any(len(set(each)) < len(each) for each in texts):
            continue  # one text for two nodes
        found = [read_labels(original, each, case.hierarchies, suppressed=shown.marker) for each in (rows, left_out)]
        seen += 1
        for back in found:
            mine, theirs = release.losses(k=3, label="sex"), back.losses(k=3, label="sex")
            common = mine.keys() & theirs.keys()
            assert {"NCP", "non-uniform entropy", "KL utility", "ambiguity"} <= common
            assert {name: theirs[name].value for name in common} == {name: mine[name].value for name in common}
    assert seen >= 3


def test_what_would_need_the_records_is_refused_and_not_guessed() -> None:
    found = unaligned(PUBLISHED.iloc[::-1].iloc[1:].reset_index(drop=True))
    assert found.suppressed == 1
    for asked in (
        lambda: found.table,
        found.rows,
        lambda: found.codes,
        lambda: found.withheld,
        found.on_rows,
        lambda: found.sql("people"),
        found.expressions,
        lambda: found.suppress([0]),
        lambda: found.class_of,
        lambda: found.value_counts("age", withheld=True),
        lambda: Discernibility("before-suppression").evaluate(found),
        lambda: NonUniformEntropy("excluded").evaluate(found),
        lambda: NormalizedCertaintyPenalty(extent="class").evaluate(found),
    ):
        with pytest.raises(NotAligned, match=r"which published row is which record is not known, so .*set_index"):
            asked()


def test_a_comparison_shows_a_dash_and_gives_the_reason() -> None:
    mine = people()
    by_class = NormalizedCertaintyPenalty(extent="class")
    releases = {"index": PUBLISHED, "order": PUBLISHED.sort_values("ill", ignore_index=True)}
    found = mine.compare(releases, losses=[by_class], k=2)
    (name,) = found["order"].not_measured
    assert (found["index"].aligned, found["order"].aligned) == (True, False)
    wide = found.table()
    assert wide.loc[("loss", "", name), "order"] == "–"
    assert wide.loc[("loss", "", name), "index"] == float(by_class.evaluate(found["index"].release).value)
    rows = found.to_frame().set_index(["release", "quantity"])
    assert pd.isna(rows.loc[("order", name), "value"])
    assert "which published row is which record is not known" in rows.loc[("order", name), "reason"]
    assert f"{name} of order is not measured" in found.explain()
    known = found.to_frame()
    parts = [known[(known["release"] == one) & (known["quantity"] != name)] for one in ("index", "order")]
    assert (
        parts[0]
        .drop(columns="release")
        .reset_index(drop=True)
        .equals(parts[1].drop(columns="release").reset_index(drop=True))
    )


def test_the_classes_before_suppression_are_those_that_are_released_where_nothing_is_suppressed() -> None:
    """DM* = DM then: 2² + 3². With a suppressed record its class is not known."""
    star = Discernibility("before-suppression")
    for order in (PUBLISHED.sort_values("ill", ignore_index=True), PUBLISHED.iloc[::-1].reset_index(drop=True)):
        found = unaligned(order)
        assert star.evaluate(found).value == Discernibility().evaluate(found).value == 13
    with pytest.raises(NotAligned, match="the class that a suppressed record was in is not either"):
        star.evaluate(unaligned(PUBLISHED.iloc[::-1].iloc[1:].reset_index(drop=True)))


def changed(**columns: list[str]) -> pd.DataFrame:
    return PUBLISHED.iloc[::-1].reset_index(drop=True).assign(**columns)


WRONG = [
    (changed(ill=["flu"] * 5), TableError, r"5 published rows have ill 'flu', and 3 records of the original"),
    (changed(ill=["flu", "*", "cold", "flu", "flu"]), TableError, r"shows '\*' as 'ill', which is not a value"),
    (
        changed(age=["21"] * 2 + ["20-50"] * 3),
        TableError,
        r"2 published rows have labels of 'age' .* '21' .* and 1 rec",
    ),
    (
        changed(age=["20-29", "21", "21-24", "20-50", "*"]),
        TableError,
        r"3 published rows have labels of 'age' .* 2 rec",
    ),
    (changed(age=["young"] * 5), TableError, r"'young' as 'age', which is neither a value, an interval nor a set"),
    (changed().drop(columns="ill"), TableError, r"no column 'ill', a sensitive attribute of the original"),
    (pd.concat([changed(), changed()], ignore_index=True), TableError, r"4 published rows have ill 'cold'"),
]


@pytest.mark.parametrize(("published", "error", "words"), WRONG)
def test_what_is_not_a_release_of_the_table_in_any_order_is_named(published, error, words) -> None:
    with pytest.raises(error, match=words):
        people().read_release(published)
    with pytest.raises(error, match=words):
        people().compare(published)


def test_the_room_for_labels_is_halls_condition() -> None:
    """Labels that are nested: there is an assignment of records to rows just where nothing is refused."""
    from itertools import combinations_with_replacement, permutations

    ages = pd.DataFrame({"age": [1, 2, 3, 4], "ill": ["x"] * 4})
    table = tc.Table(ages, quasi_identifiers="age", sensitive="ill")
    below = {"1": {1}, "3": {3}, "1-2": {1, 2}, "3-4": {3, 4}, "1-4": {1, 2, 3, 4}}
    for labels in combinations_with_replacement(below, 4):
        could = any(all(v in below[x] for v, x in zip(order, labels, strict=True)) for order in permutations(ages.age))
        rows = pd.DataFrame({"age": labels, "ill": "x"})
        if could:
            assert len(read_labels(table.frequencies, rows, {}).original) == 4
        else:
            with pytest.raises(TableError, match="it is not a release of this table"):
                read_labels(table.frequencies, rows, {})


def test_a_label_of_several_nodes_is_read_where_they_are_one() -> None:
    same = {"town": Hierarchy([["a", "a", "*"], ["b", "b", "*"], ["c", "c", "*"], ["d", "d", "*"]], name="town")}
    found = unaligned(changed(town=["a", "b", "*", "c", "c"]), people(hierarchies=same))
    assert found.recodings["town"].heights.tolist() == [2, 0, 0, 0]
    other = {"town": Hierarchy([["a", "x", "*"], ["b", "a", "*"], ["c", "c", "*"], ["d", "c", "*"]], name="town")}
    with pytest.raises(NotAligned, match="'a' as 'town', which is the label of several nodes"):
        people(hierarchies=other).read_release(changed(town=["a", "*", "*", "*", "*"]))
    with pytest.raises(HierarchyError, match=r"not a node of its hierarchy; .* hierarchies=\{\}"):
        people(hierarchies=TOWNS).read_release(changed(town=["{a, b}"] * 5))


def test_an_index_of_its_own_is_not_overruled() -> None:
    """Rows that an index names are those records: a row that is not is an error with a way out that works."""
    named = PEOPLE.set_index(pd.Index(list("vwxyz")))
    table = tc.Table(named, ground="equal", **ROLES)
    wrong = PUBLISHED.set_index(pd.Index(list("zyxwv")))
    for read in (table.read_release, table.compare):
        with pytest.raises(NotAligned, match=r"not the same record; .*reset_index\(drop=True\), to Table.compare"):
            read(wrong)
    assert isinstance(table.read_release(wrong.reset_index(drop=True)), UnalignedRelease)
    assert not isinstance(table.read_release(PUBLISHED.set_index(named.index)), UnalignedRelease)
    with pytest.raises(NotAligned, match="which then read labels and counts alone"):
        Release.from_frames(PEOPLE, changed(), **ROLES)


def test_weights_persons_and_options_without_a_file_are_refused(tmp_path) -> None:
    weighted = tc.Table(PEOPLE.assign(w=2), weight="w", **ROLES)
    with pytest.raises(TableError, match="rows of the table have weights, and what a published row weighs"):
        weighted.read_release(changed())
    with pytest.raises(InputError, match=r"separator=';' cannot apply: the release is a frame"):
        people().read_release(PUBLISHED, separator=";")
    with pytest.raises(InputError, match=r"separator=';' cannot apply: no release is a file"):
        people().compare(PUBLISHED, separator=";")
    with pytest.raises(InputError, match=r"without an argument 'sep'; how a file is read say encoding"):
        people().read_release(PUBLISHED, sep=";")
    file = tmp_path / "theirs.csv"
    changed().to_csv(file, index=False, sep=";")
    assert len(people().read_release(file, separator=";")) == 2
    found = people().compare(file, changed(), k=2, separator=";")
    assert [each.name for each in found.releases] == ["original", "theirs.csv", "release 2"]
    with pytest.raises(TableError, match=r"cannot be read|no file"):
        people().compare(str(tmp_path / "none.csv"))


def test_a_table_of_texts_that_are_equal_as_numbers_is_a_release_of_itself_that_loses_nothing(tmp_path) -> None:
    codes = pd.DataFrame({"zip": ["01", "1", "2", "2"], "wage": ["1", "1.0", "01", "3"]})
    file = tmp_path / "codes.csv"
    codes.to_csv(file, index=False)
    table = tc.Table(file, quasi_identifiers="zip", sensitive="wage")
    for published in (file, codes, codes.iloc[::-1].reset_index(drop=True)):
        found = table.read_release(published)
        assert found.losses()["GCP"].value == 0
        assert found.class_sizes.tolist() == [1, 1, 2]
        assert len(found.class_counts().values) == 4


def test_a_hierarchy_of_what_is_not_an_attribute_is_named(tmp_path) -> None:
    file = tmp_path / "theirs.csv"
    changed().to_csv(file, index=False)
    other = {"twon": Hierarchy.suppression(PEOPLE["town"])}
    for published in (file, PUBLISHED, changed()):
        with pytest.raises(TableError, match="'twon' is not an attribute of this table"):
            people().read_release(published, hierarchies=other)


def test_rows_that_the_table_leaves_out_for_missing_values_are_named_as_a_reason() -> None:
    holed = PEOPLE.astype(object)
    holed.loc[0, "age"] = None
    table = tc.Table(holed, missing="drop", **ROLES)
    with pytest.raises(TableError, match=r"1 row\(s\) that missing='drop' leaves out of the table: leave them out of"):
        table.read_release(changed())
    kept = PUBLISHED.iloc[1:].iloc[::-1].reset_index(drop=True)
    assert int(table.read_release(kept).class_sizes.sum()) == len(PEOPLE) - 1
    with pytest.raises(TableError) as refused:
        people().read_release(changed(ill=["flu"] * 5))
    assert "leaves out" not in str(refused.value)


@pytest.mark.parametrize("seed", range(8))
def test_numbers_that_the_table_writes_in_several_ways_are_read_in_whichever_way_the_release_writes_them(
    seed: int, tmp_path
) -> None:
    """What another tool wrote has one spelling a number; the rows keep their order, so that the index says the same."""
    random = np.random.default_rng(seed)
    numbers = random.integers(20, 24, 12)
    spelled = [f"{number}{random.choice(['', '.0', '.00'])}" for number in numbers]
    rows = pd.DataFrame({"age": spelled, "ill": [*random.choice(["flu", "cold"], 12)]})
    file, published = tmp_path / "table.csv", tmp_path / "published.csv"
    rows.to_csv(file, index=False)
    table = tc.Table(file, quasi_identifiers="age", sensitive="ill", ground="equal")
    for form in ("{}", "{}.0", "0{}"):
        labels = [form.format(number) for number in numbers]
        rows.assign(age=labels).sample(frac=1, random_state=seed).to_csv(published, index=False)
        found = unaligned(published, table)
        by_index = table.read_release(rows.assign(age=labels))
        sizes = sorted(np.unique(numbers, return_counts=True)[1].tolist())
        assert sorted(found.class_sizes.tolist()) == sorted(by_index.class_sizes.tolist()) == sizes
        assert found.losses()["GCP"].value == 0
    rows.assign(age=["25", *labels[1:]]).to_csv(published, index=False)
    with pytest.raises(TableError):  # no record has 25
        table.read_release(published)


def test_sensitive_numbers_that_are_written_in_several_ways_are_named_with_the_way_out(tmp_path) -> None:
    file, published = tmp_path / "table.csv", tmp_path / "published.csv"
    file.write_text("age,dose\n21,1\n21,2.0\n24,1\n24,2\n", encoding="utf-8")
    published.write_text("age,dose\n21,1\n21,2\n24,1\n24,2\n", encoding="utf-8")
    asked = {"quasi_identifiers": "age", "sensitive": "dose"}
    with pytest.raises(TableError, match=r"'2' and '2\.0' are one value: then give the table merge_spellings='dose'"):
        tc.Table(file, **asked).read_release(published)
    merged = tc.Table(file, **asked, merge_spellings="dose").read_release(published)
    assert merged.class_sizes.tolist() == [2, 2]
