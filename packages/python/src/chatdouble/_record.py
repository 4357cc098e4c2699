"""JSON objects."""

from __future__ import annotations

from typing import Any


class Record(dict[str, Any]):
    """A dictionary whose keys are also attributes: `user.api_key` is `user["api_key"]`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r}, only {', '.join(self)}") from None
