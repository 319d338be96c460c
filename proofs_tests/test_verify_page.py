"""The page that checks certificates in a browser: under node, and as it is in Chromium with no network.

Skipped where js_of_ocaml is missing, unless TCLOSENESS_REQUIRE_JS_OF_OCAML=1 says that it must be there. That its
program answers as the native one, word for word, is asked wherever that one is
(`proofs_tests.coq.certificates.answers`).
"""

from __future__ import annotations

import base64
import json
import math
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from proofs_tests.certificates.test_composition import li
from proofs_tests.chromium import MEASURE, Chromium, fitting
from proofs_tests.cli.commands import run
from proofs_tests.coq.certificates import PAGE, by_page
from proofs_tests.coq.page.__main__ import page, script
from proofs_tests.test_coq import built
from tcloseness.certificates import seal, verify_composition
from tcloseness.certificates.audit import measured_text

pytestmark = pytest.mark.coq
__all__ = ["built"]

ROOT = Path(__file__).resolve().parents[1]
CERTIFICATES = ROOT / "examples" / "certificates"
HIERARCHIES = CERTIFICATES / "hierarchies"
TABLES = {"li": "li_table3.csv", "diversity": "machanavajjhala_figure1.csv"}
KNOWN = {
    "optimum_salary": "li",
    "minimal_disease": "li",
    "cut": "li",
    "hiding": "li",
    "suppression": "diversity",
    "optimum_entropy": "diversity",
}
"""The shipped certificates that the program has a checker for, and their tables."""

Files = dict[str, bytes]


def files_of(name: str) -> Files:
    """A certificate with all that it is about, by the names of the files."""
    table = TABLES[KNOWN[name]]
    record = json.loads((CERTIFICATES / f"{name}.json").read_text(encoding="utf-8"))
    return {
        f"{name}.json": (CERTIFICATES / f"{name}.json").read_bytes(),
        table: (ROOT / "data" / "papers" / table).read_bytes(),
        **{f"{q}.csv": (HIERARCHIES / f"{q}.csv").read_bytes() for q in record["table"]["quasi_identifiers"]},
    }


@pytest.fixture(scope="module")
def program(built: Path) -> str:
    if not by_page():
        if os.environ.get("TCLOSENESS_REQUIRE_JS_OF_OCAML") == "1":
            pytest.fail("TCLOSENESS_REQUIRE_JS_OF_OCAML=1, and the program for browsers, or node, is not there")
        pytest.skip("js_of_ocaml or node is missing (Debian: js-of-ocaml, libjs-of-ocaml-dev, nodejs)")
    return PAGE.read_text(encoding="utf-8")


def passed(files: Mapping[str, bytes]) -> str:
    """Files as JavaScript."""
    each = [{"name": name, "bytes": base64.b64encode(content).decode()} for name, content in files.items()]
    unpacked = "Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))"
    return f"{json.dumps(each)}.map(({{ name, bytes }}) => ({{ name, bytes: {unpacked} }}))"


@pytest.fixture(scope="module")
def ask(program: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Ask the page's script about many sets of files, in one process of node."""

    def asked(cases: list[Files]) -> list[tuple[str, str]]:
        folder = tmp_path_factory.mktemp("page")
        each = ",\n".join(map(passed, cases))
        (folder / "program.cjs").write_text(program, encoding="utf-8")
        (folder / "all.mjs").write_text(
            f'import "./program.cjs";\n{script()}\nconsole.log(JSON.stringify([{each}].map(answer)))', encoding="utf-8"
        )
        ran = subprocess.run(
            [str(shutil.which("node")), str(folder / "all.mjs")], capture_output=True, text=True, check=True
        )
        return [(found["verdict"], " ".join(found["sentences"])) for found in json.loads(ran.stdout)]

    return asked


def changed(files: Files, change: Any) -> Files:
    """The same with the certificate changed and sealed again."""
    name = next(name for name in files if name.endswith(".json"))
    record = json.loads(files[name])
    change(record)
    record["sha256"] = seal(record)
    return {**files, name: json.dumps(record).encode()}


def test_what_is_right_is_proved_and_says_of_which_file(ask: Any) -> None:
    spaced = {name: {**files_of(name)} for name in KNOWN}
    for name, files in spaced.items():
        table = TABLES[KNOWN[name]]
        files[table] = files[table].replace(b",", b" , ")
    said = ask([files_of(name) for name in KNOWN] + list(spaced.values()))
    assert {verdict for verdict, _ in said} == {"Proved"}
    for place, name in enumerate(KNOWN):
        record = json.loads((CERTIFICATES / f"{name}.json").read_text(encoding="utf-8"))
        assert f"That is: {record['statement']}." in said[place][1]
        assert f"this very file, {TABLES[KNOWN[name]]}" in said[place][1]
        assert f"the counts of {TABLES[KNOWN[name]]}" in said[len(KNOWN) + place][1]


def test_what_is_wrong_is_not_proved_and_says_why(ask: Any) -> None:
    files, suppression = files_of("minimal_disease"), files_of("suppression")
    own, table, zips = (files[name] for name in ("minimal_disease.json", "li_table3.csv", "ZIP Code.csv"))
    unread: dict[str, Files] = {
        "another table": {**files, "li_table3.csv": table.replace(b"gastritis", b"flu", 1)},
        "is about another table": {**files, "li_table3.csv": table[: table.rstrip().rindex(b"\n") + 1]},
        "another hierarchy": {**files, "ZIP Code.csv": zips.replace(b"476**", b"47***")},
        "hierarchy of Age is not given": {name: files[name] for name in files if name != "Age.csv"},
        "no table is given": {name: files[name] for name in files if name != "li_table3.csv"},
        "no certificate is given": {name: files[name] for name in files if name != "minimal_disease.json"},
        "several certificates": {**files, "other.json": own},
        "give one table: li_table3.csv, more.csv": {**files, "more.csv": table},
        "changed since it was written": {**files, "minimal_disease.json": own.replace(b"1/2", b"1/3")},
        "unpack it": {**files, "li_table3.csv": b"\x1f\x8b" + table},
        "has more or fewer cells": {**files, "li_table3.csv": table + b"1,2\n"},
    }
    refuted: list[Files] = [
        changed(files, lambda record: record["model"][-1].update(t="1/9")),
        changed(files, lambda record: record["proof"].update(minimal=[[0, 0]])),
        changed(files, lambda record: record["proof"].update(violating=[])),
        changed(suppression, lambda record: record["proof"].update(enough=2, least=2)),
    ]
    said = ask([*unread.values(), *refuted])
    for words, (verdict, sentence) in zip(unread, said, strict=False):
        assert verdict == "Not checked"
        assert words in sentence
    for verdict, sentence in said[len(unread) :]:
        assert verdict == "Refuted"
        assert sentence.startswith("The proof does not hold: ")


def test_an_audit_is_proved_and_with_another_value_or_verdict_it_is_refuted(ask: Any, tmp_path: Path) -> None:
    table, made = ROOT / "data" / "papers" / "li_table3.csv", tmp_path / "audit.json"
    words = (
        "-q",
        "ZIP Code,Age",
        "-s",
        "Salary",
        "--ground",
        "Salary=ordered-by-value",
        "--t",
        "0.9",
        "--entropy-l",
        "2",
    )
    assert run("check", str(table), *words, "--certificate", str(made)).code == 1
    files = {"audit.json": made.read_bytes(), "li_table3.csv": table.read_bytes()}
    proof = json.loads(files["audit.json"])["proof"]
    wrong = [changed(files, lambda record: record["proof"]["holds"].__setitem__(0, not proof["holds"][0]))]
    wrong += [
        changed(files, lambda record, i=i: record["proof"]["measures"][i].update(value="7/3"))
        for i in range(len(proof["measures"]))
        if proof["measures"][i]["measure"] != "entropy"
    ]
    said = ask([files, *wrong])
    assert said[0][0] == "Proved"
    assert all(measured_text(entry) in said[0][1] for entry in proof["measures"])
    assert {verdict for verdict, _ in said[1:]} == {"Refuted"}


def test_what_releases_say_is_proved_of_their_files_whatever_their_names_and_order(ask: Any) -> None:
    record, (one, two) = li()
    files = {"a.counts": two, "c.json": json.dumps(record).encode(), "b.counts": one}
    said = ask(
        [
            files,
            changed(files, lambda record: record["facts"][0]["sums"][0].__setitem__(-1, "1")),
            {"c.json": files["c.json"], "b.counts": one},
            {**files, "more.csv": b"a,b\n1,2\n"},
            changed(files, lambda record: record.update(releases=[])),
        ]
    )
    assert said[0][0] == "Proved"
    assert f"{verify_composition(json.dumps(record), [one, two])}." in said[0][1]
    assert "It is about the counts of b.counts, then a.counts." in said[0][1]
    assert said[1][0] == "Refuted"
    odd = "neither the certificate nor one of its releases: more.csv"
    for (verdict, sentence), words in zip(said[2:], ("no file has the counts of release 2", odd, "empty"), strict=True):
        assert verdict == "Not checked"
        assert words in sentence


def test_whole_numbers_of_any_size_are_those_of_zarith(program: str, tmp_path: Path) -> None:
    """The primitives of ``z.js`` against Python's, at the ends of 31, 32, 53, 63 and 64 bits and beyond."""
    ends = [2**k + d for k in (0, 15, 16, 30, 31, 32, 53, 62, 63, 64, 100) for d in (-1, 0, 1)]
    numbers = sorted({sign * n for n in ends for sign in (1, -1)} | {0, 7, -7, 12, -12})
    text = re.sub(r"^//.*$", "", PAGE.with_name("z.js").read_text(encoding="utf-8"), flags=re.M)
    names = ("add", "sub", "mul", "compare", "equal", "rem", "div", "fdiv", "cdiv", "gcd")
    alone = ("neg", "abs", "succ", "pred", "sign", "numbits")
    (tmp_path / "z.cjs").write_text(
        f"""{text}
function caml_raise_zero_divide() {{ throw "zero"; }}
const numbers = [{", ".join(f"{n}n" for n in numbers)}].map(ml_z_int), said = [];
const tell = (found) => {{
  const small = found >= -2147483648 && found <= 2147483647;
  if ((typeof found === "number") !== small) throw "not in its one form";
  said.push(String(found));
}};
for (const x of numbers) {{
  for (const f of [{", ".join(f"ml_z_{name}" for name in alone)}]) tell(f(x));
  for (const n of [0, 1, 31, 70])
    for (const found of [ml_z_shift_left(x, n), ml_z_shift_right(x, n), ml_z_extract(x, n, 16)]) tell(found);
  for (const n of [0, 1, 2, 5]) tell(ml_z_pow(x, n));
  for (const y of numbers)
    for (const f of [{", ".join(f"ml_z_{name}" for name in names)}])
      try {{ tell(f(x, y)); }} catch (error) {{ said.push(error); }}
}}
console.log(said.join(" "));""",
        encoding="utf-8",
    )
    ran = subprocess.run(
        [str(shutil.which("node")), str(tmp_path / "z.cjs")], capture_output=True, text=True, check=True
    )

    def sign(x: int) -> int:
        return (x > 0) - (x < 0)

    expected: list[object] = []
    for x in numbers:
        expected += [-x, abs(x), x + 1, x - 1, sign(x), abs(x).bit_length()]
        for n in (0, 1, 31, 70):
            expected += [x << n, x >> n, (x >> n) % 2**16]
        expected += [x**n for n in (0, 1, 2, 5)]
        for y in numbers:
            expected += [x + y, x - y, x * y, sign(x - y), int(x == y)]
            towards_0 = abs(x) // abs(y) * sign(x) * sign(y) if y else 0
            expected += [x - towards_0 * y, towards_0, x // y, -(-x // y)] if y else ["zero"] * 4
            expected.append(math.gcd(x, y))
    assert ran.stdout.split() == list(map(str, expected))


def test_keys_are_in_the_order_of_their_characters(tmp_path: Path) -> None:
    """Also of those beyond 2¹⁶, which are two units of a text in JavaScript."""
    if shutil.which("node") is None:
        pytest.skip("node is missing")
    names = ["a", "\uffee", "\U0001d535", "b\uffee", "b\U0001d535", "\U0001d535a", "", "\ue000", "\ud7ff", "ab"]
    forms = (ROOT / "examples" / "checkers" / "forms.mjs").as_uri()
    (tmp_path / "order.mjs").write_text(
        f"import {{ byCodePoint }} from {json.dumps(forms)};\n"
        f"console.log(JSON.stringify({json.dumps(names)}.sort(byCodePoint)))",
        encoding="utf-8",
    )
    ran = subprocess.run(
        [str(shutil.which("node")), str(tmp_path / "order.mjs")], capture_output=True, text=True, check=True
    )
    assert json.loads(ran.stdout) == sorted(names)


def test_the_page_as_it_is_checks_files_in_chromium_and_asks_for_nothing_else(
    program: str, chromium: Chromium, tmp_path: Path
) -> None:
    whole = tmp_path / "page.html"
    whole.write_text(page(program), encoding="utf-8")
    assert (ROOT / "docs" / "verify.html").read_text(encoding="utf-8") == page(program)
    for width in (390, 1200):
        chromium.open(whole, width=width)
        assert chromium.evaluate(MEASURE) == fitting(width)
        chromium.evaluate(
            f"tclosenessTake({passed(files_of('optimum_salary'))}.map((file) => new File([file.bytes], file.name)))"
        )
        chromium.until("document.querySelector('#verdict h2')")
        dom = chromium.dom()
        assert '<h2 class="proved">Proved</h2>' in dom
        assert "this very file, li_table3.csv" in dom
        assert dom.count("<li>") == 4
        assert chromium.evaluate(MEASURE) == fitting(width)
        assert (chromium.console, chromium.requested) == ([], [])
