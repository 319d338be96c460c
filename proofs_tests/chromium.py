"""Chromium for tests: it opens a page without a network, is asked what it shows, and says what it complains of.

The program is spoken to by its own protocol (DevTools) over two pipes, so that a test waits for what it asks for and
never for a time. Skipped where Chromium is not installed, unless TCLOSENESS_REQUIRE_CHROMIUM=1 says that it must be.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

__all__ = ["FLAGS", "MEASURE", "PROGRAM", "Chromium", "browser", "chromium", "fitting", "missing"]

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
NO_NETWORK = "--host-resolver-rules=MAP * ~NOTFOUND"
AT_3_AND_4 = """
import os, sys
heard, said = (os.dup(int(end)) if int(end) in (3, 4) else int(end) for end in sys.argv[1:3])
os.dup2(heard, 3)
os.dup2(said, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Becomes the browser, which hears on file 3 and answers on file 4."""

SECONDS = 120
"""How long a page may take before a test says that it hangs."""

MEASURE = """(() => {
const root = document.documentElement, box = (element) => element.getBoundingClientRect();
const count = (where, what) => [...document.querySelectorAll(where)].filter(what).length;
const outside = (text, svg) => text.left < svg.left - 1 || text.right > svg.right + 1 || text.top < svg.top - 1
  || text.bottom > svg.bottom + 1;
return {
  window: innerWidth,
  beyond: Math.max(0, root.scrollWidth - innerWidth),
  "over the edge": count("main *:not(thead, thead *)", (e) => box(e).right > innerWidth + 0.5),
  "small texts": count("svg text", (e) => box(e).height < 9 && box(e).width > 0),
  "texts cut off": count("svg text", (e) => outside(box(e), box(e.ownerSVGElement))),
};})()"""
"""Asks a page how it fits its window; `fitting` is the answer of one that does."""


def fitting(width: int) -> dict[str, int]:
    """Return what `MEASURE` finds on a page that fits a window of a width."""
    return {"window": width, "beyond": 0, "over the edge": 0, "small texts": 0, "texts cut off": 0}


def missing(what: str, name: str) -> None:
    """Skip the test for what is not on this machine, or fail where the variable `name` says that it must be."""
    if os.environ.get(name) == "1":
        pytest.fail(f"{name}=1, and {what}")
    pytest.skip(what)


class Chromium:
    """A running browser with one page.

    Attributes
    ----------
    console : list of str
        What the page complained of or wrote to its console.
    requested : list of str
        The addresses it asked for, but for its own and those that hold their content (``data:``, ``blob:``).
    """

    def __init__(self, profile: Path) -> None:
        self.console: list[str] = []
        self.requested: list[str] = []
        self._answers: dict[int, dict[str, Any]] = {}
        self._sent, self._loaded, self._rest = 0, False, b""
        heard, self._to = os.pipe()
        self._from, said = os.pipe()
        command = [str(PROGRAM), *FLAGS, NO_NETWORK, "--remote-debugging-pipe", f"--user-data-dir={profile}"]
        through = [sys.executable, "-c", AT_3_AND_4, str(heard), str(said), *command]
        quiet = subprocess.DEVNULL
        self._program = subprocess.Popen(through, stdin=quiet, stdout=quiet, stderr=quiet, pass_fds=(heard, said))
        os.close(heard)
        os.close(said)
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._ask(f"{domain}.enable")

    _session: str | None = None

    def _hear(self) -> None:
        """Take in the next message."""
        while b"\0" not in self._rest:
            if not select.select([self._from], [], [], SECONDS)[0]:
                raise TimeoutError(f"the browser said nothing for {SECONDS} seconds")
            more = os.read(self._from, 1 << 20)
            if not more:
                raise ConnectionError("the browser ended")
            self._rest += more
        message, _, self._rest = self._rest.partition(b"\0")
        said = json.loads(message)
        if "id" in said:
            self._answers[said["id"]] = said
            return
        event, about = said["method"], said.get("params", {})
        if event == "Page.loadEventFired":
            self._loaded = True
        elif event == "Runtime.consoleAPICalled":
            self.console.append(" ".join(str(one.get("value", one.get("description"))) for one in about["args"]))
        elif event == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.console.append(str(details.get("exception", {}).get("description", details["text"])))
        elif event == "Log.entryAdded":
            self.console.append(about["entry"]["text"])
        elif event == "Network.requestWillBeSent":
            address = about["request"]["url"]
            if not address.startswith(("data:", "blob:")) and address != self._address:
                self.requested.append(address)

    def _ask(self, method: str, **given: Any) -> dict[str, Any]:
        self._sent += 1
        message = {"id": self._sent, "method": method, "params": given}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while self._sent not in self._answers:
            self._hear()
        answer = self._answers.pop(self._sent)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        found: dict[str, Any] = answer["result"]
        return found

    _address = "about:blank"

    def open(self, file: Path, *, width: int = 1200, height: int = 900) -> None:
        """Open a file in a window of a size, in CSS pixels, and wait until it and all it names is there."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._ask("Emulation.setDeviceMetricsOverride", **size)
        self._address, self._loaded = file.as_uri(), False
        self.console.clear()
        self.requested.clear()
        self._ask("Page.navigate", url=self._address)
        while not self._loaded:
            self._hear()

    def evaluate(self, expression: str) -> Any:
        """Return what an expression of JavaScript is on the page; of a promise, what it brings."""
        answer = self._ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"].get("exception", {}).get("description")))
        return answer["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until an expression is true on the page."""
        end = time.monotonic() + SECONDS
        while not self.evaluate(f"Boolean({expression})"):
            if time.monotonic() > end:
                raise TimeoutError(f"{expression} was not true within {SECONDS} seconds; the page is\n{self.dom()}")
            time.sleep(0.02)

    def dom(self) -> str:
        """Return the page as it is now."""
        return str(self.evaluate("document.documentElement.outerHTML"))

    def picture(self) -> bytes:
        """Return a PNG of the window."""
        return base64.b64decode(self._ask("Page.captureScreenshot")["data"])

    def paper(self) -> bytes:
        """Return a PDF of the page."""
        return base64.b64decode(self._ask("Page.printToPDF")["data"])

    def close(self) -> None:
        """End the browser."""
        for end in (self._to, self._from):
            os.close(end)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._program.wait(2)
        self._program.kill()
        self._program.wait()


@pytest.fixture(scope="session")
def browser() -> None:
    """There is a browser, or no test is run that needs one."""
    if PROGRAM is None:
        missing("there is no chromium on this machine (Debian: chromium)", "TCLOSENESS_REQUIRE_CHROMIUM")


@pytest.fixture(scope="module")
def chromium(browser: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """A browser for the tests of a module."""
    running = Chromium(tmp_path_factory.mktemp("chromium"))
    try:
        yield running
    finally:
        running.close()
