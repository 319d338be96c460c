"""How every command ends, and how its help is laid out."""

from __future__ import annotations

import os
import re
import shlex
import sys
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any, TextIO

import typer
from typer.core import TyperCommand, TyperGroup

from tcloseness.cli.ending import ended
from tcloseness.cli.exit_codes import DONE, MEANINGS, ROWS, USAGE, Row, row_for
from tcloseness.cli.limits import require_room_for_libraries
from tcloseness.cli.output import file_name
from tcloseness.cli.withholding import withheld
from tcloseness.errors import InputError
from tcloseness.writing import protecting

__all__ = [
    "Command",
    "Commands",
    "application",
    "is_written",
    "named_files",
    "require_command",
    "rerun",
    "row_of",
    "without_folders",
]

_UsageError: type[Exception] = typer.BadParameter.__bases__[0]  # typer has no public name for it

_WRITTEN = frozenset(("--output", "--html", "--figure", "--certificate", "--counts", "--junit", "--report", "--badge"))
"""The options that name what is written."""

_OPTION_WORDS = (
    ("is not overwritten; give another name, or force=True", "is not overwritten; give another name, or --force"),
    ("missing='category'", "--missing category"),
    ("merge_spellings=", "--merge-spellings "),
    ("missing_texts=", "--missing-text"),
    ("person='", "--person '"),
    ("identifying='", "--identifying '"),
    ("categorical=", "--categorical"),
    ("the marker in suppressed=", "the marker in --suppressed"),
    ("hierarchies={} where labels are intervals or sets", "none where labels are intervals or sets"),
    (
        "give both frames the index that names the records (frame.set_index)",
        "name the column that says which record a row is (--index)",
    ),
    (
        "or give the published frame as its file, or with reset_index(drop=True), to Table.compare or "
        "Table.read_release, which then read labels and counts alone",
        "or leave --index out, and labels and counts are read alone",
    ),
    ("missing='drop'", "--missing drop"),
    ("give encoding=", "give --encoding"),
    (" (an int is a number of records)", ", such as 0.05"),
    ("aimed at; give k, or take 'class-size'", "aimed at; give --k, or --optimum class-size"),
    ("give separator=", "give --ground-separator "),
    ("separator='", "--separator '"),
    ("encoding='", "--encoding '"),
    ("for leaves at unequal depth see ragged=", "for leaves at unequal depth see --ragged"),
    ("ragged='keep', 'repeat-leaf' or 'repeat-parent'", "--ragged keep, repeat-leaf or repeat-parent"),
    ("formulation='", "--formulation '"),
    ("(memory=", "(--memory "),
    ("memory='", "--memory '"),
    ("give more by memory=", "give more by --memory"),
    ("fewer threads=", "fewer --threads"),
    ("or a temporary= folder with more space", "or name a folder with more space in TMPDIR"),
    ("threads=", "--threads "),
    ("leave separator out", "leave it out"),
    ("leave memory out", "leave --memory out"),
    ("leave threads out", "leave it out"),
    ("leave encoding out", "leave it out"),
    ("time_limit = ", "--time-limit "),
    (" seconds; it must be a finite number > 0, or None for no limit", ": it must be a finite number of seconds > 0"),
    ("memory_limit = ", "--memory-limit "),
    (" bytes; it must be a whole number > 0, or None for half of what is free", ": it must be a whole number > 0"),
    ("greater time_limit=", "greater --time-limit"),
    ("greater memory_limit=", "greater --memory-limit"),
    ("(denominator=N, N such as", "(write matrix/N:FILE, N such as"),
    ("(nearest_metric=True)", "(write nearest-metric:FILE)"),
    ("pass allow_non_metric=True", "pass --allow-non-metric"),
    ("solver='network-simplex' or 'pulp'", "--solver network-simplex or pulp"),
    ("solver='network-simplex'", "--solver network-simplex"),
    ("such as orders={'grade': ['low', 'mid', 'high']}", "such as --order grade=low,mid,high"),
    ("name two of them in groups=", "name two of them in --group"),
    (" (column=); it has", " (--column); it has"),
    (" (by=); it has", " (--by); it has"),
    ("or counts with counts=True", "or counts together with --counts"),
    ("; two columns of values are compared by tcloseness.emd_of", ""),
    ("the Hierarchy itself as the ground distance", "hierarchical:FILE"),
)
"""The library's messages name its arguments; here they are options."""

_NOT_OF_EACH = (
    ("--allow-non-metric", ", or pass allow_non_metric=True", ""),
    ("--order", re.escape("such as orders={'grade': ['low', 'mid', 'high']}"), "such as --values low,mid,high"),
    ("--identifying", r" \(identifying=.*? says it does\)", ""),
    ("--person", r"; person=.*? counts persons", ""),
)
"""Options that not every command has, what names them in the library's messages, and what is said without them."""


class Commands(TyperGroup):
    """The group of all commands: what they share in the way they end."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: Any, **extra: Any) -> Any:
        """Run, and exit; typer would print and exit in its own way."""
        arguments = sys.argv[1:] if args is None else list(args)
        if args is None and prog_name is not None:
            self._main_shell_completion(extra, prog_name, None)  # what a shell asks for while a line is written

        def run() -> int:
            _refuse_what_is_no_text(arguments)
            try:
                try:
                    made = self.make_context(prog_name, list(arguments))
                except SystemExit as end:  # of the options of completion, with 1 for a shell that typer does not know
                    return USAGE if end.code else DONE
                with made as context:
                    self.invoke(context)
            except typer.Exit as end:
                return int(end.exit_code)
            except typer.Abort:
                raise KeyboardInterrupt from None
            except _UsageError as error:
                _print_usage_error(error)
                return USAGE
            return DONE

        named = None if self.name in (None, "tcloseness") else self.name
        sys.exit(ended(run, arguments, words=lambda message: _as_options(message, self, arguments), command=named))

    def invoke(self, ctx: Any) -> Any:
        """Run a command; its warnings become lines on standard error."""
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            for ours in (DeprecationWarning, PendingDeprecationWarning, ResourceWarning):
                warnings.simplefilter("ignore", ours)
            warnings.showwarning = partial(_print_warning, frozenset())
            return super().invoke(ctx)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options and the commands, and how they can end."""
        super().format_options(ctx, formatter)
        write_exit_codes(ctx, formatter)


class Command(TyperCommand):
    """A command whose options are listed under the headings that they name (``rich_help_panel``), without rich.

    Typer's own layout of headings loads rich's Markdown, which doubles the time that ``--help`` takes.
    """

    def invoke(self, ctx: Any) -> Any:
        """Run; nothing is written over a file that the command line names, but for what it names to be written.

        Under ``--redact`` no error and no warning names a value of the table.
        """
        require_room_for_libraries()
        warnings.showwarning = partial(_print_warning, _options(self.params))
        with protecting(named_files(ctx)), withheld(ctx.params):
            return super().invoke(ctx)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the usage with the arguments as their help names them."""
        arguments = [p.metavar for p in self.params if p.param_type_name == "argument"]
        return [str(self.options_metavar), *map(str, arguments)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options of each heading."""
        headings: dict[str, list[tuple[str, str]]] = {}
        parameters: list[Any] = self.get_params(ctx)
        for parameter in parameters:
            if parameter.param_type_name == "argument":
                headings.setdefault("Arguments", []).append((parameter.metavar, parameter.help))
            elif record := parameter.get_help_record(ctx):
                headings.setdefault(getattr(parameter, "rich_help_panel", None) or "Other", []).append(record)
        for heading, records in headings.items():
            with formatter.section(heading):
                formatter.write_dl(records)
        write_exit_codes(ctx, formatter)


def application(*, completion: bool = False, **more: Any) -> typer.Typer:
    """Return a group of commands, without what typer adds by itself: colours, tracebacks of its own."""
    return typer.Typer(
        cls=Commands,
        add_completion=completion,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        **more,
    )


def require_command(context: typer.Context) -> None:
    """Print the help of a group, and end it as wrong usage, unless one of its commands was called."""
    if context.invoked_subcommand is None:
        print(context.get_help(), file=sys.stderr)
        raise typer.Exit(USAGE)


def rerun(context: Any, *, instead: Mapping[str, Sequence[str]] | None = None) -> str:
    """Return the command line that asks a command's question again, without where its files go or come from.

    Parameters
    ----------
    context
        The running command's context.
    instead
        By the name of a parameter, the words to show in place of what was given.
    """
    replaced = instead or {}
    arguments, options = [], []
    for parameter in context.command.params:
        name, given = parameter.name, context.params.get(parameter.name)
        if "--force" in parameter.opts or is_written(parameter) or given is None or given == parameter.default:
            continue
        values: Sequence[Any] = replaced.get(name, given if isinstance(given, list | tuple) else [given])
        option = max(parameter.opts, key=len)
        if parameter.param_type_name == "argument":
            arguments += [shlex.quote(without_folders(str(value))) for value in values]
        else:
            options += [
                option if value is True else f"{option} {shlex.quote(without_folders(str(value)))}" for value in values
            ]
    return " ".join([context.command_path, *arguments, *options])


def _refuse_what_is_no_text(arguments: Sequence[str]) -> None:
    """Raise `InputError` for a word of bytes that are not text here, unless it is the name of a file that is there."""
    for word in arguments:
        halves = not word.isascii() and any("\ud800" <= character <= "\udfff" for character in word)
        if halves and not os.path.lexists(word):
            raise InputError(f"{word!r} is not text in the encoding of this terminal; write it in UTF-8")


def row_of(context: Any) -> Row | None:
    """Return how a command can end; a command of a group as the group, and a program of its own name as that."""
    program = context.find_root().command.name
    while context is not None:
        row = row_for(program, context.info_name)
        if row is not None:
            return row
        context = context.parent
    return None


def write_exit_codes(context: Any, formatter: Any) -> None:
    """Write how a command can end; or, for the group of all, how any can, with a row for each."""
    row = row_of(context)
    with formatter.section("Exit codes"):
        formatter.write_dl([(str(code), text) for code, text in (MEANINGS if row is None else row.meanings).items()])
    if row is None:
        with formatter.section("Exit codes of each command, where they say more"):
            formatter.write_dl(
                [(name, "; ".join(f"{code} {text}" for code, text in each.own.items())) for name, each in ROWS.items()]
            )


def is_written(parameter: Any) -> bool:
    """Say whether an option names what is written."""
    return not getattr(parameter, "is_flag", False) and not _WRITTEN.isdisjoint(parameter.opts)


def named_files(context: Any) -> list[str]:
    """Return the files and folders that a command line names, but for those that it names to be written.

    Whatever an option means, a text of it that names something, also behind ``=`` or ``:`` or before a ``:``, is a
    file that may be read. A new option is so too, unless it `is_written`.
    """
    found = []
    for parameter in context.command.params:
        if not is_written(parameter):
            given = context.params.get(parameter.name)
            for value in given if isinstance(given, list | tuple) else [given]:
                if isinstance(value, str | os.PathLike):
                    found += [name for name, _, _ in _names_in(os.fspath(value))]
    return found


def _names_in(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield what a text names of what is there, and where in the text that is; the longest first."""
    begins = [0, *(i + 1 for i, character in enumerate(text) if character in "=:")][:20]
    ends = [len(text), *(i for i, character in enumerate(text) if character == ":")][:20]
    for begin, end in product(begins, ends):
        if begin < end and os.path.lexists(text[begin:end]):
            yield text[begin:end], begin, end


def without_folders(text: str) -> str:
    """Return a word of a command line with the last part alone of a file's name in it.

    Examples
    --------
    >>> import sys
    >>> without_folders(f"x={sys.executable}") == "x=" + os.path.basename(sys.executable)
    True
    """
    for name, begin, end in _names_in(text):
        if os.sep in name:
            return text[:begin] + file_name(name) + text[end:]
    return text


def _as_options(message: str, group: Any, arguments: Sequence[str]) -> str:
    command = group.commands.get(next(iter(arguments), ""))
    return _in_options(message, _options([] if command is None else command.params))


def _options(parameters: Iterable[Any]) -> frozenset[str]:
    """Return the options among a command's parameters that its help names."""
    return frozenset(name for each in parameters if not getattr(each, "hidden", False) for name in each.opts)


def _in_options(message: str, known: Collection[str]) -> str:
    for option, named, without in _NOT_OF_EACH:
        if option not in known:
            message = re.sub(named, without, message, flags=re.DOTALL)
    for argument, option in _OPTION_WORDS:
        message = message.replace(argument, option)
    return message


def _print_usage_error(error: Any) -> None:
    context = getattr(error, "ctx", None)
    if context is not None and hasattr(error, "possibilities"):  # no such option: of -l the ends of longer names too
        end = f"-{error.option_name.lstrip('-')}"
        ending = [name for each in context.command.params for name in each.opts if name.endswith(end) and name != end]
        error.possibilities = ending or error.possibilities
    message = error.format_message()
    if message:
        print(f"error: {message}", file=sys.stderr)
    if message and context is not None:
        print(f"{context.get_usage()}\nTry '{context.command_path} --help'.", file=sys.stderr)


def _print_warning(
    known: Collection[str],
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    print(f"warning: {_in_options(str(message), known)}", file=sys.stderr)
