"""The watch socket: a minimal WebSocket client that reads text frames."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import socket
import time
from types import TracebackType
from typing import Callable, Iterator, TypeVar

from ._error import Error, of_caller
from ._frame import Frame, framed
from ._http import PATIENCE, Requests
from ._loop import is_in_event_loop, remedy
from ._record import Record

__tracebackhide__ = True

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
# The most bytes that are read at once.
READ_BYTES = 65_536
# The shortest wait for bytes, in seconds; a socket takes 0 for no wait at all.
WAIT_SECONDS_MIN = 0.001
# How long a frame is waited for in an event loop, in milliseconds, where nothing else is said.
BLOCKED_MS = 3_000

Taken = TypeVar("Taken")


class Watch(Iterator[Frame]):
    """The frames of a watch socket; as a context manager, it closes the socket at the end."""

    @of_caller
    def __init__(self, requests: Requests, path: str, timeout_ms: int | None = None) -> None:
        self.url = f"{requests.url}{path}"
        self._timeout_ms = timeout_ms
        self._describe_end = requests.describe_end
        self._is_closed = False
        self._connection = requests.connection()
        try:
            self._bytes = self._open(requests, path)
        except BaseException:
            self._connection.close()
            raise
        # The beginning of a message whose other parts did not come yet.
        self._begun = b""

    def _open(self, requests: Requests, path: str) -> _Bytes:
        key = base64.b64encode(os.urandom(16)).decode()
        headers = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key}
        try:
            self._connection.connect()
        except OSError as error:
            raise Error(f"{self.url} can't be watched: {error}{requests.source}")
        # The reply has no length: the bytes after its head belong to the WebSocket.
        sock = self._connection.sock
        host = f"[{requests.host}]" if ":" in requests.host else requests.host
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}:{requests.port}"]
        lines += [f"{name}: {value}" for name, value in {**headers, **requests.authorization()}.items()]
        sock.sendall("\r\n".join([*lines, "", ""]).encode())
        received = _Bytes(sock)
        try:
            status = received.take(_head).split(b"\r\n")[0].split(b" ")
        except EOFError:
            status = []
        if len(status) < 2 or status[1] != b"101":
            code = int(status[1]) if len(status) > 1 else 0
            raise Error(f"{self.url} can't be watched: {code}", code)
        return received

    @of_caller
    def __next__(self) -> Frame:
        # A client in the loop that this call stops causes no frame, however long it waits.
        is_stopping = is_in_event_loop()
        timeout_ms = BLOCKED_MS if is_stopping and self._timeout_ms is None else self._timeout_ms
        if self._connection.sock is None:
            raise StopIteration
        self._bytes.deadline = None if timeout_ms is None else time.monotonic() + timeout_ms / 1000
        try:
            text = self._text()
        except TimeoutError:
            # What came so far stays: the next call goes on with it.
            hint = "\n" + remedy("watch", "write `async with world.watch() as frames`, with the world") if is_stopping else ""
            raise self.late(timeout_ms, hint)
        except (EOFError, OSError, ValueError):
            if self._is_closed:
                raise StopIteration from None
            self.close()
            raise Error(f"{self.url} ended: the world was deleted, or the server stopped{self._describe_end()}")
        try:
            frame = json.loads(text, object_hook=Record)
        except (ValueError, RecursionError):
            raise Error(f"a frame of the watch socket is not JSON: {text[:200]}")
        return framed(frame)

    def late(self, timeout_ms: int | None, hint: str = "") -> Error:
        """The error for a frame that did not come in time."""
        return Error(f"{self.url}: no frame came within {timeout_ms} ms{hint}")

    def _text(self) -> str:
        """The next text message that the server sends."""
        while True:
            kind, is_last, payload = self._bytes.take(_frame)
            if kind == CLOSE:
                raise EOFError
            if kind == PING:
                self._bytes.sock.sendall(_masked(PONG, payload))
            if kind > TEXT:
                continue
            self._begun += payload
            if is_last:
                whole, self._begun = self._begun, b""
                return whole.decode()

    def close(self) -> None:
        """Closes the socket, which ends the iteration; also from another thread."""
        self._is_closed = True
        sock = self._connection.sock
        if sock is not None:
            # It wakes the thread that reads.
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self._connection.close()


class _Bytes:
    """The bytes that a socket receives; those that are not taken yet stay, also when the others are late."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self._received = bytearray()
        #: When a wait for bytes ends with a TimeoutError, on the monotonic clock, in seconds.
        self.deadline: float | None = time.monotonic() + PATIENCE

    def take(self, part: Callable[[bytearray], tuple[Taken, int] | None]) -> Taken:
        """Takes a part from the beginning, for which `part` returns what it is and its length once it is whole."""
        while (found := part(self._received)) is None:
            left = None if self.deadline is None else max(self.deadline - time.monotonic(), WAIT_SECONDS_MIN)
            self.sock.settimeout(left)
            more = self.sock.recv(READ_BYTES)
            if not more:
                raise EOFError
            self._received += more
        taken, length = found
        del self._received[:length]
        return taken


def _head(received: bytearray) -> tuple[bytes, int] | None:
    """The head of a reply."""
    end = received.find(b"\r\n\r\n")
    return None if end < 0 else (bytes(received[:end]), end + 4)


def _frame(received: bytearray) -> tuple[tuple[int, bool, bytes], int] | None:
    """A frame's kind, whether it is the last one of its message, and its payload."""
    if len(received) < 2:
        return None
    length, begin = received[1] & 0x7F, 2
    if length > 125:
        begin = 4 if length == 126 else 10
        length = int.from_bytes(received[2:begin], "big")
    end = begin + length
    if len(received) < end:
        return None
    return (received[0] & 0x0F, bool(received[0] & 0x80), bytes(received[begin:end])), end


def _masked(kind: int, payload: bytes) -> bytes:
    """A short client frame; clients must mask their frames."""
    mask, short = os.urandom(4), payload[:125]
    body = bytes(byte ^ mask[index % 4] for index, byte in enumerate(short))
    return bytes([0x80 | kind, 0x80 | len(short)]) + mask + body
