"""Writes and checks the translation of functions of the package to Coq::

    python -m proofs_tests.gallina check             # whether Generated.v is what the code gives; exit status 1 if not
    python -m proofs_tests.gallina write             # writes it; then look at the proofs
    python -m proofs_tests.gallina programs [N [SEED]]      # N random programs, in Python and in Coq
    python -m proofs_tests.gallina faults [FUNCTION …]      # each small fault in a function: whether its proof notices

The last two need the built proofs (``make prove``).
"""

from __future__ import annotations

import sys
from collections import Counter

from proofs_tests.gallina.faults import Workshop, faults
from proofs_tests.gallina.functions import FUNCTIONS, GENERATED, differs, generated
from proofs_tests.gallina.random_programs import drawn
from proofs_tests.gallina.running import failed


def main(words: list[str]) -> int:
    """Run a command; return its exit status."""
    match words:
        case ["check"]:
            if differs(GENERATED.read_text(encoding="utf-8"), generated()):
                print(f"{GENERATED.name} is not what the code gives; write it anew and look at the proofs")
                return 1
        case ["write"]:
            GENERATED.write_text(generated(), encoding="utf-8")
        case ["programs", *numbers] if len(numbers) <= 2 and all(word.isdigit() for word in numbers):
            count, seed = [*map(int, numbers), *(200, 2007)[len(numbers) :]]
            said = failed(drawn(count, seed))
            print(said or f"{count} random programs return in Coq what they return in Python")
            return int(bool(said))
        case ["faults", *names] if set(names) <= {function.name for function in FUNCTIONS}:
            with Workshop() as workshop:
                found: Counter[str] = Counter()
                for function in FUNCTIONS:
                    if not names or function.name in names:
                        for fault in faults(function):
                            outcome = workshop.outcome(fault)
                            found[outcome] += 1
                            print(f"{outcome:14} {function.name}: {fault.words}", flush=True)
            print(", ".join(f"{number} {outcome}" for outcome, number in found.items()))
            return int("accepted" in found)
        case _:
            sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
