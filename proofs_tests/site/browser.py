"""Every page of a folder in Chromium, without a network: what it asks for, what it complains of, what it looks like.

A server on this machine hands out the folder, and a page that opens the others one after the other in a frame of 390
pixels and looks at each (visit.js). Names of other machines lead nowhere, and the policy that the server sends with
each page makes the browser report whatever a page asks of them.
"""

from __future__ import annotations

import json
import subprocess
import threading
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from proofs_tests.chromium import FLAGS, PROGRAM

NETWORK = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
WINDOW = ("--window-size=1300,1000", "--enable-logging=stderr", NETWORK)
POLICY = "default-src 'self' 'unsafe-inline' data: blob:; report-uri /-reports"
NO_COMPLAINT = '"[PST]: '
"""With which the theme's notes begin on what it did: colours chosen, a place scrolled to."""

DRIVER = """<!DOCTYPE html><title>visits</title><iframe style="border: 0; width: 390px; height: 900px"></iframe>
<script src="/-visit.js"></script>"""


@dataclass
class Visits:
    """What was seen: by page the answers of visit.js, and what came to the server and to the console."""

    pages: dict[str, dict[str, Any]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)

    def faults(self, kind: str) -> dict[str, Any]:
        """The pages that have a fault of a kind, with what it is."""
        return {page: found[kind] for page, found in self.pages.items() if found.get(kind)}


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, *given: Any, visits: Visits, pages: list[str], done: threading.Event, **named: Any) -> None:
        self.visits, self.pages, self.done = visits, pages, done
        super().__init__(*given, **named)

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        if self.path.startswith("/_static/"):
            self.send_header("Cache-Control", "max-age=3600")
        super().end_headers()

    def log_message(self, *given: Any) -> None:
        pass

    def _say(self, kind: str, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self) -> None:
        if self.path == "/-driver.html":
            self._say("text/html", DRIVER.encode())
        elif self.path == "/-visit.js":
            self._say("text/javascript", (Path(__file__).parent / "visit.js").read_bytes())
        elif self.path == "/-pages":
            self._say("application/json", json.dumps(self.pages).encode())
        elif self.path == "/favicon.ico":  # which browsers ask for where a page names none
            self._say("image/x-icon", b"")
        else:
            if not Path(self.translate_path(self.path)).exists():
                self.visits.missing.append(f"{self.path} for {self.headers.get('Referer')}")
            super().do_GET()

    def do_POST(self) -> None:
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/-answers":
            self.visits.pages = said
            self.done.set()
        else:
            report = said["csp-report"]
            self.visits.outside.append(f"{report['blocked-uri']} by {report['document-uri']}")
        self._say("text/plain", b"")


def visit(folder: Path, profile: Path, *, seconds: float = 900) -> Visits:
    """Open every page of a folder."""
    pages = [f"/{file.relative_to(folder).as_posix()}" for file in sorted(folder.rglob("*.html"))]
    visits, done = Visits(), threading.Event()
    handler = partial(_Handler, directory=str(folder), visits=visits, pages=pages, done=done)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    log = profile.with_suffix(".log")
    try:
        with log.open("w", encoding="utf-8") as stderr:
            address = f"http://127.0.0.1:{server.server_port}/-driver.html"
            command = [str(PROGRAM), *FLAGS, *WINDOW, f"--user-data-dir={profile}", address]
            browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr)
            try:
                if not done.wait(seconds):
                    raise TimeoutError(f"{len(pages)} pages were not seen within {seconds} seconds")
            finally:
                browser.terminate()
                browser.wait(30)
    finally:
        server.shutdown()
        server.server_close()
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    visits.console = [line for line in lines if "CONSOLE" in line and NO_COMPLAINT not in line]
    return visits
