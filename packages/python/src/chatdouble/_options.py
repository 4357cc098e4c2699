"""Options of a server."""

from __future__ import annotations

import datetime
from typing import Sequence, TypedDict

__all__ = ["StartOptions"]


class StartOptions(TypedDict, total=False):
    """Options of `chatdouble serve`, in snake case."""

    #: `real` (the default), `frozen`, or an instant at which the clock is frozen.
    clock: str | datetime.datetime
    #: The origin of web pages that may call the API; `*` for all (the default).
    cors_origin: str
    #: The token that control requires.
    control_token: str
    #: `neutral` (the default), `zulip` or a file.
    dialect: str
    #: The feature level of the world `default`; the newest by default.
    feature_level: int
    #: A built-in fixture's name, or a file.
    fixture: str
    #: The address to listen on; both loopback families by default.
    host: str
    #: Names at which the server gives out keys, as development servers do.
    host_name: str | Sequence[str]
    #: The level of messages on standard error: off, error, warn (the default), info, debug or trace.
    log: str
    #: Whether there is no world at the root, as on a server of many organizations.
    no_root_world: bool
    #: Whether the console opens in the browser of this desk.
    open: bool
    #: The port to listen on; a free one by default.
    port: int
    #: A file to which the server writes its port.
    port_file: str
    #: The seed of all random values.
    seed: int
    #: A file from which the default world is read where it exists, and to which it is written.
    state: str
    #: How often that file is written while the world changes: seconds (30 by default), or a span; 0: only at the end.
    state_every: float | str
    #: Whether the server speaks HTTPS, with a certificate that it makes.
    tls: bool
    #: A file to which the server writes the certificate that clients have to trust (PEM).
    tls_ca_file: str
    #: A file with the certificate of the server (PEM).
    tls_cert: str
    #: A file with the private key of that certificate (PEM).
    tls_key: str
    #: Further names and addresses for which the certificate that the server makes is valid.
    tls_name: str | Sequence[str]
    #: Where outgoing webhooks may post: `loopback` (the default) or `anywhere`.
    webhooks: str
    #: How long worlds may get no request before they are deleted: seconds, or a span such as `1d2h30m`.
    world_ttl: float | str
