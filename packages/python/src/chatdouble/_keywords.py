"""Names of keywords, checked before a call."""

from __future__ import annotations

import difflib
import functools
import inspect
from typing import Any, Callable, Iterable, TypeVar, cast

from ._error import UnknownOption

__tracebackhide__ = True

Function = TypeVar("Function", bound=Callable[..., Any])


def keywords(function: Function) -> Function:
    """Refuses keywords that the function does not take, and names the nearest one that it takes."""
    known = [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is not inspect.Parameter.POSITIONAL_ONLY and name != "self"
    ]

    @functools.wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        refuse_unknown(options, known, f"{function.__qualname__}()")
        return function(*arguments, **options)

    return cast(Function, checked)


def refuse_unknown(given: Iterable[str], known: list[str], where: str) -> None:
    """Raises an error for the first name that is not known."""
    for name in given:
        if name not in known:
            nearest = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {nearest[0]!r}?" if nearest else f"; there {'are' if len(known) > 1 else 'is'} {', '.join(known)}"
            raise UnknownOption(f"{where} has no option {name!r}{hint}")
