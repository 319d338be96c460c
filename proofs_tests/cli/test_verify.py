"""``tcloseness verify``: a certificate is believed only if every line of it holds."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pandas as pd
import pytest

from proofs_tests.cli.commands import LI4, QI, run
from tcloseness.attacks import LinkedRelease, complementary_release_attack
from tcloseness.certificates import TASKS, seal
from tcloseness.certificates.composition import COMPOSITION
from tcloseness.certificates.labels import LABELS
from tcloseness.certificates.redacted import REDACTED
from tcloseness.microdata import FrequencySet

SMALL = ("emd", "--p", "1/2,1/2,0", "--q", "1/4,1/4,1/2", "--ground", "ordered")


@pytest.fixture
def certificate(tmp_path):
    file = tmp_path / "c.json"
    assert run(*SMALL, "--certificate", str(file)).code == 0
    return file


def test_a_certificate_holds_from_a_file_and_from_standard_input(certificate):
    """Prefix differences 1/4 and 1/2 over m − 1 = 2: the EMD is 3/8."""
    from_file = run("verify", str(certificate))
    from_stdin = run("verify", "-", stdin=certificate.read_bytes())
    assert (from_file.code, from_stdin.code) == (0, 0)
    assert from_stdin.out.startswith("-: proved: EMD(P, Q) = 3/8 = 0.375")
    for shown in ("1/2, 1/2, 0", "1/4, 1/4, 1/2", "ordered, m = 3: d(i, j) = |i − j|/2"):
        assert shown in from_file.out


def test_a_changed_digit_anywhere_makes_a_certificate_fail(certificate):
    text = certificate.read_text(encoding="utf-8")
    places = [i for i, character in enumerate(text) if character.isdigit()]
    assert len(places) > 40
    for i in places:
        changed = text[:i] + str((int(text[i]) + 1) % 10) + text[i + 1 :]
        answer = run("verify", "-", stdin=changed.encode())
        assert (answer.code, answer.out) == (2, ""), changed[max(0, i - 20) : i + 20]
        assert "cannot be read" in answer.err


@pytest.mark.parametrize("other", sorted([*TASKS, COMPOSITION, LABELS, REDACTED]))
def test_a_certificate_is_read_by_its_own_format_whatever_else_it_names(certificate, other):
    """A value of the distributions may be written as a format's name."""
    labels = [other, "b", "c"]
    answer = run("verify", "-", "--format", "json", stdin=sealed(certificate, {"labels": labels}))
    assert answer.code == 0, answer.err
    assert answer.record["certificates"][0]["labels"] == labels
    named = json.loads(certificate.read_text(encoding="utf-8")) | {"format": other}
    assert run("verify", "-", stdin=json.dumps(named).encode()).code == 2


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("emd", "1/4", "costs 3/8, not 1/4"),
        ("u", ["0", "0", "0"], "potentials earn"),
        ("coupling", [[0, 0, "1/2"], [1, 1, "1/2"]], "column sums are not q"),
        ("p", ["1/2", "1/4", "1/4"], "row sums are not p"),
        ("p", ["1/2", "1/2", "1/2"], "p is not a distribution"),
        ("coupling", [[0, 0, "1/2"], [3, 1, "1/2"]], "outside the 3 values"),
    ],
)
def test_a_false_certificate_fails_even_with_a_matching_digest(certificate, key, value, reason):
    answer = run("verify", "-", stdin=sealed(certificate, {key: value}))
    assert (answer.code, answer.err) == (1, "")
    assert reason in answer.out


def sealed(certificate, changes):
    """The certificate with changes, and a digest that fits them."""
    body = {**json.loads(certificate.read_bytes()), **changes}
    return json.dumps({**body, "sha256": seal(body)}).encode()


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("ground", {"name": "unheard of"}, "unknown"),
        ("ground", {"name": "ordered", "m": "3"}, "m is '3'; it must be a whole number"),
        ("ground", {"name": "ordered", "m": 4}, "p has 3 entries and the ground distance 4 values"),
        ("coupling", [["x", 0, "1/2"]], "coupling[0][0] is 'x'; it must be a whole number"),
        ("coupling", [[0.9, 0, "1/2"]], "coupling[0][0] is 0.9; it must be a whole number"),
        ("labels", None, "labels is None; it must be a list"),
        ("labels", ["a"], "labels has 1 entries; it must have 3, or none"),
        ("p", ["2/4", "1/2", "0"], "p[0] is '2/4'; it must be a text in lowest terms"),
        ("emd", "٣/8", "it must be a text in lowest terms"),
        ("u", ["0", "0"], "u has 2 entries; it must have 3"),
    ],
)
def test_what_breaks_the_schema_is_wrong_input_whatever_its_digest(certificate, key, value, reason):
    answer = run("verify", "-", stdin=sealed(certificate, {key: value}))
    assert (answer.code, answer.out) == (2, "")
    assert reason in answer.err


def test_of_several_certificates_the_worst_decides(certificate, tmp_path):
    false = tmp_path / "false.json"
    false.write_bytes(sealed(certificate, {"emd": "1/4"}))
    absent = str(tmp_path / "absent.json")
    assert run("verify", str(certificate), str(certificate)).code == 0
    assert run("verify", str(certificate), str(false)).code == 1
    answer = run("verify", str(certificate), str(false), absent)
    assert answer.code == 2
    assert [line.split(": ")[1] for line in answer.out.splitlines() if line.startswith(str(tmp_path))] == [
        "proved",
        "does not hold",
    ]
    assert answer.err == f"error: certificate file {absent} cannot be read: No such file or directory\n"


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"[" * 100_000], ids=["empty", "cut", "bytes", "deep"])
def test_what_is_no_json_is_wrong_input(content):
    answer = run("verify", "-", stdin=content)
    assert (answer.code, answer.out) == (2, "")
    assert "cannot be read" in answer.err


@pytest.mark.parametrize("content", [b"[]", b"{}", b"3", b'{"format": "tcloseness-check-2"}'])
def test_json_that_is_not_a_certificate_proves_and_refutes_nothing(content):
    answer = run("verify", "-", stdin=content)
    assert (answer.code, answer.out) == (2, "")
    assert "this is not a certificate" in answer.err


def test_the_json_says_what_each_certificate_proves(certificate):
    answer = run("verify", str(certificate), "--format", "json")
    (proved,) = answer.record["certificates"]
    assert (answer.code, answer.record["format"], proved["holds"], proved["emd"]) == (
        0,
        "tcloseness-verify-1",
        True,
        "3/8",
    )
    assert (proved["p"], proved["q"]) == (["1/2", "1/2", "0"], ["1/4", "1/4", "1/2"])


# ---------------------------------------------------------------------- what is proved, and what must be

TREES = ("a,A,*\nb,A,*\nc,B,*\nd,B,*\n", "a,A,*\nc,A,*\nb,B,*\nd,B,*\n")


@pytest.fixture
def trees(tmp_path):
    """Two hierarchies over the same four values, and for each the proof of EMD((1/2, 0, 1/2, 0), (0, 1/2, 0, 1/2))."""
    made = []
    for number, tree in enumerate(TREES):
        hierarchy, proof = tmp_path / f"h{number}.csv", tmp_path / f"c{number}.json"
        hierarchy.write_text(tree, encoding="utf-8")
        ask = ("emd", "--p", "1/2,0,1/2,0", "--q", "0,1/2,0,1/2", "--values", "a,b,c,d")
        assert run(*ask, "--ground", f"hierarchical:{hierarchy}", "--certificate", str(proof)).code == 0
        made.append((hierarchy, proof))
    return made


def test_two_proofs_over_different_trees_are_told_apart(trees):
    """One 1/2, one 1, with the same name, the same P and Q and the same number of values."""
    answers = [run("verify", str(proof)) for _, proof in trees]
    assert [answer.code for answer in answers] == [0, 0]
    assert "EMD(P, Q) = 1/2" in answers[0].out
    assert "EMD(P, Q) = 1\n" in answers[1].out
    shown = [" ".join(answer.out.split()) for answer in answers]
    assert "hierarchical, m = 4: a < A < *; b < A < *; c < B < *; d < B < *" in shown[0]
    assert "hierarchical, m = 4: a < A < *; b < B < *; c < A < *; d < B < *" in shown[1]
    records = [run("verify", str(proof), "--format", "json").record["certificates"][0] for _, proof in trees]
    assert records[0]["ground_sha256"] != records[1]["ground_sha256"]
    for answer, record in zip(answers, records, strict=True):
        assert record["ground_sha256"] in answer.out
        assert record["sha256"] in answer.out


def test_emd_prints_the_hash_that_verify_prints(trees):
    hierarchy, proof = trees[0]
    ask = ("emd", "--p", "1,0,0,0", "--q", "0,1,0,0", "--values", "a,b,c,d", "--ground", f"hierarchical:{hierarchy}")
    (record,) = run("verify", str(proof), "--format", "json").record["certificates"]
    assert record["ground_sha256"] in run(*ask).out


def test_a_proof_about_something_else_is_refused_by_naming_it(trees):
    (first, proof), (second, _) = trees
    right = ("--p", "1/2,0,1/2,0", "--q", "0,1/2,0,1/2", "--values", "a,b,c,d", "--ground", f"hierarchical:{first}")
    assert run("verify", str(proof), *right).code == 0
    assert run("verify", str(proof), "--p", "1,0,1,0", "--q", "0,7,0,7", "--counts").code == 0
    for wrong, reason in (
        (("--p", "1,0,0,0"), "its P is 1/2, 0, 1/2, 0, and not 1, 0, 0, 0"),
        (("--q", "1,0,0,0"), "its Q is 0, 1/2, 0, 1/2, and not 1, 0, 0, 0"),
        (("--p", "1/2,1/2"), "its P is"),
        (("--values", "a,b,d,c"), "its values are a, b, c, d, and not a, b, d, c"),
        (("--values", "a,b,c"), "its values are a, b, c, d, and not a, b, c"),
        (("--values", "a,b,c,d", "--ground", f"hierarchical:{second}"), "d(0, 1) = 1/2, and not 1"),
        (("--ground", "ordered"), "d(0, 1) = 1/2, and not 1/3"),
        (("--ground", "equal"), "d(0, 1) = 1/2, and not 1"),
        (("--values", "1,2,5,9", "--ground", "ordered-by-value"), "its values are"),
    ):
        answer = run("verify", str(proof), *wrong)
        assert (answer.code, answer.out) == (2, ""), wrong
        assert reason in answer.err
        assert "is about something else" in answer.err


def test_the_same_distances_by_another_name_are_the_same_statement(certificate, tmp_path):
    """Ordered over three values: 0, 1/2, 1; by value over 1, 2, 3; and as a matrix. Another matrix is another one."""
    (tmp_path / "m.csv").write_text(",a,b,c\na,0,1/2,1\nb,1/2,0,1/2\nc,1,1/2,0\n", encoding="utf-8")
    (tmp_path / "n.csv").write_text(",a,b\na,0,1\nb,1,0\n", encoding="utf-8")
    for ground in (("ordered",), ("ordered-by-value", "--values", "1,2,3"), (f"matrix:{tmp_path / 'm.csv'}",)):
        assert run("verify", str(certificate), "--ground", *ground).code == 0
    assert run("verify", str(certificate), "--ground", "ordered-by-value", "--values", "1,2,4").code == 2
    assert (
        "it has 3 values, and not 2" in run("verify", str(certificate), "--ground", f"matrix:{tmp_path / 'n.csv'}").err
    )


@pytest.mark.parametrize(
    "wrong", [("--p", "1/2,x,1/2"), ("--ground", "orderd"), ("--ground", "hierarchical:absent.csv")]
)
def test_a_statement_that_cannot_be_read_is_wrong_usage(certificate, wrong):
    answer = run("verify", str(certificate), *wrong)
    assert (answer.code, answer.out) == (2, "")


def test_names_of_values_cannot_steer_the_terminal(tmp_path):
    file = tmp_path / "c.json"
    ask = ("emd", "--p", "1,0", "--q", "0,1", "--ground", "equal", "--values", "a\x1b[2J,b", "--certificate", str(file))
    assert run(*ask).code == 0
    answer = run("verify", str(file))
    assert answer.code == 0
    assert "\x1b" not in answer.out
    assert "a\\x1b[2J" in answer.out


def test_an_endless_file_is_not_read_to_its_end():
    answer = run("verify", "/dev/zero")
    assert (answer.code, answer.out) == (2, "")
    assert "at most 33,554,432 are read" in answer.err


def test_what_emd_writes_verify_reads_and_what_it_could_not_read_is_not_written(tmp_path):
    """Hierarchies of 100 levels and of 101: the distance is printed in both cases, the file written in one."""
    for levels, code in ((100, 0), (101, 2)):
        hierarchy, proof = tmp_path / f"{levels}.csv", tmp_path / f"{levels}.json"
        above = ",".join(["*"] * (levels - 1))
        hierarchy.write_text(f"a,{above}\nb,{above}\n", encoding="utf-8")
        about = ("--p", "1,0", "--q", "0,1", "--ground", f"hierarchical:{hierarchy}", "--values", "a,b")
        assert run("emd", *about).code == 0
        written = run("emd", *about, "--certificate", str(proof))
        assert (written.code, proof.exists()) == (code, code == 0)
        if code == 0:
            assert run("verify", str(proof), *about).code == 0
        else:
            assert "leave out --certificate" in written.err


def test_what_must_have_been_proved_is_compared_or_refused(tmp_path):
    """Names that a certificate does not give, and --counts without counts."""
    proof = str(tmp_path / "c.json")
    assert run("emd", "--p", "1,0", "--q", "0,1", "--ground", "equal", "--certificate", proof).code == 0
    assert "does not name its values" in run("verify", proof, "--values", "a,b").err
    assert run("verify", proof, "--values", "a,b").code == 2
    assert run("verify", proof, "--values", "a,b", "--ground", "equal").code == 0
    assert run("verify", proof, "--counts").code == 2
    assert run("verify", proof, "--counts", "--p", "7,0").code == 0


# ---------------------------------------------------------------------- certificates about a table


@pytest.fixture(scope="module")
def searched(tmp_path_factory):
    """A table with its hierarchies, and certificates of two searches."""
    folder = tmp_path_factory.mktemp("searched")
    (folder / "table.csv").write_text("zip,sex,disease\n476,f,flu\n477,f,cold\n479,m,flu\n479, m ,flu\n")
    (folder / "h").mkdir()
    (folder / "h" / "zip.csv").write_text("476,47*,*\n477,47*,*\n479,479,*\n")
    search = ["search", folder / "table.csv", "--hierarchies", folder / "h", "-q", "zip,sex", "-s", "disease"]
    search += ["--suppress-only", "sex", "--k", "2"]
    for name, options in (("minimal", ()), ("best", ("--optimum", "gcp", "--counts", folder / "counts.txt"))):
        done = run(*map(str, search), *map(str, options), "--certificate", str(folder / f"{name}.json"))
        assert done.code == 0, done.out
    return folder, search


@pytest.mark.parametrize("table", ["table.csv", "counts.txt"])
def test_a_search_is_proved_from_its_files(searched, table):
    folder, _ = searched
    files = [folder / "minimal.json", folder / "best.json"]
    asked = ["verify", *files, "--table", folder / table, "--hierarchies", folder / "h"]
    done = run(*map(str, asked))
    assert done.code == 0, done.out
    assert done.out.count(": proved of ") == 2
    assert ("this very file" in done.out) == (table == "table.csv")
    assert "at least 2 records" in done.out
    records = run(*map(str, asked), "--format", "json").record["certificates"]
    assert [record["of_this_file"] for record in records] == [table == "table.csv"] * 2
    assert records[1]["found"].endswith("gcp = 1/6")


def test_a_hierarchy_is_named_by_itself_too(searched):
    folder, _ = searched
    named = f"zip={folder / 'h' / 'zip.csv'}"
    done = run("verify", str(folder / "best.json"), "--table", str(folder / "table.csv"), "--hierarchy", named)
    assert done.code == 0, done.out


def test_a_certificate_of_another_table_or_without_one_is_no_verdict(searched, tmp_path):
    folder, _ = searched
    other = tmp_path / "other.csv"
    other.write_text((folder / "table.csv").read_text().replace("cold", "flu"))
    hierarchies = ["--hierarchies", folder / "h"]
    for words, told in (
        (["--table", other, *hierarchies], "another table"),
        (["--table", tmp_path / "none.csv", *hierarchies], "cannot be read"),
        (["--table", folder / "table.csv"], "--hierarchies"),
        ([], "give --table"),
        (["--table", folder / "table.csv", *hierarchies, "--p", "1,0"], "--p would not be used; leave it out"),
    ):
        done = run("verify", str(folder / "best.json"), *map(str, words))
        assert done.code == 2, done.out
        assert told in done.err


def test_what_a_certificate_assumes_is_printed_whatever_it_is(searched, tmp_path):
    """Which hierarchy was left out, and the order of the values, are chosen by who writes a certificate."""
    folder, search = searched
    file = tmp_path / "c.json"
    ordered = ["--t", "1", "--ground", "disease=ordered", "--order", "disease=flu,cold", "--certificate", file]
    done = run(*map(str, [*search, *ordered]))
    assert done.code == 0, done.err
    asked = ["verify", file, "--table", folder / "table.csv", "--hierarchies", folder / "h"]
    done = run(*map(str, asked))
    assert done.code == 0, done.err
    shown = " ".join(done.out.split())
    assert "ordered distance over text:flu, text:cold" in shown
    assert "zip, sex (as it is, or nothing)" in shown
    record = run(*map(str, asked), "--format", "json").record["certificates"][0]
    assert [name for name, digest in record["hierarchies"].items() if digest is None] == ["sex"]


@pytest.mark.parametrize("name", ["../h/zip", "/etc/zip", "a" * 300, "", "a\0"])
def test_no_name_in_a_certificate_leads_out_of_the_folder(searched, tmp_path, name):
    folder, _ = searched
    record = json.loads((folder / "minimal.json").read_text())
    record["table"]["quasi_identifiers"][0] = name
    record["hierarchies"] = {name: record["hierarchies"]["zip"], "sex": None}
    record["sha256"] = seal(record)
    file = tmp_path / "c.json"
    file.write_text(json.dumps(record))
    done = run("verify", str(file), "--table", str(folder / "table.csv"), "--hierarchies", str(folder / "h"))
    assert (done.code, done.out) == (2, "")
    assert "cannot be the name of a file" in done.err


def test_a_false_certificate_is_refuted(searched, tmp_path):
    folder, _ = searched
    record = json.loads((folder / "minimal.json").read_text())
    for change in ([], [[0, 0]], [*record["proof"]["minimal"], [2, 1]]):
        false = {**record, "proof": {**record["proof"], "minimal": change}}
        false["sha256"] = seal(false)
        file = tmp_path / "false.json"
        file.write_text(json.dumps(false))
        done = run("verify", str(file), "--table", str(folder / "table.csv"), "--hierarchies", str(folder / "h"))
        assert done.code == 1, done.out
        assert "does not hold" in done.out


def test_a_search_under_a_limit_and_a_loss_of_classes_are_proved(searched, tmp_path):
    folder, search = searched
    for number, options in enumerate(([], ["--optimum", "dm"], ["--optimum", "gcp"])):
        file = tmp_path / f"{number}.json"
        done = run(*map(str, search), *options, "--suppression", "0.5", "--certificate", str(file))
        assert done.code == 0, done.err
        done = run("verify", str(file), "--table", str(folder / "table.csv"), "--hierarchies", str(folder / "h"))
        assert done.code == 0, done.out
        assert "at most 2 of 4 records suppressed" in done.out


def test_what_is_not_certified_says_so_and_writes_nothing(searched, tmp_path):
    _, search = searched
    file = tmp_path / "c.json"
    for options in (["--delta", "2"], ["--enhanced-beta", "1"]):
        done = run(*map(str, search), *map(str, options), "--certificate", str(file))
        assert done.code == 2, done.out
        assert "not certified" in done.err
        assert not file.exists()


RELEASES = (
    "id,age,disease\n1,2*,ulcer\n2,2*,gastritis\n3,2*,cancer\n7,3*,bronchitis\n8,3*,pneumonia\n9,3*,cancer\n",
    "id,zip,disease\n1,47*,ulcer\n3,47*,cancer\n8,47*,pneumonia\n2,48*,gastritis\n7,48*,bronchitis\n9,48*,cancer\n",
)
"""Two releases of six people, who are named by a column that is not published."""


@pytest.fixture
def composed(tmp_path):
    """The files of two releases, and the certificate of what they give away together."""
    linked, files = [], []
    for number, content in enumerate(RELEASES):
        rows = pd.read_csv(io.StringIO(content))
        column = rows.columns[1]
        public = rows.drop(columns="id")
        counts = FrequencySet.from_frame(public, quasi_identifiers=column, sensitive="disease").class_counts()
        linked.append(LinkedRelease(counts, dict(zip(rows["id"], rows[column], strict=True))))
        files.append(tmp_path / f"release_{number}.csv")
        public.sample(frac=1, random_state=number).to_csv(files[-1], index=False)
    certificate = tmp_path / "together.json"
    certificate.write_text(complementary_release_attack(linked).certificate())
    return certificate, *files


def test_what_two_releases_give_away_is_proved_from_their_files(composed):
    certificate, first, second = map(str, composed)
    asked = ["verify", certificate, "--table", first, "--with", second]
    done = run(*asked)
    assert done.code == 0, done.out
    assert "the value of 2 persons of 6, in 2 of 4 combinations" in " ".join(done.out.split())
    (record,) = run(*asked, "--format", "json").record["certificates"]
    assert record["holds"]
    assert record["format"] == "tcloseness-composition-certificate-1"


def test_a_certificate_of_two_releases_needs_both_and_no_other(composed, searched):
    certificate, first, second = map(str, composed)
    folder, _ = searched
    for words, told in (
        ([], "give --table, and --with"),
        (["--table", first], "give --table, and --with"),
        (["--table", second, "--with", first], "the table has 0 columns named"),
        (["--table", first, "--with", second, "--with", second], "about 2 releases, and 3 are given"),
        (["--table", first, "--with", second, "--trust", "m:f"], "--trust would not be used"),
        (["--table", first, "--with", second, "--p", "1"], "--p would not be used; leave it out"),
    ):
        done = run("verify", certificate, *words)
        assert done.code == 2
        assert told in " ".join(done.err.split())
    emd = folder / "emd.json"
    run(*SMALL, "--certificate", str(emd))
    withheld = folder / "withheld.json"
    checked = ["check", str(folder / "table.csv"), "-q", "zip,sex", "-s", "disease", "--k", "1", "--redact"]
    run(*checked, "--certificate", str(withheld))
    for file, *words in (
        (folder / "best.json", "--table", str(folder / "table.csv")),
        (emd,),
        (withheld,),
    ):
        one = run("verify", str(file), *words, "--with", second)
        assert one.code == 2
        assert "--with would not be used; leave it out" in " ".join(one.err.split())


def test_a_false_statement_of_two_releases_is_refuted(composed):
    certificate, first, second = composed
    record = json.loads(certificate.read_text())
    record["facts"][0]["sums"][0][-1] = "0"
    record["sha256"] = seal(record)
    certificate.write_text(json.dumps(record))
    done = run("verify", str(certificate), "--table", str(first), "--with", str(second))
    assert done.code == 1
    assert "does not hold: facts[0] is not proved" in " ".join(done.out.split())


def test_the_first_line_says_of_which_file_what_holds_and_what_does_not(tmp_path):
    """Li et al. 2007, Table 4: three classes of 3 records, and t = 3/8 by the ordered distance."""
    proof, copy = tmp_path / "audit.json", tmp_path / "copy.csv"
    copy.write_text(Path(LI4).read_text(encoding="utf-8") + "\n", encoding="utf-8")
    for k, t, said in (
        ("3", "3/8", "each of its 3 classes meets what is asked: at least 3 records, EMD ≤ 3/8 by the ordered"),
        ("4", "3/8", "meets what is asked: EMD ≤ 3/8 by the ordered distance; not each meets: at least 4 records"),
        ("4", "0.3", "not each of its 3 classes meets what is asked: at least 4 records, EMD ≤ 3/10 by the ordered"),
    ):
        run("check", LI4, *QI, "-s", "Salary", "--ground", "ordered", "--k", k, "--t", t, "--certificate", str(proof))
        for table, of in ((LI4, "the file that was certified"), (copy, "which has the counts that were certified")):
            first = run("verify", str(proof), "--table", str(table)).out.splitlines()[0]
            assert first.startswith(f"{proof}: proved of {Path(table).name}, {of}: "), first
            assert said in first
        proof.unlink()


USED = {
    "emd": {"--p", "--q", "--ground", "--values"},
    "table": {"--table", "--hierarchies", "--hierarchy", "--trust", "--checker"},
    "withheld": {"--table", "--salt"},
    "releases": {"--table", "--with", "--checker"},
    "labels": {"--table", "--hierarchies", "--hierarchy"},
    "drawn": {"--table", "--sensitive-table"},
}


@pytest.mark.parametrize("kind", USED)
def test_no_option_is_left_unused_in_silence(kind, searched, composed, tmp_path):
    """Each option that says what some certificate is checked against, given for one of another kind."""
    folder, _ = searched
    table, proof = str(folder / "table.csv"), tmp_path / "c.json"
    if kind == "emd":
        run(*SMALL, "--certificate", str(proof))
    elif kind == "table":
        proof = folder / "best.json"
    elif kind == "withheld":
        run("check", table, "-q", "zip,sex", "-s", "disease", "--k", "1", "--redact", "--certificate", str(proof))
    elif kind == "releases":
        proof = composed[0]
    elif kind == "drawn":
        for name, text in (
            ("q.csv", "age,c\n4,0\n9,1\n10,1\n12,0\n"),
            ("v.csv", "c,s,n\n0,a,1\n0,b,1\n1,b,1\n1,d,1\n"),
        ):
            (tmp_path / name).write_text(text)
        first, second = str(tmp_path / "q.csv"), str(tmp_path / "v.csv")
        asked = (first, "--sensitive-table", second, "-q", "age", "-s", "s", "--level", "code", "--frequency-l", "2")
        assert run("attack", *asked, "--certificate", str(proof)).code == 0
        assert run("verify", str(proof), "--table", first, "--sensitive-table", second).code == 0
    else:
        released = tmp_path / "released.csv"
        released.write_text("age,ill\n3-8,a\n3-8,b\n")
        asked = ("-q", "age", "-s", "ill", "--tight", "age", "--certificate", str(proof))
        assert run("attack", str(released), *asked).code == 0
        done = run("verify", str(proof), "--table", str(released))
        assert (done.code, "proved of released.csv: 2 values of" in " ".join(done.out.split())) == (0, True), done
    values = {"--p": "1,0", "--q": "1,0", "--ground": "equal", "--values": "a,b", "--table": table, "--with": table}
    values |= {"--hierarchies": str(folder / "h"), "--hierarchy": "zip=x", "--trust": "m:f", "--salt": table}
    values |= {"--checker": "extracted", "--sensitive-table": table}
    for option, value in values.items():
        if option not in USED[kind]:
            done = run("verify", str(proof), option, value)
            assert done.code == 2
            assert f"{option} would not be used; leave it out" in " ".join(done.err.split()), option
    both = run("verify", str(proof), *(["--with", table] if kind != "releases" else ["--p", "1,0"]), "--salt", table)
    assert both.code == 2
    assert "leave it out" in both.err or "would not be used; leave them out" in " ".join(both.err.split())


def test_what_is_not_a_certificate_is_not_taken_for_one_about_distributions(tmp_path):
    for text in ("{}", '{"format": "tcloseness-search-1"}', "age\n3\n"):
        (tmp_path / "x.json").write_text(text)
        done = run("verify", str(tmp_path / "x.json"), "--table", "t.csv")
        assert done.code == 2
        assert "would not be used" not in done.err


def test_a_name_of_a_format_among_the_values_is_a_value(tmp_path):
    proof = str(tmp_path / "c.json")
    about = ["--p", "1,0", "--q", "0,1", "--ground", "equal", "--values", "tcloseness-labels-certificate-1,b"]
    assert run("emd", *about, "--certificate", proof).code == 0
    assert run("verify", proof).code == 0
