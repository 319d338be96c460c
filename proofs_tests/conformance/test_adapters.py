"""The adapters' common part, asked through the protocol; and on demand the implementations that are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

from experiments import peers
from experiments.peers import Fault, Peer, all_peers, command, features, install, installed
from tcloseness.conformance.adapters import frames
from tcloseness.conformance.adapters.serving import Skip, by_whole_c
from tcloseness.conformance.inputs import Table
from tcloseness.conformance.process import Harness
from tcloseness.conformance.protocol import Failed, Given, Skipped
from tcloseness.conformance.runner import run
from tcloseness.conformance.vectors import load

PROGRAM = """
import numpy
from tcloseness.conformance.adapters.serving import Skip, serve
def fails(table, parameters):
    raise KeyError("z")
def skips(table, parameters):
    raise Skip("not this")
def chatters(table, parameters):
    print("a line that is not an answer")
    return {"value": numpy.float64(1) / 3, "satisfied": numpy.bool_(True)}
serve("toy", "numpy", {"k-anonymity": fails, "distinct-l": skips, "entropy-l": chatters})
"""

TABLE = Table(
    ("z", "n", "s"),
    ("text", "decimal", "integer"),
    (("a", "1", "1"), (None, "1.0", "2"), ("a", "1.0", "1"), (None, "1", "3")),
    ("z", "n"),
    ("s",),
    index=(7, 7, 3, 1),
)


def test_errors_skips_and_numbers_come_back_as_such_whatever_is_printed() -> None:
    harness = Harness([sys.executable, "-c", PROGRAM])
    try:
        assert harness.start().name == "toy"
        fails, skips, chatters = (
            harness.ask(seq, {"algorithm": name, "input": {}, "parameters": {}})
            for seq, name in enumerate(("k-anonymity", "distinct-l", "entropy-l"))
        )
    finally:
        harness.close()
    assert isinstance(fails, Failed)
    assert "KeyError" in fails.message
    assert not fails.crashed
    assert skips == Skipped("not this")
    assert chatters == Given({"value": repr(1 / 3), "satisfied": True})


def test_a_frame_has_the_labels_types_and_missing_values_of_its_table() -> None:
    made = frames.frame(TABLE.to_dict())
    assert list(made.index) == [7, 7, 3, 1]
    assert made["z"].tolist() == ["a", None, "a", None]
    assert made["n"].tolist() == [1.0] * 4
    assert made["s"].dtype == "int64"
    assert isinstance(frames.frame(TABLE.to_dict(), categories=True)["z"].dtype, pd.CategoricalDtype)


def test_a_frame_changes_no_cell_or_is_not_made() -> None:
    """Separators, empty texts, words for nothing and whole numbers of 16 digits reach an implementation as they are."""
    texts = ["a,b", "", "null", "nan", None, "__proto__", " b"]
    rows = tuple((text, str(2**53 + i), "x") for i, text in enumerate(texts))
    table = Table(("z", "n", "s"), ("text", "integer", "text"), rows, ("z", "n"), ("s",))
    made = frames.frame(table.to_dict())
    assert made["z"].tolist() == texts
    assert made["n"].tolist() == [2**53 + i for i in range(len(texts))]
    assert len(frames.classes(table.to_dict())) == len(texts)
    with pytest.raises(Skip, match="beyond 2"):
        frames.frame(replace(table, rows=(*rows, ("z", None, "x"))).to_dict())
    with pytest.raises(Skip, match="64 bits"):
        frames.frame(replace(table, rows=(("z", str(2**63), "x"),)).to_dict())


def test_classes_hold_each_position_once_and_missing_values_form_one() -> None:
    assert frames.classes(TABLE.to_dict()) == [[0, 2], [1, 3]]


def test_rows_that_stand_for_several_records_are_written_out_and_too_many_are_skipped() -> None:
    def times(*n: int) -> dict[str, object]:
        return Table(("z", "s"), ("text", "text"), (("a", "x"), ("b", "y")), ("z",), ("s",), times=n).to_dict()

    assert frames.frame(times(2, 1))["s"].tolist() == ["x", "x", "y"]
    assert frames.classes(times(2, 1)) == [[0, 1], [2]]
    with pytest.raises(Skip, match="records"):
        frames.frame(times(2**31, 1))


@pytest.mark.parametrize("bound", [Fraction(1), Fraction(5, 2), Fraction(3)])
def test_the_smallest_whole_c_decides_as_the_bound_does_wherever_it_decides(bound: Fraction) -> None:
    """The property holds iff c > bound; the smallest whole c for which it holds is floor(bound) + 1."""
    reported = int(bound) + 1
    decided = 0
    for tenths in range(1, 60):
        c = Fraction(tenths, 10)
        try:
            verdict = by_whole_c(str(c), reported)["satisfied"]
        except Skip:
            assert reported - 1 < c < reported
            continue
        assert verdict == (c > bound)
        decided += 1
    assert decided == 50


def test_a_fault_explains_only_tests_that_have_all_that_it_names() -> None:
    vector = next(v for v in load(algorithms=["distinct-l"]) if v.id == "distinct-l/labels-as-positions/3")
    test = {"id": vector.id, "verdict": "wrong, unsafe side", "got": "value 2", "looks_like": []}
    test |= {"question": vector.question(), "expected": vector.expected.to_dict()}
    assert features(test) == {"index"}
    assert Fault("", "", has=("index",)).explains(test)
    assert Fault("", "", algorithms=("distinct-l",), side="unsafe").explains(test)
    assert Fault("", "", looks_like=("labels-as-positions",)).explains(test)
    for other in (
        Fault("", "", has=("categories",)),
        Fault("", "", algorithms=("k-anonymity",)),
        Fault("", "", error="x"),
    ):
        assert not other.explains(test)


def test_every_peer_has_an_adapter_exact_versions_and_a_name_of_its_own() -> None:
    folder = Path(frames.__file__).parent
    assert len({peer.title for peer in all_peers()}) == len(all_peers()) >= 13
    for peer in all_peers():
        assert (folder / f"{peer.module}.py").exists()
        assert all("==" in requirement for requirement in peer.requirements)
        assert all(fault.title and fault.cause.endswith(".") for fault in peer.faults)
    pythons = {(peer.environment, peer.python) for peer in all_peers()}
    assert len(pythons) == len(dict(pythons))  # an environment has one Python


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """Environments in a folder of their own, without downloads; the commands that are called."""
    called: list[list[str]] = []

    def call(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        called.append(command)
        if "venv" in command:
            folder = Path(command[-1])
            shutil.rmtree(folder, ignore_errors=True)
            for version in ("3.11", "3.12", "3.13", "3.14"):
                (folder / "lib" / f"python{version}" / "site-packages").mkdir(parents=True)
            (folder / "bin").mkdir()
            (folder / "bin" / "python").touch()
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(peers, "ENVIRONMENTS", tmp_path)
    monkeypatch.setattr(peers.subprocess, "run", call)
    monkeypatch.setattr(peers, "all_peers", lambda: (TOY, BESIDE))
    monkeypatch.setattr(peers, "pythons", lambda versions: (["/opt/python3.99"], []))
    return called


TOY = Peer("toy", "Toy", "both", ("toy==1",), "toy", (), "", ())
BESIDE = replace(TOY, name="beside", requirements=("toy==1", "beside==1"))


def made(called: list[list[str]]) -> list[str]:
    """Return the Pythons by which environments were made, and forget what was called."""
    found = [command[0] for command in called if "venv" in command]
    called.clear()
    return found


def test_an_environment_is_made_once_for_all_that_share_it(toys: list[list[str]]) -> None:
    assert [install(TOY), install(BESIDE), install(TOY)] == [""] * 3
    assert len(toys) == 3
    assert made(toys) == [sys.executable]


@pytest.mark.parametrize(
    "other", [replace(TOY, requirements=("toy==2",)), replace(TOY, python="3.13")], ids=["package", "Python"]
)
def test_an_environment_with_another_version_is_made_anew(
    other: Peer, toys: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that was made before it was noted which Python it has."""
    install(TOY)
    made(toys)
    monkeypatch.setattr(peers, "all_peers", lambda: (other,))
    assert not installed(other)
    assert install(other) == ""
    assert made(toys) == ["/opt/python3.99" if other.python else sys.executable]
    assert installed(other)
    assert not installed(TOY)
    note = peers.ENVIRONMENTS / "both" / "installed.json"
    note.write_text(note.read_text().replace("python==", "was=="), "utf-8")
    assert not installed(other)
    assert install(other) == ""
    assert len(made(toys)) == 1


@pytest.mark.parametrize("alone", [True, False])
def test_what_a_peer_requires_in_turn_is_installed_unless_it_stands_alone(alone: bool, toys: list[list[str]]) -> None:
    install(replace(TOY, alone=alone))
    assert ("--no-deps" in toys[-1]) is alone
    assert toys[-1][-1] == "toy==1"


def test_a_python_that_is_not_here_is_the_reason(toys: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "pythons", lambda versions: ([], [f"python{v}" for v in versions]))
    assert install(replace(TOY, python="3.99")) == "needs Python 3.99, which is not here"
    assert toys == []


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("TCLOSENESS_ASK_PEERS"), reason="set TCLOSENESS_ASK_PEERS=1 after make peers")
@pytest.mark.parametrize("peer", [peer for peer in all_peers() if installed(peer)], ids=lambda peer: peer.name)
def test_an_installed_implementation_can_be_asked(peer: Peer) -> None:
    tests = [v for v in load() if v.reason == "smoke"]
    report = run(command(peer), tests, seconds=60)
    assert report.assessed
    assert report.totals["timeout"] == 0
    assert not report.stopped
