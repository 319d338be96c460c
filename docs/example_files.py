"""The example files as one archive, which the site offers: a wheel does not bring what the pages read.

``python docs/example_files.py FILE`` writes it. Every file has the place that it has in the project, so that what the
pages run finds it where the archive was unpacked; the table of the first page is beside them.
"""

from __future__ import annotations

import re
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("data/papers", "examples/certificates", "examples/checkers", "examples/harnesses")
"""What is put into it."""

FIRST = "patients.csv"
"""The table of the first page, which prints it."""

_DATE = (2026, 1, 1, 0, 0, 0)


def contents() -> dict[str, bytes]:
    """Return by name what the archive holds."""
    page = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    (table,) = re.findall(rf"Save this as `{re.escape(FIRST)}`.*?```text\n(.*?)```", page, re.DOTALL)
    found = {FIRST: table.encode()}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and not {"__pycache__", "node_modules"} & set(path.parts):
                found[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    return found


def write(file: Path) -> None:
    """Write the archive: the same bytes of the same files."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents().items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
