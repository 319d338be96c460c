"""What is computed at each point of the space: a sample of points, and a search for a fit.

Both are computed in parts that are kept until all are there, so that an interrupted run goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.studies.fit import counts, targets, universe
from experiments.studies.fit.targets import TARGETS
from tcloseness.worker_pool import how_many
from tcloseness.writing import write_files

__all__ = ["Climb", "Draws", "Kept", "Part"]

Progress = Callable[[Iterable[None], str, int], Iterator[None]]
Rows = list[dict[str, int]]


@dataclass(frozen=True)
class Draws:
    """Some consecutive draws."""

    seed: int
    first: int
    last: int

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"draws-{self.first:06}-{self.last:06}"

    def compute(self) -> Rows:
        """Return the counts of each draw."""
        return [{"draw": number, **counts.counts_of(self.seed, number)} for number in range(self.first, self.last)]


@dataclass(frozen=True)
class Climb:
    """A search for hierarchies under which a target's counts come out.

    It begins at a drawn point. At each try the choice of one attribute is drawn anew; the new point is kept unless it
    is farther from the printed counts (`Target.distance`). It ends when they come out, or after so many tries.

    Attributes
    ----------
    seed
        The seed of all draws.
    target
        The number of the target in `TARGETS`.
    tries
        After how many points it gives up, the first included; none is tried twice.
    """

    seed: int
    target: int
    tries: int

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"climb-{self.target:02}-{self.tries:06}"

    def compute(self) -> Rows:
        """Return the points that it came to, each with the number of its try and its distance: ever nearer ones."""
        target = TARGETS[self.target]
        criteria = [name for name in counts.CRITERIA if f"minimal, {name}" in target.columns]
        sizes = dict(zip(universe.FREE["seven"], universe.sizes("seven"), strict=True))
        rng = np.random.default_rng([self.seed, 1, self.target])

        def distance(place: universe.Place) -> int:
            return target.distance(counts.seven_counts(universe.hierarchies("seven", place), criteria))

        at = universe.draw("seven", rng)
        nearest = distance(at)
        found: Rows = [{"try": 1, "distance": nearest, **at}]
        seen = {tuple(at.values())}
        while nearest and len(seen) < self.tries:
            attribute = list(sizes)[int(rng.integers(len(sizes)))]
            new = at | {attribute: int(rng.integers(sizes[attribute]))}
            if tuple(new.values()) in seen:
                continue
            seen.add(tuple(new.values()))
            reached = distance(new)
            if reached < nearest:
                found.append({"try": len(seen), "distance": reached, **new})
            if reached <= nearest:
                at, nearest = new, reached
        return [*found, {"try": len(seen), "distance": nearest, **at}]


Part = Draws | Climb


class Kept:
    """Parts that are kept until they are not needed any more.

    Parameters
    ----------
    folder
        Where they are kept. Parts of other code that draws and counts, or of another seed, are never used.
    seed
        The seed.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        modules = (universe, counts, targets)
        code = b"".join(Path(str(module.__file__)).read_bytes() for module in modules) + Path(__file__).read_bytes()
        key = hashlib.sha256(code + f" {seed}".encode()).hexdigest()[:16]
        self.folder = folder / f"parts-{key}"

    def rows(self, parts: Sequence[Part], progress: Progress, *, workers: int | None = None) -> list[Rows]:
        """Return what each part computes; parts that are kept are not computed again.

        Parameters
        ----------
        progress
            Goes through the parts as they are done.
        workers
            How many processes compute; by default one for each processor.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        todo = [part for part in parts if not self._path(part).exists()]
        for _ in progress(self._computed(todo, how_many(workers)), "hierarchies", len(todo)):
            pass
        return [json.loads(self._path(part).read_text(encoding="utf-8")) for part in parts]

    def _computed(self, todo: list[Part], workers: int) -> Iterator[None]:
        if workers == 1 or len(todo) < 2:
            for part in todo:
                self._keep(part, part.compute())
                yield
            return
        with ProcessPoolExecutor(min(workers, len(todo))) as pool:
            try:
                for part, rows in zip(todo, pool.map(_compute, todo), strict=True):
                    self._keep(part, rows)
                    yield
            except BaseException:  # an interrupt too: what waits is not begun
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _keep(self, part: Part, rows: Rows) -> None:
        write_files({self._path(part): json.dumps(rows).encode()}, force=True)

    def _path(self, part: Part) -> Path:
        return self.folder / f"{part.name}.json"

    def forget(self) -> None:
        """Remove the parts."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _compute(part: Part) -> Rows:
    return part.compute()
