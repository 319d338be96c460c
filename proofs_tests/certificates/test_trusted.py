"""A checker of the user's own: named in the certificate with its source, and run only where it is trusted."""

from __future__ import annotations

import importlib.util
import json
import random
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from proofs_tests.certificates.tables import FILES, rolled, table
from proofs_tests.cli.commands import run
from tcloseness.certificates import TASKS, seal, verify
from tcloseness.certificates.conditions import TRUSTED
from tcloseness.errors import CertificateError, CertificateFormatError, NotCertified, ProtocolError
from tcloseness.lattice import RollUp, exhaustive, search_lattice
from tcloseness.loss import GeneralizationHeight
from tcloseness.models import KAnonymity
from tcloseness.models.certified import CertifiedTable, counts_text

SOURCE = '''
from fractions import Fraction

import numpy as np

from tcloseness.exact import Rationals
from tcloseness.models import Monotone
from tcloseness.models.protocol import result


def spread(counts, reference, number):
    """No value has more than `number` times the records of all others of its class, and one more."""
    return all(count <= number * (sum(counts) - count) + 1 for count in counts)


def of_reference(counts, reference, number):
    """Each value of the table has at least so much of its share in the class."""
    return all(
        count * sum(reference) >= number * sum(counts) * whole for count, whole in zip(counts, reference, strict=True)
    )


def odd(counts, reference, number):
    return sum(counts) % 2


def failing(counts, reference, number):
    raise KeyError("nothing")


def outer():
    def inner(counts, reference, number):
        return True

    return inner


class Model:
    monotone = Monotone(generalization=True, suppression=False)

    def __init__(self, function, number):
        self.name, self.checked_by = f"own {number}", (function, number)

    def evaluate(self, classes):
        function, number = self.checked_by
        reference, number = tuple(classes.reference.tolist()), Fraction(number)
        bad = np.array([not function(tuple(classes.vector(g)), reference, number) for g in range(len(classes))])
        return result(
            self, classes, Rationals(bad.astype(np.int64), np.ones(len(bad), dtype=np.int64)), citation="a test",
            parameters={}, threshold=Fraction(0), worst_is="largest",
        )
'''


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module, as one of the user's own."""
    (tmp_path / "mymodels.py").write_text(SOURCE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("mymodels", tmp_path / "mymodels.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "mymodels", module)
    spec.loader.exec_module(module)
    monkeypatch.chdir(tmp_path)
    return module


def trusting(function: Any) -> dict[str, tuple[Any, str]]:
    from tcloseness.models.certified import trusted_function

    name, source = trusted_function(function)
    return {name: (function, source)}


def counts_of(searched: RollUp) -> bytes:
    return counts_text(searched.frequencies, "s").encode()


@pytest.mark.long
def test_a_search_by_a_model_of_ones_own_is_proved_to_whoever_trusts_its_checker(own: Any) -> None:
    draw, nodes, optima = random.Random(1), 0, 0
    for _ in range(25):
        searched = rolled(table(draw))
        model = own.Model(*draw.choice([(own.of_reference, "1/2"), (own.of_reference, "1/3"), (own.of_reference, "0")]))
        asked = model if draw.random() < 0.5 else KAnonymity(2) & model
        truth = exhaustive(searched, asked)
        found = search_lattice(searched, asked, ground="equal")
        least = search_lattice(searched, asked, ground="equal", wanted="optimum", loss=GeneralizationHeight())
        trusted = trusting(model.checked_by[0])
        for answer in (found, least):
            written = answer.certificate().to_json()
            checked = verify(written, counts_of(searched), FILES, trusted=trusted)
            for other in ({}, {"mymodels:odd": trusted["mymodels:of_reference"]}):
                with pytest.raises(CertificateFormatError, match="run only if you trust it"):
                    verify(written, counts_of(searched), FILES, trusted=other)
            record = json.loads(written)
            (condition,) = [each for each in record["model"] if each["condition"] == TRUSTED]
            assert condition["number"] == str(model.checked_by[1])
            nodes += len(truth.minimal)
            optima += "=" in checked.found
        assert found.result is not None
        assert set(found.result.minimal) == set(truth.minimal)
    assert nodes > 20
    assert optima > 10


def test_a_false_answer_is_refused_by_a_trusted_checker_too(own: Any) -> None:
    draw, refused = random.Random(2), 0
    for _ in range(25):
        searched, model = rolled(table(draw)), own.Model(own.of_reference, "1/2")
        record = search_lattice(searched, model, ground="equal").certificate().to_dict()
        truth = exhaustive(searched, model)
        for node in searched.lattice.nodes():
            changed = json.loads(json.dumps(record))
            changed["proof"]["minimal"] = [list(node)]
            changed["sha256"] = seal(changed)
            try:
                verify(json.dumps(changed), counts_of(searched), FILES, trusted=trusting(own.of_reference))
            except CertificateFormatError:
                raise
            except CertificateError:
                refused += 1
                assert set(truth.minimal) != {tuple(node)}
            else:
                assert set(truth.minimal) == {tuple(node)}
    assert refused > 50


def test_another_source_or_what_is_no_checker_is_refused(own: Any, tmp_path: Path) -> None:
    searched, model = rolled(table(random.Random(3))), own.Model(own.of_reference, "1/2")
    written, trusted = (
        search_lattice(searched, model, ground="equal").certificate().to_json(),
        trusting(own.of_reference),
    )
    name = "mymodels:of_reference"
    (tmp_path / "mymodels.py").write_text(SOURCE.replace(">= number", "> number"), encoding="utf-8")
    with pytest.raises(CertificateFormatError, match="source of 'mymodels:of_reference' is another than"):
        verify(written, counts_of(searched), FILES, trusted=trusting(own.of_reference))
    source = trusted[name][1]
    with pytest.raises(CertificateFormatError, match="returns 1; it must return True or False"):
        verify(written, counts_of(searched), FILES, trusted={name: (lambda *_: 1, source)})
    with pytest.raises(CertificateFormatError, match=r"fails by itself .*nothing"):
        verify(written, counts_of(searched), FILES, trusted={name: (own.failing, source)})
    for function in (own.outer(), lambda *_: True, partial(own.of_reference)):
        with pytest.raises(NotCertified, match="not a function of a module with a source"):
            search_lattice(searched, own.Model(function, "1"), ground="equal").certificate()
    bad = own.Model(own.of_reference, "1/2")
    bad.checked_by = own.of_reference
    with pytest.raises(ProtocolError, match="it is a function and a number"):
        CertifiedTable.of(searched.frequencies, "s").sealed("tcloseness-minimal-certificate-1", bad, {})


def test_only_tasks_that_ask_nothing_else_of_a_condition_trust_one(own: Any) -> None:
    """The others bound what a condition asks by its numbers, which nobody knows of a function."""
    searched, model = rolled(table(random.Random(4))), own.Model(own.of_reference, "1/2")
    of_table = CertifiedTable.of(searched.frequencies, "s", searched.lattice.hierarchies)
    assert {task.format.split("-")[1] for task in TASKS.values() if task.trusts} == {"minimal", "optimum", "infeasible"}
    for task in TASKS.values():
        if not task.trusts:
            with pytest.raises(NotCertified, match="decided in searches without suppression alone"):
                of_table.sealed(task.format, model, {})


def test_the_command_runs_a_checker_that_is_named_and_no_other(
    own: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched, model = rolled(table(random.Random(5))), own.Model(own.of_reference, "1/2")
    (tmp_path / "c.json").write_text(search_lattice(searched, model, ground="equal").certificate().to_json())
    (tmp_path / "counts").write_bytes(counts_of(searched))
    for name, content in FILES.values():
        (tmp_path / name).write_bytes(content)
    asked = ("verify", "c.json", "--table", "counts", "--hierarchies", ".")
    monkeypatch.delitem(sys.modules, "mymodels")  # the command imports it anew
    for named in ("mymodels:of_reference", f"{tmp_path / 'mymodels.py'}:of_reference"):
        answer = run(*asked, "--trust", named)
        monkeypatch.delitem(sys.modules, "mymodels")
        assert answer.code == 0
        assert "what mymodels:of_reference says with 1/2, which is trusted (source " in " ".join(answer.out.split())
    refused = run(*asked)
    assert refused.code == 2
    assert "--trust mymodels:of_reference" in refused.err
    other = run(*asked, "--trust", "mymodels:of_reference", "--trust", "mymodels:odd")
    assert other.code == 2
    assert (
        "--trust names mymodels:odd, and the certificate's conditions are decided by mymodels:of_reference" in other.err
    )
    plain = search_lattice(searched, KAnonymity(1), ground="equal").certificate().to_json()
    (tmp_path / "c.json").write_text(plain)
    unasked = run(*asked, "--trust", "mymodels:odd")
    assert unasked.code == 2
    assert "decided by no function of somebody's own" in unasked.err
