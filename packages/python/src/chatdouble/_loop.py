"""Event loops that a helper without `await` would stop."""

from __future__ import annotations

import asyncio

from ._error import Error

__tracebackhide__ = True


def is_in_event_loop() -> bool:
    """Whether an event loop runs in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def running_loop() -> asyncio.AbstractEventLoop:
    """The event loop that runs in this thread, which must be one of asyncio."""
    if not is_in_event_loop():
        raise Error("chatdouble.aio needs an event loop of asyncio, and none runs here: with anyio, take its backend asyncio, not trio")
    return asyncio.get_running_loop()


def remedy(helper: str, instead: str) -> str:
    """What to write instead of a helper that blocks an event loop."""
    return f"{helper} blocked the event loop of this thread, so no client in it could go on: {instead} in chatdouble.aio (in pytest: the fixture chatdouble_aio_world)"
