"""Certificates among the results: each is checked from the files alone, and one that does not hold is named."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from experiments import proofs
from experiments.proofs import files_of, verified
from tcloseness.attacks import LinkedRelease, complementary_release_attack, ordered_draw_attack
from tcloseness.certificates import seal
from tcloseness.errors import StudyError
from tcloseness.ground import Ordered
from tcloseness.microdata import ClassCounts, FrequencySet
from tcloseness.models import TCloseness
from tcloseness.optimal import optimal_hiding, optimal_suppression
from tcloseness.release import Release
from tcloseness.transport import certify


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The result of a study that suppressed and hid in one table; whole, but for what it has no certificates of."""
    frame = pd.DataFrame({"zip": list("aaaabbbb"), "ill": list("xxxyxxyy")})
    table = FrequencySet.from_frame(frame, quasi_identifiers="zip", sensitive="ill")
    release, model = Release.full_domain(table), TCloseness("1/10", ground="equal")
    tasks = (optimal_suppression, optimal_hiding)
    found = {task.__name__: task(release, model, seed=1).certificate() for task in tasks}
    folder = tmp_path / "one"
    folder.mkdir()
    for name, content in files_of(found, {"table": (table, "ill")}).items():
        (folder / name).write_bytes(content)
    monkeypatch.setattr(proofs, "why_not", lambda _: "")
    return folder


def test_every_certificate_is_checked_against_the_counts_beside_it(study: Path) -> None:
    assert sorted(path.name for path in study.iterdir()) == [
        "optimal_hiding.certificate.json",
        "optimal_suppression.certificate.json",
        "table.counts.txt",
    ]
    (said,) = verified(study.parent)
    assert said.startswith("one: 2 certificates of ")
    assert verified(study) == ["there are no certificates"]


def test_what_does_not_hold_is_named(study: Path) -> None:
    path = study / "optimal_hiding.certificate.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    record["proof"] |= {"least": record["proof"]["least"] + 1, "enough": record["proof"]["enough"] + 1}
    path.write_text(json.dumps({**record, "sha256": seal(record)}), encoding="utf-8")
    with pytest.raises(StudyError, match=r"^one/optimal_hiding\.certificate\.json does not hold: enough and least are"):
        verified(study.parent)
    path.write_bytes(b"{}")
    with pytest.raises(
        StudyError, match=r"^one/optimal_hiding\.certificate\.json does not hold: the certificate cannot"
    ):
        verified(study.parent)


def test_certificates_of_distances_are_checked_too(study: Path) -> None:
    proof = certify([1, 0, 0], [0, 0, 1], Ordered(3)).to_json()
    (study / "far.emd.json").write_text(proof, encoding="utf-8")
    (said,) = verified(study.parent)
    assert said.startswith("one: 3 certificates of ")
    (study / "far.emd.json").write_text(proof.replace('"emd": "1"', '"emd": "2"'), encoding="utf-8")
    with pytest.raises(StudyError, match=r"^one/far\.emd\.json does not hold: "):
        verified(study.parent)


def test_counts_that_are_not_there_and_a_result_that_is_not_whole_are_refused(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (study / "table.counts.txt").unlink()
    with pytest.raises(StudyError, match="whose counts are not beside it"):
        verified(study.parent)
    monkeypatch.setattr(proofs, "why_not", lambda folder: f"{folder.name} did not end")
    with pytest.raises(StudyError, match="no whole result: one"):
        verified(study.parent)


def test_what_several_releases_say_together_is_checked_against_the_counts_of_each(study: Path) -> None:
    first = ClassCounts.from_mapping({"A": {"x": 1, "y": 1}, "B": {"x": 1, "z": 1}})
    second = ClassCounts.from_mapping({"C": {"x": 1, "y": 1}, "D": {"x": 1, "z": 1}})
    people = {1: "A", 2: "A", 3: "B", 4: "B"}, {1: "C", 2: "D", 3: "C", 4: "D"}
    found = complementary_release_attack([*map(LinkedRelease, (first, second), people)])
    path = study / "both.composition.json"
    path.write_text(found.certificate(), encoding="utf-8")
    for number, counts in enumerate(found.published(), 1):
        with pytest.raises(
            StudyError, match=r"both\.composition\.json is about a table whose counts are not beside it"
        ):
            verified(study.parent)
        (study / f"both-{number}.counts.txt").write_bytes(counts)
    (said,) = verified(study.parent)
    assert said.startswith("one: 3 certificates of ")
    record = json.loads(path.read_text(encoding="utf-8"))
    record["facts"][0]["persons"] += 1
    path.write_text(json.dumps({**record, "sha256": seal(record)}), encoding="utf-8")
    with pytest.raises(StudyError, match=r"^one/both\.composition\.json does not hold: "):
        verified(study.parent)


def test_what_two_tables_by_class_say_is_checked_against_the_rows_of_both(study: Path) -> None:
    people = pd.DataFrame({"age": [4, 9, 10, 12], "class": list("pqqp")})
    values = pd.DataFrame({"class": list("ppqq"), "ill": ["cold", "flu", "flu", "gout"], "count": 1})
    files = [frame.to_csv(index=False).encode() for frame in (people, values)]
    path = study / "both.draws.json"
    path.write_text(ordered_draw_attack(people, values, 2).certified(*files), encoding="utf-8")
    for number, rows in enumerate(files):
        with pytest.raises(StudyError, match=r"both\.draws\.json is about a table whose rows are not beside it"):
            verified(study.parent)
        (study / f"both-{number}.rows.csv").write_bytes(rows)
    (said,) = verified(study.parent)
    assert said.startswith("one: 3 certificates of ")
    record = json.loads(path.read_text(encoding="utf-8"))
    record["facts"] = {"text:flu": [1]}
    path.write_text(json.dumps({**record, "sha256": seal(record)}), encoding="utf-8")
    with pytest.raises(StudyError, match=r"^one/both\.draws\.json does not hold: "):
        verified(study.parent)
