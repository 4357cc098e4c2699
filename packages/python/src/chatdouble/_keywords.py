"""Names of keywords, checked before a call."""

from __future__ import annotations

import difflib
import functools
import inspect
from typing import TYPE_CHECKING, Any, Callable, Iterable, TypeVar, cast

from ._error import UnknownOption, of_caller

__tracebackhide__ = True


class Hinting:
    """An object whose error for an attribute that it lacks names the nearest that it has, and whose calls have short tracebacks."""

    def __init_subclass__(cls) -> None:
        for name, function in list(vars(cls).items()):
            is_awaited = inspect.iscoroutinefunction(inspect.unwrap(function))
            if inspect.isfunction(function) and not name.startswith("_") and not is_awaited:
                setattr(cls, name, of_caller(function))

    # Type checkers see only the attributes that there are.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            known = [one for one in dir(self) if not one.startswith("_")]
            # Python looks for names of its own, such as those of copies.
            nearest = [] if name.startswith("_") else difflib.get_close_matches(name, known, 1)
            meant = f"; did you mean {nearest[0]!r}?" if nearest else ""
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}{meant}")


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
