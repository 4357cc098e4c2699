"""The watch socket: a minimal WebSocket client that reads text frames."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import socket
import struct
from types import TracebackType
from typing import BinaryIO, Iterator

from ._error import Error
from ._frame import Frame
from ._http import Requests
from ._loop import is_in_event_loop, remedy
from ._record import Record, typed

__tracebackhide__ = True

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
# How long a frame is waited for in an event loop, in milliseconds, where nothing else is said.
BLOCKED_MS = 3_000


class Watch(Iterator[Frame]):
    """The frames of a watch socket; as a context manager, it closes the socket at the end."""

    def __init__(self, requests: Requests, path: str, timeout_ms: int | None = None) -> None:
        self._url = f"{requests.url}{path}"
        self._timeout_ms = timeout_ms
        self._connection = requests.connection()
        try:
            self._stream = self._open(requests, path)
        except BaseException:
            self._connection.close()
            raise
        self._payloads = _payloads(self._stream, self._connection.sock)

    def _open(self, requests: Requests, path: str) -> BinaryIO:
        key = base64.b64encode(os.urandom(16)).decode()
        headers = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key}
        try:
            self._connection.connect()
        except OSError as error:
            raise Error(f"{self._url} can't be watched: {error}{requests.source}") from None
        # The reply has no length: the bytes after its head belong to the WebSocket.
        sock = self._connection.sock
        host = f"[{requests.host}]" if ":" in requests.host else requests.host
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}:{requests.port}"]
        lines += [f"{name}: {value}" for name, value in {**headers, **requests.authorization()}.items()]
        sock.sendall("\r\n".join([*lines, "", ""]).encode())
        stream = sock.makefile("rb")
        status = stream.readline().split(b" ")
        while stream.readline().strip():
            pass
        if len(status) < 2 or status[1] != b"101":
            code = int(status[1]) if len(status) > 1 else 0
            raise Error(f"{self._url} can't be watched: {code}", code)
        return stream

    def __next__(self) -> Frame:
        # A client in the loop that this call stops causes no frame, however long it waits.
        is_stopping = is_in_event_loop()
        timeout_ms = BLOCKED_MS if is_stopping and self._timeout_ms is None else self._timeout_ms
        sock = self._connection.sock
        if sock is None:
            raise StopIteration
        try:
            sock.settimeout(None if timeout_ms is None else timeout_ms / 1000)
            text = next(self._payloads)
        except TimeoutError:
            self.close()
            hint = "\n" + remedy("watch", "write `async with world.watch() as frames`, with the world") if is_stopping else ""
            raise Error(f"{self._url}: no frame came within {timeout_ms} ms{hint}") from None
        except (OSError, ValueError, struct.error):
            # It was closed meanwhile.
            raise StopIteration from None
        try:
            frame = json.loads(text, object_hook=Record)
        except (ValueError, RecursionError):
            raise Error(f"a frame of the watch socket is not JSON: {text[:200]}") from None
        return typed(Frame, frame)

    def close(self) -> None:
        """Closes the socket, which ends the iteration; also from another thread."""
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


def _payloads(stream: BinaryIO, sock: socket.socket) -> Iterator[str]:
    """The text messages that the server sends, until the connection closes."""
    message = b""
    for kind, is_last, payload in _frames(stream):
        if kind == CLOSE:
            return
        if kind == PING:
            sock.sendall(_masked(PONG, payload))
        if kind > TEXT:
            continue
        message += payload
        if is_last:
            yield message.decode()
            message = b""


def _frames(stream: BinaryIO) -> Iterator[tuple[int, bool, bytes]]:
    while len(head := stream.read(2)) == 2:
        length = head[1] & 0x7F
        if length == 126:
            (length,) = struct.unpack(">H", stream.read(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", stream.read(8))
        yield head[0] & 0x0F, bool(head[0] & 0x80), stream.read(length)


def _masked(kind: int, payload: bytes) -> bytes:
    """A short client frame; clients must mask their frames."""
    mask, short = os.urandom(4), payload[:125]
    body = bytes(byte ^ mask[index % 4] for index, byte in enumerate(short))
    return bytes([0x80 | kind, 0x80 | len(short)]) + mask + body
