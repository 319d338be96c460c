"""Where a result comes from: code, versions, revision, data and machine; never who made it, or in which folder."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import tcloseness

__all__ = ["ROOT", "digest", "inputs", "made", "provenance"]

ROOT = Path(__file__).resolve().parent.parent
GRIDS = ROOT / "experiments" / "studies"
HIERARCHIES = ROOT / "data" / "adult" / "hierarchies"
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
        "hierarchies_sha256": _hashes(sorted(HIERARCHIES.rglob("*.csv"))),
    }


def made() -> dict[str, Any]:
    """Return what differs from run to run and from machine to machine: the date, the cores, and all packages."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "all_packages": dict(_installed()),
    }


@cache
def _installed() -> list[tuple[str, str]]:
    found = {each.name: each.version for each in importlib.metadata.distributions()}
    return sorted(found.items(), key=lambda each: each[0].lower())


def _hashes(paths: list[Path]) -> dict[str, str]:
    return {path.relative_to(ROOT).as_posix(): digest(path.read_bytes()) for path in paths}


def inputs(study: str, *, smoke: bool, seed: int) -> dict[str, Any]:
    """Return all that a study's result may depend on: as long as it is the same, the result is.

    It is the whole code of the package and of the experiments, the study's own grid, the data, the versions of what is
    used, and the machine, since some studies measure time. The revision is not among it: it changes with every word of
    the documentation.
    """
    grid = GRIDS / f"{study}.toml"
    return {
        "smoke": smoke,
        "seed": seed,
        "code_sha256": code_sha256(),
        "grid_sha256": digest(grid.read_bytes()) if grid.exists() else "",
        **{name: value for name, value in provenance().items() if name != "revision"},
    }


@cache
def code_sha256() -> str:
    """Return a hash over all files of the package, the experiments and the hierarchies; grids have their own."""
    found = []
    for folder in (Path(tcloseness.__file__).parent, ROOT / "experiments", HIERARCHIES):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and not _is_grid(path):
                found.append(f"{folder.name}/{path.relative_to(folder).as_posix()} {digest(path.read_bytes())}\n")
    return digest("".join(found).encode())


def _is_grid(path: Path) -> bool:
    return path.parent == GRIDS and path.suffix == ".toml"


def _data_files() -> list[Path]:
    adult = [ROOT / "data" / "adult" / name for name in ("adult.data", "adult.test")]
    return [*sorted((ROOT / "data" / "papers").glob("*.csv")), *(path for path in adult if path.exists())]


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
