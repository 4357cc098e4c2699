"""A running server, started here or elsewhere."""

from __future__ import annotations

import datetime
import os
from pathlib import Path
from types import TracebackType
from typing import Any, Callable, List
from urllib.parse import quote

from ._control import Health, Report, WorldRow
from ._error import Error, of_caller
from ._fixture import document_in, file_of
from ._http import Requests
from ._keywords import Hinting, keywords
from ._listener import listeners
from ._record import Record, part, rows, typed
from ._world import World, given

__tracebackhide__ = True

DEFAULT = "default"


class Server(Hinting):
    """A server; as a context manager, it is stopped at the end."""

    def __init__(
        self,
        url: str,
        control_token: str | None = None,
        *,
        tls_ca: str | None = None,
        stop: Callable[[], None] | None = None,
        source: str = "",
    ) -> None:
        self._requests = Requests(url, control_token, tls_ca, source=source)
        #: Base URL, also that of the world `default`.
        self.url = self._requests.url
        #: The token that control requires, if any.
        self.control_token = control_token
        #: The certificates that clients must trust, as PEM; None without HTTPS.
        self.tls_ca = tls_ca
        #: The process id, if this package started the server.
        self.pid: int | None = None
        self._stop = stop
        self._completed: Callable[[dict[str, Any]], dict[str, Any]] = lambda options: options

    def complete_worlds(self, completed: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Adds options to those of each new world; for the plugin of pytest, not for tests."""
        self._completed = completed

    def world(self, name: str = DEFAULT) -> World:
        """An existing world; `default`, which always exists, if no name is given."""
        url = self.url if name == DEFAULT else f"{self.url}/w/{quote(name, safe='')}"
        return World(self, name, url, self._requests)

    @keywords
    def create_world(
        self,
        *,
        name: str | None = None,
        fork_of: str | None = None,
        snapshot: str | None = None,
        fixture: str | os.PathLike[str] | dict[str, Any] | None = None,
        feature_level: int | None = None,
        dialect: str | dict[str, Any] | None = None,
        clock: float | str | datetime.datetime | None = None,
        seed: int | None = None,
        label: str | None = None,
        listen: bool | None = None,
        idle_ttl_seconds: float | str | datetime.timedelta | None = None,
        replace: bool | None = None,
    ) -> World:
        """Makes a world: like `default` at the start, or as the options say.

        A fixture is a document, the name of a built-in one, or a file: a `Path`, or text with a slash or with `.json` at its end.
        """
        options = self._completed(given(locals(), "self"))
        made = self._make(options, file_of(options.get("fixture")))
        world = World(self, part(made, "name"), part(made, "url"), self._requests)
        world._label = options.get("label")
        for listener in listeners:
            listener.made(world)
        return world

    @of_caller
    def _make(self, options: dict[str, Any], file: str | None) -> Record:
        """Makes a world, of whose fixture errors name the file."""
        if file is None:
            return self._requests.control("POST", "/worlds", options)
        options = {**options, "fixture": document_in(file)}
        try:
            return self._requests.control("POST", "/worlds", options)
        except Error as error:
            if not error.message.startswith("$.fixture"):
                raise
            raise Error(f"{error.message} (in {file})", error.status, error.code, error.body)

    @keywords
    def worlds(self, *, prefix: str | None = None) -> List[WorldRow]:
        """Rows of all worlds, or of those whose names begin with `prefix`."""
        reply = self._requests.control("GET", "/worlds", filters={"prefix": prefix})
        return rows(WorldRow, part(reply, "worlds"))

    def delete_worlds(self, prefix: str) -> list[str]:
        """Deletes all worlds whose names begin with `prefix`, except `default`; returns their names."""
        names: list[str] = part(self._requests.control("DELETE", "/worlds", filters={"prefix": prefix}), "deleted")
        return names

    def health(self) -> Health:
        """The server's version, its feature level and its number of worlds."""
        return typed(Health, self._requests.control("GET", "/health"))

    def report(self) -> Report:
        """What the clients of all worlds did that a real server would suffer from, also those of deleted worlds."""
        return typed(Report, self._requests.control("GET", "/report"))

    def stop(self) -> None:
        """Closes the connection to the server, and stops it if it was started here."""
        self._requests.close()
        if self._stop is not None:
            self._stop()

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<chatdouble.Server {self.url}>"


@of_caller
@keywords
def connect(url: str | None = None, control_token: str | None = None, *, tls_ca: str | None = None) -> Server:
    """Connects to a running server, at the given URL or at CHATDOUBLE_URL, and asks it whether it can answer."""
    source = "" if url else " (from CHATDOUBLE_URL; unset it to let the tests start a server)"
    url = url or os.environ.get("CHATDOUBLE_URL")
    if not url:
        raise Error("no URL was given, and CHATDOUBLE_URL is not set; start_server() starts a server")
    token = control_token or os.environ.get("CHATDOUBLE_CONTROL_TOKEN")
    file = os.environ.get("CHATDOUBLE_TLS_CA")
    if tls_ca is None and file and url.startswith("https:"):
        try:
            tls_ca = Path(file).read_text()
        except (OSError, ValueError) as error:
            raise Error(f"the authority to trust can't be read: {error} (from CHATDOUBLE_TLS_CA)")
    server = Server(url, token, tls_ca=tls_ca, source=source)
    try:
        server.health()
    except Error as error:
        # A variable with the URL is named already.
        if source or not isinstance(error._broken, ConnectionRefusedError):
            raise
        raise Error(f"{error}; is a server running? `chatdouble serve` starts one")
    return server
