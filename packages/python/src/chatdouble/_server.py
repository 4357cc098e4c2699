"""A running server, started here or elsewhere."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any, Callable
from urllib.parse import quote

from ._error import Error
from ._http import Requests
from ._record import Record
from ._world import World, given

DEFAULT = "default"


class Server:
    """A server; as a context manager, it is stopped at the end."""

    def __init__(
        self,
        url: str,
        control_token: str | None = None,
        *,
        tls_ca: str | None = None,
        stop: Callable[[], None] | None = None,
    ) -> None:
        #: Base URL, also that of the world `default`.
        self.url = url.rstrip("/")
        #: The token that control requires, if any.
        self.control_token = control_token
        #: The certificates that clients must trust, as PEM; None without HTTPS.
        self.tls_ca = tls_ca
        #: The process id, if this package started the server.
        self.pid: int | None = None
        self._requests = Requests(self.url, control_token, tls_ca)
        self._stop = stop

    def world(self, name: str = DEFAULT) -> World:
        """An existing world; `default`, which always exists, if no name is given."""
        url = self.url if name == DEFAULT else f"{self.url}/w/{quote(name, safe='')}"
        return World(self, name, url, self._requests)

    def create_world(
        self,
        *,
        name: str | None = None,
        fork_of: str | None = None,
        snapshot: str | None = None,
        fixture: str | dict[str, Any] | None = None,
        feature_level: int | None = None,
        dialect: str | dict[str, Any] | None = None,
        clock: Any = None,
        seed: int | None = None,
        label: str | None = None,
        listen: bool | None = None,
        idle_ttl_seconds: float | str | None = None,
        replace: bool | None = None,
    ) -> World:
        """Makes a world: like `default` at the start, or as the options say."""
        options = given(locals(), "self")
        made = self._requests.control("POST", "/worlds", options)
        return World(self, made.name, made.url, self._requests)

    def worlds(self, *, prefix: str | None = None) -> list[Record]:
        """Rows of all worlds, or of those whose names begin with `prefix`."""
        rows: list[Record] = self._requests.control("GET", "/worlds", filters={"prefix": prefix}).worlds
        return rows

    def delete_worlds(self, prefix: str) -> list[str]:
        """Deletes all worlds whose names begin with `prefix`, except `default`; returns their names."""
        names: list[str] = self._requests.control("DELETE", "/worlds", filters={"prefix": prefix}).deleted
        return names

    def health(self) -> Record:
        """The server's version, its feature level and its number of worlds."""
        return self._requests.control("GET", "/health")

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


def connect(url: str | None = None, control_token: str | None = None, *, tls_ca: str | None = None) -> Server:
    """Connects to a running server, at the given URL or at CHATDOUBLE_URL."""
    url = url or os.environ.get("CHATDOUBLE_URL")
    if not url:
        raise Error("no URL was given, and CHATDOUBLE_URL is not set")
    token = control_token or os.environ.get("CHATDOUBLE_CONTROL_TOKEN")
    file = os.environ.get("CHATDOUBLE_TLS_CA")
    if tls_ca is None and file and url.startswith("https:"):
        tls_ca = Path(file).read_text()
    return Server(url, token, tls_ca=tls_ca)
