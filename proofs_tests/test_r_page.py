"""The page for users of R: its program runs in R, and prints what the page says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "r.md"
BLOCKS = re.findall(r"```r\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)


def has_reticulate() -> bool:
    asked = ["Rscript", "-e", "quit(status = !requireNamespace('reticulate', quietly = TRUE))"]
    return (
        shutil.which("Rscript") is not None and subprocess.run(asked, check=False, capture_output=True).returncode == 0
    )


@pytest.mark.slow
def test_the_program_of_the_page_prints_what_the_page_says(tmp_path: Path) -> None:
    if not os.environ.get("TCLOSENESS_REQUIRE_R") and not has_reticulate():
        pytest.skip("R with reticulate is not here (Debian: r-base-core, r-cran-reticulate)")
    program = tmp_path / "page.R"
    code = "".join(line for block in BLOCKS for line in block.splitlines(keepends=True) if not line.startswith("#>"))
    program.write_text(code.replace("env/bin/python", sys.executable), encoding="utf-8")
    package = str(ROOT / "research")
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", f"source({str(program)!r}, echo = FALSE, print.eval = TRUE)"],
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": package, "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    said = [line[3:] for block in BLOCKS for line in block.splitlines() if line.startswith("#>")]
    assert done.stdout.splitlines() == said
    assert len(said) == 8
