"""The Python interpreters that are here, by version: for environments that need another one than the running one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

__all__ = ["pythons"]


def pythons(versions: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return the interpreters, of the given versions, that answer to ``--version``, and the versions without one.

    They are looked for by the name ``python3.N`` on the path, and among what pyenv has installed.
    """
    there, not_there = [], []
    for version in versions:
        installed = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
        places = [f"python{version}", *sorted(map(str, installed.glob(f"{version}.*/bin/python{version}")))]
        found = next((place for place in places if _answers(place, version)), None)
        if found is None:
            not_there.append(f"python{version}")
        else:
            there.append(found)
    return there, not_there


def _answers(interpreter: str, version: str) -> bool:
    try:
        said = subprocess.run([interpreter, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return False
    return said.startswith(f"Python {version}.")
