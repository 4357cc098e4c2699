"""A minimal WebSocket client that reads text frames."""

from __future__ import annotations

import base64
import os
import struct
from typing import BinaryIO, Iterator

from ._error import Error
from ._http import Requests

__tracebackhide__ = True

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


def texts(requests: Requests, path: str, timeout_ms: int | None = None) -> Iterator[str]:
    """The text messages that the server sends, until the connection closes or the reader stops.

    A message that does not come within `timeout_ms` is an Error.
    """
    connection = requests.connection()
    try:
        key = base64.b64encode(os.urandom(16)).decode()
        headers = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key}
        connection.connect()
        # The reply has no length: the bytes after its head belong to the WebSocket.
        sock = connection.sock
        host = f"[{requests.host}]" if ":" in requests.host else requests.host
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}:{requests.port}"]
        lines += [f"{name}: {value}" for name, value in {**headers, **requests.authorization()}.items()]
        sock.sendall("\r\n".join([*lines, "", ""]).encode())
        sock.settimeout(None if timeout_ms is None else timeout_ms / 1000)
        with sock.makefile("rb") as stream:
            status = stream.readline().split(b" ")
            while stream.readline().strip():
                pass
            if len(status) < 2 or status[1] != b"101":
                code = int(status[1]) if len(status) > 1 else 0
                raise Error(f"{requests.url}{path} can't be watched: {code}", code)
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
    except TimeoutError:
        raise Error(f"{requests.url}{path}: no frame came within {timeout_ms} ms") from None
    finally:
        connection.close()


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
