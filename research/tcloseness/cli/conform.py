"""``tcloseness conform``: whether an implementation computes privacy models right, by test vectors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tcloseness.cli.arguments import Format
from tcloseness.cli.command import Command, application, require_command
from tcloseness.cli.exit_codes import INTERRUPTED
from tcloseness.cli.output import print_json
from tcloseness.errors import InputError, VectorError
from tcloseness.progress import progress_bar
from tcloseness.writing import make_folder, refuse_files, write_files

if TYPE_CHECKING:
    from tcloseness.conformance.vectors import Vector

__all__ = ["app"]

app = application(
    help="Test any implementation of privacy models against vectors with right answers.",
    short_help="Whether an implementation is right.",
)

Algorithms = Annotated[
    list[str] | None, typer.Option("--algorithm", metavar="NAME", help="Only this algorithm; may be repeated.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files.")]


app.callback(invoke_without_command=True)(require_command)


@app.command(
    name="run",
    short_help="Ask a harness all vectors and assess its answers.",
    cls=Command,
    epilog="""
Example: our own models, then fresh random tests.

\b
  tcloseness conform run -- python -m tcloseness.conformance.harness
  tcloseness conform run --seed 1 --size 500 -- python my_harness.py
""",
)
def run_command(
    harness: Annotated[
        list[str], typer.Argument(metavar="-- HARNESS…", help="The harness's program and its arguments, after --.")
    ],
    vectors: Annotated[
        list[Path] | None,
        typer.Option("--vectors", metavar="FILE", help="Files of vectors; else those that come along."),
    ] = None,
    algorithm: Algorithms = None,
    seed: Annotated[int | None, typer.Option(help="Ask fresh random tests, made from this number.")] = None,
    size: Annotated[int, typer.Option(min=1, help="How many fresh tests.")] = 500,
    shrink: Annotated[
        bool, typer.Option("--shrink/--no-shrink", help="Look for the smallest fresh test of each kind of mistake.")
    ] = True,
    seconds: Annotated[float, typer.Option(help="The time limit of one test.")] = 10.0,
    workers: Annotated[int, typer.Option(min=1, help="How many copies of the harness run at a time.")] = 1,
    output: Annotated[Format, typer.Option("--format", help="How to print the report.")] = Format.TEXT,
    html: Annotated[str | None, typer.Option(metavar="FILE", help="Also write the report as HTML.")] = None,
    junit: Annotated[str | None, typer.Option(metavar="FILE", help="Also write it as JUnit XML.")] = None,
    report: Annotated[str | None, typer.Option(metavar="FILE", help="Also write it as JSON.")] = None,
    badge: Annotated[str | None, typer.Option(metavar="FILE", help="Also write its summary as a small SVG.")] = None,
    force: Force = False,
) -> None:
    """Ask a harness all vectors, assess every answer, and report.

    Simple questions come first, to see whether the harness itself works. Whatever it does costs one test only: a crash,
    a hang, a line that is not an answer. After Ctrl-C the report says what was answered until then.
    """
    from tcloseness.conformance.generate import flagged, fresh_vectors
    from tcloseness.conformance.reports import badge_svg, junit_xml, matrix_page, report_text
    from tcloseness.conformance.runner import PartialReport, Report, run
    from tcloseness.conformance.shrink import shrunk
    from tcloseness.conformance.vectors import load

    files = [file for file in (html, junit, report, badge) if file is not None]
    refuse_files(files, force=force)
    if seed is not None and vectors:
        raise InputError("--seed makes fresh vectors and --vectors reads files; give one of them")
    tests: list[Vector] = load(vectors or (), algorithm or ())
    if seed is not None:
        tests = [v for v in tests if v.reason == "smoke"] + list(fresh_vectors(seed, size, algorithm or ()))
    with progress_bar() as bar:
        tell = None if bar is None else (lambda done, total: bar("tests", done, total))
        found = run(
            harness,
            tests,
            seconds=seconds,
            workers=workers,
            progress=tell,
            flagged=None if seed is None else flagged,
            partial=True,
        )
        code = INTERRUPTED if isinstance(found, PartialReport) else found.exit_code
        if isinstance(found, Report) and seed is not None and shrink and found.failures:
            try:
                found = shrunk(found, harness, seconds=seconds)
            except KeyboardInterrupt:  # all answers are there, some only not as small as they could be
                code = INTERRUPTED
    record = found.to_dict()
    if output is Format.JSON:
        print_json(record)
    else:
        print(report_text(record), end="")
    made = ((html, lambda each: matrix_page([each])), (junit, junit_xml), (badge, badge_svg), (report, _json))
    write_files({file: text(record).encode() for file, text in made if file is not None}, force=force)
    raise typer.Exit(code)


def _json(record: dict[str, Any]) -> str:
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


@app.command(
    name="generate",
    short_help="Make vectors: those that come along, or fresh ones.",
    cls=Command,
    epilog="""
Example: 1000 fresh random vectors, and the shipped ones once more.

\b
  tcloseness conform generate --output fresh --seed 7 --size 1000
  tcloseness conform generate --output vectors
""",
)
def generate_command(
    output: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the files go, one an algorithm.")],
    algorithm: Algorithms = None,
    seed: Annotated[int | None, typer.Option(help="Make fresh random vectors from this number.")] = None,
    size: Annotated[int, typer.Option(min=1, help="How many fresh vectors.")] = 500,
    force: Force = False,
) -> None:
    """Make vectors. Each right answer is computed twice, and nothing is written if the two disagree.

    Without --seed the same vectors are made that come with the package.
    """
    from tcloseness.conformance.algorithms import ALGORITHMS, algorithm_named
    from tcloseness.conformance.generate import flagged, fresh_vectors, vectors_of
    from tcloseness.conformance.vectors import file_text

    names = [algorithm_named(name).name for name in algorithm or ALGORITHMS]
    if output.exists():
        refuse_files([output / f"{name}.json" for name in names], force=force)
    contents: dict[Path, bytes] = {}
    made = 0
    with progress_bar() as bar:
        fresh = [] if seed is None else [flagged(v) for v in fresh_vectors(seed, size, names)]
        for number, name in enumerate(names, 1):
            tests = vectors_of(name) if seed is None else [v for v in fresh if v.algorithm == name]
            made_by = "tcloseness conform generate" + ("" if seed is None else f" --seed {seed} --size {size}")
            if tests:
                text = file_text(name, tests, made_by=made_by)
                contents[output / f"{name}.json"] = text.encode()
            made += len(tests)
            if bar is not None:
                bar("algorithms", number, len(names))
    make_folder(output)
    write_files(contents, force=force)
    print(f"{made} vectors of {len(names)} algorithms in {output}")


@app.command(name="lint", short_help="Compute everything that vectors say again.", cls=Command)
def lint_command(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE…]", help="Files of vectors; else those that come along.")
    ] = None,
) -> None:
    """Check vectors: schema, right answers (computed twice), flags, twins, notes."""
    from tcloseness.conformance.lint import lint_file
    from tcloseness.conformance.vectors import shipped

    texts = [(str(file), _read(file)) for file in files or ()] or list(shipped())
    faults = 0
    for name, text in texts:
        for fault in lint_file(text, name):
            print(fault)
            faults += 1
    print(f"{len(texts)} files, {faults} faults" if faults else f"{len(texts)} files, nothing wrong")
    raise typer.Exit(1 if faults else 0)


@app.command(
    name="show",
    short_help="Show a vector, a flag, or reports side by side.",
    cls=Command,
    epilog="""
Example:

\b
  tcloseness conform show t-equal/half-of-values-present/1
  tcloseness conform show half-of-values-present
  tcloseness conform show one.json two.json --html matrix.html
""",
)
def show_command(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[ID|FLAG|REPORT…]", help="What to show; nothing lists the flags.")
    ] = None,
    html: Annotated[str | None, typer.Option(metavar="FILE", help="Write reports as one HTML matrix.")] = None,
    output: Annotated[Format, typer.Option("--format", help="How to print it.")] = Format.TEXT,
    force: Force = False,
) -> None:
    """Show what a vector asks, what a flag means, or what reports say."""
    from tcloseness.conformance.readings import READINGS
    from tcloseness.conformance.reports import matrix_page, report_text
    from tcloseness.conformance.vectors import load

    refuse_files([] if html is None else [html], force=force)
    reports = [_report(name) for name in names or () if name.endswith(".json")]
    if html is not None and not reports:
        raise InputError("--html shows reports, and none is named")
    wanted = [name for name in names or READINGS if not name.endswith(".json")]
    shown: list[dict[str, Any]] = []
    flags = [name for name in wanted if name in READINGS]
    ids = [name for name in wanted if name not in READINGS]
    for name in ids:
        if "/" not in name:
            raise VectorError(f"{name!r} is not a flag, a vector's id or a report; conform show alone lists the flags")
    by_id = {vector.id: vector for vector in load(algorithms={id.split("/")[0] for id in ids})} if ids else {}
    for name in flags:
        note = READINGS[name].note()
        shown.append({"flag": name, **note, "algorithms": list(READINGS[name].algorithms)})
    for name in ids:
        if name not in by_id:
            raise VectorError(f"{name!r} is not a vector of this version")
        shown.append({"algorithm": by_id[name].algorithm, **by_id[name].to_dict()})
    if html is not None:
        write_files({html: matrix_page(reports).encode()}, force=force)
    if output is Format.JSON:
        print_json({"shown": shown, "reports": reports})
        return
    for record in shown:
        print(_text(record))
    if html is None:
        for report in reports:
            print(report_text(report))


def _report(file: str) -> dict[str, Any]:
    """Read a report, such that it can be shown."""
    from tcloseness.conformance.reports import matrix_page, report_text
    from tcloseness.conformance.vectors import read_file

    text = _read(Path(file))
    try:
        report: dict[str, Any] = read_file(text)
        if report["format"] != "tcloseness-conformance-1":
            raise KeyError("format")
        report_text(report)
        matrix_page([report])
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"file {file!r} is not a conformance report ({type(error).__name__}: {str(error)[:200]}); make one with: "
            "tcloseness conform run --report FILE"
        ) from error
    return report


def _text(record: dict[str, Any]) -> str:
    from tcloseness.conformance.reports import row_text

    if "flag" in record:
        return f"{record['flag']} ({record['kind']}): {record['probes']}.\n    {record['why']} [{record['reference']}]"
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in record.items() if name != "input"]
    rows = record["input"].pop("rows", None)
    lines.append(f"input: {json.dumps(record['input'], ensure_ascii=False)}")
    if rows is not None:
        lines += ["rows:", *(f"  {row_text(row)}" for row in rows)]
    return "\n".join(lines)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"file {str(file)!r} cannot be read: {getattr(error, 'strerror', None) or error}") from error
