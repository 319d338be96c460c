"""A report as JUnit XML, for continuous integration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from tcloseness.conformance.judge import FAILURES

__all__ = ["junit_xml"]

_UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 does not allow, even escaped."""


def junit_xml(report: Mapping[str, Any]) -> str:
    """Return a report as JUnit XML: one test suite an algorithm; another convention counts as passed."""
    name = _clean(report["implementation"]["name"])
    tests = report["tests"]
    root = ElementTree.Element("testsuites", {"name": name, **_numbers(tests)})
    for algorithm in report["algorithms"]:
        own = [test for test in tests if test["id"].split("/")[0] == algorithm]
        suite = ElementTree.SubElement(root, "testsuite", {"name": algorithm, **_numbers(own)})
        for test in own:
            case = ElementTree.SubElement(suite, "testcase", classname=f"{name}.{algorithm}", name=test["id"])
            verdict, got = test["verdict"], _clean(test.get("got", ""))
            if verdict == "skipped":
                ElementTree.SubElement(case, "skipped", message=got)
            elif verdict in ("error", "timeout"):
                ElementTree.SubElement(case, "error", type=verdict, message=got)
            elif verdict in FAILURES:
                failure = ElementTree.SubElement(case, "failure", type=verdict, message=f"got {got}")
                failure.text = _clean(f"{test['comment']}\nexpected {test['expected']}\nquestion {test['question']}")
            elif verdict == "other convention":
                ElementTree.SubElement(case, "system-out").text = _clean(
                    f"right under another convention: {', '.join(test['looks_like'])}"
                )
    if report["stopped"]:
        suite = ElementTree.SubElement(root, "testsuite", {"name": "the run", "tests": "1", "errors": "1"})
        case = ElementTree.SubElement(suite, "testcase", classname=name, name="complete")
        ElementTree.SubElement(case, "error", type="incomplete", message=_clean(report["stopped"]))
        for total in ("tests", "errors"):
            root.set(total, str(int(root.get(total, "0")) + 1))
    ElementTree.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _numbers(tests: list[Any]) -> dict[str, str]:
    errors = sum(test["verdict"] in ("error", "timeout") for test in tests)
    failures = sum(test["verdict"] in FAILURES for test in tests) - errors
    skipped = sum(test["verdict"] == "skipped" for test in tests)
    return {"tests": str(len(tests)), "failures": str(failures), "errors": str(errors), "skipped": str(skipped)}


def _clean(text: object) -> str:
    return _UNPRINTABLE.sub("�", str(text))
