"""A table without a sensitive attribute: what depends on the sizes of classes alone is what it is with any attribute,
what asks about values refuses the table by name, and nothing shows a value or a name in place of one.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator

import tcloseness as tc
from proofs_tests.cli.commands import run
from tcloseness import attacks, certificates
from tcloseness.certificates import CertificateFormatError, Reading, seal
from tcloseness.errors import InputError, TableError
from tcloseness.measures import EMD
from tcloseness.microdata import MISSING
from tcloseness.models import KAnonymity, KMap, PopulationCounts
from tcloseness.models.catalogue import NAMED
from tcloseness.models.certified import counts_text

AGES, ZIPS = ["21", "22", "31", "32"], ["476", "477", "479"]
HIERARCHIES = {
    "age": tc.Hierarchy.prefixes(AGES, name="age"),
    "zip": tc.Hierarchy.prefixes(ZIPS, name="zip"),
}
ROWS = pd.DataFrame(
    {
        "age": ["21", "22", "31", "32", "32", "32"],
        "zip": ["476", "477", "476", "479", "479", "479"],
        "ill": list("xyxyxz"),
    }
)
QI = ["age", "zip"]
REFUSED = "asks about the values of a sensitive attribute, and the table has none; name its column as sensitive"
OF_VALUES = [name for name, model in NAMED.items() if getattr(model, "looks_at_values", True)]
THRESHOLDS: dict[str, Any] = {"recursive": ("2", 2)}

tables = st.lists(
    st.tuples(st.sampled_from(AGES), st.sampled_from(ZIPS), st.sampled_from("xyz")), min_size=1, max_size=9
).map(lambda rows: pd.DataFrame(rows, columns=[*QI, "ill"]))


def of_sizes(frame: pd.DataFrame = ROWS, **roles: Any) -> tc.Table:
    return tc.Table(frame, quasi_identifiers=QI, hierarchies=HIERARCHIES, **roles)


def with_ills(frame: pd.DataFrame = ROWS) -> tc.Table:
    return tc.Table(frame, quasi_identifiers=QI, sensitive="ill", hierarchies=HIERARCHIES)


# ---------------------------------------------------------------------- what depends on sizes alone


@given(tables)
def test_class_sizes_are_those_of_the_rows(frame: pd.DataFrame) -> None:
    sizes = Counter(zip(frame["age"], frame["zip"], strict=True))
    assert sorted(of_sizes(frame).class_counts().class_sizes.tolist()) == sorted(sizes.values())


@given(tables, st.integers(1, 4))
@pytest.mark.long
def test_an_audit_says_of_sizes_what_it_says_beside_any_attribute(frame: pd.DataFrame, k: int) -> None:
    alone, beside = of_sizes(frame).check(k=k), with_ills(frame).check(k=k)
    (found,) = alone.summary()
    (other,) = (row for row in beside.summary() if row["model"] == "k-anonymity")
    assert found == {**other, "sensitive": None}
    losses = {each.loss: each.value for each in beside.losses if each.loss != "classification metric"}
    assert {each.loss: each.value for each in alone.losses} == losses


@given(tables, st.integers(1, 3), st.integers(0, 2))
@pytest.mark.long
def test_a_search_for_k_finds_the_nodes_that_it_finds_beside_any_attribute(
    frame: pd.DataFrame, k: int, suppression: int
) -> None:
    limit = min(suppression, len(frame))
    asked: dict[str, Any] = {"wanted": "all", "k": k, "suppression": limit}
    alone, beside = of_sizes(frame).search(**asked), with_ills(frame).search(**asked)
    nodes = [(each.node, each.classes, each.suppressed, each.k, each.status) for each in alone.listed]
    assert nodes == [(each.node, each.classes, each.suppressed, each.k, each.status) for each in beside.listed]


@given(tables)
@pytest.mark.long
def test_certificates_of_an_audit_are_checked_against_the_counts_and_the_file(frame: pd.DataFrame) -> None:
    table = of_sizes(frame)
    content = frame.to_csv(index=False).encode()
    made = table.check(k=2).certificate(reading=Reading(), file_sha256=hashlib.sha256(content).hexdigest())
    assert made.sensitive is None
    assert made.digest == table.frequencies.digest
    text = counts_text(table.frequencies, "")
    assert hashlib.sha256(text.encode()).hexdigest() == made.digest
    assert certificates.verify(made.to_json(), content, {}).of_file
    assert (
        certificates.verify(made.to_json(), text.encode(), {}).found
        == certificates.verify(made.to_json(), content, {}).found
    )


@pytest.mark.parametrize(
    ("asked", "task"), [({}, "minimal"), ({"loss": "dm"}, "optimum"), ({"suppression": 1}, "limited")]
)
def test_certificates_of_searches_are_checked(asked: dict[str, Any], task: str) -> None:
    table = of_sizes()
    made = table.search(k=2, **asked).certificate()
    files = {
        name: (f"{name}.csv", "".join(f"{','.join(path)}\n" for path in each.paths).encode())
        for name, each in HIERARCHIES.items()
    }
    assert made.sensitive is None
    assert task in made.format
    certificates.verify(made.to_json(), counts_text(table.frequencies, "").encode(), files)


def test_a_release_by_each_method_for_k_is_that_beside_any_attribute() -> None:
    for method in ("mondrian", "datafly", "mdav"):
        alone, beside = (table.anonymize(method, k=2, seed=1) for table in (of_sizes(), with_ills()))
        assert alone.frame()[QI].equals(beside.frame()[QI])
        assert [*alone.frame()] == QI


def test_releases_are_compared_by_sizes_and_losses() -> None:
    table = of_sizes()
    found = table.compare(table.anonymize(k=3), k=3).to_frame()
    assert set(found[found["kind"] == "privacy"]["quantity"]) == {"k-anonymity"}
    assert set(found["sensitive"]) == {""}


def test_persons_and_weights_are_counted() -> None:
    persons = ROWS.assign(who=[1, 1, 2, 3, 3, 4])
    assert of_sizes(persons, person="who").class_counts().people.tolist() == [1, 1, 1, 2]
    weighted = of_sizes(ROWS.assign(n=[5, 1, 1, 2, 2, 2]), weight="n")
    assert weighted.class_counts().class_sizes.tolist() == [5, 1, 1, 6]
    assert weighted.check(k=1).status == "satisfied"


def test_k_map_is_asked_of_sizes() -> None:
    classes = of_sizes().class_counts()
    assert KMap(PopulationCounts((9, 9, 9, 9)), 9).evaluate(classes).status == "satisfied"
    both = KAnonymity(1) & KMap(PopulationCounts((9, 9, 9, 3)), 9)
    assert of_sizes().check(models=[both]).status == "violated"


# ---------------------------------------------------------------------- what asks about values


VERBS: dict[str, Callable[..., Any]] = {
    "check": tc.Table.check,
    "search": tc.Table.search,
    "anonymize": tc.Table.anonymize,
    "optimal": tc.Table.optimal,
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("name", OF_VALUES)
def test_a_threshold_of_a_model_of_values_is_refused_by_its_name(verb: str, name: str) -> None:
    threshold = THRESHOLDS.get(name, 2 if name.endswith("l") else "1/2")
    with pytest.raises((TableError, InputError), match=REFUSED) as caught:
        VERBS[verb](of_sizes(), k=2, **{name: threshold})
    assert NAMED[name].name.split(" ")[0] in str(caught.value) or "&" in str(caught.value)


ASKED: dict[str, Callable[[tc.Table], object]] = {
    "a model of one's own": lambda table: table.check(models=[tc.models.DistinctLDiversity(2)]),
    "a model inside a combination": lambda table: table.search(
        models=[KAnonymity(2) & tc.models.DistinctLDiversity(2)]
    ),
    "a distance": lambda table: table.check(measures=[EMD("equal")]),
    "the loss of a label": lambda table: table.check(losses=[tc.loss.ClassificationMetric()]),
    "the EMD of groups": lambda table: table.emd(by="zip"),
    "the confidential attribute's groups": lambda table: table.anonymize("confidential", k=2),
    "hiding": lambda table: table.optimal("hiding", k=2),
    "homogeneity": attacks.homogeneity_attack,
    "skewness": attacks.skewness_attack,
    "background knowledge": attacks.background_knowledge_attack,
    "damaging knowledge": attacks.damaging_knowledge,
    "originals": lambda table: attacks.consistent_originals(table.microdata, lambda world: world),
    "guesses": lambda table: attacks.fitted_guesses(table.anonymize(k=2).partition),
    "refused cuts": lambda table: attacks.refused_cuts(table.anonymize(k=2), KAnonymity(2)),
    "linked releases": lambda table: attacks.LinkedRelease(table.class_counts(), {}),
    "a class's distance": lambda table: tc.measures.class_distances(
        EMD("equal").over(table.class_counts().domain), table.class_counts()
    ),
}


@pytest.mark.parametrize("what", ASKED)
def test_whatever_asks_about_values_is_refused(what: str) -> None:
    with pytest.raises(TableError, match=REFUSED):
        ASKED[what](of_sizes())


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (
            lambda: of_sizes(sensitive=[]),
            "sensitive is an empty list; name at least one column, or leave sensitive out",
        ),
        (lambda: tc.Table(ROWS, quasi_identifiers=[]), "neither a quasi-identifier nor a sensitive attribute is named"),
        (lambda: of_sizes(ROWS.rename(columns={"ill": ""}), sensitive=""), "a sensitive attribute has the empty name"),
        (lambda: of_sizes(ground="equal"), "ground is 'equal', and the table has no sensitive attribute; leave it out"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_a_way_out(made: Callable[[], object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        made()


def test_a_certificate_without_an_attribute_has_no_condition_of_values() -> None:
    table = of_sizes()
    record = table.check(k=1).certificate().to_dict()
    record["model"] = [{"condition": "values", "least": 1}]
    with pytest.raises(CertificateFormatError, match="a condition is about sensitive values, and the table has no"):
        certificates.verify(
            json.dumps({**record, "sha256": seal(record)}), counts_text(table.frequencies, "").encode(), {}
        )


def test_a_certificate_without_an_attribute_is_not_of_counts_with_one() -> None:
    made = of_sizes().check(k=1).certificate().to_json()
    counts = counts_text(with_ills().frequencies, "ill").encode()
    with pytest.raises(CertificateFormatError, match="the counts are of the columns"):
        certificates.verify(made, counts, {})


# ---------------------------------------------------------------------- nothing is shown in its place


def test_no_result_shows_a_value_or_a_name_in_place_of_the_attribute() -> None:
    table = of_sizes()
    audit, found = table.check(k=2), table.search(k=2)
    shown = [table.class_counts().to_dict(), audit.to_dict(), found.to_dict(), table.to_dict()]
    frames = [table.class_counts().to_frame(), audit.to_frame(), found.to_frame(), table.anonymize(k=2).frame()]
    texts = [json.dumps(each) for each in shown] + [each.to_csv() for each in frames]
    texts += [audit._repr_html_(), audit.explain(), found._repr_html_(), found.explain(), repr(audit), repr(table)]
    assert not any(str(MISSING) in text or "(missing)" in text or "Infinity" in text for text in texts)
    assert not any("t-closeness" in text or "distinct" in text for text in texts)
    suppressed = table.optimal("suppression", k=2).solution.after
    conventions = [table.class_counts().conventions, audit.conventions, suppressed.conventions]
    assert not any(name in each for each in conventions for name in ("reference distribution", "domain"))
    assert not any("reference distribution" in text for text in texts)


def test_a_measure_of_values_is_refused_of_a_node() -> None:
    (node, *_) = of_sizes().search(k=2).listed
    for name in ("distinct_l", "entropy_l", "effective_l", "t"):
        with pytest.raises(TableError, match=REFUSED):
            getattr(node, name)


# ---------------------------------------------------------------------- on the command line


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ROWS.to_csv("table.csv", index=False)
    Path("trees").mkdir()
    for name, each in HIERARCHIES.items():
        Path("trees", f"{name}.csv").write_text("".join(f"{','.join(path)}\n" for path in each.paths))
    return tmp_path


def test_the_command_line_audits_by_k_alone_and_verifies_it(folder: Path) -> None:
    audited = run("check", "table.csv", "-q", "age,zip", "--k", "1", "--certificate", "proof.json")
    assert audited.code == 0
    assert "none was named: the sizes of the classes alone" in " ".join(audited.out.split())
    assert run("verify", "proof.json", "--table", "table.csv").code == 0


def test_the_command_line_searches_and_says_how_to_check_it_again(folder: Path) -> None:
    found = run("search", "table.csv", "-q", "age,zip", "--k", "2", "--hierarchies", "trees", "--output", "out.csv")
    assert found.code == 0
    again = json.loads(Path("out.json").read_text())["check"]
    assert "--sensitive" not in str(again)
    assert run("check", "out.csv", "-q", "age,zip", "--k", "2").code == 0


def test_the_command_line_attacks_a_release_by_its_labels_and_certifies_what_they_say(folder: Path) -> None:
    asked = ("-q", "age,zip", "--k", "2")
    assert run("anonymize", "table.csv", *asked, "--method", "mondrian", "--output", "out.csv").code == 0
    assert run("attack", "out.csv", "--certificate", "labels.json").code == 0
    assert json.loads(Path("labels.json").read_text())["release"]["sensitive"] is None
    assert run("verify", "labels.json", "--table", "out.csv").code == 0
    Path("alone.csv").write_bytes(Path("out.csv").read_bytes())
    found = run("attack", "alone.csv", "-q", "age,zip", "--tight", "age", "--format", "json").record
    assert found["sensitive"] is None
    assert "none was named" in run("attack", "alone.csv", "-q", "age,zip").out
    trees = ("--hierarchies", "trees")
    assert run("search", "table.csv", *asked, *trees, "--output", "whole.csv").code == 0
    for line in (
        ("alone.csv", *asked, "--level", "code", "--method", "mondrian"),
        ("whole.csv", *asked, *trees, "--level", "minimal"),
    ):
        refused = run("attack", *line, "--table", "table.csv")
        assert refused.code == 2
        assert REFUSED in " ".join(refused.err.split())


@pytest.mark.parametrize(
    ("line", "schema"),
    [
        (("check", "--k", "1"), "check"),
        (("search", "--k", "2", "--hierarchies", "trees"), "search"),
        (("anonymize", "--k", "2", "--output", "out.csv"), "anonymize"),
    ],
)
def test_answers_keep_to_their_schemas(folder: Path, line: tuple[str, ...], schema: str) -> None:
    command, *options = line
    record = run(command, "table.csv", "-q", "age,zip", *options, "--format", "json").record
    kept = Path(tc.__file__).parent / "report" / f"{schema}.schema.json"
    Draft202012Validator(json.loads(kept.read_text(encoding="utf-8"))).validate(record)
    assert "(missing)" not in json.dumps(record)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("--distinct-l", "2"), "distinct l-diversity " + REFUSED),
        (("--t", "1/5"), "t-closeness " + REFUSED),
        (("--k", "2", "--ground", "ill=equal"), "--ground 'ill=equal' is given, and no column that it could be for"),
    ],
)
def test_the_command_line_refuses_what_asks_about_values(folder: Path, asked: tuple[str, ...], told: str) -> None:
    for command in (("check", "table.csv"), ("anonymize", "table.csv", "--output", "out.csv")):
        found = run(*command, "-q", "age,zip", *asked)
        assert found.code == 2
        assert told in " ".join(found.err.split())


@pytest.mark.parametrize("level", [("code", "--method", "mondrian"), ("minimal",), ("optimal", "--loss", "dm")])
def test_who_has_which_value_is_not_guessed_before_that_is_refused(folder: Path, level: tuple[str, ...]) -> None:
    """Nothing is run before: the release of this line is made by no method."""
    assert run("anonymize", "table.csv", "-q", "age,zip", "--k", "2", "--output", "out.csv").code == 0
    found = run("attack", "out.csv", "--table", "table.csv", "--k", "3", "--level", *level)
    assert (found.code, "a guess at who has which value " + REFUSED in " ".join(found.err.split())) == (2, True)


def test_a_certificate_of_an_attribute_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="'ill' is not a sensitive attribute of this audit; it has none"):
        of_sizes().check(k=2).certificate("ill")


WRITTEN = ("--suppress-only", "age,zip", "--k", "2", "--output", "out.csv")
ONE_OF_MANY = re.compile(r"\b1 (records|rows|classes|nodes|columns|values|others|persons)\b")
LINES = {
    "check": ("check", "table.csv", "--k", "2"),
    "search": ("search", "table.csv", *WRITTEN, "--suppression", "1"),
    "datafly": ("anonymize", "table.csv", *WRITTEN, "--method", "datafly"),
    "own": ("anonymize", "table.csv", *WRITTEN, "--method", "tcloseness.anonymize:mondrian"),
    "suppression": ("optimal", "suppression", "table.csv", *WRITTEN),
    "compare": ("compare", "table.csv", "shorter.csv", "--suppress-only", "age,zip", "--suppressed", "*"),
    "columns": ("columns", "table.csv"),
    "attack": ("attack", "shorter.csv", "--suppressed", "*"),
}


@pytest.mark.long
@pytest.mark.parametrize("command", LINES)
def test_no_sentence_speaks_of_values_that_there_are_not(folder: Path, command: str) -> None:
    """One record is alone, and is suppressed where that is done: as a class it violates the model."""
    one_alone = pd.DataFrame({"age": ["21", *["32"] * 3], "zip": ["476", *["479"] * 3]})
    one_alone.to_csv("table.csv", index=False)
    one_alone.assign(age=["*", *["32"] * 3], zip=["*", *["479"] * 3])[::-1].to_csv("shorter.csv", index=False)
    line = LINES[command] if command == "columns" else (*LINES[command], "-q", "age,zip")
    found = run(*line)
    said = " ".join((found.out + found.err).split())
    assert found.code in (0, 1), said
    assert not any(word in said for word in ("sensitive value", "distinct value", "--reference", "ground distance"))
    assert not ONE_OF_MANY.search(found.out + found.err)
    assert ("which published row is which record is not known" in said) == (command == "compare")
    if "--output" in line:
        kept = json.loads(Path("out.json").read_text(encoding="utf-8"))
        together = kept["suppressed_together"]
        assert together in (None, {"records": 1, "distinct_values": 0, "status": "violated"})
        assert (together is None) == (command == "own")
        again = run(*shlex.split(kept["check"])[1:])
        assert (again.code, "warning" in found.err) == (0, False)


@pytest.mark.long
@pytest.mark.parametrize("command", [("check",), ("search", "--suppress-only", "age,zip"), ("columns",)])
def test_one_record_is_said_in_the_singular(folder: Path, command: tuple[str, ...]) -> None:
    pd.DataFrame({"age": ["21"], "zip": ["476"]}).to_csv("one.csv", index=False)
    verb, *options = command
    line = (
        (verb, "one.csv", *options) if verb == "columns" else (verb, "one.csv", "-q", "age,zip", "--k", "2", *options)
    )
    found = run(*line)
    assert not ONE_OF_MANY.search(found.out)
    assert "1 record" in found.out
