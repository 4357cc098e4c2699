"""What follows the worlds that a program makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Protocol

if TYPE_CHECKING:
    from ._world import World


class Listener(Protocol):
    """Is called with worlds of this process."""

    def made(self, world: World) -> None:
        """A world was made."""

    def ending(self, world: World) -> None:
        """A world is deleted next."""

    def failed(self, world: World) -> None:
        """An error ended the `with` block of a world, which is deleted next."""


#: Those that are called; the plugin of pytest is one.
listeners: List[Listener] = []
