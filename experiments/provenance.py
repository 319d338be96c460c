"""Where a result comes from: versions, revision, data and machine."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["provenance"]

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("tcloseness", "numpy", "pandas", "networkx", "pulp", "highspy", "numba", "matplotlib")


@cache
def provenance() -> dict[str, Any]:
    """Return what a result was made with: package versions, git revision, hashes of the data, Python and processor."""
    return {
        "packages": {name: importlib.metadata.version(name) for name in PACKAGES},
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "revision": _revision(),
        "data_sha256": {path.relative_to(ROOT).as_posix(): _sha256(path) for path in _data_files()},
    }


def _data_files() -> list[Path]:
    adult = [ROOT / "data" / "adult" / name for name in ("adult.data", "adult.test")]
    return [*sorted((ROOT / "data" / "papers").glob("*.csv")), *(path for path in adult if path.exists())]


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


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
