"""The sample, computed in parts that are kept until all are there, so that an interrupted run goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from experiments.studies.hierarchy_sensitivity import counts, universe
from tcloseness.writing import write_files

__all__ = ["Part", "Sample"]

Progress = Callable[[Iterable[None], str, int], Iterator[None]]


@dataclass(frozen=True)
class Part:
    """Some consecutive draws."""

    kind: str
    seed: int
    first: int
    last: int

    def compute(self) -> list[counts.Counts]:
        """Return the counts of each draw."""
        return [counts.counts_of(self.kind, self.seed, number) for number in range(self.first, self.last)]


class Sample:
    """The draws of a seed.

    Parameters
    ----------
    folder
        Where parts are kept. Parts of another seed, or of other code that draws and counts, are never used.
    seed
        The seed of the draws.
    size
        How many draws a part holds.
    """

    def __init__(self, folder: Path, seed: int, size: int) -> None:
        self.seed, self.size = seed, size
        code = b"".join(Path(str(module.__file__)).read_bytes() for module in (universe, counts))
        key = hashlib.sha256(code + f" {seed} {size}".encode()).hexdigest()[:16]
        self.folder = folder / f"parts-{key}"

    def draws(self, kind: str, number: int, progress: Progress, *, workers: int | None = None) -> pd.DataFrame:
        """Return the counts of the first `number` draws of a kind, a row each; parts that are kept are not recomputed.

        Parameters
        ----------
        kind
            ``five`` or ``seven``.
        progress
            Goes through the parts as they are done.
        workers
            How many processes compute; by default one for each processor.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        parts = [Part(kind, self.seed, i, min(i + self.size, number)) for i in range(0, number, self.size)]
        todo = [part for part in parts if not self._path(part).exists()]
        for _ in progress(self._computed(todo, workers or os.cpu_count() or 1), f"{kind} quasi-identifiers", len(todo)):
            pass
        rows = [row for part in parts for row in json.loads(self._path(part).read_text(encoding="utf-8"))]
        return pd.DataFrame({"draw": i, **row} for i, row in enumerate(rows))

    def _computed(self, todo: list[Part], workers: int) -> Iterator[None]:
        if workers == 1 or len(todo) < 2:
            for part in todo:
                self._keep(part, part.compute())
                yield
            return
        with ProcessPoolExecutor(min(workers, len(todo))) as pool:
            try:
                for part, rows in zip(todo, pool.map(Part.compute, todo), strict=True):
                    self._keep(part, rows)
                    yield
            except BaseException:  # an interrupt too: what waits is not begun
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _keep(self, part: Part, rows: list[counts.Counts]) -> None:
        write_files({self._path(part): json.dumps(rows).encode()}, force=True)

    def _path(self, part: Part) -> Path:
        return self.folder / f"{part.kind}-{part.first:06}-{part.last:06}.json"

    def forget(self) -> None:
        """Remove the parts."""
        shutil.rmtree(self.folder, ignore_errors=True)
