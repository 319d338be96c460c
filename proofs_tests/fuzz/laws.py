"""What holds for every verb whatever it is asked, and what changes no answer.

Each function draws a case, runs commands in this process, and returns nothing or raises an `AssertionError` that says
what went wrong; a case is known by its number and the seed.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from proofs_tests.cli.commands import COMMAND, Answer, recheck, run, validated
from proofs_tests.fuzz.worlds import World, world
from tcloseness.cli.exit_codes import DONE, FAULT, ROWS, USAGE, VIOLATED

__all__ = ["LAWS", "METHODS", "TASKS"]

METHODS = (
    "mondrian",
    "mondrian-relaxed",
    "datafly",
    "mdav",
    "confidential",
    "swapping",
    "closeness-first",
    "sabre",
    "anatomy",
)
TASKS = ("partition", "cut", "suppression", "hiding")

_BOUNDS = {"--k": ">=", "--distinct-l": ">=", "--frequency-l": ">=", "--alpha": "<=", "--beta": "<="}


@contextlib.contextmanager
def folder_of(*worlds: World) -> Iterator[list[Path]]:
    """Make a folder for each world."""
    with tempfile.TemporaryDirectory() as place:
        folders = []
        for number, one in enumerate(worlds):
            folder = Path(place) / str(number)
            folder.mkdir()
            one.write(folder)
            folders.append(folder)
        yield folders


def asked(folder: Path, verb: Sequence[str], one: World, *options: str) -> Answer:
    """Ask one verb about a world, in its folder."""
    words = ("t.csv", "-q", ",".join(one.quasi_identifiers), "-s", "s", *options, "--format", "json")
    before = os.getcwd()
    os.chdir(folder)
    try:
        return run(*verb, *words)
    finally:
        os.chdir(before)


def ended_well(verb: str, answer: Answer, told: object) -> None:
    """Require what holds for any end: a code of the verb's row, a verdict behind code 1, and words behind any other."""
    assert answer.code in ROWS[verb].meanings, (told, answer)
    assert answer.code != FAULT, (told, answer)
    assert "Traceback" not in answer.whole_err, (told, answer)
    if answer.code in (DONE, VIOLATED) and answer.out:
        record = validated(answer.out)
        assert ROWS[verb].statuses[record["status"]] == answer.code, (told, answer)
    if answer.code == VIOLATED:
        assert answer.out or "error: " in answer.err, (told, answer)
    if answer.code == USAGE:
        assert "error: " in answer.whole_err, (told, answer)
        # a search that found several nodes lists them, and asks which of them to write
        assert answer.out == "" or (verb == "search" and "--node" in answer.whole_err), (told, answer)


# ---------------------------------------------------------------------- check, against plain Python


def check_against_plain_python(random: Random) -> None:
    """A threshold on the value, or one step of 1/1000 beside it, is decided as plain Python decides it."""
    one = world(random)
    ordered = random.random() < 0.5
    ground = "ordered" if ordered else "equal"
    options: list[str] = ["--ground", f"s={ground}", "--order", f"s={','.join(one.order)}"]
    right = []
    chosen = random.sample(["--t", *_BOUNDS], random.randrange(1, 5))
    for option in chosen:
        value = one.value(f"--t {ground}" if option == "--t" else option)
        whole = option in ("--k", "--distinct-l")
        threshold = value + random.choice([-1, 0, 1]) * (Fraction(1) if whole else Fraction(1, 1000))
        if threshold <= 0 or (option in ("--t", "--alpha") and threshold > 1) or (not whole and threshold < 0):
            threshold = value
        if (option == "--frequency-l" and threshold < 1) or threshold <= 0:
            threshold = Fraction(1)
        options += [option, str(threshold)]
        right.append(value >= threshold if _BOUNDS.get(option) == ">=" else value <= threshold)
    with folder_of(one) as (folder,):
        answer = asked(folder, ["check"], one, *options)
    ended_well("check", answer, (one, options))
    assert answer.code == (DONE if all(right) else VIOLATED), (one, options, right, answer)


# ---------------------------------------------------------------------- what changes no answer


def _thresholds(random: Random, one: World) -> list[str]:
    found = random.choice(
        [
            ["--k", str(random.randrange(1, 5))],
            ["--k", "2", "--distinct-l", "2"],
            ["--frequency-l", random.choice(["3/2", "2", "1.2"])],
            ["--entropy-l", random.choice(["1.5", "2"])],
            ["--recursive", random.choice(["2,2", "1/2,1", "3,2"])],
            ["--t", random.choice(["0", "1/4", "0.4", "1"]), "--ground", "s=equal"],
            ["--beta", "1/2"],
            ["--delta", "2"],
        ]
    )
    return list(found)


def _short(name: str, record: Mapping[str, Any]) -> Any:
    """Return what of an answer must not change: all but names of files, and of the classes that happen to be shown."""
    if name == "check":
        models = [result for result in record["summary"] if result["model"] != "k-anonymity" or result["threshold"]]
        return record["status"], [(r["model"], r["value"], r["threshold"], r["status"]) for r in models]
    if name == "search":
        return record["status"], record["found"], record.get("limits")
    if name == "optimal":
        return record["status"], record.get("objective"), record.get("bound")
    return record["status"], record.get("losses"), [verdict["value"] for verdict in record["verdicts"]]


def _verb(random: Random, one: World) -> tuple[str, list[str], list[str], bool]:
    """Draw a verb with its options; and say whether its answer stays when each record is repeated."""
    name = random.choice(["check", "check", "search", "search", "optimal", "anonymize"])
    options = _thresholds(random, one)
    repeats = "--k" not in options and "-" not in options[:1]
    if name == "check":
        return name, ["check"], options, repeats
    if name == "search":
        limit = [] if random.random() < 0.6 else ["--suppression", random.choice(["0.1", "0.3"])]
        wanted = random.choice([[], ["--all"], ["--optimum", "height"], ["--optimum", "dm"]])
        return name, ["search"], ["--hierarchies", "h", *limit, *wanted, *options], repeats and not limit and not wanted
    if name == "optimal":
        task = random.choice(TASKS)
        levels = ["--hierarchies", "h"] if task in ("cut",) or random.random() < 0.5 else []
        if task in ("suppression", "hiding"):
            levels = []
        return name, ["optimal", task], [*levels, *options, "--seed", "5"], False
    method = random.choice(METHODS)
    needs = {"swapping": "--t", "closeness-first": "--t", "sabre": "--t", "anatomy": "--frequency-l"}.get(method)
    if needs == "--t":
        options = ["--t", random.choice(["1/4", "0.4"]), "--ground", "s=equal", "--k", "2"]
    elif needs:
        options = ["--frequency-l", "2"]
    levels = ["--hierarchies", "h"] if method == "datafly" or random.random() < 0.3 else []
    return name, ["anonymize"], ["--method", method, "--seed", "5", *levels, *options], False


def nothing_but_the_table_counts(random: Random) -> None:
    """The order of rows and columns, and the names of values, change no answer; nor do repeated records, of shares."""
    one = world(random)
    name, verb, options, repeats = _verb(random, one)
    forms: dict[str, World] = {
        "as it is": one,
        "rows in another order": one.shuffled(random),
        "columns in another order": one.turned(random),
        "other names": one.renamed(),
    }
    if repeats:
        forms["three times each record"] = one.repeated(3)
    with folder_of(*forms.values()) as folders:
        answers = {
            form: asked(folder, verb, each, *options)
            for (form, each), folder in zip(forms.items(), folders, strict=True)
        }
    told = (one, verb, options)
    for form, answer in answers.items():
        ended_well(name, answer, (told, form))
    first = answers["as it is"]
    for form, answer in answers.items():
        assert answer.code == first.code, (told, form, first, answer)
        if first.out and answer.out:
            assert _short(name, answer.record) == _short(name, first.record), (told, form, first.out, answer.out)


def what_is_written_is_what_was_asked(random: Random) -> None:
    """The table that a command writes satisfies what was asked for, as check finds; a seed writes the same again."""
    one = world(random)
    name, verb, options, _ = _verb(random, one)
    if name == "check":
        return
    if name == "search":
        options = [word for word in options if word != "--all"]
    with folder_of(one, one.shuffled(random)) as folders:
        answers = [asked(folder, verb, one, *options, "--output", "out.csv") for folder in folders]
        for answer in answers:
            ended_well(name, answer, (one, verb, options))
        first, other = folders
        assert (first / "out.csv").exists() == (other / "out.csv").exists(), (one, verb, options, answers)
        if not (first / "out.csv").exists():
            assert set(first.iterdir()) == {first / "t.csv", first / "h"}, (one, verb, options, answers[0])
            return
        assert answers[0].code in (DONE, 3), (one, verb, options, answers[0])
        if name == "anonymize" and "--method" in options:
            assert (first / "out.csv").read_bytes() == (other / "out.csv").read_bytes(), (one, verb, options)
        record = validated((first / "out.json").read_text("utf-8"))
        if record.get("check"):
            again = recheck(record, first)
            assert again.code == DONE, (one, verb, options, record["check"], again)


# ---------------------------------------------------------------------- anything at all

_NONSENSE = (
    "",
    "0",
    "-1",
    "1e400",
    "1/0",
    "nan",
    "٣",
    "1_000",
    "20",
    "20%",
    "½",
    "two",
    "1e-400",
    "9" * 5000,
    "2,2",
    ",",
)


def whatever_is_asked_is_answered_or_refused(random: Random) -> None:
    """Awkward cells, nonsense for thresholds, options that do not belong together: never a fault, never a false end."""
    one = world(random, awkward=True)
    name, verb, options, _ = _verb(random, one)
    pool: list[list[str]] = [
        ["--missing", random.choice(["error", "category", "drop", "perhaps"])],
        ["--missing-text", random.choice(["?", "NA", "*", ""])],
        ["--order", f"s={','.join(one.order)}"],
        ["--domain", f"s={','.join([*one.order, 'z'])}"],
        ["--ground", random.choice(["s=ordered", "s=ordered-by-value", "s=equal", "q0=equal", "s=matrix:t.csv", "s"])],
        ["--separator", random.choice([",", ";", "tab", "ab", '"'])],
        ["--encoding", random.choice(["utf-8", "latin-1", "no-such"])],
        ["--weight", random.choice(["q0", "s", "nobody"])],
        ["--suppressed", "*"],
        ["--numeric", "q0"],
        ["--categorical", "q0"],
        ["--suppress-only", "q0"],
        ["--keep", random.choice(["q0", "s", "none"])],
        ["--merge-spellings", random.choice(["s", "q0"])],
        ["--time-limit", random.choice(["20", "0", "-1", "nan"])],
        ["--memory-limit", random.choice(["1G", "0", "1X"])],
        ["--redact"],
        [random.choice(["--k", "--t", "--entropy-l", "--recursive", "--epsilon", "--delta"]), random.choice(_NONSENSE)],
    ]
    known = {option for parameter in COMMAND.commands[name].params for option in parameter.opts}
    if random.random() < 0.9:  # else also options that the verb does not have
        pool = [extra for extra in pool if extra[0] in known]
    for extra in random.sample(pool, random.randrange(4)):
        options += extra
    written = [["--output", "out.csv"], ["--html", "p.html"], ["--figure", "f.svg"]]
    output = random.choice([[], *(each for each in written if each[0] in known)])
    with folder_of(one) as (folder,):
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        answer = asked(folder, verb, one, *options, *output)
        ended_well(name, answer, (one, verb, options))
        assert {path: path.read_bytes() for path in before} == before, (one, verb, options)
        if answer.code == USAGE:
            assert {path for path in folder.rglob("*") if path.is_file()} == set(before), (one, verb, options, answer)


def distances_are_the_same_for_counts_and_orders(random: Random) -> None:
    """EMD(P, Q) is symmetric, scales with nothing but the masses, and its certificate proves it."""
    m = random.randrange(1, 6)
    p, q = ([random.randrange(5) for _ in range(m)] for _ in range(2))
    p[random.randrange(m)] += 1
    q[random.randrange(m)] += 1
    ground = random.choice(["ordered", "equal"])

    def distance(one: Sequence[int], other: Sequence[int], *more: str) -> Any:
        words = [",".join(map(str, each)) for each in (one, other)]
        answer = run("emd", "--counts", "--p", words[0], "--q", words[1], "--ground", ground, "--format", "json", *more)
        ended_well("emd", Answer(answer.code, "", answer.err, answer.whole_err), (p, q, ground))
        assert answer.code == DONE, (p, q, ground, answer)
        return json.loads(answer.out)["emd"]

    with folder_of(World((), (), (), {}, ())) as (folder,):
        file = str(folder / "proof.json")
        value = distance(p, q, "--certificate", file)
        assert run("verify", file).code == DONE, (p, q, ground)
    times = random.randrange(2, 5)
    assert value == distance(q, p) == distance([times * x for x in p], q), (p, q, ground)
    order = list(reversed(range(m))) if ground == "ordered" else random.sample(range(m), m)
    assert value == distance([p[i] for i in order], [q[i] for i in order]), (p, q, ground, order)


LAWS: dict[str, Callable[[Random], None]] = {
    "check against plain Python": check_against_plain_python,
    "nothing but the table counts": nothing_but_the_table_counts,
    "what is written is what was asked": what_is_written_is_what_was_asked,
    "whatever is asked": whatever_is_asked_is_answered_or_refused,
    "distances": distances_are_the_same_for_counts_and_orders,
}
