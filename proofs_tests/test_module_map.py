"""Every module has tests that are found from its name."""

from __future__ import annotations

from proofs_tests.module_map import TESTS, THROUGH, about, reaches, through


def test_every_module_has_a_test_that_takes_from_it_or_is_said_to_reach_it() -> None:
    for module, own in about().items():
        if not own:
            test = through(module)
            assert test is not None, f"no test imports {module}, and none is named like it; write one"
            assert (TESTS / test).is_file(), f"{test} is said to test {module}, and is not there"
            assert reaches(test, module), f"{test} is said to test {module}, and does not come to it"


def test_what_is_said_to_be_tested_is_there() -> None:
    for part in THROUGH:
        assert any(module.startswith(part) for module in about()), f"{part} is not there: take it out of THROUGH"


def test_the_nearest_test_comes_first() -> None:
    assert about()["lattice/search_answer.py"][0] == "lattice/test_search_answer.py"
    assert "attacks/test_bayes.py" in about()["attacks/bayes.py"]  # through the front door, and through the room
    assert "release/test_partition.py" in about()["release/partition.py"]
