"""A bar is shown on a terminal, and nothing is written elsewhere."""

from __future__ import annotations

import io
import sys

import pytest

from tcloseness.progress import progress_bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_is_shown_where_standard_error_is_not_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    with progress_bar() as tell:
        assert tell is None
    assert written.getvalue() == ""


def test_a_terminal_shows_what_is_done_and_of_how_much(monkeypatch: pytest.MonkeyPatch) -> None:
    written = Terminal()
    monkeypatch.setattr(sys, "stderr", written)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar() as tell:
        assert tell is not None
        tell("sweeping", 3, 7)
    assert "sweeping" in written.getvalue()
    assert "3/7" in written.getvalue()
