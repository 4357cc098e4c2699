"""Organizations in files."""

from __future__ import annotations

import difflib
import json
import os
from pathlib import Path
from typing import Any

from ._error import Error

__tracebackhide__ = True

#: The names of the fixtures that the program has.
BUILT_IN = ("default", "cast", "empty", "hostile", "large")


def file_of(fixture: Any) -> str | None:
    """The path of the file that a fixture is in; None if it is a document or has a name."""
    if isinstance(fixture, os.PathLike):
        return str(Path(fixture))
    separators = [one for one in (os.sep, os.altsep) if one]
    is_path = isinstance(fixture, str) and (fixture.endswith(".json") or any(one in fixture for one in separators))
    return fixture if is_path else None


def document_in(path: str) -> Any:
    """The JSON document in a file."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        reason = f"can't be read: {error.strerror}"
    except ValueError as error:
        reason = f"is not JSON: {error}"
    except RecursionError:
        reason = "is nested too deeply"
    raise Error(f"fixture: {path} {reason}")


def fixture_of_setting(value: str) -> Any:
    """A fixture as `serve` takes it, for control: the name of a built-in one, or the document in a file."""
    if value in BUILT_IN:
        return value
    if not Path(value).is_file() and file_of(value) is None:
        nearest = difflib.get_close_matches(value, BUILT_IN, 1)
        meant = f"; did you mean {nearest[0]!r}?" if nearest else ""
        raise Error(f"fixture: {value} is neither a built-in fixture ({', '.join(BUILT_IN)}) nor a readable file{meant}")
    return document_in(value)
