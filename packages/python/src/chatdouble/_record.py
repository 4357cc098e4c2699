"""JSON objects."""

from __future__ import annotations

import difflib
import functools
from typing import TYPE_CHECKING, Any, Dict, List, Type, TypeVar, get_args, get_origin, get_type_hints

from ._error import Error

__tracebackhide__ = True


class Record(Dict[str, Any]):
    """A dictionary whose keys are also attributes: `user.api_key` is `user["api_key"]`.

    An attribute that a class declares as optional, or as anything, is None when the dictionary lacks it.
    """

    # Type checkers see only the attributes that a class declares.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in self:
                return self[name]
            declared = [getattr(kind, "__annotations__", {}).get(name, "") for kind in type(self).__mro__]
            if any("None" in one or one == "Any" for one in declared):
                return None
            nearest = difflib.get_close_matches(name, self, 1)
            meant = f"did you mean {nearest[0]!r}?" if nearest else f"there are {', '.join(self)}"
            raise AttributeError(f"there is no {name!r}; {meant}")


class User(Record):
    """A user with the credentials that a client needs."""

    #: Id in the API.
    id: int
    #: The part of the address before the @.
    handle: str
    #: The address with which the user logs in.
    email: str
    #: Key for requests, with the address.
    api_key: str
    #: Name in the API.
    full_name: str
    #: owner, administrator, moderator, member or guest.
    role: str
    #: Whether it is a bot.
    is_bot: bool
    #: Of a bot: the address of its owner.
    owner: str | None


Kind = TypeVar("Kind", bound=Record)


def typed(kind: Type[Kind], value: Any) -> Kind:
    """A reply, or a part of one, as its class."""
    if not isinstance(value, dict):
        raise Error(f"this is no reply of chatdouble: {str(value)[:200]} instead of an object")
    made = kind(value)
    for name, (inner, is_list) in _inner(kind).items():
        if made.get(name) is not None:
            made[name] = rows(inner, made[name]) if is_list else typed(inner, made[name])
    for name in _required(kind):
        if name not in made:
            raise Error(f"this is no reply of chatdouble: it lacks {name!r}")
    return made


def rows(kind: Type[Kind], value: Any) -> List[Kind]:
    """A list in a reply, its elements as their class."""
    if not isinstance(value, list):
        raise Error(f"this is no reply of chatdouble: {str(value)[:200]} instead of a list")
    return [typed(kind, one) for one in value]


def part(reply: Dict[str, Any], name: str) -> Any:
    """The value of a key that each reply of this call has."""
    if name not in reply:
        raise Error(f"this is no reply of chatdouble: it lacks {name!r}")
    return reply[name]


@functools.lru_cache(maxsize=None)
def _inner(kind: Type[Record]) -> Dict[str, Any]:
    """The attributes that are records or lists of records, with their classes."""
    found = {}
    for name, hint in get_type_hints(kind).items():
        # The type of an optional attribute is a union with None.
        options = [hint] if get_origin(hint) is list else [hint, *get_args(hint)]
        for option in options:
            is_list = get_origin(option) is list
            inner = get_args(option)[0] if is_list else option
            if isinstance(inner, type) and issubclass(inner, Record):
                found[name] = (inner, is_list)
    return found


@functools.lru_cache(maxsize=None)
def _required(kind: Type[Record]) -> List[str]:
    """The attributes that each reply has."""
    hints = get_type_hints(kind)
    return [name for name, hint in hints.items() if hint is not Any and type(None) not in get_args(hint)]
