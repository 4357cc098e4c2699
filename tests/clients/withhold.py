"""A proxy that withholds events of some types from clients: through it, a check that awaits one must fail."""

import http.client
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

# Longer than any poll is parked.
UPSTREAM_SECONDS = 120
# Headers of the connection, not of the message.
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class Withholding:
    """A context manager that serves what the server at `upstream` serves, except events of the types `kinds`."""

    def __init__(self, upstream, kinds):
        handler = type(
            "Handler", (_Handler,), {"upstream": urlsplit(upstream).netloc, "kinds": frozenset(kinds), "withheld": []}
        )
        self.withheld = handler.withheld
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.socket.close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {
            name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP | {"accept-encoding"}
        }
        upstream = http.client.HTTPConnection(self.upstream, timeout=UPSTREAM_SECONDS)
        try:
            upstream.request(self.command, self.path, body, headers)
            reply = upstream.getresponse()
            content = reply.read()
        except (OSError, http.client.HTTPException) as error:
            # The server ended while a poll was parked.
            self.close_connection = True
            self.log_error("no reply: %s", error)
            return
        finally:
            upstream.close()
        if self.command == "GET" and urlsplit(self.path).path == "/api/v1/events":
            content = self.without_withheld(content)
        try:
            self.send_response_only(reply.status)
            for name, value in reply.getheaders():
                if name.lower() not in HOP_BY_HOP:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            # The client has ended.
            self.close_connection = True

    def without_withheld(self, content):
        """The reply with withheld events replaced by heartbeats, which clients ignore: ids have no gaps."""
        reply = json.loads(content)
        for position, event in enumerate(reply.get("events", [])):
            if event["type"] in self.kinds:
                self.withheld.append(event)
                reply["events"][position] = {"type": "heartbeat", "id": event["id"]}
        return json.dumps(reply).encode()

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = forward

    def log_message(self, format, *args):
        pass
