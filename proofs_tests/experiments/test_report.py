"""The report of the studies: every claim once with its verdict, every study with its figures, in one page."""

from __future__ import annotations

import ast
import base64
import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from urllib.parse import quote as address

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from experiments.claims import COMPARED, PAPERS, Claim, Outcome, settled
from experiments.proofs import certificates_of
from experiments.provenance import ROOT
from experiments.report import claims_csv, write_and_print
from experiments.report.findings import findings
from experiments.report.found import read_results
from experiments.report.glossary import glossary, short_names
from experiments.report.html import page
from experiments.report.tables import MOST_ROWS, preview
from experiments.report.words import CITATIONS, SUBJECT, TITLE, citation, sentence
from experiments.runner import discover
from experiments.verdicts import Kind
from proofs_tests.experiments.results import (
    ASSUMPTION,
    LEDGER,
    outcome_for,
    outcomes_for,
    seal,
    write,
    write_everything,
)
from proofs_tests.report.pages import HOSTILE, Structure
from tcloseness.errors import StudyError
from tcloseness.report.short_text import printable


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    write_everything(folder)
    return folder


@pytest.fixture(scope="module")
def html(results) -> str:
    return page(read_results(results, LEDGER))


def part(html: str, tag: str, attribute: str) -> Structure:
    """The one element of the page with an attribute, alone; elements of its kind do not nest."""
    (found,) = re.findall(rf"<{tag} [^>]*{re.escape(attribute)}[ >].*?</{tag}>", html, flags=re.DOTALL)
    return Structure(found)


def plain(text: str) -> str:
    """A text as the reader of a page gets it."""
    return " ".join(printable(text.replace("\N{NO-BREAK SPACE}", " ")).split())


MEANS = re.compile(r' <a class="means"[^>]*>.*?</a>')
"""What is added to a short name where it is used first."""


def row(html: str, key: str) -> str:
    (found,) = re.findall(rf'<tr id="claim-{key}".*?</tr>', html, flags=re.DOTALL)
    return plain(Structure(MEANS.sub("", found)).text)


def studies_in(results: Path) -> list[str]:
    return sorted(folder.name for folder in results.iterdir() if folder.is_dir())


def claims_of(results: Path, study: str) -> list[dict]:
    return json.loads((results / study / "claims.json").read_text(encoding="utf-8"))


# ---------------------------------------------------------------------- claims


@pytest.mark.long
def test_every_claim_of_the_ledger_stands_once_in_the_table(html):
    ids = [a["id"] for a in Structure(html).all("tr") if str(a.get("id", "")).startswith("claim-")]
    assert Counter(ids) == Counter(f"claim-{key}" for key in LEDGER)


@pytest.mark.parametrize("key", LEDGER)
def test_a_claim_has_the_papers_sentence_then_the_verdict_or_the_reason_why_there_is_none(html, results, key):
    claim = LEDGER[key]
    text = row(html, key)
    said = plain(f"{sentence(claim.statement)} {claim.place} {key} {claim.stated or ''}")
    before, _, after = text.partition(said)
    assert before.strip() in (plain(claim.quote or ""), "The same sentence:" if claim.quote else "")
    assert text.startswith(f"{before}{said}")
    if known := settled(claim):
        assert after.strip() == f"{known.kind.sign} {known.kind} {plain(known.why or '')}".strip()
    elif claim.study in ("worked_examples", "data_facts"):
        (found,) = [c for c in claims_of(results, claim.study) if c["id"] == key]
        ours, sign, verdict = after.partition(f"{Kind.of(found['kind']).sign} {found['kind']}")
        assert ours.strip().startswith(found["ours"])
        assert sign
        assert plain(found["detail"]) in verdict
        for why, value in found["alternatives"].items():
            assert f"If {why}: {value}" in verdict
        if claim.reading and found["kind"] == Kind.READ.one:
            assert plain(claim.reading)[1:] in verdict  # its first letter may be a capital
        if found["kind"] == Kind.FAILS.one:
            assert (f"It would if {ASSUMPTION}." in verdict) == (ASSUMPTION in found["verdict"])
            assert ("No assumption is known" in verdict) == (not found["why"])
        if claim.misprint and found["kind"] == Kind.MISPRINT.one:
            assert plain(str(claim.misprint)) in verdict
        assert verdict.endswith(claim.study.replace("_", " "))
    else:
        assert after.strip() == f"… has no result here waits for the study {claim.study} to be run"


def test_a_sentence_of_several_claims_is_quoted_once_for_each_verdict_of_a_paper(html):
    quoted = Counter((c.paper, c.quote) for c in LEDGER.values() if c.quote)
    assert max(quoted.values()) > 2
    for (_, quote), most in quoted.items():
        rows = [row(html, key) for key, claim in LEDGER.items() if claim.quote == quote]
        again = sum(text.startswith("The same sentence:") for text in rows)
        assert 0 <= again < len(rows) <= most + again


def test_what_does_not_hold_is_shown_first(html):
    checked = [a["id"] for a in Structure(html).all("input") if "checked" in a]
    assert checked == ["show-fails"]


def test_a_page_on_which_all_hold_shows_all(tmp_path):
    holds = next(c for c in LEDGER.values() if c.study == "worked_examples")
    write(tmp_path, "worked_examples", outcomes={holds.id: outcome_for(holds, True)})
    html = page(read_results(tmp_path, {holds.id: holds}))
    assert [a["id"] for a in Structure(html).all("input") if "checked" in a] == ["show-all"]


def test_a_study_names_its_claims_by_verdict_and_the_number_of_the_others(html, results):
    for study in ("worked_examples", "data_facts"):
        section = part(html, "section", f'id="study-{study}"')
        named = [str(a["href"]).removeprefix("#claim-") for a in section.all("a") if "#claim-" in str(a.get("href"))]
        own = [key for key, claim in LEDGER.items() if claim.study == study]
        assert named == own[: len(named)]
        assert len(named) == len(own) or f"and {len(own) - len(named)} more" in plain(section.text)


def test_the_claims_as_a_file_say_what_the_page_says(results):
    found = read_results(results, LEDGER)
    rows = list(csv.DictReader(claims_csv(found).decode("utf-8").splitlines()))
    assert [row["id"] for row in rows] == list(LEDGER)
    for row, answer in zip(rows, found.answers, strict=True):
        assert row["verdict"] == answer.kind.one
        assert row["why"] == answer.why
        assert (row["stated"], row["ours"]) == (answer.claim.stated or "", answer.ours)
        assert row["quote"] == (answer.claim.quote or "")


def test_the_first_sentence_counts_the_verdicts(html, results):
    found = [c for study in ("worked_examples", "data_facts") for c in claims_of(results, study)]
    kinds = Counter(c["kind"] for c in found)
    would = sum(c["why"] != "" for c in found if c["kind"] == "does not hold")
    parts = [f"{kinds[k.one]} {k.one if kinds[k.one] == 1 else k.many}" for k in Kind if kinds[k.one]]
    last = f"{parts.pop()} ({would} of them would under an assumption that is named)"
    text = Structure(re.search(r'<div class="answer" id="answer">.*?</div>', html, re.DOTALL)[0]).text
    assert text.startswith(f"{len(found)} claims recomputed: {', '.join(parts)} and {last}.")
    assert len(parts) == 4
    assert f"{sum(1 for claim in LEDGER.values() if claim.unchecked)} not checkable" in text
    assert "by anyone" not in text


@pytest.mark.parametrize("paper", PAPERS)
def test_the_bar_of_a_paper_has_a_part_for_each_state_as_long_as_its_claims_are_many(html, results, paper):
    found = read_results(results, LEDGER)
    number = Counter(a.kind.key for a in found.answers if a.claim.paper == paper)
    bars = re.findall(r"<li>\s*<a href=\"#paper.*?</li>", html, re.DOTALL)
    (bar,) = [Structure(b) for b in bars if PAPERS[paper] in b]
    parts = bar.all("rect")
    assert {str(r["class"]): int(str(r["width"])) for r in parts} == number
    ends = [0]
    for r in parts:
        assert int(str(r["x"])) == ends[-1]
        ends.append(ends[-1] + int(str(r["width"])))
    assert ends[-1] == sum(number.values())
    for kind in Kind:
        assert (f"{kind.sign} {number[kind.key]} " in bar.text) == (number[kind.key] > 0)


def test_every_kind_of_verdict_has_a_sign_and_words_of_its_own_and_the_page_explains_it(html):
    words = plain(part(html, "details", 'class="words"').text)
    for attribute in ("sign", "one", "key", "meaning"):
        assert len({getattr(kind, attribute) for kind in Kind}) == len(Kind)
    for kind in Kind:
        assert f"{kind.sign} {kind.one} {plain(kind.meaning)}" in words
        assert f"#show-{kind.key}:checked" in html


def test_every_paper_has_its_citation():
    assert list(CITATIONS) == list(PAPERS)


# ---------------------------------------------------------------------- studies


def test_every_study_has_its_section_with_question_answer_and_rerun(html, results):
    for folder in (results / name for name in studies_in(results)):
        record = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
        text = plain(part(MEANS.sub("", html), "section", f'id="study-{folder.name}"').text)
        for told in (record["question"], record["summary"], f"python -m experiments run {folder.name}"):
            assert not set(plain(told).split()) - set(text.split()), told
        drawn = f"seed {record['seeds'][0]}" if record["seeds"] else "nothing is drawn at random"
        assert (f"; {drawn}" if record["grid"] else drawn[0].upper() + drawn[1:]) in text
        for name, value in record["grid"].items():
            shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            assert plain(f"{name} {shown}") in text


def test_the_first_sentence_of_an_answer_comes_before_the_figures_and_the_others_after(tmp_path):
    write(
        tmp_path,
        "alpha",
        texts=("Is it?", "It is 0.25 (Li et al. 2007). At k = 3, no. 4 of 5 are."),
        figures=[(4, 4, "c")],
    )
    html = page(read_results(tmp_path, LEDGER))
    before, _, after = html.partition("<img")
    assert "It is 0.25 (Li et al. 2007).</p>" in before
    assert "At k = 3, no. 4 of 5 are.</p>" in after


def test_every_figure_is_inside_byte_for_byte_with_its_caption(html, results):
    seen = 0
    for folder in (results / name for name in studies_in(results)):
        record = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
        section = part(html, "section", f'id="study-{folder.name}"')
        for image, figure in zip(section.all("img"), record["figures"], strict=True):
            head, _, body = str(image["src"]).partition(",")
            assert head == "data:image/png;base64"
            assert base64.b64decode(body, validate=True) == (folder / figure["file"]).read_bytes()
            assert plain(str(image["alt"])) == plain(figure["caption"])
            seen += 1
    assert seen == 4


def test_where_the_results_come_from_is_told_with_every_hash(html, results):
    record = json.loads((results / "data_facts" / "provenance.json").read_text(encoding="utf-8"))
    text = part(html, "section", 'id="made"').text
    assert record["revision"] in text
    for name, digest in record["data_sha256"].items():
        assert text.count(f"{name} {digest}") == 1  # all studies were made alike
    assert "Worked examples, Data facts, Zz hostile" in text


@pytest.mark.long
def test_two_runs_that_took_different_times_have_the_same_page(tmp_path):
    pages = []
    for seconds, name in ((0.5, "one"), (7.25, "two")):
        folder = tmp_path / name
        times = pd.DataFrame({"seconds": [seconds]})
        write(folder, "alpha", tables={"t": pd.DataFrame({"x": [1]}), "t_times": times})
        path = folder / "alpha" / "provenance.json"
        record = json.loads(path.read_text("utf-8"))
        path.write_text(json.dumps(record | {"seconds": seconds, "processor": name}), "utf-8")
        pages.append(page(read_results(folder, LEDGER)))
    one, two = (re.sub(r"<p>Made from what has changed.*?</p>", "", text) for text in pages)
    assert one == two
    assert "t.csv" in one
    assert "7.25" not in two


def test_the_first_figure_of_a_study_is_shown_and_the_others_are_folded(tmp_path):
    for name, number in (("alpha", 1), ("beta", 2), ("gamma", 5)):
        write(tmp_path, name, figures=[(4, 4, f"{name} {n}") for n in range(number)])
    html = page(read_results(tmp_path, LEDGER))
    assert "more figure" not in part(html, "section", 'id="study-alpha"').text
    for name, more, number in (("beta", "1 more figure<", 1), ("gamma", "4 more figures<", 4)):
        section = re.search(rf'id="study-{name}".*?</section>', html, re.DOTALL)[0]
        before, found, after = section.partition(f"<summary>{more}")
        assert found
        assert (before.count("<img"), after.count("<img")) == (1, number)


def test_columns_of_printed_numbers_are_marked(tmp_path):
    write(tmp_path, "alpha", tables={"t": pd.DataFrame({"printed minimal": [12], "minimal": [9], "tool": ["x"]})})
    html = page(read_results(tmp_path, LEDGER))
    assert re.findall(r'<td class="([^"]*)">(?:12|9|x)</td>', html) == ["number printed", "number", ""]


# ---------------------------------------------------------------------- the first screen


def test_the_title_names_the_subject_and_the_page_says_how_to_cite(html):
    structure = Structure(html)
    assert f"<title>{TITLE}</title>" in html
    assert structure.text.index(TITLE) < structure.text.index(SUBJECT) < structure.text.index("How to cite")
    cited = citation()
    for field in ("title", "version", "license"):
        value = re.search(rf'^{field}: "?(.*?)"?$', (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)[1]
        assert value in cited
    assert plain(cited) in plain(structure.text)


def test_the_limits_are_counted(html):
    text = part(html, "section", 'id="scope"').text
    assert text.startswith(f"Scope and limits {len(LEDGER)} claims of {len(PAPERS)} texts")
    assert f"{sum(1 for claim in LEDGER.values() if claim.unchecked)} rest on data" in text


def findings_in(results: Path) -> list[str]:
    return [finding.head for finding in findings(read_results(results, LEDGER))]


def write_costs(results: Path, strict: float, hits: int, *, smoke: bool = False) -> None:
    column = {"times the discernibility of k alone": [strict, 1.0]}
    thresholds = pd.DataFrame({"t": ["0.2", "0.5"], **column})
    groupings = pd.DataFrame({"groupings": [126126], "within 1.25 times": [hits]})
    write(results, "data_quality", tables={"thresholds": thresholds, "groupings": groupings}, smoke=smoke)


@pytest.mark.long
def test_a_finding_is_made_from_the_numbers_and_left_out_where_they_do_not_say_so(tmp_path):
    write_costs(tmp_path / "so", 3.54, 0)
    (finding,) = findings(read_results(tmp_path / "so", LEDGER))
    assert "3.5 times the discernibility" in finding.text
    assert "0 of 126,126 groupings" in finding.text
    assert plain(finding.text) in plain(Structure(page(read_results(tmp_path / "so", LEDGER))).text)
    for number, (strict, hits, smoke) in enumerate(((1.2, 0, False), (3.5, 7, False), (3.5, 0, True))):
        write_costs(tmp_path / str(number), strict, hits, smoke=smoke)
        assert not findings_in(tmp_path / str(number))
    write(tmp_path / "else", "data_quality", tables={"thresholds": pd.DataFrame({"x": [1]})})
    assert not findings_in(tmp_path / "else")


def test_the_finding_on_heuristics_is_over_all_drawn_tables_not_over_those_of_a_size(tmp_path):
    medians = {("a", "all"): 1.3, ("b", "all"): 2.1, ("a", "12"): 1.1, ("b", "12"): 9.9}
    shares = pd.DataFrame(
        {"model": "k = 3", "method": method, "records": records, "tables": 100 if records == "all" else 54}
        | {"optimal": 5, "median ratio": x, "interval from": x - 0.06, "interval to": x + 0.06}
        for (method, records), x in medians.items()
    )
    write(tmp_path, "optimality_gap", tables={"shares": shares, "not_proved": pd.DataFrame(columns=["table"])})
    (finding,) = findings(read_results(tmp_path, LEDGER))
    for words in ("100 tables", "the best of 2 ", "1.30 times", "from 1.24 to 1.36", "10 of 200 runs"):
        assert words in finding.text
    assert "1.10" not in finding.text
    assert "9.90" not in finding.text


def write_attack(results: Path, revealed: int) -> None:
    table = pd.DataFrame(
        {
            "criterion": ["entropy 2", "entropy 2", "recursive 4,4"],
            "minimal": [21, 23, 13],
            "vulnerable, S1": [13, 5, 0],
            "most records revealed, S1": [20, 13, 0],
            "most records revealed, S2": [revealed, 6, 0],
        }
    )
    outcomes = {"TC-23": Outcome(Fraction(20), presets=("T1",))}
    write(results, "similarity_attack", outcomes=outcomes, tables={"searches": table})


def write_gaps(results: Path, low: float) -> None:
    shares = pd.DataFrame(
        {
            "model": ["k = 3", "k = 3", "k = 3, l = 3", "k = 3"],
            "method": ["MDAV", "Datafly", "MDAV", "MDAV"],
            "records": ["all", "all", "all", "12"],
            "tables": [100, 100, 100, 54],
            "optimal": [2, 0, 1, 2],
            "median ratio": [1.284, 1.9, 1.443, 1.01],
            "interval from": [low, 1.8, 1.4, 1.0],
            "interval to": [1.31, 2.0, 1.5, 1.02],
        }
    )
    write(results, "optimality_gap", tables={"shares": shares, "not_proved": pd.DataFrame({"table": []})})


def test_the_finding_on_the_attack_has_the_range_over_the_presets_and_the_printed_number(tmp_path):
    write_attack(tmp_path / "so", 146)
    (finding,) = findings(read_results(tmp_path / "so", LEDGER))
    assert "opens 5 to 13 of the 21 to 23 minimal entropy 2-diverse tables" in finding.text
    assert "at most 146 records in one under our hierarchies, not 916." in finding.text
    write_attack(tmp_path / "else", 700)
    assert not findings_in(tmp_path / "else")
    rare = pd.DataFrame({"counts": ["entropy 2-diverse"], "groups": ["S1"], "drawn": ["yes"], "looked at": [1000]})
    fitted = {key: Outcome(Fraction(n), presets=("T1",), rare="rare") for key, n in (("TC-22a", 21), ("TC-22b", 13))}
    write(tmp_path / "so", "fit", outcomes=fitted, tables={"shares": rare.assign(**{"all counts as printed": [3]})})
    (finding,) = findings(read_results(tmp_path / "so", LEDGER))
    assert "the printed 21 tables with 13 open come out under 3 of 1,000 (0.3 %, 95 % interval" in finding.text


def test_the_finding_on_heuristics_takes_the_best_of_each_model_over_all_sizes(tmp_path):
    write_gaps(tmp_path / "so", 1.25)
    (finding,) = findings(read_results(tmp_path / "so", LEDGER))
    assert (
        "On 100 tables of 12 to 12 records (all optima proved) the best of 2 loses 1.28 to 1.44 times" in finding.text
    )
    assert "(95 % intervals from 1.25 to 1.50); 3 of 300 runs meet the optimum" in finding.text
    write_gaps(tmp_path / "else", 1.0)
    assert not findings_in(tmp_path / "else")


def test_the_finding_on_theory_and_experiments_waits_for_every_study(tmp_path):
    ledger = {key: claim for key, claim in LEDGER.items() if claim.study in ("worked_examples", "data_facts")}
    theory = {key: outcome_for(claim, True) for key, claim in ledger.items() if claim.study == "worked_examples"}
    data = [claim for claim in ledger.values() if claim.study == "data_facts"]
    write(tmp_path, "worked_examples", outcomes=theory)
    assert not findings(read_results(tmp_path, ledger))
    half = {claim.id: outcome_for(claim, number % 2 == 0) for number, claim in enumerate(data)}
    write(tmp_path, "data_facts", outcomes=half)
    found = read_results(tmp_path, ledger)
    (finding,) = findings(found)
    kinds = Counter((a.claim.study, a.kind) for a in found.answers)
    assert f"of the {len(data)} on real data" in finding.text
    assert f"{kinds['data_facts', Kind.FAILS]} do not" in finding.text
    assert f"{kinds['worked_examples', Kind.PROVED]} of them proved by machine" in finding.text


# ---------------------------------------------------------------------- the glossary


def texts_of_studies() -> Iterator[tuple[str, str]]:
    """Every text of a study's code that is not a docstring, with its file."""
    for path in sorted((ROOT / "experiments" / "studies").rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
                yield path.name, node.value


@pytest.mark.long
def test_every_short_name_of_ledger_studies_and_page_is_in_the_glossary(html):
    known = set(glossary())
    for key, claim in LEDGER.items():
        for text in filter(None, claim.to_dict().values()):
            assert not set(short_names(text)) - known, (key, text)
    for file, text in texts_of_studies():
        if " " in text:
            assert not set(short_names(text)) - known, (file, text)
    own = re.sub(
        r'<style>.*?</style>|<section class="study" id="study-zz.*?</section>|"data:[^"]*"', "", html, flags=re.DOTALL
    )
    assert not set(short_names(Structure(own).text.replace(" ".join(HOSTILE), ""))) - known


def test_a_short_name_is_explained_where_it_is_used_first_and_in_the_glossary(tmp_path):
    text = "GCP under T1 and T2. Later GCP and T1 again."
    write(tmp_path, "alpha", texts=(text, "The EMD of T1."))
    html = page(read_results(tmp_path, LEDGER))
    section = part(html, "section", 'id="study-alpha"').text
    for name in ("GCP", "T1", "T2", "EMD"):
        entry = glossary()[name]
        assert section.count(f"{name} [{entry.short}]") == 1
        assert section.index(f"{name} [{entry.short}]") == re.search(rf"\b{name}\b", section).start()
        assert plain(f"{name} {entry.text}") in plain(part(html, "section", 'id="glossary"').text)
    assert "SABRE" not in part(html, "section", 'id="glossary"').text


def test_the_glossary_explains_no_name_by_one_that_it_lacks():
    for name, entry in glossary().items():
        assert entry.text.endswith("."), name
        assert bool(short_names(entry.name)) == bool(entry.short) or name in ("Adult", "PuLP"), name
        assert not set(short_names(entry.text + entry.short)) - set(glossary()), name


def test_studies_stand_in_the_reading_order_and_unknown_ones_after_them(tmp_path):
    for name in ("zeta", "monotonicity", "alpha", "worked_examples", "data_facts"):
        write(tmp_path, name)
    names = [study.name for study in read_results(tmp_path, LEDGER).studies]
    assert names == ["worked_examples", "data_facts", "monotonicity", "alpha", "zeta"]


def test_a_smoke_run_is_told_on_top_and_in_its_section(html, tmp_path):
    text = Structure(html).text
    assert text.index("Smoke run. Zz hostile ran on a small part") < text.index("claims recomputed")
    assert "Smoke run:" in part(html, "section", 'id="study-zz_hostile"').text
    assert "Smoke run" not in part(html, "section", 'id="study-data_facts"').text
    write(tmp_path, "alpha")
    assert "Smoke run" not in Structure(page(read_results(tmp_path, LEDGER))).text


# ---------------------------------------------------------------------- tables


@given(st.integers(0, 2 * MOST_ROWS))
def test_a_small_table_is_shown_whole_and_a_large_one_by_its_first_rows(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("tables") / "made_up.csv"
    frame = pd.DataFrame({"n": range(rows), "text": [f"row, {n}" for n in range(rows)]})
    frame.to_csv(path, index=False)
    shown = preview(path)
    assert (shown.total, [c.name for c in shown.columns]) == (rows, ["n", "text"])
    assert shown.whole == (rows <= MOST_ROWS)
    assert list(shown.rows) == [(str(n), f"row, {n}") for n in range(len(shown.rows))]
    assert shown.whole or 0 < len(shown.rows) < rows
    assert [c.number for c in shown.columns] == [rows > 0, False]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_decimal_is_shortened_by_less_than_half_a_unit_of_its_last_digit(tmp_path_factory, number):
    path = tmp_path_factory.mktemp("tables") / "made_up.csv"
    path.write_text(f"x\n{number!r}\n", encoding="utf-8")
    (cell,) = preview(path).rows[0]
    unit = Decimal(1).scaleb(Decimal(cell).as_tuple().exponent)
    assert abs(Fraction(cell) - Fraction(repr(number))) <= Fraction(unit) / 2
    assert preview(path).rounded or cell == repr(number)
    assert cell == repr(number) or len(Decimal(cell).as_tuple().digits) >= 4 or abs(number) < 1


@pytest.mark.parametrize("text", ["1/3", "36532775/147522342", "", "yes", "0.25", "12", "1.2.3.45678", "age 0.123456"])
def test_other_cells_stay_as_they_are(tmp_path, text):
    path = tmp_path / "made_up.csv"
    pd.DataFrame({"x": [text], "y": [1]}).to_csv(path, index=False)
    assert preview(path).rows[0][0] == text
    assert not preview(path).rounded


def test_the_page_says_how_many_rows_a_table_has(html):
    text = part(html, "section", 'id="study-data_facts"').text
    assert "data_facts/long.csv : 1000 rows, the first 8 here; decimals are shortened here" in text
    assert "data_facts/wide.csv : 3 rows; decimals are shortened here" in text


# ---------------------------------------------------------------------- the page


def test_nothing_is_fetched_and_nothing_runs(html, results):
    """What is linked besides places of the page are certificates that lie beside it."""
    beside = {f"{path.parent.name}/{address(path.name)}" for path in results.glob("*/*.json")}
    structure = Structure(html)
    assert not re.search(r"https?:|//[a-z]|@import|url\((?!#)", re.sub(r'"data:image[^"]*"', "", html))
    assert not structure.all("script")
    for tag, attributes in structure.elements:
        assert not [name for name in attributes if name.startswith("on")], tag
        for name in ("src", "href", "srcset", "xlink:href"):
            target = attributes.get(name)
            assert target is None or target.startswith(("#", "data:")) or target in beside, (tag, target)


def test_no_two_elements_share_an_id_and_every_link_has_its_target(html):
    structure = Structure(html)
    ids = [attributes["id"] for _, attributes in structure.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = {str(a["href"])[1:] for a in structure.all("a") if str(a["href"]).startswith("#")}
    assert links | {str(a["for"]) for a in structure.all("label")} <= set(ids)


def test_every_certificate_of_a_study_is_linked_under_it(html, results):
    many = 0
    for name in studies_in(results):
        found = part(html, "section", f'id="study-{name}"').all("a")
        linked = {str(a["href"]) for a in found if not str(a["href"]).startswith("#")}
        assert linked == {f"{name}/{address(path.name)}" for path in certificates_of(results / name)}
        many += len(linked)
    assert many == 2


def test_every_study_and_the_claims_are_in_the_contents(html, results):
    targets = {str(a["href"]) for a in part(html, "nav", 'id="contents"').all("a")}
    own = {"#claims", "#glossary", "#made"}
    asked = {*studies_in(results)} | {study.name for study in discover().values() if study.needs}
    assert targets == own | {f"#study-{name}" for name in asked}


def test_hostile_texts_are_shown_as_they_are_and_become_nothing(html):
    text = part(html, "section", 'id="study-zz_hostile"').text
    for cell in HOSTILE:
        assert text.count(plain(cell)) >= 5, cell
    structure = Structure(html)
    assert not structure.all("script")
    assert len(structure.all("img")) == 4
    assert len(structure.all("h1")) == 1


def test_fractions_have_their_decimal_beside_them(tmp_path):
    third = next(c for c in LEDGER.values() if c.stated == "1/3" and c.study)
    write(tmp_path, str(third.study), outcomes={third.id: outcomes_for(str(third.study))[third.id]})
    html = page(read_results(tmp_path, LEDGER))
    assert re.search(r"(1/3 ≈ 0\.3333|22/3 ≈ 7\.333)", row(html, third.id))


# ---------------------------------------------------------------------- old and broken results


def made_up(**changes: str | None) -> Claim:
    claim = Claim(id="XX-1", paper="Li 2007", place="§0", statement="made up", study="worked_examples", stated="3")
    return replace(claim, **changes)


def state_of(results: Path, claim: Claim):
    (answer,) = read_results(results, {claim.id: claim}).answers
    return answer.kind, answer.why


@pytest.fixture
def one_result(tmp_path) -> Path:
    """The result of a claim that states 3 and has no reading: it holds."""
    write(tmp_path, "worked_examples")
    found = {
        "id": "XX-1",
        **dict.fromkeys(COMPARED),
        "stated": "3",
        "why": "",
        "verdict": "holds",
        "kind": "holds",
        "ours": "3",
        "alternatives": {},
        "detail": "",
    }
    (tmp_path / "worked_examples" / "claims.json").write_text(json.dumps([found]), encoding="utf-8")
    seal(tmp_path / "worked_examples")
    return tmp_path


def rewrite(results: Path, **changes: str) -> None:
    path = results / "worked_examples" / "claims.json"
    (found,) = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps([found | changes]), encoding="utf-8")
    seal(path.parent)


def test_a_result_counts_while_its_claim_stands_as_it_was(one_result):
    again = (Kind.WAITS, "waits for the study worked_examples to be run again")
    assert state_of(one_result, made_up()) == (Kind.HOLDS, "")
    assert state_of(one_result, made_up(statement="said better")) == (Kind.HOLDS, "")
    assert state_of(one_result, made_up(stated="4")) == again
    assert state_of(one_result, made_up(stated=None)) == again
    assert state_of(one_result, made_up(reading="r")) == again
    assert state_of(one_result, made_up(id="XX-2")) == again
    assert state_of(one_result, made_up(study="other")) == (Kind.WAITS, "waits for the study other to be run")
    assert state_of(one_result, made_up(study=None, unchecked="no data")) == (Kind.UNCHECKABLE, "no data")
    assert state_of(one_result, made_up(theorem="A.b")) == again
    rewrite(one_result, kind="holds under a reading", reading="r", why="r")
    assert state_of(one_result, made_up(reading="r")) == (Kind.READ, "r")
    assert state_of(one_result, made_up(reading="s")) == again
    assert state_of(one_result, made_up()) == again
    rewrite(one_result, kind="does not hold", why="a")
    assert state_of(one_result, made_up(reading="r")) == (Kind.FAILS, "a")
    rewrite(one_result, kind="does not hold", why="")
    assert state_of(one_result, made_up(reading="r")) == (Kind.FAILS, "")


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("claims.json", "[3]"),
        ("claims.json", '[{"id": "XX-1"}]'),
        ("claims.json", '[{"id": "XX-1", "stated": "3", "kind": "perhaps", "verdict": "perhaps"}]'),
    ],
)
def test_results_that_cannot_be_read_are_refused(one_result, file, content):
    path = one_result / "worked_examples" / file
    path.write_text(content, encoding="utf-8")
    seal(path.parent)
    with pytest.raises(StudyError, match=r"worked_examples cannot be read .* run that study again"):
        read_results(one_result, {"XX-1": made_up()})


@pytest.mark.long
def test_a_figure_or_a_table_that_is_missing_or_no_png_is_refused(tmp_path):
    write(tmp_path, "alpha", figures=[(4, 4, "c")], tables={"t": pd.DataFrame({"x": [1]})})
    (tmp_path / "alpha" / "figure_0.png").write_bytes(b"GIF89a")
    seal(tmp_path / "alpha")
    with pytest.raises(StudyError, match="not a PNG file"):
        page(read_results(tmp_path, LEDGER))
    for file in ("figure_0.png", "t.csv", "claims.json", "provenance.json"):
        write(tmp_path, "alpha", figures=[(4, 4, "c")], tables={"t": pd.DataFrame({"x": [1]})})
        (tmp_path / "alpha" / file).unlink()
        found = read_results(tmp_path, LEDGER)
        assert not found.studies
        assert found.without == ({"alpha": f"{file} is missing"} if file != "provenance.json" else {})


def test_no_results_are_an_error_and_write_nothing(tmp_path):
    with pytest.raises(StudyError, match="no study has results"):
        write_and_print(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.long
def test_the_report_is_written_and_its_path_and_every_result_printed(results, capsys):
    write_and_print(results)
    target = results / "report.html"
    printed = capsys.readouterr().out
    target_text = target.read_text(encoding="utf-8")
    target.unlink()
    assert printed.splitlines()[-1] == f"report: {target}"
    assert target_text == page(read_results(results, LEDGER))
    for study in ("worked_examples", "data_facts"):
        for claim in claims_of(results, study):
            assert re.search(rf"│ {claim['id']} +│.*{re.escape(claim['kind'])}", printed), claim["id"]
