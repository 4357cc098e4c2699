"""How long helpers wait for the program under test."""

from __future__ import annotations

from ._error import Error

__tracebackhide__ = True

DEFAULT_MS = 3_000

_limits = {"timeout_ms": DEFAULT_MS}


def set_default_timeout(timeout_ms: int) -> None:
    """Sets for how long helpers wait, in milliseconds, where a call has no `timeout_ms`: 3,000 at first.

    It counts for all servers of this process. A `watch` without `timeout_ms` still has no limit.
    """
    if isinstance(timeout_ms, bool) or not isinstance(timeout_ms, int) or timeout_ms < 1:
        raise Error(f"set_default_timeout takes a number of milliseconds from 1 on, such as 10_000, not {timeout_ms!r}")
    _limits["timeout_ms"] = timeout_ms


def default_timeout_ms() -> int:
    """For how long helpers wait."""
    return _limits["timeout_ms"]
