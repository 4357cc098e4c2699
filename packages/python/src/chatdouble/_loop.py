"""Event loops that a helper without `await` would stop."""

from __future__ import annotations

import asyncio


def is_in_event_loop() -> bool:
    """Whether an event loop runs in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def remedy(helper: str, instead: str) -> str:
    """What to write instead of a helper that blocks an event loop."""
    return f"{helper} blocked the event loop of this thread, so no client in it could go on: {instead} in chatdouble.aio (in pytest: the fixture chatdouble_aio_world)"
