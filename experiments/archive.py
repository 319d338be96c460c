"""The folder of results as something to deposit: with the PDF, the licence, the citation, where the data are, hashes.

``SHA256SUMS`` names every other file, in the form that ``sha256sum --check`` reads. Two runs with the same code, data
and versions leave the same files but for those that `experiments.kept.varies` names.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from experiments.datasets import DATA, DATASETS, title
from experiments.kept import CHECKSUMS, PRINTED, PROVENANCE, UNFINISHED, json_text, read, why_not
from experiments.provenance import ROOT, digest, made, provenance
from experiments.report.words import TITLE, citation, licence
from tcloseness import __version__
from tcloseness.errors import StudyError
from tcloseness.writing import lock, write_files

__all__ = ["BROWSERS", "archive", "checksums", "printed"]

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""What prints the page, by the names of its command; the first that is there."""

_SECONDS = 180

COPIED = ("LICENSE", "CITATION.cff")


def archive(results: Path) -> list[str]:
    """Put beside the results what a deposit needs, and return what was done, in sentences.

    Raises
    ------
    StudyError
        If the report has not been written since the last study was, if a study has no whole result, or if another
        process uses the folder.
    """
    if not (results / "report.html").is_file():
        raise StudyError(f"there is no report in {results.name}; run 'python -m experiments report' first")
    with lock(results):
        if lacking := [f"{folder.name} ({why})" for folder in _studies(results) if (why := why_not(folder))]:
            raise StudyError(f"no whole result: {', '.join(lacking)}; run 'python -m experiments run' first")
        content, said = printed(results / "report.html")
        files = {results / name: (ROOT / name).read_bytes() for name in COPIED}
        files |= {
            results / "README.md": _readme(results).encode(),
            results / PROVENANCE: json_text(_provenance(results)),
        }
        if content:
            files[results / PRINTED] = content
        else:
            (results / PRINTED).unlink(missing_ok=True)  # it would be of an earlier page
        write_files(files, force=True)
        sums = checksums(results)
        write_files({results / CHECKSUMS: sums}, force=True)
    return [said, f"{CHECKSUMS}: {len(sums.splitlines()):,} files; check them with 'sha256sum --check {CHECKSUMS}'"]


def checksums(results: Path) -> bytes:
    """Return the sha256 of every file of a folder but the list itself and hidden ones, as ``sha256sum`` writes them."""
    paths = [path for path in results.rglob("*") if path.is_file() and path != results / CHECKSUMS]
    names = sorted((path.relative_to(results).as_posix(), path) for path in paths)
    shown = [(name, path) for name, path in names if not any(part.startswith(".") for part in Path(name).parts)]
    return "".join(f"{digest(path.read_bytes())}  {name}\n" for name, path in shown).encode()


def printed(page: Path, browsers: Sequence[str] = BROWSERS) -> tuple[bytes, str]:
    """Return a page as a PDF, printed by Chromium, and what was done; no bytes where there is none or it fails."""
    browser = next(filter(None, map(shutil.which, browsers)), None)
    if browser is None:
        return b"", f"{PRINTED} was not made: there is no Chromium here ({', '.join(browsers)})"
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "page.pdf")
        command = [
            browser,
            "--headless",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={folder}/profile",
            "--no-pdf-header-footer",
            f"--print-to-pdf={target}",
            page.resolve().as_uri(),
        ]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.insert(1, "--no-sandbox")  # Chromium has none for root
        try:
            subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True)
            content = target.read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            return b"", f"{PRINTED} was not made: {browser} failed ({type(error).__name__})"
    return content, f"{PRINTED} was printed from the page ({len(content):,} bytes)"


def _studies(results: Path) -> list[Path]:
    return sorted({path.parent for name in (PROVENANCE, UNFINISHED) for path in results.glob(f"*/{name}")})


def _provenance(results: Path) -> dict[str, object]:
    """Return what the whole folder was made with, and when and how long each study ran."""
    studies: dict[str, object] = {}
    for folder in _studies(results):
        record, _ = read(folder)
        studies[folder.name] = {key: record.get(key) for key in ("date", "seconds", "revision", "smoke", "seeds")}
    return {"title": TITLE, "version": __version__, "licence": licence(), **made(), **provenance(), "studies": studies}


def _licence_of(name: str) -> str:
    """Return what a data set's card says of its licence."""
    text = (DATA / name / "README.md").read_text(encoding="utf-8")
    own = re.search(r"^## Licence\n\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if own is None:
        raise StudyError(f"data/{name}/README.md has no section 'Licence'; the archive quotes it")
    return own[1].strip()


def _data_of(results: Path) -> list[str]:
    """Return the data sets that the studies have read, Adult first."""
    read_by = [name for folder in _studies(results) for name in read(folder)[0]["data"]]
    return sorted({"adult", *read_by}, key=["adult", *DATASETS].index)


def _readme(results: Path) -> str:
    sets = _data_of(results)
    licences = "\n\n".join(f"**{title(name)}.** {_licence_of(name)}" for name in sets)
    more = " --all" if len(sets) > 1 else ""
    command = "reproduce-all" if any(read(folder)[0]["needs"] for folder in _studies(results)) else "reproduce"
    studies = "\n".join(f"- `{folder.name}/`" for folder in _studies(results))
    return f"""# {TITLE}

{citation()}

- `report.html`: all results as one page that needs nothing else; `{PRINTED}`: the same, printed, where there was a
  Chromium; `article.md`: the same as an article.
- `claims.csv`: every claim of the papers, with what we compute and the verdict.
- A folder for each study: its tables (CSV), figures, `claims.json`, and `{PROVENANCE}` with date, seeds, versions and
  the hashes of its files. Tables whose names end with `_times.csv` hold seconds.
- `{PROVENANCE}`: date, machine, all packages with their versions, hashes of the data and of the hierarchies.
- `LICENSE`, `CITATION.cff`: the licence of these results and of the software that made them, and how to cite them.
- `{CHECKSUMS}`: `sha256sum --check {CHECKSUMS}` checks that all files are as they were written.

All of it is made anew by `make {command}` in a copy of the software of this version. Two runs with the same code,
data and versions write the same bytes, except tables of times, `{PROVENANCE}`, `last_run.json`, `{PRINTED}` and
`{CHECKSUMS}`; `python -m experiments compare FOLDER FOLDER` compares two of them.

## Studies

{studies}

## Data

The tables that the papers print are part of the software (`data/papers/`). The other data are fetched by
`python -m experiments data{more}`, which checks their hashes; they are not in this folder. The counts beside
certificates (`*.counts.txt`) are made from them, and stand under their terms.

{licences}
"""
