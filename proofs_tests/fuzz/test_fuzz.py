"""A little of everything that `make fuzz` tries for as long as one likes, with a fixed seed."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random

import pytest

from proofs_tests.cli.commands import Answer
from proofs_tests.fuzz import laws, processes
from proofs_tests.fuzz.__main__ import KINDS, fuzz, main
from proofs_tests.fuzz.worlds import World, world

CASES = {"distances": 8, "check against plain Python": 15, "whatever is asked": 20}


@pytest.mark.long
@pytest.mark.parametrize("name", laws.LAWS)
def test_a_law_of_every_verb(name: str) -> None:
    for number in range(CASES.get(name, 5)):
        laws.LAWS[name](Random(f"{name} {number}"))


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="signals and forks as on POSIX")
@pytest.mark.parametrize("name", ["a signal at any moment: optimal hiding", "two at a time", "a full disk"])
def test_what_holds_of_processes(name: str) -> None:
    for number in range(2):
        processes.PROCESSES[name](Random(f"{name} {number}"))


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals and forks as on POSIX")
def test_a_study_that_is_ended_goes_on() -> None:
    processes.PROCESSES["a study that is ended"](Random(1))


# ---------------------------------------------------------------------- the fuzz can fail


def test_a_finding_is_reported_with_the_way_to_run_it_again(monkeypatch, capsys) -> None:
    def fails(random: Random) -> None:
        assert random.random() < 0, "never so"

    monkeypatch.setitem(KINDS, "distances", fails)
    assert main(["--seconds", "0", "--only", "distances"]) == 1
    out, err = capsys.readouterr()
    assert "1 finding(s)" in out
    assert "--only 'distances' --case 0" in err
    assert "never so" in err
    assert main(["--only", "distances", "--case", "0"]) == 1
    assert fuzz(0, 1, ["distances"])[0]["distances"] == 1
    assert fuzz(0, 1, ["distances"], each=2)[0]["distances"] == 2


def test_an_interrupt_ends_it_with_what_was_found(monkeypatch) -> None:
    def third(_: Random, seen: list[int] = []) -> None:  # noqa: B006
        seen.append(1)
        if len(seen) == 3:
            raise KeyboardInterrupt

    monkeypatch.setitem(KINDS, "distances", third)
    assert fuzz(60, 1, ["distances"]) == ({"distances": 2}, [])


WRONG: dict[str, Callable[[Answer], Answer]] = {
    "a fault": lambda answer: Answer(70, answer.out, answer.err),
    "a verdict turned round": lambda answer: Answer(1 - answer.code if answer.code < 2 else 0, answer.out, answer.err),
    "a traceback": lambda answer: Answer(answer.code, answer.out, answer.err, "Traceback (most recent call last):"),
    "an answer that is lost": lambda answer: Answer(1, "", ""),
}


def _ten_cases(law: Callable[[Random], None], name: str) -> None:
    for number in range(10):
        law(Random(f"{name} {number}"))


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("name", [name for name in laws.LAWS if name != "distances"])
def test_a_wrong_answer_is_found(monkeypatch, name: str, wrong: str) -> None:
    real = laws.asked
    monkeypatch.setattr(laws, "asked", lambda *words: WRONG[wrong](real(*words)))
    with pytest.raises(AssertionError):
        _ten_cases(laws.LAWS[name], name)


@pytest.mark.long
def test_a_world_is_the_same_in_every_form() -> None:
    for number in range(200):
        random = Random(number)
        one = world(random)
        for option in ("--k", "--alpha", "--distinct-l", "--frequency-l", "--beta", "--t equal", "--t ordered"):
            value = one.value(option)
            assert value == one.shuffled(random).value(option) == one.turned(random).value(option)
            assert value == one.renamed().value(option)
            assert one.repeated(3).value(option) == (3 * value if option == "--k" else value)


def test_the_questions_of_a_world_on_numbers_done_by_hand() -> None:
    rows = tuple({"q0": q, "s": s} for q, s in ("ar", "ar", "as", "bs", "bt"))
    one = World(("q0", "s"), ("q0",), rows, {}, ("r", "s", "t"))
    values = {"--k": "2", "--distinct-l": "2", "--alpha": "2/3", "--frequency-l": "3/2", "--beta": "3/2"}
    assert {option: str(one.value(option)) for option in values} == values
    # q = (2/5, 2/5, 1/5); class b = (0, 1/2, 1/2): equal (1/10 + 3/10 + 2/5) / 2; ordered (2/5 + 3/10) / 2
    assert str(one.value("--t equal")) == "2/5"
    assert str(one.value("--t ordered")) == "7/20"
