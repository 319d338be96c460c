"""HiGHS in a process of its own, which can be ended at any moment: `tcloseness.optimal.highs` starts this file.

Programs come by standard input and what HiGHS finds goes to standard output, both pickled; what HiGHS prints goes
nowhere. The process ends when its input does, so it never outlives who started it.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
import time
from typing import Any

__all__: list[str] = []

PAUSE = 0.05
"""Seconds between two reports of a bound."""


def main() -> None:
    """Answer programs until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started this hears it, and ends this
    programs, found = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)

    def send(*message: Any) -> None:
        pickle.dump(message, found)
        found.flush()

    sys.path[:] = pickle.load(programs)
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def read() -> None:
        try:
            while True:
                waiting.put(pickle.load(programs))
        except Exception:  # noqa: BLE001 – the other end is gone, however it went
            os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    try:
        import highspy
    except Exception as error:  # noqa: BLE001 – sent to where it can be raised
        send("failed", f"highspy cannot be imported: {error}")
        return
    send("ready")
    while True:
        program = waiting.get()
        try:
            send("found", _solved(highspy, program, send))
        except Exception as error:  # noqa: BLE001 – sent to where it can be raised
            send("failed", f"{type(error).__name__}: {error}")


def _solved(highspy: Any, program: dict[str, Any], send: Any) -> dict[str, Any]:
    """Run HiGHS on a program as `tcloseness.optimal.highs` sends it."""
    begun = time.process_time()
    solver = highspy.Highs()
    for name, value in program["options"].items():
        solver.setOptionValue(name, value)
    if program["whole"] is not None:
        kinds = highspy.cb.HighsCallbackType
        solver.setCallback(_Reports(kinds.kCallbackMipImprovingSolution, send), None)
        solver.startCallback(kinds.kCallbackMipImprovingSolution)
        solver.startCallback(kinds.kCallbackMipInterrupt)
    if solver.passModel(_model(highspy, program)) == highspy.HighsStatus.kError:
        raise ValueError("HiGHS does not take the program")
    solver.run()
    info, solution = solver.getInfo(), solver.getSolution()
    return {
        "status": solver.getModelStatus().name,
        "feasible": info.primal_solution_status == 2,  # kSolutionStatusFeasible
        "bound": float(info.mip_dual_bound),
        "values": list(solution.col_value),
        "prices": list(solution.row_dual),
        "seconds": time.process_time() - begun,
    }


def _model(highspy: Any, program: dict[str, Any]) -> Any:
    model, rows = highspy.HighsLp(), len(program["most"])
    model.num_col_, model.num_row_ = len(program["cost"]), rows
    model.col_cost_, model.col_lower_, model.col_upper_ = program["cost"], program["low"], program["high"]
    model.row_lower_, model.row_upper_ = [-highspy.kHighsInf] * rows, program["most"]
    matrix = model.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.start_, matrix.index_, matrix.value_ = program["start"], program["index"], program["value"]
    if program["whole"] is not None:
        kind = highspy.HighsVarType
        model.integrality_ = [kind.kInteger if whole else kind.kContinuous for whole in program["whole"]]
    return model


class _Reports:
    """HiGHS's callbacks: each better solution is sent, and now and then the bound."""

    def __init__(self, improving: Any, send: Any) -> None:
        self._improving, self._send, self._last = improving, send, -PAUSE

    def __call__(self, kind: Any, message: str, found: Any, back: Any, _: object) -> None:
        bounds = float(found.mip_primal_bound), float(found.mip_dual_bound)
        if kind == self._improving:
            self._send("better", *bounds, [float(x) for x in found.mip_solution])
        elif time.monotonic() - self._last >= PAUSE:
            self._last = time.monotonic()
            self._send("bounds", *bounds)


if __name__ == "__main__":
    main()
