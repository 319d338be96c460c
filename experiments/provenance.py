"""Where a result comes from: code, versions, revision, data and machine; never who made it, or in which folder."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import tcloseness
from experiments.datasets import DATASETS, dataset
from experiments.fetching import sha256_of
from tcloseness.worker_pool import processors

__all__ = ["ROOT", "digest", "inputs", "made", "provenance"]

ROOT = Path(__file__).resolve().parent.parent
GRIDS = ROOT / "experiments" / "studies"
DATA = ROOT / "data"
PACKAGES = ("tcloseness", "numpy", "pandas", "networkx", "pulp", "highspy", "numba", "matplotlib")


@cache
def provenance() -> dict[str, Any]:
    """Return what a result was made with: versions, git revision, hashes of data and hierarchies, Python, processor."""
    return {
        "packages": {name: importlib.metadata.version(name) for name in PACKAGES},
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "revision": _revision(),
        "data_sha256": _hashes(_data_files()),
        "hierarchies_sha256": _hashes(_hierarchies()),
    }


def made() -> dict[str, Any]:
    """Return what differs from run to run and from machine to machine: the date, the cores, and all packages."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "cores": processors(),
        "all_packages": dict(_installed()),
    }


@cache
def _installed() -> list[tuple[str, str]]:
    found = {each.name: each.version for each in importlib.metadata.distributions()}
    return sorted(found.items(), key=lambda each: each[0].lower())


def _hashes(paths: list[Path]) -> dict[str, str]:
    return {_name(path): digest(path.read_bytes()) for path in paths}


def inputs(study: str, *, smoke: bool, seed: int, data: Sequence[str] = ()) -> dict[str, Any]:
    """Return all that a study's result may depend on: as long as it is the same, the result is.

    Parameters
    ----------
    study
        Its name.
    smoke, seed
        As for `experiments.runner.run_studies`.
    data
        The data sets that it reads; those beside Adult are inputs of it alone.

    It is the whole code of the package and of the experiments, the study's own grid, the data, the versions of what is
    used, and the machine, since some studies measure time. The revision is not among it: it changes with every word of
    the documentation.
    """
    grid = GRIDS / f"{study}.toml"
    known = provenance()
    own = {path for name in data if name in DATASETS for path in [dataset(name).folder / dataset(name).file]}
    return {
        "smoke": smoke,
        "seed": seed,
        "code_sha256": code_sha256(),
        "grid_sha256": digest(grid.read_bytes()) if grid.exists() else "",
        **{name: value for name, value in known.items() if name != "revision"},
        "data_sha256": known["data_sha256"] | {_name(path): _sha256(path, _state(path)) for path in sorted(own)},
    }


@cache
def code_sha256() -> str:
    """Return a hash over all files of the package, the experiments and the hierarchies; grids have their own."""
    found = []
    for folder in (Path(tcloseness.__file__).parent, ROOT / "experiments"):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and not _is_grid(path):
                found.append(f"{folder.name}/{path.relative_to(folder).as_posix()} {digest(path.read_bytes())}\n")
    found += [f"{path.relative_to(DATA).as_posix()} {digest(path.read_bytes())}\n" for path in _hierarchies()]
    return digest("".join(found).encode())


def _is_grid(path: Path) -> bool:
    return path.parent == GRIDS and path.suffix == ".toml"


def _data_files() -> list[Path]:
    adult = [DATA / "adult" / name for name in ("adult.data", "adult.test")]
    return [*sorted((DATA / "papers").glob("*.csv")), *(path for path in adult if path.exists())]


def _hierarchies() -> list[Path]:
    return sorted(DATA.glob("*/hierarchies/**/*.csv"))


def _state(path: Path) -> tuple[int, int] | None:
    """Return what changes when a file does; None where it is not there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


@lru_cache
def _sha256(path: Path, state: tuple[int, int] | None) -> str:
    """Return the hash of a file that is large and read again and again; nothing where it is not there."""
    return "" if state is None else sha256_of(path)


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def digest(content: bytes) -> str:
    """Return the sha256 of some bytes."""
    return hashlib.sha256(content).hexdigest()


def _revision() -> str:
    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        return git("rev-parse", "HEAD") + (" with uncommitted changes" if git("status", "--porcelain") else "")
    except (OSError, subprocess.CalledProcessError):
        return "not a git checkout"


def _processor() -> str:
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"
