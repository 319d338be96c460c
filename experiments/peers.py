"""Other implementations: their environments, made on demand, and how their adapters are started.

Each environment is a directory of ``.peers`` with exact versions from ``peers.toml``, made with the Python that is
named there, else with the running one. What cannot be installed here is reported with the reason, and the rest goes on.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from rich.console import Console

from experiments.provenance import ROOT
from experiments.pythons import pythons
from tcloseness.conformance.algorithms import ALGORITHMS
from tcloseness.errors import InputError
from tcloseness.writing import write_files

__all__ = ["ENVIRONMENTS", "Fault", "Peer", "all_peers", "command", "install", "installed"]

ENVIRONMENTS = ROOT / ".peers"
FILE = Path(__file__).with_name("peers.toml")


@dataclass(frozen=True)
class Fault:
    """What is known of an implementation's wrong answers, and which tests it explains."""

    title: str
    cause: str
    algorithms: tuple[str, ...] = ()
    has: tuple[str, ...] = ()
    error: str = ""
    looks_like: tuple[str, ...] = ()
    side: str = ""

    def explains(self, test: dict[str, Any]) -> bool:
        """Say whether it explains a test of a report: all that it names must be there."""
        algorithm = test["id"].split("/")[0]
        return (
            (not self.algorithms or algorithm in self.algorithms)
            and (not self.has or bool(set(self.has) & features(test)))
            and (not self.error or self.error in test["got"])
            and (not self.side or self.side in test["verdict"])
            and (not self.looks_like or bool(set(self.looks_like) & {*test["looks_like"], test["id"].split("/")[1]}))
        )


@dataclass(frozen=True)
class Peer:
    """An implementation: its name, what is installed where, its adapter, and its known faults.

    ``python`` is the version that its environment is made with (``3.13``); empty, that of the running one. Where
    ``alone`` is true, the requirements are installed without what they require in turn.
    """

    name: str
    title: str
    environment: str
    requirements: tuple[str, ...]
    module: str
    arguments: tuple[str, ...]
    use: str
    faults: tuple[Fault, ...]
    python: str = ""
    alone: bool = False

    @property
    def made_with(self) -> str:
        """The version of Python that its environment has."""
        return self.python or f"{sys.version_info.major}.{sys.version_info.minor}"

    @property
    def needs(self) -> frozenset[str]:
        """What its environment must have, the Python among it."""
        return frozenset({*self.requirements, f"python=={self.made_with}"})


def features(test: dict[str, Any]) -> set[str]:
    """Return what a test has that often goes wrong."""
    given = test["question"]["input"]
    if "p" in given:
        return set()
    places = {name: given["columns"].index(name) for name in (*given["quasi_identifiers"], *given["sensitive"])}
    found = {name for name in ("index", "categories") if name in given}
    for role, word in (("quasi_identifiers", "missing key"), ("sensitive", "missing value")):
        if any(row[places[name]] is None for name in given[role] for row in given["rows"]):
            found.add(word)
    if len(given["sensitive"]) > 1:
        found.add("several attributes")
    threshold = ALGORITHMS[test["id"].split("/")[0]].threshold
    value = test["expected"].get("value", "infinite")
    exact = value[0].isdigit() and "^" not in value
    if threshold and exact and Fraction(value) == Fraction(test["question"]["parameters"][threshold]):
        found.add("value at threshold")
    return found


@cache
def all_peers() -> tuple[Peer, ...]:
    """Return the implementations in the order of their file."""
    with FILE.open("rb") as file:
        written = tomllib.load(file)
    return tuple(
        Peer(
            name,
            one["title"],
            one.get("environment", name),
            tuple(one["requirements"]),
            one["module"],
            tuple(one.get("arguments", ())),
            one.get("use", ""),
            tuple(
                _fault({key: tuple(value) if isinstance(value, list) else value for key, value in fault.items()})
                for fault in one.get("fault", ())
            ),
            one.get("python", ""),
            one.get("alone", False),
        )
        for name, one in written.items()
    )


def _fault(written: dict[str, Any]) -> Fault:
    return Fault(**written)


def command(peer: Peer) -> list[str]:
    """Return how the adapter of an installed implementation is started."""
    return [str(_python(peer)), "-m", f"tcloseness.conformance.adapters.{peer.module}", *peer.arguments]


def installed(peer: Peer) -> bool:
    """Say whether the environment has what the implementation needs, in these versions."""
    return peer.needs <= _done(peer) and _python(peer).exists()


def install(peer: Peer) -> str:
    """Make the environment, if it is not there; return why it cannot be made, or nothing."""
    if installed(peer):
        return ""
    folder, done = ENVIRONMENTS / peer.environment, _done(peer)
    together = frozenset().union(*(one.needs for one in all_peers() if one.environment == peer.environment))
    try:
        # made anew if it is not there, or has another Python or another version of something
        if f"python=={peer.made_with}" not in done or not done <= together | peer.needs or not _python(peer).exists():
            there = [sys.executable] if not peer.python else pythons((peer.python,))[0]
            if not there:
                return f"needs Python {peer.python}, which is not here"
            if why := _why_not([there[0], "-m", "venv", "--clear", str(folder)]):
                return why
        pip = [str(_python(peer)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        pip += ["--no-deps"] * peer.alone
        if why := _why_not([*pip, *peer.requirements]):
            return why
        # the adapters are found, and nothing else of this project's environment
        paths = _packages(peer) / "tcloseness_adapters.pth"
        note = json.dumps(sorted(_done(peer) | peer.needs))
        write_files({paths: f"{ROOT / 'research'}\n".encode(), folder / "installed.json": note.encode()}, force=True)
    except (InputError, OSError, subprocess.SubprocessError) as error:
        return f"{type(error).__name__}: {error}"[:300]
    return ""


def _why_not(command: list[str]) -> str:
    """Run a command; return why it failed, if it did: its last error, or its last line."""
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=900)
    if not ended.returncode:
        return ""
    said = [*ended.stdout.splitlines(), *ended.stderr.splitlines()]
    errors = [line for line in said if line.startswith("ERROR")]
    return (errors or said or [f"{command[0]} failed"])[-1][:300]


def _done(peer: Peer) -> frozenset[str]:
    file = ENVIRONMENTS / peer.environment / "installed.json"
    return frozenset(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else frozenset()


def _python(peer: Peer) -> Path:
    return ENVIRONMENTS / peer.environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _packages(peer: Peer) -> Path:
    folder = ENVIRONMENTS / peer.environment
    if os.name == "nt":
        return folder / "Lib" / "site-packages"
    return folder / "lib" / f"python{peer.made_with}" / "site-packages"


def install_all() -> None:
    """Make all environments."""
    console = Console(stderr=True)
    for number, peer in enumerate(all_peers(), 1):
        console.print(f"[dim]{number} of {len(all_peers())}[/dim] {peer.title} …")
        reason = install(peer)
        if reason:
            console.print(f"  not installed: {reason}", markup=False)
