"""Requests to a server, with one connection for each thread."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import urllib.parse
from typing import Any, Callable, Mapping

from ._error import Error, of_caller, refusal
from ._record import Record

__tracebackhide__ = True

# How much longer than the server's own wait to wait for a reply, in seconds.
PATIENCE = 60.0


class _Own:
    """A thread's connection, which is closed when the thread ends."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self.connection = connection

    def __del__(self) -> None:
        self.connection.close()


class Requests:
    """Requests to the server at a base URL; slashes at its end do not count."""

    @of_caller
    def __init__(
        self, url: str, control_token: str | None = None, tls_ca: str | None = None, *, source: str = ""
    ) -> None:
        """`source` says where the URL is from, after the errors of a server that does not answer."""
        self.secure, self.host, self.port = _parts(url, source)
        self.source = source
        #: Says how the server ended, if that is known.
        self.describe_end: Callable[[], str] = lambda: ""
        self.url = url.rstrip("/")
        self.token = control_token
        # Made once, since reading certificates takes a while.
        self.context = _context(tls_ca) if self.secure else None
        self._thread = threading.local()

    @of_caller
    def control(self, method: str, path: str, body: Any = None, filters: Mapping[str, Any] | None = None) -> Record:
        """Makes a call of control; returns its reply without the envelope."""
        query = urllib.parse.urlencode({name: value for name, value in (filters or {}).items() if value is not None})
        headers = {"Content-Type": "application/json", **self.authorization()}
        data = None if body is None else json.dumps(body, default=_refuse).encode()
        # The body of a call that waits has the time to wait.
        waits = body.get("timeout_ms") or 0 if isinstance(body, dict) else 0
        return self._ask(method, f"/control{path}" + (f"?{query}" if query else ""), data, headers, waits / 1000)

    def authorization(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def close(self) -> None:
        """Closes this thread's connection."""
        self._thread.own = None

    def connection(self) -> http.client.HTTPConnection:
        """A new connection, for the caller alone."""
        if self.context is not None:
            return http.client.HTTPSConnection(self.host, self.port, timeout=PATIENCE, context=self.context)
        return http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)

    def _ask(self, method: str, path: str, data: bytes | None, headers: dict[str, str], waits: float) -> Record:
        request = f"{method} {self.url}{path}"
        try:
            reply, text = self._send(method, path, data, headers, waits)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            failure = Error(f"{request}: {error or type(error).__name__}{self.describe_end()}{self.source}")
            failure._broken = error
            raise failure
        try:
            body = json.loads(text, object_hook=Record)
        # Brackets nested too deeply are a RecursionError.
        except (ValueError, RecursionError):
            excerpt = " ".join(text[:200].decode(errors="replace").split())
            message = f"{self.url} is not a chatdouble server{self.source}: {request} answered {reply.status} without JSON: {excerpt}"
            raise Error(message, reply.status, "", excerpt)
        if reply.status != 200 or not isinstance(body, dict) or body.get("result") != "success":
            raise refusal(reply.status, body, request)
        return Record((name, value) for name, value in body.items() if name not in ("result", "msg"))

    def _send(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str], waits: float
    ) -> tuple[http.client.HTTPResponse, bytes]:
        own = getattr(self._thread, "own", None)
        is_used = own is not None
        if own is None:
            own = self._thread.own = _Own(self.connection())
        connection = own.connection
        connection.timeout = PATIENCE + waits
        if connection.sock is not None:
            connection.sock.settimeout(PATIENCE + waits)
        try:
            connection.request(method, path, data, headers)
            reply = connection.getresponse()
        except (http.client.RemoteDisconnected, ConnectionError):
            self.close()
            if not is_used:
                raise
            # An idle connection that the server closed a moment ago: nothing was read from it.
            return self._send(method, path, data, headers, waits)
        return reply, reply.read()


def _refuse(value: Any) -> Any:
    raise Error(f"{value!r} can't be sent as JSON: its type is {type(value).__name__}")


def _context(tls_ca: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cadata=tls_ca)
    except (ssl.SSLError, ValueError) as error:
        raise Error(f"the authority to trust is no certificate in PEM: {error}")


def _parts(url: str, source: str) -> tuple[bool, str, int]:
    """Whether the server speaks HTTPS, its host and its port."""
    if not url.lower().startswith(("http://", "https://")):
        raise Error(f"{url!r} is no address of a server: it must begin with http:// or https://{source}")
    try:
        parts = urllib.parse.urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise Error(f"{url!r} is no address of a server: {error}{source}")
    if not host:
        raise Error(f"{url!r} is no address of a server: it names no host{source}")
    secure = parts.scheme == "https"
    return secure, host, port or (443 if secure else 80)
