"""Put the page together that checks certificates in a browser: ``python -m proofs_tests.coq.page FILE``."""

from __future__ import annotations

import base64
import hashlib
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKERS = HERE.parents[2] / "examples" / "checkers"


def script() -> str:
    """Return the modules as one: those that read files, which another checker has too, and that of the page."""
    parts = [CHECKERS / "forms.mjs", CHECKERS / "reading.mjs", HERE / "page.mjs"]
    text = "\n".join(part.read_text(encoding="utf-8") for part in parts)
    return re.sub(r"^export (?=\w)", "", re.sub(r"^import .*\n", "", text, flags=re.M), flags=re.M)


def page(program: str) -> str:
    """Return the page with a program, whose two scripts alone may run."""
    program, own = f"\n{program}\n", f"\n{script()}\n"
    for text in (program, own):
        if re.search(r"</script|<!--", text, flags=re.I):
            raise ValueError("a script holds what would end it")
    sums = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (program, own)]
    head, between, tail = (HERE / "page.html").read_text(encoding="utf-8").partition("<script>PROGRAM</script>")
    assert between
    head = head.replace("POLICY", " ".join(f"'sha256-{one}'" for one in sums))
    return f"{head}<script>{program}</script>{tail.replace('SCRIPT', own)}"


if __name__ == "__main__":
    (HERE.parent / "driver" / "page.js").exists() or sys.exit(
        "there is no driver/page.js; make -C proofs_tests/coq page"
    )
    made = page((HERE.parent / "driver" / "page.js").read_text(encoding="utf-8"))
    Path(sys.argv[1]).write_text(made, encoding="utf-8")
