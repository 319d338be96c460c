"""How every command ends, and how its help is laid out."""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

import typer
from typer.core import TyperCommand, TyperGroup

from tcloseness.cli.withholding import withheld
from tcloseness.errors import Infeasible, LimitReached, NotReached, TClosenessError

__all__ = ["INTERRUPTED", "USAGE", "Command", "Commands", "rerun"]

VIOLATED, USAGE, UNDECIDED, INTERRUPTED, BROKEN_PIPE = 1, 2, 3, 130, 141
"""The last two are the shell's own: 128 plus the number of the signal (SIGINT, SIGPIPE)."""

_UsageError: type[Exception] = typer.BadParameter.__bases__[0]  # typer has no public name for it

_OUTPUT = ("html", "output", "force")
"""The parameters that say how a result is written, and not what it is."""

_OPTION_WORDS = (
    ("missing='category'", "--missing category"),
    ("merge_spellings=", "--merge-spellings "),
    ("missing_texts=", "--missing-text"),
    ("categorical=", "--categorical"),
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
    ("time_limit = ", "--time-limit "),
    (" seconds; it must be a finite number > 0, or None for no limit", ": it must be a finite number of seconds > 0"),
    ("memory_limit = ", "--memory-limit "),
    (" bytes; it must be a whole number > 0, or None for half of what is free", ": it must be a whole number > 0"),
    ("greater time_limit=", "greater --time-limit"),
    ("greater memory_limit=", "greater --memory-limit"),
    ("pass allow_non_metric=True", "pass --allow-non-metric"),
    ("solver='networkx' or 'pulp'", "--solver networkx or pulp"),
    ("solver='networkx'", "--solver networkx"),
    ("or counts where counts are asked for", "or counts together with --counts"),
    ("the Hierarchy itself as the ground distance", "hierarchical:FILE"),
)
"""The library's messages name its arguments; here they are options."""


class Commands(TyperGroup):
    """The group of all commands: what they share in the way they end."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run, print a usage error as ``error: …``, and exit."""
        extra["standalone_mode"] = False  # or typer would print and exit in its own way
        try:
            code = super().main(*args, **extra)
        except _UsageError as error:
            _print_usage_error(error)
            code = USAGE
        except typer.Abort:
            code = INTERRUPTED
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; its errors and warnings become lines on standard error."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("default")
                for ours in (DeprecationWarning, PendingDeprecationWarning, ResourceWarning):
                    warnings.simplefilter("ignore", ours)
                warnings.showwarning = _print_warning
                result = super().invoke(ctx)
                sys.stdout.flush()
                return result
        except BrokenPipeError:
            _silence_stdout()
            raise typer.Exit(BROKEN_PIPE) from None
        except TClosenessError as error:
            command: Any = self.commands[ctx.invoked_subcommand]
            print(f"error: {_as_options(str(error), command)}", file=sys.stderr)
            raise typer.Exit(_code_of(error)) from None


class Command(TyperCommand):
    """A command whose options are listed under the headings that they name (``rich_help_panel``), without rich.

    Typer's own layout of headings loads rich's Markdown, which doubles the time that ``--help`` takes.
    """

    def invoke(self, ctx: Any) -> Any:
        """Run; under ``--redact`` no error and no warning names a value of the table."""
        with withheld(ctx.params):
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


def rerun(context: Any, *, instead: Mapping[str, Sequence[str]] | None = None) -> str:
    """Return the command line that asks a command's question again, without where its files go.

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
        if name in _OUTPUT or given is None or given == parameter.default:
            continue
        values: Sequence[Any] = replaced.get(name, given if isinstance(given, list | tuple) else [given])
        option = max(parameter.opts, key=len)
        if parameter.param_type_name == "argument":
            arguments += [shlex.quote(str(value)) for value in values]
        else:
            options += [option if value is True else f"{option} {shlex.quote(str(value))}" for value in values]
    return " ".join([context.command_path, *arguments, *options])


def _code_of(error: TClosenessError) -> int:
    if isinstance(error, LimitReached):
        return UNDECIDED
    return VIOLATED if isinstance(error, Infeasible | NotReached) else USAGE


def _as_options(message: str, command: Any = None) -> str:
    if command is not None and not any("--allow-non-metric" in parameter.opts for parameter in command.params):
        message = message.replace(", or pass allow_non_metric=True", "")
    for argument, option in _OPTION_WORDS:
        message = message.replace(argument, option)
    return message


def _print_usage_error(error: Any) -> None:
    context = getattr(error, "ctx", None)
    message = error.format_message()
    if message:
        print(f"error: {message}", file=sys.stderr)
    if message and context is not None:
        print(f"{context.get_usage()}\nTry '{context.command_path} --help'.", file=sys.stderr)


def _print_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    print(f"warning: {_as_options(str(message))}", file=sys.stderr)


def _silence_stdout() -> None:
    """Let nothing be written to the closed pipe any more, not even by the interpreter when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
