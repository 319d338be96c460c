"""Options that belong together, as one parameter of a command."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints

__all__ = ["expanded"]


def expanded(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take bundles: a parameter whose type is a dataclass stands for its fields, each an option.

    A bundle whose options are not its fields gives them as `parameters()`, and is made of what is given by `of(…)`.

    The result takes the options; typer reads them from its signature. The command gets each bundle as one object.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Size:
    ...     width: int = 3
    ...     height: int = 4
    >>> def area(*, name: str, size: Size):
    ...     print(name, size.width * size.height)
    >>> inspect.signature(expanded(area))
    <Signature (*, name: str, width: int = 3, height: int = 4)>
    >>> expanded(area)(name="area", width=5, height=4)
    area 20
    """
    signature = inspect.signature(command, eval_str=True)
    bundles: dict[str, Any] = {
        name: each.annotation for name, each in signature.parameters.items() if is_dataclass(each.annotation)
    }
    options: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        if name not in bundles:
            options.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        options += _options(bundles[name])

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, bundle in bundles.items():
            of_bundle = {each.name: given.pop(each.name) for each in _options(bundle)}
            given[name] = bundle.of(**of_bundle) if hasattr(bundle, "parameters") else bundle(**of_bundle)
        command(**given)

    run.__signature__ = signature.replace(parameters=options)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options}
    return run


def _options(bundle: Any) -> list[inspect.Parameter]:
    if hasattr(bundle, "parameters"):
        return list(bundle.parameters())
    hints = get_type_hints(bundle, include_extras=True)
    return [
        inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=hints[each.name])
        for each in fields(bundle)
    ]
