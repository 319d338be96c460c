"""HiGHS in a process of its own, which can be ended at any moment.

`tcloseness.transport.solvers.highs_client` starts this file.

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
    kept = None
    while True:
        program = waiting.get()
        try:
            if "format" in program:
                kept = _solver(highspy, program, send)
            _change(kept, program.get("change", {}))
            send("found", _solved(highspy, kept, program["options"]))
        except Exception as error:  # noqa: BLE001 – sent to where it can be raised
            send("failed", f"{type(error).__name__}: {error}")


def _solver(highspy: Any, program: dict[str, Any], send: Any) -> Any:
    """Return HiGHS with a program as `tcloseness.transport.solvers.highs_client` sends it."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    if program["whole"] is not None:
        kinds = highspy.cb.HighsCallbackType
        solver.setCallback(_Reports(kinds.kCallbackMipImprovingSolution, send), None)
        solver.startCallback(kinds.kCallbackMipImprovingSolution)
        solver.startCallback(kinds.kCallbackMipInterrupt)
    if solver.passModel(_model(highspy, program)) == highspy.HighsStatus.kError:
        raise ValueError("HiGHS does not take the program")
    return solver


def _change(solver: Any, change: dict[str, Any]) -> None:
    """Add rows to the program, then columns; then change bounds or costs. Or forget how far it was solved."""
    if "afresh" in change:
        solver.clearSolver()
    if "row_least" in change:
        rows = [change[f"row_{name}"] for name in ("least", "most", "start", "index", "value")]
        solver.addRows(len(change["row_least"]), *rows[:2], len(change["row_index"]), *rows[2:])
    if "cost" in change:
        columns = [change[name] for name in ("cost", "low", "high", "start", "index", "value")]
        solver.addCols(len(change["cost"]), *columns[:3], len(change["index"]), *columns[3:])
    if "lows" in change:
        solver.changeColsBounds(len(change["columns"]), change["columns"], change["lows"], change["highs"])
    if "costs" in change:
        solver.changeColsCost(len(change["columns"]), change["columns"], change["costs"])


def _solved(highspy: Any, solver: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Run HiGHS."""
    begun = time.process_time()
    for name, value in options.items():
        spent = solver.getRunTime() if name == "time_limit" else 0  # HiGHS counts all that it ran since it was made
        solver.setOptionValue(name, value + spent if spent else value)
    solver.run()
    info, solution, status = solver.getInfo(), solver.getSolution(), solver.getModelStatus()
    return {
        "status": status.name,
        "feasible": info.primal_solution_status == 2,  # kSolutionStatusFeasible
        "bound": float(info.mip_dual_bound),
        "values": list(solution.col_value),
        "prices": list(solution.row_dual),
        "ray": _ray(solver) if status == highspy.HighsModelStatus.kInfeasible else [],
        "seconds": time.process_time() - begun,
    }


def _ray(solver: Any) -> list[float]:
    """Return what proves in doubles that there is no solution, a price of each row; nothing if HiGHS has none."""
    found = solver.getDualRay()
    return list(found[2]) if len(found) > 2 and found[1] else []


def _model(highspy: Any, program: dict[str, Any]) -> Any:
    model, rows = highspy.HighsLp(), len(program["most"])
    model.num_col_, model.num_row_ = len(program["cost"]), rows
    model.col_cost_, model.col_lower_, model.col_upper_ = program["cost"], program["low"], program["high"]
    model.row_lower_, model.row_upper_ = program["least"], program["most"]
    matrix = model.a_matrix_
    matrix.format_ = getattr(highspy.MatrixFormat, program["format"])
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
