"""``tcloseness verify``: a certificate is believed only if every line of it holds."""

from __future__ import annotations

import json

import pytest

from proofs_tests.cli.commands import run
from tcloseness.transport.certificate import _digest

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
    assert from_stdin.out.startswith("-: holds: EMD(P, Q) = 3/8 = 0.375")
    for shown in ("1/2, 1/2, 0", "1/4, 1/4, 1/2", "ordered, m = 3"):
        assert shown in from_file.out


def test_a_changed_digit_anywhere_makes_a_certificate_fail(certificate):
    text = certificate.read_text(encoding="utf-8")
    places = [i for i, character in enumerate(text) if character.isdigit()]
    assert len(places) > 40
    for i in places:
        changed = text[:i] + str((int(text[i]) + 1) % 10) + text[i + 1 :]
        answer = run("verify", "-", stdin=changed.encode())
        assert answer.code == 1, changed[max(0, i - 20) : i + 20]
        assert "does not hold" in answer.out


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("emd", "1/4", "costs 3/8, not 1/4"),
        ("u", ["0", "0", "0"], "potentials earn"),
        ("coupling", [[0, 0, "1/2"], [1, 1, "1/2"]], "column sums are not q"),
        ("p", ["1/2", "1/4", "1/4"], "row sums are not p"),
        ("p", ["1/2", "1/2", "1/2"], "sums to 3/2"),
        ("ground", {"name": "unheard of"}, "unknown"),
        ("coupling", [["x", 0, "1/2"]], "cannot be read"),
        ("labels", None, "cannot be read"),
    ],
)
def test_a_false_certificate_fails_even_with_a_matching_digest(certificate, key, value, reason):
    record = json.loads(certificate.read_bytes())
    body = {**record, key: value}
    del body["sha256"]
    answer = run("verify", "-", stdin=json.dumps({**body, "sha256": _digest(body)}).encode())
    assert answer.code == 1
    assert reason in answer.out


def test_of_several_certificates_the_worst_decides(certificate, tmp_path):
    false = tmp_path / "false.json"
    false.write_text(certificate.read_text(encoding="utf-8").replace("3/8", "2/8"), encoding="utf-8")
    absent = str(tmp_path / "absent.json")
    assert run("verify", str(certificate), str(certificate)).code == 0
    assert run("verify", str(certificate), str(false)).code == 1
    answer = run("verify", str(certificate), str(false), absent)
    assert answer.code == 2
    assert [line.split(": ")[1] for line in answer.out.splitlines() if line.startswith(str(tmp_path))] == [
        "holds",
        "does not hold",
    ]
    assert answer.err == f"error: certificate file {absent} cannot be read: No such file or directory\n"


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"[" * 100_000], ids=["empty", "cut", "bytes", "deep"])
def test_what_is_no_json_is_wrong_input(content):
    answer = run("verify", "-", stdin=content)
    assert (answer.code, answer.out) == (2, "")
    assert "is no JSON" in answer.err


@pytest.mark.parametrize("content", [b"[]", b"{}", b"3", b'{"format": "tcloseness-check-1"}'])
def test_json_that_is_no_certificate_proves_nothing(content):
    answer = run("verify", "-", stdin=content)
    assert answer.code == 1
    assert "this is no certificate" in answer.out


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
