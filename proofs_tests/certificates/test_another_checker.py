"""A checker of certificates in another language, written from docs/certificates.md alone, says what ours says.

Skipped where node is missing, unless TCLOSENESS_REQUIRE_NODE=1 says that it must be there.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from proofs_tests.certificates import test_cut
from proofs_tests.certificates.changes import ODD, changed, places_of, with_at
from proofs_tests.certificates.tables import FILES, LOSSES, models, rolled, table
from proofs_tests.certificates.test_keeping import asked
from proofs_tests.certificates.test_limits import LIMITED
from proofs_tests.cli.commands import run
from tcloseness.certificates import TASKS, Envelope, Reading, canonical_text, levels_digest, levels_of, seal, verify
from tcloseness.certificates.cut import CUT, INFEASIBLE
from tcloseness.certificates.keeping import HIDING, NO_HIDING, NO_SUPPRESSION, SUPPRESSION
from tcloseness.certificates.lattice import MINIMAL
from tcloseness.certificates.reading import read_table
from tcloseness.errors import CertificateError, CertificateFormatError, InputError
from tcloseness.lattice import RollUp, search_lattice
from tcloseness.loss import GeneralizationHeight
from tcloseness.models import KAnonymity
from tcloseness.models.certified import CertifiedTable
from tcloseness.optimal import optimal_hiding, optimal_suppression

ROOT = Path(__file__).resolve().parents[2]
CHECKER = ROOT / "examples" / "checkers" / "check.mjs"
CERTIFICATES = ROOT / "examples" / "certificates"
PAPERS = ROOT / "data" / "papers"

Files = dict[str, tuple[str, bytes]]
"""By quasi-identifier the name of a file and what it holds."""

Verdict = tuple[int, str]
"""An exit code, and what is said."""


@pytest.fixture(scope="session")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        if os.environ.get("TCLOSENESS_REQUIRE_NODE") == "1":
            pytest.fail("TCLOSENESS_REQUIRE_NODE=1, and there is no node; install it (Debian: nodejs)")
        pytest.skip("node is missing")
    return found


def ours(text: str, file: bytes, files: Files) -> Verdict:
    try:
        return 0, verify(text, file, files).found
    except (CertificateFormatError, InputError) as error:
        return 2, str(error)
    except CertificateError as error:
        return 1, str(error)


class Cases:
    """Certificates, each with its table and a folder of hierarchies, judged by one process of node."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lines: list[str] = []
        self.said: list[Verdict] = []
        self.judged: list[Verdict] = []

    def place(self, data: bytes, files: Files) -> Path:
        """A folder with the table and the hierarchies."""
        place = self.folder / str(len(self.lines))
        place.mkdir()
        (place / "table").write_bytes(data)
        for name, content in files.values():
            (place / name).write_bytes(content)
        return place

    def add(self, text: str, place: Path, files: Files) -> None:
        file = self.folder / f"{len(self.lines)}.json"
        file.write_text(text)
        self.lines.append(f"{file}\t{place / 'table'}\t{place}\n")
        self.said.append(ours(text, (place / "table").read_bytes(), files))

    def theirs(self, node: str) -> list[Verdict]:
        if len(self.judged) == len(self.lines):
            return self.judged
        (self.folder / "list").write_text("".join(self.lines))
        words = [node, str(CHECKER), "--list", str(self.folder / "list")]
        run = subprocess.run(words, capture_output=True, text=True, check=True)
        self.judged = [(code, sentence) for code, sentence in map(json.loads, run.stdout.split("\n")[:-1])]
        assert len(self.judged) == len(self.lines)
        return self.judged

    def disagreements(self, node: str) -> list[tuple[str, Verdict, Verdict]]:
        pairs = zip(self.lines, self.said, self.theirs(node), strict=True)
        return [(Path(line.split("\t")[0]).read_text(), a, b) for line, a, b in pairs if a[0] != b[0]]


def sealed(record: dict[str, Any]) -> str:
    return json.dumps({**record, "sha256": seal(record)})


def certificates(rng: random.Random, searched: RollUp) -> Iterator[dict[str, Any]]:
    for model in models(rng):
        limit = rng.choice([0, 0, rng.randint(1, 4)])
        loss = None if rng.random() < 0.4 else rng.choice([*LOSSES, *LIMITED.values()])
        wanted = "minimal" if loss is None else "optimum"
        answer = search_lattice(
            searched, model, ground="equal", wanted=wanted, loss=loss, suppression=min(limit, searched.records)
        )
        yield json.loads(answer.certificate().to_json())


def number(rng: random.Random, low: int = -1) -> str:
    return str(Fraction(rng.randint(low, 12), rng.randint(1, 6)))


def ground(rng: random.Random, m: int) -> dict[str, Any]:
    """A ground distance on so many values, or nearly one."""
    order = rng.sample(range(m), m)
    low = [rng.randrange(m) for _ in range(rng.randint(0, 3))]
    forest = [[*rng.choice([["l", "*"], ["l", "k", "*"], ["r", "*"], ["r", "s", "*"], ["*"]])] for _ in range(m + 1)]
    return rng.choice(
        [
            {"name": "equal", "m": m},
            {"name": "ordered", "m": m},
            {"name": "ordered-by-value", "values": [number(rng, -12) for _ in range(m)]},
            {
                "name": "laminar", "order": order, "low": low, "high": [min(x + rng.randint(1, 3), m) for x in low],
                "weights": [str(rng.randint(1, 3)) for _ in low], "denominator": str(rng.randint(1, 4)),
            },
            *(
                {
                    "name": "hierarchical", "paths": paths, "values": rng.sample(range(m + 1), m),
                    "trivial_levels": rng.choice(["keep", "collapse"]),
                }
                for paths in (
                    [[f"v{i}", *above] for i, above in enumerate(forest)],
                    [[f"v{i}", f"{i // 2}", "*"] for i in range(m + 1)],
                )
            ),
        ]
    )  # fmt: skip


def condition(rng: random.Random, values: list[str]) -> dict[str, Any]:
    """Any condition on classes of these values."""
    some = rng.choice([None, rng.sample([*values, "text:none"], rng.randint(1, len(values)))])
    return rng.choice(
        [
            {"condition": "entropy", "l": number(rng)},
            {"condition": "tail", "l": rng.randint(1, 3), "c": number(rng)},
            {"condition": "share", "most": number(rng), "values": some},
            {"condition": "gain", "most": number(rng)},
            *({"condition": "distance", "t": number(rng), "ground": ground(rng, len(values))} for _ in range(4)),
        ]
    )


def mutants(rng: random.Random, record: dict[str, Any], searched: RollUp, many: int) -> Iterator[dict[str, Any]]:
    ways = places_of(record)
    for key in ("minimal", "optima"):  # one that is above others, and one too few
        if nodes := record["proof"].get(key):
            root = list(searched.lattice.heights)
            yield {**record, "proof": {**record["proof"], key: [*nodes, root]}}
            yield {**record, "proof": {**record["proof"], key: nodes[1:]}}
    for _ in range(many):
        yield {**record, "proof": changed(rng, record["proof"])}
        for key in ("minimal", "optima", "satisfying", "violating"):
            nodes = record["proof"].get(key)
            if nodes and not isinstance(nodes[0], dict):
                other = [list(rng.choice(list(searched.lattice))) for _ in range(rng.randint(0, 2))]
                yield {**record, "proof": {**record["proof"], key: rng.choice([other, nodes + other])}}
        yield {**record, "model": changed(rng, record["model"])}
        yield {**record, "model": [condition(rng, record["proof"]["values"]) for _ in range(rng.randint(1, 2))]}
        yield with_at(record, rng.choice(ways), rng.choice([each for each in ODD if type(each) is not float]))


@pytest.mark.filterwarnings("ignore:column")
@pytest.mark.parametrize(("tables", "many"), [(1, 1), pytest.param(50, 4, marks=pytest.mark.slow)])
def test_both_say_the_same_of_certificates_and_changed_ones(node: str, tmp_path: Path, tables: int, many: int) -> None:
    rng = random.Random(40)
    cases = Cases(tmp_path)
    for _ in range(tables):
        frame = table(rng)
        searched = rolled(frame)
        place = cases.place(frame.to_csv(index=False).encode(), FILES)
        for record in certificates(rng, searched):
            cases.add(sealed(record), place, FILES)
            assert cases.said[-1][0] == 0
            for mutant in mutants(rng, record, searched, many):
                cases.add(sealed(mutant), place, FILES)
    assert cases.disagreements(node) == []
    codes = Counter(code for code, _ in cases.said)
    assert min(codes[0], codes[1], codes[2]) > len(cases.said) / 12, codes


@pytest.mark.filterwarnings("ignore:column")
def test_both_say_the_same_of_tables_without_a_sensitive_attribute(node: str, tmp_path: Path) -> None:
    rng = random.Random(46)
    cases = Cases(tmp_path)
    for _ in range(4):
        frame = table(rng)
        searched = rolled(frame, None)
        place = cases.place(frame.to_csv(index=False).encode(), FILES)
        for loss, limit in ((None, 0), (LOSSES[0], 0), (None, 2), (LOSSES[0], 1)):
            wanted, model = "minimal" if loss is None else "optimum", KAnonymity(rng.randint(1, 3))
            answer = search_lattice(
                searched, model, ground="equal", wanted=wanted, loss=loss, suppression=min(limit, searched.records)
            )
            record = json.loads(answer.certificate().to_json())
            named = {**record, "table": {**record["table"], "sensitive": "s"}}
            for each in (record, named, *mutants(rng, record, searched, 1)):
                cases.add(sealed(each), place, FILES)
            assert record["table"]["sensitive"] is None
    assert cases.disagreements(node) == []
    assert {code for code, _ in cases.said} == {0, 1, 2}


def test_both_refuse_an_optimum_without_one_that_ties(node: str, tmp_path: Path) -> None:
    frame = pd.DataFrame([(a, b, "x") for a in "12" for b in "pq"], columns=[*"abs"])
    answer = search_lattice(rolled(frame), KAnonymity(2), ground="equal", wanted="optimum", loss=GeneralizationHeight())
    record = json.loads(answer.certificate().to_json())
    cases = Cases(tmp_path)
    place = cases.place(frame.to_csv(index=False).encode(), FILES)
    assert record["proof"]["optima"] == [[0, 1], [1, 0]]
    for optima in ([[0, 1], [1, 0]], [[0, 1]], [[1, 0]]):
        cases.add(sealed({**record, "proof": {**record["proof"], "optima": optima}}), place, FILES)
    assert [code for code, _ in cases.said] == [code for code, _ in cases.theirs(node)] == [0, 1, 1]


def reproved(rng: random.Random, record: dict[str, Any], many: int) -> Iterator[dict[str, Any]]:
    """The certificate, and the same with another proof, or of another task with this proof."""
    yield record
    for _ in range(many):
        other = {**record, "proof": changed(rng, record["proof"])}
        if rng.random() < 0.15:
            other["format"] = rng.choice([SUPPRESSION, NO_SUPPRESSION, HIDING, NO_HIDING, CUT, INFEASIBLE])
            other["statement"] = TASKS[other["format"]].statement
        yield other


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
@pytest.mark.parametrize(("tables", "many"), [(1, 3), pytest.param(40, 8, marks=pytest.mark.slow)])
def test_both_say_the_same_of_what_is_kept_of_classes(node: str, tmp_path: Path, tables: int, many: int) -> None:
    rng = random.Random(42)
    cases = Cases(tmp_path)
    seen: Counter[str] = Counter()
    for _ in range(tables):
        rows, weights = rng.randint(4, 40), [rng.randint(1, 8) for _ in "xyzw"]
        columns = {"a": rng.choices("1234", k=rows), "b": rng.choices("pq", k=rows)}
        searched = rolled(pd.DataFrame({**columns, "s": rng.choices("xyzw", weights, k=rows)}))
        counts = CertifiedTable.of(searched.frequencies, searched.sensitive).counts
        place = cases.place(canonical_text(counts.columns, counts.counts).encode(), FILES)
        for model in asked(rng):
            task = rng.choice([optimal_suppression, optimal_hiding])
            answer = task(searched.release(rng.choice(list(searched.lattice))), model, seed=1)
            for record in reproved(rng, json.loads(answer.certificate().to_json()), many):
                cases.add(sealed(record), place, FILES)
                seen[record["format"]] += cases.said[-1][0] == 0
    assert cases.disagreements(node) == []
    assert tables < 10 or min(seen[each] for each in (SUPPRESSION, NO_SUPPRESSION, HIDING, NO_HIDING)) > 5


@pytest.mark.long
@pytest.mark.solver
@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
@pytest.mark.parametrize(("tables", "many"), [(1, 3), pytest.param(40, 8, marks=pytest.mark.slow)])
def test_both_say_the_same_of_cuts(node: str, tmp_path: Path, tables: int, many: int) -> None:
    rng = random.Random(43)
    cases = Cases(tmp_path)
    for _ in range(tables):
        frame = test_cut.frame_of(rng)
        place = cases.place(frame.to_csv(index=False).encode(), test_cut.FILES)
        for model in models(rng):
            loss, recoding = rng.choice([*test_cut.LOSSES, "mean-height"]), rng.choice(["subtree", "full-domain"])
            loss = GeneralizationHeight(suppressed="whole") if loss == "mean-height" else loss
            answer = test_cut.solved(frame, test_cut.TREES, model, loss, recoding)
            for record in reproved(rng, json.loads(answer.certificate().to_json()), many):
                cases.add(sealed(record), place, test_cut.FILES)
    assert cases.disagreements(node) == []
    assert Counter(code for code, _ in cases.said)[0] > len(cases.said) / 8


# ---------------------------------------------------------------------- files

BLANKS = ["", "", "", " ", "\t", "\u00a0", "\u2028", "\x1c", "\x1f", "\x0b", "\x0c", "\x85", "\u3000"]
NO_BLANKS = ["\u180e", "\u200b", "\ufeff"]
WEIGHTS = [
    "1",
    "2",
    "0",
    " 4",
    "05",
    "5.0",
    "+1",
    "",
    "1_0",
    "٣",
    "1e2",
    "4/2",
    "3/2",
    "-0",
    ".5e1",
    "0.5",
    "5.",
    "-1",
    ".",
]
TEXTS = ["x", "x", "y", "?", "", "x y", "é", 'x"y', "𝒳", "\x7f", "1.0", "(missing)", "\ud7ff", "\x08", "\\", "\0"]


def cell(rng: random.Random, separator: str) -> str:
    text = rng.choice([*TEXTS[: rng.choice([2, 13, 16])], separator])
    if rng.random() < 0.3 or '"' in text or separator in text:
        inner = text.replace('"', '""') + rng.choice(["", "", " ", separator, "\n", "\r\n", "\r", "\u2029"])
        return rng.choice(BLANKS) + f'"{inner}"' + rng.choice(BLANKS) + ("z" if rng.random() < 0.02 else "")
    return rng.choice(BLANKS + NO_BLANKS) + text + rng.choice(BLANKS)


def written(rng: random.Random, separator: str, weight: bool) -> str:
    """A text of rows of ``a``, ``b`` and ``s``, as files have them, or nearly so."""
    end = rng.choice(["\n", "\r\n", "\r"])
    rows = [separator.join(["a", "b", *["w"] * weight, "s"])]
    for _ in range(rng.randint(1, 4)):
        row = [cell(rng, separator) for _ in "abs"]
        row[2:2] = [rng.choice(WEIGHTS) if rng.random() < 0.4 else "2"] * weight
        rows.append(separator.join(row[: -1 if rng.random() < 0.03 else None]))
        if rng.random() < 0.1:
            rows.append(rng.choice(["", " ", "\t", separator * 3, '""', "\u2028", separator]))
    return rng.choice(["", "", "", end]) + end.join(rows) + rng.choice(["", end, end + end, end + " "])


def hierarchy(rng: random.Random, separator: str) -> str:
    """A hierarchy of what may stand in ``a``, or nearly one."""
    rows = []
    for leaf in rng.sample([*TEXTS[1:6], *TEXTS[6:9], "(missing)"], rng.randint(5, 9)):
        cells = ["hi" if leaf == "y" else "lo", "*"]
        if rng.random() < 0.06:
            cells = rng.choice(
                [["*"], ["lo", "mid", "*"], ["lo", "", "*"], ["hi", "*", ""], [""], ["lo", "+"], ["lo"], []]
            )
        rows.append(separator.join('"' + each.replace('"', '""') + '"' if each else each for each in [leaf, *cells]))
    return "\n".join(rows) + rng.choice(["", "\n", f"\n{separator}\n", "\n\n"])


def readable(rng: random.Random) -> tuple[Envelope, bytes, Files]:
    """A table and a hierarchy, and a certificate that is right if they can be read."""
    separator, encoding = rng.choice(",,;\t| "), rng.choice(["utf-8", "utf-8-sig", "latin-1", "UTF8", "ascii"])
    weight = "w" if rng.random() < 0.4 else None
    text = written(rng, separator, weight is not None)
    text = "\ufeff" + text if encoding != "utf-8-sig" and rng.random() < 0.1 else text
    name, parts = rng.choice([("a.csv", ","), ("a.tsv", "\t"), ("a.tab", "\t")])
    reading = Reading(
        separator, encoding, rng.choice([("",), ("", "?"), ()]), rng.choice(["error", "category", "drop"]), weight,
        rng.choice([None, parts]), rng.choice(["error", "repeat-leaf", "repeat-parent"]),
    )  # fmt: skip
    codec = encoding if text.isascii() or rng.random() < 0.5 else "utf-8"
    data = text.encode(codec, errors="replace")
    tree = hierarchy(rng, parts).encode(codec, errors="replace")
    proof = {"values": ["text:x"], "minimal": [[0, 0]], "violating": []}
    envelope = Envelope(
        MINIMAL, TASKS[MINIMAL].statement, "0" * 64, None, ("a", "b"), "s", 1, reading, {"a": "0" * 64, "b": None},
        ({"condition": "records", "least": 1},), proof,
    )  # fmt: skip
    with contextlib.suppress(CertificateFormatError):
        counts = read_table(data, envelope)
        proof["values"] = sorted({row[-1] for row in counts.counts}) or ["text:x"]
        envelope = dataclasses.replace(envelope, digest=counts.digest, records=max(sum(counts.counts.values()), 1))
        if rng.random() < 0.5:
            rows = levels_of(tree, "a", reading, file=name)
            envelope = dataclasses.replace(envelope, hierarchies={"a": levels_digest(rows), "b": None})
        else:
            envelope = dataclasses.replace(envelope, hierarchies={"a": None, "b": None})
    if envelope.hierarchies["a"] is not None:
        return envelope, data, {"a": (name, tree)}
    plain = "".join(f"{leaf}{parts}*\n" for leaf in sorted({"x", "y", *rng.sample(TEXTS[:3], 2)} - {rng.choice("xyz")}))
    return envelope, data, {"a": (name, plain.encode())} if rng.random() < 0.3 else {}


@pytest.mark.long
@pytest.mark.parametrize("files", [250, pytest.param(10_000, marks=pytest.mark.slow)])
def test_both_read_the_same_of_files_or_refuse_them(node: str, tmp_path: Path, files: int) -> None:
    rng = random.Random(41)
    cases = Cases(tmp_path)
    for _ in range(files):
        envelope, data, hierarchies = readable(rng)
        cases.add(envelope.to_json(), cases.place(data, hierarchies), hierarchies)
    assert cases.disagreements(node) == []
    assert Counter(code for code, _ in cases.said)[0] > files / 16
    for our, their in zip(cases.said, cases.theirs(node), strict=True):
        assert ("(digest)" in their[1]) <= ("another" in our[1]), (our, their)  # what one does not read, neither does


# ---------------------------------------------------------------------- the certificates that are shipped


@pytest.mark.parametrize("file", sorted(CERTIFICATES.glob("*.json")), ids=lambda path: path.stem)
def test_certificates_that_are_shipped_are_proved_by_both_from_their_files(node: str, file: Path) -> None:
    tables = {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in PAPERS.glob("*.csv")}
    record = json.loads(file.read_text())
    of = tables[record["table"]["file_sha256"]]
    words = [str(file), "--table", str(of), "--hierarchies", str(CERTIFICATES / "hierarchies")]
    answer = run("verify", *words)
    assert answer.code == 0, answer
    theirs = subprocess.run([node, str(CHECKER), *words[::2]], capture_output=True, text=True, check=False)
    assert (theirs.returncode, theirs.stderr) == (0, "")
    assert theirs.stdout.startswith("proved: ")
    assert f"{file.name}" in (CERTIFICATES / "README.md").read_text()


@pytest.mark.long
def test_another_table_or_proof_is_not_proved(node: str, tmp_path: Path) -> None:
    record = json.loads((CERTIFICATES / "optimum_salary.json").read_text())
    salaries = (PAPERS / "li_table3.csv").read_bytes()
    cases = {0: (record, salaries), 2: (record, salaries.replace(b"3000", b"3001"))}
    cases[1] = ({**record, "proof": {**record["proof"], "violating": record["proof"]["violating"][:1]}}, salaries)
    for code, (each, data) in cases.items():
        (tmp_path / "c.json").write_text(sealed(each))
        (tmp_path / "t.csv").write_bytes(data)
        words = [
            node,
            str(CHECKER),
            str(tmp_path / "c.json"),
            str(tmp_path / "t.csv"),
            str(CERTIFICATES / "hierarchies"),
        ]
        said = subprocess.run(words, capture_output=True, text=True, check=False)
        assert (said.returncode, said.stderr) == (code, "")
        assert (
            ours(
                sealed(each),
                data,
                {
                    column: (f"{column}.csv", (CERTIFICATES / "hierarchies" / f"{column}.csv").read_bytes())
                    for column in ("ZIP Code", "Age")
                },
            )[0]
            == code
        )
    (tmp_path / "c.json").write_text(json.dumps({**record, "statement": "all is well"}))
    assert subprocess.run([*words[:3], str(PAPERS / "li_table3.csv")], capture_output=True, check=False).returncode == 2
    assert subprocess.run(words[:2], capture_output=True, check=False).returncode == 2


def test_the_page_has_what_a_checker_must_compare() -> None:
    page = " ".join((ROOT / "docs" / "certificates.md").read_text().split())
    for format, task in TASKS.items():
        name = format.removeprefix("tcloseness-").removesuffix("-certificate-1")
        assert f"| `{name}` | {task.statement} |" in page
