"""A harness of k-anonymity that breaks the protocol, the pipes and itself, as its arguments say.

``faulty_harness.py FAULT…``: question 2, 4, 6 … meets the first, second, third … fault; the others are answered
rightly.
``faulty_harness.py --at PHASE FAULT``: the fault comes at ``start``, at ``always`` (every question) or at ``stop``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from proofs_tests.conformance.bad_harness import measured

ANSI = "\x1b[2J\x1b[31mred\x07\x9b\u202e\ufffe\x00"
SLEEPER = [sys.executable, "-c", "import time; time.sleep(120)"]


def write(content: bytes) -> None:
    try:
        while content:
            content = content[os.write(1, content) :]
    except BlockingIOError:
        pass


def said(seq: int, **fields: object) -> None:
    write(json.dumps({"seq": seq, **fields}).encode() + b"\n")


def fault(name: str, seq: int, right: dict[str, object]) -> None:
    """Do what is wrong; where it returns, the next question is read."""
    match name:
        case "deep-lists":
            write(b"[" * 200_000 + b"\n")
        case "deep-objects":
            write(b'{"seq":' * 100_000 + b"\n")
        case "deep-value":
            write(b'{"seq": %d, "result": {"value": %s1%s}}\n' % (seq, b"[" * 50_000, b"]" * 50_000))
        case "beyond-the-doubles":
            write(b'{"seq": %d, "result": {"value": 1e400}}\n' % seq)
        case "excluded-beyond-the-doubles":
            write(b'{"seq": %d, "result": {"value": "1", "excluded": 1e400}}\n' % seq)
        case "many-digits":
            write(b'{"seq": %d, "result": {"value": %s}}\n' % (seq, b"9" * 5000))
        case "duplicate-keys":
            write(b'{"seq": %d, "seq": %d, "result": {"value": "1"}}\n' % (seq, seq))
        case "not-utf-8":
            write(b'{"seq": %d, "skipped": "\xff\xfe"}\n' % seq)
        case "nul-bytes":
            write(b"\x00\x00\x00\n")
        case "half-a-surrogate-pair":
            write(b'{"seq": %d, "error": {"message": "\\ud800"}}\n' % seq)
        case "empty-line":
            write(b"\n")
        case "no-line-end":
            write(b"x" * 3_000_000)
            time.sleep(60)
        case "endless-output":
            while True:
                write(b"y" * 1000 + b"\n")
        case "endless-errors":
            while True:
                os.write(2, b"z" * 1000 + b"\n")
        case "endless-line-of-errors":
            while True:
                os.write(2, b"z" * 100_000)
        case "ends-quietly":
            os._exit(0)
        case "ends-in-a-line":
            write(b'{"seq": %d, "resul' % seq)
            os._exit(3)
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "stopped":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "twice":
            write(2 * (json.dumps({"seq": seq, "result": right}).encode() + b"\n"))
        case "other-question":
            said(seq + 1, result=right)
        case "seq-true":
            write(b'{"seq": true, "result": {"value": "1"}}\n')
        case "no-object":
            write(b'["result"]\n')
        case "drip":
            for byte in json.dumps({"seq": seq, "result": right}).encode():
                write(bytes([byte]))
                time.sleep(0.2)
        case "child-holds-the-pipes":
            subprocess.Popen(SLEEPER)
            os._exit(5)
        case "child-in-its-own-session-holds-the-pipes":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(8)"], start_new_session=True)
            os._exit(5)
        case "child-writes-errors-for-ever":
            subprocess.Popen([sys.executable, "-c", "import os\nwhile True: os.write(2, b'w' * 1000)"])
            os._exit(5)
        case "ignores-signals":
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
                signal.signal(number, signal.SIG_IGN)
            time.sleep(60)
        case "closes-its-output":
            os.close(1)
            time.sleep(60)
        case "closes-its-input":
            os.close(0)
            time.sleep(60)
        case "controls-in-an-error":
            said(seq, error={"message": ANSI})
        case "controls-in-a-value":
            said(seq, result={"value": ANSI, ANSI: ANSI})
        case "controls-in-its-last-words":
            os.write(2, ANSI.encode("utf-8", "surrogatepass"))
            os._exit(9)
        case "a-slow-number":
            said(seq, result={"value": "1e99999999"})
        case "a-slow-power":
            said(seq, result={"value": "7^(99999999)*3^(-99999999)"})
        case _:
            raise ValueError(name)


def main(arguments: list[str]) -> None:
    phase = arguments[1] if arguments[:1] == ["--at"] else "every second question"
    faults = arguments[2:] if arguments[:1] == ["--at"] else arguments
    name = ANSI if "controls-in-an-error" in faults else "faulty"
    for line in iter(sys.stdin.buffer.readline, b""):
        message = json.loads(line)
        if message["cmd"] == "stop":
            if phase == "stop":
                fault(faults[0], 0, {})
            return
        if message["cmd"] == "start":
            if phase == "start":
                fault(faults[0], 0, {})
                continue
            who = {"name": name, "version": "0"}
            write(json.dumps({"version": 1, "implementation": who, "algorithms": ["k-anonymity"]}).encode() + b"\n")
            continue
        seq, right = message["seq"], measured(message)
        place = seq // 2 - 1
        if phase == "always":
            fault(faults[0], seq, right)
        elif phase == "every second question" and seq % 2 == 0 and 0 <= place < len(faults):
            fault(faults[place], seq, right)
        else:
            said(seq, result=right)


if __name__ == "__main__":
    main(sys.argv[1:])
